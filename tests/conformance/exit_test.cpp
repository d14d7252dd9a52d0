// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Every op in the destructor of a static, which is destroyed after the statics and the thread_local
// objects that ops need: both are younger.
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "conformance/large.hpp"
#include "support/catch.hpp"

namespace conformance_exit {
namespace {

void run_all() {
  for (const conformance::LargeCase& large : conformance::large_cases()) {
    for (const amp::DType dtype : {amp::kFloat32, amp::kBFloat16, amp::kFloat64})
      (void)conformance::run_large(large, amp::kCPU, dtype);
  }
}

class AtExit {
 public:
  AtExit() { (void)conformance::large_cases(); }  // a static, which run_all() needs
  AtExit(const AtExit&) = delete;
  AtExit& operator=(const AtExit&) = delete;
  ~AtExit() { run_all(); }
};

}  // namespace

TEST_CASE("exit: every op, here and in the destructor of a static", "[.at_exit]") {
  static const AtExit at_exit;
  run_all();
}

TEST_CASE("exit: every op runs in the destructor of a static", "[conformance]") {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  CHECK(std::system(("'" + self + "' '[.at_exit]' >&2").c_str()) == 0);
}

}  // namespace conformance_exit
