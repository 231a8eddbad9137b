#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The USDT probes of profile=: are they in each library, and what do tracers see of them?

    run_probes.py BUILD [--cross]

1. Notes: readelf finds them; each leads to a nop, and its arguments are those of a call.
2. Objects: a program with probes of its own, linked with usermm_malloc.o in front or behind it, has
   right addresses in all notes. The same with libusermm.a.
3. gdb stops at each sample, and sees the sizes and numbers that the profile has.
4. bpftrace counts as many, if it is installed and may run.

What is missing is told. --cross: only the notes, for files of another processor.
"""
import math
import os
import platform
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

try:
    from elftools.elf.elffile import ELFFile
except ImportError:
    print("no pyelftools (Debian: python3-pyelftools)")
    sys.exit(77)

BUILD = Path(sys.argv[1]).resolve()
IS_CROSS = "--cross" in sys.argv
SHARED = ["libusermm_malloc.so", "libusermm.so", "libusermm_core.so"]
DISTANCE, LIMIT_SECONDS = 65536, 200
NOPS = {"x86_64": b"\x90", "aarch64": b"\x1f\x20\x03\xd5"}
CALL = {"x86_64": ["%rdi", "%rsi", "%rdx"], "aarch64": ["x0", "x1", "x2"]}
MACHINES = {"EM_X86_64": "x86_64", "EM_AARCH64": "aarch64"}

# Blocks of several sizes, freed or not, and mappings that move. It writes a profile at the
# beginning and at the end.
PROGRAM = r"""
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

int usermm_heap_profile(int fd);

static void write_profile(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || usermm_heap_profile(fd))
		_exit(1);
	close(fd);
}

static void *volatile blocks[4000];

__attribute__((noinline)) void begin(void) { }

int main(int argc, char **argv)
{
	char go;

	begin();
	if (read(STDIN_FILENO, &go, 1) < 0)
		return 1;
	write_profile(argv[1]);
	for (unsigned int i = 0; i < 4000; i++)
		blocks[i] = malloc(16 + i);
	for (unsigned int i = 0; i < 4000; i += 2)
		free(blocks[i]);
	blocks[0] = malloc(5 << 20);
	blocks[0] = realloc(blocks[0], 40 << 20);
	blocks[2] = realloc(NULL, 300000);
	blocks[2] = realloc(blocks[2], 100);
	free(blocks[2]);
	write_profile(argv[2]);
	_exit(argc != 3);
}
"""

# As the header of SystemTap makes it: the section is in a group that all objects share.
OWN_PROBE = r"""
#include <stdlib.h>
%s
int main(void)
{
	__asm__ volatile("990: nop\n"
		".pushsection .note.stapsdt, \"?\", \"note\"\n"
		".balign 4\n.4byte 992f-991f, 994f-993f, 3\n"
		"991: .asciz \"stapsdt\"\n992: .balign 4\n"
		"993: .8byte 990b, _.stapsdt.base, 0\n"
		".asciz \"own\"\n.asciz \"probe\"\n.asciz \"\"\n"
		"994: .balign 4\n.popsection\n"
		".ifndef _.stapsdt.base\n"
		".pushsection .stapsdt.base, \"aG\", \"progbits\", .stapsdt.base, comdat\n"
		".weak _.stapsdt.base\n.hidden _.stapsdt.base\n"
		"_.stapsdt.base: .space 1\n.size _.stapsdt.base, 1\n.popsection\n.endif\n");
	return 0;
}
"""

GDB_SCRIPT = """
import gdb
for command in ("set pagination off", "set confirm off", "set debuginfod enabled off",
                "set startup-with-shell off", "set environment LD_PRELOAD " + LIBRARY,
                "set environment USERMM_OPTIONS " + OPTIONS,
                "break begin", "run " + ARGUMENTS, "delete",
                "break -probe-stap otel_memory:alloc", "break -probe-stap otel_memory:free"):
    try:
        gdb.execute(command, to_string=True)
    except gdb.error as error:
        if "debuginfod" not in command:
            raise
print("probes:", gdb.execute("info probes stap otel_memory", to_string=True).count("otel_memory"))
while True:
    gdb.execute("continue", to_string=True)
    if not gdb.selected_inferior().pid:
        break
    nr = int(gdb.parse_and_eval("$_probe_argc"))
    print("event:", *(int(gdb.parse_and_eval(f"$_probe_arg{i}")) % 2**64 for i in range(nr)))
