// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Trains a language model on a text (--data, a file), or on this program itself, and lets it write.
#include "models/lstm_text.hpp"

#include "models/run.hpp"

#include <amp/amp.hpp>
#include <amp/data.hpp>

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace {

using amp::Tensor;
using examples::lstm_text::LanguageModel, examples::lstm_text::Training;

constexpr std::int64_t kBatch = 16, kLength = 64;

/// Text that the model draws, at a temperature: below 1, likely characters become likelier. It
/// begins with the first character of all, the end of a line.
std::string write(const LanguageModel& model, const Tensor& characters, int count,
                  double temperature) {
  model.eval();
  const amp::NoGradGuard no_grad;
  std::vector<Tensor> text{amp::zeros({1, 1}, {.dtype = amp::kInt64})};
  amp::LstmState state;
  for (int i = 0; i < count; ++i) {
    const auto [scores, last] = model.forward(text.back(), state);
    text.push_back((scores[0] / temperature).softmax(1).multinomial(1));
    state = last;
  }
  const auto bytes = characters[amp::cat(text, 1)].to_vector<std::uint8_t>();
  return {bytes.begin(), bytes.end()};
}

void train(const examples::Run& run) {
  const amp::data::TokenDataset<std::uint8_t> file(
      run.data.empty() ? std::string(__FILE__) : run.data, {.block_size = kBatch * kLength});
  const auto [characters, numbers, counts] = amp::unique(amp::tensor(file.all()), true, true);
  // Each row of a batch goes on with the text of the same row of the batch before.
  const std::int64_t batches = (numbers.numel() - 1) / (kBatch * kLength);
  const amp::Shape shape{kBatch, batches, kLength};
  const Tensor x = numbers.narrow(0, 0, shape.numel()).view(shape).transpose(0, 1);
  const Tensor y = numbers.narrow(0, 1, shape.numel()).view(shape).transpose(0, 1);

  Training training{LanguageModel(characters.numel()), run.precision, run.steps};
  for (std::int64_t step = 0; step < run.steps; ++step) {
    if (step % batches == 0) training.state = {};
    const Tensor loss = training.step(x[step % batches], y[step % batches]);
    if (step % 20 == 0)
      std::printf("step %4lld  loss %.4f\n", static_cast<long long>(step), loss.item());
  }
  std::printf("%s\n", write(training.model, characters, 500, 0.7).c_str());
}

}  // namespace

int main(int argc, char** argv) { return examples::main(argc, argv, {.steps = 500}, train); }
