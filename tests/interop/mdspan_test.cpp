// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Tensors over mdspans, and mdspans over tensors: with a small mdspan of the tests, and with std's
// if the compiler has it.
#include <amp/amp.hpp>
#include <amp/views.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>
#if __has_include(<mdspan>)
#include <mdspan>
#endif

#include "interop/small_mdspan.hpp"
#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace mdspans {
namespace {

using amp::Shape;
using amp::Strides;
using amp::Tensor;
using amp_test::error_of;
using Catch::Matchers::ContainsSubstring;

constexpr std::size_t kDynamic = small_mdspan::dynamic_extent;

/// An mdspan of a library, with which the same is written for all.
struct Small {
  using Right = small_mdspan::layout_right;
  using Left = small_mdspan::layout_left;
  using Stride = small_mdspan::layout_stride;
  template <class Index, std::size_t... E>
  using extents = small_mdspan::extents<Index, E...>;
  template <class T, class Extents, class Layout = Right>
  using mdspan = small_mdspan::mdspan<T, Extents, Layout>;
};
#if defined(__cpp_lib_mdspan)
struct Standard {
  using Right = std::layout_right;
  using Left = std::layout_left;
  using Stride = std::layout_stride;
  template <class Index, std::size_t... E>
  using extents = std::extents<Index, E...>;
  template <class T, class Extents, class Layout = Right>
  using mdspan = std::mdspan<T, Extents, Layout>;
};
#define MDSPAN_TEST_CASE(name) TEMPLATE_TEST_CASE(name, "[interop]", Small, Standard)
#else
#define MDSPAN_TEST_CASE(name) TEMPLATE_TEST_CASE(name, "[interop]", Small)
#endif

template <class Library, std::size_t... E>
using Extents = typename Library::template extents<int, E...>;
template <class Library, class T, class Extents, class Layout = typename Library::Right>
using Mdspan = typename Library::template mdspan<T, Extents, Layout>;
template <class Library>
using Dynamic2 = Extents<Library, kDynamic, kDynamic>;

/// A view of `data`: extents, and strides if the layout takes them.
template <class M, std::size_t N, class... Steps>
M over(typename M::element_type* data, const std::array<int, N>& extents, const Steps&... strides) {
  using Index = typename M::index_type;
  const auto of = [&]<std::size_t... r>(std::index_sequence<r...>) {
    return typename M::extents_type(static_cast<Index>(extents[r])...);
  }
  (std::make_index_sequence<N>());
  return M(data, typename M::mapping_type(of, strides...));
}

std::vector<float> counted(std::size_t n) {
  std::vector<float> numbers(n);
  std::iota(numbers.begin(), numbers.end(), 0.0F);
  return numbers;
}

MDSPAN_TEST_CASE("from_mdspan: extents and strides are those of the view") {
  using L = TestType;
  std::vector<float> mine = counted(24);
  SECTION("right") {
    const Tensor x =
        amp::from_mdspan(over<Mdspan<L, float, Dynamic2<L>>>(mine.data(), std::array{2, 3}));
    CHECK(x.shape() == Shape(2, 3));
    CHECK(x.dtype() == amp::kFloat32);
    CHECK(x.to_vector<float>() == std::vector<float>{0, 1, 2, 3, 4, 5});
    CHECK(x.const_data<float>() == mine.data());
    mine[4] = 9;
    CHECK(x.select(0, 1).select(0, 1).item<float>() == 9);
    x.fill_(-1);
    CHECK(mine[5] == -1);
    CHECK(mine[6] == 6);
  }
  SECTION("left") {
    using M = Mdspan<L, float, Dynamic2<L>, typename L::Left>;
    const Tensor x = amp::from_mdspan(over<M>(mine.data(), std::array{2, 3}));
    CHECK(x.strides() == Strides(1, 2));
    CHECK(x.to_vector<float>() == std::vector<float>{0, 2, 4, 1, 3, 5});
  }
  SECTION("stride") {
    using M = Mdspan<L, float, Dynamic2<L>, typename L::Stride>;
    const Tensor x =
        amp::from_mdspan(over<M>(mine.data() + 1, std::array{2, 2}, std::array{12, 5}));
    CHECK(x.to_vector<float>() == std::vector<float>{1, 6, 13, 18});
  }
  SECTION("static extents") {
    using M = Mdspan<L, float, Extents<L, 2, kDynamic, 4>>;
    const Tensor x = amp::from_mdspan(over<M>(mine.data(), std::array{2, 3, 4}));
    CHECK(x.shape() == Shape(2, 3, 4));
    CHECK(x.to_vector<float>() == mine);
  }
  SECTION("no dimensions") {
    const Tensor x =
        amp::from_mdspan(over<Mdspan<L, float, Extents<L>>>(&mine[7], std::array<int, 0>{}));
    CHECK(x.dim() == 0);
    CHECK(x.item<float>() == 7);
  }
  SECTION("no elements") {
    const Tensor x = amp::from_mdspan(
        over<Mdspan<L, float, Dynamic2<L>, typename L::Left>>(nullptr, std::array{0, 3}));
    CHECK(x.shape() == Shape(0, 3));
  }
  SECTION("another index_type") {
    using E = typename L::template extents<std::uint8_t, kDynamic, kDynamic>;
    const Tensor x = amp::from_mdspan(over<Mdspan<L, float, E>>(mine.data(), std::array{4, 6}));
    CHECK(x.to_vector<float>() == mine);
  }
}

MDSPAN_TEST_CASE("from_mdspan: dtypes and options") {
  using L = TestType;
  using E = Extents<L, kDynamic>;
  std::array<std::int64_t, 2> integers = {3, -4};
  std::array<amp::half, 2> halves = {amp::half(0.5F), amp::half(-2.0F)};
  double number = 2;
  const auto of_double = over<Mdspan<L, double, E>>(&number, std::array{1});
  CHECK(amp::from_mdspan(over<Mdspan<L, std::int64_t, E>>(integers.data(), std::array{2}))
            .template to_vector<std::int64_t>() == std::vector<std::int64_t>{3, -4});
  const Tensor low = amp::from_mdspan(over<Mdspan<L, amp::half, E>>(halves.data(), std::array{2}));
  CHECK(low.dtype() == amp::kFloat16);
  CHECK(low.to_vector<float>() == std::vector<float>{0.5F, -2});

  const Tensor leaf = amp::from_mdspan(of_double, {.dtype = amp::kFloat64, .requires_grad = true});
  CHECK(leaf.requires_grad());
  CHECK(leaf.dtype() == amp::kFloat64);
  CHECK_THAT(error_of([&] { return amp::from_mdspan(of_double, {.device = amp::kCUDA}); }),
             ContainsSubstring("cuda:0"));
  CHECK_THAT(error_of([&] { return amp::from_mdspan(of_double, {.dtype = amp::kFloat32}); }),
             ContainsSubstring("from_mdspan") && ContainsSubstring("float64") &&
                 ContainsSubstring("float32"));
}

MDSPAN_TEST_CASE("from_mdspan: what cannot be a tensor is refused") {
  using L = TestType;
  using Vector = Mdspan<L, float, Extents<L, kDynamic>>;
  alignas(float) std::array<unsigned char, 16> bytes{};
  auto* const beside = reinterpret_cast<float*>(bytes.data() + 1);
  CHECK_THAT(error_of([&] { return amp::from_mdspan(over<Vector>(beside, std::array{2})); }),
             ContainsSubstring("from_mdspan") && ContainsSubstring("multiple"));
  CHECK_THAT(error_of([&] { return amp::from_mdspan(over<Vector>(nullptr, std::array{2})); }),
             ContainsSubstring("from_mdspan") && ContainsSubstring("null"));

  float number = 0;
  const auto nine = over<Mdspan<L, float, Extents<L, 1, 1, 1, 1, 1, 1, 1, 1, 1>>>(
      &number, std::array{1, 1, 1, 1, 1, 1, 1, 1, 1});
  CHECK_THAT(error_of([&] { return amp::from_mdspan(nine); }),
             ContainsSubstring("from_mdspan") && ContainsSubstring("8") && ContainsSubstring("9"));
}

TEST_CASE("from_mdspan: strides that std's layouts do not have", "[interop]") {
  using M = Mdspan<Small, float, Extents<Small, kDynamic>, Small::Stride>;
  std::vector<float> mine = counted(3);
  CHECK_THAT(
      error_of([&] { return amp::from_mdspan(over<M>(&mine[2], std::array{3}, std::array{-1})); }),
      ContainsSubstring("from_mdspan") && ContainsSubstring("negative"));
  CHECK(amp::from_mdspan(over<M>(&mine[1], std::array{3}, std::array{0})).to_vector<float>() ==
        std::vector<float>{1, 1, 1});

  struct Tiled : M {
    using M::M;
    bool is_strided() const { return false; }
  };
  CHECK_THAT(error_of([&] {
               return amp::from_mdspan(over<Tiled>(&mine[0], std::array{3}, std::array{1}));
             }),
             ContainsSubstring("from_mdspan") && ContainsSubstring("no strides"));
}

MDSPAN_TEST_CASE("to_mdspan: a view of the same elements") {
  using L = TestType;
  const Tensor x = amp::arange(6).to(amp::kFloat32).reshape({2, 3});
  SECTION("right") {
    const auto view = amp::to_mdspan<Mdspan<L, float, Dynamic2<L>>>(x);
    CHECK(view.extent(0) == 2);
    CHECK(view.extent(1) == 3);
    CHECK(view.data_handle() == x.const_data<float>());
    view.data_handle()[view.stride(0) + 2 * view.stride(1)] = 9;
    CHECK(x.to_vector<float>() == std::vector<float>{0, 1, 2, 3, 4, 9});
  }
  SECTION("left") {
    using M = Mdspan<L, float, Dynamic2<L>, typename L::Left>;
    const auto view = amp::to_mdspan<M>(x.t());
    CHECK(view.extent(0) == 3);
    CHECK(view.stride(1) == 3);
    CHECK(view.data_handle() == x.const_data<float>());
  }
  SECTION("stride") {
    using M = Mdspan<L, const float, Dynamic2<L>, typename L::Stride>;
    const auto view = amp::to_mdspan<M>(x.narrow(1, 1, 2).t());
    CHECK(view.extent(0) == 2);
    CHECK(view.stride(0) == 1);
    CHECK(view.stride(1) == 3);
    CHECK(view.data_handle() == x.const_data<float>() + 1);
  }
  SECTION("static extents") {
    const auto view = amp::to_mdspan<Mdspan<L, float, Extents<L, 2, kDynamic>>>(x);
    CHECK(view.extent(0) == 2);
    CHECK(view.extent(1) == 3);
  }
  SECTION("no dimensions") {
    const auto view = amp::to_mdspan<Mdspan<L, float, Extents<L>>>(x.select(0, 1).select(0, 2));
    CHECK(*view.data_handle() == 5);
    using Strided = Mdspan<L, float, Extents<L>, typename L::Stride>;
    CHECK(*amp::to_mdspan<Strided>(x.select(0, 0).select(0, 1)).data_handle() == 1);
  }
  SECTION("no elements") {
    const Tensor none = amp::zeros({3, 0, 2});
    using E = Extents<L, kDynamic, kDynamic, kDynamic>;
    const auto view = amp::to_mdspan<Mdspan<L, float, E, typename L::Stride>>(none);
    CHECK(view.extent(0) == 3);
    CHECK(view.extent(1) == 0);
    CHECK(view.stride(2) == 1);
    CHECK(amp::to_mdspan<Mdspan<L, float, E, typename L::Left>>(none).extent(2) == 2);
  }
  SECTION("and back") {
    using M = Mdspan<L, float, Dynamic2<L>, typename L::Stride>;
    const Tensor y = amp::from_mdspan(amp::to_mdspan<M>(x.t()));
    CHECK(y.shape() == Shape(3, 2));
    CHECK(y.to_vector<float>() == std::vector<float>{0, 3, 1, 4, 2, 5});
  }
}

// Along one element no step is taken, so that its stride may be any; but std::layout_stride wants
// one that lies beyond the other dimensions.
MDSPAN_TEST_CASE("to_mdspan: dimensions of one element") {
  using L = TestType;
  std::vector<float> mine = counted(12);
  const Tensor x = amp::from_blob(mine.data(), {3, 1, 4}, {1, 1, 3}, nullptr);
  using E = Extents<L, kDynamic, kDynamic, kDynamic>;
  const auto view = amp::to_mdspan<Mdspan<L, float, E, typename L::Stride>>(x);
  CHECK(view.stride(0) == 1);
  CHECK(view.stride(1) == 12);
  CHECK(view.stride(2) == 3);
  CHECK(amp::to_mdspan<Mdspan<L, float, E, typename L::Left>>(x).stride(1) == 3);
  const auto row = amp::to_mdspan<Mdspan<L, float, Dynamic2<L>, typename L::Stride>>(
      amp::from_blob(mine.data(), {1, 5}));
  CHECK(row.stride(0) == 5);
  // expanded along one element is not expanded
  CHECK(amp::to_mdspan<Mdspan<L, float, Dynamic2<L>>>(amp::zeros({2}).expand({1, 2})).extent(1) ==
        2);
}

MDSPAN_TEST_CASE("to_mdspan: mutable elements count as a write, const ones do not") {
  using L = TestType;
  const Tensor x = amp::zeros({2, 3});
  const std::uint64_t version = x.version();
  (void)amp::to_mdspan<Mdspan<L, const float, Dynamic2<L>>>(x);
  CHECK(x.version() == version);
  CHECK_THROWS_AS((amp::to_mdspan<Mdspan<L, float, Dynamic2<L>, typename L::Left>>(x)), amp::Error);
  CHECK(x.version() == version);
  (void)amp::to_mdspan<Mdspan<L, float, Dynamic2<L>>>(x);
  CHECK(x.version() > version);
}

MDSPAN_TEST_CASE("to_mdspan: what M does not view is refused") {
  using L = TestType;
  using M = Mdspan<L, float, Dynamic2<L>>;
  using Strided = Mdspan<L, float, Dynamic2<L>, typename L::Stride>;
  const Tensor x = amp::zeros({2, 3});
  const auto refuses = [](auto tag, const Tensor& tensor,
                          std::initializer_list<std::string_view> texts) {
    const std::string error =
        error_of([&] { return amp::to_mdspan<typename decltype(tag)::type>(tensor); });
    INFO(error);
    CHECK(error.starts_with("to_mdspan: "));
    for (const std::string_view text : texts) CHECK(error.find(text) != error.npos);
  };
  refuses(amp::type_tag<M>{}, Tensor{}, {"undefined"});
  refuses(amp::type_tag<M>{}, x.to(amp::kFloat16), {"float32", "float16[2, 3]", "to()"});
  refuses(amp::type_tag<M>{}, x.flatten(), {"2 dimensions", "[6]"});
  refuses(amp::type_tag<Mdspan<L, float, Extents<L, kDynamic, 4>>>{}, x,
          {"static extent 1", "4", "[2, 3]"});
  refuses(amp::type_tag<M>{}, x.t(), {"[2, 1]", "[1, 3]", "contiguous()"});
  refuses(amp::type_tag<M>{}, x.narrow(1, 0, 2), {"[2, 1]", "[3, 1]"});
  refuses(amp::type_tag<Mdspan<L, float, Dynamic2<L>, typename L::Left>>{}, x,
          {"[1, 2]", "[3, 1]"});

  std::vector<float> mine = counted(9);
  const Tensor expanded = amp::zeros({3}).expand({2, 3});
  const Tensor windows = amp::from_blob(mine.data(), {3, 2}, {1, 1}, nullptr);
  const Tensor interleaved = amp::from_blob(mine.data(), {2, 3}, {2, 3}, nullptr);
  const Tensor repeated = amp::zeros({}).expand({3});
  refuses(amp::type_tag<Strided>{}, expanded, {"share", "[0, 1]", "clone()"});
  refuses(amp::type_tag<Strided>{}, windows, {"share", "[1, 1]", "clone()"});
  refuses(amp::type_tag<Strided>{}, interleaved, {"share", "[2, 3]", "clone()"});
  refuses(amp::type_tag<Mdspan<L, float, Extents<L, kDynamic>, typename L::Stride>>{}, repeated,
          {"share", "[0]", "clone()"});
}

MDSPAN_TEST_CASE("to_mdspan: what index_type does not count is refused") {
  using L = TestType;
  using Byte = typename L::template extents<std::uint8_t, kDynamic, kDynamic>;
  using M = Mdspan<L, float, Byte>;
  CHECK(amp::to_mdspan<M>(amp::zeros({5, 51})).stride(0) == 51);  // 255 elements
  CHECK_THAT(
      error_of([] {
        return amp::to_mdspan<M>(amp::zeros({16, 16}));
      }),
      ContainsSubstring("to_mdspan") && ContainsSubstring("255") && ContainsSubstring("256"));
  CHECK_THAT(error_of([] {
               return amp::to_mdspan<M>(amp::zeros({0, 300}));
             }),
             ContainsSubstring("300"));
  // few elements, far apart
  using Strided = Mdspan<L, float, Byte, typename L::Stride>;
  CHECK_THAT(error_of([] {
               return amp::to_mdspan<Strided>(amp::zeros({2, 400}).narrow(1, 0, 2));
             }),
             ContainsSubstring("index_type") && ContainsSubstring("402"));
}

/// Another library's float16: only its bits and std::numeric_limits are known of it.
struct ForeignHalf {
  std::uint16_t bits;
};
struct Bits16 {
  std::uint16_t bits;
};

}  // namespace
}  // namespace mdspans

