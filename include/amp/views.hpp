// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Tensors over the memory of std::mdspan and of Eigen's matrices, and back. Not part of amp.hpp;
// needs neither of them.
#pragma once

#include "amp/interop/eigen.hpp"   // from_eigen
#include "amp/interop/mdspan.hpp"  // from_mdspan, to_mdspan
