#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Files of Debian's packages for arm64, on a machine of another kind.

    debian_arm64.py FOLDER PACKAGE...

unpacks the packages, without what they depend on, into FOLDER, if it is not there.
apt fetches them from the system's own mirror. It gets lists and state of its own, in
FOLDER.apt, so the system's are left alone.
"""
import os
import re
import subprocess
import sys
from pathlib import Path


def call(*argv, **kwargs):
    return subprocess.run(argv, check=True, text=True, stdout=subprocess.PIPE, **kwargs).stdout


class Apt:
    """apt for another architecture, with everything that it writes in one place."""

    def __init__(self, place):
        self.place = place
        for name in ("state/lists/partial", "cache/archives/partial"):
            (place / name).mkdir(parents=True, exist_ok=True)
        (place / "state/status").touch()
        self.environment = dict(os.environ, APT_CONFIG=str(place / "apt.conf"))
        (place / "apt.conf").write_text(
            'APT::Architecture "arm64";\n'
            'APT::Architectures { "arm64"; };\n'
            'APT::Sandbox::User "root";\n'
            f'Dir::State "{place}/state";\n'
            f'Dir::State::status "{place}/state/status";\n'
            f'Dir::Cache "{place}/cache";\n'
            f'Dir::Etc::sourcelist "{place}/sources.list";\n'
            'Dir::Etc::sourceparts "/dev/null";\n')
        # The mirror and the release of this system, and that release's backports.
        targets = call("apt-get", "indextargets", "--format", "$(REPO_URI) $(CODENAME)",
                       "Label: Debian", "Component: main", "Created-By: Packages")
        mirror, release = next(line.split() for line in targets.splitlines()
                               if "-" not in line.split()[1])
        self.backports = f"{release}-backports"
        (place / "sources.list").write_text("".join(
            f"deb {mirror} {suite} main\n" for suite in (release, self.backports)))
        self("apt-get update -qq")

    def __call__(self, command, *argv):
        return call(*command.split(), *argv, env=self.environment, cwd=self.place)

    def fetch(self, package, suite=None):
        """Downloads the package; answers its file."""
        target = ["-t", suite] if suite else []
        name = self("apt-get download --print-uris -qq", *target, package).split()[1]
        self("apt-get download -q", *target, package)
        return self.place / name

    def newest_kernel(self):
        """The package that linux-image-arm64 stands for."""
        depends = self("apt-cache depends -t", self.backports, "linux-image-arm64")
        return re.search(r"Depends: (linux-image-\S+)", depends).group(1)


def unpack(package, pattern, to):
    """The package's file that matches goes to `to`."""
    files = subprocess.Popen(["dpkg-deb", "--fsys-tarfile", package], stdout=subprocess.PIPE)
    with open(to, "wb") as out:
        subprocess.run(["tar", "-xO", "--wildcards", pattern], stdin=files.stdout, stdout=out,
                       check=True)
    files.wait()
    to.chmod(0o755)


def main():
    folder, packages = Path(sys.argv[1]).resolve(), sys.argv[2:]
    if folder.exists():
        return
    apt = Apt(folder.with_name(folder.name + ".apt"))
    unfinished = folder.with_name(folder.name + ".new")
    for package in packages:
        call("dpkg-deb", "--extract", str(apt.fetch(package)), str(unfinished))
    unfinished.rename(folder)


if __name__ == "__main__":
    main()
