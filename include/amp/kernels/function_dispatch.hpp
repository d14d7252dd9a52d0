// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Calls the kernel of a function of kernels/functions.hpp, or of its derivative, on the device of
// the operands.
#pragma once

#include <cstddef>

#include "amp/kernels/dispatch.hpp"
#include "amp/kernels/elementwise/args.hpp"
#include "amp/kernels/elementwise/host.hpp"
#include "amp/kernels/functions.hpp"

namespace amp::inline v0::kernels {

namespace detail {

template <class Function>
inline constexpr int kUnaryIndex = functions::UnaryFunctions::index<Function>();
template <class Function>
inline constexpr int kBinaryIndex = functions::BinaryFunctions::index<Function>();

/// Runs `host`, or kernel number `index` of the device's table.
template <class Args, std::size_t Size>
AMP_ALWAYS_INLINE void run_function(Device device, Kernel<Args> host,
                                    Kernel<Args> (ElementwiseKernels::*table)[Size], int index,
                                    const char* op, const Args& args) {
  if (device.type == kCPU) return host(args);
  run_on_device(device, table, index, op, args);
}

}  // namespace detail

/// output = f(input)
template <class Function>
void unary(Device device, const UnaryArgs& args) {
  detail::run_function(device, host::unary<Function>, &ElementwiseKernels::unary,
                       detail::kUnaryIndex<Function>, Function::kName, args);
}
/// output = a f'(b), or for a function whose derivative needs its result y = f(x), with y for b
template <class Function>
void derivative(Device device, const BinaryArgs& args) {
  detail::run_function(device, host::binary<functions::Derivative<Function>>,
                       &ElementwiseKernels::derivative, detail::kUnaryIndex<Function>,
                       Function::kName, args);
}
/// output = f(a, b)
template <class Function>
void binary(Device device, const BinaryArgs& args) {
  detail::run_function(device, host::binary<Function>, &ElementwiseKernels::binary,
                       detail::kBinaryIndex<Function>, Function::kName, args);
}
/// output = grad df/da
template <class Function>
void by_a(Device device, const GradientArgs& args) {
  detail::run_function(device, host::gradient<functions::ByA<Function>>, &ElementwiseKernels::by_a,
                       detail::kBinaryIndex<Function>, Function::kName, args);
}
/// output = grad df/db
template <class Function>
void by_b(Device device, const GradientArgs& args) {
  detail::run_function(device, host::gradient<functions::ByB<Function>>, &ElementwiseKernels::by_b,
                       detail::kBinaryIndex<Function>, Function::kName, args);
}

}  // namespace amp::inline v0::kernels
