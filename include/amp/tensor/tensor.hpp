// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Tensor: a shared handle to a strided view of a storage. Copying a Tensor copies the handle, as in
// torch.
#pragma once

#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "amp/core/config.hpp"
#include "amp/core/refcount.hpp"
#include "amp/device/device.hpp"
#include "amp/kernels/operand.hpp"
#include "amp/tensor/in_place.hpp"
#include "amp/tensor/methods.hpp"
#include "amp/tensor/shape.hpp"
#include "amp/tensor/storage.hpp"

namespace amp::inline v0 {

class HookHandle;

/// Options of the functions that make tensors.
struct TensorOptions {
  std::optional<DType> dtype = {};  // kFloat32 if unset
  Device device = {};
  bool requires_grad = false;
};

/// Describes dense memory, owned by amp or by the program, with its elements in any order. The
/// scaler and the optimizers take gradients in this form. Functions that take a view do not keep it
/// after they return.
struct TensorView {
  void* data = nullptr;
  std::int64_t numel = 0;
  DType dtype = kFloat32;
  Device device = {};
  std::string_view name = {};
};

namespace detail {

/// The memory of a tensor, and its shape, strides and dtype. Copying it cannot fail.
struct AMP_EXPORT TensorData {
  Ref<Storage> storage;
  Shape shape;
  Strides strides;
  std::int64_t offset;  // in elements
  DType dtype;
  bool is_view = false;
};

/// How many deep copies of a tensor are under way (Cloning). While there are some, a copy of a
/// handle may be a handle to a clone.
struct AMP_EXPORT BeingCloned {
  std::atomic<std::int32_t> clones_under_way = 0;
};

class AMP_EXPORT TensorImpl final : public RefCounted, public BeingCloned, public TensorData {
 public:
  TensorImpl(Ref<Storage> memory, Shape extents, const Strides& steps, std::int64_t first,
             DType element);

  Ref<RefCounted> history;  // the autograd node that made this tensor, or that collects its
                            // gradient; opaque to this layer
  // For writes in place (autograd/view.hpp):
  Ref<TensorImpl> base;      // of a view: the tensor of whose memory it shows a part
  std::uint64_t writes = 0;  // how often a write to this tensor, or a view, changed `history`
  std::atomic<std::uint64_t> known_writes = 0;  // those of the base that the view's `history` knows
  bool made_without_grad = false;  // a view of a tensor with history, without history of its own
};

}  // namespace detail

/// A handle to an array of numbers; copies of the handle share the array. All ops (x + y, sum,
/// matmul, ...) are free functions, amp/ops.hpp; many are members as well, tensor/methods.hpp.
class Tensor : public TensorMethods, public InPlaceMethods {
 public:
  /// An undefined tensor, which stands for an absent argument.
  Tensor() = default;
  /// For the layers above: a handle to `impl`.
  explicit Tensor(Ref<detail::TensorImpl> impl) : impl_(std::move(impl)) {}
  /// A handle to the same tensor; within nn::clone(), to its clone.
  Tensor(const Tensor& other) noexcept : impl_(other.impl_) {
    if (impl_ && impl_->clones_under_way.load(std::memory_order_relaxed) != 0) [[unlikely]]
      turn_to_clone();
  }
  Tensor(Tensor&&) noexcept = default;
  Tensor& operator=(const Tensor& other) & noexcept {
    impl_ = Tensor(other).impl_;
    return *this;
  }
  Tensor& operator=(Tensor&& other) & noexcept = default;
  /// x[0] = y writes the elements of y to the slice: the same as x[0].copy_(y), and fill_() for a
  /// number. Throws if this is no view, as x.index({mask}) is not: use index_put_.
  AMP_LAZY const Tensor& operator=(const Tensor& source) const&&;
  AMP_LAZY const Tensor& operator=(const Scalar& value) const&&;
  ~Tensor() = default;

