// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstring>

#include "amp/data/collate.hpp"
#include "amp/ops/join.hpp"

namespace amp::inline v0::data::detail {

AMP_INLINE Tensor stack_examples(const std::vector<Tensor>& examples) {
  const Tensor& first = examples.front();
  AMP_CHECK(first.defined(), "collate: the tensor of example 0 of the batch is undefined");
  bool plain = first.device().type == kCPU;
  for (std::size_t i = 0; i < examples.size(); ++i) {
    const Tensor& example = examples[i];
    AMP_CHECK(example.defined(), "collate: the tensor of example ", i,
              " of the batch is undefined");
    AMP_CHECK(example.shape() == first.shape() && example.dtype() == first.dtype() &&
                  example.device() == first.device(),
              "collate: the tensors of a batch must have one shape, dtype and device, but those of "
              "its examples 0 and ",
              i, " are ", describe(first), " and ", describe(example),
              "; make them equal in a transform, or pad them in a collate function");
    plain = plain && example.is_contiguous();
  }
  if (!plain) return stack(examples).detach();
  Shape shape;
  shape.push_back(static_cast<std::int64_t>(examples.size()));
  for (const std::int64_t extent : first.shape()) shape.push_back(extent);
  Tensor batch = empty(shape, {.dtype = first.dtype(), .device = first.device()});
  const std::size_t bytes =
      static_cast<std::size_t>(first.numel()) * static_cast<std::size_t>(item_size(first.dtype()));
  if (bytes == 0) return batch;
  auto* to = static_cast<std::byte*>(batch.raw_data());
  for (const Tensor& example : examples) {
    std::memcpy(to, example.raw_data(), bytes);
    to += bytes;
  }
  return batch;
}

}  // namespace amp::inline v0::data::detail
