// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Convolution by cuDNN, where the program uses it: what it does not take goes to conv.cuh. Which
// algorithm cuDNN recommends is asked once for each shape, without a measurement; only those are
// taken whose results have the same bits every time and are rounded once. Nothing here
// synchronises.
#pragma once

#include "amp/core/config.hpp"

#if AMP_USE_CUDNN

#include <compare>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <mutex>
#include <optional>

#include "amp/device/cuda/dnn_handles.hpp"
#include "amp/device/math_precision.hpp"
#include "amp/kernels/cuda/conv.cuh"

namespace amp::inline v0::kernels::cuda {
namespace detail {

enum class ConvPass : std::uint8_t { kForward, kBackwardInput, kBackwardWeight };

/// All that the choice of an algorithm depends on, besides the device.
struct ConvProblem {
  ConvPass pass;
  bool bias;
  cudnnDataType_t type;
  cudnnMathType_t math;
  int groups;
  int input[4], weight[4], output[4];
  int stride[2], padding[2], dilation[2];
  std::int64_t bytes;  // the most that the workspace may take

  friend auto operator<=>(const ConvProblem&, const ConvProblem&) = default;
};

/// The one place that says what cuDNN may compute with. Its default math rounds the factors of
/// float32 products to TF32, FMA math does not; products of 16-bit factors are exact on tensor
/// cores.
inline cudnnMathType_t conv_math(DType dtype) {
  if (dtype == kFloat32) return math_precision().allow_tf32 ? CUDNN_DEFAULT_MATH : CUDNN_FMA_MATH;
  return dtype == kFloat64 ? CUDNN_DEFAULT_MATH : CUDNN_TENSOR_OP_MATH;
}

inline std::optional<cudnnDataType_t> dnn_type(DType dtype) {
  if (dtype == kFloat64) return CUDNN_DATA_DOUBLE;
  if (dtype == kFloat32) return CUDNN_DATA_FLOAT;
  if (dtype == kFloat16) return CUDNN_DATA_HALF;
  if (dtype == kBFloat16) return CUDNN_DATA_BFLOAT16;
  return {};
}

/// Whether all are at least `least` and cuDNN's numbers hold them.
template <int N>
bool to_ints(const std::int64_t* from, std::int64_t least, int (&to)[N]) {
  for (int i = 0; i < N; ++i) {
    if (from[i] < least || from[i] > std::numeric_limits<int>::max()) return false;
    to[i] = static_cast<int>(from[i]);
  }
  return true;
}

/// What to ask cuDNN; nothing where it does not take it: float8, mixed dtypes, no elements, extents
/// beyond an int, and data that vectors of 16 bytes cannot be read from.
inline std::optional<ConvProblem> conv_problem(ConvPass pass, const Operand& input,
                                               const Operand& weight, const Operand& bias,
                                               const Operand& output, const Window2d& window,
                                               std::int64_t groups, std::int64_t bytes) {
  const auto type = dnn_type(output.dtype);
  if (!type) return {};
  for (const Operand* const x : {&input, &weight, &bias, &output}) {
    if (!x->present) continue;
    if (x->dtype != output.dtype || reinterpret_cast<std::uintptr_t>(x->data) % 16 != 0) return {};
  }
  ConvProblem p{};
  p.pass = pass;
  p.bias = bias.present;
  p.type = *type;
  p.math = conv_math(output.dtype);
  p.bytes = bytes;
  int group_count[1] = {};
  if (!to_ints(&groups, 1, group_count) || !to_ints(input.sizes, 1, p.input) ||
      !to_ints(weight.sizes, 1, p.weight) || !to_ints(output.sizes, 1, p.output) ||
      !to_ints(window.stride, 1, p.stride) || !to_ints(window.padding, 0, p.padding) ||
      !to_ints(window.dilation, 1, p.dilation))
    return {};
  p.groups = group_count[0];
  return p;
}

/// Whether an algorithm sums products of the numbers as they are. Those by Fourier and Winograd
/// transforms multiply transformed numbers, each rounded once more.
inline bool sums_products(cudnnConvolutionFwdAlgo_t algorithm) {
  return algorithm == CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM ||
         algorithm == CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM ||
         algorithm == CUDNN_CONVOLUTION_FWD_ALGO_GEMM ||
         algorithm == CUDNN_CONVOLUTION_FWD_ALGO_DIRECT;
}
inline bool sums_products(cudnnConvolutionBwdDataAlgo_t algorithm) {
  return algorithm == CUDNN_CONVOLUTION_BWD_DATA_ALGO_0 ||
         algorithm == CUDNN_CONVOLUTION_BWD_DATA_ALGO_1;
}
inline bool sums_products(cudnnConvolutionBwdFilterAlgo_t algorithm) {
  return algorithm == CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0 ||
         algorithm == CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1 ||
         algorithm == CUDNN_CONVOLUTION_BWD_FILTER_ALGO_3;
}

/// Whether a recommendation is one that we take.
template <class Perf>
bool is_usable(const Perf& perf, const ConvProblem& p) {
  const bool math = p.math == CUDNN_FMA_MATH
                        ? perf.mathType == CUDNN_FMA_MATH
                        : perf.mathType != CUDNN_TENSOR_OP_MATH_ALLOW_CONVERSION;
  return perf.status == CUDNN_STATUS_SUCCESS && perf.determinism == CUDNN_DETERMINISTIC && math &&
         sums_products(perf.algo) && perf.memory <= static_cast<std::size_t>(p.bytes);
}

/// A problem described to cuDNN, and how it is solved.
class ConvPlan {
 public:
  ConvPlan(cudnnHandle_t handle, const ConvProblem& p) : usable(describe(p) && choose(handle, p)) {}

