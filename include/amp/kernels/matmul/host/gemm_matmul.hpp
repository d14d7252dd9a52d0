// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A matmul on all threads: cut into tiles, each of which is multiplied (gemm.hpp), finished and
// rounded while it lies in the caches.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>

#include "amp/core/function_ref.hpp"
#include "amp/core/math.hpp"
#include "amp/device/host_memory.hpp"
#include "amp/device/parallel.hpp"
#include "amp/kernels/elementwise/host.hpp"
#include "amp/kernels/matmul/args.hpp"
#include "amp/kernels/matmul/epilogue.hpp"
#include "amp/kernels/matmul/host/gemm.hpp"
#include "amp/kernels/traversal/host/block.hpp"

namespace amp::inline v0::kernels::host {

/// A part of a matrix [1, rows, columns].
struct Place {
  std::int64_t row, column, rows, columns;
};
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
      copy({operand, matrix_});
    }
    along_k_ = is_dense(k);
    stride_ = matrix_.strides[along_k_ ? line : k];
  }

  MatrixRuns of(std::int64_t batch) const {
    return {element(matrix_, batch * matrix_.strides[0]), matrix_.dtype, stride_, along_k_};
  }

 private:
  Operand matrix_;
  std::optional<HostBuffer<std::byte>> copy_;
  bool along_k_ = false;
  std::int64_t stride_ = 0;
};

/// The size of the tiles of c that threads take: as many for each thread, of equal size as far as
/// the kernel's tile allows, with rows and columns that suit the caches. The longer side is cut
/// first.
struct TileSize {
  static constexpr std::int64_t kMostColumns = 1024;
  std::int64_t rows, columns;

  TileSize(std::int64_t m, std::int64_t n, std::int64_t kernel_rows, std::int64_t kernel_columns,
           std::int64_t threads) {
    const std::int64_t least = ceil_div(m, kBlockRows), least_across = ceil_div(n, kMostColumns);
    const std::int64_t most_down = (std::max)(least, m / (4 * kernel_rows));
    const std::int64_t most_across = (std::max)(least_across, n / (2 * kernel_columns));
    std::int64_t across = m < n ? threads / std::gcd(least, threads) : 1;
    across = (std::clamp)(across, least_across, most_across);
    const std::int64_t down = (std::min)(round_up(least * across, threads) / across, most_down);
    across = (std::min)((std::max)(across, ceil_div(threads, down)), most_across);
    rows = round_up(ceil_div(m, down), kernel_rows);
    columns = round_up(ceil_div(n, across), kernel_columns);
  }
};

/// A matrix b [k, n], packed for several tiles of c.
template <class C>
class PackedMatrix {
 public:
  using Word = typename Packer<C>::Word;

  /// Packs on all threads.
  PackedMatrix(const Kernel<C>& kernel, const Runs& b, std::int64_t n, std::int64_t k)
      : kernel_(kernel),
        width_(round_up(n, std::int64_t{kernel.columns})),
        words_(width_ * kernel.words(k)) {
    const std::int64_t columns = kernel.columns, most = kDepth * kernel.per_word();
    parallel_ranges(width_ / columns, ceil_div(std::int64_t{1} << 15, columns * k),
                    [&](std::int64_t begin, std::int64_t end) {
                      const Packer<C> packer(kernel);
                      for (std::int64_t k0 = 0; k0 < k; k0 += most) {
                        const std::int64_t count = (std::min)(most, k - k0);
                        for (std::int64_t j = begin * columns; j < end * columns; j += columns) {
                          packer.pack_b(b, j, (std::min)(columns, n - j), k0, count,
                                        words_.data() + offset(j, k0, count));
                        }
                      }
                    });
  }

  const Word* strip(std::int64_t column, std::int64_t k, std::int64_t count) const {
    return words_.data() + offset(column, k, count);
  }

 private:
  std::int64_t offset(std::int64_t column, std::int64_t k, std::int64_t count) const {
    return kernel_.words(k) * width_ + column * kernel_.words(count);
  }

  const Kernel<C> kernel_;
  const std::int64_t width_;
  const HostBuffer<Word> words_;
};

/// A matmul of which C is the type of the sums. c = a @ b + bias is written to the output, or given
/// tile by tile to finish(place, dense sums).
template <class C>
class Matmul {
 public:
  using Finish = FunctionRef<void(const Place& place, C* sums)>;

  Matmul(const MatmulArgs& args, const Finish* finish)
      : kernel_(kernel_for<C>(args.a.dtype == args.b.dtype ? args.a.dtype : dtype_of<C>)),
        m_(args.output.sizes[1]),
        n_(args.output.sizes[2]),
        k_(args.a.sizes[2]),
        output_(args.output),
        finish_(finish),
        a_(args.a, 1, 2),
        b_(args.b, 2, 1),
        bias_buffer_(args.bias.present ? n_ : 0),
        bias_(args.bias.present ? fetch(args.bias, 0, args.bias.strides[0], n_, bias_buffer_.data())
                                : nullptr),
        in_place_(finish == nullptr && output_.dtype == dtype_of<C> &&
                  (output_.strides[2] == 1 || n_ == 1)) {}

