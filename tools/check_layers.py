#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the rules of src/ that a compiler does not check.

    check_layers.py [SRC]

1. A file includes only headers of its own layer and of lower ones; src/LAYERS has the order.
   Internal headers are included as "layer/file.h", public ones as "usermm/file.h".
2. The folders of a layer have an order, too: FOLDERS. A file includes only headers of its own
   folder and of lower ones. Two things may go upward inside a layer: a source file (no header)
   may include the headers in HOOKS, and EXCEPTIONS lists single includes with their reasons.
   A header declares no function of another folder of its layer, which would hide an include.
   Entries that nothing needs any more give a warning.
3. No stdio, locale, dlsym or getenv: they allocate, or do not work yet when the first
   allocation happens. (The files of NOT_ON_THE_WAY never run during an allocation.)
4. Shared memory is accessed only through base/atomic.h.
5. A file has at most 1000 lines; above 600 there is a warning.
6. A file with a function pointer at file scope may call a higher layer by it. It includes
   base/upward_hooks.h, which lists all hooks from a layer to a higher one.

Each offence is one line: FILE:LINE, which rule is broken, what to do. The exit status is then 1.
"""
import re
import sys
from pathlib import Path

SUFFIXES = {".c", ".cc", ".h", ".def", ".S"}
LINES_WARN, LINES_MAX = 600, 1000

# Files that call no other file of their layer, with the headers of the layer that they may include.
LEAVES = {"page/buddy.c": ["page/buddy.h"]}

# The folders of each layer, lowest first. "." is the spine: the layer's own files, which every
# request passes. Folders in one tuple count as one.
FOLDERS = {
    "os": ["start", ".", "machine", "signal", "report"],
    # rseq/ has the sequences that percpu.h declares and includes.
    "percpu": [(".", "rseq")],
    "page": [".", "pcp", "reclaim", "debug", "api"],
    "slab": [".", "sheaf", "cpu_slab", "debug", "mixed", "kfence", "hardened", "kmalloc",
             "destroy"],
    "malloc": [".", "mapped", "hardened", "profile", "heap", "interpose"],
}

# The one way upward inside a layer: headers by which source files of lower folders hand a request
# over. Lower folders know no other header of the folder.
HOOKS = {
    "os/signal/signals.h": "os/once.c holds signals back while a layer comes up",
    "page/pcp/pcp.h": "requests try the CPU's lists first, and get their pages back when short",
    "page/reclaim/reclaim.h": "a request that finds no page reclaims, or wakes kswapd",
    "page/reclaim/limits.h": "requests that take memory from the system look at limits in time",
    "page/reclaim/oom.h": "the last resort of a request that must not fail",
    "page/reclaim/release.h": "free pages beyond what is kept go back to the system",
    "page/debug/hooks.h": "every block that is allocated or freed passes the hooks if any is on",
    "page/debug/bad_page.h": "the report of a page that must not be freed",
    "page/debug/page_report.h": "the report of a request that failed",
    "slab/sheaf/sheaf.h": "caches are made and destroyed with barns; bulk calls pop from sheaves",
    "slab/sheaf/sheaf_size.h": "a cache is made, shrunk and destroyed with its sheaves",
    "slab/sheaf/barn_budget.h": "barns give way to new slabs, and are emptied on request",
    "slab/cpu_slab/cpu_slab.h": "a cache's CPUs keep a slab in place of a sheaf",
    "slab/debug/debug.h": "slow paths hand over caches that have debugging flags",
    "slab/debug/report.h": "whoever finds a bad pointer or request reports it",
    "slab/kfence/kfence.h": "slow paths ask whether this object is one to guard",
    "slab/hardened/hardened.h": "slow paths hand over hardened caches and their quarantines",
    "slab/mixed/mixed.h": "objects that come back to a mixed slab, and its pages, go there",
    "slab/mixed/inside.h": "decay and pressure give back pages of slabs that do not mix",
    "slab/mixed/mixed_source.h": "caches join, and decay and pressure make sparse slabs mixed ones",
    "slab/kmalloc/kmalloc.h": "slab_init() makes its caches; frees that are not fast go there",
    "malloc/mapped/mapped.h": "a block that is too large for the window is a mapping",
    "malloc/hardened/hardened.h": "with hardened=1 requests go there",
    "malloc/hardened/zero_size.h": "free() and its like meet blocks of 0 bytes",
    "malloc/profile/profile.h": "with profile= slow paths hand over sampled blocks",
}

# Other includes that go upward: (file, header): why it has to be. (header, folder): why the header
# declares functions of that folder.
EXCEPTIONS = {
    **{("os/os.h", header): "os.h is the layer for all above it, in one header" for header in (
        "os/machine/cpu.h", "os/machine/limits.h", "os/machine/topology.h",
        "os/report/symbolize.h", "os/signal/signals.h")},
    ("slab/slab.h", "slab/sheaf/barn.h"): "a node's barn is a member of struct kmem_cache_node",
    ("slab/freeptr.h", "slab/debug/report.h"):
        "links are checked in line where they are read, and a bad one is reported",
    ("slab/debug/report.c", "slab/kmalloc/kvmalloc.h"):
        "only kvmalloc() can tell that a bad pointer lies in one of its mappings",
    ("malloc/malloc_fast.h", "malloc/hardened/hardened.h"):
        "with hardened=1 the fast path itself looks for the size's step, in line",
    ("malloc/counts.c", "malloc/mapped/mapped_cache.h"): "counts the bytes that are kept there",
    ("malloc/hardened/hardened.c", "malloc/interpose/cxx_runtime.h"):
        "only new.cc knows whether operator new is the program's",
}

QUOTED_INCLUDE = re.compile(r'\s*#\s*include\s+"([^"]+)"')
COMMENT_OR_LITERAL = re.compile(
    r"""/\*.*?\*/ | //[^\n]* | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*'""", re.DOTALL | re.VERBOSE)
