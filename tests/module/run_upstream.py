#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the kernel's own tests of its allocators, unchanged, on usermm.

    run_upstream.py USERMM linux-source-VERSION.tar.xz --build DIR [--verbose] [--write] [NAME...]

They are taken from the archive into a folder in DIR and are no part of usermm. The list below says
what is missing for a test that usermm does not pass yet. If such a test passes, or fails in another
way than listed, that is a failure as well, so the list stays true. A table in docs/kernel-tests.md
that differs from the results is a failure, too; --write makes it anew. With NAME,
only tests run that have it in their name, and the table stays as it is.

The archive's name says which kernel's tests and rules: 6.12 (below) or 7.3 (upstream_7_3.py).
"""
import argparse
import hashlib
import os
import re
import signal
import subprocess
import sys
import tarfile
import time
from pathlib import Path

import kernel_tests_table
import upstream_7_3

ROOT = Path(__file__).resolve().parents[2]
CLIENTS = "tests/module/lib/"
MEMPOOL = ["mm/mempool.c", *(f"tests/conformance/mempool/mempool_{part}.c"
                             for part in ("helpers", "reserve", "waiting"))]
RHASHTABLE = ["lib/test_rhashtable.c", "lib/rhashtable.c", "include/linux/rhashtable.h",
              "include/linux/rhashtable-types.h"]
BTREE = ["lib/btree.c", CLIENTS + "client_btree.c", "include/linux/btree.h",
         "include/linux/btree-type.h", "include/linux/btree-128.h"]
# Tests that leave memory behind on purpose: the pools and the tree's cache stay as long as a
# kernel runs.
LEAKING = {"lib/slub_kunit.c", "lib/tests/slub_kunit.c", "lib/sg_pool.c", "lib/test_maple_tree.c"}
# Files, of which the first gives the name; headers among them are those of a library that is built
# along, and stand before usermm's; files of tests/ are ours: for a library without a test, or a
# header that the kernel's files have beside them.
# Arguments; what its output has to show; and what is missing, if it does not pass yet: then the
# output has to show that. A test that means its init to fail, so that it does not stay loaded, has
# the exit status that this gives.
INVALID = 22
TESTS = [
    (["lib/test_free_pages.c"], [], r"test_free_pages: Test completed", None),
    (["lib/test_meminit.c"], ["-DCONFIG_INIT_ON_ALLOC_DEFAULT_ON=1"],
     r"test_meminit: all \d+ tests passed!", None),
    (["lib/test_meminit.c"], ["-o", "init_on_alloc=1"],
     r"test_meminit: all \d+ tests passed!", None),
    (["lib/test_meminit.c"], ["-o", "init_on_free=1:slab_freelist_random=on"],
     r"test_meminit: all \d+ tests passed!", None),
    (["lib/list-test.c", "lib/klist.c", "include/linux/klist.h"], [], r"(?m)^ok 3 klist", None),
    (["lib/hashtable_test.c"], [], r"(?m)^ok 1 hashtable", None),
    (["lib/test_list_sort.c"], [], r"(?m)^ok 1 list_sort", None),
    (["lib/test_sort.c"], [], r"(?m)^ok 1 lib_sort", None),
    (["lib/cpumask_kunit.c"], [], r"(?m)^ok 1 cpumask", None),
    (["lib/is_signed_type_kunit.c"], [], r"(?m)^ok 1 is_signed_type", None),
    (["lib/overflow_kunit.c"], [], r"(?m)^ok 1 overflow", None),
    (["lib/memcpy_kunit.c"], [], r"(?m)^ok 1 memcpy", None),
    (["lib/siphash_kunit.c", "lib/siphash.c", "include/linux/siphash.h"], [],
     r"(?m)^ok 1 siphash", None),
    (["lib/kunit/kunit-example-test.c"], [], r"(?ms)# example: initializing suite.*"
     r"^ok 1 example\n.*^ok 2 example_init", None),
    (["lib/test_objagg.c", "lib/objagg.c", *RHASHTABLE[1:], "include/linux/objagg.h",
      "include/trace/events/objagg.h"], [], "", None),
    (["lib/test_parman.c", "lib/parman.c", "include/linux/parman.h"], [], "", None),
    (["lib/rbtree_test.c"], ["perf_loops=100"], r"latency of nnodes", None),
    (["lib/interval_tree_test.c", "lib/interval_tree.c", "include/linux/interval_tree.h",
      "include/linux/interval_tree_generic.h"], ["perf_loops=100", "search_loops=100"],
     r"cycles \(\d+ results\)", None),
    (["lib/test_min_heap.c", "include/linux/min_heap.h"], [], r"min_heap_test: test passed",
     None),
    (["lib/test_bitops.c"], [], r"Completed bitops test", None),
    (["lib/test_hexdump.c"], [], r"all \d+ tests passed", None),
    (["lib/percpu_test.c"], [], r"percpu test done", None),
    (["lib/math/test_div64.c"], [], r"Completed 64bit/32bit", None),
    (["lib/math/rational-test.c", "lib/math/rational.c", "include/linux/rational.h"], [],
     r"(?m)^ok 1 rational", None),
    (["lib/test_static_key_base.c", "lib/test_static_keys.c"], [], "", None),
    (["lib/find_bit_benchmark.c"], [], r"find_next_and_bit", None, INVALID),
    (["lib/test_ida.c"], [], r"IDA: (\d+) of \1 tests passed", None, INVALID),
    (["lib/test_objpool.c", "lib/objpool.c", "include/linux/objpool.h"], [],
     r"async & hrtimer: percpu objpool from vmalloc", None),
    (["lib/slub_kunit.c"], [], r"# slub_test: pass:8 fail:0 skip:0", None),
    (["lib/slub_kunit.c"], ["-o", "slab_freelist_hardened=on:slab_freelist_random=on"],
     r"# slub_test: pass:8 fail:0 skip:0", None),
    # docs/kernel-tests.md says why there are no more threads.
    (RHASHTABLE, [], r"Started 10 threads, 0 failed, rhltable test returns 0", None),
    (upstream_7_3.REGMAP, [], r"(?m)^ok 1 regmap", None),
    (BTREE, [], r"(?m)^ok 1 client_btree", None),
    (["lib/genalloc.c", CLIENTS + "client_genalloc.c", "include/linux/genalloc.h"], [],
     r"(?m)^ok 1 client_genalloc", None),
    (["lib/sg_pool.c", "lib/scatterlist.c", CLIENTS + "client_scatterlist.c"], [],
     r"(?m)^ok 1 client_scatterlist", None),
    (MEMPOOL, [], r"(?m)^ok 3 conformance_mempool_waiting", None),
    (MEMPOOL, ["-DCONFIG_SLUB_DEBUG_ON=1"], r"(?m)^ok 3 conformance_mempool_waiting", None),
    (["mm/dmapool.c", "mm/dmapool_test.c"], [], r"dmapool test: size:68", None),
    (["mm/list_lru.c", CLIENTS + "client_list_lru.c", "include/linux/list_lru.h"], [],
     r"(?m)^ok 1 client_list_lru", None),
    (["mm/zbud.c", "mm/zpool.c", CLIENTS + "client_zpool.c"], [],
     r"(?m)^ok 1 client_zpool", None),
    (["lib/fault-inject.c", CLIENTS + "client_fault.c"], [], r"(?m)^ok 1 client_fault", None),
    # One of its cases is meant to fail, and says so.
    (["lib/test_vmalloc.c"], ["test_loop_count=1000"],
     r"(?s)\A(?!.*(?<!align_shift_alloc_test) passed: 0 ).*align_shift_alloc_test passed: 0 "
     r"failed: 1 .*vm_map_ram_test passed: 1 failed: 0 ", None),
    # Every second object on average: if all were guarded, tests that need an ordinary object would
    # find none.
    (["mm/kfence/kfence_test.c"], ["-o", "kfence_sample=2"],
     r"# kfence: pass:23 fail:0 skip:2", None),
    (["mm/kfence/kfence_test.c"],
     ["-DCONFIG_INIT_ON_FREE_DEFAULT_ON=1", "-o", "kfence_sample=2:init_on_free=1"],
     r"# kfence: pass:25 fail:0 skip:0", None),
    (["lib/test_xarray.c"], [], r"error: .*\b(XA_STATE|xas_\w+|xa_state)\b",
     "the advanced interface of xarrays; with the kernel's own lib/xarray.c it passes: "
     "[kernel-trees.md](kernel-trees.md)"),
    (["lib/stackinit_kunit.c"], [], r"not ok \d+ test_\w+_none\b",
     "automatic variables are not set to zero"),
]
# A module in front of the test calls what a kernel calls while it boots.
STARTER = "kernel/trees/start_"
LIMIT_SECONDS = 300


def version_of(archive):
    match = re.search(r"linux-source-(\d+\.\d+)", archive.name)
    if not match or match[1] not in ("6.12", "7.3"):
        sys.exit(f"run_upstream: {archive.name}: only linux-source-6.12 and linux-source-7.3 are "
                 "known")
    return match[1]


def unpack(archive, build, tests=None, is_wanted=lambda name: False):
    """The folder with the tests: one for each archive, since upgrades keep its name.

    Looking through the archive takes a minute, so what is there already stays.
    """
    source = archive.stat()
    folder = build / f"{archive.name}-{source.st_size}-{int(source.st_mtime)}"
    wanted = {name for names, *_ in tests or TESTS for name in names
              if not name.startswith("tests/") and not (folder / name).exists()}
    if not wanted:
        return folder
    more = tests is not None
    with tarfile.open(archive) as tar:
        for member in tar:
            name = member.name.partition("/")[2]
            if member.isfile() and (name in wanted or is_wanted(name)):
                put(folder / name, tar.extractfile(member).read())
                wanted.discard(name)
                if not wanted and not more:
                    return folder
    if not wanted:
        return folder
    sys.exit(f"{archive} lacks {', '.join(sorted(wanted))}")


def put(target, content):
    """Aside first, so that a file is whole or not there, whenever this is ended."""
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.with_name(f"{target.name}.{os.getpid()}")
    unfinished.write_bytes(content)
    unfinished.rename(target)


def leaks(name, errors):
    # Code that is built into a kernel never removes its files.
    left = [line for line in errors.splitlines()
            if "leak:" in line and "/sys/kernel/debug/fail_mempool_alloc" not in line]
    return name not in LEAKING and bool(left)


def headers_first(folder, names):
    """A folder of these headers of the kernel's, which stand before usermm's."""
    first = folder / f"first-{hashlib.sha256(' '.join(names).encode()).hexdigest()[:16]}"
    for name in names:
        put(first / name.removeprefix("include/"), (folder / name).read_bytes())
    return first


def execute(command, **environment):
    """(status, standard output, standard error); nothing of it is left running."""
    process = subprocess.Popen(command, text=True, errors="replace", stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               start_new_session=True, env=dict(os.environ, **environment))
    try:
        output, errors = process.communicate(timeout=LIMIT_SECONDS)
        return process.returncode, output, errors
    except subprocess.TimeoutExpired:
        return None, "", f"run_upstream: not through in {LIMIT_SECONDS} seconds\n"
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def run(usermm, folder, test, version="6.12"):
    """The verdict, whether it is as listed, and the output."""
    names, arguments, pattern, missing, *status = test
    sources = [str((ROOT if name.startswith("tests/") else folder) / name)
               for name in sorted(names, key=lambda name: STARTER not in name)
               if name.endswith(".c")]
    arguments = [argument.replace("{folder}", str(folder)) for argument in arguments]
    compiler = [os.environ.get("CC", "cc")]
    compiler += [f"-iquote{(ROOT / name).parent}" for name in names
                 if name.startswith("tests/") and name.endswith(".h")]
    first = [name for name in names if name.startswith("include/")]
    if version != "6.12":
        first += upstream_7_3.first_headers(names[0])
    if first:
        compiler.append(f"-I{headers_first(folder, first)}")
    code, out, errors = execute([usermm, "module", f"--linux={version}",
                                 f"-I{folder / 'include'}", *arguments, *sources],
                                CC=" ".join(compiler))
    output = out + errors
    shown = bool(re.search(pattern, output))
    passed = (code == (status[0] if status else 0) and not leaks(names[0], errors) and
              "\nnot ok" not in output)
    if not missing:
        return ("passed" if passed and shown else "FAILED"), passed and shown, output
    if passed and not shown:
        return "passes, but is listed", False, output
    return (f"not yet: {missing}" if shown else "FAILED, and not as listed"), shown, output


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("usermm")
    parser.add_argument("archive", type=Path)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("names", nargs="*", metavar="NAME")
    args = parser.parse_intermixed_args()

    if not Path(args.usermm).is_file():
        parser.error(f"{args.usermm} is not there")
    if not args.archive.is_file():
        sys.exit(f"run_upstream: {args.archive} is not there: install Debian's package "
                 f"{args.archive.name.partition('.tar')[0] or args.archive.name}")
    version = version_of(args.archive)
    if version == "6.12":
        tests, folder = TESTS, unpack(args.archive, args.build)
    else:
        tests = upstream_7_3.TESTS
        folder = unpack(args.archive, args.build, tests, upstream_7_3.is_wanted)
    failed, rows = 0, []
    for test in tests:
        if args.names and not any(name in test[0][0] for name in args.names):
            continue
        begin = time.monotonic()
        verdict, as_listed, output = run(args.usermm, folder, test, version)
        if args.verbose or not as_listed:
            print(output)
        print(f"{test[0][0]:28} {verdict}, {time.monotonic() - begin:.1f} s", flush=True)
        failed += not as_listed
        rows.append(kernel_tests_table.row(test[0], test[1], test[3], output))
    if args.names:
        return 1 if failed else 0
    return 1 if failed or not table_is_right(rows, args.write, version) else 0


def table_is_right(rows, write, version="6.12"):
    if write:
        kernel_tests_table.write(rows, version=version)
    wrong = kernel_tests_table.compare(rows, version=version)
    for line in wrong:
        print(f"{kernel_tests_table.DOCUMENT.name}: {line}", end="")
    return not wrong


if __name__ == "__main__":
    sys.exit(main())
