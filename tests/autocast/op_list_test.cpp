// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// In which dtype each op answers under autocast, and that its values are those of the same op on
// inputs cast by hand.
#include <amp/amp.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/calls.hpp"
#include "support/catch.hpp"
#include "support/error_of.hpp"
#include "support/numbers.hpp"

namespace op_list {
namespace {

using amp_test::same_bits;
using conformance::Binding;
using conformance::inexact_inputs;
using conformance::Inputs;
using conformance::OpCase;

/// Float32 values between 0.25 and 1.45 that no 16-bit format holds exactly.
amp::Tensor values(const amp::Shape& shape) {
  std::vector<float> numbers(static_cast<std::size_t>(shape.numel()));
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = 0.25F + 0.1F * static_cast<float>((i * 7) % 13);
  return amp::tensor(numbers, shape);
}

constexpr auto kLow = amp::OpPolicy::kLowPrecision;
constexpr auto kFull = amp::OpPolicy::kFloat32;
constexpr auto kAsIs = amp::OpPolicy::kPassthrough;

// PyTorch's list for CUDA, of the ops that amp has: autocast_mode.h. feed_forward is amp's own.
constexpr std::string_view kInLowPrecision[] = {"matmul",
                                                "bmm",
                                                "linear",
                                                "conv2d",
                                                "scaled_dot_product_attention",
                                                "feed_forward",
                                                "mm",
                                                "mv",
                                                "addmm",
                                                "addmv",
                                                "addr",
                                                "addbmm",
                                                "baddbmm",
                                                "einsum",
                                                "chain_matmul",
                                                "linalg_multi_dot",
                                                "linalg_vecdot",
                                                "prelu",
                                                "conv1d",
                                                "conv3d",
                                                "conv_tbc",
                                                "conv_transpose1d",
                                                "conv_transpose2d",
                                                "conv_transpose3d",
                                                "lstm_cell",
                                                "gru_cell",
                                                "rnn_tanh_cell",
                                                "rnn_relu_cell",
                                                "lstm",
                                                "gru",
                                                "rnn_tanh",
                                                "rnn_relu"};
constexpr std::string_view kInFloat32[] = {"prod",
                                           "linalg_vector_norm",
                                           "linalg_matrix_norm",
                                           "dist",
                                           "pdist",
                                           "cdist",
                                           "cosine_similarity",
                                           "pairwise_distance",
                                           "renorm",
                                           "logsumexp",
                                           "norm",
                                           "normalize",
                                           "acos",
                                           "asin",
                                           "cosh",
                                           "erfinv",
                                           "expm1",
                                           "log10",
                                           "log2",
                                           "sinh",
                                           "softplus",
                                           "square",
                                           "tan",
                                           "exp",
                                           "log",
                                           "log1p",
                                           "pow",
                                           "rsqrt",
                                           "softmax",
                                           "log_softmax",
                                           "reciprocal",
                                           "layer_norm",
                                           "rms_norm",
                                           "group_norm",
                                           "sum",
                                           "nll_loss",
                                           "mse_loss",
                                           "cross_entropy",
                                           "binary_cross_entropy_with_logits",
                                           "l1_loss",
                                           "smooth_l1_loss",
                                           "huber_loss",
                                           "kl_div",
                                           "soft_margin_loss",
                                           "multilabel_soft_margin_loss",
                                           "hinge_embedding_loss",
                                           "poisson_nll_loss",
                                           "gaussian_nll_loss",
                                           "margin_ranking_loss",
                                           "multi_margin_loss",
                                           "multilabel_margin_loss",
                                           "cosine_embedding_loss",
                                           "triplet_margin_loss",
                                           "softmin",
                                           "gumbel_softmax",
                                           "cumsum",
                                           "cumprod",
                                           "interpolate"};
constexpr std::string_view kInWidest[] = {"atan2",     "addcmul",     "addcdiv",    "dot",
                                          "vdot",      "tensordot",   "cross",      "bilinear",
                                          "index_put", "scatter_add", "grid_sample"};
constexpr std::string_view kRefused[] = {"binary_cross_entropy"};

amp::OpPolicy policy_of(std::string_view op) {
  if (std::ranges::find(kRefused, op) != std::end(kRefused)) return amp::OpPolicy::kBanned;
  if (std::ranges::find(kInWidest, op) != std::end(kInWidest)) return amp::OpPolicy::kPromote;
  if (std::ranges::find(kInLowPrecision, op) != std::end(kInLowPrecision)) return kLow;
  return std::ranges::find(kInFloat32, op) != std::end(kInFloat32) ? kFull : kAsIs;
}

/// Calls body(binding, example) for every form of every op.
template <class Body>
void for_each_form(const Body& body) {
  for (const Binding& binding : conformance::kBindings) {
    if (!conformance::is_listed(binding)) continue;
    INFO(binding.op);
    body(binding, conformance::example(binding));
  }
}

Inputs converted(const Inputs& inputs, amp::DType dtype) {
  Inputs result;
  for (const amp::Tensor& input : inputs) result.push_back(input.to(dtype));
  return result;
}

/// The result, or nothing where the op refuses its inputs.
std::optional<amp::Tensor> outcome(const Binding& op, const OpCase& c, const Inputs& inputs) {
  amp::manual_seed(1);
  try {
    return op.call(inputs, c)[0];
  } catch (const amp::Error&) {
    return std::nullopt;
  }
}

std::optional<amp::Tensor> outcome_in_scope(const Binding& op, const OpCase& c,
                                            const Inputs& inputs, amp::DType scope) {
  const amp::AutocastGuard autocast(amp::kCPU, {.dtype = scope});
  return outcome(op, c, inputs);
}

/// What autocast casts the inputs to.
amp::DType cast_dtype(const Binding& op, amp::DType input, amp::DType scope) {
  const amp::OpPolicy policy = policy_of(conformance::listed_name(op));
  if (input == amp::kFloat64 || policy == kAsIs || policy == amp::OpPolicy::kPromote ||
      policy == amp::OpPolicy::kBanned)
    return input;
  return policy == kLow ? scope : amp::kFloat32;
}

/// Whether the op refuses inputs of this dtype in a scope.
bool is_refused(const Binding& op, amp::DType input) {
  return policy_of(conformance::listed_name(op)) == amp::OpPolicy::kBanned &&
         input != amp::kFloat64;
}

amp::Tensor in_half_scope(amp::Tensor (*call)(const amp::Tensor&), const amp::Tensor& input) {
  const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
  return call(input.to(amp::kFloat16));
}

}  // namespace

TEST_CASE("op list: every op has PyTorch's policy") {
  for (const auto& listed : amp::autocasting::kOpList) {
    INFO(listed.name);
    CHECK(policy_of(listed.name) == listed.policy);
  }
  for (const std::string_view op : kInLowPrecision) CHECK(amp::autocasting::is_listed(op));
  for (const std::string_view op : kInFloat32) CHECK(amp::autocasting::is_listed(op));
  for (const std::string_view op : kInWidest) CHECK(amp::autocasting::is_listed(op));
  for (const std::string_view op : kRefused) CHECK(amp::autocasting::is_listed(op));
}

TEST_CASE("op list: dtype and values are bit for bit those of inputs cast by hand") {
  for_each_form([](const Binding& op, const OpCase& c) {
    for (const amp::DType scope : {amp::kFloat16, amp::kBFloat16}) {
      for (const amp::DType input : {amp::kFloat32, amp::kFloat16, amp::kBFloat16, amp::kFloat64}) {
        INFO("of " << amp::name(input) << " in a scope of " << amp::name(scope));
        if (is_refused(op, input)) {
          CHECK_FALSE(outcome_in_scope(op, c, inexact_inputs(c, input), scope).has_value());
          continue;
        }
        const amp::DType cast = cast_dtype(op, input, scope);
        // Some ops write to their inputs, so each call has its own.
        const auto result = outcome_in_scope(op, c, inexact_inputs(c, input), scope);
        const auto by_hand = outcome(op, c, converted(inexact_inputs(c, input), cast));
        REQUIRE(result.has_value());
        REQUIRE(by_hand.has_value());
        const goldens::Kind kind = c.outputs[0].kind;
        CHECK(amp::name(result->dtype()) == amp::name(kind == goldens::kBool    ? amp::kBool
                                                      : kind == goldens::kInt64 ? amp::kInt64
                                                                                : cast));
        CHECK(same_bits(*result, *by_hand));
      }
    }
  });
}

TEST_CASE("op list: integers are left alone") {
  for_each_form([](const Binding& op, const OpCase& c) {
    for (const amp::DType input : {amp::kInt64, amp::kInt32}) {
      INFO("of " << amp::name(input));
      const auto outside = outcome(op, c, inexact_inputs(c, input));
      const auto inside = outcome_in_scope(op, c, inexact_inputs(c, input), amp::kFloat16);
      REQUIRE(inside.has_value() == outside.has_value());
      if (inside) CHECK(same_bits(*inside, *outside));
    }
  });
}

TEST_CASE("op list: a product of mixed dtypes runs in the scope's") {
  const amp::Tensor a = values({2, 3}), b = values({3, 2});
  CHECK_THROWS_AS(amp::matmul(a, b.to(amp::kFloat16)), amp::Error);
  const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kBFloat16});
  CHECK(amp::matmul(a, b.to(amp::kFloat16)).dtype() == amp::kBFloat16);
  CHECK(amp::matmul(a.to(amp::kBFloat16), b).dtype() == amp::kBFloat16);
}

