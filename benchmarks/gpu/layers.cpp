// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Layers of networks, forward and backward together, as training runs them: attention, feed
// forward, norm, loss over a vocabulary, embedding, pooling, a block of ResNet-50, and the copies
// that reorder.
#include "measure.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace gpu_benchmark {
namespace {

namespace nn = amp::nn;
using amp::kCPU;
using amp::kCUDA;
using amp::Tensor;
using Tensors = std::vector<Tensor>;

constexpr amp::DType kHalf = amp::kFloat16;

Tensor draw(const amp::Shape& shape, amp::DType dtype = kHalf) {
  return amp::randn(shape, {.dtype = dtype, .device = kCUDA});
}
Tensor indices(std::int64_t count, std::int64_t limit) {
  return (amp::rand({count}) * static_cast<double>(limit)).to(amp::kInt64).to(kCUDA);
}
/// Returns a copy on the host, in float64, without history.
Tensor exact(const Tensor& x) { return x.detach().to(kCPU).to(amp::kFloat64); }

/// An op of several leaves, with the gradient of its result: forward and backward.
template <class Op>
class Training {
 public:
  Training(Tensors leaves, Tensor gradient, Op op)
      : leaves_(std::move(leaves)), gradient_(std::move(gradient)), op_(std::move(op)) {
    for (Tensor& leaf : leaves_) leaf.requires_grad_();
  }

  Tensor operator()() const {
    for (const Tensor& leaf : leaves_) leaf.set_grad({});
    Tensor result = op_(leaves_);
    result.backward(gradient_);
    return result;
  }

 private:
  Tensors leaves_;
  Tensor gradient_;
  Op op_;
};

/// The limit for float16 results after this number of roundings.
double after(int roundings) { return roundings * limit_of(kHalf); }

void measure_attention(const Settings& settings, Report& report) {
  const std::int64_t batch = settings.size(16, 2), heads = settings.size(12, 2),
                     length = settings.size(1024, 6), width = settings.size(64, 8);
  const amp::Shape shape{batch, heads, length, width};
  const Tensor q = draw(shape), k = draw(shape), v = draw(shape), gradient = draw(shape);
  const auto op = [](const Tensors& t) {
    return amp::scaled_dot_product_attention(t[0], t[1], t[2], {}, 0.0, true);
  };
  const Training train({q, k, v}, gradient, op);
  const Tensor y = train();
  const auto head = [&](const Tensor& x) {
    return x.detach().narrow(0, batch - 1, 1).narrow(1, heads - 1, 1).contiguous();
  };
  const Tensors leaves{exact(head(q)), exact(head(k)), exact(head(v))};
  const Tensor expected = Training(leaves, exact(head(gradient)), op)();
  double error = check_close("sdpa", expected.detach(), head(y), after(4));
  const Tensors there{q, k, v};
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    error = std::fmax(error, check_close("sdpa, gradient " + std::to_string(i), leaves[i].grad(),
                                         head(there[i].grad()), after(8)));
  }
  const auto scores = static_cast<double>(batch * heads * length * length);
  report.add("sdpa_train_fp16", Timer(settings)([&] { (void)train(); }),
             {.operations = 12 * scores * static_cast<double>(width) / 2, .error = error});
  const amp::NoGradGuard no_grad;
  report.add("sdpa_fp16", Timer(settings)([&] {
               (void)op({q, k, v});
             }),
             {.operations = 4 * scores * static_cast<double>(width) / 2, .error = error});
}

void measure_permute(const Settings& settings, Report& report) {
  const Tensor x = draw(
      {settings.size(64, 2), settings.size(1024, 6), settings.size(16, 3), settings.size(64, 8)});
  const auto swap = [&] { return x.permute({0, 2, 1, 3}).contiguous(); };
  const auto image = [](const Tensor& t) { return t.narrow(0, t.size(0) - 1, 1); };
  const double error =
      check_close("permute", exact(image(x)).permute({0, 2, 1, 3}).contiguous(), image(swap()), 0);
  report.add("permute_0213_fp16", Timer(settings)([&] { (void)swap(); }),
             {.bytes = 4.0 * static_cast<double>(x.numel()), .error = error});
}

void measure_embedding(const Settings& settings, Report& report) {
  const std::int64_t count = settings.size(65536, 40), words = settings.size(50000, 7),
                     width = settings.size(768, 9);
  const Tensor tokens = indices(count, words), weight = draw({words, width}, amp::kFloat32);
  const Tensor gradient = draw({count, width}, amp::kFloat32);
  const Training train({weight}, gradient,
                       [&](const Tensors& t) { return amp::embedding(tokens, t[0]); });
  (void)train();
  // All positions of the first token.
  const auto all = tokens.to_vector<std::int64_t>();
  Tensor expected = amp::zeros({1, width}, {.dtype = amp::kFloat64});
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] == all[0])
      expected = expected + exact(gradient.narrow(0, static_cast<std::int64_t>(i), 1));
  }
  const double error = check_close("embedding", expected, weight.grad().narrow(0, all[0], 1),
                                   limit_of(amp::kFloat32));
  report.add(
      "embedding_train_fp32", Timer(settings)([&] { (void)train(); }),
      {.bytes = 4.0 * static_cast<double>(4 * count * width + words * width), .error = error});
}

