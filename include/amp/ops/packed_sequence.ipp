// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>

#include "amp/autocast/cast.hpp"
#include "amp/core/object_pool.hpp"
#include "amp/ops/checks.hpp"
#include "amp/ops/comparison.hpp"
#include "amp/ops/indexing.hpp"
#include "amp/ops/join.hpp"
#include "amp/ops/packed_sequence.hpp"
#include "amp/ops/shape.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0 {
namespace detail {

using Indices = std::vector<std::int64_t>;

AMP_LAZY Tensor index_on(const Indices& values, const Shape& shape, Device device) {
  return tensor(values, shape, {.device = device});
}

/// [rows, ...] with the shape of what follows the first `merged` dimensions of x.
AMP_LAZY Tensor with_rows(const Tensor& x, const Shape& rows, int merged) {
  Shape shape = rows;
  for (int d = merged; d < x.dim(); ++d) shape.push_back(x.shape()[d]);
  return reshape(x, shape);
}

/// Rows of data [N, ...] as [places, ...]: for each place, the number of its row, or -1 for one of
/// padding.
AMP_LAZY Tensor place_rows(const Tensor& data, Indices rows, const Shape& places, double padding) {
  const autocasting::NoCasts no_casts;
  std::vector<bool> is_row;
  bool pads = false;
  for (std::int64_t& row : rows) {
    is_row.push_back(row >= 0);
    pads = pads || row < 0;
    row = (std::max)(row, std::int64_t{0});
  }
  const std::int64_t count = places.numel();
  Tensor placed = index_select(data, 0, index_on(rows, {count}, data.device()));
  if (pads && placed.numel() != 0) {
    Shape shape = placed.shape();
    for (int d = 1; d < shape.dims(); ++d) shape[d] = 1;
    const std::vector<std::uint8_t> flags(is_row.begin(), is_row.end());
    const Tensor keeps = tensor(flags, shape, {.dtype = kBool, .device = data.device()});
    const kernels::Operand number =
        is_floating_point(data.dtype())
            ? kernels::Operand::scalar(padding, data.device())
            : kernels::Operand::scalar(to_integer<std::int64_t>(padding), data.device());
    placed = where(keeps, placed, number, false).to(data.dtype());
  }
  return with_rows(placed, places, 1);
}

AMP_LAZY_DEFINITION void check_packed(std::string_view op, const PackedSequence& sequence) {
  const Tensor &data = sequence.data, &sizes = sequence.batch_sizes;
  check_defined(op, "data", data);
  check_defined(op, "batch_sizes", sizes);
  AMP_CHECK(sizes.dtype() == kInt64 && sizes.dim() == 1 && sizes.numel() > 0 &&
                sizes.device().type == kCPU,
            op, ": `batch_sizes` must be int64 [T] on the CPU, with T > 0, but is ",
            describe(sizes));
  const Indices values = sizes.to_vector<std::int64_t>();
  const bool falls = std::is_sorted(values.rbegin(), values.rend()) && values.back() > 0;
  AMP_CHECK(falls, op, ": `batch_sizes` must be positive, and may not grow");
  const std::int64_t rows = std::accumulate(values.begin(), values.end(), std::int64_t{0});
  AMP_CHECK(data.dim() >= 1 && data.size(0) == rows, op,
            ": `data` must have as many rows as `batch_sizes` add up to, ", rows, ", but is ",
            describe(data));
  for (const Tensor& order : {sequence.sorted_indices, sequence.unsorted_indices}) {
    if (order.defined()) check_same_device(op, "data", data, "sorted_indices", order);
    AMP_CHECK(!order.defined() ||
                  (order.dtype() == kInt64 && order.dim() == 1 && order.numel() == values.front()),
              op, ": `sorted_indices` and `unsorted_indices` must be int64 [", values.front(),
              "], or undefined, but one is ", describe(order));
  }
}

}  // namespace detail

