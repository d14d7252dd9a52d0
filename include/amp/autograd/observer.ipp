// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <exception>
#include <utility>

#include "amp/autograd/node.hpp"
#include "amp/autograd/observer.hpp"

namespace amp::inline v0::autograd {

/// Calls all observers of the thread for one event. Meanwhile the thread has none, so that the ops
/// they call are not announced.
class Announcement {
 public:
  Announcement() : first_(std::exchange(amp::detail::grad_state().observers, nullptr)) {}
  ~Announcement() { amp::detail::grad_state().observers = first_; }
  Announcement(const Announcement&) = delete;
  Announcement& operator=(const Announcement&) = delete;

  /// Calls begin(observer) for each until one throws, and then fail(observer) for those before it.
  template <class Begin, class Fail>
  void begin(const Begin& begin, const Fail& fail) const {
    ObserverGuard* guard = first_;
    try {
      for (; guard != nullptr; guard = guard->outer_) begin(guard->observer_);
    } catch (...) {
      for (ObserverGuard* told = first_; told != guard; told = told->outer_) fail(told->observer_);
      throw;
    }
  }
  /// Calls body(observer) for each, and then throws the first exception.
  template <class Body>
  void to_all(const Body& body) const {
    std::exception_ptr error;
    for (ObserverGuard* guard = first_; guard != nullptr; guard = guard->outer_) {
      try {
        body(guard->observer_);
      } catch (...) {
        if (!error) error = std::current_exception();
      }
    }
    if (error) std::rethrow_exception(error);
  }
  template <class Body>
  void to_all_noexcept(const Body& body) const noexcept {
    for (ObserverGuard* guard = first_; guard != nullptr; guard = guard->outer_)
      body(guard->observer_);
  }

 private:
  ObserverGuard* first_;
};

AMP_COLD ObserverGuard::ObserverGuard(Observer& observer)
    : observer_(observer), outer_(std::exchange(amp::detail::grad_state().observers, this)) {}

AMP_COLD ObserverGuard::~ObserverGuard() {
  ObserverGuard** place = &amp::detail::grad_state().observers;
  while (*place != nullptr && *place != this) place = &(*place)->outer_;
  if (*place != nullptr) *place = outer_;
}

AMP_COLD void announce_op(const OpEvent& event) {
  Announcement().begin([&](Observer& observer) { observer.op_begins(event); },
                       [](Observer& observer) { observer.op_fails(); });
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
  Announcement().begin([&](Observer& observer) { observer.module_begins(path); },
                       [](Observer& observer) { observer.module_ends(); });
}
AMP_COLD void announce_module_end() noexcept {
  Announcement().to_all_noexcept([](Observer& observer) { observer.module_ends(); });
}

AMP_COLD void observed_backward(Node& node, const Tensor& gradient, std::span<Tensor> gradients,
                                const NodeSet* wanted) {
  Announcement().begin([&](Observer& observer) { observer.backward_begins(node, gradient); },
                       [](Observer& observer) { observer.backward_fails(); });
  try {
    node.backward(gradient, gradients, wanted);
  } catch (...) {
    Announcement().to_all_noexcept([](Observer& observer) { observer.backward_fails(); });
    throw;
  }
  Announcement().to_all([&](Observer& observer) { observer.backward_ends(node, gradients); });
}

}  // namespace amp::inline v0::autograd
