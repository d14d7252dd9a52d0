// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Training without amp's tensors: the program owns all memory, and forward and backward are written
// by hand. Weights, activations and gradients are float16; amp scales the loss, tests the
// gradients, updates the float32 masters and steps. Then the same with a step that is written by
// hand as well. 11_raw_memory_cuda.cu is this file compiled by nvcc: each function object is then a
// kernel.
#include <amp/optim.hpp>
#include <amp/scaler.hpp>
#include <amp/types.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <vector>

#if defined(__CUDACC__)
#include <amp/cuda.hpp>
#endif

namespace {

using amp::half;

void expect(bool holds, const char* claim) {
  if (holds) return;
  std::fprintf(stderr, "raw_memory: it does not hold that %s\n", claim);
  std::exit(EXIT_FAILURE);
}

#if defined(__CUDACC__)

constexpr amp::Device kDevice = amp::kCUDA;
cudaStream_t stream = nullptr;

template <class Body>
__global__ void kernel(int n, Body body) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) body(i);
}
template <class Body>
void run(int n, const Body& body) {
  constexpr int kThreads = 256;
  kernel<<<(n + kThreads - 1) / kThreads, kThreads, 0, stream>>>(n, body);
  expect(cudaGetLastError() == cudaSuccess, "a kernel can be launched");
}
/// Waits until the host may read the results of kernels.
void wait() { expect(cudaStreamSynchronize(stream) == cudaSuccess, "kernels end well"); }

void* allocate(std::size_t bytes) {
  void* memory = nullptr;
  expect(cudaMallocManaged(&memory, bytes) == cudaSuccess, "there is memory");
  return memory;
}
struct Free {
  void operator()(void* memory) const { cudaFree(memory); }
};

#else

constexpr amp::Device kDevice = amp::kCPU;

template <class Body>
void run(int n, const Body& body) {
  for (int i = 0; i < n; ++i) body(i);
}
void wait() {}
void* allocate(std::size_t bytes) { return std::malloc(bytes); }
struct Free {
  void operator()(void* memory) const { std::free(memory); }
};

#endif

template <class T>
class Buffer {
 public:
  explicit Buffer(int n)
      : memory_(static_cast<T*>(allocate(static_cast<std::size_t>(n) * sizeof(T)))) {}
  T* get() const { return memory_.get(); }
  T& operator[](int i) const { return get()[i]; }

 private:
  std::unique_ptr<T, Free> memory_;
};

constexpr int kBatch = 128, kIn = 8, kHidden = 32, kOut = 4;

/// y = x w^T + b, optionally with relu: element i of y, [rows, out]. Sums are float32.
struct LinearForward {
  const half *x, *w, *b;
  half* y;
  int in, out;
  bool relu;

  AMP_HOST_DEVICE void operator()(int i) const {
    const int row = i / out, column = i % out;
    float sum = static_cast<float>(b[column]);
    for (int k = 0; k < in; ++k)
      sum += static_cast<float>(x[row * in + k]) * static_cast<float>(w[column * in + k]);
    y[i] = half(relu && sum < 0 ? 0.0F : sum);
  }
};

/// Row i of dw = dy^T x, [out, in], and element i of db, the sum of dy over all rows.
struct LinearBackwardWeight {
  const half *dy, *x;
  half *dw, *db;
  int rows, in, out;

  AMP_HOST_DEVICE void operator()(int i) const {
    float bias = 0;
    for (int row = 0; row < rows; ++row) bias += static_cast<float>(dy[row * out + i]);
    db[i] = half(bias);
    for (int k = 0; k < in; ++k) {
      float sum = 0;
      for (int row = 0; row < rows; ++row)
        sum += static_cast<float>(dy[row * out + i]) * static_cast<float>(x[row * in + k]);
      dw[i * in + k] = half(sum);
    }
  }
};

