#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`usermm profile`: its figures, its page, its pprof form, and its answers to bad input.

    check_profile.py USERMM [--browser FOLDER]

Most profiles are made here, with addresses of a program that is compiled here, so all figures are
known. Others are of real runs. --browser: also opens pages in a headless browser.
"""
import gzip
import json
import math
import os
import random
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

from reports import (BAD_INPUT, NO_INPUT, NO_OUTPUT, USAGE, USERMM, BrowserCase, Case, Page)

LIBRARY = Path(USERMM).with_name("libusermm_malloc.so")
DISTANCE = 524288
FIGURES = ("in_use_bytes", "in_use_blocks", "allocated_bytes", "allocated_blocks")
TYPES = {"alloc_objects": "allocated_blocks", "alloc_space": "allocated_bytes",
         "inuse_objects": "in_use_blocks", "inuse_space": "in_use_bytes"}

PROGRAM = r"""
#include <stdlib.h>
static void *volatile kept;
__attribute__((noinline)) void *alpha(void) { return kept = malloc(1000); }
__attribute__((noinline)) void *beta(void) { kept = malloc(3000); free(kept); return kept; }
static inline __attribute__((always_inline)) void inner(void) { kept = malloc(20000); }
__attribute__((noinline)) void outer(void) { inner(); kept = kept; }
int main(void)
{
	for (int i = 0; i < 2000; i++) {
		alpha();
		beta();
		outer();
	}
	return 0;
}
"""
CXX_PROGRAM = r"""
#include <vector>
namespace shop {
template <class T> struct shelf {
	std::vector<T *> all;
	__attribute__((noinline)) void fill(int n) { while (n--) all.push_back(new T[500]); }
};
}
int main() { shop::shelf<int> s; s.fill(2000); return s.all.empty(); }
"""
BASE = 0x400000


def text_of(samples, maps, distance=DISTANCE, notes=()):
    """A profile. samples: (nr in use, bytes in use, nr of all, bytes of all, addresses)."""
    sums = [sum(sample[i] for sample in samples) for i in range(4)]
    lines = ["heap profile: %6d: %8d [%6d: %8d] @ heap_v2/%d" % (*sums, distance),
             *(f"# {note}" for note in notes)]
    lines += ["%6d: %8d [%6d: %8d] @ %s" % (*sample[:4], " ".join(f"{a:#x}" for a in sample[4]))
              for sample in samples]
    return "\n".join([*lines, "", "MAPPED_LIBRARIES:", *maps, ""])


def estimate(nr, size, distance=DISTANCE):
    """(bytes, blocks) that nr samples of this many bytes together stand for."""
    weight = 1 / -math.expm1(-size / nr / distance) if nr else 0
    return size * weight, nr * weight


def figures(samples, distance=DISTANCE):
    totals = [0.0] * 4
    for in_use, in_use_bytes, nr, all_bytes, _ in samples:
        for i, value in enumerate((*estimate(in_use, in_use_bytes, distance),
                                   *estimate(nr, all_bytes, distance))):
            totals[i] += value
    return dict(zip(FIGURES, totals))


# --- pprof's form, as its description says -----------------------------------------------------

def fields(message):
    """(number, value) of each field: an int, or bytes."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 0x7f) << shift
            shift += 7
            if not byte & 0x80:
                return value

    while at < len(message):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
        else:
            assert key & 7 == 2, key
            length = varint()
            yield key >> 3, message[at:at + length]
            assert at + length <= len(message)
            at += length


def numbers(packed):
    """Packed varints, signed."""
    values = [value for _, value in fields(b"".join(
        b"\x08" + group for group in re.findall(rb"[\x80-\xff]*[\x00-\x7f]", packed, re.S)))]
    return [value - (1 << 64) if value >> 63 else value for value in values]