TEST_CASE("op list: float64 beside float32 in a product is refused, not rounded") {
  const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kBFloat16});
  CHECK_THROWS_AS(amp::matmul(values({2, 3}).to(amp::kFloat64), values({3, 2})), amp::Error);
}

TEST_CASE("op list: where elementwise dtypes mix, ordinary promotion holds") {
  const amp::Tensor a = values({8});
  const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
  CHECK((a * a.to(amp::kFloat16)).dtype() == amp::kFloat32);
  CHECK((a.to(amp::kBFloat16) + a).dtype() == amp::kFloat32);
  CHECK(same_bits(a + a.to(amp::kBFloat16), a + a.to(amp::kBFloat16).to(amp::kFloat32)));
  CHECK(amp::lt(a, a.to(amp::kFloat16)).dtype() == amp::kBool);
}

TEST_CASE("op list: linear rounds a float32 bias to the scope's dtype") {
  const amp::Tensor x = amp::zeros({1, 1}), w = amp::zeros({1, 1});
  const amp::Tensor bias = amp::tensor({1 + 0x1p-9F}, {1});
  const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kBFloat16});
  const amp::Tensor y = amp::linear(x, w, bias);
  CHECK(y.dtype() == amp::kBFloat16);
  CHECK(y.item<float>() == 1.0F);
}

