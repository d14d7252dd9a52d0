// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#include <amp/shared_state.hpp>
