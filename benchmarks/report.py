# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Writes the measurements of compare.py as JSON, Markdown and a chart."""
import json
import os
import statistics

NAMES = {"fp32": "float32", "bf16": "bfloat16", "fp16": "float16"}
EXPLANATION = """\
Each side is a process of its own; they took turns in one run, after their results were compared. Times are
"median (best; quartiles)". "Faster by" is the other's time over amp's, each round's medians divided: the
median over the rounds, and their quartiles; "by best" divides the best times. Above 1, amp is faster."""


def number(x):
    """Returns a number with three digits, without exponent."""
    return f"{x:.0f}" if x >= 100 else f"{x:.3g}" if x >= 1 else f"{x:.3f}"


def times(contestant, unit):
    factor = {"ms": 1, "us": 1e3}[unit]
    low, high = contestant["quartiles_ms"]
    median, best = contestant["median_ms"], contestant["best_ms"]
    return "{} ({}; {} to {})".format(*(number(factor * x) for x in (median, best, low, high)))


def ratios(other, own):
    """Returns other / own: the median over the rounds, the quartiles, and the ratio of the best times."""
    each = [a / b for a, b in zip(other["round_medians_ms"], own["round_medians_ms"], strict=True)]
    low, _, high = statistics.quantiles(each, n=4, method="inclusive")
    return (f"{statistics.median(each):.2f}", f"{low:.2f} to {high:.2f}",
            f"{other['best_ms'] / own['best_ms']:.2f}")


def table(head, rows):
    """Returns a Markdown table. The first column of numbers is marked by '>'; text is left of it."""
    first = next(i for i, title in enumerate(head) if title.startswith(">"))
    lines = [[title.lstrip(">") for title in head], ["---"] * first + ["---:"] * (len(head) - first), *rows]
    return ["| " + " | ".join(map(str, line)) + " |" for line in lines] + [""]


def of(case, side, precision):
    """Returns the contestant of a side, of PyTorch's the faster layout; None if it was not measured."""
    found = [c for c in case["contestants"] if c["precision"] == precision
             and (c["side"] == side or c["side"] == side + ", channels_last")]
    return min(found, key=lambda c: c["median_ms"], default=None)


def best_of(case, side, limit):
    """Returns the contestant of a side under a limit of the instructions, of PyTorch's the faster layout."""
    names = (side + limit, f"{side}, channels_last{limit}")
    found = [c for c in case["contestants"] if c["side"] in names]
    return min(found, key=lambda c: c["median_ms"], default=None)


def precisions(case):
    return list(dict.fromkeys(c["precision"] for c in case["contestants"]))


def training_table(cases):
    rows = []
    for case in cases:
        for precision in precisions(case):
            own, other = of(case, "amp", precision), of(case, "PyTorch", precision)
            row = [case["title"], case["threads"], NAMES[precision], times(own, "ms")]
            row += [times(other, "ms"), *ratios(other, own)] if other else [""] * 4
            rows.append(row + [number(own["facts"]["peak MB"])])
    return ["## Training steps", "",
            "Forward, backward and optimizer (fused in PyTorch), 16 bits through autocast. PyTorch: in the "
            "faster of its two memory formats. The peak is of amp's tensors, parameters and Adam's moments "
            "included.", "",
            *table(["work", "threads", "precision", ">amp, ms", "PyTorch, ms", "amp is faster by", "quartiles",
                    "by best", "amp, peak MB"], rows)]


def gain_table(cases):
    rows = []
    for case in cases:
        row = [case["title"], case["threads"]]
        for side in ("amp", "PyTorch"):
            wide, low = of(case, side, "fp32"), of(case, side, "bf16")
            row += ratios(wide, low) if wide and low else [""] * 3
        rows.append(row)
    return ["## What bfloat16 gains over the same side's float32", "",
            *table(["work", "threads", ">amp", "quartiles", "by best", "PyTorch", "quartiles", "by best"], rows)]


