// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "amp/autograd/node.hpp"
#include "amp/core/error.hpp"
#include "amp/device/memory.hpp"
#include "amp/kernels/elementwise/host.hpp"
#include "amp/kernels/unscale/host.hpp"
#include "amp/ops/arithmetic.hpp"
#include "amp/ops/elementwise.hpp"
#include "amp/ops/nan_to_num.hpp"
#include "amp/ops/tensor_members.hpp"
#include "amp/optim/clip.hpp"
#include "amp/scaler/gradients.hpp"
#include "amp/scaler/scale.hpp"
#include "amp/tensor/blob.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0::detail {

AMP_LAZY GradientPart& part_of(std::string_view call, GradientParts& parts, std::int64_t index,
                               const TensorView& view) {
  for (GradientPart& part : parts) {
    if (part.device == view.device) return part;
  }
  AMP_CHECK(is_available(view.device.type), call, ": gradient ", index, " ", view.name, " is on ",
            view.device, ", of which this program has none (amp::is_available)");
  return parts.emplace_back(GradientPart{.device = view.device});
}

/// Throws, naming the first gradient that is on another device than gradient 0.
AMP_LAZY [[noreturn]] AMP_COLD void refuse_several_devices(std::string_view call,
                                                           const AnyOptimizer& optimizer) {
  std::int64_t index = 0;
  std::optional<Device> first;
  optimizer.visit_gradients([&](const TensorView& view) {
    if (!first) first = view.device;
    AMP_CHECK(view.device == *first, call, ": gradient ", index, " ", view.name, " is on ",
              view.device, ", but gradient 0 is on ", *first,
              "; a scale-aware optimizer reads the words of one device (amp::GradScale): make one "
              "optimizer per device");
    ++index;
  });
  fail(call, ": the gradients were on several devices, and are no longer");
}

AMP_LAZY_DEFINITION void collect_gradients(std::string_view call, const AnyOptimizer& optimizer,
                                           GradientParts& parts, GradientNames* names) {
  if (names != nullptr) names->begin();
  std::int64_t index = 0;
  GradientPart* part = nullptr;
  const auto add = [&](const TensorView& view) {
    std::optional<Device> any;
    check_gradient_view(call, index, view, any);
    if (part == nullptr || part->device != view.device) part = &part_of(call, parts, index, view);
    part->spans.push_back({view.data, view.numel, view.dtype});
    if (names != nullptr) names->add(view.name);
    ++index;
  };
  optimizer.visit_gradients(add);
  std::erase_if(parts, [](const GradientPart& known) { return known.spans.empty(); });
  if (parts.size() > 1 && optimizer.is_scale_aware()) refuse_several_devices(call, optimizer);
}

/// Throws: these two gradients share memory.
AMP_LAZY [[noreturn]] AMP_COLD void fail_shared(std::string_view call,
                                                const AnyOptimizer& optimizer,
                                                const kernels::GradientSpan& a,
                                                const kernels::GradientSpan& b) {
  PoolVector<std::string> names;
  std::int64_t index = 0;
  optimizer.visit_gradients([&](const TensorView& view) {
    const auto is = [&](const kernels::GradientSpan& span) {
      return view.data == span.data && view.numel == span.numel;
    };
    if (is(a) || is(b))
      names.push_back(view.name.empty() ? to_text(index) : '"' + std::string(view.name) + '"');
    ++index;
  });
  AMP_CHECK(!names.empty(), call, ": gradients shared memory, and are now others");
  const std::string text = names.front() == names.back()
                               ? names.front() + " has elements that share memory"
                               : names.front() + " shares memory with gradient " + names.back();
  fail(call, ": gradient ", text,
       ", which would be multiplied twice; give each parameter a gradient of its own (clone())");
}

AMP_LAZY_DEFINITION void require_apart(std::string_view call, const AnyOptimizer& optimizer,
                                       const GradientParts& parts) {
  const auto address = [](const kernels::GradientSpan* span) {
    return reinterpret_cast<std::uintptr_t>(span->data);
  };
  PoolVector<const kernels::GradientSpan*> sorted;
  for (const GradientPart& part : parts) {
    sorted.clear();
    for (const kernels::GradientSpan& span : part.spans) {
      if (span.numel != 0) sorted.push_back(&span);
    }
    std::sort(sorted.begin(), sorted.end(),
              [&](const auto* a, const auto* b) { return address(a) < address(b); });
    for (std::size_t i = 1; i < sorted.size(); ++i) {
      const kernels::GradientSpan& before = *sorted[i - 1];
      const std::int64_t bytes = before.numel * item_size(before.dtype);
      if (address(sorted[i]) - address(&before) < static_cast<std::uintptr_t>(bytes))
        fail_shared(call, optimizer, before, *sorted[i]);
    }
  }
}

