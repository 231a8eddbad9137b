# SPDX-License-Identifier: MIT
"""What the tests of `usermm inspect` share: programs to be looked at, and their cores."""
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path


class Program:
    """leaky.c, running and waiting. library: to be preloaded; None for a linked one."""

    def __init__(self, leaky, library, number, options="", folder=None, **others):
        environment = {name: value for name, value in os.environ.items()
                       if name not in ("LD_PRELOAD", "USERMM_OPTIONS")}
        if library:
            environment["LD_PRELOAD"] = str(library)
        environment["USERMM_OPTIONS"] = options
        self.process = subprocess.Popen(
            [leaky, str(number)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment,
            cwd=folder, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (-1, -1)),
            **others)
        if self.process.stdout.readline() != b"ready\n":
            sys.exit(f"{leaky} {number} with {options!r} does not run")
        self.pid = self.process.pid
        self.wait_for_sleep()

    def wait_for_sleep(self):
        """The program has printed that it is ready, and is about to wait."""
        for _ in range(10000):
            state = Path(f"/proc/{self.pid}/stat").read_bytes().rpartition(b")")[2].split()[0]
            if state in b"SZ":	# or its main thread has ended
                return
            time.sleep(0.001)
        sys.exit(f"process {self.pid} does not wait")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.communicate(timeout=30)
        self.process.stdin.close()
        self.process.stdout.close()

    def run_time(self):
        """Nanoseconds that the process has run."""
        return int(Path(f"/proc/{self.pid}/schedstat").read_text().split()[0])


def make_core(leaky, library, number, folder, options=""):
    """A core of the program, or None if this machine does not make one where we can find it."""
    with Program(leaky, library, number, options, folder) as program:
        program.process.send_signal(signal.SIGABRT)
        program.process.wait(timeout=60)
        pid = program.pid
    for name in ("core", f"core.{pid}"):
        if (Path(folder) / name).is_file():
            return Path(folder) / name
    return make_gcore(leaky, library, number, folder, options)


def make_gcore(leaky, library, number, folder, options=""):
    """As make_core(), by gdb's gcore, which writes other parts in another order."""
    if not shutil.which("gcore"):
        return None
    with Program(leaky, library, number, options, folder) as program:
        core = Path(folder) / "gcore"
        subprocess.run(["gcore", "-o", str(core), str(program.pid)], capture_output=True,
                       timeout=120, check=False)
        made = Path(f"{core}.{program.pid}")
    return made if made.is_file() else None


def inspect(usermm, *words, timeout=60):
    return subprocess.run([usermm, "inspect", *map(str, words)], text=True, capture_output=True,
                          timeout=timeout, errors="replace")


def scratch():
    return tempfile.TemporaryDirectory(prefix="usermm-inspect-")
