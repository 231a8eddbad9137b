/* SPDX-License-Identifier: MIT */
/*
 * libcapstone, which reads machine code. It is loaded on demand, so the command starts without it.
 * Its version must be that of the headers of the build, since other versions have other structures.
 */
#ifndef BENCH_CAPSTONE_H
#define BENCH_CAPSTONE_H

/* Only on processors whose code disassembly.c and lines.c can read. */
#if !defined(__x86_64__) && !defined(__aarch64__)
#undef BENCH_CAPSTONE
#endif

#ifdef BENCH_CAPSTONE
#include <capstone/capstone.h>

/* NAME of each function cs_NAME() that is used. */
#define CAPSTONE_FUNCTIONS(use)						\
	use(open) use(close) use(option) use(disasm) use(disasm_iter)	\
	use(insn_group) use(malloc) use(free)

struct capstone {
#define CAPSTONE_MEMBER(name) __typeof__(cs_##name) *name;
	CAPSTONE_FUNCTIONS(CAPSTONE_MEMBER)
#undef CAPSTONE_MEMBER
};

/* The library, which stays loaded; or NULL, and *refusal says what to install. */
const struct capstone *capstone_load(const char **refusal);
#endif

/* The message if BENCH_CAPSTONE is not defined. */
#define CAPSTONE_LEFT_OUT \
	"built without capstone's headers (Debian: libcapstone-dev)"

#endif
