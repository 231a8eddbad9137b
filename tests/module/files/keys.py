#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reads what the devices of keys.c report, and asks them what they are."""
import ctypes
import errno
import fcntl
import os
import select
import struct
import time

EVENT = struct.Struct("llHHi")
EV_SYN, EV_KEY, EV_REL, EV_ABS, EV_LED, EV_REP = 0, 1, 2, 3, 17, 20
KEY_A, KEY_B, KEY_C = 30, 48, 46
SYN_DROPPED = 3
checks = 0


def check(got, wanted):
    global checks
    if got != wanted:
        raise SystemExit(f"{got!r}, not {wanted!r}")
    checks += 1


def fails(error, function, *arguments):
    try:
        function(*arguments)
    except OSError as reason:
        check(errno.errorcode[reason.errno], errno.errorcode[error])
    else:
        raise SystemExit(f"{function} succeeds")


def ioc(direction, number, size):
    return direction << 30 | size << 16 | ord("E") << 8 | number


def ask(fd, number, size, given=b""):
    buffer = bytearray(given.ljust(size, b"\0"))
    length = fcntl.ioctl(fd, ioc(2, number, size), buffer)
    return length, bytes(buffer)


def text(fd, number):
    length, buffer = ask(fd, number, 64)
    return buffer[:length].rstrip(b"\0").decode()


