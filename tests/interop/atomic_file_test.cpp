// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Saving a file if there are links, other permissions or taken names at the path and in its folder.
#include <amp/amp.hpp>
#include <amp/interop/atomic_file.hpp>
#include <amp/safetensors.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "support/catch.hpp"
#include "support/child.hpp"
#include "support/error_of.hpp"
#include "support/temporary_folder.hpp"

namespace atomic_file {
namespace {

namespace fs = std::filesystem;
using Folder = amp_test::TemporaryFolder;
using Names = std::set<std::string>;
using amp_test::error_of;
using Catch::Matchers::ContainsSubstring;

void save(const fs::path& path, double value) {
  amp::save_safetensors(path, {{{"t", amp::full({100}, value)}}});
}
double saved(const fs::path& path) {
  return amp::load_safetensors(path).at("t").to_vector<double>()[99];
}
mode_t mode_of(const fs::path& path) {
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status.st_mode & 0777;
}
std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// With which the names of this process' partial files of "f" begin; a count follows.
std::string start_of_names() {
  const Folder folder;
  const amp::detail::AtomicFile file(folder / "f");
  const std::string name = *folder.names().begin();
  return name.substr(0, name.rfind('-') + 1);
}
/// Leaves a partial file, as a process does that is killed while it saves to `path`.
void leave(const fs::path& path) {
  const auto status = amp_test::status_of_child([&]() -> int {
    amp::detail::AtomicFile file(path);
    file.write("abc", 3);
    _exit(0);
  });
  REQUIRE(status == 0);
}

}  // namespace

TEST_CASE("atomic file: a link at the path is followed", "[interop]") {
  const Folder folder;
  fs::create_directories(folder / "disk" / "runs");
  save(folder / "disk" / "runs" / "real", 1);
  fs::create_symlink("runs/real", folder / "disk" / "inner");  // relative to its own folder
  fs::create_symlink(folder / "disk" / "inner", folder / "link");
  save(folder / "link", 2);
  CHECK(fs::is_symlink(folder / "link"));
  CHECK(fs::is_symlink(folder / "disk" / "inner"));
  CHECK(saved(folder / "disk" / "runs" / "real") == 2);
  CHECK(saved(folder / "link") == 2);

  fs::create_symlink("disk/new", folder / "dangling");
  save(folder / "dangling", 3);
  CHECK(fs::is_symlink(folder / "dangling"));
  CHECK(saved(folder / "disk" / "new") == 3);

  fs::create_symlink("loop", folder / "loop");
  CHECK_THAT(error_of([&] { save(folder / "loop", 4); }),
             ContainsSubstring((folder / "loop").string()) && ContainsSubstring("symbolic links"));
  CHECK(folder.names() == Names{"dangling", "disk", "link", "loop"});
}

TEST_CASE("atomic file: permissions of an existing file are kept", "[interop]") {
  const Folder folder;
  const mode_t umask_before = ::umask(022);
  save(folder / "f", 1);
  CHECK(mode_of(folder / "f") == 0644);
  for (const mode_t mode : {mode_t{0600}, mode_t{0666}, mode_t{0640}}) {
    REQUIRE(::chmod((folder / "f").c_str(), mode) == 0);
    save(folder / "f", 2);
    CHECK(mode_of(folder / "f") == mode);
  }
  ::umask(umask_before);
}

TEST_CASE("atomic file: the group of an existing file is kept", "[interop]") {
  if (::geteuid() != 0) AMP_TEST_SKIP("only root may give a file to any group");
  const Folder folder;
  save(folder / "f", 1);
  REQUIRE(::chown((folder / "f").c_str(), static_cast<uid_t>(-1), 1) == 0);
  save(folder / "f", 2);
  struct stat status {};
  REQUIRE(::stat((folder / "f").c_str(), &status) == 0);
  CHECK(status.st_gid == 1);
}

TEST_CASE("atomic file: what is no regular file is not replaced", "[interop]") {
  const Folder folder;
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  fs::create_directory(folder / "folder");
  for (const char* const name : {"pipe", "folder"}) {
    CHECK_THAT(
        error_of([&] { save(folder / name, 1); }),
        ContainsSubstring((folder / name).string()) && ContainsSubstring("cannot be replaced"));
  }
  CHECK_FALSE(fs::is_regular_file(folder / "pipe"));
  CHECK(folder.names() == Names{"folder", "pipe"});
}

TEST_CASE("atomic file: links at the temporary names are left alone", "[interop]") {
  const Folder folder;
  std::ofstream(folder / "victim") << "precious";
  const std::string start = start_of_names();
  fs::create_symlink("victim", folder / "f.partial");
  for (int i = 0; i < 200; ++i)
    fs::create_symlink("victim", folder / (start + std::to_string(i) + ".partial"));
  const Names before = folder.names();
  for (int i = 0; i < 3; ++i) {
    save(folder / "f", i);
    CHECK(saved(folder / "f") == i);
  }
  CHECK_FALSE(fs::is_symlink(folder / "f"));
  CHECK(bytes_of(folder / "victim") == "precious");
  Names after = folder.names();
  CHECK(after.erase("f") == 1);
  CHECK(after == before);
}

TEST_CASE("atomic file: what processes that are gone have left is removed", "[interop]") {
  const Folder folder;
  save(folder / "f", 1);
  for (const mode_t mode : {mode_t{0644}, mode_t{0400}}) {
    REQUIRE(::chmod((folder / "f").c_str(), mode) == 0);
    for (const char* const name : {"f", "f", "g"}) leave(folder / name);
    CHECK(folder.names().size() == 1 + 2);  // the last of each target
  }
  for (const char* const count : {"4", "5"})  // as left by a process that had this one's number
    std::ofstream(folder / (start_of_names() + count + ".partial")) << "abc";
  save(folder / "f", 2);
  CHECK(saved(folder / "f") == 2);
  CHECK(folder.names().size() == 1 + 1);
  save(folder / "g", 3);
  CHECK(folder.names() == Names{"f", "g"});
}

TEST_CASE("atomic file: what another process or thread is writing is kept", "[interop]") {
  const Folder folder;
  amp::detail::AtomicFile file(folder / "f");
  const Names of_this = folder.names();
  REQUIRE(of_this.size() == 1);
  CHECK(amp_test::status_of_child([&] { return save(folder / "f", 1), 0; }) == 0);
  save(folder / "f", 2);
  CHECK(folder.names().contains(*of_this.begin()));
  file.write("mine", 4);
  file.commit();
  CHECK(bytes_of(folder / "f") == "mine");
  CHECK(folder.names() == Names{"f"});
}

TEST_CASE("atomic file: what other systems, and other programs, have left is kept", "[interop]") {
  const Folder folder;
  const std::string start = start_of_names();  // f.<system>-<process>-
  const std::string system = start.substr(1, start.find('-') - 1);
  REQUIRE(system.size() == 1 + 8);
  const Names others{"f.00000000-1-0.partial",      "f.1-0.partial",       "f.partial",
                     "e" + system + "-1-0.partial", "f" + system + "-1-0", "f" + system};
  for (const std::string& name : others) std::ofstream(folder / name) << "kept";
  const std::string directory = "f" + system + "-1-1.partial";
  fs::create_directory(folder / directory);
  save(folder / "f", 1);
  Names after = folder.names();
  CHECK(after.erase("f") + after.erase(directory) == 2);
  CHECK(after == others);
}

TEST_CASE("atomic file: a name may be as long as names can be", "[interop]") {
  const Folder folder;
  const std::string longest(255, 'x');
  save(folder / longest, 1);
  save(folder / longest, 2);
  CHECK(saved(folder / longest) == 2);
  CHECK(folder.names() == Names{longest});
}

TEST_CASE("atomic file: one that is given up leaves nothing", "[interop]") {
  const Folder folder;
  {
    amp::detail::AtomicFile file(folder / "f");
    file.write("abc", 3);
    CHECK(folder.names().size() == 1);
    CHECK_FALSE(folder.names().contains("f"));
  }
  CHECK(folder.names().empty());
  {
    amp::detail::AtomicFile file(folder / "f");
    fs::create_directory(folder / "f");  // at the path of the file
    CHECK_THAT(error_of([&] { file.commit(); }), ContainsSubstring("cannot rename"));
  }
  CHECK(folder.names() == Names{"f"});
}

}  // namespace atomic_file
