// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Every misuse of a tensor throws amp::Error, says which argument of which member it was, what was
// expected and what came, and leaves all tensors as they were: one row each. Of ops only what
// conformance/errors_test.cpp, which calls all of them, has no form for.
#include <amp/amp.hpp>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "support/catch.hpp"
#include "support/numbers.hpp"
#include "support/second_device.hpp"

namespace {

using amp::Shape;
using amp::Tensor;
using amp_test::counting;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kHuge = std::int64_t{1} << 62;

/// What rows are made of, anew for each.
struct Inputs {
  Tensor none;
  Tensor scalar = amp::full({}, 2);
  Tensor two = counting({2});
  Tensor three = counting({3});
  Tensor four = counting({4});
  Tensor matrix = counting({2, 3});
  Tensor empty = amp::zeros({2, 0});
  Tensor batch = counting({2, 3, 4});
  Tensor image = counting({2, 4, 5, 5});
  Tensor eight = counting({1, 1, 1, 1, 1, 1, 1, 2});
  Tensor half_square = counting({3, 3}, amp::kFloat16);
  Tensor integers = counting({2, 3}, amp::kInt64);
  Tensor integer_square = counting({3, 3}, amp::kInt64);
  Tensor mask = amp::zeros({2, 3}, {.dtype = amp::kBool});
  Tensor index = amp::tensor({0, 1}, {2});
  Tensor far = amp::tensor({0, 7}, {2});
  Tensor weight = amp::ones({2, 3}, {.requires_grad = true});
  Tensor mean = amp::zeros({4}), variance = amp::ones({4});
  Tensor moved = counting({2, 3}).to(amp::kCUDA);

  std::vector<Tensor> all() const {
    return {scalar, two,    three,       four,     matrix,         empty, batch,
            image,  eight,  half_square, integers, integer_square, mask,  index,
            far,    weight, mean,        moved,    variance};
  }
};
using In = const Inputs&;

/// What a call must not change.
struct State {
  std::vector<double> values;
  std::vector<std::uint64_t> versions;
  std::vector<std::string> kinds;
  bool records = amp::is_grad_enabled();
  bool casts = amp::is_autocast_enabled(amp::kCPU) || amp::is_autocast_enabled(amp::kCUDA);

  explicit State(In in) {
    for (const Tensor& tensor : in.all()) {
      for (const double value : tensor.to_vector<double>()) values.push_back(value);
      versions.push_back(tensor.version());
      kinds.push_back(amp::describe(tensor) + amp::to_string(tensor.strides()) +
                      (tensor.requires_grad() ? " requires a gradient" : "") +
                      (tensor.grad().defined() ? " has one" : ""));
    }
  }
  bool operator==(const State&) const = default;
};

/// `parts`, divided by |, must all be in the message.
void check(const std::string& what, const std::function<Tensor(In)>& call, std::string_view parts) {
  INFO(what);
  const Inputs in;
  const State before(in);
  std::string message;
  try {
    (void)call(in);
    FAIL_CHECK("nothing was thrown");
    return;
  } catch (const amp::Error& error) {
    message = error.what();
  } catch (const std::exception& error) {
    FAIL_CHECK("not an amp::Error was thrown: " << error.what());
    return;
  }
  std::string missing;
  while (!parts.empty()) {
    const std::string part(parts.substr(0, parts.find('|')));
    parts.remove_prefix((std::min)(part.size() + 1, parts.size()));
    if (message.find(part) == std::string::npos) missing += part + '|';
  }
  INFO(message);
  CHECK(missing == "");
  CHECK(State(in) == before);
}

struct Row {
  const char* what;
  Tensor (*call)(In);
  const char* parts;  // of the message, divided by |
};
template <std::size_t N>
void check(const Row (&rows)[N]) {
  amp_test::make_second_device();
  for (const Row& row : rows) check(row.what, row.call, row.parts);
}

}  // namespace

// --- making tensors ------------------------------------------------------------------------------

