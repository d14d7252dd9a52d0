// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// nn::summary(): rows, totals, what is counted, and that it leaves the model as it was.
#include <amp/amp.hpp>
#include <amp/nn/summary.hpp>

#include <sstream>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace summary_test {
namespace {

namespace nn = amp::nn;
using amp::Tensor;
using amp_test::error_of;
using Catch::Matchers::ContainsSubstring;

struct Block : nn::Layer<Block> {
  nn::Linear fc{register_module("fc", nn::Linear(4, 4))};
  Tensor scale = register_parameter("scale", amp::ones({4}));
  Tensor forward(const Tensor& x) const { return amp::matmul(fc(x) * scale, fc.weight); }
};
struct Net : nn::Layer<Net> {
  nn::Sequential body{register_module("body", nn::Sequential{Block(), nn::BatchNorm2d(2)})};
  nn::Linear head{register_module("head", nn::Linear(4, 3, {.bias = false}))};
  Tensor forward(const Tensor& x) const { return head(body(x)); }
};
/// Not a Layer: its forward is called as it is.
struct Plain : nn::Module {
  nn::Linear fc{register_module("fc", nn::Linear(2, 2))};
  Tensor forward(const Tensor& x, const Tensor& y) const { return fc(x) + fc(y); }
};
/// Calls an op of two tensors.
template <auto Op>
struct Calls : nn::Layer<Calls<Op>> {
  Tensor forward(const Tensor& a, const Tensor& b, const Tensor& c = {}) const {
    return Op(a, b, c);
  }
};

template <auto Op, class... Inputs>
std::int64_t counted(const Inputs&... inputs) {
  return nn::summary(Calls<Op>(), inputs...).multiply_adds;
}

Tensor x() { return amp::ones({2, 2, 3, 4}); }

}  // namespace

TEST_CASE("summary: a row for each call, in order", "[nn]") {
  const Net net;
  const nn::Summary summary = nn::summary(net, x());
  std::string calls;
  for (const nn::SummaryRow& row : summary.rows)
    calls += row.path + ':' + row.type + ':' + std::to_string(row.parameters) + ':' +
             std::to_string(row.multiply_adds) + ' ';
  CHECK(calls ==
        ":Net:0:0 body:Sequential:0:0 body.0:Block:4:192 body.0.fc:Linear:20:192 "
        "body.1:BatchNorm2d:4:0 head:Linear:12:144 ");
  CHECK(summary.rows[5].output == amp::Shape(2, 2, 3, 3));
  CHECK(summary.rows[5].dtype == amp::kFloat32);
  CHECK(summary.rows[3].bytes == 80);
  CHECK(summary.parameters == 40);
  CHECK(summary.trained == 40);
  CHECK(summary.bytes == 160);
  CHECK(summary.buffer_bytes == 2 * 2 * 4 + 8);
  CHECK(summary.multiply_adds == 528);
}

TEST_CASE("summary: dtypes are those of the results", "[nn]") {
  const Net net;
  net.head.weight.requires_grad_(false);
  const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kBFloat16});
  const nn::Summary summary = nn::summary(net, x());
  CHECK(summary.rows[5].dtype == amp::kBFloat16);
  CHECK(summary.rows[5].bytes == 48);
  CHECK(summary.trained == 28);
}

TEST_CASE("summary: modules that are not layers, several inputs, layers of no model", "[nn]") {
  const nn::Summary summary = nn::summary(Plain(), amp::ones({1, 2}), amp::ones({1, 2}));
  CHECK(summary.rows.size() == 2);
  CHECK(summary.parameters == 6);
  CHECK(summary.multiply_adds == 8);
  struct Outside : nn::Layer<Outside> {
    nn::ReLU* layer = nullptr;
    Tensor forward(const Tensor& input) const { return (*layer)(input); }
  } net;
  nn::ReLU relu;
  net.layer = &relu;
  const nn::Summary with_stranger = nn::summary(net, x());
  REQUIRE(with_stranger.rows.size() == 2);
  CHECK_FALSE(with_stranger.rows[1].returned_tensor);
}

