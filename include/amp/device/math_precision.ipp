// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include "amp/core/globals.hpp"
#include "amp/core/globals.ipp"
#include "amp/device/math_precision.hpp"

namespace amp::inline v0 {

namespace detail {
struct AMP_EXPORT CurrentMathPrecision {
  MathPrecision value;
};
}  // namespace detail

AMP_INLINE MathPrecision math_precision() {
  return thread_state<detail::CurrentMathPrecision>().value;
}

AMP_INLINE MathPrecisionGuard::MathPrecisionGuard(MathPrecision precision)
    : before_(math_precision()) {
  thread_state<detail::CurrentMathPrecision>().value = precision;
}
AMP_INLINE MathPrecisionGuard::~MathPrecisionGuard() {
  thread_state<detail::CurrentMathPrecision>().value = before_;
}

AMP_THREAD_STATE(detail::CurrentMathPrecision);

}  // namespace amp::inline v0
