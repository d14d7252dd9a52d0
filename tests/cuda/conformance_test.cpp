// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The conformance suite on the CUDA device.
#include "conformance/suite.hpp"

AMP_CONFORMANCE(amp::kCUDA, amp::kFloat64, amp::kFloat32, amp::kFloat16, amp::kBFloat16,
                amp::kInt64, amp::kInt32, amp::kBool);
