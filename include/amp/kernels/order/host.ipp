// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "amp/core/atomic.hpp"
#include "amp/core/math.hpp"
#include "amp/device/host_memory.hpp"
#include "amp/device/parallel.hpp"
#include "amp/kernels/compute_type.hpp"
#include "amp/kernels/order/formula.hpp"
#include "amp/kernels/order/host.hpp"
#include "amp/kernels/order/host/items.hpp"
#include "amp/kernels/traversal/host/block.hpp"
#include "amp/kernels/traversal/lines.hpp"
#include "amp/kernels/traversal/search.hpp"

namespace amp::inline v0::kernels::host {

namespace detail {

/// Elements of a line that were chosen, and where they go.
struct Chosen {
  Operand input, values;
  std::int64_t start, along;  // of the line in the input
  std::int64_t to, step;      // of the line in values and indices
  std::int64_t* indices;

  template <class Item>
  void write(const Item* items, std::int64_t n) const {
    visit_bits(input.dtype, [&](auto tag) {
      using Word = typename decltype(tag)::type;
      const Word* const from = input.as<const Word>() + start;
      Word* const out = values.as<Word>() + to;
      for (std::int64_t i = 0; i < n; ++i) {
        const std::int64_t at = items[i].at();
        out[i * step] = from[at * along];
        indices[to + i * step] = at;
      }
    });
  }
};
/// The places for those of `line`.
inline Chosen chosen_of(const Operand& input, const Operand& values, const Operand& indices,
                        const StridedLines& lines, const Lines& to, std::int64_t line) {
  return {input,          values,    lines.start(line),         lines.elements.inner_stride(0),
          to.start(line), to.stride, indices.as<std::int64_t>()};
}

/// The first few elements of each line.
AMP_LAZY void sort_few(const SortArgs& args, const StridedLines& lines, const Lines& to) {
  const std::int64_t stride = lines.elements.inner_stride(0), k = to.length;
  visit_compute_type(args.input.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    using Item = std::conditional_t<sizeof(C) == 4, ShortItem, LongItem>;
    parallel_ranges(
        lines.count, ceil_div(4 * kBlock, lines.length), [&](std::int64_t begin, std::int64_t end) {
          const HostBuffer<Item> items(k);
          C buffer[kBlock];
          for (std::int64_t line = begin; line < end; ++line) {
            const std::int64_t start = lines.start(line);
            FirstItems<Item, C> first(items.data(), k, args.descending);
            for (std::int64_t i = 0; i < lines.length; i += kBlock) {
              const std::int64_t n = (std::min)(kBlock, lines.length - i);
              first.take(fetch(args.input, start + i * stride, stride, n, buffer), n, i);
            }
            std::sort(items.data(), items.data() + k);
            chosen_of(args.input, args.values, args.indices, lines, to, line)
                .write(items.data(), k);
          }
        });
  });
}

}  // namespace detail

AMP_LAZY_DEFINITION void sort(const SortArgs& args) {
  const StridedLines lines(args.input, args.dim);
  const Lines to(args.values, args.dim);
  if (detail::are_few(to.length, lines.length) && lines.length < (std::int64_t{1} << 32))
    return detail::sort_few(args, lines, to);
  const auto bytes = static_cast<int>(item_size(args.input.dtype));
  detail::visit_item(args.input.dtype, lines.length, [&](auto tag) {
    using Item = typename decltype(tag)::type;
    detail::for_lines_of_items<Item>(
        args.input, lines, args.descending, [&](std::int64_t line, Item* items, Item* spare) {
          detail::chosen_of(args.input, args.values, args.indices, lines, to, line)
              .write(detail::sort_items(items, spare, lines.length, bytes), to.length);
        });
  });
}

AMP_LAZY_DEFINITION void select(const SelectArgs& args) {
  const StridedLines lines(args.input, args.dim);
  const Lines to(args.values, args.dim);
  const bool may_be_nan = args.prefers_nan && is_floating_point(args.input.dtype);
  const std::uint64_t nan = ~std::uint64_t{0} >> (64 - 8 * item_size(args.input.dtype));
  detail::visit_item(args.input.dtype, lines.length, [&](auto tag) {
    using Item = typename decltype(tag)::type;
    detail::for_lines_of_items<Item>(
        args.input, lines, false, [&](std::int64_t line, Item* items, Item*) {
          Item* const end = items + lines.length;
          const Item* const first_nan =
              may_be_nan ? std::find_if(items, end, [=](Item item) { return item.key() == nan; })
                         : end;
          const Item found =
              first_nan != end ? *first_nan : detail::select_item(items, lines.length, args.rank);
          detail::chosen_of(args.input, args.values, args.indices, lines, to, line)
              .write(&found, 1);
        });
  });
}

