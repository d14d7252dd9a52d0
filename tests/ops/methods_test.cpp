// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Each member of Tensor that is an op gives what the function of its name gives; and each that
// writes in place, the same in the tensor.
#include <amp/amp.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"
#include "support/error_of.hpp"
#include "support/numbers.hpp"

namespace methods_test {
namespace {

using amp::Tensor;
using amp_test::same_bits;
using Catch::Matchers::ContainsSubstring;

struct Row {
  std::string_view name;
  std::function<Tensor(const Tensor&x)> member, function;
};

/// Above 0 and below 1, of which all functions are finite.
Tensor fractions(const amp::Shape& shape) {
  return amp_test::numbers(shape, 3, amp::kFloat32).abs() * 0.5 + 0.125;
}
const Tensor other = amp_test::numbers({3, 4}, 5, amp::kFloat32);
const Tensor square = amp_test::numbers({4, 4}, 7, amp::kFloat32);
const Tensor mask = other > 0;
const Tensor places = amp::tensor({0, 2, 1, 0}, {1, 4});
const Tensor rows = amp::tensor({2, 0}, 2);
const Tensor two_rows = amp_test::numbers({2, 4}, 9, amp::kFloat32);
const Tensor weights = amp_test::numbers({4}, 2, amp::kFloat32);

// clang-format off
#define AMP_METHOD_UNARY(f) {#f, [](const Tensor& x) { return x.f(); }, [](const Tensor& x) { return amp::f(x); }}
#define AMP_METHOD_BINARY(f) {#f, [](const Tensor& x) { return x.f(other); }, [](const Tensor& x) { return amp::f(x, other); }}
#define AMP_METHOD_NUMBER(f) {#f " number", [](const Tensor& x) { return x.f(2); }, [](const Tensor& x) { return amp::f(x, 2); }}
#define AMP_METHOD_CALL(f, ...) {#f, [](const Tensor& x) { return x.f(__VA_ARGS__); }, [](const Tensor& x) { return amp::f(x, __VA_ARGS__); }}
#define AMP_METHOD_PART(f, part, ...) {#f, [](const Tensor& x) { return x.f(__VA_ARGS__).part; }, [](const Tensor& x) { return amp::f(x, __VA_ARGS__).part; }}
const std::vector<Row> kMembers = {
    AMP_METHOD_UNARY(abs), AMP_METHOD_UNARY(neg), AMP_METHOD_UNARY(sign), AMP_METHOD_UNARY(square), AMP_METHOD_UNARY(sqrt), AMP_METHOD_UNARY(rsqrt), AMP_METHOD_UNARY(reciprocal),
    AMP_METHOD_UNARY(exp), AMP_METHOD_UNARY(expm1), AMP_METHOD_UNARY(log), AMP_METHOD_UNARY(log1p), AMP_METHOD_UNARY(log2), AMP_METHOD_UNARY(log10), AMP_METHOD_UNARY(sin),
    AMP_METHOD_UNARY(cos), AMP_METHOD_UNARY(tan), AMP_METHOD_UNARY(asin), AMP_METHOD_UNARY(acos), AMP_METHOD_UNARY(atan), AMP_METHOD_UNARY(sinh), AMP_METHOD_UNARY(cosh),
    AMP_METHOD_UNARY(tanh), AMP_METHOD_UNARY(erf), AMP_METHOD_UNARY(erfinv), AMP_METHOD_UNARY(floor), AMP_METHOD_UNARY(ceil), AMP_METHOD_UNARY(round), AMP_METHOD_UNARY(trunc),
    AMP_METHOD_UNARY(sigmoid), AMP_METHOD_UNARY(relu), AMP_METHOD_UNARY(isnan), AMP_METHOD_UNARY(isinf), AMP_METHOD_UNARY(isfinite), AMP_METHOD_UNARY(logical_not),
    AMP_METHOD_CALL(clamp, 0.25, 0.5), AMP_METHOD_CALL(clip, 0.25, 0.5), AMP_METHOD_CALL(clamp_min, 0.25), AMP_METHOD_CALL(clamp_max, 0.5), AMP_METHOD_CALL(clamp, other, other),
    AMP_METHOD_CALL(nan_to_num, 1.0), AMP_METHOD_CALL(softmax, 1), AMP_METHOD_CALL(log_softmax, 0),
    AMP_METHOD_BINARY(add), AMP_METHOD_BINARY(sub), AMP_METHOD_BINARY(mul), AMP_METHOD_BINARY(div), AMP_METHOD_BINARY(pow), AMP_METHOD_BINARY(fmod), AMP_METHOD_BINARY(remainder),
    AMP_METHOD_BINARY(eq), AMP_METHOD_BINARY(ne), AMP_METHOD_BINARY(lt), AMP_METHOD_BINARY(le), AMP_METHOD_BINARY(gt), AMP_METHOD_BINARY(ge), AMP_METHOD_BINARY(maximum),
    AMP_METHOD_BINARY(minimum), AMP_METHOD_BINARY(atan2), AMP_METHOD_BINARY(logical_and), AMP_METHOD_BINARY(logical_or), AMP_METHOD_BINARY(logical_xor),
    AMP_METHOD_NUMBER(add), AMP_METHOD_NUMBER(sub), AMP_METHOD_NUMBER(mul), AMP_METHOD_NUMBER(div), AMP_METHOD_NUMBER(pow), AMP_METHOD_NUMBER(fmod), AMP_METHOD_NUMBER(remainder),
    AMP_METHOD_NUMBER(eq), AMP_METHOD_NUMBER(ne), AMP_METHOD_NUMBER(lt), AMP_METHOD_NUMBER(le), AMP_METHOD_NUMBER(gt), AMP_METHOD_NUMBER(ge),
    AMP_METHOD_CALL(lerp, other, 0.25), AMP_METHOD_CALL(lerp, other, other),
    {"addcmul", [](const Tensor& x) { return x.addcmul(other, other, 3); }, [](const Tensor& x) { return amp::addcmul(x, other, other, {.value = 3}); }},
    {"addcdiv", [](const Tensor& x) { return x.addcdiv(other, x, 3); }, [](const Tensor& x) { return amp::addcdiv(x, other, x, {.value = 3}); }},
    {"where", [](const Tensor& x) { return x.where(mask, other); }, [](const Tensor& x) { return amp::where(mask, x, other); }},
    AMP_METHOD_CALL(masked_fill, mask, 2), AMP_METHOD_CALL(masked_fill, mask, amp::full({}, 3)),
    AMP_METHOD_CALL(matmul, square), AMP_METHOD_CALL(mm, square), AMP_METHOD_CALL(mv, weights),
    {"bmm", [](const Tensor& x) { return x.unsqueeze(0).bmm(square.unsqueeze(0)); }, [](const Tensor& x) { return amp::bmm(x.unsqueeze(0), square.unsqueeze(0)); }},
    {"dot", [](const Tensor& x) { return x[0].dot(weights); }, [](const Tensor& x) { return amp::dot(x[0], weights); }},
    {"outer", [](const Tensor& x) { return x[0].outer(weights); }, [](const Tensor& x) { return amp::outer(x[0], weights); }},
    AMP_METHOD_UNARY(sum), AMP_METHOD_UNARY(mean), AMP_METHOD_UNARY(var), AMP_METHOD_UNARY(std), AMP_METHOD_UNARY(prod), AMP_METHOD_UNARY(any), AMP_METHOD_UNARY(all), AMP_METHOD_UNARY(argmax),
    AMP_METHOD_UNARY(argmin), AMP_METHOD_UNARY(median), AMP_METHOD_UNARY(norm), AMP_METHOD_UNARY(count_nonzero), AMP_METHOD_UNARY(amax), AMP_METHOD_UNARY(amin), AMP_METHOD_UNARY(nonzero),
    {"max", [](const Tensor& x) { return (x.max)(); }, [](const Tensor& x) { return (amp::max)(x); }},
    {"min", [](const Tensor& x) { return (x.min)(); }, [](const Tensor& x) { return (amp::min)(x); }},
    AMP_METHOD_CALL(sum, 1, true), AMP_METHOD_CALL(sum, {0, 1}), AMP_METHOD_CALL(mean, {0, 1}), AMP_METHOD_CALL(mean, 0), AMP_METHOD_CALL(var, 1, 0), AMP_METHOD_CALL(std, 1, 0, true), AMP_METHOD_CALL(prod, 1),
    AMP_METHOD_CALL(logsumexp, 1), AMP_METHOD_CALL(norm, 1, 0), AMP_METHOD_CALL(any, 1), AMP_METHOD_CALL(all, 1), AMP_METHOD_CALL(amax, 1), AMP_METHOD_CALL(amin, 0, true), AMP_METHOD_CALL(argmax, 1), AMP_METHOD_CALL(argmin, 1, true),
    AMP_METHOD_PART(median, values, 1), AMP_METHOD_PART(sort, indices, 1, true), AMP_METHOD_CALL(argsort, 0), AMP_METHOD_PART(topk, values, 2, 1, false),
    {"max of dim", [](const Tensor& x) { return (x.max)(1).indices; }, [](const Tensor& x) { return (amp::max)(x, 1).indices; }},
    {"min of dim", [](const Tensor& x) { return (x.min)(1, true).values; }, [](const Tensor& x) { return (amp::min)(x, 1, true).values; }},
    AMP_METHOD_CALL(cumsum, 1), AMP_METHOD_CALL(cumprod, 1),
    {"T", [](const Tensor& x) { return x.T(); }, [](const Tensor& x) { return x.transpose(0, 1); }},
    {"mT", [](const Tensor& x) { return x.mT(); }, [](const Tensor& x) { return x.transpose(0, 1); }},
    AMP_METHOD_CALL(repeat, {2, 1}), AMP_METHOD_CALL(tile, {2}), AMP_METHOD_CALL(repeat_interleave, 2, 1), AMP_METHOD_CALL(flip, {0, 1}), AMP_METHOD_CALL(roll, {1}, {1}), AMP_METHOD_CALL(tril, -1), AMP_METHOD_CALL(triu, 1), AMP_METHOD_CALL(diag, 1),
    AMP_METHOD_CALL(gather, 0, places), AMP_METHOD_CALL(index_select, 0, rows), AMP_METHOD_CALL(take, rows), AMP_METHOD_CALL(take_along_dim, places, 0), AMP_METHOD_CALL(masked_select, mask),
    AMP_METHOD_CALL(scatter, 0, places, other), AMP_METHOD_CALL(scatter, 0, places, 2), AMP_METHOD_CALL(scatter_add, 0, places, other),
    {"index_add", [](const Tensor& x) { return x.index_add(0, rows, two_rows, 2); }, [](const Tensor& x) { return amp::index_add(x, 0, rows, two_rows, {.alpha = 2}); }},
    AMP_METHOD_CALL(index_fill, 0, rows, 2),
    {"multinomial", [](const Tensor& x) { amp::manual_seed(1); return x.multinomial(3, true); }, [](const Tensor& x) { amp::manual_seed(1); return amp::multinomial(x, 3, true); }},
    {"type_as", [](const Tensor& x) { return x.type_as(rows); }, [](const Tensor& x) { return x.to(amp::kInt64); }},
    {"cpu", [](const Tensor& x) { return x.cpu(); }, [](const Tensor& x) { return x; }},
};

#define AMP_METHOD_WRITE(f, ...) {#f, [](const Tensor& x) { return x.f##_(__VA_ARGS__); }, [](const Tensor& x) { return x.f(__VA_ARGS__); }}
#define AMP_METHOD_WRITE_OF(f, ...) {#f, [](const Tensor& x) { return x.f##_(__VA_ARGS__); }, [](const Tensor& x) { return amp::f(x, __VA_ARGS__); }}
const std::vector<Row> kWrites = {
    AMP_METHOD_WRITE(abs), AMP_METHOD_WRITE(neg), AMP_METHOD_WRITE(sign), AMP_METHOD_WRITE(square), AMP_METHOD_WRITE(sqrt), AMP_METHOD_WRITE(rsqrt), AMP_METHOD_WRITE(reciprocal),
    AMP_METHOD_WRITE(exp), AMP_METHOD_WRITE(expm1), AMP_METHOD_WRITE(log), AMP_METHOD_WRITE(log1p), AMP_METHOD_WRITE(log2), AMP_METHOD_WRITE(log10), AMP_METHOD_WRITE(sin),
    AMP_METHOD_WRITE(cos), AMP_METHOD_WRITE(tan), AMP_METHOD_WRITE(asin), AMP_METHOD_WRITE(acos), AMP_METHOD_WRITE(atan), AMP_METHOD_WRITE(sinh), AMP_METHOD_WRITE(cosh),
    AMP_METHOD_WRITE(tanh), AMP_METHOD_WRITE(erf), AMP_METHOD_WRITE(erfinv), AMP_METHOD_WRITE(floor), AMP_METHOD_WRITE(ceil), AMP_METHOD_WRITE(round), AMP_METHOD_WRITE(trunc),
    AMP_METHOD_WRITE(sigmoid), AMP_METHOD_WRITE(relu), AMP_METHOD_WRITE(clamp, 0.25, 0.5), AMP_METHOD_WRITE(clip, 0.25, 0.5), AMP_METHOD_WRITE(clamp_min, 0.25), AMP_METHOD_WRITE(clamp_max, 0.5),
    AMP_METHOD_WRITE(nan_to_num, 1.0), AMP_METHOD_WRITE(add, other), AMP_METHOD_WRITE(sub, other), AMP_METHOD_WRITE(mul, other), AMP_METHOD_WRITE(div, other),
    AMP_METHOD_WRITE(add, 2), AMP_METHOD_WRITE(sub, 2), AMP_METHOD_WRITE(mul, 2), AMP_METHOD_WRITE(div, 2), AMP_METHOD_WRITE(pow, other), AMP_METHOD_WRITE(pow, 2), AMP_METHOD_WRITE(fmod, other),
    AMP_METHOD_WRITE(fmod, 0.25), AMP_METHOD_WRITE(remainder, other), AMP_METHOD_WRITE(remainder, 0.25), AMP_METHOD_WRITE(lerp, other, 0.25), AMP_METHOD_WRITE(lerp, other, other),
    AMP_METHOD_WRITE(addcmul, other, other, 3), AMP_METHOD_WRITE(addcdiv, other, other, 3), AMP_METHOD_WRITE(masked_fill, mask, 2), AMP_METHOD_WRITE(masked_fill, mask, amp::full({}, 3)),
    AMP_METHOD_WRITE(cumsum, 1), AMP_METHOD_WRITE(cumprod, 1), AMP_METHOD_WRITE(tril, -1), AMP_METHOD_WRITE(triu, 1), AMP_METHOD_WRITE(scatter, 0, places, other), AMP_METHOD_WRITE(scatter, 0, places, 2),
    AMP_METHOD_WRITE(scatter_add, 0, places, other), AMP_METHOD_WRITE(index_add, 0, rows, two_rows, 2), AMP_METHOD_WRITE_OF(index_copy, 0, rows, two_rows), AMP_METHOD_WRITE(index_fill, 0, rows, 2),
    AMP_METHOD_WRITE_OF(masked_scatter, mask, other),
    {"logical_not", [](const Tensor& x) { return x.logical_not_(); }, [](const Tensor& x) { return x.logical_not().to(amp::kFloat32); }},
    {"logical_and", [](const Tensor& x) { return x.logical_and_(mask); }, [](const Tensor& x) { return x.logical_and(mask).to(amp::kFloat32); }},
    {"logical_or", [](const Tensor& x) { return x.logical_or_(mask); }, [](const Tensor& x) { return x.logical_or(mask).to(amp::kFloat32); }},
    {"logical_xor", [](const Tensor& x) { return x.logical_xor_(mask); }, [](const Tensor& x) { return x.logical_xor(mask).to(amp::kFloat32); }},
    {"add alpha", [](const Tensor& x) { return x.add_(other, 0.5); }, [](const Tensor& x) { return x + other * 0.5; }},
    {"sub alpha", [](const Tensor& x) { return x.sub_(other, 0.5); }, [](const Tensor& x) { return x - other * 0.5; }},
    {"+=", [](const Tensor& x) { return x += other; }, [](const Tensor& x) { return x + other; }},
    {"-=", [](const Tensor& x) { return x -= other; }, [](const Tensor& x) { return x - other; }},
    {"*=", [](const Tensor& x) { return x *= other; }, [](const Tensor& x) { return x * other; }},
    {"/=", [](const Tensor& x) { return x /= other; }, [](const Tensor& x) { return x / other; }},
    {"+= number", [](const Tensor& x) { return x += 2; }, [](const Tensor& x) { return x + 2; }},
    {"-= number", [](const Tensor& x) { return x -= 2; }, [](const Tensor& x) { return x - 2; }},
    {"*= number", [](const Tensor& x) { return x *= 2; }, [](const Tensor& x) { return x * 2; }},
    {"/= number", [](const Tensor& x) { return x /= 2; }, [](const Tensor& x) { return x / 2; }},
    {"fill", [](const Tensor& x) { return x.fill_(amp::full({}, 3)); }, [](const Tensor& x) { return amp::full_like(x, 3); }},
    {"fill_diagonal", [](const Tensor& x) { return x.fill_diagonal_(0); }, [](const Tensor& x) { return x * (1 - amp::eye(3, 4)); }},
};
#undef AMP_METHOD_UNARY
#undef AMP_METHOD_BINARY
#undef AMP_METHOD_NUMBER
#undef AMP_METHOD_CALL
#undef AMP_METHOD_PART
#undef AMP_METHOD_WRITE
#undef AMP_METHOD_WRITE_OF
// clang-format on

}  // namespace

TEST_CASE("methods: each member is the function of its name") {
  for (const Row& row : kMembers) {
    CAPTURE(row.name);
    const Tensor x = fractions({3, 4});
    CHECK(same_bits(row.member(x), row.function(x)));
    CHECK_THROWS_AS(row.member(Tensor()), amp::Error);
  }
}

TEST_CASE("methods: each write in place gives the result of its op, also through a view") {
  for (const Row& row : kWrites) {
    CAPTURE(row.name);
    const Tensor x = fractions({3, 4}), before = x.clone();
    const Tensor& result = row.member(x);
    CHECK(result.is_same(x));
    CHECK(same_bits(x, row.function(before)));
    const Tensor wide = amp::zeros({5, 3});
    const Tensor view = wide.T().narrow(1, 1, 4);
    view.copy_(before);
    row.member(view);
    CHECK(same_bits(view, row.function(before)));
    CHECK(wide[0].count_nonzero().item() == 0);
    CHECK_THROWS_AS(row.member(Tensor()), amp::Error);
  }
}

TEST_CASE("methods: a write in place has the gradients of its op") {
  for (const Row& row : kWrites) {
    CAPTURE(row.name);
    const Tensor a = fractions({3, 4}).requires_grad_(), b = a.detach().clone().requires_grad_();
    const Tensor y = row.member(a * 1), z = row.function(b * 1);
    if (z.requires_grad()) z.square().sum().backward();
    y.square().sum().backward();
    const Tensor wanted = b.grad().defined() ? b.grad() : amp::zeros_like(b);
    CHECK(amp_test::difference(a.grad().to_vector<double>(), wanted.to_vector<double>()) < 1e-6);
  }
}

TEST_CASE("methods: operators of comparison, of masks and of remainders") {
  const Tensor x = amp::tensor({1, 2, 3}, 3), y = amp::tensor({3, 2, 1}, 3);
  const auto truth = [](const Tensor& t) { return t.to_vector<int>(); };
  CHECK(truth(x == y) == std::vector<int>{0, 1, 0});
  CHECK(truth(x != y) == std::vector<int>{1, 0, 1});
  CHECK(truth(x < y) == std::vector<int>{1, 0, 0});
  CHECK(truth(x <= 2) == std::vector<int>{1, 1, 0});
  CHECK(truth(2 > x) == std::vector<int>{1, 0, 0});
  CHECK(truth(2 == x) == std::vector<int>{0, 1, 0});
  CHECK(truth(2 != x) == std::vector<int>{1, 0, 1});
  CHECK(truth((x > 1) & (y > 1)) == std::vector<int>{0, 1, 0});
  CHECK(truth((x > 2) | (y > 2)) == std::vector<int>{1, 0, 1});
  CHECK(truth((x > 1) ^ (y > 1)) == std::vector<int>{1, 0, 1});
  CHECK(truth(!(x > 1)) == std::vector<int>{1, 0, 0});
  CHECK(truth(~(x > 1)) == std::vector<int>{1, 0, 0});
  CHECK(truth(-x % 3) == std::vector<int>{2, 1, 0});
  CHECK(truth(x % -y) == std::vector<int>{-2, 0, 0});
  CHECK_THAT(amp_test::error_of([&] { return x & y; }), ContainsSubstring("bitwise"));
  CHECK(x.equal(x));
  CHECK(x.to(amp::kFloat32).allclose(x.to(amp::kFloat32) + 1e-9));
  CHECK(amp::full({}, 1.5).item() == 1.5);
}

}  // namespace methods_test
