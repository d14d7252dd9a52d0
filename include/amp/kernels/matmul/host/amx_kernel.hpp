// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The kernel in the tile registers of Intel's AMX (Intel 64 manual, volume 1, chapter 18): eight
// registers of 16 rows of 64 bytes. One instruction adds the products of 16 rows and 16 columns of
// 16 words each to 16 x 16 float32 sums. It takes subnormal bfloat16 as 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "amp/core/config.hpp"
#include "amp/core/simd/isa.hpp"
#include "amp/kernels/matmul/host/micro_kernel.hpp"
#include "amp/types/dtype.hpp"

namespace amp::inline v0::kernels::host::gemm {

#if AMP_X86

namespace amx {

inline constexpr int kWords = 16;         // of a row of a register, which has as many rows
inline constexpr int kSide = 2 * kWords;  // of a tile of c, which is 2 x 2 registers
inline constexpr std::int64_t kWordSize = 4;

/// Gives the thread's registers their full size.
AMP_WITH_AMX inline void configure() {
  struct {
    std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
    std::uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
    std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
  } const configuration;
  static_assert(sizeof configuration == 64);
  __asm__ volatile("ldtilecfg %0" : : "m"(configuration));
}
AMP_WITH_AMX inline void release() { __asm__ volatile("tilerelease"); }

/// Adds the products of 16 words of k to the sums in registers 0 to 3. Strides are in bytes.
/// tdpbf16ps and tdpfp16ps differ by kPrefix; the latter is new to many assemblers, so both
/// are bytes: of the second factor (%c6 or %c7), and of the sums and the first factor.
template <int kPrefix>
AMP_WITH_AMX void add_products(const std::byte* a, std::int64_t a_stride, const std::byte* b,
                               std::int64_t b_stride) {
  constexpr int kWithFactor6 = (15 - 6) * 8 + kPrefix, kWithFactor7 = (15 - 7) * 8 + kPrefix;
  __asm__ volatile(
      "tileloadd (%0,%2), %%tmm4\n\t"
      "tileloadd (%3,%5), %%tmm6\n\t"
      ".byte 0xc4, 0xe2, %c6, 0x5c, 0xc4\n\t"  // tmm0 += tmm4 @ tmm6
      "tileloadd (%4,%5), %%tmm7\n\t"
      ".byte 0xc4, 0xe2, %c7, 0x5c, 0xcc\n\t"  // tmm1 += tmm4 @ tmm7
      "tileloadd (%1,%2), %%tmm5\n\t"
      ".byte 0xc4, 0xe2, %c6, 0x5c, 0xd5\n\t"  // tmm2 += tmm5 @ tmm6
      ".byte 0xc4, 0xe2, %c7, 0x5c, 0xdd"      // tmm3 += tmm5 @ tmm7
      :
      : "r"(a), "r"(a + kWords * a_stride), "r"(a_stride), "r"(b), "r"(b + kWords * kWordSize),
        "r"(b_stride), "i"(kWithFactor6), "i"(kWithFactor7)
      : "memory");
}

/// A Kernel's run().
template <int kPrefix>
AMP_WITH_AMX void multiply_tile(const Parts& parts, Factor a, Factor b, float* c,
                                std::int64_t stride, Addend<float> addend) {
  constexpr std::int64_t kSize = sizeof(float);
  if (addend.data != nullptr) {
    __asm__ volatile(
        "tileloadd (%0,%2), %%tmm0\n\t"
        "tileloadd 64(%0,%2), %%tmm1\n\t"
        "tileloadd (%1,%2), %%tmm2\n\t"
        "tileloadd 64(%1,%2), %%tmm3"
        :
        : "r"(addend.data), "r"(addend.row(kWords)), "r"(addend.stride * kSize)
        : "memory");
  } else {
    __asm__ volatile(
        "tilezero %tmm0\n\t"
        "tilezero %tmm1\n\t"
        "tilezero %tmm2\n\t"
        "tilezero %tmm3");
  }
  const auto* column = static_cast<const std::byte*>(b.data);
  for (std::int64_t part = 0; part < parts.count; ++part) {
    const auto* row = static_cast<const std::byte*>(a.data) + parts.offsets[part];
    std::int64_t depth = parts.depth;
    for (; depth >= kWords; depth -= kWords, row += kWords * kWordSize, column += kWords * b.stride)
      add_products<kPrefix>(row, a.stride, column, b.stride);
    if (depth == 0) continue;
    constexpr std::int64_t kBytes = kWords * kWordSize;  // zeros follow
    alignas(64) std::byte rows[kSide * kBytes] = {}, columns[kWords * 2 * kBytes] = {};
    for (int i = 0; i < kSide; ++i)
      std::memcpy(rows + i * kBytes, row + i * a.stride,
                  static_cast<std::size_t>(depth * kWordSize));
    for (std::int64_t k = 0; k < depth; ++k, column += b.stride)
      std::memcpy(columns + k * 2 * kBytes, column, 2 * kBytes);
    add_products<kPrefix>(rows, kBytes, columns, 2 * kBytes);
  }
  __asm__ volatile(
      "tilestored %%tmm0, (%0,%2)\n\t"
      "tilestored %%tmm1, 64(%0,%2)\n\t"
      "tilestored %%tmm2, (%1,%2)\n\t"
      "tilestored %%tmm3, 64(%1,%2)"
      :
      : "r"(c), "r"(c + kWords * stride), "r"(stride * kSize)
      : "memory");
}

}  // namespace amx

/// Returns the kernel for bfloat16 or float16.
inline Kernel<float> amx_kernel(DType dtype) {
  return {dtype, amx::kSide, amx::kSide,
          dtype == kBFloat16 ? amx::multiply_tile<2> : amx::multiply_tile<3>, true};
}

#endif

/// While it lives, the thread can use kernels in AMX's registers.
class AmxRegisters {
 public:
  explicit AmxRegisters(bool used) : used_(used) {
#if AMP_X86
    if (used_) amx::configure();
#endif
  }
  ~AmxRegisters() {
#if AMP_X86
    if (used_) amx::release();
#endif
  }
  AmxRegisters(const AmxRegisters&) = delete;
  AmxRegisters& operator=(const AmxRegisters&) = delete;

 private:
  [[maybe_unused]] const bool used_;
};

}  // namespace amp::inline v0::kernels::host::gemm