AMP_LAZY_DEFINITION void begin_runs(const RunsArgs& args) {
  const std::int64_t n = args.runs.numel();
  const auto* const runs = args.runs.as<const std::int64_t>();
  auto* const begins = args.begins.as<std::int64_t>();
  parallel_ranges(n, 16 * kBlock, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      if (i == 0 || runs[i] != runs[i - 1]) begins[runs[i]] = i;
    }
  });
  begins[args.begins.numel() - 1] = n;
}

AMP_LAZY_DEFINITION void put(const PutArgs& args) {
  const Lines to(args.output, args.dim), from(args.source, args.dim);
  visit_bits(args.output.dtype, [&](auto tag) {
    using Word = typename decltype(tag)::type;
    parallel_ranges(to.count, ceil_div(4 * kBlock, to.length),
                    [&](std::int64_t begin, std::int64_t end) {
                      for (std::int64_t line = begin; line < end; ++line) {
                        Word* const out = args.output.as<Word>() + to.start(line);
                        for (std::int64_t i = 0; i < to.length; ++i) out[i * to.stride] = Word{0};
                        for (std::int64_t i = 0; i < from.length; ++i) {
                          const std::int64_t at = from.start(line) + from.at(i);
                          out[args.indices.as<const std::int64_t>()[at] * to.stride] =
                              args.source.as<const Word>()[at];
                        }
                      }
                    });
  });
}

AMP_LAZY_DEFINITION void search(const SearchArgs& args) {
  const std::int64_t n = args.values.numel(), all = args.boundaries.numel();
  const std::int64_t length = args.boundaries.sizes[args.boundaries.dims - 1];
  const bool shared = args.boundaries.dims == 1;
  const std::int64_t of_line = shared ? n : args.values.sizes[args.values.dims - 1];
  visit_compute_type(args.values.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    const HostBuffer<C> converted(args.boundaries.dtype == dtype_of<C> ? 0 : all);
    const C* const boundaries =
        fetch(args.boundaries.data, args.boundaries.dtype, all, converted.data());
    parallel_ranges(n, kBlock, [&](std::int64_t begin, std::int64_t end) {
      C buffer[kBlock];
      for (std::int64_t i = begin, count; i < end; i += count) {
        count = (std::min)(kBlock, end - i);
        const C* const x = fetch(args.values, i, 1, count, buffer);
        for (std::int64_t j = 0; j < count; ++j) {
          const std::int64_t line = shared ? 0 : (i + j) / of_line;
          args.output.as<std::int64_t>()[i + j] =
              search_boundaries(boundaries + line * length, length, x[j], args.right);
        }
      }
    });
  });
}

AMP_LAZY_DEFINITION void count_in_bins(const CountArgs& args) {
  const std::int64_t n = args.input.numel(), bins = args.output.numel();
  visit_float_type(args.input.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    C ends[2];
    const Bins<C> bin(*fetch(args.low, 0, 1, 1, ends), *fetch(args.high, 0, 1, 1, ends + 1), bins);
    const HostBuffer<std::int64_t> counts(bins);
    std::fill_n(counts.data(), bins, std::int64_t{0});
    parallel_ranges(n, 64 * kBlock, [&](std::int64_t begin, std::int64_t end) {
      C buffer[kBlock];
      const HostBuffer<std::int64_t> own(bins);  // of this range
      std::fill_n(own.data(), bins, std::int64_t{0});
      for (std::int64_t i = begin, count; i < end; i += count) {
        count = (std::min)(kBlock, end - i);
        const C* const x = fetch(args.input, i, 1, count, buffer);
        for (std::int64_t j = 0; j < count; ++j) {
          if (const std::int64_t b = bin(x[j]); b >= 0) ++own[b];
        }
      }
      for (std::int64_t b = 0; b < bins; ++b) amp::detail::add_relaxed(counts[b], own[b]);
    });
    store(counts.data(), args.output, 0, 1, bins);
  });
}

}  // namespace amp::inline v0::kernels::host
