#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""redis-server is linked with jemalloc, asks it how much memory it has, and from version 8 on takes
memory for scripts by jemalloc's own calls: under the library all of it has to be the library's.

    run_mallctl.py USERMM

Skipped (77) where redis-server is not installed, or is not linked with a shared jemalloc.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from ports import free_port  # noqa: E402

SKIPPED = 77
KEYS, KEY_BYTES = 200000, 100
failures = 0


def check(condition, what):
    global failures
    if not condition:
        failures += 1
        print(f"FAILED: {what}")


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
    # Nothing else allocates, except short-lived blocks for commands.
    check(abs(allocated - memory["allocator_allocated"]) < 1 << 19, f"{what}: {allocated}")
    check(memory["used_memory"] <= memory["allocator_allocated"] + (1 << 19) and
          memory["allocator_allocated"] < 1.3 * memory["used_memory"] + (4 << 20), what)
    check(memory["allocator_allocated"] <= memory["allocator_active"] <=
          memory["allocator_resident"] <= memory["used_memory_rss"] + (1 << 20), what)
    return memory


def check_scripts(server):
    """They grow and shrink blocks of all sizes; version 8 gives them an arena and a cache."""
    script = ("local t = {} for i = 1, 3000 do t[i] = string.rep('x', i % 700) .. i end "
              "redis.call('set', 'script', table.concat(t)) return #t")
    for _ in range(20):
        check(server.ask("eval", script, "0") == "3000", "eval")
    length = sum(i % 700 + len(str(i)) for i in range(1, 3001))
    check(server.ask("strlen", "script") == str(length), "strlen")
    check(server.ask("script", "flush") == "OK" and server.ask("eval", "return 7", "0") == "7",
          "script flush")
    check(server.ask("function", "load", "#!lua name=own\nredis.register_function('repeated', "
                     "function() return #string.rep('q', 100000) end)") == "own", "function load")
    check(server.ask("fcall", "repeated", "0") == "100000", "fcall")
    check(server.ask("function", "flush") == "OK", "function flush")
    check("allocator.allocated" in server.ask("memory", "stats"), "memory stats")


def check_snapshot(server):
    """By a fork child, and read again."""
    check("started" in server.ask("bgsave"), "bgsave")
    deadline = time.monotonic() + 60
    while "rdb_bgsave_in_progress:1" in server.ask("info", "persistence"):
        assert time.monotonic() < deadline, "bgsave goes on"
        time.sleep(0.05)
    check("rdb_last_bgsave_status:ok" in server.ask("info", "persistence"), "bgsave status")
    check(server.ask("debug", "reload") == "OK" and int(server.ask("dbsize")) == KEYS + 1,
          "debug reload")


def check_server(server):
    before = check_numbers(server, "at first")
    server.ask("debug", "populate", str(KEYS), "key", str(KEY_BYTES))
    filled = check_numbers(server, "filled")
    grown = filled["allocator_allocated"] - before["allocator_allocated"]
    check(grown > KEYS * KEY_BYTES, f"grown by {grown}")
    check_scripts(server)
    check_snapshot(server)
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
