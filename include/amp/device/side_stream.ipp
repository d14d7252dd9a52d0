// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include "amp/device/memory.hpp"
#include "amp/device/side_stream.hpp"

namespace amp::inline v0::detail {

AMP_COLD SideStream::SideStream(Device device)
    : device_(device), stream_(device_memory(device).create_stream(device)) {}

AMP_COLD SideStream::~SideStream() { device_memory(device_).destroy_stream(device_, stream_); }

}  // namespace amp::inline v0::detail
