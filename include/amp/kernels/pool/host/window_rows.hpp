// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What the windows of one row have to do with one row of their image, in vectors of channels, which
// lie side by side.
#pragma once

#include <cstdint>
#include <type_traits>

#include "amp/core/simd/math.hpp"
#include "amp/kernels/pool/formula.hpp"
#include "amp/kernels/traversal/host/rows.hpp"

namespace amp::inline v0::kernels::host::detail {

/// The shape of both rows; h is the position of the image's row.
struct WindowRow {
  const PoolWindow& window;
  std::int64_t count, h, width, channels;
  std::int64_t rows_counted = 0;  // by which each window's mean divides, beside its columns
  bool counts_padding = false;

  WindowRange columns(std::int64_t w) const { return {w, width, window, 1}; }
  /// The scale of a window; `of_all` unless each has its own.
  template <class C>
  C scale(std::int64_t w, C of_all) const {
    if (rows_counted == 0) return of_all;
    return C{1} / static_cast<C>(rows_counted * counted(w, width, window, 1, counts_padding));
  }
};

/// The lanes of a mask as those of a mask for numbers of another size.
template <class To, class T, class Isa>
AMP_ALWAYS_INLINE simd::Mask<To, Isa> mask_for(const simd::Vec<T, Isa>& mask) {
  if constexpr (sizeof(To) == sizeof(T)) {
    return mask;
  } else {
    typename simd::IntegerOf<sizeof(To)>::type lanes[simd::kLanes<Isa>];
    for (int l = 0; l < simd::kLanes<Isa>; ++l) lanes[l] = -(mask[l] & 1);
    return simd::load<Isa>(lanes);
  }
}

/// Takes the maxima over the elements in this row, together with those of the rows before it.
struct MaximaOfRow {
  template <class Isa, class C>
  AMP_ALWAYS_INLINE static void run(const WindowRow* row, bool is_first, const C* in, C* maxima,
                                    std::int32_t* places) {
    const std::int64_t channels = row->channels;
    for (std::int64_t w = 0; w < row->count; ++w, maxima += channels, places += channels) {
      const WindowRange columns = row->columns(w);
      for (std::int64_t c = 0; c < channels; c += simd::kLanes<Isa>) {
        const std::int64_t n = channels - c;
        std::int64_t x = columns.begin;
        auto place = static_cast<std::int32_t>(row->h * row->width + x);
        simd::Vec<C, Isa> best;
        simd::Vec<std::int32_t, Isa> where;
        if (is_first) {
          best = load_channels<Isa>(in + x * channels + c, n);
          where = simd::Vec<std::int32_t, Isa>(0) + place;
          x += columns.step;
          place += static_cast<std::int32_t>(columns.step);
        } else {
          best = load_channels<Isa>(maxima + c, n);
          where = load_channels<Isa>(places + c, n);
        }
        for (; x < columns.end; x += columns.step) {
          const simd::Vec<C, Isa> v = load_channels<Isa>(in + x * channels + c, n);
          const auto wins = (v > best) | simd::is_nan(v);
          best = select(wins, v, best);
          const auto moves = mask_for<std::int32_t>(wins);
          where = (where & ~moves) | (moves & place);
          place += static_cast<std::int32_t>(columns.step);
        }
        store_channels(best, maxima + c, n);
        store_channels(where, places + c, n);
      }
    }
  }
};

/// Passes the gradients of the windows on to the elements that were their maxima.
struct MaximaToRow {
  template <class Isa, class C>
  AMP_ALWAYS_INLINE static void run(const WindowRow* row, const C* grad, const std::int32_t* places,
                                    C* grad_in) {
    const std::int64_t channels = row->channels;
    for (std::int64_t w = 0; w < row->count; ++w, grad += channels, places += channels) {
      const WindowRange columns = row->columns(w);
      for (std::int64_t x = columns.begin; x < columns.end; x += columns.step) {
        const auto place = static_cast<std::int32_t>(row->h * row->width + x);
        C* const sums = grad_in + x * channels;
        for (std::int64_t c = 0; c < channels; c += simd::kLanes<Isa>) {
          const std::int64_t n = channels - c;
          const auto here = mask_for<C>(load_channels<Isa>(places + c, n) - place == 0);
          const auto g = select(here, load_channels<Isa>(grad + c, n), simd::Vec<C, Isa>(0));
          store_channels(load_channels<Isa>(sums + c, n) + g, sums + c, n);
        }
      }
    }
  }
};

/// Adds the elements in this row to the sums of the rows before it, and multiplies them by `scale`,
/// or by each window's.
struct SumsOfRow {
  template <class Isa, class C>
  AMP_ALWAYS_INLINE static void run(const WindowRow* row, bool is_first, C scale, const C* in,
                                    C* sums) {
    const std::int64_t channels = row->channels;
    for (std::int64_t w = 0; w < row->count; ++w, sums += channels) {
      const WindowRange columns = row->columns(w);
      const C factor = row->scale(w, scale);
      for (std::int64_t c = 0; c < channels; c += simd::kLanes<Isa>) {
        const std::int64_t n = channels - c;
        simd::Vec<C, Isa> sum = 0;
        if (!is_first) sum = load_channels<Isa>(sums + c, n);
        for (std::int64_t x = columns.begin; x < columns.end; x += columns.step)
          sum += load_channels<Isa>(in + x * channels + c, n);
        store_channels(sum * factor, sums + c, n);
      }
    }
  }
};

/// Adds the gradients of the windows, times each window's scale, to those of the elements that they
/// see.
struct SumsToRow {
  template <class Isa, class C>
  AMP_ALWAYS_INLINE static void run(const WindowRow* row, const C* grad, C* grad_in) {
    const std::int64_t channels = row->channels;
    for (std::int64_t w = 0; w < row->count; ++w, grad += channels) {
      const WindowRange columns = row->columns(w);
      const C factor = row->scale(w, C{1});
      for (std::int64_t x = columns.begin; x < columns.end; x += columns.step) {
        C* const sums = grad_in + x * channels;
        for (std::int64_t c = 0; c < channels; c += simd::kLanes<Isa>) {
          const std::int64_t n = channels - c;
          store_channels(load_channels<Isa>(sums + c, n) + load_channels<Isa>(grad + c, n) * factor,
                         sums + c, n);
        }
      }
    }
  }
};

}  // namespace amp::inline v0::kernels::host::detail
