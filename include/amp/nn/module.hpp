// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Module: named parameters, buffers and modules within modules. Derive from it to make your own.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "amp/autocast/policies.hpp"
#include "amp/autograd/hooks.hpp"
#include "amp/core/address_set.hpp"
#include "amp/core/error.hpp"
#include "amp/core/not_options.hpp"
#include "amp/core/type_name.hpp"
#include "amp/nn/described.hpp"
#include "amp/nn/held.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

namespace nn {

namespace detail {

class Attachment;
class ModuleCall;
class Parametrization;

inline constexpr std::string_view kNoType = "Module";

/// The names as text, such as "a", "b", or none if there are none.
std::string listed(const std::vector<std::string>& names);

/// The name of a module type, without namespaces, computed at compile time.
template <class M>
inline constexpr std::string_view kTypeName = amp::detail::type_name<M>();

}  // namespace detail

/// Options of Module::register_buffer().
struct BufferOptions {
  bool persistent = true;  // false: not in state_dict(), and load_state_dict() does not expect it
};

/// Base of modules. A module is a shared handle, as its tensors and modules are: copies are the
/// same module, and clone() makes another. A class that derives from Layer<Itself> instead can also
/// be called: net(x) is net.forward(x). An error in such a call names the module, "block2.conv1:
/// conv2d: ...", and one within no other by its type, "Net: matmul: ...".
///
/// ```cpp
/// struct Net : amp::nn::Module {
///   amp::nn::Linear first{register_module("first", amp::nn::Linear(4, 8))};
///   amp::nn::Linear second{register_module("second", amp::nn::Linear(8, 2))};
///   amp::Tensor forward(const amp::Tensor& x) const { return second(amp::relu(first(x))); }
/// };
/// const Net net;
/// assert(net.named_parameters().front().first == "first.weight");
/// assert(net.forward(amp::ones({1, 4})).shape() == amp::Shape(1, 2));
/// ```
class Module {
 public:
  /// Without children or tensors.
  Module();
  /// No module yet; one is to be assigned.
  Module(std::nullptr_t) {}
  /// The same module; within clone(), its clone.
  Module(const Module& other);
  Module(Module&&) noexcept = default;
  Module& operator=(const Module& other);
  Module& operator=(Module&&) noexcept = default;
  ~Module() = default;

  /// Whether there is a module, so that it may be called.
  bool defined() const { return state_ != nullptr; }
  template <class... Arguments>
  Tensor operator()(const Arguments&...) const = delete;  // derive from Layer<Net>, not Module

  /// Does not compile, but says what to write: a Module does not know the class derived from it, as
  /// a Layer does.
  template <class M = void>
  void clone() const {
    static_assert(!std::is_void_v<M>, "write amp::nn::clone(net), or derive from Layer<Net>");
  }

  /// A function that is called after forward() each time the module is called, as a Layer is. A
  /// tensor that it returns replaces the output; an undefined one keeps it.
  using ForwardHook = std::function<Tensor(const Module& module, const Tensor& output)>;
  HookHandle register_forward_hook(ForwardHook hook) const;
  /// The same for the gradient of the output, in backward: see Tensor::register_hook.
  using BackwardHook = std::function<Tensor(const Module& module, const Tensor& gradient)>;
  HookHandle register_backward_hook(BackwardHook hook) const;

  /// The names under which this module and those around it were registered first, from the
  /// outermost on: "block2.conv1". Empty for the outermost.
  std::string path() const;

  /// The type with which the module was made or registered, "Linear"; "Module" if it is not known.
  std::string_view type() const;
  /// The description of the module in printed text: "in_features=4, out_features=2, bias=True".
  const std::string& extra_repr() const;

  /// Adds a leaf that an optimizer is to train, and returns it. An undefined tensor stands for an
  /// absent parameter and gets no name.
  AMP_LAZY Tensor register_parameter(std::string name, Tensor tensor, bool requires_grad = true);
  /// Adds a tensor that is moved with the module and, if it is persistent, saved with it, but not
  /// trained, and returns it. What can be computed anew, such as a mask, need not be saved:
  /// register_buffer("mask", mask, {.persistent = false}). Of a computed tensor it keeps detach():
  /// the history may own the module.
  AMP_LAZY Tensor register_buffer(std::string name, Tensor tensor,
                                  const BufferOptions& options = {});
  template <amp::detail::NotOptions<BufferOptions> ByPlace>
  Tensor register_buffer(std::string, Tensor, ByPlace) = delete;  // write {.persistent = false}
  /// Adds a module within this one, and returns it.
  template <class M>
  M register_module(std::string name, M module) {
    register_child(name, module, detail::hold(module), detail::kTypeName<M>);
    return module;
  }

