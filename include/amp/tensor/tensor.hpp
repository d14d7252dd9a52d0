// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Tensor: a shared handle to a strided view of a storage. Copying a Tensor copies the handle, as in
// torch.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "amp/kernels/dispatch.hpp"
#include "amp/kernels/elementwise/host.hpp"
#include "amp/kernels/traversal/channels_last.hpp"
#include "amp/tensor/shape.hpp"
#include "amp/tensor/storage.hpp"

namespace amp::inline v0 {

struct TensorOptions {
  std::optional<DType> dtype = {};  // kFloat32 if unset
  Device device = {};
  bool requires_grad = false;
};

/// Anyone's dense memory: what the scaler and the optimizers' interface deal in. Nothing is kept
/// across calls.
struct TensorView {
  void* data = nullptr;
  std::int64_t numel = 0;
  DType dtype = kFloat32;
  Device device = {};
  std::string_view name = {};
};

namespace detail {

/// Which memory a tensor shows, and as what. Copied without a chance of failure.
struct AMP_EXPORT TensorData {
  Ref<Storage> storage;
  Shape shape;
  Strides strides;
  std::int64_t offset;  // in elements
  DType dtype;
  bool is_view = false;
};

class AMP_EXPORT TensorImpl final : public RefCounted, public TensorData {
 public:
  TensorImpl(Ref<Storage> memory, Shape extents, const Strides& steps, std::int64_t first,
             DType element)
      : TensorData{std::move(memory), extents, steps, first, element} {}

  Ref<RefCounted> history;  // the autograd node that made this tensor, or that collects its
                            // gradient; opaque to this layer
};

}  // namespace detail

class Tensor {
 public:
  /// Undefined: stands for an absent argument.
  Tensor() = default;
  explicit Tensor(Ref<detail::TensorImpl> impl) : impl_(std::move(impl)) {}

  // --- what it is
  // -----------------------------------------------------------------------------------------------------------
  bool defined() const { return static_cast<bool>(impl_); }
  DType dtype() const { return impl("dtype").dtype; }
  Device device() const { return impl("device").storage->device(); }
  const Shape& shape() const { return impl("shape").shape; }
  const Strides& strides() const { return impl("strides").strides; }
  int dim() const { return impl("dim").shape.dims(); }
  std::int64_t size(std::int64_t d) const {
    AMP_CHECK(impl("size").shape.dims() > 0, "size: a 0-dimensional tensor has no extents");
    return shape()[wrap_dim("size", d, dim())];
  }
  std::int64_t numel() const { return impl("numel").shape.numel(); }
  bool is_contiguous() const;
  bool is_same(const Tensor& other) const { return impl_ == other.impl_; }

  // --- its elements
  // ---------------------------------------------------------------------------------------------------------
  /// The first element, to write: counts as a write and moves the version. Throws where T is not
  /// the dtype.
  template <Element T>
  T* data() const {
    check_type("data", dtype_of<T>);
    mark_modified(false);
    impl().storage->give_away_to_write();
    return static_cast<T*>(raw_data());
  }
  template <Element T>
  const T* const_data() const {
    check_type("const_data", dtype_of<T>);
    return static_cast<const T*>(raw_data());
  }
  /// The one element, converted to T as `to` converts. Waits for a device.
  template <Element T>
  T item() const;
  /// All elements in row-major order, converted to T. Waits for a device.
  template <Element T>
  std::vector<T> to_vector() const;

  // --- copies and views; differentiable, defined in ops/tensor_members.hpp
  // ----------------------------------------------------
  /// In another dtype, each element rounded once to nearest even. Floating-point numbers become
  /// integers toward zero, the nearest there is where they lie beyond these, and NaN becomes 0;
  /// integers become smaller ones modulo 2^n; bool is whether an element is not 0.
  Tensor to(DType dtype) const;
  Tensor to(Device device) const;
  Tensor clone() const;
  Tensor contiguous() const;
  Tensor reshape(const ReshapeTo& shape) const;
  Tensor view(const ReshapeTo& shape) const;
  Tensor transpose(std::int64_t dim0, std::int64_t dim1) const;
  Tensor t() const;
  Tensor permute(std::span<const std::int64_t> dims) const;
  Tensor permute(std::initializer_list<std::int64_t> dims) const {
    return permute(std::span(dims.begin(), dims.size()));
  }
  Tensor narrow(std::int64_t dim, std::int64_t start, std::int64_t length) const;
  Tensor select(std::int64_t dim, std::int64_t index) const;
  Tensor squeeze() const;
  Tensor squeeze(std::int64_t dim) const;
  Tensor unsqueeze(std::int64_t dim) const;
  Tensor flatten(std::int64_t start_dim = 0, std::int64_t end_dim = -1) const;
  Tensor expand(const Shape& shape) const;

  // --- writing in place; throws on a tensor whose history is recorded
  // ---------------------------------------------------------
  const Tensor& zero_() const;
  const Tensor& fill_(double value) const;
  const Tensor& copy_(const Tensor& source) const;

  // --- derivatives; defined in ops/tensor_members.hpp
  // -------------------------------------------------------------------------
  bool requires_grad() const;
  const Tensor& requires_grad_(bool requires_grad = true) const;
  bool is_leaf() const;
  /// A handle to the live gradient; undefined before the first backward.
  Tensor grad() const;
  /// Makes `grad` the gradient, without its history: nothing is differentiated through gradients.
  void set_grad(const Tensor& grad) const;
  /// This leaf takes over the memory, shape and dtype of `data`; its gradient is dropped. Every
  /// handle to it sees the change, what was computed from it does not.
  void set_data(const Tensor& data) const;
  /// d(this)/d(leaf) is added to the gradient of every leaf this one-element tensor was computed
  /// from. Frees the graph.
  void backward() const;
  /// The same, starting from d(loss)/d(this) = gradient.
  void backward(const Tensor& gradient) const;
  /// The same memory, without history.
  Tensor detach() const;

