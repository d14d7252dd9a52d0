// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A scaler's state as text: every bit comes back, in every locale, and damage is named by its line.
#include <amp/amp.hpp>

#include <clocale>
#include <cmath>
#include <cstdint>
#include <limits>
#include <locale>
#include <string>
#include <string_view>
#include <vector>

#include "scaler/raw_optimizers.hpp"
#include "scaler/reference.hpp"
#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace state_text {
namespace {

using amp::GradScalerState;
using amp_test::error_of;
using Catch::Matchers::ContainsSubstring;
using scaler_test::Dice;
using scaler_test::same_bits;

/// A double of any exponent within [low, high], with random bits.
double random_double(Dice& dice, int low, int high) {
  const auto exponent = static_cast<int>(dice.below(static_cast<std::uint64_t>(high - low)));
  return std::ldexp(1 + dice.unit(), low + exponent);
}

std::int64_t random_count(Dice& dice) {
  const auto bits = static_cast<int>(dice.below(63));
  return static_cast<std::int64_t>(dice.below((std::uint64_t{1} << bits) + 1));
}

/// Any state that a scaler takes.
GradScalerState random_state(Dice& dice) {
  GradScalerState s;
  s.policy = scaler_test::kPolicies[dice.below(6)];
  s.scale = s.policy == amp::ScalePolicy::kNone ? 1 : random_double(dice, -128, 128);
  s.growth_factor = 1 + random_double(dice, -52, 100);
  s.backoff_factor = random_double(dice, -1074, 0);
  s.growth_interval = 1 + random_count(dice);
  s.min_scale = random_double(dice, -128, 0);
  s.max_scale = random_double(dice, 0, 128);
  s.hysteresis = static_cast<std::int32_t>(1 + dice.below(0x7fff'ffff));
  s.hysteresis_left =
      static_cast<std::int32_t>(1 + dice.below(static_cast<std::uint64_t>(s.hysteresis)));
  s.growth_tracker = static_cast<std::int32_t>(dice.below(0x8000'0000U));
  s.applied = random_count(dice);
  s.skipped = random_count(dice);
  s.consecutive_skips = random_count(dice);
  s.overflow_share = dice.one_of<double>({0, -0.0, 1, 5e-324, dice.unit(), 0x1p-1040});
  s.updates_since_change = random_count(dice);
  s.bad_since_backoff = random_count(dice);
  return s;
}

bool returns(const GradScalerState& state) {
  return same_bits(amp::parse_grad_scaler_state(amp::to_string(state)), state);
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    lines.emplace_back(text.substr(0, text.find('\n')));
    text.remove_prefix(lines.back().size() + 1);
  }
  return lines;
}
std::string text_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

std::string error_of_text(std::string_view text) {
  return error_of([&] { return amp::parse_grad_scaler_state(text); });
}

/// The text of a state of which no two fields are alike.
std::vector<std::string> good_lines() {
  return lines_of(amp::to_string(GradScalerState{.scale = 3,
                                                 .growth_factor = 1.7,
                                                 .backoff_factor = 0.3,
                                                 .growth_interval = 50,
                                                 .min_scale = 0.25,
                                                 .max_scale = 1e9,
                                                 .hysteresis = 40,
                                                 .hysteresis_left = 20,
                                                 .growth_tracker = 31,
                                                 .applied = 100,
                                                 .skipped = 41,
                                                 .consecutive_skips = 17,
                                                 .policy = amp::ScalePolicy::kOverflowShare,
                                                 .overflow_share = 0.125,
                                                 .updates_since_change = 112,
                                                 .bad_since_backoff = 113}));
}

/// Puts a locale in place for its lifetime.
class GlobalLocale {
 public:
  explicit GlobalLocale(const std::locale& locale) : previous_(std::locale::global(locale)) {}
  ~GlobalLocale() { std::locale::global(previous_); }
  GlobalLocale(const GlobalLocale&) = delete;
  GlobalLocale& operator=(const GlobalLocale&) = delete;

 private:
  std::locale previous_;
};

/// Numbers as nobody writes them.
struct OddNumbers : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\1"; }
};

}  // namespace

TEST_CASE("state text: 20,000 random states come back bit for bit") {
  Dice dice(1);
  int tried = 0;
  bool all = true;
  while (tried < 20'000) {
    const GradScalerState state = random_state(dice);
    if (!error_of([&] { amp::GradScaler().load_state_dict(state); }).empty()) continue;
    ++tried;
    all = all && returns(state);
  }
  CHECK(all);
}

TEST_CASE("state text: of the ends of every range") {
  GradScalerState s;
  CHECK(returns(s));
  s.scale = 0x1p-127;  // subnormal in float32, its inverse finite
  s.min_scale = 0x1.8p-128;
  s.max_scale = static_cast<double>(std::numeric_limits<float>::max());
  s.growth_factor = 1 + std::numeric_limits<double>::epsilon();
  s.backoff_factor = std::numeric_limits<double>::denorm_min();
  s.overflow_share = -0.0;
  s.growth_interval = s.applied = s.skipped = s.consecutive_skips = s.updates_since_change =
      s.bad_since_backoff = std::numeric_limits<std::int64_t>::max();
  s.hysteresis = s.hysteresis_left = s.growth_tracker = std::numeric_limits<std::int32_t>::max();
  CHECK(returns(s));
  s.growth_factor = std::numeric_limits<double>::max();
  s.backoff_factor = 1 - std::numeric_limits<double>::epsilon() / 2;
  s.scale = 0.1;  // no float: as it was loaded, before a device rounds it
  CHECK(returns(s));
}

TEST_CASE("state text: every field differs where the state does") {
  const std::vector<std::string> lines = good_lines();
  CHECK(lines.size() == 17);
  CHECK(lines[0] == "amp GradScaler 1");
  const std::vector<std::string> plain = lines_of(amp::to_string(GradScalerState{}));
  for (std::size_t i = 1; i < lines.size(); ++i) {
    CHECK(lines[i] != plain[i]);
    CHECK(lines[i].substr(0, lines[i].find(' ')) == plain[i].substr(0, plain[i].find(' ')));
  }
}

TEST_CASE("state text: what was written by this version can be read by the next ones") {
  const std::string text =
      "amp GradScaler 1\nscale 1p+15\ngrowth_factor 1p+1\nbackoff_factor 1p-1\n"
      "growth_interval 2000\nmin_scale 1p-64\nmax_scale 1p+126\nhysteresis 2\n"
      "hysteresis_left 1\ngrowth_tracker 12\napplied 345\nskipped 6\nconsecutive_skips 0\n"
      "policy 3\noverflow_share 1.999999999999ap-4\nupdates_since_change 13\n"
      "bad_since_backoff 1\n";
  const GradScalerState expected{.scale = 32768,
                                 .hysteresis = 2,
                                 .growth_tracker = 12,
                                 .applied = 345,
                                 .skipped = 6,
                                 .policy = amp::ScalePolicy::kOverflowShare,
                                 .overflow_share = 0.1,
                                 .updates_since_change = 13,
                                 .bad_since_backoff = 1};
  CHECK(same_bits(amp::parse_grad_scaler_state(text), expected));
  CHECK(amp::to_string(expected) == text);
}

TEST_CASE("state text: a training run saved and loaded as text goes on bit for bit") {
  const amp::GradScalerOptions options{
      .init_scale = 100, .growth_factor = 1.3, .growth_interval = 3, .hysteresis = 3};
  Dice dice(4);
  amp::GradScaler whole(options), part(options), loaded;
  const auto update = [](amp::GradScaler& scaler, bool bad) {
    *scaler.found_inf_data(amp::kCPU) = bad ? 1 : 0;
    scaler.update();
  };
  for (int i = 0; i < 100; ++i) {
    const bool bad = dice.chance(0.3);
    update(whole, bad);
    update(i < 50 ? part : loaded, bad);
    if (i == 49) loaded.load_state_dict(amp::parse_grad_scaler_state(to_string(part.state_dict())));
  }
  CHECK(same_bits(whole.state_dict(), loaded.state_dict()));
}

TEST_CASE("state text: a header of anything else throws, and shows it") {
  std::vector<std::string> lines = good_lines();
  for (const char* header :
       {"", "amp GradScaler 2", "amp GradScaler 1 ", "amp GradScaler", "scale 3",
        " amp GradScaler 1", "{\"scale\": 65536}", "amp GradScaler 1\r"}) {
    lines[0] = header;
    const std::string error = error_of_text(text_of(lines));
    CHECK_THAT(error, ContainsSubstring("expected \"amp GradScaler 1\""));
    CHECK_THAT(error, ContainsSubstring("begins with \"" + std::string(header) + "\""));
  }
  CHECK_FALSE(error_of_text("").empty());
  CHECK_FALSE(error_of_text("\n").empty());
}

TEST_CASE("state text: each line damaged in each way throws, and names it") {
  const std::vector<std::string> lines = good_lines();
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::size_t space = lines[i].find(' ');
    const std::string name = lines[i].substr(0, space), value = lines[i].substr(space + 1);
    const std::vector<std::string> damaged = {
        "",    // no line
        name,  // no number
        name + " ",
        name + value,  // no space
        name + "  " + value,
        name + "\t" + value,
        " " + lines[i],
        lines[i] + " ",
        lines[i] + "\r",
        lines[i] + " 1",
        lines[i] + "x",
        lines[i] + ",5",
        name + " +" + value,
        name + " 0x1p0",
        name + " one",
        name + " --1",
        name + " 99999999999999999999999999",  // out of range, or not of the format
        name + "s " + value,                   // another name
        name.substr(1) + " " + value,
        "other " + value,
    };
    for (const std::string& line : damaged) {
      if (line == name + " 99999999999999999999999999" && value.find('p') != value.npos) continue;
      std::vector<std::string> all = lines;
      all[i] = line;
      const std::string error = error_of_text(text_of(all));
      INFO(line);
      CHECK_THAT(error, ContainsSubstring("parse_grad_scaler_state: expected \"" + name + "\""));
      CHECK_THAT(error, ContainsSubstring("found \"" + line + "\""));
    }
  }
}

TEST_CASE(
    "state text: lines lost, repeated, exchanged or added throw, and name what was expected") {
  const std::vector<std::string> lines = good_lines();
  const auto name_of = [&](std::size_t i) {
    return i < lines.size() ? "\"" + lines[i].substr(0, lines[i].find(' ')) + "\"" : "the end";
  };
  using Difference = std::ptrdiff_t;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    INFO(lines[i]);
    std::vector<std::string> lost = lines;
    lost.erase(lost.begin() + static_cast<Difference>(i));
    CHECK_THAT(error_of_text(text_of(lost)), ContainsSubstring("expected " + name_of(i)));
    std::vector<std::string> twice = lines;
    twice.insert(twice.begin() + static_cast<Difference>(i), lines[i]);
    CHECK_THAT(error_of_text(text_of(twice)), ContainsSubstring("expected " + name_of(i + 1)));
    std::vector<std::string> blank = lines;
    blank.insert(blank.begin() + static_cast<Difference>(i), "");
    CHECK_THAT(error_of_text(text_of(blank)), ContainsSubstring("expected " + name_of(i)));
    if (i + 1 == lines.size()) continue;
    std::vector<std::string> exchanged = lines;
    std::swap(exchanged[i], exchanged[i + 1]);
    CHECK_THAT(error_of_text(text_of(exchanged)), ContainsSubstring("expected " + name_of(i)));
  }
  const std::string text = text_of(lines);
  CHECK_THAT(error_of_text(text + "more"), ContainsSubstring("found \"more\""));
  CHECK_THAT(error_of_text(text + "\n"), ContainsSubstring("expected the end"));
  CHECK_THAT(error_of_text(text + text), ContainsSubstring("expected the end"));
}

