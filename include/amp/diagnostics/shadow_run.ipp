// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <ostream>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "amp/autograd/observer.hpp"
#include "amp/core/error.hpp"
#include "amp/diagnostics/finite.hpp"
#include "amp/diagnostics/module_tracker.hpp"
#include "amp/diagnostics/shadow_run.hpp"
#include "amp/diagnostics/text.hpp"
#include "amp/ops/tensor_members.hpp"
#include "amp/tensor/generator.hpp"

namespace amp::inline v0 {
namespace diagnostics {

/// The results of an op, or the gradients of a backward function, in one run.
struct ShadowResult {
  std::string name, module;
  bool backward;
  std::vector<Tensor> tensors;
};

/// Records the results of ops that no other op contains, and of backward functions. Casts are
/// skipped, since they exist in only one of two precisions.
class ShadowRecorder final : public autograd::Observer {
 public:
  std::vector<ShadowResult> results;

  void op_begins(const autograd::OpEvent& op) override {
    if (depth_++ == 0) name_ = op.name;
  }
  void op_ends(const Tensor& result) override {
    amp::detail::or_out_of_memory([&] {
      modules_.note(result);
      if (--depth_ == 0 && result.defined() && is_floating_point(result.dtype()))
        results.push_back({std::string(name_), modules_.current(), false, {result.detach()}});
    });
  }
  void op_fails() noexcept override { --depth_; }
  void module_begins(const std::string& path) override {
    amp::detail::or_out_of_memory([&] { modules_.enter(path); });
  }
  void module_ends() noexcept override { (void)modules_.leave(); }
  void backward_ends(const autograd::Node& node, std::span<const Tensor> gradients) override {
    if (node.name() == "to" || node.name() == "reshape") return;
    amp::detail::or_out_of_memory([&] {
      ShadowResult& result = results.emplace_back(
          ShadowResult{std::string(node.name()), modules_.module_of(node), true, {}});
      for (const Tensor& gradient : gradients)
        result.tensors.push_back(gradient.defined() ? gradient.detach() : Tensor());
    });
  }

 private:
  int depth_ = 0;
  std::string_view name_;
  ModuleTracker modules_;
};

AMP_COLD std::vector<ShadowResult> shadow_results(
    FunctionRef<void()> step, const std::pair<DeviceType, AutocastOptions>& scope) {
  ShadowRecorder recorder;
  const autograd::ObserverGuard observing(recorder);
  const AutocastGuard autocast(scope);
  step();
  return std::move(recorder.results);
}

/// Stores the difference of two tensors in the entry, if it is larger than the one stored there.
AMP_COLD void compare(const Tensor& x, const Tensor& reference, ShadowEntry& entry) {
  const bool finite = all_finite(x), reference_finite = all_finite(reference);
  const std::vector<double> a = x.to_vector<double>(), b = reference.to_vector<double>();
  double difference = 0, norm = 0, most = 0;
  std::int64_t worst = -1;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double error = std::abs(a[i] - b[i]);
    difference += error * error;
    norm += b[i] * b[i];
    if (!(error <= most)) most = error, worst = static_cast<std::int64_t>(i);
  }
  double relative = difference == 0 ? 0 : std::sqrt(difference / norm);
  if (!finite || !reference_finite) relative = std::numeric_limits<double>::quiet_NaN();
  const bool first = entry.worst < 0 && entry.relative_error == 0;
  if (!first && relative <= entry.relative_error) return;
  entry.dtype = x.dtype();
  entry.reference_dtype = reference.dtype();
  entry.relative_error = relative;
  entry.max_error = most;
  entry.worst = worst;
  entry.finite = finite;
  entry.reference_finite = reference_finite;
}

using ShadowKey = std::tuple<bool, std::string, std::string>;

AMP_COLD ShadowKey key_of(const ShadowResult& result) {
  return {result.backward, result.module, result.name};
}
AMP_COLD std::string title_of(const ShadowResult& result) {
  return (result.module.empty() ? "" : result.module + ": ") + result.name +
         (result.backward ? " (backward)" : "");
}

AMP_COLD ShadowReport compared(const std::vector<ShadowResult>& low,
                               const std::vector<ShadowResult>& reference) {
  std::map<ShadowKey, std::vector<const ShadowResult*>> known;
  for (auto result = reference.rbegin(); result != reference.rend(); ++result)
    known[key_of(*result)].push_back(&*result);
  ShadowReport report;
  for (const ShadowResult& result : low) {
    std::vector<const ShadowResult*>& same = known[key_of(result)];
    if (same.empty() || same.back()->tensors.size() != result.tensors.size()) {
      report.unmatched.push_back(title_of(result));
      continue;
    }
    const ShadowResult& other = *same.back();
    same.pop_back();
    ShadowEntry entry{.name = result.name, .module = result.module, .backward = result.backward};
    for (std::size_t i = 0; i < result.tensors.size(); ++i) {
      const Tensor &x = result.tensors[i], &y = other.tensors[i];
      if (x.defined() && y.defined() && x.shape() == y.shape()) compare(x, y, entry);
    }
    report.entries.push_back(std::move(entry));
  }
  for (const auto& [key, rest] : known) {
    for (const ShadowResult* const result : rest) report.unmatched.push_back(title_of(*result));
  }
  return report;
}

AMP_COLD bool diverges(const ShadowEntry& entry, double tolerance) {
  return !(entry.relative_error <= tolerance) && (entry.finite || entry.reference_finite);
}

}  // namespace diagnostics

