// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// AMX's instructions as the Intel 64 manual describes them (volume 2), called by the signal that a
// processor without them raises. What that manual forbids ends the program.
#include "amx/emulated.hpp"

#undef __get_cpuid_count

#include <dlfcn.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdarg>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace amx_emulated {
namespace {

constexpr int kTiles = 8, kRows = 16, kRowBytes = 64;

struct Tiles {
  bool configured;
  int rows[kTiles], row_bytes[kTiles];
  unsigned char data[kTiles][kRows][kRowBytes];
};
thread_local Tiles tiles;
std::atomic<bool> permitted{false};
std::atomic<long> counts[2] = {};

void require(bool holds, const char* what) {
  if (holds) return;
  constexpr char kWho[] = "AMX, emulated: ";
  (void)!write(2, kWho, sizeof kWho - 1);
  (void)!write(2, what, std::strlen(what));
  (void)!write(2, "\n", 1);
  std::abort();
}

/// Subnormal numbers count as 0.
float flushed(float value) {
  return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0F, value) : value;
}
float of_bfloat16(const unsigned char* bytes) {
  const std::uint32_t bits = static_cast<std::uint32_t>(bytes[1] << 24 | bytes[0] << 16);
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return flushed(value);
}
float of_float16(const unsigned char* bytes) {
  const int bits = bytes[1] << 8 | bytes[0], exponent = bits >> 10 & 31, fraction = bits & 1023;
  float value = exponent == 31  ? (fraction != 0 ? NAN : INFINITY)
                : exponent == 0 ? std::ldexp(static_cast<float>(fraction), -24)
                                : std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
  return (bits & 0x8000) != 0 ? -value : value;
}

/// sums += a @ b: the even and the odd elements of words are summed apart.
void multiply(int sums, int a, int b, bool of_float16_pairs) {
  require(sums != a && a != b && sums != b, "factors and sums are different tiles");
  require(tiles.row_bytes[sums] == tiles.row_bytes[b] && tiles.rows[sums] == tiles.rows[a] &&
              tiles.row_bytes[a] == 4 * tiles.rows[b],
          "the sizes of factors and sums fit");
  const auto value = of_float16_pairs ? of_float16 : of_bfloat16;
  for (int row = 0; row < tiles.rows[sums]; ++row) {
    for (int column = 0; column < tiles.row_bytes[sums] / 4; ++column) {
      float parts[2] = {0, 0};
      for (int k = 0; k < tiles.rows[b]; ++k) {
        for (int half = 0; half < 2; ++half) {
          const float product = value(&tiles.data[a][row][4 * k + 2 * half]) *
                                value(&tiles.data[b][k][4 * column + 2 * half]);
          parts[half] = flushed(parts[half] + product);
        }
      }
      float sum;
      std::memcpy(&sum, &tiles.data[sums][row][4 * column], sizeof sum);
      sum = flushed(flushed(sum) + flushed(parts[0] + parts[1]));
      std::memcpy(&tiles.data[sums][row][4 * column], &sum, sizeof sum);
    }
  }
  counts[of_float16_pairs].fetch_add(1, std::memory_order_relaxed);
}

void configure(const unsigned char* from) {
  require(permitted, "the process has asked for permission");
  require(from[0] == 1 && from[1] == 0, "the palette is 1, the first row 0");
  for (int i = 2; i < 64; ++i) {
    const bool reserved = i < 16 || (i >= 32 && i < 48) || i >= 56;
    require(!reserved || from[i] == 0, "reserved bytes are 0");
  }
  for (int i = 0; i < kTiles; ++i) {
    tiles.row_bytes[i] = from[16 + 2 * i] | from[17 + 2 * i] << 8;
    tiles.rows[i] = from[48 + i];
    require(tiles.row_bytes[i] <= kRowBytes && tiles.rows[i] <= kRows, "tiles are not too large");
  }
  std::memset(tiles.data, 0, sizeof tiles.data);
  tiles.configured = true;
}

/// Decodes an instruction with the prefix VEX.128.0F38.W0, and does it.
class Instruction {
 public:
  Instruction(const unsigned char* code, const greg_t* registers)
      : code_(code), registers_(registers), next_(code + 5) {}

  /// Returns the instruction after it, or null if it is none of AMX's.
  const unsigned char* run() {
    const bool known = code_[0] == 0xc4 && (code_[1] & 31) == 2 && (code_[2] & 0x84) == 0;
    const int operation = known ? code_[3] : 0;
    if (operation != 0x49 && operation != 0x4b && operation != 0x5c) return nullptr;
    const int prefix = code_[2] & 3, mode = code_[4] >> 6, tile = code_[4] >> 3 & 7;
    if (operation == 0x49 && mode != 3) {
      require(prefix == 0 && tile == 0, "ldtilecfg");
      configure(address());
      return next_;
    }
    require(tiles.configured, "the tiles are configured");
    if (operation == 0x49) {
      require((prefix == 0 && code_[4] == 0xc0) || (prefix == 3 && (code_[4] & 7) == 0),
              "tilerelease or tilezero");
      if (prefix == 0) tiles.configured = false;
      if (prefix == 3) std::memset(tiles.data[tile], 0, sizeof tiles.data[tile]);
    } else if (operation == 0x5c) {
      require(mode == 3 && prefix >= 2, "tdpbf16ps or tdpfp16ps");
      multiply(tile, code_[4] & 7, 15 - (code_[2] >> 3 & 15), prefix == 3);
    } else {
      require(mode != 3 && (code_[4] & 7) == 4 && prefix >= 2, "tileloadd or tilestored");
      transfer(tile, prefix == 3);
    }
    return next_;
  }

