// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Convolutions described to cuDNN, and the plan of each: the algorithm that cuDNN recommends, or
// that it does not support the convolution.
#pragma once

#include "amp/core/config.hpp"

#if AMP_USE_CUDNN

#include <compare>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <mutex>
#include <optional>
#include <string>

#include "amp/device/cuda/attempt.hpp"
#include "amp/device/cuda/dnn_handles.hpp"
#include "amp/device/math_precision.hpp"
#include "amp/device/stream.hpp"
#include "amp/kernels/conv/args.hpp"
#include "amp/kernels/plans.cuh"

namespace amp::inline v0::kernels::cuda::detail {

enum class ConvPass : std::uint8_t { kForward, kBackwardInput, kBackwardWeight };

/// Everything that the choice of an algorithm depends on, besides the device.
struct ConvProblem {
  ConvPass pass;
  bool bias;
  cudnnDataType_t type;
  cudnnMathType_t math;
  int groups;
  int input[5], weight[5], output[5];  // N, C, H, W, D
  int stride[3], padding[3], dilation[3];
  std::int64_t bytes;  // the limit of the workspace

  friend auto operator<=>(const ConvProblem&, const ConvProblem&) = default;

  /// Whether cuDNN sees slices, too.
  bool has_slices() const {
    return input[4] != 1 || weight[4] != 1 || output[4] != 1 || padding[2] != 0;
  }

  /// Returns a description for messages.
  std::string describe(Device device) const {
    // Without slices, as they were given.
    const auto list = [&](const auto& numbers) {
      const auto n = static_cast<std::ptrdiff_t>(std::size(numbers)) - (has_slices() ? 0 : 1);
      std::string text;
      for (std::ptrdiff_t i = 0; i < n; ++i)
        text += (text.empty() ? "" : ", ") + std::to_string(numbers[i]);
      return " [" + text + "]";
    };
    const char* const dtype = type == CUDNN_DATA_DOUBLE     ? "float64"
                              : type == CUDNN_DATA_HALF     ? "float16"
                              : type == CUDNN_DATA_BFLOAT16 ? "bfloat16"
                                                            : "float32";
    return std::string(pass == ConvPass::kForward         ? "conv2d"
                       : pass == ConvPass::kBackwardInput ? "conv2d, gradient of the input"
                                                          : "conv2d, gradient of the weight") +
           ", of " + dtype + list(input) + " with weight" + list(weight) + ", stride" +
           list(stride) + ", padding" + list(padding) + ", dilation" + list(dilation) +
           ", groups " + std::to_string(groups) + " on " + to_string(device);
  }
};

/// Returns the math type, the only place that says what cuDNN may compute with. Its default math
/// rounds the factors of float32 matmuls to TF32, FMA math does not. Products of 16-bit factors are
/// exact on tensor cores.
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

/// Whether all values are at least `least` and fit cuDNN's integers.
inline bool to_ints(const std::int64_t* from, int count, std::int64_t least, int* to) {
  for (int i = 0; i < count; ++i) {
    if (from[i] < least || from[i] > (std::numeric_limits<int>::max)()) return false;
    to[i] = static_cast<int>(from[i]);
  }
  return true;
}

/// Whether an array [N, C, D * H, W] has extents for cuDNN.
inline bool to_extents(const Operand& x, std::int64_t slices, int (&to)[5]) {
  const std::int64_t sizes[] = {x.sizes[0], x.sizes[1], x.sizes[2] / slices, x.sizes[3], slices};
  return to_ints(sizes, 5, 1, to);
}

/// Returns the problem for cuDNN, or nothing if cuDNN does not support it: float8, mixed dtypes, no
/// elements, extents beyond an int, data that is not aligned for vectors of 16 bytes, and padding
/// that is not the same at both ends.
inline std::optional<ConvProblem> conv_problem(ConvPass pass, const Operand& input,
                                               const Operand& weight, const Operand& bias,
                                               const Operand& output, const Window& window,
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
  if (!to_ints(&groups, 1, 1, &p.groups) || !to_extents(input, window.slices, p.input) ||
      !to_extents(weight, window.kernel[2], p.weight) ||
      !to_extents(output, window.out_slices, p.output) || !to_ints(window.stride, 3, 1, p.stride) ||
      !to_ints(window.padding, 3, 0, p.padding) || !to_ints(window.dilation, 3, 1, p.dilation))
    return {};
  for (int d = 0; d < 3; ++d) {
    const std::int64_t reach =
        p.input[2 + d] + 2 * window.padding[d] - window.dilation[d] * (window.kernel[d] - 1) - 1;
    if (reach < 0 || reach / window.stride[d] + 1 != p.output[2 + d]) return {};
  }
  return p;
}

/// Whether an algorithm sums products of the original numbers. Fourier and Winograd transforms
/// multiply transformed numbers, each rounded once more.
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

/// Whether amp uses a recommendation of cuDNN.
template <class Perf>
bool is_usable(const Perf& perf, const ConvProblem& p) {
  const bool math = p.math == CUDNN_FMA_MATH
                        ? perf.mathType == CUDNN_FMA_MATH
                        : perf.mathType != CUDNN_TENSOR_OP_MATH_ALLOW_CONVERSION;
  return perf.status == CUDNN_STATUS_SUCCESS && perf.determinism == CUDNN_DETERMINISTIC && math &&
         sums_products(perf.algo) && perf.memory <= static_cast<std::size_t>(p.bytes);
}

/// cuDNN 9 groups its status codes, a thousand numbers a group (its API reference, cudnnStatus_t).
/// The numbers are written here, since cuDNN 8 has no names for them.
inline amp::cuda::detail::Failure failure_of(cudnnStatus_t status) {
  using amp::cuda::detail::Failure;
  const int code = static_cast<int>(status);
  const bool no_memory = code == 4003 || code == 4004 || code == 2;  // 9: host, device; 8
  if (no_memory) return Failure::kPassing;
  return status == CUDNN_STATUS_INTERNAL_ERROR || status == CUDNN_STATUS_EXECUTION_FAILED ||
                 code / 1000 == 4 || code / 1000 == 5
             ? Failure::kUnclear
             : Failure::kLasting;
}

/// Calls cuDNN for a plan; see ConvPlan::accepts().
#define AMP_DNN_ACCEPTS(plan, function, ...) ((plan).accepts(function(__VA_ARGS__), #function))

/// A problem described to cuDNN, and the way to solve it.
class ConvPlan {
 public:
  ConvPlan(cudnnHandle_t handle, const ConvProblem& p) : usable(describe(p) && choose(handle, p)) {}