TEST_CASE("misuse: shapes and factories") {
  const Row rows[] = {
      {"a negative extent", [](In) { return amp::empty(Shape(2, -1)); },
       "shape|must not be negative|[2, -1]"},
      {"the most negative extent", [](In) { return amp::zeros(Shape(INT64_MIN)); },
       "shape|must not be negative|[-9223372036854775808]"},
      {"a negative extent of a range",
       [](In) {
         return amp::ones(std::vector{3, -7});
       },
       "shape|must not be negative|[3, -7]"},
      {"more elements than 63 bits count", [](In) { return amp::empty(Shape(kHuge, 2)); },
       "shape|63 bits|[4611686018427387904, 2]"},
      {"more elements but for an extent of 0",
       [](In) { return amp::empty(Shape(0, kHuge, kHuge)); },
       "shape|63 bits|[0, 4611686018427387904, 4611686018427387904]"},
      {"more bytes than 63 bits count", [](In) { return amp::empty(Shape(kHuge)); },
       "[4611686018427387904]|float32|63 bits"},
      {"an extent beyond 63 bits", [](In) { return amp::empty(Shape(UINT64_MAX)); },
       "shape|18446744073709551615|63 bits"},
      {"nine dimensions", [](In) { return amp::empty(Shape(1, 1, 1, 1, 1, 1, 1, 1, 7)); },
       "shape|at most 8 dimensions|[1, 1, 1, 1, 1, 1, 1, 1]|7"},
      {"nine dimensions of a range", [](In) { return amp::empty(std::vector<int>(9, 1)); },
       "shape|at most 8 dimensions|[1, 1, 1, 1, 1, 1, 1, 1]|1"},
      {"empty: more memory than there is", [](In) { return amp::empty({std::int64_t{1} << 50}); },
       "out of memory|4503599627370496 bytes"},
      {"zeros: more memory than there is", [](In) { return amp::zeros({std::int64_t{1} << 50}); },
       "out of memory|4503599627370496 bytes"},
      {"full: more memory than there is", [](In) { return amp::full({std::int64_t{1} << 50}, 1); },
       "out of memory|4503599627370496 bytes"},
      {"rand: more memory than there is", [](In) { return amp::rand({std::int64_t{1} << 50}); },
       "out of memory|4503599627370496 bytes"},
      {"rand: of integers", [](In) { return amp::rand(Shape(2), {.dtype = amp::kInt64}); },
       "rand|`dtype`|floating-point|int64"},
      {"rand: of bools", [](In) { return amp::rand(Shape(2), {.dtype = amp::kBool}); },
       "rand|`dtype`|floating-point|bool"},
      {"randn: of integers", [](In) { return amp::randn(Shape(2), {.dtype = amp::kInt32}); },
       "randn|`dtype`|floating-point|int32"},
      {"empty: integers that require gradients",
       [](In) { return amp::empty(Shape(2), {.dtype = amp::kInt64, .requires_grad = true}); },
       "requires_grad|floating-point|int64[2]"},
      {"zeros: integers that require gradients",
       [](In) { return amp::zeros(Shape(2), {.dtype = amp::kUInt8, .requires_grad = true}); },
       "requires_grad|floating-point|uint8[2]"},
      {"full: bools that require gradients",
       [](In) { return amp::full(Shape(2), 1, {.dtype = amp::kBool, .requires_grad = true}); },
       "requires_grad|floating-point|bool[2]"},
      {"tensor: integers that require gradients",
       [](In) {
         return amp::tensor({1, 2}, Shape(2), {.requires_grad = true});
       },
       "requires_grad|floating-point|int64[2]"},
      {"arange: integers that require gradients",
       [](In) { return amp::arange(3, {.requires_grad = true}); },
       "requires_grad|floating-point|int64[3]"},
      {"from_blob: integers that require gradients",
       [](In) {
         std::int64_t memory = 0;
         return amp::from_blob(&memory, {1}, {.dtype = amp::kInt64, .requires_grad = true});
       },
       "requires_grad|floating-point|int64[1]"},
      {"full: NaN as an integer",
       [](In) { return amp::full(Shape(2), kNaN, {.dtype = amp::kInt64}); },
       "full|`value`|int64|nan"},
      {"full: a number no integer holds",
       [](In) { return amp::full(Shape(2), 1e300, {.dtype = amp::kInt32}); },
       "full|`value`|int32|1e+300"},
      {"tensor: too few values",
       [](In) {
         return amp::tensor({1.0, 2.0, 3.0}, Shape(2, 2));
       },
       "tensor|`values`|3|`shape`|[2, 2]|4"},
      {"tensor: too many values",
       [](In) {
         return amp::tensor(std::vector<float>{1, 2, 3}, {2});
       },
       "tensor|`values`|3|`shape`|[2]|2"},
      {"tensor: no values of a scalar", [](In) { return amp::tensor(std::vector<float>{}, {}); },
       "tensor|`values`|0|`shape`|[]|1"},
      {"from_blob: null", [](In) { return amp::from_blob(nullptr, Shape(2, 3)); },
       "from_blob|`data`|null|`shape`|[2, 3]"},
      {"from_blob: more bytes than 63 bits count",
       [](In) {
         float memory = 0;
         return amp::from_blob(&memory, {kHuge});
       },
       "[4611686018427387904]|float32|63 bits"},
      {"arange: no step", [](In) { return amp::arange(0, 5, 0); }, "arange|`step`|0"},
      {"arange: away from the end", [](In) { return amp::arange(0, 5, -1); },
       "arange|`end`|5|`step`|-1|`start`|0"},
      {"arange: below nothing", [](In) { return amp::arange(-3); },
       "arange|`end`|-3|`step`|1|`start`|0"},
      {"arange: to NaN", [](In) { return amp::arange(0.0, kNaN, 1.0); }, "arange|`end`|nan"},
      {"arange: from NaN", [](In) { return amp::arange(kNaN, 1.0, 1.0); }, "arange|`start`|nan"},
      {"arange: by NaN", [](In) { return amp::arange(0.0, 1.0, kNaN); }, "arange|`step`|nan"},
      {"arange: to infinity",
       [](In) { return amp::arange(0.0, std::numeric_limits<double>::infinity(), 1.0); },
       "arange|`end`|inf"},
      {"arange: more numbers than memory", [](In) { return amp::arange(std::int64_t{1} << 60); },
       "arange|`end`|1152921504606846976"},
      {"arange: more numbers than a vector", [](In) { return amp::arange(INT64_MAX / 2); },
       "arange|`end`|4611686018427387903"},
      {"arange: more numbers than any", [](In) { return amp::arange(0.0, 1e300, 1e-300); },
       "arange|`end`|1e+300"},
      {"empty_like: of nothing", [](In in) { return amp::empty_like(in.none); }, "undefined"},
      {"zeros_like: of nothing", [](In in) { return amp::zeros_like(in.none); }, "undefined"},
  };
  check(rows);
}