TEST_CASE("summary: the model stays as it was", "[nn]") {
  const Net net;
  net.body.eval();
  net.body[0].train();
  (void)nn::summary(net, x());
  CHECK(net.is_training());
  CHECK_FALSE(net.body.is_training());
  CHECK(net.body[0].is_training());
  CHECK_FALSE(net.body[1].is_training());
  CHECK(net.body[1].buffers()[0].to_vector<double>() == std::vector<double>(2, 0));
  net.train();
  CHECK_THAT(error_of([&] {
               (void)nn::summary(net, amp::ones({1, 5}));
             }),
             ContainsSubstring("body.0.fc: linear"));
  CHECK(net.head.is_training());
  CHECK(net(x()).requires_grad());
  (void)nn::summary(net, x());
  CHECK_THROWS_AS(nn::summary(nn::Linear(), x()), amp::Error);
}

TEST_CASE("summary: multiplications are counted by shapes", "[nn]") {
  const auto ones = [](const amp::Shape& shape) { return amp::ones(shape); };
  constexpr auto kMatmul = [](Tensor a, Tensor b, Tensor) { return amp::matmul(a, b); };
  constexpr auto kAddmm = [](Tensor a, Tensor b, Tensor c) { return amp::addmm(a, b, c); };
  constexpr auto kConv1d = [](Tensor a, Tensor b, Tensor) {
    return amp::conv1d(a, b, {}, {.stride = 2, .groups = 2});
  };
  constexpr auto kTransposed = [](Tensor a, Tensor b, Tensor) {
    return amp::conv_transpose1d(a, b);
  };
  constexpr auto kAttention = [](Tensor a, Tensor b, Tensor c) {
    return amp::scaled_dot_product_attention(a, b, c);
  };
  constexpr auto kSum = [](Tensor a, Tensor b, Tensor) { return amp::softmax(a + b, 0); };
  CHECK(counted<kMatmul>(ones({5, 2, 3}), ones({3, 4})) == 5 * 2 * 3 * 4);
  CHECK(counted<kMatmul>(ones({3}), ones({3})) == 3);
  CHECK(counted<kAddmm>(ones({2, 4}), ones({2, 3}), ones({3, 4})) == 2 * 3 * 4);
  CHECK(counted<kConv1d>(ones({2, 4, 9}), ones({6, 2, 3})) == 2 * 6 * 4 * 2 * 3);
  CHECK(counted<kTransposed>(ones({2, 4, 5}), ones({4, 3, 2})) == 2 * 4 * 5 * 3 * 2);
  CHECK(counted<kAttention>(ones({2, 3, 4}), ones({2, 5, 4}), ones({2, 5, 6})) ==
        2 * 3 * 5 * (4 + 6));
  CHECK(counted<kSum>(ones({2, 4}), ones({2, 4})) == 0);
  CHECK(nn::summary(nn::Bilinear(2, 3, 4), ones({5, 2}), ones({5, 3})).multiply_adds ==
        5 * 2 * 3 * 4);
}

TEST_CASE("summary: as text", "[nn]") {
  const nn::Sequential net{nn::Linear(1000, 2), nn::ReLU()};
  std::ostringstream text;
  text << nn::summary(net, amp::ones({1, 1000}));
  CHECK(text.str() ==
        "Layer  Type        Output  Dtype    Parameters  Bytes  Multiply-adds\n"
        "-      Sequential  [1, 2]  float32           0      0              0\n"
        "0      Linear      [1, 2]  float32       2,002  8,008          2,000\n"
        "1      ReLU        [1, 2]  float32           0      0              0\n"
        "Total: 2,002 parameters, 2,002 of them trained, in 8,008 bytes; buffers in 0 bytes; 2,000 "
        "multiply-adds\n");
}

}  // namespace summary_test
