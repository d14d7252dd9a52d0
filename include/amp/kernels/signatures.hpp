// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The contract that every device meets: one argument struct per op. Outputs are allocated by the
// caller and do not overlap inputs unless said otherwise. Floating-point kernels take each operand
// in its own dtype, compute in float32 (float64 where an operand is float64) and round once when
// they store.
#pragma once

#include <cstdint>
#include <string_view>

#include "amp/core/config.hpp"
#include "amp/kernels/gradients.hpp"
#include "amp/kernels/kept_table.hpp"
#include "amp/kernels/lines.hpp"
#include "amp/kernels/operand.hpp"
#include "amp/kernels/packed_copies.hpp"
#include "amp/kernels/philox.hpp"
#include "amp/kernels/schedule.hpp"
#include "amp/kernels/weight_storage.hpp"

namespace amp::inline v0 {

/// How a loss is reduced over its elements.
enum class Reduction : std::uint8_t { kNone, kMean, kSum };
using enum Reduction;

/// What an optimizer applies to its gradients while it steps: device pointers, read on the current
/// stream. Each gradient counts as g * *inverse * *clip, and nothing changes where *found_inf != 0.
/// Null stands for 1, 0 and 1.
struct GradScale {
  const float* inverse = nullptr;
  const float* found_inf = nullptr;
  const float* clip = nullptr;
  const float* inverse_low_precision =
      nullptr;  // for 16-bit gradients, where it differs: unscale_ leaves them scaled
  const double* clip_float64 = nullptr;  // the same as *clip before it was rounded, where that may
                                         // be too small for float32: a gradient is float64
};

namespace kernels {

/// output = value
struct FillArgs {
  Operand output;
  double value;
};

enum class Distribution : std::uint8_t { kUniform, kNormal };
/// output[i] drawn from [0, 1) or N(0, 1): a pure function of the range's begin and i.
struct RandomArgs {
  Operand output;
  Distribution distribution;
  RandomRange range;
};

/// output[i] = f(input[i]). Of equal shapes; `output` may be `input`.
struct UnaryArgs {
  Operand input, output;
};

/// output[i] = f(a[i], b[i]). a and b broadcast to the shape of the output, which may be one of
/// them. Comparisons store bool.
struct BinaryArgs {
  Operand a, b, output;
};

/// output[i] = condition[i] ? a[i] : b[i]. All broadcast to the shape of the output; condition is
/// bool.
struct WhereArgs {
  Operand condition, a, b, output;
};

/// output[i] = residual[i] + (0 with probability p, else input[i] / (1 - p)), decided by element i
/// of the uniform stream as in RandomArgs. An absent residual is 0. Contiguous; `output` may be
/// either.
struct DropoutArgs {
  Operand input, residual, output;
  double p;
  RandomRange range;
};

/// output = scale * sum of input over the dimensions in which output has extent 1 (of equal rank).
struct ReduceArgs {
  Operand input, output;
  double scale;
};

/// The first maximum (minimum) of input, which may have any strides, over `dim`, in which values
/// and indices (int64) have extent 1; NaN counts as such. With kAllDims, over all elements: values
/// and indices have one, and this is the position in row-major order. `values` may be absent; both
/// are contiguous. No copy of the input is made.
struct ExtremumArgs {
  Operand input, values, indices;
  int dim;
};
/// grad_input[..., indices[...], ...] = grad_output, 0 elsewhere. All contiguous; kAllDims as
/// above.
struct ExtremumBackwardArgs {
  Operand grad_output, indices, grad_input;
  int dim;
};

/// What becomes of a product h before it is stored. The slope of an activation is kept where the
/// derivative will ask for it, in `slope`: for relu a bit per element, whether the output is
/// anything else than 0 (NaN is, and stays NaN), that of column j being bit j % 8 of byte j / 8 of
/// uint8 rows [M, relu_bytes(N)]; for gelu (tanh form) h itself, in the dtype of the output.
enum class Epilogue : std::uint8_t {
  kNone,          // output = h
  kRelu,          // output = max(h, 0); writes slope
  kGelu,          // output = gelu(h); writes slope
  kReluBackward,  // output = h * relu'(slope)
  kGeluBackward,  // output = h * gelu'(slope)
};
/// A row of relu's bits.
AMP_HOST_DEVICE constexpr std::int64_t relu_bytes(std::int64_t columns) {
  return (columns + 7) / 8;
}

/// output[b] = epilogue(a[b] @ b[b] + bias), for a [B, M, K], b [B, K, N], output [B, M, N], bias
/// [N] or absent; any strides, B broadcasts by stride 0. Accumulated in float32 (float64 for
/// float64), rounded once. With an epilogue B is 1, and slope [1, M, N], or [1, M, relu_bytes(N)],
/// is contiguous. Where present, with B = 1, column_sums [N] are those of the output, row_sums [M]
/// those of `a`, in any dtype; a sum may be taken before or after the rounding of what it sums.
struct MatmulArgs {
  Operand a, b, bias, output;
  Epilogue epilogue = Epilogue::kNone;
  Operand slope = {}, column_sums = {}, row_sums = {};
};

struct Window2d {
  std::int64_t kernel[2], stride[2], padding[2], dilation[2];
};

/// Cross-correlation of input [N, C, H, W] with weight [O, C / groups, KH, KW]; bias [O] or absent;
/// with `relu`, max(that, 0). Rounded once. All contiguous, but with `channels_last` the
/// activations and their gradients lie in the order N, H, W, C.
struct Conv2dArgs {
  Operand input, weight, bias, output;
  Window2d window;
  std::int64_t groups;
  bool relu = false;
  bool channels_last = false;
  PackedAt packed = {};  // where the weight may be kept in another order
};
struct Conv2dBackwardInputArgs {
  Operand grad_output, weight, grad_input;
  Window2d window;
  std::int64_t groups;
  bool channels_last = false;
  PackedAt packed = {};
};
/// grad_bias absent where the convolution had no bias. Both may be wider than what they are
/// computed from; a library may round the first to the dtype of that.
struct Conv2dBackwardWeightArgs {
  Operand grad_output, input, grad_weight, grad_bias;
  Window2d window;
  std::int64_t groups;
  bool channels_last = false;
};

/// Maximum over windows of input [N, C, H, W]; indices (int32) are positions h * W + w in the
/// plane. All contiguous, or, on the host, all channels-last.
struct MaxPool2dArgs {
  Operand input, output, indices;
  Window2d window;
};
struct MaxPool2dBackwardArgs {
  Operand grad_output, indices, grad_input;
  Window2d window;
};

/// Sums of the same windows times `scale`; padding counts as 0. The same orders.
struct AvgPool2dArgs {
  Operand input, output;
  Window2d window;
  double scale;
};
struct AvgPool2dBackwardArgs {
  Operand grad_output, grad_input;
  Window2d window;
  double scale;
};

/// Each row of input [R, L] normalised on its own, x^ = (x - mean) * rstd, then scaled and shifted:
///   output = x^ * weight + bias,   rstd = 1 / sqrt(variance + eps)
/// Weight and bias (absent: 1 and 0) repeat every `groups` rows and every `inner` elements: element
/// j of row r has the parameter (r % groups) * (L / inner) + j / inner. Not `centered`: mean is 0.
/// mean and rstd [R] are float32 (float64 for float64 inputs). All contiguous.
struct NormArgs {
  Operand input, weight, bias, output, mean, rstd;
  std::int64_t groups, inner;
  double eps;
  bool centered;
};
/// The gradients of what is present; grad_weight and grad_bias are summed before they are rounded.
struct NormBackwardArgs {
  Operand grad_output, input, weight, mean, rstd, grad_input, grad_weight, grad_bias;
  std::int64_t groups, inner;
  bool centered;
};

/// The same over the channels of input [N, C, I], each one row of N * I elements. `training`: with
/// the batch's mean and variance, and running = (1 - momentum) * running + momentum * batch's (the
/// variance with Bessel's correction) where running_mean and running_var are present; else with the
/// running ones. mean and rstd [C] are what was used. All contiguous, or, on the host, [N, C, I] in
/// the order N, I, C.
struct BatchNormArgs {
  Operand input, weight, bias, running_mean, running_var, output, mean, rstd;
  double momentum, eps;
  bool training;
};
struct BatchNormBackwardArgs {
  Operand grad_output, input, weight, mean, rstd, grad_input, grad_weight, grad_bias;
  bool training;
};

/// Over `dim`, the others being independent. Contiguous.
struct SoftmaxArgs {
  Operand input, output;
  int dim;
};
struct SoftmaxBackwardArgs {
  Operand grad_output, output, grad_input;
  int dim;
};

/// output = softmax(scale * query key^T + mask) value, for query [..., L, E], key [..., S, E],
/// value [..., S, V], output [..., L, V]: any strides, equal leading dimensions, nothing empty.
/// `mask`
/// [..., L, S], which may be absent, is bool, true where a query may look, or floating point; -inf
/// and NaN are where it may not. `causal`: query i looks at the keys up to i. What sees nothing
/// becomes 0. statistics [..., L, 2], contiguous float32 (float64 for float64), are the largest
/// score of a query and the reciprocal of its sum of exp(score - largest). The scale is positive.
struct AttentionArgs {
  Operand query, key, value, mask, output, statistics;
  double scale;
  bool causal;
};
/// The gradients of what is present, of any strides without overlap. `output` and `statistics` are
/// what forward wrote.
struct AttentionBackwardArgs {
  Operand grad_output, query, key, value, mask, output, statistics;
  Operand grad_query, grad_key, grad_value;
  double scale;
  bool causal;
};

/// logits [N, C, ...], or log-probabilities (`normalized`: nll_loss), targets [N, ...] int64, class
/// weights [C] or absent; contiguous. losses and log_sum, the logarithm of the sum of exp(x - max
/// x), have the shape of targets and are float32 (float64 for float64 logits), as are the
/// one-element total_weight, the summed weight of the targets that are not ignore_index. Writes
/// losses always; loss, one element of any dtype, where the reduction is not kNone.
struct CrossEntropyArgs {
  Operand logits, targets, weight, losses, log_sum, total_weight, loss;
  std::int64_t ignore_index;
  double label_smoothing;
  Reduction reduction;
  bool normalized;
};
/// grad_output has one element, or the shape of targets where the reduction is kNone.
struct CrossEntropyBackwardArgs {
  Operand grad_output, logits, targets, weight, log_sum, total_weight, grad_logits;
  std::int64_t ignore_index;
  double label_smoothing;
  Reduction reduction;
  bool normalized;
};

/// output[..., i, ...] = input[..., index[i], ...]. Contiguous, index [n] int64 or int32.
/// `subject` begins the message about an index out of range: the op and its argument.
struct IndexSelectArgs {
  Operand input, index, output;
  int dim;
  std::string_view subject;
};
/// output[..., index[i], ...] = sum over i of source[..., i, ...]; output is written whole.
struct IndexAddArgs {
  Operand source, index, output;
  int dim;
  std::string_view subject;
};

// --- training steps over many tensors: one call, so that a device can do it in one launch
// -------------------------------------

/// Copies of a weight that a step keeps equal to it, rounded. Null where there is none.
struct LowPrecisionCopies {
  void* float16 = nullptr;
  void* bfloat16 = nullptr;

