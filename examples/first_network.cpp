// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A first network: it learns in float16 on which of three interleaved spirals a point lies, is
// tested on new points, saved, and loaded into another network, which predicts the same.
#include <amp/amp.hpp>
#include <amp/safetensors.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

struct Network : amp::nn::Module {
  amp::nn::Linear first{register_module("first", amp::nn::Linear(2, 128))};
  amp::nn::Linear last{register_module("last", amp::nn::Linear(128, 3))};

  amp::Tensor forward(const amp::Tensor& points) const {  // [N, 2] -> [N, 3], a score per spiral
    return last(amp::relu(first(points)));
  }
};

std::pair<amp::Tensor, amp::Tensor> make_data(std::int64_t count, std::mt19937& generator) {
  std::uniform_real_distribution<float> random_radius(0.1F, 1.0F);
  std::normal_distribution<float> noise(0.0F, 0.02F);
  std::vector<float> points;
  std::vector<std::int64_t> spirals;
  for (std::int64_t i = 0; i < count; ++i) {
    const float radius = random_radius(generator);
    const float angle = 6.0F * radius + 2.0944F * static_cast<float>(i % 3);  // a third of a turn
    points.push_back(radius * std::cos(angle) + noise(generator));
    points.push_back(radius * std::sin(angle) + noise(generator));
    spirals.push_back(i % 3);
  }
  return {amp::tensor(points, {count, 2}), amp::tensor(spirals, {count})};
}

int main() try {
  std::mt19937 generator(1);
  const auto [points, spirals] = make_data(900, generator);  // 600 to train, 300 to test
  const amp::Tensor test_points = points.narrow(0, 600, 300);
  const amp::Tensor test_spirals = spirals.narrow(0, 600, 300);

  amp::manual_seed(1);  // for the initial weights
  const Network network;
  amp::Adam optimizer(network.named_parameters(), {.lr = 1e-2});
  amp::GradScaler scaler({.init_scale = 1024, .growth_interval = 100});
  std::vector<std::int64_t> order(600);
  std::iota(order.begin(), order.end(), 0);
  for (int epoch = 1; epoch <= 40; ++epoch) {
    std::shuffle(order.begin(), order.end(), generator);
    const amp::Tensor shuffled = amp::tensor(order, {600});
    amp::Tensor loss;
    for (std::int64_t start = 0; start < 600; start += 50) {
      const amp::Tensor batch = shuffled.narrow(0, start, 50);
      {
        const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
        const amp::Tensor scores = network.forward(amp::index_select(points, 0, batch));
        loss = amp::cross_entropy(scores, amp::index_select(spirals, 0, batch));
      }
      optimizer.zero_grad();
      scaler.scale(loss).backward();
      scaler.step(optimizer);
      scaler.update();
    }
    if (epoch % 10 == 0) std::printf("epoch %d  loss %.4f\n", epoch, loss.item<double>());
  }

  const amp::NoGradGuard no_grad;
  const amp::Tensor scores = network.forward(test_points);
  const amp::Tensor correct = amp::eq(amp::argmax(scores, 1), test_spirals);
  const double accuracy = amp::mean(correct.to(amp::kFloat32)).item<double>();
  std::printf("test accuracy %.1f %%\n", 100 * accuracy);

  const std::string name = "first_network_" + std::to_string(std::random_device()());
  const auto file = std::filesystem::temp_directory_path() / name;
  amp::Checkpoint().add("model", network).save(file);
  const Network loaded;  // has other weights until the next line
  amp::Checkpoint().add("model", loaded).load(file);
  std::filesystem::remove(file);
  const bool same = loaded.forward(test_points).to_vector<float>() == scores.to_vector<float>();
  std::printf("the loaded network predicts %s\n", same ? "the same" : "something else");
  return accuracy > 0.9 && same ? 0 : 1;
} catch (const amp::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
