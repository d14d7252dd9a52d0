// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Checkpoints: a step with them is the step without, bit for bit, whatever it is made of.
#include <amp/amp.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/step_state.hpp"

namespace checkpoint_test {
namespace {

using amp::Tensor;
using Values = std::vector<std::vector<double>>;

/// fn(inputs...), as a checkpoint or not.
template <class Function, class... Tensors>
Tensor call(bool kept, Function&& fn, const Tensors&... inputs) {
  return kept ? amp::checkpoint(std::forward<Function>(fn), inputs...) : fn(inputs...);
}

Values gradients(const std::vector<Tensor>& leaves) {
  Values all;
  for (const Tensor& leaf : leaves)
    all.push_back(leaf.grad().defined() ? leaf.grad().to_vector<double>() : std::vector<double>());
  return all;
}

/// Two layers with dropout between, whose weights fn captures.
struct Block {
  Tensor w1, b1, w2;
  explicit Block(std::int64_t n)
      : w1(amp::randn({n, n}, {.requires_grad = true})),
        b1(amp::randn({n}, {.requires_grad = true})),
        w2(amp::randn({n, n}, {.requires_grad = true})) {}
  Tensor operator()(const Tensor& x) const {
    const Tensor h = amp::dropout(amp::gelu(amp::linear(x, w1, b1)), 0.25);
    return amp::layer_norm(amp::linear(h, w2) + x, {x.size(-1)});
  }
};

/// What a step leaves behind: the loss, gradients, and where the random stream is.
struct Outcome {
  std::vector<double> loss;
  Values gradients;
  amp::RngState stream;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

enum class Kept { kNot, kEachBlock, kPairs, kNested };

/// The result of four blocks.
Tensor through(const std::vector<Block>& blocks, const Tensor& x, Kept kept) {
  const auto pair = [&blocks, kept](std::size_t first) {
    return [&blocks, kept, first](const Tensor& in) {
      const bool each = kept == Kept::kEachBlock || kept == Kept::kNested;
      return call(each, blocks[first + 1], call(each, blocks[first], in));
    };
  };
  const bool pairs = kept == Kept::kPairs || kept == Kept::kNested;
  const auto both = [pair, pairs](const Tensor& in) {
    return call(pairs, pair(2), call(pairs, pair(0), in));
  };
  return call(kept == Kept::kNested, both, x);
}

Outcome step(Kept kept, const std::optional<amp::DType>& autocast, bool scaled) {
  amp::manual_seed(7);
  const std::vector<Block> blocks{Block(12), Block(12), Block(12), Block(12)};
  const Tensor x = amp::randn({5, 12}, {.requires_grad = true});
  amp::GradScaler scaler({.init_scale = 256, .enabled = scaled});
  Tensor loss;
  {
    std::optional<amp::AutocastGuard> scope;
    if (autocast) scope.emplace(amp::kCPU, amp::AutocastOptions{.dtype = *autocast});
    loss = amp::mean(amp::pow(through(blocks, x, kept), 3));
  }
  scaler.scale(loss).backward();
  std::vector<Tensor> leaves{x};
  for (const Block& block : blocks) leaves.insert(leaves.end(), {block.w1, block.b1, block.w2});
  return {loss.to_vector<double>(), gradients(leaves), amp::get_rng_state()};
}

}  // namespace

TEST_CASE("checkpoint: a step is the plain step, bit for bit, dropout included", "[ops]") {
  const std::vector<std::optional<amp::DType>> scopes = {{}, amp::kFloat16, amp::kBFloat16};
  for (const auto& dtype : scopes) {
    for (const bool scaled : {false, true}) {
      const Outcome plain = step(Kept::kNot, dtype, scaled);
      CHECK(plain.gradients[3] != std::vector<double>(144, 0));
      for (const Kept kept : {Kept::kEachBlock, Kept::kPairs, Kept::kNested})
        CHECK(step(kept, dtype, scaled) == plain);
    }
  }
}

TEST_CASE("checkpoint: training with a float16 GradScaler, skips included", "[ops]") {
  const auto train = [](bool kept) {
    amp::manual_seed(2);
    const Block first(8), second(8);
    amp::Adam optimizer({first.w1, first.b1, first.w2, second.w1, second.b1, second.w2},
                        {.lr = 0.01});
    amp::GradScaler scaler({.init_scale = 0x1p24, .growth_interval = 3});
    std::vector<bool> skipped;
    for (int i = 0; i < 20; ++i) {
      optimizer.zero_grad();
      const auto loss = amp::autocast(amp::kCPU, {.dtype = amp::kFloat16}, [&] {
        return amp::sum(amp::pow(call(kept, second, call(kept, first, amp::randn({3, 8}))), 3));
      });
      scaler.scale(loss()).backward();
      (void)scaler.unscale_and_clip(optimizer, 1.0);
      skipped.push_back(scaler.step(optimizer).skipped());
      scaler.update();
    }
    return std::tuple{amp_test::values_of(optimizer.state_dict()), first.w1.to_vector<float>(),
                      scaler.state_dict(), skipped, amp::get_rng_state()};
  };
  const auto plain = train(false);
  CHECK(train(true) == plain);
  const auto& skipped = std::get<3>(plain);
  CHECK(std::count(skipped.begin(), skipped.end(), true) > 0);
  CHECK(std::count(skipped.begin(), skipped.end(), false) > 0);
}

TEST_CASE("checkpoint: one input, two checkpoints; parameters used in and outside of them",
          "[ops]") {
  const auto run = [](bool kept) {
    amp::manual_seed(4);
    const Tensor w = amp::randn({6, 6}, {.requires_grad = true});
    const Tensor leaf = amp::randn({4, 6}, {.requires_grad = true});
    const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
    const Tensor x = amp::sigmoid(leaf);
    const auto f = [w](const Tensor& a) { return amp::relu(amp::linear(a, w)); };
    const auto g = [w](const Tensor& a, const Tensor& b) { return amp::linear(a * b, w) + w; };
    const Tensor wide = amp::linear(amp::randn({6, 6}), w);  // between, and in another place
    const auto with_wide = [w, wide](const Tensor& a) { return amp::linear(a, wide) + a; };
    const Tensor y = call(kept, f, x) + call(kept, with_wide, x);
    const Tensor z = call(kept, g, amp::linear(w, w), amp::dropout(w, 0.5));
    const Tensor loss = amp::sum(y) + amp::sum(z * wide) + amp::sum(w * 3) + amp::sum(amp::exp(x));
    loss.backward();
    return std::pair{gradients({w, leaf}), loss.to_vector<double>()};
  };
  CHECK(run(true) == run(false));
}

TEST_CASE("checkpoint: gradients of a cast result stay in float32, as those of the cast", "[ops]") {
  const auto run = [](bool kept) {
    amp::manual_seed(6);
    const Tensor x = amp::randn({4, 8}, {.requires_grad = true});
    const Tensor h = call(
        kept, [](const Tensor& a) { return a.to(amp::kBFloat16); }, x);
    amp::sum(amp::linear(h, amp::randn({3, 8}, {.dtype = amp::kBFloat16}))).backward();
    return gradients({x});
  };
  const Values plain = run(false);
  CHECK(run(true) == plain);
  const Tensor gradient = amp::tensor(plain[0], {32}, {.dtype = amp::kFloat32});
  CHECK(gradient.to(amp::kBFloat16).to_vector<float>() != gradient.to_vector<float>());
}

TEST_CASE("checkpoint: backward under another scope, and on another state than forward's",
          "[ops]") {
  const auto run = [](bool kept) {
    amp::manual_seed(5);
    const Block block(8);
    const Tensor x = amp::randn({3, 8}, {.requires_grad = true});
    const auto loss = amp::autocast(
        amp::kCPU,
        {.dtype = amp::kFloat16, .policies = {{"layer_norm", amp::OpPolicy::kPassthrough}}},
        [&] { return amp::sum(amp::pow(call(kept, block, x), 3)); })();
    const amp::AutocastGuard other(amp::kCPU, {.dtype = amp::kBFloat16});
    const amp::NoGradGuard no_grad;
    loss.backward();
    CHECK(amp::autocast_dtype(amp::kCPU) == amp::kBFloat16);
    CHECK(amp::is_autocast_enabled(amp::kCPU));
    CHECK_FALSE(amp::is_grad_enabled());
    CHECK_FALSE(amp::is_recomputing());
    return gradients({x, block.w1, block.b1, block.w2});
  };
  CHECK(run(true) == run(false));
}

namespace {

/// What a thread's state is when a function is called.
struct Seen {
  bool enabled, grad, recomputing, tf32;
  amp::DType dtype;
  friend bool operator==(const Seen&, const Seen&) = default;
};
Seen look() {
  return {amp::is_autocast_enabled(amp::kCPU), amp::is_grad_enabled(), amp::is_recomputing(),
          amp::math_precision().allow_tf32, amp::autocast_dtype(amp::kCPU)};
}

}  // namespace

TEST_CASE("checkpoint: fn runs once more, under the state of forward", "[ops]") {
  const Tensor x = amp::ones({3}, {.requires_grad = true});
  std::vector<Seen> outer, inner;
  const auto g = [&](const Tensor& a) {
    inner.push_back(look());
    return a * 2;
  };
  const auto f = [&](const Tensor& a) {
    outer.push_back(look());
    return amp::checkpoint(g, a) + amp::checkpoint(g, a * 3);
  };
  Tensor y;
  {
    const amp::AutocastGuard scope(amp::kCPU, {.dtype = amp::kFloat16});
    const amp::MathPrecisionGuard precision({.allow_tf32 = true});
    y = amp::checkpoint(f, x);
  }
  CHECK(outer.size() == 1);
  CHECK(inner.size() == 2);
  amp::sum(y).backward();
  CHECK(x.grad().to_vector<float>() == std::vector<float>(3, 8));
  const Seen forward{true, true, false, true, amp::kFloat16},
      again{true, true, true, true, amp::kFloat16};
  CHECK(outer == std::vector{forward, again});
  // In forward, in the outer one's recomputation, and in their own.
  CHECK(inner == std::vector{forward, forward, again, again, again, again});
  CHECK(look() == Seen{false, true, false, false, amp::kBFloat16});
}

TEST_CASE("checkpoint: running statistics of batch norm move once", "[ops]") {
  const auto run = [](bool kept, std::optional<double> momentum) {
    amp::manual_seed(1);
    const amp::nn::Sequential net(amp::nn::Conv2d(2, 4, 3),
                                  amp::nn::BatchNorm2d(4, {.momentum = momentum}), amp::nn::ReLU());
    const Tensor x = amp::randn({3, 2, 5, 5});
    for (int i = 0; i < 3; ++i) amp::sum(call(kept, net, x)).backward();
    Values all = gradients(net.parameters());
    for (const auto& [name, buffer] : net.named_buffers())
      all.push_back(buffer.to_vector<double>());
    return all;
  };
  for (const std::optional<double> momentum :
       {std::optional<double>(0.1), std::optional<double>()}) {
    const Values plain = run(false, momentum);
    CHECK(run(true, momentum) == plain);
    CHECK(plain.back() == std::vector<double>{3});
  }
  // The op itself, whose statistics also keep their version.
  const Tensor mean = amp::zeros({2}), var = amp::ones({2});
  const Tensor x = amp::randn({6, 2}, {.requires_grad = true});
  const Tensor y = amp::checkpoint(
      [=](const Tensor& a) { return amp::batch_norm(a, mean, var, {}, {}, true); }, x);
  const auto moved = mean.to_vector<float>(), spread = var.to_vector<float>();
  const std::uint64_t version = mean.version();
  amp::sum(y * y).backward();
  CHECK(mean.to_vector<float>() == moved);
  CHECK(var.to_vector<float>() == spread);
  CHECK(mean.version() == version);
}

TEST_CASE("checkpoint: results that need no backward are returned as they are", "[ops]") {
  const Tensor x = amp::ones({2}, {.requires_grad = true}), constant = amp::ones({2});
  int calls = 0;
  const auto twice = [&](const Tensor& a) {
    ++calls;
    return a * 2;
  };
  CHECK_FALSE(amp::checkpoint(twice, constant).requires_grad());
  CHECK(amp::checkpoint([](const Tensor& a) { return a; }, x).is_same(x));
  CHECK(amp::checkpoint([&] { return x; }).is_same(x));
  CHECK_FALSE(amp::checkpoint([](const Tensor&) { return Tensor(); }, x).defined());
  CHECK_FALSE(amp::checkpoint([](const Tensor& a) { return a.detach(); }, x).requires_grad());
  CHECK(amp::checkpoint([](const Tensor& a) { return amp::argmax(a); }, x).dtype() == amp::kInt64);
  {
    const amp::NoGradGuard no_grad;
    CHECK_FALSE(amp::checkpoint(twice, x).requires_grad());
  }
  CHECK(calls == 2);

  const Tensor none = amp::zeros({0, 3}, {.requires_grad = true});
  const Tensor y = amp::checkpoint(twice, none);
  CHECK(y.shape() == none.shape());
  amp::sum(y).backward();
  CHECK(none.grad().shape() == none.shape());
  CHECK(calls == 4);
}

TEST_CASE("checkpoint: an undefined input, views, and no input at all", "[ops]") {
  const auto run = [](bool kept) {
    amp::manual_seed(9);
    const Tensor w = amp::randn({4, 6}, {.requires_grad = true});
    const auto layer = [](const Tensor& a, const Tensor& weight, const Tensor& bias) {
      return amp::linear(a.t(), weight, bias).narrow(0, 1, 2);
    };
    const auto own = [w] { return w.t().narrow(0, 0, 2); };
    const Tensor y = call(kept, layer, amp::randn({6, 5}), w, Tensor()) + call(kept, own);
    amp::sum(y * y).backward();
    return gradients({w});
  };
  CHECK(run(true) == run(false));
}

TEST_CASE("checkpoint: a weight as input keeps its low-precision copy", "[ops]") {
  const Tensor w = amp::randn({8, 8}, {.requires_grad = true}), x = amp::randn({2, 8});
  const amp::AutocastGuard autocast(amp::kCPU);
  const Tensor y =
      amp::checkpoint([](const Tensor& a, const Tensor& b) { return amp::linear(a, b); }, x, w);
  const amp::AutocastCacheStats before = amp::autocast_cache_stats();
  amp::sum(y).backward();
  CHECK(amp::autocast_cache_stats().refreshes == before.refreshes);
  CHECK(amp::autocast_cache_stats().hits == before.hits + 1);
  CHECK(w.grad().dtype() == amp::kFloat32);
}

TEST_CASE("checkpoint: fn lives until backward, and no longer", "[ops]") {
  const Tensor x = amp::ones({2}, {.requires_grad = true});
  const auto held = std::make_shared<int>(3);
  const auto scaled_by = [&] {
    return amp::checkpoint([held](const Tensor& a) { return a * *held; }, x);
  };
  Tensor y = scaled_by();
  CHECK(held.use_count() == 2);
  const Tensor loss = amp::sum(y);
  loss.backward();
  CHECK(held.use_count() == 1);
  CHECK(x.grad().to_vector<float>() == std::vector<float>(2, 3));
  y = scaled_by();
  y = Tensor();
  CHECK(held.use_count() == 1);

  auto only = std::make_unique<int>(4);  // a function that can only be moved
  amp::sum(amp::checkpoint([p = std::move(only)](const Tensor& a) { return a * *p; }, x))
      .backward();
  CHECK(x.grad().to_vector<float>() == std::vector<float>(2, 7));
}

TEST_CASE("checkpoint: the checks of leaves see what fn captured", "[ops]") {
  const amp::nn::Linear inside(4, 4), outside(4, 4);
  const amp::nn::Sequential net(inside, outside);
  const Tensor stranger = amp::ones({4}, {.requires_grad = true});
  const auto loss_of = [&](bool strange) {
    const auto inner = [&, strange](const Tensor& a) {
      return amp::checkpoint(
          [&, strange](const Tensor& b) { return strange ? inside(b) * stranger : inside(b); }, a);
    };
    return amp::sum(outside(amp::checkpoint(inner, amp::ones({2, 4}))));
  };
  const amp::SGD optimizer(net.parameters());
  const Tensor loss = loss_of(false);
  CHECK_NOTHROW(net.check_registered(loss));
  CHECK_NOTHROW(optimizer.check_trains(loss));
  CHECK(amp::autograd::leaves_of(loss).size() == 4);
  const Tensor strange = loss_of(true);
  CHECK_THROWS_WITH(net.check_registered(strange),
                    Catch::Matchers::ContainsSubstring("float32[4], taken by checkpoint"));
  strange.backward();
  CHECK(amp::autograd::leaves_of(strange).size() == 5);
}

TEST_CASE("checkpoint: parameters frozen between the passes", "[ops]") {
  const auto run = [](bool kept, bool all) {
    const Tensor a = amp::ones({2}, {.requires_grad = true}),
                 b = amp::full({2}, 3, {.requires_grad = true});
    const Tensor y = call(
        kept, [=](const Tensor& x) { return x * b; }, a);
    a.requires_grad_(false);
    if (all) b.requires_grad_(false);
    amp::sum(y).backward();
    return gradients({a, b});
  };
  for (const bool all : {false, true}) CHECK(run(true, all) == run(false, all));
}

TEST_CASE("checkpoint: an input that is given other data goes on as it was", "[ops]") {
  const auto run = [](bool kept) {
    const Tensor x = amp::full({2}, 3, {.requires_grad = true});
    const Tensor w = amp::ones({2}, {.requires_grad = true});
    const Tensor y = call(
        kept, [](const Tensor& a, const Tensor& b) { return a * b; }, x, w);
    x.set_data(amp::full({2}, 100));
    amp::sum(y).backward();
    return gradients({w, x});
  };
  CHECK(run(true) == run(false));
}

}  // namespace checkpoint_test
