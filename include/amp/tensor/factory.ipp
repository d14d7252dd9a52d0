// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstring>
#include <limits>
#include <new>
#include <utility>
#include <vector>

#include "amp/core/error.hpp"
#include "amp/core/math.hpp"
#include "amp/device/host_memory.hpp"
#include "amp/device/memory.hpp"
#include "amp/kernels/elementwise/host.hpp"
#include "amp/kernels/random/host.hpp"
#include "amp/tensor/factory.hpp"
#include "amp/types/convert.hpp"

namespace amp::inline v0 {
namespace detail {

AMP_INLINE std::int64_t byte_count(const Shape& shape, DType dtype) {
  // A shape is checked as it is made, but not as its extents are changed.
  const std::int64_t numel = Shape(shape.span()).numel();
  std::int64_t bytes = 0;
  AMP_CHECK(!__builtin_mul_overflow(numel, item_size(dtype), &bytes), "shape: ", shape, " of ",
            dtype, " has more bytes than 63 bits count");
  return bytes;
}

AMP_INLINE Tensor make_tensor(const Shape& shape, DType dtype, Device device) {
  auto storage = make_ref<Storage>(device, byte_count(shape, dtype));
  return Tensor(
      make_ref<TensorImpl>(std::move(storage), shape, contiguous_strides(shape), 0, dtype));
}

AMP_INLINE const Tensor& with_options(const Tensor& tensor, const TensorOptions& options) {
  if (options.requires_grad) tensor.requires_grad_();
  return tensor;
}

/// Whether the dtype holds the value, or a value of the same kind that it is rounded to: finite if
/// the value is, and infinite if it is.
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
    } else if constexpr (!std::is_same_v<T, bool>) {
      const double wide = static_cast<double>(value);
      const T rounded = convert_one<T>(value);
      result = is_finite(rounded) == is_finite(wide) && is_nan(rounded) == is_nan(wide);
    }
  });
  return result;
}

template <class Number>
void check_holds_number(std::string_view op, std::string_view argument, Number number,
                        DType dtype) {
  if (holds(dtype, number)) return;
  visit_dtype(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using Limits = std::numeric_limits<T>;
    using Printed = std::conditional_t<std::integral<T>, std::int64_t, double>;
    fail(op, ": `", argument, "` must be a value of ", dtype, ", from ",
         static_cast<Printed>(Limits::lowest()), " to ", static_cast<Printed>((Limits::max)()),
         ", but is ", number, "; pass a number of that range",
         Limits::has_infinity ? ", or an infinity if you mean one," : "",
         " or convert to a dtype of wider range");
  });
}
AMP_COLD void check_holds(std::string_view op, std::string_view argument, double number,
                          DType dtype) {
  check_holds_number(op, argument, number, dtype);
}
AMP_COLD void check_holds(std::string_view op, std::string_view argument, std::int64_t number,
                          DType dtype) {
  check_holds_number(op, argument, number, dtype);
}

AMP_INLINE void fill(const Tensor& tensor, double value) {
  if (tensor.numel() == 0) return;
  const kernels::FillArgs args{.output = tensor.operand(), .value = value};
  kernels::fill(tensor.device(), args);
}

AMP_COLD Tensor random(std::string_view op, const Shape& shape, const TensorOptions& options,
                       kernels::RandomArgs args) {
  const DType dtype = options.dtype.value_or(kFloat32);
  AMP_CHECK(is_floating_point(dtype), op, ": `dtype` must be a floating-point type, but is ",
            dtype);
  const Tensor result = make_tensor(shape, dtype, options.device);
  if (result.numel() != 0) {
    args.output = result.operand();
    args.range = reserve_random(ceil_div(result.numel(), 4), options.device);
    kernels::random(result.device(), args);
  }
  return with_options(result, options);
}

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

