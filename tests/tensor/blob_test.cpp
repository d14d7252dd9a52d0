// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Tensors over memory that amp did not allocate.
#include <amp/amp.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace blob {
namespace {

using amp::Strides;
using amp::Tensor;
using amp_test::error_of;
using Catch::Matchers::ContainsSubstring;

std::vector<float> counted(std::size_t n) {
  std::vector<float> numbers(n);
  std::iota(numbers.begin(), numbers.end(), 0.0F);
  return numbers;
}

TEST_CASE("from_blob: reads and writes the caller's memory", "[tensor]") {
  std::array<float, 4> mine = {1, 2, 3, 4};
  {
    const amp::Tensor x = amp::from_blob(mine.data(), {2, 2});
    CHECK(x.const_data<float>() == mine.data());
    mine[1] = 7;
    CHECK(x.to_vector<float>() == std::vector<float>{1, 7, 3, 4});
    x.fill_(5);
  }
  CHECK(mine == std::array<float, 4>{5, 5, 5, 5});
}

TEST_CASE("from_blob: other dtypes, and leaves that require gradients", "[tensor]") {
  std::array<std::int64_t, 2> indices = {3, 4};
  CHECK(amp::from_blob(indices.data(), {2}, {.dtype = amp::kInt64}).to_vector<int>() ==
        std::vector<int>{3, 4});
  std::array<double, 1> weight = {2};
  CHECK(amp::from_blob(weight.data(), {1}, {.dtype = amp::kFloat64, .requires_grad = true})
            .requires_grad());
}

TEST_CASE("from_blob: null is memory for nothing only", "[tensor]") {
  CHECK_THAT(error_of([] {
               return amp::from_blob(nullptr, {2, 3});
             }),
             ContainsSubstring("null") && ContainsSubstring("[2, 3]"));
  CHECK(amp::from_blob(nullptr, {0, 3}).numel() == 0);
}

TEST_CASE("from_blob: strides say where the elements lie", "[tensor]") {
  std::vector<float> mine = counted(24);
  const auto over = [&](const amp::Shape& shape, const Strides& strides) {
    return amp::from_blob(mine.data(), shape, strides, nullptr);
  };
  CHECK(over({2, 3}, {1, 2}).to_vector<float>() == std::vector<float>{0, 2, 4, 1, 3, 5});
  CHECK(over({2, 2}, std::vector<int>{12, 5}).to_vector<float>() ==
        std::vector<float>{0, 5, 12, 17});
  CHECK(over({2, 3}, {0, 1}).to_vector<float>() == std::vector<float>{0, 1, 2, 0, 1, 2});
  CHECK(over({3, 2}, {1, 1}).to_vector<float>() == std::vector<float>{0, 1, 1, 2, 2, 3});
  CHECK(over({}, {}).item<float>() == 0);
  CHECK_FALSE(over({2, 3}, {1, 2}).is_contiguous());

  over({2, 3}, {1, 2}).fill_(-1);
  CHECK(mine[5] == -1);
  CHECK(mine[6] == 6);
}

TEST_CASE("from_blob: ops compute with strides what they compute with a copy", "[tensor]") {
  std::vector<float> mine = counted(60);
  const Tensor x = amp::from_blob(mine.data(), {3, 4}, {1, 5}, nullptr);
  const Tensor dense = amp::tensor(x.to_vector<float>(), {3, 4});
  const auto same = [](const Tensor& a, const Tensor& b) {
    return a.to_vector<float>() == b.to_vector<float>();
  };
  CHECK(same(amp::matmul(x, x.t()), amp::matmul(dense, dense.t())));
  CHECK(same(amp::sum(x, 0), amp::sum(dense, 0)));
  CHECK(same(amp::softmax(x, 1), amp::softmax(dense, 1)));
  CHECK(same(x + x.narrow(0, 1, 1), dense + dense.narrow(0, 1, 1)));
  CHECK(same(x.reshape({12}), dense.reshape({12})));
}

TEST_CASE("from_blob: the stride of one element does not matter", "[tensor]") {
  std::vector<float> mine = counted(6);
  for (const std::int64_t stride : {std::int64_t{0}, std::int64_t{-7}, INT64_MAX, INT64_MIN}) {
    CAPTURE(stride);
    const Tensor x = amp::from_blob(mine.data(), {1, 6}, {stride, std::int64_t{1}}, nullptr);
    CHECK(x.is_contiguous());
    CHECK(x.strides() == Strides(6, 1));
    CHECK(amp::matmul(x, x.t()).item<float>() == 55);
    const Tensor last = amp::from_blob(mine.data(), {6, 1}, {std::int64_t{1}, stride}, nullptr);
    CHECK(amp::matmul(last.t(), last).item<float>() == 55);
    const Tensor none = amp::from_blob(nullptr, {0, 3}, {stride, stride}, nullptr);
    CHECK(none.strides() == Strides(3, 1));
  }
}

TEST_CASE("from_blob: memory is given back once, after the last tensor over it", "[tensor]") {
  int given_back = 0;
  void* what = nullptr;
  std::array<float, 4> mine = {1, 2, 3, 4};
  {
    Tensor row, graph;
    {
      const Tensor x = amp::from_blob(mine.data(), {2, 2}, {2, 1},
                                      [&](void* data) {
                                        ++given_back;
                                        what = data;
                                      },
                                      {.requires_grad = true});
      row = x.select(0, 1);
      graph = amp::sum(x * x);
    }
    CHECK(given_back == 0);
    row = Tensor();
    CHECK(given_back == 0);
    graph.backward();  // frees what it saved of x
    CHECK(given_back == 1);
  }
  CHECK(given_back == 1);
  CHECK(what == mine.data());
}

TEST_CASE("from_blob: memory is given back in the thread that drops it last", "[tensor]") {
  std::array<float, 1> mine = {};
  std::thread::id where;
  Tensor x =
      amp::from_blob(mine.data(), {1}, {1}, [&](void*) { where = std::this_thread::get_id(); });
  std::thread thread([mine_too = std::move(x)]() mutable { mine_too = Tensor(); });
  const std::thread::id other = thread.get_id();
  thread.join();
  CHECK(where == other);
}

TEST_CASE("from_blob: row-major memory is given back, too", "[tensor]") {
  std::array<float, 4> mine = {1, 2, 3, 4};
  int given_back = 0;
  {
    const Tensor x =
        amp::from_blob(mine.data(), {2, 2}, [&](void*) { ++given_back; }, {.requires_grad = true});
    CHECK(x.requires_grad());
    CHECK(x.to_vector<float>() == std::vector<float>{1, 2, 3, 4});
  }
  CHECK(given_back == 1);
}

TEST_CASE("from_blob: a deleter may be null", "[tensor]") {
  std::array<float, 2> mine = {1, 2};
  void (*const none)(void*) = nullptr;
  CHECK(amp::from_blob(mine.data(), {2}, {1}, none).numel() == 2);
  CHECK(amp::from_blob(mine.data(), {2}, {1}, std::function<void(void*)>()).numel() == 2);
  CHECK(amp::from_blob(mine.data(), {2}, nullptr).numel() == 2);
}

TEST_CASE("from_blob: gradients are not accumulated in memory of others", "[tensor]") {
  std::array<float, 3> mine = {1, 2, 3};
  const Tensor x = amp::ones({3}, {.requires_grad = true});
  const amp::HookHandle handle =
      x.register_hook([&](const Tensor&) { return amp::from_blob(mine.data(), {3}); });
  for (int i = 1; i <= 2; ++i) {
    amp::sum(x * 1).backward();
    CHECK(mine == std::array<float, 3>{1, 2, 3});
    CHECK(x.grad().to_vector<double>() == std::vector<double>{1.0 * i, 2.0 * i, 3.0 * i});
  }
}

TEST_CASE("from_blob: copy_ between two tensors over one memory copies what was there",
          "[tensor]") {
  std::array<float, 4> square = {1, 2, 3, 4};
  const Tensor a = amp::from_blob(square.data(), {2, 2}),
               transposed = amp::from_blob(square.data(), {2, 2}, {1, 2}, nullptr);
  a.copy_(transposed);
  CHECK(square == std::array<float, 4>{1, 3, 2, 4});

  std::vector<float> line = counted(40);
  amp::from_blob(line.data() + 1, {30}).copy_(amp::from_blob(line.data(), {30}));
  CHECK(line[30] == 29);
  CHECK(line[1] == 0);
  CHECK(line[31] == 31);

  const Tensor own = amp::tensor({1.0, 2.0, 3.0, 4.0}, {2, 2});
  own.copy_(amp::from_blob(own.data<float>(), {2, 2}, {1, 2}, nullptr));
  CHECK(own.to_vector<float>() == std::vector<float>{1, 3, 2, 4});
}

TEST_CASE("from_blob: a deleter may own what it keeps alive", "[tensor]") {
  Tensor x;
  {
    std::vector<float> numbers = {1, 2, 3};
    float* const data = numbers.data();
    x = amp::from_blob(data, {3}, {1}, [kept = std::move(numbers)](void*) {});
  }
  CHECK(x.to_vector<float>() == std::vector<float>{1, 2, 3});
}

TEST_CASE("from_blob: what cannot be viewed is refused, and stays the caller's", "[tensor]") {
  int given_back = 0;
  alignas(8) std::array<char, 64> mine = {};
  const auto refused = [&](std::size_t offset, const amp::Shape& shape, const Strides& strides,
                           const amp::TensorOptions& options = {}) {
    return error_of([&] {
      return amp::from_blob(
          mine.data() + offset, shape, strides, [&](void*) { ++given_back; }, options);
    });
  };
  CHECK_THAT(refused(0, {2, 3}, {3}), ContainsSubstring("`strides` has 1 numbers") &&
                                          ContainsSubstring("[2, 3] has 2 dimensions"));
  CHECK_THAT(refused(0, {2, 3}, {-3, 1}),
             ContainsSubstring("negative") && ContainsSubstring("[-3, 1]"));
  CHECK_THAT(refused(0, {2, 1, 2}, {INT64_MAX, std::int64_t{0}, INT64_MAX}),
             ContainsSubstring("63 bits"));
  CHECK_THAT(refused(2, {3}, {1}), ContainsSubstring("multiple of the 4 bytes of float32") &&
                                       ContainsSubstring("2 bytes beyond"));
  CHECK_THAT(refused(0, {3}, {INT64_MAX}), ContainsSubstring("63 bits"));
  CHECK_THAT(refused(0, {2}, {INT64_MAX}), ContainsSubstring("63 bits"));
  CHECK_THAT(refused(0, {2}, {INT64_MAX / 8}, {.dtype = amp::kFloat64}),
             ContainsSubstring("63 bits"));
  CHECK_THAT(refused(0, {2}, {1}, {.dtype = amp::kInt32, .requires_grad = true}),
             ContainsSubstring("int32"));
  CHECK_THAT(
      error_of([&] { return amp::from_blob(nullptr, {2}, {1}, [&](void*) { ++given_back; }); }),
      ContainsSubstring("null"));
  CHECK(given_back == 0);
  CHECK_THAT(error_of([&] { return amp::from_blob(mine.data(), {2}, {.device = amp::kCUDA}); }),
             ContainsSubstring("cuda"));
  CHECK_THAT(error_of([&] { return amp::from_blob(mine.data() + 1, {3}); }),
             ContainsSubstring("multiple of the 4 bytes of float32"));
}

TEST_CASE("from_blob: strided memory is not cached without its owner's promise", "[tensor]") {
  std::vector<float> mine(4, 1);
  const Tensor w =
      amp::from_blob(mine.data(), {2, 2}, {1, 2}, [](void*) {}, {.requires_grad = true});
  const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
  const Tensor x = amp::ones({1, 2});
  CHECK(amp::matmul(x, w).to_vector<float>() == std::vector<float>{2, 2});
  mine[1] = 3;  // row 1, column 0
  CHECK(amp::matmul(x, w).to_vector<float>() == std::vector<float>{4, 2});
}

}  // namespace
}  // namespace blob
