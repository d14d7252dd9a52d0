// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Matmuls in which one matrix has few lines, as for a batch of 1: they wait for the other matrix,
// which is read once, as it lies. Sums are in float32.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "amp/core/math.hpp"
#include "amp/core/simd/ends.hpp"
#include "amp/core/simd/fold.hpp"
#include "amp/core/simd/isa.hpp"
#include "amp/core/simd/on_widest.hpp"
#include "amp/core/simd/vec.hpp"
#include "amp/device/host_memory.hpp"
#include "amp/device/parallel.hpp"
#include "amp/kernels/elementwise/host.hpp"
#include "amp/kernels/matmul/args.hpp"
#include "amp/kernels/matmul/host/kernels.hpp"
#include "amp/kernels/traversal/host/block.hpp"
#include "amp/types/bfloat16.hpp"
#include "amp/types/format_vectors.hpp"
#include "amp/types/half.hpp"

namespace amp::inline v0::kernels::host {

namespace thin {

/// The most lines of a thin matrix (most_lines()), and the lines of the wide one that are read at a
/// time.
inline constexpr std::int64_t kMostLines = 32, kLinesAtATime = 4;

using amp::detail::load_floats;

template <class Isa>
AMP_ALWAYS_INLINE simd::Vec<float, Isa> load_first(const float* x, std::int64_t n) {
  return simd::load_first<Isa>(x, n);
}
template <class Isa, class T>
AMP_ALWAYS_INLINE simd::Vec<float, Isa> load_first(const T* x, std::int64_t n) {
  return amp::detail::decode<T>(
      simd::load_first<Isa>(reinterpret_cast<const std::uint16_t*>(x), n));
}

/// dots[t * kLinesAtATime + i] = the sum over k of line i times row t of x, for four lines and a
/// few dense rows. If there is one row, lines of 16 bits are read one by one: then a processor
/// prefetches them best (measured).
struct Dots {
  template <class Isa, class T>
  AMP_ALWAYS_INLINE static void run(const T* const* lines, const float* x, std::int64_t rows,
                                    std::int64_t k, float* dots) {
    constexpr int kRows = Isa::kBytes == 64 ? 4 : 2;
    if constexpr (sizeof(T) < sizeof(float)) {
      if (rows == 1) {
        for (int line = 0; line < kLinesAtATime; ++line) dots[line] = dot<Isa>(lines[line], x, k);
        return;
      }
    }
    std::int64_t t = 0;
    for (; t + kRows <= rows; t += kRows)
      tile<Isa>(std::make_integer_sequence<int, kRows>(), lines, x + t * k, k,
                dots + t * kLinesAtATime);
    for (; t < rows; ++t)
      tile<Isa>(std::make_integer_sequence<int, 1>(), lines, x + t * k, k,
                dots + t * kLinesAtATime);
  }

