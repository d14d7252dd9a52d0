# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
#
# The device tests on a GPU: those of tests/cuda that say nothing of the stand-in toolkit, compiled
# by the host compiler, each a program with one object of CUDA source. With AMP_TEST_GPU, which
# tests/gpu.sh sets; needs no more of Catch2 than the folder of its headers.
set(AMP_TEST_CATCH "" CACHE PATH "Folder in which catch2/catch.hpp or catch2/catch_all.hpp lies")
if(NOT AMP_CUDA_DEVICE)
  message(FATAL_ERROR "AMP_TEST_GPU needs a CUDA compiler, and a GPU or AMP_WITH_CUDA=ON")
endif()
enable_testing()

# Sums and products of the tests are the host's, so they are not fused here either.
add_library(amp_test_device OBJECT "${PROJECT_SOURCE_DIR}/tests/cuda/enable.cpp")
set_source_files_properties("${PROJECT_SOURCE_DIR}/tests/cuda/enable.cpp" PROPERTIES LANGUAGE CUDA)
target_compile_options(amp_test_device PRIVATE -fmad=false -lineinfo)
target_link_libraries(amp_test_device PUBLIC amp::cuda)

add_library(amp_test_device_main OBJECT "${PROJECT_SOURCE_DIR}/tests/cuda/device_main.cpp")
target_include_directories(amp_test_device_main PUBLIC "${PROJECT_SOURCE_DIR}/tests")
target_link_libraries(amp_test_device_main PUBLIC amp::amp)
if(AMP_TEST_CATCH)
  target_include_directories(amp_test_device_main SYSTEM PUBLIC "${AMP_TEST_CATCH}")
endif()
# Version 3 has a library, where it is installed.
find_package(Catch2 3 QUIET)
if(Catch2_FOUND)
  target_link_libraries(amp_test_device_main PUBLIC Catch2::Catch2)
endif()

add_custom_target(gpu_programs DEPENDS gpu_benchmark)
file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/cuda/*_test.cpp")
foreach(source IN LISTS sources)
  file(STRINGS "${source}" needs_standin REGEX "standin|amp/cuda[.]cuh")
  if(needs_standin)
    continue()
  endif()
  get_filename_component(name "${source}" NAME_WE)
  string(REGEX REPLACE "_test$" "" name "${name}")
  add_executable(device_${name} "${source}")
  set_target_properties(device_${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/device")
  target_compile_definitions(device_${name} PRIVATE AMP_TEST_GPU=1)
  target_compile_options(device_${name} PRIVATE -O1)
  target_link_libraries(device_${name} PRIVATE amp_test_device amp_test_device_main)
  add_dependencies(gpu_programs device_${name})
  add_test(NAME device.${name} COMMAND device_${name})
  set_tests_properties(device.${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 120 LABELS device)
endforeach()

# The trainer, where what it needs is there.
if(TARGET train_cnn)
  add_dependencies(gpu_programs train_cnn)
endif()
if(TARGET train_cnn AND amp_gpus)
  add_test(NAME device.train_on_both COMMAND
    "${PROJECT_SOURCE_DIR}/tests/cuda/train_on_both.sh" $<TARGET_FILE:train_cnn>
    "${PROJECT_BINARY_DIR}/train_on_both")
  set_tests_properties(device.train_on_both PROPERTIES TIMEOUT 120 LABELS device)
endif()
