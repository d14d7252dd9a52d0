// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "amp/autograd/grad_mode.hpp"
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

/// The extents of a matmul that are not multiples of 8, as tensor cores need for 16-bit elements.
class OffMultiples {
 public:
  explicit OffMultiples(const autograd::OpEvent& op) : inputs_(op.inputs) {
    if (op.inputs.empty() || !is_low_precision(op.compute[0])) return;
    if (op.name == "matmul" || op.name == "bmm") {
      add("M", 0, -2), add("K", 0, -1), add("N", 1, -1, 2);
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
  void add(const char* name, std::size_t input, std::int64_t dim, std::int64_t least_dims = 0) {
    if (input >= inputs_.size() || !inputs_[input]->defined()) return;
    const Tensor& tensor = *inputs_[input];
    if (tensor.dim() < (std::max)(least_dims, dim < 0 ? -dim : dim + 1)) return;
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

/// Turns events into entries.
class TraceGuard::Recorder final : public autograd::Observer {
 public:
  Recorder(Trace& trace, const TraceOptions& options)
      : entries_(trace.entries_), options_(options) {
    if (entries_.empty()) trace.began_ = clock();
    began_ = trace.began_;
  }

  void op_begins(const autograd::OpEvent& op) override {
    begin(forward_phase(), std::string(op.name), [&](TraceEntry& entry) {
      entry.policy = op.policy;
      entry.rule = op.rule;
      entry.ineligible = op.ineligible;
      entry.recomputed = is_recomputed();
      entry.off_multiples = diagnostics::OffMultiples(op).take();
      for (std::size_t i = 0; i < op.inputs.size(); ++i) {
        const Tensor& input = *op.inputs[i];
        if (!input.defined()) continue;
        entry.inputs.push_back({input.dtype(), input.shape()});
        entry.compute.push_back(op.compute[i]);
      }
    });
  }
  void op_ends(const Tensor& result) override {
    if (!is_open()) return;
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
    begin(TracePhase::kModule, path, [&](TraceEntry&) { modules_.enter(path); });
  }
  void module_ends() noexcept override {
    if (modules_.leave()) close();
  }

  void backward_begins(const autograd::Node& node, const Tensor& gradient) override {
    begin(TracePhase::kBackward, std::string(node.name()), [&](TraceEntry& entry) {
      entry.module = modules_.module_of(node);
      entry.inputs.push_back({gradient.dtype(), gradient.shape()});
      entry.compute.push_back(gradient.dtype());
    });
  }
  void backward_ends(const autograd::Node&, std::span<const Tensor> gradients) override {
    if (!is_open()) return;
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

  static double clock() {
    return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
  }
  double now() const { return clock() - began_; }

  /// A backward pass records history only while it recomputes ops; hooks and backward functions run
  /// without history.
  static bool is_recomputed() {
    return amp::detail::grad_state().backward_depth > 0 && is_grad_enabled();
  }
  static TracePhase forward_phase() {
    const bool in_backward = amp::detail::grad_state().backward_depth > 0 && !is_grad_enabled();
    return in_backward ? TracePhase::kBackward : TracePhase::kForward;
  }

  /// Opens an entry that fill(entry) completes; if that throws, there is none.
  template <class Fill>
  void begin(TracePhase phase, std::string name, const Fill& fill) {
    amp::detail::or_out_of_memory([&] {
      open_.reserve(open_.size() + 1);
      TraceEntry& entry = entries_.emplace_back();
      try {
        entry.phase = phase;
        entry.name = std::move(name);
        entry.module = modules_.current();
        for (const std::size_t around : open_)
          entry.depth += entries_[around].phase == TracePhase::kModule ? 0 : 1;
        fill(entry);
      } catch (...) {
        entries_.pop_back();
        throw;
      }
      open_.push_back(entries_.size() - 1);
      entry.start = now();  // last, so that the time to make the entry does not count
    });
  }

  /// Returns false at the end of an op that began before the guard was made.
  bool is_open() const { return !open_.empty(); }
  TraceEntry& end(const Tensor& result) {
    try {
      wait_for(result);
    } catch (...) {
      fail();
      throw;
    }
    TraceEntry& entry = close();
    if (!result.defined()) return entry;
    entry.output = TracedTensor{result.dtype(), result.shape()};
    entry.bytes = diagnostics::bytes_of(result, result.dtype());
    return entry;
  }
  void wait_for(const Tensor& result) const {
    if (!options_.synchronise || !result.defined() || result.device() == Device(kCPU) ||
        result.numel() == 0)
      return;
    char byte = 0;  // a copy to the host waits for the work that computes the tensor
    copy_bytes(kCPU, &byte, result.device(), result.raw_data(), 1);
  }
  TraceEntry& close() noexcept {
    last_closed_ = open_.back();
    TraceEntry& entry = entries_[last_closed_];
    entry.seconds = now() - entry.start;
    open_.pop_back();
    return entry;
  }
  void fail() noexcept {
    if (is_open()) close().failed = true;
  }

  /// Returns the entry to which a cast belongs: the current op; between two backward functions the
  /// one that gave the gradient; else a new entry, as for x.to(dtype).
  TraceEntry& place_of_cast(const autograd::CastEvent& cast) {
    if (is_open() && entries_[open_.back()].phase != TracePhase::kModule)
      return entries_[open_.back()];
    if (amp::detail::grad_state().backward_depth > 0 && last_closed_ < entries_.size() &&
        entries_[last_closed_].phase == TracePhase::kBackward)
      return entries_[last_closed_];
    begin(forward_phase(), "to", [&](TraceEntry& entry) {
      const Shape shape(cast.numel);
      entry.recomputed = is_recomputed();
      entry.inputs.push_back({cast.from, shape});
      entry.compute.push_back(cast.to);
      entry.output = TracedTensor{cast.to, shape};
      entry.bytes = cast.numel * (item_size(cast.from) + item_size(cast.to));
    });
    return close();
  }

  std::vector<TraceEntry>& entries_;
  TraceOptions options_;
  double began_ = 0;
  std::vector<std::size_t> open_;
  std::size_t last_closed_ = static_cast<std::size_t>(-1);
  diagnostics::ModuleTracker modules_;
};

AMP_COLD TraceGuard::TraceGuard(Trace& trace, const TraceOptions& options)
    : recorder_(amp::detail::or_out_of_memory(
          [&] { return std::make_unique<Recorder>(trace, options); })),
      observing_(*recorder_) {}

AMP_INLINE TraceGuard::~TraceGuard() = default;

}  // namespace amp::inline v0
