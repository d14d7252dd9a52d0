// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The ledger: a summary of each gradient in the last passes over an optimizer's gradients.
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

/// The summary of one gradient in a pass, and the name of its parameter: TensorView::name, which
/// amp's optimizers have if they were made of named parameters; else "gradient 137", its index in
/// the pass.
struct LedgerEntry : GradientSummary {
  std::string name;
};

/// One pass over the gradients of an optimizer.
struct LedgerPass {
  /// The number of the cycle, from 1 on; cycles in which gradients were tested are counted. The
  /// passes of several optimizers before one update() have the same number.
  std::int64_t number = 0;
  double scale = 0;
  bool found_inf = false;          // whether the step has to be skipped
  bool sanitized = false;          // whether OverflowPolicy::kSanitize changed a gradient
  std::int64_t losses = 0;         // the number of losses that were scaled before the pass
  double loss = 0;                 // the last loss, or the first that is not finite, scaled or not
  bool loss_finite = true;         // whether all losses were finite
  bool scaled_loss_finite = true;  // whether all scaled losses were finite
  std::vector<LedgerEntry> gradients;

  /// Returns the number of gradients that have an element that is not finite.
  AMP_LAZY std::int64_t bad_gradients() const;
};

namespace detail {

/// The names of the gradients of passes, as numbered lists. Each list is stored once; the device
/// stores only its number.
class GradientNames {
 public:
  void begin() { count_ = 0; }
  AMP_LAZY void add(std::string_view name);
  /// Returns the number of the list that was added since begin(). `stays`: a graph will use it.
  AMP_LAZY std::int64_t end(bool stays);
  AMP_LAZY std::string name(std::int64_t list, std::size_t gradient) const;

 private:
  struct List {
    std::int64_t number, used;
    bool stays;
    std::vector<std::string> names;
  };

  std::vector<std::string> next_;  // its memory is reused
  std::size_t count_ = 0;
  std::vector<List> lists_;
  std::int64_t made_ = 0, ended_ = 0;
};

/// The passes of one optimizer. If a pass has more gradients than any before, larger memory is
/// allocated; a recorded graph continues to write to the memory that it was recorded with.
class Ledger {
 public:
  explicit Ledger(std::int64_t depth) : depth_(depth) {}

  /// Returns the arguments by which the device records a pass over `count` gradients, whose names
  /// were collected. `most`: the largest number of gradients there may be, if that is known.
  AMP_LAZY kernels::LedgerArgs prepare(Device device, std::int64_t count, std::int64_t most);

  /// Returns the last passes, oldest first. Synchronises.
  AMP_LAZY std::vector<LedgerPass> read() const;
  /// Returns the passes of the last copy that arrived, and starts another one. Does not wait.
  AMP_LAZY std::vector<LedgerPass> poll();

  GradientNames names;

 private:
  struct Ring {
    Tensor memory;
    kernels::LedgerLayout layout;
    std::vector<LedgerPass> arrived = {};
    HostCopy copy = {};  // destroyed before the memory
  };

  AMP_LAZY void read(const void* bytes, const kernels::LedgerLayout& layout,
                     std::vector<LedgerPass>& passes) const;
  AMP_LAZY std::vector<LedgerPass> newest(std::vector<LedgerPass> passes) const;

  std::int64_t depth_;
  std::vector<Ring> rings_;
};

}  // namespace detail

/// The ledger of an optimizer: the last GradScalerOptions::ledger passes over its gradients,
/// including those of replayed graphs. It owns its memory, so that it may outlive scaler and
/// optimizer. It must not be used while another thread uses the scaler.
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
  /// A ledger without passes, as of a disabled scaler.
  GradientLedger() = default;
  explicit GradientLedger(std::shared_ptr<detail::Ledger> ledger) : ledger_(std::move(ledger)) {}

  /// Returns the passes until now, oldest first. Synchronises.
  AMP_LAZY std::vector<LedgerPass> read() const;
  /// Returns the passes that have reached the host, oldest first. They may be older than those of
  /// read(), and there are none at first. Starts a copy if none is under way, and does not wait for
  /// it: call it once in a while. On the CPU, the same as read().
  AMP_LAZY std::vector<LedgerPass> poll() const;

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
  /// Returns the ledger of an optimizer, which is created if needed; null without ledgers.
  AMP_LAZY std::shared_ptr<Ledger> of(const void* optimizer);
  AMP_LAZY std::vector<GradientLedger> all() const;

  AMP_LAZY void record_loss(const Tensor& loss, const Tensor& scaled);
  /// Returns the arguments by which a pass of this cycle is recorded; it is not if `ledger` is
  /// null.
  AMP_LAZY kernels::LedgerArgs prepare(Ledger* ledger, Device device, std::int64_t count,
                                       std::int64_t most, const float* scale);
  void end_cycle() { has_loss_ = has_pass_ = false; }

 private:
  AMP_LAZY kernels::LedgerClock* clock(Device device);

  std::int64_t depth_;
  Tensor clock_;
  bool has_loss_ = false, has_pass_ = false;  // in this cycle
  PoolVector<std::pair<const void*, std::shared_ptr<Ledger>>> all_;
};

}  // namespace detail
}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/scaler/ledger.ipp"
#endif
