// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Blocks of elements in the type that host kernels compute in. The 16- and 8-bit formats are
// storage: a block is widened when fetched and rounded once when stored, so that each loop below
// exists for float, double and int64 only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "amp/core/simd/on_widest.hpp"
#include "amp/core/simd/vec.hpp"
#include "amp/kernels/compute_type.hpp"
#include "amp/kernels/operand.hpp"
#include "amp/types/convert.hpp"

namespace amp::inline v0::kernels::host {

/// Elements per block: a few blocks fit into the first-level cache.
inline constexpr std::int64_t kBlock = 1024;

inline const void* element(const Operand& operand, std::int64_t offset) {
  return static_cast<const char*>(operand.data) + offset * item_size(operand.dtype);
}

namespace detail {

/// The block size of conversions by way of another type.
inline constexpr std::int64_t kPiece = 256;

constexpr bool is_small_float_type(DType dtype) {
  return is_floating_point(dtype) && dtype != kFloat64 && dtype != kFloat32;
}

// These functions exist once for each compute type, and are called once for a block. If they were
// compiled into each kernel that fetches and stores, the ten dtypes would be most of its code.

/// buffer[i] = element i of an array of another dtype.
template <class C>
[[gnu::noinline]] void convert_from(const void* data, DType dtype, std::int64_t n, C* buffer) {
  if constexpr (std::is_same_v<C, std::int64_t>) {
    if (is_small_float_type(dtype)) {  // float has all of its values
      float piece[kPiece];
      for (std::int64_t i = 0; i < n; i += kPiece) {
        const std::int64_t count = n - i < kPiece ? n - i : kPiece;
        convert_from(static_cast<const char*>(data) + i * item_size(dtype), dtype, count, piece);
        convert_n(piece, buffer + i, static_cast<std::size_t>(count));
      }
      return;
    }
  }
  amp::detail::visit_dtype_inlined(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (!std::is_same_v<T, C> && !(std::is_same_v<C, std::int64_t> && is_small_float<T>))
      convert_n(static_cast<const T*>(data), buffer, static_cast<std::size_t>(n));
  });
}
/// The reverse: element i of an array of another dtype = buffer[i].
template <class C>
[[gnu::noinline]] void convert_to(const C* values, void* data, DType dtype, std::int64_t n) {
  if constexpr (std::is_same_v<C, std::int64_t>) {
    if (is_small_float_type(dtype)) {  // by doubles that round as the integer does
      double piece[kPiece];
      for (std::int64_t i = 0; i < n; i += kPiece) {
        const std::int64_t count = n - i < kPiece ? n - i : kPiece;
        for (std::int64_t l = 0; l < count; ++l)
          piece[l] = amp::detail::round_to_odd(values[i + l]);
        convert_to(piece, static_cast<char*>(data) + i * item_size(dtype), dtype, count);
      }
      return;
    }
  }
  amp::detail::visit_dtype_inlined(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (!(std::is_same_v<C, std::int64_t> && is_small_float<T>))
      convert_n(values, static_cast<T*>(data), static_cast<std::size_t>(n));
  });
}

/// Writes the bytes of a word over and over.
struct RepeatWord : simd::UpToAvx2 {
  template <class Isa>
  AMP_ALWAYS_INLINE static void run(std::uint64_t word, char* to, std::int64_t bytes) {
    constexpr std::int64_t kWord = sizeof word, kRegister = Isa::kBytes;
    const simd::Vec<std::uint64_t, Isa> words = word;
    for (; bytes >= 2 * kRegister; bytes -= 2 * kRegister, to += 2 * kRegister) {
      simd::in_memory<std::uint64_t, Isa::kBytes>(to).value = words.low;
      simd::in_memory<std::uint64_t, Isa::kBytes>(to + kRegister).value = words.high;
    }
    for (; bytes > 0; bytes -= kWord, to += kWord)
      std::memcpy(to, &word, static_cast<std::size_t>(bytes < kWord ? bytes : kWord));
  }
};

template <class T>
void move_items(const char* from, std::int64_t from_stride, char* to, std::int64_t to_stride,
                std::int64_t n) {
  constexpr auto kBytes = static_cast<std::int64_t>(sizeof(T));
  if (from_stride == 0 && to_stride == 1) {
    T item = 0;  // n may be 0
    if (n != 0) std::memcpy(&item, from, sizeof item);
    return simd::on_widest<RepeatWord>(~std::uint64_t{0} / static_cast<T>(~T{0}) * item, to,
                                       n * kBytes);
  }
  const auto move = [&] {
    std::memcpy(to, from, sizeof(T));
    from += from_stride * kBytes;
    to += to_stride * kBytes;
  };
  // Four in a turn: a loop of one element takes twice the time if its instructions lie in two cache
  // lines.
  for (; n >= 4; n -= 4) move(), move(), move(), move();
  AMP_NO_UNROLL
  for (; n > 0; --n) move();
}
/// to[i * to_stride] = from[i * from_stride], for elements of any dtype.
[[gnu::noinline]] inline void move_elements(DType dtype, const void* from, std::int64_t from_stride,
                                            void* to, std::int64_t to_stride, std::int64_t n) {
  const auto* const source = static_cast<const char*>(from);
  auto* const target = static_cast<char*>(to);
  visit_bits(dtype, [&](auto tag) {
    move_items<typename decltype(tag)::type>(source, from_stride, target, to_stride, n);
  });
}

