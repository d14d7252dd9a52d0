// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What users call.
#pragma once

#include "amp/kernels/onednn/capabilities.hpp"
#include "amp/ops/activation.hpp"
#include "amp/ops/arithmetic.hpp"
#include "amp/ops/attention.hpp"
#include "amp/ops/checkpoint.hpp"
#include "amp/ops/comparison.hpp"
#include "amp/ops/conv.hpp"
#include "amp/ops/dropout.hpp"
#include "amp/ops/elementary.hpp"
#include "amp/ops/extremum.hpp"
#include "amp/ops/feed_forward.hpp"
#include "amp/ops/indexing.hpp"
#include "amp/ops/join.hpp"
#include "amp/ops/loss.hpp"
#include "amp/ops/matmul.hpp"
#include "amp/ops/norm.hpp"
#include "amp/ops/pool.hpp"
#include "amp/ops/reduce.hpp"
#include "amp/ops/softmax.hpp"
#include "amp/ops/tensor_members.hpp"
