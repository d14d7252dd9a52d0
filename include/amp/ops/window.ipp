// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "amp/core/error.hpp"
#include "amp/ops/window.hpp"

namespace amp::inline v0::detail {

AMP_COLD std::string to_text(const WindowSize& size) {
  std::string text = "{";
  for (int d = 0; d < size.dims; ++d) text += (d == 0 ? "" : ", ") + std::to_string(size.values[d]);
  return text + "}";
}

AMP_LAZY_DEFINITION std::int64_t window_extent(std::int64_t input, std::int64_t kernel,
                                               std::int64_t stride, std::int64_t padding,
                                               std::int64_t dilation) {
  const std::int64_t reach = input + padding - dilation * (kernel - 1) - 1;
  return reach < 0 ? 0 : reach / stride + 1;
}

AMP_LAZY_DEFINITION void check_extents(std::string_view op, std::string_view what,
                                       const WindowSize& size, std::int64_t least) {
  constexpr std::int64_t kMost = std::int64_t{1} << 30;  // no sum of these overflows
  for (int d = 0; d < size.dims; ++d) {
    AMP_CHECK(size.values[d] <= kMost, op, ": `", what, "` must be at most ", kMost, ", but is ",
              to_text(size));
    AMP_CHECK(size.values[d] >= least, op, ": `", what, "` must be at least ", least, ", but is ",
              to_text(size));
  }
}

AMP_LAZY_DEFINITION kernels::Window make_window(std::string_view op, const WindowSize& kernel,
                                                const WindowSize& stride, const WindowSize& padding,
                                                const WindowSize& dilation) {
  check_extents(op, "kernel", kernel, 1);
  check_extents(op, "stride", stride, 1);
  check_extents(op, "padding", padding, 0);
  check_extents(op, "dilation", dilation, 1);
  kernels::Window window;
  for (int d = 0; d < 3; ++d) {
    window.kernel[d] = kernel.of(d, 1);
    window.stride[d] = stride.of(d, 1);
    window.padding[d] = padding.of(d, 0);
    window.dilation[d] = dilation.of(d, 1);
  }
  return window;
}

}  // namespace amp::inline v0::detail
