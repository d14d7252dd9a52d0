// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A child of a process that used CUDA computes on the host, and gets an error that explains why it
// cannot use a device.
#include <amp/cuda.hpp>

#include <memory>
#include <optional>
#include <string>

#include "support/catch.hpp"
#include "support/child.hpp"
#include "support/error_of.hpp"

namespace cuda_fork {
namespace {

using amp::kCUDA;
using amp::Tensor;

bool refused(const std::string& error) {
  return error.find("forked off") != std::string::npos && error.find("exec") != std::string::npos;
}

TEST_CASE("cuda fork: a child of a process that used a device cannot, and says so", "[cuda]") {
  REQUIRE(amp::is_available(kCUDA));
  auto x = std::make_unique<Tensor>(amp::ones({4, 4}, {.device = kCUDA}));
  auto graph = std::make_unique<amp::cuda::Graph>([&] { x->fill_(2); });
  CHECK(amp_test::status_of_child([&] {
          if (amp::is_available(kCUDA)) return 1;
          if (!refused(amp_test::error_of([] { return amp::ones({2}, {.device = kCUDA}); })))
            return 2;
          if (!refused(amp_test::error_of([&] { return amp::matmul(*x, *x); }))) return 3;
          if (!refused(amp_test::error_of([&] { return x->to_vector<float>(); }))) return 4;
          if (!refused(amp_test::error_of([&] { graph->replay(); }))) return 5;
          if (!refused(amp_test::error_of([] { return amp::cuda::current_stream(); }))) return 6;
          graph.reset();
          x.reset();
          amp::cuda::shutdown();
          return amp::sum(amp::ones({2})).item<float>() == 2 ? 0 : 7;
        }) == 0);
  graph->replay();
  CHECK(x->to_vector<float>()[0] == 2);
}

}  // namespace
}  // namespace cuda_fork
