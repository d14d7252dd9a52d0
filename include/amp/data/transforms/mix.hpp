// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Images without a part, and images mixed with other images. Rules and defaults are torchvision's.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "amp/data/example.hpp"
#include "amp/data/generator.hpp"
#include "amp/data/transforms/image.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::data::transforms {

/// The image with a part set to `value`. Throws amp::Error if the part is not within the image.
Tensor erase(const Tensor& image, std::int64_t top, std::int64_t left, std::int64_t height,
             std::int64_t width, double value);

/// Options of RandomErasing.
struct RandomErasingOptions {
  double p = 0.5;                              ///< the probability that a part is erased
  std::array<double, 2> scale = {0.02, 0.33};  ///< the part's least and greatest area, of 1
  std::array<double, 2> ratio = {0.3, 3.3};    ///< its least and greatest height / width
  /// What is written; none: normally distributed numbers, another one for each pixel. These are for
  /// floating-point images.
  std::optional<double> value = 0.0;
};

/// Erases a part of random area, proportion and place.
class RandomErasing : public detail::RandomTransform<RandomErasing> {
 public:
  /// Throws amp::Error if an option is wrong.
  explicit RandomErasing(const RandomErasingOptions& options = {});
  /// What the object does to an image, with numbers of the generator.
  Tensor apply(const Tensor& image, Generator& generator) const;

 private:
  RandomErasingOptions options_;
};

/// Options of MixUp and CutMix.
struct MixOptions {
  double alpha = 1;  ///< the weight of an image is Beta(alpha, alpha)-distributed
  /// The number of classes, if targets are the numbers of classes; they become probabilities.
  std::optional<std::int64_t> num_classes = {};
};

/// Mixes each image of a batch with the one before it: w * image + (1 - w) * other, and likewise
/// the probabilities of their classes. `images` are floating-point [N, ...], `targets` are classes
/// [N] of int64, or floating-point probabilities [N, num_classes]. Works on any device.
class MixUp {
 public:
  /// Throws amp::Error if an option is wrong.
  explicit MixUp(const MixOptions& options = {});
  Example<> operator()(const Tensor& images, const Tensor& targets, Generator& generator) const;
  /// The same with a generator from the process' stream.
  Example<> operator()(const Tensor& images, const Tensor& targets) const;

 private:
  MixOptions options_;
};

/// Puts a part of the image before it into each image [N, C, H, W] of a batch. The part's share of
/// the area is the other's share in the probabilities of the classes.
class CutMix {
 public:
  /// Throws amp::Error if an option is wrong.
  explicit CutMix(const MixOptions& options = {});
  Example<> operator()(const Tensor& images, const Tensor& targets, Generator& generator) const;
  /// The same with a generator from the process' stream.
  Example<> operator()(const Tensor& images, const Tensor& targets) const;

 private:
  MixOptions options_;
};

}  // namespace amp::inline v0::data::transforms

#if AMP_HEADER_ONLY
#include "amp/data/transforms/mix.ipp"
#endif
