// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <exception>
#include <limits>
#include <utility>

#include "amp/core/error.hpp"
#include "amp/device/capture.hpp"
#include "amp/distributed/gradient_reducer.hpp"
#include "amp/ops/arithmetic.hpp"
#include "amp/ops/tensor_members.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0::detail {

/// Returns the leaf of a parameter, or null if the parameter no longer requires gradients.
AMP_INLINE autograd::Leaf* trained_leaf(const Tensor& parameter) {
  autograd::Leaf* const leaf = autograd::leaf_of(parameter);
  return leaf != nullptr && leaf->requires_grad ? leaf : nullptr;
}

AMP_COLD GradientReducer::GradientReducer(const NamedTensors& parameters,
                                          const NamedTensors& buffers, Communicator& communicator,
                                          const DataParallelOptions& options)
    : communicator_(communicator), options_(options) {
  AMP_CHECK(!options.wire || *options.wire == kFloat32 || is_low_precision(*options.wire),
            "DataParallel: `wire` must be float32, float16 or bfloat16, but is ",
            options.wire.value_or(kFloat32));
  AMP_CHECK(options.bucket_bytes > 0 && options.first_bucket_bytes > 0,
            "DataParallel: `bucket_bytes` and `first_bucket_bytes` must be above 0, but are ",
            options.bucket_bytes, " and ", options.first_bucket_bytes);
  AMP_CHECK(options.check_every >= 0, "DataParallel: `check_every` must not be negative, but is ",
            options.check_every);
  NamedTensors all = parameters;
  all.insert(all.end(), buffers.begin(), buffers.end());
  for (const auto& entry : parameters) {
    const bool trained = entry.second.defined() && entry.second.requires_grad();
    (trained ? parameters_ : frozen_).push_back(entry);
  }
  AMP_CHECK(!parameters_.empty(), "DataParallel: there is no parameter that requires gradients");
  check_parameters(all);
  for (const auto& entry : buffers) {
    if (is_floating_point(entry.second.dtype())) buffers_.push_back(entry);
  }
  words_ = tensor({1 / static_cast<float>(communicator.size()), 1.0F, 0.0F}, {3}).to(device());
  number_ = CallsOf::next_parallel(communicator);
  const CallsOf calls = marked_calls();
  compare_signatures(communicator, all, options);
  broadcast(all);
  buckets_ = make_buckets(parameters_, options.wire, options.first_bucket_bytes,
                          options.bucket_bytes, communicator.size());
  constexpr std::int64_t kAny = (std::numeric_limits<std::int64_t>::max)();
  if (options.broadcast_buffers) buffer_buckets_ = make_buckets(buffers_, {}, kAny, kAny, 1);
  bucket_of_.resize(parameters_.size());
  for (std::size_t b = 0; b < buckets_.size(); ++b) {
    for (const auto& entry : buckets_[b].entries()) bucket_of_[entry.parameter] = b;
  }
  begin();  // allocates, so that passes do not
  used_ = added_;
  under_way_ = false;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    autograd::Leaf& leaf = *autograd::leaf_of(parameters_[i].second);
    leaf.listener = Ref<autograd::GradientListener>(this);
    leaf.listener_index = i;
  }
}

AMP_COLD void GradientReducer::check_parameters(const NamedTensors& all) const {
  const Device home = device();
  AMP_CHECK(communicator_.takes(home), "DataParallel: the parameters are on ", home,
            ", which a communicator of ", communicator_.engine(), " does not take");
  for (const auto& [name, tensor] : all) {
    AMP_CHECK(tensor.defined(), "DataParallel: \"", name, "\" is undefined");
    AMP_CHECK(tensor.device() == home, "DataParallel: \"", name, "\" is on ", tensor.device(),
              ", but \"", parameters_[0].first, "\" is on ", home);
    AMP_CHECK(tensor.is_contiguous(), "DataParallel: \"", name, "\", ", describe(tensor),
              ", must be contiguous, but has strides ", tensor.strides());
    const autograd::Leaf* const leaf = autograd::leaf_of(tensor);
    AMP_CHECK(leaf == nullptr || !leaf->listener, "DataParallel: \"", name,
              "\" is in another DataParallel");
    AMP_CHECK(!tensor.requires_grad() || leaf != nullptr, "DataParallel: \"", name,
              "\" was computed; a parameter is a leaf");
  }
}

AMP_COLD void GradientReducer::broadcast(const NamedTensors& tensors) const {
  for (const auto& entry : tensors) communicator_.broadcast(entry.second).wait();
}

AMP_COLD void GradientReducer::settle() noexcept {
  for (Collective& message : sent_) {
    try {
      message.wait();
    } catch (const std::exception&) {  // a failed message does not use the memory any more
    }
  }
}

