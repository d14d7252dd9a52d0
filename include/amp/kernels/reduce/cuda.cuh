// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// sum() on CUDA devices. Sums are computed in double (integers modulo 2^64), so a 16-bit sum is
// rounded once. They use a fixed tree, which depends on the shapes, strides and addresses, so a sum
// has the same bits every time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "amp/core/math.hpp"
#include "amp/kernels/reduce/args.hpp"
#include "amp/kernels/traversal/cuda/scratch.cuh"
#include "amp/kernels/traversal/cuda/sweep.cuh"
#include "amp/kernels/traversal/strided.hpp"

namespace amp::inline v0::kernels::cuda {

namespace detail {

/// The lines of a sum, or of another reduction, for a sweep (sweep.cuh): line part * stride + o are the elements of output o
/// that belong to a part. Few lines are cut into parts, so that the whole device works.
struct SumLines {
  /// How elements are read: one by one, in vectors along a line, or in vectors across eight lines
  /// that lie side by side.
  enum class Access : std::uint8_t { kSingles, kAlong, kAcross };

  Strided<1> kept, reduced;
  std::int64_t stride, whole, parts = 1, length, count;  // whole: elements of all parts of a line
  Divider by_stride;
  Access access = Access::kSingles;
  bool side_by_side;

  SumLines(const Operand& input, const Operand& output) {
    Operand lines = input, elements = input;
    for (int d = 0; d < input.dims; ++d) (output.sizes[d] == 1 ? lines : elements).sizes[d] = 1;
    kept = Strided<1>::over(lines, {&lines});
    reduced = Strided<1>::over(elements, {&elements});
    stride = output.numel();
    whole = reduced.numel();
    side_by_side = stride > 1 && kept.inner_stride(0) < reduced.inner_stride(0);
    if (is_plain(input) && is_aligned_for_vectors(input.data, input.dtype))
      access = access_in_vectors();
    cut();
    count = stride * parts;
    by_stride = Divider(stride);
  }

  AMP_HOST_DEVICE std::int64_t start(std::int64_t, std::int64_t output) const {
    return place(kept, output);
  }
  AMP_HOST_DEVICE std::int64_t start(std::int64_t line) const {
    return place(kept, by_stride.take_remainder(line));
  }
  AMP_HOST_DEVICE std::int64_t begin(std::int64_t line) const {
    return by_stride.quotient(line) * length;
  }
  AMP_HOST_DEVICE std::int64_t end(std::int64_t line) const {
    const std::int64_t beyond = begin(line) + length;
    return beyond < whole ? beyond : whole;
  }
  AMP_HOST_DEVICE std::int64_t begin(std::int64_t part, std::int64_t) const {
    return part * length;
  }
  AMP_HOST_DEVICE std::int64_t end(std::int64_t part, std::int64_t) const {
    const std::int64_t beyond = (part + 1) * length;
    return beyond < whole ? beyond : whole;
  }
  AMP_HOST_DEVICE std::int64_t at(std::int64_t i) const { return place(reduced, i); }

