// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Optimizer steps: gradient, state and parameter are read once, unscaling, clipping and the skip
// included, and the copy of the weight that autocast uses is written with it. One launch steps all
// parameters and advances the counts; what it reads is in place before. So whatever can fail comes
// before the first write. Formulas as in optim/sgd.hpp and optim/adam.hpp; the expressions are the
// host's, operation by operation.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "amp/kernels/functions.hpp"
#include "amp/kernels/optim/args.hpp"
#include "amp/kernels/optim/grad_scale.hpp"
#include "amp/kernels/traversal/cuda/device_list.cuh"
#include "amp/kernels/traversal/cuda/pieces.cuh"

namespace amp::inline v0::kernels::cuda {

/// The rules of a group; the numbers of a parameter's step, which follow from them and the counts;
/// and where a step begins and ends for one parameter.
struct Sgd {
  struct Rule {
    LearningRate lr;
    double momentum, weight_decay;
    std::uint64_t seed;
    bool nesterov, zero_grad;

    friend bool operator==(const Rule&, const Rule&) = default;
  };
  struct Numbers {
    double rate;
  };

  static Rule rule_of(const SgdGroup& group) {
    return {group.lr,   group.momentum, group.weight_decay,
            group.seed, group.nesterov, group.zero_grad};
  }
  static bool plain(const SgdGroup& group) { return !group.zero_grad; }
  static bool vectors(const SgdParameter& p) {
    return p.momentum == nullptr || is_aligned_for_vectors(p.momentum, p.state_dtype);
  }
  __device__ static Numbers numbers(const Rule&, const SgdParameter&, double rate) {
    return {rate};
  }
  __device__ static void count(const SgdParameter&) {}
};

struct Adam {
  struct Rule {
    LearningRate lr;
    double beta1, beta2, eps, weight_decay;
    std::uint64_t seed;
    bool decoupled, zero_grad, stochastic_squares;

    friend bool operator==(const Rule&, const Rule&) = default;
  };
  struct Numbers {
    double step_size, eps, shrink;  // both sides of the quotient times sqrt(1 - beta2^t)
  };

