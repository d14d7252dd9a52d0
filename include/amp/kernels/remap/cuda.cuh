// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Elements from other places, and triangles of matrices, on CUDA devices: a thread processes an
// element of the result, or 16 bytes if all rows consist of these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "amp/kernels/compute_type.hpp"
#include "amp/kernels/remap/args.hpp"
#include "amp/kernels/remap/shape.hpp"
#include "amp/kernels/traversal/cuda/elements.cuh"
#include "amp/kernels/traversal/cuda/words.cuh"
#include "amp/kernels/traversal/divider.hpp"
#include "amp/types/convert.hpp"

namespace amp::inline v0::kernels::cuda {

namespace detail {

/// The dimensions of a remapped array, and how to find an element in those of one of both arrays.
struct RemapPlan {
  int dims;
  DimMap maps[kMaxDims];
  std::int64_t strides[kMaxDims];  // of the array that is read
  Divider extents[kMaxDims];       // of the array that is written

  /// For the forward pass, which writes the result, or the backward pass, which reads its gradient.
  RemapPlan(const RemapShape& shape, bool forward) : dims(shape.dims) {
    for (std::int64_t d = dims - 1, step = 1; d >= 0; step *= maps[d].out, --d) {
      maps[d] = shape.map(static_cast<int>(d));
      strides[d] = forward ? shape.strides[d] : step;
      extents[d] = Divider(forward ? maps[d].out : maps[d].in);
    }
  }
  /// Makes `elements` neighbours count as one. Returns false, and changes nothing, if some of them
  /// do not stay together.
  bool take(std::int64_t elements) {
    DimMap& last = maps[dims - 1];
    bool fits = last.is_identity() && strides[dims - 1] == 1 && last.in % elements == 0;
    for (int d = 0; d + 1 < dims; ++d) fits = fits && strides[d] % elements == 0;
    if (!fits) return false;
    last = DimMap(last.in / elements);
    extents[dims - 1] = Divider(last.in);
    for (int d = 0; d + 1 < dims; ++d) strides[d] /= elements;
    return true;
  }

  /// Returns the offset of what element i of the result comes from; kNowhere if it does not.
  __device__ std::int64_t source(std::int64_t i) const {
    std::int64_t offset = 0;
    bool exists = true;
    for (int d = dims - 1; d >= 0; --d) {
      const std::int64_t from = maps[d].source(d == 0 ? i : extents[d].take_remainder(i));
      exists = exists && from != DimMap::kNowhere;
      offset += from * strides[d];
    }
    return exists ? offset : DimMap::kNowhere;
  }
  /// Returns how many elements of the result come from element i.
  __device__ std::int64_t count(std::int64_t i) const {
    std::int64_t results = 1;
    for (int d = dims - 1; d >= 0; --d)
      results *= maps[d].count(d == 0 ? i : extents[d].take_remainder(i));
    return results;
  }
  /// Returns the offset of number k of these.
  __device__ std::int64_t result(std::int64_t i, std::int64_t k) const {
    std::int64_t offset = 0;
    for (int d = dims - 1; d >= 0; --d) {
      const std::int64_t at = d == 0 ? i : extents[d].take_remainder(i);
      const std::int64_t results = maps[d].count(at);
      const std::int64_t which = results == 1 ? 0 : k % results;
      if (results != 1) k /= results;
      offset += maps[d].result(at, which) * strides[d];
    }
    return offset;
  }
};

template <class Word>
AMP_KERNEL void remap_kernel(RemapPlan plan, const Word* from, Word* to, Word value,
                             std::int64_t n) {
  for (std::int64_t i = first_element(); i < n; i += element_step()) {
    const std::int64_t source = plan.source(i);
    store_word(to + i, source == DimMap::kNowhere ? value : load_word(from + source));
  }
}

template <class C>
AMP_KERNEL void remap_backward_kernel(RemapPlan plan, Input grad_output, Output grad_input,
                                      std::int64_t n) {
  for (std::int64_t i = first_element(); i < n; i += element_step()) {
    const std::int64_t results = plan.count(i);
    C sum = 0;
    for (std::int64_t k = 0; k < results; ++k) sum += load<C>(grad_output, plan.result(i, k));
    store<C>(grad_input, i, sum);
  }
}

template <class Word>
AMP_KERNEL void triangle_kernel(const Word* from, Word* to, Divider rows, Divider columns,
                                std::int64_t diagonal, bool upper, std::int64_t n) {
  for (std::int64_t i = first_element(); i < n; i += element_step()) {
    std::int64_t row = i;
    const std::int64_t c = columns.take_remainder(row), r = rows.take_remainder(row);
    store_word(to + i, is_in_triangle(r, c, diagonal, upper) ? load_word(from + i) : Word{});
  }
}

}  // namespace detail

/// Copies bits.
inline void remap(const RemapArgs& args) {
  detail::RemapPlan plan(RemapShape(args.input, args.maps), true);
  unsigned char bytes[sizeof(uint4)];
  visit_dtype(args.output.dtype, [&](auto tag) {
    const auto value = convert_one<typename decltype(tag)::type>(args.value);
    for (std::size_t at = 0; at < sizeof bytes; at += sizeof value)
      std::memcpy(bytes + at, &value, sizeof value);
  });
  const auto run = [&](auto word, std::int64_t n) {
    using Word = decltype(word);
    std::memcpy(&word, bytes, sizeof word);
    launch(args.output.device, grid_for(n), kThreads, detail::remap_kernel<Word>, plan,
           args.input.as<const Word>(), args.output.as<Word>(), word, n);
  };
  const auto fits = [](const Operand& x) {
    return reinterpret_cast<std::uintptr_t>(x.data) % 16 == 0;
  };
  const std::int64_t n = args.output.numel(), per_quad = 16 / item_size(args.output.dtype);
  if (fits(args.input) && fits(args.output) && plan.take(per_quad))
    return run(uint4{}, n / per_quad);
  visit_bits(args.output.dtype, [&](auto tag) { run(typename decltype(tag)::type{}, n); });
}

/// Sums in float32 (float64), always in one order, and rounds once.
inline void remap_backward(const RemapBackwardArgs& args) {
  const detail::RemapPlan plan(RemapShape(args.grad_input, args.maps), false);
  const std::int64_t n = args.grad_input.numel();
  visit_float_type(args.grad_input.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    launch(args.grad_input.device, grid_for(n), kThreads, detail::remap_backward_kernel<C>, plan,
           args.grad_output, args.grad_input, n);
  });
}

inline void triangle(const TriangleArgs& args) {
  const int inner = args.output.dims - 1;
  const std::int64_t n = args.output.numel();
  visit_bits(args.output.dtype, [&](auto tag) {
    using Word = typename decltype(tag)::type;
    launch(args.output.device, grid_for(n), kThreads, detail::triangle_kernel<Word>,
           args.input.as<const Word>(), args.output.as<Word>(),
           Divider(args.output.sizes[inner - 1]), Divider(args.output.sizes[inner]), args.diagonal,
           args.upper, n);
  });
}

}  // namespace amp::inline v0::kernels::cuda
