// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include "amp/distributed/gradient_buckets.hpp"
#include "amp/kernels/unscale/host.hpp"
#include "amp/ops/tensor_members.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0::detail {

/// Returns the address of an element of the array at `data`.
AMP_INLINE void* element(void* data, std::int64_t index, DType dtype) {
  return static_cast<char*>(data) + index * item_size(dtype);
}

/// Describes a copy of `numel` elements with conversion.
AMP_INLINE kernels::GradientSpan copied(void* from, DType from_dtype, void* to, DType to_dtype,
                                        std::int64_t numel) {
  return {.data = from,
          .numel = numel,
          .dtype = from_dtype,
          .unscaled_dtype = to_dtype,
          .unscaled = to};
}

AMP_COLD void GradientBucket::finish(int ranks) {
  const std::int64_t multiple = kAlignment * ranks;
  numel_ = (numel_ + multiple - 1) / multiple * multiple;
  ranks_ = ranks;
  memory_ = zeros({numel_}, {.dtype = wire_, .device = device_});
}

AMP_INLINE Tensor GradientBucket::view(const Entry& entry, const Shape& shape) const {
  return memory_.alias(shape, contiguous_strides(shape), entry.offset);
}

AMP_INLINE ElementRange GradientBucket::part_of(const Entry& entry, int rank) const {
  const std::int64_t part = numel_ / ranks_;
  const auto within = [&](std::int64_t place) {
    return std::clamp<std::int64_t>(place - entry.offset, 0, entry.numel);
  };
  return {within(rank * part), within((rank + 1) * part)};
}

AMP_INLINE void GradientBucket::copy(const PoolVector<kernels::GradientSpan>& spans,
                                     const float* factor, float* found_inf,
                                     kernels::DescriptorTable& table) const {
  if (spans.empty()) return;
  const kernels::UnscaleArgs args{.device = device_,
                                  .gradients = spans.data(),
                                  .count = static_cast<std::int64_t>(spans.size()),
                                  .inverse_scale = factor,
                                  .found_inf = found_inf,
                                  .write = true,
                                  .table = &table};
  kernels::unscale(device_, args);
}

AMP_INLINE void GradientBucket::pack(const PoolVector<Tensor>& gradients, const float* factor,
                                     float* found_inf) {
  PoolVector<kernels::GradientSpan> spans;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const Entry& entry = entries_[i];
    if (!gradients[i].defined()) {
      fill(memory_.alias({entry.numel}, contiguous_strides({entry.numel}), entry.offset), 0);
    } else if (entry.numel != 0) {
      spans.push_back(copied(gradients[i].raw_data(), gradients[i].dtype(),
                             element(memory_.raw_data(), entry.offset, wire_), wire_, entry.numel));
    }
  }
  memory_.impl().storage->bump_version();
  copy(spans, factor, found_inf, packing_);
}

AMP_INLINE void GradientBucket::unpack(const PoolVector<Tensor>& gradients, const float* one,
                                       float* found_inf) {
  PoolVector<kernels::GradientSpan> spans;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const Entry& entry = entries_[i];
    if (!gradients[i].defined() || entry.numel == 0) continue;
    spans.push_back(copied(element(memory_.raw_data(), entry.offset, wire_), wire_,
                           gradients[i].raw_data(), gradients[i].dtype(), entry.numel));
    gradients[i].impl().storage->bump_version();
  }
  copy(spans, one, found_inf, unpacking_);
}

AMP_COLD void GradientBucket::prepare_gathering() {
  if (item_size(parameter_dtype_) > item_size(wire_))
    wide_ = zeros({numel_}, {.dtype = parameter_dtype_, .device = device_});
}

AMP_INLINE void GradientBucket::gather_parameters(const PoolVector<Tensor>& parameters,
                                                  Communicator& communicator, const float* one,
                                                  float* found_inf) {
  const DType dtype = parameter_dtype_;
  void* const place = (wide_.defined() ? wide_ : memory_).raw_data();
  PoolVector<kernels::GradientSpan> own, all;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const Entry& entry = entries_[i];
    void* const data = parameters[i].raw_data();
    const ElementRange range = part_of(entry, communicator.rank());
    if (range.length() != 0)
      own.push_back(copied(element(data, range.begin, dtype), dtype,
                           element(place, entry.offset + range.begin, dtype), dtype,
                           range.length()));
    if (entry.numel != 0)
      all.push_back(copied(element(place, entry.offset, dtype), dtype, data, dtype, entry.numel));
  }
  copy(own, one, found_inf, gathering_);
  communicator.all_gather(TensorView{place, numel_, dtype, device_}).wait();
  copy(all, one, found_inf, spreading_);
  for (const Tensor& parameter : parameters) parameter.impl().storage->bump_version();
}

AMP_COLD std::vector<GradientBucket> make_buckets(const NamedTensors& parameters,
                                                  std::optional<DType> wire,
                                                  std::int64_t first_bytes, std::int64_t bytes,
                                                  int ranks) {
  std::vector<GradientBucket> buckets;
  std::vector<std::size_t> open;  // a bucket for each pair of dtypes
  for (std::size_t p = parameters.size(); p-- > 0;) {
    const Tensor& parameter = parameters[p].second;
    const DType sent = wire.value_or(parameter.dtype());
    auto known = std::find_if(open.begin(), open.end(), [&](std::size_t b) {
      return buckets[b].fits(sent, parameter.dtype());
    });
    if (known == open.end()) {
      buckets.emplace_back(sent, parameter.dtype(), parameter.device());
      known = open.insert(open.end(), buckets.size() - 1);
    }
    GradientBucket& bucket = buckets[*known];
    bucket.add(p, parameter.numel());
    if (bucket.bytes() >= (*known == 0 ? first_bytes : bytes)) open.erase(known);
  }
  for (GradientBucket& bucket : buckets) bucket.finish(ranks);
  return buckets;
}

}  // namespace amp::inline v0::detail
