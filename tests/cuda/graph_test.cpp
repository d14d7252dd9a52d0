// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// CUDA graphs of training steps on the stand-in toolkit: replays take the steps that eager code
// takes, bit for bit, and what cannot be recorded is an error that names it.
#include <amp/device/cuda/context.hpp>
#include <amp/device/cuda/error.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "cuda/device.hpp"
#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace cuda_graph {
namespace {

using amp::kCUDA;
using amp::Tensor;
using amp::cuda::Graph;
using amp_test::error_of;
using Catch::Matchers::ContainsSubstring;

#if !defined(AMP_TEST_GPU)
standin::Toolkit& toolkit() { return standin::toolkit(); }
#endif

constexpr amp::TensorOptions kOnDevice{.device = kCUDA};

/// Bit patterns, so that NaN equals itself.
std::vector<std::uint64_t> bits_of(const Tensor& tensor) {
  std::vector<std::uint64_t> bits;
  for (const double value : tensor.to_vector<double>()) {
    bits.push_back(0);
    std::memcpy(&bits.back(), &value, sizeof value);
  }
  return bits;
}

/// Records a graph that is never replayed.
template <class Step>
void record(const Step& step, const amp::cuda::GraphOptions& options = {}) {
  const Graph graph(step, options);
}

/// A small network whose step has all that a recorded one may have: dropout, autocast, a loss
/// scale, Adam under a schedule, a static input.
struct Training {
  Tensor x = amp::zeros({6, 8}, kOnDevice), loss = {};
  Tensor w1, w2;
  std::optional<amp::Adam> optimizer = {};
  amp::GradScaler scaler{{.init_scale = 1024, .growth_interval = 7}};