  // --- what it is --------------------------------------------------------------------------------
  /// Whether there is a tensor: false for one that was made without arguments.
  bool defined() const { return static_cast<bool>(impl_); }
  /// The dtype of the elements.
  DType dtype() const { return impl("dtype").dtype; }
  /// The device of the memory.
  Device device() const { return impl("device").storage->device(); }
  /// The extents of the dimensions.
  const Shape& shape() const { return impl("shape").shape; }
  /// For each dimension, the distance in elements between neighbours.
  const Strides& strides() const { return impl("strides").strides; }
  /// The number of dimensions.
  int dim() const { return impl("dim").shape.dims(); }
  /// The extent of a dimension; -1 is the last.
  std::int64_t size(std::int64_t d) const;
  /// The number of elements.
  std::int64_t numel() const { return impl("numel").shape.numel(); }
  /// Whether the elements lie in row-major order, without gaps.
  bool is_contiguous() const;
  /// Whether both are handles to one tensor.
  bool is_same(const Tensor& other) const { return impl_ == other.impl_; }

  // --- its elements ------------------------------------------------------------------------------
  /// A pointer to the first element, to write: counts as a write and raises the version. Throws if
  /// T is not the dtype.
  template <Element T>
  T* data() const {
    check_type("data", dtype_of<T>);
    mark_modified(false);
    impl().storage->give_away_to_write();
    return static_cast<T*>(raw_data());
  }
  /// A pointer to the first element, to read. Throws if T is not the dtype.
  template <Element T>
  const T* const_data() const {
    check_type("const_data", dtype_of<T>);
    return static_cast<const T*>(raw_data());
  }
  /// The element of a tensor that has one, converted to T as `to` converts: an int64 beyond 2^53
  /// needs item<std::int64_t>(). Synchronises.
  template <Element T = double>
  T item() const;
  /// All elements in row-major order, converted to T as `to` converts. Synchronises.
  template <Element T>
  std::vector<T> to_vector() const;

  // --- copies and views; differentiable, defined in ops/tensor_members.hpp -----------------------
  /// The tensor in another dtype, each element rounded once to nearest even; the tensor itself if
  /// it has that dtype. Floating-point numbers are truncated to integers, those out of range become
  /// the nearest integer, and NaN becomes 0. Integers wrap modulo 2^n; bool is true if an element
  /// is not 0.
  Tensor to(DType dtype) const;
  /// A copy on another device; the tensor itself if it is there. A copy to the CPU synchronises.
  Tensor to(Device device) const;
  /// A copy in memory of its own.
  Tensor clone() const;
  /// The tensor itself if it is row-major, else a row-major copy.
  Tensor contiguous() const;
  /// The elements, in row-major order, in another shape; an extent of -1 follows from the others. A
  /// view if strides can show them, else a copy.
  Tensor reshape(const ReshapeTo& shape) const;
  /// The same, always as a view. Throws if no strides give that shape without a copy.
  Tensor view(const ReshapeTo& shape) const;
  /// A view with two dimensions exchanged.
  Tensor transpose(std::int64_t dim0, std::int64_t dim1) const;
  /// The transpose of a matrix; a tensor of fewer dimensions is returned as it is.
  Tensor t() const;
  /// A view whose dimension i is dimension dims[i] of this tensor.
  Tensor permute(std::span<const std::int64_t> dims) const;
  Tensor permute(std::initializer_list<std::int64_t> dims) const {
    return permute(std::span(dims.begin(), dims.size()));
  }
  /// A view of the slices [start, start + length) along `dim`.
  Tensor narrow(std::int64_t dim, std::int64_t start, std::int64_t length) const;
  /// A view of one slice along `dim`, without that dimension; a negative index counts from the end.
  Tensor select(std::int64_t dim, std::int64_t index) const;
  /// A view without the dimensions of extent 1.
  Tensor squeeze() const;
  /// A view without this dimension, if its extent is 1.
  Tensor squeeze(std::int64_t dim) const;
  /// A view with a new dimension of extent 1 at `dim`.
  Tensor unsqueeze(std::int64_t dim) const;
  /// The dimensions from start_dim to end_dim, both included, merged into one, as by reshape.
  Tensor flatten(std::int64_t start_dim = 0, std::int64_t end_dim = -1) const;
  /// A view that repeats dimensions of extent 1, and new leading ones, to `shape`. Its elements
  /// share memory, so that it cannot be written in place.
  Tensor expand(const Shape& shape) const;