  // --- versions
  // ---------------------------------------------------------------------------------------------------------------
  /// Says that the memory was written behind amp's back. On memory that amp does not own this
  /// promises to be called after every write, and only then low-precision copies of it are kept.
  void mark_modified() const { mark_modified(true); }
  std::uint64_t version() const { return impl("version").storage->version(); }

  // --- for the layers above
  // ---------------------------------------------------------------------------------------------------
  /// Throws where the tensor is undefined, naming the member that was called.
  detail::TensorImpl& impl(std::string_view member = "tensor") const {
    AMP_CHECK(impl_, member, ": the tensor is undefined; give it a value before using it");
    return *impl_;
  }
  bool unique() const { return impl_ && impl_->unique() && impl_->storage->unique(); }
  void* raw_data() const {
    const detail::TensorImpl& t = impl();
    char* const first = static_cast<char*>(t.storage->data());
    return first == nullptr ? first : first + t.offset * item_size(t.dtype);  // null where empty
  }
  /// What kernels see. Absent for an undefined tensor.
  kernels::Operand operand() const;
  /// The same of the elements as they lie: with the strides of channels-last order where they lie
  /// so (detail::lies_channels_last). For kernels that take any strides.
  kernels::Operand operand_as_laid_out() const;
  /// Another view of the same storage, without history.
  Tensor alias(const Shape& shape, const Strides& strides, std::int64_t offset) const;

 private:
  void mark_modified(bool promise) const {
    detail::Storage& storage = *impl("mark_modified").storage;
    if (promise) storage.track();
    storage.bump_version();
  }
  /// Throws, naming the member that was called, where the tensor is undefined.
  void check_defined(std::string_view member) const { (void)impl(member); }
  void check_type(std::string_view member, DType asked) const {
    AMP_CHECK(impl(member).dtype == asked, member, "<", asked, ">: the tensor's dtype is ", dtype(),
              "; ask for that type or convert with to()");
  }

  Ref<detail::TensorImpl> impl_;
};

inline bool Tensor::is_contiguous() const {
  check_defined("is_contiguous");
  std::int64_t stride = 1;
  for (int d = dim() - 1; d >= 0; --d) {
    if (shape()[d] != 1 && strides()[d] != stride) return numel() == 0;
    stride *= shape()[d];
  }
  return true;
}

inline kernels::Operand Tensor::operand() const {
  kernels::Operand operand;
  if (!defined()) return operand;
  operand.data = raw_data();
  operand.dtype = dtype();
  operand.device = device();
  operand.present = true;
  operand.dims = dim();
  for (int d = 0; d < dim(); ++d) {
    operand.sizes[d] = shape()[d];
    operand.strides[d] = strides()[d];
  }
  return operand;
}

namespace detail {

/// Whether the elements of [N, C, H, W] lie in the order N, H, W, C. No user sees it: the strides
/// are those of row-major order, as is the memory that data() gives.
inline bool lies_channels_last(const Tensor& tensor) {
  const TensorImpl& t = tensor.impl();
  const kernels::Operand* const elements = t.storage->laid_out();
  if (elements == nullptr || t.offset != 0 || t.shape.dims() != elements->dims) return false;
  for (int d = 0; d < elements->dims; ++d) {
    if (t.shape[d] != elements->sizes[d]) return false;
  }
  return tensor.is_contiguous();
}

/// Whether the two orders are one: of a single channel, of planes of one element, of no elements.
inline bool is_channels_last_anyway(const Shape& shape) {
  return shape.dims() == 4 && (shape[1] == 1 || shape[2] * shape[3] == 1 || shape.numel() == 0);
}

}  // namespace detail

inline kernels::Operand Tensor::operand_as_laid_out() const {
  if (!defined()) return {};
  if (detail::lies_channels_last(*this)) return *impl().storage->laid_out();
  kernels::Operand operand = this->operand();
  if (detail::is_channels_last_anyway(shape()) && is_contiguous())
    kernels::set_channels_last(operand);
  return operand;
}

inline Tensor Tensor::alias(const Shape& shape, const Strides& strides, std::int64_t offset) const {
  auto impl_of_alias =
      make_ref<detail::TensorImpl>(impl().storage, shape, strides, offset, dtype());
  impl_of_alias->is_view = true;
  return Tensor(std::move(impl_of_alias));
}

inline Tensor Tensor::detach() const {
  const detail::TensorImpl& t = impl("detach");
  return alias(t.shape, t.strides, t.offset);
}

/// Tensors by name, in an order that stays.
using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

/// Shape and dtype, as error messages show a tensor.
inline std::string describe(const Tensor& tensor) {
  return detail::or_out_of_memory([&] {
    return tensor.defined() ? to_string(tensor.dtype()) + to_string(tensor.shape())
                            : std::string("an undefined tensor");
  });
}

namespace detail {

/// output[...] = input[...] broadcast and converted, on the device of both. No history, no version.
inline void copy_elements(const kernels::Operand& input, const kernels::Operand& output) {
  if (output.numel() == 0) return;
  const kernels::UnaryArgs args{.input = input, .output = output};
  kernels::dispatch<&kernels::Backend::copy, kernels::host::copy>(output.device, args);
}
inline void copy_elements(const Tensor& input, const Tensor& output) {
  copy_elements(input.operand(), output.operand());
}

}  // namespace detail
}  // namespace amp::inline v0
