// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "amp/kernels/optim/adadelta.hpp"
#include "amp/kernels/optim/adafactor.hpp"
#include "amp/kernels/optim/adagrad.hpp"
#include "amp/kernels/optim/adam.hpp"
#include "amp/kernels/optim/adamax.hpp"
#include "amp/kernels/optim/args.hpp"
#include "amp/kernels/optim/average.hpp"
#include "amp/kernels/optim/coefficients.hpp"
#include "amp/kernels/optim/grad_scale.hpp"
#include "amp/kernels/optim/host.hpp"
#include "amp/kernels/optim/host/step_block.hpp"
#include "amp/kernels/optim/host/step_loop.hpp"
#include "amp/kernels/optim/host/trust_ratio.hpp"
#include "amp/kernels/optim/lamb.hpp"
#include "amp/kernels/optim/lion.hpp"
#include "amp/kernels/optim/muon.hpp"
#include "amp/kernels/optim/nadam.hpp"
#include "amp/kernels/optim/radam.hpp"
#include "amp/kernels/optim/rmsprop.hpp"
#include "amp/kernels/optim/scheduled_rate.hpp"
#include "amp/kernels/optim/sgd.hpp"
#include "amp/kernels/traversal/host/chunks.hpp"

namespace amp::inline v0::kernels::host {

namespace detail {

/// From so many parameters on, a step uses more memory than a cache keeps until the next forward
/// pass.
inline constexpr std::int64_t kBeyondCaches = std::int64_t{1} << 22;

/// Steps elements [begin, end), at most a chunk.
template <class C, std::size_t kStates, class Rule>
void step_chunk(const StepRow<Rule>& row, std::int64_t begin, std::int64_t end) {
  const StepLoop<Rule, C, kStates> loop{.factor = static_cast<C>(row.factor),
                                        .coefficients = row.template coefficients<C>(),
                                        .rule = row.group->rule,
                                        .streams = row.streams};
  for (std::int64_t at = begin; at < end; at += kBlock) {
    const std::int64_t n = (std::min)(kBlock, end - at);
    StepBlock<C, Rule> block(row, at, n);
    loop.run(block.gradients, block.weights.values, block.states, block.weights.copy(), n);
    block.write();
    if (row.group->zero_grad) row.zero_gradient(at, n);
  }
}

template <class C, class Rule>
void step_chunk(const StepRow<Rule>& row, std::int64_t begin, std::int64_t end) {
  constexpr int kPlain = plain_states<Rule>();
  if constexpr (kPlain < Rule::kStates) {
    if (keeps_more(row.group->rule)) return step_chunk<C, Rule::kStates>(row, begin, end);
  }
  step_chunk<C, kPlain>(row, begin, end);
}

}  // namespace detail

template <class Rule>
void optimizer_step(const OptimizerArgs<Rule>& args) {
  const bool skip = args.scale.skips();
  std::int64_t count = 0;
  for (std::int64_t g = 0; g < args.count; ++g) count += args.groups[g].count;
  const HostBuffer<detail::StepRow<Rule>> rows(count);
  count = 0;
  for (std::int64_t g = 0; g < args.count; ++g) {
    const auto& [parameters, size, settings] = args.groups[g];
    const double rate = scheduled_rate(settings.lr, *args.applied);
    for (std::int64_t i = 0; i < size; ++i) {
      const double factor = settings.factor(args.scale, parameters[i].gradient_dtype);
      rows[count++] = {&settings, &parameters[i], rate, factor, *args.applied};
    }
  }
  const detail::Chunks chunks(count, [&](std::int64_t i) { return rows[i].p->numel; });
  const bool streams = chunks.elements() >= detail::kBeyondCaches;
  for (std::int64_t i = 0; i < count; ++i) rows[i].streams = streams;
  if constexpr (kTrusts<Rule>) {
    if (!skip) detail::trust(rows, count, chunks);
  }
  chunks.for_each([&](std::int64_t i, std::int64_t, std::int64_t begin, std::int64_t end) {
    const detail::StepRow<Rule>& row = rows[i];
    if (skip) {
      if (row.group->zero_grad) row.zero_gradient(begin, end - begin);
      return;
    }
    row.p->dtype == kFloat64 ? detail::step_chunk<double>(row, begin, end)
                             : detail::step_chunk<float>(row, begin, end);
    if (streams) simd::fence_stores();
  });
  if (skip) return;
  for (std::int64_t i = 0; i < count; ++i) count_step(*rows[i].p, rows[i].group->rule);
  ++*args.applied;
}

#if !AMP_HEADER_ONLY
template void optimizer_step(const OptimizerArgs<SgdRule>& args);
template void optimizer_step(const OptimizerArgs<AdamRule>& args);
template void optimizer_step(const OptimizerArgs<LionRule>& args);
template void optimizer_step(const OptimizerArgs<LambRule>& args);
template void optimizer_step(const OptimizerArgs<RMSpropRule>& args);
template void optimizer_step(const OptimizerArgs<AdagradRule>& args);
template void optimizer_step(const OptimizerArgs<AdadeltaRule>& args);
template void optimizer_step(const OptimizerArgs<AdamaxRule>& args);
template void optimizer_step(const OptimizerArgs<NAdamRule>& args);
template void optimizer_step(const OptimizerArgs<RAdamRule>& args);
template void optimizer_step(const OptimizerArgs<MuonRule>& args);
template void optimizer_step(const OptimizerArgs<AdafactorRule>& args);
template void optimizer_step(const OptimizerArgs<AverageRule>& args);
#endif

}  // namespace amp::inline v0::kernels::host
