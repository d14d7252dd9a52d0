// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Matmuls by amp's own engine (product.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "amp/device/host_memory.hpp"
#include "amp/device/parallel.hpp"
#include "amp/kernels/elementwise/host.hpp"
#include "amp/kernels/matmul/args.hpp"
#include "amp/kernels/matmul/epilogue.hpp"
#include "amp/kernels/matmul/host/product.hpp"
#include "amp/kernels/reduce/host.hpp"
#include "amp/kernels/traversal/host/block.hpp"
#include "amp/types/bfloat16.hpp"

namespace amp::inline v0::kernels::host {

/// Returns a part of a matrix, or of relu's bits. Its first column is a multiple of 8.
inline Operand part_of(const Operand& matrix, const Place& at, bool of_bits = false) {
  Operand part = matrix;
  const std::int64_t column = of_bits ? at.column / 8 : at.column;
  part.data =
      const_cast<void*>(element(matrix, at.row * matrix.strides[1] + column * matrix.strides[2]));
  part.sizes[1] = at.rows;
  part.sizes[2] = of_bits ? relu_bytes(at.columns) : at.columns;
  return part;
}

namespace gemm {

/// The matrices of an operand [B, rows, columns] as runs. Copied if no dimension is dense.
class OperandRuns {
 public:
  /// `line` is the dimension of the lines, `k` the other one.
  OperandRuns(const Operand& operand, int line, int k) : matrix_(operand) {
    const auto is_dense = [&](int d) { return matrix_.strides[d] == 1 || matrix_.sizes[d] == 1; };
    if (!is_dense(k) && !is_dense(line)) {
      copy_.emplace(operand.numel() * item_size(operand.dtype));
      matrix_ = matrix_like(operand, operand.dtype, copy_->data());
      if (operand.sizes[0] == 1) matrix_.strides[0] = 0;  // one matrix for the whole batch
      copy({operand, matrix_});
    }
    along_k_ = is_dense(k);
    stride_ = matrix_.strides[along_k_ ? line : k];
  }

  /// Returns the runs of a matrix from its element `k` on.
  MatrixRuns of(std::int64_t batch, std::int64_t k = 0) const {
    if (matrix_.data == nullptr) batch = 0;  // k is 0
    const std::int64_t first = batch * matrix_.strides[0] + k * (along_k_ ? 1 : stride_);
    return {element(matrix_, first), matrix_.dtype, stride_, along_k_};
  }

 private:
  Operand matrix_;
  std::optional<HostBuffer<std::byte>> copy_;
  bool along_k_ = false;
  std::int64_t stride_ = 0;
};

/// Returns a bias as an array of the dtype of the sums.
class BiasOf {
 public:
  BiasOf(const Operand& bias, DType sums)
      : memory_(bias.present ? bias.numel() * item_size(sums) : 0) {
    if (!bias.present) return;
    Operand array = bias;
    array.data = memory_.data();
    array.dtype = sums;
    array.strides[0] = 1;
    copy({bias, array});
  }
  const void* data() const { return memory_.data(); }

