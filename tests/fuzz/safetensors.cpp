// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// load_safetensors of any bytes: amp::Error, or tensors and metadata that can be written again; the
// same if the file is mapped.
#include <amp/amp.hpp>
#include <amp/interop/safetensors_reader.hpp>
#include <amp/interop/safetensors_writer.hpp>
#include <amp/safetensors.hpp>

#include "fuzz/fuzz.hpp"
#include "fuzz/safetensors_file.hpp"
#include "support/temporary_folder.hpp"

namespace {

std::string file_of(const amp::SafeTensors& contents) {
  const amp_test::TemporaryFolder folder;
  amp::save_safetensors(folder / "f", contents);
  return fuzz::bytes_of(folder / "f");
}

/// What is written of `contents` is read as the same.
void check_header(const amp::SafeTensors& contents) {
  const auto written = amp::detail::header_of(contents);
  const auto read =
      amp::detail::parse_safetensors_header("again", amp::detail::to_json("again", written));
  fuzz::require(read.metadata == contents.metadata, "metadata is the same");
  fuzz::require(read.entries.size() == contents.tensors.size(), "all tensors are written");
  for (const auto& [name, tensor] : contents.tensors) {
    const auto& entry = read.entries.at(name);
    fuzz::require(entry.dtype() == tensor.dtype() && entry.shape == tensor.shape(),
                  "tensors are the same");
  }
}

/// All that was loaded, bit for bit; or what the error says.
std::string summary(const std::filesystem::path& path, bool memory_map) {
  std::string all;
  const bool loaded = fuzz::accepted([&] {
    try {
      const amp::SafeTensors contents = amp::load_safetensors(path, {memory_map});
      for (const auto& [name, tensor] : contents.tensors) {
        all += name + amp::to_string(tensor.dtype()) + amp::to_string(tensor.shape());
        const auto size = static_cast<std::size_t>(tensor.numel() * amp::item_size(tensor.dtype()));
        if (size > 0) all.append(static_cast<const char*>(tensor.raw_data()), size);
        if (size > 0) tensor.zero_();  // mapped or not, it may be written
      }
      for (const auto& [key, value] : contents.metadata) all += key + value;
      for (const auto& [name, dtype] : contents.unsupported) all += name + dtype;
    } catch (const amp::Error& error) {
      all = error.what();
      throw;
    }
  });
  return (loaded ? "loaded " : "refused ") + all;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
  std::vector<std::string> seeds = {
      "{}", R"({"__metadata__":{"k":"v","größe":"\u00e9\ud83d\ude42\n"}})",
      R"({"t":{"dtype":"I16","shape":[2,1],"data_offsets":[0,4]},"u":{"dtype":"F4","shape":[2],)"
      R"("data_offsets":[4,5]}})" +
          std::string("\0abcde", 6)};
  amp::SafeTensors all{{}, {{"epoch", "3"}}};
  for (int d = 0; d < amp::kDTypeCount; ++d) {
    const auto dtype = static_cast<amp::DType>(d);
    all.tensors.emplace_back(amp::to_string(dtype), amp::ones({d % 3, 2}, {.dtype = dtype}));
  }
  seeds.push_back(file_of(all));
  seeds.push_back(fuzz::without_length(seeds.back()));
  fuzz::write_seeds(*count, *arguments, seeds);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::MemoryFile file;
  file.write(fuzz::with_length({reinterpret_cast<const char*>(data), size}));
  const std::string mapped = summary(file.path(), true);
  fuzz::require(mapped == summary(file.path(), false), "a mapped file is the same");
  fuzz::accepted([] {
    const amp::SafeTensors contents = amp::load_safetensors(file.path());
    for (const auto& [name, tensor] : contents.tensors) {
      fuzz::require(contents.at(name).is_same(tensor), "names are found");
      if (tensor.numel() > 0) (void)amp::sum(tensor).to_vector<double>();  // reads all of it
    }
    check_header(contents);
  });
  return 0;
}
