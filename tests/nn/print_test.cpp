// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Modules as text: what PyTorch's print shows of the same modules (tests/goldens/modules.txt).
#include <amp/amp.hpp>

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "goldens/blocks.hpp"
#include "support/catch.hpp"

namespace print {
namespace {

namespace nn = amp::nn;

struct Block : nn::Module {
  nn::Linear fc{register_module("fc", nn::Linear(3, 3))};
  nn::Sequential rest{register_module(
      "rest", nn::Sequential{nn::Dropout(0.25), nn::Sequential{nn::ReLU(), nn::SiLU()}})};
};

struct Scaled : nn::Layer<Scaled> {
  nn::Linear fc{register_module("fc", nn::Linear(2, 1))};
  Scaled() {
    set_extra_repr([] { return "factor=0.5"; });
  }
  amp::Tensor forward(const amp::Tensor& x) const { return fc(x) * 0.5; }
};

struct Net : nn::Module {
  Block block{register_module("block", Block())};
  Scaled scaled{register_module("scaled", Scaled())};
  nn::Module plain{register_module("plain", nn::Module())};
};

template <class Factor>
struct Templated : nn::Module {};

template <class M>
std::string text_of(const M& module) {
  std::ostringstream stream;
  stream << module;
  CHECK(stream.str() == amp::nn::to_string(module));
  return stream.str();
}

std::map<std::string, std::string> texts() {
  const nn::Conv2dLayerOptions options{
      .stride = {2, 1}, .padding = 1, .dilation = 2, .groups = 2, .bias = false};
  return {
      {"linear", text_of(nn::Linear(4, 32))},
      {"linear without bias", text_of(nn::Linear(4, 3, {.bias = false}))},
      {"conv2d", text_of(nn::Conv2d(3, 8, 3))},
      {"conv2d with all options", text_of(nn::Conv2d(4, 8, {3, 5}, options))},
      {"embedding", text_of(nn::Embedding(5, 4))},
      {"layer_norm", text_of(nn::LayerNorm({4, 5}))},
      {"layer_norm of one dimension", text_of(nn::LayerNorm({4}, {.eps = 1e-6, .affine = false}))},
      {"rms_norm", text_of(nn::RMSNorm({4}))},
      {"rms_norm with eps", text_of(nn::RMSNorm({2, 3}, {.eps = 0.001, .affine = false}))},
      {"group_norm", text_of(nn::GroupNorm(2, 4))},
      {"group_norm without weights",
       text_of(nn::GroupNorm(2, 4, {.eps = 0.0001, .affine = false}))},
      {"batch_norm", text_of(nn::BatchNorm2d(4))},
      {"batch_norm with all options",
       text_of(nn::BatchNorm2d(
           4, {.eps = 1.5, .momentum = {}, .affine = false, .track_running_stats = false}))},
      {"relu", text_of(nn::ReLU())},
      {"silu", text_of(nn::SiLU())},
      {"gelu", text_of(nn::GELU())},
      {"gelu by tanh", text_of(nn::GELU(amp::GeluForm::kTanh))},
      {"dropout", text_of(nn::Dropout())},
      {"dropout of all", text_of(nn::Dropout(1))},
      {"flatten", text_of(nn::Flatten())},
      {"flatten of some", text_of(nn::Flatten(0, 2))},
      {"max_pool2d", text_of(nn::MaxPool2d(2))},
      {"max_pool2d with all options",
       text_of(nn::MaxPool2d({2, 3}, {.stride = amp::Size2d(1, 2), .padding = 1}))},
      {"avg_pool2d", text_of(nn::AvgPool2d(2))},
      {"avg_pool2d with all options",
       text_of(nn::AvgPool2d({2, 3}, {.stride = amp::Size2d(1), .padding = {1, 0}}))},
      {"sequential", text_of(nn::Sequential{nn::Linear(4, 32), nn::ReLU(), nn::Linear(32, 3)})},
      {"sequential of nothing", text_of(nn::Sequential())},
      {"net", text_of(Net())},
  };
}

}  // namespace

TEST_CASE("nn: modules are printed as torch prints them", "[nn]") {
  const auto all = texts();
  const std::vector<goldens::Block> modules = goldens::read_blocks("modules.txt");
  for (const goldens::Block& golden : modules) {
    INFO(golden.title);
    const auto found = all.find(golden.title);
    REQUIRE(found != all.end());
    CHECK(found->second == golden.text("text"));
  }
  CHECK(all.size() == modules.size());
}

TEST_CASE("nn: what is printed of modules that torch does not have", "[nn]") {
  CHECK(text_of(nn::Linear()) == "Linear(nullptr)");
  CHECK(text_of(nn::Module(nullptr)) == "Module(nullptr)");
  CHECK(text_of(Templated<Net>()) == "Templated()");
  CHECK(text_of(nn::Conv2d(1, 2, 1, {.relu = true})) ==
        "Conv2d(1, 2, kernel_size=(1, 1), stride=(1, 1), relu=True)");
  const nn::Module sliced = nn::Linear(4, 2);  // knows what it was
  CHECK(text_of(sliced) == "Linear(in_features=4, out_features=2, bias=True)");
  Net net;
  net.plain = net.replace_module("plain", Scaled());
  CHECK(text_of(net).find("(plain): Scaled(\n    factor=0.5\n") != std::string::npos);
  std::wostringstream wide;
  wide << nn::ReLU();
  CHECK(wide.str() == L"ReLU()");
}

}  // namespace print
