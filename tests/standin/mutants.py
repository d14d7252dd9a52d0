#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
"""Plants faults in amp's CUDA kernels and in what runs them, and says which net finds each.

    mutants.py [--keep FOLDER] [NAME...]

All faults are compiled into one copy of the sources, each behind a condition that an environment
variable makes true. Two programs are built of it with clang++: one with the race detector
(support/cuda/races.hpp), one without. A fault is found by the detector if it reports a race, by values if
tests fail without it, with one of several seeds, and by rules if the stand-in stops the program. The exit
status is 1 if a fault is not found by the nets that tests/README.md names, or if there is a finding without
a fault.
"""

import argparse
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parents[2]
SEEDS = ["1", "2", "3"]
BARRIER = "__syncthreads();"


@dataclass
class Mutant:
    name: str
    file: str  # below include/amp
    after: str  # the first `old` after this text is replaced
    old: str
    new: str  # "" for no statement
    tests: str  # files of tests/cuda


MUTANTS = [
    Mutant("block_reduce: no barrier before the array is written again",
           "kernels/traversal/cuda/block_reduce.cuh", "if (threads <= 32) return value;", BARRIER, "", "norm_pool"),
    Mutant("block_reduce: no barrier before the array is read",
           "kernels/traversal/cuda/block_reduce.cuh", "warps[threadIdx.x / 32] = value;", BARRIER, "", "norm_pool"),
    Mutant("columns: no barrier before the array is written again",
           "kernels/traversal/cuda/columns.cuh", "__shared__ T found", BARRIER, "", "columns"),
    Mutant("columns: no barrier before the array is read",
           "kernels/traversal/cuda/columns.cuh", "found[l][threadIdx.x] = values[l];", BARRIER, "", "columns"),
    Mutant("norm: no barrier before the sums of threads are read",
           "kernels/norm/cuda/parameter_sums.cuh", "of_threads[thread] = values[k][l];", BARRIER, "", "norm_pool"),
    Mutant("gradient pass: no last barrier in the sum of lanes",
           "kernels/unscale/cuda/gradient_pass.cuh", "lanes[l] += lanes[l + width];", BARRIER, "", "gradient_pass"),
    Mutant("gradient pass: no barriers in the sum of tallies",
           "kernels/unscale/cuda/gradient_pass.cuh", "shared[threadIdx.x] = mine;", BARRIER, "", "gradient_pass"),
    Mutant("last block: no fence before it counts",
           "kernels/traversal/cuda/device_list.cuh", "__shared__ bool last;", "__threadfence();", "",
           "gradient_pass"),
    Mutant("last block: no barrier before the fence",
           "kernels/traversal/cuda/device_list.cuh", "__shared__ bool last;", BARRIER, "", "ledger"),
    Mutant("last block: no fence after it has counted",
           "kernels/traversal/cuda/device_list.cuh", "last = atomicInc(", "__threadfence();", "", "gradient_pass"),
    Mutant("last block: the one before the last takes itself for it",
           "kernels/traversal/cuda/device_list.cuh", "if (threadIdx.x == 0) {",
           "last = atomicInc(arrived, gridDim.x - 1) == gridDim.x - 1;",
           "last = atomicInc(arrived, gridDim.x - 1) == gridDim.x - 2;", "gradient_pass"),
    Mutant("optimizer: no barrier before the coefficients are read",
           "kernels/optim/cuda/step_table.cuh", "shared = rule.template", BARRIER, "", "optim_bits"),
    Mutant("optimizer: no barrier before the next parameter's coefficients",
           "kernels/optim/cuda/step_table.cuh", "if (is_new) {", BARRIER, "", "more_than_the_grid"),
    Mutant("gradient pass: no barrier before the next chunk",
           "kernels/unscale/cuda/gradient_pass.cuh", "if (threadIdx.x == 0) sums[n] = sum;", BARRIER, "",
           "more_than_the_grid"),
    Mutant("ledger: no barrier before the next gradient",
           "kernels/unscale/cuda/gradient_pass.cuh", "summaries[r] = tally.summary", BARRIER, "",
           "more_than_the_grid"),
    Mutant("masks: no barrier before a block's next chunk",
           "kernels/masking/cuda.cuh", "__shared__ std::int64_t sums[kThreads]", BARRIER, "", "more_than_the_grid"),
    Mutant("masks: no barrier before the counts are read",
           "kernels/masking/cuda.cuh", "sums[threadIdx.x] = value;", BARRIER, "", "indexing"),
    Mutant("masks: no barrier before the counts are added to",
           "kernels/masking/cuda.cuh", "threadIdx.x >= distance", BARRIER, "", "indexing"),
    Mutant("masks: no barrier after the counts were added to",
           "kernels/masking/cuda.cuh", "sums[threadIdx.x] += other;", BARRIER, "", "indexing"),
    Mutant("norm: no barrier before the next parameters",
           "kernels/norm/cuda/parameter_sums.cuh", "bias += static_cast<double>(sums.bias[part", BARRIER, "",
           "more_than_the_grid"),
    Mutant("histogram: bins are not cleared",
           "kernels/histogram/cuda.cuh", "b += kThreads)", "bins[w][b] = 0;", "", "histogram"),
    Mutant("histogram: no barrier before the bins are added up",
           "kernels/histogram/cuda.cuh", "atomicAdd(&bins", BARRIER, "", "histogram"),
    Mutant("histogram: no barrier after the bins are cleared",
           "kernels/histogram/cuda.cuh", "bins[w][b] = 0;", BARRIER, "", "more_than_the_grid"),
    Mutant("histogram: bins are added to, but not atomically",
           "kernels/histogram/cuda.cuh", "", "atomicAdd(&bins[threadIdx.x / 32][bin], 1U);",
           "++bins[threadIdx.x / 32][bin];", "histogram"),
    Mutant("loss: flags in shared memory are not cleared",
           "kernels/unscale/cuda.cuh", "__shared__ bool bad[2];", "if (threadIdx.x < 2) bad[threadIdx.x] = false;", "",
           "ledger"),
    Mutant("memory: a stream does not wait for a block's last use on another",
           "device/cuda/blocks.hpp", "found == returned.end()) return;",
           "for (const Event& event : found->events) event.let_wait(stream);", "", "streams"),
    Mutant("memory: the use by a recorded stream is forgotten",
           "device/cuda/memory_pool.hpp", "found->second.home != reader.stream.id)",
           "readers_.add(memory, std::move(reader));", "", "streams"),
    Mutant("copies: the host writes to a buffer that a copy still reads",
           "device/cuda/staging.hpp", "return piece.is_free;", "return piece.read->has_happened();", "return true;",
           "memory_calls"),
    Mutant("weights: a stream does not wait for the cast on another",
           "tensor/cast_cache.ipp", "void wait_until_written() const {", "if (written.wait(copy.device()))", "",
           "weight_streams"),
    Mutant("devices: a guard makes a context on the device before it",
           "device/cuda/device_guard.hpp", "~DeviceGuard() {",
           "if (changed_ && has_context(before_)) (void)cudaSetDevice(before_);",
           "if (changed_) (void)cudaSetDevice(before_);", "contexts"),
    Mutant("captures: amp waits for a device without asking whether a stream is captured",
           "device/cuda/captures.hpp", "is_any_captured(int device) noexcept {",
           "if (!has_context(device)) return false;", "return false;", "device_wide"),
]