TEST_CASE("op list: linear's rounding shows the scope's dtype") {
  const amp::Tensor one = amp::ones({1, 1}), w = amp::tensor({1 + 0x1p-8F}, {1, 1});
  {
    const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kBFloat16});
    CHECK(amp::linear(one, w).item<float>() == 1.0F);
  }
  const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
  CHECK(amp::linear(one, w).item<float>() == 1.00390625F);
}

TEST_CASE("op list: results beyond the range of float16 stay finite") {
  const auto value = [](amp::Tensor (*call)(const amp::Tensor&), std::vector<float> x) {
    return in_half_scope(call, amp::tensor(x, {static_cast<std::int64_t>(x.size())}))
        .to(amp::kFloat32)
        .to_vector<float>()[0];
  };
  using T = amp::Tensor;
  CHECK(value([](const T& x) { return amp::exp(x); }, {12}) == Approx(162754.797).epsilon(1e-6));
  CHECK(value([](const T& x) { return amp::pow(x, 2); }, {300}) == 90000);
  CHECK(value([](const T& x) { return amp::sum(x); }, {60000, 60000}) == 120000);
  CHECK(value([](const T& x) { return 1 / x; }, {0x1p-17F}) == 131072);
  CHECK(value([](const T& x) { return 3.0 / x; }, {0x1p-17F}) == 393216);
  CHECK(value([](const T& x) { return amp::reciprocal(x); }, {0x1p-17F}) == 131072);
  CHECK(value([](const T& x) { return amp::log(x); }, {0x1p-24F}) ==
        Approx(-16.6355324).epsilon(1e-7));
}