// --- members of Tensor ---------------------------------------------------------------------------

TEST_CASE("misuse: members of an undefined tensor") {
  amp_test::make_second_device();
  const struct {
    const char* name;
    Tensor (*call)(In);
  } members[] = {
      // clang-format off
      {"dtype", [](In in) { (void)in.none.dtype(); return in.none; }},
      {"device", [](In in) { (void)in.none.device(); return in.none; }},
      {"shape", [](In in) { (void)in.none.shape(); return in.none; }},
      {"strides", [](In in) { (void)in.none.strides(); return in.none; }},
      {"dim", [](In in) { (void)in.none.dim(); return in.none; }},
      {"size", [](In in) { (void)in.none.size(0); return in.none; }},
      {"numel", [](In in) { (void)in.none.numel(); return in.none; }},
      {"is_contiguous", [](In in) { (void)in.none.is_contiguous(); return in.none; }},
      {"data", [](In in) { (void)in.none.data<float>(); return in.none; }},
      {"const_data", [](In in) { (void)in.none.const_data<float>(); return in.none; }},
      {"item", [](In in) { (void)in.none.item<float>(); return in.none; }},
      {"to_vector", [](In in) { (void)in.none.to_vector<float>(); return in.none; }},
      {"to", [](In in) { return in.none.to(amp::kFloat16); }},
      {"to", [](In in) { return in.none.to(amp::Device(amp::kCUDA)); }},
      {"clone", [](In in) { return in.none.clone(); }},
      {"contiguous", [](In in) { return in.none.contiguous(); }},
      {"reshape", [](In in) { return in.none.reshape({1}); }},
      {"view", [](In in) { return in.none.view({1}); }},
      {"transpose", [](In in) { return in.none.transpose(0, 1); }},
      {"t", [](In in) { return in.none.t(); }},
      {"permute", [](In in) { return in.none.permute({0}); }},
      {"narrow", [](In in) { return in.none.narrow(0, 0, 1); }},
      {"select", [](In in) { return in.none.select(0, 0); }},
      {"squeeze", [](In in) { return in.none.squeeze(); }},
      {"squeeze", [](In in) { return in.none.squeeze(0); }},
      {"unsqueeze", [](In in) { return in.none.unsqueeze(0); }},
      {"flatten", [](In in) { return in.none.flatten(); }},
      {"expand", [](In in) { return in.none.expand(Shape(1)); }},
      {"zero_", [](In in) { return in.none.zero_(); }},
      {"fill_", [](In in) { return in.none.fill_(1); }},
      {"copy_", [](In in) { return in.none.copy_(in.matrix); }},
      {"requires_grad_", [](In in) { return in.none.requires_grad_(); }},
      {"is_leaf", [](In in) { (void)in.none.is_leaf(); return in.none; }},
      {"grad", [](In in) { return in.none.grad(); }},
      {"set_grad", [](In in) { in.none.set_grad(in.matrix); return in.none; }},
      {"backward", [](In in) { in.none.backward(); return in.none; }},
      {"backward", [](In in) { in.none.backward(in.matrix); return in.none; }},
      {"detach", [](In in) { return in.none.detach(); }},
      {"mark_modified", [](In in) { in.none.mark_modified(); return in.none; }},
      {"version", [](In in) { (void)in.none.version(); return in.none; }},
      // clang-format on
  };
  for (const auto& member : members) {
    check(member.name, member.call, std::string(member.name) + ": the tensor is undefined");
  }
}

TEST_CASE("misuse: a tensor's elements") {
  // clang-format off
  const Row rows[] = {
      {"size: no such dimension", [](In in) { (void)in.matrix.size(2); return in.none; },
       "size|`dim`|[-2, 2)|2"},
      {"size: the most negative dimension",
       [](In in) { (void)in.matrix.size(INT64_MIN); return in.none; },
       "size|`dim`|[-2, 2)|-9223372036854775808"},
      {"size: of a scalar", [](In in) { (void)in.scalar.size(0); return in.none; },
       "size|0-dimensional"},
      {"data: another type", [](In in) { (void)in.matrix.data<double>(); return in.none; },
       "data<float64>|float32"},
      {"data: float of integers", [](In in) { (void)in.integers.data<float>(); return in.none; },
       "data<float32>|int64"},
      {"const_data: another type",
       [](In in) { (void)in.matrix.const_data<amp::half>(); return in.none; },
       "const_data<float16>|float32"},
      {"item: of several", [](In in) { (void)in.matrix.item<float>(); return in.none; },
       "item|one element|float32[2, 3]"},
      {"item: of none", [](In in) { (void)in.empty.item<float>(); return in.none; },
       "item|one element|float32[2, 0]"},
  };
  // clang-format on
  check(rows);
}

