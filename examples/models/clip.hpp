// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Contrastive training of images and captions (CLIP: Radford et al. 2021, arXiv:2103.00020).
#pragma once

#include "models/run.hpp"

#include <amp/amp.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace examples::clip {

namespace nn = amp::nn;
using amp::Tensor;

inline constexpr std::int64_t kLength = 24;  // tokens of a caption
inline constexpr char kEnd = '\x7f';         // the token with the highest number

/// A token for each character, the end token, and zeros.
inline Tensor tokenize(const std::vector<std::string>& captions) {
  std::vector<std::int64_t> tokens;
  for (std::string caption : captions) {
    (caption += kEnd).resize(kLength);
    tokens.insert(tokens.end(), caption.begin(), caption.end());
  }
  return amp::tensor(tokens, {captions.size(), kLength});
}

inline nn::Sequential halve(std::int64_t in, std::int64_t out) {
  return nn::Sequential{nn::Conv2d(in, out, 3, {.stride = 2, .padding = 1, .bias = false}),
                        nn::BatchNorm2d(out), nn::GELU()};
}

struct CLIP : nn::Module {
  std::int64_t width, heads, layers;
  Tensor logit_scale{register_parameter("logit_scale", amp::tensor(std::log(1 / 0.07F)))};
  Tensor positions{register_parameter("positions", amp::randn({kLength, width}))};
  nn::Embedding embedding{register_module("embedding", nn::Embedding(128, width))};
  nn::TransformerEncoder transformer{register_module(
      "transformer",
      nn::TransformerEncoder(nn::TransformerEncoderLayer(width, heads,
                                                         {.dim_feedforward = 4 * width,
                                                          .dropout = 0,
                                                          .activation = nn::GELU(),
                                                          .batch_first = true,
                                                          .norm_first = true}),
                             layers, nn::LayerNorm({width})))};
  nn::Sequential image_encoder{register_module(
      "image_encoder",
      nn::Sequential{halve(3, width), halve(width, 2 * width), halve(2 * width, 4 * width),
                     nn::AdaptiveAvgPool2d(1), nn::Flatten(),
                     nn::Linear(4 * width, width, {.bias = false})})};
  nn::Linear projection{register_module("projection", nn::Linear(width, width, {.bias = false}))};

  explicit CLIP(std::int64_t w = 64, std::int64_t h = 4, std::int64_t l = 2)
      : width(w), heads(h), layers(l) {}

  Tensor encode_text(const Tensor& tokens) const {
    Tensor x = transformer(embedding(tokens) + positions, {.is_causal = true});
    x = x.index({amp::arange(x.size(0)), tokens.argmax(1)});  // at the end token
    return amp::normalize(projection(x));
  }

  Tensor encode_images(const Tensor& images) const { return amp::normalize(image_encoder(images)); }

  Tensor forward(const Tensor& images, const Tensor& tokens) const {
    return (logit_scale.exp() * encode_images(images)).matmul(encode_text(tokens).T());
  }
};

/// Weights of matrices and kernels decay, others do not.
inline amp::AdamW make_optimizer(const CLIP& model, double lr, const amp::Schedule& schedule) {
  amp::NamedTensors matrices, others;
  for (const auto& entry : model.named_parameters())
    (entry.second.dim() > 1 ? matrices : others).push_back(entry);
  return amp::AdamW(
      {{.params = matrices, .options = {.lr = lr, .weight_decay = 0.2, .schedule = schedule}},
       {.params = others, .options = {.lr = lr, .weight_decay = 0, .schedule = schedule}}});
}

struct Training {
  CLIP model;
  Precision precision;
  std::int64_t steps;
  double lr = 1e-3;
  std::int64_t warmup = 50;
  amp::Schedule schedule =
      amp::chained_schedule({amp::warmup_schedule(warmup), amp::cosine_schedule(steps)});
  amp::GradScaler scaler{precision.scaler};
  amp::AdamW optimizer = make_optimizer(model, lr, schedule);

  Tensor step(const Tensor& images, const Tensor& tokens) {
    Tensor loss;
    {
      const amp::AutocastGuard scope(amp::kCPU, precision.autocast);
      const Tensor logits = model.forward(images, tokens);
      const Tensor pairs = amp::arange(logits.size(0));
      loss = (amp::cross_entropy(logits, pairs) + amp::cross_entropy(logits.T(), pairs)) / 2;
    }
    optimizer.zero_grad();
    scaler.scale(loss).backward();
    scaler.step(optimizer);
    scaler.update();
    const amp::NoGradGuard no_grad;
    model.logit_scale.clamp_(0, std::log(100));
    return loss;
  }
};

}  // namespace examples::clip
