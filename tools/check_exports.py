#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that every name a library exports has the project's prefix, or is a known one of libc.

    check_exports.py LIBRARY...

Every inline function NAME of include/usermm must be exported as usermm_NAME (BINDINGS has those
that have another name), since bindings of other languages cannot call inline functions.

Any other name could also be a program's own name; then the program or the library would get the
wrong function. A library must not contain the compiler's constructor that reads the processor's
features either: it runs at every start, and traps under a hypervisor (docs/notes/start-up.md).
Each offence is one line, LIBRARY: the name; the exit status is then 1.
"""
import re
import subprocess
import sys
from pathlib import Path

OURS = re.compile(r"usermm_|_Z[nd][wal]")  # operators new and delete too
MALLOC = """
    malloc calloc realloc free aligned_alloc memalign posix_memalign valloc pvalloc cfree
    reallocarray free_sized free_aligned_sized malloc_usable_size malloc_trim malloc_stats
    malloc_info mallinfo mallinfo2 mallopt memalignment
    mallctl mallctlnametomib mallctlbymib malloc_stats_print
    mallocx rallocx xallocx sallocx dallocx sdallocx nallocx
    __libc_malloc __libc_calloc __libc_realloc __libc_free __libc_memalign __libc_valloc
    __libc_pvalloc __libc_mallopt __libc_mallinfo __posix_memalign
"""
# libc calls that the library wraps, in src/malloc/interpose: rlimit.c, vfork.c, sandbox.c,
# dlopen.c, credentials.c.
WRAPPED = """
    prlimit prlimit64 setrlimit setrlimit64 vfork __vfork clone prctl setns unshare dlopen
    setuid setgid seteuid setegid setreuid setregid setresuid setresgid setgroups initgroups
"""


# All objects with USDT probes share it, weak and hidden: src/malloc/profile/probes.c.
OF_ARCHIVES = {"_.stapsdt.base"}

# __builtin_cpu_supports() and similar built-ins bring these in.
CONSTRUCTORS = {"__cpu_model", "__cpu_indicator_init"}


HEADERS = Path(__file__).resolve().parents[1] / "include" / "usermm"
INLINE = re.compile(r"^static inline [^;{(]*?\b(\w+)\([^;{]*\)\s*\{", re.M | re.S)
ATTRIBUTE = re.compile(r"__attribute__\(\(.*?\)\)\s*")
# Inline functions that are exported under another name, since usermm_NAME is taken.
BINDINGS = {"kmalloc_class": "kmalloc_class_of", "usermm_kmalloc_type": "kmalloc_type_of",
            "usermm_list_insert": "list_insert_between"}


def bindings():
    """The symbols that the inline functions of the public headers must have."""
    texts = [ATTRIBUTE.sub("", header.read_text()) for header in HEADERS.glob("*.h")]
    names = {name for text in texts for name in INLINE.findall(text)}
    if len(names) < 20:
        sys.exit(f"{HEADERS}: only {len(names)} inline functions are found; correct INLINE here")
    return {"usermm_" + BINDINGS.get(name, name) for name in names}


def symbols(library, *how):
    listing = subprocess.run(["nm", *how, library], capture_output=True, text=True,
                             check=True).stdout
    return {line.split()[-1].split("@")[0] for line in listing.splitlines()
            if len(line.split()) in (2, 3)}


def exported(library):
    names = symbols(library, "-D" if ".so" in library else "-g", "--defined-only")
    if not any(name.startswith("usermm_") for name in names):
        sys.exit(f"{library}: no name of the project's")
    return names - (OF_ARCHIVES if library.endswith(".a") else set())


def main():
    if not sys.argv[1:]:
        sys.exit(__doc__)
    known = set((MALLOC + WRAPPED).split())
    offences = 0
    for library in sys.argv[1:]:
        names = exported(library)
        # A library without malloc() exports no name of libc's at all.
        allowed = known if "malloc" in names else set()
        wrong = {name for name in names - allowed if not OURS.match(name)}
        for name in sorted(wrong | symbols(library) & CONSTRUCTORS):
            why = ("brings a constructor of libgcc's; do not use __builtin_cpu_supports()"
                   if name in CONSTRUCTORS else
                   "is exported, but is neither the project's nor libc's; make it static or "
                   "__hidden, or add it to MALLOC here")
            print(f"{library}: {name} {why}")
            offences += 1
        for name in sorted(bindings() - names):
            print(f"{library}: {name} is missing; declare it in usermm/bindings.h and define it "
                  "in src/api/bindings.c")
            offences += 1
    print(f"check_exports: {len(sys.argv) - 1} libraries, {offences} offences")
    return 1 if offences else 0


if __name__ == "__main__":
    sys.exit(main())
