// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Feature detection: the facts about the compiler and the processor that other headers need. Apart
// from this file, only .cuh files test CUDA's own macros: a function body in any other header is
// the same for nvcc and for a host compiler.
#pragma once

// An #error alone would be followed by thousands of others; a file that is missing ends the
// compilation.
#if __cplusplus < 202002L
#error "amp needs C++20: compile with -std=c++20 (nvcc too: -std=c++20)"
#include <amp needs C++20: compile with -std=c++20>
#endif
// Errors are reported by exceptions alone. (nvcc leaves the question to the host compiler.)
#if !defined(__cpp_exceptions) && !defined(__CUDACC__)
#error "amp needs exceptions: compile without -fno-exceptions"
#include <amp needs exceptions: compile without -fno-exceptions>
#endif
// Macros of earlier versions that would have no effect.
#if defined(AMP_USE_CBLAS) && AMP_USE_CBLAS
#error "amp no longer calls a CBLAS: define AMP_USE_ONEDNN=1 and link oneDNN, or define neither"
#endif
#if defined(AMP_SHARED_STATE)
#error "AMP_SHARED_STATE is gone: link the shared amp::compiled to the program and all its plugins"
#endif

// Annotation of functions shared by host and device code. It adds a target, never another body.
#if defined(__CUDACC__)
#define AMP_HOST_DEVICE __host__ __device__
#else
#define AMP_HOST_DEVICE
#endif

// State accessors and the types they return stay visible under -fvisibility=hidden, so that one
// process has one state.
#define AMP_EXPORT __attribute__((visibility("default")))

#define AMP_ALWAYS_INLINE inline __attribute__((always_inline))

// Precedes a loop of the host that is faster if 2 passes are unrolled. nvcc's front end does not
// know the pragma.
#if defined(__CUDACC__)
#define AMP_UNROLL_BY_2
#else
#define AMP_UNROLL_BY_2 _Pragma("GCC unroll 2")
#endif

// Precedes a loop that has few passes, or waits for memory, in a function that is inlined often.
// clang++ -O2 would unroll it each time.
#if defined(__clang__) && !defined(__CUDACC__)
#define AMP_NO_UNROLL _Pragma("clang loop unroll(disable)")
#else
#define AMP_NO_UNROLL
#endif

// amp is used in one of two ways, from the same sources. A header x.hpp declares, and x.ipp defines
// what need not be inlined. Header-only: x.hpp includes x.ipp at its end. With AMP_COMPILED,
// defined for the whole program: only the library amp::compiled (or the one source file that
// includes <amp/compiled.hpp>) includes x.ipp, so that all other files see declarations only.
// A virtual function that x.ipp defines is AMP_INLINE in its class too: otherwise each file that is
// compiled header-only would contain the class's virtual table, and all that it needs.
#if defined(AMP_COMPILED)
#define AMP_HEADER_ONLY 0
#define AMP_INLINE
#else
#define AMP_HEADER_ONLY 1
#define AMP_INLINE inline
#endif

// Precedes functions that many source files do not call: ops, their kernels, the forward of layers,
// most members of modules, optimizers and the scaler. Header-only, they are templates without
// parameters, so that a source file compiles only those that it calls, with the kernels and
// containers that they need; compiled, they are what they seem. The address of a template needs a
// target type. AMP_LAZY stands on the declaration, AMP_LAZY_DEFINITION on a definition apart from
// it.
#if AMP_HEADER_ONLY
#define AMP_LAZY template <class = void>
#define AMP_LAZY_DEFINITION template <class>
#else
#define AMP_LAZY
#define AMP_LAZY_DEFINITION
#endif

// Takes the place of AMP_INLINE on functions that run rarely: set-up, files, text, errors.
// Compilers optimise these for size, which takes half the compile time; clang++ has to be told.
#if defined(__clang__) && !defined(__CUDACC__)
#define AMP_COLD AMP_INLINE __attribute__((cold, minsize))
#else
#define AMP_COLD AMP_INLINE __attribute__((cold))
#endif

// Stands before an AMP_HOST_DEVICE template that calls functions of its argument types. Each
// instantiation is used only on the side where those functions exist.
#if defined(__CUDACC__)
#define AMP_EITHER_SIDE _Pragma("nv_exec_check_disable")
#else
#define AMP_EITHER_SIDE
#endif

// Keeps the product x, a variable, apart from the sum that it is added to. Otherwise compilers
// would use a fused multiply-add, if the processor has one, and round only once. Emits no
// instruction.
#if defined(__FMA__)
#define AMP_ROUND_PRODUCT(x) __asm__("" : "+x"(x))
#elif defined(__x86_64__)
#define AMP_ROUND_PRODUCT(x) static_cast<void>(0)
#elif defined(__aarch64__)
#define AMP_ROUND_PRODUCT(x) __asm__("" : "+w"(x))
#else
#define AMP_ROUND_PRODUCT(x) __asm__("" : "+m"(x))
#endif

// Code for x86 instruction sets beyond the baseline is compiled per function and chosen at run
// time.
#if defined(__x86_64__)
#define AMP_X86 1
#else
#define AMP_X86 0
#endif

// Converts half a vector of floats to doubles in one instruction. g++ emits eight instructions for
// it in templates that are inlined into functions for wide vectors.
#if AMP_X86 && !defined(__clang__)
#define AMP_SPLITS_WIDE_CONVERSIONS 1
#define AMP_WIDEN_FLOATS(from, to) __asm__("vcvtps2pd %1, %0" : "=v"(to) : "vm"(from))
#else
#define AMP_SPLITS_WIDE_CONVERSIONS 0
#define AMP_WIDEN_FLOATS(from, to) static_cast<void>(0)
#endif

// Matmuls and convolutions on the host go to oneDNN if the build links it and defines
// AMP_USE_ONEDNN=1 for the whole program.
#if !defined(AMP_USE_ONEDNN)
#define AMP_USE_ONEDNN 0
#endif

// Convolutions on CUDA devices go to cuDNN if the build links it and defines AMP_USE_CUDNN=1 for
// the whole program.
#if !defined(AMP_USE_CUDNN)
#define AMP_USE_CUDNN 0
#endif

// cuBLAS and cuDNN are loaded when a CUDA device is first used, if the build does not link them and
// defines AMP_LOAD_CUDA_LIBRARIES=1 for the whole program: then it runs on machines without them.
#if !defined(AMP_LOAD_CUDA_LIBRARIES)
#define AMP_LOAD_CUDA_LIBRARIES 0
#endif
