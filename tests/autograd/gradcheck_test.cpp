// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The gradient of every differentiable op against finite differences.
#include "support/gradcheck.hpp"

#include <cstdint>
#include <vector>

#include "support/catch.hpp"

using amp::Tensor;
using amp_test::gradcheck;
using amp_test::leaf;
using amp_test::strided_leaf;
using amp_test::Tensors;
using Catch::Matchers::ContainsSubstring;

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
  CHECK(check_unary(static_cast<Unary>(amp::sqrt), positive) == "");
  CHECK(check_unary(static_cast<Unary>(amp::tanh), anything) == "");
  CHECK(check_unary(static_cast<Unary>(amp::sigmoid), anything) == "");
}

TEST_CASE("gradcheck: powers", "[autograd]") {
  for (const double exponent : {0.0, 1.0, 2.0, 3.0, -1.0, 0.5, -2.5}) {
    CAPTURE(exponent);
    CHECK(check_unary([&](const Tensor& x) { return amp::pow(x, exponent); }, positive) == "");
  }
  CHECK(check_unary([](const Tensor& x) { return amp::pow(x, 3); }, anything) == "");
  CHECK(check_unary([](const Tensor& x) { return amp::pow(x, -2); }, anything) == "");
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
  const Tensor narrow_index = amp::tensor(std::vector<std::int32_t>{1, 1}, {2});
  CHECK(gradcheck([&](const Tensors& x) { return amp::index_select(x[0], 0, narrow_index); },
                  {leaf({2})}) == "");
}

// --- together -----------------------------------------------------------------------------------

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
