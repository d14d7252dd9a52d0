// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Tensors whose elements lie channels-last, where memory runs out: for them, for their row-major
// elements, and within the ops that know of them.
#include <amp/amp.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "out_of_memory/each_fails.hpp"
#include "support/catch.hpp"
#include "support/channels_last.hpp"

namespace channels_last_out_of_memory {
using amp::Tensor;
using amp_test::each_fails;

TEST_CASE("out of memory: a tensor that lies channels-last is made whole or not at all",
          "[tensor]") {
  const Tensor x = amp::rand({2, 18, 5, 4});
  CHECK(each_fails([&] { (void)amp_test::laid_out(x); }) > 0);
}

TEST_CASE("out of memory: the row-major elements are asked for again", "[tensor]") {
  const Tensor row_major = amp::rand({2, 18, 5, 4}), x = amp_test::laid_out(row_major);
  CHECK(each_fails([&] { (void)x.raw_data(); }) > 0);
  CHECK(x.to_vector<float>() == row_major.to_vector<float>());
  CHECK(amp_test::lies_channels_last(x));
}

TEST_CASE("out of memory: ops on tensors that lie channels-last throw and lose nothing", "[ops]") {
  const Tensor x = amp_test::laid_out(amp::rand({2, 18, 4, 4}));
  const Tensor mean = amp::zeros({18}), variance = amp::ones({18});
  each_fails([&] {
    const Tensor h = x.detach().requires_grad_();
    const Tensor y = amp::batch_norm(amp::relu(h), mean, variance, {}, {}, true) + h;
    amp::sum(amp::avg_pool2d(amp::max_pool2d(y, 2), 2)).backward();
  });
}

}  // namespace channels_last_out_of_memory
