#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the library on Debian's kernels, each in an emulated machine.

For each architecture the newest kernels of Debian's stable, its backports, testing and unstable
are booted, each with the libc that the build has and with unstable's: newer ones register
restartable sequences differently. A machine runs `usermm selftest percpu` by mm_cid and by
cpu_id, and tests that allocate in threads, signal handlers and children.

Kernels that the library knows as bad (src/percpu/rseq/known_bugs.c) are forced to use sequences,
and the proofs have to fail there: a row that blocks a sound kernel is a failure, too. The selftest
asks for fewer aborts than elsewhere, since an emulator is slow.

Packages are fetched by apt from the system's mirror, into the build directory. The last line is
"N passed, N failed", of machines; the exit status is 0 if none failed.
"""
import argparse
import re
import sys
from pathlib import Path

from machine import ARCHITECTURES, Setup, add_arguments

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "linux"))
from debian import Apt, call  # noqa: E402

# Suites by their names, because a mirror's "stable" may be older than the suite of that name.
SUITES = ["trixie", "trixie-backports", "forky", "sid"]
OLDEST = (6, 12)
SIZE = ["-smp", "2", "-m", "1G"]
# Their libc, for the second userland.
NEWEST_LIBC = ["libc6", "libgcc-s1"]
TESTS = ("^(percpu/test_(abort|bound|registration|known_bugs)|"
         "malloc/test_(model|signal_malloc|fork|vfork)):rseq$")
INDEXES = ("mm_cid", "cpu_id")
KNOWN_AS_BAD = "this kernel restarts no sequence"
# The words of a proof whose storm had too few aborts: this is no fault of the kernel.
TOO_FEW_ABORTS = r"not exercised: \w+: \d+ of \d+ aborts"


def version_of(package):
    """linux-image-7.3.4+deb13-cloud-arm64 is (7, 3, 4)."""
    return tuple(int(part) for part in re.findall(r"\d+", package.split("+")[0]))


def kernels(apt, kind, everything):
    """The linux-image-VERSION packages to boot, by version."""
    if everything:
        listed = apt("apt-cache pkgnames linux-image-").split()
        found = [name for name in listed if re.fullmatch(rf"linux-image-\d[\w.+~]*-{kind}", name)]
    else:
        found = [apt.newest_kernel(kind, suite) for suite in SUITES]
    return sorted({name for name in found if version_of(name) >= OLDEST}, key=version_of)


def newest_libc(apt, place):
    """The files of unstable's libc."""
    if not place.exists():
        unfinished = place.with_name(place.name + ".new")
        for package in NEWEST_LIBC:
            call("dpkg-deb", "--extract", str(apt.fetch(package, SUITES[-1])), str(unfinished))
        unfinished.rename(place)
    return [file for file in place.glob("**/*.so*") if file.parent.name.endswith("-linux-gnu")]


def name_of_libc(files):
    libc = next(file for file in files if file.name == "libc.so.6")
    return re.search(rb"GNU C Library .* version (\d+\.\d+)", libc.read_bytes()).group(1).decode()


def selftests(build, args):
    """What the library would choose by itself; the start of a program; the proofs by each index."""
    usermm = str(build / "usermm")
    words = [usermm, "selftest", "percpu", "--storm", str(args.storm),
             "--patience", str(args.patience), "--aborts", str(args.aborts)]
    proofs = [(f"selftest:{index}", words, [f"USERMM_OPTIONS=rseq={index}"], args.proof_seconds)
              for index in INDEXES]
    return [("doctor", [usermm, "doctor"], [], 60),
            ("run", [usermm, "run", "--", usermm, "--help"], [], 60), *proofs]


def last_line(machine, name):
    return next((line for line in reversed(machine.output.get(name, [])) if line), "nothing")


def outcome(machine, name):
    """A short form: the last line without the advice."""
    return f"{name}: {last_line(machine, name).split(';')[0]}"


