# SPDX-License-Identifier: MIT
"""usermm for Conan 2: the libraries and headers, static and shared, without the command.

CMake projects find usermm's own package files, with all of its targets: usermm::usermm,
usermm::static, usermm::malloc, usermm::malloc_static, usermm::malloc_object, usermm::kernel.
For other generators there are the components `api` and `malloc`, of which a program takes one.
"""
import os

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, get
from conan.tools.scm import Version

required_conan_version = ">=2.0"
OLDEST = {"gcc": "12", "clang": "14"}
ARCHITECTURES = ("x86_64", "armv8", "riscv64", "ppc64le", "s390x", "loong64")


class UsermmConan(ConanFile):
    name = "usermm"
    description = "Linux's memory allocators as a user-space library"
    license = "MIT"
    topics = ("allocator", "malloc", "memory", "slab", "buddy")
    package_type = "shared-library"
    settings = "os", "arch", "compiler", "build_type"

    def set_version(self):
        self.version = self.version or next(iter(self.conan_data["sources"]))

    def layout(self):
        cmake_layout(self, src_folder="src")

    def validate(self):
        if self.settings.os != "Linux" or self.settings.arch not in ARCHITECTURES:
            raise ConanInvalidConfiguration("usermm is for Linux with 64 bits: "
                                            + ", ".join(ARCHITECTURES))
        compiler = str(self.settings.compiler)
        if compiler not in OLDEST or \
           Version(self.settings.compiler.version) < OLDEST[compiler]:
            raise ConanInvalidConfiguration("usermm needs gcc 12, clang 14 or newer")

    def source(self):
        get(self, **self.conan_data["sources"][self.version], strip_root=True)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["USERMM_COMMAND"] = False
        toolchain.cache_variables["CMAKE_INSTALL_LIBDIR"] = "lib"
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()

    def package_info(self):
        # The project's own files for CMake have more than a generator could make.
        self.cpp_info.set_property("cmake_find_mode", "none")
        for name, library in (("api", "usermm"), ("malloc", "usermm_malloc")):
            component = self.cpp_info.components[name]
            component.libs = [library]
            component.system_libs = ["pthread"]
            component.builddirs = [os.path.join("lib", "cmake", "usermm")]
            component.set_property("pkg_config_name", library)
