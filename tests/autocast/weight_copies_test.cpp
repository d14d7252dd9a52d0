// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The low-precision copies of weights: made once, never stale, no history, no memory left behind.
#include <amp/amp.hpp>

#include <cstdint>
#include <vector>

#include "support/catch.hpp"

namespace weight_copies {
namespace {

/// What the process' copies did since this was made.
class Counts {
 public:
  std::int64_t refreshes() const { return now().refreshes - start_.refreshes; }
  std::int64_t hits() const { return now().hits - start_.hits; }
  std::int64_t entries() const { return now().entries - start_.entries; }
  std::int64_t bytes() const { return now().bytes - start_.bytes; }

 private:
  static amp::AutocastCacheStats now() { return amp::autocast_cache_stats(); }
  amp::AutocastCacheStats start_ = now();
};

amp::Tensor weight(double value = 1) { return amp::full({2, 2}, value, {.requires_grad = true}); }
amp::Tensor input() { return amp::ones({1, 2}); }

float use(const amp::Tensor& w) { return amp::matmul(input(), w).to_vector<float>()[0]; }

amp::AutocastOptions half_scope() { return {.dtype = amp::kFloat16}; }

/// Three uses in one scope, none of which may leave a copy behind.
void check_uncached(const amp::Tensor& w, const amp::AutocastOptions& options) {
  const Counts counts;
  const amp::AutocastGuard autocast(amp::kCPU, options);
  for (int i = 0; i < 3; ++i) CHECK(use(w) == 2);
  CHECK(counts.refreshes() == 0);
  CHECK(counts.entries() == 0);
}

}  // namespace

TEST_CASE("weight copies: several uses of a weight are one cast") {
  const amp::Tensor w = weight();
  const Counts counts;
  {
    const amp::AutocastGuard autocast(amp::kCPU, half_scope());
    for (int i = 0; i < 3; ++i) CHECK(use(w) == 2);
  }
  CHECK(counts.refreshes() == 1);
  CHECK(counts.hits() == 2);
  CHECK(counts.entries() == 1);
  CHECK(counts.bytes() == 8);
}

TEST_CASE("weight copies: outlive the scope while the weight does not change") {
  const amp::Tensor w = weight();
  const Counts counts;
  for (int i = 0; i < 3; ++i) {
    const amp::AutocastGuard autocast(amp::kCPU, half_scope());
    (void)use(w);
  }
  CHECK(counts.refreshes() == 1);
}

TEST_CASE("weight copies: none with cache_enabled off, nor in scopes inside that one") {
  check_uncached(weight(), {.dtype = amp::kFloat16, .cache_enabled = false});
  const amp::AutocastGuard outer(amp::kCPU, {.dtype = amp::kFloat16, .cache_enabled = false});
  check_uncached(weight(), {});
}

TEST_CASE("weight copies: none of a tensor that requires no gradient") {
  check_uncached(amp::ones({2, 2}), half_scope());
  check_uncached(weight().requires_grad_(false), half_scope());
}

TEST_CASE("weight copies: none of a computed tensor") {
  check_uncached(weight() * 1, half_scope());
}

TEST_CASE("weight copies: none of a view") {
  const amp::Tensor base = amp::ones({4, 2}, {.requires_grad = true});
  check_uncached(base.narrow(0, 1, 2), half_scope());
  check_uncached(amp::ones({4, 2}).narrow(0, 1, 2).requires_grad_(), half_scope());
  check_uncached(weight().detach().requires_grad_(), half_scope());
}

TEST_CASE("weight copies: none of 16-bit and 64-bit weights") {
  for (const amp::DType dtype : {amp::kFloat16, amp::kBFloat16}) {
    check_uncached(amp::ones({2, 2}, {.dtype = dtype, .requires_grad = true}), half_scope());
  }
  const Counts counts;
  const amp::AutocastGuard autocast(amp::kCPU, half_scope());
  const amp::Tensor w = amp::ones({2, 2}, {.dtype = amp::kFloat64, .requires_grad = true});
  CHECK(amp::matmul(w, w).dtype() == amp::kFloat64);
  CHECK(counts.entries() == 0);
}

TEST_CASE("weight copies: none where the op stays in float32") {
  const amp::Tensor w = weight();
  const Counts counts;
  const amp::AutocastGuard autocast(amp::kCPU, half_scope());
  (void)amp::exp(w);
  (void)(w + w);
  CHECK(counts.entries() == 0);
}

// --- never stale --------------------------------------------------------------------------------

TEST_CASE("weight copies: an optimizer step inside one long scope is seen") {
  const amp::Tensor w = weight(1);
  amp::SGD sgd({w}, {.lr = 1});
  const amp::AutocastGuard autocast(amp::kCPU, half_scope());
  CHECK(use(w) == 2);
  w.set_grad(amp::full({2, 2}, -2));
  sgd.step();
  CHECK(use(w) == 6);
}

TEST_CASE("weight copies: a step of Adam and of a scaler inside one scope is seen") {
  const amp::Tensor w = weight(1);
  amp::Adam adam({w}, {.lr = 1});
  amp::GradScaler scaler({.init_scale = 256});
  const amp::AutocastGuard autocast(amp::kCPU, half_scope());
  const amp::Tensor loss = amp::sum(amp::matmul(input(), w));
  scaler.scale(loss).backward();
  scaler.step(adam);
  scaler.update();
  CHECK(use(w) == Approx(0).margin(1e-6));
}

TEST_CASE("weight copies: writes of every kind are seen") {
  const amp::Tensor w = weight(1);
  const amp::AutocastGuard autocast(amp::kCPU, half_scope());
  const amp::NoGradGuard no_grad;
  CHECK(use(w) == 2);
  w.fill_(2);
  CHECK(use(w) == 4);
  w.copy_(amp::full({2, 2}, 3));
  CHECK(use(w) == 6);
  w.zero_();
  CHECK(use(w) == 0);
  *w.data<float>() = 5;
  CHECK(use(w) == 5);
  w.narrow(0, 1, 1).fill_(4);
  CHECK(use(w) == 9);
  w.detach().fill_(1);
  CHECK(use(w) == 2);
  w.mark_modified();
  CHECK(use(w) == 2);
}

TEST_CASE("weight copies: reading leaves them current") {
  const amp::Tensor w = weight();
  const Counts counts;
  const amp::AutocastGuard autocast(amp::kCPU, half_scope());
  (void)use(w);
  CHECK(*w.const_data<float>() == 1);
  CHECK(w.to_vector<float>().size() == 4);
  (void)use(w);
  CHECK(counts.refreshes() == 1);
}

TEST_CASE("weight copies: a result that is the copy itself can be written without harm") {
  amp::register_op("test.identity", amp::OpPolicy::kLowPrecision);
  const amp::Tensor w = weight(1);
  const amp::AutocastGuard autocast(amp::kCPU, half_scope());
  const amp::NoGradGuard no_grad;
  const auto same = [](const amp::Tensor& t) { return t; };
  amp::autocast_call("test.identity", same, w).fill_(7);
  CHECK(use(w) == 2);
}

TEST_CASE("weight copies: nested scopes of float16 and bfloat16 each get their own") {
  const amp::Tensor w = weight(1 + 0x1p-8);
  const Counts counts;
  const amp::AutocastGuard outer(amp::kCPU, {.dtype = amp::kBFloat16});
  const auto product = [&] { return amp::matmul(amp::tensor({1.0F, 0.0F}, {1, 2}), w); };
  for (int i = 0; i < 2; ++i) {
    CHECK(product().dtype() == amp::kBFloat16);
    CHECK(product().to_vector<float>()[0] == 1);
    const amp::AutocastGuard inner(amp::kCPU, {.dtype = amp::kFloat16});
    CHECK(product().dtype() == amp::kFloat16);
    CHECK(product().to_vector<float>()[0] == 1 + 0x1p-8F);
  }
  CHECK(counts.refreshes() == 2);
  CHECK(counts.entries() == 2);
}

// --- gradients ----------------------------------------------------------------------------------

TEST_CASE("weight copies: made without gradients, they serve uses with gradients") {
  const amp::Tensor w = weight();
  const amp::AutocastGuard autocast(amp::kCPU, half_scope());
  for (const bool grad : {false, true, false, true}) {
    if (grad) {
      amp::sum(amp::matmul(input(), w)).backward();
    } else {
      const amp::NoGradGuard no_grad;
      CHECK_FALSE(amp::matmul(input(), w).requires_grad());
    }
  }
  REQUIRE(w.grad().defined());
  CHECK(w.grad().to_vector<float>() == std::vector<float>(4, 2));
}

TEST_CASE("weight copies: gradients are those without copies") {
  const auto gradient = [](bool cache) {
    const amp::Tensor w = amp::tensor({0.3F, -1.7F, 2.1F, 0.9F}, {2, 2}, {.requires_grad = true});
    const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16, .cache_enabled = cache});
    amp::sum(amp::relu(amp::matmul(amp::matmul(w, w), w))).backward();
    return w.grad().to_vector<float>();
  };
  CHECK(gradient(true) == gradient(false));
}

