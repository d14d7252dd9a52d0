// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// libtorch_step-resnet50: unscale, step and update of a gradient scaler over ResNet-50's 161
// parameters, which are torch tensors. Variants: `fused` steps with amp::libtorch::Adam, `torch`
// with torch::optim::Adam.
#include <torch/torch.h>

#include <amp/libtorch.hpp>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "memory.hpp"
#include "worker.hpp"

namespace cpu_benchmark {
namespace {

template <class Adam>
struct Step {
  explicit Step(const std::vector<std::int64_t>& sizes)
      : parameters(make(sizes)), optimizer(parameters, torch::optim::AdamOptions(1e-4)) {
    scaler.scale(torch::ones({}));
  }
  static std::vector<torch::Tensor> make(const std::vector<std::int64_t>& sizes) {
    torch::manual_seed(1);
    std::vector<torch::Tensor> all;
    for (const std::int64_t n : sizes) {
      all.push_back(torch::randn({n}).set_requires_grad(true));
      all.back().mutable_grad() = torch::randn({n});
    }
    return all;
  }
  void operator()() {
    scaler.step(optimizer);
    scaler.update();
  }

  std::vector<torch::Tensor> parameters;
  Adam optimizer;
  amp::GradScaler scaler{{.init_scale = 1, .growth_interval = 1'000'000'000}};
};

/// Compares both steps for small parameters.
void verify() {
  Step<torch::optim::Adam> expected({5, 70'000});
  Step<amp::libtorch::Adam> fused({5, 70'000});
  for (int i = 0; i < 3; ++i) {
    expected();
    fused();
  }
  for (std::size_t i = 0; i < 2; ++i)
    require(torch::allclose(expected.parameters[i], fused.parameters[i], 1e-5, 1e-6),
            "the fused step, beside torch's");
}

template <class Adam>
Workload measure() {
  const auto step = std::make_shared<Step<Adam>>(resnet50());
  return {.call = [step] { (*step)(); }};
}

Workload load(const Request& request) {
  require(request.name == "libtorch_step-resnet50" && request.precision == "fp32",
          "no such workload: " + request.name + " in " + request.precision);
  if (const char* const threads = std::getenv("OMP_NUM_THREADS"))
    torch::set_num_threads(std::atoi(threads));
  verify();
  return request.variant == "torch" ? measure<torch::optim::Adam>()
                                    : measure<amp::libtorch::Adam>();
}

}  // namespace
}  // namespace cpu_benchmark

int main(int argc, char** argv) {
  using namespace cpu_benchmark;
  return serve(argc, argv, {{"libtorch", TORCH_VERSION}}, load);
}
