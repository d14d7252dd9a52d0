// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Layer: a module that can be called.
#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "amp/core/error.hpp"
#include "amp/nn/apply.hpp"
#include "amp/nn/clone.hpp"
#include "amp/nn/module.hpp"
#include "amp/nn/module_call.hpp"

namespace amp::inline v0::nn {

namespace detail {

/// Adds the path of the module to an error that leaves it, or its type if it is within no other.
[[gnu::cold]] void add_module(Error& error, const Module& module);
/// Throws: a layer of this type is used, but it is empty.
[[noreturn, gnu::cold]] void fail_empty(std::string_view type);

/// Whether a module of type M, which may be const, has a forward for these arguments that returns
/// something.
template <class M, class... Arguments>
concept HasForward = requires(M& callee, const Arguments&... arguments) {
  callee.forward(arguments...);
  requires !std::is_void_v<decltype(callee.forward(arguments...))>;
};

/// What a call returns: a Tensor, if the result of forward is one or converts to one. (Were it
/// deduced, a call in a function that is never used would be compiled.)
template <class M, class... Arguments>
struct CallResultOf {
  using Type = Tensor;  // there is no such forward: forward() below says so
};
template <class M, class... Arguments>
  requires HasForward<const M, Arguments...>
struct CallResultOf<M, Arguments...> {
  using Result = decltype(std::declval<const M&>().forward(std::declval<const Arguments&>()...));
  using Type =
      std::conditional_t<std::convertible_to<Result, Tensor>, Tensor, std::remove_cvref_t<Result>>;
};
template <class M, class... Arguments>
using CallResult = typename CallResultOf<M, Arguments...>::Type;

/// The tensor that hooks see in what a call returns: it itself, the member `output` of a struct,
/// the `data` of packed sequences, the `h` of states; null if there is none.
template <class Result>
Tensor* seen_by_hooks(Result& result) {
  if constexpr (std::same_as<Result, Tensor>)
    return &result;
  else if constexpr (requires { result.output; })
    return seen_by_hooks(result.output);
  else if constexpr (requires { result.data; })
    return seen_by_hooks(result.data);
  else if constexpr (requires { result.h; })
    return seen_by_hooks(result.h);
  else
    return nullptr;
}

/// Calls module.forward(arguments...). An error that leaves it names the module.
template <class M, class... Arguments>
  requires HasForward<const M, Arguments...> CallResult<M, Arguments...> forward(
      const M& module, const Arguments&... arguments) {
    try {
      if (!ModuleCall::is_needed(module)) [[likely]]
        return module.forward(arguments...);
      ModuleCall call(module);
      CallResult<M, Arguments...> result = module.forward(arguments...);
      call.end(seen_by_hooks(result));
      return result;
    } catch (Error& error) {
      detail::add_module(error, module);
      throw;
    }
  }
/// For the other modules: says what is wrong.
template <class M, class... Arguments>
Tensor forward(const M&, const Arguments&...) {
  static_assert(!HasForward<M, Arguments...>,
                "`forward` must be const: Tensor forward(const Tensor& x) const");
  static_assert(HasForward<M, Arguments...>,
                "the module has no public `forward` that takes these arguments and returns a "
                "result: Tensor forward(const Tensor& x) const");
  return Tensor();
}

}  // namespace detail

/// Base of modules that can be called: module(x) and module->forward(x) are module.forward(x). It
/// returns a tensor, or a struct of several. Hooks see the tensor, or the member `output` of the
/// struct (`h` if it has only states); a module with hooks throws if its struct has neither. A
/// layer that was made of nullptr, or without the arguments that it needs, is empty until it is
/// assigned, and throws if it is used before.
template <class Self>
class Layer : public Module {
 public:
  /// No layer yet: to be assigned. The number 0 is no nullptr.
  template <std::same_as<std::nullptr_t> Null>
  Layer(Null) : Module(nullptr) {}
  /// Without children or tensors; named after the type in messages.
  Layer() { set_type(detail::kTypeName<Self>); }

  template <class... Arguments>
  detail::CallResult<Self, Arguments...> operator()(const Arguments&... arguments) const {
    check_defined();
    return detail::forward(static_cast<const Self&>(*this), arguments...);
  }
  const Self* operator->() const {
    check_defined();
    return static_cast<const Self*>(this);
  }

  /// nn::clone() of this layer. For a class derived from Self, call that instead.
  [[nodiscard]] Self clone() const { return nn::clone(static_cast<const Self&>(*this)); }

  /// As Module::apply(); a function that takes a Self is called with this layer, too.
  template <class... Functions>
  void apply(Functions&&... functions) const {
    check_defined();
    this->apply_as(detail::hold(static_cast<const Self&>(*this)), functions...);
  }

  /// As Module::replace_parameter(); also assigns the members `weight` and `bias`.
  Tensor replace_parameter(const std::string& name, Tensor tensor) {
    tensor = Module::replace_parameter(name, std::move(tensor));
    detail::assign_member(static_cast<Self&>(*this), name, tensor);
    forget_replaced(name, tensor);
    return tensor;
  }

 protected:
  void check_defined() const {
    if (!defined()) [[unlikely]]
      detail::fail_empty(detail::kTypeName<Self>);
  }
};

}  // namespace amp::inline v0::nn

#if AMP_HEADER_ONLY
#include "amp/nn/layer.ipp"
#endif