AMP_COLD void GradientReducer::detach() noexcept {
  const bool under_way = std::any_of(
      sent_.begin(), sent_.end(), [](const Collective& message) { return !message.is_finished(); });
  if (under_way && std::uncaught_exceptions() > 0) {
    // An exception is under way here: waiting for other ranks, which may wait for this one, could
    // block for ever. The messages still use the memory, so it is leaked.
    static_cast<void>(new std::vector<GradientBucket>(std::move(buckets_)));
  } else {
    settle();
  }
  for (const auto& entry : parameters_) {
    autograd::Leaf* const leaf = autograd::leaf_of(entry.second);
    if (leaf != nullptr && leaf->listener.get() == this) leaf->listener.reset();
  }
}

AMP_COLD void GradientReducer::shard() {
  AMP_CHECK(!shards_, "ShardedOptimizer: the DataParallel has a ShardedOptimizer already");
  AMP_CHECK(!options_.find_unused,
            "ShardedOptimizer: DataParallelOptions::find_unused is not supported");
  for (GradientBucket& bucket : buckets_) bucket.prepare_gathering();
  shards_ = true;
}

AMP_INLINE void GradientReducer::begin() {
  AMP_CHECK(!has_shard_,
            "backward: no step has used the gradients of the last backward(), of which a "
            "ShardedOptimizer has kept a part; add them up within NoSyncGuard, or call the "
            "optimizer's zero_grad()");
  settle();
  under_way_ = true;
  added_.assign(parameters_.size(), false);
  missing_.clear();
  for (const GradientBucket& bucket : buckets_) missing_.push_back(bucket.entries().size());
  sent_.assign(buckets_.size(), Collective());
  next_ = 0;
}

AMP_INLINE void GradientReducer::accumulated(std::size_t index) {
  if (paused_ > 0) return;
  if (!under_way_) begin();
  AMP_CHECK(!added_[index] || bucket_of_[index] >= next_, "backward: parameter \"",
            parameters_[index].first,
            "\" of a DataParallel got a part of its gradient after it was sent");
  if (added_[index]) return;
  added_[index] = true;
  --missing_[bucket_of_[index]];
  while (next_ < buckets_.size() && missing_[next_] == 0) {
    const GradientBucket& bucket = buckets_[next_];
    send(next_);  // in this order on all ranks
    ++statistics_.buckets_early;
    statistics_.bytes_early += bucket.bytes();
  }
}

AMP_INLINE void GradientReducer::backward_ends() { end_pass(!options_.find_unused); }

AMP_COLD void GradientReducer::end_without_samples() { end_pass(false); }

AMP_INLINE void GradientReducer::backward_fails() noexcept { under_way_ = false; }

AMP_INLINE void GradientReducer::end_pass(bool needs_gradients) {
  if (paused_ > 0) return;
  try {
    if (!under_way_) begin();
    if (needs_gradients) require_gradients();
    send_all();
  } catch (...) {
    backward_fails();
    throw;
  }
}

AMP_INLINE void GradientReducer::send_all() {
  for (const auto& [name, tensor] : frozen_) {
    AMP_CHECK(!tensor.requires_grad(), "DataParallel: parameter \"", name,
              "\" did not require gradients when the DataParallel was made, so its gradient is not "
              "sent; make another DataParallel");
  }
  for (const auto& [name, tensor] : parameters_) {
    AMP_CHECK(!shards_ || tensor.requires_grad(), "ShardedOptimizer: parameter \"", name,
              "\" no longer requires gradients; make DataParallel and optimizer anew");
  }
  while (next_ < buckets_.size()) send(next_);
  used_.assign(parameters_.size(), true);
  if (options_.find_unused) find_used();
  for (std::size_t b = 0; b < buckets_.size(); ++b) {
    sent_[b].wait();
    buckets_[b].memory().impl().storage->bump_version();
    if (!shards_) receive(b);
  }
  if (shards_) receive_shard();
  send_buffers();
  under_way_ = false;
  ++statistics_.passes;
  const bool due = options_.check_every > 0 && statistics_.passes % options_.check_every == 0;
  if (due && !in_graph_call()) check_parameters();
}

AMP_INLINE PoolVector<Tensor> GradientReducer::gradients_of(const GradientBucket& bucket) const {
  PoolVector<Tensor> gradients;
  for (const auto& entry : bucket.entries()) {
    const auto& [name, parameter] = parameters_[entry.parameter];
    AMP_CHECK(parameter.numel() == entry.numel && parameter.dtype() == bucket.parameter_dtype() &&
                  parameter.device() == device(),
              "DataParallel: parameter \"", name, "\" is now ", describe(parameter), " on ",
              parameter.device(),
              "; convert and move a model before the DataParallel is made, not after");
    gradients.push_back(parameter.grad());
  }
  return gradients;
}

