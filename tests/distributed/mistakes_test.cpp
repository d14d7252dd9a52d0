// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Uses of DataParallel and ShardedOptimizer at their edges: each is right, or refused with a
// reason.
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "distributed/training.hpp"
#include "support/catch.hpp"

namespace distributed_mistakes {

using amp::Communicator;
using amp::DataParallel;
using amp::GradScaler;
using amp::ShardedOptimizer;
using amp::Tensor;
using amp_test::error_of;
using amp_test::errors_on_ranks;
using amp_test::Mlp;
using amp_test::on_ranks;
using amp_test::raw_bits;
using amp_test::Samples;
using Catch::Matchers::ContainsSubstring;

namespace {

/// Each parameter in a bucket of its own.
constexpr amp::DataParallelOptions kTiny{.bucket_bytes = 1, .first_bucket_bytes = 1};

template <class Call>
std::string error_in(Call&& call) {
  return error_of([&] {
    call();
    return 0;
  });
}

Tensor leaf(const std::vector<float>& values) {
  const Tensor tensor = amp::tensor(values, amp::Shape(values.size()));
  tensor.requires_grad_();
  return tensor;
}

}  // namespace

TEST_CASE("checkpointed functions one after the other share a parameter", "[distributed]") {
  amp::ThreadGroup group(1);
  const auto gradient = [&](bool parallel) {
    const Tensor w = leaf({0.5F, -0.3F}), v = leaf({1.1F, 0.7F});
    std::optional<DataParallel> sends;
    if (parallel)
      sends.emplace(amp::NamedTensors{{"w", w}, {"v", v}}, group.communicator(0), kTiny);
    const auto segment = [&](const Tensor& x) { return amp::tanh(amp::relu(x * w + w) + x) * w; };
    Tensor hidden = amp::ones({2});
    for (int i = 0; i < 4; ++i) hidden = amp::checkpoint(segment, hidden);
    amp::sum(hidden * v).backward();
    return raw_bits(w.grad()) + raw_bits(v.grad());
  };
  CHECK((gradient(true) == gradient(false)));
}

TEST_CASE("gradients that no step has used are not overwritten in silence", "[distributed]") {
  amp::ThreadGroup group(1);
  const Tensor w = leaf({2});
  DataParallel parallel({{"w", w}}, group.communicator(0));
  ShardedOptimizer<amp::SGD> optimizer(parallel, {.lr = 1});
  const auto backward = [&](double factor) { amp::sum(w * factor).backward(); };
  backward(1);
  CHECK_THAT(error_in([&] { backward(10); }), ContainsSubstring("no step has used the gradients"));
  optimizer.zero_grad();
  {
    const amp::NoSyncGuard adds_only(parallel);
    backward(1);
  }
  backward(10);
  optimizer.step();
  CHECK(w.to_vector<float>()[0] == 2 - 11);

  // Nor those of a scaled loss that came after unscale_.
  GradScaler scaler({.init_scale = 1024, .agree = amp::agreement(group.communicator(0))});
  scaler.scale(amp::sum(w)).backward();
  scaler.unscale_(optimizer);
  CHECK_THAT(error_in([&] { scaler.scale(amp::sum(w)).backward(); }),
             ContainsSubstring("no step has used the gradients"));
}

TEST_CASE("a rank without samples takes part where the others do", "[distributed]") {
  const auto gradients = on_ranks(2, [](Communicator& world) {
    const Tensor w = leaf({1});
    DataParallel parallel({{"w", w}}, world);
    for (int batch = 0; batch < 3; ++batch) {
      std::optional<amp::NoSyncGuard> adds_only;
      if (batch < 2) adds_only.emplace(parallel);
      if (world.rank() == 1) {
        parallel.backward_without_samples();
      } else {
        amp::sum(w * 2).backward();
      }
    }
    return w.grad().to_vector<float>()[0];
  });
  CHECK(gradients == std::vector<float>{3, 3});  // (3 * 2 + 0) / 2
}

TEST_CASE("ranks with other options are told so", "[distributed]") {
  const auto errors = errors_on_ranks(2, [](Communicator& world) {
    amp::DataParallelOptions options;
    if (world.rank() == 1) options.wire = amp::kBFloat16;
    const DataParallel parallel({{"w", leaf({1})}}, world, options);
  });
  for (const std::string& error : errors)
    CHECK_THAT(error, ContainsSubstring("rank 1 has other DataParallelOptions than rank 0"));
}

TEST_CASE("DataParallels of equal sizes that ranks enter in another order are an error",
          "[distributed]") {
  for (const bool shards : {false, true}) {
    const auto errors = errors_on_ranks(2, [&](Communicator& world) {
      const Tensor w[] = {leaf({1, 2}), leaf({3, 4})};
      DataParallel parallels[] = {{{{"w", w[0]}}, world}, {{{"w", w[1]}}, world}};
      std::vector<std::optional<ShardedOptimizer<amp::SGD>>> optimizers(2);
      for (std::size_t i = 0; shards && i < 2; ++i) optimizers[i].emplace(parallels[i]);
      for (int step = 0; step < 2; ++step) {
        const int first = step == 0 ? 0 : world.rank();  // in the same order, then in another one
        for (const int i : {first, 1 - first}) {
          amp::sum(w[i] * (i + 1)).backward();
          if (shards) optimizers[static_cast<std::size_t>(i)]->zero_grad();
        }
      }
    });
    const std::string call = shards ? "reduce_scatter" : "all_reduce";
    for (const std::string& error : errors)
      CHECK_THAT(error, ContainsSubstring("the ranks make different calls: rank 0 " + call) &&
                            ContainsSubstring(" for bucket 0 of DataParallel 1, rank 1 " + call) &&
                            ContainsSubstring(" for bucket 0 of DataParallel 2"));
  }
}

TEST_CASE("an operation of the program is not taken for one of a DataParallel", "[distributed]") {
  const auto errors = errors_on_ranks(2, [](Communicator& world) {
    const Tensor w = leaf({1, 2, 3, 4, 5, 6, 7, 8});
    const DataParallel parallel({{"w", w}}, world);
    if (world.rank() == 0) amp::sum(w).backward();
    if (world.rank() == 1) world.all_reduce(amp::ones({16})).wait();
  });
  for (const std::string& error : errors)
    CHECK_THAT(error, ContainsSubstring("rank 0 all_reduce of 16 float32 for bucket 0 of "
                                        "DataParallel 1, rank 1 all_reduce of 16 float32"));
}

TEST_CASE("a DataParallel is whole again after its ShardedOptimizer", "[distributed]") {
  amp::ThreadGroup group(1);
  const Tensor w = leaf({1});
  DataParallel parallel({{"w", w}}, group.communicator(0));
  CHECK_THAT(error_in([&] { ShardedOptimizer<amp::AdamW> wrong(parallel, {.lr = -1}); }),
             ContainsSubstring("`lr`"));
  { const ShardedOptimizer<amp::AdamW> optimizer(parallel); }
  amp::sum(w * 3).backward();
  CHECK(w.grad().to_vector<float>()[0] == 3);
  const ShardedOptimizer<amp::AdamW> again(parallel);
}

TEST_CASE("a ShardedOptimizer may outlive its DataParallel", "[distributed]") {
  amp::ThreadGroup group(1);
  const Tensor w = leaf({1});
  auto parallel =
      std::make_optional<DataParallel>(amp::NamedTensors{{"w", w}}, group.communicator(0));
  ShardedOptimizer<amp::SGD> optimizer(*parallel, {.lr = 1});
  parallel.reset();
  CHECK(optimizer.gradients().empty());
}

TEST_CASE("the state of a parameter without dimensions is loaded", "[distributed]") {
  const auto values = on_ranks(2, [](Communicator& world) {
    const Tensor t = amp::full({}, 1, {.requires_grad = true}), w = leaf({1, 2, 3});
    DataParallel parallel({{"t", t}, {"w", w}}, world);
    ShardedOptimizer<amp::AdamW> optimizer(parallel, {.lr = 0.5});
    amp::sum(w * t).backward();
    optimizer.step();
    optimizer.load_state_dict(optimizer.state_dict());
    amp::sum(w * t).backward();
    optimizer.step();
    return raw_bits(t) + raw_bits(w);
  });
  const Tensor t = amp::full({}, 1, {.requires_grad = true}), w = leaf({1, 2, 3});
  amp::AdamW optimizer(amp::NamedTensors{{"t", t}, {"w", w}}, {.lr = 0.5});
  for (int step = 0; step < 2; ++step) {
    optimizer.zero_grad();
    amp::sum(w * t).backward();
    optimizer.step();
  }
  for (const std::string& value : values) CHECK((value == raw_bits(t) + raw_bits(w)));
}

TEST_CASE("parameters that are frozen later", "[distributed]") {
  amp::ThreadGroup group(1);
  {
    const Tensor w = leaf({1}), v = leaf({1});
    DataParallel parallel({{"w", w}, {"v", v}}, group.communicator(0));
    ShardedOptimizer<amp::AdamW> optimizer(parallel, {.weight_decay = 0.5});
    v.requires_grad_(false);
    CHECK_THAT(error_in([&] { amp::sum(w * v).backward(); }),
               ContainsSubstring("\"v\" no longer requires gradients"));
  }
  const Tensor w = leaf({1}), v = leaf({1});
  DataParallel parallel({{"w", w}, {"v", v}}, group.communicator(0));
  v.requires_grad_(false);
  v.set_data(amp::zeros({1}));  // which has no node any more
  amp::sum(w * v + w).backward();
  CHECK(w.grad().to_vector<float>()[0] == 1);
}

TEST_CASE("float64 gradients are averaged in float64", "[distributed]") {
  const auto gradients = on_ranks(3, [](Communicator& world) {
    const Tensor w = amp::ones({2}, {.dtype = amp::kFloat64, .requires_grad = true});
    DataParallel parallel({{"w", w}}, world);
    amp::sum(w).backward();
    return w.grad().to_vector<double>()[1];
  });
  for (const double gradient : gradients) CHECK(std::abs(gradient - 1) < 1e-15);
}

TEST_CASE("an error of one DataParallel does not leave another amid a pass", "[distributed]") {
  amp::ThreadGroup group(1);
  Communicator& world = group.communicator(0);
  const Tensor a = leaf({1}), unused = leaf({1}), b = leaf({1});
  DataParallel first({{"a", a}, {"unused", unused}}, world, kTiny);
  DataParallel second({{"b", b}}, world, kTiny);
  CHECK_THAT(error_in([&] { amp::sum(a * b).backward(); }), ContainsSubstring("\"unused\""));
  b.set_grad(Tensor());
  amp::sum(b * 5).backward();
  CHECK(b.grad().to_vector<float>()[0] == 5);
  CHECK(second.statistics().passes >= 1);
}

TEST_CASE("groups of a ShardedOptimizer must have parameters", "[distributed]") {
  amp::ThreadGroup group(1);
  const Tensor w = leaf({1});
  DataParallel parallel({{"w", w}}, group.communicator(0));
  const std::vector<amp::SGD::Group> groups{{.options = {.lr = 1}}};
  CHECK_THAT(error_in([&] { ShardedOptimizer<amp::SGD> optimizer(parallel, groups); }),
             ContainsSubstring("a group must have `params`"));
}

}  // namespace distributed_mistakes
