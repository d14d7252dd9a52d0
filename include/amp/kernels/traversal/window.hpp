// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The windows that convolutions and pooling move over an image.
#pragma once

#include <cstdint>

namespace amp::inline v0::kernels {

struct Window2d {
  std::int64_t kernel[2], stride[2], padding[2], dilation[2];
};

}  // namespace amp::inline v0::kernels
