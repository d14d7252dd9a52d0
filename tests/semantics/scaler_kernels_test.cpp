// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// PyTorch's tests of the two kernels of gradient scaling: check-and-unscale, and the update of the
// scale.
#include <amp/amp.hpp>
#include <amp/kernels/unscale/host.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "scaler/raw_optimizers.hpp"
#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace scaler_kernels {
namespace {

using amp::kCPU;
using amp::Tensor;
using amp::kernels::GradientSpan;
using amp::kernels::ScaleRule;
using amp::kernels::ScaleState;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

GradientSpan span_of(const Tensor& dense) {
  return {dense.raw_data(), dense.numel(), dense.dtype()};
}

/// PyTorch's _amp_foreach_non_finite_check_and_unscale_. Returns found_inf.
float check_and_unscale(const std::vector<GradientSpan>& gradients, float inverse,
                        float found_inf = 0) {
  amp::kernels::host::unscale({.device = kCPU,
                               .gradients = gradients.data(),
                               .count = static_cast<std::int64_t>(gradients.size()),
                               .inverse_scale = &inverse,
                               .found_inf = &found_inf,
                               .write = true});
  return found_inf;
}

std::vector<float> numbers(const Tensor& x) { return x.to_vector<float>(); }

std::vector<float> copies(std::int64_t count, float value) {
  return std::vector<float>(static_cast<std::size_t>(count), value);
}

Tensor fours(amp::DType dtype) { return amp::full({20, 20}, 4, {.dtype = dtype}); }

void poison(const Tensor& matrix, double bad) { matrix.narrow(0, 2, 1).narrow(1, 2, 1).fill_(bad); }

struct Scale {
  double scale;
  std::int32_t tracker;
  friend bool operator==(const Scale&, const Scale&) = default;
};

/// PyTorch's rule knows no bounds.
ScaleRule rule(double growth, double backoff, std::int64_t interval) {
  return {.growth_factor = growth,
          .backoff_factor = backoff,
          .growth_interval = interval,
          .min_scale = 0,
          .max_scale = std::numeric_limits<float>::max(),
          .hysteresis = 1};
}

/// PyTorch's _amp_update_scale_.
Scale updated(const Scale& from, bool found_inf, const ScaleRule& rule) {
  ScaleState state{};
  state.scale = static_cast<float>(from.scale);
  state.growth_tracker = from.tracker;
  state.hysteresis_left = 1;
  amp::kernels::update_scale(state, rule, found_inf);
  return {static_cast<double>(state.scale), state.growth_tracker};
}

}  // namespace

// --- check-and-unscale ---------------------------------------------------------------------------

// Views here are dense, in any order: of the test's slices those of whole rows remain.
TEST_CASE(
    "test_grad_scaling_unscale (test_torch.py): lists of every layout, with and without inf") {
  for (const amp::DType dtype : {amp::kFloat32, amp::kFloat64}) {
    for (const double bad : {0.0, kInfinity, -kInfinity, kNaN}) {
      const auto check = [&](const std::vector<Tensor>& made, std::size_t poisoned) {
        std::vector<GradientSpan> spans;
        for (const Tensor& g : made) spans.push_back(span_of(g));
        if (bad != 0) poison(made[poisoned], bad);
        CHECK(check_and_unscale(spans, 0.25F) == (bad != 0 ? 1.0F : 0.0F));
        for (const Tensor& g : made) {
          if (bad == 0) CHECK(numbers(g) == copies(g.numel(), 1));
        }
      };
      const Tensor base = fours(dtype);
      check({fours(dtype), fours(dtype)}, 0);
      check({fours(dtype), fours(dtype)}, 1);
      check({fours(dtype).t(), fours(dtype)}, 0);
      check({fours(dtype), fours(dtype).t()}, 1);
      check({base.narrow(0, 0, 5), fours(dtype)}, 0);
      if (bad == 0) CHECK(numbers(base.narrow(0, 5, 15)) == copies(300, 4));  // its neighbours
    }
  }
}

TEST_CASE("test_grad_scaling_unscale (test_torch.py): mixed dtypes in one list") {
  const std::vector<Tensor> gradients = {
      amp::full({20}, 4), amp::full({20}, 4, {.dtype = amp::kFloat16}),
      amp::full({20}, 4, {.dtype = amp::kBFloat16}), amp::full({20}, 4, {.dtype = amp::kFloat64})};
  std::vector<GradientSpan> spans;
  for (const Tensor& g : gradients) spans.push_back(span_of(g));
  CHECK(check_and_unscale(spans, 0.25F) == 0);
  for (const Tensor& g : gradients) CHECK(numbers(g) == copies(20, 1));
}

