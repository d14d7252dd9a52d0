// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Folds on the host, and their derivatives. The kernel of a reduction is fold<Op>, for an op of
// formula.hpp: a template, so that a file compiles only those that it uses.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "amp/core/simd/fold.hpp"
#include "amp/core/simd/power.hpp"
#include "amp/kernels/dispatch.hpp"
#include "amp/kernels/elementwise/host/loops.hpp"
#include "amp/kernels/fold/args.hpp"
#include "amp/kernels/fold/formula.hpp"
#include "amp/kernels/reduce/host/accumulate.hpp"
#include "amp/kernels/reduce/host/sum_block.hpp"
#include "amp/kernels/softmax/host/rows.hpp"
#include "amp/kernels/traversal/host/rows.hpp"

namespace amp::inline v0::kernels::host {

namespace detail {

template <class Fold>
struct JoinStates {
  template <class State>
  AMP_ALWAYS_INLINE State operator()(State a, State b) const {
    return Fold::join(a, b);
  }
};
/// The state of a block of elements: of whole vectors, in four states that do not wait for each
/// other, and of the rest.
template <class Fold>
struct FoldRow {
  template <class Isa, class C>
  AMP_ALWAYS_INLINE static typename Fold::template State<C> run(const C* x, std::int64_t n,
                                                                Fold fold) {
    constexpr std::int64_t kLanes = simd::kLanes<Isa>;
    using States = typename Fold::template State<simd::Vec<C, Isa>>;
    States a = fold.template none<C>(), b = a, c = a, d = a;
    std::int64_t i = 0;
    for (; i + 4 * kLanes <= n; i += 4 * kLanes) {
      fold.add(a, simd::load<Isa>(x + i));
      fold.add(b, simd::load<Isa>(x + i + kLanes));
      fold.add(c, simd::load<Isa>(x + i + 2 * kLanes));
      fold.add(d, simd::load<Isa>(x + i + 3 * kLanes));
    }
    for (; i + kLanes <= n; i += kLanes) fold.add(a, simd::load<Isa>(x + i));
    const States all = Fold::join(Fold::join(a, b), Fold::join(c, d));
    auto state = simd::fold(all, JoinStates<Fold>{});
    for (; i < n; ++i) fold.add(state, x[i]);
    return state;
  }
};
/// Adds an element of each of some rows, which begin `width` apart, to each state.
template <class Fold>
struct FoldColumns {
  template <class Isa, class C>
  AMP_ALWAYS_INLINE static void run(const C* x, std::int64_t rows, std::int64_t width,
                                    typename Fold::template State<C>* to, std::int64_t n,
                                    Fold fold) {
    constexpr std::int64_t kLanes = simd::kLanes<Isa>;
    std::int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
      auto states = simd::load<Isa>(to + i);
      for (std::int64_t r = 0; r < rows; ++r) fold.add(states, simd::load<Isa>(x + r * width + i));
      simd::store(states, to + i);
    }
    for (; i < n; ++i) {
      for (std::int64_t r = 0; r < rows; ++r) fold.add(to[i], x[r * width + i]);
    }
  }
};

template <class Fold, class C>
inline constexpr bool kFoldsVectors = Fold::kVectors&& std::is_floating_point_v<C>;

/// Adds a block of elements to one state: if not in vectors, in eight lanes, which do not wait for
/// each other.
template <class Fold, class State, class C>
void fold_block(const Fold& fold, State& state, const C* x, std::int64_t n) {
  if constexpr (kFoldsVectors<Fold, C>) {
    state = fold.join(state, on_rows<FoldRow<Fold>, C>(x, n, fold));
  } else {
    State lanes[8];
    for (State& lane : lanes) lane = fold.template none<C>();
    std::int64_t i = 0;
    for (; i + 8 <= n; i += 8) {
      for (int l = 0; l < 8; ++l) fold.add(lanes[l], x[i + l]);
    }
    for (; i < n; ++i) fold.add(lanes[i % 8], x[i]);
    for (const State& lane : lanes) state = fold.join(state, lane);
  }
}
/// Adds an element of each of some rows to each of n states, which are `stride` apart.
template <class Fold, class State, class C>
void fold_columns(const Fold& fold, State* to, std::int64_t stride, const C* x, std::int64_t rows,
                  std::int64_t width, std::int64_t n) {
  if constexpr (kFoldsVectors<Fold, C>) {
    if (stride == 1) return on_rows<FoldColumns<Fold>, C>(x, rows, width, to, n, fold);
  }
  for (; rows > 0; --rows, x += width) {
    for (std::int64_t i = 0; i < n; ++i) fold.add(to[i * stride], x[i]);
  }
}

/// Of whole vectors: the maximum first, then the sum.
struct LogSumExpOfRow {
  template <class Isa, class C>
  AMP_ALWAYS_INLINE static LogSumExp::State<C> run(const C* x, std::int64_t n) {
    LogSumExp::State<C> state{MaximumOfRow::run<Isa>(x, n), 0};
    C* const none = nullptr;
    state.sum = ExponentialsOfRow::run<Isa>(x, none, n, state.origin());
    return state;
  }
};
template <class C>
void fold_block(const LogSumExp& fold, LogSumExp::State<C>& state, const C* x, std::int64_t n) {
  const std::int64_t whole = n - n % kWidest;
  if (whole != 0) state = fold.join(state, on_rows<LogSumExpOfRow, C>(x, whole));
  for (std::int64_t i = whole; i < n; ++i) fold.add(state, x[i]);
}

/// Adds the squares of a block of 16-bit numbers in float, which has more than twice their digits;
/// returns whether they are in its range: the squares that it lacks are below 2^-126 each.
inline bool add_short_squares(const Operand& input, std::int64_t at, std::int64_t n, double& sum) {
  if (item_size(input.dtype) != 2) return false;
  double squares = 0;
  visit_floats(input, at,
               [&](const auto* x) { squares = simd::on_widest<ShortSum<Square>>(x, n); });
  if (!(squares >= 0x1p-90) || !is_finite(squares)) return false;
  sum += squares;
  return true;
}

/// Sets the state of each output. If outputs have 16 bits, squares may be added in float.
template <class Fold, class C>
void fold_states(const Fold& fold, const Loop<2>& loop, const Operand& input, std::int64_t outputs,
                 typename Fold::template State<C>* states,
                 [[maybe_unused]] bool of_16_bits = false) {
  using State = typename Fold::template State<C>;
  const auto none = [&] { return fold.template none<C>(); };
  const auto join = [&](State& state, const State& other) { state = fold.join(state, other); };
  if (const Matrices matrices(loop); matrices) {
    const auto add = [&](std::int64_t at, std::int64_t rows, std::int64_t width, std::int64_t n,
                         State* to) {
      constexpr std::int64_t kRows = 4;  // a state is loaded and stored once for them
      C buffer[kRows * kBlock];
      for (std::int64_t row = 0; row < rows; row += kRows, at += kRows * width) {
        const std::int64_t count = (std::min)(kRows, rows - row);
        const C* x = fetch(input, at, 1, n, buffer);
        if (x != buffer) {
          fold_columns(fold, to, 1, x, count, width, n);
          continue;
        }
        for (std::int64_t r = 1; r < count; ++r) fetch(input, at + r * width, 1, n, buffer + r * n);
        fold_columns(fold, to, 1, x, count, n, n);
      }
    };
    return accumulate_columns(matrices, states, none, add, join);
  }
  accumulate(
      loop, input, outputs, states, none,
      [&](std::int64_t at, std::int64_t stride, std::int64_t n, std::int64_t, State* to,
          std::int64_t to_stride) {
        if constexpr (std::is_same_v<Fold, PowerSum>) {
          if (of_16_bits && fold.kind == PowerSum::Kind::kSquares && stride == 1 &&
              to_stride == 0 && add_short_squares(input, at, n, *to))
            return;
        }
        C buffer[kBlock];
        const C* const x = fetch(input, at, stride, n, buffer);
        if (to_stride == 0) return fold_block(fold, *to, x, n);
        fold_columns(fold, to, to_stride, x, 1, n, n);
      },
      join);
}

/// sums[i] += exp(x[i] - origins[i])
struct AddExponentials {
  template <class Isa, class C>
  AMP_ALWAYS_INLINE static void run(const C* x, const C* origins, double* sums, std::int64_t n) {
    constexpr std::int64_t kLanes = simd::kLanes<Isa>;
    std::int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
      const auto e = exp(simd::load<Isa>(x + i) - simd::load<Isa>(origins + i));
      simd::add_to(sums + i, simd::to_double(e));
    }
    for (; i < n; ++i) sums[i] += to_double(functions::exp(x[i] - origins[i]));
  }
};
/// Of elements side by side that belong to different outputs: all maxima first, then the sums.
template <class C>
void logsumexp_of_columns(const Loop<2>& loop, const Operand& input, std::int64_t outputs,
                          LogSumExp::State<C>* states) {
  const HostBuffer<C> maxima(outputs), origins(outputs);
  const HostBuffer<double> sums(outputs);
  fold_states<Extreme<true>, C>(Extreme<true>{}, loop, input, outputs, maxima.data());
  for (std::int64_t i = 0; i < outputs; ++i)
    origins[i] = LogSumExp::State<C>{maxima[i], 0}.origin();
  accumulate(
      loop, input, outputs, sums.data(), [] { return 0.0; },
      [&](std::int64_t at, std::int64_t stride, std::int64_t n, std::int64_t output, double* to,
          std::int64_t) {
        C buffer[kBlock];
        const C* const x = fetch(input, at, stride, n, buffer);
        on_rows<AddExponentials, C>(x, static_cast<const C*>(origins.data()) + output, to, n);
      },
      [](double& sum, double other) { sum += other; });
  for (std::int64_t i = 0; i < outputs; ++i) states[i] = {maxima[i], sums[i]};
}