class Pprof:
    def __init__(self, data):
        rows = list(fields(data))
        self.strings = [value.decode() for number, value in rows if number == 6]
        assert self.strings[0] == ""
        message = lambda value: dict(fields(value))
        self.types = [self.strings[message(value)[1]] for number, value in rows if number == 1]
        self.mappings = {m[1]: m for m in (message(v) for n, v in rows if n == 3)}
        self.functions = {f[1]: self.strings[f[2]] for f in
                          (message(v) for n, v in rows if n == 5)}
        self.locations = {}
        for number, value in rows:
            if number == 4:
                location = message(value)
                lines = [message(v) for n, v in fields(value) if n == 4]
                assert location.get(2, 0) in (0, *self.mappings)
                self.locations[location[1]] = [self.functions[line[1]] for line in lines]
        self.samples = [({n: v for n, v in fields(value)}) for number, value in rows if number == 2]
        self.last = dict(rows)

    def sums(self):
        values = [numbers(sample[2]) for sample in self.samples]
        return {TYPES[name]: sum(row[i] for row in values) for i, name in enumerate(self.types)}

    def self_of(self, function, name):
        """What the function itself asked for."""
        return sum(numbers(sample[2])[self.types.index(name)] for sample in self.samples
                   if self.locations[numbers(sample[1])[0]][:1] == [function])


class ProfileCase(Case):
    def setUp(self):
        super().setUp()
        if not Path(USERMM).with_name("usermm-inspect").exists():
            self.skipTest("built without elfutils")

    def compile(self, name, source, *words):
        path = self.folder / f"{name}.{'cc' if 'vector' in source else 'c'}"
        path.write_text(source)
        program = self.folder / name
        compiler = "c++" if path.suffix == ".cc" else "cc"
        subprocess.run([compiler, "-g", "-O1", "-fno-builtin", "-o", program, path, *words],
                       check=True)
        os.utime(program, (1, 1))
        return str(program)

    def known(self):
        """A program with fixed addresses, those of its functions, and its mapping."""
        program = self.compile("words", PROGRAM, "-no-pie", "-Wl,--build-id")
        listing = subprocess.run(["nm", program], capture_output=True, text=True).stdout
        self.at = {line.split()[2]: int(line.split()[0], 16) + 4 for line in
                   listing.splitlines() if len(line.split()) == 3}
        self.maps = [f"{BASE:x}-{BASE + 0x5000:x} r-xp 00000000 fe:00 1 {program}"]
        at = self.at
        self.samples = [(3, 3000, 5, 5000, [at["alpha"], at["main"]]),
                        (0, 0, 7, 21000, [at["beta"], at["main"]]),
                        (2, 2 << 20, 2, 2 << 20, [at["alpha"], at["outer"], at["main"]]),
                        (1, 100, 4, 400, [0x7000000000])]
        return program

    def json(self, *words):
        done = self.run_tool("profile", "--json", *words)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)

    def equal(self, found, right, off=1):
        """off: how far a rounded number may be off."""
        for name in FIGURES:
            self.assertAlmostEqual(found[name], right[name], delta=off, msg=name)

    def run_profiled(self, program, *words, distance=4096):
        path = self.folder / f"{Path(program).name}.heap"
        subprocess.run([program, *words], check=True, timeout=60, env=os.environ | {
            "LD_PRELOAD": str(LIBRARY),
            "USERMM_OPTIONS": f"profile={distance}:profile_file={path}"})
        return str(path)


