// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Scans on CUDA devices: a block per line, which takes a tile of it at a time; a thread per line if
// there are many lines side by side, or short ones. A few long lines are cut into parts: their
// totals first, then those of the parts before each, then the results. States are joined in one
// fixed order, so that results have the same bits every time.
#pragma once

#include <algorithm>
#include <cstdint>

#include "amp/core/math.hpp"
#include "amp/kernels/compute_type.hpp"
#include "amp/kernels/scan/args.hpp"
#include "amp/kernels/scan/formula.hpp"
#include "amp/kernels/traversal/cuda/elements.cuh"
#include "amp/kernels/traversal/cuda/scratch.cuh"

namespace amp::inline v0::kernels::cuda {

namespace detail {

// A scan is
//
//   State, none()                 of no elements
//   Element, load(lines, at, i)   what it reads of element i of a line, which is at `at` in memory
//   add(state, element)           takes an element
//   join(a, b)                    the state of the elements of a, then of those of b
//   step(state, element, at)      takes an element, and writes the result
//   reverse                       whether lines begin at their ends

template <class Fold, class C>
struct FoldScan {
  using State = typename Fold::template State<C>;
  using Element = C;
  Input x;
  Output y;
  bool reverse, exclusive;
  Fold fold = {};

  __device__ State none() const { return Fold::template none<C>(); }
  __device__ Element load(const Lines&, std::int64_t at, std::int64_t) const {
    return cuda::load<C>(x, at);
  }
  __device__ void add(State& state, Element element) const { fold.add(state, element); }
  __device__ State join(State a, State b) const { return Fold::join(a, b); }
  __device__ void step(State& state, Element element, std::int64_t at) const {
    const State before = state;
    fold.add(state, element);
    store(y, at, static_cast<C>(fold.finish(exclusive ? before : state)));
  }
};

template <bool Largest, class C>
struct ExtremumScan {
  using State = ExtremumSoFar<Largest, C>;
  using Element = State;  // of one element
  Input x;
  Output values;
  std::int64_t* indices;
  bool reverse = false;

  __device__ State none() const { return {C{0}, -1}; }
  __device__ Element load(const Lines&, std::int64_t at, std::int64_t i) const {
    return {cuda::load<C>(x, at), i};
  }
  __device__ void add(State& state, Element element) const {
    if (element.at >= 0) state.add(element.value, element.at);
  }
  __device__ State join(State a, State b) const {
    add(a, b);
    return a;
  }
  __device__ void step(State& state, Element element, std::int64_t at) const {
    add(state, element);
    store(values, at, state.value);
    indices[at] = state.at;
  }
};

/// Of s[i] = grad[i] + decay[i] s[i + 1], in reverse: for some elements, s of the last of them is
/// sum + decay s of what comes before them in this order.
template <class Backward, class C>
struct BackwardScan {
  using X = typename Backward::template Element<C>;
  struct State {
    C decay, sum;
    bool any;      // element
    bool is_open;  // some element's own decay is infinite or NaN
  };
  struct Element {
    State state;
    C factor;
  };
  Input grad, x, y;
  Output grad_x;
  bool has_y;
  bool reverse = true;

