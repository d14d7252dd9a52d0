// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "amp/core/math.hpp"
#include "amp/core/simd/convert.hpp"
#include "amp/device/host_memory.hpp"
#include "amp/device/parallel.hpp"
#include "amp/kernels/reduce/args.hpp"
#include "amp/kernels/reduce/host.hpp"
#include "amp/kernels/reduce/host/accumulate.hpp"
#include "amp/kernels/reduce/host/sum_block.hpp"
#include "amp/kernels/traversal/host/loop.hpp"

namespace amp::inline v0::kernels::host {

namespace detail {

/// sums[i] += x[i] for each of some rows, which begin `width` apart. The rows are taken eight at a
/// time, so that a sum is loaded and stored once for them. Eight 16-bit numbers are added in float
/// first, which may overflow; of these, rows that are left over are not added.
struct AddRows {
  static constexpr std::int64_t kRows = 8;

  template <class Isa, class T>
  AMP_ALWAYS_INLINE static void run(const T* x, std::int64_t rows, std::int64_t width,
                                    std::int64_t n, double* sums) {
    if constexpr (!kLoadsFloats<Isa, T>) return;
    constexpr std::int64_t kLanes = simd::kLanes<Isa>;
    std::int64_t row = 0;
    for (; row + kRows <= rows; row += kRows, x += kRows * width) {
      std::int64_t i = 0;
      for (; i + kLanes <= n; i += kLanes) {
        if constexpr (std::is_same_v<T, float>) {
          auto sum = simd::load<Isa>(sums + i);
          for (std::int64_t r = 0; r < kRows; ++r)
            sum += simd::load_doubles<Isa>(x + r * width + i);
          simd::store(sum, sums + i);
        } else {
          auto sum = amp::detail::load_floats<Isa>(x + i);
          for (std::int64_t r = 1; r < kRows; ++r)
            sum += amp::detail::load_floats<Isa>(x + r * width + i);
          simd::add_to(sums + i, simd::to_double(sum));
        }
      }
      add_rest(x, kRows, width, i, n, sums);
    }
    if constexpr (std::is_same_v<T, float>) {
      for (; row < rows; ++row, x += width) {
        std::int64_t i = 0;
        for (; i + kLanes <= n; i += kLanes) simd::add_to(sums + i, simd::load_doubles<Isa>(x + i));
        add_rest(x, 1, width, i, n, sums);
      }
    }
  }

