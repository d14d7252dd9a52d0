// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Maxima and minima over one dimension or all, with their positions. Strided arrays are read where
// they lie.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "amp/kernels/extremum/args.hpp"
#include "amp/kernels/traversal/cuda/columns.cuh"
#include "amp/kernels/traversal/cuda/lines.cuh"
#include "amp/kernels/traversal/cuda/scratch.cuh"

namespace amp::inline v0::kernels::cuda {

namespace detail {

/// An element of a line, and where it is.
template <class C>
struct Candidate {
  C value;
  std::int64_t at;
};
template <class C>
__device__ __forceinline__ Candidate<C> from_lane(Candidate<C> candidate, unsigned mask) {
  return {cuda::from_lane(candidate.value, mask), cuda::from_lane(candidate.at, mask)};
}

/// The larger (smaller) of two, NaN before all numbers; the first of equal ones.
template <bool Largest>
struct Better {
  template <class C>
  __device__ static Candidate<C> apply(Candidate<C> a, Candidate<C> b) {
    const bool a_is_nan = is_nan(a.value), b_is_nan = is_nan(b.value);
    bool takes_a = a.at < b.at;
    if (a_is_nan != b_is_nan) {
      takes_a = a_is_nan;
    } else if (!a_is_nan && a.value != b.value) {
      takes_a = Largest ? a.value > b.value : a.value < b.value;
    }
    return takes_a ? a : b;
  }
};

/// The best of a thread's elements, which come in order: the first stays until there is a better.
template <bool Largest>
struct Running {
  float value =
      Largest ? -std::numeric_limits<float>::infinity() : std::numeric_limits<float>::infinity();
  std::int64_t at;

  static constexpr std::int64_t kBehindAll = (std::numeric_limits<std::int64_t>::max)();

  /// `at` is that of its first element, or behind all where it has none.
  __device__ Running(bool has_any, std::int64_t first) : at(has_any ? first : kBehindAll) {}
  __device__ __forceinline__ bool takes(float x) {
    const bool better = Largest ? !(x <= value) : !(x >= value);  // or one of them is NaN
    if (!better || is_nan(value)) return false;
    value = x;
    return true;
  }
  __device__ Candidate<float> candidate() const { return {value, at}; }
};

/// The bits of an element, so that a NaN keeps its payload.
__device__ inline void move_element(const void* from, std::int64_t i, void* to, std::int64_t j,
                                    int size) {
  switch (size) {
    case 1:
      static_cast<std::uint8_t*>(to)[j] = static_cast<const std::uint8_t*>(from)[i];
      break;
    case 2:
      static_cast<std::uint16_t*>(to)[j] = static_cast<const std::uint16_t*>(from)[i];
      break;
    case 4:
      static_cast<std::uint32_t*>(to)[j] = static_cast<const std::uint32_t*>(from)[i];
      break;
    default:
      static_cast<std::uint64_t*>(to)[j] = static_cast<const std::uint64_t*>(from)[i];
  }
}

/// Where extrema go; `values` may be null.
struct ExtremumResult {
  const void* x;
  void* values;
  std::int64_t* indices;
  int size;

