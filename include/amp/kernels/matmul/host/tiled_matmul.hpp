// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Matmuls through oneDNN on all threads: cut into tiles that amp's threads share. The cuts depend
// on the sizes only, so results do not depend on the number of threads.
#pragma once

#include "amp/kernels/matmul/host/pack.hpp"

#if AMP_USE_ONEDNN

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "amp/core/function_ref.hpp"
#include "amp/core/math.hpp"
#include "amp/core/simd/isa.hpp"
#include "amp/device/host_memory.hpp"
#include "amp/device/parallel.hpp"
#include "amp/kernels/elementwise/host.hpp"
#include "amp/kernels/matmul/args.hpp"
#include "amp/kernels/matmul/epilogue.hpp"
#include "amp/kernels/matmul/host/gemm_matmul.hpp"
#include "amp/kernels/traversal/host/block.hpp"

namespace amp::inline v0::kernels::host::onednn {

/// The tiles of a matmul: whole rows of c, which oneDNN computes fastest, in an even number if
/// possible, and enough of them that a call's cost is small beside its work, as far as they stay in
/// the caches. If there are few rows and much work, columns are cut as well, for up to four tiles.
/// The sizes are measured.
struct Tiles {
  std::int64_t rows, columns, down, across;

  [[gnu::noinline]] Tiles(const Matmul& p, std::int64_t batches, bool can_pack) {
    const bool wide = p.dtype == kFloat32, transposed = p.a_stride[0] == 1 && p.a_stride[1] > 1;
    const bool packs = can_pack && (wide || p.m > 512);
    const std::int64_t usual = !packs ? 256 : wide || transposed ? 192 : 128;
    const std::int64_t worth_a_call = (std::int64_t{1} << 21) / (p.n * p.k);     // multiplications
    const std::int64_t cached = (std::int64_t{1} << 16) / (std::max)(p.n, p.k);  // of a and of c
    const std::int64_t best = (std::max)(usual, (std::min)(worth_a_call, cached));
    const std::int64_t height = (std::min)(best, (std::max)(p.m / 2, std::int64_t{64}));
    const std::int64_t much = std::int64_t{1} << (wide ? 24 : 27);  // multiplications in a tile
    down = (std::max)(std::int64_t{1}, (p.m + height / 2) / height);
    if (down > 1 && batches == 1) down = round_up(down, 2);
    rows = (std::min)(p.m, round_up(ceil_div(p.m, down), 16));
    down = ceil_div(p.m, rows);
    across = (std::clamp)(rows * p.n * p.k / much, std::int64_t{1}, ceil_div(4, batches * down));
    columns = (std::min)(p.n, round_up(ceil_div(p.n, across), 64));
    across = ceil_div(p.n, columns);
  }
};

/// Whether amp's own loops (gemm_matmul.hpp) are faster, because they pack b once: without AVX-512,
/// oneDNN packs it in each call, hence again for each tile, and slowly if an operand lies
/// transposed. The sizes are measured.
inline bool leaves_to_gemm(const Matmul& p) {
  const bool plain = p.a_stride[1] == 1 && p.b_stride[1] == 1;
  const bool large =
      plain ? p.m >= 768 && p.n >= 512 && p.k >= 256 : p.m >= 384 && p.n >= 128 && p.k >= 128;
  return p.dtype == kFloat32 && large &&
         amp::detail::instruction_set() >= amp::detail::InstructionSet::kAvx2 &&
         !has_instructions(dnnl_cpu_isa_avx512_core);
}

/// A matmul cut into tiles, for which b is packed once if that pays. If the operands have another
/// dtype than the one it multiplies in, they are widened to float32: a with each tile, b when it is
/// packed.
class TiledMatmul {
 public:
  /// With `apart`, each tile is written to its own dense memory, and c_stride has no meaning. Tiles
  /// with only some of the columns are always written so: oneDNN's fastest code writes dense rows
  /// only.
  TiledMatmul(const Matmul& whole, std::int64_t batches, DType source, bool apart)
      : whole_(whole),
        source_(source),
        tiles_(whole, batches, batches == 1),
        apart_(apart || tiles_.across > 1) {
    const bool many_rows = whole.dtype == kFloat32 ? whole.m >= 256 : tiles_.down > 2;
    if (batches > 1 || !(many_rows || widens())) return;
    block_ = common_block();
    whole_.packed = block_ != 0;
    if (whole_.packed) return;
    tiles_ = Tiles(whole, batches, false);
    apart_ = apart || tiles_.across > 1;
  }

