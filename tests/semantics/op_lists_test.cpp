// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// PyTorch's op-list tests: in which dtype each op answers. One list, that of PyTorch for CUDA,
// holds on every device here; where PyTorch's list for the CPU says the same, so does its test.
#include <amp/amp.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "semantics/calls.hpp"
#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace op_lists {
namespace {

using amp::kBFloat16;
using amp::kCPU;
using amp::kFloat16;
using amp::kFloat32;
using amp::kFloat64;
using semantics_test::Call;
using semantics_test::check_out_of_place;
using semantics_test::float32_calls;
using semantics_test::Inputs;
using semantics_test::linear_calls;
using semantics_test::loss_calls;
using semantics_test::low_precision_calls;
using semantics_test::same;
using semantics_test::unlisted_calls;
using semantics_test::values;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// float32 in, the scope's dtype out.
void check_lowers(const std::vector<Call>& calls, amp::DType scope) {
  for (const Call& op : calls) check_out_of_place(op, kFloat32, scope, scope, scope);
}
/// 16 bits in, float32 out.
void check_raises(const std::vector<Call>& calls, amp::DType scope) {
  for (const Call& op : calls) check_out_of_place(op, scope, scope, kFloat32, kFloat32);
}

/// Comparisons give bool, sums and products of float32 and `low`, in either order, float32.
void check_builtin_promotion(const amp::Tensor& wide, amp::DType low) {
  INFO("beside " << amp::name(low));
  const amp::Tensor narrow = amp::abs(values({8})).to(low), widened = narrow.to(kFloat32);
  const amp::AutocastGuard autocast(kCPU, {.dtype = low});
  const auto compare = [&](auto call) {
    CHECK(call(wide, narrow).dtype() == amp::kBool);
    CHECK(same(call(wide, narrow), call(wide, widened)));
    CHECK(same(call(narrow, wide), call(widened, wide)));
  };
  const auto combine = [&](auto call) {
    CHECK(call(wide, narrow).dtype() == kFloat32);
    CHECK(same(call(wide, narrow), call(wide, widened)));
    CHECK(same(call(narrow, wide), call(widened, wide)));
  };
  compare([](const auto& a, const auto& b) { return amp::eq(a, b); });
  compare([](const auto& a, const auto& b) { return amp::ne(a, b); });
  compare([](const auto& a, const auto& b) { return amp::ge(a, b); });
  compare([](const auto& a, const auto& b) { return amp::gt(a, b); });
  compare([](const auto& a, const auto& b) { return amp::le(a, b); });
  compare([](const auto& a, const auto& b) { return amp::lt(a, b); });
  combine([](const auto& a, const auto& b) { return amp::add(a, b); });
  combine([](const auto& a, const auto& b) { return amp::div(a, b); });
  combine([](const auto& a, const auto& b) { return amp::mul(a, b); });
}
/// The same of the operators.
void check_operator_promotion(amp::DType low) {
  INFO("beside " << amp::name(low));
  const amp::Tensor wide = values({8}), narrow = amp::abs(values({8})).to(low),
                    widened = narrow.to(kFloat32);
  const amp::AutocastGuard autocast(kCPU, {.dtype = low});
  CHECK((wide + narrow).dtype() == kFloat32);
  CHECK(same(wide + narrow, wide + widened));
  CHECK(same(narrow - wide, widened - wide));
  CHECK(same(wide * narrow, wide * widened));
  CHECK(same(narrow / wide, widened / wide));
}

/// cat and stack of float32 and `low`, in either order: float32, nothing rounded.
void check_joins(amp::DType low) {
  INFO("beside " << amp::name(low));
  const amp::Tensor wide = values({8}), narrow = values({8}).to(low), widened = narrow.to(kFloat32);
  const amp::AutocastGuard autocast(kCPU, {.dtype = low});
  CHECK(amp::cat({narrow, wide}).shape() == amp::Shape(16));
  CHECK(same(amp::cat({narrow, wide}), amp::cat({widened, wide})));
  CHECK(same(amp::cat({wide, narrow}), amp::cat({wide, widened})));
  CHECK(same(amp::stack({narrow, wide}), amp::stack({widened, wide})));
  CHECK(same(amp::stack({wide, narrow}), amp::stack({wide, widened})));
}

/// What the call makes of float16 `numbers` in a scope of float16; float16 alone makes `narrow`.
void check_reveals(amp::Tensor (*call)(const amp::Tensor&), const std::vector<float>& numbers,
                   float narrow, double wide) {
  const amp::Tensor x =
      amp::tensor(numbers, {static_cast<std::int64_t>(numbers.size())}, {.dtype = kFloat16});
  CHECK(call(x).to(kFloat32).to_vector<float>()[0] == narrow);
  const amp::AutocastGuard autocast(kCPU, {.dtype = kFloat16});
  CHECK(call(x).dtype() == kFloat32);
  CHECK(call(x).to_vector<double>()[0] == Approx(wide).epsilon(1e-7));
}

/// a + b * c, as an op of the user's with the policy that PyTorch gives its own of that name.
amp::Tensor promoted_sum(const amp::Tensor& a, const amp::Tensor& b, const amp::Tensor& c) {
  amp::register_op("semantics.addcmul", amp::OpPolicy::kPromote);
  return amp::autocast_call(
      "semantics.addcmul", [](const auto& x, const auto& y, const auto& z) { return x + y * z; }, a,
      b, c);
}

}  // namespace

