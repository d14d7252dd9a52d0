// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Attention by blocks, on the host: the values and gradients of the ops that it is composed of
// elsewhere, in less memory, whatever the number of threads.
#include <amp/amp.hpp>
#include <amp/autocast/convert.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/child.hpp"
#include "support/error_of.hpp"

namespace attention_test {
namespace {

using amp::Shape;
using amp::Tensor;
using Tensors = std::vector<Tensor>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

struct Case {
  Shape query = {}, key = {}, value = {};
  bool causal = false;
  Tensor mask = {};
  double scale = 0.5;
  std::int64_t window = 1 << 20;
};

Tensor composed(const Tensor& q, const Tensor& k, const Tensor& v, const Case& c) {
  return amp::detail::composed_attention(q, k, v, c.mask, {c.scale, c.causal, c.window});
}
Tensor blocked(const Tensor& q, const Tensor& k, const Tensor& v, const Case& c) {
  return amp::scaled_dot_product_attention(
      q, k, v, {.attn_mask = c.mask, .is_causal = c.causal, .scale = c.scale, .window = c.window});
}

/// The result and the gradients of the inputs, in which `change` may have changed something.
template <class Attention, class Change>
Tensors results(const Case& c, amp::DType dtype, Attention&& attend, Change&& change) {
  amp::manual_seed(5);
  Tensors x;
  for (const Shape& shape : {c.query, c.key, c.value}) x.push_back(amp::randn(shape).to(dtype));
  change(x);
  for (const Tensor& input : x) input.requires_grad_();
  const Tensor y = attend(x[0], x[1], x[2], c);
  y.backward(amp::randn(y.shape()).to(dtype));
  return {y.detach(), x[0].grad(), x[1].grad(), x[2].grad()};
}
template <class Attention>
Tensors results(const Case& c, amp::DType dtype, Attention&& attend) {
  return results(c, dtype, attend, [](const Tensors&) {});
}

/// The largest difference, in units of the largest magnitude; infinite where only one is NaN or
/// they are different infinities.
double difference(const Tensor& actual, const Tensor& expected) {
  const std::vector<double> a = actual.to_vector<double>(), e = expected.to_vector<double>();
  if (a.size() != e.size()) return kInfinity;
  double largest = 0, worst = 0;
  for (const double x : e) largest = std::isfinite(x) ? std::max(largest, std::abs(x)) : largest;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isfinite(a[i]) && std::isfinite(e[i])) {
      worst = std::max(worst, std::abs(a[i] - e[i]));
    } else if (a[i] != e[i] && !(std::isnan(a[i]) && std::isnan(e[i]))) {
      return kInfinity;
    }
  }
  return largest == 0 ? worst : worst / largest;
}

double tolerance(amp::DType dtype) {
  return dtype == amp::kFloat64    ? 1e-14
         : dtype == amp::kFloat32  ? 2e-6
         : dtype == amp::kFloat16  ? 0x1.8p-10
         : dtype == amp::kBFloat16 ? 0x1.8p-7
                                   : 0.25;  // of the coarsest format
}

Tensor bools(const Shape& shape) { return amp::gt(amp::randn(shape), -0.3); }
/// Not everything is seen, and of row 1 nothing.
Tensor with_blind_row(const Shape& shape) {
  Tensor mask = bools(shape);
  mask.select(-2, 1).fill_(false);
  return mask;
}
Tensor infinite_where_not(const Tensor& seen) {
  return amp::where(seen, amp::randn(seen.shape()), amp::full({}, -kInfinity));
}

