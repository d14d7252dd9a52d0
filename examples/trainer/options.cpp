// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Reads the command line. A flag is one row of a table, which --help prints.
#include "trainer/options.hpp"

#include <amp/core/edit_distance.hpp>
#include <amp/core/error.hpp>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <limits>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>

namespace examples {
namespace {

/// A flag as given, and the values that it takes: alternatives between '|', a name in capitals, or
/// nothing for a flag without a value.
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
    if (const double number = parsed(); number > 0) return number;
    reject("a number above 0");
  }
  [[nodiscard]] double not_negative() const {
    if (const double number = parsed(); number >= 0) return number;
    reject("a number from 0 up");
  }
  [[nodiscard]] std::string name() const {
    if (!value.empty() && !value.starts_with("--")) return value;
    reject("a name");
  }

 private:
  /// The value as a number, or NaN if it is no finite number.
  [[nodiscard]] double parsed() const {
    char* stop = nullptr;
    const double number = std::strtod(value.c_str(), &stop);
    const bool whole = !value.empty() && *stop == '\0' && std::isfinite(number);
    return whole ? number : std::numeric_limits<double>::quiet_NaN();
  }
};

struct Flag {
  std::string_view name;
  std::string_view values;
  std::string_view help;
  void (*store)(Options&, const Argument&);
};

constexpr Flag kFlags[] = {
    {"--dataset", "drawn|cifar10|fashion-mnist|mnist",
     "images to train on; drawn (the default) needs no files",
     [](Options& o, const Argument& a) { o.dataset = a.choice(); }},
    {"--data", "DIR", "where the files of the data set are, as published, plain or .gz",
     [](Options& o, const Argument& a) { o.data = a.value; }},
    {"--precision", "all|fp32|fp16|bf16|amp-fp16|amp-bf16",
     "number formats; all (the default) trains once in each and compares",
     [](Options& o, const Argument& a) { o.precision = a.choice(); }},
    {"--device", "cpu|cuda", "where to train (cpu)",
     [](Options& o, const Argument& a) { o.device = a.choice(); }},
    {"--epochs", "N", "passes over the training images (1)",
     [](Options& o, const Argument& a) { o.epochs = a.integer<std::int64_t>(1); }},
    {"--batch-size", "N", "images per batch (32)",
     [](Options& o, const Argument& a) { o.batch_size = a.integer<std::int64_t>(1); }},
    {"--accumulate", "N", "batches per step: their gradients are averaged (1)",
     [](Options& o, const Argument& a) { o.accumulate = a.integer<std::int64_t>(1); }},
    {"--optimizer", "adam|adamw|sgd", "adam is the default; sgd has momentum 0.9",
     [](Options& o, const Argument& a) { o.optimizer = a.choice(); }},
    {"--lr", "X", "learning rate (0.001, 0.01 for sgd)",
     [](Options& o, const Argument& a) { o.lr = a.positive(); }},
    {"--schedule", "constant|step|cosine|one-cycle",
     "schedule of the learning rate: constant (the default), a tenth after each third of the "
     "steps, half a cosine down to 0, or up and down",
     [](Options& o, const Argument& a) { o.schedule = a.choice(); }},
    {"--warmup", "N", "steps in which the learning rate first rises, linearly (0)",
     [](Options& o, const Argument& a) { o.warmup = a.integer<std::int64_t>(0); }},
    {"--weight-decay", "X", "0.01 for adamw, else 0",
     [](Options& o, const Argument& a) { o.weight_decay = a.not_negative(); }},
    {"--clip", "X", "clip the gradients to this norm, over all parameters",
     [](Options& o, const Argument& a) { o.clip = a.positive(); }},
    {"--init-scale", "X", "the loss scale that amp-fp16 begins with (65536)",
     [](Options& o, const Argument& a) { o.init_scale = a.positive(); }},
    {"--no-scaling", "", "amp-fp16 without gradient scaling, to see what it is for",
     [](Options& o, const Argument&) { o.scaling = false; }},
    {"--policies", "FILE",
     "policies of amp-fp16 and amp-bf16 that differ from the op list, a line each: conv1/ = "
     "float32",
     [](Options& o, const Argument& a) { o.policies = a.name(); }},
    {"--augment", "", "move and mirror the training images at random",
     [](Options& o, const Argument&) { o.augment = true; }},
    {"--workers", "N", "threads that make batches ahead of time (1)",
     [](Options& o, const Argument& a) {
       o.workers = std::min<std::int64_t>(a.integer<std::int64_t>(0), 64);
     }},
    {"--limit", "N", "use only the first N training and the first N test images",
     [](Options& o, const Argument& a) { o.limit = a.integer<std::int64_t>(1); }},
    {"--seed", "N", "seed of the weights, the order of the batches, and drawn (1)",
     [](Options& o, const Argument& a) { o.seed = a.integer<std::uint64_t>(0); }},
    {"--seeds", "N", "train from N seeds, from --seed on, and report mean and spread (1)",
     [](Options& o, const Argument& a) { o.seeds = a.integer<std::int64_t>(1); }},
    {"--checkpoint", "FILE",
     "save the whole state there after each epoch, and when stopped (Ctrl-C), as safetensors",
     [](Options& o, const Argument& a) { o.checkpoint = a.name(); }},
    {"--checkpoint-steps", "N", "save it also after every N steps",
     [](Options& o, const Argument& a) { o.checkpoint_steps = a.integer<std::int64_t>(1); }},
    {"--resume", "", "go on from the checkpoint, if there is one",
     [](Options& o, const Argument&) { o.resume = true; }},
    {"--report", "DIR",
     "write report.html with all curves and numbers, a histogram of the gradients and the "
     "precision "
     "of each op; the pictures also as SVG, the numbers as JSON, a step as a Chrome trace",
     [](Options& o, const Argument& a) { o.report = a.name(); }},
};