TEST_CASE("misuse: views") {
  const Row rows[] = {
      {"reshape: other elements",
       [](In in) {
         return in.matrix.reshape({4, 2});
       },
       "reshape|`shape`|[4, 2]|8|[2, 3]|6"},
      {"reshape: to a scalar", [](In in) { return in.matrix.reshape({}); },
       "reshape|`shape`|[]|[2, 3]"},
      {"reshape: two -1",
       [](In in) {
         return in.matrix.reshape({-1, -1});
       },
       "reshape|`shape`|one -1|[-1, -1]"},
      {"reshape: -2",
       [](In in) {
         return in.matrix.reshape({-2, 3});
       },
       "reshape|`shape`|at least 0|[-2, 3]"},
      {"reshape: the most negative",
       [](In in) {
         return in.matrix.reshape({INT64_MIN, -1});
       },
       "reshape|`shape`|at least 0|[-9223372036854775808, -1]"},
      {"reshape: -1 does not divide",
       [](In in) {
         return in.matrix.reshape({4, -1});
       },
       "reshape|`shape`|[4, -1]|6|[2, 3]"},
      {"reshape: -1 beside 0",
       [](In in) {
         return in.empty.reshape({0, -1});
       },
       "reshape|`shape`|[0, -1]|[2, 0]"},
      {"reshape: overflow",
       [](In in) {
         return in.matrix.reshape({kHuge, 4});
       },
       "reshape|`shape`|[4611686018427387904, 4]"},
      {"reshape: overflow with -1",
       [](In in) {
         return in.matrix.reshape({kHuge, kHuge, -1});
       },
       "reshape|`shape`|[4611686018427387904, 4611686018427387904, -1]"},
      {"reshape: nine dimensions",
       [](In in) {
         return in.two.reshape({1, 1, 1, 1, 1, 1, 1, 1, 2});
       },
       "shape|at most 8 dimensions"},
      {"view: other elements", [](In in) { return in.matrix.view({7}); },
       "view|`shape`|[7]|[2, 3]"},
      {"view: two -1",
       [](In in) {
         return in.matrix.view({-1, -1});
       },
       "view|`shape`|one -1|[-1, -1]"},
      {"view: would need a copy", [](In in) { return in.matrix.t().view({6}); },
       "view|float32[3, 2]|contiguous|reshape"},
      {"transpose: no first dimension", [](In in) { return in.matrix.transpose(2, 0); },
       "transpose|`dim0`|[-2, 2)|2"},
      {"transpose: no second dimension", [](In in) { return in.matrix.transpose(0, -3); },
       "transpose|`dim1`|[-2, 2)|-3"},
      {"transpose: the most negative dimension",
       [](In in) { return in.matrix.transpose(INT64_MIN, 0); },
       "transpose|`dim0`|[-2, 2)|-9223372036854775808"},
      {"t: three dimensions", [](In in) { return in.batch.t(); },
       "t: |at most 2 dimensions|float32[2, 3, 4]"},
      {"permute: too few", [](In in) { return in.matrix.permute({0}); },
       "permute|`dims`|2|float32[2, 3]|1"},
      {"permute: too many",
       [](In in) {
         return in.matrix.permute({0, 1, 2});
       },
       "permute|`dims`|2|float32[2, 3]|3"},
      {"permute: twice",
       [](In in) {
         return in.matrix.permute({1, -1});
       },
       "permute|`dims`|dimension 1 twice"},
      {"permute: no such dimension",
       [](In in) {
         return in.matrix.permute({0, 2});
       },
       "permute|`dims`|[-2, 2)|2"},
      {"permute: the most negative dimension",
       [](In in) {
         return in.matrix.permute({0, INT64_MIN});
       },
       "permute|`dims`|[-2, 2)|-9223372036854775808"},
      {"narrow: no such dimension", [](In in) { return in.matrix.narrow(2, 0, 1); },
       "narrow|`dim`|[-2, 2)|2"},
      {"narrow: a scalar", [](In in) { return in.scalar.narrow(0, 0, 1); }, "narrow|0-dimensional"},
      {"narrow: beyond the end", [](In in) { return in.matrix.narrow(1, 2, 2); },
       "narrow|`start`|2|`length`|2|dimension 1|float32[2, 3]"},
      {"narrow: before the start", [](In in) { return in.matrix.narrow(1, -1, 2); },
       "narrow|`start`|-1|`length`|2|dimension 1|float32[2, 3]"},
      {"narrow: a negative length", [](In in) { return in.matrix.narrow(1, 0, INT64_MIN); },
       "narrow|`start`|0|`length`|-9223372036854775808|dimension 1|float32[2, 3]"},
      {"narrow: numbers whose sum overflows",
       [](In in) { return in.matrix.narrow(1, INT64_MAX, INT64_MAX); },
       "narrow|`start`|9223372036854775807|`length`|dimension 1|float32[2, 3]"},
      {"select: no such dimension", [](In in) { return in.matrix.select(-3, 0); },
       "select|`dim`|[-2, 2)|-3"},
      {"select: a scalar", [](In in) { return in.scalar.select(0, 0); }, "select|0-dimensional"},
      {"select: beyond the end", [](In in) { return in.matrix.select(1, 3); },
       "select|`index`|[-3, 3)|3"},
      {"select: before the start", [](In in) { return in.matrix.select(1, INT64_MIN); },
       "select|`index`|[-3, 3)|-9223372036854775808"},
      {"select: from nothing", [](In in) { return in.empty.select(1, 0); },
       "select|`index`|[0, 0)|0"},
      {"squeeze: no such dimension", [](In in) { return in.matrix.squeeze(2); },
       "squeeze|`dim`|[-2, 2)|2"},
      {"squeeze: the most negative dimension", [](In in) { return in.matrix.squeeze(INT64_MIN); },
       "squeeze|`dim`|[-2, 2)|-9223372036854775808"},
      {"unsqueeze: no such dimension", [](In in) { return in.matrix.unsqueeze(3); },
       "unsqueeze|`dim`|[-3, 3)|3"},
      {"unsqueeze: nine dimensions", [](In in) { return in.eight.unsqueeze(0); },
       "at most 8 dimensions|[1, 1, 1, 1, 1, 1, 1, 2]"},
      {"flatten: no start", [](In in) { return in.matrix.flatten(2, 2); },
       "flatten|`start_dim`|[-2, 2)|2"},
      {"flatten: no end", [](In in) { return in.matrix.flatten(0, INT64_MAX); },
       "flatten|`end_dim`|[-2, 2)|9223372036854775807"},
      {"flatten: end before start", [](In in) { return in.matrix.flatten(1, 0); },
       "flatten|`start_dim`|1|`end_dim`|0"},
      {"expand: another extent", [](In in) { return in.matrix.expand(Shape(4, 3)); },
       "expand|[2, 3]|`shape`|[4, 3]"},
      {"expand: fewer dimensions", [](In in) { return in.matrix.expand(Shape(3)); },
       "expand|[2, 3]|`shape`|[3]"},
      {"expand: to one", [](In in) { return in.matrix.expand(Shape(2, 1)); },
       "expand|[2, 3]|`shape`|[2, 1]"},
      {"expand: -1", [](In in) { return in.matrix.expand(Shape(-1, 3)); },
       "shape|must not be negative|[-1, 3]"},
      {"contiguous: more memory than there is",
       [](In in) { return in.scalar.expand({std::int64_t{1} << 50}).contiguous(); },
       "out of memory|4503599627370496 bytes"},
      {"clone: more bytes than 63 bits count",
       [](In in) { return in.scalar.expand(Shape(kHuge)).clone(); },
       "[4611686018427387904]|float32|63 bits"},
      {"to: more memory than there is",
       [](In in) { return in.scalar.expand({std::int64_t{1} << 50}).to(amp::kFloat64); },
       "out of memory|9007199254740992 bytes"},
  };
  check(rows);
}

