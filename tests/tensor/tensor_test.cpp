// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The tensor handle: elements, dtypes, versions, writes in place, and undefined tensors.
#include <amp/amp.hpp>

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "support/catch.hpp"
#include "support/error_of.hpp"

using amp_test::error_of;
using Catch::Matchers::ContainsSubstring;

namespace {

amp::DType dtype(int i) { return static_cast<amp::DType>(i); }

}  // namespace

TEST_CASE("tensor: a copy is another handle of the same", "[tensor]") {
  const amp::Tensor x = amp::zeros({2});
  const amp::Tensor y = x;
  y.fill_(3);
  CHECK(x.is_same(y));
  CHECK(x.to_vector<float>() == std::vector<float>{3, 3});
  CHECK_FALSE(x.is_same(x.detach()));
}

TEST_CASE("tensor: extents by dimension, from either end", "[tensor]") {
  const amp::Tensor x = amp::zeros({2, 3, 4});
  CHECK(x.dim() == 3);
  CHECK(x.numel() == 24);
  CHECK(x.size(0) == 2);
  CHECK(x.size(-1) == 4);
  CHECK_THAT(error_of([&] { return x.size(3); }), ContainsSubstring("[-3, 3)"));
}

TEST_CASE("tensor: a number has no extents", "[tensor]") {
  const amp::Tensor x = amp::full({}, 2);
  CHECK(x.dim() == 0);
  CHECK(x.numel() == 1);
  CHECK_THROWS_AS(x.size(0), amp::Error);
  CHECK_THROWS_AS(x.size(-1), amp::Error);
}

TEST_CASE("tensor: data of another type throws and names both", "[tensor]") {
  const amp::Tensor x = amp::zeros({2});
  CHECK_THAT(error_of([&] { return x.data<double>(); }),
             ContainsSubstring("float64") && ContainsSubstring("float32"));
  CHECK_THROWS_AS(x.const_data<amp::half>(), amp::Error);
  CHECK_THROWS_AS(x.to(amp::kFloat16).data<amp::bfloat16>(), amp::Error);
}

TEST_CASE("tensor: data counts as a write, const_data does not", "[tensor]") {
  const amp::Tensor x = amp::zeros({2});
  const std::uint64_t before = x.version();
  CHECK(x.const_data<float>()[1] == 0);
  (void)x.to_vector<float>();
  CHECK(x.version() == before);
  x.data<float>()[1] = 4;
  CHECK(x.version() == before + 1);
  CHECK(x.to_vector<float>() == std::vector<float>{0, 4});
}

TEST_CASE("tensor: a refused data() is no write", "[tensor]") {
  const amp::Tensor x = amp::zeros({2});
  const std::uint64_t before = x.version();
  CHECK_THROWS_AS(x.data<double>(), amp::Error);
  CHECK(x.version() == before);
}

TEST_CASE("tensor: data of a view starts at its first element", "[tensor]") {
  const amp::Tensor x = amp::arange(6).reshape({2, 3});
  CHECK(*x.narrow(1, 1, 2).const_data<std::int64_t>() == 1);
  CHECK(*x.select(0, 1).const_data<std::int64_t>() == 3);
}

TEST_CASE("tensor: writes move the version that views and detached share", "[tensor]") {
  const amp::Tensor x = amp::zeros({4});
  const amp::Tensor view = x.narrow(0, 1, 2), detached = x.detach(), shaped = x.reshape({2, 2});
  const amp::Tensor clone = x.clone();
  const std::uint64_t of_clone = clone.version();
  const std::vector<std::function<void()>> writes = {
      [&] { x.fill_(1); },         [&] { view.zero_(); },
      [&] { detached.fill_(2); },  [&] { shaped.copy_(amp::ones({2})); },
      [&] { view.data<float>(); }, [&] { x.mark_modified(); }};
  for (const auto& write : writes) {
    const std::uint64_t before = x.version();
    write();
    CHECK(x.version() == before + 1);
    CHECK(view.version() == x.version());
    CHECK(detached.version() == x.version());
    CHECK(shaped.version() == x.version());
  }
  CHECK(clone.version() == of_clone);
}

