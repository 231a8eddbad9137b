#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Where each process's statistics go when many processes end: stats_file=, and stderr.

    check_stats_file.py USERMM

A document is complete, in whatever way its process ends. If it cannot be written, there is one
line.
"""
import fcntl
import json
import os
import re
import resource
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from check_metrics import read_prometheus

USERMM = None
NR_PROCESSES = 40
# As many processes as that, all at once.
MANY = (f"for i in $(seq {NR_PROCESSES}); do sort /etc/passwd >/dev/null & done; wait")
LIMIT = 4000    # less than a document has


def limit_files():
    resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT, LIMIT))
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)


class StatsFile(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="usermm_stats_")
        self.addCleanup(shutil.rmtree, self.folder)

    def run_program(self, options, *program, **how):
        done = subprocess.run([USERMM, "run", "-o", f"stats=1:{options}", "--", *program],
                              capture_output=True, text=True, timeout=120, cwd=self.folder, **how)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def write(self, options, name, *program, **how):
        """No warning, and no other file than the named ones."""
        path = os.path.join(self.folder, name)
        self.assertEqual(self.run_program(f"{options}:stats_file={path}", *program, **how), "")

    def files(self):
        return sorted(os.listdir(self.folder))

    def read(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            return file.read()

    def documents(self, text):
        """Each line is one, each of another process."""
        self.assertTrue(text.endswith("}\n"), text[-80:])
        documents = [json.loads(line) for line in text.splitlines()]
        self.assertEqual(len({document["process"]["pid"] for document in documents}),
                         len(documents))
        return documents

    def commands(self, text):
        return sorted(document["process"]["command"] for document in self.documents(text))

    def test_pipeline(self):
        """All documents are in the file, behind its earlier contents."""
        self.write("stats_format=json", "all", "sh", "-c", "sort /etc/passwd | uniq | wc -l")
        self.assertEqual(self.commands(self.read("all")), ["sort", "uniq", "wc"])
        self.write("stats_format=json", "all", "sort", "/etc/passwd")
        self.assertEqual(self.commands(self.read("all")), ["sort", "sort", "uniq", "wc"])
        self.assertEqual(self.files(), ["all"])

    def test_many(self):
        self.write("stats_format=json", "all", "sh", "-c", MANY)
        self.assertEqual(self.commands(self.read("all")), ["seq"] + NR_PROCESSES * ["sort"])

    def test_many_text(self):
        self.write("stats_format=text", "all", "sh", "-c", MANY)
        heads = re.findall(r'(?m)^usermm: \S+ pid=(\d+) command="sort" .*\nNode 0, zone(?:.*\n)+?'
                           r"slabinfo - version: 2.1\n(?:.*\n)+?Quicklists:(?:.*\n)+?"
                           r"usermm: \S+ pid=\1 .*\n(?:  .*\n)+", self.read("all"))
        self.assertEqual(len(set(heads)), NR_PROCESSES)

    def test_many_on_stderr(self):
        """A pipe that is read slowly: a document is more than it takes at once."""
        end, start = os.pipe()
        fcntl.fcntl(start, fcntl.F_SETPIPE_SZ, 4096)
        texts = []
        reader = threading.Thread(target=lambda: texts.extend(iter(lambda: os.read(end, 512), b"")))
        reader.start()
        done = subprocess.run([USERMM, "run", "-o", "stats=1:stats_format=json", "--", "sh", "-c",
                               MANY], stderr=start, stdout=subprocess.DEVNULL, timeout=120)
        os.close(start)
        reader.join()
        os.close(end)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(len(self.documents(b"".join(texts).decode())), NR_PROCESSES + 1)

    def test_own_files(self):
        self.write("stats_format=json", "%p.%n.%%", "sh", "-c", "sort /etc/passwd | wc -l")
        self.assertEqual(len(self.files()), 2)
        for name in self.files():
            document, = self.documents(self.read(name))
            self.assertEqual(name, f"{document['process']['pid']}.1.%")

    def prometheus_command(self, name):
        """By the format's own rules, one document."""
        samples, types = read_prometheus(self.read(name))
        self.assertEqual(types["usermm_cache_num_slabs"], "gauge")
        self.assertGreater(samples["usermm_allocated_bytes", ()], 0)
        self.assertGreaterEqual(samples["usermm_resident_bytes", ()],
                                samples["usermm_allocated_bytes", ()])
        whose, = (dict(labels) for name, labels in samples if name.startswith("usermm_process_"))
        self.assertEqual(set(whose), {"pid", "command", "executable", "version"})
        return whose["command"]

    def test_prometheus_of_each(self):
        self.write("stats_format=prometheus", "%p.prom", "sh", "-c", "sort /etc/passwd | wc -l")
        self.assertEqual(sorted(map(self.prometheus_command, self.files())), ["sort", "wc"])

    def test_prometheus(self):
        """The file has the document of the process that ended last, complete, in place of the
        earlier contents, with the file's permissions."""
        path = os.path.join(self.folder, "all")
        with open(path, "w", encoding="utf-8") as file:
            file.write("older")
        os.chmod(path, 0o604)
        self.write("stats_format=prometheus", "all", "sh", "-c", MANY)
        self.assertIn(self.prometheus_command("all"), ("sort", "seq"))
        self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o604)
        self.assertEqual(self.files(), ["all"])

    def test_permissions(self):
        os_umask = os.umask(0o027)
        try:
            for options in "stats_format=json", "stats_format=prometheus":
                self.write(options, options, "sort", "/etc/passwd")
                mode = os.stat(os.path.join(self.folder, options)).st_mode
                self.assertEqual(stat.S_IMODE(mode), 0o640)
        finally:
            os.umask(os_umask)

    def test_ends(self):
        """A child of fork() has a document of its own; a process that ends by exec() or _exit() has
        none."""
        ends = {
            "fork": ("import os, sys\npid = os.fork()\nif pid: os.waitpid(pid, 0)", 2),
            "exec": ("import os\nos.execv('/bin/true', ['true'])", 1),
            "_exit": ("import os\nos._exit(0)", 0),
        }
        for name, (program, nr) in ends.items():
            with self.subTest(name):
                self.write("stats_format=json", name, sys.executable, "-c", program)
                if nr:
                    self.assertEqual(len(self.documents(self.read(name))), nr)
                self.assertEqual(name in self.files(), bool(nr))

    def test_relative(self):
        """A relative path starts at the working directory at the end of the process."""
        os.mkdir(os.path.join(self.folder, "there"))
        self.run_program("stats_format=json:stats_file=1", sys.executable, "-c",
                         "import os\nos.chdir('there')")
        self.assertEqual(self.files(), ["there"])
        self.documents(self.read("there/1"))

    def check_warning(self, path, error, options, **how):
        said = self.run_program(f"{options}:stats_file={path}", "sort", "/etc/passwd", **how)
        self.assertEqual(said, f"usermm: stats_file={path}: the statistics cannot be written: "
                               f"error {error}\n")

    def test_errors(self):
        os.mkfifo(os.path.join(self.folder, "pipe"))
        for options in "stats_format=json", "stats_format=prometheus", "stats_format=text":
            with self.subTest(options):
                self.check_warning("/dev/full", 28, options)
                self.check_warning(f"{self.folder}/none/1", 2, options)
                self.check_warning(self.folder, 21, options)
                self.check_warning(f"{self.folder}/pipe", 6, options)
                self.assertEqual(self.run_program(f"{options}:stats_file=/dev/null", "true"), "")
        self.assertEqual(self.files(), ["pipe"])

    def test_closed_by_the_program(self):
        """sort(1) closes its stderr before it ends; the profile's warning comes all the same."""
        done = subprocess.run([USERMM, "run", "-o", "profile=1K:profile_file=/none/1", "--", "sort",
                               "/etc/passwd"], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr),
                         (0, "usermm: profile_file=/none/1: the profile cannot be written: "
                             "error 2\n"))

    def test_number_of_stderr(self):
        """A program's own file under that number is not written to, but stderr itself is."""
        warning = "usermm: stats_file=/none/1: the statistics cannot be written: error 2\n"
        begin = "import os, sys\nos.closerange(3, 200)\n"
        own = "os.close(2)\nos.open('own', os.O_CREAT | os.O_RDWR)\n"
        for text, said in (begin, warning), (begin + own, ""), ("import os\n" + own, warning):
            with self.subTest(text):
                self.assertEqual(self.run_program("stats_file=/none/1", sys.executable, "-c", text),
                                 said)
                self.assertEqual("".join(self.read(name) for name in self.files()), "")
        self.documents(self.run_program("stats_format=json", sys.executable, "-c", begin))

    def test_daemon(self):
        """A reader of the daemon's earlier output does not wait for its end; the document goes to a
        file."""
        text = ("import os\nif os.fork(): os._exit(0)\nos.setsid()\n"
                "null = os.open('/dev/null', os.O_RDWR)\n"
                "for fd in 0, 1, 2: os.dup2(null, fd)\n"
                "os.close(null)\nopen('end').read()\n")
        os.mkfifo(os.path.join(self.folder, "end"))
        for options in ("stats=1", "profile=1M:profile_file=heap.%n",
                        "stats=1:stats_format=json:stats_file=all"):
            try:
                subprocess.run([USERMM, "run", "-o", options, "--", sys.executable, "-c", text],
                               capture_output=True, timeout=30, cwd=self.folder, check=True)
            finally:
                # Its end, which it waits for.
                with open(os.path.join(self.folder, "end"), "w", encoding="utf-8"):
                    pass
        for _ in range(1000):
            if "all" in self.files() and self.read("all").endswith("}\n"):
                break
            time.sleep(0.01)
        self.assertEqual(len(self.documents(self.read("all"))), 1)

    def test_unwritable(self):
        """Not as root, to whom nothing is forbidden."""
        program = [USERMM, "run", "-o", "stats=1:stats_file=1", "--", "sort", "/etc/passwd"]
        nobody = {"user": 65534, "group": 65534, "extra_groups": []} if not os.geteuid() else {}
        os.chmod(self.folder, 0o555)
        try:
            done = subprocess.run(program, cwd=self.folder, capture_output=True, text=True,
                                  timeout=60, **nobody)
        except PermissionError as error:
            self.skipTest(f"this folder is for its owner alone: {error}")
        finally:
            os.chmod(self.folder, 0o755)
        if done.returncode == 127 or "usermm run:" in done.stderr:
            self.skipTest(f"this folder is for its owner alone: {done.stderr}")
        self.assertEqual((done.returncode, done.stderr),
                         (0, "usermm: stats_file=1: the statistics cannot be written: error 13\n"))

    def test_what_is_half(self):
        """A document that does not fit is removed again; earlier ones stay."""
        self.write("stats_format=json", "all", "true")
        before = self.read("all")
        self.check_warning(f"{self.folder}/all", 27, "stats_format=json", preexec_fn=limit_files)
        self.assertEqual(self.read("all"), before)
        self.check_warning(f"{self.folder}/new", 27, "stats_format=prometheus",
                           preexec_fn=limit_files)
        self.assertEqual(self.files(), ["all"])

    def test_closed_stderr(self):
        """Nobody reads it: no SIGPIPE."""
        end, start = os.pipe()
        os.close(end)
        for options in "stats=1", "stats=1:stats_format=json":
            done = subprocess.run([USERMM, "run", "-o", options, "--", "true"], stderr=start,
                                  timeout=60, preexec_fn=lambda: signal.signal(signal.SIGPIPE,
                                                                               signal.SIG_DFL))
            self.assertEqual(done.returncode, 0)
        os.close(start)

    def test_pipe(self):
        """One with a reader gets all documents."""
        path = os.path.join(self.folder, "pipe")
        os.mkfifo(path)
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), encoding="utf-8") as pipe:
            keep = os.open(path, os.O_WRONLY)       # so that it does not end in between
            os.set_blocking(pipe.fileno(), True)
            self.write("stats_format=json", "pipe", "true")
            self.write("stats_format=json", "pipe", "true")
            os.close(keep)
            self.assertEqual(self.commands(pipe.read()), ["true", "true"])


def main():
    global USERMM
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    USERMM = os.path.abspath(sys.argv[1])
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])


if __name__ == "__main__":
    main()