TEST_CASE("op list: softmax and cross_entropy answer with float32's digits") {
  using T = amp::Tensor;
  const T zeros = amp::zeros({3});
  CHECK(in_half_scope([](const T& x) { return amp::softmax(x, 0); }, zeros).to_vector<float>() ==
        std::vector<float>(3, 1.0F / 3));
  const T loss = in_half_scope(
      [](const T& x) { return amp::cross_entropy(x, amp::tensor({0}, {1})); }, amp::zeros({1, 2}));
  CHECK(loss.item<float>() == Approx(0.693147182).epsilon(1e-7));
}

TEST_CASE("op list: mean stays in float16 and does not overflow on the way") {
  const amp::Tensor mean =
      in_half_scope([](const amp::Tensor& x) { return amp::mean(x); }, amp::full({2}, 60000));
  CHECK(mean.dtype() == amp::kFloat16);
  CHECK(mean.item<float>() == 60000);
}

TEST_CASE("op list: an infinite and a NaN input pass through casts") {
  const amp::Tensor x = amp::tensor({INFINITY, NAN, 1e30F, 1.0F}, {4, 1});
  const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
  const std::vector<float> y = amp::matmul(x, amp::ones({1, 1})).to_vector<float>();
  CHECK(y[0] == INFINITY);
  CHECK(y[1] != y[1]);
  CHECK(y[2] == INFINITY);
  CHECK(y[3] == 1);
}

TEST_CASE("op list: empty tensors are cast like others") {
  const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
  const amp::Tensor y = amp::matmul(amp::empty({0, 3}), amp::empty({3, 2}));
  CHECK(y.dtype() == amp::kFloat16);
  CHECK(y.shape() == amp::Shape(0, 2));
  CHECK(amp::sum(amp::empty({0}, {.dtype = amp::kFloat16})).dtype() == amp::kFloat32);
}

/// What PyTorch's list for the CPU gives for the inputs of a case, of dtypes in turn; a block of
/// torch_cpu.txt says it.
void check_torch_cpu(const Binding& op, const OpCase& c, const std::string& wanted,
                     const std::vector<amp::DType>& dtypes) {
  if (wanted == "refused" || c.outputs[0].kind == goldens::kInt64) return;
  if (op.op == "ctc_loss(scores)") return;  // its result has the dtype of the scores
  const Inputs exact = inexact_inputs(c, amp::kFloat32);
  Inputs inputs;
  for (std::size_t i = 0; i < exact.size(); ++i)
    inputs.push_back(exact[i].to(dtypes[i % dtypes.size()]));
  const amp::AutocastGuard autocast(
      amp::kCPU, {.dtype = amp::kBFloat16, .policies = amp::OpPolicies::torch_cpu()});
  const auto result = outcome(op, c, inputs);
  REQUIRE(result.has_value());
  CHECK(amp::name(result->dtype()) == wanted);
}

