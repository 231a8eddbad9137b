#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does pprof read the profile, and name the functions that have the heap?

    run_pprof.py LIBRARY TEST_PROFILE

TEST_PROFILE is the program of test_profile.c, whose trial "known" asks for blocks at known places.
Needs google-pprof (Debian's google-perftools); without it the check is skipped, status 77.
"""
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77
DISTANCE = 16384
DEVIATIONS = 6
# Function: size of a block, blocks asked for, blocks freed; as test_profile.c has them.
SITES = {
    "by_malloc": (32, 300000, 150000),
    "by_calloc": (4096, 6000, 5400),
    "by_realloc": (1 << 20, 40, 8),
    "by_reallocarray": (700, 30000, 0),
    "by_aligned_alloc": (192, 60000, 60000),
    "by_posix_memalign": (40960, 500, 150),
}


def pprof(program, profile, what):
    """
    Bytes by function, with its callees': reallocarray() calls the realloc() that the process has,
    and is a frame of its own where a compiler makes no tail call.
    """
    done = subprocess.run(["google-pprof", "--text", "--show_bytes", f"--{what}", program,
                           profile], capture_output=True, text=True, timeout=60)
    if done.returncode:
        sys.exit(f"google-pprof: status {done.returncode}: {done.stderr}")
    lines = re.findall(r"^\s*\d+\s+[\d.]+%\s+[\d.]+%\s+(\d+)\s+[\d.]+%\s+(\S+)", done.stdout,
                       re.MULTILINE)
    return {function: int(count) for count, function in lines}


def is_near(found, size, number):
    """Within what chance allows, and what pprof rounds."""
    chance = 1 - math.exp(-size / DISTANCE)
    off = DEVIATIONS * math.sqrt(number * (1 - chance) / chance) * size + 1 + 1e-4 * number * size
    return abs(found - number * size) <= off


def main():
    library, program = sys.argv[1:]
    if not shutil.which("google-pprof"):
        print("skipped: google-pprof is missing (package google-perftools)")
        return SKIPPED
    failed = 0
    with tempfile.TemporaryDirectory() as work:
        profile = Path(work) / "heap"
        options = f"profile={DISTANCE}:profile_file={profile}"
        subprocess.run([program, "--trial", "known"], check=True, timeout=60,
                       env=os.environ | {"LD_PRELOAD": library, "USERMM_OPTIONS": options})
        in_use = pprof(program, profile, "inuse_space")
        asked = pprof(program, profile, "alloc_space")
    for function, (size, number, freed) in SITES.items():
        for what, found, right in (("in use", in_use, number - freed), ("asked", asked, number)):
            good = is_near(found.get(function, 0), size, right)
            failed += not good
            print(f"{'ok' if good else 'not ok'} - {function} {what}: {right * size} bytes, "
                  f"pprof says {found.get(function, 0)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
