// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Trains a small convolutional network on images, once per number format, from the same weights and
// on the same batches, and compares. `train_cnn --help` lists the flags.
#include "data/cifar10.hpp"
#include "data/drawn.hpp"
#include "data/idx.hpp"
#include "trainer/options.hpp"
#include "trainer/report.hpp"

#include <amp/amp.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <vector>

namespace {

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

// --- the network --------------------------------------------------------------------------------

/// Uniform in +-1/sqrt(fan_in), as torch initialises weights and biases of both kinds of layer.
amp::Tensor parameter(const amp::Shape& shape, std::int64_t fan_in, amp::DType dtype) {
  const amp::NoGradGuard no_grad;
  const double bound = 1 / std::sqrt(static_cast<double>(fan_in));
  amp::Tensor values = (amp::rand(shape) * (2 * bound) - bound).to(dtype);
  values.requires_grad_();
  return values;
}

/// Two convolutions and two linear layers; 32x32 images in, one score per class out.
struct Cnn {
  amp::Tensor conv1_weight, conv1_bias, conv2_weight, conv2_bias;
  amp::Tensor linear1_weight, linear1_bias, linear2_weight, linear2_bias;

  Cnn(std::int64_t channels, std::int64_t classes, amp::DType dtype)
      : conv1_weight(parameter({32, channels, 3, 3}, channels * 9, dtype)),
        conv1_bias(parameter({32}, channels * 9, dtype)),
        conv2_weight(parameter({64, 32, 3, 3}, 32 * 9, dtype)),
        conv2_bias(parameter({64}, 32 * 9, dtype)),
        linear1_weight(parameter({256, 4096}, 4096, dtype)),
        linear1_bias(parameter({256}, 4096, dtype)),
        linear2_weight(parameter({classes, 256}, 256, dtype)),
        linear2_bias(parameter({classes}, 256, dtype)) {}

  [[nodiscard]] amp::Tensor forward(const amp::Tensor& images) const {
    const amp::Conv2dOptions same_size{.padding = 1};
    amp::Tensor x = amp::relu(amp::conv2d(images, conv1_weight, conv1_bias, same_size));
    x = amp::max_pool2d(x, 2);
    x = amp::relu(amp::conv2d(x, conv2_weight, conv2_bias, same_size));
    x = amp::max_pool2d(x, 2);
    x = amp::relu(amp::linear(x.flatten(1), linear1_weight, linear1_bias));
    return amp::linear(x, linear2_weight, linear2_bias);
  }

  [[nodiscard]] std::vector<amp::Tensor> parameters() const {
    return {conv1_weight,   conv1_bias,   conv2_weight,   conv2_bias,
            linear1_weight, linear1_bias, linear2_weight, linear2_bias};
  }
};

// --- the images ---------------------------------------------------------------------------------

/// Normalised float32 images [N, C, 32, 32] and their int64 classes [N]: a whole set, or a batch.
struct Samples {
  amp::Tensor images, targets;
  [[nodiscard]] std::int64_t count() const { return targets.size(0); }
};

/// The images that `indices` names, in that order.
Samples pick(const Samples& samples, const amp::Tensor& indices) {
  return {.images = amp::index_select(samples.images, 0, indices),
          .targets = amp::index_select(samples.targets, 0, indices)};
}

struct Data {
  Samples train, test;
  std::int64_t classes = 0;
};

examples::TrainAndTest load_files(const Options& options) {
  if (options.dataset == "drawn") return examples::load_drawn(options.seed);
  if (options.dataset == "cifar10") return examples::load_cifar10(options.data);
  return examples::load_idx(options.data);
}

Samples to_tensors(const examples::Dataset& set, const std::vector<examples::ChannelStats>& stats) {
  const std::vector<float> pixels = examples::normalise(set, stats);
  return {.images = amp::tensor(pixels, {set.count(), set.channels, set.height, set.width}),
          .targets = amp::tensor(set.labels, {set.count()})};
}

/// The test images are normalised by the mean and deviation of the training images.
Data load(const Options& options) {
  auto [train, test] = load_files(options);
  if (options.limit > 0) {
    examples::truncate(train, options.limit);
    examples::truncate(test, options.limit);
  }
  const auto stats = examples::channel_stats(train);
  return {.train = to_tensors(examples::pad(train, 32, 32), stats),
          .test = to_tensors(examples::pad(test, 32, 32), stats),
          .classes = train.classes};
}

// --- training -----------------------------------------------------------------------------------

struct Prediction {
  amp::Tensor logits, loss;
};

Prediction predict(const Cnn& model, const Samples& batch, const Precision& precision) {
  const amp::AutocastGuard autocast(
      amp::kCPU, {.dtype = precision.autocast, .enabled = precision.autocast.has_value()});
  const amp::Tensor logits = model.forward(batch.images.to(precision.storage));
  return {.logits = logits, .loss = amp::cross_entropy(logits, batch.targets)};
}

/// Loss and accuracy, summed where the tensors are: adding a batch waits for nothing.
class Meter {
 public:
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