 private:
  AMP_HOST_DEVICE static std::int64_t place(const Strided<1>& shape, std::int64_t i) {
    std::int64_t offsets[1];
    shape.locate(i, offsets);
    return offsets[0];
  }
  static bool in_vectors(const Strided<1>& x, int dims) {
    for (int d = 0; d < dims; ++d) {
      if (x.strides[0][d] % kVector != 0) return false;
    }
    return true;
  }
  Access access_in_vectors() const {
    if (reduced.inner_stride(0) == 1 && whole >= kVector &&
        (reduced.dims == 1 || reduced.inner_size() % kVector == 0) &&
        in_vectors(reduced, reduced.dims - 1) && in_vectors(kept, kept.dims))
      return Access::kAlong;
    if (kept.dims == 1 && kept.inner_stride(0) == 1 && stride > 0 && stride % kVector == 0 &&
        whole > 1 && in_vectors(reduced, reduced.dims))
      return Access::kAcross;
    return Access::kSingles;
  }
  void cut() {
    const bool across = access == Access::kAcross;
    const bool by_threads = access == Access::kSingles && side_by_side;  // one thread per line
    const std::int64_t shortest = across ? 64 : by_threads ? 256 : 4096;
    const std::int64_t wanted = by_threads ? 1 << 17 : 1024;
    const std::int64_t apart = across ? ceil_div(stride, 32 * kVector) : stride;
    parts =
        (std::min)(ceil_div(whole, shortest), ceil_div(wanted, (std::max)(apart, std::int64_t{1})));
    parts = (std::max)((std::min)(parts, std::int64_t{1024}), std::int64_t{1});
    length = ceil_div(whole, parts);
    if (access == Access::kAlong) length = round_up(length, kVector);
    if (length != 0) parts = ceil_div(whole, length);
  }
};

template <class Sweep>
AMP_KERNEL void __launch_bounds__(Sweep::kMostThreads, Sweep::kBlocksTogether)
    sum_kernel(Sweep sweep, Input x, Output y, double scale) {
  constexpr bool kIntegers = std::is_integral_v<typename Sweep::Compute>;
  using Sum = std::conditional_t<kIntegers, std::int64_t, double>;
  sweep.for_each_tile([&](const auto& tile) {
    Fragment<Sweep> values;
    PerLine<Sweep, Sum> sums = {};
    tile.forwards([&](const auto& part) {
      tile.load(part, x, values);
      tile.add(part, sums, [&](int k, int l) { return static_cast<Sum>(values[k][l]); });
    });
    tile.for_each_rest([&](std::int64_t at) { sums[0] += load<Sum>(x, at); });
    tile.template reduce<functions::Add>(sums);
    tile.for_own_lines([&](int l) {
      if constexpr (!kIntegers) sums[l] *= scale;  // integers have no mean
      store<Sum>(y, tile.line(l), sums[l]);
    });
  });
}

template <class C>
void launch_sum(const SumLines& lines, const Operand& input, const Operand& output, double scale) {
  const auto run = [&](const auto& sweep) {
    launch(output.device, sweep.blocks(), sweep.block_threads(),
           sum_kernel<std::remove_cvref_t<decltype(sweep)>>, sweep, input, output, scale);
  };
  if constexpr (std::is_same_v<C, double>) {
    if (lines.access == SumLines::Access::kAlong) return run(Rows<4, kThreads, SumLines>(lines));
    if (lines.access == SumLines::Access::kAcross) return run(Columns<4, SumLines>(lines));
  }
  visit_team(lines.count, lines.length, lines.side_by_side,
             [&](auto team) { run(Singles<decltype(team), C, SumLines>(lines)); });
}

template <class C>
void sum(const ReduceArgs& args) {
  const SumLines lines(args.input, args.output);
  if (lines.parts == 1 || lines.stride == 0)
    return launch_sum<C>(lines, args.input, args.output, args.scale);
  // First sums the parts [parts, outputs], then adds them.
  const Scratch<C> scratch(args.output.device, lines.count);
  Operand partial, total = args.output;
  partial.data = scratch.data();
  partial.dtype = dtype_of<C>;
  partial.device = args.output.device;
  partial.present = true;
  partial.dims = total.dims = 2;
  partial.sizes[0] = lines.parts;
  total.sizes[0] = 1;
  partial.strides[0] = total.strides[0] = lines.stride;
  partial.sizes[1] = total.sizes[1] = lines.stride;
  partial.strides[1] = total.strides[1] = 1;
  launch_sum<C>(lines, args.input, partial, 1);
  sum<C>({.input = partial, .output = total, .scale = args.scale});
}

}  // namespace detail

/// The output must be contiguous. A sum over nothing is 0.
inline void sum(const ReduceArgs& args) {
  if (is_floating_point(args.input.dtype)) {
    detail::sum<double>(args);
  } else {
    detail::sum<std::int64_t>(args);
  }
}

}  // namespace amp::inline v0::kernels::cuda
