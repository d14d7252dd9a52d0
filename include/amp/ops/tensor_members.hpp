// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The members of Tensor that record history or ask for derivatives: declared in the tensor layer,
// which knows neither autograd nor ops, and defined in tensor_members.ipp. These are the only
// functions that a lower layer declares and a higher one defines.
#pragma once

#include "amp/tensor/tensor.hpp"

#if AMP_HEADER_ONLY
#include "amp/ops/tensor_members.ipp"
#endif
