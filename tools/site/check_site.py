#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks a finished site.

    check_site.py FOLDER

1. Each link leads to a file of the site, and each anchor to an element of it.
2. From the first page every page can be reached.
3. No page fetches anything from elsewhere: scripts, styles, pictures, fonts.

Each offence is one line, FILE: what is wrong; the exit status is 1 then.
"""
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

# Elements whose address is fetched as soon as the page is shown.
FETCHED = {("script", "src"), ("img", "src"), ("iframe", "src"), ("source", "src"),
           ("link", "href"), ("object", "data")}
# The page for an address that does not exist. Its links are not checked: they depend on where the
# site will be.
LEFT_OUT = {"404.html"}


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.links, self.fetched, self.anchors = [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name in ("id", "name") and value and tag != "meta":
                self.anchors.add(value)
            elif (tag, name) in FETCHED:
                self.fetched.append(value or "")
            elif name == "href":
                self.links.append(value or "")



def check_link(folder, pages, path, link):
    """(the page that it leads to, or None; what is wrong, or None)."""
    if re.match(r"[a-z][a-z+.-]*:|//", link):
        return None, None
    name, _, anchor = link.partition("#")
    target = (path.parent / unquote(name.split("?")[0])).resolve() if name else path
    if target.is_dir():
        target /= "index.html"
    if not target.exists():
        return None, f"there is no {link}"
    if folder not in target.parents:
        return None, f"{link} is outside of the site"
    if anchor and target in pages and unquote(anchor) not in pages[target].anchors:
        return target, f"{link} has no such anchor"
    return target, None


def check_page(folder, pages, path):
    """(pages that it leads to; what is wrong with it)."""
    page, targets, wrong = pages[path], set(), []
    for link in page.links + page.fetched:
        target, offence = check_link(folder, pages, path, link)
        if target in pages:
            targets.add(target)
        if offence:
            wrong.append(offence)
    wrong += [f"fetches {link}" for link in page.fetched if re.match(r"([a-z]+:)?//", link)]
    return targets, wrong


def main():
    folder = Path(sys.argv[1]).resolve()
    pages = {path: Page(path.read_text()) for path in sorted(folder.rglob("*.html"))
             if path.name not in LEFT_OUT}
    start = folder / "index.html"
    if start not in pages:
        sys.exit(f"{folder}: no index.html")
    reached, wanted, offences = set(), [start], []
    targets = {}
    for path in pages:
        targets[path], wrong = check_page(folder, pages, path)
        offences += [f"{path.relative_to(folder)}: {what}" for what in wrong]
    while wanted:
        path = wanted.pop()
        if path not in reached:
            reached.add(path)
            wanted += targets[path]
    offences += [f"{path.relative_to(folder)}: no page leads here" for path in pages
                 if path not in reached]
    for style in sorted(folder.rglob("*.css")):
        offences += [f"{style.relative_to(folder)}: fetches {link}" for link in
                     re.findall(r"url\([\"']?((?:https?:)?//[^)\"']+)", style.read_text())]
    print("\n".join(offences + [f"check_site: {len(pages)} pages, {len(offences)} offences"]))
    return 1 if offences else 0


if __name__ == "__main__":
    sys.exit(main())