def bits(fd, number, size=96):
    length, buffer = ask(fd, number, size)
    return {i for i in range(length * 8) if buffer[i // 8] & 1 << i % 8}


def tell(letter):
    with open("/proc/keys", "w") as control:
        control.write(letter)


def read(fd, n=64):
    got = os.read(fd, n * EVENT.size)
    check(len(got) % EVENT.size, 0)
    return [EVENT.unpack_from(got, at) for at in range(0, len(got), EVENT.size)]


def values(events):
    return [event[2:] for event in events]


def by_name(name):
    for number in range(8):
        path = f"/dev/input/event{number}"
        if not os.path.exists(path):
            break
        fd = os.open(path, os.O_RDWR | os.O_NONBLOCK)
        if text(fd, 0x06) == name:
            return fd, number
        os.close(fd)
    raise SystemExit(f"no {name}")


keys, number = by_name("two keys")
check(text(keys, 0x07), "keys/input0")
fails(errno.ENOENT, ask, keys, 0x08, 64)               # it is not unique
check(struct.unpack("4H", ask(keys, 0x02, 8)[1]), (6, 1, 2, 3))
check(struct.unpack("i", ask(keys, 0x01, 4)[1])[0], 0x010001)
check(bits(keys, 0x20), {EV_SYN, EV_KEY, EV_REL, EV_LED, EV_REP})
check(bits(keys, 0x20 + EV_KEY), {KEY_A, KEY_B})
check(bits(keys, 0x20 + EV_REL), {0})
check(ask(keys, 0x20 + EV_KEY, 1)[0], 1)               # no more than there is room for
fails(errno.EINVAL, ask, keys, 0x40, 24)               # no axes
fails(errno.EINVAL, ask, keys, 0x7f, 24)
fails(errno.EINVAL, fcntl.ioctl, keys, 0x1234)
check(struct.unpack("2I", ask(keys, 0x03, 8)[1]), (20, 10))

# A packet at a time: nothing of one that changes nothing.
fails(errno.EAGAIN, os.read, keys, 64 * EVENT.size)
check(select.select([keys], [], [], 0)[0], [])
before = time.time()
tell("a")
check(select.select([keys], [], [], 5)[0], [keys])
events = read(keys)
check(values(events), [(EV_KEY, KEY_A, 1), (EV_SYN, 0, 0), (EV_KEY, KEY_A, 0), (EV_SYN, 0, 0)])
check(before - 1 <= events[0][0] + events[0][1] / 1e6 <= time.time() + 1, True)
fails(errno.EINVAL, os.read, keys, EVENT.size - 1)
tell("a")
check(values(read(keys, 1)), [(EV_KEY, KEY_A, 1)])
check(len(read(keys)), 3)

# Another clock.
fcntl.ioctl(keys, ioc(1, 0xa0, 4), struct.pack("i", time.CLOCK_MONOTONIC))
fails(errno.EINVAL, fcntl.ioctl, keys, ioc(1, 0xa0, 4), struct.pack("i", 77))
tell("a")
event = read(keys)[0]
check(abs(event[0] + event[1] / 1e6 - time.monotonic()) < 5, True)

# Too many: the newest stay.
tell("m")
events = values(read(keys, 1000))
check(events[0], (EV_SYN, SYN_DROPPED, 0))
check(events[-2:], [(EV_REL, 0, 500), (EV_SYN, 0, 0)])
check(len(events) < 200, True)

# A held key repeats, until it is let go with its device's end.
tell("h")
time.sleep(0.2)
repeats = [event for event in values(read(keys)) if event == (EV_KEY, KEY_B, 2)]
check(len(repeats) >= 2, True)
check(bits(keys, 0x18), {KEY_B})

# Codes that nobody wants are left out.
mask = (1 << KEY_A).to_bytes(96, "little")
buffer = (ctypes.c_char * 96).from_buffer_copy(mask)
address = ctypes.addressof(buffer)
fcntl.ioctl(keys, ioc(1, 0x93, 16), struct.pack("IIQ", EV_KEY, 96, address))
time.sleep(0.05)
while select.select([keys], [], [], 0.1)[0]:
    read(keys)
tell("a")
check(values(read(keys))[0], (EV_KEY, KEY_A, 1))

# A program tells the device, and other programs hear of it.
other = os.open(f"/dev/input/event{number}", os.O_RDWR | os.O_NONBLOCK)
os.write(other, EVENT.pack(0, 0, EV_LED, 1, 1) + EVENT.pack(0, 0, EV_SYN, 0, 0))
check((EV_LED, 1, 1) in values(read(keys)), True)
fails(errno.EINVAL, os.write, other, b"short")
check(bits(keys, 0x19), {1})

# One program alone.
fcntl.ioctl(keys, ioc(1, 0x90, 4), 1)
fails(errno.EBUSY, fcntl.ioctl, other, ioc(1, 0x90, 4), 1)
fails(errno.EINVAL, fcntl.ioctl, other, ioc(1, 0x90, 4), 0)
while select.select([other], [], [], 0)[0]:
    read(other)
tell("a")
check(values(read(keys))[0], (EV_KEY, KEY_A, 1))
fails(errno.EAGAIN, os.read, other, 64)
fcntl.ioctl(keys, ioc(1, 0x90, 4), 0)

# Tables of keys.
check(struct.unpack("2I", ask(keys, 0x04, 8, struct.pack("I", 1))[1]), (1, KEY_B))
fcntl.ioctl(keys, ioc(1, 0x04, 8), struct.pack("2I", 1, KEY_C))
check(bits(keys, 0x20 + EV_KEY), {KEY_A, KEY_C})
fails(errno.EINVAL, ask, keys, 0x04, 8, struct.pack("I", 2))

# A device that is asked.
lever, _ = by_name("lever")
check(struct.unpack("6i", ask(lever, 0x40, 24)[1])[1:], (-5, 1000, 0, 2, 0))
check(len(select.select([lever], [], [], 5)[0]), 1)
check(values(read(lever))[0][:2], (EV_ABS, 0))
folder = os.path.dirname(os.path.realpath("/sys/class/input/input1/poll"))
check(open(f"{folder}/poll").read(), "5\n")
check(open(f"{folder}/max").read(), "50\n")
fails(errno.EINVAL, os.write, os.open(f"{folder}/poll", os.O_WRONLY), b"51")
check(os.path.exists("/sys/class/input/input0/poll"), False)

# Contacts, and the pointer that they make.
pad, _ = by_name("pad")
tell("t")
events = values(read(pad))
check([event for event in events if event[1] == 0x2f], [(EV_ABS, 0x2f, 1)])
check([event for event in events if event[1] == 0x39], [(EV_ABS, 0x39, 0), (EV_ABS, 0x39, 1)])
check((EV_KEY, 0x14a, 1) in events and (EV_KEY, 0x14d, 1) in events, True)
check((EV_ABS, 0, 10) in events, True)                 # where the older one is
check(struct.unpack("3i", ask(pad, 0x0a, 12, struct.pack("i", 0x35))[1]), (0x35, 10, 11))
check(len(bits(pad, 0x09)), 1)

# What is listed.
check(open("/sys/class/input/input0/name").read(), "two keys\n")
check(open("/sys/class/input/input0/id/bustype").read(), "0006\n")
check(open("/sys/class/input/input0/capabilities/rel").read(), "1\n")
listed = open("/proc/bus/input/devices").read()
check(listed.count("\n\n"), 3)
check(f'N: Name="two keys"\nP: Phys=keys/input0\nS: Sysfs=/devices/virtual/input/input0\n'
      f'U: Uniq=\nH: Handlers=event{number} \nB: PROP=0\nB: EV=120007\n' in listed, True)
check(open("/proc/bus/input/handlers").read(), "N: Number=0 Name=evdev Minor=64\n")
tell("o")
os.close(other)
os.close(keys)
tell("o")

# A device that goes ends the waits.
tell("x")
fails(errno.ENODEV, os.read, pad, 64)
poll = select.poll()
poll.register(pad, select.POLLIN)
check(bool(poll.poll(0)[0][1] & select.POLLHUP), True)
fails(errno.ENODEV, ask, pad, 0x06, 64)
check(len([name for name in os.listdir("/dev/input") if name.startswith("event")]), 2)
print(f"{checks} checks")
