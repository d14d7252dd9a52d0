// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Optimizer steps: gradient, state and parameter are read once, unscaling, clipping and the skip
// included.
#pragma once

#include <cmath>
#include <cstdint>
#include <utility>

#include "amp/kernels/grad_scale.hpp"
#include "amp/kernels/host/unscale.hpp"

namespace amp::inline v0::kernels::host {

namespace detail {

/// body(offset, n) over [0, numel) in blocks, in parallel.
template <class Body>
void for_each_block(std::int64_t numel, Body&& body) {
  parallel_ranges(ceil_div(numel, kBlock), 16, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t b = first; b < last; ++b)
      body(b * kBlock, (std::min)(kBlock, numel - b * kBlock));
  });
}

/// A block that is read, changed and written back.
template <class C>
struct Updated {
  const Operand operand;
  const std::int64_t offset, n;
  C buffer[kBlock];
  C* values;
  Updated(const Operand& array, std::int64_t at, std::int64_t count)
      : operand(array), offset(at), n(count) {
    values = target(operand, offset, 1, n, buffer);
    if (values == buffer) fetch(operand, offset, 1, n, buffer);
  }
  void write() const { store<C>(values, operand, offset, 1, n); }
};

/// The new weights, also into their copies.
template <class C>
void write_weights(const Updated<C>& w, const LowPrecisionCopies& copies) {
  w.write();
  for (const auto& [data, dtype] :
       {std::pair(copies.float16, kFloat16), std::pair(copies.bfloat16, kBFloat16)}) {
    if (data != nullptr)
      store<C>(w.values, dense(data, dtype, w.operand.sizes[0]), w.offset, 1, w.n);
  }
}

template <class C>
void sgd(const SgdGroup& group, const SgdParameter& p, const GradScale& scale, double rate) {
  const Operand gradient = dense(const_cast<void*>(p.gradient), p.gradient_dtype, p.numel);
  const Operand parameter = dense(p.parameter, p.dtype, p.numel),
                momentum = dense(p.momentum, p.dtype, p.numel);
  const C factor = static_cast<C>(gradient_factor(scale, p.gradient_dtype));
  const C lr = static_cast<C>(rate), mu = static_cast<C>(group.momentum),
          decay = static_cast<C>(group.weight_decay);
  for_each_block(p.numel, [&](std::int64_t at, std::int64_t n) {
    C grad_buffer[kBlock], step[kBlock];
    const C* const g = fetch(gradient, at, 1, n, grad_buffer);
    Updated<C> w(parameter, at, n);
    for (std::int64_t i = 0; i < n; ++i) step[i] = g[i] * factor + decay * w.values[i];
    if (p.momentum != nullptr) {
      Updated<C> v(momentum, at, n);
      for (std::int64_t i = 0; i < n; ++i) {
        v.values[i] = mu * v.values[i] + step[i];
        step[i] = group.nesterov ? step[i] + mu * v.values[i] : v.values[i];
      }
      v.write();
    }
    for (std::int64_t i = 0; i < n; ++i) w.values[i] -= lr * step[i];
    write_weights(w, p.copies);
  });
}

template <class C>
void adam(const AdamGroup& group, const AdamParameter& p, const GradScale& scale, double rate) {
  const Operand gradient = dense(const_cast<void*>(p.gradient), p.gradient_dtype, p.numel);
  const Operand parameter = dense(p.parameter, p.dtype, p.numel);
  const Operand exp_avg = dense(p.exp_avg, p.dtype, p.numel),
                exp_avg_sq = dense(p.exp_avg_sq, p.dtype, p.numel);
  const auto step = static_cast<double>(++*p.step);
  const C factor = static_cast<C>(gradient_factor(scale, p.gradient_dtype));
  const C step_size = static_cast<C>(rate / (1 - std::pow(group.beta1, step)));
  const C root_correction = static_cast<C>(std::sqrt(1 - std::pow(group.beta2, step)));
  const C weight1 = static_cast<C>(1 - group.beta1), weight2 = static_cast<C>(1 - group.beta2);
  const C beta2 = static_cast<C>(group.beta2), eps = static_cast<C>(group.eps),
          decay = static_cast<C>(group.weight_decay);
  const C shrink = static_cast<C>(1 - rate * group.weight_decay);
  for_each_block(p.numel, [&](std::int64_t at, std::int64_t n) {
    C grad_buffer[kBlock];
    const C* const g = fetch(gradient, at, 1, n, grad_buffer);
    Updated<C> w(parameter, at, n), m(exp_avg, at, n), v(exp_avg_sq, at, n);
    for (std::int64_t i = 0; i < n; ++i) {
      if (group.decoupled) w.values[i] *= shrink;
      const C grad = g[i] * factor + (group.decoupled ? C{0} : decay * w.values[i]);
      m.values[i] += weight1 * (grad - m.values[i]);
      v.values[i] = beta2 * v.values[i] + weight2 * grad * grad;
      w.values[i] -= step_size * m.values[i] / (std::sqrt(v.values[i]) / root_correction + eps);
    }
    write_weights(w, p.copies);
    m.write();
    v.write();
  });
}

/// body(group, parameter, rate) for all parameters, unless the step is skipped; then it is counted.
template <class Args, class Body>
void step(const Args& args, const Body& body) {
  if (skipped(args.scale)) return;
  for (std::int64_t g = 0; g < args.count; ++g) {
    const auto& group = args.groups[g];
    const double rate = scheduled_rate(group.lr, *args.applied);
    for (std::int64_t i = 0; i < group.count; ++i) body(group, group.parameters[i], rate);
  }
  ++*args.applied;
}

}  // namespace detail

inline void sgd(const SgdArgs& args) {
  detail::step(args, [&](const auto& group, const auto& parameter, double rate) {
    visit_float_type(parameter.dtype, [&](auto tag) {
      detail::sgd<typename decltype(tag)::type>(group, parameter, args.scale, rate);
    });
  });
}

inline void adam(const AdamArgs& args) {
  detail::step(args, [&](const auto& group, const auto& parameter, double rate) {
    visit_float_type(parameter.dtype, [&](auto tag) {
      detail::adam<typename decltype(tag)::type>(group, parameter, args.scale, rate);
    });
  });
}

}  // namespace amp::inline v0::kernels::host