// --- the scope's dtype ---------------------------------------------------------------------------

// conv1d, conv3d, addmm, baddbmm, conv_tbc, the transposed convolutions, prelu: no such ops here.
TEST_CASE("test_autocast_torch_16 (test_autocast.py): products of float32 run in 16 bits") {
  check_lowers(low_precision_calls(), kBFloat16);
  check_lowers(low_precision_calls(), kFloat16);
}

TEST_CASE("test_autocast_nn_16 (test_autocast.py): linear runs in 16 bits") {
  check_lowers(linear_calls(), kBFloat16);
  check_lowers(linear_calls(), kFloat16);
}

// addmm, einsum, conv1d and the others of the list: no such ops here.
TEST_CASE("test_autocast_torch_fp16 (test_cuda.py): products of float32 run in float16") {
  check_lowers(low_precision_calls(), kFloat16);
}

// That the GPU lacks bfloat16 is nothing a test without one can bring about.
TEST_CASE("test_autocast_torch_bf16 (test_cuda.py): products of float32 run in bfloat16") {
  check_lowers(low_precision_calls(), kBFloat16);
}

TEST_CASE("test_autocast_nn_fp16 (test_cuda.py): linear runs in float16, its bias too") {
  check_lowers(linear_calls(), kFloat16);
  const amp::Tensor zero = amp::zeros({1, 1}), bias = amp::tensor({1 + 0x1p-12F}, {1});
  const amp::AutocastGuard autocast(kCPU, {.dtype = kFloat16});
  CHECK(amp::linear(zero, zero, bias).item<float>() == 1);
}

TEST_CASE("test_autocast_nn_bf16 (test_cuda.py): linear runs in bfloat16") {
  check_lowers(linear_calls(), kBFloat16);
  const amp::Tensor one = amp::ones({1, 1}), w = amp::tensor({1 + 0x1p-8F}, {1, 1});
  const amp::AutocastGuard autocast(kCPU, {.dtype = kBFloat16});
  CHECK(amp::linear(one, w).item<float>() == 1);  // float16 holds 1.00390625
}

TEST_CASE("test_mps_autocast_bfloat16_supported (test_autocast.py): a product runs in bfloat16") {
  const amp::Tensor a = values({2, 3}), b = values({3, 3});
  const amp::AutocastGuard autocast(kCPU, {.dtype = kBFloat16});
  CHECK(amp::matmul(a, b).dtype() == kBFloat16);
}

TEST_CASE("test_matmul_autocast (test_mps.py): a product of a product stays in float16") {
  const amp::Tensor a = values({8, 8}), b = values({8, 8}), c = values({8, 8});
  const amp::Tensor low = amp::matmul(amp::matmul(a.to(kFloat16), b.to(kFloat16)), c.to(kFloat16));
  const amp::AutocastGuard autocast(kCPU, {.dtype = kFloat16});
  CHECK(same(amp::matmul(amp::matmul(a, b), c), low));
}

