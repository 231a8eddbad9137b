# SPDX-License-Identifier: MIT
#
# CMake does the work: `cmake --list-presets` shows its presets.
#
#   make build         build/usermm, build/libusermm.so, .a, libusermm_malloc.so, .a,
#                      usermm_malloc.o
#   make run           real programs on usermm, then the four seed tables
#   make check         for the edit loop: the release, its unit tests, the rules (3 minutes)
#   make test          the flavours that matter most; ends with "N passed, N failed" (15 minutes)
#   make test-long     every flavour, every test (an hour)
#   make test-distros  builds and tests in Debian 13 and unstable; as root (an hour)
#   make test-image    the container image of examples/docker, built by buildah without a registry,
#                      and used; as root; fetches packages (5 minutes)
#   make test-aarch64  the release for aarch64 in an emulated machine; takes long
#   make test-riscv64  the same for riscv64; from Debian 13 on, whose libc knows its sequences
#   make test-ports    the release for processors without sequences, under user emulation:
#                      riscv64, ppc64le, s390x and loong64, or PORTS="s390x"; takes long
#   make test-rust     the Rust crates as users have them: they compile the library, also for
#                      other targets; clippy, documentation, sanitizer; fetches crates
#                      (5 minutes)
#   make test-numa     tests on emulated machines with several memory nodes (15 minutes)
#   make test-limits   tests on an emulated machine that grants little memory and few mappings,
#                      and takes CPUs away (10 minutes)
#   make test-groups   programs in memory cgroups of both versions that others fill or resize, on
#                      emulated machines (10 minutes)
#   make test-kernels  the per-CPU lists and malloc on Debian's kernels, 6.12 to the newest, in
#                      emulated machines (x86-64 and aarch64), with the build's libc and
#                      unstable's; KERNELS="--all arm64" and the like (takes hours)
#   make test-denied   every test where rseq or membarrier is refused, under Valgrind,
#                      and under musl; takes long
#   make test-kernel-rseq  the kernel's own tests of rseq, at length (10 minutes)
#   make conformance   the same tests inside Linux 6.12 and 7.3, as user processes, and on usermm
#                      with the rules of each; CONFORMANCE="--linux 7.3 page_bulk" and the like
#   make compare-linux  the seeds' benchmarks in these Linuxes and on usermm, side by side
#   make bench-peers   newer allocators from their crates, for `usermm bench malloc`; needs
#                      cargo 1.85 and the network, and a quarter of an hour
#   make bench-rust    the Rust crate beside jemalloc's, mimalloc's and snmalloc's, by criterion;
#                      fetches crates; BENCH="malloc -- pair" and the like are handed on
#   make bench-rust-preload  the same in rounds, beside the preload as well: medians and ratios;
#                      BENCH="--rounds 9" and the like are handed on
#   make bench-cpp     usermm.hpp and heaps beside the C calls that they make, by Google Benchmark;
#                      BENCH="--benchmark_filter=heap" and the like are handed on
#   make soak-remote   ten minutes of one thread that allocates and one that frees, under
#                      each allocator, with 370 MiB live; SOAK="--seconds 60" and the like
#   make soak-threads  a million threads in turn, which allocate and leave blocks (a minute)
#   make soak-fork     100000 forks while eight threads allocate, under usermm and under libc's
#                      malloc in turn; SOAK="--forks 10000" and the like (an hour)
#   make soak-peak     4 GiB, or half of the memory that is there, are taken and freed, twice:
#                      what is left 10 seconds later, and after malloc_trim() (two minutes)
#   make upstream-tests  the kernel's own tests of its allocators and trees, from Debian's
#                      linux-source; the trees also on the caches that these tests bring, and
#                      which is faster (half an hour)
#   make test-glibc    glibc's own tests of malloc under the library (5 minutes)
#   make test-cpython  CPython's own tests under the library, and without it (20 minutes);
#                      with CPYTHON="--state FILE" the next one goes on where this one ended
#   make test-suites   perl's core tests, gnulib's of allocation and threads, libc++'s of operator
#                      new, also linked with the library, and hardened_malloc's of heap mistakes,
#                      with hardened=1; fetches their sources, 150 MB (10 minutes)
#   make test-programs  servers and other programs under the library, compared with glibc
#   make test-system   a whole Debian, from its first process on, with the library in all; as root
#   make bench-programs  the same programs under each allocator: time and memory
#   make bench-memory  loads under each allocator: peak and resting memory, page faults, and
#                      pictures in build/memory; MEMORY="--rounds 1 peak" and the like (an hour)
#   make bench-heavy   programs that do little but allocate, under each allocator: processor time and
#                      peak memory; HEAVY="--rounds 9 trees" and the like
#   make bench-floors  builds bench/floors in build/floors: the work that no allocator can avoid
#   make bench-threads what the CPUs share in malloc and free, counted on emulated machines with 2 to
#                      16 CPUs; BENCH_THREADS="--operations 300000 2 4" and the like are handed on
#   make fuzz-malloc   malloc and the slab calls under libFuzzer, 300 s each; FUZZ="--seconds 3600"
#   make site          the documentation as a site, in build/site/html, with a reference of calls and
#                      commands; MkDocs comes from PyPI; fails if a link leads nowhere
#   make deb           the Debian packages, in build/package
#   make dist          the archive of the sources, and recipes for Conan and vcpkg, in build/dist;
#                      DIST="--url https://..." says where others will fetch the archive
#   make test-recipes  both recipes, built from that archive, and used; fetches Conan (10 minutes)
#   make wheel         the wheels for pip, for glibc and musl, in build/wheel; fetches tools from
#                      PyPI (10 minutes)
#   make test-wheel    the same, installed in fresh virtual environments and used
#   make check-layers  the rules that need no build: layers, folders, names, words, length of lines
#   make deps          the Debian packages for all that, and the peers to compare with
#   make clean         removes build
#   make help          this list
#
# A target installs the packages that it needs first, as root or by sudo. `make build` and
# `make deb` need no tests' packages; tools/install-deps.sh has the sets.
JOBS ?= $(shell nproc)
# A folder that is configured keeps its generator.
ifneq ($(shell command -v ninja 2>/dev/null),)
export CMAKE_GENERATOR ?= Ninja
endif

