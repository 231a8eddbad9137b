#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the Debian package of a build, installs it, uses it and removes it.

    check_debian.py CMAKE BUILD_FOLDER COMPILER

It is installed by dpkg into a folder of its own, with that folder's own list of packages,
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


# The packages of the libraries that `usermm inspect` needs.
INSPECTS = r"(libdw1|libelf1|libjansson4|libncursesw6|libtinfo6)(t64)? "


def make_package(cmake, build, folder):
    run(str(Path(cmake).with_name("cpack")), "-G", "DEB", "-B", str(folder),
        "--config", f"{build}/CPackConfig.cmake")
    packages = list(folder.glob("*.deb"))
    if len(packages) != 1:
        sys.exit(f"packages: {packages}")
    return packages[0]


def version(text):
    return tuple(int(part) for part in text.split("."))


def check_depends(package):
    """On libc, in a version that the release that it is made on has, and on `usermm inspect`'s."""
    depends = run("dpkg-deb", "--field", str(package), "Depends").strip()
    others = {part for part in depends.split(", ") if re.match(INSPECTS, part)}
    match = re.fullmatch(r"libc6 \(>= ([0-9.]+)\)",
                         ", ".join(part for part in depends.split(", ") if part not in others))
    own = os.confstr("CS_GNU_LIBC_VERSION").split()[1]
    if not match or version(match[1]) > version(own):
        sys.exit(f"depends on {depends}; libc here is {own}")


def check_size(package):
    """In MB, as fetched and as installed (Debian counts KiB)."""
    installed = int(run("dpkg-deb", "--field", str(package), "Installed-Size")) * 1024
    for bytes_, most in ((package.stat().st_size, 5), (installed, 16)):
        if bytes_ > most * 1e6:
            sys.exit(f"{bytes_ / 1e6:.1f} MB, {most} are the limit")


def check_lintian(package):
    """Debian's own judge, where it is installed. Some of its warnings are for several packages.

    One release's judge takes it for an error that the package answers what another's would say.
    """
    if not shutil.which("lintian"):
        print("lintian is not there: not asked")
        return
    said = subprocess.run(["lintian", "--allow-root", "--fail-on", "none", str(package)],
                          text=True, capture_output=True)
    errors = [line for line in said.stdout.splitlines()
              if line.startswith("E: ") and " alien-tag " not in line]
    if said.returncode or errors:
        sys.exit(f"lintian:\n{said.stdout}{said.stderr}")


def check_control(package):
    for field, text in (("Package", "usermm\n"), ("Recommends", "gcc")):
        expect(run("dpkg-deb", "--field", str(package), field), text)
    expect(run("dpkg-deb", "--info", str(package), "triggers"), "activate-noawait ldconfig")
    expect(run("dpkg-deb", "--contents", str(package)), "/doc/usermm/changelog.gz",
           "/man/man1/usermm-bench.1.gz", "/man/man7/usermm-options.7.gz",
           "/man/man3/kmalloc.3usermm.gz", "/bash-completion/completions/usermm",
           "/zsh/vendor-completions/_usermm", "/fish/vendor_completions.d/usermm.fish")
    shlibs = run("dpkg-deb", "--info", str(package), "shlibs")
    for name in ("usermm", "usermm_core", "usermm_malloc", "usermm_kernel"):
        expect(shlibs, f"lib{name} ")
    # What is made on the builder's account would be somebody else's where it is installed.
    owners = {line.split()[1] for line in run("dpkg-deb", "--contents", str(package)).splitlines()}
    if owners != {"root/root"}:
        sys.exit(f"files of {owners}")


class Machine:
    """A folder in which dpkg is told that packages are installed.

    The package's scripts call ldconfig, which would be this machine's: they get another one.
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
        """What it depends on is not in that folder's list, but on the machine."""
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


def use(cmake, compiler, prefix, scratch):
    tool = str(prefix / "bin" / "usermm")
    expect(run(tool, "module", str(MODULES / "ok.c")), "loaded")
    expect(run(tool, "run", "--", "sh", "-c", "echo it runs"), "it runs")
    check_report(tool, scratch.with_name("report"))
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
        package = make_package(cmake, build, root / "package")
        check_control(package)
        check_depends(package)
        check_size(package)
        check_lintian(package)
        machine = Machine(root / "machine", root)
        machine.dpkg("--install", str(package))
        use(cmake, compiler, root / "machine" / "usr", root / "example")
        machine.dpkg("--remove", "usermm")
        left = machine.files() - machine.before
        if left:
            sys.exit(f"left behind: {sorted(map(str, left))}")


if __name__ == "__main__":
    main()