AMP_COLD std::optional<ShadowEntry> ShadowReport::first_divergence(double tolerance) const {
  for (const ShadowEntry& entry : entries) {
    if (diagnostics::diverges(entry, tolerance)) return entry;
  }
  return {};
}

AMP_COLD std::string ShadowReport::to_string(double tolerance) const {
  return detail::or_out_of_memory([&] {
    std::vector<std::vector<std::string>> rows = {
        {"module", "op", "dtypes", " relative error", " largest error", " at", ""}};
    bool found = false;
    for (const ShadowEntry& entry : entries) {
      const bool parts = !found && diagnostics::diverges(entry, tolerance);
      found = found || parts;
      rows.push_back({entry.module.empty() ? "-" : entry.module,
                      entry.name + (entry.backward ? " (backward)" : ""),
                      std::string(amp::to_string(entry.dtype)) + " / " +
                          std::string(amp::to_string(entry.reference_dtype)),
                      diagnostics::number_text(entry.relative_error),
                      diagnostics::number_text(entry.max_error),
                      entry.worst < 0 ? "-" : std::to_string(entry.worst),
                      parts           ? "<- first above " + diagnostics::number_text(tolerance)
                      : !entry.finite ? "not finite"
                                      : ""});
    }
    std::string text = diagnostics::table(rows);
    for (const std::string& name : unmatched) text += "only in one run: " + name + "\n";
    return text;
  });
}

AMP_COLD std::ostream& operator<<(std::ostream& out, const ShadowReport& report) {
  return out << report.to_string();
}

AMP_COLD ShadowReport
shadow_run(FunctionRef<void()> step, const std::pair<DeviceType, AutocastOptions>& low,
           const std::optional<std::pair<DeviceType, AutocastOptions>>& reference) {
  return detail::or_out_of_memory([&] {
    const RngState random = get_rng_state();
    struct Restore {
      const RngState& state;
      bool on = true;
      ~Restore() {
        if (on) set_rng_state(state);
      }
    } restore{random};
    const auto first = diagnostics::shadow_results(step, low);
    set_rng_state(random);
    const std::pair<DeviceType, AutocastOptions> off{low.first, {.enabled = false}};
    const auto second = diagnostics::shadow_results(step, reference ? *reference : off);
    restore.on = false;
    return diagnostics::compared(first, second);
  });
}

}  // namespace amp::inline v0