  Training() {
    amp::manual_seed(3);
    w1 = amp::randn({5, 8}).to(kCUDA).requires_grad_();
    w2 = amp::randn({1, 5}).to(kCUDA).requires_grad_();
    optimizer.emplace(std::vector<Tensor>{w1, w2},
                      amp::AdamOptions{.lr = 0.01, .schedule = amp::cosine_schedule(100)});
  }
  Tensor forward(const Tensor& input) const {
    const amp::AutocastGuard autocast(kCUDA);
    return amp::linear(amp::relu(amp::linear(input, w1)), w2);
  }
  void step() {
    optimizer->zero_grad();
    {
      const amp::AutocastGuard autocast(kCUDA);
      const Tensor hidden = amp::dropout(amp::relu(amp::linear(x, w1)), 0.25);
      loss = amp::mean(amp::pow(amp::linear(hidden, w2) - 1, 2));
    }
    scaler.scale(loss).backward();
    (void)scaler.unscale_and_clip(*optimizer, 1.0);
    scaler.step(*optimizer);
    scaler.update();
  }
  /// The batch of step i, some of which have no finite gradient.
  void load(int i) const {
    const amp::RngState state = amp::get_rng_state();
    amp::manual_seed(static_cast<std::uint64_t>(100 + i));
    Tensor batch = amp::randn(x.shape());
    if (i % 11 == 7 || i == 40 || i == 41) batch.data<float>()[3] = HUGE_VALF;
    x.copy_(batch);
    amp::set_rng_state(state);
  }
  std::vector<std::vector<std::uint64_t>> outcome() const {
    std::vector<std::vector<std::uint64_t>> all{bits_of(w1), bits_of(w2), bits_of(loss)};
    for (const auto& [name, tensor] : optimizer->state_dict()) all.push_back(bits_of(tensor));
    const amp::GradScalerState state = scaler.state_dict();
    const auto count = [](auto number) { return static_cast<std::uint64_t>(number); };
    all.push_back({count(state.scale), count(state.growth_tracker), count(state.applied),
                   count(state.skipped), count(state.consecutive_skips)});
    all.push_back({amp::get_rng_state().seed, amp::get_rng_state().offset});
    return all;
  }
};

TEST_CASE("graph: replays take the steps that eager code takes, bit for bit", "[cuda]") {
  constexpr int kWarmup = 3, kReplays = 200;
  Training eager;
  eager.load(0);
  for (int i = 0; i < kWarmup; ++i) eager.step();
  std::vector<std::vector<std::uint64_t>> early;
  for (int i = 0; i < kReplays; ++i) {
    eager.load(i);
    eager.step();
    if (i == 20) early = eager.outcome();
  }
  const auto expected = eager.outcome();

  Training recorded;
  recorded.load(0);
  Graph graph([&] { recorded.step(); }, {.warmup = kWarmup});
  for (int i = 0; i < kReplays; ++i) {
    recorded.load(i);
    graph.replay();
    if (i == 20) CHECK(recorded.outcome() == early);
  }
  CHECK(recorded.outcome() == expected);
  const amp::GradScalerCounters counters = recorded.scaler.counters();
  CHECK(counters.applied + counters.skipped == kWarmup + kReplays);
  CHECK(counters.skipped >= 19);
}

TEST_CASE("graph: ten thousand replays of a small step, inf planted, end where eager code ends",
          "[cuda][values]") {
  constexpr int kReplays = 10000;
  const auto run = [](bool recorded) {
    const Tensor w = amp::tensor({1.0F, -2.0F, 0.5F}, {3}, kOnDevice).requires_grad_();
    const Tensor x = amp::ones({3}, kOnDevice);
    amp::SGD optimizer({w}, {.lr = 1e-3, .momentum = 0.9});
    amp::GradScaler scaler({.init_scale = 64, .growth_interval = 50});
    const auto step = [&] {
      optimizer.zero_grad();
      scaler.scale(amp::sum(w * w * x)).backward();
      scaler.step(optimizer);
      scaler.update();
    };
    std::optional<Graph> graph;
    if (recorded) {
      graph.emplace(step, amp::cuda::GraphOptions{.warmup = 2});
    } else {
      for (int i = 0; i < 2; ++i) step();
    }
    for (int i = 0; i < kReplays; ++i) {
      if (i % 97 == 5) x.fill_(HUGE_VAL);
      if (i % 97 == 7) x.fill_(1);
      recorded ? graph->replay() : step();
    }
    std::vector<std::vector<std::uint64_t>> all{bits_of(w)};
    for (const auto& [name, tensor] : optimizer.state_dict()) all.push_back(bits_of(tensor));
    const amp::GradScalerState state = scaler.state_dict();
    CHECK(state.applied + state.skipped == kReplays + 2);
    CHECK(state.skipped == 2 * 104);
    all.push_back({static_cast<std::uint64_t>(state.scale),
                   static_cast<std::uint64_t>(state.growth_tracker),
                   static_cast<std::uint64_t>(state.applied)});
    return all;
  };
  CHECK(run(true) == run(false));
}

#if !defined(AMP_TEST_GPU)
TEST_CASE("graph: a replay is one launch, and neither waits nor allocates nor copies", "[cuda]") {
  Training t;
  Graph graph([&] { t.step(); });
  graph.replay();
  toolkit().reset();
  for (int i = 0; i < 10; ++i) graph.replay();
  const standin::Counters& counters = toolkit().counters;
  CHECK(counters.graph_launches == 10);
  CHECK(counters.graph_kernels > 100);
  CHECK(counters.launches == 10);  // the random numbers' place
  CHECK(counters.allocations + counters.frees == 0);
  CHECK(counters.synchronisations == 0);
  CHECK(counters.to_device + counters.to_host == 0);
}
#endif

TEST_CASE("graph: rand and dropout go on in the process' stream", "[cuda]") {
  const Tensor x = amp::ones({50}, kOnDevice);
  Tensor dropped, drawn;
  const auto step = [&] {
    dropped = amp::dropout(x, 0.5);
    drawn = amp::rand({9}, kOnDevice);
  };
  std::vector<std::vector<std::uint64_t>> expected, seen;
  const auto note = [&](auto& list) {
    list.push_back(bits_of(dropped));
    list.push_back(bits_of(drawn));
    list.push_back({amp::get_rng_state().offset});
  };
  const auto run = [&](auto& list, const auto& next) {
    for (int i = 0; i < 3; ++i) {
      next();
      note(list);
      note(list);                                       // nothing is drawn by looking
      (void)amp::rand({static_cast<std::int64_t>(i)});  // other code draws, too
    }
    amp::manual_seed(0xfeed'0000'1234'5678);  // another seed
    next();
    note(list);
    amp::set_rng_state({.seed = 4, .offset = 0xffff'ffff'ffff'fffb});
    for (int i = 0; i < 2; ++i) {
      next();
      note(list);
    }
  };
  amp::manual_seed(8);
  for (int i = 0; i < 3; ++i) step();
  run(expected, step);
  amp::manual_seed(8);
  Graph graph(step);
  run(seen, [&] { graph.replay(); });
  CHECK(seen == expected);
  CHECK(seen[0] != seen[6]);
}

TEST_CASE("graph: the gradient of dropout drops what the forward pass dropped", "[cuda]") {
  const Tensor x = amp::ones({64}, kOnDevice).requires_grad_();
  Tensor y;
  Graph graph([&] {
    x.set_grad(Tensor());
    y = amp::dropout(x, 0.5);
    y.backward(amp::ones({64}, kOnDevice));
  });
  for (int i = 0; i < 3; ++i) {
    graph.replay();
    CHECK(x.grad().to_vector<float>() == y.to_vector<float>());
  }
}

TEST_CASE("graph: after a replay versions have moved, and copies of weights are made anew",
          "[cuda]") {
  Training t;
  t.load(1);
  Graph graph([&] { t.step(); });
  const Tensor probe = amp::ones({2, 8}, kOnDevice);
  std::vector<std::vector<float>> seen;
  for (int i = 0; i < 4; ++i) {
    const std::uint64_t version = t.w1.version(), input = t.x.version();
    graph.replay();
    CHECK(t.w1.version() > version);
    CHECK(t.x.version() == input);  // only what is written
    const amp::NoGradGuard no_grad;
    seen.push_back(t.forward(probe).to_vector<float>());
    const Tensor fresh = amp::linear(
        amp::relu(amp::linear(probe.to(amp::kFloat16), t.w1.detach().to(amp::kFloat16))),
        t.w2.detach().to(amp::kFloat16));
    CHECK(seen.back() == fresh.to_vector<float>());
  }
  CHECK(seen[0] != seen[3]);
}

TEST_CASE(
    "graph: copies of weights belong to the graph, or to eager code, not "
    "to both",
    "[cuda]") {
  const Tensor x = amp::ones({2, 8}, kOnDevice);
  const Tensor w = amp::randn({4, 8}).to(kCUDA).requires_grad_();  // nothing trains it
  const auto forward = [&] {
    const amp::NoGradGuard no_grad;
    const amp::AutocastGuard autocast(kCUDA);
    return amp::linear(x, w);
  };
  (void)forward();  // a copy is there, and current
  Tensor y;
  Graph graph([&] { y = forward(); });
  // What the weight is given now, the next replay sees, and writes to no memory
  // but its own.
  amp::clear_autocast_cache();
  std::vector<Tensor> others;
  for (int i = 0; i < 8; ++i)
    others.push_back(amp::full({4, 8}, 3, {.dtype = amp::kFloat16, .device = kCUDA}));
  w.detach().fill_(0.5);
  graph.replay();
  CHECK(y.to_vector<float>() == std::vector<float>(8, 4));
  CHECK(forward().to_vector<float>() == std::vector<float>(8, 4));
  for (const Tensor& other : others) CHECK(other.to_vector<float>() == std::vector<float>(32, 3));
}

TEST_CASE("graph: what a replay writes cannot be used by an earlier backward pass", "[cuda]") {
  const Tensor w = amp::ones({3}, kOnDevice).requires_grad_();
  amp::SGD optimizer({w});
  Graph graph([&] {
    optimizer.zero_grad();
    amp::sum(w * w).backward();
    optimizer.step();
  });
  const Tensor loss = amp::sum(w * w);
  graph.replay();
  CHECK_THAT(error_of([&] { loss.backward(); }), ContainsSubstring("modified in place"));
}

TEST_CASE("graph: a changed learning rate holds from the next replay on", "[cuda]") {
  const auto run = [](bool recorded) {
    const Tensor a = amp::ones({3}, kOnDevice).requires_grad_();
    const Tensor b = amp::ones({3}, kOnDevice).requires_grad_();
    amp::SGD optimizer({{.params = {a}, .options = {.lr = 0.1}},
                        {.params = {b}, .options = {.lr = 0.2, .momentum = 0.5}}});
    const auto step = [&] {
      optimizer.zero_grad();
      amp::sum(a * a + b * b).backward();
      optimizer.step();
    };
    std::optional<Graph> graph;
    for (int i = 0; !recorded && i < 3; ++i) step();
    if (recorded) graph.emplace(step);
    for (int i = 0; i < 20; ++i) {
      optimizer.param_groups()[1].options.lr = 0.2 / (1 + i / 3);
      recorded ? graph->replay() : step();
      if (i % 7 == 2) step();  // eager steps between replays
    }
    return std::vector{bits_of(a), bits_of(b)};
  };
  CHECK(run(true) == run(false));
}

TEST_CASE("graph: a scaler's cycle is to be closed in each call", "[cuda]") {
  Training t;
  t.step();
  const auto begin = [&] {
    t.optimizer->zero_grad();
    t.scaler.scale(amp::mean(amp::linear(t.x, t.w1))).backward();
    t.scaler.step(*t.optimizer);
  };
  t.optimizer.emplace(std::vector<Tensor>{t.w1});
  CHECK_THAT(error_of([&] { record(begin); }),
             ContainsSubstring("does not end a GradScaler's cycle"));
  t.scaler.update();
  begin();
  CHECK_THAT(error_of([&] { record([&] { t.scaler.update(); }); }),
             ContainsSubstring("ends a GradScaler's cycle") &&
                 ContainsSubstring("which it did not begin"));
  Graph graph([&] {
    begin();
    t.scaler.update();
  });
  graph.replay();
}

// --- memory --------------------------------------------------------------------------------------

TEST_CASE("graph: its memory is its own", "[cuda]") {
  const Tensor x = amp::ones({1000}, kOnDevice);
  Tensor y;
  Graph graph([&] { y = amp::exp(amp::exp(x * 0.5) + 1) * 2; });
  graph.replay();
  const auto expected = y.to_vector<float>();
  for (int i = 0; i < 3; ++i) {
    std::vector<Tensor> others;
    for (int j = 0; j < 20; ++j) others.push_back(amp::full({1000}, NAN, kOnDevice));
    // Where memory runs out, what is free is given back, but not a graph's.
    CHECK_THAT(error_of([] { return amp::empty({std::int64_t{1} << 40}, kOnDevice); }),
               ContainsSubstring("out of memory"));
    graph.replay();
    CHECK(y.to_vector<float>() == expected);
    for (const Tensor& other : others) CHECK(std::isnan(other.to_vector<float>()[500]));
  }
  y = Tensor();  // its memory stays the graph's
  const Tensor other = amp::full({1000}, 5, kOnDevice);
  graph.replay();
  CHECK(other.to_vector<float>() == std::vector<float>(1000, 5));
}

TEST_CASE("graph: what the recorded call let go of is kept", "[cuda]") {
  const Tensor x = amp::ones({30}, kOnDevice);
  for (const bool by_another_thread : {false, true}) {
    Tensor side = amp::full({30}, 7, kOnDevice), y, mine;
    int calls = 0;
    std::optional<Graph> graph(std::in_place, [&] {
      mine = x * 3;
      y = x + (side.defined() ? side : x) + mine;
      if (++calls < 4) return;
      if (by_another_thread) {
        std::thread([&] { mine = Tensor(); }).join();  // the graph's, from outside
      } else {
        side = Tensor();
      }
    });
    std::vector<Tensor> others;
    for (int i = 0; i < 10; ++i) others.push_back(amp::full({30}, NAN, kOnDevice));
    graph->replay();
    CHECK(y.to_vector<float>() == std::vector<float>(30, 11));
    graph.reset();
    CHECK(y.to_vector<float>() == std::vector<float>(30, 11));
  }
}

TEST_CASE("graph: what it writes lives as long as it does", "[cuda]") {
  Tensor sum = amp::zeros({300}, kOnDevice);
  Graph graph([&] {
    if (sum.defined()) sum.copy_(sum + 1);
  });
  sum = Tensor();
  const Tensor other = amp::full({300}, 5, kOnDevice);
  graph.replay();
  CHECK(other.to_vector<float>() == std::vector<float>(300, 5));
}

#if !defined(AMP_TEST_GPU)
TEST_CASE("graph: destroyed, it gives everything back; what it made lives on", "[cuda]") {
  amp::cuda::shutdown();
  const standin::Live live = toolkit().live;
  const std::size_t blocks = toolkit().live_blocks();
  {
    Training t;
    const Tensor x = amp::ones({4, 4}, kOnDevice);
    Tensor y;
    for (int i = 0; i < 3; ++i) {
      Graph first([&] { t.step(); });
      const standin::Live with_one = toolkit().live;
      {
        Graph second([&] { y = amp::matmul(x, x); });
        second.replay();
        first.replay();
      }
      CHECK(toolkit().live.graphs == with_one.graphs);
      CHECK(y.to_vector<float>() == std::vector<float>(16, 4));
    }
    CHECK(toolkit().live.graphs == live.graphs);
    CHECK(toolkit().live.streams <= live.streams + 3);  // kept for the next graph
    t.step();
    CHECK(std::isfinite(t.w1.to_vector<float>()[0]));
  }
  amp::cuda::shutdown();
  CHECK((toolkit().live == live));
  CHECK(toolkit().live_blocks() == blocks);
}
#endif

// --- errors --------------------------------------------------------------------------------------

/// The message of recording what only the last call does; and that all works afterwards.
template <class Call>
std::string error_of_recording(const Call& call) {
  Training t;
  int calls = 0;
  const std::string message = error_of([&] {
    record([&] {
      t.step();
      if (++calls == 4) call(t);
    });
  });
  CHECK(calls == 4);
  CHECK(cudaGetLastError() == cudaSuccess);
  t.step();  // eager code goes on
  CHECK(std::isfinite(t.loss.to_vector<float>()[0]));
  Graph graph([&] { t.step(); });
  graph.replay();
  CHECK(std::isfinite(t.w1.to_vector<float>()[0]));
  CHECK(t.scaler.counters().applied == 3 + 1 + 3 + 1);
  return message;
}

TEST_CASE("graph: what cannot be recorded is named", "[cuda]") {
  CHECK_THAT(error_of_recording([](Training& t) { (void)t.loss.item<float>(); }),
             ContainsSubstring("Graph: a copy of 4 bytes to the host (item, "));
  CHECK_THAT(error_of_recording([](Training& t) { (void)t.w1.to(amp::kCPU); }),
             ContainsSubstring("copy of 160 bytes to the host"));
  CHECK_THAT(error_of_recording([](Training& t) { (void)t.scaler.get_scale(); }),
             ContainsSubstring("to the host"));
  CHECK_THAT(error_of_recording([](Training& t) {
               t.x.copy_(amp::ones({6, 8}));
             }),
             ContainsSubstring("copy of 192 bytes from the host") &&
                 ContainsSubstring("ahead of replay()"));
  CHECK_THAT(error_of_recording([](Training& t) {
               (void)amp::cat({t.x, t.x, t.x}, 0).t();
             }),
             ContainsSubstring("asks for 576 bytes that its warm-ups did not leave behind"));
  CHECK_THAT(error_of_recording([](Training&) { Graph inner([] {}); }),
             ContainsSubstring("a graph cannot be part of another"));
  CHECK_THAT(error_of_recording([](Training& t) {
               const amp::StreamGuard guard(kCUDA, nullptr);
               t.x.zero_();
             }),
             ContainsSubstring("works on cuda:0, on a stream of its choice"));
  if (amp::cuda::detail::device_count() > 1) {
    const Tensor elsewhere = amp::ones({3}, {.device = {kCUDA, 1}});
    CHECK_THAT(error_of_recording([&](Training&) { elsewhere.zero_(); }),
               ContainsSubstring("works on cuda:1; a graph records the one stream of cuda:0"));
  }
  CHECK_THAT(error_of_recording([](Training&) {
               AMP_CUDA_CALL(cudaStreamSynchronize, amp::cuda::current_stream());
             }),
             ContainsSubstring("cudaStreamSynchronize: cudaErrorStreamCaptureUnsupported (900): "
                               "this cannot be part of a Graph"));
  CHECK_THAT(error_of_recording(
                 [](Training&) { (void)cudaStreamSynchronize(amp::cuda::current_stream()); }),
             ContainsSubstring("made a call, not through amp, that waits for the device"));
}

TEST_CASE("graph: an error that the callable swallows is one all the same", "[cuda]") {
  CHECK_THAT(error_of_recording([](Training& t) {
               try {
                 (void)t.loss.item<float>();
               } catch (const amp::Error&) {
               }
             }),
             ContainsSubstring("copy of 4 bytes to the host"));
}

TEST_CASE("graph: what the callable throws passes through", "[cuda]") {
  Tensor x = amp::ones({3}, kOnDevice);
  for (const int bad : {1, 4}) {
    int calls = 0;
    CHECK_THROWS_AS(record([&] {
                      x.copy_(x + 1);
                      if (++calls == bad) throw std::out_of_range("of the user");
                    }),
                    std::out_of_range);
    CHECK_FALSE(amp::detail::in_graph_call());
  }
  CHECK(x.to_vector<float>() == std::vector<float>(3, 5));
}

TEST_CASE("graph: stages that do not close are named", "[cuda]") {
  int owner = 0;
  const Tensor x = amp::ones({3}, kOnDevice);
  const auto recording = [&](const auto& call) {
    return error_of([&] {
      record([&] {
        (void)amp::exp(x);
        call(*amp::detail::Capture::current());
      });
    });
  };
  using Capture = amp::detail::Capture;
  CHECK_THAT(recording([&](Capture& c) { c.open(&owner, "a cycle of a GradScaler"); }),
             ContainsSubstring("does not end a cycle of a GradScaler; record whole steps"));
  CHECK_THAT(recording([&](Capture& c) { c.close(&owner, "a cycle of a GradScaler"); }),
             ContainsSubstring("ends a cycle of a GradScaler, which it did not begin"));
  CHECK(recording([&](Capture& c) {
          c.open(&owner, "a cycle");
          c.close(&owner, "a cycle");
        }).empty());
}

TEST_CASE("graph: options, devices and empty work are checked", "[cuda]") {
  const Tensor x = amp::ones({3}, kOnDevice);
  const auto options = [&](const amp::cuda::GraphOptions& given) {
    return error_of([&] { record([&] { (void)amp::exp(x); }, given); });
  };
  CHECK_THAT(options({.warmup = 0}), ContainsSubstring("`warmup` must be at least 1, but is 0"));
  const int count = amp::cuda::detail::device_count();
  CHECK_THAT(options({.device = count}),
             ContainsSubstring("`device` must be one of the " + std::to_string(count)));
  CHECK_THAT(options({.device = -1}), ContainsSubstring("but is -1"));
  CHECK(options({.warmup = 1}).empty());
  CHECK_THAT(error_of([] { record([] { return amp::ones({3}) + 1; }); }),
             ContainsSubstring("gave cuda:0 nothing to do; work of the host is not recorded"));

  const int last = count - 1;
  const Tensor there = amp::ones({3}, {.device = {kCUDA, last}});
  Graph second([&] { there.copy_(there + 1); }, {.warmup = 1, .device = last});
  second.replay();
  CHECK(there.to_vector<float>() == std::vector<float>(3, 3));

  Graph outer([&] { (void)amp::exp(x); });
  CHECK_THAT(error_of([&] {
               record([&] {
                 (void)amp::exp(x);
                 outer.replay();
               });
             }),
             ContainsSubstring("replay: this thread records a graph"));
}

#if !defined(AMP_TEST_GPU)
TEST_CASE("graph: every CUDA call that fails is an exception, and nothing is lost", "[cuda]") {
  amp::cuda::shutdown();
  const Tensor x = amp::ones({8}, kOnDevice);
  Tensor y;
  const auto run = [&] {
    Graph graph(
        [&] {
          y = amp::exp(amp::dropout(x, 0.5));
          y = y + 1;
        },
        {.warmup = 2});
    graph.replay();
  };
  run();
  amp::cuda::empty_cache();
  const standin::Live live = toolkit().live;
  // Calls that release something are not among them: if they fail, it is lost.
  for (const std::string name :
       {"cudaGetDevice", "cudaEventCreateWithFlags", "cudaEventRecord", "cudaStreamWaitEvent",
        "cudaStreamSynchronize", "cudaStreamBeginCapture", "cudaStreamEndCapture",
        "cudaGraphGetNodes", "cudaGraphInstantiate", "cudaGraphLaunch", "cudaLaunchKernelEx",
        "cudaFreeAsync", "cudaMallocFromPoolAsync"}) {
    toolkit().reset();
    run();
    const std::int64_t calls = toolkit().calls_of(name);
    CHECK(calls > 0);
    for (int nth = 0; nth < calls; ++nth) {
      CAPTURE(name, nth);
      toolkit().reset();
      toolkit().fail(name, nth, cudaErrorLaunchFailure);
      const std::string text = error_of(run);
      CHECK(toolkit().failed() == name);
      toolkit().reset();
      if (name == "cudaFreeAsync" || name == "cudaStreamSynchronize" ||
          (name == "cudaStreamWaitEvent" && nth == calls - 1)) {
        CHECK(text.empty());  // of the destructor
      } else if (name != "cudaGetDevice" && name != "cudaEventRecord") {
        CHECK_THAT(text, ContainsSubstring(name + ": cudaErrorLaunchFailure"));
      }
      CHECK_FALSE(amp::detail::in_graph_call());
      CHECK(error_of(run).empty());
      CHECK(y.to_vector<float>().size() == 8);
    }
  }
  amp::cuda::empty_cache();
  CHECK(toolkit().live.graphs == live.graphs);
  CHECK(toolkit().live.events == live.events);
  CHECK(toolkit().live.pools == live.pools);
  CHECK(toolkit().live.host_blocks == live.host_blocks);
}
#endif

// --- streams and threads -------------------------------------------------------------------------

TEST_CASE("graph: a replay goes to the stream that the user chose", "[cuda]") {
  cudaStream_t mine = nullptr;
  REQUIRE(cudaStreamCreateWithFlags(&mine, cudaStreamNonBlocking) == cudaSuccess);
  {
    const Tensor x = amp::zeros({3}, kOnDevice);
    Graph graph([&] { x.copy_(x + 1); }, {.warmup = 1});
    // In a capture of the user's nothing can be replayed, and the capture is none the worse.
    REQUIRE(cudaStreamBeginCapture(mine, cudaStreamCaptureModeRelaxed) == cudaSuccess);
    {
      const amp::StreamGuard guard(kCUDA, mine);
      CHECK_THAT(error_of([&] { graph.replay(); }),
                 ContainsSubstring("replay: the current stream of cuda:0 is being captured"));
      CHECK_THAT(error_of([&] { Graph inner([&] { (void)amp::exp(x); }); }),
                 ContainsSubstring("Graph: the current stream of cuda:0 is being captured"));
    }
    cudaGraph_t none = nullptr;
    REQUIRE(cudaStreamEndCapture(mine, &none) == cudaSuccess);
    REQUIRE(cudaGraphDestroy(none) == cudaSuccess);
    std::thread([&] { graph.replay(); }).join();
    graph.replay();
    CHECK(x.to_vector<float>() == std::vector<float>(3, 3));
  }
  amp::cuda::shutdown();
  REQUIRE(cudaStreamDestroy(mine) == cudaSuccess);
}

TEST_CASE("graph: threads record graphs at a time", "[cuda]") {
  std::vector<std::thread> threads;
  std::vector<float> results(3);
  for (std::size_t t = 0; t < results.size(); ++t) {
    threads.emplace_back([t, &results] {
      const Tensor x = amp::zeros({40}, kOnDevice);
      Graph graph([&] { x.copy_(x + static_cast<double>(t)); });
      for (int i = 0; i < 5; ++i) graph.replay();
      results[t] = x.to_vector<float>()[39];
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(results == std::vector<float>{0, 8, 16});
}

}  // namespace
}  // namespace cuda_graph
