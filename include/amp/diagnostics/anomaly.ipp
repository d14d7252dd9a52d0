// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "amp/core/error.hpp"
#include "amp/diagnostics/anomaly.hpp"
#include "amp/diagnostics/finite.hpp"
#include "amp/diagnostics/module_tracker.hpp"
#include "amp/scaler/gradients.hpp"

namespace amp::inline v0 {

class AnomalyGuard::Detector final : public autograd::Observer {
 public:
  explicit Detector(const AnomalyOptions& options) : options_(options) {}

  void op_begins(const autograd::OpEvent& op) override {
    detail::or_out_of_memory([&] {
      Op& begun = ops_.emplace_back();
      begun.name = op.name;
      begun.number = op.number.value_or(0);
      begun.given = is_infinite(begun.number);
      for (const Tensor* const input : op.inputs)
        begun.inputs.push_back(input->defined() ? input->detach() : Tensor());
    });
  }
  void op_ends(const Tensor& result) override {
    const Op op = std::move(ops_.back());
    ops_.pop_back();
    detail::or_out_of_memory([&] { modules_.note(result); });
    if (diagnostics::all_finite(result)) return;
    if (options_.given_infinities || !passes(op, result)) fail(op, result);
    if (!ops_.empty()) ops_.back().given = true;  // an op of the program that calls this one
  }
  void tensor_cast(const autograd::CastEvent& cast) override {
    if (cast.result == nullptr || diagnostics::all_finite(*cast.result)) return;
    const auto count = [](const Tensor& x) -> std::int64_t {
      if (!is_floating_point(x.dtype())) return 0;
      const GradientSummary found = detail::summarize(x);
      return found.infs + found.nans;
    };
    if (count(*cast.result) == count(*cast.input)) return;
    if (ops_.empty()) fail({.name = "to", .inputs = {cast.input->detach()}}, *cast.result);
    ops_.back().overflowed = true;  // so that the error names the op
  }
  void op_fails() noexcept override { ops_.pop_back(); }
  void module_begins(const std::string& path) override {
    detail::or_out_of_memory([&] { modules_.enter(path); });
  }
  void module_ends() noexcept override { (void)modules_.leave(); }

  void backward_begins(const autograd::Node&, const Tensor& gradient) override {
    gradient_ = gradient;
  }
  void backward_ends(const autograd::Node& node, std::span<const Tensor> gradients) override {
    const Tensor incoming = std::exchange(gradient_, Tensor());
    if (!options_.backward) return;
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      if (!diagnostics::all_finite(gradients[i])) fail(node, incoming, i, gradients[i]);
    }
  }
  void backward_fails() noexcept override { gradient_ = Tensor(); }

 private:
  struct Op {
    std::string name;
    std::vector<Tensor> inputs = {};
    double number = 0;        // beside the inputs
    bool given = false;       // an infinity, by the number or by an op within this one
    bool overflowed = false;  // an input did when it was cast
  };

  static bool is_infinite(double number) { return !is_finite(number) && !is_nan(number); }

  /// Whether the result, which is not finite, has only infinities, and the op was given one.
  static bool passes(const Op& op, const Tensor& result) {
    if (op.overflowed || detail::summarize(result).nans != 0) return false;
    return op.given || std::any_of(op.inputs.begin(), op.inputs.end(), [](const Tensor& input) {
             return !diagnostics::all_finite(input) && detail::summarize(input).infs != 0;
           });
  }

  static std::string in_module(const std::string& path) {
    return path.empty() ? std::string() : " in the module \"" + path + "\"";
  }

  [[noreturn]] void fail(const Op& op, const Tensor& result) const {
    const std::string text = detail::or_out_of_memory([&] {
      std::string inputs;
      for (std::size_t i = 0; i < op.inputs.size(); ++i) {
        if (diagnostics::all_finite(op.inputs[i])) continue;
        inputs += ". Its input " + std::to_string(i) + ", " + describe(op.inputs[i]) +
                  ", was not finite already: " + diagnostics::describe_non_finite(op.inputs[i]);
      }
      if (!is_finite(op.number)) {
        inputs += ". The number beside its inputs is ";
        detail::MessagePart(op.number).append_to(inputs);
      }
      return op.name + in_module(modules_.current()) + " computed " + describe(result) + ", " +
             diagnostics::describe_non_finite(result) +
             (inputs.empty() ? ". All its inputs are finite" : inputs);
    });
    detail::fail("AnomalyGuard: ", text);
  }

  [[noreturn]] void fail(const autograd::Node& node, const Tensor& incoming, std::size_t index,
                         const Tensor& gradient) const {
    const std::string text = detail::or_out_of_memory([&] {
      return "backward of " + std::string(node.name()) + in_module(modules_.module_of(node)) +
             " computed a gradient of its input " + std::to_string(index) + ", " +
             describe(gradient) + ", " + diagnostics::describe_non_finite(gradient) +
             (diagnostics::all_finite(incoming)
                  ? ". The gradient that it was given is finite: an input of the op may have been "
                    "infinite or too large, or, if the loss is scaled, the scale is too high for "
                    "this op"
                  : ". The gradient that it was given was not finite already");
    });
    detail::fail("AnomalyGuard: ", text);
  }

  AnomalyOptions options_;
  std::vector<Op> ops_;  // that have begun and not ended
  Tensor gradient_;      // of the current backward function
  diagnostics::ModuleTracker modules_;
};

AMP_COLD AnomalyGuard::AnomalyGuard(const AnomalyOptions& options)
    : detector_(detail::or_out_of_memory([&] { return std::make_unique<Detector>(options); })),
      observing_(*detector_) {}

AMP_INLINE AnomalyGuard::~AnomalyGuard() = default;

}  // namespace amp::inline v0
