// SPDX-License-Identifier: MIT
/* A live process: process_vm_readv(2), /proc/PID and, for moments, ptrace(2). */
#define _GNU_SOURCE
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "target.h"

#define PAGE_BYTES 4096UL
/* At most this many parts in a system call. */
#define PARTS_MAX 512
/* Bits of an entry of /proc/PID/pagemap. */
#define PAGEMAP_PRESENT (1UL << 63)
#define PAGEMAP_SWAPPED (1UL << 62)
/* How long all threads may take to stop. One that waits for a disk does not stop at all. */
#define STOP_NS 10000000UL
/* How long a thread that did not stop in time is waited for when it shall go on. */
#define LATE_NS 1000000000UL

struct live {
	int pagemap;		/* -1: cannot be read */
	int folder;		/* /proc/PID of this process, even if its number is reused */
	pid_t *traced;		/* threads that ptrace holds */
	size_t nr_traced;
	uint64_t paused_at;
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000UL + (uint64_t)now.tv_nsec;
}

/* --- What the system refuses ------------------------------------------------------- */

static int read_yama(void)
{
	FILE *file = fopen("/proc/sys/kernel/yama/ptrace_scope", "re");
	int scope = 0;

	if (file && fscanf(file, "%d", &scope) != 1)
		scope = 0;
	if (file)
		fclose(file);
	return scope;
}

static enum inspect_status fail_permission(struct target *target)
{
	int scope = read_yama();

	if (geteuid() && scope == 1)
		return target_fail(target, INSPECT_NO_PERMISSION,
				   "no permission to read process %d: kernel.yama.ptrace_scope is "
				   "1; run this as root, or set it to 0 by sysctl", target->pid);
	if (scope >= 2)
		return target_fail(target, INSPECT_NO_PERMISSION,
				   "no permission to read process %d: kernel.yama.ptrace_scope is "
				   "%d; %s", target->pid, scope, scope == 2 ?
				   "run this as root" : "a value of 3 stays until the next boot");
	return target_fail(target, INSPECT_NO_PERMISSION,
			   "no permission to read process %d: it belongs to another user, or may "
			   "not be dumped; run this as root, with CAP_SYS_PTRACE", target->pid);
}

static enum inspect_status fail_ended(struct target *target)
{
	return target_fail(target, INSPECT_ENDED, "process %d has ended", target->pid);
}

/* --- Bytes ------------------------------------------------------------------------- */

/*
 * Reads up to PARTS_MAX pieces from number first on. The call stops at the first byte that it
 * cannot read. Returns how many pieces are done, the failed one included; 0 if the process is gone.
 */
static size_t read_some(struct target *target, struct piece *pieces, size_t n)
{
	struct iovec local[PARTS_MAX], remote[PARTS_MAX];
	size_t nr = n < PARTS_MAX ? n : PARTS_MAX, done = 0;
	ssize_t got;

	for (size_t i = 0; i < nr; i++) {
		local[i] = (struct iovec){ pieces[i].to, pieces[i].bytes };
		remote[i] = (struct iovec){ (void *)pieces[i].address, pieces[i].bytes };
	}
	target->nr_reads++;
	got = process_vm_readv(target->pid, local, nr, remote, nr, 0);
	if (got < 0 && errno != EFAULT)
		return 0;
	if (got > 0)
		target->bytes_read += (uint64_t)got;
	for (; done < nr && got >= (ssize_t)pieces[done].bytes; done++)
		got -= (ssize_t)pieces[done].bytes;
	if (done < nr)
		pieces[done++].failed = true;
	return done;
}

static enum inspect_status live_read(struct target *target, struct piece *pieces, size_t n)
{
	for (size_t at = 0, done; at < n; at += done) {
		done = read_some(target, pieces + at, n - at);
		if (!done)
			return errno == EPERM ? fail_permission(target) : fail_ended(target);
	}
	return INSPECT_OK;
}

static bool live_present(struct target *target, uint64_t address, size_t pages, uint8_t *bits)
{
	struct live *live = target->own;
	uint64_t entries[512];

	if (live->pagemap < 0)
		return false;
	for (size_t at = 0; at < pages; at += 512) {
		size_t nr = pages - at < 512 ? pages - at : 512;
		off_t place = (off_t)((address / PAGE_BYTES + at) * sizeof(*entries));

		if (pread(live->pagemap, entries, nr * sizeof(*entries), place) !=
		    (ssize_t)(nr * sizeof(*entries)))
			return false;
		for (size_t i = 0; i < nr; i++) {
			bool has = entries[i] & (PAGEMAP_PRESENT | PAGEMAP_SWAPPED);
			uint8_t bit = (uint8_t)(1 << (at + i) % 8), *byte = &bits[(at + i) / 8];

			*byte = (uint8_t)(has ? *byte | bit : *byte & ~bit);
		}
	}
	return true;
}

