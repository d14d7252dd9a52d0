// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "amp/core/math.hpp"
#include "amp/device/parallel.hpp"
#include "amp/kernels/elementwise/args.hpp"
#include "amp/kernels/elementwise/function_kernels.hpp"
#include "amp/kernels/elementwise/host.hpp"
#include "amp/kernels/elementwise/host/loops.hpp"
#include "amp/kernels/elementwise/host/powers.hpp"
#include "amp/kernels/elementwise/host/where.hpp"
#include "amp/kernels/functions.hpp"
#include "amp/kernels/traversal/host/loop.hpp"
#include "amp/kernels/traversal/host/transpose.hpp"

namespace amp::inline v0::kernels::host {

using namespace functions;

namespace detail {

/// The loop of one op over blocks of its operands. All other code is common to the ops and compiled
/// once for each number of operands.
template <class C, class Result, class... X, int... k, class... In>
void function_blocks(const Parameters& parameters, const Operand& output,
                     FunctionLoop<Result, X...> loop_of_block, std::integer_sequence<int, k...>,
                     const In&... in) {
  constexpr int kOutput = sizeof...(In);
  auto loop = Loop<kOutput + 1>::in_memory_order(output, {&in..., &output});
  if ((is_in_place<C>(in, loop.inner_stride(k)) && ...) &&
      is_in_place<Result>(output, loop.inner_stride(kOutput)))
    loop.block = kBlockInPlace;
  loop.run_parallel([&](const std::int64_t* at, std::int64_t n) {
    C buffers[sizeof...(In)][kBlock];
    Result out_buffer[kBlock];
    const Values<C> values[] = {fetch_values(in, at[k], loop.inner_stride(k), n, buffers[k])...};
    Result* const y = target(output, at[kOutput], loop.inner_stride(kOutput), n, out_buffer);
    loop_of_block(parameters, y, n, values[k]...);
    store(y, output, at[kOutput], loop.inner_stride(kOutput), n);
  });
}

/// Converts by way of C, in one pass.
template <class C>
void convert_blocks(const UnaryArgs& args) {
  auto loop = Loop<2>::in_memory_order(args.output, {&args.input, &args.output});
  if (args.output.dtype == dtype_of<C> && loop.inner_stride(1) == 1) loop.block = kBlockInPlace;
  loop.run_parallel([&](const std::int64_t* at, std::int64_t n) {
    C buffer[kBlock];
    C* const y = target(args.output, at[1], loop.inner_stride(1), n, buffer);
    const C* const x = fetch(args.input, at[0], loop.inner_stride(0), n, y);
    store(x, args.output, at[1], loop.inner_stride(1), n);
  });
}

/// Blocks of one 16-bit format T. Returns false if operands are not dense, or of another dtype. A
/// number is none of T: a function whose results are not rounded takes arrays only.
template <class T, class... X, class... In, int... k>
bool blocks_of_16_bits(const Parameters& parameters, const Operand& output, bool takes_numbers,
                       void (*loop_of_block)(const Parameters&, T*, std::int64_t, Values<X>...),
                       std::integer_sequence<int, k...>, const In&... in) {
  constexpr int kOutput = sizeof...(X);
  auto loop = Loop<kOutput + 1>::in_memory_order(output, {&in..., &output});
  loop.block = kBlockInPlace;
  const auto fits = [&](const Operand& x, std::int64_t stride) {
    return x.immediate ? takes_numbers : x.dtype == output.dtype && (stride == 0 || stride == 1);
  };
  if (loop.inner_stride(kOutput) != 1 || !(fits(in, loop.inner_stride(k)) && ...)) return false;
  loop.run_parallel([&](const std::int64_t* at, std::int64_t n) {
    std::array<float, kEnough> numbers[sizeof...(X)];
    const auto values = [&](const Operand& x, int operand) -> Values<T> {
      const void* const address = element(x, at[operand]);
      if (!x.immediate && loop.inner_stride(operand) == 1) return {static_cast<const T*>(address)};
      fetch(x, at[operand], 0, kEnough, numbers[operand].data());
      return {reinterpret_cast<const T*>(numbers[operand].data()), 0};
    };
    T* const y = static_cast<T*>(const_cast<void*>(element(output, at[kOutput])));
    loop_of_block(parameters, y, n, values(in, k)...);
  });
  return true;
}
/// Returns whether a light function of one 16-bit format was computed without passes that convert.
template <class Function, class Args>
bool computed_in_16_bits(const Args& args) {
  if constexpr (is_in<Function>(LightFunctions{})) {
    if (!amp::detail::has_vectors_of_16_bits()) return false;
    constexpr bool kTakesNumbers = !is_in<Function>(ExactFunctions{});
    const auto run = [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (std::is_same_v<Args, UnaryArgs>)
        return blocks_of_16_bits(args.parameters, args.output, kTakesNumbers,
                                 &loop<Function, float, T, T>, std::integer_sequence<int, 0>(),
                                 args.input);
      else
        return blocks_of_16_bits(args.parameters, args.output, kTakesNumbers,
                                 &loop<Function, float, T, T, T>,
                                 std::integer_sequence<int, 0, 1>(), args.a, args.b);
    };
    if (args.output.dtype == kFloat16) return run(type_tag<half>{});
    if (args.output.dtype == kBFloat16) return run(type_tag<bfloat16>{});
  }
  return false;
}

template <class Function, class C, class Result = C>
void unary_as(const UnaryArgs& args) {
  function_blocks<C, Result, C>(args.parameters, args.output, loop<Function, C, Result, C>,
                                std::integer_sequence<int, 0>(), args.input);
}
template <class Function, class C, class Result = C>
void binary_as(const BinaryArgs& args) {
  function_blocks<C, Result, C, C>(args.parameters, args.output, loop<Function, C, Result, C, C>,
                                   std::integer_sequence<int, 0, 1>(), args.a, args.b);
}
template <class Function, class C>
void gradient_as(const GradientArgs& args) {
  function_blocks<C, C, C, C, C>(args.parameters, args.output, loop<Function, C, C, C, C, C>,
                                 std::integer_sequence<int, 0, 1, 2>(), args.grad, args.a, args.b);
}

/// Copies rows of `bytes` bytes, in whole registers if they are that long: the last register of a
/// row overlaps the one before it.
struct CopyShortRows : simd::UpToAvx2 {
  template <class Isa>
  AMP_ALWAYS_INLINE static void run(const char* from, std::int64_t from_step, char* to,
                                    std::int64_t to_step, std::int64_t rows, std::int64_t bytes) {
    using Register = typename simd::Vec<std::uint32_t, Isa>::Native;
    constexpr std::int64_t kBytes = sizeof(Register);
    for (; rows > 0; --rows, from += from_step, to += to_step) {
      if (bytes < kBytes) {
        std::memcpy(to, from, static_cast<std::size_t>(bytes));
        continue;
      }
      Register last, v;
      std::memcpy(&last, from + bytes - kBytes, kBytes);
      for (std::int64_t i = 0; i + kBytes < bytes; i += kBytes) {
        std::memcpy(&v, from + i, kBytes);
        std::memcpy(to + i, &v, kBytes);
      }
      std::memcpy(to + bytes - kBytes, &last, kBytes);
    }
  }
};

/// Copies an array whose innermost elements are neighbours, as in the copy: row by row, and long
/// rows in pieces.
AMP_LAZY void copy_rows(const Strided<2>& shape, DType dtype, const char* from, char* to) {
  constexpr std::int64_t kLong = 16 * kBlock;
  const std::int64_t item = item_size(dtype), length = shape.inner_size();
  const std::int64_t rows = length == 0 ? 0 : shape.numel() / length;
  if (shape.dims == 1 || length >= kLong) {
    const std::int64_t pieces = ceil_div(length, kLong);
    parallel_ranges(rows * pieces, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin, at[2]; i < end; ++i) {
        const std::int64_t first = i % pieces * kLong, n = (std::min)(kLong, length - first);
        shape.locate(i / pieces * length + first, at);
        std::memcpy(to + at[1] * item, from + at[0] * item, static_cast<std::size_t>(n * item));
      }
    });
    return;
  }
  const int next = shape.dims - 2;
  parallel_ranges(rows, ceil_div(kLong, length), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin, at[2]; row < end;) {
      shape.locate(row * length, at);
      const std::int64_t left = shape.sizes[next] - row % shape.sizes[next];
      const std::int64_t n = (std::min)(end - row, left);
      simd::on_widest<CopyShortRows>(from + at[0] * item, shape.strides[0][next] * item,
                                     to + at[1] * item, shape.strides[1][next] * item, n,
                                     length * item);
      row += n;
    }
  });
}

}  // namespace detail

