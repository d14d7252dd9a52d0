// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Shapes: what they are made from, what they refuse, how they broadcast.
#include <amp/amp.hpp>

#include <array>
#include <cstdint>
#include <list>
#include <span>
#include <vector>

#include "support/catch.hpp"
#include "support/error_of.hpp"

using amp_test::error_of;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("shape: from integers of any types", "[tensor]") {
  const amp::Shape shape = {2, 3u, std::int64_t{4}, short{5}, std::size_t{6}};
  CHECK(shape.dims() == 5);
  CHECK(to_string(shape) == "[2, 3, 4, 5, 6]");
  CHECK(shape.numel() == 720);
}

TEST_CASE("shape: from any range of integers", "[tensor]") {
  const amp::Shape wanted = {2, 3};
  CHECK(amp::Shape(std::vector<int>{2, 3}) == wanted);
  CHECK(amp::Shape(std::array<std::uint64_t, 2>{2, 3}) == wanted);
  CHECK(amp::Shape(std::list<short>{2, 3}) == wanted);
  const std::int64_t extents[] = {2, 3};
  CHECK(amp::Shape(std::span(extents)) == wanted);
  CHECK(amp::Shape(extents) == wanted);
  CHECK(amp::Shape(std::vector<int>{}) == amp::Shape());
}

TEST_CASE("shape: nothing is the shape of a number", "[tensor]") {
  CHECK(amp::Shape().dims() == 0);
  CHECK(amp::Shape().numel() == 1);
  CHECK(to_string(amp::Shape()) == "[]");
}

TEST_CASE("shape: equal means rank and extents", "[tensor]") {
  CHECK(amp::Shape(2, 3) == amp::Shape(2, 3));
  CHECK_FALSE(amp::Shape(2, 3) == amp::Shape(3, 2));
  CHECK_FALSE(amp::Shape(2, 3) == amp::Shape(2, 3, 1));
  CHECK_FALSE(amp::Shape(1) == amp::Shape());
}

TEST_CASE("shape: negative extents throw", "[tensor]") {
  CHECK_THAT(error_of([] { return amp::Shape(2, -3); }), ContainsSubstring("[2, -3]"));
  CHECK_THROWS_AS(amp::Shape(std::vector<int>{-1}), amp::Error);
  CHECK_THROWS_AS(amp::Shape(INT64_MIN), amp::Error);
}

TEST_CASE("shape: more elements than 63 bits count throw", "[tensor]") {
  CHECK_THROWS_AS(amp::Shape(std::int64_t{1} << 32, std::int64_t{1} << 31), amp::Error);
  CHECK_THROWS_AS(amp::Shape(UINT64_MAX), amp::Error);
  CHECK_THROWS_AS(amp::Shape(std::vector<std::uint64_t>{std::uint64_t{1} << 63}), amp::Error);
  CHECK_NOTHROW(amp::Shape(std::int64_t{1} << 32, std::int64_t{1} << 30));
}

TEST_CASE("shape: an extent of zero does not hide an overflow of the others", "[tensor]") {
  CHECK_THROWS_AS(amp::Shape(INT64_MAX, 0, INT64_MAX), amp::Error);
  CHECK(amp::Shape(INT64_MAX, 0).numel() == 0);
}

TEST_CASE("shape: at most eight dimensions", "[tensor]") {
  CHECK(amp::Shape(1, 1, 1, 1, 1, 1, 1, 1).dims() == 8);
  CHECK_THAT(error_of([] { return amp::Shape(1, 1, 1, 1, 1, 1, 1, 1, 1); }),
             ContainsSubstring("8 dimensions"));
  CHECK_THROWS_AS(amp::Shape(std::vector<int>(100, 1)), amp::Error);
}

TEST_CASE("shape: strides are row-major", "[tensor]") {
  CHECK(amp::to_string(amp::contiguous_strides({2, 3, 4})) == "[12, 4, 1]");
  CHECK(amp::to_string(amp::contiguous_strides({})) == "[]");
  CHECK(amp::to_string(amp::contiguous_strides({2, 0, 4})) == "[4, 4, 1]");
}

