#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the conformance suite inside Linux 6.12 and on usermm, and compares.

    run_conformance.py USERMM [--build DIR] [--cache DIR] [--usermm-only] [SUITE...]

Each source beside this file is a module with a KUnit suite. Linux says what the rule is:
a case that it does not pass is wrong. A case that usermm does not pass is a difference,
and a failure, unless not-yet.txt lists it with what is missing. A case that is listed and
passes is a failure as well, so the list stays true. Where usermm differs on purpose the
case holds both sides, and says which section of docs/LINUX-DIFFERENCES.md has the reason.

--usermm-only leaves Linux out: that takes seconds, and is what `make test` does.
"""
import argparse
import re
import shutil
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "tools" / "linux"))
import build_linux  # noqa: E402
import run_linux  # noqa: E402

NOT_YET = HERE / "not-yet.txt"
DIFFERENCES = ROOT / "docs" / "LINUX-DIFFERENCES.md"
SYMBOL = re.compile(r"LINUX_SYMBOL\((\w+)\)")
LIMIT_SECONDS = 120


@dataclass
class Case:
    """What one side said of a case."""
    result: str = "absent"		# ok, FAILED, skipped, absent: its suite ended before it
    differs: list = field(default_factory=list)
    lines: list = field(default_factory=list)


def suite_of(source):
    return f"conformance_{source.stem}"


def parse(output):
    """{"suite.case": Case} of a log that has KTAP in it, with or without time stamps."""
    cases, suite, said = {}, None, []
    for line in output.splitlines():
        line = re.sub(r"^(<\d>)?\[ *\d+\.\d+\] ", "", line)
        if match := re.match(r"\s+# Subtest: (conformance_\w+)$", line):
            suite, said = match[1], []
        elif match := re.match(r"    (not )?ok \d+ (\w+)(.*)$", line):
            if suite:
                result = "FAILED" if match[1] else "skipped" if "# SKIP" in match[3] else "ok"
                differs = [m[1] for text in said if (m := re.search(r"differs: (.*)$", text))]
                cases[f"{suite}.{match[2]}"] = Case(result, differs, said)
            said = []
        elif line.startswith("    "):
            said.append(line)
        elif re.match(r"(not )?ok \d+ conformance_", line):
            suite = None
    return cases


def case_names(source):
    """In the order of the source, so that what never ran shows as well."""
    return re.findall(r"KUNIT_CASE(?:_SLOW|_PARAM)?\((\w+)", source.read_text())


# --- Linux ---------------------------------------------------------------------------------

def write_symbols(tree, sources, folder):
    addresses = {}
    for line in (tree / "System.map").read_text().splitlines():
        address, _, name = line.split()
        addresses[name] = address
    wanted = sorted({name for source in sources for name in SYMBOL.findall(source.read_text())})
    if missing := [name for name in wanted if name not in addresses]:
        sys.exit(f"run_conformance: this Linux has no symbol {', '.join(missing)}")
    lines = [f"#define LINUX_ADDRESS_{name} 0x{addresses[name]}UL\n" for name in wanted]
    (folder / "linux_symbols.h").write_text("".join(lines))


def run_on_linux(tree, sources, folder):
    """What it logged. One boot; each module is unloaded behind its suite."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    write_symbols(tree, sources, folder)
    built = run_linux.build_modules(tree, sources, folder, [f"-I{folder}"])
    modules = [run_linux.Module(tree / "lib/kunit/kunit.ko", keep=True)]
    modules += [run_linux.Module(path) for path in built]
    return run_linux.boot(tree, modules, limit=LIMIT_SECONDS).log


# --- usermm --------------------------------------------------------------------------------

