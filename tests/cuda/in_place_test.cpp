// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Writes in place and subscripts on the CUDA device against the host, and that they do not wait for
// the device.
#include <cstdint>
#include <vector>

#include "cuda/device.hpp"
#include "cuda/on_both.hpp"

namespace cuda_in_place {
namespace {

using amp::kCUDA;
using amp::Tensor;
using amp::indexing::Ellipsis;
using amp::indexing::None;
using amp::indexing::Slice;
using cuda_test::compare;
using cuda_test::Tensors;

template <class Write>
void on_both(const Tensors& inputs, const Write& write) {
  for (const amp::DType dtype : {amp::kFloat32, amp::kFloat16}) {
    Tensors typed;
    for (const Tensor& x : inputs) typed.push_back(x.to(dtype));
    compare(typed, 4 * cuda_test::tolerance(dtype), [&](const Tensors& t) -> Tensors {
      const Tensor y = t[0] * 1;
      write(y, t);
      return {y};
    });
  }
}

}  // namespace

TEST_CASE("cuda: writes in place", "[cuda]") {
  const Tensor x = amp::randn({5, 40}), b = amp::randn({5, 40}), row = amp::randn({40});
  on_both({x, b}, [](const Tensor& y, const Tensors& t) { y.add_(t[1]).mul_(t[1]) += 2; });
  on_both({x, row}, [](const Tensor& y, const Tensors& t) { y.sub_(t[1], 0.5).div_(4).sin_(); });
  on_both({x}, [](const Tensor& y, const Tensors&) { y.clamp_(-1, 1).square_().tril_(); });
  on_both({x, b}, [](const Tensor& y, const Tensors& t) { y.masked_fill_(t[1] > 0, 3).relu_(); });
  on_both({x, b}, [](const Tensor& y, const Tensors& t) { y.addcmul_(t[1], t[1], 0.25); });
  on_both({x, row}, [](const Tensor& y, const Tensors& t) { y[1] = t[1] * 2; });
  on_both({x, b}, [](const Tensor& y, const Tensors& t) {
    y.index({Slice(1, 4), Slice(None, None, 3)}).mul_(t[1].index({Slice(0, 3), Slice(0, 14)}));
    y.T()[3] += 1;
  });
}

TEST_CASE("cuda: subscripts with tensors", "[cuda]") {
  const Tensor x = amp::randn({5, 40}), rows = amp::tensor({4, 0, 4}, 3);
  const Tensor values = amp::randn({3, 40});
  on_both({x, values}, [&](const Tensor& y, const Tensors& t) {
    y.index_put_({rows.to(y.device())}, t[1], true);
    y.index_put_({Ellipsis, rows.to(y.device())}, 2);
  });
  on_both({x}, [&](const Tensor& y, const Tensors&) {
    y.mul_(y[rows.to(y.device())].index({0, None}));
  });
  const Tensor on_device = x.to(kCUDA);
  CHECK(cuda_test::same_bits(x[x > 0], on_device[on_device > 0]));
}

TEST_CASE("cuda: random numbers in place", "[cuda]") {
  const Tensor x = amp::zeros({4, 500}, {.device = kCUDA});
  amp::manual_seed(3);
  x.normal_(1, 2);
  amp::manual_seed(3);
  CHECK(x.equal(amp::normal(1, 2, {4, 500}, {.device = kCUDA})));
  x.T().uniform_(2, 3);
  CHECK((x.min)().item() >= 2);
  CHECK((x.max)().item() < 3);
}

#if !defined(AMP_TEST_GPU)
TEST_CASE("cuda: writes in place do not wait for the device", "[cuda]") {
  const Tensor w = amp::ones({8}, {.device = kCUDA, .requires_grad = true});
  const Tensor y = amp::zeros({4, 8}, {.device = kCUDA});
  const std::int64_t before = standin::toolkit().counters.synchronisations;
  y[0] = w;
  y.index({Slice(1)}) += w;
  y.mul_(2).clamp_min_(0).add_(w, 0.5);
  y.index_put_({Slice(), 1}, 0);
  y.sum().backward();
  CHECK(standin::toolkit().counters.synchronisations == before);
  CHECK(w.grad().to_vector<float>()[0] == 10);
}
#endif

TEST_CASE("cuda: a recorded write in place is replayed, and moves the version", "[cuda]") {
  const Tensor x = amp::zeros({8}, {.device = kCUDA}), step = amp::ones({8}, {.device = kCUDA});
  amp::cuda::Graph graph([&] { x.add_(step, 2).mul_(2); });
  x.zero_();
  const std::uint64_t before = x.version();
  graph.replay();
  graph.replay();
  CHECK(x.to_vector<float>()[7] == 12);
  CHECK(x.version() > before);
}

}  // namespace cuda_in_place
