// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// amp: automatic mixed precision for C++. This header includes the modules in layer order, the
// lowest first. Layers look down only: each folder includes only folders of layers below it, which
// come earlier in this list. A C++20 compiler is all that it needs.
#pragma once

// clang-format off
#include "amp/core/error.hpp"    // the one exception
#include "amp/core/version.hpp"  // AMP_VERSION_MAJOR, ...
#include "amp/core/warning.hpp"  // where warnings go
#include "amp/types.hpp"         // half, bfloat16, DType, convert
#include "amp/device.hpp"        // Device, memory_stats, num_threads
#include "amp/tensor.hpp"        // Tensor, Shape, factories
#include "amp/autograd.hpp"      // NoGradGuard, backward
#include "amp/autocast.hpp"      // AutocastGuard, OpPolicy
#include "amp/ops.hpp"           // matmul, conv2d, softmax, cross_entropy, ...
#include "amp/nn.hpp"            // Module, Linear, Sequential, ...
#include "amp/optim.hpp"         // SGD, Adam, AdamW and more, schedules, clipping
#include "amp/scaler.hpp"        // GradScaler
#include "amp/precision.hpp"     // initialize, OptLevel
// clang-format on

#if defined(AMP_USE_GDB) && AMP_USE_GDB
#include "amp/debug/gdb.hpp"
#endif
