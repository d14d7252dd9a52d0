// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Low-precision copies of a weight, kept in slots of the weight's storage. A copy carries the
// version of the weight that it was made from and is refreshed when the weight moved on: it cannot
// be stale, whatever scope it is used in. On a device it also carries a mark of the stream that
// wrote it, for which others wait.
#pragma once

#include <cstdint>

#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// Statistics of the low-precision copies of this process' weights.
struct AutocastCacheStats {
  std::int64_t entries = 0;    // copies alive
  std::int64_t bytes = 0;      // of memory they hold
  std::int64_t hits = 0;       // uses served without a cast
  std::int64_t refreshes = 0;  // casts, the first of each copy included
};
AutocastCacheStats autocast_cache_stats();

/// Frees every low-precision copy of the process, of all threads; those that a recorded
/// graph holds live on in it. A graph that the program captured itself, without amp::cuda::Graph,
/// may read such copies, and must not be launched afterwards.
void clear_autocast_cache();

namespace kernels {
struct LowPrecisionCopies;
}

namespace detail {

/// Whether copies of this tensor can be cached: it is a whole storage, all writes to which move the
/// version.
bool can_cache_cast(const Tensor& weight, DType dtype);

struct WeightCopy {
  Tensor tensor;
  bool refreshed;  // it was made, or cast again
};
/// Returns the copy of such a weight; makes or refreshes it if it is not current.
WeightCopy low_precision_copy(const Tensor& weight, DType dtype);

/// For calls that write all of a weight, as an optimizer's step does. copies_to_write() returns the
/// copies to write with it, so that the next use needs no cast. wrote_copies() says that they hold
/// the weight again; it is called if nothing failed, after the weight's version has moved.
kernels::LowPrecisionCopies copies_to_write(const Tensor& weight);
void wrote_copies(const Tensor& weight);

}  // namespace detail
}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/tensor/cast_cache.ipp"
#endif
