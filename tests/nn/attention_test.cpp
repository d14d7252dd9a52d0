// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Attention of several heads: inputs, masks, additional keys, weights.
#include <amp/amp.hpp>

#include <cmath>
#include <cstdint>

#include "nn/nets.hpp"
#include "support/catch.hpp"
#include "support/error_of.hpp"
#include "support/numbers.hpp"

namespace attention_layers {
namespace {

namespace nn = amp::nn;
using amp::Tensor;
using amp_test::added;
using amp_test::error_of;
using amp_test::mask;
using amp_test::numbers;
using amp_test::Tensors;
using nn::MultiheadAttention;
using Options = nn::AttentionCallOptions;

/// Attention of the first input to the last one or two; to itself, if it is alone. `options` may
/// depend on the dtype.
template <class MakeOptions>
amp_test::Net attending(const MultiheadAttention& module, const MakeOptions& options) {
  return amp_test::net(module, [options](const MultiheadAttention& m, const Tensors& x) {
    const auto [output, weights] =
        m(x[0], x[x.size() == 3 ? 1 : x.size() - 1], x.back(), options(x[0].dtype()));
    return weights.defined() ? Tensors{output, weights} : Tensors{output};
  });
}
amp_test::Net attending(const MultiheadAttention& module, const Options& options = {}) {
  return attending(module, [options](amp::DType) { return options; });
}

}  // namespace

TEST_CASE("attention: all that torch computes, prints and saves", "[nn]") {
  amp_test::check_nets(
      "attention",
      {
          {"to itself", attending(MultiheadAttention(4, 2, {.batch_first = true}))},
          {"without batch", attending(MultiheadAttention(4, 2), {.average_attn_weights = false})},
          {"padded", attending(MultiheadAttention(4, 2),
                               {.key_padding_mask = mask({2, 3}), .need_weights = false})},
          {"other extents",
           attending(MultiheadAttention(4, 2, {.bias = false, .kdim = 3, .vdim = 2}),
                     {.attn_mask = mask({2, 3}), .average_attn_weights = false})},
          {"more keys",
           attending(MultiheadAttention(
                         4, 2, {.add_bias_kv = true, .add_zero_attn = true, .batch_first = true}),
                     {.key_padding_mask = mask({2, 3}), .attn_mask = mask({4, 2, 3})})},
          {"more keys and added masks",
           attending(MultiheadAttention(2, 1, {.add_bias_kv = true, .add_zero_attn = true}),
                     [](amp::DType dtype) -> Options {
                       return {.key_padding_mask = added({1, 3}, dtype),
                               .need_weights = false,
                               .attn_mask = added({2, 3}, dtype)};
                     })},
          {"causal",
           attending(MultiheadAttention(4, 4), {.need_weights = false, .is_causal = true})},
          {"causal weights", attending(MultiheadAttention(2, 1), {.is_causal = true})},
      });
}

TEST_CASE("attention: the output is the same with weights and without", "[nn]") {
  const MultiheadAttention attention(4, 2, {.add_zero_attn = true});
  const Tensor q = numbers({3, 2, 4}, 1, amp::kFloat32), k = numbers({3, 2, 4}, 2, amp::kFloat32);
  for (const bool is_causal : {false, true}) {
    for (const Tensor& pairs : {Tensor(), mask({3, 3}), added({3, 3}, amp::kFloat32)}) {
      const Options with{
          .key_padding_mask = mask({2, 3}), .attn_mask = pairs, .is_causal = is_causal};
      Options without = with;
      without.need_weights = false;
      CHECK(amp_test::difference(attention(q, k, k, with).output.to_vector<double>(),
                                 attention(q, k, k, without).output.to_vector<double>()) < 1e-5);
    }
  }
}

TEST_CASE("attention: a query without keys gets 0, and finite gradients", "[nn]") {
  const MultiheadAttention attention(2, 1, {.bias = false});
  const Tensor x = numbers({2, 1, 2}, 1, amp::kFloat32).requires_grad_();
  const Tensor all = amp::ones({1, 2}, {.dtype = amp::kBool});
  for (const Tensor& padding : {all, amp::full({1, 2}, -HUGE_VAL)}) {
    for (const bool need_weights : {true, false}) {
      const auto [output, weights] =
          attention(x, x, x, {.key_padding_mask = padding, .need_weights = need_weights});
      CHECK(output.to_vector<float>() == std::vector<float>(4, 0));
      if (need_weights) CHECK(weights.to_vector<float>() == std::vector<float>(4, 0));
      amp::sum(output).backward();
      CHECK(x.grad().to_vector<float>() == std::vector<float>(4, 0));
    }
  }
}

TEST_CASE("attention: dropout applies to the weights, in training only", "[nn]") {
  amp::manual_seed(3);
  const MultiheadAttention attention(8, 2, {.dropout = 0.5});
  const Tensor x = amp::randn({16, 1, 8});
  const Tensor weights = attention(x, x, x, {.average_attn_weights = false}).weights;
  const double kept = amp::mean(amp::gt(weights, 0).to(amp::kFloat32)).item<double>();
  CHECK(kept > 0.4);
  CHECK(kept < 0.6);
  attention.eval();
  CHECK(amp::min(attention(x, x, x).weights).item<float>() > 0);
  CHECK(amp_test::same_bits(attention(x, x, x).output, attention(x, x, x).output));
}

TEST_CASE("attention: initial values are torch's", "[nn]") {
  amp::manual_seed(4);
  const MultiheadAttention attention(32, 2, {.add_bias_kv = true});
  const double bound = amp::max(amp::abs(attention.in_proj_weight)).item<double>();
  CHECK(bound <= std::sqrt(6.0 / 128));
  CHECK(bound > 0.99 * std::sqrt(6.0 / 128));
  for (const Tensor& bias : {attention.in_proj_bias, attention.out_proj.bias})
    CHECK(amp::count_nonzero(bias).item<std::int64_t>() == 0);
  const Tensor both = amp::cat({attention.bias_k, attention.bias_v});
  CHECK(amp::std(both).item<double>() == Approx(std::sqrt(1.0 / 32)).epsilon(0.3));
}

TEST_CASE("attention: dtypes under autocast are torch's", "[nn]") {
  const MultiheadAttention attention(4, 2);
  const Tensor x = numbers({3, 1, 4}, 1, amp::kFloat32);
  const Tensor expected = attention(x, x, x).output;
  const amp::AutocastGuard guard(amp::kCPU, {.dtype = amp::kFloat16});
  for (const bool need_weights : {true, false}) {
    const auto [output, weights] = attention(x, x, x, {.need_weights = need_weights});
    CHECK(output.dtype() == amp::kFloat16);
    if (need_weights) CHECK(weights.dtype() == amp::kFloat32);
    CHECK(amp_test::difference(output.to_vector<double>(), expected.to_vector<double>()) < 5e-3);
  }
}

TEST_CASE("attention: what does not fit is refused", "[nn]") {
  CHECK_THROWS_WITH(MultiheadAttention(4, 3),
                    "nn::MultiheadAttention: `num_heads` 3 must divide `embed_dim` 4");
  CHECK_THROWS_AS(MultiheadAttention(0, 1), amp::Error);
  CHECK_THROWS_AS(MultiheadAttention(4, 0), amp::Error);
  CHECK_THROWS_AS((MultiheadAttention(4, 2, {.dropout = -1})), amp::Error);
  CHECK_THROWS_AS((MultiheadAttention(4, 2, {.kdim = 0})), amp::Error);
  const MultiheadAttention attention(4, 2);
  const Tensor x = amp::ones({3, 2, 4}), k = amp::ones({5, 2, 4});
  for (const Tensor& bad : {Tensor(), amp::ones({4}), amp::ones({3, 4}), amp::ones({3, 2, 5}),
                            amp::ones({3, 1, 4}), amp::ones({3, 2, 4}, {.dtype = amp::kInt64})}) {
    CHECK_THROWS_AS(attention(x, bad, bad), amp::Error);
    CHECK_THROWS_AS(attention(bad, x, x), amp::Error);
  }
  CHECK(error_of([&] { (void)attention(x, k, x); })
            .ends_with("as many values as keys, but `value` is float32[3, 2, 4] for the `query` "
                       "float32[3, 2, 4]"));
  CHECK_THROWS_AS(attention(x, x, x, {.attn_mask = amp::ones({3, 4})}), amp::Error);
  CHECK_THROWS_AS(attention(x, x, x, {.attn_mask = amp::ones({2, 3, 3})}), amp::Error);
  CHECK_THROWS_AS(attention(x, x, x, {.attn_mask = amp::ones({3, 3}, {.dtype = amp::kInt64})}),
                  amp::Error);
  CHECK_THROWS_AS(attention(x, x, x, {.key_padding_mask = amp::ones({3, 2})}), amp::Error);
  CHECK_THROWS_AS(MultiheadAttention()(x, x, x), amp::Error);
}

}  // namespace attention_layers
