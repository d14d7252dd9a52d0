// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// CUDA graphs of whole training steps: a function's work on a device, recorded once and replayed
// without the function.
#pragma once

#include <cuda_runtime.h>

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "amp/core/function_ref.hpp"
#include "amp/device/capture.hpp"
#include "amp/device/cuda/memory.hpp"

namespace amp::inline v0::cuda {

struct GraphOptions {
  int warmup = 3;  // calls before the one that is recorded; these do their work
  int device = 0;
};

namespace detail {

struct AMP_EXPORT CaptureCount {
  std::atomic<std::uint64_t> value = 0;
};

inline void require_no_outer_capture(const char* call, int device, cudaStream_t stream) {
  AMP_CHECK(!is_capturing(device, stream), call, ": the current stream of cuda:", device,
            " is being captured; a Graph cannot be part of another graph");
}

/// A capture of `stream` by this thread. Ends, and is thrown away, where end() was not reached.
class StreamCapture {
 public:
  StreamCapture(int device, cudaStream_t stream)
      : pool_(memory_pool(device)), device_(device), stream_(stream) {
    pool_.set_recording(stream, true);
    // Other threads may go on with work of their own.
    const cudaError_t status = cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    if (status == cudaSuccess) return;
    pool_.set_recording(stream, false);
    raise("cudaStreamBeginCapture", status);
  }
  StreamCapture(const StreamCapture&) = delete;
  StreamCapture& operator=(const StreamCapture&) = delete;
  ~StreamCapture() {
    if (stream_ != nullptr && finish() != cudaSuccess) (void)cudaGetLastError();
    if (graph_ != nullptr) (void)cudaGraphDestroy(graph_);
  }

  cudaGraphExec_t end() {
    if (const cudaError_t status = finish(); is_of_capture(status)) {
      (void)cudaGetLastError();
      amp::detail::fail(
          "Graph: the callable made a call, not through amp, that waits for the "
          "device or cannot be recorded for another reason (cudaStreamEndCapture: ",
          cudaGetErrorName(status), ")");
    } else {
      require(status, "cudaStreamEndCapture");
    }
    std::size_t nodes = 0;
    AMP_CUDA_CALL(cudaGraphGetNodes, graph_, nullptr, &nodes);
    AMP_CHECK(nodes != 0, "Graph: the callable gave cuda:", device_,
              " nothing to do; work of the host is not recorded");
    cudaGraphExec_t exec = nullptr;
    AMP_CUDA_CALL(cudaGraphInstantiate, &exec, graph_, 0);
    return exec;
  }

 private:
  cudaError_t finish() noexcept {
    const cudaStream_t stream = std::exchange(stream_, nullptr);
    const cudaError_t status = cudaStreamEndCapture(stream, &graph_);
    if (status != cudaSuccess && !is_of_capture(status)) {
      // Perhaps the error of an earlier launch: a stream that still captures can do nothing else.
      cudaGraph_t late = nullptr;
      if (cudaStreamEndCapture(stream, &late) == cudaSuccess) (void)cudaGraphDestroy(late);
    }
    pool_.set_recording(stream, false);
    return status;
  }

  MemoryPool& pool_;
  int device_;
  cudaStream_t stream_;
  cudaGraph_t graph_ = nullptr;
};

/// Records an event behind all that its scope enqueues on a stream; waits for the stream if it
/// cannot.
class RecordAtEnd {
 public:
  RecordAtEnd(cudaEvent_t event, cudaStream_t stream) : event_(event), stream_(stream) {}
  RecordAtEnd(const RecordAtEnd&) = delete;
  RecordAtEnd& operator=(const RecordAtEnd&) = delete;
  ~RecordAtEnd() {
    if (cudaEventRecord(event_, stream_) == cudaSuccess) return;
    (void)cudaGetLastError();
    (void)cudaStreamSynchronize(stream_);
  }

