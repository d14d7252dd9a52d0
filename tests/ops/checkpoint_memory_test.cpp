// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What checkpoints are for: the memory of a deep network's step, and what it costs in work.
#include <amp/amp.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "support/catch.hpp"

namespace checkpoint_memory {
namespace {

using amp::Tensor;

constexpr int kLayers = 24;
constexpr std::int64_t kWidth = 256, kBatch = 4096;

/// Of one step: bytes beside the input, the parameters and their gradients, and how often a layer
/// was computed.
struct Cost {
  std::int64_t peak = 0;
  int layers = 0;
  std::vector<float> gradient = {};
};

class Network {
 public:
  Network() {
    amp::manual_seed(1);
    for (int i = 0; i < kLayers; ++i)
      weights_.push_back((amp::randn({kWidth, kWidth}) * 0.088).requires_grad_());
    x_ = amp::randn({kBatch, kWidth});
  }

  /// The second step, so that all parameters have gradients. per_segment 0: no checkpoints.
  Cost step(int per_segment, std::optional<amp::DType> autocast) {
    for (int i = 0; i < 2; ++i) {
      amp::clear_autocast_cache();
      layers_ = 0;
      before_ = amp::memory_stats(amp::kCPU).current_bytes;
      amp::reset_peak_memory(amp::kCPU);
      for (const Tensor& weight : weights_) {
        if (weight.grad().defined()) weight.grad().zero_();
      }
      train(per_segment, autocast);
    }
    return {amp::memory_stats(amp::kCPU).peak_bytes - before_, layers_,
            weights_[0].grad().to_vector<float>()};
  }

 private:
  void train(int per_segment, std::optional<amp::DType> autocast) {
    Tensor loss;
    {
      std::optional<amp::AutocastGuard> scope;
      if (autocast) scope.emplace(amp::kCPU, amp::AutocastOptions{.dtype = *autocast});
      loss = amp::mean(forward(per_segment));
    }
    loss.backward();
  }
  Tensor forward(int per_segment) {
    if (per_segment == 0) return segment(x_, 0, kLayers);
    Tensor h = x_;
    for (int first = 0; first < kLayers; first += per_segment) {
      h = amp::checkpoint(
          [this, first, per_segment](const Tensor& in) { return segment(in, first, per_segment); },
          h);
    }
    return h;
  }
  Tensor segment(Tensor h, int first, int count) {
    for (int i = first; i < first + count; ++i) {
      h = amp::gelu(amp::linear(h, weights_[static_cast<std::size_t>(i)]));
      ++layers_;
    }
    return h;
  }

  std::vector<Tensor> weights_;
  Tensor x_;
  int layers_ = 0;
  std::int64_t before_ = 0;
};

}  // namespace

TEST_CASE("checkpoint: a deep network's step takes a third of the memory", "[ops][values]") {
  Network network;
  const Cost plain = network.step(0, {}), half = network.step(0, amp::kBFloat16);
  CHECK(plain.layers == kLayers);
  CHECK(plain.peak > 2 * kLayers * kBatch * kWidth * 4);  // the inputs of linear and of gelu
  for (const int per_segment : {4, 6}) {
    const Cost kept = network.step(per_segment, {});
    CAPTURE(per_segment, plain.peak, half.peak, kept.peak);
    CHECK(kept.layers == 2 * kLayers);
    CHECK(kept.peak * 3 <= plain.peak);
    CHECK(kept.gradient == plain.gradient);
    for (const amp::DType dtype : {amp::kFloat16, amp::kBFloat16}) {
      const Cost both = network.step(per_segment, dtype);
      CAPTURE(both.peak);
      CHECK(both.peak < kept.peak);
      CHECK(both.peak * 5 <= half.peak * 2);  // the loss and the input are float32
      CHECK(both.layers == 2 * kLayers);
    }
  }
}

}  // namespace checkpoint_memory
