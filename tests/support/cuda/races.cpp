// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The race detector (races.hpp), compiled without -fsanitize=thread. Each byte has a record of its
// last plain write, and of the plain reads and the atomic operations since. Of those of one launch it
// keeps two, by different blocks or threads: any two tell of an access by a third, and one of them
// tells of an access by the other. It forgets none of another launch that may still be under way.
#define STANDIN_RACES 1
#include "support/cuda/races.hpp"

#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "support/instrumented.hpp"

namespace standin::races {
namespace {

struct Access {
  std::uint32_t work = 0;  // 0: none
  std::uint32_t block = 0;
  std::uint16_t thread = 0, barriers = 0, fences = 0;
  bool writes = false, atomic = false;
  std::uint64_t pc = 0;
};
struct Record {
  Access write, reads[2], atomics[2];
  std::uint64_t block = 0;  // of shared memory: whose record this is
  bool written = false;     // by a plain write or an atomic operation
  bool has_others = false;  // in Detector::others
};

/// A piece of work of a stream, or what the host does from one call to the next.
struct Work {
  std::uint32_t stream, number;
};
struct Fence {
  std::uint16_t thread, barriers, fences;
};
/// Fences of a block: the first ones of some threads.
struct Fences {
  std::map<std::uint16_t, std::uint16_t> of_threads = {};

  bool contains(const Fence& fence) const {
    const auto own = of_threads.find(fence.thread);
    return own != of_threads.end() && fence.fences < own->second;
  }
  void join(const Fences& other) {
    for (const auto& [thread, count] : other.of_threads)
      of_threads[thread] = (std::max)(of_threads[thread], count);
  }
};
/// The fences of other blocks that a thread comes after.
using Known = std::map<std::uint32_t, Fences>;
void join(Known& known, const Known& other) {
  for (const auto& [block, fences] : other) known[block].join(fences);
}

struct Detector {
  std::atomic_flag busy = ATOMIC_FLAG_INIT;
  std::vector<Work> works = {{0, 0}};
  std::uint32_t streams = 1;
  Clock host;
  std::atomic<std::uint32_t> host_work = 0;

  // Of the work that is done now, by one thread at a time.
  Stream* stream = nullptr;
  Access now;
  int quiet_around = 0;
  bool in_kernel = false;
  // The fences of the launch, by block; what its atomics have published, by address; what the block
  // knows, and what its threads do, or will with their next fence.
  std::map<std::uint32_t, std::vector<Fence>> fences = {};
  std::map<std::uintptr_t, Known> published = {};
  Known known_to_block = {};
  std::map<unsigned, Known> known_to = {}, observed_by = {};
  std::vector<std::uint16_t> fences_of = {};

  // Reads and atomic operations of other pieces of work than those in a record.
  std::map<const Record*, std::vector<Access>> others = {};

  long found = 0;
  bool expected = false;
  std::set<std::pair<std::uint64_t, std::uint64_t>> printed;
  std::set<const void*> kernels;
  long launches = 0;

