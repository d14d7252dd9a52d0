// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Sizes in one, two and three dimensions, as convolutions and pools take them.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include "amp/kernels/traversal/window.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// A length.
struct Size1d {
  std::int64_t length;
  /// The length.
  template <std::integral I>
  constexpr Size1d(I only) : length(static_cast<std::int64_t>(only)) {}
};

/// A height and a width: {h, w}, or one number for both.
struct Size2d {
  std::int64_t height, width;
  /// The same height and width.
  template <std::integral I>
  constexpr Size2d(I both) : height(static_cast<std::int64_t>(both)), width(height) {}
  /// A height and a width.
  template <std::integral H, std::integral W>
  constexpr Size2d(H h, W w)
      : height(static_cast<std::int64_t>(h)), width(static_cast<std::int64_t>(w)) {}
};

/// A depth, a height and a width: {d, h, w}, or one number for all.
struct Size3d {
  std::int64_t depth, height, width;
  /// The same depth, height and width.
  template <std::integral I>
  constexpr Size3d(I all) : depth(static_cast<std::int64_t>(all)), height(depth), width(depth) {}
  /// A depth, a height and a width.
  template <std::integral D, std::integral H, std::integral W>
  constexpr Size3d(D d, H h, W w)
      : depth(static_cast<std::int64_t>(d)),
        height(static_cast<std::int64_t>(h)),
        width(static_cast<std::int64_t>(w)) {}
};

/// The padding of a convolution: none, or as much as gives the result the extents of the input (one
/// more behind than before the elements, if that is an odd number).
enum class Padding : std::uint8_t { kValid, kSame };

/// Numbers, the same at both ends; {before, after}, such as {2, 0} for a causal conv1d and
/// {{0, 1}, {1, 1}} for two dimensions; or Padding::kSame or Padding::kValid.
template <class Size>
struct ConvPadding : Size {
  Size after = static_cast<const Size&>(*this);  // of the last elements; the base is of the first
  bool is_same = false;
  using Size::Size;
  /// As many elements at both ends.
  constexpr ConvPadding(const Size& size) : Size(size) {}
  /// So many elements before the first ones, and so many after the last ones.
  constexpr ConvPadding(const Size& before, const Size& last) : Size(before), after(last) {}
  /// What the extents of the input ask for, or none.
  constexpr ConvPadding(Padding padding) : Size(0), is_same(padding == Padding::kSame) {}
};

namespace detail {

/// A size of any number of dimensions, the outermost first.
struct WindowSize {
  int dims;
  std::int64_t values[3];

  constexpr WindowSize(Size1d s) : dims(1), values{s.length, 0, 0} {}
  constexpr WindowSize(Size2d s) : dims(2), values{s.height, s.width, 0} {}
  constexpr WindowSize(Size3d s) : dims(3), values{s.depth, s.height, s.width} {}
  /// The last `count` dimensions of a shape.
  WindowSize(int count, const Shape& shape) : dims(count), values{} {
    for (int d = 0; d < count; ++d) values[d] = shape[shape.dims() - count + d];
  }

  /// That of rows (0), columns (1) or slices (2), as in kernels::Window; else `absent`.
  constexpr std::int64_t of(int d, std::int64_t absent) const {
    const int i = d == 2 ? dims - 3 : dims - 2 + d;
    return i < 0 ? absent : values[i];
  }
};

/// The dimension of a window that is number i of `dims`: rows, columns or slices, as above.
constexpr int window_dim(int dims, int i) { return dims == 3 ? (i + 2) % 3 : i + 2 - dims; }

/// The number of windows along a dimension: floor((input + padding - dilation (kernel - 1) - 1) /
/// stride) + 1, with the padding of both ends, and 0 if no window fits.
AMP_LAZY std::int64_t window_extent(std::int64_t input, std::int64_t kernel, std::int64_t stride,
                                    std::int64_t padding, std::int64_t dilation);

/// Throws, naming `op` and `what`, if a number is out of range.
AMP_LAZY void check_extents(std::string_view op, std::string_view what, const WindowSize& size,
                            std::int64_t least);

/// Throws, naming `op`, if a number is out of range.
AMP_LAZY kernels::Window make_window(std::string_view op, const WindowSize& kernel,
                                     const WindowSize& stride, const WindowSize& padding,
                                     const WindowSize& dilation);

/// {2, 3}
std::string to_text(const WindowSize& size);

}  // namespace detail
}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/ops/window.ipp"
#endif
