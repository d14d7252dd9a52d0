// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "amp/autograd/node.hpp"
#include "amp/core/error.hpp"
#include "amp/device/memory.hpp"
#include "amp/diagnostics/module_tracker.hpp"
#include "amp/diagnostics/trace_guard.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

namespace diagnostics {

AMP_COLD std::int64_t bytes_of(const Tensor& tensor, DType dtype) {
  return tensor.numel() * item_size(dtype);
}

/// The extents of a matmul that are no multiples of 8, of which tensor cores take 16-bit elements.
class OffMultiples {
 public:
  explicit OffMultiples(const autograd::OpEvent& op) : inputs_(op.inputs) {
    if (op.inputs.empty() || !is_low_precision(op.compute[0])) return;
    if (op.name == "matmul" || op.name == "bmm") {
      add("M", 0, -2), add("K", 0, -1), add("N", 1, -1);
    } else if (op.name == "linear") {
      add_rows(), add("K", 1, 1), add("N", 1, 0);
    } else if (op.name == "feed_forward") {
      add_rows(), add("K", 0, -1), add("hidden N", 1, 0), add("N", 3, 0);
    } else if (op.name == "conv2d") {
      add("input channels", 1, 1), add("output channels", 1, 0);
    } else if (op.name == "scaled_dot_product_attention") {
      add("L", 0, -2), add("S", 1, -2), add("E", 0, -1);
    }
  }
  std::vector<std::string> take() { return std::move(found_); }

 private:
  void add(const char* name, std::size_t input, std::int64_t dim) {
    if (input >= inputs_.size() || !inputs_[input]->defined()) return;
    const Tensor& tensor = *inputs_[input];
    if (tensor.dim() < (dim < 0 ? -dim : dim + 1)) return;
    note(name, tensor.size(dim));
  }
  void add_rows() {
    std::int64_t rows = 1;
    for (int d = 0; d + 1 < inputs_[0]->dim(); ++d) rows *= inputs_[0]->shape()[d];
    note("M", rows);
  }
  void note(const char* name, std::int64_t extent) {
    if (extent % 8 != 0) found_.push_back(std::string(name) + " = " + std::to_string(extent));
  }

  std::span<const Tensor* const> inputs_;
  std::vector<std::string> found_;
};

}  // namespace diagnostics

/// Makes entries of events.
class TraceGuard::Recorder final : public autograd::Observer {
 public:
  Recorder(Trace& trace, const TraceOptions& options)
      : entries_(trace.entries_), options_(options) {}

  void op_begins(const autograd::OpEvent& op) override {
    amp::detail::or_out_of_memory([&] {
      TraceEntry& entry = begin(TracePhase::kForward, std::string(op.name));
      entry.policy = op.policy;
      entry.rule = op.rule;
      entry.recomputed = amp::detail::grad_state().backward_depth > 0;
      entry.off_multiples = diagnostics::OffMultiples(op).take();
      for (std::size_t i = 0; i < op.inputs.size(); ++i) {
        const Tensor& input = *op.inputs[i];
        if (!input.defined()) continue;
        entry.inputs.push_back({input.dtype(), input.shape()});
        entry.compute.push_back(op.compute[i]);
      }
      started();
    });
  }
  void op_ends(const Tensor& result) override {
    amp::detail::or_out_of_memory([&] {
      TraceEntry& entry = end(result);
      for (std::size_t i = 0; i < entry.inputs.size(); ++i) {
        const DType read = entry.casts.empty() ? entry.inputs[i].dtype : entry.compute[i];
        entry.bytes += entry.inputs[i].shape.numel() * item_size(read);
      }
      modules_.note(result);
    });
  }
  void op_fails() noexcept override { fail(); }

  void tensor_cast(const autograd::CastEvent& cast) override {
    amp::detail::or_out_of_memory([&] {
      const std::int64_t bytes = cast.kind == CastKind::kCopyReused
                                     ? 0
                                     : cast.numel * (item_size(cast.from) + item_size(cast.to));
      place_of_cast(cast).casts.push_back({cast.from, cast.to, cast.kind, bytes});
    });
  }

