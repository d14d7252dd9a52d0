// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// How ops that move elements by indices and masks are called.
#pragma once

#include <amp/amp.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "conformance/binding.hpp"

namespace conformance::bindings {

/// The index of a case as the list of index() and index_put(): see OpCase.
inline std::vector<amp::Tensor> indices(In x, Case c) {
  const amp::Tensor given = index(c, x);
  const std::int64_t form = integer(c, 0);
  if (form == 3 || !given.defined() || given.dim() == 0) return {given};
  std::vector<amp::Tensor> list;
  if (form == 1) list.emplace_back();
  for (std::int64_t i = 0; i < given.size(0); ++i) {
    list.push_back(given.select(0, i));
    if (form == 2 && i == 0) list.emplace_back();
  }
  return list;
}

// clang-format off
inline constexpr Binding kIndexing[] = {
    {"gather", [](In x, Case c) -> Outputs { return amp::gather(x[0], integer(c, 0), index(c, x)); },
     kOneRounding, "input* index", kAnything},
    {"take_along_dim",
     [](In x, Case c) -> Outputs { return amp::take_along_dim(x[0], index(c, x)); },
     kOneRounding, "input* indices*", kAnything},
    {"take_along_dim(x, dim)",
     [](In x, Case c) -> Outputs { return amp::take_along_dim(x[0], index(c, x), integer(c, 0)); },
     kOneRounding, "input* indices*", kAnything},
    {"take", [](In x, Case c) -> Outputs { return amp::take(x[0], index(c, x)); },
     kOneRounding, "input* index*", kAnything},
    {"index", [](In x, Case c) -> Outputs { return amp::index(x[0], indices(x, c)); },
     kOneRounding, "input* -", kAnything},
    {"index(x, mask)",
     [](In x, Case c) -> Outputs { return amp::index(x[0], {index(c, x, amp::kBool)}); },
     kOneRounding, "input* -", kAnything},
    {"index_put",
     [](In x, Case c) -> Outputs {
       return amp::index_put(x[0], indices(x, c), x[1], {.accumulate = flag(c, 1)});
     },
     kOneRounding, "input* values -", kAnything},
    {"index_put(x, mask)",
     [](In x, Case c) -> Outputs { return amp::index_put(x[0], {index(c, x, amp::kBool)}, x[1]); },
     kOneRounding, "input* values -", kAnything},
    {"scatter",
     [](In x, Case c) -> Outputs { return amp::scatter(x[0], integer(c, 0), index(c, x), x[1]); },
     kOneRounding, "input* src* index", kAnything},
    {"scatter(x, number)",
     [](In x, Case c) -> Outputs {
       return amp::scatter(x[0], integer(c, 0), index(c, x), c.attributes[1]);
     },
     kOneRounding, "input* index", kAnything},
    {"scatter_add",
     [](In x, Case c) -> Outputs {
       return amp::scatter_add(x[0], integer(c, 0), index(c, x), x[1]);
     },
     kOneRounding, "input* src* index", kAnything},
    {"scatter_reduce",
     [](In x, Case c) -> Outputs {
       return amp::scatter_reduce(x[0], integer(c, 0), index(c, x), x[1],
                                  static_cast<amp::ScatterReduce>(integer(c, 1)), flag(c, 2));
     },
     kFloat32Math, "input* src* index", kAnything},
    {"index_add",
     [](In x, Case c) -> Outputs {
       return amp::index_add(x[0], integer(c, 0), index(c, x), x[1], {.alpha = c.attributes[1]});
     },
     kOneRounding, "input* source index", kAnything},
    {"index_copy",
     [](In x, Case c) -> Outputs {
       return amp::index_copy(x[0], integer(c, 0), index(c, x), x[1]);
     },
     kOneRounding, "input* source index", kAnything},
    {"index_fill",
     [](In x, Case c) -> Outputs {
       return amp::index_fill(x[0], integer(c, 0), index(c, x), c.attributes[1]);
     },
     kOneRounding, "input* index*", kAnything},
    {"masked_select",
     [](In x, Case c) -> Outputs { return amp::masked_select(x[0], index(c, x, amp::kBool)); },
     kOneRounding, "input mask", kAnything},
    {"masked_scatter",
     [](In x, Case c) -> Outputs {
       return amp::masked_scatter(x[0], index(c, x, amp::kBool), x[1]);
     },
     kOneRounding, "input source* mask", kAnything},
    {"nonzero", unary<amp::nonzero>, kOneRounding, "input", kAnything},
    {"argwhere", unary<amp::argwhere>, kOneRounding, "input", kAnything},
    {"where(condition)",
     [](In x, Case) -> Outputs {
       const std::vector<amp::Tensor> places = amp::where(x[0]);
       Outputs outputs(places[0]);
       outputs.insert(outputs.end(), places.begin() + 1, places.end());
       return outputs;
     },
     kOneRounding, "condition", kAnything},
    {"repeat_interleave",
     [](In x, Case c) -> Outputs { return amp::repeat_interleave(x[0], index(c, x)); },
     kOneRounding, "input* repeats", kAnything},
    {"repeat_interleave(x, repeats, dim)",
     [](In x, Case c) -> Outputs {
       return amp::repeat_interleave(x[0], index(c, x), integer(c, 0));
     },
     kOneRounding, "input* repeats", kAnything},
    {"bincount",
     [](In x, Case c) -> Outputs {
       return amp::bincount(x[0].defined() ? x[0].to(amp::kInt64) : x[0], {}, integer(c, 0));
     },
     kOneRounding, "input", kAnything},
};
// clang-format on

}  // namespace conformance::bindings
