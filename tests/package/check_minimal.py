#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Configures the products where nothing is but a C compiler and CMake; with --build builds them
there, and uses them.

    check_minimal.py [--build] CMAKE COMPILER

PATH has a folder with the few programs that may be called, and CMake finds no others, nor headers
and libraries of packages. Sources and build folder have spaces in their paths, and there is no
.git. CMake has to say what was left out, and `usermm` has to work. install-deps.sh says to somebody
who may not install packages which are missing.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from check_package import ROOT, expect, run

# Programs that the build may call beside compiler and CMake: make's shell, and the compiler's
# binutils.
PROGRAMS = "sh ld as ar objcopy readelf nm ranlib strip objdump uname".split()
# For install-deps.sh besides, which finds no package installed.
SHELL_PROGRAMS = "awk tr env".split()
# None that has flags: compiled without optimisation, in half of the time.
BUILD_TYPE = "Plain"
# Where they are installed; Debian's own packages have a folder like it.
LIBRARIES = "lib/this-machine"
PARTS = ("CMakeLists.txt", "LICENSE", "README.md", "bench", "cmake", "docs", "examples", "include",
         "kernel", "src", "tools")


def link_programs(folder, programs):
    folder.mkdir()
    for program in programs:
        (folder / Path(program).name).symlink_to(shutil.which(program))


def copy_sources(folder):
    """Without tests, which the products do not need."""
    folder.mkdir()
    for part in PARTS:
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, folder / part)
        else:
            shutil.copy2(ROOT / part, folder / part)
    module = folder / "module.c"
    shutil.copy2(ROOT / "tests" / "module" / "samples" / "ok.c", module)
    return module


def configure(cmake, compiler, make, source, folder, env):
    said = run(cmake, "-S", str(source), "-B", str(folder), "-G", "Unix Makefiles",
               f"-DCMAKE_MAKE_PROGRAM={make}", f"-DCMAKE_C_COMPILER={compiler}",
               "-DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF", f"-DCMAKE_BUILD_TYPE={BUILD_TYPE}",
               f"-DCMAKE_INSTALL_LIBDIR={LIBRARIES}", env=env)
    expect(said, "no C++ compiler: ", "(Debian: g++)", "no capstone/capstone.h: ",
           "(Debian: libcapstone-dev)", "no libdw, libelf, zlib or jansson: ")


def products():
    """The targets of `make build`."""
    line = re.search(r"^PRODUCTS := (.*(?:\\\n.*)*)", (ROOT / "Makefile").read_text(), re.MULTILINE)
    return line.group(1).replace("\\", "").split()


def build(cmake, folder, env):
    # First the command alone: nothing else has built what it needs.
    run(cmake, "--build", str(folder), "--target", "usermm", "--parallel", "2", env=env)
    # These are enough to install, and for `make deb`.
    run(cmake, "--build", str(folder), "--target", *products(), "--parallel", "2", env=env)
    installed = folder.with_name("installed")
    run(cmake, "--install", str(folder), "--prefix", str(installed), env=env)
    expect(run(str(installed / "bin" / "usermm"), "run", "--", "sh", "-c", "echo it runs", env=env),
           "it runs")
    said = run(cmake, "--build", str(folder), "--parallel", "2", env=env)
    expect(said, "Built target usermm\n")


def use(folder, module, scratch, env):
    tool = str(folder / "usermm")
    expect(run(tool, "run", "--", "sh", "-c", "echo it runs", env=env), "it runs")
    expect(run(tool, "doctor", env=env), "libusermm_malloc.so")
    expect(run(tool, "selftest", env=env), "ok    malloc: a program", "all is well")
    rows = scratch / "rows.json"
    expect(run(tool, "bench", "--quick", "gfp-flags", "--json", str(rows), env=env),
           "capstone's headers")
    names = {row["name"] for row in json.loads(rows.read_text())["suites"]["gfp-flags"]}
    if not {"coupled", "difference_loop"} <= names:
        sys.exit(f"rows: {sorted(names)}")
    # Man pages and plots need nothing else.
    if not (folder / "pages" / "man1" / "usermm-run.1").is_file():
        sys.exit("there are no man pages")
    run(tool, "report", str(rows), "-o", str(scratch / "report.html"), env=env)
    # The module is compiled by the user's compiler.
    expect(run(tool, "module", str(module)), "module: loaded", "module: unloaded")


def use_installed(cmake, folder, module, scratch, env):
    """The command finds its libraries in the folder that they were installed in."""
    run(cmake, "--install", str(folder), "--prefix", str(scratch / "installed"), env=env)
    tool = str(scratch / "installed" / "bin" / "usermm")
    expect(run(tool, "doctor", env=env), f"{LIBRARIES}/libusermm_malloc.so")
    expect(run(tool, "run", "--", "sh", "-c", "echo it runs", env=env), "it runs")
    expect(run(tool, "module", str(module)), "module: loaded", "module: unloaded")


