// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Operations of all ranks of a group together. The engines are <amp/distributed/nccl.hpp> for GPUs,
// <amp/distributed/mpi.hpp> for the memory of the host, and thread_group.hpp within one process.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "amp/core/error.hpp"
#include "amp/core/refcount.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// What is thrown if the ranks of a group cannot work together any more: one of them has ended,
/// does not answer within the timeout, or has thrown. The communicator cannot be used after it.
class AMP_EXPORT CommunicationError : public Error {
 public:
  using Error::Error;
};

/// What a collective makes of the elements of all ranks.
enum class ReduceOp : std::uint8_t {
  /// The sum. Elements of 16 bits are added in float32, and the sum is rounded once.
  kSum,
  /// For float32 words such as found_inf: not 0 if the word is not 0 on any rank. NaN counts.
  kAny,
};

/// An operation of all ranks that was begun, and that may not be finished yet. Its memory must not
/// be used before wait(), and must live until then.
class Collective {
 public:
  /// How an engine waits for one.
  class AMP_EXPORT Work : public RefCounted {
   public:
    /// Returns when the operation is done. Throws if it failed.
    virtual void wait() = 0;
  };

  /// One that is finished.
  Collective() = default;
  explicit Collective(Ref<Work> work) : work_(std::move(work)) {}

  /// Memory of the host: returns when the result is there. Memory of a GPU: what this thread
  /// enqueues on its current stream from now on comes after the operation, and the host does not
  /// wait. Throws CommunicationError. A second call does nothing.
  void wait() {
    if (work_) work_->wait();
    work_.reset();
  }
  /// Whether wait() has been called, or was not needed.
  bool is_finished() const { return !work_; }

 private:
  Ref<Work> work_;
};

/// A group of processes, or of threads, that work together: rank() of size(). All ranks make the
/// same calls, with arguments that agree, in the same order.
///
/// Memory: dense and on a device that the communicator takes. Operations are in place. On a GPU
/// they are ordered after what the current stream had before the call.
/// Results: all ranks get the same bits.
/// Errors: amp::Error for arguments that cannot work, before anything was begun.
/// CommunicationError, from any call, if another rank fails, at the latest after a timeout; it
/// names the ranks that did not come, if the engine can know them. Threads: one at a time.
///
/// ```cpp
/// amp::ThreadGroup::run(2, [](amp::Communicator& world) {
///   const amp::Tensor x = amp::full({3}, 1 + world.rank());
///   world.all_reduce(x).wait();
///   assert(x.to_vector<float>()[0] == 3);
/// });
/// ```
class AMP_EXPORT Communicator {
 public:
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  virtual ~Communicator();

  /// The number of this rank, from 0 to size() - 1.
  int rank() const { return rank_; }
  /// How many ranks there are.
  int size() const { return size_; }
  /// Whether memory of this device can be used.
  virtual bool takes(Device device) const = 0;
  /// "mpi", "nccl", "threads"
  virtual std::string_view engine() const = 0;

  /// values[i] = sum of values[i] of all ranks, or what `op` says. kSum takes float64, float32,
  /// float16, bfloat16, int64 and int32; kAny takes float32.
  Collective all_reduce(const TensorView& values, ReduceOp op = ReduceOp::kSum);
  /// `values` are size() parts of the same length, whose part rank() becomes the sum of that part
  /// on all ranks. The other parts are left undefined. Dtypes: those of all_reduce with kSum.
  Collective reduce_scatter(const TensorView& values);
  /// `values` are size() parts of the same length: part r becomes what rank r has there. Any dtype.
  Collective all_gather(const TensorView& values);
  /// `values` become those of rank `root`. Any dtype.
  Collective broadcast(const TensorView& values, int root = 0);
  /// Returns when all ranks have called it. Waits for work on a GPU that was given to the
  /// communicator before.
  void barrier();

  /// The same for the elements of a contiguous tensor, whose version moves.
  Collective all_reduce(const Tensor& values, ReduceOp op = ReduceOp::kSum);
  Collective reduce_scatter(const Tensor& values);
  Collective all_gather(const Tensor& values);
  Collective broadcast(const Tensor& values, int root = 0);

 protected:
  Communicator(int rank, int size);

  // The arguments were checked, and there are elements. Called for size() 1, too.
  virtual Collective begin_all_reduce(const TensorView& values, ReduceOp op) = 0;
  virtual Collective begin_reduce_scatter(const TensorView& values) = 0;
  virtual Collective begin_all_gather(const TensorView& values) = 0;
  virtual Collective begin_broadcast(const TensorView& values, int root) = 0;
  virtual void run_barrier() = 0;

  /// From now on every call throws a CommunicationError with this text; throws the first.
  [[noreturn]] void fail(std::string message);
  /// Throws if fail() was called before.
  void require_working() const;
  bool has_failed() const { return !failure_.empty(); }

 private:
  void check(std::string_view call, const TensorView& values) const;
  void check_summable(std::string_view call, DType dtype) const;
  void check_parts(std::string_view call, const TensorView& values) const;

  int rank_, size_;
  std::string failure_;
};

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/distributed/communicator.ipp"
#endif
