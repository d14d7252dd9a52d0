// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The ops that are members of Tensor (tensor/methods.hpp): each calls the function of its name.
#pragma once

#include "amp/ops/values_and_indices.hpp"
#include "amp/tensor/subscript.hpp"
#include "amp/tensor/tensor.hpp"

#if AMP_HEADER_ONLY
#include "amp/ops/methods.ipp"
#endif
