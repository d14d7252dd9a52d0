// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Moving elements by indices on CUDA devices.
//
// Kernels cannot throw: an index out of range gathers NaN (integers: 0), and scatter() gives only
// that if an index is out of range.
#pragma once

#include <cstdint>
#include <cstring>

#include "amp/kernels/compute_type.hpp"
#include "amp/kernels/indexing/args.hpp"
#include "amp/kernels/indexing/cuda/scatter.cuh"
#include "amp/kernels/indexing/formula.hpp"
#include "amp/kernels/traversal/cuda/elements.cuh"
#include "amp/kernels/traversal/cuda/missing.cuh"
#include "amp/kernels/traversal/cuda/words.cuh"
#include "amp/kernels/traversal/strided.hpp"

namespace amp::inline v0::kernels::cuda {

namespace detail {

/// What gather() reads and writes, in words: one element, or several that an index has in common.
struct Gathering {
  Strided<3> shape;  // of the output, the input without the indexed dimension, and the index
  Input index;
  std::int64_t length, step;  // of the indexed dimension
  bool from_end;
};

template <class Word>
AMP_KERNEL void gather_kernel(Gathering g, const Word* input, Word* output, Word missing,
                              std::int64_t n) {
  for (std::int64_t i = first_element(); i < n; i += element_step()) {
    std::int64_t at[3];
    g.shape.locate(i, at);
    const std::int64_t place = place_of(load<std::int64_t>(g.index, at[2]), g.length, g.from_end);
    store_word(output + at[0], place >= 0 ? load_word(input + at[1] + place * g.step) : missing);
  }
}

/// Whether `count` neighbours can be moved as one word.
inline bool moves_together(const Gathering& g, std::int64_t count) {
  const Strided<3>& s = g.shape;
  if (s.inner_size() % count != 0 || s.inner_stride(0) != 1 || s.inner_stride(1) != 1 ||
      s.inner_stride(2) != 0 || g.step % count != 0)
    return false;
  for (int d = 0; d + 1 < s.dims; ++d) {
    if (s.strides[0][d] % count != 0 || s.strides[1][d] % count != 0) return false;
  }
  return true;
}
/// From now on that many neighbours are one word.
inline void move_together(Gathering& g, std::int64_t count) {
  Strided<3>& s = g.shape;
  const int last = s.dims - 1;
  s.sizes[last] /= count;
  s.dividers[last] = Divider(s.sizes[last]);
  for (int d = 0; d < last; ++d) {
    s.strides[0][d] /= count;
    s.strides[1][d] /= count;
  }
  g.step /= count;
}

/// The indices of a call that are joined to one.
struct Joining {
  Strided<2> shape;  // of the output and the index
  Input index;
  std::int64_t size, step;
  bool first;
};

template <class Int>
AMP_KERNEL void linear_index_kernel(Joining j, Int* output, std::int64_t n) {
  for (std::int64_t i = first_element(); i < n; i += element_step()) {
    std::int64_t at[2];
    j.shape.locate(i, at);
    const std::int64_t place = place_of(load<std::int64_t>(j.index, at[1]), j.size, true);
    const Int before = j.first ? Int{0} : output[i];
    output[i] = place < 0 || before < 0 ? Int{-1} : before + place * j.step;
  }
}

}  // namespace detail

inline void gather(const GatherArgs& args) {
  const std::int64_t n = args.output.numel();
  if (n == 0) return;
  const Operand input = without_dim(args.input, args.index, args.dim);
  detail::Gathering g{.shape = Strided<3>::over(args.output, {&args.output, &input, &args.index}),
                      .index = args.index,
                      .length = args.input.sizes[args.dim],
                      .step = args.input.strides[args.dim],
                      .from_end = args.rule.from_end};
  const Missing missing(args.output.dtype);
  const auto run = [&](auto word) {
    using Word = decltype(word);
    std::memcpy(&word, missing.bytes, sizeof word);
    const std::int64_t words =
        n * item_size(args.output.dtype) / static_cast<std::int64_t>(sizeof word);
    launch(args.output.device, grid_for(words), kThreads, detail::gather_kernel<Word>, g,
           args.input.as<const Word>(), args.output.as<Word>(), word, words);
  };
  const std::int64_t together = 16 / item_size(args.output.dtype);
  const auto fits = [](const Operand& x) {
    return reinterpret_cast<std::uintptr_t>(x.data) % 16 == 0;
  };
  if (detail::moves_together(g, together) && fits(args.input) && fits(args.output)) {
    detail::move_together(g, together);
    return run(uint4{});
  }
  visit_bits(args.output.dtype, [&](auto tag) { run(typename decltype(tag)::type{}); });
}

inline void linear_index(const LinearIndexArgs& args) {
  const std::int64_t n = args.output.numel();
  for (int k = 0; k < args.count; ++k) {
    const Operand& index = args.indices[k];
    const detail::Joining joining{.shape = Strided<2>::over(args.output, {&args.output, &index}),
                                  .index = index,
                                  .size = args.sizes[k],
                                  .step = args.steps[k],
                                  .first = k == 0};
    launch(args.output.device, grid_for(n), kThreads, detail::linear_index_kernel<std::int64_t>,
           joining, args.output.as<std::int64_t>(), n);
  }
}

}  // namespace amp::inline v0::kernels::cuda
