// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "amp/autocast/cast.hpp"
#include "amp/autograd/function.hpp"
#include "amp/kernels/elementwise/host.hpp"
#include "amp/kernels/fold/host.hpp"
#include "amp/kernels/masking/host.hpp"
#include "amp/ops/checks.hpp"
#include "amp/ops/comparison.hpp"
#include "amp/ops/elementwise.hpp"
#include "amp/ops/fold.hpp"
#include "amp/ops/index_parts.hpp"
#include "amp/ops/masking.hpp"
#include "amp/ops/shape.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0 {
namespace detail {

/// The ranks of a dense mask, by which kernels find what is true.
AMP_LAZY Tensor ranks_of(const Tensor& mask) {
  const Tensor ranks =
      empty({kernels::ranks_of(mask.operand())}, {.dtype = kInt64, .device = mask.device()});
  const kernels::MaskRanksArgs args{mask.operand(), ranks.operand()};
  kernels::mask_ranks(mask.device(), args);
  return ranks;
}
/// How many elements are true. Synchronises.
AMP_LAZY std::int64_t count_of(const Tensor& ranks) {
  return ranks.select(0, -1).item<std::int64_t>();
}

AMP_LAZY_DEFINITION Tensor places_of(const Tensor& mask) {
  const Tensor whole = dense(mask), ranks = ranks_of(whole);
  const Tensor places =
      empty({count_of(ranks), mask.dim()}, {.dtype = kInt64, .device = mask.device()});
  if (places.numel() != 0) {
    const kernels::MaskPlacesArgs args{whole.operand(), ranks.operand(), places.operand()};
    kernels::mask_places(mask.device(), args);
  }
  return places;
}

AMP_LAZY void check_mask(std::string_view op, const Tensor& input, const Tensor& mask) {
  check_defined(op, "input", input);
  check_defined(op, "mask", mask);
  AMP_CHECK(mask.dtype() == kBool, op, ": `mask` must be bool, but is ", describe(mask));
  check_same_device(op, "input", input, "mask", mask);
}

/// Writes the elements of the dense `source` to those that the dense mask chooses. No history.
AMP_LAZY void spread(const Tensor& output, const Tensor& mask, const Tensor& ranks,
                     const Tensor& source) {
  if (output.numel() == 0) return;
  const kernels::MaskedScatterArgs args{mask.operand(), ranks.operand(), source.operand(),
                                        output.operand()};
  kernels::masked_scatter(output.device(), args);
}
/// The elements of x, dense as the mask is, that it chooses; `count` of them, or all.
AMP_LAZY Tensor select_true(const Tensor& x, const Tensor& mask, const Tensor& ranks,
                            std::int64_t count) {
  const Tensor output = empty({count}, {.dtype = x.dtype(), .device = x.device()});
  if (count != 0) {
    const kernels::MaskedSelectArgs args{mask.operand(), ranks.operand(), x.operand(),
                                         output.operand()};
    kernels::masked_select(x.device(), args);
  }
  return output;
}

/// A mask and its ranks as backward keeps them.
struct SavedMask {
  autograd::SavedTensor mask, ranks;
};

}  // namespace detail

AMP_LAZY_DEFINITION Tensor nonzero(const Tensor& input) {
  detail::check_defined("nonzero", "input", input);
  return autocasting::call(
      "nonzero", [](const Tensor& x) { return detail::places_of(detail::nonzero_mask(x)); }, input);
}
AMP_LAZY_DEFINITION Tensor argwhere(const Tensor& input) {
  detail::check_defined("argwhere", "input", input);
  return autocasting::call(
      "argwhere", [](const Tensor& x) { return detail::places_of(detail::nonzero_mask(x)); },
      input);
}
AMP_LAZY_DEFINITION std::vector<Tensor> where(const Tensor& condition) {
  detail::check_defined("where", "condition", condition);
  return autocasting::call(
      "where",
      [](const Tensor& x) {
        const Tensor places =
            detail::places_of(detail::nonzero_mask(detail::at_least_1d(x.detach())));
        std::vector<Tensor> columns;
        for (std::int64_t d = 0; d < places.size(1); ++d) columns.push_back(places.select(1, d));
        return columns;
      },
      condition);
}

