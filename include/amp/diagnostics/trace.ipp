// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "amp/autocast/policies.hpp"
#include "amp/core/error.hpp"
#include "amp/diagnostics/text.hpp"
#include "amp/diagnostics/trace.hpp"

namespace amp::inline v0 {
namespace diagnostics {

AMP_COLD std::string_view rule_text(PolicyRule rule) {
  switch (rule) {
    case PolicyRule::kNoScope:
      return "no scope";
    case PolicyRule::kList:
      return "op list";
    case PolicyRule::kRegistered:
      return "register_op";
    case PolicyRule::kScope:
      return "scope";
    case PolicyRule::kModule:
      return "module";
    case PolicyRule::kOnlyLowPrecision:
      return "only_low_precision";
  }
  return "?";
}

AMP_COLD std::string_view kind_text(CastKind kind) {
  switch (kind) {
    case CastKind::kConverted:
      return "converted";
    case CastKind::kCopyReused:
      return "copy reused";
    case CastKind::kCopyRefreshed:
      return "copy refreshed";
  }
  return "?";
}

/// For example "float32 x3, int64".
AMP_COLD std::string dtypes_text(const std::vector<DType>& dtypes) {
  std::string text;
  for (std::size_t i = 0; i < dtypes.size();) {
    std::size_t same = i;
    while (same < dtypes.size() && dtypes[same] == dtypes[i]) ++same;
    text += (text.empty() ? "" : ", ") + std::string(to_string(dtypes[i]));
    if (same - i > 1) text += " x" + std::to_string(same - i);
    i = same;
  }
  return text.empty() ? "-" : text;
}

AMP_COLD std::vector<DType> dtypes_of(const std::vector<TracedTensor>& tensors) {
  std::vector<DType> dtypes;
  for (const TracedTensor& tensor : tensors) dtypes.push_back(tensor.dtype);
  return dtypes;
}

AMP_COLD std::string output_text(const TraceEntry& entry) {
  if (entry.failed) return "failed";
  return entry.output ? std::string(to_string(entry.output->dtype)) : "-";
}

/// The dtypes of an entry: given -> read as -> result.
AMP_COLD std::string path_text(const TraceEntry& entry) {
  const std::string given = dtypes_text(dtypes_of(entry.inputs));
  const std::string read = dtypes_text(entry.compute);
  return given + (read == given ? "" : " -> " + read) + " => " + output_text(entry);
}

/// For example "2 converted, 1 copy".
AMP_COLD std::string casts_text(const TraceEntry& entry) {
  std::size_t converted = 0;
  for (const TracedCast& cast : entry.casts) converted += cast.kind == CastKind::kConverted ? 1 : 0;
  const std::size_t copies = entry.casts.size() - converted;
  std::string text;
  if (converted != 0) text = std::to_string(converted) + " converted";
  if (copies != 0)
    text +=
        (text.empty() ? "" : ", ") + std::to_string(copies) + (copies == 1 ? " copy" : " copies");
  return text.empty() ? "-" : text;
}

AMP_COLD std::string name_text(const TraceEntry& entry) {
  if (entry.phase == TracePhase::kBackward) return entry.name + " (backward)";
  return entry.recomputed ? entry.name + " (recomputed)" : entry.name;
}

AMP_COLD bool decides(const TraceEntry& entry) { return entry.phase == TracePhase::kForward; }

AMP_COLD std::string policy_text(const TraceEntry& entry) {
  if (!decides(entry)) return "-";
  return entry.rule == PolicyRule::kNoScope ? "-" : std::string(to_string(entry.policy));
}

/// Equal entries, combined into one.
struct TraceLine {
  std::vector<std::string> key;
  std::int64_t calls = 0, bytes = 0, cast_bytes = 0;
  double seconds = 0;
};

/// For example "op list", or "op list, 1 input not eligible".
AMP_COLD std::string decision_text(const TraceEntry& entry) {
  if (!decides(entry)) return "-";
  std::string text(rule_text(entry.rule));
  if (entry.ineligible != 0)
    text += ", " + std::to_string(entry.ineligible) +
            (entry.ineligible == 1 ? " input" : " inputs") + " not eligible";
  return text;
}

AMP_COLD std::vector<std::string> key_of(const TraceEntry& entry) {
  return {entry.module.empty() ? "-" : entry.module,
          name_text(entry),
          policy_text(entry),
          decision_text(entry),
          path_text(entry),
          casts_text(entry)};
}

AMP_COLD std::string joined_text(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : ", ") + text;
  return all;
}

AMP_COLD TraceLine& line_of(std::vector<TraceLine>& lines, std::vector<std::string> key) {
  for (TraceLine& line : lines) {
    if (line.key == key) return line;
  }
  return lines.emplace_back(TraceLine{.key = std::move(key)});
}

AMP_COLD std::int64_t cast_bytes(const TraceEntry& entry) {
  std::int64_t bytes = 0;
  for (const TracedCast& cast : entry.casts) bytes += cast.bytes;
  return bytes;
}

/// The sums of a trace.
struct TraceTotals {
  std::int64_t ops = 0, backward = 0, bytes = 0, cast_bytes = 0;
  std::int64_t converted = 0, refreshed = 0, reused = 0;
  double seconds = 0, recompute_seconds = 0;

