// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#include "plugin.hpp"

#include <amp/amp.hpp>

namespace {

bool autocast_enabled() {
  return amp::is_autocast_enabled(amp::kCPU) && amp::autocast_dtype(amp::kCPU) == amp::kFloat16;
}

bool op_is_registered() { return amp::op_policy("plugin_test_op") == amp::OpPolicy::kFloat32; }

bool records_gradients() {
  const amp::Tensor leaf = amp::ones({2}, {.requires_grad = true});
  return (leaf + leaf).requires_grad();
}

float draw() { return amp::rand({1}).item<float>(); }

void inside_autocast(void (*call)()) {
  const amp::AutocastGuard guard(amp::kCPU, {.dtype = amp::kFloat16});
  call();
}

void inside_no_grad(void (*call)()) {
  const amp::NoGradGuard guard;
  call();
}

void seed(std::uint64_t value) { amp::manual_seed(value); }

void throw_error() { static_cast<void>(amp::zeros({-1})); }

}  // namespace

extern "C" __attribute__((visibility("default"))) const Plugin PLUGIN_ENTRY = {autocast_enabled,
                                                                               op_is_registered,
                                                                               records_gradients,
                                                                               draw,
                                                                               inside_autocast,
                                                                               inside_no_grad,
                                                                               seed,
                                                                               throw_error};
