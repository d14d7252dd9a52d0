// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What ops do with integers, and where dtypes mix.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "conformance/calls.hpp"
#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace conformance::properties {

using Integers = std::vector<std::int64_t>;

// --- promotion ----------------------------------------------------------------------------------

inline constexpr amp::DType kMixed[] = {amp::kFloat64, amp::kFloat32, amp::kFloat16, amp::kBFloat16,
                                        amp::kInt64,   amp::kInt32,   amp::kBool};

/// torch.result_type (2.6) of the row's and the column's dtype in that order: of two arrays, and of
/// a 0-dimensional tensor and an array. d, f, h, b: float64 to bfloat16; l, i: int64, int32; o:
/// bool.
inline constexpr const char* kOfArrays[] = {"ddddddd", "dffffff", "dfhfhhh", "dffbbbb",
                                            "dfhblll", "dfhblii", "dfhblio"};
inline constexpr const char* kOfScalarAndArray[] = {"dfhbddd", "dfhbfff", "dfhbhhh", "dfhbbbb",
                                                    "dfhblil", "dfhblii", "dfhblio"};

inline char letter(amp::DType dtype) {
  for (std::size_t i = 0; i < std::size(kMixed); ++i) {
    if (kMixed[i] == dtype) return "dfhblio"[i];
  }
  return '?';
}

inline void promotion(const amp::Device& device, amp::DType dtype) {
  const auto ones = [&](const amp::Shape& shape, amp::DType of) {
    return amp::ones(shape, {.dtype = of, .device = device});
  };
  const amp::Tensor condition = ones({2}, amp::kBool);
  std::string where, where_number, max, min, add, pow, cat, stack;
  std::string scalar_where, scalar_max, scalar_add, scalar_stack;
  for (const amp::DType other : kMixed) {
    const amp::Tensor a = ones({2}, dtype), b = ones({2}, other), scalar = ones({}, dtype);
    where += letter(amp::where(condition, a, b).dtype());
    max += letter(amp::max(a, b).dtype());
    min += letter(amp::min(a, b).dtype());
    add += letter(amp::add(a, b).dtype());
    cat += letter(amp::cat({a, b}).dtype());
    stack += letter(amp::stack({a, b}).dtype());
    scalar_where += letter(amp::where(condition, scalar, b).dtype());
    scalar_max += letter(amp::max(scalar, b).dtype());
    scalar_add += letter(amp::add(scalar, b).dtype());
    if (dtype == amp::kBool && other == amp::kBool) {
      pow += 'o';  // torch has no power of bools
    } else {
      pow += letter(amp::pow(a, b).dtype());
    }
  }
  std::size_t row = 0;
  while (kMixed[row] != dtype) ++row;
  for (const std::string& of_op : {where, max, min, add, pow, cat, stack})
    CHECK(of_op == kOfArrays[row]);
  for (const std::string& of_op : {scalar_where, scalar_max, scalar_add})
    CHECK(of_op == kOfScalarAndArray[row]);
  // A number beside the tensor: its kind counts, not its size.
  const bool real = amp::is_floating_point(dtype);
  const amp::Tensor x = ones({2}, dtype);
  CHECK(letter(amp::where(condition, x, 1.5).dtype()) == (real ? letter(dtype) : 'f'));
  CHECK(letter(amp::where(condition, 2, x).dtype()) == (dtype == amp::kBool ? 'l' : letter(dtype)));
  CHECK(letter(amp::pow(x, 2.5).dtype()) == (real ? letter(dtype) : 'f'));
  CHECK(letter(amp::pow(2, x).dtype()) == (dtype == amp::kBool ? 'l' : letter(dtype)));
}

// --- integers -----------------------------------------------------------------------------------

