// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "amp/device/parallel.hpp"
#include "amp/kernels/attention/host/backward.hpp"
#include "amp/kernels/attention/host/blocks.hpp"

namespace amp::inline v0::kernels::host {

namespace attention_blocks {

/// Computes the gradients of one batch.
template <class T, class C>
class Backward {
 public:
  Backward(const Problem<T, C>& problem, const AttentionBackwardArgs& args, std::int64_t batch)
      : p_(problem),
        args_(args),
        batch_(batch),
        k_(block_of<T>(p_.key, matrix_offset(p_.key, batch), 0, p_.keys, k_buffer_)),
        v_(block_of<T>(p_.value, matrix_offset(p_.value, batch), 0, p_.keys, v_buffer_)) {
    if (args.grad_key.present) std::fill_n(grad_k_.data(), p_.keys * p_.width, C{0});
    if (args.grad_value.present) std::fill_n(grad_v_.data(), p_.keys * p_.value_width, C{0});
  }

  void run() {
    for (std::int64_t i = 0; i < p_.queries; i += kQueries) block(i);
    const auto put = [&](const C* sums, const Operand& grad, std::int64_t width) {
      if (grad.present) store_rows(sums, width, grad, matrix_offset(grad, batch_), 0, p_.keys);
    };
    put(grad_k_.data(), args_.grad_key, p_.width);
    put(grad_v_.data(), args_.grad_value, p_.value_width);
  }

 private:
  struct Queries {
    std::int64_t i, count;
    Matrix<T> q, g;
    KeyRange keys;

    bool whole_rows() const { return keys.end - keys.begin <= kKeys; }  // in one block of keys
  };

  void block(std::int64_t i) {
    const std::int64_t count = (std::min)(kQueries, p_.queries - i);
    const Operand &grad = args_.grad_output, &grad_query = args_.grad_query;
    const KeyRange keys = p_.keys_of(i, count);
    const Queries queries{
        i, count, block_of<T>(p_.query, matrix_offset(p_.query, batch_), i, count, q_buffer_),
        block_of<T>(grad, matrix_offset(grad, batch_), i, count, g_buffer_), keys};
    if (keys.empty()) std::fill_n(grad_q_.data(), count * p_.width, C{0});
    if (!queries.whole_rows()) means_of_output(i, count);
    for (std::int64_t first = keys.begin; first < keys.end; first += kKeys)
      add_gradients(queries, first, (std::min)(kKeys, keys.end - first));
    if (grad_query.present)
      store_rows(grad_q_.data(), p_.width, grad_query, matrix_offset(grad_query, batch_), i, count);
  }

  /// Adds what the keys [first, first + n) contribute, and their own gradients.
  void add_gradients(const Queries& b, std::int64_t first, std::int64_t n) {
    probabilities(b, first, n);
    if (args_.grad_value.present) {
      const Matrix<T> p = rounded(p_, tile_.data(), b.count, n, rounded_.data());
      multiply_block(n, p_.value_width, b.count, transposed(p), b.g,
                     grad_v_.data() + first * p_.value_width, p_.value_width, true);
    }
    if (!args_.grad_key.present && !args_.grad_query.present) return;
    score_gradients(b, first, n);
    const Matrix<T> s = rounded(p_, grad_tile_.data(), b.count, n, rounded_.data());
    if (args_.grad_query.present) {
      multiply_block(b.count, p_.width, n, s, from_row(k_, first), grad_q_.data(), p_.width,
                     first != b.keys.begin);
    }
    if (args_.grad_key.present) {
      multiply_block(n, p_.width, b.count, transposed(s), b.q, grad_k_.data() + first * p_.width,
                     p_.width, true);
    }
  }

