// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "amp/core/error.hpp"
#include "amp/diagnostics/exponent_histogram.hpp"
#include "amp/diagnostics/precision_report.hpp"
#include "amp/diagnostics/text.hpp"
#include "amp/kernels/unscale/host.hpp"
#include "amp/ops/tensor_members.hpp"
#include "amp/scaler/results.hpp"
#include "amp/tensor/cast_cache.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0 {
namespace diagnostics {

/// Returns the report of one gradient, by the kernel of GradScaler's statistics.
AMP_COLD GradientStatistics statistics_of(const Tensor& gradient, double loss_scale) {
  const Device device = gradient.device();
  const Tensor inverse = full({}, 1 / loss_scale, {.device = device});
  const Tensor found = zeros({}, {.device = device});
  const Tensor norm = empty({}, {.dtype = kFloat64, .device = device});
  const Tensor statistics = StatisticsResult::allocate(device);
  const kernels::GradientSpan span{gradient.raw_data(), gradient.numel(), gradient.dtype(), true};
  const kernels::GradNormArgs args{.device = device,
                                   .gradients = &span,
                                   .count = 1,
                                   .inverse_scale = static_cast<const float*>(inverse.raw_data()),
                                   .norm = static_cast<double*>(norm.raw_data()),
                                   .found_inf = static_cast<float*>(found.raw_data()),
                                   .statistics = StatisticsResult::data(statistics)};
  kernels::grad_norm(device, args);
  return StatisticsResult(statistics).get();
}

AMP_COLD GradientReport report_of(const Tensor& gradient, double loss_scale) {
  const Tensor dense = gradient.contiguous();
  const GradientStatistics seen = statistics_of(dense, loss_scale);
  return {.dtype = gradient.dtype(),
          .bytes = gradient.numel() * item_size(gradient.dtype()),
          .elements = seen.elements,
          .norm = seen.norm,
          .max_abs = seen.max_abs,
          .zeros = seen.zeros,
          .underflows = seen.underflows,
          .infs = seen.infs,
          .nans = seen.nans};
}

AMP_COLD std::string module_of(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  return dot == name.npos ? std::string() : name.substr(0, dot);
}

AMP_COLD TensorReport report_of(ReportKind kind, const std::string& name, const Tensor& tensor) {
  const bool of_model = kind == ReportKind::kParameter || kind == ReportKind::kBuffer;
  return {.kind = kind,
          .name = name,
          .module = module_of(of_model ? name : module_of(name)),
          .dtype = tensor.dtype(),
          .shape = tensor.shape(),
          .bytes = tensor.numel() * item_size(tensor.dtype()),
          .requires_grad = tensor.requires_grad()};
}

AMP_COLD void add_optimizer(const Optimizer& optimizer, std::vector<TensorReport>& tensors) {
  for (const auto& [name, tensor] : optimizer.state_dict()) {
    if (name.starts_with("groups.") || tensor.numel() == 0 || tensor.dim() == 0) continue;
    const bool rest = name.ends_with(".master") || name.ends_with(".remainder") ||
                      name.ends_with(".compensation");
    tensors.push_back(
        report_of(rest ? ReportKind::kMaster : ReportKind::kOptimizerState, name, tensor));
  }
}

AMP_COLD std::string_view kind_text(ReportKind kind) {
  switch (kind) {
    case ReportKind::kParameter:
      return "parameters";
    case ReportKind::kBuffer:
      return "buffers";
    case ReportKind::kMaster:
      return "masters";
    case ReportKind::kOptimizerState:
      return "optimizer state";
  }
  return "?";
}

AMP_COLD std::string share_text(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? "-" : percent_text(static_cast<double>(part) / static_cast<double>(whole));
}

AMP_COLD std::vector<std::string> row_of(const TensorReport& tensor) {
  std::vector<std::string> row = {tensor.name, std::string(amp::to_string(tensor.dtype)),
                                  amp::to_string(tensor.shape), bytes_text(tensor.bytes)};
  if (!tensor.gradient) {
    row.push_back(tensor.requires_grad ? "none yet" : "-");
    return row;
  }
  const GradientReport& gradient = *tensor.gradient;
  row.insert(row.end(),
             {std::string(amp::to_string(gradient.dtype)), number_text(gradient.norm),
              number_text(gradient.max_abs), share_text(gradient.zeros, gradient.elements),
              share_text(gradient.underflows, gradient.elements),
              gradient.infs + gradient.nans == 0 ? "-"
                                                 : std::to_string(gradient.infs) + " inf, " +
                                                       std::to_string(gradient.nans) + " NaN"});
  return row;
}

/// A table of bytes by a key and dtype.
template <class Key>
std::string bytes_table(const PrecisionReport& report, std::string heading, const Key& key) {
  std::map<std::pair<std::string, DType>, std::int64_t> sums;
  for (const TensorReport& tensor : report.tensors)
    sums[{key(tensor), tensor.dtype}] += tensor.bytes;
  for (const TensorReport& tensor : report.tensors) {
    if (tensor.gradient) {
      const bool by_kind = key(tensor) == kind_text(ReportKind::kParameter);
      sums[{by_kind ? "gradients" : key(tensor) + " gradients", tensor.gradient->dtype}] +=
          tensor.gradient->bytes;
    }
  }
  std::vector<std::vector<std::string>> rows = {{std::move(heading), "dtype", " bytes"}};
  for (const auto& [group, bytes] : sums) {
    rows.push_back({group.first.empty() ? "-" : group.first,
                    std::string(amp::to_string(group.second)), bytes_text(bytes)});
  }
  return table(rows);
}

AMP_COLD std::string json_of(const TensorReport& tensor) {
  std::string text = "{\"name\": " + json_text(tensor.name) +
                     ", \"kind\": " + json_text(kind_text(tensor.kind)) +
                     ", \"module\": " + json_text(tensor.module) +
                     ", \"dtype\": " + json_text(amp::to_string(tensor.dtype)) +
                     ", \"elements\": " + std::to_string(tensor.shape.numel()) +
                     ", \"bytes\": " + std::to_string(tensor.bytes);
  if (tensor.gradient) {
    const GradientReport& gradient = *tensor.gradient;
    text += ", \"gradient\": {\"dtype\": " + json_text(amp::to_string(gradient.dtype)) +
            ", \"norm\": " + json_number(gradient.norm) +
            ", \"max_abs\": " + json_number(gradient.max_abs) +
            ", \"zeros\": " + std::to_string(gradient.zeros) +
            ", \"underflows\": " + std::to_string(gradient.underflows) +
            ", \"infs\": " + std::to_string(gradient.infs) +
            ", \"nans\": " + std::to_string(gradient.nans) + "}";
  }
  return text + "}";
}

}  // namespace diagnostics

