// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The passes of a training step over all parameters: unscale and check, clip, Adam, and all of them
// together, on the 161 parameters of ResNet-50 and on one of 100 million numbers.
#include "measure.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace gpu_benchmark {
namespace {

using amp::kCUDA;
using amp::Tensor;

/// He et al., "Deep Residual Learning for Image Recognition", table 1: 50 layers, 1000 classes.
std::vector<amp::Shape> resnet50() {
  std::vector<amp::Shape> shapes;
  const auto convolution = [&](std::int64_t from, std::int64_t to, std::int64_t kernel) {
    shapes.push_back({to, from, kernel, kernel});
    shapes.push_back({to});  // weight and bias of its batch norm
    shapes.push_back({to});
  };
  convolution(3, 64, 7);
  std::int64_t channels = 64, width = 64;
  for (const int blocks : {3, 4, 6, 3}) {
    for (int block = 0; block < blocks; ++block) {
      convolution(channels, width, 1);
      convolution(width, width, 3);
      convolution(width, 4 * width, 1);
      if (block == 0) convolution(channels, 4 * width, 1);
      channels = 4 * width;
    }
    width *= 2;
  }
  shapes.push_back({1000, channels});
  shapes.push_back({1000});
  return shapes;
}

/// Parameters with gradients.
class Parameters {
 public:
  Parameters(const Settings& settings, Report& report, std::string name,
             const std::vector<amp::Shape>& shapes, amp::DType dtype = amp::kFloat32)
      : timer_(settings), report_(report), name_(std::move(name)), dtype_(dtype) {
    for (const amp::Shape& shape : shapes) {
      const amp::TensorOptions options{.dtype = dtype, .device = kCUDA};
      const Tensor p = (amp::randn(shape, options) * 0.01).detach().requires_grad_();
      p.set_grad(amp::randn(shape, options));
      numbers_ += static_cast<double>(p.numel());
      all_.push_back(p);
    }
  }

  void measure() {
    unscale();
    clip();
    adam();
    step();
  }
  /// The passes that read and write gradients only.
  void measure_gradients() {
    unscale();
    clip();
  }

 private:
  /// Returns the last numbers of some parameters, or of their gradients, on the host.
  [[nodiscard]] std::vector<Tensor> sample(bool gradients) const {
    std::vector<Tensor> samples;
    for (const std::size_t i : {std::size_t{0}, all_.size() / 2, all_.size() - 1}) {
      const Tensor x = (gradients ? all_[i].grad() : all_[i].detach()).flatten();
      const std::int64_t part = std::min<std::int64_t>(10000, x.numel());
      samples.push_back(x.narrow(0, x.numel() - part, part).to(amp::kCPU));
    }
    return samples;
  }

