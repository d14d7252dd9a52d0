// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A variational autoencoder (Kingma and Welling 2013, arXiv:1312.6114) of convolutions: an encoder
// gives the normal distribution of an image's code, a decoder the probability that each pixel is
// white.
#pragma once

#include "models/run.hpp"

#include <amp/amp.hpp>

#include <cstdint>
#include <vector>

namespace examples::vae {

namespace nn = amp::nn;
using amp::Tensor;

inline constexpr std::int64_t kLatents = 20;

struct VAE : nn::Module {
  nn::Sequential encoder, decoder;

  explicit VAE(std::int64_t side = 28, std::int64_t width = 32, std::int64_t latents = kLatents)
      : encoder(nullptr), decoder(nullptr) {
    const std::int64_t n = side / 4, features = 2 * width * n * n;
    encoder = register_module(
        "encoder", nn::Sequential{nn::Conv2d(1, width, 4, {.stride = 2, .padding = 1}), nn::ReLU(),
                                  nn::Conv2d(width, 2 * width, 4, {.stride = 2, .padding = 1}),
                                  nn::ReLU(), nn::Flatten(), nn::Linear(features, 2 * latents)});
    decoder = register_module(
        "decoder",
        nn::Sequential{nn::Linear(latents, features), nn::ReLU(),
                       nn::Unflatten(1, {2 * width, n, n}),
                       nn::ConvTranspose2d(2 * width, width, 4, {.stride = 2, .padding = 1}),
                       nn::ReLU(), nn::ConvTranspose2d(width, 1, 4, {.stride = 2, .padding = 1})});
  }

  /// The negative of the lower bound of log p(image), averaged over the images. `noise` [N, latents]
  /// is normal: the code of an image is drawn with it.
  Tensor loss(const Tensor& images, const Tensor& noise) const {
    const std::vector<Tensor> code = encoder(images).chunk(2, 1);
    const Tensor &mean = code[0], &log_variance = code[1];
    const Tensor logits = decoder(mean + noise * (log_variance / 2).exp());
    const Tensor error = amp::binary_cross_entropy_with_logits(logits, images, amp::kSum);
    const Tensor divergence = (mean.square() + log_variance.exp() - log_variance - 1).sum() / 2;
    return (error + divergence) / images.size(0);
  }
};

struct Training {
  VAE model;
  Precision precision;
  double lr = 1e-3;
  amp::GradScaler scaler{precision.scaler};
  amp::Adam optimizer{model.named_parameters(), {.lr = lr}};

  Tensor step(const Tensor& images, const Tensor& noise) {
    Tensor loss;
    {
      const amp::AutocastGuard scope(amp::kCPU, precision.autocast);
      loss = model.loss(images, noise);
    }
    optimizer.zero_grad();
    scaler.scale(loss).backward();
    scaler.step(optimizer);
    scaler.update();
    return loss;
  }
};

}  // namespace examples::vae
