// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The text of the amp::Error that a call throws.
#pragma once

#include <amp/core/error.hpp>

#include <string>

namespace amp_test {

/// What the amp::Error says that `call` throws; empty where it throws none. Anything else passes
/// through and fails the test.
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