AMP_LAZY_DEFINITION Tensor masked_select(const Tensor& input, const Tensor& mask) {
  detail::check_mask("masked_select", input, mask);
  const Shape shape =
      broadcast_shapes("masked_select", input.shape(), mask.shape(), "input", "mask");
  return autocasting::call(
      "masked_select",
      [&](const Tensor& given) {
        const Tensor chosen = detail::dense(detail::expand(mask, shape));
        const Tensor x = detail::contiguous(detail::expand(given, shape));
        const Tensor ranks = detail::ranks_of(chosen);
        const Tensor output = detail::select_true(x, chosen, ranks, detail::count_of(ranks));
        if (is_floating_point(x.dtype()) && autograd::recording(x)) {
          autograd::record(
              "masked_select", output,
              [saved = detail::SavedMask{chosen, ranks}](
                  const Tensor& grad, const autograd::Needs<1>&) -> autograd::Gradients<1> {
                const Tensor& is_true = saved.mask.get("masked_select");
                const Tensor grad_x =
                    full(is_true.shape(), 0, {.dtype = grad.dtype(), .device = grad.device()});
                detail::spread(grad_x, is_true, saved.ranks.get("masked_select"),
                               detail::dense(grad));
                return {grad_x};
              },
              x);
        }
        return output;
      },
      input);
}

AMP_LAZY_DEFINITION Tensor masked_scatter(const Tensor& input, const Tensor& mask,
                                          const Tensor& source) {
  detail::check_mask("masked_scatter", input, mask);
  detail::check_defined("masked_scatter", "source", source);
  detail::check_same_device("masked_scatter", "input", input, "source", source);
  const Shape shape =
      broadcast_shapes("masked_scatter", input.shape(), mask.shape(), "input", "mask");
  return autocasting::call(
      "masked_scatter",
      [&](const Tensor& a, const Tensor& b) {
        const DType dtype = promote_types(a.dtype(), b.dtype());
        const Tensor x = detail::expand(a.to(dtype), shape);
        const Tensor from = detail::contiguous(b.to(dtype));
        const Tensor chosen = detail::dense(detail::expand(mask, shape));
        const Tensor ranks = detail::ranks_of(chosen);
        if (x.device().type == kCPU) {
          const std::int64_t count = detail::count_of(ranks);
          AMP_CHECK(count <= from.numel(), "masked_scatter: `source` must have at least ", count,
                    " elements, as many as `mask` has true ones, but is ", describe(source));
        }
        const Tensor output = empty(shape, {.dtype = dtype, .device = x.device()});
        detail::copy_elements(x, output);
        detail::spread(output, chosen, ranks, from);
        if (is_floating_point(dtype) && autograd::recording(x, from)) {
          autograd::record(
              "masked_scatter", output,
              [saved = detail::SavedMask{chosen, ranks}, taken = from.shape()](
                  const Tensor& grad, const autograd::Needs<2>& needs) -> autograd::Gradients<2> {
                const Tensor& is_true = saved.mask.get("masked_scatter");
                const Tensor& known = saved.ranks.get("masked_scatter");
                autograd::Gradients<2> gradients;
                if (needs[0])
                  gradients[0] = detail::where_kernel(is_true, detail::zero_on(grad.device()),
                                                      grad.operand(), grad.shape(), grad.dtype());
                if (needs[1]) {
                  gradients[1] = full(taken, 0, {.dtype = grad.dtype(), .device = grad.device()});
                  if (grad.numel() != 0) {
                    const Tensor whole = detail::dense(grad);
                    const kernels::MaskedSelectArgs args{is_true.operand(), known.operand(),
                                                         whole.operand(), gradients[1].operand()};
                    kernels::masked_select(grad.device(), args);
                  }
                }
                return gradients;
              },
              x, from);
        }
        return output;
      },
      input, source);
}

// --- counts --------------------------------------------------------------------------------------

