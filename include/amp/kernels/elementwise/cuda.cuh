// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Elementwise ops: one scalar expression each, on eight neighbours per thread where the operands
// allow it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "amp/kernels/elementwise/args.hpp"
#include "amp/kernels/functions.hpp"
#include "amp/kernels/traversal/cuda/elements.cuh"
#include "amp/kernels/traversal/cuda/vectors.cuh"
#include "amp/kernels/traversal/strided.hpp"

namespace amp::inline v0::kernels::cuda {

template <class Function, class C, class Result>
AMP_KERNEL void unary_kernel(Vectors<2> shape, Input x, Output y) {
  for (std::int64_t v = first_element(); v < shape.vectors; v += element_step()) {
    std::int64_t at[2];
    shape.by_vector.locate(v, at);
    C values[kVector];
    Result results[kVector];
    load_vector(x, at[0], shape.repeats(0), values);
    for (int l = 0; l < kVector; ++l) results[l] = Function::apply(values[l]);
    store_vector(y.data, y.dtype, at[1], results);
  }
  for (std::int64_t i = shape.rest() + first_element(); i < shape.n; i += element_step()) {
    std::int64_t at[2];
    shape.elements.locate(i, at);
    store<Result>(y, at[1], Function::apply(load<C>(x, at[0])));
  }
}

template <class Function, class C, class Result>
AMP_KERNEL void binary_kernel(Vectors<3> shape, Input a, Input b, Output y) {
  for (std::int64_t v = first_element(); v < shape.vectors; v += element_step()) {
    std::int64_t at[3];
    shape.by_vector.locate(v, at);
    C left[kVector], right[kVector];
    Result results[kVector];
    load_vector(a, at[0], shape.repeats(0), left);
    load_vector(b, at[1], shape.repeats(1), right);
    for (int l = 0; l < kVector; ++l) results[l] = Function::apply(left[l], right[l]);
    store_vector(y.data, y.dtype, at[2], results);
  }
  for (std::int64_t i = shape.rest() + first_element(); i < shape.n; i += element_step()) {
    std::int64_t at[3];
    shape.elements.locate(i, at);
    store<Result>(y, at[2], Function::apply(load<C>(a, at[0]), load<C>(b, at[1])));
  }
}

template <class C>
AMP_KERNEL void where_kernel(Vectors<4> shape, Input condition, Input a, Input b, Output y) {
  for (std::int64_t v = first_element(); v < shape.vectors; v += element_step()) {
    std::int64_t at[4];
    shape.by_vector.locate(v, at);
    bool chosen[kVector];
    C left[kVector], right[kVector];
    load_vector(condition, at[0], shape.repeats(0), chosen);
    load_vector(a, at[1], shape.repeats(1), left);
    load_vector(b, at[2], shape.repeats(2), right);
    for (int l = 0; l < kVector; ++l) left[l] = chosen[l] ? left[l] : right[l];
    store_vector(y.data, y.dtype, at[3], left);
  }
  for (std::int64_t i = shape.rest() + first_element(); i < shape.n; i += element_step()) {
    std::int64_t at[4];
    shape.elements.locate(i, at);
    const bool chosen = load<bool>(condition, at[0]);
    store<C>(y, at[3], chosen ? load<C>(a, at[1]) : load<C>(b, at[2]));
  }
}

/// Moves bits.
template <class Word>
AMP_KERNEL void move_kernel(Strided<2> shape, const Word* from, Word* to, std::int64_t n) {
  for (std::int64_t i = first_element(); i < n; i += element_step()) {
    std::int64_t at[2];
    shape.locate(i, at);
    store_word(to + at[1], load_word(from + at[0]));
  }
}

template <class Word>
AMP_KERNEL void fill_kernel(Strided<1> shape, Word value, Word* to, std::int64_t n) {
  for (std::int64_t i = first_element(); i < n; i += element_step()) {
    std::int64_t at[1];
    shape.locate(i, at);
    store_word(to + at[0], value);
  }
}

template <class Function, class C, class Result = C>
void unary_as(const UnaryArgs& args) {
  const auto shape = Vectors<2>::over(args.output, {&args.input, &args.output});
  launch(args.output.device, shape.blocks(), kThreads, unary_kernel<Function, C, Result>, shape,
         args.input, args.output);
}
template <class Function, class C, class Result = C>
void binary_as(const BinaryArgs& args) {
  const auto shape = Vectors<3>::over(args.output, {&args.a, &args.b, &args.output});
  launch(args.output.device, shape.blocks(), kThreads, binary_kernel<Function, C, Result>, shape,
         args.a, args.b, args.output);
}

/// Ops that mean something on integers too.
template <class Function>
void unary(const UnaryArgs& args) {
  visit_compute_type(args.input.dtype,
                     [&](auto tag) { unary_as<Function, typename decltype(tag)::type>(args); });
}
template <class Function>
void binary(const BinaryArgs& args) {
  visit_compute_type(common_dtype(args.a, args.b),
                     [&](auto tag) { binary_as<Function, typename decltype(tag)::type>(args); });
}
template <class Function>
void comparison(const BinaryArgs& args) {
  visit_compute_type(common_dtype(args.a, args.b), [&](auto tag) {
    binary_as<Function, typename decltype(tag)::type, bool>(args);
  });
}
/// Ops that need real numbers.
template <class Function>
void float_unary(const UnaryArgs& args) {
  visit_float_type(args.output.dtype,
                   [&](auto tag) { unary_as<Function, typename decltype(tag)::type>(args); });
}
template <class Function>
void float_binary(const BinaryArgs& args) {
  visit_float_type(args.output.dtype,
                   [&](auto tag) { binary_as<Function, typename decltype(tag)::type>(args); });
}

/// In int64 where the result is an integer.
inline void pow(const BinaryArgs& args) {
  if (is_floating_point(args.output.dtype)) {
    float_binary<functions::Pow>(args);
  } else {
    binary_as<functions::Pow, std::int64_t>(args);
  }
}

inline void where(const WhereArgs& args) {
  const auto shape =
      Vectors<4>::over(args.output, {&args.condition, &args.a, &args.b, &args.output});
  visit_compute_type(args.output.dtype, [&](auto tag) {
    launch(args.output.device, shape.blocks(), kThreads, where_kernel<typename decltype(tag)::type>,
           shape, args.condition, args.a, args.b, args.output);
  });
}

/// Makes 16-byte words the elements of the shape, if all rows of all operands, which have one
/// dtype, consist of whole ones. Whether they do.
template <int N>
bool take_quads(Strided<N>& shape, const std::array<const Operand*, N>& operands) {
  const std::int64_t per_quad = 16 / item_size(operands[0]->dtype);
  const int inner = shape.dims - 1;
  bool fits = shape.inner_size() % per_quad == 0;
  for (int k = 0; k < N; ++k) {
    const void* const data = operands[static_cast<std::size_t>(k)]->data;
    fits = fits && shape.inner_stride(k) == 1 && reinterpret_cast<std::uintptr_t>(data) % 16 == 0;
    for (int d = 0; d < inner; ++d) fits = fits && shape.strides[k][d] % per_quad == 0;
  }
  if (!fits) return false;
  shape.sizes[inner] /= per_quad;
  shape.dividers[inner] = Divider(shape.sizes[inner]);
  for (int k = 0; k < N; ++k) {
    for (int d = 0; d < inner; ++d) shape.strides[k][d] /= per_quad;
  }
  return true;
}

/// Copies and converts. Equal dtypes move bits, so NaN payloads survive.
inline void copy(const UnaryArgs& args) {
  if (args.input.dtype == args.output.dtype && !args.input.immediate) {
    auto shape = Strided<2>::over(args.output, {&args.input, &args.output});
    const std::int64_t n = args.output.numel();
    if (take_quads<2>(shape, {&args.input, &args.output})) {
      const std::int64_t quads = shape.numel();
      launch(args.output.device, grid_for(quads), kThreads, move_kernel<uint4>, shape,
             args.input.as<const uint4>(), args.output.as<uint4>(), quads);
      return;
    }
    visit_bits(args.output.dtype, [&](auto tag) {
      using Word = typename decltype(tag)::type;
      launch(args.output.device, grid_for(n), kThreads, move_kernel<Word>, shape,
             args.input.as<const Word>(), args.output.as<Word>(), n);
    });
  } else if (args.output.dtype == kBool || args.input.dtype == kFloat64 ||
             args.output.dtype == kFloat64) {
    // Through double every input but a large int64 is exact, and "not zero" is decided on the value
    // itself.
    if (is_floating_point(args.input.dtype)) {
      unary_as<functions::Identity, double>(args);
    } else {
      unary_as<functions::Identity, std::int64_t>(args);
    }
  } else {
    unary<functions::Identity>(args);
  }
}

inline void fill(const FillArgs& args) {
  auto shape = Strided<1>::over(args.output, {&args.output});
  const std::int64_t n = args.output.numel();
  unsigned char bytes[sizeof(uint4)];
  visit_dtype(args.output.dtype, [&](auto tag) {
    const auto value = convert_one<typename decltype(tag)::type>(args.value);
    for (std::size_t at = 0; at < sizeof bytes; at += sizeof value)
      std::memcpy(bytes + at, &value, sizeof value);
  });
  if (take_quads<1>(shape, {&args.output})) {
    uint4 value;
    std::memcpy(&value, bytes, sizeof value);
    const std::int64_t quads = shape.numel();
    launch(args.output.device, grid_for(quads), kThreads, fill_kernel<uint4>, shape, value,
           args.output.as<uint4>(), quads);
    return;
  }
  visit_bits(args.output.dtype, [&](auto tag) {
    using Word = typename decltype(tag)::type;
    Word value;
    std::memcpy(&value, bytes, sizeof value);
    launch(args.output.device, grid_for(n), kThreads, fill_kernel<Word>, shape, value,
           args.output.as<Word>(), n);
  });
}

}  // namespace amp::inline v0::kernels::cuda