TEST_CASE("misuse: writing in place") {
  const Row rows[] = {
      {"fill_: a parameter", [](In in) { return in.weight.fill_(1); },
       "fill_|float32[2, 3]|requires gradients|NoGradGuard"},
      {"zero_: a parameter", [](In in) { return in.weight.zero_(); },
       "zero_|float32[2, 3]|requires gradients|NoGradGuard"},
      {"fill_: a view of a parameter", [](In in) { return in.weight[0].fill_(1); },
       "fill_|float32[3]|view of a leaf|NoGradGuard"},
      {"add_: a parameter", [](In in) { return in.weight.add_(1); },
       "add_|float32[2, 3]|requires gradients|NoGradGuard"},
      {"add_: a larger result", [](In in) { return in.three.add_(in.matrix); },
       "add_|[2, 3]|float32[3]"},
      {"mul_: a float in integers", [](In in) { return in.integers.mul_(0.5); },
       "mul_|float32|int64"},
      {"sin_: of integers", [](In in) { return in.integers.sin_(); }, "sin_|float32|int64"},
      {"sub_: an undefined tensor", [](In in) { return in.three.sub_(in.none); }, "sub_|undefined"},
      {"index_put_: out of range", [](In in) { return in.matrix.index_put_({2}, 1); },
       "select|`index`|[-2, 2)|2"},
      {"index_put_: too many indices",
       [](In in) {
         return in.matrix.index_put_({0, 0, 0}, 1);
       },
       "index_put_|3|float32[2, 3]"},
      {"index_put_: another shape", [](In in) { return in.matrix.index_put_({0}, in.four); },
       "index_put_|`value`|[4]|[3]"},
      {"fill_: what shares memory", [](In in) { return in.three.expand(Shape(2, 3)).fill_(1); },
       "fill_|float32[2, 3]|share memory|clone()"},
      {"fill_: NaN in integers", [](In in) { return in.integers.fill_(kNaN); },
       "fill_|`value`|int64|nan"},
      {"fill_: a number no integer holds", [](In in) { return in.integers.fill_(1e30); },
       "fill_|`value`|int64|1e+30"},
      {"copy_: nothing", [](In in) { return in.matrix.copy_(in.none); },
       "copy_|`source`|undefined"},
      {"copy_: to a parameter", [](In in) { return in.weight.copy_(in.matrix); },
       "copy_|float32[2, 3]|requires gradients|NoGradGuard"},
      {"copy_: to what shares memory",
       [](In in) { return in.three.expand(Shape(2, 3)).copy_(in.matrix); },
       "copy_|float32[2, 3]|share memory|clone()"},
      {"copy_: to a view of a parameter", [](In in) { return in.weight.T().copy_(in.matrix.T()); },
       "copy_|float32[3, 2]|view of a leaf"},
      {"copy_: another shape", [](In in) { return in.matrix.copy_(in.four); },
       "copy_|`source`|[4]|[2, 3]"},
      {"copy_: more dimensions", [](In in) { return in.matrix.copy_(in.batch); },
       "copy_|`source`|[2, 3, 4]|[2, 3]"},
      {"copy_: a shape that would grow this one",
       [](In in) {
         return in.two.reshape({2, 1}).copy_(in.matrix);
       },
       "copy_|`source`|[2, 3]|[2, 1]"},
      {"copy_: another shape from another device", [](In in) { return in.four.copy_(in.moved); },
       "copy_|`source`|[2, 3]|[4]"},
      {"copy_: another shape to another device", [](In in) { return in.moved.copy_(in.four); },
       "copy_|`source`|[4]|[2, 3]"},
  };
  check(rows);
}

