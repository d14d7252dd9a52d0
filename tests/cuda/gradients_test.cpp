// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The passes over gradients wherever these lie in memory: any size, any address that the dtype
// allows, any number of them. Bits, flags and neighbours are the host's.
#include <amp/amp.hpp>
#include <amp/kernels/backend.hpp>
#include <amp/kernels/unscale/host.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"

namespace cuda_gradients {
namespace {

namespace k = amp::kernels;
using amp::DType;

constexpr DType kDTypes[] = {amp::kFloat32, amp::kFloat16,    amp::kBFloat16,
                             amp::kFloat64, amp::kFloat8E5M2, amp::kFloat8E4M3};
constexpr std::int64_t kGuard = 32;

/// Where some gradients lie.
struct Place {
  std::int64_t begin, numel;  // in bytes; elements
  DType dtype;
};

/// Memory full of numbers, with gradients in it and space between them.
class Arena {
 public:
  /// Gradient i is `offset` bytes away from a multiple of 64.
  void add(DType dtype, std::int64_t numel, std::int64_t offset) {
    const std::int64_t begin = (bytes() + kGuard + 63) / 64 * 64 + offset;
    places_.push_back({begin, numel, dtype});
    contents_.resize(static_cast<std::size_t>(begin + numel * item_size(dtype) + kGuard), '\x7b');
    const amp::Tensor numbers = (amp::randn({numel}) * 3).to(dtype);
    if (numel != 0)
      std::memcpy(contents_.data() + begin, numbers.raw_data(),
                  static_cast<std::size_t>(numel * item_size(dtype)));
  }
  /// Element i of gradient g, counted from the end if i < 0.
  void set(std::size_t g, std::int64_t i, double value) {
    const Place& place = places_[g];
    const amp::Tensor number = amp::full({}, value, {.dtype = amp::kFloat64}).to(place.dtype);
    const std::int64_t size = item_size(place.dtype);
    std::memcpy(contents_.data() + place.begin + (i < 0 ? i + place.numel : i) * size,
                number.raw_data(), static_cast<std::size_t>(size));
  }
  void replace(std::string contents) { contents_ = std::move(contents); }
  std::int64_t bytes() const { return static_cast<std::int64_t>(contents_.size()); }
  std::size_t size() const { return places_.size(); }
  const std::vector<Place>& places() const { return places_; }
  const std::string& contents() const { return contents_; }

 private:
  std::vector<Place> places_;
  std::string contents_;
};

/// What a pass left behind.
struct Outcome {
  std::string memory, products;  // products: of a pass that writes elsewhere
  double found = 0, norm = 0, coefficient = 0;
  amp::GradientStatistics statistics = {};

