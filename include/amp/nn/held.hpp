// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What a module keeps of the modules within it besides their handles: their types.
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "amp/core/error.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::nn {

class Module;

namespace detail {

/// Tensors that are the arguments of a call.
using Arguments = std::span<const Tensor* const>;

/// Makes `tensor` the member `weight` or `bias` if that is its name, and there is such a member.
template <class M>
void assign_member(M& module, std::string_view name, const Tensor& tensor) {
  if constexpr (requires { module.weight = tensor; }) {
    if (name == "weight") module.weight = tensor;
  }
  if constexpr (requires { module.bias = tensor; }) {
    if (name == "bias") module.bias = tensor;
  }
}

/// Throws: modules of this type take another number of tensors.
[[noreturn, gnu::cold]] void fail_arguments(std::string_view type, std::size_t count);

/// A copy of a registered module, in its own type. Its tensors and modules are handles to those of
/// the original.
class AMP_EXPORT Held {
 public:
  virtual ~Held() = default;
  virtual std::shared_ptr<Held> copy() const = 0;
  virtual void assign(std::string_view name, const Tensor& tensor) = 0;
  /// Throws a pointer to the module, const M*. So a handler finds out, without RTTI, whether the
  /// module is of its class, or of one that derives from it.
  [[noreturn]] virtual void throw_module() const = 0;
  /// Calls the module, if it was registered in a container that calls its modules.
  AMP_INLINE virtual Tensor forward(Arguments arguments) const;
};

template <class M>
class HeldOf : public Held {
 public:
  explicit HeldOf(const M& module) : module_(module) {}
  std::shared_ptr<Held> copy() const override { return std::make_shared<HeldOf>(module_); }
  void assign(std::string_view name, const Tensor& tensor) override {
    assign_member(module_, name, tensor);
  }
  [[noreturn]] void throw_module() const override { throw &module_; }

 protected:
  M module_;
};

/// What to keep of a module: null for a class that cannot be copied. AnyModule says itself.
template <class M>
std::shared_ptr<Held> hold(const M& module) {
  if constexpr (requires {
                  { M::hold(module) } -> std::same_as<std::shared_ptr<Held>>;
                }) {
    return M::hold(module);
  } else if constexpr (std::copy_constructible<M>) {
    return amp::detail::or_out_of_memory(
        [&]() -> std::shared_ptr<Held> { return std::make_shared<HeldOf<M>>(module); });
  } else {
    return nullptr;
  }
}

}  // namespace detail
}  // namespace amp::inline v0::nn

#if AMP_HEADER_ONLY
#include "amp/nn/held.ipp"
#endif
