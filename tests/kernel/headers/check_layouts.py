#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that the structures of include/kernel have one size, whatever the version.

    check_layouts.py [--compiler CC]

The library is compiled with the newest version, a module with any. Where they share a structure
that has other members in some version, something must take these members' place in the others.
"""
import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from check_headers import VERSIONS, removed_in
from compiling import KERNEL, ROOT

FLAGS = ["-std=gnu11", "-w", "-D__KERNEL__", "-DMODULE", '-DKBUILD_MODNAME="check"',
         f"-I{KERNEL}", f"-I{ROOT / 'include'}"]
STRUCTURE = re.compile(r"(?m)^struct (\w+) \{")
INCOMPLETE = re.compile(r"invalid application of .sizeof. to incomplete type .struct (\w+)")


def sizes(compiler, version, headers, names, folder):
    """{name: bytes} of the structures that this version has."""
    code = (version[0] << 16) + (version[1] << 8)
    for _ in range(2):
        source = "".join(f"#include <{header}>\n" for header in headers)
        source += "".join(f"char size_of_{name}[sizeof(struct {name})];\n" for name in names)
        result = subprocess.run(
            [compiler, *FLAGS, f"-DLINUX_VERSION_CODE={code}", "-fmax-errors=0", "-xc", "-c",
             "-o", folder / "sizes.o", "-"], input=source, text=True, capture_output=True,
            check=False)
        if not result.returncode:
            break
        names = names - set(INCOMPLETE.findall(result.stderr))
    else:
        sys.exit(f"check_layouts: Linux {version}: {result.stderr[:2000]}")
    listed = subprocess.run(["nm", "-S", folder / "sizes.o"], text=True, capture_output=True,
                            check=True).stdout
    return {name: int(size, 16) for size, name in
            re.findall(r"\w+ (\w+) \w size_of_(\w+)", listed)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compiler", default="cc")
    args = parser.parse_args()
    paths = sorted(KERNEL.rglob("*.h"))
    names = {name for path in paths for name in STRUCTURE.findall(path.read_text())}
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for version in VERSIONS:
            headers = [str(path.relative_to(KERNEL)) for path in paths
                       if version < removed_in(path.relative_to(KERNEL))]
            for name, size in sizes(args.compiler, version, headers, names,
                                    Path(folder)).items():
                found.setdefault(name, {})[version] = size
    if len(found) < 300:
        sys.exit(f"check_layouts: only {len(found)} structures")
    differ = {name: known for name, known in found.items() if len(set(known.values())) > 1}
    for name, known in sorted(differ.items()):
        print(f"FAILED: struct {name}: " + ", ".join(
            f"{size} bytes in {major}.{minor}" for (major, minor), size in known.items()))
    print(f"{len(found)} structures, {len(differ)} differ")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
