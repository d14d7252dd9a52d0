// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// amp: automatic mixed precision for C++. This header is the map: the layers, the bottom one first.
// Layers look down only: each includes lower ones. It needs a C++20 compiler and nothing else.
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
#include "amp/optim.hpp"         // SGD, Adam, AdamW, Lion, LAMB, clip_grad_norm_
#include "amp/scaler.hpp"        // GradScaler
#include "amp/precision.hpp"     // initialize, OptLevel
// clang-format on

#if defined(AMP_USE_GDB) && AMP_USE_GDB
#include "amp/debug/gdb.hpp"
#endif
