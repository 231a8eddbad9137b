#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Linux has file locks on what is no file, and an epoll and an eventfd share one.
#
# Versions: Linux 6.18 (x86-64), by Python 3.11's fcntl module (any Python from 3.10 on). The kernel
#     is the one that this runs on: no package is needed.
# One would guess: fcntl(F_SETLK) and flock() refuse pipes, sockets, terminals and the like, as
#     lseek() and ftruncate() do; or else each of these has a lock of its own.
# What happens: both are granted. Record locks keep a child out that fork() gave the same
#     descriptor, also on a pipe or a socket; flock() does not, since a child shares it. The lock
#     belongs to the inode. eventfd and epoll have no inode of their own but one in common
#     (anon_inode): so a lock of the process's epoll is refused while its eventfd has one. Pipes,
#     sockets and memfds have one each, and the two ends of a pipe have one together.
# Seen: a pipe:             record lock granted; in a fork child refused, flock() there granted
#       two memfds:         flock() of both granted
#       eventfd and epoll:  flock() of the second refused (EAGAIN)
# Why it matters: processes that report at their end write to whatever they were given as standard
#     error, which may be a pipe or a terminal. A record lock of that makes parent and children
#     take turns, without a file, and the kernel gives it up when a process ends: usermm does
#     that (os_lock_file()). flock() would let all of them in, and an eventfd or an epoll would
#     have them wait for somebody else.
command -v python3 > /dev/null || { echo "locks_without_files.sh: needs python3" >&2; exit 2; }
exec python3 - <<'END'
import errno
import fcntl
import os
import pty
import select
import socket
import sys


def result(lock, fd):
    try:
        lock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return "granted"
    except OSError as error:
        return errno.errorcode[error.errno]


def result_in_child(lock, fd):
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.write(writer, result(lock, fd).encode())
        os._exit(0)
    os.close(writer)
    os.waitpid(child, 0)
    answer = os.read(reader, 100).decode()
    os.close(reader)
    return answer


def expect(what, expected, got):
    if expected != got:
        sys.exit(f"locks_without_files.sh: changed: {what}: expected {expected!r}, got {got!r}")


pipe = os.pipe()
no_files = {"a pipe": pipe[1], "a socket": socket.socketpair()[0].detach(),
            "a terminal": pty.openpty()[0], "a memfd": os.memfd_create("one")}
for name, fd in no_files.items():
    expect(f"{name}, record", "granted", result(fcntl.lockf, fd))
    expect(f"{name}, record, child", "EAGAIN", result_in_child(fcntl.lockf, fd))
    expect(f"{name}, flock", "granted", result(fcntl.flock, fd))
    expect(f"{name}, flock, child", "granted", result_in_child(fcntl.flock, fd))
expect("other end of the pipe, flock", "EAGAIN", result(fcntl.flock, pipe[0]))
expect("another memfd, flock", "granted", result(fcntl.flock, os.memfd_create("two")))

epoll, event = select.epoll(), os.eventfd(0)
expect("eventfd, flock", "granted", result(fcntl.flock, event))
expect("epoll beside it, flock", "EAGAIN", result(fcntl.flock, epoll.fileno()))
os.close(event)
expect("epoll when the eventfd is closed", "granted", result(fcntl.flock, epoll.fileno()))
print("locks are granted on pipes and sockets; an eventfd and an epoll share one")
END
