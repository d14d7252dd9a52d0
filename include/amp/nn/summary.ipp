// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "amp/autograd/grad_mode.hpp"
#include "amp/autograd/hooks.hpp"
#include "amp/autograd/observer.hpp"
#include "amp/core/error.hpp"
#include "amp/nn/summary.hpp"
#include "amp/ops/tensor_members.hpp"

namespace amp::inline v0::nn {

namespace detail {

/// An op that has begun: its name, and the shapes of its first inputs.
struct SummarisedOp {
  std::string name;
  std::array<Shape, 3> inputs = {};
  bool counted = false;  // it, or an op around it
};

/// Whether multiply_adds() counts an op of this name.
AMP_COLD bool is_product(std::string_view op) {
  constexpr std::string_view kNames[] = {"linear",
                                         "bilinear",
                                         "matmul",
                                         "bmm",
                                         "mm",
                                         "mv",
                                         "dot",
                                         "vdot",
                                         "addmm",
                                         "addmv",
                                         "addbmm",
                                         "baddbmm",
                                         "scaled_dot_product_attention"};
  return op.starts_with("conv") ||
         std::find(std::begin(kNames), std::end(kNames), op) != std::end(kNames);
}

AMP_COLD std::int64_t multiply_adds(const SummarisedOp& op, const Shape& result) {
  const auto& [a, b, c] = op.inputs;
  const auto divided = [](std::int64_t count, std::int64_t extent) {
    return extent == 0 ? 0 : count / extent;
  };
  if (op.name == "linear") return result.numel() * b[b.dims() - 1];
  if (op.name == "bilinear") return result.numel() * divided(c.numel(), c[0]);
  if (op.name == "conv_tbc") return result.numel() * divided(b.numel(), b[2]);
  if (op.name.starts_with("conv_transpose")) return a.numel() * divided(b.numel(), b[0]);
  if (op.name.starts_with("conv")) return result.numel() * divided(b.numel(), b[0]);
  if (op.name == "scaled_dot_product_attention")  // of scores, and of means
    return (a.numel() + result.numel()) * b[b.dims() - 2];
  if (op.name == "addmv") return b.numel();
  if (op.name == "addmm" || op.name == "addbmm" || op.name == "baddbmm")
    return b.numel() * c[c.dims() - 1];
  return result.numel() * a[a.dims() - 1];
}

AMP_COLD std::int64_t bytes_of(const Tensor& tensor) {
  return tensor.numel() * item_size(tensor.dtype());
}

/// A module whose own parameters can be seen.
class OpenModule : public Module {
 public:
  explicit OpenModule(const Module& module) : Module(module) {}
  using Module::own_parameters;
};

/// Makes rows of the calls of modules, while it observes them.
class SummaryRecorder final : public autograd::Observer {
 public:
  explicit SummaryRecorder(Summary& summary) : summary_(summary) {}

  void module_begins(const std::string& path) override {
    open_.push_back(summary_.rows.size());
    summary_.rows.push_back({.path = path});
  }
  void module_ends() noexcept override { open_.pop_back(); }
  void op_begins(const autograd::OpEvent& event) override {
    SummarisedOp op{std::string(event.name)};
    for (std::size_t i = 0; i < (std::min)(event.inputs.size(), op.inputs.size()); ++i) {
      if (event.inputs[i]->defined()) op.inputs[i] = event.inputs[i]->shape();
    }
    op.counted = !ops_.empty() && (ops_.back().counted || is_product(ops_.back().name));
    ops_.push_back(std::move(op));
  }
  void op_ends(const Tensor& result) override {
    const SummarisedOp op = std::move(ops_.back());
    ops_.pop_back();
    if (op.counted || !is_product(op.name) || !result.defined()) return;
    const std::int64_t count = multiply_adds(op, result.shape());
    summary_.multiply_adds += count;
    if (!open_.empty()) summary_.rows[open_.back()].multiply_adds += count;
  }
  void op_fails() noexcept override { ops_.pop_back(); }

  /// The innermost module that has begun is this one, and returns `output`.
  void module_returns(const Module& module, const Tensor& output) {
    if (open_.empty()) return;
    SummaryRow& row = summary_.rows[open_.back()];
    row.type = module.type();
    for (const auto& entry : OpenModule(module).own_parameters()) {
      if (!entry.second.defined()) continue;
      row.parameters += entry.second.numel();
      row.bytes += bytes_of(entry.second);
    }
    row.returned_tensor = output.defined();
    if (!output.defined()) return;
    row.output = output.shape();
    row.dtype = output.dtype();
  }

