#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds and tests usermm in other releases of Debian.

    run_distros.py [--short | --only STEP] [--match REGEX] [--build FOLDER] [--products FOLDER]
                   [RELEASE...]

debootstrap makes each release in a folder, and apt adds the packages that the release's own
tools/install-deps.sh asks for. An ordinary user without a network then works on a copy of the
sources, whose path has a space and which has no .git:

    products   `cmake` with each compiler, and no option
    headers    each header of the release's libc compiles where usermm's kernel headers come first
    tests      the release preset and all of its tests; here a warning is an error, since these
               compilers and this libc warn of more
    binaries   the libraries and the package that the build in --products made on this system:
               real programs run on them there

--short compiles the products, without optimisation, and the headers' tests with the release's gcc,
and does no more.

--only STEP does one of these steps, for somebody who mends what failed: only sources that have
changed are copied, so that the builds of the last run go on. `--only tests --match REGEX` runs the
tests whose names match.

For root. The first run fetches some 100 MB for each release (short), or 1 GB. A folder that
is whole is used again. What cannot be fetched is told, and the exit status is 77. RELEASE.log, in
the folder of --build, has all output.
"""
import argparse
import os
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
sys.path.insert(0, str(SOURCE / "tools" / "linux"))
from debian import mirror_and_release  # noqa: E402

RELEASES = ("trixie", "sid")
STEPS = ("products", "headers", "tests", "binaries")
# The packages of a user who only wants the library.
PRODUCT_PACKAGES = ("gcc", "libc6-dev", "cmake", "make")
# Packages for the tests that install-deps.sh does not name.
TEST_PACKAGES = ("g++", "clang", "ninja-build", "sudo")
USER = "builder"
WORK = "/home/builder/usermm sources"
# Most tests use LD_PRELOAD, in which a path cannot have a space.
TEST_WORK = "/home/builder/usermm"
# This build type has no flags: nothing is optimised, and the build takes half of the time.
QUICKLY = "-DCMAKE_BUILD_TYPE=Plain"
SKIPPED = 77


class Distro:
    """A release of Debian in a folder of its own."""

    def __init__(self, name, root, log):
        self.name = name
        self.root = root
        self.log = log

    def make(self, packages):
        """debootstrap's system with the packages."""
        whole = self.root / "whole"
        made = whole.read_text().split() if whole.exists() else None
        if made is None:
            shutil.rmtree(self.root, ignore_errors=True)
            mirror, _ = mirror_and_release()
            # A script of a release that this debootstrap does not know yet would be sid's.
            scripts = Path("/usr/share/debootstrap/scripts")
            script = [] if (scripts / self.name).exists() else [str(scripts / "sid")]
            # If a power cut spoils the system, it is made again: no package waits for the disk.
            self.told("env", "DPKG_FORCE=unsafe-io", "debootstrap", "--variant=minbase", self.name,
                      str(self.root), mirror, *script)
            (self.root / "etc/dpkg/dpkg.cfg.d/unsafe").write_text("force-unsafe-io\n")
            made = []
        if missing := [name for name in packages if name not in made]:
            self.copy_apt_settings()
            self.inside("apt-get -qq update", network=True)
            self.inside("apt-get -qq -y install --no-install-recommends " + " ".join(missing),
                        network=True)
        if subprocess.run(["chroot", str(self.root), "id", USER], capture_output=True,
                          check=False).returncode:
            self.inside(f"useradd --create-home --shell /bin/sh {USER}")
        whole.write_text(" ".join([*made, *missing]))

    def copy_apt_settings(self):
        """A proxy, if this system has one, is the way out for that one as well."""
        for name in ("/etc/resolv.conf", "/etc/hosts"):
            if Path(name).exists():
                shutil.copy(name, self.root / name[1:])
        shown = subprocess.run(["apt-config", "dump", "--format", "%f \"%v\";%n", "Acquire"],
                               capture_output=True, text=True, check=True).stdout
        (self.root / "etc/apt/apt.conf.d/90build").write_text(shown)

    def told(self, *argv):
        with open(self.log, "ab") as log:
            log.write(f"+ {' '.join(argv)}\n".encode())
            log.flush()
            subprocess.run(argv, check=True, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def inside(self, script, user="root", network=False):
        """Runs a shell script there. Its processes and mounts end with it."""
        enter = ('mount --rbind /dev "$0/dev" && mount -t proc proc "$0/proc" && '
                 'mount -t sysfs sysfs "$0/sys" 2>/dev/null; '
                 'exec chroot --userspec="$1" "$0" /usr/bin/env -i PATH=/usr/sbin:/usr/bin '
                 'HOME="$2" DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 TERM=dumb '
                 'sh -euc "$3"')
        # A network of its own that leads nowhere; "lo" is there for tests of servers.
        alone = [] if network else ["--net"]
        up = "" if network else "ip link set lo up 2>/dev/null; "
        home = "/root" if user == "root" else f"/home/{user}"
        self.told("unshare", "--mount", "--propagation", "private", "--pid", "--fork",
                  "--kill-child", *alone, "sh", "-c", up + enter, str(self.root),
                  f"{user}:{user}", home, script)

    def copy_sources(self, work, again=False):
        """The sources without history, as a release's archive has them.

        With `again` what is there stays: files that have changed are copied, and others keep
        their times, so that a build beside them goes on.
        """
        target = self.root / work[1:]
        if not again:
            shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True, exist_ok=True)
        names = sources()
        kept = {target / name for name in names if is_same(SOURCE / name, target / name)}
        # What is in a folder comes before it.
        for file in sorted(target.rglob("*"), reverse=True):
            top = file.relative_to(target).parts[0]
            if top.startswith("build") or "__pycache__" in file.parts or file in kept:
                continue
            if not is_folder(file):
                file.unlink()
            elif not any(file.iterdir()):
                file.rmdir()
        for name in names:
            if target / name not in kept:
                (target / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(SOURCE / name, target / name, follow_symlinks=False)
        self.inside(f"chown -R {USER}:{USER} '{work}'")


def sources():
    """The names of the source files: git's, or all but what a build makes."""
    listed = subprocess.run(["git", "-C", str(SOURCE), "ls-files", "-z", "--cached", "--others",
                             "--exclude-standard"], capture_output=True)
    if listed.returncode:
        names = [file.relative_to(SOURCE) for file in SOURCE.rglob("*") if not is_folder(file)]
        return [name for name in names if name.parts[0] != "build"
                and not {".git", "__pycache__"} & set(name.parts)]
    names = map(Path, listed.stdout.decode().rstrip("\0").split("\0"))
    return [name for name in names if os.path.lexists(SOURCE / name)]


def is_folder(file):
    return file.is_dir() and not file.is_symlink()


def is_same(file, copy):
    """Has the copy the size and the time of the file?"""
    if not os.path.lexists(copy):
        return False
    one, other = file.lstat(), copy.lstat()
    return (one.st_size, one.st_mtime_ns, one.st_mode) == (other.st_size, other.st_mtime_ns,
                                                           other.st_mode)


class Report:
    """A line when a thing is begun, and one that says how it ended."""

    def __init__(self):
        self.passed = self.failed = 0

    def attempt(self, distro, what, *steps):
        begin = time.monotonic()
        print(f"{distro.name}: {what} ...", flush=True)
        try:
            for step in steps:
                step()
            outcome = "passed"
            self.passed += 1
        except subprocess.CalledProcessError as error:
            outcome = f"FAILED with {error.returncode}; the end of {distro.log}:\n"
            outcome += "\n".join(
                distro.log.read_text(errors="replace").splitlines()[-40:])
            self.failed += 1
        print(f"{distro.name}: {what} ({time.monotonic() - begin:.0f} s): {outcome}", flush=True)


def build_products(distro, compiler, jobs, settings, again):
    """As a user does who has read nothing but the first lines of README."""
    fresh = "" if again else f"rm -rf 'build {compiler}'"
    distro.inside(f"""
        cd '{WORK}'
        {fresh}
        CC={compiler} cmake -B 'build {compiler}' {settings} >/dev/null
        cmake --build 'build {compiler}' --parallel {jobs}
        'build {compiler}/usermm' run -- true
        'build {compiler}/usermm' selftest
        'build {compiler}/usermm' doctor""", user=USER)


def check_headers(distro):
    distro.inside(f"""
        cd '{WORK}'
        python3 tests/kernel/headers/check_libc_headers.py --compiler gcc""", user=USER)


def run_tests(distro, jobs, match):
    # Many tests wait for timers, or for children: one more for each two processors.
    at_once = jobs + (jobs + 1) // 2
    chosen = f"--tests-regex {shlex.quote(match)}" if match else ""
    distro.inside(f"""
        cd '{TEST_WORK}'
        cmake --preset release -DUSERMM_WERROR=ON >/dev/null
        cmake --build --preset release --parallel {jobs}
        ctest --preset release --parallel {at_once} --label-exclude '^long$' {chosen}""", user=USER)


def run_binaries(distro, products):
    """The library that was built on this system runs under programs of that release."""
    place = distro.root / "home" / USER / "binaries"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    packages = sorted((products / "package").glob("*.deb"))
    for file in [products / "libusermm_malloc.so.0", *packages]:
        shutil.copy(file, place)
    distro.inside(f"""
        apt-get -qq -y install /home/{USER}/binaries/*.deb
        usermm doctor
        usermm run -- python3 -c 'print(sum(range(10**6)))'
        dpkg --purge $(dpkg-deb --show --showformat '${{Package}} ' /home/{USER}/binaries/*.deb)
        """, network=True)
    distro.inside(f"""
        cd '{WORK}'
        python3 tests/programs/run_programs.py --short \
            --library /home/{USER}/binaries/libusermm_malloc.so.0""", user=USER)


def try_release(distro, report, args):
    steps = (args.only,) if args.only else STEPS
    again = bool(args.only)
    if steps != ("tests",):
        report.attempt(distro, "copying the sources", lambda: distro.copy_sources(WORK, again))
    if "products" in steps:
        compilers, settings = (("gcc",), QUICKLY) if args.short else (("gcc", "clang"), "")
        for compiler in compilers:
            report.attempt(distro, f"products by {compiler}",
                           lambda compiler=compiler: build_products(distro, compiler, args.jobs,
                                                                    settings, again))
    if "headers" in steps:
        report.attempt(distro, "libc's headers", lambda: check_headers(distro))
    if args.short:
        return
    if "tests" in steps:
        report.attempt(distro, "copying the sources for the tests",
                       lambda: distro.copy_sources(TEST_WORK, again))
        report.attempt(distro, "tests' packages", lambda: distro.inside(
            f"cd '{TEST_WORK}' && tools/install-deps.sh --tests", network=True))
        report.attempt(distro, "tests", lambda: run_tests(distro, args.jobs, args.match))
    if "binaries" in steps:
        report.attempt(distro, "binaries of this system",
                       lambda: run_binaries(distro, args.products.resolve()))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=SOURCE / "build" / "distros")
    parser.add_argument("--products", type=Path, default=SOURCE / "build",
                        help="a build whose libraries and package are tried there")
    extent = parser.add_mutually_exclusive_group()
    extent.add_argument("--short", action="store_true", help="compile, and no more")
    extent.add_argument("--only", choices=STEPS, help="do this step alone, and build on")
    parser.add_argument("--match", metavar="REGEX", help="only tests whose names match")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("release", nargs="*", default=RELEASES)
    args = parser.parse_args()
    if args.match and (args.short or args.only not in (None, "tests")):
        parser.error("--match chooses tests, and this runs none")

    for command in ("debootstrap", "unshare"):
        if not shutil.which(command):
            print(f"skipped: there is no {command}: install the package of that name")
            return SKIPPED
    if os.geteuid():
        print("skipped: only root may make a system")
        return SKIPPED
    args.build.mkdir(parents=True, exist_ok=True)
    packages = [*PRODUCT_PACKAGES, "python3"]
    report = Report()
    skipped = []
    for name in args.release:
        log = args.build.resolve() / f"{name}.log"
        log.write_text("")
        distro = Distro(name, args.build.resolve() / name, log)
        try:
            distro.make(packages if args.short else [*packages, *TEST_PACKAGES])
        except subprocess.CalledProcessError as error:
            print(f"{name}: cannot be made: {error}; see {log}")
            skipped.append(name)
            continue
        try_release(distro, report, args)
    print(f"{report.passed} passed, {report.failed} failed")
    if report.failed:
        return 1
    return SKIPPED if skipped else 0


if __name__ == "__main__":
    sys.exit(main())
