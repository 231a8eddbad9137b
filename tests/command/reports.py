# SPDX-License-Identifier: MIT
"""What tests of commands that write pages share. The scripts' first argument is usermm."""
import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from html.parser import HTMLParser
from pathlib import Path

USERMM = sys.argv[1]
BROWSER_FOLDER = Path(sys.argv[3]) if "--browser" in sys.argv else None
USAGE, NO_PROCESS, ENDED, NO_OUTPUT, NO_INPUT, BAD_INPUT = 2, 3, 9, 11, 12, 13
BROWSERS = ("chromium", "chromium-headless-shell", "google-chrome")


class Page(HTMLParser):
    """The tables of a page, and whether its elements end in order."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tables, self.links, self.figures, self.titles = [], [], [], 0, []
        self.cell = None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.links += [value for name, value in attrs if name in ("src", "href")]
        if tag in ("meta", "link", "input"):
            return
        # Cells and rows end where the next begins.
        while tag in ("td", "th", "tr") and self.open[-1] in ("td", "th"):
            self.open.pop()
        if tag == "tr" and self.open[-1] == "tr":
            self.open.pop()
        self.open.append(tag)
        self.figures += tag == "figure"
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append({"text": "", **attributes})
        elif tag == "figcaption":
            self.titles.append("")

    def handle_endtag(self, tag):
        while self.open and self.open[-1] in ("td", "th", "tr") and tag != self.open[-1]:
            self.open.pop()
        if not self.open or self.open.pop() != tag:
            raise ValueError(f"</{tag}> ends nothing")

    def handle_data(self, data):
        if self.open and self.open[-1] in ("td", "th"):
            self.tables[-1][-1][-1]["text"] += data.strip()
        elif self.open and self.open[-1] == "figcaption":
            self.titles[-1] += data.strip()

    def column(self, table, heading):
        index = [cell["text"] for cell in self.tables[table][0]].index(heading)
        return {row[0]["text"]: row[index] for row in self.tables[table][1:]}


class Case(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def write(self, name, content):
        path = self.folder / name
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content if isinstance(content, str) else json.dumps(content))
        return str(path)

    def start(self, *command):
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(process.wait)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stdin.close)
        self.addCleanup(process.kill)
        return process

    def run_tool(self, *words):
        return subprocess.run([USERMM, *words], text=True, errors="replace", capture_output=True,
                              timeout=60)

    def refused(self, status, pattern, *words):
        done = self.run_tool(*words)
        self.assertEqual((done.returncode, done.stdout), (status, ""), (words, done.stderr))
        self.assertRegex(done.stderr, pattern)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def report(self, *words):
        output = self.folder / "report.html"
        done = self.run_tool("report", *words, "-o", str(output))
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertEqual(list(self.folder.glob("*.partial")), [])
        return output.read_text()


class BrowserCase(Case):
    """Opens pages in a headless browser, if --browser FOLDER is given. FOLDER gets the pictures."""

    def setUp(self):
        super().setUp()
        self.browser = next(filter(None, map(shutil.which, BROWSERS)), None)
        if not BROWSER_FOLDER or not self.browser:
            self.skipTest("no browser")
        BROWSER_FOLDER.mkdir(parents=True, exist_ok=True)

    def open(self, page, *words):
        done = subprocess.run(
            [self.browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
             "--disable-dev-shm-usage", f"--user-data-dir={self.folder}/profile",
             "--host-resolver-rules=MAP * ~NOTFOUND", "--window-size=1400,2200",
             "--virtual-time-budget=3000", *words, page.as_uri()],
            text=True, errors="replace", capture_output=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def screenshot(self, page, name, *words):
        picture = BROWSER_FOLDER / f"{name}.png"
        picture.unlink(missing_ok=True)
        self.open(page, f"--screenshot={picture}", *words)
        self.assertGreater(picture.stat().st_size, 20000)
        return picture.read_bytes()

    def screenshots(self, page, name):
        """In light and dark, which differ."""
        light = self.screenshot(page, f"{name}-light")
        dark = self.screenshot(page, f"{name}-dark", "--blink-settings=preferredColorScheme=0")
        self.assertNotEqual(light, dark, name)
