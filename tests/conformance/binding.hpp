// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A row of the tables of calls: how a form of an op is called, and how exact it is.
#pragma once

#include <amp/amp.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include "goldens/ops.hpp"

namespace conformance {

using goldens::OpCase;
using Tensors = std::vector<amp::Tensor>;

/// What a call is given.
struct Inputs : Tensors {
  using Tensors::vector;
  /// What an index is before it is given to the op; unset: itself.
  std::function<amp::Tensor(const amp::Tensor&)> as_index;
};

/// What a call returns: what is differentiated, then the rest.
struct Outputs : Tensors {
  using Tensors::vector;
  Outputs(const amp::Tensor& output) : Tensors{output} {}
};

// --- attributes of a case -----------------------------------------------------------------------

/// Attribute number i, if it is an integer.
inline std::int64_t integer(const OpCase& c, std::size_t i) {
  return static_cast<std::int64_t>(c.attributes[i]);
}
inline bool flag(const OpCase& c, std::size_t i) { return c.attributes[i] != 0; }
inline double number(const OpCase& c) { return c.attributes[0]; }
inline std::vector<std::int64_t> integers_from(const OpCase& c, std::size_t first) {
  std::vector<std::int64_t> result;
  for (std::size_t i = first; i < c.attributes.size(); ++i) result.push_back(integer(c, i));
  return result;
}
inline amp::Reduction reduction(const OpCase& c) {
  constexpr amp::Reduction kReductions[] = {amp::kNone, amp::kMean, amp::kSum, amp::kBatchMean};
  return kReductions[integer(c, 0)];
}
inline amp::Tensor index(const OpCase& c, const Inputs& x, amp::DType dtype = amp::kInt64) {
  const amp::Tensor index = amp::tensor(
      c.index, amp::Shape(c.index_shape),
      {.dtype = dtype, .device = x[0].defined() ? x[0].device() : amp::Device(amp::kCPU)});
  return x.as_index ? x.as_index(index) : index;
}
inline bool has_index(const OpCase& c) { return !c.index.empty() || !c.index_shape.empty(); }
/// Input number i, or an undefined tensor where there are fewer.
inline amp::Tensor optional(const Tensors& x, std::size_t i) {
  return i < x.size() ? x[i] : amp::Tensor{};
}

// --- bindings -----------------------------------------------------------------------------------

/// The largest errors allowed of 16-bit values and gradients, in units of the dtype's epsilon times
/// the largest magnitude among the expected elements. One rounding to nearest is half a unit.
struct Limits {
  double value, gradient;
  double float32 = 4;  // likewise there: of both, where sums cancel
};
inline constexpr Limits kOneRounding{0.5, 0.5};    // what is rounded was exact in float32
inline constexpr Limits kFloat32Math{0.51, 0.51};  // what is rounded was computed in float32
// The gradient starts from a result as it was rounded, or is a sum of rounded terms.
inline constexpr Limits kTwoRoundings{0.51, 1.01};
// A factor is rounded before it is summed; the terms of its gradient cancel.
inline constexpr Limits kRoundedBetween{1.01, 1.01, 12};
#if defined(AMP_TEST_GPU)
// The derivative of gelu comes from cuBLASLt, which computes it to fewer digits than amp.
inline constexpr Limits kGeluBetween{1.01, 1.51, 12};
#else
inline constexpr Limits kGeluBetween = kRoundedBetween;
#endif
// The gradient has the exponential of a difference from the result, of which float32 loses digits.
inline constexpr Limits kExponentialOfResult{0.51, 0.51, 12};
// The gradient has the cube of a rounded result.
inline constexpr Limits kCubeOfRounded{0.51, 2.01};
// The probabilities are rounded, then the product; likewise in the gradient.
inline constexpr Limits kAttention{1.01, 1.01};

/// Of which dtypes the operands may be.
enum class Takes { kFloats, kNumbers, kAnything };
using enum Takes;

struct Binding {
  std::string_view op;  // as in the goldens
  Outputs (*call)(const Inputs&, const OpCase&);
  Limits limits;
  // The names of the operands and, last, of the index in error messages. What has a `?` may be
  // undefined; what has a `*` has any shape, or that to which those of the others are compared; what
  // has a `#` any dtype, and what has a `=` that of the others. An index that is `-` makes several arguments.
  std::string_view arguments = "input";
  Takes takes = kFloats;
};

/// The op of a form: what stands before the parentheses.
constexpr std::string_view op_of(std::string_view form) { return form.substr(0, form.find('(')); }

namespace bindings {

using In = const Inputs&;
using Case = const OpCase&;

template <amp::Tensor (*Op)(const amp::Tensor&)>
Outputs unary(In x, Case) {
  return Op(x[0]);
}
template <amp::Tensor (*Op)(const amp::Tensor&, const amp::Tensor&)>
Outputs binary(In x, Case) {
  return Op(x[0], x[1]);
}
template <amp::Tensor (*Op)(const amp::Tensor&, double)>
Outputs with_number(In x, Case c) {
  return Op(x[0], number(c));
}
template <amp::Tensor (*Op)(const amp::Tensor&, double, double)>
Outputs with_numbers(In x, Case c) {
  return Op(x[0], number(c), c.attributes[1]);
}

}  // namespace bindings
}  // namespace conformance
