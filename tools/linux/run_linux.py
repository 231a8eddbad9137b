#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs modules in Linux as a user process, as `usermm module` runs them on usermm.

    run_linux.py [--kernel NAME] [--cpus N] [--limit SECONDS] [--mem SIZE] [--kunit]
                 FILE.c|FILE.ko [param=value...] ...

NAME is one of build_linux.py's: 6.12, 7.3, or 7.3-smp, the default. Each file is a module of its
own; parameters belong to the file before them. All modules run in one boot; each is unloaded again
before the next is loaded. Their log goes to standard output. The exit status is 0 if every init
returned 0 or -EAGAIN.

For scripts: build_modules() makes .ko files. boot() runs them, and records for each module what its
init returned and what was logged meanwhile.
"""
import argparse
import errno
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import build_linux

INIT_SOURCE = Path(__file__).with_name("init.c")
MARK = "run_linux:"		# begins the lines of init.c
LIMIT_SECONDS = 300
# Ends Linux even if this script is killed.
DIES_WITH_US = ["setpriv", "--pdeathsig", "KILL"]


@dataclass
class Module:
    path: Path
    params: list = field(default_factory=list)
    keep: bool = False		# stays loaded: later modules need it
    # Set by boot():
    init: int = None		# 0 or a negative errno; None if init did not return
    exit: int = None		# result of unloading; None if it was not unloaded
    lines: list = field(default_factory=list)	# lines logged meanwhile, without the time

    @property
    def name(self):
        return self.path.stem.replace("-", "_")


@dataclass
class Boot:
    modules: list
    log: str			# the whole console, lines with their time
    finished: bool		# Linux shut down within the limit


def build_modules(tree, sources, folder, flags=()):
    """Builds each source as a module in folder; returns the .ko files, which the caller removes."""
    folder.mkdir(parents=True, exist_ok=True)
    includes = {f"-I{Path(source).resolve().parent}" for source in sources}
    rules = [f"ccflags-y += {' '.join([*sorted(includes), *flags])}"]
    for source in map(Path, sources):
        link = folder / source.name
        link.unlink(missing_ok=True)
        link.symlink_to(source.resolve())
        rules.append(f"obj-m += {source.stem}.o")
    (folder / "Kbuild").write_text("\n".join(rules) + "\n")
    command = ["make", "-s", "-C", str(tree), "ARCH=um", f"M={folder.resolve()}", "modules"]
    status, output = build_linux.run_quietly(command)
    if status:
        sys.exit(f"run_linux: not built\n{output}")
    return [folder / f"{Path(source).stem}.ko" for source in sources]


def quoted(param):
    """A parameter in the kernel's form: a value with spaces is quoted."""
    name, equals, value = param.partition("=")
    return f'{name}{equals}"{value}"' if " " in value else param


def cpio_entry(name, mode, content):
    """One member of an initial file system, in the format the kernel reads ("newc")."""
    path = name.encode() + b"\0"
    fields = [0, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(path), 0]
    entry = b"070701" + b"".join(b"%08x" % field for field in fields) + path
    entry += b"\0" * (-len(entry) % 4) + content
    return entry + b"\0" * (-len(entry) % 4)


def make_initrd(modules, folder):
    """Makes an initial file system with init.c, the modules and the list of modules."""
    program, initrd = folder / "init", folder / "initrd"
    subprocess.run(["cc", "-O2", "-static", "-o", program, INIT_SOURCE], check=True)
    wanted = "".join(f"{number} {module.name} {int(module.keep)} "
                     f"{' '.join(map(quoted, module.params))}\n"
                     for number, module in enumerate(modules))
    with open(initrd, "wb") as file:
        for name in ("dev", "proc"):
            file.write(cpio_entry(name, 0o040755, b""))
        file.write(cpio_entry("init", 0o100755, program.read_bytes()))
        file.write(cpio_entry("modules", 0o100644, wanted.encode()))
        for number, module in enumerate(modules):
            file.write(cpio_entry(f"{number}.ko", 0o100644, module.path.read_bytes()))
        file.write(cpio_entry("TRAILER!!!", 0, b""))
    return initrd


def session_members(session):
    """The session's processes, whatever their process group."""
    members = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text(errors="replace").rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session and fields[0] != "Z":
            members.append(int(stat.parent.name))
    return members


def end_session(process):
    """Kills all of UML's processes: they are processes of the host and survive its death."""
    for _ in range(100):
        members = session_members(process.pid)
        if not members:
            break
        for pid in members:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
    process.wait()


