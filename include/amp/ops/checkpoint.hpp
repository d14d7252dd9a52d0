// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Activation recomputation (Chen et al. 2016, arXiv 1604.06174): memory for the activations of
// L layers falls to that of the segments' inputs and of one segment, for one more forward pass.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "amp/autocast/state.hpp"
#include "amp/autograd/grad_mode.hpp"
#include "amp/autograd/node.hpp"
#include "amp/core/error.hpp"
#include "amp/core/object_pool.hpp"
#include "amp/device/math_precision.hpp"
#include "amp/tensor/random_tape.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// Returns fn(inputs...), a tensor, and keeps only the inputs and fn for backward, which calls fn
/// again and goes through what that records (torch.utils.checkpoint.checkpoint):
///
/// ```cpp
/// const amp::nn::Sequential block(amp::nn::Linear(8, 8), amp::nn::GELU(), amp::nn::Dropout(0.1));
/// const amp::Tensor x = amp::randn({4, 8});
/// const amp::AutocastGuard autocast(amp::kCPU);
/// const amp::Tensor y = amp::checkpoint(block, x);
/// const amp::Tensor z = amp::checkpoint(
///     [block](const amp::Tensor& a, const amp::Tensor& b) { return block(a) + b; }, y, x);
/// amp::sum(z).backward();
/// assert(block.parameters()[0].grad().defined());
/// ```
///
/// Inputs: tensors, also undefined ones. fn may capture anything else, and also parameters and
/// computed tensors, which get their gradients. fn is copied or moved, and lives until backward;
/// what it captures by reference must live as long.
/// Backward: gradients are those of fn(inputs...) without the checkpoint, bit for bit. fn runs
/// again under the autocast state and the MathPrecision of forward, with the same random numbers,
/// and leaves the random stream and running statistics of batch norm alone. What else it changes,
/// it changes twice, unless it consults is_recomputing(). Checkpoints nest. Under NoGradGuard this
/// is fn(inputs...).
/// Errors: amp::Error in backward if an input was modified in place, if fn draws other random
/// numbers or returns another shape or dtype than before, or in a second backward. A captured
/// tensor that is modified between the passes, and a module that is switched between train() and
/// eval(), are not detected. An exception from fn passes through, in both passes; then no gradient
/// has changed. Threads: random numbers that fn draws on other threads are not repeated.
/// Cost: in memory, the inputs, and while backward is in fn, the tensors that one fn saves for it;
/// in time, fn once more. Does not synchronise.
template <class Function, class... Tensors>
[[nodiscard]] Tensor checkpoint(Function&& fn, const Tensors&... inputs);

namespace detail {

/// The state that a call needs to be repeated, beside the function: its inputs, with their history,
/// and the thread's autocast state, precision and random numbers. Made before the call.
struct CheckpointedCall {
  explicit CheckpointedCall(std::span<const Tensor> tensors);

  /// Whether the call recorded the history of what it returned.
  bool recorded(const Tensor& result) const;
  /// Throws if an input was written since the call.
  void require_unchanged() const;

  PoolVector<Tensor> inputs;  // under handles of their own, which set_data() does not reach
  PoolVector<std::uint64_t> versions;
  AutocastState autocast;
  MathPrecision precision;
  RandomTape random;
  std::uint64_t first_sequence;  // no node that the call records has a smaller one
};

/// The node that replaces the nodes that the call recorded: its inputs() are the edges that lead
/// out of those.
class CheckpointNode : public autograd::Node {
 public:
  CheckpointNode(const Tensor& result, CheckpointedCall&& call);

  std::span<const Ref<Node>> inputs() const override { return edges_; }
  // recompute() takes its place
  void backward(const Tensor&, std::span<Tensor>, const autograd::NodeSet*) override {}
  AMP_INLINE std::optional<Ref<Node>> recompute() override;
  AMP_INLINE void release() override;

 protected:
  virtual Tensor run(std::span<const Tensor> inputs) = 0;
  virtual void forget() = 0;

 private:
  Tensor repeat();
  /// Whether any input needs a gradient: a leaf that requires one, or a computed tensor.
  bool is_wanted() const;

  std::optional<CheckpointedCall> call_;  // until release
  PoolVector<Ref<Node>> edges_;
};

template <class Function, std::size_t N>
class CheckpointOf final : public CheckpointNode {
 public:
  template <class F>
  CheckpointOf(const Tensor& result, CheckpointedCall&& call, F&& function)
      : CheckpointNode(result, std::move(call)), function_(std::forward<F>(function)) {}

 private:
  Tensor run([[maybe_unused]] std::span<const Tensor> inputs) override {
    return [&]<std::size_t... I>(std::index_sequence<I...>) { return (*function_)(inputs[I]...); }
    (std::make_index_sequence<N>());
  }
  void forget() override { function_.reset(); }

  std::optional<Function> function_;
};

/// The memory of `result`, with `node` as its history.
AMP_LAZY Tensor with_checkpoint(const Tensor& result, Ref<CheckpointNode> node);

}  // namespace detail

/// Defined after `detail`, which it uses.
template <class Function, class... Tensors>
Tensor checkpoint(Function&& fn, const Tensors&... inputs) {
  using Kept = std::decay_t<Function>;
  static_assert((std::is_same_v<Tensors, Tensor> && ...),
                "checkpoint takes tensors; capture everything else");
  static_assert(alignof(Kept) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
  if (!is_grad_enabled()) return fn(inputs...);
  const std::array<Tensor, sizeof...(Tensors)> list{inputs...};
  detail::CheckpointedCall call(list);
  const Tensor result = [&] {
    const detail::RandomScope random(call.random, detail::RandomTapeUse::kRecord);
    return fn(inputs...);
  }();
  if (!call.recorded(result)) return result;
  return detail::with_checkpoint(result, detail::or_out_of_memory([&] {
                                   return make_ref<detail::CheckpointOf<Kept, sizeof...(Tensors)>>(
                                       result, std::move(call), std::forward<Function>(fn));
                                 }));
}

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/ops/checkpoint.ipp"
#endif
