# SPDX-License-Identifier: MIT
"""What the checks of include/kernel share: sources are compiled as in some kernel, and judged.

Most headers are the same text in all kernels, and are compiled once. The files that the compiler
read show which headers these are: if the files use LINUX_VERSION_CODE only in comparisons, two
kernels for which all comparisons have the same result get the same text.
"""
import argparse
import concurrent.futures
import functools
import operator
import re
import subprocess
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[3]
KERNEL = ROOT / "include" / "kernel"
FLAGS = ["-O1", "-Wall", "-Werror", "-I", str(KERNEL), "-I", str(ROOT / "include"), "-x", "c", "-c",
         "-o", "/dev/null", "-MD", "-MF", "/dev/stdout"]
SHOWN_LINES = 8
# The header that defines the version: it does not compare it.
VERSION_HEADER = KERNEL / "linux" / "version.h"
MENTION = re.compile(r"\bLINUX_VERSION_[A-Z]+\b")
COMPARISON = re.compile(r"\bLINUX_VERSION_CODE\s*(<|<=|>|>=|==|!=)\s*"
                        r"KERNEL_VERSION\((\d+),\s*(\d+),\s*(\d+)\)")
OPERATORS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
             "==": operator.eq, "!=": operator.ne}


class Job(NamedTuple):
    version: tuple
    name: str
    flags: list
    source: str


def parse_arguments(doc):
    parser = argparse.ArgumentParser(description=doc)
    parser.add_argument("--compiler", default="cc")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--long", action="store_true", help="in each of the kernels")
    return parser.parse_args()


def compile_source(compiler, job):
    """The compiler's messages (None if there are none), and the files that it read."""
    define = f"-DLINUX_VERSION_CODE={job.version[0] << 16 | job.version[1] << 8}"
    result = subprocess.run([compiler, *FLAGS, define, *job.flags, "-"], input=job.source,
                            text=True, capture_output=True)
    names = re.sub(r"\\\n", " ", result.stdout.partition(":")[2])
    files = [re.sub(r"\\([ #])", r"\1", name) for name in re.findall(r"(?:\\.|\S)+", names)]
    return (result.stderr if result.returncode else None), [name for name in files if name != "-"]


def comparisons_in(text):
    """The comparisons with the version in the file; None if the file uses the version in any other
    way."""
    found = [(sign, tuple(map(int, numbers))) for sign, *numbers in COMPARISON.findall(text)]
    return frozenset(found) if len(found) == len(MENTION.findall(text)) else None


@functools.lru_cache(maxsize=None)
def comparisons_in_file(name):
    if Path(name) == VERSION_HEADER:
        return frozenset()
    return comparisons_in(Path(name).read_text(errors="replace"))


def same_text(comparisons, one, other):
    """Do these comparisons have the same results for both versions?"""
    return all(asked is not None and
               all(OPERATORS[sign]((*one, 0), than) == OPERATORS[sign]((*other, 0), than)
                   for sign, than in asked)
               for asked in comparisons)


def compile_versions(compiler, jobs):
    """The compiler's messages for each of these sources, which differ in the version alone."""
    compiled, answers = [], []
    for job in jobs:
        for version, comparisons, answer in compiled:
            if same_text(comparisons, version, job.version):
                break
        else:
            answer, files = compile_source(compiler, job)
            # The compiler gave up there, so it did not read the rest.
            if not answer:
                compiled.append((job.version, [comparisons_in(job.source),
                                               *map(comparisons_in_file, files)], answer))
        answers.append(answer)
    return answers


def compile_all(args, jobs):
    """Prints each failure; returns how many there are."""
    failed, groups = 0, {}
    for job in jobs:
        groups.setdefault((job.name, *job.flags, job.source), []).append(job)
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        answers = pool.map(lambda group: compile_versions(args.compiler, group), groups.values())
        for group, answered in zip(groups.values(), answers):
            for job, answer in zip(group, answered):
                if answer:
                    failed += 1
                    lines = [line for line in answer.splitlines() if "error" in line]
                    print(f"FAILED {job.version[0]}.{job.version[1]} {job.name}")
                    print("\n".join(lines[:SHOWN_LINES]))
    return failed
