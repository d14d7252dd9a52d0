// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "amp/core/globals.hpp"
#include "amp/core/globals.ipp"
#include "amp/core/process_lock.hpp"
#include "amp/core/warning.hpp"

namespace amp::inline v0 {

AMP_COLD void print_warning(std::string_view text) {
  std::fprintf(stderr, "amp: %.*s\n", static_cast<int>(text.size()), text.data());
}

namespace detail {

struct AMP_EXPORT Warnings {
  // A pointer, so that no user code runs under the lock.
  std::shared_ptr<const WarningHandler> handler =
      std::make_shared<const WarningHandler>(print_warning);
};

}  // namespace detail

AMP_COLD WarningHandler set_warning_handler(WarningHandler handler) {
  auto& warnings = process_state<detail::Warnings>();
  return detail::or_out_of_memory([&] {
    auto next = std::make_shared<const WarningHandler>(std::move(handler));
    {
      const detail::ProcessLock lock(detail::LockOf::kWarnings);
      warnings.handler.swap(next);
    }
    return *next;
  });
}

namespace detail {

AMP_COLD void warn(const MessagePart* parts, std::size_t count) noexcept {
  try {
    const auto handler = [] {
      auto& warnings = process_state<Warnings>();
      const ProcessLock lock(LockOf::kWarnings);
      return warnings.handler;
    }();
    if (!*handler) return;
    std::string text;
    for (std::size_t i = 0; i < count; ++i) parts[i].append_to(text);
    (*handler)(text);
  } catch (...) {  // a warning is no reason to fail
  }
}

}  // namespace detail

AMP_PROCESS_STATE(detail::Warnings);

}  // namespace amp::inline v0
