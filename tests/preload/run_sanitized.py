#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs with AddressSanitizer or ThreadSanitizer in them, under the preloaded library.

    run_sanitized.py --library FILE [--compiler CC]

An AddressSanitizer that is linked into the program goes first: the program works, and the sanitizer
reports its mistakes. As a shared library it refuses to be second, in one line. A program with
ThreadSanitizer linked in works; as a shared library, ThreadSanitizer works behind no malloc.
"""
import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

SECONDS = 60
SOURCE = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	char *volatile block = malloc(40);

	(void)argv;
	memset(block, 1, 40);
	if (argc > 1)
		block[40] = 1;
	free(block);
	return puts("went well") < 0;
}
"""
WELL = (0, "went well\n", "")
# The flags; the end of a correct program; the text of one that overflows.
KINDS = {
    "linked in": (["-fsanitize=address", "-static-libasan"], None,
                  "heap-buffer-overflow"),
    "shared": (["-fsanitize=address"], "ASan runtime does not come first", None),
    "ThreadSanitizer": (["-fsanitize=thread", "-static-libtsan"], None, None),
}


def run(program, library, *args):
    environment = dict(os.environ, LD_PRELOAD=library)
    done = subprocess.run([program, *args], env=environment, timeout=SECONDS,
                          capture_output=True, text=True, errors="replace")
    return done.returncode, done.stdout, done.stderr


def trouble_with(program, library, refusal, report):
    """The fault, or None."""
    status, said, errors = run(program, library)
    if refusal:
        refuses = status and refusal in errors and errors.count("\n") == 1
        return None if refuses else f"no refusal: status {status}, {errors}"
    if (status, said, errors) != WELL:
        return f"status {status}, {said}{errors}"
    if not report:
        return None
    status, _, errors = run(program, library, "overflow")
    if not status or report not in errors:
        return f"the overflow was not told: status {status}, {errors}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--library", required=True)
    parser.add_argument("--compiler", default="gcc")
    arguments = parser.parse_args()

    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "program.c"
        source.write_text(SOURCE)
        for name, (flags, refusal, report) in KINDS.items():
            program = source.with_suffix("")
            subprocess.run([arguments.compiler, "-fno-builtin", *flags, source, "-o", program],
                           check=True, timeout=SECONDS)
            trouble = trouble_with(program, arguments.library, refusal, report)
            failed += trouble is not None
            print(f"{name}: {trouble or 'as it should be'}")
    print(f"{len(KINDS) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
