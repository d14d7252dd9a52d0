// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// How a DataParallel sends gradients, and statistics of what it has sent.
#pragma once

#include <cstdint>
#include <optional>

#include "amp/types/dtype.hpp"

namespace amp::inline v0 {

/// Options of a DataParallel. They must be the same on all ranks.
struct DataParallelOptions {
  /// The dtype in which gradients are sent: float32, float16 or bfloat16, independent of the dtype
  /// of the parameters. If unset, gradients are sent in the dtype of their parameter. Afterwards
  /// the gradients have their own dtype again.
  std::optional<DType> wire = {};
  /// The approximate size of the buckets in which gradients are sent. The first bucket is smaller,
  /// so that sending begins early.
  std::int64_t bucket_bytes = std::int64_t{25} << 20;
  std::int64_t first_bucket_bytes = std::int64_t{1} << 20;
  /// Allows parameters that have no gradient on some ranks. A parameter that has a gradient on no
  /// rank gets none. Synchronises once a pass.
  bool find_unused = false;
  /// Copies the buffers of rank 0, such as the running statistics of batch_norm, to all ranks after
  /// each pass that sends gradients.
  bool broadcast_buffers = true;
  /// The number of passes that send gradients after which the ranks compare a hash of the
  /// parameters and throw if it differs; 0: never. The comparison synchronises.
  std::int64_t check_every = 1000;
};

/// Counts of a DataParallel on this rank, since it was made.
struct DataParallelStatistics {
  std::int64_t passes = 0;         // backward passes that sent gradients
  std::int64_t buckets = 0;        // buckets sent
  std::int64_t bytes = 0;          // bytes of these buckets
  std::int64_t buckets_early = 0;  // buckets sent while backward was still computing
  std::int64_t bytes_early = 0;    // bytes of these buckets
};

}  // namespace amp::inline v0
