// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// shadow_run compares a step in two precisions, op by op.
#include <algorithm>
#include <amp/amp.hpp>
#include <amp/diagnostics.hpp>
#include <catch2/catch.hpp>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace shadow_run_test {
namespace {

const std::pair<amp::DeviceType, amp::AutocastOptions> kHalf{amp::kCPU, {.dtype = amp::kFloat16}};

struct Net : amp::nn::Layer<Net> {
  amp::nn::Linear first{register_module("first", amp::nn::Linear(16, 32))};
  amp::nn::Linear second{register_module("second", amp::nn::Linear(32, 4))};
  amp::Tensor forward(const amp::Tensor& x) const { return second(amp::relu(first(x))); }
};

const amp::ShadowEntry* find(const amp::ShadowReport& report, const std::string& module,
                             const std::string& name, bool backward = false) {
  for (const amp::ShadowEntry& entry : report.entries) {
    if (entry.module == module && entry.name == name && entry.backward == backward) return &entry;
  }
  return nullptr;
}

TEST_CASE("A shadow run says by how much each op differs") {
  const Net net;
  const amp::Tensor x = amp::randn({8, 16});
  const amp::ShadowReport report = amp::shadow_run([&] { amp::mean(net(x)).backward(); }, kHalf);
  CHECK(report.unmatched.empty());
  const amp::ShadowEntry* const first = find(report, "first", "linear");
  REQUIRE(first != nullptr);
  CHECK(first->dtype == amp::kFloat16);
  CHECK(first->reference_dtype == amp::kFloat32);
  // By hand: the norm of the difference over that of the float32 result.
  const amp::NoGradGuard no_grad;
  const auto reference = net.first(x).to_vector<double>();
  const auto half = [&] {
    const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
    return net.first(x).to_vector<double>();
  }();
  double difference = 0, norm = 0, most = 0;
  for (std::size_t i = 0; i < half.size(); ++i) {
    difference += (half[i] - reference[i]) * (half[i] - reference[i]);
    norm += reference[i] * reference[i];
    most = std::max(most, std::abs(half[i] - reference[i]));
  }
  CHECK(first->relative_error == Approx(std::sqrt(difference / norm)));
  CHECK(first->max_error == Approx(most));
  CHECK(std::abs(half[static_cast<std::size_t>(first->worst)] -
                 reference[static_cast<std::size_t>(first->worst)]) == Approx(most));
  CHECK(find(report, "second", "linear", true) != nullptr);
  CHECK(find(report, "", "relu") != nullptr);
}

TEST_CASE("The first op that parts by more than the tolerance is named") {
  const Net net;
  net.second.weight.detach().fill_(3e4);  // its sums overflow float16
  const amp::Tensor x = amp::ones({2, 16});
  net.first.weight.detach().fill_(1);
  const amp::ShadowReport report = amp::shadow_run([&] { (void)amp::exp(net(x) * 0.0); }, kHalf);
  const std::optional<amp::ShadowEntry> parted = report.first_divergence(0.01);
  REQUIRE(parted);
  CHECK(parted->module == "second");
  CHECK(parted->name == "linear");
  CHECK(!parted->finite);
  CHECK(parted->reference_finite);
  CHECK(std::isnan(parted->relative_error));
  const std::string text = report.to_string();
  CHECK(text.find("<- first above 0.01") != std::string::npos);
  CHECK(text.find("second") < text.find("<-"));
}

TEST_CASE("Equal precisions have no divergence, also with dropout") {
  const Net net;
  const amp::Tensor x = amp::randn({8, 16});
  const auto step = [&] { amp::mean(amp::dropout(net(x), 0.5, true)).backward(); };
  amp::manual_seed(3);
  const amp::ShadowReport report = amp::shadow_run(step, kHalf, kHalf);
  CHECK(!report.first_divergence(0));
  CHECK(!report.entries.empty());
  for (const amp::ShadowEntry& entry : report.entries) CHECK(entry.relative_error == 0);
  // The random stream goes on as after one run.
  const amp::Tensor next = amp::rand({4});
  amp::manual_seed(3);
  step();
  CHECK(next.to_vector<float>() == amp::rand({4}).to_vector<float>());
}

TEST_CASE("Two scopes of the user's own can be compared") {
  const amp::Tensor x = amp::randn({8, 16}), y = amp::randn({16, 8});
  const amp::ShadowReport report = amp::shadow_run(
      [&] { (void)amp::matmul(x, y); }, {amp::kCPU, {.dtype = amp::kBFloat16}},
      std::pair<amp::DeviceType, amp::AutocastOptions>{amp::kCPU, {.dtype = amp::kFloat16}});
  REQUIRE(report.entries.size() == 1);
  CHECK(report.entries[0].dtype == amp::kBFloat16);
  CHECK(report.entries[0].reference_dtype == amp::kFloat16);
  CHECK(report.entries[0].relative_error > 1e-4);
}

TEST_CASE("Ops that only one run has are listed") {
  const amp::Tensor x = amp::randn({4});
  int runs = 0;
  const amp::ShadowReport report = amp::shadow_run(
      [&] {
        (void)amp::exp(x);
        if (++runs == 2) (void)amp::relu(x);
      },
      kHalf);
  CHECK(report.entries.size() == 1);
  CHECK(report.unmatched == std::vector<std::string>{"relu"});
  CHECK(report.to_string().find("only in one run: relu") != std::string::npos);
}

TEST_CASE("A step that throws leaves the random stream and the scopes as they were") {
  amp::manual_seed(5);
  const amp::RngState before = amp::get_rng_state();
  CHECK_THROWS_AS(amp::shadow_run(
                      [&] {
                        (void)amp::rand({4});
                        throw std::runtime_error("stop");
                      },
                      kHalf),
                  std::runtime_error);
  CHECK(amp::get_rng_state() == before);
  CHECK(!amp::is_autocast_enabled(amp::kCPU));
  CHECK(amp::shadow_run([] {}, kHalf).entries.empty());
}

TEST_CASE("Zeros in both runs are equal; an empty result has no error") {
  const amp::ShadowReport report = amp::shadow_run(
      [&] {
        (void)amp::relu(amp::zeros({4}));
        (void)amp::relu(amp::zeros({0}));
      },
      kHalf);
  REQUIRE(report.entries.size() == 2);
  CHECK(report.entries[0].relative_error == 0);
  CHECK(report.entries[1].worst == -1);
}

}  // namespace
}  // namespace shadow_run_test
