// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Pass 1 over the float32 gradients: unscale and test in place, with the norm, with statistics, and
// the norm alone, each compared with a plain loop over the same memory. AMP_NUM_THREADS is the
// number of threads.
#include <benchmark/benchmark.h>

#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "memory.hpp"
#include "worker.hpp"

namespace cpu_benchmark {
namespace {

namespace k = amp::kernels;

[[gnu::noinline]] void scale(float* x, std::int64_t n, float factor) {
  for (std::int64_t i = 0; i < n; ++i) x[i] *= factor;
}
[[gnu::noinline]] std::uint32_t read(const float* x, std::int64_t n) {
  std::uint32_t all = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, x + i, sizeof bits);
    all ^= bits;
  }
  return all;
}

enum class What { kUnscale, kUnscaleAndNorm, kUnscaleAndStatistics, kNorm };

struct Gradients {
  explicit Gradients(const std::vector<std::int64_t>& sizes) {
    amp::manual_seed(1);
    for (const std::int64_t n : sizes) {
      all.push_back(amp::randn({n}));
      spans.push_back({all.back().raw_data(), n, amp::kFloat32});
      elements += n;
    }
  }
  void pass(What what) {
    const auto count = static_cast<std::int64_t>(spans.size());
    if (what == What::kNorm)
      return k::host::grad_norm({amp::kCPU, spans.data(), count, nullptr, &norm});
    k::UnscaleArgs args{amp::kCPU, spans.data(), count, &factor, &found_inf, true};
    if (what == What::kUnscaleAndNorm) args.norm = &norm;
    if (what == What::kUnscaleAndStatistics) args.statistics = &statistics;
    k::host::unscale(args);
  }
  /// Checks a pass that multiplies by 2: every element, the flag, the norm and the counts.
  void verify(What what) {
    const float infinity = HUGE_VALF, one = all.back().const_data<float>()[0];
    double squares = 0;
    std::vector<std::vector<float>> before;
    for (const amp::Tensor& t : all) {
      before.push_back(t.to_vector<float>());
      for (const float x : before.back()) squares += static_cast<double>(x) * x;
    }
    const bool writes = what != What::kNorm;
    factor = 2;
    pass(what);
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::size_t j = 0; j < before[i].size(); ++j)
        require(all[i].const_data<float>()[j] == before[i][j] * (writes ? 2 : 1), "a product");
    }
    const double expected = std::sqrt(squares) * (writes ? 2 : 1);
    const double given = what == What::kUnscaleAndStatistics ? statistics.norm : norm;
    if (what != What::kUnscale) require(std::abs(given / expected - 1) < 1e-6, "the norm");
    if (what == What::kUnscaleAndStatistics)
      require(statistics.elements == elements && !statistics.found_inf, "the statistics");
    require(found_inf == 0, "found_inf of finite gradients");
    all.back().data<float>()[0] = infinity;
    factor = 0.5;
    pass(what);
    require(what == What::kNorm ? std::isinf(norm) : found_inf == 1, "a planted infinity");
    all.back().data<float>()[0] = one;
  }

  std::vector<amp::Tensor> all;
  std::vector<k::GradientSpan> spans;
  std::int64_t elements = 0;
  float factor = 2, found_inf = 0, norm = 0;
  amp::GradientStatistics statistics;
};

/// Calls both in turn, so that other load on the machine affects both equally. The times are those
/// of `pass`; "ratio" is the median of plain / pass, which is 1 if both are equally fast, and "p10"
/// and "p90" are its percentiles. `bytes` is the number of bytes that one call reads and writes.
template <class Plain, class Pass>
void compare(benchmark::State& state, double bytes, const Plain& plain, const Pass& pass) {
  std::vector<double> ratios, plains, passes;
  plain();
  pass();
  bool plain_first = false;
  for (auto _ : state) {
    plain_first = !plain_first;
    double of_plain = plain_first ? seconds(plain) : 0;
    const double of_pass = seconds(pass);
    if (!plain_first) of_plain = seconds(plain);
    state.SetIterationTime(of_pass);
    plains.push_back(of_plain);
    passes.push_back(of_pass);
    ratios.push_back(of_plain / of_pass);
  }
  state.counters["threads"] = amp::num_threads();
  state.counters["ratio"] = quantile(ratios, 0.5);
  state.counters["p10"] = quantile(ratios, 0.1);
  state.counters["p90"] = quantile(ratios, 0.9);
  state.counters["GB/s"] = bytes / quantile(passes, 0.5) * 1e-9;
  state.counters["plain GB/s"] = bytes / quantile(plains, 0.5) * 1e-9;
}

void run(benchmark::State& state, const std::vector<std::int64_t>& sizes, What what) {
  Gradients gradients(sizes);
  gradients.verify(what);
  const auto shares = shares_of(gradients.all);
  const auto bytes = static_cast<double>(gradients.elements) * sizeof(float);
  if (what == What::kNorm) {
    std::atomic<std::uint32_t> sink = 0;
    compare(
        state, bytes,
        [&] { on_threads(shares, [&](float* x, std::int64_t n) { sink ^= read(x, n); }); },
        [&] { gradients.pass(what); });
    benchmark::DoNotOptimize(sink.load());
    return;
  }
  compare(
      state, 2 * bytes,  // one doubles the numbers, the other halves them
      [&] { on_threads(shares, [](float* x, std::int64_t n) { scale(x, n, 2); }); },
      [&] {
        gradients.factor = 0.5;
        gradients.pass(what);
      });
}

struct Named {
  What what;
  const char* name;
};

[[maybe_unused]] const bool registered = [] {
  for (const Named& pass :
       {Named{What::kUnscale, "unscale"}, Named{What::kUnscaleAndNorm, "unscale and norm"},
        Named{What::kUnscaleAndStatistics, "unscale and statistics"}, Named{What::kNorm, "norm"}}) {
    const auto add = [&](const char* where, const std::vector<std::int64_t>& sizes) {
      benchmark::RegisterBenchmark(
          (std::string(pass.name) + "/" + where).c_str(),
          [sizes, what = pass.what](benchmark::State& state) { run(state, sizes, what); })
          ->UseManualTime()
          ->Unit(benchmark::kMillisecond)
          ->MinTime(1.0);
    };
    add("ResNet-50", resnet50());
    add("100M", {100'000'000});
  }
  return true;
}();

}  // namespace
}  // namespace cpu_benchmark

BENCHMARK_MAIN();
