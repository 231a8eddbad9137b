#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs glibc's own tests of malloc without and with libusermm_malloc.so under them.

Their sources come from Debian's package glibc-source and are compiled as they are,
with the part of glibc's test support that they need. Each test must end with the same exit status
under usermm as under glibc's allocator. Tests that look at glibc's allocator itself are left out;
OWN says why. The report has a line for each test and ends with "N passed, N failed".
"""
import argparse
import concurrent.futures
import dataclasses
import os
import shutil
import subprocess
import sys
import tarfile
import time
from pathlib import Path

# The parts of the archive that the tests and their support need.
FOLDERS = ("malloc", "support")
HEADERS = {
    "include": ("alloc_buffer.h", "array_length.h", "intprops.h", "libc-diag.h",
                "libc-pointer-arith.h", "scratch_buffer.h", "verify.h"),
    "malloc": ("dynarray.h",),
    "sysdeps/generic": ("malloc-alignment.h", "malloc-size.h"),
    "sysdeps/x86_64": ("stackinfo.h",),
}

# As glibc's makefiles have it, without what only its own build knows.
COMPILE = ["gcc", "-std=gnu11", "-O1", "-w", "-fno-builtin", "-D_GNU_SOURCE", "-DTIMEOUTFACTOR=1",
           "-include", "limits.h", "-include", "stdbool.h", "-Dattribute_hidden=",
           "-Dlibc_hidden_proto(name)=", "-Dlibc_hidden_def(name)=",
           "-D__set_errno(value)=(errno=(value))"]
# Folders of an installed glibc under test, which these tests never look into.
COMPILE += [f'-D{name}_PATH="/nonexistent"' for name in
            ("SRCDIR", "OBJDIR", "OBJDIR_ELF_LDSO", "INSTDIR", "LIBDIR", "BINDIR", "SBINDIR",
             "SLIBDIR",
             "ROOTSBINDIR", "COMPLOCALEDIR", "SYSCONFDIR")]

# Sources in support/ and malloc/ that are linked with the tests.
SUPPORT = """
    check delayed_exit ignore_stderr oom_error support_become_root
    support_capture_subprocess support_capture_subprocess_check support_copy_file
    support_copy_file_range support-xstat
    support_descriptors support_enter_mount_namespace support_enter_network_namespace
    support_isolate_in_subprocess support_paths support_process_state support_quote_blob
    support_record_failure support_set_small_thread_stack_size support_shared_allocate
    support_stack_alloc support_subprocess
    support_test_compare_blob support_test_compare_failure support_test_compare_string
    support_test_main support_test_verify_impl support_wait_for_thread_exit
    support_write_file_string temp_file timespec write_message
    xasprintf xcalloc xchdir xclock_gettime xclone xclose xdup2 xfclose xfopen xfork xftruncate
    xlseek
    xmalloc xmemstream xmmap xmprotect xmunmap xopen xpipe xpoll xposix_memalign
    xposix_spawn xposix_spawn_file_actions_addclose xposix_spawn_file_actions_adddup2
    xpthread_attr_destroy xpthread_attr_init xpthread_attr_setdetachstate
    xpthread_attr_setguardsize xpthread_attr_setstack xpthread_attr_setstacksize
    xpthread_barrier_destroy xpthread_barrier_init xpthread_barrier_wait
    xpthread_barrierattr_destroy xpthread_barrierattr_init xpthread_barrierattr_setpshared
    xpthread_cancel xpthread_check_return xpthread_cond_signal xpthread_cond_wait xpthread_create
    xpthread_detach xpthread_join xpthread_key_create xpthread_key_delete xpthread_kill
    xpthread_mutex_lock xpthread_mutex_unlock xpthread_sigmask xraise xrealloc xsigaction
    xsignal xsigstack xstrdup xstrndup xsysconf xunlink xwaitpid xwrite
    alloc_buffer_alloc_array alloc_buffer_allocate alloc_buffer_copy_bytes
    alloc_buffer_copy_string alloc_buffer_create_failure
    dynarray_at_failure dynarray_emplace_enlarge dynarray_finalize dynarray_resize
    dynarray_resize_clear
    scratch_buffer_dupfree scratch_buffer_grow scratch_buffer_grow_preserve
    scratch_buffer_set_array_size