class Figures(ProfileCase):
    def test_functions_and_calls(self):
        self.known()
        document = self.json(self.write("heap", text_of(self.samples, self.maps)))
        self.assertEqual(document["profile"]["distance_bytes"], DISTANCE)
        self.equal(document["profile"]["sums"], figures(self.samples))
        functions = {row["name"]: row for row in document["functions"]}
        self.assertEqual(set(functions), {"alpha", "main", "outer", "0x7000000000"})
        by_self = {"alpha": [0, 2], "main": [], "outer": [], "0x7000000000": [3]}
        by_total = {"alpha": [0, 2], "main": [0, 1, 2], "outer": [2], "0x7000000000": [3]}
        for name, row in functions.items():
            self.equal(row["self"], figures([self.samples[i] for i in by_self[name]]))
            self.equal(row["total"], figures([self.samples[i] for i in by_total[name]]))
        self.assertRegex(functions["alpha"]["source"], r"/words\.c$")
        self.assertEqual(functions["alpha"]["line"], 4)
        calls = {node["name"]: node for node in document["calls"]["callees"]}
        self.assertEqual(set(calls), {"main", "0x7000000000"})
        self.assertEqual({node["name"] for node in calls["main"]["callees"]},
                         {"alpha", "beta", "outer"})
        self.equal(next(n for n in calls["main"]["callees"] if n["name"] == "beta")["self"],
                   figures([self.samples[1]]))
        # Freed blocks are shown if they are asked for.
        functions = [row["name"] for row in self.json(str(self.folder / "heap"), "--allocated",
                                                      "--rows", "2")["functions"]]
        self.assertEqual(functions, ["alpha", "beta"])

    def test_recursion_counts_once(self):
        self.known()
        samples = [(1, 1000, 1, 1000, [self.at["alpha"]] * 5 + [self.at["main"]])]
        functions = {row["name"]: row for row in self.json(
            self.write("heap", text_of(samples, self.maps)))["functions"]}
        self.equal(functions["alpha"]["total"], figures(samples))
        self.equal(functions["alpha"]["self"], figures(samples))

    def test_deep_stacks(self):
        """A stack that may have been cut is not taken for one that begins at its last frame."""
        self.known()
        deep = [self.at["alpha"]] * 15 + [self.at["outer"]]
        samples = [(1, 1000, 1, 1000, deep), (1, 1000, 1, 1000, deep[1:])]
        document = self.json(self.write("heap", text_of(samples, self.maps)))
        calls = {node["name"]: node for node in document["calls"]["callees"]}
        self.assertEqual(set(calls), {"outer", "(callers that were not kept)"})
        self.assertEqual([node["name"] for node in
                          calls["(callers that were not kept)"]["callees"]], ["outer"])
        self.assertEqual({row["name"] for row in document["functions"]}, {"alpha", "outer"})

    def test_growth_of_another_run(self):
        """The older profile has other addresses, and stacks that are gone."""
        program = self.known()
        moved = [(1, 1000, 1, 1000, [a + 0x100000 for a in self.samples[0][4]]),
                 (4, 4000, 4, 4000, [a + 0x100000 for a in self.samples[1][4]])]
        library = self.compile("moved", PROGRAM.replace("alpha", "alpha"), "-no-pie",
                               f"-Wl,-Ttext-segment={BASE + 0x100000:#x}")
        listing = subprocess.run(["nm", library], capture_output=True, text=True).stdout
        self.assertIn(f"{self.at['alpha'] - 4 + 0x100000:016x} T alpha", listing)
        maps = [line.replace(program, library).replace(f"{BASE:x}-{BASE + 0x5000:x}",
                f"{BASE + 0x100000:x}-{BASE + 0x105000:x}") for line in self.maps]
        new = self.write("new", text_of(self.samples, self.maps))
        old = self.write("old", text_of(moved, maps))
        document = self.json(new, old)
        functions = {row["name"]: row for row in document["functions"]}
        self.equal(functions["alpha"]["self_before"], figures([moved[0]]))
        self.equal(functions["alpha"]["self"], figures([self.samples[0], self.samples[2]]))
        self.equal(functions["beta"]["self_before"], figures([moved[1]]))
        self.assertEqual(document["functions"][0]["name"], "alpha")
        self.assertEqual(document["functions"][-1]["name"], "beta")
        text = self.run_tool("profile", new, old).stdout
        self.assertRegex(text, r"\n\s+-2\.0 MiB\s+-2\.0 MiB\s+0 B\s+0 B  beta ")
        difference = self.pprof(new, old)
        now, before = figures(self.samples), figures(moved)
        self.equal(difference.sums(), {name: now[name] - before[name] for name in FIGURES}, 6)

    def pprof(self, *words):
        out = str(self.folder / "out.pb")
        done = self.run_tool("profile", *words, "-o", out)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        return Pprof(Path(out).read_bytes())

    def test_text(self):
        self.known()
        path = self.write("heap", text_of(self.samples, self.maps, notes=["9 more samples"]))
        done = self.run_tool("profile", path, "--rows", "1")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = done.stdout.splitlines()
        self.assertRegex(lines[0], r"MiB in use in \d+ blocks; .*; one sample in 512\.0 KiB$")
        self.assertEqual(lines[1], f"{path}: 9 more samples")
        self.assertRegex(lines[4], r"MiB  alpha \(words\.c:4\)$")
        self.assertEqual(lines[5:], ["3 more functions; --rows shows more"])

    def test_pprof(self):
        program = self.known()
        path = self.write("heap", text_of(self.samples, self.maps))
        read = self.pprof(path)
        self.assertEqual(read.types, list(TYPES))
        self.equal(read.sums(), figures(self.samples), len(self.samples))
        self.assertAlmostEqual(read.self_of("alpha", "inuse_space"), figures(
            [self.samples[0], self.samples[2]])["in_use_bytes"], delta=2)
        self.assertEqual(read.last[12], DISTANCE)
        self.assertEqual(read.strings[read.last[14]], "inuse_space")
        mapping, = read.mappings.values()
        self.assertEqual((mapping[2], mapping[3]), (BASE, BASE + 0x5000))
        self.assertEqual(read.strings[mapping[5]], program)
        notes = subprocess.run(["readelf", "-n", program], capture_output=True, text=True).stdout
        self.assertIn(f"Build ID: {read.strings[mapping[6]]}\n", notes)
        packed = self.folder / "out.pb.gz"
        self.assertEqual(self.run_tool("profile", path, "-o", str(packed)).returncode, 0)
        self.assertEqual(gzip.decompress(packed.read_bytes()),
                         (self.folder / "out.pb").read_bytes())

    def test_pprof_itself(self):
        """If Go is installed, its pprof reads the file."""
        if not shutil.which("go"):
            self.skipTest("no go")
        self.known()
        self.pprof(self.write("heap", text_of(self.samples, self.maps)))
        done = subprocess.run(["go", "tool", "pprof", "-top", "-unit=B", "-nodecount=9",
                               self.folder / "out.pb"], capture_output=True, text=True,
                              env=os.environ | {"PPROF_TMPDIR": str(self.folder)})
        if "no such tool" in done.stderr:
            self.skipTest("a go without pprof")
        right = figures([self.samples[0], self.samples[2]])["in_use_bytes"]
        found = re.search(r"(?m)^\s*(\d+)B .* alpha$", done.stdout)
        self.assertTrue(found, done.stdout + done.stderr)
        self.assertAlmostEqual(int(found[1]), right, delta=2)

    def test_a_real_run(self):
        path = self.run_profiled(self.compile("real", PROGRAM, "-rdynamic"))
        functions = {row["name"]: row for row in self.json(path)["functions"]}
        # In the worst case a sixth of the samples of 2000 blocks is missed.
        for name, right in (("alpha", 2e6), ("inner", 40e6)):
            self.assertAlmostEqual(functions[name]["self"]["in_use_bytes"], right,
                                   delta=right / 3)
        # The inlined function is its caller's, at the line of the call.
        outer = functions["outer"]
        self.assertEqual((outer["self"]["in_use_bytes"], outer["line"]), (0, 7))
        self.assertEqual(outer["total"], functions["inner"]["total"])
        text = self.run_tool("profile", path, "--allocated").stdout
        self.assertRegex(text, r"0 B\s+0 B  beta \(real\.c:5\)")

    def test_names_of_cxx(self):
        if not shutil.which("c++"):
            self.skipTest("no C++ compiler")
        path = self.run_profiled(self.compile("shop", CXX_PROGRAM))
        names = {row["name"] for row in self.json(path)["functions"]}
        self.assertIn("shop::shelf<int>::fill(int)", names)


