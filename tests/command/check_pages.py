#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Do the man pages and the shells' completions say what the command and the headers say?

    check_pages.py USERMM PAGES [--man] [--shells]

PAGES is the folder that usermm_pages wrote. --man: man(1) and mandoc(1) read each page without a
warning. --shells: each shell reads its completions; bash and fish answer questions. A program that
is not installed is told, and its part is left out.
"""
import os
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
USERMM, PAGES = sys.argv[1], Path(sys.argv[2])
# Calls that have no page: inside of the library's own macros.
HEADERS = sorted((ROOT / "include" / "usermm").glob("*.h"))
NO_PAGES = {"compiler.h", "kmem_cache.h", "notifier.h"}


def said(*words):
    return subprocess.run([USERMM, *words], text=True, capture_output=True, check=True).stdout


def commands():
    """The names of all commands, as the general help lists them."""
    return re.findall(r"(?m)^  ([a-z]+(?: [a-z]+)?)  ", said("help"))


def options(command):
    """The options that the command's help lists."""
    text = said("help", *command.split())
    text = text[text.index("\nOptions:\n"):].split("\n\n")[0]
    return [word for line in re.findall(r"(?m)^  (-.*?)(?:  |$)", text)
            for word in re.findall(r"(?:^|(?<=, ))--?[\w-]+", line)]


def plain(page):
    """The page's text without roff's escapes."""
    text = (PAGES / page).read_text()
    return re.sub(r"\\(&|:|fB|fR)", "", text.replace("\\-", "-"))


class Commands(unittest.TestCase):
    def test_help_has_all_parts(self):
        self.assertGreater(len(commands()), 6)
        for command in commands():
            text = said("help", *command.split())
            for part in ("\nOptions:\n", "\nExit status:\n", "\nExamples:\n"):
                self.assertIn(part, text, command)
            self.assertEqual(text, said(*command.split(), "--help"), command)
            self.assertLess(max(map(len, text.splitlines())), 100, command)

    def test_examples_use_what_there_is(self):
        """An example is of an existing command, and its options are the command's."""
        for command in commands():
            text = said("help", *command.split()).split("\nExamples:\n")[1]
            for line in re.findall(r"(?m)^  (usermm .*)$", text):
                words = line.split()
                name = " ".join(words[1:3])
                name = name if name in commands() else words[1]
                own = words[1 + len(name.split()):]
                if "--" in own:
                    own = own[:own.index("--")]
                for word in own:
                    if word.startswith("-"):
                        self.assertIn(word.split("=")[0], options(name), line)

    def test_each_command_has_a_page(self):
        overview = plain("man1/usermm.1")
        for command in commands():
            page = plain(f"man1/usermm-{command.replace(' ', '-')}.1")
            self.assertIn(f'.B "{command}"', overview)
            self.assertGreater(len(options(command)), 1, command)
            for option in options(command):
                self.assertRegex(page, rf"(?m)^\.B .*{re.escape(option)}\b", command)
        self.assertEqual(len(list((PAGES / "man1").iterdir())), len(commands()) + 1)

    def test_each_option_of_the_library_is_told(self):
        page = plain("man7/usermm-options.7")
        rows = said("doctor", "--options").splitlines()[1:]
        names = [row.split()[0] for row in rows if not row.startswith(" ")]
        self.assertGreater(len(names), 20)
        for name in names:
            self.assertIn(f'.B "{name}=', page)


