#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the conformance suite inside Linux and on usermm, and compares.

    run_conformance.py USERMM [--cache DIR] [--usermm-only] [--linux VERSION] [--changed] [SUITE...]

Each source beside this file is a module with a KUnit suite. It runs in Linux 6.12, in 7.3 with SMP
and without (tools/linux/build_linux.py), and on usermm with the rules of each of these versions.
Linux says what the rule is: a case that it does not pass is wrong. A case that usermm does not pass
is a difference, and a failure, unless not-yet.txt lists it with what is missing. A case that is
listed and passes is a failure as well, so the list stays true. Where usermm differs on purpose the
case holds both sides, and says which section of docs/linux-differences.md has the reason. Faults
outside of the cases are failures too: a module that cannot be loaded or unloaded, memory that is
left behind, a case that ran and is in no list.

A case that some versions do not have skips itself, and says "up to Linux 6.13" or "since Linux
6.19". One that needs SMP skips itself as well; of a version's kernels one has to pass it.

--linux runs one version alone. --usermm-only leaves Linux out: that takes seconds, and is what
`make test` does; the version is then the newest unless --linux says another. --changed runs only
the sources that ask for the version.
"""
import argparse
import re
import signal
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "tools" / "linux"))
import build_linux  # noqa: E402
import run_linux  # noqa: E402

NOT_YET = HERE / "not-yet.txt"
DIFFERENCES = ROOT / "docs" / "linux-differences.md"
SYMBOL = re.compile(r"(?<!define )LINUX_SYMBOL\((\w+)\)")
LIMIT_SECONDS = 120
# The Linux that is built for each version of the rules.
KERNELS = {version: [kernel.name for kernel in build_linux.KERNELS.values()
                     if kernel.version == version]
           for version in ("6.12", "7.3")}
NEWEST = list(KERNELS)[-1]
ASKS_VERSION = re.compile(r"LINUX_VERSION_CODE|HAS_BULK_LIST|LARGE_HAS_REFERENCES")


@dataclass
class Case:
    """What one side said of a case."""
    result: str = "absent"		# ok, FAILED, skipped, absent: its suite ended before it
    differs: list = field(default_factory=list)
    lines: list = field(default_factory=list)
    reason: str = ""			# why it was skipped


@dataclass
class Side:
    """What Linux or usermm said."""
    cases: dict = field(default_factory=dict)		# "suite.case" -> Case
    troubles: list = field(default_factory=list)	# what went wrong beside the cases
    logs: dict = field(default_factory=dict)		# source -> text, where each has its own


@dataclass
class Round:
    """All sides with the rules of a version."""
    version: str
    linux: dict		# name of a kernel -> Side; without any kernel no rule is known
    usermm: Side


def suites():
    """{name: source} of all suites; they lie in folders by what they ask about."""
    return {source.stem: source for source in sorted(HERE.glob("*/*.c"))}


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
                reason = match[3].partition("# SKIP ")[2].strip()
                cases[f"{suite}.{match[2]}"] = Case(result, differs, said, reason)
            said = []
        elif line.startswith("    "):
            said.append(line)
        elif re.match(r"(not )?ok \d+ conformance_", line):
            suite = None
    return cases


def case_names(source):
    """In the order of the source, so that what never ran shows as well."""
    return re.findall(r"\bKUNIT_CASE\w*\((\w+)", source.read_text())


def suite_failed_alone(source, cases, log):
    """Its cases passed, but something around them failed."""
    suite = suite_of(source)
    mine = [case for name, case in cases.items() if name.startswith(f"{suite}.")]
    return (bool(re.search(rf"(?m)^(.*\] )?not ok \d+ {suite}\b", log)) and
            all(case.result != "FAILED" for case in mine))


# --- Linux ---------------------------------------------------------------------------------

def write_symbols(tree, sources, folder):
    addresses = {}
    for line in (tree / "System.map").read_text().splitlines():
        address, _, name = line.split()
        addresses[name] = address
    asking = [*sources, *HERE.glob("*.h")]
    wanted = sorted({name for source in asking for name in SYMBOL.findall(source.read_text())})
    # A name that this version does not have is an error of the compiler where it is used.
    found = {name: f"0x{addresses[name]}UL" if name in addresses
             else f"this_Linux_has_no_symbol_{name}" for name in wanted}
    (folder / "linux_symbols.h").write_text(
        "".join(f"#define LINUX_ADDRESS_{name} {value}\n" for name, value in found.items()))


def troubles_of_modules(modules, linux="Linux"):
    for module in modules:
        if module.init != 0:
            how = "did not return" if module.init is None else f"returned {module.init}"
            yield f"{linux}: {module.name}: init {how}"
        elif not module.keep and module.exit != 0:
            how = "did not end" if module.exit is None else f"failed with {module.exit}"
            yield f"{linux}: {module.name}: unloading {how}"


def run_on_linux(kernel, cache, sources):
    """One boot; each module is unloaded behind its suite."""
    tree, linux_name = build_linux.build(cache, kernel), f"Linux {kernel}"
    with tempfile.TemporaryDirectory(prefix="usermm-conformance-") as name:
        folder = Path(name)
        write_symbols(tree, sources, folder)
        built = run_linux.build_modules(tree, sources, folder, [f"-I{folder}"])
        modules = [run_linux.Module(tree / "lib/kunit/kunit.ko", keep=True)]
        modules += [run_linux.Module(path) for path in built]
        boot = run_linux.boot(tree, modules, limit=LIMIT_SECONDS)
    linux = Side(parse(boot.log), list(troubles_of_modules(modules, linux_name)))
    linux.troubles += [f"{linux_name}: {suite_of(source)} failed, but no case of it"
                       for source in sources if suite_failed_alone(source, linux.cases, boot.log)]
    if not boot.finished:
        linux.troubles.append(f"{linux_name} did not come to its end in {LIMIT_SECONDS} seconds, "
                              "or crashed")
    if linux.troubles or any(f"{suite_of(source)}.{case}" not in linux.cases
                             for source in sources for case in case_names(source)):
        print(f"--- the end of what {linux_name} said:\n{boot.log[-4000:]}---")
    return linux


# --- usermm --------------------------------------------------------------------------------

def run_processes(commands):
    """(status, output) of each; two at a time. None is left running, whatever happens."""
    running, ended, starting = set(), threading.Event(), threading.Lock()

    def start(command):
        # Until a process is in the set, nobody can end it, so both are one step.
        with starting:
            if ended.is_set():
                raise InterruptedError
            process = subprocess.Popen(command, text=True, errors="replace",
                                       start_new_session=True, stdout=subprocess.PIPE,
                                       stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
            running.add(process)
            return process

    def run(command):
        process = start(command)
        try:
            output, _ = process.communicate(timeout=LIMIT_SECONDS + 60)
            return process.returncode, output
        except subprocess.TimeoutExpired:
            return None, "run_conformance: the runner itself did not end\n"
        finally:
            run_linux.end_session(process)
            running.discard(process)

    pool = ThreadPoolExecutor(max_workers=2)
    try:
        return list(pool.map(run, commands))
    finally:
        # SIGTERM may come anywhere above, also while a thread starts a process.
        with starting:
            ended.set()
        for process in list(running):
            run_linux.end_session(process)
        pool.shutdown()


def troubles_of_run(name, source, status, log, cases):
    """A case that does not pass explains a status, and memory that it left behind."""
    if any(cases.get(f"{suite_of(source)}.{case}", Case()).result in ("FAILED", "absent")
           for case in case_names(source)):
        return
    if status:
        yield f"{name}: {source.name}: every case passed, but the status is {status}"
    if leak := re.search(r"(?m)^.*\bleak: .*$", log):
        yield f"{name}: {source.name}: {leak[0].strip()}"


def run_on_usermm(usermm, sources, version):
    """Every source in a process of its own."""
    results = run_processes([[str(usermm), "module", f"--timeout={LIMIT_SECONDS}",
                              f"--linux={version}", str(source)] for source in sources])
    side = Side()
    for source, (status, log) in zip(sources, results):
        cases = parse(log)
        side.cases.update(cases)
        side.logs[source] = log
        side.troubles += troubles_of_run(f"usermm --linux={version}", source, status, log, cases)
    return side


def read_not_yet(version=None):
    """{case: what is missing} with the rules of that version; without one, of all versions."""
    listed = {}
    for line in NOT_YET.read_text().splitlines():
        if line and not line.startswith("#"):
            told, _, missing = line.partition(": ")
            name, _, alone = told.partition(" ")
            if not (version and alone) or alone == version:
                listed[name] = missing
    return listed


def headings():
    return {line.removeprefix("## ").strip() for line in DIFFERENCES.read_text().splitlines()
            if line.startswith("## ")}


# --- The table -----------------------------------------------------------------------------

def is_of_another_version(case, version):
    """Does the case say, and rightly, that this version does not have it?"""
    match = re.fullmatch(r"(up to|since) Linux (\d+)\.(\d+)", case.reason)
    if not match or case.result != "skipped":
        return False
    border = (int(match[2]), int(match[3]))
    ours = tuple(map(int, version.split(".")[:2]))
    return ours > border if match[1] == "up to" else ours < border


def together(cases):
    """What a version's kernels say of a case: one has to pass it, and none may fail."""
    for result in ("FAILED", "absent", "ok", "skipped"):
        if found := [case for case in cases if case.result == result]:
            return found[0]
    return None


