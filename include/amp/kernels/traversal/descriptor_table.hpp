// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A cache for a device's descriptors of a list of tensors.
#pragma once

#include <memory>

#include "amp/core/config.hpp"

namespace amp::inline v0::kernels {

/// The caller of a kernel that processes many tensors again and again owns one, and passes it to
/// each call: the device then sends only what changed since the last call. The calls must be
/// ordered, on one stream or otherwise. The host's kernels do not use it.
class DescriptorTable {
 public:
  struct Contents {
    Contents() = default;
    Contents(const Contents&) = delete;
    Contents& operator=(const Contents&) = delete;
    virtual ~Contents() = default;
  };
  std::unique_ptr<Contents> contents;
};

}  // namespace amp::inline v0::kernels