 private:
  cudaEvent_t event_;
  cudaStream_t stream_;
};

}  // namespace detail

/// A step, recorded once: its kernels run again at each replay(), in order, without the host code
/// between them.
///
/// The constructor calls `step` warmup + 1 times. The first `warmup` calls do their work, so that
/// the model takes as many steps; they leave behind the memory and the library handles that the
/// recording needs. The last is recorded, and does nothing: what it computes is there after the
/// first replay. All of these calls run on a stream of the graph's own. That stream waits for the
/// thread's current stream, and the current stream then waits for it. A replay goes to the current
/// stream, as any op does.
///
/// What is fixed: the tensors, their shapes and addresses, the host's decisions, the numbers that
/// it passed. Batches are copied to tensors made before (x.copy_(batch), before replay()) that live
/// as long as the graph, as does all that `step` reads; zero_grad() belongs into `step`. Tensors
/// that it leaves behind (a loss) have the last replay's values.
/// What is not: rand and dropout take the next numbers of the process' generator at each replay,
/// the learning rates of amp's optimizers, which outlive the graph, are those of then, and
/// schedules, scales, counts of steps and skips are on the device. Each replay moves the
/// versions of what it writes, so that low-precision copies made from it are made anew. The copies
/// of weights that `step` reads are the graph's own: optimizers write them in `step`; what was
/// changed otherwise is cast before the next replay.
///
/// Errors: amp::Error where `step` copies between host and device, waits for the device, uses
/// another device or stream, asks for memory that no warm-up had, enqueues nothing, or leaves a
/// GradScaler's cycle open; in a nested capture; where CUDA fails. What `step` throws passes
/// through. Nothing is left of the graph then; gradients of the failed call are to be forgotten.
/// Replays on several streams run one after the other, as they were enqueued.
/// Synchronisation: replay() never waits. The destructor waits for the last replay.
/// Memory: blocks that `step` asked for stay the graph's until it is destroyed; one cuBLAS
/// workspace. Threads: one at a time uses a graph. Others may work, and record graphs, meanwhile.
///
/// ```cpp
/// amp::Tensor x = amp::randn({8, 4}, {.device = amp::kCUDA}), loss;
/// amp::nn::Linear layer(4, 1);
/// layer->to(amp::kCUDA);
/// amp::SGD optimizer(layer->parameters(), {.lr = 0.1});
/// amp::cuda::Graph graph([&] {
///   optimizer.zero_grad();
///   loss = amp::mean(layer->forward(x));
///   loss.backward();
///   optimizer.step();
/// });
/// for (int step = 0; step < 100; ++step) {
///   x.copy_(amp::randn({8, 4}));
///   graph.replay();
/// }
/// ```
///
/// Source: CUDA Programming Guide, "CUDA Graphs"; torch.cuda.make_graphed_callables.
class Graph {
 public:
  template <std::invocable Step>
  [[nodiscard]] explicit Graph(Step&& step, const GraphOptions& options = {}) : Graph(options) {
    const auto call = [&] { (void)step(); };
    record(call, options.warmup);  // where this throws, the destructor tidies up
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph();

  /// Enqueues the step on the thread's current stream of the device. Does not synchronise. Throws
  /// while this thread records a graph.
  void replay();

 private:
  using Capture = amp::detail::Capture;

  explicit Graph(const GraphOptions& options);
  void record(FunctionRef<void()> step, int warmup);
  std::unique_ptr<Capture> call(FunctionRef<void()> step, bool recording);

  Device device_;
  cudaStream_t stream_ = nullptr;
  RngState* random_base_ = nullptr;  // on the device
  cudaEvent_t replayed_ = nullptr;   // the last time
  cudaGraphExec_t exec_ = nullptr;
  Capture::Graph shared_ = {.id = 0};  // of all calls
  std::unique_ptr<Capture> notes_;
};

inline Graph::Graph(const GraphOptions& options) : device_(kCUDA, options.device) {
  AMP_CHECK(options.device >= 0 && options.device < detail::device_count(),
            "Graph: `device` must be one of the ", detail::device_count(),
            " of this machine, but is ", options.device);
  AMP_CHECK(options.warmup >= 1, "Graph: `warmup` must be at least 1, but is ", options.warmup);
  AMP_CHECK(amp::detail::current_capture() == nullptr,
            "Graph: this thread records a graph already; a graph cannot be part of another");
}

/// One call of the step, on the graph's stream.
inline std::unique_ptr<Graph::Capture> Graph::call(FunctionRef<void()> step, bool recording) {
  const std::uint64_t id = process_state<detail::CaptureCount>().value.fetch_add(1) + 1;
  if (shared_.id == 0) shared_.id = id;
  auto notes = std::make_unique<Capture>(device_, stream_, id, shared_, recording);
  notes->random_base = random_base_;
  const amp::detail::CaptureScope scope(*notes);
  step();
  notes->require_accepted();
  notes->end_recording();
  notes->require_closed();
  return notes;
}

inline void Graph::record(FunctionRef<void()> step, int warmup) {
  const int index = device_.index;
  const detail::DeviceGuard device(index);
  const cudaStream_t outer = current_stream(index);
  detail::require_no_outer_capture("Graph", index, outer);
  stream_ = detail::IdleStreams::instance().take(index);
  detail::memory_pool(index).make_private(stream_);
  AMP_CUDA_CALL(cudaEventCreateWithFlags, &replayed_, cudaEventDisableTiming);
  detail::wait_for(index, stream_, outer);
  {
    const StreamGuard stream(device_, stream_);
    random_base_ = static_cast<RngState*>(allocate(device_, sizeof(RngState)));
    for (int i = 0; i < warmup; ++i) (void)call(step, false);
    detail::StreamCapture capture(index, stream_);
    notes_ = call(step, true);
    exec_ = capture.end();
  }
  detail::wait_for(index, outer, stream_);
}

inline void Graph::replay() {
  AMP_CHECK(amp::detail::current_capture() == nullptr,
            "replay: this thread records a graph; a graph cannot be part of another");
  const detail::DeviceGuard device(device_.index);
  const cudaStream_t stream = current_stream(device_.index);
  detail::require_no_outer_capture("replay", device_.index, stream);
  // CUDA orders the launches of a graph, but not the writes before them: the last launch, perhaps
  // on another stream, may still read what they change.
  AMP_CUDA_CALL(cudaStreamWaitEvent, stream, replayed_, 0);
  // Also where something fails in between, the destructor knows of what was enqueued before.
  const detail::RecordAtEnd record(replayed_, stream);
  notes_->prepare_replay();
  AMP_CUDA_CALL(cudaGraphLaunch, exec_, stream);
  notes_->end_replay();
}

inline Graph::~Graph() {
  if (stream_ == nullptr || detail::is_forked()) return;
  const int index = device_.index;
  if (replayed_ != nullptr) {
    // Memory is given back in the order of stream_, also where the host cannot wait.
    if (cudaStreamWaitEvent(stream_, replayed_, 0) != cudaSuccess)
      (void)cudaEventSynchronize(replayed_);
    (void)cudaEventDestroy(replayed_);
  }
  (void)cudaStreamSynchronize(stream_);
  if (exec_ != nullptr) (void)cudaGraphExecDestroy(exec_);
  {
    const StreamGuard stream(device_, stream_);
    notes_.reset();
    shared_.kept.clear();
    deallocate(device_, random_base_, sizeof(RngState));
  }
  detail::memory_pool(index).end_private(stream_);
  detail::IdleStreams::instance().give_back(index, stream_);
}

}  // namespace amp::inline v0::cuda
