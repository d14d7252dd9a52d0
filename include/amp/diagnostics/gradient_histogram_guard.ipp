// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include "amp/autocast/op_list.hpp"
#include "amp/core/error.hpp"
#include "amp/diagnostics/gradient_histogram_guard.hpp"
#include "amp/diagnostics/module_tracker.hpp"

namespace amp::inline v0 {

class GradientHistogramGuard::Collector final : public autograd::Observer {
 public:
  Collector(GradientHistogram& histogram, const GradientHistogramOptions& options)
      : histogram_(histogram), options_(options) {}

  void op_ends(const Tensor& result) override {
    detail::or_out_of_memory([&] { modules_.note(result); });
  }
  void module_begins(const std::string& path) override {
    detail::or_out_of_memory([&] { modules_.enter(path); });
  }
  void module_ends() noexcept override { (void)modules_.leave(); }

  void backward_begins(const autograd::Node& node, const Tensor& gradient) override {
    const bool counts = autocasting::is_listed(node.name()) || node.name() == "custom_function";
    if (!counts || gradient.dim() == 0 || (options_.only && gradient.dtype() != *options_.only))
      return;
    detail::or_out_of_memory([&] {
      const std::string& module = modules_.module_of(node);
      const std::string name(node.name());
      histogram_.add(module.empty() ? name : module + ": " + name, gradient);
    });
  }

 private:
  GradientHistogram& histogram_;
  GradientHistogramOptions options_;
  diagnostics::ModuleTracker modules_;
};

AMP_COLD GradientHistogramGuard::GradientHistogramGuard(GradientHistogram& histogram,
                                                        const GradientHistogramOptions& options)
    : collector_(detail::or_out_of_memory(
          [&] { return std::make_unique<Collector>(histogram, options); })),
      observing_(*collector_) {}

AMP_INLINE GradientHistogramGuard::~GradientHistogramGuard() = default;

}  // namespace amp::inline v0
