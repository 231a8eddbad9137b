#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds the image of examples/docker/Dockerfile, and uses it.

    run_image.py [--build FOLDER]

No registry is asked: the image that the Dockerfile begins with is made by debootstrap, and has
its name. buildah builds, and runs commands in the image. apt in the image fetches packages, by the
settings that this system's apt has.

For root. The last line is "N passed, N failed". The exit status is 77, with a line that says why,
if there is no buildah or no debootstrap.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

from run_distros import SOURCE, Distro

DOCKERFILE = SOURCE / "examples/docker/Dockerfile"
IMAGE = "localhost/service-on-usermm"
SKIPPED = 77
RELEASES = {"12": "bookworm", "13": "trixie"}


class Buildah:
    """Calls of buildah with images and containers in a folder of their own."""

    def __init__(self, folder):
        self.options = ["--root", str(folder / "images"), "--runroot", str(folder / "state"),
                        "--storage-driver", "vfs"]

    def __call__(self, *argv):
        """What it says on stdout."""
        done = subprocess.run(["buildah", *self.options, *map(str, argv)], text=True,
                              capture_output=True)
        if done.returncode:
            raise AssertionError(f"buildah {argv}: status {done.returncode}\n"
                                 f"{done.stdout[-3000:]}{done.stderr[-3000:]}")
        return done.stdout

    def inside(self, container, script):
        return self("run", "--isolation", "chroot", "--network", "host", container, "--", "sh",
                    "-euc", script)


def make_base(buildah, folder, name):
    """The image that the Dockerfile names, from a system that debootstrap makes."""
    release = RELEASES[re.fullmatch(r"debian:(\d+)-slim", name)[1]]
    distro = Distro(release, folder / release, folder / f"{release}.log")
    distro.make([])
    distro.copy_apt_settings()
    shutil.rmtree(distro.root / "var/cache/apt/archives", ignore_errors=True)
    container = buildah("from", "scratch").strip()
    buildah("add", container, distro.root, "/")
    buildah("commit", "--rm", container, f"docker.io/library/{name}")


class Image(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.buildah = Buildah(FOLDER)
        for name in set(re.findall(r"(?m)^FROM (\S+)", DOCKERFILE.read_text())):
            make_base(cls.buildah, FOLDER, name)
        # The command of the Dockerfile's first lines, in buildah's words.
        cls.buildah("bud", "--isolation", "chroot", "--network", "host", "--pull-never", "-f",
                    DOCKERFILE, "-t", IMAGE, SOURCE)
        cls.container = cls.buildah("from", "--pull-never", IMAGE).strip()

    @classmethod
    def tearDownClass(cls):
        cls.buildah("rm", "--all")

    def inside(self, script):
        return self.buildah.inside(self.container, script)

    def test_programs_run_on_usermm(self):
        """The variables of the image reach what is started in it, and the service too."""
        self.assertIn("/usr/local/lib/libusermm_malloc.so", self.inside("cat /proc/self/maps"))
        said = self.inside("USERMM_OPTIONS=$USERMM_OPTIONS:stats=1 redis-server --version 2>&1")
        self.assertIn("Redis server", said)
        self.assertIn("malloc-", said)

    def test_service(self):
        """The image's command, as its user, answers."""
        shown = self.buildah("inspect", "--format",
                             "{{.OCIv1.Config.User}}{{range .OCIv1.Config.Cmd}} {{.}}{{end}}",
                             self.container)
        user, command = shown.strip().split(" ", 1)
        self.assertEqual(user, "redis")
        said = self.inside(f"""
            {command} --port 0 --unixsocket /tmp/redis.socket >/tmp/log 2>&1 &
            for i in $(seq 100); do
                redis-cli -s /tmp/redis.socket ping 2>/dev/null && break
                sleep 0.1
            done
            redis-cli -s /tmp/redis.socket set key value
            redis-cli -s /tmp/redis.socket get key
            grep -c libusermm_malloc /proc/$!/maps
            redis-cli -s /tmp/redis.socket shutdown nosave
            wait""")
        self.assertRegex(said, r"PONG\nOK\nvalue\n\d+\n")

    def test_command(self):
        """The command knows the library of the image, and the options."""
        said = self.inside("usermm doctor; usermm doctor --options; usermm run -- echo it runs; "
                           "usermm selftest")
        self.assertRegex(said, r"preload library +/usr/local/lib/libusermm_malloc\.so")
        self.assertRegex(said, r"(?m)^slab_cache_bytes .* 4M$")
        self.assertIn("it runs", said)
        self.assertIn("all is well", said)

    def test_context(self):
        """Files that .dockerignore names did not come into the image."""
        names = (SOURCE / ".dockerignore").read_text().split()
        self.assertIn("build", names)
        first = self.buildah("from", "--pull-never", "scratch").strip()
        self.buildah("copy", "--contextdir", SOURCE, "--ignorefile", SOURCE / ".dockerignore",
                     first, SOURCE, "/src")
        top = os.listdir(Path(self.buildah("mount", first).strip()) / "src")
        self.assertIn("CMakeLists.txt", top)
        self.assertFalse(set(names) & set(top))


def main():
    global FOLDER
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=SOURCE / "build" / "image")
    FOLDER = parser.parse_args().build.resolve()
    for command in ("buildah", "debootstrap"):
        if not shutil.which(command):
            print(f"skipped: there is no {command}: install the package of that name")
            return SKIPPED
    if os.geteuid():
        print("skipped: only root may make a system")
        return SKIPPED
    FOLDER.mkdir(parents=True, exist_ok=True)
    result = unittest.main(argv=[sys.argv[0]], exit=False, verbosity=2).result
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed} passed, {failed} failed")
    return 1 if failed or not result.testsRun else 0


if __name__ == "__main__":
    sys.exit(main())
