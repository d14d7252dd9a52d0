// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "amp/device/capture.hpp"
#include "amp/device/cuda/current_stream.hpp"
#include "amp/device/cuda/definitions.hpp"
#include "amp/device/cuda/graph.hpp"
#include "amp/device/cuda/memory.hpp"

namespace amp::inline v0::cuda {
namespace detail {

inline void require_no_outer_capture(const char* call, int device, cudaStream_t stream) {
  AMP_CHECK(!is_capturing(device, stream), call, ": the current stream of cuda:", device,
            " is being captured; a Graph cannot be part of another graph");
}

/// A capture of `stream` by this thread. It ends and is discarded unless end() is reached.
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

/// Records an event after all that its scope enqueues on a stream, or waits for the stream if it
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

struct Graph::Parts {
  using Capture = amp::detail::Capture;

  explicit Parts(int index) : device(kCUDA, index) {}

  std::unique_ptr<Capture> call(FunctionRef<void()> step,
                                std::shared_ptr<amp::detail::GraphMemory> memory,
                                bool is_recording) const;

  Device device;
  cudaStream_t stream = nullptr;
  cudaEvent_t replayed = nullptr;  // recorded by the last replay
  cudaGraphExec_t exec = nullptr;
  std::unique_ptr<Capture> recording;
};

AMP_CUDA_INLINE Graph::Graph(const GraphOptions& options)
    : parts_(std::make_unique<Parts>(options.device)) {
  AMP_CHECK(options.device >= 0 && options.device < detail::device_count(),
            "Graph: `device` must be one of the ", detail::device_count(),
            " of this machine, but is ", options.device);
  AMP_CHECK(options.warmup >= 1, "Graph: `warmup` must be at least 1, but is ", options.warmup);
  AMP_CHECK(!amp::detail::in_graph_call(),
            "Graph: this thread records a graph already; a graph cannot be part of another");
}

/// One call of the step, on the graph's stream.
inline std::unique_ptr<amp::detail::Capture> Graph::Parts::call(
    FunctionRef<void()> step, std::shared_ptr<amp::detail::GraphMemory> memory,
    bool is_recording) const {
  auto made = std::make_unique<Capture>(device, stream, std::move(memory), is_recording);
  const amp::detail::CaptureScope scope(*made);
  step();
  made->finish();
  return made;
}

AMP_CUDA_INLINE void Graph::record(FunctionRef<void()> step, int warmup) {
  Parts& graph = *parts_;
  const int index = graph.device.index;
  const detail::DeviceGuard device(index);
  const cudaStream_t outer = current_stream(index);
  detail::require_no_outer_capture("Graph", index, outer);
  graph.stream = detail::IdleStreams::instance().take(index);
  detail::memory_pool(index).make_private(graph.stream);
  AMP_CUDA_CALL(cudaEventCreateWithFlags, &graph.replayed, cudaEventDisableTiming);
  detail::wait_for(index, graph.stream, outer);
  {
    const StreamGuard stream(graph.device, graph.stream);
    const auto memory = std::make_shared<amp::detail::GraphMemory>();
    for (int i = 0; i < warmup; ++i) (void)graph.call(step, memory, false);
    detail::StreamCapture capture(index, graph.stream);
    graph.recording = graph.call(step, memory, true);
    graph.exec = capture.end();
  }
  detail::wait_for(index, outer, graph.stream);
}

AMP_CUDA_INLINE void Graph::replay() {
  AMP_CHECK(!amp::detail::in_graph_call(),
            "replay: this thread records a graph; a graph cannot be part of another");
  const Parts& graph = *parts_;
  const int index = graph.device.index;
  const detail::DeviceGuard device(index);
  const cudaStream_t stream = current_stream(index);
  detail::require_no_outer_capture("replay", index, stream);
  // CUDA orders the launches of a graph, but not the writes before them: the last launch, perhaps
  // on another stream, may still read what they change.
  AMP_CUDA_CALL(cudaStreamWaitEvent, stream, graph.replayed, 0);
  // If a later call fails, the destructor still knows what was enqueued before.
  const detail::RecordAtEnd record(graph.replayed, stream);
  graph.recording->before_replay();
  AMP_CUDA_CALL(cudaGraphLaunch, graph.exec, stream);
  graph.recording->after_replay();
}

AMP_CUDA_INLINE Graph::~Graph() {
  Parts& graph = *parts_;
  if (graph.stream == nullptr || detail::is_forked()) return;
  const int index = graph.device.index;
  detail::avoid_new_context(index);
  if (graph.replayed != nullptr) {
    // Memory is given back in the order of its stream, even if the host cannot wait.
    if (cudaStreamWaitEvent(graph.stream, graph.replayed, 0) != cudaSuccess)
      (void)cudaEventSynchronize(graph.replayed);
    (void)cudaEventDestroy(graph.replayed);
  }
  (void)cudaStreamSynchronize(graph.stream);
  if (graph.exec != nullptr) (void)cudaGraphExecDestroy(graph.exec);
  {
    const StreamGuard stream(graph.device, graph.stream);
    graph.recording.reset();
  }
  detail::memory_pool(index).end_private(graph.stream);
  detail::IdleStreams::instance().give_back(index, graph.stream);
}

}  // namespace amp::inline v0::cuda
