// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A race detector for CUDA: which accesses does nothing order that CUDA promises? The compiler
// reports each access, as it does for ThreadSanitizer (-fsanitize=thread), and the stand-in says
// what is in order: the work of a stream, what waits for an event, the barriers of a block, the
// fences of a grid, the host's calls and waits. Two accesses to a byte, one of which writes, are a
// race if neither comes before the other in any of these orders, whichever came first in this run.
// Shared memory that is read before any thread of the block has written it is reported, too.
//
// All threads of the host are one to it. It sees memory of devices, page-locked memory and shared
// memory. In a build without -fsanitize=thread nothing here does anything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#if defined(__clang__)
#if __has_feature(thread_sanitizer)
#define STANDIN_RACES 1
#endif
#endif

namespace standin::races {

#if defined(STANDIN_RACES)

inline constexpr bool kAreFound = true;
inline constexpr std::size_t kAlignment = 4096;  // of the memory that is watched

/// What comes before: of each stream, by its number, the last piece of work. The host is number 0.
struct Clock {
  std::vector<std::uint32_t> last = {};

  void join(const Clock& other) {
    if (last.size() < other.last.size()) last.resize(other.last.size());
    for (std::size_t i = 0; i < other.last.size(); ++i)
      if (last[i] < other.last[i]) last[i] = other.last[i];
  }
};

/// A stream, and what its work comes after.
struct Stream {
  Stream();
  std::uint32_t number;
  Clock clock = {};
};

/// While one exists, accesses of its thread are not seen: they are the toolkit's.
class Quiet {
 public:
  Quiet() { ++depth(); }
  ~Quiet() { --depth(); }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;
  static int& depth();
};

/// From begin_work() to end_work() this thread does the next piece of work of a stream.
void begin_work(Stream& stream);
void end_work();
/// What learns of a clock comes after what has told it until now. The host does both, or the stream
/// whose work this thread does.
void tell(Clock& clock);
void learn(const Clock& clock);

/// Says what the work runs now: a kernel, one of its blocks, one of its threads; and how many
/// barriers the block has passed.
void begin_launch(const void* kernel, unsigned threads);
void begin_block(unsigned number);
void begin_thread(unsigned number);
void pass_barrier();
void pass_fence();
void end_launch();

/// Memory that is watched from now on, until it ends; it begins anew with each call.
void begin_memory(const void* begin, std::size_t bytes);
void end_memory(const void* begin, std::size_t bytes);
/// The same for shared memory: nothing has used it yet.
void begin_shared_memory(const void* begin, const void* end);

/// The races found until now.
long found();
/// Whether found races are printed, and end the program with a status other than 0.
void expect(bool some);

#else

inline constexpr bool kAreFound = false;
inline constexpr std::size_t kAlignment = 256;  // as CUDA's

struct Clock {
  void join(const Clock&) {}
};
struct Stream {
  Clock clock = {};
};
struct Quiet {
  Quiet() {}
};
inline void begin_work(Stream&) {}
inline void end_work() {}
inline void tell(Clock&) {}
inline void learn(const Clock&) {}
inline void begin_launch(const void*, unsigned) {}
inline void begin_block(unsigned) {}
inline void begin_thread(unsigned) {}
inline void pass_barrier() {}
inline void pass_fence() {}
inline void end_launch() {}
inline void begin_memory(const void*, std::size_t) {}
inline void end_memory(const void*, std::size_t) {}
inline void begin_shared_memory(const void*, const void*) {}

#endif

}  // namespace standin::races
