// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The step writes the low-precision copies that the next forward uses: training casts no weight,
// and no use ever sees a copy of other weights.
#include <amp/amp.hpp>
#include <amp/kernels/optim/args.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace step_copies {
namespace {

using amp::DType;
using amp::Tensor;

std::int64_t refreshes() { return amp::autocast_cache_stats().refreshes; }

/// A matmul under autocast.
Tensor use(const Tensor& weight, DType dtype = amp::kBFloat16) {
  const amp::AutocastGuard autocast(amp::kCPU, {.dtype = dtype});
  return amp::matmul(amp::ones({3, 4}), weight);
}
/// Whether the next use sees the weight as it is now.
bool is_current(const Tensor& weight, DType dtype = amp::kBFloat16) {
  const amp::NoGradGuard no_grad;
  const Tensor expected = amp::matmul(amp::ones({3, 4}).to(dtype), weight.detach().to(dtype));
  return use(weight, dtype).to_vector<float>() == expected.to_vector<float>();
}
/// A forward and a backward.
void learn(const Tensor& weight, DType dtype = amp::kBFloat16) {
  weight.set_grad(Tensor());
  const Tensor y = use(weight, dtype);
  amp::sum(y * y).backward();
}
Tensor make_weight(DType dtype = amp::kFloat32) {
  amp::manual_seed(7);
  return amp::randn({4, 5}, {.dtype = dtype, .requires_grad = true});
}

template <class Optimizer, class Options>
void check_training(const Options& options, DType copies) {
  INFO(name(copies));
  const Tensor w = make_weight();
  Optimizer optimizer({w}, options);
  const std::int64_t before = refreshes();
  for (int i = 0; i < 5; ++i) {
    learn(w, copies);
    const std::vector<float> old = w.to_vector<float>();
    optimizer.step();
    CHECK(w.to_vector<float>() != old);
    CHECK(is_current(w, copies));
  }
  CHECK(refreshes() == before + 1);
}

}  // namespace

TEST_CASE("step copies: training casts a weight once") {
  for (const DType copies : {amp::kFloat16, amp::kBFloat16}) {
    check_training<amp::SGD>(amp::SGDOptions{.lr = 0.01}, copies);
    check_training<amp::SGD>(amp::SGDOptions{.lr = 0.01, .momentum = 0.9, .nesterov = true},
                             copies);
    check_training<amp::Adam>(amp::AdamOptions{.lr = 0.01}, copies);
    check_training<amp::AdamW>(amp::AdamOptions{.lr = 0.01}, copies);
  }
}

TEST_CASE("step copies: both formats are kept, one that is no longer used is not") {
  const Tensor w = make_weight();
  amp::SGD optimizer({w}, {.lr = 0.1});
  learn(w, amp::kFloat16);
  (void)use(w, amp::kBFloat16);
  const std::int64_t before = refreshes();
  optimizer.step();
  CHECK(is_current(w, amp::kFloat16));
  CHECK(is_current(w, amp::kBFloat16));
  CHECK(refreshes() == before);
  learn(w, amp::kFloat16);
  optimizer.step();  // writes both
  learn(w, amp::kFloat16);
  optimizer.step();  // the other copy was not used since
  CHECK(is_current(w, amp::kFloat16));
  CHECK(refreshes() == before);
  CHECK(is_current(w, amp::kBFloat16));
  CHECK(refreshes() == before + 1);
}

TEST_CASE("step copies: a copy that a graph holds stays as it is") {
  const Tensor w = make_weight();
  amp::SGD optimizer({w}, {.lr = 0.1});
  learn(w);
  const Tensor x = amp::ones({3, 4}, {.requires_grad = true});
  Tensor y;
  {
    const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kBFloat16});
    y = amp::matmul(x, w);  // its backward needs the weight
  }
  const Tensor expected =
      amp::matmul(amp::ones({3, 5}).to(amp::kBFloat16), w.detach().to(amp::kBFloat16).t());
  const std::int64_t before = refreshes();
  optimizer.step();
  y.backward(amp::ones({3, 5}, {.dtype = amp::kBFloat16}));
  // The gradient of x, which is float32, is not rounded on its way.
  const auto rounded = [](const Tensor& t) { return t.to(amp::kBFloat16).to_vector<float>(); };
  CHECK(rounded(x.grad()) == rounded(expected));
  CHECK(is_current(w));
  CHECK(refreshes() == before + 1);
}

