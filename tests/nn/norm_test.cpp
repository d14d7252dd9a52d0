// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Batch and instance norms of one and three dimensions, and norms without a bias. (Batch norms of
// images, and other norms, are in goldens_test.cpp.)
#include <amp/amp.hpp>

#include <cstdint>
#include <vector>

#include "nn/nets.hpp"
#include "support/catch.hpp"

namespace norm_layers {
namespace {

namespace nn = amp::nn;
using amp::Tensor;
using amp_test::evaluated;
using amp_test::net;

}  // namespace

TEST_CASE("norms: all that torch computes, prints and saves", "[nn]") {
  amp_test::check_nets(
      "norms",
      {
          {"batch_norm1d", net(nn::BatchNorm1d(3))},
          {"batch_norm1d of sequences", net(nn::BatchNorm1d(3, {.bias = false}))},
          {"batch_norm1d in evaluation", evaluated(net(nn::BatchNorm1d(3)))},
          {"batch_norm1d cumulative", net(nn::BatchNorm1d(3, {.momentum = {}}))},
          {"batch_norm3d", net(nn::BatchNorm3d(2, {.eps = 0.1, .momentum = 0.3}))},
          {"batch_norm3d in evaluation", evaluated(net(nn::BatchNorm3d(2, {.affine = false})))},
          {"instance_norm1d", net(nn::InstanceNorm1d(3))},
          {"instance_norm1d without batch", net(nn::InstanceNorm1d(3, {.affine = true}))},
          {"instance_norm2d",
           net(nn::InstanceNorm2d(2, {.affine = true, .track_running_stats = true}))},
          {"instance_norm2d in evaluation",
           evaluated(net(nn::InstanceNorm2d(
               2, {.eps = 0.1, .affine = true, .track_running_stats = true, .bias = false})))},
          {"instance_norm3d",
           net(nn::InstanceNorm3d(2, {.momentum = 0.5, .track_running_stats = true}))},
          {"layer_norm without bias", net(nn::LayerNorm(4, {.bias = false}))},
          {"group_norm without bias", net(nn::GroupNorm(2, 4, {.bias = false}))},
      });
}

TEST_CASE("norms: batches are counted by batch norms, and by instance norms never", "[nn]") {
  const nn::BatchNorm1d batch(2);
  const nn::InstanceNorm1d instance(2, {.track_running_stats = true});
  const Tensor x = amp::randn({3, 2, 4});
  for (int i = 0; i < 2; ++i) {
    (void)batch(x);
    (void)instance(x);
  }
  CHECK(batch.num_batches_tracked.item<std::int64_t>() == 2);
  CHECK(instance.num_batches_tracked.item<std::int64_t>() == 0);
}

TEST_CASE("norms: inputs of another number of dimensions or channels are refused", "[nn]") {
  const nn::BatchNorm1d norm(2);
  CHECK_THROWS_WITH(norm(amp::ones({2})),
                    "BatchNorm1d: nn::BatchNorm1d: `x` must be [N, C] or [N, "
                    "C, L], but is float32[2]");
  CHECK_THROWS_AS(norm(amp::ones({2, 2, 2, 2})), amp::Error);
  CHECK_THROWS_AS(norm(amp::ones({2, 3})), amp::Error);
  CHECK_THROWS_AS(norm(amp::ones({1, 2})), amp::Error);  // one value is its own mean
  CHECK_THROWS_AS(norm(Tensor()), amp::Error);
  CHECK(norm.num_batches_tracked.item<std::int64_t>() == 0);
  CHECK_THROWS_AS(nn::BatchNorm2d(2)(amp::ones({2, 2, 2})), amp::Error);
  CHECK_THROWS_AS(nn::BatchNorm3d(2)(amp::ones({2, 2, 2, 2})), amp::Error);
  CHECK_THROWS_AS(nn::InstanceNorm1d(2)(amp::ones({2, 2, 2, 2})), amp::Error);
  CHECK_THROWS_AS(nn::InstanceNorm2d(2)(amp::ones({2, 2})), amp::Error);
  CHECK_THROWS_AS(nn::InstanceNorm3d(2, {.affine = true})(amp::ones({3, 2, 2, 2})), amp::Error);
  CHECK_THROWS_AS(nn::BatchNorm1d(-1), amp::Error);
  CHECK_THROWS_AS(nn::InstanceNorm3d()(amp::ones({2, 2, 2, 2})), amp::Error);
}

}  // namespace norm_layers
