// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Attention by blocks of queries and keys, so that no matrix of all scores is stored
// (FlashAttention-2, Dao 2023, arXiv 2307.08691, algorithms 1 and 2). Forward tracks the largest
// score and the sum of a query's exponentials as it goes over the keys; backward recomputes the
// probabilities from them,
//   P = exp(scores - largest) / sum,   O = P V,   dP = dO V^T,   D = rowsum(P * dP),
//   dS = scale * P * (dP - D),   dQ = dS K,   dK = dS^T Q,   dV = P^T dO.
// Softmax is computed in float32 (float64). If the processor multiplies 16-bit formats directly, P
// and dS are rounded to that format. Each sum is computed by one thread in one order.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>

#include "amp/core/math.hpp"
#include "amp/device/host_memory.hpp"
#include "amp/device/parallel.hpp"
#include "amp/kernels/attention/args.hpp"
#include "amp/kernels/attention/host/score_rows.hpp"
#include "amp/kernels/compute_type.hpp"
#include "amp/kernels/matmul/host/block_matmul.hpp"

namespace amp::inline v0::kernels::host {

namespace attention_blocks {

/// Queries and keys of a block.
inline constexpr std::int64_t kQueries = 128, kKeys = 1024;

/// A thread's memory for blocks. Allocates at the first call.
template <class T>
class LazyBuffer {
 public:
  explicit LazyBuffer(std::int64_t count) : count_(count) {}
  T* operator()() const {
    if (!buffer_) buffer_.emplace(count_);
    return buffer_->data();
  }

 private:
  std::int64_t count_;
  mutable std::optional<HostBuffer<T>> buffer_;
};

/// Returns the offset of a matrix of a batch: the dimensions before the last two are counted
/// row-major.
inline std::int64_t matrix_offset(const Operand& operand, std::int64_t batch) {
  std::int64_t offset = 0;
  for (int d = operand.dims - 3; d >= 0; --d) {
    offset += batch % operand.sizes[d] * operand.strides[d];
    batch /= operand.sizes[d];
  }
  return offset;
}

/// Keys [begin, end).
struct KeyRange {
  std::int64_t begin, end;

  bool empty() const { return begin >= end; }
  /// The part of the range that lies within the keys [first, first + n), counted from `first`.
  KeyRange within(std::int64_t first, std::int64_t n) const {
    const auto clamped = [=](std::int64_t key) {
      return std::clamp(key - first, std::int64_t{0}, n);
    };
    return {clamped(begin), clamped(end)};
  }
};

/// The data and functions that forward and backward share. C is the type of scores and sums, T that
/// of the factors.
template <class T, class C>
struct Problem {
  using Factor = T;
  using Sum = C;

  Operand query, key, value, mask, statistics;
  AttentionRule rule;
  C scale;
  std::int64_t batches = 1, queries, keys, width, value_width;
  std::int64_t stride;  // of a block of scores; a power of two would use few cache sets

  template <class Args>
  explicit Problem(const Args& args)
      : query(args.query),
        key(args.key),
        value(args.value),
        mask(args.mask),
        statistics(args.statistics),
        rule(args.rule),
        scale(static_cast<C>(args.rule.scale)) {
    const int d = query.dims - 2;
    for (int i = 0; i < d; ++i) batches *= query.sizes[i];
    queries = query.sizes[d];
    width = query.sizes[d + 1];
    keys = key.sizes[d];
    value_width = value.sizes[d + 1];
    stride = padded((std::min)(keys, kKeys)) + score_rows::kRowMultiple;
  }

  static std::int64_t padded(std::int64_t n) { return round_up(n, score_rows::kRowMultiple); }

  /// The factor by which scores() did not multiply the scores.
  C factor() const { return mask.present ? C{1} : scale; }
  /// The keys that query i attends to, but for the mask.
  KeyRange keys_of(std::int64_t i) const {
    return {(std::max)(i - rule.window + 1, std::int64_t{0}),
            (std::min)(rule.causal ? i + 1 : i + rule.window, keys)};
  }
  /// The keys that any of `count` queries from i on attends to.
  KeyRange keys_of(std::int64_t i, std::int64_t count) const {
    return {keys_of(i).begin, keys_of(i + count - 1).end};
  }

  /// Computes the scores of `count` queries, from `i` on, with the keys [first, first + n).
  void scores(std::int64_t batch, std::int64_t i, std::int64_t count, std::int64_t first,
              std::int64_t n, const Matrix<T>& q, const Matrix<T>& k, C* tile) const {
    multiply_block(count, n, width, q, transposed(from_row(k, first)), tile, stride, false);
    if (!mask.present) return;
    const std::int64_t key_stride = mask.strides[mask.dims - 1],
                       start = matrix_offset(mask, batch) + first * key_stride;
    for (std::int64_t r = 0; r < count; ++r)
      add_mask(tile + r * stride, n, start + (i + r) * mask.strides[mask.dims - 2], key_stride);
  }

  void add_mask(C* row, std::int64_t n, std::int64_t offset, std::int64_t step) const {
    constexpr C kUnseen = score_rows::kUnseen<C>;
    if (mask.dtype == kBool) {
      const bool* const is_seen = mask.as<const bool>() + offset;
      for (std::int64_t j = 0; j < n; ++j) row[j] = is_seen[j * step] ? row[j] * scale : kUnseen;
      return;
    }
    C buffer[kKeys];
    const C* const added = fetch(mask, offset, step, n, buffer);
    const C least = std::nextafter(kUnseen, C{0});  // of a key that the query attends to
    for (std::int64_t j = 0; j < n; ++j) {
      const bool is_seen = is_finite(added[j]) || added[j] > 0;
      const C score = row[j] * scale + added[j];
      row[j] = !is_seen ? kUnseen : score < least ? least : score;
    }
  }
};

/// Returns a block of scores as T, in `buffer` unless T is C.
template <class T, class C>
Matrix<T> rounded(const Problem<T, C>& p, const C* tile, std::int64_t rows, std::int64_t n,
                  T* buffer) {
  if constexpr (std::is_same_v<T, C>) {
    return {tile, p.stride, 1};
  } else {
    for (std::int64_t r = 0; r < rows; ++r)
      convert_n(tile + r * p.stride, buffer + r * p.stride, static_cast<std::size_t>(n));
    return {buffer, p.stride, 1};
  }
}

template <class C>
void store_rows(const C* values, std::int64_t stride, const Operand& output, std::int64_t offset,
                std::int64_t first, std::int64_t count) {
  const int d = output.dims - 2;
  for (std::int64_t r = 0; r < count; ++r) {
    store(values + r * stride, output, offset + (first + r) * output.strides[d],
          output.strides[d + 1], output.sizes[d + 1]);
  }
}

/// Calls a function of score_rows.hpp.
template <class Function, class C, class... Arguments>
auto on_row(C* row, Arguments... arguments) {
  return detail::on_rows<Function, std::remove_const_t<C>>(row, arguments...);
}

template <class Args, class Body>
void visit(const Args& args, Body&& body) {
  visit_block_type(args.query.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using C = ComputeOf<T>;
    body(Problem<T, C>(args));
  });
}

}  // namespace attention_blocks
}  // namespace amp::inline v0::kernels::host
