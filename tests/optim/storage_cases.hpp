// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Every optimizer with every storage of weights and moments, on any device.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <amp/amp.hpp>

namespace storage_test {

using amp::DType;
using amp::Tensor;
using amp::WeightStorage;
using Tensors = std::vector<Tensor>;
using Bits = std::vector<unsigned char>;

enum class Formula { kSgd, kMomentum, kNesterov, kAdam, kAdamW, kLion, kLamb };
inline constexpr Formula kFormulas[] = {Formula::kSgd,  Formula::kMomentum, Formula::kNesterov,
                                        Formula::kAdam, Formula::kAdamW,    Formula::kLion,
                                        Formula::kLamb};

struct Case {
  Formula formula = Formula::kAdam;
  DType dtype = amp::kBFloat16;
  WeightStorage storage = WeightStorage::kParameter;
  std::optional<DType> moments = {};
  bool zero_grad = false;
  std::uint64_t seed = 5;

  std::string text() const {
    return std::string("formula ") + std::to_string(static_cast<int>(formula)) + ", " +
           std::string(amp::name(dtype)) + ", " + std::string(amp::name(storage)) + ", moments " +
           (moments ? std::string(amp::name(*moments)) : "unset");
  }
  /// Its formula has powers of their number in it, and exp_avg_sq.
  bool counts_steps() const {
    return formula == Formula::kAdam || formula == Formula::kAdamW || formula == Formula::kLamb;
  }
  double decay() const { return formula == Formula::kSgd ? 0 : 0.03; }
};

/// The dtypes that each storage supports, and float32 parameters, which are their own masters.
inline std::vector<Case> cases() {
  using enum WeightStorage;
  const std::pair<DType, std::vector<WeightStorage>> kept[] = {
      {amp::kBFloat16, {kParameter, kMaster, kRemainder, kStochastic, kKahan}},
      {amp::kFloat16, {kParameter, kMaster, kStochastic}},
      {amp::kFloat32, {kParameter, kRemainder}},
  };
  std::vector<Case> all;
  for (const Formula formula : kFormulas) {
    for (const auto& [dtype, storages] : kept) {
      for (const WeightStorage storage : storages) {
        all.push_back({formula, dtype, storage});
        if (formula == Formula::kSgd) continue;
        if (formula > Formula::kAdamW && dtype != amp::kBFloat16) continue;
        all.push_back({formula, dtype, storage, amp::kBFloat16});
        if (formula > Formula::kAdamW) continue;  // what is stored is stored as by the others
        all.push_back({formula, dtype, storage, amp::kFloat32});
      }
    }
  }
  return all;
}

inline constexpr double kLr = 0.01, kBeta1 = 0.9, kBeta2 = 0.99, kEps = 1e-3, kMu = 0.9;

template <class Options>
Options common(const Case& c) {
  Options options{.lr = kLr};
  options.weight_decay = c.decay();
  options.storage = c.storage;
  options.moments = c.moments;
  options.seed = c.seed;
  options.zero_grad = c.zero_grad;
  return options;
}
/// build<Optimizer>(options) of a case.
template <class Build>
std::unique_ptr<amp::Optimizer> build_as(const Case& c, Build&& build) {
  if (c.formula == Formula::kLion)
    return build.template operator()<amp::Lion>(common<amp::LionOptions>(c));
  if (c.formula == Formula::kLamb) {
    auto options = common<amp::LAMBOptions>(c);
    options.beta2 = kBeta2;
    options.eps = kEps;
    return build.template operator()<amp::LAMB>(options);
  }
  if (!c.counts_steps()) {
    auto options = common<amp::SGDOptions>(c);
    options.momentum = c.formula == Formula::kSgd ? 0 : kMu;
    options.nesterov = c.formula == Formula::kNesterov;
    return build.template operator()<amp::SGD>(options);
  }
  auto options = common<amp::AdamOptions>(c);
  options.beta2 = kBeta2;
  options.eps = kEps;
  if (c.formula == Formula::kAdam) return build.template operator()<amp::Adam>(options);
  return build.template operator()<amp::AdamW>(options);
}
inline std::unique_ptr<amp::Optimizer> make(const Case& c, const Tensors& params) {
  return build_as(c, [&]<class Optimizer>(const auto& options) -> std::unique_ptr<amp::Optimizer> {
    return std::make_unique<Optimizer>(params, options);
  });
}

/// Lengths below, at and beyond a vector, a block and a piece.
inline constexpr std::int64_t kLengths[] = {1, 7, 40, 1030, 4101, 0};

inline Tensors parameters(DType dtype, amp::Device device) {
  amp::manual_seed(17);
  Tensors all;
  for (const std::int64_t n : kLengths)
    all.push_back(amp::randn({n}).to(dtype).to(device).detach().requires_grad_());
  return all;
}
/// Gradients of step `step`, each times `scale`.
inline void set_gradients(const Tensors& params, int step, DType dtype, double scale = 1) {
  amp::manual_seed(static_cast<std::uint64_t>(1000 + step));
  for (const Tensor& p : params) {
    const Tensor exact = (amp::randn(p.shape()) * 0.3).to(amp::kBFloat16).to(amp::kFloat32);
    p.set_grad((exact * scale).to(dtype).to(p.device()));
  }
}

inline Bits bits_of(const Tensor& tensor) {
  const Tensor host = tensor.detach().to(amp::kCPU).contiguous();
  Bits bits(static_cast<std::size_t>(host.numel() * amp::item_size(host.dtype())));
  if (!bits.empty()) std::memcpy(bits.data(), host.raw_data(), bits.size());
  return bits;
}
inline std::vector<Bits> bits_of(const Tensors& tensors) {
  std::vector<Bits> all;
  for (const Tensor& tensor : tensors) all.push_back(bits_of(tensor));
  return all;
}
/// Parameters, and all that the optimizer remembers.
inline std::vector<Bits> bits_of(const Tensors& params, const amp::Optimizer& optimizer) {
  std::vector<Bits> all = bits_of(params);
  for (const auto& [name, tensor] : optimizer.state_dict()) all.push_back(bits_of(tensor));
  return all;
}

}  // namespace storage_test
