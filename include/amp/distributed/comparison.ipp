// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "amp/core/error.hpp"
#include "amp/distributed/comparison.hpp"
#include "amp/kernels/hash/host.hpp"
#include "amp/ops/tensor_members.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0::detail {

AMP_COLD std::int64_t hash_of_text(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return static_cast<std::int64_t>(hash);
}

/// Returns `own` of all ranks, one after the other. Synchronises.
AMP_COLD std::vector<std::int64_t> gather_numbers(Communicator& communicator, Device device,
                                                  const std::vector<std::int64_t>& own) {
  const std::size_t ranks = static_cast<std::size_t>(communicator.size());
  std::vector<std::int64_t> all(own.size() * ranks);
  std::copy(own.begin(), own.end(),
            all.begin() + static_cast<std::ptrdiff_t>(
                              own.size() * static_cast<std::size_t>(communicator.rank())));
  const Tensor words = tensor(all, {static_cast<std::int64_t>(all.size())}).to(device);
  communicator.all_gather(words).wait();
  return words.to_vector<std::int64_t>();
}

AMP_COLD void compare_signatures(Communicator& communicator, const NamedTensors& all,
                                 const DataParallelOptions& options) {
  const auto gather = [&](const std::vector<std::int64_t>& own) {
    return gather_numbers(communicator, all[0].second.device(), own);
  };
  std::vector<std::int64_t> own;
  for (const auto& [name, tensor] : all) {
    own.push_back(
        hash_of_text(name + " " + describe(tensor) + (tensor.requires_grad() ? " trained" : "")));
  }
  const auto text = [](auto number) { return to_text(number) + " "; };
  const std::vector<std::int64_t> hashed = gather({hash_of_text(
      (options.wire ? to_string(*options.wire) : std::string()) + " " + text(options.bucket_bytes) +
      text(options.first_bucket_bytes) + text(options.find_unused) +
      text(options.broadcast_buffers) + text(options.check_every))});
  for (std::size_t r = 1; r < hashed.size(); ++r)
    AMP_CHECK(hashed[r] == hashed[0], "DataParallel: rank ", r,
              " has other DataParallelOptions than rank 0");
  const auto count = static_cast<std::int64_t>(own.size());
  const std::vector<std::int64_t> counts = gather({count});
  for (std::size_t r = 1; r < counts.size(); ++r) {
    AMP_CHECK(counts[r] == counts[0], "DataParallel: rank ", r, " has ", counts[r],
              " parameters and buffers, but rank 0 has ", counts[0]);
  }
  const std::vector<std::int64_t> hashes = gather(own);
  for (std::size_t k = 0; k < hashes.size(); ++k) {
    const std::size_t i = k % own.size();
    AMP_CHECK(hashes[k] == hashes[i], "DataParallel: parameter or buffer ", i, " of rank ",
              k / own.size(),
              " is not that of rank 0 by name, shape, dtype or requires_grad; here "
              "it is \"",
              all[i].first, "\", ", describe(all[i].second));
  }
}

AMP_COLD void compare_parameters(Communicator& communicator, const NamedTensors& parameters) {
  const Device device = parameters[0].second.device();
  const auto gather = [&](const std::vector<std::int64_t>& own) {
    return gather_numbers(communicator, device, own);
  };
  PoolVector<kernels::HashSpan> spans;
  for (const auto& entry : parameters) {
    const Tensor& p = entry.second;
    spans.push_back({p.raw_data(), p.numel() * item_size(p.dtype())});
  }
  const auto count = static_cast<std::int64_t>(spans.size());
  const Tensor hashes = empty({count}, {.dtype = kInt64, .device = device});
  const kernels::HashArgs args{.device = device,
                               .tensors = spans.data(),
                               .count = count,
                               .hashes = static_cast<std::uint64_t*>(hashes.raw_data())};
  kernels::hash(device, args);
  const std::vector<std::int64_t> own = hashes.to_vector<std::int64_t>();
  std::uint64_t sum = 0;
  for (const std::int64_t hash : own)
    sum = sum * 0x9e3779b97f4a7c15 + static_cast<std::uint64_t>(hash);
  const std::vector<std::int64_t> sums = gather({static_cast<std::int64_t>(sum)});
  if (std::equal(sums.begin() + 1, sums.end(), sums.begin())) return;
  // The parameters that most ranks have are taken as right; in a tie, those of the first such rank.
  const auto right = std::max_element(sums.begin(), sums.end(), [&](auto a, auto b) {
    return std::count(sums.begin(), sums.end(), a) < std::count(sums.begin(), sums.end(), b);
  });
  const auto right_rank = static_cast<std::size_t>(right - sums.begin());
  const std::vector<std::int64_t> all = gather(own);
  std::string wrong;
  std::string first;
  for (std::size_t r = 0; r < sums.size(); ++r) {
    if (sums[r] == *right) continue;
    wrong += (wrong.empty() ? "rank " : ", rank ") + std::to_string(r);
    for (std::size_t i = 0; i < own.size() && first.empty(); ++i) {
      if (all[r * own.size() + i] != all[right_rank * own.size() + i]) first = parameters[i].first;
    }
  }
  fail("DataParallel: the parameters of ", wrong, " differ from those of rank ", right_rank,
       ", first \"", first, "\": all ranks must begin with the same model and make the same steps");
}

}  // namespace amp::inline v0::detail
