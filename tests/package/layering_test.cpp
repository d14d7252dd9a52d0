// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Layers look down only. Reads every #include of the library and fails on an edge that goes up or
// sideways.
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "package/headers.hpp"
#include "support/catch.hpp"

namespace {

using Edges = std::map<std::string, std::vector<std::string>>;

/// Bottom to top; modules on one line do not see each other.
std::vector<std::vector<std::string>> read_layers() {
  std::ifstream file(AMP_SOURCE_DIR "/tests/layers.txt");
  std::vector<std::vector<std::string>> layers;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream words(line.substr(0, line.find(':')));
    std::vector<std::string>& layer = layers.emplace_back();
    for (std::string module; words >> module;) layer.push_back(module);
  }
  return layers;
}
const std::vector<std::vector<std::string>> kLayers = read_layers();

/// Downward, and still wrong: what a layer computes must not depend on the scope around it. Its
/// call applies the policies of its path.
const std::set<std::pair<std::string, std::string>> kForbidden = {{"nn", "autocast"},
                                                                  {"optim", "autocast"}};
const std::string kEntersPolicies = "amp/nn/module";  // module.hpp, module_call.hpp
/// The steps of these optimizers are made of ops, in no scope.
const std::set<std::string> kLeaveScopes = {"amp/optim/adafactor.ipp", "amp/optim/muon.ipp"};

/// Headers at the root that are not named after a module. "top" may include everything below.
const std::map<std::string, std::string> kRootHeaders = {
    {"amp", "top"},          {"compiled", "top"},   {"cuda", "top"},
    {"fwd", "core"},         {"dlpack", "interop"}, {"safetensors", "interop"},
    {"libtorch", "interop"}, {"views", "interop"},
};

/// In kernels/, what all ops are made of, bottom to top.
const std::map<std::string, int> kBelowOps = {{"operand", 0},      {"functions", 0},
                                              {"compute_type", 1}, {"traversal", 2},
                                              {"onednn", 2},       {"plans", 2}};
/// The ops that are made of other ops. A new op needs no line here unless it is, too.
const std::set<std::pair<std::string, std::string>> kOpsOnOps = {
    {"attention", "matmul"},
    {"batch_norm", "norm"},
    {"batch_norm", "reduce"},
    {"combination", "elementwise"},
    {"conv", "elementwise"},
    {"conv", "matmul"},
    {"conv", "reduce"},
    {"cross_entropy", "reduce"},
    {"cross_entropy", "softmax"},
    {"ctc", "elementwise"},
    {"distance", "elementwise"},
    {"distance", "fold"},
    {"fold", "elementwise"},
    {"fold", "norm"},
    {"fold", "reduce"},
    {"fold", "softmax"},
    {"grid_sample", "resample"},
    {"indexing", "elementwise"},
    {"matmul", "elementwise"},
    {"matmul", "reduce"},
    {"norm", "reduce"},
    {"optim", "random"},
    {"optim", "unscale"},
    {"order", "elementwise"},
    {"recurrent", "elementwise"},
    {"recurrent", "matmul"},
    {"scan", "fold"},
    {"softmax", "reduce"},
    {"var", "norm"},
    {"var", "reduce"},
};

/// The only inversion: members of Tensor that record history, or read it, are declared in the
/// tensor layer and defined here.
const std::string kInversion = "amp/ops/tensor_members.ipp";
const std::string kTemplateInversion = "amp/autograd/hooks.hpp";  // register_hook, a template
const std::set<std::string> kInvertedMembers = {"backward",
                                                "clone",
                                                "contiguous",
                                                "expand",
                                                "flatten",
                                                "grad",
                                                "is_leaf",
                                                "narrow",
                                                "permute",
                                                "register_hook",
                                                "reshape",
                                                "requires_grad",
                                                "requires_grad_",
                                                "select",
                                                "set_data",
                                                "set_grad",
                                                "squeeze",
                                                "t",
                                                "to",
                                                "transpose",
                                                "unsqueeze",
                                                "view"};

/// "amp/ops/softmax.hpp" -> "ops"; "amp/ops.hpp" -> "ops"; "" if it belongs nowhere.
std::string module_of(const std::string& header) {
  const std::string below = header.substr(header.find('/') + 1);
  const std::string name = below.substr(0, below.find_first_of("/."));
  if (below.find('/') == std::string::npos) {
    if (const auto root = kRootHeaders.find(name); root != kRootHeaders.end()) return root->second;
  }
  for (const auto& layer : kLayers) {
    for (const std::string& module : layer) {
      if (module == name) return name;
    }
  }
  return {};
}

/// Layer number from the bottom; "top" is above all.
std::size_t level_of(const std::string& module) {
  std::size_t level = 0;
  while (level < kLayers.size() &&
         std::find(kLayers[level].begin(), kLayers[level].end(), module) == kLayers[level].end()) {
    ++level;
  }
  return level;
}