  void module_begins(const std::string& path) override {
    amp::detail::or_out_of_memory([&] {
      (void)begin(TracePhase::kModule, path);
      modules_.enter(path);
      started();
    });
  }
  void module_ends() noexcept override {
    if (modules_.leave()) close();
  }

  void backward_begins(const autograd::Node& node, const Tensor& gradient) override {
    amp::detail::or_out_of_memory([&] {
      TraceEntry& entry = begin(TracePhase::kBackward, std::string(node.name()));
      entry.module = modules_.module_of(node);
      entry.inputs.push_back({gradient.dtype(), gradient.shape()});
      entry.compute.push_back(gradient.dtype());
      started();
    });
  }
  void backward_ends(const autograd::Node&, std::span<const Tensor> gradients) override {
    amp::detail::or_out_of_memory([&] {
      Tensor first;
      std::int64_t bytes = 0;
      for (const Tensor& gradient : gradients) {
        if (!gradient.defined()) continue;
        if (!first.defined()) first = gradient;
        bytes += diagnostics::bytes_of(gradient, gradient.dtype());
      }
      TraceEntry& entry = end(first);
      entry.bytes = bytes + entry.inputs[0].shape.numel() * item_size(entry.inputs[0].dtype);
    });
  }
  void backward_fails() noexcept override { fail(); }

 private:
  using Clock = std::chrono::steady_clock;

  double now() const { return std::chrono::duration<double>(Clock::now() - began_).count(); }

  TraceEntry& begin(TracePhase phase, std::string name) {
    TraceEntry& entry = entries_.emplace_back();
    open_.push_back(entries_.size() - 1);
    entry.phase = phase;
    entry.name = std::move(name);
    entry.module = modules_.current();
    for (std::size_t i = 0; i + 1 < open_.size(); ++i)
      entry.depth += entries_[open_[i]].phase == TracePhase::kModule ? 0 : 1;
    return entry;
  }
  /// What an entry takes to make is not its time.
  void started() { entries_[open_.back()].start = now(); }

  TraceEntry& end(const Tensor& result) {
    if (options_.synchronise && result.defined() && result.device() != Device(kCPU) &&
        result.numel() != 0) {
      char byte = 0;  // a copy to the host waits for what it copies
      copy_bytes(kCPU, &byte, result.device(), result.raw_data(), 1);
    }
    TraceEntry& entry = close();
    if (!result.defined()) return entry;
    entry.output = TracedTensor{result.dtype(), result.shape()};
    entry.bytes = diagnostics::bytes_of(result, result.dtype());
    return entry;
  }
  TraceEntry& close() noexcept {
    TraceEntry& entry = entries_[open_.back()];
    entry.seconds = now() - entry.start;
    open_.pop_back();
    return entry;
  }
  void fail() noexcept { close().failed = true; }

  /// The entry that a cast belongs to: the op under way; between two backward functions the one
  /// that gave the gradient; else one of its own, as for x.to(dtype).
  TraceEntry& place_of_cast(const autograd::CastEvent& cast) {
    if (!open_.empty() && entries_[open_.back()].phase != TracePhase::kModule)
      return entries_[open_.back()];
    if (amp::detail::grad_state().backward_depth > 0 && !entries_.empty() &&
        entries_.back().phase == TracePhase::kBackward)
      return entries_.back();
    TraceEntry& entry = begin(TracePhase::kForward, "to");
    started();
    (void)close();
    const Shape shape(cast.numel);
    entry.inputs.push_back({cast.from, shape});
    entry.compute.push_back(cast.to);
    entry.output = TracedTensor{cast.to, shape};
    entry.bytes = cast.numel * (item_size(cast.from) + item_size(cast.to));
    return entry;
  }

  std::vector<TraceEntry>& entries_;
  TraceOptions options_;
  Clock::time_point began_ = Clock::now();
  std::vector<std::size_t> open_;
  diagnostics::ModuleTracker modules_;
};

AMP_COLD TraceGuard::TraceGuard(Trace& trace, const TraceOptions& options)
    : recorder_(amp::detail::or_out_of_memory(
          [&] { return std::make_unique<Recorder>(trace, options); })),
      observing_(*recorder_) {}

AMP_INLINE TraceGuard::~TraceGuard() = default;

}  // namespace amp::inline v0