  void run() const {
    const std::int64_t batches = output_.sizes[0];
    const bool is_small = m_ * n_ * k_ < 64 * 64 * 64;
    const std::int64_t columns = (std::max)(kernel_.columns, 8);  // whole bytes of relu's bits
    if (batches > 1 && m_ <= kBlockRows)
      return run(0, batches, {m_, n_, kernel_.rows, columns, 1}, false);
    const TileSize size(m_, n_, kernel_.rows, columns, is_small ? 1 : num_threads());
    for (std::int64_t batch = 0; batch < batches; ++batch) run(batch, 1, size, is_small);
  }

 private:
  void run(std::int64_t first, std::int64_t batches, const TileSize& size, bool on_one) const {
    const std::int64_t across = ceil_div(n_, size.columns), down = ceil_div(m_, size.rows);
    std::optional<PackedMatrix<C>> packed;
    if (down > 1) packed.emplace(kernel_, b_.of(first), n_, k_);
    const auto task = [&](std::int64_t index) {
      const std::int64_t tile = index % (down * across), i = tile / across * size.rows,
                         j = tile % across * size.columns;
      compute(first + index / (down * across),
              {i, j, (std::min)(size.rows, m_ - i), (std::min)(size.columns, n_ - j)},
              packed ? &*packed : nullptr);
    };
    const std::int64_t tasks = batches * down * across;
    if (!on_one) return parallel_for(tasks, task);
    for (std::int64_t index = 0; index < tasks; ++index) task(index);
  }

  void compute(std::int64_t batch, const Place& at, const PackedMatrix<C>* packed) const {
    const std::int64_t offset =
        batch * output_.strides[0] + at.row * output_.strides[1] + at.column * output_.strides[2];
    const HostBuffer<C> memory(in_place_ ? 0 : at.rows * at.columns);
    C* const c = in_place_ ? output_.as<C>() + offset : memory.data();
    const std::int64_t stride = in_place_ ? output_.strides[1] : at.columns;
    for (std::int64_t r = 0; r < at.rows && bias_ != nullptr; ++r)
      std::copy_n(bias_ + at.column, at.columns, c + r * stride);
    const Multiplier<C> multiplier(kernel_, at.rows);
    if (packed != nullptr) {
      multiplier.run(
          a_.of(batch), at.row, at.rows, at.columns, k_,
          [&](std::int64_t j, std::int64_t k, std::int64_t count) {
            return packed->strip(at.column + j, k, count);
          },
          c, stride, bias_ != nullptr);
    } else {
      multiplier.run(a_.of(batch), at.row, at.rows, at.columns, k_, b_.of(batch), at.column, c,
                     stride, bias_ != nullptr);
    }
    if (finish_ != nullptr) return (*finish_)(at, c);
    for (std::int64_t r = 0; r < at.rows && !in_place_; ++r) {
      store(c + r * stride, output_, offset + r * output_.strides[1], output_.strides[2],
            at.columns);
    }
  }

  const Kernel<C> kernel_;
  const std::int64_t m_, n_, k_;
  const Operand& output_;
  const Finish* const finish_;
  const OperandRuns a_, b_;
  const HostBuffer<C> bias_buffer_;
  const C* const bias_;
  const bool in_place_;
};

}  // namespace gemm

/// Computes a matmul that is not empty, without its sums.
AMP_LAZY inline void gemm_matmul(const MatmulArgs& args) {
  visit_float_type(args.output.dtype, [&](auto tag) {
    gemm::Matmul<typename decltype(tag)::type>(args, nullptr).run();
  });
}

/// Multiplies one matrix that is not empty, and calls finish(tile, h) for each tile: h is its part
/// of a @ b + bias, dense, not rounded. `tile` holds its part of the output and of aux; everything
/// else is that of the whole matrix.
AMP_LAZY inline void gemm_matmul_in_tiles(const MatmulArgs& args,
                                          void (*finish)(const MatmulArgs&, const Operand&)) {
  visit_float_type(args.output.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    const auto finish_tile = [&](const Place& at, C* sums) {
      MatmulArgs tile = args;
      tile.output = part_of(args.output, at);
      tile.aux = part_of(args.aux, at, args.aux.dtype == kUInt8);
      finish(tile, matrix_like(tile.output, dtype_of<C>, sums));
    };
    const typename gemm::Matmul<C>::Finish as_reference = finish_tile;
    gemm::Matmul<C>(args, &as_reference).run();
  });
}

}  // namespace amp::inline v0::kernels::host