/// Whether a header of the library is one of the host's kernels: in a folder host/, or host.hpp.
bool is_host_kernel(const std::string& header) {
  return header.find("/host/") != std::string::npos || header.ends_with("/host.hpp") ||
         header.ends_with("/host.ipp");
}

/// "amp/ops/softmax.hpp" -> "amp/ops/softmax"
std::string without_extension(const std::string& header) {
  return header.substr(0, header.rfind('.'));
}

/// The folder of a kernel, "amp/kernels/softmax/args.hpp" -> "softmax"; the file without its
/// extension at the root of kernels/; "" outside.
std::string room_of(const std::string& header) {
  const std::string kernels = "amp/kernels/";
  if (!header.starts_with(kernels)) return {};
  const std::string below = header.substr(kernels.size());
  return below.substr(0, below.find_first_of("/."));
}

/// What is wrong with an edge between two folders of kernels/; empty if nothing.
std::string objection_between_rooms(const std::string& from, const std::string& to) {
  const std::set<std::string> tables = {"backend", "dispatch",
                                        "function_dispatch"};  // of all kernels
  if (from == to || tables.contains(from)) return {};
  if (tables.contains(to)) return "goes from a kernel to the table of all kernels";
  if (kBelowOps.contains(to)) {
    const bool down = !kBelowOps.contains(from) || kBelowOps.at(to) < kBelowOps.at(from);
    return down ? "" : "goes up inside kernels/";
  }
  if (kBelowOps.contains(from)) return "goes from a traversal to an op";
  return kOpsOnOps.contains({from, to}) ? "" : "goes from one op to another";
}

/// What is wrong with `from` including `to`; empty if nothing.
std::string objection(const std::string& from, const std::string& to) {
  const std::string lower = module_of(to), upper = module_of(from);
  if (lower != upper && level_of(lower) == level_of(upper)) return "goes sideways";
  if (level_of(lower) > level_of(upper)) return "goes up";
  if (kForbidden.contains({upper, lower}) && !from.starts_with(kEntersPolicies) &&
      !kLeaveScopes.contains(from))
    return "is ruled out";
  if (from.ends_with(".cuh") && is_host_kernel(to)) return "goes from CUDA to host";
  if (!from.ends_with(".cuh") && to.ends_with(".cuh")) return "needs nvcc";
  // A kernel's host.hpp has the function that calls the kernel on any device.
  if (from.ends_with("/host.hpp") && to == "amp/kernels/dispatch.hpp") return {};
  if (lower == "kernels" && upper == "kernels")
    return objection_between_rooms(room_of(from), room_of(to));
  return {};
}

/// What is wrong with `from` including definitions; empty if nothing. A header ends with its own,
/// and the compiled library includes all.
std::string objection_to_definitions(const std::string& from, const std::string& to) {
  if (!to.ends_with(".ipp") || from == "amp/compiled.hpp") return {};
  if (to == "amp/core/globals.ipp" || to == "amp/optim/rule_optimizer.ipp") return {};  // templates
  if (from.ends_with(".hpp") && without_extension(from) == without_extension(to)) return {};
  if (from == "amp/cuda.cuh") return {};
  return "includes definitions of another header";
}

/// The library's own headers that each header includes.
Edges read_edges() {
  Edges edges;
  for (const auto& [header, lines] : amp_test::read_headers()) {
    edges[header];
    for (const std::string& line : lines) {
      const std::string target = amp_test::directive(line, "include");
      if (target.find("amp/") == 1) {
        edges[header].push_back(target.substr(1, target.find_first_of("\">", 1) - 1));
      } else if (target.starts_with('"')) {
        edges[header].push_back(target);  // not found below, whatever it names
      }
    }
  }
  return edges;
}

/// Appends the first cycle reachable from `header` to `path`. `done` holds headers known to reach
/// none.
bool find_cycle(const Edges& edges, const std::string& header, std::vector<std::string>& path,
                std::set<std::string>& done) {
  if (done.contains(header) || !edges.contains(header)) return false;
  const bool met = std::find(path.begin(), path.end(), header) != path.end();
  path.push_back(header);
  if (met) return true;
  for (const std::string& next : edges.at(header)) {
    if (find_cycle(edges, next, path, done)) return true;
  }
  path.pop_back();
  done.insert(header);
  return false;
}

}  // namespace

TEST_CASE("every header belongs to a layer") {
  amp_test::Complaints complaints;
  for (const auto& [header, includes] : read_edges()) {
    if (module_of(header).empty()) complaints.add(header + " belongs to no module");
  }
  CHECK(complaints.text() == "");
}