template <class C, class Fold>
void fold_as(const Fold& fold, const FoldArgs& args) {
  const std::int64_t outputs = args.output.numel();
  const HostBuffer<typename Fold::template State<C>> states(outputs);
  const auto loop = loop_of_reduction(args.input, args.output);
  // Fewer columns than a vector has lanes would gain nothing.
  const bool by_columns =
      std::is_same_v<Fold, LogSumExp> && loop.inner_stride(1) == 1 && loop.inner_size() >= kWidest;
  if constexpr (std::is_same_v<Fold, LogSumExp>) {
    if (by_columns) logsumexp_of_columns(loop, args.input, outputs, states.data());
  }
  if (!by_columns) {
    fold_states<Fold, C>(fold, loop, args.input, outputs, states.data(),
                         item_size(args.output.dtype) == 2);
  }
  using Result = decltype(fold.finish(states[0]));
  Result results[kBlock];
  for (std::int64_t i = 0; i < outputs; i += kBlock) {
    const std::int64_t n = (std::min)(kBlock, outputs - i);
    for (std::int64_t k = 0; k < n; ++k) results[k] = fold.finish(states[i + k]);
    store(results, args.output, i, 1, n);
  }
}

}  // namespace detail

template <class Op>
void fold(const FoldArgs& args) {
  visit_fold<Op>(args, [&](const auto& fold, auto tag) {
    detail::fold_as<typename decltype(tag)::type>(fold, args);
  });
}

