// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Autocast: the precision in which each op runs.
#pragma once

#include "amp/autocast/call.hpp"
#include "amp/autocast/custom_function.hpp"
#include "amp/autocast/op_list.hpp"
#include "amp/autocast/policies.hpp"
#include "amp/autocast/state.hpp"
