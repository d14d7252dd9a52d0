// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The histogram of exponents on the device: the host's counts, of tensors anywhere in memory, in
// one launch.
#include <amp/amp.hpp>
#include <amp/diagnostics.hpp>
#include <amp/kernels/backend.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cuda/device.hpp"
#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace cuda_histogram {
namespace {

using amp::DType;
using amp::Tensor;
using Catch::Matchers::ContainsSubstring;

constexpr DType kFloats[] = {amp::kFloat64,  amp::kFloat32,    amp::kFloat16,
                             amp::kBFloat16, amp::kFloat8E4M3, amp::kFloat8E5M2};

template <class T>
Tensor all_codes() {
  constexpr std::size_t kCodes = std::size_t{1} << (8 * sizeof(T));
  std::vector<T> codes;
  for (std::size_t c = 0; c < kCodes; ++c)
    codes.push_back(T::from_bits(static_cast<typename T::bits_type>(c)));
  return amp::tensor(codes, {static_cast<std::int64_t>(kCodes)});
}

TEST_CASE("cuda histogram: all codes of the small formats", "[cuda][histogram]") {
  for (const Tensor& codes : {all_codes<amp::half>(), all_codes<amp::bfloat16>(),
                              all_codes<amp::float8_e4m3fn>(), all_codes<amp::float8_e5m2>()}) {
    CAPTURE(codes.dtype());
    CHECK(amp::exponent_histogram(codes.to(amp::kCUDA)) == amp::exponent_histogram(codes));
  }
}

TEST_CASE("cuda histogram: any size and address, subnormal numbers, many tensors",
          "[cuda][histogram]") {
  amp::manual_seed(5);
  amp::NamedTensors host, device;
  for (int i = 0; i < 400; ++i) {
    const std::int64_t n = i % 9 == 0 ? 0 : i == 200 ? 9001 : 1 + i % 37;
    const DType dtype = kFloats[i % 6];
    const Tensor x = (amp::randn({n + 9}) * amp::exp(amp::randn({n + 9}) * 40)).to(dtype);
    const std::int64_t offset = i % 5;
    host.emplace_back(std::to_string(i), x.narrow(0, offset, n));
    device.emplace_back(std::to_string(i), x.to(amp::kCUDA).narrow(0, offset, n));
  }
  const auto expected = amp::diagnostics::exponent_histograms("test", host);
  const auto found = amp::diagnostics::exponent_histograms("test", device);
  for (std::size_t i = 0; i < host.size(); ++i) {
    CAPTURE(i);
    CHECK(found[i] == expected[i]);
  }
  const Tensor strided = amp::randn({30, 20}).t();
  CHECK(amp::exponent_histogram(strided.to(amp::kCUDA)) == amp::exponent_histogram(strided));
}

TEST_CASE("cuda histogram: gradients of a step on the device", "[cuda][histogram]") {
  const Tensor p = amp::randn({300}).detach();
  const Tensor q = p.to(amp::kCUDA).detach().requires_grad_();
  q.set_grad((p * 1024).to(amp::kCUDA));
  const amp::GradientHistogram h = amp::gradient_histogram(amp::NamedTensors{{"q", q}}, 1024);
  CHECK(h.all() == amp::exponent_histogram(p));
  const amp::GradientHistogram third = amp::gradient_histogram(amp::NamedTensors{{"q", q}}, 3);
  CHECK(third.all() == amp::exponent_histogram((p * 1024).to(amp::kFloat64) / 3));

  const Tensor other = amp::ones({2}, {.requires_grad = true});
  other.set_grad(amp::ones({2}));
  CHECK_THAT(amp_test::error_of([&] {
               return amp::gradient_histogram(amp::NamedTensors{{"q", q}, {"other", other}});
             }),
             ContainsSubstring("tensor \"other\" is on cpu, but \"q\" is on cuda"));
}

#if !defined(AMP_TEST_GPU)
TEST_CASE("cuda histogram: one launch, which waits for nothing, and a kept table is not sent again",
          "[cuda][histogram]") {
  std::vector<Tensor> tensors;
  std::vector<amp::kernels::HistogramSpan> spans;
  for (int i = 0; i < 50; ++i) {
    tensors.push_back(amp::ones({1 + i * 100}, {.device = amp::kCUDA}));
    spans.push_back({tensors.back().raw_data(), tensors.back().numel(), amp::kFloat32});
  }
  const Tensor counts =
      amp::zeros({50, amp::kernels::kHistogramBins}, {.dtype = amp::kInt64, .device = amp::kCUDA});
  amp::kernels::DescriptorTable table;
  const auto run = [&] {
    amp::kernels::backend(amp::kCUDA)
        ->exponent_histogram(
            {amp::kCUDA, spans.data(), 50, static_cast<std::int64_t*>(counts.raw_data()), &table});
  };
  run();
  const standin::Counters before = standin::toolkit().counters;
  run();
  const standin::Counters now = standin::toolkit().counters;
  CHECK(now.launches - before.launches == 1);
  CHECK(now.synchronisations == before.synchronisations);
  CHECK(now.allocations == before.allocations);
  for (int i = 0; i < 50; ++i)
    CHECK(counts.select(0, i).select(0, 149).item<std::int64_t>() == 2 * (1 + i * 100));
}
#endif

}  // namespace
}  // namespace cuda_histogram
