// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Where warnings go, and that none interrupts who gives it.
#include <amp/amp.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/catch.hpp"

namespace warning {
namespace {

/// Puts the handler back that was there before.
class Restored {
 public:
  explicit Restored(amp::WarningHandler handler)
      : before_(amp::set_warning_handler(std::move(handler))) {}
  ~Restored() { amp::set_warning_handler(std::move(before_)); }
  Restored(const Restored&) = delete;
  Restored& operator=(const Restored&) = delete;

 private:
  amp::WarningHandler before_;
};

}  // namespace

TEST_CASE("warnings: reach the handler, in one piece") {
  std::vector<std::string> texts;
  const Restored restored([&](std::string_view text) { texts.emplace_back(text); });
  amp::detail::warn("the dtype is ", amp::kFloat16, ", not ", 3);
  amp::warn_of_skips({.consecutive_skips = 50});
  REQUIRE(texts.size() == 2);
  CHECK(texts[0] == "the dtype is float16, not 3");
  CHECK_THAT(texts[1], Catch::Matchers::ContainsSubstring("skipped the last 50 updates"));
}

TEST_CASE("warnings: a handler may be empty, may throw, and may set another") {
  int calls = 0;
  const Restored restored(nullptr);
  CHECK_NOTHROW(amp::detail::warn("dropped"));
  amp::set_warning_handler([&](std::string_view) {
    ++calls;
    throw 7;
  });
  CHECK_NOTHROW(amp::detail::warn("thrown at"));
  CHECK(calls == 1);
  amp::set_warning_handler([&](std::string_view) { amp::set_warning_handler(nullptr); });
  amp::detail::warn("the last");
  CHECK_FALSE(amp::set_warning_handler(nullptr));
}

}  // namespace warning