template <class T>
void check_direction(T start, T end, T step) {
  AMP_CHECK(start == end || (end > start) == (step > T{0}), "arange: `end` ", end,
            " does not lie in the direction of `step` ", step, " from `start` ", start);
}
/// The number of elements that arange gives for integers.
template <std::integral T>
std::uint64_t range_count(T start, T end, T step) {
  // Modulo 2^64, which holds the difference of any two.
  const auto distance = [](T from, T to) {
    return static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
  };
  const bool ascending = step > T{0};
  const std::uint64_t span = ascending ? distance(start, end) : distance(end, start);
  const std::uint64_t stride = ascending ? distance(T{0}, step) : distance(step, T{0});
  check_direction(start, end, step);
  return span / stride + (span % stride != 0 ? 1 : 0);
}
/// The same for floating-point numbers; infinite if a double overflows.
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
/// Element i of a range. Integers of the range do not overflow on the way.
template <class T>
T range_value(T start, T step, std::int64_t i) {
  if constexpr (std::integral<T>) {
    return static_cast<T>(static_cast<std::uint64_t>(start) +
                          static_cast<std::uint64_t>(i) * static_cast<std::uint64_t>(step));
  } else {
    return start + static_cast<T>(i) * step;
  }
}

template <class T>
Tensor arange_of(T start, T end, T step, const TensorOptions& options) {
  AMP_CHECK(step != T{0}, "arange: `step` must not be 0");
  const auto count = range_count(start, end, step);
  AMP_CHECK(count < decltype(count){1ULL << 47}, "arange: from `start` ", start, " to `end` ", end,
            " by `step` ", step, " there are ", count, " numbers, more than memory holds");
  const auto n = static_cast<std::int64_t>(count);
  const DType dtype = options.dtype.value_or(std::integral<T> ? kInt64 : kFloat32);
  for (const std::int64_t i : {std::int64_t{0}, n - 1}) {
    if (n == 0) break;
    const T value = range_value(start, step, i);
    AMP_CHECK(holds(dtype, value), "arange: the numbers from `start` ", start, " to `end` ", end,
              " must be values of ", dtype, ", but ", value, " is among them");
  }
  const HostBuffer<T> values(n);
  for (std::int64_t i = 0; i < n; ++i) values[i] = range_value(start, step, i);
  return from_values(values.data(), static_cast<std::size_t>(n), Shape(n), dtype, options);
}

}  // namespace detail

AMP_INLINE Tensor empty(const Shape& shape, const TensorOptions& options) {
  return detail::with_options(
      detail::make_tensor(shape, options.dtype.value_or(kFloat32), options.device), options);
}

AMP_INLINE Tensor full(const Shape& shape, double value, const TensorOptions& options) {
  const DType dtype = options.dtype.value_or(kFloat32);
  detail::check_holds("full", "value", value, dtype);
  const Tensor result = detail::make_tensor(shape, dtype, options.device);
  detail::fill(result, value);
  return detail::with_options(result, options);
}
AMP_INLINE Tensor zeros(const Shape& shape, const TensorOptions& options) {
  return full(shape, 0, options);
}
AMP_INLINE Tensor ones(const Shape& shape, const TensorOptions& options) {
  return full(shape, 1, options);
}

AMP_COLD Tensor rand(const Shape& shape, const TensorOptions& options) {
  return detail::random("rand", shape, options, {.distribution = kernels::Distribution::kUniform});
}
AMP_COLD Tensor randn(const Shape& shape, const TensorOptions& options) {
  return detail::random("randn", shape, options, {.distribution = kernels::Distribution::kNormal});
}

AMP_INLINE Tensor empty_like(const Tensor& other) {
  return detail::make_tensor(other.shape(), other.dtype(), other.device());
}
AMP_INLINE Tensor zeros_like(const Tensor& other) {
  return full(other.shape(), 0, {.dtype = other.dtype(), .device = other.device()});
}
AMP_INLINE Tensor ones_like(const Tensor& other) { return full_like(other, 1); }
AMP_INLINE Tensor full_like(const Tensor& other, double value) {
  detail::check_holds("full_like", "value", value, other.dtype());
  return full(other.shape(), value, {.dtype = other.dtype(), .device = other.device()});
}
AMP_COLD Tensor rand_like(const Tensor& other) {
  return detail::random("rand_like", other.shape(),
                        {.dtype = other.dtype(), .device = other.device()},
                        {.distribution = kernels::Distribution::kUniform});
}
AMP_COLD Tensor randn_like(const Tensor& other) {
  return detail::random("randn_like", other.shape(),
                        {.dtype = other.dtype(), .device = other.device()},
                        {.distribution = kernels::Distribution::kNormal});
}

