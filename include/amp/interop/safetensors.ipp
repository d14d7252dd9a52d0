// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "amp/autograd/grad_mode.hpp"
#include "amp/core/error.hpp"
#include "amp/core/file_mapping.hpp"
#include "amp/core/input_file.hpp"
#include "amp/core/refcount.hpp"
#include "amp/interop/atomic_file.hpp"
#include "amp/interop/safetensors.hpp"
#include "amp/interop/safetensors_header.hpp"
#include "amp/interop/safetensors_reader.hpp"
#include "amp/interop/safetensors_writer.hpp"
#include "amp/ops/tensor_members.hpp"
#include "amp/tensor/factory.hpp"
#include "amp/tensor/storage.hpp"

namespace amp::inline v0 {

namespace detail {

static_assert(std::endian::native == std::endian::little, "safetensors files are little-endian");

AMP_COLD void with_memory_for(FilePath path, const FunctionRef<void()>& call) {
  try {
    call();
  } catch (const std::bad_alloc&) {
    throw Error(path.string() + ": out of memory");
  }
}

AMP_COLD std::string names_in(const SafeTensors& contents, std::string_view prefix) {
  constexpr std::size_t kListed = 8;
  std::vector<std::string_view> names, within;
  for (const auto& entry : contents.tensors) names.push_back(entry.first);
  for (const auto& entry : contents.unsupported) names.push_back(entry.first);
  for (const auto& entry : contents.metadata) names.push_back(entry.first);
  std::copy_if(names.begin(), names.end(), std::back_inserter(within),
               [&](std::string_view name) { return name.starts_with(prefix); });
  if (!within.empty()) names = std::move(within);
  if (names.empty()) return "nothing";
  std::string text;
  for (std::size_t i = 0; i < (std::min)(names.size(), kListed); ++i)
    text += (i == 0 ? "\"" : ", \"") + excerpt(names[i]) + '"';
  if (names.size() > kListed) text += " and " + std::to_string(names.size() - kListed) + " more";
  return text;
}

AMP_COLD SafeTensorsHeader header_of(const SafeTensors& contents) {
  SafeTensorsHeader header{{}, contents.metadata};
  std::uint64_t offset = 0;
  for (const auto& [name, tensor] : contents.tensors) {
    AMP_CHECK(tensor.defined(), "save_safetensors: tensor \"", name, "\" is undefined");
    const auto end =
        offset + static_cast<std::uint64_t>(byte_count(tensor.shape(), tensor.dtype()));
    const bool is_new =
        header.entries
            .try_emplace(name, SafeTensorsEntry{static_cast<std::ptrdiff_t>(tensor.dtype()),
                                                tensor.shape(), offset, end})
            .second;
    AMP_CHECK(is_new && name != kMetadataKey, "save_safetensors: \"", name,
              "\" is there twice, or is the metadata's own name");
    offset = end;
  }
  return header;
}

/// Reads the text of the header, from the beginning of the file.
AMP_COLD std::string read_header(const std::string& path, InputFile& file) {
  std::uint64_t size = 0;
  AMP_CHECK(file.size() >= sizeof size, path, ": has ", file.size(),
            " bytes, but a safetensors file begins with 8 that tell the length of its header");
  file.read(&size, sizeof size);
  AMP_CHECK(size <= kLargestHeader, path,
            ": is no safetensors file, or is damaged: its first 8 bytes would be the length of a "
            "header of ",
            size, " bytes, but a header has at most ", kLargestHeader, ", and the file has ",
            file.size());
  AMP_CHECK(size <= file.size() - sizeof size, path, ": the header is to take ", size,
            " bytes, but the file has ", file.size(), "; was it cut short?");
  std::string text(static_cast<std::size_t>(size), '\0');
  file.read(text.data(), size);
  AMP_CHECK(text.starts_with('{'), path,
            ": is no safetensors file, or is damaged: the header must begin with {");
  return text;
}

/// Returns a tensor over the mapped bytes from `offset` on.
AMP_COLD Tensor mapped_tensor(const SafeTensorsEntry& entry, const Ref<FileMapping>& file,
                              std::uint64_t offset) {
  auto storage = make_ref<Storage>(kCPU, file->at(offset),
                                   static_cast<std::int64_t>(entry.end - entry.begin), file);
  storage->claim();
  return Tensor(make_ref<TensorImpl>(std::move(storage), entry.shape,
                                     contiguous_strides(entry.shape), 0, entry.dtype()));
}

/// Reads a tensor from the next bytes of the file.
AMP_COLD Tensor read_tensor(const std::string& path, const std::string& name,
                            const SafeTensorsEntry& entry, InputFile& file) {
  Tensor tensor;
  try {
    tensor = make_tensor(entry.shape, entry.dtype(), kCPU);
  } catch (const Error& error) {  // a sparse file may be larger than memory
    fail(path, ": tensor \"", excerpt(name), "\": ", error.what());
  }
  file.read(tensor.raw_data(), entry.end - entry.begin);
  const auto* const bytes = static_cast<const std::uint8_t*>(tensor.raw_data());
  AMP_CHECK(entry.dtype() != kBool || std::all_of(bytes, bytes + tensor.numel(),
                                                  [](std::uint8_t byte) { return byte <= 1; }),
            path, ": tensor \"", excerpt(name), "\" is BOOL, but holds bytes other than 0 and 1");
  return tensor;
}

/// Reads or maps the tensors of a file, one after the other.
class SafeTensorsData {
 public:
  SafeTensorsData(const std::string& path, InputFile& file, std::uint64_t offset, bool map)
      : path_(path), file_(file), offset_(offset), map_(map) {}

