// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The hash of a tensor's bits: its values, what it tells apart, and that the address does not
// matter.
#include <amp/kernels/hash/host.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <set>
#include <utility>
#include <vector>

#include "support/catch.hpp"

namespace tensor_hash {
namespace {

using Bytes = std::vector<unsigned char>;

/// By the formula, a byte at a time.
std::uint64_t expected(const Bytes& bytes) {
  std::uint64_t sum = 0;
  for (std::size_t k = 0; 4 * k < bytes.size(); ++k) {
    std::uint64_t x = (k + 1) * 0x9e3779b97f4a7c15u;
    for (std::size_t b = 0; b < 4 && 4 * k + b < bytes.size(); ++b)
      x += std::uint64_t{bytes[4 * k + b]} << (8 * b);
    x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdu;
    x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53u;
    sum += x ^ (x >> 33);
  }
  return sum;
}

Bytes random_bytes(std::size_t size, std::uint32_t seed = 1) {
  Bytes bytes(size);
  for (unsigned char& byte : bytes) {
    seed = seed * 1664525 + 1013904223;
    byte = static_cast<unsigned char>(seed >> 24);
  }
  return bytes;
}

std::vector<std::uint64_t> hashes(const std::vector<amp::kernels::HashSpan>& tensors) {
  std::vector<std::uint64_t> result(tensors.size(), 77);  // is overwritten
  amp::kernels::host::hash({.device = amp::kCPU,
                            .tensors = tensors.data(),
                            .count = static_cast<std::int64_t>(tensors.size()),
                            .hashes = result.data()});
  return result;
}
std::uint64_t hash_of(const Bytes& bytes) {
  return hashes({{bytes.data(), static_cast<std::int64_t>(bytes.size())}})[0];
}

}  // namespace

TEST_CASE("hash: the formula, of every size and address", "[ops]") {
  std::vector<std::size_t> sizes;
  for (std::size_t size = 0; size <= 40; ++size) sizes.push_back(size);
  for (const std::size_t size : {257u, 262143u, 262144u, 262145u, 1100003u}) sizes.push_back(size);
  for (const std::size_t size : sizes) {
    CAPTURE(size);
    const Bytes bytes = random_bytes(size);
    const std::uint64_t hash = expected(bytes);
    for (std::size_t offset = 0; offset < (size < 300 ? 16u : 4u); ++offset) {
      CAPTURE(offset);
      Bytes around(offset + size + 3, 0xa5);  // is not read
      if (size > 0) std::memcpy(around.data() + offset, bytes.data(), size);
      CHECK(hashes({{around.data() + offset, static_cast<std::int64_t>(size)}})[0] == hash);
    }
  }
  CHECK(hash_of({}) == 0);
  CHECK(hashes({{nullptr, 0}})[0] == 0);
  CHECK(hashes({}).empty());
}

TEST_CASE("hash: each tensor of a list by itself", "[ops]") {
  std::vector<Bytes> tensors;
  for (std::uint32_t i = 0; i < 300; ++i)
    tensors.push_back(random_bytes(i % 7 == 0 ? 0 : i == 100 ? 1000001 : i * 37 % 500, i));
  std::vector<amp::kernels::HashSpan> spans;
  for (const Bytes& bytes : tensors)
    spans.push_back({bytes.data(), static_cast<std::int64_t>(bytes.size())});
  const std::vector<std::uint64_t> found = hashes(spans);
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    CAPTURE(i);
    CHECK(found[i] == expected(tensors[i]));
  }
}

// As numbers, so that the formula in this file and in the library cannot change together.
TEST_CASE("hash: values that stay", "[ops]") {
  CHECK(hash_of({0}) == 0x9ca066f1a4ab2eeau);
  CHECK(hash_of({0, 0, 0, 0}) == 0x9ca066f1a4ab2eeau);
  CHECK(hash_of({1, 2, 3, 4, 5, 6}) == 0xfaaad2e28606824fu);
}

TEST_CASE("hash: any bit that changes", "[ops]") {
  for (const std::size_t size : {1u, 2u, 4u, 7u, 64u, 1001u}) {
    for (const Bytes& original : {Bytes(size, 0), Bytes(size, 0xff), random_bytes(size)}) {
      std::set<std::uint64_t> seen{hash_of(original)};
      Bytes bytes = original;
      for (std::size_t bit = 0; bit < 8 * size; ++bit) {
        bytes[bit / 8] = static_cast<unsigned char>(bytes[bit / 8] ^ 1U << bit % 8);
        seen.insert(hash_of(bytes));
        bytes[bit / 8] = original[bit / 8];
      }
      CHECK(seen.size() == 8 * size + 1);  // nor are two changes alike
    }
  }
}

TEST_CASE("hash: two elements in each other's place", "[ops]") {
  constexpr std::size_t kBytes = 96;
  for (const std::size_t item : {1u, 2u, 4u, 8u}) {
    CAPTURE(item);
    Bytes bytes(kBytes);  // all elements differ, by little
    for (std::size_t i = 0; i < kBytes / item; ++i)
      bytes[i * item] = static_cast<unsigned char>(i + 1);
    const std::uint64_t original = hash_of(bytes);
    for (std::size_t i = 0; i < kBytes / item; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        std::swap(bytes[i * item], bytes[j * item]);
        CHECK(hash_of(bytes) != original);
        std::swap(bytes[i * item], bytes[j * item]);
      }
    }
  }
}

// Differences that cancel in a sum of the numbers themselves, or in that of a poor mix.
TEST_CASE("hash: signs, shifts and constants", "[ops]") {
  std::set<std::uint64_t> seen;
  std::size_t tried = 0;
  const auto see = [&](const std::vector<float>& values) {
    Bytes bytes(values.size() * sizeof(float));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    seen.insert(hash_of(bytes));
    ++tried;
  };
  constexpr std::size_t kNumbers = 48;
  for (const float x : {0.0F, 1.0F, -1.0F, 0.5F}) see(std::vector<float>(kNumbers, x));
  for (std::size_t i = 0; i < kNumbers; ++i) {  // 2 of 48 have another sign
    for (std::size_t j = 0; j < i; ++j) {
      std::vector<float> values(kNumbers, 1.0F);
      values[i] = values[j] = -1.0F;
      see(values);
    }
  }
  for (std::size_t n = 0; n < kNumbers; ++n) {  // the same numbers, n zeros before them
    std::vector<float> values(2 * kNumbers);
    for (std::size_t i = 0; i < kNumbers; ++i) values[n + i] = static_cast<float>(i + 1);
    see(values);
  }
  for (std::size_t n = 1; n < kNumbers; ++n)
    if (n != kNumbers / 2) see(std::vector<float>(n, 0.0F));
  CHECK(seen.size() == tried);
}

}  // namespace tensor_hash