TEST_CASE("weight copies: an old graph kept across a step has its own weights' gradients") {
  const amp::Tensor w = weight(3);
  const amp::Tensor x = amp::ones({1, 2}, {.requires_grad = true});
  const amp::Tensor old_loss = [&] {
    const amp::AutocastGuard autocast(amp::kCPU, half_scope());
    return amp::sum(amp::matmul(x, w));
  }();
  amp::SGD sgd({w}, {.lr = 1});
  w.set_grad(amp::full({2, 2}, -4));
  sgd.step();
  {
    const amp::AutocastGuard autocast(amp::kCPU, half_scope());
    CHECK(use(w) == 14);  // weights of 7
  }
  old_loss.backward();
  CHECK(x.grad().to_vector<float>() == std::vector<float>(2, 6));  // weights of 3
}

TEST_CASE("weight copies: clearing them leaves recorded graphs whole") {
  const amp::Tensor w = weight(3);
  const amp::Tensor x = amp::ones({1, 2}, {.requires_grad = true});
  const amp::AutocastGuard autocast(amp::kCPU, half_scope());
  const amp::Tensor loss = amp::sum(amp::matmul(x, w));
  amp::clear_autocast_cache();
  loss.backward();
  CHECK(x.grad().to_vector<float>() == std::vector<float>(2, 6));
  CHECK(w.grad().to_vector<float>() == std::vector<float>(4, 1));
}

