// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Warnings: a program does something that works, but that is probably not intended.
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

/// Sets the function that receives each warning, for the whole process. An empty one drops all
/// warnings. Returns the previous handler. May be called at any time, from any thread, also by a
/// handler; a handler may be called from several threads at once. Exceptions that a handler throws
/// are dropped, because a warning must not interrupt the training step.
WarningHandler set_warning_handler(WarningHandler handler);

namespace detail {

[[gnu::cold]] void warn(const MessagePart* parts, std::size_t count) noexcept;

/// Emits the concatenated parts as one warning.
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
