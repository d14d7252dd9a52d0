// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// ResNet-18 (He et al. 2015, arXiv:1512.03385) for images of 32 by 32 pixels: the first convolution
// is 3 by 3, without pooling. Names of parameters as in torchvision.
#pragma once

#include "models/run.hpp"

#include <amp/amp.hpp>

#include <cstdint>

namespace examples::resnet18 {

namespace nn = amp::nn;
using amp::Tensor;

inline nn::Conv2d conv(std::int64_t in, std::int64_t out, std::int64_t kernel,
                       std::int64_t stride) {
  return nn::Conv2d(in, out, kernel, {.stride = stride, .padding = kernel / 2, .bias = false});
}

struct BasicBlock : nn::Module {
  nn::Conv2d conv1, conv2;
  nn::BatchNorm2d bn1, bn2;
  nn::Sequential downsample;

  BasicBlock(std::int64_t in, std::int64_t out, std::int64_t stride)
      : conv1(register_module("conv1", conv(in, out, 3, stride))),
        conv2(register_module("conv2", conv(out, out, 3, 1))),
        bn1(register_module("bn1", nn::BatchNorm2d(out))),
        bn2(register_module("bn2", nn::BatchNorm2d(out))),
        downsample(nullptr) {
    if (stride != 1 || in != out)
      downsample = register_module("downsample",
                                   nn::Sequential{conv(in, out, 1, stride), nn::BatchNorm2d(out)});
  }

  Tensor forward(const Tensor& x) const {
    const Tensor y = bn2(conv2(bn1(conv1(x)).relu()));
    return (y + (downsample.defined() ? downsample(x) : x)).relu();
  }
};

struct ResNet18 : nn::Module {
  nn::Conv2d conv1;
  nn::BatchNorm2d bn1;
  nn::Sequential layer1, layer2, layer3, layer4;
  nn::Linear fc;

  explicit ResNet18(std::int64_t classes = 10, std::int64_t width = 64)
      : conv1(register_module("conv1", conv(3, width, 3, 1))),
        bn1(register_module("bn1", nn::BatchNorm2d(width))),
        layer1(register_module("layer1", layer(width, width, 1))),
        layer2(register_module("layer2", layer(width, 2 * width, 2))),
        layer3(register_module("layer3", layer(2 * width, 4 * width, 2))),
        layer4(register_module("layer4", layer(4 * width, 8 * width, 2))),
        fc(register_module("fc", nn::Linear(8 * width, classes))) {}

  Tensor forward(const Tensor& images) const {
    const Tensor x = layer4(layer3(layer2(layer1(bn1(conv1(images)).relu()))));
    return fc(x.mean({2, 3}));
  }

 private:
  static nn::Sequential layer(std::int64_t in, std::int64_t out, std::int64_t stride) {
    return nn::Sequential{BasicBlock(in, out, stride), BasicBlock(out, out, 1)};
  }
};

struct Training {
  ResNet18 model;
  Precision precision;
  std::int64_t steps = 0;
  double lr = 0.05;
  amp::GradScaler scaler{precision.scaler};
  amp::SGD optimizer{model.named_parameters(),
                     {.lr = lr,
                      .momentum = 0.9,
                      .weight_decay = 5e-4,
                      .nesterov = true,
                      .schedule = amp::cosine_schedule(steps)}};

  Tensor step(const Tensor& images, const Tensor& classes) {
    Tensor loss;
    {
      const amp::AutocastGuard scope(amp::kCPU, precision.autocast);
      loss = amp::cross_entropy(model.forward(images), classes);
    }
    optimizer.zero_grad();
    scaler.scale(loss).backward();
    scaler.step(optimizer);
    scaler.update();
    return loss;
  }
};

}  // namespace examples::resnet18
