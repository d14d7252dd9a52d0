// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Collective operations: all ranks of a group take part. The engines are <amp/distributed/nccl.hpp>
// for GPUs, <amp/distributed/mpi.hpp> for host memory, and thread_group.hpp within one process.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "amp/core/error.hpp"
#include "amp/core/refcount.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {
namespace detail {
class CallsOf;
}

/// Thrown if the ranks of a group cannot work together any more: one of them has ended, does not
/// answer within the timeout, or has thrown. The communicator cannot be used afterwards.
class AMP_EXPORT CommunicationError : public Error {
 public:
  using Error::Error;
};

namespace detail {

/// The object that makes a call, in numbers that ranks compare: without them, calls of equal sizes
/// for different objects look alike.
struct RankCaller {
  std::int64_t parallel = 0;  ///< the DataParallel, from 1; 0: the program itself
  std::int64_t bucket = 0;    ///< its bucket, from 1; 0: none
};

}  // namespace detail

/// How all_reduce combines the values of the ranks.
enum class ReduceOp : std::uint8_t {
  /// The sum. Elements of 16 bits are added in float32, and the sum is rounded once.
  kSum,
  /// For float32 flags such as found_inf: nonzero if the value of any rank is nonzero or NaN.
  kAny,
};

/// A collective operation that was begun and may not be finished yet. The caller must neither use
/// nor free its memory before wait().
class Collective {
 public:
  /// The engine's part: how to wait for the operation.
  class AMP_EXPORT Work : public RefCounted {
   public:
    /// Returns when the operation is done. Throws if it failed.
    virtual void wait() = 0;
  };

  /// A finished operation.
  Collective() = default;
  explicit Collective(Ref<Work> work) : work_(std::move(work)) {}

  /// On host memory: returns when the result is there. On GPU memory: orders what this thread
  /// enqueues on its current stream from now on after the operation; the host does not wait.
  /// Throws CommunicationError if the operation failed. A second call does nothing.
  void wait() {
    if (work_) work_->wait();
    work_.reset();
  }
  /// Returns whether wait() has been called, or was not needed.
  bool is_finished() const { return !work_; }

 private:
  Ref<Work> work_;
};

/// A group of processes, or of threads, that work together: rank() of size(). All ranks must make
/// the same calls, with arguments that agree, in the same order.
///
/// Memory: dense, on a device for which takes() is true. Operations are in place. On a GPU they are
/// ordered after the work that the current stream had before the call.
/// Results: all ranks get the same bits.
/// Errors: throws amp::Error, before anything is begun, if an argument is invalid. Any call throws
/// CommunicationError if another rank fails, at the latest after a timeout; the message names the
/// missing ranks if the engine knows them.
/// Threads: one at a time.
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

  /// The index of this rank, in [0, size()).
  int rank() const { return rank_; }
  /// The number of ranks.
  int size() const { return size_; }
  /// Returns whether memory of this device can be used.
  virtual bool takes(Device device) const = 0;
  /// The name of the engine: "mpi", "nccl" or "threads".
  virtual std::string_view engine() const = 0;

  /// Sets values[i] to the sum of values[i] over all ranks, or to what `op` says. Dtypes: float64,
  /// float32, float16, bfloat16, int64 and int32 for kSum; float32 for kAny.
  Collective all_reduce(const TensorView& values, ReduceOp op = ReduceOp::kSum);
  /// Cuts `values` into size() parts of the same length, and sets part rank() to the sum of that
  /// part over all ranks. The other parts are undefined afterwards. Throws if size() does not
  /// divide the number of elements. Dtypes: those of all_reduce with kSum.
  Collective reduce_scatter(const TensorView& values);
  /// Cuts `values` into size() parts of the same length, and sets part r to part r of rank r.
  /// Throws if size() does not divide the number of elements. Any dtype.
  Collective all_gather(const TensorView& values);
  /// Sets `values` to those of rank `root`. Any dtype.
  Collective broadcast(const TensorView& values, int root = 0);
  /// Returns when all ranks have called it and earlier operations of the communicator on a GPU are
  /// finished. Synchronises.
  void barrier();

  /// The same operations on the elements of a contiguous tensor. Its version is bumped.
  Collective all_reduce(const Tensor& values, ReduceOp op = ReduceOp::kSum);
  Collective reduce_scatter(const Tensor& values);
  Collective all_gather(const Tensor& values);
  Collective broadcast(const Tensor& values, int root = 0);

 protected:
  Communicator(int rank, int size);

  // Engines implement these. The arguments were checked, and there is at least one element. Called
  // for size() 1 as well.
  virtual Collective begin_all_reduce(const TensorView& values, ReduceOp op) = 0;
  virtual Collective begin_reduce_scatter(const TensorView& values) = 0;
  virtual Collective begin_all_gather(const TensorView& values) = 0;
  virtual Collective begin_broadcast(const TensorView& values, int root) = 0;
  virtual void run_barrier() = 0;

  /// Makes every later call throw a CommunicationError with this text, and throws it. After a first
  /// failure, the text stays that of the first.
  [[noreturn]] void fail(std::string message);
  /// Throws if fail() was called before.
  void require_working() const;
  bool has_failed() const { return !failure_.empty(); }
  /// The object whose call this is. Engines that compare the calls of ranks compare it as well.
  const detail::RankCaller& caller() const { return caller_; }

 private:
  friend class detail::CallsOf;

  void check_call(std::string_view call, const TensorView& values) const;
  void check_summable(std::string_view call, DType dtype) const;
  void check_parts(std::string_view call, const TensorView& values) const;

  int rank_, size_;
  std::string failure_;
  detail::RankCaller caller_;
  std::int64_t parallels_ = 0;  // DataParallels made on it
};

namespace detail {

/// Calls that are made during its lifetime are those of `caller`.
class CallsOf {
 public:
  CallsOf(Communicator& communicator, const RankCaller& caller)
      : communicator_(communicator), before_(std::exchange(communicator.caller_, caller)) {}
  CallsOf(const CallsOf&) = delete;
  CallsOf& operator=(const CallsOf&) = delete;
  ~CallsOf() { communicator_.caller_ = before_; }

  /// Returns the number of a new DataParallel. Ranks that make theirs in the same order agree.
  static std::int64_t next_parallel(Communicator& communicator) {
    return ++communicator.parallels_;
  }

 private:
  Communicator& communicator_;
  RankCaller before_;
};

}  // namespace detail

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/distributed/communicator.ipp"
#endif
