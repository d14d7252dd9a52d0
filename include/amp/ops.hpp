// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The ops that users call. This holds for all of them:
//
// Errors: an op throws amp::Error that names the op and the argument and says what was expected and
// what was given. No tensor is changed by the failed call.
// Values: on the CPU, an index or target that is out of range throws. On CUDA it does not: its part
// of the result is NaN (0 for integers), and so is the gradient, as the comment of each op says.
// Synchronisation: an op does not wait for the device. item(), to_vector(), printing and copies to
// the CPU do.
// Autocast: the comment of each op names its policy (autocast/op_list.hpp).
//   low precision: floating-point inputs are cast to the dtype of the scope, and the result has it.
//   float32: the op computes in float32, and the result is float32.
//   unchanged (kPassthrough): inputs are not cast; dtypes are those of a call outside of scopes.
// float64 and integers are not cast in any of these, and give what they give outside of scopes.
#pragma once

#include "amp/kernels/onednn/capabilities.hpp"
#include "amp/ops/activation.hpp"
#include "amp/ops/addmm.hpp"
#include "amp/ops/arithmetic.hpp"
#include "amp/ops/attention.hpp"
#include "amp/ops/checkpoint.hpp"
#include "amp/ops/clamp.hpp"
#include "amp/ops/combination.hpp"
#include "amp/ops/comparison.hpp"
#include "amp/ops/conv.hpp"
#include "amp/ops/conv_transpose.hpp"
#include "amp/ops/ctc_loss.hpp"
#include "amp/ops/distance.hpp"
#include "amp/ops/dropout.hpp"
#include "amp/ops/einsum.hpp"
#include "amp/ops/elementary.hpp"
#include "amp/ops/extremum.hpp"
#include "amp/ops/feed_forward.hpp"
#include "amp/ops/grid_sample.hpp"
#include "amp/ops/grids.hpp"
#include "amp/ops/in_place_methods.hpp"
#include "amp/ops/indexing.hpp"
#include "amp/ops/interpolate.hpp"
#include "amp/ops/join.hpp"
#include "amp/ops/loss.hpp"
#include "amp/ops/margin_loss.hpp"
#include "amp/ops/masking.hpp"
#include "amp/ops/matmul.hpp"
#include "amp/ops/matrix_parts.hpp"
#include "amp/ops/methods.hpp"
#include "amp/ops/nan_to_num.hpp"
#include "amp/ops/norm.hpp"
#include "amp/ops/order.hpp"
#include "amp/ops/packed_sequence.hpp"
#include "amp/ops/pointwise_loss.hpp"
#include "amp/ops/pool.hpp"
#include "amp/ops/products.hpp"
#include "amp/ops/random.hpp"
#include "amp/ops/rearrange.hpp"
#include "amp/ops/recurrent.hpp"
#include "amp/ops/reduce.hpp"
#include "amp/ops/rotary_embedding.hpp"
#include "amp/ops/scan.hpp"
#include "amp/ops/scatter.hpp"
#include "amp/ops/search.hpp"
#include "amp/ops/shuffle.hpp"
#include "amp/ops/softmax.hpp"
#include "amp/ops/subscript.hpp"
#include "amp/ops/tensor_members.hpp"
#include "amp/ops/unfold.hpp"
#include "amp/ops/vector_norm.hpp"
#include "amp/ops/views.hpp"