  /// P
  void probabilities(const Queries& b, std::int64_t first, std::int64_t n) {
    p_.scores(batch_, b.i, b.count, first, n, b.q, k_, tile_.data());
    const C* statistics = p_.statistics.template as<C>() + (batch_ * p_.queries + b.i) * 2;
    for (std::int64_t r = 0; r < b.count; ++r, statistics += 2) {
      const KeyRange seen = p_.keys_of(b.i + r).within(first, n);
      C* const row = tile_.data() + r * p_.stride;
      if (seen.empty()) {
        std::fill_n(row, p_.padded(n), C{0});
        continue;
      }
      on_row<score_rows::Exponentials>(row, p_.padded(seen.end), p_.factor(), statistics[0],
                                       statistics[1]);
      std::fill_n(row, seen.begin, C{0});
      std::fill(row + seen.end, row + p_.padded(n), C{0});
    }
  }

  /// dP, then dS. The padding of a row of dP may hold any value, since its probability is 0.
  void score_gradients(const Queries& b, std::int64_t first, std::int64_t n) {
    multiply_block(b.count, n, p_.value_width, b.g, transposed(from_row(v_, first)),
                   grad_tile_.data(), p_.stride, false);
    for (std::int64_t r = 0; r < b.count; ++r) {
      const C* const row = tile_.data() + r * p_.stride;
      C* const grad_row = grad_tile_.data() + r * p_.stride;
      if (b.whole_rows()) mean_[r] = dot(row, grad_row, p_.padded(n));
      on_row<score_rows::Gradient>(row, grad_row, p_.padded(n), mean_[r], p_.scale);
    }
  }

  static C dot(const C* p, const C* dp, std::int64_t n) {
    return on_row<score_rows::Dot>(p, dp, n);
  }

  /// D = rowsum(dO * O) = rowsum(P * dP), for rows whose keys lie in several blocks.
  void means_of_output(std::int64_t i, std::int64_t count) {
    const int d = args_.output.dims - 2;
    const std::int64_t length = p_.padded(p_.value_width);
    const HostBuffer<C> buffers(2 * length);
    const auto row = [&](const Operand& operand, std::int64_t r, C* buffer) {
      std::fill_n(buffer, length, C{0});
      const C* const elements =
          fetch(operand, matrix_offset(operand, batch_) + (i + r) * operand.strides[d],
                operand.strides[d + 1], p_.value_width, buffer);
      if (elements != buffer) std::copy_n(elements, p_.value_width, buffer);
      return buffer;
    };
    for (std::int64_t r = 0; r < count; ++r) {
      mean_[r] = dot(row(args_.output, r, buffers.data()),
                     row(args_.grad_output, r, buffers.data() + length), length);
    }
  }

  const Problem<T, C>& p_;
  const AttentionBackwardArgs& args_;
  const std::int64_t batch_;
  LazyBuffer<T> k_buffer_{p_.keys * p_.width}, v_buffer_{p_.keys * p_.value_width},
      q_buffer_{kQueries * p_.width}, g_buffer_{kQueries * p_.value_width};
  const Matrix<T> k_, v_;
  const HostBuffer<C> tile_{kQueries * p_.stride}, grad_tile_{kQueries * p_.stride},
      grad_q_{kQueries * p_.width}, grad_k_{args_.grad_key.present ? p_.keys * p_.width : 0},
      grad_v_{args_.grad_value.present ? p_.keys * p_.value_width : 0};
  const HostBuffer<T> rounded_{std::is_same_v<T, C> ? 0 : kQueries * p_.stride};
  C mean_[kQueries];
};

}  // namespace attention_blocks

AMP_LAZY_DEFINITION void attention_backward(const AttentionBackwardArgs& args) {
  using namespace attention_blocks;
  visit(args, [&](const auto& problem) {
    using P = std::remove_cvref_t<decltype(problem)>;
    parallel_for(problem.batches, [&](std::int64_t batch) {
      Backward<typename P::Factor, typename P::Sum>(problem, args, batch).run();
    });
  });
}

}  // namespace amp::inline v0::kernels::host