def check_colon(folder, scratch):
    """A path that no variable of the dynamic linker can name is refused in one line."""
    colon = scratch / "a:b"
    colon.mkdir()
    for name in ("usermm", "libusermm_malloc.so"):
        shutil.copy2(folder / name, colon / name)
    done = subprocess.run([str(colon / "usermm"), "run", "--", "true"], text=True,
                          capture_output=True)
    if (done.returncode, done.stderr.count("\n")) != (125, 1):
        sys.exit(f"a path with a colon: {done}")


# Stand-ins for a machine's own programs, and what install-deps.sh --build and --run say there.
BUILD, RUN = "gcc libc6-dev cmake make", "gcc libc6-dev cmake make python3-minimal sqlite3"
EMPTY_DEBIAN = {"dpkg-query": "exit 1", "apt-cache": "exit 1"}
FETCHING = "install-deps: fetching the lists of packages\n"
MACHINES = (
    ("somebody without rights", {**EMPTY_DEBIAN, "id": "echo 1000", "apt-get": "exit 0"}, 1,
     "install-deps: missing, and neither root nor sudo to install it: {}\n"),
    ("no apt-get", {**EMPTY_DEBIAN, "id": "echo 0"}, 1,
     "install-deps: missing, and no apt-get to install it: {}\n"),
    ("no network", {**EMPTY_DEBIAN, "id": "echo 0", "apt-get": "exit 100"}, 1,
     FETCHING + "install-deps: cannot fetch the lists; run apt-get update, then install: {}\n"),
    ("no Debian", {"id": "echo 0"}, 0,
     "install-deps: not a Debian system; install what Debian calls {}\n"),
)


# apt of a Debian that has Python 3.13 and no other; it notes when it is asked.
NEWER_DEBIAN = {"dpkg-query": "exit 1", "id": "echo 0", "apt-get": "exit 0", "apt-cache": """
[ "$1" = policy ] || exit 0
shift
echo asked >>"${0%/*}/questions"
for name; do
    case $name in
    *3.11* | *3.14*) ;;
    *) printf '%s:\\n  Installed: (none)\\n  Candidate: 1.0-2\\n' "$name" ;;
    esac
done"""}


def make_machine(folder, stand_ins):
    link_programs(folder, SHELL_PROGRAMS)
    for name, lines in stand_ins.items():
        (folder / name).write_text(f"#!{shutil.which('sh')}\n{lines}\n")
        (folder / name).chmod(0o755)


def check_alternatives(folder):
    """Of alternatives what the release has is installed, and apt is asked once about all."""
    make_machine(folder, NEWER_DEBIAN)
    script = ROOT / "tools" / "install-deps.sh"
    done = subprocess.run([shutil.which("sh"), str(script), "--cpython"], text=True,
                          capture_output=True, env={"PATH": str(folder)})
    words = done.stderr.split()
    if done.returncode or not {"python3.13", "libpython3.13-testsuite"} <= set(words) \
            or any("3.11" in word or "3.14" in word for word in words):
        sys.exit(f"a newer Debian: {done}")
    if (questions := (folder / "questions").read_text().count("asked")) != 1:
        sys.exit(f"a newer Debian: apt-cache was asked {questions} times")


def check_install_deps(scratch):
    sh = shutil.which("sh")
    for number, (what, stand_ins, status, said) in enumerate(MACHINES):
        folder = scratch / f"machine{number}"
        make_machine(folder, stand_ins)
        for name, packages in (("build", BUILD), ("run", RUN)):
            done = subprocess.run([sh, str(ROOT / "tools" / "install-deps.sh"), f"--{name}"],
                                  text=True, capture_output=True, env={"PATH": str(folder)})
            if (done.returncode, done.stdout, done.stderr) != (status, "", said.format(packages)):
                sys.exit(f"{what}: install-deps.sh --{name}: {done}")


def main():
    *flags, cmake, compiler = sys.argv[1:]
    if flags not in ([], ["--build"]):
        sys.exit(__doc__)
    make = shutil.which("make")
    if not make:
        print("make is not there: nothing is built")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder) / "path with spaces"
        scratch.mkdir()
        check_install_deps(scratch)
        check_alternatives(scratch / "newer")
        # The compiler as well: CMake 4 looks for that of C++ beside it.
        link_programs(scratch / "programs", [*PROGRAMS, compiler])
        module = copy_sources(scratch / "sources")
        env = {name: value for name, value in os.environ.items()
               if name not in ("CC", "CXX", "CFLAGS", "LDFLAGS", "USERMM_OPTIONS")
               and not name.startswith("CMAKE_")}
        env["PATH"] = str(scratch / "programs")
        configure(cmake, scratch / "programs" / Path(compiler).name, make, scratch / "sources",
                  scratch / "build", env)
        if not flags:
            return
        build(cmake, scratch / "build", env)
        use(scratch / "build", module, scratch, env)
        use_installed(cmake, scratch / "build", module, scratch, env)
        check_colon(scratch / "build", scratch)


if __name__ == "__main__":
    main()
