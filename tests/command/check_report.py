#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`usermm record` and `usermm report`: the contents of the files, and the answers to bad input.

    check_report.py USERMM [--browser FOLDER]

--browser: also opens pages in a headless browser, in dark and light. FOLDER gets the screenshots.
"""
import json
import os
import random
import signal
import subprocess
import sys
import unittest
from pathlib import Path

from reports import (BAD_INPUT, ENDED, NO_INPUT, NO_OUTPUT, NO_PROCESS, USAGE, USERMM, BrowserCase,
                     Case, Page)


def bench(scale=1.0, spread=4.0, suite="kmalloc", cpu="A processor"):
    """A file of `usermm bench --json`."""
    rows = [{"name": name, "step": step, "cycles": 10 * scale * step ** 0.1,
             "ns": 3 * scale * step ** 0.1, "allocator": allocator, "spread_percent": spread}
            for name in ("alloc", "free") for step in (8, 64, 512)
            for allocator in ("usermm", "libc")]
    once = [{"name": name, "step": 1, "cycles": 5.0 * scale, "ns": 1.5 * scale}
            for name in ("coupled", "explicit", "<b>&\"bold\"</b>")]
    return {"machine": {"cpu": cpu, "cpus": 2, "tsc_hz": 2.5e9, "kernel": "Linux"},
            "calibration": {"rseq_pair_cycles": None},
            "suites": {suite: rows, "gfp-flags": once, "empty": []}}


def record(samples=20):
    """A file of `usermm record`."""
    lines = [{"usermm_record": 1, "pid": 1, "command": "server", "interval_seconds": 1.0}]
    for i in range(samples):
        lines.append({"time_seconds": i + 0.001, "rss_bytes": (i % 7 + 1) << 20,
                      "anonymous_bytes": (i % 7) << 20, "threads": 3, "cpu_percent": 50.0,
                      "caches": {"malloc-64_bytes": i << 16}})
    return "".join(json.dumps(line) + "\n" for line in lines)


class Report(Case):
    def test_figures_side_by_side(self):
        page = Page(self.report(self.write("old.json", bench()),
                                self.write("new.json", bench(0.5))))
        self.assertEqual(page.open, [])
        self.assertEqual(page.figures, 3)
        self.assertEqual(page.titles, ["alloc", "free", "gfp-flags"])
        heads = [cell["text"] for cell in page.tables[1][0]]
        self.assertEqual(heads, ["step", "old usermm", "old libc", "new usermm", "new libc"])
        old, new = (page.column(1, f"{name} usermm")["512"] for name in ("old", "new"))
        self.assertAlmostEqual(float(old["data-value"]), 3 * 512 ** 0.1, places=4)
        self.assertAlmostEqual(float(new["data-value"]) * 2, float(old["data-value"]), places=4)
        self.assertAlmostEqual(float(old["data-low"]), 3 * 512 ** 0.1 * 0.98, places=4)
        self.assertAlmostEqual(float(old["data-high"]), 3 * 512 ** 0.1 * 1.02, places=4)
        machines = page.column(0, "new")
        self.assertEqual((machines["cpu"]["text"], machines["cpus"]["text"]), ("A processor", "2"))
        # Results with one step only have their names as rows. Names are shown as text, not as
        # markup.
        self.assertEqual([row[0]["text"] for row in page.tables[3][1:]],
                         ["coupled", "explicit", "<b>&\"bold\"</b>"])

    def test_runs_of_one_label_are_one_series(self):
        files = [self.write(f"{i}.json", bench(scale, 0)) for i, scale in enumerate((1, 3, 2))]
        page = Page(self.report(*(f"build={path}" for path in files)))
        cell = page.column(3, "build")["coupled"]
        self.assertEqual([float(cell[f"data-{key}"]) for key in ("value", "low", "high")],
                         [3.0, 1.5, 4.5])

    def test_another_figure(self):
        path = self.write("a.json", bench())
        page = Page(self.report(path, "--figure", "cycles"))
        self.assertEqual(page.column(3, "a")["coupled"]["text"], "5")
        self.refused(BAD_INPUT, "no row has such a figure", "report", path, "--figure", "none",
                     "-o", str(self.folder / "x.html"))

    def test_samples_over_time(self):
        page = Page(self.report(self.write("server.record", record())))
        self.assertEqual(page.titles, ["memory", "caches", "processor time",
                                       "threads"])
        heads = [cell["text"] for cell in page.tables[1][0]]
        self.assertEqual(heads, ["seconds", "rss", "anonymous"])
        rss = page.column(1, "rss")
        self.assertEqual(len(rss), 20)
        self.assertEqual(float(rss["6.001"]["data-value"]), 7.0)
        # Several records share one plot.
        page = Page(self.report(self.write("a.record", record(5)),
                                self.write("b.record", record(9))))
        self.assertEqual([cell["text"] for cell in page.tables[1][0]], ["seconds", "a", "b"])
        self.assertEqual(page.column(1, "a")["8.001"]["text"], "-")

    def test_long_records_keep_their_peaks(self):
        lines = record(40000).splitlines(keepends=True)
        lines[20001] = lines[20001].replace('"rss_bytes": ', '"rss_bytes": 9')
        page = Page(self.report(self.write("long.record", "".join(lines))))
        values = [float(cell["data-value"]) for cell in page.column(1, "rss").values()]
        self.assertLess(len(values), 1600)
        peak = json.loads(lines[20001])["rss_bytes"] / (1 << 20)
        self.assertAlmostEqual(max(values), peak, places=1)

    def test_a_record_that_was_cut_off(self):
        text = record(10)
        page = Page(self.report(self.write("cut.record", text[:-20])))
        self.assertEqual(len(page.column(1, "rss")), 9)

    def test_the_page_needs_nothing_else(self):
        text = self.report(self.write("a.json", bench()), "--title", "A <title> & more")
        self.assertEqual(Page(text).links, [])
        self.assertIn("A &lt;title&gt; &amp; more", text)
        self.assertIn("The MIT License", text)
        self.assertNotRegex(text, r"@import|url\(|fetch\(|XMLHttpRequest|import\(")
        done = self.run_tool("report", self.write("a.json", bench()), "-o", "-")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(len(Page(done.stdout).tables), 4)

    def test_a_script_in_a_label_stays_text(self):
        path = self.write("a.json", bench(cpu="</script><script>alert(1)</script>"))
        text = self.report(f"<script>x</script>={path}")
        self.assertEqual(text.count("<script>"), 3)

    def test_bad_words(self):
        path = self.write("a.json", bench())
        out = str(self.folder / "out.html")
        self.refused(USAGE, "no output", "report", path)
        self.refused(USAGE, "no file given", "report", "-o", out)
        self.refused(USAGE, "no value for option '-o'", "report", path, "-o")
        self.refused(USAGE, "unknown option '--none'", "report", path, "--none")

    def test_bad_files(self):
        out = str(self.folder / "out.html")
        good = self.write("good.json", bench())
        self.refused(NO_INPUT, "none.json: No such file", "report", "none.json", "-o", out)
        self.refused(NO_INPUT, "Is a directory", "report", str(self.folder), "-o", out)
        self.refused(NO_OUTPUT, "No such file", "report", good, "-o", "/no/such/folder/x.html")
        full = self.folder / "full"
        full.symlink_to("/dev/full")
        self.refused(NO_OUTPUT, "No space left", "report", good, "-o", str(full))
        self.assertTrue(full.is_symlink())
        for text, pattern in (("", "line 1 has neither an object nor an array"),
                              ("{}", "neither figures nor samples"), ("[]", "neither figures nor"),
                              ('{"a":\n1,\n}', "line 3 has an object that lacks"),
                              (json.dumps(bench())[:-9], "line 1 has "),
                              (record(3) + "{x\n", "line 5 has an object that lacks")):
            self.refused(BAD_INPUT, pattern, "report", good, self.write("bad", text), "-o", out)
        self.assertFalse(os.path.exists(out))

    def test_damaged_files_never_crash(self):
        numbers = random.Random(43)
        for number in range(60):
            source = (json.dumps(bench()) if number % 2 else record(4)).encode()
            damaged = bytearray(source)
            for _ in range(numbers.randrange(1, 9)):
                damaged[numbers.randrange(len(damaged))] = numbers.randrange(256)
            damaged = bytes(damaged[:numbers.randrange(len(damaged)) if number % 3 else None])
            done = self.run_tool("report", self.write("damaged", damaged), "-o",
                                 str(self.folder / "x.html"))
            self.assertIn(done.returncode, (0, BAD_INPUT), damaged)
            self.assertEqual(done.stderr.count("\n"), done.returncode != 0, done.stderr)


class Record(Case):
    def read(self, path):
        return [json.loads(line) for line in Path(path).read_text().splitlines()]

    def test_samples(self):
        path = str(self.folder / "a.record")
        process = self.start("cat")
        done = self.run_tool("record", str(process.pid), "-i", "0.01", "-n", "4", "-o", path)
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertRegex(done.stderr, r"\Ausermm record: only the numbers of /proc: .*\n\Z")
        head, *samples = self.read(path)
        self.assertEqual((head["usermm_record"], head["pid"], head["command"]),
                         (1, process.pid, "cat"))
        self.assertEqual(len(samples), 4)
        for sample in samples:
            self.assertGreater(sample["rss_bytes"], 4096)
            self.assertLessEqual(sample["rss_bytes"], sample["rss_peak_bytes"])
            self.assertEqual(sample["threads"], 1)
        times = [sample["time_seconds"] for sample in samples]
        self.assertEqual(times, sorted(set(times)))
        self.report(path)

    def test_the_library_is_read(self):
        """A process that holds blocks; then it frees them, and the same reader sees that."""
        if not Path(USERMM).with_name("usermm-inspect").exists():
            self.skipTest("built without the reader")
        process = self.start(USERMM, "run", "--", sys.executable, "-c", "import sys; "
                             "a = [bytes(1000) for _ in range(20000)]; print(1, flush=True); "
                             "sys.stdin.readline(); a = None; print(2, flush=True); "
                             "sys.stdin.read()")
        process.stdout.readline()
        recorder = subprocess.Popen([USERMM, "record", str(process.pid), "-i", "0.01", "-o", "-"],
                                    stdout=subprocess.PIPE, text=True)
        head, before = (json.loads(recorder.stdout.readline()) for _ in range(2))
        self.assertGreater(before["in_use_bytes"], 20000 * 1000)
        self.assertLess(before["in_use_bytes"], before["rss_bytes"])
        self.assertGreater(max(before["caches"].values()), 20000 * 1000)
        process.stdin.write(b"\n")
        process.stdin.flush()
        process.stdout.readline()
        # The next samples may still be from before the free.
        samples = (json.loads(line) for line in recorder.stdout)
        after = next(sample for sample in samples
                     if sample["in_use_bytes"] < before["in_use_bytes"] - 15000 * 1000)
        self.assertGreaterEqual(after["idle_bytes"], 0)
        process.kill()
        recorder.stdout.read()
        self.assertEqual(recorder.wait(timeout=60), 0)
        recorder.stdout.close()

    def test_a_program_that_becomes_another(self):
        """The reader finds the library of the program that the process runs now."""
        if not Path(USERMM).with_name("usermm-inspect").exists():
            self.skipTest("built without the reader")
        program = ("import os, sys; print(1, flush=True); sys.stdin.readline(); "
                   "os.execv(sys.executable, [sys.executable, '-c', 'a = bytes(30 << 20); "
                   "print(2, flush=True); import sys; sys.stdin.read()'])")
        process = self.start(USERMM, "run", "--", sys.executable, "-c", program)
        process.stdout.readline()
        recorder = subprocess.Popen([USERMM, "record", str(process.pid), "-i", "0.01", "-o", "-"],
                                    stdout=subprocess.PIPE, text=True)
        head, before = (json.loads(recorder.stdout.readline()) for _ in range(2))
        self.assertLess(before["in_use_bytes"], 30 << 20)
        process.stdin.write(b"\n")
        process.stdin.flush()
        process.stdout.readline()
        after = next(sample for sample in map(json.loads, recorder.stdout)
                     if sample.get("in_use_bytes", 0) >= 30 << 20)
        self.assertGreater(after["mapped_bytes"], 30 << 20)
        process.kill()
        recorder.stdout.read()
        self.assertEqual(recorder.wait(timeout=60), 0)
        recorder.stdout.close()

    def test_memory_that_grows_is_seen(self):
        path = self.folder / "grows.record"
        process = self.start(sys.executable, "-c", "import sys; a = b'x' * (1 << 26); "
                             "print(1, flush=True); sys.stdin.read()")
        process.stdout.readline()
        self.run_tool("record", str(process.pid), "-n", "1", "-o", str(path))
        self.assertGreater(self.read(path)[1]["rss_bytes"], 1 << 26)

    def test_the_end_of_the_process_ends_it(self):
        path = self.folder / "end.record"
        process = self.start("cat")
        recorder = subprocess.Popen([USERMM, "record", str(process.pid), "-i", "0.01", "-o", "-"],
                                    stdout=subprocess.PIPE, text=True)
        lines = [recorder.stdout.readline() for _ in range(3)]
        process.kill()
        lines += recorder.stdout.readlines()
        self.assertEqual(recorder.wait(timeout=60), 0)
        recorder.stdout.close()
        path.write_text("".join(lines))
        self.assertGreaterEqual(len(self.read(path)), 3)

    def test_a_signal_ends_it(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            process = self.start("cat")
            recorder = subprocess.Popen([USERMM, "record", str(process.pid), "-i", "3600", "-o",
                                         "-"], stdout=subprocess.PIPE, text=True)
            recorder.stdout.readline(), recorder.stdout.readline()
            recorder.send_signal(number)
            self.assertEqual(recorder.wait(timeout=60), 0)
            recorder.stdout.close()

    def test_bad_input(self):
        out = str(self.folder / "x.record")
        own = str(os.getpid())
        self.refused(USAGE, "no process given", "record", "-o", out)
        self.refused(USAGE, "more than one process", "record", own, own, "-o", out)
        self.refused(USAGE, "no output", "record", own)
        for text in ("-5", "x", "1x", ""):
            self.refused(USAGE, "not a process id: " if text != "-5" else "unknown option",
                         "record", text, "-o", out)
        for text in ("0", "x", "-1", "0.001", "86401", "nan", ""):
            self.refused(USAGE, "--interval takes 0.01 to 86400 seconds", "record", own, "-i", text,
                         "-o", out)
        self.refused(USAGE, "--samples takes 1 to", "record", own, "-n", "0", "-o", out)
        process = subprocess.Popen(["true"])
        process.wait()
        self.refused(NO_PROCESS, f"there is no process {process.pid}", "record", str(process.pid),
                     "-o", out)
        self.refused(NO_OUTPUT, "No such file", "record", own, "-o", "/no/such/x")
        full = self.folder / "full"
        full.symlink_to("/dev/full")
        self.refused(NO_OUTPUT, "No space left", "record", own, "-n", "1", "-o", str(full))

    def test_a_process_that_nobody_waited_for(self):
        process = subprocess.Popen(["true"], stdout=subprocess.PIPE)
        process.stdout.read()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        self.refused(ENDED, "has ended", "record", str(process.pid), "-o",
                     str(self.folder / "x"))
        process.wait()
        process.stdout.close()


class Plots(BrowserCase):
    """Do the plots appear, and in both colours?"""

    def pages(self):
        yield "bench", [self.write("old.json", bench()), self.write("new.json", bench(0.8, 12))]
        yield "record", [self.write("server.record", record(300))]
        yield "both", [self.write("a.record", record(50)), self.write("b.record", record(90)),
                       self.write("c.json", bench())]

    def test_heap(self):
        if not Path(USERMM).with_name("usermm-inspect").exists():
            self.skipTest("built without the reader")
        process = self.start(USERMM, "run", "--", sys.executable, "-c", "import random, sys; "
                             "a = [bytes(random.randrange(9000)) for _ in range(9000)]; "
                             "random.shuffle(a); del a[3000:]; print(1, flush=True); "
                             "sys.stdin.read()")
        process.stdout.readline()
        page = self.folder / "heap.html"
        done = self.run_tool("inspect", str(process.pid), "map", "-o", str(page))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.screenshots(page, "heap")

    def test_plots(self):
        for name, files in self.pages():
            text = self.report(*files)
            page = self.folder / "report.html"
            dom = self.open(page, "--dump-dom")
            figures = Page(text).figures
            self.assertGreater(figures, 2)
            self.assertIn(f'data-plots="{figures}"', dom, name)
            self.assertEqual(dom.count("<canvas"), figures, name)
            self.screenshots(page, name)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
