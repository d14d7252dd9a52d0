// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The patches of channels-last images as the rows of a matrix that exists only in parts, while they
// are multiplied.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "amp/core/math.hpp"
#include "amp/kernels/matmul/host/panels.hpp"
#include "amp/kernels/operand.hpp"
#include "amp/kernels/traversal/host/block.hpp"

namespace amp::inline v0::kernels::host {

/// The pixels of one dimension that patches contain: patch i has the pixels i * step + first + t *
/// between, t < taps. Those outside of the image are 0.
struct PatchLine {
  std::int64_t patches, step, taps, first, between, size;

  std::int64_t pixel(std::int64_t patch, std::int64_t tap) const {
    return patch * step + first + tap * between;
  }
  bool has(std::int64_t pixel) const { return pixel >= 0 && pixel < size; }
};

/// A run is a patch, row-major over images, slices, rows and columns. Its elements are in the order
/// tap slice, tap row, tap column, channel.
class PatchRuns final : public gemm::Runs {
 public:
  /// Reads `channels` channels from the first one on of images [N, C, D * H, W] that lie
  /// channels-last.
  PatchRuns(const Operand& images, std::int64_t first_channel, std::int64_t channels,
            const PatchLine& slices, const PatchLine& rows, const PatchLine& columns, bool along)
      : Runs(images.dtype, along,
             is_matrix(slices) && is_matrix(rows) && is_matrix(columns)
                 ? start_of(images, first_channel)
                 : nullptr,
             images.sizes[1] * item_size(images.dtype)),
        slices_(slices),
        rows_(rows),
        columns_(columns),
        size_(item_size(images.dtype)),
        channels_(channels * size_),
        image_(images.sizes[1] * images.sizes[2] * images.sizes[3] * size_),
        slice_(images.sizes[1] * images.sizes[3] * rows.size * size_),
        row_(images.sizes[1] * images.sizes[3] * size_),
        pixel_(images.sizes[1] * size_),
        data_(start_of(images, first_channel)) {}

  void find(std::int64_t first, std::int64_t count, std::int64_t begin, std::int64_t length,
            const std::byte** runs, std::byte* buffer, std::int64_t stride) const override {
    Piece pieces[kMostPieces];
    const Piece* const end = cut(begin * size_, length * size_, pieces);
    const std::int64_t line = first / columns_.patches, plane = line / rows_.patches;
    std::int64_t column = first % columns_.patches, row = line % rows_.patches,
                 slice = plane % slices_.patches, z = slices_.pixel(slice, 0);
    const std::byte* image = data_ + plane / slices_.patches * image_;
    for (std::int64_t i = 0; i < count; ++i, buffer += stride) {
      const Pixel at{z, rows_.pixel(row, 0), columns_.pixel(column, 0)};
      if (end == pieces + 1 && is_inside(*pieces, at)) {
        runs[i] = image + offset(at) + pieces->offset;
      } else {
        std::byte* to = buffer;
        for (const Piece* piece = pieces; piece != end; to += piece++->bytes)
          copy(*piece, image, at, to);
        runs[i] = buffer;
      }
      if (++column < columns_.patches) continue;
      column = 0;
      if (++row < rows_.patches) continue;
      row = 0;
      if (++slice == slices_.patches) {
        slice = 0;
        image += image_;
      }
      z = slices_.pixel(slice, 0);
    }
  }

  const PatchLine& slices() const { return slices_; }
  const PatchLine& rows() const { return rows_; }
  const PatchLine& columns() const { return columns_; }
  std::int64_t channels() const { return channels_ / size_; }

  /// Copies the pixels [x, x + count) of a line of an image to elements of that dtype, or of C.
  /// Pixels outside of the image are 0.
  template <class C>
  void copy_line(std::int64_t image, std::int64_t z, std::int64_t y, std::int64_t x,
                 std::int64_t count, DType to_dtype, void* to) const {
    const std::int64_t size = item_size(to_dtype) * channels(),
                       first = (std::clamp)(-x, std::int64_t{0}, count),
                       last = has(z, y) ? (std::clamp)(columns_.size - x, first, count) : first;
    auto* const out = static_cast<std::byte*>(to);
    std::memset(out, 0, static_cast<std::size_t>(first * size));
    std::memset(out + last * size, 0, static_cast<std::size_t>((count - last) * size));
    const bool side_by_side = pixel_ == channels_;
    const std::int64_t step = side_by_side ? last - first : 1;
    for (std::int64_t i = first; i < last; i += step) {
      const std::byte* const from = data_ + image * image_ + offset({z, y, x + i});
      if (to_dtype == dtype)
        gemm::copy_run(from, step * channels_, out + i * size);
      else
        fetch(from, dtype, step * channels(), reinterpret_cast<C*>(out + i * size));
    }
  }

