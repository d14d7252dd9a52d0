// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The gradient of every differentiable op against finite differences.
#include "support/gradcheck.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "conformance/calls.hpp"
#include "support/catch.hpp"

namespace gradcheck {

using amp::Tensor;
using amp_test::gradcheck;
using amp_test::leaf;
using amp_test::strided_leaf;
using amp_test::Tensors;
using Catch::Matchers::ContainsSubstring;
using conformance::OpCase;

namespace {

using Binary = Tensor (*)(const Tensor&, const Tensor&);
using Unary = Tensor (*)(const Tensor&);

std::string check(Binary op, const Tensor& a, const Tensor& b) {
  return gradcheck([op](const Tensors& x) { return op(x[0], x[1]); }, {a, b});
}
/// Over a dense leaf, a strided leaf, a view of a leaf, a number, and nothing.
template <class Op>
std::string check_unary(const Op& op, const std::function<Tensor(const Tensor&)>& domain) {
  const auto on = [&](const Tensor& input) {
    return gradcheck([&](const Tensors& x) { return op(domain(x[0])); }, {input});
  };
  return on(leaf({2, 3})) + on(strided_leaf({2, 3})) + on(leaf({})) + on(leaf({0, 2})) +
         gradcheck([&](const Tensors& x) { return op(domain(x[0].narrow(1, 1, 2).t())); },
                   {leaf({2, 4})});
}
Tensor anything(const Tensor& x) { return x; }
/// Positive and away from 0.
Tensor positive(const Tensor& x) { return amp::add(amp::mul(x, x), 0.5); }

}  // namespace

// --- the check itself ---------------------------------------------------------------------------

TEST_CASE("gradcheck: reports a wrong gradient", "[autograd]") {
  const auto wrong_square = [](const Tensors& x) {
    const Tensor output = amp::mul(x[0].detach(), x[0].detach());
    if (amp::autograd::recording(x[0])) {
      amp::autograd::record(
          "wrong", output,
          [saved = x[0].detach()](const Tensor& grad, const amp::autograd::Needs<1>&)
              -> amp::autograd::Gradients<1> { return {amp::mul(grad, saved)}; },
          x[0]);
    }
    return output;
  };
  CHECK_THAT(gradcheck(wrong_square, {leaf({2})}), ContainsSubstring("element 1"));
}

TEST_CASE("gradcheck: reports a missing gradient", "[autograd]") {
  CHECK_THAT(
      gradcheck([](const Tensors& x) { return x[0] * x[1].detach(); }, {leaf({2}), leaf({2}, 1)}),
      ContainsSubstring("input 1 has no gradient"));
  CHECK_THAT(gradcheck([](const Tensors& x) { return x[0].detach(); }, {leaf({2})}),
             ContainsSubstring("requires no gradient"));
}

// --- every op -----------------------------------------------------------------------------------

namespace {

/// Inputs of a case: float64, moved off kinks and ties; leaves where they are differentiated.
conformance::Inputs leaves_of(const OpCase& c, bool strided) {
  conformance::Inputs inputs;
  for (const goldens::Operand& operand : c.inputs) {
    Tensor x = amp::tensor(operand.values, operand.shape, {.dtype = amp::kFloat64});
    if (operand.differentiated) {
      x = x + amp_test::detail::irregular(x.shape(), static_cast<double>(inputs.size())) * 0.02;
      if (strided && x.dim() > 1) x = x.transpose(0, -1).contiguous().transpose(0, -1);
      x = x.detach().requires_grad_();
    }
    inputs.push_back(x);
  }
  return inputs;
}

/// Whether the case has derivatives at its inputs and near them. At 0, powers end there.
bool is_smooth(const OpCase& c) {
  const auto finite = [](const std::vector<double>& values) {
    return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
  };
  return c.outputs[0].kind == goldens::kReal && finite(c.outputs[0].values) && c.detail != "at 0" &&
         std::all_of(c.inputs.begin(), c.inputs.end(), [&](const goldens::Operand& operand) {
           return finite(operand.values) && finite(operand.grad);
         });
}

}  // namespace

TEST_CASE("gradcheck: every op on its golden cases, dense and strided", "[autograd]") {
  for (const OpCase& c : goldens::op_cases()) {
    if (!is_smooth(c)) continue;
    for (const bool strided : {false, true}) {
      INFO(c.op << ": " << c.detail << (strided ? ", strided" : ""));
      const conformance::Inputs inputs = leaves_of(c, strided);
      Tensors leaves;
      for (const Tensor& x : inputs) {
        if (x.requires_grad()) leaves.push_back(x);
      }
      const auto call = [&](const Tensors&) {
        return conformance::binding_of(c.op)->call(inputs, c)[0];
      };
      CHECK(gradcheck(call, leaves) == "");
    }
  }
}

// --- elementwise --------------------------------------------------------------------------------

TEST_CASE("gradcheck: arithmetic, broadcast and strided", "[autograd]") {
  struct Shapes {
    amp::Shape a, b;
  };
  const Shapes shapes[] = {{{2, 3}, {2, 3}},
                           {{2, 3}, {3}},
                           {{3}, {2, 3}},
                           {{2, 1}, {1, 3}},
                           {{2, 3, 2}, {}},
                           {{}, {2, 3}},
                           {{}, {}},
                           {{2, 1, 2}, {3, 1}},
                           {{1}, {1, 1, 1}},
                           {{2, 0}, {1}},
                           {{0, 3}, {3}},
                           {{4, 1, 3}, {4, 5, 1}},
                           {{2, 1, 1, 2}, {1, 3, 2, 1}}};
  for (const Binary op : {static_cast<Binary>(amp::add), static_cast<Binary>(amp::sub),
                          static_cast<Binary>(amp::mul), static_cast<Binary>(amp::div)}) {
    for (const auto& [a, b] : shapes) {
      CAPTURE(to_string(a), to_string(b));
      CHECK(check(op, leaf(a), leaf(b, 1)) == "");
      CHECK(check(op, strided_leaf(a), strided_leaf(b, 1)) == "");
    }
  }
}

TEST_CASE("gradcheck: arithmetic where both sides are the same tensor", "[autograd]") {
  const auto on = [](auto f) {
    return gradcheck([f](const Tensors& x) { return f(x[0], x[0]); }, {leaf({2, 2})});
  };
  CHECK(on([](const Tensor& a, const Tensor& b) { return a + b; }) == "");
  CHECK(on([](const Tensor& a, const Tensor& b) { return a - b; }) == "");
  CHECK(on([](const Tensor& a, const Tensor& b) { return a * b; }) == "");
  CHECK(on([](const Tensor& a, const Tensor& b) { return a / b; }) == "");
  CHECK(on([](const Tensor& a, const Tensor& b) { return a * b.t(); }) == "");
  CHECK(on([](const Tensor& a, const Tensor& b) { return amp::matmul(a, b); }) == "");
}

TEST_CASE("gradcheck: arithmetic with only one side differentiable", "[autograd]") {
  const Tensor fixed = leaf({3}, 2).detach();
  const auto on = [&](auto f) { return gradcheck(f, {leaf({2, 3})}); };
  CHECK(on([&](const Tensors& x) { return x[0] * fixed; }) == "");
  CHECK(on([&](const Tensors& x) { return fixed * x[0]; }) == "");
  CHECK(on([&](const Tensors& x) { return fixed / x[0]; }) == "");
  CHECK(on([&](const Tensors& x) { return fixed - x[0]; }) == "");
  CHECK(on([&](const Tensors& x) { return x[0] * amp::arange(3); }) == "");
}

TEST_CASE("gradcheck: a number on either side", "[autograd]") {
  CHECK(check_unary([](const Tensor& x) { return x + 2; }, anything) == "");
  CHECK(check_unary([](const Tensor& x) { return 2.5 + x; }, anything) == "");
  CHECK(check_unary([](const Tensor& x) { return x - 2.5; }, anything) == "");
  CHECK(check_unary([](const Tensor& x) { return 2.5 - x; }, anything) == "");
  CHECK(check_unary([](const Tensor& x) { return x * 2.5; }, anything) == "");
  CHECK(check_unary([](const Tensor& x) { return -3 * x; }, anything) == "");
  CHECK(check_unary([](const Tensor& x) { return x / 2.5; }, anything) == "");
  CHECK(check_unary([](const Tensor& x) { return 2.5 / x; }, anything) == "");
}

TEST_CASE("gradcheck: functions of one tensor", "[autograd]") {
  CHECK(check_unary([](const Tensor& x) { return -x; }, anything) == "");
  CHECK(check_unary(static_cast<Unary>(amp::relu), anything) == "");
  CHECK(check_unary(static_cast<Unary>(amp::abs), anything) == "");
  CHECK(check_unary(static_cast<Unary>(amp::exp), anything) == "");
  CHECK(check_unary(static_cast<Unary>(amp::log), positive) == "");
  CHECK(check_unary(static_cast<Unary>(amp::log1p), positive) == "");
  CHECK(check_unary(static_cast<Unary>(amp::sqrt), positive) == "");
  CHECK(check_unary(static_cast<Unary>(amp::tanh), anything) == "");
  CHECK(check_unary(static_cast<Unary>(amp::sigmoid), anything) == "");
  CHECK(check_unary(static_cast<Unary>(amp::rsqrt), positive) == "");
  CHECK(check_unary(static_cast<Unary>(amp::silu), anything) == "");
  for (const amp::GeluForm form : {amp::GeluForm::kErf, amp::GeluForm::kTanh}) {
    CHECK(check_unary([form](const Tensor& x) { return amp::gelu(x, form); }, anything) == "");
    CHECK(check_unary([form](const Tensor& x) { return amp::gelu(x * 4, form); }, anything) == "");
  }
}

TEST_CASE("gradcheck: powers", "[autograd]") {
  for (const double exponent : {0.0, 1.0, 2.0, 3.0, -1.0, 0.5, -2.5}) {
    CAPTURE(exponent);
    CHECK(check_unary([&](const Tensor& x) { return amp::pow(x, exponent); }, positive) == "");
  }
  CHECK(check_unary([](const Tensor& x) { return amp::pow(x, 3); }, anything) == "");
  CHECK(check_unary([](const Tensor& x) { return amp::pow(x, -2); }, anything) == "");
  CHECK(check_unary([](const Tensor& x) { return amp::pow(1.5, x); }, anything) == "");
  CHECK(check_unary([](const Tensor& x) { return amp::pow(3, x); }, anything) == "");
}

TEST_CASE("gradcheck: powers of a tensor to a tensor, broadcast and strided", "[autograd]") {
  struct Shapes {
    amp::Shape base, exponent;
  };
  const Shapes shapes[] = {{{2, 3}, {2, 3}}, {{2, 1}, {3}},    {{}, {2, 2}},
                           {{3}, {}},        {{2, 0}, {1, 1}}, {{2, 1, 2}, {3, 1}}};
  const auto power = [](const Tensors& x) { return amp::pow(positive(x[0]), x[1]); };
  for (const auto& [base, exponent] : shapes) {
    CAPTURE(to_string(base), to_string(exponent));
    CHECK(gradcheck(power, {leaf(base), leaf(exponent, 1)}) == "");
    CHECK(gradcheck(power, {strided_leaf(base), strided_leaf(exponent, 1)}) == "");
  }
  CHECK(gradcheck([](const Tensors& x) { return amp::pow(positive(x[0]), x[0]); }, {leaf({3})}) ==
        "");
  const Tensor whole = amp::tensor({2.0, 3.0, 0.0}, {3});
  CHECK(gradcheck([&](const Tensors& x) { return amp::pow(x[0], whole); }, {leaf({2, 3})}) == "");
}

TEST_CASE("gradcheck: kinks and powers at zero take torch's side", "[autograd]") {
  const auto at_zero = [](auto f) {
    const Tensor x = amp::zeros({1}, {.requires_grad = true});
    f(x).backward();
    return x.grad().template item<float>();
  };
  CHECK(at_zero([](const Tensor& x) { return amp::relu(x); }) == 0);
  CHECK(at_zero([](const Tensor& x) { return amp::abs(x); }) == 0);
  CHECK(at_zero([](const Tensor& x) { return amp::pow(x, 0); }) == 0);
  CHECK(at_zero([](const Tensor& x) { return amp::pow(x, 1); }) == 1);
  CHECK(at_zero([](const Tensor& x) { return amp::pow(x, 2); }) == 0);
}

// --- views --------------------------------------------------------------------------------------

TEST_CASE("gradcheck: views", "[autograd]") {
  const auto on = [](auto f) {
    const auto squared = [f](const Tensors& x) {
      const Tensor y = f(x[0]);
      return y * y;
    };
    return gradcheck(squared, {leaf({2, 3, 2})}) + gradcheck(squared, {strided_leaf({2, 3, 2})});
  };
  CHECK(on([](const Tensor& x) { return x.narrow(1, 1, 2); }) == "");
  CHECK(on([](const Tensor& x) { return x.narrow(1, 1, 0); }) == "");
  CHECK(on([](const Tensor& x) { return x.select(1, -1); }) == "");
  CHECK(on([](const Tensor& x) { return x.transpose(0, 2); }) == "");
  CHECK(on([](const Tensor& x) { return x.permute({1, 2, 0}); }) == "");
  CHECK(on([](const Tensor& x) { return x.select(0, 1).t(); }) == "");
  CHECK(on([](const Tensor& x) { return x.reshape({3, 4}); }) == "");
  CHECK(on([](const Tensor& x) { return x.transpose(0, 1).reshape({-1}); }) == "");
  CHECK(on([](const Tensor& x) { return x.contiguous().view({4, -1}); }) == "");
  CHECK(on([](const Tensor& x) { return x.flatten(1); }) == "");
  CHECK(on([](const Tensor& x) { return x.permute({2, 1, 0}).flatten(0, 1); }) == "");
  CHECK(on([](const Tensor& x) { return x.unsqueeze(1); }) == "");
  CHECK(on([](const Tensor& x) { return x.narrow(0, 1, 1).squeeze(0); }) == "");
  CHECK(on([](const Tensor& x) { return x.narrow(2, 0, 1).squeeze(); }) == "");
  CHECK(on([](const Tensor& x) { return x.expand({2, 2, 3, 2}); }) == "");
  CHECK(on([](const Tensor& x) { return x.narrow(1, 0, 1).expand({3, 2, 4, 2}); }) == "");
  CHECK(on([](const Tensor& x) { return x.permute({2, 0, 1}).contiguous(); }) == "");
  CHECK(on([](const Tensor& x) { return x.transpose(1, 2).clone(); }) == "");
  CHECK(on([](const Tensor& x) { return x.select(2, 0).t().narrow(0, 1, 2); }) == "");
}

TEST_CASE("gradcheck: overlapping views of one tensor", "[autograd]") {
  CHECK(gradcheck(
            [](const Tensors& x) {
              return x[0].narrow(0, 0, 3) * x[0].narrow(0, 1, 3) + x[0].select(0, 1);
            },
            {leaf({4})}) == "");
}

TEST_CASE("gradcheck: a conversion rounds the gradient to the leaf's dtype", "[autograd]") {
  CHECK(gradcheck([](const Tensors& x) { return x[0].to(amp::kFloat32).to(amp::kFloat64) * x[0]; },
                  {leaf({5})}, {.step = 1e-2, .tolerance = 1e-4}) == "");
}

// --- reductions ---------------------------------------------------------------------------------

TEST_CASE("gradcheck: sum and mean", "[autograd]") {
  CHECK(check_unary([](const Tensor& x) { return amp::sum(x * x); }, anything) == "");
  for (const Tensor& x : {leaf({2, 3, 2}), strided_leaf({2, 3, 2}), leaf({1, 1, 1})}) {
    CHECK(gradcheck([](const Tensors& t) { return amp::mean(t[0] * t[0]); }, {x}) == "");
    for (const int dim : {0, 1, -1}) {
      for (const bool keepdim : {false, true}) {
        CAPTURE(dim, keepdim);
        CHECK(gradcheck([&](const Tensors& t) { return amp::sum(t[0] * t[0], dim, keepdim); },
                        {x}) == "");
        CHECK(gradcheck([&](const Tensors& t) { return amp::mean(t[0] * t[0], dim, keepdim); },
                        {x}) == "");
      }
    }
  }
  CHECK(gradcheck([](const Tensors& x) { return amp::sum(x[0], 0); }, {leaf({})}) == "");
}

TEST_CASE("gradcheck: var", "[autograd]") {
  for (const Tensor& x : {leaf({2, 3, 2}), strided_leaf({2, 3, 2})}) {
    for (const int dim : {0, 1, -1}) {
      for (const double correction : {0.0, 1.0}) {
        CAPTURE(dim, correction);
        const bool keepdim = dim == 1;
        CHECK(gradcheck([&](const Tensors& t) { return amp::var(t[0], dim, correction, keepdim); },
                        {x}) == "");
      }
    }
  }
}

TEST_CASE("gradcheck: maxima and minima of a tensor", "[autograd]") {
  for (const Tensor& x : {leaf({2, 3, 2}), strided_leaf({2, 3, 2}), leaf({1, 1, 1})}) {
    CHECK(gradcheck([](const Tensors& t) { return amp::max(t[0] * t[0]); }, {x}) == "");
    CHECK(gradcheck([](const Tensors& t) { return amp::min(t[0] * t[0]); }, {x}) == "");
    for (const int dim : {0, 1, -1}) {
      for (const bool keepdim : {false, true}) {
        CAPTURE(dim, keepdim);
        const auto largest = [&](const Tensors& t) {
          return std::get<0>(amp::max(t[0], dim, keepdim));
        };
        const auto smallest = [&](const Tensors& t) {
          return std::get<0>(amp::min(t[0], dim, keepdim));
        };
        CHECK(gradcheck(largest, {x}) == "");
        CHECK(gradcheck(smallest, {x}) == "");
      }
    }
  }
  CHECK(gradcheck([](const Tensors& t) { return amp::max(t[0]); }, {leaf({})}) == "");
  CHECK(gradcheck([](const Tensors& t) { return std::get<0>(amp::min(t[0], 0)); }, {leaf({})}) ==
        "");
}

TEST_CASE("gradcheck: maxima and minima of two tensors, broadcast and strided", "[autograd]") {
  struct Shapes {
    amp::Shape a, b;
  };
  const Shapes shapes[] = {{{2, 3}, {2, 3}}, {{2, 1}, {3}}, {{}, {2, 2}}, {{2, 0}, {1}}};
  for (const Binary op : {static_cast<Binary>(amp::max), static_cast<Binary>(amp::min)}) {
    for (const auto& [a, b] : shapes) {
      CAPTURE(to_string(a), to_string(b));
      CHECK(check(op, leaf(a), leaf(b, 1)) == "");
      CHECK(check(op, strided_leaf(a), strided_leaf(b, 1)) == "");
    }
  }
}

TEST_CASE("gradcheck: ties share the gradient as in torch", "[autograd]") {
  using Values = std::vector<double>;
  const auto gradients = [](auto op, const Values& values) {
    const Tensor x = amp::tensor(values, {values.size()}, {.requires_grad = true});
    op(x).backward();
    return x.grad().template to_vector<double>();
  };
  CHECK(gradients([](const Tensor& x) { return amp::max(x); }, {2, 1, 2, 2, 2}) ==
        Values{0.25, 0, 0.25, 0.25, 0.25});
  CHECK(gradients([](const Tensor& x) { return amp::min(x); }, {2, 1, 1}) == Values{0, 0.5, 0.5});
  CHECK(gradients([](const Tensor& x) { return std::get<0>(amp::max(x, 0)); }, {1, 2, 2}) ==
        Values{0, 1, 0});
  CHECK(gradients([](const Tensor& x) { return std::get<0>(amp::min(x, 0)); }, {1, 2, 1}) ==
        Values{1, 0, 0});
  CHECK(gradients([](const Tensor& x) { return amp::sum(amp::max(x, amp::ones({3}))); },
                  {0, 1, 2}) == Values{0, 0.5, 1});
  CHECK(gradients([](const Tensor& x) { return amp::sum(amp::min(x, amp::ones({3}))); },
                  {0, 1, 2}) == Values{1, 0.5, 0});
}

TEST_CASE("gradcheck: softmax and log_softmax", "[autograd]") {
  for (const Tensor& x : {leaf({2, 3, 4}), strided_leaf({2, 3, 4}), leaf({1, 1, 1})}) {
    for (const int dim : {0, 1, -1}) {
      CAPTURE(dim);
      CHECK(gradcheck([&](const Tensors& t) { return amp::softmax(t[0], dim); }, {x}) == "");
      CHECK(gradcheck([&](const Tensors& t) { return amp::log_softmax(t[0], dim); }, {x}) == "");
    }
  }
  CHECK(gradcheck([](const Tensors& t) { return amp::softmax(t[0], 0); }, {leaf({})}) == "");
  CHECK(gradcheck([](const Tensors& t) { return amp::softmax(t[0].t(), 1); }, {leaf({3, 2})}) ==
        "");
}

// --- matrix products ----------------------------------------------------------------------------

TEST_CASE("gradcheck: matmul of every combination of ranks", "[autograd]") {
  struct Shapes {
    amp::Shape a, b;
  };
  const Shapes shapes[] = {
      {{3}, {3}},
      {{3}, {3, 2}},
      {{2, 3}, {3}},
      {{2, 3}, {3, 4}},
      {{1, 1}, {1, 1}},
      {{3}, {2, 3, 2}},
      {{2, 2, 3}, {3}},
      {{2, 2, 3}, {3, 2}},
      {{2, 3}, {2, 3, 2}},
      {{2, 2, 3}, {2, 3, 2}},
      {{1, 2, 3}, {2, 3, 2}},
      {{2, 2, 3}, {1, 3, 2}},
      {{2, 1, 2, 3}, {3, 3, 2}},
      {{3, 2, 3}, {2, 1, 3, 2}},
      {{2, 1, 2, 3}, {1, 2, 3, 1}},
      {{1, 1, 2, 3}, {2, 2, 3, 2}},
      {{2, 2, 2, 3}, {3}},
      {{2, 0}, {0, 3}},
      {{0, 3}, {3, 2}},
      {{0, 2, 3}, {3, 2}},
  };
  for (const auto& [a, b] : shapes) {
    CAPTURE(to_string(a), to_string(b));
    CHECK(check(amp::matmul, leaf(a), leaf(b, 1)) == "");
    CHECK(check(amp::matmul, strided_leaf(a), strided_leaf(b, 1)) == "");
  }
}

TEST_CASE("gradcheck: matmul of transposed views", "[autograd]") {
  CHECK(gradcheck([](const Tensors& x) { return amp::matmul(x[0].t(), x[1]); },
                  {leaf({3, 2}), leaf({3, 4}, 1)}) == "");
  CHECK(gradcheck([](const Tensors& x) { return amp::matmul(x[0], x[1].transpose(1, 2)); },
                  {leaf({2, 3}), leaf({2, 4, 3}, 1)}) == "");
  CHECK(gradcheck(
            [](const Tensors& x) {
              return amp::matmul(x[0].expand({4, 3}), x[1]);
            },
            {leaf({1, 3}), leaf({3, 2}, 1)}) == "");
}

TEST_CASE("gradcheck: bmm", "[autograd]") {
  CHECK(check(amp::bmm, leaf({2, 3, 2}), leaf({2, 2, 4}, 1)) == "");
  CHECK(check(amp::bmm, strided_leaf({2, 3, 2}), strided_leaf({2, 2, 4}, 1)) == "");
  CHECK(check(amp::bmm, leaf({1, 1, 1}), leaf({1, 1, 1}, 1)) == "");
}

TEST_CASE("gradcheck: feed_forward with relu and gelu, with biases and without", "[autograd]") {
  for (const amp::Activation activation : {amp::Activation::kRelu, amp::Activation::kGelu}) {
    const auto with_biases = [activation](const Tensors& x) {
      return amp::feed_forward(x[0], x[1], x[2], x[3], x[4], activation);
    };
    const auto without = [activation](const Tensors& x) {
      return amp::feed_forward(x[0], x[1], Tensor(), x[2], Tensor(), activation);
    };
    for (const amp::Shape& shape : {amp::Shape{3}, {2, 3}, amp::Shape{2, 2, 3}}) {
      CHECK(gradcheck(with_biases,
                      {leaf(shape), leaf({5, 3}), leaf({5}), leaf({2, 5}), leaf({2})}) == "");
      CHECK(gradcheck(without, {leaf(shape), leaf({5, 3}), leaf({2, 5})}) == "");
      CHECK(gradcheck(without, {leaf(shape), strided_leaf({5, 3}), strided_leaf({2, 5})}) == "");
    }
  }
}

TEST_CASE("gradcheck: linear on inputs of 1 to 4 dimensions, with bias and without", "[autograd]") {
  const auto with_bias = [](const Tensors& x) { return amp::linear(x[0], x[1], x[2]); };
  const auto without = [](const Tensors& x) { return amp::linear(x[0], x[1]); };
  for (const amp::Shape& shape :
       std::vector<amp::Shape>{{3}, {2, 3}, {2, 2, 3}, {1, 2, 2, 3}, {0, 3}, {1, 3}}) {
    CAPTURE(to_string(shape));
    CHECK(gradcheck(with_bias, {leaf(shape), leaf({4, 3}, 1), leaf({4}, 2)}) == "");
    CHECK(gradcheck(without, {strided_leaf(shape), strided_leaf({4, 3}, 1)}) == "");
  }
}

// --- convolution and pooling --------------------------------------------------------------------

TEST_CASE("gradcheck: conv2d", "[autograd]") {
  struct Case {
    amp::Shape input, weight;
    amp::Conv2dOptions options;
  };
  const Case cases[] = {
      {{2, 2, 4, 3}, {3, 2, 2, 2}, {}},
      {{1, 1, 3, 3}, {1, 1, 3, 3}, {}},
      {{1, 1, 1, 1}, {1, 1, 1, 1}, {}},
      {{2, 2, 4, 3}, {3, 2, 3, 3}, {.padding = 1}},
      {{1, 2, 5, 4}, {2, 2, 3, 2}, {.stride = 2, .padding = {1, 0}}},
      {{1, 2, 5, 6}, {2, 2, 2, 3}, {.stride = {1, 3}, .padding = {0, 2}}},
      {{1, 2, 5, 6}, {2, 2, 2, 2}, {.dilation = 2}},
      {{1, 2, 6, 5}, {2, 2, 3, 2}, {.stride = 2, .padding = 2, .dilation = {2, 3}}},
      {{2, 4, 3, 3}, {6, 2, 2, 2}, {.groups = 2}},
      {{2, 3, 3, 3}, {3, 1, 2, 2}, {.padding = 1, .groups = 3}},
      {{1, 4, 5, 5}, {4, 2, 3, 3}, {.stride = 2, .padding = 1, .dilation = 1, .groups = 2}},
      {{1, 1, 2, 2}, {1, 1, 2, 2}, {.stride = 5, .padding = 4}},
      {{2, 3, 4}, {2, 2, 2, 2}, {}},  // one image without a batch
      {{2, 2, 4, 3}, {3, 2, 3, 3}, {.padding = 1, .relu = true}},
      {{1, 4, 5, 5}, {4, 2, 3, 3}, {.stride = 2, .padding = 1, .groups = 2, .relu = true}},
  };
  for (const auto& [input, weight, options] : cases) {
    CAPTURE(to_string(input), to_string(weight));
    const auto with_bias = [&options = options](const Tensors& x) {
      return amp::conv2d(x[0], x[1], x[2], options);
    };
    const auto without = [&options = options](const Tensors& x) {
      return amp::conv2d(x[0], x[1], {}, options);
    };
    const amp::Shape bias = {weight[0]};
    CHECK(gradcheck(with_bias, {leaf(input), leaf(weight, 1), leaf(bias, 2)}) == "");
    CHECK(gradcheck(without, {strided_leaf(input), strided_leaf(weight, 1)}) == "");
  }
}

TEST_CASE("gradcheck: conv2d with only some of its inputs differentiable", "[autograd]") {
  const Tensor x = leaf({1, 2, 3, 3}), w = leaf({2, 2, 2, 2}, 1), b = leaf({2}, 2);
  const auto fixed = [](const Tensor& t) { return t.detach(); };
  CHECK(gradcheck([&](const Tensors& t) { return amp::conv2d(t[0], fixed(w), fixed(b)); }, {x}) ==
        "");
  CHECK(gradcheck([&](const Tensors& t) { return amp::conv2d(fixed(x), t[0], fixed(b)); }, {w}) ==
        "");
  CHECK(gradcheck([&](const Tensors& t) { return amp::conv2d(fixed(x), fixed(w), t[0]); }, {b}) ==
        "");
}

TEST_CASE("gradcheck: max_pool2d", "[autograd]") {
  struct Case {
    amp::Shape input;
    amp::Size2d kernel, stride, padding;
  };
  const Case cases[] = {
      {{2, 2, 4, 4}, 2, 2, 0}, {{1, 2, 5, 4}, 3, 1, 1}, {{1, 1, 5, 5}, {2, 3}, {1, 2}, 1},
      {{1, 1, 3, 3}, 3, 3, 0}, {{1, 1, 1, 1}, 1, 1, 0}, {{1, 1, 5, 5}, 2, 3, {1, 0}},
      {{2, 4, 4}, 2, 1, 0},  // one image without a batch
  };
  for (const auto& [input, kernel, stride, padding] : cases) {
    CAPTURE(to_string(input));
    const auto pool = [k = kernel, s = stride, p = padding](const Tensors& x) {
      return amp::max_pool2d(x[0], k, s, p);
    };
    CHECK(gradcheck(pool, {leaf(input)}) == "");
    CHECK(gradcheck(pool, {strided_leaf(input)}) == "");
  }
}

TEST_CASE("gradcheck: avg_pool2d", "[autograd]") {
  struct Case {
    amp::Shape input;
    amp::Size2d kernel, stride, padding;
  };
  const Case cases[] = {
      {{2, 2, 4, 4}, 2, 2, 0}, {{1, 2, 5, 4}, 3, 1, 1}, {{1, 1, 5, 5}, {2, 3}, {1, 2}, 1},
      {{1, 1, 3, 3}, 3, 3, 0}, {{1, 1, 1, 1}, 1, 1, 0}, {{1, 1, 5, 5}, 2, 3, {1, 0}},
      {{2, 4, 4}, 2, 1, 0},  // one image without a batch
  };
  for (const auto& [input, kernel, stride, padding] : cases) {
    CAPTURE(to_string(input));
    const auto pool = [k = kernel, s = stride, p = padding](const Tensors& x) {
      return amp::avg_pool2d(x[0], k, s, p);
    };
    CHECK(gradcheck(pool, {leaf(input)}) == "");
    CHECK(gradcheck(pool, {strided_leaf(input)}) == "");
  }
}

// --- norms --------------------------------------------------------------------------------------

namespace {

/// Over dense and strided inputs of `shape` with weight and bias, with weight, without either, and
/// with the affine parameters alone differentiable.
std::string check_norm(
    const std::function<Tensor(const Tensor&, const Tensor&, const Tensor&)>& norm,
    const amp::Shape& shape, const amp::Shape& affine) {
  const auto all = [&](const Tensors& x) { return norm(x[0], x[1], x[2]); };
  const Tensor fixed = leaf(shape).detach();
  return gradcheck(all, {leaf(shape), leaf(affine, 1), leaf(affine, 2)}) +
         gradcheck(all, {strided_leaf(shape), strided_leaf(affine, 1), strided_leaf(affine, 2)}) +
         gradcheck([&](const Tensors& x) { return norm(x[0], x[1], {}); },
                   {strided_leaf(shape), leaf(affine, 1)}) +
         gradcheck([&](const Tensors& x) { return norm(x[0], {}, {}); }, {leaf(shape)}) +
         gradcheck([&](const Tensors& x) { return norm(fixed, x[0], x[1]); },
                   {leaf(affine, 1), leaf(affine, 2)}) +
         gradcheck([&](const Tensors& x) { return norm(fixed, {}, x[0]); }, {leaf(affine, 2)});
}

}  // namespace

TEST_CASE("gradcheck: layer_norm", "[autograd]") {
  for (const double eps : {1e-5, 0.5}) {
    CAPTURE(eps);
    const auto over = [eps](const amp::Shape& shape) {
      return [=](const Tensor& x, const Tensor& w, const Tensor& b) {
        return amp::layer_norm(x, shape, w, b, eps);
      };
    };
    CHECK(check_norm(over({4}), {3, 4}, {4}) == "");
    CHECK(check_norm(over({4}), {2, 2, 4}, {4}) == "");
    CHECK(check_norm(over({3, 2}), {2, 3, 2}, {3, 2}) == "");
    CHECK(check_norm(over({5}), {5}, {5}) == "");
    CHECK(check_norm(over({4}), {0, 4}, {4}) == "");
  }
}

TEST_CASE("gradcheck: rms_norm", "[autograd]") {
  const auto check_rms = [](const amp::Shape& shape, const amp::Shape& over,
                            std::optional<double> eps) {
    const auto norm = [=](const Tensors& x) { return amp::rms_norm(x[0], over, x[1], eps); };
    const Tensor fixed = leaf(shape).detach();
    return gradcheck(norm, {leaf(shape), leaf(over, 1)}) +
           gradcheck(norm, {strided_leaf(shape), strided_leaf(over, 1)}) +
           gradcheck([&](const Tensors& x) { return amp::rms_norm(x[0], over, {}, eps); },
                     {leaf(shape)}) +
           gradcheck([&](const Tensors& x) { return amp::rms_norm(fixed, over, x[0], eps); },
                     {leaf(over, 1)});
  };
  for (const std::optional<double> eps : {std::optional<double>(), std::optional<double>(0.5)}) {
    CHECK(check_rms({3, 4}, {4}, eps) == "");
    CHECK(check_rms({2, 3, 2}, {3, 2}, eps) == "");
    CHECK(check_rms({0, 4}, {4}, eps) == "");
  }
}

TEST_CASE("gradcheck: group_norm", "[autograd]") {
  const auto in = [](std::int64_t groups) {
    return [=](const Tensor& x, const Tensor& w, const Tensor& b) {
      return amp::group_norm(x, groups, w, b);
    };
  };
  CHECK(check_norm(in(2), {2, 4, 3}, {4}) == "");
  CHECK(check_norm(in(1), {2, 2, 2, 2}, {2}) == "");
  CHECK(check_norm(in(3), {1, 3, 4}, {3}) == "");
  CHECK(check_norm(in(2), {2, 8}, {8}) == "");
  CHECK(check_norm(in(2), {0, 4, 3}, {4}) == "");
}

TEST_CASE("gradcheck: batch_norm in training and in evaluation", "[autograd]") {
  for (const bool training : {true, false}) {
    CAPTURE(training);
    // The running statistics move in training: each call gets its own.
    const auto norm = [training](const Tensor& x, const Tensor& w, const Tensor& b) {
      const Tensor mean = leaf({x.size(1)}, 3).detach();
      const Tensor var = positive(leaf({x.size(1)}, 4)).detach();
      return amp::batch_norm(x, mean, var, w, b, training, 0.3, 1e-3);
    };
    CHECK(check_norm(norm, {4, 3}, {3}) == "");
    CHECK(check_norm(norm, {2, 3, 2, 2}, {3}) == "");
    CHECK(check_norm(norm, {2, 1, 3}, {1}) == "");
    CHECK(check_norm(norm, {0, 3, 2}, {3}) == "");
  }
  const auto without_statistics = [](const Tensors& x) {
    return amp::batch_norm(x[0], {}, {}, {}, {}, true);
  };
  CHECK(gradcheck(without_statistics, {leaf({3, 2, 2})}) == "");
}

// --- attention and dropout ----------------------------------------------------------------------

TEST_CASE("gradcheck: scaled_dot_product_attention", "[autograd]") {
  const Tensor seen =
      amp::tensor({true, false, true, false, false, false, true, true, true}, {3, 3});
  struct Case {
    amp::Shape q, k, v;
  };
  const Case cases[] = {{{3, 2}, {3, 2}, {3, 4}},
                        {{2, 3, 2}, {2, 3, 2}, {2, 3, 2}},
                        {{2, 2, 3, 2}, {2, 2, 3, 2}, {2, 2, 3, 1}},
                        {{2, 1, 3, 2}, {1, 2, 3, 2}, {2, 2, 3, 1}}};
  for (const auto& [q, k, v] : cases) {
    CAPTURE(to_string(q));
    const Tensors dense = {leaf(q), leaf(k, 1), leaf(v, 2)};
    const Tensors strided = {strided_leaf(q), strided_leaf(k, 1), strided_leaf(v, 2)};
    for (const Tensors& inputs : {dense, strided}) {
      const auto with = [&](const Tensor& mask, bool causal, std::optional<double> scale) {
        return gradcheck(
            [&](const Tensors& x) {
              return amp::scaled_dot_product_attention(x[0], x[1], x[2], mask, 0, causal, scale);
            },
            inputs);
      };
      CHECK(with({}, false, {}) == "");
      CHECK(with({}, true, 0.7) == "");
      CHECK(with(seen, false, {}) == "");
      CHECK(with(leaf({3, 3}, 4).detach(), false, {}) == "");
    }
    const auto masked = [](const Tensors& x) {
      return amp::scaled_dot_product_attention(x[0], x[1], x[2], x[3]);
    };
    CHECK(gradcheck(masked, {dense[0], dense[1], dense[2], leaf({3, 3}, 3)}) == "");
    CHECK(gradcheck(masked, {strided[0], strided[1], strided[2], strided_leaf({1, 3}, 3)}) == "");
  }
}

TEST_CASE("gradcheck: attention to more and to fewer keys than queries", "[autograd]") {
  for (const std::int64_t keys : {1, 2, 5}) {
    for (const bool causal : {false, true}) {
      CAPTURE(keys, causal);
      const auto attend = [&](const Tensors& x) {
        return amp::scaled_dot_product_attention(x[0], x[1], x[2], {}, 0, causal);
      };
      CHECK(gradcheck(attend, {leaf({2, 3, 2}), leaf({2, keys, 2}, 1), leaf({2, keys, 3}, 2)}) ==
            "");
    }
  }
}

TEST_CASE("gradcheck: dropout, its mask held fixed", "[autograd]") {
  const auto drop = [](const Tensors& x) {
    amp::manual_seed(3);
    return amp::dropout(x[0], 0.4) * x[0];
  };
  CHECK(gradcheck(drop, {leaf({4, 5})}) == "");
  CHECK(gradcheck(drop, {strided_leaf({4, 5})}) == "");
  const auto drop_and_add = [](const Tensors& x) {
    amp::manual_seed(3);
    return amp::dropout_add(x[0], x[1], 0.4) * x[0] * x[1];
  };
  CHECK(gradcheck(drop_and_add, {leaf({4, 5}), leaf({4, 5}, 1)}) == "");
  CHECK(gradcheck(drop_and_add, {strided_leaf({4, 5}), strided_leaf({4, 5}, 1)}) == "");
  const auto attend = [](const Tensors& x) {
    amp::manual_seed(3);
    return amp::scaled_dot_product_attention(x[0], x[1], x[2], {}, 0.4);
  };
  CHECK(gradcheck(attend, {leaf({3, 2}), leaf({4, 2}, 1), leaf({4, 2}, 2)}) == "");
  CHECK(gradcheck([](const Tensors& x) { return amp::dropout(x[0], 0.4, false) * x[0]; },
                  {leaf({2, 3})}) == "");
  CHECK(gradcheck([](const Tensors& x) { return amp::dropout(x[0], 1); }, {leaf({2, 3})}) == "");
}

// --- losses and indexing ------------------------------------------------------------------------

TEST_CASE("gradcheck: cross_entropy with all its options", "[autograd]") {
  const Tensor targets = amp::tensor({2, 0, 3, 1, 2}, {5});
  for (const amp::Reduction reduction : {amp::kMean, amp::kSum, amp::kNone}) {
    for (const double smoothing : {0.0, 0.1, 1.0}) {
      for (const std::int64_t ignored : {-100, 2}) {
        CAPTURE(static_cast<int>(reduction), smoothing, ignored);
        const auto loss = [&](const Tensors& x) {
          return amp::cross_entropy(
              x[0], targets,
              {.ignore_index = ignored, .label_smoothing = smoothing, .reduction = reduction});
        };
        CHECK(gradcheck(loss, {leaf({5, 4})}) == "");
        CHECK(gradcheck(loss, {strided_leaf({5, 4})}) == "");
      }
    }
  }
}

TEST_CASE("gradcheck: cross_entropy of one row and of images", "[autograd]") {
  const Tensor one = amp::tensor({1}, {}),
               images = amp::tensor({0, 2, 1, 1, 0, 2, 2, 1}, {2, 2, 2});
  CHECK(gradcheck([&](const Tensors& x) { return amp::cross_entropy(x[0], one); }, {leaf({3})}) ==
        "");
  const auto of_images = [&](const Tensors& x) {
    return amp::cross_entropy(x[0], images, {.ignore_index = 1, .label_smoothing = 0.2});
  };
  CHECK(gradcheck(of_images, {leaf({2, 3, 2, 2})}) == "");
  CHECK(gradcheck(of_images, {strided_leaf({2, 3, 2, 2})}) == "");
}

TEST_CASE("gradcheck: cross_entropy with probabilities, for both sides", "[autograd]") {
  const Tensor weight = positive(leaf({3}, 3)).detach();
  for (const amp::Reduction reduction : {amp::kMean, amp::kSum, amp::kNone}) {
    for (const double smoothing : {0.0, 0.3}) {
      for (const Tensor& w : {Tensor(), weight}) {
        CAPTURE(static_cast<int>(reduction), smoothing, w.defined());
        const auto loss = [&](const Tensors& x) {
          return amp::cross_entropy(
              x[0], x[1], {.label_smoothing = smoothing, .reduction = reduction, .weight = w});
        };
        for (const amp::Shape& shape : {amp::Shape(4, 3), amp::Shape(3), amp::Shape(2, 3, 2)}) {
          CHECK(gradcheck(loss, {leaf(shape), leaf(shape, 1)}) == "");
          CHECK(gradcheck(loss, {strided_leaf(shape), strided_leaf(shape, 1)}) == "");
        }
      }
    }
  }
  const auto same = [](const Tensors& x) { return amp::cross_entropy(x[0], x[0] * 2); };
  CHECK(gradcheck(same, {leaf({2, 3})}) == "");
}

TEST_CASE("gradcheck: cross_entropy and nll_loss with class weights", "[autograd]") {
  const Tensor targets = amp::tensor({2, 0, 3, 1, 2}, {5}),
               images = amp::tensor({0, 2, 1, 1, 0, 2, 2, 1}, {2, 4});
  const Tensor four = positive(leaf({4}, 3)).detach(), three = positive(leaf({3}, 3)).detach();
  for (const amp::Reduction reduction : {amp::kMean, amp::kSum, amp::kNone}) {
    for (const std::int64_t ignored : {-100, 2}) {
      CAPTURE(static_cast<int>(reduction), ignored);
      for (const double smoothing : {0.0, 0.3}) {
        CAPTURE(smoothing);
        const auto entropy = [&](const Tensor& t, const Tensor& weight) {
          return [&, weight](const Tensors& x) {
            return amp::cross_entropy(x[0], t,
                                      {.ignore_index = ignored,
                                       .label_smoothing = smoothing,
                                       .reduction = reduction,
                                       .weight = weight});
          };
        };
        CHECK(gradcheck(entropy(targets, four), {leaf({5, 4})}) == "");
        CHECK(gradcheck(entropy(images, three), {strided_leaf({2, 3, 4})}) == "");
      }
      const auto likelihood = [&](const Tensor& t, const Tensor& weight) {
        return [&, weight](const Tensors& x) {
          return amp::nll_loss(x[0], t,
                               {.ignore_index = ignored, .reduction = reduction, .weight = weight});
        };
      };
      CHECK(gradcheck(likelihood(targets, {}), {leaf({5, 4})}) == "");
      CHECK(gradcheck(likelihood(targets, four), {strided_leaf({5, 4})}) == "");
      CHECK(gradcheck(likelihood(images, three), {leaf({2, 3, 4})}) == "");
    }
  }
  const Tensor one = amp::tensor({1}, {});
  CHECK(gradcheck([&](const Tensors& x) { return amp::nll_loss(x[0], one); }, {leaf({3})}) == "");
}

TEST_CASE("gradcheck: losses of pairs, for both sides", "[autograd]") {
  for (const amp::Reduction reduction : {amp::kMean, amp::kSum, amp::kNone}) {
    CAPTURE(static_cast<int>(reduction));
    const auto squares = [&](const Tensors& x) { return amp::mse_loss(x[0], x[1], reduction); };
    const auto entropy = [&](const Tensors& x) {
      return amp::binary_cross_entropy_with_logits(x[0], x[1], reduction);
    };
    for (const amp::Shape& shape : {amp::Shape(2, 3), amp::Shape(), amp::Shape(1, 1)}) {
      CAPTURE(to_string(shape));
      CHECK(gradcheck(squares, {leaf(shape), leaf(shape, 1)}) == "");
      CHECK(gradcheck(squares, {strided_leaf(shape), strided_leaf(shape, 1)}) == "");
      CHECK(gradcheck(entropy, {leaf(shape), leaf(shape, 1)}) == "");
      CHECK(gradcheck(entropy, {strided_leaf(shape), strided_leaf(shape, 1)}) == "");
    }
    const Tensor row = positive(leaf({3}, 2)).detach(), column = positive(leaf({2, 1}, 2)).detach();
    for (const auto& [weight, pos_weight] :
         {std::pair(row, Tensor()), std::pair(Tensor(), row), std::pair(column, row)}) {
      const auto weighted = [&, w = weight, p = pos_weight](const Tensors& x) {
        return amp::binary_cross_entropy_with_logits(
            x[0], x[1], {.reduction = reduction, .weight = w, .pos_weight = p});
      };
      CHECK(gradcheck(weighted, {leaf({2, 3}), leaf({2, 3}, 1)}) == "");
      CHECK(gradcheck(weighted, {strided_leaf({2, 3}), strided_leaf({2, 3}, 1)}) == "");
    }
  }
  CHECK(gradcheck([](const Tensors& x) { return amp::mse_loss(x[0], x[0] * 2); }, {leaf({3})}) ==
        "");
}

TEST_CASE("gradcheck: embedding adds the gradients of repeated rows", "[autograd]") {
  const Tensor ids = amp::tensor({1, 3, 1, 0, 1, 3}, {2, 3});
  const auto look_up = [](const Tensor& index) {
    return [index](const Tensors& x) {
      const Tensor y = amp::embedding(index, x[0]);
      return y * y;
    };
  };
  CHECK(gradcheck(look_up(ids), {leaf({4, 2})}) == "");
  CHECK(gradcheck(look_up(ids.t()), {strided_leaf({4, 2})}) == "");
  CHECK(gradcheck(look_up(amp::tensor({2}, {})), {leaf({4, 2})}) == "");
}

TEST_CASE("gradcheck: cat and stack", "[autograd]") {
  for (const int dim : {0, 1, -1}) {
    CAPTURE(dim);
    const auto joined = [dim](const Tensors& x) {
      const Tensor y = amp::cat(x, dim);
      return y * y;
    };
    const amp::Shape wider = dim == 0 ? amp::Shape(3, 2) : amp::Shape(2, 3);
    CHECK(gradcheck(joined, {leaf({2, 2}), leaf(wider, 1), leaf({2, 2}, 2)}) == "");
    CHECK(gradcheck(joined, {strided_leaf({2, 2}), strided_leaf(wider, 1)}) == "");
    const auto stacked = [dim](const Tensors& x) {
      const Tensor y = amp::stack(x, dim);
      return y * y;
    };
    CHECK(gradcheck(stacked, {leaf({2, 3}), leaf({2, 3}, 1), leaf({2, 3}, 2)}) == "");
    CHECK(gradcheck(stacked, {strided_leaf({2, 3}), leaf({2, 3}, 1)}) == "");
  }
  // One tensor twice, and one without a gradient in between.
  const Tensor fixed = leaf({2}, 5).detach();
  CHECK(gradcheck(
            [&](const Tensors& x) {
              return amp::cat({x[0], fixed, x[0]}) * 2;
            },
            {leaf({2})}) == "");
  CHECK(gradcheck([&](const Tensors& x) { return amp::stack({fixed, x[0]}); }, {leaf({2})}) == "");
  CHECK(gradcheck(
            [](const Tensors& x) {
              return amp::stack({x[0], x[1]});
            },
            {leaf({}), leaf({}, 1)}) == "");
}

TEST_CASE("gradcheck: where, broadcast and strided", "[autograd]") {
  const Tensor condition = amp::tensor({true, false, false, true, true, false}, {2, 3});
  const Tensor column = amp::tensor({true, false}, {2, 1});
  struct Shapes {
    amp::Shape a, b;
  };
  for (const Tensor& chosen : {condition, column}) {
    const auto pick = [&](const Tensors& x) { return amp::where(chosen, x[0], x[1]); };
    for (const auto& [a, b] :
         {Shapes{{2, 3}, {2, 3}}, Shapes{{3}, {2, 1}}, Shapes{{}, {2, 3}}, Shapes{{2, 2, 3}, {}}}) {
      CAPTURE(to_string(a), to_string(b));
      CHECK(gradcheck(pick, {leaf(a), leaf(b, 1)}) == "");
      CHECK(gradcheck(pick, {strided_leaf(a), strided_leaf(b, 1)}) == "");
    }
    CHECK(gradcheck([&](const Tensors& x) { return amp::where(chosen, x[0], 2.5); },
                    {leaf({2, 3})}) == "");
    CHECK(gradcheck([&](const Tensors& x) { return amp::where(chosen, -1, x[0]); },
                    {strided_leaf({2, 3})}) == "");
  }
}

TEST_CASE("gradcheck: index_select adds what is selected twice", "[autograd]") {
  const Tensor index = amp::tensor({2, 0, 2, 1, 2}, {5});
  for (const int dim : {0, 1, -1}) {
    CAPTURE(dim);
    const auto select = [&](const Tensors& x) {
      const Tensor y = amp::index_select(x[0], dim, index);
      return y * y;
    };
    CHECK(gradcheck(select, {leaf({3, 3, 3})}) == "");
    CHECK(gradcheck(select, {strided_leaf({3, 3, 3})}) == "");
  }
  CHECK(gradcheck([](const Tensors& x) { return amp::index_select(x[0], 1, amp::tensor({1}, {})); },
                  {leaf({2, 3})}) == "");
  const Tensor narrow_index = amp::tensor(std::vector<std::int32_t>{1, 1}, {2});
  CHECK(gradcheck([&](const Tensors& x) { return amp::index_select(x[0], 0, narrow_index); },
                  {leaf({2})}) == "");
}

// --- together -----------------------------------------------------------------------------------

TEST_CASE("gradcheck: a block of a transformer", "[autograd]") {
  const Tensor ids = amp::tensor({1, 0, 3, 1}, {1, 4}), next = amp::tensor({0, 3, 1, 2}, {4});
  const auto block = [&](const Tensors& x) {
    const Tensor h = amp::embedding(ids, x[0]);
    const Tensor n = amp::layer_norm(h, {4}, x[1], x[2]);
    const Tensor mixed = h + amp::scaled_dot_product_attention(n, n, n, {}, 0, true);
    const Tensor out = mixed + amp::gelu(amp::linear(amp::rms_norm(mixed, {4}, x[1]), x[3]));
    return amp::cross_entropy(amp::matmul(out, x[0].t()).reshape({4, 4}), next);
  };
  CHECK(gradcheck(block, {leaf({4, 4}), leaf({4}, 1), leaf({4}, 2), leaf({4, 4}, 3)}) == "");
}

TEST_CASE("gradcheck: a small network", "[autograd]") {
  const Tensor targets = amp::tensor({1, 0}, {2});
  const auto network = [&](const Tensors& x) {
    Tensor h = amp::max_pool2d(amp::relu(amp::conv2d(x[0], x[1], x[2], {.padding = 1})), 2);
    h = amp::tanh(amp::linear(h.flatten(1), x[3]));
    return amp::cross_entropy(h + h * 0.5, targets, {.label_smoothing = 0.1});
  };
  CHECK(gradcheck(network, {leaf({2, 1, 4, 4}), leaf({2, 1, 3, 3}, 1), leaf({2}, 2),
                            leaf({3, 8}, 3)}) == "");
}

}  // namespace gradcheck
