// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Checkpoints that fail: what they say, and that nothing of it stays behind.
#include <amp/amp.hpp>

#include <stdexcept>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace checkpoint_errors {
namespace {

using amp::Tensor;
using amp_test::error_of;
using Catch::Matchers::ContainsSubstring;

struct Own : std::runtime_error {
  using std::runtime_error::runtime_error;
};

Tensor leaf() { return amp::ones({8}, {.requires_grad = true}); }

/// What backward says if fn, called again, is `other`.
template <class Function, class Other>
std::string said_if(const Function& fn, const Other& other) {
  const Tensor x = leaf(), w = leaf();
  const Tensor y = amp::checkpoint(
      [&](const Tensor& a) { return amp::is_recomputing() ? other(a) : fn(a); }, x * w);
  const std::string said = error_of([&] { return amp::sum(y).backward(), 0; });
  CHECK_FALSE(x.grad().defined());
  CHECK_FALSE(w.grad().defined());
  return said;
}

}  // namespace

TEST_CASE("checkpoint: fn throws in forward", "[ops]") {
  const Tensor x = leaf();
  const amp::RngState before = amp::get_rng_state();
  const auto fn = [](const Tensor& a) -> Tensor {
    (void)amp::dropout(a, 0.5);
    throw Own("stop");
  };
  CHECK_THROWS_AS((void)amp::checkpoint(fn, x), Own);
  CHECK(amp::is_grad_enabled());
  // Nothing is recorded, or repeated, any more.
  CHECK(amp::get_rng_state().offset == before.offset + 2);
  (void)amp::rand({4});
  CHECK(amp::get_rng_state().offset == before.offset + 3);
}

TEST_CASE("checkpoint: fn throws in backward; all is as before, and another call succeeds",
          "[ops]") {
  const Tensor x = leaf(), w = leaf();
  bool fails = true;
  Tensor y;
  {
    const amp::AutocastGuard autocast(amp::kCPU);
    y = amp::checkpoint(
        [&](const Tensor& a) {
          const Tensor b = amp::dropout(a * w, 0.5);
          if (fails && amp::is_recomputing()) throw Own("stop");
          return b;
        },
        x);
  }
  const amp::RngState stream = amp::get_rng_state();
  const auto check_state = [&] {
    CHECK(amp::is_grad_enabled());
    CHECK_FALSE(amp::is_recomputing());
    CHECK_FALSE(amp::is_autocast_enabled(amp::kCPU));
    CHECK(amp::get_rng_state() == stream);
    CHECK_FALSE(w.grad().defined());
    CHECK_FALSE(x.grad().defined());
  };
  CHECK_THROWS_AS(y.backward(amp::ones({8})), Own);
  check_state();
  CHECK_THROWS_AS(y.backward(amp::ones({8})), Own);
  check_state();
  fails = false;
  y.backward(amp::ones({8}));
  CHECK(x.grad().to_vector<float>() == y.to_vector<float>());
  const Tensor drawn = amp::rand({4});
  amp::set_rng_state(stream);
  CHECK(amp::rand({4}).to_vector<float>() == drawn.to_vector<float>());
}

TEST_CASE("checkpoint: an input that was modified in place", "[ops]") {
  const Tensor x = amp::ones({2}), w = amp::ones({2}, {.requires_grad = true});
  const auto fn = [](const Tensor& a, const Tensor& b) { return a * b; };
  const Tensor y = amp::checkpoint(fn, x, w);
  x.fill_(3);
  const std::string said = error_of([&] { return amp::sum(y).backward(), 0; });
  CHECK_THAT(said, ContainsSubstring("checkpoint: input 0, float32[2]") &&
                       ContainsSubstring("modified in place") && ContainsSubstring("clone()"));
  CHECK_FALSE(w.grad().defined());
  // By fn itself, which would find it so.
  const Tensor z = amp::checkpoint(
      [](const Tensor& a, const Tensor& b) {
        a.fill_(2);
        return a + b;
      },
      x, w);
  CHECK_THAT(error_of([&] { return amp::sum(z).backward(), 0; }),
             ContainsSubstring("modified in place"));
  CHECK_FALSE(w.grad().defined());
}