void measure_cross_entropy(const Settings& settings, Report& report, std::int64_t classes) {
  const std::int64_t rows = settings.size(8192, 5);
  const std::string name = "cross_entropy_train_" + std::to_string(classes) + "_fp16";
  if (settings.smoke) classes %= 100;
  const Tensor x = draw({rows, classes}), targets = indices(rows, classes);
  const auto one = amp::ones({}, {.device = kCUDA});
  const auto loss = [&](const Tensors& t) { return amp::cross_entropy(t[0], targets); };
  // The gradient of a mean over the rows would underflow in float16, so it is scaled.
  const Training train({x}, (one * 1024.0).to(loss({x}).dtype()), loss);
  (void)train();
  double error = 0;
  for (const std::int64_t row : {std::int64_t{0}, rows - 1}) {
    const Tensor logits = exact(x.detach().narrow(0, row, 1)).requires_grad_();
    const Tensor target = targets.narrow(0, row, 1).to(kCPU);
    amp::cross_entropy(logits, target)
        .backward(amp::full({}, 1024.0 / double(rows), {.dtype = amp::kFloat64}));
    error =
        std::fmax(error, check_close(name, logits.grad(), x.grad().narrow(0, row, 1), after(1)));
  }
  report.add(name, Timer(settings)([&] { (void)train(); }),
             {.bytes = 3 * 2.0 * static_cast<double>(x.numel()), .error = error});
}

void measure_layer_norm(const Settings& settings, Report& report) {
  const std::int64_t rows = settings.size(65536, 5), width = settings.size(1024, 24);
  const Tensor x = draw({rows, width}), gradient = draw({rows, width});
  const Tensor w = draw({width}), b = draw({width});
  const auto op = [&](const Tensors& t) { return amp::layer_norm(t[0], {width}, t[1], t[2]); };
  const Training train({x, w, b}, gradient, op);
  (void)train();
  // The expected sums over rows are computed in float64 on the device, by other ops.
  const auto wide = [](const Tensor& t) { return t.detach().to(amp::kFloat64); };
  const Tensor x64 = wide(x);
  const Tensor centred = x64 - amp::mean(x64, 1, true);
  const Tensor scaled = centred / amp::sqrt(amp::mean(centred * centred, 1, true) + 1e-5);
  double error =
      check_close("layer_norm, weight", amp::sum(scaled * wide(gradient), 0), w.grad(), after(2));
  error = std::fmax(
      error, check_close("layer_norm, bias", amp::sum(wide(gradient), 0), b.grad(), after(2)));
  const auto row = [&](const Tensor& t) { return t.detach().narrow(0, rows - 1, 1); };
  const Tensors leaves{exact(row(x)), exact(w), exact(b)};
  (void)Training(leaves, exact(row(gradient)), op)();
  error = std::fmax(error, check_close("layer_norm", leaves[0].grad(), row(x.grad()), after(2)));
  report.add("layer_norm_train_fp16", Timer(settings)([&] { (void)train(); }),
             {.bytes = 5 * 2.0 * static_cast<double>(x.numel()), .error = error});
}

void measure_feed_forward(const Settings& settings, Report& report) {
  const std::int64_t rows = settings.size(16384, 16), width = settings.size(1024, 16),
                     hidden = settings.size(4096, 24);
  const auto small = [](const Tensor& t, std::int64_t inner) {
    return (t / std::sqrt(static_cast<double>(inner))).detach();
  };
  const Tensors leaves{draw({rows, width}), small(draw({hidden, width}), width), draw({hidden}),
                       small(draw({width, hidden}), hidden), draw({width})};
  const Tensor gradient = draw({rows, width});
  const auto op = [](const Tensors& t) { return amp::feed_forward(t[0], t[1], t[2], t[3], t[4]); };
  const Training train(leaves, gradient, op);
  const Tensor y = train();
  const auto row = [&](const Tensor& t) { return t.detach().narrow(0, rows - 1, 1); };
  Tensors host{exact(row(leaves[0]))};
  for (std::size_t i = 1; i < leaves.size(); ++i) host.push_back(exact(leaves[i]));
  const Tensor expected = Training(host, exact(row(gradient)), op)();
  double error = check_close("feed_forward", expected.detach(), row(y), after(4));
  error = std::fmax(error, check_close("feed_forward, gradient", host[0].grad(),
                                       row(leaves[0].grad()), after(4)));
  error = std::fmax(error, check_close("feed_forward, bias", amp::sum(exact(gradient), 0),
                                       leaves[4].grad(), after(4)));
  report.add("feed_forward_train_fp16", Timer(settings)([&] { (void)train(); }),
             {.operations = 12.0 * static_cast<double>(rows * width * hidden), .error = error});
}

