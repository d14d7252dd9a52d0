// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// nan_to_num and nan_to_num_: PyTorch's values in every dtype, gradients, errors.
#include <amp/amp.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace nan_to_num {
namespace {

using amp::Tensor;
using amp_test::error_of;
using Catch::Matchers::ContainsSubstring;
using Values = std::vector<double>;

const double kNan = std::nan("");
const Values kInput = {1, kNan, HUGE_VAL, -HUGE_VAL, -0.5};

Tensor input(amp::DType dtype, bool requires_grad = false) {
  return amp::tensor(kInput, {5}, {.dtype = dtype, .requires_grad = requires_grad});
}

template <class T>
void check_dtype() {
  constexpr amp::DType dtype = amp::dtype_of<T>;
  INFO(amp::name(dtype));
  const double most = static_cast<double>(std::numeric_limits<T>::max());
  const bool has_infinity = std::numeric_limits<T>::has_infinity;  // else they became NaN
  const Tensor x = input(dtype), y = amp::nan_to_num(x);
  CHECK(y.dtype() == dtype);
  CHECK(y.to_vector<double>() ==
        Values{1, 0, has_infinity ? most : 0, has_infinity ? -most : 0, -0.5});
  CHECK(amp::nan_to_num(x, 1.5, 2, -3).to_vector<double>() ==
        Values{1, 1.5, has_infinity ? 2 : 1.5, has_infinity ? -3 : 1.5, -0.5});
  CHECK(std::isnan(x.to_vector<double>()[1]));

  const Tensor z = x.clone();
  CHECK(&amp::nan_to_num_(z) == &z);
  CHECK(z.to_vector<double>() == y.to_vector<double>());
}

TEST_CASE("nan_to_num: every dtype has its own largest number") {
  check_dtype<double>();
  check_dtype<float>();
  check_dtype<amp::half>();
  check_dtype<amp::bfloat16>();
  check_dtype<amp::float8_e5m2>();
  check_dtype<amp::float8_e4m3fn>();
}

TEST_CASE("nan_to_num: what replaces one is not replaced again") {
  const Tensor x = input(amp::kFloat16);
  CHECK(amp::nan_to_num(x, HUGE_VAL, 5).to_vector<double>() ==
        Values{1, HUGE_VAL, 5, -65504, -0.5});
  CHECK(amp::nan_to_num(x, 0, -HUGE_VAL, 7).to_vector<double>() ==
        Values{1, 0, -HUGE_VAL, 7, -0.5});
  CHECK(std::isnan(amp::nan_to_num(x, kNan).to_vector<double>()[1]));
}

TEST_CASE("nan_to_num: integers stay as they are, in other memory; so do empty tensors") {
  const Tensor x = amp::arange(3);
  const Tensor y = amp::nan_to_num(x);
  CHECK(y.dtype() == x.dtype());
  y.fill_(7);
  CHECK(amp::nan_to_num_(x).to_vector<double>() == Values{0, 1, 2});
  CHECK(amp::nan_to_num(amp::zeros({0, 3})).shape() == amp::Shape{0, 3});
}

TEST_CASE("nan_to_num: the gradient of what is replaced is 0, also of views") {
  const Tensor x = input(amp::kFloat32, true);
  amp::sum(amp::nan_to_num(x) * 3).backward();
  CHECK(x.grad().to_vector<double>() == Values{3, 0, 0, 0, 3});

  const Tensor table = amp::tensor({1.0F, NAN, 3.0F, NAN}, {2, 2});
  CHECK(amp::nan_to_num(table.t()).to_vector<float>() == std::vector<float>{1, 3, 0, 0});
  amp::nan_to_num_(table.t().select(0, 1), 9);
  CHECK(table.to_vector<float>() == std::vector<float>{1, 9, 3, 9});
}

TEST_CASE("nan_to_num: autocast leaves the dtype as it is") {
  const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kBFloat16});
  CHECK(amp::nan_to_num(input(amp::kFloat32)).dtype() == amp::kFloat32);
  CHECK(amp::nan_to_num(input(amp::kFloat16)).dtype() == amp::kFloat16);
}

TEST_CASE("nan_to_num: errors name the op and the argument") {
  const Tensor x = input(amp::kFloat16);
  CHECK_THAT(error_of([] { return amp::nan_to_num(Tensor()); }),
             ContainsSubstring("nan_to_num: `input` is undefined"));
  CHECK_THAT(error_of([&] { return amp::nan_to_num(x, 1e30); }),
             ContainsSubstring("nan_to_num: `nan` must be a value of float16"));
  CHECK_THAT(error_of([&] { return amp::nan_to_num(x, 0, 1e30); }),
             ContainsSubstring("nan_to_num: `posinf` must be a value of float16"));
  CHECK_THAT(error_of([&] { return amp::nan_to_num_(x, 0, 1, -1e30); }),
             ContainsSubstring("nan_to_num_: `neginf` must be a value of float16"));
  CHECK(std::isnan(x.to_vector<double>()[1]));
  CHECK_THAT(error_of([] { return amp::nan_to_num_(input(amp::kFloat32, true)); }),
             ContainsSubstring("nan_to_num_: "));
  CHECK_THAT(error_of([] { return amp::nan_to_num_(amp::ones({1}).expand({3})); }),
             ContainsSubstring("nan_to_num_: elements of the tensor"));
}

TEST_CASE("nan_to_num: before the step it saves the step, and the scale stays") {
  const Tensor p = amp::ones({3}, {.requires_grad = true});
  amp::SGD sgd({p}, {.lr = 1});
  amp::GradScaler scaler({.init_scale = 4});
  const Tensor x = amp::tensor({8.0F, NAN, 4.0F}, {3});
  scaler.scale(amp::sum(p * x)).backward();
  amp::nan_to_num_(p.grad());
  CHECK_FALSE(scaler.step(sgd).skipped());
  scaler.update();
  CHECK(p.to_vector<float>() == std::vector<float>{-7, 1, -3});
  CHECK(scaler.get_scale() == 4);
}

}  // namespace
}  // namespace nan_to_num
