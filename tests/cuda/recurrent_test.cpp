// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Recurrent layers on the CUDA device against the host: several blocks, odd sizes, both directions,
// packed sequences.
#include <cstdint>
#include <vector>

#include "cuda/on_both.hpp"

namespace cuda_recurrent {
namespace {

using amp::Tensor;
using cuda_test::compare;
using cuda_test::Tensors;

/// x, then the parameters of a layer in two directions.
Tensors operands(std::int64_t gates, const amp::Shape& input, std::int64_t units,
                 amp::DType dtype) {
  amp::manual_seed(9);
  const auto random = [&](const amp::Shape& shape, double scale) {
    return (amp::randn(shape) * scale).to(dtype);
  };
  Tensors result = {random(input, 1)};
  for (int direction = 0; direction < 2; ++direction) {
    result.push_back(random({gates * units, input[input.dims() - 1]}, 0.2));
    result.push_back(random({gates * units, units}, 0.2));
    for (int i = 0; i < 2; ++i) result.push_back(random({gates * units}, 0.2));
  }
  return result;
}
Tensors from(const Tensors& all) { return {all.begin() + 1, all.end()}; }

/// Sums over few terms are in another order; in 16 bits, a state may be rounded the other way.
double limit_of(amp::DType dtype) {
  return dtype == amp::kFloat64 ? 1e-12 : dtype == amp::kFloat32 ? 2e-5 : 0.04;
}

template <class Network>
void check(std::int64_t gates, const amp::Shape& input, std::int64_t units,
           const Network& network) {
  for (const amp::DType dtype : {amp::kFloat64, amp::kFloat32, amp::kFloat16, amp::kBFloat16}) {
    INFO(amp::name(dtype) << " of " << units << " units");
    compare(operands(gates, input, units, dtype), limit_of(dtype), network);
  }
}

constexpr amp::RecurrentOptions kBoth{.bidirectional = true};

}  // namespace

TEST_CASE("recurrent: layers on the device are those on the host", "[cuda]") {
  const amp::Shape input(3, 5, 7);
  for (const std::int64_t units : {1, 33, 90}) {
    check(4, input, units,
          [](const Tensors& x) -> Tensors { return {amp::lstm(x[0], {}, from(x), kBoth).output}; });
    check(4, input, units,
          [](const Tensors& x) -> Tensors { return {amp::lstm(x[0], {}, from(x), kBoth).c}; });
    check(3, input, units,
          [](const Tensors& x) -> Tensors { return {amp::gru(x[0], {}, from(x), kBoth).output}; });
    check(1, input, units, [](const Tensors& x) -> Tensors {
      return {amp::rnn_tanh(x[0], {}, from(x), kBoth).output};
    });
    check(1, input, units, [](const Tensors& x) -> Tensors {
      return {amp::rnn_relu(x[0], {}, from(x), kBoth).output};
    });
  }
}

TEST_CASE("recurrent: packed sequences on the device are those on the host", "[cuda]") {
  const auto packed = [](const Tensor& x) {
    return amp::pack_padded_sequence(x, {2, 4, 1}, {.enforce_sorted = false});
  };
  const amp::Shape input(4, 3, 7);
  check(4, input, 33, [&](const Tensors& x) -> Tensors {
    return {amp::pad_packed_sequence(amp::lstm(packed(x[0]), {}, from(x), kBoth).output).output};
  });
  check(3, input, 33, [&](const Tensors& x) -> Tensors {
    return {amp::gru(packed(x[0]), {}, from(x), kBoth).h};
  });
}

}  // namespace cuda_recurrent