TEST_CASE("test_scaled_dot_product_attention_autocast (test_mps.py): mixed q, k, v run in 16") {
  const amp::Tensor q = values({1, 2, 3, 8}), k = values({1, 2, 4, 8}).to(kFloat16),
                    v = amp::abs(values({1, 2, 4, 8}));
  const amp::Tensor low = amp::scaled_dot_product_attention(q.to(kFloat16), k, v.to(kFloat16));
  const amp::AutocastGuard autocast(kCPU, {.dtype = kFloat16});
  CHECK(same(amp::scaled_dot_product_attention(q, k, v), low));
}

// Of nested tensors the dense ones remain.
TEST_CASE("test_sdpa_autocast (test_nestedtensor.py): gradients match those of casts by hand") {
  const auto gradients = [](bool by_hand) {
    const amp::Tensor q = values({2, 3, 8}).requires_grad_(),
                      k = values({2, 4, 8}).to(kFloat16).requires_grad_(),
                      v = amp::abs(values({2, 4, 8})).requires_grad_();
    const amp::Tensor y = [&] {
      const amp::AutocastGuard autocast(kCPU, {.dtype = kFloat16, .enabled = !by_hand});
      return by_hand ? amp::scaled_dot_product_attention(q.to(kFloat16), k, v.to(kFloat16))
                     : amp::scaled_dot_product_attention(q, k, v);
    }();
    CHECK(y.dtype() == kFloat16);
    amp::sum(y.to(kFloat32)).backward();
    CHECK(q.grad().dtype() == kFloat32);
    CHECK(k.grad().dtype() == kFloat16);
    return std::vector{q.grad().to_vector<float>(), k.grad().to_vector<float>(),
                       v.grad().to_vector<float>()};
  };
  CHECK(gradients(false) == gradients(true));
}

TEST_CASE("TestXpuAutocast (test_xpu.py): an accelerator's default is float16, CUDA's list holds") {
  CHECK(amp::autocast_dtype(amp::kCUDA) == kFloat16);
  check_lowers(low_precision_calls(), amp::autocast_dtype(amp::kCUDA));
  check_raises(float32_calls(), amp::autocast_dtype(amp::kCUDA));
}

TEST_CASE("test_minimal (test_jit_autocast.py): the product is float16, its sum float32") {
  const amp::Tensor a = values({2, 2}), b = values({2, 2});
  const amp::AutocastGuard autocast(kCPU, {.dtype = kFloat16});
  const amp::Tensor product = amp::matmul(a, b);
  CHECK(product.dtype() == kFloat16);
  CHECK(amp::sum(product).dtype() == kFloat32);
}

TEST_CASE("test_linear_bf16 (test_jit_autocast.py): the product is bfloat16, its sum float32") {
  const amp::Tensor a = values({2, 2}), b = values({2, 2});
  const amp::AutocastGuard autocast(kCPU, {.dtype = kBFloat16});
  const amp::Tensor product = amp::matmul(a, b);
  CHECK(product.dtype() == kBFloat16);
  CHECK(amp::sum(product).dtype() == kFloat32);
}

TEST_CASE("test_minimal_cpu (test_jit_autocast.py): a scope for CUDA leaves CPU tensors alone") {
  const amp::Tensor a = values({2, 2}), b = values({2, 2});
  const amp::AutocastGuard autocast(amp::kCUDA);
  CHECK(amp::is_autocast_enabled(amp::kCUDA));
  CHECK(amp::matmul(a, b).dtype() == kFloat32);
  CHECK(amp::sum(a.to(kFloat16)).dtype() == kFloat16);
}

TEST_CASE("test_minimal_off (test_jit_autocast.py): a disabled scope changes nothing") {
  const amp::Tensor a = values({2, 2}), b = values({2, 2});
  const amp::AutocastGuard autocast(kCPU, {.dtype = kFloat16, .enabled = false});
  CHECK(amp::matmul(a, b).dtype() == kFloat32);
}

