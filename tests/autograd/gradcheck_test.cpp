// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The gradient of every differentiable op against finite differences: on its golden cases, then
// what those do not have.
#include "support/gradcheck.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
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

std::string check(Binary op, const Tensor& a, const Tensor& b) {
  return gradcheck([op](const Tensors& x) { return op(x[0], x[1]); }, {a, b});
}
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

/// Cases whose gradient is none of derivatives, as in torch: lengths below eps count as eps but for
/// their own gradient, of several elements at one place the last counts, ties have one maximum, and
/// a power ends at 0.
bool bends(const OpCase& c) {
  static const std::set<std::string> kCases = {"cosine_similarity: broadcast along the vectors",
                                               "cosine_similarity: of a short vector",
                                               "cosine_similarity: of one number",
                                               "cosine_similarity: of scalars",
                                               "cosine_similarity: of zeros",
                                               "index_put: of two dimensions, accumulate False",
                                               "index_put: slices of slices, accumulate False",
                                               "max_pool2d(options): ties",
                                               "max_pool2d_with_indices: ties",
                                               "cdist: of order 0.5",
                                               "cdist: of order 1.5"};
  return kCases.count(std::string(c.op) + ": " + std::string(c.detail)) != 0;
}

/// Whether the case has derivatives at its inputs and near them. At 0, powers end there.
bool is_smooth(const OpCase& c) {
  const auto finite = [](const std::vector<double>& values) {
    return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
  };
  return c.outputs[0].kind == goldens::kReal && finite(c.outputs[0].values) &&
         !c.detail.ends_with("at 0") && !bends(c) &&
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
  CHECK(gradients([](const Tensor& x) { return amp::max(x, 0).values; }, {1, 2, 2}) ==
        Values{0, 1, 0});
  CHECK(gradients([](const Tensor& x) { return amp::min(x, 0).values; }, {1, 2, 1}) ==
        Values{1, 0, 0});
  CHECK(gradients([](const Tensor& x) { return amp::sum(amp::max(x, amp::ones({3}))); },
                  {0, 1, 2}) == Values{0, 0.5, 1});
  CHECK(gradients([](const Tensor& x) { return amp::sum(amp::min(x, amp::ones({3}))); },
                  {0, 1, 2}) == Values{1, 0.5, 0});
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

// --- convolution and pooling --------------------------------------------------------------------

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
}

TEST_CASE("gradcheck: cat and stack of one tensor twice, and one without a gradient",
          "[autograd]") {
  const Tensor fixed = leaf({2}, 5).detach();
  const auto joined = [&](const Tensors& x) { return amp::cat({x[0], fixed, x[0]}) * 2; };
  const auto stacked = [&](const Tensors& x) { return amp::stack({fixed, x[0]}); };
  CHECK(gradcheck(joined, {leaf({2})}) == "");
  CHECK(gradcheck(stacked, {leaf({2})}) == "");
}

