// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "amp/core/math.hpp"
#include "amp/device/host_memory.hpp"
#include "amp/device/parallel.hpp"
#include "amp/kernels/compute_type.hpp"
#include "amp/kernels/indexing/args.hpp"
#include "amp/kernels/indexing/host.hpp"
#include "amp/kernels/traversal/host/block.hpp"

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

AMP_LAZY_DEFINITION void index_add(const IndexAddArgs& args) {
  const Slices out(args.output, args.dim);
  const std::int64_t n = args.index.sizes[0];
  const HostBuffer<std::int64_t> index(n);
  detail::checked_indices(args.subject, args.index, out.length, index.data());
  visit_float_type(args.output.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    const std::int64_t total = out.outer * out.length * out.inner;
    const HostBuffer<C> sums(total), line(out.inner);
    std::fill_n(sums.data(), total, C{0});
    for (std::int64_t slice = 0; slice < out.outer * n; ++slice) {
      const C* const from = fetch(args.source, slice * out.inner, 1, out.inner, line.data());
      C* const to = sums.data() + (slice / n * out.length + index[slice % n]) * out.inner;
      for (std::int64_t i = 0; i < out.inner; ++i) to[i] += from[i];
    }
    if (total != 0) store(sums.data(), args.output, 0, 1, total);
  });
}

}  // namespace amp::inline v0::kernels::host
