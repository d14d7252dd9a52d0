// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Rotary embeddings: products that depend on distances only, tables, layouts, what is refused.
#include <amp/amp.hpp>

#include <cmath>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/error_of.hpp"
#include "support/numbers.hpp"

namespace rotary_embedding {
namespace {

using amp::Tensor;

TEST_CASE("rotary_embedding: products depend on the distance of the positions", "[ops]") {
  amp::manual_seed(1);
  const Tensor q = amp::randn({1, 8}), k = amp::randn({1, 8});
  for (const bool interleaved : {false, true}) {
    const auto product = [&](std::int64_t of_q, std::int64_t of_k) {
      const auto at = [&](const Tensor& x, std::int64_t position) {
        const amp::RotaryTable table =
            amp::rotary_table(amp::full({1}, static_cast<double>(position)), 8);
        return amp::rotary_embedding(x, table.cos, table.sin, {.interleaved = interleaved});
      };
      return amp::sum(at(q, of_q) * at(k, of_k)).item<double>();
    };
    CHECK(product(0, 0) == Approx(amp::sum(q * k).item<double>()).margin(1e-5));
    CHECK(product(7, 3) == Approx(product(104, 100)).margin(1e-4));
    CHECK(std::abs(product(7, 3) - product(3, 7)) > 1e-3);
  }
}

TEST_CASE("rotary_table: angles", "[ops]") {
  const amp::RotaryTable table = amp::rotary_table(amp::tensor({0.0, 2.5, 100'000.0}, {3}), 6, 500);
  REQUIRE(table.cos.shape() == amp::Shape(3, 3));
  const auto cosines = table.cos.to_vector<float>(), sines = table.sin.to_vector<float>();
  const double positions[] = {0, 2.5, 100'000};
  for (std::size_t l = 0; l < 3; ++l) {
    for (std::size_t i = 0; i < 3; ++i) {
      const double angle = positions[l] * std::pow(500.0, -2.0 * static_cast<double>(i) / 6);
      CHECK(std::abs(cosines[l * 3 + i] - std::cos(angle)) < 1e-7);
      CHECK(std::abs(sines[l * 3 + i] - std::sin(angle)) < 1e-7);
    }
  }
  CHECK(amp::rotary_table(amp::ones({2, 5}, {.dtype = amp::kInt64}), 4).sin.shape() ==
        amp::Shape(2, 5, 2));
}

TEST_CASE("rotary_embedding: of heads before positions, and behind them", "[ops]") {
  const Tensor x = amp::randn({2, 5, 3, 8});  // [B, L, heads, E]
  const amp::RotaryTable table = amp::rotary_table(amp::arange(5), 6);
  for (const bool interleaved : {false, true}) {
    const Tensor behind = amp::rotary_embedding(x, table.cos.unsqueeze(1), table.sin.unsqueeze(1),
                                                {.interleaved = interleaved});
    const Tensor before = amp::rotary_embedding(x.transpose(1, 2), table.cos, table.sin,
                                                {.interleaved = interleaved});
    CHECK(amp_test::same_bits(behind, before.transpose(1, 2)));
  }
  const Tensor low = x.to(amp::kBFloat16);
  const Tensor y = amp::rotary_embedding(low, table.cos.unsqueeze(1), table.sin.unsqueeze(1));
  CHECK(y.dtype() == amp::kBFloat16);
  CHECK(amp_test::same_bits(y, amp::rotary_embedding(low.to(amp::kFloat32), table.cos.unsqueeze(1),
                                                     table.sin.unsqueeze(1))
                                   .to(amp::kBFloat16)));
}

TEST_CASE("rotary_embedding: what is refused", "[ops]") {
  const Tensor x = amp::ones({5, 4}), two = amp::ones({5, 2});
  const auto says = [](const auto& call, const std::string& words) {
    CHECK_THAT(amp_test::error_of(call), Catch::Matchers::ContainsSubstring(words));
  };
  says(
      [&] {
        return amp::rotary_embedding(x, two, amp::ones({5, 1}));
      },
      "rotary_embedding: `sin` must be [..., R / 2], of the shape of `cos`");
  says(
      [&] {
        return amp::rotary_embedding(x, amp::ones({5, 3}), amp::ones({5, 3}));
      },
      "at most half the last extent");
  says(
      [&] {
        return amp::rotary_embedding(x, amp::ones({4, 2}), amp::ones({4, 2}));
      },
      "must broadcast to [5, 2]");
  says(
      [&] {
        return amp::rotary_embedding(x, amp::ones({2, 5, 2}), amp::ones({2, 5, 2}));
      },
      "must broadcast to [5, 2]");
  says(
      [&] {
        return amp::rotary_embedding(x, two, amp::ones({5, 2}, {.requires_grad = true}));
      },
      "`sin` must not require gradients");
  says([&] { return amp::rotary_embedding(x, Tensor(), two); }, "`cos`");
  says([&] { return amp::rotary_embedding(x.to(amp::kInt64), two, two); }, "`input`");
  says([&] { return amp::rotary_embedding(amp::ones({}), two, two); }, "`cos` and `sin`");
  says([&] { return amp::rotary_table(amp::arange(3), 5).cos; }, "`width` must be even, but is 5");
  says([&] { return amp::rotary_table(amp::arange(3), 4, 0).cos; }, "`base`");
}

}  // namespace
}  // namespace rotary_embedding
