// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A program that measures in turns with other programs: compare.py writes a command to its standard
// input, and the program answers with a line of JSON.
//
//   info                                 {"threads": "2", "compiler": "g++ 12.2.0", ...}
//   load WORKLOAD PRECISION [VARIANT]    {"results": [2.31], "facts": {"peak MB": 213}, "turn": 1}
//   run N                                {"ms": [0.52, 0.51]}: the times of N samples
//
// "turn" is the time of one sample in seconds. The answer to a command that fails is
// {"error": "..."}. To measure 20 samples by hand:
//   AMP_NUM_THREADS=2 cpu_benchmark cnn-256 bf16 20 [VARIANT]
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <functional>
#include <iomanip>
#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace cpu_benchmark {

/// A requested workload: `precision` is fp32, bf16 or fp16; a variant is another way to do the
/// same.
struct Request {
  std::string name, precision, variant;
};

/// A workload that is measured.
struct Workload {
  std::function<void()> call;
  std::vector<double> results = {};          // all implementations must give the same
  std::map<std::string, double> facts = {};  // other figures of this implementation
  double count = 1;                          // units of work in a call; the time of one is reported
};

/// Throws if there is no such workload, or if its results are wrong.
using Load = std::function<Workload(const Request&)>;
using Info = std::map<std::string, std::string>;

inline void require(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error("wrong before anything is timed: " + what);
}

/// Returns 8 for "gpt-" and "gpt-8"; 0 if the name has another prefix.
inline int number_after(const std::string& prefix, const std::string& name) {
  return name.compare(0, prefix.size(), prefix) == 0 ? std::atoi(name.c_str() + prefix.size()) : 0;
}

template <class Call>
double seconds(const Call& call) {
  const auto begin = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

inline double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1))];
}

/// A loaded workload, and the number of calls in one sample, which is large enough for the clock's
/// resolution.
class Measured {
 public:
  explicit Measured(Workload workload) : workload_(std::move(workload)) {
    workload_.call();
    const double once = seconds(workload_.call);
    calls_ = std::clamp(static_cast<int>(2e-3 / once), 1, 100'000);
    sample_ = once * calls_;
  }
  [[nodiscard]] const Workload& workload() const { return workload_; }
  [[nodiscard]] double seconds_of_sample() const { return sample_; }
  /// Returns the milliseconds of one unit of work, for each sample. The first call, after another
  /// program's turn, does not count.
  [[nodiscard]] std::vector<double> run(int samples) const {
    workload_.call();
    std::vector<double> times;
    for (int i = 0; i < samples; ++i) {
      const double taken = seconds([&] {
        for (int call = 0; call < calls_; ++call) workload_.call();
      });
      times.push_back(taken * 1e3 / (calls_ * workload_.count));
    }
    return times;
  }

 private:
  Workload workload_;
  int calls_ = 1;
  double sample_ = 0;
};

inline std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out + '"';
}
inline std::string json(double value) {
  if (!std::isfinite(value)) return "NaN";
  std::ostringstream out;
  out << std::setprecision(17) << value;
  return out.str();
}
inline std::string json(const std::string& value) { return quoted(value); }
inline std::string json(const std::vector<double>& values) {
  std::string out;
  for (const double value : values) out += (out.empty() ? "" : ", ") + json(value);
  return "[" + out + "]";
}
template <class T>
std::string json(const std::map<std::string, T>& values) {
  std::string out;
  for (const auto& [name, value] : values)
    out += (out.empty() ? "" : ", ") + quoted(name) + ": " + json(value);
  return "{" + out + "}";
}

inline std::string answer(const std::string& line, const Info& info, const Load& load,
                          std::vector<Measured>& loaded) {
  std::istringstream words(line);
  std::string command;
  words >> command;
  if (command == "info") return json(info);
  if (command == "load") {
    Request request;
    words >> request.name >> request.precision >> request.variant;
    loaded.clear();  // first, to free its memory
    loaded.emplace_back(load(request));
    const Workload& workload = loaded.back().workload();
    return R"({"results": )" + json(workload.results) + R"(, "facts": )" + json(workload.facts) +
           R"(, "turn": )" + json(loaded.back().seconds_of_sample()) + "}";
  }
  int samples = 0;
  if (command == "run" && words >> samples && !loaded.empty())
    return R"({"ms": )" + json(loaded.back().run(samples)) + "}";
  throw std::runtime_error("no such command, or nothing is loaded: " + line);
}

inline int measure_by_hand(const Load& load, const Request& request, int samples) try {
  const Measured measured(load(request));
  const std::vector<double> times = measured.run(samples);
  std::cout << request.name << ' ' << request.precision << ' ' << request.variant << ": median "
            << quantile(times, 0.5) << " ms, best " << quantile(times, 0) << " ms";
  for (const auto& [fact, value] : measured.workload().facts)
    std::cout << ", " << fact << ' ' << value;
  std::cout << "; results " << json(measured.workload().results) << '\n';
  return 0;
} catch (const std::exception& error) {
  std::cerr << request.name << ' ' << request.precision << ": " << error.what() << '\n';
  return 1;
}

/// The main function of such a program.
inline int serve(int argc, char** argv, const Info& info, const Load& load) {
  if (argc >= 3) {
    return measure_by_hand(load, {argv[1], argv[2], argc > 4 ? argv[4] : ""},
                           argc > 3 ? std::atoi(argv[3]) : 10);
  }
  std::vector<Measured> loaded;
  for (std::string line; std::getline(std::cin, line);) {
    try {
      std::cout << answer(line, info, load, loaded) << std::endl;
    } catch (const std::exception& error) {
      std::cout << R"({"error": )" << quoted(error.what()) << "}" << std::endl;
    }
  }
  return 0;
}

}  // namespace cpu_benchmark
