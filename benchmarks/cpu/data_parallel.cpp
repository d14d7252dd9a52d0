// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Measures when a DataParallel sends the gradients of GPT-2 (124 M parameters) during backward: the
// bytes of each bucket, and the share of backward that is done when it is sent. Also prints the
// state of a ShardedOptimizer on each of 1, 2 and 4 ranks, with the losses. data_parallel.py makes
// tables and an estimate for many GPUs from the output.
#include <amp/amp.hpp>
#include <amp/distributed.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "networks.hpp"

namespace {

namespace nn = amp::nn;
using amp::Tensor;

constexpr std::int64_t kVocabulary = 50257, kContext = 1024, kWidth = 768, kHeads = 12,
                       kLayers = 12, kTokens = 128;

double seconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

using Block = cpu_benchmark::TransformerBlock<kWidth, kHeads>;

/// The last layer has the weights of the first, as in GPT-2.
struct Gpt2 : nn::Module {
  nn::Embedding token{register_module("token", nn::Embedding(kVocabulary, kWidth))};
  nn::Embedding position{register_module("position", nn::Embedding(kContext, kWidth))};
  std::vector<Block> blocks;
  nn::LayerNorm norm;

  Gpt2() {
    for (std::int64_t i = 0; i < kLayers; ++i)
      blocks.push_back(register_module("block" + std::to_string(i), Block()));
    norm = register_module("norm", nn::LayerNorm({kWidth}));
  }
  [[nodiscard]] Tensor loss(const Tensor& tokens, const Tensor& targets) const {
    const Tensor places = amp::arange(tokens.size(1), {.dtype = amp::kInt64});
    Tensor x = token(tokens) + position(places);
    for (const Block& block : blocks) x = block.forward(x);
    const Tensor logits = amp::linear(norm(x), token.weight, {});
    return amp::cross_entropy(logits.reshape({-1, kVocabulary}), targets.reshape({-1}));
  }
};

struct Message {
  std::int64_t bytes;
  double sent;
};

/// A single rank that records sizes and times of messages, and sends nothing.
class Recorder final : public amp::Communicator {
 public:
  Recorder() : Communicator(0, 1) {}

  bool takes(amp::Device device) const override { return device.type == amp::kCPU; }
  std::string_view engine() const override { return "recorder"; }

  std::vector<Message> messages;

 protected:
  amp::Collective begin_all_reduce(const amp::TensorView& values, amp::ReduceOp) override {
    messages.push_back({values.numel * amp::item_size(values.dtype), seconds()});
    return {};
  }
  amp::Collective begin_reduce_scatter(const amp::TensorView&) override { return {}; }
  amp::Collective begin_all_gather(const amp::TensorView&) override { return {}; }
  amp::Collective begin_broadcast(const amp::TensorView&, int) override { return {}; }
  void run_barrier() override {}
};

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

/// Prints the bytes of AdamW's state for 8.4 M bfloat16 weights with float32 masters.
void print_shards() {
  constexpr std::int64_t kSide = 1024, kSamples = 8;
  constexpr int kSteps = 5;
  const Tensor x = amp::randn({kSamples, kSide}), y = amp::randn({kSamples, kSide});
  amp::NamedTensors initial;
  std::printf("\"shards\": [");
  for (const int size : {1, 2, 4}) {
    std::vector<std::int64_t> bytes(static_cast<std::size_t>(size));
    std::vector<double> losses;
    amp::ThreadGroup::run(size, [&](amp::Communicator& world) {
      nn::Sequential model;
      for (int i = 0; i < 8; ++i) {
        model.push_back(nn::Linear(kSide, kSide));
        model.push_back(nn::GELU());
      }
      if (world.rank() == 0 && initial.empty()) {
        for (const auto& [name, tensor] : model.state_dict())
          initial.emplace_back(name, tensor.clone());
      }
      if (world.rank() == 0) model.load_state_dict(initial);
      model.to(amp::kBFloat16);
      amp::DataParallel parallel(model, world, {.wire = amp::kFloat32});
      amp::ShardedOptimizer<amp::AdamW> optimizer(
          parallel, {.lr = 1e-4, .storage = amp::WeightStorage::kMaster});
      const std::int64_t part = kSamples / size;
      const auto own = [&](const Tensor& all) {
        return all.narrow(0, part * world.rank(), part).to(amp::kBFloat16);
      };
      for (int step = 0; step < kSteps; ++step) {
        const Tensor loss =
            amp::mse_loss(model(own(x)).to(amp::kFloat32), own(y).to(amp::kFloat32));
        loss.backward();
        optimizer.step();
        const Tensor sum = loss.detach().clone();
        world.all_reduce(sum).wait();
        if (world.rank() == 0) losses.push_back(sum.item<double>() / size);
      }
      for (const auto& [name, tensor] : optimizer.local().state_dict())
        bytes[static_cast<std::size_t>(world.rank())] +=
            tensor.numel() * amp::item_size(tensor.dtype());
    });
    std::printf("%s{\"ranks\": %d, \"bytes\": %lld, \"losses\": [", size == 1 ? "" : ", ", size,
                static_cast<long long>(*std::max_element(bytes.begin(), bytes.end())));
    for (std::size_t i = 0; i < losses.size(); ++i)
      std::printf("%s%.6f", i == 0 ? "" : ", ", losses[i]);
    std::printf("]}");
  }
  std::printf("]");
}

}  // namespace

int main() try {
  constexpr int kPasses = 5;
  const Gpt2 model;
  Recorder recorder;
  amp::DataParallel parallel(model, recorder);
  std::int64_t parameters = 0;
  for (const Tensor& p : model.parameters()) parameters += p.numel();
  const Tensor tokens = amp::arange(kTokens, {.dtype = amp::kInt64}).reshape({1, kTokens});
  std::vector<double> forward, backward;
  std::vector<std::vector<double>> sent;  // for each bucket, the share of backward that was done
  std::vector<Message> messages;
  for (int pass = 0; pass < 1 + kPasses; ++pass) {  // the first is a warm-up
    model.zero_grad();
    const double began = seconds();
    const Tensor loss = model.loss(tokens, tokens);
    const double turned = seconds();
    recorder.messages.clear();
    loss.backward();
    const double ended = seconds();
    messages = recorder.messages;
    if (pass == 0) continue;
    forward.push_back(turned - began);
    backward.push_back(ended - turned);
    sent.resize(messages.size());
    for (std::size_t m = 0; m < messages.size(); ++m)
      sent[m].push_back((messages[m].sent - turned) / (ended - turned));
  }
  std::printf("{\"parameters\": %lld, \"tokens\": %lld, \"forward_seconds\": %.4f, ",
              static_cast<long long>(parameters), static_cast<long long>(kTokens), median(forward));
  std::printf("\"backward_seconds\": %.4f, \"buckets\": [", median(backward));
  for (std::size_t m = 0; m < messages.size(); ++m)
    std::printf("%s[%lld, %.4f]", m == 0 ? "" : ", ", static_cast<long long>(messages[m].bytes),
                median(sent[m]));
  std::printf("], ");
  print_shards();
  std::printf("}\n");
} catch (const amp::Error& error) {
  std::fprintf(stderr, "data_parallel: %s\n", error.what());
  return EXIT_FAILURE;
}