def holds(machine, index):
    return machine.status.get(f"selftest:{index}") == 0


def nothing_against(machine, index):
    return (holds(machine, index) or
            re.match(TOO_FEW_ABORTS, last_line(machine, f"selftest:{index}")))


def judge(machine, tests):
    """The fault in a machine's results; "" if there is none."""
    if not machine.finished:
        return "the machine did not come to its end"
    bad = any(KNOWN_AS_BAD in line for line in machine.output.get("doctor", []))
    told = sum(KNOWN_AS_BAD in line for line in machine.output.get("run", []))
    if told != bad:
        return f"`usermm run` says {told} times that the kernel is bad"
    for index in INDEXES:
        if bad and nothing_against(machine, index):
            return f"known as bad, but its sequences hold by {index}"
        if not bad and not holds(machine, index):
            return f"not known as bad, but selftest:{index} failed"
    failed = [test[0] for test in tests if machine.status.get(test[0]) != 0 and
              not test[0].startswith("selftest:")]
    return f"failed: {', '.join(failed)}" if failed else ""


def run_architecture(name, args):
    """Answers a line for each machine, and how many of them failed."""
    setup = Setup(args, "kernels", name)
    setup.tests = selftests(setup.build, args) + setup.tests
    place = setup.place
    apt = Apt(place / "apt", name, SUITES)
    if not setup.busybox.exists():
        setup.fetch_busybox(apt)
    own, newest = setup.libraries(), newest_libc(apt, place / "libc")
    userlands = {name_of_libc(own): own, name_of_libc(newest): [*own, *newest]}
    lines, failures = [], 0
    for package in kernels(apt, ARCHITECTURES[name].kernel, args.all):
        if not re.search(args.kernels, package):
            continue
        image = place / package
        if not image.exists():
            apt.fetch_kernel(package, image)
        for libc, files in userlands.items():
            if not re.search(args.libc, libc):
                continue
            setup.pack(files)
            print(f"\n{package}, glibc {libc}", flush=True)
            machine = setup.run(SIZE, console=f"console-{package}-{libc}.log", kernel=image)
            wrong = judge(machine, setup.tests)
            failures += bool(wrong)
            proofs = "; ".join(outcome(machine, f"selftest:{index}") for index in INDEXES)
            lines.append(f"{name} Linux {machine.kernel}, glibc {libc}: "
                         f"{f'FAILED: {wrong}' if wrong else 'passed'} ({proofs})")
            print(lines[-1], flush=True)
    return lines, failures


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser)
    parser.add_argument("--tests", default=TESTS,
                        help="regular expression; those it matches run as well")
    parser.add_argument("--all", action="store_true",
                        help="every kernel that these suites have, not only the newest of each")
    parser.add_argument("--kernels", default="", metavar="EXPRESSION",
                        help="regular expression; only kernel packages that it matches")
    parser.add_argument("--libc", default="", metavar="EXPRESSION",
                        help="regular expression; only versions of libc that it matches")
    parser.add_argument("--storm", type=int, default=20,
                        help="seconds of the selftest's storm")
    parser.add_argument("--patience", type=int, default=600,
                        help="so much longer may it take for the aborts")
    parser.add_argument("--aborts", type=int, default=1000, help="of each primitive in it")
    parser.add_argument("--proof-seconds", type=int, default=1500,
                        help="so long may one selftest take")
    parser.add_argument("architectures", nargs="*", metavar="ARCHITECTURE",
                        help=f"of {', '.join(ARCHITECTURES)}; default all")
    args = parser.parse_args()

    lines, failures = [], 0
    for name in args.architectures or ARCHITECTURES:
        told, failed = run_architecture(name, args)
        lines += told
        failures += failed
    print("\n" + "\n".join(lines))
    print(f"{len(lines) - failures} passed, {failures} failed")
    return 1 if failures or not lines else 0


if __name__ == "__main__":
    sys.exit(main())
