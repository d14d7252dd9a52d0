// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Trainings in threads of their own, each with its model, optimizer and scaler, under autocast and
// at opt levels: each is what it is alone. To be run under ThreadSanitizer too.
#include <amp/amp.hpp>

#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include "precision/training.hpp"
#include "support/catch.hpp"

namespace precision_threads {
namespace {

using namespace precision_test;
using amp::kBFloat16;
using amp::OptLevel;
using amp::WeightStorage;

struct Batch {
  Tensor x, y;
};

/// The weights after some steps; the batches are made before: there is one generator.
template <class Optimizer>
std::vector<Bits> train(Training<Optimizer>& training, const std::vector<Batch>& batches) {
  for (const Batch& batch : batches) {
    training.optimizer.zero_grad();
    const Tensor loss = amp::mse_loss(training.precision.forward(training.net, batch.x), batch.y);
    training.scaler.scale(loss).backward();
    if (training.precision.cast_model) {
      (void)training.scaler.unscale_and_clip(training.optimizer, 0.5);
    } else {
      training.scaler.unscale_(training.optimizer);
      (void)amp::clip_grad_norm_(training.optimizer.parameters(), 0.5);
    }
    (void)training.scaler.step(training.optimizer);
    training.scaler.update();
  }
  return training.outcome();
}

struct Kind {
  OptLevel level;
  amp::PrecisionOptions options;
};

}  // namespace

TEST_CASE("precision: trainings in threads of their own do not meet", "[precision]") {
  const std::vector<Kind> kinds = {
      {OptLevel::kO1, {.dtype = kBFloat16}},
      {OptLevel::kO1, {.dtype = amp::kFloat16}},
      {OptLevel::kO2, {.dtype = kBFloat16, .storage = WeightStorage::kRemainder}},
      {OptLevel::kO2, {.dtype = kBFloat16, .storage = WeightStorage::kStochastic}},
  };
  amp::manual_seed(4);
  std::vector<Batch> batches;
  for (int i = 0; i < 6; ++i) batches.push_back({amp::randn({8, 2, 4, 4}), amp::randn({8, 3})});
  for (std::size_t k = 0; k + 1 < kinds.size(); k += 2) {
    std::vector<Bits> alone[2], together[2];
    const auto run = [&](Training<amp::AdamW>& training, std::vector<Bits>& to) {
      to = train(training, batches);
    };
    for (std::size_t t = 0; t < 2; ++t) {
      Training<amp::AdamW> training(t, amp::kCPU, kinds[k + t].level, kinds[k + t].options);
      run(training, alone[t]);
    }
    Training<amp::AdamW> first(0, amp::kCPU, kinds[k].level, kinds[k].options);
    Training<amp::AdamW> second(1, amp::kCPU, kinds[k + 1].level, kinds[k + 1].options);
    std::thread one([&] { run(first, together[0]); }), other([&] { run(second, together[1]); });
    one.join();
    other.join();
    for (std::size_t t = 0; t < 2; ++t) CHECK((together[t] == alone[t]));
  }
}

}  // namespace precision_threads
