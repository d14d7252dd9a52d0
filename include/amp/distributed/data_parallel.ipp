// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include "amp/core/error.hpp"
#include "amp/distributed/data_parallel.hpp"
#include "amp/distributed/gradient_reducer.hpp"
#include "amp/ops/arithmetic.hpp"

namespace amp::inline v0 {

AMP_COLD DataParallel::DataParallel(const nn::Module& model, Communicator& communicator,
                                    const DataParallelOptions& options)
    : reducer_(detail::or_out_of_memory([&] {
        return make_ref<detail::GradientReducer>(model.named_parameters(), model.named_buffers(),
                                                 communicator, options);
      })) {}

AMP_COLD DataParallel::DataParallel(const NamedTensors& parameters, Communicator& communicator,
                                    const DataParallelOptions& options)
    : reducer_(detail::or_out_of_memory([&] {
        return make_ref<detail::GradientReducer>(parameters, NamedTensors(), communicator, options);
      })) {}

AMP_COLD DataParallel::~DataParallel() { reducer_->detach(); }

AMP_COLD Communicator& DataParallel::communicator() const { return reducer_->communicator(); }

AMP_COLD Tensor DataParallel::weigh(const Tensor& loss, std::int64_t own,
                                    std::int64_t total) const {
  AMP_CHECK(own > 0 && own <= total, "weigh: `own` must lie in [1, `total`], but `own` is ", own,
            " and `total` ", total, "; a rank without samples calls backward_without_samples()");
  const double part = static_cast<double>(own) / static_cast<double>(total);
  return loss * (part * communicator().size());
}

AMP_COLD void DataParallel::backward_without_samples() { reducer_->end_without_samples(); }

AMP_COLD void DataParallel::check_parameters() { reducer_->check_parameters(); }

AMP_COLD DataParallelStatistics DataParallel::statistics() const { return reducer_->statistics(); }

AMP_COLD NoSyncGuard::NoSyncGuard(DataParallel& parallel)
    : reducer_(Ref<detail::GradientReducer>(&parallel.reducer())) {
  reducer_->pause();
}
AMP_COLD NoSyncGuard::~NoSyncGuard() { reducer_->go_on(); }

AMP_COLD AgreeCallback agreement(Communicator& communicator) {
  return detail::or_out_of_memory([&]() -> AgreeCallback {
    return [&communicator](const Tensor& found_inf) {
      communicator.all_reduce(found_inf, ReduceOp::kAny).wait();
    };
  });
}

}  // namespace amp::inline v0