  Detector();
};
// Of what is watched, by address / kAlignment; null before the detector is made.
std::atomic<Record**> pages = nullptr;
std::uintptr_t shared_begin = 0, shared_bytes = 0;
std::uint64_t shared_block = 0;  // counts the blocks that had it
Record* shared = nullptr;

Detector& detector() {
  static auto* const instance = new Detector();
  return *instance;
}

/// Memory of zeros, of which what is never used takes no room.
void* reserve(std::size_t bytes) {
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) std::abort();
  return memory;
}

thread_local bool working = false;  // whether this thread does the work of a stream now

struct Locked {
  Locked() {
    while (detector().busy.test_and_set(std::memory_order_acquire)) {
    }
  }
  ~Locked() { detector().busy.clear(std::memory_order_release); }
};

// --- the order ----------------------------------------------------------------------------------

Clock& own_clock() { return working ? detector().stream->clock : detector().host; }

void set(Clock& clock, const Work& work) {
  if (clock.last.size() <= work.stream) clock.last.resize(work.stream + 1);
  clock.last[work.stream] = work.number;
}
std::uint32_t add_work(std::uint32_t stream, Clock& clock) {
  const std::uint32_t before = stream < clock.last.size() ? clock.last[stream] : 0;
  detector().works.push_back({stream, before + 1});
  set(clock, detector().works.back());
  return static_cast<std::uint32_t>(detector().works.size() - 1);
}

bool is_fenced_by(const Known& known, const Access& earlier) {
  const auto of_block = known.find(earlier.block);
  if (of_block == known.end()) return false;
  const auto& all = detector().fences[earlier.block];
  return std::any_of(all.begin(), all.end(), [&](const Fence& fence) {
    return of_block->second.contains(fence) &&
           (fence.barriers > earlier.barriers ||
            (fence.thread == earlier.thread && fence.fences >= earlier.fences));
  });
}
/// Whether a fence of the earlier access's block came after it, and an atomic operation has told this
/// thread of that fence.
bool is_fenced(const Access& earlier, const Access& now) {
  Detector& d = detector();
  const auto own = d.known_to.find(now.thread);
  return is_fenced_by(d.known_to_block, earlier) ||
         (own != d.known_to.end() && is_fenced_by(own->second, earlier));
}
/// A write publishes the thread's fences before it, with what came before them: a fence of another
/// thread of the block is none of the one that writes. What an operation reads counts from the next
/// fence on.
void pass_atomic(const Access& now, std::uintptr_t address, bool writes) {
  Detector& d = detector();
  const auto found = d.published.find(address);
  if (found != d.published.end()) join(d.observed_by[now.thread], found->second);
  if (!writes || (d.fences.empty() && d.known_to_block.empty())) return;
  Known& published = d.published[address];
  join(published, d.known_to_block);
  if (const auto own = d.known_to.find(now.thread); own != d.known_to.end())
    join(published, own->second);
  published[now.block].join({{{now.thread, now.fences}}});
}
bool is_before(const Access& earlier, const Access& now) {
  if (earlier.work == now.work) {
    if (working && detector().in_kernel && earlier.block != now.block)
      return is_fenced(earlier, now);
    return earlier.thread == now.thread || earlier.barriers < now.barriers;
  }
  const Work& work = detector().works[earlier.work];
  const auto& known = own_clock().last;
  return work.stream < known.size() && work.number <= known[work.stream];
}

// --- what is printed ----------------------------------------------------------------------------

/// Where the program was loaded: addresses minus it are those in its file.
std::uint64_t program_begin() {
  std::uint64_t begin = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* result) {
        *static_cast<std::uint64_t*>(result) = info->dlpi_addr;
        return 1;  // the first one is the program
      },
      &begin);
  return begin;
}
void print(const char* what, const Access& access) {
  const Work& work = detector().works[access.work];
  if (work.stream == 0) {
    std::fprintf(stderr, "  %s by the host\n", what);
  } else {
    std::fprintf(stderr, "  %s in work %u of stream %u, thread %u of block %u, after %u barriers\n",
                 what, work.number, work.stream, access.thread, access.block, access.barriers);
  }
  std::fflush(stderr);
  char command[300];
  std::snprintf(
      command, sizeof command,
      "(llvm-symbolizer -p -e /proc/%d/exe 0x%llx || addr2line -Cfipe /proc/%d/exe 0x%llx) "
      "2>/dev/null | head -n 6 | sed 's/^/    /' >&2",
      static_cast<int>(getpid()), static_cast<unsigned long long>(access.pc - 1 - program_begin()),
      static_cast<int>(getpid()), static_cast<unsigned long long>(access.pc - 1 - program_begin()));
  if (std::system(command) != 0) std::fprintf(stderr, "    %llx\n", (unsigned long long)access.pc);
}
bool is_shared(std::uintptr_t address) { return address - shared_begin < shared_bytes; }
void report_uninitialised(const Access& now, std::uintptr_t address) {
  Detector& d = detector();
  ++d.found;
  if (d.expected || d.printed.size() >= 20 || !d.printed.emplace(0, now.pc).second) return;
  std::fprintf(stderr, "race: no thread of the block has written the shared memory at %p\n",
               reinterpret_cast<void*>(address));
  print("a read", now);
}
void report(const Access& earlier, const Access& now, std::uintptr_t address) {
  Detector& d = detector();
  ++d.found;
  if (d.expected || d.printed.size() >= 20 || !d.printed.emplace(earlier.pc, now.pc).second) return;
  std::fprintf(stderr, "race: nothing orders these accesses to %s memory at %p\n",
               is_shared(address) ? "shared" : "global", reinterpret_cast<void*>(address));
  for (const Access& access : {earlier, now})
    print(access.atomic ? "an atomic operation" : access.writes ? "a write" : "a read", access);
}
/// Ends a program that has a race with a status other than 0. If the environment names a file in
/// STANDIN_RACES_KERNELS, adds the addresses of the kernels that were launched to it.
void at_exit() {
  const Detector& d = detector();
  if (const char* const path = std::getenv("STANDIN_RACES_KERNELS")) {
    if (std::FILE* const file = std::fopen(path, "a")) {
      std::fprintf(file, "launches %ld\n", d.launches);
      for (const void* const kernel : d.kernels)
        std::fprintf(file, "%llx\n",
                     static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(kernel) -
                                                     program_begin()));
      std::fclose(file);
    }
  }
  if (d.found != 0 && !d.expected) {
    std::fprintf(stderr, "race detector: %ld races\n", d.found);
    std::fflush(nullptr);
    std::_Exit(66);
  }
}