// --- derivatives ---------------------------------------------------------------------------------

TEST_CASE("misuse: gradients") {
  // clang-format off
  const Row rows[] = {
      {"requires_grad_: of integers", [](In in) { return in.integers.requires_grad_(); },
       "requires_grad_|floating-point|int64[2, 3]"},
      {"requires_grad_: of bools", [](In in) { return in.mask.requires_grad_(); },
       "requires_grad_|floating-point|bool[2, 3]"},
      {"requires_grad_: off for what was computed",
       [](In in) { return (in.weight * 2).requires_grad_(false); },
       "requires_grad_|float32[2, 3]|detach()"},
      {"set_grad: of what collects none",
       [](In in) { in.matrix.set_grad(in.matrix); return in.none; },
       "set_grad|float32[2, 3]|leaf"},
      {"set_grad: of what was computed",
       [](In in) { (in.weight * 2).set_grad(in.matrix); return in.none; },
       "set_grad|float32[2, 3]|leaf"},
      {"set_grad: another shape", [](In in) { in.weight.set_grad(in.four); return in.none; },
       "set_grad|`grad`|float32[2, 3]|float32[4]"},
      {"set_grad: integers", [](In in) { in.weight.set_grad(in.integers); return in.none; },
       "set_grad|`grad`|float32[2, 3]|int64[2, 3]|floating point"},
      {"set_grad: another device", [](In in) { in.weight.set_grad(in.moved); return in.none; },
       "set_grad|`grad`|float32[2, 3]|cpu|cuda:0"},
      {"set_grad: not contiguous",
       [](In in) { in.weight.set_grad(amp::ones(Shape(3, 2)).t()); return in.none; },
       "set_grad|`grad`|contiguous|float32[2, 3]"},
      {"backward: of several elements", [](In in) { (in.weight * 2).backward(); return in.none; },
       "backward|one element|float32[2, 3]|sum or mean"},
      {"backward: of no elements",
       [](In in) { in.weight.narrow(0, 0, 0).backward(); return in.none; },
       "backward|one element|float32[0, 3]"},
      {"backward: of what needs none",
       [](In in) { amp::sum(in.matrix).backward(); return in.none; },
       "backward|float32[]|requires no gradient"},
      {"backward: of integers", [](In in) { amp::sum(in.integers).backward(); return in.none; },
       "backward|int64[]|requires no gradient"},
      {"backward: of what was detached",
       [](In in) { amp::sum(in.weight).detach().backward(); return in.none; },
       "backward|float32[]|requires no gradient"},
      {"backward: of what was computed without history",
       [](In in) {
         const Tensor loss = [&] { const amp::NoGradGuard guard; return amp::sum(in.weight); }();
         loss.backward();
         return in.none;
       },
       "backward|float32[]|requires no gradient|NoGradGuard"},
      {"backward: twice",
       [](In) {
         const Tensor loss = amp::sum(amp::ones(Shape(2), {.requires_grad = true}) * 2);
         loss.backward();
         loss.backward();
         return loss;
       },
       "backward|a second time|forward again"},
      {"backward: twice through a common part",
       [](In) {
         const Tensor common = amp::exp(amp::ones(Shape(2), {.requires_grad = true}));
         const Tensor one = amp::sum(common), other = amp::sum(common * 2);
         one.backward();
         other.backward();
         return one;
       },
       "exp|backward|a second time|forward again"},
      {"backward: what was saved was written to",
       [](In) {
         const Tensor x = amp::ones(Shape(2, 3), {.requires_grad = true});
         const Tensor loss = amp::sum(x * x);
         { const amp::NoGradGuard guard; x.zero_(); }
         loss.backward();
         return loss;
       },
       "mul|backward|float32[2, 3]|modified in place|clone()"},
      {"backward: an undefined gradient",
       [](In in) { (in.weight * 2).backward(in.none); return in.none; },
       "backward|`gradient`|undefined"},
      {"backward: a gradient of another shape",
       [](In in) { (in.weight * 2).backward(in.four); return in.none; },
       "backward|`gradient`|[2, 3]|float32[4]"},
      {"backward: a gradient that would broadcast",
       [](In in) { (in.weight * 2).backward(in.scalar); return in.none; },
       "backward|`gradient`|[2, 3]|float32[]"},
      {"backward: a gradient on another device",
       [](In in) { (in.weight * 2).backward(in.moved); return in.none; },
       "backward|`gradient`|cpu|cuda:0"},
      {"backward: a gradient of what needs none",
       [](In in) { in.matrix.backward(in.matrix); return in.none; },
       "backward|float32[2, 3]|requires no gradient"},
  };
  // clang-format on
  check(rows);
}