AMP_INLINE void GradientReducer::send(std::size_t bucket) {
  GradientBucket& b = buckets_[bucket];
  const bool wide = b.wire() == kFloat64;  // the factor is a float32
  b.pack(gradients_of(b), wide ? one() : factor(), found());
  if (wide) b.memory().copy_(b.memory() * (1.0 / communicator_.size()));
  const TensorView values{b.memory().raw_data(), b.numel(), b.wire(), device()};
  const CallsOf calls = marked_calls(bucket + 1);
  sent_[bucket] = shards_ ? communicator_.reduce_scatter(values) : communicator_.all_reduce(values);
  ++next_;
  ++statistics_.buckets;
  statistics_.bytes += b.bytes();
}

AMP_INLINE void GradientReducer::receive(std::size_t bucket) {
  GradientBucket& b = buckets_[bucket];
  PoolVector<Tensor> converted;
  bool converts = false, scaled = false;
  for (const auto& entry : b.entries()) {
    const Tensor& parameter = parameters_[entry.parameter].second;
    autograd::Leaf* const leaf = trained_leaf(parameter);
    Tensor& to = converted.emplace_back();
    if (leaf == nullptr) continue;
    scaled = scaled || leaf->is_scaled;
    if (!used_[entry.parameter]) continue;
    const DType dtype = leaf->grad.defined() ? leaf->grad.dtype() : parameter.dtype();
    if (dtype == b.wire()) {
      leaf->grad = b.view(entry, parameter.shape());
      continue;
    }
    if (!leaf->grad.defined()) leaf->grad = make_tensor(parameter.shape(), dtype, device());
    to = leaf->grad;
    converts = true;
  }
  if (converts) b.unpack(converted, one(), found());
  for (const auto& entry : b.entries()) {
    autograd::Leaf* const leaf = trained_leaf(parameters_[entry.parameter].second);
    if (leaf != nullptr && leaf->grad.defined()) leaf->is_scaled = scaled;
  }
}

AMP_INLINE void GradientReducer::receive_shard() {
  shard_is_scaled_ = false;
  for (const auto& entry : parameters_) {
    autograd::Leaf* const leaf = trained_leaf(entry.second);
    if (leaf == nullptr) continue;
    leaf->grad = Tensor();
    shard_is_scaled_ = shard_is_scaled_ || leaf->is_scaled;
    leaf->is_scaled = false;
  }
  has_shard_ = true;
}

AMP_INLINE void GradientReducer::require_gradients() const {
  std::string names;
  std::size_t count = 0;
  for (const auto& [name, parameter] : parameters_) {
    const autograd::Leaf* const leaf = trained_leaf(parameter);
    if (leaf == nullptr || leaf->grad.defined()) continue;
    if (++count <= 8) names += (count == 1 ? "\"" : ", \"") + name + "\"";
  }
  AMP_CHECK(count == 0, "backward: ", count, count == 1 ? " parameter" : " parameters",
            " of a DataParallel got no gradient on rank ", communicator_.rank(), ": ", names,
            count > 8 ? ", ..." : "",
            "; if a loss need not depend on all parameters, set "
            "DataParallelOptions{.find_unused = true}");
}

AMP_COLD void GradientReducer::find_used() {
  std::vector<float> own;
  for (const auto& entry : parameters_) own.push_back(entry.second.grad().defined() ? 1.0F : 0.0F);
  const Tensor any = tensor(own, {static_cast<std::int64_t>(own.size())}).to(device());
  const CallsOf calls = marked_calls();
  communicator_.all_reduce(any, ReduceOp::kAny).wait();
  const std::vector<float> words = any.to_vector<float>();
  for (std::size_t i = 0; i < words.size(); ++i) used_[i] = words[i] != 0;
}

AMP_INLINE void GradientReducer::send_buffers() {
  const CallsOf calls = marked_calls();
  for (GradientBucket& bucket : buffer_buckets_) {
    PoolVector<Tensor> tensors;
    for (const auto& entry : bucket.entries()) tensors.push_back(buffers_[entry.parameter].second);
    bucket.pack(tensors, one(), found());
    communicator_.broadcast(bucket.memory()).wait();
    bucket.unpack(tensors, one(), found());
  }
}

AMP_INLINE void GradientReducer::gather_parameters() {
  const CallsOf calls = marked_calls();
  for (GradientBucket& bucket : buckets_) {
    PoolVector<Tensor> tensors;
    for (const auto& entry : bucket.entries())
      tensors.push_back(parameters_[entry.parameter].second);
    bucket.gather_parameters(tensors, communicator_, one(), found());
  }
}

}  // namespace amp::inline v0::detail
