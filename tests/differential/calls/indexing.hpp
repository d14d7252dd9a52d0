// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Ops that move elements by indices and masks.
#pragma once

#include <amp/amp.hpp>

#include <span>

#include "differential/case.hpp"

namespace differential {

// clang-format off
inline void add_indexing(Calls& calls) {
  calls["gather"] = [](const Case& c) -> Results { return {amp::gather(c[0], c.integer(0), c[1])}; };
  calls["take_along_dim"] = [](const Case& c) -> Results { return {amp::take_along_dim(c[0], c[1], c.integer(0))}; };
  calls["take_along_dim.all"] = [](const Case& c) -> Results { return {amp::take_along_dim(c[0], c[1])}; };
  calls["take"] = [](const Case& c) -> Results { return {amp::take(c[0], c[1])}; };
  calls["scatter"] = [](const Case& c) -> Results { return {amp::scatter(c[0], c.integer(0), c[1], c[2])}; };
  calls["scatter.number"] = [](const Case& c) -> Results {
    return {with(c.numbers.at(1), [&](auto n) { return amp::scatter(c[0], c.integer(0), c[1], n); })};
  };
  calls["scatter_add"] = [](const Case& c) -> Results { return {amp::scatter_add(c[0], c.integer(0), c[1], c[2])}; };
  calls["scatter_reduce"] = [](const Case& c) -> Results {
    return {amp::scatter_reduce(c[0], c.integer(0), c[1], c[2], static_cast<amp::ScatterReduce>(c.integer(1)), c.numbers.at(2).truth())};
  };
  calls["index_add"] = [](const Case& c) -> Results { return {amp::index_add(c[0], c.integer(0), c[1], c[2], {.alpha = c.real(1)})}; };
  calls["index_copy"] = [](const Case& c) -> Results { return {amp::index_copy(c[0], c.integer(0), c[1], c[2])}; };
  calls["index_fill"] = [](const Case& c) -> Results {
    return {with(c.numbers.at(1), [&](auto n) { return amp::index_fill(c[0], c.integer(0), c[1], n); })};
  };
  calls["index"] = [](const Case& c) -> Results { return {amp::index(c[0], std::span(c.tensors).subspan(1))}; };
  calls["index_put"] = [](const Case& c) -> Results {
    return {amp::index_put(c[0], std::span(c.tensors).subspan(2), c[1], {.accumulate = c.numbers.at(0).truth()})};
  };
  calls["masked_select"] = [](const Case& c) -> Results { return {amp::masked_select(c[0], c[1])}; };
  calls["masked_scatter"] = [](const Case& c) -> Results { return {amp::masked_scatter(c[0], c[1], c[2])}; };
  calls["repeat_interleave"] = [](const Case& c) -> Results {
    return {c.numbers.empty() ? amp::repeat_interleave(c[0], c[1]) : amp::repeat_interleave(c[0], c[1], c.integer(0))};
  };
  calls["bincount"] = [](const Case& c) -> Results { return {amp::bincount(c[0], c.tensors.size() > 1 ? c[1] : amp::Tensor(), c.integer(0))}; };
}
// clang-format on

}  // namespace differential