// --- ops -----------------------------------------------------------------------------------------

TEST_CASE("misuse: of single ops") {
  const Row rows[] = {
      {"pow: a negative power of integers", [](In in) { return amp::pow(in.integers, -1); },
       "pow: `exponent`|negative|`input`|int64[2, 3]|-1"},
      {"pow: the most negative power of bools", [](In in) { return amp::pow(in.mask, INT64_MIN); },
       "pow: `exponent`|negative|`input`|bool[2, 3]|-9223372036854775808"},
      {"matmul: two dtypes", [](In in) { return amp::matmul(in.matrix, in.half_square); },
       "matmul: |`a`|`b`|one dtype|float32[2, 3]|float16[3, 3]|AutocastGuard"},
      {"batch_norm: no running mean",
       [](In in) { return amp::batch_norm(in.image, {}, in.variance); },
       "batch_norm: `running_mean`|defined|`training`"},
      {"batch_norm: no running variance",
       [](In in) { return amp::batch_norm(in.image, in.mean, {}); },
       "batch_norm: |`running_var`|defined|`training`"},
      {"batch_norm: a running mean that is not contiguous",
       [](In in) {
         return amp::batch_norm(in.image, amp::zeros({4, 2}).select(1, 0), in.variance);
       },
       "batch_norm: `running_mean`|contiguous"},
      {"batch_norm: a running mean that requires gradients",
       [](In in) {
         const Tensor mean = in.mean.clone().requires_grad_();
         return amp::batch_norm(in.image, mean, in.variance, {}, {}, true);
       },
       "batch_norm: |`running_mean`|float32[4]|requires gradients"},
      {"batch_norm: a running variance that requires gradients",
       [](In in) {
         const Tensor variance = in.mean.clone().requires_grad_();
         return amp::batch_norm(in.image, in.mean, variance, {}, {}, true);
       },
       "batch_norm: |`running_var`|float32[4]|requires gradients"},
      {"cross_entropy: bool targets", [](In in) { return amp::cross_entropy(in.matrix, in.mask); },
       "cross_entropy: `targets`|int64|probabilities|bool[2, 3]"},
      {"cross_entropy: probabilities and an ignored class",
       [](In in) { return amp::cross_entropy(in.matrix, in.matrix, {.ignore_index = 2}); },
       "cross_entropy: `ignore_index`|`targets`|probabilities|2"},
      {"index_select: an index of floats",
       [](In in) { return amp::index_select(in.matrix, 0, in.two); },
       "index_select: `index`|int64 or int32|float32[2]"},
      {"index_select: the most negative, of 32 bits",
       [](In in) {
         return amp::index_select(in.matrix, 0, amp::tensor(std::vector{INT32_MIN}, {1}));
       },
       "index_select: |`index`|[0, 2)|-2147483648"},
      {"embedding: arguments in the wrong order",
       [](In in) { return amp::embedding(in.matrix, in.index); },
       "embedding: `input`|int64 or int32|float32[2, 3]"},
      {"embedding: beyond the end, recorded",
       [](In in) { return amp::embedding(in.far, in.weight); }, "embedding: |`input`|[0, 2)|7"},
      {"cat: an undefined one",
       [](In in) {
         return amp::cat({in.matrix, in.none});
       },
       "cat: `tensors`[1]|undefined"},
      {"cat: an undefined one first",
       [](In in) {
         return amp::cat({in.none, in.matrix});
       },
       "cat: `tensors`[0]|undefined"},
      {"stack: an undefined one",
       [](In in) {
         return amp::stack({in.matrix, in.none});
       },
       "stack: `tensors`[1]|undefined"},
      {"cross_entropy: targets of 32 bits",
       [](In in) { return amp::cross_entropy(in.matrix, in.index.to(amp::kInt32)); },
       "cross_entropy: |`targets`|int64|int32[2]"},
      {"nll_loss: targets of 32 bits",
       [](In in) { return amp::nll_loss(in.matrix, in.index.to(amp::kInt32)); },
       "nll_loss: |`targets`|int64|int32[2]"},
      {"attention: dropout_p below 0",
       [](In in) {
         return amp::scaled_dot_product_attention(in.matrix, in.matrix, in.matrix, {}, -1);
       },
       "scaled_dot_product_attention: `dropout_p`|[0, 1]|-1"},
      {"attention: dropout_p is NaN",
       [](In in) {
         return amp::scaled_dot_product_attention(in.matrix, in.matrix, in.matrix, {}, kNaN);
       },
       "scaled_dot_product_attention: `dropout_p`|[0, 1]|nan"},
  };
  check(rows);
}