 private:
  template <class Isa, class T, int... kRow>
  AMP_ALWAYS_INLINE static void tile(std::integer_sequence<int, kRow...> rows,
                                     const T* const* lines, const float* x, std::int64_t k,
                                     float* dots) {
    using V = simd::Vec<float, Isa>;
    const T *const l0 = lines[0], *const l1 = lines[1], *const l2 = lines[2], *const l3 = lines[3];
    V a[sizeof...(kRow)], b[sizeof...(kRow)], c[sizeof...(kRow)], d[sizeof...(kRow)],
        factors[sizeof...(kRow)];
    ((a[kRow] = V(0), b[kRow] = V(0), c[kRow] = V(0), d[kRow] = V(0)), ...);
    std::int64_t i = 0;
    for (; i + simd::kLanes<Isa> <= k; i += simd::kLanes<Isa>) {
      ((factors[kRow] = simd::load<Isa>(x + kRow * k + i)), ...);
      add(rows, a, load_floats<Isa>(l0 + i), factors);
      add(rows, b, load_floats<Isa>(l1 + i), factors);
      add(rows, c, load_floats<Isa>(l2 + i), factors);
      add(rows, d, load_floats<Isa>(l3 + i), factors);
    }
    if (const std::int64_t n = k - i; n > 0) {
      ((factors[kRow] = simd::load_first<Isa>(x + kRow * k + i, n)), ...);
      add(rows, a, load_first<Isa>(l0 + i, n), factors);
      add(rows, b, load_first<Isa>(l1 + i, n), factors);
      add(rows, c, load_first<Isa>(l2 + i, n), factors);
      add(rows, d, load_first<Isa>(l3 + i, n), factors);
    }
    (put(a[kRow], b[kRow], c[kRow], d[kRow], dots + kRow * kLinesAtATime), ...);
  }
  template <class V, int... kRow>
  AMP_ALWAYS_INLINE static void add(std::integer_sequence<int, kRow...>, V* sums, const V& line,
                                    const V* factors) {
    ((sums[kRow] += line * factors[kRow]), ...);
  }
  template <class V>
  AMP_ALWAYS_INLINE static void put(const V& a, const V& b, const V& c, const V& d, float* dots) {
    dots[0] = simd::sum_of(a);
    dots[1] = simd::sum_of(b);
    dots[2] = simd::sum_of(c);
    dots[3] = simd::sum_of(d);
  }
  template <class Isa, class T>
  AMP_ALWAYS_INLINE static float dot(const T* line, const float* x, std::int64_t k) {
    constexpr std::int64_t kLanes = simd::kLanes<Isa>;
    simd::Vec<float, Isa> a = 0, b = 0, c = 0, d = 0;
    std::int64_t i = 0;
    for (; i + 4 * kLanes <= k; i += 4 * kLanes) {
      a += load_floats<Isa>(line + i) * simd::load<Isa>(x + i);
      b += load_floats<Isa>(line + i + kLanes) * simd::load<Isa>(x + i + kLanes);
      c += load_floats<Isa>(line + i + 2 * kLanes) * simd::load<Isa>(x + i + 2 * kLanes);
      d += load_floats<Isa>(line + i + 3 * kLanes) * simd::load<Isa>(x + i + 3 * kLanes);
    }
    for (; i < k; i += kLanes) {
      const std::int64_t n = (std::min)(kLanes, k - i);
      a += load_first<Isa>(line + i, n) * simd::load_first<Isa>(x + i, n);
    }
    return simd::sum_of((a + b) + (c + d));
  }
};

/// sums[j] += the sum over i < count of x[i] * rows[i * stride + j]
struct AddMultiples {
  template <class Isa, class T>
  AMP_ALWAYS_INLINE static void run(const T* rows, std::int64_t stride, const float* x,
                                    std::int64_t count, float* sums, std::int64_t n) {
    constexpr std::int64_t kLanes = simd::kLanes<Isa>;
    std::int64_t j = 0;
    for (; j + 2 * kLanes <= n; j += 2 * kLanes) {
      simd::Vec<float, Isa> a = simd::load<Isa>(sums + j), b = simd::load<Isa>(sums + j + kLanes);
      for (std::int64_t i = 0; i < count; ++i) {
        a += load_floats<Isa>(rows + i * stride + j) * x[i];
        b += load_floats<Isa>(rows + i * stride + j + kLanes) * x[i];
      }
      simd::store(a, sums + j);
      simd::store(b, sums + j + kLanes);
    }
    for (; j < n; j += kLanes) {
      const std::int64_t rest = (std::min)(kLanes, n - j);
      simd::Vec<float, Isa> a = simd::load_first<Isa>(sums + j, rest);
      for (std::int64_t i = 0; i < count; ++i)
        a += load_first<Isa>(rows + i * stride + j, rest) * x[i];
      simd::store_first(a, sums + j, rest);
    }
  }
};

/// One matrix of a batch: sums[t, w] += the sum over k of x[t, k] * wide[w, k], for few t. The runs
/// of the wide matrix, along k or across it, are `stride` elements apart; the others are dense.
struct Matrices {
  std::int64_t lines, wide_lines, k;
  const float* x;
  const void* wide;
  std::int64_t stride;
  bool along_k;
  float* sums;

  /// Computes the sums of the lines [begin, end) of the wide matrix.
  template <class T>
  void multiply(std::int64_t begin, std::int64_t end) const {
    const T* const elements = static_cast<const T*>(wide);
    constexpr std::int64_t kRowsAtATime = 8;
    if (along_k) {
      for (std::int64_t w = begin; w < end; w += kLinesAtATime) {
        const T* four[kLinesAtATime];  // the last line stands for missing ones
        for (std::int64_t i = 0; i < kLinesAtATime; ++i)
          four[i] = elements + (std::min)(w + i, end - 1) * stride;
        float dots[kMostLines * kLinesAtATime];
        simd::on_widest<Dots>(static_cast<const T* const*>(four), x, lines, k,
                              static_cast<float*>(dots));
        for (std::int64_t t = 0; t < lines; ++t) {
          for (std::int64_t i = 0; i < (std::min)(kLinesAtATime, end - w); ++i)
            sums[t * wide_lines + w + i] += dots[t * kLinesAtATime + i];
        }
      }
      return;
    }
    for (std::int64_t i = 0; i < k; i += kRowsAtATime) {  // a few, which stay in the caches
      for (std::int64_t t = 0; t < lines; ++t) {
        simd::on_widest<AddMultiples>(elements + i * stride + begin, stride, x + t * k + i,
                                      (std::min)(kRowsAtATime, k - i),
                                      sums + t * wide_lines + begin, end - begin);
      }
    }
  }
};

/// The wide matrix of a matmul and its dimensions, and whether this file multiplies it.
struct Problem {
  const bool few_rows;  // of a; else few columns of b
  const Operand& wide;
  const int line, depth;
  const std::int64_t lines, k;

