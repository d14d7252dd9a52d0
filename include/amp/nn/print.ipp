// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
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
  const auto& children = module.named_modules();
  for (std::size_t i = 0; i < children.size();) {
    const std::string child = module_text(children[i].second, children[i].second.type());
    const std::size_t first = i++;
    if (module.type() == "ModuleList") {  // shows equal neighbours once
      while (i < children.size() &&
             module_text(children[i].second, children[i].second.type()) == child)
        ++i;
    }
    lines += (lines.empty() ? "(" : "\n(") + children[first].first;
    if (i - first > 1)
      lines += '-' + children[i - 1].first + "): " + std::to_string(i - first) + " x " + child;
    else
      lines += "): " + child;
  }
  text += "(\n  ";
  for (const char c : lines) text += c == '\n' ? std::string("\n  ") : std::string(1, c);
  return text + "\n)";
}

}  // namespace amp::inline v0::nn::detail