// --- precision -----------------------------------------------------------------------------------

TEST_CASE("misuse: autocast") {
  const Row rows[] = {
      {"a policy of no op",
       [](In in) {
         const amp::OpPolicies policies = {{"sofmax", amp::OpPolicy::kFloat32}};
         return in.none;
       },
       "\"sofmax\"|\"softmax\"|register_op"},
      {"a policy of the empty name",
       [](In in) {
         amp::OpPolicies().set("", amp::OpPolicy::kFloat32);
         return in.none;
       },
       "no op named \"\"|register_op"},
      {"a guard with a policy of no op",
       [](In in) {
         const amp::AutocastGuard guard(amp::kCPU,
                                        {.policies = {{"cross_entropi", amp::OpPolicy::kFloat32}}});
         return in.none;
       },
       "\"cross_entropi\"|\"cross_entropy\""},
      {"the policy of no op",
       [](In in) {
         (void)amp::op_policy("matmull");
         return in.none;
       },
       "\"matmull\"|\"matmul\""},
      {"a call of no op",
       [](In in) {
         return amp::autocast_call(
             "nosuchop", [](const Tensor& x) { return x; }, in.matrix);
       },
       "\"nosuchop\"|register_op"},
      {"an op without a name",
       [](In in) {
         amp::register_op("", amp::OpPolicy::kFloat32);
         return in.none;
       },
       "register_op: `name`|empty"},
      {"a guard of float64",
       [](In in) {
         const amp::AutocastGuard guard(amp::kCPU, {.dtype = amp::kFloat64});
         return in.none;
       },
       "AutocastGuard: `dtype`|float16, bfloat16 or float32|float64"},
      {"a guard of integers",
       [](In in) {
         const amp::AutocastGuard guard(amp::kCUDA, {.dtype = amp::kInt64});
         return in.none;
       },
       "AutocastGuard: `dtype`|float16, bfloat16 or float32|int64"},
      {"a guard of 8 bits",
       [](In in) {
         const amp::AutocastGuard guard(amp::kCPU, {.dtype = amp::kFloat8E4M3});
         return in.none;
       },
       "AutocastGuard: `dtype`|float16, bfloat16 or float32|float8_e4m3fn"},
      {"a scope of float64 as a function",
       [](In in) {
         return amp::autocast(amp::kCPU, {.dtype = amp::kFloat64}, [&] { return in.none; })();
       },
       "`dtype`|float16, bfloat16 or float32|float64"},
      {"an op that throws inside a scope",
       [](In in) {
         const amp::AutocastGuard guard(amp::kCPU, {.dtype = amp::kFloat16});
         return amp::matmul(in.matrix, in.integer_square);
       },
       "matmul: |`a`|`b`|floating point|int64[3, 3]"},
  };
  check(rows);
}

TEST_CASE("misuse: convert") {
  const Row rows[] = {
      {"fewer places than numbers",
       [](In in) {
         const std::vector<float> from(3);
         std::vector<amp::half> to(2);
         amp::convert(from, to);
         return in.none;
       },
       "convert: `to`|length|`from`|3|2"},
      {"more places than numbers",
       [](In in) {
         const std::vector<double> from(1);
         std::vector<float> to(2);
         amp::convert(from, to);
         return in.none;
       },
       "convert: `to`|length|`from`|1|2"},
      {"in place",
       [](In in) {
         std::vector<float> both(4);
         amp::convert(both, both);
         return in.none;
       },
       "convert: `from` and `to` overlap"},
      {"one behind the other",
       [](In in) {
         std::vector<float> both(4);
         amp::convert(std::span(both).first(3), std::span(both).last(3));
         return in.none;
       },
       "convert: `from` and `to` overlap"},
      {"one before the other",
       [](In in) {
         std::vector<float> both(4);
         amp::convert(std::span(both).last(3), std::span(both).first(3));
         return in.none;
       },
       "convert: `from` and `to` overlap"},
  };
  check(rows);
}