TEST_CASE("op list: torch_cpu() gives the dtypes of PyTorch on the CPU") {
  const std::vector<goldens::Block> blocks = goldens::read_blocks("torch_cpu.txt");
  int compared = 0;
  for_each_form([&](const Binding& op, const OpCase& c) {
    const std::string name(conformance::listed_name(op));
    const auto block = std::ranges::find(blocks, name, &goldens::Block::title);
    if (block == blocks.end()) {
      // An op that PyTorch has not, or that no list of its names.
      const amp::OpPolicy policy = policy_of(name);
      CHECK((policy == kAsIs || name == "feed_forward"));
      return;
    }
    ++compared;
    check_torch_cpu(op, c, block->text("of_float32"), {amp::kFloat32});
    check_torch_cpu(op, c, block->text("of_bfloat16"), {amp::kBFloat16});
    // Operands of an op that takes its inputs as they are must have one dtype, if they do in amp.
    if (amp::op_policy(name) != kAsIs && c.inputs.size() == 2)
      check_torch_cpu(op, c, block->text("of_both"), {amp::kBFloat16, amp::kFloat32});
  });
  CHECK(compared > 60);
}

TEST_CASE("op list: torch_cpu() holds for its scope, and has no policy that is amp's anyway") {
  const amp::OpPolicies policies = amp::OpPolicies::torch_cpu();
  for (const auto& entry : policies.entries()) {
    INFO(amp::autocasting::op_name(entry.op));
    CHECK(entry.module.empty());
    CHECK(entry.policy != policy_of(amp::autocasting::op_name(entry.op)));
  }
  {
    const amp::AutocastGuard autocast(amp::kCPU, {.policies = policies});
    CHECK(amp::op_policy("softmax") == kAsIs);
    CHECK(amp::op_policy("binary_cross_entropy") == kFull);
    CHECK(amp::op_policy("ctc_loss") == kFull);
    CHECK(amp::op_policy("matmul") == kLow);
  }
  CHECK(amp::op_policy("softmax") == kFull);
}

TEST_CASE("op list: binary_cross_entropy is refused with PyTorch's advice") {
  using Catch::Matchers::ContainsSubstring;
  const amp::Tensor x = values({3}) * 0.5, y = values({3}) * 0.5;
  const auto loss = [&](amp::DType dtype) {
    return amp::binary_cross_entropy(x.to(dtype), y.to(dtype)).dtype();
  };
  CHECK(loss(amp::kBFloat16) == amp::kBFloat16);
  const amp::AutocastGuard autocast(amp::kCPU);
  for (const amp::DType dtype : {amp::kFloat32, amp::kFloat16, amp::kBFloat16}) {
    CHECK_THAT(amp_test::error_of([&] { (void)loss(dtype); }),
               ContainsSubstring("binary_cross_entropy: refused under autocast") &&
                   ContainsSubstring("binary_cross_entropy_with_logits") &&
                   ContainsSubstring("{.enabled = false}"));
  }
  CHECK(loss(amp::kFloat64) == amp::kFloat64);  // never cast
  {
    const amp::AutocastGuard off(amp::kCPU, {.enabled = false});
    CHECK(loss(amp::kFloat32) == amp::kFloat32);
  }
  {
    const amp::AutocastGuard in_float32(amp::kCPU, {.policies = {{"binary_cross_entropy", kFull}}});
    CHECK(loss(amp::kFloat16) == amp::kFloat32);
  }
  const amp::AutocastGuard no_exp(
      amp::kCPU, {.policies = {{"exp", amp::OpPolicy::kBanned}, {"cat", amp::OpPolicy::kBanned}}});
  CHECK_THAT(amp_test::error_of([&] { (void)amp::exp(x); }),
             ContainsSubstring("exp: refused under autocast") && !ContainsSubstring("logits"));
  CHECK_THAT(amp_test::error_of([&] {
               (void)amp::cat({x, y});
             }),
             ContainsSubstring("cat: refused"));
  CHECK(amp::exp(x.to(amp::kFloat64)).dtype() == amp::kFloat64);
}

}  // namespace op_list
