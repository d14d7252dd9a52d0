// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Transforms of the values of pixels. Images of uint8 hold 0 to 255, those of floating-point numbers
// 0 to 1. Names, arguments and rules are torchvision's.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "amp/data/transforms/image.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::data::transforms {

/// An image of uint8 as float32 [C, H, W] in [0, 1]. It is read as [C, H, W] if it has at most 4
/// channels so, else as [H, W, C]; a matrix has one channel. An image of another dtype keeps its
/// values, as in torchvision.
Tensor to_tensor(const Tensor& image);

/// The image in another dtype, with its values scaled: 255 of uint8 is 1 of floating-point numbers.
Tensor convert_image_dtype(const Tensor& image, DType dtype = kFloat32);

/// (image - mean[c]) / std[c] for each channel c. Floating-point images only. Throws amp::Error if
/// a standard deviation is 0, or if there are neither as many numbers as channels nor one.
Tensor normalize(const Tensor& image, const std::vector<double>& mean,
                 const std::vector<double>& std);

/// 0.2989 R + 0.587 G + 0.114 B, in one channel or in three equal ones.
Tensor rgb_to_grayscale(const Tensor& image, std::int64_t num_output_channels = 1);

/// The image between black (0) and itself (1), or brighter.
Tensor adjust_brightness(const Tensor& image, double factor);
/// The image between its mean grey (0) and itself (1), or with more contrast.
Tensor adjust_contrast(const Tensor& image, double factor);
/// The image between its shades of grey (0) and itself (1), or more colourful.
Tensor adjust_saturation(const Tensor& image, double factor);
/// The image with its hues turned by this part of the circle, from -0.5 to 0.5.
Tensor adjust_hue(const Tensor& image, double factor);

/// to_tensor() as an object.
struct ToTensor {
  Tensor operator()(const Tensor& image) const { return to_tensor(image); }
};

/// convert_image_dtype() as an object.
class ConvertImageDtype {
 public:
  /// To this dtype.
  explicit ConvertImageDtype(DType dtype = kFloat32) : dtype_(dtype) {}
  Tensor operator()(const Tensor& image) const { return convert_image_dtype(image, dtype_); }

 private:
  DType dtype_;
};

/// normalize() as an object.
class Normalize {
 public:
  /// Throws amp::Error if a standard deviation is 0, or if there are not as many of both.
  Normalize(std::vector<double> mean, std::vector<double> std);
  Tensor operator()(const Tensor& image) const { return normalize(image, mean_, std_); }
  /// The same of to_tensor(image), bit for bit, in one pass over an image of uint8: what a Compose
  /// does for a ToTensor before a Normalize.
  Tensor of_bytes(const Tensor& image) const;

 private:
  std::vector<double> mean_, std_;
  std::vector<std::array<float, 256>> tables_;  // what each byte of a channel becomes
};

/// rgb_to_grayscale() as an object.
class Grayscale {
 public:
  /// Into 1 channel, or 3.
  explicit Grayscale(std::int64_t num_output_channels = 1);
  Tensor operator()(const Tensor& image) const { return rgb_to_grayscale(image, channels_); }

 private:
  std::int64_t channels_;
};

/// The image, or with probability p its shades of grey, in as many channels.
class RandomGrayscale : public detail::RandomTransform<RandomGrayscale> {
 public:
  /// With this probability.
  explicit RandomGrayscale(double p = 0.1);
  /// What the object does to an image, with numbers of the generator.
  Tensor apply(const Tensor& image, Generator& generator) const;

 private:
  double p_;
};

/// The range of a factor: {least, greatest}, or how far it may be from its neutral value.
class Jitter {
 public:
  Jitter() = default;
  /// How far the factor may be from its neutral value.
  Jitter(double distance) : least(-distance), greatest(distance), is_distance(true) {}
  /// Its least and its greatest value.
  Jitter(double low, double high) : least(low), greatest(high) {}

  double least = 0, greatest = 0;
  bool is_distance = true;  ///< whether the numbers are distances
};

/// Options of ColorJitter.
struct ColorJitterOptions {
  Jitter brightness = {};  ///< factor from [max(0, 1 - distance), 1 + distance]
  Jitter contrast = {};    ///< likewise
  Jitter saturation = {};  ///< likewise
  Jitter hue = {};         ///< from [-distance, distance], at most 0.5
};

/// Changes brightness, contrast, saturation and hue by random factors, in random order.
class ColorJitter : public detail::RandomTransform<ColorJitter> {
 public:
  /// Throws amp::Error if a range is none.
  explicit ColorJitter(const ColorJitterOptions& options);
  /// What the object does to an image, with numbers of the generator.
  Tensor apply(const Tensor& image, Generator& generator) const;

 private:
  struct Range {
    double least, greatest, neutral;
    bool changes() const { return least != neutral || greatest != neutral; }
  };
  static Range range_of(const char* name, const Jitter& jitter, double neutral, double least,
                        double greatest);

  std::array<Range, 4> ranges_;  // in the order of the options
};

}  // namespace amp::inline v0::data::transforms

#if AMP_HEADER_ONLY
#include "amp/data/transforms/colour.ipp"
#endif
