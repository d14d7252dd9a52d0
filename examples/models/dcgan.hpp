// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// DCGAN (Radford et al. 2015, arXiv:1511.06434) for images of 32 by 32 pixels: a generator draws
// images from noise, and a discriminator tells them from real ones.
#pragma once

#include "models/run.hpp"

#include <amp/amp.hpp>

#include <cstdint>

namespace examples::dcgan {

namespace nn = amp::nn;
using amp::Tensor;

/// The weights that the paper starts with.
inline void init_weights(const nn::Module& net) {
  net.apply([](const nn::Conv2d& conv) { nn::init::normal_(conv.weight, 0, 0.02); },
            [](const nn::ConvTranspose2d& conv) { nn::init::normal_(conv.weight, 0, 0.02); },
            [](const nn::BatchNorm2d& norm) { nn::init::normal_(norm.weight, 1, 0.02); });
}

inline nn::Sequential up(std::int64_t in, std::int64_t out, std::int64_t stride,
                         std::int64_t padding) {
  return nn::Sequential{
      nn::ConvTranspose2d(in, out, 4, {.stride = stride, .padding = padding, .bias = false}),
      nn::BatchNorm2d(out), nn::ReLU()};
}

/// [N, noise, 1, 1] -> [N, 3, 32, 32], with values from -1 to 1.
inline nn::Sequential make_generator(std::int64_t noise, std::int64_t width) {
  return nn::Sequential{
      up(noise, 4 * width, 1, 0), up(4 * width, 2 * width, 2, 1), up(2 * width, width, 2, 1),
      nn::ConvTranspose2d(width, 3, 4, {.stride = 2, .padding = 1, .bias = false}), nn::Tanh()};
}

inline nn::Sequential down(std::int64_t in, std::int64_t out) {
  return nn::Sequential{nn::Conv2d(in, out, 4, {.stride = 2, .padding = 1, .bias = false}),
                        nn::BatchNorm2d(out), nn::LeakyReLU(0.2)};
}

/// [N, 3, 32, 32] -> [N]: how real each image looks, as a logit.
inline nn::Sequential make_discriminator(std::int64_t width) {
  return nn::Sequential{nn::Conv2d(3, width, 4, {.stride = 2, .padding = 1, .bias = false}),
                        nn::LeakyReLU(0.2),
                        down(width, 2 * width),
                        down(2 * width, 4 * width),
                        nn::Conv2d(4 * width, 1, 4, {.bias = false}),
                        nn::Flatten(0)};
}

/// The loss of these logits if the images are real (1), or drawn (0).
inline Tensor judge(const Tensor& logits, double target) {
  return amp::binary_cross_entropy_with_logits(logits, amp::full_like(logits, target));
}

struct Losses {
  Tensor generator, discriminator;
};

struct Training {
  nn::Sequential generator, discriminator;
  Precision precision;
  double lr = 2e-4;
  amp::GradScaler scaler{precision.scaler};
  amp::Adam generator_adam{generator.named_parameters(), {.lr = lr, .beta1 = 0.5}};
  amp::Adam discriminator_adam{discriminator.named_parameters(), {.lr = lr, .beta1 = 0.5}};

  Losses step(const Tensor& images, const Tensor& noise) {
    Losses losses;
    Tensor drawn;
    {
      const amp::AutocastGuard scope(amp::kCPU, precision.autocast);
      drawn = generator(noise);
      losses.discriminator =
          judge(discriminator(images), 1) + judge(discriminator(drawn.detach()), 0);
    }
    discriminator_adam.zero_grad();
    scaler.scale(losses.discriminator).backward();
    scaler.step(discriminator_adam);

    {
      const amp::AutocastGuard scope(amp::kCPU, precision.autocast);
      losses.generator = judge(discriminator(drawn), 1);
    }
    generator_adam.zero_grad();
    scaler.scale(losses.generator).backward();
    scaler.step(generator_adam);
    scaler.update();
    return losses;
  }
};

}  // namespace examples::dcgan