  friend bool operator==(const LowPrecisionCopies&, const LowPrecisionCopies&) = default;
};

struct SgdParameter {
  void* parameter;
  void* gradient;
  void* momentum;  // null where the momentum is 0
  std::int64_t numel;
  DType dtype;           // of the parameter
  DType gradient_dtype;  // of the gradient
  LowPrecisionCopies copies = {};
  DType state_dtype = dtype;  // of the momentum
  StoredWeight weight = {};

  friend bool operator==(const SgdParameter&, const SgdParameter&) = default;
};
struct SgdGroup {
  const SgdParameter* parameters = nullptr;
  std::int64_t count = 0;
  LearningRate lr;
  double momentum, weight_decay;
  bool nesterov;
  bool zero_grad = false;  // gradients are 0 afterwards, those of a step left out as well
  std::uint64_t seed = 0;  // of what is rounded stochastically
};
/// A step of all groups, taken whole: where the kernel throws, nothing was written.
struct SgdArgs {
  Device device;
  const SgdGroup* groups;
  std::int64_t count;
  std::int64_t* applied;  // on the device: the steps taken before, to which this one is added
  GradScale scale;
  KeptTable* table = nullptr;
};

struct AdamParameter {
  void* parameter;
  void* gradient;
  void *exp_avg, *exp_avg_sq;
  std::int64_t* step;  // applied steps of this parameter, to which this one is added
  std::int64_t numel;
  DType dtype;
  DType gradient_dtype;
  LowPrecisionCopies copies = {};
  DType state_dtype = dtype;  // of both moments
  StoredWeight weight = {};

  friend bool operator==(const AdamParameter&, const AdamParameter&) = default;
};
struct AdamGroup {
  const AdamParameter* parameters = nullptr;
  std::int64_t count = 0;
  LearningRate lr;
  double beta1, beta2, eps, weight_decay;
  bool decoupled;  // AdamW
  bool zero_grad = false;
  bool stochastic_squares = false;  // rounds exp_avg_sq so, where that is bfloat16
  std::uint64_t seed = 0;
};
/// As SgdArgs.
struct AdamArgs {
  Device device;
  const AdamGroup* groups;
  std::int64_t count;
  std::int64_t* applied;
  GradScale scale;
  KeptTable* table = nullptr;
};

}  // namespace kernels
}  // namespace amp::inline v0
