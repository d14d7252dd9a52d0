// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Tensors in safetensors files: eight bytes that hold the length of a header, little-endian; the
// header; then the bytes of the tensors, row-major and without gaps.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "amp/core/file_path.hpp"
#include "amp/core/function_ref.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// The contents of a safetensors file.
struct SafeTensors {
  NamedTensors tensors = {};
  std::map<std::string, std::string> metadata = {};
  /// Entries whose dtype amp does not have, which load_safetensors does not load: their names, and
  /// the format's name of the dtype ("I16").
  std::map<std::string, std::string> unsupported = {};

  /// Returns the tensor of this name. Throws amp::Error if there is none, listing existing names,
  /// or if amp does not have its dtype.
  const Tensor& at(std::string_view name) const;
};

/// Writes a file atomically: after a crash, the previous file is still there, and if several
/// processes save to one path, the last one wins. Tensors that are not contiguous or not on the CPU
/// are copied first. Throws amp::Error if a tensor is undefined, a name is given twice or is not
/// UTF-8, `contents` lists unsupported entries, or the file cannot be written. Synchronises.
void save_safetensors(FilePath path, const SafeTensors& contents);

/// Options of load_safetensors.
struct SafeTensorsOptions {
  /// Maps the file into memory instead of reading the tensors: loading takes only the time of
  /// reading the header, and a page takes memory once a tensor on it is used. Writes go to private
  /// copies of the pages, never to the file. Tensors that are not aligned to their elements, and
  /// those of dtype bool, are read as without the option; memory_stats() counts only these.
  ///
  /// The mapping lasts as long as any of the tensors. Deleting the file or replacing it by another
  /// one, as save_safetensors does, does not affect them. If the file is changed in place, their
  /// values may change; if it is cut short, using them ends the program by SIGBUS. So use it for
  /// files that only amp replaces, or that are never written.
  bool memory_map = false;
};

/// Reads a file into tensors on the CPU, in time linear in its size. Nothing in the file is
/// trusted: throws amp::Error, naming the file and the problem, if it is cut short, has too many
/// bytes or violates the format, before allocating memory for data that the file does not contain.
/// Entries whose dtype amp does not have are listed in SafeTensors::unsupported.
SafeTensors load_safetensors(FilePath path, const SafeTensorsOptions& options = {});

namespace detail {

struct SafeTensorsHeader;

/// Calls `call()`, and turns a lack of memory into an amp::Error that names the file.
void with_memory_for(FilePath path, const FunctionRef<void()>& call);

/// Returns some of the names in a file, for messages: those that begin with `prefix`, if there are
/// any.
std::string names_in(const SafeTensors& contents, std::string_view prefix = "");

/// Returns the header for tensors that are written one after the other.
SafeTensorsHeader header_of(const SafeTensors& contents);

}  // namespace detail
}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/interop/safetensors.ipp"
#endif
