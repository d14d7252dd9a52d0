// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Every module against torch's of the same name and the same weights: result, gradients, the names
// and shapes of its state, running statistics.
#include <amp/amp.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "goldens/blocks.hpp"
#include "support/catch.hpp"
#include "support/numbers.hpp"

namespace nn_goldens {
namespace {

namespace nn = amp::nn;
using amp::Tensor;
using amp_test::difference;
using amp_test::numbers;
using goldens::Block;

// Salts of the numbers that are no parameters, as in goldens/make_nn.py: parameter k has salt k.
constexpr std::int64_t kInput = 50, kIncoming = 60, kBuffer = 70;

const std::vector<Block>& all_goldens() {
  static const std::vector<Block> blocks = goldens::read_blocks("nn.txt");
  return blocks;
}

/// A module whose type is forgotten.
struct AnyModule {
  nn::Module module;
  std::function<Tensor(const Tensor&)> forward;
};
template <class M>
AnyModule any(const M& module) {
  return {module, [module](const Tensor& x) { return module(x); }};
}
template <class M>
AnyModule evaluated(const M& module) {
  module.eval();
  return any(module);
}

std::map<std::string_view, AnyModule> modules() {
  return {
      {"linear", any(nn::Linear(4, 3))},
      {"linear_no_bias", any(nn::Linear(4, 3, {.bias = false}))},
      {"conv2d", any(nn::Conv2d(2, 3, 3))},
      {"conv2d_groups",
       any(nn::Conv2d(2, 4, {3, 2},
                      {.stride = {2, 1}, .padding = {1, 2}, .dilation = {1, 2}, .groups = 2}))},
      {"conv2d_no_bias", any(nn::Conv2d(2, 2, 1, {.bias = false}))},
      {"embedding", any(nn::Embedding(5, 3))},
      {"layer_norm", any(nn::LayerNorm(5))},
      {"layer_norm_two", any(nn::LayerNorm({3, 4}, {.eps = 0.1}))},
      {"layer_norm_plain", any(nn::LayerNorm(5, {.affine = false}))},
      {"rms_norm", any(nn::RMSNorm(5))},
      {"rms_norm_eps", any(nn::RMSNorm({2, 3}, {.eps = 0.1}))},
      {"rms_norm_plain", any(nn::RMSNorm(5, {.affine = false}))},
      {"group_norm", any(nn::GroupNorm(2, 4))},
      {"group_norm_plain", any(nn::GroupNorm(2, 4, {.eps = 0.1, .affine = false}))},
      {"batch_norm2d", any(nn::BatchNorm2d(2))},
      {"batch_norm2d_eval", evaluated(nn::BatchNorm2d(2, {.eps = 0.1}))},
      {"batch_norm2d_plain", any(nn::BatchNorm2d(2, {.affine = false}))},
      {"batch_norm2d_untracked", evaluated(nn::BatchNorm2d(2, {.track_running_stats = false}))},
      {"relu", any(nn::ReLU())},
      {"silu", any(nn::SiLU())},
      {"gelu", any(nn::GELU())},
      {"gelu_tanh", any(nn::GELU(amp::GeluForm::kTanh))},
      {"dropout_eval", evaluated(nn::Dropout(0.7))},
      {"dropout_0", any(nn::Dropout(0))},
      {"flatten", any(nn::Flatten())},
      {"flatten_inner", any(nn::Flatten(0, 1))},
      {"max_pool2d", any(nn::MaxPool2d(2))},
      {"max_pool2d_strided", any(nn::MaxPool2d({3, 2}, {.stride = {{2, 1}}, .padding = 1}))},
      {"avg_pool2d", any(nn::AvgPool2d(2))},
      {"avg_pool2d_strided", any(nn::AvgPool2d({3, 2}, {.stride = {{2, 1}}, .padding = 1}))},
      {"sequential",
       any(nn::Sequential(nn::Conv2d(2, 3, 3, {.padding = 1, .bias = false}), nn::BatchNorm2d(3),
                          nn::ReLU(), nn::Sequential(nn::MaxPool2d(2), nn::Flatten()),
                          nn::Linear(6, 2)))},
  };
}

std::vector<std::string> sorted_state(const nn::Module& module) {
  std::vector<std::string> words;
  for (const auto& [name, tensor] : module.state_dict())
    words.push_back(name + amp::to_string(tensor.shape()));
  std::sort(words.begin(), words.end());
  return words;
}
/// "weight[3, 4] bias[3]" in words that end in a bracket, sorted.
std::vector<std::string> sorted_words(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; std::getline(stream >> std::ws, word, ']');) words.push_back(word + ']');
  std::sort(words.begin(), words.end());
  return words;
}

Tensor input_of(const Block& golden, amp::DType dtype) {
  const amp::Shape shape(golden["input"].shape);
  if (golden.title == "embedding")
    return amp::tensor(std::vector<std::int64_t>{0, 4, 1, 4, 2, 4}, shape);
  return numbers(shape, kInput, dtype).requires_grad_();
}

void check(const Block& golden, const AnyModule& any, amp::DType dtype, double tolerance) {
  INFO(golden.title << " in " << amp::name(dtype));
  any.module.to(dtype);
  {
    const amp::NoGradGuard no_grad;
    std::int64_t salt = 0;
    for (const Tensor& p : any.module.parameters()) p.copy_(numbers(p.shape(), salt++));
    if (golden.title == "batch_norm2d_eval") {
      const std::vector<Tensor> buffers = any.module.buffers();
      buffers[0].copy_(numbers({2}, kBuffer));
      buffers[1].copy_(amp::abs(numbers({2}, kBuffer + 1)) + 0.5);
    }
  }
  const Tensor x = input_of(golden, dtype);
  const Tensor y = any.forward(x);
  const goldens::Array expected = golden["output"];
  CHECK(y.shape() == amp::Shape(expected.shape));
  CHECK(y.dtype() == dtype);
  CHECK(difference(y.to_vector<double>(), expected.values) < tolerance);
  y.backward(numbers(y.shape(), kIncoming, dtype));
  if (x.requires_grad())
    CHECK(difference(x.grad().to_vector<double>(), golden["input_gradient"].values) < tolerance);
  std::vector<double> grads;
  for (const Tensor& p : any.module.parameters()) {
    REQUIRE(p.grad().defined());
    for (const double g : p.grad().to_vector<double>()) grads.push_back(g);
  }
  CHECK(difference(grads, golden["gradients"].values) < tolerance);
}

void check_statistics(const Block& golden, const nn::BatchNorm2dOptions& options) {
  INFO(golden.title);
  const nn::BatchNorm2d norm(2, options);
  norm.to(amp::kFloat64);
  std::vector<double> values;
  const auto add = [&](const Tensor& t) {
    for (const double v : t.to_vector<double>()) values.push_back(v);
  };
  for (int batch = 0; batch < 4; ++batch) {
    (void)norm(numbers({2 + batch, 2, 2, 3}, batch) * (batch + 1) + batch);
    CHECK(norm.num_batches_tracked.item<std::int64_t>() == batch + 1);
    add(norm.running_mean);
    add(norm.running_var);
  }
  norm.eval();
  add(norm(numbers({1, 2, 1, 2}, kInput)));
  CHECK(norm.num_batches_tracked.item<std::int64_t>() == 4);  // evaluation counts nothing
  CHECK(difference(values, golden["values"].values) < 1e-11);
}

}  // namespace

