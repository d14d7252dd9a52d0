// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Tied weights in files: saved once, loaded by any of their names, and training goes on.
#include <amp/amp.hpp>
#include <amp/safetensors.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

namespace tied_checkpoint {
namespace {

namespace nn = amp::nn;
using amp::Tensor;

struct Tied : nn::Layer<Tied> {
  nn::Embedding in{register_module("in", nn::Embedding(5, 4))};
  nn::Linear out{register_module("out", nn::Linear(4, 5, {.bias = false}))};
  Tied() { out.replace_parameter("weight", in.weight); }
  Tensor forward(const Tensor& ids) const { return out(in(ids)); }
};

struct Training {
  Tied net;
  amp::Adam optimizer{net.named_parameters(), {.lr = 0.1}};
  amp::Checkpoint checkpoint;
  Training() { checkpoint.add("net", net).add("optimizer", optimizer); }
  void step() {
    optimizer.zero_grad();
    amp::cross_entropy(net(amp::arange(5)), amp::arange(5)).backward();
    optimizer.step();
  }
};

}  // namespace

TEST_CASE("Checkpoint: tied weights are saved once, and training goes on", "[interop]") {
  const amp_test::TemporaryFolder folder;
  const std::string path = (folder / "run.safetensors").string();
  Training whole, resumed;
  whole.step();
  whole.checkpoint.save(path);
  std::vector<std::string> names;
  for (const auto& entry : amp::load_safetensors(path).tensors) names.push_back(entry.first);
  CHECK(std::count(names.begin(), names.end(), "net.in.weight") == 1);
  CHECK(std::count(names.begin(), names.end(), "net.out.weight") == 0);
  resumed.checkpoint.load(path);
  for (Training* const training : {&whole, &resumed}) training->step();
  CHECK(resumed.net.out.weight.is_same(resumed.net.in.weight));
  CHECK(resumed.net.out.weight.to_vector<float>() == whole.net.in.weight.to_vector<float>());
}

TEST_CASE("Checkpoint: a file with both names of a tied weight loads", "[interop]") {
  const amp_test::TemporaryFolder folder;
  const std::string path = (folder / "torch.safetensors").string();
  const Tensor weight = amp::randn({5, 4});
  amp::SafeTensors contents;
  contents.tensors = {{"net.in.weight", weight}, {"net.out.weight", weight.clone()}};
  amp::save_safetensors(path, contents);
  const Tied net;
  amp::Checkpoint().add("net", net).load(path);
  CHECK(net.in.weight.to_vector<float>() == weight.to_vector<float>());
}

}  // namespace tied_checkpoint
