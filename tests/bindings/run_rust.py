#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The tests of the Rust crates in bindings/rust.

    run_rust.py --library BUILD    the crates on the library in that folder; without the network
    run_rust.py --whole BUILD      all: the crates as users have them, which compile the library

--library needs cargo alone, so `make test` runs it: it takes copies of the crates that need no
crate of others. --whole fetches crates, and also runs the examples, documentation tests, clippy,
rustfmt, the address sanitizer, Miri where it is installed, and `cargo package`; it compiles for
other targets whose standard library is installed. Its last line is "N passed, N failed".

Exit status 77, and a line that says why, if there is no cargo of OLDEST or newer.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CRATES = ROOT / "bindings/rust"
OLDEST = (1, 85)
SKIP = 77
HOST = "x86_64-unknown-linux-gnu"
# Compiled for each, if rustc has its standard library: the target, and its C compiler and linker.
TARGETS = [("aarch64-unknown-linux-gnu", "aarch64-linux-gnu-gcc"),
           ("x86_64-unknown-linux-musl", "musl-gcc")]
EXAMPLES = ("web_server", "packet_ring", "key_value_store")
FEATURES = ("--features", "allocator-api2")
# In a copy that does without the crates of others.
OTHERS = re.compile(r"^(cc|allocator-api2) = .*\n", re.MULTILINE)
OTHERS_FEATURES = re.compile(r'"dep:[\w-]+"')


def cargo_version():
    try:
        said = subprocess.run(["cargo", "--version"], text=True, capture_output=True).stdout
    except OSError:
        return None
    match = re.match(r"cargo (\d+)\.(\d+)", said)
    return match and (int(match[1]), int(match[2]))


def environment(**more):
    """Without the variables of a cargo or a build that started us."""
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith(("CARGO_PROFILE", "USERMM_", "RUSTFLAGS"))}
    # Neither debug information nor incremental builds: this is built once.
    return {**kept, "CARGO_PROFILE_DEV_DEBUG": "0", "CARGO_INCREMENTAL": "0",
            "RUST_BACKTRACE": "0", **more}


def copy_without_crates(to):
    """Copies the crates into the folder, as they are without the crates of others."""
    shutil.rmtree(to, ignore_errors=True)
    shutil.copytree(CRATES, to, ignore=shutil.ignore_patterns("target", "Cargo.lock"),
                    symlinks=True)
    for link in [path for path in to.rglob("*") if path.is_symlink()]:
        original = (CRATES / link.relative_to(to)).resolve()
        link.unlink()
        link.symlink_to(original)
    for manifest in to.glob("*/Cargo.toml"):
        text = OTHERS_FEATURES.sub("", OTHERS.sub("", manifest.read_text()))
        manifest.write_text(text)


def test_with_library(build):
    """Runs the tests on the library in the build folder. Answers cargo's exit status."""
    copy = build / "rust/crates"
    copy_without_crates(copy)
    return subprocess.run(
        ["cargo", "test", "--offline", "--quiet", "--no-default-features", "--lib", "--tests",
         "--target-dir", str(build / "rust/target")],
        cwd=copy, env=environment(USERMM_LIB_DIR=str(build))).returncode


class Whole:
    """Steps, each of which passes or fails."""

    def __init__(self, build):
        self.target = build / "rust/whole"
        self.results = {}

    def step(self, name, *argv, cwd=CRATES, **variables):
        print(f"+ {name}: {' '.join(argv)}", flush=True)
        folder = str(self.target / variables.pop("folder", "default"))
        done = subprocess.run(argv, cwd=cwd, env=environment(CARGO_TARGET_DIR=folder, **variables))
        self.results[name] = done.returncode == 0

    def skip(self, name, why):
        print(f"+ {name}: skipped: {why}", flush=True)

    def run(self):
        self.step("tests", "cargo", "test", *FEATURES, RUSTFLAGS="-Dwarnings",
                  RUSTDOCFLAGS="-Dwarnings")
        for example in EXAMPLES:
            self.step(f"example {example}", "cargo", "run", "--quiet", "--example", example,
                      RUSTFLAGS="-Dwarnings")
        self.step("assertions", "cargo", "test", "--lib", "--tests", "--features", "assertions",
                  folder="assertions")
        self.step("clippy", "cargo", "clippy", "--all-targets", *FEATURES, "--", "-Dwarnings")
        self.step("documentation", "cargo", "doc", "--no-deps", *FEATURES,
                  RUSTDOCFLAGS="-Dwarnings")
        self.step("format", "cargo", "fmt", "--check")
        self.step("package", "cargo", "package", "--quiet", "--allow-dirty", "-p", "usermm-sys")
        # Only nightly compilers have a flag for sanitizers; with the variable any compiler accepts
        # it.
        self.step("address sanitizer", "cargo", "test", "--lib", "--tests", *FEATURES, "--target",
                  HOST, RUSTFLAGS="--cfg usermm_mock -Zsanitizer=address", RUSTC_BOOTSTRAP="1",
                  folder="sanitizer")
        self.run_miri()
        for target, compiler in TARGETS:
            self.run_target(target, compiler)

    def run_miri(self):
        asked = subprocess.run(["cargo", "+nightly", "miri", "--version"], capture_output=True)
        if asked.returncode:
            self.skip("Miri", "rustup +nightly component add miri")
            return
        self.step("Miri", "cargo", "+nightly", "miri", "test", "--lib", "--tests", *FEATURES,
                  MIRIFLAGS="-Zmiri-permissive-provenance", folder="miri")

    def run_target(self, target, compiler):
        root = subprocess.run(["rustc", "--print", "sysroot"], text=True, capture_output=True)
        if not (Path(root.stdout.strip()) / "lib/rustlib" / target / "lib").exists():
            self.skip(target, f"rustup target add {target}")
            return
        if not shutil.which(compiler):
            self.skip(target, f"there is no {compiler}")
            return
        linker = f"CARGO_TARGET_{target.upper().replace('-', '_')}_LINKER"
        self.step(target, "cargo", "build", "--examples", *FEATURES, "--target", target,
                  folder="cross", **{linker: compiler})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    extent = parser.add_mutually_exclusive_group(required=True)
    extent.add_argument("--library", type=Path, metavar="BUILD")
    extent.add_argument("--whole", type=Path, metavar="BUILD")
    args = parser.parse_args()

    version = cargo_version()
    if not version or version < OLDEST:
        wanted = ".".join(map(str, OLDEST))
        print(f"run_rust: skipped: cargo {wanted} or newer is needed, and there is "
              f"{'.'.join(map(str, version)) if version else 'none'}")
        return SKIP
    if args.library:
        return test_with_library(args.library.resolve())
    whole = Whole(args.whole.resolve())
    whole.run()
    failed = [name for name, passed in whole.results.items() if not passed]
    for name in failed:
        print(f"FAILED {name}")
    print(f"{len(whole.results) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
