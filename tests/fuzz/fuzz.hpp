// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What the fuzz targets share. Each is a libFuzzer program that writes its own seeds into the
// corpus folder of its command line, and feeds a reader with files that lie in memory.
#pragma once

#include <amp/core/error.hpp>

#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace fuzz {

/// Ends the program, which libFuzzer reports with the input, unless `holds`.
inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "fuzz: does not hold: %s\n", what);
  std::abort();
}

/// A regular file without a disk.
class MemoryFile {
 public:
  MemoryFile() : file_(::memfd_create("fuzz", MFD_CLOEXEC)) {
    require(file_ >= 0, "a file in memory can be made");
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::filesystem::path path() const { return "/proc/self/fd/" + std::to_string(file_); }
  void write(std::string_view bytes) const {
    require(::ftruncate(file_, 0) == 0 && ::pwrite(file_, bytes.data(), bytes.size(), 0) ==
                                              static_cast<ssize_t>(bytes.size()),
            "a file in memory can be written");
  }

 private:
  int file_;
};

/// `call()`, which may throw amp::Error alone; whether it threw none.
template <class Call>
bool accepted(Call&& call) {
  try {
    call();
    return true;
  } catch (const amp::Error& error) {
    require(error.what()[0] != '\0', "errors say what is wrong");
    return false;
  }
}

inline std::string gzip(const std::string& bytes) {
  std::string packed(bytes.size() + 1000, '\0');
  z_stream stream{};
  require(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK, "gzip");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  require(deflate(&stream, Z_FINISH) == Z_STREAM_END, "gzip");
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

inline std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Writes the seeds into the first folder of the command line, which is made.
inline void write_seeds(int count, char** arguments, const std::vector<std::string>& seeds) {
  for (int i = 1; i < count; ++i) {
    if (arguments[i][0] == '-') continue;
    const std::filesystem::path folder = arguments[i];
    if (std::filesystem::is_regular_file(folder)) return;  // an input to be run again
    std::filesystem::create_directories(folder);
    for (std::size_t s = 0; s < seeds.size(); ++s)
      std::ofstream(folder / ("seed_" + std::to_string(s)), std::ios::binary) << seeds[s];
    return;
  }
}

}  // namespace fuzz

// libFuzzer calls these.
extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
