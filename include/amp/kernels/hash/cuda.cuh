// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// hash() on CUDA devices: one launch for any number of tensors, after one that clears the hashes.
// Each thread sums words; a block adds its sum to the tensor's hash when it goes on to another
// tensor.
#pragma once

#include <cstdint>
#include <vector>

#include "amp/core/math.hpp"
#include "amp/kernels/hash/formula.hpp"
#include "amp/kernels/traversal/cuda/block_reduce.cuh"
#include "amp/kernels/traversal/cuda/device_list.cuh"
#include "amp/kernels/traversal/cuda/pieces.cuh"

namespace amp::inline v0::kernels::cuda {

/// A tensor, and the index of its first piece, of kPiece words.
struct HashRow {
  HashSpan span;
  std::int64_t first_piece;

  AMP_HOST_DEVICE std::int64_t numel() const { return span.words(); }
  friend bool operator==(const HashRow&, const HashRow&) = default;
};

struct HashTable final : DescriptorTable::Contents {
  explicit HashTable(Device where) : device(where), rows(where) {}

  void send(const HashSpan* tensors, std::int64_t n) {
    next.clear();
    count = n, pieces = 0;
    for (std::int64_t t = 0; t < n; ++t) {
      next.push_back({tensors[t], pieces});
      pieces += ceil_div(tensors[t].words(), kPiece);
    }
    rows.send(next);
  }

  Device device;
  DeviceList<HashRow> rows;
  std::int64_t count = 0, pieces = 0;
  std::vector<HashRow> next;  // kept for its memory
};

/// Sums this thread's whole words. Each word is read as Parts, as wide as the tensor's address
/// allows.
template <class Part>
__device__ __forceinline__ std::uint64_t sum_of_words(const void* data, Range words) {
  constexpr int kParts = static_cast<int>(kHashedBytes / sizeof(Part));
  std::uint64_t sum = 0;
  for (std::int64_t k = words.begin + threadIdx.x; k < words.end; k += kThreads) {
    const Part* const parts = static_cast<const Part*>(data) + k * kParts;
    std::uint32_t word = load_word(parts);
    AMP_UNROLL
    for (int p = 1; p < kParts; ++p)
      word |= static_cast<std::uint32_t>(load_word(parts + p))
              << (8 * static_cast<int>(sizeof(Part)) * p);
    sum += hash_of_word(word, k);
  }
  return sum;
}
/// The same for a tensor at a multiple of 16 bytes.
__device__ __forceinline__ std::uint64_t sum_of_packs(const void* data, Range words) {
  constexpr int kPack = 4;
  const std::int64_t tail = words.end - (words.end - words.begin) % kPack;
  std::uint64_t sum = 0;
  for (std::int64_t k = words.begin + static_cast<std::int64_t>(threadIdx.x) * kPack; k < tail;
       k += static_cast<std::int64_t>(kThreads) * kPack) {
    const auto pack = load_pack<std::uint32_t, kPack>(static_cast<const std::uint32_t*>(data) + k);
    AMP_UNROLL
    for (int l = 0; l < kPack; ++l) sum += hash_of_word(pack.element[l], k + l);
  }
  return sum + sum_of_words<std::uint32_t>(data, {tail, words.end});
}

/// Returns this thread's sum over a piece.
__device__ __forceinline__ std::uint64_t hash_piece(const HashSpan& tensor, Range piece) {
  const std::int64_t whole = tensor.bytes / kHashedBytes;
  const Range words{piece.begin, piece.end < whole ? piece.end : whole};
  const std::uint64_t last =
      words.end < piece.end && threadIdx.x == 0 ? hash_of_word(last_word(tensor), words.end) : 0;
  const auto address = reinterpret_cast<std::uintptr_t>(tensor.data);
  if (address % 16 == 0) return last + sum_of_packs(tensor.data, words);
  if (address % 4 == 0) return last + sum_of_words<std::uint32_t>(tensor.data, words);
  if (address % 2 == 0) return last + sum_of_words<std::uint16_t>(tensor.data, words);
  return last + sum_of_words<std::uint8_t>(tensor.data, words);
}

template <class Hash>
AMP_KERNEL void clear_hashes_kernel(Hash* hashes, std::int64_t count) {
  for (std::int64_t t = first_element(); t < count; t += element_step()) hashes[t] = 0;
}

template <class Row>
AMP_KERNEL void hash_kernel(const Row* rows, std::int64_t count, std::int64_t pieces,
                            unsigned long long* hashes) {
  const Row* hashed = nullptr;  // the tensor of this sum
  unsigned long long sum = 0;
  const auto move_to_hash = [&] {
    const unsigned long long of_block = block_sum(sum);
    if (threadIdx.x == 0) atomicAdd(hashes + (hashed - rows), of_block);
    sum = 0;
  };
  for_each_piece(rows, count, &Row::first_piece, pieces, kPiece,
                 [&](const Row& row, Range range, std::int64_t) {
                   if (hashed != nullptr && hashed != &row) move_to_hash();
                   hashed = &row;
                   sum += hash_piece(row.span, range);
                 });
  if (hashed != nullptr) move_to_hash();
}

inline void hash(const HashArgs& args) {
  if (args.count == 0) return;
  const TableOfCall<HashTable> table(args.device, args.table);
  table->send(args.tensors, args.count);
  launch(args.device, grid_for(args.count), kThreads, clear_hashes_kernel<std::uint64_t>,
         args.hashes, args.count);
  if (table->pieces == 0) return;
  launch(args.device, blocks_for(args.device, table->pieces), kThreads, hash_kernel<HashRow>,
         table->rows.data(), table->count, table->pieces,
         reinterpret_cast<unsigned long long*>(args.hashes));
}

}  // namespace amp::inline v0::kernels::cuda
