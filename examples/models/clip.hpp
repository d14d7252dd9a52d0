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

struct TextEncoder : nn::Layer<TextEncoder> {
  Tensor positions;
  nn::Embedding embedding;
  nn::TransformerEncoder encoder;

  TextEncoder(std::int64_t width, std::int64_t heads, std::int64_t layers)
      : positions(register_parameter("positions", amp::randn({kLength, width}))),
        embedding(register_module("embedding", nn::Embedding(128, width))) {
    const nn::TransformerEncoderLayer layer(width, heads,
                                            {.dim_feedforward = 4 * width,
                                             .dropout = 0,
                                             .activation = nn::GELU(),
                                             .batch_first = true,
                                             .norm_first = true});
    encoder =
        register_module("encoder", nn::TransformerEncoder(layer, layers, nn::LayerNorm({width})));
  }

  Tensor forward(const Tensor& tokens) const {
    const Tensor x = encoder(embedding(tokens) + positions, {.is_causal = true});
    return x.index({amp::arange(x.size(0)), tokens.argmax(1)});  // at the end token
  }
};

inline nn::Sequential halve(std::int64_t in, std::int64_t out) {
  return nn::Sequential{nn::Conv2d(in, out, 3, {.stride = 2, .padding = 1, .bias = false}),
                        nn::BatchNorm2d(out), nn::GELU()};
}

struct CLIP : nn::Module {
  Tensor logit_scale;
  TextEncoder text_encoder;
  nn::Sequential image_encoder;
  nn::Linear text_projection, image_projection;

  explicit CLIP(std::int64_t width = 64, std::int64_t heads = 4, std::int64_t layers = 2)
      : logit_scale(register_parameter("logit_scale", amp::tensor(std::log(1 / 0.07F)))),
        text_encoder(register_module("text_encoder", TextEncoder(width, heads, layers))),
        image_encoder(register_module(
            "image_encoder",
            nn::Sequential{halve(3, width), halve(width, 2 * width), halve(2 * width, 4 * width),
                           nn::AdaptiveAvgPool2d(1), nn::Flatten()})),
        text_projection(
            register_module("text_projection", nn::Linear(width, width, {.bias = false}))),
        image_projection(
            register_module("image_projection", nn::Linear(4 * width, width, {.bias = false}))) {}

  Tensor encode_text(const Tensor& tokens) const {
    return amp::normalize(text_projection(text_encoder(tokens)), 2, -1);
  }

  Tensor encode_images(const Tensor& images) const {
    return amp::normalize(image_projection(image_encoder(images)), 2, -1);
  }

  Tensor forward(const Tensor& images, const Tensor& tokens) const {
    return (logit_scale.exp() * encode_images(images)).matmul(encode_text(tokens).T());
  }
};

/// Only matrices decay.
inline amp::AdamW make_optimizer(const CLIP& model, amp::AdamOptions options) {
  amp::NamedTensors matrices, others;
  for (const auto& entry : model.named_parameters())
    (entry.second.dim() > 1 ? matrices : others).push_back(entry);
  amp::AdamOptions without_decay = options;
  without_decay.weight_decay = 0;
  return amp::AdamW(
      {{.params = matrices, .options = options}, {.params = others, .options = without_decay}});
}

struct Training {
  CLIP model;
  amp::AutocastOptions autocast;
  amp::GradScaler scaler;
  amp::AdamW optimizer;

  Training(const CLIP& network, const Precision& precision, std::int64_t steps, double lr = 1e-3,
           std::int64_t warmup = 50)
      : model(network),
        autocast(precision.autocast),
        scaler(precision.scaler),
        optimizer(make_optimizer(
            model, {.lr = lr,
                    .beta2 = 0.98,
                    .eps = 1e-6,
                    .weight_decay = 0.1,
                    .schedule = amp::sequence_schedule(
                        {amp::warmup_schedule(warmup), amp::cosine_schedule(steps - warmup)},
                        {warmup})})) {}

  Tensor step(const Tensor& images, const Tensor& tokens) {
    Tensor loss;
    {
      const amp::AutocastGuard scope(amp::kCPU, autocast);
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
