// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "amp/kernels/elementwise/args.hpp"
#include "amp/kernels/elementwise/host.hpp"
#include "amp/kernels/elementwise/host/vector_functions.hpp"
#include "amp/kernels/functions.hpp"
#include "amp/kernels/traversal/host/loop.hpp"
#include "amp/kernels/traversal/host/transpose.hpp"

namespace amp::inline v0::kernels::host {

using namespace functions;  // one scalar expression each

namespace detail {

/// The loops of one op over a block, one per compute type. All other code is common to the ops and
/// compiled once.
template <class C, class Result>
using UnaryLoop = void (*)(const C* x, Result* y, std::int64_t n);
template <class C, class Result>
using BinaryLoop = void (*)(const C* a, const C* b, Result* y, std::int64_t n);

template <class Function>
struct Loops {
  template <class C, class Result>
  static void unary(const C* x, Result* y, std::int64_t n) {
    if constexpr (std::is_same_v<C, float> && std::is_same_v<Result, float> &&
                  lanes::HasUnaryVectors<Function>) {
      lanes::OnWidest<lanes::Unary<Function>>::run(x, y, n);
    } else {
      for (std::int64_t i = 0; i < n; ++i) y[i] = Function::apply(x[i]);
    }
  }
  template <class C, class Result>
  static void binary(const C* a, const C* b, Result* y, std::int64_t n) {
    if constexpr (std::is_same_v<C, float> && std::is_same_v<Result, float> &&
                  lanes::HasBinaryVectors<Function>) {
      lanes::OnWidest<lanes::Binary<Function>>::run(a, b, y, n);
    } else {
      for (std::int64_t i = 0; i < n; ++i) y[i] = Function::apply(a[i], b[i]);
    }
  }
};

template <class C>
void unary_blocks(const UnaryArgs& args, UnaryLoop<C, C> apply) {
  const auto loop = Loop<2>::in_memory_order(args.output, {&args.input, &args.output});
  loop.run_parallel([&](const std::int64_t* at, std::int64_t n) {
    C in_buffer[kBlock], out_buffer[kBlock];
    const C* const x = fetch(args.input, at[0], loop.inner_stride(0), n, in_buffer);
    C* const y = target(args.output, at[1], loop.inner_stride(1), n, out_buffer);
    apply(x, y, n);
    store(y, args.output, at[1], loop.inner_stride(1), n);
  });
}

/// Converts by way of C, in one pass.
template <class C>
void convert_blocks(const UnaryArgs& args) {
  const auto loop = Loop<2>::in_memory_order(args.output, {&args.input, &args.output});
  loop.run_parallel([&](const std::int64_t* at, std::int64_t n) {
    C buffer[kBlock];
    C* const y = target(args.output, at[1], loop.inner_stride(1), n, buffer);
    const C* const x = fetch(args.input, at[0], loop.inner_stride(0), n, y);
    store(x, args.output, at[1], loop.inner_stride(1), n);
  });
}

template <class C, class Result>
void binary_blocks(const BinaryArgs& args, BinaryLoop<C, Result> apply) {
  const auto loop = Loop<3>::in_memory_order(args.output, {&args.a, &args.b, &args.output});
  loop.run_parallel([&](const std::int64_t* at, std::int64_t n) {
    C a_buffer[kBlock], b_buffer[kBlock];
    Result out_buffer[kBlock];
    const C* const a = fetch(args.a, at[0], loop.inner_stride(0), n, a_buffer);
    const C* const b = fetch(args.b, at[1], loop.inner_stride(1), n, b_buffer);
    Result* const y = target(args.output, at[2], loop.inner_stride(2), n, out_buffer);
    apply(a, b, y, n);
    store(y, args.output, at[2], loop.inner_stride(2), n);
  });
}

template <class Function, class C>
void unary_as(const UnaryArgs& args) {
  unary_blocks<C>(args, Loops<Function>::template unary<C, C>);
}
template <class Function, class C, class Result = C>
void binary_as(const BinaryArgs& args) {
  binary_blocks<C, Result>(args, Loops<Function>::template binary<C, Result>);
}

template <class T>
void fill_elements(const void* value, void* to, std::int64_t stride, std::int64_t n) {
  T element;
  std::memcpy(&element, value, sizeof element);
  for (std::int64_t i = 0; i < n; ++i) static_cast<T*>(to)[i * stride] = element;
}

}  // namespace detail

/// Ops that are defined for integers too.
template <class Function>
void unary(const UnaryArgs& args) {
  visit_compute_type(args.input.dtype, [&](auto tag) {
    detail::unary_as<Function, typename decltype(tag)::type>(args);
  });
}
template <class Function>
void binary(const BinaryArgs& args) {
  visit_compute_type(common_dtype(args.a, args.b), [&](auto tag) {
    detail::binary_as<Function, typename decltype(tag)::type>(args);
  });
}
template <class Function>
void comparison(const BinaryArgs& args) {
  visit_compute_type(common_dtype(args.a, args.b), [&](auto tag) {
    detail::binary_as<Function, typename decltype(tag)::type, bool>(args);
  });
}
/// Ops on real numbers only.
template <class Function>
void float_unary(const UnaryArgs& args) {
  visit_float_type(args.output.dtype, [&](auto tag) {
    detail::unary_as<Function, typename decltype(tag)::type>(args);
  });
}
template <class Function>
void float_binary(const BinaryArgs& args) {
  visit_float_type(args.output.dtype, [&](auto tag) {
    detail::binary_as<Function, typename decltype(tag)::type>(args);
  });
}

// The kernels, by op.
// clang-format off
AMP_INLINE void neg(const UnaryArgs& args) { unary<Neg>(args); }
AMP_INLINE void abs(const UnaryArgs& args) { unary<Abs>(args); }
AMP_INLINE void exp(const UnaryArgs& args) { float_unary<Exp>(args); }
AMP_INLINE void log(const UnaryArgs& args) { float_unary<Log>(args); }
AMP_INLINE void log1p(const UnaryArgs& args) { float_unary<Log1p>(args); }
AMP_INLINE void sqrt(const UnaryArgs& args) { float_unary<Sqrt>(args); }
AMP_INLINE void rsqrt(const UnaryArgs& args) { float_unary<Rsqrt>(args); }
AMP_INLINE void tanh(const UnaryArgs& args) { float_unary<Tanh>(args); }
AMP_INLINE void sigmoid(const UnaryArgs& args) { float_unary<Sigmoid>(args); }
AMP_INLINE void relu(const UnaryArgs& args) { unary<Relu>(args); }
AMP_INLINE void silu(const UnaryArgs& args) { float_unary<Silu>(args); }
AMP_INLINE void gelu(const UnaryArgs& args) { float_unary<Gelu>(args); }
AMP_INLINE void gelu_tanh(const UnaryArgs& args) { float_unary<GeluTanh>(args); }
AMP_INLINE void abs_backward(const BinaryArgs& args) { float_binary<AbsBackward>(args); }
AMP_INLINE void log1p_backward(const BinaryArgs& args) { float_binary<Log1pBackward>(args); }
AMP_INLINE void sqrt_backward(const BinaryArgs& args) { float_binary<SqrtBackward>(args); }
AMP_INLINE void rsqrt_backward(const BinaryArgs& args) { float_binary<RsqrtBackward>(args); }
AMP_INLINE void tanh_backward(const BinaryArgs& args) { float_binary<TanhBackward>(args); }
AMP_INLINE void sigmoid_backward(const BinaryArgs& args) { float_binary<SigmoidBackward>(args); }
AMP_INLINE void relu_backward(const BinaryArgs& args) { float_binary<ReluBackward>(args); }
AMP_INLINE void silu_backward(const BinaryArgs& args) { float_binary<SiluBackward>(args); }
AMP_INLINE void gelu_backward(const BinaryArgs& args) { float_binary<GeluBackward>(args); }
AMP_INLINE void gelu_tanh_backward(const BinaryArgs& args) { float_binary<GeluTanhBackward>(args); }
AMP_INLINE void add(const BinaryArgs& args) { binary<Add>(args); }
AMP_INLINE void sub(const BinaryArgs& args) { binary<Sub>(args); }
AMP_INLINE void mul(const BinaryArgs& args) { binary<Mul>(args); }
AMP_INLINE void div(const BinaryArgs& args) { float_binary<Div>(args); }
AMP_INLINE void maximum(const BinaryArgs& args) { binary<Maximum>(args); }
AMP_INLINE void minimum(const BinaryArgs& args) { binary<Minimum>(args); }
AMP_INLINE void pow_derivative_base(const BinaryArgs& args) { float_binary<PowDerivativeBase>(args); }
AMP_INLINE void pow_derivative_exponent(const BinaryArgs& args) { float_binary<PowDerivativeExponent>(args); }
AMP_INLINE void maximum_share(const BinaryArgs& args) { float_binary<MaximumShare>(args); }
AMP_INLINE void eq(const BinaryArgs& args) { comparison<Eq>(args); }
AMP_INLINE void ne(const BinaryArgs& args) { comparison<Ne>(args); }
AMP_INLINE void lt(const BinaryArgs& args) { comparison<Lt>(args); }
AMP_INLINE void le(const BinaryArgs& args) { comparison<Le>(args); }
AMP_INLINE void gt(const BinaryArgs& args) { comparison<Gt>(args); }
AMP_INLINE void ge(const BinaryArgs& args) { comparison<Ge>(args); }
AMP_INLINE void squared_error(const BinaryArgs& args) { float_binary<SquaredError>(args); }
AMP_INLINE void binary_cross_entropy_with_logits(const BinaryArgs& args) { float_binary<BinaryCrossEntropyWithLogits>(args); }
AMP_INLINE void binary_cross_entropy_derivative(const BinaryArgs& args) { float_binary<BinaryCrossEntropyDerivative>(args); }
// clang-format on

AMP_INLINE void pow(const BinaryArgs& args) {
  if (is_floating_point(args.output.dtype)) {
    float_binary<Pow>(args);
  } else {
    detail::binary_as<Pow, std::int64_t>(args);
  }
}

AMP_INLINE void where(const WhereArgs& args) {
  const auto loop =
      Loop<4>::in_memory_order(args.output, {&args.condition, &args.a, &args.b, &args.output});
  visit_compute_type(args.output.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    loop.run_parallel([&](const std::int64_t* at, std::int64_t n) {
      bool condition_buffer[kBlock];
      C a_buffer[kBlock], b_buffer[kBlock], out_buffer[kBlock];
      const bool* const condition =
          fetch(args.condition, at[0], loop.inner_stride(0), n, condition_buffer);
      const C* const a = fetch(args.a, at[1], loop.inner_stride(1), n, a_buffer);
      const C* const b = fetch(args.b, at[2], loop.inner_stride(2), n, b_buffer);
      C* const y = target(args.output, at[3], loop.inner_stride(3), n, out_buffer);
      for (std::int64_t i = 0; i < n; ++i) y[i] = condition[i] ? a[i] : b[i];
      store(y, args.output, at[3], loop.inner_stride(3), n);
    });
  });
}

