#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Installs a build, and uses it from outside: find_package(usermm), pkg-config.

    check_package.py CMAKE BUILD_FOLDER COMPILER
"""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROJECT = """cmake_minimum_required(VERSION 3.20)
project(user C)
find_package(usermm REQUIRED)
usermm_add_module(halves {here}/halves_init.c {here}/halves_exit.c)
usermm_add_module(old {here}/elsewhere/ok.c LINUX 4.9.3)
add_executable(plain plain.c)
target_link_libraries(plain PRIVATE usermm::usermm)
"""
PLAIN = """#include <stdio.h>
#include <usermm/usermm.h>
int main(void)
{
	void *object = kmalloc(100, GFP_KERNEL);

	printf("plain: %zu\\n", ksize(object));
	kfree(object);
	return 0;
}
"""


def run(*command, status=0, env=None):
    result = subprocess.run(command, text=True, capture_output=True, timeout=120, env=env)
    if result.returncode != status:
        sys.exit(f"{command}: status {result.returncode}\n{result.stdout}\n{result.stderr}")
    return result.stdout


def expect(output, *texts):
    for text in texts:
        if text not in output:
            sys.exit(f"'{text}' is not in:\n{output}")


def check_pkg_config(installed, source, compiler, program):
    found = sorted(installed.rglob("usermm.pc"))
    if len(found) != 1:
        sys.exit(f"usermm.pc: {found}")
    flags = run("pkg-config", "--cflags", "--libs", str(found[0])).split()
    run(compiler, str(source), "-o", str(program), *flags)
    libraries = next(flag[2:] for flag in flags if flag.startswith("-L"))
    environment = dict(os.environ, LD_LIBRARY_PATH=libraries)
    expect(run(str(program), env=environment), "plain: 128")


def main():
    cmake, build, compiler = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        run(cmake, "--install", build, "--prefix", str(root / "installed"))
        project = root / "project"
        project.mkdir()
        (project / "CMakeLists.txt").write_text(PROJECT.format(here=HERE))
        (project / "plain.c").write_text(PLAIN)
        run(cmake, "-S", str(project), "-B", str(root / "build"),
            f"-DCMAKE_PREFIX_PATH={root / 'installed'}", f"-DCMAKE_C_COMPILER={compiler}")
        run(cmake, "--build", str(root / "build"))
        expect(run(str(root / "build" / "halves"), "text=x"), "circle 505", "gone with x")
        run(str(root / "build" / "halves"), "result=-7", status=7)
        run(str(root / "build" / "halves"), "nothing=1", status=2)
        expect(run(str(root / "build" / "old")), "elsewhere: loaded", "elsewhere: unloaded")
        expect(run(str(root / "build" / "plain")), "plain: 128")
        check_pkg_config(root / "installed", project / "plain.c", compiler, root / "by_pc")
        tool = str(root / "installed" / "bin" / "usermm")
        expect(run(tool, "module", str(HERE / "ok.c")), "loaded")
        missing = subprocess.run([tool, "module", str(HERE / "missing.c")], text=True,
                                 capture_output=True)
        list_of_names = missing.stderr.split()[-1]
        if not Path(list_of_names).is_file() or not list_of_names.startswith(str(root)):
            sys.exit(missing.stderr)


if __name__ == "__main__":
    main()
