# SPDX-License-Identifier: MIT
"""A program by find_package(usermm), as `conan create` runs it."""
import os

from conan import ConanFile
from conan.tools.build import can_run
from conan.tools.cmake import CMake, cmake_layout


class TestConan(ConanFile):
    settings = "os", "arch", "compiler", "build_type"
    generators = "CMakeToolchain", "VirtualRunEnv"

    def requirements(self):
        self.requires(self.tested_reference_str)

    def layout(self):
        cmake_layout(self)

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def test(self):
        if can_run(self):
            for program in ("by_usermm", "by_static", "by_malloc", "by_malloc_object"):
                self.run(os.path.join(self.cpp.build.bindir, program), env="conanrun")
