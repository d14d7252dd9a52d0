// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "amp/core/error.hpp"
#include "amp/nn/reshape.hpp"
#include "amp/ops/window.hpp"

namespace amp::inline v0::nn {

AMP_COLD Unflatten::Unflatten(std::int64_t dim, const ReshapeTo& sizes) : dim_(dim), sizes_(sizes) {
  AMP_CHECK(sizes.dims() > 0, "nn::Unflatten: `sizes` must not be empty");
  set_extra_repr([&] {
    std::string text;
    for (int d = 0; d < sizes.dims(); ++d) text += (d == 0 ? "" : ", ") + std::to_string(sizes[d]);
    return "dim=" + std::to_string(dim) + ", unflattened_size=(" + text +
           (sizes.dims() == 1 ? ",)" : ")");
  });
}

AMP_COLD Unfold::Unfold(Size2d kernel, const UnfoldOptions& options)
    : kernel_(kernel), options_(options) {
  using Size = amp::detail::WindowSize;
  set_extra_repr({{"kernel_size", Size(kernel)},
                  {"dilation", Size(options.dilation)},
                  {"padding", Size(options.padding)},
                  {"stride", Size(options.stride)}});
}
AMP_COLD Fold::Fold(Size2d output_size, Size2d kernel, const UnfoldOptions& options)
    : output_size_(output_size), kernel_(kernel), options_(options) {
  using Size = amp::detail::WindowSize;
  set_extra_repr({{"output_size", Size(output_size)},
                  {"kernel_size", Size(kernel)},
                  {"dilation", Size(options.dilation)},
                  {"padding", Size(options.padding)},
                  {"stride", Size(options.stride)}});
}

namespace detail {

AMP_COLD void check_size(std::string_view type, const InterpolateOptions& options) {
  AMP_CHECK((options.size.dims() > 0) != (options.scale_factor.count() > 0), "nn::", type,
            ": give either `size` or `scale_factor`");
}

AMP_COLD std::string interpolation_text(const InterpolateOptions& options) {
  constexpr const char* kModes[] = {"'nearest'",   "'nearest-exact'", "'linear'", "'bilinear'",
                                    "'trilinear'", "'bicubic'",       "'area'"};
  const Described mode("mode", kModes[static_cast<int>(options.mode)]);
  if (const int count = options.scale_factor.count(); count > 0) {
    double factors[3] = {};
    for (int i = 0; i < count; ++i) factors[i] = options.scale_factor[i];
    return described({{"scale_factor", count, factors}, mode});
  }
  std::int64_t extents[3] = {};
  const int dims = options.size.dims() < 3 ? options.size.dims() : 3;
  for (int d = 0; d < dims; ++d) extents[d] = options.size[d];
  return described(
      {{"size", std::span(extents).first(static_cast<std::size_t>(dims)), dims == 1}, mode});
}

}  // namespace detail

}  // namespace amp::inline v0::nn
