// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Matmuls in which one matrix has few lines, as for a batch of 1: they wait for the other matrix,
// which is read once, as it lies. Sums are in float32.
#pragma once

#include <algorithm>
#include <cstdint>

#include "amp/core/math.hpp"
#include "amp/core/simd/ends.hpp"
#include "amp/core/simd/fold.hpp"
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

namespace amp::inline v0::kernels::host {

namespace thin {

/// The most lines of the thin matrix. With more, the engine is faster.
inline std::int64_t most_lines(DType dtype) {
  return dtype == kBFloat16 && gemm::multiplies(dtype) ? 4 : 8;
}

using amp::detail::load_floats;

template <class Isa>
AMP_ALWAYS_INLINE simd::Vec<float, Isa> load_first(const float* x, std::int64_t n) {
  return simd::load_first<Isa>(x, n);
}
template <class Isa>
AMP_ALWAYS_INLINE simd::Vec<float, Isa> load_first(const bfloat16* x, std::int64_t n) {
  return amp::detail::decode<bfloat16>(
      simd::load_first<Isa>(reinterpret_cast<const std::uint16_t*>(x), n));
}

/// dots[i] = the sum over k of line i times x, for four lines. Those of 16 bits one by one: then a
/// processor prefetches them best (measured).
struct Dots {
  template <class Isa, class T>
  AMP_ALWAYS_INLINE static void run(const T* const* lines, const float* x, std::int64_t k,
                                    float* dots) {
    if constexpr (sizeof(T) < sizeof(float)) {
      for (int line = 0; line < 4; ++line) dots[line] = dot<Isa>(lines[line], x, k);
    } else {
      four_at_once<Isa>(lines, x, k, dots);
    }
  }

 private:
  template <class Isa, class T>
  AMP_ALWAYS_INLINE static void four_at_once(const T* const* lines, const float* x, std::int64_t k,
                                             float* dots) {
    const T *const l0 = lines[0], *const l1 = lines[1], *const l2 = lines[2], *const l3 = lines[3];
    simd::Vec<float, Isa> a = 0, b = 0, c = 0, d = 0;
    std::int64_t i = 0;
    for (; i + simd::kLanes<Isa> <= k; i += simd::kLanes<Isa>) {
      const simd::Vec<float, Isa> factor = simd::load<Isa>(x + i);
      a += load_floats<Isa>(l0 + i) * factor;
      b += load_floats<Isa>(l1 + i) * factor;
      c += load_floats<Isa>(l2 + i) * factor;
      d += load_floats<Isa>(l3 + i) * factor;
    }
    if (const std::int64_t n = k - i; n > 0) {
      const simd::Vec<float, Isa> factor = simd::load_first<Isa>(x + i, n);
      a += load_first<Isa>(l0 + i, n) * factor;
      b += load_first<Isa>(l1 + i, n) * factor;
      c += load_first<Isa>(l2 + i, n) * factor;
      d += load_first<Isa>(l3 + i, n) * factor;
    }
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
    constexpr std::int64_t kLinesAtATime = 4, kRowsAtATime = 8;
    if (along_k) {
      for (std::int64_t w = begin; w < end; w += kLinesAtATime) {
        const T* four[kLinesAtATime];  // the last line stands for missing ones
        for (std::int64_t i = 0; i < kLinesAtATime; ++i)
          four[i] = elements + (std::min)(w + i, end - 1) * stride;
        for (std::int64_t t = 0; t < lines; ++t) {
          float dots[kLinesAtATime];
          simd::on_widest<Dots>(static_cast<const T* const*>(four), x + t * k, k,
                                static_cast<float*>(dots));
          for (std::int64_t i = 0; i < (std::min)(kLinesAtATime, end - w); ++i)
            sums[t * wide_lines + w + i] += dots[i];
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
  const Operand& wide;
  const int line, depth;
  const std::int64_t lines, k;

  explicit Problem(const MatmulArgs& args)
      : wide(has_few_rows(args) ? args.b : args.a),
        line(has_few_rows(args) ? 2 : 1),
        depth(3 - line),
        lines((std::min)(args.output.sizes[1], args.output.sizes[2])),
        k(args.a.sizes[2]) {}

  static bool has_few_rows(const MatmulArgs& args) {
    return args.output.sizes[1] <= args.output.sizes[2];
  }
  bool along_k() const { return wide.strides[depth] == 1; }
  bool is_thin() const {
    return lines <= most_lines(wide.dtype) && k > 0 &&
           (wide.dtype == kFloat32 || wide.dtype == kBFloat16) &&
           (along_k() || wide.strides[line] == 1);
  }
};

}  // namespace thin

/// Whether one matrix has few lines, and the other one is float32 or bfloat16 with a dense
/// dimension.
inline bool is_thin(const MatmulArgs& args) {
  return args.output.dtype != kFloat64 && thin::Problem(args).is_thin();
}

/// Computes a matmul of which is_thin() is true, without its sums.
AMP_LAZY inline void thin_matmul(const MatmulArgs& args) {
  const thin::Problem problem(args);
  const Operand &output = args.output, &wide = problem.wide;
  const bool few_rows = thin::Problem::has_few_rows(args), along_k = problem.along_k();
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
      else
        matrices.multiply<bfloat16>(begin, end);
    });
    copy({results, matrix(output, thin_line, line)});
  });
}

}  // namespace amp::inline v0::kernels::host