  amp::cuda::detail::DnnDescriptor<cudnnTensorDescriptor_t> input, output, bias;
  amp::cuda::detail::DnnDescriptor<cudnnFilterDescriptor_t> weight;
  amp::cuda::detail::DnnDescriptor<cudnnConvolutionDescriptor_t> convolution;
  amp::cuda::detail::DnnDescriptor<cudnnActivationDescriptor_t> identity;
  int algorithm = 0;  // of the pass
  std::size_t workspace = 0;
  bool takes_bias = false;  // cuDNN adds the bias, or sums its gradient, unless that was given up
  amp::cuda::detail::Attempt convolving = {}, biasing = {};
  std::string refusal = {};  // cuDNN's reason when it last refused
  amp::cuda::detail::Failure failure = amp::cuda::detail::Failure::kLasting;
  bool usable;

  /// Returns whether a call of cuDNN succeeded. If the plan never ran, other kernels can compute
  /// it, whatever the status. If it did run, the call throws, unless cuDNN says that something is
  /// not supported. After an error that breaks the device, the other kernels fail as well, and
  /// throw.
  bool accepts(cudnnStatus_t status, const char* call, bool ran) {
    if (status == CUDNN_STATUS_SUCCESS) return true;
    const bool unsupported =
        status == CUDNN_STATUS_NOT_SUPPORTED || static_cast<int>(status) / 1000 == 3;
    if (ran && !unsupported) amp::cuda::detail::require(status, call);
    refusal = amp::cuda::detail::describe(status, call);
    failure = failure_of(status);
    return false;
  }
  bool accepts(cudnnStatus_t status, const char* call) {
    return accepts(status, call, convolving.ran);
  }
  /// The same for the call that adds the bias. It records the failure.
  bool accepts_bias(int device, const ConvProblem& p, cudnnStatus_t status, const char* call) {
    if (accepts(status, call, biasing.ran)) return biasing.ran = true;
    amp::cuda::detail::note_failure(device, biasing, failure,
                                    {p.describe({kCUDA, device}), refusal});
    return false;
  }
  bool may_be_tried_again() const { return !usable && !convolving.is_given_up(); }
  bool may_take_bias() const { return takes_bias && !biasing.is_given_up(); }

 private:
  bool describe(const ConvProblem& p) {
    return (p.has_slices() ? describe_slices(p) : describe_planes(p)) &&
           AMP_DNN_ACCEPTS(*this, cudnnSetConvolutionGroupCount, convolution, p.groups) &&
           AMP_DNN_ACCEPTS(*this, cudnnSetConvolutionMathType, convolution, p.math) &&
           AMP_DNN_ACCEPTS(*this, cudnnSetActivationDescriptor, identity, CUDNN_ACTIVATION_IDENTITY,
                           CUDNN_NOT_PROPAGATE_NAN, 0);
  }

