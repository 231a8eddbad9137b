#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does each source file have a test of its name, or is it written down what tests it?

    check_test_names.py [ROOT]

1. The test of src/LAYER/.../NAME.c is test_NAME.c or .cc in tests/LAYER or a folder in it, or in
   tests/malloc_core for malloc. A file without one has a line in tests/tested_where.txt, which
   names one to three tests:
       src/page/zonelist.c: page/test_zones page/test_numa
2. A test that is named there exists: page/test_zones is test_zones.c, .cc or .py in tests/page or a
   folder in it, or CTest's name for one in cmake/. Two tests of a layer have two names.
3. A line there is about a file that exists and has no test of its name; no file has two lines.

Each offence is one line: FILE[:LINE], which rule is broken, what to do. The exit status is then 1.
"""
import re
import sys
from pathlib import Path

LIST = "tests/tested_where.txt"
TESTS_MAX = 3
# Folders in tests/ that have tests of a layer, besides the one with the layer's name.
MORE_FOLDERS = {"malloc": ["malloc_core"]}
LINE = re.compile(r"(src/[\w/]+\.c): *(.*)")
# A name with a variable in it is no name yet.
CTEST_NAME = re.compile(r"(?:\badd_test\(\s*NAME|\busermm_add_test\()\s+([\w/]+)(?![\w/:$])|"
                        r"\busermm_add_test\(([\w/]+)(?![\w/:$])")


def own_test(root, name):
    """The test with the name of the source file, relative to root, or None."""
    path = Path(name)
    layer = path.parts[1]
    for folder in [layer, *MORE_FOLDERS.get(layer, ())]:
        for suffix in ".c", ".cc":
            for test in sorted((root / "tests" / folder).rglob(f"test_{path.stem}{suffix}")):
                return test.relative_to(root).as_posix()
    return None


def ctest_names(root):
    return {name for path in sorted(root.glob("cmake/**/*.cmake"))
            for names in CTEST_NAME.findall(path.read_text()) for name in names if name}


def is_test(root, known, name):
    folder, _, stem = name.rpartition("/")
    return name in known or any(list((root / "tests" / folder).rglob(f"{stem}{suffix}"))
                                for suffix in (".c", ".cc", ".py"))


def twins(root):
    """Yields (test, the earlier test of the same layer that has its name)."""
    seen = {}
    for path in sorted(root.glob("tests/*/**/test_*.c*")):
        test = path.relative_to(root)
        key = (test.parts[1], test.stem)
        if key in seen:
            yield test.as_posix(), seen[key]
        seen.setdefault(key, test.as_posix())


def check_line(root, known, text):
    """Yields what is wrong with a line of LIST."""
    match = LINE.fullmatch(text)
    if not match:
        yield "no line of the list; write src/LAYER/FILE.c: LAYER/TEST..."
        return
    source, tests = match.group(1), match.group(2).split()
    if not (root / source).exists():
        yield f"{source} does not exist; delete the line, or follow the file's new name"
    elif own_test(root, source):
        yield f"{source} has a test of its name, {own_test(root, source)}; delete the line"
    if not 1 <= len(tests) <= TESTS_MAX:
        yield (f"{source} has {len(tests)} tests; name one to {TESTS_MAX}, the most direct ones "
               "first")
    for test in tests:
        if not is_test(root, known, test):
            yield (f"{test} is no test; name a file in tests/ without its suffix, or a test of "
                   "CTest's")


def check(root):
    """Yields (FILE[:LINE], message) of each offence."""
    known = ctest_names(root)
    listed = {}
    for number, text in enumerate((root / LIST).read_text().splitlines(), 1):
        if not text.strip() or text.startswith("#"):
            continue
        place = f"{LIST}:{number}"
        for message in check_line(root, known, text):
            yield place, message
        source = text.partition(":")[0]
        if source in listed:
            yield place, f"{source} is in line {listed[source]}, too; make one line of the two"
        listed.setdefault(source, number)
    for test, other in twins(root):
        yield test, f"{other} has the same name, and CTest knows no folders; rename one of them"
    for path in sorted(root.glob("src/*/**/*.c")):
        source = path.relative_to(root).as_posix()
        if source not in listed and not own_test(root, source):
            layer = path.relative_to(root).parts[1]
            yield source, (f"has no test of its name; write tests/{layer}/test_{path.stem}.c, or "
                           f"add a line to {LIST} that names the tests which run its functions")


def main():
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2]
    offences = list(check(root))
    for place, message in offences:
        print(f"{place}: {message}")
    number = len(list(root.glob("src/*/**/*.c")))
    print(f"check_test_names: {number} files, {len(offences)} offences")
    return 1 if offences or not number else 0


if __name__ == "__main__":
    sys.exit(main())
