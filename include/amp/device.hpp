// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Devices, memory, threads and streams.
#pragma once

#include "amp/device/capture.hpp"
#include "amp/device/device.hpp"
#include "amp/device/math_precision.hpp"
#include "amp/device/memory.hpp"
#include "amp/device/parallel.hpp"
#include "amp/device/stream.hpp"
#include "amp/device/stream_mark.hpp"