  /// Whether oneDNN supports all shapes of tiles, and b can be widened.
  explicit operator bool() const {
    return (packs() || !widens()) &&
           all_of_corners([](const Matmul& p) { return static_cast<bool>(call_of(p)); });
  }
  std::int64_t count() const { return tiles_.down * tiles_.across; }
  std::int64_t work_of_tile() const { return whole_.m * whole_.n * whole_.k / count(); }
  bool apart() const { return apart_; }

  bool packs() const { return whole_.packed; }
  std::int64_t packed_bytes() const { return packs() ? blocks().bytes() : 0; }
  void pack(const void* b, std::byte* packed) const { blocks().pack(b, packed); }

  Place place(std::int64_t index) const {
    const std::int64_t i = index / tiles_.across, j = index % tiles_.across;
    const Matmul p = tile(i, j);
    return {i * tiles_.rows, j * tiles_.columns, p.m, p.n};
  }
  /// Writes the tile to `c`. `b` must be packed if packs().
  void run_tile(std::int64_t index, const void* a, const void* b, const void* bias, void* c) const {
    const std::int64_t i = index / tiles_.across, j = index % tiles_.across;
    const std::int64_t row = i * tiles_.rows, column = j * tiles_.columns;
    const Matmul p = tile(i, j);
    const void* const of_a = at(a, row * whole_.a_stride[0], source_);
    const void* const of_b = packs() ? static_cast<const std::byte*>(b) + blocks().offset(column)
                                     : at(b, column * whole_.b_stride[1], source_);
    const HostBuffer<float> wide(widens() ? p.m * p.k : 0);
    if (widens()) widen(of_a, p, wide.data());
    const bool done = run(p, widens() ? wide.data() : of_a, of_b, c,
                          whole_.bias ? at(bias, column, *whole_.bias) : nullptr);
    AMP_CHECK(done, "oneDNN: a matmul that it had is missing");
  }

  static const void* at(const void* data, std::int64_t offset, DType dtype) {
    return static_cast<const char*>(data) + offset * item_size(dtype);
  }

 private:
  bool widens() const { return source_ != whole_.dtype; }
  /// Whether a is stored column by column.
  bool has_columns() const { return whole_.a_stride[1] != 1; }
  void widen(const void* a, const Matmul& p, float* wide) const {
    const std::int64_t lines = has_columns() ? p.k : p.m, length = has_columns() ? p.m : p.k;
    const std::int64_t stride = whole_.a_stride[has_columns() ? 1 : 0];
    for (std::int64_t line = 0; line < lines; ++line)
      fetch(at(a, line * stride, source_), source_, length, wide + line * length);
  }

  [[gnu::noinline]] Matmul tile(std::int64_t i, std::int64_t j) const {
    Matmul tile = whole_;
    tile.m = (std::min)(tiles_.rows, whole_.m - i * tiles_.rows);
    tile.n = (std::min)(tiles_.columns, whole_.n - j * tiles_.columns);
    if (apart_) tile.c_stride = tile.n;
    if (widens()) {
      tile.a_stride[0] = has_columns() ? 1 : tile.k;
      tile.a_stride[1] = has_columns() ? tile.m : 1;
    }
    return tile;
  }
  /// Whether all shapes of tiles have a property.
  [[gnu::noinline]] bool all_of_corners(FunctionRef<bool(const Matmul&)> property) const {
    for (const std::int64_t i : {std::int64_t{0}, tiles_.down - 1}) {
      for (const std::int64_t j : {std::int64_t{0}, tiles_.across - 1}) {
        if (!property(tile(i, j))) return false;
      }
    }
    return true;
  }
  static const Call& call_of(const Matmul& p) {
    const OnThisThread guard;
    return Calls::of_this_thread().get(detail::key_of(p), [&] { return detail::make_matmul(p); });
  }
  /// Returns the width of the blocks of columns that all tiles read, or 0.
  std::int64_t common_block() const {
    std::int64_t block = 0;
    const bool common = all_of_corners([&](const Matmul& of_corner) {
      Matmul p = of_corner;
      p.packed = true;
      const Call& call = call_of(p);
      const std::int64_t of_tile =
          call ? ColumnBlocks::columns_of(p, call.expects(dnnl_query_weights_md)) : 0;
      if (block == 0) block = of_tile;
      return of_tile != 0 && of_tile == block;
    });
    return common && (tiles_.across == 1 || tiles_.columns % block == 0) ? block : 0;
  }
  ColumnBlocks blocks() const { return {whole_, block_, source_}; }

