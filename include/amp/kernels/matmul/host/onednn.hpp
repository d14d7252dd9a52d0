// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Matmuls through oneDNN, which reads and writes the matrices where they lie: a block on one
// thread, or tiles that amp's threads share.
#pragma once

#include "amp/kernels/onednn/call.hpp"

#if AMP_USE_ONEDNN

#include <algorithm>
#include <cstdint>
#include <optional>

#include "amp/core/error.hpp"
#include "amp/core/math.hpp"
#include "amp/device/host_memory.hpp"
#include "amp/device/parallel.hpp"
#include "amp/kernels/matmul/args.hpp"
#include "amp/kernels/matmul/epilogue.hpp"
#include "amp/kernels/matmul/host/gemm_matmul.hpp"
#include "amp/kernels/traversal/host/block.hpp"

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

/// Whether rows or columns are dense.
inline bool is_plain(std::int64_t rows, std::int64_t columns, const std::int64_t (&stride)[2]) {
  return (stride[1] == 1 && stride[0] >= columns) || (stride[0] == 1 && stride[1] >= rows);
}

/// Replaces strides that do not matter.
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
  const PrimitiveDesc desc = matmul_desc(a, b, bias, c, attributes(p.accumulate));
  if (desc == nullptr) return {};
  return Call(desc, {{DNNL_ARG_SRC, a.get()},
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

inline const Call& call_of(const Matmul& p) {
  const OnThisThread guard;
  return Calls::of_this_thread().get(key_of(p), [&] { return make_matmul(p); });
}

}  // namespace detail

/// Whether oneDNN is at least as fast as amp's own engine: for operands that need not be copied, of
/// a dtype that it multiplies directly, with AVX-512. (Without, it packs b in each call, and
/// slowly.)
inline bool takes(const Matmul& p) {
  constexpr std::int64_t kLeast = 16 * 16 * 16;  // multiplications that are worth a call
  return p.m * p.n * p.k >= kLeast && has_instructions(dnnl_cpu_isa_avx512_core) &&
         is_native(p.dtype) && detail::is_plain(p.m, p.k, p.a_stride) &&
         detail::is_plain(p.k, p.n, p.b_stride) && p.c_stride >= p.n;
}

/// Computes it on this thread, within a session. Returns false, with nothing written, if oneDNN has
/// no such matmul.
inline bool run(const Matmul& p, const void* a, const void* b, void* c,
                const void* bias = nullptr) {
  const Call& call = detail::call_of(p);
  if (!call) return false;
  const OnThisThread guard;
  call.run(Calls::of_this_thread().stream(), {a, b, c, bias});
  return true;
}

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

namespace detail {

/// Returns the matmul of the arguments, without its epilogue and sums.
inline Matmul matmul_of(const MatmulArgs& args, DType output) {
  Matmul p{.dtype = args.a.dtype,
           .output = output,
           .m = args.output.sizes[1],
           .n = args.output.sizes[2],
           .k = args.a.sizes[2],
           .a_stride = {args.a.strides[1], args.a.strides[2]},
           .b_stride = {args.b.strides[1], args.b.strides[2]},
           .c_stride = args.output.strides[1]};
  if (args.bias.present) p.bias = args.bias.dtype;
  simplify(p);
  return p;
}

/// Whether oneDNN can read the operands and write the output in place, and does so fast: it
/// transposes a part by part, which is slow for short sums in 16 bits (measured).
inline bool takes_operands(const Matmul& p, const MatmulArgs& args) {
  const Operand &bias = args.bias, &output = args.output;
  if (args.b.dtype != p.dtype || (output.dtype != p.dtype && output.dtype != kFloat32))
    return false;
  if (p.n > 1 && output.strides[2] != 1) return false;
  if (bias.present && (bias.dtype != p.dtype || (p.n > 1 && bias.strides[0] != 1))) return false;
  const bool transposed = p.a_stride[0] == 1 && p.a_stride[1] > 1 && p.m > 1;
  return takes(p) && !(transposed && p.dtype != kFloat32 && p.k <= 512);
}

/// The tiles of a matmul: whole rows of c, in an even number if possible, and enough of them that a
/// call's cost is small beside its work, as far as they stay in the caches. If there are few rows
/// and much work, columns are cut as well, for up to four tiles. The sizes are measured. They do
/// not depend on the number of threads, so neither do results.
struct Tiles {
  std::int64_t rows, columns, down, across;

  Tiles(const Matmul& p, std::int64_t batches) {
    const std::int64_t worth_a_call = (std::int64_t{1} << 21) / (p.n * p.k);     // multiplications
    const std::int64_t cached = (std::int64_t{1} << 16) / (std::max)(p.n, p.k);  // of a and of c
    const std::int64_t best = (std::max)(std::int64_t{256}, (std::min)(worth_a_call, cached));
    const std::int64_t height = (std::min)(best, (std::max)(p.m / 2, std::int64_t{64}));
    const std::int64_t much = std::int64_t{1} << (p.dtype == kFloat32 ? 24 : 27);
    down = (std::max)(std::int64_t{1}, (p.m + height / 2) / height);
    if (down > 1 && batches == 1) down = round_up(down, 2);
    rows = (std::min)(p.m, round_up(ceil_div(p.m, down), 16));
    down = ceil_div(p.m, rows);
    across = (std::clamp)(rows * p.n * p.k / much, std::int64_t{1}, ceil_div(4, batches * down));
    columns = (std::min)(p.n, round_up(ceil_div(p.n, across), 64));
    across = ceil_div(p.n, columns);
  }
  std::int64_t count() const { return down * across; }
  Place place(const Matmul& p, std::int64_t index) const {
    const std::int64_t row = index / across * rows, column = index % across * columns;
    return {row, column, (std::min)(rows, p.m - row), (std::min)(columns, p.n - column)};
  }
};

}  // namespace detail

/// Computes a matmul as gemm_matmul() does. Returns false, with nothing written, if oneDNN does
/// not.
inline bool matmul(const MatmulArgs& args,
                   void (*finish)(const MatmulArgs& tile, const Operand& h)) {
  const Matmul whole = detail::matmul_of(args, finish == nullptr ? args.output.dtype : kFloat32);
  if (!detail::takes_operands(whole, args)) return false;
  const Session session;
  if (!session) return false;
  const std::int64_t batches = args.output.sizes[0];
  const detail::Tiles tiles(whole, batches);
  // Narrow tiles of a transposed b take oneDNN longer than amp's engine (measured in float32).
  const bool is_transposed = whole.b_stride[0] == 1 && whole.k > 1;
  if (whole.dtype == kFloat32 && tiles.across > 1 && is_transposed) return false;
  const auto tile_at = [&](const Place& at) {
    Matmul p = whole;
    p.m = at.rows;
    p.n = at.columns;
    if (finish != nullptr) p.c_stride = p.n;
    return p;
  };
  for (const std::int64_t corner :
       {std::int64_t{0}, tiles.across - 1, tiles.count() - tiles.across, tiles.count() - 1}) {
    if (!detail::call_of(tile_at(tiles.place(whole, corner)))) return false;
  }
  const auto compute = [&](std::int64_t index) {
    const std::int64_t batch = index / tiles.count();
    const Place at = tiles.place(whole, index % tiles.count());
    const void* const a = element(args.a, batch * args.a.strides[0] + at.row * whole.a_stride[0]);
    const void* const b =
        element(args.b, batch * args.b.strides[0] + at.column * whole.b_stride[1]);
    const void* const bias = args.bias.present ? element(args.bias, at.column) : nullptr;
    MatmulArgs tile = args;
    tile.output = part_of(args.output, at);
    tile.output.data = const_cast<void*>(element(tile.output, batch * args.output.strides[0]));
    const HostBuffer<float> h(finish == nullptr ? 0 : at.rows * at.columns);
    const bool done = run(tile_at(at), a, b, finish == nullptr ? tile.output.data : h.data(), bias);
    AMP_CHECK(done, "oneDNN: a matmul that it had is missing");
    if (finish == nullptr) return;
    tile.aux = part_of(args.aux, at, args.aux.dtype == kUInt8);
    finish(tile, matrix_like(tile.output, kFloat32, h.data()));
  };
  const std::int64_t work = ceil_div(whole.m * whole.n * whole.k, tiles.count());
  parallel_ranges(batches * tiles.count(), ceil_div(std::int64_t{1} << 17, work),
                  [&](std::int64_t begin, std::int64_t end) {
                    for (std::int64_t index = begin; index < end; ++index) compute(index);
                  });
  return true;
}

}  // namespace amp::inline v0::kernels::host::onednn

#endif
