// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Combinations on CUDA devices, as elementwise ops.
#pragma once

#include "amp/kernels/combination/args.hpp"
#include "amp/kernels/combination/formula.hpp"
#include "amp/kernels/elementwise/cuda.cuh"

namespace amp::inline v0::kernels::cuda {

template <class Function>
void combination(const CombinationArgs& args) {
  visit_combination_type<Function>(args, [&](auto tag) {
    using C = typename decltype(tag)::type;
    const auto f = bound<Function, C>(args.parameters);
    const Operand(&x)[4] = args.inputs;
    if constexpr (Function::kOperands == 2) {
      detail::elementwise<C>(detail::Types<C, C>{}, f, args.output, x[0], x[1]);
    } else if constexpr (Function::kOperands == 3) {
      detail::elementwise<C>(detail::Types<C, C, C>{}, f, args.output, x[0], x[1], x[2]);
    } else {
      detail::elementwise<C>(detail::Types<C, C, C, C>{}, f, args.output, x[0], x[1], x[2], x[3]);
    }
  });
}

}  // namespace amp::inline v0::kernels::cuda
