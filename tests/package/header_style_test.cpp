// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What every header of the library looks like: licence, include guard, macro names, length.
#include <set>
#include <string>
#include <vector>

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

// A state that is missing there is an undefined symbol in programs compiled with AMP_SHARED_STATE.
// Those of the CUDA device come into being where <amp/cuda.cuh> is included.
TEST_CASE("shared_state.hpp defines the states of all host headers") {
  const auto states_of = [](const std::vector<std::string>& lines) {
    std::set<std::string> states;
    for (const std::string& line : lines) {
      for (std::size_t at = line.find("_state<"); at != std::string::npos;
           at = line.find("_state<", at + 1)) {
        const std::size_t begin = at + std::string("_state<").size();
        const std::string type = line.substr(begin, line.find('>', begin) - begin);
        states.insert(type.substr(type.rfind(':') + 1));  // without namespaces
      }
    }
    return states;
  };
  const auto headers = amp_test::read_headers();
  const std::set<std::string> defined = states_of(headers.at("amp/shared_state.hpp"));
  CHECK(defined.size() > 10);
  amp_test::Complaints complaints;
  for (const auto& [header, lines] : headers) {
    if (!header.ends_with(".hpp") || header.find("/cuda/") != std::string::npos) continue;
    for (const std::string& state : states_of(lines)) {
      if (!defined.contains(state)) complaints.add(header + ": " + state);
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
