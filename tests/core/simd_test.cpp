// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The functions of vectors on each instruction set, against those of C in double.
#include <amp/core/simd/ends.hpp>
#include <amp/core/simd/fold.hpp>
#include <amp/core/simd/inverse.hpp>
#include <amp/core/simd/math.hpp>
#include <amp/core/simd/on_widest.hpp>
#include <amp/core/simd/power.hpp>
#include <amp/core/simd/transpose.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/catch.hpp"
#include "support/instruction_sets.hpp"

namespace simd_test {
namespace {

namespace simd = amp::simd;

/// y = Function(x), of whole vectors.
template <class Function>
struct Apply {
  template <class Isa>
  AMP_ALWAYS_INLINE static void run(const float* x, float* y, std::int64_t n) {
    for (std::int64_t i = 0; i < n; i += simd::kLanes<Isa>)
      simd::store(Function::of(simd::load<Isa>(x + i)), y + i);
  }
};

/// y = Function(a, b)
template <class Function>
struct ApplyToPairs {
  template <class Isa>
  AMP_ALWAYS_INLINE static void run(const float* a, const float* b, float* y, std::int64_t n) {
    for (std::int64_t i = 0; i < n; i += simd::kLanes<Isa>)
      simd::store(Function::of(simd::load<Isa>(a + i), simd::load<Isa>(b + i)), y + i);
  }
};

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// The distance of y from an exact result in units of the last place of a float.
double distance_in_ulp(float y, double exact) {
  int exponent = 0;
  std::frexp(exact, &exponent);
  return std::abs(y - exact) / std::ldexp(1.0, std::max(exponent, -125) - 24);
}

/// Floats of all exponents and both signs, infinities and NaN; a multiple of the lanes.
std::vector<float> all_kinds_of_floats() {
  std::vector<float> x;
  for (std::uint64_t bits = 0; bits < std::uint64_t{1} << 32; bits += 16381)
    x.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  for (const float special : {0.0F, -0.0F, 1.0F, -1.0F, std::numeric_limits<float>::infinity(),
                              -std::numeric_limits<float>::infinity()})
    x.push_back(special);
  while (x.size() % 16 != 0) x.push_back(0.5F);
  return x;
}

/// The distance if the result is a normal number, or 0; infinite if one that is infinite or NaN is
/// not exact, or the sign is another.
double distance(float y, double exact) {
  const auto expected = static_cast<float>(exact);
  if (std::isnan(expected) && std::isnan(y)) return 0;
  const bool same_sign = std::signbit(expected) == std::signbit(y);
  if (!std::isfinite(expected) || !same_sign) return y == expected && same_sign ? 0 : kInfinity;
  return std::abs(expected) < std::numeric_limits<float>::min() ? 0 : distance_in_ulp(y, exact);
}

/// The largest distance over numbers.
template <class Function>
double worst_of(amp::detail::InstructionSet set, const std::vector<float>& x, float lowest) {
  std::vector<float> y(x.size());
  simd::on_set<Apply<Function>>(set, x.data(), y.data(), static_cast<std::int64_t>(x.size()));
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!(x[i] < lowest)) worst = std::max(worst, distance(y[i], Function::of(double{x[i]})));
  }
  return worst;
}
/// The same of a function of two numbers, of all kinds and of usual sizes.
template <class Function>
double worst_of_pairs(amp::detail::InstructionSet set, const std::vector<float>& kinds) {
  std::vector<float> a, b;
  const float special[] = {0.0F,   -0.0F,  1.0F,       -1.0F,        0.5F,  -2.0F,
                           3.0F,   -3.0F,  0x1p23F,    0x1p24F,      -7.5F, kInfinity,
                           -1e30F, 1e-40F, -kInfinity, std::nanf("")};
  for (const float x : special) {
    for (const float y : special) {
      a.push_back(x);
      b.push_back(y);
    }
  }
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    a.push_back(kinds[i]);
    b.push_back(kinds[i * 7919 % kinds.size()]);
    a.push_back(1.0F + static_cast<float>(i % 40'000) * 1e-4F);
    b.push_back(static_cast<float>(i % 7'919) * 0.01F - 39.0F);
  }
  while (a.size() % 16 != 0) {
    a.push_back(1.0F);
    b.push_back(1.0F);
  }
  std::vector<float> y(a.size());
  simd::on_set<ApplyToPairs<Function>>(set, a.data(), b.data(), y.data(),
                                       static_cast<std::int64_t>(a.size()));
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    worst = std::max(worst, distance(y[i], Function::of(double{a[i]}, double{b[i]})));
  return worst;
}

#define FUNCTION(name)                   \
  struct name##_of {                     \
    template <class X>                   \
    AMP_ALWAYS_INLINE static X of(X x) { \
      using std::name;                   \
      return name(x);                    \
    }                                    \
  };
FUNCTION(exp)
FUNCTION(expm1)
FUNCTION(log)
FUNCTION(log1p)
FUNCTION(log2)
FUNCTION(log10)
FUNCTION(tanh)
FUNCTION(sinh)
FUNCTION(cosh)
FUNCTION(erf)
FUNCTION(sin)
FUNCTION(cos)
FUNCTION(tan)
FUNCTION(asin)
FUNCTION(acos)
FUNCTION(atan)
FUNCTION(sqrt)
FUNCTION(floor)
FUNCTION(ceil)
FUNCTION(trunc)
FUNCTION(rint)

#define FUNCTION_OF_TWO(name)                 \
  struct name##_of {                          \
    template <class X>                        \
    AMP_ALWAYS_INLINE static X of(X x, X y) { \
      using std::name;                        \
      return name(x, y);                      \
    }                                         \
  };
FUNCTION_OF_TWO(pow)
FUNCTION_OF_TWO(fmod)
FUNCTION_OF_TWO(atan2)

template <class Function>
struct with_number {
  template <class X>
  AMP_ALWAYS_INLINE static X of(X x) {
    return Function::of(x, X(1.7F));
  }
};
struct erfinv_of {
  template <class X>
  AMP_ALWAYS_INLINE static X of(X x) {
    return erfinv(x);
  }
};

/// The largest distance of x from erf(erfinv(x)), times the derivative, in units of erfinv(x).
double worst_inverse_of_erf(amp::detail::InstructionSet set) {
  std::vector<float> x, y;
  for (float a = 0x1p-30F; a < 0.9999F; a += std::max(a * 0x1p-9F, 0x1p-40F)) {
    x.push_back(a);
    x.push_back(-a);
  }
  for (float a = 1 - 0x1p-24F; a > 0.99F; a -= 0x1p-22F) x.push_back(a);
  while (x.size() % 16 != 0) x.push_back(1.0F);
  y.resize(x.size());
  simd::on_set<Apply<erfinv_of>>(set, x.data(), y.data(), static_cast<std::int64_t>(x.size()));
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i] == 1) {
      if (y[i] != kInfinity) return kInfinity;
      continue;
    }
    const double z = std::abs(double{y[i]}), a = std::abs(double{x[i]});
    const double error = a < 0.5 ? std::erf(z) - a : (1 - a) - std::erfc(z);
    const double step = error / (1.12837916709551257390 * std::exp(-z * z));
    worst = std::max(worst, distance_in_ulp(static_cast<float>(z), z - step));
  }
  return worst;
}

}  // namespace

