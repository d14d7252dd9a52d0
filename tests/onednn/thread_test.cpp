// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// oneDNN from several threads of the user's, in a forked child, and on a processor with fewer
// instructions. That results do not depend on the number of threads is tested with all ops
// (conformance/every_op_threads_test.cpp).
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "onednn/reference.hpp"
#include "support/catch.hpp"
#include "support/child.hpp"

namespace {

struct Work {
  amp::Tensor a = amp::randn({130, 70}).to(amp::kBFloat16),
              b = amp::randn({70, 90}).to(amp::kBFloat16), x = amp::randn({12, 3, 14, 14}),
              w = amp::randn({8, 3, 3, 3});
  std::vector<float> run() const {
    std::vector<float> all = amp::matmul(a, b).to_vector<float>();
    const std::vector<float> image = amp::conv2d(x, w, {}, {.padding = 1}).to_vector<float>();
    all.insert(all.end(), image.begin(), image.end());
    return all;
  }
};

}  // namespace

TEST_CASE("onednn: two threads at once give what one gives", "[onednn]") {
  const Work work;
  const std::vector<float> wanted = work.run();
  std::vector<int> wrong(3);
  std::vector<std::thread> threads;
  for (int& count : wrong) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) count += work.run() != wanted;
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == std::vector<int>(3));
}

TEST_CASE("onednn: a forked child computes", "[onednn]") {
  const Work work;
  const std::vector<float> wanted = work.run();
  CHECK(amp_test::status_of_child([&] { return work.run() == wanted ? 0 : 1; }) == 0);
}

TEST_CASE("onednn: a child that is forked while a primitive is made does not wait for it",
          "[onednn]") {
  const amp::Tensor w = amp::ones({8, 3, 3, 3});
  std::atomic<std::int64_t> size{20};
  std::atomic<bool> stop{false};
  std::thread maker([&] {
    while (!stop) {
      const std::int64_t n = ++size;
      (void)amp::conv2d(amp::ones({1, 3, 20, n}), w);
    }
  });
  for (int i = 0; i < 20; ++i) {
    CHECK(amp_test::status_of_child([&] {
            (void)amp::conv2d(amp::ones({1, 3, 20, size.load()}), w);
            return 0;
          }) == 0);
  }
  stop = true;
  maker.join();
}

// In a process of its own, in which oneDNN has not been called.
TEST_CASE("onednn: children that are forked during the first call", "[.first]") {
  const amp::Tensor x = amp::ones({1, 3, 20, 20}), w = amp::ones({8, 3, 3, 3});
  std::atomic<bool> done{false};
  std::thread first([&] {
    (void)amp::conv2d(x, w);
    done = true;
  });
  std::vector<pid_t> children;
  for (int i = 0; i < 8 || (!done && i < 64); ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(10);  // ends a child that waits for ever
      (void)amp::conv2d(x, w);
      _exit(0);
    }
    children.push_back(child);
  }
  first.join();
  for (const pid_t child : children) {
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
  }
}

TEST_CASE("onednn: a child that is forked during the first call does not wait for it", "[onednn]") {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  for (int i = 0; i < 30; ++i) CHECK(std::system(("'" + self + "' '[.first]' >&2").c_str()) == 0);
}

TEST_CASE("onednn: values on this processor, which runs as one without 16-bit instructions",
          "[.narrow]") {
  CHECK_FALSE(amp::cpu_capabilities().bfloat16);
  const amp::Tensor a = amp::randn({65, 66}).to(amp::kBFloat16),
                    b = amp::randn({66, 67}).to(amp::kBFloat16);
  CHECK(amp_test::difference(amp::matmul(a, b),
                             amp::matmul(a.to(amp::kFloat64), b.to(amp::kFloat64))) <
        amp_test::tolerance(amp::kBFloat16));
  const amp::Tensor x = amp::randn({6, 3, 15, 15}).to(amp::kBFloat16),
                    w = amp::randn({8, 3, 3, 3}).to(amp::kBFloat16);
  const amp::Tensor y = amp::conv2d(x, w);
  CHECK(amp::detail::lies_channels_last(y));
  CHECK(amp_test::difference(y, amp::conv2d(x.to(amp::kFloat64), w.to(amp::kFloat64))) <
        amp_test::tolerance(amp::kBFloat16));
}

TEST_CASE("onednn: a processor without 16-bit instructions widens to float32", "[onednn]") {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  CHECK(std::system(
            ("AMP_MAX_CPU_ISA=AVX512 ONEDNN_MAX_CPU_ISA=AVX512_CORE '" + self + "' '[.narrow]' >&2")
                .c_str()) == 0);
}
