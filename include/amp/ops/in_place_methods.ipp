// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>

#include "amp/core/math.hpp"
#include "amp/kernels/combination/host.hpp"
#include "amp/kernels/random/host.hpp"
#include "amp/ops/activation.hpp"
#include "amp/ops/arithmetic.hpp"
#include "amp/ops/checks.hpp"
#include "amp/ops/clamp.hpp"
#include "amp/ops/combination.hpp"
#include "amp/ops/comparison.hpp"
#include "amp/ops/elementary.hpp"
#include "amp/ops/elementwise.hpp"
#include "amp/ops/in_place.hpp"
#include "amp/ops/in_place_methods.hpp"
#include "amp/ops/masking.hpp"
#include "amp/ops/matrix_parts.hpp"
#include "amp/ops/nan_to_num.hpp"
#include "amp/ops/random.hpp"
#include "amp/ops/rearrange.hpp"
#include "amp/ops/scan.hpp"
#include "amp/ops/scatter.hpp"
#include "amp/tensor/factory.hpp"
#include "amp/tensor/generator.hpp"

namespace amp::inline v0 {

// --- values --------------------------------------------------------------------------------------

AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::fill_(const Tensor& value) const {
  detail::check_defined("fill_", "value", value);
  AMP_CHECK(value.numel() == 1, "fill_: `value` must have one element, but is ", describe(value));
  return copy_(value.reshape(Shape()));
}
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::fill_diagonal_(double value) const {
  AMP_CHECK(self().dim() == 2, "fill_diagonal_: the tensor must have 2 dimensions, but is ",
            describe(self()));
  self().diagonal().fill_(value);
  return self();
}

namespace detail {

/// Throws if an assignment to the tensor would have no effect.
AMP_LAZY const Tensor& assigned_to(const Tensor& tensor) {
  AMP_CHECK(!tensor.unique(), "operator=: ", describe(tensor),
            " on the left is a temporary and no view, so that the assignment has no effect; use "
            "index_put_ to write to elements that tensors name");
  return tensor;
}

}  // namespace detail

AMP_LAZY_DEFINITION const Tensor& Tensor::operator=(const Tensor& source) const&& {
  return detail::assigned_to(*this).copy_(source);
}
AMP_LAZY_DEFINITION const Tensor& Tensor::operator=(const Scalar& value) const&& {
  return detail::assigned_to(*this).fill_(value.value());
}

// --- random numbers ------------------------------------------------------------------------------

namespace detail {

/// Writes make(shape), new values of the dtype and the device of the tensor.
template <class Make>
const Tensor& write_new(std::string_view op, const Tensor& tensor, const Make& make) {
  check_writable(op, tensor);
  return write(
      op, tensor,
      make(tensor.shape(), TensorOptions{.dtype = tensor.dtype(), .device = tensor.device()}));
}

AMP_LAZY const Tensor& random_(std::string_view op, const Tensor& tensor,
                               kernels::RandomArgs args) {
  check_floating(op, "this", tensor);
  if (!tensor.is_contiguous()) {
    return write_new(op, tensor, [&](const Shape& shape, const TensorOptions& options) {
      return random(op, shape, options, args);
    });
  }
  return overwrite(op, tensor, [&](const Tensor& to) {
    if (to.numel() == 0) return;
    args.output = to.operand();
    args.range = reserve_random(ceil_div(to.numel(), 4), to.device());
    kernels::random(to.device(), args);
  });
}

}  // namespace detail

AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::normal_(double mean, double std) const {
  AMP_CHECK(std >= 0, "normal_: `std` must not be negative, but is ", std);
  return detail::random_(
      "normal_", self(),
      {.distribution = kernels::Distribution::kNormal, .mean = mean, .deviation = std});
}
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::uniform_(double from, double to) const {
  AMP_CHECK(from <= to, "uniform_: `from` must not be above `to`, but they are ", from, " and ",
            to);
  detail::random_("uniform_", self(), {.distribution = kernels::Distribution::kUniform});
  if (from == 0 && to == 1) return self();
  const NoGradGuard no_grad;
  return mul_(to - from).add_(from);
}
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::exponential_(double lambd) const {
  AMP_CHECK(lambd > 0, "exponential_: `lambd` must be positive, but is ", lambd);
  return detail::random_("exponential_", self(),
                         {.distribution = kernels::Distribution::kExponential, .mean = 1 / lambd});
}
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::bernoulli_(double p) const {
  return detail::write("bernoulli_", self(), amp::bernoulli(self().detach(), p));
}
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::random_(std::int64_t from,
                                                          std::int64_t to) const {
  detail::check_writable("random_", self());
  return detail::write("random_", self(), amp::randint_like(self(), from, to));
}

// --- elementwise ---------------------------------------------------------------------------------

namespace detail {

/// The tensor + value b c, in one pass; c may be undefined.
AMP_LAZY const Tensor& add_product_(std::string_view op, const Tensor& tensor, const Tensor& b,
                                    const Tensor& c, double value) {
  check_operands(op, tensor, b, "this", "a");
  check_writable(op, tensor);
  Shape shape = broadcast_shapes(op, tensor.shape(), b.shape(), "this", "a");
  DType dtype = result_type(tensor, b);
  if (c.defined()) {
    check_same_device(op, "this", tensor, "b", c);
    shape = broadcast_shapes(op, shape, c.shape(), "this", "b");
    dtype = result_type_of({&tensor, &b, &c});
  }
  check_coefficient(op, c.defined() ? "value" : "alpha", value, dtype);
  check_result(op, tensor, shape, dtype);
  const bool records = is_floating_point(dtype) && (c.defined() ? autograd::recording(tensor, b, c)
                                                                : autograd::recording(tensor, b));
  const bool direct = !records && dtype == tensor.dtype() && !overlap(tensor, b) &&
                      !(c.defined() && overlap(tensor, c));
  if (!direct) {
    return in_place(op, tensor, {&b, &c}, [&](const Tensor& x) {
      return add_product(op, x, b, c, value, 1, shape, dtype);
    });
  }
  return overwrite(op, tensor, [&](const Tensor& to) {
    combine(kernels::addcmul, to.device(),
            {to.operand(), b.operand(), c.defined() ? c.operand() : number_on(1, to.device())},
            shape, dtype, {value, 1}, to);
  });
}

}  // namespace detail

AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::add_(const Tensor& other, double alpha) const {
  return alpha == 1 ? detail::add_(self(), other)
                    : detail::add_product_("add_", self(), other, {}, alpha);
}
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::sub_(const Tensor& other, double alpha) const {
  return alpha == 1 ? detail::sub_(self(), other)
                    : detail::add_product_("sub_", self(), other, {}, -alpha);
}
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::addcmul_(const Tensor& a, const Tensor& b,
                                                           double value) const {
  detail::check_defined("addcmul_", "b", b);
  return detail::add_product_("addcmul_", self(), a, b, value);
}
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::add_(const Scalar& other) const {
  (void)self().impl("add_");
  return detail::add_number_(self(), other.operand(self().device()));
}
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::sub_(const Scalar& other) const {
  (void)self().impl("sub_");
  return detail::sub_number_(self(), other.operand(self().device()));
}
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::mul_(const Scalar& other) const {
  (void)self().impl("mul_");
  return detail::mul_number_(self(), other.operand(self().device()));
}
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::div_(const Scalar& other) const {
  (void)self().impl("div_");
  return detail::div_number_(self(), other.operand(self().device()));
}
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::mul_(const Tensor& other) const {
  return detail::mul_(self(), other);
}
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::div_(const Tensor& other) const {
  return detail::div_(self(), other);
}

// Each writes what the function of its name returns.
// clang-format off
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::abs_() const { return detail::unary_op_<kernels::functions::Abs>("abs_", self()); }
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::neg_() const {
  return detail::in_place("neg_", self(), {}, [&](const Tensor& x) { return amp::neg(x); });
}
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::sign_() const { return detail::unary_op_<kernels::functions::Sign>("sign_", self()); }
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::square_() const { return detail::unary_op_<kernels::functions::Square>("square_", self()); }
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::sqrt_() const { return detail::unary_op_<kernels::functions::Sqrt>("sqrt_", self()); }
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::rsqrt_() const { return detail::unary_op_<kernels::functions::Rsqrt>("rsqrt_", self()); }
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::reciprocal_() const { return detail::unary_op_<kernels::functions::Reciprocal>("reciprocal_", self()); }
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::exp_() const { return detail::unary_op_<kernels::functions::Exp>("exp_", self()); }
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::expm1_() const { return detail::unary_op_<kernels::functions::Expm1>("expm1_", self()); }
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::log_() const { return detail::unary_op_<kernels::functions::Log>("log_", self()); }
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::log1p_() const { return detail::unary_op_<kernels::functions::Log1p>("log1p_", self()); }
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::log2_() const { return detail::unary_op_<kernels::functions::Log2>("log2_", self()); }
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::log10_() const { return detail::unary_op_<kernels::functions::Log10>("log10_", self()); }
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::sin_() const { return detail::unary_op_<kernels::functions::Sin>("sin_", self()); }
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::cos_() const { return detail::unary_op_<kernels::functions::Cos>("cos_", self()); }
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::tan_() const { return detail::unary_op_<kernels::functions::Tan>("tan_", self()); }
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::asin_() const { return detail::unary_op_<kernels::functions::Asin>("asin_", self()); }
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::acos_() const { return detail::unary_op_<kernels::functions::Acos>("acos_", self()); }
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::atan_() const { return detail::unary_op_<kernels::functions::Atan>("atan_", self()); }
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::sinh_() const { return detail::unary_op_<kernels::functions::Sinh>("sinh_", self()); }
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::cosh_() const { return detail::unary_op_<kernels::functions::Cosh>("cosh_", self()); }
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::tanh_() const { return detail::unary_op_<kernels::functions::Tanh>("tanh_", self()); }
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::erf_() const { return detail::unary_op_<kernels::functions::Erf>("erf_", self()); }
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::erfinv_() const { return detail::unary_op_<kernels::functions::Erfinv>("erfinv_", self()); }
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::floor_() const { return detail::unary_op_<kernels::functions::Floor>("floor_", self()); }
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::ceil_() const { return detail::unary_op_<kernels::functions::Ceil>("ceil_", self()); }
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::round_() const { return detail::unary_op_<kernels::functions::Round>("round_", self()); }
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::trunc_() const { return detail::unary_op_<kernels::functions::Trunc>("trunc_", self()); }
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::sigmoid_() const { return detail::unary_op_<kernels::functions::Sigmoid>("sigmoid_", self()); }
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::relu_() const { return detail::unary_op_<kernels::functions::Relu>("relu_", self()); }
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::logical_not_() const { return detail::unary_op_<kernels::functions::LogicalNot>("logical_not_", self()); }

AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::pow_(const Tensor& other) const {
  return detail::in_place("pow_", self(), {&other}, [&](const Tensor& x) { return amp::pow(x, other); });
}
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::pow_(const Scalar& other) const {
  return detail::in_place("pow_", self(), {}, [&](const Tensor& x) { return x.pow(other); });
}
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::fmod_(const Tensor& other) const {
  return detail::in_place("fmod_", self(), {&other}, [&](const Tensor& x) { return amp::fmod(x, other); });
}
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::fmod_(const Scalar& other) const {
  return detail::in_place("fmod_", self(), {}, [&](const Tensor& x) { return x.fmod(other); });
}
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::remainder_(const Tensor& other) const {
  return detail::in_place("remainder_", self(), {&other}, [&](const Tensor& x) { return amp::remainder(x, other); });
}
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::remainder_(const Scalar& other) const {
  return detail::in_place("remainder_", self(), {}, [&](const Tensor& x) { return x.remainder(other); });
}
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::clamp_(const Bound& min, const Bound& max) const {
  return detail::in_place("clamp_", self(), {}, [&](const Tensor& x) { return amp::clamp(x, min, max); });
}
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::clip_(const Bound& min, const Bound& max) const { return clamp_(min, max); }
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::clamp_min_(const Bound& min) const { return clamp_(min); }
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::clamp_max_(const Bound& max) const { return clamp_(Bound(), max); }
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::nan_to_num_(double nan, std::optional<double> posinf, std::optional<double> neginf) const {
  return amp::nan_to_num_(self(), nan, posinf, neginf);
}
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::lerp_(const Tensor& end, const Tensor& weight) const {
  return detail::in_place("lerp_", self(), {&end, &weight}, [&](const Tensor& x) { return amp::lerp(x, end, weight); });
}
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::lerp_(const Tensor& end, double weight) const {
  return detail::in_place("lerp_", self(), {&end}, [&](const Tensor& x) { return amp::lerp(x, end, weight); });
}
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::addcdiv_(const Tensor& a, const Tensor& b, double value) const {
  return detail::in_place("addcdiv_", self(), {&a, &b}, [&](const Tensor& x) { return amp::addcdiv(x, a, b, {.value = value}); });
}
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::logical_and_(const Tensor& other) const {
  return detail::in_place("logical_and_", self(), {&other}, [&](const Tensor& x) { return amp::logical_and(x, other); });
}
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::logical_or_(const Tensor& other) const {
  return detail::in_place("logical_or_", self(), {&other}, [&](const Tensor& x) { return amp::logical_or(x, other); });
}
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::logical_xor_(const Tensor& other) const {
  return detail::in_place("logical_xor_", self(), {&other}, [&](const Tensor& x) { return amp::logical_xor(x, other); });
}
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::masked_fill_(const Tensor& mask, const Scalar& value) const {
  return detail::in_place("masked_fill_", self(), {&mask}, [&](const Tensor& x) { return x.masked_fill(mask, value); });
}
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::masked_fill_(const Tensor& mask, const Tensor& value) const {
  return detail::in_place("masked_fill_", self(), {&mask, &value}, [&](const Tensor& x) { return amp::masked_fill(x, mask, value); });
}

AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::operator+=(const Tensor& other) const { return add_(other); }
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::operator+=(const Scalar& other) const { return add_(other); }
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::operator-=(const Tensor& other) const { return sub_(other); }
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::operator-=(const Scalar& other) const { return sub_(other); }
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::operator*=(const Tensor& other) const { return mul_(other); }
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::operator*=(const Scalar& other) const { return mul_(other); }
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::operator/=(const Tensor& other) const { return div_(other); }
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::operator/=(const Scalar& other) const { return div_(other); }

AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::cumsum_(std::int64_t dim) const {
  return detail::in_place("cumsum_", self(), {}, [&](const Tensor& x) { return amp::cumsum(x, dim); });
}
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::cumprod_(std::int64_t dim) const {
  return detail::in_place("cumprod_", self(), {}, [&](const Tensor& x) { return amp::cumprod(x, dim); });
}
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::tril_(std::int64_t diagonal) const {
  return detail::in_place("tril_", self(), {}, [&](const Tensor& x) { return amp::tril(x, diagonal); });
}
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::triu_(std::int64_t diagonal) const {
  return detail::in_place("triu_", self(), {}, [&](const Tensor& x) { return amp::triu(x, diagonal); });
}
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::scatter_(std::int64_t dim, const Tensor& index, const Tensor& src) const {
  return detail::in_place("scatter_", self(), {&src}, [&](const Tensor& x) { return amp::scatter(x, dim, index, src); });
}
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::scatter_(std::int64_t dim, const Tensor& index, const Scalar& value) const {
  return detail::in_place("scatter_", self(), {}, [&](const Tensor& x) { return x.scatter(dim, index, value); });
}
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::scatter_add_(std::int64_t dim, const Tensor& index, const Tensor& src) const {
  return detail::in_place("scatter_add_", self(), {&src}, [&](const Tensor& x) { return amp::scatter_add(x, dim, index, src); });
}
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::index_add_(std::int64_t dim, const Tensor& index, const Tensor& source, double alpha) const {
  return detail::in_place("index_add_", self(), {&source}, [&](const Tensor& x) { return amp::index_add(x, dim, index, source, {.alpha = alpha}); });
}
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::index_copy_(std::int64_t dim, const Tensor& index, const Tensor& source) const {
  return detail::in_place("index_copy_", self(), {&source}, [&](const Tensor& x) { return amp::index_copy(x, dim, index, source); });
}
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::index_fill_(std::int64_t dim, const Tensor& index, const Scalar& value) const {
  return detail::in_place("index_fill_", self(), {}, [&](const Tensor& x) { return x.index_fill(dim, index, value); });
}
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::masked_scatter_(const Tensor& mask, const Tensor& source) const {
  return detail::in_place("masked_scatter_", self(), {&source}, [&](const Tensor& x) { return amp::masked_scatter(x, mask, source); });
}
// clang-format on

}  // namespace amp::inline v0