TEST_CASE("simd: functions are as exact as they say, for all kinds of numbers", "[core]") {
  const std::vector<float> x = all_kinds_of_floats();
  const float all = -std::numeric_limits<float>::infinity();
  for (const auto set : instruction_sets()) {
    CAPTURE(static_cast<int>(set));
    CHECK(worst_of<exp_of>(set, x, -86.9F) < 2);  // below, the result is 0
    CHECK(worst_of<expm1_of>(set, x, all) < 2);
    CHECK(worst_of<log_of>(set, x, all) < 1);
    CHECK(worst_of<log1p_of>(set, x, all) < 2);
    CHECK(worst_of<log2_of>(set, x, all) < 2);
    CHECK(worst_of<log10_of>(set, x, all) < 2);
    CHECK(worst_of<tanh_of>(set, x, all) < 2);
    CHECK(worst_of<sinh_of>(set, x, all) < 2.6);
    CHECK(worst_of<cosh_of>(set, x, all) < 2);
    CHECK(worst_of<erf_of>(set, x, all) < 2.6);
    CHECK(worst_of<sin_of>(set, x, all) < 2.6);
    CHECK(worst_of<cos_of>(set, x, all) < 2.6);
    CHECK(worst_of<tan_of>(set, x, all) < 2.7);
    CHECK(worst_of<asin_of>(set, x, all) < 2.6);
    CHECK(worst_of<acos_of>(set, x, all) < 2.6);
    CHECK(worst_of<atan_of>(set, x, all) < 2.6);
    CHECK(worst_of_pairs<pow_of>(set, x) < 2.6);
    CHECK(worst_of_pairs<fmod_of>(set, x) == 0);
    CHECK(worst_of_pairs<atan2_of>(set, x) < 2.6);
    CHECK(worst_inverse_of_erf(set) < 2.6);
    CHECK(worst_of<sqrt_of>(set, x, all) <= 0.5);
    CHECK(worst_of<floor_of>(set, x, all) == 0);
    CHECK(worst_of<ceil_of>(set, x, all) == 0);
    CHECK(worst_of<trunc_of>(set, x, all) == 0);
    CHECK(worst_of<rint_of>(set, x, all) == 0);
  }
}

