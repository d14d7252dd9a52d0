// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Matmuls through oneDNN: cut into tiles, which amp's threads share. How they are cut depends on
// the sizes only, so that results do not depend on the number of threads.
#pragma once

#include "amp/kernels/host/onednn/call.hpp"

#if AMP_USE_ONEDNN

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "amp/core/math.hpp"
#include "amp/device/parallel.hpp"
#include "amp/kernels/host/elementwise.hpp"
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
  bool packed = false;  // b lies in the order that oneDNN prefers
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

/// Whether a copy of `a`, which lies transposed as in gradients of weights, pays: oneDNN turns it
/// tile by tile, and slower. (Measured; in bfloat16 its way is as fast for long sums.)
inline bool is_worth_turning(const Matmul& p) {
  const bool transposed = p.a_stride[0] == 1 && p.a_stride[1] > 1 && p.m > 1;
  return transposed && p.n >= 128 && (p.dtype == kFloat32 || p.k <= 512);
}

inline MemoryDesc plain_b(const Matmul& p) {
  return MemoryDesc(p.dtype, {p.k, p.n}, {p.b_stride[0], p.b_stride[1]});
}

inline Call make_matmul(const Matmul& p) {
  const MemoryDesc a(p.dtype, {p.m, p.k}, {p.a_stride[0], p.a_stride[1]});
  const MemoryDesc b = p.packed ? MemoryDesc(p.dtype, {p.k, p.n}, {}) : plain_b(p);
  const MemoryDesc c(p.output, {p.m, p.n}, {p.c_stride, 1});
  const MemoryDesc bias = p.bias ? MemoryDesc(*p.bias, {1, p.n}, {p.n, 1}) : MemoryDesc();
  const PrimitiveDesc desc = matmul_desc(a, b, bias, c, attributes(p.accumulate));
  if (desc == nullptr) return {};
  return Call(desc, {{DNNL_ARG_SRC, a.get()},
                     {DNNL_ARG_WEIGHTS, expected(desc, dnnl_query_weights_md)},
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
          p.packed,
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

/// The tiles of a matmul: near 256 x 512, smaller if there were fewer than four of them and their
/// work allows it.
struct Tiles {
  std::int64_t rows, columns, down, across;

  explicit Tiles(const Matmul& p) {
    const std::int64_t least = p.dtype == kFloat32 ? std::int64_t{1} << 20 : std::int64_t{1} << 22;
    down = ceil_div(p.m, 256);
    across = ceil_div(p.n, 512);
    const auto height = [&] { return ceil_div(p.m, down); };
    const auto width = [&] { return ceil_div(p.n, across); };
    while (down * across < 4 && height() * width() * p.k >= 2 * least) {
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

/// A matmul cut into tiles. Several rows of tiles share each column of b, which is packed for them
/// once.
class TiledMatmul {
 public:
  TiledMatmul(const Matmul& whole, std::int64_t batches) : whole_(whole), tiles_(whole) {
    whole_.packed = batches == 1 && tiles_.down > 2 && can_pack();
  }

  /// Whether oneDNN has all shapes of tiles.
  explicit operator bool() const {
    for (const std::int64_t i : {std::int64_t{0}, tiles_.down - 1}) {
      for (const std::int64_t j : {std::int64_t{0}, tiles_.across - 1}) {
        if (!call_of(tile(i, j))) return false;
      }
    }
    return true;
  }
  std::int64_t count() const { return tiles_.down * tiles_.across; }
  std::int64_t work_of_tile() const { return whole_.m * whole_.n * whole_.k / count(); }
  bool packs() const { return whole_.packed; }
  std::int64_t columns() const { return tiles_.across; }
  /// Of one packed column of tiles.
  std::int64_t packed_bytes() const {
    return round_up(bytes_of(order_of(tile(0, 0))), std::int64_t{64});
  }

  void pack(std::int64_t j, const void* b, void* packed) const {
    const Matmul column = tile(0, j);
    const OnThisThread guard;
    Calls& calls = Calls::of_this_thread();
    const MemoryDesc::Pointer order = order_of(column);
    CallKey key = detail::key_of(column);
    key[0] = 6;  // a reorder
    const Call& call = calls.get(key, [&] {
      const MemoryDesc plain = detail::plain_b(column);
      return Call(reorder_desc(plain.get(), order, attributes()),
                  {{DNNL_ARG_FROM, plain.get()}, {DNNL_ARG_TO, order}});
    });
    AMP_CHECK(call, "oneDNN: it cannot pack a matrix that it multiplies packed");
    call.run(calls.stream(),
             {at(b, j * tiles_.columns * whole_.b_stride[1], whole_.dtype), packed});
  }
  /// Tile `index`; `b` is the whole matrix, or the packed column.
  void run_tile(std::int64_t index, const void* a, const void* b, void* c, const void* bias) const {
    const std::int64_t i = index / tiles_.across, j = index % tiles_.across;
    const std::int64_t row = i * tiles_.rows, column = j * tiles_.columns;
    const void* const of_b = packs() ? b : at(b, column * whole_.b_stride[1], whole_.dtype);
    void* const of_c = const_cast<void*>(at(c, row * whole_.c_stride + column, whole_.output));
    const bool done = run(tile(i, j), at(a, row * whole_.a_stride[0], whole_.dtype), of_b, of_c,
                          whole_.bias ? at(bias, column, *whole_.bias) : nullptr);
    AMP_CHECK(done, "oneDNN: a matmul that it had is missing");
  }

  static const void* at(const void* data, std::int64_t offset, DType dtype) {
    return static_cast<const char*>(data) + offset * item_size(dtype);
  }

 private:
  Matmul tile(std::int64_t i, std::int64_t j) const {
    Matmul tile = whole_;
    tile.m = (std::min)(tiles_.rows, whole_.m - i * tiles_.rows);
    tile.n = (std::min)(tiles_.columns, whole_.n - j * tiles_.columns);
    return tile;
  }
  static const Call& call_of(const Matmul& p) {
    const OnThisThread guard;
    return Calls::of_this_thread().get(detail::key_of(p), [&] { return detail::make_matmul(p); });
  }
  static MemoryDesc::Pointer order_of(const Matmul& p) {
    return call_of(p).expects(dnnl_query_weights_md);
  }
  /// Whether all rows of tiles want a column in one order.
  bool can_pack() const {
    for (const std::int64_t j : {std::int64_t{0}, tiles_.across - 1}) {
      Matmul first = tile(0, j), last = tile(tiles_.down - 1, j);
      first.packed = last.packed = true;
      if (!call_of(first) || !call_of(last) || !do_equal(order_of(first), order_of(last)))
        return false;
    }
    return true;
  }

  Matmul whole_;
  Tiles tiles_;
};

/// For each of `batches` matmuls, whose operands lie `a_step`, `b_step` and `c_step` elements
/// apart, on all threads. False, with nothing written, if oneDNN has no such matmul.
inline bool run_on_all_threads(const Matmul& p, std::int64_t batches, const void* a,
                               std::int64_t a_step, const void* b, std::int64_t b_step, void* c,
                               std::int64_t c_step, const void* bias = nullptr) {
  const TiledMatmul tiled(p, batches);
  if (!tiled) return false;
  const std::int64_t column_bytes = tiled.packs() ? tiled.packed_bytes() : 0;
  const HostBuffer<std::byte> packed(column_bytes * tiled.columns());
  if (tiled.packs()) {
    parallel_for(tiled.columns(),
                 [&](std::int64_t j) { tiled.pack(j, b, packed.data() + j * column_bytes); });
  }
  const std::int64_t work = (std::max)(tiled.work_of_tile(), std::int64_t{1});
  parallel_ranges(
      batches * tiled.count(), ceil_div(std::int64_t{1} << 17, work),
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t index = begin; index < end; ++index) {
          const std::int64_t batch = index / tiled.count(), tile = index % tiled.count();
          const void* const of_b =
              tiled.packs()
                  ? static_cast<const void*>(packed.data() + tile % tiled.columns() * column_bytes)
                  : TiledMatmul::at(b, batch * b_step, p.dtype);
          tiled.run_tile(tile, TiledMatmul::at(a, batch * a_step, p.dtype), of_b,
                         const_cast<void*>(TiledMatmul::at(c, batch * c_step, p.output)), bias);
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
  const bool turns = args.output.sizes[0] == 1 && detail::is_worth_turning(p);
  const HostBuffer<std::byte> turned(turns ? p.m * p.k * item_size(p.dtype) : 0);
  Operand a = args.a;
  if (turns) {
    a.data = turned.data();
    a.strides[1] = p.a_stride[0] = p.k;
    a.strides[2] = p.a_stride[1] = 1;
    copy({args.a, a});
  }
  return run_on_all_threads(p, args.output.sizes[0], a.data, a.strides[0], args.b.data,
                            args.b.strides[0], args.output.data, args.output.strides[0],
                            args.bias.data);
}

/// The matmul of two matrices of T, with float32 results.
template <class T>
Matmul matmul_of(std::int64_t m, std::int64_t n, std::int64_t k, const Matrix<T>& a,
                 const Matrix<T>& b, std::int64_t c_stride, bool accumulate = false) {
  Matmul p{.dtype = dtype_of<T>,
           .output = kFloat32,
           .m = m,
           .n = n,
           .k = k,
           .a_stride = {a.row_stride, a.column_stride},
           .b_stride = {b.row_stride, b.column_stride},
           .c_stride = c_stride,
           .accumulate = accumulate};
  detail::simplify(p);
  return p;
}

/// c [m, n] = a @ b, dense, in float32
inline bool multiply(std::int64_t m, std::int64_t n, std::int64_t k, const Matrix<float>& a,
                     const Matrix<float>& b, float* c) {
  const Matmul p = matmul_of(m, n, k, a, b, n);
  return takes(p) && run_on_all_threads(p, 1, a.data, 0, b.data, 0, c, 0);
}

}  // namespace amp::inline v0::kernels::host::onednn

#endif
