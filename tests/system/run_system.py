#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Starts a whole Debian with the library in every process, and compares it with one without.

The system is a folder that debootstrap makes, with systemd and servers. systemd-nspawn starts
it, with a network of its own. /etc/ld.so.preload names the library, so the first process has it,
and programs with raised privileges, which LD_PRELOAD does not reach. tests/system/inside.sh runs
programs there and keeps their output. The output must be the same as without the library, only the
same units may fail, and each process with a libc must have the library. One service has the drop-in
of examples/systemd, and so the library in both.

For root, on a machine that allows containers; the first run fetches some 300 MB.
"""
import argparse
import contextlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "tools" / "linux"))
from debian import mirror_and_release  # noqa: E402

LIBRARY = "usr/lib/libusermm_malloc.so"
DROP_IN = HERE.parent.parent / "examples/systemd/usermm.conf"
# Ends by exit(), so that its library writes statistics; /bin/sh would not.
DROPPED_PROGRAM = ("import os, signal, sys; signal.signal(signal.SIGTERM, lambda *_: sys.exit()); "
                   "os.system(sys.argv[1]); signal.pause()")
DROPPED = f"""[Service]
Type=notify
NotifyAccess=all
ExecStart=/usr/bin/python3 -c "{DROPPED_PROGRAM}" "systemd-notify --ready"
"""
PACKAGES = """systemd systemd-sysv dbus sudo passwd openssh-server openssh-client cron man-db
    python3 perl postgresql apache2 samba smbclient rsyslog less ca-certificates locales""".split()
UNIT = """[Unit]
After=multi-user.target
[Service]
ExecStart=/bin/sh /usermm/inside.sh
[Install]
WantedBy=multi-user.target
"""
SHARE = """[global]
map to guest = Bad User
bind interfaces only = yes
interfaces = lo
[share]
path = /srv
guest ok = yes
read only = no
force user = root
"""
SECONDS = 600


def inside(root, *argv):
    subprocess.run(["chroot", root, *argv], check=True, stdout=subprocess.DEVNULL,
                   env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C"})


def make_system(root):
    """A Debian that has the packages, alice, and the unit; kept once it is whole."""
    whole = root / "usermm/whole"
    if whole.exists():
        return
    shutil.rmtree(root, ignore_errors=True)
    mirror, release = mirror_and_release()
    subprocess.run(["debootstrap", f"--include={','.join(PACKAGES)}", release, root, mirror],
                   check=True, stdout=subprocess.DEVNULL)
    inside(root, "useradd", "--create-home", "--shell", "/bin/sh", "alice")
    inside(root, "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", "/root/key")
    (root / "home/alice/.ssh").mkdir()
    shutil.copy(root / "root/key.pub", root / "home/alice/.ssh/authorized_keys")
    inside(root, "chown", "-R", "alice:alice", "/home/alice/.ssh")
    (root / "etc/sudoers.d/alice").write_text("alice ALL=(ALL) NOPASSWD: ALL\n")
    (root / "etc/samba/smb.conf").write_text(SHARE)
    (root / "etc/hostname").write_text("usermm\n")
    (root / "etc/hosts").write_text("127.0.0.1 localhost usermm\n")
    (root / "etc/systemd/system/usermm.service").write_text(UNIT)
    inside(root, "systemctl", "enable", "usermm.service")
    whole.parent.mkdir()
    whole.touch()


def put_drop_in(root, library):
    """The service of the drop-in, and the library where the drop-in expects it."""
    units = root / "etc/systemd/system"
    (units / "dropped.service").write_text(DROPPED)
    (units / "dropped.service.d").mkdir(exist_ok=True)
    shutil.copy(DROP_IN, units / "dropped.service.d")
    shutil.copy(library, root / f"{LIBRARY}.0")
    link = root / LIBRARY
    link.unlink(missing_ok=True)
    link.symlink_to(f"{link.name}.0")


def start(root, preloaded, options):
    """The results of one start: {check: what it printed}."""
    preload = root / "etc/ld.so.preload"
    preload.unlink(missing_ok=True)
    for name in ("complete", "strangers", "served"):
        (root / "usermm" / name).unlink(missing_ok=True)
    shutil.copy(HERE / "inside.sh", root / "usermm")
    manager = root / "etc/systemd/system.conf.d/usermm.conf"
    manager.parent.mkdir(exist_ok=True)
    manager.write_text(f'[Manager]\nDefaultEnvironment="USERMM_OPTIONS={options}"\n')
    if preloaded:
        preload.write_text(f"/{LIBRARY}\n")
    console = root.parent / "console.log"
    with console.open("wb") as log, contextlib.suppress(subprocess.TimeoutExpired):
        subprocess.run(["systemd-nspawn", "--directory", root, "--private-network",
                        "--register=no", "--keep-unit", f"--setenv=USERMM_OPTIONS={options}",
                        "--boot"], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                       timeout=SECONDS, start_new_session=True, check=False)
    preload.unlink(missing_ok=True)
    if not (root / "usermm/complete").exists():
        sys.exit(f"the system did not come to its end; see {console}")
    return {path.name: path.read_text(errors="replace")
            for path in (root / "usermm/results").iterdir()}


def compare(root, plain, preloaded):
    """Answers how many of the checks passed and how many failed."""
    names = sorted(plain.keys() | preloaded.keys())
    wrong = [name for name in names if plain.get(name) != preloaded.get(name) or
             not plain[name].endswith("exit 0\n")]
    for name in names:
        print(f"{name}: {'FAILED' if name in wrong else 'passed'}")
        if name in wrong:
            print(f"without: {plain.get(name)}\nwith: {preloaded.get(name)}")
    strangers = (root / "usermm/strangers").read_text().split()
    served = int((root / "usermm/served").read_text())
    print(f"{served} processes have the library, without it: {', '.join(strangers) or 'none'}")
    failed = len(wrong) + bool(strangers or not served)
    return len(names) + 1 - failed, failed


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--library", required=True, type=Path, help="path of libusermm_malloc.so")
    parser.add_argument("--root", required=True, type=Path, help="the system's folder")
    parser.add_argument("options", nargs="*", default=["", "hardened=1"],
                        help="USERMM_OPTIONS, a start with each")
    args = parser.parse_args()
    if os.geteuid():
        sys.exit("only root may make a system and start it")

    root = args.root.resolve()
    root.parent.mkdir(parents=True, exist_ok=True)
    make_system(root)
    put_drop_in(root, args.library)
    plain = start(root, False, "")
    passed = failed = 0
    for options in args.options:
        print(f"== {options or 'default options'}")
        counts = compare(root, plain, start(root, True, options))
        passed, failed = passed + counts[0], failed + counts[1]
    print(f"{passed} passed, {failed} failed")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
