// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What a model keeps in which dtype, and how its gradients fit into float16.
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

/// A gradient, divided by the loss scale that it carries.
struct GradientReport {
  DType dtype = kFloat32;
  std::int64_t bytes = 0;
  std::int64_t elements = 0;
  double norm = 0;              // L2; NaN if an element is NaN
  double max_abs = 0;           // NaN if an element is NaN
  std::int64_t zeros = 0;       // that are 0
  std::int64_t underflows = 0;  // not 0, but below 2^-14 while scaled: subnormal in float16, or 0
  std::int64_t infs = 0, nans = 0;
};

/// What a tensor of a report is.
enum class ReportKind : std::uint8_t {
  kParameter,
  kBuffer,
  kMaster,          ///< float32 weights, or what rebuilds them, beside 16-bit parameters
  kOptimizerState,  ///< moments
};

/// One tensor of a model or of its optimizer.
struct TensorReport {
  ReportKind kind = ReportKind::kParameter;
  std::string name = {};    // "block2.conv1.weight"; of the optimizer's "weight.exp_avg"
  std::string module = {};  // "block2.conv1"; empty for the outermost
  DType dtype = kFloat32;
  Shape shape = {};
  std::int64_t bytes = 0;
  bool requires_grad = false;
  std::optional<GradientReport> gradient = {};  // of a parameter that has one
};

/// The tensors of a model and of its optimizer, and their gradients.
struct PrecisionReport {
  double loss_scale = 1;
  std::vector<TensorReport> tensors = {};
  std::int64_t weight_copy_bytes = 0;  // of 16-bit copies that autocast keeps, in the process

  /// The bytes of one kind of tensor; of those in one dtype, if that is given.
  std::int64_t bytes(ReportKind kind, std::optional<DType> dtype = {}) const;
  /// A table of the parameters and their gradients, then bytes by kind and dtype, and by module.
  std::string to_string() const;
  std::string to_json() const;
};

std::ostream& operator<<(std::ostream& out, const PrecisionReport& report);

/// Options of precision_report().
struct PrecisionReportOptions {
  const Optimizer* optimizer = nullptr;  // whose masters and moments are reported, too
  double loss_scale = 1;  // that the gradients carry: scaler.get_scale() after backward
};

/// Reads the model's parameters and buffers, and each gradient once. Synchronises. Throws
/// amp::Error for a loss scale that is not finite and positive.
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
