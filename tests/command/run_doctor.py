#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What `usermm doctor` says about memory cgroups, with made-up files mounted over the real ones.

    run_doctor.py USERMM

Exit status 77: this process may not mount anything, or has no cgroup.
"""
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77
MIB = 1 << 20
# Files of both versions, in the root of the hierarchy, which is a parent of any cgroup.
LIMITS = ("memory.max", "memory/memory.limit_in_bytes")
USAGES = ("memory.current", "memory/memory.usage_in_bytes")
failures = 0


def check(condition, what, done):
    global failures
    if not condition:
        failures += 1
        print(f"FAILED: {what}: exit status {done.returncode}, {done.stdout!r} {done.stderr!r}")


def among(folder, command):
    """Runs the command where the folder stands for the cgroups."""
    script = 'mount --bind "$1" /sys/fs/cgroup && shift && exec "$@"'
    return subprocess.run(["unshare", "-m", "sh", "-c", script, "sh", folder, *command],
                          text=True, capture_output=True, timeout=60)


def doctor(usermm, limit, usage):
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "memory").mkdir()
        for names, text in ((LIMITS, limit), (USAGES, usage)):
            for name in names:
                (Path(folder) / name).write_text(text)
        return among(folder, [usermm, "doctor"])


def main():
    usermm = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        if among(folder, ["true"]).returncode or not Path("/proc/self/cgroup").exists():
            print("this process may not mount anything, or has no cgroup")
            return SKIPPED

    done = doctor(usermm, f"{64 * MIB}\n", f"{40 * MIB}\n")
    check(done.returncode == 0 and "64.0 MiB (memory cgroup v" in done.stdout, "the limit", done)
    # At the second look only files of the kernel count (src/os/file.h: os_is_kernels_file()).
    check("are left" not in done.stdout, "a usage that is not the kernel's", done)

    done = doctor(usermm, "a lot\n", "1\n")
    lines = [line for line in done.stdout.splitlines() if line.startswith("memory cgroup")]
    check(done.returncode == 0 and not done.stderr, "nonsense is ignored", done)
    check(len(lines) == 1 and "has no limit in it; it is ignored" in lines[0], "one line", done)

    done = doctor(usermm, "max\n", "1\n")
    check("memory cgroup" not in done.stdout, "no limit, no line", done)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
