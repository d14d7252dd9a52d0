// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The calls of a Graph and the objects that take part in its replays, without a device.
#include <amp/device/capture.hpp>
#include <amp/device/memory.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace device_capture {
namespace {

using amp::kCPU;
using amp::kCUDA;
using amp::detail::Capture;
using amp::detail::CaptureScope;
using amp::detail::GraphMemory;
using amp_test::error_of;
using Catch::Matchers::Equals;
using Log = std::vector<std::string>;

/// Notes what is called.
class Part final : public amp::detail::Replayable {
 public:
  Part(Log& log, std::string name) : log_(log), name_(std::move(name)) {}
  void after_recording() override { log_.push_back(name_ + " after recording"); }
  void before_replay() override { log_.push_back(name_ + " before"); }
  void after_replay() override { log_.push_back(name_ + " after"); }

 private:
  ~Part() override { log_.push_back(name_ + " released"); }

  Log& log_;
  std::string name_;
};
class OtherPart final : public amp::detail::Replayable {};

struct Call : Capture {
  explicit Call(bool is_recording = true,
                std::shared_ptr<GraphMemory> memory = std::make_shared<GraphMemory>())
      : Capture({kCUDA, 0}, nullptr, std::move(memory), is_recording) {}
};

Log taken(Log& log) { return std::exchange(log, {}); }

TEST_CASE("capture: each hook is called once per replay, in order before and in reverse after") {
  Log log;
  {
    Call call;
    call.make<Part>(log, "a");
    Part& b = call.make<Part>(log, "b");
    call.make<Part>(log, "c");
    call.add(b);  // it is there already
    CHECK(taken(log).empty());
    call.finish();
    CHECK(taken(log) == Log{"a after recording", "b after recording", "c after recording"});
    for (int replay = 0; replay < 3; ++replay) {
      call.before_replay();
      CHECK(taken(log) == Log{"a before", "b before", "c before"});
      call.after_replay();
      CHECK(taken(log) == Log{"c after", "b after", "a after"});
    }
  }
  CHECK(taken(log) == Log{"c released", "b released", "a released"});
}

TEST_CASE("capture: the objects of a warm-up live until it ends, and take part in nothing") {
  Log log;
  {
    Call warmup(false);
    warmup.make<Part>(log, "a");
    warmup.make<Part>(log, "b");
    warmup.finish();
    CHECK(taken(log).empty());
  }
  CHECK(taken(log) == Log{"b released", "a released"});
}

TEST_CASE("capture: an object that is held elsewhere outlives the call") {
  Log log;
  const auto part = amp::make_ref<Part>(log, "a");
  {
    Call call;
    CHECK_FALSE(call.contains(*part));
    call.add(*part);
    CHECK(call.contains(*part));
    CHECK(part->references() == 2);
  }
  CHECK(part->unique());
  CHECK(log.empty());
}

TEST_CASE("capture: a call has one single object of a type, made at the first use") {
  Log log;
  Call first, second;
  const Part& made = first.make<Part>(log, "made");
  const Part& part = first.single<Part>(log, "single");
  CHECK(&part != &made);
  CHECK(&first.single<Part>(log, "never made") == &part);
  CHECK(&second.single<Part>(log, "of another call") != &part);
  const OtherPart& other = first.single<OtherPart>();
  CHECK(&first.single<OtherPart>() == &other);
  first.before_replay();
  CHECK(log == Log{"made before", "single before"});
}

TEST_CASE("capture: a thread knows which call it is in") {
  using namespace amp::detail;
  CHECK(Capture::current() == nullptr);
  CHECK_FALSE(in_graph_call());
  CHECK_FALSE(in_recording());
  CHECK(capture_id() == 0);
  const auto memory = std::make_shared<GraphMemory>();
  Call warmup(false, memory), recording(true, memory);
  CHECK(warmup.id() != recording.id());
  CHECK(warmup.graph() == recording.graph());
  CHECK(warmup.graph() != Call().graph());
  {
    const CaptureScope scope(warmup);
    CHECK(Capture::current() == &warmup);
    CHECK(in_graph_call());
    CHECK_FALSE(in_recording());
    CHECK(capture_id() == warmup.id());
  }
  {
    const CaptureScope scope(recording);
    CHECK(in_graph_call());
    CHECK(in_recording());
    CHECK(capture_id() == recording.id());
  }
  CHECK_FALSE(in_graph_call());
}

TEST_CASE("capture: a recording takes the work of its stream, a warm-up any") {
  int stream = 0, other = 0;
  const auto memory = std::make_shared<GraphMemory>();
  const Capture warmup({kCUDA, 1}, &stream, memory, false);
  const Capture recording({kCUDA, 1}, &stream, memory, true);
  CHECK(recording.takes_work_of({kCUDA, 1}, &stream));
  CHECK_FALSE(recording.takes_work_of({kCUDA, 1}, &other));
  CHECK_FALSE(recording.takes_work_of({kCUDA, 0}, &stream));
  CHECK(warmup.takes_work_of({kCUDA, 0}, &other));
}

TEST_CASE("capture: memory is there in any order, has one use in a call, and goes with the graph") {
  const auto live = [] { return amp::memory_stats(kCPU).current_bytes; };
  const std::int64_t before = live();
  {
    const auto memory = std::make_shared<GraphMemory>();
    std::vector<void*> first, second;
    for (const bool small_first : {true, false}) {
      Call warmup(false, memory);
      for (const bool small : {small_first, !small_first, small_first})
        (small ? first : second).push_back(warmup.memory(kCPU, small ? 16 : 4096, "does"));
    }
    CHECK(live() == before + 2 * 16 + 2 * 4096);
    REQUIRE(first.size() == 3);
    CHECK(first[0] != first[1]);  // of one call
    CHECK((first[2] == first[0] || first[2] == first[1]));
    CHECK((second[0] == second[1] || second[0] == second[2]));

    Call recording(true, memory);
    const CaptureScope scope(recording);
    const auto take = [&](std::int64_t bytes) { return recording.memory(kCPU, bytes, "does so"); };
    std::vector<void*> taken{take(4096), take(16), take(16), take(4000)};
    for (std::size_t i = 0; i < taken.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) CHECK(taken[i] != taken[j]);
    }
    CHECK(take(0) == nullptr);
    CHECK_THAT(error_of([&] { take(1); }),
               Equals("Graph: the callable does so; every call has to do the same"));
    CHECK_THAT(error_of([&] { recording.finish(); }),
               Equals("Graph: the callable does so; every call has to do the same"));
  }
  CHECK(live() == before);
}

