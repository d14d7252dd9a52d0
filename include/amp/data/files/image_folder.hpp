// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Images in folders, one for each class.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "amp/core/config.hpp"
#include "amp/core/error.hpp"
#include "amp/core/file_path.hpp"
#include "amp/data/dataset.hpp"
#include "amp/data/example.hpp"
#include "amp/data/files/read_image.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::data {

/// ROOT/CLASS/.../FILE: the images of each folder, in alphabetical order, are those of a class.
/// Files are .jpg, .jpeg, .png, .ppm and .pgm. An example is read when it is asked for: an image
/// [3, H, W] of uint8, and the number of its class. Images of several sizes need a transform that
/// makes them equal.
class ImageFolder : public Dataset<ImageFolder> {
 public:
  /// Throws amp::Error if there is no such folder, no class in it, or a class without images.
  [[gnu::cold]] explicit ImageFolder(FilePath root) {
    try {
      find(root.string());
    } catch (const std::filesystem::filesystem_error& error) {
      amp::detail::fail("ImageFolder: ", std::string(error.what()));
    }
  }

  /// The number of images.
  std::int64_t size() const { return static_cast<std::int64_t>(samples_.size()); }
  /// Reads an image.
  Example<Tensor, std::int64_t> get(std::int64_t index) const {
    detail::check_index("ImageFolder", index, size());
    const auto& [path, target] = samples_[static_cast<std::size_t>(index)];
    return {read_image(path, ImageMode::kRGB), target};
  }

  /// The names of the classes, which are those of the folders.
  const std::vector<std::string>& classes() const { return classes_; }
  /// The paths of the images and the numbers of their classes.
  const std::vector<std::pair<std::string, std::int64_t>>& samples() const { return samples_; }

 private:
  [[gnu::cold]] static bool is_image(const std::filesystem::path& path) {
    std::string ending = path.extension().string();
    for (char& letter : ending)
      letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    constexpr std::string_view kEndings[] = {".jpg", ".jpeg", ".png", ".ppm", ".pgm"};
    return std::find(std::begin(kEndings), std::end(kEndings), ending) != std::end(kEndings);
  }

  [[gnu::cold]] void find(const std::filesystem::path& root) {
    namespace fs = std::filesystem;
    for (const auto& entry : fs::directory_iterator(root))
      if (entry.is_directory()) classes_.push_back(entry.path().filename().string());
    AMP_CHECK(!classes_.empty(), "ImageFolder: ", root.string(),
              ": has no folders, which would be the classes");
    std::sort(classes_.begin(), classes_.end());
    for (std::size_t i = 0; i < classes_.size(); ++i) {
      const std::size_t begin = samples_.size();
      const fs::path folder = root / classes_[i];
      constexpr auto kFollow = fs::directory_options::follow_directory_symlink;
      for (const auto& entry : fs::recursive_directory_iterator(folder, kFollow)) {
        if (entry.is_regular_file() && is_image(entry.path()))
          samples_.emplace_back(entry.path().string(), static_cast<std::int64_t>(i));
      }
      AMP_CHECK(samples_.size() > begin, "ImageFolder: ", folder.string(),
                ": has no .jpg, .jpeg, .png, .ppm or .pgm");
      std::sort(samples_.begin() + static_cast<std::ptrdiff_t>(begin), samples_.end());
    }
  }

  std::vector<std::string> classes_;
  std::vector<std::pair<std::string, std::int64_t>> samples_;
};

}  // namespace amp::inline v0::data