const Flag& find_flag(std::string_view name) {
  using amp::detail::edit_distance;
  for (const Flag& flag : kFlags) {
    if (flag.name == name) return flag;
  }
  const auto edits = [&](const Flag& flag) { return edit_distance(flag.name, name); };
  const Flag& nearest =
      *std::min_element(std::begin(kFlags), std::end(kFlags),
                        [&](const Flag& a, const Flag& b) { return edits(a) < edits(b); });
  const bool alike = edits(nearest) <= name.size() / 3;
  throw UsageError("unknown flag '" + std::string(name) + "'" +
                   (alike ? "; did you mean " + std::string(nearest.name) + "?" : ""));
}

/// Fills in the default that depends on another flag, and rejects contradicting flags.
Options checked(Options options) {
  const bool files = options.dataset != "drawn";
  if (files && options.data.empty()) {
    throw UsageError("--dataset " + options.dataset + " needs --data DIR, where its files are");
  }
  if (!files && !options.data.empty()) {
    throw UsageError("--data needs --dataset cifar10, fashion-mnist or mnist");
  }
  if (!options.checkpoint.empty() && (options.precision == "all" || options.seeds > 1)) {
    throw UsageError("--checkpoint holds one training: it needs one --precision, and one seed");
  }
  if (options.checkpoint_steps > 0 && options.checkpoint.empty()) {
    throw UsageError("--checkpoint-steps needs --checkpoint FILE");
  }
  if (options.resume && options.checkpoint.empty()) {
    throw UsageError("--resume needs --checkpoint FILE, to go on from");
  }
  const bool scales = options.precision == "all" || options.precision == "amp-fp16";
  if (!scales && (options.init_scale || !options.scaling)) {
    throw UsageError("--init-scale and --no-scaling are for --precision amp-fp16, or all");
  }
  if (!options.policies.empty() && !scales && options.precision != "amp-bf16") {
    throw UsageError("--policies is for --precision amp-fp16 or amp-bf16, or all");
  }
  if (options.init_scale && !options.scaling) {
    throw UsageError("--init-scale and --no-scaling exclude each other");
  }
  if (options.lr == 0) options.lr = options.optimizer == "sgd" ? 0.01 : 0.001;
  return options;
}

}  // namespace

Options parse_options(int argc, const char* const* argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view given = argv[i];
    if (given == "--help" || given == "-h") return {.help = true};
    const std::size_t equals = given.find('=');
    const Flag& flag = find_flag(given.substr(0, equals));
    Argument argument{flag.name, flag.values, {}};
    if (equals != given.npos) {
      argument.value = given.substr(equals + 1);
      if (flag.values.empty()) throw UsageError(std::string(flag.name) + " takes no value");
    } else if (flag.values.empty()) {
      // a flag without a value
    } else if (++i < argc) {
      argument.value = argv[i];
    } else {
      throw UsageError(std::string(flag.name) + " needs a value: " + std::string(flag.values));
    }
    flag.store(options, argument);
    options.given.emplace_back(flag.name.substr(2), argument.value);
  }
  options.command = command_text(argc, argv);
  return checked(options);
}