 private:
  Summary& summary_;
  std::vector<std::size_t> open_ = {};  // the rows of the modules that have begun
  std::vector<SummarisedOp> ops_ = {};  // those that have begun
};

/// Takes back, at its end, what summarise() did to the modules.
class ModulesAsTheyWere {
 public:
  explicit ModulesAsTheyWere(std::vector<Module> modules) : modules_(std::move(modules)) {
    for (const Module& module : modules_) training_.push_back(module.is_training());
    hooks_.resize(modules_.size());
  }
  ~ModulesAsTheyWere() {
    for (HookHandle& hook : hooks_) hook.remove();
    for (std::size_t i = modules_.size(); i-- > 0;) modules_[i].train(training_[i]);
  }
  ModulesAsTheyWere(const ModulesAsTheyWere&) = delete;
  ModulesAsTheyWere& operator=(const ModulesAsTheyWere&) = delete;

  void hook(const Module::ForwardHook& hook) {
    for (std::size_t i = 0; i < modules_.size(); ++i)
      hooks_[i] = modules_[i].register_forward_hook(hook);
  }

 private:
  std::vector<Module> modules_;  // those within a module before it
  std::vector<bool> training_ = {};
  std::vector<HookHandle> hooks_ = {};
};

AMP_LAZY_DEFINITION Summary summarise(const Module& model, FunctionRef<void()> call) try {
  Summary summary;
  for (const Tensor& parameter : model.parameters()) {
    summary.parameters += parameter.numel();
    summary.trained += parameter.requires_grad() ? parameter.numel() : 0;
    summary.bytes += bytes_of(parameter);
  }
  for (const Tensor& buffer : model.buffers()) summary.buffer_bytes += bytes_of(buffer);
  std::vector<Module> modules;
  model.apply([&](const Module& module) { modules.push_back(module); });
  SummaryRecorder recorder(summary);
  ModulesAsTheyWere restore(modules);
  restore.hook([&](const Module& module, const Tensor& output) {
    recorder.module_returns(module, output);
    return Tensor();
  });
  model.eval();
  {
    const NoGradGuard no_grad;
    const autograd::ObserverGuard observing(recorder);
    call();
  }
  return summary;
} catch (const std::bad_alloc&) {
  throw amp::detail::OutOfMemory();
}

/// 1234567 as 1,234,567.
AMP_COLD std::string grouped(std::int64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, 1, ',');
  return text;
}

}  // namespace detail

AMP_COLD std::string to_string(const Summary& summary) try {
  using Cells = std::array<std::string, 7>;
  std::vector<Cells> table = {
      {"Layer", "Type", "Output", "Dtype", "Parameters", "Bytes", "Multiply-adds"}};
  for (const SummaryRow& row : summary.rows) {
    const bool known = row.returned_tensor;
    table.push_back({row.path.empty() ? "-" : row.path, row.type.empty() ? "-" : row.type,
                     known ? to_string(row.output) : "-",
                     known ? std::string(to_string(row.dtype)) : "-",
                     detail::grouped(row.parameters), detail::grouped(row.bytes),
                     detail::grouped(row.multiply_adds)});
  }
  std::array<std::size_t, 7> widths = {};
  for (const Cells& cells : table) {
    for (std::size_t i = 0; i < cells.size(); ++i)
      widths[i] = (std::max)(widths[i], cells[i].size());
  }
  std::string text;
  for (const Cells& cells : table) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string blanks(widths[i] - cells[i].size(), ' ');
      text += (i == 0 ? "" : "  ") + (i < 4 ? cells[i] + blanks : blanks + cells[i]);
    }
    text += '\n';
  }
  return text + "Total: " + detail::grouped(summary.parameters) + " parameters, " +
         detail::grouped(summary.trained) + " of them trained, in " +
         detail::grouped(summary.bytes) + " bytes; buffers in " +
         detail::grouped(summary.buffer_bytes) + " bytes; " +
         detail::grouped(summary.multiply_adds) + " multiply-adds\n";
} catch (const std::bad_alloc&) {
  throw amp::detail::OutOfMemory();
}

}  // namespace amp::inline v0::nn
