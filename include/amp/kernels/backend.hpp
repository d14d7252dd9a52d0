// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A device other than the host is one Backend: a typed member per op. Host kernels need no table:
// they are called directly, so that a program pays only for the ops it uses.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "amp/core/globals.hpp"
#include "amp/kernels/batch_norm/args.hpp"
#include "amp/kernels/conv/args.hpp"
#include "amp/kernels/cross_entropy/args.hpp"
#include "amp/kernels/elementwise/args.hpp"
#include "amp/kernels/extremum/args.hpp"
#include "amp/kernels/indexing/args.hpp"
#include "amp/kernels/matmul/args.hpp"
#include "amp/kernels/norm/args.hpp"
#include "amp/kernels/optim/args.hpp"
#include "amp/kernels/pool/args.hpp"
#include "amp/kernels/random/args.hpp"
#include "amp/kernels/reduce/args.hpp"
#include "amp/kernels/softmax/args.hpp"
#include "amp/kernels/unscale/args.hpp"
#include "amp/kernels/unscale/scale_state.hpp"

namespace amp::inline v0::kernels {

/// A set of dtypes, as bits.
struct DTypeSet {
  std::uint32_t bits = 0;
  constexpr DTypeSet() = default;
  template <class... D>
  constexpr explicit DTypeSet(D... dtypes) : bits(((1u << static_cast<int>(dtypes)) | ... | 0u)) {}
  constexpr bool contains(DType dtype) const { return (bits >> static_cast<int>(dtype) & 1u) != 0; }
};

/// One op of a device: its launcher, null where missing, and the dtypes it takes.
template <class Args>
struct Kernel {
  std::string_view name;
  void (*run)(const Args&) = nullptr;
  DTypeSet dtypes = {};
};

struct Backend {
  Kernel<FillArgs> fill{"fill"};
  Kernel<RandomArgs> random{"random"};
  Kernel<UnaryArgs> copy{"copy"};

  Kernel<UnaryArgs> neg{"neg"}, abs{"abs"}, exp{"exp"}, log{"log"}, sqrt{"sqrt"}, rsqrt{"rsqrt"},
      tanh{"tanh"}, sigmoid{"sigmoid"}, relu{"relu"}, silu{"silu"}, gelu{"gelu"},
      gelu_tanh{"gelu_tanh"};
  // a = grad_output, b = what the derivative is a function of: the input, or the output
  Kernel<BinaryArgs> abs_backward{"abs_backward"}, sqrt_backward{"sqrt_backward"},
      rsqrt_backward{"rsqrt_backward"}, tanh_backward{"tanh_backward"},
      sigmoid_backward{"sigmoid_backward"}, relu_backward{"relu_backward"},
      silu_backward{"silu_backward"}, gelu_backward{"gelu_backward"},
      gelu_tanh_backward{"gelu_tanh_backward"};
  Kernel<BinaryArgs> add{"add"}, sub{"sub"}, mul{"mul"}, div{"div"}, pow{"pow"}, maximum{"maximum"},
      minimum{"minimum"};
  Kernel<BinaryArgs> pow_slope_base{"pow_slope_base"}, pow_slope_exponent{"pow_slope_exponent"},
      maximum_share{"maximum_share"};
  Kernel<BinaryArgs> eq{"eq"}, ne{"ne"}, lt{"lt"}, le{"le"}, gt{"gt"}, ge{"ge"};
  Kernel<WhereArgs> where{"where"};
  Kernel<DropoutArgs> dropout{"dropout"};

  Kernel<ReduceArgs> sum{"sum"};
  Kernel<ExtremumArgs> max{"max"}, min{"min"};
  Kernel<ExtremumBackwardArgs> extremum_backward{"extremum_backward"};
  Kernel<MatmulArgs> matmul{"matmul"};
  Kernel<Conv2dArgs> conv2d{"conv2d"};
  Kernel<Conv2dBackwardInputArgs> conv2d_backward_input{"conv2d_backward_input"};
  Kernel<Conv2dBackwardWeightArgs> conv2d_backward_weight{"conv2d_backward_weight"};
  Kernel<MaxPool2dArgs> max_pool2d{"max_pool2d"};
  Kernel<MaxPool2dBackwardArgs> max_pool2d_backward{"max_pool2d_backward"};
  Kernel<AvgPool2dArgs> avg_pool2d{"avg_pool2d"};
  Kernel<AvgPool2dBackwardArgs> avg_pool2d_backward{"avg_pool2d_backward"};
  Kernel<NormArgs> norm{"norm"};
  Kernel<NormBackwardArgs> norm_backward{"norm_backward"};
  Kernel<BatchNormArgs> batch_norm{"batch_norm"};
  Kernel<BatchNormBackwardArgs> batch_norm_backward{"batch_norm_backward"};
  Kernel<SoftmaxArgs> softmax{"softmax"}, log_softmax{"log_softmax"};
  Kernel<SoftmaxBackwardArgs> softmax_backward{"softmax_backward"},
      log_softmax_backward{"log_softmax_backward"};
  Kernel<CrossEntropyArgs> cross_entropy{"cross_entropy"};
  Kernel<CrossEntropyBackwardArgs> cross_entropy_backward{"cross_entropy_backward"};
  Kernel<BinaryArgs> squared_error{"squared_error"},
      binary_cross_entropy_with_logits{"binary_cross_entropy_with_logits"},
      binary_cross_entropy_slope{"binary_cross_entropy_slope"};
  Kernel<IndexSelectArgs> index_select{"index_select"};
  Kernel<IndexAddArgs> index_add{"index_add"};

  Kernel<UnscaleArgs> unscale{"unscale"};
  Kernel<UpdateScaleArgs> update_scale{"update_scale"};
  Kernel<GradNormArgs> grad_norm{"grad_norm"};
  Kernel<ClipArgs> clip{"clip"};
  Kernel<SgdArgs> sgd{"sgd"};
  Kernel<AdamArgs> adam{"adam"};

  /// Enqueues *to = value.
  void (*store_rng_state)(Device device, RngState* to, RngState value) = nullptr;
  /// Gives back what the kernels' libraries keep of a device: handles, workspaces and plans. Waits
  /// for the device.
  void (*release)(int device) noexcept = nullptr;
};

struct AMP_EXPORT BackendState {
  std::atomic<const Backend*> backends[kDeviceTypeCount] = {};
};

/// The backend of a device type; null for the host, and where none is part of the program.
inline const Backend* backend(DeviceType type) {
  return process_state<BackendState>().backends[static_cast<std::size_t>(type)].load(
      std::memory_order_acquire);
}

/// Idempotent: the first registration stays.
inline void register_backend(DeviceType type, const Backend* backend) {
  const Backend* expected = nullptr;
  process_state<BackendState>().backends[static_cast<std::size_t>(type)].compare_exchange_strong(
      expected, backend);
}

}  // namespace amp::inline v0::kernels
