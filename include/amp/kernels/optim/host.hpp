// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Optimizer steps: gradient, state and parameter are read once, unscaling, clipping and the skip
// included, in one parallel region over all parameters.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "amp/kernels/optim/args.hpp"
#include "amp/kernels/optim/grad_scale.hpp"
#include "amp/kernels/optim/host/step_loop.hpp"
#include "amp/kernels/traversal/host/chunks.hpp"
#include "amp/kernels/unscale/host.hpp"

namespace amp::inline v0::kernels::host {

namespace detail {

/// From so many parameters on a step passes more memory than a cache keeps until the next forward.
inline constexpr std::int64_t kBeyondCaches = std::int64_t{1} << 22;

inline void* address(void* data, DType dtype, std::int64_t at) {
  return static_cast<char*>(data) + at * item_size(dtype);
}

/// Elements [at, at + n) of a 16-bit array, rounded stochastically.
template <class C>
void store_stochastic(const C* values, void* data, DType dtype, std::int64_t at, std::int64_t n,
                      const RoundingWords& words) {
  const auto store_as = [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* const to = static_cast<T*>(data) + at;
    for (std::int64_t i = 0; i < n; i += 4) {
      const PhiloxBlock block = words.four(at + i);
      for (std::int64_t k = 0; k < 4 && i + k < n; ++k)
        to[i + k] = round_stochastically<T>(values[i + k], block.word[k]);
    }
  };
  if (dtype == kFloat16) {
    store_as(type_tag<half>{});
  } else {
    store_as(type_tag<bfloat16>{});
  }
}

/// The weights of a block, from where they are kept; written back there, to the parameter and its
/// float16 copy.
template <class C, class Parameter>
class Weights {
 public:
  C* values;

  Weights(const Parameter& parameter, const RoundingWords& words, std::int64_t at, std::int64_t n)
      : p_(parameter), words_(words), at_(at), n_(n) {
    const WeightStorage storage = p_.weight.storage;
    if constexpr (std::is_same_v<C, float>) {
      if (is_split(storage)) {
        const auto *const high = split_words(p_.parameter), *const low =
                                                                split_words(p_.weight.rest);
        for (std::int64_t i = 0; i < n_; ++i) buffer_[i] = join(storage, {high[i], low[i]});
        values = buffer_;
        return;
      }
      if (storage == WeightStorage::kMaster) {
        values = static_cast<float*>(address(p_.weight.rest, kFloat32, at_));
        if (!is_rounded_master()) join_masters();
        return;
      }
    }
    values = const_cast<C*>(fetch(address(p_.parameter, p_.dtype, at_), p_.dtype, n_, buffer_));
  }
  Weights(const Weights&) = delete;
  Weights& operator=(const Weights&) = delete;

  void write() const {
    switch (p_.weight.storage) {
      case WeightStorage::kMaster:
        store_in(p_.weight.rest, kFloat32);
        [[fallthrough]];
      case WeightStorage::kParameter:
        store_in(p_.parameter, p_.dtype);
        break;
      case WeightStorage::kStochastic:
        store_stochastic(values, p_.parameter, p_.dtype, at_, n_, words_);
        break;
      case WeightStorage::kRemainder:
      case WeightStorage::kKahan:
        store_split();
        break;
    }
    if (p_.copies.float16 != nullptr) store_in(p_.copies.float16, kFloat16);
  }
  /// Where the step is to write the bfloat16 copy; null where there is none.
  bfloat16* copy() const {
    return p_.copies.bfloat16 != nullptr ? static_cast<bfloat16*>(p_.copies.bfloat16) + at_
                                         : nullptr;
  }

 private:
  std::uint16_t* split_words(void* data) const { return static_cast<std::uint16_t*>(data) + at_; }
  void store_in(void* data, DType dtype) const {
    store(values, address(data, dtype, at_), dtype, n_);
  }
  /// Whether the block of the parameter is that of the master, bit for bit: nobody else wrote it.
  bool is_rounded_master() const {
    alignas(64) unsigned char rounded[kBlock * sizeof(C)];  // the parameter's dtype takes no more
    store(values, rounded, p_.dtype, n_);
    return std::memcmp(rounded, address(p_.parameter, p_.dtype, at_),
                       static_cast<std::size_t>(n_ * item_size(p_.dtype))) == 0;
  }
  void join_masters() {
    const C* const parameters = fetch(address(p_.parameter, p_.dtype, at_), p_.dtype, n_, buffer_);
    for (std::int64_t i = 0; i < n_; ++i)
      buffer_[i] =
          join_master(static_cast<float>(values[i]), static_cast<float>(parameters[i]), p_.dtype);
    values = buffer_;
  }
  void store_split() const {
    auto *const high = split_words(p_.parameter), *const low = split_words(p_.weight.rest);
    for (std::int64_t i = 0; i < n_; ++i) {
      const SplitWeight parts = split(p_.weight.storage, static_cast<float>(values[i]));
      high[i] = parts.parameter;
      low[i] = parts.rest;
    }
  }

