#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds all programs of this folder, each by the command in its first comment.

    build_floors.py FOLDER
"""
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def command_of(source):
    """The compiler's words, without those in brackets, which a machine may lack."""
    found = re.search(r"^ \* usage: (cc .*?)(?: &&.*)?$", source.read_text(), re.MULTILINE)
    if not found:
        sys.exit(f"build_floors: {source.name} has no line 'usage: cc ...' in its first comment")
    words = [word for word in shlex.split(found[1]) if not word.startswith("[")]
    return [os.environ.get("CC", "cc"), *(source if word == source.name else word
                                          for word in words[1:])]


def build(folder):
    """Answers {source: the file that is built}."""
    folder.mkdir(parents=True, exist_ok=True)
    built = {}
    for source in sorted(HERE.glob("*.c")):
        command = command_of(source)
        try:
            subprocess.run(command, cwd=folder, check=True)
        except FileNotFoundError:
            sys.exit(f"build_floors: there is no compiler {command[0]}; set CC")
        except subprocess.CalledProcessError:
            sys.exit(f"build_floors: {command[0]} did not build {source.name}; it says why above")
        built[source] = folder / command[command.index("-o") + 1]
    return built


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: build_floors.py FOLDER")
    for file in build(Path(sys.argv[1])).values():
        print(file)
