// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Comments of the headers: every public declaration has one, and conditions are said with "if".
#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "package/declarations.hpp"
#include "package/headers.hpp"
#include "support/catch.hpp"

namespace comments_test {

using Lines = std::vector<std::string>;
using Numbers = std::vector<std::size_t>;  // of lines, from 0

// Each test of comments finds lines of one header. Prints them as compilers do, unwrapped.
void check_headers(const std::function<Numbers(const Lines&)>& find,
                   const std::function<bool(const std::string&)>& applies) {
  std::size_t headers = 0, complaints = 0;
  for (const auto& [header, lines] : amp_test::read_headers()) {
    if (!applies(header)) continue;
    ++headers;
    for (const std::size_t i : find(lines)) {
      ++complaints;
      const std::string text =
          lines[i].substr(std::min(lines[i].find_first_not_of(' '), lines[i].size()));
      std::printf("include/%s:%zu: %s\n", header.c_str(), i + 1, text.c_str());
    }
  }
  CHECK(headers > 100);
  CHECK(complaints == 0);
}

bool everywhere(const std::string&) { return true; }

/// Functions that ops/ declares: their comments hold for the members of Tensor of the same name, and
/// for those that write in place, whose names end in `_`.
std::set<std::string> names_of_ops() {
  std::set<std::string> names;
  for (const auto& [header, lines] : amp_test::read_headers()) {
    if (!header.starts_with("amp/ops/")) continue;
    for (const std::string& line : lines) {
      for (std::size_t open = line.find('('); open != std::string::npos;
           open = line.find('(', open + 1)) {
        const std::size_t end = line[open - (open > 0 ? 1 : 0)] == ')' ? open - 1 : open;
        std::size_t begin = end;
        while (begin > 0 && (std::isalnum(static_cast<unsigned char>(line[begin - 1])) != 0 ||
                             line[begin - 1] == '_'))
          --begin;
        names.insert(line.substr(begin, end - begin));
      }
    }
  }
  return names;
}
bool is_op(const std::string& line) {
  static const std::set<std::string> names = names_of_ops();
  const bool in_parentheses = line.find("(max)(") != line.npos || line.find("(min)(") != line.npos;
  std::string name = line.substr(0, line.find(in_parentheses ? ')' : '('));
  name = name.substr(name.find_last_of(" &(") + 1);
  if (name.ends_with('_')) name.pop_back();
  return names.contains(name) || name.starts_with("operator");
}

Numbers undocumented(const Lines& lines) {
  Numbers found = amp_test::DeclarationReader(lines).undocumented();
  const bool of_members = std::any_of(lines.begin(), lines.end(), [](const std::string& line) {
    return line == "class TensorMethods {" || line == "class InPlaceMethods {";
  });
  if (of_members) std::erase_if(found, [&](std::size_t i) { return is_op(lines[i]); });
  return found;
}

// A word of a comment, without the punctuation around it.
struct Word {
  std::string text;
  std::string before, after;  // punctuation
  std::size_t line;
  bool in_code;  // between backticks
};

// The comments of a header: what stands together, as one list of words.
std::vector<std::vector<Word>> comments(const Lines& lines) {
  std::vector<std::vector<Word>> result;
  bool joins = false, fenced = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const amp_test::SourceLine line = amp_test::split_line(lines[i]);
    const std::size_t begin = line.comment.find_first_not_of('/');
    if (line.comment.find("```") != std::string::npos) fenced = !fenced;
    if (begin == std::string::npos || fenced) {
      joins = false;
      continue;
    }
    if (!joins || !line.code.empty()) result.emplace_back();
    joins = true;
    bool in_code = false;
    std::string_view rest = std::string_view(line.comment).substr(begin);
    while (!rest.empty()) {
      const std::size_t blank = std::min(rest.find(' '), rest.size());
      std::string_view word = rest.substr(0, blank);
      rest.remove_prefix(std::min(blank + 1, rest.size()));
      if (word.empty()) continue;
      const bool starts_in_code = in_code || word.find('`') != std::string::npos;
      if (std::count(word.begin(), word.end(), '`') % 2 == 1) in_code = !in_code;
      const auto letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
      const auto first = std::find_if(word.begin(), word.end(), letter);
      const auto last = std::find_if(word.rbegin(), word.rend(), letter).base();
      if (first >= last) {
        result.back().push_back({"", std::string(word), "", i, starts_in_code});
      } else {
        result.back().push_back({std::string(first, last), std::string(word.begin(), first),
                                 std::string(last, word.end()), i, starts_in_code});
      }
    }
    // A row of a table ends its clause.
    if (line.comment.substr(begin).starts_with("   ")) result.back().back().after += ";";
  }
  return result;
}

