// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Products of the patches of channels-last images (patches.hpp) with a matrix, for which no patch
// is copied: the lines of the images that a block of the output sees are, once for all taps, into
// memory that stays in the second-level cache. They consist of records, and what neighbouring
// patches have at one tap is in neighbouring records, which kernels read where they lie:
//   a record is a pixel, and there are zeros around the image. The rows between the last patch of a
//   line and the first one of the next are computed, too, but not used. Or
//   a record has all taps of a line of the kernel, if the step of the patches along the columns is
//   not 1, or a pixel is no whole number of the words that a kernel multiplies.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "amp/core/function_ref.hpp"
#include "amp/core/math.hpp"
#include "amp/device/host_memory.hpp"
#include "amp/device/parallel.hpp"
#include "amp/kernels/conv/host/patches.hpp"
#include "amp/kernels/matmul/host/amx_kernel.hpp"
#include "amp/kernels/matmul/host/panels.hpp"
#include "amp/kernels/traversal/host/block.hpp"

namespace amp::inline v0::kernels::host {

/// A part of the output: `lines` lines of `width` patches from one on, and some of their columns.
/// The sums of a line begin `pitch` rows after those of the line before.
struct PatchBlock {
  std::int64_t patch, lines, width, pitch, column, columns;
};

/// c = patches @ b + bias, with m rows and n columns.
template <class C>
class PatchProduct {
 public:
  using Word = typename gemm::Packer<C>::Word;
  using Put = FunctionRef<void(const PatchBlock& block, void* sums, std::int64_t stride)>;

  PatchProduct(const gemm::Kernel<C>& kernel, const PatchRuns& patches, std::int64_t m,
               std::int64_t n)
      : kernel_(kernel),
        patches_(patches),
        slices_(patches.slices()),
        rows_(patches.rows()),
        columns_(patches.columns()),
        planes_(m / (rows_.patches * columns_.patches)),
        n_(n),
        strips_(ceil_div(n, width_of_strip())) {
    const std::int64_t channels = patches.channels(), taps = columns_.taps * channels;
    const bool has_whole_words =
        channels % kernel.per_word() == 0 &&
        kernel.words(columns_.between == 1 ? taps : channels) % words_at_a_time() == 0;
    if (columns_.step == 1 && has_whole_words) choose(false, kernel.words(channels), 1);
    choose(true, round_up(kernel.words(taps), words_at_a_time()), 1);
  }

  /// The time on one thread, in products of words; infinite if the lines of a block take too much
  /// memory. What is chosen by it, and so the order of sums, does not depend on the threads.
  double cost() const { return cost_; }
  /// The same if patches are copied one by one.
  double cost_of_copies() const {
    const std::int64_t rows = planes_ * rows_.patches * columns_.patches,
                       lines = slices_.taps * rows_.taps,
                       words = kernel_.words(lines * columns_.taps * patches_.channels());
    return cost_of(rows, strips_, round_up(words, words_at_a_time()),
                   ceil_div(rows, gemm::kBlockRows),
                   rows * (lines * runs_in_line() * kWordsInRun + words * 3 / 2));
  }