AMP_LAZY_DEFINITION void require_one_rank(std::string_view call, const AnyOptimizer& optimizer) {
  constexpr std::string_view kAdvice =
      ", but this scaler does not agree with their scalers on which steps to skip: make it with "
      "GradScalerOptions{.agree = amp::agreement(communicator)}";
  AMP_CHECK(!optimizer.is_sharded(), call,
            ": the optimizer has a part of the gradients, other ranks "
            "have the rest",
            kAdvice);
  if (!optimizer.has_parameters()) return;
  std::int64_t index = 0;
  optimizer.visit_parameters([&](const Tensor& p) {
    const autograd::Leaf* const leaf = autograd::leaf_of(p);
    AMP_CHECK(leaf == nullptr || !leaf->listener || !leaf->listener->joins_ranks(), call,
              ": parameter ", index, ", ", describe(p), ", is trained by several ranks", kAdvice);
    ++index;
  });
}

AMP_LAZY_DEFINITION std::int64_t count_parameters(const AnyOptimizer& optimizer) {
  std::int64_t count = 0;
  if (optimizer.has_parameters()) optimizer.visit_parameters([&](const Tensor&) { ++count; });
  return count;
}

AMP_LAZY_DEFINITION bool is_marked(const AnyOptimizer& optimizer, const void* data) {
  if (!optimizer.has_parameters()) return false;
  std::optional<bool> marked;  // by the first parameter that has this gradient
  optimizer.visit_parameters([&](const Tensor& p) {
    const autograd::Leaf* const leaf = autograd::leaf_of(p);
    if (!marked && leaf != nullptr && leaf->grad.defined() && leaf->grad.raw_data() == data)
      marked = leaf->is_scaled;
  });
  return marked.value_or(false);
}

AMP_LAZY_DEFINITION void unscale(const kernels::UnscaleArgs& args) {
  if (args.count == 0) return;
  kernels::unscale(args.device, args);
}

AMP_LAZY_DEFINITION void grad_norm(const AnyOptimizer& optimizer, kernels::GradNormArgs args) {
  if (!optimizer.is_sharded()) [[likely]]
    return grad_norm(args);
  const Tensor own = empty({}, {.dtype = kFloat64, .device = args.device});
  kernels::GradNormArgs of_shard = args;
  of_shard.norm = norm_pointer(own);
  of_shard.coefficient = nullptr;
  of_shard.coefficient_float64 = nullptr;
  grad_norm(of_shard);
  const Tensor norms = optimizer.gather_norms(own);
  const kernels::GradientSpan span{norms.raw_data(), norms.numel(), kFloat64};
  args.gradients = &span;
  args.count = 1;
  args.inverse_scale = nullptr;
  args.table = nullptr;
  args.statistics = nullptr;
  args.ledger = {};
  grad_norm(args);
}

AMP_LAZY_DEFINITION void sanitize(const GradientPart& part, const Tensor& one, const Tensor& found,
                                  const Tensor& passes) {
  unscale({.device = part.device,
           .gradients = part.spans.data(),
           .count = part.count(),
           .inverse_scale = scalar_data(one),
           .found_inf = scalar_data(found),
           .write = false});
  for (const kernels::GradientSpan& span : part.spans)
    nan_to_num_(from_blob(span.data, {span.numel}, {.dtype = span.dtype, .device = part.device}));
  passes.copy_(passes + found.to(kInt64));
}

AMP_LAZY_DEFINITION GradientSummary summarize(const Tensor& tensor) {
  const Tensor dense = tensor.detach().contiguous();
  const Device device = dense.device();
  const Tensor scalars = ones({3}, {.device = device});  // the norm, found_inf and the scale
  const kernels::GradientSpan span{dense.raw_data(), dense.numel(), dense.dtype()};
  Ledgers ledgers(1);
  const std::shared_ptr<Ledger> ledger = ledgers.of(nullptr);
  ledger->names.begin();
  ledger->names.add({});
  kernels::GradNormArgs args{.device = device,
                             .gradients = &span,
                             .count = 1,
                             .inverse_scale = nullptr,
                             .norm = scalar_data(scalars)};
  args.found_inf = scalar_data(scalars) + 1;
  args.ledger = ledgers.prepare(ledger.get(), device, 1, 1, scalar_data(scalars) + 2);
  grad_norm(args);
  return or_out_of_memory([&] { return ledger->read()[0].gradients[0]; });
}

