// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Where optimizers on host and device may differ. They share their formulas, in which each
// operation is rounded by itself, whatever flags compile them; so the same coefficients give the
// same bits. The coefficients are float64 and come from the math libraries: beta^t in the bias
// corrections of Adam and LAMB, and powers and cosines in schedules. pow of a GPU may be off by 2
// units in the last place of a float64; 1 - 0.999^t makes that 2^-42 of the coefficient at worst.
// Rounded to float32, a coefficient is the same or its neighbour. Moments have no such coefficient,
// nor have SGD and Lion at a constant rate. The tests' device uses the host's library: there,
// nothing may differ.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cuda/on_both.hpp"
#include "support/catch.hpp"

namespace cuda_optim_bits {
namespace {

using amp::Tensor;

constexpr int kSteps = 4;

/// All of state_dict after some steps, and the parameters.
template <class Optimizer, class Options>
amp::NamedTensors trained(const Options& options, amp::Device device) {
  std::vector<Tensor> params;
  amp::manual_seed(11);
  for (const amp::DType dtype : {amp::kFloat32, amp::kFloat64, amp::kBFloat16}) {
    for (const std::int64_t n : {7, 4101})
      params.push_back(amp::randn({n}).to(dtype).to(device).requires_grad_());
    const Tensor unaligned = amp::randn({4102}).to(dtype).to(device).slice(0, 1);
    params.push_back(unaligned.detach().requires_grad_());
  }
  Optimizer optimizer(params, options);
  for (int step = 0; step < kSteps; ++step) {
    for (const Tensor& p : params)
      p.set_grad((amp::randn(p.shape()) * 0.1).to(p.dtype()).to(device));
    optimizer.step();
  }
  amp::NamedTensors all = optimizer.state_dict();
  for (std::size_t i = 0; i < params.size(); ++i)
    all.emplace_back(std::to_string(i) + ".weight", params[i].detach());
  return all;
}

/// `powers`: whether the step of a weight has powers in it.
template <class Optimizer, class Options>
void check_bits(const Options& options, bool powers) {
  const amp::NamedTensors host = trained<Optimizer>(options, amp::kCPU),
                          device = trained<Optimizer>(options, amp::kCUDA);
  REQUIRE(host.size() == device.size());
  for (std::size_t i = 0; i < host.size(); ++i) {
    INFO(host[i].first << ", " << amp::name(host[i].second.dtype()));
    const auto a = host[i].second.to_vector<double>(), b = device[i].second.to_vector<double>();
    if (cuda_test::kOwnMath && powers && host[i].first.ends_with(".weight")) {
      CHECK(cuda_test::difference(host[i].second, device[i].second) <=
            kSteps * cuda_test::tolerance(host[i].second.dtype()));
    } else {
      CHECK(a == b);
    }
  }
}

TEST_CASE("cuda optimizers: the bits are the host's, but for powers in the step", "[cuda]") {
  check_bits<amp::SGD>(amp::SGDOptions{.lr = 0.03, .momentum = 0.9, .weight_decay = 0.1}, false);
  check_bits<amp::Lion>(amp::LionOptions{.lr = 0.003, .weight_decay = 0.1}, false);
  check_bits<amp::AdamW>(amp::AdamOptions{.lr = 0.01}, true);
  check_bits<amp::LAMB>(amp::LAMBOptions{.lr = 0.01}, true);
  check_bits<amp::RMSprop>(amp::RMSpropOptions{.momentum = 0.9, .centered = true}, false);
  check_bits<amp::Adagrad>(amp::AdagradOptions{.initial_accumulator_value = 0.1}, false);
  check_bits<amp::Adadelta>(amp::AdadeltaOptions{}, false);
  check_bits<amp::Adamax>(amp::AdamaxOptions{}, true);
  check_bits<amp::NAdam>(amp::NAdamOptions{}, true);
  check_bits<amp::RAdam>(amp::RAdamOptions{.beta2 = 0.6}, true);
  check_bits<amp::Adam>(amp::AdamOptions{.amsgrad = true}, true);
  for (const auto storage : {amp::WeightStorage::kMaster, amp::WeightStorage::kStochastic})
    check_bits<amp::AdamW>(
        amp::AdamOptions{.lr = 0.01, .storage = storage, .moments = amp::kUInt8, .zero_grad = true},
        true);
}

}  // namespace
}  // namespace cuda_optim_bits
