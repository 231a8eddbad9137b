# SPDX-License-Identifier: MIT
"""The kernel's trees and their in-kernel tests as modules: `usermm module` with CC's headers.

usermm has xarray, IDR, radix tree and rbtree of its own, and no maple tree. Here the kernel's files
are built unchanged beside the test, and the kernel's headers for them come before usermm's, by
flags in CC. A module's functions are found before those of the library.
"""
import os
import re
import signal
import subprocess
from pathlib import Path

STARTERS = Path(__file__).resolve().parent
RADIX_TREE = ["lib/radix-tree.c", "lib/xarray.c"]
RADIX_TREE_HEADERS = ["xarray.h", "radix-tree.h", "idr.h"]
INVALID = 22
LIMIT_SECONDS = 300
# The module for what a booting kernel calls; the test, and the trees; their headers in include/;
# arguments; the expected output; the exit status. A test that does not want to stay loaded fails
# its init.
MODULES = [
    ("start_radix_tree.c", ["lib/test_xarray.c", *RADIX_TREE], RADIX_TREE_HEADERS, [],
     r"XArray: (\d+) of \1 tests passed", 0),
    ("start_radix_tree.c", ["lib/test_ida.c", "lib/idr.c", *RADIX_TREE], RADIX_TREE_HEADERS, [],
     r"IDA: (\d+) of \1 tests passed", INVALID),
    ("start_maple_tree.c", ["lib/test_maple_tree.c", "lib/maple_tree.c"],
     ["maple_tree.h", *RADIX_TREE_HEADERS],
     ["-DCONFIG_DEBUG_MAPLE_TREE"], r"maple_tree: (\d+) of \1 tests passed", 0),
    (None, ["lib/rbtree_test.c", "lib/rbtree.c"],
     ["rbtree.h", "rbtree_types.h", "rbtree_augmented.h"], ["perf_loops=100"],
     r"latency of nnodes", 0),
]
# lib/maple_tree.c has its cache to itself, so nobody can destroy it.
STAYS = r"leak: (cache maple_node, .*|1 objects of kmalloc-\d+( or .*)?)$"
FILES = sorted({name for _, names, *_ in MODULES for name in names} |
               {f"include/linux/{name}" for _, _, names, *_ in MODULES for name in names} |
               {"lib/radix-tree.h", "include/trace/events/maple_tree.h"})


def headers_first(source, folder, names):
    """A folder with these headers alone: the rest of the kernel's would hide usermm's."""
    for name in [*(f"linux/{name}" for name in names), "trace/events/maple_tree.h"]:
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((source / "include" / name).read_bytes())
    return folder


def execute(command, compiler):
    """(status, output); nothing of it is left running."""
    process = subprocess.Popen(command, text=True, errors="replace", stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               start_new_session=True, env=dict(os.environ, CC=compiler))
    try:
        output, _ = process.communicate(timeout=LIMIT_SECONDS)
        return process.returncode, output
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return None, f"not through in {LIMIT_SECONDS} seconds\n"


def leaks(output):
    return [line for line in output.splitlines()
            if "leak:" in line and not re.search(STAYS, line)]


def run_modules(usermm, source, build, compiler):
    """How many fail; each is told, one that crashes as well, and the others go on."""
    failed = 0
    for number, (starter, names, headers, arguments, pattern, status) in enumerate(MODULES):
        first = headers_first(source, build / f"headers-{number}", headers)
        sources = [str(STARTERS / starter)] if starter else []
        sources += [str(source / name) for name in names]
        code, output = execute([str(usermm), "module", "--linux=6.12", *arguments,
                                *sources],
                               f"{compiler} -I{first}")
        shown = re.search(pattern, output)
        good = code == status and shown and not leaks(output)
        if not good:
            print(output[-4000:])
            failed += 1
        print(f"{names[0]:28} {'passed  ' + shown.group(0) if good else 'FAILED'}", flush=True)
    return failed