  amp::cuda::detail::DnnDescriptor<cudnnTensorDescriptor_t> input, output, bias;
  amp::cuda::detail::DnnDescriptor<cudnnFilterDescriptor_t> weight;
  amp::cuda::detail::DnnDescriptor<cudnnConvolutionDescriptor_t> convolution;
  amp::cuda::detail::DnnDescriptor<cudnnActivationDescriptor_t> identity;
  int algorithm = 0;  // of the pass
  std::size_t workspace = 0;
  bool takes_bias = false;  // cuDNN adds the bias, or sums its gradient
  bool usable;

 private:
  bool describe(const ConvProblem& p) {
    const auto compute = p.type == CUDNN_DATA_DOUBLE ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT;
    const auto tensor = [&p](cudnnTensorDescriptor_t it, int n, int c, int h, int w) {
      return AMP_DNN_SUPPORTS(cudnnSetTensor4dDescriptor, it, CUDNN_TENSOR_NCHW, p.type, n, c, h,
                              w);
    };
    return tensor(input, p.input[0], p.input[1], p.input[2], p.input[3]) &&
           tensor(output, p.output[0], p.output[1], p.output[2], p.output[3]) &&
           tensor(bias, 1, p.output[1], 1, 1) &&
           AMP_DNN_SUPPORTS(cudnnSetFilter4dDescriptor, weight, p.type, CUDNN_TENSOR_NCHW,
                            p.weight[0], p.weight[1], p.weight[2], p.weight[3]) &&
           AMP_DNN_SUPPORTS(cudnnSetConvolution2dDescriptor, convolution, p.padding[0],
                            p.padding[1], p.stride[0], p.stride[1], p.dilation[0], p.dilation[1],
                            CUDNN_CROSS_CORRELATION, compute) &&
           AMP_DNN_SUPPORTS(cudnnSetConvolutionGroupCount, convolution, p.groups) &&
           AMP_DNN_SUPPORTS(cudnnSetConvolutionMathType, convolution, p.math) &&
           AMP_DNN_SUPPORTS(cudnnSetActivationDescriptor, identity, CUDNN_ACTIVATION_IDENTITY,
                            CUDNN_NOT_PROPAGATE_NAN, 0);
  }

  bool choose(cudnnHandle_t handle, const ConvProblem& p) {
    if (p.pass == ConvPass::kForward) {
      return take_first<cudnnConvolutionFwdAlgoPerf_t>(p, [&](int most, int* count, auto* found) {
        return AMP_DNN_SUPPORTS(cudnnGetConvolutionForwardAlgorithm_v7, handle, input, weight,
                                convolution, output, most, count, found);
      });
    }
    if (p.pass == ConvPass::kBackwardInput) {
      return take_first<cudnnConvolutionBwdDataAlgoPerf_t>(
          p, [&](int most, int* count, auto* found) {
            return AMP_DNN_SUPPORTS(cudnnGetConvolutionBackwardDataAlgorithm_v7, handle, weight,
                                    output, convolution, input, most, count, found);
          });
    }
    return take_first<cudnnConvolutionBwdFilterAlgoPerf_t>(
        p, [&](int most, int* count, auto* found) {
          return AMP_DNN_SUPPORTS(cudnnGetConvolutionBackwardFilterAlgorithm_v7, handle, input,
                                  output, convolution, weight, most, count, found);
        });
  }