class OnePage(ProfileCase):
    def page(self, *words):
        output = self.folder / "page.html"
        done = self.run_tool("profile", *words, "-o", str(output))
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertEqual(list(self.folder.glob("*.partial")), [])
        return output.read_text()

    def test_the_table_has_the_figures(self):
        self.known()
        path = self.write("heap", text_of(self.samples, self.maps, notes=["9 <more> samples"]))
        text = self.page(path)
        page = Page(text)
        self.assertEqual((page.open, page.links), ([], []))
        self.assertEqual(page.tables[0][-1][1]["text"], "9 <more> samples")
        self.assertEqual([cell["text"] for cell in page.tables[1][0]],
                         ["function", "self", "total"])
        self.assertEqual({row[0]["text"] for row in page.tables[1][1:]},
                         {"alpha", "main", "outer", "0x7000000000"})
        right = figures([self.samples[0], self.samples[2]])
        row = re.search(r'<tr data-self="([\d ]+)" data-total="[\d ]+"><th [^>]*>alpha<', text)
        for found, name in zip(row[1].split(), FIGURES):
            self.assertAlmostEqual(int(found), right[name], delta=1)
        calls = json.loads(re.search(r'id="calls">(.*?)</script>', text, re.S)[1])
        self.assertEqual(calls["names"][0], "all")
        self.assertFalse(calls["hasBefore"])
        # The page's policy lets it fetch nothing.
        self.assertEqual(text.count("content=\"default-src 'none';"), 1)
        self.assertTrue("Apache License" in text and "Mike Bostock" in text)

    def test_names_are_no_markup(self):
        self.known()
        evil = "/x/</script><script>alert(1)</script>"
        maps = [f"7000000000-7000001000 r-xp 00000000 fe:00 1 {evil}"]
        path = self.write("heap", text_of([(1, 5, 1, 5, [0x7000000100])], maps))
        done = self.run_tool("profile", path, "-o", str(self.folder / "page.html"))
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"warning: .* is not here")
        text = (self.folder / "page.html").read_text()
        self.assertEqual(text.count("<script>"), 4)
        self.assertEqual(Page(text).open, [])

    def test_an_empty_profile(self):
        for words in ((), ("-o", str(self.folder / "a.html")), ("-o", str(self.folder / "a.pb"))):
            done = self.run_tool("profile", self.write("heap", text_of([], [])), *words)
            self.assertEqual((done.returncode, done.stderr), (0, ""))


