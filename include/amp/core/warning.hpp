// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Where warnings go: what works, but perhaps not as it was meant.
#pragma once

#include <cstddef>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "amp/core/config.hpp"
#include "amp/core/error.hpp"
#include "amp/core/globals.hpp"
#include "amp/core/process_lock.hpp"

namespace amp::inline v0 {

/// Takes the text of a warning, without a line break at its end.
using WarningHandler = std::function<void(std::string_view)>;

/// Writes "amp: ..." and a line break to stderr.
inline void print_warning(std::string_view text) {
  std::fprintf(stderr, "amp: %.*s\n", static_cast<int>(text.size()), text.data());
}

namespace detail {

struct AMP_EXPORT Warnings {
  // A pointer, so that no code of the user's runs under the lock.
  std::shared_ptr<const WarningHandler> handler =
      std::make_shared<const WarningHandler>(print_warning);
};

}  // namespace detail

/// Sets, for the whole process, what is called with each warning; with an empty one, warnings are
/// dropped. Returns the handler before it. May be called at any time, from any thread, also by a
/// handler; a handler may be called from several threads at once. What a handler throws is dropped,
/// because it must not interrupt the step that the warning is about.
inline WarningHandler set_warning_handler(WarningHandler handler) {
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

[[gnu::cold, gnu::noinline]] inline void warn(const MessagePart* parts,
                                              std::size_t count) noexcept {
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

/// The parts, as one warning.
template <class... Parts>
void warn(const Parts&... parts) noexcept {
  const MessagePart list[] = {MessagePart(parts)...};
  warn(list, sizeof...(parts));
}

}  // namespace detail
}  // namespace amp::inline v0
