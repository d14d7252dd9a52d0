// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Sampling images at the points of a grid on CUDA devices. Backward, the elements that points see
// are sorted; then each element of the image adds the gradients of its points in their order, so
// that the bits are the same every time.
#pragma once

#include <cub/device/device_radix_sort.cuh>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "amp/core/error.hpp"
#include "amp/kernels/compute_type.hpp"
#include "amp/kernels/grid_sample/args.hpp"
#include "amp/kernels/grid_sample/formula.hpp"
#include "amp/kernels/traversal/cuda/cub_call.cuh"
#include "amp/kernels/traversal/cuda/elements.cuh"
#include "amp/kernels/traversal/cuda/scratch.cuh"
#include "amp/kernels/traversal/divider.hpp"
#include "amp/kernels/traversal/search.hpp"

namespace amp::inline v0::kernels::cuda {

namespace detail {

/// Channels that a thread samples at a point.
inline constexpr int kSampledChannels = 8;
/// Blocks that a multiprocessor holds: as many as leave each thread registers for all that a point
/// sees. ptxas would save some by its own choice, and spill.
template <class C>
inline constexpr int kResident = sizeof(C) == sizeof(double) ? 2 : 3;

/// Calls body(SeenElement) with what point p of all images sees.
template <class C, class T, class Body>
__device__ __forceinline__ void for_each_seen_by(const SampledShape& shape,
                                                 const SamplingRule& rule, const T* grid,
                                                 std::int64_t p, const Body& body) {
  const T* const at = grid + p * shape.dims;
  for_each_seen<C>(
      shape, rule, [at](int d) { return convert_to<C>(at[d]); }, body);
}

template <class T, class C>
AMP_KERNEL void __launch_bounds__(kThreads, kResident<C>)
    grid_sample_kernel(SampledShape shape, SamplingRule rule, std::int64_t n, Divider by_points,
                       Divider by_groups, const T* x, const T* grid, T* y) {
  for (std::int64_t i = first_element(); i < n; i += element_step()) {
    std::int64_t image = i;
    const std::int64_t p = by_points.take_remainder(image);
    const std::int64_t group = by_groups.take_remainder(image);
    const std::int64_t first = group * kSampledChannels;
    const auto channels = static_cast<int>(
        functions::smaller(shape.channels - first, std::int64_t{kSampledChannels}));
    const T* const planes = x + (image * shape.channels + first) * shape.elements;
    C sums[kSampledChannels] = {};
    for_each_seen_by<C>(shape, rule, grid, image * shape.points + p,
                        [&](const SeenElement<C>& seen) {
                          if (seen.place < 0) return;
                          const C weight = seen.weight();
                          const T* at = planes + seen.place;
                          AMP_UNROLL
                          for (int c = 0; c < kSampledChannels; ++c, at += shape.elements)
                            if (c < channels) sums[c] += weight * convert_to<C>(*at);
                        });
    T* out = y + (image * shape.channels + first) * shape.points + p;
    AMP_UNROLL
    for (int c = 0; c < kSampledChannels; ++c, out += shape.points)
      if (c < channels) *out = convert_to<T>(sums[c]);
  }
}

/// A thread has one point.
template <class T, class C>
AMP_KERNEL void __launch_bounds__(kThreads, kResident<C>)
    grid_gradient_kernel(SampledShape shape, SamplingRule rule, std::int64_t n, Divider by_points,
                         const T* grad, const T* x, const T* grid, T* grad_grid) {
  for (std::int64_t i = first_element(); i < n; i += element_step()) {
    std::int64_t image = i;
    const std::int64_t p = by_points.take_remainder(image);
    C sums[3] = {};
    for_each_seen_by<C>(shape, rule, grid, i, [&](const SeenElement<C>& seen) {
      if (seen.place < 0) return;
      C product = 0;
      for (std::int64_t c = image * shape.channels; c < (image + 1) * shape.channels; ++c) {
        product += convert_to<C>(x[c * shape.elements + seen.place]) *
                   convert_to<C>(grad[c * shape.points + p]);
      }
      seen.add_slopes(product, sums);
    });
    AMP_UNROLL
    for (int d = 0; d < 3; ++d)
      if (d < shape.dims) grad_grid[i * shape.dims + d] = convert_to<T>(sums[d]);
  }
}

/// What the points of a few images see: the element, counted over these images, the number of the
/// entry, and the weight. Elements beyond the images have the number of all elements.
template <class T, class C>
AMP_KERNEL void __launch_bounds__(kThreads)
    seen_elements_kernel(SampledShape shape, SamplingRule rule, std::int64_t n, int count,
                         Divider by_points, const T* grid, std::uint32_t* elements,
                         std::uint32_t* entries, C* weights) {
  const auto beyond = static_cast<std::uint32_t>(n / shape.points * shape.elements);
  for (std::int64_t i = first_element(); i < n; i += element_step()) {
    const std::int64_t image = by_points.quotient(i);
    std::int64_t entry = i * count;
    for_each_seen_by<C>(shape, rule, grid, i, [&](const SeenElement<C>& seen) {
      elements[entry] =
          seen.place < 0 ? beyond : static_cast<std::uint32_t>(image * shape.elements + seen.place);
      entries[entry] = static_cast<std::uint32_t>(entry);
      weights[entry++] = seen.weight();
    });
  }
}

/// begin[e]: the first of the sorted elements that is not below e.
template <class Index>
AMP_KERNEL void __launch_bounds__(kThreads)
    seen_ranges_kernel(const std::uint32_t* elements, std::int64_t entries, std::int64_t n,
                       Index* begin) {
  for (std::int64_t e = first_element(); e < n; e += element_step()) {
    const auto element = static_cast<std::uint32_t>(e);
    begin[e] = static_cast<Index>(search_boundaries(elements, entries, element, false));
  }
}

/// A thread has one element of grad_x.
template <class T, class C>
AMP_KERNEL void __launch_bounds__(kThreads, 6)
    image_gradient_kernel(SampledShape shape, std::int64_t n, Divider by_elements,
                          Divider by_channels, Divider by_seen, const std::uint32_t* begin,
                          const std::uint32_t* entries, const C* weights, const T* grad,
                          T* grad_x) {
  for (std::int64_t i = first_element(); i < n; i += element_step()) {
    std::int64_t plane = i;
    const std::int64_t at = by_elements.take_remainder(plane);
    const std::int64_t image = by_channels.quotient(plane);
    const std::int64_t element = image * shape.elements + at;
    C sum = 0;
    for (std::int64_t k = begin[element]; k < begin[element + 1]; ++k) {
      const std::int64_t point = by_seen.quotient(entries[k]) - image * shape.points;
      sum += weights[entries[k]] * convert_to<C>(grad[plane * shape.points + point]);
    }
    grad_x[i] = convert_to<T>(sum);
  }
}

/// The gradient by the images [first, first + count) of the input.
template <class T, class C>
void image_gradients(const GridSampleBackwardArgs& args, const SampledShape& shape,
                     std::int64_t first, std::int64_t count, int seen) {
  const Device device = args.input.device;
  const std::int64_t points = count * shape.points, entries = points * seen;
  const std::int64_t elements = count * shape.elements;
  const Scratch<std::uint32_t> keys(device, 2 * entries), numbers(device, 2 * entries),
      begin(device, elements + 1);
  const Scratch<C> weights(device, entries);
  launch(device, grid_for(points), kThreads, seen_elements_kernel<T, C>, shape, args.rule, points,
         seen, Divider(shape.points), args.grid.as<const T>() + first * shape.points * shape.dims,
         keys.data(), numbers.data(), weights.data());
  cub::DoubleBuffer<std::uint32_t> sorted(keys.data(), keys.data() + entries);
  cub::DoubleBuffer<std::uint32_t> order(numbers.data(), numbers.data() + entries);
  const auto bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(elements)));
  cub_call(device, [&](void* storage, std::size_t& bytes, auto stream) {
    return cub::DeviceRadixSort::SortPairs(storage, bytes, sorted, order,
                                           static_cast<std::int32_t>(entries), 0, bits, stream);
  });
  launch(device, grid_for(elements + 1), kThreads, seen_ranges_kernel<std::uint32_t>,
         sorted.Current(), entries, elements + 1, begin.data());
  const std::int64_t n = elements * shape.channels, plane = first * shape.channels;
  launch(device, grid_for(n), kThreads, image_gradient_kernel<T, C>, shape, n,
         Divider(shape.elements), Divider(shape.channels), Divider(seen), begin.data(),
         order.Current(), weights.data(), args.grad_output.as<const T>() + plane * shape.points,
         args.grad_input.as<T>() + plane * shape.elements);
}

}  // namespace detail