  explicit Problem(const MatmulArgs& args)
      : few_rows(args.output.sizes[1] <= args.output.sizes[2]),
        wide(few_rows ? args.b : args.a),
        line(few_rows ? 2 : 1),
        depth(3 - line),
        lines((std::min)(args.output.sizes[1], args.output.sizes[2])),
        k(args.a.sizes[2]) {}

  bool along_k() const { return wide.strides[depth] == 1; }
  /// With more lines, the engine is faster (measured). It reads float32 rows where they lie.
  std::int64_t most_lines() const {
    if (item_size(wide.dtype) == 2 && gemm::multiplies(wide.dtype)) return 4;
    if (!along_k()) return few_rows && wide.dtype == kFloat32 ? 4 : 8;
    const bool has_avx512 = simd::instruction_set() >= simd::InstructionSet::kAvx512;
    return (std::clamp)(k / 32, std::int64_t{4}, has_avx512 ? kMostLines : kMostLines / 2);
  }
  bool is_thin() const {
    const bool reads = wide.dtype == kFloat32 || wide.dtype == kBFloat16 ||
                       (wide.dtype == kFloat16 && amp::detail::has_vectors_of_16_bits());
    return lines <= most_lines() && k > 0 && reads && (along_k() || wide.strides[line] == 1);
  }
};

}  // namespace thin

/// Whether one matrix has few lines, and the other one has elements of 32 or 16 bits and a dense
/// dimension.
inline bool is_thin(const MatmulArgs& args) {
  return args.output.dtype != kFloat64 && thin::Problem(args).is_thin();
}

/// Computes a matmul of which is_thin() is true, without its sums.
AMP_LAZY inline void thin_matmul(const MatmulArgs& args) {
  const thin::Problem problem(args);
  const Operand &output = args.output, &wide = problem.wide;
  const bool few_rows = problem.few_rows, along_k = problem.along_k();
  const Operand& thin = few_rows ? args.a : args.b;
  const int line = problem.line, depth = problem.depth, thin_line = 3 - line, thin_depth = line;
  const std::int64_t lines = problem.lines, k = problem.k,
                     count = (std::max)(output.sizes[1], output.sizes[2]);
  parallel_for(output.sizes[0], [&](std::int64_t batch) {
    const HostBuffer<float> x(lines * k), sums(lines * count);
    const auto matrix = [&](const Operand& of, int first, int second) {
      return Operand::array(const_cast<void*>(element(of, batch * of.strides[0])), of.dtype,
                            {of.sizes[first], of.sizes[second]},
                            {of.strides[first], of.strides[second]});
    };
    const Operand results = Operand::array(sums.data(), kFloat32, {lines, count}, {count, 1});
    copy({matrix(thin, thin_line, thin_depth),
          Operand::array(x.data(), kFloat32, {lines, k}, {k, 1})});
    if (args.bias.present) {
      const std::int64_t step = args.bias.strides[0];
      copy({Operand::array(args.bias.data, args.bias.dtype, {lines, count},
                           {few_rows ? 0 : step, few_rows ? step : 0}),
            results});
    } else {
      std::fill_n(sums.data(), lines * count, 0.0F);
    }
    const thin::Matrices matrices{lines,
                                  count,
                                  k,
                                  x.data(),
                                  element(wide, batch * wide.strides[0]),
                                  wide.strides[along_k ? line : depth],
                                  along_k,
                                  sums.data()};
    // Runs across k are read in long pieces.
    const std::int64_t step =
        along_k ? (std::max)((std::int64_t{1} << 15) / k, std::int64_t{16}) : std::int64_t{2048};
    parallel_for(ceil_div(count, step), [&](std::int64_t i) {
      const std::int64_t begin = i * step, end = (std::min)(count, begin + step);
      if (wide.dtype == kFloat32)
        matrices.multiply<float>(begin, end);
      else if (wide.dtype == kBFloat16)
        matrices.multiply<bfloat16>(begin, end);
      else
        matrices.multiply<half>(begin, end);
    });
    copy({results, matrix(output, thin_line, line)});
  });
}

}  // namespace amp::inline v0::kernels::host
