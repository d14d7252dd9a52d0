// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What a trace writes for other programs: JSON, and Chrome's trace events.
#include <amp/amp.hpp>
#include <amp/diagnostics.hpp>
#include <amp/diagnostics/text.hpp>

#include <cctype>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>

#include "support/catch.hpp"

namespace trace_json {

using amp::Tensor;
using Catch::Matchers::ContainsSubstring;

namespace {

/// Whether a text is JSON (RFC 8259), read by recursive descent.
class Json {
 public:
  static bool is_valid(std::string_view text) {
    Json json(text);
    return json.value() && (json.blanks(), json.rest_.empty());
  }

 private:
  explicit Json(std::string_view text) : rest_(text) {}

  void blanks() {
    while (!rest_.empty() && std::string_view(" \t\r\n").find(rest_[0]) != std::string_view::npos)
      rest_.remove_prefix(1);
  }
  bool take(std::string_view text) {
    blanks();
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }
  bool value() {
    if (take("{")) return list("}", [&] { return string() && take(":") && value(); });
    if (take("[")) return list("]", [&] { return value(); });
    return take("true") || take("false") || take("null") || number() || string();
  }
  template <class Item>
  bool list(std::string_view end, const Item& item) {
    if (take(end)) return true;
    do {
      if (!item()) return false;
    } while (take(","));
    return take(end);
  }
  bool digits() {
    const std::size_t before = rest_.size();
    while (!rest_.empty() && std::isdigit(static_cast<unsigned char>(rest_[0])) != 0)
      rest_.remove_prefix(1);
    return rest_.size() != before;
  }
  bool number() {
    (void)take("-");
    if (!digits()) return false;
    if (rest_.starts_with('.') && (rest_.remove_prefix(1), !digits())) return false;
    if (rest_.starts_with('e') || rest_.starts_with('E')) {
      rest_.remove_prefix(1);
      if (rest_.starts_with('+') || rest_.starts_with('-')) rest_.remove_prefix(1);
      return digits();
    }
    return true;
  }
  bool string() {
    if (!take("\"")) return false;
    while (!rest_.empty() && rest_[0] != '"') {
      if (static_cast<unsigned char>(rest_[0]) < 0x20) return false;
      const bool escape = rest_[0] == '\\';
      rest_.remove_prefix(1);
      if (!escape) continue;
      if (rest_.empty()) return false;
      const bool code = rest_[0] == 'u';
      if (std::string_view("\"\\/bfnrtu").find(rest_[0]) == std::string_view::npos) return false;
      rest_.remove_prefix(1);
      for (int i = 0; code && i < 4; ++i) {
        if (rest_.empty() || std::isxdigit(static_cast<unsigned char>(rest_[0])) == 0) return false;
        rest_.remove_prefix(1);
      }
    }
    return take("\"");
  }

  std::string_view rest_;
};

struct Net : amp::nn::Layer<Net> {
  amp::nn::Linear odd{register_module("a \"quoted\"\\name\n\x01", amp::nn::Linear(3, 5))};
  Tensor forward(const Tensor& x) const { return amp::softmax(odd(x), 1); }
};

amp::Trace trace_of_step() {
  const Net net;
  const Tensor x = amp::ones({2, 3});
  amp::Trace trace;
  const amp::TraceGuard tracing(trace);
  const amp::AutocastGuard autocast(amp::kCPU);
  try {
    (void)amp::autocast_call(
        "add", [](const Tensor&) -> Tensor { throw amp::Error(""); }, x);
  } catch (const amp::Error&) {
  }
  amp::sum(net(x)).backward();
  return trace;
}

}  // namespace

TEST_CASE("trace: the reader of these tests knows JSON") {
  for (const char* valid : {"{}", "[]", " [1, -2.5e-3, \"a\\u00e4\\n\", {\"b\": [null, true]}] "})
    CHECK(Json::is_valid(valid));
  for (const char* invalid : {"", "{", "[1,]", "{\"a\" 1}", "[1] 2", "\"\n\"", "\"\\x\"", "[1.]",
                              "[1,5.0.1]", "{1: 2}", "nan", "[-]x"})
    CHECK_FALSE(Json::is_valid(invalid));
}

TEST_CASE("trace: to_json is JSON with every field") {
  const std::string json = trace_of_step().to_json();
  INFO(json);
  CHECK(Json::is_valid(json));
  for (const char* part :
       {"\"name\": \"linear\"", "\"phase\": \"forward\"", "\"phase\": \"backward\"",
        "\"phase\": \"module\"", "\"policy\": \"low_precision\"", "\"decided_by\": \"op list\"",
        "\"kind\": \"copy refreshed\"", "\"failed\": true", "\"not_multiples_of_8\": [\"M = 2\"",
        "\"module\": \"a \\\"quoted\\\"\\\\name\\u000a\\u0001\"", "\"depth\": 0",
        "\"start\": ", "\"seconds\": ", "\"bytes\": ", "\"compute\": [\"bfloat16\""})
    CHECK_THAT(json, ContainsSubstring(part));
}

TEST_CASE("trace: to_chrome_trace is JSON in Chrome's format") {
  const std::string json = trace_of_step().to_chrome_trace();
  INFO(json);
  CHECK(Json::is_valid(json));
  CHECK(json.starts_with("{\"traceEvents\": ["));
  for (const char* part : {"\"ph\": \"X\"", "\"ts\": ", "\"dur\": ", "\"name\": \"model\"",
                           "\"name\": \"softmax (backward)\"", "\"args\": {"})
    CHECK_THAT(json, ContainsSubstring(part));
}

TEST_CASE("trace: an empty one writes empty lists") {
  const amp::Trace trace;
  CHECK(Json::is_valid(trace.to_json()));
  CHECK(Json::is_valid(trace.to_chrome_trace()));
  CHECK_THAT(trace.to_json(), ContainsSubstring("\"entries\": ["));
}

TEST_CASE("trace: numbers and texts of JSON") {
  using amp::diagnostics::json_number, amp::diagnostics::json_text;
  CHECK(json_text("a\tb\"\\\x1f") == "\"a\\u0009b\\\"\\\\\\u001f\"");
  CHECK(json_text("\xc3\xa4") == "\"\xc3\xa4\"");
  CHECK(json_number(0.5) == "0.5");
  CHECK(json_number(-1e300) == "-1.0000000000000001e+300");
  CHECK(json_number(std::numeric_limits<double>::infinity()) == "null");
  for (const double value : {0.1, -3e-310, 1e15, 123456789.0}) {
    CHECK(Json::is_valid(json_number(value)));
    CHECK(std::strtod(json_number(value).c_str(), nullptr) == value);
  }
}

}  // namespace trace_json
