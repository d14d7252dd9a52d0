// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "amp/autocast/cast.hpp"
#include "amp/autograd/function.hpp"
#include "amp/kernels/pool/formula.hpp"
#include "amp/kernels/pool/host.hpp"
#include "amp/ops/batch.hpp"
#include "amp/ops/checks.hpp"
#include "amp/ops/layout.hpp"
#include "amp/ops/pool.hpp"
#include "amp/ops/reduce.hpp"
#include "amp/ops/shape.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0 {

namespace detail {

/// The windows of a pool over one input, and the extents of its result.
struct Pooling {
  std::string_view op;
  kernels::PoolWindow window;
  WindowSize extents;
  kernels::PoolScale scale = {};
};

/// Throws, naming the op, unless the input can be pooled in so many dimensions.
AMP_LAZY void check_pooled(std::string_view op, const Tensor& input, int dims) {
  check_floating(op, "input", input);
  AMP_CHECK(input.dim() == dims + 2 || input.dim() == dims + 1, op, ": expected `input` ",
            dims == 1   ? "[N, C, L] or [C, L]"
            : dims == 2 ? "[N, C, H, W] or [C, H, W]"
                        : "[N, C, D, H, W] or [C, D, H, W]",
            ", but got ", describe(input));
  std::int64_t plane = 1;
  for (int d = 1; d <= dims; ++d) plane *= input.size(-d) > 0 ? input.size(-d) : 0;
  AMP_CHECK(plane > 0, op, ": the planes of `input` ", describe(input), " are empty");
  AMP_CHECK(plane < (std::int64_t{1} << 31), op, ": a plane of `input` ", describe(input),
            " has 2^31 elements or more");
}

/// The number of windows along dimension d. In ceil_mode, the last one may reach beyond the
/// padding, but begins in the input or in the padding before it.
AMP_LAZY std::int64_t pool_extent(std::int64_t input, const kernels::Window& w, int d,
                                  bool ceil_mode) {
  const std::int64_t more = ceil_mode ? w.stride[d] - 1 : 0;
  const std::int64_t reach = input + 2 * w.padding[d] - w.dilation[d] * (w.kernel[d] - 1) - 1;
  if (reach + more < 0) return 0;
  const std::int64_t count = (reach + more) / w.stride[d] + 1;
  return ceil_mode && (count - 1) * w.stride[d] >= input + w.padding[d] ? count - 1 : count;
}

AMP_LAZY Pooling pooling(std::string_view op, const Tensor& input, const WindowSize& kernel,
                         const WindowSize& stride, const WindowSize& padding,
                         const WindowSize& dilation, bool ceil_mode) {
  const int dims = kernel.dims;
  check_floating(op, "input", input);
  Pooling pool{op, {make_window(op, kernel, stride, padding, dilation)}, kernel};
  for (int i = 0; i < dims; ++i) {
    AMP_CHECK(2 * padding.values[i] <= dilation.values[i] * (kernel.values[i] - 1) + 1, op,
              ": `padding` must be at most half of `kernel`: ", to_text(padding), " against ",
              to_text(kernel));
  }
  check_pooled(op, input, dims);
  if (dims == 3) pool.window.slices = input.size(-3);
  for (int i = 0; i < dims; ++i) {
    const int d = window_dim(dims, i);
    const std::int64_t size = input.size(i - dims);
    pool.extents.values[i] = pool_extent(size, pool.window, d, ceil_mode);
    AMP_CHECK(pool.extents.values[i] > 0, op, ": `kernel` ", to_text(kernel),
              " does not fit into `input` ", describe(input));
    const bool may_miss = dilation.values[i] > 1 && padding.values[i] > 0;
    for (std::int64_t window = 0; may_miss && window < pool.extents.values[i]; ++window) {
      const kernels::WindowRange seen(window, size, pool.window, d);
      AMP_CHECK(seen.begin < seen.end, op, ": with `dilation` ", to_text(dilation),
                " and `padding` ", to_text(padding), ", a window over `input` ", describe(input),
                " has padding only");
    }
  }
  pool.window.out_slices = dims == 3 ? pool.extents.values[0] : 1;
  return pool;
}

AMP_LAZY Pooling adaptive_pooling(std::string_view op, const Tensor& input, int dims,
                                  const std::optional<std::int64_t>* output_size) {
  check_pooled(op, input, dims);
  Pooling pool{op, {}, WindowSize(dims, input.shape()), {.of_all = 0}};
  pool.window.is_adaptive = true;
  if (dims == 3) pool.window.slices = input.size(-3);
  for (int d = 0; d < 3; ++d) {
    pool.window.kernel[d] = pool.window.stride[d] = pool.window.dilation[d] = 1;
    pool.window.padding[d] = 0;
  }
  for (int i = 0; i < dims; ++i) {
    if (output_size[i].has_value()) pool.extents.values[i] = *output_size[i];
    pool.window.kernel[window_dim(dims, i)] = (std::max)(pool.extents.values[i], std::int64_t{1});
  }
  check_extents(op, "output_size", pool.extents, 0);
  pool.window.out_slices = dims == 3 ? (std::max)(pool.extents.values[0], std::int64_t{1}) : 1;
  return pool;
}

/// The result of a pool, in the order of x, and the order.
struct Pooled {
  ActivationOrder order;
  Tensor input, output;

