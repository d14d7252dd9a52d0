// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// AMX for amp's code on processors without it. Included before everything else of a program: cpuid
// then answers that there is AMX-BF16 and AMX-FP16, and what AMX's instructions do is done when the
// processor refuses them (emulated.cpp). On a processor with AMX, its own is used.
#pragma once

#include <cpuid.h>

namespace amx_emulated {

/// Whether the processor has AMX itself.
bool is_native();
/// The number of products of tiles that were emulated, of bfloat16 and float16 each.
long count(bool of_float16);
/// Whether the thread holds tiles.
bool is_configured();

int cpuid(unsigned leaf, unsigned part, unsigned* a, unsigned* b, unsigned* c, unsigned* d);

}  // namespace amx_emulated

#define __get_cpuid_count amx_emulated_get_cpuid_count
inline int amx_emulated_get_cpuid_count(unsigned leaf, unsigned part, unsigned* a, unsigned* b,
                                        unsigned* c, unsigned* d) {
  return amx_emulated::cpuid(leaf, part, a, b, c, d);
}