TEST_CASE("gradcheck: one tensor as input and target, as base and exponent", "[autograd]") {
  const auto on = [](auto f) {
    return gradcheck([f](const Tensors& x) { return f(x[0]); }, {leaf({3})});
  };
  CHECK(on([](const Tensor& x) { return amp::mse_loss(x, x * 2); }) == "");
  CHECK(on([](const Tensor& x) { return amp::cross_entropy(x, x * 2); }) == "");
  CHECK(on([](const Tensor& x) { return amp::pow(positive(x), x); }) == "");
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

TEST_CASE("gradcheck: reductions over several dimensions, or all", "[autograd]") {
  for (const Tensor& x : {leaf({2, 3, 2}), strided_leaf({2, 3, 2})}) {
    for (const amp::Dims& dims : {amp::Dims(0, 2), amp::Dims(-1, 1), amp::Dims(1), amp::Dims()}) {
      for (const bool keepdim : {false, true}) {
        CAPTURE(to_string(dims), keepdim);
        const auto on = [&](auto op) {
          return gradcheck([op](const Tensors& t) { return op(t[0]); }, {x});
        };
        CHECK(on([&](const Tensor& t) { return amp::sum(t * t, dims, keepdim); }) == "");
        CHECK(on([&](const Tensor& t) { return amp::mean(t * t, dims, keepdim); }) == "");
        for (const double correction : {0.0, 1.0}) {
          CHECK(on([&](const Tensor& t) { return amp::var(t, dims, correction, keepdim); }) == "");
          CHECK(on([&](const Tensor& t) { return amp::std(t, dims, correction, keepdim); }) == "");
        }
        CHECK(on([&](const Tensor& t) { return amp::amax(t, dims, keepdim); }) == "");
        CHECK(on([&](const Tensor& t) { return amp::amin(t, dims, keepdim); }) == "");
        CHECK(on([&](const Tensor& t) { return amp::logsumexp(t * 3, dims, keepdim); }) == "");
        for (const double p : {1.0, 2.0, 3.0, 0.5, 1.5, -1.0, HUGE_VAL, -HUGE_VAL}) {
          CAPTURE(p);
          CHECK(on([&](const Tensor& t) { return amp::norm(t, p, dims, keepdim); }) == "");
        }
        CHECK(on([&](const Tensor& t) { return amp::normalize(t, 2, dims); }) == "");
        CHECK(on([&](const Tensor& t) { return amp::normalize(t, 3, dims, 100); }) == "");
      }
    }
  }
  CHECK(gradcheck([](const Tensors& t) { return amp::var(t[0]); }, {leaf({2, 3})}) == "");
  CHECK(gradcheck([](const Tensors& t) { return amp::std(t[0]); }, {leaf({2, 3})}) == "");
  CHECK(gradcheck([](const Tensors& t) { return amp::norm(t[0]); }, {leaf({})}) == "");
}

TEST_CASE("gradcheck: products, also with zeros", "[autograd]") {
  CHECK(gradcheck([](const Tensors& t) { return amp::prod(t[0]); }, {leaf({2, 3})}) == "");
  for (const Tensor& x : {leaf({2, 3, 2}), strided_leaf({2, 3, 2})}) {
    for (const int dim : {0, 1, -1}) {
      CHECK(gradcheck([&](const Tensors& t) { return amp::prod(t[0], dim, dim == 0); }, {x}) == "");
    }
  }
  for (const std::vector<double>& values :
       {std::vector<double>{2, 0, -3, 1.5}, {0, 0, 3, 2}, {0, 0, 0, 0}, {1, 2, 3, 0}}) {
    const Tensor x = amp::tensor(values, {2, 2}, {.requires_grad = true});
    CHECK(gradcheck([](const Tensors& t) { return amp::prod(t[0]); }, {x}) == "");
    CHECK(gradcheck([](const Tensors& t) { return amp::prod(t[0], 0); }, {x}) == "");
    CHECK(gradcheck([](const Tensors& t) { return amp::prod(t[0], 1); }, {x}) == "");
  }
}

TEST_CASE("gradcheck: ties, zeros and constants take torch's gradients", "[autograd]") {
  const auto gradient = [](const std::vector<float>& values, const auto& f) {
    const Tensor x = amp::tensor(values, {values.size()}, {.requires_grad = true});
    f(x).backward();
    return x.grad().template to_vector<float>();
  };
  using Floats = std::vector<float>;
  CHECK(gradient({2, 1, 2, 2}, [](const Tensor& x) { return amp::amax(x); }) ==
        Floats{1 / 3.0F, 0, 1 / 3.0F, 1 / 3.0F});
  CHECK(gradient({1, 1, 2}, [](const Tensor& x) { return amp::amin(x, 0); }) ==
        Floats{0.5, 0.5, 0});
  CHECK(gradient({3, -3, 1}, [](const Tensor& x) { return amp::norm(x, HUGE_VAL); }) ==
        Floats{0.5, -0.5, 0});
  for (const double p : {0.0, 0.5, 1.0, 1.5, 2.0, 3.0, -1.0, HUGE_VAL}) {
    CAPTURE(p);
    CHECK(gradient({0, 0}, [&](const Tensor& x) { return amp::norm(x, p); }) == Floats{0, 0});
  }
  CHECK(gradient({2, 5}, [](const Tensor& x) { return amp::norm(x, 0); }) == Floats{0, 0});
  CHECK(gradient({3, 3}, [](const Tensor& x) { return amp::std(x); }) == Floats{0, 0});
  // Three times 0.1 is not divisible by 3 in float64.
  const Tensor equal = amp::full({3}, 0.1, {.dtype = amp::kFloat64, .requires_grad = true});
  amp::std(equal).backward();
  CHECK(equal.grad().to_vector<double>() == std::vector<double>{0, 0, 0});
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
