// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Making tensors.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "amp/kernels/random/host.hpp"
#include "amp/tensor/generator.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

namespace detail {

inline std::int64_t byte_count(const Shape& shape, DType dtype) {
  std::int64_t bytes = 0;
  AMP_CHECK(!__builtin_mul_overflow(shape.numel(), item_size(dtype), &bytes), "shape: ", shape,
            " of ", dtype, " has more bytes than 63 bits count");
  return bytes;
}

inline Tensor make_tensor(const Shape& shape, DType dtype, Device device) {
  auto storage = make_ref<Storage>(device, byte_count(shape, dtype));
  return Tensor(
      make_ref<TensorImpl>(std::move(storage), shape, contiguous_strides(shape), 0, dtype));
}

inline const Tensor& with_options(const Tensor& tensor, const TensorOptions& options) {
  if (options.requires_grad) tensor.requires_grad_();
  return tensor;
}

/// Whether the dtype has the value, or one that it is rounded to.
template <class Number>
bool holds(DType dtype, Number value) {
  bool result = true;
  visit_dtype(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::integral<T> && !std::is_same_v<T, bool>) {
      if constexpr (std::unsigned_integral<Number>) {
        result = std::in_range<T>(static_cast<unsigned long long>(value));
      } else if constexpr (std::integral<Number>) {
        result = std::in_range<T>(static_cast<long long>(value));
      } else {
        const auto lowest = static_cast<double>(std::numeric_limits<T>::lowest());
        const double highest = std::ldexp(1.0, std::numeric_limits<T>::digits);  // first beyond
        result = (value >= lowest || value > lowest - 1) && value < highest;
      }
    }
  });
  return result;
}

/// Throws where an integer dtype has no such value: which it would become is an accident.
inline void check_fill(std::string_view op, double value, DType dtype) {
  AMP_CHECK(holds(dtype, value), op, ": `value` must be a value of ", dtype, ", but is ", value);
}

inline void fill(const Tensor& tensor, double value) {
  if (tensor.numel() == 0) return;
  const kernels::FillArgs args{.output = tensor.operand(), .value = value};
  kernels::dispatch<&kernels::Backend::fill, kernels::host::fill>(tensor.device(), args);
}

inline Tensor random(std::string_view op, const Shape& shape, const TensorOptions& options,
                     kernels::Distribution distribution) {
  const DType dtype = options.dtype.value_or(kFloat32);
  AMP_CHECK(is_floating_point(dtype), op, ": `dtype` must be a floating-point type, but is ",
            dtype);
  const Tensor result = make_tensor(shape, dtype, options.device);
  if (result.numel() != 0) {
    const kernels::RandomArgs args{result.operand(), distribution,
                                   reserve_random(ceil_div(result.numel(), 4), options.device)};
    kernels::dispatch<&kernels::Backend::random, kernels::host::random>(result.device(), args);
  }
  return with_options(result, options);
}

/// Copies host values, laid out row-major, to a new tensor.
template <class T>
Tensor from_values(const T* values, std::size_t count, const Shape& shape, DType dtype,
                   const TensorOptions& options) {
  AMP_CHECK(static_cast<std::int64_t>(count) == shape.numel(), "tensor: `values` has ", count,
            " elements, but `shape` ", shape, " has ", shape.numel());
  const Tensor host = make_tensor(shape, dtype, kCPU);
  visit_dtype(dtype, [&](auto tag) {
    using To = typename decltype(tag)::type;
    To* const to = static_cast<To*>(host.raw_data());
    for (std::size_t i = 0; i < count; ++i) to[i] = convert_one<To>(values[i]);
  });
  if (options.device.type == kCPU) return with_options(host, options);
  const Tensor result = make_tensor(shape, dtype, options.device);
  copy_bytes(options.device, result.raw_data(), kCPU, host.raw_data(),
             host.numel() * item_size(dtype));
  return with_options(result, options);
}

}  // namespace detail

/// Uninitialised.
[[nodiscard]] inline Tensor empty(const Shape& shape, const TensorOptions& options = {}) {
  return detail::with_options(
      detail::make_tensor(shape, options.dtype.value_or(kFloat32), options.device), options);
}

[[nodiscard]] inline Tensor full(const Shape& shape, double value,
                                 const TensorOptions& options = {}) {
  const DType dtype = options.dtype.value_or(kFloat32);
  detail::check_fill("full", value, dtype);
  const Tensor result = detail::make_tensor(shape, dtype, options.device);
  detail::fill(result, value);
  return detail::with_options(result, options);
}
[[nodiscard]] inline Tensor zeros(const Shape& shape, const TensorOptions& options = {}) {
  return full(shape, 0, options);
}
[[nodiscard]] inline Tensor ones(const Shape& shape, const TensorOptions& options = {}) {
  return full(shape, 1, options);
}

/// Uniform in [0, 1), from the process' generator (manual_seed).
[[nodiscard]] inline Tensor rand(const Shape& shape, const TensorOptions& options = {}) {
  return detail::random("rand", shape, options, kernels::Distribution::kUniform);
}
/// Normal with mean 0 and variance 1.
[[nodiscard]] inline Tensor randn(const Shape& shape, const TensorOptions& options = {}) {
  return detail::random("randn", shape, options, kernels::Distribution::kNormal);
}

/// A tensor of host values: floating-point lists make float32, integers int64, bools bool, unless
/// `options.dtype` says otherwise.
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

/// The values of a contiguous range, in the range's element type unless `options.dtype` says
/// otherwise.
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

