// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Tracks the current module of a thread, and the modules whose ops recorded the nodes of the graph.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "amp/autograd/node.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::diagnostics {

/// An observer owns one, and forwards its events.
class ModuleTracker {
 public:
  /// To be called when a module begins.
  void enter(const std::string& path) { modules_.push_back(path); }
  /// Leaves the innermost module. Returns false if it was entered before the tracker was made.
  bool leave() noexcept;

  /// Returns the path of the innermost module; empty outside of modules, and in the outermost.
  const std::string& current() const;

  /// Records the current module for the nodes of `result` that have none yet: those of the op that
  /// computed it, and of views of its inputs.
  void note(const Tensor& result);
  /// Returns the module of a node; empty if it is unknown.
  const std::string& module_of(const autograd::Node& node) const;

 private:
  std::vector<std::string> modules_;
  std::map<std::uint64_t, std::string> of_node_;  // by sequence
};

}  // namespace amp::inline v0::diagnostics

#if AMP_HEADER_ONLY
#include "amp/diagnostics/module_tracker.ipp"
#endif