  Matmul whole_;
  DType source_;
  Tiles tiles_;
  bool apart_;
  std::int64_t block_ = 0;
};

/// The operands of a batch of matmuls, `a_step` and `b_step` elements apart. `dtype` is that of a
/// and b.
struct Sources {
  DType dtype;
  const void* a;
  std::int64_t a_step;
  const void* b;
  std::int64_t b_step;
  const void* bias = nullptr;
};

/// Calls body(batch, place, compute) for each tile of `batches` matmuls, on all threads; compute(c)
/// writes the tile to c. Returns false, with nothing done, if oneDNN has no such matmul.
using TileBody =
    FunctionRef<void(std::int64_t batch, const Place& place, FunctionRef<void(void* c)> compute)>;
inline bool for_each_tile(const TiledMatmul& tiled, std::int64_t batches, const Sources& from,
                          TileBody body) {
  if (!tiled) return false;
  const HostBuffer<std::byte> packed(tiled.packed_bytes());
  if (tiled.packs()) tiled.pack(from.b, packed.data());
  const std::int64_t work = (std::max)(tiled.work_of_tile(), std::int64_t{1});
  parallel_ranges(
      batches * tiled.count(), ceil_div(std::int64_t{1} << 17, work),
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t index = begin; index < end; ++index) {
          const std::int64_t batch = index / tiled.count(), tile = index % tiled.count();
          const void* const a = TiledMatmul::at(from.a, batch * from.a_step, from.dtype);
          const void* const b = tiled.packs()
                                    ? static_cast<const void*>(packed.data())
                                    : TiledMatmul::at(from.b, batch * from.b_step, from.dtype);
          body(batch, tiled.place(tile),
               [&](void* c) { tiled.run_tile(tile, a, b, from.bias, c); });
        }
      });
  return true;
}

/// Computes matrices of c_dtype, `c_step` elements apart.
inline bool run_on_all_threads(const Matmul& p, std::int64_t batches, const Sources& from, void* c,
                               std::int64_t c_step, DType c_dtype) {
  const bool rounds = c_dtype != p.output;
  const TiledMatmul tiled(p, batches, from.dtype, rounds);
  const std::int64_t size = item_size(p.output), c_size = item_size(c_dtype);
  return for_each_tile(tiled, batches, from,
                       [&](std::int64_t batch, const Place& at, FunctionRef<void(void*)> compute) {
                         auto* const to =
                             static_cast<std::byte*>(c) +
                             (batch * c_step + at.row * p.c_stride + at.column) * c_size;
                         if (!tiled.apart()) return compute(to);
                         const HostBuffer<std::byte> rows(at.rows * at.columns * size);
                         compute(rows.data());
                         for (std::int64_t i = 0; i < at.rows; ++i) {
                           const std::byte* const row = rows.data() + i * at.columns * size;
                           std::byte* const c_row = to + i * p.c_stride * c_size;
                           if (rounds) {
                             store(reinterpret_cast<const float*>(row), c_row, c_dtype, at.columns);
                           } else {
                             std::memcpy(c_row, row, static_cast<std::size_t>(at.columns * size));
                           }
                         }
                       });
}

