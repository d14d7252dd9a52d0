// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// programs < PROGRAMS > RESULTS: runs programs that programs.py drew. A program is the line
// "program NUMBER AUTOCAST", lines of instructions, and "end". An instruction is
//
//   NAME COUNT {REGISTER}... COUNT {INTEGER}... COUNT {FLOAT}...
//
// Registers are tensors. What returns a tensor makes the next register; what writes in place does
// not. The result is "program NUMBER", then for each register "DTYPE DIMS {SIZE}... {VALUE}...", and
// for each leaf that has a gradient "gradient REGISTER" and the same; or "error INSTRUCTION MESSAGE".
#include <amp/amp.hpp>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <iostream>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

using amp::DType;
using amp::Tensor;
using amp::indexing::Ellipsis;
using amp::indexing::None;
using amp::indexing::Slice;

struct Instruction {
  std::string name;
  std::vector<std::size_t> registers;
  std::vector<std::int64_t> integers;
  std::vector<double> floats;
};

template <class T>
std::vector<T> read_list(std::istream& in) {
  std::size_t count = 0;
  in >> count;
  std::vector<T> values(count);
  for (T& value : values) in >> value;
  return values;
}

DType dtype_named(std::string_view name) {
  for (int d = 0; d < amp::kDTypeCount; ++d) {
    if (amp::name(static_cast<DType>(d)) == name) return static_cast<DType>(d);
  }
  throw std::runtime_error("programs: no such dtype");
}

/// The registers of a program, and its instructions by name.
class Machine {
 public:
  void run(const Instruction& i) {
    const auto found = table().find(i.name);
    if (found == table().end())
      throw std::runtime_error("programs: no such instruction: " + i.name);
    found->second(*this, i);
  }
  const std::vector<Tensor>& registers() const { return registers_; }
  /// Whether the register was made as a leaf: a view of the same shape may be the leaf itself.
  bool is_leaf(std::size_t r) const { return leaves_.contains(r); }
  /// sum of all floating-point registers, each times its number plus 1
  void backward() const {
    Tensor loss = amp::zeros({}, {.dtype = amp::kFloat64});
    for (std::size_t r = 0; r < registers_.size(); ++r) {
      if (registers_[r].requires_grad())
        loss = loss + registers_[r].to(amp::kFloat64).sum() * static_cast<double>(r + 1);
    }
    if (loss.requires_grad()) loss.backward();
  }

 private:
  using Action = std::function<void(Machine&, const Instruction&)>;
  const Tensor& of(const Instruction& i, std::size_t k) const {
    return registers_.at(i.registers.at(k));
  }
  void push(Tensor tensor) { registers_.push_back(std::move(tensor)); }

  /// The table of instructions; dtypes come by their number.
  static const std::map<std::string, Action, std::less<>>& table();
  static std::map<std::string, Action, std::less<>> made();

  std::vector<Tensor> registers_;
  std::set<std::size_t> leaves_;
};

