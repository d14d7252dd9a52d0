// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// How a DataParallel sends gradients, and what it has sent.
#pragma once

#include <cstdint>
#include <optional>

#include "amp/types/dtype.hpp"

namespace amp::inline v0 {

/// The same on all ranks.
struct DataParallelOptions {
  /// In which dtype gradients are sent: float32, float16 or bfloat16, whatever the parameters are.
  /// Unset: that of the parameters. The gradients have their own dtype again afterwards.
  std::optional<DType> wire = {};
  /// Gradients are sent in buckets of about so many bytes, the first of which is smaller, so that
  /// sending begins early.
  std::int64_t bucket_bytes = std::int64_t{25} << 20;
  std::int64_t first_bucket_bytes = std::int64_t{1} << 20;
  /// Whether there may be parameters that have no gradient on some rank. Those without one on
  /// any rank are left as they are. Waits for the device once a pass.
  bool find_unused = false;
  /// Whether buffers, as the running statistics of batch_norm, become those of rank 0 after each
  /// pass that sends gradients.
  bool broadcast_buffers = true;
  /// After so many passes that send gradients the ranks compare a hash of the parameters, and throw
  /// if one differs; 0: never. Waits for the device.
  std::int64_t check_every = 1000;
};

/// What a DataParallel did so far, on this rank.
struct DataParallelStatistics {
  std::int64_t passes = 0;         // of backward, in which gradients were sent
  std::int64_t buckets = 0;        // messages
  std::int64_t bytes = 0;          // in buckets
  std::int64_t buckets_early = 0;  // of the buckets, begun while backward went on
  std::int64_t bytes_early = 0;
};

}  // namespace amp::inline v0
