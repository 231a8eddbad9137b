#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that an index of the sources (ctags) finds every name that the libraries offer.

    check_index.py LIBRARY...

A reader who looks for malloc() or kmalloc() shall land at its definition. Attributes before a name
can hide it from an index. Skipped (77) without Universal Ctags.
"""
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SKIPPED = 77


def offered(libraries):
    """The names as the sources have them; C++'s operators have none."""
    text = subprocess.run(["nm", "-D", "--defined-only", *libraries], check=True, text=True,
                          capture_output=True).stdout
    names = {line.split()[2].partition("@")[0] for line in text.splitlines()
             if len(line.split()) == 3}
    names = {re.sub(r"^usermm_(?:\d+\.\d+\.\d+_)?", "", name) for name in names}
    return {name for name in names if not name.startswith("_Z")}


def indexed():
    text = subprocess.run(["ctags", "-f", "-", "src", "include/usermm", "kernel"], check=True,
                          text=True, capture_output=True, cwd=ROOT).stdout
    return {line.split("\t", 1)[0] for line in text.splitlines()}


def main():
    version = shutil.which("ctags") and subprocess.run(["ctags", "--version"], text=True,
                                                       capture_output=True).stdout
    if not version or "Universal" not in version:
        print("skipped: there is no Universal Ctags: install universal-ctags")
        return SKIPPED
    names, found = offered(sys.argv[1:]), indexed()
    if len(names) < 100:
        sys.exit(f"only {len(names)} names are offered by {' '.join(sys.argv[1:])}")
    missing = sorted(name for name in names
                     if name not in found and f"usermm_{name}" not in found)
    for name in missing:
        print(f"FAILED: {name}: ctags does not find it; put attributes behind its declaration")
    print(f"{len(names)} names, {len(missing)} not found")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
