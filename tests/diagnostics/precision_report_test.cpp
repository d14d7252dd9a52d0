// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The report of a model: bytes by dtype, and its gradients beside float16's range.
#include <amp/amp.hpp>
#include <amp/diagnostics.hpp>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

namespace precision_report_test {
namespace {

using amp::ReportKind;

const amp::TensorReport& entry(const amp::PrecisionReport& report, const std::string& name) {
  for (const amp::TensorReport& tensor : report.tensors) {
    if (tensor.name == name) return tensor;
  }
  FAIL("no entry " << name);
  return report.tensors.front();
}

/// A layer of one parameter with this gradient.
amp::nn::Module with_gradient(const amp::Tensor& gradient) {
  amp::nn::Module module;
  const amp::Tensor weight = module.register_parameter(
      "weight", amp::zeros(gradient.shape(), {.dtype = gradient.dtype()}));
  weight.set_grad(gradient);
  return module;
}

TEST_CASE("Bytes are reported by kind, dtype and module") {
  const amp::nn::Sequential net{amp::nn::Linear(4, 8), amp::nn::BatchNorm2d(8),
                                amp::nn::Linear(8, 2)};
  amp::AdamW optimizer(net.named_parameters(), {});
  (void)amp::initialize(net, optimizer, amp::OptLevel::kO2, {.dtype = amp::kBFloat16});
  for (const auto& [name, p] : net.named_parameters())
    p.set_grad(amp::ones(p.shape(), {.dtype = p.dtype()}));
  optimizer.step();
  const amp::PrecisionReport report = amp::precision_report(net, {.optimizer = &optimizer});
  const std::int64_t low = 4 * 8 + 8 + 8 * 2 + 2, norm = 16;  // elements
  CHECK(report.bytes(ReportKind::kParameter, amp::kBFloat16) == 2 * low);
  CHECK(report.bytes(ReportKind::kParameter, amp::kFloat32) == 4 * norm);
  CHECK(report.bytes(ReportKind::kParameter) == 2 * low + 4 * norm);
  CHECK(report.bytes(ReportKind::kBuffer, amp::kFloat32) == 4 * 16);
  CHECK(report.bytes(ReportKind::kMaster, amp::kFloat32) == 4 * low);
  CHECK(report.bytes(ReportKind::kOptimizerState) == 2 * 4 * (low + norm));
  CHECK(report.bytes(ReportKind::kMaster, amp::kFloat16) == 0);
  CHECK(entry(report, "2.weight").module == "2");
  CHECK(entry(report, "2.weight").gradient->dtype == amp::kBFloat16);
  CHECK(entry(report, "2.weight.exp_avg").module == "2");
  CHECK(report.to_string().find("optimizer state") != std::string::npos);
}

TEST_CASE("A gradient is counted exactly, in every dtype") {
  for (const amp::DType dtype : {amp::kFloat64, amp::kFloat32, amp::kFloat16, amp::kBFloat16}) {
    const amp::Tensor gradient =
        amp::tensor({0.0F, -3.0F, 4.0F, 0x1p-15F, 0.0F, -0x1p-20F, 0x1p-14F}, {7}).to(dtype);
    const amp::PrecisionReport report = amp::precision_report(with_gradient(gradient));
    const amp::GradientReport& seen = *entry(report, "weight").gradient;
    INFO(amp::to_string(dtype));
    CHECK(seen.dtype == dtype);
    CHECK(seen.elements == 7);
    CHECK(seen.zeros == 2);
    CHECK(seen.underflows == 2);
    CHECK(seen.max_abs == 4);
    CHECK(seen.norm == Approx(5));
    CHECK(seen.infs == 0);
    CHECK(seen.nans == 0);
  }
}

TEST_CASE("A loss scale is divided out, and what it lifts does not underflow") {
  const amp::Tensor gradient = amp::tensor({1024.0F, 0x1p-10F, 0x1p-16F}, {3});
  const amp::PrecisionReport report =
      amp::precision_report(with_gradient(gradient), {.loss_scale = 1024});
  const amp::GradientReport& seen = *entry(report, "weight").gradient;
  CHECK(seen.max_abs == 1);
  CHECK(seen.norm == Approx(1));
  CHECK(seen.underflows == 1);
}

TEST_CASE("Zeros and subnormals are right if an element is NaN or infinite") {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const amp::Tensor gradient = amp::tensor({0.0F, kNan, 0.0F, 0x1p-20F, kInf, -kInf, 2.0F}, {7});
  const amp::PrecisionReport report = amp::precision_report(with_gradient(gradient));
  const amp::GradientReport& seen = *entry(report, "weight").gradient;
  CHECK(seen.zeros == 2);
  CHECK(seen.underflows == 1);
  CHECK(seen.infs == 2);
  CHECK(seen.nans == 1);
  CHECK(std::isnan(seen.max_abs));
  CHECK(std::isnan(seen.norm));
  const std::string text = report.to_string();
  CHECK(text.find("2 inf, 1 NaN") != std::string::npos);
  CHECK(report.to_json().find("\"max_abs\": null") != std::string::npos);
}

TEST_CASE("Large finite gradients are finite, though their squares overflow") {
  const amp::PrecisionReport report = amp::precision_report(with_gradient(amp::full({8}, 1e30)));
  const amp::GradientReport& seen = *entry(report, "weight").gradient;
  CHECK(seen.infs + seen.nans == 0);
  CHECK(seen.max_abs == Approx(1e30));
}

TEST_CASE("A gradient that overflows when the loss scale is divided out is infinite") {
  const amp::PrecisionReport report = amp::precision_report(
      with_gradient(amp::tensor({1e38F, 1.0F}, {2})), {.loss_scale = 0x1p-10});
  const amp::GradientReport& seen = *entry(report, "weight").gradient;
  CHECK(seen.infs == 1);
  CHECK(seen.nans == 0);
  CHECK(std::isinf(seen.max_abs));
}

TEST_CASE("Parameters without gradients, and empty ones") {
  amp::nn::Module module;
  module.register_parameter("frozen", amp::ones({2}), false);
  module.register_parameter("fresh", amp::ones({3}));
  const amp::Tensor empty = module.register_parameter("empty", amp::ones({0, 4}));
  empty.set_grad(amp::ones({0, 4}));
  const amp::PrecisionReport report = amp::precision_report(module);
  CHECK(!entry(report, "frozen").gradient);
  CHECK(!entry(report, "frozen").requires_grad);
  CHECK(!entry(report, "fresh").gradient);
  CHECK(entry(report, "empty").gradient->elements == 0);
  CHECK(entry(report, "empty").gradient->norm == 0);
  CHECK(report.to_string().find("none yet") != std::string::npos);
  CHECK(amp::precision_report(amp::nn::Module()).tensors.empty());
}

TEST_CASE("A loss scale that cannot be divided by is refused") {
  const amp::nn::Linear layer(2, 2);
  for (const double scale : {0.0, -1.0, 1e60, 1e-60, std::nan("")})
    CHECK_THROWS_AS(amp::precision_report(layer, {.loss_scale = scale}), amp::Error);
  CHECK_THROWS_AS(amp::precision_report(amp::nn::Module(nullptr)), amp::Error);
}

TEST_CASE("The report neither changes gradients nor records history") {
  const amp::nn::Linear layer(4, 2);
  amp::sum(layer(amp::ones({3, 4}))).backward();
  const auto before = layer.weight.grad().to_vector<float>();
  const std::uint64_t version = layer.weight.version();
  (void)amp::precision_report(layer);
  CHECK(layer.weight.grad().to_vector<float>() == before);
  CHECK(layer.weight.version() == version);
}

}  // namespace
}  // namespace precision_report_test
