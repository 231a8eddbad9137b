#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does check_site.py see what is wrong with a site, and does build_site.py find all pages?"""
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ROOT / "tools" / "site"
sys.path.insert(0, str(TOOLS))
import build_site  # noqa: E402

GOOD = {
    "index.html": '<a href="a/b.html#here">b</a><a href="#top">t</a><h1 id="top">1</h1>'
                  '<link href="style.css"><a href="https://other.invalid/x">elsewhere</a>',
    "a/b.html": '<h1 id="here">2</h1><a href="../index.html">1</a><a href="../">1</a>',
    "style.css": "a { background: url(data:image/png;base64,AAAA); }",
}


class Check(unittest.TestCase):
    def check(self, **changes):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (GOOD | {name.replace("__", "/").replace("_html", ".html").replace(
                    "_css", ".css"): text for name, text in changes.items()}).items():
                path = Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            done = subprocess.run([sys.executable, TOOLS / "check_site.py", folder],
                                  capture_output=True, text=True)
        return done.returncode, done.stdout.splitlines()[:-1]

    def test_a_good_site(self):
        self.assertEqual(self.check(), (0, []))

    def test_offences(self):
        start = GOOD["index.html"]
        for page, offence in ((start + '<a href="c.html">', "there is no c.html"),
                              (start + '<a href="a/b.html#no">', "a/b.html#no has no such anchor"),
                              (start + '<a href="#no">', "#no has no such anchor"),
                              (start + '<img src="c.png">', "there is no c.png"),
                              (start + '<a href="../../etc/../etc/passwd">', None),
                              (start + '<script src="https://other.invalid/x.js">',
                               "fetches https://other.invalid/x.js"),
                              (start + '<img src="//other.invalid/x.png">',
                               "fetches //other.invalid/x.png")):
            status, lines = self.check(index_html=page)
            self.assertEqual((status, len(lines)), (1, 1), lines)
            if offence:
                self.assertEqual(lines, [f"index.html: {offence}"])
        self.assertEqual(self.check(c_html="<p>"), (1, ["c.html: no page leads here"]))
        self.assertEqual(self.check(style_css="@font-face { src: url('https://other.invalid/f') }"),
                         (1, ["style.css: fetches https://other.invalid/f"]))


class Build(unittest.TestCase):
    def test_all_pages_have_a_place(self):
        with tempfile.TemporaryDirectory() as folder:
            pages = build_site.gather(Path(folder))
            self.assertTrue({"README.md", "CONTRIBUTING.md", "docs/design.md"} <= set(pages))
            for page in pages:
                self.assertTrue(Path(folder, page).exists())
                for link in re.findall(r"\]\(([^)#:\s]+)[)#]", build_site.FENCE.sub(
                        "", Path(folder, page).read_text())):
                    self.assertTrue(Path(folder, page).parent.joinpath(link).exists(), link)
            nav = build_site.navigation(pages, ["reference/index.md"])
            placed = [page for section in nav for row in section.values() for page in row]
            self.assertEqual(sorted(placed), sorted([*pages, "reference/index.md"]))

    def test_names_of_a_man_page(self):
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder, "x.3usermm")
            page.write_text(".TH X 3\n.SH NAME\nheap, heap_create,\nheap_free\n\\- one\\-line\n"
                            ".SH \"SYNOPSIS\"\n")
            self.assertEqual(build_site.names_and_summary(page),
                             (["heap", "heap_create", "heap_free"], "one-line"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