  amp::Tensor loss_ = amp::zeros(amp::Shape{});
  amp::Tensor correct_ = amp::zeros(amp::Shape{}, {.dtype = amp::kInt64});
  std::int64_t count_ = 0;
};

examples::Status status(const Meter& meter, const amp::GradScaler& scaler) {
  return {.images = meter.count(),
          .loss = meter.loss(),
          .accuracy = meter.accuracy(),
          .scale = scaler.get_scale(),
          .skipped = scaler.counters().skipped};
}

/// The training images in the order of one epoch, which is the same for every precision.
amp::Tensor epoch_order(std::int64_t count, std::uint64_t seed, std::int64_t epoch) {
  examples::Random random(seed * 1000003 + static_cast<std::uint64_t>(epoch));
  return amp::tensor(random.permutation(count), {count});
}

/// Every precision takes these same lines: a scaler or an autocast that is off changes nothing.
template <typename Optimizer>
Result train(const Cnn& model, Optimizer&& optimizer, const Samples& samples,
             const Precision& precision, const Options& options) {
  const std::int64_t count = samples.count();
  amp::GradScaler scaler({.enabled = precision.scaling});
  examples::Progress progress(precision.name, options.epochs, count);
  Meter meter;
  std::int64_t steps = 0;
  const double began = examples::seconds_now();
  for (std::int64_t epoch = 1; epoch <= options.epochs; ++epoch) {
    const amp::Tensor order = epoch_order(count, options.seed, epoch);
    progress.begin_epoch();
    meter = Meter();
    while (meter.count() < count) {
      const std::int64_t size = std::min(options.batch_size, count - meter.count());
      const Samples batch = pick(samples, order.narrow(0, meter.count(), size));
      const Prediction prediction = predict(model, batch, precision);
      optimizer.zero_grad();
      scaler.scale(prediction.loss).backward();
      scaler.step(optimizer);
      scaler.update();
      meter.add(prediction, batch.targets);
      ++steps;
      if (progress.due() || meter.count() == count) progress.show(status(meter, scaler));
    }
  }
  return {.name = precision.name,
          .seconds_per_step = (examples::seconds_now() - began) / static_cast<double>(steps),
          .loss = meter.loss(),
          .skipped = scaler.counters().skipped};
}

double test_accuracy(const Cnn& model, const Samples& samples, const Precision& precision,
                     std::int64_t batch_size) {
  const amp::NoGradGuard no_grad;
  Meter meter;
  while (meter.count() < samples.count()) {
    const std::int64_t size = std::min(batch_size, samples.count() - meter.count());
    const Samples batch{.images = samples.images.narrow(0, meter.count(), size),
                        .targets = samples.targets.narrow(0, meter.count(), size)};
    meter.add(predict(model, batch, precision), batch.targets);
  }
  return meter.accuracy();
}

Result run(const Precision& precision, const Data& data, const Options& options) {
  const std::int64_t data_bytes = amp::memory_stats(amp::kCPU).current_bytes;
  amp::reset_peak_memory(amp::kCPU);
  amp::manual_seed(options.seed);  // equal initial weights
  const Cnn model(data.train.images.size(1), data.classes, precision.storage);
  const std::vector<amp::Tensor> parameters = model.parameters();
  Result result =
      options.optimizer == "adam"
          ? train(model, amp::Adam(parameters, {.lr = options.lr}), data.train, precision, options)
          : train(model, amp::SGD(parameters, {.lr = options.lr, .momentum = 0.9}), data.train,
                  precision, options);
  result.peak_bytes = amp::memory_stats(amp::kCPU).peak_bytes - data_bytes;
  result.test_accuracy = test_accuracy(model, data.test, precision, options.batch_size);
  std::printf("%-8s  test accuracy %.2f %%\n", precision.name, 100 * result.test_accuracy);
  return result;
}

void run_all(const Options& options) {
  const Data data = load(options);
  std::printf("%s: %lld training images, %lld test images\n%s, learning rate %g, batches of %lld\n",
              options.dataset.c_str(), static_cast<long long>(data.train.count()),
              static_cast<long long>(data.test.count()), options.optimizer.c_str(), options.lr,
              static_cast<long long>(options.batch_size));
  std::vector<Result> results;
  for (const Precision& precision : kPrecisions) {
    if (options.precision != "all" && options.precision != precision.name) continue;
    results.push_back(run(precision, data, options));
  }
  if (options.precision == "all") examples::print_table(results);
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
