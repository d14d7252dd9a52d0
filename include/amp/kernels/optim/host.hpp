// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Optimizer steps: gradient, state and parameter are read once, unscaling, clipping and the skip
// included, in one parallel region over all parameters.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "amp/kernels/optim/args.hpp"
#include "amp/kernels/optim/grad_scale.hpp"
#include "amp/kernels/optim/host/step_loops.hpp"
#include "amp/kernels/traversal/host/chunks.hpp"
#include "amp/kernels/unscale/host.hpp"

namespace amp::inline v0::kernels::host {

namespace detail {

/// From so many parameters on a step passes more memory than a cache keeps until the next forward.
inline constexpr std::int64_t kBeyondCaches = std::int64_t{1} << 22;

inline void* address(void* data, DType dtype, std::int64_t at) {
  return static_cast<char*>(data) + at * item_size(dtype);
}

/// n elements that are read, changed and written back.
template <class C>
class Updated {
 public:
  C* values;

  Updated(void* data, DType dtype, std::int64_t n)
      : values(const_cast<C*>(fetch(data, dtype, n, buffer_))), data_(data), dtype_(dtype), n_(n) {}
  Updated(const Updated&) = delete;
  Updated& operator=(const Updated&) = delete;
  void write() const { store(values, data_, dtype_, n_); }

 private:
  void* data_;
  DType dtype_;
  std::int64_t n_;
  C buffer_[kBlock];
};

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

/// One parameter of a step, and what follows from its group and the counts.
template <class Kind>
struct StepRow {
  const typename Kind::Group* group;
  const typename Kind::Parameter* p;
  double rate, factor;  // of the gradient
  typename Kind::Numbers numbers;
  std::int64_t applied;  // steps before this one
  bool streams = false;  // the copies

  RoundingWords words(RoundingWords::Array array) const {
    return RoundingWords::of(group->seed, p->weight.number, applied, array);
  }
  void* gradient(std::int64_t at) const { return address(p->gradient, p->gradient_dtype, at); }
  void* state(void* data, std::int64_t at) const { return address(data, p->state_dtype, at); }
};

struct Sgd {
  using Group = SgdGroup;
  using Parameter = SgdParameter;
  struct Numbers {};

  static Numbers numbers(const Group&, const Parameter&, double) { return {}; }
  static void count(const Parameter&) {}

  template <class C>
  static void take(const StepRow<Sgd>& row, std::int64_t at, std::int64_t n) {
    const Parameter& p = *row.p;
    const SgdLoop<C> loop{.factor = static_cast<C>(row.factor),
                          .rate = static_cast<C>(row.rate),
                          .momentum = static_cast<C>(row.group->momentum),
                          .decay = static_cast<C>(row.group->weight_decay),
                          .nesterov = row.group->nesterov,
                          .streams = row.streams};
    C grad_buffer[kBlock];
    const C* const g = fetch(row.gradient(at), p.gradient_dtype, n, grad_buffer);
    Weights<C, Parameter> w(p, row.words(RoundingWords::kWeights), at, n);
    if (p.momentum != nullptr) {
      Updated<C> v(row.state(p.momentum, at), p.state_dtype, n);
      loop.run(g, w.values, v.values, w.copy(), n);
      v.write();
    } else {
      loop.run(g, w.values, nullptr, w.copy(), n);
    }
    w.write();
  }
};

struct Adam {
  using Group = AdamGroup;
  using Parameter = AdamParameter;
  struct Numbers {
    double step_size, eps, shrink;  // both sides of the quotient times sqrt(1 - beta2^t)
  };

  static Numbers numbers(const Group& group, const Parameter& p, double rate) {
    const auto step = static_cast<double>(*p.step + 1);
    const double root_correction = std::sqrt(1 - std::pow(group.beta2, step));
    return {rate / (1 - std::pow(group.beta1, step)) * root_correction, group.eps * root_correction,
            1 - rate * group.weight_decay};
  }
  static void count(const Parameter& p) { ++*p.step; }

