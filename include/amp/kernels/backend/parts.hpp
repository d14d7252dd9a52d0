// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The parts of the CUDA device's table of kernels (backend.cuh), each of which is defined in the
// file of its name beside this one. Together they take minutes to compile, so the compiled library
// compiles each by itself.
#pragma once

#include "amp/device/cuda/definitions.hpp"

namespace amp::inline v0::kernels {

struct Backend;

namespace cuda {

AMP_HIDDEN void add_activations(Backend& table);
AMP_HIDDEN void add_elementary_functions(Backend& table);
AMP_HIDDEN void add_binary_functions(Backend& table);
AMP_HIDDEN void add_combinations(Backend& table);
AMP_HIDDEN void add_losses(Backend& table);
AMP_HIDDEN void add_products(Backend& table);
AMP_HIDDEN void add_folds(Backend& table);
AMP_HIDDEN void add_lines(Backend& table);
AMP_HIDDEN void add_order(Backend& table);
AMP_HIDDEN void add_scans(Backend& table);
AMP_HIDDEN void add_moves(Backend& table);
AMP_HIDDEN void add_indexing(Backend& table);
AMP_HIDDEN void add_resampling(Backend& table);
AMP_HIDDEN void add_recurrent(Backend& table);
AMP_HIDDEN void add_training(Backend& table);

}  // namespace cuda
}  // namespace amp::inline v0::kernels