// The second device is there by its name alone; cuda/several_devices_test.cpp has real ones.
TEST_CASE("test_grad_scaling_unscale (test_torch.py): a gradient on no device that is there") {
  struct Mixed {
    float memory[2] = {4, 4};
    std::vector<amp::TensorView> gradients() {
      return {{memory, 1, amp::kFloat32, kCPU, "here"},
              {memory + 1, 1, amp::kFloat32, amp::kCUDA, "there"}};
    }
    void step() {}
  } mixed;
  amp::GradScaler scaler({.init_scale = 4});
  scaler_test::start(scaler);
  CHECK_THAT(amp_test::error_of([&] { scaler.unscale_(mixed); }),
             Catch::Matchers::ContainsSubstring("there"));
  CHECK(mixed.memory[0] == 4);
}

// Several devices need several; dtypes and layouts remain.
TEST_CASE("test_grad_scaling_unscale (test_torch.py): an inf in any one of four is found") {
  for (int inject = -1; inject <= 3; ++inject) {
    INFO("inject " << inject);
    const std::vector<Tensor> gradients = {fours(amp::kFloat32), fours(amp::kFloat32).t(),
                                           fours(amp::kFloat16), fours(amp::kFloat16).t()};
    std::vector<amp::TensorView> views;
    for (const Tensor& g : gradients)
      views.push_back({g.raw_data(), g.numel(), g.dtype(), g.device()});
    if (inject >= 0) poison(gradients[static_cast<std::size_t>(inject)], kInfinity);
    struct Views {
      std::vector<amp::TensorView> views;
      int steps = 0;
      const std::vector<amp::TensorView>& gradients() const { return views; }
      void step() { ++steps; }
    } optimizer{views};
    amp::GradScaler scaler({.init_scale = 4});
    scaler_test::start(scaler);
    scaler.unscale_(optimizer);
    const amp::StepResult result = scaler.step(optimizer);
    CHECK(*result.skipped_data() == (inject >= 0 ? 1.0F : 0.0F));
    CHECK(optimizer.steps == (inject >= 0 ? 0 : 1));
    for (int i = 0; i < 4; ++i) {
      if (i != inject) CHECK(numbers(gradients[static_cast<std::size_t>(i)]) == copies(400, 1));
    }
  }
}

TEST_CASE("TestAmpForeachNonFiniteCheckAndUnscale (test_lazy_ops.cpp): flag 0, then with NaN 1") {
  const Tensor good = amp::tensor({1.0F, 2.0F, 3.0F, 4.0F}, {4});
  CHECK(check_and_unscale({span_of(good)}, 0.2F) == 0);
  for (int i = 0; i < 4; ++i)
    CHECK(numbers(good)[static_cast<std::size_t>(i)] == static_cast<float>(i + 1) * 0.2F);
  const Tensor bad = amp::tensor({1.0F, static_cast<float>(kNaN), 3.0F, 4.0F}, {4});
  CHECK(check_and_unscale({span_of(bad)}, 0.2F) == 1);
}

TEST_CASE("check-and-unscale: the numbers of PyTorch 2.6 on the CPU") {
  const Tensor two = amp::tensor({4.0F, 8.0F}, {2});
  CHECK(check_and_unscale({span_of(two)}, 0.25F) == 0);
  CHECK(numbers(two) == std::vector<float>{1, 2});
  CHECK(check_and_unscale({span_of(two)}, 1, 1) == 1);  // never cleared
  const Tensor odd =
      amp::tensor({static_cast<float>(kNaN), static_cast<float>(kInfinity), 2.0F}, {3});
  CHECK(check_and_unscale({span_of(odd)}, 1) == 1);
  CHECK(std::isnan(numbers(odd)[0]));
  CHECK(numbers(odd)[1] == std::numeric_limits<float>::infinity());
  CHECK(numbers(odd)[2] == 2);
  const Tensor tiny = amp::full({1}, 1e-3, {.dtype = amp::kFloat16});
  CHECK(check_and_unscale({span_of(tiny)}, 0x1p-16F) == 0);  // underflow is no overflow
  CHECK(numbers(tiny)[0] == 0);
  const Tensor large = amp::full({1}, 1e300, {.dtype = amp::kFloat64});
  CHECK(check_and_unscale({span_of(large)}, 0.5F) == 0);
  CHECK(large.item<double>() == 5e299);
  CHECK(check_and_unscale({}, 1, 0) == 0);
  CHECK(check_and_unscale({{nullptr, 0, amp::kFloat32}}, 1, 0) == 0);
}

