// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Where the processor has fused multiply-adds and the build allows them, compilers make one of a
// product and the sum it goes into. Optimizers round both, so that their bits do not depend on the
// build: what is subtracted below is the product once rounded, and 0 has to remain.
#include <amp/kernels/optim/adam.hpp>
#include <amp/kernels/optim/host.hpp>
#include <amp/kernels/optim/lion.hpp>
#include <amp/kernels/optim/sgd.hpp>
#include <cstdint>
#include <vector>

#include "expect.hpp"

namespace {

namespace k = amp::kernels;

constexpr double kFactor = 1 + 0x1p-12, kWideFactor = 1 + 0x1p-30;
constexpr std::int64_t kCount = 29;  // vectors, and single elements behind them

/// The weights after one step from these numbers, all of which are T.
template <class T, class Rule>
std::vector<T> stepped(const Rule& rule, double rate, T gradient, T weight, T state) {
  std::vector<T> gradients(kCount, gradient), weights(kCount, weight), states[Rule::kStates];
  std::int64_t step = 3, applied = 3;
  k::OptimizerParameter<Rule> p{.parameter = weights.data(),
                                .gradient = gradients.data(),
                                .states = {},
                                .step = &step,
                                .numel = kCount,
                                .dtype = amp::dtype_of<T>,
                                .gradient_dtype = amp::dtype_of<T>,
                                .state_dtype = amp::dtype_of<T>};
  for (int s = 0; s < Rule::kStates; ++s) {
    states[s].assign(kCount, state);
    p.states[s] = states[s].data();
  }
  const k::OptimizerGroup<Rule> group{
      .parameters = &p, .count = 1, .settings = {.lr = {rate, {}}, .rule = rule}};
  k::host::optimizer_step<Rule>(
      {.device = amp::kCPU, .groups = &group, .count = 1, .applied = &applied, .scale = {}});
  return weights;
}

template <class T>
void products_are_rounded(double factor) {
  const auto x = static_cast<T>(factor);
  volatile T product = x * x;
  for (const T w : stepped<T>(k::SgdRule{}, factor, x, product, T{0}))
    expect(w == 0, "SGD: lr * g is rounded before it is subtracted");
  // v = momentum * v + g = 0, so that the weight stays.
  for (const T w : stepped<T>(k::SgdRule{.momentum = factor}, 0.5, -product, T{1}, x))
    expect(w == 1, "SGD: momentum * v is rounded before g is added");
}

void vectors_are_single_elements() {
  for (int i = 1; i < 50; ++i) {
    const float x = 0.37F * static_cast<float>(i);
    for (const bool decoupled : {false, true}) {
      const k::AdamRule rule{.weight_decay = 0.3, .decoupled = decoupled};
      const std::vector<float> all = stepped<float>(rule, 0.1, 1 / x, x, 0.01F * x);
      for (const float w : all) expect(w == all[0], "Adam: one number everywhere");
    }
    const auto all = stepped<float>(k::LionRule{.weight_decay = 0.3}, 0.1, 1 / x, x, -0.01F * x);
    for (const float w : all) expect(w == all[0], "Lion: one number everywhere");
  }
}

}  // namespace

int main() {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("fma") || !__builtin_cpu_supports("avx2")) return 77;
#endif
  products_are_rounded<float>(kFactor);
  products_are_rounded<double>(kWideFactor);
  vectors_are_single_elements();
  return 0;
}
