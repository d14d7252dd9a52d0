// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <string>

#include "amp/core/error.hpp"
#include "amp/data/transforms/image.hpp"

namespace amp::inline v0::data::transforms::detail {

AMP_INLINE ImageExtents extents_of(const char* call, const Tensor& image) {
  AMP_CHECK(image.defined() && image.dim() >= 3 && image.device().type == kCPU, call,
            ": the image must be [..., channels, height, width] on the CPU, but is ",
            image.defined() ? describe(image) : std::string("undefined"));
  const int dims = image.dim();
  ImageExtents extents{.channels = image.shape()[dims - 3],
                       .height = image.shape()[dims - 2],
                       .width = image.shape()[dims - 1]};
  for (int d = 0; d < dims - 3; ++d) extents.count *= image.shape()[d];
  return extents;
}

AMP_INLINE ImageExtents colours_of(const char* call, const Tensor& image) {
  const ImageExtents extents = extents_of(call, image);
  AMP_CHECK((extents.channels == 1 || extents.channels == 3) &&
                (image.dtype() == kUInt8 || is_floating_point(image.dtype())),
            call, ": the image must be uint8 or floating-point, with 1 or 3 channels, but is ",
            describe(image));
  return extents;
}

AMP_COLD void check_size(const char* call, const ImageSize& size) {
  AMP_CHECK(size.height > 0 && size.width > 0 && size.height < kFar && size.width < kFar, call,
            ": `size` must be from 1 to below 2^40, but is {", size.height, ", ", size.width, "}");
}

AMP_COLD void check_probability(const char* call, double p) {
  AMP_CHECK(p >= 0 && p <= 1, call, ": `p` is ", p, "; expected 0 to 1");
}

AMP_INLINE Shape resized_shape(const Tensor& image, std::int64_t channels, std::int64_t height,
                               std::int64_t width) {
  Shape shape = image.shape();
  shape[shape.dims() - 3] = channels;
  shape[shape.dims() - 2] = height;
  shape[shape.dims() - 1] = width;
  return shape;
}

AMP_INLINE std::int64_t rounded(double x) { return std::llrint(x); }

}  // namespace amp::inline v0::data::transforms::detail