# What people come for, without the tests.
PRODUCTS := usermm usermm_shared usermm_static usermm_malloc usermm_malloc_static usermm_kernel usermm_man
# What tests/qemu/run_kernels.py runs.
TESTED_BY_KERNELS := usermm usermm_malloc percpu_test_abort percpu_test_bound \
	percpu_test_registration percpu_test_known_bugs malloc_test_model \
	malloc_test_signal_malloc malloc_test_fork malloc_test_vfork

# Presets; Debian 12 has no compilers for loong64.
PORTS ?= riscv64 ppc64le s390x \
	$(shell apt-cache show gcc-loongarch64-linux-gnu >/dev/null 2>&1 && echo loong64)

# What is installed first decides what is built; and each step uses all processors.
.NOTPARALLEL:

.PHONY: build run help check test test-long test-distros test-image test-aarch64 test-riscv64 \
	test-ports test-numa test-limits test-groups test-kernels test-denied test-kernel-rseq \
	conformance compare-linux bench-peers bench-rust bench-rust-preload bench-cpp test-rust \
	dist test-recipes wheel test-wheel soak-remote soak-threads soak-fork soak-peak \
	upstream-tests site deb check-layers test-glibc test-cpython test-suites test-programs \
	test-system bench-programs bench-memory bench-heavy bench-floors bench-threads fuzz-malloc \
	clean deps wheel-deps build-deps run-deps tools-deps required-deps aarch64-deps numa-deps \
	linux-deps

# Without tests, unless the folder was configured with them before.
build: build-deps
	cmake -S . -B build
	cmake --build build --parallel $(JOBS) --target $(PRODUCTS)

# stats=1 has each process tell on stderr, when it ends, what usermm did for it.
# python3 may be a script that starts the real one; only that is of interest.
run: run-deps build
	PYTHONMALLOC=malloc build/usermm run -o stats=1 -- \
		"$$(python3 -c 'import sys; print(sys.executable)')" examples/allocate.py
	build/usermm run -o stats=1 -- sqlite3 -bail :memory: '.read examples/table.sql'
	build/usermm bench --quick page-alloc page-bulk kmalloc quicklist

# The comment at the head of this file.
help:
	@sed -n -e '1,2d' -e '/^[^#]/q' -e 's/^# \{0,1\}//p' $(firstword $(MAKEFILE_LIST))

check: required-deps
	python3 cmake/run_tests.py --jobs $(JOBS) --check release

test: required-deps
	python3 cmake/run_tests.py --jobs $(JOBS) release sanitize tsan musl

test-long: required-deps
	python3 cmake/run_tests.py --jobs $(JOBS) --long release debug sanitize tsan permuted musl

# DISTROS="--short trixie" and the like are handed on.
test-distros: deb
	@tools/install-deps.sh --distros
	python3 tests/distros/run_distros.py --jobs $(JOBS) $(DISTROS)

test-image:
	@tools/install-deps.sh --image
	python3 tests/distros/run_image.py

