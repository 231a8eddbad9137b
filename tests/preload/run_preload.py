#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs real programs without and with libusermm_malloc.so under them.

Both times the output, the errors, the exit status and the files left behind
have to be the same byte for byte. A further run with stats=1 shows from the
library's own counters that the memory came from it. The report has a line for
each case and ends with "N passed, N failed".
"""
import argparse
import dataclasses
import hashlib
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Callable

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "programs"))

import real_programs  # noqa: E402

INPUTS = HERE / "inputs"

# The KiB that a preloaded /bin/true may have resident beyond a plain one. Medians of so many runs,
# because chance decides how many pages of libc's file the kernel maps at a fault.
TRUE_BUDGET_KIB = 1024
TRUE_RUNS = 20

ENVIRONMENT = real_programs.ENVIRONMENT | {"PATH": os.environ.get("PATH", "/usr/bin:/bin")}


@dataclasses.dataclass
class Case:
    """Commands to be run in a directory of their own, one after another."""
    name: str
    steps: list[list[str]]
    # Fills the directory before the first step.
    prepare: Callable[[Path], None] = lambda work: None
    # Files that the steps leave behind and that have to be the same.
    artefacts: tuple[str, ...] = ()
    # For the first step; the others get nothing.
    stdin: str = os.devnull


def copy_inputs(*names):
    def prepare(work):
        for name in names:
            shutil.copy(INPUTS / name, work)
    return prepare


def write_lines(work, name, count):
    rng = random.Random(2)
    with open(work / name, "w") as out:
        for _ in range(count):
            out.write(f"{rng.randrange(10**9)} {'aeioubcd' * rng.randrange(5)}{rng.random()}\n")


def prepare_awk(work):
    copy_inputs("work.awk")(work)
    write_lines(work, "lines", 100_000)


def prepare_tree(work):
    """Some two hundred text files in ten folders."""
    rng = random.Random(3)
    for n in range(200):
        path = work / "tree" / f"folder{n % 10}" / f"file{n}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{rng.randrange(1000)} line {i} of {n}\n" for i in range(200)))


def git(*args):
    # git 2.55 repacks in the background after a commit, and a gc beside that fails at times.
    # Threads race for the best delta, so with several the packs differ.
    return ["git", "-C", "tree", "-c", "pack.threads=1", "-c", "init.defaultBranch=main",
            "-c", "gc.auto=0", "-c", "maintenance.auto=false", *args]


CASES = [
    Case("python3", [[sys.executable, "work.py"]], copy_inputs("work.py")),
    Case("sqlite3", [["sqlite3", "work.db"]], copy_inputs("work.sql"), ("work.db",), "work.sql"),
    Case("perl", [["perl", "work.pl"]], copy_inputs("work.pl")),
    Case("gawk", [["gawk", "-f", "work.awk", "lines"]], prepare_awk),
    Case("awk", [["awk", "-f", "work.awk", "lines"]], prepare_awk),
    Case("bash", [["bash", "work.sh"]], copy_inputs("work.sh")),
    Case("sort", [["sort", "--parallel=2", "-o", "sorted", "lines"],
                  ["sort", "--parallel=2", "-S", "2M", "-T", ".", "-k2", "-u", "-o", "keyed",
                   "lines"]],
         lambda work: write_lines(work, "lines", 300_000), ("sorted", "keyed")),
    Case("tar", [["tar", "--sort=name", "--mtime=@0", "--owner=0", "--group=0", "--mode=a+rX",
                  "-cf", "tree.tar", "tree"],
                 ["tar", "-czf", "tree.tar.gz", "--mtime=@0", "tree.tar"],
                 ["tar", "-tvf", "tree.tar.gz"]],
         prepare_tree, ("tree.tar",)),
    Case("gzip", [["gzip", "-n", "-9", "lines"], ["gzip", "-t", "-v", "lines.gz"]],
         lambda work: write_lines(work, "lines", 50_000), ("lines.gz",)),
    Case("xz", [["xz", "-T2", "--block-size=1MiB", "lines"], ["xz", "-dc", "-T2", "lines.xz"]],
         lambda work: write_lines(work, "lines", 60_000), ("lines.xz",)),
    Case("gcc", [["gcc", "-O2", "-Wall", "-c", "work.c"], ["gcc", "-o", "program", "work.o"],
                 ["./program"]],
         copy_inputs("work.c"), ("work.o", "program")),
    Case("g++", [["g++", "-O2", "-std=c++17", "-pthread", "-o", "program", "work.cc"],
                 ["./program"]],
         copy_inputs("work.cc"), ("program",)),
    Case("git", [git("init"), git("add", "."), git("commit", "-m", "first"),
                 git("mv", "folder0", "folder10"), git("rm", "folder1/file1.txt"),
                 git("commit", "-m", "second"), git("log", "--stat", "-M"),
                 git("gc", "--aggressive"), git("fsck", "--full"),
                 git("log", "-p", "-S", "7 line 7"), git("status")],
         prepare_tree),
]


@dataclasses.dataclass
class Outcome:
    steps: list[tuple[int, bytes, bytes]]
    artefacts: dict[str, str]

    def difference(self, other, errors=True):
        """The difference to the other run, or None."""
        for number, (mine, theirs) in enumerate(zip(self.steps, other.steps), 1):
            for what, a, b in zip(("exit status", "stdout", "stderr"), mine, theirs):
                if a != b and (errors or what != "stderr"):
                    return f"step {number}: {what} {tail(a)} became {tail(b)}"
        for name, digest in self.artefacts.items():
            if other.artefacts[name] != digest:
                return f"{name} differs"
        return None


def tail(value):
    return repr(value[-200:] if isinstance(value, bytes) else value)


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else "missing"


def run_case(case, base, extra):
    """Runs the case in a fresh directory, which always has the same name."""
    work = base / "work"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    case.prepare(work)
    environment = ENVIRONMENT | {"HOME": str(work), "TMPDIR": str(work)} | extra
    steps = []
    for step in case.steps:
        with open(work / (os.devnull if steps else case.stdin)) as stdin:
            done = subprocess.run(step, cwd=work, env=environment, stdin=stdin,
                                  capture_output=True, timeout=300)
        steps.append((done.returncode, done.stdout, done.stderr))
    return Outcome(steps, {name: digest(work / name) for name in case.artefacts})


def served(outcome):
    """Objects that each step got from the library, by its counters."""
    return [real_programs.objects_served(errors.decode(errors="replace"))
            for _, _, errors in outcome.steps]


def check_case(case, base, library, options, plain):
    """Answers (what is wrong or None, objects served)."""
    preload = {"LD_PRELOAD": library, "USERMM_OPTIONS": options}
    counted = {"LD_PRELOAD": library,
               "USERMM_OPTIONS": ":".join(filter(None, [options, "stats=1"]))}
    wrong = plain.difference(run_case(case, base, preload))
    counting = run_case(case, base, counted)
    objects = served(counting)
    wrong = wrong or plain.difference(counting, errors=False)
    if not wrong and not all(objects):
        wrong = f"step {objects.index(0) + 1}: no sign of the library in its stderr"
    return wrong, sum(objects)


def check_true(maxrss, library):
    """The memory budget: what the library costs a program that does nothing."""
    def measure(preload):
        runs = [subprocess.run([maxrss, preload, "/bin/true"], capture_output=True, text=True,
                               check=True) for _ in range(TRUE_RUNS)]
        return int(statistics.median(int(run.stdout) for run in runs))
    plain, preloaded = measure(""), measure(library)
    print(f"/bin/true: {plain} KiB resident, {preloaded} KiB preloaded, "
          f"{TRUE_BUDGET_KIB} KiB more are allowed")
    return None if preloaded - plain <= TRUE_BUDGET_KIB else "above the memory budget"


def check_elf(library):
    """The library needs libc and nothing else, and no function for its TLS."""
    def readelf(*flags):
        return subprocess.run(["readelf", "-W", *flags, library], capture_output=True, text=True,
                              check=True).stdout
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", readelf("-d"))
    foreign = [name for name in needed if not re.match(r"(libc|ld-linux\S*|ld64)\.so\.\d+$", name)]
    print("needs:", *needed)
    if foreign:
        return "needs " + " ".join(foreign)
    if "NODELETE" not in readelf("-d"):
        return "may be unloaded"
    if "__tls_get_addr" in readelf("--dyn-syms"):
        return "its thread-local storage is allocated on first use"
    return None


def check_json(library):
    """The counters as JSON, with nothing beside them, from each of several that end in turn."""
    options = {"LD_PRELOAD": library, "USERMM_OPTIONS": "stats=1:stats_format=json"}
    done = subprocess.run(["/bin/sh", "-c", "sort /etc/passwd; sort /etc/group"], text=True,
                          capture_output=True, check=True, env=ENVIRONMENT | options)
    documents = [json.loads(line) for line in done.stderr.splitlines()]
    print("objects, by JSON:", *(document["stats"]["slab_objects"] for document in documents))
    if len(documents) < 2:
        return "not one document a process"
    if not any(document["stats"]["slab_objects"] and document["caches"] and
               document["vmstat"]["pgfault"] for document in documents):
        return "no sign of the library in its JSON"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--library", required=True, help="path of libusermm_malloc.so")
    parser.add_argument("--maxrss", help="path of the maxrss helper")
    parser.add_argument("--options", action="append",
                        help="USERMM_OPTIONS of the preloaded programs, which run with each")
    parser.add_argument("case", nargs="*", help="run these alone")
    args = parser.parse_args()

    library = os.path.abspath(args.library)
    cases = [case for case in CASES if not args.case or case.name in args.case]
    checks = {}

    if not args.case:
        checks["elf"] = check_elf(library)
        checks["json"] = check_json(library)
        if args.maxrss:
            checks["true"] = check_true(args.maxrss, library)

    table = real_programs.ResultTable(checks)
    with tempfile.TemporaryDirectory(prefix="usermm-preload-") as base:
        for case in cases:
            if not shutil.which(case.name):
                table.skip(case.name)
                continue
            plain = run_case(case, Path(base), {})
            for options in args.options or [""]:
                table.begin()
                table.add(" ".join(filter(None, [case.name, options])),
                          *check_case(case, Path(base), library, options, plain))
    return table.finish()


if __name__ == "__main__":
    sys.exit(main())
