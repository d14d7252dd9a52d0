// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include "amp/autocast/convert.hpp"
#include "amp/autograd/function.hpp"
#include "amp/autograd/observer.hpp"
#include "amp/tensor/cast_cache.hpp"
#include "amp/tensor/layout.hpp"

namespace amp::inline v0::autocasting {

/// Records that `result` is `tensor` in another dtype: its gradient returns in the tensor's own. If
/// a float32 tensor was cast to 16 bits, the gradient is computed in float32: no op rounds it to 16
/// bits on the way, as torch does, so that it overflows later, and a loss scale may stay while
/// torch's backs off.
AMP_INLINE Tensor with_cast_history(const Tensor& result, const Tensor& tensor) {
  if (is_floating_point(result.dtype()) && autograd::recording(tensor)) {
    autograd::record(
        "to", result,
        [](const Tensor& grad, const autograd::Needs<1>&) -> autograd::Gradients<1> {
          return {grad};  // the engine converts it if its dtype is not that of the tensor
        },
        tensor);
    if (tensor.dtype() == kFloat32 && is_low_precision(result.dtype()))
      autograd::node_of(result)->want_gradient_in(kFloat32);
  }
  return result;
}

AMP_COLD void announce(CastKind kind, const Tensor& tensor, const Tensor& result) {
  autograd::announce_cast({tensor.dtype(), result.dtype(), tensor.numel(), kind, &tensor, &result});
}

AMP_INLINE Tensor convert_dtype(const Tensor& tensor, DType dtype) {
  if (tensor.dtype() == dtype) return tensor;
  const Tensor result = amp::detail::copy_as_laid_out(tensor, dtype);
  if (autograd::is_observed()) [[unlikely]]
    announce(CastKind::kConverted, tensor, result);
  return with_cast_history(result, tensor);
}

AMP_INLINE Tensor cast(const Tensor& tensor, DType dtype, bool cache) {
  if (tensor.dtype() == dtype) return tensor;
  const bool weight = cache && tensor.dtype() == kFloat32 && autograd::requires_grad(tensor) &&
                      autograd::leaf_of(tensor) != nullptr;
  if (!weight || !amp::detail::can_cache_cast(tensor, dtype)) return convert_dtype(tensor, dtype);
  const auto [copy, refreshed] = amp::detail::low_precision_copy(tensor, dtype);
  if (autograd::is_observed()) [[unlikely]]
    announce(refreshed ? CastKind::kCopyRefreshed : CastKind::kCopyReused, tensor, copy);
  return with_cast_history(copy, tensor);
}

}  // namespace amp::inline v0::autocasting