  const Parameter& p_;
  const RoundingWords words_;
  const std::int64_t at_, n_;
  C buffer_[kBlock];
};

/// Elements [at, at + n) of the gradient become 0.
template <class Parameter>
void zero_gradient(const Parameter& p, std::int64_t at, std::int64_t n) {
  if (n == 0) return;  // may have no memory
  const std::int64_t size = item_size(p.gradient_dtype);
  std::memset(static_cast<char*>(p.gradient) + at * size, 0, static_cast<std::size_t>(n * size));
}

/// One parameter of a step.
template <class Rule>
struct StepRow {
  const GroupSettings<Rule>* group;
  const OptimizerParameter<Rule>* p;
  double rate;           // of learning
  std::int64_t applied;  // steps before this one
  bool streams = false;  // the copies

  RoundingWords words(RoundingWords::Array array) const {
    return RoundingWords::of(group->seed, p->weight.number, applied, array);
  }
  void* gradient(std::int64_t at) const { return address(p->gradient, p->gradient_dtype, at); }
  void* state(int s, std::int64_t at) const { return address(p->states[s], p->state_dtype, at); }

  template <class C>
  StepLoop<Rule, C> loop(const GradScale& scale) const {
    const std::int64_t step = Rule::kCountsSteps ? *p->step + 1 : 0;
    return {.factor = static_cast<C>(gradient_factor(scale, p->gradient_dtype)),
            .coefficients = group->rule.template coefficients<Rounded<C>>(rate, step),
            .has_states = group->rule.keeps_states(),
            .streams = streams};
  }
};

/// Elements [at, at + n), at most a block.
template <class Rule, class C>
void step_block(const StepRow<Rule>& row, const StepLoop<Rule, C>& loop, std::int64_t at,
                std::int64_t n) {
  const OptimizerParameter<Rule>& p = *row.p;
  C grad_buffer[kBlock];
  const C* const g = fetch(row.gradient(at), p.gradient_dtype, n, grad_buffer);
  Weights<C, OptimizerParameter<Rule>> w(p, row.words(RoundingWords::kWeights), at, n);
  C buffers[Rule::kStates][kBlock], *states[Rule::kStates] = {};
  for (int s = 0; s < Rule::kStates && loop.keeps_states(); ++s)
    states[s] = const_cast<C*>(fetch(row.state(s, at), p.state_dtype, n, buffers[s]));
  loop.run(g, w.values, states, w.copy(), n);
  w.write();
  const bool stochastic = row.group->stochastic_state && p.state_dtype == kBFloat16;
  for (int s = 0; s < Rule::kStates && loop.keeps_states(); ++s) {
    if (s == Rule::kStochasticState && stochastic) {
      store_stochastic(states[s], p.states[s], kBFloat16, at, n, row.words(RoundingWords::kState));
    } else {
      store(states[s], row.state(s, at), p.state_dtype, n);
    }
  }
}

template <class C, class Rule>
void step_chunk(const StepRow<Rule>& row, const GradScale& scale, std::int64_t begin,
                std::int64_t end) {
  const StepLoop<Rule, C> loop = row.template loop<C>(scale);
  for (std::int64_t at = begin; at < end; at += kBlock) {
    const std::int64_t n = (std::min)(kBlock, end - at);
    step_block(row, loop, at, n);
    if (row.group->zero_grad) zero_gradient(*row.p, at, n);
  }
}

}  // namespace detail

/// A step of all groups, or, where it is left out, what then remains to be done.
template <class Rule>
void optimizer_step(const OptimizerArgs<Rule>& args) {
  const bool skip = skipped(args.scale);
  std::int64_t count = 0;
  for (std::int64_t g = 0; g < args.count; ++g) count += args.groups[g].count;
  const HostBuffer<detail::StepRow<Rule>> rows(count);
  count = 0;
  for (std::int64_t g = 0; g < args.count; ++g) {
    const OptimizerGroup<Rule>& group = args.groups[g];
    const double rate = scheduled_rate(group.settings.lr, *args.applied);
    for (std::int64_t i = 0; i < group.count; ++i)
      rows[count++] = {&group.settings, group.parameters + i, rate, *args.applied};
  }
  const detail::Chunks chunks(count, [&](std::int64_t i) { return rows[i].p->numel; });
  const bool streams = chunks.elements() >= detail::kBeyondCaches;
  for (std::int64_t i = 0; i < count; ++i) rows[i].streams = streams;
  chunks.for_each([&](std::int64_t i, std::int64_t, std::int64_t begin, std::int64_t end) {
    const detail::StepRow<Rule>& row = rows[i];
    if (skip) {
      if (row.group->zero_grad) detail::zero_gradient(*row.p, begin, end - begin);
      return;
    }
    if (row.p->dtype == kFloat64) {
      detail::step_chunk<double>(row, args.scale, begin, end);
    } else {
      detail::step_chunk<float>(row, args.scale, begin, end);
    }
    if (streams) detail::fence_streams();
  });
  if (skip) return;
  for (std::int64_t i = 0; Rule::kCountsSteps && i < count; ++i) ++*rows[i].p->step;
  ++*args.applied;
}

}  // namespace amp::inline v0::kernels::host