TEST_CASE("item: of one element of any rank, converted", "[tensor]") {
  CHECK(amp::full({1, 1, 1}, 3.75).item<float>() == 3.75F);
  CHECK(amp::full({}, 3.75).item<int>() == 3);
  CHECK(amp::full({}, 0.5, {.dtype = amp::kFloat16}).item<bool>());
  CHECK(amp::arange(5).narrow(0, 3, 1).item<std::int64_t>() == 3);
}

TEST_CASE("item: of more or fewer elements throws and shows the tensor", "[tensor]") {
  CHECK_THAT(error_of([] {
               return amp::zeros({2, 3}).item<float>();
             }),
             ContainsSubstring("float32[2, 3]"));
  CHECK_THROWS_AS(amp::zeros({0}).item<float>(), amp::Error);
}

TEST_CASE("to_vector: row-major, whatever the strides", "[tensor]") {
  const amp::Tensor x = amp::arange(6).reshape({2, 3});
  CHECK(x.t().to_vector<int>() == std::vector<int>{0, 3, 1, 4, 2, 5});
  CHECK(x.narrow(1, 1, 2).to_vector<int>() == std::vector<int>{1, 2, 4, 5});
  CHECK(x.select(1, 2).to_vector<int>() == std::vector<int>{2, 5});
  CHECK(x.narrow(0, 0, 1).expand({2, 3}).to_vector<int>() == std::vector<int>{0, 1, 2, 0, 1, 2});
  CHECK(amp::zeros({2, 0}).to_vector<float>().empty());
}

TEST_CASE("to: all pairs of dtypes hold a value that all can hold", "[tensor]") {
  for (int a = 0; a < amp::kDTypeCount; ++a) {
    for (int b = 0; b < amp::kDTypeCount; ++b) {
      CAPTURE(amp::name(dtype(a)), amp::name(dtype(b)));
      const amp::Tensor x = amp::tensor({0, 1, 1, 0, 1}, {5}).to(dtype(a));
      const amp::Tensor y = x.to(dtype(b));
      CHECK(y.dtype() == dtype(b));
      CHECK(y.to_vector<double>() == std::vector<double>{0, 1, 1, 0, 1});
      CHECK(y.is_same(x) == (a == b));
    }
  }
}

TEST_CASE("to: of strided views", "[tensor]") {
  const amp::Tensor x = amp::arange(6).reshape({2, 3}).t();
  const amp::Tensor y = x.to(amp::kFloat16);
  CHECK(y.is_contiguous());
  CHECK(y.to_vector<int>() == std::vector<int>{0, 3, 1, 4, 2, 5});
}

TEST_CASE("to: from double and from int64 rounds once", "[tensor]") {
  const amp::Tensor tie = amp::tensor(std::vector<double>{2049 + 0x1p-40, 2049, -2051}, {3});
  CHECK(tie.to(amp::kFloat16).to_vector<float>() == std::vector<float>{2050, 2048, -2052});
  const std::int64_t big = (std::int64_t{1} << 56) + (std::int64_t{1} << 48) + 1;
  const amp::Tensor integer = amp::tensor({big}, {1});
  CHECK(integer.to(amp::kBFloat16).item<float>() == 0x1.02p56F);
  CHECK(integer.to(amp::kInt64).item<std::int64_t>() == big);
}

