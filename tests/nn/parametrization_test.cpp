// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Weights that are computed: weight_norm, spectral_norm, and their removal.
#include <amp/amp.hpp>

#include <string>
#include <vector>

#include "nn/names.hpp"
#include "nn/nets.hpp"
#include "support/catch.hpp"
#include "support/numbers.hpp"

namespace parametrizations {
namespace {

namespace nn = amp::nn;
using amp::Tensor;
using amp_test::difference;
using amp_test::evaluated;
using amp_test::names;
using amp_test::Names;
using amp_test::net;
using amp_test::numbers;
using amp_test::same_bits;
using amp_test::Tensors;

amp_test::Net recurrent() {
  return net(nn::weight_norm(nn::GRU(1, 1), "weight_hh_l0"),
             [](const nn::GRU& gru, const Tensors& x) -> Tensors {
               const auto [output, h] = gru(x[0]);
               return {output, h};
             });
}

}  // namespace

TEST_CASE("parametrizations: all that torch computes, prints and saves", "[nn]") {
  amp_test::check_nets(
      "parametrizations",
      {
          {"weight_norm", net(nn::weight_norm(nn::Conv1d(2, 2, 2)))},
          {"weight_norm of columns",
           net(nn::weight_norm(nn::Linear(3, 2, {.bias = false}), "weight", 1))},
          {"weight_norm of all", net(nn::weight_norm(nn::ConvTranspose1d(2, 1, 2), "weight", -1))},
          {"weight_norm of a bias",
           net(nn::weight_norm(nn::weight_norm(nn::Linear(2, 2), "bias")))},
          {"weight_norm of recurrence", recurrent()},
          {"spectral_norm", net(nn::spectral_norm(nn::Linear(3, 2)))},
          {"spectral_norm in evaluation", evaluated(net(nn::spectral_norm(nn::Conv2d(1, 2, 2))))},
          {"spectral_norm of columns",
           net(nn::spectral_norm(nn::ConvTranspose1d(2, 3, 2), "weight", 3))},
          {"spectral_norm of a bias", net(nn::spectral_norm(nn::Linear(2, 2), "bias"))},
      });
}

TEST_CASE("parametrizations: weight_norm changes no value, and removal brings them back", "[nn]") {
  struct Net : nn::Layer<Net> {
    nn::Conv1d conv{register_module("conv", nn::weight_norm(nn::Conv1d(2, 3, 2)))};
    Tensor forward(const Tensor& x) const { return conv(x); }
  };
  const Net net;
  const nn::Conv1d plain(2, 3, 2);
  const Tensor x = numbers({1, 2, 5}, 1, amp::kFloat32);
  CHECK(names(net.state_dict()) == Names{"conv.bias", "conv.parametrizations.weight.original0",
                                         "conv.parametrizations.weight.original1"});
  const Tensor before = net(x);
  const Tensor by_hand = amp::conv1d(x, net.conv.weight, net.conv.bias);  // v, and g is its norm
  CHECK(difference(before.to_vector<double>(), by_hand.to_vector<double>()) < 1e-6);
  const Tensor lengths = net.conv.parameters()[1].detach();
  lengths.copy_(lengths * 2);
  const Tensor twice = net(x);
  CHECK_FALSE(same_bits(twice, before));
  (void)nn::remove_weight_norm(net.conv);
  CHECK(names(net.state_dict()) == Names{"conv.bias", "conv.weight"});
  CHECK(same_bits(net(x), twice));
  CHECK(nn::to_string(net.conv) == nn::to_string(plain));
  amp::sum(net(x)).backward();
  CHECK(net.conv.weight.grad().defined());
  CHECK_THROWS_WITH(nn::remove_weight_norm(net.conv),
                    "remove_parametrizations: \"weight\" is not computed in this module");
}

TEST_CASE("parametrizations: clones have their own, and saved state is loaded", "[nn]") {
  const nn::Linear layer = nn::spectral_norm(nn::weight_norm(nn::Linear(3, 2), "bias"));
  const Tensor x = numbers({4, 3}, 1, amp::kFloat32);
  layer.eval();
  const nn::Linear clone = layer.clone();
  CHECK(same_bits(clone(x), layer(x)));
  const nn::Linear other = nn::spectral_norm(nn::weight_norm(nn::Linear(3, 2), "bias"));
  other.load_state_dict(layer.state_dict());
  other.eval();
  CHECK(same_bits(other(x), layer(x)));
  layer.weight.detach().copy_(numbers({2, 3}, 2, amp::kFloat32));
  CHECK_FALSE(same_bits(clone(x), layer(x)));
  CHECK(same_bits(other(x), clone(x)));
}

TEST_CASE("spectral_norm: the largest singular value becomes 1", "[nn]") {
  amp::manual_seed(3);
  const nn::Linear layer = nn::spectral_norm(nn::Linear(4, 4, {.bias = false}));
  const auto largest = [&] {  // by many steps of the power method on what the layer computes
    Tensor v = amp::ones({1, 4});
    const Tensor matrix = layer(amp::eye(4)).detach();
    for (int i = 0; i < 200; ++i)
      v = amp::normalize(amp::matmul(amp::matmul(v, matrix), matrix.t()));
    return amp::norm(amp::matmul(v, matrix)).item<double>();
  };
  for (int i = 0; i < 100; ++i) (void)layer(amp::ones({1, 4}));
  CHECK(largest() == Approx(1).epsilon(1e-3));
  layer.eval();
  const Tensor u = layer.named_buffers()[0].second.clone();
  (void)layer(amp::ones({1, 4}));
  CHECK(same_bits(layer.named_buffers()[0].second, u));  // no step in evaluation
  layer.train();
  const Tensor loss = amp::sum(layer(amp::eye(4))) - amp::sum(layer(amp::eye(4)));
  loss.backward();  // of two calls
  CHECK(layer.weight.grad().defined());
}

TEST_CASE("spectral_norm: a recomputation makes no step of its own", "[nn]") {
  amp::manual_seed(4);
  const nn::Linear layer = nn::spectral_norm(nn::Linear(3, 3)), other = layer.clone();
  const Tensor x = numbers({2, 3}, 1, amp::kFloat32).requires_grad_();
  amp::sum(amp::checkpoint([&](const Tensor& y) { return layer(y); }, x)).backward();
  amp::sum(other(x)).backward();
  CHECK(same_bits(layer.named_buffers()[0].second, other.named_buffers()[0].second));
  CHECK(same_bits(layer.weight.grad(), other.weight.grad()));
}

TEST_CASE("parametrizations: under autocast the norm is computed in float32", "[nn]") {
  const nn::Linear layer = nn::weight_norm(nn::Linear(4, 4));
  layer.weight.detach().copy_(layer.weight.detach() *
                              1e-6);  // whose squares bfloat16 holds, and float16 does not
  const Tensor x = numbers({2, 4}, 1, amp::kFloat32), expected = layer(x);
  const amp::AutocastGuard guard(amp::kCPU, {.dtype = amp::kFloat16});
  const Tensor y = layer(x);
  CHECK(y.dtype() == amp::kFloat16);
  CHECK(difference(y.to_vector<double>(), expected.to_vector<double>()) < 5e-3);
}

TEST_CASE("parametrizations: what cannot be computed is refused, and changes nothing", "[nn]") {
  const nn::Linear layer(3, 2);
  CHECK_THROWS_WITH(nn::weight_norm(layer, "wheel"),
                    "weight_norm: there is no parameter \"wheel\" in this module, but \"weight\", "
                    "\"bias\"");
  CHECK_THROWS_AS(nn::weight_norm(nn::Linear(3, 2, {.bias = false}), "bias"), amp::Error);
  CHECK_THROWS_AS(nn::weight_norm(layer, "weight", 2), amp::Error);
  CHECK_THROWS_AS(nn::weight_norm(layer, "weight", -2), amp::Error);
  CHECK_THROWS_AS(nn::spectral_norm(layer, "weight", 0), amp::Error);
  CHECK_THROWS_AS(nn::spectral_norm(layer, "weight", 1, 1e-12, 5), amp::Error);
  CHECK_THROWS_AS(nn::spectral_norm(nn::Linear()), amp::Error);
  CHECK(names(layer.state_dict()) == Names{"weight", "bias"});
  (void)nn::weight_norm(layer);
  CHECK_THROWS_AS(nn::weight_norm(layer), amp::Error);
  CHECK_THROWS_AS(nn::spectral_norm(layer), amp::Error);
}

}  // namespace parametrizations