  /// Replaces the module registered as `name` by `module`, and returns it, to be assigned to the
  /// member: fc = replace_module("fc", Linear(64, 20)). Throws if there is none of that name. An
  /// optimizer that was made before keeps the old parameters.
  template <class M>
  [[nodiscard]] M replace_module(const std::string& name, M module) {
    replace_child(name, module, detail::hold(module), detail::kTypeName<M>);
    return module;
  }
  /// Replaces the parameter registered as `name` by `tensor`, a leaf, and returns it. `tensor`
  /// requires gradients from then on if the old one did. This ties weights: a parameter that is
  /// registered in several modules counts once, under its first name. The layers of the library,
  /// and copies of them, compute with the new parameter; other modules must assign the result to
  /// their member. Throws if there is no parameter of that name.
  AMP_LAZY Tensor replace_parameter(const std::string& name, Tensor tensor);

  /// Throws if `loss` depends on a leaf that requires gradients and is a parameter neither of this
  /// module nor among `others`: such a leaf is not saved with the module, nor given to an optimizer
  /// made of parameters(). A member that was not registered, or was replaced by assignment, is such
  /// a leaf. To be called once, after the first forward pass: it walks the graph.
  AMP_LAZY void check_registered(const Tensor& loss, const std::vector<Tensor>& others = {}) const;

  /// Calls each function with each module within this one, and at last with this one. A function
  /// that takes a class of modules is called with modules of this class and of those derived from it
  /// only; their members `weight` and `bias` are the parameters of now. Modules that hold others
  /// come after these, and one that is there several times comes once. The class of this module
  /// itself is known if it is a Layer, or within another one.
  ///
  /// ```cpp
  /// const amp::nn::Sequential net{amp::nn::Linear(4, 8), amp::nn::ReLU(), amp::nn::Linear(8, 2)};
  /// net.apply([](const amp::nn::Linear& linear) {
  ///   amp::nn::init::xavier_uniform_(linear.weight);
  ///   amp::nn::init::zeros_(linear.bias);
  /// });
  /// assert(amp::sum(net.parameters()[3]).item<float>() == 0);
  /// ```
  template <class... Functions>
  void apply(Functions&&... functions) const {
    apply_as(held(), functions...);
  }

  /// All parameters, those of the modules within it too. A tensor that is there several times
  /// counts once.
  AMP_LAZY std::vector<Tensor> parameters() const;
  /// The same of the buffers.
  AMP_LAZY std::vector<Tensor> buffers() const;
  /// Names of modules within modules are joined by dots: "first.weight". A tensor that is
  /// registered several times counts once, under its first name.
  AMP_LAZY NamedTensors named_parameters() const;
  AMP_LAZY NamedTensors named_buffers() const;
  AMP_LAZY const std::vector<std::pair<std::string, Module>>& named_modules() const;

  /// Whether the module is in training mode, in which dropout drops and batch norm uses the
  /// statistics of the batch.
  bool is_training() const;
  AMP_LAZY void train(bool on = true) const;
  void eval() const { train(false); }

  /// Converts the floating-point parameters and buffers in place; gradients are dropped. To be
  /// called before an optimizer is made of them. If it throws, nothing is converted.
  AMP_LAZY void to(DType dtype) const;
  /// As to(dtype), except that normalisation layers, and other modules that called keep_float32(),
  /// keep their tensors: sums over many values and variances need more than 16 bits.
  AMP_LAZY void to_mixed(DType dtype) const;
  /// Moves all parameters and buffers. If it throws, nothing is moved.
  AMP_LAZY void to(Device device) const;

  /// Throws if `policies` name a module that is not within this one, or give one op in one
  /// module two different policies by paths of the same length.
  void check_policies(const OpPolicies& policies) const;

  /// Drops the gradients of all parameters.
  AMP_LAZY void zero_grad() const;

  /// Handles to all parameters and persistent buffers, by name: they change as the module is
  /// trained. To keep the values of now, take the state_dict() of a clone().
  AMP_LAZY NamedTensors state_dict() const;
  /// Copies tensors into those of state_dict(), by name, and converts them. A tensor that is
  /// registered several times may have any of its names. Throws, changing nothing, if names are
  /// missing or unknown or shapes differ, listing all of these, if a name is there twice, or if two
  /// names of one tensor have different values.
  AMP_LAZY void load_state_dict(const NamedTensors& tensors) const;

 protected:
  /// Makes text() the extra_repr() of the module.
  template <std::invocable Text>
  void set_extra_repr(const Text& text) const {
    keep_extra_repr(amp::detail::or_out_of_memory([&] { return std::string(text()); }));
  }
  /// The same with text that names arguments: {{"eps", 1e-5}, {"bias", true}}.
  void set_extra_repr(std::initializer_list<detail::Described> arguments) const;
  void set_type(std::string_view type) const;

  /// The parameters that are registered here, not those of the modules within.
  const NamedTensors& own_parameters() const;

  /// Says that to_mixed() does not convert the tensors of this module and of those within.
  void keep_float32() const;

