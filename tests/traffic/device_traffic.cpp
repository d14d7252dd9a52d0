// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Launches and bytes of ops and of a training step on the CUDA device, counted on the stand-in
// toolkit access by access, beside the fewest that there could be. `device_traffic TABLE` compares
// with the table that is there, --update writes it.
#include <amp/amp.hpp>
#include <amp/cuda.hpp>
#include <amp/kernels/elementwise/cuda.cuh>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "support/cuda/standin.hpp"
#include "traffic/accesses.hpp"

namespace {

namespace nn = amp::nn;
using amp::kCUDA;
using amp::Tensor;

/// What a piece of work costs.
struct Cost {
  std::int64_t launches = 0;
  traffic::Bytes bytes;
};

Cost cost_of(const std::function<void()>& work) {
  standin::toolkit().reset();
  traffic::Meter::instance().reset();
  work();
  return {standin::toolkit().counters.launches, traffic::Meter::instance().bytes()};
}

std::int64_t bytes_of(const Tensor& x) { return x.numel() * amp::item_size(x.dtype()); }
std::int64_t bytes_of(const std::vector<Tensor>& tensors) {
  std::int64_t sum = 0;
  for (const Tensor& x : tensors) sum += bytes_of(x);
  return sum;
}

// --- the table ----------------------------------------------------------------------------------

class Table {
 public:
  void heading(std::string_view text) {
    text_ += "\n## " + std::string(text) +
             "\n\n| what | launches | fewest | bytes moved | fewest | ratio | asked / moved | why "
             "more |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |\n";
  }
  void row(std::string_view what, const Cost& cost, std::int64_t launches, std::int64_t bytes,
           std::string_view why) {
    const auto moved = cost.bytes.moved();
    char line[512];
    std::snprintf(
        line, sizeof line, "| %s | %lld | %lld | %lld | %lld | %.2f | %.2f | %s |\n",
        std::string(what).c_str(), static_cast<long long>(cost.launches),
        static_cast<long long>(launches), static_cast<long long>(moved),
        static_cast<long long>(bytes),
        bytes == 0 ? 1.0 : static_cast<double>(moved) / static_cast<double>(bytes),
        moved == 0 ? 0.0 : static_cast<double>(cost.bytes.asked()) / static_cast<double>(moved),
        std::string(why).c_str());
    text_ += line;
  }
  void note(const std::string& text) { text_ += "\n" + text + "\n"; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// Runs an op forward and backward and reports both. The fewest bytes: what goes in, and what comes
/// out; backward those of `saved` besides both gradients.
struct OpRow {
  std::string what;
  std::vector<Tensor> inputs;  // those that are floating point get gradients
  std::function<Tensor(const std::vector<Tensor>&)> op;
  std::int64_t saved = 0;  // bytes that backward has to read besides the gradient
  std::string why_forward = {}, why_backward = {};
  std::int64_t launches_forward = 1, launches_backward = 1;
  bool backward = true;
};

void report(Table& table, const OpRow& row) {
  std::vector<Tensor> leaves;
  for (const Tensor& x : row.inputs) {
    leaves.push_back(x.detach());
    if (row.backward && amp::is_floating_point(x.dtype())) leaves.back().requires_grad_();
  }
  (void)row.op(leaves);  // makes handles and memory
  Tensor y;
  const Cost forward = cost_of([&] { y = row.op(leaves); });
  table.row(row.what, forward, row.launches_forward, bytes_of(leaves) + bytes_of(y),
            row.why_forward);
  if (!row.backward) return;
  const Tensor grad = amp::ones(y.shape(), {.dtype = y.dtype(), .device = kCUDA});
  const Cost backward = cost_of([&] { y.backward(grad); });
  std::int64_t least = bytes_of(grad) + row.saved;
  for (const Tensor& leaf : leaves) {
    if (leaf.requires_grad()) least += bytes_of(leaf.grad());
  }
  table.row(row.what + ", backward", backward, row.launches_backward, least, row.why_backward);
}

// --- ops ----------------------------------------------------------------------------------------

Tensor half(const amp::Shape& shape) { return amp::randn(shape).to(amp::kFloat16).to(kCUDA); }

void ops(Table& table) {
  using In = const std::vector<Tensor>&;
  const amp::Shape rows{64, 512}, images{8, 16, 16, 16};
  const Tensor x = half(rows), vector = half({512}), image = half(images), channel = half({16});
  const std::int64_t n = bytes_of(x);
  Tensor targets = amp::zeros({64}, {.dtype = amp::kInt64, .device = kCUDA});

  table.heading("Ops on float16, 64 x 512 (images 8 x 16 x 16 x 16)");
  const std::vector<OpRow> all = {
      {"add",
       {x, half(rows)},
       [](In v) { return amp::add(v[0], v[1]); },
       0,
       "",
       "each leaf gets a copy of the gradient"},
      {"mul",
       {x, half(rows)},
       [](In v) { return amp::mul(v[0], v[1]); },
       2 * n,
       "",
       "a kernel for each gradient: what arrives is read twice"},
      {"add a vector",
       {x, vector},
       [](In v) { return amp::add(v[0], v[1]); },
       0,
       "",
       "a copy for one leaf, a sum for the other: what arrives is read twice"},
      {"relu", {x}, [](In v) { return amp::relu(v[0]); }, n},
      {"gelu", {x}, [](In v) { return amp::gelu(v[0]); }, n},
      {"dropout", {x}, [](In v) { return amp::dropout(v[0], 0.5, true); }, 0},
      {"dropout_add",
       {x, half(rows)},
       [](In v) { return amp::dropout_add(v[0], v[1], 0.5, true); },
       0,
       "",
       "a copy of the gradient for the residual's leaf"},
      {"to float32", {x}, [](In v) { return v[0].to(amp::kFloat32); }, 0},
      {"sum", {x}, [](In v) { return amp::sum(v[0]); }, 0, "the sums of parts, then theirs"},
      {"mean over rows",
       {x},
       [](In v) { return amp::mean(v[0], 1); },
       0,
       "",
       "scaled first, then spread"},
      {"var of rows",
       {x},
       [](In v) { return amp::var(v[0], 1); },
       n + 64 * 4,
       "means for backward, 4 bytes each"},
      {"var of columns",
       {x},
       [](In v) { return amp::var(v[0], 0); },
       n + 512 * 4,
       "means for backward, 4 bytes each"},
      {"softmax", {x}, [](In v) { return amp::softmax(v[0], 1); }, n},
      {"log_softmax", {x}, [](In v) { return amp::log_softmax(v[0], 1); }, n},
      {"softmax of columns", {x}, [](In v) { return amp::softmax(v[0], 0); }, n},
      {"layer_norm",
       {x, vector, half({512})},
       [](In v) { return amp::layer_norm(v[0], {512}, v[1], v[2]); },
       n + 512,
       "",
       "gradients of weight and bias: a sum per block, then theirs"},
      {"rms_norm",
       {x, vector},
       [](In v) { return amp::rms_norm(v[0], {512}, v[1]); },
       n + 256,
       "",
       "the gradient of the weight: a sum per block, then theirs"},
      {"layer_norm of long rows",
       {half({32, 16384}), half({16384}), half({16384})},
       [](In v) { return amp::layer_norm(v[0], {16384}, v[1], v[2]); },
       32 * 32768 + 32768,
       "",
       "no block holds a row: gradient and input are read again for sums, then theirs"},
      {"batch_norm",
       {image, channel, half({16})},
       [](In v) { return amp::batch_norm(v[0], Tensor(), Tensor(), v[1], v[2], true); },
       bytes_of(image),
       "statistics first: the input is read twice",
       "sums first: gradient and input are read twice"},
      {"cross_entropy",
       {x, targets},
       [](In v) { return amp::cross_entropy(v[0], v[1]); },
       n + 512,
       "rows, then their mean"},
      {"cross_entropy of images",
       {image, amp::zeros({8, 16, 16}, {.dtype = amp::kInt64, .device = kCUDA})},
       [](In v) { return amp::cross_entropy(v[0], v[1]); },
       bytes_of(image) + 8 * 256 * (4 + 8),
       "pixels, then their mean; losses and logarithms of pixels, for it and for backward"},
      {"max of rows",
       {x},
       [](In v) { return (amp::max)(v[0], 1).values; },
       64 * 8,
       "positions for backward, 8 bytes each"},
      {"max of columns",
       {x},
       [](In v) { return (amp::max)(v[0], 0).values; },
       512 * 8,
       "positions for backward, 8 bytes each"},
      {.what = "argmax",
       .inputs = {x},
       .op = [](In v) { return amp::argmax(v[0], 1); },
       .backward = false},
      {"max_pool2d",
       {image},
       [](In v) { return amp::max_pool2d(v[0], 2); },
       bytes_of(image) / 2,
       "positions for backward, 4 bytes each"},
      {"max_pool2d, 3 x 3",
       {image},
       [](In v) { return amp::max_pool2d(v[0], 3, 2, 1); },
       bytes_of(image) / 2,
       "positions for backward, 4 bytes each"},
      {"avg_pool2d", {image}, [](In v) { return amp::avg_pool2d(v[0], 2); }, 0},
      {"embedding",
       {amp::arange(64).to(kCUDA), half({100, 512})},
       [](In v) { return amp::embedding(v[0], v[1]); },
       512,
       "less: rows not asked for are not read",
       "indices are sorted first, so that sums have an order"},
      {"cat",
       {x, half(rows)},
       [](In v) {
         return amp::cat({v[0], v[1]}, 0);
       },
       0,
       "a copy for each",
       "a copy for each"},
  };
  for (const OpRow& row : all) report(table, row);
}

// --- a training step ----------------------------------------------------------------------------

/// The trainer's network.
struct Cnn : nn::Module {
  nn::Conv2d conv1, conv2;
  nn::Linear linear1, linear2;
  Cnn()
      : conv1(register_module("conv1", nn::Conv2d(3, 8, 3, {.padding = 1, .relu = true}))),
        conv2(register_module("conv2", nn::Conv2d(8, 16, 3, {.padding = 1, .relu = true}))),
        linear1(register_module("linear1", nn::Linear(256, 64))),
        linear2(register_module("linear2", nn::Linear(64, 16))) {}
  [[nodiscard]] Tensor forward(const Tensor& images) const {
    Tensor x = amp::max_pool2d(conv1(images), 2);
    x = amp::max_pool2d(conv2(x), 2);
    return linear2(amp::relu(linear1(x.flatten(1))));
  }
};

void step(Table& table) {
  Cnn model;
  model.to(kCUDA);
  amp::Adam optimizer(model.parameters(), {.lr = 1e-3});
  amp::GradScaler scaler;
  const Tensor images = amp::randn({8, 3, 16, 16}).to(kCUDA);
  const Tensor targets = amp::zeros({8}, {.dtype = amp::kInt64}).to(kCUDA);
  std::int64_t parameters = 0;
  for (const Tensor& p : model.parameters()) parameters += p.numel();

  Tensor loss;
  const auto forward = [&] {
    const amp::AutocastGuard autocast(kCUDA, {.dtype = amp::kFloat16});
    loss = amp::cross_entropy(model.forward(images), targets);
  };
  const auto backward = [&] { scaler.scale(loss).backward(); };
  const auto unscale = [&] { (void)scaler.unscale_and_clip(optimizer, 1.0); };
  const auto apply = [&] {
    (void)scaler.step(optimizer);
    scaler.update();
  };
  for (int i = 0; i < 2; ++i) {
    optimizer.zero_grad();
    forward();
    backward();
    unscale();
    apply();
  }
  // Activations in 16 bits, each written once and read once by what follows; gradients likewise;
  // weights read in 16 bits, their gradients written in float32 once.
  const std::int64_t activations =
      2 * 8 * (3 * 256 + 2 * (8 * 256 + 8 * 64 + 16 * 64 + 16 * 16 + 64) + 16);
  table.heading(
      "A training step: the CNN of the trainer, smaller, batch 8, amp-fp16, Adam, clipping");
  const auto casts = [] {
    namespace k = amp::kernels;
    return standin::toolkit().launches_of(reinterpret_cast<const void*>(
        &k::cuda::detail::elementwise_kernel<k::functions::Bound<k::functions::Identity, float>,
                                             float, float>));
  };
  std::int64_t all_casts = 0;
  Cost sum;
  const auto part = [&](std::string_view what, const std::function<void()>& work,
                        std::int64_t launches, std::int64_t bytes, std::string_view why) {
    const Cost cost = cost_of(work);
    all_casts += casts();
    sum.launches += cost.launches;
    sum.bytes.asked_read += cost.bytes.asked_read;
    sum.bytes.asked_written += cost.bytes.asked_written;
    sum.bytes.read += cost.bytes.read;
    sum.bytes.written += cost.bytes.written;
    table.row(what, cost, launches, bytes, why);
    return bytes;
  };
  std::int64_t least = 0;
  least += part(
      "zero_grad", [&] { optimizer.zero_grad(); }, 0, 0, "");
  least +=
      part("forward", forward, 7, activations + 2 * parameters,
           "without cuDNN here: columns are written and read (im2col), and the sums before bias "
           "and relu; images to float16");
  least += part("backward", backward, 10, 2 * activations + 6 * parameters,
                "columns again, gradients beside one another for their products; relu and sums of "
                "biases apart");
  least += part("unscale_and_clip", unscale, 2, 4 * parameters,
                "its table anew: gradients lie elsewhere than a step ago");
  least += part("step and update", apply, 2, (4 + 3 * 8 + 2) * parameters, "its table likewise");
  table.row("**whole step**", sum, 21, least, "see above");
  table.note("Casts between dtypes among these: " + std::to_string(all_casts) +
             ", of the images (" + std::to_string(6 * images.numel()) + " bytes).");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "device_traffic TABLE [--update]\n");
    return 2;
  }
  standin::toolkit().schedule.set(0);  // what is enqueued is done, and counted, at once
  amp::manual_seed(1);
  Table table;
  ops(table);
  step(table);
  const std::string text =
      "# What the CUDA device launches and moves\n\n"
      "Counted on the stand-in toolkit, access by access, by `tests/traffic`; a test compares. "
      "Bytes "
      "moved:\n32-byte sectors of device memory, each once per launch and direction. Asked: by "
      "instructions; what is\nasked more often than moved comes from caches. Products are counted "
      "as "
      "launches, their bytes are cuBLAS's\nown and not in here. Fewest: each input read once, each "
      "result written once, products with all that can be\nfused into them.\n" +
      table.text();
  std::ifstream file(argv[1], std::ios::binary);
  const std::string stated{std::istreambuf_iterator<char>(file), {}};
  if (stated == text) return 0;
  if (argc > 2 && std::string_view(argv[2]) == "--update") {
    std::ofstream(argv[1], std::ios::binary) << text;
    return 0;
  }
  std::fprintf(stderr, "%s is not what is counted here:\n%s", argv[1], text.c_str());
  return 1;
}
