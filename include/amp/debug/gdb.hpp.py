# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Pretty printers of gdb for amp: tensors, number formats, shapes, devices and modules.

gdb loads this file for programs that include <amp/debug/gdb.hpp>; for others, use `source`.
The printers call no function of the program, so that they work for core dumps as well.
"""

import re
import struct

import gdb
import gdb.printing

MOST_ELEMENTS = 8
NAMESPACE = re.compile(r"\bamp::(v\d+::)?")


def decode_small(bits, exponent_bits, mantissa_bits, nan_only):
    """Returns the value of a code of a format of 1 + exponent_bits + mantissa_bits bits."""
    sign = -1.0 if bits >> (exponent_bits + mantissa_bits) else 1.0
    exponent = bits >> mantissa_bits & (1 << exponent_bits) - 1
    mantissa = bits & (1 << mantissa_bits) - 1
    bias = (1 << (exponent_bits - 1)) - 1
    top = exponent == (1 << exponent_bits) - 1
    if nan_only and top and mantissa == (1 << mantissa_bits) - 1:
        return float("nan")
    if top and not nan_only:
        return float("nan") if mantissa else sign * float("inf")
    if exponent == 0:
        return sign * mantissa * 2.0 ** (1 - bias - mantissa_bits)
    return sign * (1 + mantissa * 2.0**-mantissa_bits) * 2.0 ** (exponent - bias)


def unpack(code):
    return lambda data: struct.unpack("=" + code, data)[0]


def unpack_small(code, *layout):
    return lambda data: decode_small(struct.unpack("=" + code, data)[0], *layout)


# Enumerator: name, bytes, decoder.
DTYPES = {
    "kFloat64": ("float64", 8, unpack("d")),
    "kFloat32": ("float32", 4, unpack("f")),
    "kFloat16": ("float16", 2, unpack_small("H", 5, 10, False)),
    "kBFloat16": ("bfloat16", 2, unpack_small("H", 8, 7, False)),
    "kFloat8E4M3": ("float8_e4m3fn", 1, unpack_small("B", 4, 3, True)),
    "kFloat8E5M2": ("float8_e5m2", 1, unpack_small("B", 5, 2, False)),
    "kInt64": ("int64", 8, unpack("q")),
    "kInt32": ("int32", 4, unpack("i")),
    "kUInt8": ("uint8", 1, unpack("B")),
    "kBool": ("bool", 1, unpack("?")),
}


def enumerator(value):
    return str(value).rsplit("::", 1)[-1]


def plain_type(value):
    kind = value.type
    if kind.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
        kind = kind.target()
    return kind.unqualified().strip_typedefs()


def name_of(kind):
    return NAMESPACE.sub("amp::", kind.name or "")


def bases(kind):
    yield kind
    for field in kind.fields():
        if field.is_base_class:
            yield from bases(field.type.strip_typedefs())


def text_of_view(view):
    """Returns the text of a std::string_view or std::string of libstdc++; for others, gdb's text."""
    try:
        if view.type.strip_typedefs().name.startswith("std::basic_string_view"):
            return view["_M_str"].string(length=int(view["_M_len"]))
        return view["_M_dataplus"]["_M_p"].string(length=int(view["_M_string_length"]))
    except gdb.error:
        return view.format_string().strip('"')


