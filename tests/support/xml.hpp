// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Whether a text is well-formed XML, as far as the trainer's SVG needs it.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace amp_test {

/// What is wrong with a document of elements, attributes in double quotes, text and the named
/// entities; empty if nothing is.
inline std::string xml_error(std::string_view text) {
  std::vector<std::string> open;
  bool had_root = false;
  std::size_t i = 0;
  const auto name_at = [&](std::size_t at) {
    std::size_t end = at;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) ||
                                 text[end] == '-' || text[end] == ':'))
      ++end;
    return std::string(text.substr(at, end - at));
  };
  const auto bad_text = [](std::string_view part) {
    for (std::size_t a = part.find('&'); a != part.npos; a = part.find('&', a + 1)) {
      const std::string_view entity = part.substr(a, part.find(';', a) + 1 - a);
      if (entity != "&lt;" && entity != "&gt;" && entity != "&amp;" && entity != "&quot;")
        return true;
    }
    return part.find('<') != part.npos;
  };
  while (i < text.size()) {
    if (text[i] != '<') {
      const std::size_t end = std::min(text.find('<', i), text.size());
      const std::string_view part = text.substr(i, end - i);
      if (bad_text(part)) return "an unescaped character in: " + std::string(part);
      if (open.empty() && part.find_first_not_of(" \n") != part.npos) return "text outside";
      i = end;
      continue;
    }
    if (text.substr(i, 2) == "</") {
      const std::string name = name_at(i + 2);
      if (open.empty() || open.back() != name) return "</" + name + "> closes another element";
      open.pop_back();
      i += 2 + name.size();
      if (i >= text.size() || text[i++] != '>') return "</" + name + " does not end";
      continue;
    }
    const std::string name = name_at(++i);
    if (name.empty()) return "an element without a name";
    if (open.empty() && had_root) return "a second root";
    had_root = true;
    i += name.size();
    std::vector<std::string> attributes;
    while (i < text.size() && text[i] == ' ') {
      const std::string attribute = name_at(++i);
      for (const std::string& known : attributes) {
        if (known == attribute) return attribute + " is there twice";
      }
      attributes.push_back(attribute);
      i += attribute.size();
      if (attribute.empty() || text.substr(i, 2) != "=\"") return "a bad attribute of " + name;
      const std::size_t end = text.find('"', i + 2);
      if (end == text.npos || bad_text(text.substr(i + 2, end - i - 2)))
        return "a bad value of " + attribute;
      i = end + 1;
    }
    if (text.substr(i, 2) == "/>") {
      i += 2;
    } else if (i < text.size() && text[i] == '>') {
      ++i;
      open.push_back(name);
    } else {
      return "<" + name + " does not end";
    }
  }
  return open.empty() && had_root ? "" : "not closed";
}

}  // namespace amp_test
