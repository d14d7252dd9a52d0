// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// In which module a thread is, and which module recorded a node of the graph.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "amp/autograd/node.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::diagnostics {

/// Kept by an observer, which passes on what it hears.
class ModuleTracker {
 public:
  /// To be called when a module begins.
  void enter(const std::string& path) { modules_.push_back(path); }
  /// Whether the module was entered since there is this tracker.
  bool leave() noexcept;

  /// The path of the innermost module; empty outside of modules, and in the outermost.
  const std::string& current() const;

  /// Remembers the current module for the nodes that an op recorded, and for those of views that
  /// were made before it.
  void note(const Tensor& result);
  /// The module of a node; empty if it is not known.
  const std::string& module_of(const autograd::Node& node) const;

 private:
  std::vector<std::string> modules_;
  std::map<std::uint64_t, std::string> of_node_;  // by sequence
};

}  // namespace amp::inline v0::diagnostics

#if AMP_HEADER_ONLY
#include "amp/diagnostics/module_tracker.ipp"
#endif