TEST_CASE("state text: cut off anywhere it throws") {
  const std::string text = text_of(good_lines());
  for (std::size_t length = 0; length < text.size(); ++length) {
    INFO("after " << length << " of " << text.size() << ": ..."
                  << text.substr(length > 25 ? length - 25 : 0, length > 25 ? 25 : length));
    CHECK_FALSE(error_of_text(std::string_view(text).substr(0, length)).empty());
  }
}

TEST_CASE("state text: a state that cannot work throws as load_state_dict does") {
  struct Edit {
    std::size_t line;
    const char *text, *named;
  };
  const std::vector<Edit> edits = {
      {1, "scale 0p+0", "scale"},
      {1, "scale inf", "scale"},
      {1, "scale nan", "scale"},
      {1, "scale -1p+0", "scale"},
      {2, "growth_factor 1p+0", "growth_factor"},
      {2, "growth_factor inf", "growth_factor"},
      {3, "backoff_factor 1p+0", "backoff_factor"},
      {4, "growth_interval 0", "growth_interval"},
      {5, "min_scale 1p+100", "min_scale"},
      {7, "hysteresis 0", "hysteresis"},
      {8, "hysteresis_left 41", "hysteresis_left"},
      {9, "growth_tracker -1", "growth_tracker"},
      {10, "applied -1", "applied"},
      {13, "policy 6", "policy"},
      {13, "policy 255", "policy"},
      {13, "policy 256", "policy"},
      {13, "policy -1", "policy"},
      {13, "policy 5", "kNone"},  // whose scale is 1
      {14, "overflow_share 1.1p+0", "overflow_share"},
      {14, "overflow_share nan", "overflow_share"},
      {15, "updates_since_change -1", "updates_since_change"},
  };
  for (const Edit& edit : edits) {
    std::vector<std::string> lines = good_lines();
    lines[edit.line] = edit.text;
    INFO(edit.text);
    CHECK_THAT(error_of_text(text_of(lines)), ContainsSubstring(edit.named));
  }
}

TEST_CASE("state text: the same in every locale") {
  const GradScalerState state{.scale = 0.1, .growth_factor = 1234.5, .applied = 1234567};
  const std::string text = amp::to_string(state);
  {
    const GlobalLocale odd(std::locale(std::locale::classic(), new OddNumbers));
    CHECK(amp::to_string(state) == text);
    CHECK(returns(state));
  }
  const std::string previous = std::setlocale(LC_ALL, nullptr);
  for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "pt_BR.UTF-8", "C.UTF-8"}) {
    if (std::setlocale(LC_ALL, name) == nullptr) continue;  // not installed
    INFO(name);
    CHECK(amp::to_string(state) == text);
    CHECK(returns(state));
  }
  std::setlocale(LC_ALL, previous.c_str());
}

}  // namespace state_text
