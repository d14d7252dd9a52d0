// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A tile is what a kernel processes at a time, for any sweep (sweep.cuh): some lines, of which each
// thread has some elements. A tile is cut into stretches that fit into the registers. A kernel goes
// over them forwards, to reduce them, and backwards, to write results, so the last stretch is read
// only once. A part is the elements of a stretch that a thread has: up to `kKept` accesses of
// `kWidth` elements.
#pragma once

#include <cstdint>

#include "amp/kernels/functions.hpp"
#include "amp/kernels/traversal/cuda/packets.cuh"

namespace amp::inline v0::kernels::cuda {

/// A thread's elements of one array in a part, in registers.
template <class Sweep>
using Fragment = typename Sweep::Compute[Sweep::kKept][Sweep::kWidth];

/// A value for each line of a tile.
template <class Sweep, class T = typename Sweep::Compute>
using PerLine = T[Sweep::kLines];

/// The lines that a thread has at a time. It uses these members of a sweep:
///   last()                           the index of the last stretch; the first one is 0
///   part(place, stretch)             the part of the stretch that the thread has
///   reduce<Function>(place, x)       combines x[line] over the threads of the line, for each
///   line(place, l), first(place)     the index of line l; the index of its first element
///   at(place, l, i)                  the offset of element i of line l
///   owns(place, l)                   whether this thread, alone, writes the results of the line
/// A sweep of single elements has, in place of the first two,
///   for_each_element(place, body)    calls body(part) for each of the thread's elements
template <class Sweep, class Place>
class AMP_HIDDEN Tile {
 public:
  static constexpr int kWidth = Sweep::kWidth;

  __device__ Tile(const Sweep& sweep, const Place& place) : sweep_(sweep), place_(place) {}

  /// False if there are fewer lines than threads: then the thread only takes part in reductions.
  __device__ bool has_line() const { return sweep_.has_line(place_); }
  __device__ std::int64_t line(int l) const { return sweep_.line(place_, l); }
  /// The thread's index among those that have the line, and their number; for tiles of one line.
  __device__ int lane() const { return sweep_.lane(place_); }
  __device__ int lanes() const { return sweep_.lanes(); }
  /// The index of a line's first element.
  __device__ std::int64_t first() const { return sweep_.first(place_); }
  /// The offset of element i of a line.
  __device__ std::int64_t at(int l, std::int64_t i) const { return sweep_.at(place_, l, i); }

  /// Calls body(part) for each stretch, in order.
  template <class Body>
  __device__ __forceinline__ void forwards(Body&& body) const {
    if constexpr (Sweep::kWidth == 1) {
      sweep_.for_each_element(place_, body);
    } else {
      for (int s = 0, last = sweep_.last(); s <= last; ++s) body(sweep_.part(place_, s));
    }
  }
  /// Calls body(part) for each stretch, the last one first. Calls load(part) before each one but
  /// the last, which the registers still hold.
  template <class Load, class Body>
  __device__ __forceinline__ void backwards(Load&& load, Body&& body) const {
    if constexpr (Sweep::kWidth == 1) {
      sweep_.for_each_element(place_, [&](const auto& part) {
        load(part);
        body(part);
      });
    } else {
      const int last = sweep_.last();
      for (int s = last; s >= 0; --s) {
        const auto part = sweep_.part(place_, s);
        if (s != last) load(part);
        body(part);
      }
    }
  }
  /// Calls body(offset in memory) for the elements at the end of a line that fill no vector. Their
  /// lines must be dense there.
  template <class Body>
  __device__ __forceinline__ void for_each_rest(Body&& body) const {
    if constexpr (Sweep::kLines == 1 && Sweep::kWidth == kVector)
      sweep_.for_each_rest(place_, body);
  }
  /// Calls body(part, x's fragment) for each stretch, in order. Loads the next one meanwhile if
  /// that costs few registers.
  template <class Body>
  __device__ __forceinline__ void stream(const Input& x, Body&& body) const {
    Fragment<Sweep> values;
    if constexpr (Sweep::kLines == 1 && Sweep::kWidth == kVector) {
      const int last = sweep_.last();
      auto part = sweep_.part(place_, 0);
      Packets<Sweep::kKept> packets(x, part);
      for (int s = 0; s <= last; ++s) {
        packets.unpack(x.dtype, values);
        const auto here = part;
        if (s != last) packets = Packets<Sweep::kKept>(x, part = sweep_.part(place_, s + 1));
        body(here, values);
      }
    } else {
      forwards([&](const auto& part) {
        load(part, x, values);
        body(part, values);
      });
    }
  }

  /// Combines the values of all threads of a line, for each of them.
  template <class Function, class T>
  __device__ __forceinline__ void reduce(T (&values)[Sweep::kLines]) const {
    sweep_.template reduce<Function>(place_, values);
  }
  /// Returns the sum of a value over all threads, if a tile has one line.
  __device__ __forceinline__ void add_up(double& value) const {
    double values[1] = {value};
    reduce<functions::Add>(values);
    value = values[0];
  }
  /// Calls body(l) for the lines whose results this thread writes.
  template <class Body>
  __device__ __forceinline__ void for_own_lines(Body&& body) const {
    AMP_UNROLL
    for (int l = 0; l < Sweep::kLines; ++l) {
      if (sweep_.owns(place_, l)) body(l);
    }
  }

