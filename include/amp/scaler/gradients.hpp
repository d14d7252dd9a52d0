// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Passes over the gradients of an optimizer: collect and check them, unscale them, compute their
// norm, clip them. The gradients may lie on several devices. Each device then tests its part, and
// what the parts have in common (found_inf and the norm) is computed on the scaler's device and
// copied back.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "amp/core/object_pool.hpp"
#include "amp/kernels/traversal/descriptor_table.hpp"
#include "amp/kernels/unscale/args.hpp"
#include "amp/scaler/concepts.hpp"
#include "amp/scaler/ledger.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::detail {

using GradientSpans = PoolVector<kernels::GradientSpan>;

/// The gradients of an optimizer that lie on one device, and the results of the pass over them.
/// Most optimizers have one part.
struct GradientPart {
  Device device;
  GradientSpans spans = {};
  const float* inverse = nullptr;       // the inverse scale on this device
  Tensor found_inf = {};                // float32: not 0 if a gradient is not finite
  Tensor norm = {};                     // begins with the norm, if the pass computes it
  kernels::DescriptorTable table = {};  // of the spans, on the device

  std::int64_t count() const { return static_cast<std::int64_t>(spans.size()); }
};
using GradientParts = PoolVector<GradientPart>;

/// Fills `parts` with the gradients of an optimizer, by device. `parts` may come from an earlier
/// cycle, with empty spans; parts that get no gradient are removed. Adds the names of the gradients
/// to `names` if it is not null. Throws, naming `call`, if a gradient is not valid, or if the
/// optimizer is scale-aware and its gradients lie on several devices.
AMP_LAZY void collect_gradients(std::string_view call, const AnyOptimizer& optimizer,
                                GradientParts& parts, GradientNames* names = nullptr);

/// Throws, naming both, if two gradients share memory: in place, it would be multiplied twice.
AMP_LAZY void require_apart(std::string_view call, const AnyOptimizer& optimizer,
                            const GradientParts& parts);

/// Throws, naming the parameter, if several ranks train it, or if the optimizer is sharded. A
/// scaler without GradScalerOptions::agree must not step such parameters.
AMP_LAZY void require_one_rank(std::string_view call, const AnyOptimizer& optimizer);

/// Options of a scaler that do not work on every device.
struct OneDeviceOptions {
  bool ledger, sanitizes, statistics;
};
/// Throws if an option does not work on the devices that the gradients lie on.
AMP_LAZY AMP_COLD void check_devices(std::string_view call, const GradientParts& parts, Device home,
                                     const OneDeviceOptions& options);
/// Throws: `what`, a loss or a gradient, is on `device`, on which `option` does not work.
AMP_LAZY [[noreturn]] AMP_COLD void refuse_elsewhere(std::string_view call, std::string_view what,
                                                     Device device, Device home,
                                                     std::string_view option);

/// The number of parameters of the optimizer, if it has parameters(); else 0.
AMP_LAZY AMP_COLD std::int64_t count_parameters(const AnyOptimizer& optimizer);

/// Whether the gradient at `data` carries the mark of a scaled loss: it was accumulated in backward
/// and not unscaled since. False for optimizers whose gradients have no marks.
AMP_LAZY bool is_marked(const AnyOptimizer& optimizer, const void* data);

/// Makes the gradients finite. Sets `found`, a float32 that is 0, to 1 if that changed a gradient,
/// and then adds 1 to `passes`, an int64. `one` is a float32 of that value.
AMP_LAZY AMP_COLD void sanitize(const GradientPart& part, const Tensor& one, const Tensor& found,
                                const Tensor& passes);

/// Tests the gradients and, with `args.write`, unscales them in place.
AMP_LAZY void unscale(const kernels::UnscaleArgs& args);

/// Tests the gradients and computes their norm; writes none. If the optimizer is sharded, the norm,
/// and the coefficient to clip by, are those of all ranks.
AMP_LAZY void grad_norm(const AnyOptimizer& optimizer, kernels::GradNormArgs args);

/// Memory for the norm and for the coefficient to clip by, which a scale-aware step reads. If a
/// gradient is float64, the coefficient exists in both precisions.
struct ClipScalars {
  ClipScalars(const GradientSpans& spans, Device device);

  Tensor memory;  // begins with the norm
  kernels::NormPointer norm;
  float* coefficient = nullptr;
  double* coefficient_float64 = nullptr;
};

/// Sets `sum`, a float32 on the scaler's device, to a value other than 0 if found_inf of a part is
/// not 0.
AMP_LAZY AMP_COLD Tensor join_found_inf(const GradientParts& parts, Tensor sum);

/// Allocates the norm of each part. The norms of several parts are float64, so that they can be one
/// array.
AMP_LAZY void allocate_norms(GradientParts& parts);

/// Clips gradients that are unscaled already, by the common norm of all parts, and returns that
/// norm: on the device of the gradients, or on `home` if there are several parts. The parts contain
/// their norms. If `found_inf` is defined and not 0, nothing is clipped; if the common norm of
/// several parts is not finite, it becomes 1.
AMP_LAZY Tensor clip_unscaled(GradientParts& parts, double max_norm, Device home,
                              const Tensor& found_inf);

/// Clips the gradients of an optimizer without unscaling them, as a disabled scaler does.
AMP_LAZY AMP_COLD Tensor clip_without_scale(std::string_view call, const AnyOptimizer& optimizer,
                                            double max_norm, std::optional<Device> home);

/// The summary of one floating-point tensor, not scaled. Synchronises.
AMP_LAZY AMP_COLD GradientSummary summarize(const Tensor& tensor);

}  // namespace amp::inline v0::detail

#if AMP_HEADER_ONLY
#include "amp/scaler/gradients.ipp"
#endif
