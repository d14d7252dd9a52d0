// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <utility>

#include "amp/core/error.hpp"
#include "amp/kernels/elementwise/host.hpp"
#include "amp/kernels/traversal/channels_last.hpp"
#include "amp/tensor/cloning.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

AMP_INLINE detail::TensorImpl::TensorImpl(Ref<Storage> memory, Shape extents, const Strides& steps,
                                          std::int64_t first, DType element)
    : TensorData{std::move(memory), extents, steps, first, element} {}

AMP_COLD void Tensor::turn_to_clone() noexcept {
  if (const detail::Cloning* const scope = detail::Cloning::current()) {
    if (Ref<detail::TensorImpl> clone = scope->find(*impl_)) impl_ = std::move(clone);
  }
}

AMP_INLINE std::int64_t Tensor::size(std::int64_t d) const {
  const Shape& extents = impl("size").shape;
  const int dims = extents.dims();
  if (d >= -dims && d < dims) [[likely]]
    return extents[static_cast<int>(d < 0 ? d + dims : d)];
  AMP_CHECK(dims > 0, "size: a 0-dimensional tensor has no extents");
  return extents[wrap_dim("size", d, dims)];  // throws
}

AMP_INLINE void Tensor::mark_modified(bool promise) const {
  detail::Storage& storage = *impl("mark_modified").storage;
  if (promise) storage.track();
  storage.bump_version();
}

AMP_COLD void Tensor::refuse_undefined(std::string_view member) {
  detail::fail(member, ": the tensor is undefined; give it a value before using it");
}
AMP_COLD void Tensor::refuse_type(std::string_view member, DType asked) const {
  detail::fail(member, "<", asked, ">: the tensor's dtype is ", dtype(),
               "; ask for that type or convert with to()");
}

AMP_INLINE bool Tensor::is_contiguous() const {
  check_defined("is_contiguous");
  std::int64_t stride = 1;
  for (int d = dim() - 1; d >= 0; --d) {
    if (shape()[d] != 1 && strides()[d] != stride) return numel() == 0;
    stride *= shape()[d];
  }
  return true;
}

AMP_INLINE kernels::Operand Tensor::operand() const {
  kernels::Operand operand;
  if (!defined()) return operand;
  const detail::TensorData& t = impl();
  operand.data = raw_data();
  operand.dtype = t.dtype;
  operand.device = t.storage->device();
  operand.present = true;
  operand.dims = t.shape.dims();
  AMP_NO_UNROLL
  for (int d = 0; d < operand.dims; ++d) {
    operand.sizes[d] = t.shape[d];
    operand.strides[d] = t.strides[d];
  }
  return operand;
}

AMP_INLINE bool detail::lies_channels_last(const Tensor& tensor) {
  const TensorImpl& t = tensor.impl();
  const kernels::Operand* const elements = t.storage->laid_out();
  if (elements == nullptr || t.offset != 0 || t.shape.dims() != elements->dims) return false;
  for (int d = 0; d < elements->dims; ++d) {
    if (t.shape[d] != elements->sizes[d]) return false;
  }
  return tensor.is_contiguous();
}

AMP_INLINE bool detail::is_channels_last_anyway(const Shape& shape) {
  const int dims = shape.dims();
  if (dims < 3 || dims > 5) return false;
  const std::int64_t count = shape.numel();
  return shape[1] == 1 || count == 0 || count == shape[0] * shape[1];
}

AMP_INLINE kernels::Operand Tensor::operand_as_laid_out() const {
  if (!defined()) return {};
  if (detail::lies_channels_last(*this)) return *impl().storage->laid_out();
  kernels::Operand operand = this->operand();
  if (detail::is_channels_last_anyway(shape()) && is_contiguous())
    kernels::set_channels_last(operand);
  return operand;
}

AMP_INLINE Tensor Tensor::alias(const Shape& shape, const Strides& strides,
                                std::int64_t offset) const {
  auto impl_of_alias =
      make_ref<detail::TensorImpl>(impl().storage, shape, strides, offset, dtype());
  impl_of_alias->is_view = true;
  return Tensor(std::move(impl_of_alias));
}

AMP_INLINE Tensor Tensor::detach() const {
  const detail::TensorImpl& t = impl("detach");
  return alias(t.shape, t.strides, t.offset);
}

AMP_INLINE std::string describe(const Tensor& tensor) {
  return detail::or_out_of_memory([&] {
    return tensor.defined() ? to_string(tensor.dtype()) + to_string(tensor.shape())
                            : std::string("an undefined tensor");
  });
}

AMP_INLINE void detail::copy_elements(const kernels::Operand& input,
                                      const kernels::Operand& output) {
  if (output.numel() == 0) return;
  const kernels::UnaryArgs args{.input = input, .output = output};
  kernels::copy(output.device, args);
}
AMP_INLINE void detail::copy_elements(const Tensor& input, const Tensor& output) {
  copy_elements(input.operand(), output.operand());
}

}  // namespace amp::inline v0
