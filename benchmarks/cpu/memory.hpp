// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The tensors for measuring passes over parameters, and plain loops over the same memory with the
// same threads.
#pragma once

#include <amp/amp.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace cpu_benchmark {

/// The sizes of ResNet-50's 161 parameters (He et al. 2015, arXiv 1512.03385, table 1), 25.6 M.
inline std::vector<std::int64_t> resnet50() {
  std::vector<std::int64_t> sizes;
  const auto conv = [&](std::int64_t in, std::int64_t out, std::int64_t kernel) {
    sizes.push_back(out * in * kernel * kernel);
    sizes.insert(sizes.end(), 2, out);  // weight and bias of the normalisation
  };
  conv(3, 64, 7);
  std::int64_t in = 64, width = 64;
  for (const int blocks : {3, 4, 6, 3}) {
    for (int block = 0; block < blocks; ++block) {
      conv(in, width, 1);
      conv(width, width, 3);
      conv(width, 4 * width, 1);
      if (block == 0) conv(in, 4 * width, 1);
      in = 4 * width;
    }
    width *= 2;
  }
  sizes.push_back(in * 1000);
  sizes.push_back(1000);
  return sizes;
}

/// A part of an array. All arrays, one after another, are divided into equal shares for the
/// threads.
struct Piece {
  float* data;
  std::int64_t numel;
};
inline std::vector<std::vector<Piece>> shares_of(const std::vector<amp::Tensor>& tensors) {
  std::int64_t total = 0;
  for (const amp::Tensor& t : tensors) total += t.numel();
  const std::int64_t share = amp::ceil_div(total, std::int64_t{amp::num_threads()});
  std::vector<std::vector<Piece>> shares(1);
  std::int64_t room = share;
  for (const amp::Tensor& t : tensors) {
    for (std::int64_t begin = 0; begin < t.numel();) {
      if (room == 0) {
        shares.emplace_back();
        room = share;
      }
      const std::int64_t n = std::min(room, t.numel() - begin);
      shares.back().push_back({t.data<float>() + begin, n});
      begin += n;
      room -= n;
    }
  }
  return shares;
}

/// Calls body(data, numel) for all pieces, each share in its own thread.
template <class Body>
void on_threads(const std::vector<std::vector<Piece>>& shares, const Body& body) {
  amp::parallel_for(static_cast<std::int64_t>(shares.size()), [&](std::int64_t share) {
    for (const Piece& piece : shares[static_cast<std::size_t>(share)])
      body(piece.data, piece.numel);
  });
}

}  // namespace cpu_benchmark