  template <class C>
  static void take(const StepRow<Adam>& row, std::int64_t at, std::int64_t n) {
    const Parameter& p = *row.p;
    const Group& group = *row.group;
    const AdamLoop<C> loop{.factor = static_cast<C>(row.factor),
                           .step_size = static_cast<C>(row.numbers.step_size),
                           .eps = static_cast<C>(row.numbers.eps),
                           .shrink = static_cast<C>(row.numbers.shrink),
                           .weight1 = static_cast<C>(1 - group.beta1),
                           .weight2 = static_cast<C>(1 - group.beta2),
                           .beta2 = static_cast<C>(group.beta2),
                           .decay = static_cast<C>(group.weight_decay),
                           .decoupled = group.decoupled,
                           .streams = row.streams};
    C grad_buffer[kBlock];
    const C* const g = fetch(row.gradient(at), p.gradient_dtype, n, grad_buffer);
    Weights<C, Parameter> w(p, row.words(RoundingWords::kWeights), at, n);
    Updated<C> m(row.state(p.exp_avg, at), p.state_dtype, n),
        v(row.state(p.exp_avg_sq, at), p.state_dtype, n);
    loop.run(g, w.values, m.values, v.values, w.copy(), n);
    w.write();
    m.write();
    if (group.stochastic_squares && p.state_dtype == kBFloat16) {
      store_stochastic(v.values, p.exp_avg_sq, kBFloat16, at, n,
                       row.words(RoundingWords::kSquares));
    } else {
      v.write();
    }
  }
};

template <class Kind>
void step_chunk(const StepRow<Kind>& row, std::int64_t begin, std::int64_t end) {
  for (std::int64_t at = begin; at < end; at += kBlock) {
    const std::int64_t n = (std::min)(kBlock, end - at);
    if (row.p->dtype == kFloat64) {
      Kind::template take<double>(row, at, n);
    } else {
      Kind::template take<float>(row, at, n);
    }
    if (row.group->zero_grad) zero_gradient(*row.p, at, n);
  }
}

/// A step of all groups, or, where it is left out, what then remains to be done.
template <class Kind, class Args>
void take_step(const Args& args) {
  const bool skip = skipped(args.scale);
  std::int64_t count = 0;
  for (std::int64_t g = 0; g < args.count; ++g) count += args.groups[g].count;
  const HostBuffer<StepRow<Kind>> rows(count);
  count = 0;
  for (std::int64_t g = 0; g < args.count; ++g) {
    const auto& group = args.groups[g];
    const double rate = scheduled_rate(group.lr, *args.applied);
    for (std::int64_t i = 0; i < group.count; ++i) {
      const auto& p = group.parameters[i];
      rows[count++] = {&group,
                       &p,
                       rate,
                       gradient_factor(args.scale, p.gradient_dtype),
                       Kind::numbers(group, p, rate),
                       *args.applied};
    }
  }
  const Chunks chunks(count, [&](std::int64_t i) { return rows[i].p->numel; });
  const bool streams = chunks.elements() >= kBeyondCaches;
  for (std::int64_t i = 0; i < count; ++i) rows[i].streams = streams;
  chunks.for_each([&](std::int64_t i, std::int64_t, std::int64_t begin, std::int64_t end) {
    if (!skip) {
      step_chunk(rows[i], begin, end);
      if (streams) fence_streams();
    } else if (rows[i].group->zero_grad) {
      zero_gradient(*rows[i].p, begin, end - begin);
    }
  });
  if (skip) return;
  for (std::int64_t i = 0; i < count; ++i) Kind::count(*rows[i].p);
  ++*args.applied;
}

}  // namespace detail

inline void sgd(const SgdArgs& args) { detail::take_step<detail::Sgd>(args); }
inline void adam(const AdamArgs& args) { detail::take_step<detail::Adam>(args); }

}  // namespace amp::inline v0::kernels::host
