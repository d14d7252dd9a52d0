// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Every optimizer with every storage of weights: masters and remainders are what a float32 run has,
// a skipped step changes nothing, 16-bit copies are written, and a resumed run goes on, bit for
// bit.
#include <amp/amp.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "optim/every_optimizer.hpp"
#include "support/catch.hpp"
#include "support/numbers.hpp"

namespace optimizers_storage {
namespace {

using amp::Tensor;
using amp::WeightStorage;
using amp_test::difference;
using amp_test::numbers;
using amp_test::same_bits;
using optim_test::Common;
using optim_test::every_optimizer;
using optim_test::Maker;

constexpr std::int64_t kSize = 1030;  // more than a block

struct Run {
  Tensor p;
  std::unique_ptr<amp::Optimizer> optimizer;

  Run(const Maker& make, amp::DType dtype, const Common& common)
      : p(numbers({kSize}, 3, dtype).requires_grad_()), optimizer(make({p}, common)) {}
  void step(int step, bool skips = false) const {
    const float found = skips ? 1 : 0, inverse = 0.125;
    p.set_grad(numbers({kSize}, 7 + step, amp::kBFloat16).to(p.dtype()));
    optimizer->step({.inverse = &inverse, .found_inf = &found});
  }
  std::vector<Tensor> everything() const {
    std::vector<Tensor> all{p.detach().clone()};
    for (const auto& [name, tensor] : optimizer->state_dict()) all.push_back(tensor);
    return all;
  }
};
void check_same(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) CHECK(same_bits(a[i], b[i]));
}

}  // namespace

TEST_CASE("optimizers: weights beside 16-bit parameters are those of a float32 run", "[optim]") {
  for (const auto& [name, make] : every_optimizer()) {
    for (const WeightStorage storage :
         {WeightStorage::kMaster, WeightStorage::kRemainder, WeightStorage::kKahan}) {
      INFO(name << " " << amp::name(storage));
      const Run wide(make, amp::kFloat32, {.moments = amp::kFloat32});
      const Run kept(make, amp::kBFloat16, {.storage = storage, .moments = amp::kFloat32});
      for (int step = 0; step < 9; ++step) {
        wide.step(step);
        kept.step(step);
      }
      const Tensor weights = kept.optimizer->master_weights()[0];
      if (storage == WeightStorage::kKahan) {
        CHECK(difference(weights.to_vector<double>(), wide.p.to_vector<double>()) < 1e-3);
      } else {
        CHECK(same_bits(weights, wide.p));
      }
    }
  }
}

TEST_CASE("optimizers: skips and resumed runs, with all storages and moments", "[optim]") {
  using enum WeightStorage;
  for (const auto& [name, make] : every_optimizer()) {
    for (const WeightStorage storage : {kParameter, kMaster, kRemainder, kStochastic, kKahan}) {
      for (const amp::DType moments : {amp::kFloat32, amp::kBFloat16}) {
        INFO(name << " " << amp::name(storage) << " " << amp::name(moments));
        const Common common{.schedule = amp::chained_schedule(
                                {amp::exponential_schedule(0.9), amp::linear_schedule(0.5, 1, 6)}),
                            .storage = storage,
                            .moments = moments};
        const Run whole(make, amp::kBFloat16, common), resumed(make, amp::kBFloat16, common);
        for (int step = 0; step < 7; ++step) {
          const auto before = whole.everything();
          whole.step(100, true);
          if (step > 0) check_same(whole.everything(), before);  // the first one creates the states
          if (step == 4) {
            resumed.optimizer->load_state_dict(whole.optimizer->state_dict());
            const amp::NoGradGuard no_grad;
            resumed.p.copy_(whole.p);
          }
          whole.step(step);
          if (step >= 4) resumed.step(step);
        }
        check_same(whole.everything(), resumed.everything());
        CHECK(whole.optimizer->applied_steps() == 7);
        CHECK(amp::is_low_precision(whole.p.dtype()));
      }
    }
  }
}

TEST_CASE("optimizers: a step writes the copies for autocast", "[optim]") {
  for (const auto& [name, make] : every_optimizer()) {
    INFO(name);
    std::vector<float> weights(40, 1), gradients(40);
    std::vector<amp::bfloat16> copies(40);
    for (std::size_t i = 0; i < 40; ++i) gradients[i] = 0.1F * static_cast<float>(i) - 2;
    const Tensor p = amp::tensor(weights, {40}).requires_grad_();
    const auto optimizer = make({p}, {});
    const amp::AutocastGuard autocast(amp::kCPU);
    const Tensor x = amp::eye(40);
    (void)amp::matmul(x, p.reshape({40, 1}));  // makes the copy
    p.set_grad(amp::tensor(gradients, {40}));
    optimizer->step();
    const Tensor product = amp::matmul(x, p.reshape({40, 1}));
    CHECK(product.to_vector<double>() == p.to(amp::kBFloat16).to_vector<double>());
  }
}

}  // namespace optimizers_storage
