// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// How many kernels softmax, losses and normalisation launch at most, once their memory is there:
// what they cost beside the bytes that they move. Nothing is allocated, copied or waited for.
#include <cstdint>
#include <ostream>

#include "cuda/on_both.hpp"
#include "support/cuda/standin.hpp"

namespace cuda_rows_calls {
namespace {

using amp::Tensor;
using cuda_test::Tensors;

struct Calls {
  std::int64_t forward = 0, backward = 0;

  friend bool operator<=(const Calls& a, const Calls& b) {
    return a.forward <= b.forward && a.backward <= b.backward;
  }
  friend std::ostream& operator<<(std::ostream& out, const Calls& calls) {
    return out << calls.forward << " and " << calls.backward << " backward";
  }
};

/// The launches of op(leaves), and of the way back to all floating-point ones.
template <class Op>
Calls launches(const Tensors& inputs, const Op& op) {
  Calls calls;
  for (int step = 0; step < 3; ++step) {
    Tensors leaves;
    for (const Tensor& x : inputs) {
      leaves.push_back(x.detach());
      if (amp::is_floating_point(x.dtype())) leaves.back().requires_grad_();
    }
    standin::Counters& counters = standin::toolkit().counters;
    counters = {};
    const Tensor y = op(leaves);
    calls.forward = counters.launches;
    const Tensor gradient = y.detach();
    y.backward(gradient);
    calls.backward = counters.launches - calls.forward;
    if (step == 0) continue;
    CHECK(counters.allocations == 0);
    CHECK(counters.synchronisations == 0);
    CHECK(counters.to_device + counters.to_host + counters.on_device == 0);
  }
  return calls;
}

TEST_CASE("cuda rows: launches", "[cuda][cached]") {
  amp::manual_seed(1);
  // Held by a part of a warp, by a block, by none; and not in vectors.
  for (const std::int64_t n : {64, 4096, 40000, 77}) {
    CAPTURE(n);
    const amp::Shape shape{n};
    const Tensor x = amp::randn({6, n}).to(amp::kBFloat16).to(amp::kCUDA);
    const Tensor w = amp::randn(shape).to(amp::kCUDA), b = amp::randn(shape).to(amp::kCUDA);
    // The losses are float32: of other logits the op rounds them, in one launch more.
    const Tensor logits = x.to(amp::kFloat32), targets = amp::arange(6).to(amp::kCUDA);
    CHECK(launches({x}, [](const Tensors& t) { return amp::softmax(t[0], 1); }) <= Calls{1, 1});
    CHECK(launches({x}, [](const Tensors& t) { return amp::log_softmax(t[0], 1); }) <= Calls{1, 1});
    CHECK(launches({x}, [](const Tensors& t) { return amp::var(t[0], 1); }) <= Calls{1, 1});
    CHECK(launches({logits, targets},
                   [](const Tensors& t) { return amp::cross_entropy(t[0], t[1]); }) <= Calls{2, 1});
    CHECK(launches({logits, targets}, [](const Tensors& t) { return amp::nll_loss(t[0], t[1]); }) <=
          Calls{2, 1});
    const std::int64_t norm_backward = n == 64 || n == 4096 ? 2 : 3;
    CHECK(launches({x, w, b}, [&](const Tensors& t) {
            return amp::layer_norm(t[0], shape, t[1], t[2]);
          }) <= Calls{1, norm_backward});
    CHECK(launches({x}, [&](const Tensors& t) { return amp::rms_norm(t[0], shape); }) <=
          Calls{1, 1});
    // Below 1 MiB: what is larger comes from the pool of CUDA each time.
    const Tensor planes = amp::randn({2, 6, n}).to(amp::kBFloat16).to(amp::kCUDA);
    const Tensor cw = amp::randn({6}).to(amp::kCUDA), cb = amp::randn({6}).to(amp::kCUDA);
    CHECK(launches({planes, cw, cb}, [](const Tensors& t) {
            return amp::group_norm(t[0], 2, t[1], t[2]);
          }) <= Calls{1, 3});
    CHECK(launches({planes, cw, cb}, [](const Tensors& t) {
            return amp::batch_norm(t[0], {}, {}, t[1], t[2], true);
          }) <= Calls{2, 2});
  }
}

}  // namespace
}  // namespace cuda_rows_calls
