// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Who computes. amp cuts the work and runs the parts on its own threads, and oneDNN computes each
// part on the thread that calls it. So a process has one set of threads, which a fork, a second
// user thread and AMP_NUM_THREADS treat as they treat all other kernels.
#pragma once

#include "amp/core/config.hpp"

#if AMP_USE_ONEDNN

#include <dlfcn.h>

namespace amp::inline v0::kernels::host::onednn {

/// The OpenMP library that oneDNN was linked with, looked up by name, since amp does not link it.
/// Absent if oneDNN has other threads, or none.
struct OpenMp {
  int (*get_max_threads)() = find<int (*)()>("omp_get_max_threads");
  void (*set_num_threads)(int) = find<void (*)(int)>("omp_set_num_threads");

 private:
  template <class Function>
  static Function find(const char* name) {
    return reinterpret_cast<Function>(::dlsym(RTLD_DEFAULT, name));
  }
};

/// For its lifetime, what oneDNN is told on this thread it does on this thread alone. OpenMP keeps
/// the number for each thread on its own, so that nobody else sees the change.
class OnThisThread {
 public:
  OnThisThread() {
    if (open_mp().get_max_threads == nullptr || open_mp().set_num_threads == nullptr) return;
    before_ = open_mp().get_max_threads();
    if (before_ != 1) open_mp().set_num_threads(1);
  }
  ~OnThisThread() {
    if (before_ > 1) open_mp().set_num_threads(before_);
  }
  OnThisThread(const OnThisThread&) = delete;
  OnThisThread& operator=(const OnThisThread&) = delete;

 private:
  static const OpenMp& open_mp() {
    static const OpenMp found;
    return found;
  }
  int before_ = 1;
};

}  // namespace amp::inline v0::kernels::host::onednn

#endif