def judge(name, linux, usermm, not_yet, known_headings, version=NEWEST):
    """The remark about a case, and whether it is a failure."""
    if is_of_another_version(usermm, version) and (not linux or linux.result == "skipped"):
        return f"another version: {usermm.reason}", False
    if linux and linux.result == "FAILED":
        return "Linux does not do this: the case is wrong", True
    if linux and linux.result == "absent":
        return "did not run in Linux", True
    if linux and linux.result == "skipped":
        return "skipped in Linux, so nobody says what the rule is", True
    if name in not_yet:
        if usermm.result == "ok":
            return "passes, but not-yet.txt lists it", True
        return f"not yet: {not_yet[name]}", False
    if usermm.result == "skipped":
        return "skipped on usermm, but not-yet.txt does not list it", True
    if usermm.result in ("FAILED", "absent"):
        return "DIFFERENT", True
    if unknown := [text for text in usermm.differs if text not in known_headings]:
        return f"docs/linux-differences.md has no section '{unknown[0]}'", True
    if usermm.differs:
        return f"differs on purpose: {', '.join(dict.fromkeys(usermm.differs))}", False
    return "", False


def joined(remarks):
    """The remarks of all rounds in one; remarks: {version: text}."""
    if len(set(remarks.values())) == 1:
        return next(iter(remarks.values()))
    return "; ".join(f"{version}: {text}" for version, text in remarks.items() if text)