TEST_CASE("test_duplicate_inputs (test_jit_autocast.py): one tensor as both operands") {
  const amp::Tensor a = values({2, 2});
  const amp::AutocastGuard autocast(kCPU, {.dtype = kFloat16});
  const amp::Tensor e = amp::matmul(a, a);
  CHECK(e.dtype() == kFloat16);
  CHECK(amp::matmul(e, e).dtype() == kFloat16);
}

TEST_CASE("test_script_module (test_jit_autocast.py): matrix by vector, then linear") {
  const amp::Tensor a = values({2, 3}), v = values({3}), w = values({3, 2});
  const amp::AutocastGuard autocast(kCPU, {.dtype = kFloat16});
  const amp::Tensor y = amp::matmul(a, v);
  CHECK(y.dtype() == kFloat16);
  CHECK(y.shape() == amp::Shape(2));
  CHECK(amp::linear(y, w).dtype() == kFloat16);
}

TEST_CASE("test_autocast_low_precision (openreg, test_autocast.py): a product runs in float16") {
  const amp::AutocastGuard autocast(kCPU, {.dtype = kFloat16});
  CHECK(amp::matmul(values({2, 3}), values({3, 3})).dtype() == kFloat16);
}

TEST_CASE("test_autocast_bfloat16 (openreg, test_autocast.py): a product runs in bfloat16") {
  const amp::AutocastGuard autocast(kCPU, {.dtype = kBFloat16});
  CHECK(amp::matmul(values({2, 3}), values({3, 3})).dtype() == kBFloat16);
}

TEST_CASE("test_autocast_low_precision_bfloat16 (openreg, test_autocast.py): bits as by hand") {
  check_lowers({{"matmul",
                 {values({2, 3}), values({3, 3})},
                 [](const Inputs& x) { return amp::matmul(x[0], x[1]); }}},
               kBFloat16);
}

TEST_CASE("test_autocast_mixed_input_dtypes (openreg, test_autocast.py): the product is float16") {
  const amp::Tensor a = values({2, 3}), b = values({3, 3}).to(kFloat16);
  CHECK_FALSE(amp_test::error_of([&] { (void)amp::matmul(a, b); }).empty());
  const amp::AutocastGuard autocast(kCPU, {.dtype = kFloat16});
  CHECK(amp::matmul(a, b).dtype() == kFloat16);
}

TEST_CASE("test_autocast_already_target_dtype (openreg, test_autocast.py): nothing to cast") {
  const amp::Tensor a = values({2, 3}).to(kFloat16), b = values({3, 3}).to(kFloat16);
  const amp::Tensor outside = amp::matmul(a, b);
  const amp::AutocastGuard autocast(kCPU, {.dtype = kFloat16});
  CHECK(same(amp::matmul(a, b), outside));
}

// --- float32 -------------------------------------------------------------------------------------

TEST_CASE("test_autocast_torch_fp32 (test_autocast.py): losses of bfloat16 answer in float32") {
  check_raises(loss_calls(), kBFloat16);
}

// avg_pool3d and binary_cross_entropy, which PyTorch lists for the CPU, are as on CUDA here.
TEST_CASE("test_autocast_nn_fp32 (test_autocast.py): losses answer in float32 in either scope") {
  check_raises(loss_calls(), kBFloat16);
  check_raises(loss_calls(), kFloat16);
}

TEST_CASE("test_autocast_torch_fp32 (test_cuda.py): functions of float16 answer in float32") {
  check_raises(float32_calls(), kFloat16);
  using T = amp::Tensor;
  check_reveals([](const T& x) { return amp::exp(x); }, {12}, kInfinity, 162754.797);
  check_reveals([](const T& x) { return amp::pow(x, 2); }, {300}, kInfinity, 90000);
  check_reveals([](const T& x) { return amp::sum(x); }, {60000, 60000}, kInfinity, 120000);
  check_reveals([](const T& x) { return amp::log(x); }, {0x1p-24F}, -16.640625F, -16.6355324);
  check_reveals([](const T& x) { return amp::softmax(x, 0); }, {0, 0, 0}, 0.333251953F,
                0.333333343);
}

