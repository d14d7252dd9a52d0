// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Whole training steps, forward, backward and optimizer: cnn-BATCH, mlp-BATCH, gpt-BATCH.
// The results are the losses of the first steps; "peak MB" is the peak memory of the tensors of one
// step, and "resident MB" what these steps added to the memory of the process, if it is fresh.
#include <unistd.h>

#include <fstream>
#include <memory>

#include "networks.hpp"
#include "on_amp.hpp"

namespace cpu_benchmark {
namespace {

template <class Network, class Optimizer>
class Training {
 public:
  Training(Tensor inputs, Tensor targets, amp::DType dtype, amp::AdamOptions options)
      : inputs_(std::move(inputs)),
        targets_(std::move(targets)),
        dtype_(dtype),
        optimizer_((initialise(network_), network_.named_parameters()), options),
        scaler_({.enabled = dtype == amp::kFloat16}) {}

  Tensor step() {
    optimizer_.zero_grad();
    Tensor loss;
    {
      const amp::AutocastGuard autocast(amp::kCPU,
                                        {.dtype = dtype_, .enabled = dtype_ != amp::kFloat32});
      loss = amp::cross_entropy(network_.forward(inputs_), targets_);
    }
    scaler_.scale(loss).backward();
    scaler_.step(optimizer_);
    scaler_.update();
    return loss.detach();
  }

 private:
  Network network_;
  Tensor inputs_, targets_;
  amp::DType dtype_;
  Optimizer optimizer_;
  amp::GradScaler scaler_;
};

/// Returns the memory of this process, in MB.
double resident() {
  std::ifstream file("/proc/self/statm");
  double pages = 0;
  file >> pages >> pages;
  return pages * static_cast<double>(::sysconf(_SC_PAGESIZE)) * 1e-6;
}

template <class Network, class Optimizer = amp::Adam>
Workload training(const Tensor& inputs, const Tensor& targets, const std::string& precision) {
  const double before = resident();
  const auto all = std::make_shared<Training<Network, Optimizer>>(
      inputs, targets, dtype_of(precision), amp::AdamOptions{.lr = 1e-3});
  Workload workload{.call = [all] { all->step(); }};
  for (int i = 0; i < 4; ++i) {
    workload.results.push_back(all->step().template item<double>());
    if (i == 0) amp::reset_peak_memory();  // Adam's moments exist now
  }
  workload.facts["peak MB"] = static_cast<double>(amp::memory_stats().peak_bytes) * 1e-6;
  workload.facts["resident MB"] = resident() - before;
  return workload;
}

}  // namespace

std::optional<Workload> load_training_step(const Request& request) {
  const std::string &name = request.name, &precision = request.precision;
  if (const int batch = number_after("cnn-", name))
    return training<Cnn>(numbers({batch, 3, 32, 32}, 1001), classes({batch}, 1002, 10), precision);
  if (const int batch = number_after("mlp-", name))
    return training<Mlp>(numbers({batch, 784}, 1001), classes({batch}, 1002, 10), precision);
  if (const int batch = number_after("gpt-", name))
    return training<Gpt, amp::AdamW>(classes({batch, kTokens}, 1001, kVocabulary),
                                     classes({batch * kTokens}, 1002, kVocabulary), precision);
  return {};
}

}  // namespace cpu_benchmark