  // More views; defined in ops/views.hpp. Their gradients are added to their part of that
  // of the base, in place: many views of one tensor cost no more than one.
  /// expand() to the shape of `other`.
  AMP_LAZY Tensor expand_as(const Tensor& other) const;
  /// view() with the shape of `other`.
  AMP_LAZY Tensor view_as(const Tensor& other) const;
  /// expand() under the name that NumPy gave it.
  AMP_LAZY Tensor broadcast_to(const Shape& shape) const;
  /// The elements `start`, `start + step`, ... before `end` along `dim`. As in Python, a negative
  /// number counts from the end, one beyond an end stands for that end, and an absent one for the
  /// whole. Throws if `step` is not positive.
  AMP_LAZY Tensor slice(std::int64_t dim = 0, std::optional<std::int64_t> start = {},
                        std::optional<std::int64_t> end = {}, std::int64_t step = 1) const;
  /// At most `chunks` views of equal length along `dim`, of which the last may be shorter.
  AMP_LAZY std::vector<Tensor> chunk(std::int64_t chunks, std::int64_t dim = 0) const;
  /// Views of length `split_size` along `dim`, of which the last may be shorter.
  AMP_LAZY std::vector<Tensor> split(std::int64_t split_size, std::int64_t dim = 0) const;
  /// Views of these lengths along `dim`, which must add up to its extent.
  AMP_LAZY std::vector<Tensor> split(std::span<const std::int64_t> split_sizes,
                                     std::int64_t dim = 0) const;
  AMP_LAZY std::vector<Tensor> split(std::initializer_list<std::int64_t> split_sizes,
                                     std::int64_t dim = 0) const;
  /// `sections` views along `dim`, whose lengths differ by 1 at most; the longer ones come first.
  AMP_LAZY std::vector<Tensor> tensor_split(std::int64_t sections, std::int64_t dim = 0) const;
  /// The slices along `dim` before, between and behind these indices, as slice() understands them.
  AMP_LAZY std::vector<Tensor> tensor_split(std::span<const std::int64_t> indices,
                                            std::int64_t dim = 0) const;
  AMP_LAZY std::vector<Tensor> tensor_split(std::initializer_list<std::int64_t> indices,
                                            std::int64_t dim = 0) const;
  /// A view of each slice along `dim`, without that dimension.
  AMP_LAZY std::vector<Tensor> unbind(std::int64_t dim = 0) const;
  /// A view in which dimension source[i] stands at destination[i], and the others keep their order.
  AMP_LAZY Tensor movedim(const Dims& source, const Dims& destination) const;
  /// transpose() under the names that NumPy gave it.
  AMP_LAZY Tensor swapaxes(std::int64_t axis0, std::int64_t axis1) const;
  AMP_LAZY Tensor swapdims(std::int64_t dim0, std::int64_t dim1) const;
  /// A view with `dim` cut into dimensions of these sizes, of which one may be -1: it follows from
  /// the others.
  AMP_LAZY Tensor unflatten(std::int64_t dim, const ReshapeTo& sizes) const;
  /// A view of the elements whose index in dim2 is that in dim1 plus `offset`, along a new last
  /// dimension in the place of these two.
  AMP_LAZY Tensor diagonal(std::int64_t offset = 0, std::int64_t dim1 = 0,
                           std::int64_t dim2 = 1) const;

