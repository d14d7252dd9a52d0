// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Other code may write a parameter, even if its weight is stored outside of it: the next step
// starts from the elements that were written, and the others keep every bit.
#include <amp/amp.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "optim/storage_cases.hpp"
#include "support/catch.hpp"

namespace written_weights {
namespace {

using namespace storage_test;
using enum WeightStorage;
using Catch::Matchers::ContainsSubstring;

constexpr double kSeen = 0x1p-8;  // what a parameter in bfloat16 does not show of its weight
constexpr amp::DType kDtypes[] = {amp::kBFloat16, amp::kFloat16};

/// Parameters that took a few steps, so that masters hold more than they do.
struct Trained {
  Case c;
  Tensors params;
  std::unique_ptr<amp::Optimizer> optimizer;

  explicit Trained(amp::DType dtype, WeightStorage storage = kMaster, int steps = 3)
      : c{Formula::kAdamW, dtype, storage},
        params(parameters(dtype, amp::kCPU)),
        optimizer(make(c, params)) {
    for (int i = 0; i < steps; ++i) step(i);
  }
  void step(int i) {
    set_gradients(params, i, c.dtype);
    optimizer->step();
  }
};

Tensor as_float(const Tensor& p) { return p.detach().to(amp::kFloat32); }

TEST_CASE("masters: elements that somebody wrote are followed, all others keep their bits") {
  for (const amp::DType dtype : kDtypes) {
    Trained written(dtype), reference(dtype);
    std::vector<Tensor> expected = reference.optimizer->master_weights();
    const std::int64_t places[] = {0, 1029, 517};
    for (const std::int64_t i : places) {
      written.params[3].detach().narrow(0, i, 1).fill_(2.5);
      expected[3].narrow(0, i, 1).fill_(2.5);
    }
    CHECK((bits_of(written.optimizer->master_weights()) == bits_of(expected)));
    reference.optimizer->set_master_weights(expected);
    for (int i = 5; i < 8; ++i) written.step(i), reference.step(i);
    CHECK((bits_of(written.params, *written.optimizer) ==
           bits_of(reference.params, *reference.optimizer)));
  }
}

TEST_CASE("weights: a version that moved alone changes nothing") {
  for (const Case& c : cases()) {
    if (c.formula != Formula::kAdamW || c.moments) continue;
    INFO(c.text());
    Trained touched(c.dtype, c.storage), reference(c.dtype, c.storage);
    for (const Tensor& p : touched.params) p.detach().copy_(p.detach().clone());
    for (int i = 5; i < 8; ++i) touched.step(i), reference.step(i);
    CHECK((bits_of(touched.params, *touched.optimizer) ==
           bits_of(reference.params, *reference.optimizer)));
  }
}

TEST_CASE("masters: an autocast scope has no part in it, whatever its policies") {
  Trained inside(amp::kBFloat16), outside(amp::kBFloat16);
  for (const Trained* trained : {&inside, &outside})
    trained->params[3].detach().narrow(0, 5, 700).fill_(0.7);
  const auto expected = bits_of(outside.optimizer->master_weights());
  const amp::AutocastGuard scope(amp::kCPU,
                                 {.dtype = amp::kFloat16,
                                  .policies = {{"eq", amp::OpPolicy::kLowPrecision},
                                               {"where", amp::OpPolicy::kLowPrecision}}});
  CHECK((bits_of(inside.optimizer->master_weights()) == expected));
}

TEST_CASE("masters: values that are not finite are followed, and so are overflows kept") {
  Trained trained(amp::kFloat16);
  std::vector<Tensor> weights = trained.optimizer->master_weights();
  weights[2].narrow(0, 3, 1).fill_(70000);  // infinite in float16, but not in its master
  trained.optimizer->set_master_weights(weights);
  trained.params[2].detach().narrow(0, 5, 1).fill_(std::numeric_limits<double>::quiet_NaN());
  const auto after = trained.optimizer->master_weights()[2].to_vector<float>();
  CHECK(after[3] == 70000);
  CHECK(after[5] != after[5]);
}

TEST_CASE("masters: what overflows into NaN in the parameter is kept, until NaN is written") {
  const Tensor p = amp::full({3}, 400, {.dtype = amp::kFloat8E4M3}).detach().requires_grad_();
  amp::SGD optimizer({p}, {.lr = 1, .storage = kMaster});
  for (int step = 0; step < 2; ++step) {
    p.set_grad(amp::full({3}, -60));
    optimizer.step();
  }
  CHECK(p.to_vector<float>()[0] != p.to_vector<float>()[0]);  // beyond 448
  CHECK(optimizer.master_weights()[0].to_vector<float>()[0] > 500);
  p.set_grad(amp::full({3}, 200));
  optimizer.step();
  CHECK(p.to_vector<float>()[0] > 300);
  p.detach().narrow(0, 1, 1).fill_(std::numeric_limits<double>::quiet_NaN());
  const auto weights = optimizer.master_weights()[0].to_vector<float>();
  CHECK(weights[0] > 300);
  CHECK(weights[1] != weights[1]);
}

TEST_CASE("masters: a checkpoint of parameters and optimizer loads in any order") {
  for (const bool first : {false, true}) {
    Trained source(amp::kBFloat16), other(amp::kBFloat16, kMaster, 1);
    const auto load_parameters = [&] {
      for (std::size_t i = 0; i < other.params.size(); ++i)
        other.params[i].detach().copy_(source.params[i].detach());
    };
    if (first) load_parameters();
    other.optimizer->load_state_dict(source.optimizer->state_dict());
    if (!first) load_parameters();
    CHECK((bits_of(other.optimizer->master_weights()) ==
           bits_of(source.optimizer->master_weights())));
    for (int i = 5; i < 8; ++i) other.step(i), source.step(i);
    CHECK((bits_of(other.params, *other.optimizer) == bits_of(source.params, *source.optimizer)));
  }
}

TEST_CASE("masters: to look at them changes none") {
  Trained looked(amp::kBFloat16), reference(amp::kBFloat16);
  for (const Tensor& p : looked.params) {
    const Tensor before = p.detach();
    p.set_data(before.to(amp::kFloat32));  // for an evaluation, say
    (void)looked.optimizer->state_dict();
    (void)looked.optimizer->master_weights();
    p.set_data(amp::zeros(p.shape(), {.dtype = amp::kBFloat16}));
    (void)looked.optimizer->master_weights();
    p.set_data(before);
  }
  for (int i = 5; i < 8; ++i) looked.step(i), reference.step(i);
  CHECK((bits_of(looked.params, *looked.optimizer) ==
         bits_of(reference.params, *reference.optimizer)));
}

TEST_CASE("weights: a parameter of another shape than what is kept beside it is an error") {
  for (const WeightStorage storage : {kMaster, kRemainder, kKahan}) {
    Trained trained(amp::kBFloat16, storage);
    trained.params[2].set_data(amp::zeros({4000}, {.dtype = amp::kBFloat16}));
    CHECK_THROWS_WITH(trained.optimizer->master_weights(),
                      ContainsSubstring("params[2] is now bfloat16[4000]"));
    (void)trained.optimizer->state_dict();
  }
}

TEST_CASE("masters: they follow a skipped step, and parameters without gradients later") {
  Trained trained(amp::kBFloat16);
  for (const Tensor& p : trained.params) p.detach().fill_(0.25);
  const amp::Tensor found = amp::ones({}), inverse = amp::ones({});
  set_gradients(trained.params, 4, amp::kBFloat16);
  trained.params[4].set_grad(Tensor());
  trained.optimizer->step(
      {.inverse = inverse.const_data<float>(), .found_inf = found.const_data<float>()});
  for (const Tensor& master : trained.optimizer->master_weights()) {
    for (const float value : master.to_vector<float>()) CHECK(value == Approx(0.25).epsilon(kSeen));
  }
}

TEST_CASE("masters: parameters that share memory, and parameters with other memory") {
  const Tensor flat = amp::randn({64}).to(amp::kBFloat16);
  const Tensor a = flat.narrow(0, 0, 32).detach().requires_grad_(),
               b = flat.narrow(0, 32, 32).detach().requires_grad_();
  amp::SGD optimizer({a, b}, {.lr = 1e-4, .storage = kMaster});
  for (int i = 0; i < 4; ++i) {
    set_gradients({a, b}, i, amp::kBFloat16);
    optimizer.step();
  }
  const auto masters = optimizer.master_weights();
  CHECK((bits_of(masters[0]) != bits_of(as_float(a))));  // bits that the parameter lacks
  b.detach().fill_(1);
  const auto after = optimizer.master_weights();
  CHECK((bits_of(after[0]) == bits_of(masters[0])));
  CHECK((bits_of(after[1]) == bits_of(amp::ones({32}))));

  const Tensor moved = amp::full({32}, 3, {.dtype = amp::kBFloat16});
  b.set_data(moved);
  CHECK((bits_of(optimizer.master_weights()[1]) == bits_of(amp::full({32}, 3))));
}

TEST_CASE("weights: split ones take over what is written, to what the parameter shows") {
  for (const WeightStorage storage : {kRemainder, kKahan}) {
    for (const double value : {0.0, -0.0, 1e-4, 1.5, -300.0, HUGE_VAL, -HUGE_VAL}) {
      INFO(amp::name(storage) << " " << value);
      Trained trained(amp::kBFloat16, storage);
      trained.params[3].detach().fill_(value);
      // An infinite parameter may be a weight that overflowed when it was rounded.
      const double close = std::isfinite(value) ? value : std::copysign(3.39e38, value);
      for (const float weight : trained.optimizer->master_weights()[3].to_vector<float>()) {
        if (weight != value) CHECK(weight == Approx(close).epsilon(2 * kSeen).margin(1e-38));
      }
      trained.step(4);
      for (const float weight : trained.params[3].to_vector<float>()) CHECK(weight == weight);
    }
  }
}

}  // namespace
}  // namespace written_weights
