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
#define AMP_UNARY(f) {#f, [](const Tensor& x) { return x.f(); }, [](const Tensor& x) { return amp::f(x); }}
#define AMP_BINARY(f) {#f, [](const Tensor& x) { return x.f(other); }, [](const Tensor& x) { return amp::f(x, other); }}
#define AMP_NUMBER(f) {#f " number", [](const Tensor& x) { return x.f(2); }, [](const Tensor& x) { return amp::f(x, 2); }}
#define AMP_CALL(f, ...) {#f, [](const Tensor& x) { return x.f(__VA_ARGS__); }, [](const Tensor& x) { return amp::f(x, __VA_ARGS__); }}
#define AMP_PART(f, part, ...) {#f, [](const Tensor& x) { return x.f(__VA_ARGS__).part; }, [](const Tensor& x) { return amp::f(x, __VA_ARGS__).part; }}
const std::vector<Row> kMembers = {
    AMP_UNARY(abs), AMP_UNARY(neg), AMP_UNARY(sign), AMP_UNARY(square), AMP_UNARY(sqrt), AMP_UNARY(rsqrt), AMP_UNARY(reciprocal),
    AMP_UNARY(exp), AMP_UNARY(expm1), AMP_UNARY(log), AMP_UNARY(log1p), AMP_UNARY(log2), AMP_UNARY(log10), AMP_UNARY(sin),
    AMP_UNARY(cos), AMP_UNARY(tan), AMP_UNARY(asin), AMP_UNARY(acos), AMP_UNARY(atan), AMP_UNARY(sinh), AMP_UNARY(cosh),
    AMP_UNARY(tanh), AMP_UNARY(erf), AMP_UNARY(erfinv), AMP_UNARY(floor), AMP_UNARY(ceil), AMP_UNARY(round), AMP_UNARY(trunc),
    AMP_UNARY(sigmoid), AMP_UNARY(relu), AMP_UNARY(isnan), AMP_UNARY(isinf), AMP_UNARY(isfinite), AMP_UNARY(logical_not),
    AMP_CALL(clamp, 0.25, 0.5), AMP_CALL(clip, 0.25, 0.5), AMP_CALL(clamp_min, 0.25), AMP_CALL(clamp_max, 0.5), AMP_CALL(clamp, other, other),
    AMP_CALL(nan_to_num, 1.0), AMP_CALL(softmax, 1), AMP_CALL(log_softmax, 0),
    AMP_BINARY(add), AMP_BINARY(sub), AMP_BINARY(mul), AMP_BINARY(div), AMP_BINARY(pow), AMP_BINARY(fmod), AMP_BINARY(remainder),
    AMP_BINARY(eq), AMP_BINARY(ne), AMP_BINARY(lt), AMP_BINARY(le), AMP_BINARY(gt), AMP_BINARY(ge), AMP_BINARY(maximum),
    AMP_BINARY(minimum), AMP_BINARY(atan2), AMP_BINARY(logical_and), AMP_BINARY(logical_or), AMP_BINARY(logical_xor),
    AMP_NUMBER(add), AMP_NUMBER(sub), AMP_NUMBER(mul), AMP_NUMBER(div), AMP_NUMBER(pow), AMP_NUMBER(fmod), AMP_NUMBER(remainder),
    AMP_NUMBER(eq), AMP_NUMBER(ne), AMP_NUMBER(lt), AMP_NUMBER(le), AMP_NUMBER(gt), AMP_NUMBER(ge),
    AMP_CALL(lerp, other, 0.25), AMP_CALL(lerp, other, other),
    {"addcmul", [](const Tensor& x) { return x.addcmul(other, other, 3); }, [](const Tensor& x) { return amp::addcmul(x, other, other, {.value = 3}); }},
    {"addcdiv", [](const Tensor& x) { return x.addcdiv(other, x, 3); }, [](const Tensor& x) { return amp::addcdiv(x, other, x, {.value = 3}); }},
    {"where", [](const Tensor& x) { return x.where(mask, other); }, [](const Tensor& x) { return amp::where(mask, x, other); }},
    AMP_CALL(masked_fill, mask, 2), AMP_CALL(masked_fill, mask, amp::full({}, 3)),
    AMP_CALL(matmul, square), AMP_CALL(mm, square), AMP_CALL(mv, weights),
    {"bmm", [](const Tensor& x) { return x.unsqueeze(0).bmm(square.unsqueeze(0)); }, [](const Tensor& x) { return amp::bmm(x.unsqueeze(0), square.unsqueeze(0)); }},
    {"dot", [](const Tensor& x) { return x[0].dot(weights); }, [](const Tensor& x) { return amp::dot(x[0], weights); }},
    {"outer", [](const Tensor& x) { return x[0].outer(weights); }, [](const Tensor& x) { return amp::outer(x[0], weights); }},
    AMP_UNARY(sum), AMP_UNARY(mean), AMP_UNARY(var), AMP_UNARY(std), AMP_UNARY(prod), AMP_UNARY(any), AMP_UNARY(all), AMP_UNARY(argmax),
    AMP_UNARY(argmin), AMP_UNARY(median), AMP_UNARY(norm), AMP_UNARY(count_nonzero), AMP_UNARY(amax), AMP_UNARY(amin), AMP_UNARY(nonzero),
    {"max", [](const Tensor& x) { return (x.max)(); }, [](const Tensor& x) { return (amp::max)(x); }},
    {"min", [](const Tensor& x) { return (x.min)(); }, [](const Tensor& x) { return (amp::min)(x); }},
    AMP_CALL(sum, 1, true), AMP_CALL(sum, {0, 1}), AMP_CALL(mean, {0, 1}), AMP_CALL(mean, 0), AMP_CALL(var, 1, 0), AMP_CALL(std, 1, 0, true), AMP_CALL(prod, 1),
    AMP_CALL(logsumexp, 1), AMP_CALL(norm, 1, 0), AMP_CALL(any, 1), AMP_CALL(all, 1), AMP_CALL(amax, 1), AMP_CALL(amin, 0, true), AMP_CALL(argmax, 1), AMP_CALL(argmin, 1, true),
    AMP_PART(median, values, 1), AMP_PART(sort, indices, 1, true), AMP_CALL(argsort, 0), AMP_PART(topk, values, 2, 1, false),
    {"max of dim", [](const Tensor& x) { return (x.max)(1).indices; }, [](const Tensor& x) { return (amp::max)(x, 1).indices; }},
    {"min of dim", [](const Tensor& x) { return (x.min)(1, true).values; }, [](const Tensor& x) { return (amp::min)(x, 1, true).values; }},
    AMP_CALL(cumsum, 1), AMP_CALL(cumprod, 1),
    {"T", [](const Tensor& x) { return x.T(); }, [](const Tensor& x) { return x.transpose(0, 1); }},
    {"mT", [](const Tensor& x) { return x.mT(); }, [](const Tensor& x) { return x.transpose(0, 1); }},
    AMP_CALL(repeat, {2, 1}), AMP_CALL(tile, {2}), AMP_CALL(repeat_interleave, 2, 1), AMP_CALL(flip, {0, 1}), AMP_CALL(roll, {1}, {1}), AMP_CALL(tril, -1), AMP_CALL(triu, 1), AMP_CALL(diag, 1),
    AMP_CALL(gather, 0, places), AMP_CALL(index_select, 0, rows), AMP_CALL(take, rows), AMP_CALL(take_along_dim, places, 0), AMP_CALL(masked_select, mask),
    AMP_CALL(scatter, 0, places, other), AMP_CALL(scatter, 0, places, 2), AMP_CALL(scatter_add, 0, places, other),
    {"index_add", [](const Tensor& x) { return x.index_add(0, rows, two_rows, 2); }, [](const Tensor& x) { return amp::index_add(x, 0, rows, two_rows, {.alpha = 2}); }},
    AMP_CALL(index_fill, 0, rows, 2),
    {"multinomial", [](const Tensor& x) { amp::manual_seed(1); return x.multinomial(3, true); }, [](const Tensor& x) { amp::manual_seed(1); return amp::multinomial(x, 3, true); }},
    {"type_as", [](const Tensor& x) { return x.type_as(rows); }, [](const Tensor& x) { return x.to(amp::kInt64); }},
    {"cpu", [](const Tensor& x) { return x.cpu(); }, [](const Tensor& x) { return x; }},
};

