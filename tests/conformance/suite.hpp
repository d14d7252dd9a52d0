// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The conformance suite: what every op must answer on a device in a dtype. One test case per op and
// dtype is registered by, for example,
//
//   AMP_CONFORMANCE(amp::kCPU, amp::kFloat32, amp::kBFloat16)
//
// Values and gradients are compared with PyTorch's in float64 (goldens/ops.hpp), on contiguous
// inputs and on strided views, among them broadcast, empty and one-element tensors. Inputs are
// exact in every dtype, so that a 16-bit op may lose its own rounding and nothing before it. Each
// test case prints the worst error of every form of its op.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "conformance/calls.hpp"
#include "conformance/errors.hpp"
#include "conformance/properties.hpp"
#include "support/catch.hpp"

namespace conformance {

// --- one case -----------------------------------------------------------------------------------

/// 1e-12 of the largest magnitude in float64, a few epsilons in float32; in 16 bits as many
/// roundings as the op has.
inline Limits limits_of(const Binding& binding, amp::DType dtype) {
  if (dtype == amp::kFloat64) return {1e-12 * 0x1p52, 1e-12 * 0x1p52};
  if (dtype == amp::kFloat32) return {binding.limits.float32, binding.limits.float32};
  return binding.limits;
}

inline Worst check_case(const OpCase& c, const amp::Device& device, amp::DType dtype,
                        Layout layout) {
  const Format format = format_of(dtype);
  Worst worst;
  const Call call(c, device, dtype, layout);
  REQUIRE(call.outputs.size() == c.outputs.size());
  for (std::size_t i = 0; i < c.outputs.size(); ++i) {
    INFO("output " << i);
    const goldens::Result& expected = c.outputs[i];
    const amp::Tensor& output = call.outputs[i];
    const bool real = expected.kind == goldens::kReal || expected.kind == goldens::kRandom;
    CHECK(amp::name(output.dtype()) == amp::name(real                              ? dtype
                                                 : expected.kind == goldens::kBool ? amp::kBool
                                                                                   : amp::kInt64));
    CHECK(output.device() == device);
    REQUIRE(to_string(output.shape()) == to_string(amp::Shape(expected.shape)));
    if (expected.kind == goldens::kRandom) continue;
    const Error error = error_of(output.to_vector<double>(), expected.values, format);
    if (!real) CHECK(error.relative == 0);
    worst.value = worst.value | error;
  }
  CHECK(call.outputs[0].requires_grad() == has_gradient(c));
  if (!has_gradient(c)) return worst;

  call.backward(c, layout);
  for (std::size_t i = 0; i < call.sources.size(); ++i) {
    INFO("gradient of input " << i);
    const Source& source = call.sources[i];
    const amp::Tensor grad = source.leaf.grad();
    REQUIRE(grad.defined() == c.inputs[i].differentiated);
    if (!grad.defined()) continue;
    CHECK(amp::name(grad.dtype()) == amp::name(dtype));
    CHECK(grad.device() == device);
    CHECK(to_string(grad.shape()) == to_string(source.leaf.shape()));
    if (c.outputs[0].kind == goldens::kRandom) continue;
    worst.gradient =
        worst.gradient | error_of(source.gradient().to_vector<double>(), c.inputs[i].grad, format);
    CHECK(source.gradient_beside() == 0);
  }
  return worst;
}

// --- one op -------------------------------------------------------------------------------------

inline void check_op(std::string_view op, const amp::Device& device, amp::DType dtype) {
  for (const Binding& binding : kBindings) {
    if (op_of(binding.op) != op) continue;
    const Limits limits = limits_of(binding, dtype);
    Worst worst;
    int cases = 0;
    for (const OpCase& c : goldens::op_cases()) {
      if (c.op != binding.op) continue;
      ++cases;
      for (const Layout layout : {Layout::kContiguous, Layout::kStrided}) {
        INFO(c.op << ": " << c.detail << (layout == Layout::kStrided ? ", strided" : ""));
        const Worst of_case = check_case(c, device, dtype, layout);
        CHECK(of_case.value.relative <= limits.value);
        CHECK(of_case.gradient.relative <= limits.gradient);
        worst.value = worst.value | of_case.value;
        worst.gradient = worst.gradient | of_case.gradient;
      }
    }
    INFO("form " << binding.op);
    CHECK(cases > 0);
    print(binding.op, device, dtype, worst);
  }
}

// --- registration -------------------------------------------------------------------------------

namespace detail {

/// Whether a binding is the first of its op: the one that is registered for all.
constexpr bool first_of_op(std::size_t i) {
  for (std::size_t j = 0; j < i; ++j) {
    if (op_of(kBindings[j].op) == op_of(kBindings[i].op)) return false;
  }
  return true;
}

template <amp::DeviceType Type, amp::DType Dtype, std::size_t I>
void run_op() {
  if (!amp::is_available(Type)) AMP_TEST_SKIP("the device is not available");
  check_op(op_of(kBindings[I].op), Type, Dtype);
}

template <amp::DeviceType Type, amp::DType Dtype, std::size_t I>
void register_op() {
  if constexpr (first_of_op(I)) {
    const std::string name = std::string(op_of(kBindings[I].op)) + " " + to_string(Type) + " " +
                             std::string(amp::name(Dtype));
    REGISTER_TEST_CASE((run_op<Type, Dtype, I>), name, "[conformance]");
  }
}

template <amp::DeviceType Type, amp::DType Dtype, std::size_t I>
void run_property() {
  if (!amp::is_available(Type)) AMP_TEST_SKIP("the device is not available");
  properties_of(Dtype)[I].check(Type, Dtype);
}

template <amp::DeviceType Type, amp::DType Dtype, std::size_t I>
void register_property() {
  const std::string name = std::string(properties_of(Dtype)[I].name) + " " + to_string(Type) + " " +
                           std::string(amp::name(Dtype));
  const bool long_values = Type == amp::kCUDA && name.starts_with("large inputs");
  REGISTER_TEST_CASE((run_property<Type, Dtype, I>), name,
                     long_values ? "[conformance][values]" : "[conformance]");
}

template <amp::DeviceType Type, amp::DType Dtype>
void register_dtype() {
  // The golden cases are real numbers.
  constexpr std::size_t kOps = amp::is_floating_point(Dtype) ? kBindings.size() : 0;
  // A list and no fold: clang nests folds, and 256 at most.
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    [[maybe_unused]] const int registered[] = {0, (register_op<Type, Dtype, I>(), 0)...};
  }
  (std::make_index_sequence<kOps>());
  [&]<std::size_t... I>(std::index_sequence<I...>) { (register_property<Type, Dtype, I>(), ...); }
  (std::make_index_sequence<properties_of(Dtype).size()>());
}

template <amp::DeviceType Type, amp::DType... Dtypes>
bool register_dtypes() {
  (register_dtype<Type, Dtypes>(), ...);
  return true;
}

}  // namespace detail
}  // namespace conformance

/// Registers all test cases of a device for some dtypes.
#define AMP_CONFORMANCE(device, ...)                          \
  [[maybe_unused]] static const bool conformance_registered = \
      ::conformance::detail::register_dtypes<device, __VA_ARGS__>()