// clang-format off
std::map<std::string, Machine::Action, std::less<>> Machine::made() {
  std::map<std::string, Action, std::less<>> t;
  const auto view = [&](const char* name, auto f) {
    t[name] = [f](Machine& m, const Instruction& i) { m.push(f(m.of(i, 0), i.integers)); };
  };
  const auto one = [&](const char* name, auto f) {  // of one tensor: new, or in place
    t[name] = [f](Machine& m, const Instruction& i) { m.push(f(m.of(i, 0))); };
  };
  const auto in_place = [&](const char* name, auto f) {
    t[name] = [f](Machine& m, const Instruction& i) { f(m, i, m.of(i, 0)); };
  };
  // leaf: integers are dtype, requires_grad, and the shape; floats are its values
  t["leaf"] = [](Machine& m, const Instruction& i) {
    const std::vector<std::int64_t> shape(i.integers.begin() + 2, i.integers.end());
    const Tensor x = amp::tensor(i.floats, amp::Shape(shape), {.dtype = static_cast<DType>(i.integers[0])});
    m.leaves_.insert(m.registers_.size());
    m.push(i.integers[1] != 0 ? x.requires_grad_() : x);
  };

  view("transpose", [](const Tensor& x, auto& n) { return x.transpose(n[0], n[1]); });
  view("select", [](const Tensor& x, auto& n) { return x.select(n[0], n[1]); });
  view("narrow", [](const Tensor& x, auto& n) { return x.narrow(n[0], n[1], n[2]); });
  view("slice", [](const Tensor& x, auto& n) { return x.slice(n[0], n[1], n[2], n[3]); });
  view("unsqueeze", [](const Tensor& x, auto& n) { return x.unsqueeze(n[0]); });
  view("squeeze", [](const Tensor& x, auto&) { return x.squeeze(); });
  view("view", [](const Tensor& x, auto& n) { return x.view(amp::Shape(n)); });
  view("reshape", [](const Tensor& x, auto& n) { return x.reshape(amp::Shape(n)); });
  view("expand", [](const Tensor& x, auto& n) { return x.expand(amp::Shape(n)); });
  view("diagonal", [](const Tensor& x, auto&) { return x.diagonal(); });
  view("detach", [](const Tensor& x, auto&) { return x.detach(); });
  view("subscript", [](const Tensor& x, auto& n) { return x[n[0]]; });
  view("chunk", [](const Tensor& x, auto& n) { return x.chunk(n[0], n[1]).at(static_cast<std::size_t>(n[2])); });
  view("index.first", [](const Tensor& x, auto& n) { return x.index({n[0], Ellipsis, None}); });
  view("index.last", [](const Tensor& x, auto& n) { return x.index({Ellipsis, Slice(n[0], n[1], n[2])}); });
  view("index.both", [](const Tensor& x, auto& n) { return x.index({Slice(n[0]), None, n[1]}); });
  view("t", [](const Tensor& x, auto&) { return x.T(); });
  t["view_without_grad"] = [](Machine& m, const Instruction& i) { const amp::NoGradGuard no_grad; m.push(m.of(i, 0).select(0, 0)); };

  one("clone", [](const Tensor& x) { return x.clone(); });
  one("sin", [](const Tensor& x) { return x.sin(); });
  one("exp", [](const Tensor& x) { return x.exp(); });
  one("tanh", [](const Tensor& x) { return x.tanh(); });
  one("relu", [](const Tensor& x) { return x.relu(); });
  one("square", [](const Tensor& x) { return x.square(); });
  one("sum", [](const Tensor& x) { return x.sum(); });
  one("positive", [](const Tensor& x) { return x > 0; });
  view("sum.dim", [](const Tensor& x, auto& n) { return x.sum(n[0], n[1] != 0); });
  view("mean.dim", [](const Tensor& x, auto& n) { return x.mean({n[0]}, n[1] != 0); });
  view("to", [](const Tensor& x, auto& n) { return x.to(static_cast<DType>(n[0])); });
  t["add"] = [](Machine& m, const Instruction& i) { m.push(m.of(i, 0) + m.of(i, 1)); };
  t["mul"] = [](Machine& m, const Instruction& i) { m.push(m.of(i, 0) * m.of(i, 1)); };
  t["scale"] = [](Machine& m, const Instruction& i) { m.push(m.of(i, 0) * i.floats[0]); };
  t["matmul"] = [](Machine& m, const Instruction& i) { m.push(m.of(i, 0).matmul(m.of(i, 1))); };
  t["index"] = [](Machine& m, const Instruction& i) { m.push(m.of(i, 0)[m.of(i, 1)]); };
  t["index.tensor"] = [](Machine& m, const Instruction& i) { m.push(m.of(i, 0).index({Slice(), m.of(i, 1)})); };
  t["masked_select"] = [](Machine& m, const Instruction& i) { m.push(m.of(i, 0).index({m.of(i, 1)})); };

#define AMP_UNARY(f) in_place(#f, [](Machine&, const Instruction&, const Tensor& x) { x.f(); });
  AMP_UNARY(zero_) AMP_UNARY(abs_) AMP_UNARY(neg_) AMP_UNARY(square_) AMP_UNARY(sin_) AMP_UNARY(exp_) AMP_UNARY(tanh_)
  AMP_UNARY(sigmoid_) AMP_UNARY(relu_) AMP_UNARY(floor_) AMP_UNARY(cos_) AMP_UNARY(tril_) AMP_UNARY(triu_)
#undef AMP_UNARY
#define AMP_BINARY(f) in_place(#f, [](Machine& m, const Instruction& i, const Tensor& x) { x.f(m.of(i, 1)); });
  AMP_BINARY(add_) AMP_BINARY(sub_) AMP_BINARY(mul_) AMP_BINARY(div_) AMP_BINARY(copy_)
#undef AMP_BINARY
#define AMP_NUMBER(name, expression) in_place(name, [](Machine&, const Instruction& i, const Tensor& x) { const double n = i.floats[0]; expression; });
  AMP_NUMBER("add.number_", x += n) AMP_NUMBER("sub.number_", x -= n) AMP_NUMBER("mul.number_", x *= n) AMP_NUMBER("div.number_", x /= n)
  AMP_NUMBER("fill_", x.fill_(n)) AMP_NUMBER("pow_", x.pow_(n)) AMP_NUMBER("clamp_min_", x.clamp_min_(n)) AMP_NUMBER("clamp_", x.clamp_(-n, n))
#undef AMP_NUMBER
  in_place("add.alpha_", [](Machine& m, const Instruction& i, const Tensor& x) { x.add_(m.of(i, 1), i.floats[0]); });
  in_place("+=", [](Machine& m, const Instruction& i, const Tensor& x) { x += m.of(i, 1); });
  in_place("*=", [](Machine& m, const Instruction& i, const Tensor& x) { x *= m.of(i, 1); });
  in_place("lerp_", [](Machine& m, const Instruction& i, const Tensor& x) { x.lerp_(m.of(i, 1), i.floats[0]); });
  in_place("addcmul_", [](Machine& m, const Instruction& i, const Tensor& x) { x.addcmul_(m.of(i, 1), m.of(i, 2), i.floats[0]); });
  in_place("masked_fill_", [](Machine& m, const Instruction& i, const Tensor& x) { x.masked_fill_(m.of(i, 1), i.floats[0]); });
  in_place("cumsum_", [](Machine&, const Instruction& i, const Tensor& x) { x.cumsum_(i.integers[0]); });
  in_place("index_add_", [](Machine& m, const Instruction& i, const Tensor& x) { x.index_add_(i.integers[0], m.of(i, 1), m.of(i, 2), i.floats[0]); });
  in_place("index_fill_", [](Machine& m, const Instruction& i, const Tensor& x) { x.index_fill_(i.integers[0], m.of(i, 1), i.floats[0]); });
  in_place("fill_diagonal_", [](Machine&, const Instruction& i, const Tensor& x) { x.fill_diagonal_(i.floats[0]); });
  in_place("put.number", [](Machine&, const Instruction& i, const Tensor& x) { x.index_put_({i.integers[0]}, i.floats[0]); });
  in_place("put.slice", [](Machine& m, const Instruction& i, const Tensor& x) { x.index_put_({Ellipsis, Slice(i.integers[0], None, i.integers[1])}, m.of(i, 1)); });
  in_place("put.tensor", [](Machine& m, const Instruction& i, const Tensor& x) { x.index_put_({m.of(i, 1)}, m.of(i, 2), i.integers[0] != 0); });
  in_place("put.column", [](Machine& m, const Instruction& i, const Tensor& x) { x.index_put_({Slice(), m.of(i, 1)}, m.of(i, 2)); });
  in_place("assign", [](Machine& m, const Instruction& i, const Tensor& x) { x[i.integers[0]] = m.of(i, 1); });
  in_place("assign.number", [](Machine&, const Instruction& i, const Tensor& x) { x[i.integers[0]] = i.floats[0]; });
  in_place("without_grad.mul_", [](Machine&, const Instruction& i, const Tensor& x) { const amp::NoGradGuard no_grad; x.mul_(i.floats[0]); });
  in_place("without_grad.copy_", [](Machine& m, const Instruction& i, const Tensor& x) { const amp::NoGradGuard no_grad; x.copy_(m.of(i, 1)); });
  return t;
}
// clang-format on

