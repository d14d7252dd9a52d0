// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "amp/autocast/call.hpp"
#include "amp/autograd/function.hpp"
#include "amp/autograd/grad_mode.hpp"
#include "amp/core/error.hpp"
#include "amp/distributed/sync_batch_norm.hpp"
#include "amp/ops/arithmetic.hpp"
#include "amp/ops/elementary.hpp"
#include "amp/ops/norm.hpp"
#include "amp/ops/reduce.hpp"
#include "amp/ops/tensor_members.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0::nn::detail {

/// What backward needs. All are [1, C, 1, ...], but `count` has one element.
struct SynchronizedStatistics {
  Tensor mean, rstd, count;  // of all ranks
};

/// Changes what is attached to a module.
class Attachment {
 public:
  static void set(const Module& owner, const Ref<RefCounted>& attached, std::string_view type) {
    owner.state().attached = attached;
    owner.state().type = type;
  }
};

/// A batch norm over the ranks of a communicator. It is a template so that only programs that use
/// it compile it, as lazy functions are.
template <class = void>
class RanksBatchNorm final : public SynchronizedBatchNorm {
 public:
  explicit RanksBatchNorm(Communicator& communicator) : communicator_(communicator) {}

  Tensor forward(const Tensor& x, const Tensor& running_mean, const Tensor& running_var,
                 const Tensor& weight, const Tensor& bias, double momentum, double eps) override;

 private:
  /// The means and variances of the channels of all ranks [C], and how many values each has.
  struct Moments {
    Tensor mean, var, count;
  };
  Moments moments(const Tensor& x) const;
  autograd::Gradients<3> backward(const Tensor& x, const Tensor& weight,
                                  const SynchronizedStatistics& statistics, const Tensor& gradient,
                                  const autograd::Needs<3>& needs, DType bias_dtype) const;

  Communicator& communicator_;
};

/// All dimensions but that of the channels.
AMP_LAZY Dims others(const Tensor& x) {
  amp::detail::PoolVector<std::int64_t> dims;
  for (int d = 0; d < x.dim(); ++d) {
    if (d != 1) dims.push_back(d);
  }
  return Dims(dims);
}

/// [C] as [1, C, 1, ...].
AMP_LAZY Tensor along_channels(const Tensor& values, const Tensor& x) {
  amp::detail::PoolVector<std::int64_t> shape(static_cast<std::size_t>(x.dim()), 1);
  shape[1] = -1;
  return values.reshape(shape);
}

template <class Lazy>
typename RanksBatchNorm<Lazy>::Moments RanksBatchNorm<Lazy>::moments(const Tensor& x) const {
  const std::int64_t channels = x.size(1), count = channels == 0 ? 0 : x.numel() / channels;
  const TensorOptions options{.dtype = promote_types(x.dtype(), kFloat32), .device = x.device()};
  // Of each rank: means, sums of squared distances from them, and the number of values.
  const Tensor all = zeros({communicator_.size(), 2 * channels + 1}, options);
  const Tensor own = all.select(0, communicator_.rank());
  if (count > 0) {
    const auto [var, mean] = var_mean(x.to(*options.dtype), others(x), 0);
    own.narrow(0, 0, channels).copy_(mean);
    own.narrow(0, channels, channels).copy_(var * count);
    own.narrow(0, 2 * channels, 1).fill_(static_cast<double>(count));
  }
  communicator_.all_gather(all).wait();
  // Chan et al. 1979, "Updating formulae and a pairwise algorithm for computing sample variances".
  const Tensor means = all.narrow(1, 0, channels), squares = all.narrow(1, channels, channels),
               counts = all.narrow(1, 2 * channels, 1);
  const Tensor total = sum(counts), mean = sum(means * counts, 0) / total;
  const Tensor distance = means - mean;
  return {mean, sum(squares + distance * distance * counts, 0) / total, total};
}

