// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Trains a small convolutional network on images, once per number format, from the same weights and
// on the same batches, and compares. `train_cnn --help` lists the flags.
#include "data/cifar10.hpp"
#include "data/drawn.hpp"
#include "data/idx.hpp"
#include "data/loader.hpp"
#include "trainer/options.hpp"
#include "trainer/progress.hpp"
#include "trainer/report.hpp"

#include <amp/amp.hpp>
#include <amp/safetensors.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace {

namespace nn = amp::nn;
using examples::Batch;
using examples::Options;
using examples::Result;

/// A way to train: the format of weights and inputs, what autocast computes in, gradient scaling.
struct Precision {
  const char* name = "";
  amp::DType storage = amp::kFloat32;
  std::optional<amp::DType> autocast = {};
  bool scaling = false;
};

constexpr std::array kPrecisions = {
    Precision{"fp32"},
    Precision{"fp16", amp::kFloat16},
    Precision{"bf16", amp::kBFloat16},
    Precision{"amp-fp16", amp::kFloat32, amp::kFloat16, true},
    Precision{"amp-bf16", amp::kFloat32, amp::kBFloat16},  // has float32's range: needs no scaling
};

/// Two convolutions and two linear layers; 32x32 images in, one score per class out.
struct Cnn : nn::Module {
  nn::Conv2d conv1, conv2;
  nn::Linear linear1, linear2;

  Cnn(std::int64_t channels, std::int64_t classes)
      : conv1(register_module("conv1", nn::Conv2d(channels, 32, 3, {.padding = 1, .relu = true}))),
        conv2(register_module("conv2", nn::Conv2d(32, 64, 3, {.padding = 1, .relu = true}))),
        linear1(register_module("linear1", nn::Linear(4096, 256))),
        linear2(register_module("linear2", nn::Linear(256, classes))) {}

  [[nodiscard]] amp::Tensor forward(const amp::Tensor& images) const {
    amp::Tensor x = amp::max_pool2d(conv1(images), 2);
    x = amp::max_pool2d(conv2(x), 2);
    return linear2(amp::relu(linear1(x.flatten(1))));
  }
};

// --- the images ---------------------------------------------------------------------------------

struct Data {
  examples::TrainAndTest sets;
  std::vector<examples::ChannelStats> stats;  // of the training images; the test's are unknown
};

examples::TrainAndTest load_files(const Options& options) {
  if (options.dataset == "drawn") return examples::load_drawn(options.seed);
  if (options.dataset == "cifar10") return examples::load_cifar10(options.data);
  return examples::load_idx(options.data);
}

Data load(const Options& options) {
  auto [train, test] = load_files(options);
  if (options.limit > 0) {
    examples::truncate(train, options.limit);
    examples::truncate(test, options.limit);
  }
  const auto stats = examples::channel_stats(train);
  return {.sets = {.train = examples::pad(train, 32, 32), .test = examples::pad(test, 32, 32)},
          .stats = stats};
}

// --- one training -------------------------------------------------------------------------------

amp::Schedule make_schedule(const Options& options, std::int64_t steps) {
  amp::Schedule schedule;
  if (options.schedule == "step") {
    schedule = amp::step_schedule(std::max<std::int64_t>(1, (steps + 2) / 3));
  } else if (options.schedule == "cosine") {
    schedule = amp::cosine_schedule(std::max<std::int64_t>(1, steps - options.warmup));
  } else if (options.schedule == "one-cycle") {
    schedule = amp::one_cycle_schedule(std::max<std::int64_t>(1, steps - options.warmup));
  }
  return options.warmup > 0 ? schedule.after_warmup(options.warmup) : schedule;
}

std::unique_ptr<amp::Optimizer> make_optimizer(const Options& options, const nn::Module& model,
                                               std::int64_t steps) {
  const amp::NamedTensors parameters = model.named_parameters();
  const amp::Schedule schedule = make_schedule(options, steps);
  if (options.optimizer == "sgd") {
    return std::make_unique<amp::SGD>(
        parameters, amp::SGDOptions{.lr = options.lr,
                                    .momentum = 0.9,
                                    .weight_decay = options.weight_decay.value_or(0),
                                    .schedule = schedule});
  }
  const amp::AdamOptions adam{
      .lr = options.lr, .weight_decay = options.weight_decay, .schedule = schedule};
  if (options.optimizer == "adamw") return std::make_unique<amp::AdamW>(parameters, adam);
  return std::make_unique<amp::Adam>(parameters, adam);
}

struct Prediction {
  amp::Tensor logits, loss;
};

/// Loss and accuracy, summed where the tensors are: adding a batch waits for nothing.
class Meter {
 public:
  explicit Meter(amp::Device device)
      : loss_(amp::zeros({}, {.device = device})),
        correct_(amp::zeros({}, {.dtype = amp::kInt64, .device = device})) {}

