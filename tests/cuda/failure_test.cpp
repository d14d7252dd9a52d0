// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Every CUDA and cuBLAS call of a training step is made to fail once, cold and in the steady state.
// Each time: an amp::Error that names the call, or none if the failure changes nothing; then
// parameters and optimizer state are those before the step or those after it, and so is the
// scaler's state; training goes on as if nothing had happened; nothing is lost. The running
// statistics of batch norm belong to the forward pass: they may be those after it in a step that
// failed later, but no others. The random stream may have moved on.
#include <amp/cuda.hpp>
#include <amp/device/cuda/handles.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/cuda/standin.hpp"
#include "support/error_of.hpp"
#include "support/step_state.hpp"

namespace cuda_failure {
namespace {

using amp::kCUDA;
using amp::Tensor;
using Catch::Matchers::ContainsSubstring;

standin::Toolkit& toolkit() { return standin::toolkit(); }

/// Not the current device, so that devices are changed as well.
const amp::Device kDevice{kCUDA, 1};

/// Calls whose failure is not heard, since they give something back. What they were to give back is
/// lost, or (memory of the device) set aside until the device is waited for.
const std::set<std::string> kUnheard{"cudaSetDevice", "cudaEventDestroy", "cudaStreamIsCapturing"};

using amp_test::Values;
using amp_test::values_of;
using State = amp_test::StepState;

struct Batch {
  Tensor x, y;
};

/// A network with every kind of layer that has calls of its own, and what trains it.
template <class Optimizer, class Options>
class Training {
 public:
  Training(const amp::NamedTensors& initial, const Options& options)
      : all_(moved(initial)),
        optimizer_({{.params = {at(0), at(1), at(2), at(3)}, .options = options},
                    {.params = {at(4), at(5)}, .options = slower(options)}}) {}

  void step(const Batch& batch) {
    const Tensor x = batch.x.to(kDevice), y = batch.y.to(kDevice);
    const auto loss_of = amp::autocast(kCUDA, {}, [&] {
      Tensor h = amp::conv2d(x, at(0), at(1), {.padding = 1});
      h = amp::batch_norm(h, at(6), at(7), at(2), at(3), true);
      h = amp::dropout(amp::max_pool2d(amp::relu(h), 2), 0.25, true);
      return amp::cross_entropy(amp::linear(h.flatten(1), at(4), at(5)), y);
    });
    scaler_.scale(loss_of()).backward();
    (void)scaler_.unscale_and_clip(optimizer_, 0.5);
    (void)scaler_.step(optimizer_);
    scaler_.update();
    optimizer_.zero_grad();
  }
  /// What a loop does with a step that threw.
  void give_up() { optimizer_.zero_grad(); }

  State state() const {
    State state;
    state.stepped = values_of({all_.begin(), all_.begin() + 6});
    for (auto& values : values_of(optimizer_.state_dict())) state.stepped.push_back(values);
    state.scaler = scaler_.state_dict();
    state.running = values_of({all_.begin() + 6, all_.end()});
    return state;
  }
  /// Takes over the state of `other`, by value.
  void become(const Training& other) {
    const amp::NoGradGuard no_grad;
    for (std::size_t i = 0; i < all_.size(); ++i) at(i).copy_(other.at(i).detach());
    optimizer_.load_state_dict(other.optimizer_.state_dict());
    scaler_.load_state_dict(other.scaler_.state_dict());
  }

 private:
  static amp::NamedTensors moved(const amp::NamedTensors& initial) {
    amp::NamedTensors all;
    for (const auto& [name, tensor] : initial) {
      all.emplace_back(name, tensor.detach().to(kDevice));
      all.back().second.requires_grad_(all.size() <= 6);
    }
    return all;
  }
  static Options slower(Options options) {
    options.lr /= 2;
    return options;
  }
  const Tensor& at(std::size_t i) const { return all_[i].second; }

  amp::NamedTensors all_;  // six parameters, two running statistics
  Optimizer optimizer_;
  amp::GradScaler scaler_{{.init_scale = 256, .growth_interval = 2}};
};

struct Problem {
  amp::NamedTensors initial;
  std::vector<Batch> batches;