  /// Calls put() with all blocks, on all threads.
  void compute(const gemm::Runs& b, const void* bias, Put put) {
    const std::int64_t threads = num_threads();
    cost_ = std::numeric_limits<double>::infinity();
    choose(form_.by_lines, form_.record, threads);
    const PatchParts parts(*this);
    const std::int64_t width = width_of_strip(), across = columns_of_jobs(form_, threads);
    const HostBuffer<Word> packed(strips_ * width * parts.words);
    const HostBuffer<C> biases(strips_ * width);
    if (bias != nullptr) std::copy_n(static_cast<const C*>(bias), n_, biases.data());
    std::fill(biases.data() + (bias != nullptr ? n_ : 0), biases.data() + strips_ * width, C{0});
    parallel_ranges(strips_, 1, [&](std::int64_t begin, std::int64_t end) {
      const gemm::Packer<C> packer(kernel_);
      for (std::int64_t i = begin; i < end; ++i)
        parts.pack(packer, b, i * width, (std::min)(width, n_ - i * width),
                   packed.data() + i * width * parts.words, width);
    });
    parallel_ranges(jobs(form_) * across, 1, [&](std::int64_t begin, std::int64_t end) {
      const gemm::AmxRegisters registers(kernel_.uses_amx);
      const std::int64_t strips = ceil_div(strips_, across), stride = strips * width,
                         records = form_.planes * form_.records + form_.pitch + kernel_.rows;
      const HostBuffer<Word> lines(records * form_.record);
      const HostBuffer<C> sums(form_.planes * form_.rows * stride);
      std::fill_n(lines.data(), records * form_.record, Word{0});
      for (std::int64_t job = begin; job < end; ++job) {
        const std::int64_t first = job % across * strips,
                           last = (std::min)(strips_, first + strips);
        if (first >= last) continue;
        const BlockPlace place = place_of(job / across);
        const std::int64_t rows = (place.lines - 1) * form_.pitch + place.width;
        for (std::int64_t plane = 0; plane < place.planes; ++plane)
          fill(place, plane, lines.data() + plane * form_.records * form_.record);
        for (std::int64_t i = first; i < last; ++i) {
          C* const to = sums.data() + (i - first) * width;
          gemm::Addend<C> addend{biases.data() + i * width, 0};
          for (const Call& call : parts.calls) {
            const gemm::Parts words{call.depth, call.count, parts.offsets.data() + call.first};
            const gemm::Factor of_b{packed.data() + (i * parts.words + call.first_word) * width,
                                    width * kWordSize};
            for (std::int64_t plane = 0; plane < place.planes; ++plane) {
              for (std::int64_t r = 0; r < rows; r += kernel_.rows) {
                const std::int64_t record = plane * form_.records + r, row = plane * form_.rows + r;
                kernel_.run(words, {lines.data() + record * form_.record, form_.record * kWordSize},
                            of_b, to + row * stride, stride, addend.from(row, 0));
              }
            }
            addend = {to, stride};
          }
        }
        for (std::int64_t plane = 0; plane < place.planes; ++plane) {
          const std::int64_t line = (place.plane + plane) * rows_.patches + place.y;
          put({line * columns_.patches + place.x, place.lines, place.width, form_.pitch,
               first * width, (std::min)(n_, last * width) - first * width},
              sums.data() + plane * form_.rows * stride, stride);
        }
      }
    });
  }

 private:
  /// How the lines of a block lie in memory.
  struct Form {
    bool by_lines = false;              // a record has the taps of a line of the kernel
    std::int64_t lines = 0, width = 0;  // of a block, in patches
    std::int64_t record = 0;            // words
    std::int64_t pitch = 0;             // records from line to line
    std::int64_t apart = 0;             // lines from a tap to the next
    std::int64_t all_lines = 0;         // that are seen in a slice
    std::int64_t records = 0;           // of all of these
    std::int64_t rows = 0;              // of the product, with those that are not used
    std::int64_t planes = 1;            // of a block
  };
  /// A block: planes, lines and columns of patches.
  struct BlockPlace {
    std::int64_t plane, y, x, planes, lines, width;
  };
  /// Parts that a kernel adds in one call.
  struct Call {
    std::int64_t first, count, depth, first_word;
  };
  /// A patch as parts of words that lie side by side.
  struct PatchParts {
    std::vector<std::int64_t> offsets, elements;  // offsets are bytes from the first record
    std::vector<Call> calls;
    std::int64_t words = 0;
    const std::int64_t per_word;

    explicit PatchParts(const PatchProduct& p) : per_word(p.kernel_.per_word()) {
      const Form& form = p.form_;
      const bool side_by_side = form.by_lines || p.columns_.between == 1;
      const std::int64_t taps = side_by_side ? p.columns_.taps : 1,
                         length = form.by_lines ? form.record : taps * form.record;
      for (std::int64_t line = 0; line < p.slices_.taps * p.rows_.taps; ++line) {
        const std::int64_t first =
            line / p.rows_.taps * form.all_lines + line % p.rows_.taps * form.apart;
        for (std::int64_t tap = 0; tap < p.columns_.taps; tap += taps) {
          add((first * form.pitch + tap * p.columns_.between) * form.record, length,
              taps * p.patches_.channels());
        }
      }
    }
    /// Adds `length` words from one on, the last of which may have no elements.
    void add(std::int64_t first, std::int64_t length, std::int64_t elements_of_all) {
      const std::int64_t most = round_up(ceil_div(length, ceil_div(length, gemm::kDepth)), 16);
      for (std::int64_t i = 0; i < length; i += most) {
        const std::int64_t depth = (std::min)(most, length - i);
        if (calls.empty() || calls.back().depth != depth ||
            (calls.back().count + 1) * depth > kMostDepth)
          calls.push_back({static_cast<std::int64_t>(offsets.size()), 0, depth, words});
        ++calls.back().count;
        offsets.push_back((first + i) * kWordSize);
        elements.push_back((std::min)(depth * per_word, elements_of_all - i * per_word));
        words += depth;
      }
    }
    /// Packs some columns of b. Zeros stand for words without elements.
    void pack(const gemm::Packer<C>& packer, const gemm::Runs& b, std::int64_t first,
              std::int64_t columns, Word* to, std::int64_t width) const {
      std::int64_t k = 0;
      for (const Call& call : calls) {
        for (std::int64_t i = call.first; i < call.first + call.count; ++i) {
          const std::int64_t count = elements[static_cast<std::size_t>(i)];
          if (count < call.depth * per_word) std::fill_n(to, call.depth * width, Word{0});
          packer.pack_b(b, first, columns, k, count, to);
          to += call.depth * width;
          k += count;
        }
      }
    }
  };

