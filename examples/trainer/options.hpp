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
  double clip = 0;                        // largest norm of all gradients; 0: no clipping
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
  std::string command = {};  // the whole command line, as it would be typed
};

/// An invalid command line. The text names the flag and the values that it takes.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Reads `--flag value`, `--flag=value`, and `--flag` alone. Throws UsageError.
Options parse_options(int argc, const char* const* argv);

/// Returns a command as it would be typed into a shell.
std::string command_text(int argc, const char* const* argv);

/// The settings on which a training depends, by the names of the flags: only a run with the same
/// settings can resume it. They include the number of epochs if the learning rate depends on it.
using Settings = std::map<std::string, std::string>;

Settings settings_of(const Options& o);

/// Returns the settings as in a checkpoint: "lr=0.001 optimizer=adam ...".
std::string to_string(const Settings& settings);

Settings parse_settings(const std::string& text);

/// Returns a line for each setting that differs, in alphabetical order; "" if none does.
std::string differences(Settings saved, Settings own);

void print_help();

/// Creates the folder of the report, and throws amp::Error if report or checkpoint cannot be
/// written. Called before the training, so that no result is lost.
void require_outputs(const Options& options);

/// Returns whether the checkpoint file exists.
bool checkpoint_exists(const Options& options);

}  // namespace examples
