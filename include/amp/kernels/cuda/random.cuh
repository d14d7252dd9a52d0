// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Random tensors: element i takes word i % 4 of the Philox block i / 4 of its range, on every
// device and for any number of threads. A thread takes the four elements of a block.
#pragma once

#include <cstdint>
#include <limits>

#include "amp/kernels/cuda/elements.cuh"
#include "amp/kernels/functions.hpp"
#include "amp/kernels/philox.hpp"
#include "amp/kernels/signatures.hpp"

namespace amp::inline v0::kernels::cuda {

namespace detail {

/// Normal numbers come in pairs from the Box-Muller transform.
template <class C>
AMP_KERNEL void random_kernel(Output output, Distribution distribution, RandomRange range, C steps,
                              std::int64_t n) {
  namespace math = functions::math;
  for (std::int64_t block = first_element(); 4 * block < n; block += element_step()) {
    const PhiloxBlock bits = range.block(static_cast<std::uint64_t>(block));
    C values[4];
    for (int l = 0; l < 4; ++l) values[l] = uniform_float(bits.word[l]);
    if (distribution == Distribution::kUniform) {
      // As many bits as the format has digits: exact there, so that none rounds up to 1.
      for (int l = 0; l < 4; ++l) values[l] = math::floor(values[l] * steps) / steps;
    } else {
      for (int l = 0; l < 4; l += 2) {
        const C radius = math::sqrt(C{-2} * math::log(C{1} - values[l]));
        const C angle = C(6.283185307179586) * values[l + 1];
        values[l] = radius * math::cos(angle);
        values[l + 1] = radius * math::sin(angle);
      }
    }
    for (int l = 0; l < 4 && 4 * block + l < n; ++l) store<C>(output, 4 * block + l, values[l]);
  }
}

template <class C>
AMP_KERNEL void dropout_kernel(Input x, Output y, double p, C scale, RandomRange range,
                               std::int64_t n) {
  for (std::int64_t block = first_element(); 4 * block < n; block += element_step()) {
    const PhiloxBlock bits = range.block(static_cast<std::uint64_t>(block));
    for (int l = 0; l < 4 && 4 * block + l < n; ++l) {
      const bool keep = static_cast<double>(uniform_float(bits.word[l])) >= p;
      store<C>(y, 4 * block + l, keep ? load<C>(x, 4 * block + l) * scale : C{0});
    }
  }
}

}  // namespace detail

/// The output is contiguous. Uniform numbers have the bits that they have on the host, normal ones
/// but for the rounding of the device's log, cos and sin.
inline void random(const RandomArgs& args) {
  const std::int64_t n = args.output.numel();
  float steps = 0x1p24F;
  visit_dtype(args.output.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (is_small_float<T>)
      steps = static_cast<float>(1 << std::numeric_limits<T>::digits);
  });
  launch(args.output.device, grid_for(ceil_div(n, 4)), kThreads, detail::random_kernel<float>,
         args.output, args.distribution, args.range, steps, n);
}

/// The backward pass is the same function of the gradient: no mask is kept.
inline void dropout(const DropoutArgs& args) {
  const std::int64_t n = args.input.numel();
  visit_float_type(args.input.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    const C scale = args.p < 1 ? static_cast<C>(1 / (1 - args.p)) : C{0};
    launch(args.output.device, grid_for(ceil_div(n, 4)), kThreads, detail::dropout_kernel<C>,
           args.input, args.output, args.p, scale, args.range, n);
  });
}

}  // namespace amp::inline v0::kernels::cuda