 private:
  void transfer(int tile, bool loads) {
    const unsigned char* memory = address();
    if (loads) std::memset(tiles.data[tile], 0, sizeof tiles.data[tile]);
    for (int row = 0; row < tiles.rows[tile]; ++row, memory += index_) {
      const auto bytes = static_cast<std::size_t>(tiles.row_bytes[tile]);
      if (loads)
        std::memcpy(tiles.data[tile][row], memory, bytes);
      else
        std::memcpy(const_cast<unsigned char*>(memory), tiles.data[tile][row], bytes);
    }
  }

  /// Returns the operand in memory, without its index, which is the distance of rows.
  const unsigned char* address() {
    const int mode = code_[4] >> 6, name = code_[4] & 7;
    std::int64_t place = 0;
    bool only_displaced = mode == 0 && name == 5;  // from the next instruction on
    const bool relative = only_displaced;
    if (name == 4) {
      const int sib = *next_++, base = sib & 7, index = (sib >> 3 & 7) | (code_[1] & 0x40 ? 0 : 8);
      if (index != 4) index_ = value_of(index) << (sib >> 6);
      only_displaced = mode == 0 && base == 5;
      if (!only_displaced) place = value_of(base | (code_[1] & 0x20 ? 0 : 8));
    } else if (!relative) {
      place = value_of(name | (code_[1] & 0x20 ? 0 : 8));
    }
    if (mode == 1) {
      place += static_cast<signed char>(*next_++);
    } else if (mode == 2 || only_displaced) {
      std::int32_t displacement;
      std::memcpy(&displacement, next_, sizeof displacement);
      next_ += sizeof displacement;
      place += displacement;
    }
    if (relative) place += reinterpret_cast<std::int64_t>(next_);
    return reinterpret_cast<const unsigned char*>(place);
  }

  std::int64_t value_of(int number) const {
    constexpr int kNames[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                              REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                              REG_R12, REG_R13, REG_R14, REG_R15};
    return registers_[kNames[number]];
  }

  const unsigned char* const code_;
  const greg_t* const registers_;
  const unsigned char* next_;
  std::int64_t index_ = 0;
};

void on_illegal_instruction(int, siginfo_t*, void* context) {
  greg_t* const registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  Instruction instruction(reinterpret_cast<const unsigned char*>(registers[REG_RIP]), registers);
  const unsigned char* const next = instruction.run();
  require(next != nullptr, "an illegal instruction that is none of AMX's");
  registers[REG_RIP] = reinterpret_cast<greg_t>(next);
}

constexpr unsigned kTile = 1u << 24, kBfloat16 = 1u << 22, kFloat16 = 1u << 21;

const bool started = [] {
  if (is_native()) return false;
  struct sigaction action = {};
  action.sa_sigaction = on_illegal_instruction;
  action.sa_flags = SA_SIGINFO;
  return ::sigaction(SIGILL, &action, nullptr) == 0;
}();

}  // namespace

bool is_native() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (d & kTile) != 0;
}
long count(bool of_float16_pairs) { return counts[of_float16_pairs]; }
bool is_configured() { return tiles.configured; }

int cpuid(unsigned leaf, unsigned part, unsigned* a, unsigned* b, unsigned* c, unsigned* d) {
  const int known = __get_cpuid_count(leaf, part, a, b, c, d);
  if (started && leaf == 7 && part == 0) *d |= kTile | kBfloat16;
  if (started && leaf == 7 && part == 1) *a |= kFloat16;
  return known;
}

}  // namespace amx_emulated

/// Stands before the C library's, so that Linux is not asked for what the processor lacks.
extern "C" long syscall(long number, ...) noexcept {
  long arguments[6];
  std::va_list list;
  va_start(list, number);
  for (long& argument : arguments) argument = va_arg(list, long);
  va_end(list);
  constexpr long kRequestPermission = 0x1023, kTileData = 18;
  if (amx_emulated::started && number == SYS_arch_prctl && arguments[0] == kRequestPermission) {
    amx_emulated::require(arguments[1] == kTileData, "permission is asked for the tiles");
    amx_emulated::permitted = true;
    return 0;
  }
  register long r10 __asm__("r10") = arguments[3];
  register long r8 __asm__("r8") = arguments[4];
  register long r9 __asm__("r9") = arguments[5];
  long result = number;
  __asm__ volatile("syscall"
                   : "+a"(result)
                   : "D"(arguments[0]), "S"(arguments[1]), "d"(arguments[2]), "r"(r10), "r"(r8),
                     "r"(r9)
                   : "rcx", "r11", "memory");
  if (result > -4096 && result < 0) {
    errno = static_cast<int>(-result);
    return -1;
  }
  return result;
}

/// Stands before the C library's. Catch would take the signal for itself.
extern "C" int sigaction(int signal, const struct sigaction* action,
                         struct sigaction* old) noexcept {
  static const auto next = reinterpret_cast<decltype(&sigaction)>(::dlsym(RTLD_NEXT, "sigaction"));
  return next(signal, signal == SIGILL && amx_emulated::started ? nullptr : action, old);
}
