// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "amp/nn/print.hpp"

namespace amp::inline v0::nn::detail {

AMP_COLD std::string module_text(const Module& module, std::string_view type) {
  std::string text(type);
  if (!module.defined()) return text + "(nullptr)";
  std::string lines = module.extra_repr();
  const bool one_line = module.named_modules().empty() && lines.find('\n') == lines.npos;
  if (one_line) return text + "(" + lines + ")";
  for (const auto& [name, child] : module.named_modules())
    lines += (lines.empty() ? "(" : "\n(") + name + "): " + module_text(child, child.type());
  text += "(\n  ";
  for (const char c : lines) text += c == '\n' ? std::string("\n  ") : std::string(1, c);
  return text + "\n)";
}

}  // namespace amp::inline v0::nn::detail
