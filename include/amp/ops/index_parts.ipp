// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "amp/autocast/cast.hpp"
#include "amp/autograd/function.hpp"
#include "amp/kernels/indexing/host.hpp"
#include "amp/ops/checks.hpp"
#include "amp/ops/index_parts.hpp"
#include "amp/ops/masking.hpp"
#include "amp/ops/shape.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0::detail {

AMP_LAZY_DEFINITION void check_index(std::string_view op, std::string_view argument,
                                     const Tensor& index) {
  check_defined(op, argument, index);
  AMP_CHECK(index.dtype() == kInt64 || index.dtype() == kInt32, op, ": `", argument,
            "` must be int64 or int32, but is ", describe(index));
}

AMP_LAZY_DEFINITION Tensor at_least_1d(const Tensor& tensor) {
  return tensor.dim() == 0 ? reshape(tensor, {1}) : tensor;
}

AMP_LAZY_DEFINITION Tensor expand_index(const Tensor& index, const Shape& shape, int dim) {
  Shape expanded = shape;
  expanded[dim] = index.numel();
  Strides strides(expanded);
  for (int d = 0; d < expanded.dims(); ++d)
    strides[d] = d == dim && index.dim() == 1 ? index.strides()[0] : 0;
  return index.alias(expanded, strides, index.impl().offset);
}

AMP_LAZY_DEFINITION Tensor gathered(const Tensor& x, int dim, const Tensor& index,
                                    const IndexRule& rule) {
  const Tensor output = empty(index.shape(), {.dtype = x.dtype(), .device = x.device()});
  const kernels::GatherArgs args{x.operand(), index.operand(), output.operand(), dim, rule};
  kernels::gather(x.device(), args);
  return output;
}

AMP_LAZY_DEFINITION void scatter_into(const Tensor& output, int dim, const Tensor& index,
                                      const kernels::Operand& source, const IndexRule& rule,
                                      const Scattered& how) {
  const kernels::ScatterArgs args{.source = source,
                                  .index = index.operand(),
                                  .output = output.operand(),
                                  .dim = dim,
                                  .rule = rule,
                                  .op = how.op,
                                  .include_self = how.include_self};
  kernels::scatter(output.device(), args);
}

AMP_LAZY_DEFINITION Tensor scattered(const Tensor& x, DType dtype, int dim, const Tensor& index,
                                     const kernels::Operand& source, const IndexRule& rule,
                                     const Scattered& how) {
  const Tensor output = empty(x.shape(), {.dtype = dtype, .device = x.device()});
  copy_elements(x, output);
  scatter_into(output, dim, index, source, rule, how);
  return output;
}

AMP_LAZY_DEFINITION Tensor part_of(const Tensor& tensor, const Shape& shape) {
  return tensor.alias(shape, tensor.strides(), tensor.impl().offset);
}

AMP_LAZY_DEFINITION Tensor gather(std::string_view op, const Tensor& x, int dim,
                                  const Tensor& index, const IndexRule& rule) {
  const Tensor output = gathered(x, dim, index, rule);
  if (is_floating_point(x.dtype()) && autograd::recording(x)) {
    autograd::record(
        op, output,
        [op, rule, from = x.shape(), dim, index = autograd::SavedTensor(index)](
            const Tensor& gradient, const autograd::Needs<1>&) -> autograd::Gradients<1> {
          const Tensor grad = dense(gradient);
          const Tensor grad_x = empty(from, {.dtype = grad.dtype(), .device = grad.device()});
          const kernels::ScatterArgs args{.source = grad.operand(),
                                          .index = index.get(op).operand(),
                                          .output = grad_x.operand(),
                                          .dim = dim,
                                          .rule = rule,
                                          .from_zero = true};
          kernels::scatter(grad.device(), args);
          return {grad_x};
        },
        x);
  }
  return output;
}

// --- several indices ----------------------------------------------------------------------------

AMP_LAZY_DEFINITION SavedIndices saved(const PoolVector<Tensor>& indices) {
  SavedIndices all;
  for (const Tensor& index : indices) all.push_back(index);
  return all;
}
AMP_LAZY_DEFINITION void check_saved(std::string_view op, const SavedIndices& indices) {
  for (const autograd::SavedTensor& index : indices) (void)index.get(op);
}

