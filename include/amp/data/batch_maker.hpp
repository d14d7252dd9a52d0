// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Makes the batches of a DataLoader: examples, collated, and copied to the device.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "amp/autocast/state.hpp"
#include "amp/autograd/grad_mode.hpp"
#include "amp/core/config.hpp"
#include "amp/core/error.hpp"
#include "amp/data/collate.hpp"
#include "amp/data/dataset.hpp"
#include "amp/data/epochs.hpp"
#include "amp/data/loader_options.hpp"
#include "amp/data/pipeline.hpp"
#include "amp/device/side_stream.hpp"
#include "amp/device/stream.hpp"
#include "amp/device/stream_mark.hpp"
#include "amp/ops/tensor_members.hpp"
#include "amp/tensor/random_tape.hpp"

namespace amp::inline v0::data::detail {

/// Calls body(), in which draws of amp's functions come from the generator.
template <class Body>
auto with_draws_of(Generator& generator, const Body& body) {
  const amp::detail::RandomScope scope(generator.state());
  return body();
}

/// An error that names its example.
class AMP_EXPORT ExampleError : public Error {
 public:
  using Error::Error;
};

/// Throws amp::Error with the message of the exception under way, which is nested in it: that of an
/// example, or of what is made of a batch's examples.
[[noreturn, gnu::cold]] void fail_example(std::int64_t index);
[[noreturn, gnu::cold]] void fail_batch(std::int64_t epoch, std::int64_t batch,
                                        std::span<const std::int64_t> indices);

/// A data set that makes whole batches, as torch::data::BatchDataset.
template <class D>
concept MakesBatches = requires(const D& dataset, std::span<const std::int64_t> indices) {
  dataset.get_batch(indices);
};

/// The dataset within a shared pointer or a reference, or the dataset itself.
template <class D>
const D& unwrapped(const D& dataset) {
  return dataset;
}
template <class D>
const D& unwrapped(const std::shared_ptr<D>& dataset) {
  AMP_CHECK(dataset != nullptr, "DataLoader: the data set is a null pointer");
  return *dataset;
}
template <class D>
const D& unwrapped(const std::reference_wrapper<D>& dataset) {
  return dataset.get();
}
template <class Held>
using Unwrapped = std::remove_cvref_t<decltype(unwrapped(std::declval<const Held&>()))>;

/// What the collate function makes of examples.
template <class Collate, class E>
auto collated(const Collate& collate, std::vector<E> examples, Generator& generator) {
  if constexpr (std::invocable<const Collate&, std::vector<E>, Generator&>)
    return collate(std::move(examples), generator);
  else
    return collate(std::move(examples));
}

template <class D, class Collate>
inline constexpr bool kWhole = MakesBatches<D>&& std::same_as<Collate, DefaultCollate>;

/// The type of the batches.
template <class D, class Collate>
struct BatchType {
  using type =
      decltype(collated(std::declval<const Collate&>(), std::declval<std::vector<ExampleOf<D>>>(),
                        std::declval<Generator&>()));
};
template <class D, class Collate>
  requires kWhole<D, Collate>
struct BatchType<D, Collate> {
  using type = std::remove_cvref_t<decltype(std::declval<const D&>().get_batch(
      std::declval<std::span<const std::int64_t>>()))>;
};

template <class Held, class Collate>
class BatchMaker final : public Pipeline {
 public:
  using D = Unwrapped<Held>;
  using E = ExampleOf<D>;
  using Batch = typename BatchType<D, Collate>::type;

  BatchMaker(Held dataset, const DataLoaderOptions& options, Collate collate)
      : Pipeline(options.workers, (std::max)(std::int64_t{1}, options.workers) * options.prefetch),
        epochs(options, size_of(unwrapped(dataset))),
        device_(options.device),
        dataset_(std::move(dataset)),
        collate_(std::move(collate)),
        slots_(static_cast<std::size_t>(slots())) {
    if (device_ && device_->type != kCPU && options.workers > 0) stream_.emplace(*device_);
  }
  ~BatchMaker() override { join(); }

  const D& dataset() const { return unwrapped(dataset_); }

  /// Waits for the next batch of the run.
  Batch take() {
    std::optional<Batch> batch;
    next([&](std::size_t i) {
      Slot& slot = slots_[i];
      if (device_ && !slot.copied.empty()) (void)slot.copied.wait(*device_);
      batch = std::move(slot.batch);
      slot.batch.reset();
    });
    epochs.deliver();
    return *std::move(batch);
  }
  /// Ends the run, and frees the batches that were not taken.
  void end() noexcept {
    stop();
    for (Slot& slot : slots_) slot.batch.reset();
  }

  Epochs epochs;
  bool is_running = false;

 private:
  struct Slot {
    std::optional<Batch> batch = {};
    StreamMark copied = {};
  };

  E example(std::int64_t b, std::int64_t i, std::int64_t index) const {
    Generator generator = epochs.of_example(b, i);
    try {
      return with_draws_of(generator, [&] { return example_of(dataset(), index, generator); });
    } catch (...) {
      fail_example(index);
    }
  }

  /// Batch number b of the epoch.
  Batch make_batch(std::int64_t b) const {
    const std::span<const std::int64_t> indices = epochs.order().batch(b);
    try {
      if constexpr (kWhole<D, Collate>) {
        Generator generator = epochs.of_batch(b);
        return with_draws_of(generator, [&] { return dataset().get_batch(indices); });
      } else {
        std::vector<E> examples;
        examples.reserve(indices.size());
        for (std::size_t i = 0; i < indices.size(); ++i) {
          if (is_stopping()) throw Stopped();
          examples.push_back(example(b, static_cast<std::int64_t>(i), indices[i]));
        }
        Generator generator = epochs.of_batch(b);
        return with_draws_of(generator,
                             [&] { return collated(collate_, std::move(examples), generator); });
      }
    } catch (const ExampleError&) {
      throw;
    } catch (const Stopped&) {
      throw;
    } catch (...) {
      fail_batch(epochs.epoch(), b, indices);
    }
  }
  void make(std::int64_t b, std::size_t i) override {
    const AutocastGuard no_autocast(kCPU, {.enabled = false});
    const NoGradGuard no_grad;
    Slot& slot = slots_[i];
    slot.batch.emplace(make_batch(b));
    if (!device_) return;
    std::optional<StreamGuard> beside;
    if (stream_) beside.emplace(*device_, stream_->get());
    visit_tensors(*slot.batch, [&](Tensor& tensor) { tensor = tensor.to(*device_); });
    if (stream_) slot.copied.record(*device_);
  }

  std::optional<Device> device_;
  std::optional<amp::detail::SideStream> stream_;
  Held dataset_;
  Collate collate_;
  std::vector<Slot> slots_;
};

}  // namespace amp::inline v0::data::detail

#if AMP_HEADER_ONLY
#include "amp/data/batch_maker.ipp"
#endif