  /// Returns the next tensor. Entries must be given in the order of their bytes.
  Tensor next(const std::string& name, const SafeTensorsEntry& entry) {
    if (!can_map(entry)) return read_tensor(path_, name, entry, file_);
    if (!mapping_) mapping_ = make_ref<FileMapping>(file_);
    skip(entry);
    return mapped_tensor(entry, mapping_, offset_ + entry.begin);
  }
  void skip(const SafeTensorsEntry& entry) { file_.skip(entry.end - entry.begin); }

 private:
  /// Bools are not mapped: they must be 0 or 1 whenever they are read, but the file may change.
  bool can_map(const SafeTensorsEntry& entry) const {
    const auto alignment = static_cast<std::uint64_t>(item_size(entry.dtype()));
    return map_ && entry.begin != entry.end && entry.dtype() != kBool &&
           (offset_ + entry.begin) % alignment == 0;
  }

  const std::string& path_;
  InputFile& file_;
  std::uint64_t offset_;  // of the first tensor, from which the entries count
  bool map_;
  Ref<FileMapping> mapping_;
};

AMP_COLD SafeTensors read_safetensors(FilePath path, const SafeTensorsOptions& options) {
  const std::string name = path.string();
  InputFile file("load_safetensors", path);
  SafeTensorsHeader header;
  std::uint64_t data_size = file.size() - sizeof(std::uint64_t);
  {
    const std::string text = read_header(name, file);
    data_size -= text.size();
    header = parse_safetensors_header(name, text);
  }
  SafeTensorsData data(name, file, file.size() - data_size, options.memory_map);
  // Tensors are read in the order of their bytes, but listed by name.
  std::map<std::string_view, Tensor> loaded;
  SafeTensors contents;
  for (const auto* const named : check_entries(name, header, data_size)) {
    const auto& [key, entry] = *named;
    if (entry.has_dtype()) {
      loaded.emplace(key, data.next(key, entry));
    } else {
      contents.unsupported.emplace(key, entry.type_name());
      data.skip(entry);
    }
  }
  contents.tensors.reserve(loaded.size());
  for (auto& [key, tensor] : loaded) contents.tensors.emplace_back(key, std::move(tensor));
  contents.metadata = std::move(header.metadata);
  return contents;
}

}  // namespace detail

AMP_COLD const Tensor& SafeTensors::at(std::string_view name) const {
  for (const auto& [known, tensor] : tensors) {
    if (known == name) return tensor;
  }
  const auto other = unsupported.find(std::string(name));
  AMP_CHECK(other == unsupported.end(), "SafeTensors::at: \"", name, "\" is ", other->second,
            ", a dtype that amp has not; convert it before it is saved");
  detail::fail("SafeTensors::at: there is no tensor \"", name, "\", but ",
               detail::names_in({tensors, {}, unsupported}));
}

AMP_COLD void save_safetensors(FilePath path, const SafeTensors& contents) {
  AMP_CHECK(contents.unsupported.empty(), "save_safetensors: ", path.string(), ": \"",
            contents.unsupported.begin()->first,
            "\" was not loaded, so that it cannot be saved; clear `unsupported` to do without it");
  detail::with_memory_for(path, [&] {
    // Larger elements first, so that every tensor is aligned to its own.
    SafeTensors sorted{contents.tensors, contents.metadata};
    const auto size_of = [](const auto& named) {
      return named.second.defined() ? item_size(named.second.dtype()) : 0;
    };
    std::stable_sort(sorted.tensors.begin(), sorted.tensors.end(),
                     [&](const auto& a, const auto& b) { return size_of(a) > size_of(b); });
    const std::string header = detail::to_json(path.string(), detail::header_of(sorted));
    const auto header_size = static_cast<std::uint64_t>(header.size());
    detail::AtomicFile file(path);
    file.write(&header_size, sizeof header_size);
    file.write(header.data(), header.size());
    const NoGradGuard no_grad;
    for (const auto& entry : sorted.tensors) {
      const Tensor tensor = entry.second.detach().to(kCPU).contiguous();
      file.write(tensor.raw_data(),
                 static_cast<std::size_t>(detail::byte_count(tensor.shape(), tensor.dtype())));
    }
    file.commit();
  });
}

AMP_COLD SafeTensors load_safetensors(FilePath path, const SafeTensorsOptions& options) {
  SafeTensors contents;
  detail::with_memory_for(path, [&] { contents = detail::read_safetensors(path, options); });
  return contents;
}

}  // namespace amp::inline v0