std::string lower_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

bool ends_clause(const Word& word) {
  return word.after.find_first_of(".,;:)") != std::string::npos || word.text.empty();
}

// "where" may name a place: after a word that asks for one ("from where", "says where", "the device
// where"), in a clause that begins a sentence and ends without a comma ("Where the links lead."),
// or before a verb of place ("read where they lie."). Everywhere else it stands for "if".
bool names_place(const std::vector<Word>& words, std::size_t i) {
  static const std::set<std::string> asks = {
      "from",      "to",    "than",     "of",      "near",      "about",   "are",     "is",
      "were",      "was",   "stay",     "stays",   "say",       "says",    "tell",    "tells",
      "know",      "knows", "show",     "shows",   "return",    "returns", "find",    "finds",
      "note",      "notes", "remember", "chooses", "then",      "device",  "devices", "place",
      "places",    "point", "points",   "address", "addresses", "file",    "folder",  "position",
      "positions", "slot",  "stream",   "side"};
  static const std::set<std::string> stands = {"lie",   "lies", "lay",     "begin", "begins",
                                               "began", "ends", "stopped", "stops", "goes",
                                               "go",    "lead", "leads"};
  static const std::set<std::string> is = {"is", "are", "was", "were"};
  std::size_t end = i;
  while (end + 1 < words.size() && (end == i || !ends_clause(words[end]))) ++end;
  if (end == i || ends_clause(words[i])) return true;  // "..., and where."
  if (i > 0 && lower_case(words[i - 1].text) == "throws") return false;
  if (stands.contains(words[end].text)) return true;
  const bool starts = i == 0 || words[i - 1].after.find_first_of(".!?") != std::string::npos;
  if (starts) return words[end].after.find(',') == std::string::npos;
  const Word& before = words[i - 1];
  const bool in_place = before.text == "place" && i > 1 && lower_case(words[i - 2].text) == "in";
  if (!ends_clause(before) && !in_place && asks.contains(lower_case(before.text))) return true;
  return (before.text == "and" || before.text == "or") && is.contains(words[end].text);
}

Numbers conditions_with_where(const Lines& lines) {
  std::set<std::size_t> found;
  for (const std::vector<Word>& words : comments(lines)) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      const Word& word = words[i];
      const bool is_name = word.in_code || word.after.starts_with('(') || word.after == "'s";
      if ((word.text == "where" || word.text == "Where") && !is_name && !names_place(words, i))
        found.insert(word.line);
    }
  }
  return {found.begin(), found.end()};
}

bool is_ruler(const std::string& line) {
  const std::string comment = amp_test::split_line(line).comment;
  return comment.size() > 5 && comment.find_first_not_of("/- ") == std::string::npos;
}

// A formatter breaks a line that is too long: the dashes of "// --- title ----" go to one of their
// own.
Numbers broken_rulers(const Lines& lines) {
  Numbers result;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const bool title = amp_test::split_line(lines[i - 1]).comment.starts_with("// --- ");
    if (title && is_ruler(lines[i])) result.push_back(i - 1);
  }
  return result;
}

// The column in which the second cell of a table's row begins: behind 3 blanks; 0 in other lines.
std::size_t second_cell(const std::string& comment) {
  const std::size_t first = comment.find_first_not_of("/ ");
  if (first == std::string::npos || comment.find("   ") == std::string::npos) return 0;
  const std::size_t gap = comment.find("   ", first);
  return gap == std::string::npos ? 0 : comment.find_first_not_of(' ', gap);
}

// The rest of a row lies under its second cell; a formatter puts it under the first.
Numbers broken_rows(const Lines& lines) {
  Numbers result;
  const auto comment_of = [&lines](std::size_t i) {
    const amp_test::SourceLine line = amp_test::split_line(lines[i]);
    return line.code.empty() ? line.comment : "";
  };
  const auto indent_of = [](const std::string& comment) {
    const std::size_t slashes = std::min(comment.find_first_not_of('/'), comment.size());
    return std::min(comment.find_first_not_of(' ', slashes), comment.size()) - slashes;
  };
  for (std::size_t i = 1; i + 1 < lines.size(); ++i) {
    const std::string row = comment_of(i - 1), line = comment_of(i), next = comment_of(i + 1);
    const std::size_t cell = second_cell(row);
    const bool between = cell != 0 && second_cell(line) == 0 && second_cell(next) == cell;
    if (between && indent_of(row) >= 3 && indent_of(line) == indent_of(row)) result.push_back(i);
  }
  return result;
}