# `make test` has a short selection of these, and of the tests under musl.
test-denied: required-deps
	cmake --preset release
	cmake --build --preset release --parallel $(JOBS)
	python3 tests/denied/run_denied.py build all --all --jobs $(JOBS)
	cmake --preset musl
	cmake --build --preset musl --parallel $(JOBS)
	ctest --test-dir build/musl --parallel $(JOBS) --output-on-failure

# Under user emulation what can run there, then everything with a kernel.
test-aarch64: aarch64-deps
	cmake --preset aarch64
	cmake --build --preset aarch64 --parallel $(JOBS)
	ctest --preset aarch64 --parallel $(JOBS)
	python3 tests/qemu/run_cross.py arm64

test-riscv64: required-deps
	@tools/install-deps.sh --ports riscv64
	$(MAKE) test-ports PORTS=riscv64
	python3 tests/qemu/run_cross.py riscv64

# Under user emulation alone: without sequences that is all that there is. An emulator refuses
# rseq(2), so every test has locked slots, and the presets leave out `:locked` and `:cpu_id`.
test-ports: required-deps
	@tools/install-deps.sh --ports $(PORTS)
	@for port in $(PORTS); do \
		cmake --preset $$port && cmake --build --preset $$port --parallel $(JOBS) && \
		ctest --preset $$port --parallel $(JOBS) || exit 1; \
	done

# An emulator is slow: the C++ programs and what loads the machine for minutes stay out.
test-numa: numa-deps
	cmake --preset release
	cmake --build --preset release --parallel $(JOBS)
	python3 tests/qemu/run_numa.py

test-limits: numa-deps
	cmake --preset release
	cmake --build --preset release --parallel $(JOBS)
	python3 tests/qemu/run_limits.py

# The programs that are run there, and nothing else.
test-groups: numa-deps
	cmake --preset release
	cmake --build --preset release --parallel $(JOBS) --target usermm usermm-inspect \
		usermm_malloc malloc_test_group mm_test_budget page_test_limits page_test_pressure
	python3 tests/qemu/run_groups.py

test-rust: required-deps
	mkdir -p build
	python3 tests/bindings/run_rust.py --whole build

# Of the builds only what the machines run.
test-kernels: aarch64-deps numa-deps
	cmake --preset release
	cmake --build --preset release --parallel $(JOBS) --target $(TESTED_BY_KERNELS)
	cmake --preset aarch64
	cmake --build --preset aarch64 --parallel $(JOBS) --target $(TESTED_BY_KERNELS)
	python3 tests/qemu/run_kernels.py $(KERNELS)

test-kernel-rseq: deps
	python3 tests/kernel_rseq/run_selftests.py --long --build build/kernel_rseq

# CONFORMANCE="--linux 7.3 page_bulk" and the like are handed on.
conformance: linux-deps build
	python3 tests/conformance/run_conformance.py build/usermm $(CONFORMANCE)

# COMPARE="--runs 9 --json FILE" and the like are handed on.
compare-linux: linux-deps build
	python3 tools/linux/compare_linux.py --usermm build/usermm $(COMPARE)

bench-peers: tools-deps build
	cmake -S bench/peers -B build/peers
	cmake --build build/peers --parallel $(JOBS)

bench-rust: tools-deps
	cd bench/rust && CARGO_TARGET_DIR=$(CURDIR)/build/bench-rust cargo bench $(BENCH:%=--bench %)

bench-rust-preload: tools-deps build
	CARGO_TARGET_DIR=$(CURDIR)/build/bench-rust python3 bench/rust/compare.py \
		--library build/libusermm_malloc.so $(BENCH)

bench-cpp: tools-deps
	@tools/install-deps.sh --benchmark
	cmake -S bench/cpp -B build/bench-cpp
	cmake --build build/bench-cpp --parallel $(JOBS) --target bench_cpp
	build/bench-cpp/bench_cpp $(BENCH)

soak-remote: build
	build/usermm bench soak $(SOAK)

soak-threads: required-deps
	cmake --preset release
	cmake --build --preset release --parallel $(JOBS) --target usermm_malloc malloc_test_threads
	TEST_THREADS=1000000 TEST_SLOWNESS=10 LD_PRELOAD=$(CURDIR)/build/libusermm_malloc.so \
		build/tests/malloc/test_threads churn

soak-fork: required-deps
	cmake --preset release
	cmake --build --preset release --parallel $(JOBS) --target usermm_malloc fork_storm
	python3 tests/soak/run_fork.py --program build/tests/soak/fork_storm \
		--library $(CURDIR)/build/libusermm_malloc.so --bound 200 $(SOAK)

