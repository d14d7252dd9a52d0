// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The hashes of tensors on the device: the host's bits, of tensors anywhere in memory, without
// waiting, in graphs too.
#include <amp/amp.hpp>
#include <amp/kernels/dispatch.hpp>
#include <amp/kernels/hash/host.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cuda/device.hpp"
#include "support/catch.hpp"

namespace cuda_hash {
namespace {

using amp::kCUDA;
using amp::Tensor;

constexpr amp::DType kAll[] = {amp::kFloat64,    amp::kFloat32,    amp::kFloat16, amp::kBFloat16,
                               amp::kFloat8E4M3, amp::kFloat8E5M2, amp::kInt64,   amp::kInt32,
                               amp::kUInt8,      amp::kBool};

/// Of dense tensors, into an int64 tensor beside them.
void hash(const std::vector<Tensor>& tensors, const Tensor& hashes,
          amp::kernels::DescriptorTable* table = nullptr) {
  std::vector<amp::kernels::HashSpan> spans;
  for (const Tensor& x : tensors)
    spans.push_back({x.raw_data(), x.numel() * amp::item_size(x.dtype())});
  amp::kernels::dispatch<&amp::kernels::Backend::hash, amp::kernels::host::hash>(
      hashes.device(), amp::kernels::HashArgs{
                           .device = hashes.device(),
                           .tensors = spans.data(),
                           .count = static_cast<std::int64_t>(spans.size()),
                           .hashes = static_cast<std::uint64_t*>(hashes.raw_data()),
                           .table = table,
                       });
}
std::vector<std::int64_t> hashes_of(const std::vector<Tensor>& tensors) {
  const auto count = static_cast<std::int64_t>(tensors.size());
  const amp::Device device = tensors.empty() ? amp::Device(kCUDA) : tensors[0].device();
  const Tensor hashes = amp::full({count}, 7, {.dtype = amp::kInt64, .device = device});
  hash(tensors, hashes);
  return hashes.to_vector<std::int64_t>();
}

TEST_CASE("cuda hash: the host's, of every size, dtype and address", "[cuda]") {
  amp::manual_seed(5);
  std::vector<Tensor> host, device;
  const auto add = [&](std::int64_t n, std::int64_t offset, amp::DType dtype) {
    const Tensor x = (amp::randn({n + offset}) * 100).to(dtype);
    host.push_back(x.narrow(0, offset, n));
    device.push_back(x.to(kCUDA).narrow(0, offset, n));
  };
  for (std::int64_t n = 0; n <= 40; ++n) {
    for (const amp::DType dtype : kAll) {
      for (std::int64_t offset = 0; offset < 5; ++offset) add(n, offset, dtype);
    }
  }
  for (const std::int64_t n : {4095, 4096, 4097, 16383, 16384, 16385, 70001}) {
    for (const amp::DType dtype : kAll) add(n, n % 4, dtype);
    for (const std::int64_t offset : {0, 1, 2, 3, 4}) add(n, offset, amp::kBFloat16);
  }
  const std::vector<std::int64_t> expected = hashes_of(host), found = hashes_of(device);
  for (std::size_t i = 0; i < host.size(); ++i) {
    CAPTURE(i, host[i].dtype(), host[i].numel());
    CHECK(found[i] == expected[i]);
  }
  CHECK(hashes_of({}).empty());
  CHECK(hashes_of({device[0]}) == std::vector<std::int64_t>{0});  // nothing, also alone
}

TEST_CASE("cuda hash: more pieces than blocks, each block with several tensors", "[cuda]") {
  amp::manual_seed(6);
  const Tensor large = amp::randn({3 * 4096 + 5}), small = amp::randn({11});
  std::vector<Tensor> host, device;
  const Tensor large_there = large.to(kCUDA), small_there = small.to(kCUDA);
  for (int i = 0; i < 9000; ++i) {
    host.push_back(i % 1000 == 3 ? large : small.narrow(0, 0, i % 12));
    device.push_back(i % 1000 == 3 ? large_there : small_there.narrow(0, 0, i % 12));
  }
  CHECK(hashes_of(device) == hashes_of(host));
}

TEST_CASE("cuda hash: the replays of a graph hash what is there then", "[cuda]") {
  const Tensor x = amp::ones({5000}, {.device = kCUDA}), y = amp::ones({7}, {.device = kCUDA});
  const Tensor found = amp::empty({2}, {.dtype = amp::kInt64, .device = kCUDA});
  amp::cuda::Graph graph([&] { hash({x, y}, found); }, {.warmup = 1});
  for (int i = 0; i < 3; ++i) {
    x.fill_(i);
    y.fill_(-i);
    graph.replay();
    CHECK(found.to_vector<std::int64_t>() == hashes_of({x.to(amp::kCPU), y.to(amp::kCPU)}));
  }
}

#if !defined(AMP_TEST_GPU)
TEST_CASE("cuda hash: two launches, which wait for nothing, and a kept table is not sent again",
          "[cuda]") {
  std::vector<Tensor> tensors;
  for (int i = 0; i < 700; ++i) tensors.push_back(amp::ones({1 + i * 30}, {.device = kCUDA}));
  const Tensor found = amp::empty({700}, {.dtype = amp::kInt64, .device = kCUDA});
  amp::kernels::DescriptorTable table;
  hash(tensors, found, &table);
  const std::vector<std::int64_t> first = found.to_vector<std::int64_t>();
  const standin::Counters before = standin::toolkit().counters;
  hash(tensors, found, &table);
  const standin::Counters now = standin::toolkit().counters;
  CHECK(now.launches - before.launches == 2);  // one that clears the hashes
  CHECK(now.synchronisations == before.synchronisations);
  CHECK(now.allocations == before.allocations);
  CHECK(now.to_host + now.to_device == before.to_host + before.to_device);
  CHECK(found.to_vector<std::int64_t>() == first);
  tensors[3].fill_(2);
  hash(tensors, found, &table);
  const std::vector<std::int64_t> second = found.to_vector<std::int64_t>();
  for (std::size_t i = 0; i < second.size(); ++i) CHECK((second[i] == first[i]) == (i != 3));
}

TEST_CASE("cuda hash: without a kept table nothing waits either", "[cuda][cached]") {
  const Tensor x = amp::ones({100}, {.device = kCUDA});
  const Tensor found = amp::empty({1}, {.dtype = amp::kInt64, .device = kCUDA});
  hash({x}, found);
  standin::toolkit().reset();
  hash({x}, found);
  CHECK(standin::toolkit().counters.synchronisations == 0);
  CHECK(standin::toolkit().counters.to_host + standin::toolkit().counters.to_device == 0);
}
#endif

}  // namespace
}  // namespace cuda_hash
