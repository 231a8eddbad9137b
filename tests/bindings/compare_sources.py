#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does the crate usermm-sys compile the same files as CMake for libusermm.a, with the same flags?

    compare_sources.py BUILD

The crate's list is bindings/rust/usermm-sys/build/sources.rs, which is compiled here with a main()
that prints it. CMake's is compile_commands.json in the build folder. Exit status 77 without rustc.
"""
import json
import platform
import re
import shlex
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIST = ROOT / "bindings/rust/usermm-sys/build/sources.rs"
# The targets whose objects are in libusermm.a.
PARTS = ("usermm_core", "usermm_archives_only", "usermm_api_malloc")
SKIP = 77
# Flags that change the code. Those for debugging symbols and warnings do not.
COUNTS = re.compile(r"-([DUfm]|std=|O)")
PRINT = """
#[path = "LIST"]
mod sources;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let src = std::path::Path::new(&words[0]);
    for group in sources::find_sources(src, &words[1], words[2] == "gnu") {
        let mut flags = vec![
            format!("-std={}", sources::STANDARD),
            format!("-O{}", sources::OPTIMIZATION),
            "-fPIC".to_string(), // of cc::Build::pic()
        ];
        let defines = sources::common_defines(&words[3], words[4] == "1", words[5] == "1");
        for (name, value) in defines.into_iter().chain(group.defines()) {
            flags.push(match value {
                Some(value) => format!("-D{name}={value}"),
                None => format!("-D{name}"),
            });
        }
        flags.extend(sources::COMMON_FLAGS.iter().chain(group.flags).map(|it| it.to_string()));
        for file in group.files {
            println!("{}\\t{}", file.strip_prefix(src).unwrap().display(), flags.join("\\t"));
        }
    }
}
"""


def read_build(build):
    """The flags of each file below src/ that is in libusermm.a."""
    files = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        words = shlex.split(entry["command"])
        part = re.search(r"CMakeFiles/(\w+)\.dir/", words[words.index("-o") + 1])
        if part and part[1] in PARTS:
            name = str(Path(entry["file"]).relative_to(ROOT / "src"))
            files[name] = {word for word in words if COUNTS.match(word)}
    return files


class Crate:
    """The crate's list, as a program of one file."""

    def __init__(self, build, source=LIST):
        folder = build / "rust"
        folder.mkdir(parents=True, exist_ok=True)
        main, self.program = folder / "print_sources.rs", folder / "print_sources"
        main.write_text(PRINT.replace("LIST", str(source)))
        subprocess.run(["rustc", "--edition", "2021", "-o", self.program, main], check=True)

    def read(self, src, flags):
        """flags: of a build, whose compiler and settings the crate is to have."""
        joined = " ".join(flags)
        said = subprocess.run(
            [self.program, src, platform.machine(), "gnu" if "-falign-jumps" in joined else "clang",
             re.search(r'-DUSERMM_VERSION="([^"]+)"', joined)[1],
             re.search(r"-DUSERMM_DEBUG=(\d)", joined)[1],
             "1" if "-DUSERMM_UNWINDER" in flags else "0"],
            text=True, capture_output=True, check=True).stdout
        files = {}
        for line in said.splitlines():
            name, *own = line.split("\t")
            files[name] = set(own)
        return files


def differences(build, crate):
    """A line for each file that is missing on one side, or compiled otherwise."""
    lines = [f"{name}: the crate lacks it" for name in sorted(build.keys() - crate.keys())]
    lines += [f"{name}: the crate has it, libusermm.a does not"
              for name in sorted(crate.keys() - build.keys())]
    for name in sorted(build.keys() & crate.keys()):
        lacks, more = build[name] - crate[name], crate[name] - build[name]
        if lacks or more:
            lines.append(f"{name}: the crate lacks {sorted(lacks)}, and has {sorted(more)}")
    return lines


class TestSources(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.built = read_build(BUILD)
        cls.crate = Crate(BUILD).read(ROOT / "src", set().union(*cls.built.values()))

    def test_same(self):
        self.assertGreater(len(self.built), 100)
        wrong = differences(self.built, self.crate)
        self.assertFalse(wrong, f"mend {LIST.relative_to(ROOT)}:\n" + "\n".join(wrong))

    def test_order(self):
        """The page of hot functions begins with free()."""
        self.assertEqual(list(self.crate)[:4], [f"malloc/{name}.c" for name in
                                                ("free", "malloc_slow", "malloc", "realloc")])

    def test_differences_are_seen(self):
        for name, flags in (("new.c", {"-O2"}), ("base/text.c", set())):
            self.assertTrue(differences({**self.built, name: flags}, self.crate), name)
            self.assertTrue(differences(self.built, {**self.crate, name: flags}), name)


if __name__ == "__main__":
    if not shutil.which("rustc"):
        print("compare_sources: skipped: there is no rustc")
        sys.exit(SKIP)
    BUILD = Path(sys.argv.pop(1)).resolve()
    unittest.main()
