// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// In which precision each op runs under autocast.
//
// Meaning: each op has a policy, which says how its tensors are cast. Tensors are cast if they are
// floating point, not float64, and on a device with an enabled scope; no others are. Dtypes: the
// comments of OpPolicy say the dtype of the result. A cast is differentiable: gradients return in
// the dtype of what was cast. Determinism: a policy does not depend on the order of arguments.
// kPromote never fails, whatever dtypes meet. kBanned throws for float32 inputs too, as in PyTorch:
// the call is refused in the place where it stands, and not only once its input has 16 bits. To
// change a policy: for one scope, AutocastOptions::policies; for the process, or for your own op,
// register_op. AutocastOptions::policies with an unknown name throws amp::Error, which suggests the
// nearest name.
//
// ```cpp
// amp::register_op("my_attention", amp::OpPolicy::kLowPrecision);
// const amp::Tensor q = amp::randn({4, 8});
// const amp::AutocastGuard autocast(
//     amp::kCPU, {.policies = {{"softmax", amp::OpPolicy::kFloat32Math}}});
// const amp::Tensor y = amp::autocast_call("my_attention", [](const amp::Tensor& x) {
//   return amp::matmul(amp::softmax(amp::matmul(x, x.t()), -1), x);
// }, q);
// assert(y.dtype() == amp::kBFloat16);
// ```
//
// Source: PyTorch 2.15, aten/src/ATen/autocast_mode.h, the list for CUDA; here for all devices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "amp/core/config.hpp"