  // --- derivatives; defined in ops/tensor_members.hpp --------------------------------------------
  /// Whether backward computes a gradient of this tensor.
  bool requires_grad() const;
  /// Makes a leaf collect its gradient, or not. Returns the tensor.
  const Tensor& requires_grad_(bool requires_grad = true) const;
  /// Whether no recorded op made this tensor.
  bool is_leaf() const;
  /// A handle to the gradient, not a copy; undefined before the first backward. It has no history:
  /// in a loss it is a constant. The guide has "A penalty on gradients".
  Tensor grad() const;
  /// Makes `grad` the gradient, without its history: nothing is differentiated through gradients.
  void set_grad(const Tensor& grad) const;
  /// This leaf takes over the memory, shape and dtype of `data`; its gradient is dropped. The
  /// change shows in every handle to it, but not in tensors that were computed from it.
  void set_data(const Tensor& data) const;
  /// d(this)/d(leaf) is added to the gradient of every leaf this one-element tensor was computed
  /// from. Frees the graph.
  void backward() const;
  /// The same, starting from d(loss)/d(this) = gradient.
  void backward(const Tensor& gradient) const;
  /// A tensor over the same memory, without history.
  Tensor detach() const;
  /// From now on backward calls hook(gradient) with d(loss)/d(this), once that gradient is
  /// complete. A tensor that the hook returns, of the same shape and device, takes the gradient's
  /// place, in the gradient's dtype; the hook must not write to the gradient itself, whose memory
  /// others may share. Hooks are called in the order in which they were registered, with autocast
  /// off and without recording history; a gradient of a scaled loss carries the scale. If a hook
  /// throws, or returns a tensor of another shape or device, no leaf's gradient changes. Throws if
  /// this requires no gradient, and for an empty std::function.
  template <class Hook>
  HookHandle register_hook(Hook hook) const;

  // --- versions ----------------------------------------------------------------------------------
  /// Call it after code other than amp's wrote the memory. For memory that amp does not own, the
  /// first call promises a call after every later write; autocast caches copies only after that.
  void mark_modified() const { mark_modified(true); }
  /// Counts the writes to the memory, which views share.
  std::uint64_t version() const { return impl("version").storage->version(); }

  // --- for the layers above ----------------------------------------------------------------------
  /// Throws, naming the member that was called, if the tensor is undefined.
  detail::TensorImpl& impl(std::string_view member = "tensor") const {
    if (!impl_) [[unlikely]]
      refuse_undefined(member);
    return *impl_;
  }
  /// Whether amp owns the memory, and no other handle or view holds it, so that it may be reused.
  bool unique() const {
    return impl_ && impl_->unique() && impl_->storage->unique() &&
           impl_->storage->only_amp_writes();
  }
  /// A pointer to the first element; null if there are no elements.
  void* raw_data() const {
    const detail::TensorImpl& t = impl();
    char* const first = static_cast<char*>(t.storage->data());
    return first == nullptr ? first : first + t.offset * item_size(t.dtype);  // null if empty
  }
  /// The tensor as an operand of kernels. Absent for an undefined tensor.
  kernels::Operand operand() const;
  /// The same, with the strides of channels-last order if the elements lie so
  /// (detail::lies_channels_last). For kernels that take any strides.
  kernels::Operand operand_as_laid_out() const;
  /// Another view of the same storage, without history.
  Tensor alias(const Shape& shape, const Strides& strides, std::int64_t offset) const;

 private:
  /// The slow part of a copy: makes this a handle to the clone, if this thread makes one.
  void turn_to_clone() noexcept;
  void mark_modified(bool promise) const;
  /// Throws, naming the member that was called, if the tensor is undefined.
  void check_defined(std::string_view member) const { (void)impl(member); }
  void check_type(std::string_view member, DType asked) const {
    if (impl(member).dtype != asked) [[unlikely]]
      refuse_type(member, asked);
  }
  // Throw; apart from the checks, so that user code compiles no messages.
  [[noreturn, gnu::cold]] static void refuse_undefined(std::string_view member);
  [[noreturn, gnu::cold]] void refuse_type(std::string_view member, DType asked) const;

  Ref<detail::TensorImpl> impl_;
};

/// Tensors with their names, in a fixed order.
using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

/// The shape and dtype of a tensor as text, for error messages.
std::string describe(const Tensor& tensor);

namespace detail {

/// Whether the elements of [N, C, H, W] lie in the order N, H, W, C, or those of [N, C, L] and
/// [N, C, D, H, W] likewise. It is not visible outside of the library: strides() and the memory
/// that data() gives are row-major.
bool lies_channels_last(const Tensor& tensor);
/// Whether the two orders are the same: for a single channel, planes of one element, and no
/// elements.
bool is_channels_last_anyway(const Shape& shape);

/// output[...] = input[...] broadcast and converted, on the device of both. No history, no version.
void copy_elements(const kernels::Operand& input, const kernels::Operand& output);
void copy_elements(const Tensor& input, const Tensor& output);

}  // namespace detail
}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/tensor/tensor.ipp"
#endif