template <class Function>
void unary(const UnaryArgs& args) {
  if (detail::computed_in_16_bits<Function>(args)) return;
  if constexpr (std::is_same_v<Function, LogicalNot>) {
    if (args.input.dtype == kBool && !args.input.immediate)
      return detail::unary_as<Function, bool>(args);
  }
  visit_types<Function>(args.input.dtype, args.output.dtype, [&](auto tag, auto result) {
    detail::unary_as<Function, typename decltype(tag)::type, typename decltype(result)::type>(args);
  });
}
template <class Function>
void binary(const BinaryArgs& args) {
  if (detail::computed_in_16_bits<Function>(args)) return;
  const DType operands = common_dtype(args.a, args.b);
  if constexpr (Function::kDomain == kTruth) {
    const bool arrays = !args.a.immediate && !args.b.immediate;
    if (arrays && args.a.dtype == kBool && args.b.dtype == kBool)
      return detail::binary_as<Function, bool>(args);
  }
  if constexpr (std::is_same_v<Function, Pow>) {
    if (detail::is_fixed_power(args)) {
      if (const auto power = detail::power(immediate<double>(args.b)))
        return power({args.a, args.output});
    }
  }
  visit_types<Function>(operands, args.output.dtype, [&](auto tag, auto result) {
    detail::binary_as<Function, typename decltype(tag)::type, typename decltype(result)::type>(
        args);
  });
}
template <class Function>
void gradient(const GradientArgs& args) {
  if constexpr (std::is_same_v<Function, ByA<Pow>>) {
    if (detail::is_fixed_power(args)) {
      if (const auto slope = detail::slope_of_power(immediate<double>(args.b)))
        return slope({args.grad, args.a, args.output});
    }
  }
  // A gradient of float64 is multiplied before it is rounded to a narrower operand's dtype.
  visit_float_type(promote_types(args.grad.dtype, args.output.dtype), [&](auto tag) {
    detail::gradient_as<Function, typename decltype(tag)::type>(args);
  });
}

