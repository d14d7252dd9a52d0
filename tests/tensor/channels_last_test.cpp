// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Tensors whose elements lie channels-last: to users they are row-major in every respect.
#include <amp/amp.hpp>
#include <amp/kernels/traversal/channels_last.hpp>

#include <cstdint>
#include <sstream>
#include <vector>

#include "support/catch.hpp"
#include "support/channels_last.hpp"
#include "support/error_of.hpp"
#include "support/numbers.hpp"

namespace channels_last {
namespace {

using amp::Tensor;
using amp_test::counting;
using amp_test::laid_out;
using amp_test::lies_channels_last;

std::vector<double> values(const Tensor& tensor) { return tensor.to_vector<double>(); }
std::string printed(const Tensor& tensor) {
  std::ostringstream text;
  text << tensor;
  return text.str();
}

}  // namespace

TEST_CASE("channels-last: a user sees a row-major tensor", "[tensor]") {
  const Tensor x = counting({2, 3, 4, 5}), y = laid_out(x);
  REQUIRE(lies_channels_last(y));
  CHECK(y.strides() == x.strides());
  CHECK(y.is_contiguous());
  CHECK(y.contiguous().is_same(y));
  CHECK(printed(y) == printed(x));
  CHECK(values(y.flatten(1)) == values(x.flatten(1)));
  CHECK(values(y.view({6, 20})) == values(x.view({6, 20})));
  CHECK(values(y.permute({1, 3, 0, 2})) == values(x.permute({1, 3, 0, 2})));
  CHECK(values(y.narrow(3, 1, 2)) == values(x.narrow(3, 1, 2)));
  CHECK(values(y) == values(x));
  for (int i = 0; i < x.numel(); ++i) REQUIRE(y.const_data<float>()[i] == static_cast<float>(i));
}

TEST_CASE("channels-last: kernels that know of it see the elements as they lie", "[tensor]") {
  const Tensor x = laid_out(counting({2, 3, 4, 5}));
  const amp::kernels::Operand before = x.operand_as_laid_out();
  CHECK(std::vector(before.strides, before.strides + 4) == std::vector<std::int64_t>{60, 1, 15, 3});
  for (int c = 0; c < 3; ++c) CHECK(static_cast<int>(before.as<float>()[90 + c]) == 70 + 20 * c);
  const amp::kernels::Operand row_major = x.operand();
  CHECK(row_major.strides[1] == 20);
  CHECK(row_major.data == x.raw_data());
  // Another thread's kernel may still read what was there before.
  CHECK(x.operand_as_laid_out().data == before.data);
  CHECK(before.data != row_major.data);
}

TEST_CASE("channels-last: every dtype and extent keeps its elements", "[tensor]") {
  for (const amp::DType dtype : {amp::kFloat64, amp::kFloat32, amp::kBFloat16, amp::kUInt8}) {
    for (const amp::Shape& shape : std::vector<amp::Shape>{
             {1, 2, 1, 2}, {2, 3, 5, 7}, {1, 16, 4, 4}, {2, 70, 9, 17}, {3, 67, 1, 65}}) {
      INFO(to_string(dtype) << to_string(shape));
      const Tensor x = (amp::rand(shape) * 200).to(dtype), y = laid_out(x);
      const Tensor lying = x.permute({0, 2, 3, 1}).contiguous();
      const amp::kernels::Operand elements = y.operand_as_laid_out();
      const Tensor seen = amp::from_blob(elements.data, lying.shape(), {.dtype = dtype});
      CHECK((values(seen) == values(lying)));  // in brackets: not printed
      CHECK((values(y) == values(x)));
    }
  }
}

TEST_CASE("channels-last: after a write the elements are row-major", "[tensor]") {
  const Tensor other = counting({2, 3, 4, 5});
  const auto written = [&](auto write) {
    const Tensor x = laid_out(amp::ones({2, 3, 4, 5}));
    const Tensor alias = x.detach();
    write(x);
    CHECK_FALSE(lies_channels_last(x));
    CHECK_FALSE(lies_channels_last(alias));
    CHECK(x.operand_as_laid_out().data == x.raw_data());
    CHECK(values(amp::relu(alias)) == values(x));
    return values(x);
  };
  CHECK(written([](const Tensor& x) { x.fill_(7); }) == std::vector<double>(120, 7));
  CHECK(written([&](const Tensor& x) { x.copy_(other); }) == values(other));
  CHECK(written([](const Tensor& x) { x.data<float>()[33] = 5; })[33] == 5);
  CHECK(written([](const Tensor& x) { x.narrow(0, 1, 1).zero_(); })[60] == 0);
  CHECK(written([](const Tensor& x) { x.mark_modified(); }) == std::vector<double>(120, 1));
}

TEST_CASE("channels-last: of the views only the whole tensor lies so", "[tensor]") {
  const Tensor x = laid_out(counting({2, 3, 4, 5}));
  CHECK(lies_channels_last(x.detach()));
  CHECK(lies_channels_last(x.reshape({6, 20}).reshape({2, 3, 4, 5})));
  CHECK_FALSE(lies_channels_last(x.reshape({3, 2, 4, 5})));
  CHECK_FALSE(lies_channels_last(x.reshape({6, 20})));
  CHECK_FALSE(lies_channels_last(x.transpose(2, 3)));
  CHECK_FALSE(lies_channels_last(x.narrow(0, 1, 1)));
}

TEST_CASE("channels-last: one channel, one pixel, or nothing lies both ways", "[tensor]") {
  for (const amp::Shape& shape :
       std::vector<amp::Shape>{{3, 1, 4, 5}, {3, 6, 1, 1}, {0, 3, 4, 5}}) {
    const Tensor x = amp::detail::make_channels_last(shape, amp::kFloat32, amp::kCPU);
    const amp::kernels::Operand elements = x.operand_as_laid_out();
    CHECK(elements.data == x.raw_data());
    CHECK(amp::kernels::lies_channels_last(elements));
  }
  const Tensor view = amp::zeros({3, 1, 5, 4}).transpose(2, 3);
  CHECK_FALSE(amp::kernels::lies_channels_last(view.operand_as_laid_out()));
}

TEST_CASE("channels-last: memory is counted, and row-major memory made when asked for",
          "[tensor]") {
  const std::int64_t before = amp::memory_stats().current_bytes;
  const auto held = [&] { return amp::memory_stats().current_bytes - before; };
  {
    const Tensor x = amp::detail::make_channels_last({2, 3, 4, 5}, amp::kFloat32, amp::kCPU);
    CHECK(held() == 480);
    (void)x.operand_as_laid_out();
    CHECK(held() == 480);
    (void)x.operand();
    (void)x.raw_data();
    CHECK(held() == 960);
  }
  CHECK(held() == 0);
}

TEST_CASE("channels-last: too many elements are refused", "[tensor]") {
  const std::string error = amp_test::error_of([] {
    return amp::detail::make_channels_last({1 << 30, 1 << 15, 1 << 15, 2}, amp::kFloat64,
                                           amp::kCPU);
  });
  CHECK_THAT(error, Catch::Matchers::ContainsSubstring("more bytes than 63 bits count"));
}

}  // namespace channels_last
