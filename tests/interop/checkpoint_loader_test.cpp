// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The state of a DataLoader in a checkpoint: a training that was stopped within an epoch goes on
// bit for bit.
#include <amp/amp.hpp>
#include <amp/data.hpp>
#include <amp/safetensors.hpp>

#include <optional>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/error_of.hpp"
#include "support/temporary_folder.hpp"

namespace checkpoint_loader {
namespace {

namespace data = amp::data;
using amp::Tensor;
using Catch::Matchers::ContainsSubstring;

/// A training on random data, with random transforms and a momentum.
struct Training {
  data::TensorDataset<2> dataset = [] {
    amp::manual_seed(1);
    return data::TensorDataset(amp::randn({22, 4}), amp::randn({22, 2}));
  }();
  data::DataLoader<
      data::MapDataset<data::TensorDataset<2>, Tensor (*)(const Tensor&, data::Generator&)>>
      loader;
  amp::nn::Linear model = amp::nn::Linear(4, 2);
  amp::SGD optimizer{model.named_parameters(), {.lr = 0.1, .momentum = 0.9}};
  amp::Checkpoint checkpoint;

  explicit Training(std::int64_t workers, std::optional<std::uint64_t> seed = {})
      : loader(dataset.map(static_cast<Tensor (*)(const Tensor&, data::Generator&)>(
                   [](const Tensor& x, data::Generator& g) { return x + g.normal(); })),
               {.batch_size = 4, .shuffle = true, .workers = workers, .seed = seed}) {
    checkpoint.add("model", model).add("optimizer", optimizer).add("loader", loader);
  }

  /// Trains until so many epochs are done; saves and leaves within one, if it is to stop there.
  void run(std::int64_t epochs, const std::string& path = "", std::int64_t stop_at = -1) {
    while (loader.epoch() < epochs) {
      for (const auto& [x, y] : loader) {
        optimizer.zero_grad();
        amp::mse_loss(model(x), y).backward();
        optimizer.step();
        if (loader.epoch() == 1 && loader.position() == stop_at) {
          checkpoint.save(path);
          return;
        }
      }
      if (loader.epoch() + 1 == epochs) return;
    }
  }
  std::vector<float> weights() const {
    return model.named_parameters()[0].second.to_vector<float>();
  }
};

TEST_CASE("checkpoint: a training that was stopped within an epoch goes on bit for bit") {
  const amp_test::TemporaryFolder folder;
  const std::string path = (folder / "run").string();
  Training whole(2, 5);
  whole.run(3);
  for (const std::int64_t stop_at : {1, 4, 6}) {  // the last of 6 batches, too
    CAPTURE(stop_at);
    {
      Training stopped(1, 5);
      stopped.run(3, path, stop_at);
    }
    Training resumed(3);
    resumed.checkpoint.load(path);
    resumed.run(3);
    CHECK(resumed.weights() == whole.weights());
  }
  const amp::SafeTensors file = amp::load_safetensors(path);
  CHECK(file.at("loader.epoch").item<std::int64_t>() == 2);
  CHECK(file.at("loader.batch").item<std::int64_t>() == 0);
}

TEST_CASE("checkpoint: a loader of other data refuses the state, and nothing changes") {
  const amp_test::TemporaryFolder folder;
  const std::string path = (folder / "run").string();
  Training training(0, 5);
  training.run(3, path, 2);
  data::DataLoader other(data::TensorDataset(amp::zeros({10, 4})), {.batch_size = 4});
  amp::Checkpoint checkpoint;
  std::int64_t number = 3;
  checkpoint.add("loader", other);
  CHECK_THAT(amp_test::error_of([&] { checkpoint.load(path); }),
             ContainsSubstring("loader") && ContainsSubstring("out of 22"));
  CHECK(other.epoch() == 0);
  CHECK(number == 3);
  CHECK_THROWS_AS(checkpoint.add("loader", number), amp::Error);
  CHECK_THROWS_AS(checkpoint.add("nothing", nullptr, nullptr), amp::Error);
}

}  // namespace
}  // namespace checkpoint_loader
