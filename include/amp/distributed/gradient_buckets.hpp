// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Gradients of many parameters side by side in a few buffers, so that ranks exchange few large
// messages instead of many small ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "amp/core/object_pool.hpp"
#include "amp/distributed/communicator.hpp"
#include "amp/kernels/traversal/descriptor_table.hpp"
#include "amp/kernels/unscale/args.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::detail {

/// A range of the elements of a bucket, or of a parameter.
struct ElementRange {
  std::int64_t begin = 0, end = 0;

  std::int64_t length() const { return end - begin; }
  friend bool operator==(const ElementRange&, const ElementRange&) = default;
};

/// The content of one message: the elements of some parameters, each beginning at a multiple of
/// kAlignment, with zeros between them. All parameters have one dtype. The bucket is divided into
/// parts of equal length, one for each rank.
class GradientBucket {
 public:
  /// In elements: at least 16 bytes in any dtype that is sent, so that kernels can load vectors.
  static constexpr std::int64_t kAlignment = 8;

  struct Entry {
    std::size_t parameter;  // its index
    std::int64_t numel;
    std::int64_t offset;  // its first element in the bucket
  };

  GradientBucket(DType wire, DType parameters, Device device)
      : wire_(wire), parameter_dtype_(parameters), device_(device) {}

  bool fits(DType wire, DType parameters) const {
    return wire == wire_ && parameters == parameter_dtype_;
  }
  void add(std::size_t parameter, std::int64_t numel) {
    entries_.push_back({parameter, numel, numel_});
    numel_ += (numel + kAlignment - 1) / kAlignment * kAlignment;
  }
  /// Allocates the memory, filled with 0. No entry can be added afterwards.
  void finish(int ranks);

  const std::vector<Entry>& entries() const { return entries_; }
  DType wire() const { return wire_; }
  DType parameter_dtype() const { return parameter_dtype_; }
  std::int64_t numel() const { return numel_; }
  std::int64_t bytes() const { return numel_ * item_size(wire_); }
  const Tensor& memory() const { return memory_; }
  /// Returns a view of the elements of an entry, with the shape of its parameter.
  Tensor view(const Entry& entry, const Shape& shape) const;
  /// Returns the elements of an entry that are in the part of a rank, as a range of the parameter's
  /// elements.
  ElementRange part_of(const Entry& entry, int rank) const;

  /// Converts `gradients`, one for each entry, times *factor, into the bucket, in one launch. An
  /// undefined gradient counts as 0.
  void pack(const PoolVector<Tensor>& gradients, const float* factor, float* found_inf);
  /// Converts the elements of each entry into `gradients`; undefined gradients are skipped.
  void unpack(const PoolVector<Tensor>& gradients, const float* one, float* found_inf);

  /// Allocates the memory for gather_parameters().
  void prepare_gathering();
  /// Makes `parameters`, one for each entry, the same on all ranks: each element is taken from the
  /// rank whose part contains it. Uses the bucket's memory if a parameter's elements fit there.
  void gather_parameters(const PoolVector<Tensor>& parameters, Communicator& communicator,
                         const float* one, float* found_inf);

 private:
  void copy(const PoolVector<kernels::GradientSpan>& spans, const float* factor, float* found_inf,
            kernels::DescriptorTable& table) const;

  DType wire_, parameter_dtype_;
  Device device_;
  std::vector<Entry> entries_;
  std::int64_t numel_ = 0;
  int ranks_ = 1;
  Tensor memory_;
  Tensor wide_;  // memory for parameters whose elements are larger than those that are sent
  kernels::DescriptorTable packing_, unpacking_, gathering_, spreading_;
};

/// Puts parameters into buckets, the last parameter first: backward computes gradients in about
/// that order. `wire` is the dtype of the elements in the buckets; if unset, the parameters'.
std::vector<GradientBucket> make_buckets(const NamedTensors& parameters, std::optional<DType> wire,
                                         std::int64_t first_bytes, std::int64_t bytes, int ranks);

}  // namespace amp::inline v0::detail

#if AMP_HEADER_ONLY
#include "amp/distributed/gradient_buckets.ipp"
#endif
