// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Layers of transformers, encoders, decoders, and both together.
#include <amp/amp.hpp>

#include <string>

#include "nn/nets.hpp"
#include "support/catch.hpp"
#include "support/error_of.hpp"
#include "support/numbers.hpp"

namespace transformer_layers {
namespace {

namespace nn = amp::nn;
using amp::Tensor;
using amp_test::added;
using amp_test::evaluated;
using amp_test::mask;
using amp_test::net;
using amp_test::numbers;
using amp_test::Tensors;

const nn::TransformerLayerOptions kSmall{.dim_feedforward = 2, .dropout = 0};
nn::TransformerLayerOptions all_options() {
  return {.dim_feedforward = 3,
          .dropout = 0.5,
          .activation = nn::GELU(),
          .layer_norm_eps = 0.5,
          .batch_first = true,
          .norm_first = true,
          .bias = false};
}

/// Called with two inputs.
template <class M>
amp_test::Net of_two(const M& module) {
  return net(module, [](const M& m, const Tensors& x) -> Tensors { return {m(x[0], x[1])}; });
}

amp_test::Net masked_encoder_layer() {
  return net(nn::TransformerEncoderLayer(2, 1, all_options()),
             [](const nn::TransformerEncoderLayer& m, const Tensors& x) -> Tensors {
               return {m(x[0], {.src_mask = mask({3, 3}), .src_key_padding_mask = mask({2, 3})})};
             });
}
amp_test::Net masked_decoder_layer() {
  return net(nn::TransformerDecoderLayer(2, 1, all_options()),
             [](const nn::TransformerDecoderLayer& m, const Tensors& x) -> Tensors {
               return {m(x[0], x[1],
                         {.memory_mask = mask({3, 2}),
                          .tgt_key_padding_mask = added({1, 3}, x[0].dtype()),
                          .memory_key_padding_mask = mask({1, 2}),
                          .tgt_is_causal = true})};
             });
}
amp_test::Net encoder() {
  const nn::TransformerEncoderLayer layer(
      2, 1, {.dim_feedforward = 2, .dropout = 0, .layer_norm_eps = 0.5, .batch_first = true});
  return net(nn::TransformerEncoder(layer, 2, nn::LayerNorm({2}, {.eps = 0.5})),
             [](const nn::TransformerEncoder& m, const Tensors& x) -> Tensors {
               return {m(x[0], {.mask = mask({3, 3})})};
             });
}
amp_test::Net transformer() {
  return net(nn::Transformer(2, 1,
                             {.num_encoder_layers = 1,
                              .num_decoder_layers = 1,
                              .dim_feedforward = 1,
                              .dropout = 0,
                              .layer_norm_eps = 0.5}),
             [](const nn::Transformer& m, const Tensors& x) -> Tensors {
               return {m(x[0], x[1],
                         {.src_key_padding_mask = mask({1, 3}),
                          .memory_key_padding_mask = mask({1, 3}),
                          .tgt_is_causal = true})};
             });
}

}  // namespace

TEST_CASE("transformers: all that torch computes, prints and saves", "[nn]") {
  amp_test::check_nets(
      "transformers",
      {
          {"encoder layer", net(nn::TransformerEncoderLayer(4, 2, kSmall))},
          {"encoder layer with all options", evaluated(masked_encoder_layer())},
          {"decoder layer", of_two(nn::TransformerDecoderLayer(4, 2, kSmall))},
          {"decoder layer with all options", evaluated(masked_decoder_layer())},
          {"encoder", encoder()},
          {"decoder", of_two(nn::TransformerDecoder(
                          nn::TransformerDecoderLayer(
                              2, 1, {.dim_feedforward = 2, .dropout = 0, .layer_norm_eps = 0.5}),
                          2))},
          {"transformer", transformer()},
      });
}

TEST_CASE("transformers: layers of a stack start alike, and are trained apart", "[nn]") {
  const nn::TransformerEncoderLayer layer(4, 2, kSmall);
  const nn::TransformerEncoder encoder(layer, 2);
  CHECK(amp_test::same_bits(encoder.layers[0].linear1.weight, encoder.layers[1].linear1.weight));
  CHECK_FALSE(encoder.layers[0].linear1.weight.is_same(layer.linear1.weight));
  const nn::TransformerEncoder clone = encoder.clone();
  encoder.layers[0].linear1.weight.detach().zero_();
  CHECK_FALSE(amp_test::same_bits(encoder.layers[0].linear1.weight, layer.linear1.weight));
  CHECK(amp_test::same_bits(clone.layers[0].linear1.weight, layer.linear1.weight));
  CHECK(encoder.named_parameters().size() == 24);
  CHECK(nn::TransformerEncoder(layer, 0)(amp::ones({1, 1, 4})).shape() == amp::Shape(1, 1, 4));
}

TEST_CASE("transformers: a mask of generate_square_subsequent_mask is causal", "[nn]") {
  const Tensor pairs = nn::Transformer::generate_square_subsequent_mask(3);
  const double inf = HUGE_VAL;
  CHECK(pairs.to_vector<double>() == std::vector<double>{0, -inf, -inf, 0, 0, -inf, 0, 0, 0});
  const nn::TransformerEncoderLayer layer(4, 2, kSmall);
  const Tensor x = numbers({3, 2, 4}, 1, amp::kFloat32);
  CHECK(amp_test::difference(layer(x, {.src_mask = pairs}).to_vector<double>(),
                             layer(x, {.is_causal = true}).to_vector<double>()) < 1e-5);
}

TEST_CASE("transformers: activations are any function, and dropout is for training", "[nn]") {
  amp::manual_seed(1);
  const nn::TransformerEncoderLayer layer(
      4, 2,
      {.dim_feedforward = 8, .dropout = 0.5, .activation = [](const Tensor& x) { return x * 0; }});
  const Tensor x = amp::randn({3, 2, 4});
  CHECK_FALSE(amp_test::same_bits(layer(x), layer(x)));
  layer.eval();
  CHECK(amp_test::same_bits(layer(x), layer(x)));
  amp::sum(layer(x)).backward();
  CHECK(amp::count_nonzero(layer.linear1.weight.grad()).item<std::int64_t>() == 0);
}

TEST_CASE("transformers: errors name the layer that refuses", "[nn]") {
  const nn::Transformer net(
      4, 2, {.num_encoder_layers = 1, .num_decoder_layers = 1, .dim_feedforward = 2});
  const std::string error = amp_test::error_of([&] {
    (void)net(amp::ones({3, 1, 4}), amp::ones({2, 1, 5}));
  });
  CHECK(error.starts_with("decoder.layers.0.self_attn: nn::MultiheadAttention: expected"));
  CHECK_THROWS_AS(net(amp::ones({3, 1, 4}), amp::ones({2, 2, 4})), amp::Error);
  CHECK_THROWS_AS(net(Tensor(), Tensor()), amp::Error);
  CHECK_THROWS_AS(nn::TransformerEncoderLayer(4, 3), amp::Error);
  CHECK_THROWS_AS((nn::TransformerEncoderLayer(4, 2, {.dropout = 2})), amp::Error);
  CHECK_THROWS_AS((nn::TransformerDecoderLayer(4, 2, {.dim_feedforward = -1})), amp::Error);
  CHECK_THROWS_AS(nn::TransformerEncoder(nn::TransformerEncoderLayer(4, 2, kSmall), -1),
                  amp::Error);
  CHECK_THROWS_AS(nn::TransformerEncoder(nn::TransformerEncoderLayer(), 1), amp::Error);
  CHECK_THROWS_AS(nn::Transformer()(amp::ones({3, 1, 4}), amp::ones({2, 1, 4})), amp::Error);
}

}  // namespace transformer_layers
