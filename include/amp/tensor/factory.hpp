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
#include <vector>

#include "amp/kernels/host/random.hpp"
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

/// Throws where an integer dtype has no such value: neither does C++ say which it would become.
inline void check_fill(std::string_view op, double value, DType dtype) {
  if (is_floating_point(dtype) || dtype == kBool) return;
  visit_dtype(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::integral<T>) {
      const auto lowest = static_cast<double>(std::numeric_limits<T>::lowest());
      const double highest = std::ldexp(1.0, std::numeric_limits<T>::digits);  // the first beyond
      AMP_CHECK((value >= lowest || value > lowest - 1) && value < highest, op,
                ": `value` must be a value of ", dtype, ", but is ", value);
    }
  });
}

inline void fill(const Tensor& tensor, double value) {
  if (tensor.numel() == 0) return;
  const kernels::FillArgs args{.output = tensor.operand(), .value = value};
  kernels::dispatch<&kernels::Backend::fill, kernels::host::fill>(tensor.device(), tensor.dtype(),
                                                                  args);
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
    kernels::dispatch<&kernels::Backend::random, kernels::host::random>(result.device(), dtype,
                                                                        args);
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

/// start, start + step, ... below `end` (above, for a negative step): int64 for integers, float32
/// otherwise.
template <class T>
  requires std::is_arithmetic_v<T>
[[nodiscard]] Tensor arange(T start, T end, T step, const TensorOptions& options = {}) {
  AMP_CHECK(step != T{0}, "arange: `step` must not be 0");
  // Integers subtract exactly first: modulo 2^64, which is the difference of any two.
  const double span = [&] {
    if constexpr (std::integral<T>) {
      const bool ascending = end >= start;
      const std::uint64_t distance =
          ascending ? static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(start)
                    : static_cast<std::uint64_t>(start) - static_cast<std::uint64_t>(end);
      return ascending ? static_cast<double>(distance) : -static_cast<double>(distance);
    } else {
      return static_cast<double>(end) - static_cast<double>(start);
    }
  }();
  const double count = std::ceil(span / static_cast<double>(step));
  AMP_CHECK(count >= 0, "arange: `end` ", end, " does not lie in the direction of `step` ", step,
            " from `start` ", start);
  AMP_CHECK(count < 0x1p47, "arange: from `start` ", start, " to `end` ", end, " by `step` ", step,
            " there are ", count, " numbers, more than memory holds");
  const auto n = static_cast<std::int64_t>(count);
  const HostBuffer<T> values(n);
  for (std::int64_t i = 0; i < n; ++i) values[i] = static_cast<T>(start + static_cast<T>(i) * step);
  const DType natural = std::integral<T> ? kInt64 : kFloat32;
  return detail::from_values(values.data(), static_cast<std::size_t>(n), Shape(n),
                             options.dtype.value_or(natural), options);
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
std::vector<T> Tensor::to_vector() const {
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
}

template <Element T>
T Tensor::item() const {
  check_defined("item");
  AMP_CHECK(numel() == 1, "item: the tensor must have one element, but is ", describe(*this));
  return to_vector<T>()[0];
}

}  // namespace amp::inline v0
