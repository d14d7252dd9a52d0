// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Views: which elements they show, that they share memory, and what they refuse.
#include <amp/amp.hpp>

#include <cstdint>
#include <vector>

#include "support/catch.hpp"
#include "support/error_of.hpp"

using amp_test::error_of;
using Catch::Matchers::ContainsSubstring;

namespace {

/// 0, 1, 2, ... in this shape.
amp::Tensor counting(const amp::Shape& shape) { return amp::arange(shape.numel()).reshape(shape); }
std::vector<int> values(const amp::Tensor& tensor) { return tensor.to_vector<int>(); }
bool shares_memory(const amp::Tensor& view, const amp::Tensor& base) {
  base.fill_(77);
  for (const int value : values(view)) {
    if (value != 77) return false;
  }
  return view.version() == base.version();
}

/// All shapes of up to four dimensions that have so many elements.
std::vector<amp::Shape> shapes_of(std::int64_t numel) {
  std::vector<amp::Shape> shapes;
  for (std::int64_t a = 1; a <= numel; ++a) {
    if (numel % a != 0) continue;
    if (a == numel)
      shapes.insert(shapes.end(), {amp::Shape(a), amp::Shape(a, 1), amp::Shape(1, a)});
    for (std::int64_t b = 1; b <= numel / a; ++b) {
      if (numel / a % b != 0) continue;
      for (std::int64_t c = 1; c <= numel / a / b; ++c) {
        if (numel / a / b % c == 0) shapes.push_back({a, b, c, numel / a / b / c});
      }
    }
  }
  return shapes;
}

/// Whether the numbers, which say where in memory each element is, are those of a view.
bool has_strides(const amp::Tensor& places) {
  amp::Tensor expected = amp::zeros(places.shape(), {.dtype = amp::kInt64});
  amp::Tensor origin = places;
  for (int d = 0; d < places.dim(); ++d) origin = origin.narrow(d, 0, 1);
  for (int d = 0; d < places.dim(); ++d) {
    if (places.size(d) == 1) continue;
    amp::Tensor second = places, extent = amp::arange(places.size(d));
    for (int other = 0; other < places.dim(); ++other)
      second = second.narrow(other, other == d ? 1 : 0, 1);
    for (int other = d + 1; other < places.dim(); ++other) extent = extent.unsqueeze(-1);
    expected = expected + extent * (second - origin);
  }
  return values(expected + origin) == values(places);
}

}  // namespace

TEST_CASE("view: all of them share memory and version", "[tensor]") {
  const amp::Tensor x = counting({2, 3, 4});
  CHECK(shares_memory(x.narrow(1, 1, 2), x));
  CHECK(shares_memory(x.select(0, 1), x));
  CHECK(shares_memory(x.transpose(0, 2), x));
  CHECK(shares_memory(x.permute({2, 0, 1}), x));
  CHECK(shares_memory(x.reshape({6, 4}), x));
  CHECK(shares_memory(x.view({-1}), x));
  CHECK(shares_memory(x.flatten(), x));
  CHECK(shares_memory(x.unsqueeze(0), x));
  CHECK(shares_memory(x.unsqueeze(1).squeeze(), x));
  CHECK(shares_memory(x.narrow(0, 0, 1).expand({5, 3, 4}), x));
  CHECK(shares_memory(x.detach(), x));
  CHECK(shares_memory(x.transpose(0, 1).narrow(0, 1, 1).select(2, 3), x));
  CHECK_FALSE(shares_memory(x.clone().fill_(0), x));
}

TEST_CASE("narrow: a part of one dimension", "[tensor]") {
  const amp::Tensor x = counting({2, 4});
  CHECK(values(x.narrow(1, 1, 2)) == std::vector<int>{1, 2, 5, 6});
  CHECK(values(x.narrow(-1, 3, 1)) == std::vector<int>{3, 7});
  CHECK(x.narrow(0, 2, 0).shape() == amp::Shape(0, 4));
  CHECK(x.narrow(0, 0, 2).is_contiguous());
  CHECK_FALSE(x.narrow(1, 0, 2).is_contiguous());
}

