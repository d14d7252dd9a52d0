// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Values and gradients of the ops against PyTorch's in float64, in every floating dtype, on
// contiguous inputs and on strided views. The inputs are exact in every dtype
// (tests/goldens/ops.hpp), so that a 16-bit op may lose its own rounding and nothing before it.
#include <amp/amp.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "goldens/ops.hpp"
#include "support/catch.hpp"

namespace {

using goldens::OpCase;
using Inputs = std::vector<amp::Tensor>;

// --- how each op is called ----------------------------------------------------------------------

/// Attribute number i, where it is an integer.
std::int64_t integer(const OpCase& c, std::size_t i) {
  return static_cast<std::int64_t>(c.attributes[i]);
}
int dim_of(const OpCase& c) { return static_cast<int>(c.attributes[0]); }

amp::Tensor indices(const OpCase& c) {
  return amp::tensor(c.indices, {static_cast<std::int64_t>(c.indices.size())});
}

amp::Tensor conv2d(const Inputs& x, const OpCase& c) {
  return amp::conv2d(x[0], x[1], x.size() == 3 ? x[2] : amp::Tensor{},
                     {.stride = {integer(c, 0), integer(c, 1)},
                      .padding = {integer(c, 2), integer(c, 3)},
                      .dilation = {integer(c, 4), integer(c, 5)},
                      .groups = integer(c, 6)});
}

amp::Tensor cross_entropy(const Inputs& x, const OpCase& c) {
  constexpr amp::Reduction kReductions[] = {amp::kNone, amp::kMean, amp::kSum};
  return amp::cross_entropy(x[0], indices(c),
                            {.ignore_index = integer(c, 1),
                             .label_smoothing = c.attributes[2],
                             .reduction = kReductions[integer(c, 0)]});
}

amp::Tensor reshape(const Inputs& x, const OpCase& c) {
  return x[0].reshape({integer(c, 0), integer(c, 1)});
}

/// The largest errors allowed of the value and of the gradients, in units of the dtype's epsilon
/// times the largest magnitude among the expected elements. One rounding to nearest is half a unit.
struct Limits {
  double value, gradient;
};
constexpr Limits kOneRounding{0.5, 0.5};    // what is rounded was exact in float32
constexpr Limits kFloat32Math{0.51, 0.51};  // what is rounded was computed in float32
// The gradient starts from a result as it was rounded, or is a sum of rounded terms.
constexpr Limits kTwoRoundings{0.51, 1.01};

struct Binding {
  std::string_view op;
  amp::Tensor (*call)(const Inputs&, const OpCase&);
  Limits limits;
};

const Binding kBindings[] = {
    {"matmul", [](auto& x, auto&) { return amp::matmul(x[0], x[1]); }, kTwoRoundings},
    {"linear",
     [](auto& x, auto&) { return amp::linear(x[0], x[1], x.size() == 3 ? x[2] : amp::Tensor{}); },
     kOneRounding},
    {"conv2d", conv2d, kOneRounding},
    {"max_pool2d",
     [](auto& x, auto& c) {
       return amp::max_pool2d(x[0], {integer(c, 0), integer(c, 1)}, {integer(c, 2), integer(c, 3)});
     },
     kOneRounding},
    {"add", [](auto& x, auto&) { return x[0] + x[1]; }, kOneRounding},
    {"sub", [](auto& x, auto&) { return x[0] - x[1]; }, kOneRounding},
    {"mul", [](auto& x, auto&) { return x[0] * x[1]; }, kTwoRoundings},
    {"div", [](auto& x, auto&) { return x[0] / x[1]; }, kTwoRoundings},
    {"add_scalar", [](auto& x, auto& c) { return x[0] + c.attributes[0]; }, kOneRounding},
    {"sub_scalar", [](auto& x, auto& c) { return x[0] - c.attributes[0]; }, kOneRounding},
    {"mul_scalar", [](auto& x, auto& c) { return x[0] * c.attributes[0]; }, kOneRounding},
    {"div_scalar", [](auto& x, auto& c) { return x[0] / c.attributes[0]; }, kFloat32Math},
    {"rsub_scalar", [](auto& x, auto& c) { return c.attributes[0] - x[0]; }, kOneRounding},
    {"rdiv_scalar", [](auto& x, auto& c) { return c.attributes[0] / x[0]; }, kTwoRoundings},
    {"relu", [](auto& x, auto&) { return amp::relu(x[0]); }, kOneRounding},
    {"abs", [](auto& x, auto&) { return amp::abs(x[0]); }, kOneRounding},
    {"neg", [](auto& x, auto&) { return amp::neg(x[0]); }, kOneRounding},
    {"exp", [](auto& x, auto&) { return amp::exp(x[0]); }, kTwoRoundings},
    {"tanh", [](auto& x, auto&) { return amp::tanh(x[0]); }, kTwoRoundings},
    {"sigmoid", [](auto& x, auto&) { return amp::sigmoid(x[0]); }, kTwoRoundings},
    {"log", [](auto& x, auto&) { return amp::log(x[0]); }, kFloat32Math},
    {"sqrt", [](auto& x, auto&) { return amp::sqrt(x[0]); }, kTwoRoundings},
    {"pow", [](auto& x, auto& c) { return amp::pow(x[0], c.attributes[0]); }, kTwoRoundings},
    {"sum", [](auto& x, auto&) { return amp::sum(x[0]); }, kOneRounding},
    {"mean", [](auto& x, auto&) { return amp::mean(x[0]); }, kFloat32Math},
    {"sum_dim", [](auto& x, auto& c) { return amp::sum(x[0], dim_of(c), c.attributes[1] != 0); },
     kOneRounding},
    {"softmax", [](auto& x, auto& c) { return amp::softmax(x[0], dim_of(c)); }, kTwoRoundings},
    {"log_softmax", [](auto& x, auto& c) { return amp::log_softmax(x[0], dim_of(c)); },
     kTwoRoundings},
    {"cross_entropy", cross_entropy, kFloat32Math},
    {"transpose",
     [](auto& x, auto& c) { return x[0].transpose(dim_of(c), static_cast<int>(c.attributes[1])); },
     kOneRounding},
    {"narrow",
     [](auto& x, auto& c) { return x[0].narrow(dim_of(c), integer(c, 1), integer(c, 2)); },
     kOneRounding},
    {"reshape", reshape, kOneRounding},
    {"index_select",
     [](auto& x, auto& c) { return amp::index_select(x[0], dim_of(c), indices(c)); }, kOneRounding},
};

const Binding& binding_of(const OpCase& c) {
  const auto* found = std::find_if(std::begin(kBindings), std::end(kBindings),
                                   [&](const Binding& b) { return b.op == c.op; });
  INFO("no binding for " << c.op);
  REQUIRE(found != std::end(kBindings));
  return *found;
}

// --- inputs, contiguous or as views -------------------------------------------------------------

enum class Layout { kContiguous, kStrided };

/// Elements of a row-major array of `shape` in the order that swapping the first and last dimension
/// gives.
std::vector<double> transposed(std::span<const double> values,
                               std::span<const std::int64_t> shape) {
  const auto rows = static_cast<std::size_t>(shape.front());
  const auto columns = static_cast<std::size_t>(shape.back());
  const std::size_t between = values.size() / (rows * columns);
  std::vector<double> result;
  for (std::size_t column = 0; column < columns; ++column) {
    for (std::size_t middle = 0; middle < between; ++middle) {
      for (std::size_t row = 0; row < rows; ++row) {
        result.push_back(values[(row * between + middle) * columns + column]);
      }
    }
  }
  return result;
}

/// A leaf, and the input made of it: itself, or its transpose, which is a strided view.
struct Source {
  amp::Tensor leaf, input;
  bool is_view = false;
};

Source source(const goldens::Operand& operand, amp::DType dtype, Layout layout) {
  const amp::TensorOptions options{.dtype = dtype, .requires_grad = true};
  if (layout == Layout::kContiguous || operand.shape.size() < 2) {
    const amp::Tensor leaf = amp::tensor(operand.values, amp::Shape(operand.shape), options);
    return {.leaf = leaf, .input = leaf};
  }
  std::vector<std::int64_t> shape(operand.shape.begin(), operand.shape.end());
  std::swap(shape.front(), shape.back());
  const amp::Tensor leaf =
      amp::tensor(transposed(operand.values, operand.shape), amp::Shape(shape), options);
  return {.leaf = leaf, .input = leaf.transpose(0, -1), .is_view = true};
}

std::vector<double> gradient(const Source& source) {
  const amp::Tensor grad = source.leaf.grad();
  return (source.is_view ? grad.transpose(0, -1) : grad).to_vector<double>();
}

// --- errors -------------------------------------------------------------------------------------

struct Format {
  amp::DType dtype;
  const char* name;
  int digits;        // of the significand, the implied one included
  int min_exponent;  // of the smallest normal number
};
constexpr Format kFloat64{amp::kFloat64, "float64", 53, -1022};
constexpr Format kFloat32{amp::kFloat32, "float32", 24, -126};
constexpr Format kFloat16{amp::kFloat16, "float16", 11, -14};
constexpr Format kBFloat16{amp::kBFloat16, "bfloat16", 8, -126};

/// The largest error: over the epsilon of the largest expected magnitude, and over each element's
/// own ulp.
struct Error {
  double relative = 0;
  double ulps = 0;
};

Error operator|(const Error& a, const Error& b) {
  return {.relative = std::max(a.relative, b.relative), .ulps = std::max(a.ulps, b.ulps)};
}

Error error_of(const std::vector<double>& actual, std::span<const double> expected,
               const Format& format) {
  REQUIRE(actual.size() == expected.size());
  double largest = 0;
  for (const double value : expected) largest = std::max(largest, std::abs(value));
  Error error;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    const double difference = std::abs(actual[i] - expected[i]);
    REQUIRE_FALSE(std::isnan(difference));
    if (difference == 0) continue;
    const int exponent = std::max(expected[i] == 0 ? format.min_exponent : std::ilogb(expected[i]),
                                  format.min_exponent);
    const double ulp = std::ldexp(1.0, exponent - format.digits + 1);
    const double unit = std::max(largest * std::ldexp(1.0, 1 - format.digits),
                                 std::ldexp(1.0, format.min_exponent - format.digits + 1));
    error = error | Error{.relative = difference / unit, .ulps = difference / ulp};
  }
  return error;
}

