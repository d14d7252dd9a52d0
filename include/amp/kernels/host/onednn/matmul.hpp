// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Matmuls through oneDNN: cut into tiles, which amp's threads share. How they are cut depends on
// the sizes only, so that results do not depend on the number of threads.
#pragma once

#include "amp/kernels/host/onednn/call.hpp"

#if AMP_USE_ONEDNN

#include <algorithm>
#include <cstdint>
#include <optional>

#include "amp/core/math.hpp"
#include "amp/device/parallel.hpp"
#include "amp/kernels/host/gemm.hpp"
#include "amp/kernels/signatures.hpp"

namespace amp::inline v0::kernels::host::onednn {

/// c = a @ b (+ bias), or c += a @ b: a [m, k] and b [k, n] of one dtype, c [m, n] of the same or
/// float32, rows of c `c_stride` apart. Element (i, j) of a lies at i * a_stride[0] + j *
/// a_stride[1].
struct Matmul {
  DType dtype, output;
  std::int64_t m, n, k;
  std::int64_t a_stride[2], b_stride[2], c_stride;
  std::optional<DType> bias = {};
  bool accumulate = false;
};

namespace detail {

/// Whether one dimension of a matrix is dense and the other free of overlaps, as oneDNN wants it.
inline bool is_plain(std::int64_t rows, std::int64_t columns, const std::int64_t (&stride)[2]) {
  return (stride[1] == 1 && stride[0] >= columns) || (stride[0] == 1 && stride[1] >= rows);
}

/// Strides of dimensions with one element, which may be anything, as if the matrix was dense.
inline void simplify(Matmul& p) {
  if (p.m == 1) p.a_stride[0] = p.a_stride[1] == 1 ? p.k : 1;
  if (p.k == 1) p.a_stride[1] = p.a_stride[0] == 1 ? p.m : 1;
  if (p.k == 1) p.b_stride[0] = p.b_stride[1] == 1 ? p.n : 1;
  if (p.n == 1) p.b_stride[1] = p.b_stride[0] == 1 ? p.k : 1;
  if (p.m == 1) p.c_stride = p.n;
}

inline Call make_matmul(const Matmul& p) {
  const MemoryDesc a(p.dtype, {p.m, p.k}, {p.a_stride[0], p.a_stride[1]});
  const MemoryDesc b(p.dtype, {p.k, p.n}, {p.b_stride[0], p.b_stride[1]});
  const MemoryDesc c(p.output, {p.m, p.n}, {p.c_stride, 1});
  const MemoryDesc bias = p.bias ? MemoryDesc(*p.bias, {1, p.n}, {p.n, 1}) : MemoryDesc();
  return Call(matmul_desc(a, b, bias, c, attributes(p.accumulate)), {{DNNL_ARG_SRC, a.get()},
                                                                     {DNNL_ARG_WEIGHTS, b.get()},
                                                                     {DNNL_ARG_DST, c.get()},
                                                                     {DNNL_ARG_BIAS, bias.get()}});
}

inline CallKey key_of(const Matmul& p) {
  const auto dtype = [](DType d) { return static_cast<std::int64_t>(d); };
  return {1,
          dtype(p.dtype),
          dtype(p.output),
          p.bias ? dtype(*p.bias) : -1,
          p.accumulate,
          p.m,
          p.n,
          p.k,
          p.a_stride[0],
          p.a_stride[1],
          p.b_stride[0],
          p.b_stride[1],
          p.c_stride};
}

}  // namespace detail

/// Whether oneDNN is to compute this: of a dtype with instructions of its own, not tiny, and of
/// matrices that it reads as they lie.
inline bool takes(const Matmul& p) {
  constexpr std::int64_t kLeast = 16 * 16 * 16;
  return p.m * p.n * p.k >= kLeast && is_native(p.dtype) &&
         detail::is_plain(p.m, p.k, p.a_stride) && detail::is_plain(p.k, p.n, p.b_stride) &&
         p.c_stride >= p.n;
}

/// On the calling thread alone. False, with nothing written, if oneDNN has no such matmul.
inline bool run(const Matmul& p, const void* a, const void* b, void* c,
                const void* bias = nullptr) {
  const OnThisThread guard;
  Calls& calls = Calls::of_this_thread();
  const Call& call = calls.get(detail::key_of(p), [&] { return detail::make_matmul(p); });
  if (!call) return false;
  if (p.bias) {
    call.run(calls.stream(), {a, b, c, bias});
  } else {
    call.run(calls.stream(), {a, b, c});
  }
  return true;
}

/// The tiles of a matmul: near 256 x 512, smaller if there were fewer than eight of them and their
/// work allows it.
struct Tiles {
  std::int64_t rows, columns, down, across;

