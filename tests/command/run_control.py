#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does `usermm control` read and change a running process, and refuse by one clear line?

    run_control.py USERMM LEAKY LIBRARY DENY

DENY is tests/denied/deny, or empty.
"""
import concurrent.futures
import ctypes
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "inspect"))
from inspecting import Program, inspect, scratch     # pylint: disable=wrong-import-position

USERMM, LEAKY, LIBRARY, DENY = (sys.argv.pop(1) for _ in range(4))
STATIC = str(Path(LEAKY).with_name("inspect_leaky_static"))
USAGE, NO_PROCESS, NO_PERMISSION, NO_USERMM, OTHER_VERSION, ENDED = 2, 3, 4, 5, 6, 9
TRACED, NO_REQUESTS, REFUSED, TIME_UP = 17, 18, 19, 124
LISTS = 2	# a program of leaky.c: 2000 blocks of 64 bytes
MIB = 1 << 20
CLONE_NEWPID = 0x20000000
MAPPING = re.compile(r"[0-9a-f]+-[0-9a-f]+ [rwxps-]{4} ")
# Reads lines of Python and executes them.
SERVER = """
import sys
print("ready", flush=True)
for line in sys.stdin:
    exec(line)
    print("done", flush=True)
"""


class Server:
    """A program on usermm that executes the lines of Python that it gets."""

    def __init__(self, options="control=on", library=LIBRARY, **others):
        environment = os.environ | {"LD_PRELOAD": library, "USERMM_OPTIONS": options,
                                    "PYTHONMALLOC": "malloc"}
        self.process = subprocess.Popen([sys.executable, "-c", SERVER], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        env=environment, **others)
        self.pid = self.process.pid
        assert self.process.stdout.readline() == "ready\n"

    def do(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        while True:
            answer = self.process.stdout.readline().strip()
            if answer == "done" or not answer:
                return
            self.said = answer

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()


def control(*words, **others):
    return subprocess.run([USERMM, "control", *map(str, words)], text=True, capture_output=True,
                          timeout=120, check=False, **others)


def threads(pid):
    return len(os.listdir(f"/proc/{pid}/task"))


def switches(pid):
    """How often the process's threads went to sleep."""
    files = Path(f"/proc/{pid}/task").glob("*/status")
    return sum(int(re.search(r"\nvoluntary_ctxt_switches:\t(\d+)", file.read_text())[1])
               for file in files)


