// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Checkpoint::load of any bytes: all parts are loaded, or amp::Error and all as they were.
#include <amp/amp.hpp>
#include <amp/safetensors.hpp>

#include "fuzz/fuzz.hpp"
#include "fuzz/safetensors_file.hpp"
#include "support/temporary_folder.hpp"

namespace {

struct Training {
  amp::nn::Linear net{2, 1};
  amp::AdamW optimizer{net.named_parameters()};
  amp::GradScaler scaler;
  amp::Tensor best = amp::ones({2});
  std::int64_t step = 1;
  std::string note = "a note";
  amp::Checkpoint checkpoint;

  Training() {
    checkpoint.add("step", step).add("net", net).add("best", best).add("optimizer", optimizer);
    checkpoint.add("scaler", scaler).add_random_stream().add("note", note);
  }
  void run() {
    scaler.scale(amp::sum(net(amp::ones({1, 2})))).backward();
    scaler.step(optimizer);
    scaler.update();
    optimizer.zero_grad();
  }
  /// All of it, bit for bit.
  std::string state() const {
    const amp::RngState random = amp::get_rng_state();
    std::string all = std::to_string(step) + note + to_string(scaler.state_dict()) +
                      std::to_string(random.seed) + ' ' + std::to_string(random.offset);
    amp::NamedTensors tensors{{"best", best}};
    for (const auto& list : {net.state_dict(), optimizer.state_dict()})
      tensors.insert(tensors.end(), list.begin(), list.end());
    for (const auto& [name, tensor] : tensors) {
      all += name + to_string(tensor.shape()) + amp::to_string(tensor.dtype());
      all.append(static_cast<const char*>(tensor.raw_data()),
                 static_cast<std::size_t>(tensor.numel() * amp::item_size(tensor.dtype())));
    }
    return all;
  }
};

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
  const amp_test::TemporaryFolder folder;
  std::vector<std::string> seeds;
  Training training;
  for (int i = 0; i < 2; ++i, training.run()) {
    training.checkpoint.save(folder / "f");
    seeds.push_back(fuzz::bytes_of(folder / "f"));
    seeds.push_back(fuzz::without_length(seeds.back()));
  }
  fuzz::write_seeds(*count, *arguments, seeds);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::MemoryFile file;
  static Training& training = *new Training;
  file.write(fuzz::with_length({reinterpret_cast<const char*>(data), size}));
  const std::string before = training.state();
  if (!fuzz::accepted([] { training.checkpoint.load(file.path()); }))
    fuzz::require(training.state() == before, "nothing is changed where load throws");
  return 0;
}
