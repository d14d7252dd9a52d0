// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "amp/autograd/grad_mode.hpp"
#include "amp/core/error.hpp"
#include "amp/nn/module_state.hpp"
#include "amp/nn/parametrization.hpp"
#include "amp/ops/arithmetic.hpp"
#include "amp/ops/elementary.hpp"
#include "amp/ops/reduce.hpp"
#include "amp/ops/tensor_members.hpp"
#include "amp/ops/vector_norm.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0::nn::detail {

/// The parts of modules that parametrizations change. In the module, a computed parameter `name`
/// is what the module "parametrizations" holds under this name: the original parameters, and a
/// module "0", which says what is computed and may have buffers.
class Parametrization {
 public:
  using Compute = std::function<Tensor(const Module& source)>;

  /// A tensor of the source.
  static const Tensor& original(const Module& source, std::size_t i) {
    return source.state().parameters[i].second;
  }
  static const Tensor& buffer(const Module& source, std::size_t i) {
    return source.state().modules.front().second.state().buffers[i].second;
  }

  /// The parameter of that name. Throws, naming the call, if it cannot be parametrized.
  AMP_LAZY static Tensor find(std::string_view call, const Module& owner, const std::string& name) {
    const Tensor tensor = detail::find(call, "parameter", owner.state().parameters, name);
    AMP_CHECK(tensor.defined() && is_floating_point(tensor.dtype()), call, ": \"", name,
              "\" must be floating point, but is ", describe(tensor));
    return tensor;
  }

  /// Makes the module compute the parameter `name`. `source` has the originals.
  AMP_LAZY static void add(const Module& owner, const std::string& name, Module source,
                           const Module& step, std::string_view step_type, const Compute& compute) {
    Module all = child(owner, "parametrizations");
    if (!all.defined())
      all = typed(Module(owner).register_module("parametrizations", Module()), "ModuleDict");
    source = all.register_module(name, typed(source, "ParametrizationList"));
    (void)source.register_module("0", typed(step, step_type));
    Module::State& state = owner.state();
    amp::detail::or_out_of_memory([&] { state.computed.push_back({name, source, compute}); });
    std::erase_if(state.parameters, [&](const auto& entry) { return entry.first == name; });
  }

  /// Makes the last original the parameter, with the values that are computed now.
  AMP_LAZY static void remove(const Module& owner, const std::string& name) {
    Module::State& state = owner.state();
    for (auto computed = state.computed.begin(); computed != state.computed.end(); ++computed) {
      if (computed->name != name) continue;
      const Tensor parameter = computed->source.state().parameters.back().second;
      const NoGradGuard no_grad;
      parameter.copy_(computed->compute(computed->source));
      amp::detail::or_out_of_memory([&] { state.parameters.emplace_back(name, parameter); });
      state.computed.erase(computed);
      const Module all = child(owner, "parametrizations");
      erase_child(all, name);
      if (all.named_modules().empty()) erase_child(owner, "parametrizations");
      return;
    }
    amp::detail::fail("remove_parametrizations: \"", name, "\" is not computed in this module");
  }

 private:
  static Module typed(const Module& owner, std::string_view type) {
    owner.set_type(type);
    return owner;
  }
  AMP_LAZY static Module child(const Module& owner, std::string_view name) {
    for (const auto& [known, child] : owner.named_modules()) {
      if (known == name) return child;
    }
    return nullptr;
  }
  AMP_LAZY static void erase_child(const Module& owner, std::string_view name) {
    const Module old = child(owner, name);
    std::erase_if(owner.state().modules, [&](const auto& entry) { return entry.first == name; });
    owner.leave(std::string(name), old);
  }
};

/// The norms of v for each index of `dim`, with the dimensions of v, or of all of v, 0-dimensional.
AMP_LAZY Tensor norm_except(const Tensor& v, std::int64_t dim) {
  if (dim < 0) return norm(v);
  amp::detail::PoolVector<std::int64_t> dims;
  for (std::int64_t d = 0; d < v.dim(); ++d) {
    if (d != dim) dims.push_back(d);
  }
  return dims.empty() ? sqrt(v * v) : norm(v, 2, Dims(dims), true);
}