TEST_CASE("includes look down only") {
  const Edges edges = read_edges();
  REQUIRE(edges.size() > 10);
  amp_test::Complaints complaints;
  for (const auto& [header, includes] : edges) {
    for (const std::string& target : includes) {
      if (!edges.contains(target)) {
        complaints.add(header + " -> " + target + " is not a header below include/");
      } else if (const std::string why = objection(header, target); !why.empty()) {
        complaints.add(header + " -> " + target + " " + why);
      } else if (const std::string other = objection_to_definitions(header, target);
                 !other.empty()) {
        complaints.add(header + " -> " + target + " " + other);
      }
    }
  }
  CHECK(complaints.text() == "");
}

// Definitions see the declarations of headers that include each other's definitions, so only the
// declarations must be free of cycles.
TEST_CASE("no header includes itself through others") {
  Edges edges = read_edges();
  for (auto& [header, includes] : edges) {
    std::erase_if(includes, [](const std::string& target) { return target.ends_with(".ipp"); });
  }
  std::set<std::string> done;
  for (const auto& [header, includes] : edges) {
    std::vector<std::string> path;
    CAPTURE(header, path);
    const bool cycle = find_cycle(edges, header, path, done);
    std::string trace;
    for (const std::string& step : path) trace += step + " ";
    CAPTURE(trace);
    REQUIRE_FALSE(cycle);
  }
}

TEST_CASE("members of Tensor defined above the tensor layer are the known ones") {
  std::set<std::string> found;
  amp_test::Complaints complaints;
  for (const auto& [header, lines] : amp_test::read_headers()) {
    if (level_of(module_of(header)) <= level_of("tensor")) continue;
    for (const std::string& line : lines) {
      const std::size_t member = line.find(" Tensor::");
      const bool in_template = line.starts_with("HookHandle ");
      if ((!line.starts_with("AMP_INLINE ") && !in_template) || member == std::string::npos)
        continue;
      const std::size_t name = member + std::string(" Tensor::").size();
      found.insert(line.substr(name, line.find('(', name) - name));
      if (header != (in_template ? kTemplateInversion : kInversion))
        complaints.add(header + ": " + line);
    }
  }
  CHECK(complaints.text() == "");
  CHECK(found == kInvertedMembers);
}

TEST_CASE("the layering test objects to wrong edges") {
  CHECK(objection("amp/types/half.hpp", "amp/core/error.hpp").empty());
  CHECK(objection("amp/ops/conv.hpp", "amp/ops/shape.hpp").empty());
  CHECK(objection("amp/amp.hpp", "amp/scaler.hpp").empty());
  CHECK(objection("amp/ops/conv.ipp", "amp/kernels/conv/host.hpp").empty());
  CHECK(objection_to_definitions("amp/ops/conv.hpp", "amp/ops/conv.ipp").empty());
  CHECK(objection("amp/core/error.hpp", "amp/types/half.hpp") == "goes up");
  CHECK(objection("amp/tensor/tensor.hpp", "amp/ops.hpp") == "goes up");
  CHECK(objection("amp/nn/linear.hpp", "amp/optim/sgd.hpp") == "goes sideways");
  CHECK(objection("amp/scaler/stage.hpp", "amp/amp.hpp") == "goes up");
  CHECK(objection("amp/optim/sgd.hpp", "amp/autocast/state.hpp") == "is ruled out");
  CHECK(objection("amp/nn/linear.hpp", "amp/autocast/state.hpp") == "is ruled out");
  CHECK(objection("amp/nn/module_call.hpp", "amp/autocast/state.hpp").empty());
  CHECK(objection("amp/kernels/conv/host.hpp", "amp/kernels/conv/cuda.cuh") == "needs nvcc");
  CHECK(objection("amp/kernels/conv/cuda/cudnn.cuh", "amp/kernels/conv/host/onednn.hpp") ==
        "goes from CUDA to host");
  CHECK(objection("amp/kernels/softmax/cuda.cuh", "amp/kernels/pool/args.hpp") ==
        "goes from one op to another");
  CHECK(objection("amp/kernels/traversal/lines.hpp", "amp/kernels/softmax/args.hpp") ==
        "goes from a traversal to an op");
  CHECK(objection("amp/kernels/functions.hpp", "amp/kernels/traversal/lines.hpp") ==
        "goes up inside kernels/");
  CHECK(objection("amp/kernels/softmax/host.hpp", "amp/kernels/dispatch.hpp") == "");
  CHECK(objection("amp/kernels/softmax/host.ipp", "amp/kernels/dispatch.hpp") ==
        "goes from a kernel to the table of all kernels");
  CHECK(objection_to_definitions("amp/ops/conv.ipp", "amp/ops/shape.ipp") != "");
  CHECK(objection_to_definitions("amp/ops/conv.hpp", "amp/ops/shape.ipp") != "");
  std::vector<std::string> path;
  std::set<std::string> done;
  CHECK(find_cycle({{"a", {"b"}}, {"b", {"c"}}, {"c", {"b"}}}, "a", path, done));
  CHECK(path == std::vector<std::string>{"a", "b", "c", "b"});
}
