// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Graph capture of the stand-in runtime: what a stream is told meanwhile is recorded, and done when
// the graph is launched. One stream per capture. Included by cuda_runtime.h.
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
struct CUgraph_st {
  std::vector<standin::Node> nodes;
};
using cudaGraph_t = CUgraph_st*;
struct CUgraphExec_st {
  std::vector<standin::Node> nodes;
};
using cudaGraphExec_t = CUgraphExec_st*;

inline cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  STANDIN_CALL("cudaStreamBeginCapture");
  if (stream == nullptr) return standin::failed(cudaErrorStreamCaptureUnsupported);
  if (stream->capture != nullptr) return standin::failed(cudaErrorIllegalState);
  stream->capture = std::make_unique<standin::Capture>();
  stream->capture->mode = mode;
  standin::toolkit().captures.insert(stream->capture.get());
  return cudaSuccess;
}
/// Ends the capture also where it was invalid; there is no graph then.
inline cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  STANDIN_CALL("cudaStreamEndCapture");
  *graph = nullptr;
  if (stream == nullptr || stream->capture == nullptr)
    return standin::failed(cudaErrorIllegalState);
  if (stream->capture->mode != cudaStreamCaptureModeRelaxed &&
      stream->capture->thread != std::this_thread::get_id())
    return standin::failed(cudaErrorStreamCaptureWrongThread);
  standin::toolkit().captures.erase(stream->capture.get());
  const auto capture = std::move(stream->capture);
  if (capture->invalid) return standin::failed(cudaErrorStreamCaptureInvalidated);
  *graph = new CUgraph_st{std::move(capture->nodes)};
  ++standin::toolkit().live.graphs;
  return cudaSuccess;
}
inline cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  STANDIN_CALL("cudaStreamIsCapturing");
  const standin::Capture* const capture = standin::capture_of(stream);
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
  *count = graph->nodes.size();
  return cudaSuccess;
}
inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph,
                                        unsigned long long = 0) {
  STANDIN_CALL("cudaGraphInstantiate");
  if (graph == nullptr) return standin::failed(cudaErrorInvalidValue);
  *exec = new CUgraphExec_st{graph->nodes};
  ++standin::toolkit().live.graphs;
  return cudaSuccess;
}
/// Not within a capture: there it would be a graph within a graph.
inline cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  STANDIN_STREAM_CALL("cudaGraphLaunch", stream);
  if (exec == nullptr) return standin::failed(cudaErrorInvalidValue);
  if (standin::Capture* const capture = standin::capture_of(stream)) {
    capture->invalid = true;
    return standin::failed(cudaErrorStreamCaptureUnsupported);
  }
  standin::toolkit().replay(exec->nodes);
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
