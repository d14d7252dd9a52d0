// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Policies read from text and files.
#include <amp/amp.hpp>

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "support/catch.hpp"
#include "support/error_of.hpp"
#include "support/temporary_folder.hpp"

namespace policy_text {

using amp::OpPolicies;
using amp::OpPolicy;
using amp_test::error_of;
using Catch::Matchers::ContainsSubstring;

namespace {

bool same(const OpPolicies& a, const OpPolicies& b) { return a.entries() == b.entries(); }
std::string refusal(std::string_view text) {
  return error_of([&] { (void)OpPolicies::parse(text); });
}

}  // namespace

TEST_CASE("policy text: one per line, with comments and blank lines") {
  const OpPolicies wanted{{"softmax", OpPolicy::kFloat32Math},
                          {"head/", OpPolicy::kFloat32},
                          {"blocks.*.norm/layer_norm", OpPolicy::kPassthrough},
                          {"exp", OpPolicy::kLowPrecision},
                          {"cat", OpPolicy::kPromote},
                          {"log", OpPolicy::kBanned}};
  CHECK(same(OpPolicies::parse("# of this network\n"
                               "softmax = float32_math\n"
                               "\n"
                               "  head/=float32   # the loss reads it\n"
                               "\tblocks.*.norm/layer_norm\t=\tpassthrough\n"
                               "#exp = float32\n"
                               "exp = low_precision\n"
                               "cat = promote\nlog = banned"),
             wanted));
}

TEST_CASE("policy text: lines may end as in Windows, and the text may be empty") {
  CHECK(same(OpPolicies::parse("softmax = promote\r\n\r\nhead/ = float32\r\n"),
             OpPolicies{{"softmax", OpPolicy::kPromote}, {"head/", OpPolicy::kFloat32}}));
  for (const char* empty : {"", "\n", "\r\n\r\n", "# nothing", "   "})
    CHECK(OpPolicies::parse(empty).entries().empty());
}

TEST_CASE("policy text: errors name the line") {
  CHECK_THAT(refusal("softmax = float32\n\nexp float32\n"),
             ContainsSubstring("line 3") &&
                 ContainsSubstring("expected \"name = policy\", but got \"exp float32\""));
  CHECK_THAT(refusal("exp = float"), ContainsSubstring("line 1") &&
                                         ContainsSubstring("no policy named \"float\"") &&
                                         ContainsSubstring("float32_math"));
  CHECK_THAT(refusal("exp ="), ContainsSubstring("no policy named \"\""));
  CHECK_THAT(refusal("exp = float32 = promote"), ContainsSubstring("\"float32 = promote\""));
  CHECK_THAT(refusal("# a\nsofmax = float32"), ContainsSubstring("OpPolicies::parse, line 2") &&
                                                   ContainsSubstring("did you mean \"softmax\""));
  CHECK_THAT(refusal(" = float32"), ContainsSubstring("line 1"));
  CHECK_THAT(refusal("exp = float32\na..b/ = float32"), ContainsSubstring("line 2"));
  CHECK_THAT(refusal("exp = float32\r\nexp = float32\r\n"),
             ContainsSubstring("line 2") && ContainsSubstring("already has a policy"));
}

TEST_CASE("policy text: a file is read, and errors name it") {
  const amp_test::TemporaryFolder folder;
  const std::string path = folder / "policies.txt";
  std::ofstream(path) << "head/softmax = promote\r\n";
  CHECK(same(OpPolicies::load(path), OpPolicies{{"head/softmax", OpPolicy::kPromote}}));
  std::ofstream(path, std::ios::trunc) << "";
  CHECK(OpPolicies::load(path).entries().empty());
  std::ofstream(path, std::ios::trunc) << "exp = float32\nlog = flaot32";
  CHECK_THAT(error_of([&] { (void)OpPolicies::load(path); }),
             ContainsSubstring(path + ", line 2: ") && ContainsSubstring("flaot32"));
}

TEST_CASE("policy text: a file that is none is refused") {
  const amp_test::TemporaryFolder folder;
  const std::string missing = folder / "missing";
  CHECK_THAT(error_of([&] { (void)OpPolicies::load(missing); }),
             ContainsSubstring("OpPolicies::load") && ContainsSubstring(missing));
  const std::string directory = folder.path;
  CHECK_THAT(error_of([&] { (void)OpPolicies::load(directory); }),
             ContainsSubstring("OpPolicies::load") && ContainsSubstring(directory));
  CHECK(error_of([] { (void)OpPolicies::load(""); }) != "");
}

TEST_CASE("policy text: pipes and devices are refused, without waiting for what they hold") {
  const amp_test::TemporaryFolder folder;
  const std::string pipe = folder / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  for (const std::string& path : {pipe, std::string("/dev/zero")}) {
    CHECK_THAT(error_of([&] { (void)OpPolicies::load(path); }),
               ContainsSubstring("OpPolicies::load") && ContainsSubstring(path) &&
                   ContainsSubstring("no regular file"));
  }
}

TEST_CASE("policy text: a text that is too long is refused with the limit, unread") {
  const amp_test::TemporaryFolder folder;
  const std::string path = folder / "policies.txt";
  std::ofstream(path) << "exp = float32\n";
  std::filesystem::resize_file(path, OpPolicies::kMostBytes + 1);  // with zeros
  const std::string limit = std::to_string(OpPolicies::kMostBytes);
  CHECK_THAT(error_of([&] { (void)OpPolicies::load(path); }),
             ContainsSubstring(path) && ContainsSubstring(limit));
  CHECK_THAT(refusal(std::string(OpPolicies::kMostBytes + 1, '\n')), ContainsSubstring(limit));
  CHECK(OpPolicies::parse(std::string(OpPolicies::kMostBytes, '\n')).entries().empty());
}

TEST_CASE("policy text: a byte order mark is skipped if it is UTF-8's, and named otherwise") {
  const OpPolicies wanted{{"softmax", OpPolicy::kFloat32}};
  CHECK(same(OpPolicies::parse("\xEF\xBB\xBFsoftmax = float32\r\n"), wanted));
  CHECK(OpPolicies::parse("\xEF\xBB\xBF").entries().empty());
  using namespace std::string_view_literals;
  for (const std::string_view text : {"\xFF\xFEs\0o\0"sv, "\xFE\xFF\0s\0o"sv})
    CHECK_THAT(refusal(text), ContainsSubstring("UTF-16") && ContainsSubstring("UTF-8"));
  CHECK_THAT(refusal("exp = float32\n\xEF\xBB\xBFlog = float32"), ContainsSubstring("line 2"));
}

TEST_CASE("policy text: what is long is cut in messages, and no name near it is looked for") {
  const std::string name(100'000, 'x');
  for (const std::string& text : {name + " = float32", "a/" + name + " = float32",
                                  ".a" + name + "/ = float32", "exp = " + name, "exp " + name}) {
    const std::string message = refusal(text);
    CHECK_THAT(message, ContainsSubstring("xxx...") && ContainsSubstring(" bytes)") &&
                            !ContainsSubstring("did you mean"));
    CHECK(message.size() < 500);
  }
  CHECK_THAT(refusal("softmax" + std::string(70, 'x') + " = float32"),
             ContainsSubstring("did you mean \"softmax"));
}

TEST_CASE("policy text: the names of policies read back as what they name") {
  using enum OpPolicy;
  for (const OpPolicy policy : {kLowPrecision, kFloat32, kFloat32Math, kPromote, kPassthrough}) {
    const std::string line = "exp = " + std::string(amp::to_string(policy));
    CHECK(OpPolicies::parse(line).entries().at(0).policy == policy);
  }
  CHECK(amp::to_string(kFloat32Math) == "float32_math");
}

}  // namespace policy_text
