// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "amp/autocast/cast.hpp"
#include "amp/autograd/function.hpp"
#include "amp/kernels/remap/host.hpp"
#include "amp/ops/checks.hpp"
#include "amp/ops/rearrange.hpp"
#include "amp/ops/shape.hpp"
#include "amp/tensor/factory.hpp"
#include "amp/tensor/layout.hpp"

namespace amp::inline v0 {
namespace detail {

using kernels::DimMap;
using kernels::DimMaps;
using kernels::Remapping;

/// The maps with which every element stays in its place.
AMP_LAZY DimMaps identity_maps(const Shape& shape) {
  DimMaps maps;
  for (int d = 0; d < shape.dims(); ++d) maps[static_cast<std::size_t>(d)] = DimMap(shape[d]);
  return maps;
}
AMP_LAZY DimMap& map_of(DimMaps& maps, int d) { return maps[static_cast<std::size_t>(d)]; }

/// Writes the result of the maps in the order in which both tensors lie.
AMP_LAZY void run_remap(const Tensor& input, const Tensor& output, const DimMaps& maps,
                        double value) {
  kernels::RemapArgs args{input.operand_as_laid_out(), output.operand_as_laid_out(), maps, value};
  if (lies_channels_last(output)) {  // as [N, H, W, C]
    const kernels::Operand from = args.input, to = args.output;
    for (int d = 1; d < to.dims; ++d) {
      const int given = d + 1 < to.dims ? d + 1 : 1;
      args.input.sizes[d] = from.sizes[given];
      args.input.strides[d] = from.strides[given];
      args.output.sizes[d] = to.sizes[given];
      args.output.strides[d] = to.strides[given];
      map_of(args.maps, d) = maps[static_cast<std::size_t>(given)];
    }
  }
  kernels::remap(input.device(), args);
}

/// The maps' result of an input. No history.
AMP_LAZY Tensor remapped(const Tensor& input, const DimMaps& maps, double value) {
  Shape shape = input.shape();
  for (int d = 0; d < shape.dims(); ++d) shape[d] = maps[static_cast<std::size_t>(d)].out;
  (void)byte_count(Shape(shape.span()), input.dtype());  // throws if there are too many
  const bool channels_last = lies_channels_last(input) && !is_channels_last_anyway(shape);
  const Tensor output = channels_last ? make_channels_last(shape, input.dtype(), input.device())
                                      : make_tensor(shape, input.dtype(), input.device());
  if (output.numel() == 0) return output;
  const bool rows = input.dim() == 0 || input.strides()[input.dim() - 1] == 1;
  run_remap(channels_last                        ? input
            : lies_channels_last(input) || !rows ? dense(input)
                                                 : input,
            output, maps, value);
  return output;
}

/// Whether no element of the input is in several places of the result. Then so it is in reverse.
AMP_LAZY bool are_one_to_one(const DimMaps& maps) {
  for (const DimMap& map : maps) {
    const bool turns = map.kind == Remapping::kCircular && map.in == map.out;
    if (map.kind != Remapping::kShifted && map.kind != Remapping::kFlipped && !turns) return false;
  }
  return true;
}
AMP_LAZY DimMaps inverse_maps(DimMaps maps) {
  for (DimMap& map : maps) {
    const bool turns = map.kind == Remapping::kCircular && map.shift != 0;
    map = DimMap(map.kind, map.out, map.in, turns ? map.in - map.shift : -map.shift);
  }
  return maps;
}

AMP_LAZY Tensor remap_backward(const Tensor& gradient, const Shape& shape, const DimMaps& maps) {
  if (are_one_to_one(maps)) return remapped(gradient, inverse_maps(maps), 0);
  const TensorOptions options{.dtype = gradient.dtype(), .device = gradient.device()};
  if (gradient.numel() == 0) return zeros(shape, options);
  const Tensor grad = dense(gradient), result = empty(shape, options);
  if (result.numel() != 0) {
    const kernels::RemapBackwardArgs args{grad.operand(), result.operand(), maps};
    kernels::remap_backward(grad.device(), args);
  }
  return result;
}

AMP_LAZY Tensor remap(std::string_view op, const Tensor& input, const DimMaps& maps,
                      double value = 0) {
  const Tensor output = remapped(input, maps, value);
  if (autograd::recording(input)) {
    record_move(
        op, output,
        [shape = input.shape(), maps](const Tensor& grad, const autograd::Needs<1>&)
            -> autograd::Gradients<1> { return {remap_backward(grad, shape, maps)}; },
        input);
  }
  return output;
}

/// Calls found(d, i) for dims[i], which is dimension d. Throws if a dimension is named twice.
template <class Found>
void for_dims(std::string_view op, const Tensor& input, const Dims& dims, Found&& found) {
  unsigned seen = 0;
  for (int i = 0; i < dims.dims(); ++i) {
    const int d = wrap_dim(op, dims[i], input.dim(), "dims");
    AMP_CHECK((seen >> d & 1U) == 0, op, ": `dims` ", dims, " names dimension ", d, " twice");
    seen |= 1U << d;
    found(d, i);
  }
}

AMP_LAZY Tensor flip_as(autocasting::OpId op, const Tensor& input, const Dims& dims) {
  DimMaps maps = identity_maps(input.shape());
  for_dims(op.name(), input, dims, [&](int d, int) {
    if (input.dim() > 0)
      map_of(maps, d) = {Remapping::kFlipped, input.shape()[d], input.shape()[d], 0};
  });
  return autocasting::call(
      op, [&](const Tensor& x) { return remap(op.name(), x, maps); }, input);
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor flip(const Tensor& input, const Dims& dims) {
  detail::check_defined("flip", "input", input);
  return detail::flip_as("flip", input, dims);
}
AMP_LAZY_DEFINITION Tensor fliplr(const Tensor& input) {
  detail::check_defined("fliplr", "input", input);
  AMP_CHECK(input.dim() >= 2, "fliplr: `input` must have at least 2 dimensions, but is ",
            describe(input));
  return detail::flip_as("fliplr", input, 1);
}
AMP_LAZY_DEFINITION Tensor flipud(const Tensor& input) {
  detail::check_defined("flipud", "input", input);
  AMP_CHECK(input.dim() >= 1, "flipud: `input` must have at least 1 dimension, but is ",
            describe(input));
  return detail::flip_as("flipud", input, 0);
}

namespace detail {

/// The number modulo a positive extent: not negative.
AMP_LAZY std::int64_t wrapped(std::int64_t number, std::int64_t extent) {
  return (number % extent + extent) % extent;
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor roll(const Tensor& input, const Counts& shifts, const Dims& dims) {
  using namespace detail;
  check_defined("roll", "input", input);
  const bool flat = dims.dims() == 0;
  AMP_CHECK(shifts.dims() == (flat ? 1 : dims.dims()), "roll: `shifts` ", shifts,
            " must have as many numbers as `dims` ", dims, ", or one without `dims`");
  AMP_CHECK(flat || input.dim() > 0,
            "roll: `dims` must be absent for a 0-dimensional `input`, but are ", dims);
  const Shape shape = flat ? Shape(input.numel()) : input.shape();
  DimMaps maps = identity_maps(shape);
  // A dimension may be named several times, as in torch: its shifts add up.
  for (int i = 0; i < shifts.dims(); ++i) {
    const int d = flat ? 0 : wrap_dim("roll", dims[i], input.dim(), "dims");
    const std::int64_t extent = shape[d];
    if (extent < 2) continue;
    DimMap& map = map_of(maps, d);
    map = {Remapping::kCircular, extent, extent,
           wrapped(map.shift - wrapped(shifts[i], extent), extent)};
  }
  return autocasting::call(
      "roll",
      [&](const Tensor& x) {
        return detail::reshape(detail::remap("roll", detail::reshape(x, shape), maps), x.shape());
      },
      input);
}

AMP_LAZY_DEFINITION Tensor rot90(const Tensor& input, std::int64_t k, const Dims& dims) {
  using namespace detail;
  check_defined("rot90", "input", input);
  AMP_CHECK(dims.dims() == 2, "rot90: `dims` must be two dimensions, but are ", dims);
  AMP_CHECK(input.dim() >= 2, "rot90: `input` must have at least 2 dimensions, but is ",
            describe(input));
  const std::int64_t turns = wrapped(k, 4);
  DimMaps maps = identity_maps(input.shape());
  for_dims("rot90", input, dims, [&](int d, int i) {
    if (turns == 2 || turns == (i == 0 ? 3 : 1))
      map_of(maps, d) = {Remapping::kFlipped, input.shape()[d], input.shape()[d], 0};
  });
  return autocasting::call(
      "rot90",
      [&](const Tensor& x) {
        const Tensor turned = detail::remap("rot90", x, maps);
        return turns % 2 == 0 ? turned : detail::transpose(turned, dims[0], dims[1]);
      },
      input);
}

namespace detail {

/// The map of a dimension of the input that gets more elements at its ends.
AMP_LAZY DimMap padded(const Tensor& input, int d, std::int64_t before, std::int64_t behind,
                       PadMode mode) {
  const std::int64_t extent = input.shape()[d];
  std::int64_t out = 0;
  AMP_CHECK(!__builtin_add_overflow(extent, before, &out) &&
                !__builtin_add_overflow(out, behind, &out) && before > -INT64_MAX && out >= 0,
            "pad: `pad` ", before, " and ", behind, " do not leave an extent of dimension ", d,
            " of `input` ", describe(input));
  const std::int64_t most = before > behind ? before : behind;
  if (most <= 0 || mode == PadMode::kConstant) return {Remapping::kShifted, extent, out, before};
  AMP_CHECK(extent > 0, "pad: `input` ", describe(input), " has no elements in dimension ", d,
            " of which the mode of padding could make more");
  if (mode == PadMode::kReplicate || (mode == PadMode::kCircular && extent == 1 && most == 1))
    return {Remapping::kReplicated, extent, out, before};
  const bool reflects = mode == PadMode::kReflect;
  AMP_CHECK(reflects ? most < extent : most <= extent, "pad: `pad` ", before, " and ", behind,
            reflects ? " must be below the extent " : " must be at most the extent ", extent,
            " of dimension ", d, " of `input` ", describe(input), ", which the mode ",
            reflects ? "reflects" : "repeats", " once");
  if (reflects) return {Remapping::kReflected, extent, out, before};
  return {Remapping::kCircular, extent, out, wrapped(-before, extent)};
}

/// Takes elements away first: what remains goes round.
AMP_LAZY Tensor pad_cropped(const Tensor& input, std::span<const std::int64_t> pad,
                            const PadOptions& options) {
  Tensor cropped = input;
  std::vector<std::int64_t> rest;
  for (std::size_t i = 0; i < pad.size(); i += 2) {
    const int d = input.dim() - 1 - static_cast<int>(i / 2);
    const std::int64_t before = (std::min)(std::int64_t{0}, pad[i]),
                       behind = (std::min)(std::int64_t{0}, pad[i + 1]);
    const DimMap left = padded(input, d, before, behind, PadMode::kConstant);
    cropped = narrow(cropped, d, -before, left.out);
    rest.push_back((std::max)(std::int64_t{0}, pad[i]));
    rest.push_back((std::max)(std::int64_t{0}, pad[i + 1]));
  }
  return amp::pad(cropped, rest, options);
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor pad(const Tensor& input, std::span<const std::int64_t> pad,
                               const PadOptions& options) {
  detail::check_defined("pad", "input", input);
  AMP_CHECK(pad.size() % 2 == 0 && static_cast<std::int64_t>(pad.size()) <= 2 * input.dim(),
            "pad: `pad` must have two numbers for each of at most ", input.dim(),
            " dimensions of `input` ", describe(input), ", but has ", pad.size());
  if (options.mode == PadMode::kCircular &&
      std::any_of(pad.begin(), pad.end(), [](std::int64_t n) { return n < 0; }))
    return detail::pad_cropped(input, pad, options);
  const bool constant = options.mode == PadMode::kConstant;
  if (constant) detail::check_holds("pad", "value", options.value, input.dtype());
  detail::DimMaps maps = detail::identity_maps(input.shape());
  for (std::size_t i = 0; i < pad.size(); i += 2) {
    const int d = input.dim() - 1 - static_cast<int>(i / 2);
    detail::map_of(maps, d) = detail::padded(input, d, pad[i], pad[i + 1], options.mode);
  }
  return autocasting::call(
      "pad",
      [&](const Tensor& x) { return detail::remap("pad", x, maps, constant ? options.value : 0); },
      input);
}
AMP_LAZY_DEFINITION Tensor pad(const Tensor& input, std::initializer_list<std::int64_t> pad,
                               const PadOptions& options) {
  return amp::pad(input, std::span(pad.begin(), pad.size()), options);
}

namespace detail {

AMP_LAZY Tensor repeat_as(autocasting::OpId op, std::string_view argument, const Tensor& input,
                          const Counts& repeats) {
  const int lead = repeats.dims() - input.dim();
  Shape shape;
  for (int d = 0; d < lead; ++d) shape.push_back(1);
  for (const std::int64_t extent : input.shape()) shape.push_back(extent);
  DimMaps maps = identity_maps(shape);
  for (int d = 0; d < shape.dims(); ++d) {
    const std::int64_t in = shape[d];
    std::int64_t out = 0;
    AMP_CHECK(repeats[d] >= 0, op.name(), ": `", argument, "` must not be negative, but are ",
              repeats);
    AMP_CHECK(!__builtin_mul_overflow(in, repeats[d], &out), op.name(), ": `", argument, "` ",
              repeats, " make an extent of `input` ", describe(input), " larger than 63 bits hold");
    if (repeats[d] != 1)
      map_of(maps, d) = {in == 1 ? Remapping::kReplicated : Remapping::kCircular, in, out, 0};
  }
  return autocasting::call(
      op, [&](const Tensor& x) { return remap(op.name(), reshape(x, shape), maps); }, input);
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor repeat(const Tensor& input, const Counts& repeats) {
  detail::check_defined("repeat", "input", input);
  AMP_CHECK(repeats.dims() >= input.dim(), "repeat: `repeats` ", repeats,
            " must have a number for each dimension of `input` ", describe(input), "; use tile");
  return detail::repeat_as("repeat", "repeats", input, repeats);
}
AMP_LAZY_DEFINITION Tensor tile(const Tensor& input, const Counts& dims) {
  detail::check_defined("tile", "input", input);
  Counts repeats;
  for (int d = dims.dims(); d < input.dim(); ++d) repeats.push_back(1);
  for (const std::int64_t number : dims) repeats.push_back(number);
  return detail::repeat_as("tile", "dims", input, repeats);
}

AMP_LAZY_DEFINITION Tensor repeat_interleave(const Tensor& input, std::int64_t repeats,
                                             std::optional<std::int64_t> dim) {
  detail::check_defined("repeat_interleave", "input", input);
  AMP_CHECK(repeats >= 0, "repeat_interleave: `repeats` must not be negative, but is ", repeats);
  const int d = dim ? wrap_dim("repeat_interleave", *dim, input.dim()) : 0;
  Shape shape = dim && input.dim() > 0 ? input.shape() : Shape(input.numel());
  std::int64_t slices = 1, each = 1;
  for (int k = 0; k < shape.dims(); ++k) (k <= d ? slices : each) *= shape[k];
  AMP_CHECK(!__builtin_mul_overflow(shape[d], repeats, &shape[d]), "repeat_interleave: `repeats` ",
            repeats, " makes an extent of `input` ", describe(input), " larger than 63 bits hold");
  return autocasting::call(
      "repeat_interleave",
      [&](const Tensor& x) {
        const Tensor side_by_side =
            detail::expand(detail::reshape(x, {slices, 1, each}), {slices, repeats, each});
        return detail::reshape(side_by_side.clone(), shape);
      },
      input);
}

}  // namespace amp::inline v0
