// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A language model of characters: an LSTM of two layers (Hochreiter and Schmidhuber 1997), whose
// last layer shares its weights with the embedding (Press and Wolf 2016, arXiv:1608.05859).
#pragma once

#include "models/run.hpp"

#include <amp/amp.hpp>

#include <cstdint>
#include <utility>

namespace examples::lstm_text {

namespace nn = amp::nn;
using amp::Tensor;

struct LanguageModel : nn::Module {
  nn::Embedding embedding;
  nn::LSTM lstm;
  nn::Dropout dropout;
  nn::Linear head;

  explicit LanguageModel(std::int64_t characters, std::int64_t width = 256, double p = 0.2) {
    const nn::LSTMOptions two_layers{.num_layers = 2, .batch_first = true, .dropout = p};
    embedding = register_module("embedding", nn::Embedding(characters, width));
    lstm = register_module("lstm", nn::LSTM(width, width, two_layers));
    dropout = register_module("dropout", nn::Dropout(p));
    head = register_module("head", nn::Linear(width, characters));
    nn::init::uniform_(embedding.weight, -0.1, 0.1);
    head.replace_parameter("weight", embedding.weight);
  }

  /// The scores [N, T, characters] of the characters that follow on each of these [N, T], and the
  /// state behind them.
  std::pair<Tensor, amp::LstmState> forward(const Tensor& x, const amp::LstmState& state) const {
    const auto [output, h, c] = lstm(dropout(embedding(x)), state);
    return {head(dropout(output)), {h, c}};
  }
};

struct Training {
  LanguageModel model;
  Precision precision;
  std::int64_t steps;
  double lr = 3e-3, max_norm = 1;
  amp::GradScaler scaler{precision.scaler};
  amp::AdamW optimizer{model.named_parameters(),
                       {.lr = lr, .schedule = amp::cosine_schedule(steps)}};
  amp::LstmState state = {};  // behind the characters of the last step

  /// `x` [N, T] goes on where the last step ended, but gradients stop there; `y` is one character
  /// ahead.
  Tensor step(const Tensor& x, const Tensor& y) {
    Tensor loss;
    {
      const amp::AutocastGuard scope(amp::kCPU, precision.autocast);
      const auto [scores, last] = model.forward(x, state);
      loss = amp::cross_entropy(scores.flatten(0, 1), y.flatten());
      state = {last.h.detach(), last.c.detach()};
    }
    optimizer.zero_grad();
    scaler.scale(loss).backward();
    scaler.unscale_and_clip(optimizer, max_norm);
    scaler.step(optimizer);
    scaler.update();
    return loss;
  }
};

}  // namespace examples::lstm_text