def execute(command, log, limit, cpu):
    """Runs a command: its exit status, None after the limit. No process of it is left."""
    def prepare():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if cpu is not None:
            os.sched_setaffinity(0, {cpu})

    process = subprocess.Popen([*DIES_WITH_US, *command], stdin=subprocess.DEVNULL, stdout=log,
                               stderr=subprocess.STDOUT, start_new_session=True,
                               preexec_fn=prepare)
    try:
        return process.wait(limit)
    except subprocess.TimeoutExpired:
        return None
    finally:
        end_session(process)


def result_of(text):
    return None if text == "killed" else int(text)


def digest(log, modules):
    """Gives each module its lines of the log. True if the log is complete."""
    current = None
    for line in log.splitlines():
        text = re.sub(r"^\[ *\d+\.\d+\] ?", "", line)
        word = text.split()
        if word[:1] != [MARK]:
            if current is not None:
                current.lines.append(text)
            continue
        if word[1] == "end":
            return True
        current = modules[int(word[2])]
        if word[1] == "init":
            current.init = result_of(word[3])
        elif word[1] == "exit":
            current.exit = result_of(word[3])
    return False


def boot(tree, modules, memory="2G", limit=LIMIT_SECONDS, cpu=None, cpus=1):
    """Loads the modules in turn, in one boot on the given CPU, and sets their results.

    More than one CPU takes a tree with SMP.
    """
    with tempfile.TemporaryDirectory(prefix="usermm-linux-") as name:
        folder = Path(name)
        console = folder / "console"
        command = [str(tree / "linux"), f"mem={memory}", f"initrd={make_initrd(modules, folder)}",
                   "root=/dev/ram0", "con=null", "con0=fd:0,fd:1", "quiet", "loglevel=8",
                   "printk.devkmsg=on", f"uml_dir={folder}/"]
        if cpus > 1:
            # With several CPUs User-mode Linux must run its programs in this way.
            command += [f"ncpus={cpus}", "seccomp=on"]
        with open(console, "wb") as file:
            status = execute(command, file, limit, cpu)
        log = console.read_bytes().decode(errors="replace").replace("\r", "")
    return Boot(modules, log, digest(log, modules) and status is not None)


def read_arguments(arguments):
    """The modules of the command line, in order, with their parameters."""
    modules = []
    for argument in arguments:
        if argument.endswith((".c", ".ko")) and "=" not in argument:
            modules.append(Module(Path(argument)))
            if not modules[-1].path.is_file():
                sys.exit(f"run_linux: {argument}: no such file")
        elif modules:
            modules[-1].params.append(argument)
        else:
            sys.exit(f"run_linux: '{argument}' is neither FILE.c nor FILE.ko")
    return modules


def build_sources(modules, tree, folder):
    """Builds the modules that are sources; their path becomes that of the .ko file."""
    sources = [module for module in modules if module.path.suffix == ".c"]
    if sources:
        built = build_modules(tree, [module.path for module in sources], folder)
        for module, path in zip(sources, built):
            module.path = path


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kernel", choices=build_linux.KERNELS, default=build_linux.NEWEST)
    parser.add_argument("--cpus", type=int, default=1, metavar="N")
    parser.add_argument("--limit", type=int, default=LIMIT_SECONDS, metavar="SECONDS")
    parser.add_argument("--mem", default="2G", metavar="SIZE")
    parser.add_argument("--kunit", action="store_true", help="load kunit.ko first")
    parser.add_argument("arguments", nargs="+", metavar="FILE.c|FILE.ko|param=value")
    args = parser.parse_args()
    if args.cpus > 1 and not build_linux.KERNELS[args.kernel].smp:
        parser.error(f"{args.kernel} has one CPU; --kernel {build_linux.NEWEST} has more")

    # SIGTERM also ends Linux.
    signal.signal(signal.SIGTERM, build_linux.raise_exit)
    modules = read_arguments(args.arguments)
    tree = build_linux.build(build_linux.default_cache(), args.kernel)
    with tempfile.TemporaryDirectory(prefix="usermm-modules-") as folder:
        build_sources(modules, tree, Path(folder))
        if args.kunit:
            modules.insert(0, Module(tree / "lib/kunit/kunit.ko", keep=True))
        result = boot(tree, modules, args.mem, args.limit, cpus=args.cpus)
    failed = not result.finished
    for module in modules:
        print("\n".join(module.lines))
        if module.init not in (0, -errno.EAGAIN):
            failed = True
            print(f"run_linux: {module.name}: init returned {module.init}", file=sys.stderr)
    if not result.finished:
        print("run_linux: Linux did not run to its end; its last lines:\n" +
              "\n".join(result.log.splitlines()[-20:]), file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
