// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// from_dlpack of any struct: amp::Error, and the struct stays the caller's; or the tensor that it
// describes, whose memory is given back once. Which of the two is worked out here a second time.
#include <amp/amp.hpp>
#include <amp/dlpack.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "fuzz/fuzz.hpp"

namespace {

using amp::Tensor;
using Wide = __int128;

constexpr std::int64_t kMemory = 1 << 16;
constexpr int kMostDims = 10;

/// The bytes of every tensor: zeros and ones, so that those of bool are valid.
char* memory() {
  alignas(64) static char bytes[kMemory];
  [[maybe_unused]] static const bool once = [] {
    std::uint32_t state = 1;
    for (char& byte : bytes) byte = static_cast<char>((state = state * 1664525 + 1013904223) >> 31);
    return true;
  }();
  return bytes;
}

/// Reads fields from the bytes of an input; zeros beyond its end.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}

  std::uint8_t byte() { return at_ < size_ ? data_[at_++] : std::uint8_t{0}; }
  /// Mostly small, as what is accepted is, but any number is possible.
  std::int64_t number() {
    const std::uint8_t kind = byte();
    if (kind < 224) return kind % 16;
    if (kind < 240) return -static_cast<std::int64_t>(kind - 224);
    std::uint64_t number = 0;
    for (int i = 0; i < 8; ++i) number = number << 8 | byte();
    return static_cast<std::int64_t>(number);
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_, at_ = 0;
};

struct Described {
  std::int64_t shape[kMostDims] = {}, strides[kMostDims] = {};
  int deleted = 0;
};

/// Fills in the struct, and what it points to.
template <class Managed>
void describe(Input& input, Managed& managed, Described& described) {
  auto& tensor = managed.dl_tensor;
  const std::uint8_t kind = input.byte();
  tensor.data = (kind & 1) != 0 ? nullptr : memory();
  tensor.ndim = (kind & 2) != 0 ? static_cast<std::int32_t>(input.number()) : input.byte() % 5;
  tensor.device = {(kind & 4) != 0 ? static_cast<std::int32_t>(input.number()) : 1,
                   static_cast<std::int32_t>(input.byte())};
  constexpr amp::dlpack::DLDataType kTypes[] = {{2, 64, 1}, {2, 32, 1}, {2, 16, 1}, {4, 16, 1},
                                                {10, 8, 1}, {12, 8, 1}, {0, 64, 1}, {0, 32, 1},
                                                {1, 8, 1},  {6, 8, 1}};
  tensor.dtype = kTypes[input.byte() % std::size(kTypes)];
  if ((kind & 8) != 0) tensor.dtype = {input.byte(), input.byte(), input.byte()};
  tensor.byte_offset = (kind & 16) != 0 ? static_cast<std::uint64_t>(input.number()) : 0;
  for (std::int64_t& extent : described.shape) extent = input.number();
  for (std::int64_t& stride : described.strides) stride = input.number();
  // Beyond what the struct points to nothing may be read, so the arrays end where the sanitizer
  // sees it; a number of dimensions that amp refuses may be any.
  tensor.shape = (kind & 32) != 0 && tensor.ndim == 0 ? nullptr : described.shape;
  tensor.strides = (kind & 64) != 0 ? nullptr : described.strides;
  managed.manager_ctx = &described;
  managed.deleter = [](Managed* self) { ++static_cast<Described*>(self->manager_ctx)->deleted; };
}

std::int64_t bytes_of(const amp::dlpack::DLDataType& type) { return type.bits / 8; }

bool has_dtype(const amp::dlpack::DLDataType& type) {
  const auto is = [&](int code, int bits) { return type.code == code && type.bits == bits; };
  return type.lanes == 1 && (is(2, 64) || is(2, 32) || is(2, 16) || is(4, 16) || is(10, 8) ||
                             is(12, 8) || is(0, 64) || is(0, 32) || is(1, 8) || is(6, 8));
}

/// The stride of dimension d as the struct means it.
Wide stride_of(const amp::dlpack::DLTensor& tensor, int d) {
  if (tensor.strides != nullptr) return tensor.strides[d];
  Wide stride = 1;
  for (int e = d + 1; e < tensor.ndim; ++e) stride *= tensor.shape[e];
  return stride;
}

constexpr Wide kMost = INT64_MAX;

/// Bytes from the first element to the last; -1 if amp must refuse the shape or the strides.
Wide span_of(const amp::dlpack::DLTensor& tensor) {
  Wide numel = 1, span = 1;
  bool empty = false;
  for (int d = 0; d < tensor.ndim; ++d) {
    if (tensor.shape[d] < 0) return -1;
    empty = empty || tensor.shape[d] == 0;
    if (tensor.shape[d] != 0 && (numel *= tensor.shape[d]) > kMost) return -1;  // as amp::Shape
  }
  if (empty) return 0;
  for (int d = 0; d < tensor.ndim; ++d) {
    if (tensor.shape[d] == 1) continue;
    const Wide stride = stride_of(tensor, d);
    if (stride < 0) return -1;
    span += (tensor.shape[d] - 1) * stride;
    if (span > kMost) return -1;
  }
  span *= bytes_of(tensor.dtype);
  return span > kMost ? Wide{-1} : span;
}

/// Whether amp has a tensor like this one.
bool is_valid(const amp::dlpack::DLTensor& tensor) {
  if (tensor.ndim < 0 || tensor.ndim > 8 || !has_dtype(tensor.dtype)) return false;
  if (tensor.device.device_type != 1 && tensor.device.device_type != 3) return false;
  const Wide span = span_of(tensor);
  if (span <= 0) return span == 0;
  const Wide first = Wide{reinterpret_cast<std::uintptr_t>(tensor.data)} + tensor.byte_offset;
  return tensor.data != nullptr && first <= Wide{UINTPTR_MAX} &&
         first % bytes_of(tensor.dtype) == 0;
}

/// The elements, found one by one.
std::string elements_of(const amp::dlpack::DLTensor& tensor, std::int64_t numel) {
  const auto size = static_cast<std::size_t>(bytes_of(tensor.dtype));
  std::string elements;
  for (std::int64_t i = 0; i < numel; ++i) {
    std::int64_t rest = i, offset = 0;
    for (int d = tensor.ndim - 1; d >= 0; rest /= tensor.shape[d--])
      offset += rest % tensor.shape[d] * static_cast<std::int64_t>(stride_of(tensor, d));
    elements.append(static_cast<const char*>(tensor.data) + tensor.byte_offset +
                        static_cast<std::size_t>(offset) * size,
                    size);
  }
  return elements;
}

void check_tensor(const Tensor& x, const amp::dlpack::DLTensor& tensor) {
  fuzz::require(x.dim() == tensor.ndim, "the number of dimensions is the same");
  for (int d = 0; d < x.dim(); ++d)
    fuzz::require(x.size(d) == tensor.shape[d], "the extents are the same");
  const Wide end = Wide{tensor.byte_offset} + span_of(tensor);
  if (x.numel() > 0 && x.numel() <= 4096 && end <= kMemory) {
    const Tensor dense = x.contiguous();
    const std::string elements = elements_of(tensor, x.numel());
    fuzz::require(std::memcmp(dense.raw_data(), elements.data(), elements.size()) == 0,
                  "the elements are the same");
    (void)x.to_vector<double>();
  }
  auto* const exported = amp::to_dlpack<amp::dlpack::DLManagedTensorVersioned>(x);
  const Tensor back = amp::from_dlpack(exported);
  fuzz::require(back.dtype() == x.dtype() && back.shape() == x.shape() &&
                    back.strides() == x.strides() &&
                    (x.numel() == 0 || back.raw_data() == x.raw_data()),
                "an exported tensor comes back as it was");
}

template <class Managed>
void check(Input& input, Managed& managed, bool readable) {
  Described described;
  describe(input, managed, described);
  bool done = false;
  const bool accepted = fuzz::accepted([&] {
    const Tensor x = amp::from_dlpack(&managed);
    fuzz::require(described.deleted == 0, "memory in use is not given back");
    check_tensor(x, managed.dl_tensor);
    done = true;
  });
  fuzz::require(accepted == (readable && is_valid(managed.dl_tensor)), "what fits is accepted");
  fuzz::require(accepted == done && described.deleted == (accepted ? 1 : 0),
                "memory is given back once, and what was refused is the caller's");
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
  std::vector<std::string> seeds;
  for (int kind = 0; kind < 128; kind += 7) {
    std::string seed{'\0', static_cast<char>(kind), '\2', '\1', '\0', '\1', '\3', '\2', '\1'};
    seeds.push_back(seed + std::string(4, '\1') + std::string(20, '\2'));
    seed[0] = '\1';
    seeds.push_back(seed + "\xF0" + std::string(30, '\x7F'));
  }
  fuzz::write_seeds(*count, *arguments, seeds);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  const std::uint8_t kind = input.byte();
  if ((kind & 1) == 0) {
    amp::dlpack::DLManagedTensor managed{};
    check(input, managed, true);
    return 0;
  }
  amp::dlpack::DLManagedTensorVersioned managed{};
  managed.version = {(kind & 2) != 0 ? static_cast<std::uint32_t>(input.number()) : 1, 3};
  managed.flags = (kind & 4) != 0 ? static_cast<std::uint64_t>(input.number()) : 0;
  check(input, managed, managed.version.major == 1 && (managed.flags & 1) == 0);
  return 0;
}
