// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The memory of a model by dtype, and how its gradients fit into float16.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "amp/nn/module.hpp"
#include "amp/optim/optimizer.hpp"
#include "amp/tensor/shape.hpp"
#include "amp/types/dtype.hpp"

namespace amp::inline v0 {

/// A gradient, divided by its loss scale.
struct GradientReport {
  DType dtype = kFloat32;
  std::int64_t bytes = 0;
  std::int64_t elements = 0;
  double norm = 0;              // L2; NaN if an element is NaN
  double max_abs = 0;           // NaN if an element is NaN
  std::int64_t zeros = 0;       // elements that are 0
  std::int64_t underflows = 0;  // not 0, but below 2^-14 while scaled: subnormal in float16, or 0
  std::int64_t infs = 0, nans = 0;
};

/// The kinds of tensors in a report.
enum class ReportKind : std::uint8_t {
  kParameter,
  kBuffer,
  kMaster,          ///< the auxiliary state of 16-bit parameters, such as float32 masters
  kOptimizerState,  ///< moments
};

/// A tensor of a model or of its optimizer.
struct TensorReport {
  ReportKind kind = ReportKind::kParameter;
  std::string name = {};    // "block2.conv1.weight"; in the optimizer "weight.exp_avg"
  std::string module = {};  // "block2.conv1"; empty for the outermost
  DType dtype = kFloat32;
  Shape shape = {};
  std::int64_t bytes = 0;
  bool requires_grad = false;
  std::optional<GradientReport> gradient = {};  // if the parameter has one
};

/// The result of precision_report().
struct PrecisionReport {
  double loss_scale = 1;
  std::vector<TensorReport> tensors = {};
  std::int64_t weight_copy_bytes = 0;  // of all weights' low-precision copies in the process

  /// Returns the bytes of all tensors of one kind, or of those with one dtype.
  std::int64_t bytes(ReportKind kind, std::optional<DType> dtype = {}) const;
  /// Returns a table of the parameters and their gradients, then bytes by kind and dtype, and by
  /// module.
  std::string to_string() const;
  std::string to_json() const;
};

std::ostream& operator<<(std::ostream& out, const PrecisionReport& report);

/// Options of precision_report().
struct PrecisionReportOptions {
  const Optimizer* optimizer = nullptr;  // if given, its masters and moments are reported as well
  double loss_scale = 1;                 // of the gradients: scaler.get_scale() after backward
};

/// Returns a report of the model's parameters, buffers and gradients. Reads each gradient once.
/// Throws amp::Error if the loss scale is not finite and positive. Synchronises.
///
/// ```cpp
/// const amp::nn::Linear layer(8, 2);
/// amp::sum(layer(amp::ones({4, 8}))).backward();
/// const amp::PrecisionReport report = amp::precision_report(layer);
/// assert(report.tensors[0].name == "weight" && report.tensors[0].gradient->max_abs == 4);
/// assert(report.bytes(amp::ReportKind::kParameter) == 72);
/// ```
PrecisionReport precision_report(const nn::Module& model,
                                 const PrecisionReportOptions& options = {});

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/diagnostics/precision_report.ipp"
#endif
