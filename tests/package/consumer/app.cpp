// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Two units that both include all of amp, linked into one program that trains.
#include <amp/amp.hpp>
#include <cstdio>

#include "step.hpp"

int main() {
  amp::Tensor weight = amp::ones({3, 2}, {.requires_grad = true});
  amp::GradScaler scaler({.init_scale = 1024});
  const double first = training_step(weight, scaler);
  weight.grad().zero_();
  const double second = training_step(weight, scaler);
  const bool onednn = AMP_USE_ONEDNN;
  std::printf("amp %d.%d.%d, oneDNN %d: loss %g, then %g\n", AMP_VERSION_MAJOR, AMP_VERSION_MINOR,
              AMP_VERSION_PATCH, onednn, first, second);
  // Each of the 8 outputs is the sum of 3 weights; a step takes 0.1 * 4 off every weight.
  return first == 24 && second > 14.3 && second < 14.5 ? 0 : 1;
}
