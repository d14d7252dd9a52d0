// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Checks of a rank, without a test framework: one that fails ends the job.
#pragma once

#include <amp/amp.hpp>

#include <string>

#include "support/error_of.hpp"

namespace amp_test {

inline void expect(bool holds, const std::string& claim) {
  if (!holds) throw amp::Error("it does not hold that " + claim);
}

template <class Call>
void expect_error(const std::string& text, Call&& call) {
  const std::string error = error_of([&] {
    call();
    return 0;
  });
  expect(error.find(text) != std::string::npos,
         "an error says \"" + text + "\"; it is \"" + error + "\"");
}

}  // namespace amp_test