# A function's declaration in a header, and its definition in a source file; not static ones.
FUNCTION = r"^(?!static\b|typedef\b)[A-Za-z_][^;={}()#]*?\b(\w+)\([^;{}]*\)[^;={}]*"
DECLARATION = re.compile(FUNCTION + ";", re.MULTILINE)
DEFINITION = re.compile(FUNCTION + r"\{", re.MULTILINE)
NO_PLACE = "has no place in src/: it may allocate, or is not ready at the first allocation; "
FORBIDDEN = [
    (re.compile(r"#\s*include\s+<(stdio)\.h>"), "<{}.h> " + NO_PLACE + "use base/fmt.h"),
    (re.compile(r"#\s*include\s+<(locale|xlocale)\.h>"),
     "<{}.h> " + NO_PLACE + "write ASCII by base/fmt.h"),
    (re.compile(r"#\s*include\s+<(dlfcn)\.h>"),
     "<{}.h> " + NO_PLACE + "link to the symbol, weakly if it may be missing"),
    (re.compile(r"#\s*include\s+<(stdatomic)\.h>"),
     "<{}.h> has no place in src/: use the names of base/atomic.h"),
    (re.compile(r"\b(dlsym|dlvsym|dlopen)\s*\("),
     "{}() " + NO_PLACE + "link to the symbol, weakly if it may be missing"),
    (re.compile(r"\b(getenv|secure_getenv)\s*\("),
     "{}() " + NO_PLACE + "add an option to base/options.def"),
    (re.compile(r"\b(setlocale)\s*\("), "{}() " + NO_PLACE + "write ASCII by base/fmt.h"),
]
# They run only when operator new has failed, in dlopen() or setuid(), or when a program passes a
# stdio stream.
NOT_ON_THE_WAY = {"malloc/interpose/credentials.c",
                  "malloc/interpose/cxx_runtime.c", "malloc/interpose/dlopen.c",
                  "malloc/interpose/mallinfo.c", "malloc/interpose/mallinfo.h", "os/keep_loaded.c"}
UPWARD_HOOKS = "base/upward_hooks.h"
# typedef void (*name)(...)
POINTER_TYPE = re.compile(r"^typedef [^;{]*?\(\*(\w+)\)\(", re.M)
FUNCTION_POINTER = re.compile(r"(?!typedef )(static |extern )?[A-Za-z_][\w ]*\(\*(const )?\w+\)\(")
BARE_ATOMIC = (re.compile(r"\b(__atomic_\w+|__sync_\w+)"),
               "{} outside of base/atomic.h: use one of its names, or add one that says the order")