def matmul_table(cases):
    rows = []
    for case in cases:
        gigaflop = 2e-9 * int(case["name"].split("-")[1])**3
        for precision in precisions(case):
            sides = [of(case, side, precision) for side in ("amp", "PyTorch", "oneDNN")]
            row = [case["title"], case["threads"], NAMES[precision]]
            for c in sides:
                row.append("" if c is None else "{:.0f} ({:.0f})".format(
                    *(gigaflop * 1e3 / c[key] for key in ("median_ms", "best_ms"))))
            for other in sides[1:]:
                row += ratios(other, sides[0]) if other else [""] * 3
            rows.append(row)
    return ["## matmul, GFLOP/s", "", "oneDNN: called directly, on plain row-major matrices.", "",
            *table(["work", "threads", "precision", ">amp", "PyTorch", "oneDNN", "amp / PyTorch", "quartiles",
                    "by best", "amp / oneDNN", "quartiles", "by best"], rows)]


def configuration_table(cases):
    rows = []
    for case in cases:
        for limit, instructions in ((", AVX2", "AVX2"), ("", "all")):
            sides = {side: best_of(case, side, limit) for side in ("header-only", "amp", "PyTorch", "oneDNN")}
            if not any(sides.values()):
                continue
            row = [case["title"], NAMES[precisions(case)[0]], instructions]
            row += [times(c, "ms") if c else "" for c in sides.values()]
            for side in ("header-only", "amp"):
                own, other = sides[side], sides["oneDNN"] or sides["PyTorch"]
                row.append(ratios(other, own)[0] if own and other else "")
            rows.append(row + [" and ".join(
                number(sides[side]["facts"]["resident MB"]) for side in ("header-only", "amp")
                if sides[side] and "resident MB" in sides[side]["facts"])])
    return ["## Each configuration", "",
            "On one thread: amp header-only, from its include path alone, and with oneDNN; with AVX2 at "
            "most, as on most desktops, and with all instructions of this processor. PyTorch: in the faster of "
            "its two memory formats. Faster: than oneDNN called directly if it was, else than PyTorch. Resident: "
            "by how much amp's process grows in four steps, header-only and with oneDNN: its tensors, what "
            "matmuls and convolutions pack or widen, and the code that oneDNN generates.", "",
            *table(["work", "precision", "instructions", ">header-only, ms", "with oneDNN, ms", "PyTorch, ms",
                    "oneDNN directly, ms", "header-only is faster by", "with oneDNN by", "resident, MB"], rows)]


def operation_table(title, about, cases, unit):
    rows = []
    for case in cases:
        for precision in precisions(case):
            same = [c for c in case["contestants"] if c["precision"] == precision]
            own = of(case, "amp", precision) or same[0]  # amp's sides come first
            others = [c for c in same if c is not own]
            start = [case["title"], case["threads"], NAMES[precision], times(own, unit)]
            rows += [start + [c["side"], times(c, unit), *ratios(c, own)] for c in others]
            if not others:
                rows.append(start + [""] * 5)
    return [f"## {title}", "", about, "",
            *table(["work", "threads", "precision", f"amp, {unit}", "beside", f">{unit}", "amp is faster by",
                    "quartiles", "by best"], rows)]


def loops_table(figures):
    rows = [[f["title"], f["threads"], f"{f['ratio']:.2f}", f"{f['p10']:.2f} to {f['p90']:.2f}",
             f"{f['plain GB/s']:.0f}"] for f in figures]
    return ["## Passes over ResNet-50's float32 gradients beside a plain loop", "",
            "The loop's time over amp's: the loop scales in place, or only reads where amp takes the norm.", "",
            *table(["pass", "threads", ">ratio", "80 % of the ratios", "the loop, GB/s"], rows)]


def machine_lines(figures):
    m = figures["machine"]
    lines = [f"- {figures['date']}, commit {figures['commit']}",
             f"- {m['processor']}, {m['cores']} cores, with {', '.join(m['instruction sets']) or 'none'} of "
             f"avx2, avx512f, avx512_bf16, avx512_fp16, amx_bf16, amx_fp16; {m['system']}; others took "
             f"{100 * m['share of others']:.0f} % of the processors meanwhile"]
    if m["share of others"] > 0.1:
        lines.append("- do not quote these figures: other processes used the machine, and threads that share a core wait for each other")
    lines += [f"- {name}: {value}" for name, value in figures["built_from"].items()]
    return lines + [f"- not measured: {line}" for line in figures["missing"]] + [""]