class Calls(unittest.TestCase):
    def names(self):
        """What the headers declare for programs: prototypes and inline functions."""
        for header in HEADERS:
            if header.name in NO_PAGES:
                continue
            text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S)
            text = text.replace("__attribute__((always_inline)) ", "")
            prototype = (r"(?m)^(?:static inline )?(?:const )?(?:struct |enum |unsigned )?"
                         r"\w+ [\w *]*?\**(\w+)\(")
            for name in re.findall(prototype, text):
                if name not in ("__attribute__", "USERMM_API"):
                    yield header, name

    def test_each_call_has_a_page(self):
        found = list(self.names())
        self.assertGreater(len(found), 120)
        for header, name in found:
            stem = "usermm" if header.name == "usermm.h" else f"usermm_{header.stem}"
            page = PAGES / "man3" / f"{name}.3usermm"
            self.assertTrue(page.is_file(), f"{header.name}: {name} has no page")
            if not (ROOT / "include" / "usermm" / f"{name.removeprefix('usermm_')}.h").is_file():
                self.assertEqual(page.read_text(), f".so man3/{stem}.3usermm\n")
            self.assertRegex(plain(f"man3/{stem}.3usermm").split(".SH \"SYNOPSIS\"")[0],
                             rf"(?m)(^|[ ,]){re.escape(name)}(,|$)")

    def test_a_page_has_declaration_and_comment(self):
        page = plain("man3/usermm_slab.3usermm")
        self.assertIn("\nvoid *kmalloc(size_t size, gfp_t gfp);\n", page)
        self.assertIn("\nvoid kfree(const void *object);\n", page)
        self.assertIn("Frees a block of kmalloc() or an object of any cache.", page)
        self.assertIn("Context, ownership and failure are those of page.h.", page)
        # The pages show nothing that is only for the compiler.
        for word in ("USERMM_API", "__attribute__", "#include \"", "static inline"):
            self.assertNotIn(word, page)
        for path in (PAGES / "man3").iterdir():
            self.assertNotRegex(plain(f"man3/{path.name}"), r"__attribute__|USERMM_BINDING\b")
            self.assertNotEqual(path.name, "__attribute__.3usermm")

    def test_overview_names_the_others(self):
        page = plain("man3/usermm.3usermm")
        for header in HEADERS:
            if header.name not in NO_PAGES | {"usermm.h"}:
                self.assertIn(f'.B "usermm_{header.stem}"', page)


class Judges(unittest.TestCase):
    """man(1) and mandoc(1) accept the pages."""

    def pages(self):
        return [path for path in sorted(PAGES.glob("man*/*"))
                if not path.read_text().startswith(".so ")]

    def test_man(self):
        if not shutil.which("man") or not shutil.which("groff"):
            self.skipTest("no man(1), no groff(1)")
        env = {**os.environ, "MANPATH": str(PAGES), "MANWIDTH": "80", "LC_ALL": "C.UTF-8"}
        self.assertGreater(len(self.pages()), 20)
        for path in self.pages():
            done = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-Tutf8", "-l", path],
                                  text=True, capture_output=True, env=env)
            self.assertEqual((done.returncode, done.stderr), (0, ""), path)
            self.assertIn("DESCRIPTION", re.sub(".\b", "", done.stdout))
        # By its name, as users ask, through a file that leads to the page.
        done = subprocess.run(["man", "-P", "cat", "3", "kfree"], text=True, capture_output=True,
                              env=env)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Frees a block of kmalloc()", re.sub(r"\s+", " ", done.stdout))

    def test_mandoc(self):
        if not shutil.which("mandoc"):
            self.skipTest("no mandoc(1)")
        for path in self.pages():
            done = subprocess.run(["mandoc", "-Tlint", "-W", "style", path], text=True,
                                  capture_output=True)
            self.assertEqual((done.returncode, done.stdout), (0, ""), path)


def split(line):
    """The words of a line as bash splits them for completion."""
    words = re.findall(r"[=:]+|[^\s=:]+", line)
    return words + [""] if line.endswith((" ", "=", ":")) and words[-1] not in ("=", ":") else words