template <class Lazy>
Tensor RanksBatchNorm<Lazy>::forward(const Tensor& x, const Tensor& running_mean,
                                     const Tensor& running_var, const Tensor& weight,
                                     const Tensor& bias, double momentum, double eps) {
  AMP_CHECK(is_floating_point(x.dtype()) && communicator_.takes(x.device()),
            "SyncBatchNorm: `x` must be floating point on a device that the communicator \"",
            communicator_.engine(), "\" takes, but is ", describe(x));
  const Tensor& parameter = weight.defined() ? weight : running_mean;
  AMP_CHECK(!parameter.defined() || parameter.size(0) == x.size(1), "SyncBatchNorm: `x` must have ",
            parameter.size(0), " channels in dimension 1, but is ", describe(x));
  AMP_CHECK(communicator_.size() > 1 || x.numel() != x.size(1),
            "SyncBatchNorm: training needs more than one value per channel, but `x` is ",
            describe(x));
  const autocasting::NoCasts no_casts;
  Tensor y;
  SynchronizedStatistics statistics;
  {
    const NoGradGuard no_grad;
    const auto [mean, var, count] = moments(x);
    y = batch_norm(x, mean, var, weight, bias, false, 0, eps);
    if (!is_recomputing()) {
      const auto move = [&](const Tensor& running, const Tensor& now) {
        if (running.defined()) running.copy_(running * (1 - momentum) + now * momentum);
      };
      move(running_mean, mean);
      move(running_var, var * (count / (count - 1)));
    }
    statistics = {along_channels(mean, x), along_channels(rsqrt(var + eps), x), count};
  }
  if (autograd::recording(x, weight, bias)) {
    autograd::record(
        "sync_batch_norm", y,
        [self = Ref<RanksBatchNorm>(this), statistics, in = autograd::SavedTensor(x),
         w = autograd::SavedTensor(weight), bias_dtype = bias.defined() ? bias.dtype() : kFloat32](
            const Tensor& gradient, const autograd::Needs<3>& needs) {
          return self->backward(in.get("sync_batch_norm"), w.get("sync_batch_norm"), statistics,
                                gradient, needs, bias_dtype);
        },
        x, weight, bias);
  }
  return y;
}

template <class Lazy>
autograd::Gradients<3> RanksBatchNorm<Lazy>::backward(const Tensor& x, const Tensor& weight,
                                                      const SynchronizedStatistics& statistics,
                                                      const Tensor& gradient,
                                                      const autograd::Needs<3>& needs,
                                                      DType bias_dtype) const {
  const autocasting::NoCasts no_casts;
  const auto& [mean, rstd, count] = statistics;
  const std::int64_t channels = x.size(1);
  const Tensor grad = gradient.to(mean.dtype());
  const Tensor normed = (x.to(mean.dtype()) - mean) * rstd;
  const Tensor sums = zeros({2, channels}, {.dtype = mean.dtype(), .device = x.device()});
  if (x.numel() > 0) {
    sums.select(0, 0).copy_(sum(grad, others(x)));
    sums.select(0, 1).copy_(sum(grad * normed, others(x)));
  }
  autograd::Gradients<3> gradients;
  if (needs[1]) gradients[1] = sums.select(0, 1).to(weight.dtype()).clone();
  if (needs[2]) gradients[2] = sums.select(0, 0).to(bias_dtype).clone();
  if (!needs[0]) return gradients;
  communicator_.all_reduce(sums).wait();
  const Tensor means = sums / count;
  Tensor grad_x = (grad - along_channels(means.select(0, 0), x) -
                   normed * along_channels(means.select(0, 1), x)) *
                  rstd;
  if (weight.defined()) grad_x = grad_x * along_channels(weight.to(mean.dtype()), x);
  gradients[0] = grad_x.to(x.dtype());
  return gradients;
}

AMP_LAZY_DEFINITION void synchronize_batch_norms(const Module& owner, Communicator& communicator) {
  const auto convert = [&](const auto& self, const Module& one,
                           const Ref<RefCounted>& attached) -> void {
    const std::string_view type = one.type();
    if (type == "SyncBatchNorm" || type == "BatchNorm1d" || type == "BatchNorm2d" ||
        type == "BatchNorm3d")
      Attachment::set(one, attached, "SyncBatchNorm");
    for (const auto& [name, child] : one.named_modules()) self(self, child, attached);
  };
  convert(convert, owner, make_ref<RanksBatchNorm<>>(communicator));
}

}  // namespace amp::inline v0::nn::detail
