// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Histograms of gradients by name, as numbers and as text.
#include <amp/amp.hpp>
#include <amp/diagnostics.hpp>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace gradient_histogram {
namespace {

using amp::GradientHistogram;
using amp::Tensor;
using amp_test::error_of;
using Catch::Matchers::ContainsSubstring;

Tensor parameter(const std::vector<float>& gradient) {
  const auto n = static_cast<std::int64_t>(gradient.size());
  const Tensor p = amp::ones({n}, {.requires_grad = true});
  p.set_grad(amp::tensor(gradient, {n}));
  return p;
}
std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST_CASE("gradients: by name and whole, without the scale they carry",
          "[diagnostics][histogram]") {
  const amp::NamedTensors parameters = {{"a.weight", parameter({8, 16, 0})},
                                        {"frozen", amp::ones({2})},
                                        {"b.weight", parameter({4, HUGE_VALF})}};
  const GradientHistogram h = amp::gradient_histogram(parameters, 4);
  REQUIRE(h.by_name().size() == 2);
  CHECK(h.by_name()[0].first == "a.weight");
  CHECK(h.by_name()[0].second == amp::exponent_histogram(amp::tensor({2.0, 4.0, 0.0}, {3})));
  CHECK(h.by_name()[1].second.count(0) == 1);
  CHECK(h.all() == amp::exponent_histogram(amp::tensor({2.0, 4.0, 0.0, 1.0, HUGE_VAL}, {5})));
  CHECK(h.scale() == 4);
  CHECK(h.recommended_scale().scale == h.all().recommended_scale().scale);
}

TEST_CASE("gradients: a scale that is no power of two is divided by exactly",
          "[diagnostics][histogram]") {
  const GradientHistogram h =
      amp::gradient_histogram(amp::NamedTensors{{"w", parameter({3, 2.9F, 6, 0, 0x1p-149F})}}, 3);
  CHECK(h.all().count(0) == 1);
  CHECK(h.all().count(-1) == 1);
  CHECK(h.all().count(1) == 1);
  CHECK(h.all().zeros() == 1);
  CHECK(h.all().count(-149) == 1);  // 2^-151, beyond the bins
}

TEST_CASE("gradients: an optimizer's, in the middle of a scaler's cycle",
          "[diagnostics][histogram]") {
  const amp::nn::Linear layer(4, 3);
  amp::SGD sgd(layer.named_parameters(), {.lr = 0.1});
  amp::SGD unnamed({amp::ones({2}, {.requires_grad = true})}, {.lr = 0.1});
  amp::GradScaler scaler({.init_scale = 1024});
  scaler.scale(amp::sum(layer(amp::ones({2, 4})))).backward();
  const GradientHistogram scaled = amp::gradient_histogram(sgd, scaler.get_scale());
  scaler.unscale_(sgd);
  const GradientHistogram unscaled = amp::gradient_histogram(sgd);
  CHECK(scaled.by_name() == unscaled.by_name());
  CHECK(scaled.by_name()[0].first == "weight");
  CHECK(scaled.all().count(1) == 15);  // the sum over two rows of ones
  scaler.step(sgd), scaler.update();
  unnamed.parameters()[0].set_grad(amp::ones({2}));
  CHECK(amp::gradient_histogram(unnamed).by_name()[0].first == "0");
}

TEST_CASE("gradients: others can be added, as backward comes by them", "[diagnostics][histogram]") {
  GradientHistogram h(2);
  h.add("conv1", amp::full({3}, 2).to(amp::kFloat16));
  h.add("conv2", amp::full({2}, 8));
  h.set_scale(8);
  h.add("conv1", amp::full({5}, 8));
  h.add("counted", amp::exponent_histogram(amp::zeros({4})));
  CHECK(h.by_name().size() == 3);
  CHECK(h.by_name()[0].second.count(0) == 8);
  CHECK(h.all().total() == 14);
  CHECK(h.scale() == 8);

  GradientHistogram sum;
  sum += h;
  sum += h;
  CHECK(sum.scale() == 8);
  CHECK(sum.all().total() == 28);
  sum += sum;
  CHECK(sum.all().total() == 56);
  CHECK(sum.by_name()[0].second.count(0) == 32);
  h.add({{"conv2", amp::ones({1})}, {"conv9", amp::ones({1})}, {"conv1", amp::ones({1})}});
  CHECK(h.by_name().size() == 4);
  CHECK(h.by_name()[1].second.total() == 3);
}

TEST_CASE("gradients: misuse is refused, and changes nothing", "[diagnostics][histogram]") {
  GradientHistogram h;
  CHECK_THAT(error_of([&] {
               h.add("w", Tensor());
               return 0;
             }),
             ContainsSubstring("GradientHistogram::add: tensor \"w\" is undefined"));
  const Tensor integers = amp::ones({2}, {.dtype = amp::kInt64});
  CHECK_THAT(error_of([&] {
               h.add({{"x", amp::ones({1})}, {"w", integers}});
               return 0;
             }),
             ContainsSubstring("tensor \"w\"") && ContainsSubstring("floating-point"));
  h.set_scale(3);
  CHECK_THAT(error_of([&] {
               h.add({{"x", amp::ones({1})}, {"w", integers}});
               return 0;
             }),
             ContainsSubstring("floating-point"));
  CHECK_THAT(error_of([&] {
               h.add("w", Tensor());
               return 0;
             }),
             ContainsSubstring("undefined"));
  CHECK(h.by_name().empty());
  CHECK(h.all().total() == 0);
  for (const double scale : {0.0, -2.0, HUGE_VAL, std::nan("")}) {
    CHECK_THAT(error_of([&] { return GradientHistogram(scale); }),
               ContainsSubstring("GradientHistogram: `scale` must be finite and above 0"));
    CHECK_THAT(error_of([&] {
                 h.set_scale(scale);
                 return 0;
               }),
               ContainsSubstring("set_scale: `scale` must be finite and above 0"));
    CHECK(h.scale() == 3);
  }
  const amp::NamedTensors without = {{"a", amp::ones({2}, {.requires_grad = true})}};
  CHECK_THAT(error_of([&] { return amp::gradient_histogram(without); }),
             ContainsSubstring("none of 1 parameters has a gradient; call it after backward()"));
  CHECK_THAT(error_of([&] {
               return amp::gradient_histogram(amp::NamedTensors{{"a", Tensor()}});
             }),
             ContainsSubstring("parameter \"a\" is undefined"));
  const amp::NamedTensors one = {{"a", parameter({1})}};
  CHECK_THAT(error_of([&] { return amp::gradient_histogram(one, 0); }),
             ContainsSubstring("`scale` must be finite and above 0"));
}

GradientHistogram example() {
  GradientHistogram h(65536);
  h.add("conv<1>", amp::tensor({0x1p-14F, 0x1p-12F, 0x1p3F, 0.0F}, {4}));  // times 2^16
  h.add("linear", amp::tensor({0x1p-30F, HUGE_VALF}, {2}));
  return h;
}

TEST_CASE("gradients: text tells what float16 loses at either scale", "[diagnostics][histogram]") {
  const std::string text = example().to_string();
  for (const char* part : {"which is 2^16", "conv<1>        4  25.00 %", " 0 at scale 1",
                           " 0 at 2^16", "2^-46", "2^-13", "0 at both scales", "75.00 %"})
    CHECK_THAT(text, ContainsSubstring(part));
  for (const char c : text) CHECK((c == '\n' || (c >= ' ' && c <= '~')));
  GradientHistogram wide;
  wide.add("w", amp::tensor({0x1p-149F, 0x1p127F}, {2}));
  CHECK(count(wide.to_string(), "\n") < 65);  // bins are put together
  CHECK_THAT(GradientHistogram().to_string(), ContainsSubstring("no finite value"));
  CHECK_THAT(error_of([&] { return wide.to_string(amp::kBool); }),
             ContainsSubstring("`format` must be a floating-point dtype"));
}

}  // namespace
}  // namespace gradient_histogram
