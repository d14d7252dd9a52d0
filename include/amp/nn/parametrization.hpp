// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Weights that a layer computes from other parameters each time it is called.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>

#include "amp/nn/module.hpp"

namespace amp::inline v0::nn {

namespace detail {

AMP_LAZY void add_weight_norm(const Module& module, const std::string& name, std::int64_t dim);
AMP_LAZY void add_spectral_norm(const Module& module, const std::string& name,
                                std::int64_t iterations, double eps,
                                std::optional<std::int64_t> dim);
AMP_LAZY void remove_parametrization(const Module& module, const std::string& name);

}  // namespace detail

/// Makes the layer compute its parameter `name` as a direction v and a length g for each index of
/// dimension `dim`, which are trained: w = g v / |v|. With a `dim` of -1 there is one length.
/// Returns the layer, whose values stay what they were. Names in the state_dict() are those of
/// torch.nn.utils.parametrizations: parametrizations.weight.original0 (g) and .original1 (v). The
/// member `weight` is the direction from then on. An optimizer is to be made afterwards.
///
/// It works for the layers of the library, and for modules that compute with registered("name",
/// member). Autocast does not lower the precision in which the weight is computed.
/// Source: Salimans and Kingma 2016, arXiv 1602.07868.
///
/// ```cpp
/// const amp::nn::Conv1d conv = amp::nn::weight_norm(amp::nn::Conv1d(4, 8, 3));
/// assert(conv.named_parameters()[1].first == "parametrizations.weight.original0");
/// assert(conv(amp::ones({1, 4, 5})).shape() == amp::Shape(1, 8, 3));
/// ```
template <std::derived_from<Module> M>
M weight_norm(const M& layer, const std::string& name = "weight", std::int64_t dim = 0) {
  detail::add_weight_norm(layer, name, dim);
  return layer;
}

/// Makes the layer compute with its parameter `name` divided by its largest singular value, as a
/// matrix whose rows are the indices of `dim`: unset, 1 for transposed convolutions, and else 0.
/// The singular value is that of the vectors in the buffers parametrizations.weight.0._u and ._v,
/// which each call in training brings closer by `n_power_iterations` steps of the power method. A
/// parameter of one dimension is divided by its norm. Else as weight_norm(); the trained parameter
/// is parametrizations.weight.original.
/// Source: Miyato et al. 2018, arXiv 1802.05957.
template <std::derived_from<Module> M>
M spectral_norm(const M& layer, const std::string& name = "weight",
                std::int64_t n_power_iterations = 1, double eps = 1e-12,
                std::optional<std::int64_t> dim = {}) {
  detail::add_spectral_norm(layer, name, n_power_iterations, eps, dim);
  return layer;
}

/// Makes what the layer computes as `name` a parameter again, with the values that it has now.
/// Throws if it is a parameter.
template <std::derived_from<Module> M>
M remove_parametrizations(const M& layer, const std::string& name = "weight") {
  detail::remove_parametrization(layer, name);
  return layer;
}
/// The same under the names that torch had before.
template <std::derived_from<Module> M>
M remove_weight_norm(const M& layer, const std::string& name = "weight") {
  return remove_parametrizations(layer, name);
}
template <std::derived_from<Module> M>
M remove_spectral_norm(const M& layer, const std::string& name = "weight") {
  return remove_parametrizations(layer, name);
}

}  // namespace amp::inline v0::nn

#if AMP_HEADER_ONLY
#include "amp/nn/parametrization.ipp"
#endif
