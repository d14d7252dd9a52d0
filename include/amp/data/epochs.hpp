// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Which examples each batch of each epoch has, and the position in this order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "amp/core/config.hpp"
#include "amp/data/generator.hpp"
#include "amp/data/loader_options.hpp"
#include "amp/data/sampler.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::data::detail {

/// The batches of one epoch.
class EpochOrder {
 public:
  std::int64_t batches() const { return static_cast<std::int64_t>(ends_.size()); }
  /// The indices of a batch's examples.
  std::span<const std::int64_t> batch(std::int64_t b) const;
  /// The place in the epoch of all ranks of the batch's example i.
  std::uint64_t place(std::int64_t b, std::int64_t i) const {
    return static_cast<std::uint64_t>(places_[static_cast<std::size_t>(b)] + i * step_);
  }

 private:
  friend class Epochs;
  std::int64_t begin(std::int64_t b) const {
    return b == 0 ? 0 : ends_[static_cast<std::size_t>(b - 1)];
  }

  std::vector<std::int64_t> indices_;
  std::vector<std::int64_t> ends_;    // of the batches, in indices_
  std::vector<std::int64_t> places_;  // of their first examples, in the epoch of all ranks
  std::int64_t step_ = 1;             // from the place of an example to that of the next
};

/// The epochs of a DataLoader over `size` examples.
class Epochs {
 public:
  /// Throws amp::Error if an option is wrong.
  Epochs(const DataLoaderOptions& options, std::int64_t size);

  /// The number of batches of an epoch; of the current one if a sampler decides.
  std::int64_t batches() const;
  std::int64_t epoch() const { return epoch_; }
  /// The number of batches of the epoch that were delivered.
  std::int64_t position() const { return position_; }
  const EpochOrder& order() const { return order_; }

  /// Begins the next epoch, or goes on with the one that was set.
  void begin();
  void deliver() { ++position_; }
  void set(std::int64_t epoch, std::int64_t batch);

  /// The stream of random numbers of an example, and of a batch as a whole.
  Generator of_example(std::int64_t batch, std::int64_t i) const {
    return Generator(seed_, stream(), order_.place(batch, i));
  }
  Generator of_batch(std::int64_t batch) const {
    return Generator(seed_, stream(), ~order_.place(batch, 0));
  }

  NamedTensors state_dict() const;
  void load_state_dict(const NamedTensors& tensors);

 private:
  /// Numbers the epochs; the upper half of the range is for their order.
  std::uint64_t stream() const { return static_cast<std::uint64_t>(epoch_); }
  EpochOrder order_of(std::int64_t epoch) const;
  EpochOrder parts_of_batches(const BatchSampler::Batches& batches) const;
  std::vector<std::int64_t> part_of_rank(std::vector<std::int64_t> indices) const;
  /// The number of examples that each of the ranks takes of `count`.
  std::int64_t share_of(std::int64_t count) const;
  std::int64_t batches_of(std::int64_t examples) const;

  DataLoaderOptions options_;
  std::int64_t size_;
  std::uint64_t seed_;
  std::int64_t epoch_ = 0, position_ = 0;
  bool begun_ = false;  // the epoch, so that the next begin() leaves it
  EpochOrder order_;
};

}  // namespace amp::inline v0::data::detail

#if AMP_HEADER_ONLY
#include "amp/data/epochs.ipp"
#endif