  static Rule rule_of(const AdamGroup& group) {
    return {group.lr,        group.beta1,        group.beta2,
            group.eps,       group.weight_decay, group.seed,
            group.decoupled, group.zero_grad,    group.stochastic_squares};
  }
  static bool plain(const AdamGroup& group) {
    return !group.zero_grad && !group.stochastic_squares;
  }
  static bool vectors(const AdamParameter& p) {
    return is_aligned_for_vectors(p.exp_avg, p.state_dtype) &&
           is_aligned_for_vectors(p.exp_avg_sq, p.state_dtype);
  }
  __device__ static Numbers numbers(const Rule& rule, const AdamParameter& p, double rate) {
    const auto step = static_cast<double>(*p.step + 1);
    const double root_correction =
        functions::math::sqrt(1 - functions::math::pow(rule.beta2, step));
    return {rate / (1 - functions::math::pow(rule.beta1, step)) * root_correction,
            rule.eps * root_correction, 1 - rate * rule.weight_decay};
  }
  __device__ static void count(const AdamParameter& p) { ++*p.step; }
};

/// Whether a step has no more to do than the update itself. Steps that have are compiled apart:
/// what they need in registers would cost the others.
enum class StepKind : std::uint8_t { kPlain, kStored };

/// N 16-bit words from i on.
template <int N>
__device__ __forceinline__ void load_bits(const void* data, std::int64_t i,
                                          std::uint16_t (&bits)[N]) {
  const std::uint16_t* const from = static_cast<const std::uint16_t*>(data) + i;
  if constexpr (N == 1) {
    bits[0] = *from;
  } else {
    const auto pack = load_pack<std::uint16_t, N>(from);
    for (int l = 0; l < N; ++l) bits[l] = pack.element[l];
  }
}
template <int N>
__device__ __forceinline__ void store_bits(void* data, std::int64_t i,
                                           const std::uint16_t (&bits)[N]) {
  std::uint16_t* const to = static_cast<std::uint16_t*>(data) + i;
  if constexpr (N == 1) {
    *to = bits[0];
  } else {
    Pack<std::uint16_t, N> pack;
    for (int l = 0; l < N; ++l) pack.element[l] = bits[l];
    store_pack(to, pack);
  }
}
template <class T, class C, int N>
__device__ __forceinline__ void store_stochastic(void* data, std::int64_t i, const C (&values)[N],
                                                 const RoundingWords& words) {
  std::uint32_t random[N];
  words.get(i, random);
  std::uint16_t bits[N];
  for (int l = 0; l < N; ++l) bits[l] = round_stochastically<T>(values[l], random[l]).bits();
  store_bits(data, i, bits);
}

template <class C, class Parameter, int N>
__device__ __forceinline__ void load_split(const Parameter& p, std::int64_t i, C (&weights)[N]) {
  std::uint16_t high[N], low[N];
  load_bits(p.parameter, i, high);
  load_bits(p.weight.rest, i, low);
  for (int l = 0; l < N; ++l) weights[l] = join(p.weight.storage, {high[l], low[l]});
}
template <class C, class Parameter, int N>
__device__ __forceinline__ void store_split(const Parameter& p, std::int64_t i,
                                            const C (&weights)[N]) {
  std::uint16_t high[N], low[N];
  for (int l = 0; l < N; ++l) {
    const SplitWeight parts = split(p.weight.storage, static_cast<float>(weights[l]));
    high[l] = parts.parameter;
    low[l] = parts.rest;
  }
  store_bits(p.parameter, i, high);
  store_bits(p.weight.rest, i, low);
}

/// The weights, from where they are kept.
template <StepKind kKind, class C, class Parameter, int N>
__device__ __forceinline__ void load_weights(const Parameter& p, std::int64_t i, C (&weights)[N]) {
  if constexpr (kKind == StepKind::kStored && std::is_same_v<C, float>) {
    if (p.weight.storage == WeightStorage::kMaster) {
      C parameters[N];
      load_some(p.parameter, p.dtype, i, parameters);
      load_some(p.weight.rest, kFloat32, i, weights);
      for (int l = 0; l < N; ++l) weights[l] = join_master(weights[l], parameters[l], p.dtype);
      return;
    }
    if (is_split(p.weight.storage)) return load_split(p, i, weights);
  }
  load_some(p.parameter, p.dtype, i, weights);
}
/// The new weights, and their copies.
template <StepKind kKind, class C, class Parameter, int N>
__device__ __forceinline__ void store_weights(const Parameter& p, std::int64_t i,
                                              const C (&weights)[N], std::uint64_t seed,
                                              std::int64_t applied) {
  if constexpr (kKind == StepKind::kStored && std::is_same_v<C, float>) {
    const WeightStorage storage = p.weight.storage;
    if (is_split(storage)) return store_split(p, i, weights);
    if (storage == WeightStorage::kStochastic) {
      const auto words = RoundingWords::of(seed, p.weight.number, applied, RoundingWords::kWeights);
      if (p.dtype == kFloat16) return store_stochastic<half>(p.parameter, i, weights, words);
      return store_stochastic<bfloat16>(p.parameter, i, weights, words);
    }
    if (storage == WeightStorage::kMaster) store_some(p.weight.rest, kFloat32, i, weights);
  }
  store_some(p.parameter, p.dtype, i, weights);
  if (p.copies.float16 != nullptr) store_some(p.copies.float16, kFloat16, i, weights);
  if (p.copies.bfloat16 != nullptr) store_some(p.copies.bfloat16, kBFloat16, i, weights);
}
template <class C, int N, class Parameter>
__device__ __forceinline__ void zero_gradient(const Parameter& p, std::int64_t i) {
  const C zeros[N] = {};
  store_some(p.gradient, p.gradient_dtype, i, zeros);
}

// Below, gradients are loaded last: those of 16 bits are converted as soon as they arrive, and
// nothing else should wait for that. Rows come by value: what is stored might be a row, for all
// that the compiler knows.

template <StepKind kKind, class C>
__device__ void step_piece(const SgdParameter p, bool vectors, const Sgd::Rule& rule,
                           const Sgd::Numbers& numbers, Range range, const GradScale& scale,
                           std::int64_t applied) {
  const C factor = static_cast<C>(gradient_factor(scale, p.gradient_dtype));
  const C lr = static_cast<C>(numbers.rate), mu = static_cast<C>(rule.momentum),
          decay = static_cast<C>(rule.weight_decay);
  const bool nesterov = rule.nesterov;
  for_each_vector<C>(vectors, range, [&](auto size, std::int64_t i) {
    constexpr int N = decltype(size)::value;
    C w[N], v[N], g[N];
    load_weights<kKind>(p, i, w);
    if (p.momentum != nullptr) load_some(p.momentum, p.state_dtype, i, v);
    load_some(p.gradient, p.gradient_dtype, i, g);
    for (int l = 0; l < N; ++l) {
      C step = g[l] * factor + (decay != 0 ? decay * w[l] : C{0});
      if (p.momentum != nullptr) {
        v[l] = mu * v[l] + step;
        step = nesterov ? step + mu * v[l] : v[l];
      }
      w[l] = w[l] - lr * step;
    }
    if (p.momentum != nullptr) store_some(p.momentum, p.state_dtype, i, v);
    store_weights<kKind>(p, i, w, rule.seed, applied);
    if (kKind == StepKind::kStored && rule.zero_grad) zero_gradient<C, N>(p, i);
  });
}

template <StepKind kKind, class C>
__device__ void step_piece(const AdamParameter p, bool vectors, const Adam::Rule& rule,
                           const Adam::Numbers& numbers, Range range, const GradScale& scale,
                           std::int64_t applied) {
  const C factor = static_cast<C>(gradient_factor(scale, p.gradient_dtype));
  const C step_size = static_cast<C>(numbers.step_size);
  const C weight1 = static_cast<C>(1 - rule.beta1), weight2 = static_cast<C>(1 - rule.beta2);
  const C beta2 = static_cast<C>(rule.beta2), eps = static_cast<C>(numbers.eps),
          decay = static_cast<C>(rule.weight_decay);
  const C shrink = static_cast<C>(numbers.shrink);
  // Without a decay no weight gets into a gradient: 0 times an infinite one would be NaN.
  const bool decoupled = rule.decoupled, coupled = !decoupled && decay != 0;
  for_each_vector<C>(vectors, range, [&](auto size, std::int64_t i) {
    constexpr int N = decltype(size)::value;
    C w[N], m[N], v[N], g[N];
    load_weights<kKind>(p, i, w);
    load_some(p.exp_avg, p.state_dtype, i, m);
    load_some(p.exp_avg_sq, p.state_dtype, i, v);
    load_some(p.gradient, p.gradient_dtype, i, g);
    for (int l = 0; l < N; ++l) {
      if (decoupled) w[l] *= shrink;
      const C grad = g[l] * factor + (coupled ? decay * w[l] : C{0});
      m[l] += weight1 * (grad - m[l]);
      v[l] = beta2 * v[l] + weight2 * grad * grad;
      w[l] -= step_size * m[l] / (functions::math::sqrt(v[l]) + eps);
    }
    store_some(p.exp_avg, p.state_dtype, i, m);
    if (kKind == StepKind::kStored && rule.stochastic_squares && p.state_dtype == kBFloat16) {
      const auto words =
          RoundingWords::of(rule.seed, p.weight.number, applied, RoundingWords::kSquares);
      store_stochastic<bfloat16>(p.exp_avg_sq, i, v, words);
    } else {
      store_some(p.exp_avg_sq, p.state_dtype, i, v);
    }
    store_weights<kKind>(p, i, w, rule.seed, applied);
    if (kKind == StepKind::kStored && rule.zero_grad) zero_gradient<C, N>(p, i);
  });
}

template <class Parameter>
__device__ void zero_piece(const Parameter p, bool vectors, Range range) {
  for_each_vector<float>(vectors, range, [&](auto size, std::int64_t i) {
    zero_gradient<float, decltype(size)::value>(p, i);
  });
}

/// A parameter, the number of its first piece and of its group, and whether all its arrays may be
/// taken in vectors.
template <class Parameter>
struct StepRow {
  Parameter p;
  std::int64_t first_piece;
  std::int32_t group;
  bool vectors;

