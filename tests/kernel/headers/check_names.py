#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that every name of names.txt is there, in the newest of VERSIONS, or with --long in each.

Each header's names are compiled with nothing else included. A function must have the type that the
table says, and an address. A macro must be defined; if its form matters, the table has code that
uses it. The use of a removed name, or of a removed header (<linux/pagevec.h>), must be an error
that says since when, and what to use instead.
"""
import re
import sys
from pathlib import Path

from compiling import Job, compile_all, compile_source, parse_arguments

TABLE = Path(__file__).resolve().parent / "names.txt"
VERSIONS = [(4, 0), (4, 4), (4, 19), (5, 4), (5, 15), (6, 1), (6, 12), (6, 18), (7, 3)]
FLAGS = ["-Wno-unused", "-Wno-deprecated-declarations"]
KINDS = ("function", "name", "type", "code", "removed")


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
    """Code that compiles only if the entry is there. #line makes a message name the table's
    line."""
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


def make_job(version, header, entries, source=None):
    standard = "gnu17" if version >= (5, 18) else "gnu11"
    source = source or f"#include <{header}>\n" + "".join(map(check_source, entries))
    return Job(version, f"<{header}>", [f"-std={standard}", *FLAGS], source)


def check_removed(args, entries):
    """How many removed names are no error in the newest kernel, or one that does not help."""
    failed = 0
    for header, first, _, kind, text, _ in entries:
        if kind != "removed":
            continue
        name, instead = text.split(None, 1)
        source = f"#include <{header}>\n"
        if name[0] != "<":
            source += f"void use(void) {{ (void)sizeof({name}); }}\n"
        errors, _ = compile_source(args.compiler, make_job(VERSIONS[-1], header, [], source))
        since = f"Linux {first[0]}.{first[1]} removed {name if name[0] == '<' else 'it'}"
        if not errors or since not in errors or instead not in errors:
            failed += 1
            print(f"FAILED {name} of <{header}>: no error with \"{since}\" and {instead}")
    return failed


def main():
    args = parse_arguments(__doc__)
    entries = read_table()
    if len(entries) < 1000:
        sys.exit(f"only {len(entries)} names in {TABLE}")
    jobs = []
    for version in VERSIONS if args.long else VERSIONS[-1:]:
        by_header = {}
        for entry in entries:
            if entry[1] <= version <= entry[2] and entry[3] != "removed":
                by_header.setdefault(entry[0], []).append(entry)
        jobs += [make_job(version, header, which) for header, which in by_header.items()]

    failed = compile_all(args, jobs) + check_removed(args, entries)
    print(f"{len(entries)} names, {len(jobs) - failed} headers passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