#if !AMP_HEADER_ONLY
// The compiled library holds all of them, since other parts of it see declarations only.
struct FunctionKernels {
  template <class Function>
  static constexpr Kernel<UnaryArgs> unary = host::unary<Function>;
  template <class Function>
  static constexpr Kernel<BinaryArgs> binary = host::binary<Function>;
  template <class Function>
  static constexpr Kernel<GradientArgs> gradient = host::gradient<Function>;
};
[[gnu::used]] static constexpr ElementwiseKernels kElementwise = [] {
  ElementwiseKernels table{};
  add_unary<FunctionKernels>(table, UnaryFunctions{});
  add_binary<FunctionKernels>(table, BinaryFunctions{});
  return table;
}();
#endif

AMP_LAZY_DEFINITION void where(const WhereArgs& args) {
  const auto loop =
      Loop<4>::in_memory_order(args.output, {&args.condition, &args.a, &args.b, &args.output});
  const DType dtype = args.output.dtype;
  if (detail::has_bits_of(args.a, dtype) && detail::has_bits_of(args.b, dtype)) {
    visit_bits(dtype,
               [&](auto tag) { detail::choose_bits<typename decltype(tag)::type>(args, loop); });
  } else {
    visit_compute_type(dtype, [&](auto tag) {
      detail::choose_converted<typename decltype(tag)::type>(args, loop);
    });
  }
}

AMP_LAZY_DEFINITION void copy(const UnaryArgs& args) {
  if (args.input.dtype == args.output.dtype && !args.input.immediate) {
    const auto loop = Loop<2>::in_memory_order(args.output, {&args.input, &args.output});
    const int across = transposed_dimension(loop);
    const DType dtype = args.output.dtype;
    if (across >= 0) return transpose(loop, across, dtype, args.input.data, args.output.data);
    if (loop.inner_stride(0) == 1 && loop.inner_stride(1) == 1)
      return detail::copy_rows(loop, dtype, args.input.as<const char>(), args.output.as<char>());
    loop.run_parallel([&](const std::int64_t* at, std::int64_t n) {
      detail::move_elements(dtype, element(args.input, at[0]), loop.inner_stride(0),
                            const_cast<void*>(element(args.output, at[1])), loop.inner_stride(1),
                            n);
    });
  } else {
    // The input's compute type holds all of its values.
    visit_compute_type(args.input.dtype, [&](auto tag) {
      detail::convert_blocks<typename decltype(tag)::type>(args);
    });
  }
}

AMP_LAZY_DEFINITION void fill(const FillArgs& args) {
  const auto loop = Loop<1>::in_memory_order(args.output, {&args.output});
  alignas(8) unsigned char value[sizeof(std::uint64_t)];
  store(&args.value, value, args.output.dtype, 1);
  const auto put = [&](std::int64_t at, std::int64_t n) {
    detail::move_elements(args.output.dtype, value, 0, const_cast<void*>(element(args.output, at)),
                          loop.inner_stride(0), n);
  };
  if (loop.dims > 1)
    return loop.run_parallel([&](const std::int64_t* at, std::int64_t n) { put(at[0], n); });
  parallel_ranges(loop.inner_size(), 16 * kBlock, [&](std::int64_t begin, std::int64_t end) {
    put(begin * loop.inner_stride(0), end - begin);
  });
}

}  // namespace amp::inline v0::kernels::host
