// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "amp/autocast/cast.hpp"
#include "amp/autograd/function.hpp"
#include "amp/kernels/combination/host.hpp"
#include "amp/ops/checks.hpp"
#include "amp/ops/combination.hpp"
#include "amp/ops/elementwise.hpp"
#include "amp/ops/shape.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0 {
namespace detail {

AMP_LAZY_DEFINITION Tensor combine(void (*launch)(Device, const kernels::CombinationArgs&),
                                   Device device, std::initializer_list<kernels::Operand> inputs,
                                   const Shape& shape, DType dtype,
                                   const kernels::Parameters& parameters, const Tensor& over) {
  const Tensor output = over.defined() ? over.alias(shape, over.strides(), over.impl().offset)
                                       : empty(shape, {.dtype = dtype, .device = device});
  if (output.numel() == 0) return output;
  kernels::CombinationArgs args{.output = output.operand(), .parameters = parameters};
  std::copy(inputs.begin(), inputs.end(), args.inputs);
  launch(device, args);
  return output;
}

AMP_LAZY_DEFINITION DType result_type_of(std::initializer_list<const Tensor*> tensors) {
  std::optional<DType> arrays, singles;
  for (const Tensor* const tensor : tensors) {
    std::optional<DType>& of = tensor->dim() == 0 ? singles : arrays;
    of = of ? promote_types(*of, tensor->dtype()) : tensor->dtype();
  }
  if (!arrays || !singles) return arrays ? *arrays : *singles;
  if (is_floating_point(*arrays) || !is_floating_point(*singles))
    return *arrays == kBool ? *singles : *arrays;
  return *singles;
}

AMP_LAZY_DEFINITION kernels::Operand number_on(double value, Device device) {
  return kernels::Operand::scalar(value, device);
}

AMP_LAZY_DEFINITION DType dtype_before_sum(const Tensor& grad, const Shape& shape, DType dtype) {
  return grad.shape() == shape ? dtype : promote_types(dtype, kFloat32);
}

AMP_LAZY_DEFINITION Tensor add_product(std::string_view op, const Tensor& a, const Tensor& b,
                                       const Tensor& c, double value, double scale,
                                       const Shape& shape, DType dtype, bool overwrites) {
  const Device device = b.device();
  const bool adds = a.defined() && scale != 0;
  const auto operand_of = [device](const Tensor& x, double otherwise) {
    return x.defined() ? x.operand() : number_on(otherwise, device);
  };
  const bool over = overwrites && b.dtype() == dtype && b.shape() == shape;
  const Tensor output =
      combine(kernels::addcmul, device,
              {adds ? a.operand() : number_on(0, device), b.operand(), operand_of(c, 1)}, shape,
              dtype, {value, adds ? scale : 0}, over ? b : Tensor());
  if (!is_floating_point(dtype) || !autograd::recording(a, b, c)) return output;
  const Tensor none;
  autograd::record(
      op, output,
      [op, value, scale, b = autograd::SavedTensor(c.defined() ? b : none),
       c = autograd::SavedTensor(c), a_shape = a.defined() ? a.shape() : Shape(),
       b_shape = b.shape(), c_shape = c.defined() ? c.shape() : Shape(),
       a_dtype = autograd::gradient_dtype(a), b_dtype = autograd::gradient_dtype(b),
       c_dtype = autograd::gradient_dtype(c)](
          const Tensor& grad, const autograd::Needs<3>& needs) -> autograd::Gradients<3> {
        const auto times = [&](const Tensor& factor, const Shape& to, DType wanted) {
          if (!factor.defined())
            return sum_to(value == 1 ? grad : detail::scale(grad, value), to, wanted);
          const Tensor products =
              combine(kernels::addcmul, grad.device(),
                      {number_on(0, grad.device()), grad.operand(), factor.operand()}, grad.shape(),
                      dtype_before_sum(grad, to, wanted), {value, 0});
          return sum_to(products, to, wanted);
        };
        autograd::Gradients<3> gradients;
        if (needs[0])
          gradients[0] = sum_to(scale == 1 ? grad : detail::scale(grad, scale), a_shape, a_dtype);
        if (needs[1]) gradients[1] = times(c.get(op), b_shape, b_dtype);
        if (needs[2]) gradients[2] = times(b.get(op), c_shape, c_dtype);
        return gradients;
      },
      a, b, c);
  return output;
}

AMP_LAZY_DEFINITION void check_three(std::string_view op, const Tensor& a, std::string_view name_b,
                                     const Tensor& b, std::string_view name_c, const Tensor& c) {
  check_operands(op, a, b, "input", name_b);
  check_defined(op, name_c, c);
  check_same_device(op, "input", a, name_c, c);
}
AMP_LAZY Shape shape_of_three(std::string_view op, const Tensor& a, std::string_view name_b,
                              const Tensor& b, std::string_view name_c, const Tensor& c) {
  const Shape two = broadcast_shapes(op, b.shape(), c.shape(), name_b, name_c);
  return broadcast_shapes(op, a.shape(), two, "input", name_b);
}

AMP_LAZY Tensor addcdiv(const Tensor& a, const Tensor& b, const Tensor& c, double value,
                        const Shape& shape, DType dtype) {
  const Tensor output = combine(kernels::addcdiv, a.device(),
                                {a.operand(), b.operand(), c.operand()}, shape, dtype, {value});
  if (!autograd::recording(a, b, c)) return output;
  autograd::record(
      "addcdiv", output,
      [value, b = autograd::SavedTensor(b), c = autograd::SavedTensor(c), a_shape = a.shape(),
       a_dtype = a.dtype()](const Tensor& grad,
                            const autograd::Needs<3>& needs) -> autograd::Gradients<3> {
        const Tensor &x = b.get("addcdiv"), &y = c.get("addcdiv");
        const Device device = grad.device();
        autograd::Gradients<3> gradients;
        if (needs[0]) gradients[0] = sum_to(grad, a_shape, a_dtype);
        if (needs[1])
          gradients[1] = sum_to(
              combine(kernels::addcdiv, device, {number_on(0, device), grad.operand(), y.operand()},
                      grad.shape(), dtype_before_sum(grad, x.shape(), x.dtype()), {value}),
              x.shape(), x.dtype());
        if (needs[2])
          gradients[2] = sum_to(combine(kernels::addcdiv_by_divisor, device,
                                        {grad.operand(), x.operand(), y.operand()}, grad.shape(),
                                        dtype_before_sum(grad, y.shape(), y.dtype()), {value}),
                                y.shape(), y.dtype());
        return gradients;
      },
      a, b, c);
  return output;
}

/// `weight` is undefined if it is the number.
AMP_LAZY Tensor lerp(const Tensor& a, const Tensor& b, const Tensor& weight, double number) {
  const Device device = a.device();
  const auto operand_of = [device, number](const Tensor& w) {
    return w.defined() ? w.operand() : number_on(number, device);
  };
  const Shape ends = broadcast_shapes("lerp", a.shape(), b.shape(), "input", "end");
  const Shape shape =
      weight.defined() ? broadcast_shapes("lerp", ends, weight.shape(), "input", "weight") : ends;
  const DType dtype = weight.defined() ? result_type_of({&a, &b, &weight}) : result_type(a, b);
  const Tensor output =
      combine(kernels::lerp, device, {a.operand(), b.operand(), operand_of(weight)}, shape, dtype);
  if (!autograd::recording(a, b, weight)) return output;
  const Tensor none;
  const bool slopes = autograd::requires_grad(weight);
  autograd::record(
      "lerp", output,
      [device, operand_of, weight = autograd::SavedTensor(weight),
       a = autograd::SavedTensor(slopes ? a : none), b = autograd::SavedTensor(slopes ? b : none),
       a_shape = a.shape(), b_shape = b.shape(), a_dtype = a.dtype(), b_dtype = b.dtype()](
          const Tensor& grad, const autograd::Needs<3>& needs) -> autograd::Gradients<3> {
        const Tensor& w = weight.get("lerp");
        const auto times = [&](const kernels::Operand& from, const kernels::Operand& to,
                               const Shape& of, DType wanted) {
          return sum_to(combine(kernels::times_difference, device, {grad.operand(), from, to},
                                grad.shape(), dtype_before_sum(grad, of, wanted)),
                        of, wanted);
        };
        autograd::Gradients<3> gradients;
        if (needs[0]) gradients[0] = times(number_on(1, device), operand_of(w), a_shape, a_dtype);
        if (needs[1]) gradients[1] = times(operand_of(w), number_on(0, device), b_shape, b_dtype);
        if (needs[2])
          gradients[2] =
              times(b.get("lerp").operand(), a.get("lerp").operand(), w.shape(), w.dtype());
        return gradients;
      },
      a, b, weight);
  return output;
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor addcmul(const Tensor& input, const Tensor& tensor1,
                                   const Tensor& tensor2, const AddcmulOptions& options) {
  detail::check_three("addcmul", input, "tensor1", tensor1, "tensor2", tensor2);
  const DType dtype = detail::result_type_of({&input, &tensor1, &tensor2});
  AMP_CHECK(dtype != kBool, "addcmul: `input`, `tensor1` and `tensor2` must not all be bool");
  detail::check_coefficient("addcmul", "value", options.value, dtype);
  return autocasting::call(
      "addcmul",
      [&](const Tensor& a, const Tensor& b, const Tensor& c) {
        return detail::add_product("addcmul", a, b, c, options.value, 1,
                                   detail::shape_of_three("addcmul", a, "tensor1", b, "tensor2", c),
                                   detail::result_type_of({&a, &b, &c}));
      },
      input, tensor1, tensor2);
}

AMP_LAZY_DEFINITION Tensor addcdiv(const Tensor& input, const Tensor& tensor1,
                                   const Tensor& tensor2, const AddcmulOptions& options) {
  detail::check_three("addcdiv", input, "tensor1", tensor1, "tensor2", tensor2);
  AMP_CHECK(
      is_floating_point(detail::result_type_of({&input, &tensor1, &tensor2})),
      "addcdiv: one of `input`, `tensor1` and `tensor2` must be floating point, but they are ",
      describe(input), ", ", describe(tensor1), " and ", describe(tensor2));
  return autocasting::call(
      "addcdiv",
      [&](const Tensor& a, const Tensor& b, const Tensor& c) {
        return detail::addcdiv(a, b, c, options.value,
                               detail::shape_of_three("addcdiv", a, "tensor1", b, "tensor2", c),
                               detail::result_type_of({&a, &b, &c}));
      },
      input, tensor1, tensor2);
}

AMP_LAZY_DEFINITION Tensor lerp(const Tensor& input, const Tensor& end, const Tensor& weight) {
  detail::check_three("lerp", input, "end", end, "weight", weight);
  detail::check_floating("lerp", "input", input);
  detail::check_floating("lerp", "end", end);
  detail::check_floating("lerp", "weight", weight);
  return autocasting::call(
      "lerp",
      [](const Tensor& a, const Tensor& b, const Tensor& w) { return detail::lerp(a, b, w, 0); },
      input, end, weight);
}
AMP_LAZY_DEFINITION Tensor lerp(const Tensor& input, const Tensor& end, double weight) {
  detail::check_operands("lerp", input, end, "input", "end");
  detail::check_floating("lerp", "input", input);
  detail::check_floating("lerp", "end", end);
  return autocasting::call(
      "lerp",
      [weight](const Tensor& a, const Tensor& b) { return detail::lerp(a, b, Tensor(), weight); },
      input, end);
}

}  // namespace amp::inline v0
