// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "amp/core/error.hpp"
#include "amp/ops/tensor_members.hpp"
#include "amp/optim/parameter_view.hpp"
#include "amp/tensor/blob.hpp"

namespace amp::inline v0::detail {

AMP_COLD void check_parts(std::string_view optimizer, std::size_t i, const ParameterView& view) {
  const TensorView& weight = view.weight;
  const auto check_part = [&](const TensorView& part, std::string_view what) {
    AMP_CHECK(is_floating_point(part.dtype), optimizer, ": ", what, " of views[", i, "] ",
              weight.name, " must be floating point, but is ", part.dtype);
    AMP_CHECK(part.numel >= 0 && (part.data != nullptr || part.numel == 0), optimizer, ": ", what,
              " of views[", i, "] ", weight.name, " has ", part.numel, " elements, but ",
              part.data == nullptr ? "no data" : "must have 0 or more");
    AMP_CHECK(reinterpret_cast<std::uintptr_t>(part.data) %
                      static_cast<std::size_t>(item_size(part.dtype)) ==
                  0,
              optimizer, ": ", what, " of views[", i, "] ", weight.name,
              " must be at a multiple of the ", item_size(part.dtype), " bytes of ", part.dtype);
    AMP_CHECK(part.numel == weight.numel && part.device == weight.device, optimizer, ": ", what,
              " of views[", i, "] ", weight.name, " has ", part.numel, " elements on ", part.device,
              ", but the weight has ", weight.numel, " on ", weight.device);
  };
  check_part(weight, "the weight");
  check_part(view.gradient, "the gradient");
  if (view.low_precision.data == nullptr) return;
  check_part(view.low_precision, "`low_precision`");
  AMP_CHECK(weight.dtype == kFloat32 && is_low_precision(view.low_precision.dtype), optimizer,
            ": `low_precision` of views[", i, "] ", weight.name,
            " must be a float16 or bfloat16 copy of a float32 weight, but is ",
            view.low_precision.dtype, " beside ", weight.dtype,
            "; a 16-bit weight needs none, its float32 master is WeightStorage::kMaster");
}

AMP_COLD void check_apart(std::string_view optimizer, std::size_t i, const ParameterView& view,
                          std::size_t other_i, const ParameterView& other) {
  struct Part {
    const TensorView& view;
    std::string_view name;
  };
  const auto parts = [](const ParameterView& v, int k) {
    return k == 0   ? Part{v.weight, "the weight"}
           : k == 1 ? Part{v.gradient, "the gradient"}
                    : Part{v.low_precision, "`low_precision`"};
  };
  const auto begin = [](const TensorView& v) { return reinterpret_cast<std::uintptr_t>(v.data); };
  const auto end = [&](const TensorView& v) {
    const std::int64_t numel = v.data != nullptr ? v.numel : 0;
    return begin(v) + static_cast<std::uintptr_t>(numel * item_size(v.dtype));
  };
  for (int a = 0; a < 3; ++a) {
    for (int b = i == other_i ? a + 1 : 0; b < 3; ++b) {
      const Part p = parts(view, a), q = parts(other, b);
      const bool overlap = begin(p.view) < end(q.view) && begin(q.view) < end(p.view);
      AMP_CHECK(!overlap, optimizer, ": ", p.name, " of views[", i, "] ", view.weight.name,
                " shares memory with ", q.name, " of views[", other_i,
                "]; give each parameter once");
    }
  }
}

AMP_COLD Tensor leaf_over(const ParameterView& view) {
  const auto over = [](const TensorView& part, bool requires_grad) {
    return from_blob(part.data, {part.numel},
                     {.dtype = part.dtype, .device = part.device, .requires_grad = requires_grad});
  };
  Tensor leaf = over(view.weight, true);
  leaf.set_grad(over(view.gradient, false));
  return leaf;
}

AMP_INLINE kernels::LowPrecisionCopies copies_in(const ParameterView& view) {
  const TensorView& low = view.low_precision;
  const bool is_half = low.dtype == kFloat16;
  return {is_half ? low.data : nullptr, is_half ? nullptr : low.data};
}

}  // namespace amp::inline v0::detail
