/* SPDX-License-Identifier: MIT */
#include "os/report/process.h"

#include <errno.h>
#include <time.h>

#include "base/atomic.h"
#include "base/fmt.h"
#include "base/system_call.h"
#include "base/text.h"
#include "os/start/auxiliary.h"
#include "os/file.h"
#include "os/memory.h"
#include "os/text.h"

#define NS_PER_S 1000000000UL
/* /proc/self/stat: the number of starttime, and of the first field behind the name. */
#define STAT_STARTTIME 22
#define STAT_STATE 3

/* Sync: written before files_are_forbidden is set, and constant then */
static struct process_facts last_facts __large_bss;
static bool files_are_forbidden;	/* Sync: atomic */

uint64_t os_resident_bytes(void)
{
	char text[128];
	const char *pages;

	if (process_files_are_forbidden() ||
	    os_read_file("/proc/self/statm", text, sizeof(text)) < 0)
		return 0;
	pages = text_skip_words(text, 1);
	return pages ? text_number(&pages) * os_page_bytes() : 0;
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now = { 0, 0 };

	system_call(SYS_clock_gettime, clock, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

/*
 * When the process started, in seconds since 1970. The kernel tells it in ticks since the machine's
 * start, sleep included.
 */
static uint64_t read_start(void)
{
	unsigned long ticks_per_s = os_auxiliary(AT_CLKTCK);
	const char *ticks;
	char text[1024];
	uint64_t age;

	if (!ticks_per_s || os_read_file("/proc/self/stat", text, sizeof(text)) < 0)
		return 0;
	/* The name may hold anything, so it ends at the last ")". */
	ticks = strrchr(text, ')');
	ticks = ticks ? text_skip_words(ticks, STAT_STARTTIME - STAT_STATE + 1) : NULL;
	if (!ticks)
		return 0;
	age = clock_ns(CLOCK_BOOTTIME) - text_number(&ticks) * (NS_PER_S / ticks_per_s);
	return (clock_ns(CLOCK_REALTIME) - age) / NS_PER_S;
}

static void read_name(char name[OS_NAME_BYTES])
{
	char text[4 * OS_NAME_BYTES];
	size_t length;

	if (os_read_file("/proc/self/comm", text, sizeof(text)) < 0) {
		os_thread_name(name);
		return;
	}
	length = strlen(text);
	length -= length && text[length - 1] == '\n';
	length = min(length, (size_t)OS_NAME_BYTES - 1);
	memcpy(name, text, length);
	name[length] = '\0';
}

static void read_facts(struct process_facts *facts)
{
	fmt_format(facts->pid, sizeof(facts->pid), "%d", os_current_process());
	read_name(facts->command);
	os_program_path(facts->executable);
	facts->start_time_seconds = (unsigned long)read_start();
}

void process_facts_read(struct process_facts *facts)
{
	if (!process_files_are_forbidden()) {
		read_facts(facts);
		return;
	}
	*facts = last_facts;
	fmt_format(facts->pid, sizeof(facts->pid), "%d", os_current_process());
}

void process_forbid_files(void)
{
	if (process_files_are_forbidden())
		return;
	read_facts(&last_facts);
	os_keep_code_files();
	/* pairs with process_files_are_forbidden(): the facts are there */
	atomic_store_release(&files_are_forbidden, true);
}

often_called bool process_files_are_forbidden(void)
{
	/* pairs with process_forbid_files() */
	return atomic_load_acquire(&files_are_forbidden);
}

int process_open_file(const char *path)
{
	if (!process_files_are_forbidden())
		return os_open_file(path);
	errno = EPERM;
	return -1;
}
