// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "amp/core/function_ref.hpp"
#include "amp/core/math.hpp"
#include "amp/device/host_memory.hpp"
#include "amp/device/parallel.hpp"
#include "amp/kernels/grid_sample/formula.hpp"
#include "amp/kernels/grid_sample/host.hpp"
#include "amp/kernels/traversal/host/block.hpp"
#include "amp/kernels/traversal/host/rows.hpp"

namespace amp::inline v0::kernels::host {

namespace detail {

/// The samples of some channels, whose planes lie one after the other: together, since they see the
/// same elements with the same weights.
template <int Channels>
struct SamplePlanes : simd::UpToAvx2 {
  template <class Isa, class C, class Count>
  AMP_ALWAYS_INLINE static void run(const std::int64_t* place, const C* weight, Count count,
                                    const C* planes, std::int64_t elements, std::int64_t n,
                                    C* samples, std::int64_t distance) {
    constexpr auto kCount = static_cast<std::size_t>(Channels);
    const C* plane[kCount];
    for (int c = 0; c < Channels; ++c) plane[c] = planes + c * elements;
    for (std::int64_t i = 0; i < n; ++i, place += count, weight += count) {
      C sums[kCount] = {};
      for (int k = 0; k < count; ++k) {
        if (place[k] < 0) continue;
        for (int c = 0; c < Channels; ++c) sums[c] += weight[k] * plane[c][place[k]];
      }
      for (int c = 0; c < Channels; ++c) samples[c * distance + i] = sums[c];
    }
  }
};

/// The elements that a few points see, and their weights: `count` for each point.
template <class C>
struct SampledBlock {
  // So many that elements in the cache are used again, so few that these arrays stay there.
  static constexpr std::int64_t kPoints = 256, kElements = 1024;

  std::int64_t offset[kElements];
  C weight[kElements];
  int count = 1;
  bool inside = true;  // whether all lie within their image

  void find(const SampledShape& shape, const SamplingRule& rule, const C* grid, std::int64_t n) {
    const auto find_in = [&](auto mode) {  // a constant
      SamplingRule known = rule;
      known.mode = mode;
      std::int64_t at = 0;
      inside = true;
      for (std::int64_t p = 0; p < n; ++p, grid += shape.dims) {
        const auto load = [grid](int d) { return grid[d]; };
        for_each_seen<C>(shape, known, load, [&](const SeenElement<C>& seen) {
          offset[at] = seen.place;
          weight[at++] = seen.weight();
          inside = inside && seen.place >= 0;
        });
      }
    };
    using Mode = SamplingRule::Mode;
    if (rule.mode == SamplingRule::kBilinear)
      return find_in(std::integral_constant<Mode, SamplingRule::kBilinear>());
    if (rule.mode == SamplingRule::kNearest)
      return find_in(std::integral_constant<Mode, SamplingRule::kNearest>());
    find_in(std::integral_constant<Mode, SamplingRule::kBicubic>());
  }