std::vector<Case> cases() {
  amp::manual_seed(1);
  return {
      {{1, 1}, {1, 1}, {1, 1}},
      {{1, 4}, {9, 4}, {9, 1}},
      {{3, 5, 7}, {3, 11, 7}, {3, 11, 3}},
      {{2, 2, 70, 8}, {2, 2, 90, 8}, {2, 2, 90, 5}, true},
      {{2, 2, 130, 8}, {2, 2, 65, 8}, {2, 2, 65, 8}, true},
      {{2, 3, 1, 2, 66, 17}, {2, 3, 1, 2, 66, 17}, {2, 3, 1, 2, 66, 17}, true, {}, 3.0},
      {{2, 1, 9, 4}, {3, 10, 4}, {2, 3, 10, 6}},
      {{9, 4}, {2, 10, 4}, {3, 1, 10, 6}, false, bools({9, 10})},
      {{3, 1030}, {5, 1030}, {5, 2}},
      // More keys than a block has.
      {{2, 67, 4}, {2, 1100, 4}, {2, 1100, 3}},
      {{1090, 4}, {1090, 4}, {1090, 3}, true},
      {{67, 4}, {2100, 4}, {2100, 3}, false, with_blind_row({67, 2100})},
      {{67, 4}, {1100, 4}, {1100, 3}, false, infinite_where_not(with_blind_row({67, 1100}))},
      // Windows: within a block of keys, over several, with a mask, and beyond the keys.
      {{2, 70, 8}, {2, 90, 8}, {2, 90, 5}, false, {}, 0.5, 7},
      {{2, 200, 8}, {2, 200, 8}, {2, 200, 5}, true, {}, 0.5, 1},
      {{1200, 4}, {2300, 4}, {2300, 3}, false, {}, 0.5, 600},
      {{1300, 4}, {1300, 4}, {1300, 3}, true, {}, 0.5, 1100},
      {{70, 4}, {90, 4}, {90, 3}, false, with_blind_row({70, 90}), 0.5, 30},
      {{300, 4}, {20, 4}, {20, 3}, false, {}, 0.5, 10},
      // Every shape of mask.
      {{2, 3, 9, 4}, {2, 3, 20, 4}, {2, 3, 20, 6}, false, with_blind_row({9, 20})},
      {{2, 3, 9, 4}, {2, 3, 20, 4}, {2, 3, 20, 6}, false, bools({2, 1, 1, 20})},
      {{2, 3, 9, 4}, {2, 3, 20, 4}, {2, 3, 20, 6}, false, bools({9, 1})},
      {{2, 3, 9, 4}, {2, 3, 20, 4}, {2, 3, 20, 6}, false, bools({20, 9}).transpose(0, 1)},
      {{2, 3, 9, 4}, {2, 3, 20, 4}, {2, 3, 20, 6}, false, amp::randn({2, 3, 9, 20})},
      {{2, 3, 9, 4}, {2, 3, 20, 4}, {2, 3, 20, 6}, false, amp::randn({20, 9}).transpose(0, 1)},
      {{9, 4}, {20, 4}, {20, 6}, false, infinite_where_not(with_blind_row({9, 20}))},
      // What the composed ops still compute.
      {{9, 4}, {20, 4}, {20, 6}, false, {}, -0.5},
      {{9, 4}, {20, 4}, {20, 6}, true, {}, 0.0},
  };
}

std::string describe(const Case& c) {
  return to_string(c.query) + " " + to_string(c.key) + " " + to_string(c.value) +
         (c.causal ? " causal" : "") + " window " + std::to_string(c.window) +
         (c.mask.defined() ? " mask " + to_string(c.mask.shape()) : "");
}

}  // namespace

TEST_CASE("attention by blocks: the values and gradients of the composed ops", "[ops]") {
  for (const Case& c : cases()) {
    for (const amp::DType dtype :
         {amp::kFloat64, amp::kFloat32, amp::kFloat16, amp::kBFloat16, amp::kFloat8E5M2}) {
      const bool is_large = c.query.numel() + c.key.numel() > 2500;
      if (is_large && dtype != amp::kFloat64 && dtype != amp::kBFloat16) continue;
      INFO(describe(c) << ", " << name(dtype));
      const Tensors actual = results(c, dtype, blocked), expected = results(c, dtype, composed);
      for (std::size_t i = 0; i < actual.size(); ++i) {
        CAPTURE(i);
        CHECK(actual[i].dtype() == dtype);
        CHECK(actual[i].shape() == expected[i].shape());
        CHECK(difference(actual[i], expected[i]) <= tolerance(dtype));
      }
    }
  }
}

