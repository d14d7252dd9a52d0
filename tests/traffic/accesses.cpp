// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The bytes that kernels ask for, counted as the compiler reports them (support/instrumented.hpp).
#include "traffic/accesses.hpp"

#include <cstdint>

#include "support/cuda/block.hpp"
#include "support/cuda/standin.hpp"
#include "support/instrumented.hpp"

namespace traffic {

Meter& Meter::instance() {
  static auto* const meter = new Meter();
  return *meter;
}

void Meter::close_launch() {
  bytes_.read += 32 * static_cast<std::int64_t>(read_.sectors.size());
  bytes_.written += 32 * static_cast<std::int64_t>(written_.sectors.size());
  read_.sectors.clear();
  written_.sectors.clear();
}

void Meter::reset() {
  close_launch();
  bytes_ = {};
}

Bytes Meter::bytes() {
  close_launch();
  return bytes_;
}

void Meter::access(const void* address, std::int64_t size, bool write) {
  if (busy_ || !standin::Block::running()) return;
  busy_ = true;
  const auto* const begin = static_cast<const char*>(address);
  if (launch_ != standin::toolkit().counters.launches) {
    close_launch();
    launch_ = standin::toolkit().counters.launches;
    block_begin_ = block_end_ = nullptr;  // freed since, it may be anything
  }
  if (begin < block_begin_ || begin + size > block_end_) {
    const auto [first, last] = standin::toolkit().block_of(begin);
    block_begin_ = static_cast<const char*>(first);
    block_end_ = static_cast<const char*>(last);
  }
  if (block_begin_ != nullptr && begin >= block_begin_ && begin + size <= block_end_) {
    (write ? bytes_.asked_written : bytes_.asked_read) += size;
    const auto number = reinterpret_cast<std::uintptr_t>(address);
    auto& sectors = (write ? written_ : read_).sectors;
    for (std::uintptr_t s = number / 32; s <= (number + static_cast<std::uintptr_t>(size) - 1) / 32;
         ++s)
      sectors.insert(s);
  }
  busy_ = false;
}

}  // namespace traffic

void instrumented::on_access(const Access& access) {
  auto* const address = const_cast<const void*>(access.address);
  const auto bytes = static_cast<std::int64_t>(access.bytes);
  if (access.reads) traffic::Meter::instance().access(address, bytes, false);
  if (access.writes) traffic::Meter::instance().access(address, bytes, true);
}
