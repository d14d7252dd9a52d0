// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What the default collate function makes of examples of each type.
#include <array>
#include <map>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "data/numbers.hpp"
#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace data_collate {
namespace {

namespace data = amp::data;
using amp::Tensor;
using amp_test::error_of;
using Catch::Matchers::ContainsSubstring;

Tensor line(float first) { return amp::tensor({first, first + 1}, {2}); }

TEST_CASE("data: tensors are stacked, numbers become a tensor") {
  const Tensor stacked = data::collate(std::vector{line(1), line(5)});
  CHECK(stacked.shape() == amp::Shape{2, 2});
  CHECK(stacked.to_vector<float>() == std::vector<float>{1, 2, 5, 6});
  const Tensor views = data::collate(std::vector{amp::arange(6).reshape({2, 3}).t().select(1, 1)});
  CHECK(views.to_vector<std::int64_t>() == std::vector<std::int64_t>{3, 4, 5});

  const Tensor ints = data::collate(std::vector<int>{3, -1});
  CHECK(ints.dtype() == amp::kInt64);
  CHECK(ints.to_vector<std::int64_t>() == std::vector<std::int64_t>{3, -1});
  CHECK(data::collate(std::vector<double>{0.5}).dtype() == amp::kFloat64);
  CHECK(data::collate(std::vector<float>{0.5F}).dtype() == amp::kFloat32);
  CHECK(data::collate(std::vector<amp::half>{amp::half(1)}).dtype() == amp::kFloat16);
  CHECK(data::collate(std::vector<bool>{true}).dtype() == amp::kBool);
}

struct Segmentation {
  Tensor image, mask;
};
struct Captioned {
  Tensor image;
  std::string caption;
  int likes = 0;
};

TEST_CASE("data: pairs, tuples, structs, lists and maps are collated part by part") {
  const auto [x, y] =
      data::collate(std::vector<std::pair<Tensor, int>>{{line(0), 1}, {line(2), 4}});
  CHECK(x.shape() == amp::Shape{2, 2});
  CHECK(y.to_vector<std::int64_t>() == std::vector<std::int64_t>{1, 4});

  const auto example =
      data::collate(std::vector<data::Example<Tensor, std::int64_t>>{{line(0), 1}, {line(2), 4}});
  static_assert(std::is_same_v<decltype(example), const data::Example<>>);
  CHECK(example.target.to_vector<std::int64_t>() == std::vector<std::int64_t>{1, 4});

  const auto pictures =
      data::collate(std::vector<Segmentation>{{line(0), line(1)}, {line(2), line(3)}});
  static_assert(std::is_same_v<decltype(pictures), const Segmentation>);
  CHECK(pictures.mask.to_vector<float>() == std::vector<float>{1, 2, 3, 4});

  const auto [images, captions, likes] =
      data::collate(std::vector<Captioned>{{line(0), "a cat", 3}, {line(1), "a dog", 5}});
  CHECK(captions == std::vector<std::string>{"a cat", "a dog"});
  CHECK(likes.to_vector<std::int64_t>() == std::vector<std::int64_t>{3, 5});
  CHECK(images.shape() == amp::Shape{2, 2});

  const auto lists =
      data::collate(std::vector<std::vector<Tensor>>{{line(0), line(2)}, {line(4), line(6)}});
  REQUIRE(lists.size() == 2);
  CHECK(lists[1].to_vector<float>() == std::vector<float>{2, 3, 6, 7});
  const auto maps =
      data::collate(std::vector<std::map<std::string, float>>{{{"a", 1.0F}}, {{"a", 2.0F}}});
  CHECK(maps.at("a").to_vector<float>() == std::vector<float>{1, 2});
  const auto nested =
      data::collate(std::vector<std::tuple<std::pair<int, Tensor>, double>>{{{1, line(0)}, 0.5}});
  CHECK(std::get<0>(nested).second.shape() == amp::Shape{1, 2});
  const auto arrays = data::collate(std::vector<std::array<Tensor, 2>>{{line(0), line(1)}});
  CHECK(std::get<1>(arrays).shape() == amp::Shape{1, 2});
}

TEST_CASE("data: what does not fit into one batch is refused") {
  CHECK_THAT(error_of([] { (void)data::collate(std::vector<Tensor>{}); }),
             ContainsSubstring("no examples"));
  CHECK_THAT(error_of([] {
               (void)data::collate(std::vector{line(0), amp::zeros({3})});
             }),
             ContainsSubstring("[2]") && ContainsSubstring("[3]") && ContainsSubstring("0 and 1"));
  CHECK_THAT(error_of([] {
               (void)data::collate(std::vector{amp::zeros({2}), amp::arange(2)});
             }),
             ContainsSubstring("float32") && ContainsSubstring("int64"));
  CHECK_THAT(error_of([] {
               (void)data::collate(std::vector{line(0), Tensor()});
             }),
             ContainsSubstring("example 1") && ContainsSubstring("undefined"));
  CHECK_THAT(error_of([] {
               (void)data::collate(std::vector<std::vector<int>>{{1, 2}, {1}});
             }),
             ContainsSubstring("different lengths, 2 and 1"));
  using Map = std::map<std::string, int>;
  CHECK_THAT(error_of([] {
               (void)data::collate(std::vector<Map>{{{"a", 1}}, {{"b", 1}}});
             }),
             ContainsSubstring("different keys"));
}

}  // namespace
}  // namespace data_collate
