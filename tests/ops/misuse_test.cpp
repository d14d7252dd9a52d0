// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Every misuse of a tensor or an op throws amp::Error, says which argument of which op it was, what
// was expected and what came, and leaves all tensors as they were: one row each.
#include <amp/amp.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "support/catch.hpp"

namespace {

using amp::Tensor;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kHuge = std::int64_t{1} << 62;

/// Memory of a second device, which is the host's; no kernels. is_available() stays false, so that
/// other tests of this program do not look for some. Where there is a real device, that is used.
void make_device() {
  static const amp::DeviceMemory memory = {
      .allocate = [](amp::Device, std::int64_t bytes) -> void* {
        return std::malloc(static_cast<std::size_t>(bytes));
      },
      .deallocate = [](amp::Device, void* block, std::int64_t) noexcept { std::free(block); },
      .copy = [](amp::Device, void* to, amp::Device, const void* from,
                 std::int64_t bytes) { std::memcpy(to, from, static_cast<std::size_t>(bytes)); },
      .is_available = [] { return false; }};
  amp::register_device_memory(amp::kCUDA, &memory);
}

Tensor counting(const amp::Shape& shape, amp::DType dtype = amp::kFloat32) {
  return (amp::arange(shape.numel()) + 1).to(dtype).reshape(shape);
}

/// What rows are made of, anew for each.
struct Inputs {
  Tensor none;
  Tensor scalar = amp::full({}, 2);
  Tensor two = counting({2}), three = counting({3}), four = counting({4});
  Tensor matrix = counting({2, 3}), square = counting({3, 3}), wide = counting({4, 5});
  Tensor empty = amp::zeros({2, 0});
  Tensor batch = counting({2, 3, 4});
  Tensor image = counting({2, 4, 5, 5}), filters = counting({6, 2, 3, 3}), six = counting({6});
  Tensor eight = counting({1, 1, 1, 1, 1, 1, 1, 2});
  Tensor half = counting({2, 3}, amp::kFloat16), half_square = counting({3, 3}, amp::kFloat16);
  Tensor half_batch = counting({2, 3, 4}, amp::kFloat16);
  Tensor integers = counting({2, 3}, amp::kInt64), integer_square = counting({3, 3}, amp::kInt64);
  Tensor mask = amp::zeros({2, 3}, {.dtype = amp::kBool});
  Tensor index = amp::tensor({0, 1}, {2}), far = amp::tensor({0, 7}, {2});
  Tensor before = amp::tensor({0, -1}, {2});
  Tensor weight = amp::ones({2, 3}, {.requires_grad = true});
  Tensor mean = amp::zeros({4}), variance = amp::ones({4});
  Tensor moved = counting({2, 3}).to(amp::kCUDA), moved_batch = counting({2, 3, 4}).to(amp::kCUDA);
  Tensor moved_index = amp::tensor({0, 1}, {2}).to(amp::kCUDA);
  Tensor moved_mask = mask.to(amp::kCUDA);
  Tensor moved_four = counting({4}).to(amp::kCUDA), moved_six = counting({6}).to(amp::kCUDA);
  Tensor moved_filters = counting({6, 2, 3, 3}).to(amp::kCUDA);

