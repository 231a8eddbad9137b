/* SPDX-License-Identifier: MIT */
/*
 * The layout note: says where a tool finds what, when it reads a process from outside.
 *
 * 1. Purpose. A debugger or `usermm inspect` sees only bytes of the process. The note in the
 *    library tells where the library's variables are, and the offsets of the fields behind them.
 *    layout.def lists all that such a tool reads, and nothing else is promised.
 *
 * 2. Form. ELF notes of the name LAYOUT_NAME in the section .note.usermm. They are loaded, so
 *    that a tool finds them in the process and in a core dump, even if the library's file was
 *    replaced meanwhile. They take few hundred bytes, and the program never reads them.
 *
 *	LAYOUT_VALUES	struct layout_values
 *	LAYOUT_CORE	for each ADDRESS in turn, 32 bits: its distance from this word
 *	LAYOUT_MALLOC	the same for each MALLOC_ADDRESS; missing in a library without malloc
 *
 * 3. A tool knows one version and one number of options. It refuses any other one, since it would
 *    not know what a row means.
 */
#ifndef STATS_LAYOUT_H
#define STATS_LAYOUT_H

#include <stdint.h>

#define LAYOUT_VERSION 4
#define LAYOUT_NAME "usermm"
#define LAYOUT_RELEASE_BYTES 16

enum layout_type { LAYOUT_VALUES = 1, LAYOUT_CORE, LAYOUT_MALLOC };

/* The rows' numbers: LAYOUT_page_flags, LAYOUT_sizeof_page, LAYOUT_page_shift, ... */
enum layout_value {
#define VALUE(name, number) LAYOUT_##name,
#define FIELD(structure, field) LAYOUT_##structure##_##field,
#define SIZE(structure) LAYOUT_sizeof_##structure,
#define ADDRESS(variable)
#define MALLOC_ADDRESS(variable)
#include "stats/layout.def"
#undef ADDRESS
#undef MALLOC_ADDRESS
	NR_LAYOUT_VALUES
};

#undef VALUE
#undef FIELD
#undef SIZE
#define VALUE(name, number)
#define FIELD(structure, field)
#define SIZE(structure)

/* LAYOUT_AT_mm_window, ...: first those of the core, then malloc's. */
enum layout_address {
#define ADDRESS(variable) LAYOUT_AT_##variable,
#define MALLOC_ADDRESS(variable)
#include "stats/layout.def"
#undef ADDRESS
#undef MALLOC_ADDRESS
	NR_LAYOUT_CORE,
	LAYOUT_BEFORE_MALLOC = NR_LAYOUT_CORE - 1,
#define ADDRESS(variable)
#define MALLOC_ADDRESS(variable) LAYOUT_AT_##variable,
#include "stats/layout.def"
#undef ADDRESS
#undef MALLOC_ADDRESS
	NR_LAYOUT_ADDRESSES
};
#undef VALUE
#undef FIELD
#undef SIZE

struct layout_values {
	uint16_t version;		/* LAYOUT_VERSION */
	uint16_t nr;			/* NR_LAYOUT_VALUES */
	char release[LAYOUT_RELEASE_BYTES];	/* USERMM_VERSION, for messages */
	uint16_t values[NR_LAYOUT_VALUES];
};

/*
 * Defines a note of the addresses that stand between LAYOUT_NOTE_BEGIN and LAYOUT_NOTE_END. The
 * distances are known when the program is linked, so the loader has nothing to do. The variables
 * are hidden, or the linker refuses.
 */
#define LAYOUT_NOTE_BEGIN(type)					\
	__asm__(".pushsection .note.usermm,\"a\"\n"		\
		".balign 4\n"					\
		".long 7, 2f - 1f, " LAYOUT_STRING(type) "\n"	\
		".asciz \"" LAYOUT_NAME "\"\n"			\
		".balign 4\n"					\
		"1:\n"
#define LAYOUT_NOTE_ADDRESS(variable) ".long " #variable " - .\n"
#define LAYOUT_NOTE_END						\
		"2:\n"						\
		".popsection\n")
#define LAYOUT_STRING(number) LAYOUT_STRING_OF(number)
#define LAYOUT_STRING_OF(number) #number

#endif