  void unscale() {
    std::vector<amp::kernels::GradientSpan> spans;
    for (const Tensor& p : all_)
      spans.push_back({const_cast<void*>(p.grad().operand().data), p.numel(), dtype_});
    const Tensor inverse = amp::full({}, 0.99999, {.device = kCUDA});
    Tensor found = amp::zeros({}, {.device = kCUDA});
    amp::kernels::DescriptorTable table;
    const auto run = [&] {
      amp::detail::unscale({.device = kCUDA,
                            .gradients = spans.data(),
                            .count = static_cast<std::int64_t>(spans.size()),
                            .inverse_scale = inverse.const_data<float>(),
                            .found_inf = found.data<float>(),
                            .write = true,
                            .table = &table});
    };
    const std::vector<Tensor> before = sample(true);
    run();
    double error = 0;
    const std::vector<Tensor> after = sample(true);
    for (std::size_t i = 0; i < before.size(); ++i)
      error = std::fmax(error, check_close("unscale", before[i] * 0.99999, after[i], limit()));
    check_found(found, 0);
    Tensor last = all_.back().grad();
    last.flatten().narrow(0, last.numel() - 1, 1).fill_(std::numeric_limits<double>::infinity());
    run();
    check_found(found, 1);
    last.fill_(0.5);
    found.zero_();
    report_.add("unscale_" + name_, timer_(run), {.bytes = bytes(2), .error = error});
    check_found(found, 0);
  }
  /// Clipping: a pass that computes the norm, and a pass that scales.
  void clip() {
    for (const Tensor& p : all_)
      p.set_grad(amp::randn(p.shape(), {.dtype = dtype_, .device = kCUDA}));
    const std::vector<Tensor> before = sample(true);
    const Tensor norm = amp::clip_grad_norm_(all_, 1.0);
    double sum = 0;
    for (const Tensor& p : all_) {
      const Tensor g = p.grad().to(amp::kFloat64);
      sum += amp::sum(g * g).item<double>();
    }
    double error = std::fabs(std::sqrt(sum) - 1);
    if (!(error < 100 * limit())) throw amp::Error("clip: the norm is not 1");
    const double factor = 1 / norm.item<double>();
    const std::vector<Tensor> after = sample(true);
    for (std::size_t i = 0; i < before.size(); ++i) {
      // Subnormal float16 numbers lose bits.
      const double loss = dtype_ == amp::kFloat32 ? 1e-5 : 0.02;
      error = std::fmax(error,
                        check_close("clip", before[i].to(amp::kFloat64) * factor, after[i], loss));
    }
    report_.add("clip_" + name_, timer_([&] { (void)amp::clip_grad_norm_(all_, 1e-3); }),
                {.bytes = bytes(3), .error = error});
    for (const Tensor& p : all_)
      p.set_grad(amp::randn(p.shape(), {.dtype = dtype_, .device = kCUDA}));
  }
  [[nodiscard]] double limit() const { return limit_of(dtype_); }
  [[nodiscard]] double bytes(int passes) const {
    return passes * numbers_ * static_cast<double>(amp::item_size(dtype_));
  }
  static void check_found(const Tensor& found, float expected) {
    if (found.item<float>() != expected) throw amp::Error("unscale: found_inf is wrong");
  }

  void adam() {
    amp::Adam optimizer(all_, {.lr = 1e-3});
    std::vector<Tensor> expected = sample(false);
    const std::vector<Tensor> gradients = sample(true);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      expected[i].requires_grad_();
      expected[i].set_grad(gradients[i]);
    }
    amp::Adam reference(expected, {.lr = 1e-3});
    optimizer.step();
    reference.step();
    const std::vector<Tensor> after = sample(false);
    double error = 0;
    for (std::size_t i = 0; i < after.size(); ++i)
      error = std::fmax(error, check_close("adam", expected[i].detach(), after[i], 1e-5));
    report_.add("adam_" + name_, timer_([&] { optimizer.step(); }),
                {.bytes = 28 * numbers_, .error = error});
  }

  /// Unscaling, clipping, Adam and the new scale: everything between backward and the next step.
  void step() {
    amp::Adam optimizer(all_, {.lr = 1e-9});
    amp::GradScaler scaler({.init_scale = 2, .growth_interval = 1 << 30});
    (void)scaler.scale_data(kCUDA);
    const auto run = [&] {
      (void)scaler.unscale_and_clip(optimizer, 1e9);
      scaler.step(optimizer);
      scaler.update();
    };
    report_.add("clipped_step_" + name_, timer_(run), {.bytes = 32 * numbers_});
    if (scaler.counters().skipped != 0) throw amp::Error("clipped_step: a step was skipped");
  }

  Timer timer_;
  Report& report_;
  std::string name_;
  amp::DType dtype_;
  std::vector<Tensor> all_;
  double numbers_ = 0;
};

}  // namespace

void measure_optimizers(const Settings& settings, Report& report) {
  std::vector<amp::Shape> shapes = resnet50();
  if (settings.smoke) shapes = {{3, 5}, {7}, {70}, {2, 3, 4}};
  Parameters(settings, report, "resnet50", shapes).measure();
  const std::int64_t size = settings.size(100'000'000, 5000);
  Parameters(settings, report, "100m", {{size}}).measure();
  Parameters(settings, report, "100m_fp16", {{size}}, amp::kFloat16).measure_gradients();
}

}  // namespace gpu_benchmark
