// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Blocks of elements in the type that host kernels compute in. The 16- and 8-bit formats are
// storage: a block is widened when fetched and rounded once when stored, so that each loop below
// exists for float, double and int64 only.
#pragma once

#include <cstdint>

#include "amp/kernels/compute_type.hpp"
#include "amp/kernels/operand.hpp"
#include "amp/types/convert.hpp"

namespace amp::inline v0::kernels::host {

/// Elements per block: a few blocks fit into the first-level cache.
inline constexpr std::int64_t kBlock = 1024;

inline const void* element(const Operand& operand, std::int64_t offset) {
  return static_cast<const char*>(operand.data) + offset * item_size(operand.dtype);
}

/// n elements one after another, from `data` on, as C: in place where they already are, else
/// converted into `buffer`.
template <class C>
const C* fetch(const void* data, DType dtype, std::int64_t n, C* buffer) {
  if (dtype == dtype_of<C>) return static_cast<const C*>(data);
  visit_dtype(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    convert_n(static_cast<const T*>(data), buffer, static_cast<std::size_t>(n));
  });
  return buffer;
}
/// The way back, rounding once; nothing where `values` are there.
template <class C>
void store(const C* values, void* data, DType dtype, std::int64_t n) {
  if (values == data) return;
  visit_dtype(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    convert_n(values, static_cast<T*>(data), static_cast<std::size_t>(n));
  });
}

/// The same of n elements from `offset`, `stride` elements apart.
template <class C>
const C* fetch(const Operand& operand, std::int64_t offset, std::int64_t stride, std::int64_t n,
               C* buffer) {
  if (operand.immediate) {
    const C value = immediate<C>(operand);
    for (std::int64_t i = 0; i < n; ++i) buffer[i] = value;
    return buffer;
  }
  const void* const address = element(operand, offset);
  if (stride == 1 || n == 1) return fetch(address, operand.dtype, n, buffer);
  visit_dtype(operand.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* const from = static_cast<const T*>(address);
    if (stride == 0) {
      const C value = convert_one<C>(from[0]);
      for (std::int64_t i = 0; i < n; ++i) buffer[i] = value;
    } else {
      for (std::int64_t i = 0; i < n; ++i) buffer[i] = convert_one<C>(from[i * stride]);
    }
  });
  return buffer;
}

/// Where a block of results is to be computed: in the output itself where its dtype is C and it is
/// dense, else in `buffer`.
template <class C>
C* target(const Operand& output, std::int64_t offset, std::int64_t stride, std::int64_t n,
          C* buffer) {
  const bool direct = output.dtype == dtype_of<C> && (stride == 1 || n == 1);
  return direct ? static_cast<C*>(const_cast<void*>(element(output, offset))) : buffer;
}

/// Puts a block computed at target() into the output, rounding once.
template <class C>
void store(const C* values, const Operand& output, std::int64_t offset, std::int64_t stride,
           std::int64_t n) {
  void* const address = const_cast<void*>(element(output, offset));
  if (stride == 1 || values == address) return store(values, address, output.dtype, n);
  visit_dtype(output.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* const to = static_cast<T*>(address);
    for (std::int64_t i = 0; i < n; ++i) to[i * stride] = convert_one<T>(values[i]);
  });
}

}  // namespace amp::inline v0::kernels::host
