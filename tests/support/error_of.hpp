// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The text of the amp::Error that a call throws.
#pragma once

#include <amp/core/error.hpp>

#include <string>

namespace amp_test {

/// Returns the text of the amp::Error that `call` throws; empty if it throws none. Other exceptions
/// pass through and fail the test.
template <class Call>
std::string error_of(Call&& call) {
  try {
    (void)call();
  } catch (const amp::Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace amp_test