TEST_CASE("test_autocast_nn_fp32 (test_cuda.py): losses of float16 answer in float32") {
  check_raises(loss_calls(), kFloat16);
  using T = amp::Tensor;
  check_reveals([](const T& x) { return amp::mse_loss(x, amp::zeros({1}, {.dtype = kFloat16})); },
                {300}, kInfinity, 90000);
  check_reveals(
      [](const T& x) {
        return amp::cross_entropy(x.reshape({1, 2}), amp::tensor({0}, {1}));
      },
      {0, 0}, 0.693359375F, 0.693147182);
}

// Tensors have no methods for functions here: pow(x, 1.5) is x ** 1.5.
TEST_CASE("test_autocast_methods_fp32 (test_cuda.py): a power of float16 answers in float32") {
  check_raises({{"pow",
                 {semantics_test::positive({8})},
                 [](const Inputs& x) { return amp::pow(x[0], 1.5); }}},
               kFloat16);
}

TEST_CASE("test_fp32_policy (test_jit_autocast.py): log of float16 is float32") {
  const amp::AutocastGuard autocast(kCPU, {.dtype = kFloat16});
  CHECK(amp::log(amp::ones({2, 2}, {.dtype = kFloat16})).dtype() == kFloat32);
}

TEST_CASE("test_fp32_policy_with_fp64 (test_jit_autocast.py): log of float64 stays float64") {
  const amp::Tensor x = amp::full({2, 2}, 1 + 0x1p-40, {.dtype = kFloat64});
  const amp::AutocastGuard autocast(kCPU, {.dtype = kFloat16});
  CHECK(amp::log(x).dtype() == kFloat64);
  CHECK(amp::log(x).to_vector<double>()[0] == std::log(1 + 0x1p-40));
}

// PyTorch's softmax takes a dtype, which it respects; amp's takes none.
TEST_CASE("test_fp32_set_opt_dtype_policy (test_jit_autocast.py): softmax of float16 is float32") {
  const amp::AutocastGuard autocast(kCPU, {.dtype = kFloat16});
  CHECK(amp::softmax(values({2, 2}).to(kFloat16), 0).dtype() == kFloat32);
  CHECK(amp::softmax(values({2, 2}).to(kFloat16).to(kFloat64), 0).dtype() == kFloat64);
}

TEST_CASE("test_fp32_set_opt_dtype_policy_fp64 (test_jit_autocast.py): of float64 is float64") {
  const amp::Tensor x = values({2, 2}).to(kFloat64);
  const amp::Tensor outside = amp::softmax(x, 0);
  const amp::AutocastGuard autocast(kCPU, {.dtype = kFloat16});
  CHECK(same(amp::softmax(x, 0), outside));
  CHECK(amp::sum(x).dtype() == kFloat64);
}

TEST_CASE("test_jit_autocast_softmax_gpu (test_jit_autocast.py): softmax of float16 is float32") {
  const amp::Tensor x = values({2, 2}).to(kFloat16);
  CHECK(amp::softmax(x, 0).dtype() == kFloat16);
  const amp::AutocastGuard autocast(kCPU, {.dtype = kFloat16});
  CHECK(amp::softmax(x, 0).dtype() == kFloat32);
}

// asin, which PyTorch's test calls, is none of amp's ops; exp has its policy.
TEST_CASE("test_autocast_fp32 (openreg, test_autocast.py): exp answers in float32") {
  const amp::AutocastGuard autocast(kCPU, {.dtype = kFloat16});
  CHECK(amp::exp(values({2, 3})).dtype() == kFloat32);
}
TEST_CASE("test_autocast_fp32_with_bfloat16 (openreg, test_autocast.py): and in bfloat16 scopes") {
  const amp::AutocastGuard autocast(kCPU, {.dtype = kBFloat16});
  CHECK(amp::exp(values({2, 3}).to(kBFloat16)).dtype() == kFloat32);
}
TEST_CASE("test_autocast_fp32_operation_with_float16_input (openreg, test_autocast.py): of half") {
  const amp::AutocastGuard autocast(kCPU, {.dtype = kFloat16});
  const amp::Tensor x = values({2, 3}).to(kFloat16);
  CHECK(same(amp::exp(x), amp::exp(x.to(kFloat32))));
}
TEST_CASE("test_autocast_fp32_operation_with_float32_input (openreg, test_autocast.py): no cast") {
  const amp::Tensor x = values({2, 3}), outside = amp::exp(x);
  const amp::AutocastGuard autocast(kCPU, {.dtype = kFloat16});
  CHECK(same(amp::exp(x), outside));
}

