// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// From an op's arguments to the kernel of their device.
#pragma once

#include <string_view>

#include "amp/core/error.hpp"
#include "amp/core/type_name.hpp"
#include "amp/device/device.hpp"
#include "amp/kernels/backend.hpp"

namespace amp::inline v0::kernels {

namespace detail {

template <class Member>
struct kernel_member;
template <class Args>
struct kernel_member<Kernel<Args> Backend::*> {
  using args = Args;
};

template <class Args>
[[gnu::cold, gnu::noinline]] void run_on_device(Device device, Kernel<Args> Backend::*member,
                                                std::string_view op, const Args& args) {
  const Backend* const found = backend(device.type);
  AMP_CHECK(found != nullptr, "no kernels for device ", device,
            ": include <amp/cuda.cuh> in one .cu file of the program");
  const Kernel<Args> kernel = found->*member;
  AMP_CHECK(kernel != nullptr, op, ": device ", device, " has no kernel for this op");
  kernel(args);
}

}  // namespace detail

/// Runs `host` directly, or the device's Backend member. `device` is that of the op's main operand.
template <auto Member, auto Host,
          class Args = typename detail::kernel_member<decltype(Member)>::args>
void dispatch(Device device, const Args& args) {
  if (device.type == kCPU) {
    Host(args);
  } else {
    constexpr std::string_view kOp = amp::detail::member_name<Member>();
    detail::run_on_device<Args>(device, Member, kOp, args);
  }
}

}  // namespace amp::inline v0::kernels
