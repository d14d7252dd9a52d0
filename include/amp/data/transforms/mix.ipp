// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>

#include "amp/core/error.hpp"
#include "amp/data/transforms/mix.hpp"
#include "amp/ops/arithmetic.hpp"
#include "amp/ops/grids.hpp"
#include "amp/ops/rearrange.hpp"
#include "amp/ops/tensor_members.hpp"

namespace amp::inline v0::data::transforms {

AMP_INLINE Tensor erase(const Tensor& image, std::int64_t top, std::int64_t left,
                        std::int64_t height, std::int64_t width, double value) {
  const detail::ImageExtents extents = detail::extents_of("erase", image);
  AMP_CHECK(top >= 0 && height >= 0 && top <= extents.height && height <= extents.height - top &&
                left >= 0 && width >= 0 && left <= extents.width && width <= extents.width - left,
            "erase: the part at ", top, ", ", left, " of size ", height, " x ", width,
            " is not within an image of ", extents.height, " x ", extents.width);
  const Tensor result = image.detach().clone();
  (void)result.narrow(-2, top, height).narrow(-1, left, width).fill_(value);
  return result;
}

AMP_COLD RandomErasing::RandomErasing(const RandomErasingOptions& options) : options_(options) {
  detail::check_probability("RandomErasing", options.p);
  const auto& [least, most] = options.scale;
  const auto& [low, high] = options.ratio;
  AMP_CHECK(
      least >= 0 && least <= most && most <= 1 && low > 0 && low <= high && std::isfinite(high),
      "RandomErasing: `scale` must be {least, greatest} within 0 to 1, and `ratio` positive, "
      "but they are {",
      least, ", ", most, "} and {", low, ", ", high, "}");
}

AMP_INLINE Tensor RandomErasing::apply(const Tensor& image, Generator& generator) const {
  const detail::ImageExtents extents = detail::extents_of("RandomErasing", image);
  AMP_CHECK(options_.value || is_floating_point(image.dtype()),
            "RandomErasing: random values need a floating-point image, but it is ",
            describe(image));
  if (!generator.bernoulli(options_.p)) return image;
  const auto area = static_cast<double>(extents.plane());
  for (int attempt = 0; attempt < 10; ++attempt) {
    const double target = area * generator.uniform(options_.scale[0], options_.scale[1]);
    const double ratio =
        std::exp(generator.uniform(std::log(options_.ratio[0]), std::log(options_.ratio[1])));
    const std::int64_t height = detail::rounded(std::sqrt(target * ratio));
    const std::int64_t width = detail::rounded(std::sqrt(target / ratio));
    if (height >= extents.height || width >= extents.width) continue;
    const std::int64_t top = generator.randint(0, extents.height - height + 1);
    const std::int64_t left = generator.randint(0, extents.width - width + 1);
    const Tensor result = erase(image, top, left, height, width, options_.value.value_or(0));
    if (!options_.value) {
      const Tensor part = result.narrow(-2, top, height).narrow(-1, left, width);
      const Tensor noise = empty(part.shape());
      auto* to = static_cast<float*>(noise.raw_data());
      std::generate(to, to + noise.numel(), [&] { return static_cast<float>(generator.normal()); });
      (void)part.copy_(noise);
    }
    return result;
  }
  return image;
}

namespace detail {

/// The probabilities of the classes.
AMP_COLD Tensor probabilities(const char* call, const Tensor& images, const Tensor& targets,
                              const MixOptions& options) {
  AMP_CHECK(images.defined() && images.dim() >= 1 && is_floating_point(images.dtype()) &&
                targets.defined() && targets.dim() >= 1 && targets.size(0) == images.size(0),
            call,
            ": the images must be floating-point [N, ...], and there must be as many "
            "targets, but they are ",
            images.defined() ? describe(images) : std::string("undefined"), " and ",
            targets.defined() ? describe(targets) : std::string("undefined"));
  if (is_floating_point(targets.dtype())) return targets;
  AMP_CHECK(options.num_classes && targets.dim() == 1, call,
            ": classes must be [N], and `num_classes` must be given, but the targets are ",
            describe(targets));
  return one_hot(targets, *options.num_classes).to(kFloat32);
}

AMP_INLINE Tensor mixed(const Tensor& own, const Tensor& other, double weight) {
  return own * weight + other * (1 - weight);
}

AMP_COLD void check_alpha(const char* call, double alpha) {
  AMP_CHECK(alpha > 0 && std::isfinite(alpha), call, ": `alpha` is ", alpha,
            "; expected a positive number");
}

}  // namespace detail

AMP_COLD MixUp::MixUp(const MixOptions& options) : options_(options) {
  detail::check_alpha("MixUp", options.alpha);
}

AMP_COLD Example<> MixUp::operator()(const Tensor& images, const Tensor& targets,
                                     Generator& generator) const {
  const Tensor classes = detail::probabilities("MixUp", images, targets, options_);
  const double weight = generator.beta(options_.alpha, options_.alpha);
  return {detail::mixed(images, roll(images, 1, 0), weight),
          detail::mixed(classes, roll(classes, 1, 0), weight)};
}
AMP_COLD Example<> MixUp::operator()(const Tensor& images, const Tensor& targets) const {
  Generator generator;
  return (*this)(images, targets, generator);
}

AMP_COLD CutMix::CutMix(const MixOptions& options) : options_(options) {
  detail::check_alpha("CutMix", options.alpha);
}

AMP_COLD Example<> CutMix::operator()(const Tensor& images, const Tensor& targets,
                                      Generator& generator) const {
  const Tensor classes = detail::probabilities("CutMix", images, targets, options_);
  AMP_CHECK(images.dim() == 4 && images.size(2) > 0 && images.size(3) > 0,
            "CutMix: the images must be [N, C, H, W], but are ", describe(images));
  const std::int64_t height = images.size(2), width = images.size(3);
  const double drawn = generator.beta(options_.alpha, options_.alpha);
  const double half = 0.5 * std::sqrt(1 - drawn);
  const std::int64_t x = generator.randint(0, width), y = generator.randint(0, height);
  const auto half_width = static_cast<std::int64_t>(half * static_cast<double>(width));
  const auto half_height = static_cast<std::int64_t>(half * static_cast<double>(height));
  const std::int64_t left = (std::max)(x - half_width, std::int64_t{0});
  const std::int64_t right = (std::min)(x + half_width, width);
  const std::int64_t top = (std::max)(y - half_height, std::int64_t{0});
  const std::int64_t bottom = (std::min)(y + half_height, height);
  const Tensor result = images.detach().clone();
  const auto part = [&](const Tensor& of) {
    return of.narrow(2, top, bottom - top).narrow(3, left, right - left);
  };
  (void)part(result).copy_(part(roll(images.detach(), 1, 0)));
  const double share =
      static_cast<double>((bottom - top) * (right - left)) / static_cast<double>(height * width);
  return {result, detail::mixed(classes, roll(classes, 1, 0), 1 - share)};
}
AMP_COLD Example<> CutMix::operator()(const Tensor& images, const Tensor& targets) const {
  Generator generator;
  return (*this)(images, targets, generator);
}

}  // namespace amp::inline v0::data::transforms