inline void integer_ops(const amp::Device& device, amp::DType dtype) {
  const auto of = [&](const Integers& values) {
    return amp::tensor(values, {values.size()}, {.dtype = dtype, .device = device});
  };
  const auto is = [&](const amp::Tensor& y, const Integers& values) {
    CHECK(amp::name(y.dtype()) == amp::name(dtype));
    CHECK(y.to_vector<std::int64_t>() == values);
    CHECK_FALSE(y.requires_grad());
  };
  const amp::Tensor x = of({3, -2, 0, 7}), y = of({2, 5, -1, 7}), e = of({2, 3, 0, 1});
  is(amp::add(x, y), {5, 3, -1, 14});
  is(amp::sub(x, y), {1, -7, 1, 0});
  is(amp::mul(x, y), {6, -10, 0, 49});
  is(amp::neg(x), {-3, 2, 0, -7});
  is(amp::abs(x), {3, 2, 0, 7});
  is(amp::relu(x), {3, 0, 0, 7});
  is(amp::pow(x, e), {9, -8, 1, 7});
  is(amp::pow(x, 2), {9, 4, 0, 49});
  is(amp::pow(2, e), {4, 8, 1, 2});
  is(amp::max(x), {7});
  is(amp::min(x), {-2});
  is(amp::max(x, y), {3, 5, 0, 7});
  is(amp::min(x, y), {2, -2, -1, 7});
  is(amp::max(x.reshape({2, 2}), 0).values, {3, 7});
  is(amp::min(x.reshape({2, 2}), 1).values, {-2, 0});
  CHECK(amp::max(x.reshape({2, 2}), 0).indices.to_vector<std::int64_t>() == Integers{0, 1});
  CHECK(amp::argmax(x).item<std::int64_t>() == 3);
  is(amp::amax(x.reshape({2, 2}), {0, 1}), {7});
  is(amp::amin(x.reshape({2, 2}), 1), {-2, 0});
  CHECK(amp::prod(y).dtype() == amp::kInt64);
  CHECK(amp::prod(y).item<std::int64_t>() == -70);
  CHECK(amp::prod(x.reshape({2, 2}), 0).to_vector<std::int64_t>() == Integers{0, -14});
  CHECK(amp::logsumexp(of({0, 0}), 0).dtype() == amp::kFloat32);
  CHECK(amp::logsumexp(of({0}), 0).item<float>() == 0);
  is(amp::cat({x, y}), {3, -2, 0, 7, 2, 5, -1, 7});
  is(amp::stack({x, y}, 1), {3, 2, -2, 5, 0, -1, 7, 7});
  is(amp::where(amp::gt(x, 0), x, y), {3, 5, -1, 7});
  is(amp::where(amp::gt(x, 0), x, -1), {3, -1, -1, 7});
  is(amp::index_select(x, 0, amp::tensor({2, 0}, {2}, {.device = device})), {0, 3});
  is(amp::embedding(amp::tensor({1}, {1}, {.device = device}), x.reshape({2, 2})), {0, 7});
  CHECK(amp::sum(x).dtype() == amp::kInt64);
  CHECK(amp::sum(x).item<std::int64_t>() == 8);
  CHECK(amp::eq(x, y).to_vector<int>() == std::vector<int>{0, 0, 0, 1});
  CHECK(amp::lt(x, y).to_vector<int>() == std::vector<int>{0, 1, 0, 0});
  CHECK(amp::div(x, y).dtype() == amp::kFloat32);
  CHECK(amp::log1p(of({0})).item<float>() == 0);
  CHECK(amp::rsqrt(of({4})).item<float>() == 0.5F);
}

/// Numbers that no float64 tells apart.
inline void integer_extremes(const amp::Device& device, amp::DType dtype) {
  const std::int64_t high = dtype == amp::kInt64 ? std::numeric_limits<std::int64_t>::max()
                                                 : std::numeric_limits<std::int32_t>::max();
  const std::int64_t low = -high - 1;
  const amp::Tensor x =
      amp::tensor(Integers{high - 1, high, low, low + 1}, {4}, {.dtype = dtype, .device = device});
  CHECK(amp::max(x).item<std::int64_t>() == high);
  CHECK(amp::min(x).item<std::int64_t>() == low);
  CHECK(amp::argmax(x).item<std::int64_t>() == 1);
  CHECK(amp::min(x, 0).indices.item<std::int64_t>() == 2);
  CHECK(amp::amax(x).item<std::int64_t>() == high);
  CHECK(amp::amin(x).item<std::int64_t>() == low);
  const auto bits = [](std::int64_t i) { return static_cast<std::uint64_t>(i); };
  CHECK(bits(amp::prod(x).item<std::int64_t>()) ==
        bits(high - 1) * bits(high) * bits(low) * bits(low + 1));  // modulo 2^64
  CHECK(amp::max(x.narrow(0, 0, 2), x.narrow(0, 1, 2)).to_vector<std::int64_t>() ==
        Integers{high, high});
  CHECK(amp::where(amp::eq(x, high), x, 0).to_vector<std::int64_t>() == Integers{0, high, 0, 0});
  CHECK(amp::cat({x, x}).narrow(0, 3, 2).to_vector<std::int64_t>() == Integers{low + 1, high - 1});
  CHECK(amp::lt(x.narrow(0, 0, 2), x.narrow(0, 1, 2)).to_vector<int>() == std::vector<int>{1, 0});
}

