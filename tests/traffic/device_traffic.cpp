// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Launches and bytes of ops and of a training step on the CUDA device, counted on the stand-in
// toolkit access by access, beside the fewest that there could be. `device_traffic TABLE` compares
// with the table that is there, --update writes it.
#include <amp/amp.hpp>
#include <amp/cuda.hpp>
#include <amp/kernels/elementwise/cuda.cuh>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "support/cuda/standin.hpp"
#include "traffic/families.hpp"
#include "traffic/ops.hpp"
#include "traffic/table.hpp"

namespace {

namespace nn = amp::nn;
using amp::kCUDA;
using amp::Tensor;
using traffic::bytes_of;
using traffic::Cost;
using traffic::cost_of;
using traffic::Table;

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
  traffic::ops(table);
  traffic::families(table);
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
