// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Labelled images in memory.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "amp/core/error.hpp"
#include "amp/data/dataset.hpp"
#include "amp/data/example.hpp"
#include "amp/ops/tensor_members.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::data {

/// Images [N, C, H, W] and their classes [N] of int64. An example is an image, as a view, and the
/// number of its class.
class ImageDataset : public Dataset<ImageDataset> {
 public:
  /// Throws amp::Error unless the tensors have these shapes, and the classes are int64.
  ImageDataset(Tensor images, Tensor targets)
      : images_(std::move(images)), targets_(std::move(targets)) {
    const Tensor both[] = {images_, targets_};
    detail::check_lengths(both);
    AMP_CHECK(images_.dim() == 4 && targets_.dim() == 1 && targets_.dtype() == kInt64 &&
                  targets_.device().type == kCPU,
              "ImageDataset: expected images [N, C, H, W] and classes [N] of int64 on the CPU, but "
              "they are ",
              describe(images_), " and ", describe(targets_));
    targets_ = targets_.contiguous();
  }

  /// The number of images.
  std::int64_t size() const { return targets_.size(0); }
  /// An image [C, H, W] and its class.
  Example<Tensor, std::int64_t> get(std::int64_t index) const {
    detail::check_index("ImageDataset", index, size());
    return {images_.select(0, index), targets_.const_data<std::int64_t>()[index]};
  }
  /// The batch of these examples.
  Example<> get_batch(std::span<const std::int64_t> indices) const {
    return {detail::rows_of(images_, indices), detail::rows_of(targets_, indices)};
  }

  /// All images, and all classes.
  const Tensor& images() const { return images_; }
  const Tensor& targets() const { return targets_; }

 private:
  Tensor images_, targets_;
};

}  // namespace amp::inline v0::data