/// Element i of dx = dy w, [rows, in], behind the relu that made x.
struct LinearBackwardInput {
  const half *dy, *w, *x;
  half* dx;
  int in, out;

  AMP_HOST_DEVICE void operator()(int i) const {
    const int row = i / in, column = i % in;
    float sum = 0;
    for (int k = 0; k < out; ++k)
      sum += static_cast<float>(dy[row * out + k]) * static_cast<float>(w[k * in + column]);
    dx[i] = half(static_cast<float>(x[i]) > 0 ? sum : 0.0F);
  }
};

/// Row i: cross entropy, and its gradient times the loss scale, which is on the device.
struct CrossEntropy {
  const half* logits;
  const int* classes;
  const float* scale;
  half* gradient;
  float* loss;

  AMP_HOST_DEVICE void operator()(int i) const {
    const half* const x = logits + i * kOut;
    float largest = static_cast<float>(x[0]), sum = 0;
    for (int k = 1; k < kOut; ++k) largest = fmaxf(largest, static_cast<float>(x[k]));
    for (int k = 0; k < kOut; ++k) sum += expf(static_cast<float>(x[k]) - largest);
    loss[i] = largest + logf(sum) - static_cast<float>(x[classes[i]]);
    for (int k = 0; k < kOut; ++k) {
      const float p = expf(static_cast<float>(x[k]) - largest) / sum;
      gradient[i * kOut + k] = half((p - (k == classes[i] ? 1.0F : 0.0F)) * *scale / kBatch);
    }
  }
};

/// A step written by hand: unscales, clips and skips by itself, in float32.
struct SgdStep {
  float* masters;
  half* weights;
  const half* gradients;
  float rate;
  amp::GradScale scale;

  AMP_HOST_DEVICE void operator()(int i) const {
    if (scale.skips()) return;
    const float factor = static_cast<float>(scale.factor(amp::kFloat16));
    masters[i] -= rate * factor * static_cast<float>(gradients[i]);
    weights[i] = half(masters[i]);
  }
};

struct Network {
  static constexpr int kW1 = 0, kB1 = kW1 + kHidden * kIn, kW2 = kB1 + kHidden,
                       kB2 = kW2 + kOut * kHidden, kSize = kB2 + kOut;

  Buffer<half> weights{kSize}, gradients{kSize};
  Buffer<half> x{kBatch * kIn}, hidden{kBatch * kHidden}, d_hidden{kBatch * kHidden};
  Buffer<half> logits{kBatch * kOut}, d_logits{kBatch * kOut};
  Buffer<float> losses{kBatch};
  Buffer<int> classes{kBatch};

  /// Points; their class is the direction, one of four, in which they lie farthest.
  Network() {
    std::mt19937 random(10);
    std::normal_distribution<float> normal;
    float directions[kOut][kIn];
    for (auto& direction : directions)
      for (float& number : direction) number = normal(random);
    for (int i = 0; i < kBatch; ++i) {
      float products[kOut] = {};
      for (int k = 0; k < kIn; ++k) {
        const float number = normal(random);
        x[i * kIn + k] = half(number);
        for (int c = 0; c < kOut; ++c) products[c] += number * directions[c][k];
      }
      classes[i] = 0;
      for (int c = 1; c < kOut; ++c)
        if (products[c] > products[classes[i]]) classes[i] = c;
    }
    for (int i = 0; i < kSize; ++i) {
      const bool bias = (i >= kB1 && i < kW2) || i >= kB2;
      weights[i] = half(bias ? 0.0F : 0.3F * normal(random));
      gradients[i] = half(0.0F);
    }
  }

  amp::ParameterView part(const char* name, int begin, int count) const {
    return {.weight = {weights.get() + begin, count, amp::kFloat16, kDevice, name},
            .gradient = {gradients.get() + begin, count, amp::kFloat16, kDevice}};
  }
  std::vector<amp::ParameterView> parts() const {
    return {part("w1", kW1, kB1 - kW1), part("b1", kB1, kW2 - kB1), part("w2", kW2, kB2 - kW2),
            part("b2", kB2, kSize - kB2)};
  }