def run_on_usermm(usermm, sources):
    """Every source in a process of its own; as many at a time as there are CPUs."""
    def run(source):
        result = subprocess.run(
            [usermm, "module", f"--timeout={LIMIT_SECONDS}", str(source)], text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        return result.stdout

    with ThreadPoolExecutor(max_workers=2) as pool:
        return dict(zip(sources, pool.map(run, sources)))


def read_not_yet():
    listed = {}
    for line in NOT_YET.read_text().splitlines():
        if line and not line.startswith("#"):
            name, _, missing = line.partition(": ")
            listed[name] = missing
    return listed


def headings():
    return {line.lstrip("#").strip() for line in DIFFERENCES.read_text().splitlines()
            if line.startswith("#")}


# --- The table -----------------------------------------------------------------------------

def judge(name, linux, usermm, not_yet, known_headings):
    """What is to be said of a case, and whether that is a failure."""
    if linux and linux.result == "FAILED":
        return "Linux does not do this: the case is wrong", True
    if linux and linux.result == "absent":
        return "did not run in Linux", True
    if name in not_yet:
        if usermm.result == "ok":
            return "passes, but not-yet.txt lists it", True
        return f"not yet: {not_yet[name]}", False
    if usermm.result == "skipped" and not (linux and linux.result == "skipped"):
        return "skipped on usermm, but not-yet.txt does not list it", True
    if usermm.result in ("FAILED", "absent"):
        return "DIFFERENT", True
    if unknown := [text for text in usermm.differs if text not in known_headings]:
        return f"docs/LINUX-DIFFERENCES.md has no section '{unknown[0]}'", True
    if usermm.differs:
        return f"differs on purpose: {', '.join(dict.fromkeys(usermm.differs))}", False
    return "", False


def table(sources, linux, usermm, logs):
    not_yet, known = read_not_yet(), headings()
    failures, counts, seen = 0, {}, set()
    for source in sources:
        for case in case_names(source):
            name = f"{suite_of(source)}.{case}"
            seen.add(name)
            on_linux = linux.get(name, Case()) if linux is not None else None
            on_usermm = usermm.get(name, Case())
            remark, failed = judge(name, on_linux, on_usermm, not_yet, known)
            failures += failed
            kind = ("failure" if failed else remark.partition(":")[0] or "the same")
            counts[kind] = counts.get(kind, 0) + 1
            label = name.removeprefix("conformance_")
            print(f"{label:<58} {on_linux.result if on_linux else '-':<8} "
                  f"{on_usermm.result:<8} {remark}".rstrip())
            if failed:
                for side in (on_linux, on_usermm):
                    if side and side.result in ("FAILED", "skipped"):
                        print("\n".join("    " + line.strip() for line in side.lines))
        if any(usermm.get(f"{suite_of(source)}.{case}", Case()).result == "absent"
               and f"{suite_of(source)}.{case}" not in not_yet for case in case_names(source)):
            print(f"--- what usermm said of {source.name}:\n{logs[source][-4000:]}---")
    return failures, counts, [name for name in not_yet if name not in seen]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("usermm")
    parser.add_argument("suites", nargs="*", help="names of sources, without .c; all by default")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "conformance")
    parser.add_argument("--cache", type=Path, default=build_linux.default_cache())
    parser.add_argument("--usermm-only", action="store_true")
    args = parser.parse_args()

    signal.signal(signal.SIGTERM, run_linux.raise_exit)
    sources = sorted(HERE.glob("*.c"))
    if args.suites:
        if unknown := set(args.suites) - {source.stem for source in sources}:
            sys.exit(f"run_conformance: there is no {', '.join(sorted(unknown))}.c")
        sources = [source for source in sources if source.stem in args.suites]
    linux = None
    if not args.usermm_only:
        log = run_on_linux(build_linux.build(args.cache), sources, args.build.resolve())
        linux = parse(log)
        if any(f"{suite_of(s)}.{c}" not in linux for s in sources for c in case_names(s)):
            print(f"--- the end of what Linux said:\n{log[-4000:]}---")
    logs = run_on_usermm(args.usermm, sources)
    usermm = {name: case for log in logs.values() for name, case in parse(log).items()}

    print(f"{'case':<58} {'Linux':<8} {'usermm':<8} remark")
    failures, counts, stale = table(sources, linux, usermm, logs)
    if stale and not args.suites:
        print(f"not-yet.txt lists cases that do not exist: {', '.join(stale)}")
        failures += len(stale)
    print(f"{sum(counts.values())} cases: " +
          ", ".join(f"{n} {kind}" for kind, n in sorted(counts.items(), key=lambda x: -x[1])))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
