#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds Linux as a user process (UML), once, outside the source tree.

    build_linux.py [--kernel NAME] [--cache DIR]    prints the folder of the built tree
    build_linux.py --archive VERSION                prints the file of that Linux's source

NAME is 6.12, 7.3 or 7.3-smp. The source is Debian's package linux-source-VERSION, if it is
installed; else 7.3 is fetched, from Debian 13's backports (170 MB). DIR, by default
$XDG_CACHE_HOME/usermm, keeps one tree for each source and configuration. A build takes about six
minutes on two cores, and 2 GB of disk.
"""
import argparse
import fcntl
import hashlib
import os
import shutil
import signal
import subprocess
import sys
import tarfile
from dataclasses import dataclass
from pathlib import Path

import debian

# Linux as a distribution configures it for speed: -O2, no debugging, and none of the hardening
# that usermm has off by default as well. KUnit is a module, so it is not in the measured kernel.
ENABLED = ("MODULES", "MODULE_UNLOAD", "BLK_DEV_INITRD", "PREEMPT_NONE", "KALLSYMS",
           "CC_OPTIMIZE_FOR_PERFORMANCE", "INIT_STACK_NONE")
MODULES = ("KUNIT",)
DISABLED = ("SLAB_FREELIST_HARDENED", "SLAB_FREELIST_RANDOM", "RANDOM_KMALLOC_CACHES",
            "INIT_ON_ALLOC_DEFAULT_ON", "HARDENED_USERCOPY", "DEBUG_KERNEL", "FTRACE",
            "DEBUG_INFO", "MODULE_SIG", "PREEMPT_VOLUNTARY", "PREEMPT",
            "CC_OPTIMIZE_FOR_SIZE", "INIT_STACK_ALL_ZERO",
            # Options for code that takes long to compile, and that nothing here uses.
            "NET", "SOUND", "EXT4_FS", "REISERFS_FS", "ISO9660_FS", "AUTOFS_FS", "HOSTFS", "QUOTA",
            "IOSCHED_BFQ", "BLK_DEV_LOOP", "BLK_DEV_UBD", "BINFMT_MISC", "INPUT_KEYBOARD",
            "INPUT_MOUSE", "SERIO", "HID_SUPPORT", "RD_BZIP2", "RD_LZMA", "RD_XZ", "RD_LZO",
            "RD_LZ4", "RD_ZSTD")
# The names of these options in 7.3, which has no PREEMPT_NONE for UML.
INSTEAD = {"PREEMPT_NONE": "PREEMPT_VOLUNTARY", "PREEMPT_VOLUNTARY": "PREEMPT_LAZY",
           "RANDOM_KMALLOC_CACHES": "KMALLOC_PARTITION_CACHES"}
STAMP = ".usermm-built"


@dataclass(frozen=True)
class Kernel:
    """A source and its configuration."""
    name: str
    version: str	# of the source; usermm has its rules by --linux=VERSION
    enabled: tuple
    disabled: tuple
    smp: bool = False


def newer(names):
    return tuple(INSTEAD.get(name, name) for name in names)


# From 7.1 on UML can have several CPUs. Without SMP that Linux has no per-CPU page lists; with SMP
# it pays much more for each blocked signal. So there is one for the rules, and one for the speed.
KERNELS = {kernel.name: kernel for kernel in (
    Kernel("6.12", "6.12", ENABLED, DISABLED),
    Kernel("7.3", "7.3", newer(ENABLED), (*newer(DISABLED), "SMP")),
    Kernel("7.3-smp", "7.3", (*newer(ENABLED), "SMP"), newer(DISABLED), smp=True))}
NEWEST = "7.3-smp"
# The sources that are fetched if they are not installed, and the Debian suites that have them.
SUITES = {"7.3": "trixie-backports"}


def default_cache():
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "usermm"


def stamp(kernel, archive):
    """Identifies what the tree is made of: size and time of the archive, the configuration."""
    source = archive.stat()
    told = repr((source.st_size, int(source.st_mtime), kernel.enabled, MODULES, kernel.disabled))
    return hashlib.sha256(told.encode()).hexdigest()


def run_quietly(command):
    """Runs a command: (status, output). If this script ends, so do all processes it started."""
    # A signal that ends this script before it knows the process would leave the process behind.
    held = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})

    def release_signals():
        signal.pthread_sigmask(signal.SIG_SETMASK, held)

    try:
        process = subprocess.Popen(command, text=True, errors="replace", stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   start_new_session=True, preexec_fn=release_signals)
    except BaseException:
        release_signals()
        raise
    try:
        release_signals()
        output, _ = process.communicate()
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise
    return process.returncode, output


def make(tree, *arguments):
    """Runs make. The last lines of its output are shown only if it fails."""
    command = ["make", "-C", str(tree), "ARCH=um", f"-j{os.cpu_count()}", *arguments]
    status, output = run_quietly(command)
    if status:
        sys.stderr.write("\n".join(output.splitlines()[-40:]) + "\n")
        sys.exit(f"build_linux: {' '.join(command)} failed")


def fetch(version, to):
    """Takes the archive out of Debian's package."""
    package = f"linux-source-{version}"
    print(f"build_linux: fetching {package} from Debian's {SUITES[version]}", file=sys.stderr,
          flush=True)
    place = to.with_name(f"{package}.apt")
    try:
        apt = debian.Apt(place, "amd64", [SUITES[version]])
        debian.unpack(apt.fetch(package), f"*/{to.name}", to)
    except (OSError, StopIteration, subprocess.CalledProcessError):
        sys.exit(f"build_linux: cannot fetch {package}; put its {to.name} into /usr/src")
    finally:
        shutil.rmtree(place, ignore_errors=True)


