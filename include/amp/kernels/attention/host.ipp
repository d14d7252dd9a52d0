// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "amp/core/math.hpp"
#include "amp/device/parallel.hpp"
#include "amp/kernels/attention/host.hpp"
#include "amp/kernels/attention/host/blocks.hpp"

namespace amp::inline v0::kernels::host {

namespace attention_blocks {

/// Computes the forward pass, one block of queries after another.
template <class T, class C>
class Forward {
 public:
  Forward(const Problem<T, C>& problem, const Operand& output, std::int64_t batch)
      : p_(problem),
        output_(output),
        batch_(batch),
        k_(block_of<T>(p_.key, matrix_offset(p_.key, batch), 0, p_.keys, k_buffer_)),
        v_(block_of<T>(p_.value, matrix_offset(p_.value, batch), 0, p_.keys, v_buffer_)) {
    std::fill_n(sums_.data(), kQueries * sums_stride_, C{0});  // with the padding of the rows
  }

  void block(std::int64_t i) {
    const std::int64_t count = (std::min)(kQueries, p_.queries - i);
    const Matrix<T> q = block_of<T>(p_.query, matrix_offset(p_.query, batch_), i, count, q_buffer_);
    std::fill_n(largest_, kQueries, -std::numeric_limits<C>::infinity());
    std::fill_n(sum_, kQueries, C{0});
    const KeyRange keys = p_.keys_of(i, count);
    if (keys.empty()) std::fill_n(sums_.data(), count * sums_stride_, C{0});
    for (std::int64_t first = keys.begin; first < keys.end; first += kKeys) {
      const std::int64_t n = (std::min)(kKeys, keys.end - first);
      const bool again = first != keys.begin;
      p_.scores(batch_, i, count, first, n, q, k_, tile_.data());
      for (std::int64_t r = 0; r < count; ++r)
        softmax(r, p_.keys_of(i + r).within(first, n), n, again);
      multiply_block(count, p_.value_width, n, rounded(p_, tile_.data(), count, n, rounded_.data()),
                     from_row(v_, first), sums_.data(), sums_stride_, again);
    }
    C* const statistics = p_.statistics.template as<C>() + (batch_ * p_.queries + i) * 2;
    for (std::int64_t r = 0; r < count; ++r) {
      const C inverse = sum_[r] == 0 ? C{0} : 1 / sum_[r];
      on_row<score_rows::Scale>(sums_.data() + r * sums_stride_, sums_stride_, inverse);
      statistics[2 * r] = largest_[r];
      statistics[2 * r + 1] = inverse;
    }
    store_rows(sums_.data(), sums_stride_, output_, matrix_offset(output_, batch_), i, count);
  }

 private:
  /// Turns the scores of row r into exponentials; those that are not `seen` become 0. Sums over
  /// earlier keys are rescaled to the new largest score.
  void softmax(std::int64_t r, KeyRange seen, std::int64_t n, bool again) {
    constexpr C kInfinity = std::numeric_limits<C>::infinity();
    C* const row = tile_.data() + r * p_.stride;
    if (seen.empty()) return void(std::fill_n(row, n, C{0}));
    const std::int64_t length = p_.padded(seen.end);
    std::fill_n(row, seen.begin, -kInfinity);
    std::fill(row + seen.end, row + length, -kInfinity);
    const C top = on_row<score_rows::Maximum>(row, length) * p_.factor(), before = largest_[r];
    const C largest = top > before || is_nan(top) ? top : before;
    const C sum = on_row<score_rows::Exponentials>(row, length, p_.factor(), largest, C{1});
    std::fill_n(row, seen.begin, C{0});
    std::fill(row + seen.end, row + n, C{0});
    largest_[r] = largest;
    if (again && largest != before) {
      C* const sums = sums_.data() + r * sums_stride_;
      if (is_finite(before)) {
        const C change = std::exp(before - largest);
        sum_[r] *= change;
        on_row<score_rows::Scale>(sums, sums_stride_, change);
      } else if (before < 0) {  // scores of -infinity add nothing beside others
        sum_[r] = 0;
        std::fill_n(sums, sums_stride_, C{0});
      }
    }
    sum_[r] += sum;
  }

  const Problem<T, C>& p_;
  const Operand& output_;
  const std::int64_t batch_;
  LazyBuffer<T> k_buffer_{p_.keys * p_.width}, v_buffer_{p_.keys * p_.value_width},
      q_buffer_{kQueries * p_.width};
  const Matrix<T> k_, v_;
  const std::int64_t sums_stride_ = p_.padded(p_.value_width);
  const HostBuffer<C> tile_{kQueries * p_.stride}, sums_{kQueries * sums_stride_};
  const HostBuffer<T> rounded_{std::is_same_v<T, C> ? 0 : kQueries * p_.stride};
  C largest_[kQueries], sum_[kQueries];
};

}  // namespace attention_blocks

AMP_LAZY_DEFINITION void attention(const AttentionArgs& args) {
  using namespace attention_blocks;
  visit(args, [&](const auto& problem) {
    using P = std::remove_cvref_t<decltype(problem)>;
    // One thread computes a batch, or a part of it if there are fewer batches than threads.
    const std::int64_t blocks = ceil_div(problem.queries, kQueries);
    const std::int64_t wanted = ceil_div(std::int64_t{2} * num_threads(), problem.batches);
    const std::int64_t length = ceil_div(blocks, (std::min)(blocks, wanted)),
                       parts = ceil_div(blocks, length);
    parallel_for(problem.batches * parts, [&](std::int64_t task) {
      const std::int64_t first = task % parts * length;
      Forward<typename P::Factor, typename P::Sum> forward(problem, args.output, task / parts);
      for (std::int64_t b = first; b < (std::min)(blocks, first + length); ++b)
        forward.block(b * kQueries);
    });
  });
}

}  // namespace amp::inline v0::kernels::host
