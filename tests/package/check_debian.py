#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the Debian packages of a build, installs them, uses them and removes them.

    check_debian.py CMAKE BUILD_FOLDER COMPILER

They are installed by dpkg into a folder of its own, with that folder's own list of packages,
so the machine is not changed and no rights are needed.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from check_package import MODULES, check_example, check_report, check_soname, expect, run


DROP_IN = Path(__file__).resolve().parents[2] / "examples/systemd/usermm.conf"
NAMES = ("usermm", "usermm-dev", "usermm-tools", "usermm-doc")
# The packages of the libraries that `usermm inspect` and `usermm profile` need, as all releases of
# Debian know them.
INSPECTS = r"(libdw1|libelf1|libjansson4|libncursesw6|libtinfo6|zlib1g) "
# In MB, as fetched and as installed.
LIMITS = {"usermm": (1.5, 4), "usermm-dev": (1.5, 8), "usermm-tools": (1.5, 3),
          "usermm-doc": (0.5, 1.5)}
# Some of the files of each. No file may be in two.
FILES = {
    "usermm": ("/bin/usermm", "/lib/libusermm_malloc.so.0", "/lib/libusermm.so.0",
               "/lib/libusermm_core.so.0", "/lib/libusermm_kernel.so.0", "/report/report.js",
               "/man/man1/usermm-bench.1.gz", "/man/man7/usermm-options.7.gz",
               "/bash-completion/completions/usermm", "/zsh/vendor-completions/_usermm",
               "/fish/vendor_completions.d/usermm.fish"),
    "usermm-dev": ("/lib/libusermm.so", "/lib/libusermm_malloc.so", "/lib/libusermm.a",
                   "/lib/usermm_malloc.o", "/include/usermm/usermm.h", "/usermm-config.cmake",
                   "/pkgconfig/usermm.pc", "/doc/usermm/kernel-headers.md",
                   "/man/man3/kmalloc.3usermm.gz"),
    "usermm-tools": ("/libexec/usermm/usermm-inspect", "-gdb.py", "/compile.mmtrace"),
    "usermm-doc": ("/doc/usermm/docs/linking.md", "/doc/usermm/README.md"),
}


def make_packages(cmake, build, folder):
    """The packages by their names."""
    run(str(Path(cmake).with_name("cpack")), "-G", "DEB", "-B", str(folder),
        "--config", f"{build}/CPackConfig.cmake")
    packages = {path.name.split("_")[0]: path for path in folder.glob("*.deb")}
    if set(packages) != set(NAMES):
        sys.exit(f"packages: {packages}")
    return packages


def field(package, name):
    return run("dpkg-deb", "--field", str(package), name).strip()


def version(text):
    return tuple(int(part) for part in text.split("."))


def check_libc(depends):
    """Libc, in a version that the release that the package is made on has."""
    match = re.fullmatch(r"libc6 \(>= ([0-9.]+)\)", depends)
    own = os.confstr("CS_GNU_LIBC_VERSION").split()[1]
    if not match or version(match[1]) > version(own):
        sys.exit(f"depends on {depends}; libc here is {own}")


def check_depends(packages):
    """The library and the command need libc alone; what needs more is in usermm-tools."""
    depends = {name: field(packages[name], "Depends").split(", ") for name in NAMES}
    same = f"usermm (= {field(packages['usermm'], 'Version')})"
    check_libc(", ".join(depends["usermm"]))
    if depends["usermm-dev"][:2] != [same, "libc6-dev"]:
        sys.exit(f"usermm-dev depends on {depends['usermm-dev']}")
    check_libc(", ".join(depends["usermm-dev"][2:]))
    others = [part for part in depends["usermm-tools"] if not re.match(INSPECTS, part)]
    if others[0] != same:
        sys.exit(f"usermm-tools depends on {depends['usermm-tools']}")
    check_libc(", ".join(others[1:]))
    if depends["usermm-doc"] != [""]:
        sys.exit(f"usermm-doc depends on {depends['usermm-doc']}")


def installed_bytes(package):
    """Of its files. CPack's Installed-Size has a library once more for each link to it."""
    lines = run("dpkg-deb", "--contents", str(package)).splitlines()
    return sum(int(line.split()[2]) for line in lines if line.startswith("-"))


def check_sizes(packages):
    for name, most in LIMITS.items():
        package = packages[name]
        sizes = package.stat().st_size, installed_bytes(package)
        for bytes_, limit in zip(sizes, most):
            if bytes_ > limit * 1e6:
                sys.exit(f"{name}: {bytes_ / 1e6:.1f} MB, {limit} are the limit")


def check_lintian(packages):
    """lintian, where it is installed. cmake/lintian has overrides, with reasons.

    A release's lintian reports an override that only another release's lintian knows as an error.
    """
    if not shutil.which("lintian"):
        print("lintian is not there: not asked")
        return
    said = subprocess.run(["lintian", "--allow-root", "--fail-on", "none",
                           *map(str, packages.values())], text=True, capture_output=True)
    faults = [line for line in said.stdout.splitlines()
              if line.startswith(("E: ", "W: ")) and " alien-tag " not in line]
    if said.returncode or faults:
        sys.exit(f"lintian:\n{said.stdout}{said.stderr}")


