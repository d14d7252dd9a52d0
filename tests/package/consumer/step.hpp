// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <amp/amp.hpp>

/// One mixed-precision training step; the loss before it. Defined in another unit than main.
double training_step(amp::Tensor& weight, amp::GradScaler& scaler);
