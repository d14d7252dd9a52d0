// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Every op gives the same bits for every number of threads, forward and backward. The pool's size
// is fixed at its first use, so this program runs itself with other values of AMP_NUM_THREADS.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "conformance/large.hpp"
#include "support/catch.hpp"

namespace {

constexpr amp::DType kDtypes[] = {amp::kFloat64, amp::kFloat32, amp::kFloat16, amp::kBFloat16};

/// FNV-1a over a tensor's bytes.
std::uint64_t hash_of(const amp::Tensor& tensor, std::uint64_t hash) {
  if (!tensor.defined()) return hash;
  const amp::Tensor dense = tensor.contiguous();
  const auto* const bytes = static_cast<const unsigned char*>(dense.raw_data());
  const std::int64_t count = dense.numel() * amp::item_size(dense.dtype());
  for (std::int64_t i = 0; i < count; ++i) hash = (hash ^ bytes[i]) * 0x100000001b3u;
  return hash;
}

/// Lines "op dtype hash", and the number of threads.
using Checksums = std::map<std::string, std::string>;

Checksums checksums_with(int threads) {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::string command =
      "AMP_NUM_THREADS=" + std::to_string(threads) + " '" + self + "' '[.checksums]' 2>&1";
  std::FILE* const pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  Checksums sums;
  char line[256];
  std::string output;
  while (std::fgets(line, sizeof(line), pipe) != nullptr) {
    output += line;
    std::string text = line;
    if (text.rfind("checksum ", 0) != 0) continue;
    const auto last = text.rfind(' ');
    sums[text.substr(9, last - 9)] = text.substr(last + 1);
  }
  INFO(output);
  REQUIRE(pclose(pipe) == 0);
  return sums;
}

}  // namespace

TEST_CASE("threads: checksums of every op on large inputs", "[.checksums]") {
  std::printf("checksum threads %d\n", amp::num_threads());
  std::size_t number = 0;
  for (const conformance::LargeCase& large : conformance::large_cases()) {
    for (const amp::DType dtype : kDtypes) {
      amp::manual_seed(1);
      const conformance::LargeResult result = conformance::run_large(large, amp::kCPU, dtype);
      std::uint64_t hash = 0xcbf29ce484222325u;
      for (const amp::Tensor& output : result.outputs) hash = hash_of(output, hash);
      for (const amp::Tensor& gradient : result.gradients) hash = hash_of(gradient, hash);
      std::printf("checksum %zu %s %s %016llx\n", number, std::string(large.op).c_str(),
                  std::string(amp::name(dtype)).c_str(), static_cast<unsigned long long>(hash));
    }
    ++number;
  }
}

TEST_CASE("threads: every op gives the same bits for every number of threads", "[conformance]") {
  Checksums one = checksums_with(1);
  CHECK(one.size() == 1 + conformance::large_cases().size() * std::size(kDtypes));
  CHECK(one["threads"] == "1\n");
  for (const int threads : {2, 5}) {
    CAPTURE(threads);
    Checksums several = checksums_with(threads);
    CHECK(several["threads"] == std::to_string(threads) + "\n");
    several["threads"] = one["threads"];
    for (const auto& [name, sum] : one) {
      INFO(name);
      CHECK(several[name] == sum);
    }
  }
}
