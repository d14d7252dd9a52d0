// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "amp/core/math.hpp"
#include "amp/core/simd/vec.hpp"
#include "amp/device/host_memory.hpp"
#include "amp/device/parallel.hpp"
#include "amp/kernels/compute_type.hpp"
#include "amp/kernels/indexing/args.hpp"
#include "amp/kernels/indexing/host.hpp"
#include "amp/kernels/traversal/host/block.hpp"
#include "amp/kernels/traversal/host/rows.hpp"

namespace amp::inline v0::kernels::host {

namespace detail {

/// Writes the indices as int64, after checking that all lie in [0, length).
AMP_LAZY void checked_indices(std::string_view subject, const Operand& index, std::int64_t length,
                              std::int64_t* out) {
  const std::int64_t n = index.sizes[0];
  const std::int64_t* const values = fetch<std::int64_t>(index, 0, index.strides[0], n, out);
  if (values != out) std::copy_n(values, n, out);
  for (std::int64_t i = 0; i < n; ++i) {
    AMP_CHECK(out[i] >= 0 && out[i] < length, subject, " must lie in [0, ", length,
              "), but number ", i, " is ", out[i]);
  }
}

}  // namespace detail

AMP_LAZY_DEFINITION void index_select(const IndexSelectArgs& args) {
  const Slices in(args.input, args.dim);
  const std::int64_t n = args.index.sizes[0];
  const HostBuffer<std::int64_t> index(n);
  detail::checked_indices(args.subject, args.index, in.length, index.data());
  const std::int64_t bytes = in.inner * item_size(args.input.dtype);
  if (bytes == 0 || n == 0) return;
  if (in.inner == 1) {  // elements, which calls for a loop of its own
    visit_bits(args.input.dtype, [&](auto tag) {
      using U = typename decltype(tag)::type;
      parallel_ranges(in.outer, ceil_div(16 * kBlock, n),
                      [&](std::int64_t begin, std::int64_t end) {
                        for (std::int64_t row = begin; row < end; ++row) {
                          const U* const from = args.input.as<const U>() + row * in.length;
                          U* const to = args.output.as<U>() + row * n;
                          for (std::int64_t i = 0; i < n; ++i) to[i] = from[index[i]];
                        }
                      });
    });
    return;
  }
  parallel_ranges(
      in.outer * n, ceil_div(64 * kBlock, bytes), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t slice = begin; slice < end; ++slice) {
          const std::int64_t from = slice / n * in.length + index[slice % n];
          std::memcpy(args.output.as<char>() + slice * bytes,
                      args.input.as<const char>() + from * bytes, static_cast<std::size_t>(bytes));
        }
      });
}

namespace detail {

/// The slices of the source by their places in the output: [begin[place], begin[place + 1]) of
/// `order` are those of one place, in the order of the indices.
struct SlicesByPlace {
  HostBuffer<std::int64_t> begin, order;

  SlicesByPlace(const std::int64_t* index, std::int64_t n, std::int64_t length)
      : begin(length + 1), order(n) {
    std::int64_t* const ends = begin.data();
    std::fill_n(ends, length + 1, 0);
    for (std::int64_t i = 0; i < n; ++i) ++ends[index[i] + 1];
    for (std::int64_t place = 0; place < length; ++place) ends[place + 1] += ends[place];
    for (std::int64_t i = n - 1; i >= 0; --i) order[--ends[index[i] + 1]] = i;
    // Now entry p + 1 is where p begins.
    std::copy_n(ends + 1, length, ends);
    ends[length] = n;
  }
};

/// sums[i] += x[i]
struct AddSlice {
  template <class Isa, class C>
  AMP_ALWAYS_INLINE static void run(const C* x, C* sums, std::int64_t n) {
    constexpr std::int64_t kLanes = simd::kLanes<Isa>;
    std::int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) simd::add_to(sums + i, simd::load<Isa>(x + i));
    for (; i < n; ++i) sums[i] += x[i];
  }
};
/// The sums of slices that are long enough to be added one by one.
template <class C>
void add_slices(const IndexAddArgs& args, const Slices& out, const std::int64_t* index,
                std::int64_t n) {
  const SlicesByPlace slices(index, n, out.length);
  const std::int64_t bytes = out.inner * item_size(args.output.dtype);
  const std::int64_t grain = ceil_div(16 * kBlock, out.inner);
  parallel_ranges(out.outer * out.length, grain, [&](std::int64_t begin, std::int64_t end) {
    const HostBuffer<C> buffer(out.inner), line(out.inner);
    for (std::int64_t slice = begin; slice < end; ++slice) {
      const std::int64_t outer = slice / out.length, place = slice % out.length;
      const auto source = [&](std::int64_t i) { return (outer * n + slices.order[i]) * out.inner; };
      const std::int64_t first = slices.begin[place], last = slices.begin[place + 1];
      if (first == last) {
        std::memset(args.output.as<char>() + slice * bytes, 0, static_cast<std::size_t>(bytes));
        continue;
      }
      C* const sums = target(args.output, slice * out.inner, 1, out.inner, buffer.data());
      std::fill_n(sums, out.inner, C{0});  // and added to, so that -0 becomes 0
      for (std::int64_t i = first; i < last; ++i) {
        const C* const from = fetch(args.source, source(i), 1, out.inner, line.data());
        on_rows<AddSlice, C>(from, sums, out.inner);
      }
      store(sums, args.output, slice * out.inner, 1, out.inner);
    }
  });
}

/// The sums of single elements.
template <class C>
void add_elements(const IndexAddArgs& args, const Slices& out, const std::int64_t* index,
                  std::int64_t n) {
  const std::int64_t grain = ceil_div(16 * kBlock, out.length + n);
  parallel_ranges(out.outer, grain, [&](std::int64_t begin, std::int64_t end) {
    const HostBuffer<C> buffer(out.length), line(n);
    for (std::int64_t row = begin; row < end; ++row) {
      C* const sums = target(args.output, row * out.length, 1, out.length, buffer.data());
      std::fill_n(sums, out.length, C{0});
      const C* const from = fetch(args.source, row * n, 1, n, line.data());
      for (std::int64_t i = 0; i < n; ++i) sums[index[i]] += from[i];
      store(sums, args.output, row * out.length, 1, out.length);
    }
  });
}

}  // namespace detail

AMP_LAZY_DEFINITION void index_add(const IndexAddArgs& args) {
  const Slices out(args.output, args.dim);
  const std::int64_t n = args.index.sizes[0];
  const HostBuffer<std::int64_t> index(n);
  detail::checked_indices(args.subject, args.index, out.length, index.data());
  if (out.outer * out.length * out.inner == 0) return;
  visit_float_type(args.output.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    if (out.inner == 1) {
      detail::add_elements<C>(args, out, index.data(), n);
    } else {
      detail::add_slices<C>(args, out, index.data(), n);
    }
  });
}

}  // namespace amp::inline v0::kernels::host