/// buffer[i] = element i, `stride` apart: collected first, then converted.
template <class C>
[[gnu::noinline]] const C* fetch_strided(const void* data, DType dtype, std::int64_t stride,
                                         std::int64_t n, C* buffer);
template <class C>
[[gnu::noinline]] void store_strided(const C* values, void* data, DType dtype, std::int64_t stride,
                                     std::int64_t n);

}  // namespace detail

/// Returns n contiguous elements from `data` on as C: in place if they have that type, else
/// converted into `buffer`. Only bool is fetched as bool, or stored from it.
template <class C>
const C* fetch(const void* data, DType dtype, std::int64_t n, C* buffer) {
  if (std::is_same_v<C, bool> || dtype == dtype_of<C>) return static_cast<const C*>(data);
  if constexpr (!std::is_same_v<C, bool>) detail::convert_from(data, dtype, n, buffer);
  return buffer;
}
/// Stores the values, rounded once; does nothing if `values` are in place.
template <class C>
void store(const C* values, void* data, DType dtype, std::int64_t n) {
  if (values == data) return;
  if constexpr (std::is_same_v<C, bool>) {
    if (n != 0) std::memcpy(data, values, static_cast<std::size_t>(n));
  } else {
    detail::convert_to(values, data, dtype, n);
  }
}

namespace detail {

template <class C>
const C* fetch_strided(const void* data, DType dtype, std::int64_t stride, std::int64_t n,
                       C* buffer) {
  if (stride == 0) {
    C one;  // n may be 0
    move_elements(dtype_of<C>, fetch(data, dtype, 1, &one), 0, buffer, 1, n);
  } else if (dtype == dtype_of<C>) {
    move_elements(dtype, data, stride, buffer, 1, n);
  } else {
    alignas(8) char piece[kPiece * 8];
    const auto* from = static_cast<const char*>(data);
    for (std::int64_t i = 0; i < n; i += kPiece, from += kPiece * stride * item_size(dtype)) {
      const std::int64_t count = n - i < kPiece ? n - i : kPiece;
      move_elements(dtype, from, stride, piece, 1, count);
      fetch(piece, dtype, count, buffer + i);
    }
  }
  return buffer;
}
template <class C>
void store_strided(const C* values, void* data, DType dtype, std::int64_t stride, std::int64_t n) {
  if (dtype == dtype_of<C>) return move_elements(dtype, values, 1, data, stride, n);
  alignas(8) char piece[kPiece * 8];
  auto* to = static_cast<char*>(data);
  for (std::int64_t i = 0; i < n; i += kPiece, to += kPiece * stride * item_size(dtype)) {
    const std::int64_t count = n - i < kPiece ? n - i : kPiece;
    store(values + i, piece, dtype, count);
    move_elements(dtype, piece, 1, to, stride, count);
  }
}

}  // namespace detail

/// Returns n elements from `offset` on, `stride` elements apart, in the same way.
template <class C>
const C* fetch(const Operand& operand, std::int64_t offset, std::int64_t stride, std::int64_t n,
               C* buffer) {
  if (operand.immediate) {
    const C value = immediate<C>(operand);
    AMP_NO_UNROLL
    for (std::int64_t i = 0; i < n; ++i) buffer[i] = value;
    return buffer;
  }
  const void* const address = element(operand, offset);
  if (stride == 1 || n == 1) return fetch(address, operand.dtype, n, buffer);
  return detail::fetch_strided(address, operand.dtype, stride, n, buffer);
}

/// Returns the memory for a block of results: the output itself if its dtype is C and it is dense,
/// else `buffer`.
template <class C>
C* target(const Operand& output, std::int64_t offset, std::int64_t stride, std::int64_t n,
          C* buffer) {
  const bool direct = output.dtype == dtype_of<C> && (stride == 1 || n == 1);
  return direct ? static_cast<C*>(const_cast<void*>(element(output, offset))) : buffer;
}

/// Stores a block computed at target() in the output, rounded once.
template <class C>
void store(const C* values, const Operand& output, std::int64_t offset, std::int64_t stride,
           std::int64_t n) {
  void* const address = const_cast<void*>(element(output, offset));
  if (stride == 1 || values == address) return store(values, address, output.dtype, n);
  detail::store_strided(values, address, output.dtype, stride, n);
}

}  // namespace amp::inline v0::kernels::host
