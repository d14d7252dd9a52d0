// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Every op, given one argument that cannot be right, throws an amp::Error that begins with its name,
// names the argument and says what came, and leaves all arguments as they were. The argument is
// undefined, on another device, of another dtype or of another shape. Then what only single ops
// refuse. ops/misuse_test.cpp has the misuses of tensors.
#include <amp/amp.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "conformance/calls.hpp"
#include "support/catch.hpp"
#include "support/error_of.hpp"
#include "support/numbers.hpp"
#include "support/second_device.hpp"

namespace argument_errors {
namespace {

using amp::Tensor;
using conformance::Binding;
using conformance::example;
using conformance::Inputs;
using conformance::OpCase;

struct Argument {
  std::string name;
  bool optional, leads, any_dtype, one_dtype;
};

std::vector<Argument> arguments_of(const Binding& binding) {
  std::vector<Argument> arguments;
  std::istringstream words{std::string(binding.arguments)};
  for (std::string word; words >> word;) {
    const std::size_t end = (std::min)(word.find_first_of("?*#="), word.size());
    const auto has = [&](char mark) { return word.find(mark, end) != word.npos; };
    arguments.push_back({word.substr(0, end), has('?'), has('*'), has('#'), has('=')});
  }
  return arguments;
}

/// Whether operands of several dtypes are refused: what autocast would cast is not promoted.
bool low_precision(const Binding& binding) {
  if (conformance::op_of(binding.op) == "addr") return false;  // multiplies elements, and promotes
  for (const auto& listed : amp::autocasting::kOpList) {
    if (listed.name == conformance::op_of(binding.op))
      return listed.policy == amp::OpPolicy::kLowPrecision;
  }
  return false;
}

/// Whether a form refuses an operand of that dtype beside others of float32.
bool refuses(const Binding& binding, const Argument& argument, amp::DType dtype) {
  if (argument.any_dtype) return false;
  if (argument.one_dtype) return true;
  const bool is_mask = argument.name == "attn_mask";  // of bools or of any floats
  if (dtype == amp::kInt64) return binding.takes == conformance::kFloats;
  if (dtype == amp::kBool) return binding.takes != conformance::kAnything && !is_mask;
  return low_precision(binding) && !is_mask;
}

/// What a call must not change.
struct State {
  std::vector<std::uint64_t> versions;
  std::vector<std::vector<double>> values;

