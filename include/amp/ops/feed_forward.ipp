// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "amp/autocast/cast.hpp"
#include "amp/autograd/function.hpp"
#include "amp/kernels/matmul/host.hpp"
#include "amp/ops/checks.hpp"
#include "amp/ops/feed_forward.hpp"
#include "amp/ops/matmul.hpp"
#include "amp/ops/shape.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0 {

namespace detail {

/// epilogue(a [M, K] @ b [K, N] (+ bias [N])), in the dtype of a, without history.
AMP_LAZY Tensor matmul_with_epilogue(const Tensor& a, const Tensor& b, const Tensor& bias,
                                     kernels::Epilogue epilogue, const Tensor& aux,
                                     const Tensor& column_sums = {}) {
  const Tensor output = empty({a.size(0), b.size(1)}, {.dtype = a.dtype(), .device = a.device()});
  const kernels::MatmulArgs args{.a = batch_operand(a),
                                 .b = batch_operand(b),
                                 .bias = bias.operand(),
                                 .output = batch_operand(output),
                                 .epilogue = epilogue,
                                 .aux = batch_operand(aux),
                                 .column_sums = column_sums.operand()};
  kernels::matmul_with_epilogue(a.device(), args);
  return output;
}

/// What feed_forward keeps for its backward function.
struct SavedFeedForward {
  autograd::SavedTensor rows, w1, w2;
  Tensor activated, aux;
  bool relu;
  DType x_dtype, w1_dtype, w2_dtype, b2_dtype;
};

AMP_LAZY autograd::Gradients<5> feed_forward_backward(const SavedFeedForward& saved,
                                                      const Tensor& grad,
                                                      const autograd::Needs<5>& needs) {
  static constexpr std::string_view kOp = "feed_forward";
  using kernels::Epilogue;
  const Tensor &first = saved.w1.get(kOp), &second = saved.w2.get(kOp);
  autograd::Gradients<5> gradients;
  if (needs[3] || needs[4]) {
    auto [weight, bias] =
        weight_gradients(grad, saved.activated, saved.w2_dtype,
                         needs[4] ? std::optional<DType>(saved.b2_dtype) : std::nullopt);
    gradients[3] = weight;
    gradients[4] = bias;
  }
  if (!needs[0] && !needs[1] && !needs[2]) return gradients;
  if (needs[2])
    gradients[2] = empty({first.size(0)}, {.dtype = grad.dtype(), .device = grad.device()});
  const Tensor grad_h = matmul_with_epilogue(
      grad, second, Tensor(), saved.relu ? Epilogue::kReluBackward : Epilogue::kGeluBackward,
      saved.aux, gradients[2]);
  if (needs[0]) gradients[0] = matmul_no_grad(grad_h, first, {}, saved.x_dtype);
  if (needs[1]) gradients[1] = weight_gradients(grad_h, saved.rows.get(kOp), saved.w1_dtype, {})[0];
  return gradients;
}

AMP_LAZY Tensor feed_forward(const Tensor& x, const Tensor& w1, const Tensor& b1, const Tensor& w2,
                             const Tensor& b2, Activation activation) {
  static constexpr std::string_view kOp = "feed_forward";
  using kernels::Epilogue;
  const bool relu = activation == Activation::kRelu;
  check_matmul(kOp, x, w1, "input", "weight1");
  check_matmul(kOp, x, w2, "input", "weight2");
  if (b1.defined()) check_matmul(kOp, x, b1, "input", "bias1");
  if (b2.defined()) check_matmul(kOp, x, b2, "input", "bias2");
  const std::int64_t k = w1.size(1), hidden = w1.size(0), n = w2.size(0);
  std::int64_t m = 1;
  for (int d = 0; d + 1 < x.dim(); ++d) m *= x.shape()[d];
  const Tensor rows = reshape(x, {m, k});
  const Tensor aux =
      relu ? empty({m, kernels::relu_bytes(hidden)}, {.dtype = kUInt8, .device = x.device()})
           : empty({m, hidden}, {.dtype = x.dtype(), .device = x.device()});
  const Tensor activated = matmul_with_epilogue(rows, transpose_last(w1), b1,
                                                relu ? Epilogue::kRelu : Epilogue::kGelu, aux);
  const Tensor output = matmul_no_grad(activated, transpose_last(w2), b2);
  if (autograd::recording(rows, w1, b1, w2, b2)) {
    autograd::record(
        kOp, output,
        [saved = SavedFeedForward{rows, w1, w2, activated, aux, relu,
                                  autograd::gradient_dtype(rows), autograd::gradient_dtype(w1),
                                  autograd::gradient_dtype(w2), autograd::gradient_dtype(b2)}](
            const Tensor& grad, const autograd::Needs<5>& needs) {
          return feed_forward_backward(saved, grad, needs);
        },
        rows, w1, b1, w2, b2);
  }
  Shape shape = x.shape();
  shape[shape.dims() - 1] = n;
  return reshape(output, shape);
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor feed_forward(const Tensor& input, const Tensor& weight1,
                                        const Tensor& bias1, const Tensor& weight2,
                                        const Tensor& bias2, Activation activation) {
  detail::check_defined("feed_forward", "input", input);
  detail::check_defined("feed_forward", "weight1", weight1);
  detail::check_defined("feed_forward", "weight2", weight2);
  AMP_CHECK(weight1.dim() == 2 && weight2.dim() == 2 && input.dim() >= 1 &&
                input.size(-1) == weight1.size(1) && weight2.size(1) == weight1.size(0),
            "feed_forward: expected `input` [..., K], `weight1` [H, K] and `weight2` [N, H], but "
            "got ",
            describe(input), ", ", describe(weight1), " and ", describe(weight2));
  const auto check_bias = [](std::string_view name, const Tensor& bias, const Tensor& weight) {
    AMP_CHECK(!bias.defined() || (bias.dim() == 1 && bias.size(0) == weight.size(0)),
              "feed_forward: `", name, "` must have shape [", weight.size(0), "], but is ",
              describe(bias));
  };
  check_bias("bias1", bias1, weight1);
  check_bias("bias2", bias2, weight2);
  return autocasting::call(
      "feed_forward",
      [activation](const Tensor& x, const Tensor& w1, const Tensor& b1, const Tensor& w2,
                   const Tensor& b2) {
        return detail::feed_forward(x, w1, b1, w2, b2, activation);
      },
      input, weight1, bias1, weight2, bias2);
}

}  // namespace amp::inline v0