class Control(unittest.TestCase):
    def told(self, *words):
        done = control(*words)
        self.assertEqual((done.returncode, done.stderr), (0, ""), words)
        return done.stdout

    def values(self, *words):
        return json.loads(self.told("--json", *words))

    def value(self, pid, name):
        return self.values(pid, name)[name]["value"]

    def refused(self, status, pattern, *words, **others):
        done = control(*words, **others)
        self.assertEqual(done.returncode, status, (words, done))
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertRegex(done.stderr, f"^usermm control: {pattern}")
        return done

    def check_all(self, pid):
        """Requests that every process with control=on answers."""
        listed = self.values(pid)
        self.assertEqual(set(listed), {"limit", "decay_ms", "profile", "nr_cpus", "background"})
        self.assertEqual(self.told(pid, "decay_ms"), "decay_ms 250\n")
        self.assertEqual(self.told(pid, "decay_ms=400"), "decay_ms 400, was 250\n")
        self.assertEqual(self.values(pid, "decay_ms=250"),
                         {"decay_ms": {"value": 250, "old": 400}})
        self.assertEqual(self.told(pid, "purge=0"), "purge: done\n")
        self.assertGreater(self.value(pid, "stats.allocated_bytes"), 2000 * 64)
        limit = listed["limit"]["value"]
        self.assertEqual(self.told(pid, "limit=512M"), f"limit {512 * MIB}, was {limit}\n")
        self.assertEqual(self.value(pid, "limit"), 512 * MIB)

    def test_preloaded(self):
        with Program(LEAKY, LIBRARY, LISTS, "control=on") as program:
            self.check_all(program.pid)

    def test_static(self):
        with Program(STATIC, None, LISTS, "control=on") as program:
            self.check_all(program.pid)

    def test_purge_and_limit(self):
        with Server("control=on:limit=1G") as server:
            # The blocks become free pages, but the last one keeps them where they are.
            server.do("x = [bytearray(100000) for i in range(1000)]")
            server.do("y = x[::2]; del x")
            self.told(server.pid, "decay_ms=3600000")
            server.do("y = None")
            before = self.value(server.pid, "stats.dirty_bytes")
            self.assertGreater(before, 20 * MIB)
            self.told(server.pid, "purge=0")
            self.assertLess(self.value(server.pid, "stats.dirty_bytes"), 4 * MIB)
            self.told(server.pid, "limit=64M")
            server.do("try:\n x = bytearray(100 << 20)\nexcept MemoryError: print('none')"
                      .replace("\n", "\\n").join(["exec(\"", "\")"]))
            self.assertEqual(server.said, "none")
            self.told(server.pid, "limit=1G")
            server.do("x = bytearray(100 << 20); print(len(x))")
            self.assertEqual(server.said, str(100 << 20))
            self.refused(REFUSED, "the process refuses limit=: more bytes are in use; ",
                         server.pid, "limit=64M")

    def test_profile(self):
        """Samples are taken from the moment on, and a reader outside of the process sees them."""
        with Server() as server:
            self.assertEqual(self.told(server.pid, "profile=on"), "profile 524288, was 0\n")
            server.do("x = [bytearray(100000) for i in range(1000)]")
            owners = json.loads(inspect(USERMM, server.pid, "owners", "--json").stdout)
            self.assertGreater(owners["bytes"], 5 * MIB)
            self.refused(REFUSED, "the process refuses profile=: ", server.pid, "profile=1M")
            self.assertEqual(self.told(server.pid, "profile=off"), "profile 0, was 524288\n")
            with scratch() as folder:
                path = Path(folder) / "heap"
                server.do(f"import os; f = os.open({str(path)!r}, 577); print(f)")
                self.assertEqual(self.told(server.pid, f"profile_write={server.said}"),
                                 "profile_write: done\n")
                self.assertTrue(path.read_text().startswith("heap profile: "))
                # The file has the mappings, as a profile without a request has, so a reader finds
                # names.
                mappings = path.read_text().split("MAPPED_LIBRARIES:\n")[1].splitlines()
                self.assertEqual([line for line in mappings if not MAPPING.match(line)], [])
                self.assertTrue(any("libusermm_malloc" in line for line in mappings))

    def test_sleeps(self):
        """The process is not kept awake."""
        with Program(LEAKY, LIBRARY, LISTS, "control=on") as program:
            self.told(program.pid, "decay_ms")
            time.sleep(0.3)
            before = switches(program.pid)
            time.sleep(1.5)
            self.assertEqual(switches(program.pid), before)
            self.assertEqual(threads(program.pid), 2)

    def test_many_requesters(self):
        """Each request is carried out once: each old value is the value of one other request."""
        with Program(LEAKY, LIBRARY, LISTS, "control=on") as program, \
                concurrent.futures.ThreadPoolExecutor(8) as pool:
            wanted = range(1000, 1064)
            answers = list(pool.map(lambda ms: self.values(program.pid, f"decay_ms={ms}"), wanted))
            olds = [answer["decay_ms"]["old"] for answer in answers]
            last = self.value(program.pid, "decay_ms")
            self.assertEqual(sorted(olds + [last]), [250, *wanted])

    def test_killed_before_it_told(self):
        """A requester is killed after it wrote its request, before it told the thread: the next one
        tells it."""
        if not shutil.which("gdb"):
            self.skipTest("no gdb")
        with Program(LEAKY, LIBRARY, LISTS, "control=on") as program:
            # Three calls write the request, its number, and the word that tells the thread. Each
            # stops twice; the fifth stop is before the word.
            steps = ["catch syscall process_vm_writev", "run", *["continue"] * 4, "kill"]
            done = subprocess.run(["gdb", "-q", "-nx", "-batch",
                                   *[word for step in steps for word in ("-ex", step)], "--args",
                                   Path(USERMM).with_name("usermm-inspect"), "control",
                                   str(program.pid), "decay_ms=300"],
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                  timeout=120)
            self.assertEqual(done.stdout.count("call to syscall"), 3, done)
            self.told(program.pid, "decay_ms=250")
            self.check_all(program.pid)

    def test_killed_requester(self):
        """The killed requester frees the thread, and the request that it left does no harm."""
        with Program(LEAKY, LIBRARY, LISTS, "control=on") as program:
            for delay in range(40):
                requester = subprocess.Popen([USERMM, "control", str(program.pid), "decay_ms=300"],
                                             stdout=subprocess.DEVNULL)
                time.sleep(delay / 5000)
                requester.kill()
                requester.wait()
            self.told(program.pid, "decay_ms=250")
            self.check_all(program.pid)

    def test_fork(self):
        with Server() as server:
            self.told(server.pid, "decay_ms=300")
            server.do("import os, signal; child = os.fork() or signal.pause(); print(child)")
            child = int(server.said)
            try:
                self.assertEqual(self.told(child, "decay_ms=500"), "decay_ms 500, was 300\n")
                self.assertEqual(self.value(server.pid, "decay_ms"), 300)
                self.assertEqual(self.value(child, "decay_ms"), 500)
            finally:
                os.kill(child, signal.SIGKILL)

    def test_system_calls_that_end_the_thread(self):
        """setuid() and unshare() end the thread; it comes back. So does a new program's."""
        with Server() as server:
            server.do("import os; os.setgid(os.getgid()); os.setuid(os.getuid())")
            self.told(server.pid, "decay_ms=300")
            server.do("import ctypes; ctypes.CDLL(None).unshare(0x200)")
            self.told(server.pid, "decay_ms=400")
            server.process.stdin.write(f"import os, sys; os.execv(sys.executable, "
                                       f"['python3', '-c', {SERVER!r}])\n")
            server.process.stdin.flush()
            self.assertEqual(server.process.stdout.readline(), "ready\n")
            self.assertEqual(self.told(server.pid, "decay_ms=400"), "decay_ms 400, was 250\n")

    def test_new_numbers(self):
        """Linux permits no thread after unshare(CLONE_NEWPID). The child is process 1."""
        if os.getuid():
            self.skipTest("needs root")
        with Server() as server:
            server.do(f"import ctypes; print(ctypes.CDLL(None).unshare({CLONE_NEWPID}))")
            if server.said != "0":
                self.skipTest("no namespaces here")
            self.refused(NO_REQUESTS, "process .* has no thread that answers: .*CLONE_NEWPID",
                         "--wait=1", server.pid)
            server.do("import os, signal; child = os.fork() or signal.pause(); print(child)")
            child = int(server.said)
            try:
                self.assertEqual(self.told(child, "decay_ms=500"), "decay_ms 500, was 250\n")
            finally:
                os.kill(child, signal.SIGKILL)

    def test_many_groups(self):
        """Their line in /proc/PID/status is long, and comes before the process's own number."""
        if os.getuid():
            self.skipTest("needs root")
        with Server() as server:
            server.do("import ctypes, os, signal; os.setgroups(range(10 ** 9, 10 ** 9 + 1000))")
            self.told(server.pid, "decay_ms=300")
            server.do(f"print(ctypes.CDLL(None).unshare({CLONE_NEWPID}))")
            if server.said != "0":
                self.skipTest("no namespaces here")
            server.do("child = os.fork() or signal.pause(); print(child)")
            child = int(server.said)
            try:
                self.assertEqual(self.told(child, "decay_ms=500"), "decay_ms 500, was 300\n")
            finally:
                os.kill(child, signal.SIGKILL)

    def test_words(self):
        with Program(LEAKY, LIBRARY, LISTS, "control=on") as program:
            pid = program.pid
            for pattern, *words in (
                    ("no process given; usage: ",),
                    ("unknown control 'no'; there are: limit ", pid, "no"),
                    ("unknown control 'stats.no'; ", pid, "stats.no"),
                    ("unknown control 'x{47}'; ", pid, "x" * 100),
                    ("unknown control '';", pid, "=1"),
                    ("nr_cpus can only be read; leave '=1' out", pid, "nr_cpus=1"),
                    ("stats.online_bytes can only be read; ", pid, "stats.online_bytes=1"),
                    ("purge needs a value, as purge=0: ", pid, "purge"),
                    ("limit takes bytes, as 64M, not 'x'", pid, "limit=x"),
                    ("limit takes bytes, as 64M, not '-1'", pid, "limit=-1"),
                    ("limit takes bytes, as 64M, not '1MB'", pid, "limit=1MB"),
                    ("limit takes .* not '99999999999T'", pid, "limit=99999999999T"),
                    ("limit takes .* not '99999999999999999999'", pid,
                     "limit=99999999999999999999"),
                    ("decay_ms takes milliseconds, not '1K'", pid, "decay_ms=1K"),
                    ("profile takes bytes, as 64M, or on, or off, not 'yes'", pid, "profile=yes"),
                    ("--wait takes ", "--wait=0", pid),
                    ("unknown option ", "--nothing", pid)):
                self.refused(USAGE, pattern, *words)
            self.refused(REFUSED, "the process refuses decay_ms=: the value is out of range", pid,
                         "decay_ms=1")
            self.refused(REFUSED, "the process refuses limit=: at least 4M, ", pid, "limit=1M")
            self.refused(REFUSED, "the process refuses profile_write=: there is no profile; ", pid,
                         "profile_write=1")
            # The words before the one that fails are carried out, and shown.
            done = self.refused(REFUSED, "the process refuses decay_ms=", pid, "decay_ms=500",
                                "decay_ms=1", "decay_ms=600")
            self.assertEqual(done.stdout, "decay_ms 500, was 250\n")
            self.assertEqual(self.value(pid, "decay_ms"), 500)

    def test_other_processes(self):
        self.refused(NO_PROCESS, "there is no process 999999999", 999999999)
        for text in "core", "", "+1", "1 ", "0x1":
            self.refused(USAGE, f"not a process id: '{re.escape(text)}'", text)
        with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as other:
            self.refused(NO_USERMM, f"process {other.pid} \\(.*\\) does not run on usermm",
                         other.pid)
            other.stdin.close()
        for options in "", "control=off":
            with Program(LEAKY, LIBRARY, LISTS, options) as program:
                self.refused(NO_REQUESTS, f"process {program.pid} takes no requests; start it with "
                             "control=on, as in `usermm run -o control=on", program.pid)
        with Program(LEAKY, LIBRARY, LISTS, "control=on:background=off",
                     stderr=subprocess.PIPE) as program:
            self.refused(NO_REQUESTS, "process .* has no thread that answers: background=off, ",
                         "--wait=1", program.pid)
            self.assertIn(b"control=on needs the background thread",
                          program.process.communicate(timeout=60)[1])

    def test_thread(self):
        """A thread's number is no process id."""
        with Program(LEAKY, LIBRARY, LISTS, "control=on") as program:
            self.told(program.pid, "decay_ms")
            for thread in os.listdir(f"/proc/{program.pid}/task"):
                if int(thread) != program.pid:
                    self.refused(NO_PROCESS, f"{thread} is a thread of process {program.pid}; ask "
                                 "that one", thread)

    def test_stopped(self):
        with Program(LEAKY, LIBRARY, LISTS, "control=on") as program:
            program.process.send_signal(signal.SIGSTOP)
            os.waitpid(program.pid, os.WUNTRACED)
            self.refused(NO_REQUESTS, f"process {program.pid} is stopped; `kill -CONT ",
                         program.pid, "decay_ms")
            program.process.send_signal(signal.SIGCONT)
            self.check_all(program.pid)

    def test_ends(self):
        """A process that ends while it is asked."""
        for _ in range(20):
            with Server() as server, concurrent.futures.ThreadPoolExecutor(1) as pool:
                asked = pool.submit(control, server.pid, *["stats.online_bytes"] * 200)
                server.process.kill()
                server.process.wait()
                done = asked.result()
                self.assertIn(done.returncode, (0, NO_PROCESS, NO_USERMM, ENDED), done)
                self.assertLessEqual(done.stderr.count("\n"), 1)

    def test_traced(self):
        if not shutil.which("gdb"):
            self.skipTest("no gdb")
        with Program(LEAKY, LIBRARY, LISTS, "control=on") as program:
            gdb = subprocess.Popen(["gdb", "-q", "-nx", "-p", str(program.pid), "-ex",
                                    "echo attached\\n"], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            for line in gdb.stdout:
                if b"attached" in line:
                    break
            self.refused(TRACED, f"process {program.pid} cannot answer: process {gdb.pid} traces "
                         "it, ", program.pid, "decay_ms")
            gdb.communicate(b"detach\nquit\n", timeout=60)
            self.told(program.pid, "decay_ms")

    def test_permission(self):
        """Another user may not ask, nor a process of one user that may not be dumped."""
        if os.getuid() or not shutil.which("setpriv"):
            self.skipTest("needs root and setpriv")
        with Server() as server:
            other = ["setpriv", "--reuid=65534", "--clear-groups", "--bounding-set=-all",
                     "--inh-caps=-all", USERMM, "control", str(server.pid)]
            done = subprocess.run(other, text=True, capture_output=True, check=False)
            self.assertEqual(done.returncode, NO_PERMISSION, done)
            self.assertRegex(done.stderr, r"^usermm control: no permission to read process \d+: "
                             ".*root.*\n$")
            self.told(server.pid)

    def test_denied_calls(self):
        """A sandbox or a kernel may lack the calls: the message names the call, at once."""
        if not DENY:
            self.skipTest("this build has no program that denies calls")
        cases = [("process_vm_writev", "cannot write a request to process {}: process_vm_writev"),
                 ("ptrace", "the thread of process {} that answers cannot be traced: ")]
        reads = {"EPERM": "no permission to read process {}: .*process_vm_readv",
                 "ENOSYS": "cannot read process {}: process_vm_readv"}
        with Program(LEAKY, LIBRARY, LISTS, "control=on") as program:
            for error, read in reads.items():
                for call, pattern in [*cases, ("process_vm_readv", read)]:
                    done = subprocess.run(
                        [DENY, f"{call}={error}", "--", USERMM, "control", "--wait", "1",
                         str(program.pid), "decay_ms=300"],
                        text=True, capture_output=True, timeout=120, check=False)
                    self.assertEqual(done.returncode, NO_PERMISSION, (call, error, done))
                    said = "^usermm control: " + pattern.format(program.pid) + ".*\n$"
                    self.assertRegex(done.stderr, said)
            self.assertEqual(self.told(program.pid, "decay_ms"), "decay_ms 250\n")

    def test_raised_rights(self):
        """A program with raised rights ignores USERMM_OPTIONS, so nobody may ask it."""
        if os.getuid() or not shutil.which("setpriv"):
            self.skipTest("needs root and setpriv")
        with scratch() as folder:
            path = Path(folder) / "raised"
            shutil.copy(STATIC, path)
            os.chmod(folder, 0o755)
            os.chown(path, 0, 0)
            os.chmod(path, 0o4755)
            program = subprocess.Popen(["setpriv", "--reuid=65534", "--clear-groups", str(path),
                                        str(LISTS)], env={"USERMM_OPTIONS": "control=on"},
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            self.assertEqual(program.stdout.readline(), b"ready\n")
            if os.stat(f"/proc/{program.pid}").st_uid != 0:
                program.communicate()
                self.skipTest("no setuid programs in " + folder)
            self.refused(NO_REQUESTS, f"process {program.pid} has raised privileges ", program.pid)
            program.communicate()

    def test_other_version(self):
        """A library whose note says another version of the layout."""
        with scratch() as folder:
            library = Path(folder) / "libusermm_malloc.so"
            image = bytearray(Path(LIBRARY).read_bytes())
            image[re.search(rb"\x01\x00\x00\x00usermm\x00\x00", image).end()] = 99
            library.write_bytes(image)
            with Program(LEAKY, library, LISTS, "control=on") as program:
                self.refused(OTHER_VERSION, f"process {program.pid} has usermm [0-9.]+, layout "
                             "version 99; ", program.pid)

    def test_time_up(self):
        """The thread waits for a reader of a pipe: the limit ends the wait, and nothing is lost."""
        with Server() as server:
            self.told(server.pid, "profile=on")
            server.do("import os; r, w = os.pipe(); os.set_blocking(w, False)")
            server.do("while os.write(w, bytes(4096)) == 4096: pass"
                      .join(["exec('try:\\n ", "\\nexcept BlockingIOError: pass')"]))
            server.do("os.set_blocking(w, True); print(w)")
            self.refused(TIME_UP, f"process {server.pid} has not answered within 1 seconds; ",
                         "--wait=1", server.pid, f"profile_write={server.said}")
            # The thread still writes, so the next request waits for it.
            self.refused(TIME_UP, "process .* has not answered ", "--wait=1", server.pid,
                         "decay_ms=300")
            server.do("import threading; threading.Thread(target=lambda: [os.read(r, 65536) "
                      "for i in range(1 << 20)], daemon=True).start()")
            self.assertEqual(self.told(server.pid, "decay_ms=300"), "decay_ms 300, was 250\n")


if __name__ == "__main__":
    unittest.main()
