#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs other projects' tests that use malloc heavily, without and with the library.

Their sources are Debian's packages, and a crate, fetched into the build folder and taken as
they are. perl's core tests run under the installed perl, preloaded: each test must print the same
results of its checks. So must gnulib's programs. libc++'s tests of operator new and delete are
programs, which run preloaded, linked with usermm_malloc.o, and linked with it statically: each that
passes with glibc must pass. hardened_malloc's programs make a mistake each, and run preloaded with
hardened=1: they must end as hardened_malloc's own tests say, but with the library's messages. The
report has a line for each test that differs, and ends with "N passed, N failed".
"""
import argparse
import concurrent.futures
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

import crate_sources
import debian_sources

LIMIT_SECONDS = 300

PERL_FOLDERS = "base cmd comp lib mro op re uni".split()
# Tests that depend on the clock, or that take minutes for tables of characters.
PERL_ELSEWHERE = re.compile(r"op/(time_loop|sleep|alarm)\.t|re/uniprops\d*\.t")

LIBCXX = "libcxx/test/std/language.support/support.dynamic"
COMPILE = "-std=c++20 -O1 -w -include version".split()
KINDS = {"shared": [], "static": ["-static"]}


class Suite:
    def __init__(self, args, folder):
        self.args = args
        self.folder = folder
        self.preload = {"LD_PRELOAD": os.path.abspath(args.library),
                        "USERMM_OPTIONS": args.options}

    def run(self, command, environment, work):
        """(how it ended, its output)"""
        settings = {"LC_ALL": "C", "PERL_HASH_SEED": "0", "PERL_CORE": "1"}
        try:
            done = subprocess.run(command, cwd=work, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  env=os.environ | settings | environment,
                                  timeout=LIMIT_SECONDS)
        except subprocess.TimeoutExpired:
            return "hangs", ""
        return done.returncode, done.stdout.decode(errors="replace")


class Perl(Suite):
    name = "perl"

    def tests(self):
        source = debian_sources.unpacked("perl", self.folder, ("t/", "lib/"))
        self.work = source / "t"
        found = (path.relative_to(self.work).as_posix() for name in PERL_FOLDERS
                 for path in sorted((self.work / name).glob("*.t")))
        return [name for name in found if not PERL_ELSEWHERE.fullmatch(name)]

    def outcome(self, test, environment):
        end, output = self.run(["perl", "-I../lib", test], environment, self.work)
        # Addresses are in the names of some.
        return end, re.findall(r"(?m)^(?:not )?ok \d+", output)

    def check(self, test):
        """(what is wrong or None, how many checks passed)"""
        plain = self.outcome(test, {})
        preloaded = self.outcome(test, self.preload)
        if plain != preloaded:
            # Some tests race with the clock, or with each other for a file's name.
            plain, preloaded = self.outcome(test, {}), self.outcome(test, self.preload)
        passed = sum(1 for line in preloaded[1] if line.startswith("ok"))
        if plain == preloaded:
            return None, passed
        differing = [line for line in preloaded[1] if line not in plain[1]][:5]
        return f"ends with {preloaded[0]}, not {plain[0]}; {differing}", passed


class Libcxx(Suite):
    name = "libc++"

    def tests(self):
        source = debian_sources.unpacked("llvm-toolchain-16", self.folder,
                                         (LIBCXX, "libcxx/test/support"))
        self.source = source
        (self.folder / "programs").mkdir(exist_ok=True)
        return sorted(path.relative_to(source / LIBCXX).as_posix()
                      for path in (source / LIBCXX).rglob("*.pass.cpp")
                      if not path.name.endswith(".compile.pass.cpp"))

    def build(self, test, kind, with_object):
        program = self.folder / "programs" / f"{test.replace('/', '_')}-{kind}{len(with_object)}"
        done = subprocess.run(["c++", *COMPILE, *KINDS[kind],
                               f"-I{self.source / 'libcxx/test/support'}",
                               self.source / LIBCXX / test, *with_object, "-lpthread",
                               "-o", program], capture_output=True, text=True)
        return program if done.returncode == 0 else None

    def check(self, test):
        wrong, passed = [], 0
        for kind in KINDS:
            plain = self.build(test, kind, [])
            # Made for libc++ alone, or a part of others.
            if not plain or self.run([plain], {}, self.folder)[0] != 0:
                continue
            linked = self.build(test, kind, [self.args.object])
            ways = {f"linked, {kind}": (linked, {"USERMM_OPTIONS": self.args.options})}
            if kind == "shared":
                ways["preloaded"] = plain, self.preload
            for way, (program, environment) in ways.items():
                if not program:
                    wrong.append(f"{way}: does not link")
                    continue
                end, output = self.run([program], environment, self.folder)
                passed += end == 0
                if end != 0:
                    wrong.append(f"{way}: ends with {end}: {output[-300:].strip()}")
        return "; ".join(wrong) or None, passed


class Gnulib(Suite):
    name = "gnulib"
    # Modules that allocate, that test allocation itself, or that start threads and processes.
    MODULES = """aligned_alloc aligned-malloc alignalloc argp avltree-list avltree-oset bitset
        calloc-gnu canonicalize cond environ free-posix fts getdelim getline getndelim2 glob hash
        hash-map linkedhash-list linkedhash-set lock malloc-gnu malloca obstack obstack-printf
        open_memstream pipe-filter-gi pipe-filter-ii popen posix_memalign posix_spawn
        pthread-mutex pthread-rwlock pthread-thread pthread-tss putenv rbtree-list rbtree-omap
        rbtreehash-list realloc-gnu reallocarray regex safe-alloc setenv spawn-pipe ssfmalloc
        striconveha strndup thread tls vasnprintf vasprintf-posix xalloc""".split()
    # Reads memory that it has freed, which kfence_sample= does not permit.
    READS_FREED = "test-memset_explicit"

    def tests(self):
        if not shutil.which("gnulib-tool"):
            print(f"{self.name}: skipped, there is no gnulib-tool", file=sys.stderr)
            return []
        self.work = self.folder / self.name
        if not (self.work / "config.status").exists():
            shutil.rmtree(self.work, ignore_errors=True)
            self.made("gnulib-tool", "--create-testdir", "--with-tests",
                      f"--dir={self.work}", *self.MODULES)
            self.made("./configure", "-q", cwd=self.work)
        self.plain, self.preloaded = self.outcomes({}), self.outcomes(self.preload)
        if not self.plain:
            raise RuntimeError(f"{self.work}: `make check` has run no test; see what it says")
        return sorted(self.plain)

    def made(self, *command, **where):
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       stdin=subprocess.DEVNULL, **where)

    def outcomes(self, environment):
        """PASS, SKIP, FAIL and the like by test"""
        for trace in self.work.rglob("*.trs"):
            trace.unlink()
        subprocess.run(["make", "-k", f"-j{self.args.jobs}", "check"], cwd=self.work,
                       env=os.environ | environment, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return {trace.stem: re.search(r":test-result: (\w+)", trace.read_text())[1]
                for trace in self.work.rglob("*.trs")}

    def check(self, test):
        plain, preloaded = self.plain[test], self.preloaded.get(test, "nothing")
        may_differ = test == self.READS_FREED and "kfence_sample=" in self.args.options
        if plain != preloaded and not may_differ:
            return f"says {preloaded}, not {plain}", 0
        return None, int(plain == "PASS")


class HardenedMalloc(Suite):
    """Each test runs a program and compares its exit status, as numbers, and its texts."""
    name = "hardened_malloc"

    def tests(self):
        if not shutil.which("cargo"):
            print(f"{self.name}: skipped, there is no cargo to fetch it with", file=sys.stderr)
            return []
        crate = crate_sources.unpacked("hardened_malloc-rs", "0.1.2", self.folder)
        self.source = crate / "src/hardened_malloc/test"
        self.programs = self.folder / "hardened_malloc"
        self.programs.mkdir(exist_ok=True)
        spec = importlib.util.spec_from_file_location("test_smc", self.source / "test_smc.py")
        theirs = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(theirs)
        self.case = self.relaxed(theirs.TestSimpleMemoryCorruption)
        # The others try a function that is hardened_malloc's own.
        return [name for name in unittest.TestLoader().getTestCaseNames(self.case)
                if "object_size" not in name]

    def relaxed(suite, theirs):
        class Relaxed(theirs):
            def run_test(self, name):
                environment = suite.preload | {
                    "USERMM_OPTIONS": f"{suite.args.options}:hardened=1"}
                status, output = suite.run([suite.build(name)], environment, suite.programs)
                return output.encode(), b"", status

            def assertEqual(self, first, second, msg=None):
                if isinstance(second, int):
                    super().assertEqual(first, second, msg)
        return Relaxed

    def build(self, name):
        source = next(self.source.glob(f"{name}.c*"))
        program = self.programs / name
        compiler = ["c++", "-std=c++17", "-fsized-deallocation"] if source.suffix == ".cc" else \
            ["cc", "-std=c17"]
        subprocess.run([*compiler, "-D_GNU_SOURCE", "-DSLAB_CANARY=true",
                        "-DCONFIG_EXTENDED_SIZE_CLASSES=true", "-O3", "-w", source, "-lpthread",
                        "-o", program], check=True)
        return program

    def check(self, test):
        result = unittest.TestResult()
        self.case(test).run(result)
        wrong = [text for _, text in result.failures + result.errors]
        return "; ".join(wrong) or None, int(not wrong)


SUITES = (Libcxx, HardenedMalloc, Gnulib, Perl)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--library", required=True, help="path of libusermm_malloc.so")
    parser.add_argument("--object", required=True, help="path of usermm_malloc.o")
    parser.add_argument("--build", type=Path, required=True, help="a folder for what is fetched")
    parser.add_argument("--options", default="", help="USERMM_OPTIONS of the programs")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("suite", nargs="*", help="run these alone: "
                        + ", ".join(suite.name for suite in SUITES))
    args = parser.parse_args()
    args.object = os.path.abspath(args.object)
    folder = args.build.resolve()
    folder.mkdir(parents=True, exist_ok=True)

    good = bad = 0
    for suite in (suite(args, folder) for suite in SUITES
                  if not args.suite or suite.name in args.suite):
        tests = suite.tests()
        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            results = list(pool.map(suite.check, tests))
        for test, (wrong, _) in zip(tests, results):
            if wrong:
                print(f"FAILED {suite.name} {test}: {wrong}")
        checks = sum(passed for _, passed in results)
        failed = sum(1 for wrong, _ in results if wrong)
        print(f"{suite.name:16} {len(tests)} tests, {checks} checks that passed", flush=True)
        good += len(tests) - failed if checks else 0
        bad += failed if checks else len(tests)
    print(f"{good} passed, {bad} failed")
    return 1 if bad or not good else 0


if __name__ == "__main__":
    sys.exit(main())