  explicit TraceTotals(const std::vector<TraceEntry>& entries) {
    for (const TraceEntry& entry : entries) add(entry);
  }
  void add(const TraceEntry& entry) {
    if (entry.phase == TracePhase::kModule) return;
    ++(entry.phase == TracePhase::kBackward ? backward : ops);
    for (const TracedCast& cast : entry.casts)
      ++(cast.kind == CastKind::kConverted       ? converted
         : cast.kind == CastKind::kCopyRefreshed ? refreshed
                                                 : reused);
    cast_bytes += diagnostics::cast_bytes(entry);
    if (entry.depth != 0) return;  // part of another entry
    bytes += entry.bytes;
    seconds += entry.seconds;
    if (entry.recomputed) recompute_seconds += entry.seconds;
  }
  std::string to_string() const {
    std::string text = std::to_string(ops) + " ops and " + std::to_string(backward) +
                       " backward functions: " + duration_text(seconds) + ", " + bytes_text(bytes) +
                       ". " + std::to_string(converted + refreshed) + " casts moved " +
                       bytes_text(cast_bytes) + ", of which " + std::to_string(refreshed) +
                       " were kept as copies of weights; such copies were reused " +
                       std::to_string(reused) + (reused == 1 ? " time." : " times.");
    if (recompute_seconds > 0)
      text += " Recomputation took " + duration_text(recompute_seconds) + ".";
    return text;
  }
};

AMP_COLD std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = (std::min)(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix((std::min)(end + 1, text.size()));
  }
  return lines;
}

/// Returns the lines without the blanks that align columns, so that one longer name does not change
/// all lines.
AMP_COLD std::string squeezed(std::string_view line) {
  std::string text;
  for (const char c : line) {
    if (c != ' ' || (!text.empty() && text.back() != ' ')) text += c;
  }
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

/// The lengths of the longest common subsequences of the lines from i of a and from j of b on.
using Lengths = std::vector<std::vector<std::size_t>>;

AMP_COLD Lengths common_lengths(const std::vector<std::string>& a,
                                const std::vector<std::string>& b) {
  Lengths lengths(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = a.size(); i-- > 0;) {
    for (std::size_t j = b.size(); j-- > 0;)
      lengths[i][j] = a[i] == b[j] ? lengths[i + 1][j + 1] + 1
                                   : (std::max)(lengths[i + 1][j], lengths[i][j + 1]);
  }
  return lengths;
}

/// Returns "- " lines of a that b lacks, and "+ " lines that b has instead.
AMP_COLD std::string line_difference(std::string_view a_text, std::string_view b_text) {
  const auto a_lines = lines_of(a_text), b_lines = lines_of(b_text);
  std::vector<std::string> a, b;
  for (const std::string_view line : a_lines) a.push_back(squeezed(line));
  for (const std::string_view line : b_lines) b.push_back(squeezed(line));
  const Lengths lengths = common_lengths(a, b);
  std::string text;
  std::size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    if (i < a.size() && j < b.size() && a[i] == b[j]) {
      ++i, ++j;
    } else if (j == b.size() || (i < a.size() && lengths[i + 1][j] >= lengths[i][j + 1])) {
      text += "- " + a[i++] + "\n";
    } else {
      text += "+ " + b[j++] + "\n";
    }
  }
  return text;
}

AMP_COLD std::string json_list(const std::vector<std::string>& values) {
  return "[" + joined_text(values) + "]";
}

AMP_COLD std::string json_tensor(const TracedTensor& tensor) {
  std::vector<std::string> shape;
  for (int d = 0; d < tensor.shape.dims(); ++d) shape.push_back(std::to_string(tensor.shape[d]));
  return "{\"dtype\": " + json_text(to_string(tensor.dtype)) + ", \"shape\": " + json_list(shape) +
         "}";
}

AMP_COLD std::string_view phase_text(TracePhase phase) {
  switch (phase) {
    case TracePhase::kForward:
      return "forward";
    case TracePhase::kBackward:
      return "backward";
    case TracePhase::kModule:
      return "module";
  }
  return "?";
}

