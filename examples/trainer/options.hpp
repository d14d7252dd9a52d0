// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The trainer's command line. A flag is one row of a table, which --help prints.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

namespace examples {

struct Options {
  std::string dataset = "drawn";
  std::string data = {};  // directory of the files; empty for drawn
  std::string precision = "all";
  std::string optimizer = "adam";
  double lr = 0;  // 0: the optimizer's own default
  std::int64_t epochs = 1;
  std::int64_t batch_size = 32;
  std::int64_t limit = 0;  // 0: all images
  std::uint64_t seed = 1;
  bool help = false;
};

/// A command line that cannot be understood. The text says which flag and what it takes.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// One flag as given, and the values it takes: alternatives between '|', or a word in capitals.
struct Argument {
  std::string_view flag;
  std::string_view values;
  std::string value;

  [[noreturn]] void reject(const std::string& wanted) const {
    throw UsageError(std::string(flag) + " takes " + wanted + ", not '" + value + "'");
  }

  [[nodiscard]] std::string choice() const {
    std::string_view rest = values;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('|'), rest.size());
      if (rest.substr(0, end) == value) return value;
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    reject("one of " + std::string(values));
  }

  template <typename Integer>
  [[nodiscard]] Integer integer(Integer smallest) const {
    Integer number = 0;
    const char* end = value.data() + value.size();
    const auto [stop, error] = std::from_chars(value.data(), end, number);
    if (error == std::errc() && stop == end && number >= smallest) return number;
    reject("a whole number from " + std::to_string(smallest) + " up");
  }

  [[nodiscard]] double positive() const {
    char* stop = nullptr;
    const double number = std::strtod(value.c_str(), &stop);
    if (!value.empty() && *stop == '\0' && number > 0 && std::isfinite(number)) return number;
    reject("a number above 0");
  }
};

struct Flag {
  std::string_view name;
  std::string_view values;
  std::string_view help;
  void (*store)(Options&, const Argument&);
};

inline constexpr Flag kFlags[] = {
    {"--dataset", "drawn|cifar10|fashion-mnist|mnist",
     "images to train on; drawn (the default) needs no files",
     [](Options& o, const Argument& a) { o.dataset = a.choice(); }},
    {"--data", "DIR", "where the files of the data set are, as published, plain or .gz",
     [](Options& o, const Argument& a) { o.data = a.value; }},
    {"--precision", "all|fp32|fp16|bf16|amp-fp16|amp-bf16",
     "number formats; all (the default) trains once in each and compares",
     [](Options& o, const Argument& a) { o.precision = a.choice(); }},
    {"--epochs", "N", "passes over the training images (1)",
     [](Options& o, const Argument& a) { o.epochs = a.integer<std::int64_t>(1); }},
    {"--batch-size", "N", "images per step (32)",
     [](Options& o, const Argument& a) { o.batch_size = a.integer<std::int64_t>(1); }},
    {"--optimizer", "adam|sgd", "adam is the default; sgd has momentum 0.9",
     [](Options& o, const Argument& a) { o.optimizer = a.choice(); }},
    {"--lr", "X", "learning rate (0.001 for adam, 0.01 for sgd)",
     [](Options& o, const Argument& a) { o.lr = a.positive(); }},
    {"--seed", "N", "of the weights, the order of the batches, and drawn (1)",
     [](Options& o, const Argument& a) { o.seed = a.integer<std::uint64_t>(0); }},
    {"--limit", "N", "use only the first N training and the first N test images",
     [](Options& o, const Argument& a) { o.limit = a.integer<std::int64_t>(1); }},
};

inline const Flag& find_flag(std::string_view name) {
  for (const Flag& flag : kFlags) {
    if (flag.name == name) return flag;
  }
  throw UsageError("unknown flag '" + std::string(name) + "'");
}

/// Fills in the default that depends on another flag, and rejects flags that do not go together.
inline Options checked(Options options) {
  const bool files = options.dataset != "drawn";
  if (files && options.data.empty()) {
    throw UsageError("--dataset " + options.dataset + " needs --data DIR, where its files are");
  }
  if (!files && !options.data.empty()) {
    throw UsageError("--data needs --dataset cifar10, fashion-mnist or mnist");
  }
  if (options.lr == 0) options.lr = options.optimizer == "sgd" ? 0.01 : 0.001;
  return options;
}

/// Reads `--flag value` and `--flag=value`. Throws UsageError.
inline Options parse_options(int argc, const char* const* argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view given = argv[i];
    if (given == "--help" || given == "-h") return {.help = true};
    const std::size_t equals = given.find('=');
    const Flag& flag = find_flag(given.substr(0, equals));
    Argument argument{flag.name, flag.values, {}};
    if (equals != given.npos) {
      argument.value = given.substr(equals + 1);
    } else if (++i < argc) {
      argument.value = argv[i];
    } else {
      throw UsageError(std::string(flag.name) + " needs a value: " + std::string(flag.values));
    }
    flag.store(options, argument);
  }
  return checked(options);
}

inline void print_help() {
  std::printf(
      "Trains a small convolutional network on images, in one number format or in each, and\n"
      "compares. fp16 and bf16 convert weights and inputs; amp-fp16 and amp-bf16 keep float32\n"
      "weights and run under autocast, amp-fp16 with gradient scaling.\n\n");
  for (const Flag& flag : kFlags) {
    std::printf("  %s %s\n        %s\n", flag.name.data(), flag.values.data(), flag.help.data());
  }
  std::printf("  --help\n        this text\n");
}

}  // namespace examples
