// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The functions that elementwise ops compute, the same source on every device. A function is a row
// in one of these files, and its name in the list at the end of that file.
#pragma once

#include "amp/kernels/functions/activation.hpp"
#include "amp/kernels/functions/binary.hpp"
#include "amp/kernels/functions/loss.hpp"
#include "amp/kernels/functions/math.hpp"
#include "amp/kernels/functions/unary.hpp"

namespace amp::inline v0::kernels::functions {

using UnaryFunctions = Joined<ElementaryFunctions, Activations>::type;
using BinaryFunctions = Joined<FunctionsOfTwo, Losses>::type;

}  // namespace amp::inline v0::kernels::functions