namespace detail {

/// The number of each slice as often as `repeats` says.
AMP_LAZY Tensor repeated_indices(const Tensor& repeats) {
  const std::vector<std::int64_t> counts = repeats.to_vector<std::int64_t>();
  std::int64_t total = 0;
  for (const std::int64_t count : counts) {
    AMP_CHECK(count >= 0, "repeat_interleave: `repeats` must not be negative, but one is ", count);
    AMP_CHECK(!__builtin_add_overflow(total, count, &total),
              "repeat_interleave: `repeats` add up to more than 63 bits count");
  }
  const Tensor indices = empty({total}, {.dtype = kInt64});
  auto* to = static_cast<std::int64_t*>(indices.raw_data());
  for (std::size_t i = 0; i < counts.size(); ++i)
    to = std::fill_n(to, counts[i], static_cast<std::int64_t>(i));
  return indices.to(repeats.device());
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor repeat_interleave(const Tensor& input, const Tensor& repeats,
                                             std::optional<std::int64_t> dim) {
  detail::check_defined("repeat_interleave", "input", input);
  const int d = dim ? wrap_dim("repeat_interleave", *dim, input.dim()) : 0;
  detail::check_index("repeat_interleave", "repeats", repeats);
  detail::check_same_device("repeat_interleave", "input", input, "repeats", repeats);
  const Shape from = dim && input.dim() > 0 ? input.shape() : Shape{input.numel()};
  AMP_CHECK(repeats.dim() <= 1 && (repeats.numel() == 1 || repeats.numel() == from[d]),
            "repeat_interleave: `repeats` must have 1 element, or ", from[d], " as dimension ", d,
            " has, but is ", describe(repeats));
  return autocasting::call(
      "repeat_interleave",
      [&](const Tensor& x) {
        const Tensor each = detail::expand(repeats, {from[d]});
        return detail::gather("repeat_interleave", detail::reshape(x, from), d,
                              detail::expand_index(detail::repeated_indices(each), from, d), {});
      },
      input);
}
AMP_LAZY_DEFINITION Tensor repeat_interleave(const Tensor& repeats) {
  detail::check_index("repeat_interleave", "repeats", repeats);
  AMP_CHECK(repeats.dim() == 1, "repeat_interleave: `repeats` must have 1 dimension, but is ",
            describe(repeats));
  return autocasting::call(
      "repeat_interleave",
      [](const Tensor& counts) { return detail::repeated_indices(counts).to(counts.dtype()); },
      repeats);
}

AMP_LAZY_DEFINITION Tensor bincount(const Tensor& input, const Tensor& weights,
                                    std::int64_t minlength) {
  detail::check_defined("bincount", "input", input);
  AMP_CHECK(input.dim() == 1 && !is_floating_point(input.dtype()) && input.dtype() != kBool,
            "bincount: `input` must be integers of 1 dimension, but is ", describe(input));
  AMP_CHECK(minlength >= 0, "bincount: `minlength` must not be negative, but is ", minlength);
  if (weights.defined()) {
    detail::check_same_device("bincount", "input", input, "weights", weights);
    AMP_CHECK(weights.shape() == input.shape(),
              "bincount: `weights` must have the shape of `input`, but is ", describe(weights),
              " beside ", describe(input));
  }
  return autocasting::call(
      "bincount",
      [&](const Tensor& x) {
        const Tensor wide = x.to(kInt64);
        std::int64_t bins = minlength;
        if (x.numel() != 0) {
          const auto least =
                         detail::run_fold<kernels::amin>(wide, {1}, kInt64).item<std::int64_t>(),
                     most = detail::run_fold<kernels::amax>(wide, {1}, kInt64).item<std::int64_t>();
          AMP_CHECK(least >= 0, "bincount: `input` must not be negative, but its least element is ",
                    least);
          AMP_CHECK(most != (std::numeric_limits<std::int64_t>::max)(),
                    "bincount: the largest element of `input` must be below ", most,
                    ", so that the bins can be counted");
          bins = (std::max)(bins, most + 1);
        }
        const bool weighted = weights.defined() && x.numel() != 0;
        const DType dtype = !weighted ? kInt64 : weights.dtype() == kFloat32 ? kFloat32 : kFloat64;
        const Tensor output = full({bins}, 0, {.dtype = dtype, .device = x.device()});
        detail::scatter_into(output, 0, wide,
                             weighted ? weights.operand() : kernels::Operand::scalar(1, x.device()),
                             {}, {});
        return output;
      },
      input);
}

}  // namespace amp::inline v0
