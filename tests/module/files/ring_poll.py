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
