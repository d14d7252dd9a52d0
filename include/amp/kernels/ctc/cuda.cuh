// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// ctc_loss on CUDA devices. A block walks the steps of a sample, its threads the states of a step;
// then a block writes the gradients of one step of a sample. Lengths are read on the device: if
// they do not fit the tensors, or a label is none, the loss is NaN, and so are the gradients.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "amp/core/math.hpp"
#include "amp/kernels/compute_type.hpp"
#include "amp/kernels/ctc/args.hpp"
#include "amp/kernels/ctc/formula.hpp"
#include "amp/kernels/traversal/cuda/block_reduce.cuh"
#include "amp/kernels/traversal/cuda/elements.cuh"
#include "amp/kernels/traversal/cuda/scratch.cuh"

namespace amp::inline v0::kernels::cuda {

namespace detail {

template <class C>
inline constexpr C kNotANumber = std::numeric_limits<C>::quiet_NaN();

/// Of one sample.
struct CtcPlace {
  CtcStates states;
  std::int64_t first, steps;  // its first label among all, and its length
  bool is_valid;
};

template <class C>
struct CtcOnDevice {
  const C* log_probs;
  const std::int64_t *targets, *input_lengths, *target_lengths;
  std::int64_t steps, samples, classes, labels, most, blank;
  bool padded, zero_infinity;

  explicit CtcOnDevice(const CtcBatch& batch)
      : log_probs(batch.log_probs.as<const C>()),
        targets(batch.targets.as<const std::int64_t>()),
        input_lengths(batch.input_lengths.as<const std::int64_t>()),
        target_lengths(batch.target_lengths.as<const std::int64_t>()),
        steps(batch.steps()),
        samples(batch.samples()),
        classes(batch.classes()),
        labels(batch.targets.numel()),
        most(batch.most_labels()),
        blank(batch.blank),
        padded(batch.is_padded()),
        zero_infinity(batch.zero_infinity) {}