""".split()

# Sources that a test is linked with, beside the support.
EXTRA = {
    "tst-interpose-nothread": ("tst-interpose-aux-nothread",),
    "tst-interpose-thread": ("tst-interpose-aux-thread",),
}

# Not allocator-neutral, or no test at all.
OWN = {
    "tst-compathooks-off": "glibc's hooks, which old binaries set",
    "tst-compathooks-on": "glibc's hooks, with libc_malloc_debug.so preloaded",
    "tst-dynarray-at-fail": "a message that libc's inside ends the process with",
    "tst-dynarray-fail": "wants 2 MiB below a limit that has room for glibc's heap alone",
    "tst-interpose-aux": "a part of other tests",
    "tst-interpose-aux-nothread": "a part of other tests",
    "tst-interpose-aux-thread": "a part of other tests",
    "tst-interpose-skeleton": "a part of other tests",
    "tst-interpose-static-nothread": "linked statically, so nothing can be preloaded",
    "tst-interpose-static-thread": "linked statically, so nothing can be preloaded",
    "tst-malloc-backtrace": "writes over glibc's words between blocks, and wants it to abort",
    "tst-malloc-usable": "MALLOC_CHECK_=3 of libc_malloc_debug.so, which makes sizes exact",
    "tst-malloc-usable-tunables": "the same by a tunable",
    "tst-mallocstate": "heaps dumped by old versions of glibc",
    "tst-mtrace": "the trace that libc_malloc_debug.so writes",
    "tst-safe-linking": "writes into glibc's free chunks, and reads its messages",
}


# Those that take more than a few seconds.
LONG = ("tst-malloc-tcache-leak", "tst-malloc-thread-exit", "tst-malloc-thread-fail",
        "tst-malloc-too-large", "tst-malloc_info", "tst-mallocfork2", "tst-mallocfork3")

# On a machine that has much else to do, a test may take so many times what it allows itself.
PATIENCE = 10

# Functions that usermm replaces: with libc's own, their tests would show nothing.
FUNCTIONS = {
    "tst-mallinfo2": "mallinfo2",
    "tst-malloc-tcache-leak": "mallinfo",
}


@dataclasses.dataclass
class Result:
    name: str
    options: str
    plain: str
    preloaded: str
    seconds: float
    said: str


def extract(archive, folder):
    """Unpacks what is needed, once for each version of the archive."""
    stamp = folder / "unpacked"
    if stamp.exists() and stamp.stat().st_mtime > archive.stat().st_mtime:
        return
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    wanted = tuple(f"{part}/" for part in FOLDERS)
    headers = {f"{part}/{name}" for part, names in HEADERS.items() for name in names}
    single = headers | {"test-skeleton.c"}
    with tarfile.open(archive) as tar:
        for member in tar:
            inside = member.name.partition("/")[2]
            if member.isfile() and (inside.startswith(wanted) or inside in single):
                member.name = inside
                tar.extract(member, folder)
    # Other headers in these folders would hide the system's.
    (folder / "shim").mkdir()
    for name in sorted(headers):
        (folder / "shim" / Path(name).name).symlink_to(folder / name)
    # Parts that gnulib also has include this there.
    (folder / "shim" / "libc-config.h").touch()
    stamp.touch()


def includes(folder):
    return [f"-I{folder / 'shim'}", f"-I{folder}", f"-I{folder / 'support'}"]


def compile_object(folder, name):
    source = next(path for path in (folder / part / f"{name}.c" for part in ("support", "malloc"))
                  if path.exists())
    target = folder / "objects" / f"{name}.o"
    if not target.exists():
        subprocess.run([*COMPILE, *includes(folder), "-c", source, "-o", target], check=True)
    return target


def build_support(folder, pool):
    (folder / "objects").mkdir(exist_ok=True)
    archive = folder / "libsupport.a"
    objects = list(pool.map(lambda name: compile_object(folder, name), SUPPORT))
    archive.unlink(missing_ok=True)
    subprocess.run(["ar", "rcs", archive, *objects], check=True)
    return archive


def build_test(folder, name, support):
    """Answers the program, or what the compiler says."""
    program = folder / "programs" / name
    sources = [folder / "malloc" / f"{part}.c" for part in (name, *EXTRA.get(name, ()))]
    done = subprocess.run([*COMPILE, *includes(folder), *sources, support, "-lpthread",
                           "-o", program], capture_output=True, text=True)
    return (program, None) if done.returncode == 0 else (None, done.stderr)


def run(program, work, preload):
    """Answers (how it ended, what it said)."""
    work.mkdir(parents=True, exist_ok=True)
    environment = os.environ | {"TMPDIR": str(work), "LC_ALL": "C",
                                "TIMEOUTFACTOR": str(PATIENCE)}
    # A test counts its own seconds, 20 mostly; this is for one that cannot any more.
    try:
        done = subprocess.run([program], cwd=work, stdin=subprocess.DEVNULL, capture_output=True,
                              env=environment | preload, timeout=40 * PATIENCE)
    except subprocess.TimeoutExpired:
        return "hangs", ""
    said = (done.stdout + done.stderr).decode(errors="replace")
    status = done.returncode
    return {0: "passes", 77: "does not apply"}.get(status, f"fails with {status}"), said


def check(folder, name, support, library, all_options):
    """A result for each of the options, with which it is run in turn."""
    program, trouble = build_test(folder, name, support)
    if not program:
        return [Result(name, "", "does not build", "", 0, trouble)]
    plain, plain_said = run(program, folder / "work" / name, {})
    results = []
    for options in all_options:
        start = time.monotonic()
        preloaded, said = run(program, folder / "work" / name,
                              {"LD_PRELOAD": library, "USERMM_OPTIONS": options})
        results.append(Result(name, options, plain, preloaded, time.monotonic() - start,
                              said or plain_said))
    return results


def exports(library):
    done = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True,
                          check=True)
    return {line.split()[-1].partition("@")[0] for line in done.stdout.splitlines()}


def reasons_not_to_run(library, short):
    known = exports(library)
    missing = {name: f"the library has no {function}()" for name, function in FUNCTIONS.items()
               if function not in known}
    return OWN | missing | ({name: "takes long" for name in LONG} if short else {})


def is_wrong(result):
    # If a test fails even under glibc's own allocator, it was not built properly.
    return result.plain != result.preloaded or result.plain not in ("passes", "does not apply")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--library", required=True, help="path of libusermm_malloc.so")
    parser.add_argument("--source", type=Path, required=True, help="glibc-*.tar.xz of glibc-source")
    parser.add_argument("--build", type=Path, required=True, help="a folder for what is built")
    parser.add_argument("--options", action="append",
                        help="USERMM_OPTIONS of the preloaded programs, which run with each")
    parser.add_argument("--short", action="store_true", help="leave out what takes long")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("test", nargs="*", help="run these alone")
    args = parser.parse_args()

    folder = args.build.resolve()
    extract(args.source, folder)
    (folder / "programs").mkdir(exist_ok=True)
    names = sorted(path.stem for path in (folder / "malloc").glob("tst-*.c")) + ["mallocbug"]
    library = os.path.abspath(args.library)
    left_out = reasons_not_to_run(args.library, args.short)
    chosen = [name for name in names
              if name not in left_out and (not args.test or name in args.test)]

    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        support = build_support(folder, pool)
        checked = pool.map(lambda name: check(folder, name, support, library,
                                              args.options or [""]), chosen)
        results = [result for of_a_test in checked for result in of_a_test]

    for result in results:
        print(f"{result.name:30} {result.plain:16} preloaded: {result.preloaded:16} "
              f"{result.seconds:6.1f} s {result.options}".rstrip())
    if not args.test:
        for name in names:
            if name in left_out:
                print(f"{name:30} not run: {left_out[name]}")
    wrong = [result for result in results if is_wrong(result)]
    for result in wrong:
        print(f"FAILED {result.name} {result.options}: {result.said[-2000:]}")
    print(f"{len(results) - len(wrong)} passed, {len(wrong)} failed")
    return 1 if wrong or not results else 0


if __name__ == "__main__":
    sys.exit(main())