  /// The first of what recommend(most, &count, recommendations) lists, the fastest first.
  template <class Perf, class Recommend>
  bool take_first(const ConvProblem& p, const Recommend& recommend) {
    Perf found[32];
    int count = 0;
    if (!recommend(static_cast<int>(std::size(found)), &count, found)) return false;
    for (int i = 0; i < count; ++i) {
      if (!is_usable(found[i], p)) continue;
      algorithm = static_cast<int>(found[i].algo);
      workspace = found[i].memory;
      // The forward pass adds the bias by itself with this algorithm only (API reference,
      // cudnnConvolutionBiasActivationForward(), about the identity).
      takes_bias = p.pass != ConvPass::kForward ||
                   algorithm == CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM;
      return AMP_DNN_SUPPORTS(cudnnSetConvolutionMathType, convolution, found[i].mathType);
    }
    return false;
  }
};

/// The plans of one device.
class ConvPlans {
 public:
  /// What use(plan) returns, made at its first use and kept.
  template <class Use>
  bool with_plan(cudnnHandle_t handle, const ConvProblem& problem, const Use& use) {
    const std::lock_guard lock(mutex_);
    auto plan = plans_.find(problem);
    if (plan == plans_.end()) {
      if (plans_.size() >= kMost) plans_.clear();
      plan = plans_.try_emplace(problem, handle, problem).first;
    }
    return use(plan->second);
  }
  void release() noexcept {
    const std::lock_guard lock(mutex_);
    plans_.clear();
  }
  std::size_t size() {
    const std::lock_guard lock(mutex_);
    return plans_.size();
  }

  /// More than a network has; batches of ever new sizes take no more memory than this.
  static constexpr std::size_t kMost = 1024;

 private:
  std::mutex mutex_;
  std::map<ConvProblem, ConvPlan> plans_;
};

inline ConvPlans& conv_plans(int device) {
  static auto* const all = new ConvPlans[kMaxDevices];
  return all[device];
}

/// What cuDNN blends results with, in the type that it computes in.
class DnnNumber {
 public:
  DnnNumber(int value, DType dtype)
      : wide_(value), narrow_(static_cast<float>(value)), is_wide_(dtype == kFloat64) {}
  operator const void*() const { return is_wide_ ? static_cast<const void*>(&wide_) : &narrow_; }

