// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The ops that are measured, by name.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "../cpu/on_amp.hpp"

namespace cpu_benchmark {

using Inputs = std::vector<Tensor>;
using Numbers = std::vector<double>;
using Op = Tensor (*)(const Inputs& x, const Numbers& n);
using Ops = std::map<std::string, Op>;

// A table for each file.
Ops elementwise_ops();
Ops reductions();
Ops network_ops();
Ops family_ops();

template <Tensor (*F)(const Tensor&)>
Tensor unary(const Inputs& x, const Numbers&) {
  return F(x.at(0));
}
template <Tensor (*F)(const Tensor&, const Tensor&)>
Tensor binary(const Inputs& x, const Numbers&) {
  return F(x.at(0), x.at(1));
}
template <Tensor (*F)(const Tensor&, double)>
Tensor with_number(const Inputs& x, const Numbers& n) {
  return F(x.at(0), n.at(0));
}
template <Tensor (*F)(const Tensor&, double, double)>
Tensor with_numbers(const Inputs& x, const Numbers& n) {
  return F(x.at(0), n.at(0), n.at(1));
}

/// Returns a number of the workload's name that is a whole one, such as a dimension.
inline std::int64_t whole(const Numbers& n, std::size_t i = 0) {
  return static_cast<std::int64_t>(n.at(i));
}

}  // namespace cpu_benchmark