#define AMP_WRITE(f, ...) {#f, [](const Tensor& x) { return x.f##_(__VA_ARGS__); }, [](const Tensor& x) { return x.f(__VA_ARGS__); }}
#define AMP_WRITE_OF(f, ...) {#f, [](const Tensor& x) { return x.f##_(__VA_ARGS__); }, [](const Tensor& x) { return amp::f(x, __VA_ARGS__); }}
const std::vector<Row> kWrites = {
    AMP_WRITE(abs), AMP_WRITE(neg), AMP_WRITE(sign), AMP_WRITE(square), AMP_WRITE(sqrt), AMP_WRITE(rsqrt), AMP_WRITE(reciprocal),
    AMP_WRITE(exp), AMP_WRITE(expm1), AMP_WRITE(log), AMP_WRITE(log1p), AMP_WRITE(log2), AMP_WRITE(log10), AMP_WRITE(sin),
    AMP_WRITE(cos), AMP_WRITE(tan), AMP_WRITE(asin), AMP_WRITE(acos), AMP_WRITE(atan), AMP_WRITE(sinh), AMP_WRITE(cosh),
    AMP_WRITE(tanh), AMP_WRITE(erf), AMP_WRITE(erfinv), AMP_WRITE(floor), AMP_WRITE(ceil), AMP_WRITE(round), AMP_WRITE(trunc),
    AMP_WRITE(sigmoid), AMP_WRITE(relu), AMP_WRITE(clamp, 0.25, 0.5), AMP_WRITE(clip, 0.25, 0.5), AMP_WRITE(clamp_min, 0.25), AMP_WRITE(clamp_max, 0.5),
    AMP_WRITE(nan_to_num, 1.0), AMP_WRITE(add, other), AMP_WRITE(sub, other), AMP_WRITE(mul, other), AMP_WRITE(div, other),
    AMP_WRITE(add, 2), AMP_WRITE(sub, 2), AMP_WRITE(mul, 2), AMP_WRITE(div, 2), AMP_WRITE(pow, other), AMP_WRITE(pow, 2), AMP_WRITE(fmod, other),
    AMP_WRITE(fmod, 0.25), AMP_WRITE(remainder, other), AMP_WRITE(remainder, 0.25), AMP_WRITE(lerp, other, 0.25), AMP_WRITE(lerp, other, other),
    AMP_WRITE(addcmul, other, other, 3), AMP_WRITE(addcdiv, other, other, 3), AMP_WRITE(masked_fill, mask, 2), AMP_WRITE(masked_fill, mask, amp::full({}, 3)),
    AMP_WRITE(cumsum, 1), AMP_WRITE(cumprod, 1), AMP_WRITE(tril, -1), AMP_WRITE(triu, 1), AMP_WRITE(scatter, 0, places, other), AMP_WRITE(scatter, 0, places, 2),
    AMP_WRITE(scatter_add, 0, places, other), AMP_WRITE(index_add, 0, rows, two_rows, 2), AMP_WRITE_OF(index_copy, 0, rows, two_rows), AMP_WRITE(index_fill, 0, rows, 2),
    AMP_WRITE_OF(masked_scatter, mask, other),
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

TEST_CASE("methods: operators of comparison and of masks") {
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
  CHECK_THAT(amp_test::error_of([&] { return x & y; }), ContainsSubstring("bitwise"));
  CHECK(x.equal(x));
  CHECK(x.to(amp::kFloat32).allclose(x.to(amp::kFloat32) + 1e-9));
  CHECK(amp::full({}, 1.5).item() == 1.5);
}
