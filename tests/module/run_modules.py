#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the sample modules beside this file through `usermm module`.

    run_modules.py USERMM

Each case says what the exit status, standard output and standard error have to be.
"""
import fcntl
import os
import pty
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest
from pathlib import Path

from modules import LIMIT_SECONDS, ModuleTest, run_module

SAMPLES = Path(__file__).resolve().parent / "samples"
KERNEL = Path(__file__).resolve().parents[2] / "include/kernel"
MACHINE = Path("/usr/include")          # its headers are for programs
USERMM = None


def run(*arguments, env=None):
    return run_module(USERMM, SAMPLES, *arguments, env=env)


def waiting_bytes(fd):
    """How much is there to be read."""
    return struct.unpack("i", fcntl.ioctl(fd, termios.FIONREAD, bytes(4)))[0]


class Results(ModuleTest):
    def check_hang(self, seconds, arguments, patterns):
        """It is ended, and located: after more seconds where it has not come so far by then."""
        for limit in (seconds, 10, 60):
            result = run(f"--timeout={limit}", *arguments)
            if all(re.search(pattern, result.stderr) for pattern in patterns):
                break
        self.check(result, 124, err=[f"still running after {limit} seconds", *patterns])

    def test_loads_and_unloads(self):
        result = run("ok.c")
        self.check(result, 0, [r"^\[ *\d+\.\d{6}\] ok: loaded\n\[ *\d+\.\d{6}\] ok: unloaded\n$"])
        self.assertEqual(result.stderr, "")

    def test_nodes(self):
        for nodes, options, cpus in ((1, "", "2"), (2, "nodes=2", "5"), (2, "nodes=2", "1"),
                                     (3, "nodes=3:zone_normal=32M:rseq=off", "3"),
                                     (12, "nodes=12", "64")):
            with self.subTest(nodes=nodes, options=options, cpus=cpus):
                result = run("nodes.c", f"expected_nodes={nodes}",
                             env={"USERMM_OPTIONS": options, "USERMM_KERNEL_CPUS": cpus})
                self.check(result, 0, ["# nodes: pass:6 fail:0 skip:0"], not_out=["leak"])
                # A page of a node that is not there is reported, once.
                self.assertNotIn("BUG", result.stderr)

    def test_areas_in_scattered_memory(self):
        for flags, passed in ([], 2), (["-D", "WITH_VIEWS"], 3):
            with self.subTest(flags):
                result = run("--timeout=20", "-o", "zone_normal=16M:background=off", *flags,
                             "scattered.c")
                self.check(result, 0, [f"# scattered: pass:{passed} fail:0 skip:0"])

    def test_names_of_the_librarys_are_free(self):
        result = run("own_names.c")
        self.check(result, 0, [r"the library's: text, 0\n", r"the module's: none, 1, 42\n"])

    def test_names_of_libcs_are_free(self):
        for name in ("write", "open", "syscall", "clock_gettime"):
            with self.subTest(name):
                result = run("own_names.c", "-D", f"OWN_INT={name}")
                self.check(result, 0, [r"the module's: none, 1, 42\n"])

    def test_functions_of_libcs_are_free(self):
        # The library calls all of these.
        for name in ("write", "mmap", "malloc", "free", "pthread_create", "syscall", "sigaction"):
            for compiler in filter(shutil.which, ("cc", "clang")):
                with self.subTest(name=name, compiler=compiler):
                    result = run("own_function.c", "-D", f"OWN_FUNCTION={name}",
                                 env={"CC": compiler})
                    self.check(result, 0, [r"calls of others: 0\n", r"the module's: 42\n"])
        self.check(run("own_function.c", "-D", "OWN_FUNCTION=write", "how=crash"), 134,
                   [r"calls of others: 0\n"], [r"BUG: .* in crashes", "ended by signal"])

    def test_nothing_of_a_module_is_offered_to_libraries(self):
        # Also functions that only libc calls. A compiler that keeps the program lets the test see
        # its exported names.
        with tempfile.TemporaryDirectory() as folder:
            compiler, kept = Path(folder, "cc"), Path(folder, "kept")
            compiler.write_text('#!/bin/sh\ncc "$@" || exit\nfor last; do :; done\n'
                                f'case $last in */module) cp "$last" {kept};; esac\n')
            compiler.chmod(0o755)
            for source, name in (("own_function.c", "write"), ("own_function.c", "realloc")):
                result = run(source, "-D", f"OWN_FUNCTION={name}", env={"CC": str(compiler)})
                self.check(result, 0)
                symbols = subprocess.run(["nm", "-D", "--defined-only", kept], text=True,
                                         capture_output=True, check=True).stdout
                self.assertNotRegex(symbols, rf"\b{name}\b")

    def test_some_views_may_be_the_modules(self):
        self.check(run("own_views.c"), 0, [r"the library's: 1, the module's: 5\n"])

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
                self.check(result, 0, ["pass:7 fail:0 skip:0"], not_out=["BUG"])
                self.assertEqual(result.stderr, "")
                self.assertEqual(result.stdout.count("are no part of an object"), 3)
        result = run("-o", "slab_debug=FZU,kmalloc-32", "slab_debug.c", "mistake=1")
        self.check(result, 0, [
            r"\] \[kmalloc Redzone overwritten\] .* First byte 0x5 instead of 0xcc\n",
            r"\] BUG kmalloc-32 \(Not tainted\): Object corrupt\n",
            r"\] Allocated in (allocates|slab_debug_init)\+0x.* age=\d+ cpu=\d+ pid=\d+\n",
            r"\] FIX kmalloc-32: Restoring kmalloc Redzone ", r"\] FIX kmalloc-32: Object at "],
            ["leak: 1 objects of kmalloc-32"])
        dumped = re.search(r"at 5 of ([0-9a-f]+): slab kmalloc-32 start ([0-9a-f]+) "
                           r"data offset (\d+) pointer offset 5 size 32 allocated at \w+\+0x",
                           result.stdout)
        self.assertTrue(dumped, result.stdout)
        self.assertEqual(int(dumped[1], 16), int(dumped[2], 16) + int(dumped[3]))

    def test_faults(self):
        self.check(run("fault.c"), 0, [r"fault: made at the [4-9]th try", r"\] fault: 5 of its own",
                                       "name own_fault, interval 3, probability 100, space 0, "
                                       "times 1"])
        result = run("-o", "failslab=1,100,0,1,ignore-gfp-wait=0", "fault.c")
        self.check(result, 0, ["fault: made at"])

    def test_leaks_name_caches_that_are_one_with_others(self):
        self.check(run("leak.c", "caches=2"), 0, err=[
            "cache leaked was not destroyed, 2 objects", "cache leaked, one with leaked, was not"])
        self.check(run("leak.c", "merged=2"), 0, err=[
            r"leak: 2 objects of kmalloc-64 or small_things \(merged; slab_merge=off"])
        self.check(run("-o", "slab_merge=off", "leak.c", "merged=1"), 0,
                   ["BUG small_things .*: Objects remaining"], ["leak: 1 pages"])

    def test_crashes_name_function_and_stack(self):
        for how, function, signal in (("bug", "hits_bug", 6), ("null", "writes_to_null", 11),
                                      ("double_free", "frees_twice", 6)):
            with self.subTest(how):
                self.check(run("crash.c", f"how={how}"), 128 + signal, ["before"],
                           [rf"BUG: .* in {function}", r"Call Trace:\n", r"\n  crash_init\+0x",
                            "ended by signal"], ["not reached"])

    def test_reports_name_functions(self):
        """The module's file is gone when they are read."""
        for options, functions in (
                ("bad_page=report", ["frees_page_twice"]),
                ("page_owner=1", ["frees_page_twice", "takes_page"]),
                ("page_owner=1:stats=1", ["takes_page", "keeps_page"]),
                ("fail_page_alloc=1,100,0,-1,min-order=0,ignore-gfp-wait=0", ["takes_page"])):
            with self.subTest(options):
                result = run("-o", options, "pages.c")
                self.check(result, 0, err=[rf"\n(usermm: )? {function}\+0x[0-9a-f]+/0x[0-9a-f]+\n"
                                           for function in functions])
                self.assertNotRegex(result.stdout + result.stderr, r"/module\+0x")

    def test_second_frees_by_kfree_rcu(self):
        for how, text in (("later_second", "already free"), ("later_both", "grace period"),
                          ("later_aba", "grace period")):
            with self.subTest(how):
                self.check(run("crash.c", f"how={how}"), 134, ["before"],
                           [rf"usermm: kfree_rcu\(.*{text}.*: double free"], ["not reached"])

    def test_second_frees_of_what_waits(self):
        """Reported by the call itself, because the object's mark is not among the bytes that
        readers look at."""
        for how in ("later_first", "waits", "behind_large"):
            with self.subTest(how):
                self.check(run("crash.c", f"how={how}"), 134, ["before"],
                           [r"usermm: kfree\(.*grace period.*: double free"],
                           ["not reached", "behind"])
        self.check(run("crash.c", "how=behind_small"), 134, ["before", "behind kfree"],
                   [r"usermm: kfree\(.*already free.*: double free"], [r"behind\n"])

    def test_second_frees_by_kfree_rcu_with_debugging(self):
        for options in ("slab_debug=P", "slab_debug=PZU"):
            for how, text in (("waits", r"kfree\(.*grace period"),
                              ("later_second", r"kfree_rcu\(.*already free"),
                              ("later_both", r"kfree_rcu\(.*grace period")):
                with self.subTest(options=options, how=how):
                    self.check(run("crash.c", f"how={how}", env={"USERMM_OPTIONS": options}), 134,
                               ["before"], [rf"usermm: {text}.*: double free"],
                               ["not reached", "behind"])
        for options in ("page_poison=1", "debug_pagealloc=1", "init_on_free=1"):
            with self.subTest(options=options):
                self.check(run("crash.c", "how=waits_block", env={"USERMM_OPTIONS": options}), 134,
                           ["before"], [r"usermm: kfree\(.*grace period.*: double free"],
                           ["behind"])
        for options in ("slab_debug=F", "slab_debug=FZPU"):
            for how, text in (("waits", "waits for the end of a grace period"),
                              ("later_second", "already free"),
                              ("later_both", "waits for the end of a grace period")):
                with self.subTest(options=options, how=how):
                    result = run("crash.c", f"how={how}", env={"USERMM_OPTIONS": options})
                    self.check(result, 0, [rf"BUG kmalloc-\w+ .*: Object {text}"])
                    self.assertEqual(result.stdout.count("BUG"), 1, result.stdout)

    def test_crashes_everywhere_are_located(self):
        for where in ("init", "exit", "kthread", "timer", "work"):
            for how, function, status in (("stack", "overflows_the_stack", 139),
                                          ("call", "calls_nothing", 139),
                                          ("bug_in_lock", "fails_with_a_lock", 134)):
                with self.subTest(where=where, how=how):
                    result = run("trouble.c", f"how={how}", f"where={where}")
                    self.check(result, status, ["before"],
                               [rf"BUG: .* in {function}", rf"\n  {function}", "ended by signal"])
                    self.assertEqual(result.stderr.count("BUG:"), 1, result.stderr)
        self.check(run("trouble.c", "how=partial_line"), 139, [r"\] so far\n"],
                   [r"in the sources:\n(.*\n)?.*happens at trouble\.c:\d+"])

    def test_the_library_s_code_is_told_from_the_module_s(self):
        """All code of the archive is in one section; a crash is never said to be in the library."""
        archive = Path(USERMM).with_name("libusermm_kernel.a")
        shown = subprocess.run(["readelf", "--sections", "--wide", archive], text=True, check=True,
                               capture_output=True, env={**os.environ, "LC_ALL": "C"}).stdout
        library = next(part for part in shown.split("\nFile: ") if "(usermm_kernel.o)" in part)
        sizes = re.findall(r"\] (\S+) +PROGBITS +\w+ \w+ (\w+)", library)
        code = {name for name, size in sizes if int(size, 16) and "text" in name}
        self.assertEqual(code, {"usermm_text"})

    def test_hangs_are_located(self):
        for how, patterns in (("loop", ["loops_without_interrupts"]), ("wait", ["happens|init"]),
                              ("lock", ["takes_it_twice"]),
                              ("deadlock", ["takes_first_second",
                                            "thread opponent is in takes_second_first"])):
            for where in ("init", "exit") if how == "wait" else ("init",):
                with self.subTest(how=how, where=where):
                    self.check_hang(1, ["trouble.c", f"how={how}", f"where={where}"], patterns)

    def test_what_would_still_run_is_reported(self):
        for how, line in (("timer", "timer of timer_function.* is still pending"),
                          ("hrtimer", "timer of hrtimer_function.* is still pending"),
                          ("delayed", "timer of work_function.* is still pending"),
                          ("queue", "work queue left_over was not destroyed"),
                          ("percpu", "leak: 8 bytes of each CPU's memory")):
            with self.subTest(how):
                result = run("trouble.c", f"how={how}", "where=behind")
                self.check(result, 0, ["after"], [line])
                self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.check(run("trouble.c", "how=stays", "where=kthread"), 0,
                   err=["thread troubled still runs"])
        self.assertEqual(run("trouble.c", "how=rcu", "where=behind").stderr, "")

    def test_halves_of_a_module(self):
        for sources in (("halves_init.c", "halves_exit.c"), ("halves_exit.c", "halves_init.c")):
            with self.subTest(sources):
                self.check(run("text=last", *sources, "result=0"), 0,
                           [r"(?s)circle 505\n.*gone with last\n"])
                self.check(run(*sources, "result=-5"), 5, ["circle"], ["EIO"], ["gone"])

    def test_sources_of_the_same_name(self):
        self.check(run("ok.c", "elsewhere/ok.c"), 0,
                   ["(?s)ok: loaded.*elsewhere: loaded.*elsewhere: unloaded.*ok: unloaded"])
        self.check(run("elsewhere/ok.c"), 0, ["(?s)elsewhere: loaded.*elsewhere: unloaded"])

    def test_equals_sign_in_the_path_of_a_source(self):
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder, "a=b", "ok.c")
            source.parent.mkdir()
            shutil.copy(SAMPLES / "ok.c", source)
            self.check(run(str(source)), 0, ["ok: loaded"])
        self.check(run("params.c", "a_charp=ok.c"), 0, ["texts ok.c"])

    def check_overflow(self, options, *parameters):
        with self.subTest(options=options, parameters=parameters):
            self.check(run(*options, "overflow.c", *parameters), 139, ["all bytes are the area's"],
                       not_out=["nobody saw it"])

    def test_an_overflow_of_a_vmalloc_area_is_seen(self):
        # Blocks of pages up to the largest, and an area larger than any block.
        for options in ([], ["-o", "debug_pagealloc=1"], ["-o", "slab_cpu_cache=slab"]):
            for pages in (1, 2, 3, 16, 512, 1022, 1023, 3000):
                self.check_overflow(options, f"pages={pages}")
        for pages in (1, 3, 1022, 3000):
            self.check_overflow([], f"pages={pages}", "in_front=1")

    def test_a_usual_driver(self):
        self.check(run("usual_driver.c"), 0, [r"twice 21 is 42, cookie 16\n"])

    def test_terminal_that_stops_what_is_not_in_front(self):
        leader, follower = pty.openpty()
        mode = termios.tcgetattr(follower)
        mode[3] |= termios.TOSTOP
        termios.tcsetattr(follower, termios.TCSANOW, mode)
        # The limit is the tool's own: a module that is stopped would be ended by it.
        process = subprocess.Popen(
            [USERMM, "module", "--timeout=20", "ok.c"], cwd=SAMPLES, stdin=follower,
            stdout=follower, stderr=follower, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        try:
            self.assertEqual(process.wait(LIMIT_SECONDS), 0)
            self.assertIn(b"ok: unloaded", os.read(leader, 4096))
        finally:
            process.kill()
            os.close(leader)
            os.close(follower)

    def test_quotes_in_parameters(self):
        self.check(run("params.c", 'a_charp="two words"', 'a_string="x"', 'an_array="1,2"',
                       'words="a b",c'), 0, [r"texts two words x\n", r"array 2: 1 2 0 0\n"])
        self.check(run("params.c", '"a_charp=two words"', "a_string="), 0,
                   [r"texts two words \n"])
        result = run("params.c", "a_charp=" + 1025 * "x")
        self.check(result, 2, not_out=["."])
        self.assertEqual(result.stderr.count("\n"), 1)

    def test_nothing_is_left_when_it_is_ended(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            with self.subTest(number), tempfile.TemporaryDirectory() as folder:
                # The tests' own caller may ignore this signal, and an ignored signal ends nothing.
                process = subprocess.Popen(
                    [USERMM, "module", "trouble.c", "how=wait"], cwd=SAMPLES, text=True,
                    stdout=subprocess.PIPE, env={**os.environ, "TMPDIR": folder},
                    preexec_fn=lambda number=number: signal.signal(number, signal.SIG_DFL))
                process.stdout.readline()
                task = Path("/proc", str(process.pid), "task", str(process.pid))
                children = (task / "children").read_text().split()
                self.assertEqual(len(children), 1)
                process.send_signal(number)
                self.assertEqual(process.wait(LIMIT_SECONDS), -number)
                process.stdout.close()
                self.assertFalse(os.path.exists(f"/proc/{children[0]}"))
                self.assertEqual(os.listdir(folder), [])

    def test_nothing_is_left_when_nobody_reads(self):
        with tempfile.TemporaryDirectory() as folder:
            process = subprocess.Popen([USERMM, "module", "missing.c"], cwd=SAMPLES,
                                       stderr=subprocess.PIPE,
                                       env={**os.environ, "TMPDIR": folder})
            process.stderr.close()
            self.assertEqual(process.wait(LIMIT_SECONDS), -signal.SIGPIPE)
            self.assertEqual(os.listdir(folder), [])

    def test_compiler_is_ended_with_it(self):
        with tempfile.TemporaryDirectory() as folder:
            fifo = os.path.join(folder, "slow.h")
            os.mkfifo(fifo)
            Path(folder, "slow.c").write_text('#include "slow.h"\n')
            tmp = Path(folder, "tmp")
            tmp.mkdir()
            process = subprocess.Popen([USERMM, "module", "slow.c"], cwd=folder,
                                       env={**os.environ, "TMPDIR": str(tmp)})
            # It opens the file when it gets there: the other end blocks until then.
            with open(fifo, "w"):
                process.send_signal(signal.SIGTERM)
                self.assertEqual(process.wait(LIMIT_SECONDS), -signal.SIGTERM)
            self.assertEqual(os.listdir(tmp), [])

    def test_places(self):
        with tempfile.TemporaryDirectory() as folder:
            odd = Path(folder, "a folder with blanks")
            odd.mkdir()
            shutil.copy(SAMPLES / "ok.c", odd / "ok ay.c")
            odd.chmod(0o555)
            result = subprocess.run([USERMM, "module", "ok ay.c"], cwd=odd, text=True,
                                    capture_output=True, timeout=LIMIT_SECONDS)
            self.check(result, 0, ["loaded"])
            odd.chmod(0o755)
        self.check(run("ok.c", env={"TMPDIR": "/nowhere"}), 1, err=["/nowhere.*No such file"])
        self.check(run("ok.c", env={"TMPDIR": ""}), 0, ["loaded"])
        with tempfile.TemporaryDirectory(suffix=", a comma") as folder:
            self.check(run("ok.c", env={"TMPDIR": folder}), 0, ["loaded"])

    def test_at_the_same_time(self):
        processes = [subprocess.Popen([USERMM, "module", "result.c", f"result=-{n}"], cwd=SAMPLES,
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                     for n in range(1, 7)]
        self.assertEqual([process.wait(LIMIT_SECONDS) for process in processes],
                         [1, 2, 3, 4, 5, 6])

    def test_hang_is_stopped_and_located(self):
        self.check_hang(2, ["crash.c", "how=loop"],
                        [r"is in runs_forever\+0x", r"\n  crash_init\+0x"])

    def test_threads_may_take_long_to_say_where_they_are(self):
        first = ("usermm module: still running after 1 seconds (--timeout=SECONDS sets the limit);"
                 " its threads:\n")
        ours, theirs = os.pipe()
        # There is room for the tool's own lines, but not for a thread's first line.
        room = fcntl.fcntl(theirs, fcntl.F_SETPIPE_SZ, 4096)
        filled = os.write(theirs, b"x" * (room - len(first) - 20))
        process = subprocess.Popen([USERMM, "module", "--timeout=1", "crash.c", "how=loop"],
                                   cwd=SAMPLES, stdout=subprocess.DEVNULL, stderr=theirs)
        os.close(theirs)
        with os.fdopen(ours, "rb") as reader:
            while waiting_bytes(ours) < filled + len(first) and process.poll() is None:
                time.sleep(0.01)
            time.sleep(1)
            said = reader.read()[filled:].decode()
        self.assertEqual(process.wait(LIMIT_SECONDS), 124, said)
        self.assertRegex(said, rf"^{re.escape(first)}INFO: thread \S+ is in runs_forever\+0x")
        self.assertRegex(said, r"in the sources:\n(.*\n)*?runs_forever at crash\.c:\d+")

    def test_missing_name(self):
        self.check(run("missing.c"), 1,
                   err=["error: .*frobnicate_the_page_tables", r"docs/kernel-headers\.md"])

    @staticmethod
    def headers_for_programs():
        """Two of the machine's that usermm lacks: one alone, one that includes another such one."""
        alone = nested = None
        for path in sorted(MACHINE.glob("linux/*.h")):
            name = f"linux/{path.name}"
            included = re.findall(r"^\s*#\s*include\s*<(.*)>", path.read_text(errors="replace"),
                                  re.MULTILINE)
            if (KERNEL / name).exists():
                continue
            if not included:
                alone = alone or name
            elif any((MACHINE / other).exists() and not (KERNEL / other).exists()
                     for other in included if other.startswith("linux/")):
                nested = nested or name
        return alone, nested

    def test_header_of_the_machine(self):
        """A header that usermm lacks, and the machine has for programs, is named after an error."""
        alone, nested = self.headers_for_programs()
        if not alone or not nested:
            self.skipTest(f"{MACHINE} has no such headers")
        with tempfile.TemporaryDirectory() as folder:
            headers = Path(folder) / "include"
            (headers / "linux").mkdir(parents=True)
            (headers / "linux/own.h").write_text("struct own { int x; };\n")
            source = Path(folder) / "source/wrong.c"
            source.parent.mkdir()
            text = ("#include <linux/module.h>\n#include <{}>\n"
                    "{}static int __init start(void)\n{{\n\treturn 0;\n}}\n"
                    'module_init(start);\nMODULE_LICENSE("GPL");\n')
            wrong = "static struct for_the_kernel k;\n"
            compilers = [name for name in ("gcc", "clang") if shutil.which(name)]
            for compiler in compilers:
                with self.subTest(compiler):
                    env = {"CC": compiler}
                    for name in (alone, nested):
                        line = (rf"usermm module: <{re.escape(name)}> is the machine's header for "
                                rf"programs, {re.escape(str(MACHINE / name))}; usermm has no "
                                r"kernel header of that name\n")
                        source.write_text(text.format(name, wrong))
                        result = run(str(source), env=env)
                        self.check(result, 1, err=["error: .*(storage size|never completed)",
                                                   line, r"not built; the names"])
                        self.assertEqual(result.stderr.count("header for programs"), 1)
                    # A source that builds is not told.
                    source.write_text(text.format(alone, ""))
                    self.check(run(str(source), env=env), 0)
                    self.assertNotIn("header for programs", run(str(source), env=env).stderr)
                    # One's own folders may have any header, however the compiler is told of them.
                    source.write_text(text.format("linux/own.h", wrong))
                    for arguments, more in (([f"-I{headers}"], {}),
                                            ([], {"CC": f"{compiler} -I{headers}"}),
                                            ([], {"CC": f"{compiler} -isystem {headers}"}),
                                            ([], {"CPATH": str(headers)})):
                        result = run(*arguments, str(source), env={**env, **more})
                        self.check(result, 1, err=["error: "])
                        self.assertNotIn("header for programs", result.stderr)

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
        for version in ("4.9", "5.15", "6.12", "6.18", "7.3"):
            with self.subTest(version):
                self.check(run(f"--linux={version}", "bench_page.c", "loops=2000"), 0,
                           [r"Completed\. Time: \d+ us \(Avg: \d+\.\d\d ns per alloc\+free loop\)",
                            r"Per elem: \d+ cycles\(tsc\) \(step:256\)", "2 threads, result 0",
                            "Test completed"])
        self.check(run("--linux=4.0", "bench_slab.c"), 0,
                   [r"10000 times kmalloc\(8\) -> \d+ cycles kfree -> \d+ cycles",
                    r"10000 times kmalloc\(16384\)/kfree -> \d+ cycles", "remote free done"],
                   not_out=["not reached"])

    def test_versions(self):
        result = run("--linux=9.1", "ok.c")
        self.check(result, 0, ["loaded"], ["Linux 9.1 is newer than 7.3, the newest that is known"])
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        for version in ("3.19", "2.6.39", "0.0"):
            result = run(f"--linux={version}", "release.c")
            self.check(result, 0, [rf"\] {re.escape(version)}(\.0)? "],
                       ["Linux [0-9.]+ is older than 4.0, the oldest that is known, whose rules"])
            self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        for version in ("4.0", "7.3"):
            self.assertEqual(run(f"--linux={version}", "ok.c").stderr, "")
        for version in ("4.19.100", "10.20.30", "199.205.9", "255.110.255"):
            self.check(run(f"--linux={version}", "release.c"), 0,
                       [rf"\] {version} {version} {version}\n"])
        self.check(run("--linux=6.12", "removed.c"), 0, ["still there"])
        self.check(run("removed.c"), 1,
                   err=["del_timer.? is unavailable: Linux 6.15 removed it; use timer_delete"])

    def test_wrong_arguments(self):
        for arguments in ([], ["nothing.c"], ["a=1"], ["--what", "ok.c"], ["--timeout=x", "ok.c"],
                          ["--timeout=", "ok.c"], ["--timeout= 1", "ok.c"],
                          ["--timeout=-1", "ok.c"], ["--timeout=99999999999", "ok.c"],
                          ["ok.c", "elsewhere"], ["ok.c", "elsewhere/ok"],
                          ["--linux=6", "ok.c"], ["-o", "nope=1", "ok.c"]):
            with self.subTest(arguments):
                result = run(*arguments)
                self.check(result, 2)
                self.assertEqual(result.stderr.count("\n"), 1, result.stderr)

    def test_folder_for_a_source(self):
        with tempfile.TemporaryDirectory(suffix=".c") as folder:
            result = run(folder)
            self.check(result, 2, err=["Is a directory"])
            self.assertEqual(result.stderr.count("\n"), 1, result.stderr)

    def test_names_that_are_no_strings(self):
        with tempfile.TemporaryDirectory(suffix='"\n\\') as folder:
            for name in ('quo"te.c', "new\nline.c", "back\\slash.c", "delete\x7f.c"):
                with self.subTest(name):
                    result = run(shutil.copy(SAMPLES / "ok.c", Path(folder, name)))
                    self.check(result, 2, err=["^usermm module: a module's name has no "])
                    self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
            for name in ("a folder's are free.c", "h\u00e9.c"):
                with self.subTest(name):
                    source = shutil.copy(SAMPLES / "ok.c", Path(folder, name))
                    self.check(run(source), 0, ["loaded"])

    def test_compiler_of_choice(self):
        self.check(run("ok.c", env={"CC": "no-such-compiler"}), 1, err=["no-such-compiler"])
        self.check(run("--compile-only", "ok.c"), 0)
        self.check(run("ok.c", env={"CC": " cc  -DA_DEFINE=1 "}), 0, ["loaded"])
        self.check(run("-D", "UNUSED", "-I", str(SAMPLES), "--timeout=0", "ok.c"), 0, ["loaded"])
        result = run("ok.c", env={"CC": "", "PATH": "/nowhere"})
        self.check(result, 1, err=["no C compiler is installed"])
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        if shutil.which("clang"):
            self.check(run("ok.c", env={"CC": "clang"}), 0, ["loaded"])
            self.check(run("trouble.c", "how=call", env={"CC": "clang"}), 139,
                       err=["in (calls_nothing|happens|trouble_init)"])


if __name__ == "__main__":
    USERMM = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
