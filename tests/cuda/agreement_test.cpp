// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Where the host and the device may give other bits, and by how much: the golden cases of every op,
// in float32, on both. An op that is not in the table has the same bits on both: one formula serves
// them, and each of its operations is rounded by itself (a GPU needs -fmad=false for that, which
// the tests are compiled with).
#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <string_view>
#include <vector>

#include "conformance/calls.hpp"
#include "cuda/on_both.hpp"

namespace cuda_agreement {
namespace {

using conformance::OpCase;

// Epsilons of the largest magnitude of a result.
constexpr double kMath =
    4;  // exp, log, tanh, erf: the host's vectors, libm and a GPU have their own
constexpr double kSums = 4;        // sums of floats, and of what kMath gives, in another order
constexpr double kLibraries = 16;  // matmuls: every library has an order of its own

const std::map<std::string_view, double> kMayDiffer = {
    {"exp", kMath},
    {"log", kMath},
    {"log1p", kMath},
    {"log2", kMath},
    {"log10", kMath},
    {"expm1", kMath},
    {"sin", kMath},
    {"cos", kMath},
    {"tan", kMath},
    {"asin", kMath},
    {"acos", kMath},
    {"atan", kMath},
    {"atan2", kMath},
    {"sinh", kMath},
    {"cosh", kMath},
    {"rotary_embedding", kMath},  // of a table that the device makes
    {"erf", kMath},
    {"erfinv", kMath},
    {"elu", kMath},
    {"celu", kMath},
    {"selu", kMath},
    {"softplus", kMath},
    {"logsigmoid", kMath},
    {"mish", kMath},
    {"pow", kMath},
    {"tanh", kMath},
    {"sigmoid", kMath},
    {"silu", kMath},
    {"gelu", kMath},
    {"binary_cross_entropy_with_logits", kMath},
    {"var", kSums},
    {"std", kSums},
    {"prod", kSums},  // products in another order
    {"logsumexp", kMath},
    {"norm", kMath},
    {"normalize", kMath},
    {"softmax", kSums},
    {"log_softmax", kSums},
    {"cross_entropy", kSums},
    {"layer_norm", kSums},
    {"rms_norm", kSums},
    {"group_norm", kSums},
    {"batch_norm", kSums},
    {"tanhshrink", kMath},
    {"glu", kMath},
    {"kl_div", kMath},
    {"soft_margin_loss", kMath},
    {"multilabel_soft_margin_loss", kMath},
    {"poisson_nll_loss", kMath},
    {"gaussian_nll_loss", kMath},
    {"linalg_vector_norm", kMath},
    {"cdist", 2 * kSums},
    {"cosine_similarity", kSums},
    {"binary_cross_entropy", kMath},
    {"triplet_margin_loss", kSums},
    {"rnn_relu", kLibraries},
    {"rnn_relu_cell", kLibraries},
    {"instance_norm", kSums},
    {"interpolate", kSums},
    {"grid_sample", kSums},
    {"affine_grid", kLibraries},
    {"ctc_loss", 2 * kSums},
    {"lstm_cell", kLibraries},
    {"gru_cell", kLibraries},
    {"rnn_tanh_cell", kLibraries},
    {"lstm", kLibraries},
    {"gru", kLibraries},
    {"rnn_tanh", 2 * kLibraries},
    {"matmul", kLibraries},
    {"bmm", kLibraries},
    {"linear", kLibraries},
    {"feed_forward", kLibraries},
    {"conv2d", kLibraries},
    {"scaled_dot_product_attention", kLibraries},
};

/// The largest difference of two results over the largest magnitude, in epsilons of float32; 0 if
/// all bits are the same.
double apart(const amp::Tensor& host, const amp::Tensor& device) {
  if (cuda_test::same_bits(host, device)) return 0;
  const double difference = cuda_test::difference(host, device);
  return difference == 0 ? 0.01 : difference / 0x1p-23;  // the sign of a zero, or a NaN's bits
}

double apart(const OpCase& c) {
  const conformance::Call host(c, amp::kCPU, amp::kFloat32), device(c, amp::kCUDA, amp::kFloat32);
  double worst = 0;
  for (std::size_t i = 0; i < c.outputs.size(); ++i) {
    if (c.outputs[i].kind == goldens::kRandom) return 0;
    worst = std::fmax(worst, apart(host.outputs[i], device.outputs[i]));
  }
  if (!conformance::has_gradient(c)) return worst;
  host.backward(c);
  device.backward(c);
  for (std::size_t i = 0; i < host.sources.size(); ++i) {
    if (!host.sources[i].leaf.requires_grad()) continue;
    const amp::Tensor a = host.sources[i].leaf.grad(), b = device.sources[i].leaf.grad();
    if (a.defined()) worst = std::fmax(worst, apart(a, b));
  }
  return worst;
}

}  // namespace

TEST_CASE("cuda agreement: each op has the host's bits, or differs by what the table says",
          "[cuda]") {
  for (const OpCase& c : goldens::op_cases()) {
    INFO(c.op << ": " << c.detail);
    const auto listed = kMayDiffer.find(conformance::op_of(c.op));
    CHECK(apart(c) <= (listed == kMayDiffer.end() ? 0 : listed->second));
  }
}

TEST_CASE("cuda agreement: the table names ops", "[cuda]") {
  const std::vector<OpCase>& cases = goldens::op_cases();
  for (const auto& entry : kMayDiffer) {
    const std::string_view op = entry.first;
    INFO(op);
    CHECK(std::any_of(cases.begin(), cases.end(),
                      [&](const OpCase& c) { return conformance::op_of(c.op) == op; }));
  }
}

namespace {

constexpr std::int64_t kClasses = 64, kLines = 40;

/// The results for the same 40 lines of 64 elements as rows, as columns, and as lines that begin at
/// odd addresses, which are taken element by element.
template <class Op>
std::vector<std::vector<float>> in_each_layout(const Op& op) {
  amp::manual_seed(3);
  const amp::Tensor rows = 9 * amp::randn({kLines, kClasses});
  const amp::Tensor odd = amp::zeros({kLines * kClasses + 1}, {.device = amp::kCUDA});
  odd.narrow(0, 1, kLines * kClasses).copy_(rows.flatten());
  return {
      op(rows.to(amp::kCUDA)).template to_vector<float>(),
      op(rows.t().contiguous().view({1, kClasses, kLines}).to(amp::kCUDA))
          .template to_vector<float>(),
      op(odd.narrow(0, 1, kLines * kClasses).view({kLines, kClasses})).template to_vector<float>()};
}

}  // namespace

TEST_CASE("cuda agreement: losses and probabilities hardly depend on the layout", "[cuda]") {
  const auto targets = [](const amp::Tensor& x) {
    const amp::Tensor t = amp::arange(kLines, {.dtype = amp::kInt64, .device = amp::kCUDA});
    return x.dim() == 2 ? t : t.view({1, kLines});
  };
  const auto losses = in_each_layout([&](const amp::Tensor& x) {
    return amp::cross_entropy(x, targets(x), {.reduction = amp::kNone});
  });
  const auto largest =
      in_each_layout([](const amp::Tensor& x) { return amp::max(amp::softmax(x, 1), 1).values; });
  // All sweeps use the same exponential, and add terms up in double. In which order is theirs.
  for (const auto& results : std::vector{losses, largest}) {
    for (std::size_t layout = 1; layout < results.size(); ++layout) {
      REQUIRE(results[layout].size() == results[0].size());
      for (std::size_t i = 0; i < results[0].size(); ++i)
        CHECK(std::fabs(results[layout][i] - results[0][i]) <= 0x1p-23F * (1 + results[0][i]));
    }
  }
}

}  // namespace cuda_agreement