soak-peak: required-deps
	cmake --preset release
	cmake --build --preset release --parallel $(JOBS) --target usermm_malloc peak
	LD_PRELOAD=$(CURDIR)/build/libusermm_malloc.so build/tests/soak/peak $(SOAK)

upstream-tests: linux-deps build
	python3 tests/module/run_upstream.py build/usermm /usr/src/linux-source-6.12.tar.xz \
		--build build/upstream --verbose
	python3 tests/module/run_upstream.py build/usermm \
		"$$(python3 tools/linux/build_linux.py --archive 7.3)" --build build/upstream --verbose
	python3 tests/kernel/trees/run_trees.py build /usr/src/linux-source-6.12.tar.xz \
		--build build/trees --long --compare

site: build
	@tools/install-deps.sh --site
	cmake --build build --parallel $(JOBS) --target usermm_man
	python3 -m venv build/site/tools
	build/site/tools/bin/pip install --quiet --requirement tools/site/requirements.txt
	python3 tools/site/build_site.py build/pages build/site build/site/tools/bin/mkdocs
	python3 tools/site/check_site.py build/site/html

dist:
	python3 packaging/make_dist.py $(DIST)

test-recipes: wheel-deps
	python3 tests/package/run_recipes.py build/recipes

wheel: wheel-deps
	python3 bindings/python/build_wheels.py

test-wheel: wheel-deps
	python3 tests/bindings/run_wheel.py

deb: tools-deps build
	cpack -G DEB -B build/package --config build/CPackConfig.cmake

test-glibc: required-deps build
	@tools/install-deps.sh --glibc
	python3 tests/glibc/run_glibc.py --library build/libusermm_malloc.so --jobs $(JOBS) \
		--source "$$(ls /usr/src/glibc/glibc-*.tar.xz)" --build build/glibc

test-cpython: required-deps build
	@tools/install-deps.sh --cpython
	python3 tests/programs/run_cpython.py --library build/libusermm_malloc.so --jobs $(JOBS) \
		$(CPYTHON)

test-suites: required-deps build
	@tools/install-deps.sh --suites
	python3 tests/programs/run_suites.py --library build/libusermm_malloc.so \
		--object build/usermm_malloc.o --build build/suites --jobs $(JOBS) $(SUITES)

test-programs: required-deps build
	@tools/install-deps.sh --programs
	python3 tests/programs/run_programs.py --library build/libusermm_malloc.so

test-system: required-deps build
	@tools/install-deps.sh --system
	python3 tests/system/run_system.py --library build/libusermm_malloc.so \
		--root build/system/root $(SYSTEM)

# BENCH="--rounds 9 --json FILE redis node" and the like are handed on.
bench-programs: required-deps build
	@tools/install-deps.sh --programs
	python3 tests/programs/bench_programs.py --library build/libusermm_malloc.so $(BENCH)

bench-memory: required-deps build
	@tools/install-deps.sh --memory
	mkdir -p build/memory
	python3 bench/memory/bench_memory.py --library build/libusermm_malloc.so \
		--plot build/memory --json build/memory/memory.json $(MEMORY)

bench-heavy: required-deps build
	mkdir -p build/peers
	python3 bench/heavy/bench_heavy.py --library build/libusermm_malloc.so --peers build/peers \
		$(HEAVY)

bench-floors: required-deps
	python3 bench/floors/build_floors.py build/floors

bench-threads: numa-deps
	cmake --preset release
	cmake --build --preset release --parallel $(JOBS) --target usermm_malloc
	python3 bench/threads/count_threads.py $(BENCH_THREADS)

fuzz-malloc: required-deps
	@tools/install-deps.sh --fuzz
	python3 tests/fuzz/run_fuzz.py --jobs $(JOBS) $(FUZZ)

check-layers:
	@good=true; for rule in tools/check_layers.py tools/check_lines.py tests/tools/check_folders.py \
		tests/tools/check_test_names.py tests/tools/check_words.py tests/tools/check_docs.py; \
	do python3 $$rule || good=false; done; $$good

clean:
	rm -rf build

deps:
	tools/install-deps.sh --peers

build-deps:
	@tools/install-deps.sh --build

run-deps:
	@tools/install-deps.sh --run

wheel-deps:
	@tools/install-deps.sh --wheel

tools-deps:
	@tools/install-deps.sh --tools

required-deps:
	@tools/install-deps.sh --tests

aarch64-deps: required-deps
	@tools/install-deps.sh --ports aarch64

numa-deps: required-deps
	@tools/install-deps.sh --numa

linux-deps: required-deps
	@tools/install-deps.sh --linux