namespace detail {

template <class T>
void check_direction(T start, T end, T step) {
  AMP_CHECK(start == end || (end > start) == (step > T{0}), "arange: `end` ", end,
            " does not lie in the direction of `step` ", step, " from `start` ", start);
}
/// How many numbers arange gives, of integers.
template <std::integral T>
std::uint64_t range_count(T start, T end, T step) {
  // Differences modulo 2^64, which are those of any two.
  const auto distance = [](T from, T to) {
    return static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
  };
  const bool ascending = step > T{0};
  const std::uint64_t span = ascending ? distance(start, end) : distance(end, start);
  const std::uint64_t stride = ascending ? distance(T{0}, step) : distance(step, T{0});
  check_direction(start, end, step);
  return span / stride + (span % stride != 0 ? 1 : 0);
}
/// The same of others; infinite where a double overflows.
template <std::floating_point T>
double range_count(T start, T end, T step) {
  for (const T number : {start, end, step}) {
    AMP_CHECK(is_finite(static_cast<double>(number)), "arange: `start`, `end` and `step` must be ",
              "finite, but are ", start, ", ", end, " and ", step);
  }
  check_direction(start, end, step);
  return std::ceil((static_cast<double>(end) - static_cast<double>(start)) /
                   static_cast<double>(step));
}
/// Number i of a range; integers that are in it do not overflow on the way.
template <class T>
T range_value(T start, T step, std::int64_t i) {
  if constexpr (std::integral<T>) {
    return static_cast<T>(static_cast<std::uint64_t>(start) +
                          static_cast<std::uint64_t>(i) * static_cast<std::uint64_t>(step));
  } else {
    return start + static_cast<T>(i) * step;
  }
}

}  // namespace detail

/// start, start + step, ... below `end` (above, for a negative step): int64 for integers, float32
/// otherwise. Throws if `step` is 0 or points away from `end`, if a number is not finite, if an
/// integer dtype does not hold one of the values, and if these are more than memory holds.
template <class T>
  requires std::is_arithmetic_v<T>
[[nodiscard]] Tensor arange(T start, T end, T step, const TensorOptions& options = {}) {
  AMP_CHECK(step != T{0}, "arange: `step` must not be 0");
  const auto count = detail::range_count(start, end, step);
  AMP_CHECK(count < decltype(count){1ULL << 47}, "arange: from `start` ", start, " to `end` ", end,
            " by `step` ", step, " there are ", count, " numbers, more than memory holds");
  const auto n = static_cast<std::int64_t>(count);
  const DType dtype = options.dtype.value_or(std::integral<T> ? kInt64 : kFloat32);
  for (const std::int64_t i : {std::int64_t{0}, n - 1}) {
    if (n == 0) break;
    const T value = detail::range_value(start, step, i);
    AMP_CHECK(detail::holds(dtype, value), "arange: the numbers from `start` ", start, " to `end` ",
              end, " must be values of ", dtype, ", but ", value, " is among them");
  }
  const HostBuffer<T> values(n);
  for (std::int64_t i = 0; i < n; ++i) values[i] = detail::range_value(start, step, i);
  return detail::from_values(values.data(), static_cast<std::size_t>(n), Shape(n), dtype, options);
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

/// A tensor over memory of the caller's, row-major on options.device, which must outlive it and
/// every view of it. amp cannot see writes to it: see Tensor::mark_modified.
[[nodiscard]] inline Tensor from_blob(void* data, const Shape& shape,
                                      const TensorOptions& options = {}) {
  const DType dtype = options.dtype.value_or(kFloat32);
  AMP_CHECK(data != nullptr || shape.numel() == 0, "from_blob: `data` is null, but `shape` ", shape,
            " has ", shape.numel(), " elements");
  auto storage = make_ref<detail::Storage>(options.device, data, detail::byte_count(shape, dtype));
  return detail::with_options(Tensor(make_ref<detail::TensorImpl>(
                                  std::move(storage), shape, contiguous_strides(shape), 0, dtype)),
                              options);
}

[[nodiscard]] inline Tensor empty_like(const Tensor& other) {
  return detail::make_tensor(other.shape(), other.dtype(), other.device());
}
[[nodiscard]] inline Tensor zeros_like(const Tensor& other) {
  return full(other.shape(), 0, {.dtype = other.dtype(), .device = other.device()});
}

template <Element T>
std::vector<T> Tensor::to_vector() const try {
  check_defined("to_vector");
  const Tensor dense = is_contiguous() ? *this : [&] {
    Tensor copy = empty_like(*this);
    detail::copy_elements(*this, copy);
    return copy;
  }();
  std::vector<char> bytes(static_cast<std::size_t>(numel() * item_size(dtype())));
  copy_bytes(kCPU, bytes.data(), device(), dense.raw_data(),
             static_cast<std::int64_t>(bytes.size()));
  std::vector<T> values(static_cast<std::size_t>(numel()));
  visit_dtype(dtype(), [&](auto tag) {
    using From = typename decltype(tag)::type;
    for (std::size_t i = 0; i < values.size(); ++i) {
      From value;
      std::memcpy(static_cast<void*>(&value), bytes.data() + i * sizeof(From), sizeof(From));
      values[i] = convert_one<T>(value);
    }
  });
  return values;
} catch (const std::bad_alloc&) {
  throw detail::OutOfMemory();
}

template <Element T>
T Tensor::item() const {
  check_defined("item");
  AMP_CHECK(numel() == 1, "item: the tensor must have one element, but is ", describe(*this));
  return to_vector<T>()[0];
}

}  // namespace amp::inline v0
