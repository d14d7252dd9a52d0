// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Where warnings go: what works, but perhaps not as it was meant.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "amp/core/config.hpp"
#include "amp/core/error.hpp"

namespace amp::inline v0 {

/// Takes the text of a warning, without a line break at its end.
using WarningHandler = std::function<void(std::string_view)>;

/// Writes "amp: ..." and a line break to stderr.
void print_warning(std::string_view text);

/// Sets, for the whole process, what is called with each warning; with an empty one, warnings are
/// dropped. Returns the handler before it. May be called at any time, from any thread, also by a
/// handler; a handler may be called from several threads at once. What a handler throws is dropped,
/// because it must not interrupt the step that the warning is about.
WarningHandler set_warning_handler(WarningHandler handler);

namespace detail {

[[gnu::cold]] void warn(const MessagePart* parts, std::size_t count) noexcept;

/// The parts, as one warning.
template <class... Parts>
void warn(const Parts&... parts) noexcept {
  const MessagePart list[] = {MessagePart(parts)...};
  warn(list, sizeof...(parts));
}

}  // namespace detail
}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/core/warning.ipp"
#endif
