#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles every header of include/kernel alone, and all of them in several orders.

Without a warning, as each of the kernels in VERSIONS; and alone in a source that is no module's, as
some of them. A header that Linux has removed is compiled up to then. Also some of them beside
headers of the system. In a module only the machine's order of bytes has a name, whatever headers of
libc were included.
"""
import random
import re
import sys

from compiling import KERNEL, Job, compile_all, parse_arguments

VERSIONS = [(4, 0), (4, 19), (5, 15), (6, 1), (6, 12), (6, 18), (7, 3)]
FLAGS = ["-std=gnu11", "-Wundef", "-Wstrict-prototypes", "-Wno-unused-function", "-D__KERNEL__",
         "-DMODULE", '-DKBUILD_MODNAME="check"']
# Headers that the system has and include/kernel does not, in front of and behind these.
SYSTEM = ["linux/if_bridge.h", "linux/if_tun.h", "linux/netfilter_ipv4/ip_tables.h",
          "linux/netfilter_ipv6/ip6_tables.h", "linux/route.h", "linux/wireless.h"]
BESIDE_SYSTEM = ["linux/module.h", "linux/netdevice.h", "linux/fs.h", "net/ip.h"]
PLAIN_VERSIONS = [(4, 0), (6, 12)]
PLAIN_FLAGS = ["-std=gnu11"]
ORDERS = 3
ONE_BYTE_ORDER = """\
#include <linux/byteorder.h>
#if defined __BIG_ENDIAN == defined __LITTLE_ENDIAN
#error "both byte orders have a name, or none"
#endif
"""
# Each of the kernel's own headers sees to that; libc's alone may name both.
NOT_BOTH_ORDERS = """\
#if defined __BIG_ENDIAN && defined __LITTLE_ENDIAN
#error "both byte orders have a name"
#endif
"""


REMOVED = re.compile(r'#error "Linux (\d+)\.(\d+) removed <')


def removed_in(header):
    found = REMOVED.search((KERNEL / header).read_text())
    return (int(found[1]), int(found[2])) if found else (255, 255)


def make_job(version, name, headers, flags=FLAGS):
    source = "".join(f"#include <{header}>\n" for header in headers)
    if len(headers) == 1 and headers[0].startswith("linux/") and flags is FLAGS:
        source += NOT_BOTH_ORDERS
    return Job(version, name, flags, source + (ONE_BYTE_ORDER if flags is FLAGS else ""))


def main():
    args = parse_arguments(__doc__)
    headers = sorted(str(path.relative_to(KERNEL)) for path in KERNEL.rglob("*.h"))
    if len(headers) < 50:
        sys.exit(f"only {len(headers)} headers in {KERNEL}")
    removed = {header: removed_in(header) for header in headers}
    jobs = [make_job(version, header, [header]) for version in VERSIONS for header in headers
            if version < removed[header]]
    jobs += [make_job(version, f"{header} in no module", [header], PLAIN_FLAGS)
             for version in PLAIN_VERSIONS for header in headers if version < removed[header]]
    jobs += [make_job(VERSIONS[-1], f"{headers[0]} first", headers) for name in SYSTEM
             for headers in ([name, *BESIDE_SYSTEM], [*BESIDE_SYSTEM, name])]
    for version in VERSIONS:
        for seed in range(ORDERS):
            order = [header for header in headers if version < removed[header]]
            random.Random(seed).shuffle(order)
            jobs.append(make_job(version, f"all headers, {order[0]} first", order))

    failed = compile_all(args, jobs)
    print(f"{len(jobs) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
