// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Calls the kernel of the device that an op's arguments are on.
#pragma once

#include <cstddef>
#include <string_view>

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
template <auto Member>
using ArgsOf = typename kernel_member<decltype(Member)>::args;

/// Returns the backend of the device. Throws amp::Error if the program has none.
const Backend& backend_of(Device device);
[[noreturn]] void fail_without_kernel(Device device, std::string_view op);

template <class Args>
[[gnu::cold, gnu::noinline]] void run_on_device(Device device, Kernel<Args> Backend::*member,
                                                const char* name_holding_op, const Args& args) {
  const Kernel<Args> kernel = backend_of(device).*member;
  if (kernel == nullptr) fail_without_kernel(device, amp::detail::member_name(name_holding_op));
  kernel(args);
}
/// The same for a kernel of a table of functions.
template <class Args, std::size_t Size>
[[gnu::cold, gnu::noinline]] void run_on_device(Device device,
                                                Kernel<Args> (ElementwiseKernels::*table)[Size],
                                                int index, const char* op, const Args& args) {
  const Kernel<Args> kernel = (backend_of(device).elementwise.*table)[index];
  if (kernel == nullptr) fail_without_kernel(device, op);
  kernel(args);
}

}  // namespace detail

/// A kernel on the device that it is called with: kernels::softmax, for instance.
template <class Args>
using Launch = void (*)(Device device, const Args& args);

/// Runs `host` directly, or the device's Backend member. `device` is that of the op's main operand.
template <auto Member, Kernel<detail::ArgsOf<Member>> Host>
void dispatch(Device device, const detail::ArgsOf<Member>& args) {
  if (device.type == kCPU) {
    Host(args);
  } else {
    detail::run_on_device(device, Member, amp::detail::name_holding_member<Member>(), args);
  }
}

/// The same for the step of an optimizer.
template <class Rule, Kernel<OptimizerArgs<Rule>> Host>
void dispatch_step(Device device, const OptimizerArgs<Rule>& args, std::string_view optimizer) {
  if (device.type == kCPU) return Host(args);
  const Kernel<OptimizerArgs<Rule>> kernel =
      detail::backend_of(device).optimizers.template of<Rule>();
  if (kernel == nullptr) detail::fail_without_kernel(device, optimizer);
  kernel(args);
}

}  // namespace amp::inline v0::kernels

#if AMP_HEADER_ONLY
#include "amp/kernels/dispatch.ipp"
#endif