"""

BPFTRACE = """
usdt:{library}:otel_memory:alloc {{ printf("event: %lu %lu %lu\\n", arg0, arg1, arg2); }}
usdt:{library}:otel_memory:free {{ printf("event: %lu\\n", arg0); }}
"""


def read_notes(path):
    """The probes of a file: (provider, name, arguments, address of the nop), and that is a nop."""
    with open(path, "rb") as file:
        elf = ELFFile(file)
        section = elf.get_section_by_name(".note.stapsdt")
        base = elf.get_section_by_name(".stapsdt.base")
        data, at, notes = section.data(), 0, []
        while at < len(data):
            name_bytes, bytes_of_rest, kind = struct.unpack_from("<3I", data, at)
            at += 12
            assert (data[at:at + name_bytes], kind) == (b"stapsdt\0", 3)
            at += name_bytes + 3 & ~3
            address, base_then, semaphore = struct.unpack_from("<3Q", data, at)
            provider, name, where = data[at + 24:at + bytes_of_rest].split(b"\0")[:3]
            at += bytes_of_rest + 3 & ~3
            assert semaphore == 0
            address += base["sh_addr"] - base_then
            notes.append((provider.decode(), name.decode(), where.decode(), address))
        machine = MACHINES.get(elf["e_machine"])
        for _, name, _, address in notes:
            segment = next(s for s in elf.iter_segments() if s["p_type"] == "PT_LOAD" and
                           0 <= address - s["p_vaddr"] < s["p_filesz"])
            assert segment["p_flags"] & 1, (path, name, "is not in code")
            nop = NOPS.get(machine)
            code = segment.data()[address - segment["p_vaddr"]:][:len(nop or b"")]
            assert nop is None or code == nop, (path, name, code)
        return machine, sorted(notes)


def stay_on_one_cpu():
    """A tracer has a buffer for each CPU, so two events may come in the wrong order."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def read_head(path):
    """Samples and bytes, in use and in all, from the profile's first line."""
    line = Path(path).read_text().splitlines()[0]
    return [int(number) for number in re.findall(r"\d+(?=[:\] ])", line)][:4]


class Notes(unittest.TestCase):
    def check(self, path, others=0):
        machine, notes = read_notes(path)
        own = [note[:3] for note in notes if note[0] == "otel_memory"]
        self.assertEqual([note[1] for note in own], ["alloc", "free"], path)
        self.assertEqual(len(notes) - len(own), others, path)
        if machine in CALL:
            self.assertEqual([note[2] for note in own],
                             [" ".join(f"8@{register}" for register in CALL[machine]),
                              f"8@{CALL[machine][0]}"], path)

    def test_libraries(self):
        for name in SHARED:
            if (BUILD / name).exists():
                self.check(BUILD / name)
        self.assertTrue((BUILD / SHARED[0]).exists())

    def test_readelf(self):
        shown = subprocess.run(["readelf", "-n", BUILD / SHARED[0]], capture_output=True,
                               text=True).stdout
        self.assertEqual(len(re.findall(r"Provider: otel_memory\s+Name: (?:alloc|free)\s+", shown)),
                         2, shown)

    def link(self, folder, name, *words):
        program = folder / name
        subprocess.run(["cc", "-o", program, *words, "-lpthread", "-ldl"], check=True)
        return program

    @unittest.skipIf(IS_CROSS, "files of another processor")
    def test_beside_a_programs_own(self):
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            source, plain, api = (folder / name for name in ("own.c", "own.o", "api.o"))
            source.write_text(OWN_PROBE % "")
            subprocess.run(["cc", "-c", "-o", plain, source], check=True)
            source.write_text(OWN_PROBE % "void *usermm_malloc(size_t);\n"
                              "void *(*volatile call)(size_t) = usermm_malloc;")
            subprocess.run(["cc", "-c", "-o", api, source], check=True)
            archive, whole = BUILD / "libusermm.a", BUILD / "usermm_malloc.o"
            for i, words in enumerate(((plain, whole), (whole, plain), (api, archive),
                                       ("-Wl,--whole-archive", archive, "-Wl,--no-whole-archive",
                                        api),
                                       ("-Wl,--gc-sections", whole, plain))):
                self.check(self.link(folder, f"program{i}", *words), 1)


