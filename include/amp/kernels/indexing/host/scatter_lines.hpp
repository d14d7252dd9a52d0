// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Scattering along the lines of an array, which are independent of each other: one after the other,
// or several that lie side by side. A few long lines are divided by places: then each thread reads
// all indices of a line, and takes those of its share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "amp/device/host_memory.hpp"
#include "amp/kernels/indexing/host/indices.hpp"
#include "amp/kernels/traversal/host/loop.hpp"

namespace amp::inline v0::kernels::host::detail {

/// Sets all bytes of a dense array to 0.
inline void set_zero(const Operand& array) {
  const std::int64_t bytes = array.numel() * item_size(array.dtype);
  parallel_ranges(bytes, 64 * kBlock, [&](std::int64_t begin, std::int64_t end) {
    std::memset(array.as<char>() + begin, 0, static_cast<std::size_t>(end - begin));
  });
}

/// Whether there are indices for every line of the output.
inline bool has_all_lines(const ScatterArgs& args) {
  for (int d = 0; d < args.output.dims; ++d) {
    if (d != args.dim && args.index.sizes[d] != args.output.sizes[d]) return false;
  }
  return true;
}

/// What joins nothing: the first element that comes takes its place.
template <class C>
C neutral(ScatterOp op) {
  using Limits = std::numeric_limits<C>;
  constexpr C kHighest = Limits::has_infinity ? Limits::infinity() : (Limits::max)();
  constexpr C kLowest = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  switch (op) {
    case ScatterOp::kProd:
      return C{1};
    case ScatterOp::kAmax:
      return kLowest;
    case ScatterOp::kAmin:
      return kHighest;
    default:
      return C{0};
  }
}

/// The places [first, last) of some lines, which lie side by side: element `place` of line i is
/// sums[(place - first) * step + i * column].
template <class C>
struct Places {
  C* sums;
  std::int64_t first, last, step, column;
};

/// Joins n elements with what is at their places; of line 0, or of a line each. Those of other
/// places are left out. Returns whether all indices are in [0, length).
template <class Function, class C>
bool join_elements(const Places<C>& places, const std::int64_t* index, const C* x, std::int64_t n,
                   std::int64_t length, bool from_end) {
  const bool all = places.first == 0 && places.last == length;
  C elsewhere{};  // without a branch, which would be foreseen as often as not
  AMP_NO_UNROLL
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t place = place_of(index[i], length, from_end);
    if (place < 0) return false;
    C* to = places.sums + (place - places.first) * places.step + i * places.column;
    if (!all) to = place >= places.first && place < places.last ? to : &elsewhere;
    *to = Function::apply(*to, x[i]);
  }
  return true;
}

/// Some lines of a call, from the first one's offsets in the output, the index and the source on.
template <class C>
struct ScatterBlock {
  const ScatterArgs& args;
  const std::int64_t* at;
  std::int64_t lines, column, index_column, source_column;  // how far apart lines lie

  /// Joins what comes with what is in memory, or with numbers that `all` stands for.
  template <class Function>
  bool join(const Places<C>& places, const Operand& source) const {
    const std::int64_t count = args.index.sizes[args.dim], length = args.output.sizes[args.dim],
                       index_step = args.index.strides[args.dim],
                       source_step = args.source.strides[args.dim];
    std::int64_t indices[kBlock];
    C elements[kBlock];
    const auto some = [&](std::int64_t first, std::int64_t n, std::int64_t index_stride,
                          std::int64_t source_stride) {
      const std::int64_t* const index =
          fetch(args.index, at[1] + first * index_step, index_stride, n, indices);
      const C* const x = fetch(source, at[2] + first * source_step, source_stride, n, elements);
      return join_elements<Function>(places, index, x, n, length, args.rule.from_end);
    };
    bool in_range = true;
    if (lines == 1) {
      for (std::int64_t i = 0; i < count && in_range; i += kBlock)
        in_range = some(i, (std::min)(kBlock, count - i), index_step, source_step);
    } else {
      for (std::int64_t i = 0; i < count && in_range; ++i)
        in_range = some(i, lines, index_column, source_column);
    }
    return in_range;
  }

