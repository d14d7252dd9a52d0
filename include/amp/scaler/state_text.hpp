// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A scaler's state as text: one "name value" per line, floating-point numbers in hexadecimal, so
// that reading it back gives every bit again.
#pragma once

#include <string>
#include <string_view>

#include "amp/scaler/state.hpp"

namespace amp::inline v0 {

std::string to_string(const GradScalerState& state);

/// What to_string wrote. Throws, naming the line, for any other text, and for a state that cannot
/// work.
GradScalerState parse_grad_scaler_state(std::string_view text);

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/scaler/state_text.ipp"
#endif
