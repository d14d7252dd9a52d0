// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What a shared object of this test answers and does, as plain functions.
#pragma once

#include <cstdint>

struct Plugin {
  bool (*autocast_enabled)();
  bool (*op_is_registered)();
  bool (*records_gradients)();
  float (*draw)();
  void (*inside_autocast)(void (*call)());
  void (*inside_no_grad)(void (*call)());
  void (*seed)(std::uint64_t);
  void (*throw_error)();
};