  /// Scatters to the places [first, last).
  void run(std::int64_t first, std::int64_t last) const {
    const Operand& output = args.output;
    const std::int64_t step = output.strides[args.dim];
    const bool direct = output.dtype == dtype_of<C>;
    // A row of the buffer is one place of all lines.
    const HostBuffer<C> buffer(direct ? 0 : (last - first) * lines);
    const auto for_rows = [&](const auto& body) {
      if (lines == 1) return body(at[0] + first * step, step, last - first, buffer.data());
      for (std::int64_t place = first; place < last; ++place)
        body(at[0] + place * step, column, lines,
             direct ? nullptr : buffer.data() + (place - first) * lines);
    };
    Places<C> places{buffer.data(), first, last, lines, lines == 1 ? 0 : 1};
    if (direct) {
      places = {output.as<C>() + at[0] + first * step, first, last, step, lines == 1 ? 0 : column};
    }
    if (args.from_zero) {
      for_rows([&](std::int64_t offset, std::int64_t stride, std::int64_t n, C* row) {
        if (!direct) return static_cast<void>(std::fill_n(row, n, C{0}));
        C* const to = output.as<C>() + offset;
        for (std::int64_t i = 0; i < n; ++i) to[i * stride] = C{0};
      });
    } else if (!direct) {
      for_rows([&](std::int64_t offset, std::int64_t stride, std::int64_t n, C* row) {
        const C* const x = fetch(output, offset, stride, n, row);
        if (x != row) std::copy_n(x, n, row);
      });
    }
    bool in_range = true;
    if (!args.include_self) {
      Operand number = Operand::scalar(0, {});
      number.dtype = dtype_of<C>;
      if constexpr (std::is_integral_v<C>) {
        number.integer = neutral<C>(args.op);
      } else {
        number.value = static_cast<double>(neutral<C>(args.op));
      }
      in_range = join<Replace>(places, number);
    }
    if (in_range) {
      visit_scatter(args.op, [&](auto function) {
        in_range = join<decltype(function)>(places, args.source);
      });
    }
    if (!in_range) refuse_index(args.rule, args.index, output.sizes[args.dim]);
    if (!direct) {
      for_rows([&](std::int64_t offset, std::int64_t stride, std::int64_t n, C* row) {
        store(row, output, offset, stride, n);
      });
    }
  }
};

template <class C>
[[gnu::noinline]] void scatter_lines(const ScatterArgs& args) {
  Operand lines = without_dim(args.index, args.index, args.dim);
  const Operand output = without_dim(args.output, args.index, args.dim),
                source = without_dim(args.source, args.index, args.dim);
  auto loop = Loop<3>::over(lines, {&output, &lines, &source});
  const std::int64_t length = args.output.sizes[args.dim], count = args.index.sizes[args.dim];
  // Lines whose elements lie side by side are processed together, as many as the cache holds.
  constexpr std::int64_t kInCache = std::int64_t{1} << 17, kFewest = 16, kMost = 256;
  const bool beside = loop.inner_stride(0) < args.output.strides[args.dim] && length > 1;
  const bool direct = args.output.dtype == dtype_of<C>;
  loop.block = !beside ? 1 : direct ? kMost : std::clamp(kInCache / length, kFewest, kMost);
  if (beside && loop.inner_size() > kFewest)  // so that each thread has lines
    loop.block =
        std::clamp(ceil_div(lines.numel(), std::int64_t{num_threads()}), kFewest, loop.block);
  const auto block = [&](const std::int64_t* at, std::int64_t n) {
    return ScatterBlock<C>{
        args, at, n, loop.inner_stride(0), loop.inner_stride(1), loop.inner_stride(2)};
  };
  const std::int64_t blocks = loop.blocks(), threads = num_threads();
  const std::int64_t work = count + (direct ? 0 : length);
  const std::int64_t shares =
      blocks >= 2 * threads || work < 16 * kBlock ? 1 : (std::min)(length, threads);
  if (shares == 1) {
    const std::int64_t per_block = work * (std::min)(loop.block, loop.inner_size());
    return parallel_ranges(
        blocks, ceil_div(16 * kBlock, per_block), [&](std::int64_t begin, std::int64_t end) {
          loop.run(begin, end,
                   [&](const std::int64_t* at, std::int64_t n) { block(at, n).run(0, length); });
        });
  }
  parallel_for(blocks * shares, [&](std::int64_t task) {
    const std::int64_t share = task % shares;
    loop.run(task / shares, task / shares + 1, [&](const std::int64_t* at, std::int64_t n) {
      block(at, n).run(length * share / shares, length * (share + 1) / shares);
    });
  });
}

}  // namespace amp::inline v0::kernels::host::detail
