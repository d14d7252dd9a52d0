// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The networks whose training steps are measured, and their initial weights. pytorch_worker.py has
// the same.
#pragma once

#include <amp/amp.hpp>

#include <cmath>
#include <cstdint>
#include <string>

#include "on_amp.hpp"

namespace cpu_benchmark {

namespace nn = amp::nn;

/// Weights by their fan-in; biases are small; weights of norms are close to 1.
inline void initialise(const nn::Module& module) {
  std::uint32_t seed = 0;
  const amp::NoGradGuard no_grad;
  for (const auto& [name, parameter] : module.named_parameters()) {
    const bool is_matrix = parameter.dim() > 1;
    const double fan_in = static_cast<double>(parameter.numel() / parameter.size(0));
    const double bound = is_matrix ? 1 / std::sqrt(fan_in) : 0.02;
    const Tensor values = numbers(parameter.shape(), ++seed, static_cast<float>(bound));
    parameter.copy_(!is_matrix && name.ends_with("weight") ? values + 1 : values);
  }
}

/// The network of examples/train_cnn.cpp: 32x32 images in, a score for each of 10 classes out.
struct Cnn : nn::Module {
  nn::Conv2d conv1{register_module("conv1", nn::Conv2d(3, 32, 3, {.padding = 1, .relu = true}))};
  nn::Conv2d conv2{register_module("conv2", nn::Conv2d(32, 64, 3, {.padding = 1, .relu = true}))};
  nn::Linear linear1{register_module("linear1", nn::Linear(4096, 256))};
  nn::Linear linear2{register_module("linear2", nn::Linear(256, 10))};

  [[nodiscard]] Tensor forward(const Tensor& images) const {
    Tensor x = amp::max_pool2d(conv1(images), 2);
    x = amp::max_pool2d(conv2(x), 2);
    return linear2(amp::relu(linear1(x.flatten(1))));
  }
};

struct Mlp : nn::Module {
  nn::Linear first{register_module("first", nn::Linear(784, 256))};
  nn::Linear last{register_module("last", nn::Linear(256, 10))};

  [[nodiscard]] Tensor forward(const Tensor& x) const { return last(amp::relu(first(x))); }
};

constexpr std::int64_t kTokens = 256, kVocabulary = 65, kWidth = 384, kHeads = 6;

/// A transformer block: causal attention, and a network of two layers.
template <std::int64_t Width, std::int64_t Heads>
struct TransformerBlock : nn::Module {
  nn::LayerNorm norm1{register_module("norm1", nn::LayerNorm({Width}))};
  nn::Linear qkv{register_module("qkv", nn::Linear(Width, 3 * Width))};
  nn::Linear projection{register_module("projection", nn::Linear(Width, Width))};
  nn::LayerNorm norm2{register_module("norm2", nn::LayerNorm({Width}))};
  nn::Linear wide{register_module("wide", nn::Linear(Width, 4 * Width))};
  nn::Linear narrow{register_module("narrow", nn::Linear(4 * Width, Width))};

  [[nodiscard]] Tensor attend(const Tensor& x) const {  // [batch, tokens, width]
    const Tensor all = qkv(x);
    const auto heads = [&](std::int64_t part) {  // [batch, heads, tokens, width / heads]
      return all.narrow(-1, part * Width, Width)
          .reshape({x.size(0), x.size(1), Heads, Width / Heads})
          .transpose(1, 2);
    };
    const Tensor attended =
        amp::scaled_dot_product_attention(heads(0), heads(1), heads(2), {}, 0.0, true);
    return projection(attended.transpose(1, 2).reshape(x.shape()));
  }
  [[nodiscard]] Tensor forward(const Tensor& input) const {
    const Tensor x = input + attend(norm1(input));
    return x + narrow(amp::gelu(wide(norm2(x))));
  }
};
using Block = TransformerBlock<kWidth, kHeads>;

/// Tokens [batch, tokens] -> scores of the next token [batch * tokens, vocabulary].
struct Gpt : nn::Module {
  nn::Embedding token{register_module("token", nn::Embedding(kVocabulary, kWidth))};
  nn::Embedding position{register_module("position", nn::Embedding(kTokens, kWidth))};
  Block block1{register_module("block1", Block())};
  Block block2{register_module("block2", Block())};
  nn::LayerNorm norm{register_module("norm", nn::LayerNorm({kWidth}))};
  nn::Linear head{register_module("head", nn::Linear(kWidth, kVocabulary))};
  Tensor positions = amp::arange(kTokens, {.dtype = amp::kInt64});

  [[nodiscard]] Tensor forward(const Tensor& tokens) const {
    Tensor x = token(tokens) + position(positions);
    x = block2.forward(block1.forward(x));
    return head(norm(x)).flatten(0, 1);
  }
};

}  // namespace cpu_benchmark
