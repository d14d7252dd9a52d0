// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstring>
#include <iterator>

#include "amp/core/error.hpp"
#include "amp/device/capture.hpp"
#include "amp/device/host_memory.hpp"
#include "amp/device/memory.hpp"
#include "amp/kernels/unscale/host.hpp"
#include "amp/ops/tensor_members.hpp"
#include "amp/scaler/ledger.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0 {

AMP_LAZY_DEFINITION AMP_COLD std::int64_t LedgerPass::bad_gradients() const {
  return std::count_if(gradients.begin(), gradients.end(),
                       [](const LedgerEntry& entry) { return entry.is_bad(); });
}

AMP_LAZY_DEFINITION AMP_COLD std::vector<LedgerPass> GradientLedger::read() const {
  return detail::or_out_of_memory(
      [&] { return ledger_ != nullptr ? ledger_->read() : std::vector<LedgerPass>(); });
}
AMP_LAZY_DEFINITION AMP_COLD std::vector<LedgerPass> GradientLedger::poll() const {
  return detail::or_out_of_memory(
      [&] { return ledger_ != nullptr ? ledger_->poll() : std::vector<LedgerPass>(); });
}

namespace detail {

AMP_LAZY_DEFINITION AMP_COLD void GradientNames::add(std::string_view name) {
  or_out_of_memory([&] {
    if (count_ == next_.size()) next_.emplace_back();
    next_[count_].assign(name);
    ++count_;
  });
}

AMP_LAZY_DEFINITION AMP_COLD std::int64_t GradientNames::end(bool stays) {
  constexpr std::size_t kMost = 64;  // besides those of graphs
  ++ended_;
  for (List& list : lists_) {
    if (!std::equal(list.names.begin(), list.names.end(), next_.data(), next_.data() + count_))
      continue;
    list.used = ended_;
    list.stays = list.stays || stays;
    return list.number;
  }
  or_out_of_memory([&] {
    const auto end = next_.begin() + static_cast<std::ptrdiff_t>(count_);
    lists_.push_back({made_, ended_, stays, {next_.begin(), end}});
  });
  if (lists_.size() > kMost) {
    const auto oldest =
        std::min_element(lists_.begin(), lists_.end(), [](const List& a, const List& b) {
          return std::pair(a.stays, a.used) < std::pair(b.stays, b.used);
        });
    if (!oldest->stays) lists_.erase(oldest);
  }
  return made_++;
}

AMP_LAZY_DEFINITION AMP_COLD std::string GradientNames::name(std::int64_t list,
                                                             std::size_t gradient) const {
  for (const List& known : lists_) {
    if (known.number == list && gradient < known.names.size() && !known.names[gradient].empty())
      return known.names[gradient];
  }
  return "gradient " + std::to_string(gradient);
}

/// Allocates bytes of 0.
AMP_LAZY AMP_COLD Tensor make_ledger_bytes(Device device, std::int64_t bytes) {
  return zeros({bytes}, {.dtype = kUInt8, .device = device});
}

AMP_LAZY_DEFINITION AMP_COLD kernels::LedgerArgs Ledger::prepare(Device device, std::int64_t count,
                                                                 std::int64_t most) {
  if (rings_.empty() || rings_.back().memory.device() != device ||
      rings_.back().layout.capacity < count) {
    const kernels::LedgerLayout layout{
        depth_, (std::max)({count, most, rings_.empty() ? 0 : 2 * rings_.back().layout.capacity})};
    Tensor memory = make_ledger_bytes(device, layout.bytes());
    or_out_of_memory([&] { rings_.push_back({std::move(memory), layout}); });
  }
  const Ring& ring = rings_.back();
  ring.memory.mark_modified();  // a graph keeps what it writes
  kernels::LedgerArgs args;
  args.ring = static_cast<kernels::LedgerRing*>(ring.memory.raw_data());
  args.layout = ring.layout;
  args.names = names.end(in_graph_call());
  return args;
}

AMP_LAZY_DEFINITION AMP_COLD void Ledger::read(const void* bytes,
                                               const kernels::LedgerLayout& layout,
                                               std::vector<LedgerPass>& passes) const {
  const auto* const first = static_cast<const char*>(bytes);
  const auto take = [&](auto& value, std::int64_t offset) {
    std::memcpy(static_cast<void*>(&value), first + offset, sizeof value);
  };
  kernels::LedgerRing ring;
  take(ring, 0);
  for (std::int64_t n = (std::max)(std::int64_t{0}, ring.passes - layout.depth); n < ring.passes;
       ++n) {
    kernels::LedgerHeader header;
    std::int64_t offset = layout.offset(n);
    take(header, offset);
    offset += static_cast<std::int64_t>(sizeof header);
    LedgerPass& pass = passes.emplace_back();
    pass = {.number = header.cycle,
            .scale = header.scale,
            .found_inf = header.found_inf,
            .sanitized = header.sanitized,
            .losses = header.loss.count,
            .loss = header.loss.value,
            .loss_finite = !header.loss.bad,
            .scaled_loss_finite = !header.loss.scaled_bad,
            .gradients = {}};
    pass.gradients.resize(static_cast<std::size_t>(header.gradients));
    for (std::size_t g = 0; g < pass.gradients.size(); ++g) {
      LedgerEntry& entry = pass.gradients[g];
      take(static_cast<GradientSummary&>(entry), offset);
      offset += static_cast<std::int64_t>(sizeof(GradientSummary));
      entry.name = names.name(header.names, g);
    }
  }
}

AMP_LAZY_DEFINITION AMP_COLD std::vector<LedgerPass> Ledger::newest(
    std::vector<LedgerPass> passes) const {
  std::stable_sort(passes.begin(), passes.end(),
                   [](const LedgerPass& a, const LedgerPass& b) { return a.number < b.number; });
  const auto most = static_cast<std::size_t>(depth_);
  if (passes.size() > most)
    passes.erase(passes.begin(), passes.end() - static_cast<std::ptrdiff_t>(most));
  return passes;
}

AMP_LAZY_DEFINITION AMP_COLD std::vector<LedgerPass> Ledger::read() const {
  std::vector<LedgerPass> passes;
  for (const Ring& ring : rings_) {
    const Device device = ring.memory.device();
    const HostBuffer<char> bytes(device.type == kCPU ? 0 : ring.layout.bytes());
    if (device.type != kCPU)
      copy_bytes(kCPU, bytes.data(), device, ring.memory.raw_data(), ring.layout.bytes());
    read(device.type == kCPU ? ring.memory.raw_data() : bytes.data(), ring.layout, passes);
  }
  return newest(std::move(passes));
}

AMP_LAZY_DEFINITION AMP_COLD std::vector<LedgerPass> Ledger::poll() {
  std::vector<LedgerPass> passes;
  for (Ring& ring : rings_) {
    if (ring.memory.device().type == kCPU) {
      read(ring.memory.raw_data(), ring.layout, passes);
      continue;
    }
    if (!ring.copy.is_under_way()) {
      if (const void* const bytes = ring.copy.data()) {
        ring.arrived.clear();
        read(bytes, ring.layout, ring.arrived);
      }
      ring.copy.start(ring.memory.device(), ring.memory.raw_data(), ring.layout.bytes());
    }
    passes.insert(passes.end(), ring.arrived.begin(), ring.arrived.end());
  }
  return newest(std::move(passes));
}

AMP_LAZY_DEFINITION AMP_COLD std::shared_ptr<Ledger> Ledgers::of(const void* optimizer) {
  constexpr std::size_t kMost = 64;  // some may be of optimizers that are no more
  if (!exist()) return nullptr;
  for (const auto& [known, ledger] : all_) {
    if (known == optimizer) return ledger;
  }
  auto made = or_out_of_memory([&] { return std::make_shared<Ledger>(depth_); });
  if (all_.size() == kMost) all_.erase(all_.begin());
  return all_.emplace_back(optimizer, std::move(made)).second;
}

AMP_LAZY_DEFINITION AMP_COLD std::vector<GradientLedger> Ledgers::all() const {
  return or_out_of_memory([&] {
    std::vector<GradientLedger> ledgers;
    for (const auto& [optimizer, ledger] : all_) ledgers.emplace_back(ledger);
    return ledgers;
  });
}

AMP_LAZY_DEFINITION AMP_COLD kernels::LedgerClock* Ledgers::clock(Device device) {
  if (!clock_.defined()) clock_ = make_ledger_bytes(device, sizeof(kernels::LedgerClock));
  clock_.mark_modified();
  return static_cast<kernels::LedgerClock*>(clock_.raw_data());
}

AMP_LAZY_DEFINITION AMP_COLD void Ledgers::record_loss(const Tensor& loss, const Tensor& scaled) {
  if (!exist()) return;
  const Tensor values = loss.detach().contiguous(), products = scaled.detach().contiguous();
  const kernels::RecordLossArgs args{.device = loss.device(),
                                     .loss = values.raw_data(),
                                     .loss_dtype = values.dtype(),
                                     .scaled = products.raw_data(),
                                     .scaled_dtype = products.dtype(),
                                     .numel = values.numel(),
                                     .record = &clock(loss.device())->loss,
                                     .first = !has_loss_};
  kernels::record_loss(args.device, args);
  has_loss_ = true;
}

AMP_LAZY_DEFINITION AMP_COLD kernels::LedgerArgs Ledgers::prepare(Ledger* ledger, Device device,
                                                                  std::int64_t count,
                                                                  std::int64_t most,
                                                                  const float* scale) {
  if (ledger == nullptr) return {};
  kernels::LedgerArgs args = ledger->prepare(device, count, most);
  args.scale = scale;
  args.clock = clock(device);
  args.first = !std::exchange(has_pass_, true);
  args.with_loss = has_loss_;
  return args;
}

}  // namespace detail
}  // namespace amp::inline v0