  __device__ C y_at(std::int64_t at) const { return has_y ? cuda::load<C>(y, at) : C{0}; }
  __device__ State none() const { return {C{1}, C{0}, false, false}; }
  __device__ Element load(const Lines& lines, std::int64_t at, std::int64_t i) const {
    const X own = cuda::load<X>(x, at);
    const C own_y = y_at(at);
    C decay{0};
    if (i + 1 < lines.length) {
      const std::int64_t next = at + lines.stride;
      decay = Backward::template decay<C>(own_y, y_at(next), cuda::load<X>(x, next), i + 1);
    }
    return {{decay, cuda::load<C>(grad, at), true, !is_finite(decay)},
            Backward::template factor<C>(own, own_y, i)};
  }
  /// A decay of 0 ends what comes before it. A product of decays may overflow although s is 0
  /// throughout: then it adds nothing.
  __device__ State join(State a, State b) const {
    if (!a.any || !b.any) return a.any ? a : b;
    const bool ends = a.decay == C{0} || b.decay == C{0};
    const bool adds = b.decay != C{0} && (a.sum != C{0} || b.is_open);
    return {ends ? C{0} : a.decay * b.decay, adds ? b.sum + b.decay * a.sum : b.sum, true,
            a.is_open || b.is_open};
  }
  __device__ void add(State& state, const Element& element) const {
    state = join(state, element.state);
  }
  __device__ void step(State& state, const Element& element, std::int64_t at) const {
    add(state, element);
    store(grad_x, at, element.factor * state.sum);
  }
};

/// The lines, cut into parts of `length` elements.
struct ScannedParts {
  Lines lines;
  std::int64_t count, length;  // of the parts of a line
};

inline constexpr int kScanned = 4;  // elements of a thread in a tile

/// Element number k of a line in the order of the scan.
__device__ __forceinline__ std::int64_t scanned(const Lines& lines, bool reverse, std::int64_t k) {
  return reverse ? lines.length - 1 - k : k;
}

/// A block per part. With `totals`, it writes the state of each part there, and no results. With
/// `before`, that is where the states before the parts are.
template <class Scan>
AMP_KERNEL void scan_rows_kernel(ScannedParts parts, Scan scan, const typename Scan::State* before,
                                 typename Scan::State* totals) {
  using State = typename Scan::State;
  using Element = typename Scan::Element;
  __shared__ State shared[2][kThreads];
  const int threads = static_cast<int>(blockDim.x), thread = static_cast<int>(threadIdx.x);
  const Lines& lines = parts.lines;
  for (std::int64_t part = blockIdx.x; part < lines.count * parts.count; part += gridDim.x) {
    const std::int64_t start = lines.start(part / parts.count);
    const std::int64_t begin = part % parts.count * parts.length;
    const std::int64_t end =
        begin + parts.length < lines.length ? begin + parts.length : lines.length;
    State carry = scan.none();
    if (before != nullptr) carry = before[part];
    for (std::int64_t tile = begin; tile < end; tile += threads * kScanned) {
      const std::int64_t own = tile + static_cast<std::int64_t>(thread) * kScanned;
      Element elements[kScanned];
      State state = scan.none();
      AMP_UNROLL
      for (int j = 0; j < kScanned; ++j) {
        if (own + j < end) {
          const std::int64_t i = scanned(lines, scan.reverse, own + j);
          elements[j] = scan.load(lines, start + lines.at(i), i);
          scan.add(state, elements[j]);
        }
      }
      // shared[buffer][t] becomes the state of the elements of threads 0 to t.
      int buffer = 0;
      shared[0][thread] = state;
      __syncthreads();
      for (int distance = 1; distance < threads; distance *= 2) {
        const State mine = shared[buffer][thread];
        shared[buffer ^ 1][thread] =
            thread >= distance ? scan.join(shared[buffer][thread - distance], mine) : mine;
        buffer ^= 1;
        __syncthreads();
      }
      state = thread > 0 ? scan.join(carry, shared[buffer][thread - 1]) : carry;
      carry = scan.join(carry, shared[buffer][threads - 1]);
      __syncthreads();
      if (totals != nullptr) continue;
      AMP_UNROLL
      for (int j = 0; j < kScanned; ++j) {
        if (own + j < end) {
          const std::int64_t i = scanned(lines, scan.reverse, own + j);
          scan.step(state, elements[j], start + lines.at(i));
        }
      }
    }
    if (totals != nullptr && thread == 0) totals[part] = carry;
  }
}

/// Replaces the states of the parts of each line by those before them; a thread per line.
template <class Scan>
AMP_KERNEL void scan_totals_kernel(std::int64_t lines, std::int64_t parts, Scan scan,
                                   typename Scan::State* totals) {
  for (std::int64_t line = first_element(); line < lines; line += element_step()) {
    typename Scan::State state = scan.none();
    for (std::int64_t p = 0; p < parts; ++p) {
      const typename Scan::State own = totals[line * parts + p];
      totals[line * parts + p] = state;
      state = scan.join(state, own);
    }
  }
}

/// A thread per line.
template <class Scan>
AMP_KERNEL void scan_columns_kernel(Lines lines, Scan scan) {
  for (std::int64_t line = first_element(); line < lines.count; line += element_step()) {
    const std::int64_t start = lines.start(line);
    typename Scan::State state = scan.none();
    for (std::int64_t k = 0; k < lines.length; ++k) {
      const std::int64_t i = scanned(lines, scan.reverse, k), at = start + lines.at(i);
      scan.step(state, scan.load(lines, at, i), at);
    }
  }
}

template <class Scan>
void run_scan(const Operand& array, int dim, const Scan& scan) {
  constexpr std::int64_t kShort = 32, kManyLines = 4096, kShortestPart = 4096, kFewParts = 256;
  const Lines lines(array, dim);
  const Device device = array.device;
  if (lines.length <= kShort || (lines.stride > 1 && lines.count >= kManyLines))
    return launch(device, grid_for(lines.count), kThreads, scan_columns_kernel<Scan>, lines, scan);
  std::int64_t count = 1;
  while (lines.count * count < kFewParts && lines.length / (2 * count) >= kShortestPart) count *= 2;
  const ScannedParts parts{lines, count, ceil_div(lines.length, count)};
  const std::int64_t blocks = grid_for(lines.count * count, 1);
  const unsigned threads = parts.length <= 32 * kScanned ? 32 : kThreads;
  if (count == 1)
    return launch(device, blocks, threads, scan_rows_kernel<Scan>, parts, scan, nullptr, nullptr);
  const Scratch<typename Scan::State> states(device, lines.count * count);
  launch(device, blocks, threads, scan_rows_kernel<Scan>, parts, scan, nullptr, states.data());
  launch(device, grid_for(lines.count), kThreads, scan_totals_kernel<Scan>, lines.count, count,
         scan, states.data());
  launch(device, blocks, threads, scan_rows_kernel<Scan>, parts, scan, states.data(), nullptr);
}

template <class Fold>
void fold_scan(const ScanArgs& args) {
  const auto run = [&](auto tag) {
    using C = typename decltype(tag)::type;
    run_scan(args.input, args.dim,
             FoldScan<Fold, C>{args.input, args.output, args.reverse, args.exclusive});
  };
  if constexpr (Fold::kIntegers) {
    visit_compute_type(args.input.dtype, run);
  } else {
    visit_float_type(args.input.dtype, run);
  }
}
template <bool Largest>
void extremum_scan(const ExtremumScanArgs& args) {
  visit_compute_type(args.input.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    run_scan(args.input, args.dim,
             ExtremumScan<Largest, C>{args.input, args.values, args.indices.as<std::int64_t>()});
  });
}
template <class Backward>
void backward_scan(const ScanBackwardArgs& args) {
  visit_float_type(args.grad_x.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    run_scan(args.grad_x, args.dim,
             BackwardScan<Backward, C>{args.grad, args.x, args.y, args.grad_x, args.y.present});
  });
}

}  // namespace detail

inline void cumsum(const ScanArgs& args) { detail::fold_scan<Sum>(args); }
inline void cumprod(const ScanArgs& args) { detail::fold_scan<Product>(args); }
inline void logcumsumexp(const ScanArgs& args) { detail::fold_scan<LogSumExp>(args); }
inline void cummax(const ExtremumScanArgs& args) { detail::extremum_scan<true>(args); }
inline void cummin(const ExtremumScanArgs& args) { detail::extremum_scan<false>(args); }
inline void cumprod_backward(const ScanBackwardArgs& args) {
  detail::backward_scan<ProductScanBackward>(args);
}
inline void logcumsumexp_backward(const ScanBackwardArgs& args) {
  detail::backward_scan<LogSumExpScanBackward>(args);
}
inline void extremum_scan_backward(const ScanBackwardArgs& args) {
  detail::backward_scan<ExtremumScanBackward>(args);
}

}  // namespace amp::inline v0::kernels::cuda
