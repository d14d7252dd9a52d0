# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Random tensors: dtypes, shapes, views and values that are hard."""

import torch

FLOAT8 = (torch.float8_e4m3fn, torch.float8_e5m2)
LOW = (torch.float16, torch.bfloat16)
FLOATS = (torch.float64, torch.float32) + LOW
INTEGERS = (torch.int64, torch.int32, torch.uint8)
BY_NAME = {str(d).replace("torch.", ""): d
           for d in FLOATS + FLOAT8 + INTEGERS + (torch.bool,)}
NAME = {d: n for n, d in BY_NAME.items()}


class Drawn:
    """A tensor as the case's text has it: a storage and a strided view of it."""

    def __init__(self, storage, sizes, strides, offset, requires_grad=False):
        self.storage, self.sizes, self.strides, self.offset = storage, sizes, strides, offset
        self.requires_grad = requires_grad

    @property
    def dtype(self):
        return self.storage.dtype

    def view(self):
        return self.storage.as_strided(self.sizes, self.strides, self.offset)

    def text(self):
        words = [NAME[self.dtype], int(self.requires_grad), len(self.sizes), *self.sizes,
                 *self.strides, self.offset, to_hex(self.storage)]
        return " ".join(map(str, words))

    def __repr__(self):
        grad = ", requires_grad" if self.requires_grad else ""
        return (f"{NAME[self.dtype]}{list(self.sizes)} strides {list(self.strides)} offset "
                f"{self.offset}{grad}: {self.view().to(torch.float64).flatten().tolist()}")


def to_hex(tensor):
    if tensor.numel() == 0:
        return "-"
    dense = torch.empty(tensor.numel(), dtype=tensor.dtype)
    dense.copy_(tensor.reshape(-1))
    return bytes(dense.view(torch.uint8).tolist()).hex()


def from_hex(text, dtype, sizes):
    data = bytearray.fromhex("" if text == "-" else text)
    if not data:
        return torch.empty(sizes, dtype=dtype)
    return torch.frombuffer(data, dtype=torch.uint8).view(dtype).reshape(sizes)


def round_to(x, dtype):
    if dtype not in FLOAT8:
        return x.to(dtype)
    x = x.to(torch.float32)
    rounded = x.to(dtype)
    if dtype == torch.float8_e4m3fn:
        # Some versions of torch saturate. amp overflows to NaN, as the format's definition does;
        # 464 is halfway to the number after the largest.
        rounded = torch.where(x.abs() > 464, float("nan"), rounded.to(torch.float32)).to(dtype)
    return rounded


def special_values(dtype):
    info = torch.finfo(dtype)
    values = [0.0, -0.0, info.max, -info.max, info.tiny, -info.tiny, float("nan"),
              info.smallest_normal / 2, 1.0, -1.0, 1 + info.eps, 0.5]
    if dtype != torch.float8_e4m3fn:
        values += [float("inf"), float("-inf")]
    return values


def values(rng, count, dtype, kind=None):
    """`count` values. Kinds: normal, ties (small integers), wide (many magnitudes), small, positive,
    special (some of them infinite, NaN, 0, subnormal or extreme)."""
    if dtype == torch.bool:
        return torch.tensor([rng.random() < 0.5 for _ in range(count)], dtype=dtype)
    if not dtype.is_floating_point:
        low, high = (0, 255) if dtype == torch.uint8 else (-9, 9)
        if rng.random() < 0.1 and dtype != torch.uint8:
            low, high = torch.iinfo(dtype).min, torch.iinfo(dtype).max
        return torch.tensor([rng.randint(low, high) for _ in range(count)], dtype=dtype)
    kind = kind or rng.choice(["normal"] * 5 + ["ties"] * 2 + ["wide", "small", "special"])
    if kind == "ties":
        numbers = [float(rng.randint(-2, 2)) for _ in range(count)]
    elif kind == "wide":
        numbers = [rng.gauss(0, 1) * 2.0 ** rng.randint(-12, 6) for _ in range(count)]
    elif kind == "small":
        numbers = [rng.gauss(0, 1) * 2.0**-8 for _ in range(count)]
    elif kind == "positive":
        numbers = [abs(rng.gauss(0, 1)) + 0.25 for _ in range(count)]
    else:
        numbers = [rng.gauss(0, 1) for _ in range(count)]
    if kind == "special":
        for _ in range(rng.randint(1, 3)):
            if count:
                numbers[rng.randrange(count)] = rng.choice(special_values(dtype))
    # By way of float32, because not every dtype takes float64.
    result = torch.tensor(numbers, dtype=torch.float64)
    return result.to(dtype) if dtype == torch.float64 else result.to(torch.float32).to(dtype)


def sizes(rng, least=0, most=4, empty=0.03):
    dims = rng.randint(least, most)
    extent = (1, 2, 3, 4, 5, 7) if dims > 2 else (1, 2, 3, 5, 8, 17)
    result = [rng.choice(extent) for _ in range(dims)]
    if result and rng.random() < empty:
        result[rng.randrange(dims)] = 0
    return result


def broadcastable(rng, shape):
    """A shape that broadcasts with `shape`."""
    result = [1 if rng.random() < 0.25 else n for n in shape]
    return result[rng.choice([0, 0, 0, rng.randint(0, len(result))]):]


def tensor(rng, shape, dtype, kind=None, requires_grad=None, contents=None):
    """Contiguous, or a view with gaps, permuted or expanded dimensions and an offset. `contents`:
    the values instead of random ones (of a view without expanded dimensions)."""
    if requires_grad is None:
        requires_grad = dtype.is_floating_point and rng.random() < 0.7
    strided = rng.random() < 0.45
    order = list(range(len(shape)))
    if strided and rng.random() < 0.6:
        rng.shuffle(order)
    step, strides = rng.choice([1, 1, 2]) if strided else 1, [0] * len(shape)
    for d in reversed(order):
        expanded = strided and contents is None and rng.random() < 0.06
        strides[d] = 0 if expanded else step
        step *= 1 if expanded else max(shape[d], 1)
        if strided and rng.random() < 0.15:
            step += 1
    offset = rng.randint(0, 3) if strided else 0
    count = offset
    if all(n > 0 for n in shape):
        count += sum((n - 1) * s for n, s in zip(shape, strides)) + 1
    storage = values(rng, count, dtype, kind)
    drawn = Drawn(storage, list(shape), strides, offset, requires_grad)
    if contents is not None:
        drawn.view().copy_(contents.reshape(shape))
    return drawn
