// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Convolutions of one and three dimensions, transposed ones, pools, unfold and fold, and
// instance_norm. Attributes are numbers per dimension, in the order of the options; a padding of -1
// is Padding::kSame, an output size of -1 that of the input, and a divisor of 0 none.
#pragma once

#include <amp/amp.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

#include "conformance/binding.hpp"

namespace conformance::bindings {

/// The size of `Size`'s dimensions that begins at attribute i.
template <class Size>
Size size_at(Case c, std::size_t i) {
  if constexpr (std::is_same_v<Size, amp::Size1d>) {
    return integer(c, i);
  } else if constexpr (std::is_same_v<Size, amp::Size2d>) {
    return {integer(c, i), integer(c, i + 1)};
  } else {
    return {integer(c, i), integer(c, i + 1), integer(c, i + 2)};
  }
}
template <class Size>
inline constexpr std::size_t kDimsOf = sizeof(Size) / sizeof(std::int64_t);

/// What follows the number of groups is the padding behind the elements.
template <class Size>
amp::ConvPadding<Size> padding_at(Case c, std::size_t i) {
  constexpr std::size_t kAfter = 3 * kDimsOf<Size> + 1;
  if (integer(c, i) == -1) return amp::Padding::kSame;
  if (c.attributes.size() > kAfter) return {size_at<Size>(c, i), size_at<Size>(c, kAfter)};
  return size_at<Size>(c, i);
}

template <class Size, auto Conv>
Outputs conv(In x, Case c) {
  constexpr std::size_t n = kDimsOf<Size>;
  const amp::ConvOptions<Size> options{.stride = size_at<Size>(c, 0),
                                       .padding = padding_at<Size>(c, n),
                                       .dilation = size_at<Size>(c, 2 * n),
                                       .groups = integer(c, 3 * n)};
  return Conv(x[0], x[1], optional(x, 2), options);
}
template <class Size, auto Conv>
Outputs conv_transpose(In x, Case c) {
  constexpr std::size_t n = kDimsOf<Size>;
  const amp::ConvTransposeOptions<Size> options{.stride = size_at<Size>(c, 0),
                                                .padding = size_at<Size>(c, n),
                                                .output_padding = size_at<Size>(c, 2 * n),
                                                .groups = integer(c, 3 * n),
                                                .dilation = size_at<Size>(c, 3 * n + 1)};
  return Conv(x[0], x[1], optional(x, 2), options);
}

inline Outputs both(const amp::PooledWithIndices& pooled) {
  return {pooled.values, pooled.indices};
}
inline const amp::Tensor& both(const amp::Tensor& pooled) { return pooled; }

/// kernel, stride, padding, dilation, ceil_mode
template <class Size, auto Pool>
Outputs max_pool(In x, Case c) {
  constexpr std::size_t n = kDimsOf<Size>;
  const amp::MaxPoolOptions<Size> options{.stride = size_at<Size>(c, n),
                                          .padding = size_at<Size>(c, 2 * n),
                                          .dilation = size_at<Size>(c, 3 * n),
                                          .ceil_mode = flag(c, 4 * n)};
  return both(Pool(x[0], size_at<Size>(c, 0), options));
}
/// kernel, stride, padding, ceil_mode, count_include_pad, divisor_override
template <class Size, auto Pool>
Outputs avg_pool(In x, Case c) {
  constexpr std::size_t n = kDimsOf<Size>;
  const std::int64_t divisor = integer(c, 3 * n + 2);
  const amp::AvgPoolOptions<Size> options{
      .stride = size_at<Size>(c, n),
      .padding = size_at<Size>(c, 2 * n),
      .ceil_mode = flag(c, 3 * n),
      .count_include_pad = flag(c, 3 * n + 1),
      .divisor_override = divisor == 0 ? std::optional<std::int64_t>() : divisor};
  return Pool(x[0], size_at<Size>(c, 0), options);
}
template <int N, auto Pool>
Outputs adaptive_pool(In x, Case c) {
  amp::OutputSize<N> size(0);
  for (std::size_t i = 0; i < N; ++i)
    size.values[i] = integer(c, i) < 0 ? std::optional<std::int64_t>() : integer(c, i);
  return both(Pool(x[0], size));
}

/// use_input_stats, momentum, eps, the number of affine parameters, whether there are running
/// statistics
inline Outputs instance_norm(In x, Case c) {
  const auto affine = static_cast<std::size_t>(integer(c, 3));
  const bool running = flag(c, 4);
  const amp::Tensor none, mean = running ? x[affine + 1].contiguous() : none,
                          var = running ? x[affine + 2].contiguous() : none;
  const amp::Tensor y =
      amp::instance_norm(x[0], mean, var, affine > 0 ? x[1] : none, affine > 1 ? x[2] : none,
                         flag(c, 0), c.attributes[1], c.attributes[2]);
  return running ? Outputs{y, mean, var} : Outputs(y);
}

/// The overload of a pool that takes its options.
template <class Size, class Options>
using PoolOf = amp::Tensor (*)(const amp::Tensor&, Size, const Options&);

// clang-format off
#define AMP_POOL(op, Size, Options) \
  [](const amp::Tensor& x, amp::Size kernel, const amp::Options& options) { return amp::op(x, kernel, options); }
#define AMP_ADAPTIVE(op, N) \
  [](const amp::Tensor& x, const amp::OutputSize<N>& size) { return amp::op(x, size); }
#define AMP_CONV(op, Options) \
  [](const amp::Tensor& x, const amp::Tensor& w, const amp::Tensor& b, const amp::Options& o) { return amp::op(x, w, b, o); }

inline constexpr Binding kWindows[] = {
    {"conv1d", conv<amp::Size1d, AMP_CONV(conv1d, Conv1dOptions)>, kOneRounding, "input weight bias?"},
    {"conv2d(options)", conv<amp::Size2d, AMP_CONV(conv2d, Conv2dOptions)>, kOneRounding, "input weight bias?"},
    {"conv3d", conv<amp::Size3d, AMP_CONV(conv3d, Conv3dOptions)>, kOneRounding, "input weight bias?"},
    {"conv_transpose1d", conv_transpose<amp::Size1d, AMP_CONV(conv_transpose1d, ConvTranspose1dOptions)>, kOneRounding, "input weight bias?"},
    {"conv_transpose2d", conv_transpose<amp::Size2d, AMP_CONV(conv_transpose2d, ConvTranspose2dOptions)>, kOneRounding, "input weight bias?"},
    {"conv_transpose3d", conv_transpose<amp::Size3d, AMP_CONV(conv_transpose3d, ConvTranspose3dOptions)>, kOneRounding, "input weight bias?"},
    {"conv_tbc", [](In x, Case c) -> Outputs { return amp::conv_tbc(x[0], x[1], x[2], integer(c, 0)); }, kOneRounding, "input weight bias"},
    {"max_pool1d", max_pool<amp::Size1d, AMP_POOL(max_pool1d, Size1d, MaxPool1dOptions)>, kOneRounding},
    {"max_pool2d(options)", max_pool<amp::Size2d, AMP_POOL(max_pool2d, Size2d, MaxPool2dOptions)>, kOneRounding},
    {"max_pool3d", max_pool<amp::Size3d, AMP_POOL(max_pool3d, Size3d, MaxPool3dOptions)>, kOneRounding},
    {"max_pool1d_with_indices", max_pool<amp::Size1d, AMP_POOL(max_pool1d_with_indices, Size1d, MaxPool1dOptions)>, kOneRounding},
    {"max_pool2d_with_indices", max_pool<amp::Size2d, AMP_POOL(max_pool2d_with_indices, Size2d, MaxPool2dOptions)>, kOneRounding},
    {"max_pool3d_with_indices", max_pool<amp::Size3d, AMP_POOL(max_pool3d_with_indices, Size3d, MaxPool3dOptions)>, kOneRounding},
    {"avg_pool1d", avg_pool<amp::Size1d, AMP_POOL(avg_pool1d, Size1d, AvgPool1dOptions)>, kFloat32Math},
    {"avg_pool2d(options)", avg_pool<amp::Size2d, AMP_POOL(avg_pool2d, Size2d, AvgPool2dOptions)>, kFloat32Math},
    {"avg_pool3d", avg_pool<amp::Size3d, AMP_POOL(avg_pool3d, Size3d, AvgPool3dOptions)>, kFloat32Math},
    {"adaptive_avg_pool1d", adaptive_pool<1, AMP_ADAPTIVE(adaptive_avg_pool1d, 1)>, kFloat32Math},
    {"adaptive_avg_pool2d", adaptive_pool<2, AMP_ADAPTIVE(adaptive_avg_pool2d, 2)>, kFloat32Math},
    {"adaptive_avg_pool3d", adaptive_pool<3, AMP_ADAPTIVE(adaptive_avg_pool3d, 3)>, kFloat32Math},
    {"adaptive_max_pool1d", adaptive_pool<1, AMP_ADAPTIVE(adaptive_max_pool1d, 1)>, kOneRounding},
    {"adaptive_max_pool2d", adaptive_pool<2, AMP_ADAPTIVE(adaptive_max_pool2d, 2)>, kOneRounding},
    {"adaptive_max_pool3d", adaptive_pool<3, AMP_ADAPTIVE(adaptive_max_pool3d, 3)>, kOneRounding},
    {"adaptive_max_pool1d_with_indices", adaptive_pool<1, AMP_ADAPTIVE(adaptive_max_pool1d_with_indices, 1)>, kOneRounding},
    {"adaptive_max_pool2d_with_indices", adaptive_pool<2, AMP_ADAPTIVE(adaptive_max_pool2d_with_indices, 2)>, kOneRounding},
    {"adaptive_max_pool3d_with_indices", adaptive_pool<3, AMP_ADAPTIVE(adaptive_max_pool3d_with_indices, 3)>, kOneRounding},
    {"unfold",
     [](In x, Case c) -> Outputs {
       return amp::unfold(x[0], size_at<amp::Size2d>(c, 0), {.dilation = size_at<amp::Size2d>(c, 2), .padding = size_at<amp::Size2d>(c, 4), .stride = size_at<amp::Size2d>(c, 6)});
     },
     kOneRounding},
    {"fold",
     [](In x, Case c) -> Outputs {
       return amp::fold(x[0], size_at<amp::Size2d>(c, 0), size_at<amp::Size2d>(c, 2), {.dilation = size_at<amp::Size2d>(c, 4), .padding = size_at<amp::Size2d>(c, 6), .stride = size_at<amp::Size2d>(c, 8)});
     },
     kOneRounding},
    {"instance_norm", instance_norm, kFloat32Math, "input* weight? bias? running_mean? running_var?"},
};
#undef AMP_POOL
#undef AMP_ADAPTIVE
#undef AMP_CONV
// clang-format on

}  // namespace conformance::bindings