TEST_CASE("to: infinities, NaN and signed zeros survive between float formats", "[tensor]") {
  const double inf = std::numeric_limits<double>::infinity();
  const amp::Tensor x = amp::tensor({inf, -inf, std::nan(""), -0.0}, {4});
  for (const amp::DType format : {amp::kFloat64, amp::kFloat16, amp::kBFloat16, amp::kFloat8E5M2}) {
    CAPTURE(amp::name(format));
    const auto values = x.to(format).to_vector<double>();
    CHECK(values[0] == inf);
    CHECK(values[1] == -inf);
    CHECK(std::isnan(values[2]));
    CHECK((values[3] == 0 && std::signbit(values[3])));
  }
}

TEST_CASE("to: bool is whether it is not zero", "[tensor]") {
  const amp::Tensor x =
      amp::tensor({0.25, -0.0, std::nan(""), 1e-300}, {4}, {.dtype = amp::kFloat64});
  CHECK(x.to(amp::kBool).to_vector<int>() == std::vector<int>{1, 0, 1, 1});
  CHECK(amp::tensor({256, 0}, {2}).to(amp::kBool).to_vector<int>() == std::vector<int>{1, 0});
}

TEST_CASE("clone: other memory, same elements", "[tensor]") {
  const amp::Tensor x = amp::arange(6).reshape({2, 3}).t();
  const amp::Tensor y = x.clone();
  x.zero_();
  CHECK(y.is_contiguous());
  CHECK(y.to_vector<int>() == std::vector<int>{0, 3, 1, 4, 2, 5});
}

TEST_CASE("fill_: through views, only what they show", "[tensor]") {
  const amp::Tensor x = amp::zeros({2, 3}, {.dtype = amp::kFloat16});
  x.select(1, 1).fill_(2);
  CHECK(x.to_vector<int>() == std::vector<int>{0, 2, 0, 0, 2, 0});
  x.t().narrow(0, 0, 1).zero_();
  x.narrow(0, 1, 0).fill_(9);
  CHECK(x.to_vector<int>() == std::vector<int>{0, 2, 0, 0, 2, 0});
}

TEST_CASE("fill_ and zero_: return the tensor", "[tensor]") {
  const amp::Tensor x = amp::empty({2});
  CHECK(x.fill_(1).is_same(x));
  CHECK(x.zero_().is_same(x));
  CHECK(x.copy_(amp::ones({2})).is_same(x));
}

TEST_CASE("copy_: broadcasts and converts", "[tensor]") {
  const amp::Tensor x = amp::zeros({2, 3}, {.dtype = amp::kFloat16});
  x.copy_(amp::arange(3));
  CHECK(x.to_vector<int>() == std::vector<int>{0, 1, 2, 0, 1, 2});
  x.copy_(amp::tensor({7, 8}, {2, 1}));
  CHECK(x.to_vector<int>() == std::vector<int>{7, 7, 7, 8, 8, 8});
  x.copy_(amp::full({}, 5));
  CHECK(x.to_vector<int>() == std::vector<int>(6, 5));
}

TEST_CASE("copy_: into a strided view", "[tensor]") {
  const amp::Tensor x = amp::zeros({2, 3});
  x.t().copy_(amp::arange(6).reshape({3, 2}));
  CHECK(x.to_vector<int>() == std::vector<int>{0, 2, 4, 1, 3, 5});
}

TEST_CASE("copy_: a source that does not broadcast throws and shows both", "[tensor]") {
  const amp::Tensor x = amp::zeros({2, 3});
  CHECK_THAT(error_of([&] {
               x.copy_(amp::zeros({2}));
               return 0;
             }),
             ContainsSubstring("[2, 3]") && ContainsSubstring("[2]"));
  CHECK_THROWS_AS(amp::zeros({3}).copy_(x), amp::Error);
  CHECK_THROWS_AS(amp::zeros({1}).copy_(amp::zeros({3})), amp::Error);
}

TEST_CASE("copy_: of itself under another shape is right or refused", "[tensor]") {
  const amp::Tensor x = amp::arange(4).reshape({2, 2});
  try {
    x.copy_(x.t());
  } catch (const amp::Error&) {
    CHECK(x.to_vector<int>() == std::vector<int>{0, 1, 2, 3});
    return;
  }
  CHECK(x.to_vector<int>() == std::vector<int>{0, 2, 1, 3});
}

