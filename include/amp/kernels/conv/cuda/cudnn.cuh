// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Convolution by cuDNN, if the program uses it. cuDNN is asked once for each shape which algorithm
// it recommends, without measuring. Only algorithms are used whose results have the same bits every
// time and are rounded once. Nothing here synchronises.
#pragma once

#include "amp/core/config.hpp"

#if AMP_USE_CUDNN

#include <cstddef>
#include <cstdint>
#include <optional>

#include "amp/device/cuda/attempt.hpp"
#include "amp/device/cuda/dnn_handles.hpp"
#include "amp/device/cuda/libraries.hpp"
#include "amp/kernels/conv/cuda/conv_by_matmul.cuh"
#include "amp/kernels/conv/cuda/conv_library.hpp"
#include "amp/kernels/conv/cuda/dnn_plan.cuh"

#if !AMP_HEADER_ONLY
#include "amp/core/globals.ipp"
#endif

namespace amp::inline v0::kernels::cuda::detail {

/// The factors with which cuDNN blends results, in the type that it computes in.
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

/// Calls cuDNN's function that adds the bias; see ConvPlan::accepts_bias().
#define AMP_DNN_ACCEPTS_BIAS(plan, device, problem, function, ...) \
  ((plan).accepts_bias((device).index, problem, function(__VA_ARGS__), #function))

/// Returns whether cuDNN computed the problem: run(handle, plan, workspace) returns that. A failure
/// is recorded, and cuDNN is not tried again for the problem unless the failure may pass.
template <class Run>
bool run_dnn(Device device, const std::optional<ConvProblem>& problem, const Run& run) {
  if (!problem) return false;
  bool done = false;
  amp::cuda::detail::dnn_handles(device.index).with_handle(device.index, [&](cudnnHandle_t handle) {
    done = conv_plans(device.index).with_plan(handle, *problem, [&](ConvPlan& plan) {
      if (plan.usable) {
        const Scratch<std::byte> memory(device, static_cast<std::int64_t>(plan.workspace));
        plan.usable = run(handle, plan, memory.data());
        plan.convolving.ran = plan.convolving.ran || plan.usable;
      }
      if (plan.may_be_tried_again()) {
        amp::cuda::detail::note_failure(device.index, plan.convolving, plan.failure,
                                        {problem->describe(device), plan.refusal});
      }
      return plan.usable;
    });
  });
  return done;
}

// Each returns false if cuDNN does not support the problem; the output may then be partly written.

inline bool conv2d_by_dnn(const Conv2dArgs& args, std::int64_t bytes = kColumnBytes) {
  const Operand &x = args.input, &w = args.weight, &b = args.bias, &y = args.output;
  const DnnNumber zero(0, y.dtype), one(1, y.dtype);
  const auto problem =
      conv_problem(ConvPass::kForward, x, w, b, y, args.window, args.groups, bytes);
  const auto run = [&](cudnnHandle_t handle, ConvPlan& plan, void* memory) {
    const auto algorithm = static_cast<cudnnConvolutionFwdAlgo_t>(plan.algorithm);
    // z is the output, multiplied by 0.
    if (b.present && plan.may_take_bias() &&
        AMP_DNN_ACCEPTS_BIAS(plan, y.device, *problem, cudnnConvolutionBiasActivationForward,
                             handle, one, plan.input, x.data, plan.weight, w.data, plan.convolution,
                             algorithm, memory, plan.workspace, zero, plan.output, y.data,
                             plan.bias, b.data, plan.identity, plan.output, y.data))
      return true;
    // cuDNN adds the output's old values before it rounds, so the bias is stored there first.
    if (b.present) {
      copy({array(b.device, b.dtype, b.data, {1, y.sizes[1], 1, 1}), y});
    }
    return AMP_DNN_ACCEPTS(plan, cudnnConvolutionForward, handle, one, plan.input, x.data,
                           plan.weight, w.data, plan.convolution, algorithm, memory, plan.workspace,
                           b.present ? one : zero, plan.output, y.data);
  };
  if (!run_dnn(y.device, problem, run)) return false;
  // cuDNN's own relu would turn NaN into 0.
  if (args.relu) unary<functions::Relu>({y, y});
  return true;
}

inline bool conv2d_backward_input_by_dnn(const Conv2dBackwardInputArgs& args,
                                         std::int64_t bytes = kColumnBytes) {
  const Operand &dy = args.grad_output, &w = args.weight, &dx = args.grad_input, &b = args.bias;
  const DnnNumber zero(0, dx.dtype), one(1, dx.dtype);
  return run_dnn(
      dx.device,
      conv_problem(ConvPass::kBackwardInput, dx, w, {}, dy, args.window, args.groups, bytes),
      [&](cudnnHandle_t handle, ConvPlan& plan, void* memory) {
        // As in the forward pass, the bias is added before the sums are rounded.
        if (b.present) copy({array(b.device, b.dtype, b.data, {1, dx.sizes[1], 1, 1}), dx});
        return AMP_DNN_ACCEPTS(plan, cudnnConvolutionBackwardData, handle, one, plan.weight, w.data,
                               plan.output, dy.data, plan.convolution,
                               static_cast<cudnnConvolutionBwdDataAlgo_t>(plan.algorithm), memory,
                               plan.workspace, b.present ? one : zero, plan.input, dx.data);
      });
}

/// cuDNN returns the gradient in the dtype of the arrays that it is computed from. A wider gradient
/// is copied from that.
inline bool conv2d_backward_weight_by_dnn(const Conv2dBackwardWeightArgs& args,
                                          std::int64_t bytes = kColumnBytes) {
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
  const auto problem =
      conv_problem(ConvPass::kBackwardWeight, x, dw, db.dtype == dy.dtype ? db : Operand{}, dy,
                   args.window, args.groups, bytes);
  const bool done =
      run_dnn(dw.device, problem, [&](cudnnHandle_t handle, ConvPlan& plan, void* memory) {
        if (!AMP_DNN_ACCEPTS(plan, cudnnConvolutionBackwardFilter, handle, one, plan.input, x.data,
                             plan.output, dy.data, plan.convolution,
                             static_cast<cudnnConvolutionBwdFilterAlgo_t>(plan.algorithm), memory,
                             plan.workspace, zero, plan.weight, dw.data))
          return false;
        if (!db.present) return true;
        const bool took_bias =
            plan.may_take_bias() && db.dtype == dy.dtype &&
            AMP_DNN_ACCEPTS_BIAS(plan, dy.device, *problem, cudnnConvolutionBackwardBias, handle,
                                 one, plan.output, dy.data, zero, plan.bias, db.data);
        if (!took_bias) conv2d_backward_bias(dy, db);
        return true;
      });
  if (done && !direct) copy({dw, args.grad_weight});
  return done;
}

inline constexpr ConvLibrary kDnnConvolutions{
    .conv2d = [](const Conv2dArgs& args) { return conv2d_by_dnn(args); },
    .conv2d_backward_input =
        [](const Conv2dBackwardInputArgs& args) { return conv2d_backward_input_by_dnn(args); },
    .conv2d_backward_weight =
        [](const Conv2dBackwardWeightArgs& args) { return conv2d_backward_weight_by_dnn(args); },
    .release =
        [](int device) {
          conv_plans(device).release();
          amp::cuda::detail::dnn_handles(device).release(device);
        },
};

}  // namespace amp::inline v0::kernels::cuda::detail

namespace amp::inline v0 {

namespace cuda::detail {
/// Registers cuDNN for the program's convolutions.
inline void enable_cudnn() {
  libraries().cudnn_version = [] { return static_cast<int>(cudnnGetVersion()); };
  process_state<kernels::cuda::detail::LinkedConvLibrary>().library =
      &kernels::cuda::detail::kDnnConvolutions;
}
}  // namespace cuda::detail

AMP_PROCESS_STATE(cuda::detail::AllDnnHandles);

}  // namespace amp::inline v0

#endif