  Pooled(const Pooling& pool, const Tensor& any)
      : order(ActivationOrder::of(any)), input(order.is_channels_last() ? any : contiguous(any)) {
    Shape shape = input.shape();
    for (int i = 0; i < pool.extents.dims; ++i) shape[2 + i] = pool.extents.values[i];
    (void)byte_count(shape, input.dtype());  // throws if there are too many
    output = order.make(shape, input.dtype(), input.device());
  }
  kernels::Operand operand(const Tensor& tensor) const { return as_images(order.operand(tensor)); }
};

/// The positions of the maxima are int32.
AMP_LAZY PooledWithIndices max_pool(const Pooling& pool, const Tensor& any) {
  const Pooled pooled(pool, any);
  const Tensor &x = pooled.input, &output = pooled.output;
  const ActivationOrder order = pooled.order;
  const Tensor indices = order.make(output.shape(), kInt32, x.device());
  if (output.numel() != 0) {
    const kernels::MaxPool2dArgs args{pooled.operand(x), pooled.operand(output),
                                      pooled.operand(indices), pool.window};
    kernels::max_pool2d(x.device(), args);
  }
  if (autograd::recording(x)) {
    autograd::record(
        pool.op, output,
        [indices, order, from = x.shape(), window = pool.window](
            const Tensor& gradient, const autograd::Needs<1>&) -> autograd::Gradients<1> {
          const Tensor grad = order.lay_out(gradient);
          if (grad.numel() == 0)
            return {full(from, 0, {.dtype = grad.dtype(), .device = grad.device()})};
          const Tensor grad_x = order.make(from, grad.dtype(), grad.device());
          if (grad_x.numel() != 0) {
            const kernels::MaxPool2dBackwardArgs args{as_images(order.operand(grad)),
                                                      as_images(order.operand(indices)),
                                                      as_images(order.operand(grad_x)), window};
            kernels::max_pool2d_backward(grad.device(), args);
          }
          return {grad_x};
        },
        x);
  }
  return {output, indices};
}

/// Whether an adaptive pool is the mean of whole planes, which lie row-major.
AMP_LAZY bool is_mean_of_planes(const Pooling& pool, const Tensor& x) {
  if (!pool.window.is_adaptive || ActivationOrder::of(x).is_channels_last()) return false;
  for (int i = 0; i < pool.extents.dims; ++i) {
    if (pool.extents.values[i] != 1) return false;
  }
  return true;
}

AMP_LAZY Tensor avg_pool(const Pooling& pool, const Tensor& any) {
  if (is_mean_of_planes(pool, any)) {
    std::int64_t plane = 1;
    Shape dims;
    for (int d = 2; d < any.dim(); ++d) {
      plane *= any.size(d);
      dims.insert(d - 2, d);
    }
    return reduce(pool.op, any, dims.span(), true, 1 / static_cast<double>(plane));
  }
  const Pooled pooled(pool, any);
  const Tensor &x = pooled.input, &output = pooled.output;
  if (output.numel() != 0) {
    const kernels::AvgPool2dArgs args{pooled.operand(x), pooled.operand(output), pool.window,
                                      pool.scale};
    kernels::avg_pool2d(x.device(), args);
  }
  if (autograd::recording(x)) {
    autograd::record(
        pool.op, output,
        [order = pooled.order, window = pool.window, scale = pool.scale, from = x.shape()](
            const Tensor& gradient, const autograd::Needs<1>&) -> autograd::Gradients<1> {
          const Tensor grad = order.lay_out(gradient);
          if (grad.numel() == 0)
            return {full(from, 0, {.dtype = grad.dtype(), .device = grad.device()})};
          const Tensor grad_x = order.make(from, grad.dtype(), grad.device());
          if (grad_x.numel() != 0) {
            const kernels::AvgPool2dBackwardArgs args{
                as_images(order.operand(grad)), as_images(order.operand(grad_x)), window, scale};
            kernels::avg_pool2d_backward(grad.device(), args);
          }
          return {grad_x};
        },
        x);
  }
  return output;
}

AMP_LAZY Tensor max_pool(autocasting::OpId op, const Pooling& pool, const Tensor& input) {
  return autocasting::call(
      op,
      [&](const Tensor& x) {
        return of_batch(x, pool.extents.dims,
                        [&](const Tensor& batch) { return max_pool(pool, batch).values; });
      },
      input);
}
AMP_LAZY PooledWithIndices max_pool_with_indices(autocasting::OpId op, const Pooling& pool,
                                                 const Tensor& input) {
  return autocasting::call(
      op,
      [&](const Tensor& x) {
        PooledWithIndices result;
        result.values = of_batch(x, pool.extents.dims, [&](const Tensor& batch) {
          result = max_pool(pool, batch);
          return result.values;
        });
        result.indices =
            reshape(autocasting::convert_dtype(result.indices, kInt64), result.values.shape());
        return result;
      },
      input);
}
AMP_LAZY Tensor avg_pool(autocasting::OpId op, const Pooling& pool, const Tensor& input) {
  return autocasting::call(
      op,
      [&](const Tensor& x) {
        return of_batch(x, pool.extents.dims,
                        [&](const Tensor& batch) { return avg_pool(pool, batch); });
      },
      input);
}

/// The stride of a pool's options.
template <class Size>
WindowSize stride_of(const PoolStride<Size>& stride, const Size& kernel) {
  return stride.is_set ? static_cast<const Size&>(stride) : kernel;
}

template <class Size>
Pooling max_pooling(std::string_view op, const Tensor& input, const Size& kernel,
                    const MaxPoolOptions<Size>& o) {
  return pooling(op, input, kernel, stride_of(o.stride, kernel), o.padding, o.dilation,
                 o.ceil_mode);
}
template <class Size>
Pooling avg_pooling(std::string_view op, const Tensor& input, const Size& kernel,
                    const AvgPoolOptions<Size>& o) {
  Pooling pool =
      pooling(op, input, kernel, stride_of(o.stride, kernel), o.padding, Size(1), o.ceil_mode);
  AMP_CHECK(o.divisor_override != 0, op, ": `divisor_override` must not be 0");
  const std::int64_t* const k = pool.window.kernel;
  const auto size =
      static_cast<double>(k[0]) * static_cast<double>(k[1]) * static_cast<double>(k[2]);
  bool has_padding = false;
  for (const std::int64_t padding : pool.window.padding) has_padding = has_padding || padding != 0;
  pool.scale.counts_padding = o.count_include_pad;
  if (o.divisor_override) {
    pool.scale.of_all = 1 / static_cast<double>(*o.divisor_override);
  } else {
    pool.scale.of_all = o.ceil_mode || (has_padding && !o.count_include_pad) ? 0 : 1 / size;
  }
  return pool;
}

}  // namespace detail

