# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
#
# Test programs: one executable per group of sources, one ctest per test case.

find_package(Catch2 QUIET)
if(NOT Catch2_FOUND)
  message(FATAL_ERROR "amp's tests need Catch2 2.13 or 3 (Debian: catch2); "
    "-DAMP_BUILD_TESTS=OFF builds none")
endif()
list(APPEND CMAKE_MODULE_PATH "${Catch2_DIR}")
include(Catch)

set(AMP_TEST_SANITIZE "" CACHE STRING "Sanitizers of the tests: address,undefined or thread")
set(AMP_TEST_PREFIX "" CACHE STRING "Put before the names of the tests; also a ctest label")
set(AMP_TEST_CATCH_MAIN "" CACHE FILEPATH "Built Catch main to link instead of compiling one")
set(AMP_TEST_DATA "" CACHE PATH "Folder of the data sets (AMP_DATA_DIR of the tests)")
if(NOT AMP_TEST_DATA AND EXISTS "${PROJECT_SOURCE_DIR}/../shared/data")
  file(REAL_PATH "${PROJECT_SOURCE_DIR}/../shared/data" data)
  set_property(CACHE AMP_TEST_DATA PROPERTY VALUE "${data}")
endif()

set(amp_test_warnings -Wall -Wextra -Wconversion -Wshadow -Wpedantic -Werror)
set(amp_test_environment "")
if(AMP_TEST_DATA)
  list(APPEND amp_test_environment "AMP_DATA_DIR=${AMP_TEST_DATA}")
endif()
if(AMP_TEST_SANITIZE)
  # A caching allocator hides use after free from AddressSanitizer.
  list(APPEND amp_test_environment AMP_HOST_CACHE=0 TSAN_OPTIONS=halt_on_error=1
       ASAN_OPTIONS=detect_stack_use_after_return=1 UBSAN_OPTIONS=print_stacktrace=1)
endif()

# The library is compiled with the flags of its tests.
set(amp_test_sanitizers "")
if(AMP_TEST_SANITIZE)
  set(amp_test_sanitizers
    -fsanitize=${AMP_TEST_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
endif()
target_compile_options(amp_compiled PRIVATE ${amp_test_warnings} ${amp_test_sanitizers})

# The part of Catch that every test program links.
if(NOT AMP_TEST_CATCH_MAIN)
  add_library(amp_catch_main STATIC "${PROJECT_SOURCE_DIR}/tests/support/catch_main.cpp")
  target_include_directories(amp_catch_main PRIVATE "${PROJECT_SOURCE_DIR}/tests")
  target_compile_features(amp_catch_main PRIVATE cxx_std_20)
  target_link_libraries(amp_catch_main PUBLIC Catch2::Catch2)
endif()

# amp_needed_by(<folder> <target>...): what the tests of a folder need; `tests` builds all of it
add_custom_target(tests)
function(amp_needed_by folder)
  if(NOT TARGET tests_of_${folder})
    add_custom_target(tests_of_${folder})
    if(NOT folder STREQUAL "benchmarks")
      add_dependencies(tests tests_of_${folder})
    endif()
  endif()
  add_dependencies(tests_of_${folder} ${ARGN})
endfunction()

# amp_test_program(<name> SOURCES <source>... [LABELS <label>...] [LIBRARIES <library>...]
#                  [ENVIRONMENT <NAME=value>...] [OPTIMIZED])
# The library computes and has its own flags; a program that only calls it is compiled in half the
# time without optimisation. OPTIMIZED is for one that computes much itself.
function(amp_test_program name)
  cmake_parse_arguments(arg "OPTIMIZED" "" "SOURCES;LABELS;LIBRARIES;ENVIRONMENT" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/tests")
  target_compile_definitions(${name} PRIVATE AMP_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  set(level -O0)
  if(arg_OPTIMIZED)
    set(level -O1)
  endif()
  target_compile_options(${name} PRIVATE ${amp_test_warnings} "$<$<CONFIG:Release>:${level}>")
  target_link_libraries(${name} PRIVATE amp::compiled ${arg_LIBRARIES})
  if(AMP_TEST_CATCH_MAIN)
    target_link_libraries(${name} PRIVATE "${AMP_TEST_CATCH_MAIN}" Catch2::Catch2)
  else()
    target_link_libraries(${name} PRIVATE amp_catch_main)
  endif()
  target_compile_options(${name} PRIVATE ${amp_test_sanitizers})
  target_link_options(${name} PRIVATE ${amp_test_sanitizers})

  string(REGEX REPLACE "_test$" "." prefix "${name}")
  if(AMP_TEST_PREFIX)
    set(prefix "${AMP_TEST_PREFIX}.${prefix}")
  endif()
  # A sanitizer finds nothing in long comparisons of values that it does not find in short ones of
  # the same kernels, so there they are long tests.
  if(AMP_TEST_SANITIZE)
    catch_discover_tests(${name} TEST_SPEC ~[values] TEST_PREFIX "${prefix}" TEST_LIST ${name}_cases)
    catch_discover_tests(${name} TEST_SPEC [values] TEST_PREFIX "${prefix}" TEST_LIST ${name}_values)
  else()
    catch_discover_tests(${name} TEST_PREFIX "${prefix}" TEST_LIST ${name}_cases)
  endif()
  # Properties that are lists do not survive catch_discover_tests; ctest reads them from here.
  set(properties "${CMAKE_CURRENT_BINARY_DIR}/${name}_properties.cmake")
  file(WRITE "${properties}" "")
  foreach(list IN ITEMS cases values)
    set(labels "${AMP_TEST_PREFIX};${arg_LABELS}")
    if(list STREQUAL "values")
      string(APPEND labels ";long")
    endif()
    file(APPEND "${properties}"
      "if(${name}_${list})\n  set_tests_properties(\${${name}_${list}} PROPERTIES SKIP_RETURN_CODE 77 "
      "TIMEOUT 900\n    LABELS \"${labels}\"\n"
      "    ENVIRONMENT \"${amp_test_environment};${arg_ENVIRONMENT}\")\nendif()\n")
  endforeach()
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${properties}")
endfunction()
