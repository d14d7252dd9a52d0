// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Batch norms over several ranks are those of one process with the whole batch.
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "distributed/ranks.hpp"
#include "support/catch.hpp"
#include "support/numbers.hpp"

namespace sync_batch_norm {
namespace {

namespace nn = amp::nn;
using amp::Communicator;
using amp::Tensor;
using amp_test::difference;
using amp_test::numbers;
using amp_test::on_ranks;
using Values = std::vector<double>;

/// Where the samples of each rank begin and end.
using Parts = std::vector<std::int64_t>;

/// What two steps of training and one of evaluation give.
struct Run {
  Values outputs, input_gradients, parameter_gradients, statistics;
  bool same_dtype = true;
};

Values& operator+=(Values& all, const Tensor& x) {
  for (const double v : x.to_vector<double>()) all.push_back(v);
  return all;
}

template <class Norm>
Run run(const Norm& norm, std::int64_t first, std::int64_t end, amp::DType dtype) {
  norm.to(amp::kFloat64);
  {
    const amp::NoGradGuard no_grad;
    for (const Tensor& p : norm.parameters()) p.copy_(numbers(p.shape(), 9));
  }
  Run result;
  for (const int step : {0, 1}) {
    const Tensor whole = numbers({7, 3, 2, 2}, step) * 3 + 5;
    const Tensor x = whole.narrow(0, first, end - first).to(dtype).requires_grad_();
    const Tensor y = norm(x);
    result.same_dtype = result.same_dtype && y.dtype() == dtype;
    const Tensor incoming = numbers({7, 3, 2, 2}, 5).narrow(0, first, end - first).to(dtype);
    amp::sum(y * incoming).backward();
    result.outputs += y;
    result.input_gradients += x.grad();
  }
  for (const Tensor& p : norm.parameters()) result.parameter_gradients += p.grad();
  for (const Tensor& b : norm.buffers()) result.statistics += b;
  norm.eval();
  result.outputs += norm(numbers({1, 3, 1, 1}, 3, dtype));
  return result;
}

/// Runs of ranks, as that of one process. Outputs are compared rank by rank.
void check_parts(const Parts& parts, const nn::BatchNormOptions& options, amp::DType dtype,
                 double tolerance) {
  const Run whole = run(nn::BatchNorm2d(3, options), 0, 7, dtype);
  const int size = static_cast<int>(parts.size()) - 1;
  const std::vector<Run> ranks = on_ranks(size, [&](Communicator& world) {
    const auto rank = static_cast<std::size_t>(world.rank());
    return run(nn::SyncBatchNorm(3, world, options), parts[rank], parts[rank + 1], dtype);
  });
  Values gradients(whole.parameter_gradients.size());
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const auto part = [&](const Values& all, std::size_t steps) {
      Values values;
      for (std::size_t step = 0; step < steps; ++step) {
        const auto begin = all.begin() + static_cast<std::ptrdiff_t>(step * 84);
        values.insert(values.end(), begin + parts[r] * 12, begin + parts[r + 1] * 12);
      }
      values.insert(values.end(), all.begin() + static_cast<std::ptrdiff_t>(steps * 84), all.end());
      return values;
    };
    INFO("rank " << r);
    CHECK(ranks[r].same_dtype);
    CHECK(difference(ranks[r].outputs, part(whole.outputs, 2)) < tolerance);
    CHECK(difference(ranks[r].input_gradients, part(whole.input_gradients, 2)) < tolerance);
    CHECK(difference(ranks[r].statistics, whole.statistics) < tolerance);
    for (std::size_t i = 0; i < gradients.size(); ++i)
      gradients[i] += ranks[r].parameter_gradients[i];
  }
  CHECK(difference(gradients, whole.parameter_gradients) < tolerance);
}

}  // namespace

TEST_CASE("SyncBatchNorm: ranks compute what one process does", "[distributed]") {
  for (const Parts& parts : {Parts{0, 7}, Parts{0, 3, 7}, Parts{0, 1, 5, 7}, Parts{0, 0, 4, 7}}) {
    INFO("ranks: " << parts.size() - 1);
    check_parts(parts, {}, amp::kFloat64, 1e-11);
    check_parts(parts, {.momentum = {}}, amp::kFloat64, 1e-11);
    check_parts(parts, {.eps = 0.5, .affine = false}, amp::kFloat32, 1e-5);
    check_parts(parts, {.track_running_stats = true, .bias = false}, amp::kFloat16, 1e-2);
  }
}

TEST_CASE("SyncBatchNorm: large means cost no precision", "[distributed]") {
  const std::vector<Values> ranks = on_ranks(2, [](Communicator& world) {
    const nn::SyncBatchNorm norm(1, world);
    return norm(amp::tensor({1e4F + static_cast<float>(world.rank()), 1e4F + 2}, {2, 1}))
        .to_vector<double>();
  });
  const double deviation = std::sqrt(0.6875 + 1e-5);  // of 0, 2, 1, 2
  CHECK(difference(ranks[0], {-1.25 / deviation, 0.75 / deviation}) < 1e-4);
  CHECK(difference(ranks[1], {-0.25 / deviation, 0.75 / deviation}) < 1e-4);
}

TEST_CASE("convert_sync_batchnorm: all batch norms of a model, and its clones", "[distributed]") {
  std::string text;
  const std::vector<Values> ranks = on_ranks(2, [&](Communicator& world) {
    const nn::BatchNorm1d inner(1, {.affine = false});
    const nn::Sequential net{nn::Sequential{inner}, nn::ReLU()};
    const nn::Sequential converted = nn::convert_sync_batchnorm(net, world);
    const Tensor x = amp::full({4, 1}, world.rank());
    if (world.rank() == 0) text = nn::to_string(net);
    Values all = converted(x).to_vector<double>();
    all += net(x);
    all += inner(x);
    all += nn::clone(net)(x);
    return all;
  });
  CHECK(text.find("(0): SyncBatchNorm(1, eps=1e-05") != std::string::npos);
  for (const double v : ranks[0]) CHECK(v <= 0);
  for (const double v : ranks[1]) CHECK(v == Approx(1).epsilon(1e-4));
  CHECK(ranks[0][8] == Approx(-1).epsilon(1e-4));
}

TEST_CASE("SyncBatchNorm: what does not fit is refused by all ranks", "[distributed]") {
  const std::vector<int> thrown = on_ranks(2, [](Communicator& world) {
    const nn::SyncBatchNorm norm(2, world);
    int errors = 0;
    for (const Tensor& bad :
         {Tensor(), amp::ones({2}), amp::ones({2, 3}), amp::ones({2, 2}, {.dtype = amp::kInt64})}) {
      try {
        (void)norm(bad);
      } catch (const amp::Error&) {
        ++errors;
      }
    }
    return errors + static_cast<int>(norm.num_batches_tracked.item<std::int64_t>());
  });
  CHECK(thrown == std::vector<int>{4, 4});
  amp::ThreadGroup alone(1);
  CHECK_THROWS_AS(nn::SyncBatchNorm(2, alone.communicator(0))(amp::ones({1, 2})), amp::Error);
  CHECK_THROWS_AS(nn::SyncBatchNorm()(amp::ones({2, 2})), amp::Error);
}

}  // namespace sync_batch_norm
