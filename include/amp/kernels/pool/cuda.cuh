// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// max_pool2d(), avg_pool2d() and their gradients on CUDA devices. Backward, each element gathers
// the gradients of the windows over it, in order: no atomics, and the same bits every time.
#pragma once

#include <cstdint>
#include <type_traits>

#include "amp/kernels/pool/args.hpp"
#include "amp/kernels/pool/cuda/paired_windows.cuh"
#include "amp/kernels/pool/cuda/single_windows.cuh"
#include "amp/kernels/pool/formula.hpp"

namespace amp::inline v0::kernels::cuda {

namespace detail {

/// `indices` is only used for maxima.
template <bool Max, class Walk>
AMP_KERNEL void __launch_bounds__(kThreads)
    pool_kernel(Walk walk, Input x, Output y, std::int32_t* indices, typename Walk::Compute scale) {
  using C = typename Walk::Compute;
  walk.for_each_windows([&](const auto& windows) {
    OfWindow<Max, C> found[Walk::kWindows];
    AMP_UNROLL
    for (int j = 0; j < Walk::kWindows; ++j) found[j].place = windows.first_place(j);
    windows.for_each_element(
        x, [&](int j, C element, std::int32_t place) { found[j].take(element, place); });
    C results[Walk::kWindows];
    std::int32_t places[Walk::kWindows];
    AMP_UNROLL
    for (int j = 0; j < Walk::kWindows; ++j) {
      results[j] = Max ? found[j].value : found[j].value * scale;
      places[j] = found[j].place + windows.origin(j);
    }
    windows.store(y, results);
    if constexpr (Max) windows.store(indices, places);
  });
}

template <bool Max, class Walk>
AMP_KERNEL void __launch_bounds__(kThreads)
    pool_backward_kernel(Walk walk, Input grad, const std::int32_t* indices, Output grad_x,
                         typename Walk::Compute scale) {
  using C = typename Walk::Compute;
  walk.template for_each_elements<Max>(grad, indices, [&](const auto& elements) {
    elements.for_each_row([&](int row) {
      C sums[Walk::kElements] = {};
      elements.for_each_gradient(row, [&](int i, C of_window) { sums[i] += of_window; });
      AMP_UNROLL
      for (int i = 0; i < Walk::kElements; ++i) sums[i] = Max ? sums[i] : sums[i] * scale;
      elements.store(row, grad_x, sums);
    });
  });
}

/// Calls visitor(walk) with the best way to go over these windows.
template <class Visitor>
void visit_windows(const Operand& images, const Operand& windows, const Window2d& window,
                   Visitor&& visitor) {
  if (PairedWindows<2>::fits(window, images, windows))
    return visitor(PairedWindows<2>(images, windows));
  if (PairedWindows<3>::fits(window, images, windows))
    return visitor(PairedWindows<3>(images, windows));
  visit_dtype(images.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (!std::is_integral_v<T>) visitor(SingleWindows<T>(images, windows, window));
  });
}

template <bool Max>
void pool(const Operand& input, const Operand& output, std::int32_t* indices,
          const Window2d& window, double scale) {
  visit_windows(input, output, window, [&](const auto& walk) {
    using Walk = std::remove_cvref_t<decltype(walk)>;
    launch(input.device, grid_for(walk.window_tiles()), kThreads, pool_kernel<Max, Walk>, walk,
           input, output, indices, static_cast<typename Walk::Compute>(scale));
  });
}
template <bool Max>
void pool_backward(const Operand& grad_output, const std::int32_t* indices,
                   const Operand& grad_input, const Window2d& window, double scale) {
  visit_windows(grad_input, grad_output, window, [&](const auto& walk) {
    using Walk = std::remove_cvref_t<decltype(walk)>;
    launch(grad_input.device, grid_for(walk.element_tiles()), kThreads,
           pool_backward_kernel<Max, Walk>, walk, grad_output, indices, grad_input,
           static_cast<typename Walk::Compute>(scale));
  });
}

}  // namespace detail

inline void max_pool2d(const MaxPool2dArgs& args) {
  detail::pool<true>(args.input, args.output, args.indices.as<std::int32_t>(), args.window, 1);
}
inline void max_pool2d_backward(const MaxPool2dBackwardArgs& args) {
  detail::pool_backward<true>(args.grad_output, args.indices.as<const std::int32_t>(),
                              args.grad_input, args.window, 1);
}
inline void avg_pool2d(const AvgPool2dArgs& args) {
  detail::pool<false>(args.input, args.output, nullptr, args.window, args.scale);
}
inline void avg_pool2d_backward(const AvgPool2dBackwardArgs& args) {
  detail::pool_backward<false>(args.grad_output, nullptr, args.grad_input, args.window, args.scale);
}

}  // namespace amp::inline v0::kernels::cuda
