// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>
#include <utility>

#include "amp/autograd/grad_mode.hpp"
#include "amp/autograd/view.hpp"
#include "amp/core/error.hpp"
#include "amp/core/process_lock.hpp"
#include "amp/kernels/function_dispatch.hpp"
#include "amp/kernels/reduce/host.hpp"
#include "amp/tensor/factory.hpp"
#include "amp/tensor/layout.hpp"

namespace amp::inline v0::autograd {

namespace detail {

/// The node of a view that sees some elements of its base: those at `strides` and `offset` of the
/// gradient of the base, which is row-major. A stride of 0 repeats elements, as expand does.
class ViewNode final : public RecordedNode<std::array<Ref<Node>, 1>, Needs<1>, Gradients<1>> {
 public:
  ViewNode(std::string_view name, const Tensor& view, const Tensor& base, const Strides& strides,
           std::int64_t offset)
      : RecordedNode(name, view, {edge(base)}, {}),
        base_(base.shape()),
        distinct_(view.shape()),
        strides_(strides),
        offset_(offset) {
    for (int d = 0; d < distinct_.dims(); ++d) {
      if (strides[d] == 0 && distinct_[d] > 1) distinct_[d] = 1;
    }
    want_gradient_in(autograd::gradient_dtype(base));
  }

  AMP_INLINE bool add_in_place(const Tensor& gradient, const Tensor& sum) override;
  AMP_INLINE void release() override { alive_ = false; }

 private:
  AMP_INLINE Gradients<1> call(const Tensor& gradient, const Needs<1>&) override;
  /// The gradient of the distinct elements.
  AMP_INLINE Tensor of_distinct(const Tensor& gradient) const;

