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
#include "amp/kernels/traversal/cuda/scratch.cuh"
#include "amp/kernels/traversal/cuda/sweep.cuh"

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

inline constexpr std::int64_t kBehindAll = (std::numeric_limits<std::int64_t>::max)();

/// The best of the elements of a line that a thread has seen, in order: the first stays until there
/// is a better one.
template <bool Largest, class C>
struct Running {
  using Limits = std::numeric_limits<C>;
  static constexpr C kHighest = Limits::has_infinity ? Limits::infinity() : (Limits::max)();
  static constexpr C kLowest = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();

  C value = Largest ? kLowest : kHighest;
  std::int64_t at = kBehindAll;  // until one is better than that

  __device__ __forceinline__ bool takes(C x) {
    const bool better = Largest ? !(x <= value) : !(x >= value);  // or one of them is NaN
    if (!better || is_nan(value)) return false;
    value = x;
    return true;
  }
  __device__ Candidate<C> candidate() const { return {value, at}; }
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

template <bool Largest, class Sweep>
AMP_KERNEL void __launch_bounds__(Sweep::kMostThreads, Sweep::kBlocksTogether)
    extremum_kernel(Sweep sweep, Input x, ExtremumResult result) {
  using C = typename Sweep::Compute;
  sweep.for_each_tile([&](const auto& tile) {
    Fragment<Sweep> values;
    Running<Largest, C> best[Sweep::kLines];
    tile.forwards([&](const auto& part) {
      tile.load(part, x, values);
      int place[Sweep::kLines];  // of the best in the part
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
      // If no element was better than the worst number, all are that number.
      const std::int64_t at = found[l].at == kBehindAll ? tile.first() : found[l].at;
      result.write(tile.line(l), at, tile.at(l, at));
    });
  });
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