AMP_LAZY_DEFINITION void add_weight_norm(const Module& owner, const std::string& name,
                                         std::int64_t dim) {
  const Tensor v = Parametrization::find("weight_norm", owner, name);
  AMP_CHECK(dim >= -1 && dim < v.dim(), "weight_norm: `dim` must be from -1 to ", v.dim() - 1,
            " for \"", name, "\" ", describe(v), ", but is ", dim);
  Module source;
  (void)source.register_parameter("original0", norm_except(v.detach(), dim), v.requires_grad());
  (void)source.register_parameter("original1", v, v.requires_grad());
  Parametrization::add(owner, name, source, Module(), "_WeightNorm", [dim](const Module& from) {
    const Tensor &g = Parametrization::original(from, 0), &w = Parametrization::original(from, 1);
    return w * (g / norm_except(w, dim));
  });
}

/// The weight as a matrix whose rows are the indices of `dim`.
AMP_LAZY Tensor as_matrix(const Tensor& weight, std::int64_t dim) {
  return weight.movedim(dim, 0).flatten(1, -1);
}

/// matrix @ v, in the precision of sum(), which autocast does not lower.
AMP_LAZY Tensor times(const Tensor& matrix, const Tensor& v) { return sum(matrix * v, 1); }

/// Steps of the power method: in place, u and v come closer to singular vectors of the matrix.
AMP_LAZY void iterate(const Tensor& matrix, const Tensor& u, const Tensor& v, std::int64_t steps,
                      double eps) {
  const NoGradGuard no_grad;
  for (std::int64_t i = 0; i < steps; ++i) {
    u.copy_(normalize(times(matrix, v), 2, 0, eps));
    v.copy_(normalize(times(matrix.t(), u), 2, 0, eps));
  }
}

AMP_LAZY_DEFINITION void add_spectral_norm(const Module& owner, const std::string& name,
                                           std::int64_t iterations, double eps,
                                           std::optional<std::int64_t> dim) {
  const Tensor weight = Parametrization::find("spectral_norm", owner, name);
  AMP_CHECK(iterations >= 1, "spectral_norm: `n_power_iterations` must be at least 1, but is ",
            iterations);
  const std::int64_t dims = weight.dim(),
                     given = dim.value_or(owner.type().starts_with("ConvTranspose") ? 1 : 0),
                     rows = given < 0 ? given + dims : given;
  AMP_CHECK(rows >= 0 && rows < dims, "spectral_norm: `dim` must be from ", -dims, " to ", dims - 1,
            " for \"", name, "\" ", describe(weight), ", but is ", given);
  Module source, step;
  (void)source.register_parameter("original", weight, weight.requires_grad());
  if (dims > 1) {
    const Tensor matrix = as_matrix(weight.detach(), rows);
    const auto draw = [&](const char* buffer, std::int64_t count) {
      const Tensor x = randn({count}, {.device = weight.device()}).to(weight.dtype());
      return step.register_buffer(buffer, normalize(x, 2, 0, eps));
    };
    const Tensor u = draw("_u", matrix.size(0)), v = draw("_v", matrix.size(1));
    iterate(matrix, u, v, 15, eps);
  }
  Parametrization::add(
      owner, name, source, step, "_SpectralNorm", [rows, iterations, eps](const Module& from) {
        const Tensor& w = Parametrization::original(from, 0);
        if (w.dim() == 1) return normalize(w, 2, 0, eps);
        const Tensor matrix = as_matrix(w, rows);
        const Tensor &u = Parametrization::buffer(from, 0), &v = Parametrization::buffer(from, 1);
        if (from.is_training() && !is_recomputing()) iterate(matrix, u, v, iterations, eps);
        // Copies, since the next call changes the buffers, maybe before this one's backward.
        return w / sum(u.clone() * times(matrix, v.clone()));
      });
}

AMP_LAZY_DEFINITION void remove_parametrization(const Module& owner, const std::string& name) {
  Parametrization::remove(owner, name);
}

}  // namespace amp::inline v0::nn::detail