TEST_CASE("every public declaration has a comment") {
  check_headers(undocumented, [](const std::string& header) {
    return !header.ends_with(".ipp") && header != "amp/fwd.hpp";
  });
}

TEST_CASE("conditions in comments are said with if") {
  check_headers(conditions_with_where, everywhere);
}

TEST_CASE("section titles in comments are on one line") {
  check_headers(broken_rulers, everywhere);
}

TEST_CASE("tables in comments keep their columns") { check_headers(broken_rows, everywhere); }

TEST_CASE("declarations without a comment are found") {
  const Lines header = {
      "namespace amp::inline v0 {",  // 0
      "class Tensor;",
      "struct TensorOptions {",  // 2: none
      "  bool requires_grad = false;",
      "};",
      "",
      "/// Adds.",
      "[[nodiscard]] Tensor add(const Tensor& a, const Tensor& b);",
      "Tensor add(const Tensor& a, double b);",
      "",
      "template <class T>",  // 10: none
      "  requires(sizeof(T) > 1)",
      "T twice(T x) {",
      "  return x + x;",
      "}",
      "// for maintainers",
      "std::string name(int x);",  // 16: none
      "using Names = std::vector<int>;  // in order",
      "",
      "using Strides = Shape;",  // 19: none
      "template <class T>",      // 20: none
      "concept Number = true;",
      "namespace detail {",
      "int hidden();",
      "}  // namespace detail",
      "enum class Kind { kA, kB };",  // 25: none
      "",
      "/// Holds.",
      "class Handle : public Base<int> {",
      "  int secret();",
      " public:",
      "  Handle() = default;",
      "  explicit Handle(int x) : x_{x} {}",  // 32: none
      "  ~Handle();",
      "  Handle& operator=(const Handle&) = delete;",
      "",
      "  /// Both.",
      "  int get() const { return x_; }",
      "  int also() const {",
      "    return x_;",
      "  }",
      "  void call() override;",
      "",
      "  // clang-format off",
      "  int value() const;",  // 44: none
      "",
      "  struct Part {",
      "    int size() const;",  // 47: none
      "  };",
      " private:",
      "  int hidden() const;",
      "};",
      "inline constexpr int kCount = size(3);",
      "}  // namespace amp::inline v0",
      "namespace amp::inline v0::kernels {",
      "int kernel();",
      "}  // namespace amp::inline v0::kernels",
  };
  CHECK(undocumented(header) == Numbers{2, 10, 16, 19, 20, 25, 32, 44, 47});
}

TEST_CASE("conditions with where are found") {
  const Lines conditional = {
      "/// Throws where the lengths differ.",
      "/// Throws where no strides begin.",
      "/// *norm, where not null.",
      "int x = 0;  // null where there is none",
      "/// Where it throws, nothing is moved.",
      "/// In float32, or float64 where the parameter is.",
      "/// Is 1; where the step was skipped, 0.",
      "/// Synchronises (where the optimizer does).",
      "/// In place where the dtype is C, else in a buffer.",
      "/// Clears the word",
      "/// where a gradient is not finite.",
  };
  for (std::size_t i = 0; i + 2 < conditional.size(); ++i) {
    CAPTURE(conditional[i]);
    CHECK(conditions_with_where({conditional[i]}) == Numbers{0});
  }
  CHECK(conditions_with_where({conditional[9], conditional[10]}) == Numbers{1});
  for (const std::string place : {
           "/// Copies the scale to the device where the gradients are.",
           "/// Where the links at `path` lead.",
           "/// Where a pass is recorded; nowhere without a ledger.",
           "///   at(place, l, i)   where element i of line l lies",
           "/// Says where the two part, if they do.",
           "/// Arrays are read where they lie.",
           "/// What a child is, and where.",
           "/// `where` records its history; where(c, a, b) does, too.",
           "void* kept_;  // where the states are",
           "auto where = 1;",
       }) {
    CAPTURE(place);
    CHECK(conditions_with_where({place}).empty());
  }
}

TEST_CASE("broken titles and tables are found") {
  CHECK(broken_rulers({"  // --- versions", "  // -----------"}) == Numbers{0});
  CHECK(broken_rulers({"// --- powers ------", "", "int x;"}).empty());
  const std::string first = "//   layer_norm   the last dimensions of each sample (Ba et al.";
  const std::string last = "//   rms_norm     the same without mean and bias";
  CHECK(broken_rows({first, "//   2016)", last}) == Numbers{1});
  CHECK(broken_rows({first, "//                2016)", last}).empty());
  CHECK(broken_rows({first, last, "//   and so on"}).empty());
}

}  // namespace comments_test
