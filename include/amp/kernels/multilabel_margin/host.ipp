// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "amp/core/math.hpp"
#include "amp/core/object_pool.hpp"
#include "amp/device/parallel.hpp"
#include "amp/kernels/compute_type.hpp"
#include "amp/kernels/multilabel_margin/formula.hpp"
#include "amp/kernels/multilabel_margin/host.hpp"

namespace amp::inline v0::kernels::host {

namespace detail {

/// body(n, sample) for each sample, in parallel.
template <class C, class Body>
void for_multilabel_samples(const Operand& input, const Operand& targets, const Body& body) {
  const std::int64_t samples = input.sizes[0], classes = input.sizes[1];
  constexpr std::int64_t kClassesOfThread = 4096;
  const std::int64_t grain = ceil_div(kClassesOfThread, (std::max)(classes, std::int64_t{1}));
  parallel_ranges(samples, grain, [&](std::int64_t begin, std::int64_t end) {
    amp::detail::PoolVector<std::uint8_t> is_target(static_cast<std::size_t>(classes));
    for (std::int64_t n = begin; n < end; ++n) {
      MultilabelMargin<C> sample{input.as<const C>() + n * classes,
                                 targets.as<const std::int64_t>() + n * classes, is_target.data(),
                                 classes, 0};
      std::fill(is_target.begin(), is_target.end(), std::uint8_t{0});
      for (; sample.count < classes && sample.targets[sample.count] >= 0; ++sample.count)
        is_target[static_cast<std::size_t>(sample.targets[sample.count])] = 1;
      body(n, sample);
    }
  });
}

}  // namespace detail

AMP_LAZY_DEFINITION void multilabel_margin(const MultilabelMarginArgs& args) {
  visit_float_type(args.input.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    detail::for_multilabel_samples<C>(
        args.input, args.targets, [&](std::int64_t n, const MultilabelMargin<C>& sample) {
          double sum = 0;
          for (std::int64_t c = 0; c < sample.classes; ++c)
            sum += static_cast<double>(sample.terms(c));
          args.losses.as<C>()[n] = static_cast<C>(sum / static_cast<double>(sample.classes));
        });
  });
}

AMP_LAZY_DEFINITION void multilabel_margin_backward(const MultilabelMarginBackwardArgs& args) {
  visit_float_type(args.input.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    detail::for_multilabel_samples<C>(
        args.input, args.targets, [&](std::int64_t n, const MultilabelMargin<C>& sample) {
          const C share = args.grad.as<const C>()[n] / static_cast<C>(sample.classes);
          C* const to = args.grad_input.as<C>() + n * sample.classes;
          for (std::int64_t c = 0; c < sample.classes; ++c)
            to[c] = share * static_cast<C>(sample.slope(c));
        });
  });
}

}  // namespace amp::inline v0::kernels::host