Detector::Detector() {
  host_work = 1;
  works.push_back({0, 1});
  set(host, works.back());
  std::atexit(at_exit);
  pages = static_cast<Record**>(reserve((std::size_t{1} << 47) / kAlignment * sizeof(Record*)));
}

// --- accesses -----------------------------------------------------------------------------------

/// Adds an access to those of its kind, of which it replaces one that comes before it.
void add(Record& record, Access (&two)[2], const Access& now) {
  for (Access& known : two) {
    if (known.work == 0 || known.work == now.work) continue;
    if (!is_before(known, now)) {
      std::vector<Access>& others = detector().others[&record];
      std::erase_if(others, [&](const Access& other) {
        return other.atomic == now.atomic && is_before(other, now);
      });
      others.push_back(known);
      record.has_others = true;
    }
    known.work = 0;
  }
  two[two[0].work == 0 || is_before(two[0], now) ? 0 : 1] = now;
}
void check(const Access& known, const Access& now, std::uintptr_t address) {
  const bool conflicts = (known.writes || now.writes) && !(known.atomic && now.atomic);
  if (known.work != 0 && conflicts && !is_before(known, now)) report(known, now, address);
}
void access_byte(Record& record, const Access& now, bool reads, std::uintptr_t address) {
  if (reads && !record.written && is_shared(address)) report_uninitialised(now, address);
  record.written = record.written || now.writes;
  check(record.write, now, address);
  for (const Access& read : record.reads) check(read, now, address);
  for (const Access& atomic : record.atomics) check(atomic, now, address);
  if (record.has_others) {
    for (const Access& other : detector().others[&record]) check(other, now, address);
  }
  if (now.atomic) return add(record, record.atomics, now);
  if (!now.writes) return add(record, record.reads, now);
  // What comes before this write and conflicts with a later access, does so through this one.
  if (record.has_others) detector().others.erase(&record);
  record = {.write = now, .block = record.block, .written = true};
}
void access(const volatile void* memory, std::size_t bytes, bool reads, bool writes, bool atomic,
            const void* pc) {
  Record** const table = pages.load(std::memory_order_relaxed);
  if (table == nullptr || Quiet::depth() != 0) return;
  auto address = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t end = address + bytes;
  while (address < end) {
    const bool in_shared = is_shared(address);
    Record* const page = in_shared ? nullptr : table[address / kAlignment];
    const std::uintptr_t of_page = (address / kAlignment + 1) * kAlignment;
    const std::uintptr_t stop = (std::min)(end, in_shared ? address + 1 : of_page);
    if (!in_shared && page == nullptr) {
      address = stop;
      continue;
    }
    const Locked locked;
    Detector& d = detector();
    Access now = d.now;
    if (!working) now = {.work = d.host_work.load()};
    now.writes = writes;
    now.atomic = atomic;
    now.pc = reinterpret_cast<std::uint64_t>(pc);
    const Quiet quiet;
    for (; address < stop; ++address) {
      Record& record = in_shared ? shared[address - shared_begin] : page[address % kAlignment];
      if (in_shared && record.block != shared_block) record = {.block = shared_block};
      access_byte(record, now, reads, address);
    }
    if (atomic && working && d.in_kernel && !in_shared) pass_atomic(now, end - bytes, writes);
  }
}

}  // namespace

int& Quiet::depth() {
  static thread_local int depth = 0;
  return depth;
}
Stream::Stream() : number(detector().streams++) {}

void begin_work(Stream& stream) {
  const Locked locked;
  Detector& d = detector();
  d.stream = &stream;
  d.now = {.work = add_work(stream.number, stream.clock)};
  working = true;
  d.quiet_around = std::exchange(Quiet::depth(), 0);  // the toolkit's, which does the work
}
void end_work() {
  working = false;
  Quiet::depth() = detector().quiet_around;
}
void tell(Clock& clock) {
  const Locked locked;
  clock.join(own_clock());
  if (!working) detector().host_work = add_work(0, detector().host);
}
void learn(const Clock& clock) {
  const Locked locked;
  own_clock().join(clock);
}

