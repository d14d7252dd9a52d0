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

#include "amp/kernels/cuda/pieces.cuh"
#include "amp/kernels/cuda/table.cuh"
#include "amp/kernels/functions.hpp"
#include "amp/kernels/grad_scale.hpp"

namespace amp::inline v0::kernels::cuda {

/// The rules of a group; the numbers of a parameter's step, which follow from them and the counts;
/// and where a step begins and ends for one parameter.
struct Sgd {
  struct Rule {
    LearningRate lr;
    double momentum, weight_decay;
    bool nesterov;

    friend bool operator==(const Rule&, const Rule&) = default;
  };
  struct Numbers {
    double rate;
  };

  static Rule rule_of(const SgdGroup& group) {
    return {group.lr, group.momentum, group.weight_decay, group.nesterov};
  }
  static bool vectors(const SgdParameter& p) {
    return p.momentum == nullptr || is_aligned_for_vectors(p.momentum, p.dtype);
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
    bool decoupled;

    friend bool operator==(const Rule&, const Rule&) = default;
  };
  struct Numbers {
    double step_size, root_correction, shrink;
  };

  static Rule rule_of(const AdamGroup& group) {
    return {group.lr, group.beta1, group.beta2, group.eps, group.weight_decay, group.decoupled};
  }
  static bool vectors(const AdamParameter& p) {
    return is_aligned_for_vectors(p.exp_avg, p.dtype) &&
           is_aligned_for_vectors(p.exp_avg_sq, p.dtype);
  }
  __device__ static Numbers numbers(const Rule& rule, const AdamParameter& p, double rate) {
    const auto step = static_cast<double>(*p.step + 1);
    return {rate / (1 - functions::math::pow(rule.beta1, step)),
            functions::math::sqrt(1 - functions::math::pow(rule.beta2, step)),
            1 - rate * rule.weight_decay};
  }
  __device__ static void count(const AdamParameter& p) { ++*p.step; }
};

/// The new weights, and their copies.
template <class C, class Parameter, int N>
__device__ __forceinline__ void store_weights(const Parameter& p, std::int64_t i,
                                              const C (&weights)[N]) {
  store_some(p.parameter, p.dtype, i, weights);
  if (p.copies.float16 != nullptr) store_some(p.copies.float16, kFloat16, i, weights);
  if (p.copies.bfloat16 != nullptr) store_some(p.copies.bfloat16, kBFloat16, i, weights);
}

// Below, gradients are loaded last: those of 16 bits are converted as soon as they arrive, and
// nothing else should wait for that. Rows come by value: what is stored might be a row, for all
// that the compiler knows.

template <class C>
__device__ void step_piece(const SgdParameter p, bool vectors, const Sgd::Rule& rule,
                           const Sgd::Numbers& numbers, Range range, const GradScale& scale) {
  const C factor = static_cast<C>(gradient_factor(scale, p.gradient_dtype));
  const C lr = static_cast<C>(numbers.rate), mu = static_cast<C>(rule.momentum),
          decay = static_cast<C>(rule.weight_decay);
  const bool nesterov = rule.nesterov;
  for_each_vector<C>(vectors, range, [&](auto size, std::int64_t i) {
    constexpr int N = decltype(size)::value;
    C w[N], v[N], g[N];
    load_some(p.parameter, p.dtype, i, w);
    if (p.momentum != nullptr) load_some(p.momentum, p.dtype, i, v);
    load_some(p.gradient, p.gradient_dtype, i, g);
    for (int l = 0; l < N; ++l) {
      C step = g[l] * factor + decay * w[l];
      if (p.momentum != nullptr) {
        v[l] = mu * v[l] + step;
        step = nesterov ? step + mu * v[l] : v[l];
      }
      w[l] = w[l] - lr * step;
    }
    if (p.momentum != nullptr) store_some(p.momentum, p.dtype, i, v);
    store_weights(p, i, w);
  });
}

template <class C>
__device__ void step_piece(const AdamParameter p, bool vectors, const Adam::Rule& rule,
                           const Adam::Numbers& numbers, Range range, const GradScale& scale) {
  const C factor = static_cast<C>(gradient_factor(scale, p.gradient_dtype));
  const C step_size = static_cast<C>(numbers.step_size);
  const C root_correction = static_cast<C>(numbers.root_correction);
  const C weight1 = static_cast<C>(1 - rule.beta1), weight2 = static_cast<C>(1 - rule.beta2);
  const C beta2 = static_cast<C>(rule.beta2), eps = static_cast<C>(rule.eps),
          decay = static_cast<C>(rule.weight_decay);
  const C shrink = static_cast<C>(numbers.shrink);
  const bool decoupled = rule.decoupled;
  for_each_vector<C>(vectors, range, [&](auto size, std::int64_t i) {
    constexpr int N = decltype(size)::value;
    C w[N], m[N], v[N], g[N];
    load_some(p.parameter, p.dtype, i, w);
    load_some(p.exp_avg, p.dtype, i, m);
    load_some(p.exp_avg_sq, p.dtype, i, v);
    load_some(p.gradient, p.gradient_dtype, i, g);
    for (int l = 0; l < N; ++l) {
      if (decoupled) w[l] *= shrink;
      const C grad = g[l] * factor + (decoupled ? C{0} : decay * w[l]);
      m[l] += weight1 * (grad - m[l]);
      v[l] = beta2 * v[l] + weight2 * grad * grad;
      w[l] -= step_size * m[l] / (functions::math::sqrt(v[l]) / root_correction + eps);
    }
    store_some(p.exp_avg, p.dtype, i, m);
    store_some(p.exp_avg_sq, p.dtype, i, v);
    store_weights(p, i, w);
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
    for (std::int64_t g = 0; g < n; ++g) {
      next_rules.push_back(Kind::rule_of(groups[g]));
      for (std::int64_t i = 0; i < groups[g].count; ++i) {
        const auto& p = groups[g].parameters[i];
        const bool vectors = p.dtype != kFloat64 && is_aligned_for_vectors(p.parameter, p.dtype) &&
                             is_aligned_for_vectors(p.gradient, p.gradient_dtype) &&
                             is_aligned_for_vectors(p.copies.float16, kFloat16) &&
                             is_aligned_for_vectors(p.copies.bfloat16, kBFloat16) &&
                             Kind::vectors(p);
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
  std::vector<Row> next_rows;  // their memory is kept
  std::vector<Rule> next_rules;
  const std::vector<unsigned> zero{0};
};

/// The last block to end counts: nobody reads the counts any more.
template <class Kind, class Row>
AMP_KERNEL void step_kernel(const Row* rows, std::int64_t count, std::int64_t pieces,
                            const typename Kind::Rule* rules, unsigned* arrived,
                            std::int64_t* applied, GradScale scale) {
  if (skipped(scale)) return;
  __shared__ typename Kind::Numbers numbers;
  const Row* known = nullptr;  // whose numbers these are
  for_each_piece(rows, count, &Row::first_piece, pieces, kPiece,
                 [&](const Row& row, Range range, std::int64_t) {
                   const auto& rule = rules[row.group];
                   if (known != &row) {
                     __syncthreads();
                     if (threadIdx.x == 0)
                       numbers = Kind::numbers(rule, row.p, scheduled_rate(rule.lr, *applied));
                     __syncthreads();
                     known = &row;
                   }
                   if (row.p.dtype == kFloat64) {
                     step_piece<double>(row.p, row.vectors, rule, numbers, range, scale);
                   } else {
                     step_piece<float>(row.p, row.vectors, rule, numbers, range, scale);
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
  launch(args.device, blocks_for(table->pieces), kThreads, step_kernel<Kind, typename Table::Row>,
         table->rows.data(), static_cast<std::int64_t>(table->next_rows.size()), table->pieces,
         table->rules.data(), table->arrived.data(), args.applied, args.scale);
}

inline void sgd(const SgdArgs& args) { take_step<Sgd>(args); }
inline void adam(const AdamArgs& args) { take_step<Adam>(args); }

}  // namespace amp::inline v0::kernels::cuda
