// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Layers that pad the last one, two or three dimensions: pad(x, padding, mode).
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include "amp/nn/layer.hpp"
#include "amp/ops/rearrange.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::nn {

/// How many elements come before and behind those of N dimensions, the last one first: one number
/// for all ends, or {left, right, top, bottom, front, back}, as far as there are dimensions.
template <int N>
struct EndPadding {
  /// In this order.
  std::int64_t values[static_cast<std::size_t>(2 * N)];

  /// The same number at every end.
  template <std::integral I>
  constexpr EndPadding(I all) {
    for (auto& value : values) value = static_cast<std::int64_t>(all);
  }
  /// A number for each end.
  template <std::integral... I>
    requires(sizeof...(I) == 2 * N)
  constexpr EndPadding(I... ends) : values{static_cast<std::int64_t>(ends)...} {}
};

namespace detail {

/// Base of these layers.
template <class Self, int N, PadMode Mode>
class Padding : public Layer<Self> {
 public:
  using Layer<Self>::Layer;
  /// With so many elements at the ends.
  explicit Padding(EndPadding<N> padding) : padding_(padding) {
    this->set_extra_repr({{"", std::span<const std::int64_t>(padding_.values), false}});
  }
  /// Returns pad(x, padding).
  Tensor forward(const Tensor& x) const { return pad(x, padding_.values, {Mode, value_}); }

 protected:
  void set_value(double value) {
    value_ = value;
    this->set_extra_repr(
        {{"padding", std::span<const std::int64_t>(padding_.values), false}, {"value", value}});
  }

 private:
  EndPadding<N> padding_ = 0;
  double value_ = 0;
};

}  // namespace detail

/// With a number.
class ConstantPad1d : public detail::Padding<ConstantPad1d, 1, PadMode::kConstant> {
 public:
  using Padding::Padding;
  ConstantPad1d() = delete;
  /// With so many elements at the ends, which are `value`.
  ConstantPad1d(EndPadding<1> padding, double value) : Padding(padding) { set_value(value); }
};
/// The same for two dimensions.
class ConstantPad2d : public detail::Padding<ConstantPad2d, 2, PadMode::kConstant> {
 public:
  using Padding::Padding;
  ConstantPad2d() = delete;
  /// With so many elements at the ends, which are `value`.
  ConstantPad2d(EndPadding<2> padding, double value) : Padding(padding) { set_value(value); }
};
/// The same for three dimensions.
class ConstantPad3d : public detail::Padding<ConstantPad3d, 3, PadMode::kConstant> {
 public:
  using Padding::Padding;
  ConstantPad3d() = delete;
  /// With so many elements at the ends, which are `value`.
  ConstantPad3d(EndPadding<3> padding, double value) : Padding(padding) { set_value(value); }
};
/// With zeros.
class ZeroPad1d : public detail::Padding<ZeroPad1d, 1, PadMode::kConstant> {
 public:
  using Padding::Padding;
  ZeroPad1d() = delete;
};
/// The same for two dimensions.
class ZeroPad2d : public detail::Padding<ZeroPad2d, 2, PadMode::kConstant> {
 public:
  using Padding::Padding;
  ZeroPad2d() = delete;
};
/// The same for three dimensions.
class ZeroPad3d : public detail::Padding<ZeroPad3d, 3, PadMode::kConstant> {
 public:
  using Padding::Padding;
  ZeroPad3d() = delete;
};
/// With the elements, mirrored at the first and at the last one.
class ReflectionPad1d : public detail::Padding<ReflectionPad1d, 1, PadMode::kReflect> {
 public:
  using Padding::Padding;
  ReflectionPad1d() = delete;
};
/// The same for two dimensions.
class ReflectionPad2d : public detail::Padding<ReflectionPad2d, 2, PadMode::kReflect> {
 public:
  using Padding::Padding;
  ReflectionPad2d() = delete;
};
/// The same for three dimensions.
class ReflectionPad3d : public detail::Padding<ReflectionPad3d, 3, PadMode::kReflect> {
 public:
  using Padding::Padding;
  ReflectionPad3d() = delete;
};
/// With the nearest element.
class ReplicationPad1d : public detail::Padding<ReplicationPad1d, 1, PadMode::kReplicate> {
 public:
  using Padding::Padding;
  ReplicationPad1d() = delete;
};
/// The same for two dimensions.
class ReplicationPad2d : public detail::Padding<ReplicationPad2d, 2, PadMode::kReplicate> {
 public:
  using Padding::Padding;
  ReplicationPad2d() = delete;
};
/// The same for three dimensions.
class ReplicationPad3d : public detail::Padding<ReplicationPad3d, 3, PadMode::kReplicate> {
 public:
  using Padding::Padding;
  ReplicationPad3d() = delete;
};
/// With the elements again.
class CircularPad1d : public detail::Padding<CircularPad1d, 1, PadMode::kCircular> {
 public:
  using Padding::Padding;
  CircularPad1d() = delete;
};
/// The same for two dimensions.
class CircularPad2d : public detail::Padding<CircularPad2d, 2, PadMode::kCircular> {
 public:
  using Padding::Padding;
  CircularPad2d() = delete;
};
/// The same for three dimensions.
class CircularPad3d : public detail::Padding<CircularPad3d, 3, PadMode::kCircular> {
 public:
  using Padding::Padding;
  CircularPad3d() = delete;
};

}  // namespace amp::inline v0::nn
