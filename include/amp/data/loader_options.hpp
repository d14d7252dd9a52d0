// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// How a DataLoader makes batches.
#pragma once

#include <cstdint>
#include <optional>

#include "amp/data/sampler.hpp"
#include "amp/device/device.hpp"

namespace amp::inline v0::data {

/// Options of a DataLoader.
struct DataLoaderOptions {
  std::int64_t batch_size = 1;
  bool shuffle = false;  ///< a new random order in each epoch
  Sampler sampler = {};  ///< takes the place of `shuffle`
  /// Takes the place of `batch_size`, `shuffle`, `sampler` and `drop_last`.
  BatchSampler batch_sampler = {};
  /// The number of threads that make batches while the program computes. With 0, the program's own
  /// thread makes each batch when it is asked for.
  std::int64_t workers = 0;
  /// Of the order and of all random transforms. If unset, it is drawn from the process' stream
  /// (manual_seed), or 0 if there are several ranks, which must have the same.
  std::optional<std::uint64_t> seed = {};
  bool drop_last = false;     ///< leaves out a last batch of fewer examples
  std::int64_t prefetch = 2;  ///< the number of batches that are made ahead for each worker
  /// The index of this process among those that train together, and their number. Each takes every
  /// ranks-th example of the order, and all take equally many: the first examples are taken once
  /// more at the end, or, with `drop_last`, the last are left out. With `batch_sampler`, each takes
  /// a part of every batch: the parts are the batch, their sizes differ by 1 at most, and they may
  /// be empty, which the default collate function refuses.
  std::int64_t rank = 0;
  std::int64_t ranks = 1;
  /// The device on which batches are wanted; by default, tensors stay where they are. The workers
  /// copy them through page-locked memory on a stream of their own while the program computes.
  std::optional<Device> device = {};
};

}  // namespace amp::inline v0::data