TEST_CASE("narrow: outside of the dimension throws and shows it", "[tensor]") {
  const amp::Tensor x = counting({2, 4});
  CHECK_THAT(error_of([&] { return x.narrow(1, 3, 2); }),
             ContainsSubstring("narrow") && ContainsSubstring("int64[2, 4]"));
  CHECK_THROWS_AS(x.narrow(1, -1, 2), amp::Error);
  CHECK_THROWS_AS(x.narrow(1, 0, -1), amp::Error);
  CHECK_THROWS_AS(x.narrow(1, 5, 0), amp::Error);
  CHECK_THROWS_AS(x.narrow(1, INT64_MAX, INT64_MAX), amp::Error);
  CHECK_THROWS_AS(x.narrow(1, 1, INT64_MAX), amp::Error);
  CHECK_THROWS_AS(x.narrow(2, 0, 1), amp::Error);
  CHECK_THROWS_AS(amp::full({}, 1).narrow(0, 0, 1), amp::Error);
}

TEST_CASE("select: one index, the dimension goes", "[tensor]") {
  const amp::Tensor x = counting({2, 3, 4});
  CHECK(x.select(1, 2).shape() == amp::Shape(2, 4));
  CHECK(values(x.select(1, -1)) == std::vector<int>{8, 9, 10, 11, 20, 21, 22, 23});
  CHECK(x.select(0, 1).select(0, 2).select(0, 3).item<int>() == 23);
}

TEST_CASE("select: of a dimension of extent 1, only that one goes", "[tensor]") {
  CHECK(counting({1, 1, 3}).select(1, 0).shape() == amp::Shape(1, 3));
}

TEST_CASE("select: an index out of range throws", "[tensor]") {
  const amp::Tensor x = counting({2, 3});
  CHECK_THAT(error_of([&] { return x.select(1, 3); }), ContainsSubstring("[-3, 3)"));
  CHECK_THROWS_AS(x.select(1, -4), amp::Error);
  CHECK_THROWS_AS(x.select(1, INT64_MIN), amp::Error);
  CHECK_THROWS_AS(amp::zeros({0}).select(0, 0), amp::Error);
  CHECK_THROWS_AS(amp::full({}, 1).select(0, 0), amp::Error);
}

TEST_CASE("transpose: two dimensions exchanged", "[tensor]") {
  const amp::Tensor x = counting({2, 3});
  CHECK(values(x.transpose(0, 1)) == std::vector<int>{0, 3, 1, 4, 2, 5});
  CHECK(values(x.transpose(-1, 0)) == values(x.t()));
  CHECK(values(x.transpose(1, 1)) == values(x));
  CHECK(amp::full({}, 1).transpose(0, -1).dim() == 0);
  CHECK_THROWS_AS(x.transpose(0, 2), amp::Error);
}

TEST_CASE("t: of at most two dimensions", "[tensor]") {
  CHECK(counting({2, 3}).t().shape() == amp::Shape(3, 2));
  CHECK(counting({3}).t().shape() == amp::Shape(3));
  CHECK(amp::full({}, 1).t().dim() == 0);
  CHECK_THAT(error_of([] { return counting({1, 2, 3}).t(); }), ContainsSubstring("[1, 2, 3]"));
}

TEST_CASE("permute: every dimension once", "[tensor]") {
  const amp::Tensor x = counting({2, 3, 4});
  CHECK(x.permute({2, 0, 1}).shape() == amp::Shape(4, 2, 3));
  CHECK(x.permute({2, 0, 1}).select(0, 1).select(0, 1).select(0, 2).item<int>() == 12 + 8 + 1);
  CHECK(x.permute({-1, -3, -2}).shape() == amp::Shape(4, 2, 3));
  CHECK(values(x.permute({1, 2, 0}).permute({2, 0, 1})) == values(x));
  CHECK_THROWS_AS(x.permute({0, 1}), amp::Error);
  CHECK_THAT(error_of([&] { return x.permute({0, 1, 1}); }), ContainsSubstring("twice"));
  CHECK_THROWS_AS(x.permute({0, 1, 3}), amp::Error);
  CHECK_THROWS_AS(x.permute({0, 1, -2}), amp::Error);
}

