// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Shared libraries that are loaded at the first call of their functions.
#include <amp/device/cuda/loaded_library.hpp>

#include <dlfcn.h>

#include "support/catch.hpp"
#include "support/error_of.hpp"

extern "C" {
double ldexp(double, int) noexcept;
int amp_test_no_such_function();
}

namespace loaded_library {
namespace {

using amp::cuda::detail::LoadedFunction;
using amp::cuda::detail::LoadedLibrary;
using Catch::Matchers::ContainsSubstring;

constinit LoadedLibrary math("libm.so.6");
constinit LoadedLibrary missing("libamp_test_missing.so.1");

TEST_CASE("a function of a loaded library is called as one of the program is") {
  constinit static const LoadedFunction<&::ldexp> loaded_ldexp{math, "ldexp"};
  CHECK(loaded_ldexp(3, 2) == 12);
  CHECK(loaded_ldexp(-3, 0) == -3);
  CHECK(math.find("ldexp") == dlsym(RTLD_DEFAULT, "ldexp"));
}

TEST_CASE("a function that a loaded library lacks throws") {
  constinit static const LoadedFunction<&::amp_test_no_such_function> lacking{
      math, "amp_test_no_such_function"};
  CHECK(amp_test::error_of([] { (void)lacking(); }) ==
        "libm.so.6 has no function amp_test_no_such_function: it is of another version");
}

TEST_CASE("a library that cannot be loaded throws with the reasons, at each call") {
  constinit static const LoadedFunction<&::ldexp> lacking{missing, "ldexp"};
  for (int call = 0; call < 2; ++call) {
    const std::string error = amp_test::error_of([] { (void)lacking(3, 2); });
    CHECK_THAT(error, ContainsSubstring("libamp_test_missing.so.1 cannot be loaded (libamp_test_"));
    CHECK_THAT(error, ContainsSubstring("cannot open shared object file"));
    CHECK_THAT(error, ContainsSubstring(AMP_CUDA_LIBRARY_FOLDER "/libamp_test_missing.so.1: "));
    CHECK_THAT(error, ContainsSubstring("LD_LIBRARY_PATH"));
  }
}

}  // namespace
}  // namespace loaded_library
