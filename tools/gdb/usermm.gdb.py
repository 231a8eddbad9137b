# SPDX-License-Identifier: MIT
"""usermm for gdb: the commands of `usermm inspect`, and pretty printers.

usermm caches           objects, bytes and waste of each cache
usermm whatis ADDRESS   which block has the address; any expression of gdb's
usermm summary, zones, options, owners, verify, map
"""
import os
import re
import shutil
import subprocess
from pathlib import Path

import gdb
import gdb.printing

COMMANDS = {
    "summary": "Totals: bytes in use, slabs, mappings, idle memory.",
    "caches": "Objects, bytes and waste of each cache.",
    "zones": "Free pages, watermarks, free blocks of each order.",
    "options": "The options that the process runs with.",
    "whatis": "Which block has ADDRESS: start, size, cache, state, and stacks if known.",
    "owners": "Who allocated the blocks, with profile=, slab_debug=U or kfence_sample=.",
    "verify": "Checks the invariants of each layer, and reports the first violation.",
    "map": "What each page of the window is used for.",
}
PAGE_FLAGS = ("buddy", "head", "zeroed", "block", "quicklist", "pfmemalloc", "small_slab",
              "mixed_slab")


def find_usermm():
    """The program usermm: beside a library, or where it is installed with it, or in PATH."""
    for objfile in gdb.objfiles():
        path = Path(objfile.filename or "")
        if not path.name.startswith("libusermm"):
            continue
        for folder in (path.parent, *(parent / "bin" for parent in path.parents)):
            if os.access(folder / "usermm", os.X_OK):
                return str(folder / "usermm")
    return shutil.which("usermm")


def find_target():
    """The core that gdb has open, or the number of the process."""
    files = gdb.execute("info files", to_string=True)
    core = re.search(r"Local core dump file:\n\t`(.*)', file type", files)
    if core:
        return core[1]
    pid = gdb.selected_inferior().pid
    if not pid:
        raise gdb.GdbError("usermm: no process and no core; start one, or use attach or core-file")
    return str(pid)


def inspect(*words):
    usermm = find_usermm()
    if not usermm:
        raise gdb.GdbError("usermm: the program usermm is neither beside the library nor in PATH")
    done = subprocess.run([usermm, "inspect", find_target(), *words], text=True,
                          capture_output=True, check=False)
    gdb.write(done.stdout)
    if done.stderr:
        raise gdb.GdbError(done.stderr.strip())


class UsermmPrefix(gdb.Command):
    __doc__ = "Looks at usermm's memory.\n" + __doc__

    def __init__(self):
        super().__init__("usermm", gdb.COMMAND_DATA, prefix=True)


class UsermmCommand(gdb.Command):
    def __init__(self, name, text):
        self.name = name
        self.__doc__ = text
        complete = gdb.COMPLETE_EXPRESSION if name == "whatis" else gdb.COMPLETE_NONE
        super().__init__(f"usermm {name}", gdb.COMMAND_DATA, complete)

    def invoke(self, argument, from_tty):
        if self.name != "whatis":
            if argument:
                raise gdb.GdbError(f"usermm {self.name} takes no argument")
            inspect(self.name)
            return
        if not argument:
            raise gdb.GdbError("usermm whatis needs an address")
        address = int(gdb.parse_and_eval(argument).cast(gdb.lookup_type("unsigned long")))
        inspect(self.name, hex(address))


class CachePrinter:
    """struct kmem_cache in one line."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        name = self.value["name"]
        return (f'cache {name.string() if name else "?"}: objects of '
                f'{int(self.value["object_size"])} bytes, {int(self.value["size"])} apart, '
                f'{int(self.value["objects"])} in a slab of order {int(self.value["order"])}')


class PagePrinter:
    """struct page in one line."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        flags = int(self.value["flags"])
        names = [name for bit, name in enumerate(PAGE_FLAGS) if flags >> bit & 1]
        return (f'page: flags {"|".join(names) or 0}, order {int(self.value["order"])}, '
                f'references {int(self.value["_refcount"])}, '
                f'index {int(self.value["index"])}')


def make_printer():
    printer = gdb.printing.RegexpCollectionPrettyPrinter("usermm")
    printer.add_printer("kmem_cache", "^kmem_cache$", CachePrinter)
    printer.add_printer("page", "^page$", PagePrinter)
    return printer


# Each library brings this script; one is enough.
if not hasattr(gdb, "usermm_is_loaded"):
    gdb.usermm_is_loaded = True
    UsermmPrefix()
    for command, text_ in COMMANDS.items():
        UsermmCommand(command, text_)
    gdb.printing.register_pretty_printer(None, make_printer(), replace=True)
