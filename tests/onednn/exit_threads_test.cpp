// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A process ends while threads multiply. exit() destroys oneDNN's own statics, and the program's
// older ones after them; the threads go on until the last is destroyed.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

#include "onednn/reference.hpp"
#include "support/catch.hpp"
#include "support/child.hpp"

namespace onednn_exit {
namespace {

using std::chrono::milliseconds;

std::atomic<int> rounds{0};

/// Multiplies for ever, in sizes that oneDNN has primitives for and in new ones.
void multiply() {
  const amp::NoGradGuard no_grad;
  const amp::Tensor w = amp::randn({8, 8, 3, 3}), half = amp::ones({40, 40}).to(amp::kBFloat16);
  for (std::int64_t n = 0;; ++n, ++rounds) {
    const std::int64_t size = 20 + n % 2000;
    (void)amp::matmul(amp::ones({size, 17}), amp::ones({17, 18}));
    (void)amp::matmul(half, half);
    (void)amp::conv2d(amp::ones({2, 8, 9 + n % 40, 9 + n % 41}), w);
    const amp::Tensor q = amp::ones({1, 2, size % 100 + 20, 32});
    (void)amp::scaled_dot_product_attention(q, q, q);
  }
}
void start_multiplying() {
  for (int i = 0; i < 2; ++i) std::thread(multiply).detach();
  // oneDNN has made its statics once every kind of multiplication was run.
  for (const int enough = rounds + 20; rounds < enough;)
    std::this_thread::sleep_for(milliseconds(1));
}

/// A static that is older than oneDNN's, and takes its time.
struct Slow {
  Slow() = default;
  Slow(const Slow&) = delete;
  Slow& operator=(const Slow&) = delete;
  ~Slow() { std::this_thread::sleep_for(milliseconds(50)); }
};

}  // namespace

TEST_CASE("onednn: a process that ends while threads multiply", "[.exits]") {
  static const Slow slow;
  start_multiplying();
}

TEST_CASE("onednn: a process may end while threads multiply", "[onednn]") {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  for (int i = 0; i < 20; ++i) CHECK(std::system(("'" + self + "' '[.exits]' >&2").c_str()) == 0);
}

TEST_CASE("onednn: a forked child does not wait for threads that it has not", "[onednn]") {
  const int status = amp_test::status_of_child(
                         [] {
                           start_multiplying();
                           for (int i = 0; i < 20; ++i) {
                             if (amp_test::status_of_child([]() -> int { std::exit(3); }) != 3)
                               return 1;
                           }
                           return 0;
                         },
                         std::chrono::seconds(60))
                         .value_or(-1);
  CHECK(status == 0);
}

}  // namespace onednn_exit
