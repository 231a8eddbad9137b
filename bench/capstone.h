/* SPDX-License-Identifier: MIT */
/*
 * libcapstone, which reads machine code: loaded when it is asked for, so that the command
 * starts without it. It has to be of the version whose headers this was built with, since the
 * structures of another one differ.
 */
#ifndef BENCH_CAPSTONE_H
#define BENCH_CAPSTONE_H

/* Only for the processors whose code disassembly.c and lines.c know how to ask for. */
#if !defined(__x86_64__) && !defined(__aarch64__)
#undef BENCH_CAPSTONE
#endif

#ifdef BENCH_CAPSTONE
#include <capstone/capstone.h>

/* The functions cs_NAME() that are used here. */
#define CAPSTONE_FUNCTIONS(use)						\
	use(open) use(close) use(option) use(disasm) use(disasm_iter)	\
	use(insn_group) use(malloc) use(free)

struct capstone {
#define CAPSTONE_MEMBER(name) __typeof__(cs_##name) *name;
	CAPSTONE_FUNCTIONS(CAPSTONE_MEMBER)
#undef CAPSTONE_MEMBER
};

/* The loaded library, or NULL and a line that says what to install. It stays loaded. */
const struct capstone *capstone_load(const char **refusal);
#endif

/* What is told where BENCH_CAPSTONE is not defined. */
#define CAPSTONE_LEFT_OUT \
	"built without capstone's headers (Debian: libcapstone-dev)"

#endif
