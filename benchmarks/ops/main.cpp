// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Measures any op of any inputs; a workload's name is a call: OP[:NUMBER]...[/INPUT]..., such as
// "norm:3:-1/2048x1024", of the order 3 over the last dimension. The variant is f, the forward
// pass, or fb, forward and backward. An INPUT is [MARK]...SHAPE[@LOW..HIGH] or SHAPE<LIMIT:
//
//   64x32@0..1    numbers in [0, 1), or [-2, 2) without @, in the precision's dtype
//   64x32<10      whole numbers in [0, 10)
//   ^64x32        in float32, whatever the precision
//   =64x32        without gradient
//   ~8x3x32x32    with its elements channels-last
//   ?64x32        true where the number is positive
//
// pytorch_ops.py understands the same names.
#include <sstream>
#include <utility>

#include "../cpu/info.hpp"
#include "ops.hpp"

namespace cpu_benchmark {
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream rest(text);
  for (std::string part; std::getline(rest, part, separator);) parts.push_back(part);
  return parts;
}

amp::Shape shape_of(const std::string& text) {
  std::vector<std::int64_t> extents;
  for (const std::string& extent : split(text, 'x')) extents.push_back(std::stoll(extent));
  return amp::Shape(extents);
}

Tensor with_channels_last(const Tensor& x) {
  return x.permute({0, 2, 3, 1}).contiguous().permute({0, 3, 1, 2}).detach();
}

/// Returns an input, and whether it is to have a gradient.
std::pair<Tensor, bool> make_input(const std::string& text, std::uint32_t seed, amp::DType dtype) {
  const std::size_t marks = text.find_first_of("0123456789");
  const auto marked = [&](char mark) { return text.substr(0, marks).find(mark) < marks; };
  const std::string description = text.substr(marks);
  if (const auto parts = split(description, '<'); parts.size() == 2) {
    const auto limit = static_cast<std::uint32_t>(std::stoul(parts[1]));
    return {classes(shape_of(parts[0]), seed, limit), false};
  }
  const auto parts = split(description, '@');
  float low = -2, high = 2;
  if (parts.size() == 2) {
    low = std::stof(parts[1]);
    high = std::stof(parts[1].substr(parts[1].find("..") + 2));
  }
  Tensor x = numbers(shape_of(parts.at(0)), seed, (high - low) / 2) + (high + low) / 2;
  if (marked('?')) return {amp::gt(x, 0), false};
  x = x.to(marked('^') ? amp::kFloat32 : dtype);
  if (marked('~')) x = with_channels_last(x);
  return {x, !marked('=')};
}

Op op_of(const std::string& name) {
  for (const Ops& ops : {elementwise_ops(), reductions(), network_ops(), family_ops()}) {
    if (const auto found = ops.find(name); found != ops.end()) return found->second;
  }
  throw std::runtime_error("no such op: " + name);
}

Workload load(const Request& request) {
  std::vector<std::string> parts = split(request.name, '/');
  const std::vector<std::string> words = split(parts.at(0), ':');
  const Op op = op_of(words.at(0));
  Numbers n;
  for (std::size_t i = 1; i < words.size(); ++i) n.push_back(std::stod(words[i]));
  Inputs x, leaves;
  for (std::uint32_t i = 1; i < parts.size(); ++i) {
    const auto [input, is_leaf] = make_input(parts[i], i, dtype_of(request.precision));
    x.push_back(input);
    if (is_leaf && request.variant == "fb") leaves.push_back(input.requires_grad_());
  }
  if (leaves.empty()) {
    return {.call = [=] { static_cast<void>(op(x, n)); }, .results = some_elements(op(x, n))};
  }
  const Tensor y = op(x, n).detach();
  const Tensor gradient = numbers(y.shape(), 0).to(y.dtype());
  const auto call = [=] {
    for (const Tensor& leaf : leaves) leaf.set_grad({});
    op(x, n).backward(gradient);
  };
  call();
  std::vector<double> results = some_elements(y);
  for (const Tensor& leaf : leaves) {
    const std::vector<double> some = some_elements(leaf.grad());
    results.insert(results.end(), some.begin(), some.end());
  }
  return {.call = call, .results = results};
}

}  // namespace
}  // namespace cpu_benchmark

int main(int argc, char** argv) {
  return cpu_benchmark::serve(argc, argv, cpu_benchmark::info(), cpu_benchmark::load);
}
