// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A replayed step in its steady state launches only the work itself. Tables of tensors are sent
// once, and weights are cast only if other code than the step changed them.

#include <cstdint>
#include <vector>

#include "cuda/device.hpp"
#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace cuda_graph_steady {
namespace {

using amp::kCUDA;
using amp::Tensor;
using amp::cuda::Graph;
using amp_test::error_of;
using Catch::Matchers::ContainsSubstring;

const amp::TensorOptions kOnDevice{.device = kCUDA};

struct Kernels {
  std::int64_t of_graph, before_it;
};
#if !defined(AMP_TEST_GPU)
Kernels kernels(Graph& graph) {
  const standin::Counters before = standin::toolkit().counters;
  graph.replay();
  const standin::Counters now = standin::toolkit().counters;
  CHECK(now.synchronisations == before.synchronisations);
  CHECK(now.allocations == before.allocations);
  CHECK(now.to_device + now.to_host + now.on_device ==
        before.to_device + before.to_host + before.on_device);
  return {now.graph_kernels - before.graph_kernels, now.launches - before.launches};
}
#endif

struct Net {
  Tensor x = amp::full({4, 8}, 0.5, kOnDevice), w, v;
  Net() {
    amp::manual_seed(7);
    w = amp::randn({6, 8}).to(kCUDA).requires_grad_();
    v = amp::randn({2, 6}).to(kCUDA).requires_grad_();
  }
  Tensor forward() const {
    const amp::AutocastGuard autocast(kCUDA);
    return amp::linear(amp::linear(x, w), v);
  }
  /// With weights cast now.
  std::vector<float> expected() const {
    const amp::NoGradGuard no_grad;
    const auto half = [](const Tensor& tensor) { return tensor.detach().to(amp::kFloat16); };
    return amp::linear(amp::linear(half(x), half(w)), half(v)).to_vector<float>();
  }
};

}  // namespace

#if !defined(AMP_TEST_GPU)
TEST_CASE("graph: a step of Adam over 300 tensors, clipped, is four kernels", "[cuda]") {
  std::vector<Tensor> parameters;
  for (std::int64_t i = 0; i < 300; ++i) {
    parameters.push_back(amp::randn({1 + i % 37}).to(kCUDA).requires_grad_());
    parameters.back().set_grad(amp::randn({1 + i % 37}).to(kCUDA));
  }
  amp::Adam optimizer(parameters, {.lr = 1e-3});
  amp::GradScaler scaler;
  scaler.scale(amp::ones({}, kOnDevice));
  Graph graph([&] {
    scaler.unscale_and_clip(optimizer, 1.0);
    scaler.step(optimizer);
    scaler.update();
  });
  CHECK(kernels(graph).of_graph <= 4);
  const Kernels settled = kernels(graph);
  CHECK(settled.of_graph <= 4);
  CHECK(settled.before_it == 0);
}

TEST_CASE("graph: a settled training step casts no weight", "[cuda]") {
  Net net;
  amp::Adam optimizer({net.w, net.v}, {.lr = 1e-2});
  amp::GradScaler scaler({.init_scale = 256});
  Tensor y;
  Graph graph([&] {
    optimizer.zero_grad();
    y = net.forward();
    scaler.scale(amp::mean(y * y)).backward();
    scaler.step(optimizer);
    scaler.update();
  });
  (void)kernels(graph);
  for (int i = 0; i < 5; ++i) {
    const std::vector<float> expected = net.expected();
    CHECK(kernels(graph).before_it == 0);
    CHECK(y.to_vector<float>() == expected);
  }

  SECTION("a weight that was written by hand is cast, once") {
    net.w.detach().fill_(0.25);
    const std::vector<float> expected = net.expected();
    CHECK(kernels(graph).before_it == 1);
    CHECK(y.to_vector<float>() == expected);
    CHECK(kernels(graph).before_it == 0);
  }
  SECTION("weights that eager code stepped are cast") {
    optimizer.zero_grad();
    amp::mean(net.forward()).backward();
    optimizer.step();
    const std::vector<float> expected = net.expected();
    CHECK(kernels(graph).before_it == 2);
    CHECK(y.to_vector<float>() == expected);
    CHECK(kernels(graph).before_it == 0);
  }
  SECTION("a skipped step leaves the copies right") {
    net.x.fill_(1e30);
    (void)kernels(graph);
    net.x.fill_(0.5);
    const std::vector<float> expected = net.expected();
    CHECK(kernels(graph).before_it == 0);
    CHECK(y.to_vector<float>() == expected);
    CHECK(scaler.counters().skipped == 1);
  }
  SECTION("eager use between replays has copies of its own") {
    const amp::NoGradGuard no_grad;
    for (int i = 0; i < 3; ++i) {
      CHECK(net.forward().to_vector<float>() == net.expected());
      const std::vector<float> expected = net.expected();
      CHECK(kernels(graph).before_it == 0);
      CHECK(y.to_vector<float>() == expected);
    }
  }
}

