#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Do the commands and pretty printers of usermm.gdb.py work on a process and on a core?

    run_gdb.py USERMM LEAKY LIBRARY
"""
import json
import shutil
import subprocess
import sys
from pathlib import Path

from inspecting import Program, inspect, make_core, scratch

SKIPPED = 77
LISTS = 2
SCRIPT = Path(__file__).resolve().parents[2] / "tools" / "gdb" / "usermm.gdb.py"


def gdb(*words):
    done = subprocess.run(["gdb", "-batch", "-nx", "-iex", "set debuginfod enabled off", *words],
                          text=True, capture_output=True, timeout=120, check=False)
    return done.stdout + done.stderr


def check(said, *wanted):
    for text in wanted:
        if text not in said:
            sys.exit(f"FAILED: {text!r} is not in what gdb says:\n{said}")


def look(usermm, target, *begin):
    leaks = json.loads(inspect(usermm, target, "leaks", "--json").stdout)
    address = leaks["groups"][0]["addresses"][3]
    said = gdb(*begin, "-ex", f"source {SCRIPT}", "-ex", "usermm summary", "-ex", "usermm caches",
               "-ex", f"usermm whatis {address} + 8", "-ex", "usermm whatis 4096",
               "-ex", "usermm whatis", "-ex", "usermm zones 1",
               "-ex", "print *(struct kmem_cache *)mm_window.slab_caches[0]",
               "-ex", "print mm_window.pages[0]")
    check(said, "per-CPU lists by", "malloc-64 ", f"byte 8 of the 64 bytes at {address}, in use",
          "0x1000 is no block: it is in no mapping", "usermm whatis needs an address",
          "usermm zones takes no argument", "= cache malloc-", " bytes, ", "= page: flags ")


def main():
    usermm, leaky, library = sys.argv[1:]
    if not shutil.which("gdb") or "3" not in gdb("-ex", "python print(1 + 2)"):
        print("there is no gdb with Python")
        sys.exit(SKIPPED)
    with Program(leaky, library, LISTS) as program:
        look(usermm, program.pid, "-p", str(program.pid))
    with scratch() as folder:
        core = make_core(leaky, library, LISTS, folder)
        if core:
            look(usermm, core, leaky, str(core))


main()