CONDITION = """#pragma once
#include <cstdlib>
namespace standin {
inline const int mutant = std::getenv("STANDIN_MUTANT") ? std::atoi(std::getenv("STANDIN_MUTANT")) : 0;
}
"""


def plant(include, number, mutant):
    path = include / "amp" / mutant.file
    text = path.read_text()
    at = text.index(mutant.old, text.index(mutant.after) + len(mutant.after))
    condition = f"if (standin::mutant != {number}) "
    if mutant.new:
        condition = f"if (standin::mutant == {number}) {{ {mutant.new} }} else "
    path.write_text(text[:at] + condition + text[at:])


def build(folder, name, *flags):
    work = folder / name
    subprocess.run(["cmake", "-S", folder / "source", "-B", work, "-G", "Unix Makefiles",
                    "-DCMAKE_CXX_COMPILER=clang++", "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_RELEASE=-O1",
                    f"-DCMAKE_CXX_FLAGS=-include {folder / 'mutant.hpp'}", "-DAMP_BUILD_TESTS=ON",
                    "-DAMP_BUILD_EXAMPLES=OFF", "-DAMP_BUILD_BENCHMARKS=OFF", "-DAMP_WITH_ONEDNN=OFF",
                    "-DCMAKE_UNITY_BUILD=ON", "-DCMAKE_UNITY_BUILD_BATCH_SIZE=24", *flags],
                   check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", work, "--target", "cuda_test", "--parallel", str(os.cpu_count())],
                   check=True, stdout=subprocess.DEVNULL)


