// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Checkpoints, mapped files, and what initialize undoes, if memory runs out; and how much of it the
// reading of headers takes.
#include <amp/amp.hpp>
#include <amp/safetensors.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/error_of.hpp"
#include "support/heap.hpp"
#include "support/temporary_folder.hpp"

namespace files_out_of_memory {
namespace {

namespace fs = std::filesystem;
namespace heap = amp_test::heap;
using Folder = amp_test::TemporaryFolder;
using amp::Tensor;
using amp_test::error_of;

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A training with a part of every kind.
struct Training {
  amp::nn::Linear first{3, 4}, second{4, 2};
  amp::nn::BatchNorm2d norm{2};
  amp::nn::Sequential net{first, amp::nn::ReLU(), second};
  amp::AdamW optimizer{net.named_parameters(), {.lr = 0.1}};
  amp::GradScaler scaler{{.init_scale = 1024}};
  Tensor best = amp::zeros({2});
  std::int64_t step = 0;
  std::string note;
  amp::Checkpoint checkpoint;

  Training() {
    checkpoint.add("step", step).add("note", note).add("model", net).add("norm", norm);
    checkpoint.add("best", best).add("optimizer", optimizer).add("scaler", scaler);
    checkpoint.add_random_stream();
  }
  void run() {
    ++step;
    note = "a note that is too long for a string to hold without memory: " + std::to_string(step);
    best = amp::rand({2});
    (void)norm(amp::randn({2, 2, 2, 2}));
    optimizer.zero_grad();
    scaler.scale(amp::sum(net(amp::randn({5, 3})))).backward();
    scaler.step(optimizer);
    scaler.update();
  }
  /// All of it, bit for bit.
  std::string state() const {
    const amp::RngState random = amp::get_rng_state();
    std::string all = std::to_string(step) + note + to_string(scaler.state_dict()) +
                      std::to_string(random.seed) + ' ' + std::to_string(random.offset);
    amp::NamedTensors tensors{{"best", best}};
    for (const auto& list : {net.state_dict(), norm.state_dict(), optimizer.state_dict()})
      tensors.insert(tensors.end(), list.begin(), list.end());
    for (const auto& [name, tensor] : tensors) {
      all += name + to_string(tensor.shape());
      all.append(static_cast<const char*>(tensor.raw_data()),
                 static_cast<std::size_t>(tensor.numel() * amp::item_size(tensor.dtype())));
    }
    return all;
  }
};

struct Outcome {
  bool succeeded;  // else it threw an amp::Error
  bool failed;     // whether it got as far as the allocation that fails
};

/// call(), whose n-th allocation fails.
template <class Call>
Outcome without_allocation(std::int64_t n, Call&& call) {
  const amp_test::heap::FailingAllocation allocation(n);
  try {
    call();
    return {true, allocation.failed()};
  } catch (const amp::Error&) {
    return {false, true};
  }
}

}  // namespace

TEST_CASE("out of memory: whichever allocation of save fails, the file is the old one",
          "[interop]") {
  const Folder folder;
  const fs::path path = folder / "f";
  amp::manual_seed(1);
  Training training;
  training.run();
  training.checkpoint.save(path);
  const std::string old_file = bytes_of(path);
  training.run();
  const std::string state = training.state();
  int refused = 0;
  for (std::int64_t n = 0; n < 1000; ++n) {
    INFO("allocation " << n);
    const auto [saved, failed] = without_allocation(n, [&] { training.checkpoint.save(path); });
    refused += saved ? 0 : 1;
    REQUIRE((training.state() == state));  // in brackets: not printed
    REQUIRE(folder.names() == std::set<std::string>{"f"});
    if (!saved) {
      REQUIRE((bytes_of(path) == old_file));
      continue;
    }
    Training loaded;
    loaded.checkpoint.load(path);
    REQUIRE((loaded.state() == state));
    if (!failed) break;
    std::ofstream(path, std::ios::binary) << old_file;
  }
  CHECK(refused > 200);
}

TEST_CASE("out of memory: whichever allocation of load fails, the state is the old one",
          "[interop]") {
  const Folder folder;
  const fs::path new_file = folder / "new", old_file = folder / "old";
  amp::manual_seed(1);
  Training training;
  training.run();
  training.checkpoint.save(new_file);
  const std::string new_state = training.state();
  training.run();
  training.checkpoint.save(old_file);
  const std::string old_state = training.state();
  REQUIRE(old_state != new_state);
  int refused = 0;
  for (std::int64_t n = 0; n < 2000; ++n) {
    INFO("allocation " << n);
    const auto [loaded, failed] =
        without_allocation(n, [&] { training.checkpoint.load(new_file); });
    refused += loaded ? 0 : 1;
    REQUIRE((training.state() == (loaded ? new_state : old_state)));
    if (!failed) break;
    if (loaded) training.checkpoint.load(old_file);
  }
  CHECK(refused > 250);
  training.run();  // and it goes on
}

TEST_CASE("out of memory: whichever allocation of mapping a file fails, nothing stays mapped",
          "[interop]") {
  const Folder folder;
  const fs::path path = folder / "f";
  amp::save_safetensors(path, {{{"a", amp::full({2000}, 1)},
                                {"b", amp::full({3, 2}, 2)},
                                {"c", amp::tensor({true, false}, {2})}},
                               {{"note", "a text that is too long for a string without memory"}}});
  const auto is_mapped = [&] {
    std::ifstream maps("/proc/self/maps");
    const std::string all{std::istreambuf_iterator<char>(maps), {}};
    return all.find(path.string()) != std::string::npos;
  };
  int refused = 0;
  for (std::int64_t n = 0; n < 1000; ++n) {
    INFO("allocation " << n);
    const auto [loaded, failed] = without_allocation(n, [&] {
      const amp::SafeTensors contents = amp::load_safetensors(path, {.memory_map = true});
      const amp_test::heap::FailingAllocation none(heap::kNever);
      REQUIRE(is_mapped());
      REQUIRE(contents.at("a").to_vector<int>() == std::vector<int>(2000, 1));
    });
    refused += loaded ? 0 : 1;
    REQUIRE_FALSE(is_mapped());
    if (loaded) break;
  }
  CHECK(refused > 20);
}

TEST_CASE("out of memory: initialize that gets no more memory leaves the model as it was",
          "[interop]") {
  int refused = 0;
  for (std::int64_t n = 0; n < 1000; ++n) {
    INFO("allocation " << n);
    const amp::nn::Linear model(3, 2);
    amp::SGD optimizer(model.named_parameters(), {.lr = 0.1});
    amp::sum(model(amp::ones({1, 3}))).backward();
    const std::vector<float> weight = model.weight.to_vector<float>();
    const Tensor gradient = model.weight.grad();
    bool done = true;
    {
      const amp_test::heap::FailingAllocation allocation(n, true);
      try {
        (void)amp::initialize(model, optimizer, amp::OptLevel::kO3);
      } catch (const amp::Error&) {
        done = false;
      }
    }
    if (done) break;
    ++refused;
    REQUIRE(model.weight.dtype() == amp::kFloat32);
    REQUIRE(model.weight.to_vector<float>() == weight);
    REQUIRE(model.weight.grad().is_same(gradient));
    REQUIRE(model.bias.dtype() == amp::kFloat32);
  }
  CHECK(refused > 10);
}

TEST_CASE("out of memory: reading a header takes memory in proportion to its length", "[interop]") {
  const Folder folder;
  struct Cost {
    std::int64_t allocations, bytes;
  };
  const auto cost_of = [&](const std::string& header) {
    const std::uint64_t length = header.size();
    std::string file(8, '\0');
    std::memcpy(file.data(), &length, 8);
    std::ofstream(folder / "f", std::ios::binary) << file << header;
    const std::int64_t before = heap::allocations, held_before = heap::held;
    heap::most_held = held_before;
    (void)error_of([&] { (void)amp::load_safetensors(folder / "f"); });
    return Cost{heap::allocations - before, heap::most_held - held_before};
  };
  const auto header_of = [](int count, const std::string& value) {
    std::string header;
    for (int i = 0; i < count; ++i)
      header += (i == 0 ? "{\"" : ",\"") + std::to_string(100'000 + i) + "\":" + value;
    return header + "}";
  };
  const std::string empty = R"({"dtype":"U8","shape":[0],"data_offsets":[0,0]})";
  const Cost few = cost_of(header_of(4000, empty)), many = cost_of(header_of(40'000, empty));
  CHECK(few.allocations > 4000);
  CHECK(many.allocations < 11 * few.allocations);
  CHECK(many.bytes < 11 * few.bytes);

  // What is no header is given up where that shows.
  for (const char* const value : {"{}", "[]", "[[],[],[],[]]", "1", R"({"a":{"b":{}}})"}) {
    INFO(value);
    const std::string header = header_of(40'000, value);
    CHECK(cost_of(header).bytes < 2 * static_cast<std::int64_t>(header.size()));
  }
  for (const char* const value : {"0,", "[],", "\"a\",", "{},"}) {
    INFO(value);
    std::string header = R"({"t":{"shape":[)";
    for (int i = 0; i < 100'000; ++i) header += value;
    CHECK(cost_of(header).bytes < 2 * static_cast<std::int64_t>(header.size()));
  }
}

}  // namespace files_out_of_memory
