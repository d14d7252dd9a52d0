// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Modules whose class is not known when the program is compiled, but can be called with tensors.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "amp/nn/held.hpp"
#include "amp/nn/layer.hpp"
#include "amp/nn/module.hpp"

namespace amp::inline v0::nn {

namespace detail {

/// A module that can be called with one to four tensors, as far as its forward takes so many.
template <class M>
class CallableOf final : public HeldOf<M> {
 public:
  using HeldOf<M>::HeldOf;
  std::shared_ptr<Held> copy() const override {
    return std::make_shared<CallableOf>(this->module_);
  }
  Tensor forward(Arguments x) const override {
    using T = Tensor;
    constexpr bool one = HasForward<const M, T>, two = HasForward<const M, T, T>,
                   three = HasForward<const M, T, T, T>, four = HasForward<const M, T, T, T, T>;
    const M& module = this->module_;
    if constexpr (one || !(two || three || four)) {  // else says what is wrong
      if (x.size() == 1) return detail::forward(module, *x[0]);
    }
    if constexpr (two) {
      if (x.size() == 2) return detail::forward(module, *x[0], *x[1]);
    }
    if constexpr (three) {
      if (x.size() == 3) return detail::forward(module, *x[0], *x[1], *x[2]);
    }
    if constexpr (four) {
      if (x.size() == 4) return detail::forward(module, *x[0], *x[1], *x[2], *x[3]);
    }
    fail_arguments(kTypeName<M>, x.size());
  }
};

/// i, or the place that a negative i counts from the end. Throws if there is none.
std::size_t checked_place(std::string_view type, std::int64_t i, std::size_t size);
/// Goes over the elements of a container by their places.
template <class Container>
class PlaceIterator {
 public:
  PlaceIterator(const Container& container, std::size_t place)
      : container_(&container), place_(place) {}
  decltype(auto) operator*() const { return (*container_)[static_cast<std::int64_t>(place_)]; }
  PlaceIterator& operator++() {
    ++place_;
    return *this;
  }
  bool operator==(const PlaceIterator& other) const { return place_ == other.place_; }

 private:
  const Container* container_;
  std::size_t place_;
};

}  // namespace detail

/// A handle to a module of any class, which can be called with one to four tensors:
///
/// ```cpp
/// const amp::nn::AnyModule layers[] = {amp::nn::Linear(4, 2), amp::nn::ReLU()};
/// amp::Tensor x = amp::ones({3, 4});
/// for (const amp::nn::AnyModule& layer : layers) x = layer(x);
/// assert(x.shape() == amp::Shape(3, 2));
/// ```
class AnyModule : public Module {
 public:
  /// No module yet: to be assigned.
  AnyModule(std::nullptr_t = nullptr) : Module(nullptr) {}
  /// A handle to this module.
  template <std::derived_from<Module> M>
    requires(!std::same_as<M, AnyModule> && std::copy_constructible<M>)
  AnyModule(const M& module) : AnyModule(module, hold(module)) {
    if (type() == detail::kNoType) set_type(detail::kTypeName<M>);
  }
  AnyModule(const AnyModule& other);
  AnyModule(AnyModule&&) noexcept = default;
  AnyModule& operator=(const AnyModule& other) { return *this = AnyModule(other); }
  AnyModule& operator=(AnyModule&&) noexcept = default;
  ~AnyModule() = default;

  /// Calls the module. Throws if its forward does not take so many tensors.
  template <std::same_as<Tensor>... More>
  Tensor operator()(const Tensor& x, const More&... more) const {
    return call({{&x, &more...}});
  }
  /// The same.
  template <std::same_as<Tensor>... More>
  Tensor forward(const Tensor& x, const More&... more) const {
    return call({{&x, &more...}});
  }

  /// For containers: what they keep of a module that they call.
  template <class M>
  static std::shared_ptr<detail::Held> hold(const M& module) {
    if constexpr (std::same_as<M, AnyModule>) {
      return module.held_;
    } else {
      return amp::detail::or_out_of_memory([&]() -> std::shared_ptr<detail::Held> {
        return std::make_shared<detail::CallableOf<M>>(module);
      });
    }
  }

 private:
  friend class Sequential;

  AnyModule(const Module& module, std::shared_ptr<detail::Held> held)
      : Module(module), held_(std::move(held)) {}
  Tensor call(detail::Arguments arguments) const;

  std::shared_ptr<detail::Held> held_;
};

}  // namespace amp::inline v0::nn

#if AMP_HEADER_ONLY
#include "amp/nn/any_module.ipp"
#endif