  void forward_backward(const float* scale) const {
    half* const w = weights.get();
    half* const d = gradients.get();
    run(kBatch * kHidden,
        LinearForward{x.get(), w + kW1, w + kB1, hidden.get(), kIn, kHidden, true});
    run(kBatch * kOut,
        LinearForward{hidden.get(), w + kW2, w + kB2, logits.get(), kHidden, kOut, false});
    run(kBatch, CrossEntropy{logits.get(), classes.get(), scale, d_logits.get(), losses.get()});
    run(kOut, LinearBackwardWeight{d_logits.get(), hidden.get(), d + kW2, d + kB2, kBatch, kHidden,
                                   kOut});
    run(kBatch * kHidden,
        LinearBackwardInput{d_logits.get(), w + kW2, hidden.get(), d_hidden.get(), kHidden, kOut});
    run(kHidden,
        LinearBackwardWeight{d_hidden.get(), x.get(), d + kW1, d + kB1, kBatch, kIn, kHidden});
  }

  double mean_loss() const {
    wait();
    double sum = 0;
    for (int i = 0; i < kBatch; ++i) sum += losses[i];
    return sum / kBatch;
  }
};

/// The loop is the same for amp's optimizer and for the one of this program. All work goes to the
/// stream of the guard in main, and the host waits only to print.
template <class Optimizer>
void train(const char* name, const Network& network, Optimizer& optimizer) {
  amp::GradScaler scaler({.init_scale = 0x1p24, .growth_interval = 50});  // too high at first
  const float* const scale = scaler.scale_data(kDevice);
  double before = 0;
  for (int step = 0; step <= 300; ++step) {
    network.forward_backward(scale);
    if (step == 0) before = network.mean_loss();
    const amp::Tensor norm = scaler.unscale_and_clip(optimizer, 1.0);
    scaler.step(optimizer);
    scaler.update();
    if (step % 100 == 0 && step > 0)
      std::printf("%-13s  step %3d  loss %.4f  norm %.4f  scale %g\n", name, step,
                  network.mean_loss(), norm.item<double>(), scaler.get_scale());
  }
  expect(scaler.counters().skipped > 0, "a scale that is too high is found and lowered");
  expect(scaler.counters().applied > 250, "most steps are applied");
  expect(network.mean_loss() < 0.2 * before, "the network learns");
}

void train_both() {
  const Network first;
  amp::AdamW adam(first.parts(), {.lr = 0.01, .storage = amp::WeightStorage::kMaster});
  train("amp's AdamW", first, adam);

  const Network second;
  const Buffer<float> masters(Network::kSize);
  for (int i = 0; i < Network::kSize; ++i) masters[i] = static_cast<float>(second.weights[i]);
  std::vector<amp::TensorView> gradients;
  for (const amp::ParameterView& part : second.parts()) gradients.push_back(part.gradient);
  amp::PlainOptimizer sgd(gradients, [&](const amp::GradScale& words) {
    run(Network::kSize,
        SgdStep{masters.get(), second.weights.get(), second.gradients.get(), 0.5F, words});
  });
  train("one's own SGD", second, sgd);
}

}  // namespace

int main() try {
#if defined(__CUDACC__)
  if (!amp::is_available(amp::kCUDA)) {
    std::fprintf(stderr, "raw_memory: there is no GPU\n");
    return 77;
  }
  expect(cudaStreamCreate(&stream) == cudaSuccess, "there is a stream");
  {
    const amp::StreamGuard guard(kDevice, stream);  // amp's work in order with the program's
    train_both();
  }
  wait();
  amp::cuda::release_stream(stream);
  cudaStreamDestroy(stream);
#else
  train_both();
#endif
} catch (const amp::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
