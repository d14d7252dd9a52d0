// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Checkpoints: everything that a training needs to resume, in one safetensors file.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "amp/core/file_path.hpp"
#include "amp/interop/safetensors.hpp"
#include "amp/nn/module.hpp"
#include "amp/optim/optimizer.hpp"
#include "amp/scaler/grad_scaler.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

namespace detail {

/// Whether T saves its state as named tensors, and is neither a module nor an optimizer.
template <class T>
concept Stateful = requires(T& part, const NamedTensors& tensors) {
  { part.state_dict() } -> std::same_as<NamedTensors>;
  part.load_state_dict(tensors);
}
&&!std::derived_from<T, nn::Module> && !std::derived_from<T, Optimizer>;

}  // namespace detail

/// A list of named parts, held by reference: load() restores what save() has written. If model,
/// optimizer, scaler and random stream are saved, and the resumed training takes the same batches,
/// it continues bit for bit.
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
/// The tensors of the file have names such as "model.weight" and "optimizer.weight.exp_avg";
/// scaler, numbers, texts and random stream are metadata. Parts must outlive the checkpoint. Names
/// of parts must be different and contain no dot, or add() throws.
class Checkpoint {
 public:
  /// Without parts: add() them.
  Checkpoint();
  Checkpoint(const Checkpoint& other);
  Checkpoint(Checkpoint&& other) noexcept;
  Checkpoint& operator=(const Checkpoint& other);
  Checkpoint& operator=(Checkpoint&& other) noexcept;
  ~Checkpoint();

  /// Adds the parameters and buffers of a module.
  Checkpoint& add(std::string name, const nn::Module& module);
  /// Adds the state of an optimizer. Its entries are named after its parameters, so make it from
  /// named_parameters().
  Checkpoint& add(std::string name, Optimizer& optimizer);
  /// Adds the state of a scaler. A disabled scaler ignores it in load().
  Checkpoint& add(std::string name, GradScaler& scaler);
  /// Adds a number, such as an epoch or a step.
  Checkpoint& add(std::string name, std::int64_t& number);
  /// Adds a text, for any other information.
  Checkpoint& add(std::string name, std::string& text);
  /// Adds a tensor of any shape. load() replaces it by another tensor.
  Checkpoint& add(std::string name, Tensor& tensor);
  /// Adds any other object whose state is named tensors, such as a DataLoader, an
  /// ExponentialMovingAverage or a ReduceLROnPlateau.
  template <detail::Stateful T>
  Checkpoint& add(std::string name, T& part) {
    return add(
        std::move(name), [&part] { return part.state_dict(); },
        [&part](const NamedTensors& tensors) { part.load_state_dict(tensors); });
  }
  /// Adds the tensors that `save` returns and `load` is given. `load` must throw, and change
  /// nothing, if they do not fit.
  Checkpoint& add(std::string name, std::function<NamedTensors()> save,
                  std::function<void(const NamedTensors&)> load);
  /// Adds the state of the generator that rand, randn and dropout use.
  Checkpoint& add_random_stream(std::string name = "random");

  /// Writes all parts atomically: after a crash, the previous file is still there. Throws
  /// amp::Error if the file cannot be written. Synchronises.
  void save(FilePath path) const;

  /// Restores all parts from the file. Throws amp::Error, naming file and part, and restores the
  /// previous state of all parts, if a part is missing or does not fit. Other entries of the file
  /// are ignored, so that a model can be loaded from the checkpoint of a whole training.
  /// Synchronises.
  void load(FilePath path) const;

 private:
  struct Part;

  /// Returns a copy of each part.
  std::vector<SafeTensors> copies() const;
  /// Undoes the loading of the parts up to `last`, which may be half-loaded. First frees the
  /// tensors of the file, so that there is memory. Returns a text for the error message: the parts
  /// that could not be restored, usually none.
  std::string put_back(const std::vector<SafeTensors>& before, std::size_t last,
                       SafeTensors& contents) const;
  Checkpoint& add_part(Part part);

  std::vector<Part> parts_;
};

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/interop/checkpoint.ipp"
#endif
