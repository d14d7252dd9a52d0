// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Number formats and their run-time names.
#pragma once

#include "amp/types/bfloat16.hpp"
#include "amp/types/cast.hpp"
#include "amp/types/convert.hpp"
#include "amp/types/dtype.hpp"
#include "amp/types/float8.hpp"
#include "amp/types/half.hpp"
#include "amp/types/math.hpp"
#include "amp/types/text.hpp"
