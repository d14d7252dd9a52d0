// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The kernels of the process: the fastest that its processor has.
#pragma once

#include <cstdint>
#include <type_traits>

#include "amp/core/config.hpp"
#include "amp/core/math.hpp"
#include "amp/core/simd/isa.hpp"
#include "amp/core/simd/on_widest.hpp"
#include "amp/kernels/matmul/host/amx_kernel.hpp"
#include "amp/kernels/matmul/host/micro_kernel.hpp"
#include "amp/kernels/matmul/host/vector_kernel.hpp"
#include "amp/types/dtype.hpp"

namespace amp::inline v0::kernels::host::gemm {

namespace detail {

template <class C, class Isa, int kRows>
Kernel<C> kernel_of(DType factor, decltype(Kernel<C>::run) run) {
  return {factor, kRows, kTileColumns<Isa, C>, run};
}
#if AMP_X86
template <int kRows>
Kernel<float> kernel_of_pairs() {
  using simd::Avx512, simd::ForEachSet;
  Kernel<float> kernel = kernel_of<float, Avx512, kRows>(
      kBFloat16, ForEachSet<MultiplyTile<float, std::uint32_t, kRows>>::avx512_bf16);
  kernel.run_rounded = ForEachSet<MultiplyTile<float, std::uint32_t, kRows, bfloat16>>::avx512_bf16;
  return kernel;
}
#endif
/// Whether m rows take less time in tiles of 8 than of 12. A tile takes that of its rows and half a
/// row.
inline bool suits_8_rows(std::int64_t m) { return ceil_div(m, 8) * 17 < ceil_div(m, 12) * 25; }

}  // namespace detail

/// Whether matrices of the dtype are multiplied in that format. Others are widened to the type of
/// the sums, when they are packed.
inline bool multiplies(DType dtype) {
  using simd::InstructionSet;
  if (dtype == kBFloat16) return simd::instruction_set() >= InstructionSet::kAvx512Bf16;
  if (dtype == kFloat16) return simd::instruction_set() >= InstructionSet::kAmxFp16;
  return dtype == kFloat32 || dtype == kFloat64;
}

/// Returns the kernel for matrices of the dtype, those of C or one that multiplies(), and for m
/// rows. If n is known, a kernel may have fewer columns.
template <class C>
Kernel<C> kernel_for([[maybe_unused]] DType dtype, [[maybe_unused]] std::int64_t m,
                     [[maybe_unused]] std::int64_t n = 0) {
  using detail::kernel_of;
#if AMP_X86
  using simd::Avx2, simd::Avx512, simd::ForEachSet, simd::InstructionSet;
  const InstructionSet set = simd::instruction_set();
  if constexpr (std::is_same_v<C, float>) {
    using Numbers8 = ForEachSet<MultiplyTile<float, float, 8>>;
    const bool in_8_rows = detail::suits_8_rows(m);
    if (set >= InstructionSet::kAmx && item_size(dtype) == 2 && multiplies(dtype))
      return amx_kernel(dtype);
    if (dtype == kBFloat16 && multiplies(dtype))
      return in_8_rows ? detail::kernel_of_pairs<8>() : detail::kernel_of_pairs<12>();
    constexpr std::int64_t kLanes = simd::kLanes<Avx512>;
    if (n > 0 && n <= 3 * kLanes && ceil_div(n, kLanes) % 2 == 1 && set >= InstructionSet::kAvx512)
      return {kFloat32, 12, kLanes, ForEachSet<MultiplyTile<float, float, 12, float, 1>>::avx512};
    if (in_8_rows && set >= InstructionSet::kAvx512)
      return kernel_of<C, Avx512, 8>(kFloat32, Numbers8::avx512);
  }
  if (set >= InstructionSet::kAvx512)
    return kernel_of<C, Avx512, 12>(dtype_of<C>, ForEachSet<MultiplyTile<C, C, 12>>::avx512);
  if (set >= InstructionSet::kAvx2)
    return kernel_of<C, Avx2, 6>(dtype_of<C>, ForEachSet<MultiplyTile<C, C, 6>>::avx2);
#endif
  return kernel_of<C, simd::Baseline, 4>(dtype_of<C>,
                                         MultiplyTile<C, C, 4>::template run<simd::Baseline>);
}

}  // namespace amp::inline v0::kernels::host::gemm