def row(label, cells, remark):
    return f"{label:<58} {' '.join(f'{cell:<8}' for cell in cells)} {remark}".rstrip()


def lines_of_failure(cases):
    for case in cases:
        if case.result in ("FAILED", "skipped"):
            yield from ("    " + line.strip() for line in case.lines)


def judge_rounds(name, rounds, not_yet, known, counts):
    """(results of all sides, remark, cases to show) of a case; counts what is said of it."""
    results, remarks, failed_cases = [], {}, []
    for number, one in enumerate(rounds):
        kernels = [side.cases.get(name, Case()) for side in one.linux.values()]
        usermm = one.usermm.cases.get(name, Case())
        remark, failed = judge(name, together(kernels), usermm, not_yet[number], known,
                               one.version)
        kind = ("failure" if failed else remark.partition(":")[0] or
                ("the same" if kernels else "passed"))
        counts[number][kind] = counts[number].get(kind, 0) + 1
        results += [case.result for case in (*kernels, usermm)]
        remarks[one.version] = remark
        failed_cases += [*kernels, usermm] if failed else []
    return results, joined(remarks), failed_cases


def table(sources, rounds):
    """Prints it. For each round {what is said: number of cases}; "failure" is one of these."""
    not_yet, known = [read_not_yet(one.version) for one in rounds], headings()
    counts = [{} for _ in rounds]
    print(row("case", [name for one in rounds for name in (*one.linux, "usermm")], "remark"))
    for source in sources:
        lost = {}
        for case in case_names(source):
            name = f"{suite_of(source)}.{case}"
            results, remark, failed = judge_rounds(name, rounds, not_yet, known, counts)
            print(row(name.removeprefix("conformance_"), results, remark))
            for line in lines_of_failure(failed):
                print(line)
            lost.update({one.version: one for number, one in enumerate(rounds)
                         if name not in one.usermm.cases and name not in not_yet[number]})
        for version, one in lost.items():
            print(f"--- what usermm said of {source.name} with the rules of {version}:\n"
                  f"{one.usermm.logs[source][-4000:]}---")
    return counts