namespace detail {

/// Whether a copy of `a` pays if it lies transposed, as in gradients of weights. oneDNN transposes
/// it part by part, which is slow for short sums in 16 bits, and for float32 if the parts, so many
/// bytes apart, share few sets of the caches. (Measured.)
inline bool is_worth_turning(const Matmul& p) {
  const bool transposed = p.a_stride[0] == 1 && p.a_stride[1] > 1 && p.m > 1;
  const bool is_slow =
      p.dtype == kFloat32 ? p.a_stride[1] * item_size(p.dtype) % 2048 == 0 : p.k <= 512;
  return transposed && p.n >= 128 && is_slow;
}

/// Returns the matmul of the arguments, without its bias, epilogue and sums. 16-bit formats that
/// the processor cannot multiply directly are multiplied in float32.
inline Matmul problem_of(const MatmulArgs& args, bool widens) {
  Matmul p{.dtype = widens ? kFloat32 : args.a.dtype,
           .output = widens ? kFloat32 : args.output.dtype,
           .m = args.output.sizes[1],
           .n = args.output.sizes[2],
           .k = args.a.sizes[2],
           .a_stride = {args.a.strides[1], args.a.strides[2]},
           .b_stride = {args.b.strides[1], args.b.strides[2]},
           .c_stride = args.output.strides[1]};
  simplify(p);
  return p;
}
/// Whether oneDNN can read the operands and write the output in place.
inline bool takes_operands(const Matmul& p, const MatmulArgs& args) {
  const DType source = args.a.dtype;
  const Operand &bias = args.bias, &output = args.output;
  if (args.b.dtype != source) return false;
  if (output.dtype != source && output.dtype != kFloat32) return false;
  if (p.n > 1 && output.strides[2] != 1) return false;
  return !bias.present || (bias.dtype == source && (p.n == 1 || bias.strides[0] == 1));
}

/// Calls run(p, sources) for the matmul of the arguments without its epilogue and sums. Returns
/// false, with nothing written, if oneDNN cannot compute it.
inline bool with_operands(const MatmulArgs& args,
                          FunctionRef<bool(const Matmul&, const Sources&)> run) {
  const DType source = args.a.dtype;
  const bool widens = (source == kBFloat16 || source == kFloat16) && !is_native(source);
  const bool one = args.output.sizes[0] == 1;
  Matmul p = problem_of(args, widens);
  if (!takes_operands(p, args) || !takes(p) || (widens && !one) || leaves_to_gemm(p)) return false;
  const Session session;
  if (!session) return false;
  const void* bias = args.bias.data;
  const HostBuffer<float> wide(widens && args.bias.present ? p.n : 0);
  if (args.bias.present) {
    p.bias = p.dtype;
    if (widens) bias = fetch(bias, source, p.n, wide.data());
  }
  const bool turns = one && !widens && is_worth_turning(p);
  const HostBuffer<std::byte> turned(turns ? p.m * p.k * item_size(p.dtype) : 0);
  Operand a = args.a;
  if (turns) {
    a.data = turned.data();
    a.strides[1] = p.a_stride[0] = p.k;
    a.strides[2] = p.a_stride[1] = 1;
    copy({args.a, a});
  }
  return run(p, Sources{source, a.data, a.strides[0], args.b.data, args.b.strides[0], bias});
}

}  // namespace detail

/// Computes the matmul of the arguments without its epilogue and sums. Returns false, with nothing
/// written, if oneDNN cannot.
inline bool matmul(const MatmulArgs& args) {
  return detail::with_operands(args, [&](const Matmul& p, const Sources& from) {
    return run_on_all_threads(p, args.output.sizes[0], from, args.output.data,
                              args.output.strides[0], args.output.dtype);
  });
}

/// Multiplies one matrix, and calls finish(tile, h) for each tile: h is its part of a @ b + bias,
/// dense, in float32. `tile` holds its part of the output and of aux; everything else is that of
/// the whole matrix. Returns false, with nothing written, if oneDNN cannot compute it.
template <class Finish>
bool matmul_in_tiles(const MatmulArgs& args, const Finish& finish) {
  return detail::with_operands(args, [&](const Matmul& whole, const Sources& from) {
    Matmul p = whole;
    p.output = kFloat32;
    return for_each_tile(TiledMatmul(p, 1, from.dtype, true), 1, from,
                         [&](std::int64_t, const Place& at, FunctionRef<void(void*)> compute) {
                           const HostBuffer<float> h(at.rows * at.columns);
                           compute(h.data());
                           MatmulArgs tile = args;
                           tile.output = part_of(args.output, at);
                           tile.aux = part_of(args.aux, at, args.aux.dtype == kUInt8);
                           finish(tile, matrix_like(tile.output, kFloat32, h.data()));
                         });
  });
}

}  // namespace amp::inline v0::kernels::host::onednn

#endif
