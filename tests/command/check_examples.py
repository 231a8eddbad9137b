#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Are the examples for containers and services right?

    check_examples.py USERMM

No image is built: what the Dockerfile names is held against this build and against
docs/deploying.md. systemd-analyze checks the drop-in, if it is there.
"""
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
USERMM = Path(sys.argv[1]).resolve()
DOCKERFILE = ROOT / "examples" / "docker" / "Dockerfile"
DROP_IN = ROOT / "examples" / "systemd" / "usermm.conf"


def instructions(text):
    """The instructions of a Dockerfile, each on one line."""
    text = re.sub(r"(?m)^#.*\n", "", text).replace("\\\n", " ")
    return [" ".join(line.split()) for line in text.splitlines() if line.strip()]


def accepts(options):
    return subprocess.run([USERMM, "doctor", "-o", options], capture_output=True).returncode == 0


class Docker(unittest.TestCase):
    def setUp(self):
        self.lines = instructions(DOCKERFILE.read_text())

    def test_what_is_copied_is_built(self):
        stages = "\n".join(self.lines).split("FROM ")
        self.assertEqual(len(stages), 3)
        copied = dict(re.findall(r"install -D /build/(\S+) /out/(\S+)", stages[1]))
        self.assertEqual(copied, {"libusermm_malloc.so": "lib/libusermm_malloc.so",
                                  "usermm": "bin/usermm"})
        for name in copied:
            self.assertTrue((USERMM.parent / name).exists(), name)
        self.assertIn("COPY --from=build /out/ /usr/local/", stages[2])
        preload = re.search(r"ENV LD_PRELOAD=(\S+)", stages[2])[1]
        self.assertEqual(preload, "/usr/local/" + copied["libusermm_malloc.so"])

    def test_targets(self):
        names = (ROOT / "CMakeLists.txt").read_text()
        build = next(line for line in self.lines if "cmake --build" in line)
        # make without a number starts all compilers at once.
        self.assertIn('--parallel "$(nproc)"', build)
        targets = re.search(r"--target ((?:\w+ )+)&&", build)[1].split()
        self.assertEqual(len(targets), 2)
        for target in targets:
            self.assertRegex(names, rf"add_(library|executable)\({target}\b")

    def test_options(self):
        options = next(line for line in self.lines if line.startswith("ENV USERMM_OPTIONS="))
        self.assertTrue(accepts(options.split("=", 1)[1]), options)
        self.assertFalse(accepts("no_such=1"))

    def test_the_page_has_its_lines(self):
        page = (ROOT / "docs" / "deploying.md").read_text()
        block = re.search(r"```text\n(COPY .*?)```", page, re.S)[1].splitlines()
        self.assertGreater(len(block), 3)
        for line in block:
            self.assertIn(line, self.lines)


class Systemd(unittest.TestCase):
    def verify(self, text):
        with tempfile.TemporaryDirectory() as folder:
            unit, drop_in = Path(folder) / "app.service", Path(folder) / "app.service.d"
            unit.write_text("[Service]\nExecStart=/bin/sleep 60\n")
            drop_in.mkdir()
            (drop_in / "usermm.conf").write_text(text)
            done = subprocess.run(["systemd-analyze", "verify", "--man=no",
                                   "--recursive-errors=no", unit], capture_output=True, text=True)
            return [line for line in done.stderr.splitlines() if folder in line]

    def test_verify(self):
        if not shutil.which("systemd-analyze"):
            self.skipTest("no systemd-analyze")
        text = DROP_IN.read_text()
        self.assertEqual(self.verify(text), [])
        for wrong in ("MemoryMax=1x", "NoSuchKey=1", "RuntimeDirectory=/run/x"):
            self.assertEqual(len(self.verify(f"{text}\n{wrong}\n")), 1, wrong)

    def test_options(self):
        """As systemd hands them on: %p is the unit's name, %% a percent sign."""
        line = re.search(r"^Environment=USERMM_OPTIONS=(.*)$", DROP_IN.read_text(), re.M)[1]
        handed_on = re.sub(r"%(.)", lambda match: {"p": "app", "%": "%"}[match[1]], line)
        self.assertIn("stats.%p.json", handed_on)
        self.assertTrue(accepts(handed_on), handed_on)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
