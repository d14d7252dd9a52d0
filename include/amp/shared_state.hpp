// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Defines amp's state in one shared library, for programs whose plugins could not share it
// otherwise: two plugins built by clang and loaded with RTLD_LOCAL. Include it, before any other
// header of amp, in one source file of that library; link the library to the executable and to
// every plugin, and compile all of them with -DAMP_SHARED_STATE. Where the program uses the CUDA
// device, that source file is a .cu, which includes <amp/cuda.cuh> after this.
#pragma once

#define AMP_SHARED_STATE_IMPLEMENTATION

#include "amp/amp.hpp"

namespace amp::inline v0 {

template AMP_EXPORT detail::ProcessLocks& process_state<detail::ProcessLocks>();
template AMP_EXPORT detail::Warnings& process_state<detail::Warnings>();
template AMP_EXPORT detail::HostCache& process_state<detail::HostCache>();
template AMP_EXPORT detail::MemoryState& process_state<detail::MemoryState>();
template AMP_EXPORT detail::ThreadPool& process_state<detail::ThreadPool>();
template AMP_EXPORT kernels::BackendState& process_state<kernels::BackendState>();
template AMP_EXPORT detail::GeneratorState& process_state<detail::GeneratorState>();
template AMP_EXPORT detail::ShadowRegistry& process_state<detail::ShadowRegistry>();
template AMP_EXPORT detail::KnownNorms& process_state<detail::KnownNorms>();
template AMP_EXPORT autograd::detail::Sequence& process_state<autograd::detail::Sequence>();
template AMP_EXPORT autocasting::Registry& process_state<autocasting::Registry>();
template AMP_EXPORT detail::AskedCpu& process_state<detail::AskedCpu>();
#if AMP_USE_ONEDNN
template AMP_EXPORT kernels::host::onednn::Library& process_state<kernels::host::onednn::Library>();
#endif
template AMP_EXPORT detail::ForkHandlers& thread_state<detail::ForkHandlers>();
template AMP_EXPORT detail::CurrentCapture& thread_state<detail::CurrentCapture>();
template AMP_EXPORT detail::CurrentStreams& thread_state<detail::CurrentStreams>();
template AMP_EXPORT detail::CurrentMathPrecision& thread_state<detail::CurrentMathPrecision>();
template AMP_EXPORT detail::ObjectPool& thread_state<detail::ObjectPool>();
template AMP_EXPORT detail::GradState& thread_state<detail::GradState>();
template AMP_EXPORT autograd::detail::DyingNodes& thread_state<autograd::detail::DyingNodes>();
template AMP_EXPORT AutocastState& thread_state<AutocastState>();

}  // namespace amp::inline v0
