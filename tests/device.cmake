# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
#
# The device tests on a GPU: those of tests/cuda and tests/cudnn, compiled by the host compiler, each
# a program with one object of CUDA source. With AMP_TEST_GPU, which tests/gpu.sh sets; needs no more
# of Catch2 than the folder of its headers. What reads the stand-in toolkit itself is left out.
# gpu_programs.txt in the build folder says what is built, and what is not and why.
set(AMP_TEST_CATCH "" CACHE PATH "Folder in which catch2/catch.hpp or catch2/catch_all.hpp lies")
set(AMP_TEST_ONLY "" CACHE STRING "Of the device programs, those whose names match this")
if(NOT AMP_CUDA_DEVICE)
  message(FATAL_ERROR "AMP_TEST_GPU needs a CUDA compiler, and a GPU or AMP_WITH_CUDA=ON")
endif()

# Sums and products of the tests are the host's, so they are not fused here either.
add_library(amp_test_device OBJECT EXCLUDE_FROM_ALL "${PROJECT_SOURCE_DIR}/tests/cuda/enable.cpp")
set_source_files_properties("${PROJECT_SOURCE_DIR}/tests/cuda/enable.cpp" PROPERTIES LANGUAGE CUDA)
target_compile_options(amp_test_device PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-fmad=false -lineinfo>)
target_link_libraries(amp_test_device PUBLIC amp::cuda)

add_library(amp_test_device_main OBJECT EXCLUDE_FROM_ALL
  "${PROJECT_SOURCE_DIR}/tests/cuda/device_main.cpp")
target_include_directories(amp_test_device_main PUBLIC "${PROJECT_SOURCE_DIR}/tests")
target_compile_definitions(amp_test_device_main PUBLIC AMP_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
target_link_libraries(amp_test_device_main PUBLIC amp::amp)

# Version 3 has a library, where it is installed; of version 2 a header is enough.
set(has_catch ON)
find_package(Catch2 3 QUIET)
if(AMP_TEST_CATCH)
  target_include_directories(amp_test_device_main SYSTEM PUBLIC "${AMP_TEST_CATCH}")
elseif(Catch2_FOUND)
  target_link_libraries(amp_test_device_main PUBLIC Catch2::Catch2)
else()
  include(CheckIncludeFileCXX)
  check_include_file_cxx(catch2/catch.hpp AMP_TEST_HAS_CATCH)
  set(has_catch ${AMP_TEST_HAS_CATCH})
endif()

set(has_cudnn no)
get_target_property(definitions amp::cuda INTERFACE_COMPILE_DEFINITIONS)
if(definitions MATCHES "AMP_USE_CUDNN=1")
  set(has_cudnn yes)
endif()
set(report "cudnn ${has_cudnn}\n")

add_custom_target(gpu_programs)
function(gpu_program name)
  if(NOT AMP_TEST_ONLY OR name MATCHES "${AMP_TEST_ONLY}")
    add_dependencies(gpu_programs ${name})
    string(APPEND report "program ${name}\n")
    set(report "${report}" PARENT_SCOPE)
  endif()
endfunction()

foreach(program IN ITEMS gpu_benchmark train_cnn)
  if(TARGET ${program})
    gpu_program(${program})
  else()
    string(APPEND report "skipped ${program} what it needs was not found\n")
  endif()
endforeach()

file(GLOB sources CONFIGURE_DEPENDS
  "${PROJECT_SOURCE_DIR}/tests/cuda/*_test.cpp" "${PROJECT_SOURCE_DIR}/tests/cudnn/*_test.cpp")
foreach(source IN LISTS sources)
  get_filename_component(name "${source}" NAME_WE)
  string(REGEX REPLACE "_test$" "" name "device_${name}")
  if(source MATCHES "/cudnn/")
    string(REPLACE "device_" "device_cudnn_" name "${name}")
  endif()
  # One that has cases for both says so: what it includes of the stand-in is within AMP_TEST_GPU.
  file(STRINGS "${source}" needs_standin REGEX "standin|[.]cuh")
  file(STRINGS "${source}" splits REGEX "AMP_TEST_GPU")
  if(needs_standin AND NOT splits)
    continue()
  endif()
  if(NOT has_catch)
    string(APPEND report "skipped ${name} no Catch2 was found\n")
    continue()
  endif()
  if(source MATCHES "/cudnn/" AND NOT has_cudnn)
    string(APPEND report "skipped ${name} no cuDNN was found\n")
    continue()
  endif()
  add_executable(${name} EXCLUDE_FROM_ALL "${source}")
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/device" UNITY_BUILD OFF)
  target_compile_definitions(${name} PRIVATE AMP_TEST_GPU=1)
  target_compile_options(${name} PRIVATE -O1)
  target_link_libraries(${name} PRIVATE amp_test_device amp_test_device_main)
  gpu_program(${name})
endforeach()
file(WRITE "${PROJECT_BINARY_DIR}/gpu_programs.txt" "${report}")
