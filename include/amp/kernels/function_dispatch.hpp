// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Calls the kernel of a function of kernels/functions.hpp, or of its derivative, on the device of
// the operands.
#pragma once

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

}  // namespace detail

/// output = f(input)
template <class Function>
void unary(Device device, const UnaryArgs& args) {
  if (device.type == kCPU) return host::unary<Function>(args);
  detail::run_on_device(device, &ElementwiseKernels::unary, detail::kUnaryIndex<Function>,
                        Function::kName, args);
}
/// output = a f'(b), or for a function whose derivative needs its result y = f(x), with y for b
template <class Function>
void derivative(Device device, const BinaryArgs& args) {
  if (device.type == kCPU) return host::binary<functions::Derivative<Function>>(args);
  detail::run_on_device(device, &ElementwiseKernels::derivative, detail::kUnaryIndex<Function>,
                        Function::kName, args);
}
/// output = f(a, b)
template <class Function>
void binary(Device device, const BinaryArgs& args) {
  if (device.type == kCPU) return host::binary<Function>(args);
  detail::run_on_device(device, &ElementwiseKernels::binary, detail::kBinaryIndex<Function>,
                        Function::kName, args);
}
/// output = df/da
template <class Function>
void by_a(Device device, const BinaryArgs& args) {
  if (device.type == kCPU) return host::binary<functions::ByA<Function>>(args);
  detail::run_on_device(device, &ElementwiseKernels::by_a, detail::kBinaryIndex<Function>,
                        Function::kName, args);
}
/// output = df/db
template <class Function>
void by_b(Device device, const BinaryArgs& args) {
  if (device.type == kCPU) return host::binary<functions::ByB<Function>>(args);
  detail::run_on_device(device, &ElementwiseKernels::by_b, detail::kBinaryIndex<Function>,
                        Function::kName, args);
}

}  // namespace amp::inline v0::kernels
