// SPDX-License-Identifier: MIT
#include "disassembly.h"

#include "capstone.h"
#include "results.h"

static struct json *not_shown(struct bench *bench, const char *name, const char *start,
			      const char *stop, const char *reason)
{
	bench_print(bench, "  %s: %zu bytes of machine code, not shown: %s\n", name,
		    (size_t)(stop - start), reason);
	return NULL;
}

#ifdef BENCH_CAPSTONE
#include <stdlib.h>

#if defined(__x86_64__)
#define MACHINE CS_ARCH_X86, CS_MODE_64
#else
#define MACHINE CS_ARCH_ARM64, CS_MODE_ARM
#endif

/* Number of instructions up to the last return: compilers fill the space behind a function. */
static size_t without_filling(const struct capstone *cs, csh handle, const cs_insn *insns,
			      size_t nr)
{
	while (nr > 0 && !cs->insn_group(handle, &insns[nr - 1], CS_GRP_RET) &&
	       !cs->insn_group(handle, &insns[nr - 1], CS_GRP_JUMP))
		nr--;
	return nr;
}

static struct json *print_instructions(struct bench *bench, const struct capstone *cs,
				       csh handle, const char *start, const char *stop)
{
	struct json *lines = json_array();
	cs_insn *insns;
	size_t nr;

	nr = cs->disasm(handle, (const uint8_t *)start, (size_t)(stop - start), 0, 0, &insns);
	for (size_t i = 0; i < without_filling(cs, handle, insns, nr); i++) {
		char line[256];

		snprintf(line, sizeof(line), "%3lx  %-6s %s", (unsigned long)insns[i].address,
			 insns[i].mnemonic, insns[i].op_str);
		bench_print(bench, "    %s\n", line);
		json_add_text(lines, NULL, line);
	}
	if (nr)
		cs->free(insns, nr);
	return lines;
}

struct json *disassembly_print(struct bench *bench, const char *name, const char *start,
			       const char *stop)
{
	struct json *lines = NULL;
	const char *refusal;
	const struct capstone *cs = capstone_load(&refusal);
	csh handle;

	if (cs && cs->open(MACHINE, &handle) != CS_ERR_OK)
		cs = NULL, refusal = "libcapstone does not know this machine's code";
	if (!cs)
		return not_shown(bench, name, start, stop, refusal);
	cs->option(handle, CS_OPT_DETAIL, CS_OPT_ON);	/* for instruction groups */
#ifdef __x86_64__
	cs->option(handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
#endif
	bench_print(bench, "  %s:\n", name);
	lines = print_instructions(bench, cs, handle, start, stop);
	cs->close(&handle);
	return lines;
}

#else

struct json *disassembly_print(struct bench *bench, const char *name, const char *start,
			       const char *stop)
{
	return not_shown(bench, name, start, stop, CAPSTONE_LEFT_OUT);
}

#endif
