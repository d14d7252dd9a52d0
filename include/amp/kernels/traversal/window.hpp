// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The windows that convolutions and pooling move over an image.
#pragma once

#include <cstdint>

namespace amp::inline v0::kernels {

/// In the order rows, columns, slices. An image [D, H, W] of several slices is an array of D * H
/// rows; so are the windows over it.
struct Window {
  std::int64_t kernel[3], stride[3], padding[3], dilation[3];  // padding: before the first pixel
  std::int64_t slices = 1, out_slices = 1;                     // of the image, of the windows

  /// Whether there is one slice, which each window sees.
  bool is_plane() const {
    return slices == 1 && out_slices == 1 && kernel[2] == 1 && padding[2] == 0;
  }
};

}  // namespace amp::inline v0::kernels