TEST_CASE("checkpoint: backward a second time", "[ops]") {
  const Tensor x = leaf();
  const Tensor loss = amp::sum(amp::checkpoint([](const Tensor& a) { return a * a; }, x));
  loss.backward();
  CHECK_THAT(error_of([&] { return loss.backward(), 0; }), ContainsSubstring("a second time"));
  const Tensor y = amp::checkpoint([](const Tensor& a) { return a + 1; }, x);
  y.backward(amp::ones({8}));
  CHECK_THAT(error_of([&] { return y.backward(amp::ones({8})), 0; }),
             ContainsSubstring("checkpoint: backward through this graph a second time"));
  CHECK(x.grad().to_vector<float>() == std::vector<float>(8, 3));
}

TEST_CASE("checkpoint: another result in backward than in forward", "[ops]") {
  const auto twice = [](const Tensor& a) { return a * 2; };
  const Tensor other = leaf();
  CHECK_THAT(said_if(twice, [](const Tensor& a) { return a.narrow(0, 0, 4); }),
             ContainsSubstring("checkpoint: `fn` is not deterministic: it returned float32[8] in "
                               "forward and float32[4] in backward"));
  CHECK_THAT(said_if(twice, [](const Tensor& a) { return a.to(amp::kBFloat16); }),
             ContainsSubstring("and bfloat16[8] in backward"));
  CHECK_THAT(said_if(twice, [](const Tensor&) { return Tensor(); }),
             ContainsSubstring("in forward and an undefined tensor in backward"));
  CHECK_THAT(said_if(twice, [](const Tensor& a) { return a.detach(); }),
             ContainsSubstring("requires no gradient"));
  CHECK_THAT(said_if(twice, [](const Tensor& a) { return a; }),
             ContainsSubstring("was there before"));
  CHECK_THAT(said_if(twice, [&](const Tensor&) { return other; }),
             ContainsSubstring("was there before"));
}

TEST_CASE("checkpoint: other random numbers in backward than in forward", "[ops]") {
  const auto drop = [](double p, const Tensor& a) { return amp::dropout(a, p); };
  const auto once = [&](const Tensor& a) { return drop(0.5, a); };
  const auto never = [](const Tensor& a) { return a * 2; };
  const auto twice = [&](const Tensor& a) { return drop(0.5, drop(0.5, a)); };
  const auto fewer = [&](const Tensor& a) {
    return amp::cat({drop(0.5, a.narrow(0, 0, 4)), a}, 0).narrow(0, 0, 8);
  };
  const auto says = [](const std::string& end) {
    return ContainsSubstring(
        "checkpoint: `fn` is not deterministic: it draws other random numbers "
        "in backward than in forward: " +
        end);
  };
  const amp::RngState before = amp::get_rng_state();
  CHECK_THAT(said_if(once, never), says("0 draws, and 1 in the forward pass"));
  CHECK_THAT(said_if(never, once), says("a draw more than the 0 of the forward pass"));
  CHECK_THAT(said_if(once, twice), says("a draw more than the 1 of the forward pass"));
  CHECK_THAT(said_if(twice, once), says("1 draws, and 2 in the forward pass"));
  CHECK_THAT(said_if(once, fewer), says("draw 0 takes 1 blocks of four on cpu, and took 2 on cpu "
                                        "in the forward pass"));
  CHECK(amp::get_rng_state().offset == before.offset + 2 * (1 + 0 + 1 + 2 + 1));
}

TEST_CASE("checkpoint: an error in an inner one leaves the outer's state restored", "[ops]") {
  const Tensor x = leaf();
  int calls = 0;
  const auto inner = [&](const Tensor& a) {
    if (++calls == 3) throw Own("stop");  // 1: forward, 2: the outer's recomputation, 3: its own
    return amp::dropout(a, 0.5);
  };
  const Tensor y = amp::checkpoint(
      [&](const Tensor& a) { return amp::checkpoint(inner, amp::dropout(a, 0.25)) * 2; }, x);
  const amp::RngState stream = amp::get_rng_state();
  CHECK_THROWS_AS(y.backward(amp::ones({8})), Own);
  CHECK(calls == 3);
  CHECK_FALSE(x.grad().defined());
  CHECK_FALSE(amp::is_recomputing());
  CHECK(amp::is_grad_enabled());
  CHECK(amp::get_rng_state() == stream);
}

}  // namespace checkpoint_errors
