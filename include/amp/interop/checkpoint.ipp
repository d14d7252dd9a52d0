// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "amp/core/error.hpp"
#include "amp/interop/checkpoint.hpp"
#include "amp/optim/saved_state.hpp"
#include "amp/scaler/state.hpp"
#include "amp/tensor/generator.hpp"

namespace amp::inline v0 {

namespace detail {

template <class Number>
Number parse_number(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  AMP_CHECK(error == std::errc() && end == text.data() + text.size(),
            "expected a whole number, but found \"", text, "\"");
  return number;
}

}  // namespace detail

/// Named tensors, or a note in the metadata; the functions of the other kind are empty.
struct Checkpoint::Part {
  std::string name;
  std::function<NamedTensors()> tensors = {};
  std::function<void(const NamedTensors&)> set_tensors = {};
  std::function<std::string()> note = {};
  std::function<void(std::string_view)> set_note = {};
  bool writes_in_place = true;  // load writes into the tensors that save lists

  static Part of_tensors(std::string name, std::function<NamedTensors()> save,
                         std::function<void(const NamedTensors&)> load,
                         bool writes_in_place = true);
  static Part of_note(std::string name, std::function<std::string()> save,
                      std::function<void(std::string_view)> load);
  void save(SafeTensors& contents) const;
  void load(const SafeTensors& contents) const;

