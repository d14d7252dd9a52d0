// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Files of tokens: numbers without header, one after the other, mapped into memory.
#pragma once

#include <concepts>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include "amp/core/config.hpp"
#include "amp/core/error.hpp"
#include "amp/core/file_mapping.hpp"
#include "amp/core/file_path.hpp"
#include "amp/core/input_file.hpp"
#include "amp/core/refcount.hpp"
#include "amp/data/dataset.hpp"
#include "amp/data/example.hpp"
#include "amp/tensor/factory.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::data {

/// Options of a TokenDataset.
struct TokenDatasetOptions {
  std::int64_t block_size = 1024;  ///< tokens of an example
  /// How far apart examples begin. With 1 there is one for each place in the file; with
  /// `block_size` they do not overlap.
  std::int64_t stride = 1;
};

/// Blocks of a file of tokens, numbers of type Token in the order of this machine, as NumPy's
/// `tofile` writes them: {tokens, the tokens that come one later}, int64 [block_size] each. The file
/// is read page by page as it is used, and may be larger than the memory; it must not become
/// shorter meanwhile.
template <std::integral Token = std::uint16_t>
class TokenDataset : public Dataset<TokenDataset<Token>> {
 public:
  /// Throws amp::Error if the file cannot be read, is not whole tokens, or has fewer than a block
  /// and one more.
  explicit TokenDataset(FilePath path, const TokenDatasetOptions& options = {})
      : options_(options) {
    AMP_CHECK(options.block_size > 0 && options.stride > 0, "TokenDataset: `block_size` is ",
              options.block_size, " and `stride` ", options.stride, "; expected at least 1");
    const amp::detail::InputFile file("TokenDataset", path);
    constexpr std::uint64_t kBytes = sizeof(Token);
    AMP_CHECK(file.size() % kBytes == 0, "TokenDataset: ", file.path(), " has ", file.size(),
              " bytes, which are no whole tokens of ", kBytes, " bytes");
    count_ = static_cast<std::int64_t>(file.size() / kBytes);
    AMP_CHECK(count_ > options.block_size, "TokenDataset: ", file.path(), " has ", count_,
              " tokens; a block of ", options.block_size, " and the token behind it need more");
    mapping_ = make_ref<amp::detail::FileMapping>(file);
  }

  /// The number of blocks.
  std::int64_t size() const { return (count_ - options_.block_size - 1) / options_.stride + 1; }
  /// A block and the tokens one later.
  Example<> get(std::int64_t index) const {
    const Example<> batch = get_batch({&index, 1});
    return {batch.data.select(0, 0), batch.target.select(0, 0)};
  }
  /// The batch of these blocks: int64 [N, block_size] each.
  Example<> get_batch(std::span<const std::int64_t> indices) const {
    const Shape shape{static_cast<std::int64_t>(indices.size()), options_.block_size};
    Example<> batch{empty(shape, {.dtype = kInt64}), empty(shape, {.dtype = kInt64})};
    auto* x = static_cast<std::int64_t*>(batch.data.raw_data());
    auto* y = static_cast<std::int64_t*>(batch.target.raw_data());
    for (const std::int64_t index : indices) {
      detail::check_index("TokenDataset", index, size());
      const Token* const from = tokens() + index * options_.stride;
      for (std::int64_t i = 0; i < options_.block_size; ++i) {
        *x++ = static_cast<std::int64_t>(from[i]);
        *y++ = static_cast<std::int64_t>(from[i + 1]);
      }
    }
    return batch;
  }

  /// All tokens of the file.
  std::span<const Token> all() const { return {tokens(), static_cast<std::size_t>(count_)}; }

 private:
  const Token* tokens() const { return reinterpret_cast<const Token*>(mapping_->at(0)); }

  TokenDatasetOptions options_;
  std::int64_t count_ = 0;
  Ref<amp::detail::FileMapping> mapping_;
};

}  // namespace amp::inline v0::data
