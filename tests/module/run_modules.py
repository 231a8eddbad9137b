#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the sample modules beside this file through `usermm module`.

    run_modules.py USERMM

Each case says what the exit status, standard output and standard error have to be.
"""
import os
import subprocess
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
USERMM = None
LIMIT_SECONDS = 100


def run(*arguments, env=None):
    return subprocess.run([USERMM, "module", *arguments], cwd=HERE, text=True,
                          capture_output=True, timeout=LIMIT_SECONDS,
                          env={**os.environ, **(env or {})})


class Results(unittest.TestCase):
    def check(self, result, status, out=(), err=(), not_out=()):
        everything = f"status {result.returncode}\n{result.stdout}\n{result.stderr}"
        self.assertEqual(result.returncode, status, everything)
        for pattern in out:
            self.assertRegex(result.stdout, pattern, everything)
        for pattern in err:
            self.assertRegex(result.stderr, pattern, everything)
        for pattern in not_out:
            self.assertNotRegex(result.stdout, pattern, everything)

    def test_loads_and_unloads(self):
        result = run("ok.c")
        self.check(result, 0, [r"^\[ *\d+\.\d{6}\] ok: loaded\n\[ *\d+\.\d{6}\] ok: unloaded\n$"])
        self.assertEqual(result.stderr, "")

    def test_eagain_is_accepted_and_does_not_stay(self):
        self.check(run("result.c", "result=-11"), 0, ["returning -11"], not_out=["exit"])

    def test_init_fails(self):
        self.check(run("result.c", "result=-12"), 12, ["returning -12"],
                   [r"init returned -12 \(ENOMEM"], ["exit"])

    def test_positive_result_is_success(self):
        self.check(run("result.c", "result=5"), 0, ["exit"], ["init returned 5"])

    def test_parameters_of_all_types(self):
        result = run("params.c", "a_byte=255", "a_short=-5", "a_ushort=65535", "an_int=-0x10",
                     "a_uint=010", "a_long=-9223372036854775808", "a_ulong=18446744073709551615",
                     "a_ullong=1", "a_bool", "a_invbool=1", "a_charp=some text",
                     "a_string=seven77", "shown-name=77", "an_array=1,-2,3", "words=a,b",
                     "params.even=4")
        self.check(result, 0, [
            r"numbers 255 -5 65535 -16 8 -9223372036854775808 18446744073709551615 1\n",
            r"bools 1 0\n", r"texts some text seven77\n", r"named 77 even 4\n",
            r"array 3: 1 -2 3 0\n", r"words a,b,\n"])

    def test_parameters_that_are_wrong(self):
        for argument in ("a_byte=256", "a_byte=-1", "a_short=32768", "an_int=4x", "an_int=",
                         "an_int", "a_ulong=18446744073709551616", "a_bool=maybe",
                         "a_string=eight888", "an_array=1,2,3,4,5", "an_array=1,,2",
                         "even=3", "nothing=1", "hidden_name=1", "other.an_int=1"):
            with self.subTest(argument):
                result = run("params.c", argument)
                self.check(result, 2, not_out=["."])
                self.assertEqual(result.stderr.count("\n"), 1, result.stderr)

    def test_leaks_are_reported(self):
        self.check(run("leak.c"), 0)
        self.assertEqual(run("leak.c").stderr, "")
        self.check(run("leak.c", "pages=3"), 0, err=["leak: 3 pages"])
        self.check(run("leak.c", "objects=2"), 0, err=["leak: 2 objects of kmalloc-512"])
        self.check(run("leak.c", "caches=1"), 0, err=["cache leaked was not destroyed, 1 objects"])
        self.check(run("leak.c", "areas=1"), 0, err=["leak: 1 vmalloc areas of 12288 bytes"])

    def test_slab_debugging(self):
        for options in ([], ["-o", "slab_debug=FZPU"], ["-o", "slab_debug=U,kmalloc-*"],
                        ["-o", "rseq=off"]):
            with self.subTest(options):
                result = run(*options, "slab_debug.c")
                self.check(result, 0, ["pass:6 fail:0 skip:0"], not_out=["BUG"])
                self.assertEqual(result.stderr, "")
        self.check(run("-o", "slab_debug=FZU,kmalloc-32", "slab_debug.c", "mistake=1"), 0, [
            r"\] \[kmalloc Redzone overwritten\] .* First byte 0x5 instead of 0xcc\n",
            r"\] BUG kmalloc-32 \(Not tainted\): Object corrupt\n",
            r"\] Allocated in (allocates|slab_debug_init)\+0x.* age=\d+ cpu=\d+ pid=\d+\n",
            r"\] FIX kmalloc-32: Restoring kmalloc Redzone ", r"\] FIX kmalloc-32: Object at "],
            ["leak: 1 objects of kmalloc-32"])

    def test_leaks_name_caches_that_are_one_with_others(self):
        self.check(run("leak.c", "caches=2"), 0, err=[
            "cache leaked was not destroyed, 2 objects", "cache leaked, one with leaked, was not"])

    def test_crashes_name_function_and_stack(self):
        for how, function, signal in (("bug", "hits_bug", 6), ("null", "writes_to_null", 11),
                                      ("double_free", "frees_twice", 6)):
            with self.subTest(how):
                self.check(run("crash.c", f"how={how}"), 128 + signal, ["before"],
                           [rf"BUG: .* in {function}", r"Call Trace:\n", r"\n  crash_init\+0x",
                            "ended by signal"], ["not reached"])

    def test_hang_is_stopped_and_located(self):
        self.check(run("--timeout=2", "crash.c", "how=loop"), 124,
                   err=["still running after 2 seconds", r"is in runs_forever\+0x",
                        r"\n  crash_init\+0x"])

    def test_missing_name(self):
        self.check(run("missing.c"), 1,
                   err=["error: .*frobnicate_the_page_tables", r"docs/KERNEL-HEADERS\.md"])

    def test_sources_are_linked_together(self):
        self.check(run("provider.c", "consumer.c"), 0,
                   ["(?s)provider: here.*consumer: got 42.*consumer: gone.*provider: gone"])
        self.check(run("consumer.c"), 1, err=["undefined reference to .provided"])

    def test_kunit(self):
        result = run("suite.c")
        self.check(result, 0, ["KTAP version 1", "# Subtest: module_suite", r"\nok 1 module_suite"])
        self.assertEqual(result.stderr, "")
        self.check(run("suite.c", "fail"), 1, ["not ok 1 may_fail", r"\nnot ok 1 module_suite"])

    def test_benchmarks(self):
        for version in ("4.9", "5.15", "6.12", "6.18"):
            with self.subTest(version):
                self.check(run(f"--linux={version}", "bench_page.c", "loops=2000"), 0,
                           [r"Completed\. Time: \d+ us \(Avg: \d+\.\d\d ns per alloc\+free loop\)",
                            r"Per elem: \d+ cycles\(tsc\) \(step:256\)", "2 threads, result 0",
                            "Test completed"])
        self.check(run("--linux=4.0", "bench_slab.c"), 0,
                   [r"10000 times kmalloc\(8\) -> \d+ cycles kfree -> \d+ cycles",
                    r"10000 times kmalloc\(16384\)/kfree -> \d+ cycles", "remote free done"],
                   not_out=["not reached"])

    def test_wrong_arguments(self):
        for arguments in ([], ["nothing.c"], ["a=1"], ["--what", "ok.c"], ["--timeout=x", "ok.c"],
                          ["--linux=6", "ok.c"], ["-o", "nope=1", "ok.c"]):
            with self.subTest(arguments):
                result = run(*arguments)
                self.check(result, 2)
                self.assertEqual(result.stderr.count("\n"), 1, result.stderr)

    def test_headers_stand_alone(self):
        headers = HERE.parent.parent / "include" / "kernel"
        for version in ("0x040000", "0x060c00"):
            for header in sorted(headers.rglob("*.h")):
                name = header.relative_to(headers)
                result = subprocess.run(
                    ["cc", "-std=gnu11", "-Wall", "-Werror", "-fsyntax-only", "-xc",
                     f"-DLINUX_VERSION_CODE={version}", f"-I{headers}", f"-I{headers.parent}", "-"],
                    input=f"#include <{name}>\n", text=True, capture_output=True)
                self.assertEqual(result.returncode, 0, f"{name} of {version}\n{result.stderr}")

    def test_compiler_of_choice(self):
        self.check(run("ok.c", env={"CC": "no-such-compiler"}), 1, err=["no-such-compiler"])
        self.check(run("--compile-only", "ok.c"), 0)


if __name__ == "__main__":
    USERMM = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