/* --- /proc/PID --------------------------------------------------------------------- */

static int open_in(struct target *target, const char *name)
{
	struct live *live = target->own;

	return openat(live->folder, name, O_RDONLY | O_CLOEXEC);
}

/* Reads a short file. False if that is impossible. */
static bool read_in(struct target *target, const char *name, char *text, size_t bytes)
{
	int file = open_in(target, name);
	ssize_t got = file < 0 ? -1 : read(file, text, bytes - 1);

	if (file >= 0)
		close(file);
	if (got < 0)
		return false;
	text[got] = '\0';
	return true;
}

static bool add_line(struct target *target, char *line)
{
	struct range range = { 0 };
	char permissions[5];
	int used = 0;

	if (sscanf(line, "%lx-%lx %4s %lx %*s %*s %n", &range.start, &range.end, permissions,
		   &range.offset, &used) < 4)
		return true;
	line[strcspn(line, "\n")] = '\0';
	range.there_end = range.end;
	range.readable = permissions[0] == 'r';
	range.writable = permissions[1] == 'w';
	range.executable = permissions[2] == 'x';
	range.shared = permissions[3] == 's';
	range.is_stack = !strcmp(line + used, "[stack]");
	if (line[used]) {
		range.path = strdup(line + used);
		if (!range.path)
			return false;
	}
	return target_add_range(target, &range);
}

static enum inspect_status live_read_ranges(struct target *target)
{
	int descriptor = open_in(target, "maps");
	FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "r");
	size_t room = 0;
	char *line = NULL;
	bool good = true;

	if (!file) {
		if (descriptor >= 0)
			close(descriptor);
		return errno == EACCES || errno == EPERM ? fail_permission(target) :
							   fail_ended(target);
	}
	while (good && getline(&line, &room, file) > 0)
		good = add_line(target, line);
	free(line);
	fclose(file);
	if (!good)
		return target_fail(target, INSPECT_NO_MEMORY, "no memory for the list of mappings");
	/* A process that has ended has an empty list, as has a kernel thread. */
	return target->nr_ranges ? INSPECT_OK : fail_ended(target);
}

/* --- Threads ----------------------------------------------------------------------- */

/* Calls fn for each thread until that returns false. */
static bool for_each_thread(struct target *target, bool (*fn)(struct target *target, pid_t id,
							      void *arg), void *arg)
{
	int descriptor = open_in(target, "task");
	DIR *folder = descriptor < 0 ? NULL : fdopendir(descriptor);
	struct dirent *entry;
	bool good = folder;

	while (good && (entry = readdir(folder)))
		if (*entry->d_name != '.')
			good = fn(target, (pid_t)atoi(entry->d_name), arg);
	if (folder)
		closedir(folder);
	else if (descriptor >= 0)
		close(descriptor);
	return good;
}

static bool add_run_time(struct target *target, pid_t id, void *arg)
{
	uint64_t *sum = arg, ns;
	char name[64], text[128];

	snprintf(name, sizeof(name), "task/%d/schedstat", id);
	if (!read_in(target, name, text, sizeof(text)) || sscanf(text, "%lu", &ns) != 1)
		return false;
	*sum += ns;
	return true;
}

static uint64_t live_run_time(struct target *target)
{
	uint64_t sum = 0;

	return for_each_thread(target, add_run_time, &sum) ? sum : UINT64_MAX;
}

struct stopping {
	size_t new_ones;
	int error;		/* of ptrace() */
};

static bool is_traced(const struct live *live, pid_t id)
{
	for (size_t i = 0; i < live->nr_traced; i++)
		if (live->traced[i] == id)
			return true;
	return false;
}

/* 0, or what ptrace() says. */
static int trace(struct live *live, pid_t id)
{
	pid_t *traced = realloc(live->traced, (live->nr_traced + 1) * sizeof(*traced));

	if (!traced)
		return ENOMEM;
	live->traced = traced;
	if (ptrace(PTRACE_SEIZE, id, 0, 0))
		return errno;
	traced[live->nr_traced++] = id;
	return 0;
}

static bool stop_thread(struct target *target, pid_t id, void *arg)
{
	struct stopping *stopping = arg;
	struct live *live = target->own;
	int error;

	for (size_t i = 0; i < target->nr_threads; i++)
		if (target->threads[i].id == id)
			return true;
	/* One that was late the last time is still traced. */
	error = is_traced(live, id) ? 0 : trace(live, id);
	if (error == ESRCH)	/* it has ended meanwhile */
		return true;
	if (!error && !target_add_thread(target, id))
		error = ENOMEM;
	stopping->error = error;
	if (error)
		return false;
	stopping->new_ones++;
	ptrace(PTRACE_INTERRUPT, id, 0, 0);
	return true;
}

static void take_registers(struct thread *thread)
{
	uint64_t words[THREAD_WORDS];
	struct iovec part = { words, sizeof(words) };

	if (!ptrace(PTRACE_GETREGSET, thread->id, NT_PRSTATUS, &part))
		registers_take(thread, words, part.iov_len);
}

