#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that every name of names.txt is there, in each of the kernels in VERSIONS.

Each header's names are compiled with nothing else included. A function must have the
type that the table says, and an address; of a macro that it is defined is all that can be
asked in general, so where its form matters the table has code.
"""
import argparse
import concurrent.futures
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
TABLE = Path(__file__).resolve().parent / "names.txt"
VERSIONS = [(4, 4), (4, 19), (5, 4), (5, 15), (6, 1), (6, 12), (6, 18)]
FLAGS = ["-O1", "-Wall", "-Wno-unused", "-Wno-deprecated-declarations", "-Werror", "-I",
         str(ROOT / "include" / "kernel"), "-I", str(ROOT / "include"), "-x", "c", "-c", "-o",
         "/dev/null", "-"]
KINDS = ("function", "name", "type", "code")


def parse_versions(text):
    """"-" is all; "5.6-" from then on; "-5.5" up to then; "4.14-5.8" both."""
    first, _, last = text.partition("-")

    def number(part, default):
        return tuple(map(int, part.split("."))) if part else default
    return number(first, (0, 0)), number(last, (255, 255))


def read_table():
    """(header, first, last, kind, text, line) of each entry."""
    entries, header = [], None
    for number, line in enumerate(TABLE.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("<"):
            header = line.strip().strip("<>")
            continue
        versions, kind, text = line.split(None, 2)
        if kind not in KINDS or header is None:
            sys.exit(f"{TABLE.name}:{number}: {line}")
        entries.append((header, *parse_versions(versions), kind, text.strip(), number))
    return entries


def function_name(prototype):
    return re.match(r"[^(]*?(\w+)\s*\(", prototype).group(1)


def check_source(entry):
    """What shows that the entry is there; #line makes a message name the table's line."""
    _, _, _, kind, text, number = entry
    line = f'#line {number} "{TABLE.name}"\n'
    if kind == "function":
        name = function_name(text)
        pointer = re.sub(rf"\b{name}\s*\(", "(*)(", text, count=1)
        return f"{line}static __typeof__({pointer}) use_{number} = {name};\n"
    if kind == "type":
        return f"{line}static char use_{number}[sizeof({text})];\n"
    if kind == "code":
        return f"{line}static void use_{number}(void) {{ {text} }}\n"
    return f"#ifndef {text}\n{line}static __typeof__({text}) *use_{number};\n#endif\n"


def compile_header(compiler, standard, version, header, entries):
    source = f"#include <{header}>\n" + "".join(map(check_source, entries))
    define = f"-DLINUX_VERSION_CODE={version[0] << 16 | version[1] << 8}"
    result = subprocess.run([compiler, f"-std={standard}", define, *FLAGS], input=source,
                            text=True, capture_output=True)
    return result.stderr if result.returncode else None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compiler", default="cc")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()

    entries = read_table()
    if len(entries) < 1000:
        sys.exit(f"only {len(entries)} names in {TABLE}")
    jobs = []
    for version in VERSIONS:
        by_header = {}
        for entry in entries:
            if entry[1] <= version <= entry[2]:
                by_header.setdefault(entry[0], []).append(entry)
        standard = "gnu17" if version >= (5, 18) else "gnu11"
        jobs += [(version, standard, header, which) for header, which in by_header.items()]

    failed = 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        answers = pool.map(lambda job: compile_header(args.compiler, job[1], job[0], job[2],
                                                      job[3]), jobs)
        for (version, _, header, _), answer in zip(jobs, answers):
            if answer:
                failed += 1
                print(f"FAILED {version[0]}.{version[1]} <{header}>")
                print("\n".join(line for line in answer.splitlines() if "error" in line))
    print(f"{len(entries)} names, {len(jobs) - failed} headers passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
