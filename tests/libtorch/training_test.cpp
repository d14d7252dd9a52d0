// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The training of a torch network, compared with the same training in Python with torch.amp
// (tests/goldens/make_libtorch.py).
#include <fstream>
#include <sstream>
#include <string>

#include "libtorch/torch.hpp"

namespace training_test {

using namespace libtorch_test;

struct Row {
  std::string dtype;
  int step = 0;
  double loss = 0;
  bool skipped = false;
  double scale = 0;
};

std::vector<Row> golden(const std::string& dtype) {
  std::ifstream file(AMP_SOURCE_DIR "/tests/goldens/libtorch_training.txt");
  std::vector<Row> rows;
  for (std::string line; std::getline(file, line);) {
    Row row;
    std::istringstream words(line);
    if (words >> row.dtype >> row.step >> row.loss >> row.skipped >> row.scale &&
        row.dtype == dtype)
      rows.push_back(row);
  }
  return rows;
}

struct Network {
  torch::nn::Linear first = torch::nn::Linear(16, 32), last = torch::nn::Linear(32, 4);
  torch::nn::Sequential net{first, torch::nn::ReLU(), last};
  torch::Tensor x = waves(64, 16, 0.37, 1.3);
  torch::Tensor y = x.narrow(1, 0, 4).argmax(1);

  Network() {
    const torch::NoGradGuard no_grad;
    first->weight.copy_(waves(32, 16, 0.7, 1.9) * 0.25);
    first->bias.zero_();
    last->weight.copy_(waves(4, 32, 1.1, 0.6) * 0.25);
    last->bias.zero_();
  }
  torch::Tensor loss() { return torch::nn::functional::cross_entropy(net->forward(x), y); }
};

void compare(amp::DType dtype) {
  const std::vector<Row> rows = golden(amp::name(dtype).data());
  REQUIRE(rows.size() == 50);
  Network network;
  torch::optim::Adam optimizer(network.net->parameters(), torch::optim::AdamOptions(0.01));
  amp::GradScaler scaler({.init_scale = 1024, .growth_interval = 10});
  for (const Row& row : rows) {
    torch::Tensor loss;
    {
      const amp::libtorch::AutocastGuard autocast(amp::kCPU, {.dtype = dtype});
      loss = network.loss();
    }
    optimizer.zero_grad();
    scaler.scale(loss).backward();
    if (row.skipped) {
      const torch::NoGradGuard no_grad;
      network.last->weight.mutable_grad().index_put_({1, 2}, kInf);
    }
    const amp::StepResult result = scaler.step(optimizer);
    scaler.update();
    INFO("step " << row.step);
    CHECK(std::abs(loss.item<double>() - row.loss) < 1e-3);
    CHECK(result.skipped() == row.skipped);
    CHECK(scaler.get_scale() == row.scale);
  }
}

TEST_CASE("a training in bfloat16 has the losses, skips and scales of torch.amp in Python") {
  compare(amp::kBFloat16);
}

#if AMP_TORCH_NAMES_DEVICES
TEST_CASE("a training in float16 has the losses, skips and scales of torch.amp in Python") {
  compare(amp::kFloat16);
}
#endif

}  // namespace training_test