namespace detail {

/// The numbers function(i) of a line, which the dtype must hold at both ends.
template <class Function>
Tensor line(std::string_view op, std::int64_t steps, const TensorOptions& options,
            const Function& function) {
  const DType dtype = options.dtype.value_or(kFloat32);
  AMP_CHECK(steps >= 0, op, ": `steps` must not be negative, but is ", steps);
  const HostBuffer<double> values(steps);
  for (std::int64_t i = 0; i < steps; ++i) values[i] = function(i);
  if (steps > 0) {
    check_holds(op, "start", values[0], dtype);
    check_holds(op, "end", values[steps - 1], dtype);
  }
  return from_values(values.data(), static_cast<std::size_t>(steps), Shape(steps), dtype, options);
}
/// Number i of a line: counted from the nearer end, so that both ends are exact.
AMP_COLD double line_value(double start, double end, std::int64_t steps, std::int64_t i) {
  const double step = steps > 1 ? (end - start) / static_cast<double>(steps - 1) : 0;
  return i < steps - i ? start + step * static_cast<double>(i)
                       : end - step * static_cast<double>(steps - 1 - i);
}

}  // namespace detail

AMP_COLD Tensor linspace(double start, double end, std::int64_t steps,
                         const TensorOptions& options) {
  return detail::line("linspace", steps, options,
                      [&](std::int64_t i) { return detail::line_value(start, end, steps, i); });
}
AMP_COLD Tensor logspace(double start, double end, std::int64_t steps, double base,
                         const TensorOptions& options) {
  return detail::line("logspace", steps, options, [&](std::int64_t i) {
    return std::pow(base, detail::line_value(start, end, steps, i));
  });
}

AMP_COLD Tensor eye(std::int64_t n, const TensorOptions& options) { return eye(n, n, options); }
AMP_COLD Tensor eye(std::int64_t n, std::int64_t m, const TensorOptions& options) {
  AMP_CHECK(n >= 0 && m >= 0, "eye: `n` and `m` must not be negative, but are ", n, " and ", m);
  const Tensor result = full(Shape(n, m), 0, {options.dtype, options.device});
  detail::fill(result.alias(Shape(n < m ? n : m), Strides(m + 1), 0), 1);
  return detail::with_options(result, options);
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

#if !AMP_HEADER_ONLY
// Instantiations for each type that users may pass: the templates above have no others.
#define AMP_FROM_VALUES(...)                                                                \
  template Tensor detail::from_values(const __VA_ARGS__*, std::size_t, const Shape&, DType, \
                                      const TensorOptions&)
#define AMP_ELEMENT(...)                                                    \
  AMP_FROM_VALUES(__VA_ARGS__);                                             \
  template std::vector<__VA_ARGS__> Tensor::to_vector<__VA_ARGS__>() const; \
  template __VA_ARGS__ Tensor::item<__VA_ARGS__>() const

AMP_ELEMENT(double);
AMP_ELEMENT(float);
AMP_ELEMENT(half);
AMP_ELEMENT(bfloat16);
AMP_ELEMENT(float8_e4m3fn);
AMP_ELEMENT(float8_e5m2);
AMP_ELEMENT(long);
AMP_ELEMENT(long long);
AMP_ELEMENT(int);
AMP_ELEMENT(unsigned char);
AMP_ELEMENT(bool);
AMP_FROM_VALUES(long double);
AMP_FROM_VALUES(char);
AMP_FROM_VALUES(signed char);
AMP_FROM_VALUES(wchar_t);
AMP_FROM_VALUES(char8_t);
AMP_FROM_VALUES(char16_t);
AMP_FROM_VALUES(char32_t);
AMP_FROM_VALUES(short);
AMP_FROM_VALUES(unsigned short);
AMP_FROM_VALUES(unsigned int);
AMP_FROM_VALUES(unsigned long);
AMP_FROM_VALUES(unsigned long long);

#undef AMP_ELEMENT
#undef AMP_FROM_VALUES

template Tensor detail::arange_of(std::int64_t, std::int64_t, std::int64_t, const TensorOptions&);
template Tensor detail::arange_of(std::uint64_t, std::uint64_t, std::uint64_t,
                                  const TensorOptions&);
template Tensor detail::arange_of(float, float, float, const TensorOptions&);
template Tensor detail::arange_of(double, double, double, const TensorOptions&);
template Tensor detail::arange_of(long double, long double, long double, const TensorOptions&);
#endif

}  // namespace amp::inline v0
