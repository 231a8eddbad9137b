#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The kernel's tests of its trees: its user-space ones, with usermm in place of their object
caches, and those that are modules.

    run_trees.py BUILD_FOLDER linux-source-6.12.tar.xz --build DIR [--long] [--compare]

tools/testing/radix-tree (xarray, IDR, radix tree, maple tree) and tools/testing/vma are
compiled unchanged, by their own Makefiles, and so are the trees; only the two files that
hold the tests' own kmem_cache and kmalloc are left out, and tests/kernel/trees takes their
place. BUILD_FOLDER is usermm's, whose libusermm_malloc.so is linked.

--long runs all of them, which takes minutes; without it only those that take seconds run. --compare
also builds the tests as they come, on a mutex and libc's malloc, and prints how much longer that
takes; both without the sanitizers that the kernel's Makefile asks for, which would be all of the
time. A test that fails is run on the kernel's own caches as well: if it fails there with the same
words, this is said and is no failure of usermm.
"""
import argparse
import os
import re
import shlex
import shutil
import signal
import statistics
import subprocess
import sys
import time
from pathlib import Path

import kernel_source
import tree_modules

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
COMPILER = shlex.split(os.environ.get("CC", "cc"))
FOLDERS = ["tools/testing/radix-tree/", "tools/testing/shared/", "tools/testing/vma/",
           "tools/include/", "tools/lib/slab.c", "tools/lib/find_bit.c", "tools/lib/bitmap.c",
           "tools/lib/hweight.c", "tools/lib/vsprintf.c", "tools/arch/x86/include/",
           "include/linux/", "lib/radix-tree.c", "lib/radix-tree.h", "lib/idr.c",
           "lib/xarray.c", "lib/maple_tree.c", "lib/test_xarray.c", "lib/test_ida.c",
           "lib/test_maple_tree.c", "mm/vma.c", "mm/vma.h"]
OWN_CACHES = ["tools/testing/shared/linux.c", "tools/lib/slab.c"]
# In the folders of the tests, as their Makefiles have it but for optimising.
FLAGS = "-I../shared -I. -I../../include -I../../../lib -g -O2 -w -D_LGPL_SOURCE"

# Program, its folder in tools/testing, arguments, what it has to print last, and whether it is
# one of the short ones.
ALL_PASSED = r"\b(\d+) of \1 tests passed"
SUITES = [
    ("vma", "vma", [], r"(\d+) tests run, \1 passed, 0 failed", True),
    ("multiorder", "radix-tree", [], "", True),
    ("xarray", "radix-tree", [], f"XArray: {ALL_PASSED}", True),
    ("idr-test", "radix-tree", [], f"IDA: {ALL_PASSED}", False),
    ("main", "radix-tree", ["-s", "1"], "tests completed", False),
    ("maple", "radix-tree", [], f"maple_tree: {ALL_PASSED}", False),
]
# Not the kernel's: the caches that stand in.
HOOKS = ("hooks", "radix-tree", [], "", True)
# This one asserts that a reader was overtaken by a writer, in a race that it can lose.
LOST_RACE = r"BUG at run_check_rcu_slowread"
# How an object that was left over is told.
LEFT_OVER = r"(?m)^nr_allocated = "
LIMIT_SECONDS = 900
TRIES = 3


class Result:
    def __init__(self, status, output, seconds, pattern):
        self.status = status
        self.output = output
        self.seconds = seconds
        shown = re.search(pattern, output)
        self.summary = shown.group(0) if shown else ""
        self.passed = status == 0 and bool(shown) and not re.search(LEFT_OVER, output)

    def complaint(self):
        """The words of a failure, without what differs from run to run."""
        if self.status is None:
            return f"not through in {LIMIT_SECONDS} seconds"
        lines = [line for line in self.output.splitlines()
                 if re.search(r"Assert|BUG|FAIL|nr_allocated|BAD|failed", line)]
        said = lines[-1] if lines else (self.output.splitlines() or [""])[-1]
        return f"status {self.status}: {re.sub(r'0x[0-9a-f]+', '0x...', said)}"


def compile_ours(target, sources, flags):
    objects = []
    for source in sources:
        objects.append(target / f"{source.stem}.o")
        subprocess.run([*COMPILER, "-g", "-O2", "-D_LGPL_SOURCE", *flags, "-c", str(source),
                        "-o", str(objects[-1])], check=True)
    return [str(one) for one in objects]


def stand_in(tree, products):
    """The objects that are linked in place of the tests' own caches, whose sources are emptied."""
    for name in OWN_CACHES:
        (tree / name).write_text("")
    objects = tree / "usermm"
    objects.mkdir(exist_ok=True)
    ours = compile_ours(objects, [HERE / f"{name}.c"
                                  for name in ("caches", "blocks", "check_caches")],
                        ["-std=gnu17", "-Wall", "-Wextra", "-Werror", f"-I{ROOT / 'include'}"])
    ours += [f"-L{products}", f"-Wl,-rpath,{products}", "-lusermm_malloc"]
    subprocess.run([*COMPILER, *ours, "-o", str(tree / "tools/testing/radix-tree" / HOOKS[0])],
                   check=True)
    return ours


