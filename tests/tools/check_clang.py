#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does clang take the sources that the build gives to its own compiler, without a warning?

    check_clang.py BUILD [--clang COMMAND] [--jobs N] [--only EXPRESSION]

Each C and C++ source in BUILD/compile_commands.json is read by clang with the flags that the build
has for it; nothing is compiled. So constants that only gcc folds, attributes and warnings that only
one compiler knows are seen where nobody builds with clang. Exit status: 0 if all are taken, 1 if
not, 77 if there is no clang.
"""
import argparse
import concurrent.futures
import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

SKIPPED = 77
SHOWN_LINES = 8
# The flags are those of another compiler.
READING = ["-fsyntax-only", "-Werror", "-Wno-unknown-warning-option", "-Qunused-arguments",
           "-Wno-ignored-optimization-argument"]
# Flags that clang does not know, and does not ignore either.
FOREIGN = ("-fno-cse-follow-jumps",)
# With a value of its own behind: the file that is written.
WRITES = ("-o", "-MF", "-MT", "-MQ")
CPP = (".cc", ".cpp")


def compiler_of(clang, source):
    """clang-19 reads C, and clang++-19 C++."""
    return clang.replace("clang", "clang++", 1) if Path(source).suffix in CPP else clang


def arguments_of(entry):
    """The flags of the build without its compiler, a launcher before it, and what it writes."""
    words = shlex.split(entry["command"]) if "command" in entry else list(entry["arguments"])
    first = next((nr for nr, word in enumerate(words) if word.startswith("-")), len(words))
    kept, words = [], iter(words[first:])
    for word in words:
        if word in WRITES:
            next(words)
        elif word not in ("-MD", "-MMD", "-c", *FOREIGN):
            kept.append(word)
    return kept


def sources(build, only):
    """An entry for each source, in the order of their names: the first way that it is compiled."""
    found = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        made = Path(entry["file"]).is_relative_to(build)
        if re.search(only, entry["file"]) and not made and Path(entry["file"]).suffix != ".S":
            found.setdefault(entry["file"], entry)
    return [found[name] for name in sorted(found)]


def refusal(clang, entry):
    """clang's messages; None if it accepts the source."""
    command = [compiler_of(clang, entry["file"]), *arguments_of(entry), *READING]
    done = subprocess.run(command, cwd=entry["directory"], text=True, errors="replace",
                          stdin=subprocess.DEVNULL, capture_output=True)
    return done.stderr if done.returncode or "warning:" in done.stderr else None


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("--clang", default="clang")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", metavar="EXPRESSION",
                        help="regular expression; only sources whose names it matches")
    args = parser.parse_args()

    if not all(shutil.which(compiler_of(args.clang, name)) for name in ("x.c", "x.cc")):
        print(f"skipped: there is no {args.clang} for C and C++")
        return SKIPPED
    failed, entries = 0, sources(args.build.resolve(), args.only)
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for entry, said in zip(entries, pool.map(lambda e: refusal(args.clang, e), entries)):
            if said:
                failed += 1
                print(f"FAILED {entry['file']}")
                lines = [line for line in said.splitlines() if re.search("error|warning", line)]
                print("\n".join((lines or said.splitlines())[:SHOWN_LINES]))
    print(f"{len(entries) - failed} sources taken, {failed} not")
    return 1 if failed or not entries else 0


if __name__ == "__main__":
    sys.exit(main())
