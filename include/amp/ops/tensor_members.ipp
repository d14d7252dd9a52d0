// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "amp/autocast/cast.hpp"
#include "amp/autograd/engine.hpp"
#include "amp/autograd/function.hpp"
#include "amp/autograd/node.hpp"
#include "amp/core/refcount.hpp"
#include "amp/device/memory.hpp"
#include "amp/ops/checks.hpp"
#include "amp/ops/in_place.hpp"
#include "amp/ops/shape.hpp"
#include "amp/ops/tensor_members.hpp"
#include "amp/tensor/factory.hpp"
#include "amp/tensor/layout.hpp"

namespace amp::inline v0 {

AMP_INLINE const Tensor& TensorMethods::self() const { return static_cast<const Tensor&>(*this); }
AMP_INLINE const Tensor& InPlaceMethods::self() const { return static_cast<const Tensor&>(*this); }

AMP_INLINE Tensor Tensor::to(DType dtype) const {
  check_defined("to");
  return autocasting::convert_dtype(*this, dtype);
}

AMP_INLINE Tensor Tensor::to(Device device) const {
  check_defined("to");
  if (device == this->device()) return *this;
  const Tensor source = detail::contiguous(*this);
  const Tensor result = empty(shape(), {.dtype = dtype(), .device = device});
  copy_bytes(device, result.raw_data(), source.device(), source.raw_data(),
             numel() * item_size(dtype()));
  if (autograd::recording(source)) {
    autograd::record(
        "to", result,
        [home = source.device()](const Tensor& grad, const autograd::Needs<1>&)
            -> autograd::Gradients<1> { return {grad.to(home)}; },
        source);
  }
  return result;
}

AMP_INLINE Tensor Tensor::clone() const {
  check_defined("clone");
  const Tensor result = detail::copy_as_laid_out(*this, dtype());
  if (autograd::recording(*this)) {
    autograd::record(
        "clone", result,
        [](const Tensor& grad, const autograd::Needs<1>&) -> autograd::Gradients<1> {
          return {grad};
        },
        *this);
  }
  return result;
}

AMP_INLINE Tensor Tensor::contiguous() const {
  check_defined("contiguous");
  return detail::contiguous(*this);
}
AMP_INLINE Tensor Tensor::reshape(const ReshapeTo& shape) const {
  check_defined("reshape");
  return detail::reshape_or_view(*this, shape.resolve(this->shape()));
}
AMP_INLINE Tensor Tensor::transpose(std::int64_t dim0, std::int64_t dim1) const {
  check_defined("transpose");
  return detail::transpose(*this, dim0, dim1);
}
AMP_INLINE Tensor Tensor::t() const {
  check_defined("t");
  AMP_CHECK(dim() <= 2, "t: the tensor must have at most 2 dimensions, but is ", describe(*this),
            "; use transpose");
  return dim() < 2 ? *this : detail::transpose(*this, 0, 1);
}
AMP_INLINE Tensor Tensor::permute(std::span<const std::int64_t> dims) const {
  check_defined("permute");
  return detail::permute(*this, dims);
}
AMP_INLINE Tensor Tensor::narrow(std::int64_t dim, std::int64_t start, std::int64_t length) const {
  check_defined("narrow");
  return detail::narrow(*this, dim, start, length);
}
AMP_INLINE Tensor Tensor::select(std::int64_t dim, std::int64_t index) const {
  check_defined("select");
  const int d = wrap_dim("select", dim, this->dim());
  AMP_CHECK(this->dim() > 0, "select: a 0-dimensional tensor has nothing to select from");
  const std::int64_t extent = shape()[d];
  AMP_CHECK(index >= -extent && index < extent, "select: `index` must lie in [", -extent, ", ",
            extent, "), but is ", index);
  return narrow(d, index < 0 ? index + extent : index, 1).squeeze(d);
}

namespace detail {

/// The same elements in the same order under another shape and strides of the same memory.
AMP_INLINE Tensor restride(std::string_view name, const Tensor& input, const Shape& shape,
                           const Strides& strides) {
  const Tensor output = autograd::view_of(input, shape, strides, input.impl().offset);
  if (autograd::recording(input)) {
    record_move(
        name, output,
        [from = input.shape()](const Tensor& grad, const autograd::Needs<1>&)
            -> autograd::Gradients<1> { return {reshape(grad, from)}; },
        input);
  }
  return output;
}

}  // namespace detail

AMP_INLINE Tensor Tensor::view(const ReshapeTo& shape) const {
  check_defined("view");
  const Shape to = shape.resolve(this->shape(), "view");
  if (to == this->shape()) return *this;
  const std::optional<Strides> steps = view_strides(this->shape(), strides(), to);
  AMP_CHECK(steps, "view: without a copy, `shape` ", to, " cannot show the tensor ",
            describe(*this), " with strides ", to_string(strides()),
            ", which is not contiguous; use reshape, which copies where it must");
  return detail::restride("view", *this, to, *steps);
}
AMP_INLINE Tensor Tensor::squeeze() const {
  check_defined("squeeze");
  Shape kept;
  Strides steps;
  for (int d = 0; d < dim(); ++d) {
    if (shape()[d] == 1) continue;
    kept.push_back(shape()[d]);
    steps.push_back(strides()[d]);
  }
  return kept.dims() == dim() ? *this : detail::restride("squeeze", *this, kept, steps);
}
AMP_INLINE Tensor Tensor::squeeze(std::int64_t dim) const {
  check_defined("squeeze");
  const int d = wrap_dim("squeeze", dim, this->dim());
  if (this->dim() == 0 || shape()[d] != 1) return *this;
  Shape kept = shape();
  Strides steps = strides();
  kept.erase(d);
  steps.erase(d);
  return detail::restride("squeeze", *this, kept, steps);
}
AMP_INLINE Tensor Tensor::unsqueeze(std::int64_t dim) const {
  check_defined("unsqueeze");
  const int d = wrap_dim("unsqueeze", dim, this->dim() + 1);
  Shape grown = shape();
  grown.insert(d, 1);
  Strides steps = strides();
  steps.insert(d, d < this->dim() ? strides()[d] * shape()[d] : 1);
  return detail::restride("unsqueeze", *this, grown, steps);
}
AMP_INLINE Tensor Tensor::flatten(std::int64_t start_dim, std::int64_t end_dim) const {
  check_defined("flatten");
  if (dim() == 0) return detail::reshape_or_view(*this, {1});
  const int first = wrap_dim("flatten", start_dim, dim(), "start_dim"),
            last = wrap_dim("flatten", end_dim, dim(), "end_dim");
  AMP_CHECK(first <= last, "flatten: `start_dim` ", start_dim, " lies behind `end_dim` ", end_dim);
  Shape flat;
  for (int d = 0; d < dim(); ++d) {
    if (d > first && d <= last) {
      flat[first] *= shape()[d];
    } else {
      flat.push_back(shape()[d]);
    }
  }
  return detail::reshape_or_view(*this, flat);
}
AMP_INLINE Tensor Tensor::expand(const Shape& shape) const {
  check_defined("expand");
  return detail::expand(*this, shape);
}

AMP_INLINE const Tensor& InPlaceMethods::fill_(double value) const {
  (void)self().impl("fill_");
  detail::check_holds("fill_", "value", value, self().dtype());
  return detail::overwrite("fill_", self(), [&](const Tensor& to) { detail::fill(to, value); });
}
AMP_INLINE const Tensor& InPlaceMethods::zero_() const {
  return detail::overwrite("zero_", self(), [](const Tensor& to) { detail::fill(to, 0); });
}
AMP_INLINE const Tensor& InPlaceMethods::copy_(const Tensor& source) const {
  const Tensor& to = self();
  (void)to.impl("copy_");
  detail::check_defined("copy_", "source", source);
  AMP_CHECK(do_broadcast(to.shape(), source.shape()) &&
                broadcast_shapes("copy_", to.shape(), source.shape()) == to.shape(),
            "copy_: `source` ", describe(source), " does not broadcast to ", describe(to));
  if (to.device() == source.device()) return detail::write("copy_", to, source);
  return detail::write("copy_", to,
                       source.to(to.dtype()).expand(to.shape()).contiguous().to(to.device()));
}

AMP_INLINE bool Tensor::requires_grad() const { return autograd::requires_grad(*this); }
AMP_INLINE const Tensor& Tensor::requires_grad_(bool requires_grad) const {
  check_defined("requires_grad_");
  autograd::Leaf* leaf = autograd::leaf_of(*this);
  if (leaf == nullptr) {
    if (autograd::node_of(*this) != nullptr && requires_grad) return *this;
    AMP_CHECK(autograd::node_of(*this) == nullptr, "requires_grad_: ", describe(*this),
              " was computed from tensors that require gradients; detach() it to make a leaf");
    if (!requires_grad) return *this;
    AMP_CHECK(is_floating_point(dtype()),
              "requires_grad_: only floating-point tensors have gradients, but this is ",
              describe(*this));
    auto fresh = make_ref<autograd::Leaf>(*this);
    leaf = fresh.get();
    impl().history = std::move(fresh);
    impl().base = {};  // a leaf follows no other tensor
  }
  leaf->requires_grad = requires_grad;
  return *this;
}
AMP_INLINE bool Tensor::is_leaf() const {
  check_defined("is_leaf");
  return autograd::node_of(*this) == nullptr || autograd::leaf_of(*this) != nullptr;
}
AMP_INLINE Tensor Tensor::grad() const {
  check_defined("grad");
  const autograd::Leaf* const leaf = autograd::leaf_of(*this);
  return leaf == nullptr ? Tensor() : leaf->grad;
}
AMP_INLINE void Tensor::set_grad(const Tensor& grad) const {
  check_defined("set_grad");
  autograd::Leaf* const leaf = autograd::leaf_of(*this);
  AMP_CHECK(leaf != nullptr, "set_grad: ", describe(*this),
            " is not a leaf that requires gradients");
  AMP_CHECK(!grad.defined() || (grad.shape() == shape() && grad.device() == device() &&
                                is_floating_point(grad.dtype()) && grad.is_contiguous()),
            "set_grad: `grad` must be floating point, contiguous, and of the shape and device of ",
            describe(*this), " on ", device(), ", but is ", describe(grad), " on ", grad.device(),
            " with strides ", to_string(grad.strides()));
  // A gradient that is, or was computed from, this leaf would own it and be owned by it for ever.
  Tensor own = grad.defined() && autograd::node_of(grad) != nullptr ? grad.detach() : grad;
  if (own.defined() && detail::lies_channels_last(own)) {  // optimizers write to row-major memory
    own = detail::make_tensor(grad.shape(), grad.dtype(), grad.device());
    detail::copy_elements(grad.operand_as_laid_out(), own.operand());
  }
  leaf->grad = own;
  leaf->is_scaled = false;
  leaf->forget_steps();
}

AMP_INLINE void Tensor::set_data(const Tensor& data) const {
  AMP_CHECK(is_leaf(), "set_data: ", describe(*this),
            " was computed; only a leaf can be given data");
  AMP_CHECK(data.defined() && !autograd::recording(data), "set_data: `data` ", describe(data),
            " must be a tensor without history; detach() it");
  const bool needed = requires_grad();
  AMP_CHECK(!needed || is_floating_point(data.dtype()), "set_data: ", describe(*this),
            " requires gradients, but `data` is ", describe(data));
  Ref<RefCounted> history;
  if (needed) {
    const auto leaf = make_ref<autograd::Leaf>(data);
    leaf->listener = autograd::leaf_of(*this)->listener;
    leaf->listener_index = autograd::leaf_of(*this)->listener_index;
    history = leaf;
  }
  detail::TensorImpl& own = impl();
  static_cast<detail::TensorData&>(own) = data.impl();
  own.history = std::move(history);
  own.base = {};
}

AMP_INLINE void Tensor::backward() const {
  check_defined("backward");
  AMP_CHECK(numel() == 1, "backward: the tensor must have one element, but is ", describe(*this),
            "; reduce it with sum or mean, or pass the gradient of the loss with respect to it");
  autograd::backward(*this, full(shape(), 1, {.dtype = dtype(), .device = device()}));
}
AMP_INLINE void Tensor::backward(const Tensor& gradient) const {
  check_defined("backward");
  detail::check_defined("backward", "gradient", gradient);
  AMP_CHECK(gradient.shape() == shape(), "backward: `gradient` must have shape ", shape(),
            ", but is ", describe(gradient));
  AMP_CHECK(gradient.device() == device(), "backward: `gradient` must be on ", device(),
            ", but is on ", gradient.device());
  autograd::backward(*this, gradient.detach().to(dtype()));
}

}  // namespace amp::inline v0
