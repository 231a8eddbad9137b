#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the tests of an aarch64 build in an emulated machine with a Linux kernel.

User emulation has no restartable sequences; a kernel has. Debian's newest kernel
for arm64 (from the backports where there are any) is fetched into the build
directory. The machine's memory file system holds the build's tests, the cross
compilers' libc and a busybox.

The last line is "N passed, N failed".
"""
import argparse
import gzip
import itertools
import json
import re
import shlex
import shutil
import subprocess
import sys
import threading
from pathlib import Path

from debian_arm64 import Apt, call, unpack

ROOT = Path(__file__).resolve().parent.parent.parent
# Times are those of the emulated machine, whose processor is that much slower.
SLOWNESS = 5
# Where the build directory is in the emulated machine.
INSIDE = "/usermm"
LIBRARIES = ("ld-linux-aarch64.so.1", "libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0",
             "libgcc_s.so.1", "libstdc++.so.6", "libresolv.so.2", "libthread_db.so.1",
             "libutil.so.1", "libnss_files.so.2", "librt.so.1", "libanl.so.1")
COMPILER = "aarch64-linux-gnu-gcc"
QEMU = ["qemu-system-aarch64", "-machine", "virt", "-cpu", "neoverse-n1",
        "-accel", "tcg,thread=multi", "-nographic", "-no-reboot", "-nic", "none"]
BOOT = "console=ttyAMA0 quiet panic=-1 rdinit=/init"

INIT_HEAD = """#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mkdir -p /dev/shm
mount -t tmpfs tmp /tmp
mount -t tmpfs shm /dev/shm
echo "@ kernel $(uname -r)"
run()
{
	name=$1; seconds=$2; shift 2
	echo "@ begin $name"
	timeout -s KILL $seconds env -i PATH=/bin HOME=/ TEST_SLOWNESS=@SLOWNESS@ "$@" 2>&1 </dev/null
	status=$?
	echo
	echo "@ end $name $status"
}
"""
INIT_TAIL = """echo "@ finished"
poweroff -f
"""


def fetch_parts(place):
    """Answers the kernel image and busybox, fetched if they are not there."""
    kernel, busybox = place / "vmlinuz", place / "busybox"
    if kernel.exists() and busybox.exists():
        return kernel, busybox
    apt = Apt(place / "apt")
    unpack(apt.fetch("busybox-static"), "*/bin/busybox", busybox)
    unpack(apt.fetch(apt.newest_kernel(), apt.backports), "*/boot/vmlinuz-*", kernel)
    return kernel, busybox


def read_tests(build, args):
    """What ctest would run: name, command, environment, seconds. Programs of the build only."""
    listed = json.loads(call("ctest", "--test-dir", str(build), "--show-only=json-v1"))
    tests = []
    for test in listed["tests"]:
        command = test.get("command", [])
        # The emulator and its options come before the program.
        if command and Path(command[0]).name.startswith("qemu-aarch64"):
            command = list(itertools.dropwhile(lambda word: not word.startswith(f"{build}/"),
                                               command))
        properties = {p["name"]: p["value"] for p in test["properties"]}
        environment = properties.get("ENVIRONMENT", [])
        if args.options is not None:
            environment = [e for e in environment if not e.startswith("USERMM_OPTIONS=")]
            environment.append(f"USERMM_OPTIONS={args.options}")
        if (command and command[0].startswith(f"{build}/") and
                re.search(args.tests, test["name"])):
            tests.append((test["name"], command, environment,
                          SLOWNESS * int(properties["TIMEOUT"])))
    return tests


def make_tree(tree, build, busybox, tests):
    shutil.rmtree(tree, ignore_errors=True)
    for name in ("bin", "lib", "proc", "sys", "dev", "tmp"):
        (tree / name).mkdir(parents=True)
    shutil.copy(busybox, tree / "bin/busybox")
    for name in LIBRARIES:
        found = Path(call(COMPILER, f"-print-file-name={name}").strip())
        if found.is_absolute():
            shutil.copy(found.resolve(), tree / "lib" / name)
    inside = Path(tree / INSIDE.lstrip("/"))
    libraries = {*build.glob("*.so*"), *build.glob("tests/**/*.so")}
    for file in {Path(command[0]) for _, command, _, _ in tests} | libraries:
        target = inside / file.relative_to(build)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, target)
        subprocess.run(["aarch64-linux-gnu-strip", "--strip-debug", target], check=True)
    lines = [INIT_HEAD.replace("@SLOWNESS@", str(SLOWNESS))]
    for name, command, environment, seconds in tests:
        words = ["run", name, str(seconds), *environment, *command]
        lines.append(shlex.join(words).replace(str(build), INSIDE) + "\n")
    (tree / "init").write_text("".join(lines) + INIT_TAIL)
    (tree / "init").chmod(0o755)


def pack(tree, to):
    names = "\n".join(str(p.relative_to(tree)) for p in sorted(tree.rglob("*")))
    archive = subprocess.run(["cpio", "-o", "-H", "newc", "--quiet", "-R", "0:0"], check=True,
                             input=names.encode(), stdout=subprocess.PIPE, cwd=tree).stdout
    to.write_bytes(gzip.compress(archive, 1))


class Machine:
    """One run: what the tests printed, and their exit statuses."""

    def __init__(self, log):
        self.log = log
        self.kernel = "none"
        self.status, self.output = {}, {}
        self.name = None
        self.finished = False

    def read(self, line):
        word = line.split()
        self.log.write(line + "\n")
        if line.startswith("@ kernel "):
            self.kernel = word[2]
        elif line.startswith("@ begin "):
            self.name = word[2]
            self.output[self.name] = []
        elif line.startswith("@ end "):
            self.status[self.name] = int(word[3])
            print(f"{self.name}: {self.outcome(self.name)}", flush=True)
        elif line == "@ finished":
            self.finished = True
        elif self.name:
            self.output[self.name].append(line)

    def outcome(self, name):
        if name not in self.status:
            return "did not end"
        if self.status[name]:
            return f"FAILED with status {self.status[name]}"
        skipped = sum("# SKIP" in line for line in self.output[name])
        return "passed" + (f", {skipped} cases skipped" if skipped else "")

    def run(self, kernel, initrd, args):
        machine = subprocess.Popen(
            [*QEMU, "-smp", str(args.cpus), "-m", args.memory, "-kernel", str(kernel),
             "-initrd", str(initrd), "-append", BOOT],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        watchdog = threading.Timer(args.seconds, machine.kill)
        watchdog.start()
        try:
            for raw in machine.stdout:
                self.read(raw.decode(errors="replace").rstrip())
        finally:
            machine.kill()
            machine.wait()
            watchdog.cancel()


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=ROOT / "build/aarch64")
    parser.add_argument("--tests", default="", help="regular expression; those it matches run")
    parser.add_argument("--show", default="percpu/test_abort:rseq|selftest/percpu",
                        help="regular expression; these tests' output is shown in any case")
    parser.add_argument("--options", help="USERMM_OPTIONS of every test, instead of its own")
    parser.add_argument("--kernel", type=Path, help="an arm64 kernel image to boot instead")
    parser.add_argument("--cpus", type=int, default=2)
    parser.add_argument("--memory", default="2G")
    parser.add_argument("--seconds", type=int, default=7200, help="then the machine is stopped")
    args = parser.parse_args()

    build = args.build.resolve()
    place = build / "vm"
    place.mkdir(exist_ok=True)
    kernel, busybox = fetch_parts(place)
    tests = read_tests(build, args)
    make_tree(place / "tree", build, busybox, tests)
    pack(place / "tree", place / "initrd.gz")
    with open(place / "console.log", "w", encoding="utf-8", buffering=1) as log:
        machine = Machine(log)
        machine.run(args.kernel or kernel, place / "initrd.gz", args)

    names = [test[0] for test in tests]
    failed = [name for name in names if machine.status.get(name) != 0]
    for name in names:
        if name in failed or re.search(args.show, name):
            print(f"\n{name}: {machine.outcome(name)}")
            print("\n".join(machine.output.get(name, [])))
    print(f"\nLinux {machine.kernel}, {args.cpus} CPUs"
          f"{'' if machine.finished else ', did not run to its end'}; console: {log.name}")
    print(f"{len(names) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed or not machine.finished or not names else 0


if __name__ == "__main__":
    sys.exit(main())
