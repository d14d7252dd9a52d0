// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <utility>

#include "amp/core/error.hpp"
#include "amp/core/globals.hpp"
#include "amp/core/process_lock.hpp"
#include "amp/device/cuda/definitions.hpp"
#include "amp/device/cuda/libraries.hpp"

#if !AMP_HEADER_ONLY
#include "amp/core/globals.ipp"
#endif

namespace amp::inline v0::cuda {
namespace detail {

AMP_CUDA_INLINE void note_refusal(LibraryRefusal refusal) {
  Libraries& all = libraries();
  const amp::detail::ProcessLock lock(amp::detail::LockOf::kLibraries);
  ++all.refused;
  if (all.refusals.size() < Libraries::kMostRefusals) all.refusals.push_back(std::move(refusal));
}

}  // namespace detail

AMP_CUDA_INLINE LibraryInfo library_info() {
  const detail::Libraries& all = detail::libraries();
  LibraryInfo info;
  info.cudnn_version = cudnn_version();
  amp::detail::or_out_of_memory([&] {
    const amp::detail::ProcessLock lock(amp::detail::LockOf::kLibraries);
    info.refused = all.refused;
    info.refusals = all.refusals;
  });
  return info;
}

}  // namespace amp::inline v0::cuda

namespace amp::inline v0 {

AMP_PROCESS_STATE(cuda::detail::Libraries);

}  // namespace amp::inline v0
