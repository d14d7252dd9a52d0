// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// In which precision each op runs under autocast: PyTorch's list for CUDA (torch/csrc,
// autocast_mode; version 2.6), for all devices. Ops that are not listed by name here do not exist
// for policies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace amp::inline v0 {

enum class OpPolicy : std::uint8_t {
  kLowPrecision,  ///< inputs cast to the scope's dtype, and so the result
  kFloat32,       ///< inputs cast to float32, float32 result
  kFloat32Math,   ///< computed in float32, the result rounded to the input's dtype
  kPromote,       ///< inputs cast to the widest dtype among them
  kPassthrough,   ///< inputs as they are
};

namespace autocasting {

struct ListedOp {
  std::string_view name;
  OpPolicy policy;
};

inline constexpr ListedOp kOpList[] = {
    // Products: tensor cores multiply 16-bit operands and accumulate in float32.
    {"matmul", OpPolicy::kLowPrecision},
    {"bmm", OpPolicy::kLowPrecision},
    {"linear", OpPolicy::kLowPrecision},
    {"conv2d", OpPolicy::kLowPrecision},
    // Functions that leave the range of 16 bits, or whose small differences matter.
    {"exp", OpPolicy::kFloat32},
    {"log", OpPolicy::kFloat32},
    {"pow", OpPolicy::kFloat32},
    {"softmax", OpPolicy::kFloat32},
    {"log_softmax", OpPolicy::kFloat32},
    {"cross_entropy", OpPolicy::kFloat32},
    {"sum", OpPolicy::kFloat32},
    // As precise in 16 bits as their inputs are; where dtypes mix, ordinary promotion rules.
    {"add", OpPolicy::kPassthrough},
    {"sub", OpPolicy::kPassthrough},
    {"mul", OpPolicy::kPassthrough},
    {"div", OpPolicy::kPassthrough},
    {"neg", OpPolicy::kPassthrough},
    {"abs", OpPolicy::kPassthrough},
    {"sqrt", OpPolicy::kPassthrough},
    {"tanh", OpPolicy::kPassthrough},
    {"sigmoid", OpPolicy::kPassthrough},
    {"relu", OpPolicy::kPassthrough},
    {"mean", OpPolicy::kPassthrough},
    {"argmax", OpPolicy::kPassthrough},
    {"max_pool2d", OpPolicy::kPassthrough},
    {"index_select", OpPolicy::kPassthrough},
    {"eq", OpPolicy::kPassthrough},
    {"ne", OpPolicy::kPassthrough},
    {"lt", OpPolicy::kPassthrough},
    {"le", OpPolicy::kPassthrough},
    {"gt", OpPolicy::kPassthrough},
    {"ge", OpPolicy::kPassthrough},
};
inline constexpr int kListedOps = static_cast<int>(sizeof(kOpList) / sizeof(kOpList[0]));
inline constexpr int kMaxOps = 128;  // the listed ones, and those users register

/// An op by its place in the list: policies are looked up by index. An unknown name does not
/// compile.
struct OpId {
  std::uint8_t index;
  consteval OpId(const char* name) : index(0) {
    while (kOpList[index].name != name) ++index;
  }
  constexpr explicit OpId(int registered) : index(static_cast<std::uint8_t>(registered)) {}
};

}  // namespace autocasting
}  // namespace amp::inline v0
