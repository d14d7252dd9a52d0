// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A process whose address space is limited: whatever of a multiplication finds no memory, amp or
// the library that it calls, an amp::Error says so.
#include <amp/amp.hpp>

#include <sys/resource.h>
#include <unistd.h>
#include <fstream>
#include <optional>
#include <string>

#include "support/catch.hpp"
#include "support/child.hpp"

namespace memory_limit {
namespace {

/// Limits the address space to what is in use and `more` bytes. The stack has room before: there, a
/// lack of memory cannot be reported.
void limit_memory(long more) {
  volatile char stack[1 << 19];
  for (int i = 0; i < static_cast<int>(sizeof stack); i += 1 << 10) stack[i] = 0;
  long pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const auto limit = static_cast<rlim_t>(pages * sysconf(_SC_PAGESIZE) + more);
  const rlimit both = {limit, limit};
  if (setrlimit(RLIMIT_AS, &both) != 0) throw amp::Error("setrlimit failed");
}

void multiply() {
  for (const int n : {41, 101, 301}) (void)amp::matmul(amp::ones({n, n}), amp::ones({n, n}));
  (void)amp::matmul(amp::ones({91, 81}).to(amp::kBFloat16), amp::ones({81, 71}).to(amp::kBFloat16));
  const amp::Tensor w = amp::ones({8, 8, 3, 3}, {.requires_grad = true});
  amp::sum(amp::conv2d(amp::ones({2, 8, 13, 11}), w)).backward();
}

}  // namespace

TEST_CASE("out of memory: multiplications in a limited address space") {
  for (long more = 0; more < 40L << 20; more += 1 << 20) {
    CAPTURE(more);
    const std::optional<int> status = amp_test::status_of_child([more] {
      limit_memory(more);
      try {
        multiply();
      } catch (const amp::Error& error) {
        return std::string(error.what()).find("out of memory") != std::string::npos ? 1 : 2;
      }
      return 0;
    });
    CHECK((status == 0 || status == 1));
  }
}

}  // namespace memory_limit