TEST_CASE("squeeze: extents of 1 go", "[tensor]") {
  const amp::Tensor x = counting({1, 3, 1, 2});
  CHECK(x.squeeze().shape() == amp::Shape(3, 2));
  CHECK(x.squeeze(0).shape() == amp::Shape(3, 1, 2));
  CHECK(x.squeeze(-2).shape() == amp::Shape(1, 3, 2));
  CHECK(x.squeeze(1).shape() == x.shape());
  CHECK(counting({1, 1}).squeeze().dim() == 0);
  CHECK(amp::full({}, 1).squeeze(0).dim() == 0);
  CHECK_THROWS_AS(x.squeeze(4), amp::Error);
}

TEST_CASE("unsqueeze: an extent of 1 comes", "[tensor]") {
  const amp::Tensor x = counting({3, 2});
  CHECK(x.unsqueeze(0).shape() == amp::Shape(1, 3, 2));
  CHECK(x.unsqueeze(2).shape() == amp::Shape(3, 2, 1));
  CHECK(x.unsqueeze(-1).shape() == amp::Shape(3, 2, 1));
  CHECK(x.unsqueeze(-3).shape() == amp::Shape(1, 3, 2));
  CHECK(values(x.t().unsqueeze(1)) == values(x.t()));
  CHECK(amp::full({}, 1).unsqueeze(0).shape() == amp::Shape(1));
  CHECK_THROWS_AS(x.unsqueeze(3), amp::Error);
  CHECK_THROWS_AS(counting({1, 1, 1, 1, 1, 1, 1, 1}).unsqueeze(0), amp::Error);
}

TEST_CASE("flatten: dimensions become one", "[tensor]") {
  const amp::Tensor x = counting({2, 3, 4});
  CHECK(x.flatten().shape() == amp::Shape(24));
  CHECK(x.flatten(1).shape() == amp::Shape(2, 12));
  CHECK(x.flatten(0, 1).shape() == amp::Shape(6, 4));
  CHECK(x.flatten(-2, -1).shape() == amp::Shape(2, 12));
  CHECK(x.flatten(1, 1).shape() == x.shape());
  CHECK(amp::full({}, 1).flatten().shape() == amp::Shape(1));
  CHECK(amp::zeros({2, 0, 3}).flatten(1).shape() == amp::Shape(2, 0));
  CHECK_THROWS_AS(x.flatten(2, 1), amp::Error);
  CHECK(values(counting({2, 3}).t().flatten()) == std::vector<int>{0, 3, 1, 4, 2, 5});
}

TEST_CASE("reshape: the elements in their order", "[tensor]") {
  const amp::Tensor x = counting({2, 6});
  CHECK(x.reshape({3, -1}).shape() == amp::Shape(3, 4));
  CHECK(values(x.reshape({4, 3})) == values(x));
  CHECK(x.reshape(std::vector<int>{12}).shape() == amp::Shape(12));
  CHECK(counting({1}).reshape({}).dim() == 0);
  CHECK_THAT(error_of([&] {
               return x.reshape({5, -1});
             }),
             ContainsSubstring("[5, -1]") && ContainsSubstring("[2, 6]"));
}

TEST_CASE("reshape: copies what is not row-major", "[tensor]") {
  const amp::Tensor x = counting({2, 3});
  const amp::Tensor y = x.t().reshape({6});
  CHECK(values(y) == std::vector<int>{0, 3, 1, 4, 2, 5});
  x.zero_();
  CHECK(values(y) == std::vector<int>{0, 3, 1, 4, 2, 5});
}

TEST_CASE("view: refuses what would need a copy", "[tensor]") {
  const amp::Tensor x = counting({2, 3});
  CHECK(x.view({3, -1}).shape() == amp::Shape(3, 2));
  CHECK_THAT(error_of([&] { return x.t().view({6}); }), ContainsSubstring("reshape"));
  CHECK_THAT(error_of([&] { return x.narrow(1, 0, 2).view({4}); }),
             ContainsSubstring("[4]") && ContainsSubstring("int64[2, 2]") &&
                 ContainsSubstring("strides [3, 1]"));
}

