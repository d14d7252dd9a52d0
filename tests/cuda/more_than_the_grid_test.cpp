// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Launches with more to do than their grid has blocks: a block then processes several parameters,
// chunks, tensors or tiles, one after the other, in the same shared memory.
#include <amp/amp.hpp>
#include <amp/diagnostics.hpp>
#include <amp/kernels/dispatch.hpp>
#include <amp/kernels/hash/host.hpp>
#if !defined(AMP_TEST_GPU)
#include <amp/kernels/masking/cuda.cuh>
#include <amp/kernels/norm/cuda/parameter_sums.cuh>
#endif

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cuda/on_both.hpp"
#include "support/catch.hpp"

namespace cuda_more_than_the_grid {
namespace {

using amp::Tensor;
using cuda_test::Tensors;

/// Each tensor is one piece, and these are more than the 64 blocks that a multiprocessor gets at
/// most; the stand-in has one.
#if defined(AMP_TEST_GPU)
constexpr std::int64_t kTensors = 20000;
#else
constexpr std::int64_t kTensors = 150;
#endif

/// Tensors of different numbers, of 1 to 300 elements.
Tensors numbers(amp::Device device, double scale = 1) {
  amp::manual_seed(3);
  Tensors all;
  for (std::int64_t i = 0; i < kTensors; ++i) {
    const double of_tensor = scale * static_cast<double>(1 + i % 5);
    all.push_back((amp::randn({1 + i * 7 % 300}) * of_tensor).to(device));
  }
  return all;
}
Tensors parameters(amp::Device device) {
  Tensors all = numbers(device);
  const Tensors gradients = numbers(device, 0.1);
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = all[i].detach().requires_grad_();
    all[i].set_grad(gradients[i]);
  }
  return all;
}
amp::NamedTensors named(const Tensors& tensors) {
  amp::NamedTensors all;
  for (const Tensor& x : tensors) all.emplace_back(std::to_string(all.size()), x);
  return all;
}

/// How many tensors differ from the host's by more than one rounding.
int differing(const Tensors& host, const Tensors& device) {
  int count = 0;
  for (std::size_t i = 0; i < host.size(); ++i)
    count += cuda_test::difference(host[i], device[i]) > cuda_test::tolerance(amp::kFloat32);
  return count;
}

template <class Optimizer, class Options>
void check_step(const Options& options) {
  const Tensors host = parameters(amp::kCPU), device = parameters(amp::kCUDA);
  for (const Tensors& of : {host, device}) {
    Optimizer optimizer(of, options);
    optimizer.step();
  }
  CHECK(differing(host, device) == 0);
}

TEST_CASE("cuda grid: an optimizer's step of more parameters than blocks", "[cuda]") {
  check_step<amp::SGD>(amp::SGDOptions{.lr = 0.03, .momentum = 0.9});
  check_step<amp::LAMB>(amp::LAMBOptions{.lr = 0.01});
}

TEST_CASE("cuda grid: more gradients than blocks, unscaled, counted and clipped", "[cuda]") {
  for (const bool statistics : {false, true}) {
    amp::LedgerPass passes[2];
    Tensors gradients[2];
    for (const int on_device : {0, 1}) {
      const Tensors all = parameters(on_device == 0 ? amp::Device(amp::kCPU) : amp::kCUDA);
      amp::SGD sgd(named(all), {.lr = 0});
      amp::GradScaler scaler(
          {.init_scale = 4, .statistics = statistics, .ledger = statistics ? 1 : 0});
      (void)scaler.scale(amp::full({}, 1.5, {.device = all[0].device()}));
      const Tensor norm = scaler.unscale_and_clip(sgd, 0.5);
      scaler.step(sgd);
      scaler.update();
      if (statistics) passes[on_device] = scaler.ledger(sgd).read().at(0);
      for (const Tensor& p : all) gradients[on_device].push_back(p.grad());
      gradients[on_device].push_back(norm);
    }
    CHECK(differing(gradients[0], gradients[1]) == 0);
    CHECK((passes[0].gradients == passes[1].gradients));
    CHECK(passes[1].gradients.size() == static_cast<std::size_t>(statistics ? kTensors : 0));
  }
}

TEST_CASE("cuda grid: more tensors than blocks, their exponents counted", "[cuda]") {
  const auto host = amp::diagnostics::exponent_histograms("test", named(numbers(amp::kCPU)));
  const auto device = amp::diagnostics::exponent_histograms("test", named(numbers(amp::kCUDA)));
  CHECK((host == device));
}

TEST_CASE("cuda grid: more tensors than blocks, hashed", "[cuda]") {
  std::vector<std::int64_t> found[2];
  for (const int on_device : {0, 1}) {
    const Tensors all = numbers(on_device == 0 ? amp::Device(amp::kCPU) : amp::kCUDA);
    std::vector<amp::kernels::HashSpan> spans;
    for (const Tensor& x : all) spans.push_back({x.raw_data(), x.numel() * 4});
    const Tensor hashes = amp::empty({kTensors}, {.dtype = amp::kInt64, .device = all[0].device()});
    amp::kernels::dispatch<&amp::kernels::Backend::hash, amp::kernels::host::hash>(
        hashes.device(), amp::kernels::HashArgs{
                             .device = hashes.device(),
                             .tensors = spans.data(),
                             .count = kTensors,
                             .hashes = static_cast<std::uint64_t*>(hashes.raw_data()),
                         });
    found[on_device] = hashes.to_vector<std::int64_t>();
  }
  CHECK((found[0] == found[1]));
}

#if !defined(AMP_TEST_GPU)
// With the grids that amp asks for, a block has a second chunk of a mask from 134 million elements on, and a norm's
// from 2 million parameters on. Kernels take any grid, so these have a small one.

namespace detail = amp::kernels::cuda::detail;

TEST_CASE("cuda grid: more chunks of a mask than blocks", "[cuda]") {
  constexpr std::int64_t kCount = 5 * amp::kernels::kMaskChunk + 17, kChunks = 6;
  amp::manual_seed(5);
  const Tensor mask = amp::lt(amp::rand({kCount}), 0.4), on_device = mask.to(amp::kCUDA);
  const Tensor places = amp::nonzero(mask);
  for (const std::int64_t blocks : {1, 2, 6}) {
    const Tensor ranks = amp::zeros({kChunks + 1}, {.dtype = amp::kInt64, .device = amp::kCUDA});
    auto* const to = static_cast<std::int64_t*>(ranks.raw_data());
    const auto* const from = static_cast<const bool*>(on_device.raw_data());
    amp::cuda::launch(amp::kCUDA, blocks, amp::cuda::kThreads,
                      detail::mask_counts_kernel<std::int64_t>, from, kCount, to);
    amp::cuda::launch(amp::kCUDA, 1, amp::cuda::kThreads, detail::mask_ranks_kernel<std::int64_t>,
                      to, kChunks);
    const Tensor found = amp::zeros(places.shape(), {.dtype = amp::kInt64, .device = amp::kCUDA});
    const detail::WritePlace action{static_cast<std::int64_t*>(found.raw_data()), 1, {}};
    amp::cuda::launch(amp::kCUDA, blocks, amp::cuda::kThreads,
                      detail::for_true_kernel<detail::WritePlace>, from, kCount, to, action);
    CHECK(cuda_test::same_bits(places, found));
  }
}

TEST_CASE("cuda grid: more parameters of a norm than blocks take at a time", "[cuda]") {
  constexpr std::int64_t kParts = 11, kParameters = 5 * 32 + 9;
  amp::manual_seed(6);
  const Tensor weights = amp::randn({kParts, kParameters}),
               biases = amp::randn({kParts, kParameters});
  const Tensor on_device[] = {weights.to(amp::kCUDA), biases.to(amp::kCUDA)};
  const amp::kernels::cuda::NormSums<float> sums{static_cast<float*>(on_device[0].raw_data()),
                                                 static_cast<float*>(on_device[1].raw_data()),
                                                 kParts, kParameters};
  for (const std::int64_t blocks : {1, 2, 6}) {
    const Tensor weight = amp::empty({kParameters}, {.device = amp::kCUDA}),
                 bias = amp::empty_like(weight);
    amp::cuda::launch(amp::kCUDA, blocks, amp::cuda::kThreads, detail::norm_add_parts_kernel<float>,
                      sums, weight.operand(), bias.operand());
    CHECK(cuda_test::difference(amp::sum(weights, 0), weight) <= 1e-6);
    CHECK(cuda_test::difference(amp::sum(biases, 0), bias) <= 1e-6);
  }
}
#endif

}  // namespace
}  // namespace cuda_more_than_the_grid
