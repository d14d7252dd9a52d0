// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Layers with weights against torch's of the same name and the same weights (goldens/nets.txt):
// printed text, names and shapes of parameters and buffers, results, gradients, buffers afterwards.
#pragma once

#include <amp/amp.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "goldens/blocks.hpp"
#include "support/catch.hpp"
#include "support/numbers.hpp"

namespace amp_test {

using Tensors = std::vector<amp::Tensor>;

/// A layer whose type is forgotten, and how it is called.
struct Net {
  amp::nn::Module module;
  std::string text;
  std::function<Tensors(const Tensors&)> call;
};
/// A layer that is called as call(layer, inputs), which returns the results.
template <class M, class Call>
Net net(const M& module, const Call& call) {
  return {module, amp::nn::to_string(module),
          [module, call](const Tensors& inputs) -> Tensors { return call(module, inputs); }};
}
/// A layer with one input and one result.
template <class M>
Net net(const M& module) {
  return net(module, [](const M& m, const Tensors& x) -> Tensors { return {m(x[0])}; });
}
/// The layer in evaluation.
inline Net evaluated(Net net) {
  net.module.eval();
  return net;
}

// Salts of the numbers that are no parameters, as in goldens/make_nets.py.
inline constexpr std::int64_t kInputSalt = 50, kIncomingSalt = 60, kBufferSalt = 70;

/// Gives parameters and buffers the values that the script gives them.
inline void fill(const amp::nn::Module& module) {
  const amp::NoGradGuard no_grad;
  std::int64_t salt = 0;
  for (const amp::Tensor& p : module.parameters()) p.copy_(numbers(p.shape(), salt++) * 0.5);
  salt = kBufferSalt;
  for (const auto& [name, buffer] : module.named_buffers()) {
    const amp::Tensor values = numbers(buffer.shape(), salt++);
    const bool counts = !amp::is_floating_point(buffer.dtype());
    buffer.copy_(counts                          ? values * 0
                 : name.ends_with("running_var") ? amp::abs(values) + 0.5
                                                 : values);
  }
}

/// A mask as in the script: some elements, but none of the first column.
inline amp::Tensor mask(const amp::Shape& shape) {
  amp::Tensor chosen = amp::gt(numbers(shape, 3), 0.5);
  chosen.narrow(-1, 0, 1).zero_();
  return chosen;
}
/// Numbers to add, or -infinity for the elements of mask().
inline amp::Tensor added(const amp::Shape& shape, amp::DType dtype) {
  return amp::masked_fill(numbers(shape, 4, dtype), mask(shape), -HUGE_VAL);
}

/// "weight[3, 4] bias[3]"
inline std::string words(const amp::NamedTensors& named) {
  std::string text;
  for (const auto& [name, tensor] : named)
    text += (text.empty() ? "" : " ") + name + amp::to_string(tensor.shape());
  return text;
}

inline std::vector<double> flat(const Tensors& tensors) {
  std::vector<double> all;
  for (const amp::Tensor& tensor : tensors) {
    REQUIRE(tensor.defined());
    for (const double v : tensor.to_vector<double>()) all.push_back(v);
  }
  return all;
}

inline void check_net(const goldens::Block& golden, const Net& net, amp::DType dtype,
                      double tolerance) {
  INFO(golden.title << " in " << amp::name(dtype));
  net.module.to(dtype);
  fill(net.module);
  Tensors inputs;
  for (std::string key = "input0"; golden.has(key); ++key.back())
    inputs.push_back(numbers(amp::Shape(golden[key].shape),
                             kInputSalt + static_cast<std::int64_t>(inputs.size()), dtype)
                         .requires_grad_());
  const Tensors results = net.call(inputs);
  amp::Tensor loss;
  for (std::size_t k = 0; k < results.size(); ++k) {
    const goldens::Array expected = golden["output" + std::to_string(k)];
    const amp::Tensor& y = results[k];
    INFO("result " << k);
    CHECK(y.shape() == amp::Shape(expected.shape));
    CHECK(y.dtype() == dtype);
    CHECK(difference(y.to_vector<double>(), expected.values) < tolerance);
    const amp::Tensor part =
        amp::sum(y * numbers(y.shape(), kIncomingSalt + static_cast<std::int64_t>(k), dtype));
    loss = loss.defined() ? loss + part : part;
  }
  CHECK_FALSE(golden.has("output" + std::to_string(results.size())));
  loss.backward();
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const std::string key = "input_gradient" + std::to_string(k);
    INFO(key);
    CHECK(golden.has(key) == inputs[k].grad().defined());
    if (golden.has(key))
      CHECK(difference(inputs[k].grad().to_vector<double>(), golden[key].values) < tolerance);
  }
  Tensors gradients, buffers;
  for (const amp::Tensor& p : net.module.parameters()) gradients.push_back(p.grad());
  for (const amp::Tensor& b : net.module.buffers()) {
    if (amp::is_floating_point(b.dtype())) buffers.push_back(b);
  }
  CHECK(difference(flat(gradients), golden["gradients"].values) < tolerance);
  CHECK(difference(flat(buffers), golden["buffers_after"].values) < tolerance);
}

/// Checks the nets, which are all goldens of the group.
inline void check_nets(std::string_view group, const std::map<std::string, Net>& nets,
                       double float32_tolerance = 2e-5) {
  static const std::vector<goldens::Block> blocks = goldens::read_blocks("nets.txt");
  const std::string prefix = std::string(group) + ": ";
  std::size_t count = 0;
  for (const goldens::Block& golden : blocks) {
    if (!golden.title.starts_with(prefix)) continue;
    ++count;
    INFO(golden.title);
    const auto found = nets.find(golden.title.substr(prefix.size()));
    REQUIRE(found != nets.end());
    const Net& net = found->second;
    if (golden.has("text")) CHECK(net.text == golden.text("text"));
    CHECK(words(net.module.named_parameters()) == golden.text("parameters"));
    CHECK(words(net.module.named_buffers()) == golden.text("buffers"));
    check_net(golden, net, amp::kFloat64, 1e-11);
    net.module.zero_grad();
    check_net(golden, net, amp::kFloat32, float32_tolerance);
  }
  CHECK(nets.size() == count);
}

}  // namespace amp_test
