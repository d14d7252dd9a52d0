// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Programs that save one checkpoint after the other until they are killed: this program, run again
// as a child.
#pragma once

#include <amp/amp.hpp>
#include <amp/safetensors.hpp>

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

namespace crash {

namespace fs = std::filesystem;
using Folder = amp_test::TemporaryFolder;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

inline constexpr const char *kPath = "AMP_TEST_CRASH_PATH", *kFirst = "AMP_TEST_CRASH_FIRST";

/// What is saved: a counter, and tensors of about 3 MB, large and small, all filled from it.
struct Contents {
  std::int64_t counter = 0;
  std::vector<amp::Tensor> tensors;
  amp::Checkpoint checkpoint;

  Contents() {
    tensors.resize(12);
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      tensors[i] = amp::zeros({i % 3 == 0 ? 5 : 100'000});
      checkpoint.add("t" + std::to_string(i), tensors[i]);
    }
    checkpoint.add("counter", counter);
  }
  static double value(std::int64_t count, std::size_t i) {
    return static_cast<double>(count * 16 + static_cast<std::int64_t>(i));
  }
  void fill() const {
    for (std::size_t i = 0; i < tensors.size(); ++i) tensors[i].fill_(value(counter, i));
  }
  bool agree() const {
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      const std::vector<double> values = tensors[i].to_vector<double>();
      if (!std::all_of(values.begin(), values.end(),
                       [&](double x) { return x == value(counter, i); }))
        return false;
    }
    return true;
  }
};

/// This program, which runs its test `[.crash_child]`: it saves to `path`, counting from `first`.
class Child {
 public:
  explicit Child(const fs::path& path, std::int64_t first = 0) {
    const std::string self = fs::read_symlink("/proc/self/exe").string();
    std::string program = self, test = "[.crash_child]";
    char* const arguments[] = {program.data(), test.data(), nullptr};
    setenv(kPath, path.c_str(), 1);
    setenv(kFirst, std::to_string(first).c_str(), 1);
    REQUIRE(posix_spawn(&pid_, self.c_str(), nullptr, nullptr, arguments, environ) == 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() { kill(); }

  bool runs() {
    if (pid_ > 0 && waitpid(pid_, nullptr, WNOHANG) == pid_) pid_ = -1;
    return pid_ > 0;
  }
  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

 private:
  pid_t pid_ = -1;
};

/// What the child does.
inline void save_until_killed() {
  const char *const path = std::getenv(kPath), *const first = std::getenv(kFirst);
  if (path == nullptr || first == nullptr) return;
  const auto end = steady_clock::now() + std::chrono::seconds(60);  // should the parent be gone
  Contents contents;
  contents.counter = std::atoll(first);
  while (steady_clock::now() < end) {
    ++contents.counter;
    contents.fill();
    contents.checkpoint.save(path);
  }
}

/// Waits until there is a file, which the child is to write.
inline void wait_for(const fs::path& path, Child& child) {
  const auto deadline = steady_clock::now() + std::chrono::seconds(30);
  while (!fs::exists(path) && child.runs() && steady_clock::now() < deadline)
    std::this_thread::sleep_for(milliseconds(1));
  REQUIRE(fs::exists(path));
}

/// Kills savers at `kills` points at least, and goes on until `begun_wanted` of them were writing.
/// What each kill leaves beside the file stays for some of the next saves, which have to cope.
inline void check_kills(int kills, int begun_wanted) {
  const Folder folder;
  const fs::path path = folder / "run.safetensors";
  Contents contents;
  int begun = 0;
  // Which kills come while a file is being written is chance, on a busy machine more than ever.
  for (int round = 0; round < kills || (begun < begun_wanted && round < 400); ++round) {
    INFO("round " << round);
    fs::remove(path);
    Child child(path);
    wait_for(path, child);
    std::this_thread::sleep_for(milliseconds(1 + round * 37 % 60));
    REQUIRE(child.runs());
    child.kill();
    contents.counter = 0;
    REQUIRE_NOTHROW(contents.checkpoint.load(path));
    CHECK(contents.counter >= 1);
    CHECK(contents.agree());
    std::set<std::string> partial = folder.names();
    partial.erase("run.safetensors");
    begun += partial.empty() ? 0 : 1;
    if (partial.size() < 3) continue;  // 3 MB each
    for (const std::string& name : partial) fs::remove(folder / name);
  }
  CHECK(begun >= begun_wanted);  // or nothing was tried
  contents.counter = 7;
  contents.fill();
  contents.checkpoint.save(path);
  contents.checkpoint.load(path);
  CHECK(contents.agree());
}

/// Two savers and a reader of one path.
inline void check_two_savers(milliseconds duration) {
  const Folder folder;
  const fs::path path = folder / "run.safetensors";
  Child first(path), second(path, 500'000);
  wait_for(path, first);
  wait_for(path, second);
  Contents contents;
  bool of_first = false, of_second = false;
  const auto begin = steady_clock::now();
  // Longer if only one of the two programs has saved so far.
  for (auto now = begin; now < begin + duration ||
                         (!(of_first && of_second) && now < begin + std::chrono::seconds(20));
       now = steady_clock::now()) {
    REQUIRE_NOTHROW(contents.checkpoint.load(path));
    REQUIRE(contents.agree());
    (contents.counter > 500'000 ? of_second : of_first) = true;
  }
  CHECK(of_first);
  CHECK(of_second);
  CHECK(first.runs());  // or a save failed
  CHECK(second.runs());
}

}  // namespace crash
