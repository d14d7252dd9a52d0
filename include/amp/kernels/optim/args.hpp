// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The arguments of optimizer steps over many tensors: one call, so that a device can do it in one
// launch.
#pragma once

#include <cstdint>

#include "amp/kernels/operand.hpp"
#include "amp/kernels/optim/grad_scale.hpp"
#include "amp/kernels/optim/schedule.hpp"
#include "amp/kernels/optim/weight_storage.hpp"
#include "amp/kernels/traversal/kept_table.hpp"

namespace amp::inline v0::kernels {

/// Copies of a weight that a step keeps equal to it, rounded. Null where there is none.
struct LowPrecisionCopies {
  void* float16 = nullptr;
  void* bfloat16 = nullptr;

  friend bool operator==(const LowPrecisionCopies&, const LowPrecisionCopies&) = default;
};

struct SgdParameter {
  void* parameter;
  void* gradient;
  void* momentum;  // null where the momentum is 0
  std::int64_t numel;
  DType dtype;           // of the parameter
  DType gradient_dtype;  // of the gradient
  LowPrecisionCopies copies = {};
  DType state_dtype = dtype;  // of the momentum
  StoredWeight weight = {};

  friend bool operator==(const SgdParameter&, const SgdParameter&) = default;
};
struct SgdGroup {
  const SgdParameter* parameters = nullptr;
  std::int64_t count = 0;
  LearningRate lr;
  double momentum, weight_decay;
  bool nesterov;
  bool zero_grad = false;  // gradients are 0 afterwards, those of a step left out as well
  std::uint64_t seed = 0;  // of what is rounded stochastically
};
/// A step of all groups, taken whole: where the kernel throws, nothing was written.
struct SgdArgs {
  Device device;
  const SgdGroup* groups;
  std::int64_t count;
  std::int64_t* applied;  // on the device: the steps taken before, to which this one is added
  GradScale scale;
  KeptTable* table = nullptr;
};

struct AdamParameter {
  void* parameter;
  void* gradient;
  void *exp_avg, *exp_avg_sq;
  std::int64_t* step;  // applied steps of this parameter, to which this one is added
  std::int64_t numel;
  DType dtype;
  DType gradient_dtype;
  LowPrecisionCopies copies = {};
  DType state_dtype = dtype;  // of both moments
  StoredWeight weight = {};

  friend bool operator==(const AdamParameter&, const AdamParameter&) = default;
};
struct AdamGroup {
  const AdamParameter* parameters = nullptr;
  std::int64_t count = 0;
  LearningRate lr;
  double beta1, beta2, eps, weight_decay;
  bool decoupled;  // AdamW
  bool zero_grad = false;
  bool stochastic_squares = false;  // rounds exp_avg_sq so, where that is bfloat16
  std::uint64_t seed = 0;
};
/// As SgdArgs.
struct AdamArgs {
  Device device;
  const AdamGroup* groups;
  std::int64_t count;
  std::int64_t* applied;
  GradScale scale;
  KeptTable* table = nullptr;
};

}  // namespace amp::inline v0::kernels