  explicit Tiles(const Matmul& p) {
    const std::int64_t least = p.dtype == kFloat32 ? std::int64_t{1} << 20 : std::int64_t{1} << 22;
    down = ceil_div(p.m, 256);
    across = ceil_div(p.n, 512);
    const auto height = [&] { return ceil_div(p.m, down); };
    const auto width = [&] { return ceil_div(p.n, across); };
    while (down * across < 8 && height() * width() * p.k >= 2 * least) {
      if (height() >= width() && height() >= 64) {
        ++down;
      } else if (width() >= 64) {
        ++across;
      } else {
        break;
      }
    }
    rows = (std::min)(p.m, round_up(height(), 32));
    columns = (std::min)(p.n, round_up(width(), 32));
    down = ceil_div(p.m, rows);
    across = ceil_div(p.n, columns);
  }
};

/// For each of `batches` matmuls, whose operands lie `a_step`, `b_step` and `c_step` elements
/// apart, on all threads. False, with nothing written, if oneDNN has no such matmul.
inline bool run_on_all_threads(const Matmul& p, std::int64_t batches, const void* a,
                               std::int64_t a_step, const void* b, std::int64_t b_step, void* c,
                               std::int64_t c_step, const void* bias = nullptr) {
  const Tiles tiles(p);
  const auto size_of_tile = [&](std::int64_t i, std::int64_t j) {
    Matmul tile = p;
    tile.m = (std::min)(tiles.rows, p.m - i * tiles.rows);
    tile.n = (std::min)(tiles.columns, p.n - j * tiles.columns);
    return tile;
  };
  {  // oneDNN either has all shapes of tiles, or the matmul is computed in another way
    const OnThisThread guard;
    Calls& calls = Calls::of_this_thread();
    for (const std::int64_t i : {std::int64_t{0}, tiles.down - 1}) {
      for (const std::int64_t j : {std::int64_t{0}, tiles.across - 1}) {
        const Matmul tile = size_of_tile(i, j);
        if (!calls.get(detail::key_of(tile), [&] { return detail::make_matmul(tile); }))
          return false;
      }
    }
  }
  const auto at = [](const void* data, std::int64_t offset, DType dtype) {
    return static_cast<const char*>(data) + offset * item_size(dtype);
  };
  const std::int64_t each = tiles.down * tiles.across;
  const std::int64_t work = (std::max)(p.m * p.n * p.k / each, std::int64_t{1});
  parallel_ranges(batches * each, ceil_div(std::int64_t{1} << 17, work),
                  [&](std::int64_t begin, std::int64_t end) {
                    for (std::int64_t index = begin; index < end; ++index) {
                      const std::int64_t batch = index / each, i = index % each / tiles.across,
                                         j = index % each % tiles.across;
                      const std::int64_t row = i * tiles.rows, column = j * tiles.columns;
                      const void* const tile_c =
                          at(c, batch * c_step + row * p.c_stride + column, p.output);
                      const bool done = run(
                          size_of_tile(i, j), at(a, batch * a_step + row * p.a_stride[0], p.dtype),
                          at(b, batch * b_step + column * p.b_stride[1], p.dtype),
                          const_cast<void*>(tile_c), p.bias ? at(bias, column, *p.bias) : nullptr);
                      AMP_CHECK(done, "oneDNN: a matmul that it had is missing");
                    }
                  });
  return true;
}

/// The matmul of the arguments without its epilogue and sums. False, with nothing written, if this
/// is none for oneDNN.
inline bool matmul(const MatmulArgs& args) {
  Matmul p{.dtype = args.a.dtype,
           .output = args.output.dtype,
           .m = args.output.sizes[1],
           .n = args.output.sizes[2],
           .k = args.a.sizes[2],
           .a_stride = {args.a.strides[1], args.a.strides[2]},
           .b_stride = {args.b.strides[1], args.b.strides[2]},
           .c_stride = args.output.strides[1]};
  detail::simplify(p);
  const bool plain = args.b.dtype == p.dtype && (p.output == p.dtype || p.output == kFloat32) &&
                     (p.n == 1 || args.output.strides[2] == 1);
  if (!plain || !takes(p)) return false;
  if (args.bias.present) {
    if (args.bias.dtype != p.dtype || (p.n > 1 && args.bias.strides[0] != 1)) return false;
    p.bias = args.bias.dtype;
  }
  return run_on_all_threads(p, args.output.sizes[0], args.a.data, args.a.strides[0], args.b.data,
                            args.b.strides[0], args.output.data, args.output.strides[0],
                            args.bias.data);
}

/// c [m, n] = a @ b, dense, in float32
inline bool multiply(std::int64_t m, std::int64_t n, std::int64_t k, const Matrix<float>& a,
                     const Matrix<float>& b, float* c) {
  Matmul p{.dtype = kFloat32,
           .output = kFloat32,
           .m = m,
           .n = n,
           .k = k,
           .a_stride = {a.row_stride, a.column_stride},
           .b_stride = {b.row_stride, b.column_stride},
           .c_stride = n};
  detail::simplify(p);
  return takes(p) && run_on_all_threads(p, 1, a.data, 0, b.data, 0, c, 0);
}

}  // namespace amp::inline v0::kernels::host::onednn

#endif