  friend bool operator==(const Outcome& a, const Outcome& b) {
    const auto same = [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
    return a.memory == b.memory && a.products == b.products && a.found == b.found &&
           same(a.norm, b.norm) && same(a.coefficient, b.coefficient) &&
           same(a.statistics.norm, b.statistics.norm) &&
           same(a.statistics.max_abs, b.statistics.max_abs) &&
           a.statistics.elements == b.statistics.elements &&
           a.statistics.zeros == b.statistics.zeros &&
           a.statistics.underflows == b.statistics.underflows &&
           a.statistics.flushed == b.statistics.flushed &&
           a.statistics.found_inf == b.statistics.found_inf;
  }
};

enum class Pass {
  kTest,
  kWrite,
  kElsewhere,
  kNorm,
  kClip,
  // with what else one pass can tell
  kTestNorm,
  kTestStatistics,
  kWriteNorm,
  kWriteStatistics,
  kElsewhereStatistics,
  kNormStatistics
};
constexpr Pass kPasses[] = {Pass::kTest,
                            Pass::kWrite,
                            Pass::kElsewhere,
                            Pass::kNorm,
                            Pass::kClip,
                            Pass::kTestNorm,
                            Pass::kTestStatistics,
                            Pass::kWriteNorm,
                            Pass::kWriteStatistics,
                            Pass::kElsewhereStatistics,
                            Pass::kNormStatistics};
constexpr bool writes(Pass pass) {
  return pass == Pass::kWrite || pass == Pass::kWriteNorm || pass == Pass::kWriteStatistics;
}
constexpr bool writes_elsewhere(Pass pass) {
  return pass == Pass::kElsewhere || pass == Pass::kElsewhereStatistics;
}
constexpr bool has_statistics(Pass pass) {
  return pass == Pass::kTestStatistics || pass == Pass::kWriteStatistics ||
         pass == Pass::kElsewhereStatistics || pass == Pass::kNormStatistics;
}
constexpr bool has_norm(Pass pass) {
  return pass == Pass::kTestNorm || pass == Pass::kWriteNorm || has_statistics(pass);
}

std::string read(const amp::Tensor& memory) {
  std::string bytes(static_cast<std::size_t>(memory.numel() * item_size(memory.dtype())), '\0');
  amp::copy_bytes(amp::kCPU, bytes.data(), memory.device(), memory.raw_data(),
                  static_cast<std::int64_t>(bytes.size()));
  return bytes;
}

Outcome run(amp::Device device, const Arena& arena, Pass pass, float factor,
            k::DescriptorTable* table = nullptr) {
  const amp::Tensor memory = amp::empty({arena.bytes()}, {.dtype = amp::kUInt8, .device = device});
  amp::copy_bytes(device, memory.raw_data(), amp::kCPU, arena.contents().data(), arena.bytes());
  std::int64_t total = 1;
  for (const Place& place : arena.places()) total += place.numel + 1;
  const amp::Tensor products = amp::full({8 * total}, 5, {.dtype = amp::kUInt8, .device = device});
  const amp::Tensor words = amp::tensor({factor, 0.0F, -1.0F, 0.25F}, {4}).to(device);
  auto* const word = static_cast<float*>(words.raw_data());
  const amp::Tensor wide = amp::full({2}, -1, {.dtype = amp::kFloat64, .device = device});
  auto* const wide_word = static_cast<double*>(wide.raw_data());
  std::vector<k::GradientSpan> spans;
  auto* to = static_cast<char*>(products.raw_data());
  for (const Place& place : arena.places()) {
    spans.push_back(
        {static_cast<char*>(memory.raw_data()) + place.begin, place.numel, place.dtype});
    if (writes_elsewhere(pass)) {
      constexpr DType kTo[] = {amp::kFloat32, amp::kFloat16, amp::kBFloat16, amp::kFloat64};
      spans.back().unscaled = to;
      spans.back().unscaled_dtype = kTo[spans.size() % 4];
    }
    to += 8 * (place.numel + 1);
  }
  const auto count = static_cast<std::int64_t>(spans.size());
  const bool is_wide = k::any_float64(spans.data(), count);
  const k::NormPointer norm = is_wide ? k::NormPointer(wide_word) : k::NormPointer(word + 2);
  amp::GradientStatistics statistics;
  const amp::Tensor told =
      amp::full({sizeof statistics}, 7, {.dtype = amp::kUInt8, .device = device});
  auto* const tells =
      has_statistics(pass) ? static_cast<amp::GradientStatistics*>(told.raw_data()) : nullptr;
  const bool host = device.type == amp::kCPU;
  const k::Backend* const backend = k::backend(amp::kCUDA);
  if (pass == Pass::kNorm || pass == Pass::kNormStatistics) {
    const k::GradNormArgs args{device,   spans.data(), count, word,  norm,         word + 3,
                               word + 1, 2.0,          table, tells, wide_word + 1};
    host ? k::host::grad_norm(args) : backend->grad_norm(args);
  } else if (pass == Pass::kClip) {
    const k::ClipArgs args{device, spans.data(), count, word + 3, nullptr, table};
    host ? k::host::clip(args) : backend->clip(args);
  } else {
    const bool write = writes(pass) || writes_elsewhere(pass);
    const k::UnscaleArgs args{device,   spans.data(), count, word,
                              word + 1, write,        table, has_norm(pass) ? norm : nullptr,
                              false,    tells};
    host ? k::host::unscale(args) : backend->unscale(args);
  }
  const std::vector<float> left = words.to_vector<float>();
  if (tells != nullptr)
    amp::copy_bytes(amp::kCPU, &statistics, device, told.raw_data(), sizeof statistics);
  const std::vector<double> left_wide = wide.to_vector<double>();
  if (pass == Pass::kNorm && !std::isnan(left_wide[1]))
    CHECK(static_cast<float>(left_wide[1]) == left[3]);
  return {read(memory),
          read(products),
          left[1],
          is_wide ? left_wide[0] : left[2],
          is_wide && pass == Pass::kNorm ? left_wide[1] : left[3],
          statistics};
}

/// That host and device do the same, and touch nothing but the gradients, if those.
Outcome check(const Arena& arena, Pass pass, float factor, k::DescriptorTable* table = nullptr) {
  const Outcome host = run(amp::kCPU, arena, pass, factor),
                device = run(amp::kCUDA, arena, pass, factor, table);
  CHECK((host == device));
  std::string memory = device.memory;  // with the gradients as they were
  if (writes(pass) || pass == Pass::kClip) {
    for (const Place& place : arena.places()) {
      const auto begin = static_cast<std::size_t>(place.begin);
      const auto bytes = static_cast<std::size_t>(place.numel * item_size(place.dtype));
      memory.replace(begin, bytes, arena.contents(), begin, bytes);
    }
  }
  CHECK((memory == arena.contents()));
  return device;
}

TEST_CASE("cuda gradients: every size at every address, in every dtype", "[cuda]") {
  amp::manual_seed(31);
  for (const DType dtype : kDTypes) {
    Arena arena;  // in one launch: vectors, tails and elements one by one
    for (const std::int64_t numel : {0, 1, 7, 8, 9, 1023}) {
      for (std::int64_t offset = 0; offset < 16; offset += item_size(dtype))
        arena.add(dtype, numel, offset);
    }
    for (const Pass pass : kPasses) {
      for (const float factor : {1.0F / 3, 4096.0F}) {
        INFO(name(dtype) << ", pass " << static_cast<int>(pass) << ", factor " << factor);
        (void)check(arena, pass, factor);
      }
    }
  }
}

TEST_CASE("cuda gradients: what is not finite is found wherever it is", "[cuda]") {
  amp::manual_seed(32);
  for (const DType dtype : kDTypes) {
    for (const std::int64_t numel : {1, 7, 8, 9, 1023, 5003}) {
      for (const std::int64_t offset : {std::int64_t{0}, item_size(dtype)}) {
        for (const std::int64_t at : {std::int64_t{0}, numel / 2, numel - 1}) {
          for (const double bad : {HUGE_VAL, -HUGE_VAL, std::nan("")}) {
            Arena arena;
            arena.add(dtype, 9, 0);
            arena.add(dtype, numel, offset);
            arena.add(dtype, 9, 0);
            const bool is_nan = std::isnan(bad);
            arena.set(1, at, bad);
            INFO(name(dtype) << " of " << numel << " at " << offset << ": " << at << " is " << bad);
            CHECK(check(arena, Pass::kTest, 0.5F).found == 1);
            CHECK(check(arena, Pass::kNorm, 0.5F).found == 1);
            for (const Pass pass : {Pass::kTestStatistics, Pass::kNormStatistics}) {
              const amp::GradientStatistics told = check(arena, pass, 0.5F).statistics;
              CHECK(told.found_inf);
              CHECK_FALSE(std::isfinite(told.norm));
              CHECK_FALSE(std::isfinite(told.max_abs));
            }
            if (is_nan) continue;                     // may lose its payload when it is written
            if (dtype == amp::kFloat8E4M3) continue;  // which has no infinity but NaN
            CHECK(check(arena, Pass::kWrite, 0.5F).found == 1);
            CHECK(check(arena, Pass::kWriteNorm, 0.5F).found == 1);
            CHECK(check(arena, Pass::kWriteStatistics, 0.5F).statistics.found_inf);
          }
        }
      }
    }
  }
}

TEST_CASE("cuda gradients: any number of them, of mixed dtypes and sizes, in one launch",
          "[cuda]") {
  amp::manual_seed(33);
  for (const std::size_t count : {1U, 64U, 65U, 5000U}) {
    Arena arena;
    for (std::size_t i = 0; i < count; ++i) {
      const DType dtype = kDTypes[i * 7 / 3 % 6];
      arena.add(dtype, static_cast<std::int64_t>(i * i % 41),
                static_cast<std::int64_t>(i % 3) * item_size(dtype));
    }
    arena.add(amp::kFloat32, 70001, 4);  // more than a chunk
    for (const Pass pass : kPasses) {
      INFO(count << ", pass " << static_cast<int>(pass));
      k::DescriptorTable table;
      CHECK(check(arena, pass, 0.5F, &table).found == 0);
      for (const std::size_t bad : {count, count / 2}) {
        Arena other = arena;
        if (other.places()[bad].numel == 0) continue;
        other.set(bad, -1, HUGE_VAL);
        if (pass == Pass::kTest || pass == Pass::kNorm)
          CHECK(check(other, pass, 0.5F, &table).found == 1);
      }
    }
  }
}

TEST_CASE("cuda gradients: 2^20 + 3 elements", "[cuda]") {
  amp::manual_seed(34);
  for (const DType dtype : {amp::kFloat32, amp::kBFloat16}) {
    Arena arena;
    arena.add(dtype, (1 << 20) + 3, dtype == amp::kFloat32 ? 0 : 2);
    for (const Pass pass : {Pass::kWrite, Pass::kNorm, Pass::kWriteStatistics}) {
      INFO(name(dtype) << ", pass " << static_cast<int>(pass));
      CHECK(check(arena, pass, 0.5F).found == 0);
    }
    arena.set(0, -1, -HUGE_VAL);
    CHECK(check(arena, Pass::kTest, 0.5F).found == 1);
    CHECK(check(arena, Pass::kNorm, 0.5F).found == 1);
  }
}

TEST_CASE("cuda gradients: a norm of many chunks has the host's bits", "[cuda]") {
  amp::manual_seed(35);
  Arena arena;
  for (int i = 0; i < 150; ++i) arena.add(amp::kFloat16, 9 + i, std::int64_t{2} * (i % 2));
  (void)check(arena, Pass::kNorm, 0.3F);
  (void)check(arena, Pass::kWriteStatistics, 0.3F);
}

TEST_CASE("cuda gradients: the norm of a pass that writes is that of what it wrote", "[cuda]") {
  amp::manual_seed(36);
  for (const DType dtype : kDTypes) {
    Arena arena;
    for (const std::int64_t numel : {5, 4096, 70001}) arena.add(dtype, numel, item_size(dtype));
    for (const float factor : {1.0F / 3, 16.0F}) {
      INFO(name(dtype) << ", factor " << factor);
      Arena written = arena;
      written.replace(run(amp::kCPU, arena, Pass::kWrite, factor).memory);
      const Outcome after = check(written, Pass::kNormStatistics, 1);
      const Outcome at_once = check(arena, Pass::kWriteStatistics, factor);
      const double norm = check(arena, Pass::kWriteNorm, factor).norm;
      if (!std::isfinite(after.norm)) continue;  // float8 may overflow
      CHECK(norm == after.norm);
      CHECK(at_once.norm == after.norm);
      CHECK(at_once.statistics.norm == after.norm);
      CHECK(at_once.statistics.max_abs == after.statistics.max_abs);
    }
  }
}

TEST_CASE("cuda gradients: zeros and underflows are counted while scaled", "[cuda]") {
  amp::manual_seed(37);
  for (const DType dtype : kDTypes) {
    Arena arena;
    for (const std::int64_t numel : {20, 70001}) {
      arena.add(dtype, numel, item_size(dtype));
      const std::size_t g = arena.size() - 1;
      for (std::int64_t i = 0; i < numel; ++i) arena.set(g, i, 0x1p-3);  // what all dtypes hold
      arena.set(g, 1, 0);
      arena.set(g, 2, -0.0);
      arena.set(g, 3, 0x1p-9);    // float8_e4m3fn's least
      arena.set(g, -1, -0x1p-5);  // the largest but one
      arena.set(g, -2, -0x1p2);   // the largest
      if (dtype == amp::kFloat8E4M3) continue;
      arena.set(g, 4, 0x1p-14);
      arena.set(g, 5, -0x1p-15);
    }
    for (const Pass pass : kPasses) {
      if (!has_statistics(pass)) continue;
      INFO(name(dtype) << ", pass " << static_cast<int>(pass));
      const amp::GradientStatistics told = check(arena, pass, 0.5F).statistics;
      CHECK(told.elements == 70021);
      CHECK(told.zeros == 4);
      CHECK(told.underflows == (dtype == amp::kFloat8E4M3 ? 0 : 2));
      CHECK(told.max_abs == 2);
      CHECK_FALSE(told.found_inf);
    }
  }
}

TEST_CASE("cuda gradients: of no gradients, or empty ones, everything is 0", "[cuda]") {
  Arena none, empty;
  empty.add(amp::kFloat32, 0, 0);
  for (const Arena& arena : {none, empty}) {
    for (const Pass pass : {Pass::kTestStatistics, Pass::kWriteStatistics, Pass::kNormStatistics})
      CHECK((check(arena, pass, 0.5F).statistics == amp::GradientStatistics{}));
    CHECK(check(arena, Pass::kWriteNorm, 0.5F).norm == 0);
  }
}

TEST_CASE("cuda gradients: float64 that float32 cannot hold is found where that is written",
          "[cuda]") {
  Arena arena;
  arena.add(amp::kFloat64, 3, 0);
  arena.set(0, 1, 1e300);
  CHECK(check(arena, Pass::kTest, 0.5F).found == 0);
  CHECK(check(arena, Pass::kWrite, 0.5F).found == 0);
  CHECK(check(arena, Pass::kElsewhere, 0.5F).found == 1);
}

TEST_CASE("cuda gradients: what is read only is tested, but not written", "[cuda]") {
  for (const amp::Device device : {amp::Device(amp::kCPU), amp::Device(amp::kCUDA)}) {
    const amp::Tensor a = amp::full({20}, 4, {.device = device}), b = a.clone();
    const amp::Tensor words = amp::tensor({0.5F, 0.0F}, {2}).to(device);
    auto* const word = static_cast<float*>(words.raw_data());
    const auto unscale = [&] {
      const k::GradientSpan spans[] = {{a.raw_data(), 20, amp::kFloat32, true},
                                       {b.raw_data(), 20, amp::kFloat32}};
      const k::UnscaleArgs args{device, spans, 2, word, word + 1, true};
      device.type == amp::kCPU ? k::host::unscale(args) : k::backend(amp::kCUDA)->unscale(args);
      return words.to_vector<float>()[1];
    };
    CHECK(unscale() == 0);
    CHECK(a.to_vector<float>() == std::vector<float>(20, 4));
    CHECK(b.to_vector<float>() == std::vector<float>(20, 2));
    a.narrow(0, 19, 1).fill_(HUGE_VAL);
    CHECK(unscale() == 1);
  }
}

}  // namespace
}  // namespace cuda_gradients
