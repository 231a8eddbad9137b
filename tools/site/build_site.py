#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the documentation's site.

    build_site.py MAN_PAGES FOLDER [MKDOCS]

MAN_PAGES: what the build has made (build/pages). FOLDER gets the site (html/) and what it is made
of (source/). MKDOCS: the program, if it is another one than mkdocs. Needs mandoc.
"""
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
LINK = re.compile(r"\]\(([^)#\s]+)")
FENCE = re.compile(r"(?ms)^```.*?^```$")
# Pages in the order of the site's navigation; what is missing here comes last, in its folder's
# order.
NAVIGATION = {
    "Start": ["README.md", "docs/building.md", "docs/linking.md", "docs/limits.md"],
    "Guides": ["docs/tuning.md", "docs/programs.md", "docs/deploying.md", "docs/migrating.md",
               "docs/options.md", "examples/prometheus/README.md"],
    "Languages": ["docs/bindings.md", "docs/rust.md"],
    "Finding out": ["docs/heap-profile.md", "docs/inspecting.md", "docs/statistics.md",
                    "docs/reports.md", "docs/finding-mistakes.md", "docs/misuse.md"],
    "Kernel code": ["docs/kernel-code.md", "docs/kernel-headers.md", "docs/kernel-trees.md",
                    "docs/kernel-tests.md", "docs/linux-differences.md"],
    "Inside": ["docs/design.md", "docs/page.md", "docs/slab.md", "docs/percpu.md", "docs/malloc.md",
               "docs/environment.md", "docs/reliability.md", "docs/benchmarks.md",
               "docs/glossary.md"],
}
SECTIONS = {"1": "Commands", "3usermm": "Calls, by header", "7": "Options"}


def linked_files(page):
    """The project's files that a page links to."""
    for link in LINK.findall(FENCE.sub("", page.read_text())):
        target = (page.parent / link).resolve()
        if not re.match(r"[a-z]+:", link) and target.is_file() and ROOT in target.parents:
            yield target


def gather(source):
    """Copies the pages, and what they link to, each to its own place. Returns the pages."""
    wanted = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/**/*.md"))]
    done = []
    while wanted:
        path = wanted.pop()
        if path in done:
            continue
        done.append(path)
        if path.suffix == ".md":
            wanted += linked_files(path)
        copy = source / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
    return sorted(path.relative_to(ROOT).as_posix() for path in done if path.suffix == ".md")


# --- The reference -----------------------------------------------------------------------------

def names_and_summary(page):
    """What a man page describes: its names, and one line."""
    text = re.search(r"(?ms)^\.SH \"?NAME\"?\n(.*?)^\.", page.read_text())[1]
    text = " ".join(text.split()).replace("\\(aq", "'")
    names, _, summary = text.partition(" \\- ")
    return [name.strip() for name in names.split(",")], summary.replace("\\-", "-").replace(
        "\\&", "")


def write_man_page(page, folder):
    """One man page as a page of the site. Returns its file's name and its line in the index."""
    done = subprocess.run(["mandoc", "-T", "html", "-O", "fragment,man=%N.%S.html", page],
                          capture_output=True, text=True, check=True)
    body = re.sub(r'(?s)<table class="(head|foot)">.*?</table>\n?', "", done.stdout)
    # Pages that are not the project's have no page here.
    body = re.sub(r'<a class="Xr" href="([^"]+)">(.*?)</a>',
                  lambda match: match[0] if (page.parents[1] / man_path(match[1])).exists() else
                  match[2], body)
    name, section = page.name.split(".")
    file = folder / f"{page.name}.md"
    file.write_text(f"# {name.replace('usermm-', 'usermm ') if section == '1' else name}\n\n"
                    f"{body}\n")
    return file.name


def man_path(link):
    """"usermm-run.1.html" is man1/usermm-run.1."""
    page = link.removesuffix(".html")
    return f"man{page.split('.')[1][:1]}/{page}"


def is_alias(page):
    return page.read_text().startswith(".so ")


def write_reference(man_pages, folder):
    """Pages for commands, headers and options, and an index. Returns their paths in the site."""
    folder.mkdir(parents=True)
    lines, files, calls = ["# Reference", ""], ["reference/index.md"], {}
    for section, title in SECTIONS.items():
        lines += [f"## {title}", "", "| page | what it is |", "|---|---|"]
        pages = sorted(page for page in man_pages.glob(f"man*/*.{section}") if not is_alias(page))
        if not pages:
            sys.exit(f"{man_pages}: no page of section {section}; build the target usermm_man")
        for page in pages:
            file = write_man_page(page, folder)
            names, summary = names_and_summary(page)
            lines.append(f"| [{page.name.split('.')[0]}]({file}) | {summary} |")
            files.append(f"reference/{file}")
            calls.update((name, file) for name in names[1:] if section == "3usermm")
        lines.append("")
    lines += ["## All calls", "", " · ".join(f"[`{name}`]({file})" for name, file in
                                             sorted(calls.items())), ""]
    (folder / "index.md").write_text("\n".join(lines))
    return files


# --- The site ----------------------------------------------------------------------------------

def navigation(pages, reference):
    """MkDocs' nav: the tables above, then all other pages."""
    nav = [{title: [page for page in row if page in pages]} for title, row in NAVIGATION.items()]
    missing = [page for row in NAVIGATION.values() for page in row if page not in pages]
    if missing:
        sys.exit(f"{HERE / 'build_site.py'}: NAVIGATION has pages that are not there: {missing}")
    used = {page for row in NAVIGATION.values() for page in row}
    notes = [page for page in pages if page not in used]
    return [*nav, {"Reference": reference}, {"Contributing": notes}]


def configure(folder, nav):
    """mkdocs.yml with what depends on the place. JSON is YAML."""
    text = (HERE / "mkdocs.yml").read_text()
    for key, value in (("docs_dir", str(folder / "source")), ("site_dir", str(folder / "html")),
                       ("nav", nav)):
        text += f"{key}: {json.dumps(value)}\n"
    (folder / "mkdocs.yml").write_text(text)
    return folder / "mkdocs.yml"


def main():
    man_pages, folder = (Path(word).resolve() for word in sys.argv[1:3])
    mkdocs = sys.argv[3] if len(sys.argv) > 3 else "mkdocs"
    for name in ("source", "html"):
        shutil.rmtree(folder / name, ignore_errors=True)
    (folder / "source").mkdir(parents=True)
    pages = gather(folder / "source")
    reference = write_reference(man_pages, folder / "source" / "reference")
    shutil.copyfile(HERE / "site.css", folder / "source" / "site.css")
    config = configure(folder, navigation(pages, reference))
    # The theme advertises another program.
    done = subprocess.run([mkdocs, "build", "--quiet", "--config-file", config],
                          env=os.environ | {"NO_MKDOCS_2_WARNING": "1"})
    if not done.returncode:
        print(f"build_site: {len(pages) + len(reference)} pages in {folder / 'html'}")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