TEST_CASE("graph: a weight that the step writes before or after its use is cast when it must be",
          "[cuda]") {
  Net net;
  Tensor y;
  SECTION("before: within the graph") {
    Graph graph([&] {
      const amp::NoGradGuard no_grad;
      net.w.copy_(net.w.detach() * 0.5);
      y = net.forward();
    });
    for (int i = 0; i < 3; ++i) {
      graph.replay();
      CHECK(y.to_vector<float>() == net.expected());
    }
  }
  SECTION("after, without its copy: before each replay") {
    Graph graph([&] {
      const amp::NoGradGuard no_grad;
      y = net.forward();
      net.w.copy_(net.w.detach() * 0.5);
    });
    for (int i = 0; i < 3; ++i) {
      const std::vector<float> expected = net.expected();
      CHECK(kernels(graph).before_it >= 1);
      CHECK(y.to_vector<float>() == expected);
    }
  }
  SECTION("made within: within") {
    Graph graph([&] {
      const Tensor made = (net.w.detach() * 2).requires_grad_();
      const amp::AutocastGuard autocast(kCUDA);
      y = amp::linear(net.x, made);
    });
    for (int i = 0; i < 3; ++i) {
      net.w.detach().fill_(i + 1.0);
      graph.replay();
      CHECK(y.to_vector<float>() == std::vector<float>(24, 8.0F * static_cast<float>(i + 1)));
    }
  }
}
#endif

TEST_CASE("graph: two graphs and eager code train the same weights", "[cuda]") {
  const auto run = [](bool recorded) {
    Net net;
    amp::SGD optimizer({net.w, net.v}, {.lr = 1e-2});
    const auto step = [&] {
      optimizer.zero_grad();
      amp::mean(net.forward()).backward();
      optimizer.step();
    };
    if (recorded) {
      Graph first(step), second(step);  // each takes three to warm up
      for (int i = 0; i < 4; ++i) {
        first.replay();
        step();
        second.replay();
        second.replay();
      }
    } else {
      for (int i = 0; i < 2 * 3 + 4 * 4; ++i) step();
    }
    return std::pair(net.w.to_vector<float>(), net.v.to_vector<float>());
  };
  CHECK(run(true) == run(false));
}

TEST_CASE("graph: a call that gives a kernel more tensors than its warm-ups is refused", "[cuda]") {
  std::vector<Tensor> all;
  for (int i = 0; i < 200; ++i) {
    all.push_back(amp::ones({3}, kOnDevice).requires_grad_());
    if (i < 2) all.back().set_grad(amp::ones({3}, kOnDevice));
  }
  amp::SGD optimizer(all, {.lr = 0.1});
  std::vector<Tensor> late;
  for (int i = 0; i < 200; ++i) late.push_back(amp::ones({3}, kOnDevice));
  int calls = 0;
  const std::string error = error_of([&] {
    Graph graph(
        [&] {
          if (++calls == 2) {
            for (std::size_t i = 0; i < all.size(); ++i) all[i].set_grad(late[i]);
          }
          optimizer.step();
        },
        {.warmup = 1});
  });
  CHECK_THAT(error, ContainsSubstring("Graph: the callable gives one call more tensors"));
}

}  // namespace cuda_graph_steady
