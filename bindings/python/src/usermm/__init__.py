# SPDX-License-Identifier: MIT
"""Linux's memory allocators as a malloc for any program.

The command does most:

    usermm run -- python app.py
    usermm top

A program that starts others, or that runs on usermm itself, has these functions:

    subprocess.run([sys.executable, "app.py"], env=usermm.environment("stats=1"))
    usermm.control("purge", 0)
"""
import ctypes
import os
from pathlib import Path

__all__ = ["command", "control", "environment", "is_loaded", "library"]

_FOLDER = Path(__file__).resolve().parent


def command():
    """The path of the command `usermm` that came with this package."""
    return str(_FOLDER / "bin" / "usermm")


def library():
    """The path of the library to be preloaded: malloc, free, new and delete."""
    return str(next((_FOLDER / "lib").glob("libusermm_malloc.so.*")))


def environment(options="", base=None):
    """A copy of base (os.environ) with which a program runs on usermm.

    options is what USERMM_OPTIONS takes, for example "stats=1:limit=2G". It is appended to what
    is there.

    Python allocates small objects itself, in arenas of mmap(); with PYTHONMALLOC=malloc usermm
    serves them, too.
    """
    path = library()
    if set(path) & set(" :;"):
        raise RuntimeError(f"{path} cannot be preloaded, since LD_PRELOAD ends a name at spaces "
                           "and colons: start the program by `usermm run`, or install usermm "
                           "elsewhere")
    new = dict(os.environ if base is None else base)
    _join(new, "LD_PRELOAD", path, first=True)
    if options:
        _join(new, "USERMM_OPTIONS", options, first=False)
    return new


def _join(variables, name, value, first):
    old = variables.get(name)
    if old:
        value = f"{value}:{old}" if first else f"{old}:{value}"
    variables[name] = value


def is_loaded():
    """Does this process run on usermm?"""
    return hasattr(ctypes.CDLL(None), "usermm_malloc_linked")


def control(name, value=None):
    """Reads a control of this process; with a value, writes it, and returns the old one.

    usermm/control.h lists them: "limit", "decay_ms", "purge", "stats.allocated_bytes" and more.
    One that cannot be read returns None. Raises RuntimeError if the process does not run on
    usermm, and OSError if the control refuses.
    """
    if not is_loaded():
        raise RuntimeError("this process does not run on usermm: start it by "
                           "`usermm run -- python ...`")
    call = ctypes.CDLL(None).usermm_control
    call.argtypes = (ctypes.c_char_p, ctypes.POINTER(ctypes.c_uint64),
                     ctypes.POINTER(ctypes.c_uint64))
    old = ctypes.c_uint64()
    new = None if value is None else ctypes.byref(ctypes.c_uint64(value))
    error = call(name.encode(), ctypes.byref(old), new)
    if error == -1 and new:     # EPERM: one that can only be written
        old = None
        error = call(name.encode(), None, new)
    if error < 0:
        raise OSError(-error, os.strerror(-error), name)
    return None if old is None else old.value
