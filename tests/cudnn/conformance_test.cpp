// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The conformance suite's convolutions, cuDNN's: the other ops are the same with and without it.
#include "conformance/suite.hpp"
#include "cuda/device.hpp"

namespace cudnn_conformance {
namespace {

#if !defined(AMP_TEST_GPU)
std::int64_t calls() { return standin::toolkit().calls_of("cudnnConvolutionBackwardFilter"); }
#endif

}  // namespace

TEST_CASE("cudnn conv2d: conformance", "[conformance]") {
  for (const amp::DType dtype : {amp::kFloat64, amp::kFloat32, amp::kFloat16, amp::kBFloat16}) {
#if !defined(AMP_TEST_GPU)
    const std::int64_t before = calls();
#endif
    conformance::check_op("conv2d", amp::kCUDA, dtype);
#if !defined(AMP_TEST_GPU)
    CHECK(calls() > before);
#endif
  }
}

}  // namespace cudnn_conformance
