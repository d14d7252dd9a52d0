// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// oneDNN's primitives of a convolution: of images and kernels with two dimensions, or three if
// there are slices.
#pragma once

#include "amp/kernels/onednn/call.hpp"

#if AMP_USE_ONEDNN

#include <algorithm>
#include <cstdint>

#include "amp/kernels/traversal/window.hpp"

namespace amp::inline v0::kernels::host::onednn {

/// The sizes of a convolution over a part of its images, with one dtype for all arrays.
struct Convolution {
  DType dtype;
  std::int64_t images, channels, height, width, filters, out_height, out_width, groups;
  Window window;
  bool bias;
  bool is_transposed = false;  // the gradient of the source gets a bias, and is not rounded before

  std::int64_t in_image() const { return channels * window.slices * height * width; }
  std::int64_t out_image() const { return filters * out_pixels(); }
  std::int64_t weights() const {
    return filters * (channels / groups) * window.kernel[0] * window.kernel[1] * window.kernel[2];
  }
  std::int64_t work_per_image() const { return weights() * out_pixels(); }
  /// Whether oneDNN sees slices, too.
  bool has_slices() const { return !window.is_plane(); }

 private:
  std::int64_t out_pixels() const { return window.out_slices * out_height * out_width; }
};

namespace detail {

/// The primitives of one convolution.
enum class Pass : std::uint8_t { kForward, kBackwardData, kBackwardWeights };

inline CallKey key_of(const Convolution& c, Pass pass, bool of_weights = false) {
  const Window& w = c.window;
  return {2 + static_cast<std::int64_t>(pass),
          static_cast<std::int64_t>(c.dtype),
          of_weights,
          pass == Pass::kBackwardData ? c.is_transposed : c.bias,
          c.images,
          c.channels,
          c.height,
          c.width,
          c.filters,
          c.out_height,
          c.out_width,
          c.groups,
          w.kernel[0],
          w.kernel[1],
          w.kernel[2],
          w.stride[0],
          w.stride[1],
          w.stride[2],
          w.padding[0],
          w.padding[1],
          w.padding[2],
          w.dilation[0],
          w.dilation[1],
          w.dilation[2],
          w.slices,
          w.out_slices};
}

/// Sizes from the outermost on, with the strides of their row-major order.
struct Extents {
  int count = 0;
  std::int64_t sizes[6] = {}, strides[6] = {};

  void add(std::int64_t size) {
    sizes[count] = size;
    for (int i = 0; i < count; ++i) strides[i] *= size;
    strides[count++] = 1;
  }
};

/// The layout of weights [O, C, KH, KW], or [G, O / G, C / G, KH, KW] with groups, and KD before KH
/// if there are slices: row-major if `plain`, else chosen by the primitive.
inline MemoryDesc weights_desc(const Convolution& c, DType dtype, bool plain) {
  Extents e;
  if (c.groups != 1) e.add(c.groups);
  e.add(c.filters / c.groups);
  e.add(c.channels / c.groups);
  if (c.has_slices()) e.add(c.window.kernel[2]);
  e.add(c.window.kernel[0]);
  e.add(c.window.kernel[1]);
  return plain ? MemoryDesc(dtype, e.count, e.sizes, e.strides)
               : MemoryDesc(dtype, e.count, e.sizes, dnnl_format_tag_any);
}

/// The layout of images [N, C, H, W], or [N, C, D, H, W] if there are slices: channels-last.
inline MemoryDesc activations_desc(const Convolution& c, DType dtype, std::int64_t channels,
                                   std::int64_t slices, std::int64_t height, std::int64_t width) {
  if (!c.has_slices()) {
    return MemoryDesc(dtype, {c.images, channels, height, width},
                      {height * width * channels, 1, width * channels, channels});
  }
  const std::int64_t slice = height * width * channels;
  return MemoryDesc(dtype, {c.images, channels, slices, height, width},
                    {slices * slice, 1, slice, width * channels, channels});
}

/// One number for each dimension of the images in oneDNN's order, from those of a window.
struct InOrder {
  dnnl_dims_t values = {};

