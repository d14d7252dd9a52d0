// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Lets linkers refuse a program of files that were compiled with different AMP_USE_ONEDNN. In such a
// program a function of one name would have several bodies, and the linker would take any of them.
#pragma once

#include "amp/core/config.hpp"

#if AMP_USE_ONEDNN
#define AMP_MATMUL_LIBRARY "1"
#else
#define AMP_MATMUL_LIBRARY "0"
#endif

// Stands in a function that is compiled into every file with definitions of amp. It gives a hidden,
// absolute symbol a value. Linkers take any number of definitions of such a symbol with the same
// value; those with different values are an error, which shows the symbol's name. It emits no
// instruction and no data. With -flto the compiler drops all but one of the functions first, so
// that linkers see no difference.
#define AMP_SAME_IN_ALL_FILES "amp_compile_all_files_with_the_same_AMP_USE_ONEDNN"
#if defined(__ELF__)
#define AMP_LINK_CHECK                                                       \
  __asm__(".globl " AMP_SAME_IN_ALL_FILES "\n.hidden " AMP_SAME_IN_ALL_FILES \
          "\n.set " AMP_SAME_IN_ALL_FILES ", " AMP_MATMUL_LIBRARY)
#else
#define AMP_LINK_CHECK static_cast<void>(0)
#endif