 private:
  void load_tensors(const SafeTensors& contents) const;
};

AMP_COLD auto Checkpoint::Part::of_tensors(std::string name, std::function<NamedTensors()> save,
                                           std::function<void(const NamedTensors&)> load,
                                           bool writes_in_place) -> Part {
  return {.name = std::move(name),
          .tensors = std::move(save),
          .set_tensors = std::move(load),
          .writes_in_place = writes_in_place};
}

AMP_COLD auto Checkpoint::Part::of_note(std::string name, std::function<std::string()> save,
                                        std::function<void(std::string_view)> load) -> Part {
  return {.name = std::move(name), .note = std::move(save), .set_note = std::move(load)};
}

AMP_COLD void Checkpoint::Part::save(SafeTensors& contents) const {
  if (note) {
    contents.metadata[name] = note();
    return;
  }
  for (auto& [entry, tensor] : tensors())
    contents.tensors.emplace_back(name + "." + entry, std::move(tensor));
}

AMP_COLD void Checkpoint::Part::load(const SafeTensors& contents) const {
  if (!set_note) return load_tensors(contents);
  const auto found = contents.metadata.find(name);
  AMP_CHECK(found != contents.metadata.end(), "is missing; the file holds ",
            detail::names_in(contents));
  set_note(found->second);
}

AMP_COLD void Checkpoint::Part::load_tensors(const SafeTensors& contents) const {
  const std::string prefix = name + ".";
  NamedTensors own;
  for (const auto& [entry, tensor] : contents.tensors) {
    if (entry.starts_with(prefix)) own.emplace_back(entry.substr(prefix.size()), tensor);
  }
  for (const auto& [entry, dtype] : contents.unsupported)
    AMP_CHECK(!entry.starts_with(prefix), "\"", entry, "\" is ", dtype,
              ", a dtype that amp has not");
  try {
    set_tensors(own);
  } catch (const Error& error) {
    detail::fail(error.what(), "; the file holds ", detail::names_in(contents, prefix));
  }
}

AMP_COLD Checkpoint::Checkpoint() = default;
AMP_COLD Checkpoint::Checkpoint(const Checkpoint& other) = default;
AMP_COLD Checkpoint::Checkpoint(Checkpoint&& other) noexcept = default;
AMP_COLD Checkpoint& Checkpoint::operator=(const Checkpoint& other) = default;
AMP_COLD Checkpoint& Checkpoint::operator=(Checkpoint&& other) noexcept = default;
AMP_COLD Checkpoint::~Checkpoint() = default;

AMP_COLD Checkpoint& Checkpoint::add(std::string name, const nn::Module& module) {
  AMP_CHECK(module.defined(), "Checkpoint::add: \"", name, "\" is no module yet");
  return add_part(Part::of_tensors(
      std::move(name), [module] { return module.state_dict(); },
      [module](const NamedTensors& tensors) { module.load_state_dict(tensors); }));
}

AMP_COLD Checkpoint& Checkpoint::add(std::string name, Optimizer& optimizer) {
  return add(
      std::move(name), [&optimizer] { return optimizer.state_dict(); },
      [&optimizer](const NamedTensors& tensors) { optimizer.load_state_dict(tensors); });
}

AMP_COLD Checkpoint& Checkpoint::add(std::string name, GradScaler& scaler) {
  return add_part(Part::of_note(
      std::move(name), [&scaler] { return to_string(scaler.state_dict()); },
      [&scaler](std::string_view text) {  // a disabled scaler's state may be invalid
        if (scaler.is_enabled()) scaler.load_state_dict(parse_grad_scaler_state(text));
      }));
}

AMP_COLD Checkpoint& Checkpoint::add(std::string name, std::int64_t& number) {
  return add_part(Part::of_note(
      std::move(name), [&number] { return std::to_string(number); },
      [&number](std::string_view text) { number = detail::parse_number<std::int64_t>(text); }));
}

AMP_COLD Checkpoint& Checkpoint::add(std::string name, std::string& text) {
  return add_part(Part::of_note(
      std::move(name), [&text] { return text; },
      [&text](std::string_view loaded) { text = loaded; }));
}

AMP_COLD Checkpoint& Checkpoint::add(std::string name, Tensor& tensor) {
  return add_part(Part::of_tensors(
      std::move(name),
      [&tensor] {
        return NamedTensors{{"value", tensor}};
      },
      [&tensor](const NamedTensors& tensors) {
        AMP_CHECK(tensors.size() == 1 && tensors[0].first == "value",
                  "Checkpoint::load: expected one tensor");
        tensor = tensors[0].second;
      },
      false));
}

AMP_COLD Checkpoint& Checkpoint::add(std::string name, std::function<NamedTensors()> save,
                                     std::function<void(const NamedTensors&)> load) {
  AMP_CHECK(save && load, "Checkpoint::add: a function of \"", name, "\" is empty");
  return add_part(Part::of_tensors(std::move(name), std::move(save), std::move(load)));
}

AMP_COLD Checkpoint& Checkpoint::add_random_stream(std::string name) {
  return add_part(Part::of_note(
      std::move(name),
      [] {
        const RngState state = get_rng_state();
        return std::to_string(state.seed) + " " + std::to_string(state.offset);
      },
      [](std::string_view text) {
        const std::size_t space = text.find(' ');
        AMP_CHECK(space != text.npos, "expected two numbers, but found \"", text, "\"");
        set_rng_state({.seed = detail::parse_number<std::uint64_t>(text.substr(0, space)),
                       .offset = detail::parse_number<std::uint64_t>(text.substr(space + 1))});
      }));
}

AMP_COLD void Checkpoint::save(FilePath path) const {
  detail::with_memory_for(path, [&] {
    SafeTensors contents;
    for (const Part& part : parts_) part.save(contents);
    save_safetensors(path, contents);
  });
}

AMP_COLD void Checkpoint::load(FilePath path) const {
  detail::with_memory_for(path, [&] {
    SafeTensors contents = load_safetensors(path);
    const std::vector<SafeTensors> before = copies();
    std::size_t part = 0;
    const auto undo = [&](const char* reason) {
      const std::string half_loaded = put_back(before, part, contents);
      detail::fail(path.string(), ": \"", parts_[part].name, "\": ", reason, half_loaded);
    };
    try {
      for (; part < parts_.size(); ++part) parts_[part].load(contents);
    } catch (const std::bad_alloc&) {
      undo("out of memory");
    } catch (const std::exception& error) {
      undo(error.what());
    }
  });
}

AMP_COLD std::vector<SafeTensors> Checkpoint::copies() const {
  std::vector<SafeTensors> all(parts_.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    parts_[i].save(all[i]);
    for (auto& [entry, tensor] : all[i].tensors) {
      if (parts_[i].writes_in_place) tensor = tensor.detach().clone();
    }
  }
  return all;
}

AMP_COLD std::string Checkpoint::put_back(const std::vector<SafeTensors>& before, std::size_t last,
                                          SafeTensors& contents) const {
  for (auto& [entry, tensor] : contents.tensors) tensor = Tensor();
  std::string half_loaded;
  for (std::size_t i = 0; i <= last; ++i) {
    try {
      parts_[i].load(before[i]);
    } catch (const std::exception&) {
      half_loaded += "; \"" + parts_[i].name + "\" could not be put back and is half-loaded";
    }
  }
  return half_loaded;
}

AMP_COLD Checkpoint& Checkpoint::add_part(Part part) {
  AMP_CHECK(!part.name.empty() && part.name.find('.') == std::string::npos,
            "Checkpoint::add: `name` must not be empty nor hold a dot, but is \"", part.name, "\"");
  for (const Part& other : parts_)
    AMP_CHECK(other.name != part.name, "Checkpoint::add: \"", part.name, "\" is there already");
  parts_.push_back(std::move(part));
  return *this;
}

}  // namespace amp::inline v0