  static cudnnDataType_t compute_type(const ConvProblem& p) {
    return p.type == CUDNN_DATA_DOUBLE ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT;
  }
  bool describe_planes(const ConvProblem& p) {
    const auto tensor = [this, &p](cudnnTensorDescriptor_t it, int n, int c, int h, int w) {
      return AMP_DNN_ACCEPTS(*this, cudnnSetTensor4dDescriptor, it, CUDNN_TENSOR_NCHW, p.type, n, c,
                             h, w);
    };
    return tensor(input, p.input[0], p.input[1], p.input[2], p.input[3]) &&
           tensor(output, p.output[0], p.output[1], p.output[2], p.output[3]) &&
           tensor(bias, 1, p.output[1], 1, 1) &&
           AMP_DNN_ACCEPTS(*this, cudnnSetFilter4dDescriptor, weight, p.type, CUDNN_TENSOR_NCHW,
                           p.weight[0], p.weight[1], p.weight[2], p.weight[3]) &&
           AMP_DNN_ACCEPTS(*this, cudnnSetConvolution2dDescriptor, convolution, p.padding[0],
                           p.padding[1], p.stride[0], p.stride[1], p.dilation[0], p.dilation[1],
                           CUDNN_CROSS_CORRELATION, compute_type(p));
  }
  bool describe_slices(const ConvProblem& p) {
    const auto tensor = [this, &p](cudnnTensorDescriptor_t it, const int(&e)[5]) {
      const int extents[] = {e[0], e[1], e[4], e[2], e[3]};
      return AMP_DNN_ACCEPTS(*this, cudnnSetTensorNdDescriptorEx, it, CUDNN_TENSOR_NCHW, p.type, 5,
                             extents);
    };
    const int one_each[] = {1, p.output[1], 1, 1, 1};  // N, C, H, W, D
    const int filters[] = {p.weight[0], p.weight[1], p.weight[4], p.weight[2], p.weight[3]};
    const int padding[] = {p.padding[2], p.padding[0], p.padding[1]},
              stride[] = {p.stride[2], p.stride[0], p.stride[1]},
              dilation[] = {p.dilation[2], p.dilation[0], p.dilation[1]};
    return tensor(input, p.input) && tensor(output, p.output) && tensor(bias, one_each) &&
           AMP_DNN_ACCEPTS(*this, cudnnSetFilterNdDescriptor, weight, p.type, CUDNN_TENSOR_NCHW, 5,
                           filters) &&
           AMP_DNN_ACCEPTS(*this, cudnnSetConvolutionNdDescriptor, convolution, 3, padding, stride,
                           dilation, CUDNN_CROSS_CORRELATION, compute_type(p));
  }

  bool choose(cudnnHandle_t handle, const ConvProblem& p) {
    if (p.pass == ConvPass::kForward) {
      return take_first<cudnnConvolutionFwdAlgoPerf_t>(p, [&](int most, int* count, auto* found) {
        return AMP_DNN_ACCEPTS(*this, cudnnGetConvolutionForwardAlgorithm_v7, handle, input, weight,
                               convolution, output, most, count, found);
      });
    }
    if (p.pass == ConvPass::kBackwardInput) {
      return take_first<cudnnConvolutionBwdDataAlgoPerf_t>(
          p, [&](int most, int* count, auto* found) {
            return AMP_DNN_ACCEPTS(*this, cudnnGetConvolutionBackwardDataAlgorithm_v7, handle,
                                   weight, output, convolution, input, most, count, found);
          });
    }
    return take_first<cudnnConvolutionBwdFilterAlgoPerf_t>(
        p, [&](int most, int* count, auto* found) {
          return AMP_DNN_ACCEPTS(*this, cudnnGetConvolutionBackwardFilterAlgorithm_v7, handle,
                                 input, output, convolution, weight, most, count, found);
        });
  }

  /// Takes the first usable recommendation of recommend(most, &count, recommendations), fastest
  /// first.
  template <class Perf, class Recommend>
  bool take_first(const ConvProblem& p, const Recommend& recommend) {
    Perf found[32];
    int count = 0;
    if (!recommend(static_cast<int>(std::size(found)), &count, found)) return false;
    for (int i = 0; i < count; ++i) {
      if (!is_usable(found[i], p)) continue;
      algorithm = static_cast<int>(found[i].algo);
      workspace = found[i].memory;
      // Only with this algorithm, cuDNN's forward pass adds a bias without an activation (API
      // reference, cudnnConvolutionBiasActivationForward(), about the identity).
      takes_bias = p.pass != ConvPass::kForward ||
                   algorithm == CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM;
      return AMP_DNN_ACCEPTS(*this, cudnnSetConvolutionMathType, convolution, found[i].mathType);
    }
    failure = amp::cuda::detail::Failure::kLasting;
    refusal =
        "none of the algorithms that cuDNN recommends is exact, reproducible and content with "
        "the workspace";
    return false;
  }
};

class ConvPlans : public Plans<ConvProblem, ConvPlan> {
 public:
  /// Returns use(plan). The plan is created at its first use and cached; it is created anew after a
  /// failure that may pass.
  template <class Use>
  bool with_plan(cudnnHandle_t handle, const ConvProblem& problem, const Use& use) {
    const std::lock_guard lock(mutex_);
    ConvPlan* plan = find_plan(problem);
    amp::cuda::detail::Attempt convolving, biasing;
    if (plan != nullptr && plan->may_be_tried_again()) {
      convolving = plan->convolving;
      biasing = plan->biasing;
      plan = nullptr;
    }
    if (plan == nullptr) {
      plan = &make_plan(problem, handle, problem);
      plan->convolving = convolving;
      plan->biasing = biasing;
    }
    return use(*plan);
  }
};

inline ConvPlans& conv_plans(int device) { return plans_of<ConvPlans>(device); }

}  // namespace amp::inline v0::kernels::cuda::detail

#endif