AMP_INLINE ClipScalars::ClipScalars(const GradientSpans& spans, Device device)
    : memory(empty({3}, {.dtype = norm_dtype(spans), .device = device})),
      norm(norm_pointer(memory)) {
  if (memory.dtype() == kFloat64) {
    coefficient_float64 = static_cast<double*>(memory.raw_data()) + 1;
    coefficient = reinterpret_cast<float*>(coefficient_float64 + 1);
  } else {
    coefficient = static_cast<float*>(memory.raw_data()) + 1;
  }
}

AMP_LAZY_DEFINITION Tensor join_found_inf(const GradientParts& parts, Tensor sum) {
  for (const GradientPart& part : parts) {
    sum = binary_kernel<kernels::functions::Add>(sum, part.found_inf.to(sum.device()), sum.shape(),
                                                 kFloat32);
  }
  return sum;
}

AMP_LAZY_DEFINITION void allocate_norms(GradientParts& parts) {
  for (GradientPart& part : parts)
    part.norm = parts.size() == 1 ? make_norm(part.spans, part.device)
                                  : empty({}, {.dtype = kFloat64, .device = part.device});
}

/// The norm of several parts, computed on `home` from their norms.
AMP_LAZY AMP_COLD Tensor common_norm(const GradientParts& parts, Device home,
                                     const Tensor& found_inf) {
  const auto count = static_cast<std::int64_t>(parts.size());
  const Tensor norms = empty({count}, {.dtype = kFloat64, .device = home});
  for (std::size_t i = 0; i < parts.size(); ++i)
    copy_bytes(home, static_cast<double*>(norms.raw_data()) + i, parts[i].device,
               parts[i].norm.raw_data(), sizeof(double));
  const bool has_float64 = std::any_of(parts.begin(), parts.end(), [](const GradientPart& part) {
    return norm_dtype(part.spans) == kFloat64;
  });
  const Tensor norm = empty({}, {.dtype = has_float64 ? kFloat64 : kFloat32, .device = home});
  const kernels::GradientSpan span{norms.raw_data(), count, kFloat64};
  kernels::GradNormArgs args{.device = home,
                             .gradients = &span,
                             .count = 1,
                             .inverse_scale = nullptr,
                             .norm = norm_pointer(norm)};
  args.found_inf = found_inf.defined() ? scalar_data(found_inf) : nullptr;
  grad_norm(args);
  return norm;
}

AMP_LAZY_DEFINITION Tensor clip_unscaled(GradientParts& parts, double max_norm, Device home,
                                         const Tensor& found_inf) {
  const Tensor norm = parts.size() == 1 ? parts[0].norm : common_norm(parts, home, found_inf);
  for (GradientPart& part : parts) {
    const Tensor norm_here = norm.to(part.device);
    const Tensor found_here = found_inf.defined() ? found_inf.to(part.device) : Tensor();
    clip(part.device, part.spans, norm_pointer(norm_here), max_norm,
         found_here.defined() ? scalar_data(found_here) : nullptr, &part.table);
  }
  return norm;
}

AMP_LAZY_DEFINITION Tensor clip_without_scale(std::string_view call, const AnyOptimizer& optimizer,
                                              double max_norm, std::optional<Device> home) {
  GradientParts parts;
  collect_gradients(call, optimizer, parts);
  require_apart(call, optimizer, parts);
  if (parts.empty()) parts.push_back({.device = home.value_or(kCPU)});
  allocate_norms(parts);
  for (GradientPart& part : parts) write_norm(part.device, part.spans, part.norm, &part.table);
  return clip_unscaled(parts, max_norm, home.value_or(parts[0].device), {});
}

AMP_LAZY_DEFINITION void check_devices(std::string_view call, const GradientParts& parts,
                                       Device home, const OneDeviceOptions& options) {
  for (const GradientPart& part : parts) {
    if (part.device == home) continue;
    if (options.ledger) refuse_elsewhere(call, "a gradient is", part.device, home, "ledger");
    if (options.sanitizes)
      refuse_elsewhere(call, "a gradient is", part.device, home, "on_overflow = kSanitize");
  }
  AMP_CHECK(parts.size() == 1 || !options.statistics, call, ": gradients are on ", parts[0].device,
            " and on ", parts.back().device,
            ", but with GradScalerOptions::statistics those of an optimizer must lie on one "
            "device; leave that option out, or make one optimizer per device");
}

AMP_LAZY_DEFINITION void refuse_elsewhere(std::string_view call, std::string_view what,
                                          Device device, Device home, std::string_view option) {
  fail(call, ": ", what, " on ", device, ", but this scaler lives on ", home,
       ", and with GradScalerOptions::", option,
       " losses and gradients must lie there; leave that option out, or give each device a scaler "
       "of its own (GradScalerOptions::device)");
}

}  // namespace amp::inline v0::detail
