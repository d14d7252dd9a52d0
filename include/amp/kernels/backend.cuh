// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The table of the CUDA device's kernels.
#pragma once

#include "amp/device/cuda/libraries.hpp"
#include "amp/kernels/backend.hpp"
#include "amp/kernels/batch_norm/cuda.cuh"
#include "amp/kernels/conv/cuda.cuh"
#include "amp/kernels/cross_entropy/cuda.cuh"
#include "amp/kernels/elementwise/cuda.cuh"
#include "amp/kernels/extremum/cuda.cuh"
#include "amp/kernels/indexing/cuda.cuh"
#include "amp/kernels/matmul/cuda.cuh"
#include "amp/kernels/norm/cuda.cuh"
#include "amp/kernels/optim/cuda.cuh"
#include "amp/kernels/pool/cuda.cuh"
#include "amp/kernels/random/cuda.cuh"
#include "amp/kernels/reduce/cuda.cuh"
#include "amp/kernels/softmax/cuda.cuh"
#include "amp/kernels/unscale/cuda.cuh"

namespace amp::inline v0::kernels::cuda {

namespace detail {

inline void release_libraries(int device) noexcept {
#if AMP_USE_CUDNN
  conv_plans(device).release();
  amp::cuda::detail::dnn_handles(device).release(device);
#endif
  lt_plans(device).release();
  amp::cuda::detail::blas_handles(device).release(device);
}

}  // namespace detail

inline Backend make_backend() {
  namespace f = functions;
  const DTypeSet all{kFloat64,    kFloat32, kFloat16, kBFloat16, kFloat8E4M3,
                     kFloat8E5M2, kInt64,   kInt32,   kUInt8,    kBool};
  Backend b;
  const auto set = [&](auto& kernel, auto run) {
    kernel.run = run;
    kernel.dtypes = all;
  };
  set(b.fill, fill);
  set(b.copy, copy);
  set(b.neg, unary<f::Neg>);
  set(b.abs, unary<f::Abs>);
  set(b.exp, float_unary<f::Exp>);
  set(b.log, float_unary<f::Log>);
  set(b.sqrt, float_unary<f::Sqrt>);
  set(b.rsqrt, float_unary<f::Rsqrt>);
  set(b.tanh, float_unary<f::Tanh>);
  set(b.sigmoid, float_unary<f::Sigmoid>);
  set(b.relu, unary<f::Relu>);
  set(b.silu, float_unary<f::Silu>);
  set(b.gelu, float_unary<f::Gelu>);
  set(b.gelu_tanh, float_unary<f::GeluTanh>);
  set(b.abs_backward, float_binary<f::AbsBackward>);
  set(b.sqrt_backward, float_binary<f::SqrtBackward>);
  set(b.rsqrt_backward, float_binary<f::RsqrtBackward>);
  set(b.tanh_backward, float_binary<f::TanhBackward>);
  set(b.sigmoid_backward, float_binary<f::SigmoidBackward>);
  set(b.relu_backward, float_binary<f::ReluBackward>);
  set(b.silu_backward, float_binary<f::SiluBackward>);
  set(b.gelu_backward, float_binary<f::GeluBackward>);
  set(b.gelu_tanh_backward, float_binary<f::GeluTanhBackward>);
  set(b.add, binary<f::Add>);
  set(b.sub, binary<f::Sub>);
  set(b.mul, binary<f::Mul>);
  set(b.div, float_binary<f::Div>);
  set(b.pow, pow);
  set(b.maximum, binary<f::Maximum>);
  set(b.minimum, binary<f::Minimum>);
  set(b.pow_slope_base, float_binary<f::PowSlopeBase>);
  set(b.pow_slope_exponent, float_binary<f::PowSlopeExponent>);
  set(b.maximum_share, float_binary<f::MaximumShare>);
  set(b.eq, comparison<f::Eq>);
  set(b.ne, comparison<f::Ne>);
  set(b.lt, comparison<f::Lt>);
  set(b.le, comparison<f::Le>);
  set(b.gt, comparison<f::Gt>);
  set(b.ge, comparison<f::Ge>);
  set(b.where, where);
  set(b.squared_error, float_binary<f::SquaredError>);
  set(b.binary_cross_entropy_with_logits, float_binary<f::BinaryCrossEntropyWithLogits>);
  set(b.binary_cross_entropy_slope, float_binary<f::BinaryCrossEntropySlope>);
  set(b.max_pool2d, max_pool2d);
  set(b.max_pool2d_backward, max_pool2d_backward);
  set(b.avg_pool2d, avg_pool2d);
  set(b.avg_pool2d_backward, avg_pool2d_backward);
  set(b.norm, norm);
  set(b.norm_backward, norm_backward);
  set(b.batch_norm, batch_norm);
  set(b.batch_norm_backward, batch_norm_backward);
  set(b.unscale, unscale);
  set(b.update_scale, update_scale);
  set(b.grad_norm, grad_norm);
  set(b.clip, clip);
  set(b.sgd, sgd);
  set(b.adam, adam);
  set(b.random, random);
  set(b.dropout, dropout);
  set(b.sum, sum);
  set(b.max, (max));
  set(b.min, (min));
  set(b.extremum_backward, extremum_backward);
  set(b.softmax, softmax);
  set(b.log_softmax, log_softmax);
  set(b.softmax_backward, softmax_backward);
  set(b.log_softmax_backward, log_softmax_backward);
  set(b.cross_entropy, cross_entropy);
  set(b.cross_entropy_backward, cross_entropy_backward);
  set(b.index_select, index_select);
  set(b.index_add, index_add);
  set(b.matmul, matmul);
  set(b.conv2d, conv2d);
  set(b.conv2d_backward_input, conv2d_backward_input);
  set(b.conv2d_backward_weight, conv2d_backward_weight);
#if AMP_USE_CUDNN
  amp::cuda::detail::libraries().cudnn_version = [] { return static_cast<int>(cudnnGetVersion()); };
#endif
  b.store_rng_state = store_rng_state;
  b.release = detail::release_libraries;
  return b;
}

}  // namespace amp::inline v0::kernels::cuda