void measure_max_pool(const Settings& settings, Report& report) {
  const std::int64_t images = settings.size(64, 2), planes = settings.size(64, 3),
                     side = settings.size(112, 9);
  const Tensor x = draw({images, planes, side, side});
  const auto op = [](const Tensors& t) { return amp::max_pool2d(t[0], 3, 2, 1); };
  const Tensor gradient = draw(op({x}).shape());
  const Training train({x}, gradient, op);
  (void)train();
  const auto image = [&](const Tensor& t) { return t.detach().narrow(0, images - 1, 1); };
  const Tensors host{exact(image(x))};
  (void)Training(host, exact(image(gradient)), op)();
  const double error = check_close("max_pool", host[0].grad(), image(x.grad()), after(1));
  report.add(
      "max_pool_train_fp16", Timer(settings)([&] { (void)train(); }),
      {.bytes = 2.0 * static_cast<double>(2 * x.numel() + 2 * gradient.numel()), .error = error});
}

/// He et al., "Deep Residual Learning for Image Recognition", figure 5: the second block of the
/// first stage.
struct Block : nn::Module {
  nn::Conv2d conv1, conv2, conv3;
  nn::BatchNorm2d norm1, norm2, norm3;

  Block(std::int64_t wide, std::int64_t narrow)
      : conv1(register_module("conv1", nn::Conv2d(wide, narrow, 1, {.bias = false}))),
        conv2(
            register_module("conv2", nn::Conv2d(narrow, narrow, 3, {.padding = 1, .bias = false}))),
        conv3(register_module("conv3", nn::Conv2d(narrow, wide, 1, {.bias = false}))),
        norm1(register_module("norm1", nn::BatchNorm2d(narrow))),
        norm2(register_module("norm2", nn::BatchNorm2d(narrow))),
        norm3(register_module("norm3", nn::BatchNorm2d(wide))) {}

  [[nodiscard]] Tensor forward(const Tensor& x) const {
    Tensor y = amp::relu(norm1(conv1(x)));
    y = amp::relu(norm2(conv2(y)));
    return amp::relu(norm3(conv3(y)) + x);
  }
};

void measure_block(const Settings& settings, Report& report) {
  const std::int64_t images = settings.size(64, 3), wide = settings.size(256, 16),
                     side = settings.size(56, 6);
  amp::manual_seed(1);
  Block block(wide, wide / 4);
  const auto op = [&](const Tensors& t) { return block.forward(t[0]); };
  const Tensor few = amp::randn({2, wide, side, side}), slope = amp::randn(few.shape());
  const Tensors host{few.clone()};
  const Tensor expected = Training(host, slope, op)();
  block.zero_grad();
  block.to(kCUDA);
  const amp::AutocastGuard guard(kCUDA, {.dtype = kHalf});
  const Tensors there{few.to(kCUDA)};
  const Tensor got = block.forward(there[0]);
  const Tensor checked = Training(there, slope.to(kCUDA).to(got.dtype()), op)();
  double error = check_close("resnet50_block", expected.detach(), checked.detach(), after(8));
  // relu may select other elements if its inputs differ by a rounding.
  error = std::fmax(
      error, check_close("resnet50_block, gradient", host[0].grad(), there[0].grad(), after(64)));
  const Tensor x = amp::randn({images, wide, side, side}, {.device = kCUDA});
  const Training train({x}, amp::randn(x.shape(), {.dtype = got.dtype(), .device = kCUDA}), op);
  const auto macs = static_cast<double>(wide * wide / 4 * 2 + 9 * wide / 4 * wide / 4) *
                    static_cast<double>(images * side * side);
  const Times times = Timer(settings)([&] {
    block.zero_grad();
    (void)train();
  });
  report.add("resnet50_block_train_amp-fp16", times, {.operations = 6 * macs, .error = error});
}

}  // namespace

void measure_layers(const Settings& settings, Report& report) {
  measure_each({
      [&] { measure_permute(settings, report); },
      [&] { measure_attention(settings, report); },
      [&] { measure_feed_forward(settings, report); },
      [&] { measure_layer_norm(settings, report); },
      [&] { measure_cross_entropy(settings, report, 50257); },
      [&] { measure_cross_entropy(settings, report, 50304); },
      [&] { measure_embedding(settings, report); },
      [&] { measure_max_pool(settings, report); },
      [&] { measure_block(settings, report); },
  });
}

}  // namespace gpu_benchmark
