// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Moments of 8 bits: what codes hold, that rounding has the right mean, and that Adam trains with
// them as with float32.
#include <amp/amp.hpp>
#include <amp/kernels/optim/host/block_moments.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/numbers.hpp"

namespace block_moments {
namespace {

using amp::Tensor;
namespace host = amp::kernels::host::detail;
using amp::kernels::kMomentBlock;
using amp::kernels::kMomentBlockBytes;
using amp::kernels::RoundingBits;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// The values after a way there and back, in blocks.
template <bool kSigned>
std::vector<float> rounded(std::vector<float> values, std::int64_t applied) {
  const auto n = static_cast<std::int64_t>(values.size());
  values.resize(values.size() + kMomentBlock);
  std::vector<std::uint8_t> blocks(
      static_cast<std::size_t>((n + kMomentBlock - 1) / kMomentBlock * kMomentBlockBytes));
  const auto bits = RoundingBits::of(1, 0, applied, RoundingBits::kState);
  host::encode_moments<kSigned>(values.data(), blocks.data(), 0, n, bits);
  host::decode_moments<kSigned>(blocks.data(), 0, n, values.data());
  values.resize(static_cast<std::size_t>(n));
  return values;
}

/// All magnitudes that codes have in a block whose scale is 1.
template <bool kSigned>
std::vector<float> magnitudes() {
  using Code = amp::kernels::MomentCode<kSigned>;
  std::vector<float> all;
  for (std::uint32_t code = 0; code <= Code::kLast; ++code)
    all.push_back(__builtin_bit_cast(float, Code::y(code)) - Code::kOffset);
  return all;
}

/// A parameter whose rows have gradients of different magnitudes, towards a target, with noise.
struct Run {
  Tensor p = amp_test::numbers({64, 100}, 1, amp::kFloat32).requires_grad_();
  Tensor target = amp_test::numbers({64, 100}, 2, amp::kFloat32);
  Tensor scales = amp::pow(10.0, amp::linspace(-4, 4, 64)).reshape({64, 1}).to(amp::kFloat32);
  amp::AdamW optimizer;
  amp::GradScaler scaler{{.init_scale = 8}};

