#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Rules for the options and messages of all commands that look at processes and files.

    check_words.py USERMM LEAKY LIBRARY

No option is taken and ignored, each error has a status of its own that no other has in any command,
and a name from outside reaches neither a terminal nor a scraper as it is.
"""
import contextlib
import html
import itertools
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "inspect"))
from inspecting import Program, scratch     # pylint: disable=wrong-import-position

USERMM, LEAKY, LIBRARY = (sys.argv.pop(1) for _ in range(3))
USAGE, NO_PROCESS, NO_USERMM, ENDED, NO_OUTPUT, NO_INPUT, BAD_INPUT = 2, 3, 5, 9, 11, 12, 13
LISTS, SIZES = 2, 13   # programs of leaky.c: a list; blocks of several sizes
COMMANDS = ("top", "inspect", "record", "report", "export", "profile")
# A colour, a window's title, an end of line, a quote, a mark of direction, a byte that is no UTF-8.
NAME = b'a\x1b[3m\n"\\\xc2\x9b\xff'
ESCAPED = r'a\x1b[3m\x0a"\\xc2\x9b\xff'
BAD_BYTES = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]")


def run(*words, **options):
    return subprocess.run([USERMM, *map(str, words)], capture_output=True, timeout=60, **options)


def help_of(*words):
    return run(*words, "--help").stdout.decode()


class Options(unittest.TestCase):
    """Each option changes what a command does, or is refused by one line."""

    def check(self, without, option, made=None):
        before = run(*without)
        self.assertIn(before.returncode, (0, 1), (without, before.stderr))
        done = run(*without[:1], *option, *without[1:])
        if done.returncode == USAGE:
            self.assertRegex(done.stderr, rb"^usermm \w+: --[a-z]+ (goes with|does not go with) ")
            self.assertEqual((done.stdout, done.stderr.count(b"\n")), (b"", 1))
            return False
        self.assertEqual(done.returncode, before.returncode, (without, option, done.stderr))
        self.assertTrue(done.stdout != before.stdout or (made and made.exists()),
                        f"{without} ignores {option}")
        if made:
            made.unlink()
        return True

    def test_inspect(self):
        taken = set()
        with scratch() as folder, Program(LEAKY, LIBRARY, SIZES, "slab_debug=U") as program:
            address = json.loads(run("inspect", program.pid, "leaks", "--json").stdout)
            address = address["groups"][0]["addresses"][0]
            made = Path(folder) / "map.svg"
            options = (["--json"], ["--sort", "name"], ["--addresses", "1"], ["-o", made])
            self.assertEqual(len(options) + 1, help_of("inspect").split("Exit status")[0]
                             .count("\n  -"), "an option is new: try it here")
            names = re.findall(r"(?m)^  ([a-z]+) ", help_of("inspect").split("Options:")[0])
            self.assertEqual(len(names), 9)
            for name, option in itertools.product(names, options):
                words = ["inspect", program.pid, name, *[address] * (name == "whatis")]
                with self.subTest(name=name, option=option[0]):
                    if self.check(words, option, made if "-o" in option else None):
                        taken.add((name, option[0]))
            both = run("inspect", program.pid, "map", "--json", "-o", made)
            self.assertEqual(both.returncode, USAGE, both)
            self.assertFalse(made.exists())
        self.assertEqual(taken, {*((name, "--json") for name in names), ("caches", "--sort"),
                                 ("leaks", "--addresses"), ("owners", "--addresses"),
                                 ("map", "-o")})

    def test_top(self):
        with Program(LEAKY, LIBRARY, SIZES, "slab_debug=U") as program:
            for words in ([program.pid], []):
                with self.subTest(words=words):
                    done = run("top", "-b", "-n", "1", "--sort", "name", *words)
                    self.assertEqual(done.returncode, 0 if words else USAGE, done)
            self.assertTrue(self.check(["top", program.pid, "-n", "1"], ["--json"]))
            names, sizes = (run("top", "-n", "1", "--sort", key, program.pid).stdout
                            for key in ("name", "size"))
            self.assertNotEqual(names.split(b"\n")[4:], sizes.split(b"\n")[4:])

    def test_report_and_profile(self):
        with scratch() as folder:
            record, out = Path(folder) / "one.record", Path(folder) / "x.html"
            self.assertEqual(run("record", os.getpid(), "-n", "1", "-o", record).returncode, 0)
            done = run("report", record, "-o", out, "--figure", "nonsense")
            self.assertEqual(done.returncode, USAGE, done)
            self.assertIn(b"--figure goes with files of `usermm bench`", done.stderr)
            self.assertFalse(out.exists())
            for option, output in itertools.product((["--rows", "3"], ["--allocated"], ["--json"]),
                                                    ("x.pb", "x.pb.gz")):
                done = run("profile", record, "-o", Path(folder) / output, *option)
                self.assertEqual(done.returncode, USAGE, done)

    def test_how_many_addresses(self):
        """Groups that are not shown are counted."""
        with Program(LEAKY, LIBRARY, LISTS) as program:
            for number, more in ((0, 1000), (1, 999), (4, 996), (6, 994), (1000, 0)):
                text = run("inspect", program.pid, "leaks", "--addresses", number).stdout.decode()
                self.assertEqual(len(re.findall(r"(?m)^ {6}0x", text)), number)
                self.assertEqual(re.findall(r"and (\d+) more", text), [str(more)] * bool(more))


class Statuses(unittest.TestCase):
    def test_one_meaning(self):
        """In all commands, and in the docs."""
        meanings = {}
        for name in re.findall(r"(?m)^  ([a-z]+(?: [a-z]+)?)  ", run("help").stdout.decode()):
            text = help_of(*name.split()).split("Exit status:\n")[1].split("\n\n")[0]
            for status, meaning in re.findall(r"(?m)^  (\d+) +(.*)", text):
                if int(status) > 1:
                    self.assertEqual(meanings.setdefault(status, meaning), meaning, name)
        self.assertGreater(len(meanings), 15)
        docs = Path(__file__).resolve().parents[2] / "docs" / "inspecting.md"
        rows = re.findall(r"(?m)^\| (\d+) \| (.*) \|$", docs.read_text())
        self.assertEqual({row: text for row, text in rows if int(row) > 1}, meanings)

    def commands_on(self, target, folder):
        return {"inspect": ("inspect", target), "top": ("top", "-b", "-n", "1", target),
                "record": ("record", target, "-o", Path(folder) / "x"),
                "export": ("export", "--listen", "127.0.0.1:0", target)}

    def check_all(self, target, statuses):
        """A number is the status of all commands."""
        with scratch() as folder:
            for name, words in self.commands_on(target, folder).items():
                expected = statuses if isinstance(statuses, int) else statuses[name]
                with self.subTest(target=target, command=name):
                    done = run(*words)
                    self.assertEqual(done.returncode, expected, done.stderr)
                    self.assertEqual((done.stdout, done.stderr.count(b"\n")), (b"", 1))
            self.assertEqual(list(Path(folder).iterdir()), [])

    def test_the_same_error(self):
        gone = subprocess.Popen(["true"])
        gone.wait()
        for pid in gone.pid, 0, 4194305, "9" * 30:
            self.check_all(pid, NO_PROCESS)
        self.check_all("word", {"inspect": NO_INPUT, "top": USAGE, "record": USAGE,
                                "export": USAGE})
        self.check_all("", {"inspect": NO_INPUT, "top": USAGE, "record": USAGE, "export": USAGE})
        with subprocess.Popen(["true"]) as zombie:
            os.waitid(os.P_PID, zombie.pid, os.WEXITED | os.WNOWAIT)
            self.check_all(zombie.pid, ENDED)

    def test_files(self):
        with scratch() as folder:
            text, out = Path(folder) / "text", Path(folder) / "x.html"
            text.write_text("x\n")
            for path, status in ((Path(folder) / "none", NO_INPUT), (text, BAD_INPUT)):
                for words in (("inspect", path), ("report", path, "-o", out),
                              ("profile", path, "-o", out)):
                    done = run(*words)
                    self.assertEqual((done.returncode, done.stderr.count(b"\n")), (status, 1),
                                     (words, done))

    def test_full_disk(self):
        """If a part of the answer is missing, a line says so."""
        with open("/dev/full", "wb") as full, Program(LEAKY, LIBRARY, LISTS) as program:
            for words in (["--version"], ["help"], *([name, "--help"] for name in COMMANDS),
                          ["help", "inspect"], ["top", "-b", "-n", "1", program.pid],
                          ["top", "-b", "-n", "1"], ["inspect", program.pid, "map"],
                          ["record", program.pid, "-n", "1", "-o", "-"],
                          ["export", "--listen", "127.0.0.1:0", program.pid]):
                done = subprocess.run([USERMM, *map(str, words)], stdout=full, timeout=60,
                                      stderr=subprocess.PIPE)
                self.assertEqual((done.returncode, done.stderr.count(b"\n")), (NO_OUTPUT, 1),
                                 (words, done))

    def test_signals(self):
        with scratch() as folder, Program(LEAKY, LIBRARY, LISTS) as program:
            for words, number in itertools.product(
                    (["top", "-b", "-d", "600", program.pid], ["top", "-b", "-d", "600"],
                     ["export", "--listen", "127.0.0.1:0", program.pid],
                     ["record", program.pid, "-i", "600", "-o", "-"]),
                    (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)):
                with self.subTest(words=words, signal=number):
                    done = subprocess.Popen([USERMM, *map(str, words)], stdout=subprocess.PIPE,
                                            stderr=subprocess.PIPE, cwd=folder)
                    self.assertTrue(done.stdout.readline())
                    done.send_signal(number)
                    said = done.communicate(timeout=20)[1]
                    self.assertEqual((done.returncode, said), (0, b""))


class Names(unittest.TestCase):
    @contextlib.contextmanager
    def named(self):
        """A process whose comm and whose file have the name."""
        with scratch() as folder:
            path = shutil.copy(LEAKY.encode(), os.path.join(folder.encode(), NAME))
            with Program(path, LIBRARY, LISTS) as program:
                yield program

    def check_text(self, text):
        self.assertEqual(BAD_BYTES.findall(text.replace(b"\n", b"")), [], text)
        self.assertIn(ESCAPED, text.decode())

    def test_texts(self):
        with self.named() as program:
            for words in (["inspect", program.pid], ["top", "-b", "-n", "1"],
                          ["top", "-b", "-n", "1", program.pid]):
                self.check_text(run(*words).stdout)

    def test_json(self):
        with self.named() as program:
            for words in (["inspect", program.pid, "--json"], ["top", "--json", "-n", "1"],
                          ["record", program.pid, "-n", "1", "-o", "-"]):
                text = run(*words).stdout
                self.assertNotRegex(text, rb"[\x00-\x09\x0b-\x1f\x7f]")
                for line in text.decode().splitlines():     # UTF-8
                    json.loads(line)

    def test_messages(self):
        with scratch() as folder:
            path = os.path.join(folder.encode(), NAME)
            for words in (["inspect", path], ["profile", path], ["report", path, "-o", "-"],
                          ["top", path], ["export", path], ["record", path, "-o", "x"],
                          ["inspect", "1", NAME], ["top", "--sort", NAME], [NAME]):
                done = subprocess.run([USERMM, *words], capture_output=True, timeout=60)
                self.assertEqual(done.stderr.count(b"\n"), 1, done)
                self.check_text(done.stderr)

    def test_page(self):
        with scratch() as folder, self.named() as program:
            record, page = Path(folder) / "<b>.record", Path(folder) / "x.html"
            self.assertEqual(run("record", program.pid, "-n", "2", "-i", "0.05", "-o",
                                 record).returncode, 0)
            done = subprocess.run([USERMM, "report", NAME + b"=" + bytes(record), record, "-o",
                                   page, "--title", NAME], capture_output=True, timeout=60)
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            text = page.read_bytes().decode()   # UTF-8
            self.assertIn(f"<h1>{html.escape(ESCAPED, quote=True)}</h1>", text)
            self.assertNotIn("<b>", text.split("<script>")[0].split("</style>")[1])

    def test_prometheus(self):
        with self.named() as program:
            server = subprocess.Popen([USERMM, "export", "--listen", "127.0.0.1:0",
                                       str(program.pid)], stdout=subprocess.PIPE)
            port = int(re.search(rb":(\d+)/", server.stdout.readline())[1])
            with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
                connection.sendall(b"GET /metrics HTTP/1.1\r\n\r\n")
                text = b""
                while more := connection.recv(65536):
                    text += more
            server.kill()
            server.communicate()
        label = ESCAPED.replace("\\", "\\\\").replace('"', '\\"')
        body = text.split(b"\r\n\r\n", 1)[1]
        self.assertIn(f'command="{label}"', body.decode())
        self.assertNotRegex(body, rb"[\x00-\x09\x0b-\x1f\x7f]")


if __name__ == "__main__":
    unittest.main()
