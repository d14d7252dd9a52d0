// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The states that an optimizer stores for each parameter: their dtypes, shapes and first values;
// and the conversion of weights between float32 and any storage.
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

/// Returns the name of the enumerator, as "kMaster".
std::string_view name(WeightStorage storage);

namespace detail {

/// The options of a group that choose the storage of its parameters and the dtype of its moments.
struct StateChoice {
  WeightStorage storage = WeightStorage::kParameter;
  std::optional<DType> moments = {};
  double first = 0;           // the value that moments begin with
  bool takes_blocks = false;  // whether moments may be kUInt8
};

/// Returns the storage of the weights of a parameter of this dtype.
WeightStorage storage_of(const StateChoice& choice, DType parameter);
/// Returns the dtype of a parameter's moments: kUInt8 if they are blocks of 8 bits.
DType moment_dtype(const StateChoice& choice, const Tensor& parameter);

/// Throws if the parameter does not support this choice.
void check_choice(std::string_view optimizer, std::size_t i, const Tensor& p,
                  const StateChoice& choice);

/// One state of an optimizer: a tensor for each parameter, undefined until it is first needed.
struct OptimizerState {
  enum Kind : std::uint8_t {
    kCount,    ///< an int64 scalar, 0 at first, that may exist from the start
    kProduct,  ///< a float64 scalar, 1 at first, that exists from the start
    kMoment,   ///< of the parameter's shape, of shape_of(), or blocks of 8 bits
    kRest,     ///< the auxiliary state of weights in one storage
  };

  std::string_view name;
  Kind kind = kMoment;
  WeightStorage storage = WeightStorage::kParameter;  // for kRest: the storage it belongs to
  bool may_lack = false;  // a parameter may have other states without this one
  /// Unless null: the shape of a moment for parameters of a shape; none if they have no such state.
  std::optional<Shape> (*shape_of)(const Shape& parameter) = nullptr;
  PoolVector<Tensor> tensors = {};
  PoolVector<std::pair<std::size_t, Tensor>> created = {};  // by a step that is not applied yet

  /// Whether this is one number for each parameter.
  bool is_scalar() const { return kind == kCount || kind == kProduct; }
  /// Whether shape_of() gives parameters of this shape no such state.
  bool is_none_of(const Shape& parameter) const {
    return shape_of != nullptr && !shape_of(parameter).has_value();
  }
  /// The dtype of this state for a parameter, or none if the parameter has no such state.
  std::optional<DType> dtype(const StateChoice& choice, const Tensor& parameter) const;
  /// The shape of this state in that dtype. A remainder has two bytes for each element, [numel, 2],
  /// because there is no dtype of 16-bit integers. Moments of 8 bits are [blocks, 260].
  Shape shape(const Tensor& parameter, DType dtype) const;
  bool has(std::size_t i) const { return i < tensors.size() && tensors[i].defined(); }

  /// Takes the values of `loaded`, in place if the dtypes, shapes and devices agree: a graph may
  /// have recorded the addresses.
  void replace(const PoolVector<Tensor>& loaded);
  /// Returns the memory of this state for parameter i of `count`. If there is none, a tensor is
  /// created: a master is a copy of the parameter, moments begin with choice.first, and every other
  /// state is zero.
  void* of(std::size_t i, const Tensor& parameter, const StateChoice& choice, std::size_t count);
  /// Moves what of() created into `tensors`, after the step was applied.
  void keep_created();
};

/// Returns a copy of the weights of a parameter, in float32, or in float64 if that is its dtype.
/// `aux_state` may be undefined. Synchronises if it is defined.
Tensor join_weights(WeightStorage storage, const Tensor& parameter, const Tensor& aux_state);

/// Returns the parameter and the auxiliary state (undefined if the storage has none) that represent
/// `weights`: new tensors, on the device of `parameter`. Synchronises for kRemainder and kKahan.
std::pair<Tensor, Tensor> split_weights(WeightStorage storage, const Tensor& weights,
                                        const Tensor& parameter);

}  // namespace detail
}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/optim/weight_storage.ipp"
#endif
