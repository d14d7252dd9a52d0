// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// softmax and log_softmax on the host.
#pragma once

#include <cstdint>

#include "amp/kernels/softmax/args.hpp"
#include "amp/kernels/softmax/host/rows.hpp"
#include "amp/kernels/traversal/host/lines.hpp"

namespace amp::inline v0::kernels::host {

namespace detail {

template <bool Log>
void softmax(const SoftmaxArgs& args) {
  const Lines lines(args.input, args.dim);
  visit_float_type(args.output.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    for_line_blocks<C>(lines, 2, [&](std::int64_t line, std::int64_t count, C* scratch) {
      const RowBlock block{lines.start(line), lines.stride, lines.length, count};
      const C* const x = block.fetch(args.input, scratch);
      C* const y = block.target(args.output, scratch + block.space());
      on_rows<SoftmaxRows<Log>, C>(x, y, lines.length, count);
      block.store(y, args.output);
    });
  });
}

template <bool Log>
void softmax_backward(const SoftmaxBackwardArgs& args) {
  const Lines lines(args.output, args.dim);
  visit_float_type(args.grad_input.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    for_line_blocks<C>(lines, 3, [&](std::int64_t line, std::int64_t count, C* scratch) {
      const RowBlock block{lines.start(line), lines.stride, lines.length, count};
      const C* const grad = block.fetch(args.grad_output, scratch);
      const C* const y = block.fetch(args.output, scratch + block.space());
      C* const grad_x = block.target(args.grad_input, scratch + 2 * block.space());
      on_rows<SoftmaxGradients<Log>, C>(grad, y, grad_x, lines.length, count);
      block.store(grad_x, args.grad_input);
    });
  });
}

}  // namespace detail

inline void softmax(const SoftmaxArgs& args) { detail::softmax<false>(args); }
inline void log_softmax(const SoftmaxArgs& args) { detail::softmax<true>(args); }
inline void softmax_backward(const SoftmaxBackwardArgs& args) {
  detail::softmax_backward<false>(args);
}
inline void log_softmax_backward(const SoftmaxBackwardArgs& args) {
  detail::softmax_backward<true>(args);
}

}  // namespace amp::inline v0::kernels::host
