# SPDX-License-Identifier: MIT
"""Shared by scripts that run real programs with libusermm_malloc.so preloaded."""
import re
import time

# The same for every run: no locale, no user's settings, no clock.
ENVIRONMENT = {
    "LC_ALL": "C", "TZ": "UTC",
    "PYTHONHASHSEED": "0", "PYTHONMALLOC": "malloc", "PYTHONDONTWRITEBYTECODE": "1",
    "PERL_HASH_SEED": "0",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "C", "GIT_COMMITTER_EMAIL": "c@example.org",
    "GIT_AUTHOR_DATE": "2020-01-01T00:00:00Z", "GIT_COMMITTER_DATE": "2020-01-01T00:00:00Z",
}

# In a process's summary: how many objects its threads took from the slabs.
OBJECTS = re.compile(r"^usermm:.*?\bobjects=(\d+)", re.MULTILINE)


def objects_served(errors):
    """Objects that a step's processes took from the library, from their reports at exit.

    Returns the largest figure, not the sum: a forked child starts from its parent's figure, so a
    sum would count much twice.
    """
    return max(map(int, OBJECTS.findall(errors)), default=0)


def objects_of(pid, errors):
    """The same for one process, by its number."""
    return objects_served("\n".join(line for line in errors.splitlines()
                                    if re.match(rf"usermm: .*?\bpid={pid}\b", line)))


class ResultTable:
    """Prints a line for each program while they run, and at the end the programs with faults."""

    def __init__(self, before=None):
        """before: the fault of a check that has no line of its own, or None."""
        self.wrong = dict(before or {})
        self.start = time.monotonic()
        print(f"{'program':20} {'ok':4} {'objects':>10} {'seconds':>8}")

    def skip(self, name):
        print(f"{name:20} not here, skipped")

    def begin(self):
        self.start = time.monotonic()

    def add(self, name, wrong, objects):
        """wrong: the fault, or None."""
        self.wrong[name] = wrong
        print(f"{name:20} {'no' if wrong else 'yes':4} {objects:10} "
              f"{time.monotonic() - self.start:8.1f}", flush=True)

    def finish(self):
        """The exit status."""
        for name, wrong in self.wrong.items():
            if wrong:
                print(f"FAILED {name}: {wrong}")
        failed = sum(1 for wrong in self.wrong.values() if wrong)
        print(f"{len(self.wrong) - failed} passed, {failed} failed")
        return 1 if failed or not self.wrong else 0