def read_layers(src):
    """Maps each name in LAYERS to its rank; the lowest layer has rank 0."""
    lines = (line.split() for line in (src / "LAYERS").read_text().splitlines())
    names = [words[0] for words in lines if words and not words[0].startswith("#")]
    return {name: rank for rank, name in enumerate(names)}


def blank(match):
    """Replaces a string or comment by its newlines, so that line numbers stay right."""
    return "\n" * match.group().count("\n")


def split(name):
    """Layer and folder of a file: "slab/slab.h" gives ("slab", "."), "slab/debug/debug.h" more."""
    parts = name.split("/")
    return parts[0], parts[1] if len(parts) > 2 else "."


def spell(folder):
    return "the spine" if folder == "." else folder + "/"


class Folders:
    """The rules inside layers, and which of their hooks and exceptions are in use."""

    def __init__(self, folders, hooks, exceptions):
        self.ranks = {layer: {name: rank for rank, names in enumerate(order)
                              for name in ((names,) if isinstance(names, str) else names)}
                      for layer, order in folders.items()}
        self.hooks = hooks
        self.exceptions = exceptions
        self.unused = {*hooks, *exceptions}

    def check_place(self, name):
        """Says what is wrong with the folder that the file lies in, if anything is."""
        layer, folder = split(name)
        if folder == "." or folder in self.ranks.get(layer, {}):
            return None
        return (f"{layer}/{folder}/ has no rank inside {layer}: add {folder} to FOLDERS in "
                "tools/check_layers.py, above the folders that it includes")

    def check_include(self, name, included):
        """Says what is wrong with an include inside a layer, if anything is."""
        layer, own = split(name)
        ranks = self.ranks.get(layer, {})
        other = split(included)[1]
        if own not in ranks or other not in ranks or ranks[other] <= ranks[own]:
            return None
        if (name, included) in self.exceptions:
            self.unused.discard((name, included))
            return None
        below = f'"{included}": inside {layer} {spell(own)} is below {spell(other)}'
        hooks = [hook for hook in self.hooks if split(hook) == (layer, other)]
        if not hooks:
            return f"{below}, which has no hooks; move the code up to {spell(other)}"
        if included not in hooks:
            return (f"{below}, and this is no hook of it; include {' or '.join(hooks)}, or move "
                    f"the code up to {spell(other)}")
        if name.endswith(".h"):
            return (f"{below}, and a header must not include its hooks; move the code to a .c "
                    f"file, or up to {spell(other)}")
        self.unused.discard(included)
        return None

    def may_declare(self, name, folder):
        """Does EXCEPTIONS allow the header to declare functions of that folder of its layer?"""
        way = (name, split(name)[0] + "/" + ("" if folder == "." else folder + "/"))
        self.unused.discard(way)
        return way in self.exceptions

    def say_unused(self):
        """Warns about entries that nothing needs any more."""
        for way in sorted(self.unused, key=str):
            entry = f"HOOKS: {way}" if isinstance(way, str) else f"EXCEPTIONS: {way[0]}, {way[1]}"
            print(f"tools/check_layers.py:1: warning: {entry}: nothing needs it; delete the entry")


def check_declarations(src, files, folders):
    """Yields (file:line, message) of each function that a header of another folder declares."""
    texts = {path: COMMENT_OR_LITERAL.sub(blank, path.read_text()) for path in files}
    homes = {}
    for path, text in texts.items():
        if path.suffix != ".h":
            name = path.relative_to(src).as_posix()
            for match in DEFINITION.finditer(text):
                homes.setdefault(match.group(1), set()).add(split(name))
    for path, text in texts.items():
        name = path.relative_to(src).as_posix()
        layer, own = split(name)
        for match in DECLARATION.finditer(text) if path.suffix == ".h" else ():
            others = {folder for home, folder in homes.get(match.group(1), ()) if home == layer}
            if others and own not in others and not folders.may_declare(name, min(others)):
                other = spell(min(others))
                yield (f"{path}:{text.count(chr(10), 0, match.start(1)) + 1}",
                       f"{match.group(1)}() is defined in {other}; declare it in a header of "
                       f"{other}, so that the include shows who needs it")


