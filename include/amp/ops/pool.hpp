// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Pooling, over windows of k elements in each dimension that lie `stride` apart, of input [N, C,
// L], [N, C, H, W] or [N, C, D, H, W], or of one image without N. An extent H gives
//   H' = floor((H + 2 padding - dilation (k - 1) - 1) / stride) + 1
// in the result; with ceil_mode the quotient is rounded up, unless the last window would begin
// behind the input and the padding before it. k, stride and dilation are at most 2^30, and the
// padding is at most half of a window. All ops are floating point, in the dtype of `input`. Under
// autocast: unchanged.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>

#include "amp/ops/window.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

namespace detail {
/// The first member of options that are only given by name: {2, 1} is a stride, and no options.
class ByName {
 public:
  explicit constexpr ByName() {}
};
/// A stride; that of the kernel's size if it is not set.
template <class Size>
struct PoolStride : Size {
  bool is_set = true;
  constexpr PoolStride() : Size(1), is_set(false) {}
  using Size::Size;
  constexpr PoolStride(const Size& size) : Size(size) {}
};
}  // namespace detail

/// Options of max_pool1d, max_pool2d and max_pool3d.
template <class Size>
struct MaxPoolOptions {
  detail::ByName by_name = detail::ByName();
  detail::PoolStride<Size> stride = {};  // unset: the kernel
  Size padding = 0;
  Size dilation = 1;
  bool ceil_mode = false;
};
/// Options of avg_pool1d, avg_pool2d and avg_pool3d.
template <class Size>
struct AvgPoolOptions {
  detail::ByName by_name = detail::ByName();
  detail::PoolStride<Size> stride = {};  // unset: the kernel
  Size padding = 0;
  bool ceil_mode = false;
  bool count_include_pad = true;                      // whether means count padding, as zeros
  std::optional<std::int64_t> divisor_override = {};  // by which sums are divided instead
};
using MaxPool1dOptions = MaxPoolOptions<Size1d>;
using MaxPool2dOptions = MaxPoolOptions<Size2d>;
using MaxPool3dOptions = MaxPoolOptions<Size3d>;
using AvgPool1dOptions = AvgPoolOptions<Size1d>;
using AvgPool2dOptions = AvgPoolOptions<Size2d>;
using AvgPool3dOptions = AvgPoolOptions<Size3d>;

/// The maximum of each window. NaN if a window has a NaN; padding counts as -infinity, and no
/// window may have nothing else. The gradient goes to the first maximum of the window.
AMP_LAZY [[nodiscard]] Tensor max_pool1d(const Tensor& input, Size1d kernel,
                                         const MaxPool1dOptions& options = {});
AMP_LAZY [[nodiscard]] Tensor max_pool2d(const Tensor& input, Size2d kernel,
                                         const MaxPool2dOptions& options = {});
AMP_LAZY [[nodiscard]] Tensor max_pool3d(const Tensor& input, Size3d kernel,
                                         const MaxPool3dOptions& options = {});

/// The mean of each window: the sum of its elements divided by the size of the kernel, so that
/// padding counts as zeros, as far as AvgPoolOptions do not say otherwise. A window that reaches
/// beyond the padding, in ceil_mode, counts as if it ended there.
AMP_LAZY [[nodiscard]] Tensor avg_pool1d(const Tensor& input, Size1d kernel,
                                         const AvgPool1dOptions& options = {});
AMP_LAZY [[nodiscard]] Tensor avg_pool2d(const Tensor& input, Size2d kernel,
                                         const AvgPool2dOptions& options = {});
AMP_LAZY [[nodiscard]] Tensor avg_pool3d(const Tensor& input, Size3d kernel,
                                         const AvgPool3dOptions& options = {});

