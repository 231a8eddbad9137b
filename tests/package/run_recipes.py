#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds usermm from the archive of `make dist`: by Conan, and by the port for vcpkg.

    run_recipes.py BUILD

Conan comes from PyPI. vcpkg itself cannot be fetched by a package manager, so
vcpkg_functions.cmake stands for it. The last line is "N passed, N failed".
"""
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path

from check_package import PLAIN, expect, run

ROOT = Path(__file__).resolve().parents[2]
TARGETS = {"usermm": 0, "static": 0, "malloc": 1, "malloc_static": 1, "malloc_object": 1}
PROJECT = """cmake_minimum_required(VERSION 3.20)
project(user C)
find_package(usermm CONFIG REQUIRED)
foreach(target {targets})
	add_executable(by_${{target}} plain.c)
	target_link_libraries(by_${{target}} PRIVATE usermm::${{target}})
endforeach()
"""
# Of vcpkg's documented fields of vcpkg.json, and words of its platform expressions.
FIELDS = {"name", "version", "description", "license", "supports", "dependencies"}
PLATFORMS = {"linux", "arm32", "x86"}


class TestRecipes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.scratch.name)
        cls.dist = cls.folder / "dist"
        run(sys.executable, str(ROOT / "packaging/make_dist.py"), "--out", str(cls.dist))
        cls.archive = next(cls.dist.glob("usermm-*.tar.gz"))

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def test_archive(self):
        """The same bytes again; no file of a build; it makes itself once more."""
        before = self.archive.read_bytes()
        run(sys.executable, str(ROOT / "packaging/make_dist.py"), "--out", str(self.dist))
        self.assertEqual(hashlib.sha256(before).digest(),
                         hashlib.sha256(self.archive.read_bytes()).digest())
        with tarfile.open(self.archive) as archive:
            names = archive.getnames()
            archive.extractall(self.folder / "unpacked")
        folder = self.archive.name[:-len(".tar.gz")]
        self.assertTrue(all(name.startswith(folder + "/") for name in names))
        self.assertFalse([name for name in names if "/build/" in name.replace("usermm-sys/build/",
                                                                              "")])
        again = self.folder / "again"
        run(sys.executable, str(self.folder / "unpacked" / folder / "packaging/make_dist.py"),
            "--out", str(again))
        with tarfile.open(again / self.archive.name) as archive:
            self.assertEqual(sorted(archive.getnames()), sorted(names))

    def test_conan(self):
        BUILD.mkdir(exist_ok=True)
        venv = BUILD / "conan"
        if not (venv / "bin/conan").exists():
            run(sys.executable, "-m", "venv", str(venv))
            run(str(venv / "bin/pip"), "install", "--quiet", "conan>=2")
        env = dict(os.environ, CONAN_HOME=str(self.folder / "conan"))
        conan = str(venv / "bin/conan")
        run(conan, "profile", "detect", env=env)
        done = subprocess.run([conan, "create", str(self.dist / "conan")], text=True, env=env,
                              capture_output=True)
        said = done.stdout + done.stderr
        self.assertEqual(done.returncode, 0, said)
        self.assertEqual(said.count("usermm: 128"), 4, said)
        # A system that it cannot be built for is refused in one line.
        done = subprocess.run([conan, "create", str(self.dist / "conan"), "-s", "arch=x86"],
                              text=True, env=env, capture_output=True)
        self.assertIn("usermm is for Linux with 64 bits", done.stderr)
        self.assertNotEqual(done.returncode, 0)

    def test_vcpkg(self):
        port = self.dist / "vcpkg/usermm"
        settings = json.loads((port / "vcpkg.json").read_text())
        self.assertEqual(set(settings), FIELDS)
        self.assertEqual(set(re.findall(r"\w+", settings["supports"])), PLATFORMS)
        self.assertIn(settings["version"], self.archive.name)
        packages = self.folder / "packages"
        done = subprocess.run(
            ["cmake", f"-DPORT_FOLDER={port}", f"-DSCRATCH={self.folder / 'vcpkg'}",
             f"-DCURRENT_PACKAGES_DIR={packages}", "-P",
             str(ROOT / "tests/package/vcpkg_functions.cmake")], text=True, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stdout[-3000:] + done.stderr)
        for name in ("share/usermm/usage", "share/usermm/copyright", "lib/pkgconfig/usermm.pc",
                     "share/usermm/usermm-config.cmake"):
            self.assertTrue((packages / name).is_file(), name)
        # vcpkg complains about each of these.
        for name in ("bin", "share/doc", "debug/include"):
            self.assertFalse((packages / name).exists(), name)
        self.use(packages)

    def use(self, packages):
        """A project of a user's, where nothing else leads to the library."""
        # vcpkg copies what was installed to another folder.
        packages = Path(shutil.move(packages, self.folder / "installed"))
        project = self.folder / "project"
        project.mkdir()
        (project / "plain.c").write_text(PLAIN)
        (project / "CMakeLists.txt").write_text(PROJECT.format(targets=" ".join(TARGETS)))
        run("cmake", "-S", str(project), "-B", str(project / "build"),
            f"-DCMAKE_PREFIX_PATH={packages}")
        run("cmake", "--build", str(project / "build"))
        for target, same in TARGETS.items():
            expect(run(str(project / "build" / f"by_{target}")), "plain: 128",
                   f"malloc is the API's: {same}")


if __name__ == "__main__":
    BUILD = Path(sys.argv.pop(1)).resolve()
    RESULT = unittest.main(exit=False, verbosity=2).result
    FAILED = len(RESULT.failures) + len(RESULT.errors)
    print(f"{RESULT.testsRun - FAILED} passed, {FAILED} failed")
    sys.exit(1 if FAILED or not RESULT.testsRun else 0)
