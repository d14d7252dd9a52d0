// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Graph capture of the stand-in runtime: work enqueued on its streams meanwhile is recorded, and
// done when the graph is launched. Included by cuda_runtime.h.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

enum cudaStreamCaptureMode {
  cudaStreamCaptureModeGlobal = 0,
  cudaStreamCaptureModeThreadLocal = 1,
  cudaStreamCaptureModeRelaxed = 2,
};
enum cudaStreamCaptureStatus {
  cudaStreamCaptureStatusNone = 0,
  cudaStreamCaptureStatusActive = 1,
  cudaStreamCaptureStatusInvalidated = 2,
};
namespace standin {

/// What was recorded; shared by a graph and what was made of it.
struct Recorded {
  std::vector<Node> nodes;
  std::vector<void*> allocated;  // by its allocation nodes

  Recorded(Capture& capture)
      : nodes(std::move(capture.nodes)), allocated(std::move(capture.allocated)) {}
  Recorded(const Recorded&) = delete;
  Recorded& operator=(const Recorded&) = delete;
  ~Recorded() {
    for (void* const address : allocated) {
      auto& memory = toolkit().memory;
      if (DeviceMemory::Block* const block = memory.find(address)) {
        if (!block->freed) memory.free(*block);
        memory.release(address, block->id);
      }
    }
  }
};

}  // namespace standin

struct CUgraph_st {
  std::shared_ptr<standin::Recorded> recorded;
};
using cudaGraph_t = CUgraph_st*;
struct CUgraphExec_st {
  std::shared_ptr<standin::Recorded> recorded;
  bool launched = false;
  std::shared_ptr<const standin::Moment> finished = {};  // its last launch
};
using cudaGraphExec_t = CUgraphExec_st*;

/// Does not fail, as no destructor that puts the former mode back could help it.
inline cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  *mode = static_cast<cudaStreamCaptureMode>(
      std::exchange(standin::toolkit().capture_mode(), static_cast<int>(*mode)));
  return cudaSuccess;
}
inline cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  STANDIN_CALL("cudaStreamBeginCapture");
  if (stream == nullptr) return standin::failed(cudaErrorStreamCaptureUnsupported);
  const standin::Inside inside;
  standin::Stream& origin = standin::toolkit().stream_of(stream, standin_device);
  if (origin.capture != nullptr) return standin::failed(cudaErrorIllegalState);
  origin.capture = std::make_shared<standin::Capture>();
  origin.capture->origin = &origin;
  origin.capture->mode = mode;
  origin.capture->streams.try_emplace(&origin);
  standin::toolkit().captures.insert(origin.capture.get());
  return cudaSuccess;
}
/// Ends the capture, even if it was invalid; there is no graph then.
inline cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  STANDIN_CALL("cudaStreamEndCapture");
  *graph = nullptr;
  if (stream == nullptr) return standin::failed(cudaErrorIllegalState);
  const standin::Inside inside;
  const auto capture = standin::toolkit().stream_of(stream, standin_device).capture;
  if (capture == nullptr) return standin::failed(cudaErrorIllegalState);
  if (capture->mode != cudaStreamCaptureModeRelaxed &&
      capture->thread != std::this_thread::get_id())
    return standin::failed(cudaErrorStreamCaptureWrongThread);
  if (capture->origin != stream) return standin::failed(cudaErrorStreamCaptureUnmatched);
  standin::toolkit().captures.erase(capture.get());
  bool joined = true;
  for (const auto& [other, of] : capture->streams) {
    other->capture = nullptr;
    joined = joined && (other == stream || of.joined == of.nodes);
  }
  const auto recorded = std::make_shared<standin::Recorded>(*capture);
  if (capture->invalid) return standin::failed(cudaErrorStreamCaptureInvalidated);
  if (!joined) return standin::failed(cudaErrorStreamCaptureUnjoined);
  *graph = new CUgraph_st{recorded};
  ++standin::toolkit().live.graphs;
  return cudaSuccess;
}
inline cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  STANDIN_CALL("cudaStreamIsCapturing");
  const standin::Capture* const capture = standin::capture_of(stream);
  if (stream == nullptr && standin::toolkit().captures_blocking(standin_device))
    return standin::failed(cudaErrorStreamCaptureImplicit);
  *status = capture == nullptr ? cudaStreamCaptureStatusNone
            : capture->invalid ? cudaStreamCaptureStatusInvalidated
                               : cudaStreamCaptureStatusActive;
  return cudaSuccess;
}
struct CUgraphNode_st;
using cudaGraphNode_t = CUgraphNode_st*;
/// Their number only.
inline cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes,
                                     std::size_t* count) {
  STANDIN_CALL("cudaGraphGetNodes");
  if (graph == nullptr || nodes != nullptr) return standin::failed(cudaErrorInvalidValue);
  *count = graph->recorded->nodes.size();
  return cudaSuccess;
}
inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph,
                                        unsigned long long = 0) {
  STANDIN_CALL("cudaGraphInstantiate");
  if (graph == nullptr) return standin::failed(cudaErrorInvalidValue);
  const standin::Inside inside;
  *exec = new CUgraphExec_st{graph->recorded};
  ++standin::toolkit().live.graphs;
  return cudaSuccess;
}
/// After the launch before. Not within a capture: there it would be a graph within a graph. Not
/// again while memory exists that the last launch allocated and did not free.
inline cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  STANDIN_STREAM_CALL("cudaGraphLaunch", stream);
  if (exec == nullptr) return standin::failed(cudaErrorInvalidValue);
  if (of_stream.capture != nullptr)
    return standin::spoiled(*of_stream.capture, cudaErrorStreamCaptureUnsupported);
  const standin::Inside inside;
  auto& toolkit = standin::toolkit();
  for (void* const address : exec->recorded->allocated) {
    const auto* const block = toolkit.memory.find(address);
    if (exec->launched && !block->freed) return standin::failed(cudaErrorInvalidValue);
  }
  exec->launched = true;
  ++toolkit.counters.graph_launches;
  if (exec->finished != nullptr) toolkit.add(of_stream, {.after = exec->finished});
  for (std::size_t i = 0; i < exec->recorded->nodes.size(); ++i) {
    standin::Counters tally = exec->recorded->nodes[i].tally;
    tally.graph_kernels = std::exchange(tally.launches, 0);
    toolkit.counters.add(tally);
    if (toolkit.idle) continue;
    if (const auto& add = exec->recorded->nodes[i].add) {
      add(of_stream);
    } else {
      toolkit.add(of_stream, {.run = [recorded = exec->recorded, i] { recorded->nodes[i].run(); }});
    }
  }
  exec->finished = toolkit.schedule.end_of(*of_stream.queue);
  return cudaSuccess;
}
inline cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  STANDIN_CALL("cudaGraphDestroy");
  delete graph;
  --standin::toolkit().live.graphs;
  return cudaSuccess;
}
inline cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  STANDIN_CALL("cudaGraphExecDestroy");
  delete exec;
  --standin::toolkit().live.graphs;
  return cudaSuccess;
}