struct Worst {
  Error value, gradient;
};

Worst check(const OpCase& c, const Format& format, Layout layout) {
  INFO(c.name << ", " << format.name << (layout == Layout::kStrided ? ", strided" : ""));
  const Binding& binding = binding_of(c);
  std::vector<Source> sources;
  Inputs inputs;
  for (const goldens::Operand& operand : c.inputs) {
    sources.push_back(source(operand, format.dtype, layout));
    inputs.push_back(sources.back().input);
  }
  const amp::Tensor output = binding.call(inputs, c);
  REQUIRE(output.dtype() == format.dtype);
  REQUIRE(output.shape() == amp::Shape(c.output_shape));
  Worst worst;
  worst.value = error_of(output.to_vector<double>(), c.output, format);
  output.backward(amp::tensor(c.grad_output, amp::Shape(c.output_shape), {.dtype = format.dtype}));
  for (std::size_t i = 0; i < sources.size(); ++i) {
    INFO("gradient of input " << i);
    REQUIRE(sources[i].leaf.grad().dtype() == format.dtype);
    const Error error = error_of(gradient(sources[i]), c.inputs[i].grad, format);
    worst.gradient = worst.gradient | error;
  }
  return worst;
}

void check_all(const Format& format, const auto& limits_of) {
  for (const Layout layout : {Layout::kContiguous, Layout::kStrided}) {
    std::map<std::string, Worst> worst_of_op;
    for (const OpCase& c : goldens::kOpCases) {
      const Worst worst = check(c, format, layout);
      const Limits limits = limits_of(binding_of(c));
      INFO(c.name << ", " << format.name << (layout == Layout::kStrided ? ", strided" : ""));
      CHECK(worst.value.relative <= limits.value);
      CHECK(worst.gradient.relative <= limits.gradient);
      Worst& of_op = worst_of_op[std::string(c.op)];
      of_op.value = of_op.value | worst.value;
      of_op.gradient = of_op.gradient | worst.gradient;
    }
    if (layout == Layout::kStrided) continue;
    std::printf("%-14s %-8s  value: eps of max, ulp   gradient: eps of max, ulp\n", "op",
                format.name);
    for (const auto& [op, worst] : worst_of_op) {
      std::printf("%-14s %-8s  %17.3g %5.3g %22.3g %5.3g\n", op.c_str(), format.name,
                  worst.value.relative, worst.value.ulps, worst.gradient.relative,
                  worst.gradient.ulps);
    }
  }
}

}  // namespace

TEST_CASE("ops equal PyTorch's float64 to 1e-12") {
  constexpr double kLimit = 1e-12 * 0x1p52;  // in epsilons
  check_all(kFloat64, [](const Binding&) { return Limits{kLimit, kLimit}; });
}

TEST_CASE("ops in float32 are within a few epsilons") {
  check_all(kFloat32, [](const Binding&) { return Limits{4, 4}; });
}

TEST_CASE("ops in float16 round once") {
  check_all(kFloat16, [](const Binding& binding) { return binding.limits; });
}

TEST_CASE("ops in bfloat16 round once") {
  check_all(kBFloat16, [](const Binding& binding) { return binding.limits; });
}