class Shells(unittest.TestCase):
    def bash(self, line):
        words = split(line)
        script = (f"source '{PAGES}/bash/usermm'; compopt() {{ :; }}; COMP_LINE=\"$1\"; shift; "
                  "COMP_POINT=${#COMP_LINE}; COMP_WORDS=(\"$@\"); "
                  "COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _usermm; "
                  "printf '%s\\n' \"${COMPREPLY[@]}\"")
        done = subprocess.run(["bash", "--norc", "-c", script, "bash", line, *words], text=True,
                              capture_output=True, cwd=ROOT)
        self.assertEqual(done.stderr, "", line)
        return done.stdout.split()

    def fish(self, line):
        done = subprocess.run(["fish", "--no-config", "-c", f"source {PAGES}/fish/usermm.fish; "
                               f"complete -C '{line}'"], text=True, capture_output=True, cwd=ROOT)
        self.assertEqual(done.stderr, "", line)
        return [row.split("\t")[0] for row in done.stdout.splitlines()]

    def questions(self, ask):
        for command in commands():
            if " " not in command:
                self.assertIn(command, ask("usermm "), command)
            for option in options(command):
                self.assertIn(option, ask(f"usermm {command} -" if len(option) == 2 else
                                          f"usermm {command} --"), command)
        self.assertEqual(ask("usermm ben"), ["bench"])
        self.assertEqual(ask("usermm bench kma"), ["kmalloc"])
        self.assertEqual(sorted(ask("usermm bench page-")),
                         ["page-alloc", "page-bulk", "page-order"])
        self.assertIn(str(os.getpid()), ask(f"usermm record {os.getpid()}"))
        self.assertIn("README.md", ask("usermm report REA"))
        self.assertIn("README.md", ask("usermm bench --json REA"))
        self.assertNotIn("README.md", ask("usermm bench --peers REA"))
        self.assertIn("leaks", ask(f"usermm inspect {os.getpid()} lea"))
        self.assertIn(str(os.getpid()), ask(f"usermm inspect {os.getpid()}"))
        self.assertIn("README.md", ask("usermm inspect REA"))
        self.assertEqual(sorted(ask("usermm inspect 1 caches --sort s")), ["size", "slabs"])
        self.assertEqual(ask("usermm top 1 --sort ch"), ["change"])
        self.assertEqual(ask("usermm inspect 1 --sort ch"), [])
        self.assertIn("percpu", ask("usermm selftest p"))
        self.assertEqual(ask("usermm selftest percpu --st"), ["--storm"])

    def test_bash(self):
        self.questions(self.bash)
        self.assertEqual(self.bash("usermm doctor -o har"), ["hardened="])
        self.assertEqual(self.bash("usermm run -o hardened=1:rse"), ["rseq="])
        self.assertEqual(sorted(self.bash("usermm run -o hardened=1:rseq=")),
                         ["auto", "cpu_id", "mm_cid", "off"])
        self.assertEqual(self.bash("usermm run --options=rseq=of"), ["off"])
        self.assertIn("ls", self.bash("usermm run -o rseq=off ls"))
        self.assertEqual(self.bash("usermm run ls --js"), [])
        self.assertEqual(self.bash("usermm bench --json=CONTRIB"), ["CONTRIBUTING.md"])

    def test_fish(self):
        if not shutil.which("fish"):
            self.skipTest("no fish")
        self.questions(self.fish)
        self.assertEqual(self.fish("usermm doctor -o harden"), ["hardened="])
        self.assertIn("hardened=1:rseq=off", self.fish("usermm run -o hardened=1:rseq="))

    def test_zsh(self):
        if not shutil.which("zsh"):
            self.skipTest("no zsh")
        done = subprocess.run(["zsh", "-f", "-n", PAGES / "zsh" / "_usermm"], text=True,
                              capture_output=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        answers = self.zsh_answers(["usermm ben", "usermm bench kma", "usermm bench --jso",
                                    "usermm selftest percpu --sto", "usermm doctor -o harden",
                                    "usermm inspect 1 own", "usermm top 1 --sort=ch",
                                    f"usermm inspect {PAGES}/zs"])
        self.assertEqual(answers, ["usermm bench ", "usermm bench kmalloc ", "usermm bench --json=",
                                   "usermm selftest percpu --storm=", "usermm doctor -o hardened=",
                                   "usermm inspect 1 owners ", "usermm top 1 --sort=change ",
                                   f"usermm inspect {PAGES}/zsh/"])

    def zsh_answers(self, lines):
        """The line after a tab key, in a shell on a terminal of its own."""
        script = ("zmodload zsh/zpty; zpty z zsh -f -i; "
                  "zpty -w z \"PS1=; fpath=($1 \\$fpath); autoload -U compinit; compinit -u -D; "
                  "show() { print -r -- \\\"<<\\$BUFFER>>\\\"; BUFFER= }; zle -N show; "
                  "bindkey '^X' show; echo re''ady\"; "
                  "zpty -r z text '*ready*'; shift; "
                  "for line; do zpty -w -n z \"$line\"$'\\t\\C-x'; zpty -r z text '*<<*>>*'; "
                  "print -r -- \"${${text##*<<}%%>>*}\"; done; zpty -d z")
        done = subprocess.run(["zsh", "-f", "-c", script, "zsh", PAGES / "zsh", *lines], text=True,
                              capture_output=True, timeout=60)
        self.assertEqual(done.stderr, "")
        return done.stdout.splitlines()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
