// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// max() and min() and their gradients on CUDA devices, over one dimension or all, with the
// positions. Strided arrays are read in place.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "amp/core/math.hpp"
#include "amp/kernels/extremum/args.hpp"
#include "amp/kernels/extremum/formula.hpp"
#include "amp/kernels/traversal/cuda/move_element.cuh"
#include "amp/kernels/traversal/cuda/scratch.cuh"
#include "amp/kernels/traversal/cuda/sweep.cuh"

namespace amp::inline v0::kernels {

/// Found by reductions through the namespace of their argument.
template <class C>
__device__ __forceinline__ Candidate<C> from_lane(Candidate<C> candidate, unsigned mask) {
  return {cuda::from_lane(candidate.value, mask), cuda::from_lane(candidate.at, mask)};
}

}  // namespace amp::inline v0::kernels

namespace amp::inline v0::kernels::cuda {

namespace detail {

/// The output of a search; `values` may be null.
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

template <bool Largest, class Sweep>
AMP_KERNEL void __launch_bounds__(Sweep::kMostThreads, Sweep::kBlocksTogether)
    extremum_kernel(Sweep sweep, Input x, ExtremumResult result) {
  using C = typename Sweep::Compute;
  sweep.for_each_tile([&](const auto& tile) {
    Fragment<Sweep> values;
    Running<Largest, C> best[Sweep::kLines];
    tile.forwards([&](const auto& part) {
      tile.load(part, x, values);
      int place[Sweep::kLines];  // of the best element in the part
      AMP_UNROLL
      for (int l = 0; l < Sweep::kLines; ++l) place[l] = -1;
      tile.for_each_access(part, [&](int k) {
        AMP_UNROLL
        for (int i = 0; i < Sweep::kWidth; ++i) {
          const int l = tile.line_of(i);
          if (best[l].takes(values[k][i])) place[l] = k * Sweep::kWidth + i;
        }
      });
      AMP_UNROLL
      for (int l = 0; l < Sweep::kLines; ++l) {
        if (place[l] >= 0)
          best[l].at = part.element(place[l] / Sweep::kWidth, place[l] % Sweep::kWidth);
      }
    });
    Candidate<C> found[Sweep::kLines];
    AMP_UNROLL
    for (int l = 0; l < Sweep::kLines; ++l) found[l] = best[l].candidate();
    tile.template reduce<Better<Largest>>(found);
    tile.for_own_lines([&](int l) {
      const std::int64_t at = place_of_best(found[l].at, tile.first());
      result.write(tile.line(l), at, tile.at(l, at));
    });
  });
}

/// Finds the best of the parts of each line. `places` holds the positions of the parts' best
/// elements: within the part, if `part_length` is the distance between parts; within the line, if
/// it is 0.
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

/// Returns the number of parts into which each line is cut. Few long lines are cut, so that the
/// whole device works. The length of a part is a multiple of `unit` if that of the lines is.
inline std::int64_t extremum_parts(std::int64_t count, std::int64_t length, std::int64_t unit) {
  constexpr std::int64_t kShortest = 4096, kWanted = 1024;
  std::int64_t parts = 1;
  while (count * parts < kWanted && (unit == 1 || length % (2 * parts * unit) == 0) &&
         length / (2 * parts) >= kShortest)
    parts *= 2;
  return parts;
}

/// search(result, parts) finds the best of every part; a second launch finds the best of these.
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

template <bool Largest>
void extremum(const ExtremumArgs& args) {
  const ExtremumResult result{args.input.data, args.values.present ? args.values.data : nullptr,
                              args.indices.as<std::int64_t>(),
                              static_cast<int>(item_size(args.input.dtype))};
  const Device device = args.input.device;
  const Lines lines(args.input, args.dim);
  const StridedLines strided(args.input, args.dim);
  const bool is_dense = StridedLines::are_dense(args.input);
  const auto search = [&](const auto& sweep, const ExtremumResult& of_lines) {
    launch(device, sweep.blocks(), sweep.block_threads(),
           extremum_kernel<Largest, std::remove_cvref_t<decltype(sweep)>>, sweep, args.input,
           of_lines);
  };
  if (is_dense && lines.stride == 1 && are_rows_of_vectors(lines.length, args.input)) {
    const std::int64_t parts = extremum_parts(lines.count, lines.length, kVector),
                       part_length = lines.length / parts;
    return extremum_in_parts<Largest, float>(
        strided, args.input, device, result, parts, part_length, [&](const ExtremumResult& found) {
          search(Rows<4, 1024>({lines.count * parts, part_length}), found);
        });
  }
  if (is_dense && are_columns_of_vectors(lines, args.input))
    return search(Columns<4>(lines), result);
  const std::int64_t parts = extremum_parts(strided.count, strided.length, 1);
  const CutLines pieces(strided, parts);
  visit_compute_type(args.input.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    extremum_in_parts<Largest, C>(
        strided, args.input, device, result, parts, 0, [&](const ExtremumResult& found) {
          visit_team(pieces.count, pieces.length, strided.are_side_by_side(), [&](auto team) {
            search(Singles<decltype(team), C, CutLines>(pieces), found);
          });
        });
  });
}

/// One element, or a packet of eight.
template <class Word, int N>
__device__ __forceinline__ void load_neighbours(const Word* from, Word (&values)[N]) {
  if constexpr (N == 1) {
    values[0] = *from;
  } else {
    const auto pack = load_pack<Word, N>(from);
    std::memcpy(values, &pack, sizeof pack);
  }
}
template <class Word, int N>
__device__ __forceinline__ void store_neighbours(Word* to, const Word (&values)[N]) {
  if constexpr (N == 1) {
    *to = values[0];
  } else {
    Pack<Word, N> pack;
    std::memcpy(&pack, values, sizeof pack);
    store_pack(to, pack);
  }
}

/// Returns for how many blocks of a multiprocessor ptxas must leave registers: at most four, since
/// multiprocessors of compute capability 7.5 have 1,024 threads. 0, its own choice, uses 32
/// registers along a line; with any other number it uses up to 64 without need.
constexpr int backward_blocks(std::size_t item_size, int across) {
  return across == 1 ? 0 : item_size == 8 ? 3 : 4;
}

/// A thread has `Width` neighbours of one line, or one element of each of `Across` lines that lie
/// side by side. In the latter case it has up to `steps` of these, and reads the lines' values only
/// once.
template <class Word, int Width, int Across>
AMP_KERNEL void __launch_bounds__(kThreads, backward_blocks(sizeof(Word), Across))
    extremum_backward_kernel(Lines lines, Divider by_across, Divider by_along, int steps,
                             const Word* grad_output, const std::int64_t* indices, Word* grad_input,
                             std::int64_t n) {
  constexpr int kAlong = Width / Across;
  for (std::int64_t i = first_element(); i < n; i += element_step()) {
    std::int64_t outer = i;
    const std::int64_t across = by_across.take_remainder(outer) * Across;
    const std::int64_t begin = by_along.take_remainder(outer) * steps * kAlong;
    const std::int64_t line = outer * lines.stride + across, left = lines.length - begin;
    const int mine = left < steps * kAlong ? static_cast<int>(left) : steps * kAlong;
    Word of_line[Across];
    int places[Across];  // from `begin` on; -1 if another thread has it
    load_neighbours(grad_output + line, of_line);
    AMP_UNROLL
    for (int l = 0; l < Across; ++l) {
      const std::int64_t place = indices[line + l] - begin;
      places[l] = place >= 0 && place < mine ? static_cast<int>(place) : -1;
    }
    Word* to = grad_input + lines.start(outer, across) + lines.at(begin);
    for (int e = 0; e < mine; e += kAlong, to += kAlong * lines.stride) {
      Word grad[Width];
      AMP_UNROLL
      for (int w = 0; w < Width; ++w) {
        const int l = kAlong == 1 ? w : 0;
        grad[w] = e + (w - l) == places[l] ? of_line[l] : Word{0};
      }
      store_neighbours(to, grad);
    }
  }
}

/// Returns the kernel for `Across` lines side by side.
template <int Width, int Across, class Word>
void extremum_backward(const Lines& lines, Device device, const Word* grad_output,
                       const std::int64_t* indices, Word* grad_input) {
  const int steps = lines.stride == 1 ? 1 : 8;
  const std::int64_t across = lines.stride / Across,
                     along = ceil_div(lines.length, std::int64_t{steps} * (Width / Across));
  const std::int64_t n = lines.count / Across * along;
  launch(device, grid_for(n), kThreads, extremum_backward_kernel<Word, Width, Across>, lines,
         Divider(across), Divider(along), steps, grad_output, indices, grad_input, n);
}

}  // namespace detail

inline void(max)(const ExtremumArgs& args) { detail::extremum<true>(args); }
inline void(min)(const ExtremumArgs& args) { detail::extremum<false>(args); }

inline void extremum_backward(const ExtremumBackwardArgs& args) {
  const Lines lines(args.grad_input, args.dim);
  const DType dtype = args.grad_input.dtype;
  const std::int64_t inner = lines.stride == 1 ? lines.length : lines.stride;
  const bool in_vectors = inner % kVector == 0 &&
                          is_aligned_for_vectors(args.grad_input.data, dtype) &&
                          is_aligned_for_vectors(args.grad_output.data, dtype);
  visit_bits(dtype, [&](auto tag) {
    using Word = typename decltype(tag)::type;
    const auto run = !in_vectors         ? detail::extremum_backward<1, 1, Word>
                     : lines.stride == 1 ? detail::extremum_backward<kVector, 1, Word>
                                         : detail::extremum_backward<kVector, kVector, Word>;
    run(lines, args.grad_input.device, args.grad_output.as<const Word>(),
        args.indices.as<const std::int64_t>(), args.grad_input.as<Word>());
  });
}

}  // namespace amp::inline v0::kernels::cuda