inline void bool_ops(const amp::Device& device, amp::DType) {
  const auto of = [&](const std::vector<int>& values) {
    return amp::tensor(values, {values.size()}, {.dtype = amp::kBool, .device = device});
  };
  const auto is = [](const amp::Tensor& y, const std::vector<int>& values) {
    CHECK(amp::name(y.dtype()) == amp::name(amp::kBool));
    CHECK(y.to_vector<int>() == values);
  };
  const amp::Tensor x = of({1, 0, 1}), y = of({1, 1, 0});
  CHECK(amp::name(amp::sum(x).dtype()) == amp::name(amp::kInt64));
  CHECK(amp::sum(x).item<int>() == 2);
  is(amp::cat({x, y}), {1, 0, 1, 1, 1, 0});
  is(amp::stack({x, y}), {1, 0, 1, 1, 1, 0});
  is(amp::where(x, y, x), {1, 0, 0});
  is(amp::max(x, y), {1, 1, 1});
  is(amp::min(x, y), {1, 0, 0});
  is(amp::max(x), {1});
  is(amp::min(x), {0});
  is(amp::amax(x), {1});
  is(amp::amin(x, 0), {0});
  CHECK(amp::name(amp::prod(x).dtype()) == amp::name(amp::kInt64));
  CHECK(amp::prod(x).item<int>() == 0);
  CHECK(amp::logsumexp(of({0, 0}), 0).item<float>() == 0.693147182F);
  is(amp::eq(x, y), {1, 0, 0});
  for (const auto& call : {+[](const amp::Tensor& b) { return amp::argmax(b); },
                           +[](const amp::Tensor& b) { return amp::argmax(b, 0); },
                           +[](const amp::Tensor& b) { return amp::abs(b); },
                           +[](const amp::Tensor& b) { return amp::relu(b); }}) {
    CHECK_THAT(amp_test::error_of([&] { return call(x); }),
               Catch::Matchers::ContainsSubstring("`input` must be a number, but is bool[3]"));
  }
}

/// Ops of real numbers, and impossible powers.
inline void integers_refused(const amp::Device& device, amp::DType dtype) {
  const amp::TensorOptions options{.dtype = dtype, .device = device};
  const amp::Tensor x = amp::ones({2, 2}, options);
  const amp::Tensor targets = amp::zeros({2}, {.dtype = amp::kInt64, .device = device});
  const auto refused = [](const auto& call) { CHECK(amp_test::error_of(call) != ""); };
  refused([&] { return amp::matmul(x, x); });
  refused([&] { return amp::gelu(x); });
  refused([&] { return amp::silu(x); });
  refused([&] { return amp::softmax(x, 0); });
  refused([&] { return amp::var(x, 0); });
  refused([&] { return amp::std(x, 0); });
  refused([&] { return amp::norm(x); });
  refused([&] { return amp::normalize(x); });
  refused([&] { return amp::layer_norm(x, {2}); });
  refused([&] { return amp::rms_norm(x, {2}); });
  refused([&] { return amp::group_norm(x, 1); });
  refused([&] { return amp::batch_norm(x, {}, {}, {}, {}, true); });
  refused([&] { return amp::cross_entropy(x, targets); });
  refused([&] { return amp::nll_loss(x, targets); });
  refused([&] { return amp::mse_loss(x, x); });
  refused([&] { return amp::binary_cross_entropy_with_logits(x, x); });
  refused([&] { return amp::scaled_dot_product_attention(x, x, x); });
  refused([&] { return amp::dropout(x); });
  refused([&] { return amp::dropout_add(x, x); });
  refused([&] { return amp::avg_pool2d(x.reshape({1, 2, 2}), 2); });
  refused([&] { return amp::pow(x, -1); });
}

}  // namespace conformance::properties
