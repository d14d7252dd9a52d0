// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "amp/core/error.hpp"
#include "amp/data/epochs.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0::data::detail {

AMP_COLD std::span<const std::int64_t> EpochOrder::batch(std::int64_t b) const {
  const std::int64_t first = begin(b);
  return std::span(indices_).subspan(
      static_cast<std::size_t>(first),
      static_cast<std::size_t>(ends_[static_cast<std::size_t>(b)] - first));
}

AMP_COLD std::uint64_t seed_of(const DataLoaderOptions& options) {
  if (options.seed) return *options.seed;
  if (options.ranks > 1) return 0;
  Generator generator;
  return std::uint64_t{generator.bits()} << 32 | generator.bits();
}

AMP_COLD void check_options(const DataLoaderOptions& o) {
  constexpr std::int64_t kMostWorkers = 1024, kMostPrefetched = 4096;
  AMP_CHECK(o.batch_size >= 1, "DataLoader: `batch_size` is ", o.batch_size,
            "; expected at least 1");
  AMP_CHECK(o.workers >= 0 && o.workers <= kMostWorkers, "DataLoader: `workers` is ", o.workers,
            "; expected 0 to ", kMostWorkers);
  AMP_CHECK(o.prefetch >= 1 && o.prefetch <= kMostPrefetched, "DataLoader: `prefetch` is ",
            o.prefetch, "; expected 1 to ", kMostPrefetched);
  AMP_CHECK(o.rank >= 0 && o.rank < o.ranks, "DataLoader: `rank` is ", o.rank, " of ", o.ranks,
            " `ranks`; expected 0 to below their number");
  AMP_CHECK(!o.shuffle || o.sampler.empty(),
            "DataLoader: `shuffle` and `sampler` both say the order; give one of them");
  AMP_CHECK(o.batch_sampler.empty() ||
                (o.batch_size == 1 && !o.shuffle && !o.drop_last && o.sampler.empty()),
            "DataLoader: `batch_sampler` says what each batch holds: `batch_size`, `shuffle`, "
            "`drop_last` and `sampler` must not be given beside it");
}

AMP_COLD Epochs::Epochs(const DataLoaderOptions& options, std::int64_t size)
    : options_(options), size_(size), seed_(0) {
  check_options(options_);
  seed_ = seed_of(options_);
}

AMP_COLD std::int64_t Epochs::share_of(std::int64_t count) const {
  return options_.drop_last ? count / options_.ranks
                            : count / options_.ranks + (count % options_.ranks != 0 ? 1 : 0);
}

AMP_COLD std::int64_t Epochs::batches_of(std::int64_t examples) const {
  const bool has_rest = !options_.drop_last && examples % options_.batch_size != 0;
  return examples / options_.batch_size + (has_rest ? 1 : 0);
}

AMP_COLD std::int64_t Epochs::batches() const {
  if (options_.sampler.empty() && options_.batch_sampler.empty())
    return batches_of(share_of(size_));
  return begun_ ? order_.batches() : order_of(epoch_).batches();
}

AMP_COLD auto Epochs::part_of_rank(std::vector<std::int64_t> indices) const
    -> std::vector<std::int64_t> {
  if (options_.ranks == 1 || indices.empty()) return indices;
  std::vector<std::int64_t> part;
  for (std::int64_t i = 0; i < share_of(std::ssize(indices)); ++i) {
    const auto place = static_cast<std::size_t>(i * options_.ranks + options_.rank);
    part.push_back(indices[place % indices.size()]);
  }
  return part;
}

AMP_COLD EpochOrder Epochs::order_of(std::int64_t epoch) const {
  constexpr std::uint64_t kOfOrder = std::uint64_t{1} << 63;
  Generator generator(seed_, kOfOrder | static_cast<std::uint64_t>(epoch), 0);
  if (!options_.batch_sampler.empty())
    return parts_of_batches(options_.batch_sampler(size_, generator));
  EpochOrder order;
  const Sampler sampler = !options_.sampler.empty() ? options_.sampler
                          : options_.shuffle        ? RandomSampler()
                                                    : SequentialSampler();
  order.indices_ = part_of_rank(sampler(size_, generator));
  order.step_ = options_.ranks;
  const std::int64_t examples = std::ssize(order.indices_);
  for (std::int64_t b = 0; b < batches_of(examples); ++b) {
    order.places_.push_back(b * options_.batch_size * options_.ranks + options_.rank);
    order.ends_.push_back((std::min)((b + 1) * options_.batch_size, examples));
  }
  return order;
}