AMP_COLD std::int64_t PrecisionReport::bytes(ReportKind kind, std::optional<DType> dtype) const {
  std::int64_t sum = 0;
  for (const TensorReport& tensor : tensors) {
    if (tensor.kind == kind && (!dtype || tensor.dtype == *dtype)) sum += tensor.bytes;
  }
  return sum;
}

AMP_COLD std::string PrecisionReport::to_string() const {
  return detail::or_out_of_memory([&] {
    std::vector<std::vector<std::string>> rows = {{"parameter", "dtype", "shape", " bytes",
                                                   "gradient", " norm", " largest", " zeros",
                                                   " subnormal", "not finite"}};
    for (const TensorReport& tensor : tensors) {
      if (tensor.kind == ReportKind::kParameter) rows.push_back(diagnostics::row_of(tensor));
    }
    return diagnostics::table(rows) + "\n" +
           diagnostics::bytes_table(*this, "kind",
                                    [](const TensorReport& tensor) {
                                      return std::string(diagnostics::kind_text(tensor.kind));
                                    }) +
           "\n" +
           diagnostics::bytes_table(*this, "module",
                                    [](const TensorReport& tensor) { return tensor.module; }) +
           "\nGradients are divided by the loss scale, " + diagnostics::number_text(loss_scale, 6) +
           "; subnormal: not 0, but below 2^-14 while scaled. Copies of weights that autocast "
           "keeps: " +
           diagnostics::bytes_text(weight_copy_bytes) + ".\n";
  });
}

AMP_COLD std::string PrecisionReport::to_json() const {
  return detail::or_out_of_memory([&] {
    std::string text = "{\"loss_scale\": " + diagnostics::json_number(loss_scale) +
                       ", \"weight_copy_bytes\": " + std::to_string(weight_copy_bytes) +
                       ", \"tensors\": [";
    for (const TensorReport& tensor : tensors)
      text += (text.ends_with('[') ? "\n" : ",\n") + diagnostics::json_of(tensor);
    return text + "\n]}\n";
  });
}

AMP_COLD std::ostream& operator<<(std::ostream& out, const PrecisionReport& report) {
  return out << report.to_string();
}

AMP_COLD PrecisionReport precision_report(const nn::Module& model,
                                          const PrecisionReportOptions& options) {
  const auto scale = static_cast<float>(options.loss_scale);
  AMP_CHECK(scale > 0 && amp::is_finite(scale) && amp::is_finite(1 / scale),
            "precision_report: `loss_scale` must be finite and positive, but is ",
            options.loss_scale);
  return detail::or_out_of_memory([&] {
    const NoGradGuard no_grad;
    PrecisionReport report{.loss_scale = options.loss_scale,
                           .weight_copy_bytes = autocast_cache_stats().bytes};
    for (const auto& [name, tensor] : model.named_parameters()) {
      TensorReport& entry =
          report.tensors.emplace_back(diagnostics::report_of(ReportKind::kParameter, name, tensor));
      if (const Tensor gradient = tensor.grad(); gradient.defined())
        entry.gradient = diagnostics::report_of(gradient, options.loss_scale);
    }
    for (const auto& [name, tensor] : model.named_buffers())
      report.tensors.push_back(diagnostics::report_of(ReportKind::kBuffer, name, tensor));
    if (options.optimizer != nullptr)
      diagnostics::add_optimizer(*options.optimizer, report.tensors);
    return report;
  });
}

}  // namespace amp::inline v0
