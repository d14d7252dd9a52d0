# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
#
# Adds nccl.cpp to amp's own build, if that has amp::nccl: CMAKE_PROJECT_amp_INCLUDE, which comes
# after project(), and again at the end, when the targets exist.
if(NOT TARGET amp)
  cmake_language(EVAL CODE "cmake_language(DEFER CALL include [[${CMAKE_CURRENT_LIST_FILE}]])")
elseif(TARGET amp::nccl)
  add_executable(nccl_program "${CMAKE_CURRENT_LIST_DIR}/nccl.cpp")
  target_link_libraries(nccl_program PRIVATE amp::compiled amp::nccl)
else()
  add_custom_target(nccl_program)
endif()
