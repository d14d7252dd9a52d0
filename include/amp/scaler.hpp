// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Loss scaling.
#pragma once

#include "amp/scaler/grad_scaler.hpp"
#include "amp/scaler/plain_optimizer.hpp"
#include "amp/scaler/replay.hpp"
