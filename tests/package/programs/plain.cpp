// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The library with nothing beside it: no CUDA, no BLAS, no build system, also as CUDA source.
#include <amp/fwd.hpp>

// As in a header of a program, which needs no more of amp than the names.
double value_of(const amp::Tensor& loss);
void train(amp::GradScaler&, amp::Optimizer&, amp::DType, amp::Device, amp::half, amp::bfloat16);

#include <amp/amp.hpp>
#include <vector>

#include "expect.hpp"

double value_of(const amp::Tensor& loss) { return loss.item<float>(); }

double product_of(const amp::Tensor& matrix) {
  return amp::sum(amp::matmul(matrix, matrix)).item<float>();
}

/// A global multiplies in its destructor, when the main thread's own objects are gone.
struct AtExit {
  amp::Tensor matrix = amp::ones({64, 64});
  AtExit() = default;
  AtExit(const AtExit&) = delete;
  AtExit& operator=(const AtExit&) = delete;
  ~AtExit() { expect(product_of(matrix) == 64 * 64 * 64, "a product after main"); }
} at_exit;

int main() {
  amp::Tensor weight = amp::ones({8, 4}, {.requires_grad = true});
  amp::Adam optimizer(std::vector<amp::Tensor>{weight}, {.lr = 0.01});
  amp::GradScaler scaler;
  const amp::Tensor input = amp::ones({16, 8});
  const amp::Tensor target = amp::zeros({16}, {.dtype = amp::kInt64});
  double first = 0, last = 0;
  for (int step = 0; step < 8; ++step) {
    amp::Tensor loss;
    {
      const amp::AutocastGuard guard(amp::kCPU, {.dtype = amp::kFloat16});
      loss = amp::cross_entropy(amp::matmul(input, weight), target);
    }
    optimizer.zero_grad();
    scaler.scale(loss).backward();
    scaler.step(optimizer);
    scaler.update();
    last = value_of(loss);
    if (step == 0) first = last;
  }
  expect(first > 1.38 && first < 1.39, "the first loss is log(4)");
  expect(last < first, "the loss falls");
  expect(product_of(at_exit.matrix) == 64 * 64 * 64, "a product of matrices");
  expect(!amp::is_available(amp::kCUDA), "there is no CUDA backend");
}