TEST_CASE("attention by blocks: heads as views, without copies", "[ops]") {
  // [B, L, 3 H E] cut into heads, as a transformer does it.
  constexpr std::int64_t kBatch = 2, kHeads = 3, kLength = 70, kWidth = 8;
  for (const amp::DType dtype : {amp::kFloat32, amp::kBFloat16}) {
    const auto run = [&](auto&& attend) {
      amp::manual_seed(2);
      const Tensor x = amp::randn({kBatch, kLength, 3 * kHeads * kWidth}).to(dtype);
      x.requires_grad_();
      const auto head = [&](std::int64_t i) {
        return x.view({kBatch, kLength, 3, kHeads, kWidth}).select(2, i).transpose(1, 2);
      };
      const Tensor y = attend(head(0), head(1), head(2), Case{.causal = true});
      y.transpose(1, 2).backward(amp::randn({kBatch, kLength, kHeads, kWidth}).to(dtype));
      return Tensors{y.detach(), x.grad()};
    };
    const Tensors actual = run(blocked), expected = run(composed);
    CHECK(actual[0].is_contiguous());
    CHECK(difference(actual[0], expected[0]) <= tolerance(dtype));
    CHECK(difference(actual[1], expected[1]) <= tolerance(dtype));
  }
  // Dimensions that are not dense, transposed, and broadcast.
  const Tensor q = amp::randn({5, 7, 12}).transpose(0, 2), k = amp::randn({12, 9, 10});
  const Tensor v = amp::randn({1, 6}).expand({12, 9, 6});
  for (const amp::DType dtype : {amp::kFloat64, amp::kFloat16}) {
    const Tensor a = q.to(dtype), b = k.to(dtype).narrow(2, 1, 5).select(1, 3).unsqueeze(1);
    CHECK(difference(blocked(a, b.expand({12, 9, 5}), v.to(dtype), {}),
                     composed(a, b.expand({12, 9, 5}), v.to(dtype), {})) <= tolerance(dtype));
  }
}

TEST_CASE("attention by blocks: infinity and NaN", "[ops]") {
  struct Change {
    std::size_t input;
    std::int64_t row;
    double value;
  };
  // In the last row: a causal mask hides it from all queries but the last.
  const Change changes[] = {{0, 3, kNaN},       {0, 3, kInfinity},   {1, 19, kNaN},
                            {1, 19, kInfinity}, {1, 19, -kInfinity}, {2, 19, kNaN},
                            {2, 19, kInfinity}};
  for (const Change& now : changes) {
    for (const bool causal : {false, true}) {
      const Case c{{20, 4}, {20, 4}, {20, 6}, causal};
      for (const amp::DType dtype : {amp::kFloat64, amp::kFloat32, amp::kBFloat16}) {
        CAPTURE(now.input, now.value, causal, name(dtype));
        const auto change = [&](const Tensors& x) {
          x[now.input].select(0, now.row).fill_(now.value);
        };
        const Tensors actual = results(c, dtype, blocked, change);
        const Tensors expected = results(c, dtype, composed, change);
        for (std::size_t i = 0; i < actual.size(); ++i) {
          CAPTURE(i);
          CHECK(difference(actual[i], expected[i]) <= tolerance(dtype));
        }
      }
    }
  }
  // Scores that are all -infinity are none that a mask hides.
  const Tensor q = amp::full({1, 1}, -kInfinity), ones = amp::ones({3, 1});
  CHECK(std::isnan(amp::scaled_dot_product_attention(q, ones, ones).item<double>()));
  const Tensor none = amp::zeros({1, 3}, {.dtype = amp::kBool});
  CHECK(amp::scaled_dot_product_attention(q, ones, ones, none).item<double>() == 0);
  // Large scores lose nothing: all keys are equal.
  const Tensor large = amp::full({5, 4}, 3000.0);
  CHECK(
      amp::scaled_dot_product_attention(large, large, amp::arange(5).to(amp::kFloat32).view({5, 1}))
          .to_vector<double>() == std::vector<double>(5, 2.0));
  // The lowest finite number, as many programs write it into masks, hides no key from a row of it.
  const Tensor lowest = amp::full({1, 3}, std::numeric_limits<float>::lowest());
  CHECK(amp::scaled_dot_product_attention(amp::ones({1, 1}), ones,
                                          amp::arange(3).to(amp::kFloat32).view({3, 1}), lowest)
            .item<double>() == 1);
  CHECK(amp::scaled_dot_product_attention(ones, ones, ones, {}, 0, false, 1e-46)
            .to_vector<double>() == std::vector<double>(3, 1.0));
}

TEST_CASE("attention by blocks: -infinity in a whole block of keys", "[ops]") {
  const auto change = [](const Tensors& x) {
    x[1].narrow(0, 0, 1040).fill_(-kInfinity);
    x[0].fill_(1.0);
  };
  const Case c{{3, 1}, {1100, 1}, {1100, 2}};
  const Tensors actual = results(c, amp::kFloat32, blocked, change);
  const Tensors expected = results(c, amp::kFloat32, composed, change);
  CHECK(difference(actual[0], expected[0]) <= 2e-6);
  CHECK(difference(actual[3], expected[3]) <= 2e-6);
}

