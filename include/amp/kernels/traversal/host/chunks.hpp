// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Lists of arrays as one sequence of chunks, for passes over gradients and parameters: most arrays
// of a network are too small for a parallel region of their own.
#pragma once

#include <algorithm>
#include <cstdint>

#include "amp/core/function_ref.hpp"
#include "amp/core/math.hpp"
#include "amp/device/host_memory.hpp"
#include "amp/device/parallel.hpp"

namespace amp::inline v0::kernels::host::detail {

inline constexpr std::int64_t kChunk = std::int64_t{1}
                                       << 16;  // elements of one partial sum, on every device

/// The chunks of all arrays, numbered in order.
class Chunks {
 public:
  /// numel(i) returns the length of array i of `count`.
  template <class Numel>
  Chunks(std::int64_t count, const Numel& numel) : count_(count), begins_(count), lengths_(count) {
    for (std::int64_t i = 0; i < count; ++i) {
      begins_[i] = size_;
      lengths_[i] = numel(i);
      size_ += ceil_div(lengths_[i], kChunk);
      elements_ += lengths_[i];
    }
  }
  std::int64_t size() const { return size_; }
  std::int64_t elements() const { return elements_; }

  /// Calls body(i, index, begin, end): elements [begin, end) of array i are the chunks from `index`
  /// on, at most `together` of them. Uses one parallel region.
  using Body =
      FunctionRef<void(std::int64_t i, std::int64_t number, std::int64_t begin, std::int64_t end)>;
  void for_each(Body body, std::int64_t together = 1) const {
    const std::int64_t most = std::int64_t{8} * num_threads();  // since some are slower
    const std::int64_t shares = (std::min)({size_, ceil_div(elements_, kChunk), most});
    parallel_for(shares, [&](std::int64_t share) {
      const std::int64_t end = size_ * (share + 1) / shares;
      std::int64_t n = size_ * share / shares;
      std::int64_t i =
          std::upper_bound(begins_.data(), begins_.data() + count_, n) - begins_.data() - 1;
      while (n < end) {
        while (i + 1 < count_ && begins_[i + 1] <= n) ++i;
        const std::int64_t begin = (n - begins_[i]) * kChunk;
        const std::int64_t chunks =
            (std::min)({together, end - n, ceil_div(lengths_[i] - begin, kChunk)});
        body(i, n, begin, (std::min)(lengths_[i], begin + chunks * kChunk));
        n += chunks;
      }
    });
  }

 private:
  std::int64_t count_, size_ = 0, elements_ = 0;
  HostBuffer<std::int64_t> begins_, lengths_;  // the index of each array's first chunk
};

}  // namespace amp::inline v0::kernels::host::detail
