// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// DataLoader: the batches of a data set, epoch after epoch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "amp/core/error.hpp"
#include "amp/core/not_options.hpp"
#include "amp/data/batch_maker.hpp"
#include "amp/data/collate.hpp"
#include "amp/data/dataset.hpp"
#include "amp/data/loader_options.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::data {

/// A range of batches. Each begin() is another epoch, with another order and other random
/// transforms; both are functions of the seed and of the epoch, whatever the number of workers.
///
/// ```cpp
/// const amp::data::TensorDataset dataset(amp::randn({10, 3}), amp::arange(10));
/// amp::data::DataLoader loader(dataset, {.batch_size = 4, .shuffle = true, .workers = 2});
/// for (int epoch = 0; epoch < 3; ++epoch) {
///   for (const auto& [inputs, targets] : loader) assert(inputs.size(0) == targets.size(0));
/// }
/// ```
///
/// An Error in a worker reaches the loop that takes the batch, and names the example; the next
/// begin() works as if nothing had happened. A loop that ends early stops the workers. Examples and
/// batches are made without autocast and without recording history. state_dict() holds the batches
/// that were delivered, so that a training that is resumed within an epoch takes the next one.
///
/// The data set is kept by value; a std::shared_ptr or a std::reference_wrapper to one, which
/// std::ref() makes, is a data set, too. `collate(std::vector<Example>)`, or
/// `collate(std::vector<Example>, Generator&)`, makes a batch of examples.
///
/// Only one thread at a time may use a loader. The workers call the data set and the collate
/// function at the same time, as `const` objects.
template <class D, class Collate = DefaultCollate>
  requires AnyDataset<detail::Unwrapped<D>>
class DataLoader {
  using Maker = detail::BatchMaker<D, Collate>;

 public:
  using Batch = typename Maker::Batch;

  /// Over a data set, with the options and the collate function. Throws amp::Error if an option is
  /// wrong.
  explicit DataLoader(D dataset, const DataLoaderOptions& options = {}, Collate collate = {})
      : maker_(std::make_shared<Maker>(std::move(dataset), options, std::move(collate))) {}
  template <amp::detail::NotOptions<DataLoaderOptions> Other>
  DataLoader(const D& dataset, const Other& batch_size) = delete;  // write {.batch_size = 32}

  /// A place in an epoch. Its batch lasts until the next one is taken, but the tensors of a copy of
  /// it stay. The epoch ends with it.
  class Iterator {
   public:
    using value_type = Batch;
    using difference_type = std::ptrdiff_t;

    Iterator(Iterator&&) noexcept = default;
    Iterator& operator=(Iterator&& other) noexcept {
      std::swap(maker_, other.maker_);
      std::swap(batch_, other.batch_);
      return *this;
    }
    ~Iterator() { end(); }

    /// The batch. Throws amp::Error at the end of the epoch, and after an error.
    Batch& operator*() const {
      AMP_CHECK(batch_, "DataLoader: there is no batch at the end of an epoch");
      return *batch_;
    }
    Batch* operator->() const { return &**this; }
    /// Waits for the next batch. Throws amp::Error if it could not be made; it is then left out.
    Iterator& operator++() {
      batch_.reset();
      if (maker_ == nullptr) return *this;
      const detail::Epochs& epochs = maker_->epochs;
      if (next_ == epochs.order().batches()) {
        end();
      } else {
        ++next_;
        batch_.emplace(maker_->take());
      }
      return *this;
    }
    void operator++(int) { ++*this; }
    friend bool operator==(const Iterator& it, std::default_sentinel_t) {
      return it.maker_ == nullptr;
    }

   private:
    friend class DataLoader;
    explicit Iterator(std::shared_ptr<Maker> maker)
        : maker_(std::move(maker)), next_(maker_->epochs.position()) {}
    void end() noexcept {
      if (maker_ == nullptr) return;
      maker_->end();
      maker_->is_running = false;
      maker_.reset();
    }

    std::shared_ptr<Maker> maker_;  // null at the end
    mutable std::optional<Batch> batch_;
    std::int64_t next_ = 0;
  };

  /// Begins the next epoch; after load_state_dict(), goes on with the saved one. Throws amp::Error
  /// while another loop over this loader is under way, and if the first batch cannot be made.
  Iterator begin() {
    require_idle("begin");
    maker_->epochs.begin();
    maker_->start(maker_->epochs.position(), maker_->epochs.order().batches());
    maker_->is_running = true;
    Iterator first(maker_);  // ends the epoch if this throws
    ++first;
    return first;
  }
  std::default_sentinel_t end() const { return {}; }

  /// The number of batches of an epoch.
  std::int64_t size() const { return maker_->epochs.batches(); }
  /// The data set.
  const auto& dataset() const { return maker_->dataset(); }

  /// The number of the epoch that is under way, or was last; 0 before.
  std::int64_t epoch() const { return maker_->epochs.epoch(); }
  /// The number of batches of this epoch that were delivered.
  std::int64_t position() const { return maker_->epochs.position(); }
  /// The next begin() begins this epoch, behind its first `batch` batches.
  void set_epoch(std::int64_t epoch, std::int64_t batch = 0) {
    require_idle("set_epoch");
    maker_->epochs.set(epoch, batch);
  }

  /// The seed, the epoch and the number of batches delivered, for a Checkpoint. Batches that
  /// workers have made ahead do not count. On all ranks it is the same.
  NamedTensors state_dict() const { return maker_->epochs.state_dict(); }
  /// The next begin() goes on behind the last batch that was delivered when the state was saved.
  /// Throws amp::Error, changing nothing, if the state does not fit, or if an epoch is under way.
  void load_state_dict(const NamedTensors& tensors) {
    require_idle("load_state_dict");
    maker_->epochs.load_state_dict(tensors);
  }

 private:
  void require_idle(const char* call) const {
    AMP_CHECK(!maker_->is_running, "DataLoader::", call,
              ": an epoch of this loader is under way; end its loop first, or make a loader for "
              "each loop");
  }

  std::shared_ptr<Maker> maker_;
};

}  // namespace amp::inline v0::data