TEST_CASE("attention by blocks: no matrix of scores is held", "[ops]") {
  constexpr std::int64_t kLength = 1200, kBytes = kLength * kLength * 4;
  const Case c{{kLength, 4}, {kLength, 4}, {kLength, 4}, true};
  const std::int64_t before = amp::memory_stats().current_bytes;
  amp::reset_peak_memory();
  results(c, amp::kFloat32, blocked);
  CHECK(amp::memory_stats().peak_bytes - before < kBytes / 16);
}

TEST_CASE("attention by blocks: gradients as wide as they are wanted", "[ops]") {
  const Tensor x = amp::randn({6, 4});
  x.requires_grad_();
  const Tensor low = amp::autocasting::convert_dtype(x, amp::kBFloat16);
  amp::sum(amp::pow(amp::scaled_dot_product_attention(low, low, low), 2)).backward();
  CHECK(x.grad().dtype() == amp::kFloat32);
  CHECK(difference(x.grad(), x.grad().to(amp::kBFloat16)) > 0);
}

TEST_CASE("attention by blocks: the same bits from any number of threads", "[ops]") {
  const Case c{{2, 200, 8}, {2, 200, 8}, {2, 200, 8}, true};
  const auto bits = [&] {
    std::vector<float> all;
    for (const Tensor& tensor : results(c, amp::kFloat32, blocked)) {
      const std::vector<float> values = tensor.to_vector<float>();
      all.insert(all.end(), values.begin(), values.end());
    }
    return all;
  };
  const std::vector<float> here = bits();
  for (const char* const threads : {"1", "3"}) {
    CHECK(amp_test::status_of_child([&] {
            ::setenv("AMP_NUM_THREADS", threads, 1);  // the child starts threads of its own
            const std::vector<float> there = bits();
            const bool as_many = amp::num_threads() == std::atoi(threads);
            return as_many && there.size() == here.size() &&
                           std::memcmp(there.data(), here.data(), here.size() * 4) == 0
                       ? 0
                       : 1;
          }) == 0);
  }
}

TEST_CASE("attention: what is empty, and a mask that learns", "[ops]") {
  const auto attend = [](const Shape& q, const Shape& k, const Shape& v) {
    return amp::scaled_dot_product_attention(amp::ones(q), amp::ones(k), amp::ones(v));
  };
  CHECK(attend({0, 4}, {3, 4}, {3, 2}).shape() == Shape(0, 2));
  CHECK(attend({2, 4}, {0, 4}, {0, 2}).to_vector<double>() == std::vector<double>(4, 0.0));
  CHECK(attend({2, 4}, {3, 4}, {3, 0}).shape() == Shape(2, 0));
  CHECK(attend({0, 2, 4}, {0, 3, 4}, {0, 3, 2}).shape() == Shape(0, 2, 2));
  const Tensor x = amp::randn({3, 4}), mask = amp::zeros({3, 3}, {.requires_grad = true});
  amp::sum(amp::scaled_dot_product_attention(x, x, x, mask) * x).backward();
  CHECK(mask.grad().defined());
}

TEST_CASE("attention: grouped queries attend to the heads of their group", "[ops]") {
  amp::manual_seed(3);
  const auto random = [](const Shape& shape) { return amp::randn(shape).requires_grad_(); };
  // [B, L, heads, E], as a transformer lays them out.
  const Tensor query = random({2, 40, 6, 8}), key = random({2, 50, 2, 8}),
               value = random({2, 50, 2, 4});
  const Tensor q = query.transpose(1, 2), k = key.transpose(1, 2), v = value.transpose(1, 2);
  const Tensor of_all = amp::randn({2, 6, 40, 50}), of_one = bools({2, 1, 40, 50}),
               none = bools({50});
  for (const Tensor& mask : {Tensor(), of_all, of_one, none}) {
    const Tensor y = amp::scaled_dot_product_attention(q, k, v, mask, 0, false, {}, true);
    const Tensor expected = amp::scaled_dot_product_attention(
        q, amp::repeat_interleave(k, 3, 1), amp::repeat_interleave(v, 3, 1), mask);
    REQUIRE(y.shape() == Shape(2, 6, 40, 4));
    CHECK(difference(y, expected) <= 2e-6);
    const Tensor grad = amp::randn(y.shape());
    const amp::GradOptions options{.grad_outputs = grad, .retain_graph = true};
    const Tensors actual = amp::grad(y, {query, key, value}, options),
                  wanted = amp::grad(expected, {query, key, value}, options);
    for (std::size_t i = 0; i < 3; ++i) CHECK(difference(actual[i], wanted[i]) <= 2e-6);
  }
}

