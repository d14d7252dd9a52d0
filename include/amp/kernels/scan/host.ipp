// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "amp/core/math.hpp"
#include "amp/device/host_memory.hpp"
#include "amp/device/parallel.hpp"
#include "amp/kernels/scan/formula.hpp"
#include "amp/kernels/scan/host.hpp"
#include "amp/kernels/scan/host/rows.hpp"
#include "amp/kernels/traversal/host/block.hpp"
#include "amp/kernels/traversal/host/rows.hpp"

namespace amp::inline v0::kernels::host {

namespace detail {

/// Some lines, and the steps of them from `begin` on: of a panel, element (lane, step) is number
/// lane * lane_stride + step * step_stride in a buffer. Neighbours in memory are neighbours there.
struct Panel {
  static constexpr std::int64_t kMostLanes = 256, kElements = 2048;

  const Lines& lines;
  bool side_by_side;
  std::int64_t line, lanes, begin, steps;

  std::int64_t lane_stride() const { return side_by_side ? 1 : kElements / kRows; }
  std::int64_t step_stride() const { return side_by_side ? kMostLanes : 1; }

  static constexpr std::int64_t kRows = 8;

  /// Reads the panel's elements of an array.
  template <class C>
  void fetch(const Operand& array, C* buffer) const {
    for_each_run([&](std::int64_t offset, std::int64_t n, std::int64_t at) {
      const C* const x = host::fetch(array, offset, 1, n, buffer + at);
      if (x != buffer + at) std::memcpy(buffer + at, x, static_cast<std::size_t>(n) * sizeof(C));
    });
  }
  template <class C>
  void store(const C* buffer, const Operand& array) const {
    for_each_run([&](std::int64_t offset, std::int64_t n, std::int64_t at) {
      host::store(buffer + at, array, offset, 1, n);
    });
  }

  /// Calls step(state of the lane, number in a buffer, step) for all elements: the steps of a lane
  /// in order.
  template <class State, class Step>
  AMP_ALWAYS_INLINE void advance(State* states, bool reverse, const Step& step) const {
    const std::int64_t first = reverse ? steps - 1 : 0, by = reverse ? -1 : 1;
    if (side_by_side) {
      for (std::int64_t s = 0, i = first; s < steps; ++s, i += by) {
        for (std::int64_t l = 0; l < lanes; ++l) step(states[l], i * kMostLanes + l, begin + i);
      }
      return;
    }
    constexpr std::int64_t kNext = kElements / kRows;
    std::int64_t l = 0;
    for (; l + 4 <= lanes; l += 4) {  // whose states are in registers
      State a = states[l], b = states[l + 1], c = states[l + 2], d = states[l + 3];
      for (std::int64_t s = 0, i = first; s < steps; ++s, i += by) {
        step(a, l * kNext + i, begin + i);
        step(b, (l + 1) * kNext + i, begin + i);
        step(c, (l + 2) * kNext + i, begin + i);
        step(d, (l + 3) * kNext + i, begin + i);
      }
      states[l] = a, states[l + 1] = b, states[l + 2] = c, states[l + 3] = d;
    }
    for (; l < lanes; ++l) {
      State own = states[l];
      for (std::int64_t s = 0, i = first; s < steps; ++s, i += by)
        step(own, l * kNext + i, begin + i);
      states[l] = own;
    }
  }