TEST_CASE("step copies: a skipped step leaves right copies right and stale ones stale") {
  for (const bool changed : {false, true}) {
    INFO(changed);
    const Tensor w = make_weight();
    amp::AdamW optimizer({w}, {.lr = 0.1});
    amp::GradScaler scaler({.init_scale = 4});
    for (int i = 0; i < 3; ++i) {
      w.set_grad(Tensor());
      const Tensor y = use(w);
      scaler.scale(amp::sum(y * y)).backward();
      if (i == 1) w.grad().fill_(HUGE_VAL);
      if (changed) {
        const amp::NoGradGuard no_grad;
        w.fill_(i + 0.3);
      }
      const std::vector<float> old = w.to_vector<float>();
      CHECK(scaler.step(optimizer).skipped() == (i == 1));
      CHECK((w.to_vector<float>() == old) == (i == 1));
      scaler.update();
      const std::int64_t before = refreshes();
      CHECK(is_current(w));
      CHECK(refreshes() == before + (changed ? 1 : 0));
    }
  }
}

TEST_CASE("step copies: a copy that a user wrote to is made anew") {
  const Tensor w = make_weight();
  amp::SGD optimizer({w}, {.lr = 0.1});
  learn(w);
  {
    const amp::NoGradGuard no_grad;
    const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kBFloat16});
    amp::detail::low_precision_copy(w, amp::kBFloat16).tensor.fill_(9);
  }
  optimizer.step();
  CHECK(is_current(w));
}

TEST_CASE("step copies: weights of 16 bits, and those that are views, have none") {
  const Tensor half = make_weight(amp::kFloat16);
  (void)use(half, amp::kBFloat16);
  CHECK(amp::detail::copies_to_write(half) == amp::kernels::LowPrecisionCopies{});
  const Tensor w = make_weight();
  learn(w);
  CHECK(amp::detail::copies_to_write(w).bfloat16 != nullptr);
  CHECK(amp::detail::copies_to_write(w).float16 == nullptr);
  CHECK(amp::detail::copies_to_write(w.detach().narrow(0, 0, 2)) ==
        amp::kernels::LowPrecisionCopies{});
}

TEST_CASE("step copies: a step that throws says nothing of copies") {
  const Tensor w = make_weight(), other = make_weight();
  amp::SGD optimizer({w, other}, {.lr = 0.1});
  learn(w);
  other.set_grad(amp::ones({4, 5}));
  optimizer.options().lr = -1;
  CHECK_THROWS_AS(optimizer.step(), amp::Error);
  optimizer.options().lr = 0.1;
  CHECK(is_current(w));
  {
    const amp::NoGradGuard no_grad;
    w.fill_(3);
  }
  CHECK(is_current(w));
  optimizer.step();
  CHECK(is_current(w));
}

TEST_CASE("step copies: forgotten copies are not written") {
  const Tensor w = make_weight();
  amp::SGD optimizer({w}, {.lr = 0.1});
  learn(w);
  amp::clear_autocast_cache();
  optimizer.step();
  CHECK(is_current(w));
}

template <class Optimizer, class Options>
void check_large(const Options& options) {
  std::vector<Tensor> params;
  for (const std::int64_t n : {std::int64_t{3} << 20, (std::int64_t{1} << 20) + 37}) {
    params.push_back(amp::randn({n}, {.requires_grad = true}));
    params.back().set_grad(amp::randn({n}));
    (void)amp::detail::low_precision_copy(params.back(), amp::kBFloat16);
  }
  Optimizer optimizer(params, options);
  const std::int64_t before = refreshes();
  optimizer.step();
  for (const Tensor& p : params) {
    const Tensor copy = amp::detail::low_precision_copy(p, amp::kBFloat16).tensor;
    const Tensor expected = p.detach().to(amp::kBFloat16);
    CHECK(std::memcmp(copy.raw_data(), expected.raw_data(),
                      static_cast<std::size_t>(2 * p.numel())) == 0);
  }
  CHECK(refreshes() == before);
}

TEST_CASE("step copies: those of more weights than caches hold are written alike") {
  amp::manual_seed(3);
  check_large<amp::AdamW>(amp::AdamOptions{.lr = 0.01});
  check_large<amp::SGD>(amp::SGDOptions{.lr = 0.01, .momentum = 0.9});
}

}  // namespace step_copies
