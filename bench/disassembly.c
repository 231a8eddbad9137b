// SPDX-License-Identifier: MIT
#include "disassembly.h"

#include "results.h"

#ifdef BENCH_CAPSTONE
#include <capstone/capstone.h>
#include <stdlib.h>

#if defined(__x86_64__)
#define MACHINE CS_ARCH_X86, CS_MODE_64
#else
#define MACHINE CS_ARCH_ARM64, CS_MODE_ARM
#endif

/* Compilers fill the space behind a function; its last return ends what is shown. */
static size_t without_filling(csh handle, const cs_insn *insns, size_t nr)
{
	while (nr > 0 && !cs_insn_group(handle, &insns[nr - 1], CS_GRP_RET) &&
	       !cs_insn_group(handle, &insns[nr - 1], CS_GRP_JUMP))
		nr--;
	return nr;
}

static json_t *print_instructions(struct bench *bench, csh handle, const char *start,
				  const char *stop)
{
	json_t *lines = json_array();
	cs_insn *insns;
	size_t nr;

	nr = cs_disasm(handle, (const uint8_t *)start, (size_t)(stop - start), 0, 0, &insns);
	for (size_t i = 0; i < without_filling(handle, insns, nr); i++) {
		char line[256];

		snprintf(line, sizeof(line), "%3lx  %-6s %s", (unsigned long)insns[i].address,
			 insns[i].mnemonic, insns[i].op_str);
		bench_print(bench, "    %s\n", line);
		json_array_append_new(lines, json_string(line));
	}
	if (nr)
		cs_free(insns, nr);
	return lines;
}

json_t *disassembly_print(struct bench *bench, const char *name, const char *start,
			  const char *stop)
{
	json_t *lines = NULL;
	csh handle;

	if (cs_open(MACHINE, &handle) != CS_ERR_OK) {
		bench_print(bench, "%s: libcapstone does not know this machine's code\n", name);
		return NULL;
	}
	cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);	/* for the groups */
#ifdef __x86_64__
	cs_option(handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
#endif
	bench_print(bench, "  %s:\n", name);
	lines = print_instructions(bench, handle, start, stop);
	cs_close(&handle);
	return lines;
}

#else

json_t *disassembly_print(struct bench *bench, const char *name, const char *start,
			  const char *stop)
{
	bench_print(bench, "  %s: %zu bytes of machine code; built without libcapstone, which "
			   "would show them\n", name, (size_t)(stop - start));
	return NULL;
}

#endif