  /// Calls body with `count` as a constant.
  template <class Body>
  void with_count(Body body) const {
    if (count == 4) return body(std::integral_constant<int, 4>{});
    if (count == 8) return body(std::integral_constant<int, 8>{});
    if (count == 16) return body(std::integral_constant<int, 16>{});
    body(std::integral_constant<int, 1>{});
  }
  /// Adds the gradients of the samples of one channel.
  template <bool Inside, int Count>
  void add(const C* gradients, std::int64_t n, C* image) const {
    const std::int64_t* place = offset;
    const C* w = weight;
    for (std::int64_t i = 0; i < n; ++i, place += Count, w += Count) {
      for (int k = 0; k < Count; ++k) {
        if (Inside || place[k] >= 0) image[place[k]] += w[k] * gradients[i];
      }
    }
  }
};

/// Calls body(image, first channel, channels) for groups of channels, in parallel: as few as occupy
/// the threads, since each group searches for its elements.
inline void for_channel_groups(const SampledShape& shape,
                               FunctionRef<void(std::int64_t, std::int64_t, std::int64_t)> body) {
  constexpr std::int64_t kFewest = 8;
  const std::int64_t wanted = ceil_div(2 * std::int64_t{num_threads()}, shape.batch);
  const std::int64_t together =
      (std::min)((std::max)(ceil_div(shape.channels, wanted), kFewest), shape.channels);
  const std::int64_t groups = ceil_div(shape.channels, together);
  parallel_ranges(shape.batch * groups, ceil_div(4 * kBlock, shape.points * together),
                  [&](std::int64_t begin, std::int64_t end) {
                    for (std::int64_t i = begin; i < end; ++i) {
                      const std::int64_t first = i % groups * together;
                      body(i / groups, first, (std::min)(together, shape.channels - first));
                    }
                  });
}

/// Calls body(first point, points, elements that they see) for an image's blocks of points, in
/// order.
template <class C, class Body>
void for_point_blocks(const SampledShape& shape, const SamplingRule& rule, const Operand& grid,
                      std::int64_t image, Body body) {
  SampledBlock<C> block;
  C coordinates[static_cast<std::size_t>(3 * block.kPoints)];
  block.count = seen_elements(shape, rule);
  const std::int64_t points = (std::min)(block.kPoints, block.kElements / block.count);
  for (std::int64_t p = 0; p < shape.points; p += points) {
    const std::int64_t n = (std::min)(points, shape.points - p);
    const std::int64_t at = (image * shape.points + p) * shape.dims;
    block.find(shape, rule, fetch(grid, at, 1, n * shape.dims, coordinates), n);
    body(p, n, block);
  }
}

template <class C>
void sample(const GridSampleArgs& args, const SampledShape& shape) {
  for_channel_groups(shape, [&](std::int64_t image, std::int64_t first, std::int64_t channels) {
    const std::int64_t plane = image * shape.channels + first;
    const bool is_wide = args.input.dtype == dtype_of<C>;
    const HostBuffer<C> buffer(is_wide ? 0 : channels * shape.elements);
    const C* const x =
        fetch(args.input, plane * shape.elements, 1, channels * shape.elements, buffer.data());
    const auto sample_block = [&](std::int64_t p, std::int64_t n, const SampledBlock<C>& block) {
      block.with_count([&](auto count) {
        constexpr std::int64_t kMost = 8, kPoints = SampledBlock<C>::kPoints;
        C samples[static_cast<std::size_t>(kMost * kPoints)];
        std::int64_t c = 0;
        const auto sample_next = [&](auto together) {
          for (; c + together <= channels; c += together) {
            on_rows<SamplePlanes<together>, C>(block.offset, block.weight, count,
                                               x + c * shape.elements, shape.elements, n, samples,
                                               kPoints);
            for (std::int64_t k = 0; k < together; ++k)
              store(samples + k * kPoints, args.output, (plane + c + k) * shape.points + p, 1, n);
          }
        };
        sample_next(std::integral_constant<int, kMost>{});
        sample_next(std::integral_constant<int, 1>{});
      });
    };
    for_point_blocks<C>(shape, args.rule, args.grid, image, sample_block);
  });
}

template <class C>
void sample_backward_input(const GridSampleBackwardArgs& args, const SampledShape& shape) {
  for_channel_groups(shape, [&](std::int64_t image, std::int64_t first, std::int64_t channels) {
    const std::int64_t plane = image * shape.channels + first, n = channels * shape.elements;
    const bool is_wide = args.grad_input.dtype == dtype_of<C>;
    const HostBuffer<C> buffer(is_wide ? 0 : n);
    C* const sums = target(args.grad_input, plane * shape.elements, 1, n, buffer.data());
    std::fill_n(sums, n, C{0});
    const auto add_block = [&](std::int64_t p, std::int64_t points, const SampledBlock<C>& block) {
      block.with_count([&](auto count) {
        C buffer_of_block[SampledBlock<C>::kPoints];
        for (std::int64_t c = 0; c < channels; ++c) {
          const std::int64_t at = (plane + c) * shape.points + p;
          const C* const grad = fetch(args.grad_output, at, 1, points, buffer_of_block);
          C* const to = sums + c * shape.elements;
          if (block.inside)
            block.template add<true, count>(grad, points, to);
          else
            block.template add<false, count>(grad, points, to);
        }
      });
    };
    for_point_blocks<C>(shape, args.rule, args.grid, image, add_block);
    store(sums, args.grad_input, plane * shape.elements, 1, n);
  });
}

template <class C>
void sample_backward_grid(const GridSampleBackwardArgs& args, const SampledShape& shape) {
  const bool is_wide = args.input.dtype == dtype_of<C>;
  const HostBuffer<C> buffer(is_wide ? 0 : shape.batch * shape.channels * shape.elements);
  if (!is_wide) {
    parallel_ranges(shape.batch * shape.channels, ceil_div(16 * kBlock, shape.elements),
                    [&](std::int64_t begin, std::int64_t end) {
                      fetch(args.input, begin * shape.elements, 1, (end - begin) * shape.elements,
                            buffer.data() + begin * shape.elements);
                    });
  }
  const C* const x = is_wide ? args.input.as<const C>() : buffer.data();
  constexpr std::int64_t kPoints = 64;
  const std::int64_t blocks = ceil_div(shape.points, kPoints);
  const std::int64_t grain =
      ceil_div(4 * kBlock, kPoints * (std::max)(shape.channels, std::int64_t{1}));
  parallel_ranges(shape.batch * blocks, grain, [&](std::int64_t begin, std::int64_t end) {
    const HostBuffer<C> rows(shape.channels * kPoints);
    for (std::int64_t block = begin; block < end; ++block) {
      const std::int64_t image = block / blocks, p = block % blocks * kPoints;
      const std::int64_t n = (std::min)(kPoints, shape.points - p);
      const std::int64_t at = (image * shape.points + p) * shape.dims;
      C coordinates[static_cast<std::size_t>(3 * kPoints)],
          results[static_cast<std::size_t>(3 * kPoints)];
      const C* const grid = fetch(args.grid, at, 1, n * shape.dims, coordinates);
      for (std::int64_t c = 0; c < shape.channels; ++c) {
        C* const row = rows.data() + c * kPoints;
        const C* const grad =
            fetch(args.grad_output, (image * shape.channels + c) * shape.points + p, 1, n, row);
        if (grad != row) std::copy_n(grad, n, row);
      }
      for (std::int64_t i = 0; i < n; ++i) {
        const C* const g = grid + i * shape.dims;
        C sums[3] = {};
        const auto load = [g](int d) { return g[d]; };
        for_each_seen<C>(shape, args.rule, load, [&](const SeenElement<C>& seen) {
          if (seen.place < 0) return;
          const C* from = x + image * shape.channels * shape.elements + seen.place;
          const C* row = rows.data() + i;
          C product = 0;
          for (std::int64_t c = 0; c < shape.channels; ++c, from += shape.elements, row += kPoints)
            product += *from * *row;
          seen.add_slopes(product, sums);
        });
        for (int d = 0; d < shape.dims; ++d) results[i * shape.dims + d] = sums[d];
      }
      store(results, args.grad_grid, at, 1, n * shape.dims);
    }
  });
}

}  // namespace detail

AMP_LAZY_DEFINITION void grid_sample(const GridSampleArgs& args) {
  const SampledShape shape(args.input, args.grid);
  visit_float_type(args.input.dtype,
                   [&](auto tag) { detail::sample<typename decltype(tag)::type>(args, shape); });
}

AMP_LAZY_DEFINITION void grid_sample_backward(const GridSampleBackwardArgs& args) {
  const SampledShape shape(args.input, args.grid);
  visit_float_type(args.input.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    if (args.grad_input.present) detail::sample_backward_input<C>(args, shape);
    if (args.grad_grid.present) detail::sample_backward_grid<C>(args, shape);
  });
}

}  // namespace amp::inline v0::kernels::host
