// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "amp/core/math.hpp"
#include "amp/device/host_memory.hpp"
#include "amp/device/parallel.hpp"
#include "amp/kernels/resample/formula.hpp"
#include "amp/kernels/resample/host.hpp"
#include "amp/kernels/resample/host/weighted_sums.hpp"
#include "amp/kernels/traversal/channels_last.hpp"
#include "amp/kernels/traversal/host/block.hpp"

namespace amp::inline v0::kernels::host {

namespace detail {

/// Planes [outer, h, w, inner], and what work on them is cut into: several planes, or rows of one,
/// so that the elements of a piece stay in the second-level cache.
struct PlanePieces {
  static constexpr std::int64_t kPiece = std::int64_t{1} << 15;  // elements

  std::int64_t planes, rows, per_plane, together;  // rows of the output

  PlanePieces(std::int64_t outer, std::int64_t out_h, std::int64_t plane_elements)
      : planes(outer), rows(out_h), per_plane(1), together(1) {
    if (plane_elements > kPiece) {
      per_plane = (std::min)(out_h, ceil_div(plane_elements, kPiece));
    } else {
      together = (std::max)(std::int64_t{1}, kPiece / (std::max)(plane_elements, std::int64_t{1}));
    }
  }
  std::int64_t count() const {
    return per_plane > 1 ? planes * per_plane : ceil_div(planes, together);
  }
  struct Piece {
    std::int64_t plane, planes, begin, end;  // rows [begin, end) of each plane
  };
  Piece operator[](std::int64_t i) const {
    if (per_plane == 1) return {i * together, (std::min)(together, planes - i * together), 0, rows};
    const std::int64_t part = i % per_plane;
    return {i / per_plane, 1, rows * part / per_plane, rows * (part + 1) / per_plane};
  }
};

/// Resamples planes [outer, h, w, inner] along h and w.
template <class C>
void resample_planes(const Operand& input, const Operand& output, std::int64_t outer,
                     const AxisSums<C>& height, const AxisSums<C>& width, std::int64_t inner) {
  const std::int64_t in_row = width.sources * inner, out_row = width.targets * inner;
  const std::int64_t in_h = height.sources, out_h = height.targets;
  const PlanePieces pieces(outer, out_h, (std::max)(in_h * in_row, out_h * out_row));
  // Of several planes, all rows: they follow each other.
  const auto needed_of = [&](const PlanePieces::Piece& piece) {
    return piece.planes > 1 ? typename AxisSums<C>::Range{0, in_h}
                            : height.needed(piece.begin, piece.end);
  };
  // Rows are shortened or extended in the state in which there are fewer of them.
  const bool rows_first = in_h <= out_h;
  parallel_ranges(pieces.count(), 1, [&](std::int64_t from, std::int64_t to) {
    std::int64_t most_in = 0, most_out = 0;  // rows of a piece
    for (std::int64_t i = from; i < to; ++i) {
      const PlanePieces::Piece piece = pieces[i];
      const auto needed = needed_of(piece);
      most_in = (std::max)(most_in, piece.planes * (needed.end - needed.begin));
      most_out = (std::max)(most_out, piece.planes * (piece.end - piece.begin));
    }
    const bool two = !height.identity && !width.identity;
    const HostBuffer<C> in_buffer(input.dtype == dtype_of<C> ? 0 : most_in * in_row),
        out_buffer(output.dtype == dtype_of<C> ? 0 : most_out * out_row),
        middle(!two         ? 0
               : rows_first ? most_in * out_row
                            : most_out * in_row);
    for (std::int64_t i = from; i < to; ++i) {
      const PlanePieces::Piece piece = pieces[i];
      const auto needed = needed_of(piece);
      const std::int64_t in_rows = needed.end - needed.begin, out_rows = piece.end - piece.begin;
      const std::int64_t read = piece.planes * in_rows, written = piece.planes * out_rows;
      const std::int64_t at = (piece.plane * out_h + piece.begin) * out_row;
      const C* const x = fetch(input, (piece.plane * in_h + needed.begin) * in_row, 1,
                               read * in_row, in_buffer.data());
      C* const y = target(output, at, 1, written * out_row, out_buffer.data());
      const auto along_height = [&](const C* source, std::int64_t row, C* sums) {
        for (std::int64_t p = 0; p < piece.planes; ++p) {
          sum_along(height, piece.begin, piece.end, needed.begin, row, source + p * in_rows * row,
                    sums + p * out_rows * row);
        }
      };
      if (height.identity && width.identity) {
        std::copy_n(x, read * in_row, y);
      } else if (width.identity) {
        along_height(x, in_row, y);
      } else if (height.identity) {
        sum_in_rows(width, read, inner, x, y);
      } else if (rows_first) {
        sum_in_rows(width, read, inner, x, middle.data());
        along_height(middle.data(), out_row, y);
      } else {
        along_height(x, in_row, middle.data());
        sum_in_rows(width, written, inner, middle.data(), y);
      }
      store(y, output, at, 1, written * out_row);
    }
  });
}

/// Copies the nearest elements of planes of `depth` x `height` x `width` axes.
AMP_LAZY void copy_nearest(const ResampleArgs& args, std::int64_t outer, std::int64_t inner) {
  const ResampleAxis &depth = args.axes[0], &height = args.axes[1], &width = args.axes[2];
  const std::int64_t item = item_size(args.input.dtype) * inner;
  const std::int64_t in_row = width.input * item, out_row = width.output * item;
  const HostBuffer<std::int32_t> columns(width.output);
  for (std::int64_t x = 0; x < width.output; ++x)
    columns[x] = static_cast<std::int32_t>(nearest_input(width, x));
  const auto copy_row = [&](const char* from, char* to) {
    if (is_identity(width)) {
      std::memcpy(to, from, static_cast<std::size_t>(out_row));
    } else if (inner == 1) {
      visit_bits(args.input.dtype, [&](auto tag) {
        using U = typename decltype(tag)::type;
        const U* const source = reinterpret_cast<const U*>(from);
        U* const target = reinterpret_cast<U*>(to);
        const std::int32_t* const places = columns.data();
        for (std::int64_t x = 0; x < width.output; ++x) target[x] = source[places[x]];
      });
    } else {
      for (std::int64_t x = 0; x < width.output; ++x)
        std::memcpy(to + x * item, from + columns[x] * item, static_cast<std::size_t>(item));
    }
  };
  parallel_ranges(outer * depth.output * height.output, ceil_div(64 * kBlock, out_row),
                  [&](std::int64_t begin, std::int64_t end) {
                    std::int64_t before =
                        -1;  // the row of the input that the last one is a copy of
                    for (std::int64_t row = begin; row < end; ++row) {
                      const std::int64_t plane = row / height.output, volume = plane / depth.output;
                      const std::int64_t slice =
                          volume * depth.input + nearest_input(depth, plane % depth.output);
                      const std::int64_t from =
                          slice * height.input + nearest_input(height, row % height.output);
                      char* const to = args.output.as<char>() + row * out_row;
                      if (from == before) {
                        std::memcpy(to, to - out_row, static_cast<std::size_t>(out_row));
                      } else {
                        copy_row(args.input.as<const char>() + from * in_row, to);
                      }
                      before = from;
                    }
                  });
}

}  // namespace detail

AMP_LAZY_DEFINITION void resample(const ResampleArgs& args) {
  const bool last = lies_channels_last(args.input) && lies_channels_last(args.output);
  const ResampleAxis &depth = args.axes[0], &height = args.axes[1], &width = args.axes[2];
  const std::int64_t inner = last ? args.input.sizes[1] : 1;
  const std::int64_t outer = args.input.sizes[0] * args.input.sizes[1] / inner;
  if (copies_elements(args)) return detail::copy_nearest(args, outer, inner);
  visit_float_type(promote_types(args.input.dtype, args.output.dtype), [&](auto tag) {
    using C = typename decltype(tag)::type;
    const detail::AxisSums<C> d(depth, args.transposed), h(height, args.transposed),
        w(width, args.transposed);
    if (d.identity)
      return detail::resample_planes(args.input, args.output, outer * d.sources, h, w, inner);
    // Along the depth, whole planes are rows. It comes first if it leaves less to do.
    const bool depth_first = d.targets <= d.sources;
    const std::int64_t plane =
        (depth_first ? h.sources : h.targets) * (depth_first ? w.sources : w.targets) * inner;
    const auto rows = detail::AxisSums<C>::none(plane);
    const std::int64_t slices = outer * (depth_first ? d.targets : d.sources);
    const std::int64_t size = depth_first ? slices * plane : slices * h.targets * w.targets * inner;
    const HostBuffer<C> buffer(size);
    const Operand middle = Operand::array(buffer.data(), dtype_of<C>, {size}, {1});
    if (depth_first) {
      detail::resample_planes(args.input, middle, outer, d, rows, 1);
      detail::resample_planes(middle, args.output, slices, h, w, inner);
    } else {
      detail::resample_planes(args.input, middle, slices, h, w, inner);
      detail::resample_planes(middle, args.output, outer, d, rows, 1);
    }
  });
}

}  // namespace amp::inline v0::kernels::host
