// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Samplers: which examples an epoch takes, and in which order.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

#include "amp/data/generator.hpp"

namespace amp::inline v0::data {

/// The indices of an epoch's examples: a function of the size of the data set and of a generator
/// that is another one in each epoch, or a list that stays the same.
class Sampler {
 public:
  using Indices = std::vector<std::int64_t>;

  /// None: a DataLoader takes the examples in order, or shuffles them.
  Sampler() = default;
  /// Calls `function(size, generator)` in each epoch, in the thread that begins it.
  template <class Function>
    requires std::is_invocable_r_v<Indices, Function&, std::int64_t, Generator&> Sampler(
        Function function)
        : function_(std::move(function)) {}
    /// The same list of indices in each epoch.
    template <std::ranges::input_range Range>
      requires std::integral<std::ranges::range_value_t<Range>> Sampler(const Range& indices)
          : Sampler(fixed({std::begin(indices), std::end(indices)})) {}

      /// Whether there is none.
      bool empty() const { return !function_; }
      /// The indices of an epoch. Throws amp::Error if one is out of range.
      Indices operator()(std::int64_t size, Generator& generator) const;

     private:
      static std::function<Indices(std::int64_t, Generator&)> fixed(Indices indices) {
        return [all = std::move(indices)](std::int64_t, Generator&) { return all; };
      }

      std::function<Indices(std::int64_t, Generator&)> function_;
};

/// Options of RandomSampler().
struct RandomSamplerOptions {
  bool replacement = false;  ///< whether an example may be taken several times
  /// The number of examples of an epoch; if unset, the size of the data set. Without replacement,
  /// the data set is shuffled as often as needed.
  std::optional<std::int64_t> num_samples = {};
};

/// The examples in order.
Sampler SequentialSampler();
/// The examples in random order.
Sampler RandomSampler(const RandomSamplerOptions& options = {});
/// These examples in random order.
Sampler SubsetRandomSampler(std::vector<std::int64_t> indices);
/// `num_samples` examples, each with a probability in proportion to its weight. The data set has as
/// many examples as there are weights. Throws amp::Error if a weight is negative or not finite, if
/// all are 0, or if, without replacement, fewer than `num_samples` are positive.
Sampler WeightedRandomSampler(std::vector<double> weights, std::int64_t num_samples,
                              bool replacement = true);

/// The examples of each batch of an epoch: what a sampler gives, cut into batches, or a function of
/// the size of the data set and of a generator that is another one in each epoch.
class BatchSampler {
 public:
  using Batches = std::vector<std::vector<std::int64_t>>;

  /// None.
  BatchSampler() = default;
  /// Batches of `batch_size` examples; the last may be smaller, or is left out.
  BatchSampler(Sampler sampler, std::int64_t batch_size, bool drop_last = false);
  /// Calls `function(size, generator)` in each epoch, in the thread that begins it.
  template <class Function>
    requires std::is_invocable_r_v<Batches, Function&, std::int64_t, Generator&> BatchSampler(
        Function function)
        : function_(std::move(function)) {}

    /// Whether there is none.
    bool empty() const { return !function_; }
    /// The indices of an epoch's batches. Throws amp::Error if one is out of range.
    Batches operator()(std::int64_t size, Generator& generator) const;

   private:
    std::function<Batches(std::int64_t, Generator&)> function_;
};

}  // namespace amp::inline v0::data

#if AMP_HEADER_ONLY
#include "amp/data/sampler.ipp"
#endif
