/* SPDX-License-Identifier: MIT */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "golden/record.h"

#include <link.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "measure/leave_rseq.h"
#include "measure/step.h"

#define EXIT_SKIPPED 77
#define WARM_RUNS 200
#define MAX_STEPS 100000

static struct {
	uintptr_t start, end;		/* the code that counts */
	uintptr_t base;			/* what the file calls address 0 */
	char file[4096];
} code;

/* Sync: the only thread and its signal handler. */
static struct trace {
	size_t nr;
	uintptr_t addresses[MAX_STEPS];
} traces[2], *volatile trace;

static void on_trap(int signal, siginfo_t *info, void *context)
{
	uintptr_t address = (uintptr_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];

	(void)signal;
	(void)info;
	if (address >= code.start && address < code.end && trace->nr < MAX_STEPS)
		trace->addresses[trace->nr++] = address - code.base;
}

/* From the module's first code to its last: it may have several segments of code. */
static int find_module(struct dl_phdr_info *info, size_t size, void *arg)
{
	uintptr_t inside = (uintptr_t)recording.code_start;
	bool found = false;

	(void)size;
	(void)arg;
	code.start = UINTPTR_MAX;
	code.end = 0;
	for (unsigned int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + segment->p_vaddr;

		if (segment->p_type != PT_LOAD)
			continue;
		found |= inside - start < segment->p_memsz;
		if (!(segment->p_flags & PF_X))
			continue;
		if (start < code.start)
			code.start = start;
		if (start + segment->p_memsz > code.end)
			code.end = start + segment->p_memsz;
	}
	code.base = info->dlpi_addr;
	snprintf(code.file, sizeof(code.file), "%s", info->dlpi_name);
	return found;
}

static bool find_code(void)
{
	if (!dl_iterate_phdr(find_module, NULL))
		return false;
	if (!code.file[0] && readlink("/proc/self/exe", code.file, sizeof(code.file) - 1) < 0)
		return false;
	if (recording.code_end) {
		code.start = (uintptr_t)recording.code_start;
		code.end = (uintptr_t)recording.code_end;
	}
	return true;
}

static void run(const struct golden_path *path, struct trace *record)
{
	if (path->before)
		path->before();
	if (record) {
		trace = record;
		record->nr = 0;
		trap_flag(true);
		path->run();
		trap_flag(false);
	} else {
		path->run();
	}
	if (path->after)
		path->after();
}

static bool print_path(const struct golden_path *path)
{
	for (unsigned int i = 0; i < WARM_RUNS; i++)
		run(path, NULL);
	run(path, &traces[0]);
	run(path, &traces[1]);
	if (traces[0].nr != traces[1].nr || traces[0].nr == MAX_STEPS ||
	    memcmp(traces[0].addresses, traces[1].addresses, traces[0].nr * sizeof(uintptr_t))) {
		fprintf(stderr, "%s: goes another way each time, or none at all\n", path->name);
		return false;
	}
	printf("path %s", path->name);
	for (size_t i = 0; i < traces[0].nr; i++)
		printf(" %#lx", (unsigned long)traces[0].addresses[i]);
	printf("\n");
	return true;
}

static int skip(const char *why)
{
	fprintf(stderr, "skipped: %s\n", why);
	return EXIT_SKIPPED;
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO };
	const char *why = recording.start();

	if (why)
		return skip(why);
	if (!libc_has_rseq() || !leave_rseq())
		return skip("libc's rseq area cannot be taken from the kernel");
	if (sigaction(SIGTRAP, &action, NULL) || !find_code())
		return EXIT_FAILURE;
	printf("file %s\n", code.file);
	for (unsigned int i = 0; i < recording.nr_paths; i++)
		if (!print_path(&recording.paths[i]))
			return EXIT_FAILURE;
	return EXIT_SUCCESS;
}
