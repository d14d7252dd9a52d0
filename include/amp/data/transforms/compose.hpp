// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Transforms made of transforms.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "amp/data/dataset.hpp"
#include "amp/data/generator.hpp"
#include "amp/data/transforms/colour.hpp"
#include "amp/data/transforms/image.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::data::transforms {

/// Transforms one after the other, random ones and functions among them.
///
/// ```cpp
/// namespace transforms = amp::data::transforms;
/// const transforms::Compose train(transforms::RandomCrop(32, {.padding = 4}),
///                                 transforms::RandomHorizontalFlip(), transforms::ToTensor(),
///                                 transforms::Normalize({0.5}, {0.25}));
/// const amp::Tensor image = train(amp::zeros({3, 32, 32}, {.dtype = amp::kUInt8}));
/// assert(image.const_data<float>()[0] == -2);
/// ```
template <class... Transforms>
class Compose {
 public:
  /// These transforms, in this order.
  explicit Compose(Transforms... transforms) : transforms_(std::move(transforms)...) {}

  /// The image, or an example with one, transformed with random numbers of the generator.
  template <class T>
  auto operator()(T value, Generator& generator) const {
    return from<0>(std::move(value), generator);
  }
  /// The same with a generator from the process' stream.
  template <class T>
  auto operator()(T value) const {
    Generator generator;
    return from<0>(std::move(value), generator);
  }

 private:
  template <std::size_t i, class T>
  auto from(T value, Generator& generator) const {
    if constexpr (i == sizeof...(Transforms))
      return value;
    else if constexpr (normalizes_bytes<i>())
      return from<i + 2>(
          data::detail::transformed(
              [&](const Tensor& image) { return std::get<i + 1>(transforms_).of_bytes(image); },
              std::move(value), generator),
          generator);
    else
      return from<i + 1>(
          data::detail::transformed(std::get<i>(transforms_), std::move(value), generator),
          generator);
  }

  /// Whether these are a ToTensor and a Normalize, which make one pass.
  template <std::size_t i>
  static constexpr bool normalizes_bytes() {
    using Tuple = std::tuple<Transforms..., void*>;  // one more, behind the last
    return std::is_same_v<std::tuple_element_t<i, Tuple>, ToTensor> &&
           std::is_same_v<std::tuple_element_t<i + 1, Tuple>, Normalize>;
  }

  std::tuple<Transforms...> transforms_;
};

/// The image, or with probability p its transform, which must have the same type.
template <class Transform>
class RandomApply : public detail::RandomTransform<RandomApply<Transform>> {
 public:
  /// This transform, with this probability.
  explicit RandomApply(Transform transform, double p = 0.5)
      : transform_(std::move(transform)), p_(p) {
    detail::check_probability("RandomApply", p);
  }
  /// What the object does to an image, with numbers of the generator.
  Tensor apply(const Tensor& image, Generator& generator) const {
    if (!generator.bernoulli(p_)) return image;
    return data::detail::transformed(transform_, image, generator);
  }

 private:
  Transform transform_;
  double p_;
};

}  // namespace amp::inline v0::data::transforms
