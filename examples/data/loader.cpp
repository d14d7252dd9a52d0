// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Makes batches in background threads.
#include "data/loader.hpp"
#include "data/random.hpp"

#include <amp/autocast/state.hpp>
#include <amp/autograd/grad_mode.hpp>
#include <amp/core/error.hpp>
#include <amp/tensor/factory.hpp>
#include <amp/tensor/tensor.hpp>

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

namespace examples {
namespace {

/// The augmentation of an image: moved by up to kCropMargin pixels, with black pixels from outside,
/// then possibly mirrored. Padding and cropping in one step.
struct View {
  std::int64_t down = 0, right = 0;
  bool mirrored = false;
};

}  // namespace

/// The workers of a loader, and the batches that they have made.
class Loader::Maker {
 public:
  Maker(const Dataset& set, const std::vector<ChannelStats>& stats, LoaderOptions options)
      : set_(set), normaliser_(stats), options_(std::move(options)), order_(indices()) {
    AMP_CHECK(options_.batch_size >= 1 && options_.workers >= 0, "Loader: `batch_size` is ",
              options_.batch_size, " and `workers` ", options_.workers,
              "; expected at least 1 and 0");
    AMP_CHECK(options_.rank >= 0 && options_.rank < options_.ranks, "Loader: `rank` is ",
              options_.rank, " of ", options_.ranks);
    for (int i = 0; i < options_.workers; ++i) workers_.emplace_back([this] { work(); });
  }
  Maker(const Maker&) = delete;
  Maker& operator=(const Maker&) = delete;
  ~Maker() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    for (std::thread& worker : workers_) worker.join();
  }

  [[nodiscard]] std::int64_t batches() const {
    return (set_.count() + options_.batch_size - 1) / options_.batch_size;
  }

  void begin_epoch(std::int64_t epoch, std::int64_t batch) {
    AMP_CHECK(batch >= 0 && batch <= batches(), "Loader::begin_epoch: `batch` is ", batch,
              "; expected 0 to ", batches());
    std::vector<std::int64_t> order = indices();
    if (options_.shuffle) order = Random(seed_of(epoch)).permutation(set_.count());
    {
      const std::lock_guard lock(mutex_);
      order_ = std::move(order);
      epoch_ = epoch;
      ++run_;
      next_made_ = next_taken_ = batch;
      made_.clear();
    }
    wake_.notify_all();
  }

  std::optional<Batch> next() {
    std::unique_lock lock(mutex_);
    AMP_CHECK(run_ > 0, "Loader::next: call begin_epoch() first");
    if (next_taken_ == batches()) return {};
    if (workers_.empty()) {
      const std::int64_t index = next_taken_++;
      lock.unlock();
      return make(indices_of(index), epoch_, index);
    }
    ready_.wait(lock, [&] { return made_.contains(next_taken_); });
    Made made = std::move(made_.extract(next_taken_).mapped());
    ++next_taken_;
    lock.unlock();
    wake_.notify_one();
    if (made.error) std::rethrow_exception(made.error);
    return std::move(made.batch);
  }

 private:
  struct Made {
    Batch batch = {};
    std::exception_ptr error = {};
  };