@unittest.skipIf(IS_CROSS, "files of another processor")
class Tracers(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        source, self.program = self.folder / "p.c", self.folder / "p"
        source.write_text(PROGRAM)
        self.library = str(BUILD / SHARED[0])
        subprocess.run(["cc", "-O1", "-fno-builtin", "-o", self.program, source, self.library],
                       check=True)
        self.profiles = [str(self.folder / name) for name in ("before", "after")]

    def check(self, events):
        """Compares the events with the profiles that the program wrote."""
        live, allocated, freed = {}, [], []
        for event in events:
            if len(event) == 1:
                self.assertIn(event[0], live)
                freed.append(live.pop(event[0]))
                continue
            block, size, weight = event
            self.assertNotIn(block, live)
            live[block] = size
            allocated.append(size)
            right = size / -math.expm1(-size / DISTANCE)
            self.assertAlmostEqual(weight, right, delta=1 + right * 1e-8)
        before, after = (read_head(path) for path in self.profiles)
        self.assertEqual([len(allocated), sum(allocated)],
                         [after[i] - before[i] for i in (2, 3)])
        self.assertEqual([len(allocated) - len(freed), sum(allocated) - sum(freed)],
                         [after[i] - before[i] for i in (0, 1)])
        # The two mappings alone are almost surely sampled.
        self.assertGreater(len(allocated), 10)
        self.assertGreater(len(freed), 5)

    def events_of(self, output):
        return [[int(word) for word in line.split()[1:]] for line in output.splitlines()
                if line.startswith("event:")]

    def test_gdb(self):
        gdb = shutil.which("gdb")
        if not gdb:
            self.skipTest("no gdb")
        script = self.folder / "script.py"
        script.write_text(f"LIBRARY, OPTIONS = {self.library!r}, 'profile={DISTANCE}'\n"
                          f"ARGUMENTS = {' '.join(self.profiles)!r}\n{GDB_SCRIPT}")
        done = subprocess.run([gdb, "-nx", "-batch", "-x", script, self.program], text=True,
                              capture_output=True, timeout=LIMIT_SECONDS, stdin=subprocess.DEVNULL)
        output = done.stdout + done.stderr
        if "ptrace" in output and "permitted" in output:
            self.skipTest("gdb may not trace")
        self.assertIn("probes: 2\n", output)
        self.check(self.events_of(output))

    def test_bpftrace(self):
        bpftrace = shutil.which("bpftrace")
        if not bpftrace or platform.machine() not in NOPS:
            self.skipTest("no bpftrace")
        script = self.folder / "script.bt"
        script.write_text(BPFTRACE.format(library=self.library))
        program = subprocess.Popen([self.program, *self.profiles], stdin=subprocess.PIPE,
                                   preexec_fn=stay_on_one_cpu,
                                   env={"LD_PRELOAD": self.library,
                                        "USERMM_OPTIONS": f"profile={DISTANCE}"})
        self.addCleanup(program.wait)
        self.addCleanup(program.stdin.close)
        tracer = subprocess.Popen([bpftrace, "-p", str(program.pid), script], text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.addCleanup(tracer.stdout.close)
        self.addCleanup(tracer.kill)
        end = time.monotonic() + LIMIT_SECONDS
        while tracer.poll() is None and not self.probes_are_set(program.pid):
            if time.monotonic() > end:
                self.skipTest("bpftrace sets no probes here")
            time.sleep(0.05)
        program.stdin.write(b"g")
        program.stdin.flush()
        output = tracer.communicate(timeout=LIMIT_SECONDS)[0]
        if "event:" not in output:
            self.skipTest(f"bpftrace may not run here: {output.strip()[-200:]}")
        self.check(self.events_of(output))

    def probes_are_set(self, pid):
        """Has each nop of the process become a breakpoint?"""
        maps = Path(f"/proc/{pid}/maps").read_text().splitlines()
        starts = [int(line.split("-")[0], 16) for line in maps
                  if line.endswith(os.path.realpath(self.library))]
        if not starts:
            return False
        machine, notes = read_notes(self.library)
        with open(f"/proc/{pid}/mem", "rb", 0) as memory:
            def code(address):
                memory.seek(min(starts) + address)
                return memory.read(len(NOPS[machine]))
            return all(code(note[3]) != NOPS[machine] for note in notes)


if __name__ == "__main__":
    print(f"notes and tracers of {BUILD}, on {platform.machine()}")
    os.environ.pop("LD_PRELOAD", None)
    unittest.main(argv=sys.argv[:1], verbosity=2)
