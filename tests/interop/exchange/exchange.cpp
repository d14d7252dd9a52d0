// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// safetensors_exchange IN OUT read|map: loads a safetensors file, saves what it loaded as another
// one, and prints it, a line each: name, dtype, shape and bytes of a tensor, key and value of a
// note; texts and bytes in hexadecimal digits.
#include <amp/amp.hpp>
#include <amp/safetensors.hpp>

#include <cstddef>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>

namespace {

std::string hex(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text = "x";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

std::string line_of(const std::string& name, const amp::Tensor& tensor) {
  std::string line = "tensor " + hex(name) + ' ' + std::string(amp::name(tensor.dtype())) + " [";
  for (int d = 0; d < tensor.shape().dims(); ++d)
    line += (d == 0 ? "" : ",") + std::to_string(tensor.shape()[d]);
  const auto size = static_cast<std::size_t>(tensor.numel() * amp::item_size(tensor.dtype()));
  const std::string_view bytes(static_cast<const char*>(tensor.raw_data()), size);
  return line + "] " + hex(size == 0 ? "" : bytes);
}

}  // namespace

int main(int count, char** arguments) try {
  if (count != 4) return 2;
  const bool memory_map = std::string_view(arguments[3]) == "map";
  const amp::SafeTensors contents = amp::load_safetensors(arguments[1], {memory_map});
  amp::save_safetensors(arguments[2], {contents.tensors, contents.metadata});
  for (const auto& [name, tensor] : contents.tensors) std::puts(line_of(name, tensor).c_str());
  for (const auto& [key, value] : contents.metadata)
    std::puts(("note " + hex(key) + ' ' + hex(value)).c_str());
  for (const auto& [name, dtype] : contents.unsupported)
    std::puts(("unsupported " + hex(name) + ' ' + dtype).c_str());
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