namespace amp::inline v0 {

/// In which precision an op runs inside an autocast scope.
enum class OpPolicy : std::uint8_t {
  kLowPrecision,  ///< inputs cast to the scope's dtype, and so the result
  kFloat32,       ///< inputs cast to float32, float32 result
  kFloat32Math,   ///< computed in float32, the result rounded to the input's dtype
  kPromote,       ///< inputs cast to the widest dtype among them
  kPassthrough,   ///< inputs as they are
  kBanned,        ///< refused: throws if autocast could cast an input
};

/// The rule that decided the policy of an op.
enum class PolicyRule : std::uint8_t {
  kNoScope,           ///< no autocast scope is open: nothing is cast
  kList,              ///< the op list
  kRegistered,        ///< register_op
  kScope,             ///< AutocastOptions::policies of a scope, by the op's name
  kModule,            ///< the same, by the path of a module
  kOnlyLowPrecision,  ///< AutocastOptions::only_low_precision
};

namespace autocasting {

/// An op and its policy. `instead` says what to call in the place of one that is banned.
struct ListedOp {
  std::string_view name;
  OpPolicy policy;
  std::string_view instead = {};
};

inline constexpr ListedOp kOpList[] = {
    // Matmuls: tensor cores multiply 16-bit operands and accumulate in float32.
    {"matmul", OpPolicy::kLowPrecision},
    {"bmm", OpPolicy::kLowPrecision},
    {"mm", OpPolicy::kLowPrecision},
    {"mv", OpPolicy::kLowPrecision},
    {"addmm", OpPolicy::kLowPrecision},
    {"addmv", OpPolicy::kLowPrecision},
    {"addr", OpPolicy::kLowPrecision},
    {"addbmm", OpPolicy::kLowPrecision},
    {"baddbmm", OpPolicy::kLowPrecision},
    {"einsum", OpPolicy::kLowPrecision},
    {"chain_matmul", OpPolicy::kLowPrecision},
    {"linalg_multi_dot", OpPolicy::kLowPrecision},
    {"linalg_vecdot", OpPolicy::kLowPrecision},
    {"linear", OpPolicy::kLowPrecision},
    {"feed_forward", OpPolicy::kLowPrecision},
    {"conv1d", OpPolicy::kLowPrecision},
    {"conv2d", OpPolicy::kLowPrecision},
    {"conv3d", OpPolicy::kLowPrecision},
    {"conv_tbc", OpPolicy::kLowPrecision},
    {"conv_transpose1d", OpPolicy::kLowPrecision},
    {"conv_transpose2d", OpPolicy::kLowPrecision},
    {"conv_transpose3d", OpPolicy::kLowPrecision},
    {"prelu", OpPolicy::kLowPrecision},
    {"scaled_dot_product_attention", OpPolicy::kLowPrecision},
    {"lstm_cell", OpPolicy::kLowPrecision},
    {"gru_cell", OpPolicy::kLowPrecision},
    {"rnn_tanh_cell", OpPolicy::kLowPrecision},
    {"rnn_relu_cell", OpPolicy::kLowPrecision},
    {"lstm", OpPolicy::kLowPrecision},
    {"gru", OpPolicy::kLowPrecision},
    {"rnn_tanh", OpPolicy::kLowPrecision},
    {"rnn_relu", OpPolicy::kLowPrecision},
    // Functions that leave the range of 16 bits, or whose small differences matter.
    {"acos", OpPolicy::kFloat32},
    {"asin", OpPolicy::kFloat32},
    {"cosh", OpPolicy::kFloat32},
    {"erfinv", OpPolicy::kFloat32},
    {"exp", OpPolicy::kFloat32},
    {"expm1", OpPolicy::kFloat32},
    {"log", OpPolicy::kFloat32},
    {"log10", OpPolicy::kFloat32},
    {"log1p", OpPolicy::kFloat32},
    {"log2", OpPolicy::kFloat32},
    {"pow", OpPolicy::kFloat32},
    {"rsqrt", OpPolicy::kFloat32},
    {"reciprocal", OpPolicy::kFloat32},  // also the policy of number / x
    {"sinh", OpPolicy::kFloat32},
    {"softplus", OpPolicy::kFloat32},
    {"square", OpPolicy::kFloat32},
    {"tan", OpPolicy::kFloat32},
    {"softmax", OpPolicy::kFloat32},
    {"log_softmax", OpPolicy::kFloat32},
    {"softmin", OpPolicy::kFloat32},
    {"gumbel_softmax", OpPolicy::kFloat32},
    {"layer_norm", OpPolicy::kFloat32},
    {"rms_norm", OpPolicy::kFloat32},
    {"group_norm", OpPolicy::kFloat32},
    {"cross_entropy", OpPolicy::kFloat32},
    {"nll_loss", OpPolicy::kFloat32},
    {"mse_loss", OpPolicy::kFloat32},
    {"binary_cross_entropy_with_logits", OpPolicy::kFloat32},
    {"l1_loss", OpPolicy::kFloat32},
    {"smooth_l1_loss", OpPolicy::kFloat32},
    {"huber_loss", OpPolicy::kFloat32},
    {"kl_div", OpPolicy::kFloat32},
    {"soft_margin_loss", OpPolicy::kFloat32},
    {"multilabel_soft_margin_loss", OpPolicy::kFloat32},
    {"hinge_embedding_loss", OpPolicy::kFloat32},
    {"poisson_nll_loss", OpPolicy::kFloat32},
    {"gaussian_nll_loss", OpPolicy::kFloat32},
    {"margin_ranking_loss", OpPolicy::kFloat32},
    {"multi_margin_loss", OpPolicy::kFloat32},
    {"multilabel_margin_loss", OpPolicy::kFloat32},
    {"cosine_embedding_loss", OpPolicy::kFloat32},
    {"triplet_margin_loss", OpPolicy::kFloat32},
    {"sum", OpPolicy::kFloat32},
    {"prod", OpPolicy::kFloat32},
    {"cumsum", OpPolicy::kFloat32},
    {"cumprod", OpPolicy::kFloat32},
    {"logsumexp", OpPolicy::kFloat32},
    {"interpolate", OpPolicy::kFloat32},
    {"norm", OpPolicy::kFloat32},
    {"normalize", OpPolicy::kFloat32},
    {"linalg_vector_norm", OpPolicy::kFloat32},
    {"linalg_matrix_norm", OpPolicy::kFloat32},
    {"dist", OpPolicy::kFloat32},
    {"pdist", OpPolicy::kFloat32},
    {"cdist", OpPolicy::kFloat32},
    {"cosine_similarity", OpPolicy::kFloat32},
    {"pairwise_distance", OpPolicy::kFloat32},  // of torch it is the norm of the difference
    {"renorm", OpPolicy::kFloat32},
    // Ops of several tensors that are computed in the widest of their dtypes.
    {"atan2", OpPolicy::kPromote},
    {"addcmul", OpPolicy::kPromote},
    {"addcdiv", OpPolicy::kPromote},
    {"dot", OpPolicy::kPromote},
    {"vdot", OpPolicy::kPromote},
    {"tensordot", OpPolicy::kPromote},
    {"cross", OpPolicy::kPromote},
    {"bilinear", OpPolicy::kPromote},
    {"index_put", OpPolicy::kPromote},
    {"scatter_add", OpPolicy::kPromote},
    {"grid_sample", OpPolicy::kPromote},
    // Their gradients leave the range of 16 bits.
    {"binary_cross_entropy", OpPolicy::kBanned,
     "combine the sigmoid before it and this loss into binary_cross_entropy_with_logits, which is "
     "safe"},
    // Ops as precise in 16 bits as their inputs are; mixed dtypes are promoted as outside a scope.
    {"add", OpPolicy::kPassthrough},
    {"sub", OpPolicy::kPassthrough},
    {"mul", OpPolicy::kPassthrough},
    {"div", OpPolicy::kPassthrough},
    {"lerp", OpPolicy::kPassthrough},
    {"rotary_embedding", OpPolicy::kPassthrough},
    {"outer", OpPolicy::kPassthrough},
    {"kron", OpPolicy::kPassthrough},
    {"neg", OpPolicy::kPassthrough},
    {"abs", OpPolicy::kPassthrough},
    {"atan", OpPolicy::kPassthrough},
    {"ceil", OpPolicy::kPassthrough},
    {"cos", OpPolicy::kPassthrough},
    {"erf", OpPolicy::kPassthrough},
    {"floor", OpPolicy::kPassthrough},
    {"fmod", OpPolicy::kPassthrough},
    {"remainder", OpPolicy::kPassthrough},
    {"round", OpPolicy::kPassthrough},
    {"sign", OpPolicy::kPassthrough},
    {"sin", OpPolicy::kPassthrough},
    {"trunc", OpPolicy::kPassthrough},
    {"sqrt", OpPolicy::kPassthrough},
    {"tanh", OpPolicy::kPassthrough},
    {"sigmoid", OpPolicy::kPassthrough},
    {"relu", OpPolicy::kPassthrough},
    {"gelu", OpPolicy::kPassthrough},
    {"silu", OpPolicy::kPassthrough},
    {"celu", OpPolicy::kPassthrough},
    {"elu", OpPolicy::kPassthrough},
    {"hardsigmoid", OpPolicy::kPassthrough},
    {"hardswish", OpPolicy::kPassthrough},
    {"hardtanh", OpPolicy::kPassthrough},
    {"leaky_relu", OpPolicy::kPassthrough},
    {"logsigmoid", OpPolicy::kPassthrough},
    {"mish", OpPolicy::kPassthrough},
    {"relu6", OpPolicy::kPassthrough},
    {"selu", OpPolicy::kPassthrough},
    {"softshrink", OpPolicy::kPassthrough},
    {"softsign", OpPolicy::kPassthrough},
    {"hardshrink", OpPolicy::kPassthrough},
    {"tanhshrink", OpPolicy::kPassthrough},
    {"threshold", OpPolicy::kPassthrough},
    {"rrelu", OpPolicy::kPassthrough},
    {"glu", OpPolicy::kPassthrough},
    {"ctc_loss", OpPolicy::kPassthrough},
    {"mean", OpPolicy::kPassthrough},
    {"var", OpPolicy::kPassthrough},
    {"std", OpPolicy::kPassthrough},
    {"var_mean", OpPolicy::kPassthrough},
    {"std_mean", OpPolicy::kPassthrough},
    {"max", OpPolicy::kPassthrough},
    {"min", OpPolicy::kPassthrough},
    {"amax", OpPolicy::kPassthrough},
    {"amin", OpPolicy::kPassthrough},
    {"maximum", OpPolicy::kPassthrough},
    {"minimum", OpPolicy::kPassthrough},
    {"argmax", OpPolicy::kPassthrough},
    {"aminmax", OpPolicy::kPassthrough},
    {"argmin", OpPolicy::kPassthrough},
    {"any", OpPolicy::kPassthrough},
    {"all", OpPolicy::kPassthrough},
    {"count_nonzero", OpPolicy::kPassthrough},
    {"sort", OpPolicy::kPassthrough},
    {"argsort", OpPolicy::kPassthrough},
    {"msort", OpPolicy::kPassthrough},
    {"topk", OpPolicy::kPassthrough},
    {"kthvalue", OpPolicy::kPassthrough},
    {"median", OpPolicy::kPassthrough},
    {"quantile", OpPolicy::kPassthrough},
    {"searchsorted", OpPolicy::kPassthrough},
    {"bucketize", OpPolicy::kPassthrough},
    {"histc", OpPolicy::kPassthrough},
    {"unique", OpPolicy::kPassthrough},
    {"unique_consecutive", OpPolicy::kPassthrough},
    {"logcumsumexp", OpPolicy::kPassthrough},
    {"cummax", OpPolicy::kPassthrough},
    {"cummin", OpPolicy::kPassthrough},
    {"batch_norm", OpPolicy::kPassthrough},
    {"instance_norm", OpPolicy::kPassthrough},
    {"max_pool1d", OpPolicy::kPassthrough},
    {"max_pool1d_with_indices", OpPolicy::kPassthrough},
    {"avg_pool1d", OpPolicy::kPassthrough},
    {"max_pool2d", OpPolicy::kPassthrough},
    {"max_pool2d_with_indices", OpPolicy::kPassthrough},
    {"avg_pool2d", OpPolicy::kPassthrough},
    {"max_pool3d", OpPolicy::kPassthrough},
    {"max_pool3d_with_indices", OpPolicy::kPassthrough},
    {"avg_pool3d", OpPolicy::kPassthrough},
    {"adaptive_avg_pool1d", OpPolicy::kPassthrough},
    {"adaptive_max_pool1d", OpPolicy::kPassthrough},
    {"adaptive_max_pool1d_with_indices", OpPolicy::kPassthrough},
    {"adaptive_avg_pool2d", OpPolicy::kPassthrough},
    {"adaptive_max_pool2d", OpPolicy::kPassthrough},
    {"adaptive_max_pool2d_with_indices", OpPolicy::kPassthrough},
    {"adaptive_avg_pool3d", OpPolicy::kPassthrough},
    {"adaptive_max_pool3d", OpPolicy::kPassthrough},
    {"adaptive_max_pool3d_with_indices", OpPolicy::kPassthrough},
    {"unfold", OpPolicy::kPassthrough},
    {"fold", OpPolicy::kPassthrough},
    {"affine_grid", OpPolicy::kPassthrough},
    {"dropout", OpPolicy::kPassthrough},
    {"dropout_add", OpPolicy::kPassthrough},
    {"embedding", OpPolicy::kPassthrough},
    {"index_select", OpPolicy::kPassthrough},
    {"gather", OpPolicy::kPassthrough},
    {"take_along_dim", OpPolicy::kPassthrough},
    {"take", OpPolicy::kPassthrough},
    {"index", OpPolicy::kPassthrough},
    {"scatter", OpPolicy::kPassthrough},
    {"scatter_reduce", OpPolicy::kPassthrough},
    {"index_add", OpPolicy::kPassthrough},
    {"index_copy", OpPolicy::kPassthrough},
    {"index_fill", OpPolicy::kPassthrough},
    {"nonzero", OpPolicy::kPassthrough},
    {"argwhere", OpPolicy::kPassthrough},
    {"masked_select", OpPolicy::kPassthrough},
    {"masked_scatter", OpPolicy::kPassthrough},
    {"repeat_interleave", OpPolicy::kPassthrough},
    {"bincount", OpPolicy::kPassthrough},
    {"cat", OpPolicy::kPassthrough},
    {"stack", OpPolicy::kPassthrough},
    {"pack_padded_sequence", OpPolicy::kPassthrough},
    {"pad_packed_sequence", OpPolicy::kPassthrough},
    {"pad_sequence", OpPolicy::kPassthrough},
    {"where", OpPolicy::kPassthrough},
    {"flip", OpPolicy::kPassthrough},
    {"fliplr", OpPolicy::kPassthrough},
    {"flipud", OpPolicy::kPassthrough},
    {"roll", OpPolicy::kPassthrough},
    {"rot90", OpPolicy::kPassthrough},
    {"pad", OpPolicy::kPassthrough},
    {"repeat", OpPolicy::kPassthrough},
    {"tile", OpPolicy::kPassthrough},
    {"pixel_shuffle", OpPolicy::kPassthrough},
    {"pixel_unshuffle", OpPolicy::kPassthrough},
    {"channel_shuffle", OpPolicy::kPassthrough},
    {"tril", OpPolicy::kPassthrough},
    {"triu", OpPolicy::kPassthrough},
    {"trace", OpPolicy::kPassthrough},
    {"diag", OpPolicy::kPassthrough},
    {"diag_embed", OpPolicy::kPassthrough},
    {"diff", OpPolicy::kPassthrough},
    {"masked_fill", OpPolicy::kPassthrough},
    {"clamp", OpPolicy::kPassthrough},
    {"hstack", OpPolicy::kPassthrough},
    {"vstack", OpPolicy::kPassthrough},
    {"dstack", OpPolicy::kPassthrough},
    {"cartesian_prod", OpPolicy::kPassthrough},
    {"eq", OpPolicy::kPassthrough},
    {"ne", OpPolicy::kPassthrough},
    {"lt", OpPolicy::kPassthrough},
    {"le", OpPolicy::kPassthrough},
    {"gt", OpPolicy::kPassthrough},
    {"ge", OpPolicy::kPassthrough},
    {"isfinite", OpPolicy::kPassthrough},
    {"isinf", OpPolicy::kPassthrough},
    {"isnan", OpPolicy::kPassthrough},
    {"isclose", OpPolicy::kPassthrough},
    {"isin", OpPolicy::kPassthrough},
    {"logical_and", OpPolicy::kPassthrough},
    {"logical_not", OpPolicy::kPassthrough},
    {"logical_or", OpPolicy::kPassthrough},
    {"logical_xor", OpPolicy::kPassthrough},
};
inline constexpr int kListedOps = static_cast<int>(sizeof(kOpList) / sizeof(kOpList[0]));
inline constexpr int kMaxOps = 511;  // listed and registered ones

/// Whether the list has an op of that name.
constexpr bool is_listed(std::string_view name) {
  for (const ListedOp& op : kOpList) {
    if (op.name == name) return true;
  }
  return false;
}

/// An op by its index in the list, by which policies are looked up. An unknown name does not
/// compile.
struct OpId {
  std::uint16_t index;
  /// Of a listed op, by its name; another name does not compile.
  consteval OpId(const char* name) : index(0) {
    while (kOpList[index].name != name) ++index;
  }
  /// Of an op that was registered, by its number.
  constexpr explicit OpId(int registered) : index(static_cast<std::uint16_t>(registered)) {}
  /// The name of a listed op.
  constexpr std::string_view name() const { return kOpList[index].name; }
};

}  // namespace autocasting
}  // namespace amp::inline v0
