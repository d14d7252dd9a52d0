// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The trainer's command line.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace examples {

struct Options {
  std::string dataset = "drawn";
  std::string data = {};  // directory of the files; empty for drawn
  std::string precision = "all";
  std::string device = "cpu";
  std::string optimizer = "adam";
  double lr = 0;                            // 0: the optimizer's own default
  std::optional<double> weight_decay = {};  // unset: the optimizer's own default
  std::string schedule = "constant";
  std::int64_t warmup = 0;                // steps
  double clip = 0;                        // largest norm of all gradients; 0: any
  std::int64_t accumulate = 1;            // batches per step
  std::optional<double> init_scale = {};  // of the loss; unset: GradScaler's default
  bool scaling = true;                    // of amp-fp16
  std::string policies = {};              // file of the autocast scope's policies; empty: none
  std::int64_t epochs = 1;
  std::int64_t batch_size = 32;
  bool augment = false;
  std::int64_t workers = 1;
  std::int64_t limit = 0;  // 0: all images
  std::uint64_t seed = 1;
  std::int64_t seeds = 1;
  std::string checkpoint = {};        // file; empty: none
  std::int64_t checkpoint_steps = 0;  // 0: at the end of each epoch only
  bool resume = false;
  std::string report = {};  // folder; empty: none
  bool help = false;
  std::vector<std::pair<std::string, std::string>> given = {};  // flags and values, as typed
  std::string command = {};  // the whole command line, as one would type it
};

/// A command line that cannot be understood. The text says which flag and what it takes.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Reads `--flag value`, `--flag=value`, and `--flag` alone. Throws UsageError.
Options parse_options(int argc, const char* const* argv);

/// The words of a command as one would type them into a shell.
std::string command_text(int argc, const char* const* argv);

/// What a training is a function of, by the names of the flags: only a run with the same settings
/// can resume it. Where the learning rate depends on the number of steps, the epochs are among
/// them.
using Settings = std::map<std::string, std::string>;

Settings settings_of(const Options& o);

/// "lr=0.001 optimizer=adam ...", as a checkpoint keeps them.
std::string to_string(const Settings& settings);

Settings parse_settings(const std::string& text);

/// A line for each setting that is not the same, in alphabetical order; "" if all are.
std::string differences(Settings saved, Settings own);

void print_help();

/// Makes the folder of the report, and tries whether report and checkpoint can be written: before
/// the work begins, so that no training is lost at its end. Throws amp::Error.
void require_outputs(const Options& options);

/// Whether the file is there, to be resumed or replaced.
bool checkpoint_exists(const Options& options);

}  // namespace examples
