// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Trains a small convolutional network on images, once for each number format, from the same
// weights and on the same batches, and compares the results. `train_cnn --help` lists the flags.
#include "data/drawn.hpp"
#include "data/images.hpp"
#include "trainer/history.hpp"
#include "trainer/meter.hpp"
#include "trainer/options.hpp"
#include "trainer/progress.hpp"
#include "trainer/ranks.hpp"
#include "trainer/report.hpp"
#include "trainer/stop.hpp"

#include <amp/amp.hpp>
#include <amp/data.hpp>
#include <amp/diagnostics.hpp>
#include <amp/distributed.hpp>
#include <amp/safetensors.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace {

namespace data = amp::data;
namespace nn = amp::nn;
using examples::Meter;
using examples::Options;
using examples::Prediction;
using examples::Ranks;
using examples::Result;

/// A precision: the format of weights and inputs, the dtype of autocast, gradient scaling.
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
  examples::ChannelStats stats;  // of the training images, also for the test images
};

examples::TrainAndTest load_files(const Options& options) {
  if (options.dataset == "drawn") return examples::load_drawn(options.seed);
  const auto load = [&]<class Files>() -> examples::TrainAndTest {
    return {.train = Files(options.data), .test = Files(options.data, {.train = false})};
  };
  if (options.dataset == "cifar10") return load.operator()<data::CIFAR10>();
  if (options.dataset == "mnist") return load.operator()<data::MNIST>();
  return load.operator()<data::FashionMNIST>();
}

