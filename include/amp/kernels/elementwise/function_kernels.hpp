// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A device's kernels for the functions of kernels/functions.hpp.
#pragma once

#include "amp/kernels/elementwise/args.hpp"
#include "amp/kernels/functions.hpp"

namespace amp::inline v0::kernels {

/// Runs an op on a device, or enqueues it; null if the device does not have it.
template <class Args>
using Kernel = void (*)(const Args&);

/// A kernel for each function, and for each of its derivatives, if it has any.
struct ElementwiseKernels {
  Kernel<UnaryArgs> unary[functions::UnaryFunctions::kSize];
  Kernel<BinaryArgs>
      derivative[functions::UnaryFunctions::kSize];  // a: grad_output, b: what is kept
  Kernel<BinaryArgs> binary[functions::BinaryFunctions::kSize];
  Kernel<GradientArgs> by_a[functions::BinaryFunctions::kSize];
  Kernel<GradientArgs> by_b[functions::BinaryFunctions::kSize];
};

namespace detail {

template <class Of, bool Exists, class Function>
consteval Kernel<BinaryArgs> binary_if() {
  if constexpr (Exists) {
    return Of::template binary<Function>;
  } else {
    return nullptr;
  }
}
template <class Of, bool Exists, class Function>
consteval Kernel<GradientArgs> gradient_if() {
  if constexpr (Exists) {
    return Of::template gradient<Function>;
  } else {
    return nullptr;
  }
}

}  // namespace detail

/// Adds functions to the table of a device, of which Of::unary<Function>, Of::binary<Function> and
/// Of::gradient<ByA<Function>> are the kernels.
template <class Of, class... F>
constexpr void add_unary(ElementwiseKernels& table, functions::List<F...>) {
  using namespace functions;
  ((table.unary[UnaryFunctions::index<F>()] = Of::template unary<F>), ...);
  ((table.derivative[UnaryFunctions::index<F>()] =
        detail::binary_if<Of, HasDerivative<F>, Derivative<F>>()),
   ...);
}
template <class Of, class... F>
constexpr void add_binary(ElementwiseKernels& table, functions::List<F...>) {
  using namespace functions;
  ((table.binary[BinaryFunctions::index<F>()] = Of::template binary<F>), ...);
  ((table.by_a[BinaryFunctions::index<F>()] = detail::gradient_if<Of, HasByA<F>, ByA<F>>()), ...);
  ((table.by_b[BinaryFunctions::index<F>()] = detail::gradient_if<Of, HasByB<F>, ByB<F>>()), ...);
}

}  // namespace amp::inline v0::kernels
