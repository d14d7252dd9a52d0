// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The trainer's line of progress, and the command that it prints to continue.
#include "trainer/progress.hpp"
#include "trainer/options.hpp"

#include "support/catch.hpp"

#include <string>

namespace progress {
namespace {

bool contains(const std::string& text, const char* part) { return text.find(part) != text.npos; }

TEST_CASE("progress: accuracy and scale are seen in 80 columns", "[examples][progress]") {
  examples::Progress progress("amp-fp16", 100, 50000);
  progress.begin_epoch(100);
  const examples::Status status{
      .images = 49999, .loss = 2.30258, .accuracy = 0.98765, .scale = 16777216.0, .skipped = 12};
  const std::string line = progress.line(status, 79);
  CAPTURE(line);
  CHECK(line.size() <= 79);
  for (const char* part : {"amp-fp16", "100/100", "loss 2.3026", "accuracy 98.8 %", "scale 2^24"})
    CHECK(contains(line, part));

  const std::string narrow = progress.line(status, 40);
  CHECK(narrow.size() <= 40);
  CHECK(contains(narrow, "loss 2.3026  accuracy 98.8 %"));
  CHECK(progress.line(status, 8).size() == 8);
  CHECK(contains(progress.line(status, std::string::npos), "skipped 12"));
}

TEST_CASE("progress: without scaling there is no scale", "[examples][progress]") {
  examples::Progress progress("fp32", 1, 100);
  progress.begin_epoch(1);
  const std::string line = progress.line({.images = 50}, std::string::npos);
  CHECK(!contains(line, "scale"));
  CHECK(!contains(line, "skipped"));
  CHECK(contains(line, "50 %"));
}

TEST_CASE("progress: times and scales are short", "[examples][progress]") {
  CHECK(examples::duration_text(8.9) == "8s");
  CHECK(examples::duration_text(125) == "2m05s");
  CHECK(examples::duration_text(4020) == "1h07m");
  CHECK(examples::scale_text(65536) == "2^16");
  CHECK(examples::scale_text(0.5) == "2^-1");
  CHECK(examples::scale_text(100) == "100");
}

TEST_CASE("a command is printed as a shell reads it", "[examples][progress]") {
  const char* const words[] = {"./train.sh", "--lr=1e-3", "my run", "it's", "", "$x"};
  CHECK(examples::command_text(6, words) == "./train.sh --lr=1e-3 'my run' 'it'\\''s' '' '$x'");
}

}  // namespace
}  // namespace progress
