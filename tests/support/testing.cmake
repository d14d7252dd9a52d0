# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
#
# Test programs: one executable per group of sources, one ctest per test case, or, with a sanitizer,
# per source.

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
  if(AMP_TEST_SANITIZE MATCHES "undefined" AND NOT AMP_TEST_SANITIZED_DEVICE)
    # Checks of each access and of each address double the time of the build. AddressSanitizer finds
    # most of what they would: accesses to memory that is none, but not pointers that are not used.
    list(APPEND amp_test_sanitizers -fno-sanitize=null,pointer-overflow,object-size)
  endif()
  if(AMP_TEST_SANITIZE MATCHES "thread" AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # Also the reads of what is written next: the race detector asks whether it had a value.
    add_compile_options("SHELL:-mllvm -tsan-instrument-read-before-write=1")
  endif()
endif()
target_compile_options(amp_compiled PRIVATE ${amp_test_warnings} ${amp_test_sanitizers})

# The part of Catch that every test program links.
set(amp_catch_main "${AMP_TEST_CATCH_MAIN}" Catch2::Catch2)
if(NOT AMP_TEST_CATCH_MAIN)
  set(amp_catch_main amp_catch_main)
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
  target_link_libraries(${name} PRIVATE amp::compiled ${arg_LIBRARIES} ${amp_catch_main})
  target_compile_options(${name} PRIVATE ${amp_test_sanitizers})
  target_link_options(${name} PRIVATE ${amp_test_sanitizers})

  string(REGEX REPLACE "_test$" "." prefix "${name}")
  if(AMP_TEST_PREFIX)
    set(prefix "${AMP_TEST_PREFIX}.${prefix}")
  endif()
  set(labels "${AMP_TEST_PREFIX};${arg_LABELS}")
  set(environment "${amp_test_environment};${arg_ENVIRONMENT}")
  if(AMP_TEST_SANITIZE)
    # A sanitized program takes long to start, so here a ctest is a source file. A sanitizer finds
    # nothing in long comparisons of values that it does not find in short ones of the same kernels,
    # so those are long tests.
    set(options --filenames-as-tags)
    if(Catch2_VERSION VERSION_GREATER_EQUAL 3)  # for files whose test cases are all long
      list(APPEND options --allow-running-no-tests)
    endif()
    foreach(source IN LISTS arg_SOURCES)
      get_filename_component(file "${source}" NAME_WE)
      string(REGEX REPLACE "_test$" "" short "${file}")
      add_test(NAME ${prefix}${short} COMMAND ${name} ${options} "[#${file}]~[values]~[.]")
      set_tests_properties(${prefix}${short} PROPERTIES
        SKIP_RETURN_CODE 77 TIMEOUT 900 LABELS "${labels}" ENVIRONMENT "${environment}")
      file(READ "${source}" text)
      if(text MATCHES "\"conformance/suite[.]hpp\"")  # its cases are those of another file
        add_test(NAME ${prefix}${short}.suite COMMAND ${name} ${options} "[#suite]~[.]")
        set_tests_properties(${prefix}${short}.suite PROPERTIES
          SKIP_RETURN_CODE 77 TIMEOUT 1800 LABELS "${labels};long" ENVIRONMENT "${environment}")
      endif()
      if(text MATCHES "\\[values\\]")
        add_test(NAME ${prefix}${short}.values COMMAND ${name} ${options} "[#${file}][values]")
        set_tests_properties(${prefix}${short}.values PROPERTIES
          SKIP_RETURN_CODE 77 TIMEOUT 1800 LABELS "${labels};long" ENVIRONMENT "${environment}")
      endif()
    endforeach()
    return()
  endif()
  catch_discover_tests(${name} TEST_PREFIX "${prefix}" TEST_LIST ${name}_cases)
  # Properties that are lists do not survive catch_discover_tests; ctest reads them from here.
  set(properties "${CMAKE_CURRENT_BINARY_DIR}/${name}_properties.cmake")
  file(WRITE "${properties}"
    "if(${name}_cases)\n  set_tests_properties(\${${name}_cases} PROPERTIES SKIP_RETURN_CODE 77 "
    "TIMEOUT 900\n    LABELS \"${labels}\"\n    ENVIRONMENT \"${environment}\")\nendif()\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${properties}")
endfunction()
