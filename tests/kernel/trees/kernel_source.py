# SPDX-License-Identifier: MIT
"""Parts of Debian's kernel source, for tests that compile them: they are no part of usermm."""
import fcntl
import os
import subprocess
import sys
import tarfile
from pathlib import Path

PACKAGE = "linux-source-6.12"


def need_archive(archive):
    if not archive.is_file():
        sys.exit(f"{archive} is not there: install the package {PACKAGE}")


def need_header(compiler, header, package):
    found = subprocess.run([*compiler, "-E", "-x", "c", "-"], input=f"#include <{header}>\n",
                           text=True, capture_output=True)
    if found.returncode:
        sys.exit(f"{header} is not there: install the package {package}")


def wanted(name, folders):
    return any(name.startswith(folder) for folder in folders)


def unpack(archive, build, folders):
    """The folder that holds these folders and files of the archive.

    One for each archive, since upgrades keep its name; and for whoever comes first, while
    others wait. A folder that is there is complete: it is unpacked elsewhere, and then renamed.
    """
    need_archive(archive)
    source = archive.stat()
    target = build / f"{archive.name}-{source.st_size}-{int(source.st_mtime)}"
    build.mkdir(parents=True, exist_ok=True)
    with open(build / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not all((target / folder).exists() for folder in folders):
            unfinished = target.with_name(f"{target.name}.{os.getpid()}")
            extract(archive, unfinished, folders)
            subprocess.run(["rm", "-rf", str(target)], check=True)
            unfinished.rename(target)
    return target


def extract(archive, target, folders):
    with tarfile.open(archive) as tar:
        for member in tar:
            name = member.name.partition("/")[2]
            if not wanted(name, folders):
                continue
            member.name = name
            tar.extract(member, target)
    missing = [folder for folder in folders if not (target / folder).exists()]
    if missing:
        sys.exit(f"{archive} lacks {', '.join(missing)}")
