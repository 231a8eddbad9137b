#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Installs a build, and uses it from outside: find_package(usermm), pkg-config, the example.

    check_package.py CMAKE BUILD_FOLDER COMPILER
"""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MODULES = ROOT / "tests" / "module" / "samples"
PROJECT = """cmake_minimum_required(VERSION 3.20)
project(user C)
find_package(usermm REQUIRED)
usermm_add_module(halves {here}/halves_init.c {here}/halves_exit.c)
usermm_add_module(old {here}/elsewhere/ok.c LINUX 4.9.3)
usermm_add_module(own "{here}/own_function.c")
target_compile_definitions(own PRIVATE OWN_FUNCTION=write)
add_executable(plain plain.c)
target_link_libraries(plain PRIVATE usermm::usermm)
add_executable(plain_static plain.c)
target_link_libraries(plain_static PRIVATE usermm::usermm_static)
add_executable(both plain.c)
target_link_libraries(both PRIVATE usermm::usermm usermm::malloc)
add_executable(quiet quiet.c)
target_link_libraries(quiet PRIVATE usermm::malloc_static)
add_executable(by_static plain.c)
target_link_libraries(by_static PRIVATE usermm::static)
add_executable(by_object plain.c)
target_link_libraries(by_object PRIVATE usermm::malloc_object)
"""
# Names no function of malloc's, so that a linker would leave out the archive.
QUIET = "int main(void) { return 0; }\n"
PLAIN = """#include <stdio.h>
#include <stdlib.h>
#include <usermm/usermm.h>
int main(void)
{
	void *object = kmalloc(100, GFP_KERNEL);

	printf("plain: %zu\\n", ksize(object));
	printf("malloc is the API's: %d\\n", virt_addr_valid(malloc(100)));
	kfree(object);
	return 0;
}
"""


MALLOC = """#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
	/* libc says 24 of a block of 17 bytes. */
	printf("usable: %zu\\n", malloc_usable_size(malloc(17)));
	return 0;
}
"""


def run(*command, status=0, env=None):
    result = subprocess.run(command, text=True, capture_output=True, timeout=1000, env=env)
    if result.returncode != status:
        sys.exit(f"{command}: status {result.returncode}\n{result.stdout}\n{result.stderr}")
    return result.stdout


def expect(output, *texts):
    for text in texts:
        if text not in output:
            sys.exit(f"'{text}' is not in:\n{output}")


def find_one(installed, name):
    found = sorted(installed.rglob(name))
    if len(found) != 1:
        sys.exit(f"{name}: {found}")
    return str(found[0])


def said_by_pkg_config(pc, compiler, source, program):
    """The output of a program that is built by the file's flags."""
    flags = run("pkg-config", "--cflags", "--libs", pc).split()
    run(compiler, str(source), "-o", str(program), *flags)
    libraries = next(flag[2:] for flag in flags if flag.startswith("-L"))
    return run(str(program), env=dict(os.environ, LD_LIBRARY_PATH=libraries))


def check_pkg_config(installed, source, compiler, program):
    pc = find_one(installed, "usermm.pc")
    expect(said_by_pkg_config(pc, compiler, source, program), "plain: 128")


def check_malloc(installed, compiler, folder):
    """A program's malloc by its pkg-config file: the library, and the one object."""
    source, program = folder / "malloc.c", folder / "by_malloc_pc"
    source.write_text(MALLOC)
    pc = find_one(installed, "usermm_malloc.pc")
    expect(said_by_pkg_config(pc, compiler, source, program), "usable: 32")
    linked = run("pkg-config", "--variable=object", pc).strip()
    run(compiler, str(source), linked, "-o", str(program), "-lpthread")
    expect(run(str(program)), "usable: 32")


def check_api_library(installed):
    """The file to link with has the soname of the file that is loaded, which needs only the
    core."""
    linked, loaded = (find_one(installed, name) for name in ("libusermm.so", "libusermm.so.0"))
    for library in (linked, loaded):
        expect(run("readelf", "--dynamic", library), "Library soname: [libusermm.so.0]")
    expect(run("readelf", "--dynamic", loaded), "Shared library: [libusermm_core.so.0]")
    if "usermm_" in run("nm", "--dynamic", "--defined-only", loaded):
        sys.exit(f"{loaded} has names of its own")
    core = find_one(installed, "libusermm_core.so.0")
    expect(run("readelf", "--dynamic", core), "Library soname: [libusermm_core.so.0]")


