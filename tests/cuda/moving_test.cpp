// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Ops that move elements, and random integers, on the CUDA device against the host: several blocks,
// odd sizes, vectors and single elements.
#include <cstdint>
#include <iterator>
#include <vector>

#include "cuda/on_both.hpp"

namespace cuda_moving {
namespace {

using amp::PadMode;
using amp::Tensor;
using cuda_test::compare;
using cuda_test::same_bits;
using cuda_test::Tensors;
using cuda_test::tolerance;

const std::vector<amp::Shape> kShapes = {{7},         {3, 0, 5},  {1, 1, 1},
                                         {33, 30, 3}, {4, 3, 64}, {2, 5, 3, 8}};

Tensor whole_numbers(const amp::Shape& shape, amp::DType dtype) {
  return amp::randint(0, 17, shape).to(dtype);
}

template <class Op>
void on(const Tensor& x, const Op& op) {
  // Sums of a few whole numbers are exact in every dtype but the 8-bit ones.
  const double limit = amp::item_size(x.dtype()) == 1 ? tolerance(x.dtype()) : 0;
  compare({x}, limit, [&](const Tensors& t) -> Tensors { return {op(t[0])}; });
}

}  // namespace

TEST_CASE("cuda moves: the host's, forward and backward", "[cuda][values]") {
  amp::manual_seed(1);
  std::vector<amp::DType> dtypes(std::begin(cuda_test::kFloats), std::end(cuda_test::kFloats));
  dtypes.insert(dtypes.end(), std::begin(cuda_test::kIntegers), std::end(cuda_test::kIntegers));
  for (const amp::DType dtype : dtypes) {
    for (const amp::Shape& shape : kShapes) {
      if (!cuda_test::worth_while(shape, dtype)) continue;
      INFO(amp::name(dtype) << " " << to_string(shape));
      const Tensor x = whole_numbers(shape, dtype);
      const bool none = x.numel() == 0;
      on(x, [](const Tensor& t) { return amp::flip(t, -1); });
      on(x, [](const Tensor& t) { return amp::flip(t, 0); });
      on(x, [](const Tensor& t) { return amp::roll(t, {2, -3}, {0, -1}); });
      on(x, [](const Tensor& t) { return amp::roll(t, 5); });
      on(x, [](const Tensor& t) { return amp::pad(t, {2, 1}, {.value = 1}); });
      on(x, [](const Tensor& t) { return amp::repeat(t, {2, 1, 3, 1}); });
      on(x, [](const Tensor& t) { return amp::repeat_interleave(t, 3, 0); });
      on(x, [](const Tensor& t) { return amp::chunk(t, 2)[0]; });
      on(x, [](const Tensor& t) { return t.slice(-1, 1, {}, 2); });
      if (none) continue;
      const std::int64_t last = shape[shape.dims() - 1] - 1;
      on(x, [&](const Tensor& t) { return amp::pad(t, {last, -1}, {.mode = PadMode::kReflect}); });
      on(x, [](const Tensor& t) { return amp::pad(t, {3, 9}, {.mode = PadMode::kReplicate}); });
      on(x, [](const Tensor& t) { return amp::pad(t, {1, 1}, {.mode = PadMode::kCircular}); });
      if (shape.dims() < 3) continue;
      on(x, [](const Tensor& t) { return amp::flip(t, {0, -1}); });
      on(x, [](const Tensor& t) {
        return amp::pad(t, {0, 0, 1, 2, 3, 0}, {.mode = PadMode::kReplicate});
      });
      on(x, [](const Tensor& t) { return amp::tril(t, 1); });
      on(x, [](const Tensor& t) { return amp::triu(t.transpose(0, 1), -1); });
      on(x, [](const Tensor& t) { return amp::diag_embed(t.select(0, 0).select(0, 0), 1); });
      on(x, [](const Tensor& t) { return t.diagonal(1, 1, 2); });
      on(x, [](const Tensor& t) {
        const std::vector<Tensor> parts = t.chunk(3, 0);
        return parts.front() + parts.back().narrow(0, 0, 1);
      });
    }
  }
}

TEST_CASE("cuda moves: bounds and masks", "[cuda][values]") {
  amp::manual_seed(2);
  for (const amp::DType dtype : {amp::kFloat32, amp::kFloat16, amp::kInt64}) {
    const Tensor x = whole_numbers({33, 30}, dtype);
    const auto numbers = [](const Tensor& t) { return amp::clamp(t, 3, 9); };
    on(x, numbers);
    compare({x, whole_numbers({30}, dtype), whole_numbers({33, 1}, dtype)}, 0,
            [](const Tensors& t) -> Tensors { return {amp::clamp(t[0], t[1], t[2])}; });
    compare({x, amp::gt(x, 8)}, 0,
            [](const Tensors& t) -> Tensors { return {amp::masked_fill(t[0], t[1], 2)}; });
  }
}

TEST_CASE("cuda random integers: the host's", "[cuda][values]") {
  const auto both = [](const auto& make) {
    amp::manual_seed(7);
    const Tensor host = make(amp::Device(amp::kCPU));
    amp::manual_seed(7);
    CHECK(same_bits(host, make(amp::Device(amp::kCUDA))));
  };
  for (const std::int64_t n : {1, 2, 301, 2049}) {
    INFO(n);
    both([&](amp::Device device) { return amp::randint(-5, 1000, {n}, {.device = device}); });
    both([&](amp::Device device) {
      return amp::randint(0, 100, {n}, {.dtype = amp::kFloat16, .device = device});
    });
    both([&](amp::Device device) { return amp::randperm(n, {.device = device}); });
  }
  both([](amp::Device device) { return amp::randperm(20'000, {.device = device}); });
  both([](amp::Device device) {
    return amp::bernoulli(amp::full({1001}, 0.3, {.device = device}));
  });
  const Tensor weights = amp::rand({5, 1000});
  both([&](amp::Device device) { return amp::multinomial(weights.to(device), 70, true); });
  // Without replacement: the host's log decides, except on a GPU.
  both([&](amp::Device device) { return amp::multinomial(weights.narrow(1, 0, 4).to(device), 3); });
  both([](amp::Device device) { return amp::eye(31, 40, {.device = device}); });
  both([](amp::Device device) { return amp::one_hot(amp::arange(9).to(device), 9); });
}

}  // namespace cuda_moving