def check_control(packages):
    expect(field(packages["usermm-dev"], "Recommends"), "gcc")
    expect(field(packages["usermm-doc"], "Architecture"), "all")
    summaries = {field(package, "Description").splitlines()[0] for package in packages.values()}
    if len(summaries) != len(packages):
        sys.exit(f"packages that are described alike: {summaries}")
    runtime = str(packages["usermm"])
    expect(run("dpkg-deb", "--info", runtime, "triggers"), "activate-noawait ldconfig")
    shlibs = run("dpkg-deb", "--info", runtime, "shlibs")
    for name in ("usermm", "usermm_core", "usermm_malloc", "usermm_kernel"):
        expect(shlibs, f"lib{name} ")


def check_contents(packages):
    seen = {}
    for name, package in packages.items():
        lines = run("dpkg-deb", "--contents", str(package)).splitlines()
        # Files must belong to root: the builder's number would be another user's on the target.
        owners = {line.split()[1] for line in lines}
        if owners != {"root/root"}:
            sys.exit(f"{name}: files of {owners}")
        files = [line.split()[5] for line in lines if not line.startswith("d")]
        for file in (f"/doc/{name}/changelog.gz", f"/doc/{name}/copyright", *FILES[name]):
            if not any(path.endswith(file) for path in files):
                sys.exit(f"{name} has no {file}")
        for path in files:
            if path in seen:
                sys.exit(f"{path} is in {seen[path]} and in {name}")
            seen[path] = name
    preload = re.search(r"LD_PRELOAD=(\S+)", DROP_IN.read_text())[1]
    if seen.get(f".{preload}") != "usermm":
        sys.exit(f"{DROP_IN} preloads {preload}, which the package usermm does not have")


class Machine:
    """A folder in which dpkg is told that packages are installed.

    The package's scripts call ldconfig. So that they leave this machine alone, they find a
    stand-in, which only records the call.
    """

    def __init__(self, root, scratch):
        self.root = root
        self.calls = scratch / "ldconfig_calls"
        ldconfig = scratch / "commands" / "ldconfig"
        ldconfig.parent.mkdir()
        ldconfig.write_text(f"#!/bin/sh\necho called >> {self.calls}\n")
        ldconfig.chmod(0o755)
        self.environment = dict(os.environ, PATH=f"{ldconfig.parent}:{os.environ['PATH']}:/sbin")
        admin = root / "var" / "lib" / "dpkg"
        for folder in ("info", "updates", "triggers"):
            (admin / folder).mkdir(parents=True)
        (admin / "status").touch()
        self.before = self.files()

    def dpkg(self, *arguments):
        """The packages that it depends on are on the machine, but not in that folder's list."""
        # Files that belong to root: for others, it is said that they do.
        own = [] if os.geteuid() == 0 else ["fakeroot"]
        run(*own, "dpkg", f"--root={self.root}", "--force-depends", "--force-not-root",
            "--force-script-chrootless", f"--log={os.devnull}", *arguments,
            env=self.environment)
        if not self.calls.is_file():
            sys.exit(f"ldconfig was not called by {arguments}")
        self.calls.unlink()

    def files(self):
        return {path for path in self.root.rglob("*") if "dpkg" not in path.parts}


def use_runtime(prefix, folder):
    """The smallest package alone."""
    tool = str(prefix / "bin" / "usermm")
    expect(run(tool, "run", "--", "sh", "-c", "echo it runs"), "it runs")
    check_report(tool, folder)
    expect(run_failing(tool, "top", status=125), "install Debian's usermm-tools")


def run_failing(*command, status):
    """The command's output on stderr."""
    done = subprocess.run(command, text=True, capture_output=True)
    if done.returncode != status:
        sys.exit(f"{command}: status {done.returncode}\n{done.stderr}")
    return done.stderr


def use_all(cmake, compiler, prefix, scratch):
    tool = str(prefix / "bin" / "usermm")
    expect(run(tool, "module", str(MODULES / "ok.c")), "loaded")
    expect(run(tool, "top", "-b", "-n", "1"), "PID")
    check_soname(prefix)
    check_example(cmake, compiler, prefix, scratch)


def main():
    cmake, build, compiler = sys.argv[1:]
    for tool, package in (("dpkg-shlibdeps", "dpkg-dev"), ("file", "file"),
                          ("fakeroot", "fakeroot")):
        if not shutil.which(tool):
            sys.exit(f"{tool} is not there: install the package {package}")
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        packages = make_packages(cmake, build, root / "package")
        check_control(packages)
        check_contents(packages)
        check_depends(packages)
        check_sizes(packages)
        check_lintian(packages)
        machine = Machine(root / "machine", root)
        prefix = root / "machine" / "usr"
        machine.dpkg("--install", str(packages["usermm"]))
        use_runtime(prefix, root / "report")
        machine.dpkg("--install", *(str(packages[name]) for name in NAMES[1:]))
        use_all(cmake, compiler, prefix, root / "example")
        machine.dpkg("--remove", *NAMES)
        left = machine.files() - machine.before
        if left:
            sys.exit(f"left behind: {sorted(map(str, left))}")


if __name__ == "__main__":
    main()
