// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Cross-entropy of classes that are not the last dimension, as those of pixels: eight neighbouring
// lines a thread (traversal/cuda/columns.cuh). Formulas in cross_entropy/cuda.cuh.
#pragma once

#include <cstdint>

#include "amp/kernels/cross_entropy/cuda/rows.cuh"

namespace amp::inline v0::kernels::cuda {

namespace detail {

inline constexpr int kLossColumnsKept = 4, kLossGradColumnsKept = 2;

/// The sum of the weights of all classes; for all threads of the block.
__device__ __forceinline__ double class_weights(const TargetDistribution<float>& q) {
  if (!q.weighted) return static_cast<double>(q.classes);
  double sum = 0;
  for (std::int64_t c = threadIdx.x; c < q.classes; c += blockDim.x)
    sum += static_cast<double>(row_element(q.weight.data, q.weight.dtype, c));
  return block_sum(sum);
}

/// Each block leaves the totals of its lines in parts[blockIdx.x].
template <bool Smoothed, class R>
AMP_KERNEL void __launch_bounds__(kThreads)
    cross_entropy_columns_kernel(R columns, TargetDistribution<float> q, Input logits,
                                 float* losses, float* log_sums, LossTotals* parts) {
  LossTotals totals;
  ShareSums shares;
  if constexpr (Smoothed) shares.weight = class_weights(q);
  for (std::int64_t i = blockIdx.x; i < columns.tiles; i += gridDim.x) {
    const ColumnTile tile = columns.tile(i);
    const int last = columns.last();
    ColumnExpSums seen;
    [[maybe_unused]] double share_logits[kVector] = {};
    for (int s = 0; s <= last; ++s) {
      const ColumnShare share = columns.share(tile, s);
      float values[R::kKept][kVector];
      RowWords<R::kKept>(logits, share).unpack(logits.dtype, values);
      if constexpr (Smoothed) {
        AMP_UNROLL
        for (int k = 0; k < R::kKept; ++k) {
          if (!share.has(k)) continue;
          const float weight =
              q.weighted ? row_element(q.weight.data, q.weight.dtype, share.element(k)) : 1.0F;
          AMP_UNROLL
          for (int l = 0; l < kVector; ++l)
            share_logits[l] += static_cast<double>(weight * values[k][l]);
        }
      }
      seen.template add<false>(values, share);
    }
    float maxima[kVector], sums[kVector];
    seen.of_lines(columns.team, maxima, sums);
    if constexpr (Smoothed) column_reduce<functions::Add>(share_logits, columns.team);
    if (tile.is_empty) continue;
    // Threads of the same lines finish them in turns.
    AMP_UNROLL
    for (unsigned l = 0; l < kVector; ++l) {
      if (l % columns.rows() != columns.row()) continue;
      const std::int64_t line = tile.line + l, t = q.targets[line];
      float weight = 1, logit = 0;
      if (q.in_range(t)) {
        logit = row_element(logits.data, logits.dtype, tile.base + l + t * columns.stride);
        if (q.weighted) weight = row_element(q.weight.data, q.weight.dtype, t);
      }
      if constexpr (Smoothed) shares.logits = share_logits[l];
      finish_line(q, line, weight, logit, maxima[l], functions::math::log(sums[l]), shares, losses,
                  log_sums, totals);
    }
  }
  totals = totals.of_block();
  if (threadIdx.x == 0) parts[blockIdx.x] = totals;
}

/// As cross_entropy_backward_rows_kernel.
template <bool Plain, class R>
AMP_KERNEL void __launch_bounds__(kThreads)
    cross_entropy_backward_columns_kernel(R columns, TargetDistribution<float> q, Input grad_output,
                                          bool grad_per_line, const float* total_weight,
                                          Input logits, const float* log_sums, Output grad_logits) {
  const bool normalized = !Plain && q.normalized, weighted = !Plain && q.weighted;
  float share_sum = 0;  // of all classes' shares
  if constexpr (!Plain) {
    if (q.share != 0.0F)
      share_sum = static_cast<float>(static_cast<double>(q.share) * class_weights(q));
  }
  for (std::int64_t i = blockIdx.x; i < columns.tiles; i += gridDim.x) {
    const ColumnTile tile = columns.tile(i);
    const int last = columns.last();
    float values[R::kKept][kVector], maxima[kVector];
    AMP_UNROLL
    for (int l = 0; l < kVector; ++l) maxima[l] = ExpSum<float>::kNone;
    const auto load = [&](const ColumnShare& share) {
      RowWords<R::kKept>(logits, share).unpack(logits.dtype, values);
    };
    for (int s = 0; s <= last && !normalized; ++s) {
      const ColumnShare share = columns.share(tile, s);
      load(share);
      AMP_UNROLL
      for (int k = 0; k < R::kKept; ++k) {
        if (!share.has(k)) continue;
        AMP_UNROLL
        for (int l = 0; l < kVector; ++l) maxima[l] = ::fmaxf(maxima[l], values[k][l]);
      }
    }
    if (!normalized) column_reduce<functions::Maximum>(maxima, columns.team);
    if (!columns.share(tile, 0).has(0)) continue;
    // Of a line that does not count, the target is -1 and grad what is written.
    float log_sum[kVector], grad[kVector], q_sum[kVector];
    std::int64_t target[kVector];
    AMP_UNROLL
    for (int l = 0; l < kVector; ++l) {
      const std::int64_t line = tile.line + l;
      const LineGrad<float> of_line(q, line);
      target[l] = of_line.counts ? of_line.target : -1;
      grad[l] = of_line.otherwise;
      q_sum[l] = 1;
      log_sum[l] = normalized ? 0 : log_sums[line];
      if (!of_line.counts) continue;
      grad[l] = row_element(grad_output.data, grad_output.dtype, grad_per_line ? line : 0);
      if (total_weight != nullptr) grad[l] /= *total_weight;
      if constexpr (!Plain) {
        const float weight =
            weighted ? row_element(q.weight.data, q.weight.dtype, of_line.target) : 1.0F;
        q_sum[l] = q.certain * weight + share_sum;
      }
    }
    for (int s = last; s >= 0; --s) {
      const ColumnShare share = columns.share(tile, s);
      if (s != last && !normalized) load(share);
      AMP_UNROLL
      for (int k = 0; k < R::kKept; ++k) {
        if (!share.has(k)) continue;
        const std::int64_t c = share.element(k);
        const float weight = weighted ? row_element(q.weight.data, q.weight.dtype, c) : 1.0F;
        float result[kVector];
        AMP_UNROLL
        for (int l = 0; l < kVector; ++l) {
          float p = 0;
          if (!normalized) p = functions::math::exp((values[k][l] - maxima[l]) - log_sum[l]);
          const bool is_target = c == target[l];
          if constexpr (Plain) {
            p -= is_target ? 1.0F : 0.0F;
          } else {
            p = p * q_sum[l] - weight * (q.share + (is_target ? q.certain : 0.0F));
          }
          result[l] = target[l] < 0 ? grad[l] : p * grad[l];
        }
        store_row_vector(grad_logits, share.at(k), result);
      }
    }
  }
}

}  // namespace detail

}  // namespace amp::inline v0::kernels::cuda