 private:
  struct Pixel {
    std::int64_t z, y, x;
  };
  /// A part of a patch whose bytes lie side by side in the image: pixels first to last of a row,
  /// from byte `channel` of the first one on. Relative to the patch's first pixel.
  struct Piece {
    std::int64_t slice, row, first, last, channel, offset, bytes;
  };
  static constexpr std::int64_t kMostPieces = 2 * gemm::kDepth + 1;

  /// Cuts the bytes [begin, begin + bytes) of a patch into pieces. Returns their end.
  Piece* cut(std::int64_t begin, std::int64_t bytes, Piece* piece) const {
    const bool side_by_side = columns_.between == 1 && pixel_ == channels_;
    std::int64_t tap = begin / channels_, channel = begin % channels_;
    for (; bytes > 0; ++piece) {
      const std::int64_t first = tap % columns_.taps, line = tap / columns_.taps,
                         row = line % rows_.taps * rows_.between,
                         slice = line / rows_.taps * slices_.between;
      const std::int64_t most = side_by_side ? columns_.taps - first : 1;
      const std::int64_t length = (std::min)(bytes, most * channels_ - channel),
                         pixels = ceil_div(channel + length, channels_);
      *piece = {slice,
                row,
                first * columns_.between,
                (first + pixels - 1) * columns_.between,
                channel,
                offset({slice, row, first * columns_.between}) + channel,
                length};
      bytes -= length;
      tap += pixels;
      channel = 0;
    }
    return piece;
  }

  /// The first pixel's channel; null if there are no images.
  static const std::byte* start_of(const Operand& images, std::int64_t channel) {
    if (images.data == nullptr) return nullptr;
    return static_cast<const std::byte*>(element(images, channel));
  }
  /// Whether the patches are all pixels, in their order.
  static bool is_matrix(const PatchLine& line) {
    return line.taps == 1 && line.step == 1 && line.first == 0 && line.patches == line.size;
  }
  std::int64_t offset(const Pixel& at) const { return at.z * slice_ + at.y * row_ + at.x * pixel_; }
  bool has(std::int64_t z, std::int64_t y) const { return slices_.has(z) && rows_.has(y); }
  bool has_row(const Piece& piece, const Pixel& at) const {
    return has(at.z + piece.slice, at.y + piece.row);
  }
  bool is_inside(const Piece& piece, const Pixel& at) const {
    return has_row(piece, at) && columns_.has(at.x + piece.first) &&
           columns_.has(at.x + piece.last);
  }

  /// Copies a piece of the patch at a pixel. Pixels outside of the image are 0.
  void copy(const Piece& piece, const std::byte* image, const Pixel& at, std::byte* to) const {
    if (is_inside(piece, at))
      return gemm::copy_run(image + offset(at) + piece.offset, piece.bytes, to);
    std::memset(to, 0, static_cast<std::size_t>(piece.bytes));
    if (!has_row(piece, at) || piece.first == piece.last) return;
    std::int64_t channel = piece.channel, copied = 0;
    for (std::int64_t p = piece.first; p <= piece.last; p += columns_.between, channel = 0) {
      const std::int64_t bytes = (std::min)(channels_ - channel, piece.bytes - copied);
      if (columns_.has(at.x + p)) {
        const Pixel pixel{at.z + piece.slice, at.y + piece.row, at.x + p};
        std::memcpy(to + copied, image + offset(pixel) + channel, static_cast<std::size_t>(bytes));
      }
      copied += bytes;
    }
  }

  const PatchLine slices_, rows_, columns_;
  const std::int64_t size_, channels_, image_, slice_, row_, pixel_;  // in bytes
  const std::byte* const data_;
};

}  // namespace amp::inline v0::kernels::host
