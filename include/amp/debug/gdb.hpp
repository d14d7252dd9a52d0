// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// For debuggers. A program with one source that includes this header names gdb.hpp.py, which lies
// beside it, so that gdb finds and loads it: tensors, numbers, shapes and modules are then printed
// by what they hold. gdb loads scripts from places that its user allows, once, in ~/.gdbinit:
//   add-auto-load-safe-path <where amp is>/include/amp/debug
// <amp/amp.hpp> includes this header if AMP_USE_GDB is 1 (CMake: AMP_WITH_GDB). Without it,
// `source gdb.hpp.py` does the same; amp.natvis, beside it, is for Visual Studio and VS Code.
//
// It also puts into the program what gdb can call for a tensor as it is printed:
//   (gdb) printf "%s\n", amp::debug::text(x).c_str()
#pragma once

#include <string>

#include "amp/tensor/print.hpp"

#if defined(__ELF__)
// What gdb's manual calls a dotdebug_gdb_scripts section: 1 is a file in Python.
__asm__(
    ".pushsection \".debug_gdb_scripts\", \"MS\", %progbits, 1\n"
    ".byte 1\n"
    ".asciz \"" __FILE__
    ".py\"\n"
    ".popsection\n");
#endif

// Not in amp's versioned namespace, which gdb would want spelled out.
namespace amp::debug {

/// to_string(tensor), for debuggers; no program calls it.
[[gnu::used]] inline std::string text(const Tensor& tensor) { return to_string(tensor); }

}  // namespace amp::debug