  static constexpr auto kWordSize = gemm::Packer<C>::kWordSize;
  static constexpr std::int64_t kMostDepth = 320;  // of a call
  static constexpr std::int64_t kWordsInRun = 64;  // are copied while a run is found (measured)
  static constexpr std::int64_t kMostRows = 576, kLeastWidth = 48;
  static constexpr std::int64_t kMostWords = (std::int64_t{1} << 19) / kWordSize;

  std::int64_t width_of_strip() const { return kernel_.columns; }
  /// AMX's instructions multiply 16 words.
  std::int64_t words_at_a_time() const { return kernel_.uses_amx ? 16 : 1; }
  /// Neighbouring pixels are one run of memory, if their taps are neighbours.
  std::int64_t runs_in_line() const { return columns_.between == 1 ? 1 : columns_.taps; }
  /// Strips of b are read once for each block of rows.
  double cost_of(std::int64_t rows, std::int64_t strips, std::int64_t words, std::int64_t blocks,
                 std::int64_t copied) const {
    const std::int64_t products_in_a_copy = kernel_.uses_amx ? 64 : 8,
                       b = strips * width_of_strip() * words;
    return static_cast<double>(round_up(rows, std::int64_t{kernel_.rows}) * b +
                               products_in_a_copy * (blocks * b + copied));
  }

  std::int64_t jobs(const Form& form) const {
    return ceil_div(planes_, form.planes) * ceil_div(rows_.patches, form.lines) *
           ceil_div(columns_.patches, form.width);
  }
  /// Jobs that share a block, each of which has some columns.
  std::int64_t columns_of_jobs(const Form& form, std::int64_t threads) const {
    return (std::clamp)(threads / jobs(form), std::int64_t{1}, strips_);
  }
  /// Whether the taps of a column share lines.
  bool shares_lines(const Form& form) const {
    return rows_.step == 1 && rows_.between <= form.lines;
  }

  /// Looks for the form of the least cost.
  void choose(bool by_lines, std::int64_t record, std::int64_t threads) {
    const std::int64_t beyond = by_lines ? 0 : (columns_.taps - 1) * columns_.between;
    const std::int64_t words = slices_.taps * rows_.taps * (by_lines ? 1 : columns_.taps) * record;
    for (std::int64_t cuts = 1;; cuts *= 2) {
      Form form;
      form.by_lines = by_lines;
      form.record = record;
      form.width = ceil_div(columns_.patches, cuts);
      form.pitch = form.width + beyond;
      // Zeros after a line are those before the next one.
      if (cuts == 1 && !by_lines) {
        form.pitch = (std::min)(form.pitch, (std::max)({form.width, columns_.size - columns_.first,
                                                        form.pitch + columns_.first}));
      }
      const std::int64_t most = (std::min)(rows_.patches, kMostRows / form.pitch);
      for (form.lines = 1; form.lines <= most; ++form.lines) consider(form, words, threads);
      if (cuts == 1 && most == rows_.patches) {  // whole planes
        form.lines = most;
        const std::int64_t planes = (std::min)(planes_, kMostRows / (most * form.pitch));
        for (form.planes = 2; form.planes <= planes; ++form.planes) consider(form, words, threads);
      }
      if (form.width < 2 * kLeastWidth) return;
    }
  }
  void consider(Form form, std::int64_t words, std::int64_t threads) {
    form.apart = shares_lines(form) ? rows_.between : form.lines;
    form.all_lines = form.lines + (rows_.taps - 1) * form.apart;
    form.records = slices_.taps * form.all_lines * form.pitch;
    form.rows = round_up((form.lines - 1) * form.pitch + form.width, std::int64_t{kernel_.rows});
    const std::int64_t across = columns_of_jobs(form, threads), strips = ceil_div(strips_, across);
    std::int64_t copied = form.records * form.record;
    const std::int64_t sums = form.rows * strips * width_of_strip();
    if (form.planes * (std::max)(copied, sums) > kMostWords) return;
    if (form.by_lines) {  // lines are written, and read again
      copied += form.records * runs_in_line() * kWordsInRun +
                slices_.taps * form.all_lines * 2 *
                    kernel_.words(line_pixels(form) * patches_.channels());
    }
    const double cost = static_cast<double>(ceil_div(jobs(form) * across, threads)) *
                        cost_of(form.planes * form.rows, strips, words, 1, form.planes * copied);
    const double packing = cost_of(0, strips_, words, 1, 0);
    if (cost + packing >= cost_) return;
    form_ = form;
    cost_ = cost + packing;
  }

