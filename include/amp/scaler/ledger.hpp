// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The overflow ledger: what the last passes over an optimizer's gradients saw of each of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "amp/core/object_pool.hpp"
#include "amp/device/host_copy.hpp"
#include "amp/kernels/unscale/ledger.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// What a pass saw of one gradient, and the name of its parameter: TensorView::name, as amp's
/// optimizers have it that were made of named parameters; else "gradient 137", by its number among
/// those of the pass.
struct LedgerEntry : GradientSummary {
  std::string name;
};

/// One pass over the gradients of an optimizer.
struct LedgerPass {
  /// Of the cycle, from 1 on: cycles of the scaler that looked at gradients are counted. So the
  /// passes of several optimizers before one update() have the same number.
  std::int64_t number = 0;
  double scale = 0;
  bool found_inf = false;   // whether the step has to be skipped
  bool sanitized = false;   // whether OverflowPolicy::kSanitize replaced something before the pass
  std::int64_t losses = 0;  // that scale() was given in the cycle, before the pass
  double loss = 0;          // the last, or the first that is not finite, scaled or not
  bool loss_finite = true;  // whether all were
  bool scaled_loss_finite = true;  // whether all were once scaled
  std::vector<LedgerEntry> gradients;

  /// How many gradients have an element that is not finite.
  std::int64_t bad_gradients() const;
};

namespace detail {

/// The names of the gradients of passes, as lists that are numbered: each list is kept once, as the
/// device knows them by number only.
class GradientNames {
 public:
  void begin() { count_ = 0; }
  void add(std::string_view name);
  /// The number of the list that was added since begin(). `stays`: a graph will go on naming it.
  std::int64_t end(bool stays);
  std::string name(std::int64_t list, std::size_t gradient) const;

 private:
  struct List {
    std::int64_t number, used;
    bool stays;
    std::vector<std::string> names;
  };

  std::vector<std::string> next_;  // its memory is kept
  std::size_t count_ = 0;
  std::vector<List> lists_;
  std::int64_t made_ = 0, ended_ = 0;
};

/// The passes of one optimizer. The memory is larger than what was there before if there are more
/// gradients than ever; a graph that was recorded goes on writing to the one that it knows.
class Ledger {
 public:
  explicit Ledger(std::int64_t depth) : depth_(depth) {}

  /// Where the device is to record a pass over `count` gradients, whose names were collected.
  /// `most`: how many there may be, as far as that is known.
  kernels::LedgerArgs prepare(Device device, std::int64_t count, std::int64_t most);

  /// The last passes, oldest first. Synchronises.
  std::vector<LedgerPass> read() const;
  /// Those of the last copy that arrived; begins another one. Does not wait.
  std::vector<LedgerPass> poll();

  GradientNames names;

 private:
  struct Ring {
    Tensor memory;
    kernels::LedgerLayout layout;
    std::vector<LedgerPass> arrived = {};
    HostCopy copy = {};  // gone before the memory
  };

  void read(const void* bytes, const kernels::LedgerLayout& layout,
            std::vector<LedgerPass>& passes) const;
  std::vector<LedgerPass> newest(std::vector<LedgerPass> passes) const;

  std::int64_t depth_;
  std::vector<Ring> rings_;
};

}  // namespace detail

/// The ledger of an optimizer: the last passes over its gradients, as many as
/// GradScalerOptions::ledger says, those of graphs that were replayed among them. Owns its memory:
/// it outlives scaler and optimizer, and is right whenever it is read. Not for use while another
/// thread uses the scaler.
///
/// ```cpp
/// const amp::Tensor w = amp::ones({2}, {.requires_grad = true});
/// amp::SGD optimizer(amp::NamedTensors{{"fc.weight", w}}, {.lr = 0.1});
/// amp::GradScaler scaler({.ledger = 16});
/// scaler.scale(amp::sum(w * amp::tensor({1.0, 1e38}, {2}))).backward();
/// scaler.step(optimizer);
/// scaler.update();
/// const amp::LedgerPass last = scaler.ledger(optimizer).read().back();
/// assert(last.found_inf && last.gradients[0].name == "fc.weight");
/// assert(last.gradients[0].first_bad == 1);
/// ```
class GradientLedger {
 public:
  /// Without passes: that of a disabled scaler.
  GradientLedger() = default;
  explicit GradientLedger(std::shared_ptr<detail::Ledger> ledger) : ledger_(std::move(ledger)) {}

  /// The passes until now, oldest first. Synchronises.
  std::vector<LedgerPass> read() const;
  /// The passes that have reached the host, oldest first: perhaps older ones than read() gives, and
  /// none at first. Begins to copy those of now if no copy is under way, and does not wait for it:
  /// to be called once in a while. On the CPU they are always those of now.
  std::vector<LedgerPass> poll() const;

 private:
  std::shared_ptr<detail::Ledger> ledger_;
};

namespace detail {

/// The ledgers of a scaler.
class Ledgers {
 public:
  /// No ledgers if `depth` is 0.
  explicit Ledgers(std::int64_t depth) : depth_(depth) {}

  bool exist() const { return depth_ != 0; }
  /// Of an optimizer, made if it is not there yet; null without ledgers.
  std::shared_ptr<Ledger> of(const void* optimizer);
  std::vector<GradientLedger> all() const;

  void record_loss(const Tensor& loss, const Tensor& scaled);
  /// Where a pass of this cycle goes; nowhere if `ledger` is null.
  kernels::LedgerArgs prepare(Ledger* ledger, Device device, std::int64_t count, std::int64_t most,
                              const float* scale);
  void end_cycle() { has_loss_ = has_pass_ = false; }

 private:
  kernels::LedgerClock* clock(Device device);

  std::int64_t depth_;
  Tensor clock_;
  bool has_loss_ = false, has_pass_ = false;  // the cycle
  PoolVector<std::pair<const void*, std::shared_ptr<Ledger>>> all_;
};

}  // namespace detail
}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/scaler/ledger.ipp"
#endif