// amp has no sparse tensors: embedding, whose gradients PyTorch makes sparse, gives dense ones.
TEST_CASE("test_grad_scaling_unscale_sparse (test_torch.py): duplicates that overflow are found") {
  const Tensor dense = amp::tensor({16.0F, 32.0F, 64.0F}, {3});
  CHECK(check_and_unscale({span_of(dense)}, 0.25F) == 0);
  CHECK(numbers(dense) == std::vector<float>{4, 8, 16});
  for (const double bad : {kInfinity, kNaN}) {
    const Tensor g = amp::tensor({16.0, bad, 64.0}, {3}, {.dtype = amp::kFloat32});
    CHECK(check_and_unscale({span_of(g)}, 0.25F) == 1);
  }
  for (const bool twice : {false, true}) {
    const Tensor table = amp::zeros({2, 1}, {.dtype = amp::kFloat16, .requires_grad = true});
    const Tensor rows = amp::embedding(amp::tensor({1, twice ? 1 : 0}, {2}), table);
    rows.backward(amp::full({2, 1}, 64000, {.dtype = amp::kFloat16}));
    CHECK(check_and_unscale({span_of(table.grad())}, 0.25F) == (twice ? 1.0F : 0.0F));
  }
}

TEST_CASE("test_scaling_unscaling_sparse (test_fsdp_sharded_grad_scaler.py): 2^15 twice likewise") {
  const auto found_inf = [](double gradient) {
    const Tensor table = amp::zeros({2, 1}, {.dtype = amp::kFloat16, .requires_grad = true});
    amp::SGD sgd({table}, {.lr = 1});
    const Tensor rows = amp::embedding(amp::tensor({1, 1}, {2}), table);
    rows.backward(amp::full({2, 1}, gradient, {.dtype = amp::kFloat16}));
    amp::GradScaler scaler({.init_scale = 2});
    scaler_test::start(scaler);
    return *scaler.step(sgd).skipped_data();
  };
  CHECK(found_inf(0x1p14) == 0);
  CHECK(found_inf(kInfinity) == 1);
  CHECK(found_inf(0x1p15) == 1);
}

// --- the update of the scale ---------------------------------------------------------------------

TEST_CASE("test_grad_scaling_update_scale (test_torch.py): 4, 4, 8, then inf and 2") {
  const ScaleRule r = rule(2, 0.25, 2);
  const Scale one = updated({4, 0}, false, r);
  CHECK(one == Scale{4, 1});
  const Scale two = updated(one, false, r);
  CHECK(two == Scale{8, 0});
  CHECK(updated(two, true, r) == Scale{2, 0});
}

TEST_CASE("TestAmpUpdateScale (test_lazy_ops.cpp): 4, 4, 8, then inf and 4") {
  const ScaleRule r = rule(2, 0.5, 3);
  Scale s{4, 0};
  for (const Scale& expected : {Scale{4, 1}, Scale{4, 2}, Scale{8, 0}}) {
    s = updated(s, false, r);
    CHECK(s == expected);
  }
  CHECK(updated(s, true, r) == Scale{4, 0});
}

TEST_CASE("update of the scale: the numbers of PyTorch 2.6") {
  const ScaleRule r = rule(2, 0.5, 2);
  CHECK(updated({4, 0}, false, r) == Scale{4, 1});
  CHECK(updated({4, 1}, false, r) == Scale{8, 0});
  CHECK(updated({4, 1}, true, r) == Scale{2, 0});
  CHECK(updated({kInfinity, 1}, false, r) == Scale{kInfinity, 0});
  CHECK(updated({kInfinity, 1}, true, r) == Scale{kInfinity, 0});
  CHECK(std::isnan(updated({kNaN, 1}, false, r).scale));
  CHECK(updated({0, 1}, false, r) == Scale{0, 0});
  CHECK(updated({3, 1}, true, rule(2, 0.1, 2)) == Scale{0.30000001192092896, 0});
  CHECK(updated({3, 1}, false, rule(1.1, 0.5, 2)) == Scale{3.299999952316284, 0});
  CHECK(updated({4, 0}, false, rule(2, 0.5, 1)) == Scale{8, 0});
  // (4, 5) counts on to (4, 6) in PyTorch, and (1e-45, 1) becomes 0; see the tests of its defects.
}

// PyTorch refuses a growth past the largest float; amp grows up to max_scale, and no further.
TEST_CASE("test_grad_scale_will_not_overflow (test_torch.py): growth ends at the bound") {
  amp::GradScaler scaler({.init_scale = 1e38, .growth_factor = 16, .growth_interval = 1});
  const Tensor p = amp::zeros({1}, {.requires_grad = true});
  amp::SGD sgd({p}, {.lr = 0});
  for (int i = 0; i < 3; ++i) {
    p.set_grad(amp::ones({1}));
    (void)scaler.scale(amp::ones({}));
    CHECK_FALSE(scaler.step(sgd).skipped());
    scaler.update();
    CHECK(scaler.get_scale() == static_cast<double>(1e38F));
    CHECK(scaler.state_dict().growth_tracker == 0);
  }
  CHECK(updated({0x1p125, 0}, false, rule(16, 0.5, 1)).scale ==
        static_cast<double>(std::numeric_limits<float>::max()));
  scaler.update(0x1p124);
  p.set_grad(amp::ones({1}));
  (void)scaler.step(sgd);
  scaler.update();
  CHECK(scaler.get_scale() == 0x1p126);
}

}  // namespace scaler_kernels