 private:
  double wide_;
  float narrow_;
  bool is_wide_;
};

/// Whether cuDNN did it: run(handle, plan, workspace) says so. Where not, it will not be tried
/// again.
template <class Run>
bool run_dnn(Device device, const std::optional<ConvProblem>& problem, const Run& run) {
  if (!problem) return false;
  bool done = false;
  amp::cuda::detail::dnn_handles(device.index).with_handle(device.index, [&](cudnnHandle_t handle) {
    done = conv_plans(device.index).with_plan(handle, *problem, [&](ConvPlan& plan) {
      if (!plan.usable) return false;
      const Scratch<std::byte> memory(device, static_cast<std::int64_t>(plan.workspace));
      plan.usable = run(handle, plan, memory.data());
      return plan.usable;
    });
  });
  return done;
}

// Each returns false, and may have written the output, where cuDNN does not take the problem.

inline bool conv2d_by_dnn(const Conv2dArgs& args, std::int64_t bytes) {
  const Operand &x = args.input, &w = args.weight, &b = args.bias, &y = args.output;
  const DnnNumber zero(0, y.dtype), one(1, y.dtype);
  return run_dnn(
      y.device, conv_problem(ConvPass::kForward, x, w, b, y, args.window, args.groups, bytes),
      [&](cudnnHandle_t handle, ConvPlan& plan, void* memory) {
        const auto algorithm = static_cast<cudnnConvolutionFwdAlgo_t>(plan.algorithm);
        if (b.present && plan.takes_bias) {  // z is the output, and multiplied by 0
          plan.takes_bias = AMP_DNN_SUPPORTS(
              cudnnConvolutionBiasActivationForward, handle, one, plan.input, x.data, plan.weight,
              w.data, plan.convolution, algorithm, memory, plan.workspace, zero, plan.output,
              y.data, plan.bias, b.data, plan.identity, plan.output, y.data);
          if (plan.takes_bias) return true;
        }
        // What is there is added before the one rounding, so that the bias goes there first.
        if (b.present) {
          copy({array(b.device, b.dtype, b.data, {1, y.sizes[1], 1, 1}), y});
        }
        return AMP_DNN_SUPPORTS(cudnnConvolutionForward, handle, one, plan.input, x.data,
                                plan.weight, w.data, plan.convolution, algorithm, memory,
                                plan.workspace, b.present ? one : zero, plan.output, y.data);
      });
}

inline bool conv2d_backward_input_by_dnn(const Conv2dBackwardInputArgs& args, std::int64_t bytes) {
  const Operand &dy = args.grad_output, &w = args.weight, &dx = args.grad_input;
  const DnnNumber zero(0, dx.dtype), one(1, dx.dtype);
  return run_dnn(
      dx.device,
      conv_problem(ConvPass::kBackwardInput, dx, w, {}, dy, args.window, args.groups, bytes),
      [&](cudnnHandle_t handle, ConvPlan& plan, void* memory) {
        return AMP_DNN_SUPPORTS(cudnnConvolutionBackwardData, handle, one, plan.weight, w.data,
                                plan.output, dy.data, plan.convolution,
                                static_cast<cudnnConvolutionBwdDataAlgo_t>(plan.algorithm), memory,
                                plan.workspace, zero, plan.input, dx.data);
      });
}

/// cuDNN gives the gradient in the dtype of what it is computed from; a wider one is copied from
/// that.
inline bool conv2d_backward_weight_by_dnn(const Conv2dBackwardWeightArgs& args,
                                          std::int64_t bytes) {
  const Operand &dy = args.grad_output, &x = args.input, &db = args.grad_bias;
  const bool direct = args.grad_weight.dtype == dy.dtype;
  const Scratch<std::byte> narrow(dy.device,
                                  direct ? 0 : args.grad_weight.numel() * item_size(dy.dtype));
  Operand dw = args.grad_weight;
  if (!direct) {
    dw.data = narrow.data();
    dw.dtype = dy.dtype;
  }
  const DnnNumber zero(0, dw.dtype), one(1, dw.dtype);
  const bool done = run_dnn(
      dw.device,
      conv_problem(ConvPass::kBackwardWeight, x, dw, db.dtype == dy.dtype ? db : Operand{}, dy,
                   args.window, args.groups, bytes),
      [&](cudnnHandle_t handle, ConvPlan& plan, void* memory) {
        if (!AMP_DNN_SUPPORTS(cudnnConvolutionBackwardFilter, handle, one, plan.input, x.data,
                              plan.output, dy.data, plan.convolution,
                              static_cast<cudnnConvolutionBwdFilterAlgo_t>(plan.algorithm), memory,
                              plan.workspace, zero, plan.weight, dw.data))
          return false;
        if (!db.present) return true;
        const bool takes_bias = plan.takes_bias && db.dtype == dy.dtype &&
                                AMP_DNN_SUPPORTS(cudnnConvolutionBackwardBias, handle, one,
                                                 plan.output, dy.data, zero, plan.bias, db.data);
        plan.takes_bias = takes_bias || db.dtype != dy.dtype;
        if (!takes_bias) conv2d_backward_bias(dy, db);
        return true;
      });
  if (done && !direct) copy({dw, args.grad_weight});
  return done;
}

}  // namespace detail

/// As those of conv.cuh, which do what cuDNN does not take.
namespace dnn {

inline void conv2d(const Conv2dArgs& args) {
  if (!detail::conv2d_by_dnn(args, detail::kColumnBytes)) return cuda::conv2d(args);
  // cuDNN's own relu would turn NaN into 0.
  if (args.relu) float_unary<functions::Relu>({args.output, args.output});
}
inline void conv2d_backward_input(const Conv2dBackwardInputArgs& args) {
  if (!detail::conv2d_backward_input_by_dnn(args, detail::kColumnBytes))
    cuda::conv2d_backward_input(args);
}
inline void conv2d_backward_weight(const Conv2dBackwardWeightArgs& args) {
  if (!detail::conv2d_backward_weight_by_dnn(args, detail::kColumnBytes))
    cuda::conv2d_backward_weight(args);
}

}  // namespace dnn
}  // namespace amp::inline v0::kernels::cuda

#endif
