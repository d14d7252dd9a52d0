// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The kernels of the process: the fastest that its processor has.
#pragma once

#include <type_traits>

#include "amp/core/config.hpp"
#include "amp/core/simd/isa.hpp"
#include "amp/core/simd/on_widest.hpp"
#include "amp/kernels/matmul/host/amx_kernel.hpp"
#include "amp/kernels/matmul/host/micro_kernel.hpp"
#include "amp/kernels/matmul/host/vector_kernel.hpp"
#include "amp/types/dtype.hpp"

namespace amp::inline v0::kernels::host::gemm {

namespace detail {

template <class C, class Isa>
constexpr Kernel<C> kernel_of(DType factor, decltype(Kernel<C>::run) run) {
  return {factor, kTileRows<Isa>, kTileColumns<Isa, C>, run};
}

}  // namespace detail

/// Whether matrices of the dtype are multiplied in that format. Others are widened to the type of
/// the sums, when they are packed.
inline bool multiplies(DType dtype) {
  using simd::InstructionSet;
  if (dtype == kBFloat16) return simd::instruction_set() >= InstructionSet::kAvx512Bf16;
  if (dtype == kFloat16) return simd::instruction_set() >= InstructionSet::kAmxFp16;
  return dtype == kFloat32 || dtype == kFloat64;
}

/// Returns the kernel for matrices of the dtype, those of C or one that multiplies().
template <class C>
Kernel<C> kernel_for([[maybe_unused]] DType dtype) {
  using Numbers = MultiplyTile<C, C>;
#if AMP_X86
  using simd::Avx2, simd::Avx512, simd::ForEachSet, simd::InstructionSet;
  const InstructionSet set = simd::instruction_set();
  if constexpr (std::is_same_v<C, float>) {
    using Pairs = ForEachSet<MultiplyTile<float, std::uint32_t>>;
    if (set >= InstructionSet::kAmx && item_size(dtype) == 2 && multiplies(dtype))
      return amx_kernel(dtype);
    if (dtype == kBFloat16 && multiplies(dtype))
      return detail::kernel_of<C, Avx512>(kBFloat16, Pairs::avx512_bf16);
  }
  if (set >= InstructionSet::kAvx512)
    return detail::kernel_of<C, Avx512>(dtype_of<C>, ForEachSet<Numbers>::avx512);
  if (set >= InstructionSet::kAvx2)
    return detail::kernel_of<C, Avx2>(dtype_of<C>, ForEachSet<Numbers>::avx2);
#endif
  return detail::kernel_of<C, simd::Baseline>(dtype_of<C>, Numbers::template run<simd::Baseline>);
}

}  // namespace amp::inline v0::kernels::host::gemm
