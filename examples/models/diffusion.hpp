// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Denoising diffusion (Ho et al. 2020, arXiv:2006.11239): a small U-Net predicts the noise. Samples
// with the averaged weights, in few steps (Song et al. 2020, arXiv:2010.02502).
#pragma once

#include "models/run.hpp"

#include <amp/amp.hpp>

#include <cstdint>
#include <utility>

namespace examples::diffusion {

namespace nn = amp::nn;
using amp::Tensor;
using amp::indexing::Ellipsis, amp::indexing::None, amp::indexing::Slice;

struct ResidualBlock : nn::Layer<ResidualBlock> {
  nn::GroupNorm norm1, norm2;
  nn::Conv2d conv1, conv2, skip;
  nn::Linear time;

  ResidualBlock(std::int64_t in, std::int64_t out, std::int64_t n_time)
      : norm1(register_module("norm1", nn::GroupNorm(8, in))),
        norm2(register_module("norm2", nn::GroupNorm(8, out))),
        conv1(register_module("conv1", nn::Conv2d(in, out, 3, {.padding = 1}))),
        conv2(register_module("conv2", nn::Conv2d(out, out, 3, {.padding = 1}))),
        skip(nullptr),
        time(register_module("time", nn::Linear(n_time, out))) {
    if (in != out) skip = register_module("skip", nn::Conv2d(in, out, 1));
  }

  Tensor forward(const Tensor& x, const Tensor& times) const {
    const Tensor y = conv1(amp::silu(norm1(x))) + time(times).index({Ellipsis, None, None});
    return conv2(amp::silu(norm2(y))) + (skip.defined() ? skip(x) : x);
  }
};

struct Attention : nn::Layer<Attention> {
  nn::GroupNorm norm;
  nn::Linear qkv, out;

  explicit Attention(std::int64_t width)
      : norm(register_module("norm", nn::GroupNorm(8, width))),
        qkv(register_module("qkv", nn::Linear(width, 3 * width))),
        out(register_module("out", nn::Linear(width, width))) {}

  Tensor forward(const Tensor& x) const {
    const auto parts = qkv(norm(x).flatten(2).mT()).chunk(3, -1);
    const Tensor y = amp::scaled_dot_product_attention(parts[0], parts[1], parts[2]);
    return x + out(y).mT().reshape(x.shape());
  }
};

struct UNet : nn::Layer<UNet> {
  std::int64_t width, n_time = 4 * width;
  nn::Sequential time{
      register_module("time", nn::Sequential{nn::Linear(width, n_time), nn::SiLU(),
                                             nn::Linear(n_time, n_time), nn::SiLU()})};
  nn::Conv2d first{register_module("first", nn::Conv2d(3, width, 3, {.padding = 1}))};
  ResidualBlock before{register_module("before", ResidualBlock(width, width, n_time))};
  nn::Conv2d down{
      register_module("down", nn::Conv2d(width, 2 * width, 3, {.stride = 2, .padding = 1}))};
  ResidualBlock middle1{register_module("middle1", ResidualBlock(2 * width, 2 * width, n_time))};
  Attention attention{register_module("attention", Attention(2 * width))};
  ResidualBlock middle2{register_module("middle2", ResidualBlock(2 * width, 2 * width, n_time))};
  nn::Conv2d up{register_module("up", nn::Conv2d(2 * width, width, 3, {.padding = 1}))};
  ResidualBlock after{register_module("after", ResidualBlock(2 * width, width, n_time))};
  nn::GroupNorm norm{register_module("norm", nn::GroupNorm(8, width))};
  nn::Conv2d last{register_module("last", nn::Conv2d(width, 3, 3, {.padding = 1}))};

  explicit UNet(std::int64_t base_width = 32) : width(base_width) {}

  Tensor forward(const Tensor& images, const Tensor& t) const {
    const Tensor angles =
        t.unsqueeze(1) * amp::logspace(0, -4, width / 2, 10, {.dtype = images.dtype()});
    const Tensor times = time(amp::cat({angles.sin(), angles.cos()}, 1));
    const Tensor x = before(first(images), times);
    Tensor y = attention(middle1(down(x), times));
    y = up(amp::interpolate(middle2(y, times), {.scale_factor = 2}));
    y = after(amp::cat({x, y}, 1), times);
    return last(amp::silu(norm(y)));
  }
};

/// Images at times from 0, without noise, to `times`, where only noise is left.
struct Diffusion {
  std::int64_t times;
  Tensor signal;  // its share of the variance

  explicit Diffusion(std::int64_t count = 1000) : times(count) {
    const Tensor betas = amp::linspace(1e-4, 0.02, times, {.dtype = amp::kFloat64});
    signal = amp::pad((1 - betas).cumprod(0), {1, 0}, {.value = 1});
  }

  std::pair<Tensor, Tensor> factors(const Tensor& t, amp::DType dtype) const {
    const Tensor share = signal[t].index({Slice(), None, None, None});
    return {share.sqrt().to(dtype), (1 - share).sqrt().to(dtype)};
  }

  Tensor add_noise(const Tensor& images, const Tensor& t, const Tensor& noise) const {
    const auto [signal_factor, sigma] = factors(t, images.dtype());
    return signal_factor * images + sigma * noise;
  }

  Tensor sample(const UNet& model, const Tensor& noise, std::int64_t steps) const {
    Tensor x = noise;
    const Tensor at = amp::linspace(static_cast<double>(times), 0, steps + 1).to(amp::kInt64);
    for (std::int64_t i = 0; i < steps; ++i) {
      const Tensor now = at[i].expand({x.size(0)}), following = at[i + 1].expand({x.size(0)});
      const Tensor predicted = model(x, now);
      const auto [signal_factor, sigma] = factors(now, x.dtype());
      const Tensor images = ((x - sigma * predicted) / signal_factor).clamp(-1, 1);
      x = add_noise(images, following, predicted);
    }
    return x;
  }
};

struct Training {
  UNet model;
  Precision precision;
  double lr = 1e-3;
  std::int64_t warmup = 100;
  double decay = 0.995;
  Diffusion diffusion = Diffusion();
  amp::GradScaler scaler{precision.scaler};
  amp::Adam optimizer{model.named_parameters(),
                      {.lr = lr, .schedule = amp::warmup_schedule(warmup)}};
  amp::ExponentialMovingAverage average{optimizer, {.decay = decay}};

  Tensor loss(const Tensor& images, const Tensor& t, const Tensor& noise) const {
    const amp::AutocastGuard scope(amp::kCPU, precision.autocast);
    return amp::mse_loss(model(diffusion.add_noise(images, t, noise), t), noise);
  }

  Tensor step(const Tensor& images, const Tensor& t, const Tensor& noise) {
    Tensor value = loss(images, t, noise);
    optimizer.zero_grad();
    scaler.scale(value).backward();
    scaler.unscale_and_clip(optimizer, 1.0);
    scaler.step(optimizer);
    scaler.update();
    return value;
  }

  Tensor test(const Tensor& images, const Tensor& t, const Tensor& noise) {
    const amp::NoGradGuard no_grad;
    const amp::AverageGuard averaged(average);
    return loss(images, t, noise);
  }

  Tensor sample(const Tensor& noise, std::int64_t steps) {
    const amp::NoGradGuard no_grad;
    const amp::AverageGuard averaged(average);
    return diffusion.sample(model, noise, steps);
  }
};

}  // namespace examples::diffusion
