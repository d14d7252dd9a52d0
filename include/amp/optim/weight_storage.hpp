// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What optimizers keep beside a parameter: in which dtypes, which values at first, and weights as
// float32 from and to any storage.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "amp/core/object_pool.hpp"
#include "amp/kernels/optim/weight_storage.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// The enumerator's name: "kMaster".
std::string_view name(WeightStorage storage);

namespace detail {

/// What a group's options say of the memory of its parameters.
struct StateChoice {
  WeightStorage storage = WeightStorage::kParameter;
  std::optional<DType> moments = {};
};

/// How the weights of a parameter of this dtype are kept.
WeightStorage storage_of(const StateChoice& choice, DType parameter);
DType moment_dtype(const StateChoice& choice, DType parameter);

/// Throws where a parameter cannot be kept so.
void check_choice(std::string_view optimizer, std::size_t i, const Tensor& p,
                  const StateChoice& choice);

/// What an optimizer remembers of each parameter under one name; undefined until first needed.
struct OptimizerState {
  enum Kind : std::uint8_t {
    kCount,   ///< int64 words that exist from the start and keep their place
    kMoment,  ///< of the parameter's shape
    kRest,    ///< of the weights, in one storage
  };

  std::string_view name;
  Kind kind = kMoment;
  WeightStorage storage = WeightStorage::kParameter;  // of an auxiliary state
  bool may_lack = false;                              // where others of the same parameter exist
  PoolVector<Tensor> tensors = {};
  PoolVector<std::pair<std::size_t, Tensor>> created = {};  // by a step that is not taken yet

  /// Its dtype for a parameter; none where that has no such state.
  std::optional<DType> dtype(const StateChoice& choice, DType parameter) const;
  /// A remainder is two bytes for each element: there is no dtype of 16-bit integers.
  Shape shape(const Tensor& parameter) const;
  bool has(std::size_t i) const { return i < tensors.size() && tensors[i].defined(); }

  /// In place where it can be: a graph knows the addresses.
  void replace(const PoolVector<Tensor>& loaded);
  /// Of parameter i of `count`. At first a master is the parameter, all else zero.
  void* of(std::size_t i, const Tensor& parameter, DType dtype, std::size_t count);
  void keep_created();
};

/// The weights of a parameter, in float32, or float64 if that is its dtype; `aux_state` may not exist yet. A
/// copy. Synchronises if there is an auxiliary state.
Tensor join_weights(WeightStorage storage, const Tensor& parameter, const Tensor& aux_state);

/// The parameter and the auxiliary state (undefined if there is none) that stand for `weights`: new
/// tensors, like `parameter`. Split weights synchronise.
std::pair<Tensor, Tensor> split_weights(WeightStorage storage, const Tensor& weights,
                                        const Tensor& parameter);

}  // namespace detail
}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/optim/weight_storage.ipp"
#endif
