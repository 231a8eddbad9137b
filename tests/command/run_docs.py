#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the commands of README.md, CONTRIBUTING.md and docs/*.md, and those of `make run`.

    run_docs.py USERMM [PAGE...]

A page is run from its top to its end in a folder of its own, which has the build and the sources.
How a page marks its blocks (tests/tools/check_docs.py holds the pages to it):

    ```sh        Commands. The block is one shell script, and fails with its first command that
                 fails. A comment in its first lines may say:
                     # needs: PROGRAM...            skipped if one of these is not installed
                     # not run by the tests: WHY    never run
                     # not as root: WHY             root's tests run it as nobody, in a folder of
                                                    its own with a copy of the command
    ```output    What the block above it prints, on stdout and stderr. In a line, ... stands for
                 any text; a line ... stands for any lines.
    ```c         A file; its first line is its name as a comment. The commands below it use it.
    ```text      Anything else.

What was not run is printed, with the reason. Options and commands of usermm's that stand in the
sentences are not run; but they have to be there.
"""
import os
import pwd
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
LIMIT_SECONDS = 200
SOURCES = ("bench", "examples", "include", "src", "tests", "tools")
# Commands that another test runs: how they begin, and which test.
ELSEWHERE = {
    "make run": "test_make_run, here",
    "make test ": "what runs this test",
    "LD_PRELOAD=$PWD/build/libusermm_malloc.so redis-server": "malloc/redis_mallctl",
}
NOT_RUN = re.compile(r"# not run by the tests: (.+)")
NEEDS = re.compile(r"# needs: (.+)")
NOT_ROOT = re.compile(r"# not as root: (.+)")
# Parts that other users need a copy of, if they may not reach the build.
COMMAND_FILES = ("usermm", "usermm-inspect", "libusermm_malloc.so")
# Names that stand for a value in a sentence.
PLACEHOLDER = re.compile(r"\b(BYTES|CACHE|FILE|FLAGS|INTERVAL|NAME|PATH|RATE)\b|…")
NAME = re.compile(r"/\* ([\w.-]+) \*/")


class Block:
    def __init__(self, page, line, tag):
        self.page, self.line, self.tag = page, line, tag
        self.lines = []
        self.expected = None

    def __str__(self):
        return f"{self.page}:{self.line}"

    @property
    def text(self):
        return "".join(line + "\n" for line in self.lines)

    def comment(self, pattern):
        """The text of a comment of this kind in the block's first lines; None if there is none."""
        for line in self.lines:
            if not line.startswith("#"):
                return None
            if match := pattern.match(line):
                return match[1]
        return None


def read_blocks(page, text):
    """The blocks of a page, each with the output that the page promises for it."""
    blocks, block = [], None
    for number, line in enumerate(text.splitlines(), 1):
        if not line.startswith("```"):
            if block:
                block.lines.append(line)
        elif not block:
            block = Block(page, number, line[3:])
        else:
            if block.tag == "output":
                blocks[-1].expected = block.lines
            else:
                blocks.append(block)
            block = None
    return blocks


def pattern_of(lines):
    """The regular expression of what an output block promises."""
    return "".join("(?:.*\n)*?" if line == "..." else
                   ".*?".join(re.escape(part) for part in line.split("...")) + " *\n"
                   for line in lines)


def promise_is_kept(expected, output):
    return re.fullmatch(pattern_of(expected), output) is not None


def split(block):
    """The script without the commands that another test runs, and the list of those."""
    kept, elsewhere = [], []
    for line in block.lines:
        test = next((test for start, test in ELSEWHERE.items() if line.startswith(start)), None)
        if test:
            elsewhere.append((line.split("#")[0].strip(), test))
        else:
            kept.append(line)
    return "\n".join(kept), elsewhere


def count_commands(script):
    """Lines that are neither a comment nor the continuation of another line."""
    lines = re.sub(r"\\\n", " ", script).splitlines()
    return sum(bool(line.strip()) and not line.startswith("#") for line in lines)


def read_inline(text):
    """The texts in single backticks outside of blocks, each once."""
    text = re.sub(r"(?ms)^```.*?^```$", "", text)
    return {" ".join(code.split()) for code in re.findall(r"`([^`]+)`", text)}


