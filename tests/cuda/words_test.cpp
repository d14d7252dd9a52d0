// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Words of 16 bytes: copies and fills of strided arrays move them if rows consist of whole ones,
// and an address that is no multiple of a word's size is refused.
#include <sys/wait.h>
#include <unistd.h>
#include <amp/cuda.cuh>

#include <csignal>
#include <cstdio>

#include "support/catch.hpp"
#include "support/cuda/standin.hpp"

namespace cuda_words {
namespace {

/// Whether `work` ends in a call of standin::stop.
template <class Work>
bool stops(const Work& work) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGABRT, SIG_DFL);  // Catch's would report
    work();
    _exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

}  // namespace

TEST_CASE("words: the stand-in refuses an address between two", "[cuda]") {
  using amp::kernels::cuda::load_word;
  using amp::kernels::cuda::store_word;
  alignas(16) unsigned char memory[64] = {};
  const auto at = [&](int offset) { return reinterpret_cast<uint4*>(memory + offset); };
  CHECK_FALSE(stops([&] { store_word(at(16), load_word(at(0))); }));
  CHECK(stops([&] { load_word(at(8)); }));
  CHECK(stops([&] { store_word(at(8), uint4{}); }));
  CHECK(stops([&] { load_word(reinterpret_cast<const uint2*>(memory + 4)); }));
}

}  // namespace cuda_words
