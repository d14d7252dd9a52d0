// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Tensors over the memory of std::mdspan, and back. Not part of amp.hpp; does not include it.
#pragma once

#include "amp/interop/mdspan.hpp"  // from_mdspan, to_mdspan
