// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A shared library that is loaded at the first call of one of its functions, and not at the start
// of the program. Needs no toolkit.
#pragma once

#include <dlfcn.h>

#include <atomic>
#include <string>

#include "amp/core/error.hpp"

// The folder in which libraries are looked for that the dynamic linker does not find by itself.
#if !defined(AMP_CUDA_LIBRARY_FOLDER)
#define AMP_CUDA_LIBRARY_FOLDER "/usr/local/cuda/lib64"
#endif

namespace amp::inline v0::cuda::detail {

inline std::string loading_error() {
  const char* const text = dlerror();  // null if another call has taken it
  return text == nullptr ? "no reason given" : text;
}

/// The dynamic linker looks for it in its folders, those of LD_LIBRARY_PATH first, and then in
/// AMP_CUDA_LIBRARY_FOLDER. It is loaded once and never unloaded. Threads may use it at the same
/// time.
class LoadedLibrary {
 public:
  /// The name is that by which programs that link the library ask for it, such as libcublas.so.13.
  constexpr explicit LoadedLibrary(const char* name) : name_(name) {}

  /// Loads the library. Throws amp::Error with the reasons of the dynamic linker if it cannot be
  /// loaded.
  void load() {
    if (handle_.load(std::memory_order_acquire) != nullptr) return;
    void* found = dlopen(name_, RTLD_LAZY | RTLD_LOCAL);
    if (found == nullptr) {
      const std::string why = loading_error();
      const std::string path = std::string(AMP_CUDA_LIBRARY_FOLDER "/") + name_;
      found = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
      if (found == nullptr)
        amp::detail::fail(name_, " cannot be loaded (", why, "; ", loading_error(),
                          "): install it, or name its folder in LD_LIBRARY_PATH");
    }
    handle_.store(found, std::memory_order_release);  // the same for every thread
  }

  /// Returns the address of a function. Throws amp::Error if the library cannot be loaded or has no
  /// such function.
  void* find(const char* function) {
    load();
    void* const found = dlsym(handle_.load(std::memory_order_acquire), function);
    AMP_CHECK(found != nullptr, name_, " has no function ", function, ": it is of another version");
    return found;
  }

 private:
  const char* name_;
  std::atomic<void*> handle_ = nullptr;
};

/// Is called as the function is, and finds it at the first call. Throws as LoadedLibrary::find().
template <auto* kFunction>
class LoadedFunction {
 public:
  constexpr LoadedFunction(LoadedLibrary& library, const char* name)
      : library_(&library), name_(name) {}

  operator decltype(kFunction)() const {
    void* known = found_.load(std::memory_order_relaxed);
    if (known == nullptr) {
      known = library_->find(name_);
      found_.store(known, std::memory_order_relaxed);  // the same for every thread
    }
    return reinterpret_cast<decltype(kFunction)>(known);
  }

 private:
  LoadedLibrary* library_;
  const char* name_;
  mutable std::atomic<void*> found_ = nullptr;
};

}  // namespace amp::inline v0::cuda::detail
