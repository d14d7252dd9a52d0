// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Mixed precision for programs that use libtorch: amp::GradScaler takes losses that are
// torch::Tensors and any torch::optim::Optimizer, and amp::libtorch::AutocastGuard opens a scope of
// torch's autocast. Needs libtorch 1.13 or newer; not part of amp.hpp.
#pragma once

#include "amp/core/config.hpp"  // says what is needed before torch's headers do

#if !__has_include(<torch/torch.h>)
#error "amp/libtorch.hpp needs libtorch, 1.13 or newer (Debian: libtorch-dev)"
#endif

#include "amp/interop/libtorch/autocast.hpp"         // AutocastGuard, AutocastState
#include "amp/interop/libtorch/convert.hpp"          // devices, dtypes and memory
#include "amp/interop/libtorch/fused_optimizer.hpp"  // Adam, AdamW, SGD
#include "amp/interop/libtorch/scaler.hpp"  // GradScaler with torch's losses and optimizers
#include "amp/scaler/grad_scaler.hpp"
