// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Deep copies of modules.
#pragma once

#include <concepts>

#include "amp/core/error.hpp"
#include "amp/nn/module.hpp"
#include "amp/tensor/cloning.hpp"

namespace amp::inline v0::nn {

/// Another module with the same values: parameters, buffers and the modules within it are its own,
/// registered under the same names, on the same devices and in the same dtypes. Training mode,
/// requires_grad, tied weights and the module's hooks (copies of the functions) stay; gradients,
/// hooks of tensors and the history of buffers do not. An optimizer of the original does not train
/// the clone. The clone of an empty module is empty.
///
/// It is made by the copy constructor of M, in whose course every copy of a handle to a registered
/// tensor, or to any module, becomes a handle to the clone's. All members that hold their parts by
/// value follow, a std::vector<Linear> too. A pointer, a std::shared_ptr or a reference among the
/// members, and a tensor that is not registered, still refer to the original's.
///
/// ```cpp
/// const amp::nn::Linear net(2, 1);
/// const amp::nn::Linear best = amp::nn::clone(net);  // or net.clone()
/// const float kept = net.weight.const_data<float>()[0];
/// net.weight.detach().fill_(7);
/// assert(best.weight.const_data<float>()[0] == kept);
/// net.load_state_dict(best.state_dict());
/// assert(net.weight.const_data<float>()[0] == kept);
/// ```
template <std::derived_from<Module> M>
  requires std::copy_constructible<M>
[[nodiscard]] M clone(const M& module) {
  const amp::detail::Cloning scope;
  return amp::detail::or_out_of_memory([&] { return M(module); });
}

}  // namespace amp::inline v0::nn

#if AMP_HEADER_ONLY
#include "amp/nn/clone.ipp"
#endif
