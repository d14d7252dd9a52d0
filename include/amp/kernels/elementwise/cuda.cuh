// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Elementwise ops on CUDA devices: one function each (kernels/functions.hpp), on eight neighbours
// per thread if the operands allow it. Also copy() and fill().
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "amp/kernels/elementwise/args.hpp"
#include "amp/kernels/elementwise/function_kernels.hpp"
#include "amp/kernels/functions.hpp"
#include "amp/kernels/traversal/cuda/elements.cuh"
#include "amp/kernels/traversal/cuda/vectors.cuh"
#include "amp/kernels/traversal/strided.hpp"

namespace amp::inline v0::kernels::cuda {

namespace detail {

template <class...>
struct Types {};
template <int N>
struct Inputs {
  Input of[N];
};

/// Eight neighbours of an operand.
template <class C>
struct Eight {
  C values[kVector];

  __device__ __forceinline__ Eight(const Input& x, std::int64_t at, bool repeats) {
    load_vector(x, at, repeats, values);
  }
};

struct Choose {
  template <class C>
  __device__ __forceinline__ C operator()(bool condition, C a, C b) const {
    return condition ? a : b;
  }
};

/// y = function(x...). The arguments are read as the types C.
template <class Function, class Result, class... C>
AMP_KERNEL void elementwise_kernel(Vectors<sizeof...(C) + 1> shape, Inputs<sizeof...(C)> x,
                                   Output y, Function function) {
  constexpr int kInputs = sizeof...(C);
  [&]<int... K>(std::integer_sequence<int, K...>) {
    for (std::int64_t v = first_element(); v < shape.vectors; v += element_step()) {
      std::int64_t at[kInputs + 1];
      shape.by_vector.locate(v, at);
      [&](const auto&... eight) {
        Result results[kVector];
        for (int l = 0; l < kVector; ++l) results[l] = function(eight.values[l]...);
        store_vector(y.data, y.dtype, at[kInputs], results);
      }(Eight<C>(x.of[K], at[K], shape.repeats(K))...);
    }
    for (std::int64_t i = shape.tail() + first_element(); i < shape.n; i += element_step()) {
      std::int64_t at[kInputs + 1];
      shape.elements.locate(i, at);
      store<Result>(y, at[kInputs], function(load<C>(x.of[K], at[K])...));
    }
  }
  (std::make_integer_sequence<int, kInputs>{});
}

template <class Result, class Function, class... C, class... Operands>
void elementwise(Types<C...>, const Function& function, const Operand& output,
                 const Operands&... inputs) {
  const auto shape = Vectors<sizeof...(C) + 1>::over(output, {&inputs..., &output});
  launch(output.device, shape.blocks(), kThreads, elementwise_kernel<Function, Result, C...>, shape,
         Inputs<sizeof...(C)>{{inputs...}}, output, function);
}

}  // namespace detail

/// Copies elements as bits.
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
  detail::elementwise<Result>(detail::Types<C>{}, bound<Function, C>(args.parameters), args.output,
                              args.input);
}
template <class Function, class C, class Result = C>
void binary_as(const BinaryArgs& args) {
  detail::elementwise<Result>(detail::Types<C, C>{}, bound<Function, C>(args.parameters),
                              args.output, args.a, args.b);
}

template <class Function>
void unary(const UnaryArgs& args) {
  visit_types<Function>(args.input.dtype, args.output.dtype, [&](auto tag, auto result) {
    unary_as<Function, typename decltype(tag)::type, typename decltype(result)::type>(args);
  });
}
template <class Function>
void binary(const BinaryArgs& args) {
  const DType operands = common_dtype(args.a, args.b);
  visit_types<Function>(operands, args.output.dtype, [&](auto tag, auto result) {
    binary_as<Function, typename decltype(tag)::type, typename decltype(result)::type>(args);
  });
}

template <class Function>
void gradient(const GradientArgs& args) {
  visit_float_type(promote_types(args.grad.dtype, args.output.dtype), [&](auto tag) {
    using C = typename decltype(tag)::type;
    detail::elementwise<C>(detail::Types<C, C, C>{}, bound<Function, C>(args.parameters),
                           args.output, args.grad, args.a, args.b);
  });
}

/// The kernels of functions, as add_unary() and add_binary() take them.
struct FunctionKernels {
  template <class Function>
  static constexpr Kernel<UnaryArgs> unary = cuda::unary<Function>;
  template <class Function>
  static constexpr Kernel<BinaryArgs> binary = cuda::binary<Function>;
  template <class Function>
  static constexpr Kernel<GradientArgs> gradient = cuda::gradient<Function>;
};

inline void where(const WhereArgs& args) {
  visit_compute_type(args.output.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    detail::elementwise<C>(detail::Types<bool, C, C>{}, detail::Choose{}, args.output,
                           args.condition, args.a, args.b);
  });
}

/// Turns the elements of the shape into 16-byte words, if all rows of all operands, which have one
/// dtype, consist of whole words. Returns whether it did.
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

/// Calls visitor(type_tag of Word) with the largest words that the shape allows. The shape then
/// counts these words.
template <int N, class Visitor>
void visit_words(Strided<N>& shape, const std::array<const Operand*, N>& operands,
                 Visitor&& visitor) {
  if (take_quads<N>(shape, operands)) return visitor(type_tag<uint4>{});
  visit_bits(operands[0]->dtype, visitor);
}

/// Copies and converts. Equal dtypes copy bits, so NaN payloads survive.
inline void copy(const UnaryArgs& args) {
  if (args.input.dtype == args.output.dtype && !args.input.immediate) {
    auto shape = Strided<2>::over(args.output, {&args.input, &args.output});
    visit_words<2>(shape, {&args.input, &args.output}, [&](auto tag) {
      using Word = typename decltype(tag)::type;
      const std::int64_t n = shape.numel();
      launch(args.output.device, grid_for(n), kThreads, move_kernel<Word>, shape,
             args.input.as<const Word>(), args.output.as<Word>(), n);
    });
  } else if (args.output.dtype == kBool || args.input.dtype == kFloat64 ||
             args.output.dtype == kFloat64) {
    // Converts by way of double, which holds every input exactly, except for a large int64. "Not
    // zero" is tested on the value itself.
    if (is_floating_point(args.input.dtype)) {
      unary_as<functions::Identity, double>(args);
    } else {
      unary_as<functions::Identity, std::int64_t>(args);
    }
  } else {
    visit_compute_type(args.input.dtype, [&](auto tag) {
      unary_as<functions::Identity, typename decltype(tag)::type>(args);
    });
  }
}

inline void fill(const FillArgs& args) {
  auto shape = Strided<1>::over(args.output, {&args.output});
  unsigned char bytes[sizeof(uint4)];
  visit_dtype(args.output.dtype, [&](auto tag) {
    const auto value = convert_one<typename decltype(tag)::type>(args.value);
    for (std::size_t at = 0; at < sizeof bytes; at += sizeof value)
      std::memcpy(bytes + at, &value, sizeof value);
  });
  visit_words<1>(shape, {&args.output}, [&](auto tag) {
    using Word = typename decltype(tag)::type;
    Word value;
    std::memcpy(&value, bytes, sizeof value);
    const std::int64_t n = shape.numel();
    launch(args.output.device, grid_for(n), kThreads, fill_kernel<Word>, shape, value,
           args.output.as<Word>(), n);
  });
}

}  // namespace amp::inline v0::kernels::cuda