def make(tree, folder, programs, libraries):
    result = subprocess.run(["make", "-C", str(tree / "tools" / "testing" / folder), "-j2",
                             f"CC={' '.join(COMPILER)}", f"CFLAGS={FLAGS}", "LDFLAGS=",
                             f"LDLIBS={' '.join(libraries)} -lpthread -lurcu", *programs],
                            text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if result.returncode:
        print(result.stdout, file=sys.stderr)
        sys.exit(f"{folder} does not build in {tree}")


def build(source, target, suites, products=None):
    """The tree with the programs; on usermm if its products are given."""
    if target.exists():
        shutil.rmtree(target)
    shutil.copytree(source, target)
    libraries = stand_in(target, products) if products else []
    testing = target / "tools" / "testing"
    missing = compile_ours(target, [HERE / "vma_close.c"],
                           ["-w", *(f"-I{folder}" for folder in (
                               testing / "shared", testing / "vma",
                               target / "tools" / "include"))])
    for folder, extra in (("radix-tree", []), ("vma", missing)):
        programs = [name for name, where, *_ in suites if where == folder]
        make(target, folder, programs, [*libraries, *extra])
    return target


def execute(tree, suite, options=""):
    name, folder, arguments, pattern, _ = suite
    environment = dict(os.environ, USERMM_OPTIONS=options)
    begin = time.monotonic()
    process = subprocess.Popen([f"./{name}", *arguments], cwd=tree / "tools" / "testing" / folder,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, errors="replace",
                               start_new_session=True, env=environment)
    try:
        output, _ = process.communicate(timeout=LIMIT_SECONDS)
        return Result(process.returncode, output, time.monotonic() - begin, pattern)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        return Result(None, output, LIMIT_SECONDS, pattern)


def attempt(tree, suite, options=""):
    for _ in range(TRIES):
        result = execute(tree, suite, options)
        if result.passed or not re.search(LOST_RACE, result.output):
            break
    return result


def check(ours, theirs, suite, options):
    """Runs it on usermm; the verdict, and the run. theirs() is the tree on its own caches."""
    result = attempt(ours, suite, options)
    if result.passed:
        return True, result, f"passed  {result.summary}"
    own = attempt(theirs(), suite)
    print(result.output[-4000:])
    if own.complaint() == result.complaint():
        return True, result, f"fails on the kernel's own caches as well  {own.complaint()}"
    return False, result, f"FAILED  {result.complaint()}"


def compare(ours, theirs, suite, runs):
    """Seconds on usermm and on the kernel's own caches, medians of runs in turn."""
    seconds = ([], [])
    for _ in range(runs):
        for tree, times in zip((ours, theirs), seconds):
            result = attempt(tree, suite)
            if not result.passed:
                return f"not compared: {result.complaint()}"
            times.append(result.seconds)
    on_usermm, on_own = (statistics.median(times) for times in seconds)
    return (f"usermm {on_usermm:.2f} s, its own mutex and malloc {on_own:.2f} s, "
            f"{on_own / on_usermm:.2f} times")


class OwnTree:
    """The tests on their own caches, built when somebody asks."""

    def __init__(self, source, target, suites):
        self.arguments = source, target, suites
        self.tree = None

    def __call__(self):
        if not self.tree:
            self.tree = build(*self.arguments)
        return self.tree


def run_suites(ours, theirs, suites, args):
    failed = 0
    for suite in suites:
        for options in ("", "slab_debug=FZPU") if suite[4] and suite[0] != "xarray" else ("",):
            good, _, verdict = check(ours, theirs, suite, options)
            failed += not good
            print(f"{' '.join([suite[0], options]):28} {verdict}", flush=True)
        if args.compare:
            print(f"{suite[0]:28} {compare(ours, theirs(), suite, args.runs)}", flush=True)
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("products", type=Path)
    parser.add_argument("archive", type=Path)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--compare", action="store_true")
    parser.add_argument("--runs", type=int, default=3)
    args = parser.parse_args()
    # Programs are built and run in other folders.
    args.products = args.products.resolve()
    args.build = args.build.resolve()

    kernel_source.need_archive(args.archive)
    kernel_source.need_header(COMPILER, "urcu.h", "liburcu-dev")
    suites = [suite for suite in SUITES if args.long or suite[4]]
    source = kernel_source.unpack(args.archive, args.build, [*FOLDERS, *tree_modules.FILES])
    ours = build(source, args.build / "on-usermm", suites, args.products)
    theirs = OwnTree(source, args.build / "on-its-own", suites)
    hooks = execute(ours, HOOKS)
    if not hooks.passed:
        print(hooks.output)
    print(f"{'hooks':28} {'passed' if hooks.passed else 'FAILED'}", flush=True)
    failed = run_suites(ours, theirs, suites, args)
    failed += tree_modules.run_modules(args.products / "usermm", source, args.build,
                                       " ".join(COMPILER))
    return 1 if failed or not hooks.passed else 0


if __name__ == "__main__":
    sys.exit(main())
