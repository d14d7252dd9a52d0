// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <type_traits>

#include "amp/autograd/grad_mode.hpp"
#include "amp/core/error.hpp"
#include "amp/core/object_pool.hpp"
#include "amp/diagnostics/exponent_histogram.hpp"
#include "amp/diagnostics/text.hpp"
#include "amp/kernels/histogram/host.hpp"
#include "amp/ops/tensor_members.hpp"
#include "amp/tensor/factory.hpp"
#include "amp/types/limits.hpp"

namespace amp::inline v0 {

namespace diagnostics {

AMP_COLD FormatLimits format_limits(const char* call, DType format) {
  FormatLimits limits{};
  const bool known = visit_dtype(format, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_floating_point_v<T> || is_small_float<T>) {
      using Limits = std::numeric_limits<T>;
      // The smallest number is 2^(min_exponent - digits); half of it is even, and so 0.
      limits = {Limits::min_exponent - Limits::digits - 1, Limits::min_exponent - 1,
                Limits::max_exponent};
      return true;
    } else {
      return false;
    }
  });
  AMP_CHECK(known, call, ": `format` must be a floating-point dtype, but is ", format);
  return limits;
}

AMP_COLD ScaleExponent scale_exponent(const char* call, double scale) {
  AMP_CHECK(scale > 0 && is_finite(scale), call, ": `scale` must be finite and above 0, but is ",
            scale);
  int exponent = 0;
  const double fraction = std::frexp(scale, &exponent);  // in [0.5, 1)
  return {exponent - 1, fraction == 0.5 ? exponent - 1 : exponent};
}

AMP_COLD std::string scale_text(double scale) {
  const bool is_positive = scale > 0 && is_finite(scale);
  if (is_positive) {
    const ScaleExponent exponent = scale_exponent("scale_text", scale);
    if (exponent.down == exponent.up)
      return scale == 1 ? "1" : "2^" + std::to_string(exponent.down);
  }
  return number_text(scale, 6);
}

AMP_COLD std::string percent_text(double share) {
  const double percent = 100 * share;
  if (percent > 0 && percent < 0.005) return "<0.01 %";
  const std::int64_t hundredths = std::llround(100 * percent);
  const std::string rest = std::to_string(hundredths % 100);
  return std::to_string(hundredths / 100) + (rest.size() == 1 ? ".0" : ".") + rest + " %";
}

AMP_COLD std::vector<ExponentHistogram> exponent_histograms(const char* call,
                                                            const NamedTensors& tensors) {
  const NoGradGuard no_grad;
  detail::PoolVector<Tensor> dense;
  detail::PoolVector<kernels::HistogramSpan> spans;
  for (const auto& [name, tensor] : tensors) {
    AMP_CHECK(tensor.defined(), call, ": tensor \"", name, "\" is undefined");
    AMP_CHECK(is_floating_point(tensor.dtype()), call, ": tensor \"", name, "\", ",
              describe(tensor), ", has no exponents; it must be of a floating-point dtype");
    AMP_CHECK(dense.empty() || tensor.device() == dense[0].device(), call, ": tensor \"", name,
              "\" is on ", tensor.device(), ", but \"", tensors[0].first, "\" is on ",
              dense[0].device(), "; count those of each device by themselves");
    dense.push_back(tensor.detach().contiguous());
    spans.push_back({dense.back().raw_data(), tensor.numel(), tensor.dtype()});
  }
  const auto count = static_cast<std::int64_t>(spans.size());
  if (count == 0) return {};
  const Device device = dense[0].device();
  const Tensor words = zeros({count, kernels::kHistogramBins}, {.dtype = kInt64, .device = device});
  kernels::exponent_histogram(
      device, {device, spans.data(), count, static_cast<std::int64_t*>(words.raw_data())});
  const std::vector<std::int64_t> counts = words.to_vector<std::int64_t>();
  return detail::or_out_of_memory([&] {
    std::vector<ExponentHistogram> histograms;
    for (std::size_t t = 0; t < spans.size(); ++t)
      histograms.emplace_back(
          std::span(counts).subspan(t * ExponentHistogram::kBins, ExponentHistogram::kBins));
    return histograms;
  });
}

}  // namespace diagnostics

AMP_COLD ExponentHistogram::ExponentHistogram(std::span<const std::int64_t> counts) {
  AMP_CHECK(counts.size() == kBins, "ExponentHistogram: expected ", kBins, " counts, but got ",
            counts.size());
  for (std::size_t b = 0; b < kBins; ++b)
    AMP_CHECK(counts[b] >= 0, "ExponentHistogram: counts[", b, "] is ", counts[b]);
  std::copy(counts.begin(), counts.end(), counts_.begin());
}

AMP_COLD ExponentHistogram& ExponentHistogram::operator+=(const ExponentHistogram& other) {
  for (std::size_t b = 0; b < kBins; ++b) counts_[b] += other.counts_[b];
  return *this;
}

AMP_COLD std::int64_t ExponentHistogram::total() const {
  return std::accumulate(counts_.begin(), counts_.end(), std::int64_t{0});
}

