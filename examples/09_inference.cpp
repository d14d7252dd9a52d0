// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Inference in bfloat16, in two ways. Under autocast the weights stay float32, each with a copy in
// bfloat16 that is made once and used for every batch; to(kBFloat16) converts the module itself,
// which takes half the memory. The predictions and the memory of both are compared.
#include <amp/amp.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

using amp::Tensor;
using amp::nn::Dropout;
using amp::nn::GELU;
using amp::nn::LayerNorm;
using amp::nn::Linear;
using amp::nn::Sequential;

void expect(bool holds, const char* claim) {
  if (holds) return;
  std::fprintf(stderr, "09_inference: it does not hold that %s\n", claim);
  std::exit(EXIT_FAILURE);
}

std::int64_t tensor_bytes() { return amp::memory_stats(amp::kCPU).current_bytes; }

Tensor predict_under_autocast(const Sequential& model, const Tensor& x) {
  const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kBFloat16});
  return model(x);
}

/// |a - b| / |b|
double relative_difference(const Tensor& a, const Tensor& b) {
  const Tensor wide = b.to(amp::kFloat32);
  const Tensor squares = amp::sum(amp::pow(a.to(amp::kFloat32) - wide, 2));
  return amp::sqrt(squares / amp::sum(amp::pow(wide, 2))).item<double>();
}

/// Only the first batch casts weights, until a weight is written.
void show_copies(const Sequential& model, const Linear& last, const Tensor& x) {
  const auto serve = [&](const char* what, int batches) {
    const amp::AutocastCacheStats before = amp::autocast_cache_stats();
    for (int batch = 0; batch < batches; ++batch) (void)predict_under_autocast(model, x);
    amp::AutocastCacheStats now = amp::autocast_cache_stats();
    now.refreshes -= before.refreshes;
    now.hits -= before.hits;
    std::printf("%-20s  %2lld weights cast, %2lld times a copy was used again\n", what,
                static_cast<long long>(now.refreshes), static_cast<long long>(now.hits));
    return now;
  };
  // Weight and bias of three layers; those of the norm stay float32.
  const amp::AutocastCacheStats first = serve("8 batches:", 8);
  expect(first.refreshes == 6 && first.hits == 7 * 6, "each weight is cast once");
  last.bias.fill_(0.25);
  const amp::AutocastCacheStats second = serve("after writing one:", 1);
  expect(second.refreshes == 1 && second.hits == 5, "the copy of a written weight is renewed");
}

}  // namespace

int main() try {
  amp::manual_seed(9);
  const amp::NoGradGuard no_grad;
  const Tensor x = amp::randn({32, 64});
  const std::int64_t without_model = tensor_bytes();
  const Linear last(256, 10);
  const Sequential model(Linear(64, 256), GELU(), LayerNorm({256}), Linear(256, 256), GELU(),
                         Dropout(0.1), last);
  const std::int64_t full_size = tensor_bytes() - without_model;

  expect(relative_difference(model(x), model(x)) > 0, "dropout drops while training");
  model.eval();
  expect(relative_difference(model(x), model(x)) == 0, "an evaluation can be repeated");

  show_copies(model, last, x);
  const Tensor exact = model(x);
  const Tensor autocast = predict_under_autocast(model, x);
  expect(autocast.dtype() == amp::kBFloat16 && !autocast.requires_grad(),
         "the result is bfloat16, and records no history");

  const std::int64_t with_copies = tensor_bytes();
  amp::clear_autocast_cache();
  const std::int64_t without_copies = tensor_bytes();
  model.to(amp::kBFloat16);
  const std::int64_t half_size = full_size - (without_copies - tensor_bytes());
  const Tensor converted = model(x.to(amp::kBFloat16));

  const auto print = [](const char* name, std::int64_t bytes, double error) {
    std::printf("%-16s  %3.0f KiB, %.2g from float32\n", name, static_cast<double>(bytes) / 1024,
                error);
  };
  print("float32 module", full_size, 0);
  print("under autocast", full_size + with_copies - without_copies,
        relative_difference(autocast, exact));
  print("bfloat16 module", half_size, relative_difference(converted, exact));
  expect(relative_difference(autocast, exact) < 0.02, "autocast agrees with float32");
  expect(relative_difference(converted, autocast) < 0.02, "both ways agree");
  expect(2 * half_size == full_size, "converting halves the memory");
} catch (const amp::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