  __device__ void write(std::int64_t line, std::int64_t at, std::int64_t element) const {
    indices[line] = at;
    if (values != nullptr) move_element(x, element, values, line, size);
  }
};

/// Lines cut into `parts` of `part_length`, the last of them shorter: each has a result.
template <bool Largest, class Team, class C>
AMP_KERNEL void extremum_kernel(StridedLines lines, std::int64_t parts, std::int64_t part_length,
                                Input x, ExtremumResult result) {
  const std::int64_t pieces = lines.count * parts;
  for (std::int64_t piece = Team::first_line(); piece < pieces; piece += Team::line_step()) {
    const std::int64_t line = parts == 1 ? piece : piece / parts;
    const std::int64_t start = lines.start(line), begin = (piece - line * parts) * part_length;
    const std::int64_t end =
        begin + part_length < lines.length ? begin + part_length : lines.length;
    // For the threads that get no element too.
    Candidate<C> best{load<C>(x, start + lines.at(begin)), begin};
    for (std::int64_t i = begin + Team::first(); i < end; i += Team::step())
      best = Better<Largest>::apply(best, Candidate<C>{load<C>(x, start + lines.at(i)), i});
    best = Team::template reduce<Better<Largest>>(best);
    if (Team::is_leader()) result.write(piece, best.at, start + lines.at(best.at));
  }
}

inline constexpr int kExtremumAhead = 4;

template <bool Largest, class R>
AMP_KERNEL void __launch_bounds__(1024)
    extremum_rows_kernel(R rows, Input x, ExtremumResult result) {
  for (std::int64_t first = rows.begin(); first < rows.count; first += rows.step()) {
    const RowTeam team = rows.team(first, rows.count);
    const std::int64_t start = team.row * rows.vectors * kVector;
    const RowShare all = rows.share(team, 0);
    Running<Largest> best(all.has(0), all.first - start);
    for (int s = 0, last = rows.last(); s <= last; ++s) {
      const RowShare share = rows.share(team, s);
      RowPart<R::kKept> part;
      part.load(x, share);
      int place = -1;
      AMP_UNROLL
      for (int k = 0; k < R::kKept; ++k) {
        AMP_UNROLL
        for (int l = 0; l < kVector; ++l) {
          if (share.has(k) && best.takes(part.values[k][l])) place = k * kVector + l;
        }
      }
      if (place >= 0) best.at = share.at(place / kVector) + place % kVector - start;
    }
    const auto found = team.template reduce<Better<Largest>>(best.candidate());
    if (team.is_leader()) result.write(team.row, found.at, start + found.at);
  }
}

template <bool Largest, class R>
AMP_KERNEL void __launch_bounds__(kThreads)
    extremum_columns_kernel(R columns, Input x, ExtremumResult result) {
  for (std::int64_t i = blockIdx.x; i < columns.tiles; i += gridDim.x) {
    const ColumnTile tile = columns.tile(i);
    Candidate<float> best[kVector];
    {
      const ColumnShare all = columns.share(tile, 0);
      AMP_UNROLL
      for (int l = 0; l < kVector; ++l)
        best[l] = Running<Largest>(all.has(0), all.first).candidate();
    }
    for (int s = 0, last = columns.last(); s <= last; ++s) {
      const ColumnShare share = columns.share(tile, s);
      float values[R::kKept][kVector];
      RowWords<R::kKept>(x, share).unpack(x.dtype, values);
      AMP_UNROLL
      for (int l = 0; l < kVector; ++l) {
        Running<Largest> running(true, best[l].at);
        running.value = best[l].value;
        AMP_UNROLL
        for (int k = 0; k < R::kKept; ++k) {
          if (share.has(k) && running.takes(values[k][l])) running.at = share.element(k);
        }
        best[l] = running.candidate();
      }
    }
    column_reduce<Better<Largest>>(best, columns.team);
    if (tile.is_empty) continue;
    // Threads of the same lines write them in turns.
    AMP_UNROLL
    for (unsigned l = 0; l < kVector; ++l) {
      if (l % columns.rows() == columns.row())
        result.write(tile.line + l, best[l].at, tile.base + l + best[l].at * columns.stride);
    }
  }
}

/// The best of those of the parts of each line, of which `places` holds the positions: in the part,
/// each of them `part_length` behind the one before, or, where that is 0, in the line.
template <bool Largest, class C>
AMP_KERNEL void extremum_of_parts_kernel(StridedLines lines, std::int64_t parts,
                                         std::int64_t part_length, const std::int64_t* places,
                                         Input x, ExtremumResult result) {
  for (std::int64_t line = blockIdx.x; line < lines.count; line += gridDim.x) {
    const std::int64_t start = lines.start(line);
    const std::int64_t* const of_line = places + line * parts;
    Candidate<C> best{load<C>(x, start + lines.at(of_line[0])), of_line[0]};
    for (std::int64_t p = threadIdx.x; p < parts; p += blockDim.x) {
      const std::int64_t at = p * part_length + of_line[p];
      best = Better<Largest>::apply(best, Candidate<C>{load<C>(x, start + lines.at(at)), at});
    }
    best = block_reduce<Better<Largest>>(best);
    if (threadIdx.x == 0) result.write(line, best.at, start + lines.at(best.at));
  }
}

/// Few long lines are cut, that all of a device may work on them: into so many parts, whose length
/// is a multiple of `unit` where that of the lines is.
inline std::int64_t extremum_parts(std::int64_t count, std::int64_t length, std::int64_t unit) {
  constexpr std::int64_t kShortest = 4096, kWanted = 1024;
  std::int64_t parts = 1;
  while (count * parts < kWanted && (unit == 1 || length % (2 * parts * unit) == 0) &&
         length / (2 * parts) >= kShortest)
    parts *= 2;
  return parts;
}

/// search(result, parts) finds the best of every part; then the best of these is found.
template <bool Largest, class C, class Search>
void extremum_in_parts(const StridedLines& lines, const Input& x, Device device,
                       const ExtremumResult& result, std::int64_t parts, std::int64_t part_length,
                       Search&& search) {
  if (parts == 1) return search(result);
  const Scratch<std::int64_t> places(device, lines.count * parts);
  search({result.x, nullptr, places.data(), result.size});
  launch(device, grid_for(lines.count, 1), kThreads, extremum_of_parts_kernel<Largest, C>, lines,
         parts, part_length, places.data(), x, result);
}

/// Contiguous rows, or columns, of whole vectors; false where the array is neither.
template <bool Largest>
bool extremum_of_vectors(const ExtremumArgs& args, const ExtremumResult& result) {
  if (!StridedLines::are_dense(args.input)) return false;
  const Lines lines(args.input, args.dim);
  const Device device = args.input.device;
  if (lines.stride == 1 && are_rows_of_vectors(lines.length, args.input)) {
    using R = Rows<kExtremumAhead>;
    const std::int64_t parts = extremum_parts(lines.count, lines.length, kVector),
                       part_length = lines.length / parts;
    const R rows(lines.count * parts, part_length, 1024);
    extremum_in_parts<Largest, float>(
        StridedLines(args.input, args.dim), args.input, device, result, parts, part_length,
        [&](const ExtremumResult& of_rows) {
          launch(device, rows.blocks(), rows.block_threads(), extremum_rows_kernel<Largest, R>,
                 rows, args.input, of_rows);
        });
    return true;
  }
  if (!are_columns_of_vectors(lines, args.input)) return false;
  using R = Columns<kExtremumAhead>;
  const R columns(lines);
  launch(device, columns.blocks(), kThreads, extremum_columns_kernel<Largest, R>, columns,
         args.input, result);
  return true;
}

template <bool Largest>
void extremum(const ExtremumArgs& args) {
  const ExtremumResult result{args.input.data, args.values.present ? args.values.data : nullptr,
                              args.indices.as<std::int64_t>(),
                              static_cast<int>(item_size(args.input.dtype))};
  if (extremum_of_vectors<Largest>(args, result)) return;
  const StridedLines lines(args.input, args.dim);
  const Device device = args.input.device;
  const std::int64_t parts = extremum_parts(lines.count, lines.length, 1),
                     part_length = ceil_div(lines.length, parts);
  visit_compute_type(args.input.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    const auto search = [&](const ExtremumResult& of_parts) {
      visit_team(lines.count * parts, part_length, lines.are_side_by_side(),
                 [&](auto team, std::int64_t blocks) {
                   launch(device, blocks, kThreads, extremum_kernel<Largest, decltype(team), C>,
                          lines, parts, part_length, args.input, of_parts);
                 });
    };
    extremum_in_parts<Largest, C>(lines, args.input, device, result, parts, 0, search);
  });
}

template <class Word>
AMP_KERNEL void extremum_backward_kernel(Lines lines, const Word* grad_output,
                                         const std::int64_t* indices, Word* grad_input) {
  const std::int64_t n = lines.count * lines.length;
  for (std::int64_t i = first_element(); i < n; i += element_step()) {
    const std::int64_t row = i / lines.stride;
    const std::int64_t line = row / lines.length * lines.stride + i % lines.stride;
    grad_input[i] = row % lines.length == indices[line] ? grad_output[line] : Word{0};
  }
}

inline constexpr std::int64_t kExtremumRows = 8;

/// Each line in vectors.
template <class Word>
AMP_KERNEL void extremum_backward_rows_kernel(Divider by_length, const Word* grad_output,
                                              const std::int64_t* indices, Word* grad_input,
                                              std::int64_t vectors) {
  for (std::int64_t i = first_element(); i < vectors; i += element_step()) {
    std::int64_t line = i;
    const std::int64_t place = -by_length.take_remainder(line) * kVector + indices[line];
    const Word of_line = grad_output[line];
    Pack<Word, kVector> grad{};
    AMP_UNROLL
    for (int l = 0; l < kVector; ++l) {
      if (l == place) grad.element[l] = of_line;
    }
    store_pack(grad_input + i * kVector, grad);
  }
}

/// Vectors across eight lines; a thread has up to kExtremumRows of them, for which it reads what
/// the lines have once.
template <class Word>
AMP_KERNEL void extremum_backward_columns_kernel(Lines lines, Divider by_inner, Divider by_parts,
                                                 const Word* grad_output,
                                                 const std::int64_t* indices, Word* grad_input,
                                                 std::int64_t n) {
  for (std::int64_t i = first_element(); i < n; i += element_step()) {
    std::int64_t outer = i;
    const std::int64_t inner = by_inner.take_remainder(outer) * kVector;
    const std::int64_t begin = by_parts.take_remainder(outer) * kExtremumRows;
    const std::int64_t line = outer * lines.stride + inner;
    const auto of_lines = load_pack<Word, kVector>(grad_output + line);
    std::int64_t places[kVector];
    AMP_UNROLL
    for (int l = 0; l < kVector; ++l) places[l] = indices[line + l];
    Word* const out = grad_input + outer * lines.length * lines.stride + inner;
    for (std::int64_t row = begin; row < begin + kExtremumRows && row < lines.length; ++row) {
      Pack<Word, kVector> grad{};
      AMP_UNROLL
      for (int l = 0; l < kVector; ++l) {
        if (places[l] == row) grad.element[l] = of_lines.element[l];
      }
      store_pack(out + row * lines.stride, grad);
    }
  }
}

}  // namespace detail