def troubles(sources, rounds, complete):
    """What is wrong beside the cases, one line for each."""
    listed = {f"{suite_of(source)}.{case}" for source in sources for case in case_names(source)}
    ran = set()
    for one in rounds:
        for side in (*one.linux.values(), one.usermm):
            yield from side.troubles
            ran |= set(side.cases)
    yield from (f"{source.name} has no cases" for source in sources if not case_names(source))
    yield from (f"{name} ran, but is in no list of cases" for name in sorted(ran - listed))
    if complete:
        yield from (f"not-yet.txt lists {name}, which does not exist"
                    for name in read_not_yet() if name not in listed)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("usermm", type=Path)
    parser.add_argument("suites", nargs="*", help="names of sources, without .c; all by default")
    parser.add_argument("--cache", type=Path, default=build_linux.default_cache())
    parser.add_argument("--usermm-only", action="store_true")
    parser.add_argument("--linux", metavar="VERSION", action="append")
    parser.add_argument("--changed", action="store_true")
    args = parser.parse_intermixed_args()
    if not args.usermm.is_file():
        parser.error(f"{args.usermm} is not there; `make build` makes it")
    if unknown := [name for name in args.suites if name not in suites()]:
        parser.error(f"no suite {', '.join(unknown)}; there are {', '.join(sorted(suites()))}")
    args.linux = args.linux or ([NEWEST] if args.usermm_only else list(KERNELS))
    if unknown := [version for version in args.linux if version not in KERNELS]:
        if not args.usermm_only:
            parser.error(f"Linux {unknown[0]} is not built; {' and '.join(KERNELS)} are")
    return args


def main():
    args = arguments()
    signal.signal(signal.SIGTERM, build_linux.raise_exit)
    sources = [source for name, source in suites().items()
               if not args.suites or name in args.suites]
    if args.changed:
        sources = [source for source in sources if ASKS_VERSION.search(source.read_text())]
    rounds = []
    for version in args.linux:
        kernels = [] if args.usermm_only else KERNELS[version]
        rounds.append(Round(
            version,
            {kernel: run_on_linux(kernel, args.cache.resolve(), sources) for kernel in kernels},
            run_on_usermm(args.usermm.resolve(), sources, version)))
    counts = table(sources, rounds)
    failures = sum(said.get("failure", 0) for said in counts)
    for line in troubles(sources, rounds, not args.suites and not args.changed):
        print(line)
        failures += 1
    for one, said in zip(rounds, counts):
        rules = f"Linux {one.version}: " if len(rounds) > 1 else ""
        print(f"{rules}{sum(said.values())} cases: " +
              ", ".join(f"{n} {kind}" for kind, n in sorted(said.items(), key=lambda x: -x[1])))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