/// The same, with the stride and the padding in their places.
AMP_LAZY [[nodiscard]] inline Tensor max_pool1d(const Tensor& input, Size1d kernel, Size1d stride,
                                                Size1d padding = 0) {
  return max_pool1d(input, kernel, {.stride = stride, .padding = padding});
}
AMP_LAZY [[nodiscard]] inline Tensor max_pool2d(const Tensor& input, Size2d kernel, Size2d stride,
                                                Size2d padding = 0) {
  return max_pool2d(input, kernel, {.stride = stride, .padding = padding});
}
AMP_LAZY [[nodiscard]] inline Tensor max_pool3d(const Tensor& input, Size3d kernel, Size3d stride,
                                                Size3d padding = 0) {
  return max_pool3d(input, kernel, {.stride = stride, .padding = padding});
}
AMP_LAZY [[nodiscard]] inline Tensor avg_pool1d(const Tensor& input, Size1d kernel, Size1d stride,
                                                Size1d padding = 0) {
  return avg_pool1d(input, kernel, {.stride = stride, .padding = padding});
}
AMP_LAZY [[nodiscard]] inline Tensor avg_pool2d(const Tensor& input, Size2d kernel, Size2d stride,
                                                Size2d padding = 0) {
  return avg_pool2d(input, kernel, {.stride = stride, .padding = padding});
}
AMP_LAZY [[nodiscard]] inline Tensor avg_pool3d(const Tensor& input, Size3d kernel, Size3d stride,
                                                Size3d padding = 0) {
  return avg_pool3d(input, kernel, {.stride = stride, .padding = padding});
}

/// Maxima, and where they are: int64 positions in the plane (d * H + h) * W + w.
struct PooledWithIndices {
  Tensor values, indices;
};
/// max_pool1d, 2d and 3d with the positions of the maxima. The gradient is that of the values.
AMP_LAZY [[nodiscard]] PooledWithIndices max_pool1d_with_indices(
    const Tensor& input, Size1d kernel, const MaxPool1dOptions& options = {});
AMP_LAZY [[nodiscard]] PooledWithIndices max_pool2d_with_indices(
    const Tensor& input, Size2d kernel, const MaxPool2dOptions& options = {});
AMP_LAZY [[nodiscard]] PooledWithIndices max_pool3d_with_indices(
    const Tensor& input, Size3d kernel, const MaxPool3dOptions& options = {});

/// The extents of a result in N dimensions, or one number for all. An unset one (std::nullopt) is
/// that of the input.
template <int N>
struct OutputSize {
  /// In the order of the dimensions.
  std::optional<std::int64_t> values[static_cast<std::size_t>(N)];

  /// One number for all.
  template <std::integral I>
  constexpr OutputSize(I all) {
    for (auto& value : values) value = static_cast<std::int64_t>(all);
  }
  /// A number, or none, for each dimension.
  template <class... S>
    requires(sizeof...(S) == N && N > 1 &&
             (std::convertible_to<S, std::optional<std::int64_t>> && ...))
  constexpr OutputSize(S... sizes) : values{std::optional<std::int64_t>(sizes)...} {}
};

/// The mean of the windows [floor(i * H / H'), ceil((i + 1) * H / H')) of each dimension, so that
/// the result has the extents output_size.
AMP_LAZY [[nodiscard]] Tensor adaptive_avg_pool1d(const Tensor& input, OutputSize<1> output_size);
AMP_LAZY [[nodiscard]] Tensor adaptive_avg_pool2d(const Tensor& input, OutputSize<2> output_size);
AMP_LAZY [[nodiscard]] Tensor adaptive_avg_pool3d(const Tensor& input, OutputSize<3> output_size);

/// The maximum of the same windows, as in max_pool2d.
AMP_LAZY [[nodiscard]] Tensor adaptive_max_pool1d(const Tensor& input, OutputSize<1> output_size);
AMP_LAZY [[nodiscard]] Tensor adaptive_max_pool2d(const Tensor& input, OutputSize<2> output_size);
AMP_LAZY [[nodiscard]] Tensor adaptive_max_pool3d(const Tensor& input, OutputSize<3> output_size);
/// The same with the positions of the maxima.
AMP_LAZY [[nodiscard]] PooledWithIndices adaptive_max_pool1d_with_indices(
    const Tensor& input, OutputSize<1> output_size);
AMP_LAZY [[nodiscard]] PooledWithIndices adaptive_max_pool2d_with_indices(
    const Tensor& input, OutputSize<2> output_size);
AMP_LAZY [[nodiscard]] PooledWithIndices adaptive_max_pool3d_with_indices(
    const Tensor& input, OutputSize<3> output_size);

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/ops/pool.ipp"
#endif
