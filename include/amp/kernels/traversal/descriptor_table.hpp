// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A place where a device keeps what it made of a list of tensors.
#pragma once

#include <memory>

#include "amp/core/config.hpp"

namespace amp::inline v0::kernels {

/// Owned by whoever calls a kernel over many tensors again and again, and handed to each call: the
/// device then sends only what changed since the last one. For calls in a row, on one stream or in
/// order; the host's kernels put nothing there.
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
