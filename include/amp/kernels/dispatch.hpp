// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// From an op's arguments to the kernel of their device.
#pragma once

#include "amp/kernels/backend.hpp"

namespace amp::inline v0::kernels {

namespace detail {

template <class Args>
struct kernel_member;
template <class Args>
struct kernel_member<Kernel<Args> Backend::*> {
  using args = Args;
};

template <class Args>
[[gnu::cold, gnu::noinline]] void run_on_device(Device device, DType dtype,
                                                const Kernel<Args> Backend::*member,
                                                const Args& args) {
  const Backend* const found = backend(device.type);
  AMP_CHECK(found != nullptr, "no kernels for device ", device,
            ": include <amp/cuda.cuh> in one .cu file of the program");
  const Kernel<Args>& kernel = found->*member;
  AMP_CHECK(kernel.run != nullptr, kernel.name, ": device ", device, " has no kernel for this op");
  AMP_CHECK(kernel.dtypes.contains(dtype), kernel.name, ": device ", device, " has no kernel for ",
            dtype);
  kernel.run(args);
}

}  // namespace detail

/// Runs `host` directly, or the device's Backend member. `device` and `dtype` are those of the op's
/// main operand.
template <auto Member, auto Host,
          class Args = typename detail::kernel_member<decltype(Member)>::args>
void dispatch(Device device, DType dtype, const Args& args) {
  if (device.type == kCPU) {
    Host(args);
  } else {
    detail::run_on_device<Args>(device, dtype, Member, args);
  }
}

}  // namespace amp::inline v0::kernels
