// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Data parallel training on ranks that are threads: it is that of one process with the whole batch.
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "distributed/training.hpp"
#include "support/catch.hpp"

namespace distributed_data_parallel {

using amp::Communicator;
using amp::DataParallel;
using amp::Tensor;
using amp_test::error_of;
using amp_test::errors_on_ranks;
using amp_test::largest_difference;
using amp_test::Mlp;
using amp_test::on_ranks;
using amp_test::raw_bits;
using amp_test::Samples;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr int kSteps = 6;
constexpr amp::DataParallelOptions kSmallBuckets{.bucket_bytes = 256, .first_bucket_bytes = 64};

/// The parameters after some steps with the whole batch.
amp::NamedTensors train_alone(const Samples& samples) {
  const Mlp model = amp_test::make_mlp(1);
  amp::SGD optimizer(model.parameters(), {.lr = 0.1, .momentum = 0.9});
  for (int step = 0; step < kSteps; ++step) {
    optimizer.zero_grad();
    model.loss(samples.all(step)).backward();
    optimizer.step();
  }
  return model.named_parameters();
}

/// The same on one of several ranks, with its part of the batch.
amp::NamedTensors train_on_rank(Communicator& world, const Samples& samples,
                                const amp::DataParallelOptions& options) {
  const Mlp model = amp_test::make_mlp(1 + world.rank());  // rank 0's is what counts
  DataParallel parallel(model, world, options);
  amp::SGD optimizer(model.parameters(), {.lr = 0.1, .momentum = 0.9});
  for (int step = 0; step < kSteps; ++step) {
    optimizer.zero_grad();
    model.loss(samples.part(step, world.rank(), world.size())).backward();
    optimizer.step();
  }
  return model.named_parameters();
}

}  // namespace

TEST_CASE("data parallel training is that of one process", "[distributed][thread]") {
  const Samples samples(12);
  const amp::NamedTensors alone = train_alone(samples);
  for (const int size : {1, 2, 3, 4}) {
    for (const auto wire : {std::optional<amp::DType>(), std::optional(amp::kFloat32),
                            std::optional(amp::kBFloat16), std::optional(amp::kFloat16)}) {
      amp::DataParallelOptions options = kSmallBuckets;
      options.wire = wire;
      const auto ranks = on_ranks(
          size, [&](Communicator& world) { return train_on_rank(world, samples, options); });
      const bool low = wire && amp::is_low_precision(*wire);
      INFO(size << " ranks");
      CHECK(largest_difference(ranks[0], alone) < (low ? 2e-3 : 1e-6));
      for (const auto& rank : ranks) CHECK((raw_bits(rank) == raw_bits(ranks[0])));
    }
  }
}

TEST_CASE("buckets are sent while backward goes on, each once", "[distributed]") {
  const Samples samples(8);
  const auto statistics = on_ranks(2, [&](Communicator& world) {
    const Mlp model = amp_test::make_mlp(1);
    DataParallel parallel(model, world, kSmallBuckets);
    for (int step = 0; step < 3; ++step) model.loss(samples.part(step, world.rank(), 2)).backward();
    return parallel.statistics();
  });
  const Mlp model = amp_test::make_mlp(1);
  std::int64_t bytes = 0;
  for (const Tensor& p : model.parameters()) bytes += 4 * p.numel();
  for (const amp::DataParallelStatistics& s : statistics) {
    CHECK(s.passes == 3);
    CHECK(s.buckets % 3 == 0);
    CHECK(s.buckets >= 6);
    CHECK(s.buckets_early == s.buckets);  // the loss depends on all parameters
    CHECK(s.bytes >= 3 * bytes);
    CHECK(s.bytes < 3 * bytes + s.buckets * 256);  // but for what fills the buckets up
    CHECK(s.bytes_early == s.bytes);
  }
}

TEST_CASE("the first bucket is sent before the first layer's backward", "[distributed]") {
  const Samples samples(8);
  const auto early = on_ranks(2, [&](Communicator& world) {
    const Mlp model = amp_test::make_mlp(1);
    DataParallel parallel(model, world, kSmallBuckets);
    std::int64_t sent = -1;
    const Tensor hidden = amp::relu(model.first(samples.part(0, world.rank(), 2).x));
    auto handle =
        hidden.register_hook([&](const Tensor&) { sent = parallel.statistics().buckets; });
    amp::sum(model.second(hidden)).backward();
    return sent;
  });
  CHECK(early[0] > 0);
  CHECK(early[0] == early[1]);
}