  template <class Of>
  InOrder(const Convolution& c, const Of& of) {
    int i = 0;
    if (c.has_slices()) values[i++] = of(2);
    values[i++] = of(0);
    values[i] = of(1);
  }
};

/// The padding behind the last pixel: as much as before the first one, or what the last window
/// sees.
inline std::int64_t end_of_padding(const Window& w, int d, std::int64_t in, std::int64_t out) {
  const std::int64_t reach = w.dilation[d] * (w.kernel[d] - 1) + 1, both = in + 2 * w.padding[d];
  if (both >= reach && (both - reach) / w.stride[d] + 1 == out) return w.padding[d];
  return (out - 1) * w.stride[d] + reach - in - w.padding[d];
}

inline Call make_convolution(const Convolution& c, Pass pass) {
  const Window& w = c.window;
  const auto image = [&](DType dtype) {
    return activations_desc(c, dtype, c.channels, w.slices, c.height, c.width);
  };
  const MemoryDesc source = image(c.dtype);
  const MemoryDesc destination =
      activations_desc(c, c.dtype, c.filters, w.out_slices, c.out_height, c.out_width);
  const MemoryDesc weights = weights_desc(c, c.dtype, false);
  const MemoryDesc sums = weights_desc(c, kFloat32, false);
  const MemoryDesc bias = c.bias ? MemoryDesc(kFloat32, {c.filters}, {1}) : MemoryDesc();
  const Attributes plain = attributes();
  const InOrder strides(c, [&](int d) { return w.stride[d]; }),
      dilation(c, [&](int d) { return w.dilation[d] - 1; }),
      padding(c, [&](int d) { return w.padding[d]; }), padding_end(c, [&](int d) {
        const std::int64_t in[] = {c.height, c.width, w.slices},
                           out[] = {c.out_height, c.out_width, w.out_slices};
        return end_of_padding(w, d, in[d], out[d]);
      });
  const auto with = [&](const MemoryDesc& images, const MemoryDesc& filters) {
    ConvolutionDescs descs{images, filters, bias, destination, {}, {}, {}, {}};
    std::copy_n(strides.values, 3, descs.strides);
    std::copy_n(dilation.values, 3, descs.dilation);
    std::copy_n(padding.values, 3, descs.padding);
    std::copy_n(padding_end.values, 3, descs.padding_end);
    return descs;
  };
  const PrimitiveDesc forward = convolution_desc(with(source, weights), plain);
  if (forward == nullptr) return {};
  switch (pass) {
    case Pass::kForward:
      return Call(forward, {{DNNL_ARG_SRC, source.get()},
                            {DNNL_ARG_WEIGHTS, expected(forward, dnnl_query_weights_md)},
                            {DNNL_ARG_DST, destination.get()},
                            {DNNL_ARG_BIAS, bias.get()}});
    case Pass::kBackwardData: {
      const MemoryDesc gradient = image(c.is_transposed ? kFloat32 : c.dtype);
      const PrimitiveDesc desc =
          convolution_backward_data_desc(with(gradient, weights), forward, plain);
      if (desc == nullptr) return {};
      return Call(desc, {{DNNL_ARG_DIFF_SRC, gradient.get()},
                         {DNNL_ARG_WEIGHTS, expected(desc, dnnl_query_weights_md)},
                         {DNNL_ARG_DIFF_DST, destination.get()}});
    }
    case Pass::kBackwardWeights:
      break;
  }
  const PrimitiveDesc desc = convolution_backward_weights_desc(with(source, sums), forward, plain);
  if (desc == nullptr) return {};
  return Call(desc, {{DNNL_ARG_SRC, source.get()},
                     {DNNL_ARG_DIFF_WEIGHTS, expected(desc, dnnl_query_diff_weights_md)},
                     {DNNL_ARG_DIFF_DST, destination.get()},
                     {DNNL_ARG_DIFF_BIAS, bias.get()}});
}

inline const Call& call_of(const Convolution& c, Pass pass) {
  const OnThisThread guard;
  return Calls::of_this_thread().get(key_of(c, pass), [&] { return make_convolution(c, pass); });
}

/// Reorders the weights for a call, or a call's weight gradients back, on the calling thread.
inline void reorder_weights(const Convolution& c, Pass pass, MemoryDesc::Pointer order,
                            const void* source, void* destination) {
  const OnThisThread guard;
  Calls& calls = Calls::of_this_thread();
  const Call& call = calls.get(key_of(c, pass, true), [&] {
    const bool out = pass == Pass::kBackwardWeights;
    const MemoryDesc plain = weights_desc(c, out ? kFloat32 : c.dtype, true);
    const MemoryDesc::Pointer from = out ? order : plain.get(), to = out ? plain.get() : order;
    return Call(reorder_desc(from, to, attributes()), {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
  });
  AMP_CHECK(call, "oneDNN: it cannot pack the weights of a convolution that it has");
  call.run(calls.stream(), {source, destination});
}

}  // namespace detail
}  // namespace amp::inline v0::kernels::host::onednn

#endif
