// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// sanitize() on CUDA devices: one launch for any number of gradients. Only changed elements are
// written.
#pragma once

#include <cstdint>

#include "amp/kernels/sanitize/args.hpp"
#include "amp/kernels/sanitize/formula.hpp"
#include "amp/kernels/traversal/cuda/device_list.cuh"
#include "amp/kernels/traversal/cuda/pieces.cuh"
#include "amp/kernels/unscale/cuda/gradient_pass.cuh"

namespace amp::inline v0::kernels::cuda {

/// The code tables of all formats; a gradient selects its own.
struct FormatCodes {
  FiniteCodes<std::uint64_t> float64 = finite_codes<std::uint64_t>(kFloat64);
  FiniteCodes<std::uint32_t> float32 = finite_codes<std::uint32_t>(kFloat32);
  FiniteCodes<std::uint16_t> float16 = finite_codes<std::uint16_t>(kFloat16);
  FiniteCodes<std::uint16_t> bfloat16 = finite_codes<std::uint16_t>(kBFloat16);
  FiniteCodes<std::uint8_t> float8_e4m3 = finite_codes<std::uint8_t>(kFloat8E4M3);
  FiniteCodes<std::uint8_t> float8_e5m2 = finite_codes<std::uint8_t>(kFloat8E5M2);
};

template <class Word>
__device__ __forceinline__ bool sanitize_piece(void* data, Range range,
                                               const FiniteCodes<Word>& codes) {
  Word* const code = static_cast<Word*>(data);
  bool found = false;
  for (std::int64_t i = range.begin + threadIdx.x; i < range.end; i += blockDim.x) {
    const Word old = code[i];
    if (codes.is_finite(old)) continue;
    found = true;
    code[i] = codes.replacement(old);
  }
  return found;
}

__device__ __forceinline__ bool sanitize_piece(const GradientSpan& g, Range range,
                                               const FormatCodes& formats) {
  switch (g.dtype) {
    case kFloat64:
      return sanitize_piece(g.data, range, formats.float64);
    case kFloat32:
      return sanitize_piece(g.data, range, formats.float32);
    case kFloat16:
      return sanitize_piece(g.data, range, formats.float16);
    case kBFloat16:
      return sanitize_piece(g.data, range, formats.bfloat16);
    case kFloat8E4M3:
      return sanitize_piece(g.data, range, formats.float8_e4m3);
    default:
      return sanitize_piece(g.data, range, formats.float8_e5m2);
  }
}

template <class Row>
AMP_KERNEL void sanitize_kernel(const Row* rows, std::int64_t count, std::int64_t pieces,
                                FormatCodes formats, float* found, std::int64_t* passes,
                                unsigned* arrived) {
  bool any = false;
  for_each_piece(rows, count, &Row::first_piece, pieces, kPiece,
                 [&](const Row& row, Range range, std::int64_t) {
                   any |= sanitize_piece(row.span, range, formats);
                 });
  if (any) *found = 1.0F;  // any number of threads may write
  if (!is_last_block(arrived) || threadIdx.x != 0) return;
  const volatile float* const flag = found;
  if (*flag != 0) ++*passes;
}

inline void sanitize(const SanitizeArgs& args) {
  if (args.count == 0) return;
  const TableOfCall<GradientTable> table(args.device, args.table);
  table->send(args.gradients, args.count);
  launch(args.device, blocks_for(table->pieces), kThreads, sanitize_kernel<GradientRow>,
         table->rows.data(), table->count, table->pieces, FormatCodes(), args.found, args.passes,
         table->arrivals());
}

}  // namespace amp::inline v0::kernels::cuda
