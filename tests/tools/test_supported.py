#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""cmake/supported.cmake refuses compilers and processors that usermm does not support, in one line
that says what is supported. So does cmake/before_project.cmake, before CMake tries the compiler.

Scripts stand in for compilers that are not installed, and print their definitions.
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
SUPPORTED = ROOT / "cmake" / "supported.cmake"
X86_64 = ("__x86_64__ 1", "__LP64__ 1")
GLIBC = ("__GLIBC__ 2", "__GLIBC_MINOR__ 36")
# -E -dM prints the definitions; --trace prints the linker's list of files; else the target.
COMPILER = """#!/bin/sh
case "$*" in
*-dM*) cat <<'END'
{defines}
END
;;
*--trace*) echo {library} ;;
*-dumpmachine*) echo {machine} ;;
esac
"""


class Supported(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="usermm supported ")
        self.addCleanup(self.folder.cleanup)
        self.path = Path(self.folder.name)

    def configure(self, defines, compiler=("GNU", "12.2.0"), cxx=None, library="libc.so",
                  machine="odd-linux", options=()):
        """What CMake prints on stderr; None if it accepts the compiler."""
        cc = self.path / "cc"
        cc.write_text(COMPILER.format(library=library, machine=machine,
                                      defines="\n".join(f"#define {line}" for line in defines)))
        cc.chmod(0o755)
        settings = {"PROJECT_BINARY_DIR": self.path, "CMAKE_C_COMPILER": cc,
                    "CMAKE_C_COMPILER_LOADED": 1, "CMAKE_C_COMPILER_ID": compiler[0],
                    "CMAKE_C_COMPILER_VERSION": compiler[1]}
        if cxx:
            settings.update({"CMAKE_CXX_COMPILER": "c++", "CMAKE_CXX_COMPILER_LOADED": 1,
                             "CMAKE_CXX_COMPILER_ID": cxx[0],
                             "CMAKE_CXX_COMPILER_VERSION": cxx[1]})
        done = subprocess.run(["cmake", *(f"-D{name}={value}" for name, value in settings.items()),
                               *options, "-P", SUPPORTED], text=True, capture_output=True)
        return done.stderr if done.returncode else None

    def refused(self, what, instead, *args, **kwargs):
        said = self.configure(*args, **kwargs)
        self.assertIsNotNone(said, what)
        lines = [line for line in said.splitlines() if "usermm does not support" in line]
        self.assertEqual(len(lines), 1, said)
        self.assertIn(what, lines[0])
        self.assertIn(instead, lines[0])
        self.assertIsNone(self.configure(*args, options=["-DUSERMM_UNSUPPORTED=ON"], **kwargs))

    def test_supported(self):
        for compiler in (("GNU", "12.1.0"), ("GNU", "16.2.0"), ("Clang", "14.0.6"),
                         ("Clang", "23.1.0")):
            self.assertIsNone(self.configure(X86_64 + GLIBC, compiler, compiler))
        for processor in (("__aarch64__ 1", "__AARCH64EL__ 1"), ("__riscv 1", "__riscv_xlen 64"),
                          ("__powerpc64__ 1", "__LITTLE_ENDIAN__ 1"), ("__s390x__ 1",),
                          ("__loongarch__ 1",)):
            self.assertIsNone(self.configure(processor + ("__LP64__ 1",) + GLIBC))

    def test_compiler(self):
        self.refused("GNU 11.4.0", "gcc 12 or newer", X86_64 + GLIBC, ("GNU", "11.4.0"))
        self.refused("Clang 13.0.1", "clang 14 or newer", X86_64 + GLIBC, ("Clang", "13.0.1"))
        self.refused("TinyCC 0.9.27", "gcc 12 or newer", X86_64 + GLIBC, ("TinyCC", "0.9.27"))
        # CMake does not know this one's version.
        self.refused("TinyCC; it needs", "gcc 12 or newer", X86_64 + GLIBC, ("TinyCC", ""))
        self.refused("the C++ compiler c++, GNU 9.1.0", "CXX=g++-12", X86_64 + GLIBC,
                     ("GNU", "12.1.0"), ("GNU", "9.1.0"))

    def test_system(self):
        freebsd = ["-DCMAKE_SYSTEM_NAME=FreeBSD"]
        said = self.configure(X86_64, options=freebsd)
        self.assertIn("does not support the system FreeBSD; it needs Linux, with glibc 2.36", said)
        self.assertIsNone(self.configure(X86_64 + GLIBC, options=[
            *freebsd, "-DUSERMM_UNSUPPORTED=ON"]))
        self.assertIsNone(self.configure(X86_64 + GLIBC, options=["-DCMAKE_SYSTEM_NAME=Linux"]))

    def test_processor(self):
        self.refused("the processor of sparc64-linux-gnu", "x86_64", ("__sparc__ 1",) + GLIBC,
                     machine="sparc64-linux-gnu")
        self.refused("the processor of i686-linux-gnu, where a word is too short", "x86_64",
                     ("__i386__ 1",) + GLIBC, machine="i686-linux-gnu")
        # Addresses of 32 bits, and the other order of bytes.
        self.refused("the processor of x86_64-linux-gnux32", "x86_64", ("__x86_64__ 1",) + GLIBC,
                     machine="x86_64-linux-gnux32")
        self.refused("the processor of aarch64_be-linux-gnu", "aarch64",
                     ("__aarch64__ 1", "__LP64__ 1", "__AARCH64EB__ 1") + GLIBC,
                     machine="aarch64_be-linux-gnu")

    def test_arguments_in_cc(self):
        """CC="gcc -O2": CMake passes the rest on unchanged."""
        cc = self.path / "cc"
        cc.write_text(COMPILER.format(library="", machine="", defines="\n".join(
            f"#define {line}" for line in X86_64 + GLIBC)).replace(
                "case", '[ "$1 $2" = "-a -b" ] || exit 1\ncase', 1))
        cc.chmod(0o755)
        done = subprocess.run(
            ["cmake", f"-DPROJECT_BINARY_DIR={self.path}", f"-DCMAKE_C_COMPILER={cc}",
             "-DCMAKE_C_COMPILER_ARG1= -a -b", "-DCMAKE_C_COMPILER_LOADED=1",
             "-DCMAKE_C_COMPILER_ID=GNU", "-DCMAKE_C_COMPILER_VERSION=12.2.0", "-P", SUPPORTED],
            text=True, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_libc(self):
        self.refused("glibc 2.31", "glibc 2.36 or newer",
                     X86_64 + ("__GLIBC__ 2", "__GLIBC_MINOR__ 31"))
        self.refused("this libc", "musl 1.2.3", X86_64 + ("__BIONIC__ 1",))
        library = self.path / "libc.so"
        self.refused("this libc", "musl 1.2.3", X86_64, library=f"'{library}'")
        library.write_bytes(b"\0musl libc (x86_64)\nVersion %s\n\0" + b"1.1.24\0")
        self.refused("musl 1.1.24", "musl 1.2.3 or newer", X86_64, library=f"'{library}'")
        library.write_bytes(b"\0musl libc (x86_64)\nVersion %s\n\0" + b"1.2.5\0")
        self.assertIsNone(self.configure(X86_64, library=f"'{library}'"))

    def whole(self, *options, **environment):
        """What CMake prints for the project, which is refused before any compiler is tried."""
        clean = {name: value for name, value in os.environ.items()
                 if name not in ("CC", "CFLAGS")}
        done = subprocess.run(["cmake", "-S", ROOT, "-B", self.path / "build", *options], text=True,
                              capture_output=True, env={**clean, **environment})
        self.assertTrue(done.returncode)
        return [line for line in done.stderr.splitlines() if line.startswith("   usermm ")]

    def test_32_bits(self):
        for options, environment in ((("-DCMAKE_C_FLAGS=-O2 -m32",), {}), ((), {"CC": "cc -m32"}),
                                     ((), {"CFLAGS": "-m32 -O2"})):
            said = self.whole(*options, **environment)
            self.assertEqual(len(said), 1, said)
            self.assertIn("does not support -m32", said[0])

    def test_32_bits_without_libc(self):
        """A cross compiler alone: nothing that CMake would compile to try it comes to an end."""
        cc = self.path / "cc"
        cc.write_text('#!/bin/sh\ncase "$*" in *-dM*) echo "#define __INT_MAX__ 0x7fffffff";; '
                      "*) exit 1;; esac\n")
        cc.chmod(0o755)
        for options, environment in (((), {"CC": f"'{cc}'"}), ((f"-DCMAKE_C_COMPILER={cc}",), {})):
            said = self.whole(*options, **environment)
            self.assertEqual(len(said), 1, said)
            self.assertIn(f"the processor of {cc}, where a word is", " ".join(said))

    def test_no_cross_compiler(self):
        """A preset for a processor whose compiler this release of Debian lacks."""
        folder = self.path / "bin"
        folder.mkdir()
        options = (f"-DCMAKE_TOOLCHAIN_FILE={ROOT / 'cmake' / 'cross.cmake'}",
                   "-DUSERMM_TRIPLE=no-linux-gnu")
        path = f"{folder}:{os.environ['PATH']}"
        for missing in "no-linux-gnu-gcc", "no-linux-gnu-g++":
            said = self.whole(*options, PATH=path)
            self.assertEqual(len(said), 1, said)
            self.assertIn(f"usermm finds no {missing}, which no-linux-gnu needs", said[0])
            (folder / missing).write_text("#!/bin/sh\nexit 1\n")
            (folder / missing).chmod(0o755)

    @unittest.skipUnless(os.uname().machine == "x86_64", "other processors have no such sources")
    def test_name_of_the_machine(self):
        """`setarch i686` changes what uname(2) says, and not what the compiler makes code for."""
        subprocess.run(["cmake", "-S", ROOT, "-B", self.path / "build", "-DUSERMM_INSPECT=OFF",
                        "-DCMAKE_SYSTEM_NAME=Linux", "-DCMAKE_SYSTEM_PROCESSOR=i686",
                        "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"], check=True, capture_output=True)
        commands = json.loads((self.path / "build/compile_commands.json").read_text())
        avx2 = [step["command"] for step in commands if step["file"].endswith("_avx2.c")]
        self.assertTrue(avx2)
        for command in avx2:
            self.assertIn(" -mavx2", command)

    def test_no_headers(self):
        for message in ("<command-line>: fatal error: pthread.h: No such file or directory",
                        "<built-in>:1:10: fatal error: 'pthread.h' file not found"):
            cc = self.path / "cc"
            cc.write_text(f'#!/bin/sh\necho "{message}" >&2\nexit 1\n')
            cc.chmod(0o755)
            said = self.whole(CC=f"'{cc}'")
            self.assertEqual(len(said), 1, said)
            self.assertIn("install libc6-dev", said[0])


if __name__ == "__main__":
    sys.exit(unittest.main())
