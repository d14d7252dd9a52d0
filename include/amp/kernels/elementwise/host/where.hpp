// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Choices between the elements of two arrays. If nothing is converted, elements are moved as bits.
#pragma once

#include <cstdint>
#include <type_traits>

#include "amp/core/simd/convert.hpp"
#include "amp/core/simd/on_widest.hpp"
#include "amp/kernels/elementwise/args.hpp"
#include "amp/kernels/traversal/host/block.hpp"
#include "amp/kernels/traversal/host/loop.hpp"
#include "amp/types/convert.hpp"

namespace amp::inline v0::kernels::host::detail {

/// y[i] = condition[i] ? a[i] : b[i]. y may be a or b.
template <class T>
struct Choose {
  template <class Isa>
  AMP_ALWAYS_INLINE static void run(const bool* condition, const T* a, const T* b, T* y,
                                    std::int64_t n) {
    using Bits = std::make_unsigned_t<typename simd::IntegerOf<sizeof(T)>::type>;
    std::int64_t i = 0;
    if constexpr (sizeof(T) == 2 || sizeof(T) == 4) {
      for (; i + simd::kLanes<Isa> <= n; i += simd::kLanes<Isa>) {
        const auto bytes = simd::load<Isa>(reinterpret_cast<const std::uint8_t*>(condition + i));
        const auto mask =
            -simd::as<typename simd::IntegerOf<sizeof(T)>::type>(simd::widen<Bits>(bytes));
        simd::store(select(mask, simd::load<Isa>(a + i), simd::load<Isa>(b + i)), y + i);
      }
    }
    for (; i < n; ++i) y[i] = condition[i] ? a[i] : b[i];
  }
};

/// Whether the elements of x, if it is an array, have the bits of those of an array of the dtype.
inline bool has_bits_of(const Operand& x, DType dtype) {
  return x.immediate ? is_floating_point(dtype) : x.dtype == dtype;
}
/// n such elements: in place, or in the buffer.
template <class T>
const T* fetch_bits(const Operand& x, DType dtype, std::int64_t offset, std::int64_t stride,
                    std::int64_t n, T* buffer) {
  if (x.immediate) {
    amp::detail::visit_dtype_inlined(dtype, [&](auto tag) {
      using Element = typename decltype(tag)::type;
      if constexpr (sizeof(Element) == sizeof(T) && !std::is_integral_v<Element>) {
        using C = std::conditional_t<sizeof(T) == 8, double, float>;
        const T bits = __builtin_bit_cast(T, convert_one<Element>(immediate<C>(x)));
        for (std::int64_t i = 0; i < n; ++i) buffer[i] = bits;
      }
    });
    return buffer;
  }
  const void* const from = element(x, offset);
  if (stride == 1 || n == 1) return static_cast<const T*>(from);
  move_elements(dtype, from, stride, buffer, 1, n);
  return buffer;
}
template <class T>
void choose_bits(const WhereArgs& args, const Loop<4>& loop) {
  loop.run_parallel([&](const std::int64_t* at, std::int64_t n) {
    const DType dtype = args.output.dtype;
    bool condition_buffer[kBlock];
    T a_buffer[kBlock], b_buffer[kBlock], out_buffer[kBlock];
    const bool* const condition =
        fetch(args.condition, at[0], loop.inner_stride(0), n, condition_buffer);
    const T* const a = fetch_bits(args.a, dtype, at[1], loop.inner_stride(1), n, a_buffer);
    const T* const b = fetch_bits(args.b, dtype, at[2], loop.inner_stride(2), n, b_buffer);
    void* const to = const_cast<void*>(element(args.output, at[3]));
    const bool direct = loop.inner_stride(3) == 1 || n == 1;
    T* const y = direct ? static_cast<T*>(to) : out_buffer;
    simd::on_widest<Choose<T>>(condition, a, b, y, n);
    if (!direct) move_elements(dtype, y, 1, to, loop.inner_stride(3), n);
  });
}
/// Elements of other dtypes are converted.
template <class C>
void choose_converted(const WhereArgs& args, const Loop<4>& loop) {
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
}

}  // namespace amp::inline v0::kernels::host::detail
