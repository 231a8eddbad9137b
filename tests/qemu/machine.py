# SPDX-License-Identifier: MIT
"""An emulated machine that runs tests of a build under a Linux kernel.

Its memory file system holds the build's tests, libc and a busybox; what a test printed
and its exit status come by the console.
"""
import gzip
import itertools
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import threading
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools" / "linux"))
from debian import Apt, call, unpack  # noqa: E402

LIBRARIES = ("libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "libgcc_s.so.1",
             "libstdc++.so.6", "libresolv.so.2", "libthread_db.so.1", "libutil.so.1",
             "libnss_files.so.2", "librt.so.1", "libanl.so.1")

# Where the build directory is in the emulated machine.
INSIDE = "/usermm"

# Folders of Python's modules that no script here needs.
PYTHON_LEFT_OUT = {"__pycache__", "site-packages", "dist-packages", "test", "idlelib", "lib2to3",
                   "ensurepip"}

# An emulator whose CPUs are threads may run code that the kernel has changed meanwhile. The kernel
# dies of it ("Oops: int3"), mostly while it starts, where it changes much. That says nothing of the
# tests, so a machine whose kernel did not come to the first program starts again.
STARTS_MAX = 3
NO_KERNEL = "none"


class Architecture(NamedTuple):
    """A kind of machine. Its name in ARCHITECTURES is Debian's."""

    kernel: str     # linux-image-KERNEL is booted
    qemu: list
    boot: str       # the kernel's command line
    build: str      # its folder
    tools: str      # what stands in front of gcc and strip, "" where this machine is of its kind
    suites: tuple = ()      # Debian's suites that have it; (): the release that this runs on has it


QEMU_OPTIONS = ["-accel", "tcg,thread=multi", "-nographic", "-no-reboot", "-nic", "none"]
BOOT = "quiet panic=-1 rdinit=/init"
ARCHITECTURES = {
    "amd64": Architecture(
        "cloud-amd64", ["qemu-system-x86_64", "-machine", "q35", "-cpu", "max,-la57"],
        # qemu 7.2 spoils the flags in cmpxchg16b without a lock prefix, which the kernel uses.
        "clearcpuid=cx16 console=ttyS0", "build", ""),
    "arm64": Architecture(
        "cloud-arm64", ["qemu-system-aarch64", "-machine", "virt", "-cpu", "neoverse-n1"],
        "console=ttyAMA0", "build/aarch64", "aarch64-linux-gnu-"),
    "riscv64": Architecture(
        "riscv64", ["qemu-system-riscv64", "-machine", "virt", "-cpu", "rv64"],
        "console=ttyS0", "build/riscv64", "riscv64-linux-gnu-",
        ("trixie",)),
}


def qemu_of(architecture):
    return [*ARCHITECTURES[architecture].qemu, *QEMU_OPTIONS]


def boot_of(architecture):
    return f"{ARCHITECTURES[architecture].boot} {BOOT}"


# An emulator is slow. And a thread that unmaps memory or stops a slot waits until the other
# processors answer: if there are fewer real processors, a stress test does little else.
STEPS_DIVISOR = 8