  /// Returns the parameter for `member`, a handle to the parameter `name` of this module: the one
  /// that replaced it if replace_parameter() did, what weight_norm() or the like computes in its
  /// place, else `member` itself, also if it was only assigned.
  Tensor registered(std::string_view name, const Tensor& member) const;
  /// Forgets that `back` was replaced as `name`, and also replaced parameters to which there is no
  /// other handle any more.
  void forget_replaced(std::string_view name, const Tensor& back) const;

  /// apply() of a module that is known as `self`, or null.
  template <class... Functions>
  void apply_as(const std::shared_ptr<detail::Held>& self, Functions&... functions) const;

  void check_defined() const;

  /// What another layer of the library attached to this module, which changes how it computes; null
  /// if nothing.
  RefCounted* attached() const;

  bool has_hooks() const;
  Tensor run_forward_hooks(Tensor output) const;

 private:
  friend class detail::Attachment;
  friend class detail::ModuleCall;
  friend class detail::Parametrization;
  friend class Sequential;  // whose templates register and replace without a copy of the module

  struct State;
  struct Computed;
  using ForwardHooks = amp::detail::HookList<ForwardHook>;
  using BackwardHooks = amp::detail::HookList<BackwardHook>;

  State& state() const;
  /// Makes `clone`, which is new, the clone of a module within detail::Cloning.
  static void become_clone(const State& original, const std::shared_ptr<State>& clone);
  Ref<ForwardHooks>& forward_hooks() const;  // null until there is one
  Ref<BackwardHooks>& backward_hooks() const;

  void keep_extra_repr(std::string text) const;

  /// register_module() and replace_module() for a module, which gets this type unless it has one.
  AMP_LAZY void register_child(const std::string& name, const Module& child,
                               std::shared_ptr<detail::Held> held, std::string_view type) const;
  AMP_LAZY void replace_child(const std::string& name, const Module& child,
                              std::shared_ptr<detail::Held> held, std::string_view type) const;

  /// Throws if `child` cannot be a module within this one.
  void check_child(std::string_view call, const std::string& name, const Module& child) const;
  bool holds(const Module& other) const;
  /// Sets the type of a child, and its place unless it is in another module already.
  AMP_LAZY void enter(const std::string& name, const Module& child, std::string_view type) const;
  /// Updates the path of a child that is no longer here as `name`, but may be here under another
  /// name.
  void leave(const std::string& name, const Module& child) const;

  void check_name(std::string_view call, const std::string& name) const;

  /// Collects tensors under their first names, or under all names.
  AMP_LAZY void collect(NamedTensors State::*list, const std::string& prefix, NamedTensors& found,
                        bool all_names = false) const;
  void collect_paths(const std::string& prefix, std::vector<std::string>& paths) const;
  /// The parameters and buffers of this module, and of those within, that stay in float32.
  AMP_LAZY void collect_kept(NamedTensors& kept) const;

  /// All parameters and buffers.
  AMP_LAZY std::vector<Tensor> tensors() const;
  AMP_LAZY void convert(std::string_view call, DType dtype, const NamedTensors& kept) const;

  /// What the module around this one holds of it; null if there is none.
  std::shared_ptr<detail::Held> held() const;
  using Visits = std::vector<std::pair<Module, std::shared_ptr<detail::Held>>>;
  /// The modules within this one, each behind those within it, and at last this one, held as `self`.
  AMP_LAZY Visits visits(const std::shared_ptr<detail::Held>& self) const;
  void collect_visits(const std::shared_ptr<detail::Held>& self, Visits& visits,
                      amp::detail::AddressSet& known) const;
  template <class Function>
  static void visit(Function& function, Module module, const detail::Held* held);

  std::shared_ptr<State> state_;
};

/// A parameter that is computed at each use, from the tensors of `source`.
struct Module::Computed {
  std::string name;
  Module source;
  std::function<Tensor(const Module& source)> compute;  ///< returns the parameter
};

/// What the handles to a module share.
struct Module::State {
  NamedTensors parameters, buffers;
  NamedTensors saved_buffers = {};  // the persistent ones among them
  std::vector<std::pair<std::string, Module>> modules;
  std::vector<std::shared_ptr<detail::Held>> held = {};  // of each of these
  bool training = true;
  bool keeps_float32 = false;
  std::string_view type = detail::kNoType;
  std::string extra_repr = {};
  // Parameters that were replaced, to which copies of a layer may still have handles.
  std::vector<std::pair<Tensor, std::string>> replaced = {};
  std::vector<Computed> computed = {};
  Ref<ForwardHooks> forward_hooks = {};
  Ref<BackwardHooks> backward_hooks = {};
  Ref<RefCounted> attached = {};
  std::weak_ptr<State> parent = {};  // the module in which it was registered first
  std::string name = {};
};

}  // namespace nn
}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/nn/module.ipp"
#endif
