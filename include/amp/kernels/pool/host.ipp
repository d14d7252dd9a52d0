// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <new>
#include <type_traits>

#include "amp/core/function_ref.hpp"
#include "amp/core/math.hpp"
#include "amp/kernels/pool/host.hpp"
#include "amp/kernels/pool/host/channels_last.hpp"

namespace amp::inline v0::kernels::host {

namespace detail {

/// Takes the maxima over one row of an image, together with those of the rows before it. `stride`
/// is that of the windows, a constant if it can be one.
struct MaximaOfPixels {
  template <class Isa, class C, class Stride>
  AMP_ALWAYS_INLINE static void run(const WindowRow* row, Stride stride, bool is_first, const C* in,
                                    C* __restrict maxima, std::int32_t* __restrict places) {
    const PoolWindow& window = row->window;
    std::int64_t first = is_first ? row->count : 0;  // windows from it on have an element
    for (std::int64_t k = 0; k < window.kernel[1]; ++k) {
      const std::int64_t offset = k * window.dilation[1] - window.padding[1];
      const std::int64_t begin = offset < 0 ? ceil_div(-offset, stride) : 0;
      const std::int64_t end = (std::min)(row->count, ceil_div(row->width - offset, stride));
      const auto step = static_cast<std::int32_t>(stride),
                 at = static_cast<std::int32_t>(row->h * row->width + offset);
      for (std::int64_t i = begin; i < first; ++i) {
        maxima[i] = in[i * stride + offset];
        places[i] = at + static_cast<std::int32_t>(i) * step;
      }
      for (std::int64_t i = (std::max)(begin, first); i < end; ++i)
        take(in[i * stride + offset], at + static_cast<std::int32_t>(i) * step, maxima[i],
             places[i]);
      first = (std::min)(first, begin);
    }
  }
};
/// The same of rows that are short: what AVX-512 leaves of them takes longer than it saves.
struct MaximaOfFewPixels : MaximaOfPixels, simd::UpToAvx2 {};

/// The columns that the windows of a row see, and their number as a mean counts them. The same for
/// all rows.
class ColumnsOfWindows {
 public:
  struct Columns {
    WindowRange seen;
    std::int64_t counted;
  };
  ColumnsOfWindows(const PoolSizes& s, const PoolWindow& window, bool counts_padding)
      : columns_(s.out_w) {
    for (std::int64_t w = 0; w < s.out_w; ++w) {
      new (columns_.data() + w) Columns{WindowRange(w, s.width, window, 1),
                                        counted(w, s.width, window, 1, counts_padding)};
    }
  }
  const Columns& operator[](std::int64_t window) const { return columns_[window]; }

 private:
  const HostBuffer<Columns> columns_;
};

/// What a window sees, and by which number a mean of it divides.
struct SeenByWindow {
  const WindowRange &slices, &rows, &columns;
  std::int64_t counted;