# Binding a call when it is made saves the vector registers, on an emulated processor in a form that
# takes 2.7 KiB of the stack: a test that bounds its stack would meet that.
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
	timeout -s KILL $seconds env -i PATH=/bin HOME=/ LD_BIND_NOW=1 TEST_SLOWNESS=@SLOWNESS@ \
		TEST_MAY_UNPLUG=1 "$@" 2>&1 </dev/null
	status=$?
	echo
	echo "@ end $name $status"
}
"""
INIT_TAIL = """echo "@ finished"
poweroff -f
"""


def libraries_of_compiler(compiler):
    """The libraries that compiled programs may need, their loader included."""
    found = [Path(call(compiler, f"-print-file-name={name}").strip()) for name in LIBRARIES]
    found = [file for file in found if file.is_absolute()]
    return [*found, *found[0].parent.glob("ld-linux-*.so.*")]


def libraries_of_programs(programs):
    """The libraries of this system that these programs and the C++ runtime need."""
    # pthread_cancel() loads it when it is called.
    unwinder = Path(call("cc", "-print-file-name=libgcc_s.so.1").strip())
    files = {unwinder.resolve()} if unwinder.exists() else set()
    for program in programs:
        files |= {Path(word) for word in call("ldd", program).split() if word.startswith("/")}
    return [file for file in files if file.is_relative_to("/lib") or
            file.is_relative_to("/lib64") or file.is_relative_to("/usr/lib")]


def python_files():
    """The Python that runs this: its program, its own library if it has one, and its modules."""
    modules = Path(sysconfig.get_path("stdlib"))
    files = [file for file in modules.rglob("*") if file.suffix in (".py", ".so") and
             not PYTHON_LEFT_OUT & set(file.relative_to(modules).parts)]
    own = Path(sysconfig.get_config_var("LIBDIR"), sysconfig.get_config_var("INSTSONAME"))
    return [Path(sys.executable).resolve(), *([own] if own.exists() else []), *files]


def read_tests(build, args):
    """The tests that ctest would run: name, command, environment, seconds. Only programs of the
    build."""
    listed = json.loads(call("ctest", "--test-dir", str(build), "--show-only=json-v1"))
    tests = []
    for test in listed["tests"]:
        command = test.get("command", [])
        # An emulator and its options come before the program.
        if command and Path(command[0]).name.startswith("qemu-"):
            command = list(itertools.dropwhile(lambda word: not word.startswith(f"{build}/"),
                                               command))
        properties = {p["name"]: p["value"] for p in test["properties"]}
        environment = properties.get("ENVIRONMENT", [])
        if args.options is not None:
            environment = [e for e in environment if not e.startswith("USERMM_OPTIONS=")]
            environment.append(f"USERMM_OPTIONS={args.options}")
        if args.divisor:
            environment = [e for e in environment if not e.startswith("USERMM_TEST_DIVISOR=")]
            environment.append(f"USERMM_TEST_DIVISOR={args.divisor}")
        if (command and command[0].startswith(f"{build}/") and
                re.search(args.tests, test["name"])):
            tests.append((test["name"], command, environment,
                          args.slowness * int(properties["TIMEOUT"])))
    return tests


def make_tree(tree, build, busybox, libraries, tests, slowness, strip, commands="", files=()):
    """
    libraries: files for /lib of the machine. commands: for its shell, before the tests. files: more
    of them, each with its place in the machine.
    """
    shutil.rmtree(tree, ignore_errors=True)
    for name in ("bin", "lib", "proc", "sys", "dev", "tmp"):
        (tree / name).mkdir(parents=True)
    (tree / "lib64").symlink_to("lib")
    shutil.copy(busybox, tree / "bin/busybox")
    for library in libraries:
        shutil.copy(library.resolve(), tree / "lib" / library.name)
    inside = Path(tree / INSIDE.lstrip("/"))
    built = {*build.glob("*.so*"), *build.glob("tests/**/*.so")}
    programs = {Path(command[0]) for _, command, _, _ in tests}
    for file in {program for program in programs if program.is_relative_to(build)} | built:
        target = inside / file.relative_to(build)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, target)
        subprocess.run([strip, "--strip-debug", target], check=True)
    for file, place in files:
        target = tree / str(place).lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, target)
    lines = [INIT_HEAD.replace("@SLOWNESS@", str(slowness)), commands]
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
        self.kernel = NO_KERNEL
        self.status, self.output = {}, {}
        self.name = None
        self.finished = False

    def read(self, line):
        word = line.split()
        self.log.write(line + "\n")
        if "@ kernel " in line:  # the firmware's last line has no end
            self.kernel = word[-1]
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

    def run(self, command, seconds):
        machine = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT)
        watchdog = threading.Timer(seconds, machine.kill)
        watchdog.start()
        try:
            for raw in machine.stdout:
                self.read(raw.decode(errors="replace").rstrip())
        finally:
            machine.kill()
            machine.wait()
            watchdog.cancel()

    def summary(self, names, show, title):
        """Prints the failures, and the lines that match `show`. Returns the exit status."""
        failed = [name for name in names if self.status.get(name) != 0]
        for name in names:
            if name in failed or re.search(show, name):
                print(f"\n{name}: {self.outcome(name)}")
                print("\n".join(self.output.get(name, [])))
        print(f"\nLinux {self.kernel}, {title}"
              f"{'' if self.finished else ', did not run to its end'}; console: {self.log.name}")
        print(f"{len(names) - len(failed)} passed, {len(failed)} failed")
        return 1 if failed or not self.finished or not names else 0


class Setup:
    """The parts that all machines of one run share: kernel, tests, and the files that these
    need."""

    def __init__(self, args, name, architecture):
        self.args = args
        self.architecture = architecture
        self.tools = ARCHITECTURES[architecture].tools
        self.build = (args.build or ROOT / ARCHITECTURES[architecture].build).resolve()
        self.place = self.build / name
        self.place.mkdir(exist_ok=True)
        self.kernel, self.busybox = self.place / "vmlinuz", self.place / "busybox"
        self.tests = read_tests(self.build, args)
        self.files = []     # more of them, each with its place in the machine

    def add_script(self, name, script, words, seconds, needs=()):
        """
        A test that is a Python script, if it is one of those that run. words: its arguments. needs:
        files of the source or the build that it reads or runs.
        """
        if not re.search(self.args.tests, name):
            return
        python = python_files()
        self.files += [(file, file) for file in python]
        self.files += [(file, self.inside(file)) for file in (script, *needs)]
        self.tests.append((name, [str(python[0]), self.inside(script), *map(str, words)], [],
                           self.args.slowness * seconds))

    def inside(self, file):
        """Where a file of the source or the build lies in the machine."""
        if file.is_relative_to(self.build):
            return f"{INSIDE}/{file.relative_to(self.build)}"
        return f"{INSIDE}/source/{file.relative_to(ROOT)}"

    def fetch(self):
        """The newest kernel of the architecture's suites, and busybox; kept."""
        if self.kernel.exists() and self.busybox.exists():
            return
        wanted = ARCHITECTURES[self.architecture]
        apt = Apt(self.place / "apt", self.architecture, wanted.suites)
        self.fetch_busybox(apt)
        apt.fetch_kernel(apt.newest_kernel(wanted.kernel, apt.suites[-1]), self.kernel)

    def fetch_busybox(self, apt):
        unpack(apt.fetch("busybox-static"), "*/bin/busybox", self.busybox)

    def libraries(self):
        """Of libc and the compiler, as the tests were built with them."""
        if self.tools:
            return libraries_of_compiler(self.tools + "gcc")
        linked = [file for file, _ in self.files if os.access(file, os.X_OK) and
                  file.suffix != ".py"]
        return libraries_of_programs({*(test[1][0] for test in self.tests), *linked})

    def pack(self, libraries, commands=""):
        """Makes the machine's file system, with these libraries. commands: as make_tree()."""
        make_tree(self.place / "tree", self.build, self.busybox, libraries, self.tests,
                  self.args.slowness, self.tools + "strip", commands, self.files)
        pack(self.place / "tree", self.place / "initrd.gz")

    def run(self, size, arguments="", console="console.log", kernel=None):
        """Runs the tests on one machine of that size."""
        for _ in range(STARTS_MAX):
            with open(self.place / console, "w", encoding="utf-8", buffering=1) as log:
                machine = Machine(log)
                machine.run([*qemu_of(self.architecture), *size, "-kernel",
                             str(kernel or self.args.kernel or self.kernel), "-initrd",
                             str(self.place / "initrd.gz"), "-append",
                             f"{boot_of(self.architecture)} {arguments}"], self.args.seconds)
            if machine.kernel != NO_KERNEL:
                break
            print("the kernel did not come to its first program", flush=True)
        return machine

    def boot(self, size, title, arguments="", console="console.log"):
        """run(), and what came of it; the exit status."""
        return self.run(size, arguments, console).summary([test[0] for test in self.tests],
                                                          self.args.show, title)


def add_arguments(parser):
    parser.add_argument("--build", type=Path, help="default: the architecture's")
    parser.add_argument("--divisor", type=int, default=STEPS_DIVISOR,
                        help=f"tests that count steps make that part of them, 0: as many as "
                             f"elsewhere; default {STEPS_DIVISOR}")
    parser.add_argument("--slowness", type=int, default=10,
                        help="tests get so many times the seconds that they get elsewhere")
    parser.add_argument("--options", help="USERMM_OPTIONS of every test, instead of its own")
    parser.add_argument("--kernel", type=Path, help="a kernel image to boot instead")
    parser.add_argument("--seconds", type=int, default=7200, help="then the machine is stopped")
