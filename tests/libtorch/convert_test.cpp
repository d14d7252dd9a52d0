// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Tensors of torch as amp's, and the reverse: one memory, and each keeps it alive.
#include "libtorch/torch.hpp"

#include <amp/amp.hpp>
#include <string>
#include <utility>
#include <vector>

#include "support/error_of.hpp"

namespace libtorch_convert {
namespace {

using amp::Tensor;
using amp::libtorch::from_torch;
using amp::libtorch::to_torch;
using amp_test::error_of;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("from_torch: shares torch's memory, and keeps it", "[libtorch]") {
  torch::Tensor theirs = torch::arange(24, torch::kFloat).reshape({4, 6});
  Tensor x = from_torch(theirs.narrow(0, 1, 2).t());
  CHECK(x.shape() == amp::Shape(6, 2));
  CHECK(x.strides() == amp::Strides(1, 6));
  CHECK(x.const_data<float>() == theirs.data_ptr<float>() + 6);
  theirs[1][2] = -1;
  x.select(0, 5).fill_(100);
  CHECK(x.to_vector<float>() == std::vector<float>{6, 12, 7, 13, -1, 14, 9, 15, 10, 16, 100, 100});
  CHECK(theirs[2][5].item<float>() == 100);
  theirs = torch::Tensor();
  CHECK(amp::sum(x).item<float>() == 301);
  CHECK(to_torch(x).sum().item<float>() == 301);
}

TEST_CASE("from_torch: torch's memory is free once amp's tensors are gone", "[libtorch]") {
  const torch::Tensor theirs = torch::ones({3});
  {
    const Tensor x = from_torch(theirs), view = x.narrow(0, 1, 1);
    CHECK(theirs.storage().use_count() > 1);
  }
  CHECK(theirs.storage().use_count() == 1);
}

TEST_CASE("from_torch and to_torch: the memory stays, also if a tensor gets other memory",
          "[libtorch]") {
  torch::nn::Linear theirs(2, 2);
  theirs->weight.data().fill_(5);
  const Tensor x = from_torch(theirs->weight);
  theirs->to(torch::kDouble);
  const torch::Tensor elsewhere = torch::full({2, 2}, 77.0f);
  CHECK(x.to_vector<float>() == std::vector<float>(4, 5));

  const Tensor own = amp::full({2, 2}, 6);
  const torch::Tensor y = to_torch(own);
  own.set_data(amp::zeros({2, 2}));
  const Tensor other = amp::full({2, 2}, 77);
  CHECK(y.sum().item<float>() == 24);
}

TEST_CASE("from_torch and to_torch: every dtype of amp, bit for bit", "[libtorch]") {
  for (int d = 0; d < amp::kDTypeCount; ++d) {
    const auto dtype = static_cast<amp::DType>(d);
    const Tensor x = amp::tensor({0.0, 1.0, 6.0}, {3}, {.dtype = dtype});
    CAPTURE(dtype);
#if !AMP_TORCH_NAMES_DEVICES
    if (dtype == amp::kFloat8E4M3 || dtype == amp::kFloat8E5M2) continue;
#endif
    const Tensor back = from_torch(to_torch(x));
    CHECK(back.dtype() == dtype);
    CHECK(back.raw_data() == x.raw_data());
  }
}

TEST_CASE("from_torch: has no history, and computes in scopes of amp", "[libtorch]") {
  const torch::Tensor theirs = torch::ones({2, 2}, torch::requires_grad());
  const Tensor x = from_torch(theirs * 2);
  CHECK_FALSE(x.requires_grad());
  const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kBFloat16});
  const Tensor product = amp::matmul(x, x);
  CHECK(product.dtype() == amp::kBFloat16);
  CHECK(product.to_vector<float>() == std::vector<float>(4, 8));
}

TEST_CASE("from_torch: the memory is torch's, so that no copy of a weight is kept", "[libtorch]") {
  torch::Tensor theirs = torch::ones({2, 2});
  const Tensor w = from_torch(theirs).requires_grad_(), x = amp::ones({1, 2});
  const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
  CHECK(amp::matmul(x, w).to_vector<float>() == std::vector<float>{2, 2});
  theirs.fill_(3);
  CHECK(amp::matmul(x, w).to_vector<float>() == std::vector<float>{6, 6});
}

TEST_CASE("from_torch: what amp has no tensors for is refused", "[libtorch]") {
  CHECK_THAT(error_of([] { return from_torch(torch::Tensor()); }),
             ContainsSubstring("from_torch: `tensor` is undefined"));
  CHECK_THAT(error_of([] { return from_torch(torch::ones({2}).to_sparse()); }),
             ContainsSubstring("to_dense()"));
  CHECK_THAT(error_of([] { return from_torch(torch::ones({2}, torch::kShort)); }),
             ContainsSubstring("Short"));
  CHECK_THAT(error_of([] { return from_torch(torch::ones({2}, torch::kComplexFloat).conj()); }),
             ContainsSubstring("conjugate"));
  CHECK_THAT(error_of([] {
               return from_torch(torch::ones({1, 1, 1, 1, 1, 1, 1, 1, 1}));
             }),
             ContainsSubstring("at most 8 dimensions, but has 9"));
  CHECK_THAT(error_of([] { return from_torch(torch::ones({2}, torch::kMeta)); }),
             ContainsSubstring("from_torch") && ContainsSubstring("meta"));
  CHECK_THAT(error_of([] { return to_torch(Tensor()); }), ContainsSubstring("undefined"));
}

}  // namespace
}  // namespace libtorch_convert