def check_report(tool, folder):
    """`usermm report` finds the parts of its page where they were installed."""
    folder.mkdir()
    record, page = folder / "x.record", folder / "x.html"
    run(tool, "record", str(os.getpid()), "-n", "1", "-o", str(record))
    run(tool, "report", str(record), "-o", str(page))
    expect(page.read_text(), "uPlot", "</html>")


def check_manual(installed):
    """Man finds the pages, and each shell its completions."""
    for name in ("man1/usermm-run.1", "man3/usermm.3usermm", "man3/alloc_pages.3usermm",
                 "man7/usermm-options.7", "bash-completion/completions/usermm",
                 "zsh/site-functions/_usermm", "fish/vendor_completions.d/usermm.fish"):
        if not (installed / "share" / name).is_file() and \
           not (installed / "share" / "man" / name).is_file():
            sys.exit(f"{name} is not installed")


def check_soname(installed):
    for name in ("usermm_malloc", "usermm_kernel"):
        # Beside the library's files there is one for gdb whose name begins like theirs.
        links = sorted(path for path in installed.rglob(f"lib{name}.so*")
                       if path.suffix != ".py")
        if len(links) != 3:
            sys.exit(f"lib{name}.so: {links}")
        dynamic = run("readelf", "--dynamic", str(links[0]))
        expect(dynamic, f"Library soname: [{links[1].name}]")
        if not links[1].resolve() == links[0].resolve() == links[2].resolve():
            sys.exit(f"lib{name}.so leads to {links[0].resolve()}")


def check_example(cmake, compiler, prefix, folder):
    """examples/kernel_library, where nothing of this tree is near."""
    shutil.copytree(ROOT / "examples" / "kernel_library", folder)
    build = folder / "build"
    run(cmake, "-S", str(folder), "-B", str(build), f"-DCMAKE_PREFIX_PATH={prefix}",
        f"-DCMAKE_C_COMPILER={compiler}")
    run(cmake, "--build", str(build))
    ctest = str(Path(cmake).with_name("ctest"))
    expect(run(ctest, "--test-dir", str(build)), "100% tests passed, 0 tests failed out of 2")
    expect(run(str(build / "name_table")), "# name_table: pass:2 fail:0 skip:0")


def main():
    cmake, build, compiler = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        run(cmake, "--install", build, "--prefix", str(root / "installed"))
        project = root / "project"
        project.mkdir()
        (project / "CMakeLists.txt").write_text(PROJECT.format(here=MODULES))
        (project / "plain.c").write_text(PLAIN)
        (project / "quiet.c").write_text(QUIET)
        run(cmake, "-S", str(project), "-B", str(root / "build"),
            f"-DCMAKE_PREFIX_PATH={root / 'installed'}", f"-DCMAKE_C_COMPILER={compiler}")
        run(cmake, "--build", str(root / "build"))
        expect(run(str(root / "build" / "halves"), "text=x"), "circle 505", "gone with x")
        run(str(root / "build" / "halves"), "result=-7", status=7)
        run(str(root / "build" / "halves"), "nothing=1", status=2)
        expect(run(str(root / "build" / "old")), "elsewhere: loaded", "elsewhere: unloaded")
        expect(run(str(root / "build" / "own")), "calls of others: 0", "the module's: 42")
        for program, same in (("plain", 0), ("plain_static", 0), ("both", 1), ("by_static", 0),
                              ("by_object", 1)):
            expect(run(str(root / "build" / program)), "plain: 128",
                   f"malloc is the API's: {same}")
        expect(run("nm", str(root / "build" / "quiet")), " usermm_malloc_linked")
        check_manual(root / "installed")
        check_report(str(root / "installed" / "bin" / "usermm"), root / "report")
        check_soname(root / "installed")
        check_api_library(root / "installed")
        check_example(cmake, compiler, root / "installed", root / "example")
        check_pkg_config(root / "installed", project / "plain.c", compiler, root / "by_pc")
        check_malloc(root / "installed", compiler, root)
        tool = str(root / "installed" / "bin" / "usermm")
        expect(run(tool, "module", str(MODULES / "ok.c")), "loaded")
        missing = subprocess.run([tool, "module", str(MODULES / "missing.c")], text=True,
                                 capture_output=True)
        list_of_names = missing.stderr.split()[-1]
        if not Path(list_of_names).is_file() or not list_of_names.startswith(str(root)):
            sys.exit(missing.stderr)


if __name__ == "__main__":
    main()
