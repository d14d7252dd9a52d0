// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Attention by blocks, forward and backward, on several threads at once.
#include <amp/amp.hpp>

#include <thread>
#include <vector>

#include "support/catch.hpp"

namespace attention_threads_test {
namespace {

using amp::Tensor;

std::vector<float> step(const Tensor& x, const Tensor& weight) {
  const Tensor y = amp::scaled_dot_product_attention(x, weight, weight, {}, 0, true);
  amp::sum(y * y).backward();
  return y.detach().to_vector<float>();
}

}  // namespace

TEST_CASE("attention by blocks: two threads at once, one shared weight", "[ops]") {
  amp::manual_seed(6);
  const Tensor x = amp::randn({3, 70, 8}), weight = amp::randn({3, 70, 8});
  for (const amp::DType dtype : {amp::kFloat32, amp::kBFloat16}) {
    const auto of_thread = [&](std::vector<float>& result) {
      const Tensor own = x.to(dtype).clone(), key = weight.to(dtype);
      own.requires_grad_();
      for (int i = 0; i < 3; ++i) result = step(own, key);
      const std::vector<float> gradient = own.grad().to_vector<float>();
      result.insert(result.end(), gradient.begin(), gradient.end());
    };
    std::vector<float> expected, first, second;
    of_thread(expected);
    std::thread other([&] { of_thread(second); });
    of_thread(first);
    other.join();
    CHECK(first == expected);
    CHECK(second == expected);
  }
}

}  // namespace attention_threads_test
