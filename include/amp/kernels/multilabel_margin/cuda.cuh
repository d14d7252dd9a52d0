// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// multilabel_margin_loss on CUDA devices, a block for each sample. A target out of range makes the
// loss and the gradient of its sample NaN.
#pragma once

#include <cstdint>
#include <limits>

#include "amp/kernels/compute_type.hpp"
#include "amp/kernels/multilabel_margin/args.hpp"
#include "amp/kernels/multilabel_margin/formula.hpp"
#include "amp/kernels/traversal/cuda/block_reduce.cuh"
#include "amp/kernels/traversal/cuda/elements.cuh"
#include "amp/kernels/traversal/cuda/scratch.cuh"

namespace amp::inline v0::kernels::cuda {

namespace detail {

template <class C>
struct MultilabelBatch {
  const C* scores;
  const std::int64_t* targets;
  std::uint8_t* is_target;  // of all samples
  std::int64_t samples, classes;
  C not_a_number = std::numeric_limits<C>::quiet_NaN();
};

/// Calls body(n, sample, whether its targets are in range) for the samples of this block.
template <class C, class Body>
__device__ void for_multilabel_samples(const MultilabelBatch<C>& batch, const Body& body) {
  const std::int64_t classes = batch.classes;
  for (std::int64_t n = blockIdx.x; n < batch.samples; n += gridDim.x) {
    const std::int64_t* const targets = batch.targets + n * classes;
    std::uint8_t* const is_target = batch.is_target + n * classes;
    double count = static_cast<double>(classes);
    for (std::int64_t k = threadIdx.x; k < classes; k += blockDim.x) {
      is_target[k] = 0;
      if (targets[k] == -1 && static_cast<double>(k) < count) count = static_cast<double>(k);
    }
    MultilabelMargin<C> sample{batch.scores + n * classes, targets, is_target, classes,
                               static_cast<std::int64_t>(block_min(count))};
    __syncthreads();
    double wrong = 0;
    for (std::int64_t k = threadIdx.x; k < sample.count; k += blockDim.x) {
      if (targets[k] < 0 || targets[k] >= classes)
        wrong = 1;
      else
        store_by_many(is_target + targets[k], 1);
    }
    wrong = block_max(wrong);
    __syncthreads();
    body(n, sample, wrong == 0);
  }
}

template <class C>
AMP_KERNEL void multilabel_margin_kernel(MultilabelBatch<C> batch, C* losses) {
  for_multilabel_samples(batch, [&](std::int64_t n, const MultilabelMargin<C>& sample, bool valid) {
    double sum = 0;
    for (std::int64_t c = threadIdx.x; valid && c < sample.classes; c += blockDim.x)
      sum += static_cast<double>(sample.terms(c));
    sum = block_sum(sum) / static_cast<double>(sample.classes);
    if (threadIdx.x == 0) losses[n] = valid ? static_cast<C>(sum) : batch.not_a_number;
  });
}

template <class C>
AMP_KERNEL void multilabel_margin_backward_kernel(MultilabelBatch<C> batch, const C* grads,
                                                  C* grad_input) {
  for_multilabel_samples(batch, [&](std::int64_t n, const MultilabelMargin<C>& sample, bool valid) {
    const C share = grads[n] / static_cast<C>(sample.classes);
    for (std::int64_t c = threadIdx.x; c < sample.classes; c += blockDim.x)
      grad_input[n * sample.classes + c] =
          valid ? share * static_cast<C>(sample.slope(c)) : batch.not_a_number;
  });
}

/// Runs body(batch), in which it launches on the samples of `input`.
template <class Body>
void with_multilabel_batch(const Operand& input, const Operand& targets, const Body& body) {
  const Scratch<std::uint8_t> is_target(input.device, targets.numel());
  visit_float_type(input.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    body(MultilabelBatch<C>{input.as<const C>(), targets.as<const std::int64_t>(), is_target.data(),
                            input.sizes[0], input.sizes[1]},
         tag);
  });
}

}  // namespace detail

inline void multilabel_margin(const MultilabelMarginArgs& args) {
  detail::with_multilabel_batch(args.input, args.targets, [&](const auto& batch, auto tag) {
    using C = typename decltype(tag)::type;
    launch(args.input.device, grid_for(batch.samples, 1), kThreads,
           detail::multilabel_margin_kernel<C>, batch, args.losses.as<C>());
  });
}

inline void multilabel_margin_backward(const MultilabelMarginBackwardArgs& args) {
  detail::with_multilabel_batch(args.input, args.targets, [&](const auto& batch, auto tag) {
    using C = typename decltype(tag)::type;
    launch(args.input.device, grid_for(batch.samples, 1), kThreads,
           detail::multilabel_margin_backward_kernel<C>, batch, args.grad.as<const C>(),
           args.grad_input.as<C>());
  });
}

}  // namespace amp::inline v0::kernels::cuda
