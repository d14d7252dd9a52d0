// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Indexing, random tensors and dropout on the CUDA device: the host's bits, but for normal numbers.
#include <cmath>
#include <cstdint>
#include <vector>

#include "cuda/on_both.hpp"

namespace cuda_indexing_random {
namespace {

using cuda_test::compare;
using cuda_test::Tensors;

// The device adds more than a tile of 32 in another order than the host.
TEST_CASE("cuda index_select, embedding: the host's bits, also of gradients of few", "[cuda]") {
  amp::manual_seed(1);
  for (const amp::Shape& shape :
       std::vector<amp::Shape>{{1}, {300}, {5, 7}, {3, 40, 9}, {2, 3, 4, 5}, {4, 0}, {0, 4, 3}}) {
    for (int d = 0; d < shape.dims(); ++d) {
      for (const std::int64_t count : {0, 1, 5, 700}) {
        if (shape[d] == 0 && count != 0) continue;
        for (const amp::DType index_dtype : {amp::kInt64, amp::kInt32}) {
          const amp::Tensor index =
              (amp::rand({count}) * static_cast<double>(shape[d])).to(index_dtype);
          const auto select = [&](const Tensors& t) -> Tensors {
            return {amp::index_select(t[0], d, t[1])};
          };
          for (const amp::DType dtype : cuda_test::kFloats)
            compare({amp::randn(shape).to(dtype), index},
                    count > 5 ? cuda_test::tolerance(dtype) : 0, select, 30);
          for (const amp::DType dtype : cuda_test::kIntegers)
            compare({amp::abs(amp::randn(shape) * 9).to(dtype), index}, 0, select);
        }
      }
    }
  }
  const amp::Tensor many = (amp::rand({3000}) * 40).to(amp::kInt64);
  compare({amp::randn({40, 3}), many}, 1e-6,
          [](const Tensors& t) -> Tensors { return {amp::index_select(t[0], 0, t[1])}; });
  const amp::Tensor tokens = (amp::rand({6, 50}) * 20).to(amp::kInt64);
  for (const amp::DType dtype : cuda_test::kFloats) {
    compare({amp::randn({20, 33}).to(dtype), tokens}, cuda_test::tolerance(dtype),
            [](const Tensors& t) -> Tensors { return {amp::embedding(t[1], t[0])}; });
    compare({amp::randn({20, 33}).to(dtype), tokens}, cuda_test::tolerance(dtype),
            [](const Tensors& t) -> Tensors { return {amp::embedding(t[1].t(), t[0])}; });
  }
}

TEST_CASE("cuda index_select: indices and inputs of any strides", "[cuda]") {
  amp::manual_seed(2);
  const amp::Tensor x = amp::randn({6, 9});
  const auto check = [&](const amp::Tensor& index, const auto& view) {
    compare({x, index}, 0, [&](const Tensors& t) -> Tensors {
      return {amp::index_select(t[0].transpose(0, 1), 1, view(t[1]))};
    });
  };
  check(amp::tensor({3}, {1}), [](const amp::Tensor& index) { return index.expand({8}); });
  check(amp::tensor({3, 0, 5, 1, 2, 2}, {3, 2}),
        [](const amp::Tensor& index) { return index.select(1, 1); });
  check(amp::tensor({4}, {}), [](const amp::Tensor& index) { return index; });
}

TEST_CASE("cuda index_select: an index out of range is NaN", "[cuda]") {
  for (const std::int64_t bad : {std::int64_t{3}, std::int64_t{-1}, std::int64_t{1} << 40}) {
    const amp::TensorOptions on_device{.device = amp::kCUDA};
    const amp::Tensor index = amp::tensor({std::int64_t{1}, bad}, {2}, on_device);
    for (const amp::DType dtype : cuda_test::kFloats) {
      const amp::Tensor x =
          amp::ones({3, 2}, {.dtype = dtype, .device = amp::kCUDA}).requires_grad_();
      const amp::Tensor y = amp::index_select(x, 0, index);
      const auto values = y.to_vector<double>();
      for (std::size_t i = 0; i < 4; ++i) CHECK(std::isnan(values[i]) == (i >= 2));
      amp::sum(y).backward();
      for (const double grad : x.grad().to_vector<double>()) CHECK(std::isnan(grad));
    }
    const amp::Tensor x = amp::ones({3}, {.dtype = amp::kInt32, .device = amp::kCUDA});
    CHECK(amp::index_select(x, 0, index).to_vector<double>() == std::vector<double>{1, 0});
  }
}

/// The states that a stream may be in: offsets use all 64 bits.
const std::vector<amp::RngState> kStates = {{.seed = 0, .offset = 0},
                                            {.seed = 0x1234'5678'9abc'def0, .offset = 7},
                                            {.seed = 5, .offset = 0xffff'fff0},
                                            {.seed = 5, .offset = 0xffff'ffff'ffff'fff0}};

TEST_CASE("cuda rand: the host's bits; randn: but for rounding", "[cuda]") {
  for (const amp::RngState& state : kStates) {
    for (const amp::DType dtype : cuda_test::kFloats) {
      for (const std::int64_t n : {0, 1, 3, 4, 1023, 1026, 5001}) {
        const auto both = [&](double limit, const auto& make) {
          amp::set_rng_state(state);
          const amp::Tensor host = make(amp::Device(amp::kCPU));
          amp::set_rng_state(state);
          const amp::Tensor device = make(amp::Device(amp::kCUDA));
          CAPTURE(n, amp::name(dtype));
          if (limit == 0) CHECK(cuda_test::same_bits(host, device));
          CHECK(cuda_test::difference(host, device) <= limit);
        };
        both(0, [&](amp::Device device) {
          return amp::rand({n}, {.dtype = dtype, .device = device});
        });
        // Normal numbers are computed in float32, whatever they are for.
        const bool wide = cuda_test::kOwnMath && dtype == amp::kFloat64;
        both(cuda_test::tolerance(wide ? amp::kFloat32 : dtype), [&](amp::Device device) {
          return amp::randn({n}, {.dtype = dtype, .device = device});
        });
      }
    }
  }
}

TEST_CASE("cuda dropout: the host's bits, also of gradients", "[cuda]") {
  for (const amp::RngState& state : kStates) {
    for (const amp::DType dtype : cuda_test::kFloats) {
      for (const std::int64_t n : {0, 1, 3, 4, 1023, 1026, 5001}) {
        for (const double p : {0.1, 0.5, 1.0}) {
          const Tensors x{amp::randn({n}).to(dtype)};
          amp::set_rng_state(state);
          compare(x, 0, [&](const Tensors& t) -> Tensors { return {amp::dropout(t[0], p)}; });
          const Tensors both{x[0], amp::randn({n}).to(dtype)};
          amp::set_rng_state(state);
          compare(both, 0,
                  [&](const Tensors& t) -> Tensors { return {amp::dropout_add(t[0], t[1], p)}; });
        }
      }
    }
  }
}

}  // namespace
}  // namespace cuda_indexing_random