  Problem() {
    amp::manual_seed(5);
    initial = {{"conv.weight", amp::randn({2, 2, 3, 3}) * 0.3},
               {"conv.bias", amp::zeros({2})},
               {"norm.weight", amp::ones({2})},
               {"norm.bias", amp::zeros({2})},
               {"linear.weight", amp::randn({4, 8}) * 0.3},
               {"linear.bias", amp::zeros({4})},
               {"norm.running_mean", amp::zeros({2})},
               {"norm.running_var", amp::ones({2})}};
    for (int i = 0; i < 4; ++i)
      batches.push_back({amp::randn({2, 2, 4, 4}), (amp::rand({2}) * 4).to(amp::kInt64)});
  }
};

/// The state of a run that never failed, before each step and after the last.
template <class T, class Options>
std::vector<State> undisturbed(const Problem& problem, const Options& options) {
  amp::manual_seed(6);
  T training(problem.initial, options);
  std::vector<State> states{training.state()};
  for (const Batch& batch : problem.batches) {
    training.step(batch);
    states.push_back(training.state());
  }
  return states;
}

/// One more step.
template <class T>
State go_on(T& training, const Problem& problem, const amp::RngState& random) {
  amp::set_rng_state(random);
  training.step(problem.batches[0]);
  return training.state();
}

template <class T, class Options>
class Check {
 public:
  explicit Check(const Options& options)
      : options_(options), expected_(undisturbed<T>(problem_, options)) {
    REQUIRE((expected_[0].stepped != expected_[1].stepped));
    REQUIRE((expected_[2].running != expected_[3].running));
  }

  /// Fails every call of step `at` in turn. The first step includes what comes before it on the
  /// device. Returns the calls that were heard.
  std::set<std::string> run(std::size_t at) {
    std::set<std::string> heard;
    for (int nth = 0;; ++nth) {
      const int status = nth % 2 == 0 ? cudaErrorInvalidValue : cudaErrorLaunchFailure;
      const std::string failed = fail_one(at, nth, status, heard);
      if (failed.empty()) break;
      if (failed == "cudaMallocFromPoolAsync")
        (void)fail_one(at, nth, cudaErrorMemoryAllocation, heard);
    }
    return heard;
  }

 private:
  /// Returns the nth call of the step, which failed; empty if the step makes no such call.
  std::string fail_one(std::size_t at, int nth, int status, std::set<std::string>& heard) {
    REQUIRE(cudaSetDevice(0) == cudaSuccess);  // if the last failure left another one current
    amp::cuda::shutdown();
    const std::size_t blocks = toolkit().live_blocks();
    const standin::Live live = toolkit().live;
    const std::int64_t handles = standin::live_blas_handles;
    amp::manual_seed(6);
    std::optional<T> training;
    if (at > 0) training.emplace(problem_.initial, options_);
    for (std::size_t i = 0; i < at; ++i) training->step(problem_.batches[i]);
    toolkit().schedule.set(toolkit().schedule.seed());  // each time the same calls
    toolkit().fail("", nth, status);
    const std::string text = amp_test::error_of([&] {
      if (at == 0) training.emplace(problem_.initial, options_);
      training->step(problem_.batches[at]);
    });
    const std::string failed = toolkit().failed();
    toolkit().reset();
    CAPTURE(at, nth, status, failed, text);
    if (failed.empty()) {
      CHECK(text.empty());
      return failed;
    }
    if (!training) training.emplace(problem_.initial, options_);  // its construction failed
    const State now = training->state();
    if (text.empty()) {
      // What cuBLASLt refuses at first is computed otherwise.
      if (status != cudaErrorMemoryAllocation && !failed.starts_with("cublasLt"))
        CHECK(kUnheard.count(failed) == 1);
      CHECK((now == expected_[at + 1]));
    } else {
      heard.insert(failed);
      check_error(text, failed, status);
      CHECK(amp_test::is_whole(now, expected_[at], expected_[at + 1]));
      training->give_up();
    }
    const amp::RngState random = amp::get_rng_state();
    const State reference = reference_after(*training, now, random);
    CHECK((go_on(*training, problem_, random) == reference));
    training.reset();
    amp::cuda::shutdown();
    CHECK(toolkit().live_blocks() == blocks);
    CHECK((toolkit().live == live));
    CHECK(standin::live_blas_handles == handles);
    return failed;
  }
  static void check_error(const std::string& text, const std::string& failed, int status) {
    CHECK_THAT(text, ContainsSubstring(failed));
    if (failed.starts_with("cublas")) {
      CHECK_THAT(text, ContainsSubstring("CUBLAS_STATUS"));
    } else if (status == cudaErrorLaunchFailure) {
      CHECK_THAT(text, ContainsSubstring("cudaErrorLaunchFailure") &&
                           ContainsSubstring("cannot be used by this process any more"));
    }
  }
  /// Where training that never failed gets to from the same state.
  const State& reference_after(const T& training, const State& now, const amp::RngState& random) {
    for (const Reference& known : references_) {
      if (known.random == random && known.from == now) return known.to;
    }
    T same(problem_.initial, options_);
    same.step(problem_.batches[3]);
    same.become(training);
    references_.push_back({now, random, go_on(same, problem_, random)});
    return references_.back().to;
  }

