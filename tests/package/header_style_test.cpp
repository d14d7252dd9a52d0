// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What every header of the library looks like: licence, include guard, macro names, length.
#include <map>
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

// But for those by which a library's own header is told what to leave out.
TEST_CASE("macros start with AMP_") {
  const std::set<std::string> others = {"OMPI_SKIP_MPICXX 1", "MPICH_SKIP_MPICXX 1"};
  amp_test::Complaints complaints;
  for (const auto& [header, lines] : amp_test::read_headers()) {
    for (const std::string& line : lines) {
      const std::string name = directive(line, "define");
      if (!name.empty() && !name.starts_with("AMP_") && !others.contains(name))
        complaints.add(header + ": " + line);
    }
  }
  CHECK(complaints.text() == "");
}

// A function whose body depends on the compiler that sees it is two functions under one name.
TEST_CASE("host headers do not ask for the compiler") {
  amp_test::Complaints complaints;
  for (const auto& [header, lines] : amp_test::read_headers()) {
    if (header.ends_with(".cuh") || header == "amp/core/config.hpp") continue;
    for (const std::string& line : lines) {
      const bool conditional = !directive(line, "if").empty() || !directive(line, "elif").empty();
      if (conditional && line.find("__CUDA") != std::string::npos) {
        complaints.add(header + ": " + line);
      }
    }
  }
  CHECK(complaints.text() == "");
}

// A state that is not named is an undefined symbol in programs that link the compiled library.
TEST_CASE("every state is named once, where its library shall contain it") {
  const auto type_after = [](const std::string& line, std::size_t begin, char end) {
    const std::string type = line.substr(begin, line.find(end, begin) - begin);
    return type.substr(type.rfind(':') + 1);  // without namespaces
  };
  std::map<std::string, int> named;
  std::set<std::string> used;
  for (const auto& [header, lines] : amp_test::read_headers()) {
    if (header.starts_with("amp/core/globals")) continue;
    for (const std::string& line : lines) {
      for (const std::string access : {"process_state<", "thread_state<"}) {
        if (const std::size_t at = line.find(access); at != std::string::npos)
          used.insert(type_after(line, at + access.size(), '>'));
      }
      for (const std::string name : {"AMP_PROCESS_STATE(", "AMP_THREAD_STATE("}) {
        if (line.starts_with(name)) ++named[type_after(line, name.size(), ')')];
      }
    }
  }
  CHECK(used.size() > 10);
  amp_test::Complaints complaints;
  for (const std::string& state : used) {
    if (named[state] != 1)
      complaints.add(state + ": named " + std::to_string(named[state]) + " times");
  }
  CHECK(complaints.text() == "");
}

// In a program that links the compiled library, all other files see declarations only.
TEST_CASE("a header ends with its definitions, unless they are compiled") {
  amp_test::Complaints complaints;
  const auto headers = amp_test::read_headers();
  for (const auto& [header, lines] : headers) {
    if (!header.ends_with(".ipp") || header == "amp/core/globals.ipp") continue;
    const std::string stem = header.substr(0, header.rfind('.'));
    const auto declares = headers.find(stem + ".hpp");
    const std::string ending = "#if AMP_HEADER_ONLY\n#include \"" + header + "\"\n#endif\n";
    std::string text;
    if (declares != headers.end()) {
      for (const std::string& line : declares->second) text += line + "\n";
    }
    if (!text.ends_with(ending)) complaints.add(stem + ".hpp does not end with " + ending);
  }
  CHECK(complaints.text() == "");
}

TEST_CASE("compiled.hpp includes all definitions") {
  const auto headers = amp_test::read_headers();
  std::set<std::string> included;
  for (const std::string& line : headers.at("amp/compiled.hpp")) {
    const std::string target = amp_test::directive(line, "include");
    if (target.starts_with('"')) included.insert(target.substr(1, target.find('"', 1) - 1));
  }
  amp_test::Complaints complaints;
  for (const auto& [header, lines] : headers) {
    if (header.ends_with(".ipp") && !header.starts_with("amp/device/cuda/") &&
        header != "amp/cuda.ipp" && !included.contains(header))
      complaints.add(header);
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