TEST_CASE("simd: AVX2 and AVX-512 give the same bits", "[core]") {
  if (instruction_sets().size() < 3) AMP_TEST_SKIP("the processor has no AVX-512");
  const std::vector<float> x = all_kinds_of_floats();
  const auto same = [&](auto function) {
    using Function = decltype(function);
    const auto n = static_cast<std::int64_t>(x.size());
    std::vector<float> y(x.size()), z(x.size());
    simd::on_set<Apply<Function>>(amp::detail::InstructionSet::kAvx2, x.data(), y.data(), n);
    simd::on_set<Apply<Function>>(amp::detail::InstructionSet::kAvx512, x.data(), z.data(), n);
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (std::bit_cast<std::uint32_t>(y[i]) != std::bit_cast<std::uint32_t>(z[i])) return false;
    }
    return true;
  };
  CHECK(same(exp_of{}));
  CHECK(same(expm1_of{}));
  CHECK(same(log_of{}));
  CHECK(same(log1p_of{}));
  CHECK(same(log2_of{}));
  CHECK(same(log10_of{}));
  CHECK(same(tanh_of{}));
  CHECK(same(sinh_of{}));
  CHECK(same(cosh_of{}));
  CHECK(same(erf_of{}));
  CHECK(same(sin_of{}));
  CHECK(same(cos_of{}));
  CHECK(same(tan_of{}));
  CHECK(same(asin_of{}));
  CHECK(same(acos_of{}));
  CHECK(same(atan_of{}));
  CHECK(same(with_number<pow_of>{}));
  CHECK(same(with_number<atan2_of>{}));
  CHECK(same(erfinv_of{}));
}