TEST_CASE("capture: a refused call does not finish, even if the error was caught") {
  using amp::detail::refuse;
  CHECK_THAT(error_of([] { refuse("no ", 1); }), Equals("no 1"));  // outside of any call
  Log log;
  Call call;
  call.make<Part>(log, "a");
  {
    const CaptureScope scope(call);
    CHECK_THAT(error_of([] { refuse("not ", 2); }), Equals("not 2"));
    CHECK_THAT(error_of([] { refuse("not ", 3); }), Equals("not 3"));
  }
  CHECK_THAT(error_of([&] { call.finish(); }), Equals("not 2"));
  CHECK(log.empty());
}

TEST_CASE("capture: what a call begins it has to end, and the other way round") {
  using namespace amp::detail;
  int owner = 0, other = 0;
  const auto error_of_call = [&](const auto& step) {
    Call call(false);
    {
      const CaptureScope scope(call);
      step();
    }
    return error_of([&] { call.finish(); });
  };
  CHECK_THAT(error_of_call([&] { open_in_graph_call(&owner, "a cycle"); }),
             Equals("Graph: the callable does not end a cycle; record whole steps"));
  CHECK_THAT(error_of_call([&] { close_in_graph_call(&owner, "a cycle"); }),
             Equals("Graph: the callable ends a cycle, which it did not begin; record whole "
                    "steps"));
  CHECK_THAT(error_of_call([&] {
               open_in_graph_call(&owner, "a cycle");
               close_in_graph_call(&other, "a cycle");
             }),
             Equals("Graph: the callable ends a cycle, which it did not begin; record whole "
                    "steps"));
  CHECK_THAT(error_of_call([&] {
               open_in_graph_call(&owner, "a cycle");
               open_in_graph_call(&other, "a cycle");
               close_in_graph_call(&owner, "a cycle");
               close_in_graph_call(&other, "a cycle");
             }),
             Equals(""));
  open_in_graph_call(&owner, "a cycle");  // nothing happens outside of calls
  close_in_graph_call(&other, "a cycle");
}

}  // namespace
}  // namespace device_capture