/// The fields of an entry, without the braces.
AMP_COLD std::string json_fields(const TraceEntry& entry) {
  std::vector<std::string> inputs, compute, casts, off;
  for (const TracedTensor& input : entry.inputs) inputs.push_back(json_tensor(input));
  for (const DType dtype : entry.compute) compute.push_back(json_text(amp::to_string(dtype)));
  for (const TracedCast& cast : entry.casts)
    casts.push_back("{\"from\": " + json_text(amp::to_string(cast.from)) +
                    ", \"to\": " + json_text(amp::to_string(cast.to)) +
                    ", \"kind\": " + json_text(kind_text(cast.kind)) +
                    ", \"bytes\": " + std::to_string(cast.bytes) + "}");
  for (const std::string& extent : entry.off_multiples) off.push_back(json_text(extent));
  std::string text = "\"phase\": " + json_text(phase_text(entry.phase)) +
                     ", \"module\": " + json_text(entry.module);
  if (decides(entry))
    text += ", \"policy\": " + json_text(amp::to_string(entry.policy)) +
            ", \"decided_by\": " + json_text(rule_text(entry.rule)) +
            ", \"not_eligible\": " + std::to_string(entry.ineligible);
  if (entry.phase != TracePhase::kModule)
    text += ", \"inputs\": " + json_list(inputs) + ", \"compute\": " + json_list(compute) +
            ", \"casts\": " + json_list(casts) + ", \"bytes\": " + std::to_string(entry.bytes) +
            ", \"not_multiples_of_8\": " + json_list(off);
  if (entry.output) text += ", \"output\": " + json_tensor(*entry.output);
  if (entry.recomputed) text += ", \"recomputed\": true";
  if (entry.failed) text += ", \"failed\": true";
  return text;
}

}  // namespace diagnostics

AMP_COLD std::string Trace::to_json() const {
  return detail::or_out_of_memory([&] {
    std::string text = "{\"entries\": [";
    for (const TraceEntry& entry : entries_)
      text += (text.ends_with('[') ? "\n" : ",\n") + std::string("{\"name\": ") +
              diagnostics::json_text(entry.name) + ", \"depth\": " + std::to_string(entry.depth) +
              ", \"start\": " + diagnostics::json_number(entry.start) +
              ", \"seconds\": " + diagnostics::json_number(entry.seconds) + ", " +
              diagnostics::json_fields(entry) + "}";
    return text + "\n]}\n";
  });
}

AMP_COLD std::string Trace::to_chrome_trace() const {
  return detail::or_out_of_memory([&] {
    std::string text = "{\"traceEvents\": [";
    for (const TraceEntry& entry : entries_) {
      const bool outermost = entry.phase == TracePhase::kModule && entry.name.empty();
      text += (text.ends_with('[') ? "\n" : ",\n") + std::string("{\"name\": ") +
              diagnostics::json_text(outermost ? "model" : diagnostics::name_text(entry)) +
              ", \"cat\": " + diagnostics::json_text(diagnostics::phase_text(entry.phase)) +
              ", \"ph\": \"X\", \"pid\": 1, \"tid\": 1, \"ts\": " +
              diagnostics::json_number(entry.start * 1e6) +
              ", \"dur\": " + diagnostics::json_number(entry.seconds * 1e6) + ", \"args\": {" +
              diagnostics::json_fields(entry) + "}}";
    }
    return text + "\n]}\n";
  });
}

AMP_COLD std::vector<std::vector<std::string>> Trace::rows() const {
  using diagnostics::TraceLine;
  return detail::or_out_of_memory([&] {
    std::vector<TraceLine> lines;
    for (const TraceEntry& entry : entries_) {
      if (entry.phase == TracePhase::kModule) continue;
      std::vector<std::string> key = diagnostics::key_of(entry);
      key.push_back(diagnostics::joined_text(entry.off_multiples));
      TraceLine& line = diagnostics::line_of(lines, std::move(key));
      ++line.calls;
      line.seconds += entry.seconds;
      line.bytes += entry.bytes;
    }
    std::vector<std::vector<std::string>> rows = {{"module", "op", "policy", "decided by", "dtypes",
                                                   "casts", " calls", " time", " bytes",
                                                   "not a multiple of 8"}};
    for (const TraceLine& line : lines) {
      std::vector<std::string> row(line.key.begin(), line.key.end() - 1);
      row.insert(row.end(), {std::to_string(line.calls), diagnostics::duration_text(line.seconds),
                             diagnostics::bytes_text(line.bytes), line.key.back()});
      rows.push_back(std::move(row));
    }
    return rows;
  });
}

AMP_COLD std::string Trace::totals() const {
  return detail::or_out_of_memory([&] { return diagnostics::TraceTotals(entries_).to_string(); });
}

AMP_COLD std::string Trace::to_string() const {
  return detail::or_out_of_memory([&] { return diagnostics::table(rows()) + totals() + "\n"; });
}

AMP_COLD std::string Trace::precisions() const {
  return detail::or_out_of_memory([&] {
    std::vector<diagnostics::TraceLine> lines;
    for (const TraceEntry& entry : entries_) {
      if (entry.phase == TracePhase::kForward && !entry.recomputed)
        ++diagnostics::line_of(lines, diagnostics::key_of(entry)).calls;
    }
    std::vector<std::vector<std::string>> rows = {
        {"module", "op", "policy", "decided by", "dtypes", "casts", " calls"}};
    for (const diagnostics::TraceLine& line : lines) {
      rows.push_back(line.key);
      rows.back().push_back(std::to_string(line.calls));
    }
    return diagnostics::table(rows);
  });
}

AMP_COLD std::string Trace::difference(std::string_view golden) const {
  return detail::or_out_of_memory(
      [&] { return diagnostics::line_difference(golden, precisions()); });
}

AMP_COLD std::ostream& operator<<(std::ostream& out, const Trace& trace) {
  return out << trace.to_string();
}

}  // namespace amp::inline v0