TEST_CASE("simd: a number in all lanes, parts of arrays, masks", "[core]") {
  using V = simd::Vec<float, simd::Baseline>;
  using D = simd::Vec<double, simd::Baseline>;
  const float x[] = {1, -2, 3, std::numeric_limits<float>::quiet_NaN()};
  const V v = simd::load<simd::Baseline>(x);
  CHECK((select(v > 0.0F, v, V(7))[0] == 1 && select(v > 0.0F, v, V(7))[1] == 7));
  CHECK((is_nan(v)[3] == -1 && is_nan(v)[0] == 0 && simd::any(is_nan(v))));
  CHECK(simd::sum_of(simd::keep_first(v, 3)) == 2);
  CHECK(simd::sum_of(simd::to_double(simd::keep_first(v, 2))) == -1);
  float y[] = {0, 0, 0, 0};
  simd::store_first(simd::load_first<simd::Baseline>(x, 2) + 1.0F, y, 3);
  CHECK((y[0] == 2 && y[1] == -1 && y[2] == 1 && y[3] == 0));
  const double d[] = {4, 9, 16, 25};
  const D root = sqrt(simd::load<simd::Baseline>(d));
  CHECK((root[0] == 2 && root[1] == 3 && root[2] == 4 && root[3] == 5));
  CHECK(simd::fold(root, simd::Larger{}) == 5);
  const simd::Mask<float, simd::Baseline> all = true, none = false;
  CHECK((all[0] == -1 && none[0] == 0 && (!all)[1] == 0 && (all && none)[2] == 0));
}

template <class T>
bool transposes() {
  constexpr std::int64_t kSide = simd::kSquare<T>, kFrom = kSide + 1, kTo = kSide + 3;
  T from[static_cast<std::size_t>(kSide * kFrom)], to[static_cast<std::size_t>(kSide * kTo)] = {};
  for (std::int64_t i = 0; i < kSide * kFrom; ++i) from[i] = static_cast<T>(i % 251);
  simd::transpose_square(from, kFrom, to, kTo);
  for (std::int64_t i = 0; i < kSide; ++i) {
    for (std::int64_t j = 0; j < kSide; ++j) {
      if (to[i * kTo + j] != from[j * kFrom + i]) return false;
    }
    for (std::int64_t j = kSide; j < kTo; ++j) {
      if (to[i * kTo + j] != 0) return false;
    }
  }
  return true;
}

namespace {

/// y[l] = lane l of the first n elements of x, for all lanes
struct LoadFirst {
  template <class Isa, class T>
  AMP_ALWAYS_INLINE static void run(const T* x, std::int64_t n, T* y) {
    simd::store(simd::load_first<Isa>(x, n), y);
  }
};
template <class T>
void check_load_first() {
  for (const simd::InstructionSet set : instruction_sets()) {
    for (std::int64_t n = 0; n <= simd::kMostLanes; ++n) {
      std::vector<T> x(static_cast<std::size_t>(n)), y(simd::kMostLanes, T(99));
      for (std::int64_t i = 0; i < n; ++i)
        x[static_cast<std::size_t>(i)] = static_cast<T>(15 * i + 7);
      const std::int64_t lanes = set == simd::InstructionSet::kBaseline ? 4
                                 : set == simd::InstructionSet::kAvx2   ? 8
                                                                        : 16;
      if (n > lanes) break;
      simd::on_set<LoadFirst>(set, static_cast<const T*>(x.data()), n, y.data());
      std::vector<T> wanted = x;
      wanted.resize(static_cast<std::size_t>(lanes));
      wanted.resize(y.size(), T(99));
      CHECK(y == wanted);
    }
  }
}

}  // namespace

TEST_CASE("simd: the first lanes of arrays that end with them", "[core]") {
  check_load_first<float>();
  check_load_first<std::int32_t>();
  check_load_first<std::uint16_t>();
  check_load_first<std::uint8_t>();
}

TEST_CASE("simd: transposes of squares", "[core]") {
  CHECK(transposes<std::uint8_t>());
  CHECK(transposes<std::uint16_t>());
  CHECK(transposes<std::uint32_t>());
  CHECK(transposes<std::uint64_t>());
  CHECK(transposes<float>());
  CHECK(transposes<double>());
}

}  // namespace simd_test
