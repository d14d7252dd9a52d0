// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Resizing images, and signals and volumes likewise.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// How interpolate() computes an element of the result; named as in torch.
enum class InterpolateMode : std::uint8_t {
  kNearest,       ///< the input at floor(o * in / out)
  kNearestExact,  ///< the input at floor((o + 1/2) * in / out), which is the nearest
  kLinear,        ///< between two neighbours, of [N, C, W]
  kBilinear,      ///< the same along two dimensions, of [N, C, H, W]
  kTrilinear,     ///< the same along three dimensions, of [N, C, D, H, W]
  kBicubic,       ///< between four neighbours by cubic convolution, of [N, C, H, W]
  kArea,          ///< the mean of the inputs that the output covers
};

/// Up to three factors, {2, 1.5}, or one for all dimensions.
class ScaleFactors {
 public:
  ScaleFactors() = default;
  /// The same factor along each dimension.
  ScaleFactors(double factor) : ScaleFactors({factor}) {}
  /// A factor for each dimension, the innermost last. Throws if there are more than three.
  ScaleFactors(std::initializer_list<double> factors);

  /// How many factors there are.
  int count() const { return count_; }
  /// Factor number i.
  double operator[](int i) const { return factors_[static_cast<std::size_t>(i)]; }

 private:
  std::array<double, 3> factors_{};
  int count_ = 0;
};

/// Options of interpolate(). Give `size` or `scale_factor`, not both.
struct InterpolateOptions {
  Shape size = {};  ///< the extents of the result after [N, C], or one for all of them
  ScaleFactors scale_factor = {};  ///< the result has floor(factor * extent) elements
  InterpolateMode mode = InterpolateMode::kNearest;
  /// Whether the first and last elements of input and result lie at the same place, rather than the
  /// outer edges of these elements. Not for the nearest and for areas.
  bool align_corners = false;
  /// Whether positions follow from the extents of the result, rather than from `scale_factor`.
  bool recompute_scale_factor = false;
  /// Whether a smaller result is made of all inputs that it covers. For bilinear and bicubic.
  bool antialias = false;
};

/// Resizes input [N, C, W], [N, C, H, W] or [N, C, D, H, W]. Each output is a weighted sum of the
/// inputs around its place, of one dimension after the other, computed in float32 (float64) and
/// rounded once; its gradient is the transposed sum. Floating point, in the dtype of `input`; the
/// nearest modes take any dtype. Weights are float32 (float64) of positions in float64, and the
/// nearest is found in float32, as in torch. Under autocast: float32.
AMP_LAZY [[nodiscard]] Tensor interpolate(const Tensor& input, const InterpolateOptions& options);

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/ops/interpolate.ipp"
#endif