class BadInput(ProfileCase):
    def test_bad_words(self):
        path = self.write("heap", text_of([], []))
        self.refused(USAGE, "no profile given", "profile")
        self.refused(USAGE, "more than two", "profile", path, path, path)
        self.refused(USAGE, "has to end in .html, .pb or .pb.gz", "profile", path, "-o", "x.svg")
        self.refused(USAGE, "has to end in", "profile", path, "-o", ".html")
        self.refused(USAGE, "--json does not go with --output", "profile", path, "--json", "-o",
                     "x.html")
        self.refused(USAGE, "--rows takes 1 to", "profile", path, "--rows", "0")
        self.refused(USAGE, "unknown option '--none'", "profile", path, "--none")

    def test_bad_files(self):
        good, out = self.write("good", text_of([], [])), str(self.folder / "out.html")
        self.refused(NO_INPUT, "none: No such file", "profile", "none", "-o", out)
        self.refused(NO_INPUT, "Is a directory", "profile", str(self.folder))
        self.refused(NO_OUTPUT, "No such file", "profile", good, "-o", "/no/such/x.html")
        for end in (".html", ".pb", ".pb.gz"):
            full = self.folder / f"full{end}"
            full.symlink_to("/dev/full")
            self.refused(NO_OUTPUT, "No space left", "profile", good, "-o", str(full))
        whole = text_of([(1, 5, 1, 5, [16])] * 3, [])
        for text, pattern in (("", "line 1 has the end of the file"),
                              ("{}", "line 1 has no head"),
                              ("heap_v2/524288\n  t*: 1: 2 [0: 0]\n", "line 1 has no head"),
                              (whole.replace("heap_v2/524288", "heap_v2/0"), "line 1 has no head"),
                              (whole.replace("@ 0x10", "@" + " 0x10" * 2000, 1),
                               "line 2 has a stack that is too deep"),
                              (whole[:90], "line 2 has the end of the file, which was cut off"),
                              (whole + "7000-8000 r-xp", "line 7 has the end of the file"),
                              (whole.replace("@ 0x10", "@ 0y10", 1), "line 2 has neither"),
                              (whole.replace("0x10", "0x" + "1" * 30), "line 2 has neither"),
                              (whole.encode().replace(b"0x10", b"0x1\0"), "has a zero byte")):
            self.refused(BAD_INPUT, pattern, "profile", self.write("bad", text), "-o", out)
            self.refused(BAD_INPUT, pattern, "profile", good, self.write("bad", text), "-o", out)
        self.assertFalse(os.path.exists(out))

    def test_damaged_files_never_crash(self):
        self.known()
        whole = text_of(self.samples, self.maps, notes=["one"]).encode()
        chance = random.Random(44)
        for number in range(60):
            damaged = bytearray(whole)
            for _ in range(chance.randrange(1, 9)):
                damaged[chance.randrange(len(damaged))] = chance.randrange(256)
            damaged = bytes(damaged[:chance.randrange(len(damaged)) if number % 3 == 0 else None])
            end = (".html", ".pb.gz", ".pb")[number % 3]
            done = self.run_tool("profile", self.write("damaged", damaged), "-o",
                                 str(self.folder / f"x{end}"))
            self.assertIn(done.returncode, (0, BAD_INPUT), damaged)
            self.assertLessEqual(done.stderr.count("\n"), 2, done.stderr)

    def test_files_that_are_gone_or_new(self):
        program = self.known()
        path = self.write("heap", text_of(self.samples, self.maps))
        os.utime(program)
        os.utime(path, (1000, 1000))
        done = self.run_tool("profile", path)
        self.assertRegex(done.stderr,
                         rf"\Ausermm profile: warning: {program} was changed after .*\n\Z")
        os.unlink(program)
        done = self.run_tool("profile", path)
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, rf"\Ausermm profile: warning: {program} is not here.*\n\Z")
        self.assertIn("  words+0x", done.stdout)

    def test_nothing_is_in_use(self):
        """A program that frees all before it ends: an empty table says what shows more."""
        self.known()
        path = self.write("heap", text_of([(0, 0, *sample[2:]) for sample in self.samples],
                                          self.maps))
        hint = "no function has memory in use; --allocated ranks by what was ever allocated\n"
        self.assertTrue(self.run_tool("profile", path).stdout.endswith("function\n" + hint))
        self.assertNotIn("no function", self.run_tool("profile", "--allocated", path).stdout)

    def test_devices_are_not_opened(self):
        """A device that the process had mapped may do anything when it is opened."""
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        maps = [f"400000-500000 r-xp 00000000 fe:00 1 {pipe}"]
        done = self.run_tool("profile", self.write("heap", text_of([(1, 5, 1, 5, [0x400100])],
                                                                   maps)))
        self.assertEqual(done.returncode, 0)
        self.assertIn("pipe+0x100", done.stdout)