class Pages:
    """Runs pages, and remembers what was run and what was not."""

    def __init__(self, usermm):
        self.usermm = usermm
        self.run, self.not_run, self.failures = 0, [], []

    def fill(self, folder):
        (folder / "build").symlink_to(self.usermm.parent)
        for name in SOURCES:
            (folder / name).symlink_to(ROOT / name)

    def run_script(self, script, folder, **more):
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith("USERMM_")}
        return subprocess.run(["sh", "-ec", script], cwd=folder, env=environment, text=True,
                              errors="replace", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=LIMIT_SECONDS, **more)

    def run_as_nobody(self, script):
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            (folder / "build").mkdir()
            for name in COMMAND_FILES:
                if (self.usermm.parent / name).exists():
                    shutil.copy2(self.usermm.parent / name, folder / "build" / name)
            nobody = pwd.getpwnam("nobody")
            os.chown(folder, nobody.pw_uid, nobody.pw_gid)
            return self.run_script(script, folder, user=nobody.pw_uid, group=nobody.pw_gid,
                                   extra_groups=[])

    @staticmethod
    def reason_not_to(block, folder):
        if reason := block.comment(NOT_RUN):
            return reason
        missing = [program for program in (block.comment(NEEDS) or "").split()
                   if not shutil.which(folder / program if "/" in program else program)]
        return f"there is no {', '.join(missing)}" if missing else None

    def run_block(self, block, folder):
        if reason := self.reason_not_to(block, folder):
            self.not_run.append((block, f"{count_commands(block.text)} commands", reason))
            return
        script, elsewhere = split(block)
        self.not_run += [(block, command, test) for command, test in elsewhere]
        commands = count_commands(script)
        if not commands:
            return
        try:
            if os.geteuid() == 0 and block.comment(NOT_ROOT):
                done = self.run_as_nobody(script)
            else:
                done = self.run_script(script, folder)
        except subprocess.TimeoutExpired:
            self.failures.append(f"{block}: still runs after {LIMIT_SECONDS} s\n{script}")
            return
        self.run += commands
        if done.returncode:
            self.failures.append(f"{block}: exit status {done.returncode}\n{script}\n"
                                 f"{done.stdout}")
        elif block.expected is not None and not promise_is_kept(block.expected, done.stdout):
            self.failures.append(f"{block}: prints something else than the page says\n"
                                 f"{script}\n{done.stdout}")

    def run_page(self, page, text):
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            self.fill(folder)
            for block in read_blocks(page, text):
                if block.tag == "c":
                    (folder / NAME.match(block.lines[0])[1]).write_text(block.text)
                elif block.tag == "sh":
                    self.run_block(block, folder)


class Sentences:
    """Checks that the options and commands that sentences name exist in the command."""

    def __init__(self, usermm):
        self.usermm = usermm
        table = (ROOT / "docs" / "options.md").read_text()
        self.options = set(re.findall(r"(?m)^\| `(\w+)` \|", table))

    def said(self, *words):
        return subprocess.run([self.usermm, *words], text=True, capture_output=True)

    def wrong_option(self, code):
        """What the library says of an option; None if it takes it."""
        name, _, value = code.partition("=")
        if name not in self.options or not value or PLACEHOLDER.search(value):
            return None
        done = self.said("doctor", "-o", code)
        return done.stderr if done.returncode else None

    def wrong_command(self, code):
        """Which suite or flag the help of a command does not have; None if it has them all."""
        command, *words = code.removeprefix("build/").split()[1:]
        if command == "help":
            command, words = words[0], []
        words = [word.strip("[]") for word in words[:(words + ["--"]).index("--")]]
        # A command of a command ("selftest percpu") has a help of its own.
        done = self.said("help", command, *words[:1])
        if done.returncode:
            return f"`{code}`: no {command}"
        names = [word for word in words if word.startswith("-")]
        if command == "bench" and "-o" not in words:
            names += [word for word in words if re.fullmatch(r"[a-z][a-z-]+", word)]
        return next((f"`{code}`: no {name}" for name in names
                     if not re.search(rf"(?<!\S)\[?{re.escape(name)}\b", done.stdout)), None)

    def wrong(self, code):
        """What is wrong with a text in backticks. None if nothing is, or if it names no option or
        command."""
        if re.match(r"\w+=", code):
            return self.wrong_option(code)
        if re.match(r"(build/)?usermm \S", code):
            return self.wrong_command(code)
        return None