AMP_COLD std::int64_t ExponentHistogram::count(int exponent) const {
  if (exponent < kMinExponent || exponent > kMaxExponent) return 0;
  return counts_[static_cast<std::size_t>(exponent - kMinExponent)];
}

AMP_COLD std::optional<int> ExponentHistogram::min_exponent() const {
  for (int e = kMinExponent; e <= kMaxExponent; ++e) {
    if (count(e) != 0) return e;
  }
  return {};
}

AMP_COLD std::optional<int> ExponentHistogram::max_exponent() const {
  for (int e = kMaxExponent; e >= kMinExponent; --e) {
    if (count(e) != 0) return e;
  }
  return {};
}

AMP_COLD std::int64_t ExponentHistogram::sum_below(std::int64_t exponent) const {
  const std::int64_t bins =
      std::clamp<std::int64_t>(exponent - kMinExponent, 0, kernels::kExponentBins);
  return std::accumulate(counts_.begin(), counts_.begin() + bins, std::int64_t{0});
}

AMP_COLD double ExponentHistogram::share(std::int64_t count) const {
  const std::int64_t all = nonzero();
  return all == 0 ? 0 : static_cast<double>(count) / static_cast<double>(all);
}

AMP_COLD double ExponentHistogram::share_below(int exponent) const {
  return share(sum_below(exponent));
}

AMP_COLD double ExponentHistogram::flushed_share(double scale, DType format) const {
  constexpr const char* kCall = "ExponentHistogram::flushed_share";
  const auto limits = diagnostics::format_limits(kCall, format);
  return share(sum_below(limits.flushed - diagnostics::scale_exponent(kCall, scale).up));
}

AMP_COLD double ExponentHistogram::subnormal_share(double scale, DType format) const {
  constexpr const char* kCall = "ExponentHistogram::subnormal_share";
  const auto limits = diagnostics::format_limits(kCall, format);
  const int up = diagnostics::scale_exponent(kCall, scale).up;
  return share(sum_below(limits.normal - up) - sum_below(limits.flushed - up));
}

AMP_COLD double ExponentHistogram::overflow_share(double scale, DType format) const {
  constexpr const char* kCall = "ExponentHistogram::overflow_share";
  const auto limits = diagnostics::format_limits(kCall, format);
  const int down = diagnostics::scale_exponent(kCall, scale).down;
  return share(nonzero() - sum_below(limits.overflow - down));
}

AMP_COLD ExponentHistogram ExponentHistogram::shifted(int exponents) const {
  ExponentHistogram result = *this;
  std::fill_n(result.counts_.begin(), kernels::kExponentBins, 0);
  for (int bin = 0; bin < kernels::kExponentBins; ++bin) {
    const auto to =
        std::clamp<std::int64_t>(std::int64_t{bin} + exponents, 0, kernels::kExponentBins - 1);
    result.counts_[static_cast<std::size_t>(to)] += counts_[static_cast<std::size_t>(bin)];
  }
  return result;
}

AMP_COLD ScaleRecommendation ExponentHistogram::recommended_scale(DType format,
                                                                  double headroom) const {
  constexpr const char* kCall = "ExponentHistogram::recommended_scale";
  constexpr int kSmallest = -64, kLargest = 126;
  const auto limits = diagnostics::format_limits(kCall, format);
  AMP_CHECK(headroom >= 1 && is_finite(headroom), kCall,
            ": `headroom` must be finite and at least 1, but is ", headroom);
  const std::optional<int> most = max_exponent();
  ScaleRecommendation result;
  if (!most) {
    result.reason = "There is no finite value other than 0 to choose a scale by.";
    return result;
  }
  // All values below 2^(limits.overflow - 1) are finite. The last bin ends at 2^(most + 1).
  const int room = diagnostics::scale_exponent(kCall, headroom).up;
  const int wanted = limits.overflow - 1 - (*most + 1) - room;
  const int exponent = std::clamp(wanted, kSmallest, kLargest);
  result.scale = std::ldexp(1.0, exponent);
  result.flushed_share = flushed_share(result.scale, format);
  result.subnormal_share = subnormal_share(result.scale, format);
  result.overflow_share = overflow_share(result.scale, format);
  const std::string dtype(name(format));
  result.reason = detail::or_out_of_memory([&] {
    std::string text = "All magnitudes are below 2^" + std::to_string(*most + 1) + ": times " +
                       diagnostics::scale_text(result.scale) + ", and a headroom of " +
                       diagnostics::number_text(headroom, 6) + ", they stay finite in " + dtype;
    if (exponent != wanted)
      text += exponent == kLargest ? " (a larger scale would be out of a GradScaler's bounds)"
                                   : " as far as a GradScaler's bounds allow";
    return text + ". " + diagnostics::percent_text(result.flushed_share) +
           " of the non-zero values become 0 there with this scale, and " +
           diagnostics::percent_text(flushed_share(1, format)) + " without a scale.";
  });
  return result;
}

AMP_COLD ExponentHistogram exponent_histogram(const Tensor& tensor) {
  return diagnostics::exponent_histograms("exponent_histogram", {{"tensor", tensor}})[0];
}

}  // namespace amp::inline v0