inline void grid_sample(const GridSampleArgs& args) {
  const SampledShape shape(args.input, args.grid);
  const std::int64_t groups = ceil_div(shape.channels, detail::kSampledChannels);
  const std::int64_t n = shape.batch * groups * shape.points;
  visit_floating(args.input.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using C = ComputeOf<T>;
    launch(args.input.device, grid_for(n), kThreads, detail::grid_sample_kernel<T, C>, shape,
           args.rule, n, Divider(shape.points), Divider(groups), args.input.as<const T>(),
           args.grid.as<const T>(), args.output.as<T>());
  });
}

inline void grid_sample_backward(const GridSampleBackwardArgs& args) {
  const SampledShape shape(args.input, args.grid);
  const int seen = seen_elements(shape, args.rule);
  const std::int64_t n = shape.batch * shape.points;
  // As many images at a time as 31 bits count elements and entries.
  constexpr std::int64_t kMost = (std::numeric_limits<std::int32_t>::max)();
  const std::int64_t together = kMost / (std::max)(shape.points * seen, shape.elements + 1);
  AMP_CHECK(!args.grad_input.present || together > 0,
            "grid_sample: on CUDA, an image that requires a gradient has fewer than 2^31 elements, "
            "as have the points of a grid together");
  visit_floating(args.input.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using C = ComputeOf<T>;
    if (args.grad_grid.present) {
      launch(args.input.device, grid_for(n), kThreads, detail::grid_gradient_kernel<T, C>, shape,
             args.rule, n, Divider(shape.points), args.grad_output.as<const T>(),
             args.input.as<const T>(), args.grid.as<const T>(), args.grad_grid.as<T>());
    }
    if (!args.grad_input.present) return;
    for (std::int64_t first = 0; first < shape.batch; first += together) {
      detail::image_gradients<T, C>(args, shape, first, (std::min)(together, shape.batch - first),
                                    seen);
    }
  });
}

}  // namespace amp::inline v0::kernels::cuda
