# SPDX-License-Identifier: MIT
"""Files of Debian's packages for a machine, which may be of another kind than this one.

apt fetches them from the system's own mirror. It gets lists and state of its own, so the
system's are left alone.
"""
import os
import re
import subprocess


def call(*argv, **kwargs):
    return subprocess.run(argv, check=True, text=True, stdout=subprocess.PIPE, **kwargs).stdout


def mirror_and_release():
    """The address of Debian's mirror, and the release, of the system that this runs on."""
    targets = call("apt-get", "indextargets", "--format", "$(REPO_URI) $(CODENAME)",
                   "Label: Debian", "Component: main", "Created-By: Packages")
    return next(line.split() for line in targets.splitlines() if "-" not in line.split()[1])


class Apt:
    """apt for an architecture, with everything that it writes in one place."""

    def __init__(self, place, architecture, suites=None):
        """suites: of Debian; without them the release that this runs on, and its backports."""
        self.place = place
        for name in ("state/lists/partial", "cache/archives/partial"):
            (place / name).mkdir(parents=True, exist_ok=True)
        (place / "state/status").touch()
        self.environment = dict(os.environ, APT_CONFIG=str(place / "apt.conf"))
        (place / "apt.conf").write_text(
            f'APT::Architecture "{architecture}";\n'
            f'APT::Architectures {{ "{architecture}"; }};\n'
            'APT::Sandbox::User "root";\n'
            f'Dir::State "{place}/state";\n'
            f'Dir::State::status "{place}/state/status";\n'
            f'Dir::Cache "{place}/cache";\n'
            f'Dir::Etc::sourcelist "{place}/sources.list";\n'
            'Dir::Etc::sourceparts "/dev/null";\n')
        mirror, release = mirror_and_release()
        self.suites = suites or [release, f"{release}-backports"]
        (place / "sources.list").write_text("".join(
            f"deb {mirror} {suite} main\n" for suite in self.suites))
        self("apt-get update -qq")

    def __call__(self, command, *argv):
        return call(*command.split(), *argv, env=self.environment, cwd=self.place)

    def fetch(self, package, suite=None):
        """Downloads the package; answers its file."""
        target = ["-t", suite] if suite else []
        name = self("apt-get download --print-uris -qq", *target, package).split()[1]
        self("apt-get download -q", *target, package)
        return self.place / name

    def newest_kernel(self, kind, suite):
        """The package with a kernel that the suite's linux-image-KIND depends on."""
        depends = self("apt-cache depends -t", suite, f"linux-image-{kind}")
        return re.search(r"Depends: (linux-image-\S+)", depends).group(1)

    def fetch_kernel(self, package, to):
        """Writes the kernel image of the package linux-image-VERSION to `to`.

        It is in the package itself, in /boot, or from 6.19 on in the linux-binary-VERSION that
        the package depends on, in /usr/lib/modules/VERSION.
        """
        binary = re.search(r"Depends: (linux-binary-\S+)", self("apt-cache depends", package))
        unpack(self.fetch(binary.group(1) if binary else package), "*/vmlinu[xz]*", to)


def unpack(package, pattern, to):
    """The package's file that matches goes to `to`, once it is whole."""
    unfinished = to.with_name(to.name + ".new")
    files = subprocess.Popen(["dpkg-deb", "--fsys-tarfile", package], stdout=subprocess.PIPE)
    with open(unfinished, "wb") as out:
        subprocess.run(["tar", "-xO", "--wildcards", pattern], stdin=files.stdout, stdout=out,
                       check=True)
    files.wait()
    unfinished.chmod(0o755)
    unfinished.rename(to)