template <>
struct std::numeric_limits<mdspans::ForeignHalf> {
  static constexpr bool is_specialized = true, is_integer = false;
  static constexpr int digits = 11, max_exponent = 16;
};

namespace mdspans {
namespace {

TEST_CASE("mdspans of another library's float16", "[interop]") {
  std::array<ForeignHalf, 2> mine = {{{0x3c00}, {0xc000}}};
  using M = Mdspan<Small, ForeignHalf, Extents<Small, kDynamic>>;
  const Tensor x = amp::from_mdspan(over<M>(mine.data(), std::array{2}));
  CHECK(x.dtype() == amp::kFloat16);
  CHECK(x.to_vector<float>() == std::vector<float>{1, -2});
  CHECK(amp::to_mdspan<M>(x).data_handle() == mine.data());
}

static_assert(std::is_same_v<amp::detail::OwnElement<const float>, float>);
static_assert(std::is_same_v<amp::detail::OwnElement<Bits16>, void>);
static_assert(std::is_same_v<amp::detail::OwnElement<std::uint16_t>, void>);
static_assert(std::is_same_v<amp::detail::OwnElement<long double>, void>);
static_assert(amp::MdspanLike<Mdspan<Small, float, Extents<Small, 2>>>);
static_assert(!amp::MdspanLike<std::span<float>>);
static_assert(!amp::MdspanLike<std::vector<float>>);

}  // namespace
}  // namespace mdspans
