// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The tables of the conformance suite are complete, and its measure of errors measures.
#include <cmath>
#include <cstddef>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/suite.hpp"

using conformance::error_of;
using conformance::Support;

namespace {

bool is_member(std::string_view op) { return op.starts_with("Tensor::"); }

std::set<std::string_view> listed_ops() {
  std::set<std::string_view> ops;
  for (const auto& listed : amp::autocasting::kOpList) ops.insert(listed.name);
  return ops;
}

constexpr conformance::Format kFloat16Format{.digits = 11, .min_exponent = -14};

double relative(std::vector<double> actual, std::vector<double> expected) {
  return error_of(actual, expected, kFloat16Format).relative;
}
double ulps(std::vector<double> actual, std::vector<double> expected) {
  return error_of(actual, expected, kFloat16Format).ulps;
}

}  // namespace

TEST_CASE("tables: every op of amp has golden cases", "[conformance]") {
  std::set<std::string_view> covered;
  for (const conformance::OpCase& c : goldens::op_cases()) covered.insert(conformance::op_of(c.op));
  for (const std::string_view op : listed_ops()) {
    INFO(op);
    CHECK(covered.count(op) == 1);
  }
}

TEST_CASE("tables: every golden case is of an op of amp and can be called", "[conformance]") {
  const std::set<std::string_view> listed = listed_ops();
  for (const conformance::OpCase& c : goldens::op_cases()) {
    INFO(c.op << ": " << c.detail);
    CHECK((is_member(c.op) || listed.count(conformance::op_of(c.op)) == 1));
    CHECK(conformance::binding_of(c.op) != nullptr);
  }
}

TEST_CASE("tables: every binding has golden cases, and none is there twice", "[conformance]") {
  std::set<std::string_view> forms, called;
  for (const conformance::OpCase& c : goldens::op_cases()) called.insert(c.op);
  for (const conformance::Binding& binding : conformance::kBindings) {
    INFO(binding.op);
    CHECK(forms.insert(binding.op).second);
    CHECK(called.count(binding.op) == 1);
  }
}

TEST_CASE("tables: every op has a case without elements and one with a size-1 dimension",
          "[conformance]") {
  std::set<std::string_view> empty, small;
  for (const conformance::OpCase& c : goldens::op_cases()) {
    for (const goldens::Operand& operand : c.inputs) {
      if (operand.values.empty()) empty.insert(conformance::op_of(c.op));
      for (const std::int64_t extent : operand.shape) {
        if (extent == 1) small.insert(conformance::op_of(c.op));
      }
      if (operand.shape.empty()) small.insert(conformance::op_of(c.op));
    }
    if (c.outputs[0].values.empty()) empty.insert(conformance::op_of(c.op));
  }
  for (const std::string_view op : listed_ops()) {
    INFO(op);
    // torch refuses them in these two.
    if (op != "ctc_loss" && op != "affine_grid") CHECK(empty.count(op) == 1);
    CHECK(small.count(op) == 1);
  }
}

TEST_CASE("support: says what runs, and what not and why", "[conformance]") {
  const Support yes = conformance::support("layer_norm", amp::kCPU, amp::kBFloat16);
  CHECK(yes.forward);
  CHECK(yes.backward);
  CHECK(yes.reason == "");
  const Support no = conformance::support("matmul", amp::kCPU, amp::kInt64);
  CHECK_FALSE(no.forward);
  CHECK_FALSE(no.backward);
  CHECK_THAT(no.reason, Catch::Matchers::ContainsSubstring("matmul"));
  CHECK(conformance::support("add", amp::kCPU, amp::kInt64).forward);
  CHECK(conformance::support("pad", amp::kCPU, amp::kUInt8).forward);  // -1.5 is no such value
}

TEST_CASE("errors: in units of the largest magnitude and of each element", "[conformance]") {
  const double epsilon = 0x1p-10;
  CHECK(relative({1, 2}, {1, 2}) == 0);
  CHECK(relative({1 + epsilon, 1.5}, {1, 1.5}) == Approx(1 / 1.5));
  CHECK(relative({1 + epsilon, 4}, {1, 4}) == 0.25);
  CHECK(ulps({1 + epsilon, 4}, {1, 4}) == 1);
  CHECK(relative({0x1p-24}, {0}) == 1);
  CHECK(relative({1, -1}, {1, 1}) > 1000);
}

TEST_CASE("errors: what is not finite counts, and hides nothing", "[conformance]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(relative({nan, infinity}, {nan, infinity}) == 0);
  CHECK(std::isinf(relative({nan}, {1})));
  CHECK(std::isinf(relative({1}, {nan})));
  CHECK(std::isinf(relative({infinity}, {1})));
  CHECK(std::isinf(relative({-infinity}, {infinity})));
  CHECK(std::isinf(relative({1, 2}, {1})));
  CHECK(relative({infinity, 1.5}, {infinity, 1}) == 512);
}
