#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds Linux as a user process (UML), once, outside the source tree.

    build_linux.py [--cache DIR]        prints the folder of the built tree

The source is Debian's linux-source-6.12. DIR, by default $XDG_CACHE_HOME/usermm, keeps one tree for
each source and configuration. The build takes about six minutes on two cores, and 2 GB of disk.
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
from pathlib import Path

ARCHIVE = Path("/usr/src/linux-source-6.12.tar.xz")

# Linux as a distribution configures it for speed: -O2, no debugging, and none of the hardening
# that usermm has off by default as well. KUnit is a module, so it is not in the measured kernel.
ENABLED = ("MODULES", "MODULE_UNLOAD", "BLK_DEV_INITRD", "PREEMPT_NONE", "KALLSYMS",
           "CC_OPTIMIZE_FOR_PERFORMANCE", "INIT_STACK_NONE")
MODULES = ("KUNIT",)
DISABLED = ("SLAB_FREELIST_HARDENED", "SLAB_FREELIST_RANDOM", "RANDOM_KMALLOC_CACHES",
            "INIT_ON_ALLOC_DEFAULT_ON", "HARDENED_USERCOPY", "DEBUG_KERNEL", "FTRACE",
            "DEBUG_INFO", "MODULE_SIG", "PREEMPT_VOLUNTARY", "PREEMPT",
            "CC_OPTIMIZE_FOR_SIZE", "INIT_STACK_ALL_ZERO")
STAMP = ".usermm-built"


def default_cache():
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "usermm"


def stamp():
    """Identifies what the tree is made of: size and time of the archive, the configuration."""
    source = ARCHIVE.stat()
    told = repr((source.st_size, int(source.st_mtime), ENABLED, MODULES, DISABLED))
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


def unpack(tree):
    """Unpacks into another folder first, so that an interruption leaves no incomplete tree."""
    folder = tree.with_name(f"{tree.name}.unpacking")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    with tarfile.open(ARCHIVE) as tar:
        for member in tar:
            member.name = member.name.partition("/")[2]
            if member.name:
                tar.extract(member, folder)
    folder.rename(tree)


def configure(tree):
    make(tree, "x86_64_defconfig")
    options = [("--enable", name) for name in ENABLED]
    options += [("--module", name) for name in MODULES]
    options += [("--disable", name) for name in DISABLED]
    for option, name in options:
        subprocess.run(["scripts/config", option, name], cwd=tree, check=True)
    make(tree, "olddefconfig")


def build(cache):
    """The folder of the built tree; builds it if necessary. Concurrent calls take turns."""
    if not ARCHIVE.exists():
        sys.exit(f"build_linux: {ARCHIVE} is missing; `make deps` installs it")
    cache.mkdir(parents=True, exist_ok=True)
    tree = cache / f"linux-6.12-um-{stamp()[:8]}"
    with open(f"{tree}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = tree / STAMP
        if done.exists():
            return tree
        print(f"build_linux: building Linux 6.12 in {tree}; this takes some minutes",
              file=sys.stderr, flush=True)
        if not tree.exists():
            unpack(tree)
        configure(tree)
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
    parser.add_argument("--cache", type=Path, default=default_cache())
    print(build(parser.parse_args().cache.resolve()))


if __name__ == "__main__":
    main()
