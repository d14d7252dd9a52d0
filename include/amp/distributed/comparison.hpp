// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Checks that the ranks that train one model agree: first in names, shapes and options, later in
// the bits of the parameters.
#pragma once

#include "amp/distributed/communicator.hpp"
#include "amp/distributed/data_parallel_options.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::detail {

/// Throws, on all ranks, if their options, names, shapes or dtypes differ. Synchronises.
void compare_signatures(Communicator& communicator, const NamedTensors& all,
                        const DataParallelOptions& options);

/// Throws, on all ranks, if a parameter differs between ranks. The message names the ranks and the
/// first such parameter. Compares hashes. Synchronises.
void compare_parameters(Communicator& communicator, const NamedTensors& parameters);

}  // namespace amp::inline v0::detail

#if AMP_HEADER_ONLY
#include "amp/distributed/comparison.ipp"
#endif
