// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The list of all threads' StreamGuards, which needs no CUDA device: streams are only addresses.
#include <amp/device/guarded_streams.hpp>
#include <amp/device/stream.hpp>

#include <memory>
#include <thread>

#include "support/catch.hpp"

namespace stream_guard {
namespace {

const amp::Device kDevice(amp::kCUDA, 0);

bool is_listed(const void* stream) {
  return amp::detail::any_guarded_stream(0, [&](void* other) { return other == stream; });
}

TEST_CASE("stream guard: its stream is listed until its end, whichever guard ends first",
          "[device]") {
  int a = 0, b = 0;
  std::thread([&] {  // whose current stream is of no use to later tests
    auto outer = std::make_unique<amp::StreamGuard>(kDevice, &a);
    auto inner = std::make_unique<amp::StreamGuard>(kDevice, &b);
    CHECK(is_listed(&a));
    CHECK(is_listed(&b));
    outer.reset();
    CHECK_FALSE(is_listed(&a));
    CHECK(is_listed(&b));
    inner.reset();
    CHECK_FALSE(is_listed(&b));
  })
      .join();
}

TEST_CASE("stream guard: a guard that another thread ends is no longer listed", "[device]") {
  int a = 0;
  std::thread([&] {
    auto guard = std::make_unique<amp::StreamGuard>(kDevice, &a);
    std::thread([&] { guard.reset(); }).join();
  }).join();
  CHECK_FALSE(is_listed(&a));
}

}  // namespace
}  // namespace stream_guard