TEST_CASE("gradients of checkpointed layers are sent when they are complete", "[distributed]") {
  const Samples samples(8);
  const auto run = [&](Communicator& world, bool checkpointed) {
    const Mlp model = amp_test::make_mlp(1);
    DataParallel parallel(model, world, kSmallBuckets);
    const Samples::Batch batch = samples.part(0, world.rank(), 2);
    // The first layer is used twice, once in a function that is computed again.
    const Tensor once = model.first(batch.x);
    const auto again = [&](const Tensor& x) { return amp::relu(model.first(x)); };
    const Tensor hidden = checkpointed ? amp::checkpoint(again, batch.x) : again(batch.x);
    amp::mean(model.second(hidden + once)).backward();
    std::string bits;
    for (const Tensor& p : model.parameters()) bits += raw_bits(p.grad());
    return bits;
  };
  const auto plain = on_ranks(2, [&](Communicator& world) { return run(world, false); });
  const auto checkpointed = on_ranks(2, [&](Communicator& world) { return run(world, true); });
  CHECK(plain == checkpointed);
  CHECK(plain[0] == plain[1]);
}

TEST_CASE("within NoSyncGuard gradients are added up, and sent once", "[distributed]") {
  const Samples samples(16);
  struct Outcome {
    std::string gradients;
    std::int64_t passes;
  };
  const auto run = [&](Communicator& world, bool accumulates) {
    const Mlp model = amp_test::make_mlp(1);
    DataParallel parallel(model, world, kSmallBuckets);
    for (int batch = 0; batch < 4; ++batch) {
      std::optional<amp::NoSyncGuard> guard;
      if (accumulates && batch < 3) guard.emplace(parallel);
      model.loss(samples.part(batch, world.rank(), 2)).backward();
    }
    std::string bits;
    for (const Tensor& p : model.parameters()) bits += raw_bits(p.grad());
    return Outcome{bits, parallel.statistics().passes};
  };
  const auto accumulated = on_ranks(2, [&](Communicator& world) { return run(world, true); });
  CHECK(accumulated[0].passes == 1);
  CHECK(accumulated[0].gradients == accumulated[1].gradients);
  const auto each = on_ranks(2, [&](Communicator& world) { return run(world, false); });
  CHECK(each[0].passes == 4);
  // The averages of sums and the sums of averages are the same, up to rounding.
  const auto first = [](const Outcome& outcome) {
    float value = 0;
    std::memcpy(&value, outcome.gradients.data(), sizeof value);
    return value;
  };
  CHECK(first(each[0]) == Approx(first(accumulated[0])));
}

TEST_CASE("ranks with different numbers of samples are weighed", "[distributed]") {
  const Samples samples(7);
  const amp::NamedTensors alone = train_alone(samples);
  for (const int size : {2, 3, 4, 8}) {  // 7 samples for 8 ranks: one has none
    const auto ranks = on_ranks(size, [&](Communicator& world) {
      const Mlp model = amp_test::make_mlp(1);
      DataParallel parallel(model, world, kSmallBuckets);
      amp::SGD optimizer(model.parameters(), {.lr = 0.1, .momentum = 0.9});
      for (int step = 0; step < kSteps; ++step) {
        optimizer.zero_grad();
        const Samples::Batch own = samples.part(step, world.rank(), size);
        if (own.count() == 0) {
          parallel.backward_without_samples();
        } else {
          parallel.weigh(model.loss(own), own.count(), 7).backward();
        }
        optimizer.step();
      }
      return model.named_parameters();
    });
    CHECK(largest_difference(ranks[0], alone) < 1e-6);
    for (const auto& rank : ranks) CHECK((raw_bits(rank) == raw_bits(ranks[0])));
  }
}

TEST_CASE("weigh refuses counts that make no sense", "[distributed]") {
  amp::ThreadGroup group(1);
  const Mlp model = amp_test::make_mlp(1);
  DataParallel parallel(model, group.communicator(0));
  const Tensor loss = amp::ones({});
  CHECK_THAT(error_of([&] { return parallel.weigh(loss, 0, 4); }),
             ContainsSubstring("backward_without_samples"));
  CHECK_THAT(error_of([&] { return parallel.weigh(loss, 5, 4); }),
             ContainsSubstring("`own` is 5 and `total` 4"));
}

