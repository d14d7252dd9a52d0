// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "amp/autocast/cast.hpp"
#include "amp/autograd/function.hpp"
#include "amp/ops/checks.hpp"
#include "amp/ops/elementwise.hpp"
#include "amp/ops/in_place.hpp"
#include "amp/ops/shape.hpp"
#include "amp/tensor/factory.hpp"
#include "amp/tensor/layout.hpp"

namespace amp::inline v0::detail {

AMP_LAZY_DEFINITION DType result_type(const Tensor& a, const Tensor& b) {
  if ((a.dim() == 0) == (b.dim() == 0)) return promote_types(a.dtype(), b.dtype());
  const DType array = a.dim() == 0 ? b.dtype() : a.dtype();
  const DType single = a.dim() == 0 ? a.dtype() : b.dtype();
  if (is_floating_point(array) || !is_floating_point(single))
    return array == kBool ? single : array;
  return single;
}

AMP_LAZY_DEFINITION Tensor run_unary(UnaryLaunch launch, const Tensor& input, DType dtype,
                                     const kernels::Parameters& parameters) {
  const Tensor output = empty_as_laid_out(input, dtype);
  if (output.numel() != 0) {
    const kernels::UnaryArgs args{.input = input.operand_as_laid_out(),
                                  .output = output.operand_as_laid_out(),
                                  .parameters = parameters};
    launch(input.device(), args);
  }
  return output;
}
/// The result lies channels-last, and operands of its shape are copied to that order if they do not
/// lie so. For results of which an operand of the same shape lies channels-last.
AMP_LAZY Tensor run_binary_channels_last(BinaryLaunch launch, const Tensor& a, const Tensor& b,
                                         const Shape& shape, DType dtype,
                                         const kernels::Parameters& parameters) {
  const Tensor x = a.shape() == shape ? channels_last(a) : a;
  const Tensor y = b.shape() == shape ? channels_last(b) : b;
  const Tensor output = make_channels_last(shape, dtype, a.device());
  const kernels::BinaryArgs args{x.operand_as_laid_out(), y.operand_as_laid_out(),
                                 output.operand_as_laid_out(), parameters};
  launch(a.device(), args);
  return output;
}
AMP_LAZY_DEFINITION Tensor run_binary(BinaryLaunch launch, const Tensor& a, const Tensor& b,
                                      const Shape& shape, DType dtype,
                                      const kernels::Parameters& parameters) {
  if ((lies_channels_last(a) && a.shape() == shape) ||
      (lies_channels_last(b) && b.shape() == shape)) [[unlikely]]
    return run_binary_channels_last(launch, a, b, shape, dtype, parameters);
  const Tensor output = empty(shape, {.dtype = dtype, .device = a.device()});
  if (output.numel() != 0) {
    const kernels::BinaryArgs args{a.operand(), b.operand(), output.operand(), parameters};
    launch(a.device(), args);
  }
  return output;
}
AMP_LAZY_DEFINITION Tensor run_scalar(BinaryLaunch launch, const Tensor& tensor,
                                      const kernels::Operand& number, bool scalar_first,
                                      DType dtype, const kernels::Parameters& parameters) {
  const Tensor output = empty_as_laid_out(tensor, dtype);
  if (output.numel() != 0) {
    const kernels::Operand array = tensor.operand_as_laid_out();
    const kernels::BinaryArgs args{scalar_first ? number : array, scalar_first ? array : number,
                                   output.operand_as_laid_out(), parameters};
    launch(tensor.device(), args);
  }
  return output;
}

AMP_LAZY_DEFINITION Tensor nonzero_mask(const Tensor& x) {
  if (x.dtype() == kBool) return x;
  return scalar_kernel<functions::Ne>(x, kernels::Operand::scalar(std::int64_t{0}, x.device()),
                                      false, kBool);
}

AMP_LAZY_DEFINITION Tensor mul(const Tensor& a, const Tensor& b) {
  return binary_kernel<functions::Mul>(a, b, broadcast_shapes("mul", a.shape(), b.shape()),
                                       result_type(a, b));
}
AMP_LAZY_DEFINITION Tensor div(const Tensor& a, const Tensor& b) {
  return binary_kernel<functions::Div>(a, b, broadcast_shapes("div", a.shape(), b.shape()),
                                       result_type(a, b));
}
AMP_LAZY_DEFINITION Tensor run_gradient(GradientLaunch launch, const Tensor& grad, const Tensor& a,
                                        const Tensor& b, const Tensor& operand,
                                        const kernels::Parameters& parameters,
                                        const kernels::Operand& number) {
  const Shape& shape = grad.shape();
  const bool whole = shape == operand.shape();
  const DType dtype = whole ? operand.dtype() : promote_types(grad.dtype(), kFloat32);
  const auto lies_so = [&](const Tensor& x) {
    return x.defined() && x.shape() == shape && lies_channels_last(x);
  };
  const bool across = lies_so(grad) || lies_so(a) || lies_so(b);
  const Tensor output = across ? make_channels_last(shape, dtype, grad.device())
                               : empty(shape, {.dtype = dtype, .device = grad.device()});
  if (output.numel() == 0) return output;
  // What repeats its elements, as the gradient of a sum, is read as it is.
  const auto laid_out = [&](const Tensor& x) {
    return across && x.defined() && x.shape() == shape && x.is_contiguous() ? channels_last(x) : x;
  };
  const Tensor g = laid_out(grad), x = laid_out(a), y = laid_out(b);
  const auto as_operand = [&](const Tensor& t) {
    return t.defined() ? across ? t.operand_as_laid_out() : t.operand() : number;
  };
  const kernels::GradientArgs args{as_operand(g), as_operand(x), as_operand(y),
                                   across ? output.operand_as_laid_out() : output.operand(),
                                   parameters};
  launch(grad.device(), args);
  return output;
}
AMP_LAZY_DEFINITION Tensor neg(const Tensor& a) {
  return run_unary(kernels::unary<functions::Neg>, a, a.dtype());
}
AMP_LAZY_DEFINITION Tensor scale(const Tensor& a, double factor) {
  // The gradient of a sum repeats its elements: each is scaled once.
  Shape distinct = a.shape();
  for (int d = 0; d < a.dim(); ++d) {
    if (a.strides()[d] == 0) distinct[d] = (std::min)(distinct[d], std::int64_t{1});
  }
  if (distinct != a.shape())
    return expand(scale(a.alias(distinct, a.strides(), a.impl().offset), factor), a.shape());
  return scalar_kernel<functions::Mul>(a, kernels::Operand::scalar(factor, a.device()), false,
                                       a.dtype());
}

AMP_LAZY_DEFINITION DType scalar_result_type(const Tensor& tensor, const kernels::Operand& number) {
  if (is_floating_point(tensor.dtype())) return tensor.dtype();
  if (is_floating_point(number.dtype)) return kFloat32;
  return tensor.dtype() == kBool ? number.dtype : tensor.dtype();
}

/// The float dtype that division and transcendental functions give integers.
AMP_LAZY DType float_result_type(DType dtype) {
  return is_floating_point(dtype) ? dtype : kFloat32;
}

/// Whether backward of a function of x and y needs x, and y.
AMP_LAZY bool saves_first(const Tensor& x, const Tensor& y, const BinaryOp& math) {
  return math.saves &&
         (autograd::requires_grad(y) || (math.a_needs_a && autograd::requires_grad(x)));
}
AMP_LAZY bool saves_second(const Tensor& x, const Tensor& y, const BinaryOp& math) {
  return math.saves &&
         (autograd::requires_grad(x) || (math.b_needs_b && autograd::requires_grad(y)));
}

/// Records that `output` is the function of x and y.
AMP_LAZY void record_binary(std::string_view op, const Tensor& output, const Tensor& x,
                            const Tensor& y, const BinaryOp& math) {
  const Tensor none;
  autograd::record(
      op, output,
      [op, backward = math.backward, a = autograd::SavedTensor(saves_first(x, y, math) ? x : none),
       b = autograd::SavedTensor(saves_second(x, y, math) ? y : none), xs = x.shape(),
       ys = y.shape(), xd = x.dtype(), yd = y.dtype()](
          const Tensor& grad, const autograd::Needs<2>& needs) -> autograd::Gradients<2> {
        auto [gx, gy] = backward(grad, a.get(op), b.get(op), needs);
        return {needs[0] ? sum_to(gx, xs, xd) : Tensor(), needs[1] ? sum_to(gy, ys, yd) : Tensor()};
      },
      x, y);
}
AMP_LAZY DType result_type(const Tensor& x, const Tensor& y, const BinaryOp& math) {
  const DType promoted = result_type(x, y);
  return math.real ? float_result_type(promoted) : promoted;
}
/// The function of two tensors, recorded.
AMP_LAZY Tensor binary(std::string_view op, const Tensor& x, const Tensor& y,
                       const BinaryOp& math) {
  const DType dtype = result_type(x, y, math);
  const Shape shape = broadcast_shapes(op, x.shape(), y.shape(), math.name_a, math.name_b);
  const Tensor output = run_binary(math.kernel, x, y, shape, dtype);
  if (is_floating_point(dtype) && autograd::recording(x, y)) record_binary(op, output, x, y, math);
  return output;
}

AMP_LAZY_DEFINITION Tensor binary_op(autocasting::OpId op, const Tensor& a, const Tensor& b,
                                     const BinaryOp& math) {
  check_operands(op.name(), a, b, math.name_a, math.name_b);
  return autocasting::call(
      op, [&](const Tensor& x, const Tensor& y) { return binary(op.name(), x, y, math); }, a, b);
}

/// The tensor before a write to it, for an op that saves it or not.
AMP_LAZY Tensor operand_before(const Tensor& tensor, bool saves) {
  return saves ? tensor.clone() : autograd::second_handle(tensor);
}

AMP_LAZY_DEFINITION const Tensor& binary_op_(std::string_view op, const Tensor& a, const Tensor& b,
                                             const BinaryOp& math) {
  check_operands(op, a, b, math.name_a, math.name_b);
  check_writable(op, a);
  check_result(op, a, broadcast_shapes(op, a.shape(), b.shape(), math.name_a, math.name_b),
               result_type(a, b, math));
  // The kernel converts before it computes, and an operand in the same memory may be saved.
  if (result_type(a, b, math) != a.dtype() || overlap(a, b))
    return in_place(op, a, {&b}, [&](const Tensor& x) { return binary(op, x, b, math); });
  const bool records = is_floating_point(a.dtype()) && autograd::recording(a, b);
  const Tensor before = records ? operand_before(a, saves_first(a, b, math)) : a;
  const Tensor after = begin_write(a);
  if (records) record_binary(op, after, before, b, math);
  return overwrite(op, a, after, [&](const Tensor& to) {
    if (to.numel() == 0) return;
    const bool across = lies_channels_last(to);
    const Tensor y = across && b.shape() == to.shape() ? channels_last(b) : b;
    const kernels::Operand output = to.operand_as_laid_out();
    const kernels::BinaryArgs args{output, across ? y.operand_as_laid_out() : y.operand(), output};
    math.kernel(to.device(), args);
  });
}

/// Records that `output` is the function of x and the number.
AMP_LAZY void record_scalar(std::string_view op, const Tensor& output, const Tensor& x,
                            const kernels::Operand& number, const ScalarOp& math) {
  const Tensor none;
  autograd::record(
      op, output,
      [op, backward = math.backward, number, x = autograd::SavedTensor(math.saves ? x : none)](
          const Tensor& grad, const autograd::Needs<1>&) -> autograd::Gradients<1> {
        return {backward(grad, x.get(op), number)};
      },
      x);
}
AMP_LAZY DType result_type(const Tensor& x, const kernels::Operand& number, const ScalarOp& math) {
  const DType promoted = scalar_result_type(x, number);
  return math.real ? float_result_type(promoted) : promoted;
}

AMP_LAZY_DEFINITION Tensor scalar_op(autocasting::OpId op, const Tensor& input,
                                     kernels::Operand&& number, const ScalarOp& math) {
  check_defined(op.name(), math.scalar_first ? "b" : "a", input);
  number.device = input.device();
  return autocasting::call_beside(
      op, number.value,
      [&](const Tensor& x) {
        const DType dtype = result_type(x, number, math);
        const Tensor output = run_scalar(math.kernel, x, number, math.scalar_first, dtype);
        if (is_floating_point(dtype) && autograd::recording(x))
          record_scalar(op.name(), output, x, number, math);
        return output;
      },
      input);
}

AMP_LAZY_DEFINITION const Tensor& scalar_op_(std::string_view op, const Tensor& input,
                                             const kernels::Operand& number, const ScalarOp& math) {
  check_writable(op, input);
  const DType dtype = result_type(input, number, math);
  check_result(op, input, input.shape(), dtype);
  const bool records = is_floating_point(dtype) && autograd::recording(input);
  const Tensor before = records ? operand_before(input, math.saves) : input;
  const Tensor after = begin_write(input);
  if (records) record_scalar(op, after, before, number, math);
  return overwrite(op, input, after, [&](const Tensor& to) {
    if (to.numel() == 0) return;
    const kernels::Operand array = to.operand_as_laid_out();
    const kernels::BinaryArgs args{math.scalar_first ? number : array,
                                   math.scalar_first ? array : number, array};
    math.kernel(to.device(), args);
  });
}

/// Records the derivative of a function of x.
AMP_LAZY void record_derivative(const UnaryOp& op, const Tensor& x, const Tensor& output,
                                const kernels::Parameters& parameters) {
  if (op.saves == functions::kNothing) {
    autograd::record(
        op.op.name(), output,
        [from = x.dtype()](const Tensor& grad,
                           const autograd::Needs<1>&) -> autograd::Gradients<1> {
          return {zeros(grad.shape(), {.dtype = from, .device = grad.device()})};
        },
        x);
    return;
  }
  const autograd::SavedTensor saved(op.saves == functions::kInput ? x : output);
  autograd::record(
      op.op.name(), output,
      [name = op.op, saved, derivative = op.derivative, from = x.dtype(), parameters](
          const Tensor& grad, const autograd::Needs<1>&) -> autograd::Gradients<1> {
        return {
            run_binary(derivative, grad, saved.get(name.name()), grad.shape(), from, parameters)};
      },
      x);
}

AMP_LAZY_DEFINITION Tensor unary_op(const UnaryOp& op, const Tensor& input,
                                    const kernels::Parameters& parameters) {
  const std::string_view name = op.op.name();
  check_defined(name, "input", input);
  if (op.domain == functions::kNumbers) check_not_bool(name, input);
  if (op.domain == functions::kFloating) check_floating(name, "input", input);
  return autocasting::call_reading(
      op.op,
      [&](const autocasting::ResultDType& result, const Tensor& x) {
        const DType dtype = op.domain == functions::kTruth     ? kBool
                            : op.domain == functions::kNumbers ? result(x)
                                                               : float_result_type(result(x));
        const Tensor output = run_unary(op.kernel, x, dtype, parameters);
        if (is_floating_point(dtype) && autograd::recording(x))
          record_derivative(op, x, output, parameters);
        return output;
      },
      input);
}

AMP_LAZY_DEFINITION const Tensor& unary_op_(std::string_view name, const UnaryOp& op,
                                            const Tensor& input) {
  check_writable(name, input);
  if (op.domain == functions::kNumbers) check_not_bool(name, input);
  if (op.domain == functions::kFloating) check_floating(name, "this", input);
  const DType dtype = op.domain == functions::kTruth     ? kBool
                      : op.domain == functions::kNumbers ? input.dtype()
                                                         : float_result_type(input.dtype());
  if (dtype != input.dtype()) {  // of a condition, or refused
    return in_place(name, input, {}, [&](const Tensor& x) { return unary_op(op, x, {}); });
  }
  const bool records = is_floating_point(dtype) && autograd::recording(input);
  const Tensor before = records ? operand_before(input, op.saves == functions::kInput) : input;
  const Tensor after = begin_write(input);
  if (records) record_derivative(op, before, after, {});
  return overwrite(name, input, after, [&](const Tensor& to) {
    if (to.numel() == 0) return;
    const kernels::Operand elements = to.operand_as_laid_out();
    const kernels::UnaryArgs args{.input = elements, .output = elements};
    op.kernel(to.device(), args);
  });
}

}  // namespace amp::inline v0::detail
