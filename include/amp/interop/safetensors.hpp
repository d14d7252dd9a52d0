// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Tensors in safetensors files: eight bytes that hold the length of a header, little-endian; the
// header; then the bytes of the tensors, row-major and without gaps.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "amp/core/function_ref.hpp"
#include "amp/interop/file_path.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// What a safetensors file holds.
struct SafeTensors {
  NamedTensors tensors = {};
  std::map<std::string, std::string> metadata = {};
  /// Entries of a dtype that amp has not, which load_safetensors leaves in the file: their names,
  /// and the dtype in the format's words ("I16").
  std::map<std::string, std::string> unsupported = {};

  /// The tensor of this name. Throws amp::Error where there is none, listing names that there are,
  /// or where amp has not its dtype.
  const Tensor& at(std::string_view name) const;
};

/// Writes a file atomically: a crash leaves the file that was there before, and of several
/// processes that save to one path the last wins. Strided tensors, and those of another device, are
/// copied first; synchronises. Throws amp::Error where a tensor is undefined, a name is there twice
/// or is no UTF-8, `contents` lists unsupported entries, or the file cannot be written.
void save_safetensors(FilePath path, const SafeTensors& contents);

/// Options of load_safetensors().
struct SafeTensorsOptions {
  /// Leaves the bytes of the tensors in the file, which is mapped into memory: loading takes the
  /// time of reading the header, and a page takes memory once a tensor on it is used. Writes go to
  /// copies of the pages, never to the file. Tensors that are not aligned to their elements, and
  /// those of dtype bool, are read as without the option. memory_stats() counts only these.
  ///
  /// The mapping lasts as long as any of the tensors. Deleting the file or replacing it by another
  /// one, as save_safetensors does, leaves them alone. But if it is changed in place meanwhile,
  /// their values may change, and if it is cut short, a use of them ends the program by SIGBUS. So
  /// it is for files that only amp replaces, or that nothing writes.
  bool memory_map = false;
};

/// Reads a file, onto the CPU, in time linear in its size. Nothing in it is trusted: throws
/// amp::Error, naming the file and what is wrong, if it is cut short, has bytes too many, or
/// does not keep to the format, before memory is taken for what the file does not hold. Entries of
/// a dtype that amp does not have are listed in SafeTensors::unsupported.
SafeTensors load_safetensors(FilePath path, const SafeTensorsOptions& options = {});

namespace detail {

struct SafeTensorsHeader;

/// `call()`, of which running out of memory becomes an amp::Error that names the file.
void with_memory_for(FilePath path, const FunctionRef<void()>& call);

/// Some of the names in a file, for messages: those that begin with `prefix`, if there are any.
std::string names_in(const SafeTensors& contents, std::string_view prefix = "");

/// Of tensors that are written one after the other.
SafeTensorsHeader header_of(const SafeTensors& contents);

}  // namespace detail
}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/interop/safetensors.ipp"
#endif
