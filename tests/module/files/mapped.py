#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Maps the memory of the devices of mapped.c."""
import errno
import mmap
import os
import select
import signal
import subprocess
import sys

PAGE = mmap.PAGESIZE
checks = 0


def check(condition, what):
    global checks
    checks += 1
    if not condition:
        sys.exit(f"mapped.py: {what}")


def fails(error, function, *arguments, **more):
    try:
        function(*arguments, **more)
    except OSError as problem:
        check(problem.errno == error, f"errno is {problem.errno}, not {error}")
    else:
        check(False, f"no error {error}")


def open_device(name, flags=os.O_RDWR):
    return os.open(f"/dev/{name}", flags)


for name in ("block", "area", "pages", "faults"):
    fd = open_device(name)
    with mmap.mmap(fd, 3 * PAGE) as memory:
        # Both devices have the same pages.
        if name == "faults":
            check(memory[PAGE + 5:PAGE + 9] == b"four", "the pages of faults are others")
            memory[:] = bytes(3 * PAGE)
        check(memory[:] == bytes(3 * PAGE), f"{name} is not zero")
        for page in range(3):
            memory[page * PAGE] = page + 1
        memory[PAGE + 5:PAGE + 9] = b"four"
        memory[5:9] = b"zero"
        with mmap.mmap(fd, PAGE, offset=PAGE) as second:
            check(second[:9] == b"\x02\0\0\0\0four", f"{name} has another second page")
        seen = os.pread(fd, 9, 0)
        check(seen[5:] in (b"zero", b"four"), f"the module sees {seen} in {name}")
    with mmap.mmap(fd, PAGE, flags=mmap.MAP_PRIVATE) as private:
        private[0] = 99
        with mmap.mmap(fd, PAGE) as shared:
            check(shared[0] == 1, f"a private change is seen in {name}")
    os.close(fd)

# The mapping stays without the descriptor.
fd = open_device("pages")
memory = mmap.mmap(fd, 3 * PAGE)
os.close(fd)
memory[2 * PAGE] = 33
check(memory[2 * PAGE] == 33, "a mapping ends with its descriptor")
child = os.fork()
if not child:
    memory[PAGE] = 22
    memory.close()
    os._exit(0)
os.waitpid(child, 0)
check(memory[PAGE] == 22, "a child's mapping is another one")

fd = open_device("block")
fails(errno.EINVAL, mmap.mmap, fd, 4 * PAGE)
fails(errno.EINVAL, mmap.mmap, fd, PAGE, offset=3 * PAGE)
fails(errno.ENXIO, mmap.mmap, open_device("pages"), 4 * PAGE)
fails(errno.EINVAL, mmap.mmap, open_device("area"), 4 * PAGE)
fails(errno.ENODEV, mmap.mmap, open_device("deep/none"), PAGE)
fails(errno.EACCES, mmap.mmap, open_device("block", os.O_RDONLY), PAGE)
fails(errno.EACCES, mmap.mmap, open_device("block", os.O_WRONLY), PAGE, prot=mmap.PROT_READ)
with mmap.mmap(open_device("block", os.O_RDONLY), PAGE, prot=mmap.PROT_READ) as memory_read:
    check(memory_read[0] == 1, "what is only read has another byte")

fd = os.open("/sys/kernel/mapped", os.O_RDWR)
with mmap.mmap(fd, PAGE) as attribute:
    check(attribute[0] == 1, "an attribute has another byte")
    attribute[9] = 9
    check(os.pread(fd, 10, 0)[9] == 9, "the module does not see a byte of an attribute")
fails(errno.EIO, os.write, fd, b"x")

# A device without poll() cannot be in a set of epoll.
fails(errno.EPERM, select.epoll().register, open_device("deep/none"), select.EPOLLIN)

# A program that closes all descriptors keeps its mappings, and those of others stay.
memory = mmap.mmap(open_device("pages"), PAGE)
os.closerange(60, 100)
others = [os.open("/dev/null", os.O_RDWR) for _ in range(100)]
memory.close()
for other in others:
    os.fstat(other)
    os.close(other)
check(True, "descriptors of others were closed")

touch = ("import mmap, os; m = mmap.mmap(os.open('/dev/faults', os.O_RDWR), 4 * 4096); "
         "m[0]; m[4 * 4096 - 1]")
status = subprocess.run([sys.executable, "-c", touch]).returncode
check(status == -signal.SIGBUS, f"a page that is not there ends with {status}")
print(checks, "checks")
