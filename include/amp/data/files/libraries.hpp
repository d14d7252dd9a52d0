// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The libraries that read compressed files. A build that links one of them defines its macro as 1
// for the whole program; the CMake target amp::data does so for those that it finds.
#pragma once

#if !defined(AMP_USE_ZLIB)
#define AMP_USE_ZLIB 0
#endif
#if !defined(AMP_USE_PNG)
#define AMP_USE_PNG 0
#endif
#if !defined(AMP_USE_JPEG)
#define AMP_USE_JPEG 0
#endif