TEST_CASE("copy_: of itself shifted is right or refused", "[tensor]") {
  const amp::Tensor x = amp::arange(3000);
  try {
    x.narrow(0, 1, 2999).copy_(x.narrow(0, 0, 2999));
  } catch (const amp::Error&) {
    CHECK(x.to_vector<int>() == amp::arange(3000).to_vector<int>());
    return;
  }
  CHECK(x.narrow(0, 1, 2999).to_vector<int>() == amp::arange(2999).to_vector<int>());
}

TEST_CASE("tensor: equal dtypes move bits", "[tensor]") {
  const amp::Tensor x = amp::empty({2}, {.dtype = amp::kFloat16});
  x.data<amp::half>()[0] = amp::half::from_bits(0x7d01);  // a signaling NaN
  x.data<amp::half>()[1] = amp::half::from_bits(0x8000);
  CHECK(x.clone().const_data<amp::half>()[0].bits() == 0x7d01);
  CHECK(x.expand({2, 2}).contiguous().const_data<amp::half>()[3].bits() == 0x8000);
}

TEST_CASE("tensor: undefined is false and described, every use throws", "[tensor]") {
  const amp::Tensor none;
  CHECK_FALSE(none.defined());
  CHECK(amp::describe(none) == "an undefined tensor");
  const amp::Tensor x = amp::ones({2});
  const std::vector<std::function<void()>> uses = {
      [&] { (void)none.dtype(); },
      [&] { (void)none.shape(); },
      [&] { (void)none.numel(); },
      [&] { (void)none.device(); },
      [&] { (void)none.size(0); },
      [&] { (void)none.data<float>(); },
      [&] { (void)none.item<float>(); },
      [&] { (void)none.to_vector<float>(); },
      [&] { (void)none.to(amp::kFloat16); },
      [&] { (void)none.to(amp::kCPU); },
      [&] { (void)none.clone(); },
      [&] { (void)none.detach(); },
      [&] { (void)none.contiguous(); },
      [&] { (void)none.reshape({1}); },
      [&] { (void)none.t(); },
      [&] { (void)none.squeeze(); },
      [&] { (void)none.flatten(); },
      [&] { (void)none.expand({1}); },
      [&] { none.zero_(); },
      [&] { none.copy_(x); },
      [&] { x.copy_(none); },
      [&] { none.requires_grad_(); },
      [&] { (void)none.grad(); },
      [&] { (void)none.is_leaf(); },
      [&] { none.backward(); },
      [&] { none.mark_modified(); },
      [&] { (void)none.version(); },
      [&] { (void)amp::add(none, x); },
      [&] { (void)amp::mul(x, none); },
      [&] { (void)amp::relu(none); },
      [&] { (void)amp::matmul(x, none); },
      [&] { (void)amp::linear(none, x); },
      [&] { (void)amp::conv2d(none, none); },
      [&] { (void)amp::sum(none); },
      [&] { (void)amp::softmax(none, 0); },
      [&] { (void)amp::cross_entropy(x, none); },
      [&] { (void)amp::index_select(x, 0, none); },
      [&] { (void)amp::max_pool2d(none, 2); },
      [&] { (void)amp::argmax(none); },
  };
  for (std::size_t i = 0; i < uses.size(); ++i) {
    CAPTURE(i);
    CHECK_THAT(error_of([&] {
                 uses[i]();
                 return 0;
               }),
               ContainsSubstring("undefined"));
  }
}

TEST_CASE("tensor: describe shows dtype and shape", "[tensor]") {
  CHECK(amp::describe(amp::zeros({2, 3}, {.dtype = amp::kBFloat16})) == "bfloat16[2, 3]");
  CHECK(amp::describe(amp::zeros({})) == "float32[]");
}
