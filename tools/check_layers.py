#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the rules of src/ that a compiler does not check.

    check_layers.py [SRC]

1. A file includes only headers of its own layer and of lower ones; src/LAYERS has the order.
   Internal headers are included as "layer/file.h", public ones as "usermm/file.h".
2. No stdio, locale, dlsym or getenv: they allocate, or do not work yet when the first
   allocation happens. (The files of NOT_ON_THE_WAY never run during an allocation.)
3. Shared memory is accessed only through base/atomic.h.
4. A file has at most 1000 lines; above 600 there is a warning.

Each offence is one line, FILE:LINE: what is wrong; the exit status is then 1.
"""
import re
import sys
from pathlib import Path

SUFFIXES = {".c", ".cc", ".h", ".def", ".S"}
LINES_WARN, LINES_MAX = 600, 1000

QUOTED_INCLUDE = re.compile(r'\s*#\s*include\s+"([^"]+)"')
COMMENT_OR_LITERAL = re.compile(
    r"""/\*.*?\*/ | //[^\n]* | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*'""", re.DOTALL | re.VERBOSE)
FORBIDDEN = [
    (re.compile(r"#\s*include\s+<(stdio|locale|xlocale|dlfcn|stdatomic)\.h>"),
     "<{}.h> has no place in src/"),
    (re.compile(r"\b(dlsym|dlvsym|dlopen|getenv|secure_getenv|setlocale)\s*\("),
     "{}() has no place in src/"),
]
# They run only when operator new has failed, in dlopen() or setuid(), or when a program passes a
# stdio stream.
NOT_ON_THE_WAY = {"malloc/interpose/credentials.c",
                  "malloc/interpose/cxx_runtime.c", "malloc/interpose/dlopen.c",
                  "malloc/interpose/mallinfo.c", "malloc/interpose/mallinfo.h", "os/keep_loaded.c"}
BARE_ATOMIC = (re.compile(r"\b(__atomic_\w+|__sync_\w+)"), "{} outside base/atomic.h")


def read_layers(src):
    """Maps each name in LAYERS to its rank; the lowest layer has rank 0."""
    lines = (line.split() for line in (src / "LAYERS").read_text().splitlines())
    names = [words[0] for words in lines if words and not words[0].startswith("#")]
    return {name: rank for rank, name in enumerate(names)}


def blank(match):
    """Replaces a string or comment by its newlines, so that line numbers stay right."""
    return "\n" * match.group().count("\n")


def check_include(layers, own, included):
    folder, slash, _ = included.partition("/")
    if not slash:
        return f'"{included}" has to name its folder'
    if folder == "usermm":
        return None
    if folder not in layers:
        return f'"{included}": {folder} is not in LAYERS'
    if layers[folder] > layers[own]:
        return f'"{included}": {own} is below {folder}'
    return None


def check_file(src, path, layers):
    """Yields (line number, message) of each offence."""
    name = path.relative_to(src)
    own = name.parts[0]
    if len(name.parts) < 2 or own not in layers:
        yield 1, f"{own} is not a layer of LAYERS"
        return

    text = path.read_text()
    for number, line in enumerate(text.splitlines(), 1):
        include = QUOTED_INCLUDE.match(line)
        offence = include and check_include(layers, own, include.group(1))
        if offence:
            yield number, offence

    rules = [] if name.as_posix() in NOT_ON_THE_WAY else list(FORBIDDEN)
    if name.as_posix() != "base/atomic.h":
        rules.append(BARE_ATOMIC)
    for number, line in enumerate(COMMENT_OR_LITERAL.sub(blank, text).splitlines(), 1):
        for pattern, message in rules:
            for match in pattern.finditer(line):
                yield number, message.format(match.group(1))

    lines = text.count("\n")
    if lines > LINES_MAX:
        yield lines, f"{lines} lines, {LINES_MAX} are the limit"
    elif lines > LINES_WARN:
        print(f"{path}:{lines}: warning: more than {LINES_WARN} lines")


def main():
    src = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent / "src"
    layers = read_layers(src)
    files = sorted(path for path in src.rglob("*") if path.suffix in SUFFIXES)
    offences = 0
    for path in files:
        for number, message in check_file(src, path, layers):
            print(f"{path}:{number}: {message}")
            offences += 1
    print(f"check_layers: {len(files)} files, {len(layers)} layers, {offences} offences")
    return 1 if offences or not files else 0


if __name__ == "__main__":
    sys.exit(main())
