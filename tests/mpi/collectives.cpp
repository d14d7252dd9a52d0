// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The results of the operations of an MpiCommunicator, on any number of ranks, with messages of any
// length.
#include <amp/distributed/mpi.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "distributed/ranks.hpp"
#include "mpi/expect.hpp"

namespace {

using amp::MpiCommunicator;
using amp::ReduceOp;
using amp::Tensor;
using amp_test::expect;
using amp_test::expect_error;
using Values = std::vector<double>;

constexpr amp::DType kSummable[] = {amp::kFloat64,  amp::kFloat32, amp::kFloat16,
                                    amp::kBFloat16, amp::kInt64,   amp::kInt32};

/// What rank r has at place i.
double term(int r, std::int64_t i) { return static_cast<double>((3 * r + i) % 7 - 2); }

Tensor terms(int r, std::int64_t numel, amp::DType dtype) {
  Values values;
  for (std::int64_t i = 0; i < numel; ++i) values.push_back(term(r, i));
  return amp::tensor(values, {numel}).to(dtype);
}

void check_sums(MpiCommunicator& world) {
  const int size = world.size();
  for (const amp::DType dtype : kSummable) {
    for (const std::int64_t numel : {0, 1, 2, 3, 5, 8, 64, 1001}) {
      const Tensor x = terms(world.rank(), numel, dtype);
      world.all_reduce(x).wait();
      const Values sums = x.to_vector<double>();
      for (std::int64_t i = 0; i < numel; ++i) {
        double sum = 0;
        for (int r = 0; r < size; ++r) sum += term(r, i);
        expect(sums[static_cast<std::size_t>(i)] == sum, "all_reduce adds " + to_string(dtype));
      }
      const Tensor y = terms(world.rank(), numel * size, dtype);
      world.reduce_scatter(y).wait();
      const Values parts = y.to_vector<double>();
      for (std::int64_t i = numel * world.rank(); i < numel * (world.rank() + 1); ++i) {
        double sum = 0;
        for (int r = 0; r < size; ++r) sum += term(r, i);
        expect(parts[static_cast<std::size_t>(i)] == sum, "reduce_scatter adds the own part");
      }
    }
  }
}

/// One after the other, all ones after the first would be lost; on all ranks the same bits.
void check_rounding(MpiCommunicator& world) {
  for (const amp::DType dtype : {amp::kFloat16, amp::kBFloat16}) {
    const double large = dtype == amp::kFloat16 ? 2048 : 256;
    const Tensor x = amp::full({9}, world.rank() == 0 ? large : 1, {.dtype = dtype});
    world.all_reduce(x).wait();
    const double sum = large + world.size() - 1;
    const double rounded = amp::full({}, sum, {.dtype = dtype}).item<double>();
    for (const double value : x.to_vector<double>())
      expect(value == rounded, "sums of 16 bits are rounded once");
  }
  const Tensor x = amp::full({5}, 1.0 / (3 + world.rank()));
  world.all_reduce(x).wait();
  const Tensor all = amp::zeros({world.size(), 5});
  all.select(0, world.rank()).copy_(x);
  world.all_gather(all).wait();
  for (int r = 1; r < world.size(); ++r)
    expect(all.select(0, r).to_vector<float>() == x.to_vector<float>(), "all ranks get one sum");
}

/// The sums of ranks that are processes have the bits of those that are threads, whether they are
/// of all elements or of parts.
void check_bits(MpiCommunicator& world) {
  const int size = world.size();
  const auto noise = [&](int r, amp::DType dtype) {
    Values values;
    for (int i = 0; i < 37 * size; ++i) values.push_back(std::sin(i * 7.3 + r * 1.9) * (1 + i % 5));
    return amp::tensor(values, {37 * size}).to(dtype);
  };
  for (const amp::DType dtype : {amp::kFloat64, amp::kFloat32, amp::kFloat16, amp::kBFloat16}) {
    std::vector<std::string> bits(static_cast<std::size_t>(size));
    amp::ThreadGroup::run(size, [&](amp::Communicator& threads) {
      const Tensor x = noise(threads.rank(), dtype);
      threads.all_reduce(x).wait();
      bits[static_cast<std::size_t>(threads.rank())] = amp_test::raw_bits(x);
    });
    const Tensor x = noise(world.rank(), dtype), y = noise(world.rank(), dtype);
    world.all_reduce(x).wait();
    expect(amp_test::raw_bits(x) == bits[0], "sums have the bits of a ThreadGroup's");
    world.reduce_scatter(y).wait();
    world.all_gather(y).wait();
    expect(amp_test::raw_bits(y) == bits[0], "parts that are added and gathered are the whole");
  }
}

void check_any(MpiCommunicator& world) {
  for (const double value : {1.0, -1.0, std::nan(""), HUGE_VAL, 0x1p-149}) {
    for (int planted = 0; planted < world.size(); ++planted) {
      const Tensor x = amp::zeros({3});
      if (world.rank() == planted) x.select(0, 1).fill_(value);
      world.all_reduce(x, ReduceOp::kAny).wait();
      const std::vector<float> words = x.to_vector<float>();
      expect(words[0] == 0 && !(words[1] == 0) && words[2] == 0, "kAny sees what is not 0");
    }
  }
  const Tensor zeros = amp::full({2}, -0.0);  // on another rank than what is not 0
  if (world.rank() == world.size() - 1) zeros.select(0, 1).fill_(1);
  world.all_reduce(zeros, ReduceOp::kAny).wait();
  const std::vector<float> words = zeros.to_vector<float>();
  expect(words[0] == 0 && words[1] != 0, "kAny is not misled by -0");
}

void check_moves(MpiCommunicator& world) {
  for (const amp::DType dtype : {amp::kFloat64, amp::kFloat32, amp::kBFloat16, amp::kUInt8,
                                 amp::kFloat8E4M3, amp::kInt64, amp::kBool}) {
    for (const std::int64_t numel : {1, 7, 100}) {
      const Tensor all = amp::zeros({world.size(), numel}, {.dtype = dtype});
      all.select(0, world.rank()).fill_(world.rank() % 2 == 0 ? 1 : 0);
      world.all_gather(all).wait();
      for (int r = 0; r < world.size(); ++r)
        expect(all.select(0, r).to_vector<double>() ==
                   Values(static_cast<std::size_t>(numel), r % 2 == 0 ? 1 : 0),
               "all_gather gets every rank's part");
      for (int root = 0; root < world.size(); ++root) {
        const Tensor x = amp::full({numel}, world.rank() == root ? 1 : 0, {.dtype = dtype});
        world.broadcast(x, root).wait();
        expect(x.to_vector<double>() == Values(static_cast<std::size_t>(numel), 1),
               "broadcast sends the root's values");
      }
    }
  }
}

/// Under way at once, waited for in another order, or not at all.
void check_order(MpiCommunicator& world) {
  const int size = world.size();
  const double sum = size * (size + 1) / 2.0;
  const auto own = [&](amp::DType dtype) {
    return amp::full({50}, world.rank() + 1, {.dtype = dtype});
  };
  const Tensor a = own(amp::kFloat32), b = own(amp::kBFloat16), c = own(amp::kFloat64);
  amp::Collective first = world.all_reduce(a), second = world.all_reduce(b);
  amp::Collective third = world.all_reduce(c);
  third.wait();
  first.wait();
  second.wait();
  second.wait();
  for (const Tensor& x : {a, b, c})
    expect(x.to_vector<double>() == Values(50, sum), "operations may be waited for in any order");
  // Between other calls on each rank.
  const Tensor early = own(amp::kBFloat16), late = own(amp::kFloat16), other = own(amp::kFloat32);
  for (int round = 0; round < 20; ++round) {
    for (const Tensor& x : {early, late, other}) x.fill_(world.rank() + 1);
    amp::Collective begun = world.all_reduce(early);
    if ((world.rank() + round) % 2 == 0) begun.wait();
    amp::Collective next = world.all_reduce(late), last = world.all_reduce(other);
    if ((world.rank() + round) % 3 == 0) next.wait();
    const Tensor sent = amp::full({3}, world.rank());
    world.broadcast(sent, size - 1).wait();
    begun.wait();
    next.wait();
    last.wait();
    for (const Tensor& x : {early, late, other})
      expect(x.to_vector<double>() == Values(50, sum), "each rank waits when it likes");
    expect(sent.to_vector<double>() == Values(3, size - 1), "and gets what was sent");
  }
  const Tensor dropped = own(amp::kFloat16);
  (void)world.all_reduce(dropped);
  world.barrier();
  expect(dropped.to_vector<double>() == Values(50, sum), "one that is dropped is finished");
}

void check_arguments(MpiCommunicator& world) {
  const Tensor x = amp::zeros({3});
  expect(world.takes(amp::kCPU) && !world.takes(amp::kCUDA), "MPI takes memory of the host");
  expect_error("a communicator of mpi does not take", [&] {
    world.all_reduce(amp::TensorView{x.raw_data(), 3, amp::kFloat32, amp::kCUDA});
  });
  expect_error("`root` must lie in", [&] { world.broadcast(x, world.size()); });
  expect_error("sums are of", [&] { world.all_reduce(amp::zeros({3}, {.dtype = amp::kUInt8})); });
  if (world.size() == 2)
    expect_error("equal parts for 2 ranks", [&] { world.all_gather(amp::zeros({3})); });
  expect_error("MPI_COMM_NULL", [] { MpiCommunicator none(MPI_COMM_NULL); });
  expect_error("`timeout`", [] { MpiCommunicator none(MPI_COMM_WORLD, {.timeout = {}}); });
  expect_error("`most_elements`",
               [] { MpiCommunicator none(MPI_COMM_WORLD, {.most_elements = 0}); });
  MpiCommunicator closed(MPI_COMM_WORLD);
  closed.close();
  closed.close();
  if (world.size() > 1)
    expect_error("all_reduce of 3 float32: the communicator is closed",
                 [&] { closed.all_reduce(x).wait(); });
}

}  // namespace

int main(int argc, char** argv) {
  return amp::run_mpi(argc, argv, [](MpiCommunicator& world) {
    const auto info = amp::launch_info();
    expect(info.has_value() == (world.size() > 1), "launch_info says whether there are others");
    if (info)
      expect(info->processes == world.size() && info->local_rank == world.rank(), "how many");
    check_arguments(world);
    // Each call of MPI takes all, or few elements.
    MpiCommunicator few(MPI_COMM_WORLD, {.most_elements = 6});
    for (MpiCommunicator* const ranks : {&world, &few}) {
      check_sums(*ranks);
      check_rounding(*ranks);
      check_bits(*ranks);
      check_any(*ranks);
      check_moves(*ranks);
      check_order(*ranks);
    }
  });
}