  explicit State(const Inputs& inputs) {
    for (const Tensor& x : inputs) {
      if (!x.defined() || x.numel() > 1000) continue;  // as many as memory does not hold
      versions.push_back(x.version());
      values.push_back(x.to_vector<double>());
    }
  }
  bool operator==(const State&) const = default;
};

/// A call of a form with its example, of which one argument is changed; number inputs.size() is the
/// index. What the op says.
template <class Change>
std::string error_with(const Binding& binding, std::size_t changed, const Change& change) {
  const OpCase& c = example(binding);
  Inputs inputs;
  for (const goldens::Operand& operand : c.inputs) {
    const Tensor x = amp::tensor(operand.values, operand.shape, {.dtype = amp::kFloat32});
    inputs.push_back(inputs.size() == changed ? change(x) : x);
  }
  inputs.as_index = [&](const Tensor& given) {
    const Tensor index = given.to(amp::kCPU);
    return changed == inputs.size() ? change(index) : index;
  };
  const State before(inputs);
  const std::string error = amp_test::error_of([&] { return binding.call(inputs, c); });
  if (!error.empty()) CHECK(State(inputs) == before);
  return error;
}

/// Calls body(binding, argument, number, operands) for every argument of every op.
template <class Body>
void for_each_argument(const Body& body) {
  amp_test::make_second_device();
  for (const Binding& binding : conformance::kBindings) {
    if (!conformance::is_listed(binding)) continue;
    const OpCase& c = example(binding);
    const std::vector<Argument> arguments = arguments_of(binding);
    const std::size_t count = c.inputs.size() + (conformance::has_index(c) ? 1 : 0);
    for (std::size_t i = 0; i < count; ++i) {
      const Argument& argument = arguments[arguments.size() == 1 ? 0 : i];
      if (argument.name == "-") continue;  // several arguments are made of it
      INFO(binding.op << ": " << argument.name);
      body(binding, argument, i, count);
    }
  }
}

void check(const Binding& binding, const Argument& argument, const std::string& error,
           const std::vector<std::string>& parts) {
  INFO(error);
  CHECK(error.starts_with(std::string(conformance::op_of(binding.op)) + ":"));
  CHECK(error.find('`' + argument.name + '`') != error.npos);
  for (const std::string& part : parts) {
    INFO(part);
    CHECK(error.find(part) != error.npos);
  }
}

}  // namespace

TEST_CASE("arguments: undefined", "[conformance]") {
  for_each_argument([](const Binding& binding, const Argument& argument, std::size_t i, auto) {
    const std::string error = error_with(binding, i, [](const Tensor&) { return Tensor(); });
    if (!argument.optional) check(binding, argument, error, {"undefined"});
  });
}

TEST_CASE("arguments: on another device than the others", "[conformance]") {
  for_each_argument(
      [](const Binding& binding, const Argument& argument, std::size_t i, auto count) {
        if (count == 1) return;
        const std::string error =
            error_with(binding, i, [](const Tensor& x) { return x.to(amp::kCUDA); });
        check(binding, argument, error, {"one device", "cpu", "cuda:0"});
      });
}

TEST_CASE("arguments: of another shape", "[conformance]") {
  for_each_argument([](const Binding& binding, const Argument& argument, std::size_t i,
                       auto count) {
    if (count == 1) return;
    std::string shape;
    const std::string error = error_with(binding, i, [&](const Tensor& x) {
      std::vector<std::int64_t> extents;
      for (int d = 0; d < x.dim(); ++d) extents.push_back(x.size(d) + 2);
      const Tensor larger = amp::ones(extents, {.dtype = x.dtype()});
      shape = to_string(larger.shape());
      return larger;
    });
    if (argument.leads) {
      CHECK((error == "" || error.starts_with(std::string(conformance::op_of(binding.op)) + ":")));
    } else {
      check(binding, argument, error, {shape});
    }
  });
}

TEST_CASE("arguments: of another dtype than they may be", "[conformance]") {
  for_each_argument([](const Binding& binding, const Argument& argument, std::size_t i, auto) {
    const bool is_index = i == example(binding).inputs.size();
    for (const amp::DType dtype : {amp::kInt64, amp::kBool, amp::kFloat16}) {
      std::string given;
      bool refused = refuses(binding, argument, dtype);
      const std::string error = error_with(binding, i, [&](const Tensor& x) {
        if (is_index) refused = x.dtype() != dtype && !argument.any_dtype;
        given = describe(x.to(dtype));
        return x.to(dtype);
      });
      if (refused && dtype == amp::kFloat16 && !is_index) {
        check(binding, argument, error, {given, "one dtype"});
      } else if (refused) {
        check(binding, argument, error, {given});
      } else {
        CHECK(error == "");
      }
    }
  });
}

TEST_CASE("arguments: all of integers, or of bools", "[conformance]") {
  for (const Binding& binding : conformance::kBindings) {
    if (!conformance::is_listed(binding) || binding.takes == conformance::kAnything) continue;
    const OpCase& c = example(binding);
    const Argument first = arguments_of(binding)[0];
    if (first.name == "-") continue;
    const auto with_all = [&](amp::DType dtype) {
      return amp_test::error_of([&] { return conformance::Call(c, amp::kCPU, dtype); });
    };
    INFO(binding.op);
    const bool numbers = binding.takes == conformance::kNumbers;
    check(binding, first, with_all(amp::kBool), {numbers ? "number" : "floating point", "bool["});
    if (!numbers) check(binding, first, with_all(amp::kInt64), {"floating point", "int64["});
  }
}

// --- what only single ops refuse -----------------------------------------------------------------

namespace {

/// A call with operands of these shapes, and an index. All parts of `parts`, which | divides, are in
/// the message.
struct BadCall {
  std::string op;
  std::vector<std::vector<std::int64_t>> inputs;
  std::vector<double> attributes;
  std::string parts;
  std::vector<std::int64_t> index = {};
  std::optional<std::vector<std::int64_t>> index_shape = {};  // unset: one dimension
};

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kLeast = -0x1p63;
constexpr std::int64_t kHuge = std::int64_t{1} << 62, kTera = std::int64_t{1} << 40;

/// Numbers; of more than memory holds, one number.
Tensor input_of(const amp::Shape& shape) {
  return shape.numel() < 1000 ? amp_test::counting(shape) : amp::full({}, 2).expand(shape);
}

void check(const BadCall& bad) {
  OpCase c;
  c.op = bad.op;
  c.attributes = bad.attributes;
  c.index = bad.index;
  c.index_shape =
      bad.index_shape.value_or(std::vector{static_cast<std::int64_t>(bad.index.size())});
  if (bad.index.empty() && !bad.index_shape) c.index_shape.clear();
  Inputs inputs;
  for (const std::vector<std::int64_t>& shape : bad.inputs) inputs.push_back(input_of(shape));
  INFO(bad.op << ": " << bad.parts);
  const State before(inputs);
  const std::string error =
      amp_test::error_of([&] { return conformance::binding_of(bad.op)->call(inputs, c); });
  CHECK(State(inputs) == before);
  INFO(error);
  const bool of_memory = bad.parts.starts_with("out of memory") || bad.parts.starts_with("shape");
  const std::string op(conformance::op_of(bad.op));
  CHECK((of_memory || error.starts_with(op + ":")));
  std::istringstream parts(bad.parts);
  std::string missing;
  for (std::string part; std::getline(parts, part, '|');) {
    if (error.find(part) == error.npos) missing += part + '|';
  }
  CHECK(missing == "");
}

}  // namespace

TEST_CASE("bad calls: elementwise ops of shapes that do not broadcast", "[conformance]") {
  for (const Binding& binding : conformance::kBindings) {
    if (binding.arguments != "a b" && binding.arguments != "input exponent") continue;
    const std::string op(binding.op);
    if (op == "matmul" || op == "bmm" || op.starts_with("tensordot")) continue;
    const std::string a = '`' + arguments_of(binding)[0].name + "`|",
                      b = '`' + arguments_of(binding)[1].name + "`|";
    check({op, {{2, 3}, {4, 5}}, {}, "[2, 3]|" + a + "[4, 5]|" + b + "broadcast"});
    check({op, {{2, 3}, {2, 3, 4}}, {}, "[2, 3]|" + a + "[2, 3, 4]|" + b + "broadcast"});
    check({op, {{kHuge, 1}, {1, kHuge}}, {}, "[4611686018427387904, 1]|" + a + b + "63 bits"});
    check({op, {{kTera, 1}, {1, 1 << 20}}, {}, "out of memory|bytes"});
  }
}

TEST_CASE("bad calls: dimensions", "[conformance]") {
  for (const std::string op : {"sum(x, dim)", "mean(x, dim)", "var", "max(x, dim)", "min(x, dim)",
                               "argmax(x, dim)", "softmax", "log_softmax", "index_select", "cat"}) {
    for (const double dim : {2.0, -3.0, kLeast, static_cast<double>(kHuge)}) {
      const std::string text = std::to_string(static_cast<std::int64_t>(dim));
      check({op, {{2, 3}}, {dim, 1, 0}, "`dim`|[-2, 2)|2 dimensions|" + text, {0}});
    }
    if (op == "cat") continue;  // takes no scalars at all
    check({op, {{}}, {1, 1, 0}, "`dim`|[-1, 1)|0 dimensions|1", {0}});
  }
}

TEST_CASE("bad calls: products", "[conformance]") {
  const BadCall calls[] = {
      {"matmul", {{}, {3, 3}}, {}, "`a`|`b`|at least 1 dimension|float32[]|float32[3, 3]"},
      {"matmul", {{2, 3}, {}}, {}, "`a`|`b`|at least 1 dimension|float32[2, 3]|float32[]"},
      {"matmul", {{2, 3}, {2, 3}}, {}, "`a`|`b`|float32[2, 3]|3 and 2"},
      {"matmul", {{2}, {3}}, {}, "`a`|`b`|float32[2]|float32[3]|2 and 3"},
      {"matmul", {{2, 3}, {2}}, {}, "`a`|`b`|float32[2, 3]|float32[2]|3 and 2"},
      {"matmul", {{2, 3, 4}, {5, 4, 3}}, {}, "`a`|`b`|[2, 3, 4]|[5, 4, 3]|broadcast"},
      {"matmul", {{kTera, 0}, {0, 1 << 10}}, {}, "out of memory|4503599627370496 bytes"},
      {"matmul",
       {{kHuge, 0}, {0, kHuge}},
       {},
       "shape|[4611686018427387904, 461168601842738790|63 bits"},
      {"bmm", {{2, 3}, {3, 3}}, {}, "`a`|[B, M, K]|`b`|[B, K, N]|float32[2, 3]|float32[3, 3]"},
      {"bmm", {{2, 3, 4}, {2, 3, 4}}, {}, "`a`|[B, M, K]|`b`|[B, K, N]|float32[2, 3, 4]"},
      {"bmm", {{2, 3, 4}, {1, 4, 3}}, {}, "`a`|[B, M, K]|`b`|[B, K, N]|[2, 3, 4]|[1, 4, 3]"},
      {"linear", {{}, {3, 3}}, {}, "`input`|[..., K]|`weight`|[N, K]|float32[]|float32[3, 3]"},
      {"linear", {{2, 3}, {3}}, {}, "`input`|[..., K]|`weight`|[N, K]|float32[2, 3]|float32[3]"},
      {"linear", {{2, 3}, {2, 3, 4}}, {}, "`input`|[..., K]|`weight`|[N, K]|[2, 3]|[2, 3, 4]"},
      {"linear", {{2, 3}, {4, 5}}, {}, "`input`|`weight`|[N, K]|[2, 3]|[4, 5]| have 3 and 5"},
      {"linear", {{2, 3}, {3, 3}, {2}}, {}, "`bias`|[3]|float32[2]"},
      {"linear", {{2, 3}, {3, 3}, {}}, {}, "`bias`|[3]|float32[]"},
      {"feed_forward",
       {{}, {3, 3}, {3, 3}},
       {},
       "`input`|[..., K]|`weight1`|[H, K]|`weight2`|[N, H]|float32[]"},
      {"feed_forward", {{2, 3}, {4, 5}, {3, 3}}, {}, "[H, K]|float32[2, 3]|float32[4, 5]"},
      {"feed_forward", {{2, 3}, {3, 3}, {4, 5}}, {}, "[N, H]|float32[3, 3]|float32[4, 5]"},
      {"feed_forward", {{2, 3}, {3, 3}, {3, 3}, {2}}, {}, "`bias1`|[3]|float32[2]"},
      {"feed_forward", {{2, 3}, {3, 3}, {3, 3}, {3}, {2}}, {}, "`bias2`|[3]|float32[2]"},
  };
  for (const BadCall& bad : calls) check(bad);
}

TEST_CASE("bad calls: attention", "[conformance]") {
  const std::string op = "scaled_dot_product_attention";
  const BadCall calls[] = {
      {op,
       {{3}, {3}, {3}},
       {0, 0},
       "`query`|[..., L, E]|`key`|[..., S, E]|`value`|[..., S, V]|float32[3]"},
      {op, {{2, 3}, {4, 5}, {4, 5}}, {0, 0}, "`query`|`key`|`value`|float32[2, 3]|float32[4, 5]"},
      {op, {{2, 3}, {3, 3}, {4, 5}}, {0, 0}, "`query`|`key`|`value`|[2, 3]|[3, 3]|[4, 5]"},
      {op,
       {{2, 3, 4}, {5, 3, 4}, {5, 3, 4}},
       {0, 0},
       "`query`|`key`|[2, 3, 4]|[5, 3, 4]|broadcast"},
      {op, {{2, 3, 4}, {2, 3, 4}, {5, 3, 4}}, {0, 0}, "`value`|[2, 3, 4]|[5, 3, 4]|broadcast"},
      {op, {{3, 3}, {3, 3}, {3, 3}, {4, 5}}, {0, 0}, "`attn_mask`|[3, 3]|[4, 5]|broadcast"},
      {op, {{3, 3}, {3, 3}, {3, 3}, {2, 3, 3}}, {0, 0}, "`attn_mask`|[3, 3]|[2, 3, 3]|broadcast"},
      {op,
       {{3, 3}, {3, 3}, {3, 3}},
       {0, 0},
       "`attn_mask`|[3, 3]|[2, 3]|broadcast",
       {1, 1, 1, 1, 1, 1},
       {{2, 3}}},
      {op, {{2, 3}, {3, 3}, {3, 3}, {2, 3}}, {1, 0}, "`attn_mask`|`is_causal`|not both"},
  };
  for (const BadCall& bad : calls) check(bad);
}

TEST_CASE("bad calls: convolution", "[conformance]") {
  const std::vector<std::int64_t> image = {2, 4, 5, 5}, filters = {6, 2, 3, 3};
  const auto grouped = [](double groups) { return std::vector<double>{1, 1, 0, 0, 1, 1, groups}; };
  const auto stride = [](double h, double w) { return std::vector<double>{h, w, 0, 0, 1, 1, 2}; };
  const auto padding = [](double p) { return std::vector<double>{1, 1, p, p, 1, 1, 2}; };
  const auto dilation = [](double h, double w) { return std::vector<double>{1, 1, 0, 0, h, w, 2}; };
  constexpr double huge = static_cast<double>(kHuge);
  const BadCall calls[] = {
      {"conv2d",
       {{2, 3}, filters},
       grouped(1),
       "`input`|[N, C, H, W]|`weight`|float32[2, 3]|float32[6, 2, 3, 3]"},
      {"conv2d",
       {image, {2, 3, 4}},
       grouped(1),
       "`input`|`weight`|[O, C / groups, KH, KW]|[2, 4, 5, 5]|[2, 3, 4]"},
      {"conv2d",
       {image, filters},
       grouped(1),
       "`groups` 1|`weight`|float32[6, 2, 3, 3]|expects 2 channels|`input`|[2, 4, 5, 5]|has 4"},
      {"conv2d",
       {{4, 5, 5}, filters},
       grouped(1),
       "`groups`|1|`weight`|float32[6, 2, 3, 3]|`input`|float32[4, 5, 5]"},
      {"conv2d",
       {image, {6, 3, 3, 3}},
       grouped(2),
       "`groups` 2|[6, 3, 3, 3]|expects 6 channels|[2, 4, 5, 5]|has 4"},
      {"conv2d",
       {image, filters},
       grouped(3),
       "`groups` 3 must divide the 4 channels of `input`|float32[6, 2, 3, 3]"},
      {"conv2d",
       {image, {3, 2, 3, 3}},
       grouped(2),
       "`groups` 2 must divide the 3 filters of `weight`|[3, 2, 3, 3]|`input`|[2, 4, 5, 5]"},
      {"conv2d", {image, filters}, grouped(0), "`groups`|at least 1|0"},
      {"conv2d", {image, filters}, grouped(-2), "`groups`|at least 1|-2"},
      {"conv2d", {image, filters}, grouped(kLeast), "`groups`|at least 1|-9223372036854775808"},
      {"conv2d",
       {image, filters},
       grouped(huge),
       "`groups`|4611686018427387904|`weight`|[6, 2, 3, 3]|`input`"},
      {"conv2d",
       {image, {0, 2, 3, 3}},
       grouped(huge),
       "`groups`|4611686018427387904|`weight`|[0, 2, 3, 3]|`input`"},
      {"conv2d(relu)", {image, filters, {4}}, grouped(2), "`bias`|[6]|float32[4]"},
      {"conv2d", {image, filters, {4}}, grouped(2), "`bias`|[6]|float32[4]"},
      {"conv2d", {image, filters, {}}, grouped(2), "`bias`|[6]|float32[]"},
      {"conv2d", {image, filters}, stride(0, 0), "`stride`|at least 1|{0, 0}"},
      {"conv2d", {image, filters}, stride(1, 0), "`stride`|at least 1|{1, 0}"},
      {"conv2d",
       {image, filters},
       stride(kLeast, 1),
       "`stride`|at least 1|{-9223372036854775808, 1}"},
      {"conv2d",
       {image, filters},
       stride(1, huge),
       "`stride`|at most 1073741824|{1, 4611686018427387904}"},
      {"conv2d", {image, filters}, padding(-1), "`padding`|at least 0|{-1, -1}"},
      {"conv2d",
       {image, filters},
       padding(huge),
       "`padding`|at most 1073741824|4611686018427387904"},
      {"conv2d",
       {image, filters},
       padding(1 << 30),
       "shape|[2, 6, 2147483651, 2147483651]|63 bits"},
      {"conv2d", {image, filters}, padding(1 << 24), "out of memory|bytes"},
      {"conv2d", {image, filters}, dilation(0, 0), "`dilation`|at least 1|{0, 0}"},
      {"conv2d", {image, filters}, dilation(1, -1), "`dilation`|at least 1|{1, -1}"},
      {"conv2d",
       {image, filters},
       dilation(huge, 1),
       "`dilation`|at most 1073741824|4611686018427387904"},
      {"conv2d",
       {image, filters},
       dilation(3, 3),
       "`weight`|[6, 2, 3, 3]|does not fit|`input`|[2, 4, 5, 5]|dilation"},
      {"conv2d",
       {image, {1, 4, 7, 1}},
       grouped(1),
       "`weight`|[1, 4, 7, 1]|does not fit|`input`|[2, 4, 5, 5]|padding"},
      {"conv2d", {image, {1, 4, 0, 3}}, grouped(1), "kernel|at least 1|{0, 3}"},
      {"conv2d",
       {{2, 4, 0, 5}, filters},
       grouped(2),
       "`weight`|[6, 2, 3, 3]|does not fit|`input`|[2, 4, 0, 5]"},
  };
  for (const BadCall& bad : calls) check(bad);
}

TEST_CASE("bad calls: pooling", "[conformance]") {
  const std::vector<std::int64_t> image = {2, 4, 5, 5};
  constexpr double huge = static_cast<double>(kHuge);
  for (const std::string op : {"max_pool2d", "avg_pool2d"}) {
    const BadCall calls[] = {
        {op, {{2, 3}}, {2, 2, 2, 2, 0, 0}, "`input`|[N, C, H, W]|float32[2, 3]"},
        {op, {{1, 2, 4, 5, 5}}, {2, 2, 2, 2, 0, 0}, "`input`|[N, C, H, W]|[1, 2, 4, 5, 5]"},
        {op, {image}, {0, 0, 1, 1, 0, 0}, "`kernel`|at least 1|{0, 0}"},
        {op, {image}, {2, -2, 1, 1, 0, 0}, "`kernel`|at least 1|{2, -2}"},
        {op, {image}, {huge, 1, 1, 1, 0, 0}, "`kernel`|at most 1073741824|4611686018427387904"},
        {op, {image}, {7, 1, 1, 1, 0, 0}, "`kernel`|{7, 1}|does not fit|`input`|[2, 4, 5, 5]"},
        {op, {image}, {2, 2, 1, 0, 0, 0}, "`stride`|at least 1|{1, 0}"},
        {op, {image}, {2, 2, kLeast, 1, 0, 0}, "`stride`|at least 1|-9223372036854775808"},
        {op,
         {image},
         {3, 3, huge, 1, 1, 1},
         "`stride`|at most 1073741824|{4611686018427387904, 1}"},
        {op, {image}, {2, 2, 1, 1, -1, -1}, "`padding`|at least 0|{-1, -1}"},
        {op, {image}, {3, 3, 1, 1, 2, 2}, "`padding`|half of `kernel`|{2, 2}|{3, 3}"},
        {op, {image}, {3, 3, 1, 1, huge, 0}, "`padding`|at most 1073741824|4611686018427387904"},
        {op, {{2, 4, 0, 5}}, {2, 2, 2, 2, 1, 1}, "`input`|float32[2, 4, 0, 5]|empty"},
        {op, {{4, 5, 0}}, {2, 2, 2, 2, 1, 1}, "`input`|float32[4, 5, 0]|empty"},
    };
    for (const BadCall& bad : calls) check(bad);
  }
}

TEST_CASE("bad calls: normalisation", "[conformance]") {
  const std::vector<std::int64_t> image = {2, 4, 5, 5};
  const BadCall calls[] = {
      {"layer_norm", {{2, 3}}, {0, 2}, "`input`|`normalized_shape`|[2]|float32[2, 3]"},
      {"layer_norm", {{3}}, {0, 2, 3}, "`input`|`normalized_shape`|[2, 3]|float32[3]"},
      {"layer_norm", {{2, 3}}, {0}, "`input`|`normalized_shape`|[]|float32[2, 3]"},
      {"layer_norm", {{2, 3}, {2}}, {0, 3}, "`weight`|floating point of shape [3]|float32[2]"},
      {"layer_norm", {{2, 3}, {}}, {0, 3}, "`weight`|floating point of shape [3]|float32[]"},
      {"layer_norm", {{2, 3}, {3}, {4}}, {0, 3}, "`bias`|floating point of shape [3]|float32[4]"},
      {"rms_norm", {{2, 3}}, {0, 2}, "`input`|`normalized_shape`|[2]|float32[2, 3]"},
      {"rms_norm", {{}}, {0}, "`input`|`normalized_shape`|[]|float32[]"},
      {"rms_norm", {{2, 3}, {2}}, {0, 3}, "`weight`|floating point of shape [3]|float32[2]"},
      {"group_norm", {{4}}, {2, 0}, "`input`|[N, C, ...]|float32[4]"},
      {"group_norm", {image}, {0, 0}, "`groups`|4 channels|`input`|float32[2, 4, 5, 5]|0"},
      {"group_norm", {image}, {-4, 0}, "`groups`|4 channels|`input`|float32[2, 4, 5, 5]|-4"},
      {"group_norm", {image}, {kLeast, 0}, "`groups`|4 channels|`input`|-9223372036854775808"},
      {"group_norm", {image}, {3, 0}, "`groups`|4 channels|`input`|float32[2, 4, 5, 5]|3"},
      {"group_norm",
       {{2, 0}},
       {0x1p62, 0},
       "`groups`|0 channels|`input`|[2, 0]|4611686018427387904"},
      {"group_norm", {{1, 3}}, {3, 0}, "`input`|float32[1, 3]|3|one value per group|fewer"},
      {"group_norm", {image, {3}}, {2, 0}, "`weight`|floating point of shape [4]|float32[3]"},
      {"group_norm", {image, {4}, {2}}, {2, 0}, "`bias`|floating point of shape [4]|float32[2]"},
      {"batch_norm", {{4}, {4}, {4}}, {0, 0, 0, 0, 1}, "`input`|[N, C, ...]|float32[4]"},
      {"batch_norm",
       {image, {3}, {4}},
       {0, 0, 0, 0, 1},
       "`running_mean`|floating point of shape [4]|float32[3]"},
      {"batch_norm",
       {image, {4}, {3}},
       {1, 0, 0, 0, 1},
       "`running_var`|floating point of shape [4]|float32[3]"},
      {"batch_norm",
       {image, {3}, {4}, {4}},
       {1, 0, 0, 1, 1},
       "`weight`|floating point of shape [4]|float32[3]"},
      {"batch_norm",
       {image, {4}, {}, {4}, {4}},
       {1, 0, 0, 2, 1},
       "`bias`|floating point of shape [4]|float32[]"},
      {"batch_norm", {image}, {0, 0, 0, 0, 0}, "`running_mean`|defined|`training`"},
      {"batch_norm",
       {{1, 4}},
       {1, 0, 0, 0, 0},
       "training|more than one value per channel|`input`|float32[1, 4]"},
  };
  for (const BadCall& bad : calls) check(bad);
}

TEST_CASE("bad calls: losses", "[conformance]") {
  for (const std::string op : {"cross_entropy", "nll_loss"}) {
    const std::string input = op == "nll_loss" ? "`input`|" : "`logits`|";
    const std::vector<double> mean = {1, -100, 0}, none = {0, -100, op == "nll_loss" ? 0 : 0.1};
    for (const std::vector<double>& options : {mean, none}) {
      const BadCall calls[] = {
          {op, {{}}, options, input + "float32[]|`targets`|int64[2]", {0, 1}},
          {op, {{2, 3}}, options, input + "[2, 3]|[2]|`targets`|int64[3]", {0, 0, 0}},
          {op, {{2, 3}}, options, input + "[2]|`targets`|int64[2, 1]", {0, 1}, {{2, 1}}},
          {op, {{2, 3, 4}}, options, input + "[2, 3, 4]|[2, 4]|`targets`|int64[2]", {0, 1}},
          {op, {{2, 3}}, options, "`targets`|[0, 3)|7", {0, 7}},
          {op, {{2, 3}}, options, "`targets`|[0, 3)|-1", {0, -1}},
          {op, {{3}}, options, "`targets`|[0, 3)|7", {7}, {{}}},
          {op, {{2, 0}}, options, input + "float32[2, 0]|no classes", {0, 1}},
          {op, {{2, 3}, {2}}, options, "`weight`|floating point of shape [3]|float32[2]", {0, 1}},
          {op, {{2, 3}, {}}, options, "`weight`|floating point of shape [3]|float32[]", {0, 1}},
      };
      for (const BadCall& bad : calls) check(bad);
    }
  }
  const std::string bce = "binary_cross_entropy_with_logits";
  const std::string with_options = bce + "(input, target, options)";
  const BadCall calls[] = {
      {"cross_entropy(probabilities)",
       {{2, 3}, {4, 5}},
       {1, 0},
       "`logits`|float32[2, 3]|`targets`|probabilities|float32[4, 5]"},
      {"cross_entropy", {{2, 3}}, {1, -100, -0.5}, "`label_smoothing`|[0, 1]|-0.5", {0, 1}},
      {"cross_entropy", {{2, 3}}, {1, -100, 2}, "`label_smoothing`|[0, 1]|2", {0, 1}},
      {"cross_entropy", {{2, 3}}, {1, -100, kNaN}, "`label_smoothing`|[0, 1]|nan", {0, 1}},
      {"mse_loss", {{2, 3}, {4, 5}}, {1}, "`target`|`input`|float32[2, 3]|float32[4, 5]"},
      {"mse_loss", {{2, 3}, {3}}, {1}, "`target`|`input`|float32[2, 3]|float32[3]|reshape"},
      {bce, {{2, 3}, {4, 5}}, {1}, "`target`|`input`|float32[2, 3]|float32[4, 5]"},
      {bce, {{2, 3}, {3}}, {1}, "`target`|`input`|float32[2, 3]|float32[3]"},
      {with_options, {{2, 3}, {2, 3}, {4}}, {1, 1, 0}, "`weight`|[2, 3]|[4]|broadcast"},
      {with_options, {{2, 3}, {2, 3}, {2, 2, 3}}, {1, 1, 0}, "`weight`|[2, 3]|[2, 2, 3]|broadcast"},
      {with_options, {{2, 3}, {2, 3}, {2}}, {1, 0, 1}, "`pos_weight`|[2, 3]|[2]|broadcast"},
  };
  for (const BadCall& bad : calls) check(bad);
}

TEST_CASE("bad calls: indices, lists, choices", "[conformance]") {
  const BadCall calls[] = {
      {"index_select", {{}}, {0}, "`input`|at least 1 dimension|float32[]", {0, 1}},
      {"index_select", {{2, 3}}, {0}, "`index`|at most 1 dimension|int64[2, 1]", {0, 1}, {{2, 1}}},
      {"index_select", {{2, 3}}, {1}, "`index`|[0, 3)|7", {0, 7}},
      {"index_select", {{2, 3}}, {0}, "`index`|[0, 2)|-1", {0, -1}},
      {"index_select", {{2, 0}}, {1}, "`index`|[0, 0)|0", {0, 1}},
      {"index_select", {{2, 0}}, {0}, "`index`|[0, 2)|7", {0, 7}},
      {"embedding", {{3}}, {}, "`weight`|[V, D]|float32[3]", {0, 1}},
      {"embedding", {{2, 3, 4}}, {}, "`weight`|[V, D]|float32[2, 3, 4]", {0, 1}},
      {"embedding", {{2, 3}}, {}, "`input`|[0, 2)|7", {0, 7}},
      {"embedding", {{2, 3}}, {}, "`input`|[0, 2)|-1", {0, -1}},
      {"embedding",
       {{3, 3}},
       {},
       "shape|at most 8 dimensions|[1, 1, 1, 1, 1, 1, 1, 2]",
       {0, 1},
       {{1, 1, 1, 1, 1, 1, 1, 2}}},
      {"cat", {}, {0}, "`tensors`|empty"},
      {"cat", {{}, {}}, {0}, "`tensors`|at least 1 dimension|float32[]|stack"},
      {"cat", {{2, 3}, {4, 5}}, {0}, "`tensors`|dimension 0|number 1|float32[4, 5]|float32[2, 3]"},
      {"cat", {{2, 3}, {2, 3, 4}}, {0}, "`tensors`|dimension 0|number 1|[2, 3, 4]|float32[2, 3]"},
      {"cat", {{2, 3}, {3}}, {0}, "`tensors`|dimension 0|number 1|float32[3]|float32[2, 3]"},
      {"cat", {{kHuge}, {kHuge}}, {0}, "`tensors`|63 bits"},
      {"cat", {{512 * kTera}, {512 * kTera}}, {0}, "out of memory|4503599627370496 bytes"},
      {"stack", {}, {0}, "`tensors`|empty"},
      {"stack", {{2, 3}, {3}}, {0}, "`tensors`|one shape|number 1|float32[3]|float32[2, 3]"},
      {"stack", {{2, 3}}, {3}, "`dim`|[-3, 3)|3"},
      {"stack", {{2, 3}}, {kLeast}, "`dim`|[-3, 3)|-9223372036854775808"},
      {"stack",
       {{1, 1, 1, 1, 1, 1, 1, 2}},
       {0},
       "shape|at most 8 dimensions|[1, 1, 1, 1, 1, 1, 1, 2]"},
      {"where", {{2, 3}, {4, 5}}, {}, "[2, 3]|`a`|[4, 5]|`b`|broadcast", {0, 1}, {{2, 1}}},
      {"where", {{4, 5}, {4, 5}}, {}, "`condition`|[2]|[4, 5]|broadcast", {0, 1}},
      {"where(condition, a, number)",
       {{4, 5}},
       {1},
       "`condition`|[2]|`a`|[4, 5]|broadcast",
       {0, 1}},
      {"where(condition, number, b)",
       {{4, 5}},
       {1},
       "`condition`|[2]|`b`|[4, 5]|broadcast",
       {0, 1}},
      {"max", {{2, 0}}, {}, "`input`|float32[2, 0]|no elements"},
      {"min", {{2, 0}}, {}, "`input`|float32[2, 0]|no elements"},
      {"argmax", {{2, 0}}, {}, "`input`|float32[2, 0]"},
      {"max(x, dim)", {{2, 0}}, {1, 0}, "dimension 1|`input`|float32[2, 0]|empty"},
      {"min(x, dim)", {{2, 0}}, {-1, 0}, "dimension 1|`input`|float32[2, 0]|empty"},
      {"argmax(x, dim)", {{2, 0}}, {1, 0}, "dimension 1|`input`|float32[2, 0]|empty"},
      {"celu(x, numbers)", {{2, 3}}, {0}, "`alpha`|not be 0"},
      {"softshrink(x, numbers)", {{2, 3}}, {-0.5}, "`lambd`|not negative|-0.5"},
      {"softshrink(x, numbers)", {{2, 3}}, {kNaN}, "`lambd`|finite|nan"},
      {"softshrink(x, numbers)", {{2, 3}}, {HUGE_VAL}, "`lambd`|finite|inf"},
      {"softshrink(x, numbers)", {{2, 3}}, {1e39}, "`lambd`|value of float32|1e+39"},
      {"dropout", {{2, 3}}, {-0.1, 1}, "`p`|[0, 1]|-0.1"},
      {"dropout", {{2, 3}}, {1.5, 1}, "`p`|[0, 1]|1.5"},
      {"dropout", {{2, 3}}, {kNaN, 1}, "`p`|[0, 1]|nan"},
      {"dropout", {{2, 3}}, {kNaN, 0}, "`p`|[0, 1]|nan"},
      {"dropout_add", {{2, 3}, {2, 3}}, {1.5, 1}, "`p`|[0, 1]|1.5"},
      {"dropout_add", {{2, 3}, {2, 3}}, {-1, 0}, "`p`|[0, 1]|-1"},
      {"dropout_add",
       {{2, 3}, {4}},
       {0.5, 1},
       "`input`|`residual`|one shape|float32[2, 3]|float32[4]|expand()"},
  };
  for (const BadCall& bad : calls) check(bad);
}

}  // namespace argument_errors
