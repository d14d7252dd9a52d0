// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The device of a test, whose kernels another source brings: a GPU (tests/device.cmake sets
// AMP_TEST_GPU), or the stand-in, whose calls can be counted and made to fail. Cases that need the
// latter are skipped on the former.
#pragma once

#include <amp/cuda.hpp>

#if !defined(AMP_TEST_GPU)
#include "support/cuda/standin.hpp"
#endif
