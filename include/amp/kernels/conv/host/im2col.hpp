// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The image of a group into columns and back.
#pragma once

#include <algorithm>
#include <cstdint>

#include "amp/core/math.hpp"
#include "amp/kernels/conv/shape.hpp"

namespace amp::inline v0::kernels::host::detail {

/// The output columns [begin, end) whose input column ow * stride + offset lies within [0, width).
struct ColumnRange {
  std::int64_t begin, end;
  ColumnRange(std::int64_t out_w, std::int64_t width, std::int64_t stride, std::int64_t offset) {
    begin = offset >= 0 ? 0 : (std::min)(out_w, ceil_div(-offset, stride));
    end = width - offset <= 0
              ? begin
              : (std::max)(begin, (std::min)(out_w, ceil_div(width - offset, stride)));
  }
};

/// Calls row(columns_row, input_row or -1, horizontal offset) for each patch element and output
/// row.
template <class Row>
void for_each_patch_row(const ConvShape& s, Row&& row) {
  const Window2d& w = s.window;
  for (std::int64_t q = 0; q < s.patch(); ++q) {
    const std::int64_t c = q / s.taps(), kh = q / w.kernel[1] % w.kernel[0], kw = q % w.kernel[1];
    for (std::int64_t oh = 0; oh < s.out_h; ++oh) {
      const std::int64_t ih = oh * w.stride[0] - w.padding[0] + kh * w.dilation[0];
      const bool inside = ih >= 0 && ih < s.height;
      row(q * s.pixels() + oh * s.out_w, inside ? c * s.in_plane() + ih * s.width : -1,
          kw * w.dilation[1] - w.padding[1]);
    }
  }
}

template <class C>
void unfold(const ConvShape& s, const C* image, C* columns) {
  const std::int64_t stride = s.window.stride[1];
  for_each_patch_row(s, [&](std::int64_t to, std::int64_t from, std::int64_t offset) {
    C* const line = columns + to;
    if (from < 0) {
      std::fill_n(line, s.out_w, C{0});
      return;
    }
    const ColumnRange range(s.out_w, s.width, stride, offset);
    std::fill_n(line, range.begin, C{0});
    const C* const in = image + from + offset;
    if (stride == 1) {
      std::copy(in + range.begin, in + range.end, line + range.begin);
    } else {
      for (std::int64_t ow = range.begin; ow < range.end; ++ow) line[ow] = in[ow * stride];
    }
    std::fill(line + range.end, line + s.out_w, C{0});
  });
}

/// The reverse of unfold(): adds every column element to the pixel it came from.
template <class C>
void fold(const ConvShape& s, const C* columns, C* image) {
  const std::int64_t stride = s.window.stride[1];
  std::fill_n(image, s.in_group(), C{0});
  for_each_patch_row(s, [&](std::int64_t from, std::int64_t to, std::int64_t offset) {
    if (to < 0) return;
    const ColumnRange range(s.out_w, s.width, stride, offset);
    C* const out = image + to + offset;
    const C* const line = columns + from;
    for (std::int64_t ow = range.begin; ow < range.end; ++ow) out[ow * stride] += line[ow];
  });
}

}  // namespace amp::inline v0::kernels::host::detail