void begin_launch(const void* kernel, unsigned threads) {
  Detector& d = detector();
  d.in_kernel = true;
  d.kernels.insert(kernel);
  ++d.launches;
  d.fences.clear();
  d.published.clear();
  d.fences_of.assign(threads, 0);
}
void begin_block(unsigned number) {
  Detector& d = detector();
  d.now.block = number;
  d.now.barriers = 0;
  d.known_to_block.clear();
  d.known_to.clear();
  d.observed_by.clear();
  std::fill(d.fences_of.begin(), d.fences_of.end(), 0);
}
void begin_thread(unsigned number) {
  Detector& d = detector();
  d.now.thread = static_cast<std::uint16_t>(number);
  d.now.fences = d.fences_of[number];
}
void pass_barrier() {
  Detector& d = detector();
  ++d.now.barriers;
  for (const auto& [thread, known] : d.known_to) join(d.known_to_block, known);
}
void pass_fence() {
  Detector& d = detector();
  d.fences[d.now.block].push_back({d.now.thread, d.now.barriers, d.now.fences});
  d.now.fences = ++d.fences_of[d.now.thread];
  join(d.known_to[d.now.thread], d.observed_by[d.now.thread]);
}
void end_launch() {
  Detector& d = detector();
  d.in_kernel = false;
  d.now = {.work = d.now.work};
}

void begin_memory(const void* begin, std::size_t bytes) {
  const auto first = reinterpret_cast<std::uintptr_t>(begin) / kAlignment;
  const std::size_t count = (bytes + kAlignment - 1) / kAlignment;
  auto* const records = static_cast<Record*>(
      reserve((std::max)(count, std::size_t{1}) * kAlignment * sizeof(Record)));
  (void)detector();  // it makes the table
  const Locked locked;
  for (std::size_t i = 0; i < count; ++i) pages[first + i] = records + i * kAlignment;
}
void end_memory(const void* begin, std::size_t bytes) {
  const auto first = reinterpret_cast<std::uintptr_t>(begin) / kAlignment;
  const std::size_t count = (bytes + kAlignment - 1) / kAlignment;
  const Locked locked;
  if (count != 0) {
    auto& others = detector().others;
    others.erase(others.lower_bound(pages[first]),
                 others.lower_bound(pages[first] + count * kAlignment));
    munmap(pages[first], count * kAlignment * sizeof(Record));
  }
  for (std::size_t i = 0; i < count; ++i) pages[first + i] = nullptr;
}
void begin_shared_memory(const void* begin, const void* end) {
  const Locked locked;
  shared_begin = reinterpret_cast<std::uintptr_t>(begin);
  shared_bytes = reinterpret_cast<std::uintptr_t>(end) - shared_begin;
  if (shared == nullptr) shared = static_cast<Record*>(reserve(shared_bytes * sizeof(Record)));
  ++shared_block;
}

long found() { return detector().found; }
void expect(bool some) {
  detector().expected = some;
  if (!some) detector().found = 0;
}

}  // namespace standin::races

// --- what the compiler calls --------------------------------------------------------------------

using standin::races::access;

void instrumented::on_access(const Access& seen) {
  access(seen.address, seen.bytes, seen.reads, seen.writes, seen.atomic, seen.from);
}

extern "C" {
// The compiler calls these by name; a loop would be compiled to a call of itself.
void* memcpy(void* to, const void* from, std::size_t bytes) {
  access(from, bytes, true, false, false, __builtin_return_address(0));
  access(to, bytes, false, true, false, __builtin_return_address(0));
  void* at = to;
  asm volatile("rep movsb" : "+D"(at), "+S"(from), "+c"(bytes) : : "memory");
  return to;
}
void* memset(void* to, int value, std::size_t bytes) {
  access(to, bytes, false, true, false, __builtin_return_address(0));
  void* at = to;
  asm volatile("rep stosb" : "+D"(at), "+c"(bytes) : "a"(value) : "memory");
  return to;
}
void* memmove(void* to, const void* from, std::size_t bytes) {
  access(from, bytes, true, false, false, __builtin_return_address(0));
  access(to, bytes, false, true, false, __builtin_return_address(0));
  auto* at = static_cast<char*>(to);
  auto* source = static_cast<const char*>(from);
  if (at <= source || at >= source + bytes) {
    asm volatile("rep movsb" : "+D"(at), "+S"(source), "+c"(bytes) : : "memory");
  } else {
    at += bytes - 1;
    source += bytes - 1;
    asm volatile("std; rep movsb; cld" : "+D"(at), "+S"(source), "+c"(bytes) : : "memory");
  }
  return to;
}
}
