#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""redis-server is linked with jemalloc, and asks it how much memory it has: under the library it
has to be told of the library's.

    run_mallctl.py USERMM

Skipped (77) where redis-server is not installed, or is not linked with a shared jemalloc.
"""
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
KEYS, KEY_BYTES = 200000, 100
failures = 0


def check(condition, what):
    global failures
    if not condition:
        failures += 1
        print(f"FAILED: {what}")


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Server:
    def __init__(self, usermm, folder):
        self.port = str(free_port())
        self.process = subprocess.Popen(
            [usermm, "run", "--", "redis-server", "--port", self.port, "--bind", "127.0.0.1",
             "--save", "", "--dir", folder, "--logfile", os.path.join(folder, "log"),
             "--enable-debug-command", "yes"])
        deadline = time.monotonic() + 60
        while self.ask("ping") != "PONG":
            assert time.monotonic() < deadline and self.process.poll() is None, "no server"
            time.sleep(0.05)

    def ask(self, *command):
        return subprocess.run(["redis-cli", "-p", self.port, *command], capture_output=True,
                              text=True, timeout=60).stdout.strip()

    def memory(self):
        """The server samples these ten times a second."""
        time.sleep(0.5)
        rows = (line.split(":") for line in self.ask("info", "memory").splitlines() if ":" in line)
        return {name: int(value) for name, value in rows if value.isdecimal()}

    def end(self):
        self.ask("shutdown", "nosave")
        try:
            return self.process.wait(60)
        finally:
            self.process.kill()


def check_numbers(server, what):
    memory = server.memory()
    allocated = int(server.ask("debug", "mallctl", "stats.allocated"))
    print(what, {name: memory[name] for name in memory if name.startswith("allocator_") or
                 name in ("used_memory", "used_memory_rss")})
    # Nobody else allocates, but for what commands need for a moment.
    check(abs(allocated - memory["allocator_allocated"]) < 1 << 19, f"{what}: {allocated}")
    check(memory["used_memory"] <= memory["allocator_allocated"] + (1 << 19) and
          memory["allocator_allocated"] < 1.3 * memory["used_memory"] + (4 << 20), what)
    check(memory["allocator_allocated"] <= memory["allocator_active"] <=
          memory["allocator_resident"] <= memory["used_memory_rss"] + (1 << 20), what)
    return memory


def check_server(server):
    before = check_numbers(server, "at first")
    server.ask("debug", "populate", str(KEYS), "key", str(KEY_BYTES))
    filled = check_numbers(server, "filled")
    grown = filled["allocator_allocated"] - before["allocator_allocated"]
    check(grown > KEYS * KEY_BYTES, f"grown by {grown}")
    server.ask("flushall", "sync")
    check(server.ask("memory", "purge") == "OK", "memory purge")
    after = check_numbers(server, "purged")
    check(after["allocator_resident"] < before["allocator_resident"] + grown / 2, "given back")
    check(server.ask("debug", "mallctl-str", "version").startswith("usermm "), "version")
    check("slabinfo - version" in server.ask("memory", "malloc-stats"), "memory malloc-stats")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    program = shutil.which("redis-server")
    if not program or not shutil.which("redis-cli"):
        print("redis is not installed")
        return SKIPPED
    if "libjemalloc" not in subprocess.run(["ldd", program], capture_output=True,
                                           text=True).stdout:
        print("redis-server is not linked with a shared jemalloc")
        return SKIPPED
    with tempfile.TemporaryDirectory(prefix="usermm_mallctl_") as folder:
        server = Server(sys.argv[1], folder)
        try:
            check_server(server)
        finally:
            status = server.end()
        check(status == 0, f"the server ended with {status}")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
