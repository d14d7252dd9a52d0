// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Listeners of leaves: they hear of a gradient as soon as it is complete, and not before.
#include <amp/amp.hpp>

#include <cstddef>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace autograd_listener {

using amp::Ref;
using amp::Tensor;
using amp_test::error_of;

namespace {

class Listener final : public amp::autograd::GradientListener {
 public:
  void accumulated(std::size_t index) override {
    events += "leaf " + std::to_string(index) + " " +
              std::to_string(static_cast<int>(leaves[index].grad().to_vector<float>()[0])) + ", ";
  }
  void backward_ends() override { events += "end, "; }
  void backward_fails() noexcept override { events += "failure, "; }
  bool joins_ranks() const override { return false; }

  std::vector<Tensor> leaves;
  std::string events;
};

/// A leaf of ones that the listener hears of.
Tensor leaf(const Ref<Listener>& listener) {
  const Tensor tensor = amp::ones({2}, {.requires_grad = true});
  amp::autograd::leaf_of(tensor)->listener = listener;
  amp::autograd::leaf_of(tensor)->listener_index = listener->leaves.size();
  listener->leaves.push_back(tensor);
  return tensor;
}

/// Leaves and their listener hold each other.
struct Fixture {
  Ref<Listener> listener = amp::make_ref<Listener>();
  Tensor a = leaf(listener), b = leaf(listener);

  Fixture() = default;
  Fixture(const Fixture&) = delete;
  Fixture& operator=(const Fixture&) = delete;
  ~Fixture() { listener->leaves.clear(); }

  /// Notes when backward comes through.
  Tensor passes(const Tensor& x, const char* name) {
    x.register_hook([this, name](const Tensor&) {
      listener->events += name;
      listener->events += ", ";
    });
    return x;
  }
};

}  // namespace

TEST_CASE("a listener hears of each leaf when its gradient is complete", "[autograd]") {
  Fixture f;
  const Tensor first = f.passes(f.a * 2, "first"), second = f.passes(first * f.b, "second");
  amp::sum(second * f.b).backward();
  CHECK(f.listener->events == "second, leaf 1 4, first, leaf 0 2, end, ");
}

TEST_CASE("a leaf that is used at the beginning as well is complete at the end", "[autograd]") {
  Fixture f;
  const Tensor first = f.passes(f.a * f.b, "first");
  amp::sum(first * f.a).backward();
  CHECK(f.listener->events == "first, leaf 0 2, leaf 1 1, end, ");
}

TEST_CASE("leaves of a branch that a condition leaves out are complete as well", "[autograd]") {
  Fixture f;
  amp::sum(amp::where(amp::gt(f.b, 0), f.a, f.b)).backward();
  CHECK(f.listener->events.find("leaf 0 1") != std::string::npos);
  CHECK(f.listener->events.ends_with("end, "));
}

TEST_CASE("gradients of a checkpointed function are complete after it", "[autograd]") {
  Fixture f;
  const auto square = [&](const Tensor& x) { return x * f.b * f.b; };
  const Tensor y = amp::checkpoint(square, f.a * 1);
  amp::sum(y * f.b).backward();
  // d/db of b^3 at 1 is 3, in one piece.
  CHECK(f.listener->events == "leaf 1 3, leaf 0 1, end, ");
}

TEST_CASE("a hook of a leaf comes before its listener", "[autograd]") {
  Fixture f;
  f.a.register_hook([](const Tensor& gradient) { return gradient * 5; });
  amp::sum(f.a * f.b).backward();
  CHECK(f.listener->events.find("leaf 0 5") != std::string::npos);
}

TEST_CASE("a listener is told of a failure", "[autograd]") {
  Fixture f;
  const Tensor first = f.a * 2;
  first.register_hook([](const Tensor&) { throw amp::Error("no"); });
  CHECK(error_of([&] {
          amp::sum(first * f.b).backward();
          return 0;
        }) == "no");
  CHECK(f.listener->events == "leaf 1 2, failure, ");
}

TEST_CASE("backward of other leaves is no event, nor is a leaf that was frozen since",
          "[autograd]") {
  Fixture f;
  const Tensor other = amp::ones({2}, {.requires_grad = true});
  amp::sum(other * 2).backward();
  CHECK(f.listener->events.empty());
  const Tensor loss = amp::sum(f.a * f.b);
  f.a.requires_grad_(false);
  loss.backward();
  CHECK(f.listener->events == "leaf 1 1, end, ");
}

TEST_CASE("a leaf that is itself the loss, and one that takes other memory", "[autograd]") {
  Fixture f;
  f.a.backward(amp::ones({2}));
  CHECK(f.listener->events == "leaf 0 1, end, ");
  f.listener->events.clear();
  f.a.set_data(amp::ones({2}));
  amp::sum(f.a * 3).backward();
  CHECK(f.listener->events == "leaf 0 3, end, ");
}

}  // namespace autograd_listener
