// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <exception>
#include <utility>

#include "amp/autograd/observer.hpp"

namespace amp::inline v0::autograd {

/// One event, told to all observers of the thread. Meanwhile the thread has none, so that what they
/// compute is not announced.
class Announcement {
 public:
  Announcement() : first_(std::exchange(amp::detail::grad_state().observer, nullptr)) {}
  ~Announcement() { amp::detail::grad_state().observer = first_; }
  Announcement(const Announcement&) = delete;
  Announcement& operator=(const Announcement&) = delete;

  /// Calls body(observer) for each. All are told before the first exception is thrown.
  template <class Body>
  void to_all(const Body& body) const {
    std::exception_ptr error;
    for (Observer* observer = first_; observer != nullptr; observer = observer->outer_) {
      try {
        body(*observer);
      } catch (...) {
        if (!error) error = std::current_exception();
      }
    }
    if (error) std::rethrow_exception(error);
  }
  template <class Body>
  void to_all_noexcept(const Body& body) const noexcept {
    for (Observer* observer = first_; observer != nullptr; observer = observer->outer_)
      body(*observer);
  }

 private:
  Observer* first_;
};

AMP_COLD ObserverGuard::ObserverGuard(Observer& observer) : observer_(observer) {
  observer.outer_ = std::exchange(amp::detail::grad_state().observer, &observer);
}

AMP_COLD ObserverGuard::~ObserverGuard() {
  Observer** place = &amp::detail::grad_state().observer;
  while (*place != nullptr && *place != &observer_) place = &(*place)->outer_;
  if (*place != nullptr) *place = observer_.outer_;
}

AMP_COLD void announce_op(const OpEvent& event) {
  Announcement().to_all([&](Observer& observer) { observer.op_begins(event); });
}
AMP_COLD void announce_op_end(const Tensor& result) {
  Announcement().to_all([&](Observer& observer) { observer.op_ends(result); });
}
AMP_COLD void announce_op_failure() noexcept {
  Announcement().to_all_noexcept([](Observer& observer) { observer.op_fails(); });
}
AMP_COLD void announce_cast(const CastEvent& event) {
  Announcement().to_all([&](Observer& observer) { observer.tensor_cast(event); });
}
AMP_COLD void announce_module(const std::string& path) {
  Announcement().to_all([&](Observer& observer) { observer.module_begins(path); });
}
AMP_COLD void announce_module_end() noexcept {
  Announcement().to_all_noexcept([](Observer& observer) { observer.module_ends(); });
}

AMP_COLD void BackwardEvent::begin(const Tensor& gradient) const {
  Announcement().to_all([&](Observer& observer) { observer.backward_begins(*node_, gradient); });
}
AMP_COLD void BackwardEvent::announce_end(std::span<const Tensor> gradients) {
  const Node& node = *std::exchange(node_, nullptr);
  Announcement().to_all([&](Observer& observer) { observer.backward_ends(node, gradients); });
}
AMP_COLD void BackwardEvent::fail() const noexcept {
  Announcement().to_all_noexcept([](Observer& observer) { observer.backward_fails(); });
}

}  // namespace amp::inline v0::autograd
