#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""PyTorch's functions and amp's: writes examples/torch_functions.md, or compares it.

    torch_functions.py ROOT COMPILER [--update]

torch_functions.txt lists PyTorch's functions and what amp has instead of those that are not there
under the same name. A name counts as there if it compiles, and as missing if no header of amp
declares it. Fails if a function has no row or a row too many, or if the page is not current. With
PyTorch 2.15 installed, it also compares the list of all functions.
"""

import fnmatch
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ABOUT = """\
# PyTorch's functions and amp's

What amp has of the functions of `torch` and `torch.nn.functional` (PyTorch 2.15). This page is
generated from [a table](../tests/docs/torch_functions.txt); a test compiles the names and keeps the
page current. Names, argument order and defaults are PyTorch's; options are aggregates, and several
results are a struct. [Coming from PyTorch](README.md#coming-from-pytorch) shows more than functions.
"""


def read_table():
    """section -> lines."""
    sections, current = {}, None
    for line in (HERE / "torch_functions.txt").read_text().splitlines():
        if line.startswith("== "):
            current = sections[line[3:]] = []
        elif line and not line.startswith("#"):
            current.append(line)
    return sections


def declared(text):
    """The names of the functions that headers declare."""
    text = re.sub(r"namespace detail \{.*?\}  // namespace detail", "", text, flags=re.S)
    text = re.sub(r"namespace amp::inline v0::detail \{.*", "", text, flags=re.S)
    return set(re.findall(r"\b(\w+)\)?\(", re.sub(r"//.*", "", text)))


def check_names(root, compiler, functions, members):
    """Compiles a program that names them all."""
    source = "#include <amp/amp.hpp>\nnamespace names {\n"
    source += "".join(f"using amp::{name};\n" for name in functions) + "}\n"
    source += "struct Members : amp::Tensor {\n"
    source += "".join(f"  using amp::Tensor::{name};\n" for name in members) + "};\n"
    command = [compiler, "-std=c++20", "-DAMP_COMPILED", "-fsyntax-only", "-I", str(root / "include"),
               "-x", "c++", "-"]
    ran = subprocess.run(command, input=source, text=True, capture_output=True)
    if ran.returncode != 0:
        sys.exit(f"not all of these names are in amp:\n{ran.stderr[:3000]}")


def names_of(lines):
    """name or pattern -> text, of rows "name name: text"."""
    rows = {}
    for line in lines:
        names, text = line.split(": ", 1)
        for name in names.split():
            if name in rows:
                sys.exit(f"torch_functions.txt: {name} stands there twice")
            rows[name] = text
    return rows


def reasons(lines, missing):
    """reason -> the missing functions that its patterns match."""
    result = {}
    for line in lines:
        reason, patterns = line.split(": ", 1)
        for pattern in patterns.split():
            matched = [name for name in missing if fnmatch.fnmatchcase(name, pattern)]
            if not matched:
                sys.exit(f"torch_functions.txt: no missing function matches {pattern}")
            result.setdefault(reason, []).extend(matched)
    return result


def wrapped(names):
    lines, line = [], ""
    for name in names:
        if len(line) + len(name) + 3 > 110:
            lines.append(line)
            line = ""
        line += ("" if not line else " ") + f"`{name}`"
    return "\n".join([*lines, line])


def page(same, members, other, composed, absent):
    text = ABOUT + f"\n## Under the same name: {len(same) + len(members)}\n\n{wrapped(same)}\n\n"
    text += f"As members of `amp::Tensor` only:\n\n{wrapped(members)}\n"
    text += f"\n## Under another name: {len(other)}\n\n| PyTorch | amp |\n| --- | --- |\n"
    text += "".join(f"| `{name}` | `{instead}` |\n" for name, instead in sorted(other.items()))
    text += f"\n## Composed of others: {len(composed)}\n\n| PyTorch | amp |\n| --- | --- |\n"
    text += "".join(f"| `{name}` | `{instead}` |\n" for name, instead in sorted(composed.items()))
    count = sum(map(len, absent.values()))
    text += f"\n## Not there: {count}\n\n[What amp will not do](scope.md) gives more reasons.\n\n"
    text += "| why | functions |\n| --- | --- |\n"
    return text + "".join(f"| {reason} | {' '.join(f'`{n}`' for n in sorted(names))} |\n"
                          for reason, names in absent.items())


def compare_with_torch(names):
    try:
        import torch
        import torch.overrides
    except ImportError:
        return
    if not torch.__version__.startswith("2.15"):
        return
    functions = torch.overrides.get_overridable_functions()
    actual = {f.__name__ for module in (torch, torch.nn.functional) for f in functions[module]}
    actual = {name for name in actual if not name.startswith("_")}
    if actual != names:
        sys.exit(f"torch_functions.txt: PyTorch has {sorted(actual - names)} more, and lacks "
                 f"{sorted(names - actual)}")


def main():
    root, compiler = pathlib.Path(sys.argv[1]), sys.argv[2]
    table = read_table()
    names = set(" ".join(table["all"]).split())
    compare_with_torch(names)
    folder = root / "include/amp"
    functions = set().union(*(declared(path.read_text()) for path in (
        folder / "tensor/factory.hpp", *(folder / "ops").glob("*.hpp"))))
    in_tensor = declared((folder / "tensor/tensor.hpp").read_text())
    other, composed = names_of(table["other name"]), names_of(table["composed"])
    there = sorted(names & (functions | in_tensor) - other.keys() - composed.keys())
    same = [name for name in there if name in functions]
    members = [name for name in there if name not in functions]
    missing = sorted(names - set(there) - other.keys() - composed.keys())
    absent = reasons(table["absent"], missing)
    listed = [name for matched in absent.values() for name in matched]
    if len(listed) != len(set(listed)):
        sys.exit(f"absent twice: {sorted(n for n in set(listed) if listed.count(n) > 1)}")
    for what, extra in (("have no row", set(missing) - set(listed)),
                        ("are no functions of PyTorch", (other.keys() | composed.keys()) - names)):
        if extra:
            sys.exit(f"torch_functions.txt: these {what}: {' '.join(sorted(extra))}")
    check_names(root, compiler, same, members)
    text, target = page(same, members, other, composed, absent), root / "examples/torch_functions.md"
    if "--update" in sys.argv:
        target.write_text(text)
    elif not target.exists() or target.read_text() != text:
        sys.exit(f"{target} is not current: run {sys.argv[0]} {root} {compiler} --update")
    print(f"{len(names)} functions: {len(there)} there, {len(other)} under another name, "
          f"{len(composed)} composed, {len(listed)} not there")


if __name__ == "__main__":
    main()