#define AMP_POOLS(N)                                                                               \
  AMP_LAZY_DEFINITION Tensor max_pool##N##d(const Tensor& input, Size##N##d kernel,                \
                                            const MaxPool##N##dOptions& options) {                 \
    constexpr const char* kOp = "max_pool" #N "d";                                                 \
    return detail::max_pool(kOp, detail::max_pooling(kOp, input, kernel, options), input);         \
  }                                                                                                \
  AMP_LAZY_DEFINITION PooledWithIndices max_pool##N##d_with_indices(                               \
      const Tensor& input, Size##N##d kernel, const MaxPool##N##dOptions& options) {               \
    constexpr const char* kOp = "max_pool" #N "d_with_indices";                                    \
    return detail::max_pool_with_indices(kOp, detail::max_pooling(kOp, input, kernel, options),    \
                                         input);                                                   \
  }                                                                                                \
  AMP_LAZY_DEFINITION Tensor avg_pool##N##d(const Tensor& input, Size##N##d kernel,                \
                                            const AvgPool##N##dOptions& options) {                 \
    constexpr const char* kOp = "avg_pool" #N "d";                                                 \
    return detail::avg_pool(kOp, detail::avg_pooling(kOp, input, kernel, options), input);         \
  }                                                                                                \
  AMP_LAZY_DEFINITION Tensor adaptive_avg_pool##N##d(const Tensor& input, OutputSize<N> size) {    \
    constexpr const char* kOp = "adaptive_avg_pool" #N "d";                                        \
    return detail::avg_pool(kOp, detail::adaptive_pooling(kOp, input, N, size.values), input);     \
  }                                                                                                \
  AMP_LAZY_DEFINITION Tensor adaptive_max_pool##N##d(const Tensor& input, OutputSize<N> size) {    \
    constexpr const char* kOp = "adaptive_max_pool" #N "d";                                        \
    return detail::max_pool(kOp, detail::adaptive_pooling(kOp, input, N, size.values), input);     \
  }                                                                                                \
  AMP_LAZY_DEFINITION PooledWithIndices adaptive_max_pool##N##d_with_indices(const Tensor& input,  \
                                                                             OutputSize<N> size) { \
    constexpr const char* kOp = "adaptive_max_pool" #N "d_with_indices";                           \
    return detail::max_pool_with_indices(                                                          \
        kOp, detail::adaptive_pooling(kOp, input, N, size.values), input);                         \
  }
AMP_POOLS(1)
AMP_POOLS(2)
AMP_POOLS(3)
#undef AMP_POOLS

}  // namespace amp::inline v0
