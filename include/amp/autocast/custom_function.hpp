// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A differentiable function whose forward and backward the program defines.
#pragma once

#include <array>
#include <optional>
#include <type_traits>
#include <utility>

#include "amp/autocast/state.hpp"
#include "amp/autograd/function.hpp"

namespace amp::inline v0 {

/// Options of custom_function().
struct CustomFunctionOptions {
  std::optional<DType> cast_inputs = {};  // in a scope: inputs that autocast may cast are cast to
                                          // this, and both passes run without autocast
};

namespace detail {

/// The autocast state of one call of a custom function.
class CustomFunctionCasts {
 public:
  explicit CustomFunctionCasts(const CustomFunctionOptions& options);

  /// The input, cast if that is asked for, as the function gets it.
  Tensor prepared(const Tensor& input) const;
  /// The state under which both passes run.
  AutocastState both() const;

 private:
  const autocasting::State& state_;
  std::optional<DType> target_;  // in a scope: the dtype of cast inputs
};

/// The result under another handle, in case the function returned an input.
Tensor custom_function_result(const Tensor& output);

}  // namespace detail

/// Calls function(inputs...), which returns a pair: its result, and the function that takes the
/// gradient of the result and returns those of the inputs, an array in their order (undefined
/// tensors for those that have none). What backward needs it captures:
///
/// ```cpp
/// const amp::Tensor a = amp::randn({2, 3}, {.requires_grad = true}), b = amp::randn({3, 2});
/// const amp::Tensor y = amp::custom_function([](const amp::Tensor& x, const amp::Tensor& w) {
///   return std::pair{amp::matmul(x, w), [x, w](const amp::Tensor& grad) {
///     return std::array{amp::matmul(grad, w.t()), amp::matmul(x.t(), grad)};
///   }};
/// }, a, b);
/// amp::sum(y).backward();
/// assert(a.grad().shape() == a.shape());
/// ```
///
/// Neither pass records history. Backward runs under the autocast state of forward, not that of the
/// call of backward() (torch.amp.custom_fwd, custom_bwd). Gradients are converted to the
/// dtypes of the inputs; a wrong shape throws in backward.
template <class Function, class... Tensors>
[[nodiscard]] Tensor custom_function(const CustomFunctionOptions& options, Function&& function,
                                     const Tensors&... inputs) {
  static_assert(sizeof...(Tensors) > 0 && (std::is_same_v<Tensors, Tensor> && ...),
                "custom_function takes tensors; capture everything else");
  const detail::CustomFunctionCasts casts(options);
  const auto run = [&](const auto&... x) {
    const AutocastState both = casts.both();
    auto [output, backward] = [&] {
      const AutocastGuard scope(both);
      const NoGradGuard no_grad;
      return function(x...);
    }();
    const Tensor result = detail::custom_function_result(output);
    if (is_floating_point(result.dtype()) && autograd::recording(x...)) {
      autograd::record(
          "custom_function", result,
          [ backward = std::move(backward),
            both ](const Tensor& grad, const autograd::Needs<sizeof...(Tensors)>& needs) mutable
          -> autograd::Gradients<sizeof...(Tensors)> {
            const AutocastGuard scope(both);
            autograd::Gradients<sizeof...(Tensors)> gradients = backward(grad);
            for (std::size_t i = 0; i < sizeof...(Tensors); ++i) {
              if (!needs[i]) gradients[i] = Tensor();
            }
            return gradients;
          },
          x...);
    }
    return result;
  };
  return run(casts.prepared(inputs)...);
}
template <class Function, class... Tensors>
  requires(!std::is_same_v<std::remove_cvref_t<Function>, CustomFunctionOptions>)
[[nodiscard]] Tensor custom_function(Function&& function, const Tensors&... inputs) {
  return custom_function(CustomFunctionOptions{}, std::forward<Function>(function), inputs...);
}

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/autocast/custom_function.ipp"
#endif