  /// Loads the thread's elements of an array, or of two arrays, whose loads are then under way
  /// together.
  template <class Part>
  __device__ __forceinline__ static void load(const Part& part, const Input& x,
                                              Fragment<Sweep>& values) {
    if constexpr (Sweep::kWidth == kVector) {
      Packets<Sweep::kKept>(x, part).unpack(x.dtype, values);
    } else {
      values[0][0] = cuda::load<typename Sweep::Compute>(x, part.at(0));
    }
  }
  template <class Part>
  __device__ __forceinline__ static void load(const Part& part, const Input& a,
                                              Fragment<Sweep>& a_values, const Input& b,
                                              Fragment<Sweep>& b_values) {
    if constexpr (Sweep::kWidth == kVector) {
      const Packets<Sweep::kKept> a_packets(a, part), b_packets(b, part);
      a_packets.unpack(a.dtype, a_values);
      b_packets.unpack(b.dtype, b_values);
    } else {
      load(part, a, a_values);
      load(part, b, b_values);
    }
  }
  template <class Part>
  __device__ __forceinline__ static void store(const Part& part, const Output& y,
                                               const Fragment<Sweep>& values) {
    for_each_access(part, [&](int k) {
      if constexpr (Sweep::kWidth == kVector) {
        store_plain_vector(y, part.at(k), values[k]);
      } else {
        cuda::store<typename Sweep::Compute>(y, part.at(k), values[k][0]);
      }
    });
  }
  /// Loads one element of an array, which must be of a plain format if the sweep is of plain
  /// formats.
  __device__ __forceinline__ static typename Sweep::Compute load_one(const Input& x,
                                                                     std::int64_t i) {
    if constexpr (Sweep::kWidth == kVector) {
      return load_plain(x, i);
    } else {
      return cuda::load<typename Sweep::Compute>(x, i);
    }
  }
  /// Loads the elements of access k from an array that has one element for each position in a line,
  /// from `first` on.
  template <class Part>
  __device__ __forceinline__ static void load_along(
      const Part& part, int k, const Input& x, std::int64_t first,
      typename Sweep::Compute (&values)[Sweep::kWidth]) {
    const std::int64_t at = first + part.element(k, 0);
    if constexpr (Sweep::kLines == 1 && Sweep::kWidth == kVector) {
      load_plain_vector(x, at, values);
    } else {
      const typename Sweep::Compute value = load_one(x, at);
      AMP_UNROLL
      for (int l = 0; l < Sweep::kWidth; ++l) values[l] = value;
    }
  }

  /// Calls body(k) for the accesses of a part that the thread has.
  template <class Part, class Body>
  __device__ __forceinline__ static void for_each_access(const Part& part, Body&& body) {
    AMP_UNROLL
    for (int k = 0; k < Sweep::kKept; ++k) {
      if (part.has(k)) body(k);
    }
  }
  /// Calls body(line, value) for the elements, in order.
  template <class Part, class Body>
  __device__ __forceinline__ static void for_each(const Part& part, Fragment<Sweep>& values,
                                                  Body&& body) {
    for_each_access(part, [&](int k) {
      AMP_UNROLL
      for (int l = 0; l < Sweep::kWidth; ++l) body(line_of(l), values[k][l]);
    });
  }
  /// Adds term(k, l) of the elements to the sums of their lines. The terms of an access (if
  /// accesses go across lines, those of a line in the part) are added in their own type first, and
  /// the result in that of the sums.
  template <class Part, class Sum, class Term>
  __device__ __forceinline__ static void add(const Part& part, Sum (&sums)[Sweep::kLines],
                                             Term&& term) {
    using Add = functions::Add;
    using T = decltype(term(0, 0));
    if constexpr (Sweep::kLines == 1) {
      for_each_access(part, [&](int k) {
        T sum = 0;
        AMP_UNROLL
        for (int l = 0; l < Sweep::kWidth; ++l) sum = Add::apply(sum, term(k, l));
        sums[0] = Add::apply(sums[0], static_cast<Sum>(sum));
      });
    } else {
      AMP_UNROLL
      for (int l = 0; l < Sweep::kLines; ++l) {
        T sum = 0;
        for_each_access(part, [&](int k) { sum = Add::apply(sum, term(k, l)); });
        sums[l] = Add::apply(sums[l], static_cast<Sum>(sum));
      }
    }
  }
  /// Returns the line of element l of an access.
  __device__ static constexpr int line_of(int l) { return Sweep::kLines == 1 ? 0 : l; }

 private:
  const Sweep& sweep_;
  const Place place_;
};
template <class Sweep, class Place>
Tile(const Sweep&, const Place&) -> Tile<Sweep, Place>;

}  // namespace amp::inline v0::kernels::cuda
