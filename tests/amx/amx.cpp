// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Matmuls by AMX, header-only. Compiled with emulated.hpp before it.
#include <amp/amp.hpp>

#include <cmath>
#include <cstdint>

#include "support/catch.hpp"

using amp::DType;
using amp::Tensor;
using amp::detail::InstructionSet;

namespace {

bool uses_amx() { return amp::detail::instruction_set() >= InstructionSet::kAmx; }

}  // namespace

TEST_CASE("amx: both formats are multiplied in tiles, and the thread lets go of them", "[amx]") {
  if (!uses_amx()) AMP_TEST_SKIP("the processor has no AVX-512, or AMP_MAX_CPU_ISA forbids AMX");
  CHECK(amp::cpu_capabilities().instructions == "AMX");
  CHECK(amp::cpu_capabilities().bfloat16);
  for (const DType dtype : {amp::kBFloat16, amp::kFloat16}) {
    const bool is_half = dtype == amp::kFloat16;
    if (is_half && amp::detail::instruction_set() < InstructionSet::kAmxFp16) continue;
    const long before = amx_emulated::count(is_half), others = amx_emulated::count(!is_half);
    const Tensor a = amp::ones({70, 100}).to(dtype), b = amp::ones({100, 40}).to(dtype);
    CHECK(amp::sum(amp::matmul(a, b).to(amp::kFloat32)).item<float>() == 70 * 40 * 100);
    if (amx_emulated::is_native()) continue;
    // 3 x 2 tiles of 32 x 32, each 4 times 16 pairs of k, each 4 products
    CHECK(amx_emulated::count(is_half) - before == 3 * 2 * 4 * 4);
    CHECK(amx_emulated::count(!is_half) == others);
    CHECK_FALSE(amx_emulated::is_configured());
  }
}

TEST_CASE("amx: what lies around the matrices is not read as theirs", "[amx]") {
  if (!uses_amx()) AMP_TEST_SKIP("the processor has no AVX-512, or AMP_MAX_CPU_ISA forbids AMX");
  const auto among_nan = [](const Tensor& matrix) {
    const Tensor part =
        amp::full({60, 80}, NAN).narrow(0, 3, matrix.size(0)).narrow(1, 5, matrix.size(1));
    part.copy_(matrix);
    return part.to(amp::kBFloat16);
  };
  const Tensor infinite = amp::ones({37, 21});
  infinite.narrow(0, 8, 1).fill_(INFINITY);
  for (const bool transposed : {false, true}) {
    const Tensor a = transposed ? among_nan(infinite.t()).t() : among_nan(infinite);
    const Tensor b =
        transposed ? among_nan(amp::ones({35, 21})).t() : among_nan(amp::ones({21, 35}));
    const Tensor c = amp::matmul(a, b).to(amp::kFloat32);
    for (std::int64_t row = 0; row < 37; ++row)
      CHECK(amp::sum(c.select(0, row)).item<float>() == (row == 8 ? INFINITY : 35 * 21));
  }
}
