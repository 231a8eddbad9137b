#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`usermm run` tells, in one line, of a program that starts with raised privileges.

The program itself says whether the kernel gave it AT_SECURE. The line must be there then, and only
then. Other owners need root; without it there are the user's own bits, his other groups, and the
system's own set-user-ID programs.

usage: run_privileges.py USERMM COMPILER
"""
import ctypes
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

USERMM, COMPILER = Path(sys.argv[1]).resolve(), sys.argv[2]
SOURCE = """
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>

int main(void)
{
	const char *preload = getenv("LD_PRELOAD");

	printf("%lu ", getauxval(AT_SECURE));
	return puts(preload && *preload ? "preloaded" : "alone") < 0;
}
"""
# A user and a group that own nothing.
OTHER = 54321
PR_SET_NO_NEW_PRIVS, PR_GET_NO_NEW_PRIVS = 38, 39
# linux/capability.h
VFS_CAP_REVISION_2, VFS_CAP_FLAGS_EFFECTIVE, CAP_NET_RAW = 0x02000000, 1, 1 << 13


def prctl(option, argument):
    return ctypes.CDLL(None).prctl(option, argument, 0, 0, 0)


class Privileges(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="usermm-privileges-")
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name)
        self.path.chmod(0o755)
        self.program = self.path / "program"
        self.build()
        if (prctl(PR_GET_NO_NEW_PRIVS, 0) == 1 or
                os.statvfs(self.path).f_flag & os.ST_NOSUID):
            self.skipTest("no program gets privileges here")

    def build(self, *flags):
        (self.path / "program.c").write_text(SOURCE)
        subprocess.run([COMPILER, "program.c", "-o", "program", *flags], cwd=self.path, check=True)

    def make(self, mode, user=-1, group=-1):
        try:
            os.chown(self.program, user, group)
        except PermissionError:
            self.skipTest("only root gives files away")
        self.program.chmod(mode)

    def run_program(self, *words, **how):
        """What the program writes, and what is told."""
        environment = {name: value for name, value in os.environ.items()
                       if name not in ("USERMM_OPTIONS", "LD_PRELOAD")}
        try:
            done = subprocess.run([*map(str, words)], cwd="/", env=environment, timeout=300,
                                  capture_output=True, text=True, **how)
        except PermissionError:
            self.skipTest("another user may not be, or cannot come to the command")
        self.assertEqual(done.returncode, 0, done)
        return done.stdout.strip(), done.stderr

    def check(self, raised, *before, program=None, **how):
        """Is the program raised, as expected, and the line written or not, as fits?"""
        said, told = self.run_program(*before, USERMM, "run", "--", program or self.program, **how)
        self.assertEqual(said, "1 alone" if raised else "0 preloaded")
        self.assertEqual(told.count("\n"), raised, told)
        if raised:
            self.assertIn(f"{self.program} starts with raised privileges", told)

    def need_root(self):
        if os.getuid():
            self.skipTest("only root can be another user")

    def test_own(self):
        """Bits that give the user what he has already."""
        for mode in 0o755, 0o4755, 0o2755, 0o6755:
            self.make(mode)
            self.check(False)

    def test_other_owner(self):
        for mode in 0o755, 0o4755, 0o2755, 0o6755, 0o2745:
            self.make(mode, OTHER, OTHER)
            self.check(mode not in (0o755, 0o2745))

    def test_other_group(self):
        """A group of the user's that is not his first one."""
        others = [OTHER] if not os.getuid() else [*{*os.getgroups()} - {os.getgid()}]
        if not others:
            self.skipTest("this user is in no other group")
        self.make(0o755, -1, others[0])
        self.check(False)
        self.program.chmod(0o2755)
        self.check(True)

    def test_static(self):
        """One line, not two."""
        self.build("-static")
        self.make(0o4755, OTHER, OTHER)
        self.check(True)

    def test_scripts(self):
        """The interpreter's bits count; the script's do not."""
        self.make(0o755, OTHER, OTHER)
        script = self.path / "script"
        script.write_text(f"#!{self.program}\n")
        os.chown(script, OTHER, OTHER)
        script.chmod(0o4755)
        self.check(False, program=script)
        self.make(0o4755)
        self.check(True, program=script)

    def test_no_new_privileges(self):
        self.make(0o6755, OTHER, OTHER)
        self.check(False, preexec_fn=lambda: prctl(PR_SET_NO_NEW_PRIVS, 1))

    def test_unreadable(self):
        """The user may execute the file, and not read it."""
        self.need_root()
        self.make(0o4711)
        self.check(True, user=OTHER, group=OTHER, extra_groups=[])
        self.check(False)

    def test_capabilities(self):
        self.need_root()
        for flags, capabilities in ((0, 0), (0, CAP_NET_RAW), (VFS_CAP_FLAGS_EFFECTIVE, 0),
                                    (VFS_CAP_FLAGS_EFFECTIVE, CAP_NET_RAW)):
            held = struct.pack("<IIIII", VFS_CAP_REVISION_2 | flags, capabilities, 0, 0, 0)
            try:
                os.setxattr(self.program, "security.capability", held)
            except OSError as error:
                self.skipTest(f"files have no capabilities here: {error}")
            self.check(False)
            user = {"user": OTHER, "group": OTHER, "extra_groups": []}
            self.check(bool(flags or capabilities), **user)
            self.check(bool(flags), **user, preexec_fn=lambda: prctl(PR_SET_NO_NEW_PRIVS, 1))

    def test_different_ids(self):
        """Of the user who starts it: the real user is not the effective one."""
        self.need_root()
        self.check(True, preexec_fn=lambda: os.setresuid(OTHER, 0, 0))

    def test_unmapped_owner(self):
        """A user namespace that has no number for the owner."""
        self.make(0o4755, OTHER, OTHER)
        unshare = "unshare", "--user", "--map-root-user"
        if subprocess.run([*unshare, "true"], capture_output=True, check=False).returncode:
            self.skipTest("this user may not make a user namespace")
        self.check(False, *unshare)

    def test_nosuid(self):
        self.make(0o4755, OTHER, OTHER)
        bind = f"mount --bind {self.path} {self.path} && mount -o remount,bind,nosuid {self.path}"
        unshare = "unshare", "--mount", "sh", "-c", f'{bind} && exec "$@"', "sh"
        if subprocess.run([*unshare, "true"], capture_output=True, check=False).returncode:
            self.skipTest("this user may not mount")
        self.check(False, *unshare)

    def test_of_system(self):
        """mount(8) belongs to root, who gets nothing by it. All others do."""
        program = shutil.which("mount")
        bits = os.stat(program).st_mode & 0o4000 if program else 0
        if not bits or os.statvfs(program).f_flag & os.ST_NOSUID:
            self.skipTest("mount is not set-user-ID here")
        _, told = self.run_program(USERMM, "run", "--", "mount", "--version")
        self.assertEqual(told.count("\n"), os.getuid() != 0, told)
        if os.getuid():
            self.assertIn("mount starts with raised privileges", told)


if __name__ == "__main__":
    sys.exit(unittest.main(argv=sys.argv[:1]))