  /// All threads of the block must call it.
  __device__ CtcPlace place(std::int64_t n) const {
    CtcPlace result;
    result.first = n * most;
    if (!padded) {
      double sum = 0;  // exact below 2^53
      for (std::int64_t i = threadIdx.x; i < n; i += blockDim.x) {
        const std::int64_t length = target_lengths[i];
        sum +=
            static_cast<double>(length < 0 ? labels + 1 : length);  // no sample after it is valid
      }
      result.first = static_cast<std::int64_t>(block_sum(sum));
    }
    result.steps = input_lengths[n];
    result.states.labels = targets + result.first;
    result.states.count = target_lengths[n];
    result.states.blank = blank;
    const std::int64_t room = padded ? most : labels - result.first;
    result.is_valid = result.steps >= 0 && result.steps <= steps && result.first >= 0 &&
                      result.states.count >= 0 && result.states.count <= room;
    if (!result.is_valid) return result;
    double wrong = 0;
    for (std::int64_t i = threadIdx.x; i < result.states.count; i += blockDim.x) {
      const std::int64_t label = result.states.labels[i];
      if (label < 0 || label >= classes) wrong = 1;
    }
    result.is_valid = block_max(wrong) == 0;
    return result;
  }
  __device__ const C* probs(std::int64_t n, std::int64_t t) const {
    return log_probs + (t * samples + n) * classes;
  }
  /// The position in a table of row t of the n-th sample.
  __device__ std::int64_t row(const CtcPlace& sample, std::int64_t n, std::int64_t t) const {
    return steps * (2 * sample.first + n) + t * sample.states.size();
  }
};

/// Fills the rows of a sample in a table from the first step to the last, or the other way.
template <bool kForward, class C>
__device__ void walk_ctc(const CtcOnDevice<C>& batch, const CtcPlace& sample, std::int64_t n,
                         C* table) {
  const std::int64_t width = sample.states.size();
  const auto neighbour = [&](const C* row, std::int64_t i, std::int64_t distance) {
    const std::int64_t at = kForward ? i - distance : i + distance;
    return at >= 0 && at < width ? row[at] : kLogOfZero<C>;
  };
  for (std::int64_t step = 0; step < sample.steps; ++step) {
    const std::int64_t t = kForward ? step : sample.steps - 1 - step;
    const C* const probs = batch.probs(n, t);
    C* const to = table + batch.row(sample, n, t);
    const C* const from = step == 0 ? to : table + batch.row(sample, n, kForward ? t - 1 : t + 1);
    for (std::int64_t i = threadIdx.x; i < width; i += blockDim.x) {
      const C log_p = probs[sample.states.label(i)];
      if (step == 0) {
        to[i] = (kForward ? i < 2 : i >= width - 2) ? log_p : kLogOfZero<C>;
      } else {
        const bool skips = sample.states.skips_to(kForward ? i : i + 2);
        to[i] = functions::CtcStep::apply(from[i], neighbour(from, i, 1), neighbour(from, i, 2),
                                          skips ? C{0} : kLogOfZero<C>, log_p);
      }
    }
    __syncthreads();
  }
}

template <class C>
AMP_KERNEL void ctc_alpha_kernel(CtcOnDevice<C> batch, C* alphas, C* nll, C* losses) {
  for (std::int64_t n = blockIdx.x; n < batch.samples; n += gridDim.x) {
    const CtcPlace sample = batch.place(n);
    if (sample.is_valid) walk_ctc<true>(batch, sample, n, alphas);
    if (threadIdx.x != 0) continue;
    C value = kNotANumber<C>;
    if (sample.is_valid) {
      const std::int64_t width = sample.states.size();
      if (sample.steps == 0) {
        value = width == 1 ? C{0} : -kLogOfZero<C>;
      } else {
        const C* const last = alphas + batch.row(sample, n, sample.steps - 1);
        value = -functions::CtcStep::sum(
            last[width - 1], width > 1 ? last[width - 2] : kLogOfZero<C>, kLogOfZero<C>);
      }
    }
    nll[n] = value;
    losses[n] = batch.zero_infinity && is_impossible(value) ? C{0} : value;
  }
}

/// Also links labels that are equal: links[k] is the next one of label k plus 1, or 0 if there is
/// none, and below 0, as -1 - that, if an earlier label is equal.
template <class C>
AMP_KERNEL void ctc_beta_kernel(CtcOnDevice<C> batch, C* betas, std::int64_t* links) {
  for (std::int64_t n = blockIdx.x; n < batch.samples; n += gridDim.x) {
    const CtcPlace sample = batch.place(n);
    if (!sample.is_valid) continue;
    const std::int64_t count = sample.states.count;
    const std::int64_t* const labels = sample.states.labels;
    for (std::int64_t k = threadIdx.x; k < count; k += blockDim.x) {
      std::int64_t next = k + 1, earlier = k - 1;
      while (next < count && labels[next] != labels[k]) ++next;
      while (earlier >= 0 && labels[earlier] != labels[k]) --earlier;
      const std::int64_t link = next < count ? next + 1 : 0;
      links[sample.first + k] = earlier >= 0 ? -1 - link : link;
    }
    walk_ctc<false>(batch, sample, n, betas);
  }
}

template <class C>
AMP_KERNEL void ctc_gradient_kernel(CtcOnDevice<C> batch, const C* alphas, const C* betas,
                                    const std::int64_t* links, const C* nlls, Input grads,
                                    C* grad_log_probs) {
  for (std::int64_t at = blockIdx.x; at < batch.steps * batch.samples; at += gridDim.x) {
    const std::int64_t t = at / batch.samples, n = at % batch.samples;
    const CtcPlace sample = batch.place(n);
    const C nll = nlls[n], grad = load<C>(grads, n);
    C* const to = grad_log_probs + at * batch.classes;
    const bool is_infinite = is_impossible(nll);
    const bool is_zero =
        sample.is_valid && (t >= sample.steps || (is_infinite && batch.zero_infinity));
    if (is_zero || is_infinite || !sample.is_valid) {
      const C value = is_zero ? C{0} : kNotANumber<C>;
      for (std::int64_t c = threadIdx.x; c < batch.classes; c += blockDim.x) to[c] = value;
      continue;
    }
    const C* const probs = batch.probs(n, t);
    const std::int64_t row = batch.row(sample, n, t);
    const auto share = [&](std::int64_t i) {
      return functions::CtcShare::apply(alphas[row + i], betas[row + i],
                                        probs[sample.states.label(i)], nll);
    };
    for (std::int64_t c = threadIdx.x; c < batch.classes; c += blockDim.x)
      to[c] = grad * functions::exp(probs[c]);
    C of_blank = 0;
    for (std::int64_t i = threadIdx.x; i < sample.states.size(); i += blockDim.x) {
      if (sample.states.label(i) == batch.blank) of_blank += share(i);
    }
    of_blank = block_sum(of_blank);
    __syncthreads();  // all classes are written
    if (threadIdx.x == 0) to[batch.blank] = grad * (functions::exp(probs[batch.blank]) - of_blank);
    // The first of several equal labels writes for all of them.
    for (std::int64_t k = threadIdx.x; k < sample.states.count; k += blockDim.x) {
      const std::int64_t label = sample.states.labels[k];
      std::int64_t link = links[sample.first + k];
      if (label == batch.blank || link < 0) continue;
      C sum = share(2 * k + 1);
      while (link != 0) {
        sum += share(2 * (link - 1) + 1);
        link = -1 - links[sample.first + link - 1];
      }
      to[label] = grad * (functions::exp(probs[label]) - sum);
    }
  }
}

/// Threads for the states of a sample.
inline unsigned ctc_threads(const CtcBatch& batch) {
  const std::int64_t states = 2 * batch.most_labels() + 1;
  return static_cast<unsigned>(round_up((std::min)(states, std::int64_t{512}), 32));
}

}  // namespace detail

inline void ctc_loss(const CtcLossArgs& args) {
  visit_float_type(args.batch.log_probs.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    launch(args.nll.device, grid_for(args.batch.samples(), 1), detail::ctc_threads(args.batch),
           detail::ctc_alpha_kernel<C>, detail::CtcOnDevice<C>(args.batch), args.alphas.as<C>(),
           args.nll.as<C>(), args.losses.as<C>());
  });
}

inline void ctc_loss_backward(const CtcLossBackwardArgs& args) {
  visit_float_type(args.batch.log_probs.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    const Device device = args.nll.device;
    const detail::CtcOnDevice<C> batch(args.batch);
    const Scratch<C> betas(device, args.batch.table_size());
    const Scratch<std::int64_t> links(device, (std::max)(batch.labels, std::int64_t{1}));
    launch(device, grid_for(batch.samples, 1), detail::ctc_threads(args.batch),
           detail::ctc_beta_kernel<C>, batch, betas.data(), links.data());
    const std::int64_t widest = (std::max)(batch.classes, batch.most);
    const auto threads = static_cast<unsigned>(round_up((std::min)(widest, std::int64_t{256}), 32));
    launch(device, grid_for(batch.steps * batch.samples, 1), threads,
           detail::ctc_gradient_kernel<C>, batch, args.alphas.as<const C>(), betas.data(),
           links.data(), args.nll.as<const C>(), args.grad, args.grad_log_probs.as<C>());
  });
}

}  // namespace amp::inline v0::kernels::cuda
