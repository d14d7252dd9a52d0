// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Weights that are not in the parameter alone, and parameters that somebody else writes: whoever
// does (load_state_dict of a module, a clamp, an average of weights) need not know what an
// optimizer keeps elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "amp/device/capture.hpp"
#include "amp/ops/comparison.hpp"
#include "amp/optim/weight_storage.hpp"

namespace amp::inline v0::detail {

/// Makes `rest` one of what `parameter` holds, where it is that of another weight. All other
/// elements keep the bits that they have beyond the parameter's. (A remainder goes with any
/// parameter.) No autocast scope reaches this.
inline void follow_parameter(WeightStorage storage, const Tensor& parameter, const Tensor& rest) {
  const Shape& shape = rest.shape();
  if (storage == WeightStorage::kMaster) {
    const Tensor same = binary_kernel<&kernels::Backend::eq, kernels::host::eq>(
        copy_as(rest, parameter.dtype()), parameter, shape, kBool);
    copy_elements(where_kernel(same, rest.operand(), parameter.operand(), shape, kFloat32), rest);
  }
  if (storage == WeightStorage::kKahan) {  // at most half a unit in the last of 8 bits
    const auto magnitude = [](const Tensor& x) {
      return unary_kernel<&kernels::Backend::abs, kernels::host::abs>(x, kFloat32);
    };
    const Tensor same = binary_kernel<&kernels::Backend::le, kernels::host::le>(
        magnitude(rest), scale(magnitude(parameter), 0x1p-8), shape, kBool);
    copy_elements(where_kernel(same, rest.operand(), zero_on(rest.device()), shape, kBFloat16),
                  rest);
  }
}

/// Knows the version of each parameter that its optimizer wrote last. Parameters and rests are the
/// optimizer's; rests have none for some.
class WeightSync {
 public:
  /// The optimizer wrote parameter i, and its rest with it.
  void wrote(const std::vector<Tensor>& parameters, std::size_t i) {
    written_.resize(parameters.size());
    written_[i] = Written(parameters[i]);
  }
  /// Before weights are read: rests follow what somebody else wrote.
  void follow(const std::vector<Tensor>& parameters, std::span<const OptimizerState> rests) {
    for (const OptimizerState& rest : rests) {
      for (std::size_t i = 0; i < rest.tensors.size(); ++i) {
        if (!rest.has(i) || is_current(parameters, i)) continue;
        follow_parameter(rest.storage, parameters[i], rest.tensors[i]);
        wrote(parameters, i);
      }
    }
  }
  /// In a recording: so they do before each replay. A replay counts as the optimizer's own writing
  /// where its step is the last to write the parameter. The arguments outlive the graph.
  void follow_in(Capture& recording, const std::vector<Tensor>& parameters,
                 std::span<const OptimizerState> rests) {
    const auto stepped = std::make_shared<std::vector<std::size_t>>();
    recording.when_recorded([this, &parameters, stepped] {
      for (std::size_t i = 0; i < written_.size(); ++i) {
        if (is_current(parameters, i)) stepped->push_back(i);
      }
    });
    recording.before_replay([this, &parameters, rests] { follow(parameters, rests); });
    recording.after_replay([this, &parameters, stepped] {
      for (const std::size_t i : *stepped) wrote(parameters, i);
    });
  }

 private:
  /// Which memory a parameter has, and how often it was written.
  struct Written {
    const void* memory = nullptr;
    std::uint64_t version = 0;

    Written() = default;
    explicit Written(const Tensor& p) : memory(p.impl().storage.get()), version(p.version()) {}
    friend bool operator==(const Written&, const Written&) = default;
  };
  bool is_current(const std::vector<Tensor>& parameters, std::size_t i) const {
    return i < written_.size() && written_[i] == Written(parameters[i]);
  }

  std::vector<Written> written_;
};

}  // namespace amp::inline v0::detail