  void add(const Prediction& prediction, const amp::Tensor& targets) {
    const amp::NoGradGuard no_grad;
    const amp::Tensor predicted = amp::argmax(prediction.logits, 1);
    correct_ = correct_ + amp::sum(amp::eq(predicted, targets));
    loss_ = loss_ + prediction.loss.to(amp::kFloat32) * static_cast<double>(targets.size(0));
    count_ += targets.size(0);
  }

  [[nodiscard]] std::int64_t count() const { return count_; }
  /// The means over the images so far. Both synchronise.
  [[nodiscard]] double loss() const { return mean(loss_.item<float>()); }
  [[nodiscard]] double accuracy() const {
    return mean(static_cast<double>(correct_.item<std::int64_t>()));
  }

 private:
  [[nodiscard]] double mean(double sum) const { return sum / static_cast<double>(count_); }

  amp::Tensor loss_, correct_;
  std::int64_t count_ = 0;
};

/// A model in training. Every precision takes these same lines: a scaler or an autocast that is off
/// changes nothing.
class Trainer {
 public:
  Trainer(const Precision& precision, const Data& data, const Options& options)
      : precision_(precision),
        options_(options),
        device_(options.device == "cuda" ? amp::kCUDA : amp::kCPU),
        train_(data.sets.train, data.stats,
               {.batch_size = options.batch_size,
                .seed = options.seed,
                .augment = options.augment,
                .workers = static_cast<int>(options.workers)}),
        test_(data.sets.test, data.stats,
              {.batch_size = options.batch_size,
               .shuffle = false,
               .workers = static_cast<int>(options.workers)}),
        images_(data.sets.train.count()),
        steps_per_epoch_((train_.batches() + options.accumulate - 1) / options.accumulate),
        model_(data.sets.train.channels, data.sets.train.classes),
        scaler_({.enabled = precision.scaling}) {
    model_.to(precision.storage);
    model_.to(device_);
    optimizer_ = make_optimizer(options, model_, options.epochs * steps_per_epoch_);
    settings_ = settings_of(options);
    checkpoint_.add("model", model_).add("optimizer", *optimizer_).add("scaler", scaler_);
    checkpoint_.add("epoch", epoch_).add("step", step_).add("settings", settings_);
    checkpoint_.add("epochs", epochs_).add("scales", scales_).add_random_stream();
    result_ = {.name = precision.name, .seed = options.seed};
  }

  Result run() {
    if (options_.resume) resume();
    examples::Progress progress(precision_.name, options_.epochs, images_);
    while (epoch_ < options_.epochs) {
      train_epoch(progress);
      ++epoch_;
      if (!options_.checkpoint.empty()) checkpoint_.save(options_.checkpoint);
    }
    return result();
  }

 private:
  void resume() {
    if (!std::filesystem::exists(options_.checkpoint)) {
      std::printf("%s is not there yet: beginning\n", options_.checkpoint.c_str());
      return;
    }
    const std::string own = settings_;
    checkpoint_.load(options_.checkpoint);
    if (settings_ != own) {
      throw amp::Error(options_.checkpoint + " is of another training.\n  it has: " + settings_ +
                       "\n  this one: " + own);
    }
    std::printf("%s: after epoch %lld\n", options_.checkpoint.c_str(),
                static_cast<long long>(epoch_));
  }

  void train_epoch(examples::Progress& progress) {
    const double began = examples::seconds_now();
    Meter meter(device_);
    train_.begin_epoch(epoch_ + 1);
    progress.begin_epoch(epoch_ + 1);
    for (std::int64_t left = train_.batches(); left > 0;) {
      const std::int64_t batches = std::min(options_.accumulate, left);
      optimizer_->zero_grad();
      for (std::int64_t i = 0; i < batches; ++i) {
        const Batch batch = *train_.next();
        const amp::Tensor targets = batch.targets.to(device_);
        const Prediction prediction = predict(batch.images.to(device_), targets);
        scaler_.scale(batches > 1 ? prediction.loss / batches : prediction.loss).backward();
        meter.add(prediction, targets);
      }
      if (options_.clip > 0) scaler_.unscale_and_clip(*optimizer_, options_.clip);
      scaler_.step(*optimizer_);
      scaler_.update();
      ++step_;
      left -= batches;
      if (scaler_.is_enabled() && !options_.report.empty()) sample_scale();
      if (left == 0) seconds_ += examples::seconds_now() - began;
      if (progress.due() || left == 0) progress.show(status(meter));
    }
    measured_steps_ += steps_per_epoch_;
    const examples::Epoch epoch{
        .loss = meter.loss(), .accuracy = meter.accuracy(), .test_accuracy = test_accuracy()};
    append(epochs_, {epoch.loss, epoch.accuracy, epoch.test_accuracy});
    result_.peak_bytes = amp::memory_stats(device_).peak_bytes;
  }