/* A thread that does not stop is in the kernel. The system tells where its stack ends. */
static void take_from_system(struct target *target, struct thread *thread)
{
	char name[64], text[512], *last;
	unsigned long stack, counter;

	snprintf(name, sizeof(name), "task/%d/syscall", thread->id);
	if (!read_in(target, name, text, sizeof(text)))
		return;
	last = strstr(text, " 0x");
	for (char *next = last; next; next = strstr(next + 1, " 0x"))
		if (sscanf(next, " 0x%lx 0x%lx", &stack, &counter) == 2) {
			thread->stack_pointer = stack;
			thread->program_counter = counter;
		}
}

static void read_registers(struct target *target, struct thread *thread, uint64_t deadline)
{
	int status;

	while (waitpid(thread->id, &status, __WALL | WNOHANG) != thread->id) {
		if (now_ns() > deadline) {
			take_from_system(target, thread);
			return;
		}
		sched_yield();
	}
	if (WIFSTOPPED(status))
		take_registers(thread);
}

/* Only a thread that has stopped can be let go. Waits for one that is late. */
static bool let_late_one_go(pid_t id, uint64_t deadline)
{
	struct timespec moment = { .tv_nsec = 1000000 };
	int status;

	while (waitpid(id, &status, __WALL | WNOHANG) == 0) {
		if (now_ns() > deadline)
			return false;
		nanosleep(&moment, NULL);
	}
	ptrace(PTRACE_DETACH, id, 0, 0);
	return true;
}

static void live_resume(struct target *target)
{
	struct live *live = target->own;
	size_t late = 0;

	for (size_t i = 0; i < live->nr_traced; i++)
		if (ptrace(PTRACE_DETACH, live->traced[i], 0, 0))
			live->traced[late++] = live->traced[i];
	if (live->nr_traced)
		target->paused_ns = now_ns() - live->paused_at;
	live->nr_traced = 0;
	for (size_t i = 0; i < late; i++)
		if (!let_late_one_go(live->traced[i], now_ns() + LATE_NS))
			live->traced[live->nr_traced++] = live->traced[i];
}

/* New threads may appear until all others stand still. */
static enum inspect_status live_pause(struct target *target)
{
	struct live *live = target->own;
	size_t nr_read = 0;

	live->paused_at = now_ns();
	target->paused_ns = 0;
	for (unsigned int round = 0; round < 64; round++) {
		struct stopping stopping = { 0 };

		if (!for_each_thread(target, stop_thread, &stopping) && stopping.error) {
			live_resume(target);
			if (stopping.error == ENOMEM)
				return target_fail(target, INSPECT_NO_MEMORY, "no memory");
			return target_fail(target, INSPECT_NO_PERMISSION, "process %d cannot be "
					   "paused: %s; is a debugger attached?", target->pid,
					   strerror(stopping.error));
		}
		if (!stopping.new_ones)
			break;
		for (; nr_read < target->nr_threads; nr_read++)
			read_registers(target, &target->threads[nr_read],
				       live->paused_at + STOP_NS);
	}
	return target->nr_threads ? INSPECT_OK : fail_ended(target);
}

/* --- Open and close ---------------------------------------------------------------- */

static void live_close(struct target *target)
{
	struct live *live = target->own;

	live_resume(target);
	free(live->traced);
	if (live->pagemap >= 0)
		close(live->pagemap);
	if (live->folder >= 0)
		close(live->folder);
	free(live);
}

static const struct target_ops live_ops = {
	.read = live_read,
	.present = live_present,
	.read_ranges = live_read_ranges,
	.pause = live_pause,
	.resume = live_resume,
	.run_time = live_run_time,
	.close = live_close,
};

enum inspect_status live_open(struct target *target, pid_t pid)
{
	struct live *live = calloc(1, sizeof(*live));
	char path[32];
	ssize_t length;

	if (!live)
		return target_fail(target, INSPECT_NO_MEMORY, "no memory");
	snprintf(path, sizeof(path), "/proc/%d", pid);
	*live = (struct live){ .pagemap = -1, .folder = open(path, O_PATH | O_CLOEXEC) };
	target->own = live;
	target->ops = &live_ops;
	target->pid = pid;
	snprintf(target->name, sizeof(target->name), "process %d", pid);
	if (live->folder < 0)
		return target_fail(target, INSPECT_NO_PROCESS, "there is no process %d", pid);
	if (read_in(target, "comm", target->command, sizeof(target->command)))
		target->command[strcspn(target->command, "\n")] = '\0';
	length = readlinkat(live->folder, "exe", target->executable,
			    sizeof(target->executable) - 1);
	target->executable[length > 0 ? length : 0] = '\0';
	live->pagemap = open_in(target, "pagemap");
	return INSPECT_OK;
}