  AMP_HOST_DEVICE std::int64_t numel() const { return p.numel; }
  friend bool operator==(const StepRow&, const StepRow&) = default;
};

template <class Kind, class Group>
struct StepTable final : KeptTable::Contents {
  using Row = StepRow<std::remove_cvref_t<decltype(*Group::parameters)>>;
  using Rule = typename Kind::Rule;

  explicit StepTable(Device where) : device(where), rows(where), rules(where), arrived(where) {}

  void send(const Group* groups, std::int64_t n) {
    next_rows.clear();
    next_rules.clear();
    pieces = 0;
    kind = StepKind::kPlain;
    for (std::int64_t g = 0; g < n; ++g) {
      next_rules.push_back(Kind::rule_of(groups[g]));
      if (!Kind::plain(groups[g])) kind = StepKind::kStored;
      for (std::int64_t i = 0; i < groups[g].count; ++i) {
        const auto& p = groups[g].parameters[i];
        const bool vectors = p.dtype != kFloat64 && is_aligned_for_vectors(p.parameter, p.dtype) &&
                             is_aligned_for_vectors(p.gradient, p.gradient_dtype) &&
                             is_aligned_for_vectors(p.copies.float16, kFloat16) &&
                             is_aligned_for_vectors(p.copies.bfloat16, kBFloat16) &&
                             is_aligned_for_vectors(p.weight.rest, kFloat32) && Kind::vectors(p);
        if (p.weight.storage != WeightStorage::kParameter) kind = StepKind::kStored;
        next_rows.push_back({p, pieces, static_cast<std::int32_t>(g), vectors});
        pieces += ceil_div(p.numel, kPiece);
      }
    }
    rows.send(next_rows);
    rules.send(next_rules);
    arrived.send(zero);
  }