  Shape base_, distinct_;
  Strides strides_;
  std::int64_t offset_;
};

AMP_INLINE Tensor ViewNode::of_distinct(const Tensor& gradient) const {
  if (gradient.shape() == distinct_) return gradient;
  const Tensor sums = amp::detail::make_tensor(distinct_, gradient.dtype(), gradient.device());
  const kernels::ReduceArgs args{.input = gradient.operand(), .output = sums.operand(), .scale = 1};
  kernels::sum(gradient.device(), args);
  return sums;
}
AMP_INLINE bool ViewNode::add_in_place(const Tensor& gradient, const Tensor& sum) {
  if (!alive_ || sum.dtype() != gradient.dtype()) return false;
  if (gradient.numel() == 0) return true;
  const Tensor part = of_distinct(gradient);
  const std::int64_t offset = sum.impl().offset + offset_;
  const kernels::Operand seen = sum.alias(distinct_, strides_, offset).operand();
  kernels::binary<kernels::functions::Add>(sum.device(), {seen, part.operand(), seen});
  return true;
}
AMP_INLINE Gradients<1> ViewNode::call(const Tensor& gradient, const Needs<1>&) {
  const Tensor result = full(base_, 0, {.dtype = gradient.dtype(), .device = gradient.device()});
  if (gradient.numel() != 0)
    amp::detail::copy_elements(of_distinct(gradient), result.alias(distinct_, strides_, offset_));
  return {result};
}

/// What the view sees of a row-major gradient of its base: the offset, beside the view's strides.
AMP_INLINE std::int64_t offset_in(const Tensor& base, const amp::detail::TensorImpl& view) {
  return view.offset - base.impl().offset;
}

AMP_COLD void check_can_follow(std::string_view op, const Tensor& view, const Tensor& base) {
  AMP_CHECK(base.is_contiguous(), op, ": ", describe(view), " is a view of ", describe(base),
            ", which has history and is modified in place, but is not contiguous; clone() it "
            "first");
}

AMP_COLD void follow_base(const Tensor& view) {
  amp::detail::TensorImpl& impl = view.impl();
  const Tensor base(impl.base);
  Ref<RefCounted> history;  // the old one in the end, which is freed when the lock is
  const amp::detail::ProcessLock lock(amp::detail::LockOf::kLeaf, &impl);
  const std::uint64_t writes = base.impl().writes;
  if (impl.known_writes.load(std::memory_order_relaxed) == writes)
    return;  // another thread was here
  AMP_CHECK(!impl.made_without_grad, "view: ", describe(view),
            " was made under NoGradGuard of a tensor with history, which was modified in place "
            "since; make the view again");
  if (requires_grad(base)) {
    check_can_follow("view", view, base);
    history =
        Ref<RefCounted>(new ViewNode("view", view, base, impl.strides, offset_in(base, impl)));
  }
  std::swap(impl.history, history);
  impl.known_writes.store(writes, std::memory_order_release);
}

/// Whether a write to the view must reach the history of its base. Not if nothing but the view
/// holds the base.
inline bool has_base(const amp::detail::TensorImpl& impl) {
  return impl.base && !impl.base->unique();
}

}  // namespace detail

AMP_INLINE Tensor view_of(const Tensor& base, const Shape& shape, const Strides& strides,
                          std::int64_t offset) {
  Tensor view = base.alias(shape, strides, offset);
  const amp::detail::GradState& mode = amp::detail::grad_state();
  amp::detail::TensorImpl& from = base.impl();
  amp::detail::TensorImpl& impl = view.impl();
  impl.made_without_grad = from.made_without_grad || (!mode.enabled && requires_grad(base));
  // A backward pass writes over gradients that nothing else holds: a view must not hold its base.
  if (mode.enabled || mode.backward_depth == 0) {
    impl.base = from.base ? from.base : Ref<amp::detail::TensorImpl>(&from);
    impl.known_writes.store(impl.base->writes, std::memory_order_relaxed);
  }
  return view;
}

AMP_INLINE void record_view(std::string_view name, const Tensor& view, const Tensor& base,
                            const Strides& strides, std::int64_t offset) {
  detail::set_history(view, new detail::ViewNode(name, view, base, strides, offset));
}

AMP_INLINE Tensor second_handle(const Tensor& tensor) {
  if (!tensor.defined()) return tensor;
  Node* const history = node_of(tensor);
  const amp::detail::TensorImpl& from = tensor.impl();
  Tensor second = tensor.alias(from.shape, from.strides, from.offset);
  second.impl().is_view = from.is_view;
  second.impl().history = Ref<RefCounted>(history);
  return second;
}

AMP_INLINE void check_in_place(std::string_view op, const Tensor& tensor) {
  if (!is_grad_enabled()) return;
  const auto is_leaf = [](const Tensor& t) {
    const Leaf* const leaf = leaf_of(t);
    return leaf != nullptr && leaf->requires_grad;
  };
  AMP_CHECK(!is_leaf(tensor), op, ": the leaf ", describe(tensor),
            " requires gradients and is modified in place; use NoGradGuard to update a parameter, "
            "or an operation that returns a new tensor");
  const amp::detail::TensorImpl& impl = tensor.impl();
  if (!impl.base) return;
  AMP_CHECK(!is_leaf(Tensor(impl.base)), op, ": ", describe(tensor),
            " is a view of a leaf that requires gradients and is modified in place; use "
            "NoGradGuard to update a parameter, or an operation that returns a new tensor");
  AMP_CHECK(!impl.made_without_grad, op, ": ", describe(tensor),
            " is a view that was made under NoGradGuard of a tensor with history, and is modified "
            "in place; make the view with gradients enabled, or modify it under NoGradGuard");
}

AMP_INLINE WrittenHistory::WrittenHistory(std::string_view op, const Tensor& tensor,
                                          const Tensor& value) {
  if (!is_grad_enabled() || !is_floating_point(tensor.dtype())) return;
  const Tensor base = detail::has_base(tensor.impl()) ? Tensor(tensor.impl().base) : Tensor();
  const bool had = requires_grad(tensor);
  if (!had && !requires_grad(value) && !requires_grad(base)) return;
  Tensor written = value;
  if (!requires_grad(value) && !base.defined()) {  // the gradient ends here, and is 0
    written = value.detach();
    record(
        op, written,
        [dtype = tensor.dtype()](const Tensor& grad, const Needs<1>&) -> Gradients<1> {
          return {zeros(grad.shape(), {.dtype = dtype, .device = grad.device()})};
        },
        tensor);
  }
  if (base.defined()) {
    detail::check_can_follow(op, tensor, base);
    const Tensor next = base.detach();
    const Strides strides = tensor.strides();
    const std::int64_t offset = detail::offset_in(base, tensor.impl());
    record(
        op, next,
        [strides, offset, shape = tensor.shape()](const Tensor& gradient,
                                                  const Needs<2>& needs) -> Gradients<2> {
          const auto part_of = [&](const Tensor& whole) {
            return whole.alias(shape, strides, whole.impl().offset + offset);
          };
          Gradients<2> gradients;  // in the memory of `gradient` if nothing else owns that
          const Tensor whole = Leaf::own(gradient);
          if (needs[1]) gradients[1] = Leaf::own(part_of(whole));
          if (needs[0]) {
            amp::detail::fill(part_of(whole), 0);
            gradients[0] = whole;
          }
          return gradients;
        },
        base, written);
    base_ = base;
    base_history_ = next.impl().history;
    const Tensor view = tensor.detach();
    record_view(op, view, next, strides, offset);
    history_ = view.impl().history;
  } else {
    history_ = Ref<RefCounted>(node_of(written));
  }
  tensor_ = tensor;
}

AMP_INLINE void WrittenHistory::commit() noexcept {
  if (!tensor_.defined()) return;
  amp::detail::TensorImpl& impl = tensor_.impl();
  impl.history = std::move(history_);
  if (base_.defined()) {
    amp::detail::TensorImpl& base = base_.impl();
    base.history = std::move(base_history_);
    impl.known_writes.store(++base.writes, std::memory_order_release);
  } else {
    impl.base = {};
    ++impl.writes;
  }
}

}  // namespace amp::inline v0::autograd
