#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Has spin visit every state of the models, and of their negative controls.

A model is right if the search was complete, no assertion failed, and every statement was reached:
about an unreached statement a model proves nothing. A negative control is the model with one thing
wrong (-DCONTROL_...); it has to end in a failed assertion. The report has a line for each and ends
with "N passed, N failed".
"""
import argparse
import dataclasses
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MODELS = Path(__file__).resolve().parent

# Steps of the longest path that the search keeps; a longer one is a failure.
DEPTH = 4_000_000
MEMORY_MIB = 2048
SECONDS = 600


@dataclasses.dataclass
class Model:
    name: str
    # The model has the fault of each negative control, at the control's name.
    controls: tuple[str, ...]
    # Processes parts of which may not be reached: that is what the model shows.
    barred: tuple[str, ...] = ()


ALL = [
    Model("page_parked", ("TWO_LOCKS", "NO_DRAIN_LOCK", "BIT_FIRST", "LOOKS_ONCE",
                          "NO_LAST_LOOK")),
    Model("percpu_stop", ("NO_MEMBARRIER", "NO_FLUSH", "NO_SECOND_LOOK", "STOPPED_IS_EMPTY",
                          "COMMIT_FIRST", "WHOLE_WORD", "NO_LOCK")),
    Model("percpu_stop_halves", ("NO_MEMBARRIER", "NO_FLUSH", "NO_SECOND_LOOK", "FIRST_LIMIT",
                                 "LIMIT_STORED", "TWO_LOADS", "OWNER_POPS",
                                 "PREPARES_WITHOUT_COUNT")),
    Model("percpu_stop_list", ("NO_MEMBARRIER", "NO_FLUSH", "NO_SECOND_LOOK", "STOPPED_IS_EMPTY",
                               "COMMIT_FIRST")),
    Model("percpu_stop_tagged", ("NO_MEMBARRIER", "NO_FLUSH", "NO_SECOND_LOOK",
                                 "STOPPED_IS_EMPTY", "STOPPED_IS_TOKEN", "COMMIT_FIRST",
                                 "READ_BEHIND")),
    Model("percpu_vfork", ("NO_BOUND", "TWO_WORDS", "KEEPS_CHILDREN", "NO_RENEWAL"),
          barred=("parent_and_child",)),
    Model("slab_mixed", ("STORES", "LOOKS_PARTIAL", "NOT_DIVERTED", "CACHED_IS_FREE",
                          "TABLE_FIRST", "ENDS_UNLOCKED")),
    Model("slab_records", ("COUNTS_LATE", "USES_LEFT", "COPIES_LATE")),
    Model("slab_table", ("NO_WAIT", "NAMED_LATE", "LONG_BLOCKS", "NO_WAIT_TO_DEFER")),
    Model("slab_word", ("TOKEN_IS_NO_SLAB", "OBJECT_0", "NO_DETACH", "UNFREEZE_STORES",
                        "FREER_ADDS", "FREE_OWES_NOTHING", "FROZEN_IS_OWED", "EMPTY_IS_ADDED",
                        "EMPTY_WITHOUT_LOCK", "DROP_WITHOUT_LOCK")),
]


def run(work, *argv):
    """Answers what the command printed; raises if it failed."""
    done = subprocess.run(argv, cwd=work, text=True, timeout=SECONDS,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        raise RuntimeError(f"{argv[0]} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def search(work, model, control):
    """Answers what the checker printed about the model."""
    defines = [f"-DCONTROL_{control}"] if control else []
    run(work, "spin", "-a", *defines, str(MODELS / f"{model.name}.pml"))
    # A control's mistake is found at once, so its checker is compiled without optimisation.
    run(work, "gcc", "-O0" if control else "-O2", "-w", "-DSAFETY", "-DCOLLAPSE",
        f"-DMEMLIM={MEMORY_MIB}", "-o", "pan", "pan.c")
    return run(work, "./pan", f"-m{DEPTH}")


def unreached(output, barred):
    """The statements that no path came to, but the ends of endless processes."""
    found, process = [], None
    for line in output.splitlines():
        if line.startswith("unreached in "):
            process = line.split()[-1]
        elif line.startswith("\t") and ", state " in line and process and process not in barred:
            if '"-end-"' not in line:
                found.append(f"{process}: {line.strip()}")
    return found


def judge_model(output, model):
    """What is wrong with the result; None if nothing."""
    if not re.search(r"errors: 0$", output, re.MULTILINE):
        return "an assertion failed, or a process cannot go on"
    for bad in ("Search not completed", "max search depth too small", "out of memory",
                "memory bound", "hash table full"):
        if bad in output:
            return f"not every state was visited: {bad}"
    if "Full statespace search" not in output:
        return "not a full search"
    missing = unreached(output, model.barred)
    return "never reached:\n  " + "\n  ".join(missing) if missing else None


def judge_control(output):
    return None if "assertion violated" in output else "the mistake was not found"


def trail(work, model, control):
    """The steps that lead to the failed assertion."""
    if not (work / f"{model.name}.pml.trail").exists():
        return ""
    defines = [f"-DCONTROL_{control}"] if control else []
    return run(work, "spin", "-t", "-k", f"{model.name}.pml.trail", "-p", "-g", *defines,
               str(MODELS / f"{model.name}.pml"))


def check(model, control):
    name = model.name + (f" with mistake {control}" if control else "")
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="usermm-models-") as scratch:
        work = Path(scratch)
        try:
            output = search(work, model, control)
            wrong = judge_control(output) if control else judge_model(output, model)
            if wrong:
                output += trail(work, model, control)
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            output, wrong = "", str(error)
    stored = re.search(r"(\d+) states, stored", output)
    states = f"{int(stored[1]):9} states" if stored else ""
    print(f"{'FAILED' if wrong else 'ok':7}{name:50}{states} {time.monotonic() - begin:6.1f} s",
          flush=True)
    if wrong:
        print(output[-20000:], wrong, sep="\n", flush=True)
    return not wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", nargs="*", help="these models only")
    args = parser.parse_args()

    for tool in ("spin", "gcc"):
        if not shutil.which(tool):
            sys.exit(f"run_models: {tool} is missing; tools/install-deps.sh installs it")
    unknown = set(args.model) - {model.name for model in ALL}
    if unknown:
        sys.exit(f"run_models: no such model: {' '.join(sorted(unknown))}")
    results = [check(model, control)
               for model in ALL if not args.model or model.name in args.model
               for control in (None, *model.controls)]
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