  BlockPlace place_of(std::int64_t block) const {
    const std::int64_t across = ceil_div(columns_.patches, form_.width),
                       down = ceil_div(rows_.patches, form_.lines),
                       plane = block / across / down * form_.planes,
                       y = block / across % down * form_.lines, x = block % across * form_.width;
    return {plane,
            y,
            x,
            (std::min)(form_.planes, planes_ - plane),
            (std::min)(form_.lines, rows_.patches - y),
            (std::min)(form_.width, columns_.patches - x)};
  }
  /// Copies the lines of a plane of a block.
  void fill(const BlockPlace& place, std::int64_t plane_of_block, Word* lines) const {
    const std::int64_t plane = place.plane + plane_of_block, y = place.y;
    const std::int64_t line_words = form_.pitch * form_.record;
    const HostBuffer<std::byte> pixels(form_.by_lines ? line_pixels(form_) * pixel_bytes() : 0);
    for (std::int64_t tap = 0; tap < slices_.taps; ++tap) {
      const std::int64_t z = slices_.pixel(plane % slices_.patches, tap);
      for (std::int64_t i = 0; i < form_.all_lines; ++i, lines += line_words) {
        const bool shares = shares_lines(form_);
        const std::int64_t seen_by = shares ? i - (rows_.taps - 1) * form_.apart : i % form_.lines;
        if (y + seen_by >= rows_.patches) continue;
        const std::int64_t row =
            shares ? rows_.pixel(y, 0) + i : rows_.pixel(y + i % form_.lines, i / form_.lines);
        const std::int64_t column = columns_.pixel(place.x, 0);
        if (!form_.by_lines) {
          patches_.copy_line<C>(plane / slices_.patches, z, row, column, form_.pitch,
                                kernel_.factor, lines);
        } else {
          patches_.copy_line<C>(plane / slices_.patches, z, row, column, line_pixels(form_),
                                kernel_.factor, pixels.data());
          expand(pixels.data(), lines);
        }
      }
    }
  }
  std::int64_t pixel_bytes() const { return patches_.channels() * item_size(kernel_.factor); }
  std::int64_t line_pixels(const Form& form) const {
    return (form.width - 1) * columns_.step + (columns_.taps - 1) * columns_.between + 1;
  }
  /// Makes records of pixels.
  void expand(const std::byte* pixels, Word* to) const {
    const std::int64_t taps = columns_.between == 1 ? columns_.taps : 1, bytes = pixel_bytes();
    for (std::int64_t x = 0; x < form_.width; ++x, to += form_.record) {
      auto* out = reinterpret_cast<std::byte*>(to);
      for (std::int64_t tap = 0; tap < columns_.taps; tap += taps, out += taps * bytes) {
        gemm::copy_run(pixels + (x * columns_.step + tap * columns_.between) * bytes, taps * bytes,
                       out);
      }
    }
  }

  const gemm::Kernel<C> kernel_;
  const PatchRuns& patches_;
  const PatchLine slices_, rows_, columns_;
  const std::int64_t planes_, n_, strips_;
  Form form_;
  double cost_ = std::numeric_limits<double>::infinity();
};

}  // namespace amp::inline v0::kernels::host