  std::vector<Tensor> all() const {
    return {scalar,      two,        three,     four,           matrix, square,      wide,
            empty,       batch,      image,     filters,        six,    eight,       half,
            half_square, half_batch, integers,  integer_square, mask,   index,       far,
            before,      weight,     mean,      variance,       moved,  moved_batch, moved_index,
            moved_mask,  moved_four, moved_six, moved_filters};
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
  make_device();
  for (const Row& row : rows) check(row.what, row.call, row.parts);
}

}  // namespace

// --- making tensors ------------------------------------------------------------------------------

TEST_CASE("misuse: shapes and factories") {
  const Row rows[] = {
      {"a negative extent",
       [](In) {
         return amp::empty({2, -1});
       },
       "shape|must not be negative|[2, -1]"},
      {"the most negative extent", [](In) { return amp::zeros({INT64_MIN}); },
       "shape|must not be negative|[-9223372036854775808]"},
      {"a negative extent of a range",
       [](In) {
         return amp::ones(std::vector{3, -7});
       },
       "shape|must not be negative|[3, -7]"},
      {"more elements than 63 bits count",
       [](In) {
         return amp::empty({kHuge, 2});
       },
       "shape|63 bits|[4611686018427387904, 2]"},
      {"more elements but for an extent of 0",
       [](In) {
         return amp::empty({0, kHuge, kHuge});
       },
       "shape|63 bits|[0, 4611686018427387904, 4611686018427387904]"},
      {"more bytes than 63 bits count", [](In) { return amp::empty({kHuge}); },
       "[4611686018427387904]|float32|63 bits"},
      {"an extent beyond 63 bits", [](In) { return amp::empty({UINT64_MAX}); },
       "shape|18446744073709551615|63 bits"},
      {"nine dimensions",
       [](In) {
         return amp::empty({1, 1, 1, 1, 1, 1, 1, 1, 7});
       },
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
      {"rand: of integers", [](In) { return amp::rand({2}, {.dtype = amp::kInt64}); },
       "rand|`dtype`|floating-point|int64"},
      {"rand: of bools", [](In) { return amp::rand({2}, {.dtype = amp::kBool}); },
       "rand|`dtype`|floating-point|bool"},
      {"randn: of integers", [](In) { return amp::randn({2}, {.dtype = amp::kInt32}); },
       "randn|`dtype`|floating-point|int32"},
      {"empty: integers that require gradients",
       [](In) { return amp::empty({2}, {.dtype = amp::kInt64, .requires_grad = true}); },
       "requires_grad|floating-point|int64[2]"},
      {"zeros: integers that require gradients",
       [](In) { return amp::zeros({2}, {.dtype = amp::kUInt8, .requires_grad = true}); },
       "requires_grad|floating-point|uint8[2]"},
      {"full: bools that require gradients",
       [](In) { return amp::full({2}, 1, {.dtype = amp::kBool, .requires_grad = true}); },
       "requires_grad|floating-point|bool[2]"},
      {"tensor: integers that require gradients",
       [](In) {
         return amp::tensor({1, 2}, {2}, {.requires_grad = true});
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
      {"full: NaN as an integer", [](In) { return amp::full({2}, kNaN, {.dtype = amp::kInt64}); },
       "full|`value`|int64|nan"},
      {"full: a number no integer holds",
       [](In) { return amp::full({2}, 1e300, {.dtype = amp::kInt32}); },
       "full|`value`|int32|1e+300"},
      {"tensor: too few values",
       [](In) {
         return amp::tensor({1.0, 2.0, 3.0}, {2, 2});
       },
       "tensor|`values`|3|`shape`|[2, 2]|4"},
      {"tensor: too many values",
       [](In) {
         return amp::tensor(std::vector<float>{1, 2, 3}, {2});
       },
       "tensor|`values`|3|`shape`|[2]|2"},
      {"tensor: no values of a scalar", [](In) { return amp::tensor(std::vector<float>{}, {}); },
       "tensor|`values`|0|`shape`|[]|1"},
      {"from_blob: null",
       [](In) {
         return amp::from_blob(nullptr, {2, 3});
       },
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
  make_device();
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
      {"expand", [](In in) { return in.none.expand({1}); }},
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
      {"expand: another extent",
       [](In in) {
         return in.matrix.expand({4, 3});
       },
       "expand|[2, 3]|`shape`|[4, 3]"},
      {"expand: fewer dimensions", [](In in) { return in.matrix.expand({3}); },
       "expand|[2, 3]|`shape`|[3]"},
      {"expand: to one",
       [](In in) {
         return in.matrix.expand({2, 1});
       },
       "expand|[2, 3]|`shape`|[2, 1]"},
      {"expand: -1",
       [](In in) {
         return in.matrix.expand({-1, 3});
       },
       "shape|must not be negative|[-1, 3]"},
      {"contiguous: more memory than there is",
       [](In in) { return in.scalar.expand({std::int64_t{1} << 50}).contiguous(); },
       "out of memory|4503599627370496 bytes"},
      {"clone: more bytes than 63 bits count",
       [](In in) { return in.scalar.expand({kHuge}).clone(); },
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
      {"fill_: what was computed", [](In in) { return (in.weight * 2).fill_(1); },
       "fill_|float32[2, 3]|requires gradients"},
      {"fill_: what shares memory",
       [](In in) {
         return in.three.expand({2, 3}).fill_(1);
       },
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
       [](In in) {
         return in.three.expand({2, 3}).copy_(in.matrix);
       },
       "copy_|float32[2, 3]|share memory|clone()"},
      {"copy_: from a parameter", [](In in) { return in.matrix.copy_(in.weight); },
       "copy_|`source`|float32[2, 3]|detach()"},
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
       [](In in) { in.weight.set_grad(amp::ones({3, 2}).t()); return in.none; },
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
         const Tensor loss = amp::sum(amp::ones({2}, {.requires_grad = true}) * 2);
         loss.backward();
         loss.backward();
         return loss;
       },
       "backward|a second time|forward again"},
      {"backward: twice through a common part",
       [](In) {
         const Tensor common = amp::exp(amp::ones({2}, {.requires_grad = true}));
         const Tensor one = amp::sum(common), other = amp::sum(common * 2);
         one.backward();
         other.backward();
         return one;
       },
       "exp|backward|a second time|forward again"},
      {"backward: what was saved was written to",
       [](In) {
         const Tensor x = amp::ones({2, 3}, {.requires_grad = true});
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

// --- elementwise ops -----------------------------------------------------------------------------

TEST_CASE("misuse: ops of one tensor") {
  make_device();
  const struct {
    const char* name;
    Tensor (*op)(const Tensor&);
    bool floats;  // refuses integers
  } ops[] = {
      {"neg", amp::neg, false},
      {"abs", amp::abs, false},
      {"exp", amp::exp, false},
      {"log", amp::log, false},
      {"log1p", amp::log1p, false},
      {"sqrt", amp::sqrt, false},
      {"rsqrt", amp::rsqrt, false},
      {"relu", amp::relu, false},
      {"sigmoid", amp::sigmoid, false},
      {"tanh", amp::tanh, false},
      {"silu", amp::silu, true},
      {"sum", amp::sum, false},
      {"mean", amp::mean, true},
      {"max", (amp::max), false},
      {"min", (amp::min), false},
      {"argmax", amp::argmax, false},
      {"gelu", [](const Tensor& x) { return amp::gelu(x); }, true},
      {"gelu", [](const Tensor& x) { return amp::gelu(x, amp::GeluForm::kTanh); }, true},
      {"softmax", [](const Tensor& x) { return amp::softmax(x, 0); }, true},
      {"log_softmax", [](const Tensor& x) { return amp::log_softmax(x, 0); }, true},
      {"sum", [](const Tensor& x) { return amp::sum(x, 0); }, false},
      {"mean", [](const Tensor& x) { return amp::mean(x, 0); }, true},
      {"var", [](const Tensor& x) { return amp::var(x, 0); }, true},
      {"max", [](const Tensor& x) { return std::get<0>((amp::max)(x, 0)); }, false},
      {"min", [](const Tensor& x) { return std::get<0>((amp::min)(x, 0)); }, false},
      {"argmax", [](const Tensor& x) { return amp::argmax(x, 0); }, false},
      {"dropout", [](const Tensor& x) { return amp::dropout(x); }, true},
      {"dropout", [](const Tensor& x) { return amp::dropout(x, 0.5, false); }, true},
      {"dropout_add", [](const Tensor& x) { return amp::dropout_add(x, x); }, true},
      {"pow", [](const Tensor& x) { return amp::pow(x, 2); }, false},
      {"layer_norm", [](const Tensor& x) { return amp::layer_norm(x, {3}); }, true},
      {"rms_norm", [](const Tensor& x) { return amp::rms_norm(x, {3}); }, true},
      {"group_norm", [](const Tensor& x) { return amp::group_norm(x, 1); }, true},
      {"batch_norm", [](const Tensor& x) { return amp::batch_norm(x, {}, {}, {}, {}, true); },
       true},
      {"max_pool2d", [](const Tensor& x) { return amp::max_pool2d(x, 2); }, true},
      {"avg_pool2d", [](const Tensor& x) { return amp::avg_pool2d(x, 2); }, true},
  };
  for (const auto& op : ops) {
    const std::string name = op.name;
    check(
        name + ": nothing", [&](In in) { return op.op(in.none); }, name + ": `input`|undefined");
    if (!op.floats) continue;
    check(
        name + ": integers", [&](In in) { return op.op(in.integers); },
        name + ": `input`|floating point|int64[2, 3]");
    check(
        name + ": bools", [&](In in) { return op.op(in.mask); },
        name + ": `input`|floating point|bool[2, 3]");
  }
  for (const auto& op : ops) {  // of numbers
    const std::string name = op.name;
    if (name != "neg" && name != "abs" && name != "relu" && name != "argmax") continue;
    check(
        name + ": bools", [&](In in) { return op.op(in.mask); },
        name + ": `input`|number|bool[2, 3]");
  }
}

TEST_CASE("misuse: ops of two tensors") {
  make_device();
  const struct {
    const char* name;
    const char* first;
    const char* second;
    Tensor (*op)(const Tensor&, const Tensor&);
  } ops[] = {
      {"add", "`a`", "`b`", amp::add},
      {"sub", "`a`", "`b`", amp::sub},
      {"mul", "`a`", "`b`", amp::mul},
      {"div", "`a`", "`b`", amp::div},
      {"add", "`a`", "`b`", [](const Tensor& a, const Tensor& b) { return a + b; }},
      {"sub", "`a`", "`b`", [](const Tensor& a, const Tensor& b) { return a - b; }},
      {"mul", "`a`", "`b`", [](const Tensor& a, const Tensor& b) { return a * b; }},
      {"div", "`a`", "`b`", [](const Tensor& a, const Tensor& b) { return a / b; }},
      {"pow", "`input`", "`exponent`", amp::pow},
      {"max", "`a`", "`b`", (amp::max)},
      {"min", "`a`", "`b`", (amp::min)},
      {"eq", "`a`", "`b`", amp::eq},
      {"ne", "`a`", "`b`", amp::ne},
      {"lt", "`a`", "`b`", amp::lt},
      {"le", "`a`", "`b`", amp::le},
      {"gt", "`a`", "`b`", amp::gt},
      {"ge", "`a`", "`b`", amp::ge},
  };
  for (const auto& op : ops) {
    const std::string name = op.name, first = op.first, second = op.second;
    check(
        name + ": nothing first", [&](In in) { return op.op(in.none, in.matrix); },
        name + ": " + first + "|undefined");
    check(
        name + ": nothing second", [&](In in) { return op.op(in.matrix, in.none); },
        name + ": " + second + "|undefined");
    check(
        name + ": shapes", [&](In in) { return op.op(in.matrix, in.wide); },
        name + ": |[2, 3]|" + first + "|[4, 5]|" + second + "|broadcast");
    check(
        name + ": a shape of more dimensions", [&](In in) { return op.op(in.matrix, in.batch); },
        name + ": |[2, 3]|" + first + "|[2, 3, 4]|" + second + "|broadcast");
    check(
        name + ": devices", [&](In in) { return op.op(in.matrix, in.moved); },
        name + ": |" + first + "|" + second + "|one device|float32[2, 3]|cpu|cuda:0");
    check(
        name + ": devices, the other way", [&](In in) { return op.op(in.moved, in.scalar); },
        name + ": |" + first + "|" + second + "|one device|float32[2, 3]|cpu|cuda:0");
    check(
        name + ": broadcasting to more elements than 63 bits count",
        [&](In in) {
          return op.op(in.scalar.expand({kHuge, 1}), in.scalar.expand({1, kHuge}));
        },
        name + ": |[4611686018427387904, 1]|" + first + "|[1, 4611686018427387904]|" + second +
            "|63 bits");
    check(
        name + ": more memory than there is",
        [&](In in) {
          return op.op(in.scalar.expand({std::int64_t{1} << 40, 1}),
                       in.scalar.expand({1, std::int64_t{1} << 20}));
        },
        "out of memory|bytes");
  }
}

TEST_CASE("misuse: a tensor and a number") {
  const Row rows[] = {
      {"add: nothing", [](In in) { return in.none + 1; }, "add: `a`|undefined"},
      {"add: to nothing", [](In in) { return 1 + in.none; }, "add: |undefined"},
      {"sub: nothing", [](In in) { return in.none - 1.5; }, "sub: `a`|undefined"},
      {"sub: of nothing", [](In in) { return 1 - in.none; }, "sub: `b`|undefined"},
      {"mul: nothing", [](In in) { return in.none * 2; }, "mul: `a`|undefined"},
      {"div: nothing", [](In in) { return in.none / 2; }, "div: `a`|undefined"},
      {"div: by nothing", [](In in) { return 2 / in.none; }, "div: `b`|undefined"},
      {"neg: nothing", [](In in) { return -in.none; }, "neg: `input`|undefined"},
      {"eq: nothing", [](In in) { return amp::eq(in.none, 1); }, "eq: `a`|undefined"},
      {"ne: nothing", [](In in) { return amp::ne(in.none, 1); }, "ne: `a`|undefined"},
      {"lt: nothing", [](In in) { return amp::lt(in.none, 1); }, "lt: `a`|undefined"},
      {"le: nothing", [](In in) { return amp::le(in.none, 1); }, "le: `a`|undefined"},
      {"gt: nothing", [](In in) { return amp::gt(in.none, 1); }, "gt: `a`|undefined"},
      {"ge: nothing", [](In in) { return amp::ge(in.none, 1); }, "ge: `a`|undefined"},
      {"pow: of nothing", [](In in) { return amp::pow(in.none, 2.0); }, "pow: `input`|undefined"},
      {"pow: to nothing", [](In in) { return amp::pow(2.0, in.none); },
       "pow: `exponent`|undefined"},
      {"pow: a negative power of integers", [](In in) { return amp::pow(in.integers, -1); },
       "pow: `exponent`|negative|`input`|int64[2, 3]|-1"},
      {"pow: the most negative power of bools", [](In in) { return amp::pow(in.mask, INT64_MIN); },
       "pow: `exponent`|negative|`input`|bool[2, 3]|-9223372036854775808"},
      {"dropout: p below 0", [](In in) { return amp::dropout(in.matrix, -0.1); },
       "dropout: `p`|[0, 1]|-0.1"},
      {"dropout: p above 1", [](In in) { return amp::dropout(in.matrix, 1.5); },
       "dropout: `p`|[0, 1]|1.5"},
      {"dropout_add: p above 1", [](In in) { return amp::dropout_add(in.matrix, in.matrix, 1.5); },
       "dropout_add: `p`|[0, 1]|1.5"},
      {"dropout_add: p below 0, not training",
       [](In in) { return amp::dropout_add(in.matrix, in.matrix, -1, false); },
       "dropout_add: `p`|[0, 1]|-1"},
      {"dropout_add: no residual", [](In in) { return amp::dropout_add(in.matrix, in.none); },
       "dropout_add: `residual`|undefined"},
      {"dropout_add: a residual of integers",
       [](In in) { return amp::dropout_add(in.matrix, in.integers); },
       "dropout_add: `residual`|floating point|int64[2, 3]"},
      {"dropout_add: another shape", [](In in) { return amp::dropout_add(in.matrix, in.four); },
       "dropout_add: `input`|`residual`|one shape|float32[2, 3]|float32[4]|expand()"},
      {"dropout_add: another device", [](In in) { return amp::dropout_add(in.matrix, in.moved); },
       "dropout_add: `input`|`residual`|one device|float32[2, 3]|cpu|cuda:0"},
      {"dropout: p is NaN", [](In in) { return amp::dropout(in.matrix, kNaN); },
       "dropout: `p`|[0, 1]|nan"},
      {"dropout: p is NaN, not training",
       [](In in) { return amp::dropout(in.matrix, kNaN, false); }, "dropout: `p`|[0, 1]|nan"},
  };
  check(rows);
}

TEST_CASE("misuse: where") {
  const Row rows[] = {
      {"no condition", [](In in) { return amp::where(in.none, in.matrix, in.matrix); },
       "where: `condition`|undefined"},
      {"nothing first", [](In in) { return amp::where(in.mask, in.none, in.matrix); },
       "where: `a`|undefined"},
      {"nothing second", [](In in) { return amp::where(in.mask, in.matrix, in.none); },
       "where: `b`|undefined"},
      {"no condition, a number", [](In in) { return amp::where(in.none, in.matrix, 1); },
       "where: `condition`|undefined"},
      {"nothing before a number", [](In in) { return amp::where(in.mask, in.none, 1); },
       "where: `a`|undefined"},
      {"nothing after a number", [](In in) { return amp::where(in.mask, 1, in.none); },
       "where: `b`|undefined"},
      {"no condition, a number first", [](In in) { return amp::where(in.none, 1, in.matrix); },
       "where: `condition`|undefined"},
      {"a condition of integers",
       [](In in) { return amp::where(in.integers, in.matrix, in.matrix); },
       "where: `condition`|bool|int64[2, 3]"},
      {"a condition of floats", [](In in) { return amp::where(in.matrix, in.matrix, 1); },
       "where: `condition`|bool|float32[2, 3]"},
      {"choices of other shapes", [](In in) { return amp::where(in.mask, in.matrix, in.wide); },
       "where: |[2, 3]|`a`|[4, 5]|`b`|broadcast"},
      {"a condition of another shape", [](In in) { return amp::where(in.mask, in.wide, in.wide); },
       "where: |`condition`|[2, 3]|[4, 5]|broadcast"},
      {"a condition of another shape, a number",
       [](In in) { return amp::where(in.mask, in.wide, 1); },
       "where: |`condition`|[2, 3]|`a`|[4, 5]|broadcast"},
      {"a condition of another shape, a number first",
       [](In in) { return amp::where(in.mask, 1, in.wide); },
       "where: |`condition`|[2, 3]|`b`|[4, 5]|broadcast"},
      {"devices of the choices", [](In in) { return amp::where(in.mask, in.matrix, in.moved); },
       "where: |`a`|`b`|one device|float32[2, 3]|cpu|cuda:0"},
      {"device of the condition",
       [](In in) { return amp::where(in.moved_mask, in.matrix, in.matrix); },
       "where: |`condition`|`a`|one device|bool[2, 3]|float32[2, 3]|cpu|cuda:0"},
      {"device of the condition, a number",
       [](In in) { return amp::where(in.moved_mask, in.matrix, 1); },
       "where: |`condition`|`a`|one device|bool[2, 3]|float32[2, 3]|cpu|cuda:0"},
      {"device of the condition, a number first",
       [](In in) { return amp::where(in.moved_mask, 1, in.matrix); },
       "where: |`condition`|`b`|one device|bool[2, 3]|float32[2, 3]|cpu|cuda:0"},
  };
  check(rows);
}

// --- reductions ----------------------------------------------------------------------------------

TEST_CASE("misuse: dimensions of reductions") {
  make_device();
  const struct {
    const char* name;
    Tensor (*op)(const Tensor&, std::int64_t);
  } ops[] = {
      {"sum", [](const Tensor& x, std::int64_t dim) { return amp::sum(x, dim); }},
      {"sum", [](const Tensor& x, std::int64_t dim) { return amp::sum(x, dim, true); }},
      {"mean", [](const Tensor& x, std::int64_t dim) { return amp::mean(x, dim); }},
      {"var", [](const Tensor& x, std::int64_t dim) { return amp::var(x, dim); }},
      {"max", [](const Tensor& x, std::int64_t dim) { return std::get<1>((amp::max)(x, dim)); }},
      {"min", [](const Tensor& x, std::int64_t dim) { return std::get<1>((amp::min)(x, dim)); }},
      {"argmax", [](const Tensor& x, std::int64_t dim) { return amp::argmax(x, dim); }},
      {"softmax", amp::softmax},
      {"log_softmax", amp::log_softmax},
      {"index_select",
       [](const Tensor& x, std::int64_t dim) {
         return amp::index_select(x, dim, amp::zeros({1}, {.dtype = amp::kInt64}));
       }},
      {"cat",
       [](const Tensor& x, std::int64_t dim) {
         return amp::cat({x, x}, dim);
       }},
  };
  for (const auto& op : ops) {
    const std::string name = op.name;
    for (const std::int64_t dim : {std::int64_t{2}, std::int64_t{-3}, INT64_MIN, INT64_MAX}) {
      check(
          name + ": no such dimension", [&](In in) { return op.op(in.matrix, dim); },
          name + ": `dim`|[-2, 2)|2 dimensions|" + std::to_string(dim));
    }
    if (name == "cat") continue;  // takes no scalars at all
    check(
        name + ": no such dimension of a scalar", [&](In in) { return op.op(in.scalar, 1); },
        name + ": `dim`|[-1, 1)|0 dimensions|1");
  }
}

TEST_CASE("misuse: extrema of nothing") {
  const Row rows[] = {
      {"max", [](In in) { return (amp::max)(in.empty); }, "max: `input`|float32[2, 0]|no elements"},
      {"min", [](In in) { return (amp::min)(in.empty); }, "min: `input`|float32[2, 0]|no elements"},
      {"argmax", [](In in) { return amp::argmax(in.empty); }, "argmax: |`input`|float32[2, 0]"},
      {"max over", [](In in) { return std::get<0>((amp::max)(in.empty, 1)); },
       "max: dimension 1|`input`|float32[2, 0]|empty"},
      {"min over", [](In in) { return std::get<0>((amp::min)(in.empty, -1)); },
       "min: dimension 1|`input`|float32[2, 0]|empty"},
      {"argmax over", [](In in) { return amp::argmax(in.empty, 1); },
       "argmax: dimension 1|`input`|float32[2, 0]|empty"},
  };
  check(rows);
}

// --- products ------------------------------------------------------------------------------------

TEST_CASE("misuse: matrix products") {
  const Row rows[] = {
      {"matmul: nothing first", [](In in) { return amp::matmul(in.none, in.square); },
       "matmul: `a`|undefined"},
      {"matmul: nothing second", [](In in) { return amp::matmul(in.matrix, in.none); },
       "matmul: `b`|undefined"},
      {"matmul: a scalar first", [](In in) { return amp::matmul(in.scalar, in.square); },
       "matmul: |`a`|`b`|at least 1 dimension|float32[]|float32[3, 3]"},
      {"matmul: a scalar second", [](In in) { return amp::matmul(in.matrix, in.scalar); },
       "matmul: |`a`|`b`|at least 1 dimension|float32[2, 3]|float32[]"},
      {"matmul: inner extents", [](In in) { return amp::matmul(in.matrix, in.matrix); },
       "matmul: |`a`|`b`|float32[2, 3]|3 and 2"},
      {"matmul: inner extents of vectors", [](In in) { return amp::matmul(in.two, in.three); },
       "matmul: |`a`|`b`|float32[2]|float32[3]|2 and 3"},
      {"matmul: inner extents of a matrix and a vector",
       [](In in) { return amp::matmul(in.matrix, in.two); },
       "matmul: |`a`|`b`|float32[2, 3]|float32[2]|3 and 2"},
      {"matmul: batches",
       [](In) {
         return amp::matmul(amp::ones({2, 3, 4}), amp::ones({5, 4, 3}));
       },
       "matmul: |`a`|`b`|[2, 3, 4]|[5, 4, 3]|broadcast"},
      {"matmul: two dtypes", [](In in) { return amp::matmul(in.matrix, in.half_square); },
       "matmul: |`a`|`b`|one dtype|float32[2, 3]|float16[3, 3]|AutocastGuard"},
      {"matmul: integers", [](In in) { return amp::matmul(in.integers, in.integer_square); },
       "matmul: |`a`|`b`|floating point|int64[2, 3]|int64[3, 3]"},
      {"matmul: integers second", [](In in) { return amp::matmul(in.matrix, in.integer_square); },
       "matmul: |`a`|`b`|floating point|float32[2, 3]|int64[3, 3]"},
      {"matmul: devices", [](In in) { return amp::matmul(in.matrix, in.moved.t()); },
       "matmul: |`a`|`b`|one device|float32[2, 3]|cpu|float32[3, 2]|cuda:0"},
      {"matmul: more memory than there is",
       [](In) {
         return amp::matmul(amp::zeros({std::int64_t{1} << 40, 0}),
                            amp::zeros({0, std::int64_t{1} << 10}));
       },
       "out of memory|4503599627370496 bytes"},
      {"matmul: more elements than 63 bits count",
       [](In) {
         return amp::matmul(amp::zeros({kHuge, 0}), amp::zeros({0, kHuge}));
       },
       "[4611686018427387904, 4611686018427387904]|63 bits"},
      {"bmm: nothing first", [](In in) { return amp::bmm(in.none, in.batch); },
       "bmm: `a`|undefined"},
      {"bmm: nothing second", [](In in) { return amp::bmm(in.batch, in.none); },
       "bmm: `b`|undefined"},
      {"bmm: two dimensions", [](In in) { return amp::bmm(in.matrix, in.square); },
       "bmm: |`a`|[B, M, K]|`b`|[B, K, N]|float32[2, 3]|float32[3, 3]"},
      {"bmm: inner extents", [](In in) { return amp::bmm(in.batch, in.batch); },
       "bmm: |`a`|[B, M, K]|`b`|[B, K, N]|float32[2, 3, 4]"},
      {"bmm: batches",
       [](In in) {
         return amp::bmm(in.batch, amp::ones({1, 4, 3}));
       },
       "bmm: |`a`|[B, M, K]|`b`|[B, K, N]|float32[2, 3, 4]|float32[1, 4, 3]"},
      {"bmm: two dtypes", [](In in) { return amp::bmm(in.batch, in.half_batch.transpose(1, 2)); },
       "bmm: |`a`|`b`|one dtype|float32[2, 3, 4]|float16[2, 4, 3]"},
      {"bmm: integers",
       [](In in) {
         const Tensor a = in.batch.to(amp::kInt32);
         return amp::bmm(a, a.transpose(1, 2));
       },
       "bmm: |`a`|`b`|floating point|int32[2, 3, 4]|int32[2, 4, 3]"},
      {"bmm: devices", [](In in) { return amp::bmm(in.moved_batch, in.batch.transpose(1, 2)); },
       "bmm: |`a`|`b`|one device|float32[2, 3, 4]|cuda:0|float32[2, 4, 3]|cpu"},
      {"linear: no input", [](In in) { return amp::linear(in.none, in.square); },
       "linear: `input`|undefined"},
      {"linear: no weight", [](In in) { return amp::linear(in.matrix, in.none); },
       "linear: `weight`|undefined"},
      {"linear: a scalar", [](In in) { return amp::linear(in.scalar, in.square); },
       "linear: |`input`|[..., K]|`weight`|[N, K]|float32[]|float32[3, 3]"},
      {"linear: a weight of one dimension", [](In in) { return amp::linear(in.matrix, in.three); },
       "linear: |`input`|[..., K]|`weight`|[N, K]|float32[2, 3]|float32[3]"},
      {"linear: a weight of three dimensions",
       [](In in) { return amp::linear(in.matrix, in.batch); },
       "linear: |`input`|[..., K]|`weight`|[N, K]|float32[2, 3]|float32[2, 3, 4]"},
      {"linear: inner extents", [](In in) { return amp::linear(in.matrix, in.wide); },
       "linear: |`input`|`weight`|[N, K]|float32[2, 3]|float32[4, 5]| have 3 and 5"},
      {"linear: another bias", [](In in) { return amp::linear(in.matrix, in.square, in.two); },
       "linear: `bias`|[3]|float32[2]"},
      {"linear: a bias to broadcast",
       [](In in) { return amp::linear(in.matrix, in.square, in.scalar); },
       "linear: `bias`|[3]|float32[]"},
      {"linear: two dtypes", [](In in) { return amp::linear(in.matrix, in.half_square); },
       "linear: |`input`|`weight`|one dtype|float32[2, 3]|float16[3, 3]"},
      {"linear: a bias of another dtype",
       [](In in) { return amp::linear(in.matrix, in.square, in.three.to(amp::kFloat16)); },
       "linear: |`bias`|one dtype|float32[2, 3]|float16[3]"},
      {"linear: integers", [](In in) { return amp::linear(in.integers, in.integer_square); },
       "linear: |`input`|`weight`|floating point|int64[2, 3]|int64[3, 3]"},
      {"linear: device of the weight", [](In in) { return amp::linear(in.matrix, in.moved); },
       "linear: |`input`|`weight`|one device|float32[2, 3]|cpu|cuda:0"},
      {"linear: device of the bias",
       [](In in) { return amp::linear(in.matrix, in.square, in.three.to(amp::kCUDA)); },
       "linear: |`bias`|one device|float32[3]|cpu|cuda:0"},
  };
  check(rows);
}

TEST_CASE("misuse: feed_forward") {
  const auto run = [](const amp::Tensor& x, const amp::Tensor& w1, const amp::Tensor& b1,
                      const amp::Tensor& w2,
                      const amp::Tensor& b2) { return amp::feed_forward(x, w1, b1, w2, b2); };
  static const auto call = run;
  const Row rows[] = {
      {"no input", [](In in) { return call(in.none, in.square, in.none, in.square, in.none); },
       "feed_forward: `input`|undefined"},
      {"no first weight",
       [](In in) { return call(in.matrix, in.none, in.none, in.square, in.none); },
       "feed_forward: `weight1`|undefined"},
      {"no second weight",
       [](In in) { return call(in.matrix, in.square, in.none, in.none, in.none); },
       "feed_forward: `weight2`|undefined"},
      {"a scalar", [](In in) { return call(in.scalar, in.square, in.none, in.square, in.none); },
       "feed_forward: |`input`|[..., K]|`weight1`|[H, K]|`weight2`|[N, H]|float32[]|float32[3, 3]"},
      {"inner extents", [](In in) { return call(in.matrix, in.wide, in.none, in.square, in.none); },
       "feed_forward: |[H, K]|float32[2, 3]|float32[4, 5]"},
      {"hidden extents",
       [](In in) { return call(in.matrix, in.square, in.none, in.wide, in.none); },
       "feed_forward: |[N, H]|float32[3, 3]|float32[4, 5]"},
      {"the first bias",
       [](In in) { return call(in.matrix, in.square, in.two, in.square, in.none); },
       "feed_forward: `bias1`|[3]|float32[2]"},
      {"the second bias",
       [](In in) { return call(in.matrix, in.square, in.none, in.square, in.two); },
       "feed_forward: `bias2`|[3]|float32[2]"},
      {"two dtypes",
       [](In in) { return call(in.matrix, in.square, in.none, in.half_square, in.none); },
       "feed_forward: |`input`|`weight2`|one dtype|float32[2, 3]|float16[3, 3]"},
      {"integers",
       [](In in) {
         return call(in.integers, in.integer_square, in.none, in.integer_square, in.none);
       },
       "feed_forward: |floating point|int64[2, 3]|int64[3, 3]"},
      {"device of a weight",
       [](In in) { return call(in.matrix, in.square, in.none, in.moved, in.none); },
       "feed_forward: |`input`|`weight2`|one device|cpu|cuda:0"},
  };
  check(rows);
}

TEST_CASE("misuse: attention") {
  const Row rows[] = {
      {"no query",
       [](In in) { return amp::scaled_dot_product_attention(in.none, in.batch, in.batch); },
       "scaled_dot_product_attention: `query`|undefined"},
      {"no key",
       [](In in) { return amp::scaled_dot_product_attention(in.batch, in.none, in.batch); },
       "scaled_dot_product_attention: `key`|undefined"},
      {"no value",
       [](In in) { return amp::scaled_dot_product_attention(in.batch, in.batch, in.none); },
       "scaled_dot_product_attention: `value`|undefined"},
      {"integers",
       [](In in) {
         return amp::scaled_dot_product_attention(in.integers, in.integers, in.integers);
       },
       "scaled_dot_product_attention: `query`|floating point|int64[2, 3]"},
      {"a key of integers",
       [](In in) { return amp::scaled_dot_product_attention(in.matrix, in.integers, in.matrix); },
       "scaled_dot_product_attention: `key`|floating point|int64[2, 3]"},
      {"a value of integers",
       [](In in) { return amp::scaled_dot_product_attention(in.matrix, in.matrix, in.integers); },
       "scaled_dot_product_attention: `value`|floating point|int64[2, 3]"},
      {"vectors",
       [](In in) { return amp::scaled_dot_product_attention(in.three, in.three, in.three); },
       "scaled_dot_product_attention: |`query`|[..., L, E]|`key`|[..., S, E]|`value`|[..., S, V]|"
       "float32[3]"},
      {"another last extent",
       [](In in) { return amp::scaled_dot_product_attention(in.matrix, in.wide, in.wide); },
       "scaled_dot_product_attention: |`query`|`key`|`value`|float32[2, 3]|float32[4, 5]"},
      {"more values than keys",
       [](In in) { return amp::scaled_dot_product_attention(in.matrix, in.square, in.wide); },
       "scaled_dot_product_attention: |`query`|`key`|`value`|float32[2, 3]|float32[3, 3]|"
       "float32[4, 5]"},
      {"batches",
       [](In in) {
         const Tensor other = amp::ones({5, 3, 4});
         return amp::scaled_dot_product_attention(in.batch, other, other);
       },
       "scaled_dot_product_attention: |`query`|`key`|[2, 3, 4]|[5, 3, 4]|broadcast"},
      {"batches of the values",
       [](In in) {
         const Tensor other = amp::ones({5, 3, 4});
         return amp::scaled_dot_product_attention(in.batch, in.batch, other);
       },
       "scaled_dot_product_attention: |`value`|[2, 3, 4]|[5, 3, 4]|broadcast"},
      {"a key of another dtype",
       [](In in) { return amp::scaled_dot_product_attention(in.matrix, in.half, in.matrix); },
       "scaled_dot_product_attention: |`query`|`key`|one dtype|float32[2, 3]|float16[2, 3]"},
      {"a value of another dtype",
       [](In in) { return amp::scaled_dot_product_attention(in.matrix, in.matrix, in.half); },
       "scaled_dot_product_attention: |`value`|one dtype|float32[2, 3]|float16[2, 3]"},
      {"device of the key",
       [](In in) { return amp::scaled_dot_product_attention(in.matrix, in.moved, in.matrix); },
       "scaled_dot_product_attention: |`query`|`key`|one device|float32[2, 3]|cpu|cuda:0"},
      {"device of the value",
       [](In in) { return amp::scaled_dot_product_attention(in.matrix, in.matrix, in.moved); },
       "scaled_dot_product_attention: |`query`|`value`|one device|float32[2, 3]|cpu|cuda:0"},
      {"device of the mask",
       [](In in) {
         return amp::scaled_dot_product_attention(in.matrix, in.square, in.square, in.moved_mask);
       },
       "scaled_dot_product_attention: |`attn_mask`|one device|bool[2, 3]|cpu|cuda:0"},
      {"a mask of integers",
       [](In in) {
         return amp::scaled_dot_product_attention(in.matrix, in.square, in.square, in.integers);
       },
       "scaled_dot_product_attention: `attn_mask`|bool or floating point|int64[2, 3]"},
      {"a mask of another shape",
       [](In in) {
         return amp::scaled_dot_product_attention(in.square, in.square, in.square, in.mask);
       },
       "scaled_dot_product_attention: |`attn_mask`|[3, 3]|[2, 3]|broadcast"},
      {"a floating-point mask of another shape",
       [](In in) {
         return amp::scaled_dot_product_attention(in.square, in.square, in.square, in.wide);
       },
       "scaled_dot_product_attention: |`attn_mask`|[3, 3]|[4, 5]|broadcast"},
      {"a mask of more dimensions",
       [](In in) {
         return amp::scaled_dot_product_attention(in.square, in.square, in.square,
                                                  amp::ones({2, 3, 3}));
       },
       "scaled_dot_product_attention: |`attn_mask`|[3, 3]|[2, 3, 3]|broadcast"},
      {"a mask and is_causal",
       [](In in) {
         return amp::scaled_dot_product_attention(in.matrix, in.square, in.square, in.mask, 0,
                                                  true);
       },
       "scaled_dot_product_attention: |`attn_mask`|`is_causal`|not both"},
      {"dropout_p below 0",
       [](In in) {
         return amp::scaled_dot_product_attention(in.matrix, in.matrix, in.matrix, {}, -1);
       },
       "scaled_dot_product_attention: `dropout_p`|[0, 1]|-1"},
      {"dropout_p is NaN",
       [](In in) {
         return amp::scaled_dot_product_attention(in.matrix, in.matrix, in.matrix, {}, kNaN);
       },
       "scaled_dot_product_attention: `dropout_p`|[0, 1]|nan"},
  };
  check(rows);
}

// --- convolution and pooling ---------------------------------------------------------------------

TEST_CASE("misuse: convolution") {
  const Row rows[] = {
      {"no input", [](In in) { return amp::conv2d(in.none, in.filters); },
       "conv2d: `input`|undefined"},
      {"no weight", [](In in) { return amp::conv2d(in.image, in.none); },
       "conv2d: `weight`|undefined"},
      {"a matrix", [](In in) { return amp::conv2d(in.matrix, in.filters); },
       "conv2d: |`input`|[N, C, H, W]|`weight`|float32[2, 3]|float32[6, 2, 3, 3]"},
      {"a weight of three dimensions", [](In in) { return amp::conv2d(in.image, in.batch); },
       "conv2d: |`input`|`weight`|[O, C / groups, KH, KW]|float32[2, 4, 5, 5]|float32[2, 3, 4]"},
      {"channels", [](In in) { return amp::conv2d(in.image, in.filters); },
       "conv2d: |`groups` 1|`weight`|float32[6, 2, 3, 3]|expects 2 channels|`input`|"
       "float32[2, 4, 5, 5]|has 4"},
      {"channels of one image",
       [](In in) { return amp::conv2d(in.image.select(0, 0), in.filters); },
       "conv2d: |`groups`|1|`weight`|float32[6, 2, 3, 3]|`input`|float32[4, 5, 5]"},
      {"channels of groups",
       [](In in) {
         return amp::conv2d(in.image, amp::ones({6, 3, 3, 3}), {}, {.groups = 2});
       },
       "conv2d: |`groups` 2|float32[6, 3, 3, 3]|expects 6 channels|float32[2, 4, 5, 5]|has 4"},
      {"channels that groups do not divide",
       [](In in) { return amp::conv2d(in.image, in.filters, {}, {.groups = 3}); },
       "conv2d: `groups` 3 must divide the 4 channels of `input`|float32[6, 2, 3, 3]"},
      {"filters that groups do not divide",
       [](In in) {
         return amp::conv2d(in.image, amp::ones({3, 2, 3, 3}), {}, {.groups = 2});
       },
       "conv2d: `groups` 2 must divide the 3 filters of `weight`|float32[3, 2, 3, "
       "3]|`input`|float32[2, 4, 5, 5]"},
      {"no groups", [](In in) { return amp::conv2d(in.image, in.filters, {}, {.groups = 0}); },
       "conv2d: |`groups`|at least 1|0"},
      {"negative groups",
       [](In in) { return amp::conv2d(in.image, in.filters, {}, {.groups = -2}); },
       "conv2d: |`groups`|at least 1|-2"},
      {"the most negative groups",
       [](In in) { return amp::conv2d(in.image, in.filters, {}, {.groups = INT64_MIN}); },
       "conv2d: |`groups`|at least 1|-9223372036854775808"},
      {"huge groups",
       [](In in) { return amp::conv2d(in.image, in.filters, {}, {.groups = kHuge}); },
       "conv2d: |`groups`|4611686018427387904|`weight`|float32[6, 2, 3, 3]|`input`"},
      {"huge groups of no filters",
       [](In in) {
         return amp::conv2d(in.image, amp::ones({0, 2, 3, 3}), {}, {.groups = kHuge});
       },
       "conv2d: |`groups`|4611686018427387904|`weight`|float32[0, 2, 3, 3]|`input`"},
      {"integers, with relu",
       [](In in) {
         return amp::conv2d(in.image.to(amp::kInt64), in.filters.to(amp::kInt64), {},
                            {.groups = 2, .relu = true});
       },
       "conv2d: `input`|floating point|int64[2, 4, 5, 5]"},
      {"another bias, with relu",
       [](In in) {
         return amp::conv2d(in.image, in.filters, in.four, {.groups = 2, .relu = true});
       },
       "conv2d: `bias`|[6]|float32[4]"},
      {"another bias",
       [](In in) { return amp::conv2d(in.image, in.filters, in.four, {.groups = 2}); },
       "conv2d: `bias`|[6]|float32[4]"},
      {"a bias to broadcast",
       [](In in) { return amp::conv2d(in.image, in.filters, in.scalar, {.groups = 2}); },
       "conv2d: `bias`|[6]|float32[]"},
      {"a weight of another dtype",
       [](In in) { return amp::conv2d(in.image, in.filters.to(amp::kFloat16), {}, {.groups = 2}); },
       "conv2d: |`input`|`weight`|one dtype|float32[2, 4, 5, 5]|float16[6, 2, 3, 3]"},
      {"a bias of another dtype",
       [](In in) {
         return amp::conv2d(in.image, in.filters, in.six.to(amp::kFloat16), {.groups = 2});
       },
       "conv2d: |`bias`|one dtype|float32[2, 4, 5, 5]|float16[6]"},
      {"integers",
       [](In in) {
         return amp::conv2d(in.image.to(amp::kInt64), in.filters.to(amp::kInt64), {},
                            {.groups = 2});
       },
       "conv2d: |`input`|floating point|int64[2, 4, 5, 5]"},
      {"device of the weight",
       [](In in) { return amp::conv2d(in.image, in.moved_filters, {}, {.groups = 2}); },
       "conv2d: |`input`|`weight`|one device|float32[2, 4, 5, 5]|cpu|cuda:0"},
      {"device of the bias",
       [](In in) { return amp::conv2d(in.image, in.filters, in.moved_six, {.groups = 2}); },
       "conv2d: |`bias`|one device|float32[6]|cpu|cuda:0"},
      {"stride 0",
       [](In in) { return amp::conv2d(in.image, in.filters, {}, {.stride = 0, .groups = 2}); },
       "conv2d: `stride`|at least 1|{0, 0}"},
      {"stride 0 across",
       [](In in) {
         return amp::conv2d(in.image, in.filters, {}, {.stride = {1, 0}, .groups = 2});
       },
       "conv2d: `stride`|at least 1|{1, 0}"},
      {"the most negative stride",
       [](In in) {
         return amp::conv2d(in.image, in.filters, {}, {.stride = INT64_MIN, .groups = 2});
       },
       "conv2d: `stride`|at least 1|{-9223372036854775808, -9223372036854775808}"},
      {"stride whose products overflow",
       [](In in) {
         return amp::conv2d(in.image, in.filters, {}, {.stride = {1, INT64_MAX}, .groups = 2});
       },
       "conv2d: `stride`|at most 1073741824|{1, 9223372036854775807}"},
      {"negative padding",
       [](In in) { return amp::conv2d(in.image, in.filters, {}, {.padding = -1, .groups = 2}); },
       "conv2d: `padding`|at least 0|{-1, -1}"},
      {"padding whose sums overflow",
       [](In in) {
         return amp::conv2d(in.image, in.filters, {}, {.padding = INT64_MAX, .groups = 2});
       },
       "conv2d: `padding`|at most 1073741824|9223372036854775807"},
      {"more elements than 63 bits count",
       [](In in) {
         return amp::conv2d(in.image, in.filters, {}, {.padding = 1 << 30, .groups = 2});
       },
       "[2, 6, 2147483651, 2147483651]|63 bits"},
      {"more memory than there is",
       [](In in) {
         return amp::conv2d(in.image, in.filters, {}, {.padding = 1 << 24, .groups = 2});
       },
       "out of memory|bytes"},
      {"dilation 0",
       [](In in) { return amp::conv2d(in.image, in.filters, {}, {.dilation = 0, .groups = 2}); },
       "conv2d: `dilation`|at least 1|{0, 0}"},
      {"negative dilation",
       [](In in) {
         return amp::conv2d(in.image, in.filters, {}, {.dilation = {1, -1}, .groups = 2});
       },
       "conv2d: `dilation`|at least 1|{1, -1}"},
      {"dilation whose products overflow",
       [](In in) {
         return amp::conv2d(in.image, in.filters, {}, {.dilation = kHuge, .groups = 2});
       },
       "conv2d: `dilation`|at most 1073741824|4611686018427387904"},
      {"dilation beyond the image",
       [](In in) { return amp::conv2d(in.image, in.filters, {}, {.dilation = 3, .groups = 2}); },
       "conv2d: |`weight`|float32[6, 2, 3, 3]|does not fit|`input`|float32[2, 4, 5, 5]|dilation"},
      {"a kernel beyond the image",
       [](In in) {
         return amp::conv2d(in.image, amp::ones({1, 4, 7, 1}));
       },
       "conv2d: |`weight`|float32[1, 4, 7, 1]|does not fit|`input`|float32[2, 4, 5, 5]|padding"},
      {"a kernel of nothing",
       [](In in) {
         return amp::conv2d(in.image, amp::ones({1, 4, 0, 3}));
       },
       "conv2d: |kernel|at least 1|{0, 3}"},
      {"an image of nothing",
       [](In in) {
         return amp::conv2d(amp::ones({2, 4, 0, 5}), in.filters, {}, {.groups = 2});
       },
       "conv2d: |`weight`|float32[6, 2, 3, 3]|does not fit|`input`|float32[2, 4, 0, 5]"},
  };
  check(rows);
}

TEST_CASE("misuse: pooling") {
  make_device();
  using Pool = Tensor (*)(const Tensor&, amp::Size2d, amp::Size2d, amp::Size2d);
  const struct {
    std::string name;
    Pool pool;
  } pools[] = {{"max_pool2d", amp::max_pool2d}, {"avg_pool2d", amp::avg_pool2d}};
  const struct {
    const char* what;
    std::function<Tensor(In, Pool)> call;
    const char* parts;
  } rows[] = {
      {"a matrix", [](In in, Pool pool) { return pool(in.matrix, 2, 2, 0); },
       "`input`|[N, C, H, W]|float32[2, 3]"},
      {"five dimensions", [](In in, Pool pool) { return pool(in.image.unsqueeze(0), 2, 2, 0); },
       "`input`|[N, C, H, W]|float32[1, 2, 4, 5, 5]"},
      {"kernel 0", [](In in, Pool pool) { return pool(in.image, 0, 1, 0); },
       "`kernel`|at least 1|{0, 0}"},
      {"negative kernel",
       [](In in, Pool pool) {
         return pool(in.image, {2, -2}, 1, 0);
       },
       "`kernel`|at least 1|{2, -2}"},
      {"a kernel whose products overflow",
       [](In in, Pool pool) { return pool(in.image, INT64_MAX, 1, 0); },
       "`kernel`|at most 1073741824|9223372036854775807"},
      {"a kernel beyond the image",
       [](In in, Pool pool) {
         return pool(in.image, {7, 1}, 1, 0);
       },
       "`kernel`|{7, 1}|does not fit|`input`|float32[2, 4, 5, 5]"},
      {"stride 0",
       [](In in, Pool pool) {
         return pool(in.image, 2, {1, 0}, 0);
       },
       "`stride`|at least 1|{1, 0}"},
      {"the most negative stride", [](In in, Pool pool) { return pool(in.image, 2, INT64_MIN, 0); },
       "`stride`|at least 1|-9223372036854775808"},
      {"stride whose products overflow",
       [](In in, Pool pool) {
         return pool(in.image, 3, {INT64_MAX - 1, 1}, 1);
       },
       "`stride`|at most 1073741824|{9223372036854775806, 1}"},
      {"negative padding", [](In in, Pool pool) { return pool(in.image, 2, 1, -1); },
       "`padding`|at least 0|{-1, -1}"},
      {"padding above half the kernel", [](In in, Pool pool) { return pool(in.image, 3, 1, 2); },
       "`padding`|half of `kernel`|{2, 2}|{3, 3}"},
      {"padding whose sums overflow",
       [](In in, Pool pool) { return pool(in.image, 3, 1, INT64_MAX); },
       "`padding`|at most 1073741824|9223372036854775807"},
      {"an image of nothing",
       [](In, Pool pool) {
         return pool(amp::ones({2, 4, 0, 5}), 2, 2, 1);
       },
       "`input`|float32[2, 4, 0, 5]|empty"},
      {"half of an image of nothing",
       [](In, Pool pool) {
         return pool(amp::ones({4, 5, 0}), 2, 2, 1);
       },
       "`input`|float32[4, 5, 0]|empty"},
  };
  for (const auto& [name, pool] : pools) {
    for (const auto& row : rows) {
      check(
          name + ": " + row.what, [&, p = pool](In in) { return row.call(in, p); },
          name + ": |" + row.parts);
    }
  }
}

// --- normalisation -------------------------------------------------------------------------------

TEST_CASE("misuse: normalisation") {
  const Row rows[] = {
      {"layer_norm: other extents", [](In in) { return amp::layer_norm(in.matrix, {2}); },
       "layer_norm: |`input`|`normalized_shape`|[2]|float32[2, 3]"},
      {"layer_norm: more dimensions",
       [](In in) {
         return amp::layer_norm(in.three, {2, 3});
       },
       "layer_norm: |`input`|`normalized_shape`|[2, 3]|float32[3]"},
      {"layer_norm: no dimensions", [](In in) { return amp::layer_norm(in.matrix, {}); },
       "layer_norm: |`input`|`normalized_shape`|[]|float32[2, 3]"},
      {"layer_norm: another weight", [](In in) { return amp::layer_norm(in.matrix, {3}, in.two); },
       "layer_norm: `weight`|floating point of shape [3]|float32[2]"},
      {"layer_norm: a weight to broadcast",
       [](In in) { return amp::layer_norm(in.matrix, {3}, in.scalar); },
       "layer_norm: `weight`|floating point of shape [3]|float32[]"},
      {"layer_norm: a weight of integers",
       [](In in) {
         return amp::layer_norm(in.matrix, {2, 3}, in.integers);
       },
       "layer_norm: `weight`|floating point of shape [2, 3]|int64[2, 3]"},
      {"layer_norm: another bias",
       [](In in) { return amp::layer_norm(in.matrix, {3}, in.three, in.four); },
       "layer_norm: `bias`|floating point of shape [3]|float32[4]"},
      {"layer_norm: a bias of bools",
       [](In in) {
         return amp::layer_norm(in.matrix, {2, 3}, {}, in.mask);
       },
       "layer_norm: `bias`|floating point of shape [2, 3]|bool[2, 3]"},
      {"layer_norm: device of the weight",
       [](In in) {
         return amp::layer_norm(in.matrix, {2, 3}, in.moved);
       },
       "layer_norm: |`input`|`weight`|one device|float32[2, 3]|cpu|cuda:0"},
      {"layer_norm: device of the bias",
       [](In in) {
         return amp::layer_norm(in.matrix, {2, 3}, {}, in.moved);
       },
       "layer_norm: |`input`|`bias`|one device|float32[2, 3]|cpu|cuda:0"},
      {"rms_norm: other extents", [](In in) { return amp::rms_norm(in.matrix, {2}); },
       "rms_norm: |`input`|`normalized_shape`|[2]|float32[2, 3]"},
      {"rms_norm: no dimensions", [](In in) { return amp::rms_norm(in.scalar, {}); },
       "rms_norm: |`input`|`normalized_shape`|[]|float32[]"},
      {"rms_norm: another weight", [](In in) { return amp::rms_norm(in.matrix, {3}, in.two); },
       "rms_norm: `weight`|floating point of shape [3]|float32[2]"},
      {"rms_norm: a weight of integers",
       [](In in) {
         return amp::rms_norm(in.matrix, {2, 3}, in.integers);
       },
       "rms_norm: `weight`|floating point of shape [2, 3]|int64[2, 3]"},
      {"rms_norm: device of the weight",
       [](In in) {
         return amp::rms_norm(in.matrix, {2, 3}, in.moved);
       },
       "rms_norm: |`input`|`weight`|one device|float32[2, 3]|cpu|cuda:0"},
      {"group_norm: a vector", [](In in) { return amp::group_norm(in.four, 2); },
       "group_norm: `input`|[N, C, ...]|float32[4]"},
      {"group_norm: no groups", [](In in) { return amp::group_norm(in.image, 0); },
       "group_norm: `groups`|4 channels|`input`|float32[2, 4, 5, 5]|0"},
      {"group_norm: negative groups", [](In in) { return amp::group_norm(in.image, -4); },
       "group_norm: `groups`|4 channels|`input`|float32[2, 4, 5, 5]|-4"},
      {"group_norm: the most negative groups",
       [](In in) { return amp::group_norm(in.image, INT64_MIN); },
       "group_norm: `groups`|4 channels|`input`|float32[2, 4, 5, 5]|-9223372036854775808"},
      {"group_norm: groups that do not divide", [](In in) { return amp::group_norm(in.image, 3); },
       "group_norm: `groups`|4 channels|`input`|float32[2, 4, 5, 5]|3"},
      {"group_norm: huge groups of no channels",
       [](In in) { return amp::group_norm(in.empty, kHuge); },
       "group_norm: `groups`|0 channels|`input`|float32[2, 0]|4611686018427387904"},
      {"group_norm: one value per group",
       [](In in) {
         return amp::group_norm(in.three.reshape({1, 3}), 3);
       },
       "group_norm: `input`|float32[1, 3]|3|one value per group|fewer"},
      {"group_norm: another weight", [](In in) { return amp::group_norm(in.image, 2, in.three); },
       "group_norm: `weight`|floating point of shape [4]|float32[3]"},
      {"group_norm: another bias",
       [](In in) { return amp::group_norm(in.image, 2, in.four, in.two); },
       "group_norm: `bias`|floating point of shape [4]|float32[2]"},
      {"group_norm: a weight of integers",
       [](In in) { return amp::group_norm(in.image, 2, in.four.to(amp::kInt32)); },
       "group_norm: `weight`|floating point of shape [4]|int32[4]"},
      {"group_norm: device of the weight",
       [](In in) { return amp::group_norm(in.image, 2, in.moved_four); },
       "group_norm: |`input`|`weight`|one device|float32[4]|cpu|cuda:0"},
      {"group_norm: device of the bias",
       [](In in) { return amp::group_norm(in.image, 2, {}, in.moved_four); },
       "group_norm: |`input`|`bias`|one device|float32[4]|cpu|cuda:0"},
      {"batch_norm: a vector", [](In in) { return amp::batch_norm(in.four, in.mean, in.variance); },
       "batch_norm: `input`|[N, C, ...]|float32[4]"},
      {"batch_norm: another running mean",
       [](In in) { return amp::batch_norm(in.image, in.three, in.variance); },
       "batch_norm: `running_mean`|floating point of shape [4]|float32[3]"},
      {"batch_norm: another running variance",
       [](In in) { return amp::batch_norm(in.image, in.mean, in.three, {}, {}, true); },
       "batch_norm: `running_var`|floating point of shape [4]|float32[3]"},
      {"batch_norm: another weight",
       [](In in) { return amp::batch_norm(in.image, in.mean, in.variance, in.three, {}, true); },
       "batch_norm: `weight`|floating point of shape [4]|float32[3]"},
      {"batch_norm: another bias",
       [](In in) {
         return amp::batch_norm(in.image, in.mean, in.variance, in.four, in.scalar, true);
       },
       "batch_norm: `bias`|floating point of shape [4]|float32[]"},
      {"batch_norm: a running mean of integers",
       [](In in) {
         return amp::batch_norm(in.image, in.mean.to(amp::kInt64), in.variance, {}, {}, true);
       },
       "batch_norm: `running_mean`|floating point of shape [4]|int64[4]"},
      {"batch_norm: device of the running mean",
       [](In in) { return amp::batch_norm(in.image, in.moved_four, in.variance, {}, {}, true); },
       "batch_norm: |`input`|`running_mean`|one device|float32[4]|cpu|cuda:0"},
      {"batch_norm: device of the running variance",
       [](In in) { return amp::batch_norm(in.image, in.mean, in.moved_four, {}, {}, true); },
       "batch_norm: |`input`|`running_var`|one device|float32[4]|cpu|cuda:0"},
      {"batch_norm: device of the weight",
       [](In in) {
         return amp::batch_norm(in.image, in.mean, in.variance, in.moved_four, {}, true);
       },
       "batch_norm: |`input`|`weight`|one device|float32[4]|cpu|cuda:0"},
      {"batch_norm: device of the bias",
       [](In in) {
         return amp::batch_norm(in.image, in.mean, in.variance, {}, in.moved_four, true);
       },
       "batch_norm: |`input`|`bias`|one device|float32[4]|cpu|cuda:0"},
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
      {"batch_norm: one value per channel",
       [](In in) {
         return amp::batch_norm(in.four.reshape({1, 4}), in.mean, in.variance, {}, {}, true);
       },
       "batch_norm: |training|more than one value per channel|`input`|float32[1, 4]"},
  };
  check(rows);
}

// --- losses --------------------------------------------------------------------------------------

TEST_CASE("misuse: losses of classes") {
  make_device();
  using Weight = const Tensor&;
  using Loss = Tensor (*)(const Tensor&, const Tensor&, Weight);
  const struct {
    std::string name, input;
    Loss loss;
  } losses[] = {
      {"cross_entropy", "`logits`",
       [](const Tensor& x, const Tensor& t, Weight w) {
         return amp::cross_entropy(x, t, {.weight = w});
       }},
      {"nll_loss", "`input`",
       [](const Tensor& x, const Tensor& t, Weight w) {
         return amp::nll_loss(x, t, {.weight = w});
       }},
      {"cross_entropy", "`logits`",
       [](const Tensor& x, const Tensor& t, Weight w) {
         return amp::cross_entropy(x, t,
                                   {.label_smoothing = 0.1, .reduction = amp::kNone, .weight = w});
       }},
  };
  for (const auto& loss : losses) {
    const std::string &name = loss.name, &input = loss.input;
    const auto row = [&](const char* what, const std::function<Tensor(In)>& call,
                         const std::string& parts) {
      check(name + ": " + what, call, name + ": |" + parts);
    };
    const auto f = loss.loss;
    row(
        "nothing", [&](In in) { return f(in.none, in.index, {}); }, input + "|undefined");
    row(
        "no targets", [&](In in) { return f(in.matrix, in.none, {}); }, "`targets`|undefined");
    row(
        "integers", [&](In in) { return f(in.integers, in.index, {}); },
        input + "|floating point|int64[2, 3]");
    row(
        "targets of floats", [&](In in) { return f(in.matrix, in.two, {}); },
        "`targets`|int64|float32[2]");
    row(
        "targets of another integer",
        [&](In in) { return f(in.matrix, in.index.to(amp::kInt32), {}); },
        "`targets`|int64|int32[2]");
    row(
        "a scalar", [&](In in) { return f(in.scalar, in.index, {}); },
        input + "|float32[]|`targets`|int64[2]");
    row(
        "too many targets",
        [&](In in) {
          return f(in.matrix, amp::tensor({0, 0, 0}, {3}), {}) + in.scalar;
        },
        input + "|float32[2, 3]|[2]|`targets`|int64[3]");
    row(
        "targets of the input's shape", [&](In in) { return f(in.matrix, in.integers, {}); },
        input + "|float32[2, 3]|[2]|`targets`|int64[2, 3]");
    row(
        "targets without the inner dimensions", [&](In in) { return f(in.batch, in.index, {}); },
        input + "|float32[2, 3, 4]|[2, 4]|`targets`|int64[2]");
    row(
        "a target beyond the classes", [&](In in) { return f(in.matrix, in.far, {}); },
        "`targets`|[0, 3)|7");
    row(
        "a target below 0", [&](In in) { return f(in.matrix, in.before, {}); },
        "`targets`|[0, 3)|-1");
    row(
        "a target of one sample", [&](In in) { return f(in.three, in.far.select(0, 1), {}); },
        "`targets`|[0, 3)|7");
    row(
        "no classes", [&](In in) { return f(in.empty, in.index, {}); },
        input + "|float32[2, 0]|no classes");
    row(
        "another weight", [&](In in) { return f(in.matrix, in.index, in.two); },
        "`weight`|floating point of shape [3]|float32[2]");
    row(
        "a weight to broadcast", [&](In in) { return f(in.matrix, in.index, in.scalar); },
        "`weight`|floating point of shape [3]|float32[]");
    row(
        "a weight of integers",
        [&](In in) { return f(in.matrix, in.index, in.three.to(amp::kInt64)); },
        "`weight`|floating point of shape [3]|int64[3]");
    row(
        "device of the targets", [&](In in) { return f(in.matrix, in.moved_index, {}); },
        input + "|`targets`|one device|float32[2, 3]|cpu|int64[2]|cuda:0");
    row(
        "device of the weight",
        [&](In in) { return f(in.matrix, in.index, in.three.to(amp::kCUDA)); },
        input + "|`weight`|one device|float32[2, 3]|cpu|float32[3]|cuda:0");
  }
  const Row rows[] = {
      {"cross_entropy: probabilities of another shape",
       [](In in) { return amp::cross_entropy(in.matrix, in.wide); },
       "cross_entropy: |`logits`|float32[2, 3]|`targets`|probabilities|float32[4, 5]"},
      {"cross_entropy: bool targets", [](In in) { return amp::cross_entropy(in.matrix, in.mask); },
       "cross_entropy: `targets`|int64|probabilities|bool[2, 3]"},
      {"cross_entropy: probabilities and an ignored class",
       [](In in) { return amp::cross_entropy(in.matrix, in.matrix, {.ignore_index = 2}); },
       "cross_entropy: `ignore_index`|`targets`|probabilities|2"},
      {"cross_entropy: device of the probabilities",
       [](In in) { return amp::cross_entropy(in.matrix, in.moved); },
       "cross_entropy: |`logits`|`targets`|one device|float32[2, 3]|cpu|cuda:0"},
      {"cross_entropy: label_smoothing below 0",
       [](In in) { return amp::cross_entropy(in.matrix, in.index, {.label_smoothing = -0.5}); },
       "cross_entropy: `label_smoothing`|[0, 1]|-0.5"},
      {"cross_entropy: label_smoothing above 1",
       [](In in) { return amp::cross_entropy(in.matrix, in.index, {.label_smoothing = 2}); },
       "cross_entropy: `label_smoothing`|[0, 1]|2"},
      {"cross_entropy: label_smoothing is NaN",
       [](In in) { return amp::cross_entropy(in.matrix, in.index, {.label_smoothing = kNaN}); },
       "cross_entropy: `label_smoothing`|[0, 1]|nan"},
  };
  check(rows);
}

TEST_CASE("misuse: losses of numbers") {
  const Row rows[] = {
      {"mse_loss: nothing", [](In in) { return amp::mse_loss(in.none, in.matrix); },
       "mse_loss: `input`|undefined"},
      {"mse_loss: no target", [](In in) { return amp::mse_loss(in.matrix, in.none); },
       "mse_loss: `target`|undefined"},
      {"mse_loss: device of the target", [](In in) { return amp::mse_loss(in.matrix, in.moved); },
       "mse_loss: |`input`|`target`|one device|float32[2, 3]|cpu|cuda:0"},
      {"mse_loss: shapes", [](In in) { return amp::mse_loss(in.matrix, in.wide); },
       "mse_loss: `target`|`input`|float32[2, 3]|float32[4, 5]"},
      {"mse_loss: a target to broadcast", [](In in) { return amp::mse_loss(in.matrix, in.three); },
       "mse_loss: `target`|`input`|float32[2, 3]|float32[3]|reshape"},
      {"mse_loss: integers", [](In in) { return amp::mse_loss(in.integers, in.matrix); },
       "mse_loss: `input`|floating point|int64[2, 3]"},
      {"mse_loss: a target of integers",
       [](In in) { return amp::mse_loss(in.matrix, in.integers); },
       "mse_loss: `target`|floating point|int64[2, 3]"},
      {"binary_cross_entropy: nothing",
       [](In in) { return amp::binary_cross_entropy_with_logits(in.none, in.matrix); },
       "binary_cross_entropy_with_logits: `input`|undefined"},
      {"binary_cross_entropy: no target",
       [](In in) { return amp::binary_cross_entropy_with_logits(in.matrix, in.none); },
       "binary_cross_entropy_with_logits: `target`|undefined"},
      {"binary_cross_entropy: integers",
       [](In in) { return amp::binary_cross_entropy_with_logits(in.integers, in.matrix); },
       "binary_cross_entropy_with_logits: `input`|floating point|int64[2, 3]"},
      {"binary_cross_entropy: a target of bools",
       [](In in) { return amp::binary_cross_entropy_with_logits(in.matrix, in.mask); },
       "binary_cross_entropy_with_logits: `target`|floating point|bool[2, 3]"},
      {"binary_cross_entropy: shapes",
       [](In in) { return amp::binary_cross_entropy_with_logits(in.matrix, in.wide); },
       "binary_cross_entropy_with_logits: `target`|`input`|float32[2, 3]|float32[4, 5]"},
      {"binary_cross_entropy: a target to broadcast",
       [](In in) { return amp::binary_cross_entropy_with_logits(in.matrix, in.three); },
       "binary_cross_entropy_with_logits: `target`|`input`|float32[2, 3]|float32[3]"},
      {"binary_cross_entropy: device of the target",
       [](In in) { return amp::binary_cross_entropy_with_logits(in.matrix, in.moved); },
       "binary_cross_entropy_with_logits: |`input`|`target`|one device|float32[2, 3]|cpu|cuda:0"},
      {"binary_cross_entropy: another weight",
       [](In in) {
         return amp::binary_cross_entropy_with_logits(in.matrix, in.matrix, {.weight = in.four});
       },
       "binary_cross_entropy_with_logits: |`weight`|[2, 3]|[4]|broadcast"},
      {"binary_cross_entropy: a weight of more dimensions",
       [](In in) {
         return amp::binary_cross_entropy_with_logits(in.matrix, in.matrix,
                                                      {.weight = amp::ones({2, 2, 3})});
       },
       "binary_cross_entropy_with_logits: |`weight`|[2, 3]|[2, 2, 3]|broadcast"},
      {"binary_cross_entropy: a weight of integers",
       [](In in) {
         return amp::binary_cross_entropy_with_logits(in.matrix, in.matrix,
                                                      {.weight = in.integers});
       },
       "binary_cross_entropy_with_logits: `weight`|floating point|int64[2, 3]"},
      {"binary_cross_entropy: device of the weight",
       [](In in) {
         return amp::binary_cross_entropy_with_logits(in.matrix, in.matrix, {.weight = in.moved});
       },
       "binary_cross_entropy_with_logits: |`input`|`weight`|one device|float32[2, 3]|cpu|cuda:0"},
      {"binary_cross_entropy: another pos_weight",
       [](In in) {
         return amp::binary_cross_entropy_with_logits(in.matrix, in.matrix, {.pos_weight = in.two});
       },
       "binary_cross_entropy_with_logits: |`pos_weight`|[2, 3]|[2]|broadcast"},
      {"binary_cross_entropy: a pos_weight of integers",
       [](In in) {
         return amp::binary_cross_entropy_with_logits(in.matrix, in.matrix,
                                                      {.pos_weight = in.integers});
       },
       "binary_cross_entropy_with_logits: `pos_weight`|floating point|int64[2, 3]"},
      {"binary_cross_entropy: device of the pos_weight",
       [](In in) {
         return amp::binary_cross_entropy_with_logits(in.matrix, in.matrix,
                                                      {.pos_weight = in.moved});
       },
       "binary_cross_entropy_with_logits: |`input`|`pos_weight`|one device|cpu|cuda:0"},
  };
  check(rows);
}

// --- indices and lists ---------------------------------------------------------------------------

TEST_CASE("misuse: indices") {
  const Row rows[] = {
      {"index_select: from nothing", [](In in) { return amp::index_select(in.none, 0, in.index); },
       "index_select: `input`|undefined"},
      {"index_select: no index", [](In in) { return amp::index_select(in.matrix, 0, in.none); },
       "index_select: `index`|undefined"},
      {"index_select: from a scalar",
       [](In in) { return amp::index_select(in.scalar, 0, in.index); },
       "index_select: `input`|at least 1 dimension|float32[]"},
      {"index_select: an index of floats",
       [](In in) { return amp::index_select(in.matrix, 0, in.two); },
       "index_select: `index`|int64 or int32|float32[2]"},
      {"index_select: an index of bools",
       [](In in) { return amp::index_select(in.matrix, 0, in.mask); },
       "index_select: `index`|int64 or int32|bool[2, 3]"},
      {"index_select: an index of two dimensions",
       [](In in) { return amp::index_select(in.matrix, 0, in.integers); },
       "index_select: `index`|at most 1 dimension|int64[2, 3]"},
      {"index_select: beyond the end",
       [](In in) { return amp::index_select(in.matrix, 1, in.far); },
       "index_select: |`index`|[0, 3)|7"},
      {"index_select: below 0", [](In in) { return amp::index_select(in.matrix, 0, in.before); },
       "index_select: |`index`|[0, 2)|-1"},
      {"index_select: the most negative, of 32 bits",
       [](In in) {
         return amp::index_select(in.matrix, 0, amp::tensor(std::vector{INT32_MIN}, {1}));
       },
       "index_select: |`index`|[0, 2)|-2147483648"},
      {"index_select: from an empty dimension",
       [](In in) { return amp::index_select(in.empty, 1, in.index); },
       "index_select: |`index`|[0, 0)|0"},
      {"index_select: from empty slices",
       [](In in) { return amp::index_select(in.empty, 0, in.far); },
       "index_select: |`index`|[0, 2)|7"},
      {"index_select: devices",
       [](In in) { return amp::index_select(in.matrix, 0, in.moved_index); },
       "index_select: |`input`|`index`|one device|float32[2, 3]|cpu|int64[2]|cuda:0"},
      {"embedding: no input", [](In in) { return amp::embedding(in.none, in.matrix); },
       "embedding: `input`|undefined"},
      {"embedding: no weight", [](In in) { return amp::embedding(in.index, in.none); },
       "embedding: `weight`|undefined"},
      {"embedding: an input of floats", [](In in) { return amp::embedding(in.two, in.matrix); },
       "embedding: `input`|int64 or int32|float32[2]"},
      {"embedding: arguments in the wrong order",
       [](In in) { return amp::embedding(in.matrix, in.index); },
       "embedding: `input`|int64 or int32|float32[2, 3]"},
      {"embedding: a weight of one dimension",
       [](In in) { return amp::embedding(in.index, in.three); },
       "embedding: `weight`|[V, D]|float32[3]"},
      {"embedding: a weight of three dimensions",
       [](In in) { return amp::embedding(in.index, in.batch); },
       "embedding: `weight`|[V, D]|float32[2, 3, 4]"},
      {"embedding: beyond the end", [](In in) { return amp::embedding(in.far, in.matrix); },
       "embedding: |`input`|[0, 2)|7"},
      {"embedding: below 0", [](In in) { return amp::embedding(in.before, in.matrix); },
       "embedding: |`input`|[0, 2)|-1"},
      {"embedding: beyond the end, recorded",
       [](In in) { return amp::embedding(in.far, in.weight); }, "embedding: |`input`|[0, 2)|7"},
      {"embedding: an input of eight dimensions",
       [](In in) { return amp::embedding(in.eight.to(amp::kInt64), in.square); },
       "at most 8 dimensions|[1, 1, 1, 1, 1, 1, 1, 2]"},
      {"embedding: devices", [](In in) { return amp::embedding(in.moved_index, in.matrix); },
       "embedding: |`weight`|`input`|one device|float32[2, 3]|cpu|int64[2]|cuda:0"},
  };
  check(rows);
}

TEST_CASE("misuse: lists of tensors") {
  const Row rows[] = {
      {"cat: none", [](In) { return amp::cat(std::vector<Tensor>{}); }, "cat: `tensors`|empty"},
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
      {"cat: scalars",
       [](In in) {
         return amp::cat({in.scalar, in.scalar});
       },
       "cat: `tensors`|at least 1 dimension|float32[]|stack"},
      {"cat: other extents",
       [](In in) {
         return amp::cat({in.matrix, in.wide});
       },
       "cat: `tensors`|dimension 0|number 1|float32[4, 5]|float32[2, 3]"},
      {"cat: other dimensions",
       [](In in) {
         return amp::cat({in.matrix, in.batch});
       },
       "cat: `tensors`|dimension 0|number 1|float32[2, 3, 4]|float32[2, 3]"},
      {"cat: fewer dimensions",
       [](In in) {
         return amp::cat({in.matrix, in.three});
       },
       "cat: `tensors`|dimension 0|number 1|float32[3]|float32[2, 3]"},
      {"cat: devices",
       [](In in) {
         return amp::cat({in.matrix, in.moved});
       },
       "cat: |`tensors`|one device|float32[2, 3]|cpu|cuda:0"},
      {"cat: a sum of extents that overflows",
       [](In in) {
         const Tensor half = in.scalar.expand({kHuge});
         return amp::cat({half, half});
       },
       "cat: `tensors`|63 bits"},
      {"cat: more memory than there is",
       [](In in) {
         const Tensor half = in.scalar.expand({std::int64_t{1} << 49});
         return amp::cat({half, half});
       },
       "out of memory|4503599627370496 bytes"},
      {"stack: none", [](In) { return amp::stack(std::vector<Tensor>{}); },
       "stack: `tensors`|empty"},
      {"stack: an undefined one",
       [](In in) {
         return amp::stack({in.matrix, in.none});
       },
       "stack: `tensors`[1]|undefined"},
      {"stack: shapes",
       [](In in) {
         return amp::stack({in.matrix, in.three});
       },
       "stack: `tensors`|one shape|number 1|float32[3]|float32[2, 3]"},
      {"stack: devices",
       [](In in) {
         return amp::stack({in.moved, in.matrix});
       },
       "stack: |`tensors`|one device|float32[2, 3]|cpu|cuda:0"},
      {"stack: no such dimension", [](In in) { return amp::stack({in.matrix}, 3); },
       "stack: `dim`|[-3, 3)|3"},
      {"stack: the most negative dimension",
       [](In in) { return amp::stack({in.matrix}, INT64_MIN); },
       "stack: `dim`|[-3, 3)|-9223372036854775808"},
      {"stack: nine dimensions",
       [](In in) {
         return amp::stack({in.eight, in.eight});
       },
       "at most 8 dimensions|[1, 1, 1, 1, 1, 1, 1, 2]"},
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
