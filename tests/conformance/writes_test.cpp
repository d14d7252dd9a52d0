// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What an op saved for backward and what was written since: backward of every golden case, after
// one of its operands, its indices or its results was overwritten, either gives the gradients that
// it gave before or says that a tensor was modified. It never computes with the new numbers.
#include <amp/amp.hpp>

#include <cstddef>
#include <string>
#include <vector>

#include "conformance/calls.hpp"
#include "conformance/large.hpp"
#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace conformance {
namespace {

using amp::Tensor;

/// A forward pass of a case, and all that can be written after it: its operands, its indices, its
/// results.
struct Forward {
  Inputs inputs;
  Tensors written;
  Outputs outputs{Tensor()};

  Forward(const Binding& binding, const OpCase& c, bool strided) {
    for (const goldens::Operand& operand : c.inputs) {
      Tensor leaf = amp::tensor(operand.values, amp::Shape(operand.shape));
      if (strided && leaf.dim() >= 2) leaf = leaf.transpose(0, -1).clone().transpose(0, -1);
      inputs.push_back(operand.differentiated ? leaf.requires_grad_() : leaf);
    }
    written = inputs;
    inputs.as_index = [this](const Tensor& index) {
      written.push_back(index);
      return index;
    };
    amp::manual_seed(16);
    outputs = binding.call(inputs, c);
    for (const Tensor& output : outputs) written.push_back(output.detach());
  }
  Tensors gradients() const {
    const Tensor& y = outputs[0];
    y.backward(amp::tensor(large_incoming(y), y.shape(), {.dtype = y.dtype()}));
    Tensors gradients;
    for (const Tensor& x : inputs) gradients.push_back(x.grad());
    return gradients;
  }
};

/// Writes other numbers. An expanded result cannot be written.
void overwrite(const Tensor& tensor) {
  const amp::NoGradGuard no_grad;
  const std::string error = amp_test::error_of([&] {
    amp::is_floating_point(tensor.dtype()) ? tensor.copy_(tensor * 0.5 + 0.375) : tensor.fill_(0);
    return 0;
  });
  CHECK((error.empty() || error.find("share memory, as expand makes them") != std::string::npos));
}

/// Whether both are the same numbers, or NaN.
bool same(const Tensor& a, const Tensor& b) {
  if (!a.defined() || !b.defined()) return a.defined() == b.defined();
  return amp::allclose(a, b, 0, 0, true);
}

void check(const Binding& binding, const OpCase& c, bool strided) {
  Tensors expected;
  std::size_t count = 0;
  {
    const Forward pass(binding, c, strided);
    if (!pass.outputs[0].requires_grad()) return;
    count = pass.written.size();
    expected = pass.gradients();
  }
  for (std::size_t i = 0; i < count; ++i) {
    const Forward pass(binding, c, strided);
    overwrite(pass.written[i]);
    Tensors gradients;
    const std::string error = amp_test::error_of([&] {
      gradients = pass.gradients();
      return 0;
    });
    INFO(c.op << ", " << c.detail << ": tensor " << i << " of " << count << " was written; "
              << error);
    CHECK((error.empty() || error.find("was modified in place") != std::string::npos));
    for (std::size_t j = 0; j < gradients.size(); ++j) {
      INFO("gradient " << j);
      CHECK(same(gradients[j], expected[j]));
    }
  }
}

}  // namespace

TEST_CASE("writes: what is overwritten after the forward pass is not differentiated with",
          "[conformance]") {
  for (const Binding& binding : kBindings) {
    for (const OpCase& c : goldens::op_cases()) {
      if (c.op != binding.op) continue;
      for (const bool strided : {false, true}) check(binding, c, strided);
    }
  }
}

}  // namespace conformance