TEST_CASE("nn: forward and backward of every module are torch's", "[nn]") {
  std::size_t count = 0;
  for (const Block& golden : all_goldens()) {
    if (!golden.has("output")) continue;
    ++count;
    check(golden, modules().at(golden.title), amp::kFloat64, 1e-11);
    check(golden, modules().at(golden.title), amp::kFloat32, 2e-5);
  }
  CHECK(modules().size() == count);
}

TEST_CASE("nn: names and shapes of every module's state are torch's", "[nn]") {
  for (const Block& golden : all_goldens()) {
    if (!golden.has("output")) continue;
    INFO(golden.title);
    CHECK(sorted_state(modules().at(golden.title).module) == sorted_words(golden.text("state")));
  }
}

TEST_CASE("nn: state is float32, but the count of batches int64, as torch's", "[nn]") {
  for (const auto& [name, any] : modules()) {
    INFO(name);
    for (const auto& [entry, tensor] : any.module.state_dict()) {
      const bool count = entry.ends_with("num_batches_tracked");
      CHECK(tensor.dtype() == (count ? amp::kInt64 : amp::kFloat32));
      CHECK(tensor.requires_grad() == (entry.ends_with("weight") || entry.ends_with("bias")));
    }
  }
}

TEST_CASE("BatchNorm2d: running statistics over four batches are torch's", "[nn]") {
  const std::map<std::string, nn::BatchNorm2dOptions> options = {
      {"statistics 0.1", {}},
      {"statistics 0.75", {.momentum = 0.75}},
      {"statistics None", {.momentum = {}}},
  };
  std::size_t count = 0;
  for (const Block& golden : all_goldens()) {
    if (golden.has("output")) continue;
    ++count;
    check_statistics(golden, options.at(golden.title));
  }
  CHECK(options.size() == count);
}

TEST_CASE("BatchNorm2d: statistics neither carry gradients nor move in evaluation", "[nn]") {
  const nn::BatchNorm2d norm(2);
  const Tensor x = amp::randn({3, 2, 2, 2}, {.requires_grad = true});
  amp::sum(norm(x)).backward();
  CHECK_FALSE(norm.running_mean.requires_grad());
  norm.eval();
  const std::vector<float> mean = norm.running_mean.to_vector<float>();
  (void)norm(x);
  CHECK(norm.running_mean.to_vector<float>() == mean);
  CHECK(mean != std::vector<float>(2, 0));
}

TEST_CASE("BatchNorm2d: refuses what is not an image, and counts no failed batch", "[nn]") {
  const nn::BatchNorm2d norm(2);
  CHECK_THROWS_AS(norm(amp::ones({3, 2})), amp::Error);
  CHECK_THROWS_AS(norm(amp::ones({3, 5, 2, 2})), amp::Error);
  CHECK(norm.num_batches_tracked.item<std::int64_t>() == 0);
  CHECK(norm.running_mean.to_vector<float>() == std::vector<float>(2, 0));
}

TEST_CASE("Dropout: drops its share in training, scales the rest, and nothing else", "[nn]") {
  amp::manual_seed(3);
  const nn::Dropout dropout(0.25);
  const std::vector<float> dropped = dropout(amp::ones({20000})).to_vector<float>();
  const auto zeros = std::count(dropped.begin(), dropped.end(), 0.0F);
  CHECK(std::abs(static_cast<double>(zeros) / 20000 - 0.25) < 4.5 * std::sqrt(0.1875 / 20000));
  CHECK(std::all_of(dropped.begin(), dropped.end(),
                    [](float v) { return v == 0 || v == Approx(4.0 / 3); }));
  dropout.eval();
  CHECK(dropout(amp::ones({100})).to_vector<float>() == std::vector<float>(100, 1));
  for (const double bad : {-0.1, 1.1, std::nan("")}) CHECK_THROWS_AS(nn::Dropout(bad), amp::Error);
}

}  // namespace nn_goldens