TEST_CASE("a parameter without a gradient is named, unless such are looked for", "[distributed]") {
  const Samples samples(8);
  const auto errors = errors_on_ranks(2, [&](Communicator& world) {
    const Mlp model = amp_test::make_mlp(1);
    DataParallel parallel(model, world);
    amp::sum(model.first(samples.part(0, world.rank(), 2).x)).backward();
  });
  for (const std::string& error : errors)
    CHECK_THAT(error,
               ContainsSubstring("backward: 2 parameters of a DataParallel got no gradient") &&
                   ContainsSubstring("\"second.weight\", \"second.bias\"") &&
                   ContainsSubstring(".find_unused = true"));

  // A parameter that one rank uses has the average; one that none uses is left alone.
  struct Outcome {
    std::string second;
    bool extra;
  };
  for (const bool wide : {false, true}) {
    const auto outcomes = on_ranks(2, [&](Communicator& world) {
      const Mlp model = amp_test::make_mlp(1);
      const Tensor extra = amp::ones({3}, {.requires_grad = true});
      amp::NamedTensors all = model.named_parameters();
      all.emplace_back("extra", extra);
      amp::DataParallelOptions options = kSmallBuckets;
      options.find_unused = true;
      if (wide) options.wire = amp::kBFloat16;
      DataParallel parallel(all, world, options);
      const Tensor hidden = model.first(samples.part(0, world.rank(), 2).x);
      amp::sum(world.rank() == 0 ? hidden : model.second(hidden)).backward();
      return Outcome{raw_bits(model.second.weight.grad()), extra.grad().defined()};
    });
    CHECK(outcomes[0].second == outcomes[1].second);
    CHECK(outcomes[0].second != std::string(outcomes[0].second.size(), '\0'));
    CHECK_FALSE(outcomes[0].extra);
    CHECK_FALSE(outcomes[1].extra);
  }
}

TEST_CASE("parameters that were frozen are not sent", "[distributed]") {
  const Samples samples(8);
  const auto errors = errors_on_ranks(2, [&](Communicator& world) {
    const Mlp model = amp_test::make_mlp(1 + world.rank());
    model.first.weight.requires_grad_(false);
    DataParallel parallel(model, world);
    const auto loss = [&] { return model.loss(samples.part(0, world.rank(), 2)); };
    loss().backward();
    if (model.first.weight.grad().defined()) throw amp::Error("a frozen parameter has a gradient");
    model.second.bias.requires_grad_(false);  // since: counts as 0
    loss().backward();
    model.first.weight.requires_grad_(true);
    loss().backward();
  });
  for (const std::string& error : errors)
    CHECK_THAT(error, ContainsSubstring("\"first.weight\" did not require gradients"));
}

TEST_CASE("ranks with different models are told which parameter", "[distributed]") {
  const auto shapes = errors_on_ranks(2, [](Communicator& world) {
    const amp::nn::Linear model(3, 2 + world.rank());
    DataParallel parallel(model, world);
  });
  for (const std::string& error : shapes)
    CHECK_THAT(error, ContainsSubstring("parameter or buffer 0 of rank 1 is not that of rank 0") &&
                          ContainsSubstring("\"weight\""));
  const auto counts = errors_on_ranks(2, [](Communicator& world) {
    const amp::nn::Linear model(3, 2, {.bias = world.rank() == 0});
    DataParallel parallel(model, world);
  });
  for (const std::string& error : counts)
    CHECK_THAT(error, ContainsSubstring("rank 1 has 1 parameters and buffers, but rank 0 has 2"));
}

TEST_CASE("a DataParallel refuses what it cannot train", "[distributed]") {
  amp::ThreadGroup group(1);
  Communicator& world = group.communicator(0);
  const Mlp model = amp_test::make_mlp(1);
  const auto make = [&](const amp::DataParallelOptions& options) {
    return error_of([&] {
      const DataParallel parallel(model, world, options);
      return 0;
    });
  };
  CHECK_THAT(make({.wire = amp::kInt32}), ContainsSubstring("`wire` must be float32, float16"));
  CHECK_THAT(make({.bucket_bytes = 0}), ContainsSubstring("`bucket_bytes`"));
  CHECK_THAT(make({.check_every = -1}), ContainsSubstring("`check_every`"));
  CHECK(make({}).empty());
  {
    const DataParallel parallel(model, world);
    CHECK_THAT(make({}), ContainsSubstring("is in another DataParallel"));
  }
  CHECK(make({}).empty());
  const auto of = [&](const amp::NamedTensors& tensors) {
    return error_of([&] {
      const DataParallel parallel(tensors, world);
      return 0;
    });
  };
  const Tensor leaf = amp::ones({2}, {.requires_grad = true});
  CHECK_THAT(of({}), ContainsSubstring("no parameter that requires gradients"));
  CHECK_THAT(of({{"a", amp::ones({2})}}),
             ContainsSubstring("no parameter that requires gradients"));
  CHECK_THAT(of({{"a", leaf}, {"b", Tensor()}}), ContainsSubstring("\"b\" is undefined"));
  CHECK_THAT(of({{"a", leaf}, {"b", amp::ones({2, 3}).t()}}), ContainsSubstring("contiguous"));
}