def markdown(figures):
    groups = {}
    for case in figures["cases"]:
        groups.setdefault(case["group"], []).append(case)
    lines = ["# amp on the CPU, beside PyTorch", "", "Made by `benchmarks/run.sh`.", "", *machine_lines(figures),
             EXPLANATION, ""]
    if "training" in groups:
        lines += training_table(groups["training"]) + gain_table(groups["training"])
    if "matmul" in groups:
        lines += matmul_table(groups["matmul"])
    if "configurations" in groups:
        lines += configuration_table(groups["configurations"])
    if "passes" in groups:
        lines += operation_table(
            "Passes over memory", "Over the 161 parameters of ResNet-50, 25.6 M. The optimizer step: check, "
            "norm, clip, Adam (in PyTorch fused, or by default not) and bfloat16 copies of the weights. Ideal: "
            "amp's 34 bytes for each parameter at the rate of a loop that scales the gradients in place; "
            "PyTorch moves 54, by default 98.", groups["passes"], "ms")
    if "overhead" in groups:
        lines += operation_table("The cost of a call", "Of tensors so small that threads do not matter. A node: its forward and its backward.",
                                 groups["overhead"], "us")
    if figures["plain_loops"]:
        lines += loops_table(figures["plain_loops"])
    if figures["compile_seconds"]:
        lines += ["## Compile time", "", "Processor time at -O2, the better of two.", "", *table(
            ["source", ">s"], [[name, f"{s:.1f}"] for name, s in figures["compile_seconds"].items()])]
    return "\n".join(lines)


# --- the chart ----------------------------------------------------------------------------------------

STYLE = """<style>
text { font-family: system-ui, sans-serif; font-size: 15px; fill: #1f2328; }
.title { font-size: 17px; font-weight: 600; }
.quiet { fill: #59636e; }
.amp { fill: #1f6feb; } .PyTorch { fill: #d9822b; }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc; } .quiet { fill: #9198a1; } .amp { fill: #4493f8; } .PyTorch { fill: #e3a05c; }
}
</style>"""
PANEL, BAR, LEFT = (420, 176), 26, 140  # width and height of a panel; of its bars, height and first x


def panel(case, x, y):
    bars = [(f"{NAMES[p]}, {side}", side, of(case, side, p)["median_ms"])
            for p in ("fp32", "bf16") for side in ("PyTorch", "amp") if of(case, side, p)]
    most = max(ms for *_, ms in bars)
    out = [f'<text class="title" x="{x}" y="{y + 18}">{case["title"]}</text>']
    for i, (name, side, ms) in enumerate(bars):
        top = y + 30 + i * (BAR + 6)
        length = ms / most * (PANEL[0] - LEFT - 90)
        out += [f'<text class="quiet" x="{x}" y="{top + 19}">{name}</text>',
                f'<rect class="{side}" x="{x + LEFT}" y="{top}" width="{length:.1f}" height="{BAR}" rx="2"/>',
                f'<text x="{x + LEFT + length + 6:.1f}" y="{top + 19}">{number(ms)} ms</text>']
    return out


def chart(cases):
    """Draws the time per training step, with a panel and a scale for each workload."""
    width, height = 2 * PANEL[0] + 20, 40 + PANEL[1] * ((len(cases) + 1) // 2)
    threads = cases[0]["threads"]
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
           f'height="{height}" role="img">', STYLE,
           f'<text class="quiet" x="10" y="22">Time of a training step on {threads} '
           f'thread{"s" if threads > 1 else ""}: shorter is better</text>']
    for i, case in enumerate(cases):
        out += panel(case, 10 + (i % 2) * PANEL[0], 40 + (i // 2) * PANEL[1])
    return "\n".join(out + ["</svg>", ""])


def write(figures, folder, name):
    os.makedirs(folder, exist_ok=True)
    files = {f"{name}.json": json.dumps(figures, indent=1) + "\n", f"{name}.md": markdown(figures)}
    training = [case for case in figures["cases"] if case["group"] == "training"]
    if training:
        most = max(case["threads"] for case in training)
        files[f"{name}.svg"] = chart([case for case in training if case["threads"] == most])
    for file_name, text in files.items():
        with open(os.path.join(folder, file_name), "w", encoding="utf-8") as file:
            file.write(text)
    print(f"written: {', '.join(os.path.join(folder, file_name) for file_name in files)}")
