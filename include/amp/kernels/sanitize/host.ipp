// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "amp/kernels/sanitize/formula.hpp"
#include "amp/kernels/sanitize/host.hpp"
#include "amp/kernels/traversal/host/chunks.hpp"

namespace amp::inline v0::kernels::host {

namespace detail {

/// Tests several at a time, since few need a change; compilers vectorise the test.
template <class Word>
bool sanitize_codes(Word* code, std::int64_t n, const FiniteCodes<Word>& codes) {
  constexpr std::int64_t kRun = 512;
  bool found = false;
  for (std::int64_t begin = 0; begin < n; begin += kRun) {
    const std::int64_t end = (std::min)(n, begin + kRun);
    Word most = 0;
    for (std::int64_t i = begin; i < end; ++i) most = (std::max)(most, codes.magnitude(code[i]));
    if (most <= codes.largest) continue;
    found = true;
    for (std::int64_t i = begin; i < end; ++i) {
      if (!codes.is_finite(code[i])) code[i] = codes.replacement(code[i]);
    }
  }
  return found;
}

}  // namespace detail

AMP_COLD void sanitize(const SanitizeArgs& args) {
  const detail::Chunks chunks(args.count, [&](std::int64_t g) { return args.gradients[g].numel; });
  std::atomic<bool> found{false};
  const auto body = [&](std::int64_t g, std::int64_t, std::int64_t begin, std::int64_t end) {
    const GradientSpan& span = args.gradients[g];
    visit_code_type(span.dtype, [&](auto word) {
      using Word = decltype(word);
      if (detail::sanitize_codes(static_cast<Word*>(span.data) + begin, end - begin,
                                 finite_codes<Word>(span.dtype)))
        found.store(true, std::memory_order_relaxed);
    });
  };
  chunks.for_each(body);
  if (!found) return;
  *args.found = 1;
  ++*args.passes;
}

}  // namespace amp::inline v0::kernels::host
