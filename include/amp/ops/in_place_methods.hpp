// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The members of Tensor that write in place (tensor/in_place.hpp).
#pragma once

#include "amp/tensor/tensor.hpp"

#if AMP_HEADER_ONLY
#include "amp/ops/in_place_methods.ipp"
#endif
