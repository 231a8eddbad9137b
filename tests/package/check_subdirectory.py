#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Uses usermm's sources as a part of another project: add_subdirectory() and FetchContent.

    check_subdirectory.py [--build] CMAKE COMPILER

The project has a program for each target that find_package(usermm) has. Without --build the project
fetches the sources; it is configured, and ninja, if it is there, knows the commands for the
programs. With --build another project, by add_subdirectory(), is built, and its programs run.
"""
import os
import shutil
import sys
import tempfile
from pathlib import Path

from check_package import PLAIN, ROOT, expect, run

# Each target, and whether it gives the program usermm's malloc.
TARGETS = {"usermm": 0, "static": 0, "malloc": 1, "malloc_static": 1, "malloc_object": 1}
WAYS = {
    "subdirectory": f'add_subdirectory("{ROOT}" usermm EXCLUDE_FROM_ALL)',
    "fetched": f'include(FetchContent)\n'
               f'FetchContent_Declare(usermm SOURCE_DIR "{ROOT}")\n'
               f'FetchContent_MakeAvailable(usermm)',
}
PROJECT = """cmake_minimum_required(VERSION 3.20)
project(user C)
{way}
"""
PROGRAM = """add_executable(by_{target} plain.c)
target_link_libraries(by_{target} PRIVATE usermm::{target})
"""


def make_project(folder, way):
    folder.mkdir()
    text = PROJECT.format(way=way)
    text += "".join(PROGRAM.format(target=target) for target in TARGETS)
    (folder / "CMakeLists.txt").write_text(text)
    (folder / "plain.c").write_text(PLAIN)


def configure(cmake, compiler, folder, way):
    make_project(folder, way)
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    run(cmake, "-S", str(folder), "-B", str(folder / "build"), *generator,
        f"-DCMAKE_C_COMPILER={compiler}")


def check_commands(build, programs):
    """Without ninja there is no list of the commands; CMake has then said that all is there."""
    if shutil.which("ninja"):
        expect(run("ninja", "-C", str(build), "-t", "commands", *programs), "libusermm.a",
               "libusermm_malloc.a", "usermm_malloc.o", *programs)


def main():
    builds = sys.argv[1] == "--build"
    cmake, compiler = sys.argv[1 + builds:]
    with tempfile.TemporaryDirectory() as root:
        folder = Path(root) / "project"
        configure(cmake, compiler, folder, WAYS["subdirectory" if builds else "fetched"])
        programs = [f"by_{target}" for target in TARGETS]
        if not builds:
            check_commands(folder / "build", programs)
            return
        run(cmake, "--build", str(folder / "build"), "--parallel", str(os.cpu_count()),
            "--target", *programs)
        for target, same in TARGETS.items():
            expect(run(str(folder / "build" / f"by_{target}")), "plain: 128",
                   f"malloc is the API's: {same}")


if __name__ == "__main__":
    main()