AMP_COLD EpochOrder Epochs::parts_of_batches(const BatchSampler::Batches& batches) const {
  EpochOrder order;
  std::int64_t place = 0;
  for (const std::vector<std::int64_t>& batch : batches) {
    const std::int64_t size = std::ssize(batch);
    const std::int64_t begin = size * options_.rank / options_.ranks,
                       end = size * (options_.rank + 1) / options_.ranks;
    order.indices_.insert(order.indices_.end(), batch.begin() + begin, batch.begin() + end);
    order.ends_.push_back(std::ssize(order.indices_));
    order.places_.push_back(place + begin);
    place += size;
  }
  return order;
}

AMP_COLD void Epochs::begin() {
  const std::int64_t epoch = begun_ ? epoch_ + 1 : epoch_;
  const std::int64_t position = begun_ ? 0 : position_;
  EpochOrder order = order_of(epoch);
  AMP_CHECK(position <= order.batches(), "DataLoader: ", position, " batches of epoch ", epoch,
            " were delivered before, but it has only ", order.batches());
  order_ = std::move(order);
  epoch_ = epoch;
  position_ = position;
  begun_ = true;
}

AMP_COLD void Epochs::set(std::int64_t epoch, std::int64_t batch) {
  AMP_CHECK(epoch >= 0 && batch >= 0, "DataLoader::set_epoch: `epoch` is ", epoch,
            " and `batch` is ", batch, "; expected at least 0");
  epoch_ = epoch;
  position_ = batch;
  begun_ = false;
}

/// What is saved, in order.
inline constexpr std::string_view kStateNames[] = {"seed", "epoch", "batch", "batch_size",
                                                   "examples"};

AMP_COLD NamedTensors Epochs::state_dict() const {
  const bool ended = begun_ && position_ >= order_.batches();
  const std::int64_t values[] = {std::bit_cast<std::int64_t>(seed_), ended ? epoch_ + 1 : epoch_,
                                 ended ? 0 : position_, options_.batch_size, size_};
  NamedTensors state;
  for (std::size_t i = 0; i < std::size(values); ++i)
    state.emplace_back(kStateNames[i], amp::tensor({values[i]}, {}));
  return state;
}

AMP_COLD void Epochs::load_state_dict(const NamedTensors& tensors) {
  std::int64_t values[std::size(kStateNames)] = {};
  for (std::size_t i = 0; i < std::size(values); ++i) {
    const auto found = std::find_if(tensors.begin(), tensors.end(), [&](const auto& named) {
      return named.first == kStateNames[i];
    });
    AMP_CHECK(found != tensors.end(), "DataLoader::load_state_dict: \"", kStateNames[i],
              "\" is missing");
    AMP_CHECK(
        found->second.defined() && found->second.dtype() == kInt64 && found->second.numel() == 1,
        "DataLoader::load_state_dict: \"", kStateNames[i],
        "\" must be one number of int64, but is ",
        found->second.defined() ? describe(found->second) : std::string("undefined"));
    values[i] = found->second.item<std::int64_t>();
  }
  AMP_CHECK(tensors.size() == std::size(values), "DataLoader::load_state_dict: expected ",
            std::size(values), " tensors, but ", tensors.size(), " were given");
  const auto [seed, epoch, batch, batch_size, examples] = values;
  AMP_CHECK(epoch >= 0 && batch >= 0, "DataLoader::load_state_dict: epoch ", epoch, " and batch ",
            batch, " must not be negative");
  AMP_CHECK(batch == 0 || (batch_size == options_.batch_size && examples == size_),
            "DataLoader::load_state_dict: the state is of batches of ", batch_size, " out of ",
            examples, " examples, and within an epoch; this loader has batches of ",
            options_.batch_size, " out of ", size_);
  if (options_.sampler.empty() && options_.batch_sampler.empty())
    AMP_CHECK(batch <= batches(), "DataLoader::load_state_dict: ", batch,
              " batches were delivered, but an epoch has ", batches());
  seed_ = std::bit_cast<std::uint64_t>(seed);
  epoch_ = epoch;
  position_ = batch;
  begun_ = false;
}

}  // namespace amp::inline v0::data::detail