  Device device;
  DeviceList<Row> rows;
  DeviceList<Rule> rules;
  DeviceList<unsigned> arrived;
  std::int64_t pieces = 0;
  StepKind kind = StepKind::kPlain;
  std::vector<Row> next_rows;  // their memory is kept
  std::vector<Rule> next_rules;
  const std::vector<unsigned> zero{0};
};

/// The last block to end counts: nobody reads the counts any more.
template <StepKind kKind, class Kind, class Row>
AMP_KERNEL void step_kernel(const Row* rows, std::int64_t count, std::int64_t pieces,
                            const typename Kind::Rule* rules, unsigned* arrived,
                            std::int64_t* applied, GradScale scale) {
  if (skipped(scale)) {
    if constexpr (kKind == StepKind::kStored)
      for_each_piece(rows, count, &Row::first_piece, pieces, kPiece,
                     [&](const Row& row, Range range, std::int64_t) {
                       if (rules[row.group].zero_grad) zero_piece(row.p, row.vectors, range);
                     });
    return;
  }
  const std::int64_t before = *applied;
  __shared__ typename Kind::Numbers numbers;
  const Row* known = nullptr;  // whose numbers these are
  for_each_piece(
      rows, count, &Row::first_piece, pieces, kPiece,
      [&](const Row& row, Range range, std::int64_t) {
        const auto& rule = rules[row.group];
        if (known != &row) {
          __syncthreads();
          if (threadIdx.x == 0)
            numbers = Kind::numbers(rule, row.p, scheduled_rate(rule.lr, before));
          __syncthreads();
          known = &row;
        }
        if (row.p.dtype == kFloat64) {
          step_piece<kKind, double>(row.p, row.vectors, rule, numbers, range, scale, before);
        } else {
          step_piece<kKind, float>(row.p, row.vectors, rule, numbers, range, scale, before);
        }
      });
  if (!is_last_block(arrived)) return;
  for (std::int64_t i = threadIdx.x; i < count; i += blockDim.x) Kind::count(rows[i].p);
  if (threadIdx.x == 0) ++*applied;
}

/// A step of all groups.
template <class Kind, class Args>
void take_step(const Args& args) {
  using Table = StepTable<Kind, std::remove_cvref_t<decltype(*args.groups)>>;
  const TableOfCall<Table> table(args.device, args.table);
  table->send(args.groups, args.count);
  const auto run = [&](auto kernel) {
    launch(args.device, blocks_for(table->pieces), kThreads, kernel, table->rows.data(),
           static_cast<std::int64_t>(table->next_rows.size()), table->pieces, table->rules.data(),
           table->arrived.data(), args.applied, args.scale);
  };
  if (table->kind == StepKind::kPlain) {
    run(step_kernel<StepKind::kPlain, Kind, typename Table::Row>);
  } else {
    run(step_kernel<StepKind::kStored, Kind, typename Table::Row>);
  }
}

inline void sgd(const SgdArgs& args) { take_step<Sgd>(args); }
inline void adam(const AdamArgs& args) { take_step<Adam>(args); }

}  // namespace amp::inline v0::kernels::cuda
