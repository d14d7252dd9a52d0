// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Activations as layers: each calls the function that its comment names, whose own comment says
// formula and dtypes (ops/activation.hpp, ops/softmax.hpp).
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>

#include "amp/nn/layer.hpp"
#include "amp/ops/activation.hpp"
#include "amp/ops/elementary.hpp"
#include "amp/ops/softmax.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::nn {

namespace detail {

/// Base of layers whose arguments are up to two numbers, a_ and b_. torch has `inplace` behind
/// these for some.
template <class Self>
class Activation : public Layer<Self> {
 public:
  using Layer<Self>::Layer;
  Activation() = default;
  explicit Activation(const std::same_as<bool> auto&) = delete;  // there is no inplace
  Activation(double, std::same_as<bool> auto) = delete;          // there is no inplace
  Activation(double, double, std::same_as<bool> auto) = delete;  // there is no inplace

 protected:
  Activation(const char* name, double a) : a_(a) { this->set_extra_repr({{name, a}}); }
  Activation(const char* name, double a, const char* other_name, double b) : a_(a), b_(b) {
    this->set_extra_repr({{name, a}, {other_name, b}});
  }

  double a_ = 0, b_ = 0;
};

/// Base of layers that compute along a dimension.
template <class Self>
class AlongDim : public Layer<Self> {
 public:
  using Layer<Self>::Layer;
  /// Along `dim`; -1 is the last.
  explicit AlongDim(std::int64_t dim) : dim_(dim) { this->set_extra_repr({{"dim", dim}}); }

 protected:
  std::int64_t dim_ = -1;
};

}  // namespace detail

/// relu(x).
class ReLU : public detail::Activation<ReLU> {
 public:
  using Activation::Activation;
  /// Returns relu(x).
  AMP_LAZY Tensor forward(const Tensor& x) const { return relu(x); }
};
/// relu6(x).
class ReLU6 : public detail::Activation<ReLU6> {
 public:
  using Activation::Activation;
  /// Returns relu6(x).
  AMP_LAZY Tensor forward(const Tensor& x) const { return relu6(x); }
};
/// tanh(x).
class Tanh : public detail::Activation<Tanh> {
 public:
  using Activation::Activation;
  /// Returns tanh(x).
  AMP_LAZY Tensor forward(const Tensor& x) const { return tanh(x); }
};
/// sigmoid(x).
class Sigmoid : public detail::Activation<Sigmoid> {
 public:
  using Activation::Activation;
  /// Returns sigmoid(x).
  AMP_LAZY Tensor forward(const Tensor& x) const { return sigmoid(x); }
};
/// silu(x).
class SiLU : public detail::Activation<SiLU> {
 public:
  using Activation::Activation;
  /// Returns silu(x).
  AMP_LAZY Tensor forward(const Tensor& x) const { return silu(x); }
};
/// mish(x).
class Mish : public detail::Activation<Mish> {
 public:
  using Activation::Activation;
  /// Returns mish(x).
  AMP_LAZY Tensor forward(const Tensor& x) const { return mish(x); }
};
/// selu(x).
class SELU : public detail::Activation<SELU> {
 public:
  using Activation::Activation;
  /// Returns selu(x).
  AMP_LAZY Tensor forward(const Tensor& x) const { return selu(x); }
};
/// hardswish(x).
class Hardswish : public detail::Activation<Hardswish> {
 public:
  using Activation::Activation;
  /// Returns hardswish(x).
  AMP_LAZY Tensor forward(const Tensor& x) const { return hardswish(x); }
};
/// hardsigmoid(x).
class Hardsigmoid : public detail::Activation<Hardsigmoid> {
 public:
  using Activation::Activation;
  /// Returns hardsigmoid(x).
  AMP_LAZY Tensor forward(const Tensor& x) const { return hardsigmoid(x); }
};
/// logsigmoid(x).
class LogSigmoid : public detail::Activation<LogSigmoid> {
 public:
  using Activation::Activation;
  /// Returns logsigmoid(x).
  AMP_LAZY Tensor forward(const Tensor& x) const { return logsigmoid(x); }
};
/// softsign(x).
class Softsign : public detail::Activation<Softsign> {
 public:
  using Activation::Activation;
  /// Returns softsign(x).
  AMP_LAZY Tensor forward(const Tensor& x) const { return softsign(x); }
};
/// tanhshrink(x).
class Tanhshrink : public detail::Activation<Tanhshrink> {
 public:
  using Activation::Activation;
  /// Returns tanhshrink(x).
  AMP_LAZY Tensor forward(const Tensor& x) const { return tanhshrink(x); }
};
/// leaky_relu(x, negative_slope).
class LeakyReLU : public detail::Activation<LeakyReLU> {
 public:
  using Activation::Activation;
  /// With this number.
  explicit LeakyReLU(double negative_slope = 0.01) : Activation("negative_slope", negative_slope) {}
  /// Returns leaky_relu(x, negative_slope).
  AMP_LAZY Tensor forward(const Tensor& x) const { return leaky_relu(x, a_); }
};
/// elu(x, alpha).
class ELU : public detail::Activation<ELU> {
 public:
  using Activation::Activation;
  /// With this number.
  explicit ELU(double alpha = 1) : Activation("alpha", alpha) {}
  /// Returns elu(x, alpha).
  AMP_LAZY Tensor forward(const Tensor& x) const { return elu(x, a_); }
};
/// celu(x, alpha).
class CELU : public detail::Activation<CELU> {
 public:
  using Activation::Activation;
  /// With this number.
  explicit CELU(double alpha = 1) : Activation("alpha", alpha) {}
  /// Returns celu(x, alpha).
  AMP_LAZY Tensor forward(const Tensor& x) const { return celu(x, a_); }
};
/// softplus(x, beta, threshold).
class Softplus : public detail::Activation<Softplus> {
 public:
  using Activation::Activation;
  /// With these numbers.
  explicit Softplus(double beta = 1, double threshold = 20)
      : Activation("beta", beta, "threshold", threshold) {}
  /// Returns softplus(x, beta, threshold).
  AMP_LAZY Tensor forward(const Tensor& x) const { return softplus(x, a_, b_); }
};
/// hardtanh(x, min_val, max_val).
class Hardtanh : public detail::Activation<Hardtanh> {
 public:
  using Activation::Activation;
  /// With these numbers.
  explicit Hardtanh(double min_val = -1, double max_val = 1)
      : Activation("min_val", min_val, "max_val", max_val) {}
  /// Returns hardtanh(x, min_val, max_val).
  AMP_LAZY Tensor forward(const Tensor& x) const { return hardtanh(x, a_, b_); }
};
/// hardshrink(x, lambd).
class Hardshrink : public detail::Activation<Hardshrink> {
 public:
  using Activation::Activation;
  /// With this number.
  explicit Hardshrink(double lambd = 0.5) : Activation("", lambd) {}
  /// Returns hardshrink(x, lambd).
  AMP_LAZY Tensor forward(const Tensor& x) const { return hardshrink(x, a_); }
};
/// softshrink(x, lambd).
class Softshrink : public detail::Activation<Softshrink> {
 public:
  using Activation::Activation;
  /// With this number.
  explicit Softshrink(double lambd = 0.5) : Activation("", lambd) {}
  /// Returns softshrink(x, lambd).
  AMP_LAZY Tensor forward(const Tensor& x) const { return softshrink(x, a_); }
};
/// threshold(x, threshold, value).
class Threshold : public detail::Activation<Threshold> {
 public:
  using Activation::Activation;
  /// With these numbers.
  Threshold(double threshold, double value) : Activation("threshold", threshold, "value", value) {}
  /// Returns threshold(x, threshold, value).
  AMP_LAZY Tensor forward(const Tensor& x) const { return amp::threshold(x, a_, b_); }
};