  Prediction predict(const amp::Tensor& images, const amp::Tensor& targets) const {
    const amp::AutocastGuard autocast(
        device_.type, {.dtype = precision_.autocast, .enabled = precision_.autocast.has_value()});
    const amp::Tensor logits = model_.forward(images.to(precision_.storage));
    return {.logits = logits, .loss = amp::cross_entropy(logits, targets)};
  }

  double test_accuracy() {
    const amp::NoGradGuard no_grad;
    Meter meter(device_);
    test_.begin_epoch(1);
    while (const std::optional<Batch> batch = test_.next()) {
      const amp::Tensor targets = batch->targets.to(device_);
      meter.add(predict(batch->images.to(device_), targets), targets);
    }
    return meter.accuracy();
  }

  /// About 200 times in a run: asking for the scale synchronises.
  void sample_scale() {
    const std::int64_t every = std::max<std::int64_t>(1, options_.epochs * steps_per_epoch_ / 200);
    if (step_ % every != 0) return;
    append(scales_, {static_cast<double>(step_), scaler_.get_scale(),
                     static_cast<double>(scaler_.counters().skipped)});
  }

  [[nodiscard]] examples::Status status(const Meter& meter) const {
    return {.images = meter.count(),
            .loss = meter.loss(),
            .accuracy = meter.accuracy(),
            .scale = scaler_.get_scale(),
            .skipped = scaler_.counters().skipped};
  }

  /// Appends a row to the float64 matrix [N, 3] that the checkpoint carries.
  static void append(amp::Tensor& rows, const std::array<double, 3>& row) {
    const amp::Tensor last = amp::tensor(row, {1, 3});
    rows = amp::cat({rows, last}, 0);
  }

  Result result() {
    const auto epochs = epochs_.to_vector<double>(), scales = scales_.to_vector<double>();
    for (std::size_t i = 0; i < epochs.size(); i += 3)
      result_.epochs.push_back({epochs[i], epochs[i + 1], epochs[i + 2]});
    for (std::size_t i = 0; i < scales.size(); i += 3)
      result_.scales.push_back({static_cast<std::int64_t>(scales[i]), scales[i + 1],
                                static_cast<std::int64_t>(scales[i + 2])});
    result_.skipped = scaler_.counters().skipped;
    if (measured_steps_ > 0)
      result_.seconds_per_step = seconds_ / static_cast<double>(measured_steps_);
    return result_;
  }

  Precision precision_;
  const Options& options_;
  amp::Device device_;
  examples::Loader train_, test_;
  std::int64_t images_, steps_per_epoch_;
  Cnn model_;
  std::unique_ptr<amp::Optimizer> optimizer_;
  amp::GradScaler scaler_;

  std::int64_t epoch_ = 0, step_ = 0;  // done
  std::string settings_;
  amp::Tensor epochs_ = amp::empty({0, 3}, {.dtype = amp::kFloat64});  // rows: examples::Epoch
  amp::Tensor scales_ = amp::empty({0, 3}, {.dtype = amp::kFloat64});  // examples::ScaleSample
  amp::Checkpoint checkpoint_;

  double seconds_ = 0;
  std::int64_t measured_steps_ = 0;
  Result result_;
};

// --- all of them --------------------------------------------------------------------------------

Result train(const Precision& precision, const Data& data, const Options& options) {
  amp::reset_peak_memory(options.device == "cuda" ? amp::kCUDA : amp::kCPU);
  amp::manual_seed(options.seed);  // equal initial weights
  const Result result = Trainer(precision, data, options).run();
  if (result.epochs.empty()) throw amp::Error("nothing was trained");
  std::printf("%-8s  test accuracy %.2f %%\n", precision.name,
              100 * result.epochs.back().test_accuracy);
  return result;
}

void run_all(const Options& options) {
  std::vector<Result> results;
  for (std::int64_t i = 0; i < options.seeds; ++i) {
    Options seeded = options;
    seeded.seed += static_cast<std::uint64_t>(i);
    const Data data = load(seeded);
    std::printf(
        "%s: %lld training images, %lld test images\n%s, learning rate %g, batches of "
        "%lld, seed %llu\n",
        options.dataset.c_str(), static_cast<long long>(data.sets.train.count()),
        static_cast<long long>(data.sets.test.count()), options.optimizer.c_str(), options.lr,
        static_cast<long long>(options.batch_size), static_cast<unsigned long long>(seeded.seed));
    for (const Precision& precision : kPrecisions) {
      if (options.precision == "all" || options.precision == precision.name)
        results.push_back(train(precision, data, seeded));
    }
  }
  if (results.size() > 1) examples::print_table(results);
  if (!options.report.empty()) examples::write_report(options, results);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Options options = examples::parse_options(argc, argv);
    options.help ? examples::print_help() : run_all(options);
    return 0;
  } catch (const examples::UsageError& error) {
    std::fprintf(stderr, "train_cnn: %s; --help lists the flags\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "train_cnn: %s\n", error.what());
    return 1;
  }
}