 private:
  template <class T>
  AMP_ALWAYS_INLINE static void add_rest(const T* x, std::int64_t rows, std::int64_t width,
                                         std::int64_t from, std::int64_t n, double* sums) {
    for (std::int64_t i = from; i < n; ++i) {
      for (std::int64_t r = 0; r < rows; ++r)
        sums[i] += static_cast<double>(static_cast<float>(x[r * width + i]));
    }
  }
};

/// sums[i] += values[i]; the sums are `stride` apart.
template <class Sum, class C>
void add_block(const C* values, Sum* sums, std::int64_t stride, std::int64_t n) {
  if constexpr (std::is_same_v<C, float>) {
    if (stride == 1) {
      return simd::on_widest<AddRows>(values, std::int64_t{1}, n, n, sums);
    }
  }
  for (std::int64_t i = 0; i < n; ++i) sums[i * stride] += static_cast<Sum>(values[i]);
}

/// Returns the sum of n elements, which are `stride` apart. Those of less than 32 bits are added in
/// float, unless the sum overflows.
template <class Sum, class C>
Sum sum_elements(const Operand& input, std::int64_t at, std::int64_t stride, std::int64_t n) {
  C buffer[kBlock];
  if constexpr (std::is_same_v<C, float>) {
    double sum = std::numeric_limits<double>::infinity();
    const auto add = [&](const auto* x) { sum = simd::on_widest<ShortSum<Itself>>(x, n); };
    if (input.dtype != kFloat32 && (stride != 1 || !visit_floats(input, at, add)))
      add(fetch(input, at, stride, n, buffer));
    if (is_finite(sum)) return sum;
  }
  return sum_block<Sum>(fetch(input, at, stride, n, buffer), n);
}

/// Adds n elements of each of some rows, which begin `width` apart, to n sums, which are 0.
AMP_LAZY void sum_rows(const Operand& input, std::int64_t at, std::int64_t rows, std::int64_t width,
                       std::int64_t n, double* sums) {
  const auto add = [&](bool in_float) {
    std::int64_t row = 0;  // the first that is not added yet
    const auto add_stored = [&](const auto* x) {
      simd::on_widest<AddRows>(x, rows, width, n, sums);
      row = input.dtype == kFloat32 ? rows : rows - rows % AddRows::kRows;
    };
    if (in_float) visit_floats(input, at, add_stored);
    float buffer[kBlock];
    for (; row < rows; ++row) add_block(fetch(input, at + row * width, 1, n, buffer), sums, 1, n);
  };
  add(true);
  const auto is_lost = [](double sum) { return !is_finite(sum); };
  if (input.dtype == kBFloat16 && std::any_of(sums, sums + n, is_lost)) {
    std::fill_n(sums, n, 0.0);
    add(false);  // double has more room; eight numbers of float16 fit float
  }
}

/// Adds a block of elements to the sums from `sums` on, which are `sums_stride` apart.
template <class C, class Sum>
void add_elements(const Operand& input, std::int64_t at, std::int64_t stride, std::int64_t n,
                  Sum* sums, std::int64_t sums_stride) {
  if (sums_stride == 0) {
    *sums += sum_elements<Sum, C>(input, at, stride, n);
  } else {
    C buffer[kBlock];
    add_block(fetch(input, at, stride, n, buffer), sums, sums_stride, n);
  }
}
template <class Sum>
using AddElements = void(const Operand& input, std::int64_t at, std::int64_t stride, std::int64_t n,
                         Sum* sums, std::int64_t sums_stride);

template <class Sum>
void sum_any(const Loop<2>& loop, const Operand& input, std::int64_t outputs, Sum* sums,
             AddElements<Sum>* add) {
  accumulate(
      loop, input, outputs, sums, [] { return Sum{0}; },
      [&](std::int64_t at, std::int64_t stride, std::int64_t n, std::int64_t, Sum* to,
          std::int64_t to_stride) { add(input, at, stride, n, to, to_stride); },
      [](Sum& sum, Sum partial) { sum += partial; });
}

}  // namespace detail

AMP_LAZY_DEFINITION void sum(const ReduceArgs& args) {
  const std::int64_t outputs = args.output.numel();
  if (outputs == 0) return;
  const auto loop = detail::loop_of_reduction(args.input, args.output);
  if (!is_floating_point(args.input.dtype)) {  // modulo 2^64; integers have no mean
    const HostBuffer<std::uint64_t> sums(outputs);
    detail::sum_any(loop, args.input, outputs, sums.data(),
                    detail::add_elements<std::int64_t, std::uint64_t>);
    store(reinterpret_cast<const std::int64_t*>(sums.data()), args.output, 0, 1, outputs);
    return;
  }
  const detail::Matrices matrices(loop);
  const HostBuffer<double> sums(outputs);
  if (args.input.dtype == kFloat64) {
    detail::sum_any(loop, args.input, outputs, sums.data(), detail::add_elements<double, double>);
  } else if (matrices) {
    const auto add = [&](std::int64_t at, std::int64_t rows, std::int64_t width, std::int64_t n,
                         double* to) { detail::sum_rows(args.input, at, rows, width, n, to); };
    detail::accumulate_columns(
        matrices, sums.data(), [] { return 0.0; }, add,
        [](double& sum, double partial) { sum += partial; });
  } else {
    detail::sum_any(loop, args.input, outputs, sums.data(), detail::add_elements<float, double>);
  }
  parallel_ranges(outputs, 16 * kBlock, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) sums[i] *= args.scale;
    store(sums.data() + begin, args.output, begin, 1, end - begin);
  });
}

}  // namespace amp::inline v0::kernels::host