template <class Op>
void fold_backward(const FoldBackwardArgs& args) {
  const auto loop = Loop<5>::in_memory_order(
      args.grad_input,
      {&args.grad_output, &args.input, &args.output, &args.more, &args.grad_input});
  const auto of_type = [&](auto derivative, auto tag) {
    using C = typename decltype(tag)::type;
    loop.run_parallel([&](const std::int64_t* at, std::int64_t n) {
      C buffers[5][kBlock];
      const auto fetched = [&](const Operand& operand, int k) {
        return detail::fetch_values(operand, at[k], loop.inner_stride(k), n, buffers[k]);
      };
      const detail::Values<C> grad = fetched(args.grad_output, 0), x = fetched(args.input, 1),
                              y = fetched(args.output, 2), more = fetched(args.more, 3);
      C* const grad_x = target(args.grad_input, at[4], loop.inner_stride(4), n, buffers[4]);
      detail::loop<decltype(derivative), C>(Parameters{}, grad_x, n, grad, x, y, more);
      store(grad_x, args.grad_input, at[4], loop.inner_stride(4), n);
    });
  };
  visit_derivative<Op>(args, [&](auto derivative) {
    visit_float_type(args.grad_input.dtype, [&](auto tag) { of_type(derivative, tag); });
  });
}

}  // namespace amp::inline v0::kernels::host

namespace amp::inline v0::kernels {

AMP_LAZY inline void prod(Device device, const FoldArgs& args) {
  dispatch<&Backend::prod, host::fold<Product>>(device, args);
}
AMP_LAZY inline void cofactor(Device device, const FoldArgs& args) {
  dispatch<&Backend::cofactor, host::fold<Cofactor>>(device, args);
}
AMP_LAZY inline void prod_backward(Device device, const FoldBackwardArgs& args) {
  dispatch<&Backend::prod_backward, host::fold_backward<ProductBackward>>(device, args);
}
AMP_LAZY inline void logsumexp(Device device, const FoldArgs& args) {
  dispatch<&Backend::logsumexp, host::fold<LogSumExp>>(device, args);
}
AMP_LAZY inline void logsumexp_backward(Device device, const FoldBackwardArgs& args) {
  dispatch<&Backend::logsumexp_backward, host::fold_backward<LogSumExpBackward>>(device, args);
}
AMP_LAZY inline void amax(Device device, const FoldArgs& args) {
  dispatch<&Backend::amax, host::fold<Extreme<true>>>(device, args);
}
AMP_LAZY inline void amin(Device device, const FoldArgs& args) {
  dispatch<&Backend::amin, host::fold<Extreme<false>>>(device, args);
}
AMP_LAZY inline void vector_norm(Device device, const FoldArgs& args) {
  dispatch<&Backend::vector_norm, host::fold<VectorNorm>>(device, args);
}
AMP_LAZY inline void vector_norm_backward(Device device, const FoldBackwardArgs& args) {
  dispatch<&Backend::vector_norm_backward, host::fold_backward<VectorNormBackward>>(device, args);
}

}  // namespace amp::inline v0::kernels
