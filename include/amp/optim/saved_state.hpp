// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// How optimizers are saved and loaded: Optimizer::state_dict and load_state_dict.
#pragma once

#include "amp/optim/optimizer.hpp"

#if AMP_HEADER_ONLY
#include "amp/optim/saved_state.ipp"
#endif
