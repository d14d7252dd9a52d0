// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Layers without weights, and losses: text, state, outputs and gradients are PyTorch's
// (tests/goldens/layers.txt).
#include <amp/amp.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "goldens/blocks.hpp"
#include "support/catch.hpp"

namespace layers {
namespace {

namespace nn = amp::nn;
using amp::Tensor;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The layers by the text with which Python makes them.
std::map<std::string, nn::AnyModule> all_layers() {
  const Tensor w3 = amp::tensor({0.5F, 1.0F, 2.0F}, {3});
  const Tensor w3_flipped = amp::tensor({2.0F, 1.0F, 0.5F}, {3});
  return {
      {"Tanh()", nn::Tanh()},
      {"Sigmoid()", nn::Sigmoid()},
      {"SiLU()", nn::SiLU()},
      {"GELU()", nn::GELU()},
      {"GELU(approximate='tanh')", nn::GELU(amp::GeluForm::kTanh)},
      {"LeakyReLU()", nn::LeakyReLU()},
      {"LeakyReLU(0.2)", nn::LeakyReLU(0.2)},
      {"ELU()", nn::ELU()},
      {"ELU(0.5)", nn::ELU(0.5)},
      {"SELU()", nn::SELU()},
      {"CELU()", nn::CELU()},
      {"CELU(2.0)", nn::CELU(2.0)},
      {"Softplus()", nn::Softplus()},
      {"Softplus(2.0, 1.0)", nn::Softplus(2.0, 1.0)},
      {"ReLU()", nn::ReLU()},
      {"ReLU6()", nn::ReLU6()},
      {"Hardswish()", nn::Hardswish()},
      {"Hardsigmoid()", nn::Hardsigmoid()},
      {"Hardtanh()", nn::Hardtanh()},
      {"Hardtanh(-0.5, 1.5)", nn::Hardtanh(-0.5, 1.5)},
      {"Hardshrink()", nn::Hardshrink()},
      {"Softshrink(0.75)", nn::Softshrink(0.75)},
      {"Tanhshrink()", nn::Tanhshrink()},
      {"Mish()", nn::Mish()},
      {"GLU()", nn::GLU()},
      {"GLU(dim=1)", nn::GLU(1)},
      {"LogSigmoid()", nn::LogSigmoid()},
      {"Softsign()", nn::Softsign()},
      {"Threshold(0.25, -3.0)", nn::Threshold(0.25, -3.0)},
      {"Softmax(dim=1)", nn::Softmax(1)},
      {"Softmax(dim=0)", nn::Softmax(0)},
      {"LogSoftmax(dim=-1)", nn::LogSoftmax(-1)},
      {"Softmin(dim=1)", nn::Softmin(1)},
      {"RReLU(0.25, 0.25)", nn::RReLU(0.25, 0.25)},
      {"PReLU()", nn::PReLU()},
      {"PReLU(6, 0.5)", nn::PReLU(6, 0.5)},
      {"Identity()", nn::Identity()},
      {"Identity(54, unused=True)", nn::Identity(54, true)},
      {"Flatten(0)", nn::Flatten(0)},
      {"Unflatten(1, (2, -1))", nn::Unflatten(1, {2, -1})},
      {"Dropout()", nn::Dropout()},
      {"AlphaDropout(0.0)", nn::AlphaDropout(0.0)},
      {"Softmax2d()", nn::Softmax2d()},
      {"Flatten()", nn::Flatten()},
      {"MaxPool1d(3)", nn::MaxPool1d(3)},
      {"MaxPool1d(3, stride=2, padding=1)", nn::MaxPool1d(3, {.stride = 2, .padding = 1})},
      {"MaxPool2d(2, 2)", nn::MaxPool2d(2, 2)},
      {"MaxPool2d((2, 3), stride=(1, 2), padding=1)",
       nn::MaxPool2d({2, 3}, {.stride = {1, 2}, .padding = 1})},
      {"MaxPool2d(2, dilation=2, ceil_mode=True)",
       nn::MaxPool2d(2, {.dilation = 2, .ceil_mode = true})},
      {"MaxPool3d(2)", nn::MaxPool3d(2)},
      {"AvgPool1d(2, 1, 1)", nn::AvgPool1d(2, 1, 1)},
      {"AvgPool2d((2, 3))", nn::AvgPool2d({2, 3})},
      {"AvgPool2d(3, stride=2, padding=1, ceil_mode=True, count_include_pad=False)",
       nn::AvgPool2d(3,
                     {.stride = 2, .padding = 1, .ceil_mode = true, .count_include_pad = false})},
      {"AvgPool3d((1, 2, 2))", nn::AvgPool3d({1, 2, 2})},
      {"LPPool1d(2.0, 3)", nn::LPPool1d(2.0, 3)},
      {"LPPool2d(3.0, (2, 3), stride=2)", nn::LPPool2d(3.0, {2, 3}, 2)},
      {"LPPool3d(1.0, 2)", nn::LPPool3d(1.0, 2)},
      {"LPPool1d(float('inf'), 2)", nn::LPPool1d(kInfinity, 2)},
      {"AdaptiveAvgPool1d(4)", nn::AdaptiveAvgPool1d(4)},
      {"AdaptiveAvgPool2d(1)", nn::AdaptiveAvgPool2d(1)},
      {"AdaptiveAvgPool2d((2, None))", nn::AdaptiveAvgPool2d({2, std::nullopt})},
      {"AdaptiveAvgPool3d((1, 2, 3))", nn::AdaptiveAvgPool3d({1, 2, 3})},
      {"AdaptiveMaxPool1d(4)", nn::AdaptiveMaxPool1d(4)},
      {"AdaptiveMaxPool2d((3, 2))", nn::AdaptiveMaxPool2d({3, 2})},
      {"AdaptiveMaxPool3d(2)", nn::AdaptiveMaxPool3d(2)},
      {"Upsample(scale_factor=2)", nn::Upsample({.scale_factor = 2})},
      {"Upsample(scale_factor=(2, 1.5), mode='bilinear')",
       nn::Upsample({.scale_factor = {2, 1.5}, .mode = amp::InterpolateMode::kBilinear})},
      {"Upsample(size=(3, 4), mode='bicubic', align_corners=True)",
       nn::Upsample(
           {.size = {3, 4}, .mode = amp::InterpolateMode::kBicubic, .align_corners = true})},
      {"UpsamplingNearest2d(scale_factor=2)", nn::UpsamplingNearest2d({.scale_factor = 2})},
      {"UpsamplingBilinear2d(size=(3, 4))", nn::UpsamplingBilinear2d({.size = {3, 4}})},
      {"PixelShuffle(2)", nn::PixelShuffle(2)},
      {"PixelUnshuffle(2)", nn::PixelUnshuffle(2)},
      {"ChannelShuffle(2)", nn::ChannelShuffle(2)},
      {"ConstantPad1d(1, 3.5)", nn::ConstantPad1d(1, 3.5)},
      {"ConstantPad2d((1, 0, 0, 1), -1.0)", nn::ConstantPad2d({1, 0, 0, 1}, -1.0)},
      {"ConstantPad3d((0, 1, 0, 0, 1, 0), 2.0)", nn::ConstantPad3d({0, 1, 0, 0, 1, 0}, 2.0)},
      {"ZeroPad1d((1, 2))", nn::ZeroPad1d({1, 2})},
      {"ZeroPad2d(1)", nn::ZeroPad2d(1)},
      {"ZeroPad3d((0, 0, 1, 0, 0, 1))", nn::ZeroPad3d({0, 0, 1, 0, 0, 1})},
      {"ReflectionPad1d(2)", nn::ReflectionPad1d(2)},
      {"ReflectionPad2d((1, 0, 2, 1))", nn::ReflectionPad2d({1, 0, 2, 1})},
      {"ReflectionPad3d(1)", nn::ReflectionPad3d(1)},
      {"ReplicationPad1d((2, 0))", nn::ReplicationPad1d({2, 0})},
      {"ReplicationPad2d(1)", nn::ReplicationPad2d(1)},
      {"ReplicationPad3d((1, 0, 0, 1, 0, 0))", nn::ReplicationPad3d({1, 0, 0, 1, 0, 0})},
      {"CircularPad1d(2)", nn::CircularPad1d(2)},
      {"CircularPad2d((1, 1, 2, 0))", nn::CircularPad2d({1, 1, 2, 0})},
      {"CircularPad3d((1, 0, 0, 0, 0, 1))", nn::CircularPad3d({1, 0, 0, 0, 0, 1})},
      {"Unfold(2, padding=1, stride=2)", nn::Unfold(2, {.padding = 1, .stride = 2})},
      {"Fold((3, 4), 2)", nn::Fold({3, 4}, 2)},
      {"CosineSimilarity()", nn::CosineSimilarity()},
      {"CosineSimilarity(0, 0.5)", nn::CosineSimilarity(0, 0.5)},
      {"PairwiseDistance()", nn::PairwiseDistance()},
      {"PairwiseDistance(1.0, 0.5, True)", nn::PairwiseDistance(1.0, 0.5, true)},
      {"CrossEntropyLoss()", nn::CrossEntropyLoss()},
      {"CrossEntropyLoss(weight=w3, ignore_index=1, label_smoothing=0.25)",
       nn::CrossEntropyLoss({.ignore_index = 1, .label_smoothing = 0.25, .weight = w3})},
      {"NLLLoss(weight=w3, reduction='none')",
       nn::NLLLoss({.reduction = amp::Reduction::kNone, .weight = w3})},
      {"MSELoss()", nn::MSELoss()},
      {"MSELoss(reduction='sum')", nn::MSELoss({.reduction = amp::Reduction::kSum})},
      {"L1Loss()", nn::L1Loss()},
      {"SmoothL1Loss(beta=0.5)", nn::SmoothL1Loss({.beta = 0.5})},
      {"HuberLoss(delta=0.5, reduction='none')",
       nn::HuberLoss({.reduction = amp::Reduction::kNone, .delta = 0.5})},
      {"BCELoss(weight=w3)", nn::BCELoss({.weight = w3})},
      {"BCEWithLogitsLoss()", nn::BCEWithLogitsLoss()},
      {"BCEWithLogitsLoss(weight=w3, pos_weight=w3.flip(0))",
       nn::BCEWithLogitsLoss({.weight = w3, .pos_weight = w3_flipped})},
      {"KLDivLoss(reduction='batchmean')",
       nn::KLDivLoss({.reduction = amp::Reduction::kBatchMean})},
      {"KLDivLoss(log_target=True)", nn::KLDivLoss({.log_target = true})},
      {"PoissonNLLLoss(full=True)", nn::PoissonNLLLoss({.full = true})},
      {"PoissonNLLLoss(log_input=False, eps=0.5)",
       nn::PoissonNLLLoss({.log_input = false, .eps = 0.5})},
      {"GaussianNLLLoss(full=True)", nn::GaussianNLLLoss({.full = true})},
      {"SoftMarginLoss()", nn::SoftMarginLoss()},
      {"MultiLabelSoftMarginLoss(weight=w3)", nn::MultiLabelSoftMarginLoss({.weight = w3})},
      {"MultiLabelMarginLoss()", nn::MultiLabelMarginLoss()},
      {"MultiMarginLoss(p=2, margin=0.5, weight=w3)",
       nn::MultiMarginLoss({.p = 2, .margin = 0.5, .weight = w3})},
      {"HingeEmbeddingLoss(margin=2.0)", nn::HingeEmbeddingLoss({.margin = 2.0})},
      {"MarginRankingLoss(margin=0.5)", nn::MarginRankingLoss({.margin = 0.5})},
      {"CosineEmbeddingLoss(margin=0.25)", nn::CosineEmbeddingLoss({.margin = 0.25})},
      {"TripletMarginLoss(margin=2.0, swap=True)",
       nn::TripletMarginLoss({.margin = 2.0, .swap = true})},
      {"CTCLoss(zero_infinity=True)", nn::CTCLoss({.zero_infinity = true})},
  };
}

Tensor tensor_of(const goldens::Array& array, amp::DType dtype) {
  return amp::tensor(array.values, amp::Shape(array.shape), {.dtype = dtype});
}

/// The inputs of a case, of which those that have gradients require them.
std::vector<Tensor> inputs_of(const goldens::Block& golden) {
  std::vector<Tensor> inputs;
  for (int i = 0;; ++i) {
    const std::string number = std::to_string(i);
    if (golden.has("input" + number)) {
      inputs.push_back(tensor_of(golden["input" + number], amp::kFloat32));
      inputs.back().requires_grad_(golden.has("gradient" + number));
    } else if (golden.has("integers" + number)) {
      inputs.push_back(tensor_of(golden["integers" + number], amp::kInt64));
    } else {
      return inputs;
    }
  }
}

Tensor call(const nn::AnyModule& layer, const std::vector<Tensor>& x) {
  return x.size() == 1   ? layer(x[0])
         : x.size() == 2 ? layer(x[0], x[1])
         : x.size() == 3 ? layer(x[0], x[1], x[2])
                         : layer(x.at(0), x.at(1), x.at(2), x.at(3));
}

void check_close(const Tensor& found, const goldens::Array& wanted) {
  REQUIRE(found.shape() == amp::Shape(wanted.shape));
  const auto values = found.to_vector<double>();
  for (std::size_t i = 0; i < values.size(); ++i)
    CHECK(values[i] == Approx(wanted.values[i]).epsilon(2e-5).margin(2e-6));
}

}  // namespace

TEST_CASE("layers: they compute what torch's compute, and print so", "[nn]") {
  const auto layers = all_layers();
  const std::vector<goldens::Block> blocks = goldens::read_blocks("layers.txt");
  CHECK(layers.size() == blocks.size());
  for (const goldens::Block& golden : blocks) {
    INFO(golden.title);
    const auto found = layers.find(golden.title);
    REQUIRE(found != layers.end());
    const nn::AnyModule& layer = found->second;
    CHECK(nn::to_string(layer) == golden.text("print"));
    std::string names;
    for (const auto& entry : layer.state_dict()) names += (names.empty() ? "" : "\n") + entry.first;
    CHECK(names == golden.text("state"));
    if (!golden.has("output")) continue;
    const std::vector<Tensor> inputs = inputs_of(golden);
    const Tensor output = call(layer, inputs);
    check_close(output, golden["output"]);
    std::vector<float> weights;
    for (std::int64_t i = 0; i < output.numel(); ++i)
      weights.push_back(static_cast<float>(i % 5) * 0.5F + 0.5F);
    amp::sum(output * amp::tensor(weights, output.shape())).backward();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const std::string key = "gradient" + std::to_string(i);
      if (golden.has(key)) check_close(inputs[i].grad(), golden[key]);
    }
  }
}

}  // namespace layers
