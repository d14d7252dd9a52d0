// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Optimizers and gradient clipping.
#pragma once

#include "amp/optim/adam.hpp"
#include "amp/optim/clip.hpp"
#include "amp/optim/lamb.hpp"
#include "amp/optim/lion.hpp"
#include "amp/optim/sgd.hpp"
