// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// How arrays of any size are cut into pieces and shared between blocks.
#include <amp/kernels/unscale/cuda/gradient_pass.cuh>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "support/catch.hpp"

namespace cuda_pieces {
namespace {

namespace k = amp::kernels;

TEST_CASE("cuda pieces: arrays of more than 2^31 elements", "[cuda]") {
  using k::cuda::GradientRow;
  constexpr std::int64_t kSizes[] = {3, (std::int64_t{1} << 33) + 5, 0, (std::int64_t{1} << 40), 1};
  std::vector<GradientRow> rows;
  std::int64_t pieces = 0;
  for (const std::int64_t numel : kSizes) {
    rows.push_back({{nullptr, numel, amp::kFloat16}, pieces, 0, true});
    pieces += amp::ceil_div(numel, k::cuda::kPiece);
  }
  const auto place = [&](std::int64_t n) {
    const std::int64_t row = k::cuda::row_with(rows.data(), 5, &GradientRow::first_piece, n);
    const GradientRow& found = rows[static_cast<std::size_t>(row)];
    const k::cuda::Range range =
        k::cuda::piece_range(n, found.first_piece, found.numel(), k::cuda::kPiece);
    return std::vector<std::int64_t>{row, range.begin, range.end};
  };
  constexpr std::int64_t kFirst = (std::int64_t{1} << 33) / 4096 + 1;  // pieces of row 1
  using Place3 = std::vector<std::int64_t>;
  CHECK(place(0) == Place3{0, 0, 3});
  CHECK(place(1) == Place3{1, 0, 4096});
  CHECK(place(kFirst) == Place3{1, std::int64_t{1} << 33, (std::int64_t{1} << 33) + 5});
  CHECK(place(kFirst + 1) == Place3{3, 0, 4096});
  CHECK(place(pieces - 2) == Place3{3, (std::int64_t{1} << 40) - 4096, std::int64_t{1} << 40});
  CHECK(place(pieces - 1) == Place3{4, 0, 1});
  // Blocks share all pieces, in order, alike.
  constexpr std::int64_t kBlocks = 8192;
  std::int64_t next = 0;
  for (std::int64_t b = 0; b < kBlocks; ++b) {
    const k::cuda::Range share = k::cuda::share_of(pieces, b, kBlocks);
    REQUIRE(share.begin == next);
    REQUIRE(std::abs((share.end - share.begin) - pieces / kBlocks) <= 1);
    next = share.end;
  }
  CHECK(next == pieces);
}

}  // namespace
}  // namespace cuda_pieces
