// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// oneDNN fails: what it cannot make is computed by amp's own kernels, and what fails while it runs
// is an exception. This program's own versions of two of its functions stand in for the failures,
// and end the process.
#include <amp/kernels/matmul/host/onednn.hpp>
#include <amp/kernels/onednn/api.hpp>

#include <dlfcn.h>
#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>

#include "onednn/reference.hpp"
#include "support/catch.hpp"
#include "support/child.hpp"
#include "support/error_of.hpp"

namespace {

namespace onednn = amp::kernels::host::onednn;

std::atomic<dnnl_status_t> creation_fails{dnnl_success}, execution_fails{dnnl_success};
enum class Exits { kNever, kOnEveryThread, kOnAnotherThread };
std::atomic<Exits> execution_exits{Exits::kNever};
std::atomic<std::thread::id> user{};  // the thread of the user that computes

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

/// For its lifetime every call fails with the status.
struct Failing {
  std::atomic<dnnl_status_t>& calls;
  Failing(std::atomic<dnnl_status_t>& which, dnnl_status_t status) : calls(which) {
    calls = status;
  }
  ~Failing() { calls = dnnl_success; }
};

}  // namespace

extern "C" dnnl_status_t dnnl_primitive_create(dnnl_primitive_t* primitive,
                                               const_dnnl_primitive_desc_t desc) {
  if (creation_fails != dnnl_success) return creation_fails;
  static const auto real = next<decltype(&dnnl_primitive_create)>("dnnl_primitive_create");
  return real(primitive, desc);
}
extern "C" dnnl_status_t dnnl_primitive_execute(const_dnnl_primitive_t primitive,
                                                dnnl_stream_t stream, int count,
                                                const dnnl_exec_arg_t* arguments) {
  if (execution_fails != dnnl_success) return execution_fails;
  static std::atomic<bool> ends{false};
  const bool is_other = std::this_thread::get_id() != user;
  if (execution_exits == Exits::kOnEveryThread ||
      (execution_exits == Exits::kOnAnotherThread && is_other)) {
    if (!ends.exchange(true)) std::exit(3);
  }
  while (ends) std::this_thread::yield();  // other threads stay in their calls
  static const auto real = next<decltype(&dnnl_primitive_execute)>("dnnl_primitive_execute");
  return real(primitive, stream, count, arguments);
}

// Sizes that no other test has: primitives that were made before would be found.
TEST_CASE("onednn: amp's own kernels compute what oneDNN cannot", "[onednn]") {
  const amp::Tensor a = amp::randn({37, 41}), b = amp::randn({41, 43});
  const amp::Tensor x = amp::randn({5, 3, 11, 11}), w = amp::randn({7, 3, 3, 3});
  const Failing failing(creation_fails, dnnl_unimplemented);
  for (const amp::DType dtype : amp_test::kEngineDTypes) {
    CAPTURE(dtype);
    const amp::Tensor wanted =
        amp::matmul(a.to(dtype).to(amp::kFloat64), b.to(dtype).to(amp::kFloat64));
    CHECK(amp_test::difference(amp::matmul(a.to(dtype), b.to(dtype)), wanted) <
          amp_test::tolerance(dtype));
    const amp::Tensor image = amp::conv2d(x.to(dtype), w.to(dtype));
    CHECK(amp_test::difference(
              image, amp::conv2d(x.to(dtype).to(amp::kFloat64), w.to(dtype).to(amp::kFloat64))) <
          amp_test::tolerance(dtype));
  }
}

TEST_CASE("onednn: a call that fails throws, and the next works", "[onednn]") {
  for (const amp::DType dtype : {amp::kFloat32, amp::kBFloat16}) {
    if (!onednn::is_native(dtype)) continue;
    CAPTURE(dtype);
    const amp::Tensor a = amp::randn({300, 50}).to(dtype), b = amp::randn({50, 600}).to(dtype);
    const amp::Tensor x = amp::randn({40, 3, 16, 16}).to(dtype),
                      w = amp::randn({8, 3, 3, 3}).to(dtype);
    const amp::Tensor c = amp::matmul(a, b), image = amp::conv2d(x, w);
    {
      const Failing failing(execution_fails, dnnl_runtime_error);
      const std::string text = "oneDNN: dnnl_primitive_execute";
      if (onednn::has_instructions(dnnl_cpu_isa_avx512_core)) {  // else matmuls are not oneDNN's
        CHECK(amp_test::error_of([&] { return amp::matmul(a, b); }).find(text) !=
              std::string::npos);
      }
      CHECK(amp_test::error_of([&] { return amp::conv2d(x, w); }).find(text) != std::string::npos);
    }
    {
      const Failing failing(execution_fails, dnnl_out_of_memory);
      CHECK(amp_test::error_of([&] { return amp::conv2d(x, w); }).find("out of memory") !=
            std::string::npos);
    }
    CHECK(amp_test::difference(amp::matmul(a, b), c) == 0);
    CHECK(amp_test::difference(amp::conv2d(x, w), image) == 0);
  }
}

TEST_CASE("onednn: without memory for a primitive, an exception says so", "[onednn]") {
  const Failing failing(creation_fails, dnnl_out_of_memory);
  CHECK(amp_test::error_of([] {
          return amp::conv2d(amp::ones({3, 5, 13, 14}), amp::ones({6, 5, 3, 3}));
        }).find("out of memory") != std::string::npos);
}

TEST_CASE("onednn: exit() within a call does not wait for ever", "[onednn]") {
  for (const Exits exits : {Exits::kOnEveryThread, Exits::kOnAnotherThread}) {
    CAPTURE(exits);
    const auto status = amp_test::status_of_child([&] {
      user = std::this_thread::get_id();
      execution_exits = exits;
      const amp::Tensor x = amp::ones({64, 3, 24, 24}), w = amp::ones({8, 3, 3, 3});
      while (amp::num_threads() > 1 || exits == Exits::kOnEveryThread) (void)amp::conv2d(x, w);
      return 3;
    });
    CHECK(status.has_value());  // it ended; what others compute meanwhile may fail
  }
}