/// rrelu(x, lower, upper), with random slopes in training.
class RReLU : public detail::Activation<RReLU> {
 public:
  using Activation::Activation;
  /// With slopes between these.
  explicit RReLU(double lower = 1.0 / 8, double upper = 1.0 / 3)
      : Activation("lower", lower, "upper", upper) {}
  /// Returns rrelu(x, lower, upper).
  AMP_LAZY Tensor forward(const Tensor& x) const { return rrelu(x, a_, b_, is_training()); }
};

/// prelu(x, weight): one slope, or one for each channel, weight [num_parameters].
class PReLU : public Layer<PReLU> {
 public:
  using Layer::Layer;
  /// Slopes that start as `init`.
  explicit PReLU(std::int64_t num_parameters = 1, double init = 0.25);
  /// Returns prelu(x, weight).
  AMP_LAZY Tensor forward(const Tensor& x) const { return prelu(x, registered("weight", weight)); }

  Tensor weight;
};

/// gelu(x, form).
class GELU : public Layer<GELU> {
 public:
  using Layer::Layer;
  /// With this form of gelu.
  explicit GELU(GeluForm form = GeluForm::kErf) : form_(form) {
    set_extra_repr({{"approximate", form == GeluForm::kErf ? "'none'" : "'tanh'"}});
  }
  /// Returns gelu(x, form).
  AMP_LAZY Tensor forward(const Tensor& x) const { return gelu(x, form_); }

 private:
  GeluForm form_ = GeluForm::kErf;
};

/// glu(x, dim).
class GLU : public detail::AlongDim<GLU> {
 public:
  using AlongDim::AlongDim;
  /// Along the last dimension.
  GLU() : AlongDim(-1) {}
  /// Returns glu(x, dim).
  AMP_LAZY Tensor forward(const Tensor& x) const { return glu(x, dim_); }
};
/// softmax(x, dim).
class Softmax : public detail::AlongDim<Softmax> {
 public:
  using AlongDim::AlongDim;
  Softmax() = delete;  // along which dimension?
  /// Returns softmax(x, dim).
  AMP_LAZY Tensor forward(const Tensor& x) const { return softmax(x, dim_); }
};
/// log_softmax(x, dim).
class LogSoftmax : public detail::AlongDim<LogSoftmax> {
 public:
  using AlongDim::AlongDim;
  LogSoftmax() = delete;  // along which dimension?
  /// Returns log_softmax(x, dim).
  AMP_LAZY Tensor forward(const Tensor& x) const { return log_softmax(x, dim_); }
};
/// softmin(x, dim).
class Softmin : public detail::AlongDim<Softmin> {
 public:
  using AlongDim::AlongDim;
  Softmin() = delete;  // along which dimension?
  /// Returns softmin(x, dim).
  AMP_LAZY Tensor forward(const Tensor& x) const { return softmin(x, dim_); }
};
/// softmax over the channels of [N, C, H, W] or [C, H, W].
class Softmax2d : public Layer<Softmax2d> {
 public:
  using Layer::Layer;
  /// Returns softmax(x, -3).
  AMP_LAZY Tensor forward(const Tensor& x) const {
    AMP_CHECK(x.defined() && (x.dim() == 3 || x.dim() == 4),
              "nn::Softmax2d: `x` must be [N, C, H, W] or [C, H, W], but is ", describe(x));
    return softmax(x, -3);
  }
};

}  // namespace amp::inline v0::nn

#if AMP_HEADER_ONLY
#include "amp/nn/activation.ipp"
#endif