inline void(max)(const ExtremumArgs& args) { detail::extremum<true>(args); }
inline void(min)(const ExtremumArgs& args) { detail::extremum<false>(args); }

inline void extremum_backward(const ExtremumBackwardArgs& args) {
  const Lines lines(args.grad_input, args.dim);
  const Device device = args.grad_input.device;
  const DType dtype = args.grad_input.dtype;
  const std::int64_t inner = lines.stride == 1 ? lines.length : lines.stride;
  const bool in_vectors = inner % kVector == 0 &&
                          is_aligned_for_vectors(args.grad_input.data, dtype) &&
                          is_aligned_for_vectors(args.grad_output.data, dtype);
  visit_bits(dtype, [&](auto tag) {
    using Word = typename decltype(tag)::type;
    const auto* const grad = args.grad_output.as<const Word>();
    const auto* const indices = args.indices.as<const std::int64_t>();
    auto* const grad_x = args.grad_input.as<Word>();
    const std::int64_t n = lines.count * lines.length;
    if (!in_vectors) {
      launch(device, grid_for(n), kThreads, detail::extremum_backward_kernel<Word>, lines, grad,
             indices, grad_x);
    } else if (lines.stride == 1) {
      launch(device, grid_for(n / kVector), kThreads, detail::extremum_backward_rows_kernel<Word>,
             Divider(inner / kVector), grad, indices, grad_x, n / kVector);
    } else {
      const std::int64_t parts = ceil_div(lines.length, detail::kExtremumRows);
      const std::int64_t items = lines.count / kVector * parts;
      launch(device, grid_for(items), kThreads, detail::extremum_backward_columns_kernel<Word>,
             lines, Divider(inner / kVector), Divider(parts), grad, indices, grad_x, items);
    }
  });
}

}  // namespace amp::inline v0::kernels::cuda
