// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#include <amp/amp.hpp>

amp::Tensor ten_ops(const amp::Tensor& images, const amp::Tensor& filters,
                    const amp::Tensor& weight, const amp::Tensor& bias,
                    const amp::Tensor& targets) {
  amp::Tensor x = amp::max_pool2d(amp::relu(amp::conv2d(images, filters, bias, {.padding = 1})), 2);
  x = amp::linear(x.reshape({images.size(0), -1}), weight, bias);
  x = amp::softmax(amp::matmul(x, weight) * x, 1) + amp::log_softmax(x, 1);
  return amp::cross_entropy(x, targets) + amp::mean(x);
}