AMP_LAZY_DEFINITION PackedSequence pack_padded_sequence(const Tensor& input, const Tensor& lengths,
                                                        const PackOptions& options) {
  constexpr std::string_view kOp = "pack_padded_sequence";
  detail::check_defined(kOp, "lengths", lengths);
  AMP_CHECK(lengths.dim() == 1 && !is_floating_point(lengths.dtype()) && lengths.dtype() != kBool &&
                lengths.device().type == kCPU,
            kOp, ": `lengths` must be integers [B] on the CPU, but is ", describe(lengths));
  return pack_padded_sequence(input, lengths.to_vector<std::int64_t>(), options);
}

AMP_LAZY_DEFINITION PackedSequence pack_padded_sequence(const Tensor& input,
                                                        const std::vector<std::int64_t>& lengths,
                                                        const PackOptions& options) {
  static constexpr std::string_view kOp = "pack_padded_sequence";
  detail::check_defined(kOp, "input", input);
  AMP_CHECK(input.dim() >= 2, kOp, ": `input` must have at least 2 dimensions, but is ",
            describe(input));
  const std::int64_t batch = input.size(options.batch_first ? 0 : 1),
                     steps = input.size(options.batch_first ? 1 : 0);
  AMP_CHECK(batch > 0 && static_cast<std::int64_t>(lengths.size()) == batch, kOp,
            ": `lengths` must have a length for each of the ", batch,
            " sequences of `input`, at least one, but has ", lengths.size());
  const auto length = [&](std::int64_t i) { return lengths[static_cast<std::size_t>(i)]; };
  for (const std::int64_t l : lengths)
    AMP_CHECK(l >= 1 && l <= steps, kOp, ": `lengths` must lie in [1, ", steps,
              "], the steps of `input` ", describe(input), ", but one is ", l);
  detail::Indices order(lengths.size());
  std::iota(order.begin(), order.end(), std::int64_t{0});
  const auto is_longer = [&](std::int64_t a, std::int64_t b) { return length(a) > length(b); };
  AMP_CHECK(!options.enforce_sorted || std::is_sorted(order.begin(), order.end(), is_longer), kOp,
            ": `lengths` may not grow; set `enforce_sorted` to false to have them sorted");
  std::stable_sort(order.begin(), order.end(), is_longer);
  detail::Indices rows, sizes;
  for (std::int64_t t = 0; t < length(order[0]); ++t) {
    const std::size_t before = rows.size();
    for (const std::int64_t i : order) {
      if (length(i) > t) rows.push_back(options.batch_first ? i * steps + t : t * batch + i);
    }
    sizes.push_back(static_cast<std::int64_t>(rows.size() - before));
  }
  PackedSequence packed;
  packed.data = autocasting::call(
      "pack_padded_sequence",
      [&](const Tensor& x) {
        const Tensor flat = detail::with_rows(x, {batch * steps}, 2);
        return detail::place_rows(flat, rows, {static_cast<std::int64_t>(rows.size())}, 0);
      },
      input);
  packed.batch_sizes = detail::index_on(sizes, {sizes.size()}, kCPU);
  if (!options.enforce_sorted) {
    detail::Indices inverse(order.size());
    for (std::size_t i = 0; i < order.size(); ++i)
      inverse[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i);
    packed.sorted_indices = detail::index_on(order, {batch}, input.device());
    packed.unsorted_indices = detail::index_on(inverse, {batch}, input.device());
  }
  return packed;
}