AMP_LAZY bool is_indexed(const AdvancedIndex& by, int d) {
  for (const int indexed : by.dims) {
    if (indexed == d) return true;
  }
  return false;
}

/// The dimensions of the tensor in the order of the result.
AMP_LAZY Strides order_of(const AdvancedIndex& by) {
  Strides order;
  for (int d = 0, others = 0; d <= by.from.dims(); ++d) {
    if (others == by.at && order.dims() == others) {
      for (const int indexed : by.dims) order.push_back(indexed);
    }
    if (d == by.from.dims() || is_indexed(by, d)) continue;
    order.push_back(d);
    ++others;
  }
  return order;
}

/// The extents of the other dimensions, with these in the place of the indexed ones.
AMP_LAZY Shape shape_with(const AdvancedIndex& by, std::span<const std::int64_t> indexed) {
  Extents extents;
  const Strides order = order_of(by);
  const int count = static_cast<int>(by.dims.size());
  for (int i = 0; i < order.dims(); ++i) {
    if (i == by.at) {
      for (const std::int64_t extent : indexed) extents.push_back(extent);
    }
    if (i < by.at || i >= by.at + count) extents.push_back(by.from[static_cast<int>(order[i])]);
  }
  return Shape(extents.span());
}
AMP_LAZY_DEFINITION Shape shape_of(const AdvancedIndex& by) {
  return shape_with(by, by.broadcast.span());
}
AMP_LAZY_DEFINITION Shape flat_shape_of(const AdvancedIndex& by) {
  const std::int64_t n = by.broadcast.numel();
  return shape_with(by, {&n, 1});
}

AMP_LAZY_DEFINITION AdvancedIndex advanced_index(std::string_view op, const Tensor& x,
                                                 std::span<const Tensor> given) {
  AdvancedIndex by;
  by.from = x.shape();
  int d = 0;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const Tensor& index = given[i];
    const int takes = index.defined() && index.dtype() == kBool ? index.dim() : 1;
    AMP_CHECK(takes > 0, op, ": `indices`[", i,
              "] is a mask without dimensions; give it one of extent 1");
    AMP_CHECK(d + takes <= x.dim(), op, ": `indices` are of more than the ", x.dim(),
              " dimensions of ", describe(x));
    if (index.defined()) {
      AMP_CHECK(index.dtype() == kBool || index.dtype() == kInt64 || index.dtype() == kInt32, op,
                ": `indices`[", i, "] must be int64, int32 or bool, but is ", describe(index));
      check_same_device(op, "input", x, "indices", index);
    }
    if (!index.defined()) {
    } else if (index.dtype() != kBool) {
      by.indices.push_back(index);
      by.dims.push_back(d);
    } else {
      for (int k = 0; k < takes; ++k) {
        AMP_CHECK(index.shape()[k] == x.shape()[d + k], op, ": the mask `indices`[", i, "] ",
                  describe(index), " must have the extents of ", describe(x), " from dimension ", d,
                  " on");
      }
      const Tensor places = places_of(index);
      for (int k = 0; k < takes; ++k) {
        by.indices.push_back(places.select(1, k));
        by.dims.push_back(d + k);
      }
    }
    d += takes;
  }
  AMP_CHECK(by.dims.size() != 0, op, ": `indices` must have at least one tensor that is defined");
  by.broadcast = by.indices[0].shape();
  for (std::size_t i = 0; i < by.dims.size(); ++i) {
    AMP_CHECK(do_broadcast(by.broadcast, by.indices[i].shape()), op,
              ": `indices` must broadcast to each other, but ", describe(by.indices[i]),
              " does not to ", by.broadcast);
    by.broadcast = broadcast_shapes(op, by.broadcast, by.indices[i].shape());
    if (i > 0 && by.dims[i] != by.dims[i - 1] + 1) by.beside = false;
  }
  by.at = by.beside ? by.dims[0] : 0;
  return by;
}