  struct Reference {
    State from;
    amp::RngState random;
    State to;
  };

  Problem problem_;
  Options options_;
  std::vector<State> expected_;  // before each step of a run that never failed, and after the last
  std::vector<Reference> references_;
};

using Names = std::vector<std::string>;

Names missing(const Names& names, const std::set<std::string>& heard) {
  Names result;
  for (const std::string& name : names) {
    if (heard.count(name) == 0) result.push_back(name);
  }
  return result;
}

template <class Optimizer, class Options>
void check(const Options& options) {
  Check<Training<Optimizer, Options>, Options> calls(options);
  const Names always{"cudaGetDevice",   "cudaSetDevice",   "cudaLaunchKernelEx",
                     "cudaMemcpyAsync", "cudaEventRecord", "cublasGemmStridedBatchedEx_64"};
  const Names first{"cudaStreamCreateWithFlags",
                    "cudaMemPoolCreate",
                    "cudaMemPoolSetAttribute",
                    "cudaMallocFromPoolAsync",
                    "cudaMallocHost",
                    "cudaEventCreateWithFlags",
                    "cublasCreate",
                    "cublasSetStream",
                    "cublasSetWorkspace",
                    "cublasSetMathMode"};
  std::set<std::string> heard = calls.run(0);
  CHECK(missing(always, heard) == Names());
  CHECK(missing(first, heard) == Names());
  heard = calls.run(2);
  CHECK(missing(always, heard) == Names());
}

// AdamW's step makes the same calls, so that sanitizers see its errors there.
TEST_CASE("cuda failure: every call of a training step with SGD", "[cuda][values][cached]") {
  check<amp::SGD>(amp::SGDOptions{.lr = 0.1, .momentum = 0.9, .weight_decay = 0.01});
}

TEST_CASE("cuda failure: every call of a training step with AdamW", "[cuda][cached]") {
  check<amp::AdamW>(amp::AdamOptions{.lr = 0.01, .eps = 1e-3});
}

// --- single calls -------------------------------------------------------------------------------

/// Calls body() until it throws nothing, its nth call failing the nth time; unchanged() after each
/// error. Returns how often it threw.
template <class Body, class Unchanged>
int fail_each(Body&& body, Unchanged&& unchanged) {
  REQUIRE(cudaSetDevice(0) == cudaSuccess);
  for (int nth = 0;; ++nth) {
    CAPTURE(nth);
    toolkit().fail("", nth, cudaErrorInvalidValue);
    const std::string text = amp_test::error_of(body);
    toolkit().reset();
    if (text.empty()) return nth;
    REQUIRE(unchanged());
  }
}

/// Ones with a gradient of ones.
Tensor parameter() {
  const Tensor p = amp::ones({2}, {.device = kCUDA, .requires_grad = true});
  p.set_grad(amp::ones({2}, {.device = kCUDA}));
  return p;
}

TEST_CASE("cuda failure: all parameters are stepped or none, and state is made for all or none",
          "[cuda]") {
  std::vector<amp::ParamGroup<amp::AdamOptions>> groups(2);
  for (std::size_t i = 0; i < 70; ++i) groups[i / 40].params.push_back(parameter());
  amp::AdamW optimizer(groups);
  const auto state = [&] {
    amp::NamedTensors all = optimizer.state_dict();
    for (const Tensor& p : optimizer.parameters()) all.emplace_back("", p.detach());
    return values_of(all);
  };
  for (const std::int64_t steps : {1, 2}) {
    const Values before = state();
    const std::uint64_t version = optimizer.parameters()[0].version();
    const auto unchanged = [&] {
      return state() == before && optimizer.parameters()[0].version() == version;
    };
    CHECK(fail_each([&] { optimizer.step(); }, unchanged) > (steps == 1 ? 20 : 2));
    CHECK((state() != before));
    CHECK(optimizer.parameters()[0].version() == version + 1);
    CHECK(optimizer.applied_steps() == steps);
  }
}

TEST_CASE("cuda failure: a group is added whole or not at all", "[cuda]") {
  amp::AdamW optimizer(std::vector{parameter()});
  optimizer.step();
  const std::size_t size = optimizer.state_dict().size();
  const std::vector more{parameter(), parameter()};
  CHECK(fail_each([&] { optimizer.add_param_group({.params = more}); },
                  [&] {
                    optimizer.step();
                    return optimizer.state_dict().size() == size &&
                           optimizer.parameters().size() == 1 &&
                           optimizer.param_groups().size() == 1;
                  }) > 3);
  CHECK(optimizer.parameters().size() == 3);
  const std::int64_t steps = optimizer.applied_steps();
  optimizer.step();
  CHECK(optimizer.applied_steps() == steps + 1);
}

TEST_CASE("cuda failure: an update moves the scale and all counts, or nothing", "[cuda]") {
  std::vector<std::unique_ptr<amp::SGD>> optimizers;
  for (int i = 0; i < 70; ++i)
    optimizers.push_back(std::make_unique<amp::SGD>(std::vector{parameter()}));
  amp::GradScaler scaler({.init_scale = 8, .growth_interval = 1});
  const float bad = 1;
  amp::copy_bytes(kCUDA, scaler.found_inf_data(kCUDA), amp::kCPU, &bad, sizeof bad);
  for (auto& optimizer : optimizers) (void)scaler.step(*optimizer);
  const amp::GradScalerState before = scaler.state_dict();
  CHECK(fail_each([&] { scaler.update(); }, [&] { return scaler.state_dict() == before; }) > 3);
  CHECK(scaler.get_scale() == 4);
  CHECK(scaler.counters().applied == 70);
  (void)scaler.step(*optimizers[0]);  // a new cycle, and the flag of own kernels is 0 again
  scaler.update();
  CHECK(scaler.get_scale() == 8);
}

TEST_CASE("cuda failure: after any error scale(loss) begins a new cycle for all optimizers",
          "[cuda]") {
  amp::SGD first({parameter()}, {.lr = 0.5}), second({parameter()}, {.lr = 0.5});
  amp::GradScaler scaler({.init_scale = 8});
  const auto scale = [&] { (void)scaler.scale(amp::ones({}, {.device = kCUDA})); };
  const auto failing = [&](const auto& call) {
    toolkit().fail("cudaLaunchKernelEx", 0, cudaErrorInvalidValue);
    CHECK_THROWS_AS(call(), amp::Error);
    toolkit().reset();
  };
  scale();
  for (int i = 0; i < 2; ++i) {
    (void)scaler.step(first);
    failing([&] { scaler.step(second); });
    scale();
    (void)scaler.step(first);
    (void)scaler.step(second);
    failing([&] { scaler.update(); });
    scale();
  }
  (void)scaler.step(first);
  (void)scaler.step(second);
  scaler.update();
  CHECK(scaler.counters().applied == 2);
}

TEST_CASE("cuda failure: what was perhaps unscaled is not unscaled again", "[cuda]") {
  std::vector<Tensor> parameters;
  for (int i = 0; i < 40; ++i) parameters.push_back(parameter());
  amp::SGD optimizer(parameters);
  amp::GradScaler scaler({.init_scale = 8});
  (void)scaler.scale(amp::ones({}, {.device = kCUDA}));
  (void)scaler.skip_step(optimizer);
  scaler.update();
  toolkit().fail("cudaLaunchKernelEx", 2, cudaErrorInvalidValue);
  CHECK_THROWS_AS(scaler.unscale_(optimizer), amp::Error);
  toolkit().reset();
  CHECK(parameters[0].grad().to_vector<float>()[0] == 1);  // in fact it was not
  CHECK_THROWS_WITH(scaler.unscale_(optimizer), ContainsSubstring("perhaps already unscaled"));
  CHECK_THROWS_WITH(scaler.step(optimizer), ContainsSubstring("perhaps already unscaled"));
  CHECK(parameters[0].to_vector<float>()[0] == 1);
  CHECK_NOTHROW(scaler.update());
}

TEST_CASE("cuda failure: memory that no stream awaited is not reused, nor lost", "[cuda][cached]") {
  amp::cuda::shutdown();
  cudaStream_t mine = nullptr;
  REQUIRE(cudaStreamCreateWithFlags(&mine, cudaStreamNonBlocking) == cudaSuccess);
  const auto is_reused_after_failure_of = [&](const std::string& call) {
    INFO(call);
    toolkit().schedule.held = true;  // `mine` does not come to the event
    Tensor x = amp::ones({50}, {.device = kCUDA});
    const void* const memory = x.const_data<float>();
    {
      const amp::StreamGuard guard(kCUDA, mine);
      toolkit().fail(call, 0, cudaErrorInvalidValue);
      x = Tensor();
    }
    if (call == "cudaStreamWaitEvent")  // by the stream that wants the memory: it can say so
      CHECK_THROWS_WITH(amp::empty({50}, {.device = kCUDA}), ContainsSubstring(call));
    CHECK(toolkit().failed() == call);
    toolkit().reset();
    toolkit().schedule.held = false;
    return amp::empty({50}, {.device = kCUDA}).const_data<float>() == memory;
  };
  for (const char* call : {"cudaStreamIsCapturing", "cudaEventCreateWithFlags", "cudaEventRecord"})
    CHECK_FALSE(is_reused_after_failure_of(call));
  CHECK(is_reused_after_failure_of("cudaStreamWaitEvent"));
  CHECK(amp::cuda::memory_stats().set_aside == 3 * 512);
  amp::cuda::empty_cache();
  CHECK(toolkit().live_blocks() == 0);
  amp::cuda::shutdown();
  REQUIRE(cudaStreamDestroy(mine) == cudaSuccess);
}

TEST_CASE("cuda failure: a piece of page-locked memory is written again after it was read",
          "[cuda]") {
  const Tensor x = amp::full({50}, 3);
  amp::cuda::shutdown();
  const standin::Live live = toolkit().live;
  std::vector<Tensor> there;
  toolkit().schedule.held = true;  // no copy ends, so each needs an event of its own
  for (const char* call : {"cudaMallocHost", "cudaEventCreateWithFlags", "cudaMemcpyAsync",
                           "cudaEventRecord", "cudaEventQuery"}) {
    INFO(call);
    toolkit().fail(call, 0, cudaErrorInvalidValue);
    CHECK_THROWS_WITH(x.to(kCUDA), ContainsSubstring(call));
    CHECK(toolkit().failed() == call);
    toolkit().reset();
    for (int i = 0; i < 2; ++i) there.push_back(x.to(kCUDA));
    CHECK(toolkit().live.host_blocks == live.host_blocks + 1);
  }
  toolkit().schedule.held = false;
  for (const Tensor& tensor : there) CHECK(tensor.to_vector<float>() == std::vector<float>(50, 3));
  there.clear();
  amp::cuda::shutdown();
  CHECK((toolkit().live == live));
}

}  // namespace
}  // namespace cuda_failure