 private:
  HostBuffer<std::byte> memory_;
};

inline DType dtype_of_sums(DType dtype) { return dtype == kFloat64 ? kFloat64 : kFloat32; }
/// The dtype of the factors: that of a and b, if it is one.
inline DType dtype_of_factors(const Operand& a, const Operand& b, DType sums) {
  return a.dtype == b.dtype ? a.dtype : sums;
}

/// The most sums that are computed apart if there is too little output for all threads, as in
/// gradients of weights.
inline constexpr std::int64_t kMostParts = 16;

/// In how many parts of k to compute a matmul. It depends on shapes only, and so do results.
inline std::int64_t parts_of(const MatmulArgs& args) {
  constexpr std::int64_t kSmall = 128 * 128, kLong = 1024;
  const std::int64_t k = args.a.sizes[2];
  if (args.output.numel() > kSmall || args.output.sizes[0] != 1 || args.bias.present) return 1;
  return (std::clamp)(k / kLong, std::int64_t{1}, kMostParts);
}

/// Computes a matmul as the sum of several, each of a part of k. If there are few, their columns are
/// cut, too.
inline void matmul_in_parts(const MatmulArgs& args, std::int64_t parts) {
  const DType sums = dtype_of_sums(args.output.dtype),
              factor = dtype_of_factors(args.a, args.b, sums);
  const std::int64_t multiple = 256 / item_size(factor);
  const std::int64_t m = args.output.sizes[1], n = args.output.sizes[2], k = args.a.sizes[2],
                     depth = round_up(ceil_div(k, parts), multiple),
                     columns = round_up(ceil_div(n * parts, kMostParts), multiple),
                     across = ceil_div(n, columns);
  parts = ceil_div(k, depth);
  const OperandRuns a(args.a, 1, 2), b(args.b, 2, 1);
  const HostBuffer<std::byte> memory(parts * m * n * item_size(sums));
  const Operand partial = Operand::array(memory.data(), sums, {parts, m, n}, {m * n, n, 1});
  parallel_for(parts * across, [&](std::int64_t job) {
    const std::int64_t part = job / across, first = part * depth, column = job % across * columns;
    const MatrixRuns rows = a.of(0, first), lines = b.of(0, first);
    Product{factor,
            sums,
            m,
            n,
            (std::min)(depth, k - first),
            rows,
            lines,
            nullptr,
            const_cast<void*>(element(partial, part * m * n)),
            n}
        .compute({0, column, m, (std::min)(columns, n - column)}, nullptr);
  });
  sum({partial, args.output, 1});
}

}  // namespace gemm

/// Computes a matmul that is not empty, without its sums. If finish is not null, it is called for
/// each tile of one matrix: h is its part of a @ b + bias, dense, not rounded; `tile` holds its
/// part of the output and of aux, and everything else as it is for the whole matrix.
AMP_LAZY inline void gemm_matmul(const MatmulArgs& args,
                                 void (*finish)(const MatmulArgs& tile, const Operand& h)) {
  const std::int64_t parts = finish == nullptr ? gemm::parts_of(args) : 1;
  if (parts > 1) return gemm::matmul_in_parts(args, parts);
  const Operand& output = args.output;
  const DType sums = gemm::dtype_of_sums(output.dtype),
              factor = gemm::dtype_of_factors(args.a, args.b, sums);
  const std::int64_t batches = output.sizes[0], m = output.sizes[1], n = output.sizes[2],
                     k = args.a.sizes[2];
  const gemm::OperandRuns a(args.a, 1, 2), b(args.b, 2, 1);
  const gemm::BiasOf bias(args.bias, sums);
  const bool in_place =
      finish == nullptr && output.dtype == sums && (output.strides[2] == 1 || n == 1);
  const bool rounds = finish == nullptr && output.dtype == kBFloat16 && output.strides[2] == 1;
  const bool has_bits = args.aux.dtype == kUInt8;  // relu's, 8 in a byte
  const auto compute = [&](std::int64_t batch, bool on_all_threads) {
    const gemm::MatrixRuns rows = a.of(batch), columns = b.of(batch);
    Operand matrix = output;
    matrix.data = const_cast<void*>(element(output, batch * output.strides[0]));
    const auto put = [&](const Place& at, void* tile_sums, std::int64_t) {
      MatmulArgs tile = args;
      tile.output = part_of(matrix, at);
      tile.output.sizes[0] = 1;
      const Operand h = matrix_like(tile.output, sums, tile_sums);
      if (finish == nullptr) return copy({h, tile.output});
      tile.aux = part_of(args.aux, at, has_bits);
      finish(tile, h);
    };
    const gemm::Product::Finish as_reference = put;
    const gemm::Product::Finish* const put_tile = in_place ? nullptr : &as_reference;
    const gemm::Product product{factor,
                                sums,
                                m,
                                n,
                                k,
                                rows,
                                columns,
                                bias.data(),
                                in_place ? matrix.data : nullptr,
                                output.strides[1],
                                rounds ? static_cast<bfloat16*>(matrix.data) : nullptr,
                                has_bits ? 8 : 1};
    if (on_all_threads) return product.compute_on_all_threads(put_tile);
    for (std::int64_t j = 0; j < n; j += gemm::TileSize::kMostColumns)
      product.compute({0, j, m, (std::min)(gemm::TileSize::kMostColumns, n - j)}, put_tile);
  };
  // Tiles of one matrix would let all threads meet once for each, so matrices are jobs if there are
  // enough of them, or if they have few rows.
  const bool is_low = m <= gemm::kBlockRows;
  if (batches > 1 && (is_low || batches >= 4 * num_threads()))
    return parallel_for(batches, [&](std::int64_t batch) { compute(batch, !is_low); });
  for (std::int64_t batch = 0; batch < batches; ++batch) compute(batch, true);
}

}  // namespace amp::inline v0::kernels::host
