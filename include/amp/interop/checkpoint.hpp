// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Checkpoints: all that a training needs to go on where it stopped, in one safetensors file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "amp/interop/file_path.hpp"
#include "amp/interop/safetensors.hpp"
#include "amp/nn/module.hpp"
#include "amp/optim/optimizer.hpp"
#include "amp/scaler/grad_scaler.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// A list of named parts, by reference: what save() writes, load() restores. A training whose
/// model, optimizer, scaler and random stream are saved, and which then takes the same batches,
/// continues bit for bit.
///
/// ```cpp
/// amp::nn::Linear model(4, 2);
/// amp::AdamW optimizer(model.named_parameters());
/// amp::GradScaler scaler;
/// std::int64_t epoch = 3;
/// amp::Checkpoint checkpoint;
/// checkpoint.add("model", model).add("optimizer", optimizer).add("scaler", scaler);
/// checkpoint.add("epoch", epoch).add_random_stream();
/// checkpoint.save("run.safetensors");
/// epoch = 0;
/// checkpoint.load("run.safetensors");
/// assert(epoch == 3);
/// ```
///
/// Entries of the file are "model.weight", "optimizer.weight.exp_avg"; scaler, numbers,
/// texts and random stream are metadata. Parts outlive the checkpoint. save and load synchronise.
class Checkpoint {
 public:
  /// Without parts: add() them.
  Checkpoint();
  Checkpoint(const Checkpoint& other);
  Checkpoint(Checkpoint&& other) noexcept;
  Checkpoint& operator=(const Checkpoint& other);
  Checkpoint& operator=(Checkpoint&& other) noexcept;
  ~Checkpoint();

  /// Parameters and buffers.
  Checkpoint& add(std::string name, const nn::Module& module);
  /// Its state; named by its parameters, so make it of named_parameters().
  Checkpoint& add(std::string name, Optimizer& optimizer);
  Checkpoint& add(std::string name, GradScaler& scaler);
  /// Where the training is: an epoch, a step.
  Checkpoint& add(std::string name, std::int64_t& number);
  /// What else is to be known of it.
  Checkpoint& add(std::string name, std::string& text);
  /// A tensor of any shape, which load() replaces.
  Checkpoint& add(std::string name, Tensor& tensor);
  /// What rand, randn and dropout draw next.
  Checkpoint& add_random_stream(std::string name = "random");

  /// Writes all parts atomically: a crash leaves the file that was there before.
  void save(FilePath path) const;

  /// Restores all parts, or throws amp::Error, naming file and part, and leaves all as they were.
  /// What the file holds beside them is ignored, so that a model can be taken from a whole
  /// checkpoint.
  void load(FilePath path) const;

 private:
  struct Part;

  /// What all parts are, each on its own.
  std::vector<SafeTensors> copies() const;
  /// Undoes the loading of the parts up to `last`, which may have got halfway. Its memory is what
  /// the tensors of the file took, which are given up for it. Returns what an error is to add: the
  /// parts, hardly ever any, of which even that fails.
  std::string put_back(const std::vector<SafeTensors>& before, std::size_t last,
                       SafeTensors& contents) const;
  Checkpoint& add_part(Part part);

  std::vector<Part> parts_;
};

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/interop/checkpoint.ipp"
#endif