/// The indices as one, of elements that lie `steps` apart along the indexed dimensions; and how
/// they are to be read.
struct OneIndex {
  Tensor index;  // [n]
  IndexRule rule;
};
AMP_LAZY OneIndex one_index(std::string_view op, const AdvancedIndex& by, const Strides& steps,
                            Device device) {
  const std::int64_t n = by.broadcast.numel();
  const std::string_view subject = op == "index" ? "index: `indices`" : "index_put: `indices`";
  if (by.dims.size() == 1 && steps[by.dims[0]] == 1)
    return {reshape(by.indices[0], {n}), {subject, by.dims[0], true}};
  const Tensor linear = empty(by.broadcast, {.dtype = kInt64, .device = device});
  kernels::LinearIndexArgs args;
  args.output = linear.operand();
  args.subject = subject;
  for (std::size_t i = 0; i < by.dims.size(); ++i) {
    const int d = by.dims[i];
    args.indices[i] = by.indices[i].operand();
    args.sizes[i] = by.from[d];
    args.steps[i] = steps[d];
    args.dims[i] = d;
  }
  args.count = static_cast<int>(by.dims.size());
  kernels::linear_index(device, args);
  return {linear.alias({n}, Strides(1), 0), {subject}};
}

AMP_LAZY_DEFINITION Tensor indexed(std::string_view op, const Tensor& x, const AdvancedIndex& by) {
  const Tensor output = empty(shape_of(by), {.dtype = x.dtype(), .device = x.device()});
  const Shape flat = flat_shape_of(by);
  // The indexed dimensions as one, in which the index is an offset in memory.
  kernels::Operand input = x.operand(), result = output.operand();
  input.dims = result.dims = flat.dims();
  const Strides dense_steps = contiguous_strides(flat), order = order_of(by);
  std::int64_t span = 1;
  const bool single = by.dims.size() == 1;
  Strides steps(by.from);
  for (const int d : by.dims) {
    steps[d] = single ? 1 : x.strides()[d];
    span = span == 0 || by.from[d] == 0 ? 0 : span + (by.from[d] - 1) * x.strides()[d];
  }
  for (int d = 0; d < flat.dims(); ++d) {
    const int own =
        static_cast<int>(order[d <= by.at ? d : d + static_cast<int>(by.dims.size()) - 1]);
    const bool at = d == by.at;
    input.sizes[d] = at ? (single ? by.from[own] : span) : flat[d];
    input.strides[d] = at && !single ? 1 : x.strides()[own];
    result.sizes[d] = flat[d];
    result.strides[d] = dense_steps[d];
  }
  const OneIndex one = one_index(op, by, steps, x.device());
  const kernels::GatherArgs args{input, expand_index(one.index, flat, by.at).operand(), result,
                                 by.at, one.rule};
  kernels::gather(x.device(), args);
  return output;
}

AMP_LAZY_DEFINITION Tensor put_into(std::string_view op, const Tensor& base, DType dtype,
                                    const kernels::Operand& values, Device device,
                                    const AdvancedIndex& by, const Scattered& how) {
  const Strides order = order_of(by);
  Shape ordered = by.from;
  Strides inverse = order;
  for (int d = 0; d < ordered.dims(); ++d) {
    ordered[d] = by.from[static_cast<int>(order[d])];
    inverse[static_cast<int>(order[d])] = d;
  }
  const Tensor output = empty(ordered, {.dtype = dtype, .device = device});
  if (base.defined()) copy_elements(permute(base, order.span()), output);
  Strides steps(by.from);
  std::int64_t step = 1;
  for (int d = by.from.dims() - 1; d >= 0; --d) {
    if (!is_indexed(by, d)) continue;
    steps[d] = step;
    step *= by.from[d];
  }
  const OneIndex one = one_index(op, by, steps, device);
  const Shape input = shape_with(by, {&step, 1});
  const kernels::ScatterArgs args{
      .source = values,
      .index = expand_index(one.index, flat_shape_of(by), by.at).operand(),
      .output = output.alias(input, contiguous_strides(input), 0).operand(),
      .dim = by.at,
      .rule = one.rule,
      .op = how.op,
      .include_self = how.include_self,
      .from_zero = !base.defined()};
  kernels::scatter(device, args);
  return by.beside ? output : dense(permute(output, inverse.span()));
}

}  // namespace amp::inline v0::detail
