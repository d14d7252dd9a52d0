// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Making tensors.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <type_traits>

#include "amp/tensor/generator.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

namespace kernels {
struct RandomArgs;
}

/// A tensor whose elements are not initialised.
[[nodiscard]] Tensor empty(const Shape& shape, const TensorOptions& options = {});

/// A tensor whose elements are all `value`. Throws if the dtype does not hold the value: an integer
/// beyond its range, or a finite number that it would round to an infinity.
[[nodiscard]] Tensor full(const Shape& shape, double value, const TensorOptions& options = {});
/// All elements are 0.
[[nodiscard]] Tensor zeros(const Shape& shape, const TensorOptions& options = {});
/// All elements are 1.
[[nodiscard]] Tensor ones(const Shape& shape, const TensorOptions& options = {});

/// Random numbers, uniform in [0, 1), from the process' generator (manual_seed).
[[nodiscard]] Tensor rand(const Shape& shape, const TensorOptions& options = {});
/// Random numbers, normal with mean 0 and variance 1, from the same generator.
[[nodiscard]] Tensor randn(const Shape& shape, const TensorOptions& options = {});

namespace detail {

/// Copies host values, laid out row-major, to a new tensor. T is an arithmetic type or an Element.
template <class T>
Tensor from_values(const T* values, std::size_t count, const Shape& shape, DType dtype,
                   const TensorOptions& options);

/// arange() without its checks of types. T is the widest type of a kind: std::int64_t,
/// std::uint64_t, or a floating-point type.
template <class T>
Tensor arange_of(T start, T end, T step, const TensorOptions& options);

/// The type in which arange computes: the integers of a kind all as the widest, which holds them.
template <class T>
using RangeNumber = std::conditional_t<
    std::floating_point<T>, T,
    std::conditional_t<std::unsigned_integral<T> && sizeof(T) == sizeof(std::uint64_t),
                       std::uint64_t, std::int64_t>>;

}  // namespace detail

/// A tensor of host values in row-major order: floating-point lists give float32, integers int64,
/// bools bool, 16-bit and 8-bit numbers their own dtype, unless `options.dtype` says otherwise.
/// Throws if their number is not that of the elements of `shape`.
template <class T>
  requires std::is_arithmetic_v<T> || is_small_float<T>
[[nodiscard]] Tensor tensor(std::initializer_list<T> values, const Shape& shape,
                            const TensorOptions& options = {}) {
  DType natural = kFloat32;
  if constexpr (std::is_same_v<T, bool>) {
    natural = kBool;
  } else if constexpr (std::integral<T>) {
    natural = kInt64;
  } else if constexpr (is_small_float<T>) {
    natural = dtype_of<T>;
  }
  return detail::from_values(values.begin(), values.size(), shape, options.dtype.value_or(natural),
                             options);
}

/// The same for a contiguous range, in the dtype of its elements unless `options.dtype` says
/// otherwise. Here as there, values are data: one beyond the largest of the dtype becomes infinite,
/// as in torch.
template <class Range>
  requires requires(const Range& range) {
    std::data(range);
    requires Element<std::remove_cvref_t<decltype(*std::data(range))>>;
  }
[[nodiscard]] Tensor tensor(const Range& values, const Shape& shape,
                            const TensorOptions& options = {}) {
  using T = std::remove_cvref_t<decltype(*std::data(values))>;
  return detail::from_values(std::data(values), std::size(values), shape,
                             options.dtype.value_or(dtype_of<T>), options);
}

/// The same of one dimension: tensor({1, 2, 3}) has the shape [3].
template <class T>
  requires std::is_arithmetic_v<T> || is_small_float<T>
[[nodiscard]] Tensor tensor(std::initializer_list<T> values) {
  return tensor(values, Shape(values.size()));
}
template <class Range>
  requires requires(const Range& range) {
    std::data(range);
    requires Element<std::remove_cvref_t<decltype(*std::data(range))>>;
  }
[[nodiscard]] Tensor tensor(const Range& values) {
  return tensor(values, Shape(std::size(values)));
}
/// The same without dimensions, of one number.
template <class T>
  requires std::is_arithmetic_v<T> || is_small_float<T>
[[nodiscard]] Tensor tensor(T value) { return tensor({value}, Shape()); }

/// start, start + step, ... below `end` (above, for a negative step): int64 for integers, float32
/// otherwise. Throws if `step` is 0 or points away from `end`, if a number is not finite, if the
/// dtype does not hold one of the values, and if these are more than memory holds.
template <class T>
  requires std::is_arithmetic_v<T>
[[nodiscard]] Tensor arange(T start, T end, T step, const TensorOptions& options = {}) {
  using Number = detail::RangeNumber<T>;
  return detail::arange_of(static_cast<Number>(start), static_cast<Number>(end),
                           static_cast<Number>(step), options);
}
template <class T>
  requires std::is_arithmetic_v<T>
[[nodiscard]] Tensor arange(T start, T end, const TensorOptions& options = {}) {
  return arange(start, end, T{1}, options);
}
template <class T>
  requires std::is_arithmetic_v<T>
[[nodiscard]] Tensor arange(T end, const TensorOptions& options = {}) {
  return arange(T{0}, end, T{1}, options);
}

/// `steps` numbers from `start` to `end`, both included, evenly spaced: in float32 unless
/// `options.dtype` says otherwise, computed in float64; integers cut off fractions. Throws if
/// `steps` is negative, and if the dtype does not hold an end.
[[nodiscard]] Tensor linspace(double start, double end, std::int64_t steps,
                              const TensorOptions& options = {});
/// base^x for each number x that linspace gives.
[[nodiscard]] Tensor logspace(double start, double end, std::int64_t steps, double base = 10,
                              const TensorOptions& options = {});

/// The matrix [n, m] (by default [n, n]) with 1 on its diagonal, and 0 elsewhere.
[[nodiscard]] Tensor eye(std::int64_t n, const TensorOptions& options = {});
[[nodiscard]] Tensor eye(std::int64_t n, std::int64_t m, const TensorOptions& options = {});

/// An uninitialised tensor with the shape, dtype and device of `other`, row-major.
[[nodiscard]] Tensor empty_like(const Tensor& other);
/// The same, with all elements 0.
[[nodiscard]] Tensor zeros_like(const Tensor& other);
/// The same with all elements 1, or `value`. Throws if the dtype does not hold the value.
[[nodiscard]] Tensor ones_like(const Tensor& other);
[[nodiscard]] Tensor full_like(const Tensor& other, double value);
/// The same with random numbers, as rand() and randn() give.
[[nodiscard]] Tensor rand_like(const Tensor& other);
[[nodiscard]] Tensor randn_like(const Tensor& other);

namespace detail {

/// The bytes of that many elements. Throws if 63 bits do not count them.
std::int64_t byte_count(const Shape& shape, DType dtype);

/// An uninitialised tensor.
Tensor make_tensor(const Shape& shape, DType dtype, Device device);

/// Random numbers of the distribution that `args` name.
Tensor random(std::string_view op, const Shape& shape, const TensorOptions& options,
              kernels::RandomArgs args);

/// Throws, naming the argument, if the dtype does not hold the number: an integer beyond its range,
/// or a finite number that it would round to an infinity.
void check_holds(std::string_view op, std::string_view argument, double number, DType dtype);
void check_holds(std::string_view op, std::string_view argument, std::int64_t number, DType dtype);
void fill(const Tensor& tensor, double value);

}  // namespace detail
}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/tensor/factory.ipp"
#endif
