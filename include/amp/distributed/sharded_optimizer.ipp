// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include "amp/core/error.hpp"
#include "amp/distributed/gradient_reducer.hpp"
#include "amp/distributed/sharded_optimizer.hpp"
#include "amp/ops/tensor_members.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0::detail {

AMP_COLD ParameterShards::ParameterShards(DataParallel& parallel)
    : reducer_(Ref<GradientReducer>(&parallel.reducer())) {
  reducer_->shard();
  shards_.resize(reducer_->parameters().size());
  const Communicator& communicator = reducer_->communicator();
  for (const GradientBucket& bucket : reducer_->buckets()) {
    for (const GradientBucket::Entry& entry : bucket.entries()) {
      const Tensor& parameter = reducer_->parameters()[entry.parameter].second;
      Shard& shard = shards_[entry.parameter];
      shard.name = reducer_->parameters()[entry.parameter].first;
      shard.parameter = parameter;
      shard.data = parameter.raw_data();
      for (int r = 0; r < communicator.size(); ++r)
        shard.of_ranks.push_back(bucket.part_of(entry, r));
      const ElementRange range = own(shard);
      const auto part = [&](void* data, std::int64_t first, DType dtype) {
        return TensorView{static_cast<char*>(data) + first * item_size(dtype), range.length(),
                          dtype, parameter.device()};
      };
      shard.view.weight = part(parameter.raw_data(), range.begin, parameter.dtype());
      shard.view.gradient =
          part(bucket.memory().raw_data(), entry.offset + range.begin, bucket.wire());
    }
  }
  for (Shard& shard : shards_) shard.view.weight.name = shard.name;
}

AMP_COLD ParameterShards::~ParameterShards() { reducer_->unshard(); }

AMP_INLINE const ElementRange& ParameterShards::own(const Shard& shard) const {
  return shard.of_ranks[static_cast<std::size_t>(reducer_->communicator().rank())];
}

AMP_COLD std::vector<ParameterView> ParameterShards::views(
    const std::vector<Tensor>& params) const {
  std::vector<ParameterView> views;
  for (const Shard& shard : shards_) {
    if (params.empty()) views.push_back(shard.view);
  }
  for (std::size_t i = 0; i < params.size(); ++i) {
    const auto found = std::find_if(shards_.begin(), shards_.end(), [&](const Shard& shard) {
      return shard.parameter.is_same(params[i]);
    });
    AMP_CHECK(found != shards_.end(), "ShardedOptimizer: params[", i, "], ", describe(params[i]),
              ", is no parameter of the DataParallel that requires gradients");
    views.push_back(found->view);
  }
  return views;
}

AMP_INLINE void ParameterShards::require_memory() const {
  for (const Shard& shard : shards_)
    AMP_CHECK(
        shard.parameter.raw_data() == shard.data, "ShardedOptimizer: parameter \"", shard.name,
        "\", ", describe(shard.parameter),
        ", has other memory than when the optimizer was made; convert and move a model before");
}

AMP_INLINE bool ParameterShards::has_gradients() const { return reducer_->has_shard(); }
AMP_INLINE bool ParameterShards::gradients_are_scaled() const {
  return reducer_->shard_is_scaled();
}
AMP_INLINE void ParameterShards::note_unscaled() { reducer_->note_unscaled(); }

AMP_INLINE void ParameterShards::gather() {
  reducer_->gather_parameters();
  reducer_->forget_shard();
}

AMP_INLINE void ParameterShards::zero_grad() {
  reducer_->forget_shard();
  for (const Shard& shard : shards_) shard.parameter.set_grad(Tensor());
}

AMP_INLINE Tensor ParameterShards::gather_norms(const Tensor& norm) const {
  const Communicator& communicator = reducer_->communicator();
  const Tensor norms = zeros({communicator.size()}, {.dtype = kFloat64, .device = norm.device()});
  copy_elements(norm, norms.alias({}, {}, communicator.rank()));
  const CallsOf calls = reducer_->marked_calls();
  reducer_->communicator().all_gather(norms).wait();
  return norms;
}

AMP_COLD const ParameterShards::Shard* ParameterShards::shard_of(const std::string& entry) const {
  const std::string name = entry.substr(0, entry.rfind('.'));
  for (const Shard& shard : shards_) {
    if (shard.name == name) return &shard;
  }
  return nullptr;
}

AMP_COLD NamedTensors ParameterShards::whole(const NamedTensors& parts) const {
  NamedTensors whole;
  const CallsOf calls = reducer_->marked_calls();
  for (const auto& [name, part] : parts) {
    const Shard* const shard = shard_of(name);
    if (shard == nullptr || part.dim() == 0) {  // a number, the same on all ranks
      whole.emplace_back(name, part);
      continue;
    }
    // State with two bytes for each element has the shape [elements, 2].
    const bool pairs = part.dim() == 2;
    const std::int64_t width = pairs ? 2 : 1, numel = shard->parameter.numel();
    const Tensor all = zeros({numel * width}, {.dtype = part.dtype(), .device = part.device()});
    const auto range_of = [&](const ElementRange& range) {
      return all.narrow(0, range.begin * width, range.length() * width);
    };
    range_of(own(*shard)).copy_(part.flatten());
    for (std::size_t r = 0; r < shard->of_ranks.size(); ++r) {
      if (shard->of_ranks[r].length() != 0)
        reducer_->communicator()
            .broadcast(range_of(shard->of_ranks[r]), static_cast<int>(r))
            .wait();
    }
    whole.emplace_back(name, all.reshape(pairs ? Shape{numel, 2} : shard->parameter.shape()));
  }
  return whole;
}

AMP_COLD NamedTensors ParameterShards::parts(const NamedTensors& whole) const {
  NamedTensors parts;
  for (const auto& [name, tensor] : whole) {
    const Shard* const shard = shard_of(name);
    if (shard == nullptr || !tensor.defined() || tensor.dtype() == kInt64) {  // a count
      parts.emplace_back(name, tensor);
      continue;
    }
    const Shape& shape = shard->parameter.shape();
    const std::int64_t numel = shape.numel();
    const bool pairs = tensor.dtype() == kUInt8 && tensor.shape() == Shape{numel, 2};
    AMP_CHECK(pairs || tensor.shape() == shape, "load_state_dict: \"", name, "\" must be of shape ",
              shape, ", but is ", describe(tensor));
    const ElementRange& range = own(*shard);
    const Tensor rows = pairs ? tensor : tensor.reshape({numel});
    parts.emplace_back(name, rows.narrow(0, range.begin, range.length()));
  }
  return parts;
}

}  // namespace amp::inline v0::detail
