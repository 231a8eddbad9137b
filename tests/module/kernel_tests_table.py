# SPDX-License-Identifier: MIT
"""The table of docs/kernel-tests.md, which run_upstream.py writes, or compares with its results."""
import re
from pathlib import Path

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "kernel-tests.md"
BEGIN = "<!-- begin: written by tests/module/run_upstream.py --write -->\n"
BEGIN_OF = {"6.12": BEGIN, "7.3": BEGIN.replace("begin:", "begin 7.3:")}
END = "<!-- end -->\n"
# Its number of cases is by chance.
UNCOUNTED = {"lib/test_hexdump.c"}
HEAD = "| the kernel's files | beside them | state | cases passed |\n|---|---|---|---|\n"


def cases(output):
    """"passed of all", as far as a test counts; "" if it only says that it is through."""
    totals = re.findall(r"(?m)^# Totals: pass:(\d+) .*total:(\d+)", output)
    if totals:
        return f"{sum(int(p) for p, _ in totals)} of {sum(int(t) for _, t in totals)}"
    for pattern in (r"\b(\d+) of (\d+) tests passed", r"\ball ((\d+)) tests passed"):
        match = re.search(pattern, output)
        if match:
            return f"{match[1]} of {match[2]}"
    results = re.findall(r"(?m)^ +(not )?ok \d+ ", output)
    if results:
        return f"{results.count('')} of {len(results)}"
    summaries = re.findall(r"Summary: \w+ passed: (\d+) failed: (\d+)", output)
    if summaries:
        passed = sum(int(p) for p, _ in summaries)
        return f"{passed} of {passed + sum(int(f) for _, f in summaries)}"
    return ""


def row(names, arguments, missing, output):
    theirs = [name for name in names if name.endswith(".c") and not name.startswith("tests/")]
    beside = [Path(name).name for name in names if name.startswith("tests/")]
    beside += [f"`{argument}`" for argument in arguments]
    counted = "" if missing or names[0] in UNCOUNTED else cases(output)
    state = f"not yet: {missing}" if missing else "unchanged"
    columns = [", ".join(theirs), ", ".join(beside), state, counted]
    return "".join(f"| {column} " if column else "| " for column in columns) + "|\n"


def compare(rows, document=DOCUMENT, version="6.12"):
    """What is wrong with the table, as lines; none if it is as it was seen."""
    _, _, rest = document.read_text().partition(BEGIN_OF[version])
    table, _, _ = rest.partition(END)
    listed = table.removeprefix(HEAD).splitlines(keepends=True)
    return ([f"not listed: {line}" for line in rows if line not in listed] +
            [f"not seen: {line}" for line in listed if line not in rows])


def write(rows, document=DOCUMENT, version="6.12"):
    before, _, rest = document.read_text().partition(BEGIN_OF[version])
    _, _, after = rest.partition(END)
    document.write_text(before + BEGIN_OF[version] + HEAD + "".join(rows) + END + after)
