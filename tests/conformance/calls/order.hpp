// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// How elements are put in order, scanned, searched and counted.
#pragma once

#include <optional>

#include "conformance/binding.hpp"

namespace conformance::bindings {

inline Outputs values_and_indices(const amp::ValuesAndIndices& both) {
  return {both.values, both.indices};
}
/// The whole numbers first: nothing else is differentiated.
inline Outputs unique_result(const amp::UniqueResult& result) {
  return {result.counts, result.inverse, result.values};
}
inline amp::QuantileInterpolation interpolation(Case c, std::size_t i) {
  return static_cast<amp::QuantileInterpolation>(integer(c, i));
}

template <amp::Tensor (*Op)(const amp::Tensor&, std::int64_t)>
Outputs scan(In x, Case c) {
  return Op(x[0], integer(c, 0));
}
template <amp::ValuesAndIndices (*Op)(const amp::Tensor&, std::int64_t)>
Outputs extremum_scan(In x, Case c) {
  return values_and_indices(Op(x[0], integer(c, 0)));
}

// clang-format off
inline constexpr Binding kOrder[] = {
    {"sort", [](In x, Case) -> Outputs { return values_and_indices(amp::sort(x[0])); }, kOneRounding, "input", kAnything},
    {"sort(x, numbers)", [](In x, Case c) -> Outputs { return values_and_indices(amp::sort(x[0], integer(c, 0), flag(c, 1))); }, kOneRounding, "input", kAnything},
    {"argsort", [](In x, Case) -> Outputs { return amp::argsort(x[0]); }, kOneRounding, "input", kAnything},
    {"argsort(x, numbers)", [](In x, Case c) -> Outputs { return amp::argsort(x[0], integer(c, 0), flag(c, 1)); }, kOneRounding, "input", kAnything},
    {"msort", unary<amp::msort>, kOneRounding, "input", kAnything},
    {"topk", [](In x, Case) -> Outputs { return values_and_indices(amp::topk(x[0], 3)); }, kOneRounding, "input", kAnything},
    {"topk(x, numbers)", [](In x, Case c) -> Outputs { return values_and_indices(amp::topk(x[0], integer(c, 0), integer(c, 1), flag(c, 2))); }, kOneRounding, "input", kAnything},
    {"kthvalue", [](In x, Case) -> Outputs { return values_and_indices(amp::kthvalue(x[0], 2)); }, kOneRounding, "input", kAnything},
    {"kthvalue(x, numbers)", [](In x, Case c) -> Outputs { return values_and_indices(amp::kthvalue(x[0], integer(c, 0), integer(c, 1), flag(c, 2))); }, kOneRounding, "input", kAnything},
    {"median", unary<amp::median>, kFloat32Math, "input", kAnything},
    {"median(x, dim)", [](In x, Case c) -> Outputs { return values_and_indices(amp::median(x[0], integer(c, 0), flag(c, 1))); }, kOneRounding, "input", kAnything},
    {"quantile", [](In x, Case) -> Outputs { return amp::quantile(x[0], 0.25); }, kFloat32Math},
    {"quantile(x, numbers)", [](In x, Case c) -> Outputs { return amp::quantile(x[0], number(c), integer(c, 1), flag(c, 2), interpolation(c, 3)); }, kFloat32Math},
    {"quantile(x, q)", [](In x, Case c) -> Outputs { return amp::quantile(x[0], x[1], integer(c, 0), flag(c, 1), interpolation(c, 2)); }, kFloat32Math, "input*= q*="},
    {"cumsum(x, dim)", scan<amp::cumsum>, kFloat32Math, "input", kAnything},
    {"cumprod(x, dim)", scan<amp::cumprod>, kTwoRoundings, "input", kAnything},
    {"logcumsumexp(x, dim)", scan<amp::logcumsumexp>, kExponentialOfResult},
    {"cummax(x, dim)", extremum_scan<amp::cummax>, kFloat32Math, "input", kAnything},
    {"cummin(x, dim)", extremum_scan<amp::cummin>, kFloat32Math, "input", kAnything},
    {"searchsorted", [](In x, Case) -> Outputs { return amp::searchsorted(x[0], x[1]); }, kOneRounding, "sorted_sequence* values*", kAnything},
    {"searchsorted(x, numbers)", [](In x, Case c) -> Outputs { return amp::searchsorted(x[0], x[1], {.right = flag(c, 0)}); }, kOneRounding, "sorted_sequence* values*", kAnything},
    {"searchsorted(x, number)", [](In x, Case c) -> Outputs { return amp::searchsorted(x[0], number(c), {.right = flag(c, 1)}); }, kOneRounding, "sorted_sequence", kAnything},
    {"bucketize", [](In x, Case) -> Outputs { return amp::bucketize(x[0], x[1]); }, kOneRounding, "input* boundaries*", kAnything},
    {"bucketize(x, numbers)", [](In x, Case c) -> Outputs { return amp::bucketize(x[0], x[1], {.right = flag(c, 0)}); }, kOneRounding, "input* boundaries*", kAnything},
    {"histc", [](In x, Case) -> Outputs { return amp::histc(x[0]).to(amp::kInt64); }, kOneRounding},
    {"histc(x, numbers)", [](In x, Case c) -> Outputs { return amp::histc(x[0], integer(c, 0), c.attributes[1], c.attributes[2]).to(amp::kInt64); }, kOneRounding},
    {"unique", [](In x, Case) -> Outputs { return unique_result(amp::unique(x[0], true, true, true)); }, kOneRounding, "input", kAnything},
    {"unique_consecutive", [](In x, Case) -> Outputs { return unique_result(amp::unique_consecutive(x[0], true, true)); }, kOneRounding, "input", kAnything},
    {"isin(x, numbers)", [](In x, Case c) -> Outputs { return amp::isin(x[0], x[1], {.invert = flag(c, 0)}); }, kOneRounding, "elements* test_elements*", kAnything},
    {"isclose", [](In x, Case) -> Outputs { return amp::isclose(x[0], x[1]); }, kOneRounding, "input*= other*=", kAnything},
    {"isclose(x, numbers)", [](In x, Case c) -> Outputs { return amp::isclose(x[0], x[1], number(c), c.attributes[1], flag(c, 2)); }, kOneRounding, "input*= other*=", kAnything},
    {"any", unary<amp::any>, kOneRounding, "input", kAnything},
    {"all", unary<amp::all>, kOneRounding, "input", kAnything},
    {"any(x, dims)", [](In x, Case c) -> Outputs { return amp::any(x[0], integers_from(c, 1), flag(c, 0)); }, kOneRounding, "input", kAnything},
    {"all(x, dims)", [](In x, Case c) -> Outputs { return amp::all(x[0], integers_from(c, 1), flag(c, 0)); }, kOneRounding, "input", kAnything},
    {"count_nonzero", [](In x, Case) -> Outputs { return amp::count_nonzero(x[0]); }, kOneRounding, "input", kAnything},
    {"count_nonzero(x, dims)", [](In x, Case c) -> Outputs { return amp::count_nonzero(x[0], integers_from(c, 0)); }, kOneRounding, "input", kAnything},
    {"argmin", unary<amp::argmin>, kOneRounding, "input", kNumbers},
    {"argmin(x, dim)", [](In x, Case c) -> Outputs { return amp::argmin(x[0], integer(c, 0), flag(c, 1)); }, kOneRounding, "input", kNumbers},
    {"aminmax", [](In x, Case) -> Outputs { const auto [least, most] = amp::aminmax(x[0]); return {least, most}; }, kFloat32Math, "input", kAnything},
    {"aminmax(x, dim)", [](In x, Case c) -> Outputs { const auto [least, most] = amp::aminmax(x[0], integer(c, 0), flag(c, 1)); return {least, most}; }, kFloat32Math, "input", kAnything},
    {"var_mean", [](In x, Case) -> Outputs { const auto [var, mean] = amp::var_mean(x[0]); return {var, mean}; }, kFloat32Math},
    {"std_mean", [](In x, Case) -> Outputs { const auto [std, mean] = amp::std_mean(x[0]); return {std, mean}; }, kFloat32Math},
    {"var_mean(x, dims)", [](In x, Case c) -> Outputs { const auto [var, mean] = amp::var_mean(x[0], integers_from(c, 2), number(c), flag(c, 1)); return {var, mean}; }, kFloat32Math},
    {"std_mean(x, dims)", [](In x, Case c) -> Outputs { const auto [std, mean] = amp::std_mean(x[0], integers_from(c, 2), number(c), flag(c, 1)); return {std, mean}; }, kFloat32Math},
};
// clang-format on

}  // namespace conformance::bindings
