// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A step that unscales and clips in its own pass gives what unscale_, clip_grad_norm_ and step
// give: bit for bit if the scale is a power of two, else up to the rounding of one multiplication.
// For every formula and storage, in two groups with different options, and every gradient dtype.
#include <amp/amp.hpp>

#include <cmath>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "optim/storage_cases.hpp"
#include "support/catch.hpp"

namespace two_pass {
namespace {

using namespace storage_test;
using enum amp::WeightStorage;

/// Parameters in the case's dtype, and float32 ones, in groups of other rates.
std::unique_ptr<amp::Optimizer> grouped(const Case& c, const Tensors& params) {
  return build_as(c, [&]<class Optimizer>(auto options) -> std::unique_ptr<amp::Optimizer> {
    auto other = options;
    other.lr = 3 * options.lr;
    other.weight_decay = 0.2;
    other.seed = 77;
    const auto middle = params.begin() + static_cast<std::ptrdiff_t>(params.size() / 2);
    return std::make_unique<Optimizer>(std::vector<typename Optimizer::Group>{
        {.params = {params.begin(), middle}, .options = options},
        {.params = {middle, params.end()}, .options = other}});
  });
}

Tensors all_parameters(const Case& c) {
  Tensors all = parameters(c.dtype, amp::kCPU);
  for (const Tensor& p : parameters(amp::kFloat32, amp::kCPU)) all.push_back(p);
  return all;
}

constexpr amp::DType kGradients[] = {amp::kFloat32, amp::kFloat16, amp::kBFloat16};

/// Those of a step, in the dtypes of a list in turn, times `scale`.
void give(const Tensors& params, int step, std::size_t first, double scale) {
  amp::manual_seed(static_cast<std::uint64_t>(step));
  for (std::size_t i = 0; i < params.size(); ++i) {
    const amp::DType dtype = first < 3 ? kGradients[first] : kGradients[i % 3];
    params[i].set_grad((amp::randn(params[i].shape()) * 0.3 * scale).to(dtype));
  }
}
/// The same gradients, unscaled in float32.
void give_unscaled(const Tensors& params, const Tensors& scaled, double scale) {
  for (std::size_t i = 0; i < params.size(); ++i)
    params[i].set_grad(scaled[i].grad().to(amp::kFloat32) * (1 / scale));
}

/// The largest distance, relative to weights of about 1.
double distance(const Tensors& a, const Tensors& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto x = a[i].to(amp::kFloat64).to_vector<double>(),
               y = b[i].to(amp::kFloat64).to_vector<double>();
    for (std::size_t k = 0; k < x.size(); ++k)
      most = (std::max)(most, std::abs(x[k] - y[k]) / (std::max)(1.0, std::abs(y[k])));
  }
  return most;
}

}  // namespace

TEST_CASE("two pass: unscale_and_clip and step are the sequence, bit for bit") {
  for (const Case& c : cases()) {
    for (std::size_t dtypes = 0; dtypes < 4; ++dtypes) {
      for (const double max_norm : {0.7, 1e9}) {
        INFO(c.text() << ", gradients " << dtypes << ", " << max_norm);
        const Tensors fused = all_parameters(c), apart = all_parameters(c);
        const auto one = grouped(c, fused), other = grouped(c, apart);
        amp::GradScaler scaler({.init_scale = 256});
        (void)scaler.inverse_scale_data(amp::kCPU);
        for (int step = 0; step < 3; ++step) {
          give(fused, step, dtypes, 256);
          give_unscaled(apart, fused, 256);
          const Tensor norm = scaler.unscale_and_clip(*one, max_norm);
          (void)scaler.step(*one);
          scaler.update();
          CHECK(amp::clip_grad_norm_(apart, max_norm).item<float>() == norm.item<float>());
          other->step();
        }
        CHECK((bits_of(fused, *one) == bits_of(apart, *other)));
      }
    }
  }
}

TEST_CASE("two pass: unscale_, clip_grad_norm_ and scaler.step are it, for float32 gradients") {
  for (const Case& c : cases()) {
    INFO(c.text());
    const Tensors fused = all_parameters(c), apart = all_parameters(c);
    const auto one = grouped(c, fused), other = grouped(c, apart);
    amp::GradScaler scaler({.init_scale = 256});
    (void)scaler.inverse_scale_data(amp::kCPU);
    for (int step = 0; step < 4; ++step) {
      give(fused, step, 0, 256);
      give(apart, step, 0, 256);
      if (step == 2) fused[1].grad().fill_(HUGE_VAL), apart[1].grad().fill_(HUGE_VAL);
      (void)scaler.unscale_and_clip(*one, 0.7);
      scaler.unscale_(*other);
      (void)amp::clip_grad_norm_(apart, 0.7);
      CHECK(scaler.step(*one).skipped() == (step == 2));
      CHECK(scaler.step(*other).skipped() == (step == 2));
      scaler.update(256);
    }
    CHECK(one->applied_steps() == 3);
    CHECK((bits_of(fused, *one) == bits_of(apart, *other)));
  }
}

TEST_CASE("two pass: by any scale, to the rounding of products and of the storage") {
  for (const Case& c : cases()) {
    for (std::size_t dtypes = 0; dtypes < 4; ++dtypes) {
      INFO(c.text() << ", gradients " << dtypes);
      const Tensors fused = all_parameters(c), apart = all_parameters(c);
      const auto one = grouped(c, fused), other = grouped(c, apart);
      amp::GradScaler scaler({.init_scale = 1000});
      (void)scaler.inverse_scale_data(amp::kCPU);
      give(fused, 0, dtypes, 1000);
      give_unscaled(apart, fused, 1000);
      (void)scaler.unscale_and_clip(*one, 0.7);
      (void)scaler.step(*one);
      (void)amp::clip_grad_norm_(apart, 0.7);
      other->step();
      // The products are rounded separately: a difference of one unit in the last place.
      const bool wide = c.dtype == amp::kFloat32 || c.storage == kMaster || c.storage == kRemainder;
      const double unit = wide                       ? 0x1p-23
                          : c.storage == kKahan      ? 0x1p-15
                          : c.dtype == amp::kFloat16 ? 0x1p-10
                                                     : 0x1p-7;
      CHECK(distance(one->master_weights(), other->master_weights()) < 1.01 * unit + 1e-7);
    }
  }
}

}  // namespace two_pass