TEST_CASE("broadcast_shapes: aligned at the last dimension", "[tensor]") {
  const auto broadcast = [](const amp::Shape& a, const amp::Shape& b) {
    return to_string(amp::broadcast_shapes("add", a, b));
  };
  CHECK(broadcast({2, 3}, {3}) == "[2, 3]");
  CHECK(broadcast({3}, {2, 3}) == "[2, 3]");
  CHECK(broadcast({2, 1, 4}, {3, 1}) == "[2, 3, 4]");
  CHECK(broadcast({}, {2, 3}) == "[2, 3]");
  CHECK(broadcast({}, {}) == "[]");
}

TEST_CASE("broadcast_shapes: an empty dimension stays empty", "[tensor]") {
  CHECK(amp::broadcast_shapes("add", {2, 0}, {1}) == amp::Shape(2, 0));
  CHECK(amp::broadcast_shapes("add", {0}, {3, 1}) == amp::Shape(3, 0));
  CHECK_THROWS_AS(amp::broadcast_shapes("add", {0}, {3}), amp::Error);
}

TEST_CASE("broadcast_shapes: the error names op, shapes and dimension", "[tensor]") {
  CHECK_THAT(error_of([] {
               return amp::broadcast_shapes("mul", {2, 3}, {2, 4});
             }),
             ContainsSubstring("mul") && ContainsSubstring("[2, 3]") &&
                 ContainsSubstring("[2, 4]") && ContainsSubstring("dimension 1"));
}

TEST_CASE("wrap_dim: counts from either end", "[tensor]") {
  CHECK(amp::wrap_dim("op", 0, 3) == 0);
  CHECK(amp::wrap_dim("op", -1, 3) == 2);
  CHECK(amp::wrap_dim("op", -3, 3) == 0);
  CHECK(amp::wrap_dim("op", -1, 0) == 0);
  CHECK_THAT(error_of([] { return amp::wrap_dim("sum", 3, 3); }),
             ContainsSubstring("sum") && ContainsSubstring("[-3, 3)"));
  CHECK_THROWS_AS(amp::wrap_dim("op", -4, 3), amp::Error);
  CHECK_THROWS_AS(amp::wrap_dim("op", 1, 0), amp::Error);
  CHECK_THROWS_AS(amp::wrap_dim("op", INT64_MIN, 3), amp::Error);
}

TEST_CASE("reshape: -1 is what is left", "[tensor]") {
  const auto resolve = [](const amp::ReshapeTo& to, const amp::Shape& from) {
    return to_string(to.resolve(from));
  };
  CHECK(resolve({-1}, {2, 3}) == "[6]");
  CHECK(resolve({3, -1}, {2, 3}) == "[3, 2]");
  CHECK(resolve({-1, 6}, {2, 3}) == "[1, 6]");
  CHECK(resolve({-1, 5}, {0, 3}) == "[0, 5]");
  CHECK(resolve({-1}, {}) == "[1]");
  CHECK(resolve(std::vector<int>{2, -1}, {4}) == "[2, 2]");
}

TEST_CASE("reshape: refuses what does not hold the elements, and says so", "[tensor]") {
  const auto refuses = [](const amp::ReshapeTo& to, const amp::Shape& from) {
    return error_of([&] { return to.resolve(from); });
  };
  CHECK_THAT(refuses({4}, {2, 3}), ContainsSubstring("[4]") && ContainsSubstring("[2, 3]"));
  CHECK_THAT(refuses({4, -1}, {2, 3}), ContainsSubstring("[4, -1]") && ContainsSubstring("6"));
  CHECK_THAT(refuses({-1, -1}, {2, 3}), ContainsSubstring("one -1"));
  CHECK_THAT(refuses({-2, -3}, {2, 3}), ContainsSubstring("[-2, -3]"));
  CHECK_THAT(refuses({0, -1}, {0}), ContainsSubstring("[0, -1]"));
  CHECK_THAT(refuses({INT64_MAX, 2}, {2}), ContainsSubstring("overflow"));
}