def member(pointer, kind, name):
    """Returns a member of an object of this type. Dereferencing the pointer would make gdb search for
    the dynamic type of the object, and print a message if that depends on a lambda."""
    for field in gdb.lookup_type(kind).fields():
        if field.name == name:
            address = gdb.Value(int(pointer) + field.bitpos // 8)
            return address.cast(field.type.pointer()).dereference()
    raise gdb.error("no member " + name)


def items_of_vector(vector):
    try:
        item, end = vector["_M_impl"]["_M_start"], vector["_M_impl"]["_M_finish"]
    except gdb.error:
        item, end = vector["__begin_"], vector["__end_"]
    while item != end:
        yield item.dereference()
        item += 1


def extents(value):
    values = value["values_"]
    try:
        values = values["_M_elems"]
    except gdb.error:
        values = values["__elems_"]
    return [int(values[d]) for d in range(int(value["dims_"]))]


def pointer_in(atomic):
    try:
        return int(atomic["_M_b"]["_M_p"])
    except gdb.error:
        return int(atomic["__a_"]["__a_value"])


def device_text(value):
    if enumerator(value["type"]) == "kCPU":
        return "cpu"
    return "cuda:%d" % int(value["index"])


def number_text(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    return "%.9g" % value if isinstance(value, float) else str(value)


class SmallFloatPrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        kind = plain_type(self.value)
        exponent, mantissa = (int(kind.template_argument(i)) for i in range(2))
        nan_only = "kNanOnly" in str(kind.template_argument(2)) or int(kind.template_argument(2)) == 1
        return number_text(decode_small(int(self.value["bits_"]), exponent, mantissa, nan_only))


class ExtentsPrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        return str(extents(self.value))


class DevicePrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        return device_text(self.value)


class TensorPrinter:
    """float32[2, 3] = {1, 2, 3, 4, 5, 6}: as many elements as MOST_ELEMENTS, in row-major order."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        pointer = self.value["impl_"]["object_"]
        if int(pointer) == 0:
            return "undefined"
        impl = pointer.dereference()
        storage = impl["storage"]["object_"].dereference()
        shape = extents(impl["shape"])
        name, size, decode = DTYPES[enumerator(impl["dtype"])]
        device = device_text(storage["device_"])
        text = name + str(shape)
        if device != "cpu":
            return text + " on " + device + self.history(impl)
        count = 1
        for extent in shape:
            count *= extent
        elements = [
            number_text(decode(self.read(storage, impl, shape, i, size)))
            for i in range(min(count, MOST_ELEMENTS))
        ]
        if count > MOST_ELEMENTS:
            elements.append("...")
        return text + " = {" + ", ".join(elements) + "}" + self.history(impl)

    @staticmethod
    def read(storage, impl, shape, index, size):
        offset = int(impl["offset"])
        for extent, stride in zip(reversed(shape), reversed(extents(impl["strides"]))):
            offset += index % extent * stride
            index //= extent
        address, laid_out = int(storage["data_"]), storage["laid_out_"]
        if int(laid_out) != 0 and pointer_in(laid_out["row_major"]) != 0:
            address = pointer_in(laid_out["row_major"])
        elif int(laid_out) != 0:
            offset = TensorPrinter.place(laid_out["elements"], offset)
        return gdb.selected_inferior().read_memory(address + offset * size, size).tobytes()

    @staticmethod
    def place(elements, index):
        """Returns the position of the element with row-major index `index`."""
        place = 0
        for d in reversed(range(int(elements["dims"]))):
            extent = int(elements["sizes"][d])
            place += index % extent * int(elements["strides"][d])
            index //= extent
        return place

    @staticmethod
    def history(impl):
        """Returns whether the tensor requires gradients, or the name of the op that made it."""
        pointer = impl["history"]["object_"]
        if int(pointer) == 0:
            return ""
        space = NAMESPACE.match(impl.type.name).group() + "autograd::"
        op = text_of_view(member(pointer, space + "Node", "name_"))
        if op != "leaf":
            return ", made by " + op
        return ", requires_grad" if member(pointer, space + "Leaf", "requires_grad") else ""


class ModulePrinter:
    """Linear(in_features=4, ...), and its parameters, buffers and modules by name."""

    def __init__(self, value):
        self.value = value

    def state(self):
        shared = self.value["state_"]
        try:
            pointer = shared["_M_ptr"]
        except gdb.error:
            pointer = shared["__ptr_"]
        return pointer.dereference() if int(pointer) else None

    def to_string(self):
        state = self.state()
        kind = name_of(plain_type(self.value)).split("<")[0].rsplit("::", 1)[-1]
        if state is None:
            return kind + "(nullptr)"
        if kind == "Module":
            kind = text_of_view(state["type"])
        return kind + "(" + text_of_view(state["extra_repr"]) + ")"

    def children(self):
        state = self.state()
        if state is None:
            return
        for part in ("parameters", "buffers", "modules"):
            for entry in items_of_vector(state[part]):
                yield text_of_view(entry["first"]), entry["second"]


PRINTERS = [
    (re.compile(r"^amp::small_float<"), SmallFloatPrinter),
    (re.compile(r"^amp::(Shape|ReshapeTo|detail::Extents)$"), ExtentsPrinter),
    (re.compile(r"^amp::Device$"), DevicePrinter),
    (re.compile(r"^amp::Tensor$"), TensorPrinter),
]


class AmpPrinter(gdb.printing.PrettyPrinter):
    def __call__(self, value):
        kind = plain_type(value)
        if kind.code != gdb.TYPE_CODE_STRUCT:
            return None
        name = name_of(kind)
        for pattern, printer in PRINTERS:
            if pattern.match(name):
                return printer(value)
        if any(name_of(base) == "amp::nn::Module" for base in bases(kind)):
            return ModulePrinter(value)
        return None


gdb.printing.register_pretty_printer(None, AmpPrinter("amp"), replace=True)
