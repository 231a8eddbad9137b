#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`usermm run` works from a folder with a space in its name, and from bin/ beside lib/ under both
of the library's names, and says so where it cannot work.

usage: run_folders.py USERMM LIBRARY
"""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

NAME = "libusermm_malloc.so"


def run(folder, usermm, library, command="usermm", name=NAME):
    for file, to in ((usermm, folder / command), (library, folder / name)):
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, to)
    environment = {name: value for name, value in os.environ.items()
                   if name not in ("USERMM_OPTIONS", "LD_PRELOAD")}
    # Both the shell and the program that it starts write their counters.
    return subprocess.run([folder / command, "run", "-o", "stats=1", "--", "sh", "-c",
                           "sort /dev/null; echo done"], text=True, capture_output=True,
                          env=environment)


def main():
    usermm, library = sys.argv[1:]
    failed = 0
    with tempfile.TemporaryDirectory() as root:
        for name in "plain", "with a space", "with;semicolon":
            done = run(Path(root) / name, usermm, library)
            if done.returncode or done.stdout != "done\n" or done.stderr.count("malloc-") < 2:
                failed += 1
                print(f"FAILED in a folder named {name!r}: {done}")
        for folder in "lib", "lib64":
            for name in f"{folder}/{NAME}", f"{folder}/{NAME}.0":
                done = run(Path(root) / name, usermm, library, "bin/usermm", name)
                if done.returncode or done.stdout != "done\n":
                    failed += 1
                    print(f"FAILED with the library as {name}: {done}")
        for name in "with:colon", "with; both":
            done = run(Path(root) / name, usermm, library)
            if (not done.returncode or done.stderr.count("\n") != 1 or
                    "cannot be preloaded" not in done.stderr):
                failed += 1
                print(f"FAILED in a folder named {name!r}: {done}")
    print(f"{9 - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