TEST_CASE("a model that is converted after its DataParallel was made is refused", "[distributed]") {
  amp::ThreadGroup group(1);
  const Mlp model = amp_test::make_mlp(1);
  const DataParallel parallel(model, group.communicator(0));
  model.to(amp::kFloat64);
  const Tensor x = amp::ones({2, 5}, {.dtype = amp::kFloat64});
  CHECK_THAT(error_of([&] {
               amp::sum(model.second(model.first(x))).backward();
               return 0;
             }),
             ContainsSubstring("is now float64") && ContainsSubstring("before the DataParallel"));
}

TEST_CASE("without its DataParallel a model trains alone", "[distributed]") {
  const Samples samples(8);
  amp::ThreadGroup group(1);
  const Mlp model = amp_test::make_mlp(1);
  { const DataParallel parallel(model, group.communicator(0)); }
  model.loss(samples.all(0)).backward();
  CHECK(model.first.weight.grad().defined());
}

TEST_CASE("buffers become those of rank 0", "[distributed]") {
  const auto run = [](bool broadcasts) {
    return on_ranks(2, [&](Communicator& world) {
      const amp::nn::BatchNorm2d norm(3);
      DataParallel parallel(norm, world, {.broadcast_buffers = broadcasts});
      amp::sum(norm(amp::full({2, 3, 4, 4}, 1 + world.rank()))).backward();
      return norm.running_mean.to_vector<float>();
    });
  };
  const auto same = run(true), own = run(false);
  CHECK(same[0] == std::vector<float>(3, 0.1F));
  CHECK(same[1] == same[0]);
  CHECK(own[1] == std::vector<float>(3, 0.2F));
}

TEST_CASE("parameters that differ are found, and the rank is named", "[distributed]") {
  const Samples samples(8);
  const auto errors = errors_on_ranks(3, [&](Communicator& world) {
    const Mlp model = amp_test::make_mlp(1);
    DataParallel parallel(model, world);
    parallel.check_parameters();
    if (world.rank() == 2) model.second.bias.data<float>()[1] += 1;
    parallel.check_parameters();
  });
  for (const std::string& error : errors)
    CHECK_THAT(error, ContainsSubstring("the parameters of rank 2 differ from those of rank 0, "
                                        "first \"second.bias\""));

  // Every so many passes it is done without a call.
  const auto unasked = errors_on_ranks(2, [&](Communicator& world) {
    const Mlp model = amp_test::make_mlp(1);
    DataParallel parallel(model, world, {.check_every = 3});
    if (world.rank() == 1) model.first.bias.data<float>()[0] += 1;
    for (int pass = 0; pass < 3; ++pass) {
      if (parallel.statistics().passes != pass) throw amp::Error("too early");
      model.loss(samples.part(pass, world.rank(), 2)).backward();
    }
  });
  for (const std::string& error : unasked)
    CHECK_THAT(error, ContainsSubstring("the parameters of rank 1 differ from those of rank 0"));
}

TEST_CASE("an error within backward on one rank is reported by the others", "[distributed]") {
  const Samples samples(8);
  const auto run = [&] {
    std::vector<std::string> errors(2);
    (void)error_of([&] {
      amp::ThreadGroup::run(2, [&](Communicator& world) {
        const Mlp model = amp_test::make_mlp(1);
        DataParallel parallel(model, world, kSmallBuckets);
        const Tensor hidden = model.first(samples.part(0, world.rank(), 2).x);
        hidden.register_hook([&](const Tensor&) {
          if (world.rank() == 1) throw amp::Error("a hook failed");
        });
        const auto backward = [&] { amp::sum(model.second(hidden)).backward(); };
        errors[static_cast<std::size_t>(world.rank())] = error_of([&] {
          backward();
          return 0;
        });
        if (world.rank() == 1) throw amp::Error("a hook failed");
      });
      return 0;
    });
    return errors;
  };
  const auto errors = run();
  CHECK(errors[0] == "rank 1 has thrown: a hook failed");
  CHECK(errors[1] == "a hook failed");
}

}  // namespace distributed_data_parallel