 private:
  /// Calls run(offset in memory, number of elements, number of the first in a buffer).
  template <class Run>
  void for_each_run(const Run& run) const {
    if (side_by_side) {
      for (std::int64_t s = 0; s < steps; ++s)
        run(lines.start(line) + (begin + s) * lines.stride, lanes, s * step_stride());
    } else {
      for (std::int64_t l = 0; l < lanes; ++l)
        run(lines.start(line + l) + begin, steps, l * lane_stride());
    }
  }
};

/// Calls body(panel, states) for the panels of all lines, in parallel: those of a line in order, or
/// in reverse. States begin as `none`.
template <class State, class Body>
void for_panels(const Lines& lines, bool reverse, const State& none, const Body& body) {
  const bool side_by_side = lines.stride != 1;
  const std::int64_t most = side_by_side ? Panel::kMostLanes : Panel::kRows;
  const std::int64_t steps = Panel::kElements / most;
  parallel_ranges(
      lines.count, ceil_div(8 * kBlock, lines.length), [&](std::int64_t begin, std::int64_t end) {
        State states[Panel::kMostLanes];
        for (std::int64_t line = begin, lanes; line < end; line += lanes) {
          const std::int64_t left = side_by_side ? lines.stride - line % lines.stride : most;
          lanes = (std::min)({most, end - line, left});
          std::fill_n(states, lanes, none);
          const std::int64_t panels = ceil_div(lines.length, steps);
          for (std::int64_t p = 0; p < panels; ++p) {
            const std::int64_t at = (reverse ? panels - 1 - p : p) * steps;
            body(Panel{lines, side_by_side, line, lanes, at, (std::min)(steps, lines.length - at)},
                 states);
          }
        }
      });
}

/// Calls body(offset in memory, place in the line, number of elements, state) for the blocks of all
/// lines, which are rows, in parallel: those of a line in order. States begin as `none`.
template <class State, class Body>
void for_row_blocks(const Lines& lines, const State& none, const Body& body) {
  parallel_ranges(lines.count, ceil_div(8 * kBlock, lines.length),
                  [&](std::int64_t begin, std::int64_t end) {
                    for (std::int64_t line = begin; line < end; ++line) {
                      State state = none;
                      for (std::int64_t i = 0; i < lines.length; i += kBlock)
                        body(lines.start(line) + i, i, (std::min)(kBlock, lines.length - i), state);
                    }
                  });
}

inline void sums_of_rows(const Lines& lines, const ScanArgs& args) {
  for_row_blocks(lines, 0.0, [&](std::int64_t at, std::int64_t, std::int64_t n, double& sum) {
    float buffer[kBlock], sums[kBlock];
    const float* const x = fetch(args.input, at, 1, n, buffer);
    float* const y = target(args.output, at, 1, n, sums);
    sum = simd::on_widest<RunningSums>(x, y, n, sum);
    store(y, args.output, at, 1, n);
  });
}

template <class Fold, class C>
void scan_in(const ScanArgs& args) {
  const Fold fold{};
  using State = typename Fold::template State<C>;
  const bool reverse = args.reverse, exclusive = args.exclusive;
  const Lines lines(args.input, args.dim);
  if constexpr (std::is_same_v<Fold, Sum> && std::is_same_v<C, float>) {
    if (lines.stride == 1 && !reverse && !exclusive) return sums_of_rows(lines, args);
  }
  for_panels(lines, reverse, Fold::template none<C>(), [&](const Panel& panel, State* states) {
    C x[Panel::kElements], y[Panel::kElements];
    panel.fetch(args.input, x);
    if (exclusive) {
      panel.advance(states, reverse, [&](State& state, std::int64_t i, std::int64_t) {
        y[i] = static_cast<C>(fold.finish(state));
        fold.add(state, x[i]);
      });
    } else {
      panel.advance(states, reverse, [&](State& state, std::int64_t i, std::int64_t) {
        fold.add(state, x[i]);
        y[i] = static_cast<C>(fold.finish(state));
      });
    }
    panel.store(y, args.output);
  });
}
template <class Fold>
void scan(const ScanArgs& args) {
  if constexpr (Fold::kIntegers) {
    visit_compute_type(args.input.dtype,
                       [&](auto tag) { scan_in<Fold, typename decltype(tag)::type>(args); });
  } else {
    visit_float_type(args.input.dtype,
                     [&](auto tag) { scan_in<Fold, typename decltype(tag)::type>(args); });
  }
}

template <bool Largest>
void extrema_of_rows(const Lines& lines, const ExtremumScanArgs& args) {
  using State = ExtremumSoFar<Largest, float>;
  for_row_blocks(lines, State{0, -1},
                 [&](std::int64_t at, std::int64_t begin, std::int64_t n, State& state) {
                   float buffer[kBlock], extrema[kBlock];
                   std::int64_t places[kBlock];
                   const float* const x = fetch(args.input, at, 1, n, buffer);
                   float* const y = target(args.values, at, 1, n, extrema);
                   std::int64_t* const i = target(args.indices, at, 1, n, places);
                   simd::on_widest<RunningExtrema<Largest>>(x, y, i, n, begin, &state);
                   store(y, args.values, at, 1, n);
                   store(i, args.indices, at, 1, n);
                 });
}

template <bool Largest>
void extremum_scan(const ExtremumScanArgs& args) {
  visit_compute_type(args.input.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    using State = ExtremumSoFar<Largest, C>;
    const Lines lines(args.input, args.dim);
    if constexpr (std::is_same_v<C, float>) {
      if (lines.stride == 1) return extrema_of_rows<Largest>(lines, args);
    }
    for_panels(lines, false, State{C{0}, -1}, [&](const Panel& panel, State* states) {
      C x[Panel::kElements];
      std::int64_t at[Panel::kElements];
      panel.fetch(args.input, x);
      panel.advance(states, false, [&](State& state, std::int64_t i, std::int64_t place) {
        state.add(x[i], place);
        x[i] = state.value;
        at[i] = state.at;
      });
      panel.store(x, args.values);
      panel.store(at, args.indices);
    });
  });
}

template <class Backward>
void scan_backward(const ScanBackwardArgs& args) {
  visit_float_type(args.grad_x.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    using X = typename Backward::template Element<C>;
    struct State {
      C sum, next_y;
      X next_x;
    };
    const Lines lines(args.grad_x, args.dim);
    for_panels(lines, true, State{}, [&](const Panel& panel, State* states) {
      C grad[Panel::kElements], y[Panel::kElements];
      X x[Panel::kElements];
      panel.fetch(args.grad, grad);
      panel.fetch(args.x, x);
      if (args.y.present) {
        panel.fetch(args.y, y);
      } else {
        std::fill_n(y, Panel::kElements, C{0});
      }
      panel.advance(states, true, [&](State& state, std::int64_t i, std::int64_t place) {
        C sum = grad[i];
        if (place + 1 < lines.length) {
          const C decay = Backward::template decay<C>(y[i], state.next_y, state.next_x, place + 1);
          if (decay != C{0}) sum += decay * state.sum;  // which may be infinite
        }
        state = {sum, y[i], x[i]};
        grad[i] = Backward::template factor<C>(x[i], y[i], place) * sum;
      });
      panel.store(grad, args.grad_x);
    });
  });
}

}  // namespace detail

AMP_LAZY_DEFINITION void cumsum(const ScanArgs& args) { detail::scan<Sum>(args); }
AMP_LAZY_DEFINITION void cumprod(const ScanArgs& args) { detail::scan<Product>(args); }
AMP_LAZY_DEFINITION void logcumsumexp(const ScanArgs& args) { detail::scan<LogSumExp>(args); }
AMP_LAZY_DEFINITION void cummax(const ExtremumScanArgs& args) { detail::extremum_scan<true>(args); }
AMP_LAZY_DEFINITION void cummin(const ExtremumScanArgs& args) {
  detail::extremum_scan<false>(args);
}
AMP_LAZY_DEFINITION void cumprod_backward(const ScanBackwardArgs& args) {
  detail::scan_backward<ProductScanBackward>(args);
}
AMP_LAZY_DEFINITION void logcumsumexp_backward(const ScanBackwardArgs& args) {
  detail::scan_backward<LogSumExpScanBackward>(args);
}
AMP_LAZY_DEFINITION void extremum_scan_backward(const ScanBackwardArgs& args) {
  detail::scan_backward<ExtremumScanBackward>(args);
}

}  // namespace amp::inline v0::kernels::host