AMP_INLINE void copy(const UnaryArgs& args) {
  if (args.input.dtype == args.output.dtype && !args.input.immediate) {
    const auto loop = Loop<2>::in_memory_order(args.output, {&args.input, &args.output});
    const int across = transposed_dimension(loop);
    const DType dtype = args.output.dtype;
    if (across >= 0) return transpose(loop, across, dtype, args.input.data, args.output.data);
    loop.run_parallel([&](const std::int64_t* at, std::int64_t n) {
      const void* const from = element(args.input, at[0]);
      void* const to = const_cast<void*>(element(args.output, at[1]));
      const std::int64_t from_stride = loop.inner_stride(0), to_stride = loop.inner_stride(1);
      if (from_stride == 1 && to_stride == 1) {
        if (n != 0) std::memcpy(to, from, static_cast<std::size_t>(n * item_size(dtype)));
      } else {
        detail::move_elements(dtype, from, from_stride, to, to_stride, n);
      }
    });
  } else if (args.output.dtype == kBool || args.input.dtype == kFloat64 ||
             args.output.dtype == kFloat64) {
    // Converts by way of double, which holds every input exactly, except for a large int64. "Not
    // zero" is tested on the value itself.
    if (is_floating_point(args.input.dtype)) {
      detail::unary_as<Identity, double>(args);
    } else {
      detail::unary_as<Identity, std::int64_t>(args);
    }
  } else {
    visit_compute_type(args.input.dtype, [&](auto tag) {
      detail::convert_blocks<typename decltype(tag)::type>(args);
    });
  }
}

AMP_INLINE void fill(const FillArgs& args) {
  const auto loop = Loop<1>::in_memory_order(args.output, {&args.output});
  alignas(8) unsigned char value[sizeof(std::uint64_t)];
  visit_dtype(args.output.dtype, [&](auto tag) {
    const auto element = convert_one<typename decltype(tag)::type>(args.value);
    std::memcpy(value, &element, sizeof element);
  });
  void (*fill)(const void*, void*, std::int64_t, std::int64_t) = nullptr;
  visit_bits(args.output.dtype,
             [&](auto tag) { fill = detail::fill_elements<typename decltype(tag)::type>; });
  loop.run_parallel([&](const std::int64_t* at, std::int64_t n) {
    fill(value, const_cast<void*>(element(args.output, at[0])), loop.inner_stride(0), n);
  });
}

}  // namespace amp::inline v0::kernels::host
