// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Ops that move elements: what golden cases do not show. Gradients of many views of one tensor,
// inputs of many blocks, factories, random integers and samples, and what is refused.
#include <amp/amp.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "support/catch.hpp"
#include "support/error_of.hpp"
#include "support/numbers.hpp"

namespace moving_test {
namespace {

using amp::PadMode;
using amp::Tensor;
using amp_test::counting;
using Integers = std::vector<std::int64_t>;

std::vector<double> numbers(const Tensor& x) { return x.to_vector<double>(); }
Integers integers(const Tensor& x) { return x.to_vector<std::int64_t>(); }

template <class Call>
void refuses(const Call& call, const std::string& op, const std::string& argument) {
  const std::string error = amp_test::error_of([&] {
    call();
    return 0;
  });
  INFO(error);
  CHECK(error.starts_with(op + ":"));
  CHECK(error.find(argument) != error.npos);
}

// --- views ---------------------------------------------------------------------------------------

TEST_CASE("views: all views of a tensor, each with its own gradient", "[ops]") {
  const Tensor x = counting({4, 6}).requires_grad_();
  const std::vector<Tensor> parts = x.chunk(3, 1);
  REQUIRE(parts.size() == 3);
  Tensor loss = amp::sum(x.diagonal());
  for (std::size_t i = 0; i < 3; ++i)
    loss = loss + amp::sum(parts[i]) * static_cast<double>(10 * (i + 1));
  loss = loss + amp::sum(x.slice(0, {}, {}, 2)) * 100 + amp::sum(x) * 1000;
  loss.backward();
  std::vector<double> expected;
  for (int r = 0; r < 4; ++r) {
    for (int c = 0; c < 6; ++c)
      expected.push_back(10 * (c / 2 + 1) + (r == c) + (r % 2 == 0 ? 100 : 0) + 1000);
  }
  CHECK(numbers(x.grad()) == expected);
}

TEST_CASE("views: a gradient that others hold is not written to", "[ops]") {
  const Tensor x = counting({2, 3}).requires_grad_();
  const Tensor y = x * 1.0;  // its gradient is that of the sum, and of the view
  const Tensor whole = y + amp::zeros({2, 3});
  Tensor seen;
  const auto hook = whole.register_hook([&](const Tensor& grad) {
    seen = grad;
    return Tensor();
  });
  const Tensor view = y.narrow(1, 0, 1);
  (amp::sum(whole * 2.0) + amp::sum(view) * 5).backward();
  CHECK(numbers(x.grad()) == std::vector<double>{7, 2, 2, 7, 2, 2});
  CHECK(numbers(seen) == std::vector<double>(6, 2));
}

TEST_CASE("views: of several dtypes, and of the views of views", "[ops]") {
  for (const amp::DType dtype : {amp::kFloat16, amp::kFloat64}) {
    const Tensor x = counting({8}, dtype).requires_grad_();
    const Tensor a = x.slice(0, 1, 7, 2), b = a.slice(0, 1), c = x.unbind()[3];
    (amp::sum(a.to(amp::kFloat32)) + amp::sum(b.to(amp::kFloat32)) * 2 + c.to(amp::kFloat32) * 4)
        .backward();
    CHECK(x.grad().dtype() == dtype);
    CHECK(numbers(x.grad()) == std::vector<double>{0, 1, 0, 7, 0, 3, 0, 0});
  }
}

TEST_CASE("views: backward on several threads adds up", "[ops]") {
  const Tensor x = counting({4, 64}).requires_grad_();
  const std::vector<Tensor> rows = x.unbind();
  std::vector<std::thread> threads;
  for (const Tensor& row : rows) threads.emplace_back([row] { amp::sum(row * row).backward(); });
  for (std::thread& thread : threads) thread.join();
  CHECK(numbers(x.grad()) == numbers(x.detach() * 2.0));
}

TEST_CASE("views: as functions", "[ops]") {
  const Tensor x = counting({2, 4});
  CHECK(numbers(amp::chunk(x, 2, 1)[1]) == std::vector<double>{2, 3, 6, 7});
  CHECK(numbers(amp::split(x, 3, 1)[1]) == std::vector<double>{3, 7});
  CHECK(numbers(amp::split(x, {1, 3}, 1)[0]) == std::vector<double>{0, 4});
  CHECK(numbers(amp::tensor_split(x, {1}, 1)[0]) == std::vector<double>{0, 4});
  CHECK(amp::tensor_split(x, 3).size() == 3);
  CHECK(numbers(amp::unbind(x)[1]) == std::vector<double>{4, 5, 6, 7});
  CHECK(numbers(amp::slice(x, 1, -1)) == std::vector<double>{3, 7});
  CHECK(amp::movedim(x, 0, 1).shape() == amp::Shape(4, 2));
  CHECK(amp::swapaxes(x, 0, 1).shape() == amp::swapdims(x, 1, 0).shape());
  CHECK(amp::unflatten(x, 1, {2, -1}).shape() == amp::Shape(2, 2, 2));
  CHECK(numbers(amp::diagonal(x, 2)) == std::vector<double>{2, 7});
  CHECK(amp::broadcast_to(x, {3, 2, 4}).shape() == x.expand({3, 2, 4}).shape());
  CHECK(x.expand_as(amp::ones({5, 2, 4})).shape() == amp::Shape(5, 2, 4));
  CHECK(x.view_as(amp::ones({8})).shape() == amp::Shape(8));
  CHECK(x.chunk(2, 1)[0].version() == x.version());
}

TEST_CASE("views: what is refused", "[ops]") {
  const Tensor x = counting({2, 4}), number = amp::ones({});
  refuses([&] { (void)x.chunk(0); }, "chunk", "`chunks`");
  refuses([&] { (void)number.chunk(2); }, "chunk", "0-dimensional");
  refuses([&] { (void)x.split(0); }, "split", "`split_size`");
  refuses([&] { (void)x.split({1, 2}, 1); }, "split", "`split_sizes`");
  refuses([&] { (void)x.split({5, -1}, 1); }, "split", "`split_sizes`");
  refuses([&] { (void)x.tensor_split(0); }, "tensor_split", "`sections`");
  refuses([&] { (void)x.slice(0, 0, 1, 0); }, "slice", "`step`");
  refuses([&] { (void)x.slice(2); }, "slice", "`dim`");
  refuses([&] { (void)x.movedim({0, 0}, {0, 1}); }, "movedim", "`source`");
  refuses([&] { (void)x.movedim({0, 1}, {1, 1}); }, "movedim", "`destination`");
  refuses([&] { (void)x.movedim(0, {0, 1}); }, "movedim", "`source`");
  refuses([&] { (void)x.unflatten(1, {3, -1}); }, "unflatten", "`shape`");
  refuses([&] { (void)x.unflatten(1, {}); }, "unflatten", "`sizes`");
  refuses([&] { (void)x.diagonal(0, 1, -1); }, "diagonal", "`dim1`");
  refuses([&] { (void)number.diagonal(); }, "diagonal", "2 dimensions");
  refuses([&] { (void)x.expand_as({}); }, "expand_as", "`other`");
  refuses([&] { (void)Tensor().unbind(); }, "unbind", "undefined");
}

// --- many blocks ---------------------------------------------------------------------------------

/// output[i] = input[source(i)] over a line, one element after another.
std::int64_t source(PadMode mode, std::int64_t i, std::int64_t extent) {
  if (i >= 0 && i < extent) return i;
  if (mode == PadMode::kReplicate) return i < 0 ? 0 : extent - 1;
  if (mode == PadMode::kCircular) return (i + extent) % extent;
  return mode == PadMode::kReflect ? (i < 0 ? -i : 2 * (extent - 1) - i) : -1;
}

TEST_CASE("pad: long lines, and many short ones", "[ops]") {
  for (const amp::DType dtype : {amp::kFloat32, amp::kFloat16, amp::kInt64, amp::kUInt8}) {
    for (const amp::Shape& shape : {amp::Shape(1, 200'003), amp::Shape(301, 2, 37)}) {
      const Tensor x = amp::randint(0, 200, shape).to(dtype);
      const Integers given = integers(x);
      const std::int64_t extent = shape[shape.dims() - 1], before = 5, behind = 9;
      const std::int64_t rows = x.numel() / extent, out = extent + before + behind;
      for (const PadMode mode :
           {PadMode::kConstant, PadMode::kReflect, PadMode::kReplicate, PadMode::kCircular}) {
        const Integers padded = integers(amp::pad(x, {before, behind}, {.mode = mode, .value = 3}));
        bool equal = static_cast<std::int64_t>(padded.size()) == rows * out;
        for (std::int64_t i = 0; equal && i < rows * out; ++i) {
          const std::int64_t from = source(mode, i % out - before, extent);
          const std::int64_t wanted =
              from < 0 ? 3 : given[static_cast<std::size_t>(i / out * extent + from)];
          equal = padded[static_cast<std::size_t>(i)] == wanted;
        }
        CHECK(equal);
      }
    }
  }
}

TEST_CASE("remapping: forward and backward are transposes of one another", "[ops]") {
  // <f(x), y> = <x, f'(y)> for whole numbers, exactly.
  amp::manual_seed(3);
  const auto check = [](const amp::Shape& shape, const auto& op) {
    const Tensor x = amp::randint(-8, 9, shape, {.dtype = amp::kFloat64}).requires_grad_();
    const Tensor y = op(x);
    const Tensor z = amp::randint(-8, 9, y.shape(), {.dtype = amp::kFloat64});
    y.backward(z);
    CHECK(amp::sum(y.detach() * z).item<double>() ==
          amp::sum(x.detach() * x.grad()).item<double>());
  };
  check({70, 33, 41}, [](const Tensor& x) {
    return amp::pad(x, {3, 40, 20, -2, 1, 0}, {.mode = PadMode::kReflect});
  });
  check({70, 33, 41}, [](const Tensor& x) {
    return amp::pad(x, {3, 60, -2, 4, 1, 90}, {.mode = PadMode::kReplicate});
  });
  check({70, 33, 41}, [](const Tensor& x) {
    return amp::pad(x, {3, 41, -2, 4, 1, 9}, {.mode = PadMode::kCircular});
  });
  check({70, 33, 41}, [](const Tensor& x) { return amp::pad(x, {3, -5, -2, 4}); });
  check({70, 33, 41}, [](const Tensor& x) { return amp::repeat(x, {2, 1, 3, 2}); });
  check({70, 33, 41}, [](const Tensor& x) { return amp::repeat_interleave(x, 3, 1); });
  check({70, 33, 41}, [](const Tensor& x) { return amp::repeat_interleave(x, 2); });
  check({70, 33, 41}, [](const Tensor& x) { return amp::roll(x, {5, -7}, {0, 2}); });
  check({70, 33, 41}, [](const Tensor& x) { return amp::flip(x, {0, 2}); });
  check({1, 1, 100'001}, [](const Tensor& x) { return amp::repeat(x, {1, 1, 3}); });
  check({3, 1}, [](const Tensor& x) { return amp::repeat(x, {1, 70'001}); });
  check({2, 70'001}, [](const Tensor& x) { return amp::tril(x, 35'000); });
}

TEST_CASE("repeat_interleave: once, never, and of as many dimensions as there are", "[ops]") {
  const Tensor x = counting({2, 3}).requires_grad_();
  const Tensor once = amp::repeat_interleave(x, 1, 0), never = amp::repeat_interleave(x, 0, 1);
  CHECK(once.raw_data() != x.raw_data());
  CHECK(never.shape() == amp::Shape{2, 0});
  (amp::sum(once) + amp::sum(never)).backward();
  CHECK(numbers(x.grad()) == std::vector<double>(6, 1));
  amp::Shape ones;
  for (int d = 0; d < amp::kMaxDims; ++d) ones.push_back(1);
  CHECK(amp::repeat_interleave(amp::ones(ones), 3, -1).numel() == 3);
  const Tensor turned = amp::repeat_interleave(counting({2, 3}).t(), 2, 0);
  CHECK(numbers(turned) == std::vector<double>{0, 3, 0, 3, 1, 4, 1, 4, 2, 5, 2, 5});
  CHECK(turned.is_contiguous());
}

TEST_CASE("remapping: nothing, of many rows, takes no time", "[ops]") {
  const Tensor x = amp::ones({1, 2}).requires_grad_();
  const Tensor y = amp::tile(x, {std::int64_t{1} << 40, 0});
  CHECK(y.shape() == amp::Shape(std::int64_t{1} << 40, 0));
  amp::sum(y).backward();
  CHECK(x.grad().to_vector<float>() == std::vector<float>{0, 0});
}

TEST_CASE("remapping: channels-last tensors stay so", "[ops]") {
  const Tensor x = counting({2, 3, 4, 5});
  const Tensor nhwc = amp::detail::channels_last(x);
  const auto check = [&](const auto& op) {
    const Tensor y = op(nhwc);
    CHECK(amp::detail::lies_channels_last(y));
    CHECK(numbers(y) == numbers(op(x)));
  };
  check([](const Tensor& t) { return amp::pad(t, {1, 2, 0, 1, -1, 3}, {.value = 7}); });
  check([](const Tensor& t) { return amp::flip(t, {1, 3}); });
  check([](const Tensor& t) { return amp::roll(t, {1, 2}, {2, 3}); });
}

TEST_CASE("remapping: sums of 16-bit gradients are rounded once", "[ops]") {
  const Tensor x = amp::ones({1}, {.dtype = amp::kBFloat16, .requires_grad = true});
  amp::repeat(x, 1001).backward(amp::ones({1001}, {.dtype = amp::kBFloat16}));
  CHECK(x.grad().item<double>() == 1000);  // the nearest number; a running sum stays at 256
}

TEST_CASE("remapping: what is refused", "[ops]") {
  const Tensor x = counting({2, 3}), number = amp::ones({});
  refuses([&] { (void)amp::flip(x, {0, -2}); }, "flip", "`dims`");
  refuses([&] { (void)amp::flip(x, 2); }, "flip", "`dims`");
  refuses([&] { (void)amp::fliplr(amp::ones({2})); }, "fliplr", "`input`");
  refuses([&] { (void)amp::flipud(number); }, "flipud", "`input`");
  refuses([&] { (void)amp::roll(x, {1, 2}); }, "roll", "`shifts`");
  refuses([&] { (void)amp::roll(x, 1, {0, 1}); }, "roll", "`shifts`");
  refuses([&] { (void)amp::roll(number, 1, 0); }, "roll", "`dims`");
  refuses([&] { (void)amp::rot90(x, 1, {0, 0}); }, "rot90", "`dims`");
  refuses([&] { (void)amp::rot90(x, 1, 0); }, "rot90", "`dims`");
  refuses([&] { (void)amp::pad(x, {1}); }, "pad", "`pad`");
  refuses([&] { (void)amp::pad(x, {1, 1, 1, 1, 1, 1}); }, "pad", "`pad`");
  refuses([&] { (void)amp::pad(x, {-2, -2}); }, "pad", "`pad`");
  refuses([&] { (void)amp::pad(x, {3, 0}, {.mode = PadMode::kReflect}); }, "pad", "reflects");
  refuses([&] { (void)amp::pad(x, {0, 4}, {.mode = PadMode::kCircular}); }, "pad", "repeats");
  refuses([&] { (void)amp::pad(x, {-4, 1}, {.mode = PadMode::kCircular}); }, "pad", "`pad`");
  refuses(
      [&] {
        (void)amp::pad(amp::ones({0}), {1, 0}, {.mode = PadMode::kReplicate});
      },
      "pad", "no elements");
  refuses([&] { (void)amp::pad(x.to(amp::kFloat16), {1, 0}, {.value = 1e9}); }, "pad", "`value`");
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  refuses([&] { (void)amp::pad(x, {most, 0}); }, "pad", "`pad`");
  refuses([&] { (void)amp::pad(x, {-most - 1, 0}); }, "pad", "`pad`");
  refuses([&] { (void)amp::pad(x, {-most - 1, 0}, {.mode = PadMode::kCircular}); }, "pad", "`pad`");
  refuses([&] { (void)amp::repeat(x, 2); }, "repeat", "`repeats`");
  refuses([&] { (void)amp::repeat(x, {1, -1}); }, "repeat", "`repeats`");
  refuses([&] { (void)amp::repeat(x, {most, 1}); }, "repeat", "`repeats`");
  refuses([&] { (void)amp::tile(x, {1, -1}); }, "tile", "`dims`");
  refuses([&] { (void)amp::repeat_interleave(x, -1); }, "repeat_interleave", "`repeats`");
  refuses([&] { (void)amp::repeat_interleave(x, most, 0); }, "repeat_interleave", "`repeats`");
  refuses([&] { (void)amp::pixel_shuffle(amp::ones({3, 1, 1}), 2); }, "pixel_shuffle", "factor");
  refuses([&] { (void)amp::pixel_shuffle(amp::ones({3, 1, 1}), 0); }, "pixel_shuffle", "factor");
  refuses(
      [&] {
        (void)amp::pixel_unshuffle(amp::ones({1, 3, 2}), 2);
      },
      "pixel_unshuffle", "factor");
  refuses([&] { (void)amp::pixel_unshuffle(x, 1); }, "pixel_unshuffle", "`input`");
  refuses(
      [&] {
        (void)amp::channel_shuffle(amp::ones({1, 3, 2}), 2);
      },
      "channel_shuffle", "`groups`");
  refuses([&] { (void)amp::tril(amp::ones({3})); }, "tril", "`input`");
  refuses([&] { (void)amp::trace(amp::ones({3})); }, "trace", "`input`");
  refuses([&] { (void)amp::diag(number); }, "diag", "`input`");
  refuses([&] { (void)amp::diag(amp::ones({3}), most); }, "diag", "`diagonal`");
  refuses([&] { (void)amp::diag_embed(x, 0, 1, 1); }, "diag_embed", "`dim1`");
  refuses([&] { (void)amp::diff(number); }, "diff", "`input`");
  refuses([&] { (void)amp::diff(x, -1); }, "diff", "`n`");
  CHECK(amp::tril(x, most).shape() == x.shape());
  CHECK(numbers(amp::triu(x, -most - 1)) == numbers(x));
}

// --- bounds and masks ----------------------------------------------------------------------------

TEST_CASE("clamp: dtypes", "[ops]") {
  const Tensor whole = amp::arange(5);
  CHECK(amp::clamp(whole, 1, 3).dtype() == amp::kInt64);
  CHECK(integers(amp::clamp(whole, 1, 3)) == Integers{1, 1, 2, 3, 3});
  CHECK(amp::clamp(whole, {}, 2.5).dtype() == amp::kFloat32);
  const std::int64_t large = (std::int64_t{1} << 62) + 1;  // no double has it
  CHECK(amp::clamp(amp::full({1}, 0, {.dtype = amp::kInt64}), large).item<std::int64_t>() == large);
  CHECK(numbers(amp::clip(amp::ones({2}), 2, std::nullopt)) == std::vector<double>{2, 2});
  const Tensor nan = amp::clamp(amp::ones({2}), {}, std::nan(""));
  CHECK(std::isnan(numbers(nan)[1]));
  refuses([] { (void)amp::clamp(amp::ones({2}), amp::Bound()); }, "clamp", "`min` or `max`");
  refuses([] { (void)amp::clamp(amp::ones({2}), Tensor()); }, "clamp", "`min` or `max`");
}

TEST_CASE("masked_fill: numbers and tensors", "[ops]") {
  const Tensor x = amp::ones({2, 2}, {.requires_grad = true});
  const Tensor value = amp::full({}, 3, {.requires_grad = true});
  const Tensor mask = amp::tensor({true, false, true, true}, {2, 2});
  amp::masked_fill(x, mask, value).backward(counting({2, 2}));
  CHECK(numbers(x.grad()) == std::vector<double>{0, 1, 0, 0});
  CHECK(value.grad().item<double>() == 5);
  CHECK(integers(amp::masked_fill(amp::arange(3), amp::gt(amp::arange(3), 1), -1.5)) ==
        Integers{0, 1, -1});
  CHECK(amp::masked_fill(x.to(amp::kFloat16), mask, value).dtype() == amp::kFloat16);
  refuses([&] { (void)amp::masked_fill(x, x, 1); }, "masked_fill", "`mask`");
  refuses([&] { (void)amp::masked_fill(x, mask, x); }, "masked_fill", "`value`");
  refuses([&] { (void)amp::masked_fill(x.to(amp::kFloat16), mask, -1e9); }, "masked_fill",
          "`value`");
  refuses([&] { (void)amp::masked_fill(x.to(amp::kUInt8), mask, 300); }, "masked_fill", "`value`");
}

// --- factories -----------------------------------------------------------------------------------

TEST_CASE("factories: lines, grids, triangles", "[tensor]") {
  CHECK(numbers(amp::linspace(0, 1, 5)) == std::vector<double>{0, 0.25, 0.5, 0.75, 1});
  CHECK(numbers(amp::linspace(3, -1, 3)) == std::vector<double>{3, 1, -1});
  CHECK(numbers(amp::linspace(3, 4, 1)) == std::vector<double>{3});
  CHECK(amp::linspace(0, 1, 0).numel() == 0);
  CHECK(numbers(amp::linspace(0, 0.1, 7, {.dtype = amp::kFloat64})).back() == 0.1);
  CHECK(integers(amp::linspace(0, 5, 4, {.dtype = amp::kInt64})) == Integers{0, 1, 3, 5});
  CHECK(numbers(amp::logspace(0, 2, 3)) == std::vector<double>{1, 10, 100});
  CHECK(numbers(amp::logspace(0, 3, 4, 2)) == std::vector<double>{1, 2, 4, 8});
  CHECK(numbers(amp::eye(2, 3)) == std::vector<double>{1, 0, 0, 0, 1, 0});
  CHECK(numbers(amp::eye(2, {.dtype = amp::kInt32})) == std::vector<double>{1, 0, 0, 1});
  CHECK(amp::eye(0, 3).shape() == amp::Shape(0, 3));
  CHECK(amp::eye(2, {.requires_grad = true}).requires_grad());
  const Tensor half = amp::ones({2}, {.dtype = amp::kFloat16});
  CHECK(amp::ones_like(half).dtype() == amp::kFloat16);
  CHECK(numbers(amp::full_like(half, 3)) == std::vector<double>{3, 3});
  CHECK(integers(amp::tril_indices(2, 3)) == Integers{0, 1, 1, 0, 0, 1});
  CHECK(integers(amp::triu_indices(2, 3, 1)) == Integers{0, 0, 1, 1, 2, 2});
  CHECK(amp::tril_indices(3, 3, -3).shape() == amp::Shape(2, 0));
  const auto grids = amp::meshgrid({amp::arange(2), amp::arange(3)}, amp::GridIndexing::kXY);
  CHECK(integers(grids[0]) == Integers{0, 1, 0, 1, 0, 1});
  CHECK(integers(grids[1]) == Integers{0, 0, 1, 1, 2, 2});
  CHECK(integers(amp::one_hot(amp::arange(2), 3)) == Integers{1, 0, 0, 0, 1, 0});
  CHECK(amp::one_hot(amp::tensor({4, 0}, {2, 1})).shape() == amp::Shape(2, 1, 5));
  CHECK(amp::one_hot(amp::zeros({0}, {.dtype = amp::kInt64}), 3).shape() == amp::Shape(0, 3));
  refuses([] { (void)amp::linspace(0, 1, -1); }, "linspace", "`steps`");
  refuses([] { (void)amp::linspace(0, 1e9, 2, {.dtype = amp::kFloat16}); }, "linspace", "`end`");
  refuses([] { (void)amp::eye(-1); }, "eye", "`n`");
  refuses([&] { (void)amp::full_like(half, 1e9); }, "full_like", "`value`");
  refuses([] { (void)amp::one_hot(amp::arange(3), 2); }, "one_hot", "`input`");
  refuses([] { (void)amp::one_hot(amp::ones({3})); }, "one_hot", "`input`");
  refuses([] { (void)amp::one_hot(amp::arange(-2, 1)); }, "one_hot", "`input`");
  refuses([] { (void)amp::one_hot(amp::arange(3), 0); }, "one_hot", "`num_classes`");
  refuses([] { (void)amp::meshgrid({amp::ones({2, 2})}); }, "meshgrid", "`tensors`");
  refuses([] { (void)amp::tril_indices(-1, 2); }, "tril_indices", "`row`");
}

// --- random numbers ------------------------------------------------------------------------------

TEST_CASE("randint: the range, evenly", "[random]") {
  amp::manual_seed(1);
  std::map<std::int64_t, int> counts;
  const Tensor x = amp::randint(-3, 4, {70'000});
  CHECK(x.dtype() == amp::kInt64);
  for (const std::int64_t number : integers(x)) ++counts[number];
  REQUIRE(counts.size() == 7);
  CHECK(counts.begin()->first == -3);
  for (const auto& [number, count] : counts) CHECK(std::abs(count - 10'000) < 500);
  CHECK(integers(amp::randint(5, 6, {3})) == Integers{5, 5, 5});
  CHECK(amp::randint(9, {2}, {.dtype = amp::kUInt8}).dtype() == amp::kUInt8);
  CHECK(amp::randint_like(amp::ones({3}), 0, 9).dtype() == amp::kFloat32);
  const std::int64_t least = std::numeric_limits<std::int64_t>::min(), most = -(least + 1);
  const Integers wide = integers(amp::randint(least, most, {1000}));
  CHECK(*std::min_element(wide.begin(), wide.end()) < least / 2);
  CHECK(*std::max_element(wide.begin(), wide.end()) > most / 2);
  amp::manual_seed(1);
  CHECK(integers(amp::randint(-3, 4, {70'000})) == integers(x));
  refuses([] { (void)amp::randint(3, 3, {2}); }, "randint", "`low`");
  refuses([] { (void)amp::randint(0, 300, {2}, {.dtype = amp::kUInt8}); }, "randint", "`high`");
}

TEST_CASE("randperm: permutations of any length, all of short ones", "[random]") {
  amp::manual_seed(2);
  for (const std::int64_t n : {0, 1, 2, 7, 255, 513, 16'384, 16'385, 50'000, 65'536}) {
    INFO(n);
    Integers order = integers(amp::randperm(n));
    if (n > 200) CHECK_FALSE(std::is_sorted(order.begin(), order.end()));
    std::sort(order.begin(), order.end());
    Integers all(static_cast<std::size_t>(n));
    std::iota(all.begin(), all.end(), 0);
    CHECK(order == all);
  }
  std::map<Integers, int> counts;
  for (int i = 0; i < 2400; ++i) ++counts[integers(amp::randperm(4))];
  CHECK(counts.size() == 24);
  for (const auto& [order, count] : counts) CHECK(std::abs(count - 100) < 50);
  // Of a long one, neighbours are independent: their distance is n / 3 in the mean.
  const Integers order = integers(amp::randperm(40'000));
  double sum = 0;
  for (std::size_t i = 1; i < order.size(); ++i)
    sum += std::fabs(static_cast<double>(order[i] - order[i - 1]));
  CHECK(std::fabs(sum / 40'000 / 40'000 - 1.0 / 3) < 0.01);
  CHECK(amp::randperm(5, {.dtype = amp::kInt32}).dtype() == amp::kInt32);
  refuses([] { (void)amp::randperm(-1); }, "randperm", "`n`");
  refuses([] { (void)amp::randperm(300, {.dtype = amp::kUInt8}); }, "randperm", "`n`");
}

TEST_CASE("normal, exponential, bernoulli: their moments", "[random]") {
  amp::manual_seed(3);
  const auto moments = [](const Tensor& x, double mean, double deviation) {
    CHECK(std::fabs(amp::mean(x).item<double>() - mean) < 0.03 * deviation);
    CHECK(std::fabs(amp::std(x).item<double>() - deviation) < 0.03 * deviation);
  };
  moments(amp::normal(5, 2, {40'000}), 5, 2);
  moments(amp::normal(amp::full({40'000}, -1), 0.5), -1, 0.5);
  moments(amp::normal(3, amp::full({40'000}, 2)), 3, 2);
  moments(amp::normal(amp::full({200, 1}, 1), amp::full({200}, 4)), 1, 4);
  moments(amp::exponential({40'000}, 0.5), 2, 2);
  moments(amp::bernoulli(amp::full({40'000}, 0.2)), 0.2, 0.4);
  moments(amp::bernoulli(amp::ones({40'000}), 0.2), 0.2, 0.4);
  moments(amp::rand_like(amp::ones({40'000})), 0.5, std::sqrt(1.0 / 12));
  moments(amp::randn_like(amp::ones({40'000})), 0, 1);
  CHECK(amp::amin(amp::exponential({100'000})).item<double>() > 0);
  CHECK(numbers(amp::bernoulli(amp::tensor({0.0, 1.0, 2.0, -1.0}, {4}))) ==
        std::vector<double>{0, 1, 1, 0});
  CHECK(amp::normal(amp::ones({2}, {.dtype = amp::kFloat16}), 1).dtype() == amp::kFloat16);
  CHECK_FALSE(amp::normal(amp::ones({2}, {.requires_grad = true}), 1).requires_grad());
  refuses([] { (void)amp::normal(0, -1, {2}); }, "normal", "`std`");
  refuses([] { (void)amp::exponential({2}, 0); }, "exponential", "`lambd`");
  refuses([] { (void)amp::bernoulli(amp::ones({2}), 2); }, "bernoulli", "`p`");
  refuses([] { (void)amp::bernoulli(amp::arange(2)); }, "bernoulli", "`input`");
}

TEST_CASE("multinomial: in proportion, with and without replacement", "[random]") {
  amp::manual_seed(4);
  const Tensor weights = amp::tensor({0.0F, 1.0F, 3.0F, 0.0F, 6.0F}, {5});
  const auto share = [](const Integers& samples, std::int64_t of) {
    return static_cast<double>(std::count(samples.begin(), samples.end(), of)) /
           static_cast<double>(samples.size());
  };
  const Integers replaced = integers(amp::multinomial(weights, 40'000, true));
  CHECK(share(replaced, 0) + share(replaced, 3) == 0);
  CHECK(std::fabs(share(replaced, 2) - 0.3) < 0.02);
  CHECK(std::fabs(share(replaced, 4) - 0.6) < 0.02);
  const Tensor drawn = amp::multinomial(weights.expand({20'000, 5}), 3);
  CHECK(drawn.shape() == amp::Shape(20'000, 3));
  CHECK(std::fabs(share(integers(drawn.select(1, 0)), 4) - 0.6) < 0.02);
  for (const std::int64_t row : {0, 77, 19'999}) {
    Integers samples = integers(drawn.select(0, row));
    std::sort(samples.begin(), samples.end());
    CHECK(samples == Integers{1, 2, 4});
  }
  CHECK(integers(amp::multinomial(amp::tensor({-0.0, 2.0}, {2}), 1)) == Integers{1});
  CHECK(amp::multinomial(amp::ones({0, 3}), 2).shape() == amp::Shape(0, 2));
  refuses([&] { (void)amp::multinomial(weights, 4); }, "multinomial", "too few");
  refuses([&] { (void)amp::multinomial(weights, 6); }, "multinomial", "`num_samples`");
  refuses([&] { (void)amp::multinomial(weights, 0); }, "multinomial", "`num_samples`");
  refuses([&] { (void)amp::multinomial(weights * -1.0, 1, true); }, "multinomial", "`input`");
  refuses([&] { (void)amp::multinomial(amp::zeros({3}), 1, true); }, "multinomial", "too few");
  refuses([&] { (void)amp::multinomial(amp::arange(3), 1); }, "multinomial", "`input`");
}

TEST_CASE("random numbers: drawn again by a checkpoint", "[random]") {
  const Tensor x = amp::ones({64}, {.requires_grad = true});
  amp::manual_seed(5);
  const Tensor y = amp::checkpoint(
      [](const Tensor& t) { return t * amp::randint(0, 100, {64}).to(amp::kFloat32) * t; }, x);
  amp::sum(y).backward();
  CHECK(numbers(x.grad()) == numbers(y.detach() * 2.0));
}

}  // namespace
}  // namespace moving_test
