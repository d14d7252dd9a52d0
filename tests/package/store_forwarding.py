#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""store_forwarding.py [NAME] < DISASSEMBLY: reads what `objdump -d -C --no-show-raw-insn` prints, and fails if a
vector is loaded from bytes that narrower stores have just written, as when a compiler copies a vector in
pieces. A processor cannot forward several stores to one load: it waits, a dozen cycles, until they have
reached the cache.

Reads each function from top to bottom. Stores and loads are compared if they name the same register, which
has not changed between them. A call in between takes longer than the load waits. NAME: only functions with it."""
import collections
import re
import sys

REACH = 40  # instructions, after which the stores have reached the cache
FUNCTION = re.compile(r"^[0-9a-f]+ <(.*)>:$")
INSTRUCTION = re.compile(r"^\s*[0-9a-f]+:\t(\S+)\s*(.*?)\s*(?:#.*|<.*)?$")
MEMORY = re.compile(r"(-?0x[0-9a-f]+)?\((%r\w+)\)")
WIDTHS = {"x": 16, "y": 32, "z": 64}
SCALARS = {"ss": 4, "sd": 8, "d": 4, "q": 8}


def width(operation, operands):
    """Returns the bytes of memory that a vector instruction reads or writes, or 0."""
    registers = re.findall(r"%([xyz])mm", operands)
    scalar = re.fullmatch(r"v?mov(ss|sd|d|q)|v\w+(ss|sd)", operation)
    if scalar:
        return SCALARS[scalar.group(1) or scalar.group(2)]
    if operation.startswith("vextract"):
        return 32 if "x4" in operation and "64" in operation else 16
    if not registers or re.match(r"vp?broadcast|vpmov[sz]x|vcvt|vinsert", operation):
        return 0
    return max(WIDTHS[register] for register in registers)


def waiting_loads(lines):
    """Returns the number of such loads in each function."""
    found = collections.Counter()
    function, position, stores = "", 0, []
    for line in lines:
        if match := FUNCTION.match(line):
            function, stores = match.group(1), []
            continue
        if not (match := INSTRUCTION.match(line)):
            continue
        operation, operands = match.groups()
        position += 1
        memory = MEMORY.search(operands)
        is_store = memory and operands.endswith(memory.group(0)) and operation.startswith(("mov", "vmov", "vextract"))
        if memory:
            begin, base = int(memory.group(1) or "0", 16), memory.group(2)
            size = width(operation, operands)
            if is_store:
                stores.append((position, base, begin, size or 8))
            elif size >= 32 and any(
                    position - at <= REACH and register == base and bytes_ < size
                    and start < begin + size and begin < start + bytes_
                    for at, register, start, bytes_ in stores):
                found[function] += 1
        if operation.startswith(("call", "jmp", "ret")):
            stores = []
        changed = re.search(r"%([re]\w+?)d?$", operands)
        if changed and not is_store and not operation.startswith(("cmp", "test", "push")):
            name = "%r" + changed.group(1)[1:]
            stores = [store for store in stores if store[1] != name]
    return found


def main():
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    found = collections.Counter({name: n for name, n in waiting_loads(sys.stdin).items() if wanted in name})
    for function, loads in found.most_common():
        print(f"{loads} load(s) wait for narrower stores: {function[:200]}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