TEST_CASE("view: of whatever has strides that show it, and of nothing else", "[tensor]") {
  const amp::Tensor x = counting({2, 3, 4});
  int shown = 0, refused = 0;
  for (const amp::Tensor& from :
       {x, x.transpose(0, 1), x.transpose(1, 2), x.permute({2, 0, 1}), x.narrow(0, 1, 1),
        x.narrow(1, 0, 2), x.narrow(2, 1, 2), x.select(1, 2), x.select(2, 1), x.select(0, 0).t(),
        x.unsqueeze(2).expand({2, 3, 2, 4}), x.expand({2, 2, 3, 4})}) {
    for (const amp::Shape& to : shapes_of(from.numel())) {
      CAPTURE(amp::to_string(from.shape()), amp::to_string(from.strides()), amp::to_string(to));
      const amp::Tensor copy = from.reshape(to);
      const bool can = has_strides(copy);
      ++(can ? shown : refused);
      REQUIRE((error_of([&] { return from.view(to); }) == "") == can);
      if (!can) continue;
      const amp::Tensor view = from.view(to);
      CHECK(view.shape() == to);
      CHECK(values(view) == values(copy));
      CHECK(view.raw_data() == from.raw_data());
    }
  }
  CHECK(shown > 100);
  CHECK(refused > 100);
}

TEST_CASE("view: of a strided tensor passes gradients on", "[tensor]") {
  const amp::Tensor x = amp::zeros({4, 3}, {.requires_grad = true});
  const amp::Tensor column = x.select(1, 1).view({2, 2});
  (column * amp::tensor({1, 2, 3, 4}, {2, 2})).backward(amp::ones({2, 2}));
  CHECK(x.grad().to_vector<int>() == std::vector<int>{0, 1, 0, 0, 2, 0, 0, 3, 0, 0, 4, 0});
  CHECK(amp::zeros({0, 3}).t().view({0}).numel() == 0);
  CHECK(amp::full({}, 4).view({1, 1}).item<int>() == 4);
  CHECK(x.narrow(0, 2, 1).select(1, 1).view({}).dim() == 0);
}

TEST_CASE("expand: repeats without memory", "[tensor]") {
  const amp::Tensor x = counting({3, 1});
  CHECK(values(x.expand({3, 2})) == std::vector<int>{0, 0, 1, 1, 2, 2});
  CHECK(x.expand({2, 3, 2}).shape() == amp::Shape(2, 3, 2));
  CHECK(amp::full({}, 4).expand({2, 2}).to_vector<int>() == std::vector<int>(4, 4));
  CHECK(x.expand({3, 0}).numel() == 0);
  CHECK_THAT(error_of([&] { return x.expand({4, 2}); }), ContainsSubstring("[4, 2]"));
  CHECK_THROWS_AS(x.expand({1}), amp::Error);
  CHECK_THROWS_AS(counting({3}).expand({1}), amp::Error);
}

TEST_CASE("contiguous: itself where it is, else a copy", "[tensor]") {
  const amp::Tensor x = counting({2, 3});
  CHECK(x.contiguous().is_same(x));
  CHECK(x.t().contiguous().is_contiguous());
  CHECK(values(x.t().contiguous()) == std::vector<int>{0, 3, 1, 4, 2, 5});
  CHECK(counting({1, 5}).t().is_contiguous());
  CHECK(amp::zeros({0, 3}).t().is_contiguous());
}

TEST_CASE("view: of nothing", "[tensor]") {
  const amp::Tensor x = amp::zeros({0, 3});
  CHECK(x.t().shape() == amp::Shape(3, 0));
  CHECK(x.reshape({3, -1}).shape() == amp::Shape(3, 0));
  CHECK(x.narrow(1, 1, 2).shape() == amp::Shape(0, 2));
  CHECK(x.select(1, 0).shape() == amp::Shape(0));
  CHECK(x.unsqueeze(0).shape() == amp::Shape(1, 0, 3));
  CHECK(x.expand({2, 0, 3}).numel() == 0);
  CHECK(x.permute({1, 0}).contiguous().numel() == 0);
}

TEST_CASE("view: eight dimensions", "[tensor]") {
  const amp::Tensor x = counting({2, 1, 2, 1, 2, 1, 2, 2});
  const amp::Tensor y = x.permute({7, 6, 5, 4, 3, 2, 1, 0});
  CHECK(values(y.permute({7, 6, 5, 4, 3, 2, 1, 0}).contiguous()) == values(x));
  CHECK(values(y.contiguous()).at(1) == 16);
}
