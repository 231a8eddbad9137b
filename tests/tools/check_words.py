#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Are the words of comments and docs those that a stranger understands?

    check_words.py [ROOT]

1. Names that were replaced do not come back, as a file's name or as a word of the sources: RETIRED
   has each with the one in its place.
2. No sentence of a comment or a page opens with "Of", "The same" or "What is": its subject would
   be in another sentence. A question may open so, and a heading: "4. Who may touch what."

Each offence is one line: FILE:LINE, which rule is broken, what to do. The exit status is then 1.
"""
import re
import sys
from pathlib import Path

TREES = ("src", "include/usermm", "kernel", "tools", "docs", "bench")
SUFFIXES = {".c", ".cc", ".h", ".S", ".def", ".py", ".md"}
# In files' names and in identifiers.
RETIRED = {
    "malloc_slower": "malloc_dispatch", "alloc_slower": "slab_alloc_dispatch",
    "pcp_spill": "pcp_free_slow", "large_are_freed_in_turns": "mapped_churn_is_high",
    "lock_acquire_in_order": "lock_acquire_unless_handler", "release_go_on": "decay_tick",
    "own_freelist": "the cache's cpu_ops",
}
# In files' names below src/.
RETIRED_FILES = {
    "alone": "sandbox", "odd": "checked_blocks", "grown": "realloc", "empty": "zero_size",
    "room": "sheaf_size", "barns": "barn_budget", "node": "partial", "return": "slab_free",
    "link": "freeptr", "marks": "free_mark", "where": "symbolize", "kernels": "known_bugs",
    "halves": "generations", "guard": "kfence", "fault": "segv_handler or fault_inject",
}
OPENINGS = re.compile(r"(?:Of (?!course)[a-z]|The same\b|What is\b)")
COMMENT = re.compile(r"/\*(.*?)\*/|//([^\n]*(?:\n\s*//[^\n]*)*)", re.DOTALL)
SENTENCE = re.compile(r"(?:^|(?<=[.!?:])\s+|\n\s*\n\s*|\|\s*)((?:[^.!?|]|[.!?](?!\s|$))+[.!?]?)",
                      re.MULTILINE)
NAME = re.compile(rf"\b({'|'.join(RETIRED)})\b")
FENCE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)


def blank(match):
    return re.sub(r"[^\n]", " ", match.group())


def texts(path):
    """Yields (offset, prose) of the file's comments, or of the page."""
    text = path.read_text()
    if path.suffix == ".md":
        yield 0, FENCE.sub(blank, text)
    elif path.suffix == ".py":
        for match in re.finditer(r'"""(.*?)"""|(?<=\n)\s*# ([^\n]*)', text, re.DOTALL):
            group = 1 if match.group(1) is not None else 2
            yield match.start(group), match.group(group)
    else:
        for match in COMMENT.finditer(text):
            group = 1 if match.group(1) is not None else 2
            yield match.start(group), re.sub(r"(?m)^\s*(?:\*|//)", blank, match.group(group))


def check_prose(path):
    text = path.read_text()
    for offset, prose in texts(path):
        for match in SENTENCE.finditer(prose):
            sentence = match.group(1).lstrip(" *\t\n")
            if OPENINGS.match(sentence) and not sentence.rstrip().endswith("?"):
                start = offset + match.end(1) - len(match.group(1).lstrip(" *\t\n"))
                words = " ".join(sentence.split()[:4])
                yield (text.count("\n", 0, start) + 1,
                       f'a sentence opens with "{words} ..."; say the subject first')


def check_names(path):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        for match in NAME.finditer(line):
            yield number, f"{match.group(1)} was replaced; write {RETIRED[match.group(1)]}"


def check(root):
    """Yields (FILE:LINE, message) of each offence."""
    for path in sources(root):
        name = path.relative_to(root).as_posix()
        if name.startswith("src/") and path.stem in RETIRED_FILES:
            yield f"{name}:1", f"this name was replaced; call it {RETIRED_FILES[path.stem]}"
        for number, message in [*check_names(path), *check_prose(path)]:
            yield f"{name}:{number}", message


def sources(root):
    return sorted(path for tree in TREES for path in (root / tree).rglob("*")
                  if path.suffix in SUFFIXES and not {"rust", "target"} <= set(path.parts))


def main():
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2]
    offences = list(check(root))
    for place, message in offences:
        print(f"{place}: {message}")
    number = len(sources(root))
    print(f"check_words: {number} files, {len(offences)} offences")
    return 1 if offences or not number else 0


if __name__ == "__main__":
    sys.exit(main())
