// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Defines amp's state in one shared library, for programs whose plugins could not share it
// otherwise: two plugins built by clang and loaded with RTLD_LOCAL. Include it, before any other
// header of amp, in one source file of that library; link the library to the executable and to
// every plugin, and compile all of them with -DAMP_SHARED_STATE. If the program uses the CUDA
// device, that source file is a .cu, which includes <amp/cuda.cuh> after this.
#pragma once

#define AMP_SHARED_STATE_IMPLEMENTATION

#include "amp/amp.hpp"
