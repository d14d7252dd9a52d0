// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Twenty steps of the CIFAR-10 network against PyTorch's: equal weights, equal batches, loss by
// loss.
#include <amp/amp.hpp>

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "goldens/blocks.hpp"
#include "support/catch.hpp"
#include "support/splitmix64.hpp"

namespace train_cnn_golden {
namespace {

constexpr std::size_t kSteps = 20;
constexpr std::int64_t kBatch = 64;
constexpr std::size_t kRecord = 1 + 3 * 32 * 32;

using Numbers = std::vector<double>;
using Curve = std::array<double, kSteps>;

// --- goldens ------------------------------------------------------------------------------------

const goldens::Block& golden(std::string_view title) {
  static const std::vector<goldens::Block> blocks = goldens::read_blocks("train_cnn.txt");
  return goldens::titled(blocks, title);
}

Curve losses_of(std::string_view run) {
  const Numbers losses = golden(run)["losses"].values;
  AMP_CHECK(losses.size() == kSteps, run, " has ", losses.size(), " losses");
  Curve curve{};
  std::copy(losses.begin(), losses.end(), curve.begin());
  return curve;
}

std::vector<std::string> parameter_names() {
  std::istringstream words(golden("start").text("parameters"));
  return {std::istream_iterator<std::string>(words), {}};
}

// --- initial weights and batches: the formulas of tests/goldens/make_train_cnn.py ---------------

/// Parameter tensor `number`: uniform in [-1, 1) / sqrt(fan_in).
amp::Tensor parameter(std::uint64_t number, const amp::Shape& shape, int fan_in) {
  const auto bound = static_cast<float>(1 / std::sqrt(static_cast<double>(fan_in)));
  std::vector<float> values(static_cast<std::size_t>(shape.numel()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint64_t hash = amp_test::splitmix64(number << 32 | i);
    const float uniform = static_cast<float>(hash >> 40) * 0x1p-23F - 1;  // exact
    values[i] = uniform * bound;
  }
  return amp::tensor(values, shape, {.requires_grad = true});
}

struct Network {
  std::vector<amp::Tensor> parameters = {
      parameter(0, {32, 3, 3, 3}, 27),   parameter(1, {32}, 27),
      parameter(2, {64, 32, 3, 3}, 288), parameter(3, {64}, 288),
      parameter(4, {256, 4096}, 4096),   parameter(5, {256}, 4096),
      parameter(6, {10, 256}, 256),      parameter(7, {10}, 256)};

  amp::Tensor forward(amp::Tensor x) const {
    const auto& p = parameters;
    const amp::Conv2dOptions same_size{.padding = 1};
    x = amp::max_pool2d(amp::relu(amp::conv2d(x, p[0], p[1], same_size)), 2);
    x = amp::max_pool2d(amp::relu(amp::conv2d(x, p[2], p[3], same_size)), 2);
    x = amp::relu(amp::linear(x.flatten(1), p[4], p[5]));
    return amp::linear(x, p[6], p[7]);
  }
};

struct Batch {
  amp::Tensor images, labels;
};

Batch batch_of(const std::uint8_t* records) {
  constexpr float kMean[] = {0.4914F, 0.4822F, 0.4465F};
  constexpr float kDeviation[] = {0.2470F, 0.2435F, 0.2616F};
  std::vector<float> pixels;
  std::vector<std::int64_t> labels;
  for (std::int64_t image = 0; image < kBatch; ++image, records += kRecord) {
    labels.push_back(records[0]);
    for (std::size_t i = 0; i + 1 < kRecord; ++i) {
      const std::size_t channel = i / 1024;
      const float value = static_cast<float>(records[1 + i]) / 255.0F;
      pixels.push_back((value - kMean[channel]) / kDeviation[channel]);
    }
  }
  return {.images = amp::tensor(pixels, {kBatch, 3, 32, 32}),
          .labels = amp::tensor(labels, {kBatch})};
}

/// The first kSteps batches of CIFAR-10, or none where the data set is not at hand.
std::vector<Batch> read_batches() {
  const char* folder = std::getenv("AMP_DATA_DIR");
  if (folder == nullptr || *folder == '\0') return {};
  const std::string path = std::string(folder) + "/cifar-10/data_batch_1.bin.gz";
  const gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) return {};
  std::vector<std::uint8_t> bytes(kSteps * kBatch * kRecord);
  const int count = gzread(file, bytes.data(), static_cast<unsigned>(bytes.size()));
  gzclose(file);
  INFO(path);
  REQUIRE(count == static_cast<int>(bytes.size()));
  std::vector<Batch> batches;
  for (std::size_t step = 0; step < kSteps; ++step) {
    batches.push_back(batch_of(bytes.data() + step * kBatch * kRecord));
  }
  return batches;
}

constexpr const char* kNoData = "AMP_DATA_DIR has no cifar-10/data_batch_1.bin.gz";

// --- training -----------------------------------------------------------------------------------

struct Precision {
  std::optional<amp::DType> autocast = {};
  bool scaling = false;
};
constexpr Precision kPlain = {};
const Precision kAmpBFloat16 = {.autocast = amp::kBFloat16};
const Precision kAmpFloat16 = {.autocast = amp::kFloat16, .scaling = true};

amp::SGD sgd(const Network& network) {
  return amp::SGD(network.parameters, amp::SGDOptions{.lr = 0.01, .momentum = 0.9});
}
amp::Adam adam(const Network& network) {
  return amp::Adam(network.parameters, amp::AdamOptions{.lr = 1e-3});
}

/// The losses before each update.
template <typename Optimizer>
Curve train(const std::vector<Batch>& batches, const Network& network, Optimizer optimizer,
            const Precision& precision) {
  amp::GradScaler scaler({.enabled = precision.scaling});
  Curve losses{};
  int skipped = 0;
  for (std::size_t step = 0; step < kSteps; ++step) {
    amp::Tensor loss;
    {
      const amp::AutocastGuard autocast(
          amp::kCPU, {.dtype = precision.autocast, .enabled = precision.autocast.has_value()});
      loss = amp::cross_entropy(network.forward(batches[step].images), batches[step].labels);
    }
    CHECK(loss.dtype() == amp::kFloat32);
    optimizer.zero_grad();
    scaler.scale(loss).backward();
    skipped += scaler.step(optimizer).skipped() ? 1 : 0;
    scaler.update();
    losses[step] = loss.item<double>();
  }
  if (skipped > 0) std::printf("the scaler skipped %d of %zu steps\n", skipped, kSteps);
  return losses;
}

// --- comparison ---------------------------------------------------------------------------------

constexpr Curve everywhere(double limit) {
  Curve limits{};
  limits.fill(limit);
  return limits;
}

/// Five times the largest spread of two runs up to each step. Early steps, at which PyTorch's runs
/// agree to the last bit, are allowed what the longest sum of the network may lose: 4096 products
/// added in an order of one's own drift like a random walk, by sqrt(4096) roundings of 2^-24.
Curve five_times_spread(const Curve& run, const Curve& other) {
  Curve limits{};
  double largest = 64 * 0x1p-24 / 5;
  for (std::size_t step = 0; step < kSteps; ++step) {
    largest = std::max(largest, std::abs(other[step] - run[step]) / run[step]);
    limits[step] = 5 * largest;
  }
  return limits;
}

void compare(const char* name, const Curve& losses, const Curve& golden, const Curve& limits) {
  double worst = 0;
  std::size_t worst_step = 0;
  double nearest_limit = 0;
  for (std::size_t step = 0; step < kSteps; ++step) {
    const double error = std::abs(losses[step] - golden[step]) / golden[step];
    INFO(name << ", step " << step << ": loss " << losses[step] << ", PyTorch " << golden[step]);
    CHECK(error <= limits[step]);
    nearest_limit = std::max(nearest_limit, error / limits[step]);
    if (error > worst) {
      worst = error;
      worst_step = step;
    }
  }
  std::printf("%-42s relative difference up to %.2g (step %zu); %.2g of the limit\n", name, worst,
              worst_step, nearest_limit);
}

double sum_of_magnitudes(const amp::Tensor& tensor) {
  double sum = 0;
  for (const double value : tensor.to_vector<double>()) sum += std::abs(value);
  return sum;
}

}  // namespace

TEST_CASE("CIFAR-10 network: weights, pixels and first gradients are PyTorch's") {
  const std::vector<Batch> batches = read_batches();
  if (batches.empty()) AMP_TEST_SKIP(kNoData);
  const goldens::Block& start = golden("start");
  const std::vector<std::string> names = parameter_names();
  const Network network;
  const Numbers sums = start["sums"].values, magnitudes = start["magnitudes"].values;
  for (std::size_t i = 0; i < network.parameters.size(); ++i) {
    INFO(names.at(i));
    double sum = 0;
    for (const double value : network.parameters[i].to_vector<double>()) sum += value;
    CHECK(sum == Approx(sums.at(i)).epsilon(1e-12));
    CHECK(sum_of_magnitudes(network.parameters[i]) == Approx(magnitudes.at(i)).epsilon(1e-12));
  }
  const std::vector<float> pixels = batches[0].images.to_vector<float>();
  const Numbers first_pixels = start["pixels"].values;
  for (std::size_t i = 0; i < 8; ++i) CHECK(pixels[i] == static_cast<float>(first_pixels.at(i)));
  CHECK(sum_of_magnitudes(batches[0].images) ==
        Approx(start["pixels_magnitude"].values.at(0)).epsilon(1e-12));
  CHECK(batches[0].labels.to_vector<double>() == start["labels"].values);

  amp::cross_entropy(network.forward(batches[0].images), batches[0].labels).backward();
  const Numbers gradients = golden("SGD float32")["first_gradients"].values;
  for (std::size_t i = 0; i < network.parameters.size(); ++i) {
    INFO(names.at(i));
    CHECK(sum_of_magnitudes(network.parameters[i].grad()) == Approx(gradients.at(i)).epsilon(1e-5));
  }
}

TEST_CASE("CIFAR-10 network: float32 SGD follows PyTorch to 1e-4", "[values]") {
  const std::vector<Batch> batches = read_batches();
  if (batches.empty()) AMP_TEST_SKIP(kNoData);
  const std::vector<std::string> names = parameter_names();
  const Network network;
  const Curve losses = train(batches, network, sgd(network), kPlain);
  compare("SGD, float32", losses, losses_of("SGD float32"), everywhere(1e-4));
  const Numbers parameters = golden("SGD float32")["final_parameters"].values;
  for (std::size_t i = 0; i < network.parameters.size(); ++i) {
    INFO(names.at(i));
    CHECK(sum_of_magnitudes(network.parameters[i]) == Approx(parameters.at(i)).epsilon(1e-4));
  }
}

TEST_CASE("CIFAR-10 network: float32 Adam follows PyTorch to five times its spread over threads",
          "[values]") {
  const std::vector<Batch> batches = read_batches();
  if (batches.empty()) AMP_TEST_SKIP(kNoData);
  const Network network;
  const Curve losses = train(batches, network, adam(network), kPlain);
  // Reference and spread are those of one and the same engine: train_cnn.txt says why this one.
  const Curve golden_losses = losses_of("Adam float32 without oneDNN");
  compare("Adam, float32", losses, golden_losses,
          five_times_spread(golden_losses, losses_of("Adam float32 without oneDNN, 2 threads")));
}

TEST_CASE("CIFAR-10 network: bfloat16 autocast follows PyTorch's to 3 %", "[values]") {
  const std::vector<Batch> batches = read_batches();
  if (batches.empty()) AMP_TEST_SKIP(kNoData);
  const Network first;
  compare("SGD, bfloat16 autocast", train(batches, first, sgd(first), kAmpBFloat16),
          losses_of("SGD bfloat16 autocast"), everywhere(0.03));
  const Network second;
  compare("Adam, bfloat16 autocast", train(batches, second, adam(second), kAmpBFloat16),
          losses_of("Adam bfloat16 autocast"), everywhere(0.03));
}

TEST_CASE("CIFAR-10 network: float16 autocast with the scaler follows float32 to 3 %", "[values]") {
  const std::vector<Batch> batches = read_batches();
  if (batches.empty()) AMP_TEST_SKIP(kNoData);
  const Network first;
  compare("SGD, float16 autocast and scaler", train(batches, first, sgd(first), kAmpFloat16),
          losses_of("SGD float32"), everywhere(0.03));
  const Network second;
  compare("Adam, float16 autocast and scaler", train(batches, second, adam(second), kAmpFloat16),
          losses_of("Adam float32"), everywhere(0.03));
}

}  // namespace train_cnn_golden