def prepare(folder, source):
    shutil.rmtree(source, ignore_errors=True)
    for part in ("include", "tests", "examples", "benchmarks"):
        shutil.copytree(ROOT / part, source / part)
    shutil.copy(ROOT / "CMakeLists.txt", source)
    (folder / "mutant.hpp").write_text(CONDITION)
    for number, mutant in enumerate(MUTANTS, 1):
        plant(source / "include", number, mutant)
    build(folder, "races", "-DAMP_TEST_SANITIZE=thread")
    build(folder, "values")


def run(program, number, tests, seed="1"):
    """What the end of the program tells: a race, wrong values, a rule by which the stand-in stopped it."""
    environment = dict(os.environ, STANDIN_MUTANT=str(number), STANDIN_SEED=seed, AMP_HOST_CACHE="0")
    try:
        done = subprocess.run([program, "--filenames-as-tags", f"[#{tests}_test]~[values]~[.]"], env=environment,
                              capture_output=True, text=True, errors="replace", timeout=300)
    except subprocess.TimeoutExpired as hung:  # a heap that was overwritten may lock the program up
        return {"values", "race"} if b"race: " in (hung.stderr or b"") else {"values"}
    found = set()
    if "race: " in done.stderr:
        found.add("race")
    if "stand-in CUDA: " in done.stderr:
        found.add("rule")
    elif "FAILED:" in done.stdout or done.returncode not in (0, 66):
        found.add("values")
    return found


def row(races, values, number, mutant):
    """A row of the table."""
    by_detector = run(races, number, mutant.tests)
    rule = "rule" in by_detector
    failing = ""
    for seed in SEEDS:
        ended = run(values, number, mutant.tests, seed)
        rule = rule or "rule" in ended
        if "values" in ended:
            failing = "found" if seed == SEEDS[0] else f"with seed {seed}"
            break
    cells = [mutant.name, "found" if "race" in by_detector else "", failing, "found" if rule else ""]
    return "| " + " | ".join(cells) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", type=pathlib.Path, help="build here, and leave it")
    parser.add_argument("--built", action="store_true", help="run what --keep has left")
    parser.add_argument("names", nargs="*", help="only faults whose names contain one of these")
    options = parser.parse_args()
    folder = (options.keep or pathlib.Path(tempfile.mkdtemp())).resolve()
    source = folder / "source"
    if not options.built:
        prepare(folder, source)
    races, values = (folder / name / "tests" / "cuda_test" for name in ("races", "values"))
    chosen = [(number, mutant) for number, mutant in enumerate(MUTANTS, 1)
              if not options.names or any(name in mutant.name for name in options.names)]
    failed = False
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        clean = {(tests, program): pool.submit(run, program, 0, tests)
                 for tests in {mutant.tests for _, mutant in chosen} for program in (races, values)}
        rows = [pool.submit(row, races, values, number, mutant) for number, mutant in chosen]
        for (tests, program), ended in clean.items():
            if ended.result():
                print(f"without a fault, {tests} of {program} ends with {ended.result()}")
                failed = True
        print("| fault | race detector | values | rules |\n| --- | --- | --- | --- |")
        known = (ROOT / "tests/README.md").read_text().splitlines()
        for result in rows:
            text = result.result()
            print(text + ("" if text in known else "  <- tests/README.md says otherwise"), flush=True)
            failed = failed or text not in known
    if not options.keep:
        shutil.rmtree(folder)
    sys.exit(failed)


if __name__ == "__main__":
    main()