TEST_CASE("test_autocast_combination_operations (openreg, test_autocast.py): 16, 32, 16 bits") {
  const amp::AutocastGuard autocast(kCPU, {.dtype = kFloat16});
  const amp::Tensor product = amp::matmul(values({2, 3}), values({3, 3}));
  CHECK(product.dtype() == kFloat16);
  const amp::Tensor e = amp::exp(product);
  CHECK(e.dtype() == kFloat32);
  CHECK(amp::matmul(e, values({3, 3})).dtype() == kFloat16);
}

// --- promotion -----------------------------------------------------------------------------------

TEST_CASE("test_autocast_torch_expect_builtin_promote (test_autocast.py): as without autocast") {
  check_builtin_promotion(values({8}), kBFloat16);
  check_builtin_promotion(values({8}), kFloat16);
}
TEST_CASE("test_autocast_methods_expect_builtin_promote (test_autocast.py): operators likewise") {
  check_operator_promotion(kBFloat16);
  check_operator_promotion(kFloat16);
}
TEST_CASE("test_autocast_torch_need_autocast_promote (test_autocast.py): cat and stack widen") {
  check_joins(kBFloat16);
  check_joins(kFloat16);
}

TEST_CASE("test_autocast_torch_expect_builtin_promote (test_cuda.py): as without, cat and stack") {
  check_builtin_promotion(values({8}), kFloat16);
  check_joins(kFloat16);
}
TEST_CASE("test_autocast_methods_expect_builtin_promote (test_cuda.py): operators likewise") {
  check_operator_promotion(kFloat16);
}

// addcmul, atan2, bilinear, dot and the others that PyTorch promotes are none of amp's ops; the
// policy stands for ops of the user's own.
TEST_CASE("test_autocast_torch_need_autocast_promote (test_cuda.py): the widest dtype wins") {
  const amp::Tensor wide = values({8}), narrow = values({8}).to(kFloat16),
                    widened = narrow.to(kFloat32);
  const amp::Tensor by_hand = wide + widened * widened;
  const amp::AutocastGuard autocast(kCPU, {.dtype = kFloat16});
  CHECK(same(promoted_sum(wide, narrow, narrow), by_hand));
  CHECK(same(promoted_sum(narrow, wide, narrow), widened + wide * widened));
  CHECK(promoted_sum(narrow, narrow, narrow).dtype() == kFloat16);
}

TEST_CASE("test_promote_policy (test_jit_autocast.py): float16 beside float32 is float32") {
  const amp::Tensor wide = values({2, 2}), narrow = values({2, 2}).to(kFloat16);
  const amp::AutocastGuard autocast(kCPU, {.dtype = kFloat16});
  CHECK(promoted_sum(narrow, wide, wide).dtype() == kFloat32);
}

TEST_CASE("test_promote_policy_fp64 (test_jit_autocast.py): float64 stays float64") {
  const amp::Tensor x = values({2, 2}).to(kFloat64);
  const amp::Tensor outside = x + x * x;
  const amp::AutocastGuard autocast(kCPU, {.dtype = kFloat16});
  CHECK(same(promoted_sum(x, x, x), outside));
}

// --- what is left alone --------------------------------------------------------------------------