// --- memory -------------------------------------------------------------------------------------

TEST_CASE(
    "weight copies: a thousand forward passes of an evaluation hold no more memory than one") {
  const amp::Tensor w = weight();
  const amp::AutocastGuard autocast(amp::kCPU, half_scope());
  const amp::NoGradGuard no_grad;
  (void)use(w);
  const Counts counts;
  const std::int64_t bytes = amp::memory_stats().current_bytes;
  for (int i = 0; i < 1000; ++i) (void)use(w);
  CHECK(counts.bytes() == 0);
  CHECK(counts.entries() == 0);
  CHECK(counts.refreshes() == 0);
  CHECK(amp::memory_stats().current_bytes == bytes);
}

TEST_CASE("weight copies: written by each step, cast once") {
  const amp::Tensor w = weight();
  amp::SGD sgd({w}, {.lr = 0.5});
  const Counts counts;
  for (int i = 0; i < 10; ++i) {
    const amp::AutocastGuard autocast(amp::kCPU, half_scope());
    amp::sum(amp::matmul(input(), w)).backward();
    sgd.step();
    sgd.zero_grad();
  }
  CHECK(counts.refreshes() == 1);
  CHECK(counts.hits() == 9);
  CHECK(counts.entries() == 1);
  CHECK(counts.bytes() == 8);
}

TEST_CASE("weight copies: freed with the weight") {
  const Counts counts;
  const std::int64_t bytes = amp::memory_stats().current_bytes;
  {
    const amp::Tensor w = weight();
    for (const amp::DType dtype : {amp::kFloat16, amp::kBFloat16}) {
      const amp::AutocastGuard autocast(amp::kCPU, {.dtype = dtype});
      (void)use(w);
    }
    CHECK(counts.entries() == 2);
  }
  CHECK(counts.entries() == 0);
  CHECK(counts.bytes() == 0);
  CHECK(amp::memory_stats().current_bytes == bytes);
}

TEST_CASE("weight copies: clear_autocast_cache frees all, and the next use casts anew") {
  const amp::Tensor a = weight(), b = weight(2);
  const amp::AutocastGuard autocast(amp::kCPU, half_scope());
  (void)use(a);
  (void)use(b);
  amp::clear_autocast_cache();
  CHECK(amp::autocast_cache_stats().entries == 0);
  CHECK(amp::autocast_cache_stats().bytes == 0);
  const Counts counts;
  CHECK(use(a) == 2);
  CHECK(counts.refreshes() == 1);
}

TEST_CASE("weight copies: of an empty weight") {
  const amp::Tensor w = amp::empty({0, 2}, {.requires_grad = true});
  const amp::AutocastGuard autocast(amp::kCPU, half_scope());
  for (int i = 0; i < 2; ++i) CHECK(amp::matmul(amp::empty({3, 0}), w).shape() == amp::Shape(3, 2));
}

// --- memory that amp does not own ---------------------------------------------------------------

TEST_CASE("weight copies: none of from_blob memory, whose writes amp cannot see") {
  std::vector<float> memory(4, 1);
  const amp::Tensor w = amp::from_blob(memory.data(), {2, 2}, {.requires_grad = true});
  check_uncached(w, half_scope());
  const amp::AutocastGuard autocast(amp::kCPU, half_scope());
  memory.assign(4, 2);
  CHECK(use(w) == 4);
}

TEST_CASE("weight copies: of from_blob memory once its owner promises mark_modified()") {
  std::vector<float> memory(4, 1);
  const amp::Tensor w = amp::from_blob(memory.data(), {2, 2}, {.requires_grad = true});
  w.mark_modified();
  const Counts counts;
  const amp::AutocastGuard autocast(amp::kCPU, half_scope());
  CHECK(use(w) == 2);
  CHECK(use(w) == 2);
  CHECK(counts.refreshes() == 1);
  memory.assign(4, 2);
  w.mark_modified();
  CHECK(use(w) == 4);
  CHECK(counts.refreshes() == 2);
}

}  // namespace weight_copies
