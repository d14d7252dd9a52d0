// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The text of the error that a call throws, in this thread or another one.
#pragma once

#include <amp/core/error.hpp>

#include <exception>
#include <string>
#include <thread>

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

/// Makes the call in a new thread, until its end. Returns the text of the exception that it throws;
/// empty if it throws none.
template <class Call>
std::string error_of_thread(const Call& call) {
  std::string error;
  std::thread([&] {
    try {
      (void)call();
    } catch (const std::exception& thrown) {
      error = thrown.what();
    }
  }).join();
  return error;
}

}  // namespace amp_test