const std::map<std::string, Machine::Action, std::less<>>& Machine::table() {
  static const auto made_once = made();
  return made_once;
}

void print(const Tensor& tensor) {
  std::cout << amp::name(tensor.dtype()) << ' ' << tensor.dim();
  for (const std::int64_t extent : tensor.shape()) std::cout << ' ' << extent;
  for (const double value : tensor.detach().to_vector<double>()) {
    char text[40];
    std::snprintf(text, sizeof text, " %.17g", value);
    std::cout << text;
  }
  std::cout << '\n';
}

void run(const std::vector<Instruction>& program) {
  Machine machine;
  std::size_t at = 0;
  try {
    for (; at < program.size(); ++at) machine.run(program[at]);
    machine.backward();
  } catch (const amp::Error& error) {
    std::string text = error.what();
    for (char& c : text) c = c == '\n' ? ' ' : c;
    std::cout << "error " << at << ' ' << text << '\n';
    return;
  }
  for (const Tensor& tensor : machine.registers()) print(tensor);
  for (std::size_t r = 0; r < machine.registers().size(); ++r) {
    const Tensor& tensor = machine.registers()[r];
    if (!machine.is_leaf(r) || !tensor.requires_grad() || !tensor.grad().defined()) continue;
    std::cout << "gradient " << r << ' ';
    print(tensor.grad());
  }
}

}  // namespace

int main() {
  std::string word, number, autocast;
  while (std::cin >> word >> number >> autocast) {
    std::cin >> std::ws;
    std::vector<Instruction> program;
    for (std::string line; std::getline(std::cin, line) && line != "end";) {
      std::istringstream in(line);
      Instruction& i = program.emplace_back();
      in >> i.name;
      i.registers = read_list<std::size_t>(in);
      i.integers = read_list<std::int64_t>(in);
      i.floats = read_list<double>(in);
    }
    std::cout << "program " << number << '\n';
    if (autocast == "none") {
      run(program);
    } else {
      const amp::AutocastGuard scope(amp::kCPU, {.dtype = dtype_named(autocast)});
      run(program);
    }
  }
}
