// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The calls of ranks, the notices that ranks send to each other, and the texts of errors.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "amp/core/error.hpp"
#include "amp/distributed/communicator.hpp"
#include "amp/types/dtype.hpp"

namespace amp::inline v0::detail {

/// The call of a rank, as numbers that are compared with those of the other ranks.
struct RankCall {
  enum Kind : std::int64_t { kAllReduce, kReduceScatter, kAllGather, kBroadcast, kBarrier, kEnd };

  std::int64_t kind = kBarrier, numel = 0, dtype = 0, op = 0, root = 0;
  RankCaller caller = {};

  static RankCall of(Kind kind, const TensorView& values, ReduceOp op = ReduceOp::kSum,
                     int root = 0) {
    return {.kind = kind,
            .numel = values.numel,
            .dtype = static_cast<std::int64_t>(values.dtype),
            .op = static_cast<std::int64_t>(op),
            .root = root};
  }
  std::array<std::int64_t, 7> numbers() const {
    return {kind, numel, dtype, op, root, caller.parallel, caller.bucket};
  }
  /// For example "all_reduce of 3 float32", or "all_reduce of 3 float32 for bucket 0 of
  /// DataParallel 1".
  std::string text() const {
    static constexpr const char* kNames[] = {"all_reduce", "reduce_scatter", "all_gather",
                                             "broadcast",  "barrier",        "its end"};
    std::string text = kNames[kind];
    if (kind < kBarrier)
      text += " of " + to_text(numel) + " " + to_string(static_cast<DType>(dtype));
    if (kind == kBroadcast) text += " from rank " + to_text(root);
    if (op != 0) text += " with kAny";
    if (caller.parallel != 0) text += " for ";
    if (caller.bucket != 0) text += "bucket " + to_text(caller.bucket - 1) + " of ";
    if (caller.parallel != 0) text += "DataParallel " + to_text(caller.parallel);
    return text;
  }
};

/// A notice that a rank sends: the operation in which it waits.
struct RankNotice {
  std::int64_t number = -1;  // the operation's index in its communicator; -1: no notice yet
  RankCall call = {};

  std::string text() const { return call.text() + ", number " + to_text(number); }
};

/// The last notices of all ranks.
class RankNotices {
 public:
  explicit RankNotices(int size) : last_(static_cast<std::size_t>(size)) {}

  RankNotice& of(int rank) { return last_[static_cast<std::size_t>(rank)]; }
  /// Returns whether all ranks wait in that operation or a later one.
  bool have_come_to(std::int64_t number) const {
    for (const RankNotice& notice : last_) {
      if (notice.number < number) return false;
    }
    return true;
  }

  /// Returns a text that names the ranks missing in the operation. `begun`: all ranks began it.
  std::string missing_text(const RankNotice& waited_for, bool begun,
                           std::int64_t timeout_ms) const {
    std::vector<int> missing, waiting;
    std::string elsewhere;
    for (int r = 0; r < static_cast<int>(last_.size()); ++r) {
      const RankNotice& notice = last_[static_cast<std::size_t>(r)];
      (notice.number >= waited_for.number ? waiting : missing).push_back(r);
      if (notice.number >= 0 && notice.number < waited_for.number)
        elsewhere += "; rank " + to_text(r) + " was last heard of in " + notice.text();
    }
    const std::string in_time = ", within " + to_text(timeout_ms) + " ms";
    if (missing.empty())
      return "all ranks wait in " + waited_for.text() + ", which did not end" + in_time;
    return text_of(missing) + (begun ? " began, but did not go on with " : " did not come to ") +
           waited_for.text() + in_time + "; " + text_of(waiting) + " waited" + elsewhere;
  }

  /// Returns a text that lists the different calls of the ranks in the operation.
  std::string difference_text(std::int64_t number) const {
    std::vector<std::pair<std::string, std::vector<int>>> calls;
    for (int r = 0; r < static_cast<int>(last_.size()); ++r) {
      const RankNotice& notice = last_[static_cast<std::size_t>(r)];
      const std::string call = notice.number < number ? "no answer" : notice.call.text();
      std::size_t i = 0;
      while (i < calls.size() && calls[i].first != call) ++i;
      if (i == calls.size()) calls.push_back({call, {}});
      calls[i].second.push_back(r);
    }
    std::string text = "the ranks make different calls, number " + to_text(number);
    for (const auto& [call, ranks] : calls) text += "; " + text_of(ranks) + ": " + call;
    return text;
  }

 private:
  /// For example "rank 0, rank 2".
  static std::string text_of(const std::vector<int>& ranks) {
    std::string text;
    for (const int rank : ranks) text += (text.empty() ? "rank " : ", rank ") + to_text(rank);
    return text;
  }

  std::vector<RankNotice> last_;
};

}  // namespace amp::inline v0::detail