class Graph(BrowserCase, ProfileCase):
    """Does the flame graph appear, in both colours?"""

    def test_graph(self):
        self.known()
        new = self.write("new", text_of(self.samples, self.maps))
        old = self.write("old", text_of(self.samples[2:], self.maps))
        real = self.run_profiled(self.compile("real", PROGRAM, "-rdynamic"))
        for name, words, frames in (("profile", [new], 6), ("growth", [new, old], 3),
                                    ("run", [real], None)):
            page = self.folder / f"{name}.html"
            self.assertEqual(self.run_tool("profile", *words, "-o", str(page)).returncode, 0)
            dom = self.open(page, "--dump-dom")
            found = re.search(r'data-frames="(\d+)"', dom)
            self.assertTrue(found, name)
            if frames:
                self.assertEqual(int(found[1]), frames, name)
            self.assertGreater(int(found[1]), 2)
            self.screenshots(page, name)

    def test_empty_graph(self):
        self.known()
        freed = self.write("freed", text_of([(0, 0, *sample[2:]) for sample in self.samples],
                                            self.maps))
        page = self.folder / "freed.html"
        for words, text in (([freed], "No function has any; choose another figure."),
                            ([freed, freed], "Nothing has grown; choose another figure, ")):
            self.assertEqual(self.run_tool("profile", *words, "-o", str(page)).returncode, 0)
            self.assertIn(text, self.open(page, "--dump-dom"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
