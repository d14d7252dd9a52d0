// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Finds the public declarations of a formatted header that have no comment. Reads lines and
// brackets; it knows as much of C++ as the headers need.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

namespace amp_test {

/// A line of source, taken apart.
struct SourceLine {
  std::string code;     // without comment and blanks around it; strings are empty
  std::string comment;  // from its // on
};

inline SourceLine split_line(std::string_view line) {
  SourceLine result;
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (quote != 0) {
      if (line[i] == '\\') {
        ++i;
      } else if (line[i] == quote) {
        quote = 0;
        result.code += '"';
      }
      continue;
    }
    if (line.substr(i, 2) == "//") {
      result.comment = line.substr(i);
      break;
    }
    const bool separates_digits = line[i] == '\'' && i > 0 && std::isalnum(line[i - 1]) != 0;
    if ((line[i] == '"' || line[i] == '\'') && !separates_digits) quote = line[i];
    result.code += quote == 0 ? line[i] : '"';
  }
  const std::size_t first = result.code.find_first_not_of(' ');
  if (first == std::string::npos) {
    result.code.clear();
  } else {
    result.code = result.code.substr(first, result.code.find_last_not_of(' ') - first + 1);
  }
  return result;
}

class DeclarationReader {
 public:
  explicit DeclarationReader(const std::vector<std::string>& lines) {
    for (const std::string& line : lines) lines_.push_back(split_line(line));
    read(0, lines_.size(), Scope::kFile);
  }

  /// The indices of the lines on which they begin.
  const std::vector<std::size_t>& undocumented() const { return undocumented_; }
  /// How many declarations must have a comment.
  std::size_t count() const { return count_; }

 private:
  enum class Scope { kFile, kNamespace, kClass };

  struct Declaration {
    std::size_t last;  // its last line, or the one that opens its scope
    bool opens_scope;
    std::string text;  // without template parameters and constraints in front
  };

  static std::string bare(std::string text) {
    while (text.starts_with("template <")) {
      std::size_t i = 9;
      for (int depth = 0; i < text.size(); ++i) {
        if (text[i] == '<') ++depth;
        if (text[i] == '>' && text[i - 1] != '-' && --depth == 0) break;
      }
      text = text.substr(std::min(text.find_first_not_of(' ', i + 1), text.size()));
    }
    static const std::regex constraint("^requires .*?(?=\\b(class|struct) )");
    static const std::regex attribute(
        "^((\\[\\[[^\\]]*\\]\\]|__attribute__\\(\\([^()]*\\)\\)) *)+");
    return std::regex_replace(std::regex_replace(text, constraint, ""), attribute, "");
  }

  /// Whether this is the head of a namespace, or of a class or enumeration.
  static bool is_head(std::string text) {
    static const std::regex head("(namespace|class|struct|union|enum|extern \"\")( [^=()]*)?\\{");
    static const std::regex parentheses("\\([^()]*\\)");
    return std::regex_match(std::regex_replace(text, parentheses, ""), head);
  }

  Declaration declaration(std::size_t first) const {
    Declaration result = {first, false, {}};
    std::string text;
    int depth = 0;
    for (std::size_t at = first; at < lines_.size(); ++at) {
      const std::string& code = lines_[at].code;
      if (code.starts_with('#')) continue;
      text += (text.empty() ? "" : " ") + code;
      result.last = at;
      bool ends = false;
      for (std::size_t i = 0; i < code.size() && !ends; ++i) {
        if (code[i] == '(' || code[i] == '{' || code[i] == '[') ++depth;
        if (code[i] == ')' || code[i] == '}' || code[i] == ']') --depth;
        ends = depth == 0 && (code[i] == ';' || (code[i] == '}' && i + 1 == code.size()));
      }
      if (!ends && depth == 1 && code.ends_with('{') && is_head(bare(text))) {
        result.opens_scope = ends = true;
      }
      if (ends) break;
    }
    result.text = bare(text);
    return result;
  }

  std::size_t closing_line(std::size_t opened) const {
    int depth = 1;
    for (std::size_t at = opened + 1; at < lines_.size(); ++at) {
      for (const char c : lines_[at].code) depth += (c == '{') - (c == '}');
      if (depth <= 0) return at;
    }
    return lines_.size() - 1;
  }