def check_include(layers, own, included):
    folder, slash, _ = included.partition("/")
    if not slash:
        return f'"{included}" does not name its folder; write "LAYER/{included}"'
    if folder == "usermm":
        return None
    if folder not in layers:
        return f'"{included}": {folder} is no layer; correct it, or add the layer to src/LAYERS'
    if layers[folder] > layers[own]:
        return (f'"{included}": {own} is below {folder} in src/LAYERS and must not know it; move '
                f"the code up to {folder}, or add a hook to base/upward_hooks.h, which {folder} "
                "sets")
    return None


def check_leaf(name, included):
    """A leaf knows no other file of its layer but those listed for it."""
    if name in LEAVES and included not in LEAVES[name]:
        return (f'"{included}": {name} is a leaf of its layer (LEAVES in tools/check_layers.py); '
                "move the code to who calls it")
    return None


def check_hooks(text):
    """Yields the line of each file-scope pointer to a function, unless the file has the list."""
    includes = map(QUOTED_INCLUDE.match, text.splitlines())
    if any(include and include.group(1) == UPWARD_HOOKS for include in includes):
        return
    types = "|".join(POINTER_TYPE.findall(text))
    variable = re.compile(rf"(?:static |extern )?(?:{types})\s+\w+\s*[;=\[]") if types else None
    for number, line in enumerate(text.splitlines(), 1):
        if FUNCTION_POINTER.match(line) or (variable and variable.match(line)):
            yield number, (f"a hook at file scope; declare it in {UPWARD_HOOKS}, and include that "
                           "here")


def check_file(src, path, layers, folders):
    """Yields (line number, message) of each offence."""
    name = path.relative_to(src)
    own = name.parts[0]
    if len(name.parts) < 2 or own not in layers:
        yield 1, (f"{own} is no layer; move the file into a layer's folder, or add the layer to "
                  "src/LAYERS")
        return
    offence = folders.check_place(name.as_posix())
    if offence:
        yield 1, offence

    text = path.read_text()
    for number, line in enumerate(text.splitlines(), 1):
        include = QUOTED_INCLUDE.match(line)
        if not include:
            continue
        offence = check_include(layers, own, include.group(1))
        if not offence and include.group(1).startswith(own + "/"):
            offence = (folders.check_include(name.as_posix(), include.group(1)) or
                       check_leaf(name.as_posix(), include.group(1)))
        if offence:
            yield number, offence

    if (src / UPWARD_HOOKS).exists() and name.as_posix() != UPWARD_HOOKS:
        yield from check_hooks(text)

    rules = [] if name.as_posix() in NOT_ON_THE_WAY else list(FORBIDDEN)
    if name.as_posix() != "base/atomic.h":
        rules.append(BARE_ATOMIC)
    for number, line in enumerate(COMMENT_OR_LITERAL.sub(blank, text).splitlines(), 1):
        for pattern, message in rules:
            for match in pattern.finditer(line):
                yield number, message.format(match.group(1))

    lines = text.count("\n")
    if lines > LINES_MAX:
        yield lines, f"{lines} lines, {LINES_MAX} are the limit; split the file by its purposes"
    elif lines > LINES_WARN:
        print(f"{path}:{lines}: warning: more than {LINES_WARN} lines")


def check(src, folders):
    """Prints the offences in src; the exit status."""
    layers = read_layers(src)
    files = sorted(path for path in src.rglob("*") if path.suffix in SUFFIXES)
    offences = [(f"{path}:{number}", message) for path in files
                for number, message in check_file(src, path, layers, folders)]
    offences += check_declarations(src, files, folders)
    for place, message in offences:
        print(f"{place}: {message}")
    folders.say_unused()
    print(f"check_layers: {len(files)} files, {len(layers)} layers, {len(offences)} offences")
    return 1 if offences or not files else 0


def main():
    src = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent / "src"
    return check(src, Folders(FOLDERS, HOOKS, EXCEPTIONS))


if __name__ == "__main__":
    sys.exit(main())
