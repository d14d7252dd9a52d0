// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Whether ranks that train one model have the same: at first names, shapes and options, later the
// parameters bit for bit.
#pragma once

#include "amp/distributed/communicator.hpp"
#include "amp/distributed/data_parallel_options.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::detail {

/// Throws, on all ranks, if they do not have the same options, names, shapes and dtypes. Waits for
/// the device.
void compare_signatures(Communicator& communicator, const NamedTensors& all,
                        const DataParallelOptions& options);

/// Throws, on all ranks, if a parameter is not the same on all of them: names the ranks and the
/// first such parameter. Compares hashes. Waits for the device.
void compare_parameters(Communicator& communicator, const NamedTensors& parameters);

}  // namespace amp::inline v0::detail

#if AMP_HEADER_ONLY
#include "amp/distributed/comparison.ipp"
#endif
