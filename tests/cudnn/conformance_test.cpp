// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The conformance suite's convolutions, cuDNN's: the other ops are the same with and without it.
#include <amp/cuda.cuh>

#include "conformance/suite.hpp"

TEST_CASE("cudnn conv2d: conformance", "[conformance]") {
  for (const amp::DType dtype : {amp::kFloat64, amp::kFloat32, amp::kFloat16, amp::kBFloat16}) {
    const std::int64_t before = standin::toolkit().calls_of("cudnnConvolutionBackwardFilter");
    conformance::check_op("conv2d", amp::kCUDA, dtype);
    CHECK(standin::toolkit().calls_of("cudnnConvolutionBackwardFilter") > before);
  }
}
