// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Devices by name, and what a program without a CUDA backend says about CUDA.
#include <amp/amp.hpp>

#include <functional>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/error_of.hpp"

using amp_test::error_of;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("device: compares by type and index", "[device]") {
  CHECK(amp::Device() == amp::Device(amp::kCPU, 0));
  CHECK(amp::Device(amp::kCUDA) == amp::Device(amp::kCUDA, 0));
  CHECK_FALSE(amp::Device(amp::kCUDA, 1) == amp::Device(amp::kCUDA, 0));
  CHECK_FALSE(amp::Device(amp::kCUDA) == amp::Device(amp::kCPU));
}

TEST_CASE("device: converts from its type", "[device]") {
  const amp::Device device = amp::kCUDA;
  CHECK(device.type == amp::kCUDA);
  CHECK(device.index == 0);
}

TEST_CASE("device: names are torch's", "[device]") {
  CHECK(amp::to_string(amp::Device()) == "cpu");
  CHECK(amp::to_string(amp::Device(amp::kCUDA, 3)) == "cuda:3");
}

TEST_CASE("device: the host is available, CUDA without a backend is not", "[device]") {
  CHECK(amp::is_available(amp::kCPU));
  CHECK_FALSE(amp::is_available(amp::kCUDA));
}

TEST_CASE("device: creating a CUDA tensor without a backend says what to include", "[device]") {
  const std::vector<std::function<void()>> creations = {
      [] { (void)amp::empty({2}, {.device = amp::kCUDA}); },
      [] {
        (void)amp::zeros({2, 3}, {.device = amp::kCUDA});
      },
      [] {
        (void)amp::tensor({1, 2}, {2}, {.device = amp::kCUDA});
      },
      [] { (void)amp::rand({2}, {.device = amp::kCUDA}); },
      [] { (void)amp::ones({2}).to(amp::kCUDA); },
  };
  for (const auto& create : creations) {
    const std::string text = error_of([&] { return create(), 0; });
    CHECK_THAT(text, ContainsSubstring("no backend") && ContainsSubstring("cuda:0"));
    CHECK_THAT(text, ContainsSubstring("cuda.cuh"));
  }
}

TEST_CASE("device: an empty CUDA tensor without a backend throws too", "[device]") {
  CHECK_THAT(error_of([] { return amp::empty({0}, {.device = amp::kCUDA}); }),
             ContainsSubstring("no backend"));
}

TEST_CASE("device: a failed creation counts no memory", "[device]") {
  const auto before = amp::memory_stats(amp::kCUDA);
  CHECK_THROWS_AS((void)amp::empty({2}, {.device = amp::kCUDA}), amp::Error);
  CHECK(amp::memory_stats(amp::kCUDA).current_bytes == before.current_bytes);
  CHECK(amp::memory_stats(amp::kCUDA).allocations == before.allocations);
}

TEST_CASE("device: moving to the device a tensor is on is the tensor itself", "[device]") {
  const amp::Tensor x = amp::ones({2});
  CHECK(x.to(amp::kCPU).is_same(x));
}