class Documents(unittest.TestCase):
    usermm = None
    pages = []

    def test_pages(self):
        pages = Pages(self.usermm)
        for page in self.pages:
            pages.run_page(page.relative_to(ROOT).as_posix(), page.read_text())
        for block, what, reason in pages.not_run:
            print(f"not run: {block}: {what}: {reason}")
        print(f"{pages.run} commands run, {len(pages.not_run)} blocks or commands not")
        self.assertFalse(pages.failures, "\n".join(pages.failures))
        self.assertTrue(pages.run or pages.not_run, "no page has a command")

    def test_elsewhere(self):
        """Each entry of the table is for a command that is still there."""
        lines = [line for page in DOCUMENTS for block in read_blocks(page.name, page.read_text())
                 for line in block.lines if block.tag == "sh"]
        for start in ELSEWHERE:
            self.assertTrue(any(line.startswith(start) for line in lines), start)

    def test_sentences(self):
        """Options, suites and flags that sentences and tables name are there."""
        sentences = Sentences(self.usermm)
        self.assertGreater(len(sentences.options), 20)
        failures = []
        for page in [*self.pages, *sorted((ROOT / "docs" / "notes").glob("*.md"))]:
            failures += [f"{page.relative_to(ROOT)}: {wrong}" for wrong in
                         map(sentences.wrong, read_inline(page.read_text())) if wrong]
        self.assertFalse(failures, "\n".join(failures))

    def test_make_run(self):
        """Its programs; the benchmarks behind them are run by bench/."""
        text = (ROOT / "Makefile").read_text().replace("\\\n", " ").replace("$$", "$")
        commands = re.findall(r"^\t((?:[A-Z]+=\S+ +)?build/usermm run .*)$", text, re.M)
        self.assertGreaterEqual(len(commands), 2)
        with tempfile.TemporaryDirectory() as scratch:
            pages = Pages(self.usermm)
            pages.fill(Path(scratch))
            for command in commands:
                done = pages.run_script(command, scratch)
                self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}")
                self.assertIn("slabinfo", done.stdout, command)


class Convention(unittest.TestCase):
    """Faults of a page are noticed, and a block that must not be run is not run."""

    def run_text(self, *lines):
        pages = Pages(Documents.usermm)
        pages.run_page("page", "\n".join(lines))
        return pages

    def test_commands_are_run(self):
        pages = self.run_text("```sh", "true", "echo a b \\", " c", "```",
                              "```output", "a ... c", "```")
        self.assertEqual((pages.run, pages.not_run, pages.failures), (2, [], []))

    def test_failing_commands(self):
        for command in ("false; true", "true", "false"):
            pages = self.run_text("```sh", command, "false", "```")
            self.assertRegex(pages.failures[0], "^page:1: exit status 1\n")

    def test_not_as_root(self):
        pages = self.run_text("```sh", "# not as root: it would be too easy",
                              "[ $(id -u) != 0 ] && touch written && build/usermm --version", "```",
                              "```output", "usermm ...", "```")
        self.assertEqual((pages.run, pages.failures), (1, []))

    def test_outputs(self):
        for printed, expected, kept in (
                ("a", "a", True), ("a", "b", False), ("a", "", False), ("a\\nb", "a", False),
                ("a\\nb\\nc", "...\nb\n...", True), ("a\\nc", "...\nb\n...", False),
                ("b", "...\nb\n...", True), ("at 0x12 is", "at 0x... is", True),
                ("at 12 is", "at 0x... is", False), ("(a)*", "(a)*", True)):
            pages = self.run_text("```sh", f"printf '{printed}\\n'", "```",
                                  "```output", expected, "```")
            self.assertEqual(not pages.failures, kept, (printed, expected))

    def test_what_is_not_run(self):
        pages = self.run_text("```sh", "# not run by the tests: needs a week", "false", "```",
                              "```sh", "# Hello.", "# needs: sh no_such_program", "false", "```",
                              "```sh", "make run   # all", "```",
                              "```text", "false", "```")
        self.assertEqual((pages.run, pages.failures), (0, []))
        self.assertEqual([reason for _, _, reason in pages.not_run],
                         ["needs a week", "there is no no_such_program", "test_make_run, here"])
        pages = self.run_text("```sh", "# needs: sh build/usermm", "true", "```")
        self.assertEqual((pages.run, pages.not_run, pages.failures), (1, [], []))

    def test_sentences(self):
        sentences = Sentences(Documents.usermm)
        text = "`rseq=off` `nodes=N`\n```sh\n`rseq=no`\n```\n`usermm\nrun`"
        self.assertEqual(read_inline(text), {"rseq=off", "nodes=N", "usermm run"})
        for code in ("rseq=off", "limit=", "profile_file=PATH", "no_option=1", "`x`",
                     "usermm help run", "build/usermm bench kmalloc --json FILE",
                     "usermm selftest percpu --storm 9",
                     "usermm run -o hardened=1 -- ls --color"):
            self.assertIsNone(sentences.wrong(code), code)
        for code in ("rseq=on", "limit=1X", "usermm walk", "usermm bench kmallocs",
                     "usermm bench --jso", "usermm doctor --option", "usermm run --fast -- ls"):
            self.assertIsNotNone(sentences.wrong(code), code)

    def test_files(self):
        pages = self.run_text("```c", "/* a.c */", "int a;", "```", "```sh", "cat a.c", "```",
                              "```output", "/* a.c */", "int a;", "```")
        self.assertEqual((pages.run, pages.failures), (1, []))


if __name__ == "__main__":
    Documents.usermm = Path(sys.argv[1]).resolve()
    Documents.pages = [Path(name).resolve() for name in sys.argv[2:]] or DOCUMENTS
    unittest.main(argv=sys.argv[:1])