Data load(const Options& options) {
  auto [train, test] = load_files(options);
  if (options.limit > 0) {
    train = examples::first(train, options.limit);
    test = examples::first(test, options.limit);
  }
  return {.sets = {.train = examples::pad(train, 32), .test = examples::pad(test, 32)},
          .stats = examples::channel_stats(train)};
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

/// A model in training. All precisions run the same code: a disabled scaler or autocast scope
/// changes nothing.
class Trainer {
 public:
  Trainer(const Precision& precision, const Data& data, const Options& options, Ranks& ranks)
      : precision_(precision),
        options_(options),
        ranks_(ranks),
        device_(ranks.device(options.device == "cuda" ? amp::kCUDA : amp::kCPU)),
        train_(examples::make_loader(data.sets.train, data.stats,
                                     {.batch_size = options.batch_size,
                                      .seed = options.seed,
                                      .augment = options.augment,
                                      .workers = options.workers,
                                      .rank = ranks.rank(),
                                      .ranks = ranks.size(),
                                      .device = device_})),
        test_(examples::make_loader(data.sets.test, data.stats,
                                    {.batch_size = options.batch_size,
                                     .shuffle = false,
                                     .workers = options.workers,
                                     .rank = ranks.rank(),
                                     .ranks = ranks.size(),
                                     .device = device_})),
        images_(data.sets.train.size()),
        batches_(train_.size()),
        steps_per_epoch_((batches_ + options.accumulate - 1) / options.accumulate),
        model_(data.sets.train.images().size(1), examples::kClasses),
        scaler_({.init_scale = options.init_scale.value_or(amp::GradScalerOptions{}.init_scale),
                 .enabled = precision.scaling && options.scaling,
                 .agree = agreement()}),
        history_(steps_per_epoch_) {
    if (!options.policies.empty()) policies_ = amp::OpPolicies::load(options.policies);
    model_.check_policies(policies_);
    model_.to(precision.storage);
    model_.to(device_);
    if (amp::Communicator* const communicator = ranks.communicator(device_))
      parallel_.emplace(model_, *communicator);
    optimizer_ = make_optimizer(options, model_, options.epochs * steps_per_epoch_);
    checkpoint_.add("model", model_).add("optimizer", *optimizer_).add("scaler", scaler_);
    checkpoint_.add("epoch", epoch_).add("batch", batch_).add("step", step_);
    checkpoint_.add("settings", settings_).add("epochs", epochs_).add_random_stream();
    epoch_meter_.add_to(checkpoint_, "epoch_meter");
    sample_meter_.add_to(checkpoint_, "sample_meter");
    history_.add_to(checkpoint_);
  }

  /// Trains. Returns nothing if it was stopped; the checkpoint is then saved.
  std::optional<Result> run() {
    if (options_.resume) {
      resume();
    } else if (examples::checkpoint_exists(options_)) {
      std::printf("%s will be replaced; --resume goes on from it\n", options_.checkpoint.c_str());
    }
    examples::Progress progress(precision_.name, options_.epochs, images_);
    while (epoch_ < options_.epochs) {
      if (!train_epoch(progress)) {
        progress.leave();
        tell_stopped();
        return {};
      }
      save();
    }
    return result();
  }

 private:
  amp::AgreeCallback agreement() const {
    amp::Communicator* const communicator = ranks_.communicator(device_);
    return communicator != nullptr ? amp::agreement(*communicator) : amp::AgreeCallback();
  }

  /// The first rank writes the checkpoint, with the measurements of all ranks.
  void save() {
    if (options_.checkpoint.empty()) return;
    epoch_meter_.move_to_first(ranks_);
    sample_meter_.move_to_first(ranks_);
    if (ranks_.is_first()) checkpoint_.save(options_.checkpoint);
  }
  bool stop_requested() const { return ranks_.any(examples::stop_requested()); }

  void resume() {
    const bool exists = examples::checkpoint_exists(options_);
    if (ranks_.any(exists) != exists)
      throw amp::Error(options_.checkpoint +
                       " is not there on every rank; resume from a folder "
                       "that all machines share");
    if (!exists) {
      std::printf("%s is not there yet: beginning\n", options_.checkpoint.c_str());
      return;
    }
    std::string saved;
    amp::Checkpoint().add("settings", saved).load(options_.checkpoint);
    const std::string other =
        examples::differences(examples::parse_settings(saved), settings_of(options_));
    if (!other.empty()) {
      throw amp::Error(options_.checkpoint +
                       " is of another training; go on with the settings it has:" + other);
    }
    checkpoint_.load(options_.checkpoint);
    if (!ranks_.is_first()) epoch_meter_ = sample_meter_ = {};
    std::printf("%s: after step %lld, %s\n", options_.checkpoint.c_str(),
                static_cast<long long>(step_), position().c_str());
    std::fflush(stdout);
  }

  /// The number of images of this epoch that all ranks have processed.
  [[nodiscard]] std::int64_t images_done() const {
    return std::min(batch_ * options_.batch_size, images_);
  }

  /// For example "after epoch 2", or "400 of 5000 images into epoch 3".
  [[nodiscard]] std::string position() const {
    if (batch_ == 0) return "after epoch " + std::to_string(epoch_);
    return std::to_string(images_done()) + " of " + std::to_string(images_) +
           " images into epoch " + std::to_string(epoch_ + 1);
  }

  void tell_stopped() {
    std::printf("%s: stopped after step %lld, %s\n", precision_.name, static_cast<long long>(step_),
                position().c_str());
    if (options_.checkpoint.empty()) {
      std::printf(
          "nothing was saved: with --checkpoint FILE and one --precision, a training that is "
          "stopped can be resumed\n");
      return;
    }
    save();
    std::printf("saved; to go on:\n  %s%s\n", options_.command.c_str(),
                options_.resume ? "" : " --resume");
  }

  /// Trains the rest of an epoch. Returns false if it was stopped.
  bool train_epoch(examples::Progress& progress) {
    const double began = examples::seconds_now();
    const std::int64_t first = step_;
    gradients_ = amp::GradientHistogram();
    train_.set_epoch(epoch_, batch_);
    examples::Loader::Iterator batch = train_.begin();
    progress.begin_epoch(epoch_ + 1, images_done());
    while (batch_ < batches_) {
      train_step(batch);
      if (stop_requested()) return false;
      if (options_.checkpoint_steps > 0 && step_ % options_.checkpoint_steps == 0) save();
      if (progress.due() && batch_ < batches_) progress.show(status());
    }
    epoch_meter_.move_to_first(ranks_);
    progress.show(status());  // synchronises
    seconds_ += examples::seconds_now() - began;
    measured_steps_ += step_ - first;
    const std::optional<double> tested = test_accuracy();
    if (!tested) return false;
    const Meter::Means means = epoch_meter_.means();
    const std::array<double, 3> row = {means.loss, means.accuracy, *tested};
    epochs_ = amp::cat({epochs_, amp::tensor(row, {1, 3})}, 0);
    peak_bytes_ = amp::memory_stats(device_).peak_bytes;
    epoch_meter_ = {};
    batch_ = 0;
    ++epoch_;
    return true;
  }

  void train_step(examples::Loader::Iterator& batch) {
    const Watch watch(*this);
    const std::int64_t batches = std::min(options_.accumulate, batches_ - batch_);
    optimizer_->zero_grad();
    for (std::int64_t i = 0; i < batches; ++i, ++batch) {
      const auto& [images, targets] = *batch;
      Prediction prediction;
      {
        const Watch::Scope watching(watch);
        backward(images, targets,
                 {.number = batch_ + i, .count = batches, .last = i + 1 == batches}, prediction);
      }
      if (images.size(0) == 0) continue;
      epoch_meter_.add(prediction, targets);
      sample_meter_.add(prediction, targets);
    }
    if (options_.clip > 0) scaler_.unscale_and_clip(*optimizer_, options_.clip);
    scaler_.step(*optimizer_);
    scaler_.update();
    ++step_;
    batch_ += batches;
    if (!history_.due(step_)) return;
    sample_meter_.move_to_first(ranks_);
    history_.add({.step = step_,
                  .loss = sample_meter_.means().loss,
                  .scale = scaler_.get_scale(),
                  .skipped = scaler_.counters().skipped});
    sample_meter_ = {};
  }

  /// The number of a batch in its epoch, and its position in its step.
  struct OfStep {
    std::int64_t number, count;
    bool last;
  };
  /// Adds the gradients of a batch. The last batch of a step averages those of all ranks.
  void backward(const amp::Tensor& images, const amp::Tensor& targets, OfStep step,
                Prediction& prediction) {
    const std::int64_t own = images.size(0);
    const std::int64_t begin = step.number * options_.batch_size;
    const std::int64_t total = std::min(options_.batch_size, images_ - begin);  // of all ranks
    std::optional<amp::NoSyncGuard> adds_only;
    if (parallel_ && !step.last) adds_only.emplace(*parallel_);
    if (own == 0) {  // there are more ranks than images
      (void)scaler_.scale(amp::zeros({}, {.device = device_}));
      if (step.last) parallel_->backward_without_samples();
      return;
    }
    prediction = predict(images, targets);
    amp::Tensor loss = step.count > 1 ? prediction.loss / step.count : prediction.loss;
    if (parallel_ && own * ranks_.size() != total) loss = parallel_->weigh(loss, own, total);
    scaler_.scale(loss).backward();
  }

  /// Collects the data of a step for the report: in every eighth step of an epoch the gradients of
  /// activations, and in the last epoch's second step a trace. Such steps are not timed.
  class Watch {
   public:
    explicit Watch(Trainer& trainer) : trainer_(trainer), began_(examples::seconds_now()) {
      if (trainer.options_.report.empty()) return;
      const std::int64_t step = trainer.batch_ / trainer.options_.accumulate;  // of this epoch
      const bool last_epoch = trainer.epoch_ + 1 == trainer.options_.epochs;
      counts_ = step % 8 == 0;
      traces_ = last_epoch && step == std::min<std::int64_t>(1, trainer.steps_per_epoch_ - 1);
      if (counts_) trainer.gradients_.set_scale(trainer.scaler_.get_scale());
    }
    ~Watch() {
      if (!counts_ && !traces_) return;
      trainer_.seconds_ -= examples::seconds_now() - began_;
      --trainer_.measured_steps_;
    }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

    /// The scope around forward and backward.
    class Scope {
     public:
      explicit Scope(const Watch& watch) {
        Trainer& trainer = watch.trainer_;
        if (watch.counts_)
          counting_.emplace(trainer.gradients_,
                            amp::GradientHistogramOptions{.only = trainer.precision_.autocast});
        if (watch.traces_) tracing_.emplace(trainer.trace_);
      }

     private:
      std::optional<amp::GradientHistogramGuard> counting_;
      std::optional<amp::TraceGuard> tracing_;
    };

   private:
    Trainer& trainer_;
    double began_;
    bool counts_ = false, traces_ = false;
  };

  Prediction predict(const amp::Tensor& images, const amp::Tensor& targets) const {
    const amp::AutocastGuard autocast(device_.type, {.dtype = precision_.autocast,
                                                     .enabled = precision_.autocast.has_value(),
                                                     .policies = policies_});
    const amp::Tensor logits = model_.forward(images.to(precision_.storage));
    return {.logits = logits, .loss = amp::cross_entropy(logits, targets)};
  }

  /// Returns nothing if it was stopped.
  std::optional<double> test_accuracy() {
    const amp::NoGradGuard no_grad;
    Meter meter;
    for (const auto& [images, targets] : test_) {
      if (images.size(0) > 0) meter.add(predict(images, targets), targets);
      if (stop_requested()) return {};
    }
    meter.move_to_first(ranks_);
    return meter.means().accuracy;
  }

  [[nodiscard]] examples::Status status() const {
    const Meter::Means means = epoch_meter_.means();
    examples::Status status{
        .images = images_done(), .loss = means.loss, .accuracy = means.accuracy};
    if (scaler_.is_enabled()) {
      status.scale = scaler_.get_scale();
      status.skipped = scaler_.counters().skipped;
    }
    return status;
  }

  [[nodiscard]] Result result() const {
    Result result{.name = precision_.name,
                  .seed = options_.seed,
                  .peak_bytes = peak_bytes_,
                  .scaled = scaler_.is_enabled(),
                  .skipped = scaler_.counters().skipped,
                  .samples = history_.samples(),
                  .gradients = gradients_,
                  .trace = trace_};
    if (measured_steps_ > 0)
      result.seconds_per_step = seconds_ / static_cast<double>(measured_steps_);
    const std::vector<double> epochs = epochs_.to_vector<double>();
    for (std::size_t i = 0; i < epochs.size(); i += 3)
      result.epochs.push_back({epochs[i], epochs[i + 1], epochs[i + 2]});
    return result;
  }

  Precision precision_;
  const Options& options_;
  Ranks& ranks_;
  amp::Device device_;
  examples::Loader train_, test_;
  std::int64_t images_, batches_, steps_per_epoch_;
  Cnn model_;
  std::optional<amp::DataParallel> parallel_;  // if there are several ranks
  std::unique_ptr<amp::Optimizer> optimizer_;
  amp::GradScaler scaler_;

  std::int64_t epoch_ = 0, batch_ = 0, step_ = 0;  // done: epochs, batches of the next, steps
  std::string settings_ = examples::to_string(settings_of(options_));
  Meter epoch_meter_, sample_meter_;
  examples::History history_;
  amp::Tensor epochs_ = amp::empty({0, 3}, {.dtype = amp::kFloat64});  // rows: examples::Epoch
  amp::Checkpoint checkpoint_;
  amp::OpPolicies policies_;
  amp::GradientHistogram gradients_;  // of activations, in this epoch and process
  amp::Trace trace_;

  double seconds_ = 0;
  std::int64_t measured_steps_ = 0;
  std::int64_t peak_bytes_ = 0;
};

// --- all of them --------------------------------------------------------------------------------

std::string why_no_gpu() {
#if defined(AMP_TRAINER_CUDA)
  try {
    (void)amp::empty({1}, {.device = amp::kCUDA});
  } catch (const amp::Error& error) {
    return error.what();
  }
  return {};
#else
  return "this trainer was built without CUDA, because no GPU or no nvcc was found; if there are "
         "both, build it again";
#endif
}

void require_device(const Options& options) {
  if (options.device == "cuda" && !amp::is_available(amp::kCUDA)) {
    throw amp::Error("--device cuda: no GPU can be used: " + why_no_gpu() +
                     ". --device cpu needs none");
  }
}

std::optional<Result> train(const Precision& precision, const Data& data, const Options& options,
                            Ranks& ranks) {
  amp::reset_peak_memory(options.device == "cuda" ? amp::kCUDA : amp::kCPU);
  amp::manual_seed(options.seed);  // equal initial weights
  const std::optional<Result> result = Trainer(precision, data, options, ranks).run();
  if (!result) return {};
  if (result->epochs.empty()) throw amp::Error("nothing was trained");
  std::printf("%-8s  test accuracy %.2f %%\n", precision.name,
              100 * result->epochs.back().test_accuracy);
  return result;
}

/// Prints the library that computes matmuls and convolutions, and its formats.
void tell_capabilities() {
  const amp::CpuCapabilities& cpu = amp::cpu_capabilities();
  const auto how = [](bool native) {
    return native ? "multiplied as it is" : "widened to float32";
  };
  std::printf("%d threads, %s with %s: bfloat16 is %s, float16 is %s\n", amp::num_threads(),
              cpu.library.c_str(), cpu.instructions.c_str(), how(cpu.bfloat16), how(cpu.float16));
}

/// Trains one seed in each requested precision. Returns false if it was stopped.
bool train_seed(const Options& options, Ranks& ranks, std::vector<Result>& results) {
  const Data data = load(options);
  std::printf(
      "%s: %lld training images, %lld test images\n%s, learning rate %g, batches of "
      "%lld, seed %llu\n",
      options.dataset.c_str(), static_cast<long long>(data.sets.train.size()),
      static_cast<long long>(data.sets.test.size()), options.optimizer.c_str(), options.lr,
      static_cast<long long>(options.batch_size), static_cast<unsigned long long>(options.seed));
  if (options.device == "cpu") tell_capabilities();
  std::fflush(stdout);
  for (const Precision& precision : kPrecisions) {
    if (options.precision != "all" && options.precision != precision.name) continue;
    const std::optional<Result> result = train(precision, data, options, ranks);
    if (!result) return false;
    results.push_back(*result);
  }
  return true;
}

/// Runs all trainings. Returns the program's exit status.
int run_all(const Options& options, Ranks& ranks) {
  require_device(options);
  examples::require_outputs(options);
  examples::catch_stop_signals();
  std::vector<Result> results;
  bool finished = true;
  for (std::int64_t i = 0; i < options.seeds && finished; ++i) {
    Options seeded = options;
    seeded.seed += static_cast<std::uint64_t>(i);
    finished = train_seed(seeded, ranks, results);
  }
  if (!results.empty() && ranks.is_first()) {
    examples::print_results(options, results);
    if (!options.report.empty()) examples::write_report(options, results);
  }
  return finished ? 0 : examples::kStoppedStatus;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Options options = examples::parse_options(argc, argv);
    if (!options.help)
      return Ranks::run(argc, argv, [&](Ranks& ranks) { return run_all(options, ranks); });
    examples::print_help();
    return 0;
  } catch (const examples::UsageError& error) {
    std::fprintf(stderr, "train_cnn: %s; --help lists the flags\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "train_cnn: %s\n", error.what());
    return 1;
  }
}
