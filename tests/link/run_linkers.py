#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs that are linked by the installed flags have usermm's malloc, whatever the linker and the
order.

    run_linkers.py CMAKE BUILD_FOLDER

The build is installed into a folder of its own. Programs in C and C++ are linked with what
pkg-config says, by each of gcc and clang with each of the linkers ld.bfd, gold, lld and mold that
is there, with the shared library, the archive, the one object, and statically; in the orders in
which linkers skip an archive: in front of the program's own files, behind libc, with files of
bytecode, and where nobody calls malloc() but libraries. And both pkg-config files together, in
either order, make one allocator. Each program's report at exit shows whose malloc it has.
The last line counts; the exit status is 1 if a program was wrong.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

LINKERS = {"bfd": "ld.bfd", "gold": "ld.gold", "lld": "ld.lld", "mold": "mold"}
COMPILERS = {"gcc": "g++", "clang": "clang++"}
SOURCES = {
    # strdup() allocates in libc; the program itself names no function of malloc's.
    "indirect.c": """
        #include <string.h>
        char *copy;
        int main(int argc, char **argv) { copy = strdup(argv[argc - 1]); return !copy; }
        """,
    "direct.c": """
        #include <stdlib.h>
        int main(void) { void *volatile block = malloc(100); free(block); return !block; }
        """,
    "words.cc": """
        #include <string>
        #include <vector>
        int main(int argc, char **argv)
        {
            std::vector<std::string> words(100, std::string(argv[argc - 1]) + argv[0]);
            return words.back().empty();
        }
        """,
    "both.c": """
        #include <stdlib.h>
        #include <usermm/usermm.h>
        int main(void)
        {
            void *volatile block = malloc(100), *object = kmalloc(100, GFP_KERNEL);
            int good = virt_addr_valid(block) && virt_addr_valid(object);
            free(block);
            kfree(object);
            return !good;
        }
        """,
}
# A line that the report at exit has for every program that allocates by usermm's malloc.
MARK = "malloc-"
# The report's line about the mode, which is the same whatever the linker. A linker that made libc's
# names 0 would have the library register its threads itself, in vain.
MODE = re.compile(r" mode: (.*)")


class Runs:
    def __init__(self, folder, installed):
        self.folder, self.good, self.wrong = folder, 0, 0
        self.mode = None        # the first program's
        self.folder_of_pc = next(installed.rglob("usermm.pc")).parent
        self.libraries = self.folder_of_pc.parent
        self.environment = dict(os.environ, PKG_CONFIG_PATH=str(self.folder_of_pc),
                                LD_LIBRARY_PATH=str(self.libraries), USERMM_OPTIONS="stats=1")

    def pkg_config(self, *arguments):
        return subprocess.run(["pkg-config", *arguments], env=self.environment, check=True,
                              capture_output=True, text=True).stdout.split()

    def fail(self, command, text):
        self.wrong += 1
        print(f"not ok: {' '.join(command)}\n{text[:1000]}")

    def check(self, compiler, linker, source, *arguments):
        """SOURCE marks the source's place among the arguments."""
        path = str(self.folder / source)
        program = str(self.folder / "program")
        command = [compiler, "-O1", f"-fuse-ld={linker}", *arguments, "-o", program]
        command = [path if word == "SOURCE" else word for word in command]
        built = subprocess.run(command, env=self.environment, capture_output=True, text=True)
        if built.returncode:
            self.fail(command, built.stderr)
            return
        ran = subprocess.run([program], env=self.environment, capture_output=True, text=True,
                             timeout=60)
        if ran.returncode or MARK not in ran.stderr:
            self.fail(command, f"status {ran.returncode}: its malloc is another one")
            return
        mode = MODE.search(ran.stderr)
        self.mode = self.mode or mode[1]
        if mode[1] != self.mode:
            self.fail(command, f"mode {mode[1]}; {self.mode} by other linkers")
        else:
            self.good += 1


def ways(runs, linker, compiler):
    """Compiler's arguments for each way to have malloc."""
    shared = runs.pkg_config("--libs", "usermm_malloc")
    static = ["-static", *runs.pkg_config("--static", "--libs", "usermm_malloc")]
    archive = runs.pkg_config("--variable=archive", "usermm_malloc")
    linked = runs.pkg_config("--variable=object", "usermm_malloc")
    yield ["SOURCE", *shared]
    yield ["-Wl,--as-needed", *shared, "SOURCE"]
    for flags in (archive, linked):
        yield ["SOURCE", *flags, "-pthread"]
        yield [*flags, "SOURCE", "-pthread"]
        yield ["SOURCE", "-lc", *flags, "-pthread"]
    yield ["SOURCE", *static]
    yield [*static, "SOURCE"]
    # lld reads no bytecode of gcc's.
    if compiler == "gcc" and linker in ("bfd", "gold"):
        yield ["-flto", "SOURCE", *archive, "-pthread"]
        yield ["-flto", "SOURCE", *static]


def check_linker(runs, compiler, linker):
    for arguments in ways(runs, linker, compiler):
        for source in ("indirect.c", "direct.c"):
            runs.check(compiler, linker, source, *arguments)
        runs.check(COMPILERS[compiler], linker, "words.cc", *arguments)
    cflags = runs.pkg_config("--cflags", "usermm")
    for names in (("usermm", "usermm_malloc"), ("usermm_malloc", "usermm")):
        for kind in ([], ["--static"]):
            flags = runs.pkg_config(*kind, "--libs", *names)
            static = ["-static"] if kind else []
            runs.check(compiler, linker, "both.c", *cflags, *static, "SOURCE", *flags)


def main():
    cmake, build = sys.argv[1:]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        installed = folder / "installed"
        subprocess.run([cmake, "--install", build, "--prefix", installed], check=True,
                       stdout=subprocess.DEVNULL)
        for source, text in SOURCES.items():
            (folder / source).write_text(text)
        runs = Runs(folder, installed)
        found = []
        for compiler in COMPILERS:
            for linker, program in LINKERS.items():
                if shutil.which(compiler) and shutil.which(program):
                    found.append(f"{compiler} with {linker}")
                    check_linker(runs, compiler, linker)
    print(f"{runs.good} programs are right, {runs.wrong} wrong: {', '.join(found)}")
    return 1 if runs.wrong or not runs.good else 0


if __name__ == "__main__":
    sys.exit(main())
