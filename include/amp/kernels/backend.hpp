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
#include "amp/kernels/scale_state.hpp"
#include "amp/kernels/signatures.hpp"

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

  Kernel<UnaryArgs> neg{"neg"}, abs{"abs"}, exp{"exp"}, log{"log"}, sqrt{"sqrt"}, tanh{"tanh"},
      sigmoid{"sigmoid"}, relu{"relu"};
  Kernel<BinaryArgs> add{"add"}, sub{"sub"}, mul{"mul"}, div{"div"}, pow{"pow"};
  Kernel<BinaryArgs> eq{"eq"}, ne{"ne"}, lt{"lt"}, le{"le"}, gt{"gt"}, ge{"ge"};
  Kernel<BinaryArgs> relu_backward{"relu_backward"};  // a = grad_output, b = output

  Kernel<ReduceArgs> sum{"sum"};
  Kernel<ArgmaxArgs> argmax{"argmax"};
  Kernel<MatmulArgs> matmul{"matmul"};
  Kernel<Conv2dArgs> conv2d{"conv2d"};
  Kernel<Conv2dBackwardInputArgs> conv2d_backward_input{"conv2d_backward_input"};
  Kernel<Conv2dBackwardWeightArgs> conv2d_backward_weight{"conv2d_backward_weight"};
  Kernel<MaxPool2dArgs> max_pool2d{"max_pool2d"};
  Kernel<MaxPool2dBackwardArgs> max_pool2d_backward{"max_pool2d_backward"};
  Kernel<SoftmaxArgs> softmax{"softmax"}, log_softmax{"log_softmax"};
  Kernel<SoftmaxBackwardArgs> softmax_backward{"softmax_backward"},
      log_softmax_backward{"log_softmax_backward"};
  Kernel<CrossEntropyArgs> cross_entropy{"cross_entropy"};
  Kernel<CrossEntropyBackwardArgs> cross_entropy_backward{"cross_entropy_backward"};
  Kernel<IndexSelectArgs> index_select{"index_select"};
  Kernel<IndexAddArgs> index_add{"index_add"};

  Kernel<UnscaleArgs> unscale{"unscale"};
  Kernel<UpdateScaleArgs> update_scale{"update_scale"};
  Kernel<GradNormArgs> grad_norm{"grad_norm"};
  Kernel<ClipArgs> clip{"clip"};
  Kernel<SgdArgs> sgd{"sgd"};
  Kernel<AdamArgs> adam{"adam"};
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
