#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the archive of the sources, and recipes that build usermm from it.

    make_dist.py [--out FOLDER] [--url URL]

URL is the folder from which others will fetch the archive. Without it the recipes name the file
here. In a checkout the archive has the files that git knows, as they are; elsewhere all but build/.
"""
import argparse
import gzip
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
# In the recipes these words stand for what is known when the archive is made.
TEMPLATES = ("conan/conandata.yml", "vcpkg/portfile.cmake", "vcpkg/vcpkg.json")


def project_version():
    text = (ROOT / "CMakeLists.txt").read_text()
    return re.search(r"^project\(usermm VERSION ([0-9.]+)", text, re.M)[1]


def files():
    """Paths below ROOT, sorted."""
    git = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z", "--cached"],
                         capture_output=True)
    if git.returncode == 0 and (ROOT / ".git").exists():
        names = [os.fsdecode(name) for name in git.stdout.split(b"\0") if name]
    else:
        names = [str(path.relative_to(ROOT)) for path in ROOT.rglob("*")
                 if path.is_symlink() or path.is_file()]
        names = [name for name in names
                 if not name.startswith("build/") and "__pycache__" not in name]
    return sorted(name for name in names if os.path.lexists(ROOT / name))


def time_of_sources():
    """That of the last commit; SOURCE_DATE_EPOCH goes first."""
    if "SOURCE_DATE_EPOCH" in os.environ:
        return int(os.environ["SOURCE_DATE_EPOCH"])
    git = subprocess.run(["git", "-C", str(ROOT), "log", "-1", "--format=%ct"], text=True,
                         capture_output=True)
    return int(git.stdout) if git.returncode == 0 and git.stdout else 0


def write_archive(path, folder):
    when = time_of_sources()

    def plain(entry):
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = "root"
        entry.mtime = when
        entry.mode = 0o755 if entry.mode & 0o100 else 0o644
        return entry

    with open(path, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=when) as packed, \
            tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name in files():
            archive.add(ROOT / name, f"{folder}/{name}", recursive=False, filter=plain)


def write_recipes(out, known):
    for name in ("conan", "vcpkg"):
        target = out / name / "usermm" if name == "vcpkg" else out / name
        shutil.rmtree(out / name, ignore_errors=True)
        shutil.copytree(HERE / name, target, ignore=shutil.ignore_patterns("__pycache__"))
        for template in TEMPLATES:
            if template.startswith(name):
                file = target / Path(template).name
                text = file.read_text()
                for word, value in known.items():
                    text = text.replace(f"@{word}@", value)
                file.write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "dist")
    parser.add_argument("--url")
    args = parser.parse_args()
    out = args.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    version = project_version()
    folder = f"usermm-{version}"
    archive = out / f"{folder}.tar.gz"
    write_archive(archive, folder)
    content = archive.read_bytes()
    write_recipes(out, {
        "VERSION": version,
        "URL": f"{(args.url or out.as_uri()).rstrip('/')}/{archive.name}",
        "SHA256": hashlib.sha256(content).hexdigest(),
        "SHA512": hashlib.sha512(content).hexdigest(),
    })
    print(archive)


if __name__ == "__main__":
    sys.exit(main())