TEST_CASE("attention: grouped queries with every other option", "[ops]") {
  amp::manual_seed(4);
  for (const amp::DType dtype : {amp::kFloat32, amp::kBFloat16}) {
    for (const std::int64_t heads : {1, 2}) {
      const Tensor q = amp::randn({2, 6, 30, 8}).to(dtype),
                   k = amp::randn({2, heads, 40, 8}).to(dtype),
                   v = amp::randn({2, heads, 40, 4}).to(dtype);
      for (const Tensor& x : {q, k, v}) x.requires_grad_();
      const Tensor mask = amp::randn({6, 30, 40}, {.requires_grad = true});  // one for each head
      const Tensor fixed = mask.detach(), grad = amp::randn({2, 6, 30, 4}).to(dtype);
      const auto repeated = [&](const Tensor& x) {
        return amp::repeat_interleave(x.to(amp::kFloat32), 6 / heads, 1);
      };
      for (const amp::AttentionOptions& options : std::vector<amp::AttentionOptions>{
               {.is_causal = true, .enable_gqa = true, .window = 7},
               {.attn_mask = fixed, .enable_gqa = true, .window = 11},
               {.attn_mask = mask, .enable_gqa = true},
               {.scale = -0.5, .enable_gqa = true}}) {
        amp::AttentionOptions plain = options;
        plain.enable_gqa = false;
        const Tensor y = amp::scaled_dot_product_attention(q, k, v, options);
        const Tensor expected =
            amp::scaled_dot_product_attention(q.to(amp::kFloat32), repeated(k), repeated(v), plain);
        CHECK(difference(y, expected) <= tolerance(dtype));
        const auto gradients = [&](const Tensor& of) {
          return amp::grad(of, {q, k, v},
                           {.grad_outputs = grad.to(of.dtype()), .retain_graph = true});
        };
        const Tensors actual = gradients(y), wanted = gradients(expected);
        for (std::size_t i = 0; i < 3; ++i)
          CHECK(difference(actual[i], wanted[i]) <= 2 * tolerance(dtype));
      }
      // Everything is dropped.
      CHECK(
          amp::amax(amp::abs(amp::scaled_dot_product_attention(q, k, v, {}, 1.0, false, {}, true)))
              .item<double>() == 0);
    }
  }
  const Tensor x = amp::ones({2, 3});
  CHECK(amp::scaled_dot_product_attention(x, x, x, {}).shape() == x.shape());
}

TEST_CASE("attention: the gradient of shared keys is rounded once", "[ops]") {
  const std::int64_t group = 600;
  const Tensor q = amp::zeros({group, 1, 1}).to(amp::kBFloat16);
  const Tensor k = amp::zeros({1, 1, 1}).to(amp::kBFloat16),
               v = amp::zeros({1, 1, 1}).to(amp::kBFloat16).requires_grad_();
  const Tensor y = amp::scaled_dot_product_attention(q, k, v, {.enable_gqa = true});
  y.backward(amp::full({group, 1, 1}, 1.0).to(amp::kBFloat16));
  CHECK(v.grad().item<double>() == 600);
}

TEST_CASE("attention: options that are refused", "[ops]") {
  const auto says = [](const Shape& q, const Shape& k, const amp::AttentionOptions& options,
                       const std::string& words) {
    CHECK_THAT(amp_test::error_of([&] {
                 return amp::scaled_dot_product_attention(amp::ones(q), amp::ones(k), amp::ones(k),
                                                          options);
               }),
               Catch::Matchers::ContainsSubstring(words));
  };
  says({3, 4}, {3, 4}, {.window = 0}, "`window` must be positive, but is 0");
  says({3, 4}, {3, 4}, {.enable_gqa = true}, "must have a dimension of heads");
  says({5, 3, 4}, {2, 3, 4}, {.enable_gqa = true}, "`query` a multiple of them");
  says({4, 3, 4}, {0, 3, 4}, {.enable_gqa = true}, "`query` a multiple of them");
  says({4, 3, 4}, {2, 3, 4}, {}, "do not broadcast");
  says({4, 3, 4}, {2, 3, 4}, {.attn_mask = amp::ones({2, 3, 3}), .enable_gqa = true},
       "`attn_mask` must broadcast to the scores [4, 3, 3]");
}

}  // namespace attention_test
