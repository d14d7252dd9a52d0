// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// CUDA graphs of whole training steps: a function's work on a device, recorded once and replayed
// without the function.
#pragma once

#include <concepts>
#include <memory>

#include "amp/core/function_ref.hpp"

namespace amp::inline v0::cuda {

/// Options of a Graph.
struct GraphOptions {
  int warmup = 3;  // calls before the one that is recorded; these do their work
  int device = 0;
};

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
/// Errors: amp::Error if `step` copies between host and device, waits for the device, uses another
/// device or stream, asks for memory that no warm-up had, enqueues nothing, or leaves a
/// GradScaler's cycle open; in a nested capture; if CUDA fails. What `step` throws passes through.
/// Nothing is left of the graph then; discard the gradients of the failed call.
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
  /// Calls the step to warm up, then records it.
  template <std::invocable Step>
  [[nodiscard]] explicit Graph(Step&& step, const GraphOptions& options = {}) : Graph(options) {
    const auto call = [&] { (void)step(); };
    record(call, options.warmup);  // if this throws, the destructor cleans up
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph();

  /// Enqueues the step on the thread's current stream of the device. Does not synchronise. Throws
  /// while this thread records a graph.
  void replay();

 private:
  struct Parts;  // its state on the device, and the work of a replay besides the launch

  explicit Graph(const GraphOptions& options);
  void record(FunctionRef<void()> step, int warmup);

  std::unique_ptr<Parts> parts_;
};

}  // namespace amp::inline v0::cuda

#if AMP_HEADER_ONLY
#include "amp/device/cuda/graph.ipp"
#endif
