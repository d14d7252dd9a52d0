// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// U-Net (Ronneberger et al. 2015, arXiv:1505.04597) with padded convolutions and batch norm, three
// levels deep: a class for each pixel of images whose sides are multiples of 8.
#pragma once

#include "models/run.hpp"

#include <amp/amp.hpp>

#include <cstdint>

namespace examples::unet {

namespace nn = amp::nn;
using amp::Tensor;

inline nn::Sequential double_conv(std::int64_t in, std::int64_t out) {
  return nn::Sequential{
      nn::Conv2d(in, out, 3, {.padding = 1, .bias = false}),  nn::BatchNorm2d(out), nn::ReLU(),
      nn::Conv2d(out, out, 3, {.padding = 1, .bias = false}), nn::BatchNorm2d(out), nn::ReLU()};
}

/// Doubles height and width, and joins what the same level saw on the way down.
struct Up : nn::Layer<Up> {
  nn::ConvTranspose2d up;
  nn::Sequential conv;

  Up(std::int64_t in, std::int64_t out)
      : up(register_module("up", nn::ConvTranspose2d(in, out, 2, {.stride = 2}))),
        conv(register_module("conv", double_conv(2 * out, out))) {}

  Tensor forward(const Tensor& x, const Tensor& skip) const {
    return conv(amp::cat({skip, up(x)}, 1));
  }
};

struct UNet : nn::Module {
  nn::Sequential down1, down2, down3, bottom;
  Up up3, up2, up1;
  nn::Conv2d last;

  explicit UNet(std::int64_t classes = 3, std::int64_t width = 16)
      : down1(register_module("down1", double_conv(3, width))),
        down2(register_module("down2", double_conv(width, 2 * width))),
        down3(register_module("down3", double_conv(2 * width, 4 * width))),
        bottom(register_module("bottom", double_conv(4 * width, 8 * width))),
        up3(register_module("up3", Up(8 * width, 4 * width))),
        up2(register_module("up2", Up(4 * width, 2 * width))),
        up1(register_module("up1", Up(2 * width, width))),
        last(register_module("last", nn::Conv2d(width, classes, 1))) {}

  Tensor forward(const Tensor& images) const {
    const Tensor x1 = down1(images);
    const Tensor x2 = down2(amp::max_pool2d(x1, 2));
    const Tensor x3 = down3(amp::max_pool2d(x2, 2));
    const Tensor x = bottom(amp::max_pool2d(x3, 2));
    return last(up1(up2(up3(x, x3), x2), x1));
  }
};

/// 1 less the Dice coefficient, the overlap of what is predicted with what is there, averaged over
/// images and classes. A class that an image does not have adds nothing if it is not predicted.
inline Tensor dice_loss(const Tensor& logits, const Tensor& classes) {
  const Tensor p = logits.softmax(1);
  const Tensor y = amp::one_hot(classes, p.size(1)).movedim(-1, 1);
  const Tensor overlap = (p * y).sum({2, 3}), area = (p + y).sum({2, 3});
  return 1 - ((2 * overlap + 1) / (area + 1)).mean();
}

struct Training {
  UNet model;
  Precision precision;
  double lr = 1e-3;
  amp::GradScaler scaler{precision.scaler};
  amp::Adam optimizer{model.named_parameters(), {.lr = lr}};

  Tensor step(const Tensor& images, const Tensor& classes) {
    Tensor loss;
    {
      const amp::AutocastGuard scope(amp::kCPU, precision.autocast);
      const Tensor logits = model.forward(images);
      loss = amp::cross_entropy(logits, classes) + dice_loss(logits, classes);
    }
    optimizer.zero_grad();
    scaler.scale(loss).backward();
    scaler.step(optimizer);
    scaler.update();
    return loss;
  }
};

}  // namespace examples::unet