  /// The factor of its sum.
  template <class C>
  C scale(const PoolScale& scale) const {
    return scale.of_all != 0 ? static_cast<C>(scale.of_all) : C{1} / static_cast<C>(counted);
  }
};

/// Calls body(number of the window, what it sees) for every window of a plane, in order.
template <class Body>
void for_each_window(const PoolSizes& s, const PoolWindow& window, const ColumnsOfWindows& all,
                     bool counts_padding, Body body) {
  std::int64_t i = 0;
  for (std::int64_t od = 0; od < s.out_slices; ++od) {
    const WindowRange slices(od, s.slices, window, 2);
    const std::int64_t counted_slices = counted(od, s.slices, window, 2, counts_padding);
    for (std::int64_t oh = 0; oh < s.out_h; ++oh) {
      const WindowRange rows(oh, s.height, window, 0);
      const std::int64_t counted_rows =
          counted_slices * counted(oh, s.height, window, 0, counts_padding);
      for (std::int64_t ow = 0; ow < s.out_w; ++ow, ++i) {
        const auto& columns = all[ow];
        body(i, SeenByWindow{slices, rows, columns.seen, counted_rows * columns.counted});
      }
    }
  }
}
/// Calls body(position) for every element that a window sees, in order.
template <class Body>
AMP_ALWAYS_INLINE void for_each_element(const PoolSizes& s, const SeenByWindow& seen, Body body) {
  const WindowRange slices = seen.slices, rows = seen.rows, columns = seen.columns;
  for (std::int64_t z = slices.begin; z < slices.end; z += slices.step) {
    for (std::int64_t h = rows.begin; h < rows.end; h += rows.step) {
      const std::int64_t row = (z * s.height + h) * s.width;
      for (std::int64_t x = columns.begin; x < columns.end; x += columns.step) body(row + x);
    }
  }
}

template <class C, class Stride>
void max_pool_plane(const PoolSizes& s, const PoolWindow& window, Stride stride, const C* in,
                    C* out, std::int32_t* indices) {
  for (std::int64_t row = 0; row < s.out_slices * s.out_h; ++row) {
    bool is_first = true;
    for_each_row_of_image(s, s.window_at(row), window, [&](std::int64_t, std::int64_t h) {
      const WindowRow windows{window, s.out_w, h, s.width, 1};
      const C* const pixels = in + h * s.width;
      if (s.out_w > 2 * kWidest)
        on_rows<MaximaOfPixels, C>(&windows, stride, is_first, pixels, out, indices);
      else
        on_rows<MaximaOfFewPixels, C>(&windows, stride, is_first, pixels, out, indices);
      is_first = false;
    });
    out += s.out_w;
    indices += s.out_w;
  }
}
template <class C>
void max_pool_plane(const PoolSizes& s, const PoolWindow& window, const C* in, C* out,
                    std::int32_t* indices) {
  const std::int64_t stride = window.stride[1];
  if (window.is_adaptive) {
    const ColumnsOfWindows columns(s, window, false);
    for_each_window(s, window, columns, false, [&](std::int64_t i, const SeenByWindow& seen) {
      const std::int64_t first =
          (seen.slices.begin * s.height + seen.rows.begin) * s.width + seen.columns.begin;
      C maximum = in[first];
      auto place = static_cast<std::int32_t>(first);
      for_each_element(s, seen, [&](std::int64_t at) {
        take(in[at], static_cast<std::int32_t>(at), maximum, place);
      });
      out[i] = maximum;
      indices[i] = place;
    });
  } else if (stride == 2) {  // as in most networks: a constant, so that loops vectorise
    constexpr std::integral_constant<std::int64_t, 2> kTwo;
    max_pool_plane(s, window, kTwo, in, out, indices);
  } else {
    max_pool_plane(s, window, stride, in, out, indices);
  }
}

/// Processes whole planes in the compute type, in parallel: body(plane, in, out) reads one and fills
/// the other.
template <class C>
[[gnu::noinline]] void for_each_plane_of(
    const Operand& input, const Operand& output,
    FunctionRef<void(std::int64_t plane, const C* in, C* out)> body) {
  const std::int64_t in_size = input.sizes[2] * input.sizes[3];
  const std::int64_t out_size = output.sizes[2] * output.sizes[3];
  parallel_ranges(
      input.sizes[0] * input.sizes[1], ceil_div(16 * kBlock, (std::max)(in_size, out_size)),
      [&](std::int64_t begin, std::int64_t end) {
        const HostBuffer<C> in_buffer(in_size), out_buffer(out_size);
        for (std::int64_t plane = begin; plane < end; ++plane) {
          const C* const in = fetch(input, plane * in_size, 1, in_size, in_buffer.data());
          C* const out = target(output, plane * out_size, 1, out_size, out_buffer.data());
          body(plane, in, out);
          store(out, output, plane * out_size, 1, out_size);
        }
      });
}
template <class Body>
void for_each_plane(const Operand& input, const Operand& output, Body body) {
  visit_float_type(input.dtype, [&](auto tag) {
    for_each_plane_of<typename decltype(tag)::type>(input, output, body);
  });
}

}  // namespace detail

AMP_LAZY_DEFINITION void max_pool2d(const MaxPool2dArgs& args) {
  if (detail::lie_channels_last(args.input, args.output))
    return detail::max_pool2d_channels_last(args);
  const detail::PoolSizes s(args.input, args.output, args.window);
  const std::int64_t out_plane = args.output.sizes[2] * args.output.sizes[3];
  detail::for_each_plane(args.input, args.output, [&](std::int64_t plane, auto* in, auto* out) {
    detail::max_pool_plane(s, args.window, in, out,
                           args.indices.as<std::int32_t>() + plane * out_plane);
  });
}
AMP_LAZY_DEFINITION void max_pool2d_backward(const MaxPool2dBackwardArgs& args) {
  if (detail::lie_channels_last(args.grad_output, args.grad_input))
    return detail::max_pool2d_backward_channels_last(args);
  const std::int64_t in_plane = args.grad_input.sizes[2] * args.grad_input.sizes[3];
  const std::int64_t out_plane = args.grad_output.sizes[2] * args.grad_output.sizes[3];
  detail::for_each_plane(args.grad_output, args.grad_input,
                         [&](std::int64_t plane, auto* grad, auto* grad_input) {
                           const std::int32_t* const indices =
                               args.indices.as<const std::int32_t>() + plane * out_plane;
                           using C = std::remove_reference_t<decltype(*grad_input)>;
                           std::fill_n(grad_input, in_plane, C{0});
                           for (std::int64_t i = 0; i < out_plane; ++i)
                             grad_input[indices[i]] += grad[i];
                         });
}

AMP_LAZY_DEFINITION void avg_pool2d(const AvgPool2dArgs& args) {
  if (detail::lie_channels_last(args.input, args.output))
    return detail::avg_pool2d_channels_last(args);
  const detail::PoolSizes s(args.input, args.output, args.window);
  const bool counts_padding = args.scale.counts_padding;
  const detail::ColumnsOfWindows columns(s, args.window, counts_padding);
  detail::for_each_plane(args.input, args.output, [&](std::int64_t, auto* in, auto* out) {
    using C = std::remove_reference_t<decltype(*out)>;
    detail::for_each_window(s, args.window, columns, counts_padding,
                            [&](std::int64_t i, const detail::SeenByWindow& seen) {
                              C sum = 0;
                              detail::for_each_element(s, seen,
                                                       [&](std::int64_t at) { sum += in[at]; });
                              out[i] = sum * seen.scale<C>(args.scale);
                            });
  });
}
AMP_LAZY_DEFINITION void avg_pool2d_backward(const AvgPool2dBackwardArgs& args) {
  if (detail::lie_channels_last(args.grad_output, args.grad_input))
    return detail::avg_pool2d_backward_channels_last(args);
  const detail::PoolSizes s(args.grad_input, args.grad_output, args.window);
  const std::int64_t in_plane = s.rows() * s.width;
  const bool has_one_scale = args.scale.of_all != 0, counts_padding = args.scale.counts_padding;
  const detail::ColumnsOfWindows columns(s, args.window, counts_padding);
  detail::for_each_plane(
      args.grad_output, args.grad_input, [&](std::int64_t, auto* grad, auto* grad_input) {
        using C = std::remove_reference_t<decltype(*grad_input)>;
        std::fill_n(grad_input, in_plane, C{0});
        detail::for_each_window(
            s, args.window, columns, counts_padding,
            [&](std::int64_t i, const detail::SeenByWindow& seen) {
              const C g = has_one_scale ? grad[i] : grad[i] * seen.scale<C>(args.scale);
              detail::for_each_element(s, seen, [&](std::int64_t at) { grad_input[at] += g; });
            });
        if (!has_one_scale) return;
        for (std::int64_t i = 0; i < in_plane; ++i)
          grad_input[i] *= static_cast<C>(args.scale.of_all);
      });
}

}  // namespace amp::inline v0::kernels::host
