// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A checkpoint survives whatever kills the program while it saves the next one. This program runs
// itself as a child that saves in a loop, and kills it.
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
#include <string>
#include <thread>
#include <vector>

#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

namespace crash {
namespace {

namespace fs = std::filesystem;
using Folder = amp_test::TemporaryFolder;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr const char* kPath = "AMP_TEST_CRASH_PATH";

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

/// This program, saving to `path`.
class Child {
 public:
  explicit Child(const fs::path& path) {
    const std::string self = fs::read_symlink("/proc/self/exe").string();
    std::string program = self, test = "[.crash_child]";
    char* const arguments[] = {program.data(), test.data(), nullptr};
    setenv(kPath, path.c_str(), 1);
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

}  // namespace

TEST_CASE("crash: the child, which saves until it is killed", "[.crash_child]") {
  const char* const path = std::getenv(kPath);
  if (path == nullptr) return;
  const auto end = steady_clock::now() + std::chrono::seconds(60);  // should the parent be gone
  Contents contents;
  while (steady_clock::now() < end) {
    ++contents.counter;
    contents.fill();
    contents.checkpoint.save(path);
  }
}

TEST_CASE("crash: a kill while saving leaves a whole checkpoint", "[interop]") {
  const Folder folder;
  const fs::path path = folder.path / "run.safetensors", partial = path.string() + ".partial";
  Contents contents;
  int begun = 0;
  // Which kills come while a file is being written is chance, on a busy machine more than ever.
  for (int round = 0; round < 20 || (begun < 5 && round < 400); ++round) {
    INFO("round " << round);
    fs::remove(path);  // but not what the last kill left beside it: the next save has to cope
    Child child(path);
    const auto deadline = steady_clock::now() + std::chrono::seconds(30);
    while (!fs::exists(path) && child.runs() && steady_clock::now() < deadline)
      std::this_thread::sleep_for(milliseconds(1));
    REQUIRE(fs::exists(path));
    std::this_thread::sleep_for(milliseconds(1 + round * 37 % 60));
    REQUIRE(child.runs());
    child.kill();
    begun += fs::exists(partial) ? 1 : 0;
    contents.counter = 0;
    REQUIRE_NOTHROW(contents.checkpoint.load(path));
    CHECK(contents.counter >= 1);
    CHECK(contents.agree());
  }
  CHECK(begun >= 5);  // or nothing was tried
}

}  // namespace crash
