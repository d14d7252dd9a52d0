// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#include "step.hpp"

#include <vector>

double training_step(amp::Tensor& weight, amp::GradScaler& scaler) {
  amp::SGD optimizer(std::vector<amp::Tensor>{weight}, {.lr = 0.1});
  const amp::Tensor input = amp::ones({4, 3});
  amp::Tensor loss;
  {
    const amp::AutocastGuard guard(amp::kCPU, {.dtype = amp::kFloat16});
    loss = amp::sum(amp::matmul(input, weight));
  }
  scaler.scale(loss).backward();
  scaler.step(optimizer);
  scaler.update();
  return loss.item<float>();
}
