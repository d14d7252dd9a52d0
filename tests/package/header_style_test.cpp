// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What every header of the library looks like: licence, include guard, macro names, length.
#include <string>

#include "package/headers.hpp"
#include "support/catch.hpp"

using amp_test::directive;

TEST_CASE("headers open with the licence and are included once") {
  amp_test::Complaints complaints;
  for (const auto& [header, lines] : amp_test::read_headers()) {
    if (lines.size() < 2 || lines[0] != "// SPDX-FileCopyrightText: 2026 The amp authors" ||
        lines[1] != "// SPDX-License-Identifier: MIT") {
      complaints.add(header + ": the first two lines are not the licence");
    }
    if (std::find(lines.begin(), lines.end(), "#pragma once") == lines.end()) {
      complaints.add(header + ": no #pragma once");
    }
    if (lines.size() > 400) complaints.add(header + ": more than 400 lines");
  }
  CHECK(complaints.text() == "");
}

TEST_CASE("macros start with AMP_") {
  amp_test::Complaints complaints;
  for (const auto& [header, lines] : amp_test::read_headers()) {
    for (const std::string& line : lines) {
      const std::string name = directive(line, "define");
      if (!name.empty() && !name.starts_with("AMP_")) complaints.add(header + ": " + line);
    }
  }
  CHECK(complaints.text() == "");
}

// A function whose body depends on the compiler that sees it is two functions under one name.
TEST_CASE("host headers do not ask for the compiler") {
  amp_test::Complaints complaints;
  for (const auto& [header, lines] : amp_test::read_headers()) {
    if (!header.ends_with(".hpp") || header == "amp/core/config.hpp") continue;
    for (const std::string& line : lines) {
      const bool conditional = !directive(line, "if").empty() || !directive(line, "elif").empty();
      if (conditional && line.find("__CUDA") != std::string::npos) {
        complaints.add(header + ": " + line);
      }
    }
  }
  CHECK(complaints.text() == "");
}

TEST_CASE("kernels are launched through a function") {
  amp_test::Complaints complaints;
  for (const auto& [header, lines] : amp_test::read_headers()) {
    for (const std::string& line : lines) {
      if (line.find("<<<") != std::string::npos) complaints.add(header + ": " + line);
    }
  }
  CHECK(complaints.text() == "");
}
