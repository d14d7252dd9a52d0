// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include "amp/distributed/communicator.hpp"
#include "amp/ops/tensor_members.hpp"

namespace amp::inline v0 {
namespace detail {

/// Returns the elements of a tensor that will be written, and bumps its version.
AMP_COLD TensorView elements_to_write(std::string_view call, const Tensor& tensor) {
  AMP_CHECK(tensor.defined(), call, ": the tensor is undefined");
  AMP_CHECK(tensor.is_contiguous(), call, ": the tensor ", describe(tensor),
            " must be contiguous, but has strides ", tensor.strides());
  void* const data = tensor.raw_data();
  tensor.impl().storage->bump_version();
  return {data, tensor.numel(), tensor.dtype(), tensor.device()};
}

}  // namespace detail

AMP_COLD Communicator::Communicator(int rank, int size) : rank_(rank), size_(size) {
  AMP_CHECK(size >= 1, "Communicator: `size` must be at least 1, but is ", size);
  AMP_CHECK(rank >= 0 && rank < size, "Communicator: `rank` must lie in [0, ", size, "), but is ",
            rank);
}

AMP_COLD Communicator::~Communicator() = default;

AMP_COLD void Communicator::fail(std::string message) {
  if (failure_.empty()) failure_ = std::move(message);
  throw CommunicationError(failure_);
}

AMP_COLD void Communicator::require_working() const {
  if (!failure_.empty()) throw CommunicationError(failure_);
}

AMP_COLD void Communicator::check_call(std::string_view call, const TensorView& values) const {
  require_working();
  AMP_CHECK(values.numel >= 0, call, ": `values` have ", values.numel, " elements");
  AMP_CHECK(values.data != nullptr || values.numel == 0, call, ": `values` have no memory");
  AMP_CHECK(takes(values.device), call, ": `values` are on ", values.device,
            ", which a communicator of ", engine(), " does not take",
            values.device.type == kCUDA ? "; for GPUs see <amp/distributed/nccl.hpp>" : "");
}

AMP_COLD void Communicator::check_summable(std::string_view call, DType dtype) const {
  AMP_CHECK(dtype == kFloat64 || dtype == kFloat32 || dtype == kFloat16 || dtype == kBFloat16 ||
                dtype == kInt64 || dtype == kInt32,
            call,
            ": sums are of float64, float32, float16, bfloat16, int64 or int32, but `values` are ",
            dtype);
}

AMP_COLD void Communicator::check_parts(std::string_view call, const TensorView& values) const {
  AMP_CHECK(values.numel % size_ == 0, call, ": ", values.numel,
            " elements cannot be cut into equal parts for ", size_, " ranks");
}

AMP_COLD Collective Communicator::all_reduce(const TensorView& values, ReduceOp op) {
  check_call("all_reduce", values);
  if (op == ReduceOp::kSum) check_summable("all_reduce", values.dtype);
  AMP_CHECK(op == ReduceOp::kSum || values.dtype == kFloat32,
            "all_reduce: ReduceOp::kAny is for float32 words, but `values` are ", values.dtype);
  if (values.numel == 0) return {};
  return begin_all_reduce(values, op);
}

AMP_COLD Collective Communicator::reduce_scatter(const TensorView& values) {
  check_call("reduce_scatter", values);
  check_summable("reduce_scatter", values.dtype);
  check_parts("reduce_scatter", values);
  if (values.numel == 0) return {};
  return begin_reduce_scatter(values);
}

AMP_COLD Collective Communicator::all_gather(const TensorView& values) {
  check_call("all_gather", values);
  check_parts("all_gather", values);
  if (values.numel == 0) return {};
  return begin_all_gather(values);
}

AMP_COLD Collective Communicator::broadcast(const TensorView& values, int root) {
  check_call("broadcast", values);
  AMP_CHECK(root >= 0 && root < size_, "broadcast: `root` must lie in [0, ", size_, "), but is ",
            root);
  if (values.numel == 0) return {};
  return begin_broadcast(values, root);
}

AMP_COLD void Communicator::barrier() {
  require_working();
  run_barrier();
}

AMP_COLD Collective Communicator::all_reduce(const Tensor& values, ReduceOp op) {
  return all_reduce(detail::elements_to_write("all_reduce", values), op);
}
AMP_COLD Collective Communicator::reduce_scatter(const Tensor& values) {
  return reduce_scatter(detail::elements_to_write("reduce_scatter", values));
}
AMP_COLD Collective Communicator::all_gather(const Tensor& values) {
  return all_gather(detail::elements_to_write("all_gather", values));
}
AMP_COLD Collective Communicator::broadcast(const Tensor& values, int root) {
  return broadcast(detail::elements_to_write("broadcast", values), root);
}

}  // namespace amp::inline v0
