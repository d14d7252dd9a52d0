// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Opt levels: a model and its optimizer made to train at a precision, in one call.
#pragma once

#include "amp/precision/initialize.hpp"
#include "amp/precision/opt_level.hpp"
