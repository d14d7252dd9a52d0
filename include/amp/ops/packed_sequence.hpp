// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Sequences of different lengths: padded to one length, or packed, step by step, without padding.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// Sequences sorted by length, the longest first. `data` [N, ...] has the first elements of all of
/// them, then the second ones of those that have one, and so on; batch_sizes [T], int64 on the CPU,
/// says how many each step has. If the sequences were sorted, sorted_indices [B] are their numbers
/// in the order in which they are packed, and unsorted_indices [B] the reverse: int64 on the device
/// of `data`. Else both are undefined.
struct PackedSequence {
  Tensor data, batch_sizes;
  Tensor sorted_indices = {}, unsorted_indices = {};
};

/// How pack_padded_sequence packs. Without `enforce_sorted`, it sorts.
struct PackOptions {
  bool batch_first = false;
  bool enforce_sorted = true;
};
/// How pad_packed_sequence pads: up to `total_length`, or the longest sequence.
struct PadPackedOptions {
  bool batch_first = false;
  double padding_value = 0;
  std::optional<std::int64_t> total_length = {};
};
/// How pad_sequence pads.
struct PadSequenceOptions {
  bool batch_first = false;
  double padding_value = 0;
  bool pads_left = false;  // torch's padding_side
};
/// Sequences, and how long each of them is: int64 [B] on the CPU.
struct PaddedSequences {
  Tensor output, lengths;
};

/// Packs the sequences of input [T, B, ...], or [B, T, ...] with `batch_first`. lengths [B] are
/// integers on the CPU, from 1 to T; with `enforce_sorted` they may not grow. Any dtype. Under
/// autocast: unchanged.
AMP_LAZY [[nodiscard]] PackedSequence pack_padded_sequence(const Tensor& input,
                                                           const Tensor& lengths,
                                                           const PackOptions& options = {});
AMP_LAZY [[nodiscard]] PackedSequence pack_padded_sequence(const Tensor& input,
                                                           const std::vector<std::int64_t>& lengths,
                                                           const PackOptions& options = {});

/// The reverse: [T, B, ...], or [B, T, ...] with `batch_first`, in the order that the sequences had
/// before they were packed. Any dtype. Under autocast: unchanged. Synchronises if the sequences
/// were sorted on another device than the CPU.
AMP_LAZY [[nodiscard]] PaddedSequences pad_packed_sequence(const PackedSequence& sequence,
                                                           const PadPackedOptions& options = {});

/// The sequences [L, ...], each padded to the longest, as one tensor [T, B, ...], or [B, T, ...]
/// with `batch_first`, in the dtype of the first. Any dtype; an integer takes the integer part of
/// the padding value. Under autocast: unchanged.
AMP_LAZY [[nodiscard]] Tensor pad_sequence(const std::vector<Tensor>& sequences,
                                           const PadSequenceOptions& options = {});

namespace detail {

/// Throws unless the sequence is one that pack_padded_sequence() might have made.
AMP_LAZY void check_packed(std::string_view op, const PackedSequence& sequence);

}  // namespace detail
}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/ops/packed_sequence.ipp"
#endif