// The vector norm of the test is none of amp's ops.
TEST_CASE("test_autocast_ignored_types (test_cuda.py): float64 and integers") {
  const amp::Tensor wide = amp::ones({8, 8}, {.dtype = kFloat64}),
                    narrow = amp::ones({8, 8}, {.dtype = kFloat16}),
                    integers = amp::ones({8, 8}, {.dtype = amp::kInt32});
  const amp::DType power = amp::pow(integers, 2).dtype(), total = amp::sum(integers).dtype();
  const amp::AutocastGuard autocast(kCPU, {.dtype = kFloat16});
  CHECK_THROWS_AS(amp::matmul(wide, narrow), amp::Error);
  CHECK(amp::matmul(wide, wide).dtype() == kFloat64);
  CHECK(amp::pow(wide, 2).dtype() == kFloat64);
  CHECK(amp::sum(wide).dtype() == kFloat64);
  CHECK(amp::pow(integers, 2).dtype() == power);
  CHECK(amp::sum(integers).dtype() == total);
}

TEST_CASE("test_explicit_casts (test_jit_autocast.py): a cast by hand is respected") {
  const amp::Tensor a = values({2, 2});
  const amp::AutocastGuard autocast(kCPU, {.dtype = kFloat16});
  const amp::Tensor product = amp::matmul(a, a);
  CHECK(product.to(kFloat32).dtype() == kFloat32);
  const amp::Tensor wide = a.to(kFloat64), wide_product = amp::matmul(wide, wide);
  CHECK(wide.dtype() == kFloat64);
  CHECK(wide_product.dtype() == kFloat64);
  CHECK(same(wide_product.to(kFloat32).to(kFloat64).to(kFloat32), wide_product.to(kFloat32)));
}

// addmm is linear with a bias here. Ops write into new tensors only; what writes in place keeps the
// dtype of its target, as out= and addmm_ do.
TEST_CASE("test_inplace (test_jit_autocast.py): addmm is float16, writing in place stays float32") {
  const amp::Tensor a = values({2, 2}), b = values({2, 2}), bias = values({2});
  const amp::AutocastGuard autocast(kCPU, {.dtype = kFloat16});
  const amp::Tensor y = amp::linear(a, b, bias);
  CHECK(y.dtype() == kFloat16);
  const amp::Tensor target = amp::zeros({2, 2});
  target.copy_(y);
  CHECK(target.dtype() == kFloat32);
  CHECK(same(target, y.to(kFloat32)));
  target.fill_(2).zero_();
  CHECK(target.dtype() == kFloat32);
}

TEST_CASE("test_autocast_fallthrough_operation (openreg, test_autocast.py): add stays float32") {
  const amp::Tensor a = values({2, 3}), outside = a + a;
  const amp::AutocastGuard autocast(kCPU, {.dtype = kFloat16});
  CHECK(same(a + a, outside));
}

// Fake tensors have dtypes without values; amp has none, but tensors of no element.
TEST_CASE("test_fake_autocast (test_ops.py): the dtype of each op is a matter of dtypes alone") {
  const auto dtype_of = [](const Call& op, const Inputs& inputs) {
    const amp::AutocastGuard autocast(kCPU, {.dtype = kFloat16});
    return amp::name(op.call(inputs).dtype());
  };
  for (const amp::DType given : {kFloat32, kFloat16, kBFloat16, kFloat64}) {
    const auto check = [&](const std::vector<Call>& calls, amp::DType listed, bool empty_too) {
      for (const Call& op : calls) {
        INFO(op.name << " of " << amp::name(given));
        const Inputs inputs = semantics_test::converted(op.inputs, given);
        const auto expected = amp::name(given == kFloat64 ? kFloat64 : listed);
        CHECK(dtype_of(op, inputs) == expected);
        // Several inputs would no longer fit each other, and some ops need an element.
        if (!empty_too || inputs.size() != 1) continue;
        const Inputs none = {inputs[0].narrow(0, 0, 0).contiguous()};
        if (amp_test::error_of([&] { (void)op.call(none); }).empty())
          CHECK(dtype_of(op, none) == expected);
      }
    };
    check(low_precision_calls(), kFloat16, true);
    check(linear_calls(), kFloat16, true);
    check(float32_calls(), kFloat32, true);
    check(loss_calls(), kFloat32, false);  // their targets are those of a whole batch
    check(unlisted_calls(), given, true);
  }
}

}  // namespace op_lists
