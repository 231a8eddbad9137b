#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""poll(), select(), ioctl(), O_NONBLOCK and bad addresses on the device of the module ring.c."""
import ctypes
import errno
import fcntl
import os
import select
import signal
import sys
import threading

RING = sys.argv[1]
COUNT, CLEAR = 0x80047201, 0x7202
libc = ctypes.CDLL(None, use_errno=True)


def fails(expected, function, *arguments):
    try:
        function(*arguments)
    except OSError as error:
        assert error.errno == expected, error
    else:
        raise AssertionError(f"no error {errno.errorcode[expected]}")


def watch_in_set(fd, pipe_read, pipe_write):
    """epoll, of the device and of a pipe. The pipe is ready."""
    watched = select.epoll()
    watched.register(fd, select.EPOLLIN)
    watched.register(pipe_read, select.EPOLLIN)
    fails(errno.EEXIST, watched.register, fd, select.EPOLLIN)
    assert watched.poll(0) == watched.poll(1) == [(pipe_read, select.EPOLLIN)]
    os.write(fd, b"ab")
    both = sorted([(fd, select.EPOLLIN), (pipe_read, select.EPOLLIN)])
    assert sorted(watched.poll()) == both
    assert len(watched.poll(maxevents=1)) == 1
    poller = select.poll()
    poller.register(fd, select.POLLIN)
    poller.register(pipe_read, select.POLLIN)
    assert sorted(poller.poll()) == both
    os.read(pipe_read, 1)
    os.read(fd, 2)
    assert watched.poll(0.02) == []

    # The event comes while the set waits, or before.
    writer = threading.Timer(0.05, lambda: os.write(fd, b"x"))
    writer.start()
    assert watched.poll() == [(fd, select.EPOLLIN)]
    writer.join()
    watched.modify(fd, select.EPOLLIN | select.EPOLLOUT | select.EPOLLONESHOT)
    assert watched.poll() == [(fd, select.EPOLLIN | select.EPOLLOUT)]
    assert watched.poll(0) == []
    watched.modify(fd, select.EPOLLOUT)
    assert watched.poll() == [(fd, select.EPOLLOUT)]
    os.read(fd, 1)
    watched.unregister(fd)
    fails(errno.ENOENT, watched.unregister, fd)
    fails(errno.ENOENT, watched.modify, fd, select.EPOLLIN)
    assert watched.poll(0) == []

    # A set does not keep a file open, and a new set has no files of an old one.
    second = os.open(RING, os.O_RDWR)
    watched.register(second, select.EPOLLOUT)
    os.close(second)
    assert watched.poll(0) == []
    watched.register(fd, select.EPOLLOUT)
    number = watched.fileno()
    watched.close()
    watched = select.epoll()
    assert watched.fileno() == number and watched.poll(0) == []

    # What is in /sys has events in any case.
    with open("/sys/class/ring/ring0/used") as used:
        watched.register(used.fileno(), select.EPOLLIN)
        assert watched.poll() == [(used.fileno(), select.EPOLLIN)]


def wait_for_many():
    """One thread has many calls at a time in the module."""
    many = [os.open(RING, os.O_RDWR | os.O_NONBLOCK) for _ in range(40)]
    poller = select.poll()
    for fd in many:
        poller.register(fd, select.POLLOUT)
    for _ in range(10):
        assert len(poller.poll()) == len(poller.poll(0)) == len(many)
    for fd in many:
        os.close(fd)


def main():
    fd = os.open(RING, os.O_RDWR | os.O_NONBLOCK)
    poller = select.poll()
    poller.register(fd, select.POLLIN)
    pipe_read, pipe_write = os.pipe()
    poller.register(pipe_read, select.POLLIN)
    assert poller.poll(0) == [] and poller.poll(20) == []
    assert select.select([fd], [fd], [fd], 0) == ([], [fd], [])
    fails(errno.EAGAIN, os.read, fd, 1)

    # The event comes while poll() waits, or before; the device's, and the pipe's.
    writer = threading.Timer(0.05, lambda: os.write(fd, b"ab"))
    writer.start()
    assert poller.poll() == [(fd, select.POLLIN)]
    writer.join()
    assert os.read(fd, 1) == b"a"
    assert select.select([fd], [], []) == ([fd], [], [])
    assert os.read(fd, 10) == b"b"
    writer = threading.Timer(0.05, lambda: os.write(pipe_write, b"x"))
    writer.start()
    assert poller.poll() == [(pipe_read, select.POLLIN)]
    writer.join()

    watch_in_set(fd, pipe_read, pipe_write)
    wait_for_many()

    # Memory of the caller, good and bad.
    os.write(fd, b"four")
    count = ctypes.c_uint()
    assert libc.ioctl(fd, COUNT, ctypes.byref(count)) == 0 and count.value == 4
    for address in (8, 1 << 62):
        assert libc.ioctl(fd, COUNT, ctypes.c_void_p(address)) == -1
        assert ctypes.get_errno() == errno.EFAULT
    fails(errno.ENOTTY, fcntl.ioctl, fd, 0x7203)
    fcntl.ioctl(fd, CLEAR)
    assert libc.write(fd, ctypes.c_void_p(8), 3) == -1 and ctypes.get_errno() == errno.EFAULT
    fails(errno.ESPIPE, os.lseek, fd, 0, os.SEEK_SET)
    os.close(os.dup(fd))
    reader = os.open(RING, os.O_RDONLY)
    fails(errno.EBADF, os.write, reader, b"x")

    # A handler ends a wait.
    class Rang(Exception):
        pass

    def ring(*_):
        raise Rang
    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        os.read(reader, 1)
        raise AssertionError("read something")
    except Rang:
        pass

    # A child inherits the file, and the parent's own stays when the child ends.
    if not os.fork():
        os.write(fd, b"child")
        os._exit(0)
    os.wait()
    assert os.read(reader, 10) == b"child"


main()
