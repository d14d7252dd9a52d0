// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Support for debuggers. If one source of a program includes this header, the program names the
// script gdb.hpp.py in the same folder, so that gdb loads it: gdb then prints the contents of
// tensors, numbers, shapes and modules. gdb loads scripts only from folders that its user allows
// once, in ~/.gdbinit:
//   add-auto-load-safe-path <path of amp>/include/amp/debug
// <amp/amp.hpp> includes this header if AMP_USE_GDB is 1 (CMake: AMP_WITH_GDB). Without it,
// `source gdb.hpp.py` in gdb does the same.
//
// The header also defines a function that gdb can call to print a tensor as to_string() does:
//   (gdb) printf "%s\n", amp::debug::text(x).c_str()
#pragma once

#include <string>

#include "amp/tensor/print.hpp"

#if defined(__ELF__)
// gdb's manual calls this a dotdebug_gdb_scripts section: 1 means a Python file.
__asm__(
    ".pushsection \".debug_gdb_scripts\", \"MS\", %progbits, 1\n"
    ".byte 1\n"
    ".asciz \"" __FILE__
    ".py\"\n"
    ".popsection\n");
#endif

// Not in amp's versioned namespace, which would have to be spelled out in gdb.
namespace amp::debug {

/// Returns to_string(tensor), for debuggers; programs do not call it.
[[gnu::used]] inline std::string text(const Tensor& tensor) { return to_string(tensor); }

}  // namespace amp::debug
