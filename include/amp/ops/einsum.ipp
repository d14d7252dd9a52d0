// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "amp/autocast/cast.hpp"
#include "amp/ops/checks.hpp"
#include "amp/ops/contraction.hpp"
#include "amp/ops/einsum.hpp"
#include "amp/ops/matmul.hpp"

namespace amp::inline v0 {
namespace detail {

/// The subscripts of an operand or of the result: labels of letters, and where the dots are.
struct Subscripts {
  static constexpr std::int64_t kDots = -1;
  static constexpr int kLetters = 52;  // the dimensions of dots have the labels above
  std::vector<std::int64_t> labels;

  int letters() const { return static_cast<int>(labels.size()) - (dots() ? 1 : 0); }
  bool dots() const { return std::find(labels.begin(), labels.end(), kDots) != labels.end(); }
};

AMP_LAZY Subscripts parse_subscripts(std::string_view equation, std::string_view text) {
  Subscripts result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ' ') continue;
    if (c == '.') {
      AMP_CHECK(text.substr(i, 3) == "..." && !result.dots(), "einsum: `equation` \"", equation,
                "\" has a '.' that is not part of one \"...\" of \"", text, "\"");
      result.labels.push_back(Subscripts::kDots);
      i += 2;
      continue;
    }
    const bool capital = c >= 'A' && c <= 'Z', small = c >= 'a' && c <= 'z';
    AMP_CHECK(capital || small, "einsum: `equation` \"", equation,
              "\" may have letters, \"...\", commas and one \"->\", but has '", std::string(1, c),
              "'");
    result.labels.push_back(capital ? c - 'A' : c - 'a' + 26);
  }
  return result;
}

/// An equation, and how many dimensions its dots stand for at most.
struct Equation {
  std::vector<Subscripts> operands;
  Subscripts output;
  int dots = 0;
};

AMP_LAZY Equation parse_equation(std::string_view text, std::span<const Tensor> operands) {
  Equation equation;
  const std::size_t arrow = text.find("->");
  std::string_view left = text.substr(0, arrow);
  for (;;) {
    const std::size_t comma = left.find(',');
    equation.operands.push_back(parse_subscripts(text, left.substr(0, comma)));
    if (comma == left.npos) break;
    left.remove_prefix(comma + 1);
  }
  AMP_CHECK(equation.operands.size() == operands.size(), "einsum: `equation` \"", text, "\" has ",
            equation.operands.size(), " operands, but ", operands.size(), " were given");
  std::array<int, Subscripts::kLetters> uses{};
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Subscripts& of = equation.operands[i];
    AMP_CHECK(of.dots() ? of.letters() <= operands[i].dim() : of.letters() == operands[i].dim(),
              "einsum: `equation` \"", text, "\" has ", of.letters(), " letters for operand ", i,
              ", which is ", describe(operands[i]));
    if (of.dots()) equation.dots = (std::max)(equation.dots, operands[i].dim() - of.letters());
    for (const std::int64_t label : of.labels) {
      if (label != Subscripts::kDots) ++uses[static_cast<std::size_t>(label)];
    }
  }
  if (arrow == text.npos) {
    if (equation.dots > 0) equation.output.labels.push_back(Subscripts::kDots);
    for (std::int64_t label = 0; label < Subscripts::kLetters; ++label) {
      if (uses[static_cast<std::size_t>(label)] == 1) equation.output.labels.push_back(label);
    }
    return equation;
  }
  equation.output = parse_subscripts(text, text.substr(arrow + 2));
  std::array<bool, Subscripts::kLetters> seen{};
  for (const std::int64_t label : equation.output.labels) {
    if (label == Subscripts::kDots) continue;
    const auto l = static_cast<std::size_t>(label);
    AMP_CHECK(uses[l] > 0, "einsum: `equation` \"", text,
              "\" has a letter behind the arrow that no operand has");
    AMP_CHECK(!seen[l], "einsum: `equation` \"", text, "\" has a letter twice behind the arrow");
    seen[l] = true;
  }
  return equation;
}

/// The labels of dimensions, with those that the dots stand for, of which there are `dots`.
AMP_LAZY Numbers labels_of(const Subscripts& subscripts, int dots) {
  Numbers labels;
  for (const std::int64_t label : subscripts.labels) {
    if (label != Subscripts::kDots) {
      labels.push_back(label);
    } else {
      for (int d = dots; d > 0; --d) labels.push_back(Subscripts::kLetters + d - 1);
    }
  }
  return labels;
}