AMP_LAZY_DEFINITION PaddedSequences pad_packed_sequence(const PackedSequence& sequence,
                                                        const PadPackedOptions& options) {
  static constexpr std::string_view kOp = "pad_packed_sequence";
  detail::check_packed(kOp, sequence);
  const detail::Indices sizes = sequence.batch_sizes.to_vector<std::int64_t>();
  const auto longest = static_cast<std::int64_t>(sizes.size());
  const std::int64_t batch = sizes[0], steps = options.total_length.value_or(longest);
  AMP_CHECK(steps >= longest, kOp, ": `total_length` ", steps,
            " must be at least the length of the longest sequence, ", longest);
  (void)byte_count(Shape(batch, steps), kInt64);           // throws if there are too many
  detail::Indices place(static_cast<std::size_t>(batch));  // of each packed sequence
  std::iota(place.begin(), place.end(), std::int64_t{0});
  if (sequence.unsorted_indices.defined()) {
    const detail::Indices unsorted = sequence.unsorted_indices.to_vector<std::int64_t>();
    for (std::size_t i = 0; i < unsorted.size(); ++i) {
      AMP_CHECK(unsorted[i] >= 0 && unsorted[i] < batch, kOp,
                ": `unsorted_indices` must lie in [0, ", batch, "), but one is ", unsorted[i]);
      place[static_cast<std::size_t>(unsorted[i])] = static_cast<std::int64_t>(i);
    }
  }
  detail::Indices rows(static_cast<std::size_t>(batch * steps), -1), lengths(place.size(), 0);
  std::int64_t row = 0;
  for (std::int64_t t = 0; t < longest; ++t) {
    for (std::int64_t i = 0; i < sizes[static_cast<std::size_t>(t)]; ++i) {
      const std::int64_t at = place[static_cast<std::size_t>(i)];
      rows[static_cast<std::size_t>(options.batch_first ? at * steps + t : t * batch + at)] = row++;
      ++lengths[static_cast<std::size_t>(at)];
    }
  }
  const Shape places = options.batch_first ? Shape(batch, steps) : Shape(steps, batch);
  return {autocasting::call(
              "pad_packed_sequence",
              [&](const Tensor& x) {
                return detail::place_rows(x, rows, places, options.padding_value);
              },
              sequence.data),
          detail::index_on(lengths, {batch}, kCPU)};
}

AMP_LAZY_DEFINITION Tensor pad_sequence(const std::vector<Tensor>& sequences,
                                        const PadSequenceOptions& options) {
  static constexpr std::string_view kOp = "pad_sequence";
  AMP_CHECK(!sequences.empty(), kOp, ": `sequences` must not be empty");
  std::int64_t steps = 0;
  for (const Tensor& x : sequences) {
    detail::check_defined(kOp, "sequences", x);
    detail::check_same_device(kOp, "sequences", sequences[0], "sequences", x);
    const Tensor& first = sequences[0];
    AMP_CHECK(x.dim() >= 1 && x.dim() == first.dim() &&
                  std::equal(x.shape().begin() + 1, x.shape().end(), first.shape().begin() + 1),
              kOp, ": `sequences` must have the same extents after the first, but ", describe(x),
              " and ", describe(first), " do not");
    steps = (std::max)(steps, x.size(0));
  }
  const auto batch = static_cast<std::int64_t>(sequences.size());
  detail::Indices rows(static_cast<std::size_t>(batch * steps), -1);
  std::int64_t row = 0;
  for (std::int64_t i = 0; i < batch; ++i) {
    const std::int64_t length = sequences[static_cast<std::size_t>(i)].size(0),
                       from = options.pads_left ? steps - length : 0;
    for (std::int64_t t = from; t < from + length; ++t)
      rows[static_cast<std::size_t>(options.batch_first ? i * steps + t : t * batch + i)] = row++;
  }
  const Shape places = options.batch_first ? Shape(batch, steps) : Shape(steps, batch);
  return autocasting::call_list(
      "pad_sequence",
      [&](std::span<const Tensor> tensors) {
        detail::PoolVector<Tensor> converted;
        for (const Tensor& x : tensors) converted.push_back(x.to(tensors[0].dtype()));
        return detail::place_rows(cat(converted, 0), rows, places, options.padding_value);
      },
      sequences);
}

}  // namespace amp::inline v0
