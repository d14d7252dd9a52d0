// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Checkpoints of trainings at an opt level: whenever one is saved, a fresh model, optimizer and
// scaler, made ready by initialize, go on from it bit for bit.
#include <amp/amp.hpp>
#include <amp/safetensors.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "precision/training.hpp"
#include "support/catch.hpp"
#include "support/error_of.hpp"
#include "support/temporary_folder.hpp"

namespace precision_resume {
namespace {

using namespace precision_test;
using amp::kBFloat16;
using amp::kFloat16;
using amp::kFloat32;
using amp::OptLevel;
using amp::WeightStorage;
using amp_test::error_of;

template <class Optimizer>
void save_or_load(Training<Optimizer>& training, const std::filesystem::path& path, bool saves) {
  amp::Checkpoint all;
  all.add("model", training.net).add("optimizer", training.optimizer);
  all.add("scaler", training.scaler);
  saves ? all.save(path) : all.load(path);
}

/// Saved after `before` steps of five.
template <class Optimizer>
void check_resumed(OptLevel level, const amp::PrecisionOptions& options, int before) {
  const amp_test::TemporaryFolder folder;
  const auto path = folder / "run.safetensors";
  Training<Optimizer> whole(1, amp::kCPU, level, options);
  for (int i = 0; i < before; ++i) whole.step(i);
  save_or_load(whole, path, true);
  Training<Optimizer> resumed(2, amp::kCPU, level, options);
  REQUIRE(error_of([&] { save_or_load(resumed, path, false); }) == "");
  CHECK((resumed.outcome() == whole.outcome()));
  for (int i = before; i < 5; ++i) whole.step(i), resumed.step(i);
  CHECK((resumed.outcome() == whole.outcome()));
  CHECK(resumed.scaler.state_dict() == whole.scaler.state_dict());
}

}  // namespace

TEST_CASE("initialize: a checkpoint goes on bit for bit, at every level, in every storage",
          "[precision]") {
  using enum WeightStorage;
  const std::pair<amp::DType, std::vector<WeightStorage>> kept[] = {
      {kBFloat16, {kParameter, kMaster, kRemainder, kStochastic, kKahan}},
      {kFloat16, {kParameter, kMaster, kStochastic}},
  };
  for (const auto& [dtype, storages] : kept) {
    for (const WeightStorage storage : storages) {
      for (const OptLevel level : {OptLevel::kO2, OptLevel::kO3}) {
        for (const int before : {0, 1, 3}) {
          INFO(amp::name(level) << " " << amp::name(dtype) << " " << amp::name(storage) << " "
                                << before);
          const amp::PrecisionOptions options{.dtype = dtype, .storage = storage};
          check_resumed<amp::SGD>(level, options, before);
          check_resumed<amp::Adam>(level, options, before);
          check_resumed<amp::AdamW>(level, options, before);
        }
      }
    }
  }
}

TEST_CASE("initialize: a float32 checkpoint, loaded before it, or after it with its masters",
          "[precision]") {
  const amp_test::TemporaryFolder folder;
  const auto path = folder / "float32.safetensors";
  const Net source = Training<amp::SGD>::seeded(3, amp::kCPU);
  amp::Checkpoint().add("model", source).save(path);
  std::vector<Tensor> weights;
  for (const auto& entry : trained(source)) weights.push_back(entry.second.detach().clone());
  for (const WeightStorage storage : {WeightStorage::kMaster, WeightStorage::kRemainder}) {
    const amp::PrecisionOptions options{.dtype = kBFloat16, .storage = storage};
    Training<amp::AdamW> before(3, amp::kCPU, OptLevel::kO2, options);
    Training<amp::AdamW> after(4, amp::kCPU, OptLevel::kO2, options);
    amp::Checkpoint().add("model", after.net).load(path);
    after.optimizer.set_master_weights(weights);
    CHECK((before.outcome() == after.outcome()));
    for (int i = 0; i < 3; ++i) before.step(i), after.step(i);
    CHECK((before.outcome() == after.outcome()));
  }
}

}  // namespace precision_resume