/// The labels 0, 1, ... of the dimensions of a and further ones for b, but those of the pairs.
AMP_LAZY Tensor sum_over_pairs(const Tensor& a, const Tensor& b, const Dims& dims_a,
                               const Dims& dims_b) {
  AMP_CHECK(dims_a.dims() == dims_b.dims(),
            "tensordot: `dims_a` and `dims_b` must have one length, but have ", dims_a.dims(),
            " and ", dims_b.dims());
  const DType dtype = promote_types(a.dtype(), b.dtype());
  Numbers of_a, of_b, output;
  for (int d = 0; d < a.dim(); ++d) of_a.push_back(d);
  for (int d = 0; d < b.dim(); ++d) of_b.push_back(kMaxDims + d);
  unsigned taken = 0;
  for (int i = 0; i < dims_a.dims(); ++i) {
    const int x = wrap_dim("tensordot", dims_a[i], a.dim(), "dims_a"),
              y = wrap_dim("tensordot", dims_b[i], b.dim(), "dims_b");
    AMP_CHECK((taken >> x & 1U) == 0 && of_b[y] >= kMaxDims, "tensordot: `",
              (taken >> x & 1U) != 0 ? "dims_a" : "dims_b", "` names a dimension twice");
    AMP_CHECK(a.shape()[x] == b.shape()[y] || a.shape()[x] == 1 || b.shape()[y] == 1,
              "tensordot: dimension ", x, " of `a` ", describe(a), " and dimension ", y, " of `b` ",
              describe(b), " must have one extent");
    taken |= 1U << x;
    of_b[y] = x;
  }
  for (int d = 0; d < a.dim(); ++d) {
    if ((taken >> d & 1U) == 0) output.push_back(d);
  }
  for (const std::int64_t label : of_b) {
    if (label >= kMaxDims) output.push_back(label);
  }
  return contract(
      "tensordot",
      {{autocasting::convert_dtype(a, dtype), of_a}, {autocasting::convert_dtype(b, dtype), of_b}},
      output);
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor einsum(std::string_view equation, std::span<const Tensor> operands) {
  AMP_CHECK(!operands.empty(), "einsum: `operands` must not be empty");
  for (const Tensor& operand : operands) {
    detail::check_floating("einsum", "operands", operand);
    detail::check_same_device("einsum", "operands", operands[0], "operands", operand);
  }
  const detail::Equation parsed = detail::parse_equation(equation, operands);
  return autocasting::call_list(
      "einsum",
      [&](std::span<const Tensor> x) {
        std::vector<detail::Labelled> labelled;
        for (std::size_t i = 0; i < x.size(); ++i) {
          const int dots = x[i].dim() - parsed.operands[i].letters();
          labelled.push_back({x[i], detail::labels_of(parsed.operands[i], dots)});
        }
        return detail::contract("einsum", std::move(labelled),
                                detail::labels_of(parsed.output, parsed.dots));
      },
      operands);
}

AMP_LAZY_DEFINITION Tensor tensordot(const Tensor& a, const Tensor& b, std::int64_t dims) {
  detail::check_two_floating("tensordot", a, "a", b, "b");
  AMP_CHECK(dims >= 0 && dims <= a.dim() && dims <= b.dim(),
            "tensordot: `dims` must be at least 0 and at most the dimensions of `a` ", describe(a),
            " and `b` ", describe(b), ", but is ", dims);
  Dims of_a, of_b;
  for (int d = 0; d < static_cast<int>(dims); ++d) {
    of_a.push_back(a.dim() - static_cast<int>(dims) + d);
    of_b.push_back(d);
  }
  return tensordot(a, b, of_a, of_b);
}
AMP_LAZY_DEFINITION Tensor tensordot(const Tensor& a, const Tensor& b, const Dims& dims_a,
                                     const Dims& dims_b) {
  detail::check_two_floating("tensordot", a, "a", b, "b");
  return autocasting::call(
      "tensordot",
      [&](const Tensor& x, const Tensor& y) {
        return detail::sum_over_pairs(x, y, dims_a, dims_b);
      },
      a, b);
}

}  // namespace amp::inline v0
