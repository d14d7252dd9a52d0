// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "amp/autograd/function.hpp"
#include "amp/autograd/grad_mode.hpp"
#include "amp/core/error.hpp"
#include "amp/nn/module_call.hpp"
#include "amp/ops/shape.hpp"
#include "amp/ops/tensor_members.hpp"

namespace amp::inline v0::nn {

namespace detail {

AMP_COLD ModuleCall::ModuleCall(const Module& module) : module_(module) {
  autocasting::State& state = amp::detail::current_autocast();
  const bool observed = autograd::is_observed();
  if (!observed && !state.has_module_policies()) return;
  const std::string path = module_.path();
  if (state.has_module_policies()) {
    restore_.emplace();
    state.enter_module(path);
  }
  if (!observed) return;
  autograd::announce_module(path);
  announced_ = true;
}

AMP_COLD void ModuleCall::end(Tensor* output) const {
  if (!module_.has_hooks()) return;
  AMP_CHECK(output != nullptr,
            "hooks of a module see the tensor that it returns, or the member "
            "`output` of a struct, but this module returns neither");
  *output = module_.run_forward_hooks(std::move(*output));
}

/// The same tensor with a history of its own: the module may have returned its input or a
/// parameter, and the hooks must get the gradient of this use alone.
AMP_COLD Tensor own_output(const Tensor& output) {
  const Tensor own = output.alias(output.shape(), output.strides(), output.impl().offset);
  amp::detail::record_move(
      "module_output", own,
      [](const Tensor& gradient, const autograd::Needs<1>&) -> autograd::Gradients<1> {
        return {gradient};
      },
      output);
  return own;
}

template <class Hook>
HookHandle add_hook(Ref<amp::detail::HookList<Hook>>& list, std::string_view call, Hook hook) {
  AMP_CHECK(static_cast<bool>(hook), call, ": `hook` is empty");
  if (!list) list = make_ref<amp::detail::HookList<Hook>>();
  const std::int64_t number = list->add(std::move(hook));
  return HookHandle(list, number);
}

}  // namespace detail

AMP_COLD HookHandle Module::register_forward_hook(ForwardHook hook) const {
  return detail::add_hook(forward_hooks(), "register_forward_hook", std::move(hook));
}
AMP_COLD HookHandle Module::register_backward_hook(BackwardHook hook) const {
  return detail::add_hook(backward_hooks(), "register_backward_hook", std::move(hook));
}

AMP_INLINE RefCounted* Module::attached() const { return state().attached.get(); }

AMP_INLINE bool Module::has_hooks() const {
  return state_ != nullptr && (forward_hooks() || backward_hooks());
}

AMP_COLD Tensor Module::run_forward_hooks(Tensor output) const {
  if (forward_hooks()) {
    for (const auto& [number, hook] : forward_hooks()->all()) {
      if (Tensor changed = (*hook)(*this, output); changed.defined()) output = std::move(changed);
    }
  }
  if (backward_hooks() && !backward_hooks()->empty() && output.defined() &&
      output.requires_grad() && is_grad_enabled()) {
    output = detail::own_output(output);
    for (const auto& [number, hook] : backward_hooks()->all())
      output.register_hook([module = *this, call = hook](const Tensor& gradient) {
        return (*call)(module, gradient);
      });
  }
  return output;
}

AMP_COLD void Module::collect_paths(const std::string& prefix,
                                    std::vector<std::string>& paths) const {
  for (const auto& entry : named_modules()) {
    const std::string path =
        amp::detail::or_out_of_memory([&] { return paths.emplace_back(prefix + entry.first); });
    entry.second.collect_paths(path + ".", paths);
  }
}

AMP_COLD void Module::check_policies(const OpPolicies& policies) const {
  std::vector<std::string> paths;
  collect_paths("", paths);
  const auto is_path_of = [](const std::string& pattern, const std::string& path) {
    return std::count(pattern.begin(), pattern.end(), '.') ==
               std::count(path.begin(), path.end(), '.') &&
           autocasting::matches_module(pattern, path);
  };
  const auto& entries = policies.entries();
  for (auto entry = entries.begin(); entry != entries.end(); ++entry) {
    bool found = entry->module.empty();
    for (const std::string& path : paths) {
      if (!is_path_of(entry->module, path)) continue;
      found = true;
      for (auto other = entries.begin(); other != entry; ++other) {
        AMP_CHECK(other->op != entry->op || other->policy == entry->policy ||
                      !is_path_of(other->module, path),
                  "check_policies: the module \"", path, "\" has two policies for one op, by \"",
                  other->module, "/\" and by \"", entry->module, "/\"");
      }
    }
    AMP_CHECK(found, "check_policies: no module of this one has the path \"", entry->module,
              "\"; there are ", detail::listed(paths));
  }
}

}  // namespace amp::inline v0::nn
