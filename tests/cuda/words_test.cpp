// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Words of 16 bytes: copies and fills of strided arrays move them if rows consist of whole ones,
// and an address that is no multiple of a word's size is refused.
#include <sys/wait.h>
#include <unistd.h>
#include <amp/cuda.hpp>
#include <amp/kernels/elementwise/cuda.cuh>

#include <csignal>
#include <cstdint>
#include <cstdio>

#include "support/catch.hpp"
#include "support/cuda/standin.hpp"

namespace cuda_words {
namespace {

using amp::Tensor;

/// [2, 3, 5, length], in the order in which heads of an attention lie.
Tensor heads(std::int64_t length, amp::DType dtype) {
  return amp::arange(30 * length).reshape({2, 3, 5, length}).to(dtype).to(amp::kCUDA);
}
std::int64_t launches_of(const void* kernel) { return standin::toolkit().launches_of(kernel); }
const void* copy_of_words() {
  return reinterpret_cast<const void*>(amp::kernels::cuda::move_kernel<uint4>);
}
const void* fill_of_words() {
  return reinterpret_cast<const void*>(amp::kernels::cuda::fill_kernel<uint4>);
}

/// Whether copying x, on the device, took words; the copy has the values of the host's.
bool takes_words(const Tensor& x) {
  standin::toolkit().reset();
  const Tensor copy = x.contiguous();
  const std::int64_t launches = launches_of(copy_of_words());
  CHECK(standin::toolkit().counters.launches == 1);
  CHECK(copy.to_vector<float>() == x.to(amp::kCPU).contiguous().to_vector<float>());
  return launches == 1;
}

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

TEST_CASE("words: strided copies move 16 bytes at a time if rows are whole words", "[cuda]") {
  for (const amp::DType dtype : {amp::kFloat16, amp::kFloat32}) {
    const std::int64_t word = 16 / amp::item_size(dtype);
    const Tensor x = heads(2 * word, dtype);
    CHECK(takes_words(x.permute({0, 2, 1, 3})));
    CHECK(takes_words(x.narrow(2, 1, 3)));
    CHECK(takes_words(x.narrow(3, word, word)));         // begins at a word
    CHECK_FALSE(takes_words(x.narrow(3, 1, word)));      // between two
    CHECK_FALSE(takes_words(x.narrow(3, 0, word + 1)));  // ends between two
    CHECK_FALSE(takes_words(x.transpose(2, 3)));         // rows are single elements
    CHECK_FALSE(takes_words(heads(word + 1, dtype).narrow(3, 0, word)));  // rows between two
  }
}

TEST_CASE("words: strided fills move 16 bytes at a time if rows are whole words", "[cuda]") {
  Tensor x = heads(16, amp::kFloat16);
  Tensor expected = x.to(amp::kCPU);
  for (const std::int64_t begin : {8, 3}) {
    standin::toolkit().reset();
    x.narrow(3, begin, 8).fill_(7);
    CHECK(launches_of(fill_of_words()) == (begin == 8 ? 1 : 0));
    expected.narrow(3, begin, 8).fill_(7);
    CHECK(x.to_vector<float>() == expected.to_vector<float>());
  }
}

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
