// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Samples in parallel; the states of a step in vectors.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "amp/core/object_pool.hpp"
#include "amp/device/parallel.hpp"
#include "amp/kernels/compute_type.hpp"
#include "amp/kernels/ctc/formula.hpp"
#include "amp/kernels/ctc/host.hpp"
#include "amp/kernels/elementwise/host/loops.hpp"
#include "amp/kernels/functions.hpp"

namespace amp::inline v0::kernels::host {

namespace detail {

/// A row of numbers of states, between two of -infinity, so that each has neighbours.
template <class C>
class CtcRow {
 public:
  explicit CtcRow(std::int64_t states)
      : numbers_(static_cast<std::size_t>(states + 4), kLogOfZero<C>) {}
  C* states() { return numbers_.data() + 2; }

 private:
  amp::detail::PoolVector<C> numbers_;
};

/// What the steps of one sample share.
template <class C>
struct CtcSample {
  std::int64_t n, steps, classes, step_stride;
  CtcStates states;
  const C* log_probs;  // of step 0
  std::int64_t table;  // the position of the sample in a table

  CtcSample(const CtcBatch& batch, std::int64_t sample) : n(sample), classes(batch.classes()) {
    const auto* const lengths = batch.target_lengths.as<const std::int64_t>();
    std::int64_t first = n * batch.most_labels();
    if (!batch.is_padded()) {
      first = 0;
      for (std::int64_t before = 0; before < n; ++before) first += lengths[before];
    }
    states = {batch.targets.as<const std::int64_t>() + first, lengths[n], batch.blank};
    steps = batch.input_lengths.as<const std::int64_t>()[n];
    step_stride = batch.samples() * classes;
    log_probs = batch.log_probs.as<const C>() + n * classes;
    table = batch.steps() * (2 * first + n);
  }

  /// Row t of a table.
  C* row(const Operand& of, std::int64_t t) const { return of.as<C>() + table + t * states.size(); }
  void read_step(std::int64_t t, C* log_p) const {
    const C* const probs = log_probs + t * step_stride;
    for (std::int64_t i = 0; i < states.size(); ++i) log_p[i] = probs[states.label(i)];
  }
};

template <class C>
void ctc_step(C* to, std::int64_t n, const C* stay, const C* next, const C* skip, const C* allowed,
              const C* log_p) {
  using Step = functions::CtcStep;
  loop<Step, C, C, C, C, C, C, C>({}, to, n, Values<C>{stay}, Values<C>{next}, Values<C>{skip},
                                  Values<C>{allowed}, Values<C>{log_p});
}

/// Fills the alphas of a sample; returns -log of its likelihood.
template <class C>
C ctc_forward(const CtcSample<C>& s, const Operand& alphas) {
  const std::int64_t n = s.states.size();
  CtcRow<C> row(n), allowed(n), log_p(n);
  C* const before = row.states();
  for (std::int64_t i = 0; i < n; ++i)
    allowed.states()[i] = s.states.skips_to(i) ? 0 : kLogOfZero<C>;
  for (std::int64_t t = 0; t < s.steps; ++t) {
    s.read_step(t, log_p.states());
    C* const to = s.row(alphas, t);
    if (t == 0) {
      std::fill_n(to, n, kLogOfZero<C>);
      for (std::int64_t i = 0; i < (std::min)(n, std::int64_t{2}); ++i) to[i] = log_p.states()[i];
    } else {
      ctc_step(to, n, before, before - 1, before - 2, allowed.states(), log_p.states());
    }
    std::copy_n(to, n, before);
  }
  if (s.steps == 0) return n == 1 ? C{0} : -kLogOfZero<C>;
  return -functions::CtcStep::sum(before[n - 1], before[n - 2], kLogOfZero<C>);
}

/// Writes the gradients of a sample's steps.
template <class C>
void ctc_backward(const CtcSample<C>& s, const Operand& alphas, C nll, C grad, C* to) {
  const std::int64_t n = s.states.size();
  CtcRow<C> row(n), allowed(n), log_p(n), share(n);
  C* const after = row.states();
  for (std::int64_t i = 0; i < n; ++i)
    allowed.states()[i] = s.states.skips_to(i + 2) ? 0 : kLogOfZero<C>;
  for (std::int64_t t = s.steps - 1; t >= 0; --t) {
    s.read_step(t, log_p.states());
    C* const betas = share.states();
    if (t == s.steps - 1) {
      std::fill_n(betas, n, kLogOfZero<C>);
      for (std::int64_t i = (std::max)(n - 2, std::int64_t{0}); i < n; ++i)
        betas[i] = log_p.states()[i];
    } else {
      ctc_step(betas, n, after, after + 1, after + 2, allowed.states(), log_p.states());
    }
    std::copy_n(betas, n, after);
    using Share = functions::CtcShare;
    loop<Share, C, C, C, C, C>({static_cast<double>(nll)}, betas, n, Values<C>{s.row(alphas, t)},
                               Values<C>{after}, Values<C>{log_p.states()});
    C* const slopes = to + t * s.step_stride;
    loop<functions::Exp, C, C, C>({}, slopes, s.classes,
                                  Values<C>{s.log_probs + t * s.step_stride});
    for (std::int64_t i = 0; i < n; ++i) slopes[s.states.label(i)] -= betas[i];
    for (std::int64_t c = 0; c < s.classes; ++c) slopes[c] *= grad;
  }
}

/// body(type_tag<C>, n) for each sample, in parallel.
template <class Body>
void for_ctc_samples(const CtcBatch& batch, const Body& body) {
  visit_float_type(batch.log_probs.dtype, [&](auto tag) {
    parallel_for(batch.samples(), [&](std::int64_t n) { body(tag, n); });
  });
}

}  // namespace detail

AMP_LAZY_DEFINITION void ctc_loss(const CtcLossArgs& args) {
  detail::for_ctc_samples(args.batch, [&](auto tag, std::int64_t n) {
    using C = typename decltype(tag)::type;
    const C nll = detail::ctc_forward<C>({args.batch, n}, args.alphas);
    args.nll.as<C>()[n] = nll;
    args.losses.as<C>()[n] = is_impossible(nll) && args.batch.zero_infinity ? C{0} : nll;
  });
}

AMP_LAZY_DEFINITION void ctc_loss_backward(const CtcLossBackwardArgs& args) {
  detail::for_ctc_samples(args.batch, [&](auto tag, std::int64_t n) {
    using C = typename decltype(tag)::type;
    const detail::CtcSample<C> sample(args.batch, n);
    const C nll = args.nll.as<const C>()[n];
    C* const to = args.grad_log_probs.as<C>() + n * sample.classes;
    const auto fill = [&](std::int64_t begin, std::int64_t end, C value) {
      for (std::int64_t t = begin; t < end; ++t)
        std::fill_n(to + t * sample.step_stride, sample.classes, value);
    };
    fill(sample.steps, args.batch.steps(), 0);
    if (is_impossible(nll))
      fill(0, sample.steps, args.batch.zero_infinity ? C{0} : std::numeric_limits<C>::quiet_NaN());
    else
      detail::ctc_backward(sample, args.alphas, nll, args.grad.as<const C>()[n], to);
  });
}

}  // namespace amp::inline v0::kernels::host
