// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Module::state_dict() and Module::load_state_dict(), which module.hpp declares.
#pragma once

#include "amp/nn/module.hpp"

namespace amp::inline v0::nn::detail {

/// Whether the two are equal bit for bit in the dtype of `a`.
bool same_values(const Tensor& a, const Tensor& b);

}  // namespace amp::inline v0::nn::detail

#if AMP_HEADER_ONLY
#include "amp/nn/module_state.ipp"
#endif