  static const std::regex& specialised() {
    static const std::regex result("(class|struct) (AMP_EXPORT )?[\\w:]+<.*");
    return result;
  }

  static bool needs_comment(const Declaration& declaration, Scope scope) {
    const std::string& text = declaration.text;
    static const std::regex type("(class|struct|union|enum)\\b.*");
    static const std::regex forward("(class|struct|union|enum)\\b[^{(]*;");
    static const std::regex other(
        "(friend|static_assert|namespace|extern|using namespace|using enum|"
        "template|AMP_\\w+_STATE)\\b.*");
    static const std::regex alias("using \\w+ =.*");
    static const std::regex guide("\\w+\\([^{]*\\) -> .*;");
    if (std::regex_match(text, other)) return false;
    if (std::regex_match(text, type)) {
      return scope != Scope::kClass && !std::regex_match(text, forward) &&
             !std::regex_match(text, specialised());
    }
    if (text.starts_with("concept ")) return true;
    if (text.starts_with("using ") || text.starts_with("typedef "))
      return scope != Scope::kClass && std::regex_match(text, alias);
    // What is left are functions and variables.
    const std::size_t parameters = text.find('(');
    if (parameters == std::string::npos || text.substr(parameters).starts_with("(*")) return false;
    const std::string before = text.substr(0, parameters);
    static const std::regex exempt(
        ".*(\\boperator\\b|[={~]).*|.*\\w::\\w+|__asm__");  // also: defined outside of its class
    static const std::regex ending(".*(= delete;|= default;|\\boverride\\b.*)");
    static const std::regex copying("(?:\\w+ )*(\\w+)\\((const )?\\1&&? .*");
    return !std::regex_match(before, exempt) && !std::regex_match(text, ending) &&
           !std::regex_match(text, copying) && !std::regex_match(text, guide);
  }

  void read(std::size_t at, std::size_t end, Scope scope, bool is_public = true) {
    bool has_comment = false;  // of its own
    bool covered = false;      // by the comment of one directly before
    while (at < end) {
      const SourceLine& line = lines_[at];
      if (line.code.empty()) {
        if (line.comment.starts_with("///")) {
          has_comment = true;
        } else if (line.comment.find("clang-format") == std::string::npos) {
          has_comment = covered = false;
        }
        ++at;
      } else if (line.code.starts_with('#')) {
        while (at + 1 < end && lines_[at].code.ends_with('\\')) ++at;
        ++at;
      } else if (line.code == "public:" || line.code == "private:" || line.code == "protected:") {
        is_public = line.code == "public:";
        has_comment = covered = false;
        ++at;
      } else {
        const Declaration found = declaration(at);
        const std::size_t close = found.opens_scope ? closing_line(found.last) : found.last;
        if (is_public) {
          const bool beside = !found.opens_scope && !lines_[found.last].comment.empty();
          const bool documented = has_comment || covered || beside;
          if (needs_comment(found, scope)) {
            ++count_;
            if (!documented) undocumented_.push_back(at);
          }
          covered = has_comment || covered;
          if (found.opens_scope) members(found, close, scope);
        }
        has_comment = false;
        at = close + 1;
      }
    }
  }

  void members(const Declaration& scope, std::size_t close, Scope outer) {
    static const std::regex internal("namespace .*\\b(detail|kernels|simd)\\b.*");
    if (scope.text.starts_with("namespace") || scope.text.starts_with("extern")) {
      const bool foreign = outer == Scope::kFile && !scope.text.starts_with("namespace amp");
      if (!foreign && !std::regex_match(scope.text, internal))
        read(scope.last + 1, close, Scope::kNamespace);
    } else if (!scope.text.starts_with("enum") && !std::regex_match(scope.text, specialised())) {
      read(scope.last + 1, close, Scope::kClass, !scope.text.starts_with("class"));
    }
  }

  std::vector<SourceLine> lines_;
  std::vector<std::size_t> undocumented_;
  std::size_t count_ = 0;
};

}  // namespace amp_test
