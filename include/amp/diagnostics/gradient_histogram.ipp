// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "amp/autograd/grad_mode.hpp"
#include "amp/core/error.hpp"
#include "amp/diagnostics/gradient_histogram.hpp"
#include "amp/diagnostics/histogram_text.hpp"
#include "amp/diagnostics/text.hpp"
#include "amp/ops/arithmetic.hpp"
#include "amp/ops/tensor_members.hpp"

namespace amp::inline v0 {

namespace diagnostics {

/// Returns the histograms of the gradients divided by the scale.
AMP_COLD std::vector<ExponentHistogram> unscaled_histograms(const char* call,
                                                            const NamedTensors& gradients,
                                                            double scale) {
  const ScaleExponent exponent = scale_exponent(call, scale);
  if (exponent.down == exponent.up) {
    std::vector<ExponentHistogram> histograms = exponent_histograms(call, gradients);
    for (ExponentHistogram& histogram : histograms) histogram = histogram.shifted(-exponent.down);
    return histograms;
  }
  const NoGradGuard no_grad;
  const auto unscaled = [&](const Tensor& gradient) {
    const bool divides = gradient.defined() && is_floating_point(gradient.dtype());
    return divides ? gradient.detach().to(kFloat64) / scale : gradient;  // others are refused later
  };
  return detail::or_out_of_memory([&] {
    NamedTensors copies;
    for (const auto& [name, gradient] : gradients) copies.emplace_back(name, unscaled(gradient));
    return exponent_histograms(call, copies);
  });
}

/// Returns the gradients that the parameters have.
AMP_COLD NamedTensors gradients_of(const NamedTensors& parameters) {
  return detail::or_out_of_memory([&] {
    NamedTensors gradients;
    for (const auto& [name, parameter] : parameters) {
      AMP_CHECK(parameter.defined(), "gradient_histogram: parameter \"", name, "\" is undefined");
      if (const Tensor gradient = parameter.grad(); gradient.defined())
        gradients.emplace_back(name, gradient);
    }
    return gradients;
  });
}

AMP_COLD GradientHistogram histogram_of(const NamedTensors& gradients, std::size_t parameters,
                                        double scale) {
  AMP_CHECK(!gradients.empty(), "gradient_histogram: none of ", parameters,
            " parameters has a gradient; call it after backward() and before zero_grad()");
  GradientHistogram histogram(scale);
  const auto counts = unscaled_histograms("gradient_histogram", gradients, scale);
  for (std::size_t i = 0; i < counts.size(); ++i) histogram.add(gradients[i].first, counts[i]);
  return histogram;
}

}  // namespace diagnostics

AMP_COLD GradientHistogram::GradientHistogram(double scale) : scale_(scale) {
  diagnostics::scale_exponent("GradientHistogram", scale);
}

AMP_COLD void GradientHistogram::set_scale(double scale) {
  diagnostics::scale_exponent("GradientHistogram::set_scale", scale);
  scale_ = scale;
}

AMP_COLD void GradientHistogram::add(const std::string& name, const Tensor& gradient) {
  add(NamedTensors{{name, gradient}});
}

AMP_COLD void GradientHistogram::add(const NamedTensors& gradients) {
  const auto counts = diagnostics::unscaled_histograms("GradientHistogram::add", gradients, scale_);
  for (std::size_t i = 0; i < counts.size(); ++i) add(gradients[i].first, counts[i]);
}

AMP_COLD void GradientHistogram::add(const std::string& name, const ExponentHistogram& counts) {
  entry(name) += counts;
  all_ += counts;
}

AMP_COLD GradientHistogram& GradientHistogram::operator+=(const GradientHistogram& other) {
  for (std::size_t i = 0, count = other.entries_.size(); i < count; ++i)
    add(other.entries_[i].first, ExponentHistogram(other.entries_[i].second));  // may be *this
  scale_ = other.scale_;
  return *this;
}

AMP_COLD ExponentHistogram& GradientHistogram::entry(const std::string& name) {
  std::size_t i = next_ < entries_.size() ? next_ : 0;
  if (i == entries_.size() || entries_[i].first != name) {
    const auto found = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const Entry& known) { return known.first == name; });
    i = static_cast<std::size_t>(found - entries_.begin());
  }
  if (i == entries_.size())
    detail::or_out_of_memory([&] { entries_.emplace_back(name, ExponentHistogram()); });
  next_ = i + 1;
  return entries_[i].second;
}

AMP_COLD std::string GradientHistogram::to_string(DType format) const {
  return detail::or_out_of_memory(
      [&] { return diagnostics::histogram_text(entries_, all_, scale_, format); });
}

AMP_COLD GradientHistogram gradient_histogram(const NamedTensors& parameters, double scale) {
  return diagnostics::histogram_of(diagnostics::gradients_of(parameters), parameters.size(), scale);
}

AMP_COLD GradientHistogram gradient_histogram(const Optimizer& optimizer, double scale) {
  const std::vector<Tensor>& all = optimizer.parameters();
  return detail::or_out_of_memory([&] {
    NamedTensors parameters;
    for (std::size_t i = 0; i < all.size(); ++i)
      parameters.emplace_back(optimizer.parameter_names()[i], all[i]);
    return gradient_histogram(parameters, scale);
  });
}

}  // namespace amp::inline v0
