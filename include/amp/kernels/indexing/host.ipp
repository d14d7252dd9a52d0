// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "amp/core/math.hpp"
#include "amp/kernels/indexing/host.hpp"
#include "amp/kernels/indexing/host/indices.hpp"
#include "amp/kernels/indexing/host/scatter_lines.hpp"
#include "amp/kernels/indexing/host/scatter_slices.hpp"
#include "amp/kernels/traversal/host/loop.hpp"

namespace amp::inline v0::kernels::host {

namespace detail {

/// to[i] = from[i * stride + index[i] * step], the elements of `to` `to_stride` apart. Returns
/// whether all indices were in range.
template <class T>
bool gather_elements(const T* from, std::int64_t stride, std::int64_t step,
                     const std::int64_t* index, std::int64_t length, bool from_end, T* to,
                     std::int64_t to_stride, std::int64_t n) {
  if (!from_end && stride == 0 && step == 1 && to_stride == 1) {
    AMP_UNROLL_BY_2
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t place = index[i];
      if (static_cast<std::uint64_t>(place) >= static_cast<std::uint64_t>(length)) return false;
      to[i] = from[place];
    }
    return true;
  }
  AMP_NO_UNROLL
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t place = place_of(index[i], length, from_end);
    if (place < 0) return false;
    to[i * to_stride] = from[i * stride + place * step];
  }
  return true;
}

}  // namespace detail

AMP_LAZY_DEFINITION void gather(const GatherArgs& args) {
  const Operand& index = args.index;
  const std::int64_t length = args.input.sizes[args.dim], step = args.input.strides[args.dim];
  if (args.output.numel() == 0) return detail::check_empty(args.rule, index, args.dim, length);
  const Operand input = without_dim(args.input, index, args.dim);
  auto loop = Loop<3>::over(args.output, {&args.output, &input, &index});
  const std::int64_t to_stride = loop.inner_stride(0), stride = loop.inner_stride(1),
                     index_stride = loop.inner_stride(2);
  const std::int64_t bytes = item_size(args.output.dtype);
  if (index_stride == 0) {  // whole runs of elements
    constexpr std::int64_t kRun = 64 * kBlock;
    loop.block = (std::min)(kRun, loop.inner_size());
    return loop.run_parallel([&](const std::int64_t* at, std::int64_t n) {
      const std::int64_t place =
          place_of(detail::index_at(index, at[2]), length, args.rule.from_end);
      if (place < 0) detail::refuse_index(args.rule, index, length);
      const char* const from = args.input.as<const char>() + (at[1] + place * step) * bytes;
      char* const to = args.output.as<char>() + at[0] * bytes;
      if (stride == 1 && to_stride == 1) {
        std::memcpy(to, from, static_cast<std::size_t>(n * bytes));
      } else {
        detail::move_elements(args.output.dtype, from, stride, to, to_stride, n);
      }
    });
  }
  // Lines that lie side by side are read a few columns at a time, so that the cache holds them.
  constexpr std::int64_t kInCache = std::int64_t{1} << 19, kColumns = 64;
  const std::int64_t inner = loop.inner_size();
  const bool by_columns = stride != 0 && step > stride && length * inner * bytes > kInCache &&
                          args.output.numel() > length * inner / 2;
  const std::int64_t columns = by_columns ? (std::min)(inner, kColumns) : inner;
  for (std::int64_t from = 0; from < inner; from += columns) {
    loop.sizes[loop.dims - 1] = (std::min)(columns, inner - from);
    loop.run_parallel([&](const std::int64_t* at, std::int64_t n) {
      std::int64_t buffer[kBlock];
      const std::int64_t* const places =
          fetch(index, at[2] + from * index_stride, index_stride, n, buffer);
      const std::int64_t read = at[1] + from * stride, written = at[0] + from * to_stride;
      bool in_range = true;
      visit_bits(args.output.dtype, [&](auto tag) {
        using T = typename decltype(tag)::type;
        in_range = detail::gather_elements(args.input.as<const T>() + read, stride, step, places,
                                           length, args.rule.from_end,
                                           args.output.as<T>() + written, to_stride, n);
      });
      if (!in_range) detail::refuse_index(args.rule, index, length);
    });
  }
}

AMP_LAZY_DEFINITION void scatter(const ScatterArgs& args) {
  const std::int64_t length = args.output.sizes[args.dim];
  if (args.output.numel() == 0 || args.index.numel() == 0) {
    detail::check_empty(args.rule, args.index, args.dim, length);
    if (args.from_zero) detail::set_zero(args.output);
    return;
  }
  const bool slices = by_slices(args) && Slices(args.output, args.dim).inner > 1;
  ScatterArgs call = args;
  if (args.from_zero && !slices && !detail::has_all_lines(args)) {
    detail::set_zero(args.output);
    call.from_zero = false;
  }
  visit_compute_type(args.output.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    slices ? detail::scatter_slices<C>(call) : detail::scatter_lines<C>(call);
  });
}

AMP_LAZY_DEFINITION void linear_index(const LinearIndexArgs& args) {
  std::int64_t* const output = args.output.as<std::int64_t>();
  for (int k = 0; k < args.count; ++k) {
    const Operand& index = args.indices[k];
    const std::int64_t size = args.sizes[k], step = args.steps[k];
    const auto loop = Loop<2>::over(args.output, {&args.output, &index});
    loop.run_parallel([&](const std::int64_t* at, std::int64_t n) {
      std::int64_t buffer[kBlock];
      const std::int64_t* const values = fetch(index, at[1], loop.inner_stride(1), n, buffer);
      std::int64_t* const to = output + at[0];  // dense, so its inner stride is 1
      for (std::int64_t i = 0; i < n; ++i) {
        const std::int64_t place = place_of(values[i], size, true);
        if (place < 0) detail::refuse_index({args.subject, args.dims[k], true}, index, size);
        to[i] = (k == 0 ? 0 : to[i]) + place * step;
      }
    });
  }
}

}  // namespace amp::inline v0::kernels::host