  explicit Run(std::optional<amp::DType> moments)
      : optimizer({p}, {.lr = 0.02, .weight_decay = 0, .moments = moments}) {}
  void step(int i) {
    const Tensor noise = amp_test::numbers({64, 100}, 3 + i, amp::kFloat32);
    optimizer.zero_grad();
    scaler.scale(((p - target) * noise.abs() * scales).square().sum() / 2).backward();
    scaler.step(optimizer);
    scaler.update();
  }
  double distance() const { return (p.detach() - target).abs().mean().item(); }
};

}  // namespace

TEST_CASE("moments of 8 bits: what a code holds stays", "[optim]") {
  for (std::int64_t applied = 0; applied < 3; ++applied) {
    CHECK(rounded<false>(magnitudes<false>(), applied) == magnitudes<false>());
    std::vector<float> both = magnitudes<true>();
    for (const float magnitude : magnitudes<true>()) both.push_back(-magnitude);
    CHECK(rounded<true>(both, applied) == both);
    for (float& x : both) x *= 0x1p-80F;
    CHECK(rounded<true>(both, applied) == both);
  }
}

TEST_CASE("moments of 8 bits: rounding has the right mean", "[optim]") {
  const auto check_mean = [](auto is_signed, float value) {
    constexpr int kDraws = 4000;
    double sum = 0;
    for (int draw = 0; draw < kDraws; draw += 250) {
      std::vector<float> values(250, value);
      values.push_back(1.875F);
      for (const float x : rounded<is_signed.value>(values, draw)) sum += x;
      sum -= 1.875;
    }
    INFO(value);
    const double unit = std::abs(value) / 8 + (is_signed.value ? 0x1p-18 : 0);
    CHECK(std::abs(sum / kDraws - value) < 4 * unit / 2 / std::sqrt(double{kDraws}));
  };
  for (const float value : {1.01F, 0.3F, 1e-3F, 1e-5F, 3e-6F, 1e-7F}) {
    check_mean(std::true_type(), value);
    check_mean(std::true_type(), -value);
    check_mean(std::false_type(), value);
  }
  check_mean(std::false_type(), 1e-9F);
}

TEST_CASE("moments of 8 bits: zeros, tiny numbers and those that are not finite", "[optim]") {
  const std::vector<float> tiny(300, 1e-40F), zeros(300, 0.0F);
  CHECK(rounded<true>(tiny, 0) == zeros);
  CHECK(rounded<false>(zeros, 0) == zeros);
  std::vector<float> some(300, 1.0F);
  some[0] = 0;
  CHECK(rounded<true>(some, 0)[0] == 0);
  CHECK(rounded<false>(some, 0)[0] > 0);  // a root divides
  for (const float bad : {kInfinity, -kInfinity, std::nanf("")}) {
    some[3] = bad;
    const std::vector<float> after = rounded<true>(some, 0);
    CHECK(std::isnan(after[255]));
    CHECK(after[256] == Approx(1));  // of another block
  }
}

TEST_CASE("moments of 8 bits: Adam trains as with those of float32", "[optim]") {
  Run exact(std::nullopt), small(amp::kUInt8);
  const double begin = exact.distance();
  for (int i = 0; i < 200; ++i) exact.step(i), small.step(i);
  CHECK(exact.distance() < begin / 10);
  CHECK(small.distance() < exact.distance() * 1.1);
}

TEST_CASE("moments of 8 bits: their tensors, and a resumed run", "[optim]") {
  Run run(amp::kUInt8), resumed(amp::kUInt8);
  for (int i = 0; i < 3; ++i) run.step(i);
  for (const auto& [name, state] : run.optimizer.state_dict()) {
    if (!name.ends_with(".exp_avg") && !name.ends_with(".exp_avg_sq")) continue;
    CHECK(state.dtype() == amp::kUInt8);
    CHECK(state.shape() == amp::Shape(25, 260));
  }
  resumed.optimizer.load_state_dict(run.optimizer.state_dict());
  resumed.p.detach().copy_(run.p.detach());
  for (int i = 3; i < 6; ++i) run.step(i), resumed.step(i);
  CHECK(amp_test::same_bits(run.p, resumed.p));

  Run exact(std::nullopt);
  exact.step(0);
  CHECK_THROWS_WITH(run.optimizer.load_state_dict(exact.optimizer.state_dict()),
                    Catch::Matchers::ContainsSubstring("0.exp_avg"));
  const Tensor bias = amp::zeros({4095}, {.requires_grad = true});
  amp::Adam of_few({bias}, {.moments = amp::kUInt8});
  bias.set_grad(amp::ones({4095}));
  of_few.step();
  CHECK(of_few.state_dict().back().second.dtype() == amp::kFloat32);
}

TEST_CASE("moments of 8 bits: what does not take them says so", "[optim]") {
  using Catch::Matchers::ContainsSubstring;
  const Tensor p = amp::zeros({5000}, {.requires_grad = true});
  CHECK_THROWS_WITH(amp::Adam({p}, {.amsgrad = true, .moments = amp::kUInt8}),
                    ContainsSubstring("Adam: `amsgrad` takes no `moments` of uint8"));
  CHECK_THROWS_WITH(
      amp::Adam({p}, {.moments = amp::kInt64}),
      ContainsSubstring("must be float32, bfloat16, uint8 or the dtype of the parameter, but are"));
  CHECK_THROWS_WITH(
      amp::Lion({p}, {.moments = amp::kUInt8}),
      ContainsSubstring("must be float32, bfloat16 or the dtype of the parameter, but are uint8"));
}

}  // namespace block_moments
