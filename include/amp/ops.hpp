// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What users call.
#pragma once

#include "amp/ops/activation.hpp"
#include "amp/ops/conv.hpp"
#include "amp/ops/elementwise.hpp"
#include "amp/ops/indexing.hpp"
#include "amp/ops/loss.hpp"
#include "amp/ops/matmul.hpp"
#include "amp/ops/pool.hpp"
#include "amp/ops/reduce.hpp"
#include "amp/ops/softmax.hpp"
#include "amp/ops/tensor_members.hpp"
