// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// support_matrix README [--update]: whether the README's table of what runs where is true; with
// --update, makes it so. The table is found out by calling: every op of amp's list, on every device
// (CUDA by the stand-in toolkit), in every dtype, with the inputs of the conformance suite.
#include <amp/amp.hpp>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/calls.hpp"

namespace {

constexpr std::string_view kBegin = "<!-- support matrix -->\n", kEnd = "<!-- end -->\n";

struct Column {
  std::string_view name;
  std::span<const amp::DType> dtypes;
};
constexpr amp::DType kDouble[] = {amp::kFloat64}, kSingle[] = {amp::kFloat32},
                     kHalf[] = {amp::kFloat16}, kBrain[] = {amp::kBFloat16},
                     kFloat8[] = {amp::kFloat8E4M3, amp::kFloat8E5M2},
                     kIntegers[] = {amp::kInt64, amp::kInt32, amp::kUInt8}, kTruth[] = {amp::kBool};
constexpr Column kColumns[] = {
    {"float64", kDouble},  {"float32", kSingle},    {"float16", kHalf}, {"bfloat16", kBrain},
    {"float8_*", kFloat8}, {"integers", kIntegers}, {"bool", kTruth},
};

std::string_view policy(amp::OpPolicy policy) {
  switch (policy) {
    case amp::OpPolicy::kLowPrecision:
      return "low precision";
    case amp::OpPolicy::kFloat32:
      return "float32";
    case amp::OpPolicy::kFloat32Math:
      return "float32 math";
    case amp::OpPolicy::kPromote:
      return "promote";
    case amp::OpPolicy::kBanned:
      return "refused";
    case amp::OpPolicy::kPassthrough:
      break;
  }
  return "as they are";
}

/// What holds for all of the dtypes.
std::string_view cell(std::string_view op, amp::Device device, std::span<const amp::DType> dtypes) {
  bool forward = true, backward = true;
  for (const amp::DType dtype : dtypes) {
    const conformance::Support support = conformance::support(op, device, dtype);
    forward = forward && support.forward;
    backward = backward && support.backward && amp::is_floating_point(dtype);
  }
  return !forward ? "" : backward ? "∂" : "✓";
}

bool differentiable(std::string_view op) {
  for (const conformance::OpCase& c : goldens::op_cases()) {
    if (conformance::op_of(c.op) == op && conformance::has_gradient(c)) return true;
  }
  return false;
}

/// Everything of a row but the ops.
std::string row(const amp::autocasting::ListedOp& listed) {
  std::string devices, cells[std::size(kColumns)];
  for (const amp::DeviceType device : {amp::kCPU, amp::kCUDA}) {
    if (!amp::is_available(device)) continue;
    devices += (devices.empty() ? "" : ", ") + to_string(device);
    for (std::size_t c = 0; c < std::size(kColumns); ++c) {
      std::string_view what = cell(listed.name, device, kColumns[c].dtypes);
      if (what == "∂" && !differentiable(listed.name)) what = "✓";
      std::string& text = cells[c];
      text = device == amp::kCPU || text == what ? std::string(what)
                                                 : text + ", cuda " + std::string(what);
    }
  }
  std::string text = std::string(policy(listed.policy)) + " | " + devices + " |";
  for (const std::string& what : cells) text += " " + what + " |";
  return text;
}

/// Ops of which the same holds share a row.
std::string matrix() {
  std::string table = "| ops | inputs under autocast | devices |";
  std::string rule = "\n| --- | --- | --- |";
  for (const Column& column : kColumns) {
    table += " " + std::string(column.name) + " |";
    rule += " :-: |";
  }
  table += rule + "\n";
  std::vector<std::pair<std::string, std::string>> rows;  // what holds, and for which ops
  for (const auto& listed : amp::autocasting::kOpList) {
    const std::string holds = row(listed);
    auto known = std::find_if(rows.begin(), rows.end(),
                              [&](const auto& other) { return other.first == holds; });
    if (known == rows.end()) known = rows.insert(known, {holds, ""});
    known->second += (known->second.empty() ? "`" : " `") + std::string(listed.name) + "`";
  }
  for (const auto& [holds, ops] : rows) table += "| " + ops + " | " + holds + "\n";
  return table;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "support_matrix README [--update]\n");
    return 2;
  }
  std::ifstream file(argv[1], std::ios::binary);
  const std::string readme{std::istreambuf_iterator<char>(file), {}};
  const std::size_t begin = readme.find(kBegin), end = readme.find(kEnd, begin);
  if (begin == std::string::npos || end == std::string::npos) {
    std::fprintf(stderr, "%s has no support matrix to compare with\n", argv[1]);
    return 1;
  }
  const std::size_t from = begin + kBegin.size();
  const std::string stated = readme.substr(from, end - from), found = matrix();
  if (stated == found) return 0;
  if (argc > 2 && std::string_view(argv[2]) == "--update") {
    std::ofstream(argv[1], std::ios::binary)
        << readme.substr(0, from) << found << readme.substr(end);
    return 0;
  }
  std::fprintf(stderr, "the README's support matrix is not what runs here:\n%s", found.c_str());
  return 1;
}
