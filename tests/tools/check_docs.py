#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does what README.md, CONTRIBUTING.md and docs/ name exist?

    check_docs.py [ROOT]

1. Links lead to files that are there, and their anchors to headings.
2. Paths in backticks that begin with a folder of the project are there.
3. `make TARGET` and `usermm COMMAND` exist.
4. Blocks are marked as tests/command/run_docs.py wants them, which runs the commands.
5. README.md has at most 150 lines, docs/benchmarks.md 250.
6. The comment at the head of the Makefile, which `make help` prints, has each target, but none
   that ends with -deps. CONTRIBUTING.md names each target that tests or measures.

Each offence is one line, FILE:LINE: what is wrong; the exit status is 1 then.
"""
import re
import sys
from pathlib import Path

LINES = {"README.md": 150, "docs/benchmarks.md": 250}
FOLDERS = "src|include|kernel|tools|tests|bench|cmake|docs|examples|findings|bindings|packaging"
TAGS = ("sh", "output", "c", "text")
NOT_RUN = "# not run by the tests:"


def anchors(text):
    """The anchors that GitHub makes of headings, and those of <a id>."""
    found = set(re.findall(r'<a id="([^"]+)"', text))
    for heading in re.findall(r"^#+ (.*)$", text, re.M):
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        found.add(re.sub(r"[^\w\- ]", "", heading).replace(" ", "-"))
    return found


def check_link(page, link):
    if re.match(r"[a-z]+:", link):
        return None
    name, _, anchor = link.partition("#")
    target = page.parent / name if name else page
    if not target.exists():
        return f"there is no {name}; correct the link, or write what it leads to"
    if anchor and target.suffix == ".md" and anchor not in anchors(target.read_text()):
        return f"{name} has no heading #{anchor}; correct the link"
    return None


def is_there(root, path):
    """Is the path there? It may be a pattern, or lack its suffix."""
    if re.search(r"[*{<%]|NAME|VERSION", path):
        return any(root.glob(re.sub(r"[{<%].*|NAME.*|VERSION.*", "*", path)))
    path = path.rstrip("/.,")
    return (root / path).exists() or any(root.glob(path + ".*"))


def read_commands(root):
    tables = "".join(path.read_text() for path in sorted(root.glob("tools/**/*.c")))
    return set(re.findall(r'const struct command \w+ = \{\s+\.name = "(\w+)"', tables)) | {"help"}


def check_line(root, page, line, targets, commands):
    """Yields the faults of a line of prose."""
    for link in re.findall(r"\]\(([^)\s]+)\)", line):
        wrong = check_link(page, link)
        if wrong:
            yield wrong
    for path in re.findall(rf"`((?:{FOLDERS})/[\w./*{{<%-]+)[^`]*`", line):
        if not is_there(root, path):
            yield f"there is no {path}; correct the path"
    for target in re.findall(r"`make ([a-z][\w-]*)[^`]*`", line):
        if target not in targets:
            yield f"the Makefile has no {target}; `make help` lists all targets"
    for command in re.findall(r"`(?:build/)?usermm ([a-z]+)\b[^`]*`", line):
        if command not in commands:
            yield f"usermm has no command {command}; `usermm help` lists all commands"


def check_fence(before, tag, first):
    """What is wrong with the first line of a block; `before` is the tag of the block above."""
    if tag not in TAGS:
        return f"a block is one of {', '.join(TAGS)}: ```{TAGS[0]}"
    if tag == "output" and before != "sh":
        return "a block of output belongs behind one of commands (sh)"
    if tag == "c" and not re.match(r"/\* [\w.-]+ \*/", first):
        return "the first line of a block of C is the file's name: /* program.c */"
    if first.startswith("# not run") and not re.match(f"{NOT_RUN} \\S", first):
        return f"write: {NOT_RUN} WHY"
    return None


def check_page(root, page, targets, commands):
    name = page.relative_to(root).as_posix()
    in_block, tag = False, None
    lines = page.read_text().splitlines()
    for number, line in enumerate(lines, 1):
        if line.startswith("```"):
            in_block = not in_block
            if in_block:
                wrong = check_fence(tag, line[3:], "".join(lines[number:number + 1]))
                tag = line[3:]
                if wrong:
                    yield number, wrong
        elif not in_block:
            if line:
                tag = None
            for wrong in check_line(root, page, line, targets, commands):
                yield number, wrong
    if len(lines) > LINES.get(name, len(lines)):
        yield len(lines), (f"{len(lines)} lines, {LINES[name]} are the limit; move details to a "
                           "page that this one links to")


def check_targets(root, targets):
    """Yields each file that lacks a target, and what is wrong with it."""
    head = re.match(r"(#.*\n)*", (root / "Makefile").read_text())[0]
    listed = re.findall(r"^#   make ([a-z][\w-]*)", head, re.M)
    guide = (root / "CONTRIBUTING.md").read_text()
    for target in listed:
        if target not in targets:
            yield "Makefile", f"the head has `make {target}`, but there is no such target"
    for target in sorted(targets):
        if target not in listed and not target.endswith("-deps"):
            yield "Makefile", f"say in the head what `make {target}` does"
        if (re.match(r"(test|soak|bench|fuzz)\b", target) and
                not re.search(rf"`make {target}[ `]", guide)):
            yield "CONTRIBUTING.md", f"say in a table what `make {target}` does"


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[2]).resolve()
    targets = set(re.findall(r"^([a-z][\w-]*):", (root / "Makefile").read_text(), re.M))
    commands = read_commands(root)
    pages = [root / "README.md", root / "CONTRIBUTING.md", *sorted(root.glob("docs/**/*.md"))]
    offences = 0
    for page in pages:
        for number, wrong in check_page(root, page, targets, commands):
            print(f"{page}:{number}: {wrong}")
            offences += 1
    for name, wrong in check_targets(root, targets):
        print(f"{root / name}:1: {wrong}")
        offences += 1
    print(f"check_docs: {len(pages)} pages, {len(commands)} commands, {offences} offences")
    return 1 if offences or not commands else 0


if __name__ == "__main__":
    sys.exit(main())