std::string command_text(int argc, const char* const* argv) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
  std::string text;
  for (int i = 0; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (i > 0) text += ' ';
    if (!word.empty() && word.find_first_not_of(plain) == word.npos) {
      text += word;
      continue;
    }
    text += '\'';
    for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    text += '\'';
  }
  return text;
}

Settings settings_of(const Options& o) {
  const auto text = [](double number) {
    char digits[32];  // the shortest text of this number
    return std::string(digits, std::to_chars(digits, std::end(digits), number).ptr);
  };
  Settings settings = {{"accumulate", std::to_string(o.accumulate)},
                       {"augment", o.augment ? "yes" : "no"},
                       {"batch-size", std::to_string(o.batch_size)},
                       {"clip", text(o.clip)},
                       {"dataset", o.dataset},
                       {"epochs", o.schedule == "constant" ? "any" : std::to_string(o.epochs)},
                       {"limit", std::to_string(o.limit)},
                       {"lr", text(o.lr)},
                       {"optimizer", o.optimizer},
                       {"precision", o.precision},
                       {"schedule", o.schedule},
                       {"seed", std::to_string(o.seed)},
                       {"warmup", std::to_string(o.warmup)},
                       {"weight-decay", o.weight_decay ? text(*o.weight_decay) : "default"}};
  // Older checkpoints do not have these settings.
  if (o.init_scale) settings["init-scale"] = text(*o.init_scale);
  if (!o.scaling) settings["scaling"] = "no";
  if (!o.policies.empty()) settings["policies"] = o.policies;
  return settings;
}

std::string to_string(const Settings& settings) {
  std::string text;
  for (const auto& [flag, value] : settings) text += (text.empty() ? "" : " ") + flag + '=' + value;
  return text;
}

Settings parse_settings(const std::string& text) {
  Settings settings;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const std::size_t equals = std::min(word.find('='), word.size() - 1);
    settings[word.substr(0, equals)] = word.substr(equals + 1);
  }
  return settings;
}

std::string differences(Settings saved, Settings own) {
  std::string lines;
  Settings all = saved;
  all.insert(own.begin(), own.end());
  for (const auto& [flag, value] : all) {
    if (saved[flag] != own[flag])
      lines += "\n  --" + flag + ": " + saved[flag] + " there, " + own[flag] + " here";
  }
  return lines;
}

void print_help() {
  std::printf(
      "Trains a small convolutional network on images, in one number format or in each, and\n"
      "compares. fp16 and bf16 convert weights and inputs; amp-fp16 and amp-bf16 keep float32\n"
      "weights and run under autocast, amp-fp16 with gradient scaling.\n\n");
  for (const Flag& flag : kFlags) {
    std::printf("  %s %s\n        %s\n", flag.name.data(), flag.values.data(), flag.help.data());
  }
  std::printf("  --help\n        this text\n");
}

// --- output files -------------------------------------------------------------------------------

namespace {

/// Throws amp::Error if no file can be created in `folder`; the text begins with `what`.
void require_writable(const std::filesystem::path& folder, const std::string& what) {
  const std::string probe = (folder / (".train_cnn." + std::to_string(getpid()))).string();
  std::FILE* const file = std::fopen(probe.c_str(), "wbx");  // a new file
  const std::string reason = std::strerror(errno);
  if (file == nullptr)
    throw amp::Error(what + ": no file can be made in " + folder.string() + ": " + reason);
  std::fclose(file);
  std::remove(probe.c_str());
}

}  // namespace

void require_outputs(const Options& options) {
  if (!options.report.empty()) {
    std::error_code error;
    std::filesystem::create_directories(options.report, error);
    if (error)
      throw amp::Error("--report " + options.report + ": cannot be made: " + error.message());
    require_writable(options.report, "--report " + options.report);
  }
  if (!options.checkpoint.empty()) {
    const std::filesystem::path file = options.checkpoint;
    const std::string what = "--checkpoint " + options.checkpoint;
    if (std::filesystem::is_directory(file))
      throw amp::Error(what + ": is a folder; give the name of a file");
    std::error_code error;  // links are followed, as when the checkpoint is saved
    const std::filesystem::path target = std::filesystem::weakly_canonical(file, error);
    require_writable((error ? std::filesystem::absolute(file) : target).parent_path(), what);
  }
}

bool checkpoint_exists(const Options& options) {
  return std::filesystem::exists(options.checkpoint);
}

}  // namespace examples
