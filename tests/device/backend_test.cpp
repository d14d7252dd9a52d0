// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A device's table of kernels, of which some are missing.
#include <amp/kernels/dispatch.hpp>

#include "support/catch.hpp"

namespace device_backend {
namespace {

using amp::Device;
using amp::kernels::Backend;
using Catch::Matchers::Equals;

int filled_on_host = 0, filled_on_device = 0;

template <class Args>
void host(const Args&) {
  ++filled_on_host;
}

template <auto Member>
void run(Device device) {
  using Args = typename amp::kernels::detail::kernel_member<decltype(Member)>::args;
  amp::kernels::dispatch<Member, host<Args>>(device, Args{});
}

TEST_CASE("dispatch: an op that a device does not have is an error with the op's name") {
  const Device device{amp::kCUDA, 0};
  CHECK_THROWS_WITH(run<&Backend::fill>(device),
                    Equals("no kernels for device cuda:0: include <amp/cuda.cuh> in one .cu file "
                           "of the program"));
  static Backend backend{};
  backend.fill = [](const amp::kernels::FillArgs&) { ++filled_on_device; };
  amp::kernels::register_backend(amp::kCUDA, &backend);
  run<&Backend::fill>(device);
  CHECK(filled_on_device == 1);
  CHECK(filled_on_host == 0);
  CHECK_THROWS_WITH(run<&Backend::softmax>(device),
                    Equals("softmax: device cuda:0 has no kernel for this op"));
  CHECK_THROWS_WITH(run<&Backend::log_softmax>(device),
                    Equals("log_softmax: device cuda:0 has no kernel for this op"));
  CHECK_THROWS_WITH(run<&Backend::max_pool2d_backward>(device),
                    Equals("max_pool2d_backward: device cuda:0 has no kernel for this op"));
  run<&Backend::softmax>(Device{});
  CHECK(filled_on_host == 1);
}

}  // namespace
}  // namespace device_backend