  [[nodiscard]] std::vector<std::int64_t> indices() const {
    std::vector<std::int64_t> all(static_cast<std::size_t>(set_.count()));
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  [[nodiscard]] std::uint64_t seed_of(std::int64_t epoch) const {
    return options_.seed * 1000003 + static_cast<std::uint64_t>(epoch);
  }
  /// Returns the images of a batch. The mutex must be locked, unless there are no workers.
  [[nodiscard]] std::vector<std::int64_t> indices_of(std::int64_t batch) const {
    const std::int64_t begin = batch * options_.batch_size;
    const std::int64_t end = std::min(begin + options_.batch_size, set_.count());
    return {order_.begin() + begin, order_.begin() + end};
  }

  /// Makes batches, at most two per worker ahead of the caller, until the loader ends.
  void work() {
    const std::int64_t ahead = 2 * std::int64_t{options_.workers};
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [&] {
        return stopping_ ||
               (run_ > 0 && next_made_ < batches() && next_made_ < next_taken_ + ahead);
      });
      if (stopping_) return;
      const std::int64_t index = next_made_++;
      const std::int64_t run = run_, epoch = epoch_;
      const std::vector<std::int64_t> images = indices_of(index);
      lock.unlock();
      Made made;
      try {
        made.batch = make(images, epoch, index);
      } catch (...) {
        made.error = std::current_exception();
      }
      lock.lock();
      if (run != run_) continue;  // begin_epoch() was called meanwhile
      made_.emplace(index, std::move(made));
      ready_.notify_one();
    }
  }

  [[nodiscard]] Batch make(std::span<const std::int64_t> images, std::int64_t epoch,
                           std::int64_t index) const {
    const amp::AutocastGuard no_autocast(amp::kCPU, {.enabled = false});
    const amp::NoGradGuard no_grad;
    Random random(seed_of(epoch) * 1000003 + static_cast<std::uint64_t>(index));
    const auto total = static_cast<std::int64_t>(images.size());
    const std::int64_t begin = total * options_.rank / options_.ranks,
                       end = total * (options_.rank + 1) / options_.ranks;
    Batch batch{.images = amp::empty({end - begin, set_.channels, set_.height, set_.width}),
                .targets = amp::empty({end - begin}, {.dtype = amp::kInt64}),
                .total = total};
    auto* values = batch.images.data<float>();
    auto* targets = batch.targets.data<std::int64_t>();
    for (std::int64_t i = 0; i < end; ++i) {
      View view;  // also drawn for the images of other ranks
      if (options_.augment) {
        view.down = random.below(2 * kCropMargin + 1) - kCropMargin;
        view.right = random.below(2 * kCropMargin + 1) - kCropMargin;
        view.mirrored = random.below(2) == 1;
      }
      if (i < begin) continue;
      const std::int64_t image = images[static_cast<std::size_t>(i)];
      copy(image, view, values);
      values += set_.image_size();
      *targets++ = set_.labels[static_cast<std::size_t>(image)];
    }
    if (options_.transform) options_.transform(batch);
    return batch;
  }

  void copy(std::int64_t image, const View& view, float* to) const {
    const std::uint8_t* plane = set_.pixels.data() + image * set_.image_size();
    for (std::int64_t c = 0; c < set_.channels; ++c, plane += set_.plane_size()) {
      const auto& value_of = normaliser_.channel(c);
      for (std::int64_t y = 0; y < set_.height; ++y) {
        const std::int64_t row = y + view.down;
        for (std::int64_t x = 0; x < set_.width; ++x) {
          const std::int64_t column = (view.mirrored ? set_.width - 1 - x : x) + view.right;
          const bool inside = row >= 0 && row < set_.height && column >= 0 && column < set_.width;
          *to++ = value_of[inside ? plane[row * set_.width + column] : std::uint8_t{0}];
        }
      }
    }
  }

  const Dataset& set_;
  Normaliser normaliser_;
  LoaderOptions options_;

  std::mutex mutex_;
  std::condition_variable wake_;   // a worker may continue
  std::condition_variable ready_;  // a batch was made
  std::vector<std::int64_t> order_;
  std::int64_t epoch_ = 0;
  std::int64_t run_ = 0;  // counts begin_epoch(), to recognise batches of an earlier epoch
  std::int64_t next_made_ = 0, next_taken_ = 0;
  std::map<std::int64_t, Made> made_;
  bool stopping_ = false;
  std::vector<std::thread> workers_;
};

Loader::Loader(const Dataset& set, const std::vector<ChannelStats>& stats, LoaderOptions options)
    : maker_(std::make_unique<Maker>(set, stats, std::move(options))) {}
Loader::~Loader() = default;

std::int64_t Loader::batches() const { return maker_->batches(); }
void Loader::begin_epoch(std::int64_t epoch, std::int64_t batch) {
  maker_->begin_epoch(epoch, batch);
}
std::optional<Batch> Loader::next() { return maker_->next(); }

}  // namespace examples
