// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The derivative of relu, stored as a bit per element: bit i % 8 of byte i / 8 says whether element
// i of the result is not 0. Arrays are dense, in one order.
#pragma once

#include <cstdint>

#include "amp/kernels/operand.hpp"

namespace amp::inline v0::kernels::host {

/// Writes the mask of `output`, a result of relu.
AMP_LAZY void relu_mask(const Operand& output, std::uint8_t* mask);

/// output = gradient if the mask's bit is set, else 0. They may be the same memory.
AMP_LAZY void pass_relu_mask(const Operand& gradient, const std::uint8_t* mask,
                             const Operand& output);

/// Applies relu to n elements of a 16-bit format in place, on the calling thread. Values with a
/// sign become 0, except NaN, whose magnitude is above `infinity`.
AMP_LAZY void relu_of_codes(std::uint16_t* y, std::int64_t n, std::int16_t infinity);

}  // namespace amp::inline v0::kernels::host

#if AMP_HEADER_ONLY
#include "amp/kernels/elementwise/host/relu_mask.ipp"
#endif