def archive_of(version, cache):
    """The source of that Linux. Concurrent calls take turns."""
    name = f"linux-source-{version}.tar.xz"
    for found in (Path("/usr/src", name), cache / name):
        if found.exists():
            return found
    if version not in SUITES:
        sys.exit(f"build_linux: /usr/src/{name} is missing; `make deps` installs it")
    cache.mkdir(parents=True, exist_ok=True)
    with open(cache / f"{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not found.exists():
            fetch(version, found)
    return found


def unpack(archive, tree):
    """Unpacks into another folder first, so that an interruption leaves no incomplete tree."""
    folder = tree.with_name(f"{tree.name}.unpacking")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    with tarfile.open(archive) as tar:
        for member in tar:
            member.name = member.name.partition("/")[2]
            if member.name:
                tar.extract(member, folder)
    folder.rename(tree)


def not_as_asked(config, kernel):
    """The options that the configuration does not have as they were asked for."""
    lines = set(config.splitlines())
    yield from (name for name in kernel.enabled if f"CONFIG_{name}=y" not in lines)
    yield from (name for name in MODULES if f"CONFIG_{name}=m" not in lines)
    yield from (name for name in kernel.disabled
                if lines & {f"CONFIG_{name}=y", f"CONFIG_{name}=m"})


def configure(tree, kernel):
    make(tree, "x86_64_defconfig")
    options = [("--enable", name) for name in kernel.enabled]
    options += [("--module", name) for name in MODULES]
    options += [("--disable", name) for name in kernel.disabled]
    for option, name in options:
        subprocess.run(["scripts/config", option, name], cwd=tree, check=True)
    make(tree, "olddefconfig")
    if wrong := list(not_as_asked((tree / ".config").read_text(), kernel)):
        sys.exit(f"build_linux: Linux {kernel.name} cannot be configured as asked: "
                 f"{', '.join(wrong)}")


def build(cache, name=NEWEST):
    """The folder of the built tree; builds it if necessary. Concurrent calls take turns."""
    kernel = KERNELS[name]
    archive = archive_of(kernel.version, cache)
    cache.mkdir(parents=True, exist_ok=True)
    tree = cache / f"linux-{name}-um-{stamp(kernel, archive)[:8]}"
    with open(f"{tree}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = tree / STAMP
        if done.exists():
            return tree
        print(f"build_linux: building Linux {name} in {tree}; this takes some minutes",
              file=sys.stderr, flush=True)
        if not tree.exists():
            unpack(archive, tree)
        configure(tree, kernel)
        make(tree, "linux", "modules_prepare", "modules")
        done.touch()
    return tree


def raise_exit(number, _frame):
    sys.exit(128 + number)


def main():
    # SIGTERM also ends the processes that were started.
    signal.signal(signal.SIGTERM, raise_exit)
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kernel", choices=KERNELS, default=NEWEST)
    parser.add_argument("--archive", metavar="VERSION",
                        choices=sorted({kernel.version for kernel in KERNELS.values()}))
    parser.add_argument("--cache", type=Path, default=default_cache())
    args = parser.parse_args()
    cache = args.cache.resolve()
    print(archive_of(args.archive, cache) if args.archive else build(cache, args.kernel))


if __name__ == "__main__":
    main()
